//! The session: who its host is, when it begins and ends, and what is reset between two of them (section 2.4, SE1).
//!
//! A session ends in two steps: the frame that is leaving goes to its end, then everything but the sender is reset for at
//! least 64 cycles. Core and bridge are reset during both. So nothing of an old session can leave after OPENED.
use super::records::{FrameHead, OpenBody, Verdict};
use rnic_abi::link::frame::SESSION_RESET_CYCLES;
use rust_hdl::prelude::*;

/// Where the session stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum SessionStep {
    /// Everything is being reset.
    Reset,
    /// There is none.
    Listen,
    /// There is one.
    Open,
    /// The frame that is leaving goes to its end.
    Finish,
}

/// State machine of the session.
#[derive(LogicBlock)]
pub struct Session {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// There is no session.
    pub reset: Signal<In, Bit>,
    /// What a received frame means,
    pub verdict: Signal<In, Verdict>,
    /// its header,
    pub head: Signal<In, FrameHead>,
    /// and its body, if it is OPEN.
    pub fields: Signal<In, OpenBody>,
    /// The host does not acknowledge (LK10), or is silent (LK11).
    pub lost: Signal<In, Bit>,
    /// No frame is leaving.
    pub idle: Signal<In, Bit>,
    /// OPENED leaves.
    pub opened_taken: Signal<In, Bit>,
    /// There is no session, one may begin.
    pub listening: Signal<Out, Bit>,
    /// There is a session.
    pub open: Signal<Out, Bit>,
    /// Received frames have to wait.
    pub hold: Signal<Out, Bit>,
    /// Resets core and bridge.
    pub session_reset: Signal<Out, Bit>,
    /// Resets the blocks of the link.
    pub clear: Signal<Out, Bit>,
    /// OPENED is due.
    pub opened_due: Signal<Out, Bit>,
    /// Number of the session.
    pub number: Signal<Out, Bits<32>>,
    /// The number that it replaced, or 0.
    pub replaced: Signal<Out, Bits<32>>,
    /// MAC address of the host.
    pub peer: Signal<Out, Bits<48>>,
    /// What the host has set.
    pub parameters: Signal<Out, OpenBody>,
    /// The session has ended by this end,
    pub ended: Signal<Out, Bit>,
    /// because of an overrun.
    pub overran: Signal<Out, Bit>,
    step: DFF<SessionStep>,
    opens: DFF<Bit>,
    cycles: DFF<Bits<7>>,
    session: DFF<Bits<32>>,
    former: DFF<Bits<32>>,
    host: DFF<Bits<48>>,
    settings: DFF<OpenBody>,
    due: DFF<Bit>,
    open_now: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    last_cycle: Constant<Bits<7>>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            verdict: Default::default(),
            head: Default::default(),
            fields: Default::default(),
            lost: Default::default(),
            idle: Default::default(),
            opened_taken: Default::default(),
            listening: Default::default(),
            open: Default::default(),
            hold: Default::default(),
            session_reset: Default::default(),
            clear: Default::default(),
            opened_due: Default::default(),
            number: Default::default(),
            replaced: Default::default(),
            peer: Default::default(),
            parameters: Default::default(),
            ended: Default::default(),
            overran: Default::default(),
            step: Default::default(),
            opens: Default::default(),
            cycles: Default::default(),
            session: Default::default(),
            former: Default::default(),
            host: Default::default(),
            settings: Default::default(),
            due: Default::default(),
            open_now: Default::default(),
            ends: Default::default(),
            last_cycle: Constant::new(bits(SESSION_RESET_CYCLES.into())),
        }
    }
}

impl Logic for Session {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, opens, cycles, session, former, host, settings, due);
        self.open_now.next = self.step.q.val() == SessionStep::Open;
        self.ended.next = false;
        self.overran.next = false;
        if self.opened_taken.val() {
            self.due.d.next = false;
        }
        if self.verdict.val().reopens {
            self.due.d.next = true;
        }
        self.ends.next = self.lost.val() | self.verdict.val().overrun;
        self.cycles.d.next = 0.into();
        match self.step.q.val() {
            SessionStep::Reset => {
                self.cycles.d.next = self.cycles.q.val() + 1;
                if self.cycles.q.val() == self.last_cycle.val() {
                    self.step.d.next = SessionStep::Listen;
                    if self.opens.q.val() {
                        self.step.d.next = SessionStep::Open;
                        self.due.d.next = true;
                    }
                }
            }
            SessionStep::Listen => {
                if self.verdict.val().opens {
                    self.step.d.next = SessionStep::Finish;
                }
            }
            SessionStep::Open => {
                self.opens.d.next = false;
                if self.ends.val() | self.verdict.val().closes | self.verdict.val().opens {
                    self.step.d.next = SessionStep::Finish;
                    self.ended.next = self.ends.val() & !self.verdict.val().opens;
                    self.overran.next = self.verdict.val().overrun;
                }
            }
            SessionStep::Finish => {
                self.due.d.next = false;
                if self.idle.val() {
                    self.step.d.next = SessionStep::Reset;
                }
            }
        }
        if self.verdict.val().opens {
            self.opens.d.next = true;
            self.session.d.next = self.head.val().session;
            self.host.d.next = self.head.val().source;
            self.settings.d.next = self.fields.val();
            self.former.d.next = 0.into();
            if self.open_now.val() {
                self.former.d.next = self.session.q.val();
            }
        }
        if self.reset.val() {
            self.step.d.next = SessionStep::Reset;
            self.opens.d.next = false;
            self.cycles.d.next = 0.into();
            self.due.d.next = false;
        }
        self.listening.next = self.step.q.val() == SessionStep::Listen;
        self.open.next = self.open_now.val();
        self.clear.next = self.step.q.val() == SessionStep::Reset;
        self.hold.next = (self.step.q.val() == SessionStep::Reset) | (self.step.q.val() == SessionStep::Finish);
        self.session_reset.next =
            (self.step.q.val() == SessionStep::Reset) | (self.step.q.val() == SessionStep::Finish);
        self.opened_due.next = self.due.q.val();
        self.number.next = self.session.q.val();
        self.replaced.next = self.former.q.val();
        self.peer.next = self.host.q.val();
        self.parameters.next = self.settings.q.val();
    }
}
