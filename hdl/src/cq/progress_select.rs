//! What changes next on the consumer's side. Combinational choice; `ready` follows `free` in the same cycle.
//!
//! A queue that is being created comes first, then B answers and doorbells in turn. B answers come in the order in which
//! CQEs were issued, so the oldest CQE in flight is the one that an answer is for.
use super::{CqChange, CqeInFlight, ProgressTask};
use crate::types::Doorbell;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Chooses the next change.
#[derive(LogicBlock, Default)]
pub struct ProgressSelect {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Answers first.
    pub reset: Signal<In, Bit>,
    /// CQEs in flight, oldest first.
    pub flight: ChannelSink<CqeInFlight>,
    /// Answers: the write failed.
    pub answer: ChannelSink<Bit>,
    /// Doorbells.
    pub doorbell: ChannelSink<Doorbell>,
    /// Queues that are being created.
    pub restart: ChannelSink<Bits<12>>,
    /// A change may begin.
    pub free: Signal<In, Bit>,
    /// It begins.
    pub begins: Signal<Out, Bit>,
    /// Its kind.
    pub job: Signal<Out, ProgressTask>,
    /// The change.
    pub change: Signal<Out, CqChange>,
    doorbell_first: DFF<Bit>,
    answered: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    rings: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
}

impl Logic for ProgressSelect {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, doorbell_first);
        self.open.next = self.free.val() & !self.restart.valid.val();
        self.answered.next = self.flight.valid.val() & self.answer.valid.val();
        self.completes.next =
            self.open.val() & self.answered.val() & !(self.doorbell_first.q.val() & self.doorbell.valid.val());
        self.rings.next = self.open.val() & self.doorbell.valid.val() & !self.completes.val();
        self.restart.ready.next = self.free.val();
        self.flight.ready.next = self.completes.val();
        self.answer.ready.next = self.completes.val();
        self.doorbell.ready.next = self.rings.val();
        if self.completes.val() | self.rings.val() {
            self.doorbell_first.d.next = self.completes.val();
        }
        if self.reset.val() {
            self.doorbell_first.d.next = false;
        }
        self.job.next = ProgressTask::Complete;
        self.change.next.cqn = self.flight.data.val().cqn;
        if self.rings.val() {
            self.job.next = ProgressTask::Ring;
            self.change.next.cqn = bit_cast::<12, 10>(self.doorbell.data.val().index);
        }
        if self.restart.valid.val() {
            self.job.next = ProgressTask::Restart;
            self.change.next.cqn = self.restart.data.val();
        }
        self.change.next.value = self.doorbell.data.val().value;
        self.change.next.solicited = self.flight.data.val().solicited;
        self.change.next.write_failed = self.answer.data.val();
        self.begins.next = self.completes.val() | self.rings.val() | (self.free.val() & self.restart.valid.val());
    }
}
