//! Memory regions: top of the subsystem. See [`FrontEnd`], [`BackEnd`], [`Lookup`] and [`Admin`].
//!
//! A table with two copies and one writer (the back end); lists and work items come in at the front, outcomes leave in
//! order; lookups are answered after [`super::lookup::LATENCY`] cycles. An outside question has priority over a PROBE.
use super::admin::Admin;
use super::back::BackEnd;
use super::front::FrontEnd;
use super::in_flight::InFlight;
use super::layout::{LookupAnswer, LookupQuestion, Pending};
use super::lookup::{Lookup, LATENCY};
use super::message::MessageInvalidation;
use super::watch::Watch;
use crate::types::{AdminUnit, InvalidateOrder, QpControl, QpIdentity, ReadClient, WorkItem, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource, Delay};
use rust_hdl::prelude::*;

/// Numbers that are not widths.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longest page list (MAX_PL).
    pub max_pages: u32,
    /// Cycles until a drain counts as hung (DRAIN_MAX).
    pub drain_max: u32,
}

/// DATA bus bits, LANES = DATA / 64, INL = min(DATA, 256); QPS = 2^QA queue pairs, 2^MA table rows, 2^RA rows of LANES page
/// entries; 2^PA pending operations, 2^LA list beats, 2^IA inline beats.
#[derive(LogicBlock)]
pub struct MemoryRegions<
    const DATA: usize,
    const LANES: usize,
    const INL: usize,
    const QA: usize,
    const QPS: usize,
    const MA: usize,
    const RA: usize,
    const PA: usize,
    const LA: usize,
    const IA: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Reset.
    pub reset: Signal<In, Bit>,
    /// Tables are being cleared (reset is on).
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Work items.
    pub work: ChannelSink<WorkItem>,
    /// Reader of page lists.
    pub list: ReadClient<DATA>,
    /// Outcomes; those of one queue pair keep the order of its items.
    pub outcome: ChannelSource<WorkOutcome>,
    /// Orders about queue pairs.
    pub control: Signal<In, QpControl>,
    /// ALLOC_MR, DEREG_MR, QUERY_MR, PROBE.
    pub admin: AdminUnit,
    /// Queue pair that is probed.
    pub probe_qp: Signal<Out, Bits<8>>,
    /// Who it is, four cycles later.
    pub probe_identity: Signal<In, QpIdentity>,
    /// Asks the lookup.
    pub ask: Signal<In, Bit>,
    /// The question.
    pub question: Signal<In, LookupQuestion>,
    /// The answer to the question of [`LATENCY`] cycles ago is there.
    pub answered: Signal<Out, Bit>,
    /// The answer.
    pub answer: Signal<Out, LookupAnswer>,
    /// Ask for no hold while this is set (T98).
    pub crowded: Signal<Out, Bit>,
    /// A held read has ended,
    pub read_end: Signal<In, Bit>,
    /// of this MR.
    pub read_end_index: Signal<In, Bits<24>>,
    /// A held write has ended,
    pub write_end: Signal<In, Bit>,
    /// of this MR.
    pub write_end_index: Signal<In, Bits<24>>,
    /// Invalidations that messages ask for (C12).
    pub invalidate: ChannelSink<InvalidateOrder>,
    /// Their answers: 0, or the syndrome.
    pub invalidated: ChannelSource<Bits<8>>,
    /// An invalidation waits longer than DRAIN_MAX (one cycle).
    pub fatal: Signal<Out, Bit>,
    front: FrontEnd<DATA, LANES, INL, PA, LA, IA>,
    back: BackEnd<DATA, LANES, INL, QA, QPS, MA, RA>,
    lookup: Lookup<DATA, LANES, MA, RA>,
    counts: InFlight<MA>,
    watch: Watch<MA>,
    commands: Admin<QA, MA>,
    messages: MessageInvalidation,
    asked_by_message: Signal<Local, Bit>,
    outside: Delay<Bit, LATENCY>,
    reply: Signal<Local, LookupAnswer>,
    max_pages: Constant<Bits<16>>,
    max_length: Constant<Bits<32>>,
    page_entries: Constant<Bits<32>>,
    drain_max: Constant<Bits<32>>,
}

impl<
        const DATA: usize,
        const LANES: usize,
        const INL: usize,
        const QA: usize,
        const QPS: usize,
        const MA: usize,
        const RA: usize,
        const PA: usize,
        const LA: usize,
        const IA: usize,
    > MemoryRegions<DATA, LANES, INL, QA, QPS, MA, RA, PA, LA, IA>
{
    /// The subsystem with the numbers of a preset.
    pub fn new(limits: Limits) -> Self {
        let Limits { max_pages, drain_max } = limits;
        assert!(QPS <= 1 << QA, "{QPS} queue pairs numbered with {QA} bits");
        assert!((max_pages as usize).div_ceil(LANES) < 1 << LA, "a list of {max_pages} pages in 2^{LA} beats");
        assert!((1..=512).contains(&max_pages), "max_mr_len must stay below 2^31, beats below 2^10");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            work: Default::default(),
            list: Default::default(),
            outcome: Default::default(),
            control: Default::default(),
            admin: Default::default(),
            probe_qp: Default::default(),
            probe_identity: Default::default(),
            ask: Default::default(),
            question: Default::default(),
            answered: Default::default(),
            answer: Default::default(),
            crowded: Default::default(),
            read_end: Default::default(),
            read_end_index: Default::default(),
            write_end: Default::default(),
            write_end_index: Default::default(),
            invalidate: Default::default(),
            invalidated: Default::default(),
            fatal: Default::default(),
            front: Default::default(),
            back: Default::default(),
            lookup: Default::default(),
            counts: Default::default(),
            watch: Default::default(),
            commands: Default::default(),
            messages: Default::default(),
            asked_by_message: Default::default(),
            outside: Default::default(),
            reply: Default::default(),
            max_pages: Constant::new((max_pages as usize).to_bits()),
            max_length: Constant::new(((max_pages as usize) << 21).to_bits()),
            page_entries: Constant::new((LANES << RA).to_bits()),
            drain_max: Constant::new((drain_max as usize).to_bits()),
        }
    }
}

impl<
        const DATA: usize,
        const LANES: usize,
        const INL: usize,
        const QA: usize,
        const QPS: usize,
        const MA: usize,
        const RA: usize,
        const PA: usize,
        const LA: usize,
        const IA: usize,
    > Logic for MemoryRegions<DATA, LANES, INL, QA, QPS, MA, RA, PA, LA, IA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, back, lookup, counts, watch, commands, messages, outside);
        self.front.reset.next = self.reset.val();
        self.back.reset.next = self.reset.val();
        self.lookup.reset.next = self.reset.val();
        self.counts.reset.next = self.reset.val();
        self.watch.reset.next = self.reset.val();
        self.commands.reset.next = self.reset.val();
        self.messages.reset.next = self.reset.val();
        self.back.clearing.next = self.clearing.val();
        self.back.clear_index.next = self.clear_index.val();
        self.counts.clearing.next = self.clearing.val();
        self.counts.clear_index.next = self.clear_index.val();
        self.front.max_pages.next = self.max_pages.val();
        self.front.max_length.next = self.max_length.val();
        self.commands.max_pages.next = self.max_pages.val();
        self.commands.page_entries.next = self.page_entries.val();
        self.back.drain_max.next = self.drain_max.val();

        ChannelSink::<WorkItem>::link(&mut self.work, &mut self.front.work);
        ReadClient::<DATA>::link(&mut self.list, &mut self.front.list);
        ChannelSource::<Pending>::join(&mut self.front.pending, &mut self.back.pending);
        ChannelSource::<Bits<INL>>::join(&mut self.front.inline_beat, &mut self.back.inline_beat);
        // Beside the walk: messages first; after one of them a command has its turn.
        ChannelSink::<InvalidateOrder>::link(&mut self.invalidate, &mut self.messages.order);
        ChannelSource::<Bits<8>>::link(&mut self.invalidated, &mut self.messages.answer);
        self.asked_by_message.next = self.messages.command.valid.val();
        self.back.command.valid.next = self.messages.command.valid.val() | self.commands.command.valid.val();
        self.back.command.data.next = self.commands.command.data.val();
        if self.asked_by_message.val() {
            self.back.command.data.next = self.messages.command.data.val();
        }
        self.messages.command.ready.next = self.back.command.ready.val();
        self.commands.command.ready.next = self.back.command.ready.val() & !self.asked_by_message.val();
        self.messages.ended.next = self.back.message_ended.val();
        self.messages.syndrome.next = self.back.message_syndrome.val();
        ChannelSource::<WorkOutcome>::link(&mut self.outcome, &mut self.back.outcome);
        AdminUnit::link(&mut self.admin, &mut self.commands.admin);
        self.back.beat_valid.next = self.front.beat_valid.val();
        self.back.beat.next = self.front.beat.val();
        self.back.beat_bad.next = self.front.beat_bad.val();
        self.front.beat_ready.next = self.back.beat_ready.val();
        self.back.control.next = self.control.val();
        self.fatal.next = self.back.fatal.val();

        self.counts.grant.next = self.lookup.grant.val();
        self.counts.grant_index.next = self.lookup.grant_index.val();
        self.counts.read_end.next = self.read_end.val();
        self.counts.read_end_index.next = self.read_end_index.val();
        self.counts.write_end.next = self.write_end.val();
        self.counts.write_end_index.next = self.write_end_index.val();
        self.counts.index.next = self.back.counted.val();
        self.back.granted.next = self.counts.granted.val();
        self.back.read_ended.next = self.counts.read_ended.val();
        self.back.write_ended.next = self.counts.write_ended.val();
        self.crowded.next = self.counts.crowded.val();
        self.lookup.full.next = self.counts.full.val();
        self.watch.looks.next = self.lookup.looks.val();
        self.watch.looks_at.next = self.lookup.looks_at.val();
        self.watch.index.next = self.back.watched.val();
        self.back.under_way.next = self.watch.under_way.val();

        self.lookup.write.next = self.back.write.val();
        self.lookup.index.next = self.back.index.val();
        self.lookup.row.next = self.back.row.val();
        self.lookup.row_generation.next = self.back.row_generation.val();
        self.lookup.page_lanes.next = self.back.page_lanes.val();
        self.lookup.page_row.next = self.back.page_row.val();
        self.lookup.page_data.next = self.back.page_data.val();
        self.commands.ended.next = self.back.admin_ended.val();
        self.commands.refused.next = self.back.admin_refused.val();
        self.commands.timed_out.next = self.back.admin_timed_out.val();
        self.commands.in_flight.next = self.back.admin_in_flight.val();
        self.commands.entry.next = self.back.row.val();
        self.commands.generation.next = self.back.row_generation.val();

        self.probe_qp.next = self.commands.probe_qp.val();
        self.commands.probe_identity.next = self.probe_identity.val();
        self.lookup.ask.next = self.ask.val() | self.commands.ask.val();
        self.lookup.question.next = self.commands.question.val();
        if self.ask.val() {
            self.lookup.question.next = self.question.val();
        }
        self.commands.asked.next = !self.ask.val();
        self.outside.d.next = self.ask.val();
        self.reply.next = self.lookup.answer.val();
        self.answer.next = self.reply.val();
        self.answered.next = self.lookup.answered.val() & self.outside.q.val();
        self.commands.answer.next = self.reply.val();
        self.commands.answered.next = self.lookup.answered.val() & !self.outside.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::verilog;

    #[test]
    fn every_width_and_every_preset_elaborates() {
        let limits = |max_pages| Limits { max_pages, drain_max: 1 << 20 };
        for text in [
            verilog(&mut MemoryRegions::<64, 1, 64, 3, 8, 5, 9, 5, 7, 5>::new(limits(32))),
            verilog(&mut MemoryRegions::<64, 1, 64, 4, 16, 6, 10, 6, 8, 5>::new(limits(64))),
            verilog(&mut MemoryRegions::<128, 2, 128, 4, 16, 6, 9, 6, 8, 5>::new(limits(64))),
            verilog(&mut MemoryRegions::<256, 4, 256, 4, 16, 6, 8, 6, 8, 5>::new(limits(64))),
            verilog(&mut MemoryRegions::<512, 8, 256, 8, 256, 12, 13, 8, 10, 6>::new(limits(512))),
        ] {
            text.unwrap();
        }
    }
}
