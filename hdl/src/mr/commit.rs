//! Last stage: the registered write ports of table and page banks, and the end of every operation.
//!
//! Latency one cycle. A REG_MR becomes VALID in one write after its last beat (B24); a LOCAL_INV or DEREG_MR whose MR may be
//! in use writes DRAIN first and freezes the stages before it until [`super::drain::Drain`] is done. While the tables are
//! cleared, rows of zeros are written here.
use super::compose::Compose;
use super::layout::{MrEntry, Pending};
use super::verdict::Verdict;
use crate::types::WorkOutcome;
use crate::widgets::First;
use rust_hdl::prelude::*;

/// Table of 2^MA rows, page banks of 2^RA rows of LANES entries.
#[derive(LogicBlock)]
pub struct Commit<const DATA: usize, const LANES: usize, const MA: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is inside.
    pub reset: Signal<In, Bit>,
    /// Tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Judged step: operation,
    pub request: Signal<In, Pending>,
    /// row,
    pub entry: Signal<In, MrEntry>,
    /// generation,
    pub generation: Signal<In, Bits<32>>,
    /// accesses in flight,
    pub in_flight: Signal<In, Bits<12>>,
    /// whether that count is not certain,
    pub unsure: Signal<In, Bit>,
    /// beat,
    pub pages: Signal<In, Bits<DATA>>,
    /// its number,
    pub number: Signal<In, Bits<10>>,
    /// entries to write,
    pub lanes: Signal<In, Bits<LANES>>,
    /// failures,
    pub checks: Signal<In, Bits<18>>,
    /// C3,
    pub wrong_key: Signal<In, Bit>,
    /// C12,
    pub forbidden: Signal<In, Bit>,
    /// whether there is a step,
    pub valid: Signal<In, Bit>,
    /// whether it is the last.
    pub last: Signal<In, Bit>,
    /// Queue pair of the step in the stage before has failed.
    pub failed: Signal<In, Bit>,
    /// It is being reset.
    pub discarded: Signal<In, Bit>,
    /// The drain is over.
    pub finish: Signal<In, Bit>,
    /// It was given up.
    pub timed_out: Signal<In, Bit>,
    /// The stages before stand still.
    pub frozen: Signal<Out, Bit>,
    /// The operation that drains is a DEREG_MR.
    pub deregisters: Signal<Out, Bit>,
    /// Table write: enable,
    pub write: Signal<Out, Bit>,
    /// index,
    pub index: Signal<Out, Bits<MA>>,
    /// row,
    pub row: Signal<Out, MrEntry>,
    /// generation.
    pub row_generation: Signal<Out, Bits<32>>,
    /// Page write: lanes,
    pub page_lanes: Signal<Out, Bits<LANES>>,
    /// row of the banks,
    pub page_row: Signal<Out, Bits<RA>>,
    /// entries.
    pub page_data: Signal<Out, Bits<DATA>>,
    /// An operation of a queue has ended.
    pub ended: Signal<Out, Bit>,
    /// How.
    pub outcome: Signal<Out, WorkOutcome>,
    /// It makes its queue pair fail.
    pub fails: Signal<Out, Bit>,
    /// An invalidation that a message asked for has ended, as `outcome` says.
    pub message_ended: Signal<Out, Bit>,
    /// A command has ended; its row is `row`.
    pub admin_ended: Signal<Out, Bit>,
    /// It was refused.
    pub admin_refused: Signal<Out, Bit>,
    /// Its drain was given up.
    pub admin_timed_out: Signal<Out, Bit>,
    /// Accesses in flight of its row.
    pub admin_in_flight: Signal<Out, Bits<12>>,
    verdict: Verdict,
    compose: Compose,
    frozen_now: DFF<Bit>,
    written: DFF<Bit>,
    written_index: DFF<Bits<MA>>,
    written_row: DFF<MrEntry>,
    written_generation: DFF<Bits<32>>,
    settled: DFF<Bits<2>>,
    frees: DFF<Bit>,
    lanes_now: DFF<Bits<LANES>>,
    bank_row: DFF<Bits<RA>>,
    data: DFF<Bits<DATA>>,
    over: DFF<Bit>,
    queued: DFF<Bit>,
    message: DFF<Bit>,
    ending: DFF<WorkOutcome>,
    failures: DFF<Bits<18>>,
    key: DFF<Bit>,
    right: DFF<Bit>,
    decoded: DFF<Bits<8>>,
    failing: DFF<Bit>,
    reports: DFF<Bit>,
    count: DFF<Bits<12>>,
    late: DFF<Bit>,
    first: First<18>,
    told: Signal<Local, WorkOutcome>,
    base: Signal<Local, Bits<24>>,
    lane_bits: Constant<Bits<2>>,
}

impl<const DATA: usize, const LANES: usize, const MA: usize, const RA: usize> Default for Commit<DATA, LANES, MA, RA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            request: Default::default(),
            entry: Default::default(),
            generation: Default::default(),
            in_flight: Default::default(),
            unsure: Default::default(),
            pages: Default::default(),
            number: Default::default(),
            lanes: Default::default(),
            checks: Default::default(),
            wrong_key: Default::default(),
            forbidden: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            failed: Default::default(),
            discarded: Default::default(),
            finish: Default::default(),
            timed_out: Default::default(),
            frozen: Default::default(),
            deregisters: Default::default(),
            write: Default::default(),
            index: Default::default(),
            row: Default::default(),
            row_generation: Default::default(),
            page_lanes: Default::default(),
            page_row: Default::default(),
            page_data: Default::default(),
            ended: Default::default(),
            outcome: Default::default(),
            fails: Default::default(),
            message_ended: Default::default(),
            admin_ended: Default::default(),
            admin_refused: Default::default(),
            admin_timed_out: Default::default(),
            admin_in_flight: Default::default(),
            verdict: Default::default(),
            compose: Default::default(),
            frozen_now: Default::default(),
            written: Default::default(),
            written_index: Default::default(),
            written_row: Default::default(),
            written_generation: Default::default(),
            settled: Default::default(),
            frees: Default::default(),
            lanes_now: Default::default(),
            bank_row: Default::default(),
            data: Default::default(),
            over: Default::default(),
            queued: Default::default(),
            message: Default::default(),
            ending: Default::default(),
            failures: Default::default(),
            key: Default::default(),
            right: Default::default(),
            decoded: Default::default(),
            failing: Default::default(),
            reports: Default::default(),
            count: Default::default(),
            late: Default::default(),
            first: First::new(1),
            told: Default::default(),
            base: Default::default(),
            lane_bits: Constant::new((LANES.ilog2() as usize).to_bits()),
        }
    }
}

impl<const DATA: usize, const LANES: usize, const MA: usize, const RA: usize> Logic for Commit<DATA, LANES, MA, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frozen_now, written, written_index, written_row, written_generation, settled, frees);
        dff_setup!(self, clock, lanes_now, bank_row, data, over, queued, ending, failures, key, decoded, failing);
        dff_setup!(self, clock, reports, count, late, message, right);
        self.verdict.request.next = self.request.val();
        self.verdict.entry.next = self.entry.val();
        self.verdict.checks.next = self.checks.val();
        self.verdict.wrong_key.next = self.wrong_key.val();
        self.verdict.forbidden.next = self.forbidden.val();
        self.verdict.ends.next = self.valid.val() & self.last.val();
        self.verdict.in_flight.next = self.in_flight.val();
        self.verdict.unsure.next = self.unsure.val();
        self.verdict.failed.next = self.failed.val();
        self.verdict.discarded.next = self.discarded.val();
        self.compose.request.next = self.request.val();
        self.compose.entry.next = self.entry.val();
        self.compose.drains.next = self.verdict.drains.val();
        self.compose.settled.next = self.verdict.settled.val();
        self.base.next = self.entry.val().page_base >> self.lane_bits.val();

        self.written.d.next = false;
        self.lanes_now.d.next = 0.into();
        self.over.d.next = false;
        if self.frozen_now.q.val() {
            if self.finish.val() {
                self.frozen_now.d.next = false;
                self.written.d.next = !self.timed_out.val();
                self.written_row.d.next.state = self.settled.q.val();
                self.over.d.next = true;
                self.late.d.next = self.timed_out.val();
            }
        } else {
            self.frozen_now.d.next = self.verdict.drains.val();
            self.written.d.next = self.verdict.acts.val();
            self.written_index.d.next = bit_cast::<MA, 24>(self.request.val().index);
            self.written_row.d.next = self.compose.row.val();
            self.written_generation.d.next = self.generation.val();
            if self.request.val().registers {
                self.written_generation.d.next = self.generation.val() + 1;
            }
            self.settled.d.next = self.verdict.settled.val();
            self.frees.d.next = self.request.val().deregisters;
            self.lanes_now.d.next = self.lanes.val();
            self.bank_row.d.next = bit_cast::<RA, 24>(self.base.val()) + bit_cast::<RA, 10>(self.number.val());
            self.data.d.next = self.pages.val();
            self.over.d.next = self.valid.val() & self.last.val() & !self.verdict.drains.val();
            self.queued.d.next = self.verdict.queued.val();
            self.message.d.next = self.request.val().message;
            self.ending.d.next = self.verdict.outcome.val();
            self.failures.d.next = self.checks.val();
            self.key.d.next = self.wrong_key.val();
            self.right.d.next = self.forbidden.val();
            self.decoded.d.next = self.request.val().decoded;
            self.failing.d.next = self.verdict.fails.val();
            self.reports.d.next = self.verdict.reports.val();
            self.count.d.next = self.in_flight.val();
            self.late.d.next = false;
        }

        self.first.flags.next = self.failures.q.val();
        self.told.next = self.ending.q.val();
        self.told.next.syndrome = 0.into();
        if self.reports.q.val() {
            if self.decoded.q.val() != 0 {
                self.told.next.syndrome = self.decoded.q.val();
            } else if self.failures.q.val() != 0 {
                self.told.next.syndrome = self.first.code.val();
            } else if self.key.q.val() {
                self.told.next.syndrome = 0x20.into();
            } else if self.right.q.val() {
                self.told.next.syndrome = 0x22.into();
            }
        }
        self.outcome.next = self.told.val();
        self.ended.next = self.over.q.val() & self.queued.q.val();
        self.fails.next = self.failing.q.val();
        self.frozen.next = self.frozen_now.q.val();
        self.deregisters.next = self.frees.q.val();
        self.write.next = self.written.q.val();
        self.index.next = self.written_index.q.val();
        self.row.next = self.written_row.q.val();
        self.row_generation.next = self.written_generation.q.val();
        self.page_lanes.next = self.lanes_now.q.val();
        self.page_row.next = self.bank_row.q.val();
        self.page_data.next = self.data.q.val();
        self.message_ended.next = self.over.q.val() & self.message.q.val();
        self.admin_ended.next = self.over.q.val() & !self.queued.q.val() & !self.message.q.val();
        self.admin_refused.next = self.failures.q.val() != 0;
        self.admin_timed_out.next = self.late.q.val();
        self.admin_in_flight.next = self.count.q.val();
        if self.reset.val() {
            self.frozen_now.d.next = false;
            self.written.d.next = self.clearing.val();
            self.written_index.d.next = bit_cast::<MA, 16>(self.clear_index.val());
            self.written_row.d.next = bits::<239>(0).into();
            self.written_generation.d.next = 0.into();
            self.lanes_now.d.next = 0.into();
            self.over.d.next = false;
            self.failing.d.next = false;
        }
    }
}
