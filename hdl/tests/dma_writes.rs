//! The write side of the DMA against memory behind a software AXI.
mod bench;
use bench::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rnic_hdl::dma::Dma;
use rnic_hdl::types::WriteServer;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

impl<const DATA: usize, const STRB: usize> Clocked for Dma<DATA, STRB, 8, 1> {
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
}

/// One write client: sends commands and beats as fast as it may.
#[derive(Default)]
struct Writer {
    commands: VecDeque<(u64, u64)>,
    beats: VecDeque<Vec<u8>>,
    /// `failed` of each burst that ended.
    ends: Vec<bool>,
    sent: usize,
}

impl Writer {
    /// Lane-aligned beats with garbage around the bytes.
    fn write(&mut self, address: u64, data: &[u8], lanes: u64) {
        let mut image = vec![0xEE; (address % lanes) as usize];
        image.extend(data);
        image.resize(image.len().next_multiple_of(lanes as usize), 0xDD);
        self.beats.extend(image.chunks(lanes as usize).map(Into::into));
        self.commands.push_back((address, data.len() as u64));
        self.sent += 1;
    }
    fn drive<const DATA: usize>(&self, server: &mut WriteServer<DATA>) {
        server.command.valid.next = !self.commands.is_empty();
        if let Some(&(address, length)) = self.commands.front() {
            server.command.data.next.address = bits(address);
            server.command.data.next.length = bits(length);
        }
        server.beat.valid.next = !self.beats.is_empty();
        if let Some(beat) = self.beats.front() {
            server.beat.data.next = word_of(beat);
        }
    }
    fn take<const DATA: usize>(&mut self, server: &WriteServer<DATA>) {
        if server.done.val() {
            self.ends.push(server.failed.val());
        } else {
            assert!(!server.failed.val());
        }
        if server.command.valid.val() && server.command.ready.val() {
            self.commands.pop_front();
        }
        if server.beat.valid.val() && server.beat.ready.val() {
            self.beats.pop_front();
        }
    }
}

struct Bench<const DATA: usize, const STRB: usize> {
    uut: Dma<DATA, STRB, 8, 1>,
    memory: AxiMemory,
    writers: [Writer; 2],
}

impl<const DATA: usize, const STRB: usize> Bench<DATA, STRB> {
    fn new(memory: AxiMemory) -> Self {
        let mut uut = Dma::default();
        uut.connect_all();
        uut.reset.next = true;
        settle(&mut uut);
        edge(&mut uut);
        uut.reset.next = false;
        Self { uut, memory, writers: Default::default() }
    }

    fn step(&mut self) {
        let Self { uut, memory, writers } = self;
        memory.drive(&mut uut.read, &mut uut.write);
        writers[0].drive(&mut uut.cqe);
        writers[1].drive(&mut uut.events);
        settle(uut);
        memory.take(&uut.read, &uut.write);
        writers[0].take(&uut.cqe);
        writers[1].take(&uut.events);
        edge(uut);
    }

    fn run(&mut self, limit: u64) -> u64 {
        let start = self.memory.now;
        while self.writers.iter().any(|writer| writer.ends.len() < writer.sent) {
            self.step();
            assert!(self.memory.now - start < limit, "writes hang");
        }
        self.memory.now - start
    }
}

/// Random bursts of two clients; every byte that is written is checked, and that no other is.
fn random_writes<const DATA: usize, const STRB: usize>(seed: u64, count: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::<DATA, STRB>::new(AxiMemory::rough(seed));
    let mut expected = vec![];
    for i in 0..count {
        let client = rng.random_range(0..2);
        // At most 14 beats fit in the smaller buffer.
        let offset = rng.random_range(0..STRB as u64);
        let length = rng.random_range(1..=13 * STRB as u64 - offset);
        let at_end = rng.random_bool(0.3);
        let address = i * 4096 + if at_end { 4096 - length } else { offset };
        let data: Vec<u8> = (0..length).map(|_| rng.random()).collect();
        bench.writers[client].write(address, &data, STRB as u64);
        expected.push((address, data));
    }
    bench.run(100_000);
    for (address, data) in &expected {
        assert_eq!(&bench.memory.bytes.read(*address, data.len()), data);
    }
    assert_eq!(bench.memory.bytes.written(), expected.iter().map(|(_, data)| data.len()).sum::<usize>());
    assert!(bench.writers.iter().all(|writer| writer.ends.iter().all(|failed| !failed)));
    (0..3).for_each(|_| bench.step());
    assert!(bench.uut.idle.val() && bench.memory.quiet());
}

#[test]
fn t107_random_writes_of_two_clients_change_exactly_their_bytes_at_64() {
    random_writes::<64, 8>(1, 150);
}

#[test]
fn t107_random_writes_of_two_clients_change_exactly_their_bytes_at_128() {
    random_writes::<128, 16>(2, 60);
}

#[test]
fn t107_random_writes_of_two_clients_change_exactly_their_bytes_at_512() {
    random_writes::<512, 64>(3, 30);
}

#[test]
fn every_alignment_and_length_of_one_to_three_beats() {
    let mut bench = Bench::<64, 8>::new(AxiMemory::rough(7));
    let mut bytes = 0;
    for offset in 0..8 {
        for length in 1..=24 - offset {
            let data: Vec<u8> = (0..length as u8).map(|i| i ^ 0x5A).collect();
            bench.writers[(length % 2) as usize].write(offset * 0x10_0000 + length * 64 + offset, &data, 8);
            bytes += data.len();
        }
    }
    bench.run(10_000);
    assert_eq!(bench.memory.bytes.written(), bytes);
}

#[test]
fn t107_nothing_is_offered_before_the_whole_burst_is_there_and_others_pass() {
    let mut bench = Bench::<64, 8>::new(AxiMemory::smooth(5));
    bench.writers[0].write(0x1000, &[7; 32], 8);
    let last = bench.writers[0].beats.pop_back().unwrap();
    bench.writers[1].write(0x2000, &[9; 16], 8);
    (0..50).for_each(|_| bench.step());
    assert_eq!(bench.memory.aw_log.iter().map(|entry| entry.2).collect::<Vec<_>>(), [0x2000]);
    assert_eq!((bench.memory.w_beats, bench.writers[1].ends.len()), (2, 1));
    bench.writers[0].beats.push_back(last);
    bench.run(50);
    assert_eq!(bench.memory.bytes.read(0x1000, 32), [7; 32]);
}

#[test]
fn i9_a_write_error_fails_its_burst_and_no_other() {
    let mut memory = AxiMemory::rough(11);
    memory.errors = vec![(0x3000..0x4000, 2), (0x6000..0x7000, 3), (0x8000..0x9000, 1)];
    let mut bench = Bench::<64, 8>::new(memory);
    (0..10).for_each(|i| bench.writers[0].write(i * 0x1000, &[1; 32], 8));
    (0..10).for_each(|i| bench.writers[1].write(0x10_0000 + i * 0x1000, &[1; 16], 8));
    bench.run(4000);
    let failed = |writer: &Writer| (0..10).filter(|&i| writer.ends[i]).collect::<Vec<_>>();
    assert_eq!(failed(&bench.writers[0]), [3, 6]);
    assert_eq!(failed(&bench.writers[1]), [0; 0]);
}

#[test]
fn stop_finishes_what_is_on_the_bus_and_starts_nothing() {
    for seed in 0..8 {
        let mut bench = Bench::<64, 8>::new(AxiMemory::rough(40 + seed));
        (0..30).for_each(|i| bench.writers[i % 2].write(i as u64 * 0x1000, &[3; 48], 8));
        (0..20 + 5 * seed).for_each(|_| bench.step());
        bench.uut.stop.next = true;
        bench.step();
        let started = bench.memory.aw_log.len() + bench.uut.write.awvalid.val() as usize;
        (0..1000).for_each(|_| bench.step());
        assert_eq!(bench.memory.aw_log.len(), started);
        assert!(bench.uut.idle.val() && bench.memory.quiet());
        bench.uut.stop.next = false;
        bench.run(10_000);
    }
}

#[test]
fn bursts_of_one_beat_go_back_to_back_and_the_latency_is_hidden() {
    let mut bench = Bench::<512, 64>::new(AxiMemory::smooth(80));
    (0..200).for_each(|i| bench.writers[0].write(0x10000 + i * 32, &[i as u8; 32], 64));
    let cycles = bench.run(2000);
    // 88 of these may be in flight: its share of 8 and the shared ones.
    assert!(cycles < 200 + 80 + 80, "{cycles} cycles for 200 bursts");
    let mut bench = Bench::<64, 8>::new(AxiMemory::smooth(20));
    (0..50).for_each(|i| bench.writers[0].write(0x10000 + i * 32, &[i as u8; 32], 8));
    let cycles = bench.run(2000);
    assert!(cycles < 50 * 5 + 40, "{cycles} cycles for 200 beats");
}
