//! Sinks the beats of the gather's reads, and ends the hold of a piece with its last beat (T98).
//!
//! Never held up: room was reserved before the read (T107). Latency two cycles, a beat a cycle.
use super::ReadPiece;
use crate::widgets::{ChannelSink, ChannelSource, Fifo, SlackFifo};
use rust_hdl::prelude::*;

/// Return buffer of 2^B - 1 beats of DATA bits, 2^P - 2 pieces on their way.
#[derive(LogicBlock, Default)]
pub struct GatherReturn<const DATA: usize, const B: usize, const P: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no beat is on its way.
    pub reset: Signal<In, Bit>,
    /// Pieces in the order of their reads, known two cycles before their first beat.
    pub reading: ChannelSink<ReadPiece>,
    /// A beat comes.
    pub beat_valid: Signal<In, Bit>,
    /// The beat.
    pub beat_data: Signal<In, Bits<DATA>>,
    /// It came with an error.
    pub beat_error: Signal<In, Bit>,
    /// The first beat of a frame.
    pub begins: Signal<Out, Bit>,
    /// A held read has ended,
    pub read_end: Signal<Out, Bit>,
    /// of this MR.
    pub read_end_index: Signal<Out, Bits<24>>,
    /// Beats.
    pub beat: ChannelSource<Bits<DATA>>,
    /// The beat that is offered came with an error.
    pub failed: Signal<Out, Bit>,
    pieces: Fifo<ReadPiece, P>,
    ring: SlackFifo<Bits<DATA>, B, 2>,
    errors: SlackFifo<Bit, B, 2>,
    count: DFF<Bits<9>>,
    ends: DFF<Bit>,
    index: DFF<Bits<24>>,
    now: Signal<Local, ReadPiece>,
    last: Signal<Local, Bit>,
}

impl<const DATA: usize, const B: usize, const P: usize> Logic for GatherReturn<DATA, B, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, ends, index);
        clock!(self, clock, pieces, ring, errors);
        self.pieces.reset.next = self.reset.val();
        self.ring.reset.next = self.reset.val();
        self.errors.reset.next = self.reset.val();
        ChannelSink::<ReadPiece>::link(&mut self.reading, &mut self.pieces.sink);
        self.now.next = self.pieces.source.data.val();
        self.last.next = self.beat_valid.val() & (self.count.q.val() == self.now.val().more);
        self.pieces.source.ready.next = self.last.val();
        self.begins.next = self.beat_valid.val() & (self.count.q.val() == 0) & self.now.val().begins;
        if self.beat_valid.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.last.val() {
            self.count.d.next = 0.into();
        }
        self.ends.d.next = self.last.val() & self.now.val().held;
        self.index.d.next = self.now.val().index;
        self.read_end.next = self.ends.q.val();
        self.read_end_index.next = self.index.q.val();

        self.ring.write.next = self.beat_valid.val();
        self.ring.data.next = self.beat_data.val();
        self.errors.write.next = self.beat_valid.val();
        self.errors.data.next = self.beat_error.val();
        self.beat.data.next = self.ring.source.data.val();
        self.beat.valid.next = self.ring.source.valid.val();
        self.ring.source.ready.next = self.beat.ready.val();
        // Written and read together with the beats.
        self.failed.next = self.errors.source.data.val() & self.errors.source.valid.val();
        self.errors.source.ready.next = self.beat.ready.val();
        if self.reset.val() {
            self.count.d.next = 0.into();
            self.ends.d.next = false;
        }
    }
}
