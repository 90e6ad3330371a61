//! What a run is made of.
use crate::core::Variant;
use crate::host::Timing;
use crate::wire::WireSettings;
use std::path::PathBuf;

/// Settings of a run. The same settings give the same run, cycle for cycle, unless there is a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which core.
    pub variant: Variant,
    /// Decides undefined registers and RAM at start, bus addresses, delays and back-pressure.
    pub seed: u64,
    /// How the host answers.
    pub timing: Timing,
    /// FST trace of all signals. With several NICs each has a file: `name.fst`, `name.b.fst`, ...
    pub trace: Option<PathBuf>,
    /// Transactions that the log keeps for a report.
    pub log_depth: usize,
    /// Names of the NICs, at least one.
    pub nics: Vec<String>,
    /// The wire between them.
    pub wire: WireSettings,
    /// Write all frames to this pcapng file.
    pub pcap: Option<PathBuf>,
    /// A unix datagram socket as one more end of the wire.
    pub socket: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            variant: Variant::Small,
            seed: 1,
            timing: Timing::CALM,
            trace: None,
            log_depth: 200,
            nics: vec!["nic".into()],
            wire: WireSettings::default(),
            pcap: None,
            socket: None,
        }
    }
}
