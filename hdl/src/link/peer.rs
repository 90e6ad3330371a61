//! A host for tests, written from sections 2.1 to 2.4 of the specification. It shares nothing with the blocks: frames are
//! bytes at literal offsets, numbers are counted in microseconds.
use std::collections::VecDeque;

pub const BEACON: u8 = 0;
pub const OPEN: u8 = 1;
pub const OPENED: u8 = 2;
pub const TLP: u8 = 3;
pub const ACK: u8 = 4;
pub const NAK: u8 = 5;
pub const CLOSE: u8 = 6;
pub const NO_SESSION: u8 = 7;
pub const REFUSED: u8 = 8;

/// MAC address of the device of all tests.
pub const DEVICE_MAC: [u8; 6] = [0x02, 0x52, 0x4E, 0x49, 0x00, 0x01];
/// MAC address of the host.
pub const HOST_MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 0x01];
pub const EVERYONE: [u8; 6] = [0xFF; 6];

/// Class of a TLP (LK12, LK14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Posted,
    Request,
    Completion,
}

/// Class by the first byte of the TLP.
pub fn class(tlp: &[u8]) -> Class {
    match tlp[0] {
        0x40 | 0x60 | 0x30..=0x37 | 0x70..=0x77 => Class::Posted,
        0x0A | 0x0B | 0x4A | 0x4B => Class::Completion,
        _ => Class::Request,
    }
}

/// A frame without FCS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub destination: [u8; 6],
    pub source: [u8; 6],
    pub kind: u8,
    pub flags: u8,
    pub session: u32,
    pub sequence: u16,
    pub ack: u16,
    pub posted: u16,
    pub nonposted: u16,
    pub body: Vec<u8>,
}

impl Frame {
    /// The bytes, padded to 60.
    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = [&self.destination[..], &self.source[..], &[0x88, 0xB5, 0x10 | self.kind, self.flags]].concat();
        bytes.extend((self.body.len() as u16).to_be_bytes());
        bytes.extend(self.session.to_be_bytes());
        for field in [self.sequence, self.ack, self.posted, self.nonposted, 0] {
            bytes.extend(field.to_be_bytes());
        }
        bytes.extend(&self.body);
        bytes.resize(bytes.len().max(60), 0);
        bytes
    }

    /// Takes the bytes of a frame of the device apart, and checks what LK1 and 2.1 say of them.
    pub fn parse(bytes: &[u8]) -> Self {
        let half = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        assert!(bytes.len() >= 32, "{bytes:02x?}");
        assert_eq!((half(12), bytes[14] >> 4, half(30)), (0x88B5, 1, 0), "{bytes:02x?}");
        let length = half(16) as usize;
        assert!(length % 4 == 0 && bytes.len() == 32 + length, "LK1: body of {length} in {bytes:02x?}");
        Self {
            destination: bytes[..6].try_into().unwrap(),
            source: bytes[6..12].try_into().unwrap(),
            kind: bytes[14] & 15,
            flags: bytes[15],
            session: u32::from(half(18)) << 16 | u32::from(half(20)),
            sequence: half(22),
            ack: half(24),
            posted: half(26),
            nonposted: half(28),
            body: bytes[32..].to_vec(),
        }
    }
}

/// Body of OPEN: device 0100, host 0000, BAR0 at E0000000, RCB 64.
pub fn open_body(max_payload: u16, max_read: u16, bar: u64, keep_alive: u16) -> Vec<u8> {
    let mut body = [0x01, 0x00, 0x00, 0x00].to_vec();
    body.extend(max_payload.to_be_bytes());
    body.extend(max_read.to_be_bytes());
    body.extend(bar.to_be_bytes());
    body.extend(keep_alive.to_be_bytes());
    body.extend([0, 64]);
    body.resize(32, 0);
    body
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Closed,
    Opening,
    Open,
    Refused,
    Lost,
}

/// The host's end of the link.
pub struct Peer {
    pub mac: [u8; 6],
    pub state: State,
    pub session: u32,
    pub keep_alive: u16,
    pub max_payload: u16,
    /// Microseconds between two OPENs.
    pub open_repeat: u64,
    /// First sequence number and count of both directions.
    pub first: u16,
    pub window: usize,
    /// Buffers for posted and non-posted TLPs.
    pub buffers: [u16; 2],
    /// Whether TLPs are taken out of the buffers.
    pub takes: [bool; 2],
    /// TLPs to send: posted and completions, requests.
    pub queues: [VecDeque<Vec<u8>>; 2],
    /// TLPs in the order in which they got their numbers.
    pub log: Vec<Vec<u8>>,
    /// TLPs accepted from the device.
    pub received: Vec<Vec<u8>>,
    pub opened: Option<Frame>,
    pub naks: usize,
    pub asks: usize,
    unacked: VecDeque<Vec<u8>>,
    oldest: u16,
    cursor: usize,
    highest: usize,
    progress: u64,
    tries: u32,
    resend: Option<(u16, u64)>,
    credits: [u16; 2],
    used: [u16; 2],
    starved: [Option<u64>; 2],
    expected: u16,
    accepted: [u16; 2],
    taken: [u16; 2],
    told: [u16; 2],
    owed: Option<(u32, u64)>,
    urgent: bool,
    ask: bool,
    nak: Option<u64>,
    nak_due: bool,
    last_open: Option<u64>,
    last_sent: u64,
    last_heard: u64,
}

impl Peer {
    pub fn new(first: u16) -> Self {
        Self {
            mac: HOST_MAC,
            state: State::Closed,
            session: 0,
            keep_alive: 1000,
            max_payload: 512,
            open_repeat: 10_000,
            first,
            window: 32,
            buffers: [64, 32],
            takes: [true; 2],
            queues: Default::default(),
            log: vec![],
            received: vec![],
            opened: None,
            naks: 0,
            asks: 0,
            unacked: VecDeque::new(),
            oldest: first,
            cursor: 0,
            highest: 0,
            progress: 0,
            tries: 0,
            resend: None,
            credits: [first; 2],
            used: [first; 2],
            starved: [None; 2],
            expected: first,
            accepted: [first; 2],
            taken: [first; 2],
            told: [first; 2],
            owed: None,
            urgent: false,
            ask: false,
            nak: None,
            nak_due: false,
            last_open: None,
            last_sent: 0,
            last_heard: 0,
        }
    }

    /// A new session: everything of the one before is forgotten.
    pub fn open(&mut self, session: u32) {
        let (keep_alive, max_payload, open_repeat) = (self.keep_alive, self.max_payload, self.open_repeat);
        let (mac, window, buffers) = (self.mac, self.window, self.buffers);
        let state = State::Opening;
        *self = Self {
            mac,
            state,
            session,
            keep_alive,
            max_payload,
            open_repeat,
            window,
            buffers,
            ..Self::new(self.first)
        };
    }

    /// Hands a TLP over for sending.
    pub fn send(&mut self, tlp: Vec<u8>) {
        self.queues[usize::from(class(&tlp) == Class::Request)].push_back(tlp);
    }

    /// All that was handed over is acknowledged.
    pub fn is_idle(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty) && self.unacked.is_empty()
    }

    pub fn limits(&self) -> [u16; 2] {
        [0, 1].map(|i| self.taken[i].wrapping_add(self.buffers[i]))
    }

    pub fn frame(&self, kind: u8) -> Frame {
        let [posted, nonposted] = self.limits();
        Frame {
            destination: DEVICE_MAC,
            source: self.mac,
            kind,
            flags: 0,
            session: self.session,
            sequence: self.oldest.wrapping_add(self.highest as u16),
            ack: self.expected,
            posted,
            nonposted,
            body: vec![],
        }
    }

    pub fn receive(&mut self, frame: &Frame, now: u64) {
        if frame.destination != self.mac || frame.session != self.session {
            return;
        }
        match (self.state, frame.kind) {
            (State::Opening, OPENED) => {
                self.state = State::Open;
                self.credits = [frame.posted, frame.nonposted];
                self.opened = Some(frame.clone());
                (self.progress, self.last_heard, self.last_sent) = (now, now, now);
            }
            (State::Opening, REFUSED) => self.state = State::Refused,
            (State::Open, NO_SESSION | CLOSE) => self.state = State::Lost,
            (State::Open, TLP | ACK | NAK) => self.receive_in_session(frame, now),
            _ => {}
        }
    }

    fn receive_in_session(&mut self, frame: &Frame, now: u64) {
        // LK7.
        let passed = frame.ack.wrapping_sub(self.oldest) as usize;
        if passed > self.highest {
            return;
        }
        self.last_heard = now;
        if passed > 0 {
            self.unacked.drain(..passed);
            self.oldest = frame.ack;
            self.cursor = self.cursor.saturating_sub(passed);
            self.highest -= passed;
            (self.progress, self.tries) = (now, 0);
        }
        for (credit, told) in self.credits.iter_mut().zip([frame.posted, frame.nonposted]) {
            if told.wrapping_sub(*credit) < 0x8000 {
                *credit = told;
            }
        }
        self.urgent |= frame.flags & 2 != 0;
        self.asks += usize::from(frame.flags & 2 != 0);
        if frame.kind == NAK {
            self.naks += 1;
            let young = self.resend.is_some_and(|(from, at)| from == frame.ack && now - at < 200);
            if !young {
                self.cursor = 0;
                self.resend = Some((frame.ack, now));
            }
        }
        if frame.kind == TLP {
            self.receive_tlp(frame, now);
        }
    }

    fn receive_tlp(&mut self, frame: &Frame, now: u64) {
        match frame.sequence.wrapping_sub(self.expected) {
            0 => {
                self.expected = self.expected.wrapping_add(1);
                self.owed = Some(self.owed.map_or((1, now), |(count, since)| (count + 1, since)));
                (self.nak, self.nak_due) = (None, false);
                let kind = class(&frame.body);
                if kind != Class::Completion {
                    let i = usize::from(kind == Class::Request);
                    assert_ne!(self.accepted[i], self.limits()[i], "LK13: the device exceeds the limit of {kind:?}");
                    self.accepted[i] = self.accepted[i].wrapping_add(1);
                }
                self.received.push(frame.body.clone());
            }
            distance if distance >= 0x8000 => self.urgent = true,
            distance => {
                assert!(distance < 32, "LK5: {distance} TLPs beyond what is expected");
                if self.nak.is_none_or(|since| now - since >= 1000) {
                    (self.nak, self.nak_due) = (Some(now), true);
                }
            }
        }
    }

    /// The next frame to send, if there is one.
    pub fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let frame = match self.state {
            State::Opening => {
                let due = self.last_open.is_none_or(|at| now - at >= self.open_repeat);
                due.then(|| {
                    self.last_open = Some(now);
                    let body = open_body(self.max_payload, 512, 0xE000_0000, self.keep_alive);
                    Frame { destination: EVERYONE, ack: 0, body, ..self.frame(OPEN) }
                })
            }
            State::Open => self.poll_session(now),
            _ => None,
        }?;
        self.last_sent = now;
        self.told = [frame.posted, frame.nonposted];
        if frame.kind != OPEN {
            (self.owed, self.urgent) = (None, false);
        }
        Some(frame.pack())
    }

    fn poll_session(&mut self, now: u64) -> Option<Frame> {
        let alive = u64::from(self.keep_alive) * 1000;
        if alive > 0 && now - self.last_heard > alive {
            self.state = State::Lost;
            return None;
        }
        for i in [0, 1] {
            if self.takes[i] {
                self.taken[i] = self.accepted[i];
            }
        }
        // LK10.
        if self.highest == 0 {
            self.progress = now;
        } else if now - self.progress >= 2000 {
            (self.progress, self.tries) = (now, self.tries + 1);
            if self.tries == 100 {
                self.state = State::Lost;
                return None;
            }
            self.cursor = 0;
            self.resend = Some((self.oldest, now));
        }
        self.admit(now);
        let limits = self.limits();
        let grown = (0..2).any(|i| limits[i].wrapping_sub(self.told[i]) >= self.buffers[i].div_ceil(4));
        if self.nak_due {
            self.nak_due = false;
            return Some(self.frame(NAK));
        }
        if std::mem::take(&mut self.ask) {
            return Some(Frame { flags: 2, ..self.frame(ACK) });
        }
        if self.cursor < self.unacked.len() {
            let (sequence, again) = (self.oldest.wrapping_add(self.cursor as u16), self.cursor < self.highest);
            let body = self.unacked[self.cursor].clone();
            self.cursor += 1;
            self.highest = self.highest.max(self.cursor);
            return Some(Frame { sequence, body, flags: u8::from(again), ..self.frame(TLP) });
        }
        let owed = self.owed.is_some_and(|(count, since)| count >= 4 || now - since >= 20);
        let quiet = alive > 0 && now - self.last_sent >= alive / 4;
        (self.urgent || owed || grown || quiet).then(|| self.frame(ACK))
    }

    /// TLPs with credit get their number (LK13); one without for 2 ms makes a question (LK15).
    fn admit(&mut self, now: u64) {
        for i in [1, 0] {
            while let Some(tlp) = self.queues[i].front() {
                let kind = class(tlp);
                let free = kind == Class::Completion || self.credits[i] != self.used[i];
                if !free {
                    let since = *self.starved[i].get_or_insert(now);
                    if now - since >= 2000 {
                        self.starved[i] = Some(now);
                        self.ask = true;
                    }
                    break;
                }
                self.starved[i] = None;
                if self.unacked.len() >= self.window {
                    break;
                }
                if kind != Class::Completion {
                    self.used[i] = self.used[i].wrapping_add(1);
                }
                let tlp = self.queues[i].pop_front().unwrap();
                self.log.push(tlp.clone());
                self.unacked.push_back(tlp);
            }
        }
    }
}
