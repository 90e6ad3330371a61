//! What a run is made of.
use crate::core::Variant;
use crate::host::Timing;
use std::path::PathBuf;

/// Settings of a run. The same settings give the same run, cycle for cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which core.
    pub variant: Variant,
    /// Decides undefined registers and RAM at start, bus addresses, delays and back-pressure.
    pub seed: u64,
    /// How the host answers.
    pub timing: Timing,
    /// FST trace of all signals.
    pub trace: Option<PathBuf>,
    /// Transactions that the log keeps for a report.
    pub log_depth: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { variant: Variant::Small, seed: 1, timing: Timing::CALM, trace: None, log_depth: 200 }
    }
}
