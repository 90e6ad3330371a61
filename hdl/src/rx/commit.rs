//! The commit queue (CMQ): in order of arrival, each entry waits until its payload and that of all before it has landed, and
//! only then does what vouches for it: invalidation, receive CQE, READ or atomic for the response engine, or the owed
//! acknowledgement, in this order (T59, I5, T103).
//!
//! ```text
//!  entries ─► FIFO ──┬─► wait for the bursts ─► outcome ─► invalidate ─► CQE ─► failure ─► push or owed ACK ─► event
//!  verdicts ─► FIFO ─┘
//! ```
//! Seven cycles an entry when nothing is waited for. A failure makes the queue pair dead: its later entries do nothing (T75);
//! the receive CQE, then the report, which waits outside for the NAK before it brings ERR and flush (T62, T73), then the NAK.
//! What an entry waits for ends by itself (T107): B responses, a drain, the writers of CQEs and events.
use super::commit_outcome::CommitOutcome;
use super::landing::Landing;
use super::records::{CommitEntry, Outcome, OwedStore};
use crate::types::{CqeRequest, EventRequest, InvalidateOrder, QpFailure, ResponseOrder};
use crate::widgets::{ChannelSink, ChannelSource, Fifo, FlagVector};
use crate::wire::PlaceVerdict;
use rnic_abi::{aeth, drop, event, opcode, status};
use rust_hdl::prelude::*;

/// What the head of the queue waits for.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CommitState {
    /// An entry and its verdict.
    Idle,
    /// The count of landed bursts is being compared.
    Compare,
    /// The bursts of the entry.
    Landing,
    /// One cycle: the outcome is known.
    Decide,
    /// Room for the invalidation.
    Invalidate,
    /// Its answer.
    Answer,
    /// Room for the receive CQE.
    Complete,
    /// Room for the READ, atomic or acknowledgement.
    Owe,
    /// Room for the event.
    Event,
    /// Room for the report of the failure.
    Fail,
    /// A duplicate READ that may not be answered: room in the count of duplicates.
    Lost,
    /// And in the count of drops.
    Count,
}

/// Commit queue of 2^CA - 1 entries for QPS = 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct Commit<const QA: usize, const QPS: usize, const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops everything.
    pub reset: Signal<In, Bit>,
    /// Entries in order of arrival.
    pub entry: ChannelSink<CommitEntry>,
    /// Verdicts of the placer. Those of responses, and of jobs whose tag has bit 0 clear, are passed over.
    pub verdict: ChannelSink<PlaceVerdict>,
    /// A write burst of a request has its B.
    pub landed: Signal<In, Bit>,
    /// With an error.
    pub landed_failed: Signal<In, Bit>,
    /// Forget that the queue pair of `order_index` has failed.
    pub order: Signal<In, Bit>,
    /// Queue pair of the order.
    pub order_index: Signal<In, Bits<8>>,
    /// Invalidations.
    pub invalidate: ChannelSource<InvalidateOrder>,
    /// Their answers: 0, or the syndrome.
    pub invalidated: ChannelSink<Bits<8>>,
    /// Receive completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// A receive WQE has completed with a CQE: a flush begins behind it.
    pub completed: Signal<Out, Bit>,
    /// Queue pair of `completed`, `entry_out`.
    pub completed_index: Signal<Out, Bits<8>>,
    /// READs and atomics to answer.
    pub push: ChannelSource<ResponseOrder>,
    /// Acknowledgements.
    pub owe: ChannelSource<OwedStore>,
    /// Failures.
    pub failed: ChannelSource<QpFailure>,
    /// COMM_EST.
    pub notice: ChannelSource<EventRequest>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// Duplicates that will not be answered: their queue pairs.
    pub lost: ChannelSource<Bits<8>>,
    /// A queue pair fails in this cycle.
    pub kill: Signal<Out, Bit>,
    /// Queue pair that fails.
    pub kill_index: Signal<Out, Bits<8>>,
    /// An entry has been committed.
    pub entry_out: Signal<Out, Bit>,
    entries: Fifo<CommitEntry, CA>,
    verdicts: Fifo<PlaceVerdict, CA>,
    landing: Landing,
    judge: CommitOutcome,
    dead: FlagVector<QPS, QA>,
    state: DFF<CommitState>,
    item: DFF<CommitEntry>,
    told: DFF<PlaceVerdict>,
    result: DFF<Outcome>,
    arriving: Signal<Local, PlaceVerdict>,
    ours: Signal<Local, Bits<32>>,
    head: Signal<Local, CommitEntry>,
    fate: Signal<Local, Outcome>,
    both: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    fails_now: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    pushes: Signal<Local, Bit>,
    owes: Signal<Local, Bit>,
    flags: Signal<Local, Bits<8>>,
    imm_flag: Signal<Local, Bits<8>>,
    inv_flag: Signal<Local, Bits<8>>,
    sol_flag: Signal<Local, Bits<8>>,
    owner: Signal<Local, Bits<8>>,
    lost_read: Constant<Bits<8>>,
    remote: Constant<Bits<8>>,
    rem_inv_req: Constant<Bits<8>>,
    access_error: Constant<Bits<8>>,
    established: Constant<Bits<8>>,
    receive: Constant<Bits<8>>,
    receive_write: Constant<Bits<8>>,
    receive_flag: Constant<Bits<8>>,
}

impl<const QA: usize, const QPS: usize, const CA: usize> Default for Commit<QA, QPS, CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            entry: Default::default(),
            verdict: Default::default(),
            landed: Default::default(),
            landed_failed: Default::default(),
            order: Default::default(),
            order_index: Default::default(),
            invalidate: Default::default(),
            invalidated: Default::default(),
            cqe: Default::default(),
            completed: Default::default(),
            completed_index: Default::default(),
            push: Default::default(),
            owe: Default::default(),
            failed: Default::default(),
            notice: Default::default(),
            drop: Default::default(),
            lost: Default::default(),
            kill: Default::default(),
            kill_index: Default::default(),
            entry_out: Default::default(),
            entries: Default::default(),
            verdicts: Default::default(),
            landing: Default::default(),
            judge: Default::default(),
            dead: Default::default(),
            state: Default::default(),
            item: Default::default(),
            told: Default::default(),
            result: Default::default(),
            arriving: Default::default(),
            ours: Default::default(),
            head: Default::default(),
            fate: Default::default(),
            both: Default::default(),
            finishes: Default::default(),
            fails_now: Default::default(),
            completes: Default::default(),
            pushes: Default::default(),
            owes: Default::default(),
            flags: Default::default(),
            imm_flag: Default::default(),
            inv_flag: Default::default(),
            sol_flag: Default::default(),
            owner: Default::default(),
            lost_read: Constant::new(drop::DUPLICATE_READ.to_bits()),
            remote: Constant::new(aeth::REMOTE_ACCESS.to_bits()),
            rem_inv_req: Constant::new(status::REM_INV_REQ.to_bits()),
            access_error: Constant::new(event::QP_ACCESS_ERR.to_bits()),
            established: Constant::new(event::COMM_EST.to_bits()),
            receive: Constant::new(opcode::RECV.to_bits()),
            receive_write: Constant::new(opcode::RECV_WRITE_IMM.to_bits()),
            receive_flag: Constant::new(rnic_abi::cqe::FLAG_RECEIVE.to_bits()),
        }
    }
}

impl<const QA: usize, const QPS: usize, const CA: usize> Logic for Commit<QA, QPS, CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, item, told, result);
        clock!(self, clock, entries, verdicts, landing, dead);
        self.entries.reset.next = self.reset.val();
        self.verdicts.reset.next = self.reset.val();
        self.landing.reset.next = self.reset.val();
        self.dead.reset.next = self.reset.val();

        // Pair entries and verdicts.
        ChannelSink::<CommitEntry>::link(&mut self.entry, &mut self.entries.sink);
        self.arriving.next = self.verdict.data.val();
        self.ours.next = self.arriving.val().tag;
        self.verdicts.sink.data.next = self.arriving.val();
        self.verdicts.sink.valid.next =
            self.verdict.valid.val() & !self.arriving.val().response & self.ours.val().get_bit(0);
        self.verdict.ready.next = self.verdicts.sink.ready.val() | !self.ours.val().get_bit(0);
        self.both.next = self.entries.source.valid.val()
            & self.verdicts.source.valid.val()
            & (self.state.q.val() == CommitState::Idle);
        self.entries.source.ready.next = self.both.val();
        self.verdicts.source.ready.next = self.both.val();
        if self.both.val() {
            self.item.d.next = self.entries.source.data.val();
            self.told.d.next = self.verdicts.source.data.val();
        }

        // Wait for the bursts, decide.
        self.head.next = self.item.q.val();
        self.fate.next = self.result.q.val();
        self.owner.next = self.head.val().qp;
        self.landing.landed.next = self.landed.val();
        self.landing.landed_failed.next = self.landed_failed.val();
        self.landing.writes.next = self.told.q.val().writes;
        self.landing.advance.next = self.state.q.val() == CommitState::Decide;
        self.judge.entry.next = self.item.q.val();
        self.judge.verdict.next = self.told.q.val();
        self.judge.burst_failed.next = self.landing.failed.val();
        self.dead.index.next = bit_cast::<QA, 8>(self.owner.val());
        self.judge.dead.next = self.dead.flag.val();

        // What it needs.
        self.completes.next =
            (self.fate.val().fails & self.fate.val().reports) | (!self.fate.val().fails & self.head.val().completes);
        self.pushes.next = !self.fate.val().fails & (self.head.val().kind == 3);
        self.owes.next = self.fate.val().fails | (self.head.val().kind == 1) | self.head.val().acks;
        self.invalidate.data.next.key = self.head.val().key;
        self.invalidate.data.next.pd = self.head.val().pd;
        self.invalidate.data.next.qp = self.head.val().qp;
        self.invalidate.data.next.remote = true;
        self.cqe.data.next.cqn = self.head.val().cqn;
        self.cqe.data.next.qpn = self.head.val().qpn;
        self.cqe.data.next.opcode = self.receive.val();
        self.imm_flag.next = bit_cast::<8, 1>(self.head.val().imm.into());
        self.inv_flag.next = bit_cast::<8, 1>(self.head.val().invalidates.into()) << 1;
        self.sol_flag.next = bit_cast::<8, 1>(self.head.val().solicited.into()) << 2;
        self.flags.next = self.imm_flag.val() | self.inv_flag.val() | self.sol_flag.val() | self.receive_flag.val();
        self.cqe.data.next.flags = self.flags.val();
        if self.head.val().by_write {
            self.cqe.data.next.opcode = self.receive_write.val();
        }
        self.cqe.data.next.status = 0.into();
        self.cqe.data.next.syndrome = 0.into();
        self.cqe.data.next.slot = self.head.val().slot;
        self.cqe.data.next.byte_len = self.head.val().length;
        // The key field of other frames holds whatever they had in its place.
        self.cqe.data.next.imm = 0.into();
        if (self.head.val().imm | self.head.val().invalidates) & !self.fate.val().fails {
            self.cqe.data.next.imm = self.head.val().key;
        }
        if self.fate.val().fails {
            self.cqe.data.next.status = self.fate.val().status;
            self.cqe.data.next.syndrome = self.fate.val().error;
            self.cqe.data.next.flags = self.receive_flag.val();
        }
        self.push.data.next.qp = self.head.val().qp;
        self.push.data.next.kind = self.head.val().order;
        self.push.data.next.duplicate = self.head.val().duplicate;
        self.push.data.next.psn = self.head.val().psn;
        self.push.data.next.packets = self.head.val().packets;
        self.push.data.next.msn = self.head.val().msn;
        self.push.data.next.va = self.head.val().va;
        self.push.data.next.rkey = self.head.val().key;
        self.push.data.next.length = self.head.val().length;
        self.push.data.next.generation = self.told.q.val().generation;
        self.push.data.next.swap = self.head.val().swap;
        self.push.data.next.compare = self.head.val().compare;
        self.owe.data.next.qp = self.head.val().qp;
        self.owe.data.next.psn = self.head.val().psn;
        self.owe.data.next.syndrome = self.head.val().answer;
        self.owe.data.next.msn = self.head.val().msn;
        if self.fate.val().fails {
            self.owe.data.next.syndrome = self.fate.val().answer;
            if self.head.val().counted {
                self.owe.data.next.msn = self.head.val().msn - 1;
            }
        }
        self.failed.data.next.qp = self.head.val().qp;
        self.failed.data.next.status = self.fate.val().status;
        self.failed.data.next.syndrome = self.fate.val().error;
        self.failed.data.next.event = self.fate.val().event;
        self.notice.data.next.kind = self.established.val();
        self.notice.data.next.number = self.head.val().qpn;
        self.notice.data.next.detail = 0.into();
        self.drop.data.next = self.lost_read.val();
        self.lost.data.next = self.head.val().qp;

        // Go through the steps.
        self.invalidate.valid.next = false;
        self.invalidated.ready.next = false;
        self.cqe.valid.next = false;
        self.push.valid.next = false;
        self.owe.valid.next = false;
        self.failed.valid.next = false;
        self.notice.valid.next = false;
        self.drop.valid.next = false;
        self.lost.valid.next = false;
        self.finishes.next = false;
        self.completed.next = false;
        match self.state.q.val() {
            CommitState::Idle => {
                if self.both.val() {
                    self.state.d.next = CommitState::Compare;
                }
            }
            CommitState::Compare => {
                self.state.d.next = CommitState::Landing;
            }
            CommitState::Landing => {
                if self.landing.complete.val() {
                    self.state.d.next = CommitState::Decide;
                    self.result.d.next = self.judge.outcome.val();
                }
            }
            CommitState::Decide => {
                self.state.d.next = CommitState::Complete;
                if self.head.val().invalidates & !self.fate.val().fails {
                    self.state.d.next = CommitState::Invalidate;
                }
                if self.fate.val().lost {
                    self.state.d.next = CommitState::Lost;
                }
                if self.fate.val().silent {
                    self.state.d.next = CommitState::Idle;
                    self.finishes.next = true;
                }
            }
            CommitState::Invalidate => {
                self.invalidate.valid.next = true;
                if self.invalidate.ready.val() {
                    self.state.d.next = CommitState::Answer;
                }
            }
            CommitState::Answer => {
                self.invalidated.ready.next = true;
                if self.invalidated.valid.val() {
                    self.state.d.next = CommitState::Complete;
                    if self.invalidated.data.val().any() {
                        self.result.d.next.fails = true;
                        self.result.d.next.reports = self.head.val().in_use;
                        self.result.d.next.answer = self.remote.val();
                        self.result.d.next.error = self.invalidated.data.val();
                        self.result.d.next.status = self.rem_inv_req.val();
                        self.result.d.next.event = self.access_error.val();
                    }
                }
            }
            CommitState::Complete => {
                self.cqe.valid.next = self.completes.val();
                if !self.completes.val() | self.cqe.ready.val() {
                    self.completed.next = self.completes.val();
                    self.state.d.next = CommitState::Owe;
                    if self.fate.val().fails {
                        self.state.d.next = CommitState::Fail;
                    }
                }
            }
            CommitState::Owe => {
                self.push.valid.next = self.pushes.val();
                self.owe.valid.next = self.owes.val();
                if (self.pushes.val() & self.push.ready.val())
                    | (self.owes.val() & self.owe.ready.val())
                    | (!self.pushes.val() & !self.owes.val())
                {
                    self.state.d.next = CommitState::Event;
                }
            }
            CommitState::Event => {
                self.notice.valid.next = self.head.val().establishes;
                if !self.head.val().establishes | self.notice.ready.val() {
                    self.state.d.next = CommitState::Idle;
                    self.finishes.next = true;
                }
            }
            CommitState::Fail => {
                self.failed.valid.next = true;
                if self.failed.ready.val() {
                    self.state.d.next = CommitState::Owe;
                }
            }
            CommitState::Lost => {
                self.lost.valid.next = true;
                if self.lost.ready.val() {
                    self.state.d.next = CommitState::Count;
                }
            }
            CommitState::Count => {
                self.drop.valid.next = true;
                if self.drop.ready.val() {
                    self.state.d.next = CommitState::Event;
                }
            }
        }
        self.entry_out.next = self.finishes.val();
        self.completed_index.next = self.owner.val();

        // A failure: nothing more of the queue pair.
        self.fails_now.next =
            ((self.state.q.val() == CommitState::Decide) & self.fate.val().fails & !self.fate.val().silent)
                | ((self.state.q.val() == CommitState::Answer)
                    & self.invalidated.valid.val()
                    & self.invalidated.data.val().any());
        self.kill.next = self.fails_now.val();
        self.kill_index.next = self.owner.val();
        self.dead.set_flag.next = self.fails_now.val();
        self.dead.set_index.next = bit_cast::<QA, 8>(self.owner.val());
        self.dead.clear_flag.next = self.order.val();
        self.dead.clear_index.next = bit_cast::<QA, 8>(self.order_index.val());
        if self.reset.val() {
            self.state.d.next = CommitState::Idle;
        }
    }
}
