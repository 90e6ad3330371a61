//! Takes received frames apart: header fields, body, and whether the format is kept (rules LK1 to LK3).
//!
//! One beat a cycle; the body leaves two cycles after its beat. At the end of a frame the parser waits with `valid` until
//! `done`: whoever decides has as many cycles as he likes, and the fields stand still. Frames are at least 8 beats long and
//! the wire brings a beat every 5 cycles of 84 MHz, so the pause costs nothing.
use super::frame_fields::FrameFields;
use super::records::{FrameBeat, FrameHead};
use crate::widgets::{AxiStreamSubordinate, Stage};
use crate::wire::Reverse;
use rnic_abi::link::frame;
use rust_hdl::prelude::*;

/// Parser of received frames.
#[derive(LogicBlock)]
pub struct FrameParse {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Expects the first beat of a frame.
    pub reset: Signal<In, Bit>,
    /// Frames as the MAC gives them: without FCS, `tuser` in the last beat of a bad one.
    pub axis: AxiStreamSubordinate<64, 8>,
    /// No new frame ends: what comes waits.
    pub hold: Signal<In, Bit>,
    /// A frame has ended,
    pub valid: Signal<Out, Bit>,
    /// and the next one may come.
    pub done: Signal<In, Bit>,
    /// Its header; whole from the first beat of the body on, `sound` from `valid` on.
    pub head: Signal<Out, FrameHead>,
    /// Two DW of the body in wire order
    pub body: Signal<Out, Bits<64>>,
    /// that count,
    pub body_valid: Signal<Out, Bit>,
    /// only the lower one,
    pub body_half: Signal<Out, Bit>,
    /// the last ones;
    pub body_last: Signal<Out, Bit>,
    /// beat of the body, stops at 7.
    pub body_place: Signal<Out, Bits<3>>,
    stage: Stage<FrameBeat>,
    reverse: Reverse<64, 8>,
    fields: FrameFields,
    ended: DFF<Bit>,
    /// Beat of the header, 4 in the body.
    place: DFF<Bits<3>>,
    /// Whole DW that have come; stops where no body is that long.
    seen: DFF<Bits<10>>,
    /// DW of the body still to come.
    left: DFF<Bits<14>>,
    fits: DFF<Bit>,
    word: DFF<Bits<64>>,
    counts: DFF<Bit>,
    half: DFF<Bit>,
    ends: DFF<Bit>,
    step: DFF<Bits<3>>,
    later: DFF<Bits<3>>,
    now: Signal<Local, FrameBeat>,
    lanes: Signal<Local, Bits<64>>,
    takes: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    after: Signal<Local, Bits<10>>,
    due: Signal<Local, Bits<14>>,
    need: Signal<Local, Bits<15>>,
    have: Signal<Local, Bits<15>>,
    in_body: Signal<Local, Bit>,
}

impl FrameParse {
    /// Parser of the device with this MAC address.
    pub fn new(address: u64) -> Self {
        assert_eq!(frame::HEADER_BYTES, 32);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            axis: Default::default(),
            hold: Default::default(),
            valid: Default::default(),
            done: Default::default(),
            head: Default::default(),
            body: Default::default(),
            body_valid: Default::default(),
            body_half: Default::default(),
            body_last: Default::default(),
            body_place: Default::default(),
            stage: Default::default(),
            reverse: Default::default(),
            fields: FrameFields::new(address),
            ended: Default::default(),
            place: Default::default(),
            seen: Default::default(),
            left: Default::default(),
            fits: Default::default(),
            word: Default::default(),
            counts: Default::default(),
            half: Default::default(),
            ends: Default::default(),
            step: Default::default(),
            later: Default::default(),
            now: Default::default(),
            lanes: Default::default(),
            takes: Default::default(),
            waits: Default::default(),
            after: Default::default(),
            due: Default::default(),
            need: Default::default(),
            have: Default::default(),
            in_body: Default::default(),
        }
    }
}

impl Logic for FrameParse {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ended, place, seen, left, fits, word, counts, half, ends, step, later);
        clock!(self, clock, stage, fields);
        self.stage.reset.next = self.reset.val();
        self.stage.sink.data.next.data = self.axis.tdata.val();
        self.stage.sink.data.next.low = self.axis.tkeep.val().get_bit(3);
        self.stage.sink.data.next.high = self.axis.tkeep.val().get_bit(7);
        self.stage.sink.data.next.last = self.axis.tlast.val();
        self.stage.sink.data.next.bad = self.axis.tuser.val();
        self.stage.sink.valid.next = self.axis.tvalid.val();
        self.axis.tready.next = self.stage.sink.ready.val();
        self.now.next = self.stage.source.data.val();
        self.waits.next = self.ended.q.val() | self.hold.val();
        self.stage.source.ready.next = !self.waits.val();
        self.takes.next = self.stage.source.valid.val() & !self.waits.val();
        self.reverse.word.next = self.now.val().data;
        self.fields.big.next = self.reverse.out.val();
        self.fields.place.next = self.place.q.val();
        self.fields.takes.next = self.takes.val();
        self.fields.first.next = self.step.q.val() == 0;
        self.lanes.next = self.reverse.out.val();
        // DW that have come, this beat included.
        self.after.next = self.seen.q.val();
        if self.now.val().high {
            self.after.next = self.seen.q.val() + 2;
        } else if self.now.val().low {
            self.after.next = self.seen.q.val() + 1;
        }
        self.due.next = self.left.q.val();
        self.in_body.next = self.place.q.val() == 4;
        self.counts.d.next = false;
        self.need.next = bit_cast::<15, 14>(self.fields.head.val().dwords) + 8;
        self.have.next = bit_cast::<15, 10>(self.after.val());
        if self.takes.val() {
            self.word.d.next = self.now.val().data;
            self.counts.d.next = self.in_body.val() & self.left.q.val().any();
            self.half.d.next = self.left.q.val() == 1;
            self.ends.d.next = (self.left.q.val() == 1) | (self.left.q.val() == 2);
            self.later.d.next = self.step.q.val();
            if !self.seen.q.val().get_bit(9) {
                self.seen.d.next = self.after.val();
            }
            if self.place.q.val() == 2 {
                self.left.d.next = self.lanes.val().get_bits::<14>(50);
            } else if self.in_body.val() {
                self.left.d.next = self.due.val() - 2;
                if (self.due.val() == 0) | (self.due.val() == 1) {
                    self.left.d.next = 0.into();
                }
                if self.step.q.val() != 7 {
                    self.step.d.next = self.step.q.val() + 1;
                }
            }
            if !self.in_body.val() {
                self.place.d.next = self.place.q.val() + 1;
            }
            self.ended.d.next = self.now.val().last;
            self.fits.d.next = !self.now.val().bad & (self.have.val() >= self.need.val());
        }
        if self.reset.val() | (self.ended.q.val() & self.done.val()) {
            self.ended.d.next = false;
            self.place.d.next = 0.into();
            self.seen.d.next = 0.into();
            self.step.d.next = 0.into();
        }
        self.valid.next = self.ended.q.val();
        self.head.next = self.fields.head.val();
        self.head.next.sound = self.fields.head.val().sound & self.fits.q.val();
        self.body.next = self.word.q.val();
        self.body_valid.next = self.counts.q.val();
        self.body_half.next = self.half.q.val();
        self.body_last.next = self.ends.q.val();
        self.body_place.next = self.later.q.val();
    }
}
