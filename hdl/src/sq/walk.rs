//! Tells which slot of which queue pair comes out of the pool next, and looks its context up.
//!
//! One slot a cycle, also from one batch to the next. `context` follows the table with one cycle of delay, so that a
//! change of state in the middle of a batch is seen.
use super::{Batch, SlotMark};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Walks through the batches that have been asked for.
#[derive(LogicBlock, Default)]
pub struct BatchWalk<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all batches.
    pub reset: Signal<In, Bit>,
    /// Batches in order.
    pub batch: ChannelSink<Batch>,
    /// The marked slot is taken, or the mark of the rewind; only while `valid`.
    pub advance: Signal<In, Bit>,
    /// A slot is expected, or
    pub valid: Signal<Out, Bit>,
    /// this is the mark of a rewind: no slot belongs to it.
    pub rewinds: Signal<Out, Bit>,
    /// The expected slot is the first of its batch.
    pub begins: Signal<Out, Bit>,
    /// The expected slot.
    pub mark: Signal<Out, SlotMark>,
    /// Index of its queue pair, one cycle ahead of `mark`, for a table that answers one cycle later.
    pub index: Signal<Out, Bits<QA>>,
    current: DFF<Batch>,
    shows: DFF<Bit>,
    begun: DFF<Bit>,
    last: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    old_index: Signal<Local, Bits<8>>,
    new_index: Signal<Local, Bits<8>>,
}

impl<const QA: usize> Logic for BatchWalk<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, current, shows, begun);
        self.last.next = (self.current.q.val().slots == 1) | (self.current.q.val().slots == 0);
        self.rewinds.next = self.current.q.val().slots == 0;
        self.begins.next = !self.begun.q.val();
        self.loads.next = !self.shows.q.val() | (self.advance.val() & self.last.val());
        self.batch.ready.next = self.loads.val();
        self.old_index.next = self.current.q.val().qp;
        self.new_index.next = self.batch.data.val().qp;
        self.index.next = bit_cast::<QA, 8>(self.old_index.val());
        if self.loads.val() {
            self.index.next = bit_cast::<QA, 8>(self.new_index.val());
            self.current.d.next = self.batch.data.val();
            self.shows.d.next = self.batch.valid.val();
            self.begun.d.next = false;
        } else {
            if self.advance.val() {
                self.begun.d.next = true;
                self.current.d.next.first = self.current.q.val().first + 1;
                self.current.d.next.slots = self.current.q.val().slots - 1;
            }
        }
        self.valid.next = self.shows.q.val();
        self.mark.next.qp = self.current.q.val().qp;
        self.mark.next.count = self.current.q.val().first;
        self.mark.next.follows = !self.last.val() | self.current.q.val().more;
        if self.reset.val() {
            self.shows.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn d1_slots_are_counted_without_a_gap_and_the_index_runs_ahead() {
        let mut uut = BatchWalk::<3>::default();
        uut.connect_all();
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        let batches: [(u64, u64, u64, bool); 4] =
            [(3, 0xFFFE, 3, false), (6, 0, 0, false), (5, 7, 1, true), (5, 8, 2, false)];
        let mut given = 0;
        let mut seen = vec![];
        uut.advance.next = false;
        let mut marks = vec![];
        for _ in 0..9 {
            let batch = batches.get(given);
            uut.batch.valid.next = batch.is_some();
            if let Some(&(qp, first, slots, more)) = batch {
                uut.batch.data.next = Batch { qp: qp.into(), first: first.into(), slots: slots.into(), more };
            }
            uut.advance.next = uut.valid.val();
            assert!(simulate(&mut uut, 100));
            given += (uut.batch.ready.val() && batch.is_some()) as usize;
            let ahead = uut.index.val().to_u64();
            tick(&mut uut, |u| &mut u.clock);
            uut.advance.next = false;
            assert!(simulate(&mut uut, 100));
            if uut.valid.val() && uut.rewinds.val() {
                marks.push((uut.mark.val().qp.to_u64(), seen.len()));
            } else if uut.valid.val() {
                let mark = uut.mark.val();
                assert_eq!(ahead, mark.qp.to_u64());
                assert_eq!(uut.begins.val(), [0xFFFE, 7, 8].contains(&mark.count.to_u64()));
                seen.push((mark.qp.to_u64(), mark.count.to_u64(), mark.follows));
            }
        }
        let expected = [(3, 0xFFFE, true), (3, 0xFFFF, true), (3, 0, false), (5, 7, true), (5, 8, true), (5, 9, false)];
        assert_eq!(seen, expected);
        assert_eq!(marks, [(6, 3)], "a mark comes between the batches round it");
    }
}
