//! The blocks between the transmit engines and the wire with the instances and inputs of their checks.
use super::headers_checksum::Ipv4Checksum;
use super::headers_fetch::HeaderFetch;
use super::headers_kind::HeaderKind;
use super::headers_length::HeaderLength;
use super::headers_network::NetworkHeader;
use super::headers_shape::HeaderShape;
use super::headers_transport::TransportHeader;
use super::pack_masks::PackMasks;
use super::pack_rotate::PackRotate;
use super::pack_sequence::PackSequence;
use super::*;
use crate::check::{BlockCheck, RandomDrive};
use crate::types::PayloadMark;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Fields of the extension headers and lengths as random as the rest, RC opcodes mostly.
fn frames(r: &mut RandomDrive, sink: &mut ChannelSink<TxFrame>) {
    r.sink(sink);
    sink.data.next.opcode = bits(r.below(0x20));
    sink.data.next.payload = bits(r.below(40));
}

fn headers(r: &mut RandomDrive, sink: &mut ChannelSink<FrameHeader>, lanes: u64) {
    r.sink(sink);
    let length = 54 + 4 * r.below(14);
    let payload = 4 * r.below(9);
    let header = &mut sink.data;
    header.next.length = bits(length);
    header.next.payload = payload > 0;
    header.next.beats = bits((length + payload + 4).div_ceil(lanes));
}

fn payload<const DATA: usize>(r: &mut RandomDrive, sink: &mut crate::types::PayloadSink<DATA>) {
    r.set(&mut sink.data);
    sink.mark.next = mark(r, DATA as u64 / 8);
    sink.valid.next = r.chance(2, 3);
}

fn mark(r: &mut RandomDrive, lanes: u64) -> PayloadMark {
    let mut mark = PayloadMark::default();
    let lane = r.below(lanes);
    mark.lane = bits(lane);
    mark.count = bits(1 + r.below(lanes - lane));
    mark.last = r.chance(1, 3);
    mark.failed = mark.last && r.chance(1, 4);
    mark
}

fn stream<const DATA: usize>(r: &mut RandomDrive, sink: &mut FrameSink<DATA>) {
    r.set(&mut sink.data);
    let last = r.chance(1, 3);
    let count = if last { 1 + r.below(DATA as u64 / 8) } else { DATA as u64 / 8 };
    sink.mark.next.last = last;
    sink.mark.next.count = bits(count);
    sink.valid.next = r.chance(2, 3);
}

fn header_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new("wire/headers_kind", HeaderKind::default, |_| None, |u, r| r.set(&mut u.opcode)),
        BlockCheck::new(
            "wire/headers_fetch",
            HeaderFetch::<3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.frame);
                r.set(&mut u.path_write);
                r.set(&mut u.path_index);
                r.set(&mut u.path_row);
                u.own_addresses.iter_mut().for_each(|address| r.set(address));
                r.mostly(&mut u.ready);
                r.set(&mut u.sure);
            },
        ),
        BlockCheck::new(
            "wire/headers_length",
            HeaderLength::default,
            |u| Some(&mut u.clock),
            |u, r| r.set(&mut u.frame),
        ),
        BlockCheck::new(
            "wire/headers_checksum",
            Ipv4Checksum::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.path);
                r.set(&mut u.source);
                r.set(&mut u.total_length);
                r.set(&mut u.load);
            },
        ),
        BlockCheck::new(
            "wire/headers_shape",
            HeaderShape::<64>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.set(&mut u.ipv6);
                r.set(&mut u.has_tag);
                r.set(&mut u.extension_bytes);
                r.set(&mut u.udp_length);
            },
        ),
        BlockCheck::new(
            "wire/headers_transport",
            TransportHeader::default,
            |_| None,
            |u, r| {
                r.set(&mut u.frame);
                r.set(&mut u.path);
                r.set(&mut u.extensions);
                r.set(&mut u.pad);
                r.set(&mut u.migreq);
                r.set(&mut u.udp_length);
            },
        ),
        BlockCheck::new(
            "wire/headers_network",
            NetworkHeader::default,
            |_| None,
            |u, r| {
                r.set(&mut u.path);
                r.set(&mut u.own_mac);
                r.set(&mut u.source);
                r.set(&mut u.udp_length);
                r.set(&mut u.total_length);
                r.set(&mut u.checksum);
            },
        ),
        BlockCheck::new(
            "wire/headers",
            HeaderGenerator::<8, 3>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                frames(r, &mut u.frame);
                r.set(&mut u.path_write);
                r.set(&mut u.path_index);
                r.set(&mut u.path_row);
                r.set(&mut u.own_mac);
                u.own_addresses.iter_mut().for_each(|address| r.set(address));
                r.set(&mut u.migreq);
                r.source(&mut u.header);
            },
        ),
    ]
}

fn sequence<const DATA: usize, const STRB: usize>(u: &mut PackSequence<DATA, STRB>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    headers(r, &mut u.header, STRB as u64);
    payload(r, &mut u.payload);
    r.mostly(&mut u.room);
    r.mostly(&mut u.room_for_frame);
}

fn packer<const DATA: usize, const STRB: usize>(u: &mut Packer<DATA, STRB>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    headers(r, &mut u.header, STRB as u64);
    payload(r, &mut u.payload);
    r.mostly(&mut u.room);
    r.mostly(&mut u.room_for_frame);
}

fn masks<const DATA: usize>(u: &mut PackMasks<DATA>, r: &mut RandomDrive) {
    u.low.next = bits(r.below(DATA as u64 / 8));
    u.high.next = bits(r.below(DATA as u64 / 4));
}

fn rotate<const DATA: usize>(u: &mut PackRotate<DATA>, r: &mut RandomDrive) {
    r.set(&mut u.beat);
    u.rotation.next = bits(r.below(DATA as u64 / 8));
}

fn icrc_mask<const DATA: usize, const STRB: usize>(u: &mut IcrcMask<DATA, STRB>, r: &mut RandomDrive) {
    r.mostly(&mut u.valid);
    r.seldom(&mut u.first);
    r.set(&mut u.has_tag);
    r.set(&mut u.ipv6);
    r.set(&mut u.beat);
}

fn pack_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new("wire/pack_sequence", PackSequence::<64, 8>::default, |u| Some(&mut u.clock), sequence),
        BlockCheck::new("wire/pack_sequence_512", PackSequence::<512, 64>::default, |u| Some(&mut u.clock), sequence)
            .vectors(60),
        BlockCheck::new("wire/pack_rotate", PackRotate::<64>::default, |u| Some(&mut u.clock), rotate),
        BlockCheck::new("wire/pack_rotate_512", PackRotate::<512>::default, |u| Some(&mut u.clock), rotate)
            .vectors(100),
        BlockCheck::new("wire/pack_masks", PackMasks::<64>::default, |u| Some(&mut u.clock), masks),
        BlockCheck::new("wire/pack_masks_512", PackMasks::<512>::default, |u| Some(&mut u.clock), masks).vectors(100),
        BlockCheck::new("wire/pack", Packer::<64, 8>::default, |u| Some(&mut u.clock), packer),
        BlockCheck::new("wire/icrc_mask", IcrcMask::<64, 8>::default, |u| Some(&mut u.clock), icrc_mask),
        BlockCheck::new("wire/icrc_mask_512", IcrcMask::<512, 64>::default, |u| Some(&mut u.clock), icrc_mask)
            .vectors(60),
    ]
}

fn builder<const DATA: usize, const STRB: usize, const QA: usize, const A: usize>(
    u: &mut FrameBuilder<DATA, STRB, QA, A>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    frames(r, &mut u.frame);
    payload(r, &mut u.payload);
    r.set(&mut u.path_write);
    r.set(&mut u.path_index);
    r.set(&mut u.path_row);
    r.set(&mut u.own_mac);
    u.own_addresses.iter_mut().for_each(|address| r.set(address));
    r.set(&mut u.migreq);
    r.mostly(&mut u.source.ready);
}

fn arbiter<const DATA: usize, const STRB: usize, const N: usize>(
    u: &mut WireArbiter<DATA, STRB, N>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    u.stop.next = r.chance(1, 4);
    u.sinks.iter_mut().for_each(|sink| stream(r, sink));
    r.mostly(&mut u.stream.tready);
}

fn stream_blocks() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new(
            "wire/beat_stage",
            BeatStage::<FrameMark, 64>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.data_in);
                r.set(&mut u.mark_in);
                r.mostly(&mut u.valid_in);
                r.mostly(&mut u.ready_out);
            },
        ),
        BlockCheck::new(
            "wire/store",
            FrameStore::<64, 5>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.set(&mut u.write);
                r.set(&mut u.data);
                r.set(&mut u.complete);
                r.seldom(&mut u.fails);
                r.set(&mut u.read);
            },
        ),
        BlockCheck::new(
            "wire/send",
            FrameSend::<64>::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.complete);
                u.complete.data.next.beats = bits(1 + r.below(4));
                r.set(&mut u.data);
                r.mostly(&mut u.frame.ready);
            },
        ),
        BlockCheck::new(
            "wire/frame_choice",
            FrameChoice::default,
            |u| Some(&mut u.clock),
            |u, r| {
                r.reset(&mut u.reset);
                r.sink(&mut u.control);
                r.sink(&mut u.data);
                r.source(&mut u.source);
            },
        ),
        BlockCheck::new("wire/build", FrameBuilder::<64, 8, 3, 6>::default, |u| Some(&mut u.clock), builder),
        BlockCheck::new("wire/build_512", FrameBuilder::<512, 64, 3, 5>::default, |u| Some(&mut u.clock), builder)
            .vectors(40),
        BlockCheck::new("wire/arbiter", WireArbiter::<64, 8, 3>::default, |u| Some(&mut u.clock), arbiter),
        BlockCheck::new("wire/arbiter_512", WireArbiter::<512, 64, 3>::default, |u| Some(&mut u.clock), arbiter)
            .vectors(60),
    ]
}

pub(super) fn list() -> Vec<BlockCheck> {
    [header_blocks(), pack_blocks(), stream_blocks()].into_iter().flatten().collect()
}
