//! Sequence of the MR commands: check, pass through back end or lookup, answer words, end. One command at a time.
use rust_hdl::prelude::*;

/// What the unit is doing.
#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
pub enum AdminState {
    /// Nothing.
    Idle,
    /// Looks at the verdict about the fields, which follows the last word by one cycle.
    Check,
    /// Offers the operation to the back end.
    Enter,
    /// Waits for its end.
    AwaitEnd,
    /// Waits for the identity of the queue pair.
    Identify,
    /// Asks the lookup.
    Ask,
    /// Waits for its answer.
    AwaitAnswer,
    /// Pushes answer words.
    Answer,
    /// Tells the end.
    Finish,
}

/// The state machine; the fields are elsewhere.
#[derive(LogicBlock, Default)]
pub struct AdminControl {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the command.
    pub reset: Signal<In, Bit>,
    /// A command begins,
    pub start: Signal<In, Bit>,
    /// this one.
    pub opcode: Signal<In, Bits<8>>,
    /// Its fields are wrong for ALLOC_MR,
    pub alloc_bad: Signal<In, Bit>,
    /// or ask for SG_GAPS,
    pub alloc_gaps: Signal<In, Bit>,
    /// wrong for DEREG_MR and QUERY_MR,
    pub index_bad: Signal<In, Bit>,
    /// wrong for PROBE.
    pub probe_bad: Signal<In, Bit>,
    /// The back end takes the operation.
    pub taken: Signal<In, Bit>,
    /// The operation has ended,
    pub ended: Signal<In, Bit>,
    /// refused because of the state of the MR,
    pub refused: Signal<In, Bit>,
    /// or its drain given up.
    pub timed_out: Signal<In, Bit>,
    /// The queue pair exists.
    pub known: Signal<In, Bit>,
    /// The question has entered the lookup.
    pub asked: Signal<In, Bit>,
    /// The lookup answers.
    pub answered: Signal<In, Bit>,
    /// The command under way.
    pub command: Signal<Out, Bits<8>>,
    /// Offer the operation.
    pub enter: Signal<Out, Bit>,
    /// Keep the row of the operation.
    pub keep_row: Signal<Out, Bit>,
    /// Ask the lookup.
    pub ask: Signal<Out, Bit>,
    /// Keep its answer.
    pub keep_answer: Signal<Out, Bit>,
    /// Push this answer word,
    pub answering: Signal<Out, Bit>,
    /// of this number.
    pub number: Signal<Out, Bits<4>>,
    /// The command ends,
    pub done: Signal<Out, Bit>,
    /// with this error number.
    pub errno: Signal<Out, Bits<8>>,
    state: DFF<AdminState>,
    opcode_now: DFF<Bits<8>>,
    error: DFF<Bits<8>>,
    count: DFF<Bits<4>>,
    pause: DFF<Bits<3>>,
    final_word: Signal<Local, Bits<4>>,
    table_command: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
}

impl Logic for AdminControl {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, opcode_now, error, count, pause);
        self.command.next = self.opcode_now.q.val();
        self.enter.next = self.state.q.val() == AdminState::Enter;
        self.keep_row.next = self.state.q.val() == AdminState::AwaitEnd;
        self.ask.next = self.state.q.val() == AdminState::Ask;
        self.keep_answer.next = self.state.q.val() == AdminState::AwaitAnswer;
        self.answering.next = self.state.q.val() == AdminState::Answer;
        self.number.next = self.count.q.val();
        self.done.next = self.state.q.val() == AdminState::Finish;
        self.errno.next = self.error.q.val();
        self.final_word.next = 11.into();
        if self.opcode_now.q.val() == 4 {
            self.final_word.next = 3.into();
        }
        self.table_command.next = (self.opcode_now.q.val() == 2) | (self.opcode_now.q.val() == 3);
        self.bad.next = ((self.opcode_now.q.val() == 1) & self.alloc_bad.val())
            | (self.table_command.val() & self.index_bad.val())
            | ((self.opcode_now.q.val() == 4) & self.probe_bad.val());
        match self.state.q.val() {
            AdminState::Idle => {
                self.count.d.next = 0.into();
                self.pause.d.next = 7.into();
                self.opcode_now.d.next = self.opcode.val();
                self.error.d.next = 0.into();
                if self.start.val() {
                    self.state.d.next = AdminState::Check;
                }
            }
            AdminState::Check => {
                self.state.d.next = AdminState::Idle;
                if self.bad.val() {
                    self.error.d.next = 22.into();
                    self.state.d.next = AdminState::Finish;
                } else if (self.opcode_now.q.val() == 1) & self.alloc_gaps.val() {
                    self.error.d.next = 95.into();
                    self.state.d.next = AdminState::Finish;
                } else if (self.opcode_now.q.val() == 1) | self.table_command.val() {
                    self.state.d.next = AdminState::Enter;
                } else if self.opcode_now.q.val() == 4 {
                    self.state.d.next = AdminState::Identify;
                }
            }
            AdminState::Enter => {
                if self.taken.val() {
                    self.state.d.next = AdminState::AwaitEnd;
                }
            }
            AdminState::AwaitEnd => {
                if self.ended.val() {
                    self.state.d.next = AdminState::Finish;
                    if self.refused.val() {
                        // The slot is in use (ALLOC_MR) or not allocated (DEREG_MR).
                        self.error.d.next = 22.into();
                        if self.opcode_now.q.val() == 1 {
                            self.error.d.next = 16.into();
                        }
                    } else if self.timed_out.val() {
                        self.error.d.next = 110.into();
                    } else if self.opcode_now.q.val() == 3 {
                        self.state.d.next = AdminState::Answer;
                    }
                }
            }
            AdminState::Identify => {
                self.pause.d.next = self.pause.q.val() - 1;
                if self.pause.q.val() == 0 {
                    self.state.d.next = AdminState::Ask;
                    if !self.known.val() {
                        self.error.d.next = 22.into();
                        self.state.d.next = AdminState::Finish;
                    }
                }
            }
            AdminState::Ask => {
                if self.asked.val() {
                    self.state.d.next = AdminState::AwaitAnswer;
                }
            }
            AdminState::AwaitAnswer => {
                if self.answered.val() {
                    self.state.d.next = AdminState::Answer;
                }
            }
            AdminState::Answer => {
                self.count.d.next = self.count.q.val() + 1;
                if self.count.q.val() == self.final_word.val() {
                    self.state.d.next = AdminState::Finish;
                }
            }
            AdminState::Finish => self.state.d.next = AdminState::Idle,
        }
        if self.reset.val() {
            self.state.d.next = AdminState::Idle;
        }
    }
}
