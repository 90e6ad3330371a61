//! The placer against models of the lookup, the frame buffer and memory.
use super::Placer;
use crate::check::RandomDrive;
use crate::mr::pieces::bench::{random_span, LookupModel, Meaning, Regions, PD};
use crate::types::WriteClient;
use crate::widgets::ChannelSource;
use crate::wire::{PlaceJob, PlaceVerdict, Span};
use num_bigint::BigUint;
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

/// Bursts of at most this many bytes.
const CUT: usize = 128;
const QPS: usize = 8;
/// Rows of the frame buffer, as a power of two.
const A: usize = 10;

type Uut<const DATA: usize, const STRB: usize> = Placer<DATA, STRB, A, 3, QPS, 4, 5, CUT>;

#[derive(Clone)]
struct Frame {
    job: PlaceJob,
    span: Span,
    payload: Vec<u8>,
    rows: usize,
}

/// One write client's memory side: strobed bursts, B in order after a while.
#[derive(Default)]
struct Writes {
    open: Option<(u64, u64)>,
    /// Bytes of the open burst that came.
    at: u64,
    waiting: VecDeque<(u64, u64)>,
    count: u64,
}

struct Bench<const DATA: usize, const STRB: usize> {
    uut: Uut<DATA, STRB>,
    random: RandomDrive,
    regions: Regions,
    lookup: LookupModel,
    jobs: VecDeque<Frame>,
    /// Frames that may still be read, oldest first.
    held: VecDeque<usize>,
    rows: Vec<Option<Vec<u8>>>,
    next_row: usize,
    /// Data of the last two addresses.
    reading: [Option<Vec<u8>>; 2],
    writes: [Writes; 2],
    memory: HashMap<u64, u8>,
    written: u64,
    open_bursts: HashMap<u64, i64>,
    ends: HashMap<u64, u64>,
    verdicts: Vec<PlaceVerdict>,
    landed: [u64; 2],
    landed_at_verdict: Vec<[u64; 2]>,
    released: usize,
    /// In eighths: questions, verdicts, writes.
    pace: [u32; 3],
    latency: u64,
    cycle: u64,
    taken: usize,
    frames: usize,
}

impl<const DATA: usize, const STRB: usize> Bench<DATA, STRB> {
    fn new(seed: u64) -> Self {
        let mut random = RandomDrive::new(seed);
        let regions = Regions::standard(&mut random);
        let mut bench = Self {
            uut: Default::default(),
            random,
            regions,
            lookup: Default::default(),
            jobs: Default::default(),
            held: Default::default(),
            rows: vec![None; 1 << A],
            next_row: 1000,
            reading: [None, None],
            writes: Default::default(),
            memory: Default::default(),
            written: 0,
            open_bursts: Default::default(),
            ends: Default::default(),
            verdicts: vec![],
            landed: [0; 2],
            landed_at_verdict: vec![],
            released: 0,
            pace: [8; 3],
            latency: 30,
            cycle: 0,
            taken: 0,
            frames: 0,
        };
        bench.uut.connect_all();
        bench.uut.reset.next = true;
        bench.step();
        bench.step();
        bench.uut.reset.next = false;
        bench
    }

    /// Fills in the rest of the job and queues the frame.
    fn push(&mut self, mut job: PlaceJob, span: Span) {
        let payload_at = 42 + 2 * self.random.below(30) as usize;
        let payload: Vec<u8> = (0..span.bytes.to_u64()).map(|_| self.random.below(256) as u8).collect();
        job.payload_at = bits(payload_at as u64);
        if job.inline {
            job.value = bits(u64::from_le_bytes(payload[..].try_into().unwrap()));
        }
        job.tag = bits(0x5000_0000 + self.frames as u64);
        let rows = (payload_at + payload.len()).div_ceil(STRB);
        self.frames += 1;
        self.jobs.push_back(Frame { job, span, payload, rows });
    }

    /// The front job's frame goes into the buffer, if there is room.
    fn arrive(&mut self) -> bool {
        let Some(frame) = self.jobs.front_mut() else { return false };
        if frame.job.first_row.to_u64() > 0 || self.held.iter().sum::<usize>() + frame.rows + 1 >= 1 << A {
            return false;
        }
        if self.next_row == 0 {
            self.next_row = 1;
        }
        frame.job.first_row = bits(self.next_row as u64);
        let mut bytes = vec![0xEE; frame.job.payload_at.to_u64() as usize];
        // What an inline job means is not in the frame: there it stands the other way round.
        if frame.job.inline {
            bytes.extend(frame.payload.iter().rev());
        } else {
            bytes.extend(&frame.payload);
        }
        for row in bytes.chunks(STRB) {
            let mut row = row.to_vec();
            row.resize(STRB, 0xDD);
            self.rows[self.next_row] = Some(row);
            self.next_row = (self.next_row + 1) % (1 << A);
        }
        self.held.push_back(frame.rows);
        true
    }

    fn drive(&mut self) {
        self.arrive();
        let uut = &mut self.uut;
        let job = self.jobs.front().filter(|frame| frame.job.first_row.to_u64() > 0);
        uut.place.valid.next = job.is_some();
        if let Some(frame) = job {
            uut.place.job.next = frame.job;
            uut.place.span.next = frame.span;
        }
        uut.question.ready.next = self.random.chance(self.pace[0], 8);
        uut.verdict.ready.next = self.random.chance(self.pace[1], 8);
        let answer = self.lookup.drive();
        uut.answered.next = answer.is_some();
        uut.answer.next = answer.unwrap_or_default();
        let word = match &self.reading[1] {
            Some(row) => BigUint::from_bytes_le(row),
            None => self.random.word(DATA),
        };
        uut.read_data.next = word.into();
        let bus = |client: &mut WriteClient<DATA>, writes: &mut Writes, random: &mut RandomDrive, pace, cycle| {
            client.command.ready.next = writes.open.is_none() && random.chance(pace, 8);
            client.beat.ready.next = writes.open.is_some() && random.chance(pace, 8);
            let done = writes.waiting.front().is_some_and(|(due, _)| *due <= cycle);
            client.done.next = done;
            client.failed.next = done && random.chance(1, 4);
            if done {
                writes.waiting.pop_front().unwrap().1
            } else {
                0
            }
        };
        // One B a cycle at most.
        let first = bus(&mut uut.requests, &mut self.writes[0], &mut self.random, self.pace[2], self.cycle);
        let second = bus(&mut uut.responses, &mut self.writes[1], &mut self.random, self.pace[2], self.cycle);
        for page in [first, second].into_iter().filter(|page| *page != 0) {
            *self.open_bursts.get_mut(&page).unwrap() -= 1;
        }
    }

    fn bus_side(&mut self, side: usize) {
        fn took<T: Synth>(source: &ChannelSource<T>) -> Option<T> {
            (source.valid.val() && source.ready.val()).then(|| source.data.val())
        }
        let client = if side == 0 { &self.uut.requests } else { &self.uut.responses };
        let writes = &mut self.writes[side];
        if let Some(command) = took(&client.command) {
            let (address, length) = (command.address.to_u64(), command.length.to_u64());
            assert!(length > 0 && address % CUT as u64 + length <= CUT as u64, "burst {address:x} + {length}");
            writes.open = Some((address, length));
            writes.at = 0;
            writes.count += 1;
            let page = address & !0xFFF;
            let index = *self.regions.0.iter().find(|(_, region)| region.pages.contains(&page)).unwrap().0;
            *self.open_bursts.entry(index).or_default() += 1;
        }
        if let Some(beat) = took(&client.beat) {
            let (address, length) = writes.open.expect("a beat without a burst");
            let word: BigUint = beat.into();
            let mut bytes = word.to_bytes_le();
            bytes.resize(STRB, 0);
            let base = (address + writes.at) & !(STRB as u64 - 1);
            let end = (address + length).min(base + STRB as u64);
            for at in address + writes.at..end {
                self.memory.insert(at, bytes[(at - base) as usize]);
                self.written += 1;
            }
            writes.at = end - address;
            if writes.at == length {
                writes.open = None;
                let page = address & !0xFFF;
                let index = *self.regions.0.iter().find(|(_, region)| region.pages.contains(&page)).unwrap().0;
                writes.waiting.push_back((self.cycle + self.latency, index));
            }
        }
    }

    fn watch(&mut self) {
        self.lookup.watch(&self.regions, &self.uut.question);
        if self.uut.place.valid.val() && self.uut.place.ready.val() {
            self.jobs.pop_front();
            self.taken += 1;
        }
        self.bus_side(0);
        self.bus_side(1);
        let uut = &self.uut;
        for side in 0..2 {
            self.landed[side] += uut.landed.val().get_bit(side) as u64;
            assert!(uut.landed.val().get_bit(side) || !uut.landed_failed.val().get_bit(side));
        }
        if uut.verdict.valid.val() && uut.verdict.ready.val() {
            self.verdicts.push(uut.verdict.data.val());
            self.landed_at_verdict.push(self.landed);
        }
        if uut.write_end.val() {
            let index = uut.write_end_index.val().to_u64();
            *self.ends.entry(index).or_default() += 1;
            let grants = self.lookup.grants[&index];
            assert!(self.ends[&index] <= grants, "an end too many");
            let open = self.open_bursts.get(&index).copied().unwrap_or(0);
            assert!(open == 0 || grants > self.ends[&index], "T98: cycle {}: a write without its hold", self.cycle);
        }
        let address = uut.read_address.val().to_u64() as usize;
        if uut.released.val() {
            self.released += 1;
            let rows = self.held.pop_front().expect("a frame to release");
            let first = (self.next_row + (1 << A) - self.held.iter().sum::<usize>() - rows) % (1 << A);
            // Gone at once.
            (0..rows).for_each(|i| self.rows[(first + i) % (1 << A)] = None);
        }
        self.reading.rotate_right(1);
        self.reading[0] = self.rows[address].clone();
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

    fn open_holds(&self) -> u64 {
        self.lookup.grants.values().sum::<u64>() - self.ends.values().sum::<u64>()
    }

    fn run(&mut self, limit: u64) {
        let start = self.cycle;
        while self.verdicts.len() < self.frames || self.open_holds() > 0 || self.released < self.frames {
            self.step();
            assert!(
                self.cycle < start + limit,
                "stuck: {} verdicts of {}, {} released, {} holds open, {} jobs wait, asked {}",
                self.verdicts.len(),
                self.frames,
                self.released,
                self.open_holds(),
                self.jobs.len(),
                self.lookup.asked
            );
        }
        for _ in 0..40 {
            self.step();
        }
        assert_eq!(self.open_holds(), 0, "T98: grants {:?} ends {:?}", self.lookup.grants, self.ends);
    }
}

/// What the jobs do, one after the other.
#[derive(Default)]
struct Model {
    dead: [[bool; QPS]; 2],
    generations: [u64; QPS],
    memory: HashMap<u64, u8>,
    writes: [u64; 2],
    written: u64,
}

impl Model {
    fn place(&mut self, regions: &Regions, frame: &Frame) -> PlaceVerdict {
        let (job, span) = (&frame.job, &frame.span);
        let (qp, side) = (job.qp.to_u64() as usize, job.response as usize);
        let mut verdict = PlaceVerdict {
            qp: job.qp,
            response: job.response,
            dead: self.dead[side][qp],
            tag: job.tag,
            ..Default::default()
        };
        if !verdict.dead {
            let mut wanted = job.same_generation.then_some(self.generations[qp]);
            let mut syndrome = 0;
            if job.checks_range {
                let (found, _, _, generation) =
                    regions.lookup(span.key0.to_u64(), span.address0.to_u64(), job.range.to_u64());
                let stale = wanted.is_some_and(|wanted| wanted != generation);
                syndrome = if found == 0 && stale { 0x32 } else { found };
                if syndrome == 0 && job.keeps_generation {
                    wanted = Some(generation);
                    self.generations[qp] = generation;
                }
            }
            if syndrome == 0 {
                let meaning = Meaning::of(regions, span, wanted);
                syndrome = meaning.syndrome;
                if let (Some((index, ..)), true, false) =
                    (meaning.pieces.first(), job.keeps_generation, job.checks_range)
                {
                    self.generations[qp] = regions.0[index].generation;
                }
                let mut bytes = frame.payload.iter();
                for (_, bus, count) in &meaning.pieces {
                    (*bus..bus + count).for_each(|at| {
                        self.memory.insert(at, *bytes.next().unwrap());
                    });
                    self.written += count;
                    self.writes[side] += (bus + count).div_ceil(CUT as u64) - bus / CUT as u64;
                }
            }
            verdict.syndrome = bits(syndrome);
            self.dead[side][qp] |= syndrome != 0;
        }
        verdict.writes = bits(self.writes[side]);
        verdict
    }
}

fn check<const DATA: usize, const STRB: usize>(bench: &mut Bench<DATA, STRB>, model: &mut Model, limit: u64) {
    let from = bench.verdicts.len();
    let frames: Vec<_> = bench.jobs.iter().cloned().collect();
    bench.run(limit);
    for (i, frame) in frames.iter().enumerate() {
        let wanted = model.place(&bench.regions, frame);
        let mut found = bench.verdicts[from + i];
        found.generation = wanted.generation;
        assert_eq!(found, wanted, "job {i}: {:?}", frame.span);
    }
    assert_eq!(bench.written, model.written);
    let wrong = bench.memory.iter().filter(|(at, byte)| model.memory.get(at) != Some(byte)).count();
    assert!(wrong == 0 && bench.memory.len() == model.memory.len(), "{wrong} bytes differ");
    assert_eq!(bench.landed, model.writes);
}

fn random_job<const D: usize, const S: usize>(bench: &mut Bench<D, S>, wild: u32) {
    // The result of an atomic goes along as a number.
    let inline = bench.random.chance(1, 8);
    let bytes = match bench.random.below(8) {
        _ if inline => 8,
        0 => 0,
        1 => 1 + bench.random.below(4096),
        2 => 1 + bench.random.below(500),
        _ => 1 + bench.random.below(130),
    };
    let span = random_span(&mut bench.random, &bench.regions, bytes, wild);
    let checks_range = span.length0.to_u64() > 0 && bench.random.chance(1, 3);
    let keeps = wild == 0 || bench.random.chance(1, 3);
    let job = PlaceJob {
        qp: bits(bench.random.below(QPS as u64)),
        response: inline || bench.random.chance(1, 4),
        inline,
        checks_range,
        range: bits(span.length0.to_u64() + if bench.random.chance(wild, 200) { 90_000 } else { 0 }),
        keeps_generation: false,
        same_generation: false,
        ..Default::default()
    };
    let single = [span.length1, span.length2, span.length3].iter().all(|length| length.to_u64() == 0);
    let job = match (keeps, single) {
        (true, true) if !job.response => PlaceJob { keeps_generation: true, ..job },
        (false, _) if !job.response && bench.random.chance(1, 6) => PlaceJob { same_generation: true, ..job },
        _ => job,
    };
    bench.push(job, span);
}

#[test]
fn t24_payload_lands_byte_by_byte_at_every_alignment() {
    for seed in 0..2 {
        let mut bench = Bench::<64, 8>::new(seed);
        bench.pace = [[8; 3], [4, 4, 5]][seed as usize];
        (0..120).for_each(|_| random_job(&mut bench, 0));
        check(&mut bench, &mut Model::default(), 40_000);
        assert!(bench.verdicts.iter().all(|verdict| verdict.syndrome.to_u64() == 0 && !verdict.dead));
    }
}

#[test]
fn t24_also_on_the_wide_bus() {
    let mut bench = Bench::<512, 64>::new(2);
    (0..40).for_each(|_| random_job(&mut bench, 0));
    check(&mut bench, &mut Model::default(), 20_000);
}

#[test]
fn t104_t113_a_failed_queue_pair_places_nothing_more_until_it_is_cleared() {
    for seed in 0..3 {
        let mut bench = Bench::<64, 8>::new(20 + seed);
        bench.pace = [[8; 3], [8, 3, 8], [3, 8, 3]][seed as usize];
        let mut model = Model::default();
        let mut failed = 0;
        for _ in 0..5 {
            (0..40).for_each(|_| random_job(&mut bench, 20));
            check(&mut bench, &mut model, 40_000);
            for qp in 0..QPS {
                bench.uut.clear_dead.next = true;
                bench.uut.clear_index.next = bits(qp as u64);
                bench.step();
                failed += model.dead[0][qp] as u32 + model.dead[1][qp] as u32;
                model.dead[0][qp] = false;
                model.dead[1][qp] = false;
            }
            bench.uut.clear_dead.next = false;
        }
        let dead = bench.verdicts.iter().filter(|verdict| verdict.dead).count();
        assert!(failed > 10 && dead > 20, "{failed} failures, {dead} jobs of dead queue pairs");
    }
}

fn write<const D: usize, const S: usize>(bench: &Bench<D, S>, index: u64, offset: u64, bytes: u64) -> Span {
    Span {
        address0: bits(bench.regions.0[&index].iova.wrapping_add(offset)),
        length0: bits(bytes),
        key0: bits(Regions::key(index)),
        bytes: bits(bytes),
        pd: bits(PD),
        remote: true,
        ..Default::default()
    }
}

fn job(qp: u64) -> PlaceJob {
    PlaceJob { qp: bits(qp), ..Default::default() }
}

#[test]
fn t113_a_frame_right_behind_a_bad_one_is_not_placed_but_other_queue_pairs_are() {
    let mut bench = Bench::<64, 8>::new(30);
    for qp in [1, 2, 1, 1, 3] {
        // Region 6 refuses.
        let index = if bench.frames == 0 { 6 } else { 1 };
        let span = write(&bench, index, 100 * bench.frames as u64, 64);
        bench.push(job(qp), span);
    }
    let responses = PlaceJob { response: true, ..job(1) };
    let span = write(&bench, 2, 0, 64);
    bench.push(responses, span);
    check(&mut bench, &mut Model::default(), 3000);
    let dead: Vec<_> = bench.verdicts.iter().map(|verdict| verdict.dead).collect();
    assert_eq!(dead, [false, false, true, true, false, false]);
    assert_eq!(bench.verdicts[0].syndrome.to_u64(), 0x32);
}

#[test]
fn t104_a_queue_pair_killed_from_outside_places_nothing() {
    let mut bench = Bench::<64, 8>::new(31);
    let mut model = Model::default();
    for (responses, kills) in [(false, 4), (true, 5)] {
        bench.uut.kill.next = true;
        bench.uut.kill_responses.next = responses;
        bench.uut.kill_index.next = bits(kills);
        bench.step();
        model.dead[responses as usize][kills as usize] = true;
    }
    bench.uut.kill.next = false;
    for qp in 3..7 {
        for response in [false, true] {
            let span = write(&bench, 1, 64 * qp, 60);
            bench.push(PlaceJob { response, ..job(qp) }, span);
        }
    }
    check(&mut bench, &mut model, 3000);
    assert_eq!(bench.verdicts.iter().filter(|verdict| verdict.dead).count(), 2);
}

#[test]
fn t56_t100_later_packets_must_meet_the_generation_of_the_first() {
    let mut bench = Bench::<64, 8>::new(32);
    let mut model = Model::default();
    let first = PlaceJob { keeps_generation: true, checks_range: true, range: bits(5000), ..job(2) };
    let span = write(&bench, 1, 0, 256);
    bench.push(first, span);
    let middle = PlaceJob { same_generation: true, ..job(2) };
    let span = write(&bench, 1, 256, 256);
    bench.push(middle, span);
    check(&mut bench, &mut model, 3000);
    // The same key and byte, registered again (V56).
    bench.regions.0.get_mut(&1).unwrap().generation += 1 << 8;
    let span = write(&bench, 1, 512, 256);
    bench.push(middle, span);
    check(&mut bench, &mut model, 3000);
    let found: Vec<_> = bench.verdicts.iter().map(|verdict| verdict.syndrome.to_u64()).collect();
    assert_eq!(found, [0, 0, 0x32]);
    assert_eq!(bench.written, 512);
}

#[test]
fn e7_the_range_is_checked_before_any_byte_is_placed() {
    let mut bench = Bench::<64, 8>::new(33);
    let span = write(&bench, 1, 0, 64);
    bench.push(PlaceJob { checks_range: true, range: bits(1 << 31), ..job(1) }, span);
    // A READ request: the check only.
    let span = Span { bytes: bits(0), ..write(&bench, 2, 0, 64) };
    bench.push(PlaceJob { checks_range: true, range: bits(4096), ..job(2) }, span);
    // Nothing at all: only the release.
    bench.push(job(3), Span::default());
    check(&mut bench, &mut Model::default(), 3000);
    let found: Vec<_> = bench.verdicts.iter().map(|verdict| verdict.syndrome.to_u64()).collect();
    assert_eq!((found, bench.written), (vec![0x34, 0, 0], 0));
    assert_eq!(bench.lookup.asked, 3);
}

/// Nobody takes verdicts: what was looked up is written and its holds end all the same.
#[test]
fn t102_holds_end_without_help_of_the_commit_queue() {
    let mut bench = Bench::<64, 8>::new(34);
    bench.pace = [8, 0, 8];
    (0..40).for_each(|_| random_job(&mut bench, 0));
    for _ in 0..3000 {
        bench.step();
    }
    assert!(bench.verdicts.is_empty() && bench.lookup.asked > 5 && !bench.jobs.is_empty());
    assert_eq!(bench.open_holds(), 0);
    bench.pace = [8; 3];
    check_rest(&mut bench);
}

fn check_rest(bench: &mut Bench<64, 8>) {
    bench.run(30_000);
    assert!(bench.verdicts.iter().all(|verdict| verdict.syndrome.to_u64() == 0));
}

#[test]
fn t110_jobs_of_64_bytes_flow_one_every_four_cycles_and_4_kib_at_a_beat_a_cycle() {
    let mut bench = Bench::<512, 64>::new(40);
    for i in 0..200 {
        let offset = 4096 - bench.regions.0[&1].fbo + 64 * (i % 60);
        let span = write(&bench, 1, offset, 64);
        bench.push(PlaceJob { keeps_generation: true, ..job(i % 8) }, span);
    }
    bench.run(10_000);
    let a_job = (bench.cycle - 40) as f64 / 200.0;
    assert!(a_job < 4.0, "{a_job} cycles a job of 64 B");

    let mut bench = Bench::<64, 8>::new(41);
    for i in 0..10 {
        let span = write(&bench, 1, 4096 - bench.regions.0[&1].fbo, 4096);
        bench.push(job(i % 8), span);
    }
    bench.run(20_000);
    let a_beat = (bench.cycle - 40) as f64 / (10.0 * 512.0);
    assert!(a_beat < 1.1, "{a_beat} cycles a beat of 4 KiB");
}
