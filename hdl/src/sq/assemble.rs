//! Makes slots of 64 bytes from beats: one slot in 512 / DATA cycles. A slot has failed if one of its beats has.
use super::FetchedSlot;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Beats of DATA bits to slots.
#[derive(LogicBlock)]
pub struct SlotAssembler<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is held.
    pub reset: Signal<In, Bit>,
    /// Beats, first bytes first.
    pub sink: ChannelSink<Bits<DATA>>,
    /// The beat came with an error.
    pub sink_error: Signal<In, Bit>,
    /// Slots.
    pub source: ChannelSource<FetchedSlot>,
    /// The last beat of a slot is taken.
    pub release: Signal<Out, Bit>,
    words: DFF<Bits<512>>,
    failed: DFF<Bit>,
    full: DFF<Bit>,
    number: DFF<Bits<4>>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    beat: Signal<Local, Bits<512>>,
    moved: Signal<Local, Bits<512>>,
    last: Constant<Bits<4>>,
    down: Constant<Bits<10>>,
    up: Constant<Bits<10>>,
}

impl<const DATA: usize> Default for SlotAssembler<DATA> {
    fn default() -> Self {
        assert!([64, 128, 256, 512].contains(&DATA), "a bus of {DATA} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink: Default::default(),
            sink_error: Default::default(),
            source: Default::default(),
            release: Default::default(),
            words: Default::default(),
            failed: Default::default(),
            full: Default::default(),
            number: Default::default(),
            takes: Default::default(),
            ends: Default::default(),
            beat: Default::default(),
            moved: Default::default(),
            last: Constant::new((512 / DATA - 1).to_bits()),
            down: Constant::new(DATA.to_bits()),
            up: Constant::new((512 - DATA).to_bits()),
        }
    }
}

impl<const DATA: usize> Logic for SlotAssembler<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, words, failed, full, number);
        self.sink.ready.next = !self.full.q.val() | self.source.ready.val();
        self.takes.next = self.sink.valid.val() & (!self.full.q.val() | self.source.ready.val());
        self.ends.next = self.takes.val() & (self.number.q.val() == self.last.val());
        self.release.next = self.ends.val();
        // The first beat ends in the lowest bits, after the others have pushed it down.
        self.beat.next = bit_cast::<512, DATA>(self.sink.data.val());
        self.moved.next = self.words.q.val() >> self.down.val();
        if self.source.ready.val() {
            self.full.d.next = false;
        }
        if self.takes.val() {
            self.words.d.next = self.moved.val() | (self.beat.val() << self.up.val());
            self.number.d.next = self.number.q.val() + 1;
            self.full.d.next = self.ends.val();
            self.failed.d.next = self.sink_error.val();
            if self.number.q.val().any() {
                self.failed.d.next = self.failed.q.val() | self.sink_error.val();
            }
        }
        if self.ends.val() {
            self.number.d.next = 0.into();
        }
        self.source.data.next.wqe = self.words.q.val();
        self.source.data.next.error = self.failed.q.val();
        self.source.valid.next = self.full.q.val();
        if self.reset.val() {
            self.full.d.next = false;
            self.number.d.next = 0.into();
        }
    }
}
