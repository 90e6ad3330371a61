//! The read side of the DMA against memory behind a software AXI.
mod bench;
use bench::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rnic_hdl::dma::Dma;
use rnic_hdl::types::ReadServer;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

impl<const DATA: usize, const STRB: usize, const READS: usize, const SHARE: usize> Clocked
    for Dma<DATA, STRB, READS, SHARE>
{
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
}

/// One read client: sends its commands as fast as it may, checks every beat.
#[derive(Default)]
struct Reader {
    commands: VecDeque<(u64, u64)>,
    /// Address of each beat to come.
    expected: VecDeque<u64>,
    /// Cycle, address, error of each beat that came.
    beats: Vec<(u64, bool)>,
}

impl Reader {
    fn ask(&mut self, address: u64, length: u64) {
        self.commands.push_back((address, length));
    }
    fn drive<const DATA: usize>(&self, server: &mut ReadServer<DATA>) {
        server.command.valid.next = !self.commands.is_empty();
        if let Some(&(address, length)) = self.commands.front() {
            server.command.data.next.address = bits(address);
            server.command.data.next.length = bits(length);
        }
    }
    fn take<const DATA: usize>(&mut self, server: &ReadServer<DATA>, memory: &AxiMemory) {
        let lanes = DATA as u64 / 8;
        if server.beat_valid.val() {
            let at = self.expected.pop_front().expect("a beat that nobody asked for");
            self.beats.push((at, server.beat_error.val()));
            assert_eq!(bytes_of(server.beat_data.val()), memory.bytes.read(at, lanes as usize), "beat at {at:x}");
        }
        if server.command.valid.val() && server.command.ready.val() {
            let (address, length) = self.commands.pop_front().unwrap();
            let mut at = address / lanes * lanes;
            while at < address + length {
                self.expected.push_back(at);
                at += lanes;
            }
        }
    }
    fn over(&self) -> bool {
        self.commands.is_empty() && self.expected.is_empty()
    }
}

struct Bench<const DATA: usize, const STRB: usize, const READS: usize, const SHARE: usize> {
    uut: Dma<DATA, STRB, READS, SHARE>,
    memory: AxiMemory,
    readers: [Reader; 3],
}

impl<const DATA: usize, const STRB: usize, const READS: usize, const SHARE: usize> Bench<DATA, STRB, READS, SHARE> {
    fn new(memory: AxiMemory) -> Self {
        let mut uut = Dma::default();
        uut.connect_all();
        uut.reset.next = true;
        settle(&mut uut);
        edge(&mut uut);
        uut.reset.next = false;
        Self { uut, memory, readers: Default::default() }
    }

    fn step(&mut self) {
        let Self { uut, memory, readers } = self;
        memory.drive(&mut uut.read, &mut uut.write);
        for (reader, server) in readers.iter().zip([&mut uut.wqe, &mut uut.receive, &mut uut.list]) {
            reader.drive(server);
        }
        settle(uut);
        memory.take(&uut.read, &uut.write);
        for (reader, server) in readers.iter_mut().zip([&uut.wqe, &uut.receive, &uut.list]) {
            reader.take(server, memory);
        }
        edge(uut);
    }

    /// Runs until all is answered; cycles it took.
    fn run(&mut self, limit: u64) -> u64 {
        let start = self.memory.now;
        while !self.readers.iter().all(Reader::over) {
            self.step();
            assert!(self.memory.now - start < limit, "reads hang");
        }
        self.memory.now - start
    }
}

fn random_reads<const DATA: usize, const STRB: usize>(seed: u64, count: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::<DATA, STRB, 16, 1>::new(AxiMemory::rough(seed));
    for _ in 0..count {
        let client = rng.random_range(0..3);
        let address = rng.random_range(0..1u64 << 40) << 12 | rng.random_range(0..4096);
        let longest = [STRB as u64, 600, 9000][rng.random_range(0..3)];
        bench.readers[client].ask(address, rng.random_range(1..=longest));
    }
    bench.run(200_000);
    assert!(bench.uut.idle.val() && bench.memory.quiet());
}

#[test]
fn t107_random_reads_of_three_clients_return_the_bytes_in_order_at_64() {
    random_reads::<64, 8>(1, 60);
}

#[test]
fn t107_random_reads_of_three_clients_return_the_bytes_in_order_at_128() {
    random_reads::<128, 16>(2, 40);
}

#[test]
fn t107_random_reads_of_three_clients_return_the_bytes_in_order_at_512() {
    random_reads::<512, 64>(3, 30);
}

#[test]
fn i7_every_alignment_and_length_near_a_4_kib_boundary() {
    let mut bench = Bench::<64, 8, 32, 1>::new(AxiMemory::smooth(3));
    for offset in 0..8 {
        for length in 1..=26 {
            bench.readers[length as usize % 3].ask(0x7FF0 + offset, length);
        }
    }
    bench.run(4000);
    // No piece is shorter than needed: one burst where nothing is crossed, else two.
    let pieces: usize = (0..8).flat_map(|o| (1..=26).map(move |l| if o + l > 16 { 2 } else { 1 })).sum();
    assert_eq!(bench.memory.ar_log.len(), pieces);
}

#[test]
fn i7_the_longest_read_is_cut_at_256_beats_and_4_kib() {
    let mut bench = Bench::<64, 8, 8, 1>::new(AxiMemory::smooth(3));
    bench.readers[2].ask(0xF_FFFF_FFFF_0001 - 0x10000, 65_535);
    bench.run(20_000);
    assert_eq!(bench.memory.ar_log.len(), 32);
    let mut bench = Bench::<512, 64, 8, 1>::new(AxiMemory::smooth(3));
    bench.readers[2].ask(0x1234_0FFF, 65_535);
    bench.run(4000);
    assert_eq!(bench.memory.ar_log.len(), 17);
}

#[test]
fn i9_an_error_marks_its_beat_and_no_other() {
    let mut memory = AxiMemory::rough(5);
    memory.errors = vec![(0x2040..0x2048, 2), (0x5000..0x6000, 3), (0x9000..0xA000, 1)];
    let mut bench = Bench::<64, 8, 8, 1>::new(memory);
    bench.readers[0].ask(0x2000, 256);
    bench.readers[1].ask(0x4FF0, 32);
    bench.readers[2].ask(0x9000, 64);
    bench.run(2000);
    let wrong = |reader: &Reader| reader.beats.iter().filter(|beat| beat.1).map(|beat| beat.0).collect::<Vec<_>>();
    assert_eq!(wrong(&bench.readers[0]), [0x2040]);
    assert_eq!(wrong(&bench.readers[1]), [0x5000, 0x5008]);
    assert_eq!(wrong(&bench.readers[2]), [0; 0], "EXOKAY is no error");
}

#[test]
fn i8_a_client_cannot_take_the_share_of_another() {
    // 10 bursts in flight, one for each of seven clients, three shared.
    let mut bench = Bench::<64, 8, 10, 1>::new(AxiMemory::smooth(1000));
    (0..20).for_each(|i| bench.readers[2].ask(i * 0x1000, 8));
    (0..100).for_each(|_| bench.step());
    assert_eq!(bench.memory.reads.len(), 4, "own credit and the shared ones");
    (0..3).for_each(|i| bench.readers[0].ask(0x10_0000 + i * 0x1000, 64));
    (0..3).for_each(|i| bench.readers[1].ask(0x20_0000 + i * 0x1000, 64));
    (0..100).for_each(|_| bench.step());
    assert_eq!(bench.memory.reads.iter().map(|burst| burst.id).collect::<Vec<_>>(), [2, 2, 2, 2, 0, 1]);
    bench.run(20_000);
    assert_eq!(bench.memory.most_reads, 6);
}

#[test]
fn stop_finishes_what_is_on_the_bus_and_starts_nothing() {
    for seed in 0..8 {
        let mut bench = Bench::<64, 8, 8, 1>::new(AxiMemory::rough(20 + seed));
        for i in 0..12 {
            bench.readers[i % 3].ask(i as u64 * 0x3456, 3000);
        }
        (0..10 + seed * 7).for_each(|_| bench.step());
        bench.uut.stop.next = true;
        bench.step();
        let mut started = bench.memory.ar_log.len();
        if bench.uut.read.arvalid.val() {
            started += 1;
        }
        (0..1500).for_each(|_| bench.step());
        assert_eq!(bench.memory.ar_log.len(), started);
        assert!(bench.uut.idle.val() && bench.memory.quiet());
        bench.uut.stop.next = false;
        bench.run(40_000);
    }
}

#[test]
fn one_address_a_cycle_and_the_latency_is_hidden() {
    let mut bench = Bench::<512, 64, 128, 4>::new(AxiMemory::smooth(60));
    (0..300).for_each(|i| bench.readers[i % 3].ask(i as u64 * 0x40, 64));
    let cycles = bench.run(1000);
    assert!(cycles < 300 + 60 + 10, "{cycles} cycles for 300 beats");
}
