//! Counts the READs and atomics that have been answered, new ones and duplicates, a count of each queue pair (T53, T68).
//!
//! Sole writer of its memory. A pulse counts two cycles later, one pulse a cycle; a clear waits for a cycle without one.
use super::records::Served;
use crate::widgets::{ChannelSink, Table};
use rust_hdl::prelude::*;

/// Counts of 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct Tally<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is not counted yet.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// An answer is complete.
    pub served: Signal<In, Bit>,
    /// Queue pair of the answer.
    pub served_index: Signal<In, Bits<8>>,
    /// It was of a duplicate.
    pub served_duplicate: Signal<In, Bit>,
    /// A duplicate was dropped instead of answered: its queue pair. Taken in a cycle without `served`.
    pub dropped: ChannelSink<Bits<8>>,
    /// Sets the counts of `order_index` to 0; two orders are at least 8 cycles apart.
    pub order: Signal<In, Bit>,
    /// Queue pair of the order.
    pub order_index: Signal<In, Bits<8>>,
    /// Queue pair to tell about.
    pub index: Signal<In, Bits<QA>>,
    /// Its counts, one cycle later.
    pub counts: Signal<Out, Served>,
    rows: Table<Served, QA, 2>,
    counts_now: DFF<Bit>,
    row: DFF<Bits<QA>>,
    duplicate: DFF<Bit>,
    wrote: DFF<Bit>,
    wrote_row: DFF<Bits<QA>>,
    wrote_counts: DFF<Served>,
    clears: DFF<Bit>,
    clear_row: DFF<Bits<QA>>,
    adds: Signal<Local, Bit>,
    who: Signal<Local, Bits<8>>,
    old: Signal<Local, Served>,
    changed: Signal<Local, Served>,
    place: Signal<Local, Bits<QA>>,
    writes: Signal<Local, Bit>,
}

impl<const QA: usize> Logic for Tally<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, counts_now, row, duplicate, wrote, wrote_row, wrote_counts, clears, clear_row);
        clock!(self, clock, rows);
        self.rows.clearing.next = self.clearing.val();
        self.rows.clear_index.next = self.clear_index.val();
        self.rows.index[0].next = self.index.val();
        self.counts.next = self.rows.out[0].val();

        // Read.
        self.dropped.ready.next = !self.served.val();
        self.adds.next = self.served.val() | self.dropped.valid.val();
        self.who.next = self.dropped.data.val();
        self.duplicate.d.next = true;
        if self.served.val() {
            self.who.next = self.served_index.val();
            self.duplicate.d.next = self.served_duplicate.val();
        }
        self.counts_now.d.next = self.adds.val();
        self.row.d.next = bit_cast::<QA, 8>(self.who.val());
        self.rows.index[1].next = bit_cast::<QA, 8>(self.who.val());

        // Add; the row written in the cycle of the read is newer than what was read.
        self.old.next = self.rows.out[1].val();
        if self.wrote.q.val() & (self.wrote_row.q.val() == self.row.q.val()) {
            self.old.next = self.wrote_counts.q.val();
        }
        self.changed.next = self.old.val();
        if self.duplicate.q.val() {
            self.changed.next.again = self.old.val().again + 1;
        } else {
            self.changed.next.fresh = self.old.val().fresh + 1;
        }
        self.place.next = self.row.q.val();
        self.writes.next = self.counts_now.q.val();
        if self.order.val() {
            self.clears.d.next = true;
            self.clear_row.d.next = bit_cast::<QA, 8>(self.order_index.val());
        }
        if self.clears.q.val() & !self.counts_now.q.val() {
            self.clears.d.next = self.order.val();
            self.writes.next = true;
            self.place.next = self.clear_row.q.val();
            self.changed.next.fresh = 0.into();
            self.changed.next.again = 0.into();
        }
        self.rows.write.next = self.writes.val();
        self.rows.write_index.next = self.place.val();
        self.rows.data.next = self.changed.val();
        self.wrote.d.next = self.writes.val();
        self.wrote_row.d.next = self.place.val();
        self.wrote_counts.d.next = self.changed.val();
        if self.reset.val() {
            self.counts_now.d.next = false;
            self.wrote.d.next = false;
            self.clears.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    #[test]
    fn t68_every_answer_counts_once_even_back_to_back() {
        let mut uut = Tally::<2>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(9);
        let mut model = [(0u64, 0u64); 4];
        for cycle in 0..3000u64 {
            let served = random.chance(2, 3);
            let (who, duplicate) = (random.below(4), random.chance(1, 2));
            uut.served.next = served;
            uut.served_index.next = bits(who);
            uut.served_duplicate.next = duplicate;
            let dropped = random.chance(1, 2).then(|| random.below(4));
            uut.dropped.valid.next = dropped.is_some();
            uut.dropped.data.next = bits(dropped.unwrap_or(0));
            let clear = cycle % 500 == 499;
            uut.order.next = clear;
            uut.order_index.next = bits(2);
            if clear {
                // A queue pair is cleared when nothing of it is in flight.
                (uut.served.next, uut.dropped.valid.next) = (false, false);
            } else if served {
                let count = &mut model[who as usize];
                if duplicate {
                    count.1 += 1
                } else {
                    count.0 += 1
                }
            } else if let Some(who) = dropped {
                model[who as usize].1 += 1;
            }
            tick(&mut uut, |u| &mut u.clock);
            uut.order.next = false;
            if cycle % 50 == 49 {
                if clear {
                    model[2] = (0, 0);
                }
                (uut.served.next, uut.dropped.valid.next) = (false, false);
                for _ in 0..4 {
                    tick(&mut uut, |u| &mut u.clock);
                }
                for who in 0..4 {
                    uut.index.next = bits(who);
                    tick(&mut uut, |u| &mut u.clock);
                    let counts = uut.counts.val();
                    let (fresh, again) = model[who as usize];
                    assert_eq!((counts.fresh, counts.again), (bits(fresh % 64), bits(again % 64)), "queue pair {who}");
                }
            }
        }
    }
}
