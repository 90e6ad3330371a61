//! Memory of the queue pairs: written here alone (rule T8), read back one cycle after `index`.
//!
//! Cut by what changes together: rings at create, state, attributes, path. A reset clears all rows.
use super::records::{QpAttributes, QpPath, QpRings};
use crate::widgets::Memory;
use rust_hdl::prelude::*;

/// The four tables.
#[derive(LogicBlock, Default)]
pub struct QpStore<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clear row `clear_index` of all tables.
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Row to read and write.
    pub index: Signal<In, Bits<8>>,
    /// Rings of one cycle ago.
    pub rings: Signal<Out, QpRings>,
    /// State of one cycle ago.
    pub state: Signal<Out, Bits<3>>,
    /// Attributes of one cycle ago.
    pub attributes: Signal<Out, QpAttributes>,
    /// Path of one cycle ago.
    pub path: Signal<Out, QpPath>,
    /// Store `new_rings`.
    pub write_rings: Signal<In, Bit>,
    /// Rings to store.
    pub new_rings: Signal<In, QpRings>,
    /// Store `new_state`.
    pub write_state: Signal<In, Bit>,
    /// State to store.
    pub new_state: Signal<In, Bits<3>>,
    /// Store `new_attributes`.
    pub write_attributes: Signal<In, Bit>,
    /// Attributes to store.
    pub new_attributes: Signal<In, QpAttributes>,
    /// Store `new_path`.
    pub write_path: Signal<In, Bit>,
    /// Path to store.
    pub new_path: Signal<In, QpPath>,
    ring_table: Memory<QpRings, QA>,
    state_table: Memory<Bits<3>, QA>,
    attribute_table: Memory<QpAttributes, QA>,
    path_table: Memory<QpPath, QA>,
    row: Signal<Local, Bits<QA>>,
    write_row: Signal<Local, Bits<QA>>,
    no_rings: Signal<Local, Bits<162>>,
    no_attributes: Signal<Local, Bits<121>>,
    no_path: Signal<Local, Bits<249>>,
}

impl<const QA: usize> Logic for QpStore<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ring_table, state_table, attribute_table, path_table);
        self.row.next = bit_cast::<QA, 8>(self.index.val());
        self.write_row.next = self.row.val();
        self.no_rings.next = 0.into();
        self.no_attributes.next = 0.into();
        self.no_path.next = 0.into();
        self.ring_table.data.next = self.new_rings.val();
        self.state_table.data.next = self.new_state.val();
        self.attribute_table.data.next = self.new_attributes.val();
        self.path_table.data.next = self.new_path.val();
        if self.clearing.val() {
            self.write_row.next = bit_cast::<QA, 16>(self.clear_index.val());
            self.ring_table.data.next = self.no_rings.val().into();
            self.state_table.data.next = 0.into();
            self.attribute_table.data.next = self.no_attributes.val().into();
            self.path_table.data.next = self.no_path.val().into();
        }
        self.ring_table.write.next = self.write_rings.val() | self.clearing.val();
        self.state_table.write.next = self.write_state.val() | self.clearing.val();
        self.attribute_table.write.next = self.write_attributes.val() | self.clearing.val();
        self.path_table.write.next = self.write_path.val() | self.clearing.val();
        self.ring_table.write_address.next = self.write_row.val();
        self.state_table.write_address.next = self.write_row.val();
        self.attribute_table.write_address.next = self.write_row.val();
        self.path_table.write_address.next = self.write_row.val();
        self.ring_table.read.next = true;
        self.state_table.read.next = true;
        self.attribute_table.read.next = true;
        self.path_table.read.next = true;
        self.ring_table.read_address.next = self.row.val();
        self.state_table.read_address.next = self.row.val();
        self.attribute_table.read_address.next = self.row.val();
        self.path_table.read_address.next = self.row.val();
        self.rings.next = self.ring_table.out.val();
        self.state.next = self.state_table.out.val();
        self.attributes.next = self.attribute_table.out.val();
        self.path.next = self.path_table.out.val();
    }
}
