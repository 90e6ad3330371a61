//! Time of a link.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rnic_driver::Clock;

use crate::link::Host;
use crate::transport::FrameTransport;

/// The monotonic clock of the machine; a pause lets other threads run: the device is tens of microseconds away, and a thread that
/// waits here may be in the way of the one that would end the wait.
///
/// ```
/// # use rnic_driver::Clock;
/// let clock = rnic_link::MonotonicClock::default();
/// let before = clock.now();
/// clock.pause();
/// assert!(clock.now() >= before);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock(Instant);

impl Default for MonotonicClock {
    fn default() -> Self {
        MonotonicClock(Instant::now())
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&self) {
        std::thread::yield_now();
    }
}

/// The clock that a driver gets: that of the link, whose pauses serve the device too. So the device reaches memory while the
/// driver waits, with or without a thread for it (HO2).
///
/// ```no_run
/// # use rnic_link::*;
/// use rnic_driver::Clock;
///
/// // Needs a board.
/// let link = Link::open(PacketSocket::open("enp3s0")?, MonotonicClock::default(), LinkOptions::default())?;
/// let clock = link.platform().clock;
/// clock.pause(); // takes frames, answers reads, sends what is due
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinkClock<T: FrameTransport, C> {
    pub(crate) host: Arc<Host<T, C>>,
}

impl<T: FrameTransport, C: Clock> Clock for LinkClock<T, C> {
    fn now(&self) -> Duration {
        self.host.clock.now()
    }

    fn pause(&self) {
        self.host.work();
    }
}

impl<T: FrameTransport, C> std::fmt::Debug for LinkClock<T, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LinkClock")
    }
}
