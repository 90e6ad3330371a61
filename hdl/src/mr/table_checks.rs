//! Checks of an operation against its table row: B2, B4, B5, B6, B11 (the MR's own maximum), C3, C4, C6, and the states
//! that ALLOC_MR and DEREG_MR want. Combinational.
use super::layout::{Checks, MrEntry, Pending};
use rust_hdl::prelude::*;

/// Table of 2^MA rows.
#[derive(LogicBlock, Default)]
pub struct TableChecks<const MA: usize> {
    /// The operation.
    pub request: Signal<In, Pending>,
    /// Its row.
    pub entry: Signal<In, MrEntry>,
    /// What fails, with what failed before.
    pub checks: Signal<Out, Bits<18>>,
    /// C3: the key byte is not the one last held (syndrome 20, behind all others).
    pub wrong_key: Signal<Out, Bit>,
    /// C12: the region may not be invalidated by a message (syndrome 22, behind all others).
    pub forbidden: Signal<Out, Bit>,
    own: Signal<Local, Bits<MA>>,
    table_op: Signal<Local, Bit>,
    missing: Signal<Local, Bit>,
    found: Signal<Local, Checks>,
    earlier: Signal<Local, Bits<18>>,
    now: Signal<Local, Bits<18>>,
    npages: Signal<Local, Bits<16>>,
    most: Signal<Local, Bits<16>>,
    key: Signal<Local, Bits<8>>,
    rights: Signal<Local, Bits<8>>,
}

impl<const MA: usize> Logic for TableChecks<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        self.earlier.next = self.request.val().checks;
        self.own.next = bit_cast::<MA, 24>(self.request.val().index);
        self.missing.next =
            (self.entry.val().state == 0) | (self.request.val().index != bit_cast::<24, MA>(self.own.val()));
        self.table_op.next = self.request.val().registers | self.request.val().invalidates;
        self.npages.next = self.request.val().npages;
        self.most.next = self.entry.val().max_pages;
        self.found.next = bits::<18>(0).into();
        if self.table_op.val() {
            // Index 0 is B3's.
            self.found.next.index = self.missing.val() & (self.request.val().index != 0);
            self.found.next.kind = self.entry.val().kind != 1;
            self.found.next.domain = self.entry.val().pd != self.request.val().pd;
        }
        if self.request.val().registers {
            self.found.next.not_free = self.entry.val().state != 1;
            self.found.next.count = self.npages.val() > self.most.val();
        }
        if self.request.val().allocates {
            self.found.next.not_free = self.entry.val().state != 0;
        }
        if self.request.val().deregisters {
            self.found.next.index = self.entry.val().state == 0;
        }
        self.now.next = self.found.val().into();
        self.checks.next = self.earlier.val() | self.now.val();
        self.key.next = self.request.val().key_byte;
        self.wrong_key.next = self.request.val().invalidates & (self.entry.val().key_byte != self.key.val());
        self.rights.next = self.entry.val().access;
        self.forbidden.next = self.request.val().remote & !self.rights.val().get_bit(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks of a REG_MR or LOCAL_INV that is right but for the row's type.
    fn of_kind(kind: u64, registers: bool) -> (u64, bool) {
        let mut uut = TableChecks::<3>::default();
        uut.connect_all();
        uut.request.next = Pending {
            registers,
            invalidates: !registers,
            index: 5u64.into(),
            npages: 1u64.into(),
            pd: 3u64.into(),
            key_byte: 9u64.into(),
            ..Default::default()
        };
        uut.entry.next = MrEntry {
            state: 1u64.into(),
            kind: kind.into(),
            pd: 3u64.into(),
            key_byte: 9u64.into(),
            max_pages: 1u64.into(),
            ..Default::default()
        };
        simulate(&mut uut, 100);
        let word: num_bigint::BigUint = uut.checks.val().into();
        (word.try_into().unwrap(), uut.wrong_key.val())
    }

    #[test]
    fn b4_c4_only_mem_reg_is_registered_or_invalidated() {
        for registers in [true, false] {
            assert_eq!(of_kind(1, registers), (0, false));
            for kind in [0, 2, 3] {
                assert_eq!(of_kind(kind, registers), (1 << 3, false), "type {kind}");
            }
        }
    }
}
