//! Turns fetched slots into work items, in order: pairs each slot with its batch and the context of its queue pair.
//!
//! Latency one cycle, one slot a cycle. One bit a queue pair remembers that its next slot is the second
//! block of a data WR: the two may lie in different batches with slots of other queue pairs between them.
use super::{Batch, BatchWalk, Classify, FetchedSlot, SlotMark};
use crate::types::{QpControl, SqContext, WorkItem};
use crate::widgets::{ChannelSink, ChannelSource, FlagVector};
use rust_hdl::prelude::*;

/// Decoder of QPS = 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct Decoder<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Slots from the pool.
    pub slot: ChannelSink<FetchedSlot>,
    /// Batches in the same order.
    pub batch: ChannelSink<Batch>,
    /// Row of the context table to read.
    pub index: Signal<Out, Bits<QA>>,
    /// That row, one cycle later.
    pub context_row: Signal<In, SqContext>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Work items.
    pub work: ChannelSource<WorkItem>,
    walk: BatchWalk<QA>,
    classify: Classify,
    halves: FlagVector<QPS, QA>,
    item: DFF<WorkItem>,
    shows: DFF<Bit>,
    mark: Signal<Local, SlotMark>,
    orders: Signal<Local, QpControl>,
    qp: Signal<Local, Bits<8>>,
    cleared_qp: Signal<Local, Bits<8>>,
    takes: Signal<Local, Bit>,
    made: Signal<Local, WorkItem>,
}

impl<const QA: usize, const QPS: usize> Logic for Decoder<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, item, shows);
        clock!(self, clock, walk, halves);
        self.walk.reset.next = self.reset.val();
        self.halves.reset.next = self.reset.val();
        ChannelSink::<Batch>::link(&mut self.batch, &mut self.walk.batch);
        self.index.next = self.walk.index.val();
        self.mark.next = self.walk.mark.val();
        self.orders.next = self.control.val();

        self.qp.next = self.mark.val().qp;
        self.halves.index.next = bit_cast::<QA, 8>(self.qp.val());
        self.classify.wqe.next = self.slot.data.val().wqe;
        self.classify.error.next = self.slot.data.val().error;
        self.classify.mark.next = self.mark.val();
        self.classify.context_row.next = self.context_row.val();
        self.classify.second.next = self.halves.flag.val();
        self.made.next = self.classify.item.val();

        // The flags have one clear port, so a slot waits while `qp` uses it.
        self.takes.next = self.slot.valid.val()
            & self.walk.valid.val()
            & (self.work.ready.val() | !self.shows.q.val())
            & !self.orders.val().clear;
        self.slot.ready.next =
            self.walk.valid.val() & (self.work.ready.val() | !self.shows.q.val()) & !self.orders.val().clear;
        self.walk.advance.next = self.takes.val();
        self.halves.set_flag.next = self.takes.val() & self.made.val().silent;
        self.halves.set_index.next = bit_cast::<QA, 8>(self.qp.val());
        self.cleared_qp.next = self.orders.val().index;
        self.halves.clear_index.next = bit_cast::<QA, 8>(self.qp.val());
        self.halves.clear_flag.next = self.takes.val() & self.halves.flag.val();
        if self.orders.val().clear {
            self.halves.clear_index.next = bit_cast::<QA, 8>(self.cleared_qp.val());
            self.halves.clear_flag.next = true;
        }
        if self.work.ready.val() {
            self.shows.d.next = false;
        }
        if self.takes.val() {
            self.item.d.next = self.made.val();
            self.shows.d.next = true;
        }
        self.work.data.next = self.item.q.val();
        self.work.valid.next = self.shows.q.val();
        if self.reset.val() {
            self.shows.d.next = false;
        }
    }
}
