//! The simulation of rnic: verilated cores on a wire, a host around each, and a monitor that watches every bus access.
//!
//! [`Simulator`] is one device, or several; [`platform::attach_nic`] makes each a platform of `rnic-driver`.
#![deny(missing_docs)]

pub mod bench;
pub mod board;
pub mod campaign;
pub mod core;
pub mod host;
pub mod log;
pub mod monitor;
pub mod platform;
mod random;
pub mod reference;
pub mod scenario;
pub mod simulator;
pub mod storage;
pub mod wire;

pub use campaign::campaign;
pub use campaign::fuzz::fuzz;
pub use campaign::traffic::traffic;
pub use core::Variant;
pub use random::Random;
pub use simulator::{Nic, Settings, SimError, Simulator};

/// The C++ runtime of the models; without a use of the crate it would not be linked.
pub use verilated;
