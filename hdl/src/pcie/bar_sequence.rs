//! Serves BAR writes and requests DW by DW, ascending, one access at a time (rules BA1, BA3, TO4).
//!
//! A request waits for the writes that came before it, and for room for its answer *before* it starts; writes wait for
//! neither, so that the host's writes and completions flow whatever becomes of its reads. Five to seven cycles a DW of the
//! bridge's own registers, three more than the core's time otherwise.
use super::bar_answer::BarAnswer;
use super::records::{BarRequest, BarWrite, PayloadBeat, TlpHeader};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Where the sequencer stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum BarStep {
    /// Chooses between write and request.
    Choose,
    /// A DW of a write is due.
    WriteWord,
    /// It is being written.
    AwaitWrite,
    /// A DW of a read is due.
    ReadWord,
    /// It is being read.
    AwaitRead,
    /// The answer leaves.
    Answer,
}

/// Sequencer of BAR0.
#[derive(LogicBlock, Default)]
pub struct BarSequence {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what it does.
    pub reset: Signal<In, Bit>,
    /// Completer id.
    pub device_id: Signal<In, Bits<16>>,
    /// Stored writes,
    pub write: ChannelSink<BarWrite>,
    /// their payload,
    pub beat: ChannelSink<PayloadBeat>,
    /// and the moments at which one is stored.
    pub stored: Signal<In, Bit>,
    /// Requests.
    pub request: ChannelSink<BarRequest>,
    /// There is room for one more answer.
    pub answer_room: Signal<In, Bit>,
    /// An answer,
    pub answer_valid: Signal<Out, Bit>,
    /// its header; its payload is committed with it,
    pub answer: Signal<Out, TlpHeader>,
    /// beat by beat,
    pub data_valid: Signal<Out, Bit>,
    /// two DW each,
    pub data: Signal<Out, Bits<64>>,
    /// or taken back.
    pub data_revert: Signal<Out, Bit>,
    /// Starts an access,
    pub start: Signal<Out, Bit>,
    /// a write,
    pub start_write: Signal<Out, Bit>,
    /// at this offset,
    pub address: Signal<Out, Bits<16>>,
    /// with this data
    pub word: Signal<Out, Bits<32>>,
    /// and these bytes.
    pub strobes: Signal<Out, Bits<4>>,
    /// The access has ended,
    pub done: Signal<In, Bit>,
    /// with this response
    pub response: Signal<In, Bits<2>>,
    /// and this value.
    pub value: Signal<In, Bits<32>>,
    /// A register refused a write.
    pub refused: Signal<Out, Bit>,
    builder: BarAnswer,
    step: DFF<BarStep>,
    held: DFF<BarRequest>,
    holds: DFF<Bit>,
    /// Writes before the held request that are still to be done.
    earlier: DFF<Bits<6>>,
    /// Writes stored and not done.
    waiting: DFF<Bits<6>>,
    /// A write goes first.
    turn: DFF<Bit>,
    index: DFF<Bits<5>>,
    place: DFF<Bits<16>>,
    high_next: DFF<Bit>,
    low_word: DFF<Bits<32>>,
    status: DFF<Bits<3>>,
    order: Signal<Local, BarWrite>,
    piece: Signal<Local, PayloadBeat>,
    left: Signal<Local, Bits<64>>,
    takes_high: Signal<Local, Bit>,
    enables: Signal<Local, Bits<4>>,
    last: Signal<Local, Bits<5>>,
    ends: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    write_done: Signal<Local, Bit>,
    may_answer: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    reached: Signal<Local, Bits<11>>,
    read_ends: Signal<Local, Bit>,
    fetched: Signal<Local, Bits<32>>,
    now_waiting: Signal<Local, Bits<6>>,
}

impl Logic for BarSequence {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, held, holds, earlier, waiting, turn);
        dff_setup!(self, clock, index, place, high_next, low_word, status);
        self.order.next = self.write.data.val();
        self.piece.next = self.beat.data.val();
        self.builder.request.next = self.held.q.val();
        self.builder.status.next = self.status.q.val();
        self.builder.device_id.next = self.device_id.val();
        self.answer.next = self.builder.header.val();
        self.answer_valid.next = self.step.q.val() == BarStep::Answer;
        self.data_revert.next = false;
        self.data_valid.next = false;
        self.start.next = false;
        self.start_write.next = false;
        self.refused.next = false;
        self.address.next = self.place.q.val();
        // The DW of a write that is due, and its byte enables.
        self.takes_high.next = self.high_next.q.val() | !self.piece.val().low;
        self.left.next = self.piece.val().data;
        self.word.next = self.left.val().get_bits::<32>(0);
        if self.takes_high.val() {
            self.word.next = self.left.val().get_bits::<32>(32);
        }
        self.last.next = self.order.val().length - 1;
        self.ends.next = self.index.q.val() == self.last.val();
        self.enables.next = 15.into();
        if self.index.q.val() == 0 {
            self.enables.next = self.order.val().first;
        } else if self.ends.val() {
            self.enables.next = self.order.val().last;
        }
        self.strobes.next = self.enables.val();
        // TO4.
        self.may_answer.next = self.holds.q.val() & (self.earlier.q.val() == 0) & self.answer_room.val();
        self.empty.next = (self.held.q.val().length == 1) & (self.held.q.val().first == 0);
        self.reached.next = bit_cast::<11, 5>(self.index.q.val()) + 1;
        self.read_ends.next = self.reached.val() == self.held.q.val().length;
        self.fetched.next = self.value.val();
        self.advance.next = false;
        match self.step.q.val() {
            BarStep::Choose => {
                self.index.d.next = 0.into();
                self.high_next.d.next = false;
                if self.may_answer.val() & (!self.turn.q.val() | !self.write.valid.val()) {
                    self.status.d.next = self.held.q.val().verdict;
                    self.place.d.next = self.held.q.val().address;
                    self.step.d.next = BarStep::ReadWord;
                    if self.held.q.val().verdict != 0 {
                        self.step.d.next = BarStep::Answer;
                    }
                } else if self.write.valid.val() {
                    self.place.d.next = self.order.val().address;
                    self.step.d.next = BarStep::WriteWord;
                }
            }
            BarStep::WriteWord => {
                if self.beat.valid.val() {
                    // DWs without a byte are not accessed (BA1).
                    self.advance.next = self.enables.val() == 0;
                    if self.enables.val() != 0 {
                        self.start.next = true;
                        self.start_write.next = true;
                        self.step.d.next = BarStep::AwaitWrite;
                    }
                }
            }
            BarStep::AwaitWrite => {
                if self.done.val() {
                    self.advance.next = true;
                    self.refused.next = self.response.val().get_bit(1);
                    self.step.d.next = BarStep::WriteWord;
                }
            }
            BarStep::ReadWord => {
                self.step.d.next = BarStep::AwaitRead;
                self.start.next = !self.empty.val();
            }
            BarStep::AwaitRead => {
                if self.empty.val() {
                    // A flush: nothing is accessed, one zero DW returns.
                    self.fetched.next = 0.into();
                    self.data_valid.next = true;
                    self.step.d.next = BarStep::Answer;
                } else if self.done.val() {
                    self.index.d.next = self.index.q.val() + 1;
                    self.place.d.next = self.place.q.val() + 4;
                    self.low_word.d.next = self.value.val();
                    self.data_valid.next = self.index.q.val().get_bit(0) | self.read_ends.val();
                    self.step.d.next = BarStep::ReadWord;
                    if self.read_ends.val() {
                        self.step.d.next = BarStep::Answer;
                    }
                    if self.response.val().get_bit(1) {
                        // BA3: DECERR is UR, SLVERR is CA, no data.
                        self.status.d.next = 4.into();
                        if self.response.val().get_bit(0) {
                            self.status.d.next = 1.into();
                        }
                        self.data_valid.next = false;
                        self.data_revert.next = true;
                        self.step.d.next = BarStep::Answer;
                    }
                }
            }
            BarStep::Answer => {
                self.holds.d.next = false;
                self.turn.d.next = true;
                self.step.d.next = BarStep::Choose;
            }
        }
        self.data.next = bit_cast::<64, 32>(self.fetched.val());
        if self.index.q.val().get_bit(0) {
            self.data.next = (bit_cast::<64, 32>(self.fetched.val()) << 32) | bit_cast::<64, 32>(self.low_word.q.val());
        }
        // To the next DW of the write.
        self.beat.ready.next = false;
        self.write.ready.next = false;
        self.write_done.next = self.advance.val() & self.ends.val();
        if self.advance.val() {
            self.index.d.next = self.index.q.val() + 1;
            self.place.d.next = self.place.q.val() + 4;
            self.high_next.d.next = !self.takes_high.val() & self.piece.val().high;
            self.beat.ready.next = self.ends.val() | self.takes_high.val() | !self.piece.val().high;
            if self.ends.val() {
                self.write.ready.next = true;
                self.turn.d.next = false;
                self.step.d.next = BarStep::Choose;
            }
        }
        self.now_waiting.next = self.waiting.q.val();
        if self.write_done.val() & !self.stored.val() {
            self.now_waiting.next = self.waiting.q.val() - 1;
        } else if self.stored.val() & !self.write_done.val() {
            self.now_waiting.next = self.waiting.q.val() + 1;
        }
        self.waiting.d.next = self.now_waiting.val();
        self.request.ready.next = !self.holds.q.val();
        if !self.holds.q.val() {
            self.held.d.next = self.request.data.val();
            self.holds.d.next = self.request.valid.val();
            self.earlier.d.next = self.now_waiting.val();
        } else if self.write_done.val() & self.earlier.q.val().any() {
            self.earlier.d.next = self.earlier.q.val() - 1;
        }
        if self.reset.val() {
            self.step.d.next = BarStep::Choose;
            self.holds.d.next = false;
            self.waiting.d.next = 0.into();
            self.turn.d.next = false;
        }
    }
}
