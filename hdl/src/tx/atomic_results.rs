//! Results of the last 16 atomics of every queue pair (record AR, T54): what a duplicate is answered from.
//!
//! A search goes from the newest to the oldest, so that a PSN that came round is found where it was used last: 4 cycles to
//! 19. Which slots count is known from a pointer of each queue pair, never from the slots themselves (T9).
use super::AtomicResult;
use crate::sq::ClearOrder;
use crate::types::QpControl;
use crate::widgets::{LooseMemory, Memory};
use rust_hdl::prelude::*;

record! {
    /// Where the next result goes.
    ResultPointer, 5 {
        /// Slot of the next result.
        slot: Bits<4>,
        /// All slots hold one.
        full: Bit,
    }
}

/// Results of 2^QA queue pairs; SA = QA + 4.
#[derive(LogicBlock)]
pub struct AtomicResults<const QA: usize, const SA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Ends the search.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Queue pair of search and store; stable from two cycles before either.
    pub index: Signal<In, Bits<QA>>,
    /// PSN and opcode to store or to look for, and the number to store.
    pub result: Signal<In, AtomicResult>,
    /// Begins a search.
    pub search: Signal<In, Bit>,
    /// The search ends.
    pub done: Signal<Out, Bit>,
    /// It found the result.
    pub found: Signal<Out, Bit>,
    /// The number that was found.
    pub value: Signal<Out, Bits<64>>,
    /// Stores `result`.
    pub store: Signal<In, Bit>,
    clear: ClearOrder<QA>,
    pointers: Memory<ResultPointer, QA>,
    results: LooseMemory<AtomicResult, SA>,
    searching: DFF<Bit>,
    number: DFF<Bits<5>>,
    comes: DFF<Bit>,
    kept: DFF<AtomicResult>,
    keeps: DFF<Bit>,
    pointer: Signal<Local, ResultPointer>,
    wanted: Signal<Local, AtomicResult>,
    seen: Signal<Local, AtomicResult>,
    step: Signal<Local, Bits<4>>,
    slot: Signal<Local, Bits<4>>,
    wide_next: Signal<Local, Bits<5>>,
    counts: Signal<Local, Bit>,
    equals: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    base: Signal<Local, Bits<SA>>,
    after: Signal<Local, ResultPointer>,
}

impl<const QA: usize, const SA: usize> Default for AtomicResults<QA, SA> {
    fn default() -> Self {
        assert_eq!(SA, QA + 4, "16 results a queue pair");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            control: Default::default(),
            index: Default::default(),
            result: Default::default(),
            search: Default::default(),
            done: Default::default(),
            found: Default::default(),
            value: Default::default(),
            store: Default::default(),
            clear: Default::default(),
            pointers: Default::default(),
            results: Default::default(),
            searching: Default::default(),
            number: Default::default(),
            comes: Default::default(),
            kept: Default::default(),
            keeps: Default::default(),
            pointer: Default::default(),
            wanted: Default::default(),
            seen: Default::default(),
            step: Default::default(),
            slot: Default::default(),
            wide_next: Default::default(),
            counts: Default::default(),
            equals: Default::default(),
            ends: Default::default(),
            base: Default::default(),
            after: Default::default(),
        }
    }
}

impl<const QA: usize, const SA: usize> Logic for AtomicResults<QA, SA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, searching, number, comes, kept, keeps);
        clock!(self, clock, clear, pointers, results);
        self.clear.reset.next = self.reset.val();
        self.clear.control.next = self.control.val();
        self.clear.busy.next = self.store.val();
        self.wanted.next = self.result.val();
        self.pointers.read.next = true;
        self.pointers.read_address.next = self.index.val();
        self.pointer.next = self.pointers.out.val();
        self.base.next = bit_cast::<SA, QA>(self.index.val()) << 4;

        // Store.
        self.after.next.slot = self.pointer.val().slot + 1;
        self.after.next.full = self.pointer.val().full | self.pointer.val().slot.all();
        self.pointers.write.next = self.store.val() | self.clear.clears.val();
        self.pointers.write_address.next = self.index.val();
        if self.clear.clears.val() {
            self.pointers.write_address.next = self.clear.index.val();
            self.after.next.slot = 0.into();
            self.after.next.full = false;
        }
        self.pointers.data.next = self.after.val();
        self.results.write.next = self.store.val();
        self.results.write_address.next = self.base.val() | bit_cast::<SA, 4>(self.pointer.val().slot);
        self.results.data.next = self.result.val();

        // Search: address, word, comparison.
        self.step.next = self.number.q.val().get_bits::<4>(0);
        self.slot.next = (self.pointer.val().slot - self.step.val()) - 1;
        self.wide_next.next = bit_cast::<5, 4>(self.pointer.val().slot);
        self.counts.next =
            !self.number.q.val().get_bit(4) & (self.pointer.val().full | (self.number.q.val() < self.wide_next.val()));
        self.results.read.next = true;
        self.results.read_address.next = self.base.val() | bit_cast::<SA, 4>(self.slot.val());
        self.comes.d.next = self.searching.q.val() & self.counts.val();
        self.kept.d.next = self.results.out.val();
        self.keeps.d.next = self.searching.q.val() & self.comes.q.val();
        self.seen.next = self.kept.q.val();
        self.equals.next = self.keeps.q.val()
            & (self.seen.val().psn == self.wanted.val().psn)
            & (self.seen.val().adds == self.wanted.val().adds);
        self.ends.next = self.searching.q.val() & (self.equals.val() | (self.number.q.val() == 18));
        self.done.next = self.ends.val();
        self.found.next = self.equals.val();
        self.value.next = self.seen.val().value;
        self.number.d.next = self.number.q.val() + 1;
        if self.ends.val() {
            self.searching.d.next = false;
        }
        if self.search.val() {
            self.searching.d.next = true;
            self.number.d.next = 0.into();
            self.comes.d.next = false;
            self.keeps.d.next = false;
        }
        if self.reset.val() {
            self.searching.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tick;

    type Results = AtomicResults<2, 6>;

    fn select(uut: &mut Results, index: u64, psn: u64, adds: bool, value: u64) {
        uut.index.next = index.into();
        uut.result.next = AtomicResult { psn: psn.into(), adds, value: value.into() };
        for _ in 0..2 {
            tick(uut, |u| &mut u.clock);
        }
    }

    fn store(uut: &mut Results, index: u64, psn: u64, adds: bool, value: u64) {
        select(uut, index, psn, adds, value);
        uut.store.next = true;
        tick(uut, |u| &mut u.clock);
        uut.store.next = false;
    }

    fn find(uut: &mut Results, index: u64, psn: u64, adds: bool) -> Option<u64> {
        select(uut, index, psn, adds, 0);
        uut.search.next = true;
        tick(uut, |u| &mut u.clock);
        uut.search.next = false;
        for _ in 0..20 {
            if uut.done.val() {
                let found = uut.found.val().then(|| uut.value.val().to_u64());
                tick(uut, |u| &mut u.clock);
                return found;
            }
            tick(uut, |u| &mut u.clock);
        }
        panic!("the search for {psn:x} of {index} has not ended after 20 cycles");
    }

    #[test]
    fn t54_v22_the_last_16_atomics_are_found_and_older_ones_are_not() {
        let mut uut = Results::default();
        uut.connect_all();
        assert_eq!(find(&mut uut, 1, 0, false), None);
        for n in 0..40u64 {
            store(&mut uut, 1, 100 + n, n % 2 == 0, 7 * n);
            store(&mut uut, 2, 100 + n, true, 9 * n);
            for back in 0..20 {
                let expected = (back < 16 && back <= n).then(|| 7 * (n - back));
                let psn = (100 + n).wrapping_sub(back);
                assert_eq!(find(&mut uut, 1, psn, (n + back) % 2 == 0), expected, "{n} {back}");
                assert_eq!(find(&mut uut, 1, psn, (n + back) % 2 == 1), None, "other opcode");
            }
        }
    }

    #[test]
    fn t54_of_two_results_with_one_psn_the_newer_is_found() {
        let mut uut = Results::default();
        uut.connect_all();
        store(&mut uut, 3, 5, true, 1);
        store(&mut uut, 3, 6, true, 2);
        store(&mut uut, 3, 5, true, 3);
        assert_eq!(find(&mut uut, 3, 5, true), Some(3));
    }

    #[test]
    fn t6_a_clear_forgets_the_results_of_one_queue_pair() {
        let mut uut = Results::default();
        uut.connect_all();
        for n in 0..17 {
            store(&mut uut, 0, n, true, n);
            store(&mut uut, 1, n, true, n);
        }
        uut.control.next = QpControl { index: 1.into(), clear: true, ..Default::default() };
        tick(&mut uut, |u| &mut u.clock);
        uut.control.next = Default::default();
        assert_eq!(find(&mut uut, 0, 9, true), Some(9));
        assert_eq!(find(&mut uut, 1, 9, true), None);
    }
}
