//! A26: does a range of bus addresses stay below 2^52? Latency two cycles, one range a cycle.
use rust_hdl::prelude::*;

/// Adds the length to the low half of the address, then the carry to the high half.
#[derive(LogicBlock, Default)]
pub struct Reach {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First byte, low half.
    pub va_low: Signal<In, Bits<32>>,
    /// High half.
    pub va_high: Signal<In, Bits<32>>,
    /// Bytes, not 0.
    pub length: Signal<In, Bits<32>>,
    /// The range of two cycles ago ends beyond 2^52.
    pub beyond: Signal<Out, Bit>,
    low: DFF<Bits<33>>,
    high: DFF<Bits<32>>,
    rest: DFF<Bits<32>>,
    high_sum: DFF<Bits<33>>,
}

impl Logic for Reach {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low, high, rest, high_sum);
        self.low.d.next = bit_cast::<33, 32>(self.va_low.val()) + bit_cast::<33, 32>(self.length.val());
        self.high.d.next = self.va_high.val();
        self.rest.d.next = self.low.q.val().get_bits::<32>(0);
        self.high_sum.d.next =
            bit_cast::<33, 32>(self.high.q.val()) + bit_cast::<33, 1>(self.low.q.val().get_bits::<1>(32));
        // 2^52 is 2^20 in the high half; exactly 2^52 is still inside.
        self.beyond.next =
            (self.high_sum.q.val() > 1048576) | ((self.high_sum.q.val() == 1048576) & self.rest.q.val().any());
    }
}
