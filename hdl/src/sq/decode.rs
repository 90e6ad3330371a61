//! Sorts fetched slots, in order: pairs each with its batch and the context of its queue pair, passes local operations on as
//! work items, and gives everything else to the cursor.
//!
//! While no WQE of a queue pair is outstanding, its local operations have nothing to wait for (rules D6, C8) and go on at one
//! slot a cycle, latency one; so does what is flushed or thrown away. Everything of a queue pair with outstanding WQEs, and
//! every data WR that may be sent, waits for the cursor in `held`: order is kept because nothing passes while one waits there.
//! What was fetched of a queue pair that went to sleep is dropped until the mark of its rewind comes (rule T22).
//!
//! Two blocks of a data WR may lie in different batches with slots of other queue pairs between them: the first is kept in a
//! memory of one block a queue pair.
use super::{Batch, BatchWalk, Classify, FetchedSlot, HeldWqe, KeptBlock, SlotMark};
use crate::types::{QpControl, SqContext, WorkItem};
use crate::widgets::{ChannelSink, ChannelSource, FlagVector, Memory};
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Decoder of QPS = 2^QA queue pairs.
#[derive(LogicBlock)]
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
    /// Queue pairs with outstanding WQEs.
    pub engaged_all: Signal<In, Bits<QPS>>,
    /// Queue pairs whose slots are dropped.
    pub dropping_all: Signal<In, Bits<QPS>>,
    /// Work items.
    pub work: ChannelSource<WorkItem>,
    /// WQEs for the cursor.
    pub held: ChannelSource<HeldWqe>,
    /// The cursor passes the held WQE's item on; only while `pass_free`.
    pub pass: Signal<In, Bit>,
    /// It could.
    pub pass_free: Signal<Out, Bit>,
    /// The mark of a rewind has come.
    pub land: Signal<Out, Bit>,
    /// Its queue pair.
    pub land_index: Signal<Out, Bits<8>>,
    walk: BatchWalk<QA>,
    classify: Classify,
    halves: FlagVector<QPS, QA>,
    keeps: FlagVector<QPS, QA>,
    firsts: Memory<KeptBlock, QA>,
    stored: DFF<Bit>,
    stored_qp: DFF<Bits<8>>,
    item: DFF<WorkItem>,
    shows: DFF<Bit>,
    waiting: DFF<HeldWqe>,
    waits: DFF<Bit>,
    mark: Signal<Local, SlotMark>,
    orders: Signal<Local, QpControl>,
    known: Signal<Local, SqContext>,
    qp: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<QA>>,
    cleared_qp: Signal<Local, Bits<8>>,
    some: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    aside: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    made: Signal<Local, WorkItem>,
    fresh: Signal<Local, Bit>,
    first: Signal<Local, KeptBlock>,
    waited: Signal<Local, HeldWqe>,
    rts: Constant<Bits<3>>,
    sqd: Constant<Bits<3>>,
}

impl<const QA: usize, const QPS: usize> Default for Decoder<QA, QPS> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            slot: Default::default(),
            batch: Default::default(),
            index: Default::default(),
            context_row: Default::default(),
            control: Default::default(),
            engaged_all: Default::default(),
            dropping_all: Default::default(),
            work: Default::default(),
            held: Default::default(),
            pass: Default::default(),
            pass_free: Default::default(),
            land: Default::default(),
            land_index: Default::default(),
            walk: Default::default(),
            classify: Default::default(),
            halves: Default::default(),
            keeps: Default::default(),
            firsts: Default::default(),
            stored: Default::default(),
            stored_qp: Default::default(),
            fresh: Default::default(),
            item: Default::default(),
            shows: Default::default(),
            waiting: Default::default(),
            waits: Default::default(),
            mark: Default::default(),
            orders: Default::default(),
            known: Default::default(),
            qp: Default::default(),
            place: Default::default(),
            cleared_qp: Default::default(),
            some: Default::default(),
            drops: Default::default(),
            kept: Default::default(),
            sends: Default::default(),
            aside: Default::default(),
            free: Default::default(),
            takes: Default::default(),
            passes: Default::default(),
            stores: Default::default(),
            holds: Default::default(),
            lands: Default::default(),
            moves: Default::default(),
            made: Default::default(),
            first: Default::default(),
            waited: Default::default(),
            rts: Constant::new(qp::RTS.to_bits()),
            sqd: Constant::new(qp::SQD.to_bits()),
        }
    }
}

impl<const QA: usize, const QPS: usize> Logic for Decoder<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stored, stored_qp, item, shows, waiting, waits);
        clock!(self, clock, walk, halves, keeps, firsts);
        self.walk.reset.next = self.reset.val();
        self.halves.reset.next = self.reset.val();
        self.keeps.reset.next = self.reset.val();
        ChannelSink::<Batch>::link(&mut self.batch, &mut self.walk.batch);
        self.index.next = self.walk.index.val();
        self.mark.next = self.walk.mark.val();
        self.orders.next = self.control.val();
        self.known.next = self.context_row.val();

        self.qp.next = self.mark.val().qp;
        self.place.next = bit_cast::<QA, 8>(self.qp.val());
        self.halves.index.next = self.place.val();
        self.keeps.index.next = self.place.val();
        self.kept.next = self.keeps.flag.val();
        self.classify.wqe.next = self.slot.data.val().wqe;
        self.classify.error.next = self.slot.data.val().error;
        self.classify.mark.next = self.mark.val();
        self.classify.context_row.next = self.context_row.val();
        self.classify.second.next = self.halves.flag.val() | self.kept.val();
        self.made.next = self.classify.item.val();
        self.firsts.read.next = true;
        self.firsts.read_address.next = self.walk.index.val();
        self.first.next = self.firsts.out.val();
        // What was stored in the cycle before is not read yet: its second block waits for a cycle.
        self.fresh.next = self.stored.q.val() & (self.stored_qp.q.val() == self.qp.val());

        // Where it goes. The flags have one clear port, so everything waits while `qp` uses it.
        self.drops.next = self.dropping_all.val().get_bit(self.place.val().index());
        self.sends.next = (self.known.val().state == self.rts.val()) | (self.known.val().state == self.sqd.val());
        self.aside.next = self.kept.val()
            | self.engaged_all.val().get_bit(self.place.val().index())
            | (self.classify.data.val() & self.sends.val() & !self.halves.flag.val() & !self.slot.data.val().error);
        self.free.next = self.work.ready.val() | !self.shows.q.val();
        self.some.next = self.walk.valid.val() & !self.orders.val().clear;
        self.lands.next = self.some.val() & self.walk.rewinds.val() & !self.waits.q.val();
        self.stores.next = self.aside.val() & self.made.val().silent;
        self.takes.next = self.some.val()
            & !self.walk.rewinds.val()
            & !self.fresh.val()
            & (self.drops.val()
                | (self.aside.val() & (self.made.val().silent | !self.waits.q.val()))
                | (!self.aside.val() & self.free.val() & !self.waits.q.val()));
        self.slot.ready.next = self.takes.val();
        self.moves.next = self.takes.val() & self.slot.valid.val();
        self.walk.advance.next = self.moves.val() | self.lands.val();
        self.passes.next = self.moves.val() & !self.drops.val() & !self.aside.val();
        self.holds.next = self.moves.val() & !self.drops.val() & self.aside.val() & !self.made.val().silent;

        self.halves.set_flag.next = self.passes.val() & self.made.val().silent;
        self.halves.set_index.next = self.place.val();
        self.halves.clear_index.next = self.place.val();
        self.halves.clear_flag.next = (self.moves.val() & self.halves.flag.val()) | self.lands.val();
        self.keeps.set_flag.next = self.moves.val() & !self.drops.val() & self.stores.val();
        self.keeps.set_index.next = self.place.val();
        self.keeps.clear_index.next = self.place.val();
        self.keeps.clear_flag.next = (self.moves.val() & self.kept.val()) | self.lands.val();
        self.cleared_qp.next = self.orders.val().index;
        if self.orders.val().clear {
            self.halves.clear_index.next = bit_cast::<QA, 8>(self.cleared_qp.val());
            self.halves.clear_flag.next = true;
            self.keeps.clear_index.next = bit_cast::<QA, 8>(self.cleared_qp.val());
            self.keeps.clear_flag.next = true;
        }
        self.firsts.write.next = self.moves.val() & self.stores.val();
        self.firsts.write_address.next = self.place.val();
        self.firsts.data.next.item = self.made.val();
        self.firsts.data.next.begins = self.walk.begins.val();
        self.stored.d.next = self.moves.val() & self.stores.val();
        self.stored_qp.d.next = self.qp.val();
        self.land.next = self.lands.val();
        self.land_index.next = self.qp.val();

        // Work items.
        self.waited.next = self.waiting.q.val();
        self.pass_free.next = self.free.val();
        if self.work.ready.val() {
            self.shows.d.next = false;
        }
        if self.passes.val() {
            self.item.d.next = self.made.val();
            self.shows.d.next = true;
        }
        if self.pass.val() {
            self.item.d.next = self.waited.val().item;
            self.shows.d.next = true;
        }
        self.work.data.next = self.item.q.val();
        self.work.valid.next = self.shows.q.val();

        // What waits for the cursor.
        if self.held.ready.val() {
            self.waits.d.next = false;
        }
        if self.holds.val() {
            self.waits.d.next = true;
            self.waiting.d.next.item = self.made.val();
            self.waiting.d.next.second = self.slot.data.val().wqe;
            self.waiting.d.next.double = self.kept.val();
            self.waiting.d.next.broken = self.slot.data.val().error;
            self.waiting.d.next.sig_all = self.known.val().sig_all;
            self.waiting.d.next.count = self.mark.val().count;
            self.waiting.d.next.begins = self.walk.begins.val();
            if self.kept.val() {
                self.waiting.d.next.item = self.first.val().item;
                self.waiting.d.next.count = self.mark.val().count - 1;
                self.waiting.d.next.begins = self.walk.begins.val() | self.first.val().begins;
            }
        }
        self.held.data.next = self.waiting.q.val();
        self.held.valid.next = self.waits.q.val();
        if self.reset.val() {
            self.stored.d.next = false;
            self.shows.d.next = false;
            self.waits.d.next = false;
        }
    }
}
