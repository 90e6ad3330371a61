//! BAR0: what the host writes and reads (rules BA1 to BA5, TO4).
//!
//! Writes and requests wait in queues of their own, since a write must pass a request that cannot be answered yet.
use super::bar_port::BarPort;
use super::bar_sequence::BarSequence;
use super::commit_fifo::CommitFifo;
use super::records::{BarRequest, BarWrite, PayloadBeat, TlpHeader};
use crate::widgets::{AxiLiteManager, ChannelSource, SlackFifo};
use rust_hdl::prelude::*;

/// Queues, sequencer and port of BAR0.
#[derive(LogicBlock, Default)]
pub struct BarAccess {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// Completer id.
    pub device_id: Signal<In, Bits<16>>,
    /// Payload that comes in; it belongs to a write when `payload_valid`.
    pub payload: Signal<In, PayloadBeat>,
    /// It is to be stored.
    pub payload_valid: Signal<In, Bit>,
    /// The write that has ended counts.
    pub commit: Signal<In, Bit>,
    /// It does not.
    pub revert: Signal<In, Bit>,
    /// The write.
    pub write: Signal<In, BarWrite>,
    /// The largest write has room, those under way in the receiver aside.
    pub write_room: Signal<Out, Bit>,
    /// Takes a request.
    pub request_valid: Signal<In, Bit>,
    /// The request.
    pub request: Signal<In, BarRequest>,
    /// A request has room, those under way in the receiver aside.
    pub request_room: Signal<Out, Bit>,
    /// Completions to send.
    pub answer: ChannelSource<TlpHeader>,
    /// Their payload.
    pub answer_data: ChannelSource<Bits<64>>,
    /// The core's registers.
    pub core: AxiLiteManager,
    /// The bridge's own registers, as in [`BarPort`].
    pub own_start: Signal<Out, Bit>,
    /// It is a write.
    pub own_write: Signal<Out, Bit>,
    /// Offset.
    pub own_address: Signal<Out, Bits<16>>,
    /// Data.
    pub own_data: Signal<Out, Bits<32>>,
    /// Bytes.
    pub own_strobes: Signal<Out, Bits<4>>,
    /// The access has ended.
    pub own_done: Signal<In, Bit>,
    /// AXI response.
    pub own_response: Signal<In, Bits<2>>,
    /// Data of a read.
    pub own_value: Signal<In, Bits<32>>,
    /// A register refused a write.
    pub refused: Signal<Out, Bit>,
    // The receiver looks at room up to three TLPs, or three beats, ahead of what has been stored.
    writes: SlackFifo<BarWrite, 4, 6>,
    beats: CommitFifo<PayloadBeat, 6, 14>,
    requests: SlackFifo<BarRequest, 4, 6>,
    answers: SlackFifo<TlpHeader, 3, 3>,
    answer_beats: CommitFifo<Bits<64>, 6, 9>,
    sequencer: BarSequence,
    port: BarPort,
}

impl Logic for BarAccess {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, writes, beats, requests, answers, answer_beats, sequencer, port);
        self.writes.reset.next = self.reset.val();
        self.beats.reset.next = self.reset.val();
        self.requests.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.answer_beats.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();
        self.port.reset.next = self.reset.val();
        self.sequencer.device_id.next = self.device_id.val();
        self.beats.write.next = self.payload_valid.val() & (self.payload.val().low | self.payload.val().high);
        self.beats.data.next = self.payload.val();
        self.beats.commit.next = self.commit.val();
        self.beats.revert.next = self.revert.val();
        self.writes.write.next = self.commit.val();
        self.writes.data.next = self.write.val();
        self.write_room.next = self.beats.room.val() & !self.writes.crowded.val();
        self.requests.write.next = self.request_valid.val();
        self.requests.data.next = self.request.val();
        self.request_room.next = !self.requests.crowded.val();
        ChannelSource::<BarWrite>::join(&mut self.writes.source, &mut self.sequencer.write);
        ChannelSource::<PayloadBeat>::join(&mut self.beats.source, &mut self.sequencer.beat);
        ChannelSource::<BarRequest>::join(&mut self.requests.source, &mut self.sequencer.request);
        self.sequencer.stored.next = self.commit.val();
        self.sequencer.answer_room.next = !self.answers.crowded.val() & self.answer_beats.room.val();
        self.answers.write.next = self.sequencer.answer_valid.val();
        self.answers.data.next = self.sequencer.answer.val();
        self.answer_beats.write.next = self.sequencer.data_valid.val();
        self.answer_beats.data.next = self.sequencer.data.val();
        self.answer_beats.commit.next = self.sequencer.answer_valid.val();
        self.answer_beats.revert.next = self.sequencer.data_revert.val();
        ChannelSource::<TlpHeader>::link(&mut self.answer, &mut self.answers.source);
        ChannelSource::<Bits<64>>::link(&mut self.answer_data, &mut self.answer_beats.source);
        self.port.start.next = self.sequencer.start.val();
        self.port.write.next = self.sequencer.start_write.val();
        self.port.address.next = self.sequencer.address.val();
        self.port.data.next = self.sequencer.word.val();
        self.port.strobes.next = self.sequencer.strobes.val();
        self.sequencer.done.next = self.port.done.val();
        self.sequencer.response.next = self.port.response.val();
        self.sequencer.value.next = self.port.value.val();
        AxiLiteManager::link(&mut self.core, &mut self.port.core);
        self.own_start.next = self.port.own_start.val();
        self.own_write.next = self.port.own_write.val();
        self.own_address.next = self.port.own_address.val();
        self.own_data.next = self.port.own_data.val();
        self.own_strobes.next = self.port.own_strobes.val();
        self.port.own_done.next = self.own_done.val();
        self.port.own_response.next = self.own_response.val();
        self.port.own_value.next = self.own_value.val();
        self.refused.next = self.sequencer.refused.val();
    }
}
