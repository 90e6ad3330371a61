//! Subsystem `bar`.
use crate::check::BlockCheck;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![]
}
