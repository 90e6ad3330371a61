//! Finds how a response stands to the state of its queue pair. Four register stages, one compare or subtraction in each:
//! state at 0, flags of the state at 2; head of the oldest READ at 2, `place` and `sum` at 4, `skip` at 5 (in cycles).
//!
//! Distances are modulo 2^24; bit 23 tells before from after.
use super::ack_records::{AckState, AnswerPlace, OpenRead, SendPublic};
use rust_hdl::prelude::*;

/// Distances and flags of one response.
#[derive(LogicBlock)]
pub struct AckPlace {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// PSN of the response.
    pub psn: Signal<In, Bits<24>>,
    /// Bytes of its payload.
    pub payload: Signal<In, Bits<13>>,
    /// Epoch of an event.
    pub epoch: Signal<In, Bits<4>>,
    /// State of the queue pair.
    pub state: Signal<In, AckState>,
    /// What the send queue publishes of it.
    pub published: Signal<In, SendPublic>,
    /// Path MTU code.
    pub mtu: Signal<In, Bits<3>>,
    /// Oldest open READ or atomic, two cycles after the state.
    pub read: Signal<In, OpenRead>,
    /// The flags.
    pub place: Signal<Out, AnswerPlace>,
    /// PSN behind the response's.
    pub psn_next: Signal<Out, Bits<24>>,
    /// Bytes of the message before the payload.
    pub skip: Signal<Out, Bits<32>>,
    to_una: DFF<Bits<24>>,
    window: DFF<Bits<24>>,
    past_fail: DFF<Bits<24>>,
    una_past_fail: DFF<Bits<24>>,
    behind: DFF<Bits<24>>,
    open: DFF<Bit>,
    same_epoch: DFF<Bit>,
    scale: DFF<Bits<3>>,
    mtu_bytes: DFF<Bits<13>>,
    early: DFF<AnswerPlace>,
    past_first: DFF<Bits<24>>,
    una_past_first: DFF<Bits<24>>,
    fail_past_first: DFF<Bits<24>>,
    last: DFF<Bits<24>>,
    flags: DFF<AnswerPlace>,
    reach: DFF<Bits<32>>,
    begin_at: DFF<Bits<32>>,
    sum: DFF<Bits<32>>,
    now: Signal<Local, AckState>,
    told: Signal<Local, SendPublic>,
    entry: Signal<Local, OpenRead>,
    short: Signal<Local, Bit>,
    fail_short: Signal<Local, Bit>,
    wide: Signal<Local, Bits<32>>,
    scaled: Signal<Local, Bits<32>>,
    one: Constant<Bits<24>>,
    least: Constant<Bits<13>>,
}

impl Default for AckPlace {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            psn: Default::default(),
            payload: Default::default(),
            epoch: Default::default(),
            state: Default::default(),
            published: Default::default(),
            mtu: Default::default(),
            read: Default::default(),
            place: Default::default(),
            psn_next: Default::default(),
            skip: Default::default(),
            to_una: Default::default(),
            window: Default::default(),
            past_fail: Default::default(),
            una_past_fail: Default::default(),
            behind: Default::default(),
            open: Default::default(),
            same_epoch: Default::default(),
            scale: Default::default(),
            mtu_bytes: Default::default(),
            early: Default::default(),
            past_first: Default::default(),
            una_past_first: Default::default(),
            fail_past_first: Default::default(),
            last: Default::default(),
            flags: Default::default(),
            reach: Default::default(),
            begin_at: Default::default(),
            sum: Default::default(),
            now: Default::default(),
            told: Default::default(),
            entry: Default::default(),
            short: Default::default(),
            fail_short: Default::default(),
            wide: Default::default(),
            scaled: Default::default(),
            one: Constant::new(bits(1)),
            least: Constant::new(bits(128)),
        }
    }
}

impl Logic for AckPlace {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, to_una, window, past_fail, una_past_fail, behind, open, same_epoch, scale, mtu_bytes);
        dff_setup!(self, clock, early, past_first, una_past_first, fail_past_first, last, flags, reach, begin_at, sum);
        self.now.next = self.state.val();
        self.told.next = self.published.val();
        self.entry.next = self.read.val();
        // Stage 1: distances of the state.
        self.to_una.d.next = self.psn.val() - self.now.val().una;
        self.window.d.next = self.told.val().hpsn - self.now.val().una;
        self.past_fail.d.next = self.psn.val() - self.now.val().fail_psn;
        self.una_past_fail.d.next = self.now.val().una - self.now.val().fail_psn;
        self.behind.d.next = self.psn.val() + self.one.val();
        self.open.d.next = self.told.val().rd_tail != self.now.val().rd_head;
        self.same_epoch.d.next = self.epoch.val() == self.now.val().epoch;
        self.scale.d.next = self.mtu.val() - 1;
        self.mtu_bytes.d.next = self.least.val() << self.mtu.val();
        // Stage 2: their flags.
        self.early.d.next = bits::<17>(0).into();
        self.early.d.next.window = self.to_una.q.val() < self.window.q.val();
        self.early.d.next.at_una = self.to_una.q.val() == 0;
        self.early.d.next.after_fail = self.now.val().fail & !self.past_fail.q.val().get_bit(23);
        self.early.d.next.spent = self.now.val().fail & !self.una_past_fail.q.val().get_bit(23);
        self.early.d.next.open = self.open.q.val();
        self.early.d.next.same_epoch = self.same_epoch.q.val();
        self.early.d.next.full = self.payload.val() == self.mtu_bytes.q.val();
        self.early.d.next.bare = self.payload.val() == 0;
        // Stage 3: distances from the oldest READ.
        self.past_first.d.next = self.psn.val() - self.entry.val().first;
        self.una_past_first.d.next = self.now.val().una - self.entry.val().first;
        self.fail_past_first.d.next = self.now.val().fail_psn - self.entry.val().first;
        self.last.d.next = self.entry.val().packets - self.one.val();
        // Stage 4: their flags, and where the payload ends.
        self.short.next = self.past_first.q.val().get_bit(23);
        self.fail_short.next = self.fail_past_first.q.val().get_bit(23);
        self.flags.d.next = self.early.q.val();
        self.flags.d.next.short = self.short.val();
        self.flags.d.next.at_first = self.past_first.q.val() == 0;
        self.flags.d.next.inside = !self.short.val() & (self.past_first.q.val() <= self.last.q.val());
        self.flags.d.next.at_last = self.past_first.q.val() == self.last.q.val();
        self.flags.d.next.una_behind = self.una_past_first.q.val().get_bit(23);
        self.flags.d.next.fail_in = self.now.val().fail
            & self.open.q.val()
            & !self.fail_short.val()
            & (self.fail_past_first.q.val() <= self.last.q.val());
        self.flags.d.next.fail_first =
            self.now.val().fail & (self.fail_short.val() | (self.fail_past_first.q.val() == 0));
        self.flags.d.next.atomic = self.entry.val().kind != 0;
        self.wide.next = bit_cast::<32, 24>(self.past_first.q.val()) << 8;
        self.scaled.next = self.wide.val() << self.scale.q.val();
        self.begin_at.d.next = self.scaled.val();
        self.sum.d.next = self.scaled.val() + bit_cast::<32, 13>(self.payload.val());
        // Stage 5: where the payload begins.
        self.reach.d.next = self.entry.val().offset + self.begin_at.q.val();
        self.skip.next = self.reach.q.val();
        self.psn_next.next = self.behind.q.val();
        self.place.next = self.flags.q.val();
        self.place.next.sized = self.sum.q.val() == self.entry.val().length;
    }
}
