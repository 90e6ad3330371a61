//! Cuts AXI read bursts at multiples of MRRS (rule RD1).
//!
//! Each piece lies in one MRRS-aligned block, so its beats have their places in a slot by address. One piece a cycle.
use super::records::ReadPiece;
use crate::widgets::ChannelSource;
use rust_hdl::prelude::*;

/// Splitter of read bursts.
#[derive(LogicBlock, Default)]
pub struct ReadSplit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the burst.
    pub reset: Signal<In, Bit>,
    /// Beats of the largest read, less 1.
    pub read_beats: Signal<In, Bits<6>>,
    /// AXI id.
    pub arid: Signal<In, Bits<4>>,
    /// Address.
    pub araddr: Signal<In, Bits<64>>,
    /// Beats - 1.
    pub arlen: Signal<In, Bits<8>>,
    /// The burst counts.
    pub arvalid: Signal<In, Bit>,
    /// It is taken.
    pub arready: Signal<Out, Bit>,
    /// Pieces.
    pub piece: ChannelSource<ReadPiece>,
    busy: DFF<Bit>,
    id: DFF<Bits<4>>,
    address: DFF<Bits<64>>,
    /// Beats that are left, less 1.
    left: DFF<Bits<8>>,
    offset: Signal<Local, Bits<6>>,
    reach: Signal<Local, Bits<8>>,
    cut: Signal<Local, Bit>,
    below: Signal<Local, Bits<64>>,
    taken: Signal<Local, Bit>,
}

impl Logic for ReadSplit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, id, address, left);
        self.arready.next = !self.busy.q.val();
        // Beats behind this one in the block: all ones minus the offset.
        self.offset.next = self.address.q.val().get_bits::<6>(3) & self.read_beats.val();
        self.reach.next = bit_cast::<8, 6>(self.offset.val()) ^ bit_cast::<8, 6>(self.read_beats.val());
        self.cut.next = self.left.q.val() > self.reach.val();
        self.piece.data.next.address = self.address.q.val();
        self.piece.data.next.more = self.left.q.val().get_bits::<6>(0);
        if self.cut.val() {
            self.piece.data.next.more = self.reach.val().get_bits::<6>(0);
        }
        self.piece.data.next.id = self.id.q.val();
        self.piece.data.next.last = !self.cut.val();
        self.piece.valid.next = self.busy.q.val();
        self.taken.next = self.busy.q.val() & self.piece.ready.val();
        self.below.next = (bit_cast::<64, 6>(self.read_beats.val()) << 3) | 7;
        if self.taken.val() {
            self.busy.d.next = self.cut.val();
            self.address.d.next = (self.address.q.val() | self.below.val()) + 1;
            self.left.d.next = self.left.q.val() - self.reach.val() - 1;
        }
        if !self.busy.q.val() {
            self.busy.d.next = self.arvalid.val();
            self.id.d.next = self.arid.val();
            self.address.d.next = self.araddr.val();
            self.left.d.next = self.arlen.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
        }
    }
}
