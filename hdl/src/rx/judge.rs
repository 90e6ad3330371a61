//! The judge of requests (RXA): decides about one request after another, in the order of section 3, steps 3 to 8.
//!
//! ```text
//!  request ─► take ─► progress, counts, receive WQE ─► facts (3 cycles) ─► ruling ─► job of the placer
//!                            ▲                                                  ├─► commit entry
//!                            └──────────────── progress behind it ◄─────────────┘
//! ```
//! It takes for granted that the placer succeeds (T113): the expected PSN moves on at once. Seven cycles a request, one at a
//! time, so that a request always sees what the one before has left. A receive WQE that is posted but not fetched yet is
//! waited for (T55); nothing else is, but room for job and entry.
use super::judge_entry::JudgeEntry;
use super::judge_facts::JudgeFacts;
use super::judge_job::JudgeJob;
use super::judge_progress::JudgeProgress;
use super::judge_ruling::JudgeRuling;
use super::opcode::OpcodeKind;
use super::records::{CommitEntry, Progress, ReceiveState, Request, Ruling, Served};
use crate::qp::ServedPsns;
use crate::widgets::{ChannelSink, ChannelSource, FlagVector, Stage, Table};
use crate::wire::{PlaceJob, Span};
use rust_hdl::prelude::*;

/// Judge for QPS = 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct Judge<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the request in hand.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Requests.
    pub request: ChannelSink<Request>,
    /// The queue pair enters RTR: expect `order_psn`. Orders are at least 8 cycles apart.
    pub order_start: Signal<In, Bit>,
    /// The queue pair is reset and nothing of it is in flight: forget all.
    pub order_clear: Signal<In, Bit>,
    /// Queue pair of the order.
    pub order_index: Signal<In, Bits<8>>,
    /// PSN of a start.
    pub order_psn: Signal<In, Bits<24>>,
    /// A queue pair has failed behind the judge: take nothing more of it.
    pub kill: Signal<In, Bit>,
    /// Queue pair that has failed.
    pub kill_index: Signal<In, Bits<8>>,
    /// Queue pair whose counts are asked for.
    pub served_row: Signal<Out, Bits<QA>>,
    /// READs and atomics of it that are answered, one cycle later.
    pub served: Signal<In, Served>,
    /// Queue pair whose receive WQE is asked for; held while the request is in hand.
    pub rq_index: Signal<Out, Bits<8>>,
    /// One cycle later: its next receive WQE is there.
    pub rq_ready: Signal<In, Bit>,
    /// It is posted, but not fetched yet.
    pub rq_pending: Signal<In, Bit>,
    /// It could not be fetched.
    pub rq_failed: Signal<In, Bit>,
    /// The WQE: four SGEs of address, length, lkey.
    pub rq_wqe: Signal<In, Bits<512>>,
    /// Its slot.
    pub rq_slot: Signal<In, Bits<16>>,
    /// It is used up; the next one is looked at two cycles later at the earliest.
    pub rq_take: Signal<Out, Bit>,
    /// A record is written,
    pub row_write: Signal<Out, Bit>,
    /// of this queue pair:
    pub row_index: Signal<Out, Bits<8>>,
    /// this of it is told in QUERY_QP.
    pub row_psns: Signal<Out, ServedPsns>,
    /// Jobs of the placer, one for each request.
    pub job: ChannelSource<PlaceJob>,
    /// Span of the job offered.
    pub span: Signal<Out, Span>,
    /// Commit entries, each in the cycle of its job.
    pub entry: ChannelSource<CommitEntry>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    decode: OpcodeKind,
    weigh: JudgeFacts,
    rule: JudgeRuling,
    advance: JudgeProgress,
    place: JudgeJob,
    note: JudgeEntry,
    rows: Table<Progress, QA, 1>,
    killed: FlagVector<QPS, QA>,
    drops: Stage<Bits<8>>,
    held: DFF<Request>,
    busy: DFF<Bit>,
    step: DFF<Bits<3>>,
    row: DFF<Progress>,
    counts: DFF<Served>,
    queue: DFF<ReceiveState>,
    slot: DFF<Bits<16>>,
    lengths: [DFF<Bits<32>>; 4],
    ruling: DFF<Ruling>,
    ordered: DFF<Bit>,
    starts: DFF<Bit>,
    order_row: DFF<Bits<QA>>,
    order_epsn: DFF<Bits<24>>,
    writes: Signal<Local, Bit>,
    written_row: Signal<Local, Bits<QA>>,
    written: Signal<Local, Progress>,
    incoming: Signal<Local, Request>,
    who: Signal<Local, Bits<8>>,
    mine: Signal<Local, Bits<QA>>,
    ruled: Signal<Local, Ruling>,
    fresh: Signal<Local, Ruling>,
    enters: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    empty: Constant<Progress>,
}

impl<const QA: usize, const QPS: usize> Default for Judge<QA, QPS> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            request: Default::default(),
            order_start: Default::default(),
            order_clear: Default::default(),
            order_index: Default::default(),
            order_psn: Default::default(),
            kill: Default::default(),
            kill_index: Default::default(),
            served_row: Default::default(),
            served: Default::default(),
            rq_index: Default::default(),
            rq_ready: Default::default(),
            rq_pending: Default::default(),
            rq_failed: Default::default(),
            rq_wqe: Default::default(),
            rq_slot: Default::default(),
            rq_take: Default::default(),
            row_write: Default::default(),
            row_index: Default::default(),
            row_psns: Default::default(),
            job: Default::default(),
            span: Default::default(),
            entry: Default::default(),
            drop: Default::default(),
            decode: Default::default(),
            weigh: Default::default(),
            rule: Default::default(),
            advance: Default::default(),
            place: Default::default(),
            note: Default::default(),
            rows: Default::default(),
            killed: Default::default(),
            drops: Default::default(),
            held: Default::default(),
            busy: Default::default(),
            step: Default::default(),
            row: Default::default(),
            counts: Default::default(),
            queue: Default::default(),
            slot: Default::default(),
            lengths: Default::default(),
            ruling: Default::default(),
            ordered: Default::default(),
            starts: Default::default(),
            order_row: Default::default(),
            order_epsn: Default::default(),
            writes: Default::default(),
            written_row: Default::default(),
            written: Default::default(),
            incoming: Default::default(),
            who: Default::default(),
            mine: Default::default(),
            ruled: Default::default(),
            fresh: Default::default(),
            enters: Default::default(),
            acts: Default::default(),
            done: Default::default(),
            empty: Constant::new(Default::default()),
        }
    }
}

impl<const QA: usize, const QPS: usize> Logic for Judge<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, busy, step, row, counts, queue, slot, ruling);
        dff_setup!(self, clock, ordered, starts, order_row, order_epsn);
        clock!(self, clock, weigh, advance, rows, killed, drops);
        self.killed.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();

        // Take a request, and ask the tables for its queue pair.
        self.request.ready.next = !self.busy.q.val();
        if self.request.valid.val() & !self.busy.q.val() {
            self.held.d.next = self.request.data.val();
            self.busy.d.next = true;
            self.step.d.next = 0.into();
        }
        self.incoming.next = self.held.q.val();
        if !self.busy.q.val() {
            self.incoming.next = self.request.data.val();
        }
        self.who.next = self.incoming.val().qp;
        self.mine.next = bit_cast::<QA, 8>(self.who.val());
        self.rows.index[0].next = self.mine.val();
        self.served_row.next = self.mine.val();
        self.rq_index.next = self.who.val();

        // Step 0: answers of the tables.
        if self.step.q.val() == 0 {
            self.row.d.next = self.rows.out[0].val();
            self.counts.d.next = self.served.val();
            self.queue.d.next.ready = self.rq_ready.val();
            self.queue.d.next.pending = self.rq_pending.val();
            self.queue.d.next.failed = self.rq_failed.val();
            self.slot.d.next = self.rq_slot.val();
        }
        for i in 0..4 {
            self.lengths[i].clock.next = self.clock.val();
            self.lengths[i].d.next = self.rq_wqe.val().get_bits::<32>(128 * i + 64);
            self.weigh.lengths[i].next = self.lengths[i].q.val();
        }

        // Steps 1 to 3: facts. Step 4: ruling.
        self.decode.opcode.next = self.held.q.val().opcode;
        self.weigh.request.next = self.held.q.val();
        self.weigh.kind.next = self.decode.kind.val();
        self.weigh.progress.next = self.row.q.val();
        self.weigh.served.next = self.counts.q.val();
        self.killed.index.next = self.mine.val();
        self.rule.facts.next = self.weigh.facts.val();
        self.rule.kind.next = self.decode.kind.val();
        self.rule.progress.next = self.row.q.val();
        self.rule.receive.next = self.queue.q.val();
        self.rule.killed.next = self.killed.flag.val();
        self.rule.min_rnr.next = self.held.q.val().min_rnr;
        self.fresh.next = self.rule.ruling.val();
        if self.step.q.val() == 4 {
            self.ruling.d.next = self.fresh.val();
        }
        if self.busy.q.val() & (self.step.q.val() != 5) {
            self.step.d.next = self.step.q.val() + 1;
        }
        if (self.step.q.val() == 4) & self.fresh.val().wait {
            self.step.d.next = 0.into();
        }

        // Step 5: act.
        self.ruled.next = self.ruling.q.val();
        self.enters.next = self.ruled.val().accept
            | self.ruled.val().again
            | self.ruled.val().push
            | self.ruled.val().refuse
            | self.ruled.val().fatal;
        self.advance.request.next = self.held.q.val();
        self.advance.kind.next = self.decode.kind.val();
        self.advance.facts.next = self.weigh.facts.val();
        self.advance.ruling.next = self.ruling.q.val();
        self.advance.progress.next = self.row.q.val();
        self.advance.enters.next = self.enters.val();
        self.place.request.next = self.held.q.val();
        self.place.kind.next = self.decode.kind.val();
        self.place.facts.next = self.weigh.facts.val();
        self.place.ruling.next = self.ruling.q.val();
        self.place.progress.next = self.row.q.val();
        self.place.enters.next = self.enters.val();
        self.place.wqe.next = self.rq_wqe.val();
        self.note.request.next = self.held.q.val();
        self.note.kind.next = self.decode.kind.val();
        self.note.facts.next = self.weigh.facts.val();
        self.note.ruling.next = self.ruling.q.val();
        self.note.progress.next = self.row.q.val();
        self.note.after.next = self.advance.after.val();
        self.note.older_psn.next = self.advance.older_psn.val();
        self.note.slot.next = self.slot.q.val();

        // Room for entry and drop stays until it is used, so that job and entry go together.
        self.acts.next =
            self.busy.q.val() & (self.step.q.val() == 5) & self.entry.ready.val() & self.drops.sink.ready.val();
        self.job.data.next = self.place.job.val();
        self.span.next = self.place.span.val();
        self.job.valid.next = self.acts.val();
        self.done.next = self.acts.val() & self.job.ready.val();
        self.entry.data.next = self.note.entry.val();
        self.entry.valid.next = self.done.val() & self.enters.val();
        self.rq_take.next = self.done.val() & self.note.consumes.val();
        self.drops.sink.valid.next = self.done.val() & self.ruled.val().drop;
        self.drops.sink.data.next = self.ruled.val().code;
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
        if self.done.val() {
            self.busy.d.next = false;
        }

        // The record: of the request, else of an order.
        self.rows.clearing.next = self.clearing.val();
        self.rows.clear_index.next = self.clear_index.val();
        self.writes.next = self.done.val() | self.ordered.q.val();
        self.written_row.next = self.mine.val();
        self.written.next = self.advance.after.val();
        if self.ordered.q.val() & !self.done.val() {
            self.written_row.next = self.order_row.q.val();
            self.written.next = self.empty.val();
            if self.starts.q.val() {
                self.written.next.epsn = self.order_epsn.q.val();
            }
            self.ordered.d.next = false;
        }
        self.rows.write.next = self.writes.val();
        self.rows.write_index.next = self.written_row.val();
        self.rows.data.next = self.written.val();
        self.row_write.next = self.writes.val();
        self.row_index.next = bit_cast::<8, QA>(self.written_row.val());
        self.row_psns.next.epsn = self.written.val().epsn;
        self.row_psns.next.msn = self.written.val().msn;
        if self.order_start.val() | self.order_clear.val() {
            self.ordered.d.next = true;
            self.starts.d.next = self.order_start.val();
            self.order_row.d.next = bit_cast::<QA, 8>(self.order_index.val());
            self.order_epsn.d.next = self.order_psn.val();
        }
        self.killed.set_flag.next = self.kill.val();
        self.killed.set_index.next = bit_cast::<QA, 8>(self.kill_index.val());
        self.killed.clear_flag.next = self.order_start.val() | self.order_clear.val();
        self.killed.clear_index.next = bit_cast::<QA, 8>(self.order_index.val());
        if self.reset.val() {
            self.busy.d.next = false;
            self.ordered.d.next = false;
        }
    }
}
