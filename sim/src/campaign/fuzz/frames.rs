//! Frames for the receive side: right ones, right ones with a field changed, and bytes that are no frame at all.

use crate::random::Random;
use crate::wire::frame::{icrc, opcode, Aeth, AtomicEth, Bth, Extension, Network, Reth};
use crate::wire::Frame;
use rnic_abi::limits::DMA_LIMIT;

/// Bytes of the Ethernet header in front of the packet.
const LINK: usize = 14;
/// Most bytes of garbage.
const LONGEST: u64 = 4200;

/// What a victim looks like from outside.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub qpn: u32,
    pub network: Network,
    pub macs: [[u8; 6]; 2],
    pub mtu: u64,
    /// PSN that its responder expects, as its answers have told.
    pub expected: u32,
    /// PSNs of its requests without an answer.
    pub outstanding: std::ops::Range<u32>,
    /// Keys that exist, with the first address and the bytes of each.
    pub regions: Vec<(u32, u64, u64)>,
}

fn psn(random: &mut Random, target: &Target, response: bool) -> u32 {
    let near = match response {
        true => target.outstanding.start + random.below(u64::from(target.outstanding.len() as u32)) as u32,
        false => target.expected,
    };
    let psn = match random.below(10) {
        0 => random.next() as u32,
        1 => near.wrapping_sub(1 + random.below(8) as u32),
        2 => near.wrapping_add(1 + random.below(8) as u32),
        _ => near,
    };
    psn & 0xFF_FFFF
}

fn bytes(random: &mut Random, count: u64) -> Vec<u8> {
    (0..count).map(|_| random.next() as u8).collect()
}

/// An address and a length: inside a region, at its edges, or anywhere.
fn range(random: &mut Random, start: u64, length: u64) -> (u64, u32) {
    let bytes = random.below(length.min(3000)) as u32;
    let va = match random.below(8) {
        0 => random.next(),
        1 => start.wrapping_sub(1),
        2 => start + length - u64::from(bytes),
        3 => start + length - u64::from(bytes) + 1,
        _ => start + random.below(length - u64::from(bytes)),
    };
    (va, bytes)
}

/// A frame that its receiver may well take.
fn right(random: &mut Random, target: &Target) -> Frame {
    let codes = opcode::OPCODES;
    let (code, _, extensions) = codes[random.below(codes.len() as u64) as usize];
    let psn = psn(random, target, opcode::is_response(code));
    let mut bth = Bth::new(code, target.qpn, psn);
    (bth.ack_request, bth.solicited) = (random.chance(60), random.chance(20));
    let mut frame = Frame::new(target.network, bth);
    [frame.destination, frame.source] = target.macs;
    let (key, start, length) = target.regions[random.below(target.regions.len() as u64) as usize];
    let key = if random.chance(15) { key ^ 1 << random.below(32) } else { key };
    let (va, count) = range(random, start, length);
    let whole = matches!(
        code,
        opcode::SEND_FIRST
            | opcode::SEND_MIDDLE
            | opcode::WRITE_FIRST
            | opcode::WRITE_MIDDLE
            | opcode::READ_RESPONSE_FIRST
            | opcode::READ_RESPONSE_MIDDLE
    );
    let none = matches!(code, opcode::READ_REQUEST | opcode::ACKNOWLEDGE..=opcode::FETCH_ADD);
    let payload = match () {
        () if none => 0,
        () if whole && random.chance(80) => target.mtu,
        () => random.below(target.mtu + 1).min(count.into()),
    };
    let reth_length = match random.below(12) {
        0 => random.next() as u32,
        _ if code == opcode::READ_REQUEST || whole => count,
        _ => payload as u32,
    };
    for extension in extensions {
        let found = &mut frame.extensions;
        match extension {
            Extension::Deth => {}
            Extension::Reth => found.reth = Some(Reth { va, rkey: key, length: reth_length }),
            Extension::Aeth => {
                let syndrome = match random.below(4) {
                    0 => 0x60 + random.below(8) as u8,
                    1 => random.next() as u8,
                    2 => 0x20 + random.below(4) as u8,
                    _ => 0x1F,
                };
                found.aeth = Some(Aeth { syndrome, msn: random.next() as u32 & 0xFF_FFFF });
            }
            Extension::AtomicEth => {
                let (swap_add, compare) = (random.next(), random.next());
                let va = if random.chance(80) { va & !7 } else { va };
                found.atomic = Some(AtomicEth { va, rkey: key, swap_add, compare });
            }
            Extension::AtomicAckEth => found.original = Some(random.next()),
            Extension::ImmDt => found.immediate = Some((random.next() as u32).to_le_bytes()),
            Extension::Ieth => found.invalidate = Some(key),
        }
    }
    frame.payload = bytes(random, payload);
    frame
}

/// One field of the headers changed; lengths, checksum and ICRC fit.
fn one_field(random: &mut Random, frame: &mut Frame) {
    let bth = &mut frame.bth;
    match random.below(10) {
        0 => bth.opcode = random.next() as u8,
        1 => bth.qpn = random.next() as u32 & 0xFF_FFFF,
        2 => bth.qpn ^= 1 << random.below(24),
        3 => bth.pkey ^= 1 << random.below(16),
        4 => bth.version = random.below(16) as u8,
        5 => frame.vlan = Some(random.next() as u16),
        6 => frame.destination[random.below(6) as usize] ^= 1 << random.below(8),
        7 => {
            let count = random.below(LONGEST);
            frame.payload = bytes(random, count);
        }
        8 => frame.extensions.reth = Some(Reth { va: DMA_LIMIT - 1, rkey: u32::MAX, length: u32::MAX }),
        _ => {
            if let Network::V4 { source, .. } = &mut frame.network {
                source[3] ^= 1 << random.below(8);
            }
        }
    }
}

/// Bytes changed behind the link header, and a right ICRC over what came of it, so that it passes the first check.
fn resealed(random: &mut Random, mut frame: Vec<u8>, packet_bytes: usize) -> Vec<u8> {
    let end = LINK + packet_bytes - 4;
    for _ in 0..=random.below(4) {
        // IP version and header length stay: without them nobody knows what the ICRC covers.
        let at = LINK + 1 + random.below((packet_bytes - 5) as u64) as usize;
        frame[at] ^= 1 << random.below(8);
    }
    let sum = icrc::icrc(&frame[LINK..end]);
    frame[end..end + 4].copy_from_slice(&sum);
    frame
}

/// The next frame.
pub(super) fn next(random: &mut Random, target: &Target) -> Vec<u8> {
    let mut frame = right(random, target);
    let kind = random.below(20);
    if (8..12).contains(&kind) {
        one_field(random, &mut frame);
    }
    let tagged = frame.vlan.is_some();
    let mut built = frame.build();
    let packet = usize::from(u16::from_be_bytes([built[LINK + 2], built[LINK + 3]]));
    match kind {
        12..=14 if !tagged => return resealed(random, built, packet),
        15 => built.truncate(LINK + random.below((built.len() - LINK) as u64 + 1) as usize),
        16 => {
            let count = 1 + random.below(300);
            built.extend(bytes(random, count));
        }
        17 => {
            for _ in 0..=random.below(8) {
                let at = random.below(built.len() as u64) as usize;
                built[at] = random.next() as u8;
            }
        }
        18 => {
            let count = LINK as u64 + random.below(LONGEST);
            built = bytes(random, count);
        }
        _ => {}
    }
    built
}
