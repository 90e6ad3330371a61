//! Arithmetic of the atomics (T66): the number in memory, the number to write, and the lanes of the bus.
//!
//! Latency two cycles from beat to result. Numbers are little-endian in memory, so they stand in their lanes as they are.
use super::AtomicJob;
use rust_hdl::prelude::*;

/// Compare and swap, fetch and add, on a bus of DATA bits.
#[derive(LogicBlock)]
pub struct AtomicOperate<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The job; stable.
    pub job: Signal<In, AtomicJob>,
    /// Bus address of the number; stable.
    pub address: Signal<In, Bits<52>>,
    /// Beat that holds the number; stable.
    pub beat: Signal<In, Bits<DATA>>,
    /// The number in memory, one cycle later.
    pub value: Signal<Out, Bits<64>>,
    /// There is a number to write, two cycles later.
    pub writes: Signal<Out, Bit>,
    /// Beat to write: the number in all lanes.
    pub spread: Signal<Out, Bits<DATA>>,
    number: DFF<Bits<64>>,
    after: DFF<Bits<64>>,
    changes: DFF<Bit>,
    known: Signal<Local, AtomicJob>,
    lane: Signal<Local, Bits<10>>,
    bit_number: Signal<Local, Bits<10>>,
    moved: Signal<Local, Bits<DATA>>,
    copy: Signal<Local, Bits<DATA>>,
    copies: Signal<Local, Bits<DATA>>,
    lanes: Constant<Bits<10>>,
    shifts: [Constant<Bits<11>>; 8],
}

impl<const DATA: usize> Default for AtomicOperate<DATA> {
    fn default() -> Self {
        assert!([64, 128, 256, 512].contains(&DATA), "a bus of {DATA} bits");
        Self {
            clock: Default::default(),
            job: Default::default(),
            address: Default::default(),
            beat: Default::default(),
            value: Default::default(),
            writes: Default::default(),
            spread: Default::default(),
            number: Default::default(),
            after: Default::default(),
            changes: Default::default(),
            known: Default::default(),
            lane: Default::default(),
            bit_number: Default::default(),
            moved: Default::default(),
            copy: Default::default(),
            copies: Default::default(),
            lanes: Constant::new((DATA / 8 - 1).to_bits()),
            shifts: std::array::from_fn(|i| Constant::new((64 * i).to_bits())),
        }
    }
}

impl<const DATA: usize> Logic for AtomicOperate<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, number, after, changes);
        self.known.next = self.job.val();
        self.lane.next = bit_cast::<10, 52>(self.address.val()) & self.lanes.val();
        self.bit_number.next = self.lane.val() << 3;
        self.moved.next = self.beat.val() >> self.bit_number.val();
        self.number.d.next = bit_cast::<64, DATA>(self.moved.val());
        self.value.next = self.number.q.val();
        self.after.d.next = self.known.val().swap;
        self.changes.d.next = self.number.q.val() == self.known.val().compare;
        if self.known.val().adds {
            self.after.d.next = self.number.q.val() + self.known.val().swap;
            self.changes.d.next = true;
        }
        self.writes.next = self.changes.q.val();
        self.copy.next = bit_cast::<DATA, 64>(self.after.q.val());
        self.copies.next = self.copy.val();
        for i in 1..8 {
            self.copies.next = self.copies.val() | (self.copy.val() << self.shifts[i].val());
        }
        self.spread.next = self.copies.val();
    }
}
