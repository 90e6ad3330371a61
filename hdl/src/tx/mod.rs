//! Subsystem `tx`: gathers payload and answers the peer.
use crate::check::BlockCheck;

mod atomic;
mod atomic_operate;
mod atomic_results;
mod ledger;
mod respond;
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
mod responder;

pub use atomic::{AtomicState, AtomicUnit};
pub use atomic_operate::AtomicOperate;
pub use atomic_results::{AtomicResults, ResultPointer};
pub use ledger::WireLedger;
pub use respond::ResponseEngine;
pub use respond_flight::ResponseFlight;
pub use respond_judge::ResponseJudge;
pub use respond_records::{AtomicJob, AtomicResult, GatherFailure, RespondContext, ResponseEntry, ResponseProgress};
pub use respond_reply::ResponseReply;
pub use respond_ring::{PushState, ResponseRing};
pub use respond_step::ResponseStep;
pub use respond_turn::{ResponseState, ResponseTurn};
pub use responder::Responder;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    respond_blocks::list()
}
