//! A send queue with memory, memory-management pipeline, completion queue and counters in software.
use num_bigint::BigUint;
use rnic_abi::{opcode, qp, status};
use rnic_hdl::check::RandomDrive;
use rnic_hdl::rx::{AckOrder, AckState, RequesterContext};
use rnic_hdl::sq::{LostFrame, SendQueue};
use rnic_hdl::types::{CqeRequest, Doorbell, QpControl, ReadCommand, SqContext, WorkItem, WorkOutcome};
use rnic_hdl::wire::{Span, TxFrame};
use rust_hdl::prelude::*;
use std::collections::{HashMap, HashSet, VecDeque};

/// Slots of the rings of all queue pairs but those that a test makes otherwise.
pub const LOG2: u64 = 4;

/// How the world around the queue behaves.
#[derive(Clone, Copy)]
pub struct World {
    /// Cycles from read command to first beat.
    pub latency: usize,
    /// Most cycles between two beats, at random.
    pub beat_gap: u64,
    /// Most cycles that the pipeline keeps a work item, at random.
    pub pipeline: u64,
    /// Each channel is ready in this many of 8 cycles.
    pub ready: u32,
}

/// A world that never waits.
pub const FAST: World = World { latency: 20, beat_gap: 0, pipeline: 0, ready: 8 };
/// A world that always waits for something.
pub const SLOW: World = World { latency: 60, beat_gap: 3, pipeline: 12, ready: 3 };

pub struct Bench<
    const DATA: usize,
    const QA: usize,
    const QPS: usize,
    const PA: usize,
    const BA: usize,
    const OA: usize,
    const RA: usize,
> {
    pub uut: Box<SendQueue<DATA, QA, QPS, PA, BA, OA, RA>>,
    pub world: World,
    pub cycle: usize,
    /// Slots in host memory by their bus address; others read as REG_MR with the address in their key.
    pub memory: HashMap<u64, [u8; 64]>,
    /// Addresses that answer with a bus error.
    pub holes: HashSet<u64>,
    pub contexts: Vec<SqContext>,
    /// Queue pairs whose work is thrown away, as the pipeline does between `discard` and `clear`.
    pub discarding: HashSet<u64>,
    /// REG_MR of these bus addresses fail.
    pub failing: HashSet<u64>,
    stopped: HashSet<u64>,
    beats: VecDeque<(usize, BigUint, bool)>,
    in_pipeline: VecDeque<(usize, WorkOutcome)>,
    bells: VecDeque<Doorbell>,
    contexts_to_write: VecDeque<u64>,
    controls: VecDeque<QpControl>,
    random: RandomDrive,
    pub commands: Vec<(u64, u64)>,
    pub items: Vec<(usize, WorkItem)>,
    pub cqes: Vec<CqeRequest>,
    pub syndromes: Vec<u64>,
    pub drops: Vec<u64>,
    pub failed: Vec<u64>,
    /// Frames sent, with the cycle.
    pub frames: Vec<(usize, TxFrame, Span)>,
    /// Cycles from a frame to its completion in the builder.
    pub building: usize,
    returning: VecDeque<(usize, u64)>,
    /// States of acknowledgements to write, counts of stored READs, and frames that could not be gathered.
    pub acks: VecDeque<(u64, AckState)>,
    pub stored: VecDeque<(u64, u64)>,
    pub lost: VecDeque<LostFrame>,
    orders: VecDeque<AckOrder>,
    /// Newest `hpsn` of each queue pair.
    pub hpsn: Vec<u64>,
}

pub type Tiny = Bench<64, 3, 8, 7, 4, 4, 7>;

impl<
        const DATA: usize,
        const QA: usize,
        const QPS: usize,
        const PA: usize,
        const BA: usize,
        const OA: usize,
        const RA: usize,
    > Bench<DATA, QA, QPS, PA, BA, OA, RA>
{
    /// A queue out of reset; all queue pairs are in RTS with rings of 2^`log2` slots.
    pub fn new(world: World, log2: u64) -> Self {
        let mut uut: Box<SendQueue<DATA, QA, QPS, PA, BA, OA, RA>> = Box::default();
        uut.connect_all();
        let context = |index: u64| SqContext {
            qpn: (0x4200 + index).into(),
            pd: (0x70 + index).into(),
            base: (0x10_0000 * (index + 1)).into(),
            log2: log2.into(),
            cqn: (0x20 + index).into(),
            state: qp::RTS.to_bits(),
            sig_all: false,
        };
        let mut bench = Self {
            uut,
            world,
            cycle: 0,
            memory: HashMap::new(),
            holes: HashSet::new(),
            contexts: (0..QPS as u64).map(context).collect(),
            discarding: HashSet::new(),
            failing: HashSet::new(),
            stopped: HashSet::new(),
            beats: VecDeque::new(),
            in_pipeline: VecDeque::new(),
            bells: VecDeque::new(),
            contexts_to_write: VecDeque::new(),
            controls: VecDeque::new(),
            random: RandomDrive::new(11),
            commands: vec![],
            items: vec![],
            cqes: vec![],
            syndromes: vec![],
            drops: vec![],
            failed: vec![],
            frames: vec![],
            building: 20,
            returning: VecDeque::new(),
            acks: VecDeque::new(),
            stored: VecDeque::new(),
            lost: VecDeque::new(),
            orders: VecDeque::new(),
            hpsn: vec![0; QPS],
        };
        bench.uut.window.next = 1024.into();
        bench.uut.reset.next = true;
        bench.uut.clearing.next = true;
        for row in 0..QPS as u64 {
            bench.uut.clear_index.next = row.into();
            bench.step();
        }
        bench.uut.clearing.next = false;
        bench.step();
        bench.uut.reset.next = false;
        bench.contexts_to_write.extend(0..QPS as u64);
        bench.run(QPS + 4);
        bench
    }

    /// Gives a queue pair its attributes (MTU 1024, 4 READs) and its first PSN.
    pub fn connect(&mut self, qp: u64, psn: u64) {
        self.uut.attributes_write.next = true;
        self.uut.attributes_index.next = qp.into();
        self.uut.attributes_row.next = RequesterContext { mtu: 3.into(), max_rd: 4.into(), ..Default::default() };
        self.run(1);
        self.uut.attributes_write.next = false;
        self.acks.push_back((qp, AckState { una: psn.into(), ..Default::default() }));
        self.orders.push_back(AckOrder { qp: qp.into(), start: true, psn: psn.into() });
        self.run(20);
    }

    /// Bus address of a slot.
    pub fn address(&self, qp: u64, count: u64) -> u64 {
        let context = &self.contexts[qp as usize];
        (context.base.to_u64() << 12) + 64 * (count % (1 << context.log2.to_u64()))
    }

    /// Puts a WQE into a slot: opcode, flags, blocks, and a key that tells where it is.
    pub fn put(&mut self, qp: u64, count: u64, head: [u8; 3]) {
        let address = self.address(qp, count);
        let mut slot = default_slot(address);
        slot[..3].copy_from_slice(&head);
        self.memory.insert(address, slot);
    }

    pub fn ring(&mut self, qp: u64, value: u64) {
        self.bells.push_back(Doorbell { index: qp.into(), value: value.into() });
    }

    /// Changes the state of a queue pair as `qp` does: writes the context, and wakes or discards in the same cycle.
    pub fn set_state(&mut self, qp: u64, state: u8) {
        self.contexts[qp as usize].state = state.to_bits();
        self.contexts_to_write.push_back(qp);
        self.run(1);
    }

    pub fn clear(&mut self, qp: u64) {
        self.stopped.remove(&qp);
        self.discarding.remove(&qp);
        self.controls.push_back(QpControl { index: qp.into(), clear: true, ..Default::default() });
        self.run(8);
    }

    /// Counts of a queue pair: posted, fetched, retired.
    pub fn status(&mut self, qp: u64) -> (u64, u64, u64) {
        self.uut.status_index.next = qp.into();
        self.run(4);
        let uut = &self.uut;
        (uut.status_posted.val().to_u64(), uut.status_fetched.val().to_u64(), uut.status_retired.val().to_u64())
    }

    pub fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.step();
        }
    }

    /// Runs until all doorbells are taken and nothing has moved for long.
    pub fn settle(&mut self) {
        let mut quiet = 0;
        while quiet < 2 * self.world.latency + 100 {
            let before = (self.commands.len(), self.items.len(), self.cqes.len(), self.drops.len());
            self.step();
            let after = (self.commands.len(), self.items.len(), self.cqes.len(), self.drops.len());
            quiet = if before == after && self.in_pipeline.is_empty() { quiet + 1 } else { 0 };
            assert!(self.cycle < 200_000, "never settles");
        }
    }

    fn ready(&mut self) -> bool {
        self.world.ready == 8 || self.random.chance(self.world.ready, 8)
    }

    fn step(&mut self) {
        self.drive();
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut *self.uut, 200), "combinational loop");
        self.watch();
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut *self.uut, 200), "combinational loop");
        self.cycle += 1;
    }

    fn drive(&mut self) {
        let bell = self.bells.front().copied();
        self.uut.doorbell.valid.next = bell.is_some();
        self.uut.doorbell.data.next = bell.unwrap_or_default();
        let written = self.contexts_to_write.pop_front();
        self.uut.context_write.next = written.is_some();
        let mut control = QpControl::default();
        if let Some(index) = written {
            self.uut.context_index.next = index.into();
            self.uut.context_row.next = self.contexts[index as usize];
            // A reset brings no wake, but the order to discard.
            let resets = self.contexts[index as usize].state.to_u64() == u64::from(rnic_abi::qp::RESET);
            control = QpControl { index: index.into(), wake: !resets, discard: resets, ..control };
        } else if let Some(order) = self.controls.pop_front() {
            control = order;
        }
        self.uut.control.next = control;
        let beat = self.beats.front().filter(|beat| beat.0 <= self.cycle).cloned();
        let now = beat.is_some() && self.random.below(self.world.beat_gap + 1) == 0;
        self.uut.fetch.beat_valid.next = now;
        if let (true, Some((_, data, error))) = (now, beat) {
            self.beats.pop_front();
            self.uut.fetch.beat_data.next = data.into();
            self.uut.fetch.beat_error.next = error;
        }
        let outcome = self.in_pipeline.front().filter(|entry| entry.0 <= self.cycle);
        self.uut.outcome.valid.next = outcome.is_some();
        self.uut.outcome.data.next = outcome.map(|entry| entry.1).unwrap_or_default();
        self.uut.fetch.command.ready.next = self.ready();
        self.uut.work.ready.next = self.ready();
        self.uut.cqe.ready.next = self.ready();
        self.uut.syndrome.ready.next = self.ready();
        self.uut.drop.ready.next = self.ready();
        self.uut.frame.ready.next = self.ready();
        let ack = if self.cycle % 2 == 0 { self.acks.pop_front() } else { None };
        self.uut.state_write.next = ack.is_some();
        if let Some((qp, state)) = ack {
            self.uut.state_index.next = qp.into();
            self.uut.state_row.next = state;
        }
        let stored = self.stored.pop_front();
        self.uut.done_write.next = stored.is_some();
        if let Some((qp, count)) = stored {
            self.uut.done_index.next = qp.into();
            self.uut.done_count.next = (count % 32).into();
        }
        let back = self.returning.front().filter(|back| back.0 <= self.cycle).copied();
        self.uut.frame_done.next = back.is_some();
        if let Some((_, tag)) = back {
            self.returning.pop_front();
            self.uut.frame_tag.next = tag.into();
        }
        self.uut.lost.valid.next = !self.lost.is_empty();
        self.uut.lost.data.next = self.lost.front().copied().unwrap_or_default();
        self.uut.order.valid.next = !self.orders.is_empty();
        self.uut.order.data.next = self.orders.front().copied().unwrap_or_default();
    }

    /// Takes what is handed over at the coming edge.
    fn watch(&mut self) {
        if self.uut.doorbell.valid.val() && self.uut.doorbell.ready.val() {
            self.bells.pop_front();
        }
        if self.uut.fetch.command.valid.val() && self.uut.fetch.command.ready.val() {
            let command = self.uut.fetch.command.data.val();
            self.read(command);
        }
        if self.uut.outcome.valid.val() && self.uut.outcome.ready.val() {
            self.in_pipeline.pop_front();
        }
        if self.uut.work.valid.val() && self.uut.work.ready.val() {
            let item = self.uut.work.data.val();
            self.items.push((self.cycle, item));
            let outcome = self.execute(item);
            let last = self.in_pipeline.back().map_or(0, |entry| entry.0);
            let end = last.max(self.cycle + 1 + self.random.below(self.world.pipeline + 1) as usize);
            self.in_pipeline.push_back((end, outcome));
        }
        if self.uut.frame.valid.val() && self.uut.frame.ready.val() {
            let frame = self.uut.frame.data.val();
            self.frames.push((self.cycle, frame, self.uut.span.val()));
            self.returning.push_back((self.cycle + self.building, frame.tag.to_u64()));
        }
        if self.uut.lost.valid.val() && self.uut.lost.ready.val() {
            self.lost.pop_front();
        }
        if self.uut.order.valid.val() && self.uut.order.ready.val() {
            self.orders.pop_front();
        }
        if self.uut.public_write.val() {
            self.hpsn[self.uut.public_index.val().index()] = self.uut.public_row.val().hpsn.to_u64();
        }
        if self.uut.cqe.valid.val() && self.uut.cqe.ready.val() {
            self.cqes.push(self.uut.cqe.data.val());
        }
        if self.uut.syndrome.valid.val() && self.uut.syndrome.ready.val() {
            self.syndromes.push(self.uut.syndrome.data.val().to_u64());
        }
        if self.uut.drop.valid.val() && self.uut.drop.ready.val() {
            self.drops.push(self.uut.drop.data.val().to_u64());
        }
        if self.uut.failed.val() {
            let index = self.uut.failed_index.val().to_u64();
            self.failed.push(index);
            self.contexts[index as usize].state = qp::ERR.to_bits();
            self.contexts_to_write.push_back(index);
        }
    }

    fn read(&mut self, command: ReadCommand) {
        let (address, length) = (command.address.to_u64(), command.length.to_u64());
        assert_eq!((address % 64, length % 64), (0, 0));
        self.commands.push((address, length / 64));
        let bytes = DATA / 8;
        for slot in (address..address + length).step_by(64) {
            let data = self.memory.get(&slot).copied().unwrap_or_else(|| default_slot(slot));
            for beat in data.chunks(bytes) {
                let due = self.cycle + self.world.latency;
                self.beats.push_back((due, BigUint::from_bytes_le(beat), self.holes.contains(&slot)));
            }
        }
    }

    /// What the memory-management pipeline makes of a work item.
    fn execute(&mut self, item: WorkItem) -> WorkOutcome {
        let wqe: BigUint = item.wqe.into();
        let mut bytes = wqe.to_bytes_le();
        bytes.resize(64, 0);
        let qp = item.qp.to_u64();
        let mut outcome = WorkOutcome {
            qp: item.qp,
            slot: item.slot,
            opcode: u64::from(*bytes.first().unwrap_or(&0)).into(),
            signalled: item.signalled,
            silent: item.silent,
            discard: self.discarding.contains(&qp),
            ..Default::default()
        };
        if item.silent || outcome.discard {
            return outcome;
        }
        let syndrome = if self.failing.contains(&key_address(&bytes)) { 0x06 } else { 0 };
        if item.flush || self.stopped.contains(&qp) {
            outcome.status = status::WR_FLUSH.to_bits();
        } else if item.syndrome.to_u64() != 0 {
            outcome.status = status::LOC_QP_OP.to_bits();
            outcome.syndrome = item.syndrome;
        } else if syndrome != 0 {
            outcome.status = status::MW_BIND.to_bits();
            outcome.syndrome = syndrome.into();
        }
        if outcome.status.to_u64() != 0 {
            self.stopped.insert(qp);
        }
        outcome
    }

    /// Queue pair, slot and status of all CQEs.
    pub fn completions(&self) -> Vec<(u64, u64, u64)> {
        let row = |cqe: &CqeRequest| (cqe.qpn.to_u64() - 0x4200, cqe.slot.to_u64(), cqe.status.to_u64());
        self.cqes.iter().map(row).collect()
    }

    /// Bus addresses of the slots of a queue pair's work items, in order.
    pub fn worked(&self, qp: u64) -> Vec<u64> {
        let mine = self.items.iter().filter(|entry| entry.1.qp.to_u64() == qp);
        mine.map(|entry| key_address(&bytes_of(entry.1.wqe))).collect()
    }

    /// Bus addresses of `count` slots from the first of a queue pair's life.
    pub fn expected(&self, qp: u64, count: u64) -> Vec<u64> {
        (0..count).map(|slot| self.address(qp, slot)).collect()
    }
}

/// A signalled REG_MR that tells in bytes 8 to 15 where it is.
pub fn default_slot(address: u64) -> [u8; 64] {
    let mut slot = [0x99; 64];
    slot[..3].copy_from_slice(&[opcode::REG_MR, 1, 1]);
    slot[8..16].copy_from_slice(&address.to_le_bytes());
    slot
}

fn bytes_of(wqe: Bits<512>) -> Vec<u8> {
    let mut bytes = BigUint::from(wqe).to_bytes_le();
    bytes.resize(64, 0);
    bytes
}

fn key_address(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[8..16].try_into().unwrap())
}
