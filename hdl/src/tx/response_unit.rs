//! What the responder sends: the response engine with the atomic unit.
//!
//! All links; latencies and waits are those of [`ResponseEngine`] and [`AtomicUnit`].
use super::{AtomicJob, AtomicUnit, GatherFailure, RespondContext, ResponseEngine};
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::types::{OwedAnswer, QpControl, QpFailure, ReadClient, ResponseOrder, WriteClient};
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::{Span, TxFrame};
use rust_hdl::prelude::*;

/// Engine and atomic unit of QPS = 2^QA queue pairs on a bus of DATA bits; RA = QA + 5, SA = QA + 4.
#[derive(LogicBlock, Default)]
pub struct ResponseUnit<const DATA: usize, const QA: usize, const QPS: usize, const RA: usize, const SA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; no read or write of the atomic unit may be on its way.
    pub reset: Signal<In, Bit>,
    /// Tables are being cleared (reset is on).
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, RespondContext>,
    /// Orders of `qp`: `discard` and `clear` count.
    pub control: Signal<In, QpControl>,
    /// READs and atomics of the commit queue; never full.
    pub push: ChannelSink<ResponseOrder>,
    /// An entry has left the ring,
    pub served: Signal<Out, Bit>,
    /// of this queue pair.
    pub served_index: Signal<Out, Bits<8>>,
    /// It was a duplicate.
    pub served_duplicate: Signal<Out, Bit>,
    /// Something is owed,
    pub owed_wake: Signal<In, Bit>,
    /// by this queue pair.
    pub owed_wake_index: Signal<In, Bits<8>>,
    /// Queue pair that is asked about.
    pub owed_index: Signal<Out, Bits<8>>,
    /// What it owes, one cycle later.
    pub owed: Signal<In, OwedAnswer>,
    /// What `owed` shows in this cycle is sent.
    pub owed_taken: Signal<Out, Bit>,
    /// Frames of headers.
    pub control_frame: ChannelSource<TxFrame>,
    /// Frames with payload,
    pub gather: ChannelSource<TxFrame>,
    /// and where it lies (same handshake).
    pub gather_span: Signal<Out, Span>,
    /// Frames of which the payload could not be read.
    pub failure: ChannelSink<GatherFailure>,
    /// Tags of frames that have gone to the wire.
    pub sent: ChannelSink<Bits<32>>,
    /// Queue pairs that must go to ERR.
    pub failed: ChannelSource<QpFailure>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// Queue pair to tell about.
    pub status_index: Signal<In, Bits<8>>,
    /// Something of it is on its way; at most 8 cycles old.
    pub status_busy: Signal<Out, Bit>,
    /// Questions of the atomic unit to the lookup, with hold.
    pub lookup: ChannelSource<LookupQuestion>,
    /// One is answered.
    pub answered: Signal<In, Bit>,
    /// The answer.
    pub found: Signal<In, LookupAnswer>,
    /// The hold of a write ends,
    pub hold_end: Signal<Out, Bit>,
    /// of this region.
    pub hold_end_index: Signal<Out, Bits<24>>,
    /// Reads of the atomic unit (AXI id 4).
    pub read: ReadClient<DATA>,
    /// Its writes (AXI id 4).
    pub write: WriteClient<DATA>,
    engine: ResponseEngine<QA, RA, QPS>,
    atomics: AtomicUnit<DATA, QA, SA>,
}

impl<const DATA: usize, const QA: usize, const QPS: usize, const RA: usize, const SA: usize> Logic
    for ResponseUnit<DATA, QA, QPS, RA, SA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, engine, atomics);
        self.engine.reset.next = self.reset.val();
        self.engine.clearing.next = self.clearing.val();
        self.engine.clear_index.next = self.clear_index.val();
        self.engine.context_write.next = self.context_write.val();
        self.engine.context_index.next = self.context_index.val();
        self.engine.context_row.next = self.context_row.val();
        self.engine.control.next = self.control.val();
        ChannelSink::<ResponseOrder>::link(&mut self.push, &mut self.engine.push);
        self.served.next = self.engine.served.val();
        self.served_index.next = self.engine.served_index.val();
        self.served_duplicate.next = self.engine.served_duplicate.val();
        self.engine.owed_wake.next = self.owed_wake.val();
        self.engine.owed_wake_index.next = self.owed_wake_index.val();
        self.owed_index.next = self.engine.owed_index.val();
        self.engine.owed.next = self.owed.val();
        self.owed_taken.next = self.engine.owed_taken.val();
        ChannelSource::<TxFrame>::link(&mut self.control_frame, &mut self.engine.control_frame);
        ChannelSource::<TxFrame>::link(&mut self.gather, &mut self.engine.gather);
        self.gather_span.next = self.engine.gather_span.val();
        ChannelSink::<GatherFailure>::link(&mut self.failure, &mut self.engine.failure);
        ChannelSink::<Bits<32>>::link(&mut self.sent, &mut self.engine.sent);
        ChannelSource::<QpFailure>::link(&mut self.failed, &mut self.engine.failed);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.engine.drop);
        self.engine.status_index.next = self.status_index.val();
        self.status_busy.next = self.engine.status_busy.val();

        ChannelSource::<AtomicJob>::join(&mut self.engine.atomic, &mut self.atomics.job);
        ChannelSource::<TxFrame>::join(&mut self.atomics.answer, &mut self.engine.atomic_answer);
        ChannelSource::<GatherFailure>::join(&mut self.atomics.failure, &mut self.engine.atomic_failure);
        ChannelSource::<Bits<8>>::join(&mut self.atomics.gone, &mut self.engine.atomic_gone);
        self.atomics.reset.next = self.reset.val();
        self.atomics.control.next = self.control.val();
        ChannelSource::<LookupQuestion>::link(&mut self.lookup, &mut self.atomics.lookup);
        self.atomics.answered.next = self.answered.val();
        self.atomics.found.next = self.found.val();
        self.hold_end.next = self.atomics.hold_end.val();
        self.hold_end_index.next = self.atomics.hold_end_index.val();
        ReadClient::<DATA>::link(&mut self.read, &mut self.atomics.read);
        WriteClient::<DATA>::link(&mut self.write, &mut self.atomics.write);
    }
}
