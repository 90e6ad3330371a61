//! Subsystem `mr`: memory regions. The table, the page banks, the one in-order pipeline of REG_MR and LOCAL_INV, the lookup
//! and translation of keys, and the MR commands of the admin mailbox.
//!
//! ```text
//!  work items ─► intake ─► operations FIFO ─► walk ─► page checks ─► table checks ─► commit ─► outcomes
//!                  │                        ▲  │ hazard                                │  ▲ drain
//!                  ├─► inline beats FIFO ───┤  └─ reads table row and counts           │
//!                  └─► list fetch ─► DMA ───┘                                          ▼
//!                                  (beat FIFO)              table copies, page banks, generations
//!  admin commands ─► guest: enters beside the walk, waits for no list
//!  questions ─► lookup: table copy ─► access check ─► page entry ─► bus address ─► answers (14 cycles)
//!                  └─► grants ─► counts of accesses in flight ◄─ read ends, write ends
//! ```
use crate::check::BlockCheck;

mod admin;
mod admin_control;
mod admin_words;
mod back;
mod beat_fifo;
pub(crate) mod checks;
mod commit;
mod compose;
mod decode;
mod drain;
mod field_checks;
mod forward;
mod front;
mod guest;
mod hazard;
mod in_flight;
mod inline_beats;
mod intake;
mod judge;
pub mod layout;
mod likely;
mod list_fetch;
pub mod lookup;
mod message;
mod page_checks;
pub mod pieces;
mod qp_flags;
mod query_words;
mod regions;
mod sum_checks;
mod table;
mod table_checks;
mod verdict;
mod walk;
mod watch;

pub use admin::Admin;
pub use back::BackEnd;
pub use front::FrontEnd;
pub use lookup::Lookup;
pub use regions::{Limits, MemoryRegions};

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    checks::blocks()
}
