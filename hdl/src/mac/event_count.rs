//! Counts events of another clock.
use super::{FromGray, Synchronizer};
use rust_hdl::prelude::*;

/// Count of pulses of `event_clock`, modulo 2^16, in the domain of `clock`, some cycles late: a Gray counter crosses.
#[derive(LogicBlock, Default)]
pub struct EventCount {
    /// Clock of the events.
    pub event_clock: Signal<In, Clock>,
    /// One event a cycle.
    pub pulse: Signal<In, Bit>,
    /// Clock of the count.
    pub clock: Signal<In, Clock>,
    /// Events so far.
    pub count: Signal<Out, Bits<16>>,
    counted: DFF<Bits<16>>,
    counted_gray: DFF<Bits<16>>,
    known: DFF<Bits<16>>,
    after: Signal<Local, Bits<16>>,
    crossing: Synchronizer<Bits<16>>,
    decoded: FromGray<16>,
}

impl Logic for EventCount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, event_clock, counted, counted_gray);
        dff_setup!(self, clock, known);
        clock!(self, clock, crossing);
        self.after.next = self.counted.q.val();
        if self.pulse.val() {
            self.after.next = self.counted.q.val() + 1;
        }
        self.counted.d.next = self.after.val();
        self.counted_gray.d.next = self.after.val() ^ (self.after.val() >> 1);
        self.crossing.d.next = self.counted_gray.q.val();
        self.decoded.gray.next = self.crossing.q.val();
        self.known.d.next = self.decoded.binary.val();
        self.count.next = self.known.q.val();
    }
}
