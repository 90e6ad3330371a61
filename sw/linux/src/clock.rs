//! Time of the machine.

use std::time::{Duration, Instant};

use rnic_driver::Clock;

/// The monotonic clock; a pause lets the core breathe.
///
/// ```
/// # use rnic_driver::Clock;
/// let clock = rnic_linux::LinuxClock::default();
/// let before = clock.now();
/// clock.pause();
/// assert!(clock.now() >= before);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LinuxClock(Instant);

impl Default for LinuxClock {
    fn default() -> Self {
        LinuxClock(Instant::now())
    }
}

impl Clock for LinuxClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&self) {
        std::hint::spin_loop();
    }
}
