//! What a run is made of, drawn from its seed: wire, hosts, connections.

use crate::host::Timing;
use crate::random::Random;
use crate::wire::{Chances, Rate, WireSettings};
use rnic_abi::access;

/// Cycles of a tick in these runs, so that timeouts are short against a run (T79).
pub(super) const TICK: u64 = 16;

/// Settings of a run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub wire: WireSettings,
    pub timing: Timing,
    /// Frames get lost or damaged, or come in another order.
    pub faulty: bool,
    pub connections: usize,
}

/// Attributes of a connection, the same at both ends but for the PSNs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes {
    pub mtu: u32,
    pub psn: [u32; 2],
    pub access: u8,
    pub timeout: u32,
    pub retry_cnt: u32,
    pub min_rnr: u32,
    pub reads: u32,
}

impl Plan {
    pub fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed, 30);
        let faulty = random.chance(65);
        let mut below = |limit: u64| random.below(limit) as u16;
        let chances = match faulty {
            // Far below what retry_cnt 7 bears, even in thousands of runs.
            true => Chances {
                loss: below(30),
                duplication: below(60),
                reordering: below(100),
                corruption: below(10),
                bad: below(5),
            },
            false => Chances::default(),
        };
        let rate = random.chance(30).then(|| Rate { bytes: 1 + random.below(8) as u32, cycles: 1 });
        let busy = random.chance(40);
        let wire = WireSettings {
            seed,
            rate,
            delay: 1 + random.below(150) as u32,
            chances,
            span: 20 + random.below(600) as u32,
            stall: if busy { random.below(40) as u8 } else { 0 },
            gap: if busy { random.below(40) as u8 } else { 0 },
            ..WireSettings::default()
        };
        let timing = super::super::generate::timing(random);
        Self { wire, timing, faulty, connections: 1 + random.below(4) as usize }
    }

    /// A timeout in which an answer comes back although some of the longest frames are on a slow wire before it, both ways;
    /// with a shorter one a connection may run out of retries, and rightly so.
    fn shortest_timeout(&self) -> u32 {
        match self.wire.rate {
            None => 6,
            Some(Rate { bytes: 4.., .. }) => 8,
            Some(Rate { bytes: 2.., .. }) => 9,
            Some(_) => 10,
        }
    }

    /// Attributes of a connection of this run.
    pub fn attributes(&self, random: &mut Random, most_reads: u32) -> Attributes {
        let mut psn = || match random.below(3) {
            0 => random.below(1 << 24) as u32,
            // The PSNs wrap within the run.
            _ => 0xFF_FFFF - random.below(40) as u32,
        };
        let psn = [psn(), psn()];
        // Where nothing gets lost, no retry is needed, and a timer that never fires is never missed.
        let (timeout, retry_cnt) = match self.faulty {
            true => (self.shortest_timeout() + random.below(2) as u32, 7),
            false => (if random.chance(20) { 0 } else { 11 }, random.below(8) as u32),
        };
        Attributes {
            mtu: 1 + random.below(5) as u32,
            psn,
            access: access::QP,
            timeout,
            retry_cnt,
            min_rnr: 1 + random.below(8) as u32,
            reads: 1 + random.below(most_reads.into()) as u32,
        }
    }
}
