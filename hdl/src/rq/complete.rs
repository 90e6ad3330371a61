//! Counts the receive WQEs that messages have completed, so that the flush begins behind them (T73, T74).
//!
//! The commit queue pulses when it hands over a receive CQE, at most once in four cycles. The count is read, and written as
//! soon as the table's write port is free. In ERR the flush of a queue pair begins when none of its messages is in flight,
//! so the two never count for the same queue pair at once.
use rust_hdl::prelude::*;

/// Counter for 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct UseCount<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the pulse.
    pub reset: Signal<In, Bit>,
    /// A WQE is completed,
    pub completed: Signal<In, Bit>,
    /// of this queue pair.
    pub completed_index: Signal<In, Bits<QA>>,
    /// Row of the table of slots used to read.
    pub index: Signal<Out, Bits<QA>>,
    /// That row, one cycle later.
    pub used: Signal<In, Bits<16>>,
    /// The owner writes the table in this cycle.
    pub busy: Signal<In, Bit>,
    /// Row `index` is to be written,
    pub write: Signal<Out, Bit>,
    /// with this count.
    pub after: Signal<Out, Bits<16>>,
    row: DFF<Bits<QA>>,
    reads: DFF<Bit>,
    waits: DFF<Bit>,
}

impl<const QA: usize> Logic for UseCount<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, row, reads, waits);
        self.reads.d.next = self.completed.val();
        if self.completed.val() {
            self.row.d.next = self.completed_index.val();
        }
        self.waits.d.next = self.reads.q.val() | (self.waits.q.val() & self.busy.val());
        self.index.next = self.row.q.val();
        self.write.next = self.waits.q.val() & !self.busy.val();
        self.after.next = self.used.val() + 1;
        if self.reset.val() {
            self.reads.d.next = false;
            self.waits.d.next = false;
        }
    }
}
