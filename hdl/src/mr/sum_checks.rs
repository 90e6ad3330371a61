//! Checks on sums: B13 (address wrap), B14 (page coverage), B15 (first-byte offset), B16 (end of the list).
//! Latency one cycle, one WQE a cycle.
//!
//! Syndromes 0C to 0F rank behind 09 to 0B, so the terms may be wrong where page_shift, npages or length are.
use super::layout::{Checks, RegisterWqe};
use rust_hdl::prelude::*;

/// First cycle: terms. Second cycle: comparisons.
#[derive(LogicBlock, Default)]
pub struct SumChecks {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The WQE.
    pub wqe: Signal<In, RegisterWqe>,
    /// What failed for the WQE of one cycle ago.
    pub checks: Signal<Out, Checks>,
    fields: DFF<RegisterWqe>,
    last: DFF<Bits<32>>,
    total: DFF<Bits<40>>,
    room: DFF<Bits<40>>,
    in_page: DFF<Bits<32>>,
    outside: DFF<Bits<32>>,
    lines: DFF<Bits<15>>,
    pages: Signal<Local, Bits<40>>,
    shift: Signal<Local, Bits<5>>,
    above: Signal<Local, Bits<32>>,
    below: Signal<Local, Bits<32>>,
    ones: Signal<Local, Bits<32>>,
    rounded: Signal<Local, Bits<17>>,
    low: Signal<Local, Bits<32>>,
    access: Signal<Local, Bits<8>>,
    reach: Signal<Local, Bits<33>>,
    line_end: Signal<Local, Bits<16>>,
    line_high: Signal<Local, Bits<32>>,
    iova_high: Signal<Local, Bits<32>>,
    found: Signal<Local, Checks>,
}

impl Logic for SumChecks {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, fields, last, total, room, in_page, outside, lines);
        self.fields.d.next = self.wqe.val();
        self.pages.next = bit_cast::<40, 16>(self.wqe.val().npages);
        self.shift.next = bit_cast::<5, 8>(self.wqe.val().page_shift);
        self.ones.next = 0xFFFF_FFFF_u64.into();
        self.above.next = self.ones.val() << self.shift.val();
        self.below.next = !self.above.val();
        self.last.d.next = self.wqe.val().length_low - 1;
        self.total.d.next = bit_cast::<40, 32>(self.wqe.val().fbo) + bit_cast::<40, 32>(self.wqe.val().length_low);
        self.room.d.next = self.pages.val() << self.shift.val();
        self.in_page.d.next = self.wqe.val().iova_low & self.below.val();
        self.outside.d.next = self.wqe.val().fbo & self.above.val();
        self.rounded.next = bit_cast::<17, 16>(self.wqe.val().npages) + 7;
        self.lines.d.next = bit_cast::<15, 14>(self.rounded.val().get_bits::<14>(3));

        self.found.next = bits::<18>(0).into();
        self.low.next = self.fields.q.val().iova_low;
        self.iova_high.next = self.fields.q.val().iova_high;
        self.reach.next = bit_cast::<33, 32>(self.low.val()) + bit_cast::<33, 32>(self.last.q.val());
        // The last byte must not lie beyond 2^64 - 1: length - 1 makes exactly 2^64 legal.
        self.found.next.wrap = self.reach.val().get_bit(32) & self.iova_high.val().all();
        self.found.next.cover = self.total.q.val() > self.room.q.val();
        self.access.next = self.fields.q.val().access;
        if self.access.val().get_bit(5) {
            self.found.next.offset = (self.low.val() != 0) | (self.iova_high.val() != 0) | (self.outside.q.val() != 0);
        } else {
            self.found.next.offset = self.fields.q.val().fbo != self.in_page.q.val();
        }
        self.line_high.next = self.fields.q.val().line_high;
        self.line_end.next = bit_cast::<16, 14>(self.fields.q.val().line_low) + bit_cast::<16, 15>(self.lines.q.val());
        self.found.next.list =
            !self.fields.q.val().inline_list & self.line_high.val().all() & (self.line_end.val() > 16384);
        self.checks.next = self.found.val();
    }
}
