//! The codec against the golden frames of the specification and against every frame of the captures.
use super::*;
use crate::wire::capture::{read_capture, Recorded};
use std::path::Path;

/// Bytes of hexadecimal digits, blanks ignored.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

const V4: Network = Network::v4([10, 0, 0, 1], [10, 0, 0, 2]);

fn v6() -> Network {
    let address = |last| [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
    Network::v6(address(1), address(2))
}

/// A frame to queue pair 11 with these extension headers.
fn frame(network: Network, opcode: u8, psn: u32, change: impl Fn(&mut Frame)) -> Frame {
    let mut frame = Frame::new(network, Bth::new(opcode, 0x11, psn));
    change(&mut frame);
    frame
}

/// The frame builds to these bytes from the IP header on, and they parse to the frame.
fn golden(frame: &Frame, expected: &str) {
    let (built, expected) = (frame.build(), hex(expected));
    assert_eq!(built[14..14 + expected.len()], expected, "{frame}");
    assert!(built[14 + expected.len()..].iter().all(|byte| *byte == 0));
    assert_eq!(built.len(), (14 + expected.len()).max(60));
    assert_eq!(Frame::parse(&built).as_ref(), Ok(frame));
}

fn icrc_of(frame: &Frame) -> String {
    let built = frame.build();
    built[built.len() - 4..].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn ack(frame: &mut Frame) {
    frame.bth.ack_request = true;
}

/// The WRITE_ONLY of section G.
fn write(network: Network) -> Frame {
    frame(network, opcode::WRITE_ONLY, 0x12_3456, |frame| {
        ack(frame);
        frame.extensions.reth = Some(Reth { va: 0x1234_5FF0, rkey: 0x1A2B, length: 16 });
        frame.payload = (0..16).collect();
    })
}

fn aeth(syndrome: u8, msn: u32) -> impl Fn(&mut Frame) {
    move |frame| frame.extensions.aeth = Some(Aeth { syndrome, msn })
}

#[test]
fn g11_icrc_vectors() {
    golden(
        &write(V4),
        "4500004c000040004011269f0a0000010a000002 c00012b700380000 0a00ffff0000001180123456
         0000000012345ff000001a2b00000010 000102030405060708090a0b0c0d0e0f d3810d0d",
    );
    golden(
        &write(v6()),
        "6000000000381140 fd000000000000000000000000000001 fd000000000000000000000000000002 c00012b700380000
         0a00ffff0000001180123456 0000000012345ff000001a2b00000010 000102030405060708090a0b0c0d0e0f 74ccacd8",
    );
    let invalidate = |network| {
        frame(network, opcode::SEND_ONLY_INV, 0x12_3457, |frame| {
            ack(frame);
            frame.extensions.invalidate = Some(0x1A2B);
            frame.payload = (0..16).collect();
        })
    };
    assert_eq!(icrc_of(&invalidate(V4)), "ddb35366");
    assert_eq!(icrc_of(&invalidate(v6())), "d4d1e08a");
    let acknowledge = |syndrome, msn| frame(V4, opcode::ACKNOWLEDGE, 0x12_3456, aeth(syndrome, msn));
    assert_eq!(icrc_of(&acknowledge(0x1F, 1)), "a0fea7e8");
    assert_eq!(icrc_of(&acknowledge(0x62, 1)), "e186f271");
}

#[test]
fn g11_what_routers_change_is_not_covered() {
    let changed = |change: fn(&mut Frame)| {
        let mut frame = write(V4);
        change(&mut frame);
        let built = frame.build();
        assert_eq!(Frame::parse(&built), Ok(frame.clone()));
        icrc_of(&frame)
    };
    assert_eq!(changed(|frame| frame.bth.congestion = 0xC0), "d3810d0d");
    assert_eq!(
        changed(|frame| if let Network::V4 { tos, ttl, .. } = &mut frame.network {
            (*tos, *ttl) = (0x6B, 3);
        }),
        "d3810d0d"
    );
    assert_eq!(changed(|frame| frame.source_port = 0xC001), "407233c7");
    assert_eq!(
        changed(|frame| if let Network::V4 { identification, .. } = &mut frame.network {
            *identification = 1;
        }),
        "8b654c80"
    );
}

#[test]
fn golden_frames_of_section_6() {
    golden(
        &frame(V4, opcode::SEND_ONLY, 1, ack),
        "4500002c00004000401126bf 0a0000010a000002 c00012b700180000 0400ffff0000001180000001 275a1d7e",
    );
    golden(
        &frame(V4, opcode::READ_REQUEST, 0x10, |frame| {
            ack(frame);
            frame.extensions.reth = Some(Reth { va: 0x7000, rkey: 0x1A2B, length: 0 });
        }),
        "4500003c00004000401126af0a0000010a000002 c00012b700280000 0c00ffff0000001180000010
         000000000000700000001a2b00000000 b9e14168",
    );
    golden(
        &frame(V4, opcode::ATOMIC_ACKNOWLEDGE, 0x20, |frame| {
            aeth(0x1F, 5)(frame);
            frame.extensions.original = Some(0x1122_3344_5566_7788);
        }),
        "4500003800004000401126b30a0000010a000002 c00012b700240000 1200ffff0000001100000020
         1f0000051122334455667788 e5122cd3",
    );
    golden(
        &frame(V4, opcode::FETCH_ADD, 0x21, |frame| {
            ack(frame);
            frame.extensions.atomic = Some(AtomicEth { va: 0x7000, rkey: 0x1A2B, swap_add: 5, compare: 0 });
        }),
        "4500004800004000401126a30a0000010a000002 c00012b700340000 1400ffff0000001180000021
         000000000000700000001a2b00000000000000050000000000000000 224d6eb2",
    );
    golden(
        &frame(V4, opcode::ACKNOWLEDGE, 0xFF_FFFF, aeth(0x60, 7)),
        "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100ffffff 60000007 183ff756",
    );
    golden(
        &frame(V4, opcode::ACKNOWLEDGE, 0x30, aeth(0x2C, 7)),
        "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100000030 2c000007 6b46829a",
    );
    golden(
        &frame(V4, opcode::WRITE_ONLY_IMM, 0x22, |frame| {
            ack(frame);
            frame.extensions.reth = Some(Reth { va: 0x7000, rkey: 0x1A2B, length: 1 });
            frame.extensions.immediate = Some([0xDE, 0xAD, 0xBE, 0xEF]);
            frame.payload = vec![0xAA];
        }),
        "4500004400004000401126a70a0000010a000002 c00012b700300000 0b30ffff0000001180000022
         000000000000700000001a2b00000001 deadbeef aa000000 58069cc9",
    );
}

fn captured(name: &str) -> Vec<Recorded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures").join(name);
    read_capture(&path).unwrap()
}

/// Every RoCEv2 frame of the captures parses, and builds to the very bytes that were on the wire.
#[test]
fn every_captured_frame_is_built_as_it_was() {
    let mut opcodes = std::collections::BTreeSet::new();
    for (name, frames, roce) in
        [("rxe-all-verbs.pcap", 242, 235), ("rxe-ipv6.pcap", 470, 390), ("rxe-rping-rdma-cm.pcap", 213, 205)]
    {
        let recorded = captured(name);
        assert_eq!(recorded.len(), frames, "{name}");
        let mut found = 0;
        for (number, Recorded { bytes, .. }) in recorded.iter().enumerate() {
            match Frame::parse(bytes) {
                Ok(frame) => {
                    assert_eq!(frame.build(), padded(bytes), "{name}, frame {}: {frame}", number + 1);
                    assert!(!frame.to_string().contains("opcode"), "{frame}");
                    opcodes.insert(frame.bth.opcode);
                    found += 1;
                }
                Err(NotRoce::EtherType(_) | NotRoce::Protocol(_) | NotRoce::Port(_)) => {}
                Err(reason) => panic!("{name}, frame {}: {reason}", number + 1),
            }
        }
        assert_eq!(found, roce, "{name}");
    }
    assert!((0..=0x14).filter(|opcode| ![3, 5, 9].contains(opcode)).all(|opcode| opcodes.contains(&opcode)));
}

/// Captures on the sending side show frames before they are padded.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().max(SHORTEST), 0);
    bytes
}

#[test]
fn every_layout_comes_back_with_every_padding() {
    for (code, ..) in opcode::OPCODES {
        for (network, vlan) in [(V4, None), (V4, Some(0x2123)), (v6(), None), (v6(), Some(7))] {
            for bytes in [0, 1, 2, 3, 4, 255] {
                let mut frame = Frame::new(network, Bth::new(*code, 0x12_3456, 0xFF_FFFF));
                frame.vlan = vlan;
                frame.payload = (0..bytes).map(|byte| byte as u8).collect();
                for extension in opcode::extensions(*code).unwrap() {
                    let extensions = &mut frame.extensions;
                    match extension {
                        Extension::Deth => extensions.deth = Some(Deth { qkey: 1, source_qpn: 2 }),
                        Extension::Reth => extensions.reth = Some(Reth { va: 3, rkey: 4, length: 5 }),
                        Extension::Aeth => extensions.aeth = Some(Aeth { syndrome: 6, msn: 7 }),
                        Extension::AtomicEth => {
                            extensions.atomic = Some(AtomicEth { va: 8, rkey: 9, swap_add: 10, compare: 11 });
                        }
                        Extension::AtomicAckEth => extensions.original = Some(12),
                        Extension::ImmDt => extensions.immediate = Some([13, 14, 15, 16]),
                        Extension::Ieth => extensions.invalidate = Some(17),
                    }
                }
                let built = frame.build();
                let header: usize = opcode::extensions(*code).unwrap().iter().map(|extension| extension.bytes()).sum();
                let tag = if vlan.is_some() { 4 } else { 0 };
                let expected = 14 + tag + network.bytes() + 8 + 12 + header + (bytes + 3) / 4 * 4 + 4;
                assert_eq!(built.len(), expected.max(SHORTEST));
                assert_eq!(Frame::parse(&built), Ok(frame));
            }
        }
    }
}

#[test]
fn a_changed_bit_is_found() {
    let built = write(V4).build();
    for bit in 14 * 8..built.len() * 8 {
        let mut changed = built.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(frame) = Frame::parse(&changed) {
            let (byte, free) = (bit / 8 - 14, [26, 27, 32]);
            assert!(free.contains(&byte), "byte {byte} of the packet: {frame}");
        }
    }
}

#[test]
fn t88_bytes_behind_the_ip_length_are_ignored_and_missing_ones_are_not() {
    let mut built = write(V4).build();
    built.extend([1, 2]);
    assert_eq!(Frame::parse(&built), Ok(write(V4)));
    built.truncate(built.len() - 3);
    assert_eq!(Frame::parse(&built), Err(NotRoce::Length));
    assert_eq!(Frame::parse(&built[..20]), Err(NotRoce::Short));
}

#[test]
fn what_is_no_roce_says_so() {
    let mut built = write(V4).build();
    let mut with = |at: usize, value: u8| {
        let before = std::mem::replace(&mut built[at], value);
        let found = Frame::parse(&built).unwrap_err();
        built[at] = before;
        found
    };
    assert_eq!(with(12, 0x09), NotRoce::EtherType(0x0900));
    assert_eq!(with(14, 0x46), NotRoce::Options);
    assert_eq!(with(23, 6), NotRoce::Protocol(6));
    assert_eq!(with(36, 0), NotRoce::Port(0xB7));
    assert_eq!(with(24, 0), NotRoce::Checksum);
    assert_eq!(with(38, 1), NotRoce::Length);
    assert_eq!(with(42, 0x0B), NotRoce::Icrc);
    assert_eq!(describe(&[0; 20]), "EtherType 0000");
}

#[test]
fn a_frame_is_one_line() {
    assert_eq!(write(V4).to_string(), "WRITE_ONLY qp 000011 psn 123456 va 12345ff0 key 00001a2b of 16 ack? + 16");
    assert_eq!(
        frame(V4, opcode::ACKNOWLEDGE, 3, aeth(0x62, 1)).to_string(),
        "ACKNOWLEDGE qp 000011 psn 000003 syndrome 62 msn 000001"
    );
}
