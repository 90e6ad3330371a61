//! Linear maps of bits: the step of a CRC.
use rust_hdl::prelude::*;

/// 32 parities of N bits, each over a constant selection. Combinational: a tree of XORs, about log6(N / 2) LUT levels.
#[derive(LogicBlock)]
pub struct XorMatrix<const N: usize> {
    /// Bits in.
    pub word: Signal<In, Bits<N>>,
    /// Parities.
    pub out: Signal<Out, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
    mask: [Constant<Bits<N>>; 32],
}

impl<const N: usize> XorMatrix<N> {
    /// The map that takes bit `j` of the word to `image(j)`.
    pub fn new(image: impl Fn(usize) -> u32) -> Self {
        let images: Vec<u32> = (0..N).map(image).collect();
        let mask = |bit: usize| {
            let mut mask = Bits::<N>::default();
            for (j, image) in images.iter().enumerate() {
                mask = mask.replace_bit(j, (image >> bit) & 1 == 1);
            }
            Constant::new(mask)
        };
        Self {
            word: Default::default(),
            out: Default::default(),
            sum: Default::default(),
            mask: std::array::from_fn(mask),
        }
    }
}

impl<const N: usize> Logic for XorMatrix<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = 0.into();
        for i in 0..32 {
            self.sum.next = self.sum.val().replace_bit(i, (self.word.val() & self.mask[i].val()).xor());
        }
        self.out.next = self.sum.val();
    }
}
