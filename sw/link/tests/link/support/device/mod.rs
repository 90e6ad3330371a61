//! A device: sessions of section 2.4, and what they carry.

mod transmit;

use rnic_link::FrameTransport;

use super::bus::Bus;
use super::frame::{self, Frame};
use super::stream::{Credit, Stream};

/// What a test may change.
#[derive(Clone, Debug)]
pub struct Knobs {
    /// Buffers for posted and for non-posted TLPs (LK14).
    pub posted: u16,
    pub nonposted: u16,
    /// Unacknowledged TLPs (LK5).
    pub window: usize,
    pub max_payload: u16,
    pub max_read: u16,
    /// Serves requests to BAR0 at all.
    pub serves: bool,
    /// Says and hears nothing: a cable that is pulled.
    pub deaf: bool,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs { posted: 16, nonposted: 8, window: 32, max_payload: 512, max_read: 512, serves: true, deaf: false }
    }
}

pub struct Session {
    pub number: u32,
    pub host: [u8; 6],
    pub stream: Stream,
    posted: Credit,
    nonposted: Credit,
    pub posted_limit: u64,
    pub nonposted_limit: u64,
    told: (u64, u64),
    posted_sent: u64,
    received: (u64, u64),
    tell: bool,
    ask: bool,
    keep_alive: u64,
    heard: u64,
    spoken: u64,
}

pub struct Device<T> {
    wire: T,
    pub mac: [u8; 6],
    pub knobs: Knobs,
    pub bus: Bus,
    pub session: Option<Session>,
    replaced: u32,
    /// Resets of the core: one a session.
    pub resets: u32,
    /// Reason of the last CLOSE received.
    pub closed: Option<u32>,
    beacon: u64,
    no_session_sent: Option<u64>,
    pub refused: u32,
    pub duplicates: u32,
    pub now: u64,
}

impl<T: FrameTransport> Device<T> {
    pub fn new(wire: T, knobs: Knobs) -> Device<T> {
        Device {
            wire,
            mac: [0x02, 0x52, 0x4E, 0x49, 0, 1],
            knobs,
            bus: Bus::default(),
            session: None,
            replaced: 0,
            resets: 0,
            closed: None,
            beacon: 0,
            no_session_sent: None,
            refused: 0,
            duplicates: 0,
            now: 0,
        }
    }

    /// The board is reset: everything is forgotten (SE3).
    pub fn reset(&mut self) {
        self.session = None;
        self.replaced = 0;
        self.forget();
    }

    fn forget(&mut self) {
        self.resets += 1;
        let violations = std::mem::take(&mut self.bus.violations);
        self.bus = Bus { violations, ..Bus::default() };
    }

    pub fn step(&mut self, now: u64) {
        self.now = now;
        let mut buffer = [0; 2048];
        for _ in 0..64 {
            let Ok(Some(length)) = self.wire.receive(&mut buffer) else { break };
            if !self.knobs.deaf && (buffer[..6] == self.mac || buffer[..6] == frame::BROADCAST) {
                match Frame::parse(&buffer[..length]) {
                    Ok(frame) => self.frame(frame),
                    Err(what) => self.bus.violations.push(format!("frame: {what}")),
                }
            }
        }
        self.time();
        self.serve();
        self.transmit();
    }

    fn put(&mut self, frame: &Frame) {
        if !self.knobs.deaf {
            // A wire that is full loses the frame.
            let _ = self.wire.send(&frame.bytes());
        }
    }

    /// A frame of the session as it stands, for tests to change and send.
    pub fn blank(&self, kind: u8) -> Frame {
        let session = self.session.as_ref().unwrap();
        Frame {
            to: session.host,
            from: self.mac,
            kind,
            flags: 0,
            session: session.number,
            sequence: session.stream.sent as u16,
            ack: session.stream.expected as u16,
            posted: session.posted_limit as u16,
            nonposted: session.nonposted_limit as u16,
            body: Vec::new(),
        }
    }

    /// Sends a frame that a test has made.
    pub fn send(&mut self, frame: &Frame) {
        self.put(frame);
    }

    /// Sends a TLP in sequence, whatever it is and whatever credit there is.
    pub fn send_tlp(&mut self, tlp: Vec<u8>) {
        let now = self.now;
        let mut frame = self.blank(frame::TLP);
        frame.body = tlp.clone();
        let session = self.session.as_mut().unwrap();
        frame.sequence = session.stream.send(tlp, now);
        self.put(&frame);
    }

    fn plain(&self, kind: u8, to: [u8; 6], session: u32, body: Vec<u8>) -> Frame {
        let from = self.mac;
        Frame { to, from, kind, flags: 0, session, sequence: 0, ack: 0, posted: 0, nonposted: 0, body }
    }

    fn frame(&mut self, frame: Frame) {
        match frame.kind {
            frame::OPEN => self.open(&frame),
            frame::BEACON => {}
            _ => match &self.session {
                Some(session) if session.number == frame.session => self.of_session(frame),
                _ => {
                    let answered = matches!(frame.kind, frame::TLP | frame::ACK | frame::NAK);
                    if answered && self.no_session_sent.is_none_or(|sent| self.now - sent >= 1000) {
                        self.no_session_sent = Some(self.now);
                        self.put(&self.plain(frame::NO_SESSION, frame.from, frame.session, Vec::new()));
                    }
                }
            },
        }
    }

    fn open(&mut self, open: &Frame) {
        if open.body.len() != 32 || open.session == 0 || open.body[20..].iter().any(|byte| *byte != 0) {
            self.bus.violations.push(format!("OPEN {open:?}"));
            return;
        }
        let fresh = match &self.session {
            None => true,
            Some(session) if session.number == open.session => false,
            Some(session) => {
                let silent = session.keep_alive != 0 && self.now - session.heard > session.keep_alive;
                if session.host != open.from && !silent {
                    self.refused += 1;
                    self.put(&self.plain(frame::REFUSED, open.from, open.session, Vec::new()));
                    return;
                }
                true
            }
        };
        if open.session == self.replaced {
            return;
        }
        let at16 = |at: usize| u16::from(open.body[at]) << 8 | u16::from(open.body[at + 1]);
        if fresh {
            self.replaced = self.session.as_ref().map_or(0, |session| session.number);
            self.forget();
            self.bus.id = at16(0);
            self.bus.max_payload = at16(4).min(self.knobs.max_payload).into();
            self.bus.max_read = at16(6).min(self.knobs.max_read).into();
            self.bus.bar = u64::from_be_bytes(open.body[8..16].try_into().unwrap());
            self.session = Some(Session {
                number: open.session,
                host: open.from,
                stream: Stream::default(),
                posted: Credit::first(open.posted),
                nonposted: Credit::first(open.nonposted),
                posted_limit: self.knobs.posted.into(),
                nonposted_limit: self.knobs.nonposted.into(),
                told: (self.knobs.posted.into(), self.knobs.nonposted.into()),
                posted_sent: 0,
                received: (0, 0),
                tell: false,
                ask: false,
                keep_alive: u64::from(at16(16)) * 1000,
                heard: self.now,
                spoken: self.now,
            });
        }
        let mut opened = self.blank(frame::OPENED);
        opened.body.extend(self.knobs.max_payload.to_be_bytes());
        opened.body.extend(self.knobs.max_read.to_be_bytes());
        opened.body.extend([8, 16, 0, 0, 0, 0, 0, 7]);
        opened.body.resize(32, 0);
        self.put(&opened);
    }

    fn lose(&mut self) {
        self.session = None;
        self.forget();
    }

    fn of_session(&mut self, frame: Frame) {
        let now = self.now;
        let session = self.session.as_mut().unwrap();
        if frame.kind == frame::CLOSE {
            self.closed = Some(u32::from_be_bytes(frame.body[..4].try_into().unwrap()));
            self.lose();
            return;
        }
        if !session.stream.on_ack(frame.ack, now) {
            return;
        }
        session.heard = now;
        session.posted.on_limit(frame.posted);
        session.nonposted.on_limit(frame.nonposted);
        session.tell |= frame.flags & 2 != 0;
        match frame.kind {
            frame::NAK => session.stream.on_nak(now),
            frame::TLP if session.stream.on_tlp(frame.sequence, now) => {
                match frame.body[0] {
                    0x40 | 0x60 => session.received.0 += 1,
                    0x00 | 0x20 => session.received.1 += 1,
                    _ => {}
                }
                if session.received.0 > session.posted_limit || session.received.1 > session.nonposted_limit {
                    self.bus.violations.push("LK13: more than the limit".into());
                }
                self.bus.accept(frame.body);
            }
            frame::TLP => self.duplicates += 1,
            _ => {}
        }
    }

    fn time(&mut self) {
        let now = self.now;
        let Some(session) = &mut self.session else {
            if now >= self.beacon {
                self.beacon = now + 1_000_000;
                self.put(&self.plain(frame::BEACON, frame::BROADCAST, 0, vec![0, 0, 0, 7]));
            }
            return;
        };
        let silent = session.keep_alive != 0 && now - session.heard > session.keep_alive;
        if silent || !session.stream.tick(now) {
            let mut close = self.blank(frame::CLOSE);
            close.body = vec![0, 0, 0, 1];
            self.put(&close);
            self.lose();
        }
    }

    /// Serves one request to BAR0.
    pub fn serve(&mut self) {
        let Some(session) = &mut self.session else { return };
        if self.knobs.serves {
            match self.bus.serve() {
                Some(true) => session.posted_limit += 1,
                Some(false) => session.nonposted_limit += 1,
                None => {}
            }
        }
    }
}
