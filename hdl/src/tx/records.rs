//! Records on the way from a span of memory to bus addresses, and to the frame builder.
use rust_hdl::prelude::*;

record! {
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

record! {
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
    ReadPiece, 34 {
        /// Beats - 1.
        more: Bits<9>,
        /// MR index.
        index: Bits<24>,
        /// Its hold ends with the last beat.
        held: Bit,
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
