//! What frames are made of inside the MAC.
use rust_hdl::prelude::*;

crate::record! {
    /// A byte of a frame, without preamble and FCS.
    FrameByte, 9 {
        /// The byte.
        data: Bits<8>,
        /// Last of its frame.
        last: Bit,
    }
}

crate::record! {
    /// Eight bytes of a frame, the first one in the lowest lane. 69 bits: two block RAMs of an ECP5 hold 512 words, which
    /// eight bits of `tkeep` would exceed.
    MacWord, 69 {
        /// Bytes; those behind the last byte of a frame may be anything.
        data: Bits<64>,
        /// Bytes that count, less 1: 7 but in the last word of a frame.
        count_less_1: Bits<3>,
        /// Last of its frame.
        last: Bit,
        /// The frame is bad; counts in its last word.
        bad: Bit,
    }
}
