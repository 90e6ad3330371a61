//! The send queues: from doorbell to work item and frame, and from outcome and acknowledgement to completion.
//!
//! ```text
//! doorbell -> Scheduler -> fetch command      beats -> Prefetch: Pool -> SlotAssembler -> Decoder -> work item
//!              |  |   ^                                                                    |    ^
//!              |  |   +- ReadyQueue <- wake       batches in order ------------------------+    |
//!              |  +---------------------------------^                                      v    |
//!              |  ^                                                             held WQE -> Cursor -> frame
//!              |  +--- rewinds --------------------------------------------------------------+
//!              +- posted, fetched counts      outcome -> Outcomes -> Retire -> CQE, retired count
//!                                                          |   ^
//!             acknowledgements, frames done, lost -> RetireWalk +
//! ```
//!
//! Local operations of queue pairs without outstanding WQEs: one slot a cycle at DATA 512, one in 8 cycles at DATA 64. A WQE
//! that the cursor sends: 8 cycles. The pool hides the latency of memory.
use super::{
    Completion, Cursor, CursorRow, HeldWqe, LostFrame, Outcomes, Prefetch, ReadyQueue, Retire, RetireWalk, Returned,
    Rivals, Scheduler, SendTables, WakeSet,
};
use crate::rx::{AckOrder, AckState, OpenRead, ReadSink, RequesterContext, SendPublic};
use crate::types::{CqeRequest, Doorbell, QpControl, ReadClient, ReadCommand, SqContext, WorkItem, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource, Slot, Stage};
use crate::wire::{Span, TxFrame};
use rust_hdl::prelude::*;

/// Send queues of QPS = 2^QA queue pairs with 2^OA outstanding WQEs each (RA = QA + OA), with a pool of 2^PA beats of DATA bits
/// and 2^BA batches: `<64, 3, 8, 7, 4, 4, 7>` for the preset tiny, `<64, 4, 16, 9, 5, 5, 9>` for small,
/// `<512, 8, 256, 8, 6, 7, 15>` for large.
#[derive(LogicBlock)]
pub struct SendQueue<
    const DATA: usize,
    const QA: usize,
    const QPS: usize,
    const PA: usize,
    const BA: usize,
    const OA: usize,
    const RA: usize,
> {
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
    /// First PSN of a queue pair, before it enters RTS for the first time in its life.
    pub order: ChannelSink<AckOrder>,
    /// Writes the attributes of a queue pair.
    pub attributes_write: Signal<In, Bit>,
    /// Its index.
    pub attributes_index: Signal<In, Bits<8>>,
    /// The attributes.
    pub attributes_row: Signal<In, RequesterContext>,
    /// Packets that may be unacknowledged (T18).
    pub window: Signal<In, Bits<24>>,
    /// The engine of acknowledgements writes a state.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// A count of stored READs and atomics is written.
    pub done_write: Signal<In, Bit>,
    /// Its queue pair.
    pub done_index: Signal<In, Bits<8>>,
    /// The count.
    pub done_count: Signal<In, Bits<18>>,
    /// Queue pairs of which data of responses may still be written.
    pub landing_all: Signal<In, Bits<QPS>>,
    /// Data of responses have landed.
    pub landed: Signal<In, Bit>,
    /// Of this queue pair.
    pub landed_index: Signal<In, Bits<8>>,
    /// A frame is complete in the builder, or has vanished.
    pub frame_done: Signal<In, Bit>,
    /// Its tag.
    pub frame_tag: Signal<In, Bits<32>>,
    /// Frames that could not be gathered.
    pub lost: ChannelSink<LostFrame>,
    /// A lost frame came to nothing (T49),
    pub voided: Signal<Out, Bit>,
    /// of this queue pair.
    pub voided_index: Signal<Out, Bits<8>>,
    /// Frames for the gather; those without payload too, because they must not overtake.
    pub frame: ChannelSource<TxFrame>,
    /// Payload of the frame offered.
    pub span: Signal<Out, Span>,
    /// What the cursor tells of itself is written (record PUB).
    pub public_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub public_index: Signal<Out, Bits<8>>,
    /// What it tells.
    pub public_row: Signal<Out, SendPublic>,
    /// A READ or atomic is opened (record RT).
    pub open_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub open_index: Signal<Out, Bits<8>>,
    /// Its place in the ring.
    pub open_slot: Signal<Out, Bits<4>>,
    /// Its head.
    pub open_head: Signal<Out, OpenRead>,
    /// Its SGEs.
    pub open_sink: Signal<Out, ReadSink>,
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
    /// Nothing that was fetched waits to be dropped. A queue pair rests (T6) when moreover all fetched slots are retired.
    pub status_settled: Signal<Out, Bit>,
    /// Slots that have been started, for rule T77; what is fetched and held back has not.
    pub status_started: Signal<Out, Bits<16>>,
    scheduler: Scheduler<QA, QPS, OA>,
    ready: ReadyQueue<QA, QPS>,
    wakes: WakeSet<QPS, QA, 2>,
    rewinds: WakeSet<QPS, QA, 1>,
    commands: Slot<ReadCommand>,
    drops: Stage<Bits<8>>,
    prefetch: Prefetch<DATA, QA, QPS, PA, BA>,
    rivals: Rivals<QA>,
    cursor: Cursor<QA, QPS, OA, RA>,
    returned: Returned<QA, 6>,
    outcomes: Outcomes<QA, QPS>,
    walker: RetireWalk<QA, QPS, OA, RA>,
    retire: Retire<QA>,
    tables: SendTables<QA>,
    orders: Signal<Local, QpControl>,
    woken: Signal<Local, Bits<8>>,
    row: Signal<Local, CursorRow>,
    retired_qp: Signal<Local, Bits<8>>,
    retired_place: Signal<Local, Bits<QA>>,
    asked: DFF<Bits<8>>,
    settled: DFF<Bit>,
    asked_qp: Signal<Local, Bits<QA>>,
}

impl<
        const DATA: usize,
        const QA: usize,
        const QPS: usize,
        const PA: usize,
        const BA: usize,
        const OA: usize,
        const RA: usize,
    > Default for SendQueue<DATA, QA, QPS, PA, BA, OA, RA>
{
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
            order: Default::default(),
            attributes_write: Default::default(),
            attributes_index: Default::default(),
            attributes_row: Default::default(),
            window: Default::default(),
            state_write: Default::default(),
            state_index: Default::default(),
            state_row: Default::default(),
            done_write: Default::default(),
            done_index: Default::default(),
            done_count: Default::default(),
            landing_all: Default::default(),
            landed: Default::default(),
            landed_index: Default::default(),
            frame_done: Default::default(),
            frame_tag: Default::default(),
            lost: Default::default(),
            voided: Default::default(),
            voided_index: Default::default(),
            frame: Default::default(),
            span: Default::default(),
            public_write: Default::default(),
            public_index: Default::default(),
            public_row: Default::default(),
            open_write: Default::default(),
            open_index: Default::default(),
            open_slot: Default::default(),
            open_head: Default::default(),
            open_sink: Default::default(),
            fetch: Default::default(),
            work: Default::default(),
            outcome: Default::default(),
            cqe: Default::default(),
            failed: Default::default(),
            failed_index: Default::default(),
            syndrome: Default::default(),
            drop: Default::default(),
            status_index: Default::default(),
            status_fetched: Default::default(),
            status_retired: Default::default(),
            status_posted: Default::default(),
            status_settled: Default::default(),
            status_started: Default::default(),
            scheduler: Default::default(),
            ready: Default::default(),
            wakes: Default::default(),
            rewinds: Default::default(),
            commands: Default::default(),
            drops: Default::default(),
            prefetch: Default::default(),
            rivals: Default::default(),
            cursor: Cursor::new(DATA),
            returned: Default::default(),
            outcomes: Default::default(),
            walker: Default::default(),
            retire: Default::default(),
            tables: Default::default(),
            orders: Default::default(),
            woken: Default::default(),
            row: Default::default(),
            retired_qp: Default::default(),
            retired_place: Default::default(),
            asked: Default::default(),
            settled: Default::default(),
            asked_qp: Default::default(),
        }
    }
}

impl<
        const DATA: usize,
        const QA: usize,
        const QPS: usize,
        const PA: usize,
        const BA: usize,
        const OA: usize,
        const RA: usize,
    > Logic for SendQueue<DATA, QA, QPS, PA, BA, OA, RA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked, settled);
        clock!(self, clock, scheduler, ready, wakes, rewinds, commands, drops, prefetch, cursor, returned, outcomes);
        clock!(self, clock, rivals);
        clock!(self, clock, walker, retire, tables);
        self.scheduler.reset.next = self.reset.val();
        self.ready.reset.next = self.reset.val();
        self.wakes.reset.next = self.reset.val();
        self.rewinds.reset.next = self.reset.val();
        self.commands.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.prefetch.reset.next = self.reset.val();
        self.cursor.reset.next = self.reset.val();
        self.returned.reset.next = self.reset.val();
        self.outcomes.reset.next = self.reset.val();
        self.walker.reset.next = self.reset.val();
        self.retire.reset.next = self.reset.val();
        self.scheduler.control.next = self.control.val();
        self.prefetch.control.next = self.control.val();
        self.cursor.control.next = self.control.val();
        self.outcomes.control.next = self.control.val();
        self.walker.control.next = self.control.val();
        self.retire.control.next = self.control.val();
        self.orders.next = self.control.val();

        // Queue pairs to fetch: woken by `qp`, or because the table of outstanding WQEs has room again.
        self.retired_place.next = self.retire.write_index.val();
        self.retired_qp.next = bit_cast::<8, QA>(self.retire.write_index.val());
        self.wakes.wake[0].next = self.orders.val().wake;
        self.wakes.index[0].next = self.orders.val().index;
        self.wakes.wake[1].next =
            self.retire.write.val() & self.cursor.engaged_all.val().get_bit(self.retired_place.val().index());
        self.wakes.index[1].next = self.retired_qp.val();
        self.wakes.source.ready.next = true;
        self.woken.next = self.wakes.source.data.val();
        self.ready.wake.next = self.wakes.source.valid.val();
        self.ready.wake_index.next = bit_cast::<QA, 8>(self.woken.val());
        self.rewinds.wake[0].next = self.cursor.rewind.val();
        self.rewinds.index[0].next = self.cursor.rewind_index.val();
        ChannelSource::<Bits<8>>::join(&mut self.rewinds.source, &mut self.scheduler.rewind);

        // Doorbells and fetches.
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.scheduler.doorbell);
        ChannelSource::<Bits<8>>::join(&mut self.scheduler.drop, &mut self.drops.sink);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
        ChannelSource::<Bits<QA>>::join(&mut self.ready.source, &mut self.scheduler.ready);
        ChannelSource::<Bits<QA>>::join(&mut self.scheduler.push, &mut self.ready.push);
        ChannelSource::<ReadCommand>::join(&mut self.scheduler.command, &mut self.commands.sink);
        ChannelSource::<ReadCommand>::link(&mut self.fetch.command, &mut self.commands.source);
        self.scheduler.room.next = self.prefetch.room.val();
        self.scheduler.parked_all.next = self.cursor.parked_all.val();
        self.scheduler.engaged_all.next = self.cursor.engaged_all.val();
        self.prefetch.starts.next = self.scheduler.starts.val();
        self.prefetch.batch.next = self.scheduler.batch.val();

        // Slots to work items and WQEs.
        self.prefetch.beat_valid.next = self.fetch.beat_valid.val();
        self.prefetch.beat_data.next = self.fetch.beat_data.val();
        self.prefetch.beat_error.next = self.fetch.beat_error.val();
        self.prefetch.engaged_all.next = self.cursor.engaged_all.val();
        self.prefetch.dropping_all.next = self.cursor.dropping_all.val();
        self.prefetch.pass.next = self.cursor.pass.val();
        ChannelSource::<WorkItem>::link(&mut self.work, &mut self.prefetch.work);
        ChannelSource::<HeldWqe>::join(&mut self.prefetch.held, &mut self.cursor.held);

        // The cursor.
        self.cursor.clearing.next = self.clearing.val();
        self.cursor.clear_index.next = self.clear_index.val();
        ChannelSink::<AckOrder>::link(&mut self.order, &mut self.cursor.order);
        self.cursor.window.next = self.window.val();
        self.rivals.current.next = self.cursor.current.val();
        self.rivals.batch.next = self.prefetch.waits.val();
        self.rivals.batch_qp.next = self.prefetch.waiting_qp.val();
        self.rivals.newest_qp.next = self.prefetch.newest_qp.val();
        self.rivals.ready.next = self.ready.source.valid.val();
        self.rivals.ready_qp.next = self.ready.source.data.val();
        self.cursor.others.next = self.rivals.others.val();
        self.cursor.context_write.next = self.context_write.val();
        self.cursor.context_index.next = self.context_index.val();
        self.cursor.context_row.next = self.context_row.val();
        self.cursor.attributes_write.next = self.attributes_write.val();
        self.cursor.attributes_index.next = self.attributes_index.val();
        self.cursor.attributes_row.next = self.attributes_row.val();
        self.cursor.state_write.next = self.state_write.val();
        self.cursor.state_index.next = self.state_index.val();
        self.cursor.state_row.next = self.state_row.val();
        self.cursor.done_write.next = self.done_write.val();
        self.cursor.done_index.next = self.done_index.val();
        self.cursor.done_count.next = self.done_count.val();
        self.cursor.retire_write.next = self.walker.row_write.val();
        self.cursor.retire_index.next = self.walker.row_index.val();
        self.cursor.retire_row.next = self.walker.row_data.val();
        self.cursor.retired_write.next = self.retire.write.val();
        self.cursor.retired_index.next = self.retired_qp.val();
        self.cursor.retired_count.next = self.retire.retired_next.val();
        self.cursor.returned_write.next = self.returned.write.val();
        self.cursor.returned_index.next = self.returned.index.val();
        self.cursor.returned_count.next = self.returned.count.val();
        self.cursor.hold_all.next = self.walker.hold_all.val();
        self.cursor.voided.next = self.walker.voided.val();
        self.cursor.voided_index.next = self.walker.voided_index.val();
        self.voided.next = self.walker.voided.val();
        self.voided_index.next = self.walker.voided_index.val();
        self.walker.cursor_busy.next = self.cursor.busy.val();
        self.walker.cursor_index.next = self.cursor.busy_index.val();
        self.walker.cursor_resends.next = self.cursor.busy_resends.val();
        self.cursor.halted_all.next = self.outcomes.halted_all.val();
        self.cursor.pass_free.next = self.prefetch.pass_free.val();
        self.cursor.land.next = self.prefetch.land.val();
        self.cursor.land_index.next = self.prefetch.land_index.val();
        self.cursor.unpark.next = self.scheduler.unpark.val();
        self.cursor.unpark_index.next = self.scheduler.unpark_index.val();
        ChannelSource::<TxFrame>::link(&mut self.frame, &mut self.cursor.frame);
        self.span.next = self.cursor.span.val();
        self.row.next = self.cursor.row_data.val();
        self.public_write.next = self.cursor.row_write.val();
        self.public_index.next = self.cursor.row_index.val();
        self.public_row.next.hpsn = self.row.val().hpsn;
        self.public_row.next.hseq = self.row.val().hseq;
        self.public_row.next.rd_tail = bit_cast::<5, 18>(self.row.val().rd_tail);
        self.public_row.next.epoch_seen = self.row.val().epoch;
        self.public_row.next.resending = self.row.val().psn != self.row.val().hpsn;
        self.open_write.next = self.cursor.open_write.val();
        self.open_index.next = self.cursor.open_index.val();
        self.open_slot.next = self.cursor.open_slot.val();
        self.open_head.next = self.cursor.open_head.val();
        self.open_sink.next = self.cursor.open_sink.val();

        // Retirement.
        self.returned.clearing.next = self.clearing.val();
        self.returned.clear_index.next = self.clear_index.val();
        self.returned.done.next = self.frame_done.val();
        self.returned.done_tag.next = self.frame_tag.val();
        ChannelSink::<WorkOutcome>::link(&mut self.outcome, &mut self.outcomes.outcome);
        self.outcomes.engaged_all.next = self.cursor.engaged_all.val();
        ChannelSource::<WorkOutcome>::join(&mut self.outcomes.noted, &mut self.walker.outcome);
        ChannelSource::<Completion>::join(&mut self.walker.completion, &mut self.outcomes.walked);
        ChannelSource::<Completion>::join(&mut self.outcomes.completion, &mut self.retire.outcome);
        ChannelSink::<LostFrame>::link(&mut self.lost, &mut self.walker.lost);
        self.walker.clearing.next = self.clearing.val();
        self.walker.clear_index.next = self.clear_index.val();
        self.walker.context_write.next = self.context_write.val();
        self.walker.context_index.next = self.context_index.val();
        self.walker.context_row.next = self.context_row.val();
        self.walker.state_write.next = self.state_write.val();
        self.walker.state_index.next = self.state_index.val();
        self.walker.state_row.next = self.state_row.val();
        self.walker.done_write.next = self.done_write.val();
        self.walker.done_index.next = self.done_index.val();
        self.walker.done_count.next = self.done_count.val();
        self.walker.tail_write.next = self.cursor.row_write.val();
        self.walker.tail_index.next = self.cursor.row_index.val();
        self.walker.tail_row.next.hseq = self.row.val().hseq;
        self.walker.tail_row.next.issued = self.row.val().issued;
        self.walker.tail_row.next.resent = self.row.val().resent;
        self.walker.returned_write.next = self.returned.write.val();
        self.walker.returned_index.next = self.returned.index.val();
        self.walker.returned_count.next = self.returned.count.val();
        self.walker.entry_write.next = self.cursor.entry_write.val();
        self.walker.entry_index.next = self.cursor.entry_index.val();
        self.walker.entry_data.next = self.cursor.entry_data.val();
        self.walker.entry_failed.next = self.cursor.entry_failed.val();
        self.walker.landing_all.next = self.landing_all.val();
        self.walker.landed.next = self.landed.val();
        self.walker.landed_index.next = self.landed_index.val();
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
        self.tables.point_write.next = self.cursor.row_write.val();
        self.tables.point_index.next = self.cursor.row_index.val();
        self.tables.point_row.next.slot = self.row.val().slot;
        self.tables.point_row.next.limit = self.row.val().hslot;
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
        self.scheduler.point.next = self.tables.scheduler_point.val();
        self.scheduler.posted.next = self.tables.scheduler_posted.val();
        self.scheduler.fetched.next = self.tables.scheduler_fetched.val();
        self.scheduler.retired.next = self.tables.scheduler_retired.val();
        self.prefetch.context_row.next = self.tables.decoder_context.val();
        self.retire.context_row.next = self.tables.retire_context.val();
        self.retire.retired.next = self.tables.retire_retired.val();
        self.status_posted.next = self.tables.status_posted.val();
        self.status_fetched.next = self.tables.status_fetched.val();
        self.status_retired.next = self.tables.status_retired.val();
        self.asked.d.next = self.status_index.val();
        self.asked_qp.next = bit_cast::<QA, 8>(self.asked.q.val());
        self.settled.d.next = !self.cursor.dropping_all.val().get_bit(self.asked_qp.val().index())
            & !self.cursor.asleep_all.val().get_bit(self.asked_qp.val().index());
        self.status_settled.next = self.settled.q.val();
        self.status_started.next = self.tables.status_fetched.val();
        if !self.settled.q.val() {
            self.status_started.next = self.tables.status_limit.val();
        }
    }
}
