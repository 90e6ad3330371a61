//! Turns of the response engine: a ready queue pair sends one frame (rule T63), or a failed frame is dealt with.
//!
//! A turn takes six cycles: take a queue pair, read its records, read its entry, two cycles for the next packet, act; and one
//! more for each cycle that the ready queue cannot take it back. It begins only when a frame of headers finds room; a gather
//! or atomic unit without room sends the queue pair to the end of the ready queue, so that it holds up nobody (T109).
use rust_hdl::prelude::*;

/// Steps of a turn.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum ResponseState {
    /// Take a failure or a ready queue pair.
    Choose,
    /// Progress, tail, context and counts arrive.
    Look,
    /// The entry arrives.
    Fetch,
    /// Sums of the next packet.
    Measure,
    /// What they mean.
    Decide,
    /// The frame goes, the progress is written.
    Act,
    /// The ready queue takes the queue pair back.
    Enter,
}

/// State machine of the turns.
#[derive(LogicBlock, Default)]
pub struct ResponseTurn {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the turn.
    pub reset: Signal<In, Bit>,
    /// Headers find room.
    pub room: Signal<In, Bit>,
    /// A failure waits.
    pub failure: Signal<In, Bit>,
    /// A ready queue pair waits.
    pub ready: Signal<In, Bit>,
    /// The turn wants another one.
    pub again: Signal<In, Bit>,
    /// The ready queue takes it.
    pub taken_back: Signal<In, Bit>,
    /// The turn may begin in this cycle.
    pub choosing: Signal<Out, Bit>,
    /// The failure is taken.
    pub takes_failure: Signal<Out, Bit>,
    /// The ready queue pair is taken.
    pub takes_ready: Signal<Out, Bit>,
    /// Records of the queue pair are there.
    pub looks: Signal<Out, Bit>,
    /// Its entry is there.
    pub fetches: Signal<Out, Bit>,
    /// The turn acts.
    pub acts: Signal<Out, Bit>,
    /// The turn is about a failure.
    pub failing: Signal<Out, Bit>,
    /// The queue pair is entered again.
    pub enters: Signal<Out, Bit>,
    state: DFF<ResponseState>,
    by_failure: DFF<Bit>,
    fails: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
    chooses: Signal<Local, Bit>,
}

impl Logic for ResponseTurn {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, by_failure);
        self.chooses.next = self.state.q.val() == ResponseState::Choose;
        self.choosing.next = self.chooses.val();
        self.fails.next = self.chooses.val() & self.failure.val();
        self.runs.next = self.chooses.val() & self.room.val() & self.ready.val() & !self.failure.val();
        self.takes_failure.next = self.fails.val();
        self.takes_ready.next = self.runs.val();
        self.looks.next = self.state.q.val() == ResponseState::Look;
        self.fetches.next = self.state.q.val() == ResponseState::Fetch;
        self.acts.next = self.state.q.val() == ResponseState::Act;
        self.failing.next = self.by_failure.q.val();
        self.enters.next = ((self.state.q.val() == ResponseState::Act) & self.again.val())
            | (self.state.q.val() == ResponseState::Enter);
        match self.state.q.val() {
            ResponseState::Choose => {
                if self.fails.val() | self.runs.val() {
                    self.by_failure.d.next = self.fails.val();
                    self.state.d.next = ResponseState::Look;
                }
            }
            ResponseState::Look => self.state.d.next = ResponseState::Fetch,
            ResponseState::Fetch => self.state.d.next = ResponseState::Measure,
            ResponseState::Measure => self.state.d.next = ResponseState::Decide,
            ResponseState::Decide => self.state.d.next = ResponseState::Act,
            ResponseState::Act => {
                self.state.d.next = ResponseState::Choose;
                if self.again.val() & !self.taken_back.val() {
                    self.state.d.next = ResponseState::Enter;
                }
            }
            ResponseState::Enter => {
                if self.taken_back.val() {
                    self.state.d.next = ResponseState::Choose;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = ResponseState::Choose;
        }
    }
}
