//! Holds the CQE of a flush until the completion queue has taken it; only then is the slot used.
use crate::types::CqeRequest;
use crate::widgets::ChannelSource;
use rust_hdl::prelude::*;

/// Holder of one flush of one of 2^QA receive queues.
#[derive(LogicBlock, Default)]
pub struct FlushOffer<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the flush.
    pub reset: Signal<In, Bit>,
    /// Takes a flush; only while not `busy`.
    pub load: Signal<In, Bit>,
    /// Its queue pair.
    pub qp: Signal<In, Bits<QA>>,
    /// Its CQE.
    pub request: Signal<In, CqeRequest>,
    /// Slots used behind it.
    pub after: Signal<In, Bits<16>>,
    /// Completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// A flush is held.
    pub busy: Signal<Out, Bit>,
    /// Its CQE is taken in this cycle.
    pub taken: Signal<Out, Bit>,
    /// Queue pair of the flush.
    pub index: Signal<Out, Bits<QA>>,
    /// Slots used behind the flush.
    pub used: Signal<Out, Bits<16>>,
    kept: DFF<CqeRequest>,
    owner: DFF<Bits<QA>>,
    count: DFF<Bits<16>>,
    holds: DFF<Bit>,
}

impl<const QA: usize> Logic for FlushOffer<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, owner, count, holds);
        self.taken.next = self.holds.q.val() & self.cqe.ready.val();
        self.busy.next = self.holds.q.val();
        self.index.next = self.owner.q.val();
        self.used.next = self.count.q.val();
        self.cqe.data.next = self.kept.q.val();
        self.cqe.valid.next = self.holds.q.val();
        if self.cqe.ready.val() {
            self.holds.d.next = false;
        }
        if self.load.val() {
            self.holds.d.next = true;
            self.kept.d.next = self.request.val();
            self.owner.d.next = self.qp.val();
            self.count.d.next = self.after.val();
        }
        if self.reset.val() {
            self.holds.d.next = false;
        }
    }
}
