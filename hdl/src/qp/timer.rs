//! Lazy timers (TM): a scanner visits one queue pair every four cycles and compares what it sees with what it has seen; nobody
//! arms or cancels a timer (T79 to T84).
//!
//! A wait is longer than its limit and at most one scan and one tick longer: it is over when more than `limit` ticks have begun
//! since it was noted, so that a tick half gone does not shorten it. An event that is not taken stops the scan, and so is
//! never lost (T84). Rows: phase 0 address, 1 read, 2 distances and limit, 3 decision. An order of `qp` needs nothing here:
//! a queue pair without outstanding packets is off at the next visit.
use super::timer_limit::TimerLimit;
use crate::rx::{AckState, RequesterContext, SendPublic, TimerEvent};
use crate::widgets::{ChannelSource, Table};
use rust_hdl::prelude::*;

record! {
    /// Record TMR: what a timer has seen; written by the timers alone.
    TimerRow, 66 {
        /// Oldest unacknowledged PSN.
        una: Bits<24>,
        /// Epoch.
        epoch: Bits<4>,
        /// The acknowledge timer runs.
        ack: Bit,
        /// The RNR timer runs.
        rnr: Bit,
        /// Tick in which it began.
        stamp: Bits<36>,
    }
}

/// Timers of QPS = 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct Timers<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Starts the scan again, forgets the event.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Ticks since reset.
    pub now: Signal<In, Bits<36>>,
    /// Queue pairs whose timers rest (`sdead`, T80).
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
    /// A state of the engine of acknowledgements is written.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// Events.
    pub event_out: ChannelSource<TimerEvent>,
    contexts: Table<RequesterContext, QA, 1>,
    publics: Table<SendPublic, QA, 1>,
    states: Table<AckState, QA, 1>,
    rows: Table<TimerRow, QA, 1>,
    limits: TimerLimit,
    phase: DFF<Bits<2>>,
    index: DFF<Bits<QA>>,
    attributes: DFF<RequesterContext>,
    published: DFF<SendPublic>,
    state: DFF<AckState>,
    row: DFF<TimerRow>,
    rests: DFF<Bit>,
    elapsed: DFF<Bits<36>>,
    limit: DFF<Bits<36>>,
    fresh: DFF<Bit>,
    off: DFF<Bit>,
    noted: DFF<TimerEvent>,
    told: DFF<Bit>,
    of: Signal<Local, RequesterContext>,
    seen: Signal<Local, SendPublic>,
    at: Signal<Local, AckState>,
    was: Signal<Local, TimerRow>,
    same: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    after: Signal<Local, TimerRow>,
    found: Signal<Local, TimerEvent>,
}

impl<const QA: usize, const QPS: usize> Logic for Timers<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, index, attributes, published, state, row, rests);
        dff_setup!(self, clock, elapsed, limit, fresh, off, noted, told);
        clock!(self, clock, contexts, publics, states, rows);
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.contexts.data.next = self.context_row.val();
        self.publics.write.next = self.public_write.val();
        self.publics.write_index.next = bit_cast::<QA, 8>(self.public_index.val());
        self.publics.data.next = self.public_row.val();
        self.states.write.next = self.state_write.val();
        self.states.write_index.next = bit_cast::<QA, 8>(self.state_index.val());
        self.states.data.next = self.state_row.val();
        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.publics.clearing.next = self.clearing.val();
        self.publics.clear_index.next = self.clear_index.val();
        self.states.clearing.next = self.clearing.val();
        self.states.clear_index.next = self.clear_index.val();
        self.rows.clearing.next = self.clearing.val();
        self.rows.clear_index.next = self.clear_index.val();
        for i in 0..1 {
            self.contexts.index[i].next = self.index.q.val();
            self.publics.index[i].next = self.index.q.val();
            self.states.index[i].next = self.index.q.val();
            self.rows.index[i].next = self.index.q.val();
            if self.phase.q.val() == 1 {
                self.attributes.d.next = self.contexts.out[i].val();
                self.published.d.next = self.publics.out[i].val();
                self.state.d.next = self.states.out[i].val();
                self.row.d.next = self.rows.out[i].val();
            }
        }
        self.rests.d.next = self.dead.val().get_bit(self.index.q.val().index());
        self.of.next = self.attributes.q.val();
        self.seen.next = self.published.q.val();
        self.at.next = self.state.q.val();
        self.was.next = self.row.q.val();
        // Phase 2.
        self.limits.rnr.next = self.at.val().rnr_wait;
        self.limits.code.next = self.at.val().rnr_code;
        self.limits.timeout.next = self.of.val().timeout;
        self.limit.d.next = self.limits.limit.val();
        self.elapsed.d.next = self.now.val() - self.was.val().stamp;
        self.same.next = (self.was.val().una == self.at.val().una) & (self.was.val().epoch == self.at.val().epoch);
        self.runs.next = self.was.val().ack;
        self.idle.next = (self.at.val().una == self.seen.val().hpsn)
            | (self.of.val().timeout == 0)
            | (self.seen.val().epoch_seen != self.at.val().epoch);
        if self.at.val().rnr_wait {
            self.runs.next = self.was.val().rnr;
            self.idle.next = false;
        }
        self.fresh.d.next = !self.same.val() | !self.runs.val();
        self.off.d.next = self.idle.val() | self.rests.q.val();
        // Phase 3.
        self.held.next = self.told.q.val() & !self.event_out.ready.val();
        self.decides.next = (self.phase.q.val() == 3) & !self.held.val();
        self.over.next = !self.off.q.val() & !self.fresh.q.val() & (self.elapsed.q.val() > self.limit.q.val());
        self.after.next = self.was.val();
        if self.off.q.val() | self.over.val() {
            self.after.next.ack = false;
            self.after.next.rnr = false;
        } else if self.fresh.q.val() {
            self.after.next.una = self.at.val().una;
            self.after.next.epoch = self.at.val().epoch;
            self.after.next.ack = !self.at.val().rnr_wait;
            self.after.next.rnr = self.at.val().rnr_wait;
            self.after.next.stamp = self.now.val();
        }
        self.rows.write.next = self.decides.val();
        self.rows.write_index.next = self.index.q.val();
        self.rows.data.next = self.after.val();
        if (self.phase.q.val() != 3) | self.decides.val() {
            self.phase.d.next = self.phase.q.val() + 1;
        }
        if self.event_out.ready.val() {
            self.told.d.next = false;
        }
        self.found.next.qp = bit_cast::<8, QA>(self.index.q.val());
        self.found.next.rnr = self.at.val().rnr_wait;
        self.found.next.epoch = self.at.val().epoch;
        self.found.next.una = self.at.val().una;
        if self.decides.val() {
            self.index.d.next = self.index.q.val() + 1;
            if self.over.val() {
                self.told.d.next = true;
                self.noted.d.next = self.found.val();
            }
        }
        self.event_out.data.next = self.noted.q.val();
        self.event_out.valid.next = self.told.q.val();
        if self.reset.val() {
            self.phase.d.next = 0.into();
            self.index.d.next = 0.into();
            self.told.d.next = false;
        }
    }
}
