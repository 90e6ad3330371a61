//! Asks for page lists as soon as their beats have room (T107): credits count free words of the beat FIFO.
//!
//! Latency one cycle, one command a cycle while there are credits; lists are asked for in order.
use super::layout::ListRequest;
use crate::types::ReadCommand;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// LANES page entries a beat; 2^A - 1 beats of room.
#[derive(LogicBlock)]
pub struct ListFetch<const LANES: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// All room is free again.
    pub reset: Signal<In, Bit>,
    /// Lists to read.
    pub request: ChannelSink<ListRequest>,
    /// Read commands.
    pub command: ChannelSource<ReadCommand>,
    /// A beat has left the FIFO.
    pub freed: Signal<In, Bit>,
    credits: DFF<Bits<16>>,
    read: DFF<ReadCommand>,
    reading: DFF<Bit>,
    asked: Signal<Local, ListRequest>,
    beats: Signal<Local, Bits<16>>,
    issue: Signal<Local, Bit>,
    room: Constant<Bits<16>>,
    beat_shift: Constant<Bits<4>>,
}

impl<const LANES: usize, const A: usize> Default for ListFetch<LANES, A> {
    fn default() -> Self {
        assert!(LANES.is_power_of_two() && LANES <= 8, "{LANES} page entries a beat");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            request: Default::default(),
            command: Default::default(),
            freed: Default::default(),
            credits: Default::default(),
            read: Default::default(),
            reading: Default::default(),
            asked: Default::default(),
            beats: Default::default(),
            issue: Default::default(),
            room: Constant::new(((1usize << A) - 1).to_bits()),
            beat_shift: Constant::new((LANES.ilog2() as usize + 3).to_bits()),
        }
    }
}

impl<const LANES: usize, const A: usize> Logic for ListFetch<LANES, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, credits, read, reading);
        self.asked.next = self.request.data.val();
        self.beats.next = bit_cast::<16, 10>(self.asked.val().beats);
        self.issue.next = self.request.valid.val()
            & (self.credits.q.val() >= self.beats.val())
            & (!self.reading.q.val() | self.command.ready.val());
        self.request.ready.next = self.issue.val();
        self.command.data.next = self.read.q.val();
        self.command.valid.next = self.reading.q.val();
        if self.command.ready.val() {
            self.reading.d.next = false;
        }
        if self.issue.val() {
            self.reading.d.next = true;
            self.read.d.next.address = bit_cast::<52, 46>(self.asked.val().line) << 6;
            self.read.d.next.length = self.beats.val() << self.beat_shift.val();
            self.credits.d.next = self.credits.q.val() - self.beats.val();
            if self.freed.val() {
                self.credits.d.next = self.credits.q.val() - self.beats.val() + 1;
            }
        } else if self.freed.val() {
            self.credits.d.next = self.credits.q.val() + 1;
        }
        if self.reset.val() {
            self.credits.d.next = self.room.val();
            self.reading.d.next = false;
        }
    }
}
