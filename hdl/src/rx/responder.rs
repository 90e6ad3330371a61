//! The responder: from received frames to jobs of the placer, and from its verdicts to everything that vouches for data.
//!
//! What other blocks do is outside: placer, engine of acknowledgements, raw rings, response engine, receive queue,
//! invalidation and completion queues. After `start` and `clear` orders of one queue pair 8 cycles pass to the next order.
use super::{
    Commit, CommitEntry, Dispatch, DrainMark, FailureHold, JobMerge, Judge, Owed, OwedStore, Request, ResponderContext,
    Tally,
};
use crate::qp::ServedPsns;
use crate::types::{CqeRequest, EventRequest, InvalidateOrder, OwedAnswer, QpFailure, ResponseOrder};
use crate::widgets::{ChannelSink, ChannelSource, Fifo};
use crate::wire::{PlaceJob, PlaceVerdict, RxFrame, Span};
use rust_hdl::prelude::*;

/// Responder of QPS = 2^QA queue pairs with a commit queue of 2^CA - 1 entries.
#[derive(LogicBlock, Default)]
pub struct Responder<const QA: usize, const QPS: usize, const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops everything.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Received frames.
    pub frame: ChannelSink<RxFrame>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, ResponderContext>,
    /// The queue pair enters RTR: expect `order_psn`.
    pub order_start: Signal<In, Bit>,
    /// The queue pair is reset and nothing of it is in flight: forget all.
    pub order_clear: Signal<In, Bit>,
    /// Queue pair of the order.
    pub order_index: Signal<In, Bits<8>>,
    /// PSN of a start.
    pub order_psn: Signal<In, Bits<24>>,
    /// Note what is in flight now; not before the context that takes no frames is written.
    pub drain_mark: Signal<In, Bit>,
    /// All of it has been committed.
    pub drained: Signal<Out, Bit>,
    /// Frames for the engine of acknowledgements.
    pub response: ChannelSource<RxFrame>,
    /// Its jobs, one for each of its frames.
    pub response_job: ChannelSink<PlaceJob>,
    /// Span of the job offered.
    pub response_span: Signal<In, Span>,
    /// Frames for the raw rings.
    pub raw: ChannelSource<RxFrame>,
    /// Their jobs, one for each of their frames.
    pub raw_job: ChannelSink<PlaceJob>,
    /// Jobs of the placer, one for each frame, in frame order.
    pub job: ChannelSource<PlaceJob>,
    /// Span of the job offered.
    pub span: Signal<Out, Span>,
    /// Verdicts of the placer; those of responses are passed over.
    pub verdict: ChannelSink<PlaceVerdict>,
    /// A write burst of a request has its B.
    pub landed: Signal<In, Bit>,
    /// With an error.
    pub landed_failed: Signal<In, Bit>,
    /// Queue pair whose receive WQE is asked for.
    pub rq_index: Signal<Out, Bits<8>>,
    /// One cycle later: its next receive WQE is there.
    pub rq_ready: Signal<In, Bit>,
    /// It is posted, but not fetched yet.
    pub rq_pending: Signal<In, Bit>,
    /// It could not be fetched.
    pub rq_failed: Signal<In, Bit>,
    /// The WQE.
    pub rq_wqe: Signal<In, Bits<512>>,
    /// Its slot.
    pub rq_slot: Signal<In, Bits<16>>,
    /// It is used up.
    pub rq_take: Signal<Out, Bit>,
    /// The record of a queue pair is written,
    pub row_write: Signal<Out, Bit>,
    /// of this one:
    pub row_index: Signal<Out, Bits<8>>,
    /// this of it is told in QUERY_QP.
    pub row_psns: Signal<Out, ServedPsns>,
    /// Invalidations.
    pub invalidate: ChannelSource<InvalidateOrder>,
    /// Their answers: 0, or the syndrome.
    pub invalidated: ChannelSink<Bits<8>>,
    /// Receive completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// A receive WQE has completed with a CQE: a flush begins behind it.
    pub completed: Signal<Out, Bit>,
    /// Its queue pair.
    pub completed_index: Signal<Out, Bits<8>>,
    /// READs and atomics to answer.
    pub push: ChannelSource<ResponseOrder>,
    /// One of them has been answered.
    pub served: Signal<In, Bit>,
    /// Its queue pair.
    pub served_index: Signal<In, Bits<8>>,
    /// It was a duplicate.
    pub served_duplicate: Signal<In, Bit>,
    /// Something is owed by `owed_wake_index`.
    pub owed_wake: Signal<Out, Bit>,
    /// Queue pair that owes.
    pub owed_wake_index: Signal<Out, Bits<8>>,
    /// Queue pair asked about.
    pub owed_index: Signal<In, Bits<8>>,
    /// What it owes, one cycle later.
    pub owed: Signal<Out, OwedAnswer>,
    /// The record that is shown in this cycle is taken.
    pub owed_taken: Signal<In, Bit>,
    /// Failures of queue pairs; their NAK has gone to the wire (T62).
    pub failed: ChannelSource<QpFailure>,
    /// COMM_EST.
    pub notice: ChannelSource<EventRequest>,
    /// A queue pair fails: the placer places nothing more of it.
    pub kill: Signal<Out, Bit>,
    /// Queue pair that fails.
    pub kill_index: Signal<Out, Bits<8>>,
    /// Reasons of drops: of dispatch, judge, commit queue.
    pub drop_dispatch: ChannelSource<Bits<8>>,
    /// Of the judge.
    pub drop_judge: ChannelSource<Bits<8>>,
    /// Of the commit queue.
    pub drop_commit: ChannelSource<Bits<8>>,
    dispatch: Dispatch<QA>,
    orders: Fifo<Bits<2>, 4>,
    judge: Judge<QA, QPS>,
    merge: JobMerge,
    commit: Commit<QA, QPS, CA>,
    acknowledge: Owed<QA>,
    tally: Tally<QA>,
    failures: FailureHold<QA, QPS>,
    watch: DrainMark,
    settles: Signal<Local, Bit>,
}

impl<const QA: usize, const QPS: usize, const CA: usize> Logic for Responder<QA, QPS, CA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, dispatch, orders, judge, merge, commit, acknowledge, tally, failures, watch);
        self.dispatch.reset.next = self.reset.val();
        self.orders.reset.next = self.reset.val();
        self.judge.reset.next = self.reset.val();
        self.merge.reset.next = self.reset.val();
        self.commit.reset.next = self.reset.val();
        self.acknowledge.reset.next = self.reset.val();
        self.tally.reset.next = self.reset.val();
        self.failures.reset.next = self.reset.val();
        self.watch.reset.next = self.reset.val();
        self.dispatch.clearing.next = self.clearing.val();
        self.dispatch.clear_index.next = self.clear_index.val();
        self.judge.clearing.next = self.clearing.val();
        self.judge.clear_index.next = self.clear_index.val();
        self.acknowledge.clearing.next = self.clearing.val();
        self.acknowledge.clear_index.next = self.clear_index.val();
        self.tally.clearing.next = self.clearing.val();
        self.tally.clear_index.next = self.clear_index.val();

        // Frames to engines to jobs.
        ChannelSink::<RxFrame>::link(&mut self.frame, &mut self.dispatch.frame);
        self.dispatch.context_write.next = self.context_write.val();
        self.dispatch.context_index.next = self.context_index.val();
        self.dispatch.context_row.next = self.context_row.val();
        ChannelSource::<Request>::join(&mut self.dispatch.request, &mut self.judge.request);
        ChannelSource::<RxFrame>::link(&mut self.response, &mut self.dispatch.response);
        ChannelSource::<RxFrame>::link(&mut self.raw, &mut self.dispatch.raw);
        ChannelSource::<Bits<2>>::join(&mut self.dispatch.order, &mut self.orders.sink);
        ChannelSource::<Bits<2>>::join(&mut self.orders.source, &mut self.merge.order);
        ChannelSource::<PlaceJob>::join(&mut self.judge.job, &mut self.merge.request);
        self.merge.request_span.next = self.judge.span.val();
        ChannelSink::<PlaceJob>::link(&mut self.response_job, &mut self.merge.response);
        self.merge.response_span.next = self.response_span.val();
        ChannelSink::<PlaceJob>::link(&mut self.raw_job, &mut self.merge.raw);
        ChannelSource::<PlaceJob>::link(&mut self.job, &mut self.merge.job);
        self.span.next = self.merge.span.val();
        ChannelSource::<Bits<8>>::link(&mut self.drop_dispatch, &mut self.dispatch.drop);
        ChannelSource::<Bits<8>>::link(&mut self.drop_judge, &mut self.judge.drop);
        ChannelSource::<Bits<8>>::link(&mut self.drop_commit, &mut self.commit.drop);

        // Judge and receive queue.
        self.rq_index.next = self.judge.rq_index.val();
        self.judge.rq_ready.next = self.rq_ready.val();
        self.judge.rq_pending.next = self.rq_pending.val();
        self.judge.rq_failed.next = self.rq_failed.val();
        self.judge.rq_wqe.next = self.rq_wqe.val();
        self.judge.rq_slot.next = self.rq_slot.val();
        self.rq_take.next = self.judge.rq_take.val();
        self.row_write.next = self.judge.row_write.val();
        self.row_index.next = self.judge.row_index.val();
        self.row_psns.next = self.judge.row_psns.val();
        self.tally.index.next = self.judge.served_row.val();
        self.judge.served.next = self.tally.counts.val();
        self.tally.served.next = self.served.val();
        self.tally.served_index.next = self.served_index.val();
        self.tally.served_duplicate.next = self.served_duplicate.val();
        ChannelSource::<Bits<8>>::join(&mut self.commit.lost, &mut self.tally.dropped);

        // Commit.
        ChannelSource::<CommitEntry>::join(&mut self.judge.entry, &mut self.commit.entry);
        ChannelSink::<PlaceVerdict>::link(&mut self.verdict, &mut self.commit.verdict);
        self.commit.landed.next = self.landed.val();
        self.commit.landed_failed.next = self.landed_failed.val();
        ChannelSource::<InvalidateOrder>::link(&mut self.invalidate, &mut self.commit.invalidate);
        ChannelSink::<Bits<8>>::link(&mut self.invalidated, &mut self.commit.invalidated);
        ChannelSource::<CqeRequest>::link(&mut self.cqe, &mut self.commit.cqe);
        self.completed.next = self.commit.completed.val();
        self.completed_index.next = self.commit.completed_index.val();
        ChannelSource::<ResponseOrder>::link(&mut self.push, &mut self.commit.push);
        ChannelSource::<QpFailure>::join(&mut self.commit.failed, &mut self.failures.failed);
        ChannelSource::<QpFailure>::link(&mut self.failed, &mut self.failures.source);
        ChannelSource::<EventRequest>::link(&mut self.notice, &mut self.commit.notice);
        ChannelSource::<OwedStore>::join(&mut self.commit.owe, &mut self.acknowledge.store);
        self.owed_wake.next = self.acknowledge.wake.val();
        self.owed_wake_index.next = self.acknowledge.wake_index.val();
        self.acknowledge.index.next = self.owed_index.val();
        self.owed.next = self.acknowledge.shown.val();
        self.acknowledge.taken.next = self.owed_taken.val();
        self.failures.taken.next = self.owed_taken.val();
        self.failures.taken_index.next = self.owed_index.val();
        self.failures.answer.next = self.acknowledge.shown.val();
        self.kill.next = self.commit.kill.val();
        self.kill_index.next = self.commit.kill_index.val();
        self.judge.kill.next = self.commit.kill.val();
        self.judge.kill_index.next = self.commit.kill_index.val();

        // Orders of `qp`.
        self.settles.next = self.order_start.val() | self.order_clear.val();
        self.judge.order_start.next = self.order_start.val();
        self.judge.order_clear.next = self.order_clear.val();
        self.judge.order_index.next = self.order_index.val();
        self.judge.order_psn.next = self.order_psn.val();
        self.commit.order.next = self.settles.val();
        self.commit.order_index.next = self.order_index.val();
        self.acknowledge.order.next = self.settles.val();
        self.acknowledge.order_index.next = self.order_index.val();
        self.tally.order.next = self.settles.val();
        self.tally.order_index.next = self.order_index.val();
        self.watch.mark.next = self.drain_mark.val();
        self.watch.frame_in.next = self.dispatch.taken.val();
        self.watch.frame_out.next = self.merge.passed.val();
        self.watch.entry_in.next = self.judge.entry.valid.val() & self.judge.entry.ready.val();
        self.watch.entry_out.next = self.commit.entry_out.val();
        self.drained.next = self.watch.passed.val();
    }
}
