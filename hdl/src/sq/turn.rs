//! Paces a queue's scheduler: who has the next turn, and where it stands.
//!
//! A turn takes four cycles: choose a doorbell or the queue pair at the head of the ready queue, read its counts and context,
//! measure, act. Doorbells and ready queue pairs alternate when both wait. A turn begins only when all that its end may need
//! has room, so it never stalls.
use rust_hdl::prelude::*;

/// Steps of a turn.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum TurnState {
    /// Take a doorbell or a ready queue pair; the tables get its index.
    Choose,
    /// Counts and context arrive.
    Look,
    /// They are compared.
    Measure,
    /// The result is written.
    Act,
}

/// State machine of the turns.
#[derive(LogicBlock, Default)]
pub struct Turn {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the turn.
    pub reset: Signal<In, Bit>,
    /// A doorbell waits, and its end has room.
    pub doorbell: Signal<In, Bit>,
    /// A ready queue pair waits, and its end has room.
    pub ready: Signal<In, Bit>,
    /// The doorbell is taken.
    pub takes_doorbell: Signal<Out, Bit>,
    /// The ready queue pair is taken.
    pub takes_ready: Signal<Out, Bit>,
    /// The turn of a doorbell acts.
    pub doorbell_acts: Signal<Out, Bit>,
    /// The turn of a ready queue pair acts.
    pub ready_acts: Signal<Out, Bit>,
    state: DFF<TurnState>,
    by_doorbell: DFF<Bit>,
    choosing: Signal<Local, Bit>,
    rings: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
}

impl Logic for Turn {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, by_doorbell);
        self.choosing.next = self.state.q.val() == TurnState::Choose;
        // After a doorbell a ready queue pair goes first.
        self.rings.next = self.choosing.val() & self.doorbell.val() & (!self.by_doorbell.q.val() | !self.ready.val());
        self.runs.next = self.choosing.val() & self.ready.val() & !self.rings.val();
        self.takes_doorbell.next = self.rings.val();
        self.takes_ready.next = self.runs.val();
        self.doorbell_acts.next = (self.state.q.val() == TurnState::Act) & self.by_doorbell.q.val();
        self.ready_acts.next = (self.state.q.val() == TurnState::Act) & !self.by_doorbell.q.val();
        match self.state.q.val() {
            TurnState::Choose => {
                if self.rings.val() | self.runs.val() {
                    self.by_doorbell.d.next = self.rings.val();
                    self.state.d.next = TurnState::Look;
                }
            }
            TurnState::Look => {
                self.state.d.next = TurnState::Measure;
            }
            TurnState::Measure => {
                self.state.d.next = TurnState::Act;
            }
            TurnState::Act => {
                self.state.d.next = TurnState::Choose;
            }
        }
        if self.reset.val() {
            self.state.d.next = TurnState::Choose;
            self.by_doorbell.d.next = false;
        }
    }
}
