//! Bytes in the opposite order: numbers go to the wire most significant byte first. Wires only.
use rust_hdl::prelude::*;

/// Reverses B bytes (W = 8 B bits).
#[derive(LogicBlock)]
pub struct Reverse<const W: usize, const B: usize> {
    /// Word in.
    pub word: Signal<In, Bits<W>>,
    /// Its bytes in the opposite order.
    pub out: Signal<Out, Bits<W>>,
    lane: Signal<Local, Bits<8>>,
    turned: Signal<Local, Bits<W>>,
}

impl<const W: usize, const B: usize> Default for Reverse<W, B> {
    fn default() -> Self {
        assert_eq!(W, 8 * B, "a word of {B} bytes");
        Self { word: Default::default(), out: Default::default(), lane: Default::default(), turned: Default::default() }
    }
}

impl<const W: usize, const B: usize> Logic for Reverse<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        self.turned.next = 0.into();
        for i in 0..B {
            self.lane.next = self.word.val().get_bits::<8>(i * 8);
            self.turned.next = (self.turned.val() << 8) | bit_cast::<W, 8>(self.lane.val());
        }
        self.out.next = self.turned.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_becomes_the_last() {
        let mut uut = Reverse::<64, 8>::default();
        uut.connect_all();
        uut.word.next = bits(0x1122_3344_5566_7788);
        assert!(simulate(&mut uut, 10));
        assert_eq!(uut.out.val(), bits::<64>(0x8877_6655_4433_2211));
    }
}
