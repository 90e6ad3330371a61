//! Front end: intake, the FIFO of pending operations, and the page lists, inline or read from host memory, in their FIFOs.
//!
//! Lists of many operations are read ahead; operations and beats leave in the order in which the items came.
use super::beat_fifo::BeatFifo;
use super::inline_beats::InlineBeats;
use super::intake::Intake;
use super::layout::{ListRequest, Pending};
use super::list_fetch::ListFetch;
use crate::types::{ReadClient, ReadCommand, WorkItem};
use crate::widgets::{ChannelSink, ChannelSource, SlackFifo};
use rust_hdl::prelude::*;

/// DATA bus bits, LANES = DATA / 64, INL = min(DATA, 256); 2^PA pending operations, 2^LA list beats, 2^IA inline beats.
#[derive(LogicBlock)]
pub struct FrontEnd<
    const DATA: usize,
    const LANES: usize,
    const INL: usize,
    const PA: usize,
    const LA: usize,
    const IA: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops everything.
    pub reset: Signal<In, Bit>,
    /// Work items.
    pub work: ChannelSink<WorkItem>,
    /// Reader of page lists.
    pub list: ReadClient<DATA>,
    /// MAX_PL of the preset.
    pub max_pages: Signal<In, Bits<16>>,
    /// max_mr_len of the preset.
    pub max_length: Signal<In, Bits<32>>,
    /// Operations.
    pub pending: ChannelSource<Pending>,
    /// A list beat is there.
    pub beat_valid: Signal<Out, Bit>,
    /// The oldest list beat.
    pub beat: Signal<Out, Bits<DATA>>,
    /// Its read failed.
    pub beat_bad: Signal<Out, Bit>,
    /// It is taken.
    pub beat_ready: Signal<In, Bit>,
    /// Beats of inline lists.
    pub inline_beat: ChannelSource<Bits<INL>>,
    intake: Intake<LANES>,
    operations: SlackFifo<Pending, PA, 8>,
    requests: SlackFifo<ListRequest, 5, 8>,
    cutter: InlineBeats<INL>,
    inlines: SlackFifo<Bits<INL>, IA, 16>,
    fetch: ListFetch<LANES, LA>,
    beats: BeatFifo<DATA, LA>,
    operation: Signal<Local, Pending>,
    /// Cycles until the next item may enter, as ones.
    pause: DFF<Bits<3>>,
    room: Signal<Local, Bit>,
    enter: Signal<Local, Bit>,
    spacing: Constant<Bits<3>>,
}

impl<const DATA: usize, const LANES: usize, const INL: usize, const PA: usize, const LA: usize, const IA: usize> Default
    for FrontEnd<DATA, LANES, INL, PA, LA, IA>
{
    fn default() -> Self {
        assert!(DATA == 64 * LANES && INL == DATA.min(256), "DATA {DATA}, LANES {LANES}, INL {INL}");
        let beats_of_inline = (4 / LANES).max(1);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            work: Default::default(),
            list: Default::default(),
            max_pages: Default::default(),
            max_length: Default::default(),
            pending: Default::default(),
            beat_valid: Default::default(),
            beat: Default::default(),
            beat_bad: Default::default(),
            beat_ready: Default::default(),
            inline_beat: Default::default(),
            intake: Default::default(),
            operations: Default::default(),
            requests: Default::default(),
            cutter: Default::default(),
            inlines: Default::default(),
            fetch: Default::default(),
            beats: Default::default(),
            operation: Default::default(),
            pause: Default::default(),
            room: Default::default(),
            enter: Default::default(),
            spacing: Constant::new(((1usize << (beats_of_inline - 1)) - 1).to_bits()),
        }
    }
}

impl<const DATA: usize, const LANES: usize, const INL: usize, const PA: usize, const LA: usize, const IA: usize> Logic
    for FrontEnd<DATA, LANES, INL, PA, LA, IA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pause);
        clock!(self, clock, intake, operations, requests, cutter, inlines, fetch, beats);
        self.intake.reset.next = self.reset.val();
        self.operations.reset.next = self.reset.val();
        self.requests.reset.next = self.reset.val();
        self.cutter.reset.next = self.reset.val();
        self.inlines.reset.next = self.reset.val();
        self.fetch.reset.next = self.reset.val();
        self.beats.reset.next = self.reset.val();

        self.room.next = !self.operations.crowded.val()
            & !self.requests.crowded.val()
            & !self.inlines.crowded.val()
            & !self.pause.q.val().get_bit(0);
        self.enter.next = self.work.valid.val() & self.room.val();
        self.work.ready.next = self.room.val();
        self.pause.d.next = self.pause.q.val() >> 1;
        if self.enter.val() {
            self.pause.d.next = self.spacing.val();
        }
        self.intake.item.next = self.work.data.val();
        self.intake.enter.next = self.enter.val();
        self.intake.max_pages.next = self.max_pages.val();
        self.intake.max_length.next = self.max_length.val();

        self.operation.next = self.intake.pending.val();
        self.operations.data.next = self.operation.val();
        self.operations.write.next = self.intake.pending_valid.val();
        ChannelSource::<Pending>::link(&mut self.pending, &mut self.operations.source);
        self.requests.data.next = self.intake.request.val();
        self.requests.write.next = self.intake.request_valid.val();
        ChannelSource::<ListRequest>::join(&mut self.requests.source, &mut self.fetch.request);
        ChannelSource::<ReadCommand>::link(&mut self.list.command, &mut self.fetch.command);
        self.cutter.load.next = self.intake.pages_valid.val();
        self.cutter.pages.next = self.intake.pages.val();
        self.cutter.beats.next = bit_cast::<3, 10>(self.operation.val().beats);
        self.inlines.data.next = self.cutter.data.val();
        self.inlines.write.next = self.cutter.write.val();
        ChannelSource::<Bits<INL>>::link(&mut self.inline_beat, &mut self.inlines.source);

        self.beats.write.next = self.list.beat_valid.val();
        self.beats.data.next = self.list.beat_data.val();
        self.beats.error.next = self.list.beat_error.val();
        self.beats.ready.next = self.beat_ready.val();
        self.fetch.freed.next = self.beats.freed.val();
        self.beat_valid.next = self.beats.valid.val();
        self.beat.next = self.beats.beat.val();
        self.beat_bad.next = self.beats.broken.val();
        if self.reset.val() {
            self.pause.d.next = 0.into();
        }
    }
}
