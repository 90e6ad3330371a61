//! Wire arbiter: merges streams of frames, whole frames only (T63, T97).
//!
//! Byte-fair deficit round robin: a stream sends while its credit lasts, the last frame may overdraw it, and the next turn
//! gives it another quantum. That answers go before data is decided before the frame builder ([`FrameChoice`](super::FrameChoice)).
//!
//! Latency one cycle, one beat a cycle, no gap between frames.
use super::stream::{BeatStage, FrameMark, FrameSink};
use crate::widgets::{AxiStreamManager, RoundRobin};
use rust_hdl::prelude::*;

record! {
    /// Mark of a beat on its way to the wire.
    OwnedMark, 16 {
        /// Bytes.
        count: Bits<7>,
        /// It ends its frame.
        last: Bit,
        /// Stream that it came from, one bit.
        owner: Bits<8>,
    }
}

/// Bytes that a turn adds: more than the largest frame, so that every turn sends one.
pub const QUANTUM: u64 = 4_352;

/// Arbiter of N streams (at most 8) of beats of DATA bits (STRB bytes).
#[derive(LogicBlock)]
pub struct WireArbiter<const DATA: usize, const STRB: usize, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the turn and the beat held; streams must start again too.
    pub reset: Signal<In, Bit>,
    /// No further frame begins; one that is under way goes on to its end (I7: a beat that is offered stays).
    pub stop: Signal<In, Bit>,
    /// No frame is under way.
    pub idle: Signal<Out, Bit>,
    /// Frames.
    pub sinks: [FrameSink<DATA>; N],
    /// To the wire; `tuser` is never set.
    pub stream: AxiStreamManager<DATA, STRB>,
    /// The last beat of a frame of this stream is taken by the wire (one bit at most).
    pub left: Signal<Out, Bits<N>>,
    robin: RoundRobin<N, 3>,
    stage: BeatStage<OwnedMark, DATA>,
    midway: DFF<Bit>,
    owner: DFF<Bits<N>>,
    turn: DFF<Bits<N>>,
    /// Two's complement.
    credits: [DFF<Bits<14>>; N],
    waiting: Signal<Local, Bits<N>>,
    rich: Signal<Local, Bits<N>>,
    stays: Signal<Local, Bits<N>>,
    keeps: Signal<Local, Bit>,
    pick: Signal<Local, Bits<N>>,
    moves: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    data: Signal<Local, Bits<DATA>>,
    mark: Signal<Local, FrameMark>,
    valid: Signal<Local, Bit>,
    sent: Signal<Local, OwnedMark>,
    cost: Signal<Local, Bits<14>>,
    credit: Signal<Local, Bits<14>>,
    base: Signal<Local, Bits<14>>,
    used: Signal<Local, Bits<STRB>>,
    ones: Constant<Bits<STRB>>,
    quantum: Constant<Bits<14>>,
}

impl<const DATA: usize, const STRB: usize, const N: usize> Default for WireArbiter<DATA, STRB, N> {
    fn default() -> Self {
        assert!(DATA == 8 * STRB && (2..=8).contains(&N), "{N} streams of {DATA} bits, {STRB} lanes");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stop: Default::default(),
            idle: Default::default(),
            sinks: std::array::from_fn(|_| Default::default()),
            stream: Default::default(),
            left: Default::default(),
            robin: Default::default(),
            stage: Default::default(),
            midway: Default::default(),
            owner: Default::default(),
            turn: Default::default(),
            credits: std::array::from_fn(|_| Default::default()),
            waiting: Default::default(),
            rich: Default::default(),
            stays: Default::default(),
            keeps: Default::default(),
            pick: Default::default(),
            moves: Default::default(),
            opens: Default::default(),
            turns: Default::default(),
            data: Default::default(),
            mark: Default::default(),
            valid: Default::default(),
            sent: Default::default(),
            cost: Default::default(),
            credit: Default::default(),
            base: Default::default(),
            used: Default::default(),
            ones: Constant::new(!Bits::default()),
            quantum: Constant::new(bits(QUANTUM)),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const N: usize> Logic for WireArbiter<DATA, STRB, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, midway, owner, turn);
        clock!(self, clock, robin, stage);
        self.robin.reset.next = self.reset.val();
        self.stage.reset.next = self.reset.val();
        self.waiting.next = 0.into();
        self.rich.next = 0.into();
        for i in 0..N {
            self.credits[i].clock.next = self.clock.val();
            self.waiting.next = self.waiting.val().replace_bit(i, self.sinks[i].valid.val());
            self.credit.next = self.credits[i].q.val();
            if !self.credit.val().get_bit(13) {
                self.rich.next = self.rich.val().replace_bit(i, true);
            }
        }
        // Whose frame is next.
        self.robin.requests.next = self.waiting.val();
        self.stays.next = self.turn.q.val() & self.waiting.val() & self.rich.val();
        self.keeps.next = self.stays.val().any();
        self.pick.next = self.robin.grant.val();
        if self.keeps.val() {
            self.pick.next = self.stays.val();
        }
        if self.stop.val() {
            self.pick.next = 0.into();
        }
        if self.midway.q.val() {
            self.pick.next = self.owner.q.val();
        }

        // Its beat.
        self.data.next = 0.into();
        self.mark.next = bits::<8>(0).into();
        self.valid.next = false;
        for i in 0..N {
            self.sinks[i].ready.next = self.pick.val().get_bit(i) & self.stage.ready_in.val();
            if self.pick.val().get_bit(i) {
                self.data.next = self.sinks[i].data.val();
                self.mark.next = self.sinks[i].mark.val();
                self.valid.next = self.sinks[i].valid.val();
            }
        }
        self.stage.data_in.next = self.data.val();
        self.stage.mark_in.next.count = self.mark.val().count;
        self.stage.mark_in.next.last = self.mark.val().last;
        self.stage.mark_in.next.owner = bit_cast::<8, N>(self.pick.val());
        self.stage.valid_in.next = self.valid.val();
        self.moves.next = self.valid.val() & self.stage.ready_in.val();
        self.opens.next = self.moves.val() & !self.midway.q.val();
        self.turns.next = self.opens.val() & !self.keeps.val();
        self.robin.advance.next = self.turns.val();
        if self.moves.val() {
            self.midway.d.next = !self.mark.val().last;
            self.owner.d.next = self.pick.val();
        }
        if self.turns.val() {
            self.turn.d.next = self.pick.val();
        }

        // What it costs. A credit that is left from an idle turn is not saved up.
        self.cost.next = bit_cast::<14, 7>(self.mark.val().count);
        for i in 0..N {
            self.base.next = self.credits[i].q.val();
            if self.turns.val() {
                self.base.next = self.credits[i].q.val() + self.quantum.val();
                if self.rich.val().get_bit(i) {
                    self.base.next = self.quantum.val();
                }
            }
            self.credits[i].d.next = self.credits[i].q.val();
            if self.moves.val() & self.pick.val().get_bit(i) {
                self.credits[i].d.next = self.base.val() - self.cost.val();
            }
            if self.reset.val() {
                self.credits[i].d.next = 0.into();
            }
        }

        self.idle.next = !self.midway.q.val() & !self.stage.valid_out.val();
        self.sent.next = self.stage.mark_out.val();
        self.used.next = self.ones.val() << self.sent.val().count;
        self.stream.tdata.next = self.stage.data_out.val();
        self.stream.tkeep.next = !self.used.val();
        self.stream.tlast.next = self.sent.val().last;
        self.stream.tuser.next = false;
        self.stream.tvalid.next = self.stage.valid_out.val();
        self.stage.ready_out.next = self.stream.tready.val();
        self.left.next = 0.into();
        if self.stage.valid_out.val() & self.stream.tready.val() & self.sent.val().last {
            self.left.next = bit_cast::<N, 8>(self.sent.val().owner);
        }
        if self.reset.val() {
            self.midway.d.next = false;
            self.turn.d.next = 0.into();
        }
    }
}

#[cfg(test)]
#[path = "arbiter_tests.rs"]
mod tests;
