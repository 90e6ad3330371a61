//! Size and address of the next fetch of a send queue (rule T22): up to 8 posted slots, not beyond the end of the ring.
//!
//! Up to 2 for a queue pair that transfers data: when its turn ends (T20), what was fetched behind it is fetched again, and 8 slots
//! are 64 beats at DATA 64.
//!
//! Latency two cycles from the counts, one answer a cycle. A batch of 8 slots is 512 bytes and starts on a slot, so it
//! may cross a 4 KiB page only where the engine of `dma` splits it.
use rust_hdl::prelude::*;

/// Measures the next batch.
#[derive(LogicBlock)]
pub struct BatchSize {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Slots posted.
    pub posted: Signal<In, Bits<16>>,
    /// Slots fetched.
    pub fetched: Signal<In, Bits<16>>,
    /// Ring base in units of 4 KiB.
    pub base: Signal<In, Bits<40>>,
    /// Log2 of the slots of the ring.
    pub log2: Signal<In, Bits<4>>,
    /// Only a few slots, in the second cycle.
    pub few: Signal<In, Bit>,
    /// Slots of the batch, 0 to 8.
    pub slots: Signal<Out, Bits<4>>,
    /// More is posted behind the batch.
    pub more: Signal<Out, Bit>,
    /// Count of the first slot.
    pub first: Signal<Out, Bits<16>>,
    /// Slots fetched when the batch is.
    pub after: Signal<Out, Bits<16>>,
    /// Bus address of the first slot.
    pub address: Signal<Out, Bits<52>>,
    ahead: DFF<Bits<16>>,
    left: DFF<Bits<16>>,
    offset: DFF<Bits<16>>,
    start: DFF<Bits<16>>,
    page: DFF<Bits<40>>,
    size: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    ring_offset: Signal<Local, Bits<16>>,
    ring: Signal<Local, Bits<52>>,
    slot_number: Signal<Local, Bits<52>>,
    bytes: Signal<Local, Bits<52>>,
    first_count: DFF<Bits<16>>,
    where_to: DFF<Bits<52>>,
    count: DFF<Bits<4>>,
    follows: DFF<Bit>,
    step: Signal<Local, Bits<16>>,
    most: Signal<Local, Bits<16>>,
    one: Constant<Bits<16>>,
}

impl Default for BatchSize {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            posted: Default::default(),
            fetched: Default::default(),
            base: Default::default(),
            log2: Default::default(),
            few: Default::default(),
            slots: Default::default(),
            more: Default::default(),
            first: Default::default(),
            after: Default::default(),
            address: Default::default(),
            ahead: Default::default(),
            left: Default::default(),
            offset: Default::default(),
            start: Default::default(),
            page: Default::default(),
            size: Default::default(),
            mask: Default::default(),
            ring_offset: Default::default(),
            ring: Default::default(),
            slot_number: Default::default(),
            bytes: Default::default(),
            first_count: Default::default(),
            where_to: Default::default(),
            count: Default::default(),
            follows: Default::default(),
            step: Default::default(),
            most: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for BatchSize {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ahead, left, offset, start, page, first_count, where_to, count, follows);
        self.size.next = self.one.val() << self.log2.val();
        self.mask.next = self.size.val() - 1;
        self.ring_offset.next = self.fetched.val() & self.mask.val();
        self.ahead.d.next = self.posted.val() - self.fetched.val();
        self.left.d.next = self.size.val() - self.ring_offset.val();
        self.offset.d.next = self.ring_offset.val();
        self.start.d.next = self.fetched.val();
        self.page.d.next = self.base.val();

        self.most.next = 8.into();
        if self.few.val() {
            self.most.next = 2.into();
        }
        self.count.d.next = self.most.val().get_bits::<4>(0);
        self.follows.d.next = self.ahead.q.val() != self.most.val();
        if self.ahead.q.val() < self.most.val() {
            self.count.d.next = self.ahead.q.val().get_bits::<4>(0);
            self.follows.d.next = false;
        }
        if (self.left.q.val() < self.most.val()) & (self.left.q.val() < self.ahead.q.val()) {
            self.count.d.next = self.left.q.val().get_bits::<4>(0);
            self.follows.d.next = true;
        }
        self.ring.next = bit_cast::<52, 40>(self.page.q.val());
        self.slot_number.next = bit_cast::<52, 16>(self.offset.q.val());
        self.bytes.next = self.slot_number.val() << 6;
        self.where_to.d.next = (self.ring.val() << 12) + self.bytes.val();
        self.first_count.d.next = self.start.q.val();

        self.step.next = bit_cast::<16, 4>(self.count.q.val());
        self.after.next = self.first_count.q.val() + self.step.val();
        self.first.next = self.first_count.q.val();
        self.slots.next = self.count.q.val();
        self.more.next = self.follows.q.val();
        self.address.next = self.where_to.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    fn measure(uut: &mut BatchSize, posted: u64, fetched: u64, log2: u64) -> (u64, bool, u64, u64) {
        uut.posted.next = posted.into();
        uut.fetched.next = fetched.into();
        uut.log2.next = log2.into();
        uut.base.next = 0xAB_CDEF_0123_u64.into();
        for _ in 0..2 {
            tick(uut, |u| &mut u.clock);
        }
        assert_eq!(uut.first.val().to_u64(), fetched);
        (uut.slots.val().to_u64(), uut.more.val(), uut.after.val().to_u64(), uut.address.val().to_u64())
    }

    #[test]
    fn t22_every_batch_of_every_small_ring_is_what_arithmetic_says() {
        let mut uut = BatchSize::default();
        uut.connect_all();
        for log2 in 2..6 {
            let size = 1u64 << log2;
            for fetched in [0, 1, 5, size - 1, size, 3 * size + 2, 0xFFFF, 0xFFFA] {
                for (ahead, few) in (0..=size).flat_map(|ahead| [(ahead, false), (ahead, true)]) {
                    uut.few.next = few;
                    let posted = (fetched + ahead) & 0xFFFF;
                    let slots = ahead.min(if few { 2 } else { 8 }).min(size - fetched % size);
                    let expected =
                        (slots, slots < ahead, (fetched + slots) & 0xFFFF, 0xAB_CDEF_0123_000 + 64 * (fetched % size));
                    assert_eq!(measure(&mut uut, posted, fetched, log2), expected, "{posted} {fetched} {log2}");
                }
            }
        }
    }

    #[test]
    fn t22_the_largest_ring_is_addressed_to_its_end() {
        let mut uut = BatchSize::default();
        uut.connect_all();
        let last = 0x7FFF;
        assert_eq!(measure(&mut uut, last + 9, last, 15), (1, true, last + 1, 0xAB_CDEF_0123_000 + 64 * last));
    }
}
