//! The tables of the send queues: contexts (written by `qp` alone) and the three counts of a queue pair, each with one writer
//! (rule T8) and a copy for each reader. Latency one cycle; the status two.
use super::FetchPoint;
use crate::types::SqContext;
use crate::widgets::Table;
use rust_hdl::prelude::*;

/// Tables of 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct SendTables<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, SqContext>,
    /// Row of the posted and fetched counts that the scheduler writes.
    pub write_index: Signal<In, Bits<QA>>,
    /// Writes the posted count.
    pub posted_write: Signal<In, Bit>,
    /// Posted count to write.
    pub posted_next: Signal<In, Bits<16>>,
    /// Writes the fetched count.
    pub fetched_write: Signal<In, Bit>,
    /// Fetched count to write.
    pub fetched_next: Signal<In, Bits<16>>,
    /// Writes the retired count.
    pub retired_write: Signal<In, Bit>,
    /// Its row.
    pub retired_index: Signal<In, Bits<QA>>,
    /// Retired count to write.
    pub retired_next: Signal<In, Bits<16>>,
    /// The cursor tells where fetching goes on.
    pub point_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub point_index: Signal<In, Bits<8>>,
    /// Where.
    pub point_row: Signal<In, FetchPoint>,
    /// Row that the scheduler reads.
    pub scheduler_index: Signal<In, Bits<QA>>,
    /// Its context.
    pub scheduler_context: Signal<Out, SqContext>,
    /// Where its fetching goes on after a rewind.
    pub scheduler_point: Signal<Out, FetchPoint>,
    /// Its posted count.
    pub scheduler_posted: Signal<Out, Bits<16>>,
    /// Its fetched count.
    pub scheduler_fetched: Signal<Out, Bits<16>>,
    /// Its retired count.
    pub scheduler_retired: Signal<Out, Bits<16>>,
    /// Row that the decoder reads.
    pub decoder_index: Signal<In, Bits<QA>>,
    /// Its context.
    pub decoder_context: Signal<Out, SqContext>,
    /// Row that retirement reads.
    pub retire_index: Signal<In, Bits<QA>>,
    /// Its context.
    pub retire_context: Signal<Out, SqContext>,
    /// Its retired count.
    pub retire_retired: Signal<Out, Bits<16>>,
    /// Queue pair to tell about.
    pub status_index: Signal<In, Bits<8>>,
    /// Slots posted.
    pub status_posted: Signal<Out, Bits<16>>,
    /// Slots fetched.
    pub status_fetched: Signal<Out, Bits<16>>,
    /// Slots retired.
    pub status_retired: Signal<Out, Bits<16>>,
    /// Slots started, if its cursor stands still.
    pub status_limit: Signal<Out, Bits<16>>,
    contexts: Table<SqContext, QA, 3>,
    posted: Table<Bits<16>, QA, 2>,
    fetched: Table<Bits<16>, QA, 2>,
    retired: Table<Bits<16>, QA, 3>,
    points: Table<FetchPoint, QA, 2>,
    asked: DFF<Bits<8>>,
    row: Signal<Local, Bits<QA>>,
}

impl<const QA: usize> Logic for SendTables<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked);
        clock!(self, clock, contexts, posted, fetched, retired, points);
        self.asked.d.next = self.status_index.val();
        self.row.next = bit_cast::<QA, 8>(self.asked.q.val());

        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.contexts.data.next = self.context_row.val();
        self.contexts.index[0].next = self.scheduler_index.val();
        self.contexts.index[1].next = self.decoder_index.val();
        self.contexts.index[2].next = self.retire_index.val();
        self.scheduler_context.next = self.contexts.out[0].val();
        self.decoder_context.next = self.contexts.out[1].val();
        self.retire_context.next = self.contexts.out[2].val();

        self.posted.clearing.next = self.clearing.val();
        self.posted.clear_index.next = self.clear_index.val();
        self.posted.write.next = self.posted_write.val();
        self.posted.write_index.next = self.write_index.val();
        self.posted.data.next = self.posted_next.val();
        self.posted.index[0].next = self.scheduler_index.val();
        self.posted.index[1].next = self.row.val();
        self.scheduler_posted.next = self.posted.out[0].val();
        self.status_posted.next = self.posted.out[1].val();

        self.fetched.clearing.next = self.clearing.val();
        self.fetched.clear_index.next = self.clear_index.val();
        self.fetched.write.next = self.fetched_write.val();
        self.fetched.write_index.next = self.write_index.val();
        self.fetched.data.next = self.fetched_next.val();
        self.fetched.index[0].next = self.scheduler_index.val();
        self.fetched.index[1].next = self.row.val();
        self.scheduler_fetched.next = self.fetched.out[0].val();
        self.status_fetched.next = self.fetched.out[1].val();

        self.points.clearing.next = self.clearing.val();
        self.points.clear_index.next = self.clear_index.val();
        self.points.write.next = self.point_write.val();
        self.points.write_index.next = bit_cast::<QA, 8>(self.point_index.val());
        self.points.data.next = self.point_row.val();
        self.points.index[0].next = self.scheduler_index.val();
        self.points.index[1].next = self.row.val();
        self.scheduler_point.next = self.points.out[0].val();
        self.status_limit.next = self.points.out[1].val().limit;

        self.retired.clearing.next = self.clearing.val();
        self.retired.clear_index.next = self.clear_index.val();
        self.retired.write.next = self.retired_write.val();
        self.retired.write_index.next = self.retired_index.val();
        self.retired.data.next = self.retired_next.val();
        self.retired.index[0].next = self.scheduler_index.val();
        self.retired.index[1].next = self.row.val();
        self.retired.index[2].next = self.retire_index.val();
        self.scheduler_retired.next = self.retired.out[0].val();
        self.status_retired.next = self.retired.out[1].val();
        self.retire_retired.next = self.retired.out[2].val();
    }
}
