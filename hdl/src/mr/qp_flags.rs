//! One bit a queue pair each for "failed" and "being reset", looked at by every operation at the back end (D9a, D11, T6).
//!
//! Each vector has one setter (T8): failures of operations, orders of `qp` to fail, orders to discard.
use crate::types::QpControl;
use crate::widgets::FlagVector;
use rust_hdl::prelude::*;

/// QPS = 2^QA queue pairs at most.
#[derive(LogicBlock, Default)]
pub struct QpFlags<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears all.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`.
    pub control: Signal<In, QpControl>,
    /// An operation has failed,
    pub fails: Signal<In, Bit>,
    /// of this queue pair.
    pub failing: Signal<In, Bits<8>>,
    /// Queue pair of the operation that is looked at.
    pub index: Signal<In, Bits<8>>,
    /// It has failed; the failure of the operation just before counts.
    pub failed: Signal<Out, Bit>,
    /// It is being reset.
    pub discarded: Signal<Out, Bit>,
    own: FlagVector<QPS, QA>,
    ordered: FlagVector<QPS, QA>,
    dropped: FlagVector<QPS, QA>,
}

impl<const QA: usize, const QPS: usize> Logic for QpFlags<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, own, ordered, dropped);
        self.own.reset.next = self.reset.val();
        self.ordered.reset.next = self.reset.val();
        self.dropped.reset.next = self.reset.val();
        self.own.set_flag.next = self.fails.val();
        self.own.set_index.next = bit_cast::<QA, 8>(self.failing.val());
        self.ordered.set_flag.next = self.control.val().fail;
        self.ordered.set_index.next = bit_cast::<QA, 8>(self.control.val().index);
        self.dropped.set_flag.next = self.control.val().discard;
        self.dropped.set_index.next = bit_cast::<QA, 8>(self.control.val().index);
        self.own.clear_flag.next = self.control.val().clear;
        self.own.clear_index.next = bit_cast::<QA, 8>(self.control.val().index);
        self.ordered.clear_flag.next = self.control.val().clear;
        self.ordered.clear_index.next = bit_cast::<QA, 8>(self.control.val().index);
        self.dropped.clear_flag.next = self.control.val().clear;
        self.dropped.clear_index.next = bit_cast::<QA, 8>(self.control.val().index);
        self.own.index.next = bit_cast::<QA, 8>(self.index.val());
        self.ordered.index.next = bit_cast::<QA, 8>(self.index.val());
        self.dropped.index.next = bit_cast::<QA, 8>(self.index.val());
        self.failed.next = self.own.flag.val()
            | self.ordered.flag.val()
            | (self.fails.val() & (self.failing.val() == self.index.val()));
        self.discarded.next = self.dropped.flag.val();
    }
}
