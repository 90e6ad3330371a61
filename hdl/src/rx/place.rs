//! Placer: writes the payload of received frames to memory, job after job (rows 9 to 11 of the order of checks).
//!
//! ```text
//!  job ─┬─► span walk ─► pieces ◄─► lookup
//!       └─► notes ─────────┴─► judge ─┬─► bursts ─► commands, counts, verdicts, holds ◄─ done
//!                                     └─► rows ─► frame buffer ─► shift ─► beats
//! ```
//!
//! Lookups of later jobs overlap with the writes of earlier ones. A job is taken only when its verdict has room, so that
//! writes and holds end without help of the commit queue (T102). The holds of a piece end after the B of its last
//! burst (T98). From a job to its command 28 cycles with the lookup.
use super::{BurstNote, PlaceBurst, PlaceJudge, PlaceRows, PlaceShift, Placing, RowWork, SIDES};
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::mr::pieces::{BusPiece, EndShare, Part, Pieces, SpanWalk};
use crate::types::{WriteClient, WriteCommand};
use crate::widgets::{ChannelSource, Fifo, SlackFifo, Slot};
use crate::wire::{PlaceJob, PlaceVerdict, Span};
use rust_hdl::prelude::*;

/// A frame to place.
#[derive(LogicInterface, Default)]
#[join = "PlaceSink"]
pub struct PlaceSource {
    /// The job.
    pub job: Signal<Out, PlaceJob>,
    /// Where its payload goes; `bytes` 0 when it has none.
    pub span: Signal<Out, Span>,
    /// Both count.
    pub valid: Signal<Out, Bit>,
    /// They are taken at the next edge.
    pub ready: Signal<In, Bit>,
}

/// The other end of [`PlaceSource`].
#[derive(LogicInterface, Default)]
#[join = "PlaceSource"]
pub struct PlaceSink {
    /// The job.
    pub job: Signal<In, PlaceJob>,
    /// Where its payload goes.
    pub span: Signal<In, Span>,
    /// Both count.
    pub valid: Signal<In, Bit>,
    /// They are taken at the next edge.
    pub ready: Signal<Out, Bit>,
}

/// DATA bus bits, STRB = DATA / 8; frame buffer of 2^A rows; QPS = 2^QA queue pairs; 2^V - 2 jobs and 2^E - 2 bursts of each
/// client in flight; bursts of at most CUT bytes.
#[derive(LogicBlock)]
pub struct Placer<
    const DATA: usize,
    const STRB: usize,
    const A: usize,
    const QA: usize,
    const QPS: usize,
    const V: usize,
    const E: usize,
    const CUT: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no write and no answer is on its way.
    pub reset: Signal<In, Bit>,
    /// Jobs, in the order of the frames: one for each frame, whatever it is.
    pub place: PlaceSink,
    /// One verdict a job, in the order of the jobs.
    pub verdict: ChannelSource<PlaceVerdict>,
    /// Row of the frame buffer to read;
    pub read_address: Signal<Out, Bits<A>>,
    /// it is here two cycles later.
    pub read_data: Signal<In, Bits<DATA>>,
    /// The oldest frame is not needed any more.
    pub released: Signal<Out, Bit>,
    /// Questions to the lookup.
    pub question: ChannelSource<LookupQuestion>,
    /// The answer to the oldest question is here.
    pub answered: Signal<In, Bit>,
    /// The answer.
    pub answer: Signal<In, LookupAnswer>,
    /// A hold has ended,
    pub write_end: Signal<Out, Bit>,
    /// of this MR.
    pub write_end_index: Signal<Out, Bits<24>>,
    /// Writes of requests (AXI id 2).
    pub requests: WriteClient<DATA>,
    /// Writes of responses (AXI id 3).
    pub responses: WriteClient<DATA>,
    /// Writes of raw frames (AXI id 5).
    pub raw: WriteClient<DATA>,
    /// All writes of the oldest raw frame that has any have their B,
    pub raw_landed: Signal<Out, Bit>,
    /// one of them with an error.
    pub raw_failed: Signal<Out, Bit>,
    /// A write of a request, of a response, has its B.
    pub landed: Signal<Out, Bits<2>>,
    /// It had an error.
    pub landed_failed: Signal<Out, Bits<2>>,
    /// Frames of this queue pair place nothing from now on.
    pub kill: Signal<In, Bit>,
    /// The queue pair.
    pub kill_index: Signal<In, Bits<QA>>,
    /// Its responses are meant, else its requests.
    pub kill_responses: Signal<In, Bit>,
    /// Both flags of this queue pair are taken back.
    pub clear_dead: Signal<In, Bit>,
    /// The queue pair.
    pub clear_index: Signal<In, Bits<QA>>,
    walk: SpanWalk,
    pieces: Pieces<4>,
    notes: Fifo<PlaceJob, V>,
    judge: PlaceJudge<STRB, QA, QPS>,
    placings: Fifo<Placing, 4>,
    works: Fifo<RowWork, 4>,
    work: Slot<RowWork>,
    judgements: Fifo<PlaceVerdict, V>,
    bursts: PlaceBurst<CUT>,
    rows: PlaceRows<STRB, A>,
    shift: PlaceShift<DATA>,
    commands: [Fifo<WriteCommand, 3>; SIDES],
    waiting: [Fifo<BurstNote, E>; SIDES],
    verdicts: SlackFifo<PlaceVerdict, V, 2>,
    ends: EndShare<3, 2, E>,
    /// Jobs taken whose verdict has not left.
    jobs: DFF<Bits<8>>,
    /// A write of the raw frame that is landing had an error.
    raw_fault: DFF<Bit>,
    room: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    job_now: Signal<Local, PlaceJob>,
    placing: Signal<Local, Placing>,
    forks: Signal<Local, Bit>,
    target: Signal<Local, Bits<52>>,
    note: Signal<Local, BurstNote>,
    done: Signal<Local, Bits<3>>,
    faults: Signal<Local, Bits<2>>,
    raw_note: Signal<Local, BurstNote>,
    raw_ends: Signal<Local, Bit>,
    raw_bad: Signal<Local, Bit>,
    most: Constant<Bits<8>>,
    lanes: Constant<Bits<52>>,
}

impl<
        const DATA: usize,
        const STRB: usize,
        const A: usize,
        const QA: usize,
        const QPS: usize,
        const V: usize,
        const E: usize,
        const CUT: usize,
    > Default for Placer<DATA, STRB, A, QA, QPS, V, E, CUT>
{
    fn default() -> Self {
        assert_eq!(DATA, 8 * STRB, "lanes of the bus");
        assert!((3..8).contains(&V), "2^{V} jobs");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            place: Default::default(),
            verdict: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            released: Default::default(),
            question: Default::default(),
            answered: Default::default(),
            answer: Default::default(),
            write_end: Default::default(),
            write_end_index: Default::default(),
            requests: Default::default(),
            responses: Default::default(),
            raw: Default::default(),
            raw_landed: Default::default(),
            raw_failed: Default::default(),
            landed: Default::default(),
            landed_failed: Default::default(),
            kill: Default::default(),
            kill_index: Default::default(),
            kill_responses: Default::default(),
            clear_dead: Default::default(),
            clear_index: Default::default(),
            walk: Default::default(),
            pieces: Default::default(),
            notes: Default::default(),
            judge: Default::default(),
            placings: Default::default(),
            works: Default::default(),
            work: Default::default(),
            judgements: Default::default(),
            bursts: Default::default(),
            rows: Default::default(),
            shift: Default::default(),
            commands: std::array::from_fn(|_| Default::default()),
            waiting: std::array::from_fn(|_| Default::default()),
            verdicts: Default::default(),
            ends: Default::default(),
            jobs: Default::default(),
            raw_fault: Default::default(),
            room: Default::default(),
            takes: Default::default(),
            leaves: Default::default(),
            job_now: Default::default(),
            placing: Default::default(),
            forks: Default::default(),
            target: Default::default(),
            note: Default::default(),
            done: Default::default(),
            faults: Default::default(),
            raw_note: Default::default(),
            raw_ends: Default::default(),
            raw_bad: Default::default(),
            most: Constant::new(bits((1 << V) - 3)),
            lanes: Constant::new(bits(STRB as u64 - 1)),
        }
    }
}

impl<
        const DATA: usize,
        const STRB: usize,
        const A: usize,
        const QA: usize,
        const QPS: usize,
        const V: usize,
        const E: usize,
        const CUT: usize,
    > Logic for Placer<DATA, STRB, A, QA, QPS, V, E, CUT>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, jobs, raw_fault);
        clock!(self, clock, walk, pieces, notes, judge, placings, works, work, judgements, bursts, rows, shift);
        clock!(self, clock, verdicts, ends);
        self.walk.reset.next = self.reset.val();
        self.pieces.reset.next = self.reset.val();
        self.notes.reset.next = self.reset.val();
        self.judge.reset.next = self.reset.val();
        self.placings.reset.next = self.reset.val();
        self.works.reset.next = self.reset.val();
        self.work.reset.next = self.reset.val();
        self.judgements.reset.next = self.reset.val();
        self.bursts.reset.next = self.reset.val();
        self.rows.reset.next = self.reset.val();
        self.shift.reset.next = self.reset.val();
        self.verdicts.reset.next = self.reset.val();
        self.ends.reset.next = self.reset.val();

        // Jobs.
        self.job_now.next = self.place.job.val();
        self.room.next =
            self.walk.span.ready.val() & self.notes.sink.ready.val() & (self.jobs.q.val() <= self.most.val());
        self.place.ready.next = self.room.val();
        self.takes.next = self.room.val() & self.place.valid.val();
        self.walk.span.data.next = self.place.span.val();
        self.walk.span.valid.next = self.takes.val();
        self.walk.checks.next = self.job_now.val().checks_range;
        self.walk.range.next = self.job_now.val().range;
        self.notes.sink.data.next = self.job_now.val();
        self.notes.sink.valid.next = self.takes.val();
        ChannelSource::<Part>::join(&mut self.walk.part, &mut self.pieces.part);
        ChannelSource::<LookupQuestion>::link(&mut self.question, &mut self.pieces.question);
        self.pieces.answered.next = self.answered.val();
        self.pieces.answer.next = self.answer.val();
        ChannelSource::<BusPiece>::join(&mut self.pieces.piece, &mut self.judge.piece);
        ChannelSource::<PlaceJob>::join(&mut self.notes.source, &mut self.judge.job);
        self.judge.kill.next = self.kill.val();
        self.judge.kill_index.next = self.kill_index.val();
        self.judge.kill_responses.next = self.kill_responses.val();
        self.judge.clear_dead.next = self.clear_dead.val();
        self.judge.clear_index.next = self.clear_index.val();

        // What is to be written goes to the bursts and to the rows.
        self.placing.next = self.judge.placing.data.val();
        self.judge.placing.ready.next =
            self.placings.sink.ready.val() & self.works.sink.ready.val() & self.judgements.sink.ready.val();
        self.forks.next = self.judge.placing.valid.val()
            & self.placings.sink.ready.val()
            & self.works.sink.ready.val()
            & self.judgements.sink.ready.val();
        self.placings.sink.data.next = self.placing.val();
        self.placings.sink.valid.next = self.forks.val();
        self.target.next = self.placing.val().address & self.lanes.val();
        self.works.sink.data.next.row = self.placing.val().row;
        self.works.sink.data.next.lane = self.placing.val().lane;
        self.works.sink.data.next.target = bit_cast::<6, 52>(self.target.val());
        self.works.sink.data.next.bytes = self.placing.val().bytes;
        self.works.sink.data.next.side = self.placing.val().side;
        self.works.sink.data.next.ends = self.placing.val().ends;
        self.works.sink.data.next.inline = self.judge.numeric.val();
        self.works.sink.data.next.value = self.judge.value.val();
        self.works.sink.valid.next = self.forks.val();
        self.judgements.sink.data.next = self.judge.verdict.val();
        self.judgements.sink.valid.next = self.forks.val() & self.placing.val().ends;
        ChannelSource::<Placing>::join(&mut self.placings.source, &mut self.bursts.placing);
        ChannelSource::<PlaceVerdict>::join(&mut self.judgements.source, &mut self.bursts.verdict);
        ChannelSource::<RowWork>::join(&mut self.works.source, &mut self.work.sink);
        ChannelSource::<RowWork>::join(&mut self.work.source, &mut self.rows.work);

        // Rows become beats.
        self.read_address.next = self.rows.read_address.val();
        self.released.next = self.rows.released.val();
        self.rows.crowded.next = self.shift.crowded.val();
        self.shift.slot.next = self.rows.slot.val();
        self.shift.value.next = self.rows.value.val();
        self.shift.read_data.next = self.read_data.val();
        ChannelSource::<Bits<DATA>>::link(&mut self.requests.beat, &mut self.shift.beats[0]);
        ChannelSource::<Bits<DATA>>::link(&mut self.responses.beat, &mut self.shift.beats[1]);
        ChannelSource::<Bits<DATA>>::link(&mut self.raw.beat, &mut self.shift.beats[2]);
        ChannelSource::<WriteCommand>::link(&mut self.requests.command, &mut self.commands[0].source);
        ChannelSource::<WriteCommand>::link(&mut self.responses.command, &mut self.commands[1].source);
        ChannelSource::<WriteCommand>::link(&mut self.raw.command, &mut self.commands[2].source);

        // What has its B.
        self.done.next = 0.into();
        self.faults.next = 0.into();
        if self.requests.done.val() {
            self.done.next = 1.into();
        }
        if self.requests.done.val() & self.requests.failed.val() {
            self.faults.next = 1.into();
        }
        if self.responses.done.val() {
            self.done.next = self.done.val() | 2;
        }
        if self.responses.done.val() & self.responses.failed.val() {
            self.faults.next = self.faults.val() | 2;
        }
        self.landed_failed.next = self.faults.val();
        self.landed.next = bit_cast::<2, 3>(self.done.val());
        if self.raw.done.val() {
            self.done.next = self.done.val() | 4;
        }
        for i in 0..3 {
            self.commands[i].clock.next = self.clock.val();
            self.commands[i].reset.next = self.reset.val();
            self.waiting[i].clock.next = self.clock.val();
            self.waiting[i].reset.next = self.reset.val();
            ChannelSource::<WriteCommand>::join(&mut self.bursts.commands[i], &mut self.commands[i].sink);
            ChannelSource::<BurstNote>::join(&mut self.bursts.notes[i], &mut self.waiting[i].sink);
            self.waiting[i].source.ready.next = self.done.val().get_bit(i);
        }
        // Raw frames hold nothing; they are told when all of a frame has landed.
        for i in 0..2 {
            self.note.next = self.waiting[i].source.data.val();
            self.ends.ends[i].next =
                self.done.val().get_bit(i) & self.waiting[i].source.valid.val() & self.note.val().held;
            self.ends.indices[i].next = self.note.val().index;
        }
        self.raw_note.next = self.waiting[2].source.data.val();
        self.raw_ends.next = self.raw.done.val() & self.waiting[2].source.valid.val() & self.raw_note.val().ends;
        self.raw_bad.next = self.raw_fault.q.val() | self.raw.failed.val();
        if self.raw.done.val() {
            self.raw_fault.d.next = self.raw_bad.val() & !self.raw_ends.val();
        }
        self.raw_landed.next = self.raw_ends.val();
        self.raw_failed.next = self.raw_bad.val();
        self.ends.ends[2].next = self.judge.dropped.val();
        self.ends.indices[2].next = self.judge.dropped_index.val();
        self.write_end.next = self.ends.ended.val();
        self.write_end_index.next = self.ends.ended_index.val();

        // Verdicts: their room was reserved.
        self.verdicts.write.next = self.bursts.judged.val();
        self.verdicts.data.next = self.bursts.judgement.val();
        self.verdict.data.next = self.verdicts.source.data.val();
        self.verdict.valid.next = self.verdicts.source.valid.val();
        self.verdicts.source.ready.next = self.verdict.ready.val();
        self.leaves.next = self.verdicts.source.valid.val() & self.verdict.ready.val();
        if self.takes.val() & !self.leaves.val() {
            self.jobs.d.next = self.jobs.q.val() + 1;
        }
        if self.leaves.val() & !self.takes.val() {
            self.jobs.d.next = self.jobs.q.val() - 1;
        }
        if self.reset.val() {
            self.raw_fault.d.next = false;
            self.jobs.d.next = 0.into();
        }
    }
}
