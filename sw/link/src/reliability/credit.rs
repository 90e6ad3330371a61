//! Credits of one class of TLPs: absolute counts modulo 2^16, so that a lost or repeated update does no harm (LK12 to LK15).

use std::time::Duration;

use rnic_abi::link::frame::{ACK_EVERY, HOST_POSTED, LIMIT_SHARE};

use super::CREDIT_WAIT;

/// What this side may send of a class.
#[derive(Debug)]
pub(crate) struct Allowance {
    sent: u16,
    limit: u16,
    /// Since when a TLP waits for credit, or when it last asked.
    waiting: Option<Duration>,
}

impl Allowance {
    /// With the limit that the peer has told first, and the count that both sides begin with (0 but in tests).
    pub(crate) fn new(sent: u16, limit: u16) -> Allowance {
        Allowance { sent, limit, waiting: None }
    }

    /// LK12: a limit never decreases; an older one that arrives late is no news.
    pub(crate) fn raise(&mut self, limit: u16) {
        if limit.wrapping_sub(self.limit) < 1 << 15 {
            self.limit = limit;
        }
    }

    /// LK13: whether another TLP may leave.
    pub(crate) fn available(&self) -> bool {
        let left = self.limit.wrapping_sub(self.sent);
        left != 0 && left < 1 << 15
    }

    pub(crate) fn spend(&mut self) {
        debug_assert!(self.available());
        self.sent = self.sent.wrapping_add(1);
        self.waiting = None;
    }

    /// LK15: whether a TLP has waited so long that the peer must be asked. `blocked`: one waits for nothing but credit.
    pub(crate) fn ask(&mut self, blocked: bool, now: Duration) -> bool {
        if !blocked {
            self.waiting = None;
            return false;
        }
        let since = *self.waiting.get_or_insert(now);
        let due = now >= since + CREDIT_WAIT;
        if due {
            self.waiting = Some(now);
        }
        due
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.waiting.map(|since| since + CREDIT_WAIT)
    }
}

/// What the peer may send of a class: a buffer on this side.
///
/// LK8 wants a limit told when it has grown by a quarter of its buffer. Here that needs no count of its own: the limit of writes
/// grows with each that is accepted, and of those every fourth is acknowledged; that of reads grows with an answer, whose frame
/// tells it.
#[derive(Debug)]
pub(crate) struct Grant {
    accepted: u16,
    limit: u16,
}

impl Grant {
    /// Room for `buffers` TLPs, behind the `accepted` that both sides begin with (0 but in tests).
    pub(crate) fn new(accepted: u16, buffers: u16) -> Grant {
        Grant { accepted, limit: accepted.wrapping_add(buffers) }
    }

    /// A TLP has come. False: it had no credit (LK13).
    pub(crate) fn accept(&mut self) -> bool {
        let allowed = self.accepted != self.limit;
        if allowed {
            self.accepted = self.accepted.wrapping_add(1);
        }
        allowed
    }

    /// The buffer of a TLP is free again.
    pub(crate) fn free(&mut self) {
        self.limit = self.limit.wrapping_add(1);
    }

    pub(crate) fn limit(&self) -> u16 {
        self.limit
    }
}

const _: () = assert!(ACK_EVERY * LIMIT_SHARE <= HOST_POSTED as u32, "an acknowledgement would come too late for LK8");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reliability::us;

    #[test]
    fn lk12_limits_only_grow_also_across_the_wrap() {
        let mut allowance = Allowance::new(0xFFFE, 0xFFFE);
        assert!(!allowance.available());
        allowance.raise(1);
        allowance.raise(0xFFFF);
        for _ in 0..3 {
            assert!(allowance.available());
            allowance.spend();
        }
        assert!(!allowance.available());
        allowance.raise(0x8001);
        assert!(!allowance.available(), "2^15 ahead is behind");
    }

    #[test]
    fn lk13_what_exceeds_its_limit_is_noticed() {
        let mut grant = Grant::new(0xFFFF, 2);
        assert_eq!([grant.accept(), grant.accept(), grant.accept()], [true, true, false]);
        grant.free();
        assert_eq!([grant.accept(), grant.accept()], [true, false]);
    }

    #[test]
    fn lk15_a_class_asks_each_2_ms_while_it_is_blocked() {
        let mut allowance = Allowance::new(0, 0);
        assert!(!allowance.ask(true, us(10)) && !allowance.ask(true, us(2_009)));
        assert_eq!(allowance.deadline(), Some(us(2_010)));
        assert!(allowance.ask(true, us(2_010)) && !allowance.ask(true, us(2_011)));
        assert!(allowance.ask(true, us(4_010)));
        assert!(!allowance.ask(false, us(5_000)) && allowance.deadline().is_none());
    }
}
