//! Byte count and first byte of a request (rule TL5). Combinational.
use rust_hdl::prelude::*;

/// Bytes that a memory request asks for.
#[derive(LogicBlock, Default)]
pub struct ByteCount {
    /// DW, 1 to 1024.
    pub length: Signal<In, Bits<11>>,
    /// Byte enables of the first DW.
    pub first: Signal<In, Bits<4>>,
    /// Byte enables of the last DW; of no account when there is one DW.
    pub last: Signal<In, Bits<4>>,
    /// Bytes from the first to the last one enabled; 1 when there are none.
    pub count: Signal<Out, Bits<13>>,
    /// Index of the first byte in its DW.
    pub lane: Signal<Out, Bits<2>>,
    below: Signal<Local, Bits<2>>,
    above: Signal<Local, Bits<2>>,
    ends: Signal<Local, Bits<4>>,
    whole: Signal<Local, Bits<13>>,
    missing: Signal<Local, Bits<13>>,
}

impl Logic for ByteCount {
    #[hdl_gen]
    fn update(&mut self) {
        self.ends.next = self.last.val();
        if self.length.val() == 1 {
            self.ends.next = self.first.val();
        }
        // Disabled bytes below the first and above the last enabled one.
        self.below.next = 0.into();
        if self.first.val().get_bit(0) {
            self.below.next = 0.into();
        } else if self.first.val().get_bit(1) {
            self.below.next = 1.into();
        } else if self.first.val().get_bit(2) {
            self.below.next = 2.into();
        } else if self.first.val().get_bit(3) {
            self.below.next = 3.into();
        }
        self.above.next = 3.into();
        if self.ends.val().get_bit(3) {
            self.above.next = 0.into();
        } else if self.ends.val().get_bit(2) {
            self.above.next = 1.into();
        } else if self.ends.val().get_bit(1) {
            self.above.next = 2.into();
        }
        self.whole.next = bit_cast::<13, 11>(self.length.val()) << 2;
        self.missing.next = bit_cast::<13, 2>(self.below.val()) + bit_cast::<13, 2>(self.above.val());
        // With no byte enabled `below` is 0 and `above` 3: one byte, as TL5 wants.
        self.count.next = self.whole.val() - self.missing.val();
        self.lane.next = self.below.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcie::model;

    #[test]
    fn tl5_byte_count_of_all_byte_enables_and_lengths_1_to_3() {
        let mut uut = ByteCount::default();
        uut.connect_all();
        for length in [1u32, 2, 3, 1024] {
            for code in 0..256u32 {
                let (first, last) = (code as u8 & 15, (code >> 4) as u8);
                if (length > 1) != (last != 0) || (length > 1 && first == 0) {
                    continue;
                }
                uut.length.next = bits(length.into());
                uut.first.next = bits(first.into());
                uut.last.next = bits(last.into());
                assert!(simulate(&mut uut, 10));
                let case = format!("length {length} first {first:x} last {last:x}");
                assert_eq!(uut.count.val(), bits(model::byte_count(length, first, last).into()), "{case}");
                assert_eq!(uut.lane.val(), bits(model::lower_lane(first).into()), "{case}");
            }
        }
    }
}
