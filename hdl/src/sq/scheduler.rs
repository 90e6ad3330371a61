//! Takes doorbells and decides which queue pair fetches next: the owner of the posted and fetched counts (rule T8).
//!
//! A turn takes four cycles, five when one queue pair is alone ([`super::Turn`]), and fetches a batch of up to 8 slots:
//! full batches come faster than a slot a cycle.
//!
//! Only RTS and ERR fetch (rules T73, T77); doorbells are taken in RTS, SQD and ERR (rule B23). A queue pair leaves the ready
//! queue in other states and comes back with the wake of its next change of state, or with a doorbell.
use super::{Batch, BatchSize, Chooser, ClearOrder, DoorbellJudge, SQ_REASONS};
use crate::types::{Doorbell, QpControl, ReadCommand, SqContext};
use crate::widgets::{ChannelSink, ChannelSource};
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Scheduler of the send queues.
#[derive(LogicBlock)]
pub struct Scheduler<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the turn.
    pub reset: Signal<In, Bit>,
    /// Doorbells.
    pub doorbell: ChannelSink<Doorbell>,
    /// Reasons of refused ones; `ready` falls only after one was given.
    pub drop: ChannelSource<Bits<8>>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// The queue pair whose turn it is.
    pub ready: ChannelSink<Bits<QA>>,
    /// Queue pairs that have something to fetch; `ready` falls only after one was given.
    pub push: ChannelSource<Bits<QA>>,
    /// Row of the tables to read.
    pub index: Signal<Out, Bits<QA>>,
    /// Slots posted, one cycle later.
    pub posted: Signal<In, Bits<16>>,
    /// Slots fetched.
    pub fetched: Signal<In, Bits<16>>,
    /// Slots retired.
    pub retired: Signal<In, Bits<16>>,
    /// Context.
    pub context_row: Signal<In, SqContext>,
    /// Row of the count tables to write.
    pub write_index: Signal<Out, Bits<QA>>,
    /// Writes the posted count.
    pub posted_write: Signal<Out, Bit>,
    /// Posted count to write.
    pub posted_next: Signal<Out, Bits<16>>,
    /// Writes the fetched count.
    pub fetched_write: Signal<Out, Bit>,
    /// Fetched count to write.
    pub fetched_next: Signal<Out, Bits<16>>,
    /// The pool and the list of batches have room for a batch.
    pub room: Signal<In, Bit>,
    /// A batch is asked for.
    pub starts: Signal<Out, Bit>,
    /// That batch.
    pub batch: Signal<Out, Batch>,
    /// Reads of slots; `ready` falls only after one was given.
    pub command: ChannelSource<ReadCommand>,
    chooser: Chooser<QA>,
    measure: BatchSize,
    judge: DoorbellJudge,
    clear: ClearOrder<QA>,
    fetching: DFF<Bit>,
    may_fetch: DFF<Bit>,
    known: Signal<Local, SqContext>,
    bytes: Signal<Local, Bits<16>>,
    posts: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    rts: Constant<Bits<3>>,
    sqd: Constant<Bits<3>>,
    err: Constant<Bits<3>>,
}

impl<const QA: usize> Default for Scheduler<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            doorbell: Default::default(),
            drop: Default::default(),
            control: Default::default(),
            ready: Default::default(),
            push: Default::default(),
            index: Default::default(),
            posted: Default::default(),
            fetched: Default::default(),
            retired: Default::default(),
            context_row: Default::default(),
            write_index: Default::default(),
            posted_write: Default::default(),
            posted_next: Default::default(),
            fetched_write: Default::default(),
            fetched_next: Default::default(),
            room: Default::default(),
            starts: Default::default(),
            batch: Default::default(),
            command: Default::default(),
            chooser: Default::default(),
            measure: Default::default(),
            judge: DoorbellJudge::new(SQ_REASONS),
            clear: Default::default(),
            fetching: Default::default(),
            may_fetch: Default::default(),
            known: Default::default(),
            bytes: Default::default(),
            posts: Default::default(),
            fetches: Default::default(),
            rts: Constant::new(qp::RTS.to_bits()),
            sqd: Constant::new(qp::SQD.to_bits()),
            err: Constant::new(qp::ERR.to_bits()),
        }
    }
}

impl<const QA: usize> Logic for Scheduler<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, fetching, may_fetch);
        clock!(self, clock, chooser, measure, judge, clear);
        // Choose.
        self.chooser.reset.next = self.reset.val();
        self.chooser.doorbell_room.next = self.push.ready.val() & self.drop.ready.val();
        self.chooser.ready_room.next = self.push.ready.val() & self.room.val() & self.command.ready.val();
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.chooser.doorbell);
        ChannelSink::<Bits<QA>>::link(&mut self.ready, &mut self.chooser.ready);
        self.index.next = self.chooser.index.val();

        // Look and measure.
        self.known.next = self.context_row.val();
        self.measure.posted.next = self.posted.val();
        self.measure.fetched.next = self.fetched.val();
        self.measure.base.next = self.known.val().base;
        self.measure.log2.next = self.known.val().log2;
        self.fetching.d.next = (self.known.val().state == self.rts.val()) | (self.known.val().state == self.err.val());
        self.may_fetch.d.next = self.fetching.q.val();
        self.judge.value.next = self.chooser.value.val();
        self.judge.unknown.next = self.chooser.beyond.val() | (self.known.val().qpn == 0);
        self.judge.takes.next = (self.known.val().state == self.rts.val())
            | (self.known.val().state == self.sqd.val())
            | (self.known.val().state == self.err.val());
        self.judge.posted.next = self.posted.val();
        self.judge.done.next = self.retired.val();
        self.judge.log2.next = self.known.val().log2;

        // Act.
        self.posts.next = self.chooser.doorbell_acts.val() & self.judge.accepted.val();
        self.drop.valid.next = self.chooser.doorbell_acts.val() & !self.judge.accepted.val();
        self.drop.data.next = self.judge.reason.val();
        self.fetches.next = self.chooser.ready_acts.val() & self.may_fetch.q.val() & self.measure.slots.val().any();
        self.push.data.next = self.chooser.chosen.val();
        self.push.valid.next = self.posts.val() | (self.fetches.val() & self.measure.more.val());
        self.starts.next = self.fetches.val();
        self.batch.next.qp = bit_cast::<8, QA>(self.chooser.chosen.val());
        self.batch.next.first = self.measure.first.val();
        self.batch.next.slots = self.measure.slots.val();
        self.batch.next.more = self.measure.more.val();
        self.command.valid.next = self.fetches.val();
        self.bytes.next = bit_cast::<16, 4>(self.measure.slots.val());
        self.command.data.next.address = self.measure.address.val();
        self.command.data.next.length = self.bytes.val() << 6;

        self.clear.reset.next = self.reset.val();
        self.clear.control.next = self.control.val();
        self.clear.busy.next = self.posts.val() | self.fetches.val();
        self.write_index.next = self.chooser.chosen.val();
        self.posted_next.next = self.chooser.value.val().get_bits::<16>(0);
        self.fetched_next.next = self.measure.after.val();
        if self.clear.clears.val() {
            self.write_index.next = self.clear.index.val();
            self.posted_next.next = 0.into();
            self.fetched_next.next = 0.into();
        }
        self.posted_write.next = self.posts.val() | self.clear.clears.val();
        self.fetched_write.next = self.fetches.val() | self.clear.clears.val();
    }
}
