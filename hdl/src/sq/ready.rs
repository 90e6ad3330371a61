//! Queue pairs that have something to do, each at most once, served in the order in which they came (rule T20's fairness
//! with turns of one batch).
//!
//! Two enter queue pairs: the scheduler itself, and the wake pulses of `qp`, which cannot wait. Leaving clears the `queued`
//! bit, and whoever takes a queue pair reads its counts and state after that: a wake-up that finds the bit set is not lost,
//! because what it announces is already written (rule T21). Latency two cycles when empty, one queue pair a cycle.
use crate::widgets::{ChannelSink, ChannelSource, FlagVector, SlackFifo};
use rust_hdl::prelude::*;

/// Queue of ready queue pairs (QPS = 2^QA).
#[derive(LogicBlock, Default)]
pub struct ReadyQueue<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Empties the queue.
    pub reset: Signal<In, Bit>,
    /// Queue pairs that the scheduler enters; `ready` falls only after a push.
    pub push: ChannelSink<Bits<QA>>,
    /// Enters `wake_index`, never refused.
    pub wake: Signal<In, Bit>,
    /// Queue pair to enter.
    pub wake_index: Signal<In, Bits<QA>>,
    /// The queue pair whose turn it is.
    pub source: ChannelSource<Bits<QA>>,
    queued: FlagVector<QPS, QA>,
    fifo: SlackFifo<Bits<QA>, QA, 2>,
    asks: DFF<Bit>,
    asked: DFF<Bits<QA>>,
    held: DFF<Bits<QA>>,
    holds: DFF<Bit>,
    shown: DFF<Bits<QA>>,
    shows: DFF<Bit>,
    waiting: DFF<Bits<9>>,
    moves: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
}

impl<const QA: usize, const QPS: usize> Logic for ReadyQueue<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asks, asked, held, holds, shown, shows, waiting);
        clock!(self, clock, queued, fifo);
        self.queued.reset.next = self.reset.val();
        self.fifo.reset.next = self.reset.val();

        // One request a cycle: a wake first, then a push that had to wait, then a new one.
        self.push.ready.next = !self.holds.q.val();
        self.asks.d.next = self.wake.val() | self.holds.q.val() | self.push.valid.val();
        self.asked.d.next = self.push.data.val();
        if self.holds.q.val() {
            self.asked.d.next = self.held.q.val();
        } else {
            self.held.d.next = self.push.data.val();
        }
        if self.wake.val() {
            self.asked.d.next = self.wake_index.val();
        }
        self.holds.d.next = self.wake.val() & (self.holds.q.val() | self.push.valid.val());

        self.queued.index.next = self.asked.q.val();
        self.enters.next = self.asks.q.val() & !self.queued.flag.val();
        self.queued.set_flag.next = self.enters.val();
        self.queued.set_index.next = self.asked.q.val();
        self.queued.clear_flag.next = self.shows.q.val() & self.source.ready.val();
        self.queued.clear_index.next = self.shown.q.val();

        // An empty FIFO is passed by, so that a lonely queue pair loses no time in it.
        self.moves.next = self.source.ready.val() | !self.shows.q.val();
        self.stores.next = self.enters.val() & (!self.moves.val() | self.waiting.q.val().any());
        self.fifo.write.next = self.stores.val();
        self.fifo.data.next = self.asked.q.val();
        self.fifo.source.ready.next = self.moves.val();
        self.loads.next = self.moves.val() & self.fifo.source.valid.val();
        if self.moves.val() {
            self.shown.d.next = self.asked.q.val();
            self.shows.d.next = (self.enters.val() & !self.stores.val()) | self.loads.val();
        }
        if self.loads.val() {
            self.shown.d.next = self.fifo.source.data.val();
        }
        if self.stores.val() & !self.loads.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if self.loads.val() & !self.stores.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        self.source.data.next = self.shown.q.val();
        self.source.valid.next = self.shows.q.val();
        if self.reset.val() {
            self.asks.d.next = false;
            self.holds.d.next = false;
            self.shows.d.next = false;
            self.waiting.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::RandomDrive;
    use std::collections::VecDeque;

    type Queue = ReadyQueue<3, 8>;

    fn fresh() -> Queue {
        let mut uut = Queue::default();
        uut.connect_all();
        uut.reset.next = true;
        step(&mut uut);
        uut.reset.next = false;
        uut
    }

    /// One clock period; the queue pairs that were pushed and taken in it.
    fn step(uut: &mut Queue) -> (Option<u64>, Option<u64>) {
        uut.clock.next = Clock { clk: false };
        assert!(simulate(uut, 100));
        let pushed = uut.push.valid.val() && uut.push.ready.val();
        let taken = uut.source.valid.val() && uut.source.ready.val();
        let pushed = pushed.then(|| uut.push.data.val().to_u64());
        let taken = taken.then(|| uut.source.data.val().to_u64());
        uut.clock.next = Clock { clk: true };
        assert!(simulate(uut, 100));
        (pushed, taken)
    }

    #[test]
    fn t21_no_wake_up_is_lost_and_nobody_is_queued_twice() {
        let mut uut = fresh();
        let mut random = RandomDrive::new(3);
        // Entered and not yet taken; who is entered while queued may come once more, if the entry met his leaving.
        let mut owed = [false; 8];
        let mut queued: VecDeque<u64> = VecDeque::new();
        for cycle in 0..4000 {
            let busy = cycle % 400 < 300;
            uut.push.valid.next = busy && random.chance(1, 2);
            uut.push.data.next = random.below(8).into();
            let woken = (busy && random.chance(1, 2)).then(|| random.below(8));
            uut.wake.next = woken.is_some();
            uut.wake_index.next = woken.unwrap_or(0).into();
            uut.source.ready.next = random.chance(1, 3);
            let (pushed, taken) = step(&mut uut);
            if let Some(qp) = taken {
                let at = queued.iter().position(|other| *other == qp);
                queued.remove(at.expect("only what was entered is taken"));
                owed[qp as usize] = false;
            }
            for qp in woken.into_iter().chain(pushed) {
                owed[qp as usize] = true;
                if queued.iter().filter(|other| **other == qp).count() < 2 {
                    queued.push_back(qp);
                }
            }
            if cycle % 400 == 399 {
                assert_eq!(owed, [false; 8], "cycle {cycle}");
                assert!(!uut.source.valid.val());
                queued.clear();
            }
        }
    }

    #[test]
    fn t20_all_queue_pairs_fit_and_leave_in_the_order_of_coming() {
        let mut uut = fresh();
        let order = [5, 2, 7, 0, 1, 6, 3, 4];
        for qp in order.into_iter().chain([2, 7, 4]) {
            uut.push.valid.next = true;
            uut.push.data.next = u64::to_bits(qp);
            assert_eq!(step(&mut uut).0, Some(qp));
        }
        uut.push.valid.next = false;
        uut.source.ready.next = true;
        let taken: Vec<_> = (0..20).filter_map(|_| step(&mut uut).1).collect();
        assert_eq!(taken, order);
    }

    #[test]
    fn t22_a_lonely_queue_pair_comes_back_after_two_cycles() {
        let mut uut = fresh();
        uut.push.valid.next = true;
        uut.push.data.next = 6.into();
        step(&mut uut);
        uut.push.valid.next = false;
        step(&mut uut);
        assert!(uut.source.valid.val());
    }
}
