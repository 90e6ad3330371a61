//! The bridge's half of BAR0 (rule BA5) and its limits.

/// MSI-X table: 16 bytes a vector.
pub const MSIX_TABLE: u16 = 0x8000;
/// Vectors of the table.
pub const VECTORS: usize = 32;
/// MSI-X pending bits, one a vector.
pub const MSIX_PENDING: u16 = 0xC000;
/// Bridge status.
pub const STATUS: u16 = 0xE000;
/// First counter; one a word.
pub const COUNTERS: u16 = 0xE004;

/// Status bit: all read tags are retired, every DMA read fails until the bridge is reset (rule RD7).
pub const STATUS_FATAL: u32 = 0;
/// Status bit: the link is up.
pub const STATUS_LINK: u32 = 1;
/// Status bit: bus mastering is enabled.
pub const STATUS_MASTER: u32 = 2;

described! {
    /// Counters by number; 16 bits, they stop at the largest value.
    COUNTER_NAMES: u32;
    /// TLPs that break the format (TL6).
    TLP_MALFORMED = 0;
    /// Posted TLPs that nothing takes (TL7).
    TLP_UNSUPPORTED = 1;
    /// Poisoned memory writes (TL8).
    TLP_POISONED = 2;
    /// Memory writes of more than 16 DW (BA2).
    BAR_TOO_LONG = 3;
    /// Writes that a register refused (BA3).
    BAR_WRITE_ERROR = 4;
    /// Completions that nobody waits for (RD3).
    CPL_UNEXPECTED = 5;
    /// Reads whose completion did not come in time (RD7).
    CPL_TIMEOUT = 6;
    /// DMA writes with a hole in their strobes (WR2).
    WRITE_HOLE = 7;
}

/// Number of counters.
pub const COUNTER_COUNT: usize = 8;
/// DW that one BAR access moves at most (BA1).
pub const BAR_DWORDS: u32 = 16;
/// Read tags, one slot of `MAX_READ` bytes each (RD2).
pub const TAGS: usize = 8;
/// Largest read request that the bridge sends, bytes.
pub const MAX_READ: u32 = 512;
/// Largest payload that the bridge sends or takes, bytes.
pub const MAX_PAYLOAD: u32 = 512;
