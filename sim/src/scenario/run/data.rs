//! Steps that move data, and what is in memory before and after.

use super::super::machine::Machine;
use super::super::step::{self, AtomicWr, DataWr, Pattern, RemoteTable, SgeTable};
use super::super::value::Place;
use super::post::{post, Way};
use super::{Outcome, Runner, Unmet};
use crate::random::Random;
use rnic_abi::wqe::Sge;
use rnic_driver::{Data, Remote, SendExtra, SendRequest};

/// Stream of the bytes of a pattern among those of its seed.
const PATTERN: u64 = 20;

/// The random bytes of a seed.
pub(super) fn pattern(seed: u64, bytes: u64) -> Vec<u8> {
    let mut random = Random::new(seed, PATTERN);
    let words = std::iter::repeat_with(|| random.next().to_le_bytes());
    words.flatten().take(bytes as usize).collect()
}

/// Four bytes in wire order as a WQE has them.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

impl<M: Machine> Runner<M> {
    /// Pieces of local memory of a queue pair. Memory behind the local DMA lkey is lent to the device for the rest of the run.
    pub(super) fn sges(&self, qp: &str, tables: &[SgeTable]) -> Result<Vec<Sge>, Unmet> {
        tables.iter().map(|table| self.sge(qp, table)).collect()
    }

    fn sge(&self, qp: &str, table: &SgeTable) -> Result<Sge, Unmet> {
        let bytes = table.length.0;
        let too_long = |_| Unmet::new(format!("`length` of 0 to {} bytes", u32::MAX), bytes.to_string());
        let length = u32::try_from(bytes).map_err(too_long)?;
        if let Some(at) = &table.at {
            let (nic, address) = (self.nic_of(qp), self.objects.resolve(at)?);
            let beyond = || Unmet::new("`at` and `length` within 2^64", format!("{bytes} bytes at {address:#x}"));
            let end = address.checked_add(bytes).ok_or_else(beyond)?;
            if length > 0 {
                nic.machine.lend(address..end);
            }
            return Ok(Sge { address, length, lkey: nic.device.capabilities().local_dma_lkey });
        }
        let lkey = self.key(table.mr.as_deref(), None, table.key.map(|key| key.0))?;
        Ok(Sge { address: table.va.0, length, lkey })
    }

    pub(super) fn remote(&self, table: &RemoteTable) -> Result<Remote, Unmet> {
        let rkey = self.key(table.mr.as_deref(), None, table.key.map(|key| key.0))?;
        Ok(Remote { address: table.va.0, rkey })
    }

    pub(super) fn send(&mut self, body: &DataWr) -> Outcome {
        let invalidated = match (&body.invalidate, body.invalidate_key) {
            (Some(name), _) => Some(self.objects.mr(name)?.key()),
            (None, key) => key.map(|key| key.0 as u32),
        };
        let extra = match (&body.imm, invalidated) {
            (Some(imm), _) => SendExtra::Immediate(word(&imm.0)),
            (None, Some(key)) => SendExtra::Invalidate(key),
            (None, None) => SendExtra::None,
        };
        let sges = self.sges(&body.qp, &body.sges)?;
        self.data(body, &Data::Send { sges, extra })
    }

    pub(super) fn write(&mut self, body: &DataWr) -> Outcome {
        let remote = self.remote(body.remote.as_ref().expect("checked with the file"))?;
        let immediate = body.imm.as_ref().map(|imm| word(&imm.0));
        let sges = self.sges(&body.qp, &body.sges)?;
        self.data(body, &Data::Write { sges, remote, immediate })
    }

    pub(super) fn read(&mut self, body: &DataWr) -> Outcome {
        let remote = self.remote(body.remote.as_ref().expect("checked with the file"))?;
        let sges = self.sges(&body.qp, &body.sges)?;
        self.data(body, &Data::Read { sges, remote, invalidate: body.invalidate_sink })
    }

    fn data(&mut self, body: &DataWr, data: &Data) -> Outcome {
        for number in 0..body.times {
            let wr_id = self.wr_id(body.wr_id.map(|id| id.wrapping_add(number.into())));
            let mut request = SendRequest::data(wr_id, data.clone());
            request.signaled = body.signaled;
            request.fence = body.fence;
            request.solicited = body.solicited;
            let ring = body.ring && number + 1 == body.times;
            let way = Way { unchecked: body.unchecked, ring, errno: body.errno.map(|errno| errno.0) };
            post(self.objects.qp(&body.qp)?, request, way)?;
        }
        Ok(())
    }

    pub(super) fn cmp_swap(&mut self, body: &AtomicWr) -> Outcome {
        let (sge, remote) = (self.sge(&body.qp, &body.sge)?, self.remote(&body.remote)?);
        self.atomic(body, Data::CompareSwap { sge, remote, compare: body.compare.0, swap: body.swap.0 })
    }

    pub(super) fn fetch_add(&mut self, body: &AtomicWr) -> Outcome {
        let (sge, remote) = (self.sge(&body.qp, &body.sge)?, self.remote(&body.remote)?);
        self.atomic(body, Data::FetchAdd { sge, remote, add: body.add.0 })
    }

    fn atomic(&mut self, body: &AtomicWr, data: Data) -> Outcome {
        let mut request = SendRequest::data(self.wr_id(body.wr_id), data);
        request.signaled = body.signaled;
        request.fence = body.fence;
        let way = Way { unchecked: body.unchecked, ring: body.ring, errno: body.errno.map(|errno| errno.0) };
        post(self.objects.qp(&body.qp)?, request, way)
    }

    /// The bytes at a place.
    fn load(&self, at: &Place, bytes: u64) -> Result<Vec<u8>, Unmet> {
        let mut found = vec![0; bytes as usize];
        match self.objects.bytes(at, &mut found, false)? {
            true => Ok(found),
            false => Err(Unmet::new(format!("{bytes} bytes of memory at {at}"), "less is there")),
        }
    }

    fn wanted(&self, body: &Pattern) -> Result<Vec<u8>, Unmet> {
        match (&body.other, body.value) {
            (Some(other), _) => self.load(other, body.bytes.0),
            (None, Some(value)) => Ok(vec![value; body.bytes.0 as usize]),
            (None, None) => Ok(pattern(body.seed.unwrap_or(0), body.bytes.0)),
        }
    }

    pub(super) fn fill_memory(&mut self, body: &step::Pattern) -> Outcome {
        let mut bytes = self.wanted(body)?;
        match self.objects.bytes(&body.at, &mut bytes, true)? {
            true => Ok(()),
            false => Err(Unmet::new(format!("{} bytes of memory at {}", body.bytes.0, body.at), "less is there")),
        }
    }

    pub(super) fn compare_memory(&mut self, body: &step::Pattern) -> Outcome {
        let (wanted, found) = (self.wanted(body)?, self.load(&body.at, body.bytes.0)?);
        let differ = |(wanted, found): (&u8, &u8)| wanted != found;
        let Some(first) = wanted.iter().zip(&found).position(differ) else { return Ok(()) };
        let count = wanted.iter().zip(&found).filter(|pair| differ(*pair)).count();
        let text =
            |bytes: &[u8]| bytes.iter().skip(first).take(16).map(|byte| format!("{byte:02x}")).collect::<String>();
        let expected = format!("from byte {first:#x} behind {} on: {}", body.at, text(&wanted));
        Err(Unmet::new(expected, format!("{}; {count} of {} bytes differ", text(&found), wanted.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_repeat_and_the_longer_begins_with_the_shorter() {
        assert_eq!(pattern(1, 100)[..37], pattern(1, 37));
        assert_ne!(pattern(1, 8), pattern(2, 8));
        assert_eq!((pattern(3, 0).len(), word(&[1, 2, 3, 4])), (0, 0x0403_0201));
    }
}
