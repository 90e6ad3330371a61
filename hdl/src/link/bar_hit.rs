//! Whether a TLP hits BAR0: its address against the base that the host has set with OPEN. Combinational.
use crate::pcie::SwapDwords;
use rust_hdl::prelude::*;

/// Compares the address in the second beat of a TLP.
#[derive(LogicBlock, Default)]
pub struct BarHit {
    /// The header has 4 DW.
    pub four: Signal<In, Bit>,
    /// Second beat of the TLP.
    pub data: Signal<In, Bits<64>>,
    /// Upper 48 bits of the base address.
    pub bar: Signal<In, Bits<48>>,
    /// The TLP hits.
    pub hits: Signal<Out, Bit>,
    swap: SwapDwords,
    high: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<16>>,
}

impl Logic for BarHit {
    #[hdl_gen]
    fn update(&mut self) {
        self.swap.data.next = self.data.val();
        self.high.next = 0.into();
        self.low.next = self.swap.low.val().get_bits::<16>(16);
        if self.four.val() {
            self.high.next = self.swap.low.val();
            self.low.next = self.swap.high.val().get_bits::<16>(16);
        }
        self.hits.next = (self.bar.val().get_bits::<32>(16) == self.high.val())
            & (self.bar.val().get_bits::<16>(0) == self.low.val());
    }
}
