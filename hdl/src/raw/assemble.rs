//! Assembles a raw frame from the beats of its read: lanes, padding, ICRC, and the wire takes it only when it is complete (T107).
//!
//! ```text
//!  beats ─► align ─┬─► store ─► send ─► wire
//!                  └─► ICRC ──────┘
//! ```
//!
//! One frame at a time: the next one begins when the last beat has been taken, so a store that holds the longest frame is
//! enough, and its room is there before the read (T107). A frame with a bus error leaves no trace (E14).
use super::{RawAlign, RawBeat, RawFetch, RawIcrc, RawShape};
use crate::widgets::ChannelSink;
use crate::wire::{FrameEnd, FrameMark, FrameSend, FrameSource, FrameStore, LARGEST_FRAME, STORE_SLACK};
use rust_hdl::prelude::*;

/// Assembler of beats of DATA bits (STRB bytes) with a store of 2^A beats.
#[derive(LogicBlock)]
pub struct RawAssemble<const DATA: usize, const STRB: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame; only while no read is on its way.
    pub reset: Signal<In, Bit>,
    /// Frames; taken before their first beat comes.
    pub fetch: ChannelSink<RawFetch>,
    /// A beat of the bus,
    pub beat_valid: Signal<In, Bit>,
    /// its lanes,
    pub beat_data: Signal<In, Bits<DATA>>,
    /// and whether the bus gave an error.
    pub beat_error: Signal<In, Bit>,
    /// The frame for the wire.
    pub source: FrameSource<DATA>,
    /// The frame has left, or has failed.
    pub done: Signal<Out, Bit>,
    /// It has failed.
    pub done_failed: Signal<Out, Bit>,
    align: RawAlign<DATA, STRB>,
    icrc: RawIcrc<DATA, STRB>,
    store: FrameStore<DATA, A>,
    send: FrameSend<DATA>,
    busy: DFF<Bit>,
    asks: DFF<Bit>,
    stored: DFF<Bit>,
    failed: DFF<Bit>,
    summed: DFF<Bit>,
    crc: DFF<Bits<32>>,
    asked: Signal<Local, RawFetch>,
    begins: Signal<Local, Bit>,
    beat: Signal<Local, RawBeat>,
    shape: Signal<Local, RawShape>,
    entry: Signal<Local, FrameEnd>,
    complete: Signal<Local, Bit>,
    mark: Signal<Local, FrameMark>,
    leaves: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    cut_lane: Constant<Bits<6>>,
}

impl<const DATA: usize, const STRB: usize, const A: usize> Default for RawAssemble<DATA, STRB, A> {
    fn default() -> Self {
        assert!((1 << A) * STRB >= LARGEST_FRAME + STORE_SLACK * STRB, "store of {} beats of {STRB} bytes", 1 << A);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            fetch: Default::default(),
            beat_valid: Default::default(),
            beat_data: Default::default(),
            beat_error: Default::default(),
            source: Default::default(),
            done: Default::default(),
            done_failed: Default::default(),
            align: Default::default(),
            icrc: Default::default(),
            store: Default::default(),
            send: Default::default(),
            busy: Default::default(),
            asks: Default::default(),
            stored: Default::default(),
            failed: Default::default(),
            summed: Default::default(),
            crc: Default::default(),
            asked: Default::default(),
            begins: Default::default(),
            beat: Default::default(),
            shape: Default::default(),
            entry: Default::default(),
            complete: Default::default(),
            mark: Default::default(),
            leaves: Default::default(),
            fails: Default::default(),
            cut_lane: Constant::new(bits(STRB as u64 - 2)),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const A: usize> Logic for RawAssemble<DATA, STRB, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, asks, stored, failed, summed, crc);
        clock!(self, clock, align, icrc, store, send);
        self.align.reset.next = self.reset.val();
        self.icrc.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.send.reset.next = self.reset.val();
        self.asked.next = self.fetch.data.val();
        self.fetch.ready.next = !self.busy.q.val();
        self.begins.next = self.fetch.valid.val() & !self.busy.q.val();
        self.align.starts.next = self.begins.val();
        self.align.fetch.next = self.asked.val();
        self.align.beat_valid.next = self.beat_valid.val();
        self.align.beat_data.next = self.beat_data.val();
        self.align.beat_error.next = self.beat_error.val();

        // Into the store, and into the ICRC engine.
        self.beat.next = self.align.beat.val();
        self.fails.next = self.beat.val().last & self.beat.val().failed;
        self.store.write.next = self.beat.val().valid & !self.fails.val();
        self.store.data.next = self.align.data.val();
        self.store.complete.next = self.beat.val().last;
        self.store.fails.next = self.fails.val();
        self.icrc.beat.next = self.beat.val();
        self.icrc.data.next = self.align.data.val();
        if self.icrc.crc_valid.val() {
            self.summed.d.next = true;
            self.crc.d.next = self.icrc.crc.val();
        }
        if self.beat.val().last {
            self.stored.d.next = true;
            self.failed.d.next = self.fails.val();
        }

        // Out, when both are there.
        self.shape.next = self.align.shape.val();
        self.entry.next.icrc = 0.into();
        if self.asks.q.val() {
            self.entry.next.icrc = self.crc.q.val();
        }
        self.entry.next.beats = self.shape.val().beats;
        self.entry.next.straddles = self.asks.q.val() & (self.shape.val().lane == self.cut_lane.val());
        self.entry.next.lane = self.shape.val().lane;
        self.entry.next.count = self.shape.val().count;
        self.complete.next = self.stored.q.val() & self.summed.q.val();
        self.send.complete.data.next = self.entry.val();
        self.send.complete.valid.next = self.complete.val() & !self.failed.q.val();
        self.store.read.next = self.send.read.val();
        self.send.data.next = self.store.out.val();
        self.mark.next = self.send.frame.mark.val();
        self.source.data.next = self.send.frame.data.val();
        self.source.mark.next = self.mark.val();
        self.source.valid.next = self.send.frame.valid.val();
        self.send.frame.ready.next = self.source.ready.val();
        self.leaves.next = self.send.frame.valid.val() & self.source.ready.val() & self.mark.val().last;
        self.done.next = self.leaves.val() | (self.complete.val() & self.failed.q.val());
        self.done_failed.next = self.failed.q.val();
        if self.complete.val() & (self.send.complete.ready.val() | self.failed.q.val()) {
            self.stored.d.next = false;
            self.summed.d.next = false;
        }
        if self.leaves.val() | (self.complete.val() & self.failed.q.val()) {
            self.busy.d.next = false;
        }
        if self.begins.val() {
            self.busy.d.next = true;
            self.asks.d.next = self.asked.val().icrc;
            self.failed.d.next = false;
        }
        if self.reset.val() {
            self.busy.d.next = false;
            self.stored.d.next = false;
            self.summed.d.next = false;
        }
    }
}
