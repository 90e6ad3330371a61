//! What the channels of the host share.
use super::fault::{BusFault, Faults, Response, Way};
use super::memory::HostMemory;
use super::timing::Timing;
use crate::random::Random;

/// Most bus errors that are kept; a run with more is broken anyway.
const KEPT: usize = 10_000;

#[derive(Debug)]
pub(super) struct Shared {
    pub memory: HostMemory,
    pub faults: Faults,
    pub seen: Vec<BusFault>,
    pub timing: Timing,
    pub random: Random,
    /// Bytes of a beat.
    pub width: u64,
}

impl Shared {
    #[inline]
    pub fn stall(&mut self) -> bool {
        self.random.chance(self.timing.stall)
    }

    #[inline]
    pub fn gap(&mut self) -> bool {
        self.random.chance(self.timing.gap)
    }

    pub fn read_due(&mut self, now: u64) -> u64 {
        let Timing { read_latency, read_jitter, .. } = self.timing;
        now + u64::from(read_latency.max(1)) + self.jitter(read_jitter)
    }

    pub fn write_due(&mut self, now: u64) -> u64 {
        let Timing { write_latency, write_jitter, .. } = self.timing;
        now + u64::from(write_latency.max(1)) + self.jitter(write_jitter)
    }

    fn jitter(&mut self, most: u32) -> u64 {
        match most {
            0 => 0,
            most => self.random.below(u64::from(most) + 1),
        }
    }

    pub fn report(&mut self, cycle: u64, way: Way, id: u8, address: u64, response: Response, injected: bool) {
        if self.seen.len() < KEPT {
            self.seen.push(BusFault { cycle, way, id, address, response, injected });
        }
    }
}
