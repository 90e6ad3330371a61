//! The event ring: asynchronous events of the device, in a ring of host memory that the device writes.

use std::sync::atomic::{fence, Ordering};
use std::time::Duration;

use rnic_abi::event::{self, Kind};
use rnic_abi::register as reg;

use super::mailbox::wait_until;
use super::register::read;
use super::Device;
use crate::error::{Error, Protocol, Wait};
use crate::page_list::Buffer;
use crate::platform::{Bar, DmaBuffer, DmaMemory, Platform};

/// Vector that events use.
pub const EVENT_VECTOR: u8 = 0;

/// One asynchronous event.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// // The peer asks for something that it has no right to.
/// # mock.with(|state| state.raise_event(3, qp.number(), 0x33));
/// let event = device.wait_event(limit)?;
/// assert_eq!((event.kind, event.number), (EventKind::QpAccessErr, qp.number()));
/// assert!(device.poll_event()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// What happened.
    pub kind: Kind,
    /// Number of the queue pair or completion queue, else 0.
    pub number: u32,
    /// Detail, usually a syndrome.
    pub detail: u32,
}

/// The driver's side of the ring.
#[derive(Debug)]
pub(crate) struct EventRing<B> {
    buffer: B,
    log2: u8,
    /// Free-running count of events consumed.
    consumed: u32,
}

impl<B: DmaBuffer> EventRing<B> {
    /// Allocates a ring of 2^`log2` entries and tells the device.
    pub(crate) fn install<P: Platform>(platform: &P, log2: u8) -> Result<EventRing<Buffer<P>>, Error>
    where
        P::Memory: DmaMemory<Buffer = B>,
    {
        let buffer = platform.memory().allocate(event::BYTES << log2)?;
        let base = buffer.bus_address();
        let bar = platform.bar();
        bar.write(reg::EVENT_BASE_LOW, base as u32)?;
        bar.write(reg::EVENT_BASE_HIGH, (base >> 32) as u32)?;
        bar.write(reg::EVENT_CONSUMER, 0)?;
        // Last, because a size makes the ring live.
        bar.write(reg::EVENT_LOG2, u32::from(log2))?;
        Ok(EventRing { buffer, log2, consumed: 0 })
    }

    /// Takes the next event out of the ring.
    fn take(&mut self) -> Option<event::Event> {
        let slot = self.consumed & ((1 << self.log2) - 1);
        let offset = slot as usize * event::BYTES;
        let phase = self.buffer.read_u32(offset + event::OWNER.byte) & event::PHASE != 0;
        let first_round = self.consumed >> self.log2 & 1 == 0;
        if phase != first_round {
            return None;
        }
        // The rest of the entry may be read only after its phase bit (D18, other direction).
        fence(Ordering::Acquire);
        self.consumed = self.consumed.wrapping_add(1);
        let mut bytes = [0; event::BYTES];
        self.buffer.read_bytes(offset, &mut bytes);
        Some(event::Event::decode(&bytes))
    }
}

impl<P: Platform> Device<P> {
    /// Takes the oldest event that has not been taken, if there is one.
    ///
    /// # Errors
    /// - [`Error::Bus`]: the consumer register cannot be written.
    /// - [`Protocol::Event`] (EPROTO): an event of unknown type, which is skipped.
    pub fn poll_event(&self) -> Result<Option<Event>, Error> {
        let mut ring = self.events();
        let Some(entry) = ring.take() else { return Ok(None) };
        let consumed = ring.consumed;
        drop(ring);
        self.platform().bar().write(reg::EVENT_CONSUMER, consumed & 0xFFFF)?;
        let kind = u8::try_from(entry.kind).ok().and_then(Kind::from_u8);
        let kind = kind.ok_or(Error::Protocol(Protocol::Event { kind: entry.kind }))?;
        Ok(Some(Event { kind, number: entry.number, detail: entry.detail }))
    }

    /// Polls until there is an event.
    ///
    /// # Errors
    /// - [`Wait::Event`] (ETIMEDOUT): none within `limit`.
    /// - as [`poll_event`](Device::poll_event).
    pub fn wait_event(&self, limit: Duration) -> Result<Event, Error> {
        let mut found = None;
        wait_until(self.platform().clock(), limit, Wait::Event, || {
            found = self.poll_event()?;
            Ok(found.is_some())
        })?;
        found.ok_or(Error::Timeout(Wait::Event))
    }

    /// Whether the event ring has overflowed since the last call: events are lost then.
    ///
    /// # Errors
    /// [`Error::Bus`]: the status register cannot be accessed.
    pub fn take_event_overflow(&self) -> Result<bool, Error> {
        let bar = self.platform().bar();
        let overflowed = reg::STATUS_EVENT_OVERFLOW.is_set(read(bar, reg::STATUS)?);
        if overflowed {
            bar.write(reg::STATUS, reg::STATUS_EVENT_OVERFLOW.mask())?;
        }
        Ok(overflowed)
    }
}
