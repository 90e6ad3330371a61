//! Admin mailbox: checks a command, streams its words to the units, collects the answer.
//!
//! GO while nothing runs starts a command: an unknown opcode answers EINVAL, a device that is not ready EAGAIN, a non-zero word
//! that the command does not use EINVAL. Then `start`, and the unit that owns the opcode answers (each unit knows its own). The
//! words go out one a cycle, about 36 cycles from GO to `start`. The bus never waits: it reads `status`.
use super::words::Words;
use crate::types::AdminManager;
use rnic_abi::admin::{Command, COMMAND_WORDS};
use rnic_abi::errno;
use rust_hdl::prelude::*;

/// Number of admin opcodes.
const OPCODES: usize = Command::ALL.len();

/// Where a command stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Stage {
    /// No command runs.
    Idle,
    /// Opcode and readiness are judged.
    Judge,
    /// The words go out.
    Stream,
    /// The last word is judged.
    Finish,
    /// The unit works.
    Await,
}

/// The mailbox without its bus side: command and answer words, sequencer.
#[derive(LogicBlock)]
pub struct Mailbox {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the command that runs, and all words.
    pub reset: Signal<In, Bit>,
    /// Commands are taken.
    pub ready: Signal<In, Bit>,
    /// Stores `data` as command word `index`.
    pub write: Signal<In, Bit>,
    /// Word to write or read.
    pub index: Signal<In, Bits<5>>,
    /// Word, or value of GO.
    pub data: Signal<In, Bits<32>>,
    /// GO is written.
    pub go: Signal<In, Bit>,
    /// Command word of one cycle ago.
    pub command_word: Signal<Out, Bits<32>>,
    /// Answer word of one cycle ago.
    pub answer_word: Signal<Out, Bits<32>>,
    /// A command runs.
    pub busy: Signal<Out, Bit>,
    /// ADMIN_STATUS.
    pub status: Signal<Out, Bits<32>>,
    /// The units.
    pub unit: AdminManager,
    /// Copy of the words for the bus, which may read while they go out.
    shown: Words<32, 5>,
    words: Words<32, 5>,
    answers: Words<16, 4>,
    stage: DFF<Stage>,
    finished: DFF<Bit>,
    result: DFF<Bits<8>>,
    mark: DFF<Bits<16>>,
    opcode: DFF<Bits<8>>,
    unused: DFF<Bits<32>>,
    count: DFF<Bits<5>>,
    streams: DFF<Bit>,
    streamed: DFF<Bits<5>>,
    misused: DFF<Bit>,
    starts: DFF<Bit>,
    known: Signal<Local, Bit>,
    mask: Signal<Local, Bits<32>>,
    bad: Signal<Local, Bit>,
    is_busy: Signal<Local, Bit>,
    opcodes: [Constant<Bits<8>>; OPCODES],
    unused_words: [Constant<Bits<32>>; OPCODES],
    einval: Constant<Bits<8>>,
    eagain: Constant<Bits<8>>,
}

impl Default for Mailbox {
    fn default() -> Self {
        assert_eq!(COMMAND_WORDS, 32);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            ready: Default::default(),
            write: Default::default(),
            index: Default::default(),
            data: Default::default(),
            go: Default::default(),
            command_word: Default::default(),
            answer_word: Default::default(),
            busy: Default::default(),
            status: Default::default(),
            unit: Default::default(),
            shown: Default::default(),
            words: Default::default(),
            answers: Default::default(),
            stage: Default::default(),
            finished: Default::default(),
            result: Default::default(),
            mark: Default::default(),
            opcode: Default::default(),
            unused: Default::default(),
            count: Default::default(),
            streams: Default::default(),
            streamed: Default::default(),
            misused: Default::default(),
            starts: Default::default(),
            known: Default::default(),
            mask: Default::default(),
            bad: Default::default(),
            is_busy: Default::default(),
            opcodes: std::array::from_fn(|i| Constant::new(u64::from(Command::ALL[i].code()).into())),
            unused_words: std::array::from_fn(|i| Constant::new(u64::from(!Command::ALL[i].used_words()).into())),
            einval: Constant::new(u64::from(errno::EINVAL).into()),
            eagain: Constant::new(u64::from(errno::EAGAIN).into()),
        }
    }
}

impl Logic for Mailbox {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, stage, finished, result, mark, opcode, unused, count, streams, streamed, misused, starts
        );
        clock!(self, clock, shown, words, answers);
        self.shown.reset.next = self.reset.val();
        self.words.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val() | self.go.val();
        self.shown.write.next = self.write.val();
        self.shown.write_index.next = self.index.val();
        self.shown.data.next = self.data.val();
        self.shown.read_index.next = self.index.val();
        self.words.write.next = self.write.val();
        self.words.write_index.next = self.index.val();
        self.words.data.next = self.data.val();
        self.words.read_index.next = self.count.q.val();
        self.answers.write.next = self.unit.answer_valid.val() & (self.stage.q.val() == Stage::Await);
        self.answers.write_index.next = self.unit.answer_index.val();
        self.answers.data.next = self.unit.answer.val();
        self.answers.read_index.next = self.index.val().get_bits::<4>(0);
        self.command_word.next = self.shown.out.val();
        self.answer_word.next = self.answers.out.val();
        self.is_busy.next = self.stage.q.val() != Stage::Idle;
        self.busy.next = self.is_busy.val();
        self.status.next = (bit_cast::<32, 16>(self.mark.q.val()) << 16)
            | (bit_cast::<32, 8>(self.result.q.val()) << 8)
            | (bit_cast::<32, 1>(self.finished.q.val().into()) << 1)
            | bit_cast::<32, 1>(self.is_busy.val().into());
        self.unit.word_valid.next = self.streams.q.val();
        self.unit.word_index.next = self.streamed.q.val();
        self.unit.word.next = self.words.out.val();
        self.unit.start.next = self.starts.q.val();
        self.unit.opcode.next = self.opcode.q.val();
        self.known.next = false;
        self.mask.next = 0.into();
        for i in 0..OPCODES {
            if self.opcode.q.val() == self.opcodes[i].val() {
                self.known.next = true;
                self.mask.next = self.unused_words[i].val();
            }
        }
        self.bad.next = self.misused.q.val()
            | (self.streams.q.val()
                & self.words.out.val().any()
                & self.unused.q.val().get_bit(self.streamed.q.val().index()));
        self.misused.d.next = self.bad.val();
        self.streams.d.next = false;
        self.starts.d.next = false;
        self.streamed.d.next = self.count.q.val();
        match self.stage.q.val() {
            Stage::Idle => {
                if self.go.val() {
                    self.opcode.d.next = self.data.val().get_bits::<8>(0);
                    self.mark.d.next = self.data.val().get_bits::<16>(16);
                    self.finished.d.next = false;
                    self.result.d.next = 0.into();
                    self.stage.d.next = Stage::Judge;
                }
            }
            Stage::Judge => {
                self.unused.d.next = self.mask.val();
                self.count.d.next = 0.into();
                self.misused.d.next = false;
                self.stage.d.next = Stage::Stream;
                if !self.known.val() | !self.ready.val() {
                    self.stage.d.next = Stage::Idle;
                    self.finished.d.next = true;
                    self.result.d.next = self.eagain.val();
                }
                if !self.known.val() {
                    self.result.d.next = self.einval.val();
                }
            }
            Stage::Stream => {
                self.streams.d.next = true;
                self.count.d.next = self.count.q.val() + 1;
                if self.count.q.val().all() {
                    self.stage.d.next = Stage::Finish;
                }
            }
            Stage::Finish => {
                self.starts.d.next = !self.bad.val();
                self.stage.d.next = Stage::Await;
                if self.bad.val() {
                    self.stage.d.next = Stage::Idle;
                    self.finished.d.next = true;
                    self.result.d.next = self.einval.val();
                }
            }
            Stage::Await => {
                if self.unit.done.val() {
                    self.stage.d.next = Stage::Idle;
                    self.finished.d.next = true;
                    self.result.d.next = self.unit.errno.val();
                }
            }
        }
        if self.reset.val() {
            self.stage.d.next = Stage::Idle;
            self.finished.d.next = false;
            self.result.d.next = 0.into();
            self.mark.d.next = 0.into();
            self.streams.d.next = false;
            self.starts.d.next = false;
        }
    }
}
