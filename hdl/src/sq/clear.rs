//! Holds a clear order of `qp` until the write port of a count table is free (rule T6: the counts of a queue pair that is
//! reset become 0).
//!
//! The owner of the table never writes for long, so the order waits one cycle or two; two orders are at least 4 cycles apart.
use crate::types::QpControl;
use rust_hdl::prelude::*;

/// A clear order that waits.
#[derive(LogicBlock, Default)]
pub struct ClearOrder<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the order.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// The owner writes in this cycle.
    pub busy: Signal<In, Bit>,
    /// Row `index` is to be written with 0 in this cycle.
    pub clears: Signal<Out, Bit>,
    /// Row to clear.
    pub index: Signal<Out, Bits<QA>>,
    waits: DFF<Bit>,
    row: DFF<Bits<QA>>,
    orders: Signal<Local, QpControl>,
    qp: Signal<Local, Bits<8>>,
}

impl<const QA: usize> Logic for ClearOrder<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, row);
        self.orders.next = self.control.val();
        self.qp.next = self.orders.val().index;
        self.waits.d.next = (self.waits.q.val() & self.busy.val()) | self.orders.val().clear;
        if self.orders.val().clear {
            self.row.d.next = bit_cast::<QA, 8>(self.qp.val());
        }
        self.clears.next = self.waits.q.val() & !self.busy.val();
        self.index.next = self.row.q.val();
        if self.reset.val() {
            self.waits.d.next = false;
        }
    }
}
