//! The gather against models of the lookup and of memory.
use super::Gather;
use crate::check::RandomDrive;
use crate::mr::pieces::bench::{byte_at, random_span, LookupModel, Meaning, Regions, PD};
use crate::wire::{Span, TxFrame};
use num_bigint::BigUint;
use rust_hdl::prelude::*;
use std::collections::{HashMap, HashSet, VecDeque};

struct Bench<const DATA: usize, const STRB: usize, const B: usize, const P: usize, const F: usize> {
    uut: Gather<DATA, STRB, B, P, F, 256, 8>,
    random: RandomDrive,
    regions: Regions,
    lookup: LookupModel,
    /// Bus pages whose beats come with an error.
    broken: HashSet<u64>,
    jobs: VecDeque<(TxFrame, Span)>,
    /// All jobs ever.
    all: Vec<(TxFrame, Span)>,
    /// Cycle when they may come, next address, end.
    reads: VecDeque<(u64, u64, u64)>,
    /// Pieces read and not yet ended by their last beat, by MR index.
    reading: HashMap<u64, i64>,
    ends: HashMap<u64, u64>,
    latency: u64,
    /// In eighths: how often questions, payload and beats pass.
    pace: [u32; 3],
    cycle: u64,
    frames: Vec<TxFrame>,
    /// Bytes so far of the frame whose payload comes.
    bytes: Vec<u8>,
    payloads: Vec<(Vec<u8>, bool)>,
    failures: Vec<(u64, u64, u64, u64)>,
    read_bytes: u64,
    beats: u64,
    first_payload: u64,
}

impl<const DATA: usize, const STRB: usize, const B: usize, const P: usize, const F: usize> Bench<DATA, STRB, B, P, F> {
    fn new(seed: u64) -> Self {
        let mut random = RandomDrive::new(seed);
        let regions = Regions::standard(&mut random);
        let mut bench = Self {
            uut: Default::default(),
            random,
            regions,
            lookup: Default::default(),
            broken: Default::default(),
            jobs: Default::default(),
            all: vec![],
            reads: Default::default(),
            reading: Default::default(),
            ends: Default::default(),
            latency: 20,
            pace: [8; 3],
            cycle: 0,
            frames: vec![],
            bytes: vec![],
            payloads: vec![],
            failures: vec![],
            read_bytes: 0,
            beats: 0,
            first_payload: 0,
        };
        bench.uut.connect_all();
        bench.uut.reset.next = true;
        bench.step();
        bench.step();
        bench.uut.reset.next = false;
        bench
    }

    fn index_of(&self, address: u64) -> u64 {
        let page = address & !0xFFF;
        *self.regions.0.iter().find(|(_, region)| region.pages.contains(&page)).expect("a page of a region").0
    }

    fn drive(&mut self) {
        let uut = &mut self.uut;
        let job = self.jobs.front();
        uut.job.valid.next = job.is_some();
        if let Some((frame, span)) = job {
            uut.job.frame.next = *frame;
            uut.job.span.next = *span;
        }
        uut.question.ready.next = self.random.chance(self.pace[0], 8);
        uut.frame.ready.next = self.random.chance(self.pace[1], 8);
        uut.payload.ready.next = self.random.chance(self.pace[1], 8);
        uut.failed.ready.next = self.random.chance(1, 2);
        uut.read.command.ready.next = self.random.chance(self.pace[2], 8);
        let answer = self.lookup.drive();
        uut.answered.next = answer.is_some();
        uut.answer.next = answer.unwrap_or_default();
        let beat = self.reads.front().filter(|(due, ..)| *due <= self.cycle).copied();
        let beat = beat.filter(|_| self.random.chance(self.pace[2], 8));
        uut.read.beat_valid.next = beat.is_some();
        uut.read.beat_data.next = self.random.word(DATA).into();
        if let Some((_, at, end)) = beat {
            let base = at - at % STRB as u64;
            let next = (base + STRB as u64).min(end);
            // Lanes that nobody asked for hold anything.
            let bytes: Vec<_> = (base..base + STRB as u64)
                .map(|a| if a < at || a >= end { self.random.below(256) as u8 } else { byte_at(a) })
                .collect();
            uut.read.beat_data.next = BigUint::from_bytes_le(&bytes).into();
            uut.read.beat_error.next = self.broken.contains(&(at & !0xFFF));
            self.beats += 1;
            if next == end {
                self.reads.pop_front();
                let page = at & !0xFFF;
                let index = *self.regions.0.iter().find(|(_, region)| region.pages.contains(&page)).unwrap().0;
                *self.reading.get_mut(&index).unwrap() -= 1;
            } else {
                self.reads[0].1 = next;
            }
        }
    }

    fn watch(&mut self) {
        self.lookup.watch(&self.regions, &self.uut.question);
        let uut = &self.uut;
        if uut.job.valid.val() && uut.job.ready.val() {
            self.jobs.pop_front();
        }
        if uut.frame.valid.val() && uut.frame.ready.val() {
            self.frames.push(uut.frame.data.val());
        }
        if uut.read.command.valid.val() && uut.read.command.ready.val() {
            let command = uut.read.command.data.val();
            let (at, length) = (command.address.to_u64(), command.length.to_u64());
            assert!(length > 0 && at % 4096 + length <= 4096, "E9: {at:x} + {length}");
            let index = self.index_of(at);
            *self.reading.entry(index).or_default() += 1;
            self.read_bytes += length;
            self.reads.push_back((self.cycle + self.latency, at, at + length));
        }
        let uut = &self.uut;
        if uut.read_end.val() {
            let index = uut.read_end_index.val().to_u64();
            *self.ends.entry(index).or_default() += 1;
            let open = self.lookup.grants[&index] as i64 - self.ends[&index] as i64;
            assert!(
                open >= self.reading.get(&index).copied().unwrap_or(0),
                "T98: cycle {}: the hold of a read has ended",
                self.cycle
            );
        }
        if uut.payload.valid.val() && uut.payload.ready.val() {
            let mark = uut.payload.mark.val();
            let (lane, count) = (mark.lane.to_u64() as usize, mark.count.to_u64() as usize);
            assert!(lane + count <= STRB && (count > 0 || mark.failed), "{mark:?}");
            assert!(mark.last || !mark.failed);
            let data: BigUint = uut.payload.data.val().into();
            let mut bytes = data.to_bytes_le();
            bytes.resize(STRB, 0);
            self.bytes.extend(&bytes[lane..lane + count]);
            self.first_payload = if self.first_payload == 0 { self.cycle } else { self.first_payload };
            if mark.last {
                self.payloads.push((std::mem::take(&mut self.bytes), mark.failed));
            }
        }
        if uut.failed.valid.val() && uut.failed.ready.val() {
            let failure = uut.failed.data.val();
            self.failures.push((
                failure.tag.to_u64(),
                failure.qp.to_u64(),
                failure.psn.to_u64(),
                failure.syndrome.to_u64(),
            ));
        }
    }

    fn step(&mut self) {
        self.cycle += 1;
        self.drive();
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 100));
        self.watch();
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 100));
    }

    fn push(&mut self, span: Span) {
        let tag = self.all.len() as u64;
        let frame = TxFrame {
            payload: span.bytes,
            tag: bits(0x4000_0000 + tag),
            qp: bits(tag % 256),
            psn: bits(0xFF_0000 + tag),
            ..Default::default()
        };
        self.jobs.push_back((frame, span));
        self.all.push((frame, span));
    }

    fn open_holds(&self) -> u64 {
        self.lookup.grants.values().sum::<u64>() - self.ends.values().sum::<u64>()
    }

    /// Runs until all frames are through.
    fn run(&mut self, limit: u64) {
        let wanted = self.all.len();
        let start = self.cycle;
        while self.payloads.len() < wanted || self.open_holds() > 0 || self.reads.len() > 0 {
            self.step();
            assert!(
                self.cycle < start + limit,
                "stuck: {} of {wanted} frames, {} holds open, {} reads, {} jobs, asked {}",
                self.payloads.len(),
                self.open_holds(),
                self.reads.len(),
                self.jobs.len(),
                self.lookup.asked
            );
        }
        for _ in 0..40 {
            self.step();
        }
        assert_eq!(self.open_holds(), 0, "T98: grants {:?} ends {:?}", self.lookup.grants, self.ends);
        assert!(self.payloads.len() == wanted && self.bytes.is_empty());
    }

    /// Runs, and compares everything with the model.
    fn check(&mut self, limit: u64) {
        self.run(limit);
        let jobs = &self.all;
        assert!(
            self.frames.iter().zip(jobs).all(|(found, (frame, _))| found == frame) && self.frames.len() == jobs.len()
        );
        let mut failures = vec![];
        let mut read_bytes = 0;
        for (i, (frame, span)) in jobs.iter().enumerate() {
            let generation = span.same_generation.then(|| span.generation.to_u64());
            let meaning = Meaning::of(&self.regions, span, generation);
            let bus_error = meaning.pieces.iter().any(|(_, bus, _)| self.broken.contains(&(bus & !0xFFF)));
            let syndrome = if bus_error { 0x40 } else { meaning.syndrome };
            let (found, failed) = &self.payloads[i];
            assert_eq!(*failed, syndrome != 0, "frame {i}: {meaning:x?} {span:?}");
            let bytes: Vec<u8> = meaning.pieces.iter().flat_map(|(_, bus, n)| (*bus..bus + n).map(byte_at)).collect();
            assert!(*found == bytes, "frame {i}: {} bytes of {}: {meaning:x?}", found.len(), bytes.len());
            read_bytes += bytes.len() as u64;
            if syndrome != 0 {
                failures.push((frame.tag.to_u64(), frame.qp.to_u64(), frame.psn.to_u64(), syndrome));
            }
        }
        assert_eq!(self.failures, failures);
        assert_eq!(self.read_bytes, read_bytes, "E14: nothing behind a failure is read");
    }
}

type Small = Bench<64, 8, 10, 4, 3>;

fn random_length(random: &mut RandomDrive) -> u64 {
    match random.below(10) {
        0 => 4096,
        1 => 1024,
        2 | 3 => 1 + random.below(4096),
        _ => 1 + random.below(130),
    }
}

fn random_frames<const D: usize, const S: usize, const B: usize, const P: usize, const F: usize>(
    bench: &mut Bench<D, S, B, P, F>,
    count: usize,
    wild: u32,
) {
    for _ in 0..count {
        let bytes = random_length(&mut bench.random);
        let mut span = random_span(&mut bench.random, &bench.regions, bytes, wild);
        if wild > 0 && bench.random.chance(1, 5) {
            // Right for one region only.
            span.same_generation = true;
            span.generation = bits(0x900 + 1 + bench.random.below(3));
        }
        if wild > 0 && bench.random.chance(1, 20) {
            span.skip = bits(1_000_000);
        }
        bench.push(span);
    }
}

#[test]
fn t24_t114_every_span_is_gathered_byte_by_byte() {
    for seed in 0..3 {
        let mut bench = Small::new(seed);
        bench.pace = [[8; 3], [3, 8, 4], [8, 3, 7]][seed as usize];
        random_frames(&mut bench, 70, 0);
        bench.check(100_000);
        assert!(bench.failures.is_empty());
    }
}

#[test]
fn t24_also_on_the_wide_bus() {
    let mut bench = Bench::<512, 64, 8, 5, 4>::new(9);
    random_frames(&mut bench, 30, 3);
    bench.check(60_000);
}

/// Pieces of every length from 1 to one beat and one byte, at every lane, meeting across SGEs.
#[test]
fn t24_all_alignments_and_short_pieces() {
    let mut bench = Small::new(4);
    let region = bench.regions.0[&2].clone();
    for lane in 0..8 {
        for length in 1..=9 {
            let at = (4096 - region.fbo) + lane;
            let second = bench.random.below(600);
            bench.push(Span {
                address0: bits(region.iova + at),
                length0: bits(length),
                key0: bits(Regions::key(2)),
                address1: bits(region.iova + second),
                length1: bits(1 + second % 9),
                key1: bits(Regions::key(2)),
                bytes: bits(length + 1 + second % 9),
                pd: bits(PD),
                ..Default::default()
            });
        }
    }
    bench.check(20_000);
}

#[test]
fn e14_t25_t98_failures_anywhere_end_their_frame_and_leak_no_hold() {
    for seed in 0..4 {
        let mut bench = Small::new(10 + seed);
        bench.pace = [[8; 3], [2, 8, 8], [8, 2, 8], [5, 5, 5]][seed as usize];
        // Two pages of each of three regions answer with an error, of region 4 (zero-based) too.
        for index in [1, 3, 4] {
            bench.broken.extend(&bench.regions.0[&index].pages[1..3]);
        }
        random_frames(&mut bench, 90, 25);
        bench.check(100_000);
        let by_bus = bench.failures.iter().filter(|failure| failure.3 == 0x40).count();
        assert!(by_bus > 3 && bench.failures.len() > by_bus + 20, "{by_bus} of {}", bench.failures.len());
    }
}

/// Three send queues; what follows a failed frame of the same queue vanishes too, with payload or without, and is not told.
#[test]
fn d9a_t25_nothing_behind_a_failed_frame_of_its_send_queue_leaves() {
    let (mut told, mut silent, mut bare) = (0, 0, 0);
    for seed in 0..4 {
        let mut bench = Small::new(40 + seed);
        bench.pace = [[8; 3], [2, 8, 8], [8, 2, 8], [5, 5, 5]][seed as usize];
        bench.broken.extend(&bench.regions.0[&1].pages[1..2]);
        for i in 0..60 {
            let bytes = if bench.random.chance(1, 3) { 0 } else { 1 + bench.random.below(200) };
            let span = random_span(&mut bench.random, &bench.regions, bytes, if i < 20 { 0 } else { 8 });
            bench.push(span);
            let (frame, _) = bench.jobs.back_mut().expect("just pushed");
            frame.qp = bits(i % 3);
            *bench.all.last_mut().expect("just pushed") = *bench.jobs.back().expect("just pushed");
        }
        let start = bench.cycle;
        let through = |b: &Small| {
            b.frames.len() == b.all.len()
                && b.payloads.len() == b.frames.iter().filter(|frame| frame.payload.any()).count()
        };
        while !through(&bench) || bench.open_holds() > 0 {
            bench.step();
            assert!(
                bench.cycle < start + 50_000,
                "stuck: {} frames, {} payloads",
                bench.frames.len(),
                bench.payloads.len()
            );
        }
        let mut stopped = [false; 3];
        let mut failures = vec![];
        let mut payloads = bench.payloads.iter();
        for ((frame, span), found) in bench.all.iter().zip(&bench.frames) {
            let vanishes = found.payload.any() && payloads.next().expect("payload of every frame").1;
            let meaning = Meaning::of(&bench.regions, span, span.same_generation.then(|| span.generation.to_u64()));
            let bus_error = meaning.pieces.iter().any(|(_, bus, _)| bench.broken.contains(&(bus & !0xFFF)));
            let syndrome = if bus_error { 0x40 } else { meaning.syndrome };
            let qp = frame.qp.to_u64() as usize;
            assert_eq!(vanishes, stopped[qp] || syndrome != 0, "{frame:?}");
            if stopped[qp] {
                silent += 1;
                bare += (frame.payload == 0) as u32;
            } else if syndrome != 0 {
                stopped[qp] = true;
                failures.push((frame.tag.to_u64(), frame.qp.to_u64(), frame.psn.to_u64(), syndrome));
            }
        }
        for _ in 0..40 {
            bench.step();
        }
        assert_eq!(bench.failures, failures);
        told += failures.len();
    }
    assert!(told > 6 && silent > 60 && bare > 15, "{told} failures, {silent} silent, {bare} without payload");
}

/// No frame is in the builder while its payload is still on its way.
#[test]
fn t109_a_frame_waits_for_its_first_beat_in_the_gather() {
    let mut bench = Small::new(31);
    bench.latency = 300;
    let region = bench.regions.0[&1].clone();
    for i in 0..6 {
        bench.push(Span {
            address0: bits(region.iova + (4096 - region.fbo) + 512 * i),
            length0: bits(64),
            key0: bits(Regions::key(1)),
            bytes: bits(64),
            pd: bits(PD),
            ..Default::default()
        });
    }
    // Beats that had come when each frame went to the builder; a frame has eight or nine.
    let mut beats = vec![];
    while beats.len() < 6 {
        bench.step();
        beats.resize(bench.frames.len(), bench.beats);
        assert!(bench.cycle < 2000, "{beats:?}");
    }
    let right = beats.iter().enumerate().all(|(i, beats)| (8 * i as u64 + 1..=9 * i as u64 + 9).contains(beats));
    assert!(right, "{beats:?}");
    bench.check(3000);
}

/// The builder takes nothing: reads and holds end all the same, because their room was reserved before the lookup. Frames of
/// 4,096 B fill the return buffer, frames in many pieces the places for pieces.
#[test]
fn t102_t107_holds_end_without_help_of_the_builder() {
    for seed in 0..3 {
        let mut bench = Small::new(20 + seed);
        bench.pace = [8, 0, 8];
        for _ in 0..14 {
            let bytes = [4096, 40, 300][seed as usize];
            let mut span = random_span(&mut bench.random, &bench.regions, bytes, 0);
            if seed == 1 {
                // Four SGEs, most of them across a page.
                (span.skip, span.length0, span.length1) = (bits(0), bits(10), bits(10));
                (span.length2, span.length3) = (bits(10), bits(10));
                let region = &bench.regions.0[&1];
                let at = bits(region.iova + 4096 - region.fbo + 4091);
                (span.address0, span.address1, span.address2, span.address3) = (at, at, at, at);
                let key = bits(Regions::key(1));
                (span.key0, span.key1, span.key2, span.key3) = (key, key, key, key);
            }
            bench.push(span);
        }
        for _ in 0..4000 {
            bench.step();
        }
        assert!(bench.lookup.asked > 1 && !bench.jobs.is_empty());
        assert!(bench.open_holds() == 0 && bench.reads.is_empty(), "{} holds wait", bench.open_holds());
        // And nothing was lost.
        bench.pace = [8; 3];
        bench.check(30_000);
    }
}

fn speed<const D: usize, const S: usize, const B: usize, const P: usize, const F: usize>(
    frames: u64,
    bytes: u64,
    step: u64,
) -> (f64, f64) {
    let mut bench = Bench::<D, S, B, P, F>::new(5);
    bench.latency = 100;
    let region = bench.regions.0[&1].clone();
    for i in 0..frames {
        let offset = (4096 - region.fbo) + i * step % (3 * 4096);
        bench.push(Span {
            address0: bits(region.iova + offset),
            length0: bits(bytes),
            key0: bits(Regions::key(1)),
            bytes: bits(bytes),
            pd: bits(PD),
            ..Default::default()
        });
    }
    bench.run(100_000);
    let cycles = (bench.cycle - 40 - bench.first_payload) as f64;
    (cycles / frames as f64, cycles / bench.beats as f64)
}

#[test]
fn t111_frames_of_64_bytes_flow_one_every_four_cycles_and_large_ones_at_a_beat_a_cycle() {
    let (a_frame, _) = speed::<512, 64, 8, 8, 7>(300, 64, 64);
    assert!(a_frame < 2.5, "64 B aligned, DATA 512: {a_frame} cycles a frame");
    let (a_frame, _) = speed::<512, 64, 8, 8, 7>(300, 64, 72);
    assert!(a_frame < 4.0, "64 B unaligned, DATA 512: {a_frame} cycles a frame");
    let (_, a_beat) = speed::<64, 8, 11, 5, 4>(20, 4096, 1000);
    assert!(a_beat < 1.05, "4 KiB, DATA 64: {a_beat} cycles a beat");
    let (_, a_beat) = speed::<512, 64, 8, 8, 7>(40, 4096, 1000);
    assert!(a_beat < 1.1, "4 KiB, DATA 512: {a_beat} cycles a beat");
}
