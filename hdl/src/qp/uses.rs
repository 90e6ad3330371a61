//! Uses of the two completion queues of a queue pair: asked for and taken at create, returned at destroy.
//!
//! Both are asked for before the first is taken, so that a refusal changes nothing. A question waits 8 cycles; two orders are
//! 16 cycles apart.
use rust_hdl::prelude::*;

/// How far it is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Use {
    /// Nothing to do.
    Idle,
    /// Asks for the send CQ.
    AskSend,
    /// Asks for the receive CQ.
    AskReceive,
    /// Takes or returns the send CQ.
    OrderSend,
    /// Takes or returns the receive CQ.
    OrderReceive,
    /// Tells that it is done.
    Done,
}

/// Sequencer of uses.
#[derive(LogicBlock, Default)]
pub struct CompletionUses {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Stops.
    pub reset: Signal<In, Bit>,
    /// Take the uses, or return them; held with what follows until `done`.
    pub request: Signal<In, Bit>,
    /// Return them.
    pub returns: Signal<In, Bit>,
    /// Completion queue of sends.
    pub send_cqn: Signal<In, Bits<12>>,
    /// Completion queue of receives.
    pub receive_cqn: Signal<In, Bits<12>>,
    /// Uses are taken or returned, or a queue is missing.
    pub done: Signal<Out, Bit>,
    /// With `done`: a queue does not exist, nothing was taken.
    pub missing: Signal<Out, Bit>,
    /// Completion queue in question.
    pub use_cqn: Signal<Out, Bits<12>>,
    /// It exists.
    pub use_exists: Signal<In, Bit>,
    /// One more use.
    pub use_take: Signal<Out, Bit>,
    /// One use less.
    pub use_release: Signal<Out, Bit>,
    stage: DFF<Use>,
    count: DFF<Bits<4>>,
    lacks: DFF<Bit>,
    orders: Signal<Local, Bit>,
}

impl Logic for CompletionUses {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stage, count, lacks);
        self.done.next = self.stage.q.val() == Use::Done;
        self.missing.next = self.lacks.q.val();
        self.use_cqn.next = self.receive_cqn.val();
        if (self.stage.q.val() == Use::AskSend) | (self.stage.q.val() == Use::OrderSend) {
            self.use_cqn.next = self.send_cqn.val();
        }
        self.orders.next = ((self.stage.q.val() == Use::OrderSend) | (self.stage.q.val() == Use::OrderReceive))
            & (self.count.q.val() == 7);
        self.use_take.next = self.orders.val() & !self.returns.val();
        self.use_release.next = self.orders.val() & self.returns.val();
        self.count.d.next = self.count.q.val() + 1;
        match self.stage.q.val() {
            Use::Idle => {
                self.count.d.next = 0.into();
                self.lacks.d.next = false;
                if self.request.val() {
                    self.stage.d.next = Use::AskSend;
                    if self.returns.val() {
                        self.stage.d.next = Use::OrderSend;
                    }
                }
            }
            Use::AskSend => {
                if self.count.q.val() == 7 {
                    self.count.d.next = 0.into();
                    self.lacks.d.next = !self.use_exists.val();
                    self.stage.d.next = Use::AskReceive;
                }
            }
            Use::AskReceive => {
                if self.count.q.val() == 7 {
                    self.count.d.next = 0.into();
                    self.stage.d.next = Use::OrderSend;
                    if self.lacks.q.val() | !self.use_exists.val() {
                        self.lacks.d.next = true;
                        self.stage.d.next = Use::Done;
                    }
                }
            }
            Use::OrderSend => {
                if self.count.q.val().all() {
                    self.stage.d.next = Use::OrderReceive;
                }
            }
            Use::OrderReceive => {
                if self.count.q.val().all() {
                    self.stage.d.next = Use::Done;
                }
            }
            Use::Done => self.stage.d.next = Use::Idle,
        }
        if self.reset.val() {
            self.stage.d.next = Use::Idle;
        }
    }
}
