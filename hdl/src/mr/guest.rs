//! Lets an operation into the pipeline beside the walk: commands of the admin unit, which may not wait for the page lists
//! that the operations in the walk are waiting for (`interfaces.md` section 6).
//!
//! A guest stops the walk for two moves before it and two behind it, the distance of two operations on one MR
//! ([`super::hazard::Hazard`]); so it needs no comparison with them. Only the MR whose list is half read is closed to guests
//! until that list has ended: the pages of one list must all go to the range that its first beat saw.
use super::layout::Pending;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Table of 2^MA rows. From arrival to entry four cycles if the pipeline moves.
#[derive(LogicBlock, Default)]
pub struct Guest<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the guest.
    pub reset: Signal<In, Bit>,
    /// The pipeline moves.
    pub advance: Signal<In, Bit>,
    /// Operations without a page list.
    pub arrival: ChannelSink<Pending>,
    /// The operation in the walk has taken the first beat of its list, but not the last.
    pub half_read: Signal<In, Bit>,
    /// Its MR.
    pub host: Signal<In, Bits<MA>>,
    /// The walk must stand still.
    pub hold: Signal<Out, Bit>,
    /// The guest enters in this cycle.
    pub enters: Signal<Out, Bit>,
    /// The guest.
    pub operation: Signal<Out, Pending>,
    waiting: DFF<Bit>,
    boarding: DFF<Pending>,
    /// Position in the gap: 0 none, 1 and 2 before the guest, 3 the guest's place, 4 and 5 behind it.
    gap: DFF<Bits<3>>,
    closed: Signal<Local, Bit>,
    enter: Signal<Local, Bit>,
    present: Signal<Local, Pending>,
}

impl<const MA: usize> Logic for Guest<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting, boarding, gap);
        self.present.next = self.boarding.q.val();
        self.closed.next = self.half_read.val() & (self.host.val() == bit_cast::<MA, 24>(self.present.val().index));
        self.enter.next = self.advance.val() & (self.gap.q.val() == 3) & !self.closed.val();
        self.hold.next = self.gap.q.val() != 0;
        self.enters.next = self.enter.val();
        self.operation.next = self.present.val();
        self.arrival.ready.next = !self.waiting.q.val();
        if !self.waiting.q.val() & self.arrival.valid.val() {
            self.waiting.d.next = true;
            self.boarding.d.next = self.arrival.data.val();
        }
        if self.advance.val() {
            self.gap.d.next = self.gap.q.val() + 1;
            if self.gap.q.val() == 0 {
                self.gap.d.next = 0.into();
                if self.waiting.q.val() & !self.closed.val() {
                    self.gap.d.next = 1.into();
                }
            } else if self.gap.q.val() == 3 {
                if self.closed.val() {
                    self.gap.d.next = 0.into();
                } else {
                    self.waiting.d.next = false;
                }
            } else if self.gap.q.val() == 5 {
                self.gap.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.waiting.d.next = false;
            self.gap.d.next = 0.into();
        }
    }
}
