//! Block RAM with one read and one write port.
use rust_hdl::prelude::*;

/// Stands in the Verilog where a memory is declared; co-simulation replaces it by an initialisation, because the Rust
/// model starts with zeros and hardware does not. No block may depend on it.
pub const UNDEFINED_START: &str = "// contents undefined until written";

/// Simple dual-port RAM of 2^A words with a read enable: latency one cycle, a colliding read returns the old word.
///
/// A second reader needs a second copy. Add a register behind `out` where timing matters.
#[derive(LogicBlock, Default)]
pub struct Memory<T: Synth, const A: usize> {
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

impl<T: Synth, const A: usize> Logic for Memory<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self._words.resize(1 << A, T::default());
            if self.read.val() {
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
            "reg [{width}:0] words [0:{last}];
{UNDEFINED_START} words {last} out
always @(posedge clock) begin
    if (read) out <= words[read_address];
    if (write) words[write_address] <= data;
end"
        ))
    }
}

/// Simple dual-port RAM of 2^A words of B bytes (W = 8 B bits) with byte enables: latency one cycle, old data on collision.
#[derive(LogicBlock, Default)]
pub struct ByteMemory<const W: usize, const B: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Loads `out` from `read_address`; `out` holds otherwise.
    pub read: Signal<In, Bit>,
    /// Word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word read one cycle ago.
    pub out: Signal<Out, Bits<W>>,
    /// Stores byte i of `data` where bit i is set.
    pub write: Signal<In, Bits<B>>,
    /// Word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// Bytes to store.
    pub data: Signal<In, Bits<W>>,
    _words: Vec<Bits<W>>,
}

impl<const W: usize, const B: usize, const A: usize> Logic for ByteMemory<W, B, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self._words.resize(1 << A, Bits::default());
            if self.read.val() {
                self.out.next = self._words[self.read_address.val().index()];
            }
            let mut word = self._words[self.write_address.val().index()];
            for lane in 0..B {
                if self.write.val().get_bit(lane) {
                    for bit in 8 * lane..8 * lane + 8 {
                        word = word.replace_bit(bit, self.data.val().get_bit(bit));
                    }
                }
            }
            self._words[self.write_address.val().index()] = word;
        }
    }
    fn connect(&mut self) {
        assert_eq!(W, 8 * B, "a word of {B} bytes");
        self.out.connect();
    }
    fn hdl(&self) -> Verilog {
        let (width, last) = (W - 1, (1usize << A) - 1);
        Verilog::Custom(format!(
            "reg [{width}:0] words [0:{last}];
integer lane;
{UNDEFINED_START} words {last} out
always @(posedge clock) begin
    if (read) out <= words[read_address];
    for (lane = 0; lane < {B}; lane = lane + 1)
        if (write[lane]) words[write_address][8*lane +: 8] <= data[8*lane +: 8];
end"
        ))
    }
}
