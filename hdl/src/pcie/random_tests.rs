//! Random traffic of all kinds at once: bursts of the core, register accesses of the host, interrupts; completions shuffled
//! over tags, delayed, and split anywhere. Each TLP is compared with what the model says comes next of its kind.
use super::bench::{Bench, DEVICE};
use super::model::{byte_count, lower_lane, split_read, split_write, Tlp};
use crate::check::RandomDrive;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// What the host's memory holds.
fn memory(address: u64) -> u8 {
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

/// Completions of a read (address, DW, first and last byte enables), in address order, cut at any DW and at MPS.
fn completions(random: &mut RandomDrive, read: (u64, u32, u8, u8), tag: u8, mps: u32) -> VecDeque<Tlp> {
    let (address, length, first, last) = read;
    let mut list = VecDeque::new();
    let mut missing = byte_count(length, first, last);
    let mut from = 0;
    while from < length {
        let dwords =
            if random.chance(1, 3) { 1 + random.below(u64::from(length - from)) as u32 } else { length - from };
        let dwords = dwords.min(mps / 4);
        let start = address + 4 * u64::from(from);
        let lane = if from == 0 { lower_lane(first) } else { 0 };
        list.push_back(Tlp::Completion {
            completer: 0,
            status: 0,
            byte_count: missing,
            requester: DEVICE,
            tag,
            lower: (start & 0x7C) as u8 | lane,
            payload: (start..start + 4 * u64::from(dwords)).map(memory).collect(),
        });
        missing -= (4 * dwords - u32::from(lane)).min(missing);
        from += dwords;
    }
    list
}

#[derive(Default)]
struct Expected {
    reads: VecDeque<(u64, u32, u8, u8)>,
    writes: VecDeque<Tlp>,
    answers: VecDeque<(u8, u32)>,
    beats: VecDeque<(u64, u64, u64, bool)>,
    bursts: VecDeque<u64>,
    interrupts: u32,
}

fn start_read(bench: &mut Bench, expected: &mut Expected) {
    let address = bench.random.below(1 << 14) + (bench.random.below(2) << 33);
    let room = (4096 - address % 4096 + address % 8) / 8;
    let most = 1 + bench.random.below(256);
    let beats = room.min(most);
    let id = bench.random.below(16);
    bench.read(id, address, beats);
    expected.reads.extend(split_read(address, beats, bench.mrrs.into()));
    for beat in 0..beats {
        expected.beats.push_back((
            id,
            (address & !7) + 8 * beat,
            address.max((address & !7) + 8 * beat),
            beat + 1 == beats,
        ));
    }
}

fn start_write(bench: &mut Bench, expected: &mut Expected) {
    let address = 0x10_0000 + bench.random.below(1 << 14) + (bench.random.below(2) << 34);
    let room = (4096 - address % 4096).min(2048 - address % 8);
    let most = 1 + bench.random.below(2048);
    let length = room.min(most);
    let data: Vec<u8> = (0..length).map(|_| bench.random.below(256) as u8).collect();
    let id = bench.random.below(16);
    bench.write(id, address, &data);
    expected.writes.extend(split_write(address, &data, bench.mps.into(), DEVICE));
    expected.bursts.push_back(id);
}

/// A write and a read of the same registers: TO4 is in the value that the read returns.
fn access_registers(bench: &mut Bench, expected: &mut Expected, tag: u8) {
    let value = bench.random.below(1 << 32) as u32;
    let offset = 4 * bench.random.below(64);
    bench.deliver(
        &Tlp::Write { address: offset, first: 15, last: 0, requester: 0, payload: value.to_le_bytes().to_vec() }.pack(),
        true,
    );
    bench.deliver(&Tlp::Read { address: offset, length: 1, first: 15, last: 0, requester: 0, tag }.pack(), true);
    expected.answers.push_back((tag, value));
}

fn traffic(seed: u64, operations: u32, code: u64) {
    // A slow host with eight reads to answer takes longer than the timeout of the other tests.
    let mut bench = Bench::with_timeout(seed, 100_000);
    bench.mps = 128 << code;
    bench.mrrs = 128 << code;
    bench.uut.mps.next = bits(code);
    bench.uut.mrrs.next = bits(code);
    bench.pace = std::array::from_fn(|_| 2 + bench.random.below(7) as u32);
    // Vector 3 is unmasked, its message is told from DMA by the address.
    bench.set_register(0x8030, 0xFEE0_0000);
    bench.set_register(0x8034, 0);
    bench.set_register(0x8038, 0x33);
    bench.set_register(0x803C, 0);
    bench.until(2000, "table", |b| b.deliveries_left() == 0);
    bench.run(200);
    let mut expected = Expected::default();
    let mut pending: Vec<VecDeque<Tlp>> = vec![];
    let (mut started, mut messages, mut idle) = (0, 0, 0u64);
    while idle < 2000 {
        bench.step();
        idle += 1;
        if started < operations && bench.random.chance(1, 24) {
            started += 1;
            match bench.random.below(8) {
                0..=2 => start_read(&mut bench, &mut expected),
                3..=5 => start_write(&mut bench, &mut expected),
                6 => access_registers(&mut bench, &mut expected, started as u8),
                _ => {
                    bench.interrupts.push_back(3);
                    expected.interrupts += 1;
                }
            }
        }
        let few = bench.deliveries_left() < 4;
        if few && !pending.is_empty() && bench.random.chance(1, 16) {
            let index = bench.random.below(pending.len() as u64) as usize;
            let completion = pending[index].pop_front().unwrap();
            bench.deliver(&completion.pack(), false);
            pending.retain(|list| !list.is_empty());
        }
        while bench.served < bench.sent.len() {
            idle = 0;
            let tlp = Tlp::check_sent(&bench.sent[bench.served], DEVICE, bench.mps, bench.mrrs).unwrap();
            bench.served += 1;
            match tlp {
                Tlp::Read { address, length, first, last, tag, .. } => {
                    assert_eq!(Some((address, length, first, last)), expected.reads.pop_front(), "RD1");
                    let mps = bench.mps;
                    let list = completions(&mut bench.random, (address, length, first, last), tag, mps);
                    pending.push(list);
                }
                Tlp::Write { address: 0xFEE0_0000, payload, .. } => {
                    assert_eq!(payload, [0x33, 0, 0, 0]);
                    messages += 1;
                }
                write @ Tlp::Write { .. } => assert_eq!(Some(write), expected.writes.pop_front(), "WR1"),
                Tlp::Completion { status, tag, payload, .. } => {
                    let value = u32::from_le_bytes(payload.try_into().unwrap());
                    assert_eq!((status, Some((tag, value))), (0, expected.answers.pop_front()), "TO4");
                }
            }
        }
        for beat in std::mem::take(&mut bench.read_beats) {
            idle = 0;
            let (id, base, from, last) = expected.beats.pop_front().expect("no more beats than asked for");
            assert_eq!((beat.id, beat.response, beat.last), (id, 0, last), "RD4, RD5");
            for at in from..base + 8 {
                assert_eq!(beat.data.to_le_bytes()[(at - base) as usize], memory(at), "address {at:x}");
            }
        }
        for (id, response) in std::mem::take(&mut bench.answers) {
            assert_eq!((Some(id), response), (expected.bursts.pop_front(), 0), "WR3");
        }
    }
    assert_eq!(started, operations);
    assert!(expected.reads.is_empty() && expected.beats.is_empty(), "{} beats are missing", expected.beats.len());
    assert!(expected.writes.is_empty() && expected.bursts.is_empty() && expected.answers.is_empty());
    assert!(pending.is_empty());
    // Requests of one vector may merge, but the last is never lost.
    assert!(expected.interrupts == 0 || (1..=expected.interrupts).contains(&messages), "{messages} messages");
    assert_eq!(bench.gaps, 0, "TL9");
    for number in 0..8 {
        assert_eq!(bench.counter(number), 0, "counter {number}");
    }
}

#[test]
fn random_traffic_at_512_bytes() {
    for seed in 0..2 {
        traffic(seed, 20, 2);
    }
}

#[test]
fn random_traffic_at_128_and_256_bytes() {
    for seed in 10..12 {
        traffic(seed, 20, seed % 2);
    }
}
