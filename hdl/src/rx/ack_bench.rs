//! Bench of the engine of acknowledgements: plays send queue, dispatcher, placer and timers.
use super::*;
use crate::types::InvalidateOrder;
use crate::wire::{PlaceJob, PlaceVerdict, RxFrame, Span};
use rnic_abi::bth;
use rust_hdl::prelude::*;

/// The engine of the tests: four queue pairs.
pub type Engine = AckEngine<2, 4, 6, 3, 3>;

/// Kinds of open reads.
pub const READ: u64 = 0;
/// Atomic.
pub const ATOMIC: u64 = 2;

/// A job with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub job: PlaceJob,
    pub span: Span,
}

impl Job {
    pub fn tag(&self) -> ReadTag {
        self.job.tag.into()
    }
}

/// Engine with what it has told.
pub struct Bench {
    pub uut: Engine,
    pub states: [AckState; 4],
    pub done: [u64; 4],
    pub finished: usize,
    pub strays: usize,
    pub jobs: Vec<Job>,
    pub cycles: usize,
    frame_taken: bool,
    event_taken: bool,
    order_taken: bool,
    verdict_taken: bool,
    answer_taken: bool,
    public: [SendPublic; 4],
    /// READs opened from now on take their sinks away (C20).
    pub takes_sink: bool,
    sinks: Vec<InvalidateOrder>,
}

/// Fields of a response frame.
pub fn response(qp: u64, opcode: u8, psn: u64, syndrome: u64, payload: u64) -> RxFrame {
    RxFrame {
        qpn: bits(0x5F0 + qp),
        opcode: bits(opcode.into()),
        psn: bits(psn),
        syndrome: bits(syndrome),
        payload: bits(payload),
        first_row: bits(psn & 0xFF),
        payload_at: bits(66),
        swap: (0x1122_3344_5566_7700 + psn).into(),
        ..Default::default()
    }
}

impl Bench {
    /// Queue pair 1 in RTS at PSN 500, MTU 1024, retry_cnt 2, rnr_retry 2, as section 10 of the specification has it.
    pub fn new() -> Self {
        let mut uut = Engine::default();
        uut.connect_all();
        let mut bench = Self {
            uut,
            states: Default::default(),
            done: [0; 4],
            finished: 0,
            strays: 0,
            jobs: vec![],
            cycles: 0,
            frame_taken: false,
            event_taken: false,
            order_taken: false,
            verdict_taken: false,
            answer_taken: false,
            public: Default::default(),
            takes_sink: false,
            sinks: vec![],
        };
        bench.uut.job.ready.next = true;
        bench.uut.reset.next = true;
        bench.uut.clearing.next = true;
        for row in 0..4u64 {
            bench.uut.clear_index.next = bits(row);
            bench.cycle();
        }
        bench.uut.reset.next = false;
        bench.uut.clearing.next = false;
        bench.context(1, 3, 2, 2);
        bench.order(1, true, 500);
        bench.publish(1, 500, 0);
        bench
    }

    /// One clock cycle; notes what the engine tells in it.
    pub fn cycle(&mut self) {
        let uut = &mut self.uut;
        uut.clock.next = Clock { clk: false };
        assert!(simulate(uut, 100), "combinational loop");
        self.frame_taken = uut.frame.valid.val() && uut.frame.ready.val();
        self.event_taken = uut.event_in.valid.val() && uut.event_in.ready.val();
        self.order_taken = uut.order.valid.val() && uut.order.ready.val();
        self.verdict_taken = uut.verdict.valid.val() && uut.verdict.ready.val();
        if uut.job.valid.val() && uut.job.ready.val() {
            self.jobs.push(Job { job: uut.job.data.val(), span: uut.span.val() });
        }
        if uut.state_write.val() {
            self.states[uut.state_index.val().index()] = uut.state_row.val();
        }
        if uut.done_write.val() {
            self.done[uut.done_index.val().index()] = uut.done_count.val().to_u64();
        }
        self.finished += usize::from(uut.finished.val());
        self.strays += usize::from(uut.stray.val());
        self.answer_taken = uut.invalidated.valid.val() && uut.invalidated.ready.val();
        if uut.invalidate.valid.val() && uut.invalidate.ready.val() {
            self.sinks.push(uut.invalidate.data.val());
        }
        uut.clock.next = Clock { clk: true };
        assert!(simulate(uut, 100), "combinational loop");
        self.cycles += 1;
        for pulse in [&mut uut.context_write, &mut uut.public_write, &mut uut.open_write, &mut uut.landed] {
            pulse.next = false;
        }
        uut.landed_failed.next = false;
    }

    /// Cycles until `done`, at most 40.
    fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        for _ in 0..40 {
            self.cycle();
            if done(self) {
                return;
            }
        }
        panic!("waited 40 cycles for {what}: {:?}, {} jobs", self.states, self.jobs.len());
    }

    /// Some cycles, in which what is on its way arrives.
    pub fn settle(&mut self) {
        (0..11).for_each(|_| self.cycle());
    }

    pub fn context(&mut self, qp: u64, mtu: u64, retry: u64, rnr: u64) {
        self.uut.context_write.next = true;
        self.uut.context_index.next = bits(qp);
        self.uut.context_row.next = RequesterContext {
            mtu: bits(mtu),
            retry: bits(retry),
            rnr: bits(rnr),
            timeout: bits(10),
            max_rd: bits(16),
            pd: bits(0x77 + qp),
            privileged: qp == 2,
            qpn: bits(0x5F0 + qp),
        };
        self.cycle();
    }

    pub fn order(&mut self, qp: u64, start: bool, psn: u64) {
        self.uut.order.valid.next = true;
        self.uut.order.data.next = AckOrder { qp: bits(qp), start, psn: bits(psn) };
        self.until("order", |b| b.order_taken);
        self.uut.order.valid.next = false;
        self.settle();
    }

    /// The send queue has sent up to `hpsn` and opened `rd_tail` READs in all.
    pub fn publish(&mut self, qp: u64, hpsn: u64, rd_tail: u64) {
        self.public[qp as usize] = SendPublic { hpsn: bits(hpsn), rd_tail: bits(rd_tail % 32), ..Default::default() };
        self.uut.public_write.next = true;
        self.uut.public_index.next = bits(qp);
        self.uut.public_row.next = self.public[qp as usize];
        self.cycle();
    }

    /// The send queue sends a SEND or WRITE of `packets`.
    pub fn send(&mut self, packets: u64) {
        let public = self.public[1];
        self.publish(1, (public.hpsn.to_u64() + packets) & 0xFF_FFFF, public.rd_tail.to_u64());
    }

    /// The send queue sends a READ or atomic of `length` bytes, `offset` in its message, at its PSN, MTU 1024.
    pub fn read(&mut self, kind: u64, offset: u64, length: u64) {
        let public = self.public[1];
        let packets = length.div_ceil(1024).max(1);
        self.open(1, public.rd_tail.to_u64(), public.hpsn.to_u64(), packets, offset, length, kind);
        self.publish(1, (public.hpsn.to_u64() + packets) & 0xFF_FFFF, public.rd_tail.to_u64() + 1);
    }

    #[allow(clippy::too_many_arguments)]
    pub fn open(&mut self, qp: u64, slot: u64, first: u64, packets: u64, offset: u64, length: u64, kind: u64) {
        self.uut.open_write.next = true;
        self.uut.open_index.next = bits(qp);
        self.uut.open_slot.next = bits(slot % 16);
        self.uut.open_head.next = OpenRead {
            first: bits(first),
            packets: bits(packets),
            offset: offset.into(),
            length: length.into(),
            kind: bits(kind),
            wqe: bits(5),
            invalidates: self.takes_sink,
        };
        self.uut.open_sink.next = ReadSink {
            address0: (slot << 32).into(),
            length0: bits(4096),
            key0: bits(0x5500 + slot),
            key1: bits(slot),
            ..Default::default()
        };
        self.cycle();
    }

    /// A response frame comes; returns its job.
    pub fn frame(&mut self, frame: RxFrame) -> Job {
        let before = self.jobs.len();
        self.uut.frame.valid.next = true;
        self.uut.frame.data.next = frame;
        self.until("frame", |b| b.frame_taken);
        self.uut.frame.valid.next = false;
        self.until("job", |b| b.jobs.len() > before);
        self.cycle();
        self.cycle();
        assert_eq!(self.jobs.len(), before + 1, "one job a frame");
        let job = self.jobs[before].clone();
        assert_eq!(
            (job.job.response, job.job.first_row, job.job.qp),
            (true, frame.first_row, bits(frame.qpn.to_u64() & 3))
        );
        job
    }

    /// ACK, NAK or RNR NAK for queue pair 1; must not place anything.
    pub fn ack(&mut self, psn: u64, syndrome: u64) {
        let job = self.frame(response(1, bth::ACKNOWLEDGE, psn, syndrome, 0));
        assert_eq!((job.span.bytes, job.tag().counts), (bits(0), false));
    }

    /// READ response or ATOMIC ACK for queue pair 1.
    pub fn data(&mut self, opcode: u8, psn: u64, payload: u64) -> Job {
        self.frame(response(1, opcode, psn, 0x1F, payload))
    }

    /// A timer event.
    pub fn event(&mut self, event: TimerEvent) {
        self.uut.event_in.valid.next = true;
        self.uut.event_in.data.next = event;
        self.until("event", |b| b.event_taken);
        self.uut.event_in.valid.next = false;
        self.settle();
    }

    /// The acknowledge timer of queue pair 1 runs out now.
    pub fn timeout(&mut self) {
        let state = self.states[1];
        self.event(TimerEvent { qp: bits(1), rnr: false, epoch: state.epoch, una: state.una });
    }

    /// Its RNR timer runs out now.
    pub fn rnr_done(&mut self) {
        let state = self.states[1];
        self.event(TimerEvent { qp: bits(1), rnr: true, epoch: state.epoch, una: state.una });
    }

    /// The placer's verdict on a job.
    pub fn verdict(&mut self, job: &Job, writes: u64, syndrome: u64) {
        self.uut.verdict.valid.next = true;
        self.uut.verdict.data.next = PlaceVerdict {
            qp: job.job.qp,
            response: true,
            syndrome: bits(syndrome),
            writes: bits(writes),
            tag: job.job.tag,
            ..Default::default()
        };
        self.until("verdict", |b| b.verdict_taken);
        self.uut.verdict.valid.next = false;
        self.settle();
    }

    /// Answers of `writes` writes.
    pub fn land(&mut self, writes: usize, failed: bool) {
        for _ in 0..writes {
            self.uut.landed.next = true;
            self.uut.landed_failed.next = failed;
            self.cycle();
        }
        (0..16).for_each(|_| self.cycle());
    }

    /// The unit of invalidations takes the order that waits, and answers it.
    pub fn invalidate(&mut self, syndrome: u64) -> InvalidateOrder {
        let before = self.sinks.len();
        self.uut.invalidate.ready.next = true;
        self.until("invalidation", |b| b.sinks.len() > before);
        self.uut.invalidate.ready.next = false;
        self.settle();
        self.uut.invalidated.valid.next = true;
        self.uut.invalidated.data.next = bits(syndrome);
        self.until("answer", |b| b.answer_taken);
        self.uut.invalidated.valid.next = false;
        self.settle();
        self.sinks[before]
    }

    pub fn una(&self) -> u64 {
        self.states[1].una.to_u64()
    }
    pub fn epoch(&self) -> u64 {
        self.states[1].epoch.to_u64()
    }
    pub fn retry_left(&self) -> u64 {
        self.states[1].retry_left.to_u64()
    }
    /// Failure of queue pair 1: PSN, status, syndrome.
    pub fn failure(&self) -> Option<(u64, u8, u8)> {
        let s = self.states[1];
        s.fail.then(|| (s.fail_psn.to_u64(), s.status.to_u64() as u8, s.syndrome.to_u64() as u8))
    }
}
