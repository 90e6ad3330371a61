//! The send queues: from doorbell to work item, and from outcome to completion.
//!
//! ```text
//! doorbell -> Scheduler -> fetch command         beats -> Pool -> SlotAssembler -> Decoder -> work item
//!                |   ^                                                               ^
//!                |   +- ReadyQueue <- wake      batches in order --------------------+
//!                +- posted, fetched counts      outcome -> Retire -> CQE, retired count
//! ```
//!
//! One slot a cycle at DATA 512, one in 8 cycles at DATA 64. The pool hides the latency of memory.
use super::{Batch, Decoder, Pool, ReadyQueue, Retire, Scheduler, SlotAssembler};
use crate::types::{CqeRequest, Doorbell, QpControl, ReadClient, ReadCommand, SqContext, WorkItem, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource, SlackFifo, Stage, Table};
use rust_hdl::prelude::*;

/// Send queues of QPS = 2^QA queue pairs, with a pool of 2^PA beats of DATA bits and 2^BA batches.
#[derive(LogicBlock, Default)]
pub struct SendQueue<const DATA: usize, const QA: usize, const QPS: usize, const PA: usize, const BA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops everything; no fetch may be on its way.
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
    pub context_row: Signal<In, SqContext>,
    /// Orders of `qp`; here `clear` and `wake` count. A wake comes with the context's write or later.
    pub control: Signal<In, QpControl>,
    /// Reads of slots.
    pub fetch: ReadClient<DATA>,
    /// Work items in posting order of each queue pair.
    pub work: ChannelSource<WorkItem>,
    /// Their outcomes, likewise.
    pub outcome: ChannelSink<WorkOutcome>,
    /// Completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// An outcome with an error other than a flush is retired.
    pub failed: Signal<Out, Bit>,
    /// Its queue pair.
    pub failed_index: Signal<Out, Bits<8>>,
    /// Syndromes of errors.
    pub syndrome: ChannelSource<Bits<8>>,
    /// Reasons of dropped doorbells.
    pub drop: ChannelSource<Bits<8>>,
    /// Queue pair to tell about.
    pub status_index: Signal<In, Bits<8>>,
    /// Slots fetched, 2 cycles after the index.
    pub status_fetched: Signal<Out, Bits<16>>,
    /// Slots retired.
    pub status_retired: Signal<Out, Bits<16>>,
    /// Slots posted.
    pub status_posted: Signal<Out, Bits<16>>,
    scheduler: Scheduler<QA>,
    ready: ReadyQueue<QA, QPS>,
    pool: Pool<DATA, PA>,
    batches: SlackFifo<Batch, BA, 4>,
    commands: Stage<ReadCommand>,
    drops: Stage<Bits<8>>,
    assembler: SlotAssembler<DATA>,
    decoder: Decoder<QA, QPS>,
    retire: Retire<QA>,
    contexts: Table<SqContext, QA, 3>,
    posted: Table<Bits<16>, QA, 2>,
    fetched: Table<Bits<16>, QA, 2>,
    retired: Table<Bits<16>, QA, 3>,
    asked: DFF<Bits<8>>,
    orders: Signal<Local, QpControl>,
    woken: Signal<Local, Bits<8>>,
}

impl<const DATA: usize, const QA: usize, const QPS: usize, const PA: usize, const BA: usize> Logic
    for SendQueue<DATA, QA, QPS, PA, BA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked);
        clock!(self, clock, scheduler, ready, pool, batches, commands, drops, assembler, decoder, retire);
        clock!(self, clock, contexts, posted, fetched, retired);
        self.scheduler.reset.next = self.reset.val();
        self.ready.reset.next = self.reset.val();
        self.pool.reset.next = self.reset.val();
        self.batches.reset.next = self.reset.val();
        self.commands.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.assembler.reset.next = self.reset.val();
        self.decoder.reset.next = self.reset.val();
        self.retire.reset.next = self.reset.val();
        self.scheduler.control.next = self.control.val();
        self.decoder.control.next = self.control.val();
        self.retire.control.next = self.control.val();

        // Doorbells and fetches.
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.scheduler.doorbell);
        ChannelSource::<Bits<8>>::join(&mut self.scheduler.drop, &mut self.drops.sink);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
        ChannelSource::<Bits<QA>>::join(&mut self.ready.source, &mut self.scheduler.ready);
        ChannelSource::<Bits<QA>>::join(&mut self.scheduler.push, &mut self.ready.push);
        self.orders.next = self.control.val();
        self.woken.next = self.orders.val().index;
        self.ready.wake.next = self.orders.val().wake;
        self.ready.wake_index.next = bit_cast::<QA, 8>(self.woken.val());
        ChannelSource::<ReadCommand>::join(&mut self.scheduler.command, &mut self.commands.sink);
        ChannelSource::<ReadCommand>::link(&mut self.fetch.command, &mut self.commands.source);
        self.scheduler.room.next = self.pool.room.val() & !self.batches.crowded.val();
        self.pool.reserve.next = self.scheduler.starts.val();
        self.pool.slots.next = self.scheduler.batch.val().slots;
        self.batches.write.next = self.scheduler.starts.val();
        self.batches.data.next = self.scheduler.batch.val();

        // Slots to work items, outcomes to completions.
        self.pool.beat_valid.next = self.fetch.beat_valid.val();
        self.pool.beat_data.next = self.fetch.beat_data.val();
        self.pool.beat_error.next = self.fetch.beat_error.val();
        self.pool.leaves.next = self.assembler.leaves.val();
        ChannelSource::<Bits<DATA>>::join(&mut self.pool.source, &mut self.assembler.sink);
        self.assembler.sink_error.next = self.pool.source_error.val();
        ChannelSource::<super::FetchedSlot>::join(&mut self.assembler.source, &mut self.decoder.slot);
        ChannelSource::<Batch>::join(&mut self.batches.source, &mut self.decoder.batch);
        ChannelSource::<WorkItem>::link(&mut self.work, &mut self.decoder.work);
        ChannelSink::<WorkOutcome>::link(&mut self.outcome, &mut self.retire.outcome);
        ChannelSource::<CqeRequest>::link(&mut self.cqe, &mut self.retire.cqe);
        ChannelSource::<Bits<8>>::link(&mut self.syndrome, &mut self.retire.syndrome);
        self.failed.next = self.retire.failed.val();
        self.failed_index.next = self.retire.failed_index.val();

        // Tables: reader 0 is the scheduler.
        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.contexts.data.next = self.context_row.val();
        self.contexts.index[0].next = self.scheduler.index.val();
        self.contexts.index[1].next = self.decoder.index.val();
        self.contexts.index[2].next = self.retire.index.val();
        self.scheduler.context_row.next = self.contexts.out[0].val();
        self.decoder.context_row.next = self.contexts.out[1].val();
        self.retire.context_row.next = self.contexts.out[2].val();
        self.posted.clearing.next = self.clearing.val();
        self.posted.clear_index.next = self.clear_index.val();
        self.posted.write.next = self.scheduler.posted_write.val();
        self.posted.write_index.next = self.scheduler.write_index.val();
        self.posted.data.next = self.scheduler.posted_next.val();
        self.posted.index[0].next = self.scheduler.index.val();
        self.scheduler.posted.next = self.posted.out[0].val();
        self.fetched.clearing.next = self.clearing.val();
        self.fetched.clear_index.next = self.clear_index.val();
        self.fetched.write.next = self.scheduler.fetched_write.val();
        self.fetched.write_index.next = self.scheduler.write_index.val();
        self.fetched.data.next = self.scheduler.fetched_next.val();
        self.fetched.index[0].next = self.scheduler.index.val();
        self.scheduler.fetched.next = self.fetched.out[0].val();
        self.retired.clearing.next = self.clearing.val();
        self.retired.clear_index.next = self.clear_index.val();
        self.retired.write.next = self.retire.write.val();
        self.retired.write_index.next = self.retire.write_index.val();
        self.retired.data.next = self.retire.retired_next.val();
        self.retired.index[0].next = self.scheduler.index.val();
        self.retired.index[2].next = self.retire.index.val();
        self.scheduler.retired.next = self.retired.out[0].val();
        self.retire.retired.next = self.retired.out[2].val();

        self.asked.d.next = self.status_index.val();
        self.posted.index[1].next = bit_cast::<QA, 8>(self.asked.q.val());
        self.fetched.index[1].next = bit_cast::<QA, 8>(self.asked.q.val());
        self.retired.index[1].next = bit_cast::<QA, 8>(self.asked.q.val());
        self.status_posted.next = self.posted.out[1].val();
        self.status_fetched.next = self.fetched.out[1].val();
        self.status_retired.next = self.retired.out[1].val();
    }
}
