//! Drops that the BAR itself counts, on their way to the counters.
//!
//! The counters may be busy with a sweep (256 cycles) while doorbells go on being dropped, so that each reason has a count of
//! its own (8 bits, standing at 255) instead of a queue.
use crate::widgets::ChannelSource;
use rnic_abi::drop;
use rust_hdl::prelude::*;

/// Reasons, in the order of the bits of `dropped`.
pub const REASONS: [u8; 6] = [
    drop::DOORBELL_DISABLED,
    drop::SQ_DOORBELL_VALUE,
    drop::RQ_DOORBELL_VALUE,
    drop::CQ_DOORBELL_VALUE,
    drop::EVENT_RING_FULL,
    drop::EVENT_NO_RING,
];

/// Pending drops by reason.
#[derive(LogicBlock)]
pub struct OwnDrops {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is pending.
    pub reset: Signal<In, Bit>,
    /// One more of each reason whose bit is set.
    pub dropped: Signal<In, Bits<6>>,
    /// To the counters.
    pub source: ChannelSource<Bits<8>>,
    pending: [DFF<Bits<8>>; 6],
    some: [Signal<Local, Bit>; 6],
    taken: [Signal<Local, Bit>; 6],
    codes: [Constant<Bits<8>>; 6],
}

impl Default for OwnDrops {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            dropped: Default::default(),
            source: Default::default(),
            pending: Default::default(),
            some: Default::default(),
            taken: Default::default(),
            codes: REASONS.map(|code| Constant::new(u64::from(code).into())),
        }
    }
}

impl Logic for OwnDrops {
    #[hdl_gen]
    fn update(&mut self) {
        self.source.valid.next = false;
        self.source.data.next = 0.into();
        for i in 0..6 {
            self.pending[i].clock.next = self.clock.val();
            self.pending[i].d.next = self.pending[i].q.val();
            self.some[i].next = self.pending[i].q.val().any();
            self.taken[i].next = false;
        }
        // The last one that waits goes first; `valid` can only change reason when one of higher rank comes up, which is
        // allowed here, since the counters look at the code in the cycle in which they take it.
        for i in 0..6 {
            if self.some[i].val() {
                self.source.valid.next = true;
                self.source.data.next = self.codes[i].val();
            }
        }
        for i in 0..6 {
            self.taken[i].next =
                self.source.valid.val() & self.source.ready.val() & (self.source.data.val() == self.codes[i].val());
            if self.taken[i].val() & !self.dropped.val().get_bit(i) {
                self.pending[i].d.next = self.pending[i].q.val() - 1;
            } else if !self.taken[i].val() & self.dropped.val().get_bit(i) & (self.pending[i].q.val() != 255) {
                self.pending[i].d.next = self.pending[i].q.val() + 1;
            }
            if self.reset.val() {
                self.pending[i].d.next = 0.into();
            }
        }
    }
}
