//! Sequence numbers of what this end sends: what waits for its ack, what is sent next, and when it is sent again (rules LK5,
//! LK7, LK9 and LK10).
//!
//! `oldest <= cursor <= entry` and `oldest <= highest <= entry`, modulo 2^16: below `oldest` all is acknowledged, below `highest`
//! all has been sent at least once, at `cursor` the next TLP is taken. All outputs are registered.
use rnic_abi::link::frame::{RESEND_GUARD_US, RETRANSMIT_TRIES, RETRANSMIT_US};
use rust_hdl::prelude::*;

/// Window of unacknowledged TLPs.
#[derive(LogicBlock)]
pub struct RetryWindow {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nothing has been sent.
    pub reset: Signal<In, Bit>,
    /// One cycle every microsecond.
    pub microsecond: Signal<In, Bit>,
    /// A TLP has entered the retry buffer.
    pub stored: Signal<In, Bit>,
    /// The TLP at `cursor` is being sent.
    pub sent: Signal<In, Bit>,
    /// A valid frame of the session has come,
    pub update: Signal<In, Bit>,
    /// with this ack, which lies in the window.
    pub ack: Signal<In, Bits<16>>,
    /// It is a NAK.
    pub nak: Signal<In, Bit>,
    /// Oldest number that is not acknowledged.
    pub oldest: Signal<Out, Bits<16>>,
    /// Next number to be sent for the first time.
    pub highest: Signal<Out, Bits<16>>,
    /// Number of the next TLP to send.
    pub cursor: Signal<Out, Bits<16>>,
    /// Number of the next TLP to enter the retry buffer.
    pub entry: Signal<Out, Bits<16>>,
    /// There is a TLP to send,
    pub pending: Signal<Out, Bit>,
    /// not for the first time.
    pub again: Signal<Out, Bit>,
    /// A resend begins because there was no progress (LK10).
    pub timeout: Signal<Out, Bit>,
    /// The session is lost (LK10).
    pub lost: Signal<Out, Bit>,
    low: DFF<Bits<16>>,
    place: DFF<Bits<16>>,
    high: DFF<Bits<16>>,
    newest: DFF<Bits<16>>,
    age: DFF<Bits<12>>,
    tries: DFF<Bits<7>>,
    /// Where the last resend began, and how long ago.
    origin: DFF<Bits<16>>,
    origin_age: DFF<Bits<8>>,
    fresh: DFF<Bit>,
    expired: DFF<Bit>,
    given_up: DFF<Bit>,
    passed: Signal<Local, Bits<16>>,
    covered: Signal<Local, Bits<16>>,
    moves: Signal<Local, Bit>,
    rewinds: Signal<Local, Bit>,
    base: Signal<Local, Bits<16>>,
    first: Constant<Bits<16>>,
    patience: Constant<Bits<12>>,
    guard: Constant<Bits<8>>,
    most_tries: Constant<Bits<7>>,
}

impl RetryWindow {
    /// Window of sessions that begin with sequence number `first`.
    pub fn new(first: u16) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            microsecond: Default::default(),
            stored: Default::default(),
            sent: Default::default(),
            update: Default::default(),
            ack: Default::default(),
            nak: Default::default(),
            oldest: Default::default(),
            highest: Default::default(),
            cursor: Default::default(),
            entry: Default::default(),
            pending: Default::default(),
            again: Default::default(),
            timeout: Default::default(),
            lost: Default::default(),
            low: Default::default(),
            place: Default::default(),
            high: Default::default(),
            newest: Default::default(),
            age: Default::default(),
            tries: Default::default(),
            origin: Default::default(),
            origin_age: Default::default(),
            fresh: Default::default(),
            expired: Default::default(),
            given_up: Default::default(),
            passed: Default::default(),
            covered: Default::default(),
            moves: Default::default(),
            rewinds: Default::default(),
            base: Default::default(),
            first: Constant::new(bits(first.into())),
            patience: Constant::new(bits((RETRANSMIT_US - 1).into())),
            guard: Constant::new(bits((RESEND_GUARD_US - 1).into())),
            most_tries: Constant::new(bits((RETRANSMIT_TRIES - 1).into())),
        }
    }
}

impl Logic for RetryWindow {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low, place, high, newest, age, tries);
        dff_setup!(self, clock, origin, origin_age, fresh, expired, given_up);
        self.oldest.next = self.low.q.val();
        self.highest.next = self.high.q.val();
        self.cursor.next = self.place.q.val();
        self.entry.next = self.newest.q.val();
        self.pending.next = self.place.q.val() != self.newest.q.val();
        self.again.next = self.place.q.val() != self.high.q.val();
        if self.stored.val() {
            self.newest.d.next = self.newest.q.val() + 1;
        }
        if self.sent.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val() == self.high.q.val() {
                self.high.d.next = self.high.q.val() + 1;
            }
        }
        // The ack releases, and carries the cursor along when it passes it.
        self.base.next = self.low.q.val();
        self.passed.next = self.ack.val() - self.low.q.val();
        self.covered.next = self.place.q.val() - self.low.q.val();
        self.moves.next = self.update.val() & self.passed.val().any();
        if self.update.val() {
            self.base.next = self.ack.val();
            self.low.d.next = self.ack.val();
            if self.passed.val() > self.covered.val() {
                self.place.d.next = self.ack.val();
            }
        }
        // LK10: time runs while something that was sent is not acknowledged.
        self.expired.d.next = false;
        self.given_up.d.next = false;
        if self.moves.val() | (self.high.q.val() == self.low.q.val()) {
            self.age.d.next = 0.into();
            self.tries.d.next = 0.into();
        } else if self.microsecond.val() {
            self.age.d.next = self.age.q.val() + 1;
            if self.age.q.val() == self.patience.val() {
                self.age.d.next = 0.into();
                self.tries.d.next = self.tries.q.val() + 1;
                self.expired.d.next = self.tries.q.val() != self.most_tries.val();
                self.given_up.d.next = self.tries.q.val() == self.most_tries.val();
            }
        }
        // LK9: a young resend from the same number is enough.
        if self.microsecond.val() & self.fresh.q.val() {
            self.origin_age.d.next = self.origin_age.q.val() + 1;
            self.fresh.d.next = self.origin_age.q.val() != self.guard.val();
        }
        self.rewinds.next = self.expired.q.val()
            | (self.update.val() & self.nak.val() & !(self.fresh.q.val() & (self.origin.q.val() == self.ack.val())));
        if self.rewinds.val() {
            self.place.d.next = self.base.val();
            self.origin.d.next = self.base.val();
            self.origin_age.d.next = 0.into();
            self.fresh.d.next = true;
        }
        if self.reset.val() {
            self.low.d.next = self.first.val();
            self.place.d.next = self.first.val();
            self.high.d.next = self.first.val();
            self.newest.d.next = self.first.val();
            self.age.d.next = 0.into();
            self.tries.d.next = 0.into();
            self.fresh.d.next = false;
            self.expired.d.next = false;
            self.given_up.d.next = false;
        }
        self.timeout.next = self.expired.q.val();
        self.lost.next = self.given_up.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    /// A window in which one TLP of number FFFF has been sent.
    fn one_sent() -> RetryWindow {
        let mut uut = RetryWindow::new(0xFFFF);
        uut.connect_all();
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        uut.microsecond.next = true;
        uut.stored.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.stored.next = false;
        uut.sent.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.sent.next = false;
        uut
    }

    #[test]
    fn lk10_the_session_is_lost_at_the_hundredth_timeout_in_a_row() {
        let mut uut = one_sent();
        let (mut timeouts, mut cycle) = (0, 0);
        while !uut.lost.val() {
            uut.sent.next = uut.pending.val();
            tick(&mut uut, |u| &mut u.clock);
            timeouts += u32::from(uut.timeout.val());
            cycle += 1;
            assert!(cycle < 210_000, "{timeouts} timeouts");
        }
        assert_eq!(timeouts, 99);
        assert!((199_900..200_100).contains(&cycle), "{cycle} us");
    }

    #[test]
    fn lk10_progress_starts_the_count_anew() {
        let mut uut = one_sent();
        for _ in 0..1990 {
            tick(&mut uut, |u| &mut u.clock);
        }
        uut.stored.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.stored.next = false;
        uut.sent.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.sent.next = false;
        // The first of the two is acknowledged: number 0 has 2 ms from now on.
        uut.update.next = true;
        uut.ack.next = 0.into();
        tick(&mut uut, |u| &mut u.clock);
        uut.update.next = false;
        for cycle in 0..1998 {
            tick(&mut uut, |u| &mut u.clock);
            assert!(!uut.timeout.val(), "cycle {cycle}");
        }
        for _ in 0..4 {
            tick(&mut uut, |u| &mut u.clock);
        }
        assert!(uut.pending.val() && uut.again.val());
        assert_eq!(uut.cursor.val(), bits(0));
    }

    #[test]
    fn lk9_an_ack_carries_a_resend_along() {
        let mut uut = one_sent();
        for _ in 0..3 {
            uut.stored.next = true;
            tick(&mut uut, |u| &mut u.clock);
            uut.stored.next = false;
            uut.sent.next = true;
            tick(&mut uut, |u| &mut u.clock);
            uut.sent.next = false;
        }
        uut.update.next = true;
        uut.nak.next = true;
        uut.ack.next = bits(0xFFFF);
        tick(&mut uut, |u| &mut u.clock);
        uut.nak.next = false;
        assert_eq!(uut.cursor.val(), bits(0xFFFF));
        uut.ack.next = bits(2);
        tick(&mut uut, |u| &mut u.clock);
        assert_eq!((uut.cursor.val(), uut.oldest.val(), uut.highest.val()), (bits(2), bits(2), bits(3)));
    }
}
