//! The blocks of this subsystem with the instances and inputs of their checks.
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use crate::widgets::AxiStreamSubordinate;
use num_bigint::BigUint;
use rust_hdl::prelude::*;

fn icrc<const DATA: usize, const STRB: usize>(u: &mut Icrc<DATA, STRB>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.set(&mut u.beat);
    r.mostly(&mut u.valid);
    r.seldom(&mut u.first);
    r.set(&mut u.start);
    u.count.next = bits(1 + r.below(STRB as u64));
    r.seldom(&mut u.last);
}

fn crc_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "wire/xor_matrix",
            || XorMatrix::<64>::new(|j| 0x9E37_79B9u32.rotate_left(j as u32) ^ j as u32),
            |_| None,
            |u, r| r.set(&mut u.word),
        ),
        BlockCheck::new(
            "wire/retreat",
            || Retreat::new(1),
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.state);
                r.set(&mut u.spare);
                r.set(&mut u.valid);
            },
        ),
        BlockCheck::new("wire/icrc", Icrc::<64, 8>::default, |u| Some(&mut u.clock), icrc),
        BlockCheck::new("wire/icrc_512", Icrc::<512, 64>::default, |u| Some(&mut u.clock), icrc).vectors(60),
    ]
}

fn parse_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new("wire/reverse", Reverse::<24, 3>::default, |_| None, |u, r| r.set(&mut u.word)),
        BlockCheck::new("wire/extension_length", ExtensionLength::default, |_| None, |u, r| r.set(&mut u.opcode)),
        BlockCheck::new(
            "wire/parse_address",
            ParseAddress::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.own_mac);
                u.own.iter_mut().for_each(|own| r.set(own));
                r.set(&mut u.mac);
                r.set(&mut u.dest);
            },
        ),
        BlockCheck::new(
            "wire/parse_checksum",
            ParseChecksum::default,
            |u| Some(&mut u.clock),
            |u, r| r.set(&mut u.headers),
        ),
        BlockCheck::new(
            "wire/parse_fields",
            ParseFields::default,
            |_| None,
            |u, r| {
                r.set(&mut u.headers);
                u.headers.next.bth0 = bits(r.below(0x20));
                r.set(&mut u.end_of);
            },
        ),
        BlockCheck::new(
            "wire/parse_shape",
            ParseShape::default,
            |_| None,
            |u, r| {
                r.set(&mut u.headers);
                r.set(&mut u.end_of);
            },
        ),
        BlockCheck::new(
            "wire/parse_judge",
            ParseJudge::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.promiscuous);
                r.set(&mut u.own_mac);
                u.own.iter_mut().for_each(|own| r.set(own));
                r.set(&mut u.sink_valid);
                r.set(&mut u.headers);
                u.headers.next.ip0 = bits(0x4500_0045);
                r.set(&mut u.end_of);
                u.end_of.next.full = r.chance(1, 8);
            },
        ),
    ]
}

/// Beats of frames that look a little like Ethernet.
fn beats<const DATA: usize, const STRB: usize>(axis: &mut AxiStreamSubordinate<DATA, STRB>, r: &mut RandomDrive) {
    r.set(&mut axis.tdata);
    r.mostly(&mut axis.tvalid);
    r.seldom(&mut axis.tlast);
    r.seldom(&mut axis.tuser);
    axis.tkeep.next = Bits::from((BigUint::from(2u8) << r.below(STRB as u64) as usize) - 1u8);
}

fn beat(beat: &mut Signal<In, RxBeat>, r: &mut RandomDrive) {
    r.set(beat);
    beat.next.index = bits(r.below(12));
    beat.next.first = r.chance(1, 8);
    beat.next.last = r.chance(1, 8);
}

fn receiver<const DATA: usize, const STRB: usize, const A: usize>(
    u: &mut FrameReceiver<DATA, STRB, A>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    beats(&mut u.axis, r);
    r.mostly(&mut u.enable);
    r.set(&mut u.promiscuous);
    r.set(&mut u.drop_when_full);
    r.set(&mut u.own_mac);
    u.own.iter_mut().for_each(|own| r.set(own));
    r.source(&mut u.frame);
    r.source(&mut u.drop);
    r.set(&mut u.read_address);
    r.seldom(&mut u.release_frame);
}

fn receive_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "wire/receive_intake",
            RxIntake::<64, 8, 10>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                beats(&mut u.axis, r);
                r.mostly(&mut u.enable);
                r.set(&mut u.drop_when_full);
                r.seldom(&mut u.crowded);
                r.set(&mut u.head);
            },
        ),
        BlockCheck::new(
            "wire/receive_words",
            RxWords::<64, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.sink_data);
                beat(&mut u.sink, r);
            },
        ),
        BlockCheck::new(
            "wire/receive_headers",
            RxHeaders::default,
            |_| None,
            |u, r| {
                u.words.iter_mut().for_each(|word| r.set(word));
                for word in 3..5 {
                    let kinds = [0x0081_0000, 0x0008_0000, 0xDD86_0000, 0];
                    u.words[word].next = bits(kinds[r.below(4) as usize] + r.below(0x1_0000));
                }
            },
        ),
        BlockCheck::new(
            "wire/beat_mask",
            BeatMask::<64, 8>::default,
            |_| None,
            |u, r| {
                r.set(&mut u.data);
                u.index.next = bits(r.below(20));
                r.set(&mut u.kind);
            },
        ),
        BlockCheck::new(
            "wire/receive_icrc",
            RxIcrc::<64, 8>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.data);
                beat(&mut u.beat, r);
                r.set(&mut u.vlan);
                r.set(&mut u.ipv6);
                u.ip_length.next = bits(r.below(80));
            },
        ),
        BlockCheck::new(
            "wire/receive_offer",
            RxOffer::<10>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.fields);
                r.seldom(&mut u.fields_valid);
                r.set(&mut u.verdict);
                if r.chance(1, 2) {
                    u.verdict.next.reason = bits(0);
                }
                r.seldom(&mut u.verdict_valid);
                r.set(&mut u.good);
                r.seldom(&mut u.judged);
                r.source(&mut u.frame);
                r.source(&mut u.drop);
                r.seldom(&mut u.release_frame);
            },
        ),
        BlockCheck::new(
            "wire/receive_missed",
            RxMissed::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.sink);
                r.seldom(&mut u.full);
                r.seldom(&mut u.disabled);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new("wire/receive", FrameReceiver::<64, 8, 10>::default, |u| Some(&mut u.clock), receiver)
            .vectors(150),
        BlockCheck::new("wire/receive_512", FrameReceiver::<512, 64, 8>::default, |u| Some(&mut u.clock), receiver)
            .vectors(40),
    ]
}

pub(super) fn list() -> Vec<BlockCheck> {
    [crc_blocks(), parse_blocks(), receive_blocks()].into_iter().flatten().collect()
}
