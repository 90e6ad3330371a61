//! The words of the command at hand. One cycle from `word_valid` to the word's place.
use rust_hdl::prelude::*;

/// Words that a command of this subsystem can have.
pub const WORDS: usize = 18;

/// Registers for the words of a command.
#[derive(LogicBlock)]
pub struct CommandWords {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Takes `word`.
    pub word_valid: Signal<In, Bit>,
    /// Its number; words from 18 on are dropped.
    pub word_index: Signal<In, Bits<5>>,
    /// The word.
    pub word: Signal<In, Bits<32>>,
    /// All words.
    pub words: [Signal<Out, Bits<32>>; WORDS],
    kept: [DFF<Bits<32>>; WORDS],
    numbers: [Constant<Bits<5>>; WORDS],
}

impl Default for CommandWords {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            word_valid: Default::default(),
            word_index: Default::default(),
            word: Default::default(),
            words: std::array::from_fn(|_| Default::default()),
            kept: std::array::from_fn(|_| Default::default()),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl Logic for CommandWords {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..WORDS {
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].d.next = self.kept[i].q.val();
            if self.word_valid.val() & (self.word_index.val() == self.numbers[i].val()) {
                self.kept[i].d.next = self.word.val();
            }
            self.words[i].next = self.kept[i].q.val();
        }
    }
}
