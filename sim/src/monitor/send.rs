//! What the device may do with a send queue: fetch what is posted, in order; complete in order, once, nothing forgotten.
use super::problem::{check, Problem};
use super::ring::Ring;
use rnic_abi::wqe::{self, Slot};
use rnic_abi::{opcode, status};
use std::collections::VecDeque;

/// A WQE as far as the monitor needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Posted {
    pub opcode: u8,
    pub flags: u8,
    pub blocks: u8,
    pub key: u32,
}

/// A WR that has ended, with or without CQE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// Free-running count of its slot.
    pub count: u64,
    /// What was posted; `None` when the fetch failed.
    pub posted: Option<Posted>,
    pub success: bool,
}

/// A send queue as the driver made it. All counts of slots run free.
#[derive(Debug)]
pub(super) struct SendQueue {
    pub ring: Ring,
    pub qp: u32,
    signal_all: bool,
    posted: u64,
    asked: u64,
    /// Counts of the slots that have been asked for and have not arrived, in the order in which they will.
    coming: VecDeque<u64>,
    retired: u64,
    /// `retired` when slots were last asked for.
    settled: u64,
    /// Slots that have arrived, from `retired` on.
    arrived: VecDeque<Option<Posted>>,
    /// Where the last WR that completed went on to a second slot.
    second: Option<u64>,
    /// There has been a data transfer: from then on what is fetched may be dropped and read again (T22, T42, T73).
    transfers: bool,
    /// The queue pair is in ERR: what has been read may be read again to be flushed (T73).
    failed: bool,
}

impl SendQueue {
    pub fn new(qp: u32, base: u64, log2: u32, signal_all: bool) -> Self {
        let ring = Ring { base, log2, entry: wqe::BYTES as u64 };
        let (coming, arrived) = (VecDeque::new(), VecDeque::new());
        Self {
            ring,
            qp,
            signal_all,
            posted: 0,
            asked: 0,
            coming,
            retired: 0,
            settled: 0,
            arrived,
            second: None,
            transfers: false,
            failed: false,
        }
    }

    /// A doorbell: free-running count of slots posted, 16 bits. The device drops one that makes too many slots pending
    /// (T4). Slots without CQE may have retired unseen, so the newest that can have retired counts.
    pub fn doorbell(&mut self, count: u16) {
        let ahead = |from: u64| u64::from(count.wrapping_sub(from as u16));
        let posted = self.retired + ahead(self.retired);
        let fits = ahead(self.retired) <= self.ring.size() || ahead(self.asked) <= self.ring.size();
        if fits && posted <= self.asked + self.ring.size() {
            self.posted = self.posted.max(posted);
        }
    }

    /// The queue pair is in ERR.
    pub fn in_error(&mut self) {
        self.failed = true;
    }

    /// True when a read of this address is the next one.
    pub fn is_next(&self, address: u64) -> bool {
        address == self.ring.address(self.asked)
    }

    /// The device reads slots. Answers the first slot's count and the number of slots, and what has ended by that: a slot
    /// that is posted again has retired.
    pub fn fetch(&mut self, address: u64, bytes: u64) -> Result<(u64, u64, Vec<Ended>), Problem> {
        if let Some(count) = self.rewound(address) {
            self.asked = count;
        }
        let (qp, expected) = (self.qp, self.ring.address(self.asked));
        check!(address == expected, "D1", "QP {qp} fetches slots at {address:013x} instead of {expected:013x}");
        let count = bytes / self.ring.entry;
        check!(bytes % self.ring.entry == 0, "D1", "QP {qp} fetches a part of a slot at {address:013x}");
        let (first, end) = (self.asked, self.asked + count);
        check!(end <= self.posted, "I11", "QP {qp} fetches {} slots that are not posted", end - self.posted);
        self.asked = end;
        self.coming.extend(first..end);
        let mut ended = vec![];
        while end > self.retired + self.ring.size() {
            self.retire(true, &mut ended)?;
        }
        self.settled = self.retired;
        Ok((first, count, ended))
    }

    /// The count of a slot that is read again: something must be sent again (T42), or the rest is flushed (T73). Only where
    /// there have been data transfers or in ERR. Where to begin again is decided before it is read: what was acknowledged and
    /// retired in between may be read once more, and nothing of it is used.
    fn rewound(&self, address: u64) -> Option<u64> {
        let again = || (self.settled..self.asked).rev().find(|count| self.ring.address(*count) == address);
        // Of a ring that is full and wholly fetched, the next slot and the oldest are one.
        let next = self.is_next(address) && self.asked < self.posted;
        ((self.transfers || self.failed) && !next).then(again).flatten()
    }

    /// Whether the slot of this count has arrived before, or has even retired.
    pub fn has_arrived(&self, count: u64) -> bool {
        count < self.retired + self.arrived.len() as u64
    }

    /// A slot has arrived; `None` when its read failed.
    pub fn arrive(&mut self, slot: Option<&Slot>) -> Option<Posted> {
        let posted = slot.map(|slot| Posted {
            opcode: wqe::OPCODE.get(slot) as u8,
            flags: wqe::FLAGS.get(slot) as u8,
            blocks: wqe::BLOCKS.get(slot) as u8,
            key: wqe::KEY.get(slot) as u32,
        });
        self.transfers |= posted.is_some_and(|posted| posted.opcode < opcode::REG_MR);
        let count = self.coming.pop_front()?;
        if !self.has_arrived(count) {
            self.arrived.push_back(posted);
        }
        posted
    }

    /// Free-running count of the slot that arrives next.
    pub fn arriving(&self) -> Option<u64> {
        self.coming.front().copied()
    }

    /// A CQE of this queue. Answers every WR that has ended with it, oldest first.
    pub fn complete(&mut self, slot: u32, code: u8) -> Result<Vec<Ended>, Problem> {
        let qp = self.qp;
        check!(u64::from(slot) < self.ring.size(), "I6", "CQE of QP {qp} slot {slot}: there is no such slot");
        let ahead = (u64::from(slot)).wrapping_sub(self.retired) & (self.ring.size() - 1);
        let count = self.retired + ahead;
        check!(
            count < self.retired + self.arrived.len() as u64,
            "I6",
            "CQE of QP {qp} slot {slot}, which is not in flight: completed twice, out of order, or never fetched"
        );
        let mut ended = vec![];
        while self.retired < count {
            self.retire(true, &mut ended)?;
        }
        self.retire_one(code == status::SUCCESS, &mut ended);
        Ok(ended)
    }

    /// Nothing of this queue is being fetched.
    pub fn is_idle(&self) -> bool {
        self.coming.is_empty()
    }

    /// The oldest slot has ended without a CQE, which only success may do, and only unsignalled.
    fn retire(&mut self, success: bool, ended: &mut Vec<Ended>) -> Result<(), Problem> {
        let second = self.second == Some(self.retired);
        if let (Some(Some(posted)), false) = (self.arrived.front(), second) {
            let signalled = self.signal_all || posted.flags & wqe::FLAG_SIGNALLED != 0;
            let slot = self.ring.index(self.retired);
            check!(!signalled, "I6", "signalled WR of QP {} slot {slot} has ended without CQE", self.qp);
        }
        self.retire_one(success, ended);
        Ok(())
    }

    fn retire_one(&mut self, success: bool, ended: &mut Vec<Ended>) {
        let posted = self.arrived.pop_front().flatten();
        let second = self.second.take() == Some(self.retired);
        if posted.is_some_and(|posted| posted.blocks == 2 && posted.opcode < opcode::REG_MR) && !second {
            self.second = Some(self.retired + 1);
        }
        if !second {
            ended.push(Ended { count: self.retired, posted, success });
        }
        self.retired += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::wqe::LocalInv;

    fn queue() -> SendQueue {
        SendQueue::new(3, 0x10_0000, 2, false)
    }

    fn slot(flags: u8) -> Slot {
        LocalInv { flags, key: 0x100 }.encode()
    }

    fn post(queue: &mut SendQueue, total: u16, flags: &[u8]) {
        queue.doorbell(total);
        for flags in flags {
            let address = queue.ring.address(queue.asked);
            queue.fetch(address, 64).unwrap();
            queue.arrive(Some(&slot(*flags)));
        }
    }

    #[test]
    fn i11_only_posted_slots_are_fetched() {
        let mut queue = queue();
        assert_eq!(queue.fetch(0x10_0000, 64).unwrap_err().rule, "I11");
        queue.doorbell(2);
        assert_eq!(queue.fetch(0x10_0040, 64).unwrap_err().rule, "D1");
        assert_eq!(queue.fetch(0x10_0000, 192).unwrap_err().rule, "I11");
        assert_eq!(queue.fetch(0x10_0000, 128).unwrap(), (0, 2, vec![]));
        assert!(!queue.is_idle());
    }

    #[test]
    fn i6_a_wr_completes_once() {
        let mut queue = queue();
        post(&mut queue, 2, &[1, 1]);
        assert_eq!(queue.complete(0, 0).unwrap().len(), 1);
        assert_eq!(queue.complete(0, 0).unwrap_err().rule, "I6");
        assert!(queue.complete(1, 5).unwrap().iter().all(|wr| !wr.success));
        assert_eq!(queue.complete(1, 5).unwrap_err().rule, "I6");
        assert_eq!(queue.complete(7, 0).unwrap_err().rule, "I6");
    }

    #[test]
    fn i6_only_unsignalled_wrs_may_be_passed_over() {
        let mut queue = queue();
        post(&mut queue, 4, &[0, 1, 0, 1]);
        assert_eq!(queue.complete(1, 0).unwrap().len(), 2);
        assert_eq!(queue.complete(3, 0).unwrap().iter().map(|wr| wr.count).collect::<Vec<_>>(), [2, 3]);
        post(&mut queue, 6, &[1, 1]);
        assert_eq!(queue.complete(1, 0).unwrap_err().rule, "I6");
    }

    #[test]
    fn a_slot_that_is_posted_again_has_retired_unseen() {
        let mut queue = queue();
        post(&mut queue, 4, &[0; 4]);
        post(&mut queue, 6, &[0, 1]);
        let ended = queue.complete(1, 0).unwrap();
        assert_eq!(ended.iter().map(|wr| wr.count).collect::<Vec<_>>(), [2, 3, 4, 5]);
    }

    #[test]
    fn t4_a_doorbell_of_too_many_slots_posts_nothing() {
        let mut queue = queue();
        queue.doorbell(5);
        assert_eq!(queue.fetch(0x10_0000, 64).unwrap_err().rule, "I11");
    }

    #[test]
    fn the_second_slot_of_a_data_wr_needs_no_cqe() {
        let mut queue = queue();
        let mut wide = slot(1);
        (wide[0], wide[2]) = (opcode::SEND, 2);
        queue.doorbell(3);
        queue.fetch(0x10_0000, 192).unwrap();
        queue.arrive(Some(&wide));
        queue.arrive(Some(&[1; 64]));
        queue.arrive(Some(&slot(1)));
        assert_eq!(queue.complete(0, 0).unwrap().len(), 1);
        assert_eq!(queue.complete(2, 0).unwrap().len(), 1);
    }

    #[test]
    fn t42_slots_are_read_again_when_data_must_be_sent_again() {
        let data = |opcode| {
            let mut slot = slot(0);
            slot[0] = opcode;
            slot
        };
        let mut queue = queue();
        let address = |count: u64| 0x10_0000 + 64 * (count % 4);
        queue.doorbell(4);
        queue.fetch(address(0), 128).unwrap();
        queue.arrive(Some(&slot(1)));
        assert!(queue.fetch(address(0), 64).is_err(), "nothing is sent again before something was sent");
        queue.arrive(Some(&data(opcode::WRITE)));
        queue.fetch(address(2), 64).unwrap();
        // The third is on its way when the second is asked for again.
        queue.fetch(address(1), 192).unwrap();
        let mut counts = vec![];
        while let Some(count) = queue.arriving() {
            counts.push(count);
            queue.arrive(Some(&data(opcode::WRITE)));
        }
        assert_eq!(counts, [2, 1, 2, 3]);
        assert!(queue.is_idle());
        let ended: Vec<u64> = queue.complete(0, 0).unwrap().iter().map(|wr| wr.count).collect();
        assert_eq!(ended, [0]);
        assert_eq!(queue.complete(1, 0).unwrap().len(), 1);
        queue.fetch(address(1), 192).expect("it has retired after this was decided");
        for _ in 1..4 {
            queue.arrive(Some(&data(opcode::WRITE)));
        }
        assert!(queue.fetch(address(1), 64).is_err(), "what had retired by then is not read again");
        assert!(queue.complete(1, 0).is_err(), "and does not complete again");
        assert_eq!(queue.complete(3, 0).unwrap().len(), 2);
    }

    #[test]
    fn t73_what_is_behind_a_transfer_may_be_read_again_to_be_flushed() {
        let again = |first| {
            let mut queue = queue();
            queue.doorbell(3);
            queue.fetch(0x10_0000, 192).unwrap();
            queue.arrive(Some(&first));
            queue.arrive(Some(&slot(0)));
            queue.arrive(Some(&slot(0)));
            queue.complete(0, status::SUCCESS).unwrap();
            queue.fetch(0x10_0040, 128)
        };
        let mut data = slot(0);
        data[0] = opcode::WRITE;
        assert!(again(data).is_ok());
        assert!(again(slot(0)).is_err());
    }

    #[test]
    fn t73_the_marker_of_a_drain_may_be_read_again_in_err_only() {
        let mut queue = queue();
        post(&mut queue, 1, &[1]);
        assert_eq!(queue.fetch(0x10_0000, 64).unwrap_err().rule, "D1");
        queue.in_error();
        assert_eq!(queue.fetch(0x10_0000, 64).unwrap().0, 0);
    }
}
