//! Read splitter: cuts a read of host memory into AXI bursts.
//!
//! Cuts at every multiple of 4 KiB, or of 256 beats where those are shorter (2 KiB at DATA 64): that keeps both limits
//! of `m_axi` at any start alignment with one comparison. Latency two cycles, then a burst every second cycle. Beats to the end and beats
//! to the cut are counted side by side, each with one addition at most, and the comparison only chooses.
use super::ReadBurst;
use crate::types::ReadCommand;
use crate::widgets::{ChannelSink, ChannelSource, Slot};
use rnic_abi::axi;
use rust_hdl::prelude::*;

/// Splitter of one read client; STRB = DATA / 8 is the number of byte lanes of the bus.
#[derive(LogicBlock)]
pub struct ReadSplitter<const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what it holds.
    pub reset: Signal<In, Bit>,
    /// Reads of any length.
    pub command: ChannelSink<ReadCommand>,
    /// Bursts.
    pub burst: ChannelSource<ReadBurst>,
    /// What is left of the command.
    address: DFF<Bits<52>>,
    /// Its bytes - 1.
    more: DFF<Bits<17>>,
    busy: DFF<Bit>,
    shown: Slot<ReadBurst>,
    from: Signal<Local, Bits<17>>,
    reach: Signal<Local, Bits<17>>,
    over: Signal<Local, Bits<17>>,
    crosses: Signal<Local, Bit>,
    lane: Signal<Local, Bits<17>>,
    span: Signal<Local, Bits<17>>,
    beats: Signal<Local, Bits<17>>,
    to_cut: Signal<Local, Bits<17>>,
    beats_to_cut: Signal<Local, Bits<17>>,
    left: Signal<Local, Bits<17>>,
    offered: Signal<Local, ReadBurst>,
    cut: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    next: Signal<Local, ReadCommand>,
    lane_bits: Constant<Bits<4>>,
    piece: Constant<Bits<17>>,
    offsets: Constant<Bits<17>>,
    beyond: Constant<Bits<17>>,
    lanes: Constant<Bits<17>>,
    below_cut: Constant<Bits<52>>,
}

impl<const STRB: usize> Default for ReadSplitter<STRB> {
    fn default() -> Self {
        assert!(STRB.is_power_of_two() && (8..=64).contains(&STRB), "{STRB} byte lanes");
        let piece = axi::BOUNDARY.min(axi::MAX_BEATS as u64 * STRB as u64);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            command: Default::default(),
            burst: Default::default(),
            address: Default::default(),
            more: Default::default(),
            busy: Default::default(),
            shown: Default::default(),
            from: Default::default(),
            reach: Default::default(),
            over: Default::default(),
            crosses: Default::default(),
            lane: Default::default(),
            span: Default::default(),
            beats: Default::default(),
            to_cut: Default::default(),
            beats_to_cut: Default::default(),
            left: Default::default(),
            offered: Default::default(),
            cut: Default::default(),
            ends: Default::default(),
            next: Default::default(),
            lane_bits: Constant::new(bits(STRB.ilog2() as u64)),
            piece: Constant::new(bits(piece)),
            offsets: Constant::new(bits(piece - 1)),
            beyond: Constant::new(bits(0x1_FFFF & !(piece - 1))),
            lanes: Constant::new(bits(STRB as u64 - 1)),
            below_cut: Constant::new(bits(piece - 1)),
        }
    }
}

impl<const STRB: usize> Logic for ReadSplitter<STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address, more, busy);
        clock!(self, clock, shown);
        self.shown.reset.next = self.reset.val();
        // Offsets within the piece of the bus between two cuts: first byte, and last byte if nothing is cut.
        self.from.next = bit_cast::<17, 52>(self.address.q.val()) & self.offsets.val();
        self.reach.next = self.from.val() + self.more.q.val();
        self.over.next = self.reach.val() & self.beyond.val();
        self.crosses.next = self.over.val().any();
        self.lane.next = self.from.val() & self.lanes.val();
        self.span.next = self.lane.val() + self.more.q.val();
        self.beats.next = self.span.val() >> self.lane_bits.val();
        // All ones minus the offset.
        self.to_cut.next = self.from.val() ^ self.offsets.val();
        self.beats_to_cut.next = self.to_cut.val() >> self.lane_bits.val();
        self.left.next = self.reach.val() - self.piece.val();
        self.offered.next.address = self.address.q.val();
        self.offered.next.last = bit_cast::<8, 17>(self.beats.val());
        if self.crosses.val() {
            self.offered.next.last = bit_cast::<8, 17>(self.beats_to_cut.val());
        }
        self.shown.sink.data.next = self.offered.val();
        self.shown.sink.valid.next = self.busy.q.val();
        self.cut.next = self.busy.q.val() & self.shown.sink.ready.val();
        self.ends.next = !self.busy.q.val() | (self.cut.val() & !self.crosses.val());
        self.command.ready.next = self.ends.val();
        self.next.next = self.command.data.val();
        if self.cut.val() {
            // Only used when something is left: then the next piece begins at its first byte.
            self.address.d.next = (self.address.q.val() | self.below_cut.val()) + 1;
            self.more.d.next = self.left.val();
        }
        if self.ends.val() {
            self.address.d.next = self.next.val().address;
            self.more.d.next = bit_cast::<17, 16>(self.next.val().length) - 1;
            self.busy.d.next = self.command.valid.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
        }
        ChannelSource::<ReadBurst>::link(&mut self.burst, &mut self.shown.source);
    }
}
