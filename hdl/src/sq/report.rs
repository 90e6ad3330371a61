//! Holds the report of one outcome until both its takers have it: the completion queue its CQE, the error counters its
//! syndrome. Latency one cycle; ready for the next one in the cycle after `done`.
use crate::types::CqeRequest;
use crate::widgets::ChannelSource;
use rust_hdl::prelude::*;

/// Holder of one report.
#[derive(LogicBlock, Default)]
pub struct Report {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the report.
    pub reset: Signal<In, Bit>,
    /// Takes `request`; only when nothing is held.
    pub load: Signal<In, Bit>,
    /// CQE to write; a syndrome other than 0 is counted.
    pub request: Signal<In, CqeRequest>,
    /// Completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// Syndromes.
    pub syndrome: ChannelSource<Bits<8>>,
    /// The last taker takes in this cycle.
    pub done: Signal<Out, Bit>,
    /// Status of the report.
    pub status: Signal<Out, Bits<8>>,
    kept: DFF<CqeRequest>,
    offers: DFF<Bit>,
    counts: DFF<Bit>,
    offer_stays: Signal<Local, Bit>,
    count_stays: Signal<Local, Bit>,
}

impl Logic for Report {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, offers, counts);
        self.offer_stays.next = self.offers.q.val() & !self.cqe.ready.val();
        self.count_stays.next = self.counts.q.val() & !self.syndrome.ready.val();
        self.done.next =
            (self.offers.q.val() | self.counts.q.val()) & !self.offer_stays.val() & !self.count_stays.val();
        self.offers.d.next = self.offer_stays.val() | self.load.val();
        self.counts.d.next = self.count_stays.val() | (self.load.val() & self.request.val().syndrome.any());
        if self.load.val() {
            self.kept.d.next = self.request.val();
        }
        self.cqe.data.next = self.kept.q.val();
        self.cqe.valid.next = self.offers.q.val();
        self.syndrome.data.next = self.kept.q.val().syndrome;
        self.syndrome.valid.next = self.counts.q.val();
        self.status.next = self.kept.q.val().status;
        if self.reset.val() {
            self.offers.d.next = false;
            self.counts.d.next = false;
        }
    }
}
