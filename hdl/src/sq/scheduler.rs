//! Takes doorbells and decides which queue pair fetches next: the owner of the posted and fetched counts (rule T8).
//!
//! A turn takes four cycles, five when one queue pair is alone ([`super::Turn`]), and fetches a batch of up to 8 slots, or of 2
//! for a queue pair with data under way: full batches come faster than a slot a cycle.
//!
//! A rewind is a turn too, and goes before others: it sets the fetched count back to the cursor and sends a mark through the
//! pool, behind which whatever is fetched of the queue pair counts again. While the cursor sleeps, nothing is fetched.
//!
//! RTS and ERR fetch (rule T73), SQD only what has been started (rule T77), and a queue pair with outstanding WQEs not more
//! than its table of them holds (rule T18); doorbells are taken in RTS, SQD and ERR (rule B23). A queue pair leaves the ready
//! queue in other states and comes back with the wake of its next change of state, or with a doorbell.
use super::{Batch, BatchSize, Chooser, ClearOrder, DoorbellJudge, FetchPoint, SQ_REASONS};
use crate::types::{Doorbell, QpControl, ReadCommand, SqContext};
use crate::widgets::{ChannelSink, ChannelSource};
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Scheduler of the send queues.
#[derive(LogicBlock)]
pub struct Scheduler<const QA: usize, const QPS: usize, const OA: usize> {
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
    /// Queue pairs whose cursor has gone back.
    pub rewind: ChannelSink<Bits<8>>,
    /// Queue pairs whose cursor sleeps.
    pub parked_all: Signal<In, Bits<QPS>>,
    /// Queue pairs with outstanding WQEs.
    pub engaged_all: Signal<In, Bits<QPS>>,
    /// The fetched count is set back.
    pub unpark: Signal<Out, Bit>,
    /// Of this queue pair.
    pub unpark_index: Signal<Out, Bits<8>>,
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
    /// Where fetching goes on after a rewind.
    pub point: Signal<In, FetchPoint>,
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
    rewinding: DFF<Bit>,
    target: DFF<Bits<16>>,
    target_2: DFF<Bits<16>>,
    draining: DFF<Bit>,
    drains: DFF<Bit>,
    started: DFF<Bits<16>>,
    behind: DFF<Bit>,
    ahead: DFF<Bits<16>>,
    open: DFF<Bit>,
    fetching: DFF<Bit>,
    may_fetch: DFF<Bit>,
    known: Signal<Local, SqContext>,
    at: Signal<Local, FetchPoint>,
    is_sqd: Signal<Local, Bit>,
    rewinds: Signal<Local, Bit>,
    engaged: Signal<Local, Bit>,
    full_batch: Constant<Bits<16>>,
    bytes: Signal<Local, Bits<16>>,
    posts: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    rts: Constant<Bits<3>>,
    sqd: Constant<Bits<3>>,
    err: Constant<Bits<3>>,
}

impl<const QA: usize, const QPS: usize, const OA: usize> Default for Scheduler<QA, QPS, OA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            doorbell: Default::default(),
            drop: Default::default(),
            control: Default::default(),
            rewind: Default::default(),
            parked_all: Default::default(),
            engaged_all: Default::default(),
            unpark: Default::default(),
            unpark_index: Default::default(),
            ready: Default::default(),
            push: Default::default(),
            index: Default::default(),
            posted: Default::default(),
            fetched: Default::default(),
            retired: Default::default(),
            point: Default::default(),
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
            rewinding: Default::default(),
            target: Default::default(),
            target_2: Default::default(),
            draining: Default::default(),
            drains: Default::default(),
            started: Default::default(),
            behind: Default::default(),
            ahead: Default::default(),
            open: Default::default(),
            fetching: Default::default(),
            may_fetch: Default::default(),
            known: Default::default(),
            at: Default::default(),
            is_sqd: Default::default(),
            rewinds: Default::default(),
            engaged: Default::default(),
            full_batch: Constant::new(((1usize << OA) - 8).to_bits()),
            bytes: Default::default(),
            posts: Default::default(),
            fetches: Default::default(),
            rts: Constant::new(qp::RTS.to_bits()),
            sqd: Constant::new(qp::SQD.to_bits()),
            err: Constant::new(qp::ERR.to_bits()),
        }
    }
}

impl<const QA: usize, const QPS: usize, const OA: usize> Logic for Scheduler<QA, QPS, OA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, rewinding, target, target_2, draining, drains, started, behind, ahead, open, fetching,
            may_fetch
        );
        clock!(self, clock, chooser, measure, judge, clear);
        // Choose.
        self.chooser.reset.next = self.reset.val();
        self.chooser.doorbell_room.next = self.push.ready.val() & self.drop.ready.val();
        self.chooser.ready_room.next = self.push.ready.val() & self.room.val() & self.command.ready.val();
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.chooser.doorbell);
        self.chooser.ready.valid.next = self.ready.valid.val() | self.rewind.valid.val();
        self.chooser.ready.data.next = self.ready.data.val();
        if self.rewind.valid.val() {
            self.chooser.ready.data.next = bit_cast::<QA, 8>(self.rewind.data.val());
        }
        self.rewind.ready.next = self.chooser.ready.ready.val();
        self.ready.ready.next = self.chooser.ready.ready.val() & !self.rewind.valid.val();
        if self.chooser.ready.ready.val() {
            self.rewinding.d.next = self.rewind.valid.val();
        }
        self.index.next = self.chooser.index.val();

        // Look and measure.
        self.known.next = self.context_row.val();
        self.at.next = self.point.val();
        self.is_sqd.next = self.known.val().state == self.sqd.val();
        self.measure.posted.next = self.posted.val();
        if self.is_sqd.val() {
            self.measure.posted.next = self.at.val().limit;
        }
        self.target.d.next = self.at.val().slot;
        self.target_2.d.next = self.target.q.val();
        self.draining.d.next = self.is_sqd.val();
        self.drains.d.next = self.draining.q.val();
        self.ahead.d.next = self.at.val().limit - self.fetched.val();
        self.behind.d.next = self.ahead.q.val().get_bit(15);
        self.started.d.next = self.fetched.val() - self.retired.val();
        // Retired ones may be ahead of what was fetched: those that retire right behind a rewind. They are fetched once more and
        // dropped; without it a queue pair that fails then would never get on (fuzz, `large`, seed 33).
        self.open.d.next = (self.started.q.val() <= self.full_batch.val()) | self.started.q.val().get_bit(15);
        self.measure.fetched.next = self.fetched.val();
        self.measure.base.next = self.known.val().base;
        self.measure.log2.next = self.known.val().log2;
        self.engaged.next = self.engaged_all.val().get_bit(self.chooser.chosen.val().index());
        self.measure.few.next = self.engaged.val();
        self.fetching.d.next =
            (self.known.val().state == self.rts.val()) | (self.known.val().state == self.err.val()) | self.is_sqd.val();
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
        self.rewinds.next = self.chooser.ready_acts.val() & self.rewinding.q.val();
        self.fetches.next = self.chooser.ready_acts.val()
            & !self.rewinding.q.val()
            & self.may_fetch.q.val()
            & self.measure.slots.val().any()
            & !self.parked_all.val().get_bit(self.chooser.chosen.val().index())
            & (self.open.q.val() | !self.engaged.val())
            & (!self.drains.q.val() | (self.engaged.val() & !self.behind.q.val()));
        self.unpark.next = self.rewinds.val();
        self.unpark_index.next = bit_cast::<8, QA>(self.chooser.chosen.val());
        self.push.data.next = self.chooser.chosen.val();
        self.push.valid.next = self.posts.val() | self.rewinds.val() | (self.fetches.val() & self.measure.more.val());
        self.starts.next = self.fetches.val() | self.rewinds.val();
        self.batch.next.qp = bit_cast::<8, QA>(self.chooser.chosen.val());
        self.batch.next.first = self.measure.first.val();
        self.batch.next.slots = self.measure.slots.val();
        self.batch.next.more = self.measure.more.val();
        if self.rewinds.val() {
            self.batch.next.slots = 0.into();
        }
        self.command.valid.next = self.fetches.val();
        self.bytes.next = bit_cast::<16, 4>(self.measure.slots.val());
        self.command.data.next.address = self.measure.address.val();
        self.command.data.next.length = self.bytes.val() << 6;

        self.clear.reset.next = self.reset.val();
        self.clear.control.next = self.control.val();
        self.clear.busy.next = self.posts.val() | self.fetches.val() | self.rewinds.val();
        self.write_index.next = self.chooser.chosen.val();
        self.posted_next.next = self.chooser.value.val().get_bits::<16>(0);
        self.fetched_next.next = self.measure.after.val();
        if self.rewinds.val() {
            self.fetched_next.next = self.target_2.q.val();
        }
        if self.clear.clears.val() {
            self.write_index.next = self.clear.index.val();
            self.posted_next.next = 0.into();
            self.fetched_next.next = 0.into();
        }
        self.posted_write.next = self.posts.val() | self.clear.clears.val();
        self.fetched_write.next = self.fetches.val() | self.rewinds.val() | self.clear.clears.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    /// Whether a queue pair in ERR with outstanding WQEs is fetched, with these counts.
    fn fetches(posted: u64, fetched: u64, retired: u64) -> bool {
        let mut uut = Scheduler::<4, 16, 4>::default();
        uut.connect_all();
        uut.context_row.next =
            SqContext { state: qp::ERR.to_bits(), log2: 4.into(), qpn: 0x101.into(), ..Default::default() };
        uut.engaged_all.next = 2.into();
        uut.posted.next = posted.into();
        uut.fetched.next = fetched.into();
        uut.retired.next = retired.into();
        uut.push.ready.next = true;
        uut.drop.ready.next = true;
        uut.command.ready.next = true;
        uut.room.next = true;
        uut.ready.data.next = 1.into();
        uut.ready.valid.next = true;
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        (0..20).any(|_| {
            tick(&mut uut, |u| &mut u.clock);
            uut.command.valid.val()
        })
    }

    #[test]
    fn t18_a_full_table_of_outstanding_wqes_is_not_fetched_for() {
        assert!(fetches(20, 3, 0));
        assert!(!fetches(40, 30, 0));
    }

    #[test]
    fn t69_wqes_that_retire_behind_a_rewind_do_not_stop_the_queue() {
        assert!(fetches(4, 0, 3));
        assert!(fetches(2, 0xFFFE, 1), "across the wrap");
    }
}
