//! Header of a memory read (rules TL1, TL2, TL3), and the bytes that it asks for. Combinational.
use super::records::{ReadPiece, TlpHeader};
use rust_hdl::prelude::*;

/// Builder of memory reads.
#[derive(LogicBlock, Default)]
pub struct ReadHeader {
    /// Requester id.
    pub device_id: Signal<In, Bits<16>>,
    /// What to read.
    pub piece: Signal<In, ReadPiece>,
    /// Tag.
    pub tag: Signal<In, Bits<3>>,
    /// The header.
    pub header: Signal<Out, TlpHeader>,
    /// Bytes, 1 to 512.
    pub bytes: Signal<Out, Bits<10>>,
    address: Signal<Local, Bits<64>>,
    beats: Signal<Local, Bits<10>>,
    skipped: Signal<Local, Bits<10>>,
    dwords: Signal<Local, Bits<8>>,
    all: Signal<Local, Bits<4>>,
    first: Signal<Local, Bits<4>>,
    last: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
}

impl Logic for ReadHeader {
    #[hdl_gen]
    fn update(&mut self) {
        self.address.next = self.piece.val().address;
        self.beats.next = bit_cast::<10, 6>(self.piece.val().more) + 1;
        self.skipped.next = bit_cast::<10, 3>(self.address.val().get_bits::<3>(0));
        self.bytes.next = (self.beats.val() << 3) - self.skipped.val();
        self.dwords.next = bit_cast::<8, 7>(self.beats.val().get_bits::<7>(0)) << 1;
        if self.address.val().get_bit(2) {
            self.dwords.next = (bit_cast::<8, 7>(self.beats.val().get_bits::<7>(0)) << 1) - 1;
        }
        self.all.next = 15.into();
        self.first.next = self.all.val() << self.address.val().get_bits::<2>(0);
        self.last.next = 15.into();
        if self.dwords.val() == 1 {
            self.last.next = 0.into();
        }
        self.low.next = bit_cast::<32, 30>(self.address.val().get_bits::<30>(2)) << 2;
        self.high.next = self.address.val().get_bits::<32>(32);
        self.header.next.dw0 = bit_cast::<32, 8>(self.dwords.val());
        self.header.next.dw2 = self.low.val();
        self.header.next.long = self.high.val().any();
        if self.high.val().any() {
            self.header.next.dw0 = bit_cast::<32, 8>(self.dwords.val()) | 0x2000_0000;
            self.header.next.dw2 = self.high.val();
        }
        self.header.next.dw1 = (bit_cast::<32, 16>(self.device_id.val()) << 16)
            | (bit_cast::<32, 3>(self.tag.val()) << 8)
            | (bit_cast::<32, 4>(self.last.val()) << 4)
            | bit_cast::<32, 4>(self.first.val());
        self.header.next.dw3 = self.low.val();
        self.header.next.data = false;
        self.header.next.upper = false;
        self.header.next.queue = 0.into();
    }
}
