//! What an ACK, a NAK or an RNR NAK does (T26 to T30, T40). Combinational, five LUT levels.
//!
//! A NAK at p says that all before p has arrived: it acts as an ACK of p - 1 first, which does nothing when p is `una`. If
//! that shows an unanswered READ or atomic, the implied NAK goes before the told one, which is forgotten. With a failure
//! known nothing moves beyond its PSN, and nothing restarts except for WQEs before it (T40).
use super::ack_records::{AckStep, AnswerKind, AnswerPlace};
use rnic_abi::{status, syndrome};
use rust_hdl::prelude::*;

/// Judge of acknowledgements.
#[derive(LogicBlock)]
pub struct AckJudge {
    /// What the frame is.
    pub kind: Signal<In, AnswerKind>,
    /// How it stands to its queue pair.
    pub place: Signal<In, AnswerPlace>,
    /// What to do.
    pub step: Signal<Out, AckStep>,
    at: Signal<Local, AnswerPlace>,
    is: Signal<Local, AnswerKind>,
    acts: Signal<Local, Bit>,
    is_nak: Signal<Local, Bit>,
    within_read: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    reaches: Signal<Local, Bit>,
    implied: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    code: Signal<Local, Bits<5>>,
    which: Signal<Local, Bits<2>>,
    statuses: [Constant<Bits<5>>; 3],
    syndromes: [Constant<Bits<8>>; 3],
}

impl Default for AckJudge {
    fn default() -> Self {
        Self {
            kind: Default::default(),
            place: Default::default(),
            step: Default::default(),
            at: Default::default(),
            is: Default::default(),
            acts: Default::default(),
            is_nak: Default::default(),
            within_read: Default::default(),
            steps: Default::default(),
            reaches: Default::default(),
            implied: Default::default(),
            plain: Default::default(),
            held: Default::default(),
            quiet: Default::default(),
            code: Default::default(),
            which: Default::default(),
            statuses: [status::REM_INV_REQ, status::REM_ACCESS, status::REM_OP].map(|s| Constant::new(s.to_bits())),
            syndromes: [syndrome::NAK_61, syndrome::NAK_62, syndrome::NAK_63].map(|s| Constant::new(s.to_bits())),
        }
    }
}

impl Logic for AckJudge {
    #[hdl_gen]
    fn update(&mut self) {
        self.at.next = self.place.val();
        self.is.next = self.kind.val();
        self.acts.next = self.at.val().window & !self.at.val().spent;
        self.is_nak.next = self.is.val().rnr | self.is.val().gap | self.is.val().refused;
        // T29: a refusal within the oldest READ is its own answer.
        self.within_read.next = self.acts.val() & self.is.val().refused & self.at.val().open & self.at.val().inside;
        self.steps.next = self.acts.val()
            & (self.is.val().ack | (self.is_nak.val() & !self.at.val().at_una))
            & !self.within_read.val();
        // The last PSN that is acknowledged is at or behind the first one of an open READ.
        self.reaches.next = !self.at.val().short & !(self.is_nak.val() & self.at.val().at_first);
        if self.at.val().after_fail {
            self.reaches.next = !self.at.val().fail_first;
        }
        self.implied.next = self.steps.val() & self.at.val().open & self.reaches.val();
        self.plain.next = self.steps.val() & !self.implied.val();
        self.held.next = !self.at.val().una_behind;
        if self.plain.val() {
            self.held.next = self.at.val().at_first;
        }
        self.quiet.next = (self.plain.val() & self.at.val().after_fail)
            | (self.at.val().fail_in & (self.held.val() | self.implied.val()));
        self.code.next = self.is.val().code;
        self.which.next = self.code.val().get_bits::<2>(0);
        self.step.next = bits::<26>(0).into();
        self.step.next.to_first = (self.implied.val() | self.within_read.val())
            & self.at.val().una_behind
            & !(self.within_read.val() & self.at.val().fail_first);
        self.step.next.to_fail = (self.plain.val() & self.at.val().after_fail)
            | (self.within_read.val() & self.at.val().una_behind & self.at.val().fail_first);
        self.step.next.to_psn = self.plain.val() & !self.at.val().after_fail & self.is_nak.val();
        self.step.next.to_next = self.plain.val() & !self.at.val().after_fail & self.is.val().ack;
        self.step.next.nak = (self.implied.val() | (self.acts.val() & self.is.val().gap)) & !self.quiet.val();
        self.step.next.rnr = self.acts.val() & self.is.val().rnr & !self.implied.val() & !self.quiet.val();
        self.step.next.refuse =
            self.acts.val() & self.is.val().refused & !self.implied.val() & !self.at.val().after_fail;
        self.step.next.status = self.statuses[2].val();
        self.step.next.syndrome = self.syndromes[2].val();
        if self.which.val() == 1 {
            self.step.next.status = self.statuses[0].val();
            self.step.next.syndrome = self.syndromes[0].val();
        } else if self.which.val() == 2 {
            self.step.next.status = self.statuses[1].val();
            self.step.next.syndrome = self.syndromes[1].val();
        }
        self.step.next.stray = !self.at.val().window | self.is.val().unknown;
    }
}
