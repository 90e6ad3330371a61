//! Counters of the link; `rnic_abi::link::frame` names them.
use rnic_abi::link::frame::COUNTER_COUNT;
use rust_hdl::prelude::*;

/// Counters of 16 bits that stop at the largest value. A pulse counts one cycle later; a session does not clear them.
#[derive(LogicBlock)]
pub struct LinkCounters {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears all.
    pub reset: Signal<In, Bit>,
    /// Counts up, one bit a counter.
    pub pulses: Signal<In, Bits<12>>,
    /// Counter to show.
    pub index: Signal<In, Bits<4>>,
    /// Its value, one cycle later.
    pub value: Signal<Out, Bits<16>>,
    counts: [DFF<Bits<16>>; 12],
    shown: DFF<Bits<16>>,
    numbers: [Constant<Bits<4>>; 12],
}

impl Default for LinkCounters {
    fn default() -> Self {
        assert_eq!(COUNTER_COUNT, 12);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            pulses: Default::default(),
            index: Default::default(),
            value: Default::default(),
            counts: std::array::from_fn(|_| Default::default()),
            shown: Default::default(),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl Logic for LinkCounters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shown);
        self.shown.d.next = 0.into();
        for i in 0..12 {
            self.counts[i].clock.next = self.clock.val();
            self.counts[i].d.next = self.counts[i].q.val();
            if self.pulses.val().get_bit(i) & (self.counts[i].q.val() != 0xFFFF) {
                self.counts[i].d.next = self.counts[i].q.val() + 1;
            }
            if self.reset.val() {
                self.counts[i].d.next = 0.into();
            }
            if self.index.val() == self.numbers[i].val() {
                self.shown.d.next = self.counts[i].q.val();
            }
        }
        self.value.next = self.shown.q.val();
    }
}
