//! Records inside the placer.
use rust_hdl::prelude::*;

/// Write clients of the placer: payload of requests (AXI id 2), data of READs and atomics (id 3), raw frames (id 5).
pub const SIDES: usize = 3;

record! {
    /// A piece of payload to move from the frame buffer to the bus; the last one of a job ends it.
    Placing, 111 {
        /// Bus address.
        address: Bits<52>,
        /// Bytes, 0: there is only the end of the job.
        bytes: Bits<13>,
        /// Row of the frame buffer with its first byte.
        row: Bits<12>,
        /// Lane of that byte.
        lane: Bits<6>,
        /// MR index of the hold.
        index: Bits<24>,
        /// Its hold ends when it is written (T98).
        held: Bit,
        /// Whose write it is (see [`SIDES`]).
        side: Bits<2>,
        /// Last of its job: the frame can go, the verdict is due.
        ends: Bit,
    }
}

record! {
    /// The rows of the frame buffer that a piece lies in, and where its bytes go.
    RowWork, 105 {
        /// First row.
        row: Bits<12>,
        /// Lane of the first byte there,
        lane: Bits<6>,
        /// and on the bus.
        target: Bits<6>,
        /// Bytes, 0: only the release.
        bytes: Bits<13>,
        /// Whose write it is (see [`SIDES`]).
        side: Bits<2>,
        /// The frame can go afterwards.
        ends: Bit,
        /// The bytes are those of `value`, not of a row.
        inline: Bit,
        /// Result of an atomic, least significant byte first.
        value: Bits<64>,
    }
}

record! {
    /// A burst whose B is awaited.
    BurstNote, 26 {
        /// MR index of the hold.
        index: Bits<24>,
        /// A hold ends with it.
        held: Bit,
        /// It is the last one of its job.
        ends: Bit,
    }
}

record! {
    /// What is done with a row that is read.
    Slot, 11 {
        /// A row is read.
        valid: Bit,
        /// It completes a beat.
        emits: Bit,
        /// Whose write it is (see [`SIDES`]).
        side: Bits<2>,
        /// The value stands for the row.
        inline: Bit,
        /// Lanes by which its bytes move up, modulo the bus.
        rotation: Bits<6>,
    }
}
