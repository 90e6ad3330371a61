//! What the device may do with a completion queue: entries in order, in free places, whole, with the right phase (D17, I6).
use super::problem::{check, Problem};
use super::ring::Ring;
use super::write_data::WriteShape;
use crate::host::OKAY;
use rnic_abi::cqe::{self, Cqe};
use std::collections::VecDeque;

/// A completion queue as the driver made it.
#[derive(Debug)]
pub(super) struct CompletionQueue {
    pub cqn: u32,
    pub ring: Ring,
    written: u64,
    consumed: u64,
    on_the_way: VecDeque<u64>,
    /// An entry could not be written: the driver never gets past the hole, so what follows tells nobody anything (D17).
    broken: bool,
}

impl CompletionQueue {
    pub fn new(cqn: u32, base: u64, log2: u32) -> Self {
        let ring = Ring { base, log2, entry: cqe::BYTES as u64 };
        Self { cqn, ring, written: 0, consumed: 0, on_the_way: VecDeque::new(), broken: false }
    }

    /// A doorbell: free-running count of entries consumed, 24 bits. More than was written is dropped by the device.
    pub fn doorbell(&mut self, count: u32) {
        let ahead = u64::from(count.wrapping_sub(self.consumed as u32) & 0xFF_FFFF);
        if self.consumed + ahead <= self.written {
            self.consumed += ahead;
        }
    }

    /// The address of a CQE write; answers its place in the ring.
    pub fn write(&mut self, address: u64) -> Result<u32, Problem> {
        let expected = self.ring.address(self.written);
        let cqn = self.cqn;
        check!(address == expected, "I6", "a CQE of CQ {cqn} at {address:013x} instead of {expected:013x}");
        let unconsumed = self.written - self.consumed;
        check!(unconsumed < self.ring.size(), "D17", "a CQE overwrites an unconsumed one: CQ {cqn}, {address:013x}");
        self.on_the_way.push_back(self.written);
        self.written += 1;
        Ok(self.ring.index(self.written - 1))
    }

    /// Address and data of a CQE write.
    pub fn shape(&self, shape: &WriteShape) -> Result<(), Problem> {
        let whole = shape.bytes == cqe::BYTES as u64 && shape.address % cqe::BYTES as u64 == 0;
        check!(whole, "I6", "a CQE of {} bytes instead of one burst of 32: {}", shape.bytes, shape.burst);
        Ok(())
    }

    /// The response of a CQE write. Answers the CQE, unless the write failed or one before it did.
    pub fn done(&mut self, response: u8, bytes: &[u8; cqe::BYTES]) -> Result<Option<Cqe>, Problem> {
        let Some(count) = self.on_the_way.pop_front() else { return Ok(None) };
        self.broken |= response != OKAY;
        if self.broken {
            return Ok(None);
        }
        let entry = Cqe::decode(bytes);
        let (expected, cqn, index) = (self.ring.phase(count), self.cqn, self.ring.index(count));
        check!(entry.phase == expected, "I6", "CQE {index} of CQ {cqn} has phase {}", entry.phase as u8);
        let unnamed = cqe::OWNER.get(bytes) as u32 & !cqe::PHASE
            | u32::from_le_bytes([bytes[20], bytes[21], bytes[22], bytes[23]]);
        check!(unnamed == 0, "I6", "CQE {index} of CQ {cqn} has bits in unnamed fields");
        Ok(Some(entry))
    }

    /// No CQE is on its way.
    pub fn is_idle(&self) -> bool {
        self.on_the_way.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(phase: bool) -> [u8; 32] {
        Cqe { phase, ..Cqe::default() }.encode()
    }

    #[test]
    fn d17_an_entry_is_written_again_only_after_it_was_consumed() {
        let mut cq = CompletionQueue::new(1, 0x1000, 2);
        for n in 0..4 {
            assert_eq!(cq.write(0x1000 + 32 * n).unwrap(), n as u32);
        }
        assert_eq!(cq.write(0x1000).unwrap_err().rule, "D17");
        cq.doorbell(5);
        assert_eq!(cq.write(0x1000).unwrap_err().rule, "D17", "that doorbell is dropped");
        cq.doorbell(1);
        assert_eq!(cq.write(0x1000).unwrap(), 0);
    }

    #[test]
    fn d17_behind_an_entry_that_could_not_be_written_nothing_counts() {
        let mut cq = CompletionQueue::new(1, 0x1000, 2);
        for n in 0..2 {
            cq.write(0x1000 + 32 * n).unwrap();
        }
        assert!(cq.done(crate::host::SLVERR, &bytes(true)).unwrap().is_none());
        assert!(cq.done(OKAY, &bytes(true)).unwrap().is_none());
    }

    #[test]
    fn i6_entries_come_in_order_with_the_phase_of_their_round() {
        let mut cq = CompletionQueue::new(1, 0x1000, 2);
        assert_eq!(cq.write(0x1020).unwrap_err().rule, "I6");
        for n in 0..5 {
            cq.write(0x1000 + 32 * (n % 4)).unwrap();
            cq.doorbell(n as u32 + 1);
        }
        for _ in 0..4 {
            assert!(cq.done(OKAY, &bytes(true)).unwrap().is_some());
        }
        assert_eq!(cq.done(OKAY, &bytes(true)).unwrap_err().rule, "I6");
    }
}
