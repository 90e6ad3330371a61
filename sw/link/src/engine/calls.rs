//! What the driver asks of the engine: registers and interrupts.

use std::time::Duration;

use rnic_driver::BusError;

use crate::log::Log;
use crate::session::Session;
use crate::transport::FrameTransport;

use super::{Engine, State};

impl<T: FrameTransport> Engine<T> {
    fn session(&mut self) -> Result<(&mut Session, &mut Log), BusError> {
        match &mut self.state {
            State::Open(session) => Ok((session, &mut self.log)),
            State::Opening(_) | State::Ended(_) => Err(BusError::Gone),
        }
    }

    /// Queues a register write. False: there is no room now.
    pub(crate) fn write_register(&mut self, offset: u32, value: u32) -> Result<bool, BusError> {
        let (session, _) = self.session()?;
        Self::check(session, offset)?;
        Ok(session.write_register(offset, value))
    }

    /// Begins a register read. `None`: there is no tag now.
    pub(crate) fn begin_read(&mut self, offset: u32, now: Duration) -> Result<Option<u8>, BusError> {
        let (session, _) = self.session()?;
        Self::check(session, offset)?;
        Ok(session.begin_read(offset, now))
    }

    /// The result of a read that was begun, or `None` if it has none yet.
    pub(crate) fn take_read(&mut self, tag: u8, now: Duration) -> Option<Result<u32, BusError>> {
        match self.session() {
            Ok((session, log)) => session.take_read(tag, now, log),
            Err(error) => Some(Err(error)),
        }
    }

    /// Whether the interrupt has fired since it was last taken. What fired before the end can still be taken.
    pub(crate) fn take_interrupt(&mut self, vector: u8) -> Result<bool, BusError> {
        if self.log.interrupts.take(vector) {
            return Ok(true);
        }
        self.session().map(|_| false)
    }

    fn check(session: &Session, offset: u32) -> Result<(), BusError> {
        let inside = offset % 4 == 0 && u64::from(offset) < session.agreement().bar0_bytes;
        inside.then_some(()).ok_or(BusError::Decode { offset })
    }
}
