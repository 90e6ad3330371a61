//! The verilated core: one clocked object with flat ports, for every preset.
//!
//! The Verilog comes from `rnic-hdl` at build time (`build.rs`); the C++ runtime is crate `verilated`.
mod model;
mod ports;
mod variant;

pub use model::{Core, CoreError};
pub use ports::{Inputs, Outputs, DATA_WORDS};
pub use variant::Variant;
