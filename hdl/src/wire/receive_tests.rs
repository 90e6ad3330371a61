//! Tests of the frame receiver.
use super::receive_bench::*;
use super::receive_model::*;
use crate::check::RandomDrive;
use rnic_abi::drop;

type Frames = Vec<(Vec<u8>, bool)>;

fn good(frames: impl IntoIterator<Item = Vec<u8>>) -> Frames {
    frames.into_iter().map(|frame| (frame, false)).collect()
}

fn both(frames: &Frames, pace: &Pace) -> Vec<Fate> {
    let settings = Settings::default();
    let (fates, _) = check::<64, 8, 11>(frames, &settings, pace);
    check::<512, 64, 8>(frames, &settings, pace);
    fates
}

fn bytes(r: &mut RandomDrive, count: usize) -> Vec<u8> {
    (0..count).map(|_| r.below(256) as u8).collect()
}

fn random_packet(r: &mut RandomDrive, longest: u64) -> Packet {
    let opcode = loop {
        let opcode = r.below(0x18) as u8;
        if extension_bytes(opcode).is_some() {
            break opcode;
        }
    };
    let payload = if r.chance(1, 4) { r.below(longest) } else { r.below(40) } as usize;
    let mut packet = Packet::new(opcode, &bytes(r, extension_bytes(opcode).unwrap()), &bytes(r, payload));
    packet.tag = r.chance(1, 2).then(|| r.below(0x1_0000) as u16);
    packet.ipv6 = r.chance(1, 2);
    packet.bits = (r.below(4) as u8) << 6;
    packet.pkey = r.below(0x1_0000) as u16;
    packet.qpn = r.below(0x100_0000) as u32;
    packet.ack_request = r.chance(1, 2);
    packet.psn = r.below(0x100_0000) as u32;
    packet.source_port = r.below(0x1_0000) as u16;
    packet.variable = [r.below(256) as u8, r.below(256) as u8, r.below(256) as u8];
    packet.ident = r.below(0x1_0000) as u16;
    packet
}

/// Frames of transport.md section 6 and fast-registration.md section G, from the IP header to the ICRC.
const GOLDEN: [&str; 10] = [
    "4500002c00004000401126bf0a0000010a000002 c00012b700180000 0400ffff0000001180000001 275a1d7e",
    "4500003c00004000401126af0a0000010a000002 c00012b700280000 0c00ffff0000001180000010 000000000000700000001a2b00000000 b9e14168",
    "4500003800004000401126b30a0000010a000002 c00012b700240000 1200ffff0000001100000020 1f0000051122334455667788 e5122cd3",
    "4500004800004000401126a30a0000010a000002 c00012b700340000 1400ffff0000001180000021 000000000000700000001a2b00000000000000050000000000000000 224d6eb2",
    "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100ffffff 60000007 183ff756",
    "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100000030 2c000007 6b46829a",
    "4500004400004000401126a70a0000010a000002 c00012b700300000 0b30ffff0000001180000022 000000000000700000001a2b00000001 deadbeef aa000000 58069cc9",
    "4500004c000040004011269f0a0000010a000002 c00012b700380000 0a00ffff0000001180123456 0000000012345ff000001a2b00000010 000102030405060708090a0b0c0d0e0f d3810d0d",
    "6000000000381140 fd000000000000000000000000000001 fd000000000000000000000000000002 c00012b700380000 0a00ffff0000001180123456 0000000012345ff000001a2b00000010 000102030405060708090a0b0c0d0e0f 74ccacd8",
    "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100123456 1f000001 a0fea7e8",
];

#[test]
fn golden_frames_are_accepted_with_their_icrc() {
    let frames = GOLDEN.iter().flat_map(|text| {
        let packet = hex(text);
        let kind = if packet[0] == 0x60 { 0x86DD } else { 0x0800 };
        [None, Some(0x2005)].map(|tag| padded(ethernet(MAC, tag, kind, &packet)))
    });
    let fates = both(&good(frames), &Pace::default());
    assert!(fates.iter().all(|fate| matches!(fate, Fate::Roce(..))), "{fates:?}");
}

/// The builder of these tests against the ICRC vectors of section G.
#[test]
fn g11_the_builder_makes_the_vectors() {
    let retheader = hex("0000000012345ff000001a2b00000010");
    let payload: Vec<u8> = (0..16).collect();
    let tail = |packet: &Packet| {
        let frame = packet.build();
        let end = 14 + packet.packet().len();
        be(&frame, end, 4) as u32
    };
    let write = Packet::new(0x0A, &retheader, &payload);
    assert_eq!(tail(&write), 0xd381_0d0d);
    assert_eq!(tail(&Packet { variable: [0x6B, 3, 0xC0], ..write.clone() }), 0xd381_0d0d);
    assert_eq!(tail(&Packet { source_port: 0xC001, ..write.clone() }), 0x4072_33c7);
    assert_eq!(tail(&Packet { ident: 1, ..write.clone() }), 0x8b65_4c80);
    assert_eq!(tail(&Packet { ipv6: true, ..write }), 0x74cc_acd8);
    let invalidate = Packet { psn: 0x12_3457, ..Packet::new(0x17, &hex("00001a2b"), &payload) };
    assert_eq!(tail(&invalidate), 0xddb3_5366);
    assert_eq!(tail(&Packet { ipv6: true, ..invalidate }), 0xd4d1_e08a);
    let ack = Packet { ack_request: false, ..Packet::new(0x11, &hex("1f000001"), &[]) };
    assert_eq!(tail(&ack), 0xa0fe_a7e8);
    assert_eq!(tail(&Packet { extension: hex("62000001"), ..ack }), 0xe186_f271);
}

/// Every row of the table of section 6, every opcode, payload lengths that end at every lane.
fn every_offset<const DATA: usize, const STRB: usize, const A: usize>(lengths: usize) {
    let mut random = RandomDrive::new(1);
    let mut frames = vec![];
    for shape in 0..4 {
        for opcode in (0..0x18).filter(|opcode| extension_bytes(*opcode).is_some()) {
            for length in (0..lengths).map(|i| (usize::from(opcode) + 5 * i) % 17) {
                let extension = bytes(&mut random, extension_bytes(opcode).unwrap());
                let payload = bytes(&mut random, length);
                let packet = Packet::new(opcode, &extension, &payload);
                let tag = (shape & 1 == 1).then_some(0x1234);
                frames.push(Packet { tag, ipv6: shape & 2 == 2, ..packet }.build());
            }
        }
    }
    let (fates, stalls) = check::<DATA, STRB, A>(&good(frames), &Settings::default(), &Pace::default());
    assert!(fates.iter().all(|fate| matches!(fate, Fate::Roce(..))));
    assert_eq!(stalls, 0, "the parser held up the wire");
}

#[test]
fn headers_are_found_at_every_offset_at_64_bits() {
    every_offset::<64, 8, 11>(4);
}

#[test]
fn headers_are_found_at_every_offset_at_128_and_256_bits() {
    every_offset::<128, 16, 10>(2);
    every_offset::<256, 32, 9>(2);
}

#[test]
fn headers_are_found_at_every_offset_at_512_bits() {
    every_offset::<512, 64, 8>(3);
}

/// Any byte of a frame changed: the model says what follows, mostly a drop for the ICRC.
fn corrupted<const DATA: usize, const STRB: usize, const A: usize>(seed: u64, count: usize, pace: &Pace) {
    let mut random = RandomDrive::new(seed);
    let mut frames = vec![];
    for _ in 0..count {
        let mut frame = random_packet(&mut random, 300).build();
        let mut bad = false;
        match random.below(10) {
            0..4 => {
                let at = random.below(frame.len() as u64) as usize;
                frame[at] ^= 1 << random.below(8);
            }
            4 => {
                let at = 12 + random.below(30) as usize;
                frame[at] = random.below(256) as u8;
            }
            5 => frame.truncate(1 + random.below(frame.len() as u64) as usize),
            6 => {
                let more = random.below(30) as usize;
                frame.extend(bytes(&mut random, more));
            }
            7 => bad = random.chance(1, 4),
            _ => {}
        }
        frames.push((frame, bad));
    }
    check::<DATA, STRB, A>(&frames, &Settings::default(), pace);
}

#[test]
fn g12_random_frames_with_corruption_at_64_bits() {
    corrupted::<64, 8, 10>(1, 120, &Pace { beats: 7, ready: 2, ..Pace::default() });
    corrupted::<64, 8, 11>(2, 120, &Pace::default());
}

#[test]
fn g12_random_frames_with_corruption_at_512_bits() {
    corrupted::<512, 64, 8>(3, 120, &Pace { beats: 7, ready: 2, ..Pace::default() });
    corrupted::<512, 64, 8>(4, 120, &Pace::default());
}

#[test]
fn v51_bytes_behind_the_ip_length_are_ignored_but_missing_ones_are_not() {
    let frame = Packet::new(0x04, &[], b"abcdefgh").build();
    let longer = [frame.clone(), vec![0xDE, 0xAD]].concat();
    let mut missing = frame;
    missing[17] += 1;
    missing[39] += 1;
    let sum = ipv4_sum(&missing[14..34]);
    missing[24..26].copy_from_slice(&sum.to_be_bytes());
    let fates = both(&good([longer, missing]), &Pace::default());
    assert_eq!(fates, [Fate::Roce(1, 54, 8), Fate::Drop(drop::FRAME_LENGTH)]);
}

#[test]
fn t87_a_padded_send_only_without_payload_is_accepted() {
    let frame = Packet::new(0x04, &[], &[]).build();
    assert_eq!(frame.len(), 60);
    let mut dirty = frame.clone();
    dirty[58..].fill(0x77);
    assert_eq!(both(&good([frame, dirty]), &Pace::default()), [Fate::Roce(1, 54, 0), Fate::Roce(1, 54, 0)]);
}

#[test]
fn v53_a_checksum_whose_sum_carries_twice_is_accepted() {
    let mut packet = Packet { source: [0xFF, 0xF0, 0xFF, 0xF0], ..Packet::new(0x04, &[], b"x") };
    let header = packet.packet();
    let sum: u64 = header[..20].chunks(2).enumerate().filter(|(i, _)| *i != 5).map(|(_, pair)| be(pair, 0, 2)).sum();
    // With it the sum is x FFFF, x > 0: a fold gives 1 0000 - 1 + x, which carries again.
    packet.ident = (0xFFFF - sum % 0x1_0000) as u16;
    let header = packet.packet();
    let sum: u64 = header[..20].chunks(2).enumerate().filter(|(i, _)| *i != 5).map(|(_, pair)| be(pair, 0, 2)).sum();
    assert!(sum > 0xFFFF && (sum & 0xFFFF) + (sum >> 16) > 0xFFFF);
    let frame = packet.build();
    let mut wrong = frame.clone();
    wrong[24] ^= 1;
    let fates = both(&good([frame, wrong]), &Pace::default());
    assert_eq!(fates, [Fate::Roce(1, 54, 1), Fate::Drop(drop::FRAME_CHECKSUM)]);
}

#[test]
fn v54_a_wrong_icrc_is_dropped_and_the_next_frame_is_not() {
    let mut frames = vec![];
    for (opcode, extension) in [(0x17, 4), (0x0A, 16), (0x11, 4)] {
        let frame = Packet::new(opcode, &vec![1; extension], if opcode == 0x11 { &[] } else { &[7; 64] }).build();
        let mut wrong = frame.clone();
        wrong[50] ^= 4;
        frames.extend([wrong, frame]);
    }
    let fates = both(&good(frames), &Pace::default());
    for pair in fates.chunks(2) {
        assert_eq!(pair[0], Fate::Drop(drop::FRAME_ICRC));
        assert!(matches!(pair[1], Fate::Roce(..)));
    }
}

#[test]
fn t89_each_reason_in_its_place() {
    let send = Packet::new(0x04, &[], b"payload");
    let mut long = send.build();
    long.resize(4225, 0);
    let mut udp_short = send.build();
    udp_short[39] = 23;
    let frames = vec![
        (send.build()[..59].to_vec(), false, drop::FRAME_BAD),
        (send.build(), true, drop::FRAME_BAD),
        (long, false, drop::FRAME_LONG),
        (Packet { mac: [0x02, 0, 0, 0, 0, 7], ..send.clone() }.build(), false, drop::FRAME_MAC),
        (udp_short, false, drop::FRAME_LENGTH),
        (Packet { version: 1, ..send.clone() }.build(), false, drop::FRAME_VERSION),
        (Packet { opcode: 0x24, ..send.clone() }.build(), false, drop::FRAME_SERVICE),
        (Packet { opcode: 0x64, ..send.clone() }.build(), false, drop::FRAME_SERVICE),
        (Packet { opcode: 0x81, ..send.clone() }.build(), false, drop::FRAME_CONGESTION),
        (Packet { opcode: 0x15, ..send.clone() }.build(), false, drop::FRAME_OPCODE),
        (Packet { opcode: 0x18, ..send.clone() }.build(), false, drop::FRAME_OPCODE),
        (Packet { opcode: 0x1F, ..send.clone() }.build(), false, drop::FRAME_OPCODE),
        (Packet { opcode: 0x13, ..send.clone() }.build(), false, drop::FRAME_PAYLOAD),
    ];
    let goals: Vec<_> = frames.iter().map(|(_, _, reason)| Fate::Drop(*reason)).collect();
    let frames: Frames = frames.into_iter().map(|(frame, bad, _)| (frame, bad)).collect();
    assert_eq!(both(&frames, &Pace::default()), goals);
}

#[test]
fn t89_what_is_not_for_the_transport_goes_to_the_raw_ring() {
    let send = Packet::new(0x04, &[], b"payload");
    let mut options = send.build();
    options[14] = 0x46;
    let mut fragment = send.build();
    fragment[21] = 1;
    let mut more = send.build();
    more[20] |= 0x20;
    let mut extension_header = Packet { ipv6: true, ..send.clone() }.build();
    extension_header[20] = 0;
    let mut tcp = send.build();
    tcp[23] = 6;
    let ud = Packet { opcode: 0x64, qpn: 1, ..send.clone() };
    let mut ud_wrong = ud.build();
    ud_wrong[50] ^= 1;
    let frames = good([
        padded(ethernet([0xFF; 6], None, 0x0806, &[1; 28])),
        padded(ethernet(MAC, Some(5), 0x88CC, &[1; 60])),
        Packet { port: 53, ..send.clone() }.build(),
        Packet { dest: [10, 0, 0, 3], ..send.clone() }.build(),
        Packet { dest_v6: [0; 16], ipv6: true, ..send.clone() }.build(),
        Packet { mac: [0x33, 0x33, 0, 0, 0, 1], dest_v6: v6(9), ipv6: true, ..send.clone() }.build(),
        options,
        fragment,
        more,
        extension_header,
        tcp,
        ud.build(),
        ud_wrong,
        Packet { mac: [0xFF; 6], ..send }.build(),
    ]);
    let fates = both(&frames, &Pace::default());
    assert!(fates[..11].iter().all(|fate| *fate == Fate::Raw(false)), "{fates:?}");
    assert_eq!(fates[11..13], [Fate::Raw(true), Fate::Drop(drop::FRAME_ICRC)]);
    assert!(matches!(fates[13], Fate::Roce(..)));
}

#[test]
fn t89_promiscuous_takes_foreign_mac_addresses() {
    let frames = good([Packet { mac: [2, 0, 0, 0, 0, 7], ..Packet::new(0x04, &[], b"x") }.build()]);
    let settings = Settings { promiscuous: true, ..Settings::default() };
    let (fates, _) = check::<64, 8, 11>(&frames, &settings, &Pace::default());
    assert!(matches!(fates[0], Fate::Roce(..)));
}

/// Largest frames of section 6, and one byte more than the buffer takes.
#[test]
fn the_largest_frame_fits() {
    let mut random = RandomDrive::new(9);
    let largest =
        Packet { tag: Some(1), ipv6: true, ..Packet::new(0x0B, &bytes(&mut random, 20), &bytes(&mut random, 4096)) };
    let frame = largest.build();
    assert_eq!(frame.len(), 4198);
    let mut filled = frame.clone();
    filled.resize(4224, 3);
    let mut over = frame.clone();
    over.resize(9000, 3);
    let small = Packet::new(0x04, &[], b"x").build();
    let frames = good([frame, filled, over, small.clone(), small]);
    let fates = both(&frames, &Pace { limit: 20_000, ..Pace::default() });
    assert_eq!(fates[2], Fate::Drop(drop::FRAME_LONG));
    assert!(matches!(fates[4], Fate::Roce(..)));
}

#[test]
fn an_offer_comes_13_cycles_after_the_last_beat() {
    let frames = good([Packet::new(0x04, &[], &[1; 64]).build()]);
    let outcome = run::<64, 8, 10>(&frames, &Settings::default(), &Pace::default());
    assert_eq!(outcome.first_offer - outcome.last_beat, 13);
    let outcome = run::<512, 64, 8>(&frames, &Settings::default(), &Pace::default());
    assert_eq!(outcome.first_offer - outcome.last_beat, 13);
}

#[test]
fn frames_of_one_beat_back_to_back_do_not_hold_up_the_wire() {
    let ack = Packet { ack_request: false, ..Packet::new(0x11, &hex("1f000001"), &[]) };
    let frames = good((0..200).map(|psn| Packet { psn, ..ack.clone() }.build()));
    let (fates, stalls) = check::<512, 64, 8>(&frames, &Settings::default(), &Pace::default());
    assert!(fates.iter().all(|fate| matches!(fate, Fate::Roce(..))));
    assert_eq!(stalls, 0);
}

#[test]
fn t107_without_room_the_wire_waits_and_nothing_is_lost() {
    let frames = good((0..40).map(|psn| Packet { psn, ..Packet::new(0x04, &[], &[7; 500]) }.build()));
    let pace = Pace { sleep: 1500, ready: 1, ..Pace::default() };
    let (fates, stalls) = check::<64, 8, 10>(&frames, &Settings::default(), &pace);
    assert!(fates.iter().all(|fate| matches!(fate, Fate::Roce(..))));
    assert!(stalls > 300, "{stalls}");
}

/// What was not dropped is whole and in order; nothing is lost without being counted.
fn with_losses<const DATA: usize, const STRB: usize, const A: usize>(
    sent: &[Vec<u8>],
    reason: u8,
    pace: &Pace,
) -> usize {
    let outcome = run::<DATA, STRB, A>(&good(sent.iter().cloned()), &Settings::default(), pace);
    assert_eq!(outcome.stalls, 0);
    assert!(outcome.drops.iter().all(|found| *found == reason), "{:?}", outcome.drops);
    let mut sent_frames = sent.iter();
    for (_, bytes) in &outcome.frames {
        assert!(sent_frames.any(|frame| frame == bytes), "out of order or damaged: {bytes:02x?}");
    }
    assert_eq!(outcome.frames.last().map(|(_, bytes)| bytes), sent.last(), "it recovers");
    outcome.drops.len()
}

#[test]
fn t107_drop_when_full_loses_whole_frames_and_never_waits() {
    let sent: Vec<_> = (0..40).map(|psn| Packet { psn, ..Packet::new(0x04, &[], &[psn as u8; 500]) }.build()).collect();
    let pace = Pace { sleep: 1500, drop_when_full: true, ..Pace::default() };
    let lost = with_losses::<64, 8, 10>(&sent, drop::FRAME_FULL, &pace);
    assert!((3..35).contains(&lost), "{lost}");
}

#[test]
fn t107_drop_when_full_with_more_short_frames_than_headers_fit() {
    let ack = Packet { ack_request: false, ..Packet::new(0x11, &hex("1f000001"), &[]) };
    let sent: Vec<_> = (0..200).map(|psn| Packet { psn, ..ack.clone() }.build()).collect();
    let pace = Pace { sleep: 100, drop_when_full: true, ..Pace::default() };
    let lost = with_losses::<512, 64, 8>(&sent, drop::FRAME_FULL, &pace);
    assert!((50..180).contains(&lost), "{lost}");
}

#[test]
fn frames_before_the_device_is_enabled_are_dropped_and_counted() {
    let sent: Vec<_> = (0..12).map(|psn| Packet { psn, ..Packet::new(0x04, &[], b"abc") }.build()).collect();
    let lost = with_losses::<64, 8, 10>(&sent, drop::FRAME_DISABLED, &Pace { enabled: 40, ..Pace::default() });
    assert!((4..7).contains(&lost), "{lost}");
    let lost = with_losses::<512, 64, 8>(&sent, drop::FRAME_DISABLED, &Pace { enabled: 5, ..Pace::default() });
    assert_eq!(lost, 5);
}

/// Frames of a classic little-endian pcap file.
fn capture(name: &str) -> Vec<Vec<u8>> {
    let path = format!("{}/../tests/captures/{name}.pcap", env!("CARGO_MANIFEST_DIR"));
    let data = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(data[..4], [0xD4, 0xC3, 0xB2, 0xA1], "{path}");
    let (mut at, mut frames) = (24, vec![]);
    while at < data.len() {
        let count = u32::from_le_bytes(data[at + 8..at + 12].try_into().unwrap()) as usize;
        frames.push(data[at + 16..at + 16 + count].to_vec());
        at += 16 + count;
    }
    frames
}

/// All frames of a capture judged byte by byte, some of each opcode and length by the hardware too. Counts: for the transport,
/// to QP 1, of another service; all with the right ICRC.
fn captured(name: &str, roce: usize, to_qp1: usize, service: usize) {
    let frames: Vec<_> = capture(name).into_iter().map(padded).collect();
    let mut settings = Settings { promiscuous: true, own: [[0; 16]; 8], ..Settings::default() };
    (settings.own[0], settings.own[2]) = (v4([10, 0, 0, 1]), v4([10, 0, 0, 2]));
    (settings.own[5], settings.own[7]) = (v6(1), v6(2));
    let fates: Vec<_> = frames.iter().map(|frame| fate(frame, false, &settings)).collect();
    let count = |kind: fn(&Fate) -> bool| fates.iter().filter(|fate| kind(fate)).count();
    assert_eq!(count(|fate| matches!(fate, Fate::Roce(..))), roce, "{name}");
    assert_eq!(count(|fate| *fate == Fate::Raw(true)), to_qp1, "{name}");
    assert_eq!(count(|fate| *fate == Fate::Drop(drop::FRAME_SERVICE)), service, "{name}");
    assert_eq!(count(|fate| matches!(fate, Fate::Drop(_))), service, "{name}: no frame is wrong");
    let some = |most: usize| {
        let mut seen = std::collections::HashMap::new();
        good(frames.iter().cloned().filter(|frame| {
            let opcode = if frame[14] >> 4 == 4 { frame[42] } else { frame[frame.len().min(63) - 1] };
            let times = seen.entry((opcode, frame.len())).or_insert(0);
            *times += 1;
            *times <= most
        }))
    };
    check::<64, 8, 11>(&some(1), &settings, &Pace::default());
    check::<512, 64, 8>(&some(3), &settings, &Pace::default());
}

#[test]
fn captures_of_rxe_all_verbs() {
    captured("rxe-all-verbs", 235, 0, 0);
}

#[test]
fn captures_of_rxe_over_ipv6() {
    captured("rxe-ipv6", 240, 0, 150);
}

#[test]
fn captures_of_rxe_with_the_connection_manager() {
    captured("rxe-rping-rdma-cm", 200, 5, 0);
}
