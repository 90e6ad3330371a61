//! Records and constants that pass between the blocks of the link.
use rust_hdl::prelude::*;

/// What stands in the body of a frame to send, as [`SendOrder::content`].
pub mod body {
    /// No body.
    pub const NONE: u8 = 0;
    /// A TLP of the retry buffer.
    pub const TLP: u8 = 1;
    /// What the session agreed on.
    pub const OPENED: u8 = 2;
    /// The build id.
    pub const BUILD: u8 = 3;
    /// Why the session ends.
    pub const REASON: u8 = 4;
}

crate::record! {
    /// A beat of a frame.
    FrameBeat, 68 {
        /// Bytes, the first one in the lowest lane.
        data: Bits<64>,
        /// The lower DW is whole.
        low: Bit,
        /// The upper DW is whole.
        high: Bit,
        /// Last beat.
        last: Bit,
        /// The frame is bad; counts in its last beat.
        bad: Bit,
    }
}

crate::record! {
    /// A beat of a TLP.
    TlpBeat, 66 {
        /// Two DW, byte 0 on the wire in bits 7:0.
        data: Bits<64>,
        /// Only the lower DW counts.
        half: Bit,
        /// Last beat.
        last: Bit,
    }
}

crate::record! {
    /// A beat of a TLP of the bridge.
    ClassedBeat, 68 {
        /// Two DW, byte 0 on the wire in bits 7:0.
        data: Bits<64>,
        /// Only the lower DW counts.
        half: Bit,
        /// Last beat.
        last: Bit,
        /// The TLP is damaged; counts in the last beat.
        bad: Bit,
        /// The TLP is posted.
        posted: Bit,
    }
}

crate::record! {
    /// A beat of a received TLP that waits for the bridge.
    QueuedBeat, 69 {
        /// Two DW.
        data: Bits<64>,
        /// Only the lower DW counts.
        half: Bit,
        /// Last beat.
        last: Bit,
        /// The TLP hits BAR0; counts in the second beat.
        hits: Bit,
        /// The TLP is posted, no completion.
        posted: Bit,
        /// No beat: a non-posted TLP was accepted here.
        mark: Bit,
    }
}

crate::record! {
    /// What is kept of the header of a received frame.
    FrameHead, 166 {
        /// MAC address of the sender.
        source: Bits<48>,
        /// Type.
        kind: Bits<4>,
        /// The sender wants to know the limits (rule LK15).
        tells: Bit,
        /// DW of the body.
        dwords: Bits<14>,
        /// Session.
        session: Bits<32>,
        /// Sequence number.
        sequence: Bits<16>,
        /// Next sequence number that the sender expects.
        ack: Bits<16>,
        /// Posted TLPs that this end may have sent.
        posted_limit: Bits<16>,
        /// Non-posted ones.
        nonposted_limit: Bits<16>,
        /// The body is a posted TLP.
        posted: Bit,
        /// It is a completion.
        completion: Bit,
        /// The format is kept (LK2), FCS and destination included.
        sound: Bit,
    }
}

crate::record! {
    /// What a received frame means; at most one of the bits up to `no_room` is set.
    Verdict, 15 {
        /// It breaks the format (LK2).
        unsound: Bit,
        /// It opens a session.
        opens: Bit,
        /// It opens the session that is open.
        reopens: Bit,
        /// It is a late copy of the OPEN of the session before, or of a type that a device does not serve.
        ignored: Bit,
        /// It wants to open a session while another host has one.
        refused: Bit,
        /// It belongs to a session that does not exist.
        stray: Bit,
        /// Its ack is outside of the window (LK7).
        outside: Bit,
        /// It ends the session.
        closes: Bit,
        /// Its TLP is the next one.
        accepted: Bit,
        /// Its TLP has come before.
        duplicate: Bit,
        /// A TLP before it is missing.
        gap: Bit,
        /// Its TLP exceeds the limit of its class (LK13).
        overrun: Bit,
        /// There is no room for its TLP: it comes again.
        no_room: Bit,
        /// It is a valid frame of the session: its ack and its limits count.
        valid: Bit,
        /// It is a NAK.
        nak: Bit,
    }
}

crate::record! {
    /// What the host has set with OPEN.
    OpenBody, 86 {
        /// Requester and completer id of the device.
        device_id: Bits<16>,
        /// MPS as in Device Control.
        mps: Bits<3>,
        /// MRRS, likewise.
        mrrs: Bits<3>,
        /// Upper 48 bits of the address of BAR0.
        bar: Bits<48>,
        /// Keep-alive in milliseconds.
        keep_alive: Bits<16>,
    }
}

crate::record! {
    /// A frame to send.
    SendOrder, 108 {
        /// Destination.
        destination: Bits<48>,
        /// Type.
        kind: Bits<4>,
        /// Flag: the TLP has been sent before.
        resent: Bit,
        /// Flag: the peer is to tell its limits.
        tells: Bit,
        /// Session.
        session: Bits<32>,
        /// Sequence number.
        sequence: Bits<16>,
        /// One of [`body`].
        content: Bits<3>,
        /// Reason of CLOSE.
        reason: Bits<2>,
        /// It speaks for the session: ack and limits are in it, else 0.
        speaks: Bit,
    }
}

crate::record! {
    /// A frame that is sent once, whatever becomes of the session: REFUSED, NO_SESSION, CLOSE.
    Notice, 86 {
        /// Destination.
        destination: Bits<48>,
        /// Type.
        kind: Bits<4>,
        /// Session that it names.
        session: Bits<32>,
        /// Reason of CLOSE.
        reason: Bits<2>,
    }
}

crate::record! {
    /// A TLP in the retry buffer.
    RetryEntry, 20 {
        /// Its first word.
        start: Bits<10>,
        /// DW.
        dwords: Bits<10>,
    }
}
