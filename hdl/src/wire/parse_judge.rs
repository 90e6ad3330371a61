//! Verdict on a received frame by its headers (T88-T90, T92); the ICRC is judged elsewhere. Three cycles from the headers to
//! `valid`, one frame a cycle.
//!
//! Order of T89. What goes before the ICRC: not stored in full, bad, too long, foreign MAC address, no RoCE frame to one of our
//! addresses (raw ring), lengths, IPv4 checksum; behind it: version, UD to QP 1 (raw ring), congestion notification, other
//! services, reserved opcodes, negative payload.
use super::{HeaderWords, ParseAddress, ParseChecksum, ParseShape, RxEnd, RxShape, RxVerdict, OWN_ADDRESSES};
use rnic_abi::drop;
use rust_hdl::prelude::*;

/// Opcode of a congestion notification.
const CONGESTION: u64 = 0x81;
/// Upper three bits of the opcodes of the UD service.
const UD: u64 = 3;

/// Judges frames.
#[derive(LogicBlock)]
pub struct ParseJudge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frames under way.
    pub reset: Signal<In, Bit>,
    /// Every MAC address is ours.
    pub promiscuous: Signal<In, Bit>,
    /// Own MAC address.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own addresses, 0: unused.
    pub own: [Signal<In, Bits<128>>; OWN_ADDRESSES],
    /// A frame has come.
    pub sink_valid: Signal<In, Bit>,
    /// Its headers.
    pub headers: Signal<In, HeaderWords>,
    /// Its end.
    pub end_of: Signal<In, RxEnd>,
    /// Verdict.
    pub verdict: Signal<Out, RxVerdict>,
    /// It counts, for the next frame in order.
    pub valid: Signal<Out, Bit>,
    to_shape: ParseShape,
    address: ParseAddress,
    checksum: ParseChecksum,
    came: [DFF<Bit>; 3],
    shape: DFF<RxShape>,
    measured: DFF<RxShape>,
    mac_ok: DFF<Bit>,
    runt: DFF<Bit>,
    length_bad: DFF<Bit>,
    negative: DFF<Bit>,
    payload: DFF<Bits<16>>,
    draft: DFF<RxVerdict>,
    needs_sum: DFF<Bit>,
    opcode: Signal<Local, Bits<8>>,
    service: Signal<Local, Bits<3>>,
    rest: Signal<Local, Bits<16>>,
    overhead: Signal<Local, Bits<16>>,
    shortest: Constant<Bits<13>>,
    shortest_udp: Constant<Bits<16>>,
    ud: Constant<Bits<3>>,
    congestion: Constant<Bits<8>>,
    frame_payload: Constant<Bits<8>>,
    frame_opcode: Constant<Bits<8>>,
    frame_service: Constant<Bits<8>>,
    frame_congestion: Constant<Bits<8>>,
    frame_version: Constant<Bits<8>>,
    frame_checksum: Constant<Bits<8>>,
    frame_length: Constant<Bits<8>>,
    frame_mac: Constant<Bits<8>>,
    frame_long: Constant<Bits<8>>,
    frame_bad: Constant<Bits<8>>,
    frame_full: Constant<Bits<8>>,
}

impl Default for ParseJudge {
    fn default() -> Self {
        let reason = |code: u8| Constant::new(bits(code.into()));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            promiscuous: Default::default(),
            own_mac: Default::default(),
            own: std::array::from_fn(|_| Default::default()),
            sink_valid: Default::default(),
            headers: Default::default(),
            end_of: Default::default(),
            verdict: Default::default(),
            valid: Default::default(),
            to_shape: Default::default(),
            address: Default::default(),
            checksum: Default::default(),
            came: Default::default(),
            shape: Default::default(),
            measured: Default::default(),
            mac_ok: Default::default(),
            runt: Default::default(),
            length_bad: Default::default(),
            negative: Default::default(),
            payload: Default::default(),
            draft: Default::default(),
            needs_sum: Default::default(),
            opcode: Default::default(),
            service: Default::default(),
            rest: Default::default(),
            overhead: Default::default(),
            shortest: Constant::new(bits(60)),
            shortest_udp: Constant::new(bits(24)),
            ud: Constant::new(bits(UD)),
            congestion: Constant::new(bits(CONGESTION)),
            frame_payload: reason(drop::FRAME_PAYLOAD),
            frame_opcode: reason(drop::FRAME_OPCODE),
            frame_service: reason(drop::FRAME_SERVICE),
            frame_congestion: reason(drop::FRAME_CONGESTION),
            frame_version: reason(drop::FRAME_VERSION),
            frame_checksum: reason(drop::FRAME_CHECKSUM),
            frame_length: reason(drop::FRAME_LENGTH),
            frame_mac: reason(drop::FRAME_MAC),
            frame_long: reason(drop::FRAME_LONG),
            frame_bad: reason(drop::FRAME_BAD),
            frame_full: reason(drop::FRAME_FULL),
        }
    }
}

impl Logic for ParseJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shape, measured, mac_ok, runt, length_bad, negative, payload, draft, needs_sum);
        clock!(self, clock, address, checksum);
        self.to_shape.headers.next = self.headers.val();
        self.to_shape.end_of.next = self.end_of.val();
        self.checksum.headers.next = self.headers.val();
        self.address.own_mac.next = self.own_mac.val();
        self.address.mac.next = self.headers.val().mac;
        self.address.dest.next = self.headers.val().dest;
        for i in 0..8 {
            self.address.own[i].next = self.own[i].val();
        }
        for i in 0..3 {
            self.came[i].clock.next = self.clock.val();
        }
        self.came[0].d.next = self.sink_valid.val() & !self.reset.val();
        self.came[1].d.next = self.came[0].q.val() & !self.reset.val();
        self.came[2].d.next = self.came[1].q.val() & !self.reset.val();
        self.shape.d.next = self.to_shape.shape.val();
        // Lengths.
        self.measured.d.next = self.shape.q.val();
        self.mac_ok.d.next = self.address.mac_ours.val() | self.promiscuous.val();
        self.runt.d.next = self.shape.q.val().bytes < self.shortest.val();
        self.length_bad.d.next = (self.shape.q.val().ip_end > bit_cast::<17, 13>(self.shape.q.val().bytes))
            | (self.shape.q.val().udp_reach != self.shape.q.val().ip_length)
            | (self.shape.q.val().udp_length < self.shortest_udp.val());
        self.overhead.next = bit_cast::<16, 6>(self.shape.q.val().overhead);
        self.rest.next = self.shape.q.val().udp_length - self.overhead.val();
        self.negative.d.next = self.shape.q.val().udp_length < self.overhead.val();
        self.payload.d.next = self.rest.val();
        // From the last reason to the first.
        self.opcode.next = self.measured.q.val().opcode;
        self.service.next = self.opcode.val().get_bits::<3>(5);
        self.draft.d.next.own_address = self.address.index.val();
        self.draft.d.next.payload = bit_cast::<13, 16>(self.payload.q.val());
        self.draft.d.next.payload_at = self.measured.q.val().payload_at;
        self.draft.d.next.end_row = self.measured.q.val().end_row;
        self.draft.d.next.reason = 0.into();
        self.draft.d.next.needs_crc = true;
        self.draft.d.next.raw = false;
        self.needs_sum.d.next = self.measured.q.val().ipv4;
        if self.negative.q.val() {
            self.draft.d.next.reason = self.frame_payload.val();
        }
        if self.measured.q.val().reserved {
            self.draft.d.next.reason = self.frame_opcode.val();
        }
        if self.service.val().any() {
            self.draft.d.next.reason = self.frame_service.val();
            if self.opcode.val() == self.congestion.val() {
                self.draft.d.next.reason = self.frame_congestion.val();
            }
            if (self.service.val() == self.ud.val()) & self.measured.q.val().qp1 {
                self.draft.d.next.reason = 0.into();
                self.draft.d.next.raw = true;
            }
        }
        if !self.measured.q.val().version_ok {
            self.draft.d.next.reason = self.frame_version.val();
            self.draft.d.next.raw = false;
        }
        if self.length_bad.q.val() {
            self.draft.d.next.reason = self.frame_length.val();
            self.draft.d.next.needs_crc = false;
            self.draft.d.next.raw = false;
            self.needs_sum.d.next = false;
        }
        if !(self.measured.q.val().roce & self.address.ours.val()) {
            self.draft.d.next.reason = 0.into();
            self.draft.d.next.needs_crc = false;
            self.draft.d.next.raw = true;
            self.needs_sum.d.next = false;
        }
        if !self.mac_ok.q.val()
            | self.measured.q.val().long
            | self.measured.q.val().bad
            | self.runt.q.val()
            | self.measured.q.val().full
        {
            self.draft.d.next.reason = self.frame_mac.val();
            self.draft.d.next.needs_crc = false;
            self.draft.d.next.raw = false;
            self.needs_sum.d.next = false;
            if self.measured.q.val().long {
                self.draft.d.next.reason = self.frame_long.val();
            }
            if self.measured.q.val().bad | self.runt.q.val() {
                self.draft.d.next.reason = self.frame_bad.val();
            }
            if self.measured.q.val().full {
                self.draft.d.next.reason = self.frame_full.val();
            }
        }
        self.verdict.next = self.draft.q.val();
        if self.needs_sum.q.val() & !self.checksum.right.val() {
            self.verdict.next.reason = self.frame_checksum.val();
            self.verdict.next.needs_crc = false;
            self.verdict.next.raw = false;
        }
        self.valid.next = self.came[2].q.val();
    }
}
