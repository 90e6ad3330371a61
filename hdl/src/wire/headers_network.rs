//! Ethernet, VLAN and IP headers as bytes of the frame (T85). Combinational.
use super::{Reverse, WirePath};
use rust_hdl::prelude::*;

/// Up to 58 bytes: 14 or 18 of Ethernet, 20 of IPv4 or 40 of IPv6, zeros behind them.
#[derive(LogicBlock)]
pub struct NetworkHeader {
    /// Path of the frame.
    pub path: Signal<In, WirePath>,
    /// Own MAC address, first byte on the wire in the lowest bits.
    pub own_mac: Signal<In, Bits<48>>,
    /// Source address.
    pub source: Signal<In, Bits<128>>,
    /// Length field of the UDP header; IPv6 has the same.
    pub udp_length: Signal<In, Bits<16>>,
    /// Total length of the IPv4 datagram.
    pub total_length: Signal<In, Bits<16>>,
    /// Checksum of the IPv4 header, first byte in the low half.
    pub checksum: Signal<In, Bits<16>>,
    /// The bytes, the first one in the lowest bits.
    pub bytes: Signal<Out, Bits<464>>,
    way: Signal<Local, WirePath>,
    target: Signal<Local, Bits<128>>,
    source4: Signal<Local, Bits<32>>,
    target4: Signal<Local, Bits<32>>,
    start4: Signal<Local, Bits<80>>,
    start6: Signal<Local, Bits<64>>,
    class6: Signal<Local, Bits<32>>,
    tag: Signal<Local, Bits<32>>,
    ip: Signal<Local, Bits<320>>,
    kind: Signal<Local, Bits<16>>,
    addresses: Signal<Local, Bits<96>>,
    to_wire4: Reverse<80, 10>,
    to_wire6: Reverse<64, 8>,
    to_wire_tag: Reverse<32, 4>,
    to_wire_kind: Reverse<16, 2>,
    version4: Constant<Bits<8>>,
    version6: Constant<Bits<4>>,
    flags4: Constant<Bits<16>>,
    udp: Constant<Bits<8>>,
    vlan: Constant<Bits<16>>,
    kind4: Constant<Bits<16>>,
    kind6: Constant<Bits<16>>,
}

impl Default for NetworkHeader {
    fn default() -> Self {
        Self {
            path: Default::default(),
            own_mac: Default::default(),
            source: Default::default(),
            udp_length: Default::default(),
            total_length: Default::default(),
            checksum: Default::default(),
            bytes: Default::default(),
            way: Default::default(),
            target: Default::default(),
            source4: Default::default(),
            target4: Default::default(),
            start4: Default::default(),
            start6: Default::default(),
            class6: Default::default(),
            tag: Default::default(),
            ip: Default::default(),
            kind: Default::default(),
            addresses: Default::default(),
            to_wire4: Default::default(),
            to_wire6: Default::default(),
            to_wire_tag: Default::default(),
            to_wire_kind: Default::default(),
            version4: Constant::new(bits(0x45)),
            version6: Constant::new(bits(6)),
            flags4: Constant::new(bits(0x4000)),
            udp: Constant::new(bits(17)),
            vlan: Constant::new(bits(0x8100)),
            kind4: Constant::new(bits(0x0800)),
            kind6: Constant::new(bits(0x86DD)),
        }
    }
}

impl Logic for NetworkHeader {
    #[hdl_gen]
    fn update(&mut self) {
        self.way.next = self.path.val();
        self.target.next = self.way.val().dest_address;
        self.source4.next = self.source.val().get_bits::<32>(96);
        self.target4.next = self.target.val().get_bits::<32>(96);
        // Identification is 0.
        self.start4.next = (bit_cast::<80, 8>(self.version4.val()) << 72)
            | (bit_cast::<80, 8>(self.way.val().traffic_class) << 64)
            | (bit_cast::<80, 16>(self.total_length.val()) << 48)
            | (bit_cast::<80, 16>(self.flags4.val()) << 16)
            | (bit_cast::<80, 8>(self.way.val().hop_limit) << 8)
            | bit_cast::<80, 8>(self.udp.val());
        self.class6.next = (bit_cast::<32, 4>(self.version6.val()) << 28)
            | (bit_cast::<32, 8>(self.way.val().traffic_class) << 20)
            | bit_cast::<32, 20>(self.way.val().flow_label);
        self.start6.next = (bit_cast::<64, 32>(self.class6.val()) << 32)
            | (bit_cast::<64, 16>(self.udp_length.val()) << 16)
            | (bit_cast::<64, 8>(self.udp.val()) << 8)
            | bit_cast::<64, 8>(self.way.val().hop_limit);
        self.to_wire4.word.next = self.start4.val();
        self.to_wire6.word.next = self.start6.val();
        self.ip.next = bit_cast::<320, 80>(self.to_wire4.out.val())
            | (bit_cast::<320, 16>(self.checksum.val()) << 80)
            | (bit_cast::<320, 32>(self.source4.val()) << 96)
            | (bit_cast::<320, 32>(self.target4.val()) << 128);
        self.kind.next = self.kind4.val();
        if self.way.val().ipv6 {
            self.ip.next = bit_cast::<320, 64>(self.to_wire6.out.val())
                | (bit_cast::<320, 128>(self.source.val()) << 64)
                | (bit_cast::<320, 128>(self.target.val()) << 192);
            self.kind.next = self.kind6.val();
        }
        self.tag.next = (bit_cast::<32, 16>(self.vlan.val()) << 16) | bit_cast::<32, 16>(self.way.val().vlan_tci);
        self.to_wire_tag.word.next = self.tag.val();
        self.to_wire_kind.word.next = self.kind.val();
        self.addresses.next =
            bit_cast::<96, 48>(self.way.val().dest_mac) | (bit_cast::<96, 48>(self.own_mac.val()) << 48);
        self.bytes.next = bit_cast::<464, 96>(self.addresses.val())
            | (bit_cast::<464, 16>(self.to_wire_kind.out.val()) << 96)
            | (bit_cast::<464, 320>(self.ip.val()) << 112);
        if self.way.val().vlan_valid {
            self.bytes.next = bit_cast::<464, 96>(self.addresses.val())
                | (bit_cast::<464, 32>(self.to_wire_tag.out.val()) << 96)
                | (bit_cast::<464, 16>(self.to_wire_kind.out.val()) << 128)
                | (bit_cast::<464, 320>(self.ip.val()) << 144);
        }
    }
}
