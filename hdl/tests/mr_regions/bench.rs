//! A host memory, a mailbox and queue pairs around the memory-regions subsystem, stepped cycle by cycle in Rust.
use num_bigint::BigUint;
use rnic_hdl::check::tick;
use rnic_hdl::mr::layout::{LookupAnswer, LookupQuestion};
use rnic_hdl::mr::{Limits, MemoryRegions};
use rnic_hdl::types::{QpControl, QpIdentity, WorkItem, WorkOutcome};
use rust_hdl::prelude::*;
use std::collections::{HashMap, HashSet, VecDeque};

/// Longest page list of the device under test.
pub const MAX_PL: u32 = 32;
/// Its DRAIN_MAX in cycles.
pub const DRAIN_MAX: u32 = 100;
/// Entries of its page buffer.
pub const PAGES: u32 = 128;
/// Entries of its MR table.
pub const MR_ENTRIES: u32 = 16;
/// Protection domain of queue pairs 0 to 2; queue pair 3 has another.
pub const PD: u32 = 7;

/// One lane, 4 queue pairs, 16 MRs, 128 pages.
type Narrow = MemoryRegions<64, 1, 64, 2, 4, 4, 7, 4, 7, 5>;
/// Eight lanes, as `large`.
type Wide = MemoryRegions<512, 8, 256, 2, 4, 4, 4, 6, 8, 6>;

/// What the bench needs of a device, whatever its width.
pub trait Device: Block {
    /// Bytes of a list beat.
    const BEAT: u64;
    fn build() -> Self;
    fn clock(&mut self) -> &mut Signal<In, Clock>;
    fn drive(&mut self, pins: &Pins);
    fn sample(&self) -> Seen;
}

/// Inputs of one cycle.
#[derive(Default)]
pub struct Pins {
    pub reset: bool,
    pub clearing: Option<u32>,
    pub work: Option<WorkItem>,
    pub command_ready: bool,
    pub beat: Option<(BigUint, bool)>,
    pub outcome_ready: bool,
    pub control: QpControl,
    pub word: Option<(u32, u32)>,
    pub start: Option<u32>,
    pub identity: QpIdentity,
    pub ask: Option<LookupQuestion>,
    pub read_end: Option<u32>,
    pub write_end: Option<u32>,
}

/// Outputs.
pub struct Seen {
    pub work_ready: bool,
    pub command: Option<(u64, u64)>,
    pub outcome: Option<WorkOutcome>,
    pub done: Option<u32>,
    pub answer_word: Option<(usize, u32)>,
    pub probe_qp: usize,
    pub answer: Option<LookupAnswer>,
    pub fatal: bool,
}

/// Bits as a number.
pub fn number<const N: usize>(value: Bits<N>) -> u64 {
    let word: BigUint = value.into();
    word.try_into().unwrap()
}

macro_rules! device {
    ($kind:ty, $beat:literal) => {
        impl Device for $kind {
            const BEAT: u64 = $beat;
            fn build() -> Self {
                <$kind>::new(Limits { max_pages: MAX_PL, drain_max: DRAIN_MAX })
            }
            fn clock(&mut self) -> &mut Signal<In, Clock> {
                &mut self.clock
            }
            fn drive(&mut self, pins: &Pins) {
                self.reset.next = pins.reset;
                self.clearing.next = pins.clearing.is_some();
                self.clear_index.next = u64::from(pins.clearing.unwrap_or(0)).into();
                self.work.valid.next = pins.work.is_some();
                self.work.data.next = pins.work.unwrap_or_default();
                self.list.command.ready.next = pins.command_ready;
                self.list.beat_valid.next = pins.beat.is_some();
                let (data, error) = pins.beat.clone().unwrap_or_default();
                self.list.beat_data.next = data.into();
                self.list.beat_error.next = error;
                self.outcome.ready.next = pins.outcome_ready;
                self.control.next = pins.control;
                let (index, word) = pins.word.unwrap_or((0, 0));
                self.admin.word_valid.next = pins.word.is_some();
                self.admin.word_index.next = u64::from(index).into();
                self.admin.word.next = u64::from(word).into();
                self.admin.start.next = pins.start.is_some();
                self.admin.opcode.next = u64::from(pins.start.unwrap_or(0)).into();
                self.probe_identity.next = pins.identity;
                self.ask.next = pins.ask.is_some();
                self.question.next = pins.ask.unwrap_or_default();
                self.read_end.next = pins.read_end.is_some();
                self.read_end_index.next = u64::from(pins.read_end.unwrap_or(0)).into();
                self.write_end.next = pins.write_end.is_some();
                self.write_end_index.next = u64::from(pins.write_end.unwrap_or(0)).into();
            }
            fn sample(&self) -> Seen {
                let command = self.list.command.data.val();
                Seen {
                    work_ready: self.work.ready.val(),
                    command: self.list.command.valid.val().then(|| (number(command.address), number(command.length))),
                    outcome: self.outcome.valid.val().then(|| self.outcome.data.val()),
                    done: self.admin.done.val().then(|| number(self.admin.errno.val()) as u32),
                    answer_word: self.admin.answer_valid.val().then(|| {
                        (number(self.admin.answer_index.val()) as usize, number(self.admin.answer.val()) as u32)
                    }),
                    probe_qp: number(self.probe_qp.val()) as usize,
                    answer: self.answered.val().then(|| self.answer.val()),
                    fatal: self.fatal.val(),
                }
            }
        }
    };
}
device!(Narrow, 8);
device!(Wide, 64);

/// The subsystem with a host around it.
pub struct Bench<D: Device> {
    dut: D,
    /// Cycles since the start.
    pub cycle: u64,
    /// 64-bit words of host memory by address.
    pub memory: HashMap<u64, u64>,
    /// Lines of 64 bytes whose read fails.
    pub broken: HashSet<u64>,
    /// Cycles from command to first beat.
    pub latency: u64,
    /// Further cycles from one beat of a list to the next.
    pub beat_gap: u64,
    /// Reads asked for: address, bytes.
    pub reads: Vec<(u64, u64)>,
    /// Items not yet taken.
    pub items: VecDeque<WorkItem>,
    /// Items that are posted in a later cycle.
    pub later: Vec<(u64, WorkItem)>,
    /// Outcomes with their cycle.
    pub outcomes: Vec<(u64, WorkOutcome)>,
    /// Outside answers with their cycle.
    pub answers: Vec<(u64, LookupAnswer)>,
    /// Cycles in which `fatal` was set.
    pub fatal: Vec<u64>,
    /// Inputs of the next cycle only.
    pub pins: Pins,
    identities: [QpIdentity; 4],
    identity_pipe: VecDeque<usize>,
    beats: VecDeque<(u64, u64)>,
    admin_done: Option<u32>,
    admin_words: [u32; 16],
    slot: u64,
}

pub type NarrowBench = Bench<Narrow>;
pub type WideBench = Bench<Wide>;

impl<D: Device> Bench<D> {
    /// After reset with cleared tables.
    pub fn new() -> Self {
        let identity = |qp: u64| QpIdentity {
            qpn: (0x100 + qp).into(),
            pd: (if qp == 3 { PD as u64 + 1 } else { PD as u64 }).into(),
            privileged: qp == 1,
            state: 3u64.into(),
        };
        let mut dut = D::build();
        dut.connect_all();
        let mut bench = Self {
            dut,
            cycle: 0,
            memory: HashMap::new(),
            broken: HashSet::new(),
            latency: 20,
            beat_gap: 0,
            reads: vec![],
            items: VecDeque::new(),
            later: vec![],
            outcomes: vec![],
            answers: vec![],
            fatal: vec![],
            pins: Pins::default(),
            identities: std::array::from_fn(|qp| identity(qp as u64)),
            identity_pipe: VecDeque::from([0; 4]),
            beats: VecDeque::new(),
            admin_done: None,
            admin_words: [0; 16],
            slot: 0,
        };
        for index in 0..MR_ENTRIES + 2 {
            bench.pins.reset = true;
            bench.pins.clearing = (index < MR_ENTRIES).then_some(index);
            bench.step();
        }
        bench
    }

    /// One clock period. `pins` of this cycle are forgotten afterwards.
    pub fn step(&mut self) {
        let mut pins = std::mem::take(&mut self.pins);
        let seen = self.dut.sample();
        pins.command_ready = true;
        pins.outcome_ready = true;
        self.identity_pipe.push_back(seen.probe_qp);
        pins.identity = self.identities[self.identity_pipe.pop_front().unwrap()];
        let due: Vec<_> = self.later.iter().filter(|(cycle, _)| *cycle == self.cycle).map(|(_, item)| *item).collect();
        self.items.extend(due);
        if !pins.reset {
            pins.work = self.items.front().copied();
            if seen.work_ready && pins.work.is_some() {
                self.items.pop_front();
            }
            if let Some((address, bytes)) = seen.command {
                self.reads.push((address, bytes));
                for beat in 0..bytes.div_ceil(D::BEAT) {
                    self.beats.push_back((self.cycle + self.latency + beat * self.beat_gap, address + beat * D::BEAT));
                }
            }
            if self.beats.front().is_some_and(|(from, _)| *from <= self.cycle) {
                let (_, address) = self.beats.pop_front().unwrap();
                pins.beat = Some((self.beat(address), self.broken.contains(&(address & !63))));
            }
            if let Some(outcome) = seen.outcome {
                self.outcomes.push((self.cycle, outcome));
            }
        }
        self.dut.drive(&pins);
        tick(&mut self.dut, D::clock);
        self.cycle += 1;
        let seen = self.dut.sample();
        if let Some(answer) = seen.answer {
            self.answers.push((self.cycle, answer));
        }
        if seen.fatal {
            self.fatal.push(self.cycle);
        }
        if let Some((index, word)) = seen.answer_word {
            self.admin_words[index] = word;
        }
        if seen.done.is_some() {
            self.admin_done = seen.done;
        }
    }

    /// `cycles` periods.
    pub fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    fn beat(&self, address: u64) -> BigUint {
        (0..D::BEAT / 8).fold(BigUint::default(), |word, lane| {
            word | BigUint::from(self.memory.get(&(address + 8 * lane)).copied().unwrap_or(0)) << (64 * lane)
        })
    }

    /// Puts a page list into host memory.
    pub fn store(&mut self, address: u64, pages: &[u64]) {
        for (i, page) in pages.iter().enumerate() {
            self.memory.insert(address + 8 * i as u64, *page);
        }
    }

    /// The item of a WQE of a queue pair.
    pub fn item(&mut self, qp: u64, wqe: [u8; 64]) -> WorkItem {
        self.slot += 1;
        let identity = self.identities[qp as usize];
        WorkItem {
            wqe: BigUint::from_bytes_le(&wqe).into(),
            qp: qp.into(),
            pd: identity.pd,
            slot: self.slot.into(),
            signalled: wqe[1] & 1 == 1,
            ..Default::default()
        }
    }

    /// Posts a WQE; does not wait.
    pub fn post(&mut self, qp: u64, wqe: [u8; 64]) {
        let item = self.item(qp, wqe);
        self.items.push_back(item);
    }

    /// Posts one WQE and waits for its outcome: status and syndrome.
    pub fn execute(&mut self, qp: u64, wqe: [u8; 64]) -> (u64, u64) {
        let seen = self.outcomes.len();
        self.post(qp, wqe);
        self.wait_outcomes(seen + 1);
        self.result(seen)
    }

    /// Like [`Self::execute`], then clears the failure of the queue pair.
    pub fn attempt(&mut self, qp: u64, wqe: [u8; 64]) -> (u64, u64) {
        let result = self.execute(qp, wqe);
        self.clear(qp);
        result
    }

    /// Status and syndrome of an outcome.
    pub fn result(&self, number_: usize) -> (u64, u64) {
        let outcome = self.outcomes[number_].1;
        (number(outcome.status), number(outcome.syndrome))
    }

    /// Runs until so many outcomes have been seen in all.
    pub fn wait_outcomes(&mut self, count: usize) {
        let limit = self.cycle + 3000;
        while self.outcomes.len() < count {
            assert!(self.cycle < limit, "{} of {count} outcomes", self.outcomes.len());
            self.step();
        }
    }

    /// Order `clear` for a queue pair.
    pub fn clear(&mut self, qp: u64) {
        self.pins.control = QpControl { index: qp.into(), clear: true, ..Default::default() };
        self.step();
    }

    /// Sends an admin command and does not wait.
    pub fn start_admin(&mut self, opcode: u32, words: &[u32]) {
        self.admin_done = None;
        self.admin_words = [0; 16];
        for index in 0..32 {
            self.pins.word = Some((index, words.get(index as usize).copied().unwrap_or(0)));
            self.step();
        }
        self.pins.start = Some(opcode);
        self.step();
    }

    /// errno of the command under way, once it has ended.
    pub fn admin_done(&self) -> Option<u32> {
        self.admin_done
    }

    /// Its answer words.
    pub fn admin_words(&self) -> [u32; 16] {
        self.admin_words
    }

    /// An admin command: errno and answer words.
    pub fn admin(&mut self, opcode: u32, words: &[u32]) -> (u32, [u32; 16]) {
        self.start_admin(opcode, words);
        let limit = self.cycle + 2000;
        while self.admin_done.is_none() {
            assert!(self.cycle < limit, "command {opcode} does not end");
            self.step();
        }
        (self.admin_done.unwrap(), self.admin_words)
    }

    /// ALLOC_MR with key byte `key`, of type MEM_REG.
    pub fn alloc(&mut self, index: u32, key: u32, max: u32, base: u32) {
        assert_eq!(self.admin(1, &[index, PD, 0x100 | key, max, base]).0, 0, "ALLOC_MR of {index}");
    }

    /// QUERY_MR.
    pub fn query(&mut self, index: u32) -> [u32; 16] {
        let (errno, words) = self.admin(3, &[index]);
        assert_eq!(errno, 0, "QUERY_MR of {index}");
        words
    }

    /// State of an MR.
    pub fn state(&mut self, index: u32) -> u32 {
        self.query(index)[0] & 0xFF
    }

    /// PROBE: syndrome, bytes, bus address.
    pub fn probe(&mut self, qp: u32, key: u32, va: u64, length: u32, need: u32) -> (u32, u32, u64) {
        let words = [0x100 + qp, key, va as u32, (va >> 32) as u32, length, need];
        let (errno, answer) = self.admin(4, &words);
        assert_eq!(errno, 0, "PROBE");
        (answer[0], answer[1], u64::from(answer[2]) | u64::from(answer[3]) << 32)
    }

    /// Asks from outside and waits for the answer.
    pub fn ask(&mut self, question: LookupQuestion) -> LookupAnswer {
        let seen = self.answers.len();
        self.pins.ask = Some(question);
        self.step();
        self.run(rnic_hdl::mr::lookup::LATENCY);
        assert_eq!(self.answers.len(), seen + 1, "one answer");
        self.answers[seen].1
    }
}

/// A local question of queue pair 0.
pub fn question(key: u32, va: u64, length: u32) -> LookupQuestion {
    LookupQuestion {
        key_byte: u64::from(key & 0xFF).into(),
        index: u64::from(key >> 8).into(),
        va_low: (va & 0xFFFF_FFFF).into(),
        va_high: (va >> 32).into(),
        length: u64::from(length).into(),
        pd: u64::from(PD).into(),
        ..Default::default()
    }
}

/// A REG_MR, right as it stands: one page of 4 KiB, inline.
#[derive(Clone)]
pub struct Reg {
    pub flags: u8,
    pub blocks: u8,
    pub access: u8,
    pub key: u32,
    pub shift: u8,
    pub npages: u16,
    pub fbo: u32,
    pub iova: u64,
    pub length: u64,
    pub slots: [u64; 4],
}

/// Signalled, inline list.
pub const INLINE: u8 = 0b1001;

impl Reg {
    /// One inline page at bus address 0xA000, iova 0x1000.
    pub fn new(key: u32) -> Self {
        Self {
            flags: INLINE,
            blocks: 1,
            access: 0xF,
            key,
            shift: 12,
            npages: 1,
            fbo: 0,
            iova: 0x1000,
            length: 0x1000,
            slots: [0xA000, 0, 0, 0],
        }
    }

    /// With a list in host memory.
    pub fn by_pointer(mut self, address: u64, npages: u16) -> Self {
        self.flags = 1;
        self.npages = npages;
        self.slots = [address, 0, 0, 0];
        self
    }

    /// The 64 bytes.
    pub fn bytes(&self) -> [u8; 64] {
        let mut wqe = [0; 64];
        wqe[0] = 0x20;
        wqe[1] = self.flags;
        wqe[2] = self.blocks;
        wqe[3] = self.access;
        wqe[4..8].copy_from_slice(&self.key.to_le_bytes());
        wqe[8] = self.shift;
        wqe[10..12].copy_from_slice(&self.npages.to_le_bytes());
        wqe[12..16].copy_from_slice(&self.fbo.to_le_bytes());
        wqe[16..24].copy_from_slice(&self.iova.to_le_bytes());
        wqe[24..32].copy_from_slice(&self.length.to_le_bytes());
        for (i, slot) in self.slots.iter().enumerate() {
            wqe[32 + 8 * i..40 + 8 * i].copy_from_slice(&slot.to_le_bytes());
        }
        wqe
    }
}

/// A LOCAL_INV.
pub fn invalidate(key: u32) -> [u8; 64] {
    let mut wqe = [0; 64];
    wqe[0] = 0x21;
    wqe[1] = 1;
    wqe[2] = 1;
    wqe[4..8].copy_from_slice(&key.to_le_bytes());
    wqe
}

/// Success.
pub const OK: (u64, u64) = (0, 0);
/// Flushed.
pub const FLUSH: (u64, u64) = (5, 0);
/// MW_BIND with a syndrome.
pub const fn bind(syndrome: u64) -> (u64, u64) {
    (6, syndrome)
}
