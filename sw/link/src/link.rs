//! Opening and closing a link.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rnic_abi::limits::VECTORS;
use rnic_abi::link::bridge::MSIX_TABLE;
use rnic_driver::{Bar, Clock, Parts};

use crate::bar::LinkBar;
use crate::bar_reads::TIMEOUT;
use crate::clock::LinkClock;
use crate::counters::Counters;
use crate::engine::{End, Engine};
use crate::error::{LinkError, LostReason};
use crate::event::LinkEvent;
use crate::interrupt;
use crate::memory::LinkMemory;
use crate::opening::DeviceInfo;
use crate::options::LinkOptions;
use crate::transport::FrameTransport;

/// What all handles of a link share. Whoever waits works: there is no call that only waits for somebody else (HO2).
pub(crate) struct Host<T: FrameTransport, C> {
    pub clock: C,
    pub engine: Mutex<Engine<T>>,
}

impl<T: FrameTransport, C: Clock> Host<T, C> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Engine<T>> {
        // A panic of another thread leaves a state in which nothing is half done that matters to memory safety.
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time pass, then does what is due. Answers whether a frame came or went.
    pub(crate) fn work(&self) -> bool {
        self.clock.pause();
        self.lock().step(self.clock.now())
    }
}

/// The platform that the driver gets.
///
/// ```no_run
/// # use rnic_link::*;
/// // Needs a board.
/// let link = Link::open(PacketSocket::open("enp3s0")?, MonotonicClock::default(), LinkOptions::default())?;
/// let platform: LinkPlatform<PacketSocket, MonotonicClock> = link.platform();
/// let device = rnic_driver::Device::open(platform)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LinkPlatform<T, C> = Parts<LinkBar<T, C>, LinkMemory, LinkClock<T, C>>;

/// An open session with a device. Dropping the last handle of it closes the session.
///
/// ```
/// use std::cell::Cell;
/// use std::time::Duration;
/// use rnic_link::{Link, LinkError, LinkOptions, SimulatedWire};
///
/// /// A clock that only pauses move.
/// struct Microseconds(Cell<u64>);
///
/// impl rnic_driver::Clock for Microseconds {
///     fn now(&self) -> Duration { Duration::from_micros(self.0.get()) }
///     fn pause(&self) { self.0.set(self.0.get() + 10) }
/// }
/// let (host, _nobody) = SimulatedWire::pair();
/// let error = Link::open(host, Microseconds(Cell::new(0)), LinkOptions::default()).unwrap_err();
/// assert!(matches!(error, LinkError::NoDevice { tries: 100, dropped: 0 }));
/// ```
pub struct Link<T: FrameTransport, C> {
    pub(crate) host: Arc<Host<T, C>>,
    memory: LinkMemory,
    info: DeviceInfo,
}

impl<T: FrameTransport, C: Clock> Link<T, C> {
    /// Opens a session and sets up the interrupts of the device. Takes at most a second of the clock.
    ///
    /// # Errors
    /// - [`LinkError::NoDevice`]: nothing answered. [`LinkError::Busy`]: another host has the device.
    /// - [`LinkError::Options`]: they make no sense.
    /// - [`LinkError::Lost`], [`LinkError::Bridge`]: the session began but did not last.
    pub fn open(transport: T, clock: C, options: LinkOptions) -> Result<Link<T, C>, LinkError> {
        options.check()?;
        let memory = LinkMemory::new(options.seed);
        // SE1: a number that no earlier session had; a late frame of one is not obeyed.
        let session = options.seed.map_or_else(rand::random, |seed| (seed as u32).wrapping_mul(0x9E37_79B9));
        let engine = Engine::new(transport, options, session, memory.regions().clone(), clock.now());
        let host = Arc::new(Host { clock, engine: Mutex::new(engine) });
        host.lock().step(host.clock.now());
        loop {
            let mut engine = host.lock();
            match engine.outcome() {
                None => {}
                Some(None) => break,
                Some(Some(End::Busy)) => return Err(LinkError::Busy),
                Some(Some(End::Lost(reason))) => return Err(LinkError::Lost(reason)),
                Some(Some(End::NoDevice)) => {
                    let dropped = engine.log().dropped_frames();
                    return Err(LinkError::NoDevice { tries: rnic_abi::link::frame::OPEN_TRIES, dropped });
                }
            }
            drop(engine);
            host.work();
        }
        let info = host.lock().info().ok_or(LinkError::Lost(LostReason::Closed))?;
        let link = Link { host, memory, info };
        link.set_up_interrupts()?;
        Ok(link)
    }

    /// Fills the MSI-X table: vector v is a write of v to the reserved addresses.
    fn set_up_interrupts(&self) -> Result<(), LinkError> {
        let bar = LinkBar::new(self.host.clone());
        for vector in 0..VECTORS as u8 {
            let row = u32::from(MSIX_TABLE) + 16 * u32::from(vector);
            for (offset, word) in (row..).step_by(4).zip(interrupt::table_row(vector)) {
                bar.write(offset, word).map_err(|error| match self.lost() {
                    Some(reason) => LinkError::Lost(reason),
                    None => LinkError::Bridge(error),
                })?;
            }
        }
        Ok(())
    }

    /// Registers, memory and clock for [`Device::open`](rnic_driver::Device::open).
    pub fn platform(&self) -> LinkPlatform<T, C> {
        let (bar, clock) = (LinkBar::new(self.host.clone()), LinkClock { host: self.host.clone() });
        Parts { bar, memory: self.memory.clone(), clock }
    }

    /// What the device has told of itself.
    pub fn info(&self) -> DeviceInfo {
        self.info
    }

    /// Why the session is over, if it is. The link must be opened anew then.
    pub fn lost(&self) -> Option<LostReason> {
        match self.host.lock().outcome() {
            Some(Some(End::Lost(reason))) => Some(reason),
            _ => None,
        }
    }

    /// The next event that was not taken yet (HO5). Interrupts are events too, beside
    /// [`wait_interrupt`](rnic_driver::Bar::wait_interrupt).
    pub fn next_event(&self) -> Option<LinkEvent> {
        self.host.lock().log().events.pop()
    }

    /// Counters since the link was opened.
    pub fn counters(&self) -> Counters {
        self.host.lock().log().counters
    }

    /// Lets time pass and does what is due, as a pause of the driver's clock does.
    pub fn work(&self) {
        self.host.work();
    }

    /// Waits for what was written to be acknowledged, at most 250 ms, closes the session and gives the transport back. What
    /// platforms of this link still do ends with [`BusError::Gone`](rnic_driver::BusError::Gone).
    pub fn close(self) -> T {
        let end = self.host.clock.now() + TIMEOUT;
        while !self.host.lock().is_idle() && self.host.clock.now() < end {
            self.host.work();
        }
        let transport = self.host.lock().close();
        transport.expect("only this call takes it, and it consumes the link")
    }
}

impl<T: FrameTransport, C> fmt::Debug for Link<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Link {{ {:?} }}", self.info)
    }
}
