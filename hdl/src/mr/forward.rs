//! The table row that an operation sees: what the table held when it left the walk, or what has been written since.
//!
//! The row read leaves the RAM while the write of the operation before last is under way, or one cycle after it. The write
//! port and a copy of the last row written cover both, so that two operations on one MR need be three cycles apart only,
//! and so that it does not matter what the RAM returns on a collision. The copy is right at any time, however long the
//! pipeline stood still, because every write replaces it.
use super::layout::MrEntry;
use rust_hdl::prelude::*;

/// Table of 2^MA rows; combinational from `index` and the rows to the row seen.
#[derive(LogicBlock, Default)]
pub struct Forward<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The table is being cleared.
    pub reset: Signal<In, Bit>,
    /// Row that was read in the last move of the pipeline,
    pub index: Signal<In, Bits<MA>>,
    /// as the RAM gave it,
    pub read_row: Signal<In, MrEntry>,
    /// with its generation.
    pub read_generation: Signal<In, Bits<32>>,
    /// The table is written in this cycle:
    pub write: Signal<In, Bit>,
    /// index,
    pub write_index: Signal<In, Bits<MA>>,
    /// row,
    pub row: Signal<In, MrEntry>,
    /// generation.
    pub row_generation: Signal<In, Bits<32>>,
    /// The row as it is after that write,
    pub seen_row: Signal<Out, MrEntry>,
    /// and its generation.
    pub seen_generation: Signal<Out, Bits<32>>,
    kept: DFF<Bit>,
    kept_index: DFF<Bits<MA>>,
    kept_row: DFF<MrEntry>,
    kept_generation: DFF<Bits<32>>,
}

impl<const MA: usize> Logic for Forward<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, kept_index, kept_row, kept_generation);
        if self.write.val() {
            self.kept.d.next = true;
            self.kept_index.d.next = self.write_index.val();
            self.kept_row.d.next = self.row.val();
            self.kept_generation.d.next = self.row_generation.val();
        }
        self.seen_row.next = self.read_row.val();
        self.seen_generation.next = self.read_generation.val();
        if self.write.val() & (self.write_index.val() == self.index.val()) {
            self.seen_row.next = self.row.val();
            self.seen_generation.next = self.row_generation.val();
        } else if self.kept.q.val() & (self.kept_index.q.val() == self.index.val()) {
            self.seen_row.next = self.kept_row.q.val();
            self.seen_generation.next = self.kept_generation.q.val();
        }
        if self.reset.val() {
            self.kept.d.next = false;
        }
    }
}
