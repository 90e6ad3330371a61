//! Subsystem `wire`: Ethernet, IP, UDP and the transport headers; ICRC; frame buffers.
use crate::check::BlockCheck;

mod records;

pub use records::{PlaceJob, PlaceVerdict, RxFrame, Span, TxFrame, WirePath};

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![]
}
