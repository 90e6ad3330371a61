//! Write return: tells each client of the end of its oldest burst.
//!
//! B is registered once and never held up (T107). One B a cycle; a B for which nobody waits is dropped (I9).
use rust_hdl::prelude::*;

/// Demultiplexer of B for N clients.
#[derive(LogicBlock)]
pub struct WriteReturn<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the answer held.
    pub reset: Signal<In, Bit>,
    /// AXI id.
    pub bid: Signal<In, Bits<4>>,
    /// Response.
    pub bresp: Signal<In, Bits<2>>,
    /// The answer counts.
    pub bvalid: Signal<In, Bit>,
    /// Clients with bursts in flight.
    pub live: Signal<In, Bits<N>>,
    /// Client whose oldest burst has ended.
    pub finish: Signal<Out, Bits<N>>,
    /// It ended with SLVERR or DECERR.
    pub error: Signal<Out, Bit>,
    id: DFF<Bits<4>>,
    wrong: DFF<Bit>,
    came: DFF<Bit>,
    mask: [Constant<Bits<N>>; N],
    ids: [Constant<Bits<4>>; N],
}

impl<const N: usize> WriteReturn<N> {
    /// Return to clients with these AXI ids.
    pub fn new(ids: [u8; N]) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            bid: Default::default(),
            bresp: Default::default(),
            bvalid: Default::default(),
            live: Default::default(),
            finish: Default::default(),
            error: Default::default(),
            id: Default::default(),
            wrong: Default::default(),
            came: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            ids: ids.map(|id| Constant::new(bits(id.into()))),
        }
    }
}

impl<const N: usize> Logic for WriteReturn<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, id, wrong, came);
        self.id.d.next = self.bid.val();
        self.wrong.d.next = self.bresp.val().get_bit(1);
        self.came.d.next = self.bvalid.val();
        if self.reset.val() {
            self.came.d.next = false;
        }
        self.finish.next = 0.into();
        for i in 0..N {
            if self.came.q.val() & (self.id.q.val() == self.ids[i].val()) & self.live.val().get_bit(i) {
                self.finish.next = self.mask[i].val();
            }
        }
        self.error.next = self.wrong.q.val();
    }
}
