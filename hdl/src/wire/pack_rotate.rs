//! Rotation of a beat by whole lanes: the only shifter between host memory and the wire. Two cycles, three steps each.
use rust_hdl::prelude::*;

/// Rotates beats of DATA bits to higher lanes.
#[derive(LogicBlock)]
pub struct PackRotate<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Beat.
    pub beat: Signal<In, Bits<DATA>>,
    /// Lanes to go, below DATA / 8.
    pub rotation: Signal<In, Bits<6>>,
    /// The beat of two cycles ago, rotated.
    pub out: Signal<Out, Bits<DATA>>,
    halfway: DFF<Bits<DATA>>,
    later: DFF<Bits<6>>,
    held: DFF<Bits<DATA>>,
    low: Signal<Local, Bits<DATA>>,
    high: Signal<Local, Bits<DATA>>,
    up: [Constant<Bits<10>>; 6],
    down: [Constant<Bits<10>>; 6],
}

impl<const DATA: usize> Default for PackRotate<DATA> {
    fn default() -> Self {
        assert!(DATA.is_power_of_two() && (64..=512).contains(&DATA), "{DATA} data bits");
        // Steps beyond the width are never asked for.
        let shift = |i: usize| if 8 << i < DATA { 8u64 << i } else { 0 };
        Self {
            clock: Default::default(),
            beat: Default::default(),
            rotation: Default::default(),
            out: Default::default(),
            halfway: Default::default(),
            later: Default::default(),
            held: Default::default(),
            low: Default::default(),
            high: Default::default(),
            up: std::array::from_fn(|i| Constant::new(bits(shift(i)))),
            down: std::array::from_fn(|i| Constant::new(bits(DATA as u64 - shift(i)))),
        }
    }
}

impl<const DATA: usize> Logic for PackRotate<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, halfway, later, held);
        self.low.next = self.beat.val();
        for i in 0..3 {
            if self.rotation.val().get_bit(i) {
                self.low.next = (self.low.val() << self.up[i].val()) | (self.low.val() >> self.down[i].val());
            }
        }
        self.halfway.d.next = self.low.val();
        self.later.d.next = self.rotation.val();
        self.high.next = self.halfway.q.val();
        for i in 3..6 {
            if self.later.q.val().get_bit(i) {
                self.high.next = (self.high.val() << self.up[i].val()) | (self.high.val() >> self.down[i].val());
            }
        }
        self.held.d.next = self.high.val();
        self.out.next = self.held.q.val();
    }
}
