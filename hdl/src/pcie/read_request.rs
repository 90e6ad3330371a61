//! DMA reads: pieces of bursts get tags and become memory reads (rules RD1, RD2, RD7, RD8).
//!
//! A piece is taken when a slot is free, or refused at once: no link, or no tag that will ever be free again. Either way its
//! beats are owed to R in order.
use super::read_header::ReadHeader;
use super::read_split::ReadSplit;
use super::records::{OwedPiece, ReadPiece, TlpHeader};
use crate::widgets::{ChannelSource, Fifo, Stage};
use rust_hdl::prelude::*;

/// Requests of DMA reads.
#[derive(LogicBlock, Default)]
pub struct ReadRequest {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// Requester id.
    pub device_id: Signal<In, Bits<16>>,
    /// Reads may be sent.
    pub enabled: Signal<In, Bit>,
    /// All tags are retired.
    pub fatal: Signal<In, Bit>,
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
    /// A slot is free,
    pub free: Signal<In, Bit>,
    /// this one.
    pub free_tag: Signal<In, Bits<3>>,
    /// The free slot is taken,
    pub start: Signal<Out, Bit>,
    /// for a read from here,
    pub start_address: Signal<Out, Bits<9>>,
    /// of so many bytes.
    pub start_bytes: Signal<Out, Bits<10>>,
    /// Memory reads.
    pub header: ChannelSource<TlpHeader>,
    /// What is owed to R.
    pub owed: ChannelSource<OwedPiece>,
    split: ReadSplit,
    builder: ReadHeader,
    stage: Stage<TlpHeader>,
    order: Fifo<OwedPiece, 4>,
    piece: Signal<Local, ReadPiece>,
    address: Signal<Local, Bits<64>>,
    refuses: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl Logic for ReadRequest {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, split, stage, order);
        self.split.reset.next = self.reset.val();
        self.stage.reset.next = self.reset.val();
        self.order.reset.next = self.reset.val();
        self.split.read_beats.next = self.read_beats.val();
        self.split.arid.next = self.arid.val();
        self.split.araddr.next = self.araddr.val();
        self.split.arlen.next = self.arlen.val();
        self.split.arvalid.next = self.arvalid.val();
        self.arready.next = self.split.arready.val();
        self.piece.next = self.split.piece.data.val();
        self.address.next = self.piece.val().address;
        self.refuses.next = !self.enabled.val() | self.fatal.val();
        self.asks.next = self.split.piece.valid.val()
            & self.order.sink.ready.val()
            & !self.refuses.val()
            & self.free.val()
            & self.stage.sink.ready.val();
        self.takes.next =
            self.asks.val() | (self.split.piece.valid.val() & self.order.sink.ready.val() & self.refuses.val());
        self.split.piece.ready.next = self.takes.val();
        self.builder.device_id.next = self.device_id.val();
        self.builder.piece.next = self.piece.val();
        self.builder.tag.next = self.free_tag.val();
        self.stage.sink.data.next = self.builder.header.val();
        self.stage.sink.valid.next = self.asks.val();
        self.start.next = self.asks.val();
        self.start_address.next = self.address.val().get_bits::<9>(0);
        self.start_bytes.next = self.builder.bytes.val();
        self.order.sink.valid.next = self.takes.val();
        self.order.sink.data.next.tag = self.free_tag.val();
        self.order.sink.data.next.refused = self.refuses.val();
        self.order.sink.data.next.beat = self.address.val().get_bits::<6>(3);
        self.order.sink.data.next.more = self.piece.val().more;
        self.order.sink.data.next.id = self.piece.val().id;
        self.order.sink.data.next.last = self.piece.val().last;
        ChannelSource::<TlpHeader>::link(&mut self.header, &mut self.stage.source);
        ChannelSource::<OwedPiece>::link(&mut self.owed, &mut self.order.source);
    }
}
