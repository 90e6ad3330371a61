//! Memory of 32-bit words that reads as zero until written.
//!
//! A flag a word tells what has been written since the last `reset`, so that neither start-up contents (rule T9) nor a reset
//! costs a sweep over the RAM. Latency of a read: one cycle after `read_index`; a word written in the same cycle reads old.
use crate::widgets::Memory;
use rust_hdl::prelude::*;

/// N = 2^A words.
#[derive(LogicBlock, Default)]
pub struct Words<const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// All words read as zero from the next cycle on.
    pub reset: Signal<In, Bit>,
    /// Stores `data`.
    pub write: Signal<In, Bit>,
    /// Word to write.
    pub write_index: Signal<In, Bits<A>>,
    /// What to store.
    pub data: Signal<In, Bits<32>>,
    /// Word to read.
    pub read_index: Signal<In, Bits<A>>,
    /// The word of one cycle ago.
    pub out: Signal<Out, Bits<32>>,
    memory: Memory<Bits<32>, A>,
    written: DFF<Bits<N>>,
    shown: DFF<Bit>,
    one: Signal<Local, Bits<N>>,
    mask: Signal<Local, Bits<N>>,
}

impl<const N: usize, const A: usize> Logic for Words<N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, written, shown);
        clock!(self, clock, memory);
        self.memory.read.next = true;
        self.memory.read_address.next = self.read_index.val();
        self.memory.write.next = self.write.val();
        self.memory.write_address.next = self.write_index.val();
        self.memory.data.next = self.data.val();
        self.one.next = 1.into();
        self.mask.next = 0.into();
        if self.write.val() {
            self.mask.next = self.one.val() << self.write_index.val();
        }
        self.written.d.next = self.written.q.val() | self.mask.val();
        self.shown.d.next = self.written.q.val().get_bit(self.read_index.val().index());
        if self.reset.val() {
            self.written.d.next = 0.into();
            self.shown.d.next = false;
        }
        self.out.next = 0.into();
        if self.shown.q.val() {
            self.out.next = self.memory.out.val();
        }
    }
}
