//! Sequencer of one BAR access: decode, check, act, answer.
//!
//! Six cycles from `access` to `finish`; eight for a counter; a doorbell may wait 32 more (rule BA4: 64 at most).
//! An access that is answered with an error acts on nothing.
use super::decode::{Decode, Place};
use super::value::ValueCheck;
use rnic_abi::preset::Preset;
use rust_hdl::prelude::*;

/// Where an access stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Step {
    /// No access.
    Idle,
    /// Address and value are judged; memories are read.
    Decode,
    /// The register is written, or its value taken.
    Act,
    /// The value is shown.
    Show,
    /// Counters are reached through their sequencer.
    AwaitCounter,
    /// Doorbells through their queue.
    AwaitDoorbell,
    /// The response leaves.
    Finish,
}

/// The sequencer.
#[derive(LogicBlock)]
pub struct AccessSequencer {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the access.
    pub reset: Signal<In, Bit>,
    /// An access is to be served; all of it holds until `finish`.
    pub access: Signal<In, Bit>,
    /// It is a write.
    pub write: Signal<In, Bit>,
    /// Byte address.
    pub address: Signal<In, Bits<16>>,
    /// Data of a write.
    pub data: Signal<In, Bits<32>>,
    /// All of a word is written.
    pub whole: Signal<In, Bit>,
    /// Ends the access.
    pub finish: Signal<Out, Bit>,
    /// AXI response.
    pub response: Signal<Out, Bits<2>>,
    /// Data of a read.
    pub answer: Signal<Out, Bits<32>>,
    /// An admin command runs: its words and GO are not to be written.
    pub busy: Signal<In, Bit>,
    /// Number of the register in its array.
    pub index: Signal<Out, Bits<10>>,
    /// Write a register that the core works by.
    pub setting_write: Signal<Out, Bit>,
    /// Write a stored register.
    pub stored_write: Signal<Out, Bit>,
    /// Write a command word.
    pub command_write: Signal<Out, Bit>,
    /// Write GO.
    pub go: Signal<Out, Bit>,
    /// The counter `index` is wanted, or to be cleared if this is a write.
    pub counter: Signal<Out, Bit>,
    /// An SQ doorbell is written.
    pub send: Signal<Out, Bit>,
    /// An RQ doorbell is written.
    pub receive: Signal<Out, Bit>,
    /// A CQ doorbell is written.
    pub completion: Signal<Out, Bit>,
    /// The counter is served.
    pub counter_done: Signal<In, Bit>,
    /// The doorbell is served.
    pub doorbell_done: Signal<In, Bit>,
    /// Value of the identity register at `address`; these values are as old as one cycle.
    pub identity_value: Signal<In, Bits<32>>,
    /// Value of the setting.
    pub setting_value: Signal<In, Bits<32>>,
    /// Value of the stored register.
    pub stored_value: Signal<In, Bits<32>>,
    /// Value of the command word.
    pub command_value: Signal<In, Bits<32>>,
    /// Value of the answer word.
    pub answer_value: Signal<In, Bits<32>>,
    /// Value of ADMIN_STATUS.
    pub status_value: Signal<In, Bits<32>>,
    /// Value of the counter when `counter_done`.
    pub counter_value: Signal<In, Bits<32>>,
    decode: Decode,
    value: ValueCheck,
    step: DFF<Step>,
    place: DFF<Place>,
    code: DFF<Bits<2>>,
    shown: DFF<Bits<32>>,
    word: Signal<Local, Bits<8>>,
    of_mailbox: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    rings: Signal<Local, Bit>,
    fetched: DFF<Bits<32>>,
    read_value: Signal<Local, Bits<32>>,
}

impl AccessSequencer {
    /// Sequencer for the map of a preset.
    pub fn new(preset: &Preset) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            access: Default::default(),
            write: Default::default(),
            address: Default::default(),
            data: Default::default(),
            whole: Default::default(),
            finish: Default::default(),
            response: Default::default(),
            answer: Default::default(),
            busy: Default::default(),
            index: Default::default(),
            setting_write: Default::default(),
            stored_write: Default::default(),
            command_write: Default::default(),
            go: Default::default(),
            counter: Default::default(),
            send: Default::default(),
            receive: Default::default(),
            completion: Default::default(),
            counter_done: Default::default(),
            doorbell_done: Default::default(),
            identity_value: Default::default(),
            setting_value: Default::default(),
            stored_value: Default::default(),
            command_value: Default::default(),
            answer_value: Default::default(),
            status_value: Default::default(),
            counter_value: Default::default(),
            decode: Decode::new(preset),
            value: Default::default(),
            step: Default::default(),
            place: Default::default(),
            code: Default::default(),
            shown: Default::default(),
            word: Default::default(),
            of_mailbox: Default::default(),
            low: Default::default(),
            wrong: Default::default(),
            acts: Default::default(),
            rings: Default::default(),
            fetched: Default::default(),
            read_value: Default::default(),
        }
    }
}

impl Logic for AccessSequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, place, code, shown, fetched);
        self.decode.address.next = self.address.val();
        self.decode.write.next = self.write.val();
        self.decode.whole.next = self.whole.val();
        self.word.next = self.address.val().get_bits::<8>(2);
        self.value.word.next = self.word.val();
        self.value.data.next = self.data.val();
        self.index.next = self.decode.index.val();
        self.of_mailbox.next = (self.decode.place.val() == Place::Command) | (self.decode.place.val() == Place::Go);
        self.low.next = (self.decode.place.val() == Place::Setting)
            | (self.decode.place.val() == Place::Stored)
            | (self.decode.place.val() == Place::Go);
        self.wrong.next = self.decode.refused.val()
            | (self.write.val() & self.low.val() & self.value.refused.val())
            | (self.write.val() & self.of_mailbox.val() & self.busy.val());
        self.acts.next = (self.step.q.val() == Step::Act) & self.write.val() & (self.code.q.val() == 0);
        self.setting_write.next = self.acts.val() & (self.place.q.val() == Place::Setting);
        self.stored_write.next = self.acts.val() & (self.place.q.val() == Place::Stored);
        self.command_write.next = self.acts.val() & (self.place.q.val() == Place::Command);
        self.go.next = self.acts.val() & (self.place.q.val() == Place::Go);
        self.counter.next = self.step.q.val() == Step::AwaitCounter;
        self.rings.next = self.step.q.val() == Step::AwaitDoorbell;
        self.send.next = self.rings.val() & (self.place.q.val() == Place::SendDoorbell);
        self.receive.next = self.rings.val() & (self.place.q.val() == Place::ReceiveDoorbell);
        self.completion.next = self.rings.val() & (self.place.q.val() == Place::CompletionDoorbell);
        self.finish.next = self.step.q.val() == Step::Finish;
        self.response.next = self.code.q.val();
        self.answer.next = self.shown.q.val();
        self.read_value.next = 0.into();
        if self.place.q.val() == Place::Identity {
            self.read_value.next = self.identity_value.val();
        } else if self.place.q.val() == Place::Setting {
            self.read_value.next = self.setting_value.val();
        } else if self.place.q.val() == Place::Stored {
            self.read_value.next = self.stored_value.val();
        } else if self.place.q.val() == Place::Command {
            self.read_value.next = self.command_value.val();
        } else if self.place.q.val() == Place::AdminAnswer {
            self.read_value.next = self.answer_value.val();
        } else if self.place.q.val() == Place::AdminStatus {
            self.read_value.next = self.status_value.val();
        }
        self.fetched.d.next = self.read_value.val();
        match self.step.q.val() {
            Step::Idle => {
                if self.access.val() {
                    self.step.d.next = Step::Decode;
                }
            }
            Step::Decode => {
                self.place.d.next = self.decode.place.val();
                self.code.d.next = 0.into();
                if self.wrong.val() {
                    self.code.d.next = 2.into();
                }
                if self.decode.unassigned.val() {
                    self.code.d.next = 3.into();
                }
                self.step.d.next = Step::Act;
            }
            Step::Act => {
                self.step.d.next = Step::Show;
                self.shown.d.next = 0.into();
                if self.code.q.val() == 0 {
                    if self.place.q.val() == Place::Counter {
                        self.step.d.next = Step::AwaitCounter;
                    } else if (self.place.q.val() == Place::SendDoorbell)
                        | (self.place.q.val() == Place::ReceiveDoorbell)
                        | (self.place.q.val() == Place::CompletionDoorbell)
                    {
                        self.step.d.next = Step::AwaitDoorbell;
                    }
                }
            }
            Step::Show => {
                if self.code.q.val() == 0 {
                    self.shown.d.next = self.fetched.q.val();
                }
                self.step.d.next = Step::Finish;
            }
            Step::AwaitCounter => {
                self.shown.d.next = self.counter_value.val();
                if self.counter_done.val() {
                    self.step.d.next = Step::Finish;
                }
            }
            Step::AwaitDoorbell => {
                if self.doorbell_done.val() {
                    self.step.d.next = Step::Finish;
                }
            }
            Step::Finish => self.step.d.next = Step::Idle,
        }
        if self.reset.val() {
            self.step.d.next = Step::Idle;
        }
    }
}
