//! Block RAM for readers that do not care what a colliding read returns.
use super::memory::UNDEFINED_START;
use rust_hdl::prelude::*;

/// Simple dual-port RAM of 2^A words as [`super::Memory`], but a read in the cycle of a write to the same word returns anything.
///
/// The block RAMs of ECP5 have no "old word" across ports: keeping it costs a register a bit twice and a multiplexer behind the
/// RAM (measured in `mr` of `small`: 1,010 LUT4 and 1,688 flip-flops). In simulation and in proofs such a read keeps the word
/// before in `out`, so that nothing can rely on the old word without a test that fails.
#[derive(LogicBlock, Default)]
pub struct LooseMemory<T: Synth, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Loads `out` from `read_address`; `out` holds otherwise.
    pub read: Signal<In, Bit>,
    /// Word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word read one cycle ago.
    pub out: Signal<Out, T>,
    /// Stores `data` at `write_address`.
    pub write: Signal<In, Bit>,
    /// Word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// Word to store.
    pub data: Signal<In, T>,
    _words: Vec<T>,
}

impl<T: Synth, const A: usize> Logic for LooseMemory<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self._words.resize(1 << A, T::default());
            let collides = self.write.val() && self.read_address.val() == self.write_address.val();
            if self.read.val() && !collides {
                self.out.next = self._words[self.read_address.val().index()];
            }
            if self.write.val() {
                self._words[self.write_address.val().index()] = self.data.val();
            }
        }
    }
    fn connect(&mut self) {
        self.out.connect();
    }
    fn hdl(&self) -> Verilog {
        let (width, last) = (T::BITS - 1, (1usize << A) - 1);
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{width}:0] words [0:{last}];
{UNDEFINED_START} words {last} out
always @(posedge clock) begin
`ifdef SYNTHESIS
    if (read) out <= words[read_address];
`else
    if (read && !(write && read_address == write_address)) out <= words[read_address];
`endif
    if (write) words[write_address] <= data;
end"
        ))
    }
}
