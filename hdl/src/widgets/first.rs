//! Priority encoder.
use rust_hdl::prelude::*;

/// Number of the lowest set bit, counted from a base; 0 when none is set. Combinational.
#[derive(LogicBlock)]
pub struct First<const N: usize> {
    /// Flags, bit 0 first in rank.
    pub flags: Signal<In, Bits<N>>,
    /// Base + number of the lowest set flag.
    pub code: Signal<Out, Bits<8>>,
    mask: [Constant<Bits<N>>; N],
    codes: [Constant<Bits<8>>; N],
}

impl<const N: usize> First<N> {
    /// Encoder whose flag 0 has the code `base`.
    pub fn new(base: usize) -> Self {
        Self {
            flags: Default::default(),
            code: Default::default(),
            mask: std::array::from_fn(|i| Constant::new((1usize << (N - 1 - i)).to_bits())),
            codes: std::array::from_fn(|i| Constant::new((base + N - 1 - i).to_bits())),
        }
    }
}

impl<const N: usize> Logic for First<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.code.next = 0.into();
        for i in 0..N {
            if (self.flags.val() & self.mask[i].val()).any() {
                self.code.next = self.codes[i].val();
            }
        }
    }
}
