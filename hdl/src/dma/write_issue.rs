//! Write issue: picks the next complete burst among the clients, round robin, and shows it on AW.
//!
//! AW is registered and holds until ready (I7). The same grant hands the burst to W (`WriteBeats`), which goes at its own
//! pace: neither channel waits for the other to be taken. One AW a cycle. `stop` shows no other AW than the one shown.
use super::WriteBurst;
use crate::widgets::{ChannelSink, RoundRobin};
use rust_hdl::prelude::*;

/// Arbiter and AW register of N clients, numbered with A bits.
#[derive(LogicBlock)]
pub struct WriteIssue<const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops AW.
    pub reset: Signal<In, Bit>,
    /// Starts no burst.
    pub stop: Signal<In, Bit>,
    /// Complete bursts of the clients.
    pub bursts: [ChannelSink<WriteBurst>; N],
    /// Clients that have a credit.
    pub may: Signal<In, Bits<N>>,
    /// The client whose burst starts in this cycle.
    pub start: Signal<Out, Bits<N>>,
    /// The burst that starts.
    pub granted: Signal<Out, WriteBurst>,
    /// W takes a burst in this cycle.
    pub free: Signal<In, Bit>,
    /// AXI id.
    pub awid: Signal<Out, Bits<4>>,
    /// AXI address.
    pub awaddr: Signal<Out, Bits<64>>,
    /// Beats - 1.
    pub awlen: Signal<Out, Bits<8>>,
    /// The burst counts.
    pub awvalid: Signal<Out, Bit>,
    /// It is taken.
    pub awready: Signal<In, Bit>,
    arbiter: RoundRobin<N, A>,
    burst: DFF<WriteBurst>,
    id: DFF<Bits<4>>,
    shows: DFF<Bit>,
    wants: Signal<Local, Bits<N>>,
    goes: Signal<Local, Bit>,
    chosen: Signal<Local, WriteBurst>,
    mask: [Constant<Bits<N>>; N],
    ids: [Constant<Bits<4>>; N],
}

impl<const N: usize, const A: usize> WriteIssue<N, A> {
    /// Issue for clients with these AXI ids.
    pub fn new(ids: [u8; N]) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stop: Default::default(),
            bursts: std::array::from_fn(|_| Default::default()),
            may: Default::default(),
            start: Default::default(),
            granted: Default::default(),
            free: Default::default(),
            awid: Default::default(),
            awaddr: Default::default(),
            awlen: Default::default(),
            awvalid: Default::default(),
            awready: Default::default(),
            arbiter: Default::default(),
            burst: Default::default(),
            id: Default::default(),
            shows: Default::default(),
            wants: Default::default(),
            goes: Default::default(),
            chosen: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            ids: ids.map(|id| Constant::new(bits(id.into()))),
        }
    }
}

impl<const N: usize, const A: usize> Logic for WriteIssue<N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, burst, id, shows);
        clock!(self, clock, arbiter);
        self.arbiter.reset.next = self.reset.val();
        self.wants.next = 0.into();
        for i in 0..N {
            if self.bursts[i].valid.val() & self.may.val().get_bit(i) & !self.stop.val() {
                self.wants.next = self.wants.val() | self.mask[i].val();
            }
        }
        self.arbiter.requests.next = self.wants.val();
        self.goes.next = (!self.shows.q.val() | self.awready.val()) & self.free.val() & self.arbiter.some.val();
        self.arbiter.advance.next = self.goes.val();
        self.start.next = 0.into();
        if self.awready.val() {
            self.shows.d.next = false;
        }
        self.chosen.next = self.burst.q.val();
        for i in 0..N {
            self.bursts[i].ready.next = self.goes.val() & self.arbiter.grant.val().get_bit(i);
            if self.arbiter.grant.val().get_bit(i) {
                self.chosen.next = self.bursts[i].data.val();
            }
            if self.goes.val() & self.arbiter.grant.val().get_bit(i) {
                self.id.d.next = self.ids[i].val();
            }
        }
        if self.goes.val() {
            self.start.next = self.arbiter.grant.val();
            self.burst.d.next = self.chosen.val();
            self.shows.d.next = true;
        }
        if self.reset.val() {
            self.shows.d.next = false;
        }
        self.granted.next = self.chosen.val();
        self.awid.next = self.id.q.val();
        self.awaddr.next = bit_cast::<64, 52>(self.burst.q.val().address);
        self.awlen.next = self.burst.q.val().last;
        self.awvalid.next = self.shows.q.val();
    }
}
