//! Subsystem `rx`: judges frames, places payload, commits in order, and takes acknowledgements.
use crate::check::BlockCheck;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![]
}
