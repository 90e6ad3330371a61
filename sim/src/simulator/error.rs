//! Why a run cannot go on.
use crate::core::CoreError;
use crate::monitor::Violation;
use crate::wire::capture::CaptureError;
use crate::wire::SocketError;
use thiserror::Error;

/// Why a run cannot go on. Those of the device carry the state and the last transactions as text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SimError {
    /// The core could not be made.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// The capture cannot be written.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The socket cannot be used.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The device has broken a rule.
    #[error("{violation}\n{state}")]
    Violation {
        /// The rule and the transaction.
        violation: Violation,
        /// State and last transactions.
        state: String,
    },
    /// Something did not happen in time.
    #[error("{what}: not within {cycles} cycles\n{state}")]
    Limit {
        /// What was waited for.
        what: String,
        /// The limit.
        cycles: u64,
        /// State and last transactions.
        state: String,
    },
    /// The Verilog runtime has reported errors.
    #[error("the Verilog runtime has reported {count} errors")]
    Runtime {
        /// How many.
        count: u32,
    },
}
