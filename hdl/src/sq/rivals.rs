//! Whether a queue pair other than the one at the cursor has something to send (T20). Only then a turn ends: its end throws away
//! what was fetched behind it (T22), so a queue pair that is alone goes on.
//!
//! Others show as the batch next in line, as the newest one, or at the head of the scheduler's queue. Latency one cycle.
use rust_hdl::prelude::*;

/// Comparison of queue pairs, numbered with QA bits.
#[derive(LogicBlock, Default)]
pub struct Rivals<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The queue pair at the cursor.
    pub current: Signal<In, Bits<8>>,
    /// A batch is next in line,
    pub batch: Signal<In, Bit>,
    /// of this queue pair;
    pub batch_qp: Signal<In, Bits<8>>,
    /// the newest is of this one.
    pub newest_qp: Signal<In, Bits<8>>,
    /// A queue pair waits to fetch:
    pub ready: Signal<In, Bit>,
    /// this one.
    pub ready_qp: Signal<In, Bits<QA>>,
    /// Another one waits.
    pub others: Signal<Out, Bit>,
    found: DFF<Bit>,
    fetched: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
}

impl<const QA: usize> Logic for Rivals<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, found);
        self.fetched.next = self.batch.val()
            & ((self.batch_qp.val() != self.current.val()) | (self.newest_qp.val() != self.current.val()));
        self.waits.next = self.ready.val() & (bit_cast::<8, QA>(self.ready_qp.val()) != self.current.val());
        self.found.d.next = self.fetched.val() | self.waits.val();
        self.others.next = self.found.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    #[test]
    fn t20_only_another_queue_pair_ends_a_turn() {
        let mut uut = Rivals::<4>::default();
        uut.connect_all();
        // Batch next in line, newest batch, queue pair that waits to fetch; the cursor is at 3.
        for (batch, newest, ready, others) in [
            (None, 5, None, false),
            (Some(3), 3, Some(3), false),
            (Some(4), 3, None, true),
            (Some(3), 4, None, true),
            (None, 4, Some(3), false),
            (None, 3, Some(2), true),
        ] {
            uut.current.next = 3.into();
            uut.batch.next = batch.is_some();
            uut.batch_qp.next = bits(batch.unwrap_or(7));
            uut.newest_qp.next = bits(newest);
            uut.ready.next = ready.is_some();
            uut.ready_qp.next = bits(ready.unwrap_or(7));
            tick(&mut uut, |u| &mut u.clock);
            assert_eq!(uut.others.val(), others, "{batch:?} {newest} {ready:?}");
        }
    }
}
