//! Synthesis, place and route of the exported core, and what the tools report about it.
//!
//! The tools are pinned by `requirements.txt` beside this crate and live under the folder given to [`Tools::install`];
//! everything they make is kept there by a hash of what went in, so a second run reads the answers only.
use thiserror::Error;

mod area;
mod board;
mod cache;
mod fit;
mod path;
mod place;
mod tools;
mod vendor;
mod yosys;

pub use area::{Area, AreaRow, XilinxArea, XilinxRow, SUBSYSTEMS};
pub use board::{board, boards, Board, Device, Flaw, IoStandard, Pin, Pll, PllError, Taps};
pub use fit::{fit, Fit, FitOptions};
pub use path::Hop;
pub use place::{Part, Timing, PARTS};
pub use tools::Tools;
pub use vendor::{vendor_project, VendorProject, VENDOR_PROJECTS};

/// Why there are no figures.
#[derive(Debug, Error)]
pub enum SynthError {
    /// Python, pip, the network or a tool is not there.
    #[error("{0}")]
    Missing(String),
    /// There is no such preset, or it cannot be placed.
    #[error("{0}")]
    Input(String),
    /// A tool refuses the design, or says what nobody understands.
    #[error("{0}")]
    Failed(String),
}

/// A file that could not be read or written.
fn io(path: &std::path::Path) -> impl Fn(std::io::Error) -> SynthError + '_ {
    move |error| SynthError::Failed(format!("{}: {error}", path.display()))
}

/// What is told while a long step runs.
pub type Progress<'a> = &'a dyn Fn(&str);
