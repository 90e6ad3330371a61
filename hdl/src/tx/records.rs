//! Records on the way from a span of memory to bus addresses, and to the frame builder.
use rust_hdl::prelude::*;

record! {
    /// A frame that the gather could not complete.
    GatherFailure, 72 {
        /// Of the frame.
        tag: Bits<32>,
        /// Index of the queue pair.
        qp: Bits<8>,
        /// PSN of the frame.
        psn: Bits<24>,
        /// 30 to 34 of the lookup, or 40.
        syndrome: Bits<8>,
    }
}

record! {
    /// Whose frame it is.
    FrameNote, 64 {
        /// Of the frame.
        tag: Bits<32>,
        /// Index of the queue pair.
        qp: Bits<8>,
        /// PSN of the frame.
        psn: Bits<24>,
    }
}

record! {
    /// Generation that all lookups of a frame must answer (C24).
    GenerationNote, 33 {
        /// It counts.
        same: Bit,
        /// The generation.
        generation: Bits<32>,
    }
}

record! {
    /// A piece whose beats are on their way.
    ReadPiece, 35 {
        /// Beats - 1.
        more: Bits<9>,
        /// MR index.
        index: Bits<24>,
        /// Its hold ends with the last beat.
        held: Bit,
        /// It is the first of its frame.
        begins: Bit,
    }
}

record! {
    /// What the payload stream says about the beats of a piece.
    StreamPiece, 39 {
        /// Lane of the first byte.
        lane: Bits<6>,
        /// Bytes of the first beat.
        first_count: Bits<7>,
        /// Bytes of the last of several beats.
        last_count: Bits<7>,
        /// Beats - 1.
        more: Bits<9>,
        /// Last piece of its frame.
        last: Bit,
        /// Not 0: it has no beats, the frame has failed.
        syndrome: Bits<8>,
        /// It has no beats, the frame has no payload.
        nothing: Bit,
    }
}
