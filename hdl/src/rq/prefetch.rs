//! Receive WQEs are fetched before messages need them (rules T55, T57): up to 2^RB of each queue pair, in batches.
//!
//! ```text
//! posted ─┐                                             ┌─► judge: ready, pending, failed, WQE, slot
//! taken  ─┴► ready queue ─► batch ─► read command       │
//!                             └─► batches ─► assembler ─┴─► store
//! ```
//!
//! A turn takes six cycles. Room in the store is there before a read is asked for, so beats are always taken (T107). A queue
//! pair is entered when slots are posted and when one is taken; nothing is fetched in RESET and ERR, where the flush of
//! [`super::ReceiveQueue`] completes what no message has completed.
use super::{ReceiveBatch, ReceiveFetch, ReceiveStore};
use crate::sq::{ClearOrder, FetchedSlot, ReadyQueue, SlotAssembler};
use crate::types::{QpControl, ReadClient, ReadCommand, RqContext};
use crate::widgets::{ChannelSource, Memory, SlackFifo, Slot};
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Steps of a turn.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FetchState {
    /// Take a ready queue pair.
    Choose,
    /// Its counts arrive.
    Look,
    /// They are subtracted,
    Compare,
    /// compared,
    Cut,
    /// and the batch goes.
    Act,
    /// The ready queue takes the queue pair back.
    Enter,
}

/// Prefetch of 2^RB WQEs (DEPTH) for each of QPS = 2^QA queue pairs on a bus of DATA bits; WA = QA + RB; 2^BA batches in flight.
#[derive(LogicBlock)]
pub struct ReceivePrefetch<
    const DATA: usize,
    const QA: usize,
    const QPS: usize,
    const RB: usize,
    const WA: usize,
    const DEPTH: usize,
    const BA: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; no read may be on its way.
    pub reset: Signal<In, Bit>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, RqContext>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Slots posted, as [`super::ReceiveQueue`] stores them: a count is stored,
    pub posted_write: Signal<In, Bit>,
    /// of this queue pair,
    pub posted_index: Signal<In, Bits<QA>>,
    /// this one. Not more often than once in three cycles.
    pub posted_count: Signal<In, Bits<16>>,
    /// Reads of slots.
    pub fetch: ReadClient<DATA>,
    /// Queue pair that the judge asks about.
    pub rq_index: Signal<In, Bits<8>>,
    /// A WQE is there, one cycle later.
    pub rq_ready: Signal<Out, Bit>,
    /// None is there, but one is posted: it comes (T55).
    pub rq_pending: Signal<Out, Bit>,
    /// The one that is there could not be read.
    pub rq_failed: Signal<Out, Bit>,
    /// Its four SGEs.
    pub rq_wqe: Signal<Out, Bits<512>>,
    /// Its slot.
    pub rq_slot: Signal<Out, Bits<16>>,
    /// It is taken; `rq_index` as in the cycle before.
    pub rq_take: Signal<In, Bit>,
    /// Queue pair to tell about.
    pub status_index: Signal<In, Bits<8>>,
    /// A fetch of it is on its way, two cycles later (T6).
    pub status_busy: Signal<Out, Bit>,
    cache: ReceiveStore<QA, QPS, RB, WA>,
    batch: ReceiveBatch<DEPTH>,
    assembler: SlotAssembler<DATA>,
    ready: ReadyQueue<QA, QPS>,
    batches: SlackFifo<ReceiveFetch, BA, 2>,
    commands: Slot<ReadCommand>,
    clear: ClearOrder<QA>,
    contexts: Memory<RqContext, QA>,
    posted: Memory<Bits<16>, QA>,
    asked: Memory<Bits<16>, QA>,
    asked_copy: Memory<Bits<16>, QA>,
    state: DFF<FetchState>,
    turn_qp: DFF<Bits<QA>>,
    fetches: DFF<Bit>,
    posts: DFF<Bit>,
    post_qp: DFF<Bits<QA>>,
    number: DFF<Bits<5>>,
    busy: DFF<Bit>,
    context_qp: Signal<Local, Bits<QA>>,
    takes: Signal<Local, Bit>,
    known: Signal<Local, RqContext>,
    starts: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    takes_back: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<16>>,
    asked_write: Signal<Local, Bit>,
    asked_row: Signal<Local, Bits<QA>>,
    asked_next: Signal<Local, Bits<16>>,
    fetched: Signal<Local, ReceiveFetch>,
    arrives: Signal<Local, Bit>,
    count: Signal<Local, Bits<16>>,
    last: Signal<Local, Bits<5>>,
    slot: Signal<Local, FetchedSlot>,
    judge_qp: Signal<Local, Bits<QA>>,
    status_qp: Signal<Local, Bits<QA>>,
    status_row: DFF<Bits<QA>>,
    reset_state: Constant<Bits<3>>,
    error_state: Constant<Bits<3>>,
}

impl<
        const DATA: usize,
        const QA: usize,
        const QPS: usize,
        const RB: usize,
        const WA: usize,
        const DEPTH: usize,
        const BA: usize,
    > Default for ReceivePrefetch<DATA, QA, QPS, RB, WA, DEPTH, BA>
{
    fn default() -> Self {
        assert_eq!(DEPTH, 1 << RB, "WQEs of a queue pair");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            context_row: Default::default(),
            control: Default::default(),
            posted_write: Default::default(),
            posted_index: Default::default(),
            posted_count: Default::default(),
            fetch: Default::default(),
            rq_index: Default::default(),
            rq_ready: Default::default(),
            rq_pending: Default::default(),
            rq_failed: Default::default(),
            rq_wqe: Default::default(),
            rq_slot: Default::default(),
            rq_take: Default::default(),
            status_index: Default::default(),
            status_busy: Default::default(),
            cache: Default::default(),
            batch: Default::default(),
            assembler: Default::default(),
            ready: Default::default(),
            batches: Default::default(),
            commands: Default::default(),
            clear: Default::default(),
            contexts: Default::default(),
            posted: Default::default(),
            asked: Default::default(),
            asked_copy: Default::default(),
            state: Default::default(),
            turn_qp: Default::default(),
            fetches: Default::default(),
            posts: Default::default(),
            post_qp: Default::default(),
            number: Default::default(),
            busy: Default::default(),
            context_qp: Default::default(),
            takes: Default::default(),
            known: Default::default(),
            starts: Default::default(),
            again: Default::default(),
            enters: Default::default(),
            takes_back: Default::default(),
            bytes: Default::default(),
            asked_write: Default::default(),
            asked_row: Default::default(),
            asked_next: Default::default(),
            fetched: Default::default(),
            arrives: Default::default(),
            count: Default::default(),
            last: Default::default(),
            slot: Default::default(),
            judge_qp: Default::default(),
            status_qp: Default::default(),
            status_row: Default::default(),
            reset_state: Constant::new(qp::RESET.to_bits()),
            error_state: Constant::new(qp::ERR.to_bits()),
        }
    }
}

impl<
        const DATA: usize,
        const QA: usize,
        const QPS: usize,
        const RB: usize,
        const WA: usize,
        const DEPTH: usize,
        const BA: usize,
    > Logic for ReceivePrefetch<DATA, QA, QPS, RB, WA, DEPTH, BA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, turn_qp, fetches, posts, post_qp, number, busy, status_row);
        clock!(
            self, clock, cache, batch, assembler, ready, batches, commands, clear, contexts, posted, asked, asked_copy
        );
        self.cache.reset.next = self.reset.val();
        self.assembler.reset.next = self.reset.val();
        self.ready.reset.next = self.reset.val();
        self.batches.reset.next = self.reset.val();
        self.commands.reset.next = self.reset.val();
        self.clear.reset.next = self.reset.val();

        // Contexts and posted counts; who has something to fetch.
        self.context_qp.next = bit_cast::<QA, 8>(self.context_index.val());
        self.cache.control.next = self.control.val();
        self.cache.context_write.next = self.context_write.val();
        self.cache.context_index.next = self.context_qp.val();
        self.cache.context_row.next = self.context_row.val();
        self.cache.posted_write.next = self.posted_write.val();
        self.cache.posted_index.next = self.posted_index.val();
        self.cache.posted_count.next = self.posted_count.val();
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_address.next = self.context_qp.val();
        self.contexts.data.next = self.context_row.val();
        self.posted.write.next = self.posted_write.val();
        self.posted.write_address.next = self.posted_index.val();
        self.posted.data.next = self.posted_count.val();
        self.judge_qp.next = bit_cast::<QA, 8>(self.rq_index.val());
        self.ready.wake.next = self.rq_take.val();
        self.ready.wake_index.next = self.judge_qp.val();
        if self.ready.push.ready.val() {
            self.posts.d.next = false;
        }
        if self.posted_write.val() {
            self.posts.d.next = true;
            self.post_qp.d.next = self.posted_index.val();
        }

        // Choose and look.
        self.takes.next = (self.state.q.val() == FetchState::Choose)
            & self.ready.source.valid.val()
            & self.commands.sink.ready.val()
            & !self.batches.crowded.val();
        self.ready.source.ready.next = self.takes.val();
        if self.takes.val() {
            self.turn_qp.d.next = self.ready.source.data.val();
        }
        self.contexts.read.next = self.takes.val();
        self.contexts.read_address.next = self.ready.source.data.val();
        self.posted.read.next = self.takes.val();
        self.posted.read_address.next = self.ready.source.data.val();
        self.asked.read.next = self.takes.val();
        self.asked.read_address.next = self.ready.source.data.val();
        self.cache.taken_index.next = self.ready.source.data.val();
        self.known.next = self.contexts.out.val();
        self.batch.posted.next = self.posted.out.val();
        self.batch.asked.next = self.asked.out.val();
        self.batch.taken.next = self.cache.taken.val();
        self.batch.base.next = self.known.val().base;
        self.batch.log2.next = self.known.val().log2;
        self.fetches.d.next =
            (self.known.val().state != self.reset_state.val()) & (self.known.val().state != self.error_state.val());

        // Act.
        self.starts.next =
            (self.state.q.val() == FetchState::Act) & self.fetches.q.val() & self.batch.slots.val().any();
        self.again.next = self.starts.val() & self.batch.more.val();
        self.enters.next = self.again.val() | (self.state.q.val() == FetchState::Enter);
        self.takes_back.next = self.ready.push.ready.val() & !self.posts.q.val();
        self.ready.push.valid.next = self.posts.q.val() | self.enters.val();
        self.ready.push.data.next = self.turn_qp.q.val();
        if self.posts.q.val() {
            self.ready.push.data.next = self.post_qp.q.val();
        }
        self.bytes.next = bit_cast::<16, 5>(self.batch.slots.val());
        self.commands.sink.valid.next = self.starts.val();
        self.commands.sink.data.next.address = self.batch.address.val();
        self.commands.sink.data.next.length = self.bytes.val() << 6;
        ChannelSource::<ReadCommand>::link(&mut self.fetch.command, &mut self.commands.source);
        self.batches.write.next = self.starts.val();
        self.batches.data.next.qp = bit_cast::<8, QA>(self.turn_qp.q.val());
        self.batches.data.next.first = self.batch.first.val();
        self.batches.data.next.slots = self.batch.slots.val();
        self.clear.control.next = self.control.val();
        self.clear.busy.next = self.starts.val();
        self.asked_write.next = self.starts.val() | self.clear.clears.val();
        self.asked_row.next = self.turn_qp.q.val();
        self.asked_next.next = self.batch.after.val();
        if self.clear.clears.val() {
            self.asked_row.next = self.clear.index.val();
            self.asked_next.next = 0.into();
        }
        self.asked.write.next = self.asked_write.val();
        self.asked.write_address.next = self.asked_row.val();
        self.asked.data.next = self.asked_next.val();
        self.asked_copy.write.next = self.asked_write.val();
        self.asked_copy.write_address.next = self.asked_row.val();
        self.asked_copy.data.next = self.asked_next.val();

        // Slots arrive.
        self.assembler.sink.valid.next = self.fetch.beat_valid.val();
        self.assembler.sink.data.next = self.fetch.beat_data.val();
        self.assembler.sink_error.next = self.fetch.beat_error.val();
        self.assembler.source.ready.next = true;
        self.slot.next = self.assembler.source.data.val();
        self.fetched.next = self.batches.source.data.val();
        self.arrives.next = self.assembler.source.valid.val();
        self.count.next = self.fetched.val().first + bit_cast::<16, 5>(self.number.q.val());
        self.last.next = self.fetched.val().slots - 1;
        self.batches.source.ready.next = self.arrives.val() & (self.number.q.val() == self.last.val());
        if self.arrives.val() {
            self.number.d.next = self.number.q.val() + 1;
            if self.number.q.val() == self.last.val() {
                self.number.d.next = 0.into();
            }
        }
        self.cache.store.next = self.arrives.val();
        self.cache.store_index.next = bit_cast::<QA, 8>(self.fetched.val().qp);
        self.cache.store_count.next = self.count.val();
        self.cache.wqe.next.wqe = self.slot.val().wqe;
        self.cache.wqe.next.error = self.slot.val().error;

        // Judge and status.
        self.cache.rq_index.next = self.rq_index.val();
        self.cache.rq_take.next = self.rq_take.val();
        self.rq_ready.next = self.cache.rq_ready.val();
        self.rq_pending.next = self.cache.rq_pending.val();
        self.rq_failed.next = self.cache.rq_failed.val();
        self.rq_wqe.next = self.cache.rq_wqe.val();
        self.rq_slot.next = self.cache.rq_slot.val();
        self.status_qp.next = bit_cast::<QA, 8>(self.status_index.val());
        self.status_row.d.next = self.status_qp.val();
        self.asked_copy.read.next = true;
        self.asked_copy.read_address.next = self.status_qp.val();
        self.cache.arrived_index.next = self.status_qp.val();
        // A turn of it may be about to ask.
        self.busy.d.next = (self.asked_copy.out.val() != self.cache.arrived.val())
            | ((self.state.q.val() != FetchState::Choose) & (self.turn_qp.q.val() == self.status_row.q.val()));
        self.status_busy.next = self.busy.q.val();

        match self.state.q.val() {
            FetchState::Choose => {
                if self.takes.val() {
                    self.state.d.next = FetchState::Look;
                }
            }
            FetchState::Look => self.state.d.next = FetchState::Compare,
            FetchState::Compare => self.state.d.next = FetchState::Cut,
            FetchState::Cut => self.state.d.next = FetchState::Act,
            FetchState::Act => {
                self.state.d.next = FetchState::Choose;
                if self.again.val() & !self.takes_back.val() {
                    self.state.d.next = FetchState::Enter;
                }
            }
            FetchState::Enter => {
                if self.takes_back.val() {
                    self.state.d.next = FetchState::Choose;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = FetchState::Choose;
            self.posts.d.next = false;
            self.number.d.next = 0.into();
        }
    }
}
