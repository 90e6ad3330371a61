//! The receive queues as a whole, by rule.
use rnic_abi::{cqe, drop, opcode, qp, status};
use rnic_hdl::check::RandomDrive;
use rnic_hdl::rq::ReceiveQueue;
use rnic_hdl::types::{CqeRequest, Doorbell, QpControl, RqContext};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

struct Bench {
    uut: ReceiveQueue<3, 8>,
    random: RandomDrive,
    /// Channels are ready in this many of 8 cycles.
    ready: u32,
    log2: u64,
    bells: VecDeque<Doorbell>,
    cqes: Vec<CqeRequest>,
    drops: Vec<u64>,
}

impl Bench {
    /// Queues out of reset; all queue pairs are in INIT with rings of 2^`log2` slots.
    fn new(ready: u32, log2: u64) -> Self {
        let mut uut = ReceiveQueue::default();
        uut.connect_all();
        let random = RandomDrive::new(5);
        let mut bench = Self { uut, random, ready, log2, bells: VecDeque::new(), cqes: vec![], drops: vec![] };
        bench.uut.reset.next = true;
        bench.uut.clearing.next = true;
        for row in 0..8u64 {
            bench.uut.clear_index.next = row.into();
            bench.step();
        }
        bench.uut.clearing.next = false;
        bench.uut.reset.next = false;
        for index in 0..8 {
            bench.set_state(index, qp::INIT);
        }
        bench
    }

    fn set_state(&mut self, index: u64, state: u8) {
        self.uut.context_write.next = true;
        self.uut.context_index.next = index.into();
        self.uut.context_row.next = RqContext {
            qpn: (0x4200 + index).into(),
            base: 5.into(),
            log2: self.log2.into(),
            cqn: (0x40 + index).into(),
            state: state.to_bits(),
        };
        self.order(QpControl { index: index.into(), wake: true, ..Default::default() });
        self.uut.context_write.next = false;
    }

    fn order(&mut self, control: QpControl) {
        self.uut.control.next = control;
        self.step();
        self.uut.control.next = Default::default();
    }

    fn ring(&mut self, index: u64, value: u64) {
        self.bells.push_back(Doorbell { index: index.into(), value: value.into() });
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    fn settle(&mut self) {
        let mut quiet = 0;
        while quiet < 60 {
            let before = (self.cqes.len(), self.drops.len(), self.bells.len());
            self.step();
            quiet = if before == (self.cqes.len(), self.drops.len(), self.bells.len()) { quiet + 1 } else { 0 };
        }
    }

    /// Posted, used, and whether a flush is on offer.
    fn status(&mut self, index: u64) -> (u64, u64, bool) {
        self.uut.status_index.next = index.into();
        self.run(4);
        let uut = &self.uut;
        (uut.status_posted.val().to_u64(), uut.status_used.val().to_u64(), uut.status_flushing.val())
    }

    fn step(&mut self) {
        let bell = self.bells.front().copied();
        self.uut.doorbell.valid.next = bell.is_some();
        self.uut.doorbell.data.next = bell.unwrap_or_default();
        self.uut.cqe.ready.next = self.random.chance(self.ready, 8);
        self.uut.drop.ready.next = self.random.chance(self.ready, 8);
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        if self.uut.doorbell.valid.val() && self.uut.doorbell.ready.val() {
            self.bells.pop_front();
        }
        if self.uut.cqe.valid.val() && self.uut.cqe.ready.val() {
            self.cqes.push(self.uut.cqe.data.val());
        }
        if self.uut.drop.valid.val() && self.uut.drop.ready.val() {
            self.drops.push(self.uut.drop.data.val().to_u64());
        }
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
    }

    /// Slots flushed on a queue pair, in order.
    fn flushed(&self, index: u64) -> Vec<u64> {
        let mine = self.cqes.iter().filter(|cqe| cqe.qpn.to_u64() == 0x4200 + index);
        mine.map(|cqe| cqe.slot.to_u64()).collect()
    }
}

#[test]
fn t4_receives_are_posted_from_init_on() {
    let mut bench = Bench::new(8, 3);
    for (index, state) in [qp::INIT, qp::RTR, qp::RTS, qp::SQD, qp::SQE, qp::ERR, qp::RESET].into_iter().enumerate() {
        bench.set_state(index as u64, state);
        bench.ring(index as u64, 3);
    }
    bench.settle();
    assert_eq!(bench.drops, [u64::from(drop::RQ_DOORBELL_STATE)]);
    for index in 0..5 {
        assert_eq!(bench.status(index), (3, 0, false));
    }
    assert_eq!(bench.status(5), (3, 3, false));
    assert_eq!(bench.status(6), (0, 0, false));
}

#[test]
fn t4_wrong_doorbells_are_dropped_and_counted_and_change_nothing() {
    let mut bench = Bench::new(3, 3);
    for (index, value) in [(1, 9), (1, 0x8000_0001), (8, 1), (1, 8), (1, 7), (1, 9)] {
        bench.ring(index, value);
    }
    bench.settle();
    let expected = [drop::RQ_DOORBELL_COUNT, drop::RQ_DOORBELL_VALUE, drop::RQ_DOORBELL_INDEX, drop::RQ_DOORBELL_COUNT];
    assert_eq!(bench.drops, [&expected[..], &expected[3..]].concat().iter().map(|r| u64::from(*r)).collect::<Vec<_>>());
    assert_eq!(bench.status(1), (8, 0, false));
}

#[test]
fn d11_t73_in_err_every_posted_receive_is_flushed_once_and_in_order() {
    for ready in [8, 2] {
        let mut bench = Bench::new(ready, 3);
        bench.ring(2, 8);
        bench.ring(3, 5);
        bench.settle();
        assert!(bench.cqes.is_empty());
        bench.set_state(2, qp::ERR);
        bench.set_state(3, qp::ERR);
        bench.settle();
        assert_eq!((bench.flushed(2), bench.flushed(3)), (Vec::from_iter(0..8), Vec::from_iter(0..5)));
        for cqe in &bench.cqes {
            assert_eq!(cqe.status.to_u64(), u64::from(status::WR_FLUSH));
            assert_eq!((cqe.syndrome.to_u64(), cqe.byte_len.to_u64(), cqe.imm.to_u64()), (0, 0, 0));
            assert_eq!(cqe.opcode.to_u64(), u64::from(opcode::RECV));
            assert_eq!(cqe.flags.to_u64(), u64::from(cqe::FLAG_RECEIVE));
            assert_eq!(cqe.cqn.to_u64(), cqe.qpn.to_u64() - 0x4200 + 0x40);
        }
        // Later posts as well (D15), and a full ring again.
        bench.ring(2, 16);
        bench.ring(3, 6);
        bench.settle();
        assert_eq!((bench.flushed(2).len(), bench.flushed(3)[5..].to_vec()), (16, vec![5]));
        assert_eq!(bench.status(2), (16, 16, false));
        assert!(bench.drops.is_empty());
    }
}

#[test]
fn t20_flushes_of_several_queue_pairs_take_turns() {
    let mut bench = Bench::new(8, 5);
    for index in 0..4 {
        bench.ring(index, 32);
    }
    bench.settle();
    for index in 0..4 {
        bench.set_state(index, qp::ERR);
    }
    bench.settle();
    let order: Vec<_> = bench.cqes.iter().map(|cqe| cqe.qpn.to_u64() & 7).collect();
    assert_eq!(order.len(), 4 * 32);
    for window in order[4..order.len() - 8].windows(4) {
        let mut seen = window.to_vec();
        seen.sort();
        assert_eq!(seen, [0, 1, 2, 3], "{order:?}");
    }
}

#[test]
fn t6_d16_a_reset_stops_the_flush_and_begins_again_at_slot_0() {
    let mut bench = Bench::new(1, 4);
    bench.ring(6, 15);
    bench.settle();
    bench.set_state(6, qp::ERR);
    while bench.cqes.len() < 4 {
        bench.run(1);
    }
    bench.set_state(6, qp::RESET);
    bench.run(4);
    while bench.status(6).2 {}
    let before = bench.cqes.len();
    bench.order(QpControl { index: 6.into(), clear: true, ..Default::default() });
    bench.settle();
    assert_eq!(bench.cqes.len(), before, "a CQE behind the reset");
    assert!(before < 15);
    assert_eq!(bench.status(6), (0, 0, false));
    bench.set_state(6, qp::INIT);
    bench.ring(6, 16);
    bench.settle();
    bench.set_state(6, qp::ERR);
    bench.settle();
    assert_eq!(bench.flushed(6)[before..], Vec::from_iter(0..16));
    assert!(bench.drops.is_empty());
}

#[test]
fn t6_t7_a_clear_meets_every_phase_of_its_neighbours_turns() {
    let mut bench = Bench::new(8, 4);
    bench.set_state(4, qp::ERR);
    for phase in 0..24 {
        bench.set_state(2, qp::INIT);
        bench.ring(2, 3);
        bench.settle();
        assert_eq!(bench.status(2), (3, 0, false));
        bench.set_state(2, qp::RESET);
        bench.ring(4, 16 * phase + 9);
        bench.ring(5, phase + 1);
        bench.ring(4, 16 * phase + 16);
        bench.run(phase as usize);
        bench.order(QpControl { index: 2.into(), clear: true, ..Default::default() });
        bench.run(4);
        assert_eq!(bench.status(2), (0, 0, false), "phase {phase}");
        bench.settle();
        assert_eq!(bench.status(4), (16 * phase + 16, 16 * phase + 16, false), "phase {phase}");
        assert_eq!(bench.drops.len() as u64, phase.saturating_sub(15));
    }
}

#[test]
fn t21_random_posts_on_all_queue_pairs_are_all_flushed() {
    let mut bench = Bench::new(4, 3);
    let mut random = RandomDrive::new(9);
    let mut posted = [0u64; 8];
    for index in (0..8).step_by(2) {
        bench.set_state(index, qp::ERR);
    }
    for _ in 0..300 {
        let index = random.below(8);
        let room = 8 - (posted[index as usize] - bench.flushed(index).len() as u64);
        if room > 0 {
            posted[index as usize] += 1 + random.below(room);
            bench.ring(index, posted[index as usize]);
        }
        bench.run(random.below(12) as usize);
    }
    bench.settle();
    for index in (1..8).step_by(2) {
        bench.set_state(index, qp::ERR);
    }
    bench.settle();
    for index in 0..8 {
        let expected: Vec<_> = (0..posted[index as usize]).map(|slot| slot % 8).collect();
        assert_eq!(bench.flushed(index), expected);
    }
    assert!(bench.drops.is_empty());
}

#[test]
fn t73_t74_what_messages_have_completed_is_not_flushed() {
    for phase in 0..12 {
        let mut bench = Bench::new(8, 3);
        bench.ring(2, 6);
        bench.ring(3, 3);
        bench.settle();
        for index in [2, 3, 2, 2] {
            // Doorbells of a neighbour use the write ports in all phases.
            bench.ring(4, 1);
            bench.run(phase);
            bench.uut.completed.next = true;
            bench.uut.completed_index.next = u64::to_bits(index);
            bench.step();
            bench.uut.completed.next = false;
            bench.run(4);
        }
        assert_eq!(bench.status(2), (6, 3, false), "phase {phase}");
        assert_eq!(bench.status(3), (3, 1, false), "phase {phase}");
        bench.set_state(2, qp::ERR);
        bench.set_state(3, qp::ERR);
        bench.settle();
        assert_eq!((bench.flushed(2), bench.flushed(3)), (vec![3, 4, 5], vec![1, 2]), "phase {phase}");
        // What was completed makes room for posts.
        bench.ring(2, 14);
        bench.settle();
        assert_eq!(bench.status(2), (14, 14, false));
        assert!(bench.drops.is_empty());
    }
}
