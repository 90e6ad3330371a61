//! The receive queues: posted, completed by messages ([`super::ReceivePrefetch`] fetches the WQEs), and flushed.
//!
//! Doorbells are taken from INIT on (rule T4). In ERR one slot after another is flushed, a slot a turn (five cycles or
//! more), round robin over the queue pairs. A doorbell or a wake of `qp` starts it.
use super::{FlushOffer, FlushStep, UseCount};
use crate::sq::{Chooser, ClearOrder, DoorbellJudge, ReadyQueue, RQ_REASONS};
use crate::types::{CqeRequest, Doorbell, QpControl, RqContext};
use crate::widgets::{ChannelSink, ChannelSource, Stage, Table};
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Receive queues of QPS = 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct ReceiveQueue<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops everything.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Doorbells.
    pub doorbell: ChannelSink<Doorbell>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, RqContext>,
    /// Orders of `qp`; here `clear` and `wake` count. A wake comes with the context's write or later.
    pub control: Signal<In, QpControl>,
    /// A message has completed the oldest WQE that was not: its CQE has been handed over. At most once in four cycles,
    pub completed: Signal<In, Bit>,
    /// of this queue pair.
    pub completed_index: Signal<In, Bits<8>>,
    /// A posted count is stored,
    pub posted_write: Signal<Out, Bit>,
    /// of this queue pair,
    pub posted_index: Signal<Out, Bits<QA>>,
    /// this one.
    pub posted_count: Signal<Out, Bits<16>>,
    /// Completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// Reasons of dropped doorbells.
    pub drop: ChannelSource<Bits<8>>,
    /// Queue pair to tell about.
    pub status_index: Signal<In, Bits<8>>,
    /// Slots used, 2 cycles after the index.
    pub status_used: Signal<Out, Bits<16>>,
    /// Slots posted.
    pub status_posted: Signal<Out, Bits<16>>,
    /// A flush of this queue pair waits for its completion queue: neither fence nor clear it now.
    pub status_flushing: Signal<Out, Bit>,
    chooser: Chooser<QA>,
    judge: DoorbellJudge,
    step: FlushStep,
    offer: FlushOffer<QA>,
    ready: ReadyQueue<QA, QPS>,
    clear: ClearOrder<QA>,
    drops: Stage<Bits<8>>,
    contexts: Table<RqContext, QA, 1>,
    posted: Table<Bits<16>, QA, 2>,
    used: Table<Bits<16>, QA, 3>,
    uses: UseCount<QA>,
    finished: Signal<Local, Bits<8>>,
    post_row: Signal<Local, Bits<QA>>,
    post_count: Signal<Local, Bits<16>>,
    post_write: Signal<Local, Bit>,
    asked: DFF<Bits<8>>,
    flushing: DFF<Bit>,
    orders: Signal<Local, QpControl>,
    woken: Signal<Local, Bits<8>>,
    row: Signal<Local, Bits<QA>>,
    known: Signal<Local, RqContext>,
    posts: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
    idle_state: Constant<Bits<3>>,
}

impl<const QA: usize, const QPS: usize> Default for ReceiveQueue<QA, QPS> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            doorbell: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            context_row: Default::default(),
            control: Default::default(),
            completed: Default::default(),
            completed_index: Default::default(),
            posted_write: Default::default(),
            posted_index: Default::default(),
            posted_count: Default::default(),
            cqe: Default::default(),
            drop: Default::default(),
            status_index: Default::default(),
            status_used: Default::default(),
            status_posted: Default::default(),
            status_flushing: Default::default(),
            chooser: Default::default(),
            judge: DoorbellJudge::new(RQ_REASONS),
            step: Default::default(),
            offer: Default::default(),
            ready: Default::default(),
            clear: Default::default(),
            drops: Default::default(),
            contexts: Default::default(),
            posted: Default::default(),
            used: Default::default(),
            uses: Default::default(),
            finished: Default::default(),
            post_row: Default::default(),
            post_count: Default::default(),
            post_write: Default::default(),
            asked: Default::default(),
            flushing: Default::default(),
            orders: Default::default(),
            woken: Default::default(),
            row: Default::default(),
            known: Default::default(),
            posts: Default::default(),
            flushes: Default::default(),
            idle_state: Constant::new(qp::RESET.to_bits()),
        }
    }
}

impl<const QA: usize, const QPS: usize> Logic for ReceiveQueue<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked, flushing);
        clock!(self, clock, chooser, judge, step, offer, ready, clear, drops, contexts, posted, used, uses);
        self.chooser.reset.next = self.reset.val();
        self.offer.reset.next = self.reset.val();
        self.ready.reset.next = self.reset.val();
        self.clear.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.uses.reset.next = self.reset.val();

        // Choose.
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.chooser.doorbell);
        ChannelSource::<Bits<QA>>::join(&mut self.ready.source, &mut self.chooser.ready);
        self.chooser.doorbell_room.next = self.ready.push.ready.val() & self.drops.sink.ready.val();
        self.chooser.ready_room.next = self.ready.push.ready.val() & !self.offer.busy.val();
        self.orders.next = self.control.val();
        self.woken.next = self.orders.val().index;
        self.ready.wake.next = self.orders.val().wake;
        self.ready.wake_index.next = bit_cast::<QA, 8>(self.woken.val());

        // Look and measure.
        self.known.next = self.contexts.out[0].val();
        self.judge.value.next = self.chooser.value.val();
        self.judge.unknown.next = self.chooser.beyond.val() | (self.known.val().qpn == 0);
        self.judge.takes.next = self.known.val().state != self.idle_state.val();
        self.judge.posted.next = self.posted.out[0].val();
        self.judge.done.next = self.used.out[0].val();
        self.judge.log2.next = self.known.val().log2;
        self.step.posted.next = self.posted.out[0].val();
        self.step.used.next = self.used.out[0].val();
        self.step.context_row.next = self.known.val();

        // Act.
        self.posts.next = self.chooser.doorbell_acts.val() & self.judge.accepted.val();
        self.flushes.next = self.chooser.ready_acts.val() & self.step.flushes.val();
        self.drops.sink.valid.next = self.chooser.doorbell_acts.val() & !self.judge.accepted.val();
        self.drops.sink.data.next = self.judge.reason.val();
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
        self.ready.push.data.next = self.chooser.chosen.val();
        self.ready.push.valid.next = self.posts.val() | (self.flushes.val() & self.step.more.val());
        self.offer.load.next = self.flushes.val();
        self.offer.qp.next = self.chooser.chosen.val();
        self.offer.request.next = self.step.request.val();
        self.offer.after.next = self.step.after.val();
        ChannelSource::<CqeRequest>::link(&mut self.cqe, &mut self.offer.cqe);

        // Tables: reader 0 is the turn, reader 1 the status.
        self.clear.control.next = self.control.val();
        self.clear.busy.next = self.posts.val() | self.offer.taken.val();
        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.contexts.data.next = self.context_row.val();
        self.contexts.index[0].next = self.chooser.index.val();
        self.posted.clearing.next = self.clearing.val();
        self.posted.clear_index.next = self.clear_index.val();
        self.post_write.next = self.posts.val() | self.clear.clears.val();
        self.post_row.next = self.chooser.chosen.val();
        self.post_count.next = self.chooser.value.val().get_bits::<16>(0);
        self.finished.next = self.completed_index.val();
        self.uses.completed.next = self.completed.val();
        self.uses.completed_index.next = bit_cast::<QA, 8>(self.finished.val());
        self.uses.used.next = self.used.out[2].val();
        self.uses.busy.next = self.offer.taken.val() | self.clear.clears.val();
        self.used.clearing.next = self.clearing.val();
        self.used.clear_index.next = self.clear_index.val();
        self.used.write.next = self.offer.taken.val() | self.clear.clears.val() | self.uses.write.val();
        self.used.write_index.next = self.uses.index.val();
        self.used.data.next = self.uses.after.val();
        if self.offer.taken.val() {
            self.used.write_index.next = self.offer.index.val();
            self.used.data.next = self.offer.used.val();
        }
        if self.clear.clears.val() {
            self.post_row.next = self.clear.index.val();
            self.post_count.next = 0.into();
            self.used.write_index.next = self.clear.index.val();
            self.used.data.next = 0.into();
        }
        self.used.index[0].next = self.chooser.index.val();
        self.used.index[2].next = self.uses.index.val();
        self.posted.write.next = self.post_write.val();
        self.posted.write_index.next = self.post_row.val();
        self.posted.data.next = self.post_count.val();
        self.posted.index[0].next = self.chooser.index.val();
        self.posted_write.next = self.post_write.val();
        self.posted_index.next = self.post_row.val();
        self.posted_count.next = self.post_count.val();

        self.asked.d.next = self.status_index.val();
        self.row.next = bit_cast::<QA, 8>(self.asked.q.val());
        self.posted.index[1].next = self.row.val();
        self.used.index[1].next = self.row.val();
        self.flushing.d.next = self.offer.busy.val() & (self.offer.index.val() == self.row.val());
        self.status_posted.next = self.posted.out[1].val();
        self.status_used.next = self.used.out[1].val();
        self.status_flushing.next = self.flushing.q.val();
    }
}
