//! Finds how the oldest WQE of a queue pair stands (rules T48, T49, T69, T71): two register stages, distances and then flags.
//!
//! `una` is never before the first PSN of the oldest WQE that has PSNs, so distances from there are unsigned: a READ may have
//! half of all PSNs.
use super::{kind, Outstanding, RetireFlags, RetireRow, SendTail};
use crate::rx::AckState;
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Distances and flags of one WQE; the flags follow their inputs after two cycles.
#[derive(LogicBlock)]
pub struct RetireView {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// How far the queue pair is retired.
    pub row: Signal<In, RetireRow>,
    /// Entry of the oldest WQE.
    pub entry: Signal<In, Outstanding>,
    /// How far it is acknowledged.
    pub ack: Signal<In, AckState>,
    /// READs and atomics that are stored, modulo 2^18.
    pub rd_done: Signal<In, Bits<18>>,
    /// What the cursor has started and sent.
    pub tail: Signal<In, SendTail>,
    /// Frames that have come back, modulo 4,096.
    pub returned: Signal<In, Bits<12>>,
    /// State (rule T1).
    pub state: Signal<In, Bits<3>>,
    /// The flags.
    pub flags: Signal<Out, RetireFlags>,
    past_first: DFF<Bits<24>>,
    past_fail: DFF<Bits<24>>,
    past_lost: DFF<Bits<24>>,
    between: DFF<Bits<24>>,
    lost_to_una: DFF<Bits<24>>,
    length: DFF<Bits<24>>,
    reads_left: DFF<Bits<18>>,
    flight: DFF<Bits<12>>,
    since: DFF<Bits<12>>,
    fails: DFF<Bit>,
    loses: DFF<Bit>,
    early: DFF<RetireFlags>,
    late: DFF<RetireFlags>,
    now: Signal<Local, RetireRow>,
    head: Signal<Local, Outstanding>,
    known: Signal<Local, AckState>,
    sent: Signal<Local, SendTail>,
    pre: Signal<Local, RetireFlags>,
    local_kind: Constant<Bits<3>>,
    failed_kind: Constant<Bits<3>>,
    read_kind: Constant<Bits<3>>,
    atomic_kind: Constant<Bits<3>>,
    rts: Constant<Bits<3>>,
    sqd: Constant<Bits<3>>,
    err: Constant<Bits<3>>,
    zero: Constant<RetireFlags>,
}

impl Default for RetireView {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            row: Default::default(),
            entry: Default::default(),
            ack: Default::default(),
            rd_done: Default::default(),
            tail: Default::default(),
            returned: Default::default(),
            state: Default::default(),
            flags: Default::default(),
            past_first: Default::default(),
            past_fail: Default::default(),
            past_lost: Default::default(),
            between: Default::default(),
            lost_to_una: Default::default(),
            length: Default::default(),
            reads_left: Default::default(),
            flight: Default::default(),
            since: Default::default(),
            fails: Default::default(),
            loses: Default::default(),
            early: Default::default(),
            late: Default::default(),
            now: Default::default(),
            head: Default::default(),
            known: Default::default(),
            sent: Default::default(),
            pre: Default::default(),
            local_kind: Constant::new(kind::LOCAL.to_bits()),
            failed_kind: Constant::new(kind::FAILED.to_bits()),
            read_kind: Constant::new(kind::READ.to_bits()),
            atomic_kind: Constant::new(kind::ATOMIC.to_bits()),
            rts: Constant::new(qp::RTS.to_bits()),
            sqd: Constant::new(qp::SQD.to_bits()),
            err: Constant::new(qp::ERR.to_bits()),
            zero: Constant::new(Default::default()),
        }
    }
}

impl Logic for RetireView {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            past_first,
            past_fail,
            past_lost,
            between,
            lost_to_una,
            length,
            reads_left,
            flight,
            since
        );
        dff_setup!(self, clock, fails, loses, early, late);
        self.now.next = self.row.val();
        self.head.next = self.entry.val();
        self.known.next = self.ack.val();
        self.sent.next = self.tail.val();
        // Stage 1.
        self.past_first.d.next = self.known.val().una - self.head.val().first;
        self.past_fail.d.next = self.known.val().fail_psn - self.head.val().first;
        self.past_lost.d.next = self.now.val().lost_psn - self.head.val().first;
        self.between.d.next = self.known.val().fail_psn - self.now.val().lost_psn;
        self.lost_to_una.d.next = self.now.val().lost_psn - self.known.val().una;
        self.length.d.next = self.head.val().packets;
        self.reads_left.d.next = self.head.val().rd_after - self.rd_done.val();
        self.flight.d.next = self.sent.val().issued - self.returned.val();
        self.since.d.next = self.sent.val().issued - self.sent.val().resent;
        self.fails.d.next = self.known.val().fail;
        self.loses.d.next = self.now.val().lost;
        self.early.d.next = self.zero.val();
        self.early.d.next.none = self.sent.val().hseq == self.now.val().rseq;
        self.early.d.next.back = self.now.val().back != 0;
        self.early.d.next.good = self.now.val().good != 0;
        self.early.d.next.flushes = self.now.val().over | (self.state.val() == self.err.val());
        self.early.d.next.discards = (self.state.val() != self.err.val())
            & (self.state.val() != self.rts.val())
            & (self.state.val() != self.sqd.val());
        self.early.d.next.is_local = self.head.val().kind == self.local_kind.val();
        self.early.d.next.failed = self.head.val().kind == self.failed_kind.val();
        self.early.d.next.reads =
            (self.head.val().kind == self.read_kind.val()) | (self.head.val().kind == self.atomic_kind.val());
        // Stage 2.
        self.pre.next = self.early.q.val();
        self.late.d.next = self.early.q.val();
        self.late.d.next.acked = self.past_first.q.val() >= self.length.q.val();
        self.late.d.next.stored =
            (self.reads_left.q.val() == 0) | (self.reads_left.q.val() > 16) | !self.pre.val().reads;
        self.late.d.next.refused = self.fails.q.val() & (self.past_fail.q.val() < self.length.q.val());
        self.late.d.next.lost =
            self.loses.q.val() & !self.lost_to_una.q.val().get_bit(23) & (self.past_lost.q.val() < self.length.q.val());
        self.late.d.next.lost_first = self.loses.q.val() & !self.between.q.val().get_bit(23);
        self.late.d.next.lost_void = self.loses.q.val() & self.lost_to_una.q.val().get_bit(23);
        self.late.d.next.quiet = self.flight.q.val() == 0;
        self.late.d.next.calm = self.since.q.val() >= self.flight.q.val();
        self.flags.next = self.late.q.val();
    }
}
