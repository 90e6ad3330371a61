//! Everything at once over a wire with faults: each TLP arrives once, in order, whatever the wire does.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rnic_driver::{Bar, DmaBuffer, DmaMemory};
use rnic_link::{Counters, LossyRates};

use crate::support::bench::Bench;
use crate::support::device::Knobs;

/// Registers written and read, memory read and written by the device, for a number of rounds.
fn traffic(knobs: Knobs, rates: LossyRates, seed: u64, rounds: u32) -> Counters {
    let (bench, link) = Bench::faulty(knobs, rates, seed);
    let platform = link.platform();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let source = platform.memory.allocate(16384).unwrap();
    let sink = platform.memory.allocate(16384).unwrap();
    let data: Vec<u8> = (0..16384).map(|_| random.random()).collect();
    source.write_bytes(0, &data);
    let mut expected = vec![0_u8; 16384];
    let mut reads = Vec::new();
    let mut registers = Vec::new();
    for round in 0..rounds {
        for _ in 0..random.random_range(0..4) {
            let (at, bytes) = (random.random_range(0..8000), random.random_range(1..3000));
            let number = bench.device(|device| device.bus.read(source.bus_address() + at as u64, bytes));
            reads.push((number, at, bytes));
        }
        for _ in 0..random.random_range(0..4) {
            let (at, bytes) = (random.random_range(0..8000), random.random_range(1..3000));
            // Its round and place tell an old byte from a new one: what arrives twice or late is seen.
            let new: Vec<u8> = (0..bytes).map(|_| random.random()).collect();
            bench.device(|device| device.bus.write(sink.bus_address() + at as u64, &new));
            expected[at..at + bytes].copy_from_slice(&new);
        }
        for _ in 0..random.random_range(0..6) {
            let (offset, value) = (4 * random.random_range(0..64), random.random());
            platform.bar.write(offset, value).unwrap();
            registers.push((offset, value));
        }
        let offset = 4 * random.random_range(0..64);
        let last = registers.iter().rev().find(|(at, _)| *at == offset).map_or(0, |(_, value)| *value);
        assert_eq!(platform.bar.read(offset), Ok(last), "round {round}");
    }
    let quiet =
        |device: &mut crate::support::device::Device<_>| device.bus.reads_done() && device.bus.ordered.is_empty();
    assert!(bench.until(&link, 60_000_000, quiet), "seed {seed}: {:?}", link.counters());
    // A register read behind everything: all writes of the device have arrived (TO1).
    platform.bar.read(0).unwrap();
    let mut seen = vec![0; 16384];
    sink.read_bytes(0, &mut seen);
    assert!(seen == expected, "seed {seed}");
    bench.device(|device| {
        // Above is the interrupt table, which is written when the link is opened.
        let written = device.bus.written.iter().filter(|(offset, _)| *offset < 0x8000);
        assert!(written.eq(&registers), "seed {seed}: each write once, in order");
        for (number, at, bytes) in reads {
            let read = &device.bus.reads[number];
            assert!(read.failed.is_none() && read.data == data[at..at + bytes], "seed {seed}, read {number}");
        }
    });
    bench.assert_clean();
    let counters = link.counters();
    assert_eq!((counters.bad_writes, counters.bad_reads, counters.tlp_malformed), (0, 0, 0));
    assert_eq!(counters.completions_unexpected + counters.completions_wrong + counters.read_timeouts, 0);
    counters
}

fn rates(rate: f64) -> LossyRates {
    LossyRates { delay: 0.0, ..LossyRates::all(rate) }
}

#[test]
fn lk5_to_lk15_a_perfect_wire_needs_no_resend() {
    for seed in 0..8 {
        let counters = traffic(Knobs::default(), LossyRates::default(), seed, 40);
        assert_eq!((counters.tlps_resent, counters.duplicates, counters.gaps, counters.bad_ack), (0, 0, 0, 0));
    }
}

#[test]
fn lk5_to_lk15_one_percent_of_every_fault() {
    let resent: u64 = (0..8).map(|seed| traffic(Knobs::default(), rates(0.01), seed, 40).tlps_resent).sum();
    assert!(resent > 0);
}

#[test]
fn lk5_to_lk15_ten_percent_of_every_fault() {
    for seed in 0..8 {
        assert!(traffic(Knobs::default(), rates(0.1), seed, 20).tlps_resent > 0);
    }
}

#[test]
fn lk5_to_lk15_half_of_everything_is_lost() {
    for seed in 0..4 {
        let only = LossyRates { drop: 0.5, ..LossyRates::default() };
        assert!(traffic(Knobs::default(), only, seed, 6).retransmit_timeouts > 0);
    }
}

#[test]
fn lk6_half_of_all_frames_come_twice() {
    for seed in 0..4 {
        let only = LossyRates { duplicate: 0.5, ..LossyRates::default() };
        assert!(traffic(Knobs::default(), only, seed, 20).duplicates > 0);
    }
}

#[test]
fn lk6_lk7_half_of_all_frames_are_overtaken() {
    for seed in 0..4 {
        let only = LossyRates { swap: 0.5, ..LossyRates::default() };
        let counters = traffic(Knobs::default(), only, seed, 20);
        assert!(counters.gaps > 0 && counters.naks_sent > 0);
    }
}

#[test]
fn lk3_half_of_all_frames_are_damaged() {
    for seed in 0..4 {
        traffic(Knobs::default(), LossyRates { flip: 0.5, ..LossyRates::default() }, seed, 6);
    }
}

#[test]
fn lk6_lk7_late_frames_do_no_harm() {
    for seed in 0..4 {
        traffic(Knobs::default(), LossyRates::all(0.1), seed, 10);
    }
}

#[test]
fn lk13_lk14_every_queue_of_depth_one() {
    for (seed, window) in [(0, 1), (1, 2), (2, 32)] {
        let knobs = Knobs { posted: 1, nonposted: 1, window, ..Knobs::default() };
        traffic(knobs.clone(), LossyRates::default(), seed, 20);
        traffic(knobs, rates(0.05), seed, 10);
    }
}

#[test]
fn lk1_small_payloads_and_reads() {
    for seed in 0..4 {
        traffic(Knobs { max_payload: 128, max_read: 128, ..Knobs::default() }, rates(0.05), seed, 10);
    }
}
