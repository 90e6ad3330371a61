//! Sorts outcomes of the memory-management pipeline: those of queue pairs with WQEs in the table of outstanding ones go to the
//! walker, which knows their turn; the others are completions at once. Merges the walker's completions. Combinational but for
//! the flags.
//!
//! A queue pair never has both kinds under way: its first data WR waits until all before it are retired (D2), and it leaves
//! the table when it is empty. An error is known here before its WQE is retired, so nothing behind it starts (D9a, D11).
use super::Completion;
use crate::types::{QpControl, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource, FlagVector};
use rust_hdl::prelude::*;

/// Sorter of QPS = 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct Outcomes<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears the flags.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Outcomes, in posting order of each queue pair.
    pub outcome: ChannelSink<WorkOutcome>,
    /// Queue pairs with WQEs in the table of outstanding ones.
    pub engaged_all: Signal<In, Bits<QPS>>,
    /// Outcomes for the walker.
    pub noted: ChannelSource<WorkOutcome>,
    /// The walker's completions; they go first.
    pub walked: ChannelSink<Completion>,
    /// Completions.
    pub completion: ChannelSource<Completion>,
    /// Queue pairs with an error.
    pub halted_all: Signal<Out, Bits<QPS>>,
    halts: FlagVector<QPS, QA>,
    fresh: Signal<Local, WorkOutcome>,
    place: Signal<Local, Bits<QA>>,
    engaged: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    zero: Constant<Completion>,
}

impl<const QA: usize, const QPS: usize> Default for Outcomes<QA, QPS> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            control: Default::default(),
            outcome: Default::default(),
            engaged_all: Default::default(),
            noted: Default::default(),
            walked: Default::default(),
            completion: Default::default(),
            halted_all: Default::default(),
            halts: Default::default(),
            fresh: Default::default(),
            place: Default::default(),
            engaged: Default::default(),
            ready: Default::default(),
            zero: Constant::new(Default::default()),
        }
    }
}

impl<const QA: usize, const QPS: usize> Logic for Outcomes<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.halts.clock.next = self.clock.val();
        self.halts.reset.next = self.reset.val();
        self.fresh.next = self.outcome.data.val();
        self.place.next = bit_cast::<QA, 8>(self.fresh.val().qp);
        self.engaged.next = self.engaged_all.val().get_bit(self.place.val().index());
        self.noted.data.next = self.outcome.data.val();
        self.noted.valid.next = self.outcome.valid.val() & self.engaged.val();
        self.walked.ready.next = self.completion.ready.val();
        self.ready.next = self.completion.ready.val() & !self.walked.valid.val();
        if self.engaged.val() {
            self.ready.next = self.noted.ready.val();
        }
        self.outcome.ready.next = self.ready.val();
        self.completion.valid.next = self.walked.valid.val() | (self.outcome.valid.val() & !self.engaged.val());
        self.completion.data.next = self.zero.val();
        self.completion.data.next.qp = self.fresh.val().qp;
        self.completion.data.next.slot = self.fresh.val().slot;
        self.completion.data.next.opcode = self.fresh.val().opcode;
        self.completion.data.next.status = self.fresh.val().status;
        self.completion.data.next.syndrome = self.fresh.val().syndrome;
        self.completion.data.next.signalled = self.fresh.val().signalled;
        self.completion.data.next.silent = self.fresh.val().silent;
        self.completion.data.next.discard = self.fresh.val().discard;
        if self.walked.valid.val() {
            self.completion.data.next = self.walked.data.val();
        }
        self.halts.index.next = self.place.val();
        self.halts.set_flag.next = self.outcome.valid.val() & self.ready.val() & self.fresh.val().status.any();
        self.halts.set_index.next = self.place.val();
        self.halts.clear_flag.next = self.control.val().clear;
        self.halts.clear_index.next = bit_cast::<QA, 8>(self.control.val().index);
        self.halted_all.next = self.halts.all.val();
    }
}
