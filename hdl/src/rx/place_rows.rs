//! Reads the rows of the frame buffer that a piece lies in, one a cycle, and lets the frame go behind its last row.
//!
//! A piece whose bytes move to a lower lane needs one row before its first beat. A row behind the last one may be read where
//! the last beat needs only what is left; nothing of it is used. Latency one cycle from a piece to its first row, and one
//! cycle a piece on top of its rows.
use super::{RowWork, Slot};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Reader of a frame buffer of 2^A rows of STRB bytes.
#[derive(LogicBlock)]
pub struct PlaceRows<const STRB: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the piece.
    pub reset: Signal<In, Bit>,
    /// Pieces and ends of jobs.
    pub work: ChannelSink<RowWork>,
    /// The beats behind are full: read no row.
    pub crowded: Signal<In, Bit>,
    /// Row to read.
    pub read_address: Signal<Out, Bits<A>>,
    /// What is done with it.
    pub slot: Signal<Out, Slot>,
    /// The value, if that stands for the row.
    pub value: Signal<Out, Bits<64>>,
    /// The oldest frame has been read (one cycle after its last row).
    pub released: Signal<Out, Bit>,
    row: DFF<Bits<12>>,
    left: DFF<Bits<10>>,
    rotation: DFF<Bits<6>>,
    primes: DFF<Bit>,
    side: DFF<Bits<2>>,
    inline: DFF<Bit>,
    number: DFF<Bits<64>>,
    ends: DFF<Bit>,
    nothing: DFF<Bit>,
    busy: DFF<Bit>,
    lets_go: DFF<Bit>,
    coming: Signal<Local, RowWork>,
    reach: Signal<Local, Bits<13>>,
    more: Signal<Local, Bits<13>>,
    turn: Signal<Local, Bits<6>>,
    first_row: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    lane_bits: Constant<Bits<4>>,
    lanes: Constant<Bits<6>>,
}

impl<const STRB: usize, const A: usize> Default for PlaceRows<STRB, A> {
    fn default() -> Self {
        assert!(A <= 12, "frame buffer of 2^{A} rows");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            work: Default::default(),
            crowded: Default::default(),
            read_address: Default::default(),
            slot: Default::default(),
            value: Default::default(),
            released: Default::default(),
            row: Default::default(),
            left: Default::default(),
            rotation: Default::default(),
            primes: Default::default(),
            side: Default::default(),
            inline: Default::default(),
            number: Default::default(),
            ends: Default::default(),
            nothing: Default::default(),
            busy: Default::default(),
            lets_go: Default::default(),
            coming: Default::default(),
            reach: Default::default(),
            more: Default::default(),
            turn: Default::default(),
            first_row: Default::default(),
            moves: Default::default(),
            done: Default::default(),
            lane_bits: Constant::new(bits(STRB.ilog2().into())),
            lanes: Constant::new(bits(STRB as u64 - 1)),
        }
    }
}

impl<const STRB: usize, const A: usize> Logic for PlaceRows<STRB, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, row, left, rotation, primes, side, ends, nothing, busy, lets_go);
        dff_setup!(self, clock, inline, number);
        self.moves.next = self.busy.q.val() & (self.nothing.q.val() | !self.crowded.val());
        self.done.next = self.moves.val() & (self.left.q.val() == 0);
        self.read_address.next = bit_cast::<A, 12>(self.row.q.val());
        self.slot.next.valid = self.moves.val() & !self.nothing.q.val();
        self.slot.next.emits = !self.primes.q.val();
        self.slot.next.rotation = self.rotation.q.val();
        self.slot.next.side = self.side.q.val();
        self.slot.next.inline = self.inline.q.val();
        self.value.next = self.number.q.val();
        self.lets_go.d.next = self.done.val() & self.ends.q.val();
        self.released.next = self.lets_go.q.val();
        if self.moves.val() {
            self.row.d.next = self.row.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            self.primes.d.next = false;
        }
        self.coming.next = self.work.data.val();
        self.reach.next = (bit_cast::<13, 6>(self.coming.val().target) + self.coming.val().bytes) - 1;
        self.more.next = self.reach.val() >> self.lane_bits.val();
        self.turn.next = self.coming.val().target - self.coming.val().lane;
        self.first_row.next = self.coming.val().target < self.coming.val().lane;
        self.work.ready.next = !self.busy.q.val() | self.done.val();
        if !self.busy.q.val() | self.done.val() {
            self.row.d.next = self.coming.val().row;
            self.left.d.next = bit_cast::<10, 13>(self.more.val());
            if self.first_row.val() {
                self.left.d.next = bit_cast::<10, 13>(self.more.val()) + 1;
            }
            if self.coming.val().bytes == 0 {
                self.left.d.next = 0.into();
            }
            self.rotation.d.next = self.turn.val() & self.lanes.val();
            self.primes.d.next = self.first_row.val();
            self.side.d.next = self.coming.val().side;
            self.inline.d.next = self.coming.val().inline;
            self.number.d.next = self.coming.val().value;
            self.ends.d.next = self.coming.val().ends;
            self.nothing.d.next = self.coming.val().bytes == 0;
            self.busy.d.next = self.work.valid.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
            self.lets_go.d.next = false;
        }
    }
}
