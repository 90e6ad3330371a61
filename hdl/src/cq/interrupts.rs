//! Interrupt requests: one pending bit a vector, shown one after another on the `irq` port.
//!
//! Requests of one vector may merge; none is lost, because a request that comes while its vector is shown pends again.
//! Events use vector 0. From request to `irq_valid` two cycles; one vector every two cycles.
use crate::widgets::RoundRobin;
use rust_hdl::prelude::*;

/// Pending bits and the `irq` port.
#[derive(LogicBlock)]
pub struct InterruptRequests {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all requests.
    pub reset: Signal<In, Bit>,
    /// A completion queue fires.
    pub cq_request: Signal<In, Bit>,
    /// Its vector.
    pub cq_vector: Signal<In, Bits<3>>,
    /// An event has been written or lost.
    pub event_request: Signal<In, Bit>,
    /// A request; stays until ready.
    pub irq_valid: Signal<Out, Bit>,
    /// It is taken.
    pub irq_ready: Signal<In, Bit>,
    /// Its vector.
    pub irq_vector: Signal<Out, Bits<5>>,
    arbiter: RoundRobin<8, 3>,
    pending: DFF<Bits<8>>,
    shows: DFF<Bit>,
    vector: DFF<Bits<3>>,
    asked: Signal<Local, Bits<8>>,
    granted: Signal<Local, Bits<8>>,
    goes: Signal<Local, Bit>,
    one: Constant<Bits<8>>,
}

impl Default for InterruptRequests {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            cq_request: Default::default(),
            cq_vector: Default::default(),
            event_request: Default::default(),
            irq_valid: Default::default(),
            irq_ready: Default::default(),
            irq_vector: Default::default(),
            arbiter: Default::default(),
            pending: Default::default(),
            shows: Default::default(),
            vector: Default::default(),
            asked: Default::default(),
            granted: Default::default(),
            goes: Default::default(),
            one: Constant::new(bits(1)),
        }
    }
}

impl Logic for InterruptRequests {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pending, shows, vector);
        clock!(self, clock, arbiter);
        self.arbiter.reset.next = self.reset.val();
        self.arbiter.requests.next = self.pending.q.val();
        self.goes.next = !self.shows.q.val() & self.arbiter.some.val();
        self.arbiter.advance.next = self.goes.val();
        self.granted.next = 0.into();
        if self.irq_ready.val() {
            self.shows.d.next = false;
        }
        if self.goes.val() {
            self.granted.next = self.arbiter.grant.val();
            self.shows.d.next = true;
            self.vector.d.next = self.arbiter.index.val();
        }
        self.asked.next = 0.into();
        if self.cq_request.val() {
            self.asked.next = self.one.val() << self.cq_vector.val();
        }
        if self.event_request.val() {
            self.asked.next = self.asked.val() | self.one.val();
        }
        // A request in the cycle of its grant pends again.
        self.pending.d.next = (self.pending.q.val() & !self.granted.val()) | self.asked.val();
        if self.reset.val() {
            self.pending.d.next = 0.into();
            self.shows.d.next = false;
        }
        self.irq_valid.next = self.shows.q.val();
        self.irq_vector.next = bit_cast::<5, 3>(self.vector.q.val());
    }
}
