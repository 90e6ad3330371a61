//! Lookups that may have seen a table row but are not yet in the counts of accesses in flight (C9, I2).
//!
//! A lookup reads the table in cycle r, grants in r + 5, and the count knows it when it is read in r + 7 or later. An
//! operation that leaves the walk in cycle 0 reads the counts there and writes its row in cycle 4. In cycle 3, when it is
//! decided whether it must drain, lookups with r from -6 to 3 are therefore not certain: those of the last ten cycles.
//! (One with r = 4 collides with the write and is refused.) All lookups count, not only those with a hold, so that none
//! reads the pages of a later registration through an old row.
use rust_hdl::prelude::*;

/// Cycles that a lookup is remembered; ten are needed.
pub const AGES: usize = 12;

/// Table of 2^MA rows.
#[derive(LogicBlock, Default)]
pub struct Watch<const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// No lookup is under way.
    pub reset: Signal<In, Bit>,
    /// A lookup reads the table in this cycle,
    pub looks: Signal<In, Bit>,
    /// this row.
    pub looks_at: Signal<In, Bits<MA>>,
    /// Row in question.
    pub index: Signal<In, Bits<MA>>,
    /// It has been read by one of the lookups remembered or is read now.
    pub under_way: Signal<Out, Bit>,
    seen: [DFF<Bits<MA>>; AGES],
    valid: [DFF<Bit>; AGES],
}

impl<const MA: usize> Logic for Watch<MA> {
    #[hdl_gen]
    fn update(&mut self) {
        self.under_way.next = self.looks.val() & (self.looks_at.val() == self.index.val());
        for i in 0..AGES {
            self.seen[i].clock.next = self.clock.val();
            self.valid[i].clock.next = self.clock.val();
            if self.valid[i].q.val() & (self.seen[i].q.val() == self.index.val()) {
                self.under_way.next = true;
            }
        }
        self.seen[0].d.next = self.looks_at.val();
        self.valid[0].d.next = self.looks.val();
        for i in 1..AGES {
            self.seen[i].d.next = self.seen[i - 1].q.val();
            self.valid[i].d.next = self.valid[i - 1].q.val();
        }
        if self.reset.val() {
            for i in 0..AGES {
                self.valid[i].d.next = false;
            }
        }
    }
}
