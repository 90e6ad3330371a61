//! Subsystem `wire`: Ethernet, IP, UDP and the transport headers; ICRC; frame buffers.
use crate::check::BlockCheck;

mod blocks;
pub mod icrc;
mod records;
mod xor_matrix;

pub use icrc::{Icrc, Retreat};
pub use records::{PlaceJob, PlaceVerdict, RxFrame, Span, TxFrame, WirePath};
pub use xor_matrix::XorMatrix;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
