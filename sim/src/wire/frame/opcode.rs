//! BTH opcodes and the extension headers that follow from them (section G of the registration rules).

/// Extension headers in the order in which they stand in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// Datagram: queue key and source queue pair.
    Deth,
    /// RDMA: remote address, key, length.
    Reth,
    /// Acknowledge: syndrome and MSN.
    Aeth,
    /// Atomic: remote address, key, operands.
    AtomicEth,
    /// The value before an atomic.
    AtomicAckEth,
    /// Immediate data.
    ImmDt,
    /// Key to invalidate.
    Ieth,
}

impl Extension {
    /// Bytes of the header.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Deth | Self::AtomicAckEth => 8,
            Self::Reth => 16,
            Self::AtomicEth => 28,
            Self::Aeth | Self::ImmDt | Self::Ieth => 4,
        }
    }
}

use Extension::{Aeth, AtomicAckEth, AtomicEth, Deth, Ieth, ImmDt, Reth};

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal [$($extension:ident)*];)+) => {
        $($(#[doc = $doc])+ pub const $name: u8 = $code;)+

        /// Opcodes of reliable connections: code, name, extension headers.
        pub const OPCODES: &[(u8, &str, &[Extension])] = &[$(($code, stringify!($name), &[$($extension),*]),)+];
    };
}

opcodes! {
    /// First packet of a SEND.
    SEND_FIRST = 0x00 [];
    /// Middle packet of a SEND.
    SEND_MIDDLE = 0x01 [];
    /// Last packet of a SEND.
    SEND_LAST = 0x02 [];
    /// Last packet of a SEND, with immediate data.
    SEND_LAST_IMM = 0x03 [ImmDt];
    /// SEND of one packet.
    SEND_ONLY = 0x04 [];
    /// SEND of one packet, with immediate data.
    SEND_ONLY_IMM = 0x05 [ImmDt];
    /// First packet of a WRITE.
    WRITE_FIRST = 0x06 [Reth];
    /// Middle packet of a WRITE.
    WRITE_MIDDLE = 0x07 [];
    /// Last packet of a WRITE.
    WRITE_LAST = 0x08 [];
    /// Last packet of a WRITE, with immediate data.
    WRITE_LAST_IMM = 0x09 [ImmDt];
    /// WRITE of one packet.
    WRITE_ONLY = 0x0A [Reth];
    /// WRITE of one packet, with immediate data.
    WRITE_ONLY_IMM = 0x0B [Reth ImmDt];
    /// READ request.
    READ_REQUEST = 0x0C [Reth];
    /// First packet of a READ response.
    READ_RESPONSE_FIRST = 0x0D [Aeth];
    /// Middle packet of a READ response.
    READ_RESPONSE_MIDDLE = 0x0E [];
    /// Last packet of a READ response.
    READ_RESPONSE_LAST = 0x0F [Aeth];
    /// READ response of one packet.
    READ_RESPONSE_ONLY = 0x10 [Aeth];
    /// ACK, NAK, RNR NAK.
    ACKNOWLEDGE = 0x11 [Aeth];
    /// Answer to an atomic.
    ATOMIC_ACKNOWLEDGE = 0x12 [Aeth AtomicAckEth];
    /// Compare and swap.
    COMPARE_SWAP = 0x13 [AtomicEth];
    /// Fetch and add.
    FETCH_ADD = 0x14 [AtomicEth];
    /// Last packet of a SEND, with a key to invalidate.
    SEND_LAST_INV = 0x16 [Ieth];
    /// SEND of one packet, with a key to invalidate.
    SEND_ONLY_INV = 0x17 [Ieth];
}

/// First opcode of unreliable connections: those of reliable ones from 00 to 0B, moved by this.
const UC: u8 = 0x20;
/// Unreliable datagram, SEND of one packet.
pub const UD_SEND_ONLY: u8 = 0x64;
/// The same with immediate data.
pub const UD_SEND_ONLY_IMM: u8 = 0x65;

/// Extension headers of an opcode; `None` for one that this codec does not know.
#[must_use]
pub fn extensions(opcode: u8) -> Option<&'static [Extension]> {
    match opcode {
        UD_SEND_ONLY => Some(&[Deth]),
        UD_SEND_ONLY_IMM => Some(&[Deth, ImmDt]),
        UC..=0x2B => extensions(opcode - UC),
        _ => OPCODES.iter().find(|row| row.0 == opcode).map(|row| row.2),
    }
}

/// Name of an opcode, or its number.
#[must_use]
pub fn name(opcode: u8) -> String {
    match opcode {
        UD_SEND_ONLY => "UD_SEND_ONLY".into(),
        UD_SEND_ONLY_IMM => "UD_SEND_ONLY_IMM".into(),
        UC..=0x2B => format!("UC_{}", name(opcode - UC)),
        _ => OPCODES.iter().find(|row| row.0 == opcode).map_or(format!("opcode {opcode:02x}"), |row| row.1.into()),
    }
}

/// The opcode of a reliable connection with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<u8> {
    OPCODES.iter().find(|row| row.1 == name).map(|row| row.0)
}

/// It answers a request: READ responses and acknowledgements.
#[must_use]
pub const fn is_response(opcode: u8) -> bool {
    matches!(opcode, READ_RESPONSE_FIRST..=ATOMIC_ACKNOWLEDGE)
}
