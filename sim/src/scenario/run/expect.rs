//! Steps that expect something of the device.

use super::super::machine::Machine;
use super::super::step::{self, PATIENCE};
use super::{unexpected, Outcome, Runner, Unmet};
use rnic_abi::syndrome::Syndrome;
use rnic_driver::{Access, Completion, Probe};
use std::fmt::Debug;

/// Compares fields that the step names, and collects those that differ.
#[derive(Default)]
pub(super) struct Comparison {
    expected: Vec<String>,
    found: Vec<String>,
}

impl Comparison {
    pub(super) fn field<T: PartialEq>(
        &mut self,
        name: &str,
        expected: Option<T>,
        found: T,
        show: impl Fn(&T) -> String,
    ) {
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            self.expected.push(format!("{name} {}", show(&expected)));
            self.found.push(format!("{name} {}", show(&found)));
        }
    }

    pub(super) fn outcome(self) -> Outcome {
        match self.expected.is_empty() {
            true => Ok(()),
            false => Err(Unmet::new(self.expected.join(", "), self.found.join(", "))),
        }
    }
}

pub(super) fn hex<T: std::fmt::LowerHex>(value: &T) -> String {
    format!("{value:#x}")
}

pub(super) fn plain<T: Debug>(value: &T) -> String {
    format!("{value:?}")
}

fn describe<M: Machine>(completion: &Completion<M>) -> String {
    let opcode = completion.opcode.map_or("opcode ?".to_string(), |opcode| opcode.to_string());
    let syndrome = match completion.syndrome {
        Syndrome::None => String::new(),
        syndrome => format!(" {syndrome}"),
    };
    format!("{opcode} of wr_id {} with {}{syndrome}", completion.wr_id, completion.status)
}

impl<M: Machine> Runner<M> {
    fn next_completion(&mut self, cq: &str, limit: u64) -> Result<Option<Completion<M>>, Unmet> {
        self.wait(limit, |runner| runner.objects.cq(cq)?.poll().map_err(unexpected))
    }

    pub(super) fn completion(&mut self, body: &step::Completion) -> Outcome {
        let pair = body.qp.as_ref().map(|name| self.objects.pair(name)).transpose()?;
        let own = pair.map(|pair| if body.receive { &pair.receive_cq } else { &pair.send_cq });
        let cq = body.cq.as_ref().or(own).expect("checked with the file").clone();
        let qpn = pair.map(|pair| pair.qp.number());
        for number in 0..body.times {
            let limit = body.within.unwrap_or(PATIENCE);
            let Some(completion) = self.next_completion(&cq, limit)? else {
                let expected = format!("completion {} of {} with {}", number + 1, body.times, body.status.0);
                return Err(Unmet::new(expected, format!("none within {limit} cycles")));
            };
            let success = completion.is_success();
            let mut fields = Comparison::default();
            fields.field("status", Some(body.status.0), completion.status, |status| status.to_string());
            fields.field("syndrome", body.syndrome.map(|code| code.0), completion.syndrome, |code| code.to_string());
            fields.field("qpn", qpn, completion.qpn, hex);
            fields.field("receive", Some(body.receive), completion.receive, plain);
            fields.field("wr_id", body.wr_id.map(|id| id.wrapping_add(number.into())), completion.wr_id, plain);
            fields.field("opcode", body.opcode.map(|code| Some(code.0)), completion.opcode, plain);
            fields.field("slot", body.slot, completion.entry.slot, plain);
            fields.field("byte_len", body.byte_len.filter(|_| success), completion.byte_len, plain);
            let immediate = completion.immediate.map(|imm| imm.to_le_bytes().to_vec());
            fields.field("imm", body.imm.as_ref().map(|imm| Some(imm.0.clone())), immediate, plain);
            let invalidated = match (&body.invalidated, body.invalidated_key) {
                (Some(name), _) => Some(self.objects.mr(name)?.key()),
                (None, key) => key.map(|key| key.0 as u32),
            };
            fields.field("invalidated key", invalidated.map(Some), completion.invalidated_key, plain);
            fields.field("solicited", body.solicited, completion.solicited, plain);
            fields.outcome().map_err(|unmet| Unmet {
                expected: unmet.expected,
                found: format!("{} ({})", unmet.found, describe(&completion)),
            })?;
        }
        Ok(())
    }

    pub(super) fn no_completion(&mut self, body: &step::NoCompletion) -> Outcome {
        let limit = body.within.unwrap_or(PATIENCE / 10);
        match self.next_completion(&body.cq, limit)? {
            None => Ok(()),
            Some(completion) => Err(Unmet::new(format!("no completion on {}", body.cq), describe(&completion))),
        }
    }

    pub(super) fn probe(&mut self, body: &step::Probe) -> Outcome {
        let key = self.key(body.mr.as_deref(), body.key_byte, body.key.map(|key| key.0))?;
        let qpn = self.objects.qp(&body.qp)?.number();
        let needed = Access::from_bits(body.access.0);
        let found = self
            .nic_of(&body.qp)
            .device
            .probe(qpn, key, body.va.0, body.length, needed, body.remote)
            .map_err(unexpected)?;
        let show = |pieces: &[(u64, u32)]| {
            let pieces: Vec<_> = pieces.iter().map(|(bus, bytes)| format!("{bus:#x}+{bytes:#x}")).collect();
            format!("pieces [{}]", pieces.join(" "))
        };
        let found = match found {
            Probe::Refused(syndrome) => Err(syndrome),
            Probe::Granted(pieces) => Ok(pieces.iter().map(|piece| (piece.address, piece.bytes)).collect::<Vec<_>>()),
        };
        let expected = match (&body.pieces, body.syndrome) {
            (Some(pieces), _) => {
                let resolve = |(place, bytes): &(_, u32)| self.objects.resolve(place).map(|bus| (bus, *bytes));
                Ok(pieces.iter().map(resolve).collect::<Result<Vec<_>, _>>()?)
            }
            (None, syndrome) => Err(syndrome.map_or(Syndrome::None, |code| code.0)),
        };
        let text = |result: &Result<Vec<(u64, u32)>, Syndrome>| match result {
            Ok(pieces) => show(pieces),
            Err(syndrome) => syndrome.to_string(),
        };
        if expected == found {
            Ok(())
        } else {
            Err(Unmet::new(text(&expected), text(&found)))
        }
    }

    pub(super) fn query_mr(&mut self, body: &step::QueryMr) -> Outcome {
        let index = match (&body.mr, body.index) {
            (Some(name), _) => self.objects.mr(name)?.index(),
            (None, index) => index.unwrap_or(0),
        };
        let pd = body.pd.as_ref().map(|name| self.objects.pd(name)).transpose()?.map(|pd| pd.number());
        let nic = body.mr.as_ref().map_or_else(|| self.nic(body.nic.as_ref()), |name| self.nic_of(name));
        let found = nic.device.query_mr(index).map_err(unexpected)?;
        let mut fields = Comparison::default();
        fields.field("state", body.state.map(|code| code.0), found.state, |state| state.to_string());
        fields.field("type", body.kind.map(|code| code.0.code()), found.kind, plain);
        fields.field("key", body.key.map(|key| key.0 as u32), found.key, hex);
        fields.field("key byte", body.key_byte, found.key as u8, hex);
        fields
            .field("access", body.access.map(|bits| Access::from_bits(bits.0)), found.access, |bits| bits.to_string());
        fields.field("pd", pd, found.pd, plain);
        fields.field("page_shift", body.page_shift, found.page_shift, plain);
        fields.field("npages", body.npages, found.npages, plain);
        fields.field("max_pages", body.max_pages, found.max_pages, plain);
        fields.field("iova", body.iova.map(|number| number.0), found.iova, hex);
        fields.field("length", body.length.map(|number| number.0), found.length, hex);
        fields.field("fbo", body.fbo, found.fbo, hex);
        fields.field("generation", body.generation, found.generation, plain);
        fields.field("in_flight", body.in_flight, found.in_flight, plain);
        fields.outcome()
    }

    pub(super) fn query_qp(&mut self, body: &step::QueryQp) -> Outcome {
        let end = self.machine.cycle() + body.within.unwrap_or(0);
        loop {
            let found = self.objects.qp(&body.qp)?.query().map_err(unexpected)?;
            let mut fields = Comparison::default();
            fields.field("state", body.state.map(|code| code.0), found.state, |state| state.to_string());
            fields.field("drained", body.drained, found.drained, plain);
            fields.field("sq_retired", body.sq_retired, found.sq_retired, plain);
            fields.field("rq_used", body.rq_used, found.rq_used, plain);
            fields.field("in_flight", body.in_flight, found.in_flight, plain);
            fields.field("hpsn", body.hpsn, found.hpsn, plain);
            fields.field("una", body.una, found.una, plain);
            fields.field("epsn", body.epsn, found.epsn, plain);
            fields.field("msn", body.msn, found.msn, plain);
            let outcome = fields.outcome();
            if outcome.is_ok() || self.machine.cycle() >= end {
                return outcome;
            }
        }
    }

    pub(super) fn counter(&mut self, body: &step::Counter) -> Outcome {
        let device = &self.nic(body.nic.as_ref()).device;
        let found = match (body.syndrome, body.drop) {
            (Some(syndrome), _) => device.error_count(syndrome.0),
            (None, reason) => device.drop_count(reason.map_or(0, |reason| reason.0.code())),
        };
        let mut fields = Comparison::default();
        fields.field("count", Some(body.value), found.map_err(unexpected)?, plain);
        fields.outcome()
    }

    pub(super) fn event(&mut self, body: &step::Event) -> Outcome {
        let limit = body.within.unwrap_or(PATIENCE);
        let number = match (&body.cq, &body.qp) {
            (Some(cq), _) => Some(self.objects.cq(cq)?.number()),
            (None, Some(qp)) => Some(self.objects.qp(qp)?.number()),
            (None, None) => None,
        };
        let nic = self.nic_index_or(body.nic.as_ref(), body.cq.as_ref().or(body.qp.as_ref()));
        let event = self.wait(limit, |runner| runner.nics[nic].device.poll_event().map_err(unexpected))?;
        let Some(event) = event else {
            return Err(Unmet::new(format!("event {}", body.kind.0), format!("none within {limit} cycles")));
        };
        let mut fields = Comparison::default();
        fields.field("event", Some(body.kind.0), event.kind, |kind| kind.to_string());
        fields.field("number", number, event.number, hex);
        fields.field("detail", body.detail, event.detail, hex);
        fields.outcome()
    }

    pub(super) fn no_event(&mut self, body: &step::Within) -> Outcome {
        let limit = body.within.unwrap_or(PATIENCE / 10);
        let nic = self.nic_index(body.nic.as_ref());
        match self.wait(limit, |runner| runner.nics[nic].device.poll_event().map_err(unexpected))? {
            None => Ok(()),
            Some(event) => Err(Unmet::new("no event", format!("{} of {:#x}", event.kind, event.number))),
        }
    }
}
