//! Puts frames on the stream to the MAC: header, then the fixed body or the TLP (section 2.1). The MAC pads and adds the FCS.
//!
//! The first beat leaves two cycles after the order; a beat a cycle. Ack and limits are read when their word leaves, so a frame
//! tells the latest.
use super::frame_header::FrameHeader;
use super::records::{body, SendOrder, TlpBeat};
use crate::widgets::{AxiStreamManager, ChannelSink, Stage};
use crate::wire::Reverse;
use rnic_abi::link::frame::TYPE_NAK;
use rust_hdl::prelude::*;

/// Sender of frames.
#[derive(LogicBlock)]
pub struct FrameSend {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame under way.
    pub reset: Signal<In, Bit>,
    /// The next frame; taken when the one before has left.
    pub order: ChannelSink<SendOrder>,
    /// DW of the TLP, from the third cycle after its order on.
    pub dwords: Signal<In, Bits<10>>,
    /// The TLP.
    pub tlp: ChannelSink<TlpBeat>,
    /// Next sequence number expected.
    pub ack: Signal<In, Bits<16>>,
    /// Posted limit.
    pub posted_limit: Signal<In, Bits<16>>,
    /// Non-posted limit.
    pub nonposted_limit: Signal<In, Bits<16>>,
    /// MPS of the session, as in Device Control.
    pub mps: Signal<In, Bits<3>>,
    /// MRRS, likewise.
    pub mrrs: Signal<In, Bits<3>>,
    /// Ack and limits are leaving in a frame of the session,
    pub told: Signal<Out, Bit>,
    /// a NAK.
    pub told_nak: Signal<Out, Bit>,
    /// Nothing is under way.
    pub idle: Signal<Out, Bit>,
    /// Frames for the MAC.
    pub axis: AxiStreamManager<64, 8>,
    header: FrameHeader,
    reverse: Reverse<64, 8>,
    stage: Stage<TlpBeat>,
    held: DFF<SendOrder>,
    busy: DFF<Bit>,
    place: DFF<Bits<3>>,
    in_tlp: DFF<Bit>,
    out: Signal<Local, TlpBeat>,
    shown: Signal<Local, TlpBeat>,
    offers: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    carries: Signal<Local, Bit>,
    tlp_body: Constant<Bits<3>>,
    nak_kind: Constant<Bits<4>>,
}

impl FrameSend {
    /// Sender of the device with this MAC address and build id.
    pub fn new(address: u64, build: u32) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            order: Default::default(),
            dwords: Default::default(),
            tlp: Default::default(),
            ack: Default::default(),
            posted_limit: Default::default(),
            nonposted_limit: Default::default(),
            mps: Default::default(),
            mrrs: Default::default(),
            told: Default::default(),
            told_nak: Default::default(),
            idle: Default::default(),
            axis: Default::default(),
            header: FrameHeader::new(address, build),
            reverse: Default::default(),
            stage: Default::default(),
            held: Default::default(),
            busy: Default::default(),
            place: Default::default(),
            in_tlp: Default::default(),
            out: Default::default(),
            shown: Default::default(),
            offers: Default::default(),
            moves: Default::default(),
            carries: Default::default(),
            tlp_body: Constant::new(bits(body::TLP.into())),
            nak_kind: Constant::new(bits(TYPE_NAK.into())),
        }
    }
}

impl Logic for FrameSend {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, busy, place, in_tlp);
        clock!(self, clock, stage);
        self.stage.reset.next = self.reset.val();
        self.header.order.next = self.held.q.val();
        self.header.place.next = self.place.q.val();
        self.header.dwords.next = self.dwords.val();
        self.header.ack.next = self.ack.val();
        self.header.posted_limit.next = self.posted_limit.val();
        self.header.nonposted_limit.next = self.nonposted_limit.val();
        self.header.mps.next = self.mps.val();
        self.header.mrrs.next = self.mrrs.val();
        self.reverse.word.next = self.header.word.val();
        self.carries.next = self.held.q.val().content == self.tlp_body.val();
        self.out.next.data = self.reverse.out.val();
        self.out.next.half = self.header.half.val();
        self.out.next.last = self.header.last.val();
        self.offers.next = self.busy.q.val();
        if self.in_tlp.q.val() {
            self.out.next = self.tlp.data.val();
            self.offers.next = self.tlp.valid.val();
        }
        self.stage.sink.data.next = self.out.val();
        self.stage.sink.valid.next = self.offers.val();
        self.moves.next = self.offers.val() & self.stage.sink.ready.val();
        self.tlp.ready.next = self.in_tlp.q.val() & self.stage.sink.ready.val();
        self.told.next = self.moves.val() & (self.place.q.val() == 3) & self.held.q.val().speaks & !self.in_tlp.q.val();
        self.told_nak.next = self.moves.val()
            & (self.place.q.val() == 3)
            & (self.held.q.val().kind == self.nak_kind.val())
            & !self.in_tlp.q.val();
        if self.moves.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.carries.val() & (self.place.q.val() == 3) {
                self.in_tlp.d.next = true;
            }
            if self.out.val().last {
                self.busy.d.next = false;
                self.in_tlp.d.next = false;
            }
        }
        self.order.ready.next = !self.busy.q.val();
        if !self.busy.q.val() {
            self.held.d.next = self.order.data.val();
            self.busy.d.next = self.order.valid.val();
            self.place.d.next = 0.into();
        }
        if self.reset.val() {
            self.busy.d.next = false;
            self.in_tlp.d.next = false;
        }
        self.idle.next = !self.busy.q.val();
        self.shown.next = self.stage.source.data.val();
        self.axis.tdata.next = self.shown.val().data;
        self.axis.tkeep.next = 255.into();
        if self.shown.val().half {
            self.axis.tkeep.next = 15.into();
        }
        self.axis.tlast.next = self.shown.val().last;
        self.axis.tuser.next = false;
        self.axis.tvalid.next = self.stage.source.valid.val();
        self.stage.source.ready.next = self.axis.tready.val();
    }
}
