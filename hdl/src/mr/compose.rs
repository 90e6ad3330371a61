//! The table row after an operation: one write changes all of it (B24, I3). Combinational.
use super::layout::{MrEntry, Pending};
use rust_hdl::prelude::*;

/// New row from the old one.
#[derive(LogicBlock, Default)]
pub struct Compose {
    /// The operation.
    pub request: Signal<In, Pending>,
    /// The row as read.
    pub entry: Signal<In, MrEntry>,
    /// It has to wait for accesses in flight.
    pub drains: Signal<In, Bit>,
    /// State once it has not.
    pub settled: Signal<In, Bits<2>>,
    /// The row to write.
    pub row: Signal<Out, MrEntry>,
    made: Signal<Local, MrEntry>,
}

impl Logic for Compose {
    #[hdl_gen]
    fn update(&mut self) {
        self.made.next = self.entry.val();
        if self.request.val().registers {
            self.made.next.state = 2.into();
            self.made.next.key_byte = self.request.val().key_byte;
            self.made.next.access = self.request.val().access;
            self.made.next.page_shift = self.request.val().page_shift;
            self.made.next.iova_low = self.request.val().iova_low;
            self.made.next.iova_high = self.request.val().iova_high;
            self.made.next.length = bit_cast::<40, 32>(self.request.val().length);
            self.made.next.fbo = bit_cast::<30, 21>(self.request.val().fbo);
            self.made.next.npages = self.request.val().npages;
        } else if self.request.val().allocates {
            // A6: no access, length 0.
            self.made.next = bits::<239>(0).into();
            self.made.next.state = 1.into();
            self.made.next.kind = 1.into();
            self.made.next.key_byte = self.request.val().key_byte;
            self.made.next.pd = self.request.val().pd;
            self.made.next.page_base = bit_cast::<24, 32>(self.request.val().iova_low);
            self.made.next.max_pages = self.request.val().npages;
        } else if self.request.val().invalidates | self.request.val().deregisters {
            // Key, rights and key byte stay: C2 and C12 look at them while FREE, A19 while UNALLOC.
            self.made.next.state = self.settled.val();
            if self.drains.val() {
                self.made.next.state = 3.into();
            }
        }
        self.row.next = self.made.val();
    }
}
