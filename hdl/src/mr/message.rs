//! Invalidations that a peer asks for with SEND_WITH_INV (C12), or a READ of its sink (C20): one at a time becomes an operation beside the walk, as the
//! commands of the admin unit, so that it waits for no page list. Its answer is the syndrome, 0 for success.
use super::layout::Pending;
use crate::types::InvalidateOrder;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// From order to operation no register; the answer one cycle after the end of the operation.
#[derive(LogicBlock, Default)]
pub struct MessageInvalidation {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the order at hand.
    pub reset: Signal<In, Bit>,
    /// Orders of the transport; the next one not before the answer to this one.
    pub order: ChannelSink<InvalidateOrder>,
    /// Their answers.
    pub answer: ChannelSource<Bits<8>>,
    /// Operation for the back end.
    pub command: ChannelSource<Pending>,
    /// It has ended,
    pub ended: Signal<In, Bit>,
    /// with this syndrome.
    pub syndrome: Signal<In, Bits<8>>,
    under_way: DFF<Bit>,
    answered: DFF<Bit>,
    found: DFF<Bits<8>>,
    key: Signal<Local, Bits<32>>,
    operation: Signal<Local, Pending>,
    opens: Signal<Local, Bit>,
}

impl Logic for MessageInvalidation {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, under_way, answered, found);
        self.key.next = self.order.data.val().key;
        self.operation.next = bits::<282>(0).into();
        self.operation.next.invalidates = true;
        self.operation.next.message = true;
        self.operation.next.remote = self.order.data.val().remote;
        self.operation.next.key_byte = self.key.val().get_bits::<8>(0);
        self.operation.next.index = self.key.val().get_bits::<24>(8);
        self.operation.next.pd = self.order.data.val().pd;
        self.operation.next.qp = self.order.data.val().qp;
        self.operation.next.checks = 0.into();
        if self.key.val().get_bits::<24>(8) == 0 {
            // B3: index 0.
            self.operation.next.checks = 4.into();
        }
        self.opens.next = !self.under_way.q.val();
        self.command.data.next = self.operation.val();
        self.command.valid.next = self.order.valid.val() & self.opens.val();
        self.order.ready.next = self.command.ready.val() & self.opens.val();
        if self.order.valid.val() & self.command.ready.val() {
            self.under_way.d.next = true;
        }
        self.answer.data.next = self.found.q.val();
        self.answer.valid.next = self.answered.q.val();
        if self.answered.q.val() & self.answer.ready.val() {
            self.answered.d.next = false;
            self.under_way.d.next = false;
        }
        if self.ended.val() {
            self.answered.d.next = true;
            self.found.d.next = self.syndrome.val();
        }
        if self.reset.val() {
            self.under_way.d.next = false;
            self.answered.d.next = false;
        }
    }
}
