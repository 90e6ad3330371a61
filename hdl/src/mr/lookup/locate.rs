//! Finds the page entry of an access and its offset in the page (E8). Latency three cycles, one a cycle.
//!
//! Stage 1 and 2 shift the page number right by the page size in steps of 1 and 4, stage 3 adds the first entry of the
//! region. The first piece ends at the next 4 KiB boundary of the bus address (E9); pages are 4 KiB at least and aligned.
use super::access::Place;
use crate::record;
use rust_hdl::prelude::*;

record! {
    /// What travels beside the read of the page entry.
    Beside, 34 {
        /// Offset in the page.
        offset: Bits<21>,
        /// Bytes of the first piece.
        bytes: Bits<13>,
    }
}

/// Inputs belong to one access; outputs follow three cycles later.
#[derive(LogicBlock, Default)]
pub struct Locate {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The place.
    pub place: Signal<In, Place>,
    /// Byte of the page list; for the local DMA lkey the low bits of the address.
    pub target: Signal<In, Bits<41>>,
    /// Number of the page entry in the page buffer.
    pub slot: Signal<Out, Bits<24>>,
    /// Offset and length.
    pub beside: Signal<Out, Beside>,
    step: Signal<Local, Bits<4>>,
    fine: Signal<Local, Bits<2>>,
    coarse: Signal<Local, Bits<4>>,
    whole: Signal<Local, Bits<29>>,
    page: Signal<Local, Bits<29>>,
    below: Signal<Local, Bits<21>>,
    ones: Signal<Local, Bits<21>>,
    four_kib: Signal<Local, Bits<13>>,
    in_frame: Signal<Local, Bits<13>>,
    zeroth: DFF<Place>,
    shifted: DFF<Bits<29>>,
    above: DFF<Bits<21>>,
    low: DFF<Bits<21>>,
    first: DFF<Place>,
    number: DFF<Bits<24>>,
    rest: DFF<Bits<21>>,
    left: DFF<Bits<13>>,
    entry: DFF<Bits<24>>,
    offset: DFF<Bits<21>>,
    bytes: DFF<Bits<13>>,
    length: Signal<Local, Bits<32>>,
    most: Signal<Local, Bits<32>>,
    piece: Signal<Local, Beside>,
}

impl Logic for Locate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, zeroth, shifted, above, low, first, number, rest, left, entry, offset, bytes);
        self.step.next = self.place.val().step;
        self.fine.next = self.step.val().get_bits::<2>(0);
        self.whole.next = self.target.val().get_bits::<29>(12);
        self.ones.next = 0x1F_F000.into();
        self.shifted.d.next = self.whole.val() >> self.fine.val();
        self.above.d.next = self.ones.val() << self.step.val();
        self.low.d.next = self.target.val().get_bits::<21>(0);
        self.zeroth.d.next = self.place.val();

        self.coarse.next = (self.zeroth.q.val().step >> 2) << 2;
        self.page.next = self.shifted.q.val() >> self.coarse.val();
        self.number.d.next = self.page.val().get_bits::<24>(0);
        self.below.next = !self.above.q.val();
        self.rest.d.next = self.low.q.val() & self.below.val();
        self.in_frame.next = bit_cast::<13, 12>(self.low.q.val().get_bits::<12>(0));
        self.four_kib.next = 4096.into();
        self.left.d.next = self.four_kib.val() - self.in_frame.val();
        self.first.d.next = self.zeroth.q.val();

        self.entry.d.next = self.first.q.val().page_base + self.number.q.val();
        self.offset.d.next = self.rest.q.val();
        self.bytes.d.next = self.left.q.val();
        self.length.next = self.first.q.val().length;
        self.most.next = bit_cast::<32, 13>(self.left.q.val());
        if self.length.val() < self.most.val() {
            self.bytes.d.next = bit_cast::<13, 32>(self.length.val());
        }
        self.slot.next = self.entry.q.val();
        self.piece.next.offset = self.offset.q.val();
        self.piece.next.bytes = self.bytes.q.val();
        self.beside.next = self.piece.val();
    }
}
