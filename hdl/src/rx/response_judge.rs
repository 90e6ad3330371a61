//! What a READ response or an ATOMIC ACK does (T36, T37, T40, T41). Combinational, five LUT levels.
//!
//! At or behind the oldest open READ or atomic it acknowledges everything before that. Only the response that is due next is
//! taken; a later one is an implied NAK, and one that fits nowhere is a failure of the peer. With a failure known, data are
//! taken only for READs that end before it, so that no sink is written after its CQE.
use super::ack_records::{AckStep, AnswerKind, AnswerPlace};
use rnic_abi::{status, syndrome};
use rust_hdl::prelude::*;

/// Judge of responses with data.
#[derive(LogicBlock)]
pub struct ResponseJudge {
    /// What the frame is.
    pub kind: Signal<In, AnswerKind>,
    /// How it stands to its queue pair.
    pub place: Signal<In, AnswerPlace>,
    /// What to do.
    pub step: Signal<Out, AckStep>,
    at: Signal<Local, AnswerPlace>,
    is: Signal<Local, AnswerKind>,
    acts: Signal<Local, Bit>,
    past: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    mismatch: Signal<Local, Bit>,
    strange: Signal<Local, Bit>,
    at_next: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    long_enough: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    bad_response: Constant<Bits<5>>,
    bad_opcode: Constant<Bits<8>>,
    bad_length: Constant<Bits<8>>,
}

impl Default for ResponseJudge {
    fn default() -> Self {
        Self {
            kind: Default::default(),
            place: Default::default(),
            step: Default::default(),
            at: Default::default(),
            is: Default::default(),
            acts: Default::default(),
            past: Default::default(),
            stops: Default::default(),
            mismatch: Default::default(),
            strange: Default::default(),
            at_next: Default::default(),
            due: Default::default(),
            long_enough: Default::default(),
            fits: Default::default(),
            taken: Default::default(),
            bad_response: Constant::new(status::BAD_RESP.to_bits()),
            bad_opcode: Constant::new(syndrome::RESP_OPCODE.to_bits()),
            bad_length: Constant::new(syndrome::RESP_LENGTH.to_bits()),
        }
    }
}

impl Logic for ResponseJudge {
    #[hdl_gen]
    fn update(&mut self) {
        self.at.next = self.place.val();
        self.is.next = self.kind.val();
        self.acts.next = self.at.val().window & !self.at.val().spent;
        self.past.next = self.acts.val() & self.at.val().open & !self.at.val().short;
        self.stops.next = self.at.val().fail_first | self.at.val().fail_in;
        self.mismatch.next = self.at.val().inside & (self.at.val().atomic ^ self.is.val().atomic);
        self.strange.next = !self.at.val().open | self.at.val().short | self.mismatch.val();
        self.at_next.next = self.at.val().at_una;
        if self.at.val().una_behind {
            self.at_next.next = self.at.val().at_first;
        }
        self.due.next = self.past.val() & !self.mismatch.val() & self.at_next.val();
        // The length of an atomic's answer is in its header; there is no payload.
        self.long_enough.next = self.is.val().goes_on & self.at.val().full;
        if self.at.val().at_last {
            self.long_enough.next = self.is.val().closes & self.at.val().sized;
        }
        if self.is.val().atomic {
            self.long_enough.next = self.at.val().bare;
        }
        self.fits.next = self.long_enough.val() & !self.is.val().unlike_ack;
        self.taken.next = self.due.val() & self.fits.val() & !self.stops.val();
        self.step.next = bits::<26>(0).into();
        self.step.next.to_first = self.past.val() & self.at.val().una_behind & !self.at.val().fail_first;
        self.step.next.to_fail = self.past.val() & self.at.val().una_behind & self.at.val().fail_first;
        self.step.next.to_next = self.taken.val();
        self.step.next.taken = self.taken.val();
        self.step.next.ends = self.taken.val() & self.at.val().at_last;
        self.step.next.nak = self.past.val() & !self.mismatch.val() & !self.at_next.val() & !self.stops.val();
        self.step.next.refuse =
            self.acts.val() & !self.at.val().after_fail & (self.strange.val() | (self.due.val() & !self.fits.val()));
        self.step.next.status = self.bad_response.val();
        self.step.next.syndrome = self.bad_length.val();
        if self.strange.val() {
            self.step.next.syndrome = self.bad_opcode.val();
        }
        self.step.next.stray = !self.at.val().window;
    }
}
