//! UDP, base transport and extension headers as bytes of the frame (T12, T13; G of the registration rules). Combinational.
use super::headers_kind::Extensions;
use super::{Reverse, TxFrame, WirePath};
use rust_hdl::prelude::*;

/// UDP port of RoCEv2.
pub const UDP_PORT: u64 = 4791;

/// 48 bytes from the UDP header on: 8 UDP, 12 BTH, up to 28 of extension headers, zeros behind them.
#[derive(LogicBlock)]
pub struct TransportHeader {
    /// The frame.
    pub frame: Signal<In, TxFrame>,
    /// Path of its queue pair.
    pub path: Signal<In, WirePath>,
    /// Its extension headers.
    pub extensions: Signal<In, Extensions>,
    /// Pad bytes behind the payload.
    pub pad: Signal<In, Bits<2>>,
    /// Value of the MigReq bit (T13).
    pub migreq: Signal<In, Bit>,
    /// Length field of the UDP header.
    pub udp_length: Signal<In, Bits<16>>,
    /// The bytes, the first one in the lowest bits.
    pub bytes: Signal<Out, Bits<384>>,
    asked: Signal<Local, TxFrame>,
    way: Signal<Local, WirePath>,
    has: Signal<Local, Extensions>,
    udp: Signal<Local, Bits<64>>,
    flags: Signal<Local, Bits<32>>,
    psn_word: Signal<Local, Bits<32>>,
    bth: Signal<Local, Bits<96>>,
    remote: Signal<Local, Bits<96>>,
    immediate: Signal<Local, Bits<32>>,
    answer: Signal<Local, Bits<32>>,
    short: Signal<Local, Bits<32>>,
    third: Signal<Local, Bits<128>>,
    extension: Signal<Local, Bits<224>>,
    port: Constant<Bits<16>>,
    /// ImmDt is in wire order, all the rest are numbers.
    to_number: Reverse<32, 4>,
    to_wire: Reverse<384, 48>,
}

impl Default for TransportHeader {
    fn default() -> Self {
        Self {
            frame: Default::default(),
            path: Default::default(),
            extensions: Default::default(),
            pad: Default::default(),
            migreq: Default::default(),
            udp_length: Default::default(),
            bytes: Default::default(),
            asked: Default::default(),
            way: Default::default(),
            has: Default::default(),
            udp: Default::default(),
            flags: Default::default(),
            psn_word: Default::default(),
            bth: Default::default(),
            remote: Default::default(),
            immediate: Default::default(),
            answer: Default::default(),
            short: Default::default(),
            third: Default::default(),
            extension: Default::default(),
            port: Constant::new(bits(UDP_PORT)),
            to_number: Default::default(),
            to_wire: Default::default(),
        }
    }
}

impl Logic for TransportHeader {
    #[hdl_gen]
    fn update(&mut self) {
        self.asked.next = self.frame.val();
        self.way.next = self.path.val();
        self.has.next = self.extensions.val();
        // Everything as one big-endian number, turned round at the end. UDP checksum and TVer are 0 (T85, T13).
        self.udp.next = (bit_cast::<64, 16>(self.way.val().source_port) << 48)
            | (bit_cast::<64, 16>(self.port.val()) << 32)
            | (bit_cast::<64, 16>(self.udp_length.val()) << 16);
        self.flags.next = (bit_cast::<32, 8>(self.asked.val().opcode) << 24)
            | (bit_cast::<32, 1>(self.asked.val().solicited.into()) << 23)
            | (bit_cast::<32, 1>(self.migreq.val().into()) << 22)
            | (bit_cast::<32, 2>(self.pad.val()) << 20)
            | bit_cast::<32, 16>(self.way.val().pkey);
        self.psn_word.next =
            (bit_cast::<32, 1>(self.asked.val().ack_request.into()) << 31) | bit_cast::<32, 24>(self.asked.val().psn);
        self.bth.next = (bit_cast::<96, 32>(self.flags.val()) << 64)
            | (bit_cast::<96, 24>(self.way.val().dest_qpn) << 32)
            | bit_cast::<96, 32>(self.psn_word.val());

        self.to_number.word.next = self.asked.val().immediate;
        self.immediate.next = self.to_number.out.val();
        self.remote.next = (bit_cast::<96, 64>(self.asked.val().va) << 32) | bit_cast::<96, 32>(self.asked.val().rkey);
        self.answer.next =
            (bit_cast::<32, 8>(self.asked.val().syndrome) << 24) | bit_cast::<32, 24>(self.asked.val().msn);
        // What stands behind VA and key: 16 bytes.
        self.third.next =
            (bit_cast::<128, 64>(self.asked.val().swap) << 64) | bit_cast::<128, 64>(self.asked.val().compare);
        if self.has.val().reth {
            self.third.next = bit_cast::<128, 32>(self.asked.val().length) << 96;
            if self.has.val().immediate {
                self.third.next = (bit_cast::<128, 32>(self.asked.val().length) << 96)
                    | (bit_cast::<128, 32>(self.immediate.val()) << 64);
            }
        }
        self.short.next = 0.into();
        if self.has.val().immediate {
            self.short.next = self.immediate.val();
        }
        if self.has.val().invalidate {
            self.short.next = self.asked.val().immediate;
        }
        if self.has.val().aeth {
            self.short.next = self.answer.val();
        }
        self.extension.next = bit_cast::<224, 32>(self.short.val()) << 192;
        if self.has.val().result {
            self.extension.next =
                (bit_cast::<224, 32>(self.short.val()) << 192) | (bit_cast::<224, 64>(self.asked.val().swap) << 128);
        }
        if self.has.val().reth | self.has.val().atomic {
            self.extension.next =
                (bit_cast::<224, 96>(self.remote.val()) << 128) | bit_cast::<224, 128>(self.third.val());
        }
        self.to_wire.word.next = (bit_cast::<384, 64>(self.udp.val()) << 320)
            | (bit_cast::<384, 96>(self.bth.val()) << 224)
            | bit_cast::<384, 224>(self.extension.val());
        self.bytes.next = self.to_wire.out.val();
    }
}
