//! Records and constants that pass between the blocks of the bridge.
use rust_hdl::prelude::*;

/// Kinds of a received TLP, as [`TlpHead::kind`].
pub mod kind {
    /// Memory write.
    pub const WRITE: u8 = 0;
    /// Memory read.
    pub const READ: u8 = 1;
    /// Completion, with or without data.
    pub const COMPLETION: u8 = 2;
    /// Message: dropped in silence (TL7).
    pub const MESSAGE: u8 = 3;
    /// Non-posted request that the bridge does not serve, completer answers UR (TL7).
    pub const UNSERVED: u8 = 4;
    /// The same for IO and configuration, whose completions say byte count 4 and lower address 0.
    pub const UNSERVED_WORD: u8 = 5;
    /// No TLP at all (TL6).
    pub const MALFORMED: u8 = 6;
}

/// Completion status.
pub mod status {
    /// Successful completion.
    pub const SC: u8 = 0;
    /// Unsupported request.
    pub const UR: u8 = 1;
    /// Completer abort.
    pub const CA: u8 = 4;
}

/// AXI responses.
pub mod resp {
    /// OKAY.
    pub const OKAY: u8 = 0;
    /// SLVERR.
    pub const SLVERR: u8 = 2;
    /// DECERR.
    pub const DECERR: u8 = 3;
}

/// Payload queues of the transmitter, as [`TlpHeader::queue`].
pub mod queue {
    /// DMA writes.
    pub const WRITES: u8 = 0;
    /// BAR completions.
    pub const ANSWERS: u8 = 1;
    /// Interrupts.
    pub const INTERRUPTS: u8 = 2;
}

crate::record! {
    /// A beat of the TLP stream; byte 0 on the wire in bits 7:0.
    StreamBeat, 68 {
        /// Two DW.
        data: Bits<64>,
        /// Only the lower DW counts (tkeep 0F).
        half: Bit,
        /// Last beat of its TLP.
        last: Bit,
        /// Received: BAR0 is hit; counts in the second beat.
        hits: Bit,
        /// The lower side knows that the TLP is damaged; counts in the last beat.
        broken: Bit,
    }
}

crate::record! {
    /// Payload of a received TLP in one beat.
    PayloadBeat, 66 {
        /// Two DW in address order.
        data: Bits<64>,
        /// The lower DW is payload.
        low: Bit,
        /// The upper DW is payload.
        high: Bit,
    }
}

crate::record! {
    /// What the bridge keeps of a received header; the fields of the other kind of TLP are meaningless.
    TlpHead, 100 {
        /// One of [`kind`].
        kind: Bits<3>,
        /// DW, 1 to 1024.
        length: Bits<11>,
        /// There is payload.
        data: Bit,
        /// EP.
        poisoned: Bit,
        /// Requester id of a request.
        requester: Bits<16>,
        /// Tag of a request.
        tag: Bits<8>,
        /// Byte enables of the first DW.
        first: Bits<4>,
        /// Byte enables of the last DW.
        last: Bits<4>,
        /// Offset in BAR0.
        address: Bits<16>,
        /// The request hits BAR0.
        hits: Bit,
        /// Status of a completion.
        status: Bits<3>,
        /// Bytes that are still to come, this completion included, modulo 4096.
        byte_count: Bits<12>,
        /// The requester id that a completion returns is the bridge's own.
        returns: Bit,
        /// Tag that it returns.
        return_tag: Bits<8>,
        /// Lower address.
        lower: Bits<7>,
        /// Two lowest bits of the lower address: bytes of the first DW that do not count.
        lower_lane: Bits<2>,
        /// A completion of the locked kind, which nobody asked for.
        locked: Bit,
        /// More DW than the bridge serves (BA2).
        too_long: Bit,
    }
}

crate::record! {
    /// A TLP to send: its header, and where its payload waits.
    TlpHeader, 133 {
        /// DW 0.
        dw0: Bits<32>,
        /// DW 1.
        dw1: Bits<32>,
        /// DW 2.
        dw2: Bits<32>,
        /// DW 3, of a 4-DW header.
        dw3: Bits<32>,
        /// The header has 4 DW.
        long: Bit,
        /// There is payload.
        data: Bit,
        /// The payload begins in the upper half of its first beat.
        upper: Bit,
        /// One of [`queue`].
        queue: Bits<2>,
    }
}

crate::record! {
    /// A write to BAR0 whose payload is stored.
    BarWrite, 29 {
        /// Offset of the first DW.
        address: Bits<16>,
        /// DW, 1 to 16.
        length: Bits<5>,
        /// Byte enables of the first DW.
        first: Bits<4>,
        /// Byte enables of the last DW, 0 when there is only one.
        last: Bits<4>,
    }
}

crate::record! {
    /// A request to answer.
    BarRequest, 63 {
        /// Offset of the first DW.
        address: Bits<16>,
        /// DW, 1 to 1024.
        length: Bits<11>,
        /// Byte enables of the first DW.
        first: Bits<4>,
        /// Byte enables of the last DW, 0 when there is only one.
        last: Bits<4>,
        /// Who asks.
        requester: Bits<16>,
        /// Tag.
        tag: Bits<8>,
        /// Status of the answer if it is known: then nothing is accessed.
        verdict: Bits<3>,
        /// Not a memory request: byte count 4, lower address 0.
        word: Bit,
    }
}

crate::record! {
    /// A part of a read burst that one request covers.
    ReadPiece, 75 {
        /// Bus address of the first byte.
        address: Bits<64>,
        /// Beats - 1.
        more: Bits<6>,
        /// AXI id.
        id: Bits<4>,
        /// Last piece of its burst.
        last: Bit,
    }
}

crate::record! {
    /// A piece whose beats are owed to R.
    OwedPiece, 21 {
        /// Slot.
        tag: Bits<3>,
        /// Nothing was asked for: all beats are SLVERR.
        refused: Bit,
        /// First beat in the slot.
        beat: Bits<6>,
        /// Beats - 1.
        more: Bits<6>,
        /// AXI id.
        id: Bits<4>,
        /// Last piece of its burst.
        last: Bit,
    }
}
