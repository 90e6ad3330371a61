//! Judges the pieces of each job: whether they are written, and what the verdict is.
//!
//! ```text
//!  1 job, flag and generation looked up   2 registered   3.. one piece a cycle, the next job comes with the last
//! ```
//!
//! The first failure of a job ends its writing, marks the queue pair dead before the next job is looked at (T113), and is the
//! syndrome of the verdict. Jobs of a dead queue pair place nothing (T104). Requests and responses have flags of their own:
//! a failed READ sink stops the requester, not the responder. The generation of a request's first check is kept by
//! queue pair (T56, T100); the lookups behind it in the same job must already agree with it.
//! A raw frame has no lookup and no flag: it goes where its job says (T95). Three cycles a job of one piece.
use super::{DeadFlags, Placing};
use crate::mr::pieces::BusPiece;
use crate::widgets::{ChannelSink, ChannelSource, Memory};
use crate::wire::{PlaceJob, PlaceVerdict};
use rnic_abi::syndrome;
use rust_hdl::prelude::*;

/// STRB byte lanes; QPS = 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct PlaceJudge<const STRB: usize, const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the job; nobody is dead.
    pub reset: Signal<In, Bit>,
    /// Jobs.
    pub job: ChannelSink<PlaceJob>,
    /// Pieces, in the order of the jobs.
    pub piece: ChannelSink<BusPiece>,
    /// What to write, and the end of each job.
    pub placing: ChannelSource<Placing>,
    /// Its bytes are those of `value` (result of an atomic, T39), not of the frame.
    pub numeric: Signal<Out, Bit>,
    /// The value.
    pub value: Signal<Out, Bits<64>>,
    /// With an end: the verdict, but for `writes`.
    pub verdict: Signal<Out, PlaceVerdict>,
    /// A hold has ended unused,
    pub dropped: Signal<Out, Bit>,
    /// of this MR.
    pub dropped_index: Signal<Out, Bits<24>>,
    /// Frames of this queue pair place nothing from now on: those with requests, or those with responses.
    pub kill: Signal<In, Bit>,
    /// The queue pair.
    pub kill_index: Signal<In, Bits<QA>>,
    /// Its responses are meant.
    pub kill_responses: Signal<In, Bit>,
    /// Both flags of this queue pair are taken back.
    pub clear_dead: Signal<In, Bit>,
    /// The queue pair.
    pub clear_index: Signal<In, Bits<QA>>,
    requests: DeadFlags<QPS, QA>,
    responses: DeadFlags<QPS, QA>,
    generations: Memory<Bits<32>, QA>,
    note: DFF<PlaceJob>,
    has: DFF<Bit>,
    looked: DFF<Bit>,
    ready_now: DFF<Bit>,
    dead: DFF<Bit>,
    kept: DFF<Bits<32>>,
    keeping: DFF<Bit>,
    failed: DFF<Bit>,
    code: DFF<Bits<8>>,
    last_generation: DFF<Bits<32>>,
    at: DFF<Bits<14>>,
    fails_now: DFF<Bit>,
    fails_response: DFF<Bit>,
    fails_index: DFF<Bits<QA>>,
    drops: DFF<Bit>,
    drops_index: DFF<Bits<24>>,
    now: Signal<Local, PlaceJob>,
    coming: Signal<Local, PlaceJob>,
    part: Signal<Local, BusPiece>,
    qp: Signal<Local, Bits<QA>>,
    stale: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    emits: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    rows: Signal<Local, Bits<14>>,
    lane: Signal<Local, Bits<14>>,
    found: Signal<Local, Placing>,
    judgement: Signal<Local, PlaceVerdict>,
    state: Constant<Bits<8>>,
    lane_bits: Constant<Bits<4>>,
    lanes: Constant<Bits<14>>,
}

impl<const STRB: usize, const QA: usize, const QPS: usize> Default for PlaceJudge<STRB, QA, QPS> {
    fn default() -> Self {
        assert!(QA <= 8 && QPS <= 1 << QA, "{QPS} queue pairs numbered with {QA} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            job: Default::default(),
            piece: Default::default(),
            placing: Default::default(),
            numeric: Default::default(),
            value: Default::default(),
            verdict: Default::default(),
            dropped: Default::default(),
            dropped_index: Default::default(),
            kill: Default::default(),
            kill_index: Default::default(),
            kill_responses: Default::default(),
            clear_dead: Default::default(),
            clear_index: Default::default(),
            requests: Default::default(),
            responses: Default::default(),
            generations: Default::default(),
            note: Default::default(),
            has: Default::default(),
            looked: Default::default(),
            ready_now: Default::default(),
            dead: Default::default(),
            kept: Default::default(),
            keeping: Default::default(),
            failed: Default::default(),
            code: Default::default(),
            last_generation: Default::default(),
            at: Default::default(),
            fails_now: Default::default(),
            fails_response: Default::default(),
            fails_index: Default::default(),
            drops: Default::default(),
            drops_index: Default::default(),
            now: Default::default(),
            coming: Default::default(),
            part: Default::default(),
            qp: Default::default(),
            stale: Default::default(),
            wrong: Default::default(),
            fails: Default::default(),
            good: Default::default(),
            emits: Default::default(),
            acts: Default::default(),
            keeps: Default::default(),
            ends: Default::default(),
            takes: Default::default(),
            rows: Default::default(),
            lane: Default::default(),
            found: Default::default(),
            judgement: Default::default(),
            state: Constant::new(bits(syndrome::ACC_STATE.into())),
            lane_bits: Constant::new(bits(STRB.ilog2().into())),
            lanes: Constant::new(bits(STRB as u64 - 1)),
        }
    }
}

impl<const STRB: usize, const QA: usize, const QPS: usize> Logic for PlaceJudge<STRB, QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, note, has, looked, ready_now, dead, kept, keeping, failed, code, last_generation);
        dff_setup!(self, clock, at, fails_now, fails_response, fails_index, drops, drops_index);
        clock!(self, clock, requests, responses, generations);
        self.requests.reset.next = self.reset.val();
        self.responses.reset.next = self.reset.val();
        self.now.next = self.note.q.val();
        self.part.next = self.piece.data.val();
        self.qp.next = bit_cast::<QA, 8>(self.now.val().qp);

        // What becomes of the piece.
        self.stale.next = self.part.val().asked
            & (self.now.val().same_generation | self.keeping.q.val())
            & (self.part.val().generation != self.kept.q.val());
        self.wrong.next = (self.part.val().syndrome != 0) | self.stale.val();
        self.fails.next = self.wrong.val() & !self.dead.q.val() & !self.failed.q.val();
        self.good.next = !self.wrong.val() & !self.dead.q.val() & !self.failed.q.val() & (self.part.val().bytes != 0);
        self.emits.next = self.good.val() | self.part.val().last;
        self.piece.ready.next = self.ready_now.q.val() & self.placing.ready.val();
        self.acts.next = self.ready_now.q.val() & self.placing.ready.val() & self.piece.valid.val();
        self.ends.next = self.acts.val() & self.part.val().last;
        self.rows.next = self.at.q.val() >> self.lane_bits.val();
        self.lane.next = self.at.q.val() & self.lanes.val();
        self.found.next.address = self.part.val().address;
        self.found.next.bytes = 0.into();
        if self.good.val() {
            self.found.next.bytes = self.part.val().bytes;
        }
        if self.now.val().raw {
            self.found.next.address = bit_cast::<52, 64>(self.now.val().value);
            self.found.next.bytes = bit_cast::<13, 32>(self.now.val().range);
        }
        self.found.next.row = self.now.val().first_row + bit_cast::<12, 14>(self.rows.val());
        self.found.next.lane = bit_cast::<6, 14>(self.lane.val());
        self.found.next.index = self.part.val().index;
        self.found.next.held = self.part.val().held & self.good.val();
        self.found.next.side = 0.into();
        if self.now.val().response {
            self.found.next.side = 1.into();
        }
        if self.now.val().raw {
            self.found.next.side = 2.into();
        }
        self.found.next.ends = self.part.val().last;
        self.placing.data.next = self.found.val();
        self.numeric.next = self.now.val().inline;
        self.value.next = self.now.val().value;
        self.placing.valid.next = self.ready_now.q.val() & self.piece.valid.val() & self.emits.val();
        self.judgement.next.qp = self.now.val().qp;
        self.judgement.next.response = self.now.val().response;
        self.judgement.next.dead = self.dead.q.val();
        self.judgement.next.syndrome = self.code.q.val();
        self.judgement.next.generation = self.last_generation.q.val();
        self.judgement.next.writes = 0.into();
        self.judgement.next.tag = self.now.val().tag;
        if self.part.val().asked {
            self.judgement.next.generation = self.part.val().generation;
        }
        if self.fails.val() {
            self.judgement.next.syndrome = self.part.val().syndrome;
            if self.part.val().syndrome == 0 {
                self.judgement.next.syndrome = self.state.val();
            }
        }
        self.verdict.next = self.judgement.val();

        // What it leaves behind.
        self.keeps.next = self.acts.val()
            & self.now.val().keeps_generation
            & self.part.val().asked
            & !self.keeping.q.val()
            & !self.wrong.val()
            & !self.dead.q.val();
        self.generations.read.next = true;
        self.generations.read_address.next = self.qp.val();
        self.generations.write.next = self.keeps.val();
        self.generations.write_address.next = self.qp.val();
        self.generations.data.next = self.part.val().generation;
        if self.keeps.val() {
            self.keeping.d.next = true;
            self.kept.d.next = self.part.val().generation;
        }
        if self.acts.val() {
            self.at.d.next = self.at.q.val() + bit_cast::<14, 13>(self.part.val().bytes);
            self.failed.d.next = self.failed.q.val() | self.fails.val();
            self.code.d.next = self.judgement.val().syndrome;
            self.last_generation.d.next = self.judgement.val().generation;
        }
        self.drops.d.next = self.acts.val() & self.part.val().held & !self.good.val();
        self.drops_index.d.next = self.part.val().index;
        self.dropped.next = self.drops.q.val();
        self.dropped_index.next = self.drops_index.q.val();
        self.fails_now.d.next = self.acts.val() & self.fails.val();
        self.fails_response.d.next = self.now.val().response;
        self.fails_index.d.next = self.qp.val();
        self.requests.fail.next = self.fails_now.q.val() & !self.fails_response.q.val();
        self.requests.fail_index.next = self.fails_index.q.val();
        self.requests.kill.next = self.kill.val() & !self.kill_responses.val();
        self.requests.kill_index.next = self.kill_index.val();
        self.requests.clear.next = self.clear_dead.val();
        self.requests.clear_index.next = self.clear_index.val();
        self.responses.fail.next = self.fails_now.q.val() & self.fails_response.q.val();
        self.responses.fail_index.next = self.fails_index.q.val();
        self.responses.kill.next = self.kill.val() & self.kill_responses.val();
        self.responses.kill_index.next = self.kill_index.val();
        self.responses.clear.next = self.clear_dead.val();
        self.responses.clear_index.next = self.clear_index.val();

        // The job: a failure of the job before is in the flags two cycles later, when they are read.
        self.requests.index.next = self.qp.val();
        self.responses.index.next = self.qp.val();
        if self.has.q.val() & !self.looked.q.val() {
            self.looked.d.next = true;
        }
        if self.looked.q.val() & !self.ready_now.q.val() {
            self.ready_now.d.next = true;
            self.kept.d.next = self.generations.out.val();
            self.dead.d.next = self.requests.flag.val();
            if self.now.val().response {
                self.dead.d.next = self.responses.flag.val();
            }
        }
        self.coming.next = self.job.data.val();
        self.takes.next = !self.has.q.val() | self.ends.val();
        self.job.ready.next = self.takes.val();
        if self.takes.val() {
            self.note.d.next = self.coming.val();
            self.has.d.next = self.job.valid.val();
            self.looked.d.next = false;
            self.ready_now.d.next = false;
            self.keeping.d.next = false;
            self.failed.d.next = false;
            self.code.d.next = 0.into();
            self.at.d.next = bit_cast::<14, 8>(self.coming.val().payload_at);
            if self.coming.val().inline {
                self.at.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.has.d.next = false;
            self.looked.d.next = false;
            self.ready_now.d.next = false;
            self.fails_now.d.next = false;
            self.drops.d.next = false;
        }
    }
}
