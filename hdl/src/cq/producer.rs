//! Producer: takes CQE requests, one after another, gives each its place in the ring and sends it on.
//!
//! Three cycles a CQE (read, judge, store; the next one is taken while this one is stored), so a queue's counts are never
//! in use twice. Overflow writes nothing, marks the queue failed and tells so once (D17, T78); so does a CQE whose write
//! failed. Later CQEs of that queue are swallowed and counted.
use super::{CqeFormat, CqeInFlight, ProducerTask};
use crate::types::CqeRequest;
use crate::widgets::ChannelSource;
use rnic_abi::drop;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum ProducerState {
    Idle,
    Read,
    Judge,
    Store,
}

/// Runs the tasks that `CqeSelect` chooses on the entries of `ProducerTables`.
#[derive(LogicBlock)]
pub struct CqeProducer {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is under way.
    pub reset: Signal<In, Bit>,
    /// A task may begin: all requests taken before this cycle are issued or swallowed, `issued` of this cycle included.
    pub free: Signal<Out, Bit>,
    /// A task begins.
    pub begins: Signal<In, Bit>,
    /// Which.
    pub job: Signal<In, ProducerTask>,
    /// On what.
    pub request: Signal<In, CqeRequest>,
    /// Queue of the task.
    pub cqn: Signal<Out, Bits<12>>,
    /// Reads the tables.
    pub read: Signal<Out, Bit>,
    /// The queue exists and has not failed.
    pub lives: Signal<In, Bit>,
    /// Its ring is full.
    pub full: Signal<In, Bit>,
    /// Phase bit of its next CQE.
    pub phase: Signal<In, Bit>,
    /// Counts a CQE; it goes to memory.
    pub issued: Signal<Out, Bit>,
    /// Marks the queue failed.
    pub mark_failed: Signal<Out, Bit>,
    /// Sets the queue's count to 0.
    pub restart: Signal<Out, Bit>,
    /// Time (T79).
    pub ticks: Signal<In, Bits<32>>,
    /// CQE to write.
    pub record: ChannelSource<Bits<256>>,
    /// What must be known when its B comes.
    pub in_flight: Signal<Out, CqeInFlight>,
    /// Queues that have failed.
    pub failed: ChannelSource<Bits<12>>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    format: CqeFormat,
    state: DFF<ProducerState>,
    doing: DFF<ProducerTask>,
    asked: DFF<CqeRequest>,
    at_store: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    swallows: Signal<Local, Bit>,
    restarts: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    reason: Constant<Bits<8>>,
}

impl Default for CqeProducer {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            free: Default::default(),
            begins: Default::default(),
            job: Default::default(),
            request: Default::default(),
            cqn: Default::default(),
            read: Default::default(),
            lives: Default::default(),
            full: Default::default(),
            phase: Default::default(),
            issued: Default::default(),
            mark_failed: Default::default(),
            restart: Default::default(),
            ticks: Default::default(),
            record: Default::default(),
            in_flight: Default::default(),
            failed: Default::default(),
            drop: Default::default(),
            format: Default::default(),
            state: Default::default(),
            doing: Default::default(),
            asked: Default::default(),
            at_store: Default::default(),
            writes: Default::default(),
            fails: Default::default(),
            swallows: Default::default(),
            restarts: Default::default(),
            stores: Default::default(),
            ends: Default::default(),
            reason: Constant::new(bits(drop::CQE_FAILED.into())),
        }
    }
}

impl Logic for CqeProducer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, doing, asked);
        // What becomes of the task once its queue is judged.
        self.at_store.next = self.state.q.val() == ProducerState::Store;
        self.writes.next = false;
        self.fails.next = false;
        self.swallows.next = false;
        self.restarts.next = false;
        if self.at_store.val() {
            match self.doing.q.val() {
                ProducerTask::Produce => {
                    self.writes.next = self.lives.val() & !self.full.val();
                    self.fails.next = self.lives.val() & self.full.val();
                    self.swallows.next = !self.lives.val();
                }
                ProducerTask::MarkFailed => self.fails.next = self.lives.val(),
                ProducerTask::Restart => self.restarts.next = true,
            }
        }
        // All three must be ready, whatever the verdict is: so `free` does not wait for it.
        self.stores.next = self.record.ready.val() & self.failed.ready.val() & self.drop.ready.val();
        self.ends.next = (self.at_store.val() & self.stores.val()) | (self.state.q.val() == ProducerState::Idle);
        match self.state.q.val() {
            ProducerState::Idle => {}
            ProducerState::Read => self.state.d.next = ProducerState::Judge,
            ProducerState::Judge => self.state.d.next = ProducerState::Store,
            ProducerState::Store => {
                if self.ends.val() {
                    self.state.d.next = ProducerState::Idle;
                }
            }
        }
        if self.begins.val() {
            self.state.d.next = ProducerState::Read;
            self.doing.d.next = self.job.val();
            self.asked.d.next = self.request.val();
        }
        if self.reset.val() {
            self.state.d.next = ProducerState::Idle;
        }
        self.free.next = self.ends.val();
        self.read.next = self.state.q.val() == ProducerState::Read;
        self.cqn.next = self.asked.q.val().cqn;
        self.issued.next = self.writes.val() & self.stores.val();
        self.mark_failed.next = self.fails.val() & self.stores.val();
        self.restart.next = self.restarts.val();
        self.record.valid.next = self.writes.val() & self.stores.val();
        self.failed.valid.next = self.fails.val() & self.stores.val();
        self.failed.data.next = self.asked.q.val().cqn;
        self.drop.valid.next = self.swallows.val() & self.stores.val();
        self.drop.data.next = self.reason.val();
        self.format.request.next = self.asked.q.val();
        self.format.ticks.next = self.ticks.val();
        self.format.phase.next = self.phase.val();
        self.record.data.next = self.format.record.val().into();
        self.in_flight.next.cqn = self.asked.q.val().cqn;
        self.in_flight.next.solicited = self.format.solicited.val();
    }
}
