//! From bytes to headers, with the checks of T88 to T92 in their order.
use super::build::ipv4_checksum;
use super::opcode::{self, Extension};
use super::{icrc, Aeth, AtomicEth, Bth, Deth, Extensions, Frame, Network, Reth, PORT};
use thiserror::Error;

/// Why a frame is not a good RoCEv2 frame.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NotRoce {
    /// Another protocol: EtherType.
    #[error("EtherType {0:04x}")]
    EtherType(u16),
    /// Not UDP: IP protocol or next header.
    #[error("IP protocol {0}")]
    Protocol(u8),
    /// A fragment, or IPv4 with options.
    #[error("IP options or fragment")]
    Options,
    /// UDP to another port.
    #[error("UDP port {0}")]
    Port(u16),
    /// Ends before its headers do.
    #[error("cut off")]
    Short,
    /// IP or UDP length that contradicts the frame.
    #[error("wrong length field")]
    Length,
    /// IPv4 header checksum.
    #[error("wrong IPv4 checksum")]
    Checksum,
    /// ICRC.
    #[error("wrong ICRC")]
    Icrc,
    /// Opcode whose headers are not known.
    #[error("opcode {0:02x}")]
    Opcode(u8),
    /// Less than no payload.
    #[error("headers longer than the packet")]
    Payload,
}

/// Big-endian fields, one after another.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], NotRoce> {
        let (head, tail) = self.0.split_first_chunk::<N>().ok_or(NotRoce::Short)?;
        self.0 = tail;
        Ok(*head)
    }

    fn u8(&mut self) -> Result<u8, NotRoce> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, NotRoce> {
        self.array().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32, NotRoce> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, NotRoce> {
        self.array().map(u64::from_be_bytes)
    }
}

impl Frame {
    /// Takes a frame apart. Bytes behind the end that the IP length tells are ignored (T88).
    ///
    /// # Errors
    /// The first check that it does not pass.
    pub fn parse(bytes: &[u8]) -> Result<Self, NotRoce> {
        let mut reader = Reader(bytes);
        let (destination, source) = (reader.array()?, reader.array()?);
        let mut kind = reader.u16()?;
        let mut vlan = None;
        if kind == 0x8100 {
            vlan = Some(reader.u16()?);
            kind = reader.u16()?;
        }
        let packet = reader.0;
        let (network, udp_bytes) = match kind {
            0x0800 => ipv4(&mut reader)?,
            0x86DD => ipv6(&mut reader)?,
            kind => return Err(NotRoce::EtherType(kind)),
        };
        let source_port = reader.u16()?;
        match reader.u16()? {
            PORT => {}
            port => return Err(NotRoce::Port(port)),
        }
        let header = network.bytes();
        if let Network::V4 { .. } = network {
            if ipv4_checksum(&packet[..header]) != 0 {
                return Err(NotRoce::Checksum);
            }
        }
        let fits = usize::from(udp_bytes) >= 24 && header + usize::from(udp_bytes) <= packet.len();
        if reader.u16()? != udp_bytes || !fits {
            return Err(NotRoce::Length);
        }
        let udp_checksum = reader.u16()?;
        let packet = &packet[..header + usize::from(udp_bytes)];
        let (covered, crc) = packet.split_at(packet.len() - 4);
        if icrc::icrc(covered) != crc {
            return Err(NotRoce::Icrc);
        }
        let (bth, extensions, payload) = transport(&covered[header + 8..])?;
        Ok(Self { destination, source, vlan, network, source_port, udp_checksum, bth, extensions, payload })
    }
}

fn ipv4(reader: &mut Reader<'_>) -> Result<(Network, u16), NotRoce> {
    let (version, tos) = (reader.u8()?, reader.u8()?);
    let (length, identification, fragment) = (reader.u16()?, reader.u16()?, reader.u16()?);
    let (ttl, protocol) = (reader.u8()?, reader.u8()?);
    reader.u16()?;
    let (source, destination) = (reader.array()?, reader.array()?);
    if version != 0x45 || fragment & 0x3FFF != 0 {
        return Err(NotRoce::Options);
    }
    if protocol != 17 {
        return Err(NotRoce::Protocol(protocol));
    }
    let network = Network::V4 { tos, identification, fragment, ttl, source, destination };
    Ok((network, length.checked_sub(20).ok_or(NotRoce::Length)?))
}

fn ipv6(reader: &mut Reader<'_>) -> Result<(Network, u16), NotRoce> {
    let first = reader.u32()?;
    let length = reader.u16()?;
    let (protocol, hop_limit) = (reader.u8()?, reader.u8()?);
    let (source, destination) = (reader.array()?, reader.array()?);
    if first >> 28 != 6 {
        return Err(NotRoce::Options);
    }
    if protocol != 17 {
        return Err(NotRoce::Protocol(protocol));
    }
    let (traffic_class, flow_label) = ((first >> 20) as u8, first & 0xF_FFFF);
    Ok((Network::V6 { traffic_class, flow_label, hop_limit, source, destination }, length))
}

/// BTH, extension headers and payload.
fn transport(bytes: &[u8]) -> Result<(Bth, Extensions, Vec<u8>), NotRoce> {
    let mut reader = Reader(bytes);
    let (opcode, flags, pkey) = (reader.u8()?, reader.u8()?, reader.u16()?);
    let (to, sequence) = (reader.u32()?, reader.u32()?);
    let bth = Bth {
        opcode,
        solicited: flags & 0x80 != 0,
        migration: flags & 0x40 != 0,
        version: flags & 15,
        pkey,
        congestion: (to >> 24) as u8,
        qpn: to & 0xFF_FFFF,
        ack_request: sequence >> 31 != 0,
        psn: sequence & 0xFF_FFFF,
    };
    let mut extensions = Extensions::default();
    for extension in opcode::extensions(opcode).ok_or(NotRoce::Opcode(opcode))? {
        read_extension(&mut extensions, *extension, &mut reader).map_err(|_| NotRoce::Payload)?;
    }
    let pad = usize::from(flags >> 4 & 3);
    let bytes = reader.0.len().checked_sub(pad).ok_or(NotRoce::Payload)?;
    Ok((bth, extensions, reader.0[..bytes].to_vec()))
}

fn read_extension(to: &mut Extensions, extension: Extension, reader: &mut Reader<'_>) -> Result<(), NotRoce> {
    match extension {
        Extension::Deth => {
            to.deth = Some(Deth { qkey: reader.u32()?, source_qpn: reader.u32()? & 0xFF_FFFF });
        }
        Extension::Reth => to.reth = Some(Reth { va: reader.u64()?, rkey: reader.u32()?, length: reader.u32()? }),
        Extension::Aeth => {
            let word = reader.u32()?;
            to.aeth = Some(Aeth { syndrome: (word >> 24) as u8, msn: word & 0xFF_FFFF });
        }
        Extension::AtomicEth => {
            let (va, rkey) = (reader.u64()?, reader.u32()?);
            to.atomic = Some(AtomicEth { va, rkey, swap_add: reader.u64()?, compare: reader.u64()? });
        }
        Extension::AtomicAckEth => to.original = Some(reader.u64()?),
        Extension::ImmDt => to.immediate = Some(reader.array()?),
        Extension::Ieth => to.invalidate = Some(reader.u32()?),
    }
    Ok(())
}
