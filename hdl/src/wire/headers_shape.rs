//! Shape of a frame in beats: where its ICRC stands and how it ends (T87). Two cycles behind stable inputs.
//!
//! H is 2 mod 4 and the payload is padded to words, so the ICRC begins at 2 mod 4: it either lies in one beat or has two
//! bytes in each of the last two. Only a frame of 58 bytes is shorter than 60, and padding it never takes another beat.
use rust_hdl::prelude::*;

record! {
    /// How a frame ends, in beats of B bytes.
    FrameShape, 24 {
        /// Beats of the frame.
        beats: Bits<10>,
        /// The last beat begins in the middle of the ICRC.
        straddles: Bit,
        /// Lane of the first byte of the ICRC, in the last beat or the one before; also the bytes of that beat that it covers.
        lane: Bits<6>,
        /// Bytes of the last beat.
        count: Bits<7>,
    }
}

/// Shape registers for beats of STRB bytes.
#[derive(LogicBlock)]
pub struct HeaderShape<const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The frame is IPv6.
    pub ipv6: Signal<In, Bit>,
    /// It carries a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// Bytes of the extension headers.
    pub extension_bytes: Signal<In, Bits<5>>,
    /// Length field of the UDP header.
    pub udp_length: Signal<In, Bits<16>>,
    /// Bytes of all headers, one cycle later.
    pub header_bytes: Signal<Out, Bits<8>>,
    /// Shape, two cycles later.
    pub shape: Signal<Out, FrameShape>,
    headers: DFF<Bits<8>>,
    /// Offset of the ICRC.
    at: DFF<Bits<16>>,
    held: DFF<FrameShape>,
    network: Signal<Local, Bits<8>>,
    lane: Signal<Local, Bits<16>>,
    reach: Signal<Local, Bits<16>>,
    beats: Signal<Local, Bits<16>>,
    short: Signal<Local, Bit>,
    ending: Signal<Local, Bits<16>>,
    icrc: Constant<Bits<16>>,
    transport: Constant<Bits<8>>,
    lane_mask: Constant<Bits<16>>,
    lane_bits: Constant<Bits<4>>,
    last_lane: Constant<Bits<16>>,
    round_up: Constant<Bits<16>>,
    /// Where the ICRC of the only short frame stands, and the bytes that padding leaves in its last beat.
    short_at: Constant<Bits<16>>,
    short_count: Constant<Bits<7>>,
}

impl<const STRB: usize> Default for HeaderShape<STRB> {
    fn default() -> Self {
        assert!((8..=64).contains(&STRB) && STRB.is_power_of_two(), "{STRB} lanes");
        Self {
            clock: Default::default(),
            ipv6: Default::default(),
            has_tag: Default::default(),
            extension_bytes: Default::default(),
            udp_length: Default::default(),
            header_bytes: Default::default(),
            shape: Default::default(),
            headers: Default::default(),
            at: Default::default(),
            held: Default::default(),
            network: Default::default(),
            lane: Default::default(),
            reach: Default::default(),
            beats: Default::default(),
            short: Default::default(),
            ending: Default::default(),
            icrc: Constant::new(bits(4)),
            transport: Constant::new(bits(8 + 12)),
            lane_mask: Constant::new(bits(STRB as u64 - 1)),
            lane_bits: Constant::new(bits(STRB.ilog2().into())),
            last_lane: Constant::new(bits(STRB as u64 - 2)),
            round_up: Constant::new(bits(STRB as u64 + 3)),
            short_at: Constant::new(bits(54)),
            short_count: Constant::new(bits(59 % STRB as u64 + 1)),
        }
    }
}

impl<const STRB: usize> Logic for HeaderShape<STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, headers, at, held);
        self.network.next = 34.into();
        if self.has_tag.val() {
            self.network.next = 38.into();
        }
        if self.ipv6.val() {
            self.network.next = 54.into();
            if self.has_tag.val() {
                self.network.next = 58.into();
            }
        }
        self.headers.d.next = self.network.val() + bit_cast::<8, 5>(self.extension_bytes.val()) + self.transport.val();
        self.at.d.next = bit_cast::<16, 8>(self.network.val()) + self.udp_length.val() - self.icrc.val();
        self.lane.next = self.at.q.val() & self.lane_mask.val();
        self.reach.next = self.at.q.val() + self.round_up.val();
        self.beats.next = self.reach.val() >> self.lane_bits.val();
        self.ending.next = (self.at.q.val() + self.icrc.val()) & self.lane_mask.val();
        self.short.next = self.at.q.val() == self.short_at.val();
        self.held.d.next.beats = bit_cast::<10, 16>(self.beats.val());
        self.held.d.next.straddles = self.lane.val() == self.last_lane.val();
        self.held.d.next.lane = bit_cast::<6, 16>(self.lane.val());
        self.held.d.next.count = bit_cast::<7, 16>(self.ending.val());
        if self.short.val() {
            self.held.d.next.count = self.short_count.val();
        }
        self.header_bytes.next = self.headers.q.val();
        self.shape.next = self.held.q.val();
    }
}
