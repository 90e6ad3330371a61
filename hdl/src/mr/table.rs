//! One copy of the memory-region table with the registration generations; every reader has its own (simple dual-port RAM).
use super::layout::MrEntry;
use crate::widgets::LooseMemory;
use rust_hdl::prelude::*;

/// 2^MA rows; latency one cycle; a colliding read returns anything: the lookup refuses such a row (`raced`), and in the back end
/// the row being written takes its place ([`super::forward::Forward`]).
#[derive(LogicBlock, Default)]
pub struct MrTable<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Loads the outputs.
    pub read: Signal<In, Bit>,
    /// Row to read.
    pub read_index: Signal<In, Bits<MA>>,
    /// The row.
    pub entry: Signal<Out, MrEntry>,
    /// Its generation.
    pub generation: Signal<Out, Bits<32>>,
    /// Stores a row.
    pub write: Signal<In, Bit>,
    /// Which.
    pub write_index: Signal<In, Bits<MA>>,
    /// The row to store.
    pub row: Signal<In, MrEntry>,
    /// Its generation.
    pub row_generation: Signal<In, Bits<32>>,
    rows: LooseMemory<Bits<239>, MA>,
    generations: LooseMemory<Bits<32>, MA>,
}

impl<const MA: usize> Logic for MrTable<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, generations);
        self.rows.read.next = self.read.val();
        self.rows.read_address.next = self.read_index.val();
        self.rows.write.next = self.write.val();
        self.rows.write_address.next = self.write_index.val();
        self.rows.data.next = self.row.val().into();
        self.generations.read.next = self.read.val();
        self.generations.read_address.next = self.read_index.val();
        self.generations.write.next = self.write.val();
        self.generations.write_address.next = self.write_index.val();
        self.generations.data.next = self.row_generation.val();
        self.entry.next = self.rows.out.val().into();
        self.generation.next = self.generations.out.val();
    }
}
