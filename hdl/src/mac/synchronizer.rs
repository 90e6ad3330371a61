//! Two flip-flops in a row for a level that comes from another clock (CK3).
use rust_hdl::prelude::*;

/// Synchroniser: `q` follows `d` after two to three edges of `clock`. A value of several bits must change in one bit only at
/// a time (Gray code), and must come out of flip-flops: a path through logic may show anything on the way.
///
/// rust-hdl's own vector synchroniser passes its flag through a multiplexer and needs eight edges for a value, and its FIFO
/// cannot take words back; so neither is used.
#[derive(LogicBlock, Default)]
pub struct Synchronizer<T: Synth> {
    /// Clock of the side that reads.
    pub clock: Signal<In, Clock>,
    /// The value in another clock's domain.
    pub d: Signal<In, T>,
    /// The value in this one.
    pub q: Signal<Out, T>,
    _early: T,
}

impl<T: Synth> Logic for Synchronizer<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self._early;
            self._early = self.d.val();
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let last = T::BITS - 1;
        Verilog::Custom(format!(
            "(* ASYNC_REG = \"TRUE\" *) reg [{last}:0] early = 0;
(* ASYNC_REG = \"TRUE\" *) reg [{last}:0] stable = 0;
always @(posedge clock) begin
    early <= d;
    stable <= early;
end
always @(*) q = stable;"
        ))
    }
}
