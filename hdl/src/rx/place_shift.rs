//! Turns rows of the frame buffer into beats for the bus: one rotation, then the upper lanes of a row with the lower ones of
//! the row before.
//!
//! ```text
//!  1-2 frame buffer   3 row   4 rotated by 0 to 7 lanes   5 by 0 to 56   6 merged, into the FIFO
//! ```
//!
//! Nothing here stalls: `crowded` stops the rows while the FIFO still has room for those under way. One beat a cycle.
//! Lanes outside of a piece hold anything; the strobes of the write engine leave them out.
use super::{Slot, SIDES};
use crate::widgets::{ChannelSource, Delay, SlackFifo};
use rust_hdl::prelude::*;

/// Shifter of rows of DATA bits.
#[derive(LogicBlock)]
pub struct PlaceShift<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything under way.
    pub reset: Signal<In, Bit>,
    /// What is done with the row whose address is given in this cycle.
    pub slot: Signal<In, Slot>,
    /// The value that comes with the slot.
    pub value: Signal<In, Bits<64>>,
    /// The row of two cycles ago.
    pub read_data: Signal<In, Bits<DATA>>,
    /// Read no row.
    pub crowded: Signal<Out, Bit>,
    /// Beats: requests, responses, raw frames.
    pub beats: [ChannelSource<Bits<DATA>>; SIDES],
    asked: Delay<Slot, 2>,
    values: Delay<Bits<64>, 2>,
    first: DFF<Slot>,
    second: DFF<Slot>,
    third: DFF<Slot>,
    row: DFF<Bits<DATA>>,
    turned: DFF<Bits<DATA>>,
    placed: DFF<Bits<DATA>>,
    upper: DFF<Bits<DATA>>,
    rest: DFF<Bits<DATA>>,
    fifo: SlackFifo<Bits<DATA>, 5, 12>,
    sides: SlackFifo<Bits<2>, 5, 12>,
    entering: Signal<Local, Slot>,
    came: Signal<Local, Slot>,
    fine: Signal<Local, Bits<6>>,
    coarse: Signal<Local, Bits<6>>,
    half: Signal<Local, Bits<DATA>>,
    full: Signal<Local, Bits<DATA>>,
    ones: Signal<Local, Bits<DATA>>,
    lower: Signal<Local, Bits<DATA>>,
    amount: Signal<Local, Bits<10>>,
    done: Signal<Local, Slot>,
    pops: Signal<Local, Bit>,
    mine: Signal<Local, Bit>,
    side: [Constant<Bits<2>>; SIDES],
    fine_bits: [Constant<Bits<6>>; 3],
    coarse_bits: [Constant<Bits<6>>; 3],
    fine_up: [Constant<Bits<10>>; 3],
    fine_down: [Constant<Bits<10>>; 3],
    coarse_up: [Constant<Bits<10>>; 3],
    coarse_down: [Constant<Bits<10>>; 3],
    all: Constant<Bits<DATA>>,
}

impl<const DATA: usize> Default for PlaceShift<DATA> {
    fn default() -> Self {
        // Rotations by more than the bus are never asked for.
        let up = |i: usize| (8usize << i).min(DATA) as u64;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            slot: Default::default(),
            value: Default::default(),
            read_data: Default::default(),
            crowded: Default::default(),
            beats: std::array::from_fn(|_| Default::default()),
            asked: Default::default(),
            values: Default::default(),
            first: Default::default(),
            second: Default::default(),
            third: Default::default(),
            row: Default::default(),
            turned: Default::default(),
            placed: Default::default(),
            upper: Default::default(),
            rest: Default::default(),
            fifo: Default::default(),
            sides: Default::default(),
            entering: Default::default(),
            came: Default::default(),
            fine: Default::default(),
            coarse: Default::default(),
            half: Default::default(),
            full: Default::default(),
            ones: Default::default(),
            lower: Default::default(),
            amount: Default::default(),
            done: Default::default(),
            pops: Default::default(),
            mine: Default::default(),
            side: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            fine_bits: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            coarse_bits: std::array::from_fn(|i| Constant::new(bits(8 << i))),
            fine_up: std::array::from_fn(|i| Constant::new(bits(up(i)))),
            fine_down: std::array::from_fn(|i| Constant::new(bits(DATA as u64 - up(i)))),
            coarse_up: std::array::from_fn(|i| Constant::new(bits(up(i + 3)))),
            coarse_down: std::array::from_fn(|i| Constant::new(bits(DATA as u64 - up(i + 3)))),
            all: Constant::new((!Bits::<DATA>::default()).into()),
        }
    }
}

impl<const DATA: usize> Logic for PlaceShift<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, second, third, row, turned, placed, upper, rest);
        clock!(self, clock, asked, values, fifo, sides);
        self.fifo.reset.next = self.reset.val();
        self.sides.reset.next = self.reset.val();
        // Written once: a second write in reset would set the delay line and this kernel off against each other in simulators
        // that run on events.
        self.entering.next = self.slot.val();
        if self.reset.val() {
            self.entering.next.valid = false;
        }
        self.asked.d.next = self.entering.val();
        self.came.next = self.asked.q.val();
        self.first.d.next = self.came.val();
        self.values.d.next = self.value.val();
        self.row.d.next = self.read_data.val();
        if self.came.val().inline {
            self.row.d.next = bit_cast::<DATA, 64>(self.values.q.val());
        }

        self.fine.next = self.first.q.val().rotation;
        self.half.next = self.row.q.val();
        for i in 0..3 {
            if (self.fine.val() & self.fine_bits[i].val()).any() {
                self.half.next =
                    (self.half.val() << self.fine_up[i].val()) | (self.half.val() >> self.fine_down[i].val());
            }
        }
        self.turned.d.next = self.half.val();
        self.second.d.next = self.first.q.val();

        self.coarse.next = self.second.q.val().rotation;
        self.full.next = self.turned.q.val();
        for i in 0..3 {
            if (self.coarse.val() & self.coarse_bits[i].val()).any() {
                self.full.next =
                    (self.full.val() << self.coarse_up[i].val()) | (self.full.val() >> self.coarse_down[i].val());
            }
        }
        self.placed.d.next = self.full.val();
        self.third.d.next = self.second.q.val();
        // Lanes that the row itself fills; those below it come from the row before.
        self.ones.next = self.all.val();
        self.amount.next = bit_cast::<10, 6>(self.coarse.val()) << 3;
        self.upper.d.next = self.ones.val() << self.amount.val();

        self.done.next = self.third.q.val();
        self.lower.next = !self.upper.q.val();
        if self.done.val().valid {
            self.rest.d.next = self.placed.q.val();
        }
        self.fifo.write.next = self.done.val().valid & self.done.val().emits;
        self.fifo.data.next = (self.placed.q.val() & self.upper.q.val()) | (self.rest.q.val() & self.lower.val());
        self.sides.write.next = self.done.val().valid & self.done.val().emits;
        self.sides.data.next = self.done.val().side;
        self.crowded.next = self.fifo.crowded.val();
        self.pops.next = false;
        for i in 0..3 {
            self.mine.next = self.fifo.source.valid.val()
                & self.sides.source.valid.val()
                & (self.sides.source.data.val() == self.side[i].val());
            self.beats[i].data.next = self.fifo.source.data.val();
            self.beats[i].valid.next = self.mine.val();
            if self.mine.val() & self.beats[i].ready.val() {
                self.pops.next = true;
            }
        }
        self.fifo.source.ready.next = self.pops.val();
        self.sides.source.ready.next = self.pops.val();
        if self.reset.val() {
            self.first.d.next.valid = false;
            self.second.d.next.valid = false;
            self.third.d.next.valid = false;
        }
    }
}
