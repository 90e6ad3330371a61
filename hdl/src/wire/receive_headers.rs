//! Puts the header words of a frame in fixed places: takes out the VLAN tag, brings IPv4 and IPv6 together. Combinational,
//! two levels of multiplexers behind the comparison of the EtherType.
use super::{HeaderWords, Reverse, HEADER_WORDS};
use num_bigint::BigUint;
use rust_hdl::prelude::*;

/// Words of the IP packet that are looked at: IPv6 header, UDP, BTH and AtomicETH.
const PACKET_WORDS: usize = 22;
/// UDP, BTH and AtomicETH.
const TRANSPORT_WORDS: usize = 12;

/// Selects header words by the kind of the frame.
#[derive(LogicBlock)]
pub struct RxHeaders {
    /// Words of the frame, as `RxWords` keeps them.
    pub words: [Signal<In, Bits<32>>; HEADER_WORDS],
    /// Headers.
    pub headers: Signal<Out, HeaderWords>,
    /// Bytes of the IP packet (IPv4), or behind its header (IPv6).
    pub ip_length: Signal<Out, Bits<16>>,
    /// There is a VLAN tag.
    pub vlan: Signal<Out, Bit>,
    /// The frame is IPv6.
    pub ipv6: Signal<Out, Bit>,
    ethertype: Signal<Local, Bits<16>>,
    has_tag: Signal<Local, Bit>,
    is_v4: Signal<Local, Bit>,
    is_v6: Signal<Local, Bit>,
    outer: Signal<Local, Bits<32>>,
    inner: Signal<Local, Bits<32>>,
    packet: [Signal<Local, Bits<32>>; PACKET_WORDS],
    transport: [Signal<Local, Bits<32>>; TRANSPORT_WORDS],
    length: Signal<Local, Bits<16>>,
    turn: Reverse<16, 2>,
    piece: Signal<Local, Bits<32>>,
    source: Signal<Local, Bits<128>>,
    dest: Signal<Local, Bits<128>>,
    source_v4: Signal<Local, Bits<128>>,
    dest_v4: Signal<Local, Bits<128>>,
    type_tag: Constant<Bits<16>>,
    type_v4: Constant<Bits<16>>,
    type_v6: Constant<Bits<16>>,
    mapped: Constant<Bits<128>>,
}

impl Default for RxHeaders {
    fn default() -> Self {
        Self {
            words: std::array::from_fn(|_| Default::default()),
            headers: Default::default(),
            ip_length: Default::default(),
            vlan: Default::default(),
            ipv6: Default::default(),
            ethertype: Default::default(),
            has_tag: Default::default(),
            is_v4: Default::default(),
            is_v6: Default::default(),
            outer: Default::default(),
            inner: Default::default(),
            packet: std::array::from_fn(|_| Default::default()),
            transport: std::array::from_fn(|_| Default::default()),
            length: Default::default(),
            turn: Default::default(),
            piece: Default::default(),
            source: Default::default(),
            dest: Default::default(),
            source_v4: Default::default(),
            dest_v4: Default::default(),
            type_tag: Constant::new(bits(0x0081)),
            type_v4: Constant::new(bits(0x0008)),
            type_v6: Constant::new(bits(0xDD86)),
            mapped: Constant::new(Bits::from(BigUint::from(0xFFFFu32) << 80)),
        }
    }
}

impl Logic for RxHeaders {
    #[hdl_gen]
    fn update(&mut self) {
        self.outer.next = self.words[3].val();
        self.inner.next = self.words[4].val();
        self.has_tag.next = self.outer.val().get_bits::<16>(16) == self.type_tag.val();
        self.ethertype.next = self.outer.val().get_bits::<16>(16);
        if self.has_tag.val() {
            self.ethertype.next = self.inner.val().get_bits::<16>(16);
        }
        self.is_v4.next = self.ethertype.val() == self.type_v4.val();
        self.is_v6.next = self.ethertype.val() == self.type_v6.val();
        for i in 0..22 {
            self.packet[i].next = self.words[i + 4].val();
            if self.has_tag.val() {
                self.packet[i].next = self.words[i + 5].val();
            }
        }
        for i in 0..12 {
            self.transport[i].next = self.packet[i + 5].val();
            if self.is_v6.val() {
                self.transport[i].next = self.packet[i + 10].val();
            }
        }
        self.length.next = self.packet[0].val().get_bits::<16>(16);
        self.source.next = 0.into();
        self.dest.next = 0.into();
        for i in 0..4 {
            self.piece.next = self.packet[i + 2].val();
            self.source.next = (self.source.val() >> 32) | (bit_cast::<128, 32>(self.piece.val()) << 96);
            self.piece.next = self.packet[i + 6].val();
            self.dest.next = (self.dest.val() >> 32) | (bit_cast::<128, 32>(self.piece.val()) << 96);
        }
        self.source_v4.next = self.mapped.val() | (bit_cast::<128, 32>(self.packet[3].val()) << 96);
        self.dest_v4.next = self.mapped.val() | (bit_cast::<128, 32>(self.packet[4].val()) << 96);
        if self.is_v6.val() {
            self.length.next = self.packet[1].val().get_bits::<16>(0);
        }
        self.turn.word.next = self.length.val();
        self.ip_length.next = self.turn.out.val();
        self.vlan.next = self.has_tag.val();
        self.ipv6.next = self.is_v6.val();
        self.headers.next.mac = (bit_cast::<48, 32>(self.words[1].val()) << 16)
            | bit_cast::<48, 16>(self.words[0].val().get_bits::<16>(16));
        self.headers.next.tci = self.inner.val().get_bits::<16>(0);
        self.headers.next.tagged = self.has_tag.val();
        self.headers.next.ipv4 = self.is_v4.val();
        self.headers.next.ipv6 = self.is_v6.val();
        self.headers.next.ip0 = self.packet[0].val();
        self.headers.next.ip1 = self.packet[1].val();
        self.headers.next.ip2 = self.packet[2].val();
        self.headers.next.ip3 = self.packet[3].val();
        self.headers.next.ip4 = self.packet[4].val();
        self.headers.next.source = self.source.val();
        self.headers.next.dest = self.dest.val();
        if !self.is_v6.val() {
            self.headers.next.source = self.source_v4.val();
            self.headers.next.dest = self.dest_v4.val();
        }
        self.headers.next.ports = self.transport[0].val();
        self.headers.next.udp = self.transport[1].val();
        self.headers.next.bth0 = self.transport[2].val();
        self.headers.next.bth1 = self.transport[3].val();
        self.headers.next.bth2 = self.transport[4].val();
        self.headers.next.ext0 = self.transport[5].val();
        self.headers.next.ext1 = self.transport[6].val();
        self.headers.next.ext2 = self.transport[7].val();
        self.headers.next.ext3 = self.transport[8].val();
        self.headers.next.ext4 = self.transport[9].val();
        self.headers.next.ext5 = self.transport[10].val();
        self.headers.next.ext6 = self.transport[11].val();
    }
}
