//! What the judge needs of the headers, as numbers. Combinational: one comparison, addition or table look-up deep.
use super::{ExtensionLength, HeaderWords, Reverse, RxEnd};
use rust_hdl::prelude::*;

/// UDP port of RoCEv2.
pub const ROCE_PORT: u16 = 4791;

record! {
    /// A frame as the judge sees it.
    RxShape, 122 {
        /// End of the frame: the MAC marked it bad.
        bad: Bit,
        /// Too long.
        long: Bit,
        /// Not stored in full.
        full: Bit,
        /// Bytes of the frame.
        bytes: Bits<13>,
        /// Row behind the frame.
        end_row: Bits<12>,
        /// An IP header without options, extensions or fragments, then UDP to our port.
        roce: Bit,
        /// EtherType of IPv4.
        ipv4: Bit,
        /// BTH opcode.
        opcode: Bits<8>,
        /// The transport version is 0.
        version_ok: Bit,
        /// To QP 1.
        qp1: Bit,
        /// Reserved opcode of the RC range.
        reserved: Bit,
        /// UDP length, with the IP header where the IP length counts it.
        udp_reach: Bits<17>,
        /// IP length.
        ip_length: Bits<17>,
        /// Bytes of the frame that the IP length tells.
        ip_end: Bits<17>,
        /// UDP length.
        udp_length: Bits<16>,
        /// UDP header, BTH, extension headers, pad and ICRC.
        overhead: Bits<6>,
        /// Offset of the payload in the frame.
        payload_at: Bits<8>,
    }
}

/// Shapes an [`RxShape`].
#[derive(LogicBlock)]
pub struct ParseShape {
    /// Headers.
    pub headers: Signal<In, HeaderWords>,
    /// End of the frame.
    pub end_of: Signal<In, RxEnd>,
    /// What the judge needs.
    pub shape: Signal<Out, RxShape>,
    ip0: Signal<Local, Bits<32>>,
    ip1: Signal<Local, Bits<32>>,
    ip2: Signal<Local, Bits<32>>,
    bth0: Signal<Local, Bits<32>>,
    bth1: Signal<Local, Bits<32>>,
    plain_v4: Signal<Local, Bit>,
    plain_v6: Signal<Local, Bit>,
    port_word: Signal<Local, Bits<32>>,
    udp_word: Signal<Local, Bits<32>>,
    ip_length: Reverse<16, 2>,
    udp_length: Reverse<16, 2>,
    qpn: Signal<Local, Bits<24>>,
    version: Signal<Local, Bits<4>>,
    pad: Signal<Local, Bits<2>>,
    extension: ExtensionLength,
    extension_bytes: Signal<Local, Bits<6>>,
    in_front: Signal<Local, Bits<17>>,
    header_end: Signal<Local, Bits<8>>,
    v4_in_udp_reach: Signal<Local, Bits<17>>,
    first_v4: Constant<Bits<8>>,
    fragment: Constant<Bits<32>>,
    udp_protocol: Constant<Bits<8>>,
    version_6: Constant<Bits<4>>,
    port: Constant<Bits<16>>,
    qpn_1: Constant<Bits<24>>,
    fixed: Constant<Bits<6>>,
}

impl Default for ParseShape {
    fn default() -> Self {
        Self {
            headers: Default::default(),
            end_of: Default::default(),
            shape: Default::default(),
            ip0: Default::default(),
            ip1: Default::default(),
            ip2: Default::default(),
            bth0: Default::default(),
            bth1: Default::default(),
            plain_v4: Default::default(),
            plain_v6: Default::default(),
            port_word: Default::default(),
            udp_word: Default::default(),
            ip_length: Default::default(),
            udp_length: Default::default(),
            qpn: Default::default(),
            version: Default::default(),
            pad: Default::default(),
            extension: Default::default(),
            extension_bytes: Default::default(),
            in_front: Default::default(),
            header_end: Default::default(),
            v4_in_udp_reach: Default::default(),
            first_v4: Constant::new(bits(0x45)),
            // More fragments, fragment offset.
            fragment: Constant::new(bits(0xFF3F_0000)),
            udp_protocol: Constant::new(bits(17)),
            version_6: Constant::new(bits(6)),
            port: Constant::new(bits(ROCE_PORT.swap_bytes().into())),
            // As it stands on the wire.
            qpn_1: Constant::new(bits(1 << 16)),
            fixed: Constant::new(bits(24)),
        }
    }
}

impl Logic for ParseShape {
    #[hdl_gen]
    fn update(&mut self) {
        self.ip0.next = self.headers.val().ip0;
        self.ip1.next = self.headers.val().ip1;
        self.ip2.next = self.headers.val().ip2;
        self.port_word.next = self.headers.val().ports;
        self.udp_word.next = self.headers.val().udp;
        self.bth0.next = self.headers.val().bth0;
        self.bth1.next = self.headers.val().bth1;
        // RoCE as far as IP and UDP tell.
        self.plain_v4.next = self.headers.val().ipv4
            & (self.ip0.val().get_bits::<8>(0) == self.first_v4.val())
            & ((self.ip1.val() & self.fragment.val()).any() == false)
            & (self.ip2.val().get_bits::<8>(8) == self.udp_protocol.val());
        self.plain_v6.next = self.headers.val().ipv6
            & (self.ip0.val().get_bits::<4>(4) == self.version_6.val())
            & (self.ip1.val().get_bits::<8>(16) == self.udp_protocol.val());
        // Lengths.
        self.ip_length.word.next = self.ip0.val().get_bits::<16>(16);
        self.in_front.next = 14.into();
        self.header_end.next = 54.into();
        self.v4_in_udp_reach.next = 20.into();
        if self.headers.val().tagged {
            self.in_front.next = 18.into();
            self.header_end.next = 58.into();
        }
        if self.headers.val().ipv6 {
            self.ip_length.word.next = self.ip1.val().get_bits::<16>(0);
            self.in_front.next = 54.into();
            self.header_end.next = 74.into();
            self.v4_in_udp_reach.next = 0.into();
            if self.headers.val().tagged {
                self.in_front.next = 58.into();
                self.header_end.next = 78.into();
            }
        }
        self.udp_length.word.next = self.udp_word.val().get_bits::<16>(0);
        self.extension.opcode.next = self.bth0.val().get_bits::<5>(0);
        self.extension_bytes.next = bit_cast::<6, 3>(self.extension.words.val()) << 2;
        self.pad.next = self.bth0.val().get_bits::<2>(12);
        self.version.next = self.bth0.val().get_bits::<4>(8);
        self.qpn.next = self.bth1.val().get_bits::<24>(8);
        self.shape.next.bad = self.end_of.val().bad;
        self.shape.next.long = self.end_of.val().long;
        self.shape.next.full = self.end_of.val().full;
        self.shape.next.bytes = self.end_of.val().bytes;
        self.shape.next.end_row = self.end_of.val().end_row;
        self.shape.next.roce =
            (self.plain_v4.val() | self.plain_v6.val()) & (self.port_word.val().get_bits::<16>(16) == self.port.val());
        self.shape.next.ipv4 = self.headers.val().ipv4;
        self.shape.next.opcode = self.bth0.val().get_bits::<8>(0);
        self.shape.next.version_ok = self.version.val() == 0;
        self.shape.next.qp1 = self.qpn.val() == self.qpn_1.val();
        self.shape.next.reserved = self.extension.reserved.val();
        self.shape.next.udp_reach = bit_cast::<17, 16>(self.udp_length.out.val()) + self.v4_in_udp_reach.val();
        self.shape.next.ip_length = bit_cast::<17, 16>(self.ip_length.out.val());
        self.shape.next.ip_end = bit_cast::<17, 16>(self.ip_length.out.val()) + self.in_front.val();
        self.shape.next.udp_length = self.udp_length.out.val();
        self.shape.next.overhead = (self.extension_bytes.val() + bit_cast::<6, 2>(self.pad.val())) + self.fixed.val();
        self.shape.next.payload_at = self.header_end.val() + bit_cast::<8, 6>(self.extension_bytes.val());
    }
}
