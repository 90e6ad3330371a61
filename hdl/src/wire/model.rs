//! Builds frames byte by byte, to compare the hardware with. Shares no code with it.
use super::{TxFrame, WirePath};
use num_bigint::BigUint;
use rust_hdl::prelude::*;

/// A number out of bits.
pub fn number<const N: usize>(value: Bits<N>) -> u64 {
    let value: BigUint = value.into();
    value.iter_u64_digits().next().unwrap_or(0)
}

/// Bytes of a word, lowest first.
pub fn bytes_of<const N: usize>(value: Bits<N>) -> Vec<u8> {
    let value: BigUint = value.into();
    let mut bytes = value.to_bytes_le();
    bytes.resize(N / 8, 0);
    bytes
}

/// A word out of bytes, lowest first.
pub fn word_of<const N: usize>(bytes: &[u8]) -> Bits<N> {
    BigUint::from_bytes_le(bytes).into()
}

/// Bytes written in hexadecimal, blanks ignored.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// What the whole NIC puts into frames.
#[derive(Clone)]
pub struct Own {
    pub mac: [u8; 6],
    pub addresses: [[u8; 16]; 8],
    pub migreq: bool,
}

fn crc(bytes: impl Iterator<Item = u8>) -> u32 {
    let mut state = !0u32;
    for byte in bytes {
        state ^= u32::from(byte);
        for _ in 0..8 {
            state = if state & 1 == 1 { state >> 1 ^ 0xEDB8_8320 } else { state >> 1 };
        }
    }
    !state
}

/// ICRC of a datagram that begins with the IP header.
pub fn icrc(datagram: &[u8]) -> [u8; 4] {
    let mut masked = datagram.to_vec();
    let udp = if datagram[0] >> 4 == 4 {
        [1, 8, 10, 11].into_iter().for_each(|at| masked[at] = 0xFF);
        20
    } else {
        masked[0] |= 0x0F;
        [1, 2, 3, 7].into_iter().for_each(|at| masked[at] = 0xFF);
        40
    };
    [udp + 6, udp + 7, udp + 12].into_iter().for_each(|at| masked[at] = 0xFF);
    crc(std::iter::repeat_n(0xFF, 8).chain(masked)).to_le_bytes()
}

/// Extension headers of a frame.
fn extensions(frame: &TxFrame) -> Vec<u8> {
    let reth = || {
        let address = number(frame.va).to_be_bytes().to_vec();
        [
            address,
            (number(frame.rkey) as u32).to_be_bytes().to_vec(),
            (number(frame.length) as u32).to_be_bytes().to_vec(),
        ]
        .concat()
    };
    let aeth = || ((number(frame.syndrome) << 24 | number(frame.msn)) as u32).to_be_bytes().to_vec();
    let immediate = || bytes_of(frame.immediate);
    let swap = || number(frame.swap).to_be_bytes().to_vec();
    match number(frame.opcode) {
        0x03 | 0x05 | 0x09 => immediate(),
        0x06 | 0x0A | 0x0C => reth(),
        0x0B => [reth(), immediate()].concat(),
        0x0D | 0x0F | 0x10 | 0x11 => aeth(),
        0x12 => [aeth(), swap()].concat(),
        0x13 | 0x14 => [reth()[..12].to_vec(), swap(), number(frame.compare).to_be_bytes().to_vec()].concat(),
        0x16 | 0x17 => (number(frame.immediate) as u32).to_be_bytes().to_vec(),
        _ => vec![],
    }
}

/// The frame without FCS.
pub fn frame(own: &Own, path: &WirePath, frame: &TxFrame, payload: &[u8]) -> Vec<u8> {
    let pad = payload.len().wrapping_neg() % 4;
    let flags = u8::from(frame.solicited) << 7 | u8::from(own.migreq) << 6 | (pad as u8) << 4;
    let mut transport = vec![number(frame.opcode) as u8, flags];
    transport.extend((number(path.pkey) as u16).to_be_bytes());
    transport.extend((number(path.dest_qpn) as u32).to_be_bytes());
    transport.extend((u32::from(frame.ack_request) << 31 | number(frame.psn) as u32).to_be_bytes());
    transport.extend(extensions(frame));
    transport.extend(payload);
    transport.resize(transport.len() + pad, 0);

    let udp_length = transport.len() as u16 + 8 + 4;
    let mut udp = vec![];
    [number(path.source_port) as u16, 4791, udp_length, 0].into_iter().for_each(|x| udp.extend(x.to_be_bytes()));
    let source = own.addresses[number(path.own_address) as usize];
    let target = bytes_of(path.dest_address);
    let (class, hops) = (number(path.traffic_class) as u32, number(path.hop_limit) as u8);
    let ip = if path.ipv6 {
        let start = 6 << 28 | class << 20 | number(path.flow_label) as u32;
        [&start.to_be_bytes()[..], &udp_length.to_be_bytes(), &[17, hops], &source, &target].concat()
    } else {
        let length = (udp_length + 20).to_be_bytes();
        let mut ip = [&[0x45, class as u8], &length[..], &[0, 0, 0x40, 0, hops, 17, 0, 0]].concat();
        ip.extend(&source[12..]);
        ip.extend(&target[12..]);
        let sum: u32 = ip.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        let sum = (sum & 0xFFFF) + (sum >> 16);
        let sum = (sum & 0xFFFF) + (sum >> 16);
        ip[10..12].copy_from_slice(&(!sum as u16).to_be_bytes());
        ip
    };
    let datagram = [ip, udp, transport].concat();
    let mut frame = bytes_of(path.dest_mac);
    frame.extend(own.mac);
    if path.vlan_valid {
        frame.extend([0x81, 0x00]);
        frame.extend((number(path.vlan_tci) as u16).to_be_bytes());
    }
    frame.extend(if path.ipv6 { [0x86, 0xDD] } else { [0x08, 0x00] });
    frame.extend(&datagram);
    frame.extend(icrc(&datagram));
    frame.resize(frame.len().max(60), 0);
    frame
}

/// A path between the addresses of the golden frames, port C000, queue pair 11.
pub fn golden_path(ipv6: bool) -> WirePath {
    let mut path = WirePath::default();
    let target = if ipv6 { hex("fd000000000000000000000000000002") } else { hex("00000000000000000000ffff0a000002") };
    path.dest_address = word_of(&target);
    path.ipv6 = ipv6;
    path.own_address = bits(u64::from(ipv6));
    path.source_port = bits(0xC000);
    path.dest_mac = word_of(&[2, 0, 0, 0, 0, 2]);
    path.hop_limit = bits(64);
    path.dest_qpn = bits(0x11);
    path.pkey = bits(0xFFFF);
    path
}

/// Own addresses of the golden frames.
pub fn golden_own() -> Own {
    let mut own = Own { mac: [2, 0, 0, 0, 0, 1], addresses: [[0; 16]; 8], migreq: false };
    own.addresses[0].copy_from_slice(&hex("00000000000000000000ffff0a000001"));
    own.addresses[1].copy_from_slice(&hex("fd000000000000000000000000000001"));
    own
}
