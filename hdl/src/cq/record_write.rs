//! Writes one naturally aligned record of W bits to host memory: one burst, lane-aligned beats (T106).
//!
//! On a bus wider than the record its bits stand in all places and the strobes choose; on a narrower one the beats follow
//! each other. Two cycles a record of one beat, 1 + W / DATA else. `record.ready` comes from registers alone: it ends the
//! chain of `ready` that begins at the buffer of the DMA.
use crate::types::WriteCommand;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Writer of records of W bits (at most 1024) on a bus of DATA bits.
#[derive(LogicBlock)]
pub struct RecordWrite<const W: usize, const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the record.
    pub reset: Signal<In, Bit>,
    /// Records.
    pub record: ChannelSink<Bits<W>>,
    /// Bus address of the record offered.
    pub address: Signal<In, Bits<52>>,
    /// Command of its burst.
    pub command: ChannelSource<WriteCommand>,
    /// Beats of its burst.
    pub beat: ChannelSource<Bits<DATA>>,
    bytes: DFF<Bits<W>>,
    place: DFF<Bits<52>>,
    left: DFF<Bits<4>>,
    commands: DFF<Bit>,
    beats: DFF<Bit>,
    copy: Signal<Local, Bits<DATA>>,
    spread: Signal<Local, Bits<DATA>>,
    last: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    length: Constant<Bits<13>>,
    beats_more: Constant<Bits<4>>,
    step: Constant<Bits<11>>,
    shifts: [Constant<Bits<11>>; 8],
}

impl<const W: usize, const DATA: usize> Default for RecordWrite<W, DATA> {
    fn default() -> Self {
        assert!(W.is_power_of_two() && (64..=1024).contains(&W) && DATA <= 8 * W, "record of {W} bits on {DATA}");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            record: Default::default(),
            address: Default::default(),
            command: Default::default(),
            beat: Default::default(),
            bytes: Default::default(),
            place: Default::default(),
            left: Default::default(),
            commands: Default::default(),
            beats: Default::default(),
            copy: Default::default(),
            spread: Default::default(),
            last: Default::default(),
            free: Default::default(),
            length: Constant::new(bits(W as u64 / 8)),
            beats_more: Constant::new(bits((W as u64).div_ceil(DATA as u64) - 1)),
            step: Constant::new(bits(DATA as u64)),
            // Copies beyond the bus are shifted out.
            shifts: std::array::from_fn(|i| Constant::new(bits((i * W).min(1024) as u64))),
        }
    }
}

impl<const W: usize, const DATA: usize> Logic for RecordWrite<W, DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, bytes, place, left, commands, beats);
        self.command.data.next.address = self.place.q.val();
        self.command.data.next.length = self.length.val();
        self.command.valid.next = self.commands.q.val();
        self.copy.next = bit_cast::<DATA, W>(self.bytes.q.val());
        self.spread.next = self.copy.val();
        for i in 1..8 {
            self.spread.next = self.spread.val() | (self.copy.val() << self.shifts[i].val());
        }
        self.beat.data.next = self.spread.val();
        self.beat.valid.next = self.beats.q.val();
        self.last.next = self.beats.q.val() & self.beat.ready.val() & (self.left.q.val() == 0);
        if self.command.ready.val() {
            self.commands.d.next = false;
        }
        if self.beats.q.val() & self.beat.ready.val() {
            self.bytes.d.next = self.bytes.q.val() >> self.step.val();
            self.left.d.next = self.left.q.val() - 1;
            self.beats.d.next = !self.last.val();
        }
        self.free.next = !self.commands.q.val() & !self.beats.q.val();
        self.record.ready.next = self.free.val();
        if self.free.val() & self.record.valid.val() {
            self.bytes.d.next = self.record.data.val();
            self.place.d.next = self.address.val();
            self.left.d.next = self.beats_more.val();
            self.commands.d.next = true;
            self.beats.d.next = true;
        }
        if self.reset.val() {
            self.commands.d.next = false;
            self.beats.d.next = false;
        }
    }
}
