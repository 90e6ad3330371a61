//! RoCE frames built and judged byte by byte, without a look at the hardware: the model of the receiver's tests.
use super::RxFrame;
use num_bigint::BigUint;
use rnic_abi::drop;
use rust_hdl::prelude::*;

pub const MAC: [u8; 6] = [0x02, 0x11, 0x22, 0x33, 0x44, 0x55];

pub fn v4(last: [u8; 4]) -> [u8; 16] {
    let mut address = [0; 16];
    address[10..12].fill(0xFF);
    address[12..].copy_from_slice(&last);
    address
}

pub fn v6(last: u8) -> [u8; 16] {
    let mut address = [0; 16];
    (address[0], address[15]) = (0xFD, last);
    address
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

pub fn be(bytes: &[u8], at: usize, count: usize) -> u64 {
    bytes[at..at + count].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

pub fn le(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(bytes)
}

/// CRC-32 bit by bit.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

/// ICRC over a packet from its IP header to its pad.
pub fn icrc(packet: &[u8]) -> u32 {
    let mut masked = packet.to_vec();
    let transport = if packet[0] >> 4 == 4 {
        for at in [1, 8, 10, 11] {
            masked[at] = 0xFF;
        }
        20
    } else {
        masked[0] |= 0x0F;
        for at in [1, 2, 3, 7] {
            masked[at] = 0xFF;
        }
        40
    };
    for at in [6, 7, 12] {
        masked[transport + at] = 0xFF;
    }
    crc32(&[vec![0xFF; 8], masked].concat())
}

/// The one's complement sum that an IPv4 header carries.
pub fn ipv4_sum(header: &[u8]) -> u16 {
    let mut sum: u64 = header.chunks(2).enumerate().filter(|(i, _)| *i != 5).map(|(_, pair)| be(pair, 0, 2)).sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

/// A frame to build.
#[derive(Clone, Debug)]
pub struct Packet {
    pub mac: [u8; 6],
    pub tag: Option<u16>,
    pub ipv6: bool,
    pub opcode: u8,
    /// Solicited event and migration bits.
    pub bits: u8,
    pub version: u8,
    pub pkey: u16,
    pub qpn: u32,
    pub ack_request: bool,
    pub psn: u32,
    pub extension: Vec<u8>,
    pub payload: Vec<u8>,
    pub source_port: u16,
    pub port: u16,
    /// Type of service, time to live, FECN and BECN: not in the ICRC.
    pub variable: [u8; 3],
    pub ident: u16,
    pub source: [u8; 4],
    pub dest: [u8; 4],
    pub dest_v6: [u8; 16],
}

impl Packet {
    pub fn new(opcode: u8, extension: &[u8], payload: &[u8]) -> Self {
        Self {
            mac: MAC,
            tag: None,
            ipv6: false,
            opcode,
            bits: 0,
            version: 0,
            pkey: 0xFFFF,
            qpn: 0x11,
            ack_request: true,
            psn: 0x12_3456,
            extension: extension.to_vec(),
            payload: payload.to_vec(),
            source_port: 0xC000,
            port: 4791,
            variable: [0, 64, 0],
            ident: 0,
            source: [10, 0, 0, 1],
            dest: [10, 0, 0, 2],
            dest_v6: v6(2),
        }
    }

    /// From the IP header to the pad.
    pub fn packet(&self) -> Vec<u8> {
        let pad = self.payload.len().wrapping_neg() % 4;
        let mut inner = vec![self.opcode, self.bits | (pad as u8) << 4 | self.version];
        inner.extend(self.pkey.to_be_bytes());
        inner.push(self.variable[2]);
        inner.extend(&self.qpn.to_be_bytes()[1..]);
        inner.push(u8::from(self.ack_request) << 7);
        inner.extend(&self.psn.to_be_bytes()[1..]);
        inner.extend(&self.extension);
        inner.extend(&self.payload);
        inner.extend(vec![0; pad]);
        let udp = (8 + inner.len() + 4) as u16;
        let mut packet = vec![];
        if self.ipv6 {
            packet.extend([0x60 | self.variable[0] >> 4, self.variable[0] << 4 | 5, 0xAB, 0xCD]);
            packet.extend(udp.to_be_bytes());
            packet.extend([17, self.variable[1]]);
            packet.extend(v6(1));
            packet.extend(self.dest_v6);
        } else {
            packet.extend([0x45, self.variable[0]]);
            packet.extend((20 + udp).to_be_bytes());
            packet.extend(self.ident.to_be_bytes());
            packet.extend([0x40, 0, self.variable[1], 17, 0, 0]);
            packet.extend(self.source);
            packet.extend(self.dest);
            let sum = ipv4_sum(&packet);
            packet[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        packet.extend(self.source_port.to_be_bytes());
        packet.extend(self.port.to_be_bytes());
        packet.extend(udp.to_be_bytes());
        packet.extend([0, 0]);
        packet.extend(inner);
        packet
    }

    /// The frame, with Ethernet header, ICRC, and padded to 60 bytes.
    pub fn build(&self) -> Vec<u8> {
        let packet = self.packet();
        let icrc = icrc(&packet);
        let mut frame = ethernet(self.mac, self.tag, if self.ipv6 { 0x86DD } else { 0x0800 }, &packet);
        frame.extend(icrc.to_le_bytes());
        padded(frame)
    }
}

pub fn ethernet(mac: [u8; 6], tag: Option<u16>, kind: u16, packet: &[u8]) -> Vec<u8> {
    let mut frame = mac.to_vec();
    frame.extend([2, 0, 0, 0, 0, 9]);
    if let Some(tag) = tag {
        frame.extend([0x81, 0]);
        frame.extend(tag.to_be_bytes());
    }
    frame.extend(kind.to_be_bytes());
    frame.extend(packet);
    frame
}

/// Ethernet's shortest frame.
pub fn padded(mut frame: Vec<u8>) -> Vec<u8> {
    frame.resize(frame.len().max(60), 0);
    frame
}

/// Extension headers by opcode; none for a reserved one.
pub fn extension_bytes(opcode: u8) -> Option<usize> {
    Some(match opcode {
        0x00..=0x02 | 0x04 | 0x07 | 0x08 | 0x0E => 0,
        0x03 | 0x05 | 0x09 | 0x0D | 0x0F | 0x10 | 0x11 | 0x16 | 0x17 => 4,
        0x12 => 12,
        0x06 | 0x0A | 0x0C => 16,
        0x0B => 20,
        0x13 | 0x14 => 28,
        _ => return None,
    })
}

/// The device's settings.
#[derive(Clone)]
pub struct Settings {
    pub mac: [u8; 6],
    pub own: [[u8; 16]; 8],
    pub promiscuous: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let mut own = [[0; 16]; 8];
        (own[1], own[6]) = (v4([10, 0, 0, 2]), v6(2));
        Self { mac: MAC, own, promiscuous: false }
    }
}

/// What must become of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    Drop(u8),
    /// Raw ring; ICRC known to be right.
    Raw(bool),
    /// Own address, offset and bytes of the payload.
    Roce(usize, usize, usize),
}

/// Rules T88 to T92, in the order of T89.
pub fn fate(frame: &[u8], bad: bool, settings: &Settings) -> Fate {
    if bad || frame.len() < 60 {
        return Fate::Drop(drop::FRAME_BAD);
    }
    if frame.len() > 4224 {
        return Fate::Drop(drop::FRAME_LONG);
    }
    if frame[..6] != settings.mac && frame[0] & 1 == 0 && !settings.promiscuous {
        return Fate::Drop(drop::FRAME_MAC);
    }
    let tagged = be(frame, 12, 2) == 0x8100;
    let ip = if tagged { 18 } else { 14 };
    let (udp, dest, length) = match be(frame, ip - 2, 2) {
        0x0800 => {
            let packet = &frame[ip..];
            if packet[0] != 0x45 || be(packet, 6, 2) & 0x3FFF != 0 || packet[9] != 17 {
                return Fate::Raw(false);
            }
            (ip + 20, v4(packet[16..20].try_into().unwrap()), be(packet, 2, 2) as usize)
        }
        0x86DD if frame.len() < ip + 44 || frame[ip] >> 4 != 6 || frame[ip + 6] != 17 => return Fate::Raw(false),
        0x86DD => (ip + 40, frame[ip + 24..ip + 40].try_into().unwrap(), 40 + be(frame, ip + 4, 2) as usize),
        _ => return Fate::Raw(false),
    };
    let own = settings.own.iter().position(|own| *own == dest && dest != [0; 16]);
    let (4791, Some(own)) = (be(frame, udp + 2, 2), own) else {
        return Fate::Raw(false);
    };
    if ip + length > frame.len() || ip + length < udp + 8 {
        return Fate::Drop(drop::FRAME_LENGTH);
    }
    let udp_length = be(frame, udp + 4, 2) as usize;
    if udp + udp_length != ip + length || udp_length < 24 {
        return Fate::Drop(drop::FRAME_LENGTH);
    }
    if udp == ip + 20 && ipv4_sum(&frame[ip..udp]) as u64 != be(frame, ip + 10, 2) {
        return Fate::Drop(drop::FRAME_CHECKSUM);
    }
    let packet = &frame[ip..ip + length];
    if icrc(&packet[..length - 4]).to_le_bytes() != packet[length - 4..] {
        return Fate::Drop(drop::FRAME_ICRC);
    }
    let bth = &frame[udp + 8..];
    if bth[1] & 15 != 0 {
        return Fate::Drop(drop::FRAME_VERSION);
    }
    match bth[0] {
        0x60..=0x7F if be(bth, 5, 3) == 1 => return Fate::Raw(true),
        0x81 => return Fate::Drop(drop::FRAME_CONGESTION),
        0x20.. => return Fate::Drop(drop::FRAME_SERVICE),
        _ => {}
    }
    let Some(extension) = extension_bytes(bth[0]) else {
        return Fate::Drop(drop::FRAME_OPCODE);
    };
    let overhead = 8 + 12 + extension + (bth[1] >> 4 & 3) as usize + 4;
    match udp_length.checked_sub(overhead) {
        Some(payload) => Fate::Roce(own, udp + 20 + extension, payload),
        None => Fate::Drop(drop::FRAME_PAYLOAD),
    }
}

/// All fields that the frame's opcode gives.
pub fn check_fields(found: &RxFrame, frame: &[u8], (own, payload_at, payload): (usize, usize, usize)) {
    let tagged = be(frame, 12, 2) == 0x8100;
    let ip = if tagged { 18 } else { 14 };
    let udp = ip + if frame[ip] >> 4 == 4 { 20 } else { 40 };
    let (bth, ext) = (&frame[udp + 8..], &frame[udp + 20..]);
    let mut goal = *found;
    goal.raw = false;
    goal.icrc_ok = true;
    goal.tagged = tagged;
    goal.broadcast = frame[..6] == [0xFF; 6];
    goal.bytes = bits(frame.len() as u64);
    goal.opcode = bits(bth[0].into());
    goal.solicited = bth[1] >> 7 == 1;
    goal.pad = bits(u64::from(bth[1]) >> 4 & 3);
    goal.pkey = bits(be(bth, 2, 2));
    goal.qpn = bits(be(bth, 5, 3));
    goal.ack_request = bth[8] >> 7 == 1;
    goal.psn = bits(be(bth, 9, 3));
    goal.payload_at = bits(payload_at as u64);
    goal.payload = bits(payload as u64);
    goal.own_address = bits(own as u64);
    goal.vlan = bits(if tagged { be(frame, 14, 2) & 0xFFF } else { 0 });
    let source: [u8; 16] = match udp - ip {
        20 => v4(frame[ip + 12..ip + 16].try_into().unwrap()),
        _ => frame[ip + 8..ip + 24].try_into().unwrap(),
    };
    goal.source = le(&source).into();
    match bth[0] {
        0x06 | 0x0A | 0x0B | 0x0C => {
            (goal.va, goal.rkey, goal.length) = (be(ext, 0, 8).into(), be(ext, 8, 4).into(), be(ext, 12, 4).into());
        }
        0x13 | 0x14 => {
            (goal.va, goal.rkey) = (be(ext, 0, 8).into(), be(ext, 8, 4).into());
            (goal.swap, goal.compare) = (be(ext, 12, 8).into(), be(ext, 20, 8).into());
        }
        0x0D | 0x0F | 0x10 | 0x11 | 0x12 => {
            (goal.syndrome, goal.msn) = (be(ext, 0, 1).into(), be(ext, 1, 3).into());
        }
        0x16 | 0x17 => goal.immediate = be(ext, 0, 4).into(),
        0x03 | 0x05 | 0x09 => goal.immediate = le(&ext[..4]).into(),
        _ => {}
    }
    if bth[0] == 0x12 {
        goal.swap = be(ext, 4, 8).into();
    }
    if bth[0] == 0x0B {
        goal.immediate = le(&ext[16..20]).into();
    }
    assert_eq!(*found, goal, "{frame:02x?}");
}
