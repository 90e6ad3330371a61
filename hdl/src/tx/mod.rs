//! Subsystem `tx`: gathers payload and answers the peer.
use crate::check::BlockCheck;

mod atomic;
mod atomic_operate;
mod atomic_results;
mod gather;
mod gather_begun;
mod gather_blocks;
mod gather_issue;
mod gather_return;
mod gather_room;
mod gather_share;
mod gather_stops;
mod gather_stream;
#[cfg(test)]
mod gather_tests;
mod ledger;
mod records;
mod respond;
#[cfg(test)]
mod respond_bench;
mod respond_blocks;
mod respond_flight;
mod respond_judge;
mod respond_records;
mod respond_reply;
mod respond_ring;
mod respond_step;
#[cfg(test)]
mod respond_tests;
mod respond_turn;
mod response_unit;

pub use atomic::{AtomicState, AtomicUnit};
pub use atomic_operate::AtomicOperate;
pub use atomic_results::{AtomicResults, ResultPointer};
pub use gather::{Gather, GatherSink, GatherSource};
pub use gather_begun::GatherBegun;
pub use gather_issue::GatherIssue;
pub use gather_return::GatherReturn;
pub use gather_room::GatherRoom;
pub use gather_share::GatherShare;
pub use gather_stops::GatherStops;
pub use gather_stream::GatherStream;
pub use ledger::WireLedger;
pub use records::{FrameNote, GatherFailure, GenerationNote, ReadPiece, StreamPiece};
pub use respond::ResponseEngine;
pub use respond_flight::ResponseFlight;
pub use respond_judge::ResponseJudge;
pub use respond_records::{AtomicJob, AtomicResult, RespondContext, ResponseEntry, ResponseProgress};
pub use respond_reply::ResponseReply;
pub use respond_ring::{PushState, ResponseRing};
pub use respond_step::ResponseStep;
pub use respond_turn::{ResponseState, ResponseTurn};
pub use response_unit::ResponseUnit;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    [respond_blocks::list(), gather_blocks::list()].into_iter().flatten().collect()
}
