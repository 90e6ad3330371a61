//! How many TLPs of a class the host may have sent (rules LK8, LK12 and LK13).
use rnic_abi::link::frame::LIMIT_SHARE;
use rust_hdl::prelude::*;

/// Limit of one class: what has been taken out of the buffers, plus the buffers. Registered, one cycle behind its inputs.
#[derive(LogicBlock)]
pub struct LimitKeeper {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A session begins.
    pub reset: Signal<In, Bit>,
    /// A TLP is accepted.
    pub accepted: Signal<In, Bit>,
    /// A TLP has left its buffer.
    pub taken: Signal<In, Bit>,
    /// The TLP that is accepted needs no buffer.
    pub skipped: Signal<In, Bit>,
    /// A frame that tells the limit is leaving.
    pub told: Signal<In, Bit>,
    /// TLPs that the host may have sent, modulo 2^16.
    pub limit: Signal<Out, Bits<16>>,
    /// It has sent them all: another one is an overrun.
    pub full: Signal<Out, Bit>,
    /// The limit has grown by a share of the buffers since it was told.
    pub grown: Signal<Out, Bit>,
    most: DFF<Bits<16>>,
    count: DFF<Bits<16>>,
    last_told: DFF<Bits<16>>,
    used: DFF<Bit>,
    due: DFF<Bit>,
    growth: Signal<Local, Bits<16>>,
    first: Constant<Bits<16>>,
    first_limit: Constant<Bits<16>>,
    share: Constant<Bits<16>>,
}

impl LimitKeeper {
    /// For `buffers` TLPs, counted from `first` on.
    pub fn new(first: u16, buffers: u16) -> Self {
        assert!(buffers > 0);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            accepted: Default::default(),
            taken: Default::default(),
            skipped: Default::default(),
            told: Default::default(),
            limit: Default::default(),
            full: Default::default(),
            grown: Default::default(),
            most: Default::default(),
            count: Default::default(),
            last_told: Default::default(),
            used: Default::default(),
            due: Default::default(),
            growth: Default::default(),
            first: Constant::new(bits(first.into())),
            first_limit: Constant::new(bits(first.wrapping_add(buffers).into())),
            share: Constant::new(bits((buffers as u32).div_ceil(LIMIT_SHARE).into())),
        }
    }
}

impl Logic for LimitKeeper {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, most, count, last_told, used, due);
        if self.accepted.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.taken.val() & self.skipped.val() {
            self.most.d.next = self.most.q.val() + 2;
        } else if self.taken.val() | self.skipped.val() {
            self.most.d.next = self.most.q.val() + 1;
        }
        if self.told.val() {
            self.last_told.d.next = self.most.q.val();
        }
        self.used.d.next = self.count.q.val() == self.most.q.val();
        self.growth.next = self.most.q.val() - self.last_told.q.val();
        self.due.d.next = !self.told.val() & (self.growth.val() >= self.share.val());
        if self.reset.val() {
            self.count.d.next = self.first.val();
            self.most.d.next = self.first_limit.val();
            self.last_told.d.next = self.first_limit.val();
            self.used.d.next = false;
            self.due.d.next = false;
        }
        self.limit.next = self.most.q.val();
        self.full.next = self.used.q.val();
        self.grown.next = self.due.q.val();
    }
}
