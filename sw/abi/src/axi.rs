//! AXI ids of `m_axi`, one a client of host memory.

described! {
    /// Read ids.
    READ_IDS: u8;
    /// Send-queue WQEs.
    READ_SQ_WQE = 0;
    /// Receive WQEs.
    READ_RECEIVE_WQE = 1;
    /// Page lists of REG_MR.
    READ_PAGE_LIST = 2;
    /// Payload of READ responses.
    READ_RESPONSE = 3;
    /// Operands of remote atomics.
    READ_ATOMIC = 4;
    /// Raw rings and their frames.
    READ_RAW = 5;
    /// Payload gather. The core issues this one only; 9 to 15 are kept for it.
    READ_GATHER = 8;
}

described! {
    /// Write ids.
    WRITE_IDS: u8;
    /// CQEs.
    WRITE_CQE = 0;
    /// Events.
    WRITE_EVENT = 1;
    /// Payload of received SEND and WRITE.
    WRITE_PAYLOAD = 2;
    /// READ data into the sink.
    WRITE_READ_DATA = 3;
    /// Atomics, and atomic results into the sink.
    WRITE_ATOMIC = 4;
    /// Raw rings and their frames.
    WRITE_RAW = 5;
}

/// Read clients, each with a reserved share of the reads in flight (I8).
pub const READ_CLIENTS: u32 = 7;
/// Beats of a burst at most.
pub const MAX_BEATS: u32 = 256;
/// No burst crosses a multiple of this, in bytes.
pub const BOUNDARY: u64 = 4096;
