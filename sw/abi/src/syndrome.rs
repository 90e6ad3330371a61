//! Syndromes: which rule an error broke. In every error CQE, in the answer of PROBE, and as index of the error counters
//! (M3). Checks run in the order of the codes; the first hit wins.

codes! {
    /// Syndrome.
    ///
    /// ```
    /// # use rnic_abi::syndrome::Syndrome;
    /// let syndrome = Syndrome::AccBounds;
    /// assert_eq!((syndrome.code(), syndrome.name(), syndrome.rule()), (0x34, "ACC_BOUNDS", "E6"));
    /// assert_eq!(syndrome.description(), "Access: outside the region.");
    /// ```
    pub enum Syndrome {
        /// No error (or a flush, which has none).
        None, NONE = 0x00, "";
        /// Reserved bits, wrong number of blocks, too many inline pages, opcode not offered.
        WqeFormat, WQE_FORMAT = 0x01, "B1";
        /// Key index beyond the table, or of no region.
        KeyIndex, KEY_INDEX = 0x02, "B2";
        /// Key index 0.
        KeyReserved, KEY_RESERVED = 0x03, "B3";
        /// Region is of a type that cannot be registered or invalidated.
        MrType, MR_TYPE = 0x04, "B4";
        /// Protection domains of queue pair and region differ.
        MrPd, MR_PD = 0x05, "B5";
        /// Region is already registered.
        MrNotFree, MR_NOT_FREE = 0x06, "B6";
        /// Reserved: cannot appear, operations are judged one after another.
        MrBusy, MR_BUSY = 0x07, "B7";
        /// Undefined access bits, or remote write or atomic without local write.
        Access, ACCESS = 0x08, "B8, B9";
        /// Page size not offered.
        PageShift, PAGE_SHIFT = 0x09, "B10";
        /// No page, or more than the region's maximum.
        PlLen, PL_LEN = 0x0A, "B11";
        /// Length 0, or longer than the device allows.
        Length, LENGTH = 0x0B, "B12";
        /// Region wraps round the end of the address space.
        Wrap, WRAP = 0x0C, "B13";
        /// List too short for the length.
        Cover, COVER = 0x0D, "B14";
        /// First byte offset contradicts the address.
        Fbo, FBO = 0x0E, "B15";
        /// List address not aligned, or beyond the bus.
        PlAddr, PL_ADDR = 0x0F, "B16";
        /// List could not be read.
        PlFetch, PL_FETCH = 0x10, "B17";
        /// Page address not a multiple of the page size.
        PageAlign, PAGE_ALIGN = 0x11, "B18";
        /// Page beyond the bus.
        PageRange, PAGE_RANGE = 0x12, "B19";
        /// Invalidation: key byte is not the region's.
        InvKey, INV_KEY = 0x20, "C3";
        /// Invalidation: a memory window is bound; not offered, cannot appear.
        InvMwBound, INV_MW_BOUND = 0x21, "C5";
        /// Remote invalidation: not allowed for this region.
        InvNotAllowed, INV_NOT_ALLOWED = 0x22, "C12";
        /// Access: key is of no region, or not the region's.
        AccKey, ACC_KEY = 0x30, "E2";
        /// Access: protection domains differ.
        AccPd, ACC_PD = 0x31, "E3";
        /// Access: region is not VALID.
        AccState, ACC_STATE = 0x32, "E4";
        /// Access: a needed right is not granted.
        AccPerm, ACC_PERM = 0x33, "E5";
        /// Access: outside the region.
        AccBounds, ACC_BOUNDS = 0x34, "E6";
        /// Payload or WQE could not be read or written.
        PayloadBus, PAYLOAD_BUS = 0x40, "T72";
        /// No answer after all retries.
        Retry, RETRY = 0x50, "T72";
        /// No receive buffer at the peer after all retries.
        RnrRetry, RNR_RETRY = 0x51, "T72";
        /// Response with a wrong opcode.
        RespOpcode, RESP_OPCODE = 0x52, "T72";
        /// Response with a wrong length.
        RespLength, RESP_LENGTH = 0x53, "T72";
        /// The peer answered NAK 61, invalid request.
        Nak61, NAK_61 = 0x54, "T72";
        /// The peer answered NAK 62, remote access error.
        Nak62, NAK_62 = 0x55, "T72";
        /// The peer answered NAK 63, remote operational error.
        Nak63, NAK_63 = 0x56, "T72";
        /// The WQE changed while it was posted.
        WqeChanged, WQE_CHANGED = 0x57, "T72";
        /// Request out of its message's sequence.
        OpcodeOrder, OPCODE_ORDER = 0x58, "T72";
        /// Packet with a wrong length.
        PktLength, PKT_LENGTH = 0x59, "T72";
        /// The queue pair's access flags forbid the request.
        QpFlags, QP_FLAGS = 0x5A, "T72";
        /// More READs and atomics than agreed.
        RdOverflow, RD_OVERFLOW = 0x5B, "T72";
        /// Atomic at an address that is not a multiple of 8.
        AtomicAlign, ATOMIC_ALIGN = 0x5C, "T72";
        /// Message longer than the receive buffer.
        RecvTooSmall, RECV_TOO_SMALL = 0x5D, "T72";
    }
}

/// Counters in the BAR; syndromes are below this.
pub const COUNT: u32 = 0x80;
