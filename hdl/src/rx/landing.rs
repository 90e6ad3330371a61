//! Keeps account of the write bursts of requests: how many have landed, and which have failed (T59, row 11 of section 3).
//!
//! Bursts land in order, entries ask in order. Of failed bursts the first and the last are kept until the entries have passed
//! the last one: while a failure waits for its entry, everything between it and a later failure counts as failed too. That
//! errs on the safe side: no data that did not land is ever vouched for. Counts are modulo 2^16, at most 2^15 apart.
use rust_hdl::prelude::*;

/// Account of landed bursts.
#[derive(LogicBlock, Default)]
pub struct Landing {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Nothing was ever written.
    pub reset: Signal<In, Bit>,
    /// The next burst has its B.
    pub landed: Signal<In, Bit>,
    /// With an error.
    pub landed_failed: Signal<In, Bit>,
    /// Bursts written with all entries up to the one in hand.
    pub writes: Signal<In, Bits<16>>,
    /// The entry in hand is done: its bursts are behind us.
    pub advance: Signal<In, Bit>,
    /// All its bursts have landed. One cycle after `writes`.
    pub complete: Signal<Out, Bit>,
    /// One of them has failed; counts when `complete` is set.
    pub failed: Signal<Out, Bit>,
    count: DFF<Bits<16>>,
    passed: DFF<Bits<16>>,
    first: DFF<Bits<16>>,
    last: DFF<Bits<16>>,
    some: DFF<Bit>,
    complete_now: DFF<Bit>,
    failed_now: DFF<Bit>,
    number: Signal<Local, Bits<16>>,
    ahead: Signal<Local, Bits<16>>,
    behind_first: Signal<Local, Bits<16>>,
    before_last: Signal<Local, Bits<16>>,
    over: Signal<Local, Bit>,
}

impl Logic for Landing {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, passed, first, last, some, complete_now, failed_now);
        self.number.next = self.count.q.val() + 1;
        if self.landed.val() {
            self.count.d.next = self.number.val();
        }
        self.ahead.next = self.count.q.val() - self.writes.val();
        self.complete_now.d.next = !self.ahead.val().get_bit(15);
        self.complete.next = self.complete_now.q.val();

        // Failed: a burst in (passed, writes] lies in [first, last].
        self.behind_first.next = self.writes.val() - self.first.q.val();
        self.before_last.next = self.last.q.val() - self.passed.q.val();
        self.over.next = self.before_last.val().get_bit(15) | (self.before_last.val() == 0);
        self.failed_now.d.next = self.some.q.val() & !self.behind_first.val().get_bit(15) & !self.over.val();
        self.failed.next = self.failed_now.q.val();

        if self.advance.val() {
            self.passed.d.next = self.writes.val();
        }
        if self.over.val() {
            self.some.d.next = false;
        }
        if self.landed.val() & self.landed_failed.val() {
            self.some.d.next = true;
            self.last.d.next = self.number.val();
            if !self.some.q.val() | self.over.val() {
                self.first.d.next = self.number.val();
            }
        }
        if self.reset.val() {
            self.count.d.next = 0.into();
            self.passed.d.next = 0.into();
            self.some.d.next = false;
            self.complete_now.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{tick, RandomDrive};

    /// Entries with random bursts, some of which fail; the verdicts of the block against a list.
    #[test]
    fn t59_an_entry_is_complete_with_its_last_burst_and_failed_with_any() {
        let mut uut = Landing::default();
        uut.connect_all();
        let mut random = RandomDrive::new(5);
        // Near the wrap of the counts.
        let mut base: u64 = 0;
        for round in 0..200 {
            let bursts: Vec<u64> = (0..6).map(|_| random.below(4)).collect();
            let total: u64 = bursts.iter().sum();
            // At most one failure a round: then the account is exact.
            let bad = random.chance(1, 2).then(|| base + 1 + random.below(total.max(1)));
            let (mut landed, mut entry, mut sum) = (0, 0, bursts[0]);
            let mut shown = 0;
            for cycle in 0.. {
                assert!(cycle < 1000, "round {round} entry {entry} landed {landed}");
                uut.writes.next = bits((base + sum) & 0xFFFF);
                uut.advance.next = false;
                let lands = landed < total && random.chance(1, 3);
                uut.landed.next = lands;
                uut.landed_failed.next = lands && bad == Some(base + landed + 1);
                uut.clock.next = Clock { clk: false };
                assert!(simulate(&mut uut, 10));
                if shown > 1 && uut.complete.val() {
                    assert!(landed >= sum);
                    let failed = bad.is_some_and(|n| n > base + sum - bursts[entry] && n <= base + sum);
                    assert_eq!(uut.failed.val(), failed, "round {round} entry {entry} of {bursts:?}, bad {bad:?}");
                    uut.advance.next = true;
                    shown = 0;
                } else {
                    assert!(shown < 3 || landed < sum, "it has landed");
                    shown = if landed >= sum { shown + 1 } else { shown.min(1) + 1 };
                }
                let advance = shown == 0;
                tick(&mut uut, |u| &mut u.clock);
                landed += u64::from(lands);
                if advance {
                    entry += 1;
                    if entry == bursts.len() {
                        break;
                    }
                    sum += bursts[entry];
                }
            }
            uut.advance.next = false;
            base += total;
            // Jump near the wrap now and then: many bursts without an entry of interest.
            if round % 50 == 49 {
                while base & 0xFFFF != 0xFFFC {
                    uut.landed.next = true;
                    uut.landed_failed.next = false;
                    uut.writes.next = bits((base + 1) & 0xFFFF);
                    uut.advance.next = true;
                    tick(&mut uut, |u| &mut u.clock);
                    base += 1;
                }
                uut.advance.next = false;
            }
        }
    }

    #[test]
    fn between_two_waiting_failures_all_counts_as_failed_and_behind_them_nothing() {
        let mut uut = Landing::default();
        uut.connect_all();
        for number in 1..=8 {
            uut.landed.next = true;
            uut.landed_failed.next = number == 3 || number == 6;
            tick(&mut uut, |u| &mut u.clock);
        }
        uut.landed.next = false;
        let mut failed = vec![];
        for number in 1..=8 {
            uut.writes.next = bits(number);
            uut.advance.next = false;
            tick(&mut uut, |u| &mut u.clock);
            tick(&mut uut, |u| &mut u.clock);
            failed.push(uut.failed.val());
            uut.advance.next = true;
            tick(&mut uut, |u| &mut u.clock);
        }
        assert_eq!(failed, [false, false, true, true, true, true, false, false]);
    }
}
