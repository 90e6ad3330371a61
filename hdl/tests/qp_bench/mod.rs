//! Queue pairs between a mailbox and models of what the other subsystems tell and are told.
#![allow(dead_code)] // each test uses its part
use rnic_abi::admin::{create_qp, modify_qp, Command};
use rnic_abi::preset::{Preset, TINY};
use rnic_abi::qp::{self, State, RANGES};
use rnic_hdl::check::tick;
use rnic_hdl::qp::{QueuePairs, ServedPsns};
use rnic_hdl::types::{QpControl, QpIdentity, RqContext, SqContext};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

pub const EINVAL: u64 = 22;
pub const EBUSY: u64 = 16;
pub type Words = [u32; 18];

/// What the subsystem did, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Copies of a queue pair were written with this state (and number).
    Context {
        index: u64,
        qpn: u64,
        state: u64,
    },
    Fail(u64),
    Wake(u64),
    Discard(u64),
    Clear(u64),
    Take(u64),
    Release(u64),
    Fence,
    Event {
        kind: u64,
        number: u64,
    },
    Done(u64),
}

pub struct Bench {
    pub uut: QueuePairs<3, 8>,
    pub cycle: u64,
    pub deeds: Vec<Deed>,
    /// CQs that exist, with their uses.
    pub cqs: BTreeMap<u64, i64>,
    /// Per queue pair: SQ slots fetched, retired; RQ slots used.
    pub counts: [[u64; 3]; 8],
    /// Copies as the send and receive queues have them.
    pub sq: [SqContext; 8],
    pub rq: [RqContext; 8],
    /// Cycles from a fence to its end; none: never.
    pub fence_latency: Option<u64>,
    fence_due: Option<u64>,
    pub events_ready: bool,
    /// Failed CQs to tell.
    pub cq_failures: Vec<u64>,
    pub answers: Vec<(u64, u64)>,
    pub done: Option<u64>,
    asked: (u64, u64),
    looked: (u64, u64),
    last_order: u64,
    marked: Option<u64>,
    /// When the responder was told to be silent, and how long it still answers.
    pub muted: Option<u64>,
    pub answering: u64,
    fenced: Option<u64>,
}

impl Bench {
    pub fn new() -> Self {
        let mut uut = QueuePairs::<3, 8>::new(&TINY);
        uut.connect_all();
        let mut bench = Self {
            uut,
            cycle: 0,
            deeds: vec![],
            cqs: BTreeMap::from([(0, 0), (1, 0), (15, 0)]),
            counts: Default::default(),
            sq: Default::default(),
            rq: Default::default(),
            fence_latency: Some(9),
            fence_due: None,
            events_ready: true,
            cq_failures: vec![],
            answers: vec![],
            done: None,
            asked: (0, 0),
            looked: (0, 0),
            last_order: 0,
            marked: None,
            muted: None,
            answering: 0,
            fenced: None,
        };
        bench.reset();
        bench
    }

    pub fn preset() -> &'static Preset {
        &TINY
    }

    pub fn reset(&mut self) {
        self.uut.reset.next = true;
        self.uut.clearing.next = true;
        for index in 0..8u64 {
            self.uut.clear_index.next = index.into();
            self.step();
        }
        self.uut.clearing.next = false;
        self.step();
        self.uut.reset.next = false;
        self.step();
        self.deeds.clear();
    }

    /// Ends a fence whose answer was withheld.
    pub fn end_fence(&mut self) {
        self.fence_due = Some(self.cycle);
        self.step();
    }

    pub fn steps(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step());
    }

    pub fn step(&mut self) {
        // Answers that follow a stable index by 4 cycles; garbage before.
        let cqn = self.uut.use_cqn.val().to_u64();
        if self.asked.0 != cqn {
            self.asked = (cqn, self.cycle);
        }
        let settled = self.cycle - self.asked.1 >= 4;
        self.uut.use_exists.next = if settled { self.cqs.contains_key(&cqn) } else { self.cycle % 2 == 0 };
        let index = self.uut.sq_status_index.val().to_u64();
        assert_eq!(self.uut.rq_status_index.val().to_u64(), index);
        if self.looked.0 != index {
            self.looked = (index, self.cycle);
        }
        let counts = if self.cycle - self.looked.1 >= 4 { self.counts[index as usize] } else { [self.cycle, 0, 7] };
        self.uut.sq_status_fetched.next = (counts[0] & 0xFFFF).into();
        self.uut.sq_status_started.next = (counts[0] & 0xFFFF).into();
        self.uut.sq_status_retired.next = (counts[1] & 0xFFFF).into();
        self.uut.rq_status_used.next = (counts[2] & 0xFFFF).into();
        self.uut.fenced.next = self.fence_due == Some(self.cycle);
        // Frames leave 30 cycles after a fence.
        self.uut.wire_passed.next = self.fenced.is_none_or(|fenced| self.cycle >= fenced + 30);
        // The responder takes an order up at once.
        self.uut.served_write.next = self.uut.order_start.val() | self.uut.order_clear.val();
        self.uut.served_index.next = self.uut.order_index.val();
        self.uut.served.next = ServedPsns {
            epsn: if self.uut.order_start.val() { self.uut.order_psn.val() } else { 0.into() },
            msn: 0.into(),
        };
        self.uut.events.ready.next = self.events_ready;
        // What the responder has in flight at a mark is committed 20 cycles later.
        self.uut.answers.next = self.muted.is_some_and(|muted| self.cycle < muted + self.answering);
        self.uut.drained.next = self.marked.is_some_and(|marked| self.cycle >= marked + 20);
        self.uut.ack_order.ready.next = self.cycle % 3 == 0;
        self.uut.send_order.ready.next = self.cycle % 5 == 0;
        let failure = self.cq_failures.first().copied();
        self.uut.cq_failed.valid.next = failure.is_some();
        self.uut.cq_failed.data.next = failure.unwrap_or(0xABC).into();
        if self.uut.drain_mark.val() {
            self.marked = Some(self.cycle);
        }
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 1000));
        self.observe();
        if self.uut.cq_failed.ready.val() && failure.is_some() {
            self.cq_failures.remove(0);
        }
        tick(&mut self.uut, |u| &mut u.clock);
        self.cycle += 1;
    }

    /// What happens at the coming edge.
    fn observe(&mut self) {
        let uut = &self.uut;
        if uut.sq_context_write.val() {
            assert!(uut.rq_context_write.val());
            let index = uut.sq_context_index.val().to_u64();
            assert_eq!(uut.rq_context_index.val().to_u64(), index);
            let (sq, rq) = (uut.sq_context.val(), uut.rq_context.val());
            assert_eq!((sq.qpn, sq.state), (rq.qpn, rq.state));
            (self.sq[index as usize], self.rq[index as usize]) = (sq, rq);
            self.deeds.push(Deed::Context { index, qpn: sq.qpn.to_u64(), state: sq.state.to_u64() });
        }
        let QpControl { index, fail, discard, clear, wake, mute } = uut.control.val();
        let index = index.to_u64();
        if mute {
            self.muted = Some(self.cycle);
        }
        for (order, deed) in [
            (fail, Deed::Fail(index)),
            (discard, Deed::Discard(index)),
            (clear, Deed::Clear(index)),
            (wake, Deed::Wake(index)),
        ] {
            if order {
                self.deeds.push(deed);
            }
        }
        if clear {
            self.counts[index as usize] = [0; 3];
        }
        let cqn = uut.use_cqn.val().to_u64();
        for (order, change) in [(uut.use_take.val(), 1), (uut.use_release.val(), -1)] {
            if order {
                assert!(self.cycle - self.asked.1 >= 4, "use order on an unstable index");
                assert!(self.cycle - self.last_order >= 8, "use orders 8 cycles apart");
                self.last_order = self.cycle;
                *self.cqs.get_mut(&cqn).expect("only on existing queues") += change;
                self.deeds.push(if change > 0 { Deed::Take(cqn) } else { Deed::Release(cqn) });
            }
        }
        if uut.fence.val() {
            self.fenced = Some(self.cycle);
            self.deeds.push(Deed::Fence);
            self.fence_due = self.fence_latency.map(|latency| self.cycle + latency);
        }
        if uut.events.valid.val() && self.events_ready {
            let event = uut.events.data.val();
            assert_eq!(event.detail.to_u64(), 0);
            self.deeds.push(Deed::Event { kind: event.kind.to_u64(), number: event.number.to_u64() });
        }
        if uut.admin.answer_valid.val() {
            self.answers.push((uut.admin.answer_index.val().to_u64(), uut.admin.answer.val().to_u64()));
        }
        if uut.admin.done.val() {
            assert_eq!(self.done, None, "one end for a command");
            self.done = Some(uut.admin.errno.val().to_u64());
            self.deeds.push(Deed::Done(uut.admin.errno.val().to_u64()));
        }
    }

    /// Sends words and start as the mailbox does.
    pub fn start(&mut self, command: Command, words: &Words) {
        self.deeds.clear();
        self.answers.clear();
        self.done = None;
        for index in 0..32u64 {
            let word = words.get(index as usize).copied().unwrap_or(0);
            self.uut.admin.word_valid.next = true;
            self.uut.admin.word_index.next = index.into();
            self.uut.admin.word.next = u64::from(word).into();
            self.step();
        }
        self.uut.admin.word_valid.next = false;
        self.uut.admin.word.next = 0xFFFF_FFFFu64.into();
        self.uut.admin.opcode.next = u64::from(command.code()).into();
        self.uut.admin.start.next = true;
        self.step();
        self.uut.admin.start.next = false;
    }

    pub fn run(&mut self, command: Command, words: &Words) -> u64 {
        self.start(command, words);
        for _ in 0..4000 {
            if let Some(errno) = self.done {
                self.steps(12);
                return errno;
            }
            self.step();
        }
        panic!("{command} never ends");
    }

    /// CREATE_QP of `qpn` with other words at will.
    pub fn create_words(qpn: u32) -> Words {
        let mut words = [0; 18];
        for (field, value) in [
            (create_qp::QPN, u64::from(qpn)),
            (create_qp::PD, 0xABCDEF),
            (create_qp::SEND_CQN, 1),
            (create_qp::RECEIVE_CQN, 15),
            (create_qp::SQ_LOG2, 4),
            (create_qp::RQ_LOG2, 15),
            (create_qp::PRIVILEGED, 1),
            (create_qp::SQ_BASE, 0x000F_EDCB_A987_6000),
            (create_qp::RQ_BASE, 0x0001_2345_6789_A000),
        ] {
            field.put(&mut words, value);
        }
        words
    }

    pub fn create(&mut self, qpn: u32) -> u64 {
        self.run(Command::CreateQp, &Self::create_words(qpn))
    }

    /// MODIFY_QP whose values are in range whatever is given.
    pub fn modify_words(qpn: u32, to: State, mask: u32) -> Words {
        let mut words = [0; 18];
        (words[0], words[1], words[2]) = (qpn, to.code().into(), mask);
        for range in RANGES {
            range.field.put(&mut words, range.min.into());
        }
        modify_qp::SQ_PSN.put(&mut words, 0x500);
        modify_qp::RQ_PSN.put(&mut words, 0x100);
        words
    }

    pub fn modify(&mut self, qpn: u32, to: State, mask: u32) -> u64 {
        self.run(Command::ModifyQp, &Self::modify_words(qpn, to, mask))
    }

    pub fn query(&mut self, qpn: u32) -> Result<Vec<u64>, u64> {
        let mut words = [0; 18];
        words[0] = qpn;
        match self.run(Command::QueryQp, &words) {
            0 => {
                assert_eq!(self.answers.iter().map(|(i, _)| *i).collect::<Vec<_>>(), (0..7).collect::<Vec<_>>());
                Ok(self.answers.iter().map(|(_, word)| *word).collect())
            }
            errno => {
                assert!(self.answers.is_empty());
                Err(errno)
            }
        }
    }

    pub fn state(&mut self, qpn: u32) -> State {
        State::from_u8((self.query(qpn).unwrap()[0] & 0xFF) as u8).unwrap()
    }

    pub fn destroy(&mut self, qpn: u32) -> u64 {
        let mut words = [0; 18];
        words[0] = qpn;
        self.run(Command::DestroyQp, &words)
    }

    pub fn identity(&mut self, index: u64) -> QpIdentity {
        self.uut.probe_qp.next = index.into();
        self.steps(4);
        self.uut.probe_identity.val()
    }

    pub fn fail_send(&mut self, index: u64) {
        self.uut.sq_failed.next = true;
        self.uut.sq_failed_index.next = index.into();
        self.step();
        self.uut.sq_failed.next = false;
        self.uut.sq_failed_index.next = 5.into();
    }

    /// Creates a queue pair and brings it to a state, by the shortest way.
    pub fn bring(&mut self, qpn: u32, state: State) {
        assert_eq!(self.create(qpn), 0);
        self.lead(qpn, state);
    }

    /// From RESET to a state.
    pub fn lead(&mut self, qpn: u32, state: State) {
        let way: &[State] = match state {
            State::Reset => &[],
            State::Init => &[State::Init],
            State::Rtr => &[State::Init, State::Rtr],
            State::Rts => &[State::Init, State::Rtr, State::Rts],
            State::Sqd => &[State::Init, State::Rtr, State::Rts, State::Sqd],
            State::Err => &[State::Err],
            State::Sqe => unreachable!("no way leads to SQE"),
        };
        let mut from = State::Reset;
        for to in way {
            let mask = qp::transition(from, *to).unwrap().required;
            assert_eq!(self.modify(qpn, *to, mask), 0, "{from} to {to}");
            from = *to;
        }
    }
}
