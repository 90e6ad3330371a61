//! Decides what a received frame means (rules LK2, LK6, LK7, LK13 and the table of sessions).
//!
//! Three cycles: differences, verdict, effect. The verdict is shown for one cycle, and with it the parser goes on.
use super::records::{FrameHead, Verdict};
use rnic_abi::link::frame;
use rust_hdl::prelude::*;

/// Where the judge stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum JudgeStep {
    /// Compares the frame with the session.
    Compare,
    /// Decides.
    Decide,
    /// The verdict takes effect.
    Act,
}

/// Judge of received frames.
#[derive(LogicBlock)]
pub struct ReceiveJudge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame.
    pub reset: Signal<In, Bit>,
    /// A frame has ended,
    pub valid: Signal<In, Bit>,
    /// with this header.
    pub head: Signal<In, FrameHead>,
    /// There is no session, one may begin.
    pub listening: Signal<In, Bit>,
    /// There is a session:
    pub open: Signal<In, Bit>,
    /// its number,
    pub session: Signal<In, Bits<32>>,
    /// the number that it replaced, 0 = none,
    pub replaced: Signal<In, Bits<32>>,
    /// MAC address of its host.
    pub peer: Signal<In, Bits<48>>,
    /// Next sequence number to come.
    pub expected: Signal<In, Bits<16>>,
    /// Oldest sequence number that is not acknowledged.
    pub oldest: Signal<In, Bits<16>>,
    /// Next sequence number to be sent for the first time.
    pub highest: Signal<In, Bits<16>>,
    /// The host has used up its posted limit,
    pub posted_full: Signal<In, Bit>,
    /// or the non-posted one.
    pub nonposted_full: Signal<In, Bit>,
    /// The TLP of this frame did not fit into the receive buffer.
    pub overflow: Signal<In, Bit>,
    /// What the frame means; 0 but in one cycle.
    pub verdict: Signal<Out, Verdict>,
    /// That cycle.
    pub done: Signal<Out, Bit>,
    step: DFF<JudgeStep>,
    result: DFF<Verdict>,
    same_session: DFF<Bit>,
    same_peer: DFF<Bit>,
    late: DFF<Bit>,
    lead: DFF<Bits<16>>,
    span: DFF<Bits<16>>,
    distance: DFF<Bits<16>>,
    mine: Signal<Local, Bit>,
    covered: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    nothing: Constant<Verdict>,
    open_kind: Constant<Bits<4>>,
    tlp_kind: Constant<Bits<4>>,
    ack_kind: Constant<Bits<4>>,
    nak_kind: Constant<Bits<4>>,
    close_kind: Constant<Bits<4>>,
}

impl Default for ReceiveJudge {
    fn default() -> Self {
        let kind = |code: u8| Constant::new(bits(code.into()));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            valid: Default::default(),
            head: Default::default(),
            listening: Default::default(),
            open: Default::default(),
            session: Default::default(),
            replaced: Default::default(),
            peer: Default::default(),
            expected: Default::default(),
            oldest: Default::default(),
            highest: Default::default(),
            posted_full: Default::default(),
            nonposted_full: Default::default(),
            overflow: Default::default(),
            verdict: Default::default(),
            done: Default::default(),
            step: Default::default(),
            result: Default::default(),
            same_session: Default::default(),
            same_peer: Default::default(),
            late: Default::default(),
            lead: Default::default(),
            span: Default::default(),
            distance: Default::default(),
            mine: Default::default(),
            covered: Default::default(),
            full: Default::default(),
            nothing: Constant::new(Verdict::default()),
            open_kind: kind(frame::TYPE_OPEN),
            tlp_kind: kind(frame::TYPE_TLP),
            ack_kind: kind(frame::TYPE_ACK),
            nak_kind: kind(frame::TYPE_NAK),
            close_kind: kind(frame::TYPE_CLOSE),
        }
    }
}

impl Logic for ReceiveJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, result, same_session, same_peer, late, lead, span, distance);
        self.same_session.d.next = self.head.val().session == self.session.val();
        self.same_peer.d.next = self.head.val().source == self.peer.val();
        self.late.d.next = self.head.val().session == self.replaced.val();
        self.lead.d.next = self.head.val().ack - self.oldest.val();
        self.span.d.next = self.highest.val() - self.oldest.val();
        self.distance.d.next = self.head.val().sequence - self.expected.val();
        self.mine.next = self.open.val() & self.same_session.q.val();
        // LK7.
        self.covered.next = self.lead.q.val() <= self.span.q.val();
        self.full.next = (self.head.val().posted & self.posted_full.val())
            | (!self.head.val().posted & !self.head.val().completion & self.nonposted_full.val());
        self.result.d.next = self.nothing.val();
        if self.step.q.val() == JudgeStep::Decide {
            if !self.head.val().sound {
                self.result.d.next.unsound = true;
            } else if self.head.val().kind == self.open_kind.val() {
                if self.listening.val() {
                    self.result.d.next.opens = true;
                } else if self.open.val() & !self.same_peer.q.val() {
                    self.result.d.next.refused = true;
                } else if self.mine.val() {
                    self.result.d.next.reopens = true;
                } else if self.open.val() & !self.late.q.val() {
                    self.result.d.next.opens = true;
                } else {
                    self.result.d.next.ignored = true;
                }
            } else if self.head.val().kind == self.close_kind.val() {
                self.result.d.next.ignored = !self.mine.val();
                self.result.d.next.outside = self.mine.val() & !self.covered.val();
                self.result.d.next.closes = self.mine.val() & self.covered.val();
            } else if (self.head.val().kind == self.tlp_kind.val())
                | (self.head.val().kind == self.ack_kind.val())
                | (self.head.val().kind == self.nak_kind.val())
            {
                self.result.d.next.stray = !self.mine.val();
                self.result.d.next.outside = self.mine.val() & !self.covered.val();
                self.result.d.next.valid = self.mine.val() & self.covered.val();
                self.result.d.next.nak =
                    self.mine.val() & self.covered.val() & (self.head.val().kind == self.nak_kind.val());
                if self.mine.val() & self.covered.val() & (self.head.val().kind == self.tlp_kind.val()) {
                    // LK6.
                    if self.distance.q.val() == 0 {
                        self.result.d.next.overrun = self.full.val();
                        self.result.d.next.no_room = !self.full.val() & self.overflow.val();
                        self.result.d.next.accepted = !self.full.val() & !self.overflow.val();
                    } else {
                        self.result.d.next.duplicate = self.distance.q.val().get_bit(15);
                        self.result.d.next.gap = !self.distance.q.val().get_bit(15);
                    }
                }
            } else {
                self.result.d.next.ignored = true;
            }
        }
        match self.step.q.val() {
            JudgeStep::Compare => {
                if self.valid.val() {
                    self.step.d.next = JudgeStep::Decide;
                }
            }
            JudgeStep::Decide => {
                self.step.d.next = JudgeStep::Act;
            }
            JudgeStep::Act => {
                self.step.d.next = JudgeStep::Compare;
            }
        }
        if self.reset.val() {
            self.step.d.next = JudgeStep::Compare;
            self.result.d.next = self.nothing.val();
        }
        self.verdict.next = self.result.q.val();
        self.done.next = self.step.q.val() == JudgeStep::Act;
    }
}
