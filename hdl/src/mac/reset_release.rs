//! Reset of a clock domain: asserted at once, released with its clock (CK2).
use rust_hdl::prelude::*;

/// Without a clock the domain stays in reset, and nobody waits for it (MC8).
#[derive(LogicBlock)]
pub struct ResetRelease {
    /// Clock of the domain.
    pub clock: Signal<In, Clock>,
    /// Reset of any clock.
    pub asynchronous: Signal<In, Bit>,
    /// Reset of the domain, two edges longer.
    pub reset: Signal<Out, Bit>,
    _left: u8,
}

impl Default for ResetRelease {
    fn default() -> Self {
        Self { clock: Default::default(), asynchronous: Default::default(), reset: Default::default(), _left: 2 }
    }
}

impl Logic for ResetRelease {
    fn update(&mut self) {
        if self.asynchronous.val() {
            self._left = 2;
        } else if self.clock.pos_edge() {
            self._left = self._left.saturating_sub(1);
        }
        self.reset.next = self._left > 0;
    }
    fn connect(&mut self) {
        self.reset.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "(* ASYNC_REG = \"TRUE\" *) reg [1:0] held = 2'b11;
always @(posedge clock or posedge asynchronous)
    if (asynchronous) held <= 2'b11;
    else held <= {held[0], 1'b0};
always @(*) reset = held[1];"
                .into(),
        )
    }
}
