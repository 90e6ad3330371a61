//! The prefetch of receive WQEs as a whole, by rule.
use super::ReceivePrefetch;
use crate::check::RandomDrive;
use crate::types::{QpControl, RqContext};
use num_bigint::BigUint;
use rnic_abi::qp;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

const DEPTH: u64 = 4;
type Uut = ReceivePrefetch<64, 2, 4, 2, 4, 4, 3>;

struct Bench {
    uut: Uut,
    random: RandomDrive,
    cycle: u64,
    /// Commands with the cycle of their first beat; one beat a cycle, in order.
    reads: VecDeque<(u64, u64, u64)>,
    /// Beats of the command at the head that have come.
    beat: u64,
    /// Address of every read and its slots.
    asked: Vec<(u64, u64)>,
    latency: u64,
    bad_slot: Option<u64>,
    log2: u64,
    taken: [u64; 4],
    posted: [u64; 4],
}

/// Word of a slot at a bus address.
fn word(address: u64) -> u64 {
    address.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn base(index: u64) -> u64 {
    (0x10 + index) << 16
}

impl Bench {
    fn new(log2: u64, seed: u64) -> Self {
        let mut uut = Uut::default();
        uut.connect_all();
        let mut bench = Self {
            uut,
            random: RandomDrive::new(seed),
            cycle: 0,
            reads: VecDeque::new(),
            beat: 0,
            asked: vec![],
            latency: 30,
            bad_slot: None,
            log2,
            taken: [0; 4],
            posted: [0; 4],
        };
        bench.uut.reset.next = true;
        bench.run(2);
        bench.uut.reset.next = false;
        for index in 0..4 {
            bench.set_state(index, qp::INIT);
            bench.clear(index);
        }
        bench
    }

    fn set_state(&mut self, index: u64, state: u8) {
        self.uut.context_write.next = true;
        self.uut.context_index.next = index.into();
        self.uut.context_row.next = RqContext {
            qpn: (0x40 + index).into(),
            base: (base(index) >> 12).into(),
            log2: self.log2.into(),
            cqn: 0.into(),
            state: state.to_bits(),
        };
        self.step();
        self.uut.context_write.next = false;
    }

    /// What `qp` and the receive queue do at the end of a reset.
    fn clear(&mut self, index: u64) {
        self.post(index, 0);
        self.uut.control.next = QpControl { index: index.into(), clear: true, ..Default::default() };
        self.step();
        self.uut.control.next = Default::default();
        self.run(6);
        self.taken[index as usize] = 0;
    }

    fn post(&mut self, index: u64, count: u64) {
        self.posted[index as usize] = count;
        self.uut.posted_write.next = true;
        self.uut.posted_index.next = index.into();
        self.uut.posted_count.next = (count & 0xFFFF).into();
        self.step();
        self.uut.posted_write.next = false;
        self.run(3);
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    fn step(&mut self) {
        self.uut.fetch.command.ready.next = self.random.chance(1, 2);
        let now = self.cycle;
        let beat = self.reads.front().filter(|(at, _, _)| *at <= now).map(|(_, address, _)| address + 8 * self.beat);
        self.uut.fetch.beat_valid.next = beat.is_some();
        self.uut.fetch.beat_data.next = beat.map_or(0, word).into();
        self.uut.fetch.beat_error.next = beat.is_some_and(|address| Some(address & !63) == self.bad_slot);
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        if let (Some(_), Some((_, _, length))) = (beat, self.reads.front().copied()) {
            self.beat += 1;
            if 8 * self.beat == length {
                self.beat = 0;
                self.reads.pop_front();
            }
        }
        if self.uut.fetch.command.valid.val() && self.uut.fetch.command.ready.val() {
            let command = self.uut.fetch.command.data.val();
            let (address, length) = (command.address.to_u64(), command.length.to_u64());
            assert!(length % 64 == 0 && (64..=64 * DEPTH).contains(&length), "{length} bytes");
            self.asked.push((address, length / 64));
            let at = now + 1 + self.random.below(self.latency);
            self.reads.push_back((at, address, length));
        }
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        self.cycle += 1;
    }

    /// What the judge sees of a queue pair one cycle after asking: (ready, pending).
    fn look(&mut self, index: u64) -> (bool, bool) {
        self.uut.rq_index.next = index.into();
        self.step();
        (self.uut.rq_ready.val(), self.uut.rq_pending.val())
    }

    /// Takes the next WQE as the judge does, and checks it. False without one.
    fn take(&mut self, index: u64) -> bool {
        for _ in 0..2000 {
            let (ready, pending) = self.look(index);
            assert_eq!(ready || pending, self.posted[index as usize] != self.taken[index as usize]);
            if ready {
                let count = self.taken[index as usize];
                let slot = count % (1 << self.log2);
                let address = base(index) + 64 * slot;
                let bytes: Vec<u8> = (0..8).flat_map(|i| word(address + 8 * i).to_le_bytes()).collect();
                assert_eq!(BigUint::from(self.uut.rq_wqe.val()), BigUint::from_bytes_le(&bytes), "slot {slot}");
                assert_eq!(self.uut.rq_slot.val().to_u64(), slot);
                assert_eq!(self.uut.rq_failed.val(), self.bad_slot == Some(address));
                self.uut.rq_take.next = true;
                self.step();
                self.uut.rq_take.next = false;
                self.taken[index as usize] += 1;
                return true;
            }
            if !pending {
                return false;
            }
        }
        panic!("pending for 2000 cycles: posted {:?} taken {:?} asked {:?}", self.posted, self.taken, self.asked);
    }

    fn busy(&mut self, index: u64) -> bool {
        self.uut.status_index.next = index.into();
        self.run(3);
        self.uut.status_busy.val()
    }
}

#[test]
fn t57_wqes_come_in_order_whole_and_with_their_slots_round_the_ring() {
    for (log2, seed) in [(2, 1), (3, 2), (4, 3)] {
        let mut bench = Bench::new(log2, seed);
        let size = 1 << log2;
        for round in 0..60u64 {
            let index = round % 4;
            let (posted, taken) = (bench.posted[index as usize], bench.taken[index as usize]);
            let room = size - (posted - taken);
            let more = bench.random.below(room + 1);
            bench.post(index, posted + more);
            let takes = bench.random.below(posted + more - taken + 1);
            for _ in 0..takes {
                assert!(bench.take(index));
            }
        }
        for index in 0..4 {
            while bench.take(index) {}
            assert_eq!(bench.posted[index as usize], bench.taken[index as usize]);
        }
    }
}

#[test]
fn t55_without_a_wqe_nothing_is_ready_and_nothing_pending() {
    let mut bench = Bench::new(3, 4);
    assert_eq!(bench.look(1), (false, false));
    bench.post(1, 1);
    assert_eq!(bench.look(2), (false, false));
    assert!(bench.take(1));
    assert_eq!(bench.look(1), (false, false));
    assert!(!bench.take(1));
}

#[test]
fn t55_a_posted_wqe_is_pending_until_it_has_arrived() {
    let mut bench = Bench::new(3, 5);
    let mut seen = vec![];
    bench.post(2, 1);
    for _ in 0..200 {
        let looked = bench.look(2);
        if seen.last() != Some(&looked) {
            seen.push(looked);
        }
    }
    assert_eq!(seen, [(false, true), (true, false)]);
}

#[test]
fn t55_a_wqe_that_could_not_be_read_is_there_and_marked() {
    let mut bench = Bench::new(3, 6);
    bench.bad_slot = Some(base(3) + 64);
    bench.post(3, 3);
    for _ in 0..3 {
        assert!(bench.take(3));
    }
}

#[test]
fn t57_no_more_wqes_are_fetched_than_have_room_and_they_come_in_batches() {
    let mut bench = Bench::new(4, 7);
    bench.post(0, 16);
    bench.run(400);
    assert_eq!(bench.asked, [(base(0), 4)]);
    assert!(bench.take(0));
    bench.run(200);
    assert_eq!(bench.asked.len(), 1, "one free place is no batch");
    assert!(bench.take(0));
    bench.run(200);
    assert_eq!(bench.asked[1..], [(base(0) + 64 * 4, 2)]);
    while bench.take(0) {}
    assert!(bench.asked.iter().skip(1).all(|(_, slots)| *slots >= 2), "{:?}", bench.asked);
}

#[test]
fn t73_nothing_is_fetched_in_reset_and_err() {
    for state in [qp::RESET, qp::ERR] {
        let mut bench = Bench::new(3, 8);
        bench.set_state(1, state);
        bench.post(1, 4);
        bench.run(200);
        assert!(bench.asked.is_empty());
    }
}

#[test]
fn t6_a_queue_pair_is_busy_until_its_fetches_have_come_and_starts_at_slot_0_after_a_clear() {
    let mut bench = Bench::new(3, 9);
    bench.latency = 200;
    bench.post(1, 7);
    bench.run(20);
    assert!(bench.busy(1));
    assert!(!bench.busy(2));
    for _ in 0..3 {
        assert!(bench.take(1));
    }
    bench.set_state(1, qp::RESET);
    for _ in 0..1000 {
        if !bench.busy(1) {
            break;
        }
    }
    assert!(!bench.busy(1) && bench.reads.is_empty());
    bench.clear(1);
    assert_eq!(bench.look(1), (false, false));
    bench.set_state(1, qp::INIT);
    let before = bench.asked.len();
    bench.post(1, 2);
    assert!(bench.take(1) && bench.take(1) && !bench.take(1));
    assert_eq!(bench.asked[before..], [(base(1), 2)]);
}

#[test]
fn every_preset_elaborates() {
    for text in [
        crate::check::verilog(&mut ReceivePrefetch::<64, 3, 8, 1, 4, 2, 3>::default()),
        crate::check::verilog(&mut ReceivePrefetch::<64, 4, 16, 2, 6, 4, 4>::default()),
        crate::check::verilog(&mut ReceivePrefetch::<512, 8, 256, 4, 12, 16, 5>::default()),
    ] {
        text.unwrap();
    }
}
