//! Limits that all presets share.

described! {
    /// Numbers of things, and their logarithms.
    COUNTS: u32;
    /// Log2 of the smallest page size, in bytes.
    PAGE_SHIFT_MIN = 12;
    /// Log2 of the largest page size, in bytes.
    PAGE_SHIFT_MAX = 21;
    /// Pages that a REG_MR may carry in the WQE itself.
    MAX_INLINE = 4;
    /// SGEs of a work request at most.
    MAX_SGE = 4;
    /// Log2 of the longest message, in bytes (T10).
    MESSAGE_LOG2_MAX = 31;
    /// Bits of a bus address.
    DMA_ADDR_WIDTH = 52;
    /// Bits of a page-buffer entry: a frame number of 4 KiB units.
    FRAME_NUMBER_BITS = DMA_ADDR_WIDTH - PAGE_SHIFT_MIN;
    /// Interrupt vectors.
    VECTORS = 8;
    /// Log2 of the smallest send or receive ring, in slots.
    SQ_LOG2_MIN = 2;
    /// Log2 of the largest send ring, in slots.
    SQ_LOG2_MAX = 15;
    /// Log2 of the largest receive ring, in slots.
    RQ_LOG2_MAX = 15;
    /// Log2 of the smallest completion ring, in entries.
    CQ_LOG2_MIN = 2;
    /// Log2 of the largest completion ring, in entries.
    CQ_LOG2_MAX = 16;
    /// Log2 of the smallest event or raw ring, in entries.
    EVENT_LOG2_MIN = 4;
    /// Log2 of the largest event or raw ring, in entries.
    EVENT_LOG2_MAX = 12;
    /// Base and size of a region's page-buffer range are multiples of this, in entries.
    PAGE_RANGE_UNIT = 8;
    /// Log2 of the largest page, times the longest list, is the longest region: `max_mr_len = MAX_PL << 21`.
    MR_LEN_SHIFT = PAGE_SHIFT_MAX;
    /// The local DMA lkey: index 0, and not 0 itself, so that a zeroed SGE faults (A26).
    LOCAL_DMA_LKEY = 0xFF;
    /// A drain that takes more cycles than this ends in ETIMEDOUT or a DEVICE_FATAL event (C9, A17).
    DRAIN_MAX = 1 << 20;
    /// PD numbers are below this (A4).
    PD_LIMIT = 1 << 24;
    /// Queue pair numbers are below this; 0 and 1 are not used (T5).
    QPN_LIMIT = 1 << 24;
    /// In-flight accesses that one MR can count; a full count stalls the lookup (M1).
    IN_FLIGHT_BITS = 12;
    /// Own network addresses.
    OWN_ADDRESSES = 8;
    /// Every access of `s_axil` ends within this many cycles.
    BAR_CYCLES = 64;
    /// The reset port must be held this long, in cycles.
    RESET_CYCLES = 16;
    /// Reset value of WINDOW, in PSNs (T18).
    WINDOW_DEFAULT = 1024;
    /// Smallest WINDOW (T18).
    WINDOW_MIN = 2;
    /// Largest WINDOW (T18).
    WINDOW_MAX = 65_536;
}

described! {
    /// Sizes in bytes, and masks of them.
    SIZES: u64;
    /// Page sizes that REG_MR takes: bit n means 2^n bytes (A3).
    PAGE_SIZE_CAP = (1 << (PAGE_SHIFT_MAX + 1)) - (1 << PAGE_SHIFT_MIN);
    /// Bytes of the longest message (T10).
    MESSAGE_MAX = 1 << MESSAGE_LOG2_MAX;
    /// First bus address that does not exist.
    DMA_LIMIT = 1 << DMA_ADDR_WIDTH;
    /// Alignment of every ring, in bytes.
    RING_ALIGN = 4096;
    /// Alignment of a page list, in bytes (B16).
    PAGE_LIST_ALIGN = 64;
    /// Bytes of a page-list entry (M2).
    PAGE_LIST_ENTRY = 8;
}

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
