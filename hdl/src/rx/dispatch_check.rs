//! Checks a frame against the context of its queue pair (rules T3, T91): the first that fails names the reason.
//!
//! Latency two cycles: partial compares, then the reason. Nothing here has a side effect.
use super::opcode::OpcodeKind;
use super::records::{Kind, ResponderContext};
use crate::wire::RxFrame;
use rnic_abi::{drop, qp};
use rust_hdl::prelude::*;

/// Where the frame goes.
pub mod route {
    /// Nowhere: it is only released.
    pub const DROP: u8 = 0;
    /// To the judge of requests.
    pub const REQUEST: u8 = 1;
    /// To the engine of acknowledgements.
    pub const RESPONSE: u8 = 2;
    /// To the raw rings.
    pub const RAW: u8 = 3;
}

/// Judge of the way of a frame.
#[derive(LogicBlock)]
pub struct DispatchCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The frame.
    pub frame: Signal<In, RxFrame>,
    /// Context of the row that its queue pair number names.
    pub owner: Signal<In, ResponderContext>,
    /// Where it goes, [`route`].
    pub route: Signal<Out, Bits<2>>,
    /// Why it is dropped, if it is.
    pub reason: Signal<Out, Bits<8>>,
    decode: OpcodeKind,
    kind: DFF<Kind>,
    raw: DFF<Bit>,
    known: DFF<Bit>,
    takes_requests: DFF<Bit>,
    takes_responses: DFF<Bit>,
    keys_fit: DFF<Bit>,
    members: DFF<Bit>,
    differs: DFF<Bits<4>>,
    elsewhere: DFF<Bit>,
    foreign: DFF<Bit>,
    way: DFF<Bits<2>>,
    why: DFF<Bits<8>>,
    row: Signal<Local, ResponderContext>,
    head: Signal<Local, RxFrame>,
    own_key: Signal<Local, Bits<16>>,
    peer_key: Signal<Local, Bits<16>>,
    own_low: Signal<Local, Bits<15>>,
    peer_low: Signal<Local, Bits<15>>,
    difference: Signal<Local, Bits<128>>,
    groups: Signal<Local, Bits<4>>,
    vlan: Signal<Local, Bits<12>>,
    what: Signal<Local, Kind>,
    states: [Constant<Bits<3>>; 3],
    ways: [Constant<Bits<2>>; 4],
    unknown: Constant<Bits<8>>,
    service: Constant<Bits<8>>,
    state: Constant<Bits<8>>,
    pkey: Constant<Bits<8>>,
    address: Constant<Bits<8>>,
    vlan_id: Constant<Bits<8>>,
}

impl Default for DispatchCheck {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            frame: Default::default(),
            owner: Default::default(),
            route: Default::default(),
            reason: Default::default(),
            decode: Default::default(),
            kind: Default::default(),
            raw: Default::default(),
            known: Default::default(),
            takes_requests: Default::default(),
            takes_responses: Default::default(),
            keys_fit: Default::default(),
            members: Default::default(),
            differs: Default::default(),
            elsewhere: Default::default(),
            foreign: Default::default(),
            way: Default::default(),
            why: Default::default(),
            row: Default::default(),
            head: Default::default(),
            own_key: Default::default(),
            peer_key: Default::default(),
            own_low: Default::default(),
            peer_low: Default::default(),
            difference: Default::default(),
            groups: Default::default(),
            vlan: Default::default(),
            what: Default::default(),
            states: [qp::RTR, qp::RTS, qp::SQD].map(|state| Constant::new(state.to_bits())),
            ways: [route::DROP, route::REQUEST, route::RESPONSE, route::RAW].map(|way| Constant::new(way.to_bits())),
            unknown: Constant::new(drop::QP_UNKNOWN.to_bits()),
            service: Constant::new(drop::FRAME_OPCODE.to_bits()),
            state: Constant::new(drop::QP_STATE.to_bits()),
            pkey: Constant::new(drop::QP_PKEY.to_bits()),
            address: Constant::new(drop::QP_ADDRESS.to_bits()),
            vlan_id: Constant::new(drop::QP_VLAN.to_bits()),
        }
    }
}

impl Logic for DispatchCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kind, raw, known, takes_requests, takes_responses, keys_fit, members);
        dff_setup!(self, clock, differs, elsewhere, foreign, way, why);
        self.row.next = self.owner.val();
        self.head.next = self.frame.val();

        // Partial compares.
        self.decode.opcode.next = self.head.val().opcode;
        self.kind.d.next = self.decode.kind.val();
        self.raw.d.next = self.head.val().raw;
        self.known.d.next = (self.head.val().qpn == self.row.val().qpn) & self.row.val().qpn.any();
        self.takes_responses.d.next =
            (self.row.val().state == self.states[1].val()) | (self.row.val().state == self.states[2].val());
        self.takes_requests.d.next = (self.row.val().state == self.states[0].val())
            | (self.row.val().state == self.states[1].val())
            | (self.row.val().state == self.states[2].val());
        self.own_key.next = self.row.val().pkey;
        self.peer_key.next = self.head.val().pkey;
        self.own_low.next = self.own_key.val().get_bits::<15>(0);
        self.peer_low.next = self.peer_key.val().get_bits::<15>(0);
        self.keys_fit.d.next = (self.own_low.val() == self.peer_low.val()) & self.own_low.val().any();
        self.members.d.next = self.own_key.val().get_bit(15) | self.peer_key.val().get_bit(15);
        self.difference.next = self.head.val().source ^ self.row.val().dest_address;
        self.groups.next = 0.into();
        for i in 0..4 {
            self.groups.next = self.groups.val().replace_bit(i, self.difference.val().get_bits::<32>(32 * i).any());
        }
        self.differs.d.next = self.groups.val();
        self.elsewhere.d.next = self.head.val().own_address != self.row.val().own_address;
        self.vlan.next = 0.into();
        if self.row.val().vlan_valid {
            self.vlan.next = self.row.val().vlan;
        }
        self.foreign.d.next = self.head.val().vlan != self.vlan.val();

        // The first failure names the reason.
        self.what.next = self.kind.q.val();
        self.why.d.next = self.vlan_id.val();
        self.way.d.next = self.ways[0].val();
        if self.raw.q.val() {
            self.way.d.next = self.ways[3].val();
        } else if !self.known.q.val() {
            self.why.d.next = self.unknown.val();
        } else if !self.what.val().request & !self.what.val().response {
            self.why.d.next = self.service.val();
        } else if (self.what.val().request & !self.takes_requests.q.val())
            | (self.what.val().response & !self.takes_responses.q.val())
        {
            self.why.d.next = self.state.val();
        } else if !self.keys_fit.q.val() | !self.members.q.val() {
            self.why.d.next = self.pkey.val();
        } else if self.differs.q.val().any() | self.elsewhere.q.val() {
            self.why.d.next = self.address.val();
        } else if !self.foreign.q.val() {
            self.way.d.next = self.ways[2].val();
            if self.what.val().request {
                self.way.d.next = self.ways[1].val();
            }
        }
        self.route.next = self.way.q.val();
        self.reason.next = self.why.q.val();
    }
}
