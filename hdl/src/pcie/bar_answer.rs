//! Header of the completion that answers a request (rules TL5, TL7, BA2, BA3). Combinational.
use super::byte_count::ByteCount;
use super::records::{BarRequest, TlpHeader};
use rust_hdl::prelude::*;

/// Builder of completions; they are never split, since a BAR read has at most 64 bytes.
#[derive(LogicBlock, Default)]
pub struct BarAnswer {
    /// The request.
    pub request: Signal<In, BarRequest>,
    /// Status; data follows when it is 0.
    pub status: Signal<In, Bits<3>>,
    /// Completer id.
    pub device_id: Signal<In, Bits<16>>,
    /// The header.
    pub header: Signal<Out, TlpHeader>,
    bytes: ByteCount,
    offset: Signal<Local, Bits<16>>,
    length: Signal<Local, Bits<11>>,
    count: Signal<Local, Bits<32>>,
    lower: Signal<Local, Bits<32>>,
    done: Signal<Local, Bit>,
}

impl Logic for BarAnswer {
    #[hdl_gen]
    fn update(&mut self) {
        self.bytes.length.next = self.request.val().length;
        self.bytes.first.next = self.request.val().first;
        self.bytes.last.next = self.request.val().last;
        self.length.next = self.request.val().length;
        self.offset.next = self.request.val().address;
        self.done.next = self.status.val() == 0;
        self.count.next = bit_cast::<32, 12>(self.bytes.count.val().get_bits::<12>(0));
        self.lower.next =
            (bit_cast::<32, 5>(self.offset.val().get_bits::<5>(2)) << 2) | bit_cast::<32, 2>(self.bytes.lane.val());
        if self.request.val().word {
            self.count.next = 4.into();
            self.lower.next = 0.into();
        }
        self.header.next.dw0 = 0x0A00_0000.into();
        if self.done.val() {
            self.header.next.dw0 = bit_cast::<32, 11>(self.length.val()) | 0x4A00_0000;
        }
        self.header.next.dw1 = (bit_cast::<32, 16>(self.device_id.val()) << 16)
            | (bit_cast::<32, 3>(self.status.val()) << 13)
            | self.count.val();
        self.header.next.dw2 = (bit_cast::<32, 16>(self.request.val().requester) << 16)
            | (bit_cast::<32, 8>(self.request.val().tag) << 8)
            | self.lower.val();
        self.header.next.dw3 = 0.into();
        self.header.next.long = false;
        self.header.next.data = self.done.val();
        self.header.next.upper = false;
        // `queue::ANSWERS`.
        self.header.next.queue = 1.into();
    }
}
