//! What the benches of `dma` and `cq` share: stepping a block, and host memory as AXI and as a write client sees it.
#![allow(dead_code)] // Each test file uses its part.
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rnic_hdl::types::WriteClient;
use rnic_hdl::widgets::{AxiReadManager, AxiWriteManager};
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

/// A block with a clock.
pub trait Clocked: Block {
    fn clock(&mut self) -> &mut Signal<In, Clock>;
}

/// Lets the outputs follow the inputs, before the rising edge.
pub fn settle<U: Clocked>(uut: &mut U) {
    uut.clock().next = Clock { clk: false };
    assert!(simulate(uut, 1000), "combinational loop");
}

/// The rising edge.
pub fn edge<U: Clocked>(uut: &mut U) {
    uut.clock().next = Clock { clk: true };
    assert!(simulate(uut, 1000), "combinational loop");
}

pub fn number<const N: usize>(word: Bits<N>) -> u64 {
    let big: BigUint = word.into();
    big.iter_u64_digits().next().unwrap_or(0)
}

pub fn bytes_of<const N: usize>(word: Bits<N>) -> Vec<u8> {
    let big: BigUint = word.into();
    let mut bytes = big.to_bytes_le();
    bytes.resize(N / 8, 0);
    bytes
}

pub fn word_of<const N: usize>(bytes: &[u8]) -> Bits<N> {
    BigUint::from_bytes_le(bytes).into()
}

/// Sparse memory; a byte never written has a value that its address tells.
#[derive(Default)]
pub struct Bytes(HashMap<u64, u8>);

impl Bytes {
    pub fn get(&self, at: u64) -> u8 {
        self.0.get(&at).copied().unwrap_or((at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)
    }
    pub fn put(&mut self, at: u64, byte: u8) {
        self.0.insert(at, byte);
    }
    pub fn read(&self, at: u64, count: usize) -> Vec<u8> {
        (0..count as u64).map(|i| self.get(at + i)).collect()
    }
    pub fn zero(&mut self, at: u64, count: u64) {
        (0..count).for_each(|i| self.put(at + i, 0));
    }
    /// Bytes that somebody has written.
    pub fn written(&self) -> usize {
        self.0.len()
    }
}

pub struct Burst {
    pub id: u8,
    pub address: u64,
    pub beats: u64,
    beat: u64,
    due: u64,
    data: Vec<(u64, u8)>,
}

/// How the bus behaves.
pub struct Pace {
    /// Cycles from address to first answer.
    pub latency: std::ops::Range<u64>,
    /// Chance in 8 that a ready is set.
    pub ready: u32,
    /// Chance in 8 that an answer comes when there is one.
    pub answer: u32,
}

/// Host memory behind AXI: random latency, order free across ids, random ready. Checks the rules of `m_axi`.
pub struct AxiMemory {
    pub bytes: Bytes,
    pub pace: Pace,
    /// Beats whose address lies here answer with this error.
    pub errors: Vec<(std::ops::Range<u64>, u8)>,
    pub reads: Vec<Burst>,
    pub writes: VecDeque<Burst>,
    pub most_reads: usize,
    pub ar_log: Vec<(u64, u8, u64)>,
    pub aw_log: Vec<(u64, u8, u64)>,
    pub w_beats: usize,
    pub now: u64,
    rng: ChaCha8Rng,
    beats: VecDeque<(Vec<u8>, u64, bool)>,
    answers: Vec<Burst>,
    ar_held: Option<(u64, u64, u64)>,
    aw_held: Option<(u64, u64, u64)>,
    w_held: Option<(Vec<u8>, u64, bool)>,
    inside_burst: bool,
}

impl AxiMemory {
    pub fn new(seed: u64, pace: Pace) -> Self {
        Self {
            bytes: Bytes::default(),
            pace,
            errors: vec![],
            reads: vec![],
            writes: VecDeque::new(),
            most_reads: 0,
            ar_log: vec![],
            aw_log: vec![],
            w_beats: 0,
            now: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            beats: VecDeque::new(),
            answers: vec![],
            ar_held: None,
            aw_held: None,
            w_held: None,
            inside_burst: false,
        }
    }

    /// Random latencies, readies and gaps.
    pub fn rough(seed: u64) -> Self {
        Self::new(seed, Pace { latency: 1..60, ready: 5, answer: 6 })
    }

    /// A bus that is always ready, with a fixed latency.
    pub fn smooth(latency: u64) -> Self {
        Self::new(1, Pace { latency: latency..latency + 1, ready: 8, answer: 8 })
    }

    /// Nothing is under way.
    pub fn quiet(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.beats.is_empty() && self.answers.is_empty()
    }

    fn response(&self, at: u64) -> u64 {
        self.errors.iter().find(|(range, _)| range.contains(&at)).map_or(0, |(_, code)| *code as u64)
    }

    /// One due burst, the oldest of a random id.
    fn pick(rng: &mut ChaCha8Rng, list: &[Burst], now: u64) -> Option<usize> {
        let firsts: Vec<_> = (0..list.len())
            .filter(|&i| list[i].due <= now && !list[..i].iter().any(|burst| burst.id == list[i].id))
            .collect();
        (!firsts.is_empty()).then(|| firsts[rng.random_range(0..firsts.len())])
    }

    /// Drives the answers and readies of this cycle.
    pub fn drive<const DATA: usize, const STRB: usize>(
        &mut self,
        read: &mut AxiReadManager<DATA>,
        write: &mut AxiWriteManager<DATA, STRB>,
    ) {
        self.now += 1;
        let (ready, answer) = (self.pace.ready, self.pace.answer);
        let mut chance = |of| self.rng.random_ratio(of, 8);
        read.arready.next = chance(ready);
        write.awready.next = chance(ready);
        write.wready.next = chance(ready);
        let (answers_read, answers_write) = (chance(answer), chance(answer));
        read.rvalid.next = false;
        if let Some(i) = Self::pick(&mut self.rng, &self.reads, self.now).filter(|_| answers_read) {
            let lanes = DATA as u64 / 8;
            let at = (self.reads[i].address / lanes + self.reads[i].beat) * lanes;
            read.rvalid.next = true;
            read.rid.next = bits(self.reads[i].id.into());
            read.rdata.next = word_of(&self.bytes.read(at, lanes as usize));
            read.rresp.next = bits(self.response(at));
            self.reads[i].beat += 1;
            let last = self.reads[i].beat == self.reads[i].beats;
            read.rlast.next = last;
            if last {
                self.reads.remove(i);
            }
        }
        write.bvalid.next = false;
        if let Some(i) = Self::pick(&mut self.rng, &self.answers, self.now).filter(|_| answers_write) {
            let burst = self.answers.remove(i);
            let response = self.response(burst.address);
            write.bvalid.next = true;
            write.bid.next = bits(burst.id.into());
            write.bresp.next = bits(response);
            if response == 0 {
                burst.data.iter().for_each(|&(at, byte)| self.bytes.put(at, byte));
            }
        }
    }

    /// Takes what the block offers in this cycle; after `settle`.
    pub fn take<const DATA: usize, const STRB: usize>(
        &mut self,
        read: &AxiReadManager<DATA>,
        write: &AxiWriteManager<DATA, STRB>,
    ) {
        assert!(read.rready.val() && write.bready.val(), "T107: answers are always sunk");
        let lanes = DATA as u64 / 8;
        let check = |held: &mut Option<(u64, u64, u64)>, offer: Option<(u64, u64, u64)>, ready: bool| {
            assert!(held.is_none() || *held == offer, "I7: an address changed before ready");
            *held = offer.filter(|_| !ready);
            offer.filter(|_| ready).map(|(id, address, last)| {
                assert!(address < 1 << 52, "address bits 63:52");
                let end = (address / lanes + last + 1) * lanes - 1;
                assert_eq!(address >> 12, end >> 12, "I7: burst at {address:x} of {} beats crosses 4 KiB", last + 1);
                Burst { id: id as u8, address, beats: last + 1, beat: 0, due: 0, data: vec![] }
            })
        };
        let offer =
            read.arvalid.val().then(|| (number(read.arid.val()), number(read.araddr.val()), number(read.arlen.val())));
        if let Some(mut burst) = check(&mut self.ar_held, offer, read.arready.val()) {
            burst.due = self.now + self.rng.random_range(self.pace.latency.clone());
            self.ar_log.push((self.now, burst.id, burst.address));
            self.reads.push(burst);
            self.most_reads = self.most_reads.max(self.reads.len());
        }
        let offer = write
            .awvalid
            .val()
            .then(|| (number(write.awid.val()), number(write.awaddr.val()), number(write.awlen.val())));
        if let Some(burst) = check(&mut self.aw_held, offer, write.awready.val()) {
            self.aw_log.push((self.now, burst.id, burst.address));
            self.writes.push_back(burst);
        }
        let beat =
            write.wvalid.val().then(|| (bytes_of(write.wdata.val()), number(write.wstrb.val()), write.wlast.val()));
        assert!(self.w_held.is_none() || self.w_held == beat, "I7: a beat changed before ready");
        assert!(beat.is_some() || !self.inside_burst, "T107: a gap within a burst on W");
        self.w_held = beat.clone().filter(|_| !write.wready.val());
        if let Some(beat) = beat.filter(|_| write.wready.val()) {
            self.w_beats += 1;
            self.inside_burst = !beat.2;
            self.beats.push_back(beat);
        }
        self.finish_writes(lanes);
    }

    /// Whole bursts, whose address and beats have come, wait for their answer.
    fn finish_writes(&mut self, lanes: u64) {
        while self.writes.front().is_some_and(|burst| burst.beats as usize <= self.beats.len()) {
            let mut burst = self.writes.pop_front().unwrap();
            let mut next = burst.address;
            for beat in 0..burst.beats {
                let (data, strobes, last) = self.beats.pop_front().unwrap();
                assert_eq!(last, beat == burst.beats - 1, "wlast");
                assert_ne!(strobes, 0, "a beat without a byte");
                for lane in (0..lanes).filter(|lane| strobes >> lane & 1 == 1) {
                    let at = (burst.address / lanes + beat) * lanes + lane;
                    assert_eq!(at, next, "strobes are one contiguous run from the address on");
                    next += 1;
                    burst.data.push((at, data[lane as usize]));
                }
            }
            burst.due = self.now + self.rng.random_range(self.pace.latency.clone());
            self.answers.push(burst);
        }
    }
}

/// Host memory as a write client of the DMA sees it.
pub struct WriteMemory {
    pub bytes: Bytes,
    pub latency: std::ops::Range<u64>,
    /// Chance in 8 that a ready is set.
    pub ready: u32,
    /// Writes to addresses in here fail.
    pub bad: std::ops::Range<u64>,
    pub now: u64,
    /// Bursts whose data lie in memory, in order, with their B to come.
    pub waiting: VecDeque<(u64, bool)>,
    /// Cycle and address of every command.
    pub log: Vec<(u64, u64)>,
    pub answered: usize,
    rng: ChaCha8Rng,
    command: Option<(u64, u64)>,
    at: u64,
}

impl WriteMemory {
    pub fn new(seed: u64, latency: std::ops::Range<u64>, ready: u32) -> Self {
        Self {
            bytes: Bytes::default(),
            latency,
            ready,
            bad: 0..0,
            now: 0,
            waiting: VecDeque::new(),
            log: vec![],
            answered: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            command: None,
            at: 0,
        }
    }

    pub fn drive<const DATA: usize>(&mut self, client: &mut WriteClient<DATA>) {
        self.now += 1;
        client.command.ready.next = self.command.is_none() && self.rng.random_ratio(self.ready, 8);
        client.beat.ready.next = self.command.is_some() && self.rng.random_ratio(self.ready, 8);
        client.done.next = false;
        client.failed.next = false;
        if self.waiting.front().is_some_and(|&(due, _)| due <= self.now) {
            let (_, bad) = self.waiting.pop_front().unwrap();
            client.done.next = true;
            client.failed.next = bad;
            self.answered += 1;
        }
    }

    pub fn take<const DATA: usize>(&mut self, client: &WriteClient<DATA>) {
        let lanes = DATA as u64 / 8;
        if client.beat.valid.val() && client.beat.ready.val() {
            let (address, end) = self.command.expect("a beat without a command");
            let data = bytes_of(client.beat.data.val());
            while self.at < end {
                if !self.bad.contains(&address) {
                    self.bytes.put(self.at, data[(self.at % lanes) as usize]);
                }
                self.at += 1;
                if self.at % lanes == 0 {
                    break;
                }
            }
            if self.at == end {
                let due = self.now + self.rng.random_range(self.latency.clone());
                let due = due.max(self.waiting.back().map_or(0, |last| last.0));
                self.waiting.push_back((due, self.bad.contains(&address)));
                self.command = None;
            }
        } else if client.command.valid.val() && client.command.ready.val() {
            let command = client.command.data.val();
            let (address, length) = (number(command.address), number(command.length));
            self.log.push((self.now, address));
            self.command = Some((address, address + length));
            self.at = address;
        }
    }
}

pub mod cq;
