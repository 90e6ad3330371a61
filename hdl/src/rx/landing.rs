//! Keeps account of the write bursts of requests: how many have landed, and which have failed (T59, row 11 of section 3).
//!
//! Bursts land in order, entries ask in order. The number of the oldest failed burst that no entry has passed is in a register,
//! those behind it wait in a FIFO: 32 entries of at most 16 bursts each. An entry is not judged while a number is on its
//! way from the FIFO to the register. Counts are modulo 2^16, at most 2^15 apart.
use crate::widgets::SlackFifo;
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
    some: DFF<Bit>,
    later: SlackFifo<Bits<16>, 10, 2>,
    waiting: DFF<Bits<10>>,
    complete_now: DFF<Bit>,
    failed_now: DFF<Bit>,
    number: Signal<Local, Bits<16>>,
    ahead: Signal<Local, Bits<16>>,
    behind_first: Signal<Local, Bits<16>>,
    before_first: Signal<Local, Bits<16>>,
    over: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    joins: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
}

impl Logic for Landing {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, passed, first, some, waiting, complete_now, failed_now);
        clock!(self, clock, later);
        self.later.reset.next = self.reset.val();
        self.number.next = self.count.q.val() + 1;
        if self.landed.val() {
            self.count.d.next = self.number.val();
        }
        // The oldest failure is behind the entries.
        self.before_first.next = self.first.q.val() - self.passed.q.val();
        self.over.next = self.before_first.val().get_bit(15) | (self.before_first.val() == 0);
        self.alone.next = self.waiting.q.val() == 0;
        self.ahead.next = self.count.q.val() - self.writes.val();
        self.complete_now.d.next =
            !self.ahead.val().get_bit(15) & (self.alone.val() | (self.some.q.val() & !self.over.val()));
        self.complete.next = self.complete_now.q.val();
        self.behind_first.next = self.writes.val() - self.first.q.val();
        self.failed_now.d.next = self.some.q.val() & !self.behind_first.val().get_bit(15) & !self.over.val();
        self.failed.next = self.failed_now.q.val();
        if self.advance.val() {
            self.passed.d.next = self.writes.val();
        }

        self.fails.next = self.landed.val() & self.landed_failed.val();
        self.joins.next = self.fails.val() & (!self.alone.val() | (self.some.q.val() & !self.over.val()));
        self.later.data.next = self.number.val();
        self.later.write.next = self.joins.val();
        self.steps.next = (!self.some.q.val() | self.over.val()) & self.later.source.valid.val();
        self.later.source.ready.next = self.steps.val();
        self.waiting.d.next = self.waiting.q.val() + bit_cast::<10, 1>(self.joins.val().into())
            - bit_cast::<10, 1>(self.steps.val().into());
        if self.over.val() {
            self.some.d.next = false;
        }
        if self.fails.val() & !self.joins.val() {
            self.some.d.next = true;
            self.first.d.next = self.number.val();
        }
        if self.steps.val() {
            self.some.d.next = true;
            self.first.d.next = self.later.source.data.val();
        }
        if self.reset.val() {
            self.count.d.next = 0.into();
            self.passed.d.next = 0.into();
            self.some.d.next = false;
            self.waiting.d.next = 0.into();
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
            let rate = random.below(4);
            let bad: Vec<u64> = (base + 1..=base + total).filter(|_| random.chance(rate as u32, 3)).collect();
            let (mut landed, mut entry, mut sum) = (0, 0, bursts[0]);
            let mut shown = 0;
            for cycle in 0.. {
                assert!(cycle < 1000, "round {round} entry {entry} landed {landed}");
                uut.writes.next = bits((base + sum) & 0xFFFF);
                uut.advance.next = false;
                let lands = landed < total && random.chance(1, 3);
                uut.landed.next = lands;
                uut.landed_failed.next = lands && bad.contains(&(base + landed + 1));
                uut.clock.next = Clock { clk: false };
                assert!(simulate(&mut uut, 10));
                if shown > 1 && uut.complete.val() {
                    assert!(landed >= sum);
                    let failed = bad.iter().any(|n| *n > base + sum - bursts[entry] && *n <= base + sum);
                    assert_eq!(uut.failed.val(), failed, "round {round} entry {entry} of {bursts:?}, bad {bad:?}");
                    uut.advance.next = true;
                    shown = 0;
                } else {
                    assert!(shown < 8 || landed < sum, "it has landed");
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
    fn t59_between_two_waiting_failures_nothing_fails() {
        let mut uut = Landing::default();
        uut.connect_all();
        const FAILED: [u64; 5] = [3, 6, 7, 10, 11];
        for number in 1..=12 {
            uut.landed.next = true;
            uut.landed_failed.next = FAILED.contains(&number);
            tick(&mut uut, |u| &mut u.clock);
        }
        uut.landed.next = false;
        for number in 1..=12 {
            uut.writes.next = bits(number);
            uut.advance.next = false;
            tick(&mut uut, |u| &mut u.clock);
            let waited = (0..8).find(|_| {
                tick(&mut uut, |u| &mut u.clock);
                uut.complete.val()
            });
            assert!(waited.is_some(), "burst {number} is not complete");
            assert_eq!(uut.failed.val(), FAILED.contains(&number), "burst {number}");
            uut.advance.next = true;
            tick(&mut uut, |u| &mut u.clock);
        }
    }
}
