//! Masks of the lanes that a piece of payload fills in this beat and in the next. Two cycles.
use rust_hdl::prelude::*;

/// Masks for beats of DATA bits.
#[derive(LogicBlock)]
pub struct PackMasks<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First lane, below DATA / 8.
    pub low: Signal<In, Bits<8>>,
    /// Lane behind the last, below DATA / 4; from DATA / 8 on it counts in the next beat.
    pub high: Signal<In, Bits<8>>,
    /// Bits of this beat, two cycles later.
    pub here: Signal<Out, Bits<DATA>>,
    /// Bits of the next beat, two cycles later.
    pub beyond: Signal<Out, Bits<DATA>>,
    from: DFF<Bits<DATA>>,
    behind: DFF<Bits<DATA>>,
    passes: DFF<Bit>,
    here_held: DFF<Bits<DATA>>,
    beyond_held: DFF<Bits<DATA>>,
    last: Signal<Local, Bits<8>>,
    from_bit: Signal<Local, Bits<11>>,
    behind_bit: Signal<Local, Bits<11>>,
    ones: Constant<Bits<DATA>>,
    lanes: Constant<Bits<8>>,
    lane_mask: Constant<Bits<8>>,
}

impl<const DATA: usize> Default for PackMasks<DATA> {
    fn default() -> Self {
        assert!(DATA.is_power_of_two() && (64..=512).contains(&DATA), "{DATA} data bits");
        Self {
            clock: Default::default(),
            low: Default::default(),
            high: Default::default(),
            here: Default::default(),
            beyond: Default::default(),
            from: Default::default(),
            behind: Default::default(),
            passes: Default::default(),
            here_held: Default::default(),
            beyond_held: Default::default(),
            last: Default::default(),
            from_bit: Default::default(),
            behind_bit: Default::default(),
            ones: Constant::new(!Bits::default()),
            lanes: Constant::new(bits(DATA as u64 / 8)),
            lane_mask: Constant::new(bits(DATA as u64 / 8 - 1)),
        }
    }
}

impl<const DATA: usize> Logic for PackMasks<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, from, behind, passes, here_held, beyond_held);
        self.last.next = self.high.val() & self.lane_mask.val();
        self.from_bit.next = bit_cast::<11, 8>(self.low.val()) << 3;
        self.behind_bit.next = bit_cast::<11, 8>(self.last.val()) << 3;
        self.from.d.next = self.ones.val() << self.from_bit.val();
        self.behind.d.next = self.ones.val() << self.behind_bit.val();
        self.passes.d.next = self.high.val() >= self.lanes.val();
        if self.passes.q.val() {
            self.here_held.d.next = self.from.q.val();
            self.beyond_held.d.next = !self.behind.q.val();
        } else {
            self.here_held.d.next = self.from.q.val() & !self.behind.q.val();
            self.beyond_held.d.next = 0.into();
        }
        self.here.next = self.here_held.q.val();
        self.beyond.next = self.beyond_held.q.val();
    }
}
