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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    /// What acts in each of `cycles` cycles: d a doorbell, r a ready queue pair.
    fn acts(doorbell: bool, ready: bool, cycles: usize) -> String {
        let mut uut = Turn::default();
        uut.connect_all();
        uut.doorbell.next = doorbell;
        uut.ready.next = ready;
        let mut seen = String::new();
        for _ in 0..cycles {
            tick(&mut uut, |u| &mut u.clock);
            seen.push(match (uut.doorbell_acts.val(), uut.ready_acts.val()) {
                (true, false) => 'd',
                (false, true) => 'r',
                (false, false) => '.',
                (true, true) => 'x',
            });
        }
        seen
    }

    #[test]
    fn t20_doorbells_and_fetches_alternate_when_both_wait() {
        assert_eq!(acts(true, true, 16), "..d...r...d...r.");
    }

    #[test]
    fn t20_a_turn_takes_four_cycles() {
        assert_eq!(acts(true, false, 8), "..d...d.");
        assert_eq!(acts(false, true, 8), "..r...r.");
        assert_eq!(acts(false, false, 8), "........");
    }
}
