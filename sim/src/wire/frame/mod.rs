//! RoCEv2 frames: built and taken apart without a line of the hardware's code, for tests, injection and reports.
//!
//! Ethernet with or without a VLAN tag, IPv4 or IPv6, UDP, BTH, extension headers, payload, ICRC. Frames have no FCS, as
//! on the stream ports of the core.
mod build;
mod headers;
pub mod icrc;
pub mod opcode;
mod parse;

#[cfg(test)]
mod tests;

pub use headers::{map, mapped, Aeth, AtomicEth, Bth, Deth, Extensions, Mac, Network, Reth};
pub use opcode::Extension;
pub use parse::NotRoce;

use std::fmt;

/// UDP port of RoCEv2.
pub const PORT: u16 = 4791;
/// Bytes of an Ethernet header: less is no frame.
pub const HEADER: usize = 14;
/// Most bytes that the wire carries as one frame, from a socket or made up: far more than a device takes.
pub const LARGEST: usize = 16_384;
/// Bytes of a frame that the wire carries.
pub const CARRIED: std::ops::RangeInclusive<usize> = HEADER..=LARGEST;
/// Shortest frame on Ethernet, without FCS.
pub const SHORTEST: usize = 60;
/// Longest frame that the device must take, bytes (T89).
pub const LONGEST: usize = rnic_driver::LONGEST_FRAME;

/// One RoCEv2 frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Destination MAC address.
    pub destination: Mac,
    /// Source MAC address.
    pub source: Mac,
    /// Tag control information of the VLAN tag.
    pub vlan: Option<u16>,
    /// IP header.
    pub network: Network,
    /// UDP source port.
    pub source_port: u16,
    /// UDP checksum, 0 for none.
    pub udp_checksum: u16,
    /// Base transport header.
    pub bth: Bth,
    /// Extension headers.
    pub extensions: Extensions,
    /// Payload without padding.
    pub payload: Vec<u8>,
}

impl Frame {
    /// A frame without extension headers and payload.
    #[must_use]
    pub fn new(network: Network, bth: Bth) -> Self {
        Self {
            destination: [0x02, 0, 0, 0, 0, 2],
            source: [0x02, 0, 0, 0, 0, 1],
            vlan: None,
            network,
            source_port: 0xC000,
            udp_checksum: 0,
            bth,
            extensions: Extensions::default(),
            payload: vec![],
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bth { opcode, qpn, psn, .. } = self.bth;
        write!(f, "{} qp {qpn:06x} psn {psn:06x}", opcode::name(opcode))?;
        let Extensions { deth, reth, aeth, atomic, original, immediate, invalidate } = &self.extensions;
        if let Some(Deth { qkey, source_qpn }) = deth {
            write!(f, " qkey {qkey:08x} from {source_qpn:06x}")?;
        }
        if let Some(Reth { va, rkey, length }) = reth {
            write!(f, " va {va:x} key {rkey:08x} of {length}")?;
        }
        if let Some(Aeth { syndrome, msn }) = aeth {
            write!(f, " syndrome {syndrome:02x} msn {msn:06x}")?;
        }
        if let Some(AtomicEth { va, rkey, swap_add, compare }) = atomic {
            write!(f, " va {va:x} key {rkey:08x} operand {swap_add:x} compare {compare:x}")?;
        }
        if let Some(original) = original {
            write!(f, " original {original:x}")?;
        }
        if let Some([a, b, c, d]) = immediate {
            write!(f, " imm {a:02x}{b:02x}{c:02x}{d:02x}")?;
        }
        if let Some(key) = invalidate {
            write!(f, " invalidate {key:08x}")?;
        }
        if self.bth.solicited {
            write!(f, " solicited")?;
        }
        if self.bth.ack_request {
            write!(f, " ack?")?;
        }
        match self.payload.len() {
            0 => Ok(()),
            bytes => write!(f, " + {bytes}"),
        }
    }
}

/// One line about any frame.
#[must_use]
pub fn describe(bytes: &[u8]) -> String {
    match Frame::parse(bytes) {
        Ok(frame) => frame.to_string(),
        Err(reason) => reason.to_string(),
    }
}
