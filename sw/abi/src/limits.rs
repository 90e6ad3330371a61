//! Limits that all presets share.

/// Log2 of the smallest page size, in bytes.
pub const PAGE_SHIFT_MIN: u32 = 12;
/// Log2 of the largest page size, in bytes.
pub const PAGE_SHIFT_MAX: u32 = 21;
/// Page sizes that REG_MR takes: bit n means 2^n bytes (A3).
pub const PAGE_SIZE_CAP: u64 = (1 << (PAGE_SHIFT_MAX + 1)) - (1 << PAGE_SHIFT_MIN);
/// Pages that a REG_MR may carry in the WQE itself.
pub const MAX_INLINE: u32 = 4;
/// SGEs of a work request at most.
pub const MAX_SGE: u32 = 4;
/// Bits of a bus address.
pub const DMA_ADDR_WIDTH: u32 = 52;
/// First bus address that does not exist.
pub const DMA_LIMIT: u64 = 1 << DMA_ADDR_WIDTH;
/// Bits of a page-buffer entry: a frame number of 4 KiB units.
pub const FRAME_NUMBER_BITS: u32 = DMA_ADDR_WIDTH - PAGE_SHIFT_MIN;
/// Interrupt vectors.
pub const VECTORS: u32 = 8;
/// Log2 of the smallest send or receive ring, in slots.
pub const SQ_LOG2_MIN: u32 = 2;
/// Log2 of the largest send ring, in slots.
pub const SQ_LOG2_MAX: u32 = 15;
/// Log2 of the largest receive ring, in slots.
pub const RQ_LOG2_MAX: u32 = 15;
/// Log2 of the smallest completion ring, in entries.
pub const CQ_LOG2_MIN: u32 = 2;
/// Log2 of the largest completion ring, in entries.
pub const CQ_LOG2_MAX: u32 = 16;
/// Log2 of the smallest event or raw ring, in entries.
pub const EVENT_LOG2_MIN: u32 = 4;
/// Log2 of the largest event or raw ring, in entries.
pub const EVENT_LOG2_MAX: u32 = 12;
/// Alignment of every ring, in bytes.
pub const RING_ALIGN: u64 = 4096;
/// Alignment of a page list, in bytes (B16).
pub const PAGE_LIST_ALIGN: u64 = 64;
/// Bytes of a page-list entry (M2).
pub const PAGE_LIST_ENTRY: u64 = 8;
/// Base and size of a region's page-buffer range are multiples of this, in entries.
pub const PAGE_RANGE_UNIT: u32 = 8;
/// Log2 of the largest page, times the longest list, is the longest region: `max_mr_len = MAX_PL << 21`.
pub const MR_LEN_SHIFT: u32 = PAGE_SHIFT_MAX;
/// The local DMA lkey: index 0, and not 0 itself, so that a zeroed SGE faults (A26).
pub const LOCAL_DMA_LKEY: u32 = 0xFF;
/// A drain that takes more cycles than this ends in ETIMEDOUT or a DEVICE_FATAL event (C9, A17).
pub const DRAIN_MAX: u32 = 1 << 20;
/// PD numbers are below this (A4).
pub const PD_LIMIT: u32 = 1 << 24;
/// Queue pair numbers are below this; 0 and 1 are not used (T5).
pub const QPN_LIMIT: u32 = 1 << 24;
/// In-flight accesses that one MR can count; a full count stalls the lookup (M1).
pub const IN_FLIGHT_BITS: u32 = 12;
/// Own network addresses.
pub const OWN_ADDRESSES: u32 = 8;
/// Every access of `s_axil` ends within this many cycles.
pub const BAR_CYCLES: u32 = 64;
/// The reset port must be held this long, in cycles.
pub const RESET_CYCLES: u32 = 16;
/// Reset value of WINDOW, in PSNs (T18).
pub const WINDOW_DEFAULT: u32 = 1024;
/// Smallest WINDOW (T18).
pub const WINDOW_MIN: u32 = 2;
/// Largest WINDOW (T18).
pub const WINDOW_MAX: u32 = 65_536;

/// Reset value of TICK: cycles of 1.024 us in 16.16 fixed point (T79); 256 cycles at 250 MHz.
pub const fn tick(core_khz: u32) -> u32 {
    (core_khz as u64 * 1024 * 65_536 / 1_000_000) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_ten_page_sizes_from_4_kib_to_2_mib() {
        assert_eq!(PAGE_SIZE_CAP, 0x3F_F000);
        assert_eq!(PAGE_SIZE_CAP.count_ones(), 10);
    }

    #[test]
    fn tick_is_1024_nanoseconds() {
        assert_eq!(tick(250_000), 256 << 16);
        assert_eq!(tick(50_000), 51 << 16 | 13_107);
    }
}
