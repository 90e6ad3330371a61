//! Bench of [`ResponseUnit`]: models of gather, builders, wire, lookup and memory.
use super::*;
use crate::check::RandomDrive;
use crate::mr::layout::LookupAnswer;
use crate::types::{OwedAnswer, QpControl, QpFailure, ResponseOrder};
use crate::wire::{Span, TxFrame};
use rnic_abi::bth;
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

pub(super) const QPS: usize = 4;
pub(super) type Uut = ResponseUnit<64, 2, 4, 7, 6>;

/// A frame at the wire as (queue pair, opcode, PSN, AETH syndrome, MSN, payload, number of an atomic).
pub(super) type Sent = (u64, u8, u64, u64, u64, u64, u64);

pub(super) struct Bench {
    pub uut: Uut,
    pub random: RandomDrive,
    pub cycle: u64,
    /// Frames on their way: when they may leave.
    pub data: VecDeque<(u64, TxFrame)>,
    pub control: VecDeque<(u64, TxFrame)>,
    /// Longest way of either kind, in cycles.
    pub data_delay: u64,
    pub control_delay: u64,
    pub gather_open: bool,
    pub data_room: usize,
    pub wire: Vec<Sent>,
    pub spans: Vec<Span>,
    /// Frames of the gather that fail: PSN and syndrome.
    pub bad: HashMap<u64, u64>,
    pub failures: VecDeque<GatherFailure>,
    pub left: VecDeque<u32>,
    pub orders: VecDeque<ResponseOrder>,
    pub owed: [OwedAnswer; QPS],
    pub wakes: VecDeque<u64>,
    pub served: Vec<(u64, bool)>,
    pub failed: Vec<QpFailure>,
    pub drops: Vec<u64>,
    pub memory: HashMap<u64, u64>,
    pub lookup_syndrome: u64,
    /// Bus address that the lookup gives.
    pub address: u64,
    pub generation: u64,
    pub read_error: bool,
    pub write_error: bool,
    pub questions: u64,
    pub reads: u64,
    pub holds: i64,
    pub answer_at: Option<u64>,
    pub beat_at: Option<(u64, u64)>,
    pub written: (Option<u64>, Option<u64>),
    pub done_at: Option<u64>,
    pub owed_shown: u64,
}

impl Bench {
    pub fn new(seed: u64) -> Self {
        let mut uut = Uut::default();
        uut.connect_all();
        let mut bench = Self {
            uut,
            random: RandomDrive::new(seed),
            cycle: 0,
            data: VecDeque::new(),
            control: VecDeque::new(),
            data_delay: 60,
            control_delay: 6,
            gather_open: true,
            data_room: 6,
            wire: vec![],
            spans: vec![],
            bad: HashMap::new(),
            failures: VecDeque::new(),
            left: VecDeque::new(),
            orders: VecDeque::new(),
            owed: Default::default(),
            wakes: VecDeque::new(),
            served: vec![],
            failed: vec![],
            drops: vec![],
            memory: HashMap::new(),
            lookup_syndrome: 0,
            address: 0x9008,
            generation: 77,
            read_error: false,
            write_error: false,
            questions: 0,
            reads: 0,
            holds: 0,
            answer_at: None,
            beat_at: None,
            written: (None, None),
            done_at: None,
            owed_shown: 0,
        };
        bench.uut.reset.next = true;
        bench.uut.clearing.next = true;
        for row in 0..QPS as u64 {
            bench.uut.clear_index.next = row.into();
            bench.step();
        }
        bench.uut.reset.next = false;
        bench.uut.clearing.next = false;
        for row in 0..QPS as u64 {
            bench.order(QpControl { index: row.into(), clear: true, ..Default::default() });
            bench.uut.context_write.next = true;
            bench.uut.context_index.next = row.into();
            bench.uut.context_row.next = RespondContext { mtu: 3.into(), pd: 5.into(), privileged: false };
            bench.step();
            bench.uut.context_write.next = false;
            bench.run(4);
        }
        bench
    }

    pub fn order(&mut self, control: QpControl) {
        self.uut.control.next = control;
        self.step();
        self.uut.control.next = Default::default();
    }

    pub fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    /// Until nothing has happened for a while.
    pub fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..60_000 {
            let seen = |b: &Self| (b.wire.len(), b.served.len(), b.failed.len(), b.drops.len(), b.orders.len());
            let before = seen(self);
            self.step();
            let moves = before != seen(self) || !self.data.is_empty() || !self.control.is_empty();
            quiet = if moves { 0 } else { quiet + 1 };
            if quiet == 400 {
                return;
            }
        }
        panic!("still busy: wire {:?}, orders {}", self.wire.last(), self.orders.len());
    }

    pub fn read(&mut self, qp: u64, psn: u64, length: u64, duplicate: bool) {
        self.orders.push_back(ResponseOrder {
            qp: qp.into(),
            duplicate,
            psn: psn.into(),
            msn: 8.into(),
            va: 0x1000.into(),
            rkey: 0x1A2B.into(),
            length: length.into(),
            generation: self.generation.into(),
            ..Default::default()
        });
    }

    pub fn atomic(&mut self, qp: u64, psn: u64, adds: bool, swap: u64, compare: u64, duplicate: bool) {
        self.orders.push_back(ResponseOrder {
            qp: qp.into(),
            kind: (1 + u64::from(adds)).into(),
            duplicate,
            psn: psn.into(),
            msn: 9.into(),
            va: 0x2008.into(),
            rkey: 0x1A2B.into(),
            generation: self.generation.into(),
            swap: swap.into(),
            compare: compare.into(),
            ..Default::default()
        });
    }

    pub fn owe(&mut self, qp: u64, psn: u64, syndrome: u64) {
        self.owed[qp as usize] =
            OwedAnswer { psn: psn.into(), syndrome: syndrome.into(), msn: 9.into(), present: true };
        self.wakes.push_back(qp);
    }

    pub fn drive(&mut self) {
        let now = self.cycle;
        let random = &mut self.random;
        self.uut.push.valid.next = !self.orders.is_empty();
        self.uut.push.data.next = self.orders.front().copied().unwrap_or_default();
        self.uut.control_frame.ready.next = self.control.len() < 4;
        self.uut.gather.ready.next = self.gather_open && self.data.len() < self.data_room;
        self.uut.failure.valid.next = !self.failures.is_empty();
        self.uut.failure.data.next = self.failures.front().copied().unwrap_or_default();
        self.uut.sent.valid.next = !self.left.is_empty();
        self.uut.sent.data.next = u64::from(self.left.front().copied().unwrap_or(0)).into();
        self.uut.owed_wake.next = !self.wakes.is_empty();
        self.uut.owed_wake_index.next = self.wakes.pop_front().unwrap_or(0).into();
        self.uut.owed.next = self.owed[self.owed_shown as usize % QPS];
        self.uut.failed.ready.next = random.chance(1, 2);
        self.uut.drop.ready.next = random.chance(1, 2);
        self.uut.lookup.ready.next = random.chance(1, 2);
        self.uut.answered.next = self.answer_at == Some(now);
        self.uut.found.next = LookupAnswer {
            syndrome: self.lookup_syndrome.into(),
            address: self.address.into(),
            bytes: 8.into(),
            index: 0x1A.into(),
            generation: self.generation.into(),
            held: self.lookup_syndrome == 0,
        };
        self.uut.read.command.ready.next = random.chance(1, 2);
        let beat = self.beat_at.filter(|(at, _)| *at == now);
        self.uut.read.beat_valid.next = beat.is_some();
        self.uut.read.beat_data.next = beat.map_or(0, |(_, value)| value).into();
        self.uut.read.beat_error.next = self.read_error;
        self.uut.write.command.ready.next = random.chance(1, 2);
        self.uut.write.beat.ready.next = random.chance(1, 2);
        self.uut.write.done.next = self.done_at == Some(now);
        self.uut.write.failed.next = self.write_error;
    }

    pub fn step(&mut self) {
        self.drive();
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        self.sample();
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        self.cycle += 1;
    }

    pub fn sample(&mut self) {
        let now = self.cycle;
        macro_rules! goes {
            ($($port:ident).+) => { self.uut.$($port).+.valid.val() && self.uut.$($port).+.ready.val() };
        }
        if goes!(push) {
            self.orders.pop_front();
        }
        if goes!(failure) {
            self.failures.pop_front();
        }
        if goes!(sent) {
            self.left.pop_front();
        }
        if self.uut.owed_taken.val() {
            assert!(self.owed[self.owed_shown as usize].present, "taken without being owed");
            self.owed[self.owed_shown as usize].present = false;
        }
        self.owed_shown = self.uut.owed_index.val().to_u64();
        if goes!(gather) {
            let frame = self.uut.gather.data.val();
            let span = self.uut.gather_span.val();
            self.spans.push(span);
            match self.bad.remove(&frame.psn.to_u64()) {
                Some(syndrome) => self.failures.push_back(GatherFailure {
                    tag: frame.tag,
                    qp: frame.qp,
                    psn: frame.psn,
                    syndrome: syndrome.into(),
                }),
                None => self.data.push_back((now + 20 + self.random.below(self.data_delay), frame)),
            }
        }
        if goes!(control_frame) {
            let at = now + 2 + self.random.below(self.control_delay);
            self.control.push_back((at, self.uut.control_frame.data.val()));
        }
        // One frame a cycle leaves, those of headers first.
        if self.control.front().is_some_and(|(at, _)| *at <= now) {
            let (_, frame) = self.control.pop_front().unwrap();
            self.left.push_back(frame.tag.to_u64() as u32);
            self.wire.push(sent(&frame));
        } else if self.data.front().is_some_and(|(at, _)| *at <= now) {
            let (_, frame) = self.data.pop_front().unwrap();
            self.left.push_back(frame.tag.to_u64() as u32);
            self.wire.push(sent(&frame));
        }
        if self.uut.served.val() {
            self.served.push((self.uut.served_index.val().to_u64(), self.uut.served_duplicate.val()));
        }
        if goes!(failed) {
            self.failed.push(self.uut.failed.data.val());
        }
        if goes!(drop) {
            self.drops.push(self.uut.drop.data.val().to_u64());
        }
        self.sample_memory(now);
    }

    pub fn sample_memory(&mut self, now: u64) {
        if self.uut.lookup.valid.val() && self.uut.lookup.ready.val() {
            let question = self.uut.lookup.data.val();
            assert_eq!((question.key_byte.to_u64(), question.index.to_u64()), (0x2B, 0x1A));
            assert_eq!((question.va_low.to_u64(), question.va_high.to_u64(), question.length.to_u64()), (0x2008, 0, 8));
            assert_eq!(
                (question.need.to_u64(), question.remote, question.hold, question.pd.to_u64()),
                (8, true, true, 5)
            );
            self.questions += 1;
            self.holds += i64::from(self.lookup_syndrome == 0);
            self.answer_at = Some(now + 15);
        }
        if self.uut.hold_end.val() {
            assert_eq!(self.uut.hold_end_index.val().to_u64(), 0x1A);
            self.holds -= 1;
        }
        if self.uut.read.command.valid.val() && self.uut.read.command.ready.val() {
            let command = self.uut.read.command.data.val();
            assert_eq!((command.length.to_u64(), self.holds), (8, 1), "a read without a hold");
            self.reads += 1;
            let value = self.memory.get(&command.address.to_u64()).copied().unwrap_or(0);
            self.beat_at = Some((now + 7, value));
        }
        if self.uut.write.command.valid.val() && self.uut.write.command.ready.val() {
            let command = self.uut.write.command.data.val();
            assert_eq!((command.length.to_u64(), self.holds), (8, 1), "a write without a hold");
            self.written.0 = Some(command.address.to_u64());
        }
        if self.uut.write.beat.valid.val() && self.uut.write.beat.ready.val() {
            self.written.1 = Some(self.uut.write.beat.data.val().to_u64());
        }
        if let (Some(address), Some(value)) = self.written {
            self.memory.insert(address, value);
            self.written = (None, None);
            self.done_at = Some(now + 5);
        }
    }

    pub fn idle(&mut self, qp: u64) -> bool {
        self.uut.status_index.next = qp.into();
        self.run(10);
        !self.uut.status_busy.val()
    }
}

pub(super) fn sent(frame: &TxFrame) -> Sent {
    (
        frame.qp.to_u64(),
        frame.opcode.to_u64() as u8,
        frame.psn.to_u64(),
        frame.syndrome.to_u64(),
        frame.msn.to_u64(),
        frame.payload.to_u64(),
        frame.swap.to_u64(),
    )
}

pub(super) fn response(qp: u64, opcode: u8, psn: u64, payload: u64) -> Sent {
    (qp, opcode, psn, 0x1F, 8, payload, 0)
}

pub(super) fn answer(qp: u64, psn: u64, syndrome: u64, msn: u64) -> Sent {
    (qp, bth::ACKNOWLEDGE, psn, syndrome, msn, 0, 0)
}

pub(super) fn atomic(qp: u64, psn: u64, value: u64) -> Sent {
    (qp, bth::ATOMIC_ACKNOWLEDGE, psn, 0x1F, 9, 0, value)
}
