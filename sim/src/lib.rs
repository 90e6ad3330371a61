//! The simulation of rnic: the verilated core, a host model around it, and a monitor that watches every bus access.
#![deny(missing_docs)]

pub mod core;
pub mod reference;

/// The C++ runtime of the models; without a use of the crate it would not be linked.
pub use verilated;
