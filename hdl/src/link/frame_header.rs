//! Header words and fixed bodies of the frames that leave. Combinational.
use super::records::{body, SendOrder};
use rnic_abi::link::{bridge, frame};
use rust_hdl::prelude::*;

/// Word `place` of a frame without TLP; the first byte in the highest lane, as the fields are big-endian.
#[derive(LogicBlock)]
pub struct FrameHeader {
    /// The frame.
    pub order: Signal<In, SendOrder>,
    /// Word: 0 to 3 are the header, 4 to 7 the body.
    pub place: Signal<In, Bits<3>>,
    /// DW of a TLP.
    pub dwords: Signal<In, Bits<10>>,
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
    /// The word.
    pub word: Signal<Out, Bits<64>>,
    /// It is the last one, unless a TLP follows.
    pub last: Signal<Out, Bit>,
    /// Only its first four bytes count.
    pub half: Signal<Out, Bit>,
    flags: Signal<Local, Bits<8>>,
    length: Signal<Local, Bits<16>>,
    payload_bytes: Signal<Local, Bits<16>>,
    read_bytes: Signal<Local, Bits<16>>,
    to: Signal<Local, Bits<48>>,
    credit: Signal<Local, Bits<64>>,
    mine: Constant<Bits<48>>,
    ethertype: Constant<Bits<16>>,
    version: Constant<Bits<8>>,
    smallest: Constant<Bits<16>>,
    facts: Constant<Bits<64>>,
    build: Constant<Bits<64>>,
    tlp: Constant<Bits<3>>,
    opened: Constant<Bits<3>>,
    identity: Constant<Bits<3>>,
    why: Constant<Bits<3>>,
}

impl FrameHeader {
    /// Frames of the device with this MAC address and build id.
    pub fn new(address: u64, build: u32) -> Self {
        assert_eq!((frame::OPENED_BYTES, frame::BEACON_BYTES, frame::CLOSE_BYTES), (32, 4, 4));
        let mut opened = [0; frame::OPENED_BYTES];
        frame::OPENED_TAGS.put(&mut opened, bridge::TAGS as u64);
        frame::OPENED_BAR0_BITS.put(&mut opened, frame::BAR0_BITS.into());
        let facts = u64::from_be_bytes(opened[..8].try_into().unwrap());
        let content = |code: u8| Constant::new(bits(code.into()));
        Self {
            order: Default::default(),
            place: Default::default(),
            dwords: Default::default(),
            ack: Default::default(),
            posted_limit: Default::default(),
            nonposted_limit: Default::default(),
            mps: Default::default(),
            mrrs: Default::default(),
            word: Default::default(),
            last: Default::default(),
            half: Default::default(),
            flags: Default::default(),
            length: Default::default(),
            payload_bytes: Default::default(),
            read_bytes: Default::default(),
            to: Default::default(),
            credit: Default::default(),
            mine: Constant::new(address.into()),
            ethertype: Constant::new(bits(frame::ETHERTYPE.into())),
            version: Constant::new(bits((frame::VERSION << 4).into())),
            smallest: Constant::new(bits(128)),
            facts: Constant::new(facts.into()),
            build: Constant::new(((build as u64) << 32).into()),
            tlp: content(body::TLP),
            opened: content(body::OPENED),
            identity: content(body::BUILD),
            why: content(body::REASON),
        }
    }
}

impl Logic for FrameHeader {
    #[hdl_gen]
    fn update(&mut self) {
        self.flags.next = 0.into();
        if self.order.val().resent {
            self.flags.next = self.flags.val() | 1;
        }
        if self.order.val().tells {
            self.flags.next = self.flags.val() | 2;
        }
        self.length.next = 0.into();
        if self.order.val().content == self.tlp.val() {
            self.length.next = bit_cast::<16, 10>(self.dwords.val()) << 2;
        } else if self.order.val().content == self.opened.val() {
            self.length.next = 32.into();
        } else if (self.order.val().content == self.identity.val()) | (self.order.val().content == self.why.val()) {
            self.length.next = 4.into();
        }
        self.payload_bytes.next = self.smallest.val() << self.mps.val();
        self.read_bytes.next = self.smallest.val() << self.mrrs.val();
        self.credit.next = (bit_cast::<64, 16>(self.ack.val()) << 48)
            | (bit_cast::<64, 16>(self.posted_limit.val()) << 32)
            | (bit_cast::<64, 16>(self.nonposted_limit.val()) << 16);
        self.to.next = self.order.val().destination;
        self.word.next = 0.into();
        self.last.next = false;
        self.half.next = false;
        if self.place.val() == 0 {
            self.word.next =
                (bit_cast::<64, 48>(self.to.val()) << 16) | bit_cast::<64, 16>(self.mine.val().get_bits::<16>(32));
        } else if self.place.val() == 1 {
            self.word.next = (bit_cast::<64, 32>(self.mine.val().get_bits::<32>(0)) << 32)
                | (bit_cast::<64, 16>(self.ethertype.val()) << 16)
                | (bit_cast::<64, 8>(self.version.val()) << 8)
                | (bit_cast::<64, 4>(self.order.val().kind) << 8)
                | bit_cast::<64, 8>(self.flags.val());
        } else if self.place.val() == 2 {
            self.word.next = (bit_cast::<64, 16>(self.length.val()) << 48)
                | (bit_cast::<64, 32>(self.order.val().session) << 16)
                | bit_cast::<64, 16>(self.order.val().sequence);
        } else if self.place.val() == 3 {
            if self.order.val().speaks {
                self.word.next = self.credit.val();
            }
            self.last.next = self.length.val() == 0;
        } else if self.order.val().content == self.opened.val() {
            if self.place.val() == 4 {
                self.word.next = (bit_cast::<64, 16>(self.payload_bytes.val()) << 48)
                    | (bit_cast::<64, 16>(self.read_bytes.val()) << 32)
                    | self.facts.val();
            } else if self.place.val() == 5 {
                self.word.next = self.build.val();
            }
            self.last.next = self.place.val() == 7;
        } else {
            self.word.next = bit_cast::<64, 2>(self.order.val().reason) << 32;
            if self.order.val().content == self.identity.val() {
                self.word.next = self.build.val();
            }
            self.last.next = true;
            self.half.next = true;
        }
    }
}
