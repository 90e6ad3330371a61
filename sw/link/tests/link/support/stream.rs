//! Delivery in the device: LK5 to LK15, microseconds, absolute counts.

use std::collections::VecDeque;

/// The 64-bit count near `near` that a 16-bit number on the wire means.
fn widen(near: u64, wire: u16) -> i128 {
    let ahead = wire.wrapping_sub(near as u16) as i16;
    i128::from(near) + i128::from(ahead)
}

#[derive(Debug, Default)]
pub struct Stream {
    /// Sent and acknowledged, sent, counts from 0.
    pub acknowledged: u64,
    pub sent: u64,
    kept: VecDeque<Vec<u8>>,
    /// Where the present resend stands.
    resending: Option<u64>,
    quiet_since: u64,
    retries: u32,
    gone_back: Option<(u64, u64)>,
    /// Accepted.
    pub expected: u64,
    unacknowledged: u32,
    first_unacknowledged: u64,
    pub ack_now: bool,
    nak: bool,
    nak_sent: Option<u64>,
}

impl Stream {
    pub fn may_send(&self, window: usize) -> bool {
        let bytes: usize = self.kept.iter().map(Vec::len).sum();
        self.kept.len() < window && bytes < 8192 - 528
    }

    /// The frames to put on the wire again: sequence and TLP.
    pub fn resends(&mut self) -> Vec<(u16, Vec<u8>)> {
        let Some(from) = self.resending.take() else { return Vec::new() };
        let from = from.max(self.acknowledged);
        let skip = (from - self.acknowledged) as usize;
        let kept = self.kept.iter().skip(skip).enumerate();
        kept.map(|(index, tlp)| ((from + index as u64) as u16, tlp.clone())).collect()
    }

    /// A new TLP; answers its sequence number.
    pub fn send(&mut self, tlp: Vec<u8>, now: u64) -> u16 {
        if self.kept.is_empty() {
            self.quiet_since = now;
        }
        self.kept.push_back(tlp);
        self.sent += 1;
        (self.sent - 1) as u16
    }

    /// LK7.
    pub fn on_ack(&mut self, ack: u16, now: u64) -> bool {
        let ack = widen(self.acknowledged, ack);
        if ack < i128::from(self.acknowledged) || ack > i128::from(self.sent) {
            return false;
        }
        let ack = ack as u64;
        if ack > self.acknowledged {
            self.kept.drain(..(ack - self.acknowledged) as usize);
            self.acknowledged = ack;
            self.quiet_since = now;
            self.retries = 0;
        }
        true
    }

    /// LK9.
    pub fn on_nak(&mut self, now: u64) {
        let from = self.acknowledged;
        if self.gone_back.is_none_or(|(start, when)| start != from || now - when >= 200) {
            self.gone_back = Some((from, now));
            self.resending = Some(from);
        }
    }

    /// LK10. False: the session is lost.
    pub fn tick(&mut self, now: u64) -> bool {
        if !self.kept.is_empty() && now - self.quiet_since >= 2000 {
            self.quiet_since = now;
            self.retries += 1;
            self.gone_back = Some((self.acknowledged, now));
            self.resending = Some(self.acknowledged);
        }
        self.retries <= 100
    }

    /// LK6: whether it is accepted.
    pub fn on_tlp(&mut self, sequence: u16, now: u64) -> bool {
        let sequence = widen(self.expected, sequence);
        if sequence == i128::from(self.expected) {
            self.expected += 1;
            if self.unacknowledged == 0 {
                self.first_unacknowledged = now;
            }
            self.unacknowledged += 1;
            self.nak = false;
            self.nak_sent = None;
            return true;
        }
        if sequence < i128::from(self.expected) {
            self.ack_now = true;
        } else if self.nak_sent.is_none_or(|sent| now - sent >= 1000) {
            self.nak = true;
        }
        false
    }

    pub fn nak_due(&mut self, now: u64) -> bool {
        if self.nak {
            self.nak_sent = Some(now);
        }
        std::mem::take(&mut self.nak)
    }

    /// LK8.
    pub fn ack_due(&self, now: u64) -> bool {
        let late = self.unacknowledged > 0 && now - self.first_unacknowledged >= 20;
        self.ack_now || self.unacknowledged >= 4 || late
    }

    pub fn carried(&mut self) {
        self.unacknowledged = 0;
        self.ack_now = false;
    }
}

/// LK12: what the peer allows.
#[derive(Debug, Default)]
pub struct Credit {
    pub used: u64,
    pub limit: u64,
    waiting: Option<u64>,
}

impl Credit {
    pub fn first(limit: u16) -> Credit {
        Credit { limit: limit.into(), ..Credit::default() }
    }

    pub fn on_limit(&mut self, limit: u16) {
        let limit = widen(self.limit, limit);
        self.limit = self.limit.max(limit.max(0) as u64);
    }

    pub fn has(&self) -> bool {
        self.used < self.limit
    }

    /// LK15.
    pub fn ask(&mut self, blocked: bool, now: u64) -> bool {
        if !blocked {
            self.waiting = None;
            return false;
        }
        let due = now - *self.waiting.get_or_insert(now) >= 2000;
        if due {
            self.waiting = Some(now);
        }
        due
    }
}
