//! Records that pass between the blocks of the DMA engines.
use rust_hdl::prelude::*;

crate::record! {
    /// One read burst: never more than 256 beats, never across 4 KiB.
    ReadBurst, 60 {
        /// Bus address of the first byte; any alignment.
        address: Bits<52>,
        /// Beats - 1, as ARLEN.
        last: Bits<8>,
    }
}

crate::record! {
    /// One write burst whose beats are all buffered.
    WriteBurst, 72 {
        /// Bus address of the first byte.
        address: Bits<52>,
        /// Beats - 1, as AWLEN.
        last: Bits<8>,
        /// Lane of the first byte in the first beat.
        first_lane: Bits<6>,
        /// Lanes above the last byte in the last beat.
        spare_lanes: Bits<6>,
    }
}
