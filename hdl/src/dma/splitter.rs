//! Read splitter: cuts a read of host memory into AXI bursts.
//!
//! Cuts at every multiple of 4 KiB, or of 256 beats where those are shorter (2 KiB at DATA 64): that keeps both limits
//! of `m_axi` at any start alignment with one comparison. Latency two cycles, then one burst a cycle.
use super::ReadBurst;
use crate::types::ReadCommand;
use crate::widgets::{ChannelSink, ChannelSource, Stage};
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
    length: DFF<Bits<16>>,
    busy: DFF<Bit>,
    shown: Stage<ReadBurst>,
    from: Signal<Local, Bits<17>>,
    reach: Signal<Local, Bits<17>>,
    to: Signal<Local, Bits<17>>,
    crosses: Signal<Local, Bit>,
    first_beat: Signal<Local, Bits<17>>,
    last_beat: Signal<Local, Bits<17>>,
    beats: Signal<Local, Bits<17>>,
    bytes: Signal<Local, Bits<17>>,
    left: Signal<Local, Bits<17>>,
    offered: Signal<Local, ReadBurst>,
    cut: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    next: Signal<Local, ReadCommand>,
    lane_bits: Constant<Bits<4>>,
    piece: Constant<Bits<17>>,
    offsets: Constant<Bits<17>>,
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
            length: Default::default(),
            busy: Default::default(),
            shown: Default::default(),
            from: Default::default(),
            reach: Default::default(),
            to: Default::default(),
            crosses: Default::default(),
            first_beat: Default::default(),
            last_beat: Default::default(),
            beats: Default::default(),
            bytes: Default::default(),
            left: Default::default(),
            offered: Default::default(),
            cut: Default::default(),
            ends: Default::default(),
            next: Default::default(),
            lane_bits: Constant::new(bits(STRB.ilog2() as u64)),
            piece: Constant::new(bits(piece)),
            offsets: Constant::new(bits(piece - 1)),
            below_cut: Constant::new(bits(piece - 1)),
        }
    }
}

impl<const STRB: usize> Logic for ReadSplitter<STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address, length, busy);
        clock!(self, clock, shown);
        self.shown.reset.next = self.reset.val();
        // Offsets within the piece of the bus between two cuts: first byte, and last byte if nothing is cut.
        self.from.next = bit_cast::<17, 52>(self.address.q.val()) & self.offsets.val();
        self.bytes.next = bit_cast::<17, 16>(self.length.q.val()) - 1;
        self.reach.next = self.from.val() + self.bytes.val();
        self.crosses.next = self.reach.val() >= self.piece.val();
        self.to.next = self.reach.val();
        if self.crosses.val() {
            self.to.next = self.offsets.val();
        }
        self.first_beat.next = self.from.val() >> self.lane_bits.val();
        self.last_beat.next = self.to.val() >> self.lane_bits.val();
        self.beats.next = self.last_beat.val() - self.first_beat.val();
        self.left.next = self.reach.val() - self.offsets.val();
        self.offered.next.address = self.address.q.val();
        self.offered.next.last = bit_cast::<8, 17>(self.beats.val());
        self.shown.sink.data.next = self.offered.val();
        self.shown.sink.valid.next = self.busy.q.val();
        self.cut.next = self.busy.q.val() & self.shown.sink.ready.val();
        self.ends.next = !self.busy.q.val() | (self.cut.val() & !self.crosses.val());
        self.command.ready.next = self.ends.val();
        self.next.next = self.command.data.val();
        if self.cut.val() {
            // Only used when something is left: then the next piece begins at its first byte.
            self.address.d.next = (self.address.q.val() | self.below_cut.val()) + 1;
            self.length.d.next = bit_cast::<16, 17>(self.left.val());
        }
        if self.ends.val() {
            self.address.d.next = self.next.val().address;
            self.length.d.next = self.next.val().length;
            self.busy.d.next = self.command.valid.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
        }
        ChannelSource::<ReadBurst>::link(&mut self.burst, &mut self.shown.source);
    }
}
