//! Time of the machine.

use std::time::{Duration, Instant};

use rnic_driver::Clock;

/// The monotonic clock; a pause lets the core breathe.
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
