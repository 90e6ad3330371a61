//! Brings the bytes of a raw frame from bus lanes to frame lanes, clears what lies behind them, and pads the frame to 60 bytes.
//!
//! ```text
//!  beats of the bus ─► rotated (2 cycles) ─► joined with the one before, cut ─► register
//! ```
//!
//! One frame at a time; nothing here stalls. Behind the bytes there are zeros up to the end of the last beat, and room for an
//! ICRC if the frame gets one. Latency three cycles, one more for the rest of an unaligned frame.
use super::RawFetch;
use crate::widgets::Delay;
use crate::wire::PackRotate;
use rust_hdl::prelude::*;

/// The shortest frame on the wire, bytes (T95).
const SHORTEST: u64 = 60;
/// Bytes of an ICRC.
const ICRC: u64 = 4;

record! {
    /// A beat of a frame in its lanes.
    RawBeat, 22 {
        /// There is a beat.
        valid: Bit,
        /// It ends the frame.
        last: Bit,
        /// With `last`: a beat of the bus had an error.
        failed: Bit,
        /// Number of the beat.
        index: Bits<10>,
        /// It has bytes of memory,
        filled: Bit,
        /// the last of the frame,
        filled_last: Bit,
        /// so many.
        count: Bits<7>,
    }
}

record! {
    /// The end of a frame.
    RawShape, 23 {
        /// Beats.
        beats: Bits<10>,
        /// Bytes of the last beat.
        count: Bits<7>,
        /// Lane behind the bytes of memory.
        lane: Bits<6>,
    }
}

/// Aligner of beats of DATA bits (STRB bytes).
#[derive(LogicBlock)]
pub struct RawAlign<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame.
    pub reset: Signal<In, Bit>,
    /// A frame begins, before its first beat comes,
    pub starts: Signal<In, Bit>,
    /// this one.
    pub fetch: Signal<In, RawFetch>,
    /// A beat of the bus,
    pub beat_valid: Signal<In, Bit>,
    /// its lanes,
    pub beat_data: Signal<In, Bits<DATA>>,
    /// and whether the bus gave an error.
    pub beat_error: Signal<In, Bit>,
    /// Beats of the frame.
    pub beat: Signal<Out, RawBeat>,
    /// Their bytes.
    pub data: Signal<Out, Bits<DATA>>,
    /// The end of the frame; holds until the next one begins.
    pub shape: Signal<Out, RawShape>,
    rotate: PackRotate<DATA>,
    came: Delay<Bits<2>, 2>,
    busy: DFF<Bit>,
    in_left: DFF<Bits<10>>,
    out_left: DFF<Bits<10>>,
    left: DFF<Bits<13>>,
    index: DFF<Bits<10>>,
    turn: DFF<Bits<6>>,
    low: DFF<Bits<DATA>>,
    earlier: DFF<Bits<DATA>>,
    primed: DFF<Bit>,
    bad: DFF<Bit>,
    shape_held: DFF<RawShape>,
    out: DFF<RawBeat>,
    out_data: DFF<Bits<DATA>>,
    asked: Signal<Local, RawFetch>,
    reach: Signal<Local, Bits<13>>,
    rows_in: Signal<Local, Bits<13>>,
    bare: Signal<Local, Bits<13>>,
    total: Signal<Local, Bits<13>>,
    behind: Signal<Local, Bits<13>>,
    rows_out: Signal<Local, Bits<13>>,
    spare: Signal<Local, Bits<13>>,
    lane: Signal<Local, Bits<13>>,
    first_lane: Signal<Local, Bits<6>>,
    keep: Signal<Local, Bits<6>>,
    kept_bits: Signal<Local, Bits<10>>,
    arrived: Signal<Local, Bits<2>>,
    comes: Signal<Local, Bit>,
    error: Signal<Local, Bit>,
    emits: Signal<Local, Bit>,
    one: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    fresh: Signal<Local, Bits<DATA>>,
    joined: Signal<Local, Bits<DATA>>,
    used: Signal<Local, Bits<DATA>>,
    end_bits: Signal<Local, Bits<13>>,
    ones: Constant<Bits<DATA>>,
    lanes: Constant<Bits<13>>,
    lane_mask: Constant<Bits<13>>,
    lane_bits: Constant<Bits<4>>,
    no_lane: Constant<Bits<6>>,
    wrap: Constant<Bits<6>>,
    shortest: Constant<Bits<13>>,
    icrc: Constant<Bits<13>>,
}

impl<const DATA: usize, const STRB: usize> Default for RawAlign<DATA, STRB> {
    fn default() -> Self {
        assert!(DATA == 8 * STRB && STRB.is_power_of_two() && (8..=64).contains(&STRB), "{DATA} data bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            starts: Default::default(),
            fetch: Default::default(),
            beat_valid: Default::default(),
            beat_data: Default::default(),
            beat_error: Default::default(),
            beat: Default::default(),
            data: Default::default(),
            shape: Default::default(),
            rotate: Default::default(),
            came: Default::default(),
            busy: Default::default(),
            in_left: Default::default(),
            out_left: Default::default(),
            left: Default::default(),
            index: Default::default(),
            turn: Default::default(),
            low: Default::default(),
            earlier: Default::default(),
            primed: Default::default(),
            bad: Default::default(),
            shape_held: Default::default(),
            out: Default::default(),
            out_data: Default::default(),
            asked: Default::default(),
            reach: Default::default(),
            rows_in: Default::default(),
            bare: Default::default(),
            total: Default::default(),
            behind: Default::default(),
            rows_out: Default::default(),
            spare: Default::default(),
            lane: Default::default(),
            first_lane: Default::default(),
            keep: Default::default(),
            kept_bits: Default::default(),
            arrived: Default::default(),
            comes: Default::default(),
            error: Default::default(),
            emits: Default::default(),
            one: Default::default(),
            whole: Default::default(),
            fresh: Default::default(),
            joined: Default::default(),
            used: Default::default(),
            end_bits: Default::default(),
            ones: Constant::new(!Bits::default()),
            lanes: Constant::new(bits(STRB as u64)),
            lane_mask: Constant::new(bits(STRB as u64 - 1)),
            lane_bits: Constant::new(bits(STRB.ilog2().into())),
            no_lane: Constant::new(bits(0)),
            wrap: Constant::new(bits(STRB as u64 - 1)),
            shortest: Constant::new(bits(SHORTEST)),
            icrc: Constant::new(bits(ICRC)),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for RawAlign<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, in_left, out_left, left, index, turn, low, earlier, primed, bad);
        dff_setup!(self, clock, shape_held, out, out_data);
        clock!(self, clock, rotate, came);
        // Rotated beats.
        self.rotate.beat.next = self.beat_data.val();
        self.rotate.rotation.next = self.turn.q.val();
        self.came.d.next =
            bit_cast::<2, 1>(self.beat_valid.val().into()) | (bit_cast::<2, 1>(self.beat_error.val().into()) << 1);
        self.arrived.next = self.came.q.val();
        self.comes.next = self.busy.q.val() & self.arrived.val().get_bit(0);
        self.error.next = self.comes.val() & self.arrived.val().get_bit(1);
        self.fresh.next = 0.into();
        if self.comes.val() {
            self.fresh.next = self.rotate.out.val();
            self.in_left.d.next = self.in_left.q.val() - 1;
            self.earlier.d.next = self.rotate.out.val();
            self.primed.d.next = true;
            self.bad.d.next = self.bad.q.val() | self.error.val();
        }
        // Beats of the frame: with a beat of the bus, or from what is left when all have come.
        self.emits.next = self.busy.q.val() & ((self.comes.val() & self.primed.q.val()) | (self.in_left.q.val() == 0));
        self.one.next = self.out_left.q.val() == 1;
        self.whole.next = self.left.q.val() >= self.lanes.val();
        self.joined.next =
            (self.earlier.q.val() & self.low.q.val()) | (self.fresh.val() & (self.ones.val() ^ self.low.q.val()));
        self.end_bits.next = self.left.q.val() << 3;
        self.used.next = self.ones.val();
        if !self.whole.val() {
            self.used.next = self.ones.val() ^ (self.ones.val() << self.end_bits.val());
        }
        self.out.d.next.valid = self.emits.val();
        self.out.d.next.last = self.emits.val() & self.one.val();
        self.out.d.next.failed = self.bad.q.val() | self.error.val();
        self.out.d.next.index = self.index.q.val();
        self.out.d.next.filled = self.emits.val() & self.left.q.val().any();
        self.out.d.next.filled_last = self.left.q.val() <= self.lanes.val();
        self.out.d.next.count = bit_cast::<7, 13>(self.lanes.val());
        if !self.whole.val() {
            self.out.d.next.count = bit_cast::<7, 13>(self.left.q.val());
        }
        self.out_data.d.next = self.joined.val() & self.used.val();
        if self.emits.val() {
            self.out_left.d.next = self.out_left.q.val() - 1;
            self.index.d.next = self.index.q.val() + 1;
            self.left.d.next = 0.into();
            if self.whole.val() {
                self.left.d.next = self.left.q.val() - self.lanes.val();
            }
            self.busy.d.next = !self.one.val();
            if !self.comes.val() {
                self.earlier.d.next = 0.into();
            }
        }

        // The next frame.
        self.asked.next = self.fetch.val();
        self.reach.next = (bit_cast::<13, 6>(self.asked.val().lane) + self.asked.val().bytes) - 1;
        self.rows_in.next = self.reach.val() >> self.lane_bits.val();
        self.bare.next = self.asked.val().bytes;
        if self.asked.val().icrc {
            self.bare.next = self.asked.val().bytes + self.icrc.val();
        }
        self.total.next = self.bare.val();
        if self.bare.val() < self.shortest.val() {
            self.total.next = self.shortest.val();
        }
        self.behind.next = self.total.val() - 1;
        self.rows_out.next = self.behind.val() >> self.lane_bits.val();
        self.spare.next = self.behind.val() & self.lane_mask.val();
        self.lane.next = self.asked.val().bytes & self.lane_mask.val();
        // The lanes above the first byte, of the lane number modulo the bus.
        self.first_lane.next = self.no_lane.val() - self.asked.val().lane;
        self.keep.next = self.first_lane.val() & self.wrap.val();
        self.kept_bits.next = bit_cast::<10, 6>(self.keep.val()) << 3;
        if self.starts.val() {
            self.busy.d.next = true;
            self.in_left.d.next = bit_cast::<10, 13>(self.rows_in.val()) + 1;
            self.out_left.d.next = bit_cast::<10, 13>(self.rows_out.val()) + 1;
            self.left.d.next = self.asked.val().bytes;
            self.index.d.next = 0.into();
            self.turn.d.next = self.keep.val();
            self.low.d.next = self.ones.val() ^ (self.ones.val() << self.kept_bits.val());
            self.earlier.d.next = 0.into();
            // An aligned frame needs no beat before the first one.
            self.primed.d.next = self.keep.val() == 0;
            self.bad.d.next = false;
            self.shape_held.d.next.beats = bit_cast::<10, 13>(self.rows_out.val()) + 1;
            self.shape_held.d.next.count = bit_cast::<7, 13>(self.spare.val()) + 1;
            self.shape_held.d.next.lane = bit_cast::<6, 13>(self.lane.val());
        }
        self.beat.next = self.out.q.val();
        self.data.next = self.out_data.q.val();
        self.shape.next = self.shape_held.q.val();
        if self.reset.val() {
            self.busy.d.next = false;
            self.out.d.next.valid = false;
            self.out.d.next.last = false;
            self.out.d.next.filled = false;
        }
    }
}
