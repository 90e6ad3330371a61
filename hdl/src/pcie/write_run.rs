//! Follows the run of written bytes through the beats of a burst (rules WR1, WR2).
use rust_hdl::prelude::*;

/// Finds holes. Combinational, with the state of the beats before.
#[derive(LogicBlock, Default)]
pub struct WriteRun {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A new burst.
    pub clear: Signal<In, Bit>,
    /// A beat is taken.
    pub takes: Signal<In, Bit>,
    /// Its strobes.
    pub strobes: Signal<In, Bits<8>>,
    /// They are one run.
    pub one_run: Signal<In, Bit>,
    /// The beat does not continue the run of the burst.
    pub hole: Signal<Out, Bit>,
    begun: DFF<Bit>,
    over: DFF<Bit>,
    some: Signal<Local, Bit>,
}

impl Logic for WriteRun {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, over);
        self.some.next = self.strobes.val().any();
        self.hole.next = self.some.val()
            & (!self.one_run.val() | self.over.q.val() | (self.begun.q.val() & !self.strobes.val().get_bit(0)));
        if self.takes.val() {
            self.begun.d.next = self.begun.q.val() | self.some.val();
            if self.some.val() {
                self.over.d.next = !self.strobes.val().get_bit(7);
            } else {
                self.over.d.next = self.begun.q.val();
            }
        }
        if self.clear.val() {
            self.begun.d.next = false;
            self.over.d.next = false;
        }
    }
}
