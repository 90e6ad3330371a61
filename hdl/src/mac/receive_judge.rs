//! Takes the FCS off a frame and judges it: FCS, RX_ER, shortest and longest length (MC3).
//!
//! A byte leaves when the fifth one behind it has come, so that four bytes stay behind as FCS and the last byte of a frame
//! is known; latency six byte times, or one cycle after the end. A frame of less than five bytes leaves nothing behind but
//! `bad_frame`; one that is too long is cut to the longest length.
use super::{FcsStep, FrameByte, FCS_START, GOOD_FCS};
use rust_hdl::prelude::*;

/// Bytes of the shortest frame, FCS included.
pub const SHORTEST_FRAME: u64 = 64;

/// Judge of received frames.
#[derive(LogicBlock)]
pub struct ReceiveJudge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame under way.
    pub reset: Signal<In, Bit>,
    /// Byte of a frame or its FCS,
    pub octet: Signal<In, Bits<8>>,
    /// if it counts.
    pub valid: Signal<In, Bit>,
    /// The frame is over; never with `valid`.
    pub ends: Signal<In, Bit>,
    /// RX_ER was set in it; counts with `ends`.
    pub error: Signal<In, Bit>,
    /// Byte of the frame without FCS,
    pub frame: Signal<Out, FrameByte>,
    /// if it counts.
    pub frame_valid: Signal<Out, Bit>,
    /// The frame is bad; counts in its last byte.
    pub frame_bad: Signal<Out, Bit>,
    /// A good frame is over.
    pub good_frame: Signal<Out, Bit>,
    /// A bad frame is over.
    pub bad_frame: Signal<Out, Bit>,
    fcs: DFF<Bits<32>>,
    length: DFF<Bits<13>>,
    too_long: DFF<Bit>,
    held: DFF<Bits<40>>,
    holds: DFF<Bits<3>>,
    out: DFF<FrameByte>,
    shows: DFF<Bit>,
    bad: DFF<Bit>,
    over: DFF<Bit>,
    takes: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    step: FcsStep,
    fcs_start: Constant<Bits<32>>,
    good_fcs: Constant<Bits<32>>,
    shortest: Constant<Bits<13>>,
    longest: Constant<Bits<13>>,
}

impl ReceiveJudge {
    /// Takes frames of up to `longest` bytes with FCS.
    pub fn new(longest: usize) -> Self {
        assert!((64..1 << 13).contains(&longest), "frames of {longest} bytes");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            octet: Default::default(),
            valid: Default::default(),
            ends: Default::default(),
            error: Default::default(),
            frame: Default::default(),
            frame_valid: Default::default(),
            frame_bad: Default::default(),
            good_frame: Default::default(),
            bad_frame: Default::default(),
            fcs: Default::default(),
            length: Default::default(),
            too_long: Default::default(),
            held: Default::default(),
            holds: Default::default(),
            out: Default::default(),
            shows: Default::default(),
            bad: Default::default(),
            over: Default::default(),
            takes: Default::default(),
            is_full: Default::default(),
            is_bad: Default::default(),
            step: Default::default(),
            fcs_start: Constant::new(u64::from(FCS_START).into()),
            good_fcs: Constant::new(u64::from(GOOD_FCS).into()),
            shortest: Constant::new(SHORTEST_FRAME.into()),
            longest: Constant::new((longest as u64).into()),
        }
    }
}

impl Logic for ReceiveJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, fcs, length, too_long, held, holds, out, shows, bad, over);
        self.step.state.next = self.fcs.q.val();
        self.step.octet.next = self.octet.val();
        self.is_full.next = self.holds.q.val() == 5;
        self.takes.next = self.valid.val() & (self.length.q.val() != self.longest.val());
        if self.valid.val() & !self.takes.val() {
            self.too_long.d.next = true;
        }
        if self.takes.val() {
            self.fcs.d.next = self.step.next_state.val();
            self.length.d.next = self.length.q.val() + 1;
            self.held.d.next = (self.held.q.val() << 8) | bit_cast::<40, 8>(self.octet.val());
            if !self.is_full.val() {
                self.holds.d.next = self.holds.q.val() + 1;
            }
        }
        self.is_bad.next = (self.fcs.q.val() != self.good_fcs.val())
            | (self.length.q.val() < self.shortest.val())
            | self.too_long.q.val()
            | self.error.val();
        self.out.d.next.data = self.held.q.val().get_bits::<8>(32);
        self.out.d.next.last = self.ends.val();
        self.shows.d.next = self.is_full.val() & (self.takes.val() | self.ends.val());
        self.bad.d.next = self.is_bad.val();
        self.over.d.next = self.ends.val() & !self.reset.val();
        self.frame.next = self.out.q.val();
        self.frame_valid.next = self.shows.q.val();
        self.frame_bad.next = self.bad.q.val();
        self.good_frame.next = self.over.q.val() & !self.bad.q.val();
        self.bad_frame.next = self.over.q.val() & self.bad.q.val();
        if self.ends.val() | self.reset.val() {
            self.fcs.d.next = self.fcs_start.val();
            self.length.d.next = 0.into();
            self.too_long.d.next = false;
            self.holds.d.next = 0.into();
        }
        if self.reset.val() {
            self.shows.d.next = false;
        }
    }
}
