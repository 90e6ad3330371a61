//! Opcodes of the base transport header (BTH) of the reliable connection service, as they stand on the wire.

codes! {
    /// Opcode of a frame.
    pub enum Frame {
        /// SEND, first packet.
        SendFirst, SEND_FIRST = 0x00, "T12";
        /// SEND, middle packet.
        SendMiddle, SEND_MIDDLE = 0x01, "T12";
        /// SEND, last packet.
        SendLast, SEND_LAST = 0x02, "T12";
        /// SEND, last packet, with immediate data.
        SendLastImm, SEND_LAST_IMM = 0x03, "T12";
        /// SEND, only packet.
        SendOnly, SEND_ONLY = 0x04, "T12";
        /// SEND, only packet, with immediate data.
        SendOnlyImm, SEND_ONLY_IMM = 0x05, "T12";
        /// WRITE, first packet.
        WriteFirst, WRITE_FIRST = 0x06, "T12";
        /// WRITE, middle packet.
        WriteMiddle, WRITE_MIDDLE = 0x07, "T12";
        /// WRITE, last packet.
        WriteLast, WRITE_LAST = 0x08, "T12";
        /// WRITE, last packet, with immediate data.
        WriteLastImm, WRITE_LAST_IMM = 0x09, "T12";
        /// WRITE, only packet.
        WriteOnly, WRITE_ONLY = 0x0A, "T12";
        /// WRITE, only packet, with immediate data.
        WriteOnlyImm, WRITE_ONLY_IMM = 0x0B, "T12";
        /// READ request.
        ReadRequest, READ_REQUEST = 0x0C, "T15";
        /// READ response, first packet.
        ReadResponseFirst, READ_RESPONSE_FIRST = 0x0D, "T64";
        /// READ response, middle packet.
        ReadResponseMiddle, READ_RESPONSE_MIDDLE = 0x0E, "T64";
        /// READ response, last packet.
        ReadResponseLast, READ_RESPONSE_LAST = 0x0F, "T64";
        /// READ response, only packet.
        ReadResponseOnly, READ_RESPONSE_ONLY = 0x10, "T64";
        /// ACK, NAK or RNR NAK.
        Acknowledge, ACKNOWLEDGE = 0x11, "T60";
        /// Answer to an atomic.
        AtomicAcknowledge, ATOMIC_ACKNOWLEDGE = 0x12, "T66";
        /// Compare and swap.
        CompareSwap, COMPARE_SWAP = 0x13, "T66";
        /// Fetch and add.
        FetchAdd, FETCH_ADD = 0x14, "T66";
        /// SEND, last packet, that invalidates.
        SendLastInv, SEND_LAST_INV = 0x16, "C11";
        /// SEND, only packet, that invalidates.
        SendOnlyInv, SEND_ONLY_INV = 0x17, "C11";
    }
}
