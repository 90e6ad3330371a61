//! Frames to those who have no part in the session: REFUSED, NO_SESSION, and CLOSE to the host of a session that has ended
//! (LK13 and section 2.4).
//!
//! One is kept. While it waits, others are forgotten: whoever asked asks again. CLOSE replaces what waits.
use super::records::{FrameHead, Notice, Verdict};
use rnic_abi::link::frame;
use rust_hdl::prelude::*;

/// Keeper of one notice.
#[derive(LogicBlock)]
pub struct NoticeKeeper {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all.
    pub reset: Signal<In, Bit>,
    /// One cycle every microsecond.
    pub microsecond: Signal<In, Bit>,
    /// What a received frame means,
    pub verdict: Signal<In, Verdict>,
    /// and its header.
    pub head: Signal<In, FrameHead>,
    /// The session has ended by this end,
    pub ended: Signal<In, Bit>,
    /// because of an overrun;
    pub overran: Signal<In, Bit>,
    /// its number
    pub session: Signal<In, Bits<32>>,
    /// and its host.
    pub peer: Signal<In, Bits<48>>,
    /// There is a notice;
    pub due: Signal<Out, Bit>,
    /// it leaves.
    pub taken: Signal<In, Bit>,
    /// The notice.
    pub notice: Signal<Out, Notice>,
    held: DFF<Notice>,
    holds: DFF<Bit>,
    /// No NO_SESSION for the rest of a millisecond.
    muted: DFF<Bit>,
    age: DFF<Bits<10>>,
    close_kind: Constant<Bits<4>>,
    refused_kind: Constant<Bits<4>>,
    stray_kind: Constant<Bits<4>>,
    was_lost: Constant<Bits<2>>,
    was_overrun: Constant<Bits<2>>,
    rest: Constant<Bits<10>>,
}

impl Default for NoticeKeeper {
    fn default() -> Self {
        let kind = |code: u8| Constant::new(bits(code.into()));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            microsecond: Default::default(),
            verdict: Default::default(),
            head: Default::default(),
            ended: Default::default(),
            overran: Default::default(),
            session: Default::default(),
            peer: Default::default(),
            due: Default::default(),
            taken: Default::default(),
            notice: Default::default(),
            held: Default::default(),
            holds: Default::default(),
            muted: Default::default(),
            age: Default::default(),
            close_kind: kind(frame::TYPE_CLOSE),
            refused_kind: kind(frame::TYPE_REFUSED),
            stray_kind: kind(frame::TYPE_NO_SESSION),
            was_lost: Constant::new(bits(frame::CLOSE_LOST.into())),
            was_overrun: Constant::new(bits(frame::CLOSE_OVERRUN.into())),
            rest: Constant::new(bits(frame::NO_SESSION_REPEAT_US.into())),
        }
    }
}

impl Logic for NoticeKeeper {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, holds, muted, age);
        if self.microsecond.val() & self.muted.q.val() {
            self.age.d.next = self.age.q.val() + 1;
            if self.age.q.val() == self.rest.val() {
                self.muted.d.next = false;
            }
        }
        if self.taken.val() {
            self.holds.d.next = false;
        }
        if self.ended.val() {
            self.holds.d.next = true;
            self.held.d.next.destination = self.peer.val();
            self.held.d.next.kind = self.close_kind.val();
            self.held.d.next.session = self.session.val();
            self.held.d.next.reason = self.was_lost.val();
            if self.overran.val() {
                self.held.d.next.reason = self.was_overrun.val();
            }
        } else if !self.holds.q.val() {
            if self.verdict.val().refused {
                self.holds.d.next = true;
                self.held.d.next.destination = self.head.val().source;
                self.held.d.next.kind = self.refused_kind.val();
                self.held.d.next.session = self.head.val().session;
            } else if self.verdict.val().stray & !self.muted.q.val() {
                self.holds.d.next = true;
                self.held.d.next.destination = self.head.val().source;
                self.held.d.next.kind = self.stray_kind.val();
                self.held.d.next.session = self.head.val().session;
                self.muted.d.next = true;
                self.age.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.holds.d.next = false;
            self.muted.d.next = false;
        }
        self.due.next = self.holds.q.val();
        self.notice.next = self.held.q.val();
    }
}
