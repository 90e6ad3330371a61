//! The next flush of a receive queue (rules D11, T73): in ERR every posted slot gets one WR_FLUSH, in order.
//!
//! Latency two cycles from counts and context, one answer a cycle.
use crate::types::{CqeRequest, RqContext};
use rnic_abi::{cqe, opcode, qp, status};
use rust_hdl::prelude::*;

/// Works the next flush out.
#[derive(LogicBlock)]
pub struct FlushStep {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Slots posted.
    pub posted: Signal<In, Bits<16>>,
    /// Slots used.
    pub used: Signal<In, Bits<16>>,
    /// Context of the queue pair.
    pub context_row: Signal<In, RqContext>,
    /// There is a slot to flush.
    pub flushes: Signal<Out, Bit>,
    /// And another one behind it.
    pub more: Signal<Out, Bit>,
    /// Its CQE.
    pub request: Signal<Out, CqeRequest>,
    /// Slots used when it is flushed.
    pub after: Signal<Out, Bits<16>>,
    known: DFF<RqContext>,
    first: DFF<Bits<16>>,
    ahead: DFF<Bits<16>>,
    made: DFF<CqeRequest>,
    next_count: DFF<Bits<16>>,
    some: DFF<Bit>,
    several: DFF<Bit>,
    size: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    one: Constant<Bits<16>>,
    error_state: Constant<Bits<3>>,
    receive: Constant<Bits<8>>,
    flushed: Constant<Bits<8>>,
    flags: Constant<Bits<8>>,
}

impl Default for FlushStep {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            posted: Default::default(),
            used: Default::default(),
            context_row: Default::default(),
            flushes: Default::default(),
            more: Default::default(),
            request: Default::default(),
            after: Default::default(),
            known: Default::default(),
            first: Default::default(),
            ahead: Default::default(),
            made: Default::default(),
            next_count: Default::default(),
            some: Default::default(),
            several: Default::default(),
            size: Default::default(),
            mask: Default::default(),
            one: Constant::new(1.into()),
            error_state: Constant::new(qp::ERR.to_bits()),
            receive: Constant::new(opcode::RECV.to_bits()),
            flushed: Constant::new(status::WR_FLUSH.to_bits()),
            flags: Constant::new(cqe::FLAG_RECEIVE.to_bits()),
        }
    }
}

impl Logic for FlushStep {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, known, first, ahead, made, next_count, some, several);
        self.known.d.next = self.context_row.val();
        self.first.d.next = self.used.val();
        self.ahead.d.next = self.posted.val() - self.used.val();

        self.size.next = self.one.val() << self.known.q.val().log2;
        self.mask.next = self.size.val() - 1;
        self.some.d.next = (self.known.q.val().state == self.error_state.val()) & self.ahead.q.val().any();
        self.several.d.next = self.ahead.q.val() > 1;
        self.next_count.d.next = self.first.q.val() + 1;
        self.made.d.next.cqn = self.known.q.val().cqn;
        self.made.d.next.qpn = self.known.q.val().qpn;
        self.made.d.next.opcode = self.receive.val();
        self.made.d.next.status = self.flushed.val();
        self.made.d.next.syndrome = 0.into();
        self.made.d.next.slot = self.first.q.val() & self.mask.val();
        self.made.d.next.byte_len = 0.into();
        self.made.d.next.imm = 0.into();
        self.made.d.next.flags = self.flags.val();

        self.flushes.next = self.some.q.val();
        self.more.next = self.several.q.val();
        self.request.next = self.made.q.val();
        self.after.next = self.next_count.q.val();
    }
}
