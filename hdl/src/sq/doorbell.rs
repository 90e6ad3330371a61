//! Judges a write to an SQ or RQ doorbell (rule T4, B23): is it a count that this queue can have?
//!
//! A doorbell that is refused changes nothing and is counted by its reason. Besides a count that makes more than a ring
//! of slots pending, one that takes posted slots back is refused: the count only moves forward, and fetching relies on it.
//! Latency two cycles from the counts, one doorbell a cycle.
use rnic_abi::drop;
use rust_hdl::prelude::*;

/// Drop reasons of a doorbell, in order of rank.
#[derive(Copy, Clone, Debug)]
pub struct DoorbellReasons {
    /// No such queue pair.
    pub index: u8,
    /// Bits above the count are set.
    pub value: u8,
    /// The queue pair's state takes no posts.
    pub state: u8,
    /// More slots pending than the ring has, or posted slots taken back.
    pub count: u8,
}

/// Reasons of SQ doorbells.
pub const SQ_REASONS: DoorbellReasons = DoorbellReasons {
    index: drop::SQ_DOORBELL_INDEX,
    value: drop::SQ_DOORBELL_VALUE,
    state: drop::SQ_DOORBELL_STATE,
    count: drop::SQ_DOORBELL_COUNT,
};

/// Reasons of RQ doorbells.
pub const RQ_REASONS: DoorbellReasons = DoorbellReasons {
    index: drop::RQ_DOORBELL_INDEX,
    value: drop::RQ_DOORBELL_VALUE,
    state: drop::RQ_DOORBELL_STATE,
    count: drop::RQ_DOORBELL_COUNT,
};

/// Judges a doorbell against the counts of its queue.
#[derive(LogicBlock)]
pub struct DoorbellJudge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The register's value.
    pub value: Signal<In, Bits<32>>,
    /// There is no queue pair of the doorbell's number.
    pub unknown: Signal<In, Bit>,
    /// The queue pair's state takes posts.
    pub takes: Signal<In, Bit>,
    /// Slots posted so far.
    pub posted: Signal<In, Bits<16>>,
    /// Slots done with.
    pub done: Signal<In, Bits<16>>,
    /// Log2 of the slots of the ring.
    pub log2: Signal<In, Bits<4>>,
    /// The value is the new count of posted slots.
    pub accepted: Signal<Out, Bit>,
    /// Why not, if not.
    pub reason: Signal<Out, Bits<8>>,
    bad_index: DFF<Bit>,
    bad_value: DFF<Bit>,
    bad_state: DFF<Bit>,
    pending_before: DFF<Bits<16>>,
    pending_after: DFF<Bits<16>>,
    size: DFF<Bits<16>>,
    accept: DFF<Bit>,
    why: DFF<Bits<8>>,
    one: Constant<Bits<16>>,
    index_reason: Constant<Bits<8>>,
    value_reason: Constant<Bits<8>>,
    state_reason: Constant<Bits<8>>,
    count_reason: Constant<Bits<8>>,
}

impl DoorbellJudge {
    /// A judge that answers with these reasons.
    pub fn new(reasons: DoorbellReasons) -> Self {
        Self {
            clock: Default::default(),
            value: Default::default(),
            unknown: Default::default(),
            takes: Default::default(),
            posted: Default::default(),
            done: Default::default(),
            log2: Default::default(),
            accepted: Default::default(),
            reason: Default::default(),
            bad_index: Default::default(),
            bad_value: Default::default(),
            bad_state: Default::default(),
            pending_before: Default::default(),
            pending_after: Default::default(),
            size: Default::default(),
            accept: Default::default(),
            why: Default::default(),
            one: Constant::new(1.into()),
            index_reason: Constant::new(reasons.index.to_bits()),
            value_reason: Constant::new(reasons.value.to_bits()),
            state_reason: Constant::new(reasons.state.to_bits()),
            count_reason: Constant::new(reasons.count.to_bits()),
        }
    }
}

impl Logic for DoorbellJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, bad_index, bad_value, bad_state, pending_before, pending_after, size, accept, why);
        // Pending slots before and after; modulo 2^16, as all counts are.
        self.bad_index.d.next = self.unknown.val();
        self.bad_value.d.next = self.value.val().get_bits::<16>(16).any();
        self.bad_state.d.next = !self.takes.val();
        self.pending_before.d.next = self.posted.val() - self.done.val();
        self.pending_after.d.next = self.value.val().get_bits::<16>(0) - self.done.val();
        self.size.d.next = self.one.val() << self.log2.val();

        self.accept.d.next = true;
        self.why.d.next = 0.into();
        if (self.pending_after.q.val() > self.size.q.val()) | (self.pending_after.q.val() < self.pending_before.q.val())
        {
            self.accept.d.next = false;
            self.why.d.next = self.count_reason.val();
        }
        if self.bad_state.q.val() {
            self.accept.d.next = false;
            self.why.d.next = self.state_reason.val();
        }
        if self.bad_value.q.val() {
            self.accept.d.next = false;
            self.why.d.next = self.value_reason.val();
        }
        if self.bad_index.q.val() {
            self.accept.d.next = false;
            self.why.d.next = self.index_reason.val();
        }
        self.accepted.next = self.accept.q.val();
        self.reason.next = self.why.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    const REASONS: DoorbellReasons = DoorbellReasons { index: 1, value: 2, state: 3, count: 4 };

    /// Verdict on `value` for a queue of 16 slots: 0 or the reason.
    fn judge(value: u64, posted: u64, done: u64, takes: bool, unknown: bool) -> u64 {
        let mut uut = DoorbellJudge::new(REASONS);
        uut.connect_all();
        uut.value.next = value.into();
        uut.posted.next = posted.into();
        uut.done.next = done.into();
        uut.takes.next = takes;
        uut.unknown.next = unknown;
        uut.log2.next = 4.into();
        for _ in 0..2 {
            tick(&mut uut, |u| &mut u.clock);
        }
        let reason = uut.reason.val().to_u64();
        assert_eq!(uut.accepted.val(), reason == 0);
        reason
    }

    #[test]
    fn t4_a_full_ring_may_be_pending_and_one_slot_more_is_dropped() {
        for (posted, done) in [(0, 0), (3, 3), (7, 3), (0xFFFE, 0xFFF9), (2, 0xFFF9)] {
            let full = (done + 16) & 0xFFFF;
            assert_eq!(judge(full, posted, done, true, false), 0, "{posted} {done}");
            assert_eq!(judge((full + 1) & 0xFFFF, posted, done, true, false), 4, "{posted} {done}");
        }
    }

    #[test]
    fn t4_a_count_that_goes_back_is_dropped_and_the_same_count_is_not() {
        for (posted, done) in [(7, 3), (2, 0xFFF9)] {
            assert_eq!(judge(posted, posted, done, true, false), 0);
            assert_eq!(judge((posted - 1) & 0xFFFF, posted, done, true, false), 4);
            assert_eq!(judge((done - 1) & 0xFFFF, posted, done, true, false), 4);
        }
    }

    #[test]
    fn t4_b23_a_state_without_posts_drops() {
        assert_eq!(judge(1, 0, 0, false, false), 3);
    }

    #[test]
    fn t4_bits_above_the_count_and_unknown_queues_drop() {
        assert_eq!(judge(0x1_0001, 0, 0, true, false), 2);
        assert_eq!(judge(0x8000_0001, 0, 0, false, false), 2);
        assert_eq!(judge(0x1_0001, 0, 0, false, true), 1);
    }
}
