//! Gray code back to binary.
use rust_hdl::prelude::*;

/// Binary number of a Gray code: bit i is the parity of the bits from i on. Combinational.
#[derive(LogicBlock)]
pub struct FromGray<const P: usize> {
    /// Gray code; its next number differs in one bit.
    pub gray: Signal<In, Bits<P>>,
    /// The number.
    pub binary: Signal<Out, Bits<P>>,
    sum: Signal<Local, Bits<P>>,
    from: [Constant<Bits<P>>; P],
}

impl<const P: usize> Default for FromGray<P> {
    fn default() -> Self {
        let from = |i: usize| {
            let mut mask = Bits::<P>::default();
            for bit in i..P {
                mask = mask.replace_bit(bit, true);
            }
            Constant::new(mask)
        };
        Self {
            gray: Default::default(),
            binary: Default::default(),
            sum: Default::default(),
            from: std::array::from_fn(from),
        }
    }
}

impl<const P: usize> Logic for FromGray<P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.gray.val();
        for i in 0..P {
            self.sum.next = self.sum.val().replace_bit(i, (self.gray.val() & self.from[i].val()).xor());
        }
        self.binary.next = self.sum.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ck3_the_code_of_each_number_leads_back_to_it() {
        let mut uut = FromGray::<6>::default();
        uut.connect_all();
        for number in 0..64u64 {
            uut.gray.next = (number ^ (number >> 1)).into();
            assert!(simulate(&mut uut, 100));
            assert_eq!(uut.binary.val(), Bits::<6>::from(number));
        }
    }
}
