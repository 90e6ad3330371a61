//! Bench of the raw rings: host memory and its bus, the placer, the wire.
use super::*;
use crate::check::RandomDrive;
use crate::wire::model::{bytes_of, number, word_of};
use crate::wire::{PlaceJob, RxFrame};
use rnic_abi::raw::Descriptor;
use rust_hdl::prelude::*;
use std::collections::{HashMap, HashSet, VecDeque};

/// Bases of the two rings, and the log2 of their sizes.
pub const RECEIVE: u64 = 0x12_3000;
pub const SEND: u64 = 0x45_6000;
pub const LOG2: u64 = 4;

/// A write on its way: address, length, bytes so far.
struct Burst {
    address: u64,
    length: u64,
    at: u64,
}

pub struct Bench<const DATA: usize, const STRB: usize, const A: usize> {
    pub uut: RawRings<DATA, STRB, A>,
    pub random: RandomDrive,
    pub memory: HashMap<u64, u8>,
    /// Pages with a bus error.
    pub bad_pages: HashSet<u64>,
    /// Frames to be received.
    pub arrivals: VecDeque<(RxFrame, Vec<u8>)>,
    /// Frames whose jobs are still to come.
    judged: VecDeque<(RxFrame, Vec<u8>)>,
    /// Jobs of the placer.
    pub jobs: Vec<PlaceJob>,
    /// Frames sent.
    pub sent: Vec<Vec<u8>>,
    sending: Vec<u8>,
    pub drops: Vec<u64>,
    /// Chances in eighths: bus, wire.
    pub pace: [u32; 2],
    pub latency: u64,
    pub cycle: u64,
    beats: VecDeque<(u64, Vec<u8>, bool)>,
    open: Option<Burst>,
    landing: VecDeque<(u64, bool)>,
    /// Writes of the placer: command and beats still to be taken, last of the frame.
    placing: VecDeque<(u64, Vec<u8>, bool)>,
    command_taken: bool,
    placed_open: VecDeque<bool>,
    placed_fault: bool,
    /// Commands as they were written.
    pub writes: Vec<(u64, u64)>,
}

impl<const DATA: usize, const STRB: usize, const A: usize> Bench<DATA, STRB, A> {
    pub fn new(seed: u64) -> Self {
        let mut bench = Self {
            uut: Default::default(),
            random: RandomDrive::new(seed),
            memory: HashMap::new(),
            bad_pages: HashSet::new(),
            arrivals: VecDeque::new(),
            judged: VecDeque::new(),
            jobs: vec![],
            sent: vec![],
            sending: vec![],
            drops: vec![],
            pace: [8, 8],
            latency: 20,
            cycle: 0,
            beats: VecDeque::new(),
            open: None,
            landing: VecDeque::new(),
            placing: VecDeque::new(),
            command_taken: false,
            placed_open: VecDeque::new(),
            placed_fault: false,
            writes: vec![],
        };
        bench.uut.connect_all();
        bench.uut.reset.next = true;
        bench.step();
        bench.step();
        bench.uut.reset.next = false;
        bench.uut.enable.next = true;
        bench.set_ring(RECEIVE, LOG2);
        bench.set_ring(SEND, LOG2);
        bench
    }

    /// Defines a ring afresh.
    pub fn set_ring(&mut self, base: u64, log2: u64) {
        let settings = RawSettings { base: bits(base >> 12), log2: bits(log2), producer: bits(0) };
        let (ring, restart) = match base {
            RECEIVE => (&mut self.uut.receive_ring, &mut self.uut.receive_restart),
            _ => (&mut self.uut.send_ring, &mut self.uut.send_restart),
        };
        ring.next = settings;
        restart.next = true;
        self.step();
        self.uut.receive_restart.next = false;
        self.uut.send_restart.next = false;
        self.step();
    }

    pub fn post(&mut self, base: u64, producer: u64) {
        let ring = if base == RECEIVE { &mut self.uut.receive_ring } else { &mut self.uut.send_ring };
        let settings = ring.val();
        ring.next = RawSettings { producer: bits(producer & 0xFFFF), ..settings };
    }

    pub fn put(&mut self, address: u64, bytes: &[u8]) {
        self.memory.extend((address..).zip(bytes.iter().copied()));
    }

    pub fn get(&self, address: u64, bytes: usize) -> Vec<u8> {
        (address..address + bytes as u64).map(|at| self.memory.get(&at).copied().unwrap_or(0xA5)).collect()
    }

    /// Slot of a ring.
    pub fn describe(&mut self, base: u64, count: u64, descriptor: Descriptor) {
        self.put(base + (count % (1 << LOG2)) * 16, &descriptor.encode());
    }

    pub fn described(&self, base: u64, count: u64) -> Descriptor {
        Descriptor::decode(self.get(base + (count % (1 << LOG2)) * 16, 16).as_slice().try_into().unwrap())
    }

    fn bad(&self, address: u64) -> bool {
        self.bad_pages.contains(&(address >> 12))
    }

    fn drive(&mut self) {
        let due = self.beats.front().is_some_and(|(due, ..)| *due <= self.cycle) && self.random.chance(self.pace[0], 8);
        self.uut.read.beat_valid.next = due;
        self.uut.read.beat_error.next = self.random.chance(1, 2);
        self.uut.read.beat_data.next = self.random.word(DATA).into();
        if due {
            let (_, bytes, error) = self.beats.pop_front().unwrap();
            self.uut.read.beat_data.next = word_of(&bytes);
            self.uut.read.beat_error.next = error;
        }
        self.uut.read.command.ready.next = self.random.chance(self.pace[0], 8);
        let busy = self.open.is_some();
        self.uut.write.command.ready.next = !busy && self.random.chance(self.pace[0], 8);
        self.uut.write.beat.ready.next = busy && self.random.chance(self.pace[0], 8);
        let done = self.landing.front().is_some_and(|(due, _)| *due <= self.cycle);
        self.uut.write.done.next = done;
        self.uut.write.failed.next = done && self.landing.pop_front().unwrap().1;
        self.uut.source.ready.next = self.random.chance(self.pace[1], 8);
        self.uut.drop.ready.next = self.random.chance(1, 2);
        self.uut.job.ready.next = self.random.chance(3, 4);
        self.uut.frame.valid.next = self.arrivals.front().is_some();
        if let Some((frame, _)) = self.arrivals.front() {
            self.uut.frame.data.next = *frame;
        }
        let placed = &mut self.uut.placed;
        placed.command.valid.next = !self.command_taken && !self.placing.is_empty();
        placed.beat.valid.next = !self.placing.is_empty();
        if let Some((address, bytes, _)) = self.placing.front() {
            let mut lanes = vec![0xEE; (*address % STRB as u64) as usize];
            placed.command.data.next.address = bits(*address);
            placed.command.data.next.length = bits(bytes.len() as u64);
            lanes.extend(bytes.iter().take(STRB - lanes.len()));
            lanes.resize(STRB, 0xEE);
            placed.beat.data.next = word_of(&lanes);
        }
    }

    /// The placer cuts at 64 bytes here.
    fn place(&mut self, job: PlaceJob) {
        let (frame, bytes) = self.judged.pop_front().expect("a job of a frame");
        self.jobs.push(job);
        if !job.raw {
            return;
        }
        assert_eq!(job.first_row, frame.first_row);
        let (mut at, range) = (number(job.value), number(job.range));
        let end = at + range;
        assert!(range as usize <= bytes.len() && end <= 1 << 52);
        let mut rest = &bytes[..range as usize];
        while at < end {
            let piece = (64 - at % 64).min(end - at);
            self.placing.push_back((at, rest[..piece as usize].to_vec(), at + piece == end));
            rest = &rest[piece as usize..];
            at += piece;
        }
    }

    fn watch_placer(&mut self) {
        let uut = &self.uut;
        let command = uut.placed.command.valid.val() && uut.placed.command.ready.val();
        let beat = uut.placed.beat.valid.val() && uut.placed.beat.ready.val();
        let landed = uut.placed.done.val();
        let failed = uut.placed.failed.val();
        let job = (uut.job.valid.val() && uut.job.ready.val()).then(|| uut.job.data.val());
        if command {
            self.command_taken = true;
            self.placed_open.push_back(self.placing[0].2);
        }
        if beat {
            let (address, bytes, _) = &mut self.placing[0];
            let taken = (STRB - (*address % STRB as u64) as usize).min(bytes.len());
            bytes.drain(..taken);
            *address += taken as u64;
            if bytes.is_empty() {
                assert!(self.command_taken, "all beats before their command");
                self.placing.pop_front();
                self.command_taken = false;
            }
        }
        self.uut.landed.next = false;
        if landed {
            self.placed_fault |= failed;
            if self.placed_open.pop_front().expect("a write of the placer") {
                self.uut.landed.next = true;
                self.uut.landed_failed.next = std::mem::take(&mut self.placed_fault);
            }
        }
        if let Some(job) = job {
            self.place(job);
        }
    }

    fn watch_bus(&mut self) {
        let uut = &self.uut;
        if uut.read.command.valid.val() && uut.read.command.ready.val() {
            let command = uut.read.command.data.val();
            let (address, length) = (number(command.address), number(command.length));
            let lanes = STRB as u64;
            for row in address / lanes..(address + length).div_ceil(lanes) {
                let bytes = self.get(row * lanes, STRB);
                let error = self.bad(row * lanes);
                self.beats.push_back((self.cycle + self.latency, bytes, error));
            }
        }
        let uut = &self.uut;
        if uut.write.beat.valid.val() && uut.write.beat.ready.val() {
            let burst = self.open.as_mut().expect("a beat without its burst");
            let bytes = bytes_of(uut.write.beat.data.val());
            let lane = ((burst.address + burst.at) % STRB as u64) as usize;
            let taken = (STRB - lane).min((burst.length - burst.at) as usize);
            let at = burst.address + burst.at;
            burst.at += taken as u64;
            let (done, error) = (burst.at == burst.length, self.bad_pages.contains(&(burst.address >> 12)));
            if !error {
                self.put(at, &bytes[lane..lane + taken]);
            }
            if done {
                self.open = None;
                self.landing.push_back((self.cycle + self.latency, error));
            }
        }
        let uut = &self.uut;
        if uut.write.command.valid.val() && uut.write.command.ready.val() {
            let command = uut.write.command.data.val();
            let (address, length) = (number(command.address), number(command.length));
            self.writes.push((address, length));
            self.open = Some(Burst { address, length, at: 0 });
        }
    }

    fn watch(&mut self) {
        self.watch_placer();
        self.watch_bus();
        let uut = &self.uut;
        if uut.frame.valid.val() && uut.frame.ready.val() {
            let frame = self.arrivals.pop_front().unwrap();
            self.judged.push_back(frame);
        }
        if uut.drop.valid.val() && uut.drop.ready.val() {
            self.drops.push(number(uut.drop.data.val()));
        }
        if uut.source.valid.val() && uut.source.ready.val() {
            let (bytes, mark) = (bytes_of(uut.source.data.val()), uut.source.mark.val());
            let count = number(mark.count) as usize;
            assert!(bytes[count..].iter().all(|byte| *byte == 0) && (count == STRB || mark.last));
            self.sending.extend(&bytes[..count]);
            if mark.last {
                self.sent.push(std::mem::take(&mut self.sending));
            }
        } else {
            assert!(self.sending.is_empty() || uut.source.valid.val(), "a gap in a frame");
        }
    }

    pub fn step(&mut self) {
        self.cycle += 1;
        self.drive();
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 100));
        self.watch();
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 100));
    }

    /// Steps until `done`; panics with the state after `limit` cycles.
    pub fn until(&mut self, limit: u64, done: impl Fn(&Self) -> bool) {
        let start = self.cycle;
        while !done(self) {
            self.step();
            assert!(
                self.cycle < start + limit,
                "stuck: {} to arrive, {} jobs, {} sent, drops {:?}, {} writes, {} beats to come",
                self.arrivals.len(),
                self.jobs.len(),
                self.sent.len(),
                self.drops,
                self.writes.len(),
                self.beats.len()
            );
        }
    }

    /// Whether the descriptor has come back.
    pub fn is_back(&self, base: u64, count: u64) -> bool {
        let phase = if count >> LOG2 & 1 == 0 { rnic_abi::raw::PHASE } else { 0 };
        self.described(base, count).flags & rnic_abi::raw::PHASE == phase
    }

    /// A frame to be received.
    pub fn arrive(&mut self, bytes: usize, change: impl FnOnce(&mut RxFrame)) -> Vec<u8> {
        let content: Vec<u8> = (0..bytes).map(|_| self.random.below(256) as u8).collect();
        let mut frame: RxFrame = RxFrame {
            raw: true,
            bytes: bits(bytes as u64),
            first_row: bits(self.random.below(1 << 12)),
            ..Default::default()
        };
        change(&mut frame);
        self.arrivals.push_back((frame, content.clone()));
        content
    }
}
