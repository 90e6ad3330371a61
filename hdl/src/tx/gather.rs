//! Gather: brings the payload of frames out of memory (section 2 of the transport rules).
//!
//! ```text
//!  job ─┬─► span walk ─► room ─► pieces ◄─► lookup        ┌─► reading ─► return ◄── R beats
//!       │                          └─► issue ─► AR        │                └─► read ends
//!       │                                └────────────────┴─► stream ─► payload, failures
//!       └─► frames ─► frame, with its first beat; one without payload when the stream has come to it
//! ```
//!
//! Frames overlap at every step and keep their order. Room for a part's beats is reserved before its lookup, so that reads and
//! holds end whatever the builder does (T102, T107). Nothing is read of a frame behind a failure of its lookup; its holds
//! end, the builder is told, and so is the engine that asked (E14, T25). What follows it of the same send queue vanishes too (D9a).
//! From a job to AR 27 cycles with the lookup, a job every two cycles when its payload lies in SGE 0.
use super::{
    FrameNote, GatherBegun, GatherFailure, GatherIssue, GatherReturn, GatherRoom, GatherStops, GatherStream,
    GenerationNote, ReadPiece, StreamPiece,
};
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::mr::pieces::{BusPiece, EndShare, Part, Pieces, SpanWalk};
use crate::types::{PayloadSource, ReadClient, ReadCommand};
use crate::widgets::{ChannelSource, Fifo, Slot};
use crate::wire::{Span, TxFrame};
use rust_hdl::prelude::*;

/// A frame whose payload is to be gathered.
#[derive(LogicInterface, Default)]
#[join = "GatherSink"]
pub struct GatherSource {
    /// The frame; `payload` is at least 1.
    pub frame: Signal<Out, TxFrame>,
    /// Where its payload lies; `bytes` as `payload` of the frame.
    pub span: Signal<Out, Span>,
    /// Both count.
    pub valid: Signal<Out, Bit>,
    /// They are taken at the next edge.
    pub ready: Signal<In, Bit>,
}

/// The other end of [`GatherSource`].
#[derive(LogicInterface, Default)]
#[join = "GatherSource"]
pub struct GatherSink {
    /// The frame.
    pub frame: Signal<In, TxFrame>,
    /// Where its payload lies.
    pub span: Signal<In, Span>,
    /// Both count.
    pub valid: Signal<In, Bit>,
    /// They are taken at the next edge.
    pub ready: Signal<Out, Bit>,
}

/// DATA bus bits, STRB = DATA / 8; return buffer of 2^B beats, 2^P pieces, 2^F frames in flight (less one or two each), QN = 2^QA
/// queue pairs.
#[derive(LogicBlock, Default)]
pub struct Gather<
    const DATA: usize,
    const STRB: usize,
    const B: usize,
    const P: usize,
    const F: usize,
    const QN: usize,
    const QA: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no read and no answer is on its way.
    pub reset: Signal<In, Bit>,
    /// The queue pair starts anew: its failures are forgotten,
    pub clear: Signal<In, Bit>,
    /// of this queue pair.
    pub clear_index: Signal<In, Bits<QA>>,
    /// A failure of a send queue came to nothing (T49), and none of its frames is here,
    pub voided: Signal<In, Bit>,
    /// of this queue pair.
    pub voided_index: Signal<In, Bits<QA>>,
    /// Frames to send.
    pub job: GatherSink,
    /// Questions to the lookup.
    pub question: ChannelSource<LookupQuestion>,
    /// The answer to the oldest question is here.
    pub answered: Signal<In, Bit>,
    /// The answer.
    pub answer: Signal<In, LookupAnswer>,
    /// A held read has ended,
    pub read_end: Signal<Out, Bit>,
    /// of this MR.
    pub read_end_index: Signal<Out, Bits<24>>,
    /// Reads, in order.
    pub read: ReadClient<DATA>,
    /// To the frame builder: frames,
    pub frame: ChannelSource<TxFrame>,
    /// and their payload.
    pub payload: PayloadSource<DATA>,
    /// Frames that failed, in order; nothing of them reaches the wire.
    pub failed: ChannelSource<GatherFailure>,
    walk: SpanWalk,
    room: GatherRoom<STRB, B, P>,
    pieces: Pieces<4>,
    issue: GatherIssue<STRB>,
    back: GatherReturn<DATA, B, P>,
    stream: GatherStream<DATA>,
    /// 128 words, because few words of this width would go into LUTs; `notes` bounds the frames in flight (F is at most 7).
    frames: Fifo<TxFrame, 7>,
    notes: Fifo<FrameNote, F>,
    stops: GatherStops<QN, QA>,
    wishes: Fifo<GenerationNote, F>,
    wish: Slot<GenerationNote>,
    told: Fifo<StreamPiece, P>,
    telling: Slot<StreamPiece>,
    commands: Slot<ReadCommand>,
    ends: EndShare<2, 1, P>,
    begun: GatherBegun<7>,
    takes: Signal<Local, Bit>,
    head: Signal<Local, TxFrame>,
    bare: Signal<Local, Bit>,
    passed: Signal<Local, TxFrame>,
    may: Signal<Local, Bit>,
    frame_now: Signal<Local, TxFrame>,
    span_now: Signal<Local, Span>,
}

impl<
        const DATA: usize,
        const STRB: usize,
        const B: usize,
        const P: usize,
        const F: usize,
        const QN: usize,
        const QA: usize,
    > Logic for Gather<DATA, STRB, B, P, F, QN, QA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, walk, room, pieces, issue, back, stream, frames, notes, wishes, wish, told, telling);
        clock!(self, clock, commands, ends, stops, begun);
        self.walk.reset.next = self.reset.val();
        self.room.reset.next = self.reset.val();
        self.pieces.reset.next = self.reset.val();
        self.issue.reset.next = self.reset.val();
        self.back.reset.next = self.reset.val();
        self.stream.reset.next = self.reset.val();
        self.frames.reset.next = self.reset.val();
        self.notes.reset.next = self.reset.val();
        self.stops.reset.next = self.reset.val();
        self.wishes.reset.next = self.reset.val();
        self.wish.reset.next = self.reset.val();
        self.told.reset.next = self.reset.val();
        self.telling.reset.next = self.reset.val();
        self.commands.reset.next = self.reset.val();
        self.ends.reset.next = self.reset.val();
        self.begun.reset.next = self.reset.val();

        // A job goes to four places at once.
        self.frame_now.next = self.job.frame.val();
        self.span_now.next = self.job.span.val();
        self.job.ready.next = self.walk.span.ready.val()
            & self.frames.sink.ready.val()
            & self.notes.sink.ready.val()
            & self.wishes.sink.ready.val();
        self.takes.next = self.job.valid.val()
            & self.walk.span.ready.val()
            & self.frames.sink.ready.val()
            & self.notes.sink.ready.val()
            & self.wishes.sink.ready.val();
        self.walk.span.data.next = self.span_now.val();
        self.walk.span.valid.next = self.takes.val();
        self.walk.checks.next = false;
        self.walk.range.next = 0.into();
        self.frames.sink.data.next = self.frame_now.val();
        self.frames.sink.valid.next = self.takes.val();
        self.notes.sink.data.next.tag = self.frame_now.val().tag;
        self.notes.sink.data.next.qp = self.frame_now.val().qp;
        self.notes.sink.data.next.psn = self.frame_now.val().psn;
        self.notes.sink.valid.next = self.takes.val();
        self.wishes.sink.data.next.same = self.span_now.val().same_generation;
        self.wishes.sink.data.next.generation = self.span_now.val().generation;
        self.wishes.sink.valid.next = self.takes.val();

        ChannelSource::<Part>::join(&mut self.walk.part, &mut self.room.part);
        ChannelSource::<Part>::join(&mut self.room.source, &mut self.pieces.part);
        ChannelSource::<LookupQuestion>::link(&mut self.question, &mut self.pieces.question);
        self.pieces.answered.next = self.answered.val();
        self.pieces.answer.next = self.answer.val();
        ChannelSource::<BusPiece>::join(&mut self.pieces.piece, &mut self.issue.piece);
        ChannelSource::<GenerationNote>::join(&mut self.wishes.source, &mut self.wish.sink);
        ChannelSource::<GenerationNote>::join(&mut self.wish.source, &mut self.issue.note);
        self.room.spare_beats.next = self.issue.spare_beats.val();
        self.room.spare_places.next = self.issue.spare_places.val();
        self.room.beat_left.next = self.stream.beat_left.val();
        self.room.piece_left.next = self.stream.piece_left.val();

        ChannelSource::<ReadCommand>::join(&mut self.issue.command, &mut self.commands.sink);
        ChannelSource::<ReadCommand>::link(&mut self.read.command, &mut self.commands.source);
        ChannelSource::<ReadPiece>::join(&mut self.issue.reading, &mut self.back.reading);
        self.back.beat_valid.next = self.read.beat_valid.val();
        self.back.beat_data.next = self.read.beat_data.val();
        self.back.beat_error.next = self.read.beat_error.val();
        ChannelSource::<StreamPiece>::join(&mut self.issue.stream, &mut self.told.sink);
        ChannelSource::<StreamPiece>::join(&mut self.told.source, &mut self.telling.sink);
        ChannelSource::<StreamPiece>::join(&mut self.telling.source, &mut self.stream.piece);
        ChannelSource::<FrameNote>::join(&mut self.notes.source, &mut self.stops.sink);
        ChannelSource::<FrameNote>::join(&mut self.stops.source, &mut self.stream.note);
        self.stream.stopped.next = self.stops.stopped.val();
        self.stops.fails.next = self.stream.fails.val();
        self.stops.clear.next = self.clear.val();
        self.stops.clear_index.next = self.clear_index.val();
        self.stops.voided.next = self.voided.val();
        self.stops.voided_index.next = self.voided_index.val();
        ChannelSource::<Bits<DATA>>::join(&mut self.back.beat, &mut self.stream.beat);
        self.stream.beat_error.next = self.back.failed.val();
        self.begun.starts.next = self.issue.starts.val();
        self.begun.has_beats.next = self.issue.has_beats.val();
        self.begun.arrives.next = self.back.begins.val();
        // Only the stream knows whether a frame without payload may leave. One that may not asks for a byte, which fails.
        self.head.next = self.frames.source.data.val();
        self.bare.next = self.frames.source.valid.val() & (self.head.val().payload == 0);
        self.may.next =
            self.frames.source.valid.val() & self.begun.may.val() & (!self.bare.val() | self.stream.bare.val());
        self.passed.next = self.head.val();
        if self.bare.val() & self.stream.bare_fails.val() {
            self.passed.next.payload = 1.into();
        }
        self.frame.data.next = self.passed.val();
        self.frame.valid.next = self.may.val();
        self.frames.source.ready.next = self.may.val() & self.frame.ready.val();
        self.begun.goes.next = self.may.val() & self.frame.ready.val();
        self.stream.bare_taken.next = self.bare.val() & self.may.val() & self.frame.ready.val();
        PayloadSource::<DATA>::link(&mut self.payload, &mut self.stream.payload);
        ChannelSource::<GatherFailure>::link(&mut self.failed, &mut self.stream.failed);

        self.ends.ends[0].next = self.back.read_end.val();
        self.ends.indices[0].next = self.back.read_end_index.val();
        self.ends.ends[1].next = self.issue.dropped.val();
        self.ends.indices[1].next = self.issue.dropped_index.val();
        self.read_end.next = self.ends.ended.val();
        self.read_end_index.next = self.ends.ended_index.val();
    }
}
