//! Checks of single fields of REG_MR and LOCAL_INV: B1, B3, B8 to B12, B16 (alignment and upper bits). Combinational.
use super::layout::{Checks, RegisterWqe};
use rust_hdl::prelude::*;

/// Judges what one field tells without sums and without the table.
#[derive(LogicBlock, Default)]
pub struct FieldChecks {
    /// The WQE.
    pub wqe: Signal<In, RegisterWqe>,
    /// It is a REG_MR.
    pub registers: Signal<In, Bit>,
    /// It is a LOCAL_INV.
    pub invalidates: Signal<In, Bit>,
    /// MAX_PL of the preset.
    pub max_pages: Signal<In, Bits<16>>,
    /// max_mr_len of the preset.
    pub max_length: Signal<In, Bits<32>>,
    /// What failed.
    pub checks: Signal<Out, Checks>,
    shape: WqeShape,
    access: Signal<Local, Bits<8>>,
    remote_write: Signal<Local, Bit>,
    npages: Signal<Local, Bits<16>>,
    length: Signal<Local, Bits<32>>,
    found: Signal<Local, Checks>,
}

impl Logic for FieldChecks {
    #[hdl_gen]
    fn update(&mut self) {
        self.shape.wqe.next = self.wqe.val();
        self.access.next = self.wqe.val().access;
        self.npages.next = self.wqe.val().npages;
        self.length.next = self.wqe.val().length_low;
        self.remote_write.next = self.access.val().get_bit(1) | self.access.val().get_bit(3);
        self.found.next = bits::<18>(0).into();
        self.found.next.index_zero = self.wqe.val().index == 0;
        if self.registers.val() {
            self.found.next.format = self.shape.register_bad.val();
            // B9: bits 4, 6 and 7 are undefined (4 is RINV, set by hardware alone). Atomics are offered.
            self.found.next.access = (self.remote_write.val() & !self.access.val().get_bit(0))
                | self.access.val().get_bit(4)
                | self.access.val().get_bit(6)
                | self.access.val().get_bit(7);
            self.found.next.page_shift = (self.wqe.val().page_shift < 12) | (self.wqe.val().page_shift > 21);
            self.found.next.count = (self.npages.val() == 0) | (self.npages.val() > self.max_pages.val());
            self.found.next.length = (self.wqe.val().length_high != 0)
                | (self.length.val() == 0)
                | (self.length.val() > self.max_length.val());
            self.found.next.list =
                !self.wqe.val().inline_list & ((self.wqe.val().list_byte != 0) | (self.wqe.val().list_beyond != 0));
        } else {
            self.found.next.format = !self.invalidates.val() | self.shape.invalidate_bad.val();
        }
        self.checks.next = self.found.val();
    }
}

/// B1 and B27: reserved bits, block count, number of inline pages, and that what the opcode does not use is 0.
#[derive(LogicBlock, Default)]
pub struct WqeShape {
    /// The WQE.
    pub wqe: Signal<In, RegisterWqe>,
    /// Wrong as a REG_MR.
    pub register_bad: Signal<Out, Bit>,
    /// Wrong as a LOCAL_INV.
    pub invalidate_bad: Signal<Out, Bit>,
    npages: Signal<Local, Bits<16>>,
    common: Signal<Local, Bit>,
    list: Signal<Local, Bit>,
    pages: Signal<Local, Bit>,
    fields: Signal<Local, Bit>,
    unused: Signal<Local, Bit>,
}

impl Logic for WqeShape {
    #[hdl_gen]
    fn update(&mut self) {
        self.npages.next = self.wqe.val().npages;
        self.common.next = (self.wqe.val().blocks != 1) | self.wqe.val().solicited | (self.wqe.val().flags_zero != 0);
        self.list.next = (self.wqe.val().list_byte != 0)
            | (self.wqe.val().line_low != 0)
            | (self.wqe.val().line_high != 0)
            | (self.wqe.val().list_beyond != 0);
        self.pages.next = (self.wqe.val().page1 != 0) | (self.wqe.val().page2 != 0) | (self.wqe.val().page3 != 0);
        self.unused.next = self.pages.val();
        if self.wqe.val().inline_list {
            // No page at all is B11's, whatever stands in the place of the first.
            self.unused.next = (self.npages.val() > 4)
                | ((self.npages.val() < 4) & (self.wqe.val().page3 != 0))
                | ((self.npages.val() < 3) & (self.wqe.val().page2 != 0))
                | ((self.npages.val() < 2) & (self.wqe.val().page1 != 0));
        }
        self.register_bad.next = self.common.val() | (self.wqe.val().zero != 0) | self.unused.val();
        self.fields.next = self.wqe.val().inline_list
            | (self.wqe.val().access != 0)
            | (self.wqe.val().page_shift != 0)
            | (self.wqe.val().zero != 0)
            | (self.wqe.val().npages != 0)
            | (self.wqe.val().fbo != 0)
            | (self.wqe.val().iova_low != 0)
            | (self.wqe.val().iova_high != 0)
            | (self.wqe.val().length_low != 0)
            | (self.wqe.val().length_high != 0);
        self.invalidate_bad.next = self.common.val() | self.fields.val() | self.list.val() | self.pages.val();
    }
}
