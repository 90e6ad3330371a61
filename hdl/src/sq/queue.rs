//! The send queues: from doorbell to work item, and from outcome to completion.
//!
//! ```text
//! doorbell -> Scheduler -> fetch command      beats -> Prefetch: Pool -> SlotAssembler -> Decoder -> work item
//!              |  |   ^                                                                    ^
//!              |  |   +- ReadyQueue <- wake       batches in order ------------------------+
//!              |  +---------------------------------^
//!              +- posted, fetched counts          outcome -> Retire -> CQE, retired count
//! ```
//!
//! One slot a cycle at DATA 512, one in 8 cycles at DATA 64. The pool hides the latency of memory.
use super::{Prefetch, ReadyQueue, Retire, Scheduler, SendTables};
use crate::types::{CqeRequest, Doorbell, QpControl, ReadClient, ReadCommand, SqContext, WorkItem, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource, Stage};
use rust_hdl::prelude::*;

/// Send queues of QPS = 2^QA queue pairs, with a pool of 2^PA beats of DATA bits and 2^BA batches: `<64, 3, 8, 7, 4>` for the
/// preset tiny, `<64, 4, 16, 9, 5>` for small, `<512, 8, 256, 8, 6>` for large.
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
    commands: Stage<ReadCommand>,
    drops: Stage<Bits<8>>,
    prefetch: Prefetch<DATA, QA, QPS, PA, BA>,
    retire: Retire<QA>,
    tables: SendTables<QA>,
    orders: Signal<Local, QpControl>,
    woken: Signal<Local, Bits<8>>,
}

impl<const DATA: usize, const QA: usize, const QPS: usize, const PA: usize, const BA: usize> Logic
    for SendQueue<DATA, QA, QPS, PA, BA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, scheduler, ready, commands, drops, prefetch, retire, tables);
        self.scheduler.reset.next = self.reset.val();
        self.ready.reset.next = self.reset.val();
        self.commands.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.prefetch.reset.next = self.reset.val();
        self.retire.reset.next = self.reset.val();
        self.scheduler.control.next = self.control.val();
        self.prefetch.control.next = self.control.val();
        self.retire.control.next = self.control.val();
        self.orders.next = self.control.val();
        self.woken.next = self.orders.val().index;
        self.ready.wake.next = self.orders.val().wake;
        self.ready.wake_index.next = bit_cast::<QA, 8>(self.woken.val());

        // Doorbells and fetches.
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.scheduler.doorbell);
        ChannelSource::<Bits<8>>::join(&mut self.scheduler.drop, &mut self.drops.sink);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
        ChannelSource::<Bits<QA>>::join(&mut self.ready.source, &mut self.scheduler.ready);
        ChannelSource::<Bits<QA>>::join(&mut self.scheduler.push, &mut self.ready.push);
        ChannelSource::<ReadCommand>::join(&mut self.scheduler.command, &mut self.commands.sink);
        ChannelSource::<ReadCommand>::link(&mut self.fetch.command, &mut self.commands.source);
        self.scheduler.room.next = self.prefetch.room.val();
        self.prefetch.starts.next = self.scheduler.starts.val();
        self.prefetch.batch.next = self.scheduler.batch.val();

        // Slots to work items, outcomes to completions.
        self.prefetch.beat_valid.next = self.fetch.beat_valid.val();
        self.prefetch.beat_data.next = self.fetch.beat_data.val();
        self.prefetch.beat_error.next = self.fetch.beat_error.val();
        ChannelSource::<WorkItem>::link(&mut self.work, &mut self.prefetch.work);
        ChannelSink::<WorkOutcome>::link(&mut self.outcome, &mut self.retire.outcome);
        ChannelSource::<CqeRequest>::link(&mut self.cqe, &mut self.retire.cqe);
        ChannelSource::<Bits<8>>::link(&mut self.syndrome, &mut self.retire.syndrome);
        self.failed.next = self.retire.failed.val();
        self.failed_index.next = self.retire.failed_index.val();

        // Tables.
        self.tables.clearing.next = self.clearing.val();
        self.tables.clear_index.next = self.clear_index.val();
        self.tables.context_write.next = self.context_write.val();
        self.tables.context_index.next = self.context_index.val();
        self.tables.context_row.next = self.context_row.val();
        self.tables.write_index.next = self.scheduler.write_index.val();
        self.tables.posted_write.next = self.scheduler.posted_write.val();
        self.tables.posted_next.next = self.scheduler.posted_next.val();
        self.tables.fetched_write.next = self.scheduler.fetched_write.val();
        self.tables.fetched_next.next = self.scheduler.fetched_next.val();
        self.tables.retired_write.next = self.retire.write.val();
        self.tables.retired_index.next = self.retire.write_index.val();
        self.tables.retired_next.next = self.retire.retired_next.val();
        self.tables.scheduler_index.next = self.scheduler.index.val();
        self.tables.decoder_index.next = self.prefetch.index.val();
        self.tables.retire_index.next = self.retire.index.val();
        self.tables.status_index.next = self.status_index.val();
        self.scheduler.context_row.next = self.tables.scheduler_context.val();
        self.scheduler.posted.next = self.tables.scheduler_posted.val();
        self.scheduler.fetched.next = self.tables.scheduler_fetched.val();
        self.scheduler.retired.next = self.tables.scheduler_retired.val();
        self.prefetch.context_row.next = self.tables.decoder_context.val();
        self.retire.context_row.next = self.tables.retire_context.val();
        self.retire.retired.next = self.tables.retire_retired.val();
        self.status_posted.next = self.tables.status_posted.val();
        self.status_fetched.next = self.tables.status_fetched.val();
        self.status_retired.next = self.tables.status_retired.val();
    }
}
