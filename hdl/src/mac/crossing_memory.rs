//! Block RAM between two clocks.
use crate::widgets::UNDEFINED_START;
use rust_hdl::prelude::*;

/// Simple dual-port RAM of 2^A words, written with one clock and read with another: latency one cycle of the reader.
///
/// A word must not be read while it is written; the pointers of [`super::FrameFifo`] keep them apart.
#[derive(LogicBlock, Default)]
pub struct CrossingMemory<T: Synth, const A: usize> {
    /// Clock of the writer.
    pub write_clock: Signal<In, Clock>,
    /// Stores `data` at `write_address`.
    pub write: Signal<In, Bit>,
    /// Word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// Word to store.
    pub data: Signal<In, T>,
    /// Clock of the reader.
    pub read_clock: Signal<In, Clock>,
    /// Loads `out` from `read_address`; `out` holds otherwise.
    pub read: Signal<In, Bit>,
    /// Word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word read one cycle ago.
    pub out: Signal<Out, T>,
    _words: Vec<T>,
}

impl<T: Synth, const A: usize> Logic for CrossingMemory<T, A> {
    fn update(&mut self) {
        self._words.resize(1 << A, T::default());
        if self.read_clock.pos_edge() && self.read.val() {
            self.out.next = self._words[self.read_address.val().index()];
        }
        if self.write_clock.pos_edge() && self.write.val() {
            self._words[self.write_address.val().index()] = self.data.val();
        }
    }
    fn connect(&mut self) {
        self.out.connect();
    }
    fn hdl(&self) -> Verilog {
        let (width, last) = (T::BITS - 1, (1usize << A) - 1);
        Verilog::Custom(format!(
            "reg [{width}:0] words [0:{last}];
{UNDEFINED_START} words {last} out
always @(posedge write_clock) if (write) words[write_address] <= data;
always @(posedge read_clock) if (read) out <= words[read_address];"
        ))
    }
}
