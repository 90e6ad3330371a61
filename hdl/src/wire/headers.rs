//! Header generator: from a [`TxFrame`] and the path of its queue pair to the bytes of all headers (T12, T13, T85 to T87).
//!
//! ```text
//!  1 path memory   2 path, lengths   3 own address, UDP length   4-5 checksum, shape   6 offered
//! ```
//!
//! Six cycles from frame to headers; two frames every seven cycles, because each half works on one frame for three,
//! and the first learns late that the second is free when `header.ready` frees it: so that does not reach `frame.ready`.
use super::headers_checksum::Ipv4Checksum;
use super::headers_fetch::HeaderFetch;
use super::headers_length::HeaderLength;
use super::headers_network::NetworkHeader;
use super::headers_shape::{FrameShape, HeaderShape};
use super::headers_transport::TransportHeader;
use super::{TxFrame, WirePath};
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

record! {
    /// Headers of a frame and all that is needed to complete it.
    FrameHeader, 963 {
        /// All headers, the first byte of the frame in the lowest bits, zeros behind them.
        bytes: Bits<896>,
        /// Bytes of the headers.
        length: Bits<8>,
        /// Payload follows.
        payload: Bit,
        /// A VLAN tag is there.
        tagged: Bit,
        /// The frame is IPv6.
        ipv6: Bit,
        /// Beats of the frame.
        beats: Bits<10>,
        /// As in `FrameShape`.
        straddles: Bit,
        /// As in `FrameShape`.
        lane: Bits<6>,
        /// As in `FrameShape`.
        count: Bits<7>,
        /// Tag of the frame.
        tag: Bits<32>,
    }
}

/// Headers for beats of STRB bytes, paths of 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct HeaderGenerator<const STRB: usize, const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all frames; the paths stay.
    pub reset: Signal<In, Bit>,
    /// Frames to send.
    pub frame: ChannelSink<TxFrame>,
    /// Writes a path: enable,
    pub path_write: Signal<In, Bit>,
    /// queue pair,
    pub path_index: Signal<In, Bits<QA>>,
    /// path. Frames that are taken later have it.
    pub path_row: Signal<In, WirePath>,
    /// Own MAC address, first byte on the wire in the least significant place.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own addresses, first byte on the wire in the least significant place.
    pub own_addresses: [Signal<In, Bits<128>>; 8],
    /// Value of the MigReq bit.
    pub migreq: Signal<In, Bit>,
    /// Headers in the order of the frames.
    pub header: ChannelSource<FrameHeader>,
    fetch: HeaderFetch<QA>,
    length: HeaderLength,
    transport: TransportHeader,
    network: NetworkHeader,
    ipv4_sum: Ipv4Checksum,
    shaper: HeaderShape<STRB>,
    transport_bytes: DFF<Bits<384>>,
    path: DFF<WirePath>,
    source: DFF<Bits<128>>,
    extension_bytes: DFF<Bits<5>>,
    udp_length: DFF<Bits<16>>,
    total_length: DFF<Bits<16>>,
    has_payload: DFF<Bit>,
    tag: DFF<Bits<32>>,
    adds: DFF<Bit>,
    shapes: DFF<Bit>,
    offers: DFF<Bit>,
    asked: Signal<Local, TxFrame>,
    payload: Signal<Local, Bits<13>>,
    way: Signal<Local, WirePath>,
    first: Signal<Local, WirePath>,
    origin: Signal<Local, Bits<128>>,
    form: Signal<Local, FrameShape>,
    total: Signal<Local, Bits<16>>,
    free: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    behind: Signal<Local, Bits<896>>,
    made: Signal<Local, FrameHeader>,
    ip_header: Constant<Bits<16>>,
}

impl<const STRB: usize, const QA: usize> Default for HeaderGenerator<STRB, QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: Default::default(),
            path_write: Default::default(),
            path_index: Default::default(),
            path_row: Default::default(),
            own_mac: Default::default(),
            own_addresses: std::array::from_fn(|_| Default::default()),
            migreq: Default::default(),
            header: Default::default(),
            fetch: Default::default(),
            length: Default::default(),
            transport: Default::default(),
            network: Default::default(),
            ipv4_sum: Default::default(),
            shaper: Default::default(),
            transport_bytes: Default::default(),
            path: Default::default(),
            source: Default::default(),
            extension_bytes: Default::default(),
            udp_length: Default::default(),
            total_length: Default::default(),
            has_payload: Default::default(),
            tag: Default::default(),
            adds: Default::default(),
            shapes: Default::default(),
            offers: Default::default(),
            asked: Default::default(),
            payload: Default::default(),
            way: Default::default(),
            first: Default::default(),
            origin: Default::default(),
            form: Default::default(),
            total: Default::default(),
            free: Default::default(),
            moves: Default::default(),
            behind: Default::default(),
            made: Default::default(),
            ip_header: Constant::new(bits(20)),
        }
    }
}

impl<const STRB: usize, const QA: usize> Logic for HeaderGenerator<STRB, QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, transport_bytes, path, source, extension_bytes, udp_length, total_length);
        dff_setup!(self, clock, has_payload, tag, adds, shapes, offers);
        clock!(self, clock, fetch, length, ipv4_sum, shaper);
        // First half: the frame with its path.
        self.fetch.reset.next = self.reset.val();
        ChannelSink::<TxFrame>::link(&mut self.frame, &mut self.fetch.frame);
        self.fetch.path_write.next = self.path_write.val();
        self.fetch.path_index.next = self.path_index.val();
        self.fetch.path_row.next = self.path_row.val();
        for i in 0..8 {
            self.fetch.own_addresses[i].next = self.own_addresses[i].val();
        }
        self.asked.next = self.fetch.held.val();
        self.payload.next = self.asked.val().payload;
        self.length.frame.next = self.asked.val();
        self.transport.frame.next = self.asked.val();
        self.first.next = self.fetch.path.val();
        self.transport.path.next = self.first.val();
        self.transport.extensions.next = self.length.extensions.val();
        self.transport.pad.next = self.length.pad.val();
        self.transport.migreq.next = self.migreq.val();
        self.transport.udp_length.next = self.length.udp_length.val();
        self.origin.next = self.fetch.source.val();
        self.total.next = self.length.udp_length.val() + self.ip_header.val();
        self.ipv4_sum.path.next = self.first.val();
        self.ipv4_sum.source.next = self.origin.val().get_bits::<32>(96);
        self.ipv4_sum.total_length.next = self.total.val();

        // Second half: sums.
        self.free.next = !self.adds.q.val() & !self.shapes.q.val() & (!self.offers.q.val() | self.header.ready.val());
        self.moves.next = self.free.val() & self.fetch.valid.val();
        self.fetch.ready.next = self.free.val();
        self.fetch.sure.next = !self.adds.q.val() & !self.shapes.q.val() & !self.offers.q.val();
        self.ipv4_sum.load.next = self.moves.val();
        self.adds.d.next = self.moves.val();
        self.shapes.d.next = self.adds.q.val();
        if self.moves.val() {
            self.transport_bytes.d.next = self.transport.bytes.val();
            self.path.d.next = self.first.val();
            self.source.d.next = self.origin.val();
            self.extension_bytes.d.next = self.length.extension_bytes.val();
            self.udp_length.d.next = self.length.udp_length.val();
            self.total_length.d.next = self.total.val();
            self.has_payload.d.next = self.payload.val().any();
            self.tag.d.next = self.asked.val().tag;
        }
        if self.free.val() {
            self.offers.d.next = false;
        }
        if self.shapes.q.val() {
            self.offers.d.next = true;
        }
        self.way.next = self.path.q.val();
        self.shaper.ipv6.next = self.way.val().ipv6;
        self.shaper.has_tag.next = self.way.val().vlan_valid;
        self.shaper.extension_bytes.next = self.extension_bytes.q.val();
        self.shaper.udp_length.next = self.udp_length.q.val();
        self.network.path.next = self.way.val();
        self.network.own_mac.next = self.own_mac.val();
        self.network.source.next = self.source.q.val();
        self.network.udp_length.next = self.udp_length.q.val();
        self.network.total_length.next = self.total_length.q.val();
        self.network.checksum.next = self.ipv4_sum.checksum.val();

        // The transport headers behind the network headers.
        self.behind.next = bit_cast::<896, 384>(self.transport_bytes.q.val()) << 272;
        if self.way.val().ipv6 {
            self.behind.next = bit_cast::<896, 384>(self.transport_bytes.q.val()) << 432;
        }
        self.made.next.bytes = bit_cast::<896, 464>(self.network.bytes.val()) | self.behind.val();
        if self.way.val().vlan_valid {
            self.made.next.bytes = bit_cast::<896, 464>(self.network.bytes.val()) | (self.behind.val() << 32);
        }
        self.form.next = self.shaper.shape.val();
        self.made.next.length = self.shaper.header_bytes.val();
        self.made.next.payload = self.has_payload.q.val();
        self.made.next.tagged = self.way.val().vlan_valid;
        self.made.next.ipv6 = self.way.val().ipv6;
        self.made.next.beats = self.form.val().beats;
        self.made.next.straddles = self.form.val().straddles;
        self.made.next.lane = self.form.val().lane;
        self.made.next.count = self.form.val().count;
        self.made.next.tag = self.tag.q.val();
        self.header.data.next = self.made.val();
        self.header.valid.next = self.offers.q.val();
        if self.reset.val() {
            self.adds.d.next = false;
            self.shapes.d.next = false;
            self.offers.d.next = false;
        }
    }
}
