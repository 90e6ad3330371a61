//! The host's end of the link: transport, state of the session, and everything they have told.

mod calls;

use std::io;
use std::time::Duration;

use rnic_abi::link::frame as abi;
use rnic_abi::link::frame::FrameType;

use crate::error::LostReason;
use crate::event::LinkEvent;
use crate::frame::{decode, Header, Mac};
use crate::log::Log;
use crate::opening::{DeviceInfo, Opening};
use crate::options::LinkOptions;
use crate::region::Regions;
use crate::session::Session;
use crate::transport::{is_passing, FrameTransport};

/// Room for a received frame: more than the longest, so that one that is too long is noticed by its length.
const BUFFER: usize = 2048;
/// Frames that one step takes, so that the lock is free in between.
const BATCH: usize = 64;

/// Why there is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    NoDevice,
    Busy,
    Lost(LostReason),
}

/// State of the host (section 2.4). `Ended` is final: a new session is a new engine.
#[derive(Debug)]
enum State {
    Opening(Opening),
    Open(Box<Session>),
    Ended(End),
}

impl State {
    /// Whether another station than the device speaks: a second device that OPEN has reached by broadcast knows the session too.
    fn is_foreign(&self, source: Mac) -> bool {
        match self {
            State::Opening(opening) => opening.device_mac().is_some_and(|device| device != source),
            State::Open(session) => session.agreement().peer != source,
            State::Ended(_) => false,
        }
    }
}

/// Whoever holds it works: the caller that waits for something, or the thread that serves the device meanwhile (HO2).
#[derive(Debug)]
pub(crate) struct Engine<T: FrameTransport> {
    /// Given back when the link is closed.
    transport: Option<T>,
    host_mac: [u8; 6],
    regions: Regions,
    state: State,
    info: Option<DeviceInfo>,
    log: Log,
    steps: u64,
    frame: Vec<u8>,
    buffer: Box<[u8; BUFFER]>,
}

impl<T: FrameTransport> Engine<T> {
    pub(crate) fn new(transport: T, options: LinkOptions, session: u32, regions: Regions, now: Duration) -> Engine<T> {
        Engine {
            transport: Some(transport),
            host_mac: options.host_mac,
            regions,
            state: State::Opening(Opening::new(options, session, now)),
            info: None,
            log: Log::default(),
            steps: 0,
            frame: Vec::new(),
            buffer: Box::new([0; BUFFER]),
        }
    }

    /// Takes what has come, looks at the clock, sends what is due. Answers whether a frame came or went.
    pub(crate) fn step(&mut self, now: Duration) -> bool {
        self.steps += 1;
        let received = self.receive(now);
        self.tick(now);
        let sent = self.transmit(now);
        received || sent
    }

    fn receive(&mut self, now: Duration) -> bool {
        for count in 0..BATCH {
            let Some(transport) = &mut self.transport else { return false };
            match transport.receive(&mut self.buffer[..]) {
                Ok(Some(length)) => self.frame(length, now),
                Ok(None) => return count > 0,
                Err(error) if is_passing(&error) => return count > 0,
                Err(error) => {
                    self.end(End::Lost(LostReason::Transport(error.kind())));
                    return true;
                }
            }
        }
        true
    }

    fn frame(&mut self, length: usize, now: Duration) {
        self.log.counters.frames_received += 1;
        let (header, body) = match decode(&self.buffer[..length], self.host_mac) {
            Ok(parts) => parts,
            Err(why) => return self.log.dropped(why),
        };
        if header.kind == FrameType::Beacon {
            self.log.counters.beacons += 1;
            return;
        }
        if self.state.is_foreign(header.source) {
            self.log.counters.foreign_source += 1;
            return;
        }
        match &mut self.state {
            State::Opening(opening) if header.session == opening.session() => {
                let next = Self::answered(opening, &header, body, &self.regions, now, &mut self.log);
                match next {
                    Some(Ok((session, info))) => {
                        self.info = Some(info);
                        self.state = State::Open(Box::new(session));
                    }
                    Some(Err(end)) => self.end(end),
                    None => {}
                }
            }
            State::Open(session) if header.session == session.agreement().session => {
                if let Err(reason) = session.frame(&header, body, now, &mut self.log) {
                    self.lose(reason);
                }
            }
            State::Opening(_) | State::Open(_) => self.log.counters.other_session += 1,
            State::Ended(_) => self.log.counters.unexpected_type += 1,
        }
    }

    /// A frame with the number of the session that is being opened.
    fn answered(
        opening: &Opening,
        header: &Header,
        body: &[u8],
        regions: &Regions,
        now: Duration,
        log: &mut Log,
    ) -> Option<Result<(Session, DeviceInfo), End>> {
        match header.kind {
            // LK7: nothing was sent that could be acknowledged.
            FrameType::Opened if header.ack != 0 => {
                log.counters.bad_ack += 1;
                None
            }
            FrameType::Opened => {
                let agreed = opening.agree(header, body);
                log.counters.bad_body += u64::from(agreed.is_none());
                let (agreement, info) = agreed?;
                Some(Ok((Session::new(agreement, regions.clone(), now), info)))
            }
            FrameType::Refused => Some(Err(End::Busy)),
            _ => {
                log.counters.unexpected_type += 1;
                None
            }
        }
    }

    fn tick(&mut self, now: Duration) {
        match &mut self.state {
            State::Opening(opening) => match opening.due(now) {
                Some(true) => {
                    opening.frame(now, &mut self.frame);
                    self.send();
                }
                Some(false) => {}
                None => self.end(End::NoDevice),
            },
            State::Open(session) => {
                if let Err(reason) = session.tick(now, &mut self.log) {
                    self.lose(reason);
                }
            }
            State::Ended(_) => {}
        }
    }

    fn transmit(&mut self, now: Duration) -> bool {
        for count in 0..BATCH {
            let State::Open(session) = &mut self.state else { return count > 0 };
            if !session.transmit(now, &mut self.frame, &mut self.log) {
                return count > 0;
            }
            self.send();
        }
        true
    }

    /// Sends the frame that was made. A transport without room is a lossy wire: the link recovers.
    fn send(&mut self) {
        let Some(transport) = &mut self.transport else { return };
        match transport.send(&self.frame) {
            Ok(()) => self.log.counters.frames_sent += 1,
            Err(error) if is_passing(&error) => self.log.counters.frames_refused += 1,
            Err(error) => self.end(End::Lost(LostReason::Transport(error.kind()))),
        }
    }

    /// Ends the session, and tells the device if it may still listen.
    fn lose(&mut self, reason: LostReason) {
        let tell = match reason {
            LostReason::Closed => Some(abi::CLOSE_DONE),
            LostReason::Silent | LostReason::NoProgress => Some(abi::CLOSE_LOST),
            LostReason::Overrun => Some(abi::CLOSE_OVERRUN),
            LostReason::NoSession | LostReason::ClosedByDevice(_) | LostReason::Transport(_) => None,
        };
        if let (State::Open(session), Some(tell)) = (&self.state, tell) {
            session.close(tell, &mut self.frame);
            self.send();
        }
        self.end(End::Lost(reason));
    }

    fn end(&mut self, end: End) {
        // The first reason is the true one: sending CLOSE may have failed as well.
        if matches!(self.state, State::Ended(_)) {
            return;
        }
        if let End::Lost(reason) = end {
            self.log.event(LinkEvent::Lost(reason));
        }
        self.state = State::Ended(end);
    }

    /// `None`: the session is being opened. `Some(None)`: it is open.
    pub(crate) fn outcome(&self) -> Option<Option<End>> {
        match self.state {
            State::Opening(_) => None,
            State::Open(_) => Some(None),
            State::Ended(end) => Some(Some(end)),
        }
    }

    /// How often [`Engine::step`] was called, by whichever thread.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn info(&self) -> Option<DeviceInfo> {
        self.info
    }

    pub(crate) fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    /// When [`Engine::step`] has something to do without a frame.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        match &self.state {
            State::Opening(opening) => Some(opening.deadline()),
            State::Open(session) => session.deadline(),
            State::Ended(_) => None,
        }
    }

    /// Whether nothing waits to be sent or acknowledged, or never will be.
    pub(crate) fn is_idle(&self) -> bool {
        !matches!(&self.state, State::Open(session) if !session.is_idle())
    }

    /// Closes the session and gives the transport back.
    pub(crate) fn close(&mut self) -> Option<T> {
        self.lose(LostReason::Closed);
        self.transport.take()
    }

    /// The file to wait at.
    pub(crate) fn readable(&self) -> io::Result<Option<std::os::fd::OwnedFd>> {
        self.transport.as_ref().map_or(Ok(None), FrameTransport::readable)
    }
}

impl<T: FrameTransport> Drop for Engine<T> {
    /// A link that is dropped is closed, but nothing waits for what was not acknowledged.
    fn drop(&mut self) {
        self.lose(LostReason::Closed);
    }
}
