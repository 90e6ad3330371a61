//! Front of the pipeline: decodes work items, makes every check that needs no table, and decides whether a page list is
//! read. Latency four cycles, one item a cycle (one in 4 / LANES cycles where an inline list has several beats); nothing
//! stalls: who feeds it limits what enters.
//!
//! A list is read only for an item that has passed all these checks and is not flushed (B16, I11).
use super::decode::Decode;
use super::field_checks::FieldChecks;
use super::layout::{Checks, ListRequest, Owner, Pending, RegisterWqe};
use super::sum_checks::SumChecks;
use crate::types::WorkItem;
use rust_hdl::prelude::*;

/// LANES page entries a beat.
#[derive(LogicBlock, Default)]
pub struct Intake<const LANES: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is inside.
    pub reset: Signal<In, Bit>,
    /// An item.
    pub item: Signal<In, WorkItem>,
    /// The item enters.
    pub enter: Signal<In, Bit>,
    /// MAX_PL of the preset.
    pub max_pages: Signal<In, Bits<16>>,
    /// max_mr_len of the preset.
    pub max_length: Signal<In, Bits<32>>,
    /// An operation.
    pub pending: Signal<Out, Pending>,
    /// `pending` counts.
    pub pending_valid: Signal<Out, Bit>,
    /// Its page list.
    pub request: Signal<Out, ListRequest>,
    /// It is read from host memory.
    pub request_valid: Signal<Out, Bit>,
    /// Its inline page slots.
    pub pages: Signal<Out, Bits<256>>,
    /// They are used.
    pub pages_valid: Signal<Out, Bit>,
    wqe: DFF<Bits<512>>,
    owner: DFF<Owner>,
    entered: DFF<Bit>,
    decode: Decode<LANES>,
    fields: FieldChecks,
    sums: SumChecks,
    first: DFF<Pending>,
    first_valid: DFF<Bit>,
    first_judged: DFF<Bit>,
    first_checks: DFF<Checks>,
    first_beats: DFF<Bits<10>>,
    first_inline: DFF<Bit>,
    first_line: DFF<Bits<46>>,
    first_pages: DFF<Bits<256>>,
    second: DFF<Pending>,
    second_valid: DFF<Bit>,
    second_line: DFF<Bits<46>>,
    second_pages: DFF<Bits<256>>,
    work: Signal<Local, RegisterWqe>,
    failures: Signal<Local, Bits<18>>,
    early: Signal<Local, Bits<18>>,
    late: Signal<Local, Bits<18>>,
    good: Signal<Local, Bit>,
    operation: Signal<Local, Pending>,
    list: Signal<Local, ListRequest>,
}

impl<const LANES: usize> Logic for Intake<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, wqe, owner, entered, first, first_valid, first_judged, first_checks, first_beats);
        dff_setup!(self, clock, first_inline, first_line, first_pages);
        dff_setup!(self, clock, second, second_valid, second_line, second_pages);
        clock!(self, clock, sums);
        self.wqe.d.next = self.item.val().wqe;
        self.owner.d.next.qp = self.item.val().qp;
        self.owner.d.next.pd = self.item.val().pd;
        self.owner.d.next.slot = self.item.val().slot;
        self.owner.d.next.signalled = self.item.val().signalled;
        self.owner.d.next.flush = self.item.val().flush;
        self.owner.d.next.silent = self.item.val().silent;
        self.owner.d.next.syndrome = self.item.val().syndrome;
        self.entered.d.next = self.enter.val();

        self.work.next = self.wqe.q.val().into();
        self.decode.wqe.next = self.work.val();
        self.decode.owner.next = self.owner.q.val();
        self.fields.wqe.next = self.work.val();
        self.fields.registers.next = self.decode.registers.val();
        self.fields.invalidates.next = self.decode.invalidates.val();
        self.fields.max_pages.next = self.max_pages.val();
        self.fields.max_length.next = self.max_length.val();
        self.sums.wqe.next = self.work.val();
        self.first.d.next = self.decode.pending.val();
        self.first_valid.d.next = self.entered.q.val();
        self.first_judged.d.next = self.decode.judged.val();
        self.first_checks.d.next = self.fields.checks.val();
        self.first_beats.d.next = self.decode.beats.val();
        self.first_inline.d.next = self.work.val().inline_list;
        self.first_line.d.next =
            (bit_cast::<46, 32>(self.work.val().line_high) << 14) | bit_cast::<46, 14>(self.work.val().line_low);
        self.first_pages.d.next = self.wqe.q.val().get_bits::<256>(256);

        self.early.next = self.first_checks.q.val().into();
        self.late.next = self.sums.checks.val().into();
        self.failures.next = 0.into();
        if self.first_judged.q.val() {
            self.failures.next = self.early.val();
            if self.first.q.val().registers {
                self.failures.next = self.early.val() | self.late.val();
            }
        }
        self.good.next = self.first.q.val().registers & (self.failures.val() == 0);
        self.second.d.next = self.first.q.val();
        self.second.d.next.checks = self.failures.val();
        self.second.d.next.listed = self.good.val() & !self.first_inline.q.val();
        self.second.d.next.inline_list = self.good.val() & self.first_inline.q.val();
        self.second.d.next.beats = 0.into();
        if self.good.val() {
            self.second.d.next.beats = self.first_beats.q.val();
        }
        self.second_valid.d.next = self.first_valid.q.val();
        self.second_line.d.next = self.first_line.q.val();
        self.second_pages.d.next = self.first_pages.q.val();

        self.operation.next = self.second.q.val();
        self.pending.next = self.operation.val();
        self.pending_valid.next = self.second_valid.q.val();
        self.list.next.line = self.second_line.q.val();
        self.list.next.beats = self.operation.val().beats;
        self.request.next = self.list.val();
        self.request_valid.next = self.second_valid.q.val() & self.operation.val().listed;
        self.pages.next = self.second_pages.q.val();
        self.pages_valid.next = self.second_valid.q.val() & self.operation.val().inline_list;
        if self.reset.val() {
            self.entered.d.next = false;
            self.first_valid.d.next = false;
            self.second_valid.d.next = false;
        }
    }
}
