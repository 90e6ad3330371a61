//! The blocks of the raw rings with the instances and inputs of their checks.
use super::*;
use crate::check::RandomDrive;
use crate::types::{ReadClient, ReadServer, WriteClient, WriteServer};
use crate::wire::RxFrame;
use rust_hdl::prelude::*;

fn reader<const DATA: usize>(r: &mut RandomDrive, client: &mut ReadClient<DATA>) {
    r.source(&mut client.command);
    client.beat_valid.next = r.chance(1, 3);
    r.set(&mut client.beat_data);
    r.seldom(&mut client.beat_error);
}

fn writer<const DATA: usize>(r: &mut RandomDrive, client: &mut WriteClient<DATA>) {
    r.source(&mut client.command);
    r.source(&mut client.beat);
    client.done.next = r.chance(1, 3);
    r.set(&mut client.failed);
}

fn ring(r: &mut RandomDrive, ring: &mut Signal<In, RawSettings>, restart: &mut Signal<In, Bit>) {
    if r.chance(1, 8) {
        let settings = RawSettings { log2: bits(r.below(6)), producer: bits(r.below(40)), ..r.value() };
        ring.next = settings;
    }
    r.seldom(restart);
}

fn descriptor(r: &mut RandomDrive) -> RawDescriptor {
    RawDescriptor {
        address: if r.chance(1, 8) { r.value() } else { bits(r.below(1 << 52)) },
        length: if r.chance(1, 8) { r.value() } else { bits(r.below(300)) },
        flags: if r.chance(1, 8) { r.value() } else { bits(r.below(2)) },
        failed: r.chance(1, 8),
        ..r.value()
    }
}

fn frame(r: &mut RandomDrive) -> RxFrame {
    RxFrame { bytes: bits(60 + r.below(300)), ..r.value() }
}

fn fetch(r: &mut RandomDrive, lanes: u64) -> RawFetch {
    RawFetch { lane: bits(r.below(lanes)), bytes: bits(14 + r.below(150)), icrc: r.chance(1, 2) }
}

fn descriptors<const DATA: usize>(u: &mut RawDescriptors<DATA>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.mostly(&mut u.enable);
    ring(r, &mut u.ring, &mut u.restart);
    reader(r, &mut u.read);
    r.source(&mut u.source);
}

fn align<const DATA: usize, const STRB: usize>(u: &mut RawAlign<DATA, STRB>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    u.starts.next = r.chance(1, 24);
    u.fetch.next = fetch(r, STRB as u64);
    r.set(&mut u.beat_valid);
    r.set(&mut u.beat_data);
    r.seldom(&mut u.beat_error);
}

fn icrc<const DATA: usize, const STRB: usize>(u: &mut RawIcrc<DATA, STRB>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    let count = 1 + r.below(STRB as u64);
    u.beat.next = RawBeat { index: bits(r.below(12)), count: bits(count), ..r.value() };
    r.set(&mut u.data);
}

fn assemble<const DATA: usize, const STRB: usize, const A: usize>(
    u: &mut RawAssemble<DATA, STRB, A>,
    r: &mut RandomDrive,
) {
    r.reset(&mut u.reset);
    u.fetch.data.next = fetch(r, STRB as u64);
    r.set(&mut u.fetch.valid);
    r.set(&mut u.beat_valid);
    r.set(&mut u.beat_data);
    u.beat_error.next = r.chance(1, 60);
    r.mostly(&mut u.source.ready);
}

fn send<const DATA: usize, const STRB: usize, const A: usize>(u: &mut RawSend<DATA, STRB, A>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    u.descriptor.data.next = descriptor(r);
    r.set(&mut u.descriptor.valid);
    reader(r, &mut u.read);
    u.read.beat_error.next = r.chance(1, 60);
    r.mostly(&mut u.source.ready);
    r.source(&mut u.note);
}

fn read_share<const DATA: usize>(u: &mut RawReadShare<DATA, 3>, r: &mut RandomDrive) {
    fn client<const DATA: usize>(r: &mut RandomDrive, server: &mut ReadServer<DATA>) {
        r.sink(&mut server.command);
        server.command.data.next.length = bits(1 + r.below(200));
    }
    r.reset(&mut u.reset);
    u.clients.iter_mut().for_each(|server| client(r, server));
    reader(r, &mut u.read);
}

fn write_share<const DATA: usize>(u: &mut RawWriteShare<DATA, 3>, r: &mut RandomDrive) {
    fn client<const DATA: usize>(r: &mut RandomDrive, server: &mut WriteServer<DATA>) {
        r.sink(&mut server.command);
        server.command.data.next.length = bits(1 + r.below(100));
        r.sink(&mut server.beat);
    }
    r.reset(&mut u.reset);
    u.clients.iter_mut().for_each(|server| client(r, server));
    writer(r, &mut u.write);
}

fn write_back<const DATA: usize>(u: &mut RawWriteBack<DATA>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.sink(&mut u.note);
    r.seldom(&mut u.landed);
    r.set(&mut u.landed_failed);
    r.source(&mut u.drop);
    writer(r, &mut u.write);
}

fn rings<const DATA: usize, const STRB: usize, const A: usize>(u: &mut RawRings<DATA, STRB, A>, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    r.mostly(&mut u.enable);
    ring(r, &mut u.receive_ring, &mut u.receive_restart);
    ring(r, &mut u.send_ring, &mut u.send_restart);
    u.frame.data.next = frame(r);
    r.set(&mut u.frame.valid);
    r.source(&mut u.job);
    r.sink(&mut u.placed.command);
    u.placed.command.data.next.length = bits(1 + r.below(100));
    r.sink(&mut u.placed.beat);
    r.seldom(&mut u.landed);
    r.set(&mut u.landed_failed);
    r.source(&mut u.drop);
    r.mostly(&mut u.source.ready);
    reader(r, &mut u.read);
    writer(r, &mut u.write);
}

fn receive(u: &mut RawReceive, r: &mut RandomDrive) {
    r.reset(&mut u.reset);
    u.frame.data.next = frame(r);
    r.set(&mut u.frame.valid);
    u.descriptor.data.next = descriptor(r);
    r.set(&mut u.descriptor.valid);
    r.set(&mut u.empty);
    r.source(&mut u.job);
    r.source(&mut u.note);
    r.source(&mut u.drop);
}

fn narrow() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new("raw/descriptors", RawDescriptors::<64>::default, |u| Some(&mut u.clock), descriptors),
        BlockCheck::new("raw/receive", RawReceive::default, |u| Some(&mut u.clock), receive),
        BlockCheck::new("raw/write_back", RawWriteBack::<64>::default, |u| Some(&mut u.clock), write_back),
        BlockCheck::new("raw/read_share", RawReadShare::<64, 3>::default, |u| Some(&mut u.clock), read_share),
        BlockCheck::new("raw/write_share", RawWriteShare::<64, 3>::default, |u| Some(&mut u.clock), write_share),
        BlockCheck::new("raw/align", RawAlign::<64, 8>::default, |u| Some(&mut u.clock), align),
        BlockCheck::new("raw/icrc", RawIcrc::<64, 8>::default, |u| Some(&mut u.clock), icrc),
        BlockCheck::new("raw/assemble", RawAssemble::<64, 8, 10>::default, |u| Some(&mut u.clock), assemble),
        BlockCheck::new("raw/send", RawSend::<64, 8, 10>::default, |u| Some(&mut u.clock), send),
        BlockCheck::new("raw/rings", RawRings::<64, 8, 10>::default, |u| Some(&mut u.clock), rings),
    ]
}

fn wide() -> Vec<BlockCheck> {
    vec![
        BlockCheck::new("raw/descriptors_512", RawDescriptors::<512>::default, |u| Some(&mut u.clock), descriptors),
        BlockCheck::new("raw/write_back_512", RawWriteBack::<512>::default, |u| Some(&mut u.clock), write_back),
        BlockCheck::new("raw/align_512", RawAlign::<512, 64>::default, |u| Some(&mut u.clock), align),
        BlockCheck::new("raw/icrc_512", RawIcrc::<512, 64>::default, |u| Some(&mut u.clock), icrc),
        BlockCheck::new("raw/assemble_512", RawAssemble::<512, 64, 8>::default, |u| Some(&mut u.clock), assemble),
    ]
    .into_iter()
    .map(|check| check.vectors(60))
    .collect()
}

pub(super) fn list() -> Vec<BlockCheck> {
    narrow().into_iter().chain(wide()).collect()
}
