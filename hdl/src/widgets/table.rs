//! Table with several readers.
use super::Memory;
use rust_hdl::prelude::*;

/// 2^A rows, one copy for each of READERS readers: latency one cycle, a colliding read returns the old row.
///
/// The reset sequencer clears it: while `clearing` is set, row `clear_index` becomes 0.
#[derive(LogicBlock)]
pub struct Table<T: Synth, const A: usize, const READERS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Writes `data` to row `write_index` of all copies.
    pub write: Signal<In, Bit>,
    /// Row to write.
    pub write_index: Signal<In, Bits<A>>,
    /// Row contents.
    pub data: Signal<In, T>,
    /// Clears row `clear_index`; goes before `write`.
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Row that each reader wants.
    pub index: [Signal<In, Bits<A>>; READERS],
    /// What each reader asked for one cycle ago.
    pub out: [Signal<Out, T>; READERS],
    copies: [Memory<T, A>; READERS],
    row: Signal<Local, Bits<A>>,
    value: Signal<Local, T>,
    zero: Constant<T>,
}

impl<T: Synth, const A: usize, const READERS: usize> Default for Table<T, A, READERS> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            write: Default::default(),
            write_index: Default::default(),
            data: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            index: std::array::from_fn(|_| Default::default()),
            out: std::array::from_fn(|_| Default::default()),
            copies: std::array::from_fn(|_| Default::default()),
            row: Default::default(),
            value: Default::default(),
            zero: Constant::new(T::default()),
        }
    }
}

impl<T: Synth, const A: usize, const READERS: usize> Logic for Table<T, A, READERS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.row.next = self.write_index.val();
        self.value.next = self.data.val();
        if self.clearing.val() {
            self.row.next = bit_cast::<A, 16>(self.clear_index.val());
            self.value.next = self.zero.val();
        }
        for i in 0..READERS {
            self.copies[i].clock.next = self.clock.val();
            self.copies[i].read.next = true;
            self.copies[i].read_address.next = self.index[i].val();
            self.out[i].next = self.copies[i].out.val();
            self.copies[i].write.next = self.write.val() | self.clearing.val();
            self.copies[i].write_address.next = self.row.val();
            self.copies[i].data.next = self.value.val();
        }
    }
}
