//! Records of pieces.
use rust_hdl::prelude::*;

crate::record! {
    /// The part of a span that lies in one SGE: one question to the lookup, more where 4 KiB boundaries cut it (E9).
    Part, 176 {
        /// Virtual address.
        va: Bits<64>,
        /// Key.
        key: Bits<32>,
        /// Bytes: 1 to 4,096, of a check up to 2^31.
        length: Bits<32>,
        /// Protection domain of the queue pair.
        pd: Bits<24>,
        /// Access bits that are needed (E5).
        need: Bits<8>,
        /// The key is an rkey.
        remote: Bit,
        /// The queue pair may use the local DMA lkey (A26).
        privileged: Bit,
        /// Only a check: holds nothing and moves nothing.
        checks: Bit,
        /// There is nothing to ask: a span without bytes, or
        empty: Bit,
        /// a list that ended before its bytes.
        short: Bit,
        /// Last part of its span.
        last: Bit,
        /// Beats that are reserved for it, if anybody does.
        reserve: Bits<10>,
    }
}

crate::record! {
    /// A piece of a span on the bus: never across 4 KiB (E9).
    BusPiece, 142 {
        /// Bus address.
        address: Bits<52>,
        /// Bytes, 0 when there is nothing to move.
        bytes: Bits<13>,
        /// MR index of the hold.
        index: Bits<24>,
        /// A hold was granted: its end must be told (T98).
        held: Bit,
        /// The lookup was asked: `generation` counts.
        asked: Bit,
        /// 0, or why the lookup said no.
        syndrome: Bits<8>,
        /// Registration generation (C24).
        generation: Bits<32>,
        /// Last piece of its span.
        last: Bit,
        /// Beats reserved for its part, 0 unless it is the part's last piece.
        reserve: Bits<10>,
    }
}
