//! What an entry of the table of outstanding WQEs is.

/// SEND or WRITE: done when acknowledged.
pub const SEND_WRITE: u64 = 0;
/// READ: done when all its data are in memory.
pub const READ: u64 = 1;
/// Atomic: likewise.
pub const ATOMIC: u64 = 2;
/// REG_MR or LOCAL_INV: done when its outcome has come.
pub const LOCAL: u64 = 3;
/// Failed before it has sent anything, or because it changed while posted.
pub const FAILED: u64 = 4;
