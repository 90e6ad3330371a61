//! Keeps the header of a received frame and judges those rules of LK2 that need nothing else.
//!
//! A field is there one cycle after its beat.
use super::records::FrameHead;
use rnic_abi::link::frame;
use rust_hdl::prelude::*;

/// Header fields of the frame under way.
#[derive(LogicBlock)]
pub struct FrameFields {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A beat is taken:
    pub takes: Signal<In, Bit>,
    /// number in the frame, 4 from the body on,
    pub place: Signal<In, Bits<3>>,
    /// its bytes, the first one in the highest lane,
    pub big: Signal<In, Bits<64>>,
    /// its first beat in the body.
    pub first: Signal<In, Bit>,
    /// The fields; `sound` says that all but the length is as it must be.
    pub head: Signal<Out, FrameHead>,
    fields: DFF<FrameHead>,
    own: DFF<Bit>,
    everyone: DFF<Bit>,
    known: DFF<Bit>,
    even: DFF<Bit>,
    lane: Signal<Local, Bits<64>>,
    address: Signal<Local, Bits<48>>,
    kind: Signal<Local, Bits<5>>,
    opens: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    mine: Constant<Bits<48>>,
    open_kind: Constant<Bits<4>>,
    tlp_kind: Constant<Bits<4>>,
    ethertype: Constant<Bits<16>>,
    version: Constant<Bits<4>>,
    open_dwords: Constant<Bits<14>>,
}

impl FrameFields {
    /// For the device with this MAC address.
    pub fn new(address: u64) -> Self {
        Self {
            clock: Default::default(),
            takes: Default::default(),
            place: Default::default(),
            big: Default::default(),
            first: Default::default(),
            head: Default::default(),
            fields: Default::default(),
            own: Default::default(),
            everyone: Default::default(),
            known: Default::default(),
            even: Default::default(),
            lane: Default::default(),
            address: Default::default(),
            kind: Default::default(),
            opens: Default::default(),
            right: Default::default(),
            mine: Constant::new(address.into()),
            open_kind: Constant::new(bits(frame::TYPE_OPEN.into())),
            tlp_kind: Constant::new(bits(frame::TYPE_TLP.into())),
            ethertype: Constant::new(bits(frame::ETHERTYPE.into())),
            version: Constant::new(bits(frame::VERSION.into())),
            open_dwords: Constant::new((frame::OPEN_BYTES as u64 / 4).into()),
        }
    }
}

impl Logic for FrameFields {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, fields, own, everyone, known, even);
        self.lane.next = self.big.val();
        self.address.next = self.lane.val().get_bits::<48>(16);
        self.kind.next = self.lane.val().get_bits::<5>(56);
        if self.takes.val() {
            if self.place.val() == 0 {
                self.own.d.next = self.address.val() == self.mine.val();
                self.everyone.d.next = self.address.val().all();
                self.fields.d.next.source = bit_cast::<48, 16>(self.lane.val().get_bits::<16>(0)) << 32;
            } else if self.place.val() == 1 {
                self.fields.d.next.source =
                    self.fields.q.val().source | bit_cast::<48, 32>(self.lane.val().get_bits::<32>(32));
                self.known.d.next = (self.lane.val().get_bits::<16>(16) == self.ethertype.val())
                    & (self.lane.val().get_bits::<4>(12) == self.version.val());
                self.fields.d.next.kind = self.lane.val().get_bits::<4>(8);
                self.fields.d.next.tells = self.lane.val().get_bit(1);
            } else if self.place.val() == 2 {
                self.fields.d.next.dwords = self.lane.val().get_bits::<14>(50);
                self.even.d.next = self.lane.val().get_bits::<2>(48) == 0;
                self.fields.d.next.session = self.lane.val().get_bits::<32>(16);
                self.fields.d.next.sequence = self.lane.val().get_bits::<16>(0);
            } else if self.place.val() == 3 {
                self.fields.d.next.ack = self.lane.val().get_bits::<16>(48);
                self.fields.d.next.posted_limit = self.lane.val().get_bits::<16>(32);
                self.fields.d.next.nonposted_limit = self.lane.val().get_bits::<16>(16);
            } else if self.first.val() {
                // LK12: memory writes and messages are posted; all but completions are not.
                self.fields.d.next.posted = (self.lane.val().get_bit(62) & (self.kind.val() == 0))
                    | (self.lane.val().get_bit(61) & self.lane.val().get_bit(60));
                self.fields.d.next.completion = (self.kind.val() == 10) | (self.kind.val() == 11);
            }
        }
        // A TLP has at least 3 DW; no session has the number 0.
        self.opens.next = self.fields.q.val().kind == self.open_kind.val();
        self.right.next = self.fields.q.val().session != 0;
        if self.opens.val() & (self.fields.q.val().dwords != self.open_dwords.val()) {
            self.right.next = false;
        }
        if (self.fields.q.val().kind == self.tlp_kind.val()) & (self.fields.q.val().dwords < 3) {
            self.right.next = false;
        }
        self.head.next = self.fields.q.val();
        self.head.next.sound = self.known.q.val()
            & self.even.q.val()
            & self.right.val()
            & (self.own.q.val() | (self.everyone.q.val() & self.opens.val()));
    }
}
