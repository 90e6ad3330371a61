//! How many TLPs of a class this end may send (rules LK12, LK13 and LK15).
use rnic_abi::link::frame::CREDIT_WAIT_US;
use rust_hdl::prelude::*;

/// Credit of one class. `credit` follows `sent` and `update` by one cycle.
#[derive(LogicBlock)]
pub struct CreditGate {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// No TLP has been sent.
    pub reset: Signal<In, Bit>,
    /// One cycle every microsecond.
    pub microsecond: Signal<In, Bit>,
    /// `limit` is the first one of a session; during reset.
    pub load: Signal<In, Bit>,
    /// A frame of the session tells `limit`.
    pub update: Signal<In, Bit>,
    /// TLPs that may have been sent, modulo 2^16.
    pub limit: Signal<In, Bits<16>>,
    /// A TLP of this class enters the retry buffer.
    pub sent: Signal<In, Bit>,
    /// A TLP of this class waits for credit.
    pub waits: Signal<In, Bit>,
    /// Another one may be sent.
    pub credit: Signal<Out, Bit>,
    /// A TLP has waited for long: the peer must be asked. Repeated after the same time.
    pub starved: Signal<Out, Bit>,
    count: DFF<Bits<16>>,
    most: DFF<Bits<16>>,
    age: DFF<Bits<12>>,
    asks: DFF<Bit>,
    left: Signal<Local, Bits<16>>,
    growth: Signal<Local, Bits<16>>,
    first: Constant<Bits<16>>,
    patience: Constant<Bits<12>>,
}

impl CreditGate {
    /// For TLPs that are counted from `first` on.
    pub fn new(first: u16) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            microsecond: Default::default(),
            load: Default::default(),
            update: Default::default(),
            limit: Default::default(),
            sent: Default::default(),
            waits: Default::default(),
            credit: Default::default(),
            starved: Default::default(),
            count: Default::default(),
            most: Default::default(),
            age: Default::default(),
            asks: Default::default(),
            left: Default::default(),
            growth: Default::default(),
            first: Constant::new(bits(first.into())),
            patience: Constant::new(bits((CREDIT_WAIT_US - 1).into())),
        }
    }
}

impl Logic for CreditGate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, most, age, asks);
        // LK12: a limit never decreases; an older one may come late.
        self.growth.next = self.limit.val() - self.most.q.val();
        if self.load.val() | (self.update.val() & !self.growth.val().get_bit(15)) {
            self.most.d.next = self.limit.val();
        }
        self.left.next = self.most.q.val() - self.count.q.val();
        self.credit.next = self.left.val().any() & !self.left.val().get_bit(15);
        if self.sent.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.asks.d.next = false;
        if !self.waits.val() {
            self.age.d.next = 0.into();
        } else if self.microsecond.val() {
            self.age.d.next = self.age.q.val() + 1;
            if self.age.q.val() == self.patience.val() {
                self.age.d.next = 0.into();
                self.asks.d.next = true;
            }
        }
        if self.reset.val() {
            self.count.d.next = self.first.val();
            self.age.d.next = 0.into();
            self.asks.d.next = false;
        }
        self.starved.next = self.asks.q.val();
    }
}
