//! MSI-X table: address, data and mask of each vector. One read port, latency one cycle; masks at any time.
use crate::widgets::LooseMemory;
use rust_hdl::prelude::*;

/// Table of 32 vectors. All are masked after a reset, as PCIe wants.
#[derive(LogicBlock, Default)]
pub struct MsixTable {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Masks all vectors.
    pub reset: Signal<In, Bit>,
    /// Writes a word of an entry.
    pub write: Signal<In, Bit>,
    /// Entry.
    pub write_index: Signal<In, Bits<5>>,
    /// Word of the entry: address, its upper half, data, mask.
    pub write_word: Signal<In, Bits<2>>,
    /// Value.
    pub data: Signal<In, Bits<32>>,
    /// Entry to read; a read in the cycle of a write to the same entry returns anything.
    pub index: Signal<In, Bits<5>>,
    /// Lower half of its address.
    pub address_low: Signal<Out, Bits<32>>,
    /// Upper half.
    pub address_high: Signal<Out, Bits<32>>,
    /// Its data.
    pub message: Signal<Out, Bits<32>>,
    /// Masks of all vectors.
    pub masks: Signal<Out, Bits<32>>,
    words: [LooseMemory<Bits<32>, 5>; 3],
    open: DFF<Bits<32>>,
    one: Signal<Local, Bits<32>>,
    bit_mask: Signal<Local, Bits<32>>,
}

impl Logic for MsixTable {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open);
        for i in 0..3 {
            self.words[i].clock.next = self.clock.val();
            self.words[i].read.next = true;
            self.words[i].read_address.next = self.index.val();
            self.words[i].write_address.next = self.write_index.val();
            self.words[i].data.next = self.data.val();
        }
        self.words[0].write.next = self.write.val() & (self.write_word.val() == 0);
        self.words[1].write.next = self.write.val() & (self.write_word.val() == 1);
        self.words[2].write.next = self.write.val() & (self.write_word.val() == 2);
        self.one.next = 1.into();
        self.bit_mask.next = self.one.val() << self.write_index.val();
        if self.write.val() & (self.write_word.val() == 3) {
            self.open.d.next = self.open.q.val() | self.bit_mask.val();
            if self.data.val().get_bit(0) {
                self.open.d.next = self.open.q.val() & !self.bit_mask.val();
            }
        }
        if self.reset.val() {
            self.open.d.next = 0.into();
        }
        self.masks.next = !self.open.q.val();
        self.address_low.next = self.words[0].out.val();
        self.address_high.next = self.words[1].out.val();
        self.message.next = self.words[2].out.val();
    }
}
