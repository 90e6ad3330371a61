//! Retires the WQEs of the table of outstanding ones in posting order (RET; rules T48 to T50, T69 to T71, T73): walks upward
//! from the oldest one of a queue pair while it is done, and hands a completion each to [`super::Retire`].
//!
//! It looks at a queue pair when something has changed of it: acknowledgements, stored READs, outcomes of local operations,
//! lost frames, its state; and when frames come back while it holds the cursor, or data have landed. Seven cycles for the
//! first WQE, five for each further one.
use super::{
    Completion, LostFrame, Outstanding, RetireRow, RetireTables, RetireVerdict, RetireView, SendTail, WakeSet,
};
use crate::rx::AckState;
use crate::types::{QpControl, SqContext, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource, FlagVector, Memory};
use rust_hdl::prelude::*;

/// Steps of the walker.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum WalkerState {
    /// Take an outcome, a lost frame or a queue pair that was woken.
    Choose,
    /// Rows arrive.
    Read,
    /// The entry is read.
    Fetch,
    /// It arrives.
    Arrive,
    /// Distances.
    Compare,
    /// Flags.
    Judge,
    /// What becomes of it.
    Settle,
    /// The outcome or lost frame is noted.
    Note,
}

/// Walker of QPS = 2^QA queue pairs with 2^OA outstanding WQEs each, RA = QA + OA.
#[derive(LogicBlock)]
pub struct RetireWalk<const QA: usize, const QPS: usize, const OA: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is in hand.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Orders of `qp`; here `discard`, `clear` and `wake` count.
    pub control: Signal<In, QpControl>,
    /// A context is written.
    pub context_write: Signal<In, Bit>,
    /// Its queue pair.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, SqContext>,
    /// The engine of acknowledgements writes a state.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// A count of stored READs and atomics is written.
    pub done_write: Signal<In, Bit>,
    /// Its queue pair.
    pub done_index: Signal<In, Bits<8>>,
    /// The count.
    pub done_count: Signal<In, Bits<18>>,
    /// The cursor writes what it has sent.
    pub tail_write: Signal<In, Bit>,
    /// Its queue pair.
    pub tail_index: Signal<In, Bits<8>>,
    /// What it has sent.
    pub tail_row: Signal<In, SendTail>,
    /// Frames that have come back are counted.
    pub returned_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub returned_index: Signal<In, Bits<8>>,
    /// So many.
    pub returned_count: Signal<In, Bits<12>>,
    /// The cursor writes an entry.
    pub entry_write: Signal<In, Bit>,
    /// Its place.
    pub entry_index: Signal<In, Bits<RA>>,
    /// The entry.
    pub entry_data: Signal<In, Outstanding>,
    /// It has failed.
    pub entry_failed: Signal<In, Bit>,
    /// Queue pairs of which data of responses may still be written.
    pub landing_all: Signal<In, Bits<QPS>>,
    /// Data of responses have landed.
    pub landed: Signal<In, Bit>,
    /// Of this queue pair.
    pub landed_index: Signal<In, Bits<8>>,
    /// The cursor is at work
    pub cursor_busy: Signal<In, Bit>,
    /// on this queue pair,
    pub cursor_index: Signal<In, Bits<8>>,
    /// at packets that are sent again.
    pub cursor_resends: Signal<In, Bit>,
    /// Outcomes of local operations that have an entry.
    pub outcome: ChannelSink<WorkOutcome>,
    /// Frames that could not be gathered.
    pub lost: ChannelSink<LostFrame>,
    /// Completions in posting order of each queue pair.
    pub completion: ChannelSource<Completion>,
    /// How far a queue pair is, is written.
    pub row_write: Signal<Out, Bit>,
    /// This queue pair.
    pub row_index: Signal<Out, Bits<8>>,
    /// How far.
    pub row_data: Signal<Out, RetireRow>,
    /// A lost frame came to nothing (T49): frames behind it may leave again,
    pub voided: Signal<Out, Bit>,
    /// of this queue pair.
    pub voided_index: Signal<Out, Bits<8>>,
    /// Queue pairs whose cursor shall rest (T48).
    pub hold_all: Signal<Out, Bits<QPS>>,
    tables: RetireTables<QA>,
    wakes: WakeSet<QPS, QA, 7>,
    holds: FlagVector<QPS, QA>,
    clears: FlagVector<QPS, QA>,
    view: RetireView,
    verdict: RetireVerdict,
    entries: Memory<Outstanding, RA>,
    state: DFF<WalkerState>,
    qp: DFF<Bits<8>>,
    turn: DFF<Bit>,
    notes: DFF<Bit>,
    loses: DFF<Bit>,
    row: DFF<RetireRow>,
    entry: DFF<Outstanding>,
    ack: DFF<AckState>,
    rd_done: DFF<Bits<18>>,
    tail: DFF<SendTail>,
    returned: DFF<Bits<12>>,
    present: DFF<Bits<3>>,
    mask: DFF<Bits<16>>,
    came: DFF<WorkOutcome>,
    gone: DFF<LostFrame>,
    offered: DFF<Completion>,
    offers: DFF<Bit>,
    busy: DFF<Bit>,
    resends: DFF<Bit>,
    known: Signal<Local, AckState>,
    now: Signal<Local, RetireRow>,
    head: Signal<Local, Outstanding>,
    fresh: Signal<Local, WorkOutcome>,
    gap: Signal<Local, LostFrame>,
    after: Signal<Local, RetireRow>,
    noted: Signal<Local, RetireRow>,
    choosing: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    prefers: Signal<Local, Bit>,
    takes_wake: Signal<Local, Bit>,
    takes_outcome: Signal<Local, Bit>,
    takes_lost: Signal<Local, Bit>,
    look: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<QA>>,
    high: Signal<Local, Bits<RA>>,
    low: Signal<Local, Bits<OA>>,
    low_wide: Signal<Local, Bits<RA>>,
    size: Signal<Local, Bits<16>>,
    written: Signal<Local, Bits<RA>>,
    meets: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    busy_now: Signal<Local, Bit>,
    resends_now: Signal<Local, Bit>,
    voids_now: Signal<Local, Bit>,
    to_old: Signal<Local, Bits<24>>,
    keeps: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    cleared: Signal<Local, Bit>,
    returned_qp: Signal<Local, Bits<QA>>,
    shift: Constant<Bits<RA>>,
    one: Constant<Bits<16>>,
    zero_row: Constant<RetireRow>,
    zero_done: Constant<Completion>,
}

impl<const QA: usize, const QPS: usize, const OA: usize, const RA: usize> Default for RetireWalk<QA, QPS, OA, RA> {
    fn default() -> Self {
        assert!(RA == QA + OA && QPS == 1 << QA, "{QPS} queue pairs, {RA} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            control: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            context_row: Default::default(),
            state_write: Default::default(),
            state_index: Default::default(),
            state_row: Default::default(),
            done_write: Default::default(),
            done_index: Default::default(),
            done_count: Default::default(),
            tail_write: Default::default(),
            tail_index: Default::default(),
            tail_row: Default::default(),
            returned_write: Default::default(),
            returned_index: Default::default(),
            returned_count: Default::default(),
            entry_write: Default::default(),
            entry_index: Default::default(),
            entry_data: Default::default(),
            entry_failed: Default::default(),
            landing_all: Default::default(),
            landed: Default::default(),
            landed_index: Default::default(),
            cursor_busy: Default::default(),
            cursor_index: Default::default(),
            cursor_resends: Default::default(),
            outcome: Default::default(),
            lost: Default::default(),
            completion: Default::default(),
            row_write: Default::default(),
            row_index: Default::default(),
            row_data: Default::default(),
            voided: Default::default(),
            voided_index: Default::default(),
            hold_all: Default::default(),
            tables: Default::default(),
            wakes: Default::default(),
            holds: Default::default(),
            clears: Default::default(),
            view: Default::default(),
            verdict: Default::default(),
            entries: Default::default(),
            state: Default::default(),
            qp: Default::default(),
            turn: Default::default(),
            notes: Default::default(),
            loses: Default::default(),
            row: Default::default(),
            entry: Default::default(),
            ack: Default::default(),
            rd_done: Default::default(),
            tail: Default::default(),
            returned: Default::default(),
            present: Default::default(),
            mask: Default::default(),
            came: Default::default(),
            gone: Default::default(),
            offered: Default::default(),
            offers: Default::default(),
            busy: Default::default(),
            resends: Default::default(),
            known: Default::default(),
            now: Default::default(),
            head: Default::default(),
            fresh: Default::default(),
            gap: Default::default(),
            after: Default::default(),
            noted: Default::default(),
            choosing: Default::default(),
            leaves: Default::default(),
            prefers: Default::default(),
            takes_wake: Default::default(),
            takes_outcome: Default::default(),
            takes_lost: Default::default(),
            look: Default::default(),
            place: Default::default(),
            high: Default::default(),
            low: Default::default(),
            low_wide: Default::default(),
            size: Default::default(),
            written: Default::default(),
            meets: Default::default(),
            looks: Default::default(),
            busy_now: Default::default(),
            resends_now: Default::default(),
            voids_now: Default::default(),
            to_old: Default::default(),
            keeps: Default::default(),
            held: Default::default(),
            cleared: Default::default(),
            returned_qp: Default::default(),
            shift: Constant::new(OA.to_bits()),
            one: Constant::new(1u64.to_bits()),
            zero_row: Constant::new(Default::default()),
            zero_done: Constant::new(Default::default()),
        }
    }
}

impl<const QA: usize, const QPS: usize, const OA: usize, const RA: usize> Logic for RetireWalk<QA, QPS, OA, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, qp, turn, notes, loses, row, entry, ack, rd_done, tail, returned, present, mask);
        dff_setup!(self, clock, came, gone, offered, offers, busy, resends);
        clock!(self, clock, tables, wakes, holds, clears, view, entries);
        self.wakes.reset.next = self.reset.val();
        self.holds.reset.next = self.reset.val();
        self.clears.reset.next = self.reset.val();
        self.tables.clearing.next = self.clearing.val();
        self.tables.clear_index.next = self.clear_index.val();
        self.tables.context_write.next = self.context_write.val();
        self.tables.context_index.next = self.context_index.val();
        self.tables.context_row.next = self.context_row.val();
        self.tables.state_write.next = self.state_write.val();
        self.tables.state_index.next = self.state_index.val();
        self.tables.state_row.next = self.state_row.val();
        self.tables.done_write.next = self.done_write.val();
        self.tables.done_index.next = self.done_index.val();
        self.tables.done_count.next = self.done_count.val();
        self.tables.tail_write.next = self.tail_write.val();
        self.tables.tail_index.next = self.tail_index.val();
        self.tables.tail_row.next = self.tail_row.val();
        self.tables.returned_write.next = self.returned_write.val();
        self.tables.returned_index.next = self.returned_index.val();
        self.tables.returned_count.next = self.returned_count.val();
        self.entries.write.next = self.entry_write.val();
        self.entries.write_address.next = self.entry_index.val();
        self.entries.data.next = self.entry_data.val();

        // Who is looked at.
        self.wakes.wake[0].next = self.state_write.val();
        self.wakes.index[0].next = self.state_index.val();
        self.wakes.wake[1].next = self.done_write.val();
        self.wakes.index[1].next = self.done_index.val();
        self.returned_qp.next = bit_cast::<QA, 8>(self.returned_index.val());
        self.wakes.wake[2].next =
            self.returned_write.val() & self.holds.all.val().get_bit(self.returned_qp.val().index());
        self.wakes.index[2].next = self.returned_index.val();
        self.wakes.wake[3].next = self.control.val().wake | self.control.val().discard | self.control.val().clear;
        self.wakes.index[3].next = self.control.val().index;
        self.written.next = self.entry_index.val() >> self.shift.val();
        self.wakes.wake[4].next = self.entry_write.val() & self.entry_failed.val();
        self.wakes.index[4].next = bit_cast::<8, RA>(self.written.val());
        self.wakes.wake[5].next = false;
        self.wakes.index[5].next = self.qp.q.val();
        self.wakes.wake[6].next = self.landed.val();
        self.wakes.index[6].next = self.landed_index.val();
        self.clears.set_flag.next = self.control.val().clear;
        self.clears.set_index.next = bit_cast::<QA, 8>(self.control.val().index);

        // Choose.
        self.choosing.next = self.state.q.val() == WalkerState::Choose;
        self.prefers.next = self.turn.q.val() | (!self.outcome.valid.val() & !self.lost.valid.val());
        self.takes_wake.next = self.choosing.val() & self.wakes.source.valid.val() & self.prefers.val();
        self.takes_outcome.next = self.choosing.val() & self.outcome.valid.val() & !self.takes_wake.val();
        self.takes_lost.next =
            self.choosing.val() & self.lost.valid.val() & !self.outcome.valid.val() & !self.takes_wake.val();
        self.wakes.source.ready.next = self.takes_wake.val();
        self.outcome.ready.next = self.takes_outcome.val();
        self.lost.ready.next = self.takes_lost.val();
        self.fresh.next = self.outcome.data.val();
        self.gap.next = self.lost.data.val();
        self.look.next = self.qp.q.val();
        if self.choosing.val() {
            self.look.next = self.gap.val().qp;
            if self.outcome.valid.val() {
                self.look.next = self.fresh.val().qp;
            }
            if self.takes_wake.val() {
                self.look.next = self.wakes.source.data.val();
            }
            self.qp.d.next = self.look.val();
            self.came.d.next = self.fresh.val();
            self.gone.d.next = self.gap.val();
            self.notes.d.next = !self.takes_wake.val();
            self.loses.d.next = self.takes_lost.val();
        }
        self.tables.index.next = self.look.val();
        self.place.next = bit_cast::<QA, 8>(self.qp.q.val());
        self.holds.index.next = self.place.val();
        self.clears.index.next = self.place.val();
        self.held.next = self.holds.flag.val();
        self.cleared.next = self.clears.flag.val();

        // Read.
        self.ack.d.next = self.tables.ack.val();
        self.rd_done.d.next = self.tables.rd_done.val();
        self.tail.d.next = self.tables.tail.val();
        self.returned.d.next = self.tables.returned.val();
        self.present.d.next = self.tables.state.val();
        self.size.next = self.one.val() << self.tables.log2.val();
        self.mask.d.next = self.size.val() - 1;
        self.now.next = self.row.q.val();
        self.known.next = self.ack.q.val();
        self.head.next = self.entry.q.val();
        self.high.next = bit_cast::<RA, 8>(self.qp.q.val());
        self.low.next = bit_cast::<OA, 16>(self.now.val().rseq);
        self.low_wide.next = bit_cast::<RA, OA>(self.low.val());
        self.entries.read.next = true;
        self.entries.read_address.next = (self.high.val() << self.shift.val()) | self.low_wide.val();
        self.entry.d.next = self.entries.out.val();

        // Compare, judge, settle.
        self.view.row.next = self.now.val();
        self.view.entry.next = self.head.val();
        self.view.ack.next = self.known.val();
        self.view.rd_done.next = self.rd_done.q.val();
        self.view.tail.next = self.tail.q.val();
        self.view.returned.next = self.returned.q.val();
        self.view.state.next = self.present.q.val();
        self.verdict.flags.next = self.view.flags.val();
        self.verdict.row.next = self.now.val();
        self.verdict.entry.next = self.head.val();
        self.verdict.ack.next = self.known.val();
        self.verdict.landing.next = self.landing_all.val().get_bit(self.place.val().index());
        // Since the cursor's counts were read it may have chosen a frame, which may wait long for room. The counts are those of
        // the cycle before Arrive.
        self.meets.next = self.cursor_busy.val() & (self.cursor_index.val() == self.qp.q.val());
        self.busy_now.next = self.busy.q.val() | self.meets.val();
        self.resends_now.next = self.resends.q.val() | (self.meets.val() & self.cursor_resends.val());
        self.looks.next = (self.state.q.val() == WalkerState::Fetch)
            | (self.state.q.val() == WalkerState::Arrive)
            | (self.state.q.val() == WalkerState::Compare)
            | (self.state.q.val() == WalkerState::Judge);
        self.busy.d.next = self.busy_now.val() & self.looks.val();
        self.resends.d.next = self.resends_now.val() & self.looks.val();
        self.verdict.busy.next = self.busy_now.val();
        self.verdict.resends.next = self.resends_now.val();
        self.verdict.held.next = self.held.val();
        self.after.next = self.verdict.after.val();
        self.leaves.next = (self.state.q.val() == WalkerState::Settle)
            & self.verdict.retires.val()
            & (!self.offers.q.val() | self.completion.ready.val());

        // What an outcome or a lost frame leaves in the row.
        self.to_old.next = self.gone.q.val().psn - self.now.val().lost_psn;
        self.keeps.next = self.now.val().lost & !self.to_old.val().get_bit(23);
        self.noted.next = self.now.val();
        if self.loses.q.val() {
            if !self.keeps.val() {
                self.noted.next.lost = true;
                self.noted.next.lost_psn = self.gone.q.val().psn;
                self.noted.next.lost_syndrome = self.gone.q.val().syndrome;
            }
        } else {
            self.noted.next.back = self.now.val().back + 1;
            self.noted.next.total = self.now.val().total + 1;
            if !self.now.val().bad {
                if self.came.q.val().status.any() | self.came.q.val().discard {
                    self.noted.next.bad = true;
                    self.noted.next.status = self.came.q.val().status;
                    self.noted.next.syndrome = self.came.q.val().syndrome;
                } else {
                    self.noted.next.good = self.now.val().good + 1;
                }
            }
        }

        self.voids_now.next = false;
        self.holds.set_flag.next = false;
        self.holds.set_index.next = self.place.val();
        self.holds.clear_flag.next = false;
        self.holds.clear_index.next = self.place.val();
        self.clears.clear_flag.next = false;
        self.clears.clear_index.next = self.place.val();
        self.row_write.next = false;
        self.row_index.next = self.qp.q.val();
        self.row_data.next = self.after.val();
        if self.verdict.retires.val() & !self.leaves.val() {
            self.row_data.next = self.now.val();
        }
        if self.completion.ready.val() {
            self.offers.d.next = false;
        }

        match self.state.q.val() {
            WalkerState::Choose => {
                if self.takes_wake.val() | self.takes_outcome.val() | self.takes_lost.val() {
                    self.state.d.next = WalkerState::Read;
                    self.turn.d.next = !self.takes_wake.val();
                }
            }
            WalkerState::Read => {
                self.row.d.next = self.tables.row.val();
                self.state.d.next = WalkerState::Fetch;
                if self.notes.q.val() {
                    self.state.d.next = WalkerState::Note;
                }
            }
            WalkerState::Fetch => {
                self.state.d.next = WalkerState::Arrive;
                if self.cleared.val() {
                    // Nothing of a queue pair that is cleared is in flight.
                    self.row_write.next = true;
                    self.row_data.next = self.zero_row.val();
                    self.row_data.next.rseq = self.now.val().rseq;
                    self.row_data.next.total = self.now.val().total;
                    self.clears.clear_flag.next = true;
                    self.holds.clear_flag.next = true;
                    self.state.d.next = WalkerState::Choose;
                }
            }
            WalkerState::Arrive => self.state.d.next = WalkerState::Compare,
            WalkerState::Compare => self.state.d.next = WalkerState::Judge,
            WalkerState::Judge => self.state.d.next = WalkerState::Settle,
            WalkerState::Settle => {
                // A completion that finds no room is judged again.
                self.holds.clear_flag.next = self.held.val() & !self.verdict.holds.val();
                self.holds.set_flag.next = self.verdict.holds.val();
                self.voids_now.next = self.verdict.voids.val() & (self.leaves.val() | !self.verdict.retires.val());
                self.row_write.next = self.leaves.val()
                    | self.voids_now.val()
                    | (self.held.val() & !self.verdict.holds.val() & !self.verdict.retires.val());
                // Frames may have come back before the hold was seen; nobody tells when the cursor has gone on; and the hold of
                // a frame that came to nothing outlasts the note of it, so that the cursor sees both.
                self.wakes.wake[5].next = (self.verdict.holds.val() & (!self.held.val() | self.busy_now.val()))
                    | self.voids_now.val()
                    | (self.verdict.retires.val() & !self.leaves.val());
                self.state.d.next = WalkerState::Choose;
                if self.leaves.val() {
                    self.row.d.next = self.after.val();
                    self.state.d.next = WalkerState::Fetch;
                    self.offered.d.next = self.zero_done.val();
                    self.offered.d.next.qp = self.qp.q.val();
                    self.offered.d.next.slot = self.head.val().slot & self.mask.q.val();
                    self.offered.d.next.opcode = self.head.val().opcode;
                    self.offered.d.next.status = self.verdict.status.val();
                    self.offered.d.next.syndrome = self.verdict.syndrome.val();
                    self.offered.d.next.signalled = self.head.val().signalled;
                    self.offered.d.next.discard = self.verdict.discard.val();
                    self.offered.d.next.double = self.head.val().double;
                    self.offered.d.next.byte_len = self.head.val().length;
                    self.offers.d.next = true;
                }
            }
            WalkerState::Note => {
                self.row_write.next = true;
                self.row_data.next = self.noted.val();
                self.wakes.wake[5].next = true;
                self.state.d.next = WalkerState::Choose;
            }
        }
        self.tables.row_write.next = self.row_write.val();
        self.tables.row_index.next = self.qp.q.val();
        self.tables.row_data.next = self.row_data.val();
        self.hold_all.next = self.holds.all.val();
        self.voided.next = self.voids_now.val();
        self.voided_index.next = self.qp.q.val();
        self.completion.data.next = self.offered.q.val();
        self.completion.valid.next = self.offers.q.val();
        if self.reset.val() {
            self.state.d.next = WalkerState::Choose;
            self.offers.d.next = false;
            self.turn.d.next = false;
        }
    }
}
