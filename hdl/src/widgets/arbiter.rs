//! Round-robin arbiter.
use rust_hdl::prelude::*;

/// Grants one of N requests (A bits number them), the first behind the last one granted. Combinational grant; the order moves on with `advance`.
#[derive(LogicBlock)]
pub struct RoundRobin<const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Starts again at request 0.
    pub reset: Signal<In, Bit>,
    /// Who asks.
    pub requests: Signal<In, Bits<N>>,
    /// The grant of this cycle is used.
    pub advance: Signal<In, Bit>,
    /// One-hot grant, 0 without a request.
    pub grant: Signal<Out, Bits<N>>,
    /// Number of the grant.
    pub index: Signal<Out, Bits<A>>,
    /// Somebody asks.
    pub some: Signal<Out, Bit>,
    /// Requests behind the last grant.
    behind: DFF<Bits<N>>,
    early: Signal<Local, Bits<N>>,
    asked: Signal<Local, Bits<N>>,
    below: Signal<Local, Bits<N>>,
    lowest: Signal<Local, Bits<N>>,
    numbers: [Constant<Bits<A>>; N],
}

impl<const N: usize, const A: usize> Default for RoundRobin<N, A> {
    fn default() -> Self {
        assert!(N <= 1 << A, "{N} requests numbered with {A} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            requests: Default::default(),
            advance: Default::default(),
            grant: Default::default(),
            index: Default::default(),
            some: Default::default(),
            behind: Default::default(),
            early: Default::default(),
            asked: Default::default(),
            below: Default::default(),
            lowest: Default::default(),
            numbers: std::array::from_fn(|i| Constant::new(i.to_bits())),
        }
    }
}

impl<const N: usize, const A: usize> Logic for RoundRobin<N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, behind);
        self.early.next = self.requests.val() & self.behind.q.val();
        self.asked.next = self.requests.val();
        if self.early.val().any() {
            self.asked.next = self.early.val();
        }
        self.below.next = self.asked.val() - 1;
        self.lowest.next = self.asked.val() & !self.below.val();
        if self.advance.val() & self.asked.val().any() {
            // `asked ^ below` are the grant and all bits under it.
            self.behind.d.next = !(self.asked.val() ^ self.below.val());
        }
        if self.reset.val() {
            self.behind.d.next = 0.into();
        }
        self.grant.next = self.lowest.val();
        self.some.next = self.requests.val().any();
        self.index.next = 0.into();
        for i in 0..N {
            if self.lowest.val().get_bit(i) {
                self.index.next = self.numbers[i].val();
            }
        }
    }
}
