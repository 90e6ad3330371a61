//! Chooses what the engine of acknowledgements does next: failures of sinks and orders of `qp`, both rare, then frames before
//! timer events, but an event at the latest after 15 frames (T25's list of inputs). Combinational but for the count.
use super::ack_records::{AckOrder, AckTask, AnswerKind, SinkFailure, TimerEvent};
use super::answer_kind::Answer;
use crate::widgets::ChannelSink;
use crate::wire::RxFrame;
use rust_hdl::prelude::*;

/// Chooses one of four inputs; the low QA bits of a queue pair's number are its index.
#[derive(LogicBlock, Default)]
pub struct AckIntake<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the count of frames.
    pub reset: Signal<In, Bit>,
    /// The engine takes what is offered.
    pub free: Signal<In, Bit>,
    /// Response frames.
    pub frame: ChannelSink<RxFrame>,
    /// Timer events.
    pub event_in: ChannelSink<TimerEvent>,
    /// Failures of sinks.
    pub failure: ChannelSink<SinkFailure>,
    /// Orders.
    pub order: ChannelSink<AckOrder>,
    /// Something is there.
    pub some: Signal<Out, Bit>,
    /// It.
    pub work: Signal<Out, AckTask>,
    /// What the frame is.
    pub kind: Signal<Out, AnswerKind>,
    answer: Answer,
    frames: DFF<Bits<4>>,
    due: Signal<Local, Bit>,
    chooses_order: Signal<Local, Bit>,
    chooses_event: Signal<Local, Bit>,
    chooses_frame: Signal<Local, Bit>,
    head: Signal<Local, RxFrame>,
    index: Signal<Local, Bits<QA>>,
    told: Signal<Local, TimerEvent>,
    failed: Signal<Local, SinkFailure>,
    ordered: Signal<Local, AckOrder>,
}

impl<const QA: usize> Logic for AckIntake<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frames);
        self.head.next = self.frame.data.val();
        self.told.next = self.event_in.data.val();
        self.failed.next = self.failure.data.val();
        self.ordered.next = self.order.data.val();
        self.due.next = self.event_in.valid.val() & ((self.frames.q.val() == 15) | !self.frame.valid.val());
        self.chooses_order.next = self.order.valid.val() & !self.failure.valid.val();
        self.chooses_event.next = self.due.val() & !self.order.valid.val() & !self.failure.valid.val();
        self.chooses_frame.next =
            self.frame.valid.val() & !self.due.val() & !self.order.valid.val() & !self.failure.valid.val();
        self.failure.ready.next = self.free.val();
        self.order.ready.next = self.free.val() & self.chooses_order.val();
        self.event_in.ready.next = self.free.val() & self.chooses_event.val();
        self.frame.ready.next = self.free.val() & self.chooses_frame.val();
        self.some.next =
            self.failure.valid.val() | self.chooses_order.val() | self.chooses_event.val() | self.chooses_frame.val();
        self.index.next = bit_cast::<QA, 24>(self.head.val().qpn);
        self.answer.opcode.next = self.head.val().opcode;
        self.answer.syndrome.next = self.head.val().syndrome;
        self.kind.next = self.answer.kind.val();

        self.work.next = bits::<148>(0).into();
        self.work.next.frame = self.chooses_frame.val();
        self.work.next.timeout = self.chooses_event.val() & !self.told.val().rnr;
        self.work.next.rnr_over = self.chooses_event.val() & self.told.val().rnr;
        self.work.next.failure = self.failure.valid.val();
        self.work.next.sink = self.failed.val().sink;
        self.work.next.start = self.chooses_order.val() & self.ordered.val().start;
        self.work.next.clear = self.chooses_order.val() & !self.ordered.val().start;
        self.work.next.epoch = self.told.val().epoch;
        self.work.next.syndrome = self.failed.val().syndrome;
        self.work.next.payload = self.head.val().payload;
        self.work.next.first_row = self.head.val().first_row;
        self.work.next.payload_at = self.head.val().payload_at;
        self.work.next.value = self.head.val().swap;
        self.work.next.qp = bit_cast::<8, QA>(self.index.val());
        self.work.next.psn = self.head.val().psn;
        if self.failure.valid.val() {
            self.work.next.qp = self.failed.val().qp;
            self.work.next.psn = self.failed.val().psn;
        } else if self.order.valid.val() {
            self.work.next.qp = self.ordered.val().qp;
            self.work.next.psn = self.ordered.val().psn;
        } else if self.due.val() {
            self.work.next.qp = self.told.val().qp;
            self.work.next.psn = self.told.val().una;
        }
        if self.free.val() & self.chooses_frame.val() & (self.frames.q.val() != 15) {
            self.frames.d.next = self.frames.q.val() + 1;
        }
        if self.reset.val() | (self.free.val() & self.chooses_event.val()) {
            self.frames.d.next = 0.into();
        }
    }
}
