//! A cursor with rings of WQEs, scheduler, retirement and acknowledgements in software.
use super::{Cursor, CursorRow, HeldWqe, Outstanding, RetireRow};
use crate::check::RandomDrive;
use crate::rx::{AckOrder, AckState, RequesterContext};
use crate::types::{QpControl, SqContext, WorkItem};
use crate::wire::{Span, TxFrame};
use num_bigint::BigUint;
use rnic_abi::{opcode, qp, wqe::Data, wqe::Sge};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Outstanding WQEs of a queue pair.
pub const OTD: u64 = 16;

/// One queue pair as the bench sees it.
#[derive(Clone, Default)]
pub struct Pair {
    /// 64-byte blocks in posting order.
    pub ring: Vec<[u8; 64]>,
    /// Slots fetched, and where the cursor says that fetching goes on.
    pub fetched: u64,
    pub point: u64,
    pub ack: AckState,
    pub retire: RetireRow,
    pub row: CursorRow,
    pub done: u64,
    pub retired: u64,
    pub state: u8,
    /// Last entry written with each number.
    pub entries: Vec<Outstanding>,
    pub hold: bool,
}

/// What came out of the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// A frame: queue pair, opcode, PSN, payload or request length, skip, wish for an acknowledgement.
    Frame(u64, u64, u64, u64, u64, bool),
    /// A local operation: queue pair, opcode.
    Local(u64, u64),
}

pub struct Bench {
    pub uut: Cursor<3, 8, 4, 7>,
    pub pairs: Vec<Pair>,
    pub out: Vec<Sent>,
    pub frames: Vec<(TxFrame, Span)>,
    pub cycle: usize,
    /// Cycles of each `out`.
    pub when: Vec<usize>,
    /// The pool: WQEs and marks, with the cycle in which they may come out.
    pool: VecDeque<(usize, u64, Option<(HeldWqe, u64)>)>,
    rewinds: VecDeque<u64>,
    next_fetch: usize,
    pub latency: usize,
    pub ready_of_8: u32,
    pub opened: Vec<(u64, u64, u64, u64, u64)>,
    pub failed: usize,
    pub dropped: usize,
    pub others: bool,
    random: RandomDrive,
    control: QpControl,
    unpark: Option<u64>,
}

fn word(bytes: &[u8]) -> Bits<512> {
    BigUint::from_bytes_le(bytes).into()
}

impl Bench {
    /// Eight queue pairs in RTS with una = hpsn = 500, MTU 1024, 4 READs.
    pub fn new() -> Self {
        let mut uut = Cursor::new(64);
        uut.connect_all();
        let mut bench = Self {
            uut,
            pairs: vec![Pair { state: qp::RTS, ..Default::default() }; 8],
            out: vec![],
            frames: vec![],
            cycle: 0,
            when: vec![],
            pool: VecDeque::new(),
            rewinds: VecDeque::new(),
            next_fetch: 0,
            latency: 10,
            ready_of_8: 8,
            opened: vec![],
            failed: 0,
            dropped: 0,
            others: false,
            random: RandomDrive::new(5),
            control: Default::default(),
            unpark: None,
        };
        bench.uut.window.next = 1024.into();
        bench.uut.reset.next = true;
        bench.uut.clearing.next = true;
        for row in 0..8u64 {
            bench.uut.clear_index.next = row.into();
            bench.step();
        }
        bench.uut.clearing.next = false;
        bench.step();
        bench.uut.reset.next = false;
        for index in 0..8u64 {
            bench.uut.attributes_write.next = true;
            bench.uut.attributes_index.next = index.into();
            bench.uut.attributes_row.next =
                RequesterContext { mtu: 3.into(), max_rd: 4.into(), pd: 0x70.into(), ..Default::default() };
            bench.step();
            bench.uut.attributes_write.next = false;
            bench.set_state(index, qp::RTS);
            bench.start(index, 500);
        }
        bench.run(20);
        bench
    }

    pub fn start(&mut self, index: u64, psn: u64) {
        self.pairs[index as usize].ack.una = psn.into();
        self.tell(index);
        self.uut.order.valid.next = true;
        self.uut.order.data.next = AckOrder { qp: index.into(), start: true, psn: psn.into() };
        for _ in 0..20 {
            let taken = self.step();
            if taken {
                self.uut.order.valid.next = false;
                return;
            }
        }
        panic!("the order is not taken");
    }

    pub fn set_state(&mut self, index: u64, state: u8) {
        self.pairs[index as usize].state = state;
        self.uut.context_write.next = true;
        self.uut.context_index.next = index.into();
        self.uut.context_row.next = SqContext { state: state.to_bits(), ..Default::default() };
        self.control = QpControl { index: index.into(), wake: true, ..Default::default() };
        self.step();
        self.uut.context_write.next = false;
    }

    /// Writes the state of acknowledgements as it stands in `pairs`.
    pub fn tell(&mut self, index: u64) {
        self.uut.state_write.next = true;
        self.uut.state_index.next = index.into();
        self.uut.state_row.next = self.pairs[index as usize].ack;
        self.step();
        self.uut.state_write.next = false;
        self.step();
    }

    /// Writes `retire` as it stands in `pairs`.
    pub fn tell_retire(&mut self, index: u64) {
        self.uut.retire_write.next = true;
        self.uut.retire_index.next = index.into();
        self.uut.retire_row.next = self.pairs[index as usize].retire;
        self.step();
        self.uut.retire_write.next = false;
        self.uut.retired_write.next = true;
        self.uut.retired_index.next = index.into();
        self.uut.retired_count.next = self.pairs[index as usize].retired.into();
        self.step();
        self.uut.retired_write.next = false;
    }

    pub fn tell_done(&mut self, index: u64, count: u64) {
        self.pairs[index as usize].done = count;
        self.uut.done_write.next = true;
        self.uut.done_index.next = index.into();
        self.uut.done_count.next = (count % 32).into();
        self.step();
        self.uut.done_write.next = false;
    }

    pub fn una(&mut self, index: u64, una: u64) {
        self.pairs[index as usize].ack.una = una.into();
        self.tell(index);
    }

    pub fn restart(&mut self, index: u64, una: u64) {
        let ack = &mut self.pairs[index as usize].ack;
        ack.una = una.into();
        ack.epoch = ((ack.epoch.to_u64() + 1) % 16).into();
        self.tell(index);
    }

    /// Retires all WQEs that `una` covers, and outcomes of local operations as they come.
    pub fn retire(&mut self, index: u64) {
        let pair = &mut self.pairs[index as usize];
        let mut rseq = pair.retire.rseq.to_u64();
        while rseq < pair.row.hseq.to_u64() {
            let entry = pair.entries[rseq as usize];
            let end = (entry.first.to_u64() + entry.packets.to_u64()) & 0xFF_FFFF;
            let ahead = (pair.ack.una.to_u64() + 0x100_0000 - end) & 0xFF_FFFF;
            if ahead >= 1 << 23 {
                break;
            }
            rseq += 1;
            pair.retired += 1 + u64::from(entry.double);
        }
        pair.retire.rseq = rseq.into();
        pair.retire.total = pair.row.locals;
        self.tell_retire(index);
    }

    pub fn post(&mut self, index: u64, wr: &Data) {
        let [first, second] = wr.encode();
        self.pairs[index as usize].ring.push(first);
        if wr.blocks() == 2 {
            self.pairs[index as usize].ring.push(second);
        }
    }

    pub fn post_local(&mut self, index: u64, opcode: u8) {
        let mut block = [0; 64];
        block[0] = opcode;
        block[2] = 1;
        self.pairs[index as usize].ring.push(block);
    }

    pub fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.step();
        }
    }

    /// Runs until nothing has moved for long.
    pub fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..6_000 {
            let before = (self.out.len(), self.dropped, self.pool.len(), self.rewinds.len());
            self.step();
            let after = (self.out.len(), self.dropped, self.pool.len(), self.rewinds.len());
            quiet = if before == after { quiet + 1 } else { 0 };
            if quiet > 150 + self.latency {
                return;
            }
        }
        panic!("never settles");
    }

    /// PSNs of all frames of a queue pair.
    pub fn psns(&self, index: u64) -> Vec<u64> {
        let of = |out: &Sent| match out {
            Sent::Frame(qp, _, psn, ..) if *qp == index => Some(*psn),
            _ => None,
        };
        self.out.iter().filter_map(of).collect()
    }

    /// The scheduler: rewinds first, then a batch of up to 4 slots of the next queue pair.
    fn fetch(&mut self) {
        if let Some(index) = self.rewinds.pop_front() {
            let pair = &mut self.pairs[index as usize];
            pair.fetched = pair.point;
            self.unpark = Some(index);
            self.pool.push_back((self.cycle + self.latency, index, None));
            return;
        }
        if self.pool.len() > 24 || self.cycle % 4 != 0 {
            return;
        }
        let parked = self.uut.parked_all.val().to_u64();
        for turn in 1..=8 {
            let index = (self.next_fetch + turn) % 8;
            let pair = &mut self.pairs[index];
            let limit = match pair.state {
                qp::RTS => pair.ring.len() as u64,
                qp::SQD => pair.row.hslot.to_u64().min(pair.ring.len() as u64),
                _ => 0,
            };
            if parked >> index & 1 == 1 || pair.fetched >= limit {
                continue;
            }
            self.next_fetch = index;
            let end = limit.min(pair.fetched + 4);
            let mut begins = true;
            while pair.fetched < end {
                let at = pair.fetched as usize;
                let block = pair.ring[at];
                let double = block[0] < 0x20 && block[2] == 2 && at + 1 < pair.ring.len();
                let second = if double { pair.ring[at + 1] } else { [0; 64] };
                let item = WorkItem {
                    wqe: word(&block),
                    qp: (index as u64).into(),
                    slot: (at as u64 % 64).into(),
                    ..Default::default()
                };
                let held = HeldWqe {
                    item,
                    second: word(&second),
                    double,
                    broken: block[63] == 0xEE,
                    count: (at as u64).into(),
                    begins,
                    ..Default::default()
                };
                begins = false;
                pair.fetched += 1 + u64::from(double);
                self.pool.push_back((self.cycle + self.latency, index as u64, Some((held, at as u64))));
            }
            return;
        }
    }

    fn step(&mut self) -> bool {
        self.fetch();
        let holds = (0..8).fold(0u64, |all, index| all | u64::from(self.pairs[index].hold) << index);
        self.uut.hold_all.next = holds.into();
        self.uut.others.next = self.others;
        self.uut.control.next = std::mem::take(&mut self.control);
        self.uut.land.next = false;
        self.uut.unpark.next = self.unpark.is_some();
        self.uut.unpark_index.next = self.unpark.take().unwrap_or(0).into();
        let dropping = self.uut.dropping_all.val().to_u64();
        let mut shown = None;
        if let Some((due, index, wqe)) = self.pool.front().cloned() {
            if due <= self.cycle {
                match wqe {
                    None => {
                        self.pool.pop_front();
                        self.uut.land.next = true;
                        self.uut.land_index.next = index.into();
                        assert!(dropping >> index & 1 == 1, "a mark without a rewind");
                    }
                    Some(_) if dropping >> index & 1 == 1 => {
                        self.pool.pop_front();
                        self.dropped += 1;
                    }
                    Some((held, _)) => shown = Some(held),
                }
            }
        }
        self.uut.held.valid.next = shown.is_some();
        self.uut.held.data.next = shown.unwrap_or_default();
        let ready = self.random.chance(self.ready_of_8, 8);
        self.uut.frame.ready.next = ready;
        self.uut.pass_free.next = self.random.chance(self.ready_of_8, 8);
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        let ordered = self.uut.order.valid.val() && self.uut.order.ready.val();
        self.watch(shown, ready);
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        self.cycle += 1;
        ordered
    }

    fn watch(&mut self, shown: Option<HeldWqe>, ready: bool) {
        let uut = &self.uut;
        if uut.held.ready.val() {
            assert!(shown.is_some(), "released what is not there");
            self.pool.pop_front();
        }
        if uut.pass.val() {
            let bytes: BigUint = shown.unwrap().item.wqe.into();
            self.out.push(Sent::Local(shown.unwrap().item.qp.to_u64(), (bytes % 256u32).to_u64_digits()[0]));
            self.when.push(self.cycle);
        }
        // The row is written in the first cycle in which its frame is offered.
        if uut.row_write.val() {
            let pair = &mut self.pairs[uut.row_index.val().to_u64() as usize];
            pair.row = uut.row_data.val();
            pair.point = pair.row.slot.to_u64();
        }
        if uut.frame.valid.val() && ready {
            let (frame, span) = (uut.frame.data.val(), uut.span.val());
            let data = frame.opcode.to_u64() < 0x0C;
            let length = if data { frame.payload.to_u64() } else { frame.length.to_u64() };
            let index = frame.qp.to_u64();
            let row = &self.pairs[index as usize].row;
            let ahead = (row.hpsn.to_u64() + 0x100_0000 - frame.psn.to_u64()) & 0xFF_FFFF;
            assert!((1..1 << 23).contains(&ahead), "T17: PSN {} left before its record {row:?}", frame.psn.to_u64());
            let skip = span.skip.to_u64();
            let frame_out =
                Sent::Frame(index, frame.opcode.to_u64(), frame.psn.to_u64(), length, skip, frame.ack_request);
            self.out.push(frame_out);
            self.when.push(self.cycle);
            self.frames.push((frame, span));
        }
        if uut.rewind.val() {
            self.rewinds.push_back(uut.rewind_index.val().to_u64());
        }
        if uut.entry_write.val() {
            let place = uut.entry_index.val().to_u64();
            let pair = &mut self.pairs[(place / OTD) as usize];
            // Numbers are continued from the newest known one.
            let next = pair.row.hseq.to_u64();
            let number = (0..=next).rev().find(|number| number % OTD == place % OTD).unwrap() as usize;
            pair.entries.resize((number + 1).max(pair.entries.len()), Default::default());
            pair.entries[number] = uut.entry_data.val();
            self.failed += usize::from(uut.entry_failed.val());
        }
        if uut.open_write.val() {
            let head = uut.open_head.val();
            self.opened.push((
                uut.open_index.val().to_u64(),
                uut.open_slot.val().to_u64(),
                head.first.to_u64(),
                head.packets.to_u64(),
                head.offset.to_u64(),
            ));
        }
    }
}

/// A WR of one SGE.
pub fn wr(opcode: u8, length: u32) -> Data {
    let mut wr = Data { opcode, num_sge: 1, ..Default::default() };
    wr.sges[0] = Sge { address: 0x7000_0000, length, lkey: 0x2A01 };
    if opcode == opcode::CMP_SWAP || opcode == opcode::FETCH_ADD {
        wr.swap_add = 1;
        wr.sges[0].length = 8;
    }
    wr
}
