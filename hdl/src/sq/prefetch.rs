//! From the beats of the fetched batches to work items: pool, list of batches, assembler, decoder (rule T22).
//!
//! One slot a cycle at DATA 512, one in 512 / DATA cycles otherwise. Four cycles from a slot's last beat to its work item.
use super::{Batch, Decoder, FetchedSlot, HeldWqe, Pool, SlotAssembler};
use crate::types::{QpControl, SqContext, WorkItem};
use crate::widgets::{ChannelSource, SlackFifo};
use rust_hdl::prelude::*;

/// Prefetch for QPS = 2^QA queue pairs with room for 2^PA beats of DATA bits in 2^BA batches.
#[derive(LogicBlock, Default)]
pub struct Prefetch<const DATA: usize, const QA: usize, const QPS: usize, const PA: usize, const BA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops everything; no beat may be on its way.
    pub reset: Signal<In, Bit>,
    /// A batch of 8 slots has room.
    pub room: Signal<Out, Bit>,
    /// A batch is asked for; three cycles after `room` at the latest, and at most one in four cycles.
    pub starts: Signal<In, Bit>,
    /// That batch; without slots: the mark of a rewind.
    pub batch: Signal<In, Batch>,
    /// A beat arrives.
    pub beat_valid: Signal<In, Bit>,
    /// Its data.
    pub beat_data: Signal<In, Bits<DATA>>,
    /// The bus answered it with an error.
    pub beat_error: Signal<In, Bit>,
    /// Row of the context table to read.
    pub index: Signal<Out, Bits<QA>>,
    /// That row, one cycle later.
    pub context_row: Signal<In, SqContext>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Queue pairs with outstanding WQEs.
    pub engaged_all: Signal<In, Bits<QPS>>,
    /// Queue pairs whose slots are dropped.
    pub dropping_all: Signal<In, Bits<QPS>>,
    /// Work items.
    pub work: ChannelSource<WorkItem>,
    /// WQEs for the cursor.
    pub held: ChannelSource<HeldWqe>,
    /// The cursor passes the held WQE's item on.
    pub pass: Signal<In, Bit>,
    /// It could.
    pub pass_free: Signal<Out, Bit>,
    /// The mark of a rewind has come.
    pub land: Signal<Out, Bit>,
    /// Its queue pair.
    pub land_index: Signal<Out, Bits<8>>,
    /// A batch waits behind the one in hand,
    pub waits: Signal<Out, Bit>,
    /// of this queue pair;
    pub waiting_qp: Signal<Out, Bits<8>>,
    /// the newest batch is of this one.
    pub newest_qp: Signal<Out, Bits<8>>,
    pool: Pool<DATA, PA>,
    batches: SlackFifo<Batch, BA, 4>,
    assembler: SlotAssembler<DATA>,
    decoder: Decoder<QA, QPS>,
    newest: DFF<Bits<8>>,
    next_batch: Signal<Local, Batch>,
}

impl<const DATA: usize, const QA: usize, const QPS: usize, const PA: usize, const BA: usize> Logic
    for Prefetch<DATA, QA, QPS, PA, BA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, newest);
        clock!(self, clock, pool, batches, assembler, decoder);
        self.pool.reset.next = self.reset.val();
        self.batches.reset.next = self.reset.val();
        self.assembler.reset.next = self.reset.val();
        self.decoder.reset.next = self.reset.val();
        self.room.next = self.pool.room.val() & !self.batches.crowded.val();
        self.pool.reserve.next = self.starts.val();
        self.pool.slots.next = self.batch.val().slots;
        self.batches.write.next = self.starts.val();
        self.batches.data.next = self.batch.val();
        self.pool.beat_valid.next = self.beat_valid.val();
        self.pool.beat_data.next = self.beat_data.val();
        self.pool.beat_error.next = self.beat_error.val();
        self.pool.leaves.next = self.assembler.leaves.val();
        self.assembler.sink_error.next = self.pool.source_error.val();
        self.decoder.context_row.next = self.context_row.val();
        self.decoder.control.next = self.control.val();
        self.index.next = self.decoder.index.val();
        ChannelSource::<Bits<DATA>>::join(&mut self.pool.source, &mut self.assembler.sink);
        ChannelSource::<FetchedSlot>::join(&mut self.assembler.source, &mut self.decoder.slot);
        ChannelSource::<Batch>::join(&mut self.batches.source, &mut self.decoder.batch);
        ChannelSource::<WorkItem>::link(&mut self.work, &mut self.decoder.work);
        ChannelSource::<HeldWqe>::link(&mut self.held, &mut self.decoder.held);
        self.decoder.engaged_all.next = self.engaged_all.val();
        self.decoder.dropping_all.next = self.dropping_all.val();
        self.decoder.pass.next = self.pass.val();
        self.pass_free.next = self.decoder.pass_free.val();
        self.land.next = self.decoder.land.val();
        self.land_index.next = self.decoder.land_index.val();
        self.waits.next = self.batches.source.valid.val();
        self.next_batch.next = self.batches.source.data.val();
        self.waiting_qp.next = self.next_batch.val().qp;
        if self.starts.val() {
            self.newest.d.next = self.batch.val().qp;
        }
        self.newest_qp.next = self.newest.q.val();
    }
}
