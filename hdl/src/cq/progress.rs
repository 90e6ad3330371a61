//! Progress: B answers of CQEs and doorbells, one after another, and the interrupts that follow from them.
//!
//! One block does both, so an arming and a CQE never pass each other unseen (`CqArming` has the rules). A wrong doorbell
//! is dropped and counted (I9): reserved bits, no such queue, more consumed than produced. Three cycles a change (read,
//! judge, store; the next one is taken while this one is stored).
use super::{CqArming, CqChange, ProgressTask};
use crate::widgets::ChannelSource;
use rnic_abi::drop;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum ProgressState {
    Idle,
    Read,
    Judge,
    Store,
}

/// Runs the changes that `ProgressSelect` chooses on the entries of `ProgressTables`.
#[derive(LogicBlock)]
pub struct CqProgress {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is under way.
    pub reset: Signal<In, Bit>,
    /// A change may begin.
    pub free: Signal<Out, Bit>,
    /// It begins.
    pub begins: Signal<In, Bit>,
    /// Its kind.
    pub job: Signal<In, ProgressTask>,
    /// The change.
    pub change: Signal<In, CqChange>,
    /// Queue of the change.
    pub cqn: Signal<Out, Bits<12>>,
    /// Reads the tables.
    pub read: Signal<Out, Bit>,
    /// The change is a CQE that has its B.
    pub completes: Signal<Out, Bit>,
    /// The change is a doorbell.
    pub rings: Signal<Out, Bit>,
    /// Its consumer count.
    pub consumer: Signal<Out, Bits<24>>,
    /// The queue exists.
    pub exists: Signal<In, Bit>,
    /// Its vector.
    pub irq_vector: Signal<In, Bits<3>>,
    /// Armed for any CQE.
    pub armed: Signal<In, Bit>,
    /// Armed for solicited CQEs.
    pub armed_solicited: Signal<In, Bit>,
    /// Some visible CQE is not consumed.
    pub unread: Signal<In, Bit>,
    /// The doorbell consumes what was not produced.
    pub beyond: Signal<In, Bit>,
    /// Stores the new counts and arming.
    pub store: Signal<Out, Bit>,
    /// Arming to store, any CQE.
    pub arm: Signal<Out, Bit>,
    /// Arming to store, solicited CQEs.
    pub arm_solicited: Signal<Out, Bit>,
    /// Stores zeros.
    pub restart: Signal<Out, Bit>,
    /// A CQE is completed.
    pub completed: Signal<Out, Bit>,
    /// Queues whose CQE could not be written.
    pub broken: ChannelSource<Bits<12>>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// A queue fires.
    pub interrupt_request: Signal<Out, Bit>,
    /// Its vector.
    pub interrupt_vector: Signal<Out, Bits<3>>,
    arming: CqArming,
    state: DFF<ProgressState>,
    doing: DFF<ProgressTask>,
    asked: DFF<CqChange>,
    fired: DFF<Bit>,
    fired_vector: DFF<Bits<3>>,
    value: Signal<Local, Bits<32>>,
    at_store: Signal<Local, Bit>,
    completing: Signal<Local, Bit>,
    ringing: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    breaks: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    value_reason: Constant<Bits<8>>,
    index_reason: Constant<Bits<8>>,
    count_reason: Constant<Bits<8>>,
}

impl Default for CqProgress {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            free: Default::default(),
            begins: Default::default(),
            job: Default::default(),
            change: Default::default(),
            cqn: Default::default(),
            read: Default::default(),
            completes: Default::default(),
            rings: Default::default(),
            consumer: Default::default(),
            exists: Default::default(),
            irq_vector: Default::default(),
            armed: Default::default(),
            armed_solicited: Default::default(),
            unread: Default::default(),
            beyond: Default::default(),
            store: Default::default(),
            arm: Default::default(),
            arm_solicited: Default::default(),
            restart: Default::default(),
            completed: Default::default(),
            broken: Default::default(),
            drop: Default::default(),
            interrupt_request: Default::default(),
            interrupt_vector: Default::default(),
            arming: Default::default(),
            state: Default::default(),
            doing: Default::default(),
            asked: Default::default(),
            fired: Default::default(),
            fired_vector: Default::default(),
            value: Default::default(),
            at_store: Default::default(),
            completing: Default::default(),
            ringing: Default::default(),
            reserved: Default::default(),
            wrong: Default::default(),
            breaks: Default::default(),
            drops: Default::default(),
            stores: Default::default(),
            ends: Default::default(),
            value_reason: Constant::new(bits(drop::CQ_DOORBELL_VALUE.into())),
            index_reason: Constant::new(bits(drop::CQ_DOORBELL_INDEX.into())),
            count_reason: Constant::new(bits(drop::CQ_DOORBELL_COUNT.into())),
        }
    }
}

impl Logic for CqProgress {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, doing, asked, fired, fired_vector);
        self.value.next = self.asked.q.val().value;
        self.completing.next = self.doing.q.val() == ProgressTask::Complete;
        self.ringing.next = self.doing.q.val() == ProgressTask::Ring;
        self.at_store.next = self.state.q.val() == ProgressState::Store;
        // What a wrong doorbell is counted as: the first of these that holds.
        self.reserved.next = self.value.val().get_bits::<6>(26).any();
        self.wrong.next = self.reserved.val() | !self.exists.val() | self.beyond.val();
        self.drop.data.next = self.count_reason.val();
        if !self.exists.val() {
            self.drop.data.next = self.index_reason.val();
        }
        if self.reserved.val() {
            self.drop.data.next = self.value_reason.val();
        }
        self.drops.next = self.at_store.val() & self.ringing.val() & self.wrong.val();
        self.breaks.next = self.at_store.val() & self.completing.val() & self.asked.q.val().write_failed;
        // Both must be ready, whatever the verdict is: so `free` does not wait for it.
        self.stores.next = self.at_store.val() & self.drop.ready.val() & self.broken.ready.val();
        self.arming.rings.next = self.ringing.val();
        self.arming.wants.next = self.value.val().get_bit(24);
        self.arming.wants_solicited.next = self.value.val().get_bit(25);
        self.arming.solicited.next = self.asked.q.val().solicited;
        self.arming.write_failed.next = self.asked.q.val().write_failed;
        self.arming.unread.next = self.unread.val();
        self.arming.armed.next = self.armed.val();
        self.arming.armed_solicited.next = self.armed_solicited.val();
        self.arm.next = self.arming.arm.val();
        self.arm_solicited.next = self.arming.arm_solicited.val();
        self.store.next = self.stores.val() & (self.completing.val() | (self.ringing.val() & !self.wrong.val()));
        self.restart.next = self.at_store.val() & (self.doing.q.val() == ProgressTask::Restart);
        self.completed.next = self.stores.val() & self.completing.val();
        self.fired.d.next = self.store.val() & self.arming.fires.val() & self.exists.val();
        self.fired_vector.d.next = self.irq_vector.val();
        self.ends.next = self.stores.val() | (self.state.q.val() == ProgressState::Idle);
        match self.state.q.val() {
            ProgressState::Idle => {}
            ProgressState::Read => self.state.d.next = ProgressState::Judge,
            ProgressState::Judge => self.state.d.next = ProgressState::Store,
            ProgressState::Store => {
                if self.ends.val() {
                    self.state.d.next = ProgressState::Idle;
                }
            }
        }
        if self.begins.val() {
            self.state.d.next = ProgressState::Read;
            self.doing.d.next = self.job.val();
            self.asked.d.next = self.change.val();
        }
        if self.reset.val() {
            self.state.d.next = ProgressState::Idle;
            self.fired.d.next = false;
        }
        self.free.next = self.ends.val();
        self.read.next = self.state.q.val() == ProgressState::Read;
        self.cqn.next = self.asked.q.val().cqn;
        self.completes.next = self.completing.val();
        self.rings.next = self.ringing.val();
        self.consumer.next = self.value.val().get_bits::<24>(0);
        self.drop.valid.next = self.drops.val() & self.stores.val();
        self.broken.valid.next = self.breaks.val() & self.stores.val();
        self.broken.data.next = self.asked.q.val().cqn;
        self.interrupt_request.next = self.fired.q.val();
        self.interrupt_vector.next = self.fired_vector.q.val();
    }
}
