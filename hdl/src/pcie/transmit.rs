//! TLPs to the lower side: order, payload, stream (rules TO1 to TO3, TL9).
use super::records::{StreamBeat, TlpHeader};
use super::transmit_build::TransmitBuild;
use super::transmit_order::TransmitOrder;
use crate::widgets::{AxiStreamManager, ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Transmitter of TLPs. Seven cycles from commitment to the first beat when nothing is in the way.
#[derive(LogicBlock, Default)]
pub struct TlpTransmit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// Headers of DMA writes, BAR completions, interrupts.
    pub posted: [ChannelSink<TlpHeader>; 3],
    /// Payload of DMA writes,
    pub writes: ChannelSink<Bits<64>>,
    /// of BAR completions,
    pub answers: ChannelSink<Bits<64>>,
    /// of interrupts.
    pub messages: ChannelSink<Bits<32>>,
    /// Headers of DMA reads.
    pub request: ChannelSink<TlpHeader>,
    /// The lower side takes a read now.
    pub nonposted_ok: Signal<In, Bit>,
    /// The link is up.
    pub link_up: Signal<In, Bit>,
    /// TLPs.
    pub stream: AxiStreamManager<64, 8>,
    order: TransmitOrder,
    build: TransmitBuild,
    tlp: Signal<Local, TlpHeader>,
    beat: Signal<Local, StreamBeat>,
    from: Signal<Local, Bits<2>>,
}

impl Logic for TlpTransmit {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, order, build);
        self.order.reset.next = self.reset.val();
        self.build.reset.next = self.reset.val();
        for i in 0..3 {
            ChannelSink::<TlpHeader>::link(&mut self.posted[i], &mut self.order.posted[i]);
        }
        ChannelSink::<TlpHeader>::link(&mut self.request, &mut self.order.request);
        self.order.nonposted_ok.next = self.nonposted_ok.val();
        self.order.link_up.next = self.link_up.val();
        ChannelSource::<TlpHeader>::join(&mut self.order.header, &mut self.build.header);
        self.build.drops.next = self.order.drops.val();
        // Queues by their numbers in `records::queue`.
        self.tlp.next = self.order.header.data.val();
        self.from.next = self.tlp.val().queue;
        self.writes.ready.next = self.build.payload.ready.val() & (self.from.val() == 0);
        self.answers.ready.next = self.build.payload.ready.val() & (self.from.val() == 1);
        self.messages.ready.next = self.build.payload.ready.val() & (self.from.val() == 2);
        self.build.payload.data.next = self.writes.data.val();
        self.build.payload.valid.next = self.writes.valid.val();
        if self.from.val() == 1 {
            self.build.payload.data.next = self.answers.data.val();
            self.build.payload.valid.next = self.answers.valid.val();
        } else if self.from.val() == 2 {
            self.build.payload.data.next = bit_cast::<64, 32>(self.messages.data.val());
            self.build.payload.valid.next = self.messages.valid.val();
        }
        self.beat.next = self.build.beat.data.val();
        self.build.beat.ready.next = self.stream.tready.val();
        self.stream.tvalid.next = self.build.beat.valid.val();
        self.stream.tdata.next = self.beat.val().data;
        self.stream.tlast.next = self.beat.val().last;
        self.stream.tuser.next = false;
        self.stream.tkeep.next = 0xFF.into();
        if self.beat.val().half {
            self.stream.tkeep.next = 0x0F.into();
        }
    }
}
