//! Data of reads under way: a slot of 512 bytes a tag, written DW by DW, read beat by beat.
//!
//! Two banks, for even and odd DWs, take any two DWs that follow each other: completions need no shifting. Read latency one
//! cycle.
use super::records::PayloadBeat;
use crate::widgets::LooseMemory;
use rust_hdl::prelude::*;

/// Memory of eight slots.
#[derive(LogicBlock, Default)]
pub struct ReadStore {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A completion begins: its first DW goes to DW `start` of its slot.
    pub begins: Signal<In, Bit>,
    /// DW in the slot.
    pub start: Signal<In, Bits<7>>,
    /// Slot.
    pub tag: Signal<In, Bits<3>>,
    /// Payload.
    pub payload: Signal<In, PayloadBeat>,
    /// It is to be stored.
    pub write: Signal<In, Bit>,
    /// Reads a beat.
    pub read: Signal<In, Bit>,
    /// Its slot,
    pub read_tag: Signal<In, Bits<3>>,
    /// and its place there.
    pub read_beat: Signal<In, Bits<6>>,
    /// The beat.
    pub beat: Signal<Out, Bits<64>>,
    even: LooseMemory<Bits<32>, 9>,
    odd: LooseMemory<Bits<32>, 9>,
    place: DFF<Bits<7>>,
    at: Signal<Local, Bits<7>>,
    after: Signal<Local, Bits<7>>,
    whole: Signal<Local, Bits<64>>,
    first: Signal<Local, Bits<32>>,
    second: Signal<Local, Bits<32>>,
    both: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    row: Signal<Local, Bits<9>>,
    next_row: Signal<Local, Bits<9>>,
    wanted: Signal<Local, Bits<9>>,
}

impl Logic for ReadStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place);
        clock!(self, clock, even, odd);
        self.whole.next = self.payload.val().data;
        self.both.next = self.payload.val().low & self.payload.val().high;
        self.some.next = self.write.val() & (self.payload.val().low | self.payload.val().high);
        self.first.next = self.whole.val().get_bits::<32>(0);
        if !self.payload.val().low {
            self.first.next = self.whole.val().get_bits::<32>(32);
        }
        self.second.next = self.whole.val().get_bits::<32>(32);
        self.at.next = self.place.q.val();
        if self.begins.val() {
            self.at.next = self.start.val();
        }
        self.after.next = self.at.val();
        if self.both.val() {
            self.after.next = self.at.val() + 2;
        } else if self.payload.val().low | self.payload.val().high {
            self.after.next = self.at.val() + 1;
        }
        self.place.d.next = self.after.val();
        self.row.next = (bit_cast::<9, 3>(self.tag.val()) << 6) | bit_cast::<9, 6>(self.at.val().get_bits::<6>(1));
        self.next_row.next = self.row.val() + 1;
        self.even.write_address.next = self.row.val();
        self.odd.write_address.next = self.row.val();
        self.even.data.next = self.first.val();
        self.odd.data.next = self.second.val();
        self.even.write.next = self.some.val();
        self.odd.write.next = self.some.val() & self.both.val();
        if self.at.val().get_bit(0) {
            self.even.write_address.next = self.next_row.val();
            self.even.data.next = self.second.val();
            self.odd.data.next = self.first.val();
            self.even.write.next = self.some.val() & self.both.val();
            self.odd.write.next = self.some.val();
        }
        self.wanted.next = (bit_cast::<9, 3>(self.read_tag.val()) << 6) | bit_cast::<9, 6>(self.read_beat.val());
        self.even.read.next = self.read.val();
        self.odd.read.next = self.read.val();
        self.even.read_address.next = self.wanted.val();
        self.odd.read_address.next = self.wanted.val();
        self.beat.next = (bit_cast::<64, 32>(self.odd.out.val()) << 32) | bit_cast::<64, 32>(self.even.out.val());
    }
}
