//! Keeps the report of a failed responder until its NAK has been handed to the wire (T62): what was owed before it is served
//! out, then the NAK goes, and only then the queue pair enters ERR, which silences it.
//!
//! The commit queue reports before it owes the NAK, so every NAK finds its report; of a queue pair that is reset first no NAK
//! goes, and the report is overwritten in its next life. From the NAK to the report 7 cycles, and one more for each further
//! 16 queue pairs.
use crate::sq::WakeSet;
use crate::types::{OwedAnswer, QpFailure};
use crate::widgets::{ChannelSink, ChannelSource, Memory};
use rust_hdl::prelude::*;

/// Reports of QPS = 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct FailureHold<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all reports.
    pub reset: Signal<In, Bit>,
    /// Reports of the commit queue; always ready.
    pub failed: ChannelSink<QpFailure>,
    /// An acknowledgement goes to the wire.
    pub taken: Signal<In, Bit>,
    /// Its queue pair.
    pub taken_index: Signal<In, Bits<8>>,
    /// What it is.
    pub answer: Signal<In, OwedAnswer>,
    /// Reports whose NAK has gone.
    pub source: ChannelSource<QpFailure>,
    rows: Memory<QpFailure, QA>,
    due: WakeSet<QPS, QA, 1>,
    reads: DFF<Bit>,
    offers: DFF<Bit>,
    shown: DFF<QpFailure>,
    told: Signal<Local, QpFailure>,
    said: Signal<Local, OwedAnswer>,
    row: Signal<Local, Bits<QA>>,
    fatal: Signal<Local, Bit>,
    syndrome: Signal<Local, Bits<8>>,
    free: Signal<Local, Bit>,
    nak: Constant<Bits<3>>,
}

impl<const QA: usize, const QPS: usize> Default for FailureHold<QA, QPS> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            failed: Default::default(),
            taken: Default::default(),
            taken_index: Default::default(),
            answer: Default::default(),
            source: Default::default(),
            rows: Default::default(),
            due: Default::default(),
            reads: Default::default(),
            offers: Default::default(),
            shown: Default::default(),
            told: Default::default(),
            said: Default::default(),
            row: Default::default(),
            fatal: Default::default(),
            syndrome: Default::default(),
            free: Default::default(),
            nak: Constant::new(bits(3)),
        }
    }
}

impl<const QA: usize, const QPS: usize> Logic for FailureHold<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reads, offers, shown);
        clock!(self, clock, rows, due);
        self.due.reset.next = self.reset.val();
        self.told.next = self.failed.data.val();
        self.row.next = bit_cast::<QA, 8>(self.told.val().qp);
        self.failed.ready.next = true;
        self.rows.write.next = self.failed.valid.val();
        self.rows.write_address.next = self.row.val();
        self.rows.data.next = self.told.val();

        // A NAK that asks for a packet again (0x60) and an RNR NAK are no end.
        self.said.next = self.answer.val();
        self.syndrome.next = self.said.val().syndrome;
        self.fatal.next =
            (self.syndrome.val().get_bits::<3>(5) == self.nak.val()) & self.syndrome.val().get_bits::<5>(0).any();
        self.due.wake[0].next = self.taken.val() & self.fatal.val();
        self.due.index[0].next = self.taken_index.val();

        self.free.next = !self.reads.q.val() & !self.offers.q.val();
        self.due.source.ready.next = self.free.val();
        self.reads.d.next = self.free.val() & self.due.source.valid.val();
        self.rows.read.next = self.free.val();
        self.rows.read_address.next = bit_cast::<QA, 8>(self.due.source.data.val());
        if self.reads.q.val() {
            self.shown.d.next = self.rows.out.val();
            self.offers.d.next = true;
        }
        if self.offers.q.val() & self.source.ready.val() {
            self.offers.d.next = false;
        }
        self.source.data.next = self.shown.q.val();
        self.source.valid.next = self.offers.q.val();
        if self.reset.val() {
            self.reads.d.next = false;
            self.offers.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};
    use std::collections::VecDeque;

    /// Random failures and acknowledgements; the reports against a list of what waits.
    #[test]
    fn t62_a_failure_is_reported_once_and_after_its_nak() {
        let mut uut = FailureHold::<3, 8>::default();
        uut.connect_all();
        let mut random = RandomDrive::new(3);
        uut.reset.next = true;
        tick(&mut uut, |u| &mut u.clock);
        uut.reset.next = false;
        // What waits for a NAK, and what has had it.
        let (mut waits, mut due) = ([None::<u64>; 8], VecDeque::new());
        let mut reports = 0;
        for cycle in 0..6000u64 {
            let (failing, taken) = (random.below(8), random.below(8));
            // A queue pair fails once in a life, and a life ends only when its report is through.
            let alive = |qp: u64, due: &VecDeque<(u64, u64)>| due.iter().all(|(index, _)| *index != qp);
            let fails = waits[failing as usize].is_none() && alive(failing, &due) && random.chance(1, 4);
            let takes = taken != failing && random.chance(1, 2);
            let mut failure = QpFailure::default();
            failure.qp = bits(failing);
            failure.syndrome = bits(cycle & 0xFF);
            uut.failed.data.next = failure;
            uut.failed.valid.next = fails;
            // What ends a queue pair is owed only by one that has failed.
            let kinds = if waits[taken as usize].is_some() { 6 } else { 3 };
            let syndrome = [0x1F, 0x21, 0x60, 0x61, 0x62, 0x63][random.below(kinds) as usize];
            let mut answer = OwedAnswer::default();
            answer.syndrome = bits(syndrome);
            uut.taken.next = takes;
            uut.taken_index.next = bits(taken);
            uut.answer.next = answer;
            uut.source.ready.next = random.chance(1, 2);
            uut.clock.next = Clock { clk: false };
            assert!(simulate(&mut uut, 100));
            assert!(uut.failed.ready.val());
            if uut.source.valid.val() && uut.source.ready.val() {
                let report = uut.source.data.val();
                let at = due.iter().position(|(qp, _)| *qp == report.qp.to_u64());
                let (_, number) = due.remove(at.expect("a report without a NAK")).expect("a place in the list");
                assert_eq!(report.syndrome.to_u64(), number, "cycle {cycle}");
                reports += 1;
            }
            uut.clock.next = Clock { clk: true };
            assert!(simulate(&mut uut, 100));
            if takes && syndrome > 0x60 {
                due.extend(waits[taken as usize].take().map(|number| (taken, number)));
            }
            if fails {
                waits[failing as usize] = Some(cycle & 0xFF);
            }
            assert!(due.len() < 8, "reports are stuck: {due:?}");
        }
        assert!(reports > 200, "{reports}");
    }
}
