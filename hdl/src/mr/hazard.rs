//! How long an operation waits at the walk for an earlier one on the same MR: until the stage that checks its table row can
//! see what the earlier one has written ([`super::forward::Forward`]).
//!
//! A row is checked two cycles after its operation has left the walk; what an operation writes is known four cycles after
//! its last beat has left. So two operations on one MR leave three cycles apart; others never wait. All moves with the
//! pipeline (`advance`).
use rust_hdl::prelude::*;

/// Table of 2^MA rows.
#[derive(LogicBlock, Default)]
pub struct Hazard<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nothing is in the pipeline.
    pub reset: Signal<In, Bit>,
    /// The pipeline moves.
    pub advance: Signal<In, Bit>,
    /// An operation is loaded into the walk.
    pub load: Signal<In, Bit>,
    /// Its MR.
    pub coming: Signal<In, Bits<MA>>,
    /// The operation in the walk leaves it for good.
    pub ends: Signal<In, Bit>,
    /// Its MR.
    pub leaving: Signal<In, Bits<MA>>,
    /// The operation in the walk must wait.
    pub hold: Signal<Out, Bit>,
    /// As many ones as cycles to wait, shifted out to the right.
    waits: DFF<Bits<2>>,
    /// The operation that left one move ago.
    earlier: DFF<Bits<MA>>,
    earlier_valid: DFF<Bit>,
    /// The coming operation meets the one that leaves now,
    meets: Signal<Local, Bit>,
    /// or the one before.
    follows: Signal<Local, Bit>,
}

impl<const MA: usize> Logic for Hazard<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, earlier, earlier_valid);
        self.hold.next = self.waits.q.val().get_bit(0);
        self.meets.next = self.ends.val() & (self.leaving.val() == self.coming.val());
        self.follows.next = self.earlier_valid.q.val() & (self.earlier.q.val() == self.coming.val());
        if self.advance.val() {
            self.earlier.d.next = self.leaving.val();
            self.earlier_valid.d.next = self.ends.val();
            self.waits.d.next = self.waits.q.val() >> 1;
        }
        if self.load.val() {
            self.waits.d.next = 0.into();
            if self.meets.val() {
                self.waits.d.next = 3.into();
            } else if self.follows.val() {
                self.waits.d.next = 1.into();
            }
        }
        if self.reset.val() {
            self.waits.d.next = 0.into();
            self.earlier_valid.d.next = false;
        }
    }
}
