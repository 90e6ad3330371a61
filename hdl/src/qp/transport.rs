//! Copies of a queue pair for the engines of the transport. Combinational.
use super::records::{QpAttributes, QpPath, QpRings};
use crate::rx::{RequesterContext, ResponderContext};
use crate::tx::RespondContext;
use crate::wire::WirePath;
use rust_hdl::prelude::*;

/// Copies of one queue pair.
#[derive(LogicBlock, Default)]
pub struct TransportContexts {
    /// Rings.
    pub rings: Signal<In, QpRings>,
    /// State.
    pub state: Signal<In, Bits<3>>,
    /// Attributes.
    pub attributes: Signal<In, QpAttributes>,
    /// Path.
    pub path: Signal<In, QpPath>,
    /// For the judge of requests.
    pub responder: Signal<Out, ResponderContext>,
    /// For the engine of acknowledgements and the timers.
    pub requester: Signal<Out, RequesterContext>,
    /// For the engine of responses.
    pub respond: Signal<Out, RespondContext>,
    /// For the headers of all frames.
    pub headers: Signal<Out, WirePath>,
    ring_fields: Signal<Local, QpRings>,
    fields: Signal<Local, QpAttributes>,
    way: Signal<Local, QpPath>,
    tci: Signal<Local, Bits<16>>,
}

impl Logic for TransportContexts {
    #[hdl_gen]
    fn update(&mut self) {
        self.ring_fields.next = self.rings.val();
        self.fields.next = self.attributes.val();
        self.way.next = self.path.val();
        self.tci.next = self.way.val().vlan_tci;
        self.responder.next.qpn = self.ring_fields.val().qpn;
        self.responder.next.state = self.state.val();
        self.responder.next.pkey = self.fields.val().pkey;
        self.responder.next.access = self.fields.val().access;
        self.responder.next.mtu = self.fields.val().mtu;
        self.responder.next.max_dest_rd = self.fields.val().max_dest_rd;
        self.responder.next.min_rnr = self.fields.val().min_rnr;
        self.responder.next.pd = self.ring_fields.val().pd;
        self.responder.next.privileged = self.ring_fields.val().privileged;
        self.responder.next.own_address = self.way.val().own_address;
        self.responder.next.vlan_valid = self.way.val().vlan_valid;
        self.responder.next.vlan = self.tci.val().get_bits::<12>(0);
        self.responder.next.cqn = self.ring_fields.val().receive_cqn;
        self.responder.next.dest_address = self.way.val().dest_address;
        self.requester.next.mtu = self.fields.val().mtu;
        self.requester.next.retry = self.fields.val().retry_cnt;
        self.requester.next.rnr = self.fields.val().rnr_retry;
        self.requester.next.timeout = self.fields.val().timeout;
        self.requester.next.max_rd = self.fields.val().max_rd;
        self.requester.next.pd = self.ring_fields.val().pd;
        self.requester.next.privileged = self.ring_fields.val().privileged;
        self.requester.next.qpn = self.ring_fields.val().qpn;
        self.respond.next.mtu = self.fields.val().mtu;
        self.respond.next.pd = self.ring_fields.val().pd;
        self.respond.next.privileged = self.ring_fields.val().privileged;
        self.headers.next.source_port = self.way.val().source_port;
        self.headers.next.vlan_tci = self.way.val().vlan_tci;
        self.headers.next.dest_mac = self.way.val().dest_mac;
        self.headers.next.own_address = self.way.val().own_address;
        self.headers.next.ipv6 = self.way.val().ipv6;
        self.headers.next.vlan_valid = self.way.val().vlan_valid;
        self.headers.next.dest_address = self.way.val().dest_address;
        self.headers.next.flow_label = self.way.val().flow_label;
        self.headers.next.traffic_class = self.way.val().traffic_class;
        self.headers.next.hop_limit = self.way.val().hop_limit;
        self.headers.next.dest_qpn = self.fields.val().dest_qpn;
        self.headers.next.pkey = self.fields.val().pkey;
    }
}
