//! Frames of headers only that the engine makes itself, and what a turn leaves behind. Combinational.
use super::{GatherFailure, ResponseEntry, ResponseProgress};
use crate::types::{OwedAnswer, QpFailure};
use crate::wire::TxFrame;
use rnic_abi::{aeth, bth, event, status, syndrome};
use rust_hdl::prelude::*;

/// Makes NAKs and acknowledgements, the report of a failure, and the next progress.
#[derive(LogicBlock)]
pub struct ResponseReply {
    /// Index of the queue pair.
    pub qp: Signal<In, Bits<8>>,
    /// How far it has come.
    pub progress: Signal<In, ResponseProgress>,
    /// Entry of the turn.
    pub entry: Signal<In, ResponseEntry>,
    /// Failure of the turn.
    pub failure: Signal<In, GatherFailure>,
    /// What is owed.
    pub owed: Signal<In, OwedAnswer>,
    /// Next packet of a READ.
    pub packet: Signal<In, TxFrame>,
    /// It is the last one.
    pub last: Signal<In, Bit>,
    /// Bytes sent behind it.
    pub offset: Signal<In, Bits<32>>,
    /// Packets sent behind it.
    pub sent: Signal<In, Bits<24>>,
    /// What the turn does, as [`super::ResponseJudge`] says: sends the NAK,
    pub sends_nak: Signal<In, Bit>,
    /// a packet with payload,
    pub sends_data: Signal<In, Bit>,
    /// a packet without,
    pub sends_empty: Signal<In, Bit>,
    /// what is owed;
    pub sends_owed: Signal<In, Bit>,
    /// starts an atomic,
    pub starts_atomic: Signal<In, Bit>,
    /// fails,
    pub fails: Signal<In, Bit>,
    /// or drops a duplicate.
    pub skips: Signal<In, Bit>,
    /// Frame of headers.
    pub frame: Signal<Out, TxFrame>,
    /// Report of the failure whose NAK is sent.
    pub report: Signal<Out, QpFailure>,
    /// Progress behind the turn.
    pub after: Signal<Out, ResponseProgress>,
    /// It differs.
    pub writes: Signal<Out, Bit>,
    /// An entry leaves the ring.
    pub leaves: Signal<Out, Bit>,
    now: Signal<Local, ResponseProgress>,
    first: Signal<Local, ResponseEntry>,
    lost: Signal<Local, GatherFailure>,
    answer: Signal<Local, OwedAnswer>,
    bus: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    gone: Signal<Local, Bit>,
    no_frame: Constant<TxFrame>,
    marker: Constant<Bits<32>>,
    acknowledge: Constant<Bits<8>>,
    remote_access: Constant<Bits<8>>,
    remote_operation: Constant<Bits<8>>,
    payload_bus: Constant<Bits<8>>,
    access_status: Constant<Bits<8>>,
    operation_status: Constant<Bits<8>>,
    access_event: Constant<Bits<8>>,
    fatal_event: Constant<Bits<8>>,
}

impl Default for ResponseReply {
    fn default() -> Self {
        let code = |value: u8| Constant::new(u64::from(value).into());
        Self {
            qp: Default::default(),
            progress: Default::default(),
            entry: Default::default(),
            failure: Default::default(),
            owed: Default::default(),
            packet: Default::default(),
            last: Default::default(),
            offset: Default::default(),
            sent: Default::default(),
            sends_nak: Default::default(),
            sends_data: Default::default(),
            sends_empty: Default::default(),
            sends_owed: Default::default(),
            starts_atomic: Default::default(),
            fails: Default::default(),
            skips: Default::default(),
            frame: Default::default(),
            report: Default::default(),
            after: Default::default(),
            writes: Default::default(),
            leaves: Default::default(),
            now: Default::default(),
            first: Default::default(),
            lost: Default::default(),
            answer: Default::default(),
            bus: Default::default(),
            sends: Default::default(),
            gone: Default::default(),
            no_frame: Constant::new(Default::default()),
            marker: Constant::new((1u64 << 31).into()),
            acknowledge: code(bth::ACKNOWLEDGE),
            remote_access: code(aeth::REMOTE_ACCESS),
            remote_operation: code(aeth::REMOTE_OPERATION),
            payload_bus: code(syndrome::PAYLOAD_BUS),
            access_status: code(status::REM_ACCESS),
            operation_status: code(status::REM_OP),
            access_event: code(event::QP_ACCESS_ERR),
            fatal_event: code(event::QP_FATAL),
        }
    }
}

impl Logic for ResponseReply {
    #[hdl_gen]
    fn update(&mut self) {
        self.now.next = self.progress.val();
        self.first.next = self.entry.val();
        self.lost.next = self.failure.val();
        self.answer.next = self.owed.val();
        self.bus.next = self.now.val().nak_syndrome == self.payload_bus.val();
        self.frame.next = self.packet.val();
        if self.sends_nak.val() | self.sends_owed.val() {
            self.frame.next = self.no_frame.val();
            self.frame.next.qp = self.qp.val();
            self.frame.next.opcode = self.acknowledge.val();
            self.frame.next.psn = self.answer.val().psn;
            self.frame.next.syndrome = self.answer.val().syndrome;
            self.frame.next.msn = self.answer.val().msn;
            self.frame.next.tag = self.marker.val() | bit_cast::<32, 8>(self.qp.val());
        }
        if self.sends_nak.val() {
            self.frame.next.psn = self.now.val().nak_psn;
            self.frame.next.msn = self.now.val().nak_msn;
            self.frame.next.syndrome = self.remote_access.val();
            if self.bus.val() {
                self.frame.next.syndrome = self.remote_operation.val();
            }
        }
        self.report.next.qp = self.qp.val();
        self.report.next.status = self.access_status.val();
        self.report.next.syndrome = self.now.val().nak_syndrome;
        self.report.next.event = self.access_event.val();
        if self.bus.val() {
            self.report.next.status = self.operation_status.val();
            self.report.next.event = self.fatal_event.val();
        }

        self.sends.next = self.sends_data.val() | self.sends_empty.val();
        self.gone.next = (self.sends.val() & self.last.val()) | self.starts_atomic.val() | self.skips.val();
        self.leaves.next = self.gone.val();
        self.after.next = self.now.val();
        if self.sends.val() {
            self.after.next.offset = self.offset.val();
            self.after.next.sent = self.sent.val();
        }
        if self.gone.val() {
            self.after.next.head = self.now.val().head + 1;
            self.after.next.offset = 0.into();
            self.after.next.sent = 0.into();
        }
        if self.sends_empty.val() | self.sends_nak.val() | self.sends_owed.val() {
            self.after.next.way = 0.into();
        }
        if self.sends_data.val() {
            self.after.next.way = 1.into();
        }
        if self.starts_atomic.val() {
            self.after.next.way = 2.into();
        }
        if self.sends_nak.val() {
            self.after.next.nak = false;
        }
        if self.fails.val() {
            self.after.next.closing = true;
            self.after.next.nak = true;
            self.after.next.nak_psn = self.lost.val().psn;
            self.after.next.nak_syndrome = self.lost.val().syndrome;
            self.after.next.nak_msn = self.first.val().msn;
        }
        self.writes.next =
            self.sends.val() | self.gone.val() | self.sends_nak.val() | self.sends_owed.val() | self.fails.val();
    }
}
