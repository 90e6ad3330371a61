//! Takes TLPs from the bridge and sorts them: requests wait in a queue of their own, posted TLPs and completions go straight
//! on (rules TO3 and LK13).
//!
//! `nonposted_ok` stops the bridge while two requests wait; two more may be under way then, and the queue has room for them.
use super::records::ClassedBeat;
use crate::widgets::{AxiStreamSubordinate, ChannelSource, Fifo, Stage};
use rust_hdl::prelude::*;

/// Intake of TLPs. Two cycles of latency, four of requests.
#[derive(LogicBlock, Default)]
pub struct TlpSort {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// TLPs of the bridge.
    pub axis: AxiStreamSubordinate<64, 8>,
    /// The bridge may start another request.
    pub nonposted_ok: Signal<Out, Bit>,
    /// Posted TLPs and completions.
    pub direct: ChannelSource<ClassedBeat>,
    /// Requests.
    pub requests: ChannelSource<ClassedBeat>,
    stage: Stage<ClassedBeat>,
    queue: Fifo<ClassedBeat, 4>,
    /// Requests in the queue.
    waiting: DFF<Bits<4>>,
    under_way: DFF<Bit>,
    to_queue: DFF<Bit>,
    holds_posted: DFF<Bit>,
    first: Signal<Local, Bits<64>>,
    kind: Signal<Local, Bits<5>>,
    posted: Signal<Local, Bit>,
    request: Signal<Local, Bit>,
    beat: Signal<Local, ClassedBeat>,
    leaving: Signal<Local, ClassedBeat>,
    moves: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

impl Logic for TlpSort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting, under_way, to_queue, holds_posted);
        clock!(self, clock, stage, queue);
        self.stage.reset.next = self.reset.val();
        self.queue.reset.next = self.reset.val();
        self.stage.sink.data.next.data = self.axis.tdata.val();
        self.stage.sink.data.next.half = !self.axis.tkeep.val().get_bit(7);
        self.stage.sink.data.next.last = self.axis.tlast.val();
        self.stage.sink.data.next.bad = self.axis.tuser.val();
        self.stage.sink.data.next.posted = false;
        self.stage.sink.valid.next = self.axis.tvalid.val();
        self.axis.tready.next = self.stage.sink.ready.val();
        // Class by the first byte: memory writes and messages are posted, completions nothing, all else asks for an answer.
        self.beat.next = self.stage.source.data.val();
        self.first.next = self.beat.val().data;
        self.kind.next = self.first.val().get_bits::<5>(0);
        self.posted.next = self.holds_posted.q.val();
        self.request.next = self.to_queue.q.val();
        if !self.under_way.q.val() {
            self.posted.next = (self.first.val().get_bit(6) & (self.kind.val() == 0))
                | (self.first.val().get_bit(5) & self.first.val().get_bit(4));
            self.request.next = !self.posted.val() & (self.kind.val() != 10) & (self.kind.val() != 11);
        }
        self.direct.data.next = self.beat.val();
        self.direct.data.next.posted = self.posted.val();
        self.direct.valid.next = self.stage.source.valid.val() & !self.request.val();
        self.queue.sink.data.next = self.beat.val();
        self.queue.sink.valid.next = self.stage.source.valid.val() & self.request.val();
        self.stage.source.ready.next =
            (self.direct.ready.val() & !self.request.val()) | (self.queue.sink.ready.val() & self.request.val());
        self.moves.next = self.stage.source.valid.val() & self.stage.source.ready.val();
        if self.moves.val() {
            self.under_way.d.next = !self.beat.val().last;
            self.to_queue.d.next = self.request.val();
            self.holds_posted.d.next = self.posted.val();
        }
        // Requests counted from their first beat to their last.
        self.leaving.next = self.queue.source.data.val();
        self.requests.data.next = self.leaving.val();
        self.requests.valid.next = self.queue.source.valid.val();
        self.queue.source.ready.next = self.requests.ready.val();
        self.enters.next = self.moves.val() & self.request.val() & !self.under_way.q.val();
        self.leaves.next = self.queue.source.valid.val() & self.requests.ready.val() & self.leaving.val().last;
        if self.enters.val() & !self.leaves.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        } else if self.leaves.val() & !self.enters.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        self.nonposted_ok.next = self.waiting.q.val() < 2;
        if self.reset.val() {
            self.waiting.d.next = 0.into();
            self.under_way.d.next = false;
        }
    }
}
