//! Offers the payload of frames to the frame builder, and tells of frames that failed.
//!
//! Marks come from the pieces, bytes from the return buffer. A frame with a beat in error goes on to its end, and fails there;
//! one whose lookup failed ends at once with a beat of no bytes (E14). One beat a cycle.
//!
//! A frame behind a failed one (`stopped`; D9a, T64) fails too: one of a send queue without news, one of a responder is told
//! like every other. One without payload waits here until all frames before it are known to be good, and passes as `bare`.
use super::{FrameNote, GatherFailure, StreamPiece};
use crate::types::{PayloadMark, PayloadSource};
use crate::widgets::{ChannelSink, ChannelSource, Fifo};
use rnic_abi::syndrome;
use rust_hdl::prelude::*;

/// Stream of beats of DATA bits.
#[derive(LogicBlock)]
pub struct GatherStream<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame and the failures.
    pub reset: Signal<In, Bit>,
    /// Pieces.
    pub piece: ChannelSink<StreamPiece>,
    /// Frames, one each.
    pub note: ChannelSink<FrameNote>,
    /// The frame of the note must not leave.
    pub stopped: Signal<In, Bit>,
    /// The frame of the note fails; not told of one that was stopped.
    pub fails: Signal<Out, Bit>,
    /// Beats.
    pub beat: ChannelSink<Bits<DATA>>,
    /// The beat offered came with an error.
    pub beat_error: Signal<In, Bit>,
    /// Payload.
    pub payload: PayloadSource<DATA>,
    /// The frame without payload whose turn it is may go to the builder,
    pub bare: Signal<Out, Bit>,
    /// with a beat that will fail if it is stopped,
    pub bare_fails: Signal<Out, Bit>,
    /// and has been taken.
    pub bare_taken: Signal<In, Bit>,
    /// Frames that failed.
    pub failed: ChannelSource<GatherFailure>,
    /// A beat (or what counts as one) has left.
    pub beat_left: Signal<Out, Bit>,
    /// A piece has left.
    pub piece_left: Signal<Out, Bit>,
    failures: Fifo<GatherFailure, 3>,
    count: DFF<Bits<9>>,
    bad: DFF<Bit>,
    /// The stopped frame without payload is in the builder.
    bare_gone: DFF<Bit>,
    now: Signal<Local, StreamPiece>,
    whose: Signal<Local, FrameNote>,
    mark: Signal<Local, PayloadMark>,
    failure: Signal<Local, GatherFailure>,
    tag: Signal<Local, Bits<32>>,
    known: Signal<Local, Bit>,
    poisoned: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    final_beat: Signal<Local, Bit>,
    error: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    width: Constant<Bits<7>>,
    bus: Constant<Bits<8>>,
}

impl<const DATA: usize> Default for GatherStream<DATA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            piece: Default::default(),
            note: Default::default(),
            stopped: Default::default(),
            fails: Default::default(),
            beat: Default::default(),
            beat_error: Default::default(),
            payload: Default::default(),
            bare: Default::default(),
            bare_fails: Default::default(),
            bare_taken: Default::default(),
            failed: Default::default(),
            beat_left: Default::default(),
            piece_left: Default::default(),
            failures: Default::default(),
            count: Default::default(),
            bad: Default::default(),
            bare_gone: Default::default(),
            now: Default::default(),
            whose: Default::default(),
            mark: Default::default(),
            failure: Default::default(),
            tag: Default::default(),
            known: Default::default(),
            poisoned: Default::default(),
            waits: Default::default(),
            first: Default::default(),
            final_beat: Default::default(),
            error: Default::default(),
            offers: Default::default(),
            passes: Default::default(),
            goes: Default::default(),
            ends: Default::default(),
            width: Constant::new(bits(DATA as u64 / 8)),
            bus: Constant::new(bits(syndrome::PAYLOAD_BUS.into())),
        }
    }
}

impl<const DATA: usize> Logic for GatherStream<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, bad, bare_gone);
        clock!(self, clock, failures);
        self.failures.reset.next = self.reset.val();
        self.now.next = self.piece.data.val();
        self.whose.next = self.note.data.val();
        self.known.next = self.piece.valid.val() & self.note.valid.val() & self.failures.sink.ready.val();
        // A piece without beats: of a lookup that failed, or of a frame without payload.
        self.poisoned.next = (self.now.val().syndrome != 0) | self.now.val().nothing;
        self.waits.next = self.now.val().nothing & !self.bare_gone.q.val();
        self.bare.next = self.known.val() & self.waits.val();
        self.bare_fails.next = self.stopped.val();
        self.first.next = self.count.q.val() == 0;
        self.final_beat.next = self.count.q.val() == self.now.val().more;
        self.error.next = self.bad.q.val() | (!self.poisoned.val() & self.beat_error.val());

        self.mark.next.lane = 0.into();
        self.mark.next.count = self.width.val();
        if self.final_beat.val() {
            self.mark.next.count = self.now.val().last_count;
        }
        if self.first.val() {
            self.mark.next.lane = self.now.val().lane;
            self.mark.next.count = self.now.val().first_count;
        }
        if self.poisoned.val() {
            self.mark.next.lane = 0.into();
            self.mark.next.count = 0.into();
        }
        self.mark.next.last = self.final_beat.val() & self.now.val().last;
        self.mark.next.failed =
            self.final_beat.val() & self.now.val().last & (self.poisoned.val() | self.error.val() | self.stopped.val());
        self.offers.next = self.known.val() & !self.waits.val() & (self.poisoned.val() | self.beat.valid.val());
        self.payload.data.next = self.beat.data.val();
        self.payload.mark.next = self.mark.val();
        self.payload.valid.next = self.offers.val();
        self.passes.next = self.offers.val() & self.payload.ready.val();
        self.beat.ready.next = self.passes.val() & !self.poisoned.val();

        self.goes.next = self.passes.val() | (self.bare_taken.val() & !self.stopped.val());
        if self.bare_taken.val() & self.stopped.val() {
            self.bare_gone.d.next = true;
        }
        self.ends.next = self.goes.val() & self.final_beat.val();
        self.piece.ready.next = self.ends.val();
        self.note.ready.next = self.ends.val() & self.now.val().last;
        self.beat_left.next = self.goes.val();
        self.piece_left.next = self.ends.val();
        if self.goes.val() {
            self.count.d.next = self.count.q.val() + 1;
            self.bad.d.next = self.error.val();
        }
        if self.ends.val() {
            self.count.d.next = 0.into();
        }
        if self.ends.val() & self.now.val().last {
            self.bad.d.next = false;
            self.bare_gone.d.next = false;
        }
        self.tag.next = self.whose.val().tag;
        self.failure.next.tag = self.tag.val();
        self.failure.next.qp = self.whose.val().qp;
        self.failure.next.psn = self.whose.val().psn;
        self.failure.next.syndrome = self.now.val().syndrome;
        if self.error.val() {
            self.failure.next.syndrome = self.bus.val();
        }
        self.failures.sink.data.next = self.failure.val();
        // The responder counts its frames, so it hears of every one.
        self.failures.sink.valid.next =
            self.passes.val() & self.mark.val().failed & (!self.stopped.val() | self.tag.val().get_bit(31));
        self.fails.next = self.passes.val() & self.mark.val().failed & !self.stopped.val();
        ChannelSource::<GatherFailure>::link(&mut self.failed, &mut self.failures.source);
        if self.reset.val() {
            self.count.d.next = 0.into();
            self.bad.d.next = false;
            self.bare_gone.d.next = false;
        }
    }
}
