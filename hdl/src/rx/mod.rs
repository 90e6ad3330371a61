//! Subsystem `rx`: judges frames, places payload, commits in order, and takes acknowledgements.
//!
//! ```text
//!  frames ─► dispatch ─┬─► judge ───► jobs ─┬─► job merge ─► placer
//!                      │      └─► entries ──┼──► commit ◄─── verdicts
//!                      ├─► ACK engine ─ jobs┤      ├─► invalidation, CQE, response orders, failures
//!                      └─► raw rings ── jobs┘      └─► owed acknowledgements
//! ```
use crate::check::BlockCheck;

mod ack;
mod ack_apply;
#[cfg(test)]
mod ack_bench;
pub(crate) mod ack_blocks;
mod ack_decide;
mod ack_intake;
mod ack_job;
mod ack_judge;
mod ack_place;
#[cfg(test)]
mod ack_random;
#[cfg(test)]
mod ack_read_tests;
mod ack_records;
mod ack_tables;
#[cfg(test)]
mod ack_tests;
mod answer_kind;
#[cfg(test)]
mod bench;
mod commit;
mod commit_outcome;
mod dead_flags;
mod dispatch;
pub mod dispatch_check;
mod drain;
mod failure_hold;
mod invalidate_share;
mod job_merge;
mod judge;
mod judge_entry;
mod judge_facts;
mod judge_job;
mod judge_progress;
mod judge_ruling;
mod landing;
mod opcode;
mod owed;
mod place;
mod place_blocks;
mod place_burst;
mod place_judge;
#[cfg(test)]
mod place_raw_tests;
mod place_records;
mod place_rows;
mod place_shift;
#[cfg(test)]
mod place_tests;
#[cfg(test)]
mod random_tests;
mod reads;
mod reads_done;
mod records;
mod responder;
mod responder_blocks;
mod response_jobs;
mod response_judge;
mod tally;
#[cfg(test)]
mod tests;

pub use ack::AckEngine;
pub use ack_records::{
    AckOrder, AckState, AckStep, AckTask, AnswerKind, AnswerPlace, OpenRead, ReadSink, ReadTag, RequesterContext,
    SendPublic, SinkFailure, TimerEvent,
};
pub use commit::{Commit, CommitState};
pub use commit_outcome::CommitOutcome;
pub use dead_flags::DeadFlags;
pub use dispatch::Dispatch;
pub use dispatch_check::DispatchCheck;
pub use drain::DrainMark;
pub use failure_hold::FailureHold;
pub use invalidate_share::InvalidateShare;
pub use job_merge::JobMerge;
pub use judge::Judge;
pub use judge_entry::JudgeEntry;
pub use judge_facts::JudgeFacts;
pub use judge_job::JudgeJob;
pub use judge_progress::JudgeProgress;
pub use judge_ruling::JudgeRuling;
pub use landing::Landing;
pub use opcode::OpcodeKind;
pub use owed::{Owed, OwedRow};
pub use place::{PlaceSink, PlaceSource, Placer};
pub use place_burst::PlaceBurst;
pub use place_judge::PlaceJudge;
pub use place_records::{BurstNote, Placing, RowWork, Slot, SIDES};
pub use place_rows::PlaceRows;
pub use place_shift::PlaceShift;
pub use records::*;
pub use responder::Responder;
pub use response_jobs::ResponseJobs;
pub use tally::Tally;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    [responder_blocks::blocks(), place_blocks::list(), ack_blocks::blocks()].into_iter().flatten().collect()
}
