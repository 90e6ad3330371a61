//! Subsystem `tx`: gathers payload and answers the peer.
use crate::check::BlockCheck;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![]
}
