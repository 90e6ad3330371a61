//! Answer words of QUERY_MR from a table row. Combinational.
use super::layout::MrEntry;
use rust_hdl::prelude::*;

/// The word of a number, 0 to 11.
#[derive(LogicBlock, Default)]
pub struct QueryWords {
    /// MR index.
    pub index: Signal<In, Bits<32>>,
    /// Its row.
    pub entry: Signal<In, MrEntry>,
    /// Its generation.
    pub generation: Signal<In, Bits<32>>,
    /// Accesses in flight.
    pub in_flight: Signal<In, Bits<12>>,
    /// Number of the word.
    pub number: Signal<In, Bits<4>>,
    /// The word.
    pub word: Signal<Out, Bits<32>>,
    key: Signal<Local, Bits<32>>,
    attributes: Signal<Local, Bits<32>>,
    pages: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<40>>,
}

impl Logic for QueryWords {
    #[hdl_gen]
    fn update(&mut self) {
        self.attributes.next = (bit_cast::<32, 5>(self.entry.val().page_shift) << 24)
            | (bit_cast::<32, 8>(self.entry.val().access) << 16)
            | (bit_cast::<32, 2>(self.entry.val().kind) << 8)
            | bit_cast::<32, 2>(self.entry.val().state);
        self.key.next = (self.index.val() << 8) | bit_cast::<32, 8>(self.entry.val().key_byte);
        self.pages.next =
            (bit_cast::<32, 16>(self.entry.val().max_pages) << 16) | bit_cast::<32, 16>(self.entry.val().npages);
        self.length.next = self.entry.val().length;
        self.word.next = 0.into();
        if self.number.val() == 0 {
            self.word.next = self.attributes.val();
        } else if self.number.val() == 1 {
            self.word.next = self.key.val();
        } else if self.number.val() == 2 {
            self.word.next = bit_cast::<32, 24>(self.entry.val().pd);
        } else if self.number.val() == 3 {
            self.word.next = self.pages.val();
        } else if self.number.val() == 4 {
            self.word.next = self.entry.val().iova_low;
        } else if self.number.val() == 5 {
            self.word.next = self.entry.val().iova_high;
        } else if self.number.val() == 6 {
            self.word.next = self.length.val().get_bits::<32>(0);
        } else if self.number.val() == 7 {
            self.word.next = bit_cast::<32, 8>(self.length.val().get_bits::<8>(32));
        } else if self.number.val() == 8 {
            self.word.next = bit_cast::<32, 30>(self.entry.val().fbo);
        } else if self.number.val() == 9 {
            self.word.next = bit_cast::<32, 24>(self.entry.val().page_base);
        } else if self.number.val() == 10 {
            self.word.next = self.generation.val();
        } else if self.number.val() == 11 {
            self.word.next = bit_cast::<32, 12>(self.in_flight.val());
        }
    }
}
