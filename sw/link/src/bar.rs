//! The registers of a device behind the link, and its interrupts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rnic_abi::limits::VECTORS;
use rnic_driver::{Bar, BusError, Clock};

use crate::bar_reads::TIMEOUT;
use crate::link::Host;
use crate::transport::FrameTransport;

/// BAR0 and the interrupts of a device behind the link. Every call ends: with an answer, after 250 ms with
/// [`BusError::NoAnswer`], or with [`BusError::Gone`] when the session is over.
///
/// ```no_run
/// # use rnic_link::*;
/// use rnic_driver::Bar;
///
/// // Needs a board.
/// let link = Link::open(PacketSocket::open("enp3s0")?, MonotonicClock::default(), LinkOptions::default())?;
/// let bar = link.platform().bar;
/// assert_eq!(bar.read(0)?, u32::from_le_bytes(*b"RNIC"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinkBar<T: FrameTransport, C> {
    host: Arc<Host<T, C>>,
}

impl<T: FrameTransport, C: Clock> LinkBar<T, C> {
    pub(crate) fn new(host: Arc<Host<T, C>>) -> LinkBar<T, C> {
        LinkBar { host }
    }

    /// Tries until there is room, at most [`TIMEOUT`]; then sends at once.
    fn queue<R>(
        &self,
        offset: u32,
        mut attempt: impl FnMut(&Host<T, C>) -> Result<Option<R>, BusError>,
    ) -> Result<R, BusError> {
        let end = self.host.clock.now() + TIMEOUT;
        loop {
            if let Some(queued) = attempt(&self.host)? {
                self.host.lock().step(self.host.clock.now());
                return Ok(queued);
            }
            if self.host.clock.now() >= end {
                return Err(BusError::NoAnswer { offset });
            }
            self.host.work();
        }
    }
}

impl<T: FrameTransport, C: Clock> Bar for LinkBar<T, C> {
    fn read(&self, offset: u32) -> Result<u32, BusError> {
        let tag = self.queue(offset, |host| host.lock().begin_read(offset, host.clock.now()))?;
        loop {
            // While it waits, this thread serves the device like any other (HO2).
            let result = self.host.lock().take_read(tag, self.host.clock.now());
            if let Some(result) = result {
                return result;
            }
            self.host.work();
        }
    }

    /// Writes are posted: a refusal by the device is not told here, but counted there (BA3).
    fn write(&self, offset: u32, value: u32) -> Result<(), BusError> {
        self.queue(offset, |host| Ok(host.lock().write_register(offset, value)?.then_some(())))
    }

    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError> {
        if u32::from(vector) >= VECTORS {
            return Err(BusError::Gone);
        }
        let end = self.host.clock.now() + timeout;
        loop {
            if self.host.lock().take_interrupt(vector)? {
                return Ok(true);
            }
            if self.host.clock.now() >= end {
                return Ok(false);
            }
            self.host.work();
        }
    }
}

impl<T: FrameTransport, C> fmt::Debug for LinkBar<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinkBar {{ {VECTORS} vectors }}")
    }
}
