//! Shape of one beat of an AXI write: which DWs and bytes it has, and whether its bytes are one run. Combinational.
use rust_hdl::prelude::*;

/// Strobes of a 64-bit beat.
#[derive(LogicBlock)]
pub struct StrobeShape {
    /// Data.
    pub data: Signal<In, Bits<64>>,
    /// Strobes.
    pub strobes: Signal<In, Bits<8>>,
    /// The data, 0 where no byte is written.
    pub masked: Signal<Out, Bits<64>>,
    /// A byte is written.
    pub some: Signal<Out, Bit>,
    /// The written bytes are one run.
    pub one_run: Signal<Out, Bit>,
    /// The lower DW has a byte.
    pub low: Signal<Out, Bit>,
    /// The upper DW has a byte.
    pub high: Signal<Out, Bit>,
    /// Byte enables of the first DW that has a byte.
    pub first: Signal<Out, Bits<4>>,
    /// Byte enables of the last DW that has a byte.
    pub last: Signal<Out, Bits<4>>,
    lower: Signal<Local, Bits<4>>,
    upper: Signal<Local, Bits<4>>,
    below: Signal<Local, Bits<8>>,
    lowest: Signal<Local, Bits<8>>,
    carried: Signal<Local, Bits<8>>,
    left: Signal<Local, Bits<8>>,
    lanes: [Constant<Bits<64>>; 8],
}

impl Default for StrobeShape {
    fn default() -> Self {
        Self {
            data: Default::default(),
            strobes: Default::default(),
            masked: Default::default(),
            some: Default::default(),
            one_run: Default::default(),
            low: Default::default(),
            high: Default::default(),
            first: Default::default(),
            last: Default::default(),
            lower: Default::default(),
            upper: Default::default(),
            below: Default::default(),
            lowest: Default::default(),
            carried: Default::default(),
            left: Default::default(),
            lanes: std::array::from_fn(|i| Constant::new(bits(0xFF << (8 * i)))),
        }
    }
}

impl Logic for StrobeShape {
    #[hdl_gen]
    fn update(&mut self) {
        self.lower.next = self.strobes.val().get_bits::<4>(0);
        self.upper.next = self.strobes.val().get_bits::<4>(4);
        self.low.next = self.lower.val().any();
        self.high.next = self.upper.val().any();
        self.some.next = self.strobes.val().any();
        self.first.next = self.lower.val();
        if self.lower.val() == 0 {
            self.first.next = self.upper.val();
        }
        self.last.next = self.upper.val();
        if self.upper.val() == 0 {
            self.last.next = self.lower.val();
        }
        // One more at the lowest byte of a run carries through all of it and leaves none of it.
        self.below.next = self.strobes.val() - 1;
        self.lowest.next = self.strobes.val() & !self.below.val();
        self.carried.next = self.strobes.val() + self.lowest.val();
        self.left.next = self.carried.val() & self.strobes.val();
        self.one_run.next = self.left.val() == 0;
        self.masked.next = 0.into();
        for i in 0..8 {
            if self.strobes.val().get_bit(i) {
                self.masked.next = self.masked.val() | (self.data.val() & self.lanes[i].val());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wr1_all_strobes_of_a_beat() {
        let mut uut = StrobeShape::default();
        uut.connect_all();
        uut.data.next = bits(u64::MAX);
        for strobes in 0..256u64 {
            uut.strobes.next = bits(strobes);
            assert!(simulate(&mut uut, 10));
            let (low, high) = (strobes & 15, strobes >> 4);
            let runs = (0..8).filter(|i| strobes >> i & 1 == 1 && (*i == 0 || strobes >> (i - 1) & 1 == 0)).count();
            assert_eq!(uut.some.val(), strobes != 0);
            assert_eq!(uut.one_run.val(), runs < 2, "{strobes:02x}");
            assert_eq!((uut.low.val(), uut.high.val()), (low != 0, high != 0));
            assert_eq!(uut.first.val(), bits(if low != 0 { low } else { high }));
            assert_eq!(uut.last.val(), bits(if high != 0 { high } else { low }));
            let masked = (0..8).filter(|i| strobes >> i & 1 == 1).fold(0, |word, i| word | 0xFF << (8 * i));
            assert_eq!(uut.masked.val(), bits(masked));
        }
    }
}
