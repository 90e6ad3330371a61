//! Byte order of header DWs. Combinational.
use rust_hdl::prelude::*;

/// Reverses the bytes of each of the two DWs: headers go most significant byte first, the stream lowest byte first.
#[derive(LogicBlock, Default)]
pub struct SwapDwords {
    /// Two DW.
    pub data: Signal<In, Bits<64>>,
    /// The lower one reversed.
    pub low: Signal<Out, Bits<32>>,
    /// The upper one reversed.
    pub high: Signal<Out, Bits<32>>,
    bytes: [Signal<Local, Bits<32>>; 8],
}

impl Logic for SwapDwords {
    #[hdl_gen]
    fn update(&mut self) {
        self.bytes[0].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(0));
        self.bytes[1].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(8));
        self.bytes[2].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(16));
        self.bytes[3].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(24));
        self.bytes[4].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(32));
        self.bytes[5].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(40));
        self.bytes[6].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(48));
        self.bytes[7].next = bit_cast::<32, 8>(self.data.val().get_bits::<8>(56));
        self.low.next = (self.bytes[0].val() << 24)
            | (self.bytes[1].val() << 16)
            | (self.bytes[2].val() << 8)
            | self.bytes[3].val();
        self.high.next = (self.bytes[4].val() << 24)
            | (self.bytes[5].val() << 16)
            | (self.bytes[6].val() << 8)
            | self.bytes[7].val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_words_go_most_significant_byte_first() {
        let mut uut = SwapDwords::default();
        uut.connect_all();
        uut.data.next = bits(u64::from_le_bytes([0x40, 0, 0, 1, 0, 0, 0x12, 0x0F]));
        assert!(simulate(&mut uut, 10));
        assert_eq!(uut.low.val(), bits(0x4000_0001));
        assert_eq!(uut.high.val(), bits(0x0000_120F));
    }
}
