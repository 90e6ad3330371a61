//! Copy of every queue pair's identity for the access check of a PROBE. Two cycles from `index` to `identity`.
use crate::types::QpIdentity;
use crate::widgets::Memory;
use rust_hdl::prelude::*;

/// Identities by index.
#[derive(LogicBlock, Default)]
pub struct IdentityCopy<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clear row `clear_index`.
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Store `stored` in row `write_index`.
    pub write: Signal<In, Bit>,
    /// Row to write.
    pub write_index: Signal<In, Bits<8>>,
    /// What to store.
    pub stored: Signal<In, QpIdentity>,
    /// Row to read.
    pub index: Signal<In, Bits<8>>,
    /// Identity of the row.
    pub identity: Signal<Out, QpIdentity>,
    copy: Memory<QpIdentity, QA>,
    shown: DFF<QpIdentity>,
    nobody: Signal<Local, Bits<52>>,
}

impl<const QA: usize> Logic for IdentityCopy<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown);
        clock!(self, clock, copy);
        self.nobody.next = 0.into();
        self.copy.read.next = true;
        self.copy.read_address.next = bit_cast::<QA, 8>(self.index.val());
        self.copy.write.next = self.write.val() | self.clearing.val();
        self.copy.write_address.next = bit_cast::<QA, 8>(self.write_index.val());
        self.copy.data.next = self.stored.val();
        if self.clearing.val() {
            self.copy.write_address.next = bit_cast::<QA, 16>(self.clear_index.val());
            self.copy.data.next = self.nobody.val().into();
        }
        self.shown.d.next = self.copy.out.val();
        self.identity.next = self.shown.q.val();
    }
}
