//! The core with its flat ports, and its export as Verilog.
use crate::check::BlockCheck;

mod core;
mod events;
mod export;
pub mod presets;

pub use core::Rnic;
pub use events::EventMerge;
pub use export::{export, export_files, ExportError, PRESETS};

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    vec![]
}
