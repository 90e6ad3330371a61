//! Test bench of the responder: the peer sends frames; placer, receive queue, invalidation and response engine are models.
use super::{Responder, ResponderContext};
use crate::wire::{PlaceJob, PlaceVerdict, RxFrame, Span};
use rnic_abi::{bth::*, qp};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Our queue pair: number 0x11, index 1.
pub const QPN: u64 = 0x11;
/// The key that is valid for everything.
pub const KEY: u64 = 0x1A2B;
/// MTU of the fixture.
pub const MTU: u64 = 1024;

/// What the responder does, in the order in which it does it.
#[derive(Clone, Debug, PartialEq)]
pub enum Out {
    /// Payload goes to memory: bytes, and the first address or key.
    Place(u64, u64),
    /// A receive completes: opcode, status, syndrome, slot, bytes, imm, flags.
    Cqe(u64, u64, u64, u64, u64, u64, u64),
    /// An acknowledgement leaves: syndrome, PSN, MSN.
    Answer(u64, u64, u64),
    /// A READ or atomic: kind, duplicate, PSN, packets, MSN.
    Push(u64, bool, u64, u64, u64),
    /// A key is invalidated.
    Invalidate(u64),
    /// The queue pair fails: syndrome, kind of the event.
    Failed(u64, u64),
    /// Event: kind, number.
    Event(u64, u64),
    /// Something is dropped.
    Drop(u64),
}

/// The models and what they have seen.
pub struct Bench {
    pub uut: Responder<2, 4, 3>,
    pub out: Vec<Out>,
    pub jobs: Vec<(PlaceJob, Span)>,
    /// Frames to come.
    pub frames: VecDeque<RxFrame>,
    /// Syndrome that the placer finds for this job, by number of the job.
    pub verdicts: Vec<(usize, u64)>,
    /// Write burst that fails, by number from 1 on.
    pub bad_burst: Option<u64>,
    /// The B of a write comes only when this is set.
    pub lands: bool,
    /// Receive WQEs of queue pair 1: slot and bytes of its four SGEs.
    pub receives: VecDeque<(u64, [u64; 4])>,
    /// The next receive WQE is not fetched yet.
    pub pending: bool,
    /// It cannot be fetched.
    pub fetch_fails: bool,
    /// Answer to invalidations.
    pub invalidation: u64,
    /// The wire takes acknowledgements.
    pub wire: bool,
    /// READs and atomics are answered.
    pub serves: bool,
    waiting: VecDeque<(PlaceVerdict, u64)>,
    issued: u64,
    landed: u64,
    dead: bool,
    asked: bool,
    orders: VecDeque<bool>,
    shown: bool,
}

/// A frame of the peer for our queue pair.
pub fn frame(opcode: u8, psn: u64, payload: u64) -> RxFrame {
    RxFrame {
        icrc_ok: true,
        opcode: bits(opcode.into()),
        ack_request: true,
        pad: bits((4 - payload % 4) % 4),
        pkey: bits(0xFFFF),
        qpn: bits(QPN),
        psn: bits(psn & 0xFF_FFFF),
        va: bits(0x7000),
        rkey: bits(KEY),
        // A frame without immediate data or key has its payload there.
        immediate: bits(0xFACE_F00D),
        payload: bits(payload),
        payload_at: bits(54),
        source: bits(0x0200_000A_FFFF),
        own_address: bits(2),
        ..Default::default()
    }
}

/// A frame with a RETH length.
pub fn reth(opcode: u8, psn: u64, payload: u64, length: u64) -> RxFrame {
    RxFrame { length: bits(length), ..frame(opcode, psn, payload) }
}

/// A frame without acknowledge request.
pub fn quiet(frame: RxFrame) -> RxFrame {
    RxFrame { ack_request: false, ..frame }
}

/// The context of the fixture.
pub fn context() -> ResponderContext {
    ResponderContext {
        qpn: bits(QPN),
        state: bits(qp::RTS.into()),
        pkey: bits(0xFFFF),
        access: bits(7),
        mtu: bits(3),
        max_dest_rd: bits(16),
        min_rnr: bits(12),
        pd: bits(5),
        own_address: bits(2),
        cqn: bits(9),
        dest_address: bits(0x0200_000A_FFFF),
        ..Default::default()
    }
}

impl Bench {
    /// The fixture of section 10: epsn 100, msn 7, one receive WQE of 4,096 bytes.
    pub fn new() -> Self {
        let mut bench = Self::at(99);
        // Seven messages bring the MSN to 7.
        for psn in 93..100 {
            bench.frames.push_back(quiet(reth(WRITE_ONLY, psn, 0, 0)));
        }
        bench.order_start(93);
        bench.run();
        bench.out.clear();
        bench.jobs.clear();
        bench
    }

    /// Fresh, expecting `psn`.
    pub fn at(psn: u64) -> Self {
        let mut uut = Responder::default();
        uut.connect_all();
        let mut bench = Self {
            uut,
            out: vec![],
            jobs: vec![],
            frames: VecDeque::new(),
            verdicts: vec![],
            bad_burst: None,
            lands: true,
            receives: VecDeque::from([(3, [4096, 0, 0, 0])]),
            pending: false,
            fetch_fails: false,
            invalidation: 0,
            wire: true,
            serves: true,
            waiting: VecDeque::new(),
            issued: 0,
            landed: 0,
            dead: false,
            asked: false,
            orders: VecDeque::new(),
            shown: false,
        };
        bench.uut.reset.next = true;
        bench.step();
        bench.uut.reset.next = false;
        bench.context(context());
        bench.order_start(psn);
        bench
    }

    pub fn context(&mut self, row: ResponderContext) {
        self.uut.context_write.next = true;
        self.uut.context_index.next = bits(1);
        self.uut.context_row.next = row;
        self.step();
        self.uut.context_write.next = false;
    }

    pub fn order_start(&mut self, psn: u64) {
        self.dead = false;
        self.uut.order_start.next = true;
        self.uut.order_index.next = bits(1);
        self.uut.order_psn.next = bits(psn);
        self.step();
        self.uut.order_start.next = false;
        for _ in 0..8 {
            self.step();
        }
    }

    /// Sends frames and lets everything that comes of them happen.
    pub fn send(&mut self, frames: impl IntoIterator<Item = RxFrame>) -> Vec<Out> {
        self.frames.extend(frames);
        self.run();
        std::mem::take(&mut self.out)
    }

    /// Runs until nothing has happened for a while.
    pub fn run(&mut self) {
        let (mut idle, mut seen) = (0, (0, 0, 0));
        for _ in 0..6000 {
            self.step();
            let now = (self.out.len(), self.jobs.len(), self.frames.len());
            idle = if now == seen { idle + 1 } else { 0 };
            seen = now;
            if idle > 30 {
                return;
            }
        }
        panic!("{} frames, {} jobs, {:?}", self.frames.len(), self.jobs.len(), self.out);
    }

    /// One clock period.
    pub fn step(&mut self) {
        let u = &mut self.uut;
        u.clock.next = Clock { clk: false };
        u.frame.valid.next = !self.frames.is_empty();
        u.frame.data.next = self.frames.front().copied().unwrap_or_default();
        u.job.ready.next = true;
        let verdict = self.waiting.front().filter(|(_, delay)| *delay == 0).map(|(verdict, _)| *verdict);
        u.verdict.valid.next = verdict.is_some();
        u.verdict.data.next = verdict.unwrap_or_default();
        let lands = self.lands && self.landed < self.issued;
        u.landed.next = lands;
        u.landed_failed.next = lands && self.bad_burst == Some(self.landed + 1);
        for ready in [&mut u.response.ready, &mut u.raw.ready, &mut u.invalidate.ready, &mut u.cqe.ready] {
            ready.next = true;
        }
        for ready in [&mut u.push.ready, &mut u.failed.ready, &mut u.notice.ready] {
            ready.next = true;
        }
        for ready in [&mut u.drop_dispatch.ready, &mut u.drop_judge.ready, &mut u.drop_commit.ready] {
            ready.next = true;
        }
        u.invalidated.valid.next = self.asked;
        u.invalidated.data.next = bits(self.invalidation);
        let serve = self.serves && !self.orders.is_empty();
        u.served.next = serve;
        u.served_index.next = bits(1);
        u.served_duplicate.next = self.orders.front().copied().unwrap_or(false);
        u.owed_index.next = bits(1);
        assert!(simulate(u, 1000), "combinational loop");
        // Acknowledgements leave when everything in front of them is answered (T61).
        let owed = u.owed.val();
        let takes = self.wire && owed.present && self.orders.is_empty() && self.shown;
        u.owed_taken.next = takes;
        self.shown = !takes;
        if takes {
            assert!(simulate(u, 1000), "combinational loop");
            self.out.push(Out::Answer(owed.syndrome.to_u64(), owed.psn.to_u64(), owed.msn.to_u64()));
        }
        self.observe(serve, lands, verdict.is_some());
        let (asked, taken) = (self.uut.rq_index.val() == 1, self.uut.rq_take.val());
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 1000), "combinational loop");
        self.receive_queue(asked, taken);
    }

    /// What is handed over at the coming edge.
    fn observe(&mut self, serve: bool, lands: bool, verdict: bool) {
        let u = &self.uut;
        self.landed += u64::from(lands);
        self.asked &= !u.invalidated.ready.val();
        if serve {
            self.orders.pop_front();
        }
        if u.frame.valid.val() && u.frame.ready.val() {
            self.frames.pop_front();
        }
        self.waiting.iter_mut().for_each(|(_, delay)| *delay = delay.saturating_sub(1));
        if verdict && u.verdict.ready.val() {
            self.waiting.pop_front();
        }
        if u.invalidate.valid.val() {
            self.asked = true;
            let order = u.invalidate.data.val();
            assert_eq!((order.pd, order.qp), (bits(5), bits(1)));
            self.out.push(Out::Invalidate(order.key.to_u64()));
        }
        if u.cqe.valid.val() {
            let c = u.cqe.data.val();
            assert_eq!((c.cqn, c.qpn), (bits(9), bits(QPN)));
            assert!(u.completed.val() && u.completed_index.val() == 1);
            let [opcode, status, syndrome, flags] = [c.opcode, c.status, c.syndrome, c.flags].map(|b| b.to_u64());
            let (slot, bytes, imm) = (c.slot.to_u64(), c.byte_len.to_u64(), c.imm.to_u64());
            self.out.push(Out::Cqe(opcode, status, syndrome, slot, bytes, imm, flags));
        }
        if u.push.valid.val() {
            let o = u.push.data.val();
            self.orders.push_back(o.duplicate);
            let [psn, packets, msn] = [o.psn, o.packets, o.msn].map(|b| b.to_u64());
            self.out.push(Out::Push(o.kind.to_u64(), o.duplicate, psn, packets, msn));
        }
        if u.failed.valid.val() {
            let f = u.failed.data.val();
            self.out.push(Out::Failed(f.syndrome.to_u64(), f.event.to_u64()));
        }
        if u.notice.valid.val() {
            let n = u.notice.data.val();
            self.out.push(Out::Event(n.kind.to_u64(), n.number.to_u64()));
        }
        for drop in [&u.drop_dispatch, &u.drop_judge, &u.drop_commit] {
            if drop.valid.val() {
                self.out.push(Out::Drop(drop.data.val().to_u64()));
            }
        }
        self.dead |= u.kill.val();
        if u.job.valid.val() {
            let (job, span) = (u.job.data.val(), u.span.val());
            self.place(job, span);
        }
    }

    /// The placer: one burst for each job with payload.
    fn place(&mut self, job: PlaceJob, span: Span) {
        let number = self.jobs.len();
        self.jobs.push((job, span));
        let found = self.verdicts.iter().find(|(n, _)| *n == number).map_or(0, |(_, syndrome)| *syndrome);
        let works = job.checks_range || span.bytes.any();
        let syndrome = if works && !self.dead { found } else { 0 };
        let verdict = PlaceVerdict {
            qp: job.qp,
            dead: self.dead,
            syndrome: bits(syndrome),
            generation: bits(77),
            writes: bits({
                if span.bytes.any() && syndrome == 0 && !self.dead {
                    self.issued += 1;
                    self.out.push(Out::Place(span.bytes.to_u64(), span.address0.to_u64()));
                }
                self.issued & 0xFFFF
            }),
            tag: job.tag,
            ..Default::default()
        };
        self.dead |= syndrome != 0 && !(job.checks_range && !job.keeps_generation);
        self.waiting.push_back((verdict, 3));
    }

    /// The receive queue answers one cycle after it was asked.
    fn receive_queue(&mut self, asked: bool, taken: bool) {
        if taken {
            self.receives.pop_front();
        }
        let head = self.receives.front().filter(|_| asked);
        self.uut.rq_ready.next = head.is_some() && !self.pending && !self.fetch_fails;
        self.uut.rq_pending.next = head.is_some() && self.pending;
        self.uut.rq_failed.next = head.is_some() && self.fetch_fails;
        let (slot, lengths) = head.copied().unwrap_or_default();
        self.uut.rq_slot.next = bits(slot);
        let mut wqe = num_bigint::BigUint::default();
        for (i, length) in lengths.iter().enumerate() {
            let sge =
                num_bigint::BigUint::from(0x10_0000u64 * (i as u64 + 1)) | (num_bigint::BigUint::from(*length) << 64);
            wqe |= sge << (128 * i);
        }
        self.uut.rq_wqe.next = wqe.into();
    }
}
