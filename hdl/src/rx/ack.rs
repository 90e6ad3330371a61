//! The engine of acknowledgements (AK): takes response frames and timer events, owns record QA of every queue pair, restarts,
//! fails, and hands the data of READs and atomics to the placer (T26 to T41, T81 to T84).
//!
//! One task at a time, eight cycles each: take, read the rows, read the oldest open READ, compare (three cycles), decide,
//! apply. Every frame becomes exactly one job, in order; a task is finished when its job is taken, and the new state is
//! written in that cycle, so `una` has moved before the data are placed (T39). It waits for nothing but the placer, and a READ that
//! takes its sink away for room behind earlier ones (C20), which a drain always gives: events
//! of the timers and failures of sinks are only taken.
use super::ack_apply::AckApply;
use super::ack_decide::AckDecide;
use super::ack_intake::AckIntake;
use super::ack_job::AckJob;
use super::ack_place::AckPlace;
use super::ack_records::*;
use super::ack_tables::AckTables;
use super::reads::OpenReads;
use super::reads_done::ReadsDone;
use crate::types::InvalidateOrder;
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::{PlaceJob, PlaceVerdict, RxFrame, Span};
use rust_hdl::prelude::*;

/// Engine for QPS = 2^QA queue pairs; RA = QA + 4, FA = QA + 1; 2^VA verdicts of the placer wait in it.
#[derive(LogicBlock, Default)]
pub struct AckEngine<const QA: usize, const QPS: usize, const RA: usize, const FA: usize, const VA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is in hand.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Queue pairs whose frames and events no longer count (`sdead`, T6).
    pub dead: Signal<In, Bits<QPS>>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, RequesterContext>,
    /// The send queue publishes a row.
    pub public_write: Signal<In, Bit>,
    /// Its queue pair.
    pub public_index: Signal<In, Bits<8>>,
    /// The row.
    pub public_row: Signal<In, SendPublic>,
    /// The send queue opens a READ or atomic.
    pub open_write: Signal<In, Bit>,
    /// Its queue pair.
    pub open_index: Signal<In, Bits<8>>,
    /// Its place in the ring: the low bits of `rd_tail`.
    pub open_slot: Signal<In, Bits<4>>,
    /// Its head.
    pub open_head: Signal<In, OpenRead>,
    /// Its SGEs.
    pub open_sink: Signal<In, ReadSink>,
    /// Orders of `qp`; taken when nothing of the queue pair is in flight.
    pub order: ChannelSink<AckOrder>,
    /// Response frames that passed the dispatcher.
    pub frame: ChannelSink<RxFrame>,
    /// Timer events.
    pub event_in: ChannelSink<TimerEvent>,
    /// One job for every frame.
    pub job: ChannelSource<PlaceJob>,
    /// Span of the job offered.
    pub span: Signal<Out, Span>,
    /// Verdicts on the jobs.
    pub verdict: ChannelSink<PlaceVerdict>,
    /// A write of response data has been answered.
    pub landed: Signal<In, Bit>,
    /// With an error.
    pub landed_failed: Signal<In, Bit>,
    /// Sinks to invalidate (C20).
    pub invalidate: ChannelSource<InvalidateOrder>,
    /// The answers: 0, or the syndrome.
    pub invalidated: ChannelSink<Bits<8>>,
    /// A state is written.
    pub state_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub state_index: Signal<Out, Bits<8>>,
    /// The state.
    pub state_row: Signal<Out, AckState>,
    /// A count of stored READs and atomics is written.
    pub done_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub done_index: Signal<Out, Bits<8>>,
    /// READs and atomics whose data are in memory, modulo 2^18 (`rd_done`).
    pub done_count: Signal<Out, Bits<18>>,
    /// The job of `finished_index` is no longer in flight: its verdict and the answers of all its writes are here.
    pub finished: Signal<Out, Bit>,
    /// Queue pair.
    pub finished_index: Signal<Out, Bits<8>>,
    /// A frame was ignored (drop reason RESPONSE_STRAY).
    pub stray: Signal<Out, Bit>,
    intake: AckIntake<QA>,
    tables: AckTables<QA>,
    reads: OpenReads<QA, RA>,
    places: AckPlace,
    decide: AckDecide,
    apply: AckApply,
    jobs: AckJob,
    done: ReadsDone<QA, FA, VA>,
    phase: DFF<Bits<3>>,
    work: DFF<AckTask>,
    kind: DFF<AnswerKind>,
    state: DFF<AckState>,
    published: DFF<SendPublic>,
    attributes: DFF<RequesterContext>,
    gone: DFF<Bit>,
    oldest: DFF<OpenRead>,
    step: DFF<AckStep>,
    told: DFF<AckState>,
    tells: DFF<Bit>,
    tells_of: DFF<Bits<8>>,
    idle: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    offered: Signal<Local, AckTask>,
    current: Signal<Local, AckTask>,
    of: Signal<Local, RequesterContext>,
    now: Signal<Local, AckState>,
    head: Signal<Local, Bits<5>>,
    which: Signal<Local, AnswerKind>,
    does: Signal<Local, AckStep>,
    first: Signal<Local, OpenRead>,
    low: Signal<Local, Bits<QA>>,
    sinks: Signal<Local, ReadSink>,
    takes_sink: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    result: Signal<Local, AckState>,
}

impl<const QA: usize, const QPS: usize, const RA: usize, const FA: usize, const VA: usize> Logic
    for AckEngine<QA, QPS, RA, FA, VA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, phase, work, kind, state, published, attributes, gone, oldest, step, told, tells, tells_of
        );
        clock!(self, clock, intake, tables, reads, places, done);
        ChannelSink::<AckOrder>::link(&mut self.order, &mut self.intake.order);
        ChannelSink::<RxFrame>::link(&mut self.frame, &mut self.intake.frame);
        ChannelSink::<TimerEvent>::link(&mut self.event_in, &mut self.intake.event_in);
        ChannelSource::<SinkFailure>::join(&mut self.done.failure, &mut self.intake.failure);
        ChannelSink::<PlaceVerdict>::link(&mut self.verdict, &mut self.done.verdict);
        self.intake.reset.next = self.reset.val();
        self.done.reset.next = self.reset.val();
        self.tables.clearing.next = self.clearing.val();
        self.tables.clear_index.next = self.clear_index.val();
        self.done.clearing.next = self.clearing.val();
        self.done.clear_index.next = self.clear_index.val();
        self.tables.context_write.next = self.context_write.val();
        self.tables.context_index.next = self.context_index.val();
        self.tables.context_row.next = self.context_row.val();
        self.tables.public_write.next = self.public_write.val();
        self.tables.public_index.next = self.public_index.val();
        self.tables.public_row.next = self.public_row.val();
        self.reads.write.next = self.open_write.val();
        self.reads.write_index.next = self.open_index.val();
        self.reads.write_slot.next = self.open_slot.val();
        self.reads.write_head.next = self.open_head.val();
        self.reads.write_sink.next = self.open_sink.val();
        ChannelSource::<InvalidateOrder>::link(&mut self.invalidate, &mut self.done.invalidate);
        ChannelSink::<Bits<8>>::link(&mut self.invalidated, &mut self.done.invalidated);
        self.done.landed.next = self.landed.val();
        self.done.landed_failed.next = self.landed_failed.val();
        self.done_write.next = self.done.done_write.val();
        self.done_index.next = self.done.done_index.val();
        self.done_count.next = self.done.done_count.val();
        self.finished.next = self.done.finished.val();
        self.finished_index.next = self.done.finished_index.val();

        // Phase 0: take a task and read its rows.
        self.current.next = self.work.q.val();
        self.idle.next = self.phase.q.val() == 0;
        self.intake.free.next = self.idle.val();
        self.offered.next = self.intake.work.val();
        self.tables.index.next = self.offered.val().qp;
        if self.idle.val() {
            self.work.d.next = self.offered.val();
            self.kind.d.next = self.intake.kind.val();
            if self.intake.some.val() {
                self.phase.d.next = 1.into();
            }
        }
        // Phase 1: the rows.
        self.low.next = bit_cast::<QA, 8>(self.current.val().qp);
        if self.phase.q.val() == 1 {
            self.state.d.next = self.tables.state.val();
            self.published.d.next = self.tables.published.val();
            self.attributes.d.next = self.tables.attributes.val();
            self.gone.d.next = self.dead.val().get_bit(self.low.val().index());
        }
        // Phases 2 and 3: the oldest open READ or atomic; its SGEs stay at the end of the memory.
        self.now.next = self.state.q.val();
        self.head.next = self.now.val().rd_head;
        self.reads.read.next = self.phase.q.val() == 2;
        self.reads.index.next = self.current.val().qp;
        self.reads.slot.next = self.head.val().get_bits::<4>(0);
        if self.phase.q.val() == 3 {
            self.oldest.d.next = self.reads.head.val();
        }
        // Phases 2 to 5: compare.
        self.of.next = self.attributes.q.val();
        self.places.psn.next = self.current.val().psn;
        self.places.payload.next = self.current.val().payload;
        self.places.epoch.next = self.current.val().epoch;
        self.places.state.next = self.now.val();
        self.places.published.next = self.published.q.val();
        self.places.mtu.next = self.of.val().mtu;
        self.places.read.next = self.oldest.q.val();
        // Phase 6: decide.
        self.which.next = self.kind.q.val();
        self.decide.work.next = self.current.val();
        self.decide.kind.next = self.which.val();
        self.decide.place.next = self.places.place.val();
        self.decide.waits.next = self.now.val().rnr_wait;
        self.decide.dead.next = self.gone.q.val();
        if self.phase.q.val() == 6 {
            self.step.d.next = self.decide.step.val();
        }
        // Phase 7: apply.
        self.does.next = self.step.q.val();
        self.first.next = self.oldest.q.val();
        self.apply.step.next = self.does.val();
        self.apply.state.next = self.now.val();
        self.apply.attributes.next = self.of.val();
        self.apply.psn.next = self.current.val().psn;
        self.apply.psn_next.next = self.places.psn_next.val();
        self.apply.first.next = self.first.val().first;
        self.apply.code.next = self.which.val().code;
        self.result.next = self.apply.result.val();
        if self.current.val().start | self.current.val().clear {
            self.result.next = bits::<84>(0).into();
        }
        if self.current.val().start {
            self.result.next.una = self.current.val().psn;
            self.result.next.retry_left = self.of.val().retry;
            self.result.next.rnr_left = self.of.val().rnr;
        }
        self.jobs.work.next = self.current.val();
        self.jobs.kind.next = self.which.val();
        self.jobs.step.next = self.does.val();
        self.jobs.attributes.next = self.of.val();
        self.jobs.sink.next = self.reads.sink.val();
        self.jobs.invalidates.next = self.first.val().invalidates;
        self.jobs.skip.next = self.places.skip.val();
        self.job.data.next = self.jobs.job.val();
        self.span.next = self.jobs.span.val();
        self.last.next = self.phase.q.val() == 7;
        // The order to invalidate the sink goes ahead, for the verdict on the job (C20).
        self.sinks.next = self.reads.sink.val();
        self.takes_sink.next = self.does.val().ends & self.first.val().invalidates;
        self.room.next = self.done.sink.ready.val() | !self.takes_sink.val();
        self.done.sink.data.next.key = self.sinks.val().key0;
        self.done.sink.data.next.pd = self.of.val().pd;
        self.done.sink.data.next.qp = self.current.val().qp;
        self.done.sink.data.next.remote = false;
        self.done.sink.valid.next =
            self.last.val() & self.current.val().frame & self.takes_sink.val() & self.job.ready.val();
        self.job.valid.next = self.last.val() & self.current.val().frame & self.room.val();
        self.finishes.next = self.last.val() & ((self.job.ready.val() & self.room.val()) | !self.current.val().frame);
        if !self.idle.val() & (!self.last.val() | self.finishes.val()) {
            self.phase.d.next = self.phase.q.val() + 1;
        }
        self.stray.next = self.finishes.val() & self.does.val().stray;
        self.done.restart.next = self.finishes.val() & (self.current.val().start | self.current.val().clear);
        self.done.restart_index.next = self.current.val().qp;
        self.tables.state_write.next = self.finishes.val();
        self.tables.state_index.next = self.current.val().qp;
        self.tables.state_row.next = self.result.val();
        self.told.d.next = self.result.val();
        self.tells.d.next = self.finishes.val();
        self.tells_of.d.next = self.current.val().qp;
        self.state_write.next = self.tells.q.val();
        self.state_index.next = self.tells_of.q.val();
        self.state_row.next = self.told.q.val();
        if self.reset.val() {
            self.phase.d.next = 0.into();
            self.tells.d.next = false;
        }
    }
}
