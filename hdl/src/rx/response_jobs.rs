//! Queue pairs whose responses still have jobs at the placer: their READs may be writing memory (rules T6, T70).
//!
//! A job is noted at once; when one has finished, both counts of its queue pair are compared, and the flag falls five cycles
//! later. A job that begins meanwhile keeps it up, until it has finished itself. One job a cycle may begin, and one finish.
use crate::widgets::{FlagVector, PulseCounts};
use rust_hdl::prelude::*;

/// QPS = 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct ResponseJobs<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nothing is in flight.
    pub reset: Signal<In, Bit>,
    /// Counts are being cleared (reset is on).
    pub clearing: Signal<In, Bit>,
    /// Count to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// A job is handed to the placer,
    pub start: Signal<In, Bit>,
    /// of this queue pair.
    pub start_index: Signal<In, Bits<8>>,
    /// A job has finished: its verdict and the answers of its writes are there.
    pub finish: Signal<In, Bit>,
    /// Of this queue pair.
    pub finish_index: Signal<In, Bits<8>>,
    /// Queue pairs with jobs.
    pub busy_all: Signal<Out, Bits<QPS>>,
    /// The last job of a queue pair has finished.
    pub landed: Signal<Out, Bit>,
    /// Of this one.
    pub landed_index: Signal<Out, Bits<8>>,
    started: PulseCounts<QA>,
    finished: PulseCounts<QA>,
    busy: FlagVector<QPS, QA>,
    stage: [DFF<Bit>; 4],
    qp: [DFF<Bits<8>>; 4],
    start_row: Signal<Local, Bits<QA>>,
    place: Signal<Local, Bits<8>>,
    row: [Signal<Local, Bits<QA>>; 4],
    again: [Signal<Local, Bit>; 4],
    clears: Signal<Local, Bit>,
}

impl<const QA: usize, const QPS: usize> Logic for ResponseJobs<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, started, finished, busy);
        self.started.reset.next = self.reset.val();
        self.finished.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.started.clearing.next = self.clearing.val();
        self.started.clear_index.next = self.clear_index.val();
        self.finished.clearing.next = self.clearing.val();
        self.finished.clear_index.next = self.clear_index.val();
        self.start_row.next = bit_cast::<QA, 8>(self.start_index.val());
        self.started.pulse.next = self.start.val();
        self.started.pulse_index.next = self.start_row.val();
        self.finished.pulse.next = self.finish.val();
        self.finished.pulse_index.next = bit_cast::<QA, 8>(self.finish_index.val());

        // A start that the counts read do not know keeps the flag: its own finish comes here, too.
        for i in 0..4 {
            self.stage[i].clock.next = self.clock.val();
            self.qp[i].clock.next = self.clock.val();
            self.place.next = self.qp[i].q.val();
            self.row[i].next = bit_cast::<QA, 8>(self.place.val());
            self.again[i].next = self.start.val() & (self.start_row.val() == self.row[i].val());
        }
        self.qp[0].d.next = self.finish_index.val();
        self.qp[1].d.next = self.qp[0].q.val();
        self.qp[2].d.next = self.qp[1].q.val();
        self.qp[3].d.next = self.qp[2].q.val();
        self.stage[0].d.next = self.finish.val() & !self.reset.val();
        self.stage[1].d.next = self.stage[0].q.val() & !self.again[0].val() & !self.reset.val();
        self.stage[2].d.next = self.stage[1].q.val() & !self.again[1].val() & !self.reset.val();
        self.stage[3].d.next = self.stage[2].q.val()
            & !self.again[2].val()
            & !self.reset.val()
            & (self.started.count.val() == self.finished.count.val());
        // Counts are read two cycles after the pulse that they must know, and arrive one later.
        self.started.index.next = self.row[1].val();
        self.finished.index.next = self.row[1].val();
        self.clears.next = self.stage[3].q.val() & !self.again[3].val();
        self.busy.set_flag.next = self.start.val();
        self.busy.set_index.next = self.start_row.val();
        self.busy.clear_flag.next = self.clears.val();
        self.busy.clear_index.next = self.row[3].val();
        self.busy.index.next = self.row[3].val();
        self.busy_all.next = self.busy.all.val();
        self.landed.next = self.clears.val();
        self.landed_index.next = self.qp[3].q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};
    use std::collections::VecDeque;

    #[test]
    fn t6_a_queue_pair_is_busy_while_jobs_of_it_are_in_flight() {
        let mut uut = ResponseJobs::<2, 4>::default();
        uut.connect_all();
        uut.reset.next = true;
        uut.clearing.next = true;
        for row in 0..4u64 {
            uut.clear_index.next = row.into();
            tick(&mut uut, |u| &mut u.clock);
        }
        uut.reset.next = false;
        uut.clearing.next = false;
        let mut random = RandomDrive::new(5);
        let mut jobs: VecDeque<(u64, u64)> = VecDeque::new();
        let (mut quiet, mut falls) = ([100u64; 4], 0);
        for cycle in 0..20_000u64 {
            let starts = jobs.len() < 6 && random.chance(1, 3);
            let qp = random.below(4);
            uut.start.next = starts;
            uut.start_index.next = qp.into();
            // At any distance: the tracker needs three cycles a verdict.
            let ends = jobs.front().is_some_and(|job| job.1 <= cycle);
            uut.finish.next = ends;
            if ends {
                let (qp, _) = jobs.pop_front().unwrap();
                uut.finish_index.next = qp.into();
            }
            if starts {
                jobs.push_back((qp, cycle + 5 + random.below(30)));
            }
            tick(&mut uut, |u| &mut u.clock);
            falls += u64::from(uut.landed.val());
            for qp in 0..4u64 {
                let busy = uut.busy_all.val().get_bit(qp as usize);
                if jobs.iter().any(|job| job.0 == qp) {
                    quiet[qp as usize] = 0;
                    assert!(busy, "cycle {cycle}: job of {qp} forgotten");
                } else {
                    quiet[qp as usize] += 1;
                    assert!(!busy || quiet[qp as usize] < 6, "cycle {cycle}: {qp} stays busy");
                }
            }
        }
        assert!(falls > 500, "{falls}");
    }
}
