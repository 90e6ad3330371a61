//! Follows the data of READs and atomics into memory: counts, in order, the entries of record RT all of whose writes have
//! been answered (T16, T23, T69), and reports the first of a queue pair that cannot be stored (T39). A READ that takes its
//! sink away (C20) counts when the invalidation is done, so a fence and its completion come behind it; one that failed
//! invalidates nothing.
//!
//! Verdicts of the placer come in the order of its jobs, and each tells how many writes had been issued with it; the answers
//! of the writes come in the order of issue. So one answer after another is given to the oldest verdict, until its count is
//! reached. Four cycles a verdict and one more a write. After a failure nothing of that queue pair counts any more, until it
//! is started anew. The reports wait in a FIFO with room for one of each queue pair, because the engine that takes them
//! may itself be waiting for the placer, which waits for us. An invalidation waits for accesses that the placer has begun;
//! they end without our help, because room for their verdicts was reserved (T102).
use super::ack_records::{ReadTag, SinkFailure};
use crate::types::InvalidateOrder;
use crate::widgets::{ChannelSink, ChannelSource, Fifo, SlackFifo, Table};
use crate::wire::PlaceVerdict;
use rnic_abi::syndrome;
use rust_hdl::prelude::*;

record! {
    /// How far the data of a queue pair have come.
    ReadsRow, 19 {
        /// Entries stored, modulo 2^18.
        count: Bits<18>,
        /// One could not be stored.
        failed: Bit,
    }
}

/// What the tracker does.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum ReadsDoneState {
    /// Waits for a verdict.
    AwaitVerdict,
    /// Waits until all its writes are answered; its row has been read.
    AwaitWrites,
    /// Counts it, unless its sink is to be invalidated first.
    Count,
    /// Room for the invalidation.
    Invalidate,
    /// Its answer.
    Answer,
}

/// Tracker for 2^QA queue pairs; FA = QA + 1; 2^VA verdicts wait in it.
#[derive(LogicBlock)]
pub struct ReadsDone<const QA: usize, const FA: usize, const VA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything but the counts.
    pub reset: Signal<In, Bit>,
    /// The table is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Verdicts on response jobs.
    pub verdict: ChannelSink<PlaceVerdict>,
    /// A write of the placer's response client has been answered.
    pub landed: Signal<In, Bit>,
    /// With an error.
    pub landed_failed: Signal<In, Bit>,
    /// Invalidations to be done behind the verdicts whose tags say so, in their order.
    pub sink: ChannelSink<InvalidateOrder>,
    /// Invalidations.
    pub invalidate: ChannelSource<InvalidateOrder>,
    /// Their answers: 0, or the syndrome.
    pub invalidated: ChannelSink<Bits<8>>,
    /// Sets the count of `restart_index` to 0; nothing of it is in flight.
    pub restart: Signal<In, Bit>,
    /// Queue pair.
    pub restart_index: Signal<In, Bits<8>>,
    /// Failures.
    pub failure: ChannelSource<SinkFailure>,
    /// A count is written.
    pub done_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub done_index: Signal<Out, Bits<8>>,
    /// Entries stored, modulo 2^18.
    pub done_count: Signal<Out, Bits<18>>,
    /// A verdict has been dealt with: the job of `finished_index` is no longer in flight.
    pub finished: Signal<Out, Bit>,
    /// Queue pair.
    pub finished_index: Signal<Out, Bits<8>>,
    verdicts: Fifo<PlaceVerdict, VA>,
    /// Answers whose verdicts have not come: at most 30 jobs of the placer with 16 bursts each.
    answers: SlackFifo<Bit, 9, 2>,
    failures: Fifo<SinkFailure, FA>,
    sinks: Fifo<InvalidateOrder, 3>,
    rows: Table<ReadsRow, QA, 1>,
    state: DFF<ReadsDoneState>,
    row: DFF<ReadsRow>,
    walked: DFF<Bits<16>>,
    bad: DFF<Bit>,
    settled: DFF<Bit>,
    refusal: DFF<Bits<8>>,
    restarts: DFF<Bit>,
    restarted: DFF<Bits<8>>,
    oldest: Signal<Local, PlaceVerdict>,
    tag: Signal<Local, ReadTag>,
    present: Signal<Local, ReadsRow>,
    reached: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    sound: Signal<Local, Bit>,
    takes_sink: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    place: Signal<Local, Bits<8>>,
    changed: Signal<Local, ReadsRow>,
    bus_error: Constant<Bits<8>>,
}

impl<const QA: usize, const FA: usize, const VA: usize> Default for ReadsDone<QA, FA, VA> {
    fn default() -> Self {
        assert_eq!(FA, QA + 1, "room for a failure of every queue pair");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            verdict: Default::default(),
            landed: Default::default(),
            landed_failed: Default::default(),
            sink: Default::default(),
            invalidate: Default::default(),
            invalidated: Default::default(),
            restart: Default::default(),
            restart_index: Default::default(),
            failure: Default::default(),
            done_write: Default::default(),
            done_index: Default::default(),
            done_count: Default::default(),
            finished: Default::default(),
            finished_index: Default::default(),
            verdicts: Default::default(),
            answers: Default::default(),
            failures: Default::default(),
            sinks: Default::default(),
            rows: Default::default(),
            state: Default::default(),
            row: Default::default(),
            walked: Default::default(),
            bad: Default::default(),
            settled: Default::default(),
            refusal: Default::default(),
            restarts: Default::default(),
            restarted: Default::default(),
            oldest: Default::default(),
            tag: Default::default(),
            present: Default::default(),
            reached: Default::default(),
            takes: Default::default(),
            fails: Default::default(),
            counts: Default::default(),
            sound: Default::default(),
            takes_sink: Default::default(),
            writes: Default::default(),
            place: Default::default(),
            changed: Default::default(),
            bus_error: Constant::new(syndrome::PAYLOAD_BUS.to_bits()),
        }
    }
}

impl<const QA: usize, const FA: usize, const VA: usize> Logic for ReadsDone<QA, FA, VA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, row, walked, bad, settled, refusal, restarts, restarted);
        clock!(self, clock, verdicts, answers, failures, sinks, rows);
        self.verdicts.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.failures.reset.next = self.reset.val();
        self.sinks.reset.next = self.reset.val();
        ChannelSink::<PlaceVerdict>::link(&mut self.verdict, &mut self.verdicts.sink);
        ChannelSource::<SinkFailure>::link(&mut self.failure, &mut self.failures.source);
        ChannelSink::<InvalidateOrder>::link(&mut self.sink, &mut self.sinks.sink);
        self.answers.write.next = self.landed.val();
        self.answers.data.next = self.landed_failed.val();
        self.oldest.next = self.verdicts.source.data.val();
        self.tag.next = self.oldest.val().tag.into();
        self.reached.next = self.walked.q.val() == self.oldest.val().writes;
        self.takes.next = (self.state.q.val() == ReadsDoneState::AwaitWrites) & !self.reached.val();
        self.answers.source.ready.next = self.takes.val();
        if self.takes.val() & self.answers.source.valid.val() {
            self.walked.d.next = self.walked.q.val() + 1;
            self.bad.d.next = self.bad.q.val() | self.answers.source.data.val();
        }
        for i in 0..1 {
            self.rows.index[i].next = bit_cast::<QA, 8>(self.oldest.val().qp);
            self.row.d.next = self.rows.out[i].val();
        }
        self.present.next = self.row.q.val();
        // A dead queue pair's data are not stored, and nobody needs to be told.
        self.sound.next = (self.oldest.val().syndrome == 0) & !self.bad.q.val() & (self.refusal.q.val() == 0);
        self.fails.next = self.tag.val().counts & !self.sound.val();
        self.takes_sink.next = self.tag.val().invalidates
            & self.sound.val()
            & !self.settled.q.val()
            & !self.oldest.val().dead
            & !self.present.val().failed;
        self.invalidate.data.next = self.sinks.source.data.val();
        self.invalidate.valid.next = self.state.q.val() == ReadsDoneState::Invalidate;
        self.invalidated.ready.next = self.state.q.val() == ReadsDoneState::Answer;
        self.counts.next = false;
        match self.state.q.val() {
            ReadsDoneState::AwaitVerdict => {
                if self.verdicts.source.valid.val() {
                    self.state.d.next = ReadsDoneState::AwaitWrites;
                }
            }
            ReadsDoneState::AwaitWrites => {
                if self.reached.val() {
                    self.state.d.next = ReadsDoneState::Count;
                }
            }
            ReadsDoneState::Count => {
                if self.takes_sink.val() {
                    self.state.d.next = ReadsDoneState::Invalidate;
                } else if !self.restarts.q.val() {
                    self.counts.next = true;
                    self.state.d.next = ReadsDoneState::AwaitVerdict;
                    self.bad.d.next = false;
                    self.settled.d.next = false;
                    self.refusal.d.next = 0.into();
                }
            }
            ReadsDoneState::Invalidate => {
                if self.invalidate.ready.val() {
                    self.state.d.next = ReadsDoneState::Answer;
                }
            }
            ReadsDoneState::Answer => {
                if self.invalidated.valid.val() {
                    self.state.d.next = ReadsDoneState::Count;
                    self.settled.d.next = true;
                    self.refusal.d.next = self.invalidated.data.val();
                }
            }
        }
        self.sinks.source.ready.next = self.counts.val() & self.tag.val().invalidates;
        self.verdicts.source.ready.next = self.counts.val();
        self.finished.next = self.counts.val();
        self.finished_index.next = self.oldest.val().qp;
        self.failures.sink.valid.next =
            self.counts.val() & self.fails.val() & !self.present.val().failed & !self.oldest.val().dead;
        self.failures.sink.data.next.qp = self.oldest.val().qp;
        self.failures.sink.data.next.psn = self.tag.val().psn;
        self.failures.sink.data.next.sink = self.refusal.q.val() != 0;
        self.failures.sink.data.next.syndrome = self.oldest.val().syndrome;
        if self.refusal.q.val() != 0 {
            self.failures.sink.data.next.syndrome = self.refusal.q.val();
        } else if self.oldest.val().syndrome == 0 {
            self.failures.sink.data.next.syndrome = self.bus_error.val();
        }
        self.changed.next = self.present.val();
        self.changed.next.failed =
            self.present.val().failed | self.fails.val() | (self.tag.val().counts & self.oldest.val().dead);
        if self.tag.val().ends & !self.changed.val().failed {
            self.changed.next.count = self.present.val().count + 1;
        }
        self.restarts.d.next = self.restart.val();
        self.restarted.d.next = self.restart_index.val();
        self.place.next = self.oldest.val().qp;
        self.writes.next = self.counts.val() & self.tag.val().counts;
        if self.restarts.q.val() {
            self.writes.next = true;
            self.place.next = self.restarted.q.val();
            self.changed.next = bits::<19>(0).into();
        }
        self.rows.clearing.next = self.clearing.val();
        self.rows.clear_index.next = self.clear_index.val();
        self.rows.write.next = self.writes.val();
        self.rows.write_index.next = bit_cast::<QA, 8>(self.place.val());
        self.rows.data.next = self.changed.val();
        self.done_write.next = self.writes.val();
        self.done_index.next = self.place.val();
        self.done_count.next = self.changed.val().count;
        if self.reset.val() {
            self.state.d.next = ReadsDoneState::AwaitVerdict;
            self.walked.d.next = 0.into();
            self.bad.d.next = false;
            self.settled.d.next = false;
            self.refusal.d.next = 0.into();
            self.restarts.d.next = false;
        }
    }
}
