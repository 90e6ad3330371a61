//! The three stages behind the walk: page checks, table checks, and all checks of an operation joined over its beats.
//!
//! Latency three cycles, one beat a cycle; moves with `advance`. B17 (failed read), B18 and B19 stick from beat to beat of
//! one operation.
use super::layout::{Checks, MrEntry, Pending};
use super::page_checks::PageChecks;
use super::table_checks::TableChecks;
use rust_hdl::prelude::*;

/// Table of 2^MA rows, LANES page entries a beat.
#[derive(LogicBlock)]
pub struct Judge<const DATA: usize, const LANES: usize, const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is inside.
    pub reset: Signal<In, Bit>,
    /// The stages move.
    pub advance: Signal<In, Bit>,
    /// Step from the walk.
    pub request: Signal<In, Pending>,
    /// Its beat.
    pub pages: Signal<In, Bits<DATA>>,
    /// Its read failed.
    pub broken: Signal<In, Bit>,
    /// Entries left from this beat on.
    pub left: Signal<In, Bits<16>>,
    /// Number of the beat.
    pub number: Signal<In, Bits<10>>,
    /// There is a step.
    pub valid: Signal<In, Bit>,
    /// It is the last one of its operation.
    pub last: Signal<In, Bit>,
    /// Table row of the step.
    pub entry: Signal<In, MrEntry>,
    /// Its generation.
    pub generation: Signal<In, Bits<32>>,
    /// Its accesses granted.
    pub granted: Signal<In, Bits<12>>,
    /// Its reads ended.
    pub read_ended: Signal<In, Bits<12>>,
    /// Its writes ended.
    pub write_ended: Signal<In, Bits<12>>,
    /// The judged step: its operation,
    pub judged: Signal<Out, Pending>,
    /// row,
    pub judged_entry: Signal<Out, MrEntry>,
    /// generation,
    pub judged_generation: Signal<Out, Bits<32>>,
    /// accesses in flight,
    pub in_flight: Signal<Out, Bits<12>>,
    /// beat,
    pub judged_pages: Signal<Out, Bits<DATA>>,
    /// number of the beat,
    pub judged_number: Signal<Out, Bits<10>>,
    /// entries to write, none unless all checks but those of the list itself have passed,
    pub lanes: Signal<Out, Bits<LANES>>,
    /// failures so far,
    pub checks: Signal<Out, Bits<18>>,
    /// C3,
    pub wrong_key: Signal<Out, Bit>,
    /// C12,
    pub forbidden: Signal<Out, Bit>,
    /// whether the pipeline has stood still meanwhile, so that the count may be old,
    pub stale: Signal<Out, Bit>,
    /// whether there is a step,
    pub judged_valid: Signal<Out, Bit>,
    /// and whether it is the last.
    pub judged_last: Signal<Out, Bit>,
    page_checks: PageChecks<DATA, LANES>,
    table_checks: TableChecks<MA>,
    flow: StepFlow<DATA>,
    used: DFF<Bits<LANES>>,
    misaligned: DFF<Bits<LANES>>,
    beyond: DFF<Bits<LANES>>,
    read_entry: DFF<MrEntry>,
    read_generation: DFF<Bits<32>>,
    read_granted: DFF<Bits<12>>,
    read_over: DFF<Bits<12>>,
    kept_entry: DFF<MrEntry>,
    kept_generation: DFF<Bits<32>>,
    kept_in_flight: DFF<Bits<12>>,
    kept_used: DFF<Bits<LANES>>,
    kept_checks: DFF<Bits<18>>,
    kept_key: DFF<Bit>,
    kept_forbidden: DFF<Bit>,
    alignment: DFF<Bit>,
    range: DFF<Bit>,
    read_seen: DFF<Bit>,
    alignment_seen: DFF<Bit>,
    range_seen: DFF<Bit>,
    whole: Signal<Local, Checks>,
}

impl<const DATA: usize, const LANES: usize, const MA: usize> Default for Judge<DATA, LANES, MA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            advance: Default::default(),
            request: Default::default(),
            pages: Default::default(),
            broken: Default::default(),
            left: Default::default(),
            number: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            entry: Default::default(),
            generation: Default::default(),
            granted: Default::default(),
            read_ended: Default::default(),
            write_ended: Default::default(),
            judged: Default::default(),
            judged_entry: Default::default(),
            judged_generation: Default::default(),
            in_flight: Default::default(),
            judged_pages: Default::default(),
            judged_number: Default::default(),
            lanes: Default::default(),
            checks: Default::default(),
            wrong_key: Default::default(),
            forbidden: Default::default(),
            stale: Default::default(),
            judged_valid: Default::default(),
            judged_last: Default::default(),
            page_checks: Default::default(),
            table_checks: Default::default(),
            flow: Default::default(),
            used: Default::default(),
            misaligned: Default::default(),
            beyond: Default::default(),
            read_entry: Default::default(),
            read_generation: Default::default(),
            read_granted: Default::default(),
            read_over: Default::default(),
            kept_entry: Default::default(),
            kept_generation: Default::default(),
            kept_in_flight: Default::default(),
            kept_used: Default::default(),
            kept_checks: Default::default(),
            kept_key: Default::default(),
            kept_forbidden: Default::default(),
            alignment: Default::default(),
            range: Default::default(),
            read_seen: Default::default(),
            alignment_seen: Default::default(),
            range_seen: Default::default(),
            whole: Default::default(),
        }
    }
}

impl<const DATA: usize, const LANES: usize, const MA: usize> Logic for Judge<DATA, LANES, MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, used, misaligned, beyond, read_entry, read_generation, read_granted, read_over);
        dff_setup!(self, clock, kept_entry, kept_generation, kept_in_flight, kept_used, kept_checks, kept_key);
        dff_setup!(self, clock, kept_forbidden);
        dff_setup!(self, clock, alignment, range, read_seen, alignment_seen, range_seen);
        clock!(self, clock, flow);
        self.flow.reset.next = self.reset.val();
        self.flow.advance.next = self.advance.val();
        self.flow.request.next = self.request.val();
        self.flow.pages.next = self.pages.val();
        self.flow.number.next = self.number.val();
        self.flow.broken.next = self.broken.val();
        self.flow.valid.next = self.valid.val();
        self.flow.last.next = self.last.val();

        self.page_checks.pages.next = self.pages.val();
        self.page_checks.left.next = self.left.val();
        self.page_checks.page_shift.next = self.request.val().page_shift;
        self.table_checks.request.next = self.flow.read.val();
        self.table_checks.entry.next = self.read_entry.q.val();
        if self.advance.val() {
            self.used.d.next = self.page_checks.used.val();
            self.misaligned.d.next = self.page_checks.misaligned.val();
            self.beyond.d.next = self.page_checks.beyond.val();
            self.read_entry.d.next = self.entry.val();
            self.read_generation.d.next = self.generation.val();
            self.read_granted.d.next = self.granted.val();
            self.read_over.d.next = self.read_ended.val() + self.write_ended.val();

            self.kept_entry.d.next = self.read_entry.q.val();
            self.kept_generation.d.next = self.read_generation.q.val();
            self.kept_in_flight.d.next = self.read_granted.q.val() - self.read_over.q.val();
            self.kept_used.d.next = self.used.q.val();
            self.kept_checks.d.next = self.table_checks.checks.val();
            self.kept_key.d.next = self.table_checks.wrong_key.val();
            self.kept_forbidden.d.next = self.table_checks.forbidden.val();
            self.alignment.d.next = self.misaligned.q.val().any();
            self.range.d.next = self.beyond.q.val().any();
        }

        self.whole.next = self.kept_checks.q.val().into();
        if self.flow.listed.val() {
            self.whole.next.read = self.flow.judged_bad.val() | self.read_seen.q.val();
            self.whole.next.alignment = self.alignment.q.val() | self.alignment_seen.q.val();
            self.whole.next.range = self.range.q.val() | self.range_seen.q.val();
        }
        // A command between two beats of a list has none and changes nothing.
        if self.advance.val() & self.flow.judged_valid.val() & self.flow.listed.val() {
            self.read_seen.d.next = self.whole.val().read & !self.flow.judged_last.val();
            self.alignment_seen.d.next = self.whole.val().alignment & !self.flow.judged_last.val();
            self.range_seen.d.next = self.whole.val().range & !self.flow.judged_last.val();
        }
        self.lanes.next = 0.into();
        if self.flow.judged_valid.val() & self.flow.listed.val() & (self.kept_checks.q.val() == 0) {
            self.lanes.next = self.kept_used.q.val();
        }
        self.judged.next = self.flow.judged.val();
        self.judged_entry.next = self.kept_entry.q.val();
        self.judged_generation.next = self.kept_generation.q.val();
        self.in_flight.next = self.kept_in_flight.q.val();
        self.judged_pages.next = self.flow.judged_pages.val();
        self.judged_number.next = self.flow.judged_number.val();
        self.checks.next = self.whole.val().into();
        self.wrong_key.next = self.kept_key.q.val();
        self.forbidden.next = self.kept_forbidden.q.val();
        self.stale.next = self.flow.stale.val();
        self.judged_valid.next = self.flow.judged_valid.val();
        self.judged_last.next = self.flow.judged_last.val();
        if self.reset.val() {
            self.read_seen.d.next = false;
            self.alignment_seen.d.next = false;
            self.range_seen.d.next = false;
        }
    }
}

/// What of a step only passes through [`Judge`]: two stages of registers that move with `advance`.
#[derive(LogicBlock, Default)]
pub struct StepFlow<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is inside.
    pub reset: Signal<In, Bit>,
    /// The stages move.
    pub advance: Signal<In, Bit>,
    /// Operation of the step.
    pub request: Signal<In, Pending>,
    /// Its beat.
    pub pages: Signal<In, Bits<DATA>>,
    /// Number of the beat.
    pub number: Signal<In, Bits<10>>,
    /// Its read failed.
    pub broken: Signal<In, Bit>,
    /// There is a step.
    pub valid: Signal<In, Bit>,
    /// It is the last.
    pub last: Signal<In, Bit>,
    /// Operation one stage on.
    pub read: Signal<Out, Pending>,
    /// Two stages on: operation,
    pub judged: Signal<Out, Pending>,
    /// it has a page list,
    pub listed: Signal<Out, Bit>,
    /// beat,
    pub judged_pages: Signal<Out, Bits<DATA>>,
    /// number of the beat,
    pub judged_number: Signal<Out, Bits<10>>,
    /// its read failed,
    pub judged_bad: Signal<Out, Bit>,
    /// there is a step,
    pub judged_valid: Signal<Out, Bit>,
    /// it is the last,
    pub judged_last: Signal<Out, Bit>,
    /// the pipeline has stood still while the step was inside.
    pub stale: Signal<Out, Bit>,
    first: DFF<Pending>,
    first_pages: DFF<Bits<DATA>>,
    first_number: DFF<Bits<10>>,
    first_bad: DFF<Bit>,
    first_valid: DFF<Bit>,
    first_last: DFF<Bit>,
    first_stale: DFF<Bit>,
    second: DFF<Pending>,
    second_pages: DFF<Bits<DATA>>,
    second_number: DFF<Bits<10>>,
    second_bad: DFF<Bit>,
    second_valid: DFF<Bit>,
    second_last: DFF<Bit>,
    second_stale: DFF<Bit>,
    stood: DFF<Bit>,
    passing: Signal<Local, Pending>,
}

impl<const DATA: usize> Logic for StepFlow<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, first_pages, first_number, first_bad, first_valid, first_last, first_stale);
        dff_setup!(self, clock, second, second_pages, second_number, second_bad, second_valid, second_last);
        dff_setup!(self, clock, second_stale, stood);
        if self.advance.val() {
            self.first.d.next = self.request.val();
            self.first_pages.d.next = self.pages.val();
            self.first_number.d.next = self.number.val();
            self.first_bad.d.next = self.broken.val();
            self.first_valid.d.next = self.valid.val();
            self.first_last.d.next = self.last.val();
            self.first_stale.d.next = self.stood.q.val();
            self.second.d.next = self.first.q.val();
            self.second_pages.d.next = self.first_pages.q.val();
            self.second_number.d.next = self.first_number.q.val();
            self.second_bad.d.next = self.first_bad.q.val();
            self.second_valid.d.next = self.first_valid.q.val();
            self.second_last.d.next = self.first_last.q.val();
            self.second_stale.d.next = self.first_stale.q.val();
            self.stood.d.next = false;
        } else {
            self.stood.d.next = true;
            self.first_stale.d.next = true;
            self.second_stale.d.next = true;
        }
        self.read.next = self.first.q.val();
        self.passing.next = self.second.q.val();
        self.judged.next = self.passing.val();
        self.listed.next = self.passing.val().listed | self.passing.val().inline_list;
        self.judged_pages.next = self.second_pages.q.val();
        self.judged_number.next = self.second_number.q.val();
        self.judged_bad.next = self.second_bad.q.val();
        self.judged_valid.next = self.second_valid.q.val();
        self.judged_last.next = self.second_last.q.val();
        self.stale.next = self.second_stale.q.val();
        if self.reset.val() {
            self.first_valid.d.next = false;
            self.second_valid.d.next = false;
        }
    }
}
