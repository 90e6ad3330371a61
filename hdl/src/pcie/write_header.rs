//! Header of a memory write (rules TL1, TL2). Combinational.
use super::records::TlpHeader;
use rust_hdl::prelude::*;

/// Builder of memory writes of the DMA.
#[derive(LogicBlock, Default)]
pub struct WriteHeader {
    /// Requester id.
    pub device_id: Signal<In, Bits<16>>,
    /// Bus address of the beat in which the payload begins.
    pub address: Signal<In, Bits<64>>,
    /// It begins in the upper half of that beat.
    pub upper: Signal<In, Bit>,
    /// DW.
    pub dwords: Signal<In, Bits<8>>,
    /// Byte enables of the first DW.
    pub first: Signal<In, Bits<4>>,
    /// Byte enables of the last DW; of no account when there is one DW.
    pub last: Signal<In, Bits<4>>,
    /// The header.
    pub header: Signal<Out, TlpHeader>,
    ends: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    long: Signal<Local, Bit>,
}

impl Logic for WriteHeader {
    #[hdl_gen]
    fn update(&mut self) {
        self.ends.next = self.last.val();
        if self.dwords.val() == 1 {
            self.ends.next = 0.into();
        }
        self.low.next = bit_cast::<32, 29>(self.address.val().get_bits::<29>(3)) << 3;
        if self.upper.val() {
            self.low.next = (bit_cast::<32, 29>(self.address.val().get_bits::<29>(3)) << 3) | 4;
        }
        self.high.next = self.address.val().get_bits::<32>(32);
        self.long.next = self.high.val().any();
        self.header.next.dw0 = bit_cast::<32, 8>(self.dwords.val()) | 0x4000_0000;
        self.header.next.dw2 = self.low.val();
        if self.long.val() {
            self.header.next.dw0 = bit_cast::<32, 8>(self.dwords.val()) | 0x6000_0000;
            self.header.next.dw2 = self.high.val();
        }
        self.header.next.dw1 = (bit_cast::<32, 16>(self.device_id.val()) << 16)
            | (bit_cast::<32, 4>(self.ends.val()) << 4)
            | bit_cast::<32, 4>(self.first.val());
        self.header.next.dw3 = self.low.val();
        self.header.next.long = self.long.val();
        self.header.next.data = true;
        self.header.next.upper = self.upper.val();
        // `queue::WRITES`.
        self.header.next.queue = 0.into();
    }
}
