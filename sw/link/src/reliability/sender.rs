//! The retry buffer: TLPs that were sent and are not acknowledged (LK5, LK7, LK9, LK10).

use std::collections::VecDeque;
use std::time::Duration;

use rnic_abi::link::frame::{HOST_RETRY_BYTES, RETRANSMIT_TRIES, WINDOW};

use super::{RESEND_GUARD, RETRANSMIT};

/// An acknowledgement of what was never sent, or was acknowledged before (LK7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutsideWindow;

/// What a look at the clock asks for (LK10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timeout {
    /// Everything is to be sent again.
    Resend,
    /// All tries are spent: the session is lost.
    Lost,
}

/// Sequence numbers and retry buffer of one direction. TLPs are kept, headers are built anew with each send.
#[derive(Debug)]
pub(crate) struct Sender {
    /// Sequence number of the first TLP of `kept`.
    oldest: u16,
    kept: VecDeque<Vec<u8>>,
    kept_bytes: usize,
    /// Which of `kept` goes on the wire next.
    cursor: usize,
    /// How many of `kept` have been on the wire.
    sent: usize,
    /// Since when nothing was acknowledged.
    since: Duration,
    /// Resends in a row without progress.
    tries: u32,
    /// Where the last resend began, and when.
    resend: Option<(u16, Duration)>,
}

impl Sender {
    pub(crate) fn new(first: u16) -> Sender {
        Sender {
            oldest: first,
            kept: VecDeque::with_capacity(WINDOW),
            kept_bytes: 0,
            cursor: 0,
            sent: 0,
            since: Duration::ZERO,
            tries: 0,
            resend: None,
        }
    }

    /// Whether a TLP of this size may be sent (LK5).
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.kept.len() < WINDOW && self.kept_bytes + bytes <= HOST_RETRY_BYTES
    }

    /// Takes a TLP, which [`Sender::next_frame`] gives out in its turn.
    pub(crate) fn push(&mut self, tlp: Vec<u8>, now: Duration) {
        debug_assert!(self.has_room(tlp.len()));
        if self.kept.is_empty() {
            self.since = now;
        }
        self.kept_bytes += tlp.len();
        self.kept.push_back(tlp);
    }

    /// The next TLP for the wire: sequence number, whether it was there before, and the TLP.
    pub(crate) fn next_frame(&mut self) -> Option<(u16, bool, &[u8])> {
        let index = self.cursor;
        let tlp = self.kept.get(index)?;
        let resent = index < self.sent;
        self.cursor += 1;
        self.sent = self.sent.max(self.cursor);
        Some((self.oldest.wrapping_add(index as u16), resent, tlp))
    }

    /// Sequence number of the next new TLP (LK7: next to send).
    pub(crate) fn next_sequence(&self) -> u16 {
        self.oldest.wrapping_add(self.sent as u16)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// LK7: `ack` must lie in [oldest unacknowledged, next to send].
    pub(crate) fn acknowledge(&mut self, ack: u16, now: Duration) -> Result<(), OutsideWindow> {
        let released = usize::from(ack.wrapping_sub(self.oldest));
        if released > self.sent {
            return Err(OutsideWindow);
        }
        if released > 0 {
            self.kept_bytes -= self.kept.drain(..released).map(|tlp| tlp.len()).sum::<usize>();
            self.oldest = ack;
            self.sent -= released;
            self.cursor = self.cursor.saturating_sub(released);
            (self.since, self.tries) = (now, 0);
        }
        Ok(())
    }

    /// LK9: after NAK(a), whose `a` was acknowledged already, everything goes again, unless that has just begun.
    pub(crate) fn resend(&mut self, now: Duration) -> bool {
        let recent = self.resend.is_some_and(|(from, when)| from == self.oldest && now < when + RESEND_GUARD);
        if recent || self.kept.is_empty() {
            return false;
        }
        self.cursor = 0;
        self.resend = Some((self.oldest, now));
        true
    }

    /// LK10: looks whether the time for an acknowledgement is over.
    pub(crate) fn check_time(&mut self, now: Duration) -> Option<Timeout> {
        if self.sent == 0 || now < self.since + RETRANSMIT {
            return None;
        }
        if self.tries == RETRANSMIT_TRIES {
            return Some(Timeout::Lost);
        }
        self.tries += 1;
        self.since = now;
        self.cursor = 0;
        self.resend = Some((self.oldest, now));
        Some(Timeout::Resend)
    }

    /// When [`Sender::check_time`] has something to say.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        (self.sent > 0).then(|| self.since + RETRANSMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reliability::us;

    fn filled(first: u16, tlps: u8) -> Sender {
        let mut sender = Sender::new(first);
        for tlp in 0..tlps {
            sender.push(vec![tlp; 16], Duration::ZERO);
        }
        sender
    }

    /// What goes on the wire now: sequence, resent, first byte.
    fn wire(sender: &mut Sender) -> Vec<(u16, bool, u8)> {
        std::iter::from_fn(|| sender.next_frame().map(|(sequence, resent, tlp)| (sequence, resent, tlp[0]))).collect()
    }

    #[test]
    fn lk5_sequence_numbers_wrap_and_the_window_is_32_frames() {
        let mut sender = filled(0xFFFE, 4);
        assert_eq!(wire(&mut sender), [(0xFFFE, false, 0), (0xFFFF, false, 1), (0, false, 2), (1, false, 3)]);
        assert_eq!(sender.next_sequence(), 2);
        sender.acknowledge(0, us(1)).unwrap();
        let mut sender = filled(0xFFF0, 32);
        assert!(!sender.has_room(16), "32 frames");
        wire(&mut sender);
        sender.acknowledge(0xFFF1, us(1)).unwrap();
        assert!(sender.has_room(16));
    }

    #[test]
    fn lk5_the_retry_buffer_holds_64_kib() {
        let mut sender = Sender::new(0);
        for _ in 0..16 {
            sender.push(vec![0; 4096], Duration::ZERO);
        }
        assert!(!sender.has_room(4));
    }

    #[test]
    fn lk7_an_ack_outside_the_window_changes_nothing() {
        for first in [0, 0xFFFD] {
            let mut sender = filled(first, 6);
            assert_eq!(sender.acknowledge(first.wrapping_add(1), us(1)), Err(OutsideWindow), "nothing was sent yet");
            wire(&mut sender);
            sender.acknowledge(first.wrapping_add(2), us(1)).unwrap();
            for ack in [first.wrapping_add(1), first.wrapping_add(7), first.wrapping_sub(1), first ^ 0x8000] {
                assert_eq!(sender.acknowledge(ack, us(1)), Err(OutsideWindow), "{ack:x}");
            }
            assert_eq!(sender.kept.len(), 4);
            sender.acknowledge(first.wrapping_add(6), us(1)).unwrap();
            assert!(sender.is_empty() && sender.kept_bytes == 0);
        }
    }

    #[test]
    fn lk9_a_nak_sends_the_rest_again_once_in_200_us() {
        let mut sender = filled(7, 3);
        wire(&mut sender);
        sender.acknowledge(8, us(1)).unwrap();
        assert!(sender.resend(us(10)));
        assert_eq!(wire(&mut sender), [(8, true, 1), (9, true, 2)]);
        assert!(!sender.resend(us(209)) && wire(&mut sender).is_empty());
        assert!(sender.resend(us(210)), "200 us are over");
        wire(&mut sender);
        sender.acknowledge(9, us(211)).unwrap();
        assert!(sender.resend(us(212)), "another beginning");
        assert_eq!(wire(&mut sender), [(9, true, 2)]);
    }

    #[test]
    fn lk9_what_was_not_on_the_wire_yet_is_no_resend() {
        let mut sender = filled(0, 2);
        wire(&mut sender);
        sender.push(vec![2; 16], Duration::ZERO);
        assert!(sender.resend(us(10)));
        assert_eq!(wire(&mut sender), [(0, true, 0), (1, true, 1), (2, false, 2)]);
    }

    #[test]
    fn lk10_resends_after_2_ms_and_gives_up_after_100() {
        let mut sender = filled(0, 2);
        assert_eq!(sender.check_time(us(9_000)), None, "nothing on the wire");
        wire(&mut sender);
        assert_eq!(sender.check_time(us(1_999)), None);
        assert_eq!(sender.check_time(us(2_000)), Some(Timeout::Resend));
        assert_eq!(wire(&mut sender), [(0, true, 0), (1, true, 1)]);
        sender.acknowledge(1, us(3_000)).unwrap();
        assert_eq!((sender.check_time(us(4_999)), sender.deadline()), (None, Some(us(5_000))), "progress starts anew");
        for round in 0..100 {
            assert_eq!(sender.check_time(us(5_000 + 2_000 * round)), Some(Timeout::Resend), "{round}");
        }
        assert_eq!(sender.check_time(us(205_000)), Some(Timeout::Lost));
    }
}
