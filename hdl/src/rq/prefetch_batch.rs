//! Size and address of the next fetch of a receive queue (rule T57): what is posted and finds room, not beyond the end of the ring.
//!
//! Nothing is fetched before half of the room is free: so the WQEs of a busy queue come in batches, and not one by one. What is
//! left then waits in the ring until the next one is used. Latency three cycles from the counts, one answer a cycle.
use rust_hdl::prelude::*;

/// Measures the next batch of a queue with room for DEPTH WQEs.
#[derive(LogicBlock)]
pub struct ReceiveBatch<const DEPTH: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Slots posted.
    pub posted: Signal<In, Bits<16>>,
    /// Slots asked for.
    pub asked: Signal<In, Bits<16>>,
    /// Slots used by messages.
    pub taken: Signal<In, Bits<16>>,
    /// Ring base in units of 4 KiB.
    pub base: Signal<In, Bits<40>>,
    /// Log2 of the slots of the ring.
    pub log2: Signal<In, Bits<4>>,
    /// Slots of the batch, 0 to DEPTH.
    pub slots: Signal<Out, Bits<5>>,
    /// Another batch can follow at once.
    pub more: Signal<Out, Bit>,
    /// Count of the first slot.
    pub first: Signal<Out, Bits<16>>,
    /// Slots asked for when the batch is.
    pub after: Signal<Out, Bits<16>>,
    /// Bus address of the first slot.
    pub address: Signal<Out, Bits<52>>,
    ahead: DFF<Bits<16>>,
    spare: DFF<Bits<16>>,
    left: DFF<Bits<16>>,
    offset: DFF<Bits<16>>,
    start: DFF<Bits<16>>,
    page: DFF<Bits<40>>,
    wanted: DFF<Bits<16>>,
    till_end: DFF<Bits<16>>,
    start_later: DFF<Bits<16>>,
    where_to: DFF<Bits<52>>,
    count: DFF<Bits<16>>,
    follows: DFF<Bit>,
    first_count: DFF<Bits<16>>,
    place: DFF<Bits<52>>,
    size: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    held: Signal<Local, Bits<16>>,
    ring_offset: Signal<Local, Bits<16>>,
    ring: Signal<Local, Bits<52>>,
    bytes: Signal<Local, Bits<52>>,
    cut: Signal<Local, Bit>,
    one: Constant<Bits<16>>,
    depth: Constant<Bits<16>>,
    half: Constant<Bits<16>>,
}

impl<const DEPTH: usize> Default for ReceiveBatch<DEPTH> {
    fn default() -> Self {
        assert!([2, 4, 8, 16].contains(&DEPTH), "{DEPTH} receive WQEs");
        Self {
            clock: Default::default(),
            posted: Default::default(),
            asked: Default::default(),
            taken: Default::default(),
            base: Default::default(),
            log2: Default::default(),
            slots: Default::default(),
            more: Default::default(),
            first: Default::default(),
            after: Default::default(),
            address: Default::default(),
            ahead: Default::default(),
            spare: Default::default(),
            left: Default::default(),
            offset: Default::default(),
            start: Default::default(),
            page: Default::default(),
            wanted: Default::default(),
            till_end: Default::default(),
            start_later: Default::default(),
            where_to: Default::default(),
            count: Default::default(),
            follows: Default::default(),
            first_count: Default::default(),
            place: Default::default(),
            size: Default::default(),
            mask: Default::default(),
            held: Default::default(),
            ring_offset: Default::default(),
            ring: Default::default(),
            bytes: Default::default(),
            cut: Default::default(),
            one: Constant::new(1.into()),
            depth: Constant::new(DEPTH.to_bits()),
            half: Constant::new((DEPTH / 2).to_bits()),
        }
    }
}

impl<const DEPTH: usize> Logic for ReceiveBatch<DEPTH> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ahead, spare, left, offset, start, page, wanted, till_end, start_later, where_to);
        dff_setup!(self, clock, count, follows, first_count, place);
        // Differences.
        self.size.next = self.one.val() << self.log2.val();
        self.mask.next = self.size.val() - 1;
        self.ring_offset.next = self.asked.val() & self.mask.val();
        self.held.next = self.asked.val() - self.taken.val();
        self.ahead.d.next = self.posted.val() - self.asked.val();
        self.spare.d.next = self.depth.val() - self.held.val();
        self.left.d.next = self.size.val() - self.ring_offset.val();
        self.offset.d.next = self.ring_offset.val();
        self.start.d.next = self.asked.val();
        self.page.d.next = self.base.val();
        // The smaller of what is posted and what finds room; address.
        self.wanted.d.next = self.spare.q.val();
        if self.ahead.q.val() < self.spare.q.val() {
            self.wanted.d.next = self.ahead.q.val();
        }
        if self.spare.q.val() < self.half.val() {
            self.wanted.d.next = 0.into();
        }
        self.till_end.d.next = self.left.q.val();
        self.start_later.d.next = self.start.q.val();
        self.ring.next = bit_cast::<52, 40>(self.page.q.val());
        self.bytes.next = bit_cast::<52, 16>(self.offset.q.val());
        self.where_to.d.next = (self.ring.val() << 12) + (self.bytes.val() << 6);
        // The end of the ring.
        self.cut.next = self.till_end.q.val() < self.wanted.q.val();
        self.count.d.next = self.wanted.q.val();
        if self.cut.val() {
            self.count.d.next = self.till_end.q.val();
        }
        self.follows.d.next = self.cut.val();
        self.first_count.d.next = self.start_later.q.val();
        self.place.d.next = self.where_to.q.val();

        self.slots.next = self.count.q.val().get_bits::<5>(0);
        self.more.next = self.follows.q.val();
        self.first.next = self.first_count.q.val();
        self.after.next = self.first_count.q.val() + self.count.q.val();
        self.address.next = self.place.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn t57_every_batch_of_every_small_ring_is_what_arithmetic_says() {
        let mut uut = ReceiveBatch::<4>::default();
        uut.connect_all();
        for log2 in 2..6 {
            let size = 1u64 << log2;
            for asked in [0, 1, 5, size - 1, size, 3 * size + 2, 0xFFFF, 0xFFFA] {
                for ahead in 0..=size {
                    for held in 0..=4u64 {
                        uut.posted.next = ((asked + ahead) & 0xFFFF).into();
                        uut.asked.next = asked.into();
                        uut.taken.next = (asked.wrapping_sub(held) & 0xFFFF).into();
                        uut.log2.next = log2.into();
                        uut.base.next = 0xAB_CDEF_0123_u64.into();
                        for _ in 0..3 {
                            tick(&mut uut, |u| &mut u.clock);
                        }
                        let wanted = if 4 - held < 2 { 0 } else { ahead.min(4 - held) };
                        let left = size - asked % size;
                        let slots = wanted.min(left);
                        let seen = (uut.slots.val().to_u64(), uut.more.val(), uut.after.val().to_u64());
                        let expected = (slots, left < wanted, (asked + slots) & 0xFFFF);
                        assert_eq!(seen, expected, "{log2} {asked} {ahead} {held}");
                        assert_eq!(uut.first.val().to_u64(), asked);
                        assert_eq!(uut.address.val().to_u64(), 0xAB_CDEF_0123_000 + 64 * (asked % size));
                    }
                }
            }
        }
    }
}
