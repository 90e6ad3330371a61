//! Admits TLPs to the retry buffer, one at a time: when it has room, and their class has credit (rules LK13 to LK15).
//!
//! A TLP passes without a gap; three cycles after its end the next one is looked at, since room and credit lag behind.
use super::records::ClassedBeat;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Whose TLP is passing.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum AdmitStep {
    /// Nobody's.
    Choose,
    /// A posted TLP or a completion.
    Direct,
    /// A request.
    Request,
    /// Room and credit catch up.
    Settle,
}

/// Admission to the retry buffer.
#[derive(LogicBlock, Default)]
pub struct TlpAdmit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the TLP under way.
    pub reset: Signal<In, Bit>,
    /// There is a session.
    pub open: Signal<In, Bit>,
    /// Posted TLPs and completions.
    pub direct: ChannelSink<ClassedBeat>,
    /// Requests.
    pub requests: ChannelSink<ClassedBeat>,
    /// The retry buffer takes another TLP.
    pub room: Signal<In, Bit>,
    /// The host takes another posted TLP,
    pub posted_credit: Signal<In, Bit>,
    /// another non-posted one.
    pub nonposted_credit: Signal<In, Bit>,
    /// A beat for the retry buffer
    pub beat: Signal<Out, ClassedBeat>,
    /// that counts.
    pub write: Signal<Out, Bit>,
    /// A posted TLP has entered,
    pub posted_sent: Signal<Out, Bit>,
    /// a non-posted one.
    pub nonposted_sent: Signal<Out, Bit>,
    /// A posted TLP waits for nothing but credit,
    pub posted_waits: Signal<Out, Bit>,
    /// a non-posted one.
    pub nonposted_waits: Signal<Out, Bit>,
    step: DFF<AdmitStep>,
    pause: DFF<Bits<2>>,
    turn: DFF<Bit>,
    goes_direct: Signal<Local, Bit>,
    goes_request: Signal<Local, Bit>,
    may_direct: Signal<Local, Bit>,
    may_request: Signal<Local, Bit>,
    chosen: Signal<Local, ClassedBeat>,
    moves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for TlpAdmit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, pause, turn);
        self.may_direct.next = self.open.val()
            & self.direct.valid.val()
            & self.room.val()
            & (self.posted_credit.val() | !self.direct.data.val().posted);
        self.may_request.next =
            self.open.val() & self.requests.valid.val() & self.room.val() & self.nonposted_credit.val();
        self.goes_request.next = self.step.q.val() == AdmitStep::Request;
        self.goes_direct.next = self.step.q.val() == AdmitStep::Direct;
        if self.step.q.val() == AdmitStep::Choose {
            self.goes_request.next = self.may_request.val() & (!self.turn.q.val() | !self.may_direct.val());
            self.goes_direct.next = self.may_direct.val() & !self.goes_request.val();
        }
        self.direct.ready.next = self.goes_direct.val();
        self.requests.ready.next = self.goes_request.val();
        self.chosen.next = self.direct.data.val();
        self.moves.next = self.goes_direct.val() & self.direct.valid.val();
        if self.goes_request.val() {
            self.chosen.next = self.requests.data.val();
            self.moves.next = self.requests.valid.val();
        }
        self.beat.next = self.chosen.val();
        self.write.next = self.moves.val();
        self.ends.next = self.moves.val() & self.chosen.val().last;
        self.posted_sent.next =
            self.ends.val() & !self.chosen.val().bad & self.goes_direct.val() & self.chosen.val().posted;
        self.nonposted_sent.next = self.ends.val() & !self.chosen.val().bad & self.goes_request.val();
        // TLPs of the other class may pass meanwhile; it still waits.
        self.posted_waits.next = self.open.val()
            & (self.step.q.val() != AdmitStep::Direct)
            & self.direct.valid.val()
            & self.direct.data.val().posted
            & !self.posted_credit.val();
        self.nonposted_waits.next = self.open.val()
            & (self.step.q.val() != AdmitStep::Request)
            & self.requests.valid.val()
            & !self.nonposted_credit.val();
        if self.step.q.val() == AdmitStep::Settle {
            self.pause.d.next = self.pause.q.val() + 1;
            if self.pause.q.val() == 2 {
                self.step.d.next = AdmitStep::Choose;
            }
        }
        if self.moves.val() {
            self.pause.d.next = 0.into();
            self.turn.d.next = self.goes_request.val();
            self.step.d.next = AdmitStep::Direct;
            if self.goes_request.val() {
                self.step.d.next = AdmitStep::Request;
            }
            if self.ends.val() {
                self.step.d.next = AdmitStep::Settle;
            }
        }
        if self.reset.val() {
            self.step.d.next = AdmitStep::Choose;
            self.turn.d.next = false;
        }
    }
}
