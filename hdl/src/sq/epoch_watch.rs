//! Tells when the epoch of acknowledgements of a queue pair changes (section 0): two cycles after the write of its state.
use crate::rx::AckState;
use crate::widgets::Table;
use rust_hdl::prelude::*;

/// Watch over 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct EpochWatch<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The table is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// A state is written; not in two cycles in a row.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// The epoch has changed.
    pub changed: Signal<Out, Bit>,
    /// Of this queue pair.
    pub index: Signal<Out, Bits<8>>,
    epochs: Table<Bits<4>, QA, 1>,
    fresh: DFF<Bits<4>>,
    comes: DFF<Bit>,
    qp: DFF<Bits<8>>,
    differs: DFF<Bit>,
    told: DFF<Bits<8>>,
}

impl<const QA: usize> Logic for EpochWatch<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, fresh, comes, qp, differs, told);
        self.epochs.clock.next = self.clock.val();
        self.epochs.clearing.next = self.clearing.val();
        self.epochs.clear_index.next = self.clear_index.val();
        // The table answers with the epoch before the write.
        self.epochs.write.next = self.state_write.val();
        self.epochs.write_index.next = bit_cast::<QA, 8>(self.state_index.val());
        self.epochs.data.next = self.state_row.val().epoch;
        self.epochs.index[0].next = bit_cast::<QA, 8>(self.state_index.val());
        self.comes.d.next = self.state_write.val();
        self.fresh.d.next = self.state_row.val().epoch;
        self.qp.d.next = self.state_index.val();
        self.differs.d.next = self.comes.q.val() & (self.fresh.q.val() != self.epochs.out[0].val());
        self.told.d.next = self.qp.q.val();
        self.changed.next = self.differs.q.val();
        self.index.next = self.told.q.val();
    }
}
