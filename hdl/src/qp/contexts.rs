//! The copies of a queue pair that other subsystems keep, made of rings and state. Combinational.
use super::records::QpRings;
use crate::types::{QpIdentity, RqContext, SqContext};
use rust_hdl::prelude::*;

/// Copies of one queue pair.
#[derive(LogicBlock, Default)]
pub struct Contexts {
    /// Rings.
    pub rings: Signal<In, QpRings>,
    /// State.
    pub state: Signal<In, Bits<3>>,
    /// For the send queue.
    pub sq: Signal<Out, SqContext>,
    /// For the receive queue.
    pub rq: Signal<Out, RqContext>,
    /// For access checks.
    pub identity: Signal<Out, QpIdentity>,
    fields: Signal<Local, QpRings>,
}

impl Logic for Contexts {
    #[hdl_gen]
    fn update(&mut self) {
        self.fields.next = self.rings.val();
        self.sq.next.qpn = self.fields.val().qpn;
        self.sq.next.pd = self.fields.val().pd;
        self.sq.next.base = self.fields.val().sq_base;
        self.sq.next.log2 = self.fields.val().sq_log2;
        self.sq.next.cqn = self.fields.val().send_cqn;
        self.sq.next.state = self.state.val();
        self.sq.next.sig_all = self.fields.val().sig_all;
        self.rq.next.qpn = self.fields.val().qpn;
        self.rq.next.base = self.fields.val().rq_base;
        self.rq.next.log2 = self.fields.val().rq_log2;
        self.rq.next.cqn = self.fields.val().receive_cqn;
        self.rq.next.state = self.state.val();
        self.identity.next.qpn = self.fields.val().qpn;
        self.identity.next.pd = self.fields.val().pd;
        self.identity.next.privileged = self.fields.val().privileged;
        self.identity.next.state = self.state.val();
    }
}
