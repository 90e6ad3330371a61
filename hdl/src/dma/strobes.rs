//! Write strobes of a beat, from the lanes of the burst's first and last byte. Combinational.
//!
//! The strobes of a burst are one contiguous byte run: only the first and the last beat have lanes without a byte.
use rust_hdl::prelude::*;

/// Strobes of STRB byte lanes.
#[derive(LogicBlock)]
pub struct Strobes<const STRB: usize> {
    /// First beat of its burst.
    pub first: Signal<In, Bit>,
    /// Last beat of its burst.
    pub last: Signal<In, Bit>,
    /// Lanes below the first byte in the first beat.
    pub first_lane: Signal<In, Bits<6>>,
    /// Lanes above the last byte in the last beat.
    pub spare_lanes: Signal<In, Bits<6>>,
    /// Lanes with a byte to write.
    pub strobes: Signal<Out, Bits<STRB>>,
    low: Signal<Local, Bits<STRB>>,
    high: Signal<Local, Bits<STRB>>,
    all: Constant<Bits<STRB>>,
}

impl<const STRB: usize> Default for Strobes<STRB> {
    fn default() -> Self {
        Self {
            first: Default::default(),
            last: Default::default(),
            first_lane: Default::default(),
            spare_lanes: Default::default(),
            strobes: Default::default(),
            low: Default::default(),
            high: Default::default(),
            all: Constant::new(!Bits::<STRB>::default()),
        }
    }
}

impl<const STRB: usize> Logic for Strobes<STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.low.next = self.all.val();
        self.high.next = self.all.val();
        if self.first.val() {
            self.low.next = self.all.val() << self.first_lane.val();
        }
        if self.last.val() {
            self.high.next = self.all.val() >> self.spare_lanes.val();
        }
        self.strobes.next = self.low.val() & self.high.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strobes_cover_the_bytes_of_first_middle_and_last_beats() {
        let mut uut = Strobes::<64>::default();
        uut.connect_all();
        for (first, last, low, high) in
            [(true, false, 0, 0), (true, false, 63, 5), (true, true, 3, 60), (false, true, 9, 63), (false, false, 7, 7)]
        {
            uut.first.next = first;
            uut.last.next = last;
            uut.first_lane.next = bits(low);
            uut.spare_lanes.next = bits(high);
            assert!(simulate(&mut uut, 10));
            let wanted = (0..64).filter(|&lane| (!first || lane >= low) && (!last || lane < 64 - high));
            assert_eq!(uut.strobes.val(), bits(wanted.fold(0u64, |mask, lane| mask | 1 << lane)));
        }
    }
}
