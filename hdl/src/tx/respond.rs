//! Response engine (rules T60 to T64): READ responses, atomics, and the acknowledgements that are owed, one frame a turn.
//!
//! ```text
//! push ─► ring ─► ready queue ─► turn ─► step ─► judge ─► gather (with payload), control (headers), atomic
//!              owed_wake ─┘  ▲                    │
//!                            └──── again ─────────┘   failures ─► turn: NAK (T64) or a dropped duplicate (C23)
//! ```
//!
//! A frame in 6 cycles, in 8 when one queue pair is alone. Frames are counted from here to the wire, so that T61 holds over the
//! two ways that frames take, and so that `qp` can wait for the end of a reset (T6).
use super::{
    AtomicJob, GatherFailure, RespondContext, ResponseEntry, ResponseFlight, ResponseJudge, ResponseProgress,
    ResponseReply, ResponseRing, ResponseStep, ResponseTurn,
};
use crate::sq::{ClearOrder, ReadyQueue};
use crate::types::{OwedAnswer, QpControl, QpFailure, ResponseOrder};
use crate::widgets::{ChannelSink, ChannelSource, FlagVector, Memory, Slot, Table};
use crate::wire::{Span, TxFrame};
use rust_hdl::prelude::*;

/// Engine of QPS = 2^QA queue pairs; RA = QA + 5.
#[derive(LogicBlock)]
pub struct ResponseEngine<const QA: usize, const RA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Tables are being cleared (reset is on).
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, RespondContext>,
    /// Orders of `qp`: `mute` and `discard` let the queue pair answer nothing more (T73, T6), `clear` forgets all of it. A NAK that
    /// brings ERR has been sent by then, and what was owed before it (T62).
    pub control: Signal<In, QpControl>,
    /// READs and atomics of the commit queue; never full.
    pub push: ChannelSink<ResponseOrder>,
    /// An entry has left the ring: its last frame is under way, or it was dropped,
    pub served: Signal<Out, Bit>,
    /// of this queue pair.
    pub served_index: Signal<Out, Bits<8>>,
    /// It was a duplicate.
    pub served_duplicate: Signal<Out, Bit>,
    /// Something is owed,
    pub owed_wake: Signal<In, Bit>,
    /// by this queue pair.
    pub owed_wake_index: Signal<In, Bits<8>>,
    /// Queue pair that is asked about.
    pub owed_index: Signal<Out, Bits<8>>,
    /// What it owes, one cycle later.
    pub owed: Signal<In, OwedAnswer>,
    /// What `owed` shows in this cycle is sent.
    pub owed_taken: Signal<Out, Bit>,
    /// Frames of headers.
    pub control_frame: ChannelSource<TxFrame>,
    /// Frames with payload, for the gather,
    pub gather: ChannelSource<TxFrame>,
    /// and where their payload lies (same handshake).
    pub gather_span: Signal<Out, Span>,
    /// Frames of which the payload could not be read.
    pub failure: ChannelSink<GatherFailure>,
    /// Tags of frames whose last beat has gone to the wire; those of other engines are passed over.
    pub sent: ChannelSink<Bits<32>>,
    /// Atomics to carry out.
    pub atomic: ChannelSource<AtomicJob>,
    /// Their answers.
    pub atomic_answer: ChannelSink<TxFrame>,
    /// Those that failed.
    pub atomic_failure: ChannelSink<GatherFailure>,
    /// Duplicates whose result is no longer kept: dropped (T54).
    pub atomic_gone: ChannelSink<Bits<8>>,
    /// Queue pairs that must go to ERR; their NAK is on its way.
    pub failed: ChannelSource<QpFailure>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// Queue pair to tell about.
    pub status_index: Signal<In, Bits<8>>,
    /// One of its frames is on its way; at most 8 cycles old.
    pub status_busy: Signal<Out, Bit>,
    turn: ResponseTurn,
    ring: ResponseRing<QA, RA>,
    ready: ReadyQueue<QA, QPS>,
    step: ResponseStep,
    judge: ResponseJudge,
    reply: ResponseReply,
    clear: ClearOrder<QA>,
    contexts: Table<RespondContext, QA, 1>,
    rows: Memory<ResponseProgress, QA>,
    flight: ResponseFlight<QA>,
    dead: FlagVector<QPS, QA>,
    control_stage: Slot<TxFrame>,
    gather_stage: Slot<TxFrame>,
    span_stage: Slot<Span>,
    report_stage: Slot<QpFailure>,
    qp: DFF<Bits<QA>>,
    lost: DFF<GatherFailure>,
    progress: DFF<ResponseProgress>,
    route: DFF<RespondContext>,
    tail: DFF<Bits<6>>,
    quiet: DFF<Bit>,
    is_dead: DFF<Bit>,
    some: DFF<Bit>,
    entry: DFF<ResponseEntry>,
    orders: Signal<Local, QpControl>,
    ordered: Signal<Local, Bits<8>>,
    woken: Signal<Local, Bits<8>>,
    written: Signal<Local, Bits<8>>,
    chosen: Signal<Local, Bits<QA>>,
    failure_next: Signal<Local, GatherFailure>,
    failure_qp: Signal<Local, Bits<8>>,
    failure_tag: Signal<Local, Bits<32>>,
    takes: Signal<Local, Bit>,
    row: Signal<Local, ResponseProgress>,
    now: Signal<Local, ResponseProgress>,
    first: Signal<Local, ResponseEntry>,
    known: Signal<Local, RespondContext>,
    wide_qp: Signal<Local, Bits<8>>,
    acts: Signal<Local, Bit>,
    sends_control: Signal<Local, Bit>,
    sends_data: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
}

impl<const QA: usize, const RA: usize, const QPS: usize> Default for ResponseEngine<QA, RA, QPS> {
    fn default() -> Self {
        assert_eq!(QPS, 1 << QA, "{QPS} queue pairs numbered with {QA} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            context_row: Default::default(),
            control: Default::default(),
            push: Default::default(),
            served: Default::default(),
            served_index: Default::default(),
            served_duplicate: Default::default(),
            owed_wake: Default::default(),
            owed_wake_index: Default::default(),
            owed_index: Default::default(),
            owed: Default::default(),
            owed_taken: Default::default(),
            control_frame: Default::default(),
            gather: Default::default(),
            gather_span: Default::default(),
            failure: Default::default(),
            sent: Default::default(),
            atomic: Default::default(),
            atomic_answer: Default::default(),
            atomic_failure: Default::default(),
            atomic_gone: Default::default(),
            failed: Default::default(),
            drop: Default::default(),
            status_index: Default::default(),
            status_busy: Default::default(),
            turn: Default::default(),
            ring: Default::default(),
            ready: Default::default(),
            step: Default::default(),
            judge: Default::default(),
            reply: Default::default(),
            clear: Default::default(),
            contexts: Default::default(),
            rows: Default::default(),
            flight: Default::default(),
            dead: Default::default(),
            control_stage: Default::default(),
            gather_stage: Default::default(),
            span_stage: Default::default(),
            report_stage: Default::default(),
            qp: Default::default(),
            lost: Default::default(),
            progress: Default::default(),
            route: Default::default(),
            tail: Default::default(),
            quiet: Default::default(),
            is_dead: Default::default(),
            some: Default::default(),
            entry: Default::default(),
            orders: Default::default(),
            ordered: Default::default(),
            woken: Default::default(),
            written: Default::default(),
            chosen: Default::default(),
            failure_next: Default::default(),
            failure_qp: Default::default(),
            failure_tag: Default::default(),
            takes: Default::default(),
            row: Default::default(),
            now: Default::default(),
            first: Default::default(),
            known: Default::default(),
            wide_qp: Default::default(),
            acts: Default::default(),
            sends_control: Default::default(),
            sends_data: Default::default(),
            starts: Default::default(),
        }
    }
}

impl<const QA: usize, const RA: usize, const QPS: usize> Logic for ResponseEngine<QA, RA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, qp, lost, progress, route, tail, quiet, is_dead, some, entry);
        clock!(self, clock, turn, ring, ready, step, clear, contexts, rows, flight, dead);
        clock!(self, clock, control_stage, gather_stage, span_stage, report_stage);
        self.turn.reset.next = self.reset.val();
        self.ring.reset.next = self.reset.val();
        self.ready.reset.next = self.reset.val();
        self.clear.reset.next = self.reset.val();
        self.flight.reset.next = self.reset.val();
        self.dead.reset.next = self.reset.val();
        self.control_stage.reset.next = self.reset.val();
        self.gather_stage.reset.next = self.reset.val();
        self.span_stage.reset.next = self.reset.val();
        self.report_stage.reset.next = self.reset.val();

        // Choose: a failure first, of the gather before one of the atomic unit.
        self.failure_next.next = self.atomic_failure.data.val();
        if self.failure.valid.val() {
            self.failure_next.next = self.failure.data.val();
        }
        self.failure_qp.next = self.failure_next.val().qp;
        self.turn.failure.next = self.failure.valid.val() | self.atomic_failure.valid.val();
        self.failure.ready.next = self.turn.takes_failure.val();
        self.atomic_failure.ready.next = self.turn.takes_failure.val() & !self.failure.valid.val();
        self.turn.room.next = self.control_stage.sink.ready.val() & !self.atomic_answer.valid.val();
        self.turn.ready.next = self.ready.source.valid.val();
        self.ready.source.ready.next = self.turn.takes_ready.val();
        self.chosen.next = self.ready.source.data.val();
        if self.turn.takes_failure.val() {
            self.chosen.next = bit_cast::<QA, 8>(self.failure_qp.val());
            self.lost.d.next = self.failure_next.val();
        }
        self.takes.next = self.turn.takes_failure.val() | self.turn.takes_ready.val();
        if self.takes.val() {
            self.qp.d.next = self.chosen.val();
        }
        self.wide_qp.next = bit_cast::<8, QA>(self.qp.q.val());

        // Look: the records arrive.
        self.orders.next = self.control.val();
        self.ordered.next = self.orders.val().index;
        self.ring.control.next = self.control.val();
        ChannelSink::<ResponseOrder>::link(&mut self.push, &mut self.ring.push);
        self.ring.index.next = self.chosen.val();
        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.contexts.write.next = self.context_write.val();
        self.written.next = self.context_index.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.written.val());
        self.contexts.data.next = self.context_row.val();
        self.contexts.index[0].next = self.chosen.val();
        self.rows.read.next = true;
        self.rows.read_address.next = self.chosen.val();
        self.row.next = self.rows.out.val();
        self.dead.set_flag.next = self.orders.val().discard | self.orders.val().mute;
        self.dead.set_index.next = bit_cast::<QA, 8>(self.ordered.val());
        self.dead.clear_flag.next = self.orders.val().clear;
        self.dead.clear_index.next = bit_cast::<QA, 8>(self.ordered.val());
        self.dead.index.next = self.qp.q.val();
        if self.turn.looks.val() {
            self.progress.d.next = self.row.val();
            self.route.d.next = self.contexts.out[0].val();
            self.tail.d.next = self.ring.tail.val();
            self.quiet.d.next = !self.flight.in_flight.val();
            self.is_dead.d.next = self.dead.flag.val();
        }
        self.failure_tag.next = self.lost.q.val().tag;
        self.ring.entry_index.next = self.qp.q.val();
        self.ring.entry_count.next = self.row.val().head;
        if self.turn.failing.val() {
            self.ring.entry_count.next = self.failure_tag.val().get_bits::<6>(8);
        }

        // Fetch: the entry arrives. Measure, decide.
        self.now.next = self.progress.q.val();
        self.first.next = self.entry.q.val();
        self.known.next = self.route.q.val();
        if self.turn.fetches.val() {
            self.entry.d.next = self.ring.entry.val();
            self.some.d.next = self.now.val().head != self.tail.q.val();
        }
        self.step.qp.next = self.wide_qp.val();
        self.step.entry.next = self.entry.q.val();
        self.step.progress.next = self.progress.q.val();
        self.step.context_row.next = self.route.q.val();
        self.owed_index.next = self.wide_qp.val();

        // Act.
        self.acts.next = self.turn.acts.val();
        self.judge.failing.next = self.turn.failing.val();
        self.judge.dead.next = self.is_dead.q.val();
        self.judge.some.next = self.some.q.val();
        self.judge.quiet.next = self.quiet.q.val();
        self.judge.progress.next = self.progress.q.val();
        self.judge.entry.next = self.entry.q.val();
        self.judge.empty.next = self.step.empty.val();
        self.judge.owes.next = self.owed.val().present;
        self.judge.gather_room.next = self.gather_stage.sink.ready.val();
        self.judge.atomic_room.next = self.atomic.ready.val();
        self.judge.report_room.next = self.report_stage.sink.ready.val();
        self.judge.failed_head.next = self.failure_tag.val().get_bits::<6>(8);
        self.judge.failed_duplicate.next = self.failure_tag.val().get_bit(14);
        self.turn.again.next = self.judge.again.val();
        self.reply.qp.next = self.wide_qp.val();
        self.reply.progress.next = self.progress.q.val();
        self.reply.entry.next = self.entry.q.val();
        self.reply.failure.next = self.lost.q.val();
        self.reply.owed.next = self.owed.val();
        self.reply.packet.next = self.step.frame.val();
        self.reply.last.next = self.step.last.val();
        self.reply.offset.next = self.step.offset.val();
        self.reply.sent.next = self.step.sent.val();
        self.reply.sends_nak.next = self.judge.sends_nak.val();
        self.reply.sends_data.next = self.judge.sends_data.val();
        self.reply.sends_empty.next = self.judge.sends_empty.val();
        self.reply.sends_owed.next = self.judge.sends_owed.val();
        self.reply.starts_atomic.next = self.judge.starts_atomic.val();
        self.reply.fails.next = self.judge.fails.val();
        self.reply.skips.next = self.judge.skips.val();
        self.sends_control.next =
            self.acts.val() & (self.judge.sends_nak.val() | self.judge.sends_empty.val() | self.judge.sends_owed.val());
        self.sends_data.next = self.acts.val() & self.judge.sends_data.val();
        self.starts.next = self.acts.val() & self.judge.starts_atomic.val();
        self.owed_taken.next = self.acts.val() & self.judge.sends_owed.val();
        self.served.next = self.acts.val() & self.reply.leaves.val();
        self.served_index.next = self.wide_qp.val();
        self.served_duplicate.next = self.first.val().duplicate;
        self.report_stage.sink.data.next = self.reply.report.val();
        self.report_stage.sink.valid.next = self.acts.val() & self.judge.sends_nak.val();
        ChannelSource::<QpFailure>::link(&mut self.failed, &mut self.report_stage.source);

        // Frames. The atomic unit's go between the turns.
        self.atomic_answer.ready.next = self.turn.choosing.val() & self.control_stage.sink.ready.val();
        self.control_stage.sink.data.next = self.reply.frame.val();
        self.control_stage.sink.valid.next = self.sends_control.val();
        if self.turn.choosing.val() {
            self.control_stage.sink.data.next = self.atomic_answer.data.val();
            self.control_stage.sink.valid.next = self.atomic_answer.valid.val();
        }
        ChannelSource::<TxFrame>::link(&mut self.control_frame, &mut self.control_stage.source);
        self.gather_stage.sink.data.next = self.step.frame.val();
        self.gather_stage.sink.valid.next = self.sends_data.val();
        ChannelSource::<TxFrame>::link(&mut self.gather, &mut self.gather_stage.source);
        self.span_stage.sink.data.next = self.step.span.val();
        self.span_stage.sink.valid.next = self.sends_data.val();
        self.span_stage.source.ready.next = self.gather.ready.val();
        self.gather_span.next = self.span_stage.source.data.val();
        self.atomic.valid.next = self.starts.val();
        self.atomic.data.next.qp = self.wide_qp.val();
        self.atomic.data.next.adds = self.first.val().kind == 2;
        self.atomic.data.next.duplicate = self.first.val().duplicate;
        self.atomic.data.next.psn = self.first.val().psn;
        self.atomic.data.next.msn = self.first.val().msn;
        self.atomic.data.next.va = self.first.val().va;
        self.atomic.data.next.rkey = self.first.val().rkey;
        self.atomic.data.next.generation = self.first.val().generation;
        self.atomic.data.next.swap = self.first.val().swap;
        self.atomic.data.next.compare = self.first.val().compare;
        self.atomic.data.next.pd = self.known.val().pd;
        self.atomic.data.next.slot = self.now.val().head;

        // Progress and counts.
        self.clear.control.next = self.control.val();
        self.clear.busy.next = self.acts.val();
        self.rows.write.next = self.acts.val() & self.reply.writes.val();
        self.rows.write_address.next = self.qp.q.val();
        self.rows.data.next = self.reply.after.val();
        if self.clear.clears.val() {
            self.rows.write.next = true;
            self.rows.write_address.next = self.clear.index.val();
            self.rows.data.next = bits::<122>(0).into();
        }
        self.flight.clearing.next = self.clearing.val();
        self.flight.clear_index.next = self.clear_index.val();
        self.flight.issue.next = self.sends_control.val() | self.sends_data.val() | self.starts.val();
        self.flight.fail.next = self.acts.val() & self.turn.failing.val();
        self.flight.skip.next = self.acts.val() & self.judge.skips.val();
        self.flight.index.next = self.qp.q.val();
        self.flight.read.next = self.takes.val();
        self.flight.read_index.next = self.chosen.val();
        self.flight.status_index.next = self.status_index.val();
        self.status_busy.next = self.flight.status_busy.val();
        ChannelSink::<Bits<32>>::link(&mut self.sent, &mut self.flight.sent);
        ChannelSink::<Bits<8>>::link(&mut self.atomic_gone, &mut self.flight.gone);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.flight.drop);

        // Ready queue.
        self.woken.next = self.owed_wake_index.val();
        self.ready.wake.next = self.owed_wake.val();
        self.ready.wake_index.next = bit_cast::<QA, 8>(self.woken.val());
        self.turn.taken_back.next = self.ready.push.ready.val();
        self.ring.entered.ready.next = self.ready.push.ready.val() & !self.turn.enters.val();
        self.ready.push.valid.next = self.turn.enters.val() | self.ring.entered.valid.val();
        self.ready.push.data.next = self.ring.entered.data.val();
        if self.turn.enters.val() {
            self.ready.push.data.next = self.qp.q.val();
        }
    }
}
