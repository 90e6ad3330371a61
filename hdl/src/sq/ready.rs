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
