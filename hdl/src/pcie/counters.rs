//! Counters of what goes wrong; `rnic_abi::link::bridge` names them.
use rnic_abi::link::bridge::COUNTER_COUNT;
use rust_hdl::prelude::*;

/// Eight counters of 16 bits that stop at the largest value. A pulse counts one cycle later.
#[derive(LogicBlock)]
pub struct BridgeCounters {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears all.
    pub reset: Signal<In, Bit>,
    /// Counts up, one bit a counter.
    pub pulses: Signal<In, Bits<8>>,
    /// Counter to show.
    pub index: Signal<In, Bits<3>>,
    /// Its value, combinational.
    pub value: Signal<Out, Bits<16>>,
    counts: [DFF<Bits<16>>; 8],
    numbers: [Constant<Bits<3>>; 8],
}

impl Default for BridgeCounters {
    fn default() -> Self {
        assert_eq!(COUNTER_COUNT, 8);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            pulses: Default::default(),
            index: Default::default(),
            value: Default::default(),
            counts: std::array::from_fn(|_| Default::default()),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl Logic for BridgeCounters {
    #[hdl_gen]
    fn update(&mut self) {
        self.value.next = 0.into();
        for i in 0..8 {
            self.counts[i].clock.next = self.clock.val();
            self.counts[i].d.next = self.counts[i].q.val();
            if self.pulses.val().get_bit(i) & (self.counts[i].q.val() != 0xFFFF) {
                self.counts[i].d.next = self.counts[i].q.val() + 1;
            }
            if self.reset.val() {
                self.counts[i].d.next = 0.into();
            }
            if self.index.val() == self.numbers[i].val() {
                self.value.next = self.counts[i].q.val();
            }
        }
    }
}
