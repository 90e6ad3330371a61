//! The responder's answers as a whole, by rule: [`Responder`] with models of gather, builders, wire, lookup and memory.
use super::*;
use crate::check::RandomDrive;
use crate::mr::layout::LookupAnswer;
use crate::types::{OwedAnswer, QpControl, QpFailure, ResponseOrder};
use crate::wire::{Span, TxFrame};
use rnic_abi::{bth, drop, event};
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

const QPS: usize = 4;
type Uut = Responder<64, 2, 4, 7, 6>;

/// A frame at the wire as (queue pair, opcode, PSN, AETH syndrome, MSN, payload, number of an atomic).
type Sent = (u64, u8, u64, u64, u64, u64, u64);

struct Bench {
    uut: Uut,
    random: RandomDrive,
    cycle: u64,
    /// Frames on their way: when they may leave.
    data: VecDeque<(u64, TxFrame)>,
    control: VecDeque<(u64, TxFrame)>,
    /// Longest way of either kind, in cycles.
    data_delay: u64,
    control_delay: u64,
    gather_open: bool,
    data_room: usize,
    wire: Vec<Sent>,
    spans: Vec<Span>,
    /// Frames of the gather that fail: PSN and syndrome.
    bad: HashMap<u64, u64>,
    failures: VecDeque<GatherFailure>,
    left_data: VecDeque<u32>,
    left_control: VecDeque<u32>,
    orders: VecDeque<ResponseOrder>,
    owed: [OwedAnswer; QPS],
    wakes: VecDeque<u64>,
    served: Vec<(u64, bool)>,
    failed: Vec<QpFailure>,
    drops: Vec<u64>,
    memory: HashMap<u64, u64>,
    lookup_syndrome: u64,
    generation: u64,
    read_error: bool,
    write_error: bool,
    questions: u64,
    reads: u64,
    holds: i64,
    answer_at: Option<u64>,
    beat_at: Option<(u64, u64)>,
    written: (Option<u64>, Option<u64>),
    done_at: Option<u64>,
    owed_shown: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
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
            left_data: VecDeque::new(),
            left_control: VecDeque::new(),
            orders: VecDeque::new(),
            owed: Default::default(),
            wakes: VecDeque::new(),
            served: vec![],
            failed: vec![],
            drops: vec![],
            memory: HashMap::new(),
            lookup_syndrome: 0,
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

    fn order(&mut self, control: QpControl) {
        self.uut.control.next = control;
        self.step();
        self.uut.control.next = Default::default();
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    /// Until nothing has happened for a while.
    fn settle(&mut self) {
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

    fn read(&mut self, qp: u64, psn: u64, length: u64, duplicate: bool) {
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

    fn atomic(&mut self, qp: u64, psn: u64, adds: bool, swap: u64, compare: u64, duplicate: bool) {
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

    fn owe(&mut self, qp: u64, psn: u64, syndrome: u64) {
        self.owed[qp as usize] =
            OwedAnswer { psn: psn.into(), syndrome: syndrome.into(), msn: 9.into(), present: true };
        self.wakes.push_back(qp);
    }

    fn drive(&mut self) {
        let now = self.cycle;
        let random = &mut self.random;
        self.uut.push.valid.next = !self.orders.is_empty();
        self.uut.push.data.next = self.orders.front().copied().unwrap_or_default();
        self.uut.control_frame.ready.next = self.control.len() < 4;
        self.uut.gather.ready.next = self.gather_open && self.data.len() < self.data_room;
        self.uut.failure.valid.next = !self.failures.is_empty();
        self.uut.failure.data.next = self.failures.front().copied().unwrap_or_default();
        self.uut.sent_data.valid.next = !self.left_data.is_empty();
        self.uut.sent_data.data.next = u64::from(self.left_data.front().copied().unwrap_or(0)).into();
        self.uut.sent_control.valid.next = !self.left_control.is_empty();
        self.uut.sent_control.data.next = u64::from(self.left_control.front().copied().unwrap_or(0)).into();
        self.uut.owed_wake.next = !self.wakes.is_empty();
        self.uut.owed_wake_index.next = self.wakes.pop_front().unwrap_or(0).into();
        self.uut.owed.next = self.owed[self.owed_shown as usize % QPS];
        self.uut.failed.ready.next = random.chance(1, 2);
        self.uut.drop.ready.next = random.chance(1, 2);
        self.uut.lookup.ready.next = random.chance(1, 2);
        self.uut.answered.next = self.answer_at == Some(now);
        self.uut.found.next = LookupAnswer {
            syndrome: self.lookup_syndrome.into(),
            address: 0x9008.into(),
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

    fn step(&mut self) {
        self.drive();
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        self.sample();
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        self.cycle += 1;
    }

    fn sample(&mut self) {
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
        if goes!(sent_data) {
            self.left_data.pop_front();
        }
        if goes!(sent_control) {
            self.left_control.pop_front();
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
            self.left_control.push_back(frame.tag.to_u64() as u32);
            self.wire.push(sent(&frame));
        } else if self.data.front().is_some_and(|(at, _)| *at <= now) {
            let (_, frame) = self.data.pop_front().unwrap();
            self.left_data.push_back(frame.tag.to_u64() as u32);
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

    fn sample_memory(&mut self, now: u64) {
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

    fn idle(&mut self, qp: u64) -> bool {
        self.uut.status_index.next = qp.into();
        self.run(10);
        !self.uut.status_busy.val()
    }
}

fn sent(frame: &TxFrame) -> Sent {
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

fn response(qp: u64, opcode: u8, psn: u64, payload: u64) -> Sent {
    (qp, opcode, psn, 0x1F, 8, payload, 0)
}

fn answer(qp: u64, psn: u64, syndrome: u64, msn: u64) -> Sent {
    (qp, bth::ACKNOWLEDGE, psn, syndrome, msn, 0, 0)
}

fn atomic(qp: u64, psn: u64, value: u64) -> Sent {
    (qp, bth::ATOMIC_ACKNOWLEDGE, psn, 0x1F, 9, 0, value)
}

#[test]
fn v15_v16_reads_are_answered_with_the_right_packets() {
    let mut bench = Bench::new(1);
    bench.read(1, 100, 0, false);
    bench.read(1, 101, 1025, false);
    bench.settle();
    assert_eq!(
        bench.wire,
        [
            response(1, bth::READ_RESPONSE_ONLY, 100, 0),
            response(1, bth::READ_RESPONSE_FIRST, 101, 1024),
            response(1, bth::READ_RESPONSE_LAST, 102, 1),
        ]
    );
    assert_eq!(bench.spans.len(), 2, "a READ of nothing is not looked up (E1)");
    assert_eq!(bench.served, [(1, false), (1, false)]);
    assert!(bench.idle(1));
}

#[test]
fn v17_t61_an_ack_comes_behind_all_responses_of_its_queue_pair() {
    for seed in 0..6 {
        let mut bench = Bench::new(seed);
        bench.read(2, 100, 4096, false);
        bench.run(6);
        bench.owe(2, 104, 0x1F);
        // Another queue pair owes only an ACK: it does not wait (T109).
        bench.owe(3, 7, 0x1F);
        bench.settle();
        let mine: Vec<_> = bench.wire.iter().filter(|sent| sent.0 == 2).copied().collect();
        let psns: Vec<_> = mine.iter().map(|sent| (sent.1, sent.2)).collect();
        assert_eq!(
            psns,
            [
                (bth::READ_RESPONSE_FIRST, 100),
                (bth::READ_RESPONSE_MIDDLE, 101),
                (bth::READ_RESPONSE_MIDDLE, 102),
                (bth::READ_RESPONSE_LAST, 103),
                (bth::ACKNOWLEDGE, 104),
            ]
        );
        assert_eq!(bench.wire[0], answer(3, 7, 0x1F, 9), "{:?}", bench.wire);
    }
}

#[test]
fn t61_responses_keep_their_order_over_both_ways() {
    for seed in 0..8 {
        let mut bench = Bench::new(seed);
        bench.control_delay = 150;
        for entry in 0..12u64 {
            match entry % 4 {
                0 => bench.read(0, 100 + entry, 0, false),
                3 => bench.atomic(0, 100 + entry, true, 1, 0, false),
                _ => bench.read(0, 100 + entry, 64, false),
            }
        }
        bench.settle();
        let psns: Vec<_> = bench.wire.iter().map(|sent| sent.2).collect();
        assert_eq!(psns, Vec::from_iter(100..112), "seed {seed}");
    }
}

#[test]
fn v20_c22_t64_a_response_that_fails_is_answered_with_nak_62_and_the_psn_that_was_due() {
    let mut bench = Bench::new(3);
    bench.bad.insert(102, 0x32);
    bench.bad.insert(103, 0x32);
    bench.read(1, 100, 4096, false);
    bench.read(1, 104, 64, false);
    bench.read(2, 500, 64, false);
    bench.run(4);
    bench.owe(1, 105, 0x1F);
    bench.settle();
    let mine: Vec<_> = bench.wire.iter().filter(|sent| sent.0 == 1).map(|sent| (sent.1, sent.2, sent.3)).collect();
    let good = [(bth::READ_RESPONSE_FIRST, 100, 0x1F), (bth::READ_RESPONSE_MIDDLE, 101, 0x1F)];
    assert_eq!(mine[..2], good, "{mine:?}");
    assert_eq!(mine.last(), Some(&(bth::ACKNOWLEDGE, 102, 0x62)));
    assert_eq!(mine.iter().filter(|sent| sent.0 == bth::ACKNOWLEDGE).count(), 1, "one NAK, no ACK behind it");
    assert!(bench.wire.contains(&response(2, bth::READ_RESPONSE_ONLY, 500, 64)), "others go on");
    assert_eq!(bench.failed.len(), 1);
    let report = bench.failed[0];
    assert_eq!((report.qp.to_u64(), report.syndrome.to_u64()), (1, 0x32));
    assert_eq!(report.event.to_u64(), u64::from(event::QP_ACCESS_ERR));
    // Nothing more is read for it.
    let before = bench.spans.len();
    bench.read(1, 106, 64, false);
    bench.owe(1, 107, 0x1F);
    bench.settle();
    assert_eq!((bench.spans.len(), bench.failed.len()), (before, 1));
    assert_eq!(bench.wire.iter().filter(|sent| sent.0 == 1).count(), mine.len());
    assert!(bench.idle(1));
}

#[test]
fn t64_a_bus_error_is_nak_63() {
    let mut bench = Bench::new(4);
    bench.bad.insert(100, 0x40);
    bench.read(0, 100, 64, false);
    bench.settle();
    assert_eq!(bench.wire, [answer(0, 100, 0x63, 8)]);
    assert_eq!(bench.failed[0].event.to_u64(), u64::from(event::QP_FATAL));
}

#[test]
fn v19_c23_a_duplicate_whose_check_fails_is_dropped_and_nothing_else_changes() {
    for bad in [200, 201, 203] {
        let mut bench = Bench::new(bad);
        bench.bad.insert(bad, 0x30);
        bench.read(1, 200, 4096, true);
        bench.read(1, 204, 64, false);
        bench.settle();
        assert!(bench.failed.is_empty());
        assert!(bench.wire.iter().all(|sent| sent.3 == 0x1F), "no NAK: {:?}", bench.wire);
        assert_eq!(bench.wire.last(), Some(&response(1, bth::READ_RESPONSE_ONLY, 204, 64)));
        assert_eq!(bench.served, [(1, true), (1, false)]);
        bench.owe(1, 205, 0x1F);
        bench.settle();
        assert_eq!(bench.wire.last(), Some(&answer(1, 205, 0x1F, 9)));
        assert!(bench.idle(1));
    }
}

#[test]
fn v18_a_duplicate_read_is_answered_from_its_own_headers() {
    let mut bench = Bench::new(5);
    bench.read(1, 102, 2048, true);
    bench.settle();
    let expected = [response(1, bth::READ_RESPONSE_FIRST, 102, 1024), response(1, bth::READ_RESPONSE_LAST, 103, 1024)];
    assert_eq!(bench.wire, expected);
}

#[test]
fn v21_v22_an_atomic_is_done_once_and_its_duplicate_gets_the_same_answer() {
    let mut bench = Bench::new(6);
    bench.memory.insert(0x9008, 5);
    bench.atomic(1, 100, true, 3, 0, false);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire.clone()), (8, vec![atomic(1, 100, 5)]));
    bench.atomic(1, 100, true, 3, 0, true);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[1]), (8, bench.wire[0]));
    for read in 0..16 {
        bench.read(1, 101 + read, 8, false);
    }
    bench.settle();
    bench.atomic(1, 100, true, 3, 0, true);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[18]), (8, atomic(1, 100, 5)));
    for next in 0..16 {
        bench.atomic(1, 200 + next, true, 1, 0, false);
    }
    bench.settle();
    let before = bench.wire.len();
    bench.atomic(1, 100, true, 3, 0, true);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire.len()), (24, before), "dropped silently");
    assert_eq!(bench.drops, [u64::from(drop::DUPLICATE_ATOMIC)]);
    assert_eq!((bench.questions, bench.reads, bench.holds), (17, 17, 0));
    assert_eq!(bench.served.iter().filter(|served| served.1).count(), 3);
    assert!(bench.idle(1) && bench.failed.is_empty());
}

#[test]
fn t66_compare_and_swap_writes_only_when_the_number_is_the_expected_one() {
    let mut bench = Bench::new(7);
    bench.memory.insert(0x9008, 5);
    bench.atomic(0, 100, false, 77, 6, false);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[0]), (5, atomic(0, 100, 5)));
    bench.atomic(0, 101, false, 77, 5, false);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[1]), (77, atomic(0, 101, 5)));
    assert_eq!(bench.holds, 0);
}

#[test]
fn v23_t66_a_refused_atomic_is_nak_62_and_a_bus_error_nak_63_with_no_result_kept() {
    for (syndrome, read_error, write_error, nak) in
        [(0x33, false, false, 0x62), (0, true, false, 0x63), (0, false, true, 0x63)]
    {
        let mut bench = Bench::new(8);
        bench.memory.insert(0x9008, 5);
        bench.lookup_syndrome = syndrome;
        bench.read_error = read_error;
        bench.write_error = write_error;
        bench.atomic(3, 100, true, 3, 0, false);
        bench.settle();
        assert_eq!(bench.wire, [answer(3, 100, nak, 9)]);
        assert_eq!((bench.failed.len(), bench.holds, bench.memory[&0x9008] == 5), (1, 0, !write_error));
        assert!(bench.idle(3));
    }
}

#[test]
fn t100_c24_an_atomic_on_a_region_that_was_registered_again_is_refused() {
    let mut bench = Bench::new(9);
    bench.atomic(3, 100, true, 3, 0, false);
    bench.generation = 78;
    bench.settle();
    assert_eq!((bench.wire.clone(), bench.reads, bench.holds), (vec![answer(3, 100, 0x62, 9)], 0, 0));
}

#[test]
fn t109_t63_a_blocked_gather_holds_up_no_acknowledgement_and_no_atomic() {
    let mut bench = Bench::new(10);
    bench.gather_open = false;
    for qp in 0..2 {
        bench.read(qp, 100, 64, false);
        bench.read(qp, 101, 64, false);
    }
    bench.run(100);
    bench.atomic(2, 50, true, 3, 0, false);
    bench.owe(3, 60, 0x60);
    bench.run(400);
    let mut seen = bench.wire.clone();
    seen.sort();
    assert_eq!(seen, [atomic(2, 50, 0), answer(3, 60, 0x60, 9)]);
    bench.gather_open = true;
    bench.settle();
    assert_eq!(bench.wire.len(), 6);
}

#[test]
fn t63_queue_pairs_take_turns_frame_by_frame() {
    let mut bench = Bench::new(11);
    bench.data_delay = 1;
    for qp in 0..4 {
        bench.read(qp, 100, 20 * 1024, false);
    }
    bench.settle();
    assert_eq!(bench.wire.len(), 80);
    for window in bench.wire[8..72].windows(4) {
        let mut seen: Vec<_> = window.iter().map(|sent| sent.0).collect();
        seen.sort();
        assert_eq!(seen, [0, 1, 2, 3], "{:?}", bench.wire);
    }
}

#[test]
fn t6_a_discarded_queue_pair_sends_nothing_more_and_a_cleared_one_starts_anew() {
    let mut bench = Bench::new(12);
    bench.read(1, 100, 100 * 1024, false);
    bench.read(1, 300, 64, false);
    bench.run(120);
    bench.order(QpControl { index: 1.into(), discard: true, ..Default::default() });
    bench.run(12);
    let on_its_way = bench.data.iter().filter(|(_, frame)| frame.qp.to_u64() == 1).count();
    let before = bench.wire.len();
    bench.owe(1, 400, 0x1F);
    bench.settle();
    assert!(bench.idle(1));
    assert!(bench.wire.len() <= before + on_its_way + 2, "{before} {on_its_way} {}", bench.wire.len());
    bench.owed[1].present = false;
    bench.order(QpControl { index: 1.into(), clear: true, ..Default::default() });
    bench.run(8);
    let before = bench.wire.len();
    bench.read(1, 7, 64, false);
    bench.settle();
    assert_eq!(bench.wire[before..], [response(1, bth::READ_RESPONSE_ONLY, 7, 64)]);
}

#[test]
fn t6_a_queue_pair_is_busy_until_its_last_frame_has_left() {
    let mut bench = Bench::new(13);
    bench.data_delay = 1;
    bench.read(1, 100, 64, false);
    bench.run(16);
    while bench.wire.is_empty() {
        assert!(!bench.idle(1) || !bench.wire.is_empty());
        assert!(bench.cycle < 1000);
    }
    assert!(bench.idle(1));
}

#[test]
fn t62_of_two_acknowledgements_the_one_that_is_owed_when_the_turn_comes_is_sent() {
    let mut bench = Bench::new(14);
    bench.read(0, 100, 2048, false);
    bench.run(20);
    bench.owe(0, 102, 0x1F);
    bench.owe(0, 103, 0x1F);
    bench.settle();
    assert_eq!(bench.wire.len(), 3);
    assert_eq!(bench.wire[2], answer(0, 103, 0x1F, 9));
}

#[test]
fn t63_a_lonely_queue_pair_sends_a_frame_in_8_cycles_and_several_in_6() {
    for (qps, pace) in [(1u64, 8), (4, 6)] {
        let mut bench = Bench::new(15);
        bench.data_delay = 1;
        bench.data_room = 32;
        for qp in 0..qps {
            bench.read(qp, 100, 80 * 1024, false);
        }
        // Long enough for the pace, short enough for no frame of payload to keep the gather busy.
        bench.run(60);
        let (start, from) = (bench.cycle, bench.spans.len() as u64);
        bench.run(240);
        let frames = bench.spans.len() as u64 - from;
        assert!(frames * pace + pace >= bench.cycle - start, "{qps}: {frames} frames in {}", bench.cycle - start);
    }
}

#[test]
fn t66_two_atomics_of_two_queue_pairs_never_overlap() {
    let mut bench = Bench::new(16);
    bench.memory.insert(0x9008, 0);
    for round in 0..12 {
        for qp in 0..4 {
            bench.atomic(qp, 100 + round, true, 1, 0, false);
        }
    }
    bench.settle();
    let mut values: Vec<_> = bench.wire.iter().map(|sent| sent.6).collect();
    assert_eq!((bench.memory[&0x9008], bench.holds, values.len()), (48, 0, 48));
    values.sort();
    assert_eq!(values, Vec::from_iter(0..48));
}

#[test]
fn t63_t61_random_work_of_all_queue_pairs_is_answered_completely_and_in_order() {
    for seed in 20..26 {
        let mut bench = Bench::new(seed);
        let mut random = RandomDrive::new(seed);
        let mut expected: [Vec<(u8, u64, u64)>; QPS] = Default::default();
        let mut psns = [0xFF_FFF0u64; QPS];
        bench.control_delay = 1 + random.below(60);
        for _ in 0..60 {
            let qp = random.below(4);
            let psn = psns[qp as usize];
            let log = &mut expected[qp as usize];
            if random.chance(1, 4) {
                bench.atomic(qp, psn, true, 1, 0, false);
                log.push((bth::ATOMIC_ACKNOWLEDGE, psn, 0));
                psns[qp as usize] = (psn + 1) & 0xFF_FFFF;
            } else {
                let length = [0, 1, 1024, random.below(5000)][random.below(4) as usize];
                bench.read(qp, psn, length, false);
                let count = length.div_ceil(1024).max(1);
                for k in 0..count {
                    let opcode = match (k == 0, k + 1 == count) {
                        (true, true) => bth::READ_RESPONSE_ONLY,
                        (true, false) => bth::READ_RESPONSE_FIRST,
                        (false, false) => bth::READ_RESPONSE_MIDDLE,
                        (false, true) => bth::READ_RESPONSE_LAST,
                    };
                    log.push((opcode, (psn + k) & 0xFF_FFFF, 1024.min(length - 1024 * k)));
                }
                psns[qp as usize] = (psn + count) & 0xFF_FFFF;
            }
            bench.run(random.below(100) as usize);
        }
        bench.settle();
        for qp in 0..4 {
            bench.owe(qp, psns[qp as usize], 0x1F);
            expected[qp as usize].push((bth::ACKNOWLEDGE, psns[qp as usize], 0));
        }
        bench.settle();
        for qp in 0..4 {
            let mine: Vec<_> =
                bench.wire.iter().filter(|sent| sent.0 == qp).map(|sent| (sent.1, sent.2, sent.5)).collect();
            assert_eq!(mine, expected[qp as usize], "seed {seed} queue pair {qp}");
            assert!(bench.idle(qp));
        }
        assert_eq!(bench.served.len(), 60);
    }
}

#[test]
fn every_preset_elaborates() {
    for text in [
        crate::check::verilog(&mut Responder::<64, 3, 8, 8, 7>::default()),
        crate::check::verilog(&mut Responder::<64, 4, 16, 9, 8>::default()),
        crate::check::verilog(&mut Responder::<128, 4, 16, 9, 8>::default()),
        crate::check::verilog(&mut Responder::<512, 8, 256, 13, 12>::default()),
    ] {
        text.unwrap();
    }
}
