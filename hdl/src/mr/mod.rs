//! Subsystem `mr`: memory regions. The table, the page banks, the one in-order pipeline of REG_MR and LOCAL_INV, the lookup
//! and translation of keys, and the MR commands of the admin mailbox.
use crate::check::BlockCheck;

mod back;
mod beat_fifo;
mod checks;
mod commit;
mod compose;
mod counter;
mod decode;
mod drain;
mod field_checks;
mod front;
mod hazard;
mod in_flight;
mod inline_beats;
mod intake;
mod judge;
pub mod layout;
mod likely;
mod list_fetch;
mod page_checks;
mod qp_flags;
mod sum_checks;
mod table;
mod table_checks;
mod verdict;
mod walk;
mod watch;

pub use back::BackEnd;
pub use front::FrontEnd;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    checks::blocks()
}
