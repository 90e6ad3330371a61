//! Subsystem `sq`.
use crate::check::BlockCheck;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![]
}
