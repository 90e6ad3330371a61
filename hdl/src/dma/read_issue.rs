//! Read issue: picks the next burst among the clients, round robin, and shows it on AR.
//!
//! AR is registered and holds until ready (I7); one AR a cycle. Without a credit a client is passed over (I8). `stop`
//! lets an AR that is shown be taken and shows no other.
use super::ReadBurst;
use crate::widgets::{ChannelSink, RoundRobin};
use rust_hdl::prelude::*;

/// Arbiter and AR register of N clients, numbered with A bits.
#[derive(LogicBlock)]
pub struct ReadIssue<const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops AR.
    pub reset: Signal<In, Bit>,
    /// Starts no burst.
    pub stop: Signal<In, Bit>,
    /// Bursts of the clients.
    pub bursts: [ChannelSink<ReadBurst>; N],
    /// Clients that have a credit.
    pub may: Signal<In, Bits<N>>,
    /// The client whose burst starts in this cycle.
    pub start: Signal<Out, Bits<N>>,
    /// AXI id.
    pub arid: Signal<Out, Bits<4>>,
    /// AXI address.
    pub araddr: Signal<Out, Bits<64>>,
    /// Beats - 1.
    pub arlen: Signal<Out, Bits<8>>,
    /// The burst counts.
    pub arvalid: Signal<Out, Bit>,
    /// It is taken.
    pub arready: Signal<In, Bit>,
    arbiter: RoundRobin<N, A>,
    burst: DFF<ReadBurst>,
    id: DFF<Bits<4>>,
    shows: DFF<Bit>,
    wants: Signal<Local, Bits<N>>,
    goes: Signal<Local, Bit>,
    mask: [Constant<Bits<N>>; N],
    ids: [Constant<Bits<4>>; N],
}

impl<const N: usize, const A: usize> ReadIssue<N, A> {
    /// Issue for clients with these AXI ids.
    pub fn new(ids: [u8; N]) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stop: Default::default(),
            bursts: std::array::from_fn(|_| Default::default()),
            may: Default::default(),
            start: Default::default(),
            arid: Default::default(),
            araddr: Default::default(),
            arlen: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            arbiter: Default::default(),
            burst: Default::default(),
            id: Default::default(),
            shows: Default::default(),
            wants: Default::default(),
            goes: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            ids: ids.map(|id| Constant::new(bits(id.into()))),
        }
    }
}

impl<const N: usize, const A: usize> Logic for ReadIssue<N, A> {
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
        self.goes.next = (!self.shows.q.val() | self.arready.val()) & self.arbiter.some.val();
        self.arbiter.advance.next = self.goes.val();
        self.start.next = 0.into();
        if self.goes.val() {
            self.start.next = self.arbiter.grant.val();
        }
        if self.arready.val() {
            self.shows.d.next = false;
        }
        for i in 0..N {
            self.bursts[i].ready.next = self.goes.val() & self.arbiter.grant.val().get_bit(i);
            if self.goes.val() & self.arbiter.grant.val().get_bit(i) {
                self.burst.d.next = self.bursts[i].data.val();
                self.id.d.next = self.ids[i].val();
                self.shows.d.next = true;
            }
        }
        if self.reset.val() {
            self.shows.d.next = false;
        }
        self.arid.next = self.id.q.val();
        self.araddr.next = bit_cast::<64, 52>(self.burst.q.val().address);
        self.arlen.next = self.burst.q.val().last;
        self.arvalid.next = self.shows.q.val();
    }
}
