//! Chooses the next frame (rules LK8, LK11, LK13, LK15 and the table of sessions). Combinational.
//!
//! Order: notices and OPENED, which are rare and awaited; NAK; questions for credit; TLPs, which carry ack and limits along;
//! ACK when no TLP did; BEACON.
use super::records::{body, Notice, SendOrder};
use crate::widgets::ChannelSource;
use rnic_abi::link::frame;
use rust_hdl::prelude::*;

/// Choice among all that may be sent.
#[derive(LogicBlock)]
pub struct TransmitChoose {
    /// There is no session, one may begin.
    pub listening: Signal<In, Bit>,
    /// There is a session,
    pub open: Signal<In, Bit>,
    /// with this number
    pub session: Signal<In, Bits<32>>,
    /// and this host.
    pub peer: Signal<In, Bits<48>>,
    /// There is a notice,
    pub notice_due: Signal<In, Bit>,
    /// this one;
    pub notice: Signal<In, Notice>,
    /// it leaves.
    pub notice_taken: Signal<Out, Bit>,
    /// OPENED is due;
    pub opened_due: Signal<In, Bit>,
    /// it leaves.
    pub opened_taken: Signal<Out, Bit>,
    /// A NAK is due.
    pub nak_due: Signal<In, Bit>,
    /// A class waits for credit;
    pub ask_due: Signal<In, Bit>,
    /// the question leaves.
    pub ask_taken: Signal<Out, Bit>,
    /// A TLP waits,
    pub tlp_due: Signal<In, Bit>,
    /// not for the first time,
    pub again: Signal<In, Bit>,
    /// with this number;
    pub cursor: Signal<In, Bits<16>>,
    /// it leaves.
    pub tlp_taken: Signal<Out, Bit>,
    /// Next number to be sent for the first time.
    pub highest: Signal<In, Bits<16>>,
    /// An ACK is due.
    pub ack_due: Signal<In, Bit>,
    /// A BEACON is due;
    pub beacon_due: Signal<In, Bit>,
    /// it leaves.
    pub beacon_taken: Signal<Out, Bit>,
    /// The frame.
    pub order: ChannelSource<SendOrder>,
    may: Signal<Local, Bit>,
    opened_kind: Constant<Bits<4>>,
    tlp_kind: Constant<Bits<4>>,
    ack_kind: Constant<Bits<4>>,
    nak_kind: Constant<Bits<4>>,
    close_kind: Constant<Bits<4>>,
    beacon_kind: Constant<Bits<4>>,
    no_body: Constant<Bits<3>>,
    tlp_body: Constant<Bits<3>>,
    opened_body: Constant<Bits<3>>,
    build_body: Constant<Bits<3>>,
    reason_body: Constant<Bits<3>>,
    everyone: Constant<Bits<48>>,
}

impl Default for TransmitChoose {
    fn default() -> Self {
        let kind = |code: u8| Constant::new(bits(code.into()));
        let content = |code: u8| Constant::new(bits(code.into()));
        Self {
            listening: Default::default(),
            open: Default::default(),
            session: Default::default(),
            peer: Default::default(),
            notice_due: Default::default(),
            notice: Default::default(),
            notice_taken: Default::default(),
            opened_due: Default::default(),
            opened_taken: Default::default(),
            nak_due: Default::default(),
            ask_due: Default::default(),
            ask_taken: Default::default(),
            tlp_due: Default::default(),
            again: Default::default(),
            cursor: Default::default(),
            tlp_taken: Default::default(),
            highest: Default::default(),
            ack_due: Default::default(),
            beacon_due: Default::default(),
            beacon_taken: Default::default(),
            order: Default::default(),
            may: Default::default(),
            opened_kind: kind(frame::TYPE_OPENED),
            tlp_kind: kind(frame::TYPE_TLP),
            ack_kind: kind(frame::TYPE_ACK),
            nak_kind: kind(frame::TYPE_NAK),
            close_kind: kind(frame::TYPE_CLOSE),
            beacon_kind: kind(frame::TYPE_BEACON),
            no_body: content(body::NONE),
            tlp_body: content(body::TLP),
            opened_body: content(body::OPENED),
            build_body: content(body::BUILD),
            reason_body: content(body::REASON),
            everyone: Constant::new(((1u64 << 48) - 1).into()),
        }
    }
}

impl Logic for TransmitChoose {
    #[hdl_gen]
    fn update(&mut self) {
        // Between two sessions nothing is sent (SE1).
        self.may.next = self.order.ready.val() & (self.open.val() | self.listening.val());
        self.notice_taken.next = false;
        self.opened_taken.next = false;
        self.ask_taken.next = false;
        self.tlp_taken.next = false;
        self.beacon_taken.next = false;
        self.order.valid.next = false;
        self.order.data.next.destination = self.peer.val();
        self.order.data.next.kind = self.ack_kind.val();
        self.order.data.next.resent = false;
        self.order.data.next.tells = false;
        self.order.data.next.session = self.session.val();
        self.order.data.next.sequence = self.highest.val();
        self.order.data.next.content = self.no_body.val();
        self.order.data.next.reason = self.notice.val().reason;
        self.order.data.next.speaks = true;
        if self.may.val() {
            if self.notice_due.val() {
                self.order.valid.next = true;
                self.notice_taken.next = true;
                self.order.data.next.destination = self.notice.val().destination;
                self.order.data.next.kind = self.notice.val().kind;
                self.order.data.next.session = self.notice.val().session;
                self.order.data.next.speaks = false;
                if self.notice.val().kind == self.close_kind.val() {
                    self.order.data.next.content = self.reason_body.val();
                }
            } else if self.open.val() {
                if self.opened_due.val() {
                    self.order.valid.next = true;
                    self.opened_taken.next = true;
                    self.order.data.next.kind = self.opened_kind.val();
                    self.order.data.next.content = self.opened_body.val();
                } else if self.nak_due.val() {
                    self.order.valid.next = true;
                    self.order.data.next.kind = self.nak_kind.val();
                } else if self.ask_due.val() {
                    self.order.valid.next = true;
                    self.ask_taken.next = true;
                    self.order.data.next.tells = true;
                } else if self.tlp_due.val() {
                    self.order.valid.next = true;
                    self.tlp_taken.next = true;
                    self.order.data.next.kind = self.tlp_kind.val();
                    self.order.data.next.content = self.tlp_body.val();
                    self.order.data.next.resent = self.again.val();
                    self.order.data.next.sequence = self.cursor.val();
                } else if self.ack_due.val() {
                    self.order.valid.next = true;
                }
            } else if self.beacon_due.val() {
                self.order.valid.next = true;
                self.beacon_taken.next = true;
                self.order.data.next.destination = self.everyone.val();
                self.order.data.next.kind = self.beacon_kind.val();
                self.order.data.next.session = 0.into();
                self.order.data.next.content = self.build_body.val();
                self.order.data.next.speaks = false;
            }
        }
    }
}
