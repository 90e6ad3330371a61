//! Cuts the four page slots of an inline list into beats of the width of its FIFO, one a cycle, from the next cycle on.
use rust_hdl::prelude::*;

/// INL = min(DATA, 256) bits a beat. A list may be loaded in the cycle of the last beat of the one before.
#[derive(LogicBlock)]
pub struct InlineBeats<const INL: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is left.
    pub reset: Signal<In, Bit>,
    /// Takes `pages` and `beats`.
    pub load: Signal<In, Bit>,
    /// The four page slots.
    pub pages: Signal<In, Bits<256>>,
    /// Beats that hold used slots.
    pub beats: Signal<In, Bits<3>>,
    /// `data` is a beat.
    pub write: Signal<Out, Bit>,
    /// The beat.
    pub data: Signal<Out, Bits<INL>>,
    word: DFF<Bits<256>>,
    left: DFF<Bits<3>>,
    width: Constant<Bits<9>>,
}

impl<const INL: usize> Default for InlineBeats<INL> {
    fn default() -> Self {
        assert!([64, 128, 256].contains(&INL), "inline beats of {INL} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            load: Default::default(),
            pages: Default::default(),
            beats: Default::default(),
            write: Default::default(),
            data: Default::default(),
            word: Default::default(),
            left: Default::default(),
            width: Constant::new(INL.to_bits()),
        }
    }
}

impl<const INL: usize> Logic for InlineBeats<INL> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, word, left);
        self.write.next = self.left.q.val() != 0;
        self.data.next = bit_cast::<INL, 256>(self.word.q.val());
        if self.left.q.val() != 0 {
            self.word.d.next = self.word.q.val() >> self.width.val();
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.load.val() {
            self.word.d.next = self.pages.val();
            self.left.d.next = self.beats.val();
        }
        if self.reset.val() {
            self.left.d.next = 0.into();
        }
    }
}
