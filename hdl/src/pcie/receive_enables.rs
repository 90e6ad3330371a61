//! Byte enables of a memory request (rule TL3). Combinational.
use rust_hdl::prelude::*;

/// Whether byte enables and length fit.
#[derive(LogicBlock, Default)]
pub struct EnableCheck {
    /// DW, 1 to 1024.
    pub length: Signal<In, Bits<11>>,
    /// Byte enables of the first DW.
    pub first: Signal<In, Bits<4>>,
    /// Byte enables of the last DW.
    pub last: Signal<In, Bits<4>>,
    /// They keep TL3.
    pub fine: Signal<Out, Bit>,
    runs_up: Signal<Local, Bit>,
    runs_down: Signal<Local, Bit>,
}

impl Logic for EnableCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.runs_up.next =
            (self.first.val() == 15) | (self.first.val() == 14) | (self.first.val() == 12) | (self.first.val() == 8);
        self.runs_down.next =
            (self.last.val() == 15) | (self.last.val() == 7) | (self.last.val() == 3) | (self.last.val() == 1);
        self.fine.next = self.runs_up.val() & self.runs_down.val();
        if self.length.val() == 1 {
            self.fine.next = self.last.val() == 0;
        } else if self.length.val() == 2 {
            self.fine.next = self.first.val().any() & self.last.val().any();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcie::model;

    #[test]
    fn tl3_all_byte_enables_for_lengths_1_to_4() {
        let mut uut = EnableCheck::default();
        uut.connect_all();
        for length in [1u32, 2, 3, 4, 1024] {
            for code in 0..256u32 {
                let (first, last) = (code as u8 & 15, (code >> 4) as u8);
                uut.length.next = bits(length.into());
                uut.first.next = bits(first.into());
                uut.last.next = bits(last.into());
                assert!(simulate(&mut uut, 10));
                let wanted = model::enables_fine(length, first, last);
                assert_eq!(uut.fine.val(), wanted, "length {length} first {first:x} last {last:x}");
            }
        }
    }
}
