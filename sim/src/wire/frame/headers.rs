//! The headers of a frame as plain data.

/// A MAC address.
pub type Mac = [u8; 6];

/// The IP header, as far as it is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// IPv4 without options.
    V4 {
        /// Type of service.
        tos: u8,
        /// Identification.
        identification: u16,
        /// Flags and fragment offset; 4000 is "do not fragment".
        fragment: u16,
        /// Time to live.
        ttl: u8,
        /// Source address.
        source: [u8; 4],
        /// Destination address.
        destination: [u8; 4],
    },
    /// IPv6 without extension headers.
    V6 {
        /// Traffic class.
        traffic_class: u8,
        /// Flow label.
        flow_label: u32,
        /// Hop limit.
        hop_limit: u8,
        /// Source address.
        source: [u8; 16],
        /// Destination address.
        destination: [u8; 16],
    },
}

impl Network {
    /// An IPv4 header as we send it (T85): do not fragment, time to live 64.
    #[must_use]
    pub const fn v4(source: [u8; 4], destination: [u8; 4]) -> Self {
        Self::V4 { tos: 0, identification: 0, fragment: 0x4000, ttl: 64, source, destination }
    }

    /// An IPv6 header with hop limit 64.
    #[must_use]
    pub const fn v6(source: [u8; 16], destination: [u8; 16]) -> Self {
        Self::V6 { traffic_class: 0, flow_label: 0, hop_limit: 64, source, destination }
    }

    /// The header between two addresses in the form of the own-address registers: IPv4 as ::ffff:a.b.c.d.
    #[must_use]
    pub fn between(source: [u8; 16], destination: [u8; 16]) -> Self {
        match (mapped(source), mapped(destination)) {
            (Some(source), Some(destination)) => Self::v4(source, destination),
            _ => Self::v6(source, destination),
        }
    }

    /// The source address in that form.
    #[must_use]
    pub fn source(&self) -> [u8; 16] {
        match self {
            Self::V4 { source, .. } => map(*source),
            Self::V6 { source, .. } => *source,
        }
    }

    /// The destination address in that form.
    #[must_use]
    pub fn destination(&self) -> [u8; 16] {
        match self {
            Self::V4 { destination, .. } => map(*destination),
            Self::V6 { destination, .. } => *destination,
        }
    }

    /// Bytes of the header.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        match self {
            Self::V4 { .. } => 20,
            Self::V6 { .. } => 40,
        }
    }
}

/// An IPv4 address as ::ffff:a.b.c.d.
#[must_use]
pub const fn map([a, b, c, d]: [u8; 4]) -> [u8; 16] {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, a, b, c, d]
}

/// The IPv4 address in ::ffff:a.b.c.d.
#[must_use]
pub fn mapped(address: [u8; 16]) -> Option<[u8; 4]> {
    let [.., a, b, c, d] = address;
    (address == map([a, b, c, d])).then_some([a, b, c, d])
}

/// Base transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bth {
    /// Opcode.
    pub opcode: u8,
    /// Solicited event.
    pub solicited: bool,
    /// Migration request.
    pub migration: bool,
    /// Transport version, 0.
    pub version: u8,
    /// Partition key.
    pub pkey: u16,
    /// FECN, BECN and six reserved bits: the byte that the ICRC leaves out.
    pub congestion: u8,
    /// Destination queue pair.
    pub qpn: u32,
    /// An acknowledgement is asked for.
    pub ack_request: bool,
    /// Packet sequence number.
    pub psn: u32,
}

impl Bth {
    /// A header with the default partition and nothing special.
    #[must_use]
    pub const fn new(opcode: u8, qpn: u32, psn: u32) -> Self {
        Self {
            opcode,
            solicited: false,
            migration: false,
            version: 0,
            pkey: 0xFFFF,
            congestion: 0,
            qpn,
            ack_request: false,
            psn,
        }
    }
}

/// Datagram header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deth {
    /// Queue key.
    pub qkey: u32,
    /// Source queue pair.
    pub source_qpn: u32,
}

/// RDMA header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reth {
    /// Remote address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Bytes of the whole message.
    pub length: u32,
}

/// Acknowledge header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aeth {
    /// Syndrome (G5).
    pub syndrome: u8,
    /// Message sequence number.
    pub msn: u32,
}

/// Atomic header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicEth {
    /// Remote address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Value to swap in or to add.
    pub swap_add: u64,
    /// Value to compare with.
    pub compare: u64,
}

/// The extension headers of a frame. Which of them there must be follows from the opcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Datagram header.
    pub deth: Option<Deth>,
    /// RDMA header.
    pub reth: Option<Reth>,
    /// Acknowledge header.
    pub aeth: Option<Aeth>,
    /// Atomic header.
    pub atomic: Option<AtomicEth>,
    /// The value before an atomic.
    pub original: Option<u64>,
    /// Immediate data in wire order.
    pub immediate: Option<[u8; 4]>,
    /// Key to invalidate.
    pub invalidate: Option<u32>,
}
