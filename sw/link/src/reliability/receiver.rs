//! Which TLP is accepted, and which acknowledgement is due (LK6, LK8).

use std::time::Duration;

use rnic_abi::link::frame::ACK_EVERY;

use super::{ACK_DELAY, NAK_REPEAT};

/// What becomes of a TLP by its sequence number (LK6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The next one.
    Accept,
    /// It was accepted before.
    Duplicate,
    /// One before it is missing.
    Gap,
}

/// Expected sequence number and acknowledgements of one direction.
#[derive(Debug)]
pub(crate) struct Receiver {
    expected: u16,
    /// Accepted since an acknowledgement left.
    unacknowledged: u32,
    /// When the first of them came.
    since: Duration,
    /// An ACK is due now.
    at_once: bool,
    /// A NAK is due now.
    nak: bool,
    /// When the last NAK for `expected` left.
    nak_sent: Option<Duration>,
}

impl Receiver {
    pub(crate) fn new(first: u16) -> Receiver {
        Receiver {
            expected: first,
            unacknowledged: 0,
            since: Duration::ZERO,
            at_once: false,
            nak: false,
            nak_sent: None,
        }
    }

    /// What every frame carries as its acknowledgement (LK7).
    pub(crate) fn ack(&self) -> u16 {
        self.expected
    }

    /// Judges a TLP (LK6).
    pub(crate) fn judge(&mut self, sequence: u16, now: Duration) -> Verdict {
        match sequence.wrapping_sub(self.expected) {
            0 => {
                self.expected = self.expected.wrapping_add(1);
                if self.unacknowledged == 0 {
                    self.since = now;
                }
                self.unacknowledged += 1;
                (self.nak, self.nak_sent) = (false, None);
                Verdict::Accept
            }
            ahead if ahead < 1 << 15 => {
                self.nak = self.nak_sent.is_none_or(|sent| now >= sent + NAK_REPEAT);
                Verdict::Gap
            }
            _ => {
                self.at_once = true;
                Verdict::Duplicate
            }
        }
    }

    /// An ACK is wanted without delay: the peer asks, or a limit has grown (LK8, LK15).
    pub(crate) fn ack_at_once(&mut self) {
        self.at_once = true;
    }

    pub(crate) fn nak_due(&self) -> bool {
        self.nak
    }

    /// Whether an ACK frame must leave if nothing else does (LK8).
    pub(crate) fn ack_due(&self, now: Duration) -> bool {
        let waits = self.unacknowledged > 0;
        self.at_once || self.unacknowledged >= ACK_EVERY || waits && now >= self.since + ACK_DELAY
    }

    /// When an ACK becomes due by time alone.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        (self.unacknowledged > 0).then(|| self.since + ACK_DELAY)
    }

    /// A frame has left, and with it the acknowledgement.
    pub(crate) fn carried(&mut self) {
        (self.unacknowledged, self.at_once) = (0, false);
    }

    /// A NAK has left.
    pub(crate) fn nak_carried(&mut self, now: Duration) {
        (self.nak, self.nak_sent) = (false, Some(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reliability::us;

    #[test]
    fn lk6_only_the_expected_one_is_accepted_also_across_the_wrap() {
        let mut receiver = Receiver::new(0xFFFE);
        assert_eq!(receiver.judge(0xFFFE, us(0)), Verdict::Accept);
        assert_eq!(receiver.judge(0xFFFE, us(0)), Verdict::Duplicate);
        assert_eq!(receiver.judge(0, us(0)), Verdict::Gap);
        assert_eq!(receiver.judge(0xFFFF, us(0)), Verdict::Accept);
        assert_eq!(receiver.judge(0, us(0)), Verdict::Accept);
        assert_eq!(receiver.judge(0x8000, us(0)), Verdict::Gap, "2^15 - 1 ahead");
        assert_eq!(receiver.judge(0x8001, us(0)), Verdict::Duplicate, "2^15 behind");
        assert_eq!(receiver.ack(), 1);
    }

    #[test]
    fn lk6_one_nak_until_expected_moves_or_1_ms_passes() {
        let mut receiver = Receiver::new(0);
        receiver.judge(2, us(0));
        assert!(receiver.nak_due());
        receiver.nak_carried(us(0));
        receiver.judge(3, us(999));
        assert!(!receiver.nak_due());
        receiver.judge(3, us(1_000));
        assert!(receiver.nak_due(), "1 ms has passed");
        receiver.nak_carried(us(1_000));
        receiver.judge(0, us(1_001));
        receiver.judge(2, us(1_002));
        assert!(receiver.nak_due(), "expected has moved");
        receiver.judge(1, us(1_003));
        assert!(!receiver.nak_due(), "the gap is closed");
    }

    #[test]
    fn lk8_an_ack_after_4_tlps_or_20_us() {
        let mut receiver = Receiver::new(0);
        assert!(!receiver.ack_due(us(100)) && receiver.deadline().is_none());
        receiver.judge(0, us(100));
        assert!(!receiver.ack_due(us(119)) && receiver.ack_due(us(120)));
        receiver.carried();
        assert!(!receiver.ack_due(us(500)));
        for sequence in 1..=4 {
            assert!(!receiver.ack_due(us(600)));
            receiver.judge(sequence, us(600));
        }
        assert!(receiver.ack_due(us(600)));
    }

    #[test]
    fn lk6_a_duplicate_is_acknowledged_at_once() {
        let mut receiver = Receiver::new(5);
        receiver.judge(4, us(1));
        assert!(receiver.ack_due(us(1)));
    }
}
