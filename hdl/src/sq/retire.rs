//! Retires outcomes: the owner of the retired count (rule T8). One slot an outcome, in posting order.
//!
//! A CQE leaves for every error and for every signalled success (rule D10), never for the first block of a two-block WQE
//! nor for a slot that a reset throws away (rule D16). Only after the completion queue has taken the CQE does the slot count
//! as retired and does an error stop the queue pair (`failed`; a flush follows a stop and is none, rule D11); so who finds
//! nothing in flight and then fences the completion queue has seen the last CQE (rule T6). The count is written long before
//! the CQE can be seen in memory, so a doorbell that answers the CQE finds it.
//!
//! Two cycles an outcome without a CQE, three with one.
use super::{ClearOrder, Report, WR_FLUSH};
use crate::types::{CqeRequest, QpControl, SqContext, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Steps of retiring.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RetireState {
    /// Context and count of the outcome's queue pair are asked for.
    Look,
    /// Decide whether it reports.
    Judge,
    /// CQE and syndrome wait for their takers.
    AwaitTakers,
}

/// Retirement of send-queue slots.
#[derive(LogicBlock)]
pub struct Retire<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is held.
    pub reset: Signal<In, Bit>,
    /// Outcomes in posting order of each queue pair.
    pub outcome: ChannelSink<WorkOutcome>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Row of the tables to read.
    pub index: Signal<Out, Bits<QA>>,
    /// Context, one cycle later.
    pub context: Signal<In, SqContext>,
    /// Slots retired.
    pub retired: Signal<In, Bits<16>>,
    /// Writes the retired count.
    pub write: Signal<Out, Bit>,
    /// Row to write.
    pub write_index: Signal<Out, Bits<QA>>,
    /// Count to write.
    pub retired_next: Signal<Out, Bits<16>>,
    /// Completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// Syndromes of errors, for the counters.
    pub syndrome: ChannelSource<Bits<8>>,
    /// A queue pair must enter ERR.
    pub failed: Signal<Out, Bit>,
    /// That queue pair.
    pub failed_index: Signal<Out, Bits<8>>,
    clear: ClearOrder<QA>,
    report: Report,
    state: DFF<RetireState>,
    qp: DFF<Bits<8>>,
    count: DFF<Bits<16>>,
    fresh: Signal<Local, WorkOutcome>,
    fresh_qp: Signal<Local, Bits<8>>,
    known: Signal<Local, SqContext>,
    silent: Signal<Local, Bit>,
    judges: Signal<Local, Bit>,
    advanced: Signal<Local, Bits<16>>,
    retires: Signal<Local, Bit>,
    flushed: Constant<Bits<8>>,
}

impl<const QA: usize> Default for Retire<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            outcome: Default::default(),
            control: Default::default(),
            index: Default::default(),
            context: Default::default(),
            retired: Default::default(),
            write: Default::default(),
            write_index: Default::default(),
            retired_next: Default::default(),
            cqe: Default::default(),
            syndrome: Default::default(),
            failed: Default::default(),
            failed_index: Default::default(),
            clear: Default::default(),
            report: Default::default(),
            state: Default::default(),
            qp: Default::default(),
            count: Default::default(),
            fresh: Default::default(),
            fresh_qp: Default::default(),
            known: Default::default(),
            silent: Default::default(),
            judges: Default::default(),
            advanced: Default::default(),
            retires: Default::default(),
            flushed: Constant::new(WR_FLUSH.to_bits()),
        }
    }
}

impl<const QA: usize> Logic for Retire<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, qp, count);
        clock!(self, clock, clear, report);
        self.report.reset.next = self.reset.val();
        ChannelSource::<CqeRequest>::link(&mut self.cqe, &mut self.report.cqe);
        ChannelSource::<Bits<8>>::link(&mut self.syndrome, &mut self.report.syndrome);
        self.fresh.next = self.outcome.data.val();
        self.fresh_qp.next = self.fresh.val().qp;
        self.index.next = bit_cast::<QA, 8>(self.fresh_qp.val());
        self.known.next = self.context.val();
        self.silent.next = self.fresh.val().silent
            | self.fresh.val().discard
            | (!self.fresh.val().status.any() & !self.fresh.val().signalled);
        self.judges.next = self.state.q.val() == RetireState::Judge;
        self.outcome.ready.next = self.judges.val();
        self.advanced.next = self.retired.val() + 1;
        match self.state.q.val() {
            RetireState::Look => {
                if self.outcome.valid.val() {
                    self.state.d.next = RetireState::Judge;
                }
            }
            RetireState::Judge => {
                self.qp.d.next = self.fresh.val().qp;
                self.count.d.next = self.advanced.val();
                self.state.d.next = RetireState::AwaitTakers;
                if self.silent.val() {
                    self.state.d.next = RetireState::Look;
                }
            }
            RetireState::AwaitTakers => {
                if self.report.done.val() {
                    self.state.d.next = RetireState::Look;
                }
            }
        }
        self.report.load.next = self.judges.val() & !self.silent.val();
        self.report.request.next.cqn = self.known.val().cqn;
        self.report.request.next.qpn = self.known.val().qpn;
        self.report.request.next.opcode = self.fresh.val().opcode;
        self.report.request.next.status = self.fresh.val().status;
        self.report.request.next.syndrome = self.fresh.val().syndrome;
        self.report.request.next.slot = self.fresh.val().slot;
        self.report.request.next.byte_len = 0.into();
        self.report.request.next.imm = 0.into();
        self.report.request.next.flags = 0.into();
        self.failed.next =
            self.report.done.val() & self.report.status.val().any() & (self.report.status.val() != self.flushed.val());
        self.failed_index.next = self.qp.q.val();

        self.clear.reset.next = self.reset.val();
        self.clear.control.next = self.control.val();
        self.retires.next = self.report.done.val() | (self.judges.val() & self.silent.val());
        self.clear.busy.next = self.retires.val();
        self.write.next = self.retires.val() | self.clear.clears.val();
        self.write_index.next = bit_cast::<QA, 8>(self.qp.q.val());
        self.retired_next.next = self.count.q.val();
        if self.judges.val() {
            self.write_index.next = bit_cast::<QA, 8>(self.fresh_qp.val());
            self.retired_next.next = self.advanced.val();
        }
        if self.clear.clears.val() {
            self.write_index.next = self.clear.index.val();
            self.retired_next.next = 0.into();
        }
        if self.reset.val() {
            self.state.d.next = RetireState::Look;
        }
    }
}
