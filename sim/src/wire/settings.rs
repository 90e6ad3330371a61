//! How a wire behaves.

/// How fast an end may send: `bytes` in `cycles` cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Bytes, at least 1.
    pub bytes: u32,
    /// Cycles, at least 1.
    pub cycles: u32,
}

/// Random faults: how many of 1,000 frames each of them hits. They are drawn for each receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chances {
    /// The frame does not arrive.
    pub loss: u16,
    /// It arrives twice.
    pub duplication: u16,
    /// It arrives late, so that later ones overtake it.
    pub reordering: u16,
    /// One to three of its bits are flipped; the MAC does not notice, so the ICRC must.
    pub corruption: u16,
    /// The MAC notices an error: the frame arrives with `tuser` set on its last beat.
    pub bad: u16,
}

/// Settings of a wire. The default is perfect: every beat is taken at once and arrives in the next cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireSettings {
    /// Seed of everything random.
    pub seed: u64,
    /// How fast each end may send; none: a beat in every cycle.
    pub rate: Option<Rate>,
    /// Bytes that a frame takes on the line besides its own: preamble, FCS and gap are 24. Counts with `rate` only.
    pub overhead: u32,
    /// Cycles from the last beat of a frame on one end to the first one on another.
    pub delay: u32,
    /// What an end sends comes back to it as well, as through a loop-back plug.
    pub loopback: bool,
    /// Random faults.
    pub chances: Chances,
    /// Most cycles by which a reordered or duplicated frame is late.
    pub span: u32,
    /// Frames on their way to an end or waiting at it, because its receiver is not ready; more are dropped and counted. The
    /// default is far more than a connection has in flight, and bounds what a flood takes of the machine's memory.
    pub queue: usize,
    /// Percent of cycles in which an end does not take a beat.
    pub stall: u8,
    /// Percent of cycles in which a beat for an end is held back.
    pub gap: u8,
    /// Frames that the log keeps.
    pub log_depth: usize,
}

impl Default for WireSettings {
    fn default() -> Self {
        Self {
            seed: 1,
            rate: None,
            overhead: 24,
            delay: 1,
            loopback: false,
            chances: Chances::default(),
            span: 2000,
            queue: 16_384,
            stall: 0,
            gap: 0,
            log_depth: 10_000,
        }
    }
}
