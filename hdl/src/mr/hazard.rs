//! How long an operation waits at the walk for an earlier one on the same MR: until the table row it reads is written.
//!
//! A row is read when an operation leaves the walk and written four cycles after the last beat of the one before has left,
//! so two operations on one MR are five cycles apart; others never wait. All moves with the pipeline (`advance`).
use rust_hdl::prelude::*;

/// Stages between walk and table write that may hold an operation.
const TRAIL: usize = 3;

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
    waits: DFF<Bits<4>>,
    trail: [DFF<Bits<MA>>; TRAIL],
    open: [DFF<Bit>; TRAIL],
    found: Signal<Local, Bits<4>>,
}

impl<const MA: usize> Logic for Hazard<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits);
        self.hold.next = self.waits.q.val().get_bit(0);
        self.found.next = 0.into();
        self.found.next = self.found.val().replace_bit(3, self.ends.val() & (self.leaving.val() == self.coming.val()));
        for i in 0..TRAIL {
            self.trail[i].clock.next = self.clock.val();
            self.open[i].clock.next = self.clock.val();
            self.found.next = self
                .found
                .val()
                .replace_bit(2 - i, self.open[i].q.val() & (self.trail[i].q.val() == self.coming.val()));
        }
        self.trail[0].d.next = self.trail[0].q.val();
        self.open[0].d.next = self.open[0].q.val();
        if self.advance.val() {
            self.trail[0].d.next = self.leaving.val();
            self.open[0].d.next = self.ends.val();
            self.waits.d.next = self.waits.q.val() >> 1;
        }
        for i in 1..TRAIL {
            self.trail[i].d.next = self.trail[i].q.val();
            self.open[i].d.next = self.open[i].q.val();
            if self.advance.val() {
                self.trail[i].d.next = self.trail[i - 1].q.val();
                self.open[i].d.next = self.open[i - 1].q.val();
            }
        }
        if self.load.val() {
            self.waits.d.next =
                self.found.val() | (self.found.val() >> 1) | (self.found.val() >> 2) | (self.found.val() >> 3);
        }
        if self.reset.val() {
            self.waits.d.next = 0.into();
            for i in 0..TRAIL {
                self.open[i].d.next = false;
            }
        }
    }
}
