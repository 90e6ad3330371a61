//! A walker with cursor, acknowledgements and outcomes in software.
use super::{kind, Completion, LostFrame, Outstanding, RetireRow, RetireWalk, SendTail};
use crate::rx::AckState;
use crate::types::{QpControl, SqContext, WorkOutcome};
use rnic_abi::qp;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

pub struct Bench {
    pub uut: RetireWalk<3, 8, 4, 7>,
    pub tail: SendTail,
    pub returned: u64,
    pub psn: u64,
    pub slot: u64,
    pub ack: AckState,
    pub row: RetireRow,
    pub done: Vec<Completion>,
    pub outcomes: VecDeque<WorkOutcome>,
    pub lost: VecDeque<LostFrame>,
    pub cycle: usize,
    pub when: Vec<usize>,
    pub landing: bool,
    pub ready: bool,
    pub voids: usize,
    /// The cursor is at work on the queue pair; at packets that are sent again.
    pub cursor: Option<bool>,
}

const QP: u64 = 2;

impl Bench {
    /// Queue pair 2 in RTS with una = hpsn = 500 and a ring of 8 slots; all rows are those of the start.
    pub fn new() -> Self {
        let mut uut = RetireWalk::default();
        uut.connect_all();
        let mut bench = Self {
            uut,
            tail: SendTail::default(),
            returned: 0,
            psn: 500,
            slot: 6,
            ack: AckState { una: 500.into(), ..Default::default() },
            row: Default::default(),
            done: vec![],
            outcomes: VecDeque::new(),
            lost: VecDeque::new(),
            cycle: 0,
            when: vec![],
            landing: false,
            ready: true,
            voids: 0,
            cursor: None,
        };
        bench.uut.reset.next = true;
        bench.uut.clearing.next = true;
        for row in 0..8u64 {
            bench.uut.clear_index.next = row.into();
            bench.step();
        }
        bench.uut.clearing.next = false;
        bench.step();
        bench.uut.reset.next = false;
        bench.set_state(qp::RTS);
        bench.tell();
        bench.run(20);
        bench
    }

    pub fn set_state(&mut self, state: u8) {
        self.uut.context_write.next = true;
        self.uut.context_index.next = QP.into();
        self.uut.context_row.next = SqContext { state: state.to_bits(), log2: 3.into(), ..Default::default() };
        self.uut.control.next = QpControl { index: QP.into(), wake: true, ..Default::default() };
        self.step();
        self.uut.context_write.next = false;
        self.uut.control.next = Default::default();
    }

    pub fn clear(&mut self) {
        self.uut.control.next = QpControl { index: QP.into(), clear: true, ..Default::default() };
        self.step();
        self.uut.control.next = Default::default();
        self.run(30);
    }

    pub fn tell(&mut self) {
        self.uut.state_write.next = true;
        self.uut.state_index.next = QP.into();
        self.uut.state_row.next = self.ack;
        self.step();
        self.uut.state_write.next = false;
        self.run(24);
    }

    pub fn una(&mut self, una: u64) {
        self.ack.una = una.into();
        self.tell();
    }

    pub fn fail(&mut self, psn: u64, status: u8, syndrome: u8) {
        self.ack.fail = true;
        self.ack.fail_psn = psn.into();
        self.ack.status = status.to_bits();
        self.ack.syndrome = syndrome.to_bits();
        self.tell();
    }

    pub fn stored(&mut self, count: u64) {
        self.uut.done_write.next = true;
        self.uut.done_index.next = QP.into();
        self.uut.done_count.next = count.into();
        self.step();
        self.uut.done_write.next = false;
        self.run(24);
    }

    fn tell_tail(&mut self) {
        self.uut.tail_write.next = true;
        self.uut.tail_index.next = QP.into();
        self.uut.tail_row.next = self.tail;
        self.step();
        self.uut.tail_write.next = false;
    }

    /// Frames that come back.
    pub fn back(&mut self, count: u64) {
        for _ in 0..count {
            self.returned += 1;
            self.uut.returned_write.next = true;
            self.uut.returned_index.next = QP.into();
            self.uut.returned_count.next = (self.returned % 4096).into();
            self.step();
            self.uut.returned_write.next = false;
            self.run(3);
        }
        self.run(24);
    }

    pub fn issue(&mut self, count: u64, again: bool) {
        self.tail.issued = ((self.tail.issued.to_u64() + count) % 4096).into();
        if again {
            self.tail.resent = self.tail.issued;
        }
        self.tell_tail();
    }

    /// Starts a WQE as the cursor does.
    pub fn entry(&mut self, entry: Outstanding) {
        let seq = self.tail.hseq.to_u64();
        let entry = Outstanding { first: self.psn.into(), slot: self.slot.into(), ..entry };
        self.psn += entry.packets.to_u64();
        self.slot += 1 + u64::from(entry.double);
        self.uut.entry_write.next = true;
        self.uut.entry_index.next = (QP * 16 + seq % 16).into();
        self.uut.entry_data.next = entry;
        self.uut.entry_failed.next = entry.kind.to_u64() == kind::FAILED;
        self.step();
        self.uut.entry_write.next = false;
        self.tail.hseq = ((seq + 1) & 0xFFFF).into();
        self.tell_tail();
        self.run(24);
    }

    pub fn send(&mut self, packets: u64) {
        self.entry(Outstanding { packets: packets.into(), signalled: true, ..Default::default() });
    }

    pub fn read(&mut self, packets: u64, rd_after: u64) {
        let (kind, length) = (kind::READ.to_bits(), 77.into());
        let rd_after = rd_after.into();
        self.entry(Outstanding {
            packets: packets.into(),
            kind,
            rd_after,
            length,
            opcode: 8.into(),
            ..Default::default()
        });
    }

    pub fn local(&mut self) {
        self.entry(Outstanding { kind: kind::LOCAL.to_bits(), opcode: 0x20.into(), ..Default::default() });
    }

    pub fn outcome(&mut self, status: u8, syndrome: u8) {
        self.outcomes.push_back(WorkOutcome {
            qp: QP.into(),
            status: status.to_bits(),
            syndrome: syndrome.to_bits(),
            ..Default::default()
        });
        self.run(40);
    }

    pub fn lose(&mut self, psn: u64, syndrome: u64) {
        self.lost.push_back(LostFrame { qp: QP.into(), psn: psn.into(), syndrome: syndrome.into() });
        self.run(40);
    }

    pub fn holds(&self) -> bool {
        self.uut.hold_all.val().get_bit(QP as usize)
    }

    /// Slot, status and syndrome of all completions.
    pub fn told(&self) -> Vec<(u64, u64, u64)> {
        let row = |done: &Completion| (done.slot.to_u64(), done.status.to_u64(), done.syndrome.to_u64());
        self.done.iter().map(row).collect()
    }

    pub fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.step();
        }
    }

    pub fn land(&mut self) {
        self.landing = false;
        self.uut.landed.next = true;
        self.uut.landed_index.next = QP.into();
        self.step();
        self.uut.landed.next = false;
        self.run(24);
    }

    fn step(&mut self) {
        self.uut.outcome.valid.next = !self.outcomes.is_empty();
        self.uut.outcome.data.next = self.outcomes.front().copied().unwrap_or_default();
        self.uut.lost.valid.next = !self.lost.is_empty();
        self.uut.lost.data.next = self.lost.front().copied().unwrap_or_default();
        self.uut.landing_all.next = (u64::from(self.landing) << QP).into();
        self.uut.completion.ready.next = self.ready;
        self.uut.cursor_busy.next = self.cursor.is_some();
        self.uut.cursor_index.next = QP.into();
        self.uut.cursor_resends.next = self.cursor == Some(true);
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        if self.uut.outcome.ready.val() {
            self.outcomes.pop_front();
        }
        if self.uut.lost.ready.val() {
            self.lost.pop_front();
        }
        if self.uut.completion.valid.val() && self.ready {
            self.done.push(self.uut.completion.data.val());
            self.when.push(self.cycle);
        }
        if self.uut.voided.val() {
            assert_eq!(self.uut.voided_index.val().to_u64(), QP);
            self.voids += 1;
        }
        if self.uut.row_write.val() {
            self.row = self.uut.row_data.val();
        }
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 200), "combinational loop");
        self.cycle += 1;
    }
}
