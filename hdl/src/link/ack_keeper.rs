//! What this end has accepted, and when the peer must hear of it (rules LK6 and LK8).
use rust_hdl::prelude::*;

/// Next sequence number expected; asks for ACK and NAK. Registered, one cycle behind its inputs.
#[derive(LogicBlock)]
pub struct AckKeeper {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A session begins.
    pub reset: Signal<In, Bit>,
    /// One cycle every microsecond.
    pub microsecond: Signal<In, Bit>,
    /// A TLP is accepted.
    pub accepted: Signal<In, Bit>,
    /// A TLP has come that was accepted before, or the peer wants an answer: ACK at once.
    pub answer: Signal<In, Bit>,
    /// A TLP has come before its time.
    pub gap: Signal<In, Bit>,
    /// A frame that tells `expected` is leaving.
    pub told: Signal<In, Bit>,
    /// It is a NAK.
    pub told_nak: Signal<In, Bit>,
    /// Next sequence number expected.
    pub expected: Signal<Out, Bits<16>>,
    /// An ACK is due.
    pub ack_due: Signal<Out, Bit>,
    /// A NAK is due.
    pub nak_due: Signal<Out, Bit>,
    awaited: DFF<Bits<16>>,
    owed: DFF<Bits<3>>,
    age: DFF<Bits<6>>,
    urgent: DFF<Bit>,
    wants: DFF<Bit>,
    /// A NAK was asked for since `expected` moved, not longer ago than its repetition time.
    asked: DFF<Bit>,
    asked_age: DFF<Bits<11>>,
    due: DFF<Bit>,
    first: Constant<Bits<16>>,
    every: Constant<Bits<3>>,
    delay: Constant<Bits<6>>,
    again: Constant<Bits<11>>,
}

impl AckKeeper {
    /// Keeper of sessions that begin with sequence number `first`.
    pub fn new(first: u16) -> Self {
        use rnic_abi::link::frame::{ACK_DELAY_US, ACK_EVERY, NAK_REPEAT_US};
        Self {
            clock: Default::default(),
            reset: Default::default(),
            microsecond: Default::default(),
            accepted: Default::default(),
            answer: Default::default(),
            gap: Default::default(),
            told: Default::default(),
            told_nak: Default::default(),
            expected: Default::default(),
            ack_due: Default::default(),
            nak_due: Default::default(),
            awaited: Default::default(),
            owed: Default::default(),
            age: Default::default(),
            urgent: Default::default(),
            wants: Default::default(),
            asked: Default::default(),
            asked_age: Default::default(),
            due: Default::default(),
            first: Constant::new(bits(first.into())),
            every: Constant::new(bits(ACK_EVERY.into())),
            delay: Constant::new(bits(ACK_DELAY_US.into())),
            again: Constant::new(bits((NAK_REPEAT_US - 1).into())),
        }
    }
}

impl Logic for AckKeeper {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, awaited, owed, age, urgent, wants, asked, asked_age, due);
        self.expected.next = self.awaited.q.val();
        // LK8: counted is what came after the last frame that told.
        if self.microsecond.val() & self.owed.q.val().any() & (self.age.q.val() != self.delay.val()) {
            self.age.d.next = self.age.q.val() + 1;
        }
        if self.told.val() {
            self.owed.d.next = 0.into();
            self.age.d.next = 0.into();
            self.urgent.d.next = false;
        }
        if self.accepted.val() {
            self.awaited.d.next = self.awaited.q.val() + 1;
            self.owed.d.next = self.owed.q.val();
            if self.told.val() {
                self.owed.d.next = 1.into();
            } else if self.owed.q.val() != self.every.val() {
                self.owed.d.next = self.owed.q.val() + 1;
            }
        }
        if self.answer.val() {
            self.urgent.d.next = true;
        }
        self.due.d.next = !self.told.val()
            & (self.urgent.q.val()
                | (self.owed.q.val() == self.every.val())
                | (self.owed.q.val().any() & (self.age.q.val() == self.delay.val())));
        // LK6: one NAK until `expected` moves or its time is over.
        if self.microsecond.val() & self.asked.q.val() {
            self.asked_age.d.next = self.asked_age.q.val() + 1;
            if self.asked_age.q.val() == self.again.val() {
                self.asked.d.next = false;
            }
        }
        if self.told_nak.val() {
            self.wants.d.next = false;
        }
        if self.gap.val() & !self.asked.q.val() {
            self.wants.d.next = true;
            self.asked.d.next = true;
            self.asked_age.d.next = 0.into();
        }
        if self.accepted.val() {
            self.wants.d.next = false;
            self.asked.d.next = false;
        }
        if self.reset.val() {
            self.awaited.d.next = self.first.val();
            self.owed.d.next = 0.into();
            self.age.d.next = 0.into();
            self.urgent.d.next = false;
            self.due.d.next = false;
            self.wants.d.next = false;
            self.asked.d.next = false;
        }
        self.ack_due.next = self.due.q.val();
        self.nak_due.next = self.wants.q.val();
    }
}
