//! Steps about the host: registers, interrupts, memory, faults.

use super::super::machine::Machine;
use super::super::step::{self, Response, PATIENCE};
use super::{Forbidden, Outcome, Runner, Unmet};
use crate::host::{response_name, BarRequest, Fault, Way, DECERR, OKAY, SLVERR};

fn response_code(response: Response) -> u8 {
    match response {
        Response::Okay => OKAY,
        Response::Slverr => SLVERR,
        Response::Decerr => DECERR,
    }
}

fn bytes_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<M: Machine> Runner<M> {
    /// A register access that must get this response; its value.
    fn access(&mut self, nic: Option<&String>, request: BarRequest, response: Response) -> Result<u32, Unmet> {
        let answer = self.nic(nic).machine.access(request);
        let answer = answer.ok_or_else(|| Unmet::new("an answer to a register access", "none"))?;
        if answer.response != response_code(response) {
            let expected = response_name(response_code(response));
            return Err(Unmet::new(expected, response_name(answer.response)));
        }
        Ok(answer.value)
    }

    pub(super) fn read_register(&mut self, body: &step::ReadRegister) -> Outcome {
        let end = self.machine.cycle() + body.within.unwrap_or(0);
        loop {
            let value = self.access(body.nic.as_ref(), BarRequest::Read { offset: body.register.0 }, body.response)?
                & body.mask;
            match body.value {
                Some(expected) if expected != value => {
                    if self.machine.cycle() >= end {
                        return Err(Unmet::new(format!("{expected:#010x}"), format!("{value:#010x}")));
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn write_register(&mut self, body: &step::WriteRegister) -> Outcome {
        let value = self.objects.word(&body.value)?;
        let request = BarRequest::Write { offset: body.register.0, value, strobes: body.strobes };
        self.access(body.nic.as_ref(), request, body.response).map(drop)
    }

    /// Interrupts are counted from the last step about this vector on.
    fn interrupt_within(&mut self, nic: usize, vector: u8, limit: u64) -> Result<bool, Unmet> {
        let seen = self.nics[nic].interrupts_seen.get(&vector).copied().unwrap_or(0);
        let interrupts = |runner: &Self| runner.nics[nic].machine.interrupts(vector);
        let fired = self.wait(limit, |runner| Ok((interrupts(runner) > seen).then_some(())))?.is_some();
        let now = interrupts(self);
        self.nics[nic].interrupts_seen.insert(vector, now);
        Ok(fired)
    }

    pub(super) fn interrupt(&mut self, body: &step::Interrupt) -> Outcome {
        let limit = body.within.unwrap_or(PATIENCE);
        let expected = format!("an interrupt of vector {}", body.vector);
        let nic = self.nic_index(body.nic.as_ref());
        let fired = self.interrupt_within(nic, body.vector, limit)?;
        if fired {
            Ok(())
        } else {
            Err(Unmet::new(expected, format!("none within {limit} cycles")))
        }
    }

    pub(super) fn no_interrupt(&mut self, body: &step::Interrupt) -> Outcome {
        let expected = format!("no interrupt of vector {}", body.vector);
        let nic = self.nic_index(body.nic.as_ref());
        let fired = self.interrupt_within(nic, body.vector, body.within.unwrap_or(PATIENCE / 10))?;
        if fired {
            Err(Unmet::new(expected, "an interrupt"))
        } else {
            Ok(())
        }
    }

    fn memory_bytes(&self, body: &step::Memory) -> Result<Vec<u8>, Unmet> {
        match (&body.bytes, &body.words) {
            (Some(bytes), _) => Ok(bytes.0.clone()),
            (None, words) => {
                let words =
                    words.iter().flatten().map(|word| self.objects.resolve(word)).collect::<Result<Vec<_>, _>>()?;
                Ok(words.into_iter().flat_map(u64::to_le_bytes).collect())
            }
        }
    }

    pub(super) fn expect_memory(&mut self, body: &step::Memory) -> Outcome {
        let expected = self.memory_bytes(body)?;
        let mut found = vec![0; expected.len()];
        if !self.objects.bytes(&body.at, &mut found, false)? {
            return Err(Unmet::new(format!("memory at {}", body.at), "nothing is there"));
        }
        let first = expected.iter().zip(&found).position(|(expected, found)| expected != found);
        first.map_or(Ok(()), |first| {
            let expected = format!("byte {first:#x} behind {}: {}", body.at, bytes_text(&expected[first..]));
            Err(Unmet::new(expected, bytes_text(&found[first..])))
        })
    }

    pub(super) fn write_memory(&mut self, body: &step::Memory) -> Outcome {
        let mut bytes = self.memory_bytes(body)?;
        let written = self.objects.bytes(&body.at, &mut bytes, true)?;
        if written {
            Ok(())
        } else {
            Err(Unmet::new(format!("memory at {}", body.at), "nothing is there"))
        }
    }

    pub(super) fn inject_fault(&mut self, body: &step::InjectFault) -> Outcome {
        let addresses = match &body.at {
            None => None,
            Some(place) => {
                let whole = self.objects.ranges(place)?;
                let start = self.objects.resolve(place)?;
                let end = body.bytes.map_or(whole[0].end, |bytes| start + bytes);
                Some(start..end)
            }
        };
        let nic = match &body.at {
            Some(place) if body.nic.is_none() => self.objects.nic_of_place(place),
            _ => self.nic_index(body.nic.as_ref()),
        };
        self.nics[nic].machine.inject(Fault {
            way: if body.way == step::Way::Read { Way::Read } else { Way::Write },
            id: body.id,
            addresses,
            skip: body.skip,
            count: (body.times > 0).then_some(body.times),
            response: response_code(body.response),
        });
        Ok(())
    }

    pub(super) fn unmap(&mut self, body: &step::Unmap) -> Outcome {
        let done = self.objects.unmap(&body.memory, body.page);
        if done {
            Ok(())
        } else {
            Err(Unmet::new(format!("memory `{}` that is mapped", body.memory), "it is not"))
        }
    }

    pub(super) fn no_access(&mut self, body: &step::NoAccess) -> Outcome {
        let what = body.pages.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        for place in &body.pages {
            let (nic, ranges) = (self.objects.nic_of_place(place), self.objects.ranges(place)?);
            self.forbidden.push(Forbidden { nic, since: self.machine.cycle(), ranges, what: what.clone() });
        }
        Ok(())
    }
}
