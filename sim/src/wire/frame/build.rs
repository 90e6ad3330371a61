//! From headers to bytes.
use super::{icrc, Frame, Network, PORT, SHORTEST};

impl Frame {
    /// The frame's bytes, with right lengths, checksums, padding and ICRC.
    #[must_use]
    pub fn build(&self) -> Vec<u8> {
        let mut bytes = self.link_header();
        let mut packet = self.packet();
        let crc = icrc::icrc(&packet);
        packet.extend(crc);
        bytes.append(&mut packet);
        bytes.resize(bytes.len().max(SHORTEST), 0);
        bytes
    }

    fn link_header(&self) -> Vec<u8> {
        let mut bytes = [self.destination, self.source].concat();
        if let Some(tci) = self.vlan {
            bytes.extend([0x81, 0x00]);
            bytes.extend(tci.to_be_bytes());
        }
        bytes.extend(match self.network {
            Network::V4 { .. } => [0x08, 0x00],
            Network::V6 { .. } => [0x86, 0xDD],
        });
        bytes
    }

    /// From the IP header to the end of the padding.
    fn packet(&self) -> Vec<u8> {
        let transport = self.transport();
        let udp_bytes = (8 + transport.len() + 4) as u16;
        let mut packet = self.ip_header(udp_bytes);
        packet.extend(self.source_port.to_be_bytes());
        packet.extend(PORT.to_be_bytes());
        packet.extend(udp_bytes.to_be_bytes());
        packet.extend(self.udp_checksum.to_be_bytes());
        packet.extend(transport);
        packet
    }

    fn ip_header(&self, udp_bytes: u16) -> Vec<u8> {
        let mut header = vec![];
        match self.network {
            Network::V4 { tos, identification, fragment, ttl, source, destination } => {
                header.extend([0x45, tos]);
                header.extend((20 + udp_bytes).to_be_bytes());
                header.extend(identification.to_be_bytes());
                header.extend(fragment.to_be_bytes());
                header.extend([ttl, 17, 0, 0]);
                header.extend(source);
                header.extend(destination);
                let checksum = ipv4_checksum(&header);
                header[10..12].copy_from_slice(&checksum.to_be_bytes());
            }
            Network::V6 { traffic_class, flow_label, hop_limit, source, destination } => {
                let first = 6 << 28 | u32::from(traffic_class) << 20 | flow_label & 0xF_FFFF;
                header.extend(first.to_be_bytes());
                header.extend(udp_bytes.to_be_bytes());
                header.extend([17, hop_limit]);
                header.extend(source);
                header.extend(destination);
            }
        }
        header
    }

    /// BTH, extension headers, payload, padding.
    fn transport(&self) -> Vec<u8> {
        let (bth, extensions) = (&self.bth, &self.extensions);
        let pad = self.payload.len().wrapping_neg() & 3;
        let mut bytes = vec![bth.opcode];
        let flags = u8::from(bth.solicited) << 7 | u8::from(bth.migration) << 6 | (pad as u8) << 4;
        bytes.push(flags | bth.version & 15);
        bytes.extend(bth.pkey.to_be_bytes());
        bytes.extend((u32::from(bth.congestion) << 24 | bth.qpn & 0xFF_FFFF).to_be_bytes());
        bytes.extend((u32::from(bth.ack_request) << 31 | bth.psn & 0xFF_FFFF).to_be_bytes());
        if let Some(deth) = &extensions.deth {
            bytes.extend(deth.qkey.to_be_bytes());
            bytes.extend((deth.source_qpn & 0xFF_FFFF).to_be_bytes());
        }
        if let Some(reth) = &extensions.reth {
            bytes.extend(reth.va.to_be_bytes());
            bytes.extend(reth.rkey.to_be_bytes());
            bytes.extend(reth.length.to_be_bytes());
        }
        if let Some(aeth) = &extensions.aeth {
            bytes.extend((u32::from(aeth.syndrome) << 24 | aeth.msn & 0xFF_FFFF).to_be_bytes());
        }
        if let Some(atomic) = &extensions.atomic {
            bytes.extend(atomic.va.to_be_bytes());
            bytes.extend(atomic.rkey.to_be_bytes());
            bytes.extend(atomic.swap_add.to_be_bytes());
            bytes.extend(atomic.compare.to_be_bytes());
        }
        bytes.extend(extensions.original.iter().flat_map(|original| original.to_be_bytes()));
        bytes.extend(extensions.immediate.iter().flatten());
        bytes.extend(extensions.invalidate.iter().flat_map(|key| key.to_be_bytes()));
        bytes.extend(&self.payload);
        bytes.extend(&[0; 3][..pad]);
        bytes
    }
}

/// Sum of 16-bit words in one's complement (T85); over a header with its checksum it is 0.
pub(super) fn ipv4_checksum(header: &[u8]) -> u16 {
    let words = header.chunks_exact(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let sum: u32 = words.sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    !((folded & 0xFFFF) + (folded >> 16)) as u16
}
