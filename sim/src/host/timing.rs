//! How fast and how orderly the host answers.

/// Delays in cycles and probabilities in percent. All random choices follow the run's seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the handshake of a read address to its first data beat, at least 1.
    pub read_latency: u32,
    /// Up to this is added to each read.
    pub read_jitter: u32,
    /// From the last data beat of a write to its response, at least 1. The data is visible in memory with the response.
    pub write_latency: u32,
    /// Up to this is added to each write.
    pub write_jitter: u32,
    /// Chance in a cycle that a ready (AR, AW, W, IRQ) is low.
    pub stall: u8,
    /// Chance in a cycle that a waiting response (R, B) is held back.
    pub gap: u8,
    /// Responses that are due may overtake each other across ids; within an id they never do.
    pub out_of_order: bool,
    /// Beats of reads of different ids may be mixed.
    pub interleave: bool,
}

impl Timing {
    /// A fast and orderly host.
    pub const CALM: Self = Self {
        read_latency: 20,
        read_jitter: 0,
        write_latency: 10,
        write_jitter: 0,
        stall: 0,
        gap: 0,
        out_of_order: false,
        interleave: false,
    };

    /// A host that does everything that AXI allows.
    pub const HARSH: Self = Self {
        read_latency: 30,
        read_jitter: 200,
        write_latency: 10,
        write_jitter: 100,
        stall: 30,
        gap: 20,
        out_of_order: true,
        interleave: true,
    };

    /// An orderly host with this read latency: for measurements.
    #[must_use]
    pub const fn latency(cycles: u32) -> Self {
        Self { read_latency: cycles, ..Self::CALM }
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self::CALM
    }
}
