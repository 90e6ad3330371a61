//! Why something was dropped: index of the drop counters of the BAR. Nothing is dropped without being counted (I9).

codes! {
    /// Reason of a drop.
    pub enum Drop {
        /// Doorbell while the device was not ready or not enabled.
        DoorbellDisabled, DOORBELL_DISABLED = 0x00, "I9";
        /// Event lost because the event ring was full; STATUS shows it too.
        EventRingFull, EVENT_RING_FULL = 0x01, "T76";
        /// Event lost because there is no event ring, or its write failed.
        EventNoRing, EVENT_NO_RING = 0x02, "T76";
        /// SQ doorbell of an index without a queue pair.
        SqDoorbellIndex, SQ_DOORBELL_INDEX = 0x08, "T4";
        /// SQ doorbell while the queue pair was in RESET, INIT or RTR.
        SqDoorbellState, SQ_DOORBELL_STATE = 0x09, "B23";
        /// SQ doorbell that would make more slots pending than the ring has.
        SqDoorbellCount, SQ_DOORBELL_COUNT = 0x0A, "T4";
        /// SQ doorbell with reserved bits set.
        SqDoorbellValue, SQ_DOORBELL_VALUE = 0x0B, "I9";
        /// RQ doorbell of an index without a queue pair.
        RqDoorbellIndex, RQ_DOORBELL_INDEX = 0x10, "T4";
        /// RQ doorbell while the queue pair was in RESET.
        RqDoorbellState, RQ_DOORBELL_STATE = 0x11, "T4";
        /// RQ doorbell that would make more slots pending than the ring has.
        RqDoorbellCount, RQ_DOORBELL_COUNT = 0x12, "T4";
        /// RQ doorbell with reserved bits set.
        RqDoorbellValue, RQ_DOORBELL_VALUE = 0x13, "I9";
        /// CQ doorbell of an index without a completion queue.
        CqDoorbellIndex, CQ_DOORBELL_INDEX = 0x18, "I9";
        /// CQ doorbell that consumes more CQEs than were produced.
        CqDoorbellCount, CQ_DOORBELL_COUNT = 0x19, "I9";
        /// CQ doorbell with reserved bits set.
        CqDoorbellValue, CQ_DOORBELL_VALUE = 0x1A, "I9";
        /// CQE swallowed because its completion queue has failed before.
        CqeFailed, CQE_FAILED = 0x1B, "T78";
        /// Frame while the device was not enabled.
        FrameDisabled, FRAME_DISABLED = 0x20, "I9";
        /// Frame too short, or marked bad by the MAC.
        FrameBad, FRAME_BAD = 0x21, "T89";
        /// Frame longer than the largest legal one.
        FrameLong, FRAME_LONG = 0x22, "T89";
        /// Frame to another MAC address.
        FrameMac, FRAME_MAC = 0x23, "T89";
        /// IP or UDP length that contradicts the frame.
        FrameLength, FRAME_LENGTH = 0x24, "T88";
        /// IPv4 header checksum wrong.
        FrameChecksum, FRAME_CHECKSUM = 0x25, "T89";
        /// ICRC wrong.
        FrameIcrc, FRAME_ICRC = 0x26, "G12";
        /// Transport version not 0.
        FrameVersion, FRAME_VERSION = 0x27, "G13";
        /// Opcode of another transport service.
        FrameService, FRAME_SERVICE = 0x28, "T89";
        /// Congestion notification.
        FrameCongestion, FRAME_CONGESTION = 0x29, "T89";
        /// Reserved opcode of the RC range.
        FrameOpcode, FRAME_OPCODE = 0x2A, "T90";
        /// Negative payload length.
        FramePayload, FRAME_PAYLOAD = 0x2B, "T92";
        /// No room in the receive buffer while DROP_WHEN_FULL is set.
        FrameFull, FRAME_FULL = 0x2C, "T107";
        /// Frame for the raw ring without a receive buffer there.
        RawEmpty, RAW_EMPTY = 0x2D, "T95";
        /// Raw descriptor whose write back met a bus error: the host waits for it in vain.
        RawLost, RAW_LOST = 0x2E, "T95";
        /// Unknown or stale queue pair number.
        QpUnknown, QP_UNKNOWN = 0x30, "T91";
        /// Queue pair is being closed.
        QpClosed, QP_CLOSED = 0x31, "T91";
        /// State of the queue pair does not take this frame.
        QpState, QP_STATE = 0x32, "T3";
        /// Partition key does not match.
        QpPkey, QP_PKEY = 0x33, "T91";
        /// Source address is not the peer's.
        QpAddress, QP_ADDRESS = 0x34, "T91";
        /// VLAN id is not the queue pair's.
        QpVlan, QP_VLAN = 0x35, "T91";
        /// PSN ahead of the expected one.
        PsnAhead, PSN_AHEAD = 0x38, "T51";
        /// Duplicate READ whose check fails now, or for which there is no room.
        DuplicateRead, DUPLICATE_READ = 0x39, "C23";
        /// Duplicate atomic whose result is no longer kept.
        DuplicateAtomic, DUPLICATE_ATOMIC = 0x3A, "T54";
        /// Response that answers nothing outstanding.
        ResponseStray, RESPONSE_STRAY = 0x3B, "G13";
    }
}

/// Counters in the BAR; reasons are below this.
pub const COUNT: u32 = 0x80;
