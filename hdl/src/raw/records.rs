//! Records of the raw rings.
use rust_hdl::prelude::*;

record! {
    /// What the host tells of a ring.
    RawSettings, 60 {
        /// Base in units of 4 KiB.
        base: Bits<40>,
        /// Log2 of its descriptors, 0 for no ring.
        log2: Bits<4>,
        /// Free-running count of descriptors posted.
        producer: Bits<16>,
    }
}

record! {
    /// A descriptor as it was read, and where it is written back.
    RawDescriptor, 182 {
        /// Bus address of the buffer.
        address: Bits<64>,
        /// Bytes of the buffer.
        length: Bits<32>,
        /// Flags.
        flags: Bits<32>,
        /// It could not be read: the fields above mean nothing.
        failed: Bit,
        /// Bus address of the descriptor.
        place: Bits<52>,
        /// Phase of this round of the ring.
        phase: Bit,
    }
}

record! {
    /// A descriptor to write back.
    RawNote, 72 {
        /// Bus address of the descriptor.
        place: Bits<52>,
        /// Bytes of the frame.
        bytes: Bits<13>,
        /// Lowest flags, as far as they are known.
        flags: Bits<5>,
        /// Phase of this round of the ring.
        phase: Bit,
        /// The frame is still being written.
        waits: Bit,
    }
}

record! {
    /// A frame to read from memory.
    RawFetch, 20 {
        /// Lane of its first byte on the bus.
        lane: Bits<6>,
        /// Bytes.
        bytes: Bits<13>,
        /// It gets an ICRC.
        icrc: Bit,
    }
}
