//! Back end: the one in-order pipeline that judges and commits every operation, and the only writer of the MR table
//! (`interfaces.md` section 6).
//!
//! One operation or list beat a cycle; from walk to table write four cycles; two operations on one MR are three apart.
//! Commands of the admin unit enter between two steps and wait for no page list.
use super::commit::Commit;
use super::drain::Drain;
use super::forward::Forward;
use super::judge::Judge;
use super::layout::{MrEntry, Pending};
use super::qp_flags::QpFlags;
use super::table::MrTable;
use super::walk::Walk;
use crate::types::{QpControl, WorkOutcome};
use crate::widgets::{ChannelSink, ChannelSource, SlackFifo, Stage};
use rust_hdl::prelude::*;

/// DATA bus bits, LANES = DATA / 64, INL = min(DATA, 256); QPS = 2^QA queue pairs, 2^MA table rows, 2^RA page-bank rows.
#[derive(LogicBlock, Default)]
pub struct BackEnd<
    const DATA: usize,
    const LANES: usize,
    const INL: usize,
    const QA: usize,
    const QPS: usize,
    const MA: usize,
    const RA: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is inside.
    pub reset: Signal<In, Bit>,
    /// Tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Operations.
    pub pending: ChannelSink<Pending>,
    /// A list beat is there.
    pub beat_valid: Signal<In, Bit>,
    /// The oldest list beat.
    pub beat: Signal<In, Bits<DATA>>,
    /// Its read failed.
    pub beat_bad: Signal<In, Bit>,
    /// It is taken.
    pub beat_ready: Signal<Out, Bit>,
    /// Beats of inline lists.
    pub inline_beat: ChannelSink<Bits<INL>>,
    /// Commands.
    pub command: ChannelSink<Pending>,
    /// Orders of `qp`.
    pub control: Signal<In, QpControl>,
    /// Outcomes of work items.
    pub outcome: ChannelSource<WorkOutcome>,
    /// MR whose counts are wanted,
    pub counted: Signal<Out, Bits<MA>>,
    /// accesses granted, one cycle later,
    pub granted: Signal<In, Bits<12>>,
    /// read ends,
    pub read_ended: Signal<In, Bits<12>>,
    /// write ends.
    pub write_ended: Signal<In, Bits<12>>,
    /// MR that is about to be judged free,
    pub watched: Signal<Out, Bits<MA>>,
    /// and whether a lookup of it may be under way that the counts do not know.
    pub under_way: Signal<In, Bit>,
    /// DRAIN_MAX in cycles.
    pub drain_max: Signal<In, Bits<32>>,
    /// An invalidation waits longer than that.
    pub fatal: Signal<Out, Bit>,
    /// Table write: enable,
    pub write: Signal<Out, Bit>,
    /// index,
    pub index: Signal<Out, Bits<MA>>,
    /// row,
    pub row: Signal<Out, MrEntry>,
    /// generation.
    pub row_generation: Signal<Out, Bits<32>>,
    /// Page write: lanes,
    pub page_lanes: Signal<Out, Bits<LANES>>,
    /// row of the banks,
    pub page_row: Signal<Out, Bits<RA>>,
    /// entries.
    pub page_data: Signal<Out, Bits<DATA>>,
    /// An invalidation that a message asked for has ended,
    pub message_ended: Signal<Out, Bit>,
    /// with this syndrome, 0 for success.
    pub message_syndrome: Signal<Out, Bits<8>>,
    /// A command has ended; its row is `row`.
    pub admin_ended: Signal<Out, Bit>,
    /// It was refused.
    pub admin_refused: Signal<Out, Bit>,
    /// Its drain was given up.
    pub admin_timed_out: Signal<Out, Bit>,
    /// Accesses in flight of its row.
    pub admin_in_flight: Signal<Out, Bits<12>>,
    entrance: Stage<Pending>,
    walk: Walk<DATA, LANES, INL, MA>,
    judge: Judge<DATA, LANES, MA>,
    commit: Commit<DATA, LANES, MA, RA>,
    drain: Drain,
    rows: MrTable<MA>,
    forward: Forward<MA>,
    flags: QpFlags<QA, QPS>,
    outcomes: SlackFifo<WorkOutcome, 4, 8>,
    advance: Signal<Local, Bit>,
    stepping: Signal<Local, Pending>,
    present: Signal<Local, Pending>,
    ended: Signal<Local, WorkOutcome>,
}

impl<
        const DATA: usize,
        const LANES: usize,
        const INL: usize,
        const QA: usize,
        const QPS: usize,
        const MA: usize,
        const RA: usize,
    > Logic for BackEnd<DATA, LANES, INL, QA, QPS, MA, RA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, entrance, walk, judge, commit, drain, rows, forward, flags, outcomes);
        self.entrance.reset.next = self.reset.val();
        self.walk.reset.next = self.reset.val();
        self.judge.reset.next = self.reset.val();
        self.commit.reset.next = self.reset.val();
        self.drain.reset.next = self.reset.val();
        self.flags.reset.next = self.reset.val();
        self.outcomes.reset.next = self.reset.val();
        self.advance.next = !self.commit.frozen.val();

        ChannelSink::<Pending>::link(&mut self.pending, &mut self.entrance.sink);
        ChannelSink::<Pending>::link(&mut self.command, &mut self.walk.command);
        ChannelSource::<Pending>::join(&mut self.entrance.source, &mut self.walk.pending);
        ChannelSink::<Bits<INL>>::link(&mut self.inline_beat, &mut self.walk.inline_beat);
        self.walk.beat_valid.next = self.beat_valid.val();
        self.walk.beat.next = self.beat.val();
        self.walk.beat_bad.next = self.beat_bad.val();
        self.beat_ready.next = self.walk.beat_ready.val();
        self.walk.crowded.next = self.outcomes.crowded.val();
        self.walk.advance.next = self.advance.val();
        self.rows.read.next = self.advance.val();
        self.rows.read_index.next = self.walk.index.val();

        self.judge.advance.next = self.advance.val();
        self.stepping.next = self.walk.request.val();
        self.judge.request.next = self.stepping.val();
        self.judge.pages.next = self.walk.pages.val();
        self.judge.broken.next = self.walk.broken.val();
        self.judge.left.next = self.walk.left.val();
        self.judge.number.next = self.walk.number.val();
        self.judge.valid.next = self.walk.valid.val();
        self.judge.last.next = self.walk.last.val();
        self.forward.reset.next = self.reset.val();
        self.forward.index.next = bit_cast::<MA, 24>(self.stepping.val().index);
        self.forward.read_row.next = self.rows.entry.val();
        self.forward.read_generation.next = self.rows.generation.val();
        self.judge.entry.next = self.forward.seen_row.val();
        self.judge.generation.next = self.forward.seen_generation.val();
        self.judge.granted.next = self.granted.val();
        self.judge.read_ended.next = self.read_ended.val();
        self.judge.write_ended.next = self.write_ended.val();

        self.present.next = self.judge.judged.val();
        self.watched.next = bit_cast::<MA, 24>(self.present.val().index);
        self.flags.control.next = self.control.val();
        self.flags.index.next = self.present.val().qp;
        self.commit.clearing.next = self.clearing.val();
        self.commit.clear_index.next = self.clear_index.val();
        self.commit.request.next = self.present.val();
        self.commit.entry.next = self.judge.judged_entry.val();
        self.commit.generation.next = self.judge.judged_generation.val();
        self.commit.in_flight.next = self.judge.in_flight.val();
        self.commit.unsure.next = self.judge.stale.val() | self.under_way.val();
        self.commit.pages.next = self.judge.judged_pages.val();
        self.commit.number.next = self.judge.judged_number.val();
        self.commit.lanes.next = self.judge.lanes.val();
        self.commit.checks.next = self.judge.checks.val();
        self.commit.wrong_key.next = self.judge.wrong_key.val();
        self.commit.forbidden.next = self.judge.forbidden.val();
        self.commit.valid.next = self.judge.judged_valid.val();
        self.commit.last.next = self.judge.judged_last.val();
        self.commit.failed.next = self.flags.failed.val();
        self.commit.discarded.next = self.flags.discarded.val();

        self.commit.finish.next = self.drain.finish.val();
        self.commit.timed_out.next = self.drain.timed_out.val();
        self.drain.frozen.next = self.commit.frozen.val();
        self.drain.deregisters.next = self.commit.deregisters.val();
        self.drain.limit.next = self.drain_max.val();
        self.drain.granted.next = self.granted.val();
        self.drain.read_ended.next = self.read_ended.val();
        self.drain.write_ended.next = self.write_ended.val();
        self.fatal.next = self.drain.fatal.val();
        self.counted.next = self.walk.index.val();
        if self.drain.polling.val() {
            self.counted.next = self.commit.index.val();
        } else if self.drain.restore.val() {
            self.counted.next = bit_cast::<MA, 24>(self.stepping.val().index);
        }

        self.ended.next = self.commit.outcome.val();
        self.flags.fails.next = self.commit.fails.val();
        self.flags.failing.next = self.ended.val().qp;
        self.outcomes.write.next = self.commit.ended.val();
        self.outcomes.data.next = self.ended.val();
        ChannelSource::<WorkOutcome>::link(&mut self.outcome, &mut self.outcomes.source);
        self.rows.write.next = self.commit.write.val();
        self.rows.write_index.next = self.commit.index.val();
        self.rows.row.next = self.commit.row.val();
        self.rows.row_generation.next = self.commit.row_generation.val();
        self.forward.write.next = self.commit.write.val();
        self.forward.write_index.next = self.commit.index.val();
        self.forward.row.next = self.commit.row.val();
        self.forward.row_generation.next = self.commit.row_generation.val();
        self.write.next = self.commit.write.val();
        self.index.next = self.commit.index.val();
        self.row.next = self.commit.row.val();
        self.row_generation.next = self.commit.row_generation.val();
        self.page_lanes.next = self.commit.page_lanes.val();
        self.page_row.next = self.commit.page_row.val();
        self.page_data.next = self.commit.page_data.val();
        self.message_ended.next = self.commit.message_ended.val();
        self.message_syndrome.next = self.ended.val().syndrome;
        self.admin_ended.next = self.commit.admin_ended.val();
        self.admin_refused.next = self.commit.admin_refused.val();
        self.admin_timed_out.next = self.commit.admin_timed_out.val();
        self.admin_in_flight.next = self.commit.admin_in_flight.val();
    }
}
