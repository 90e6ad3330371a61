//! Export of the bridge alone, for judges outside Rust.
use super::Bridge;
use crate::check::{on_a_large_stack, verilog};

/// The Verilog of the bridge with top module `top`; `timeout` as in [`Bridge::new`].
///
/// # Errors
/// What the translator says when it refuses the design.
pub fn export(timeout: u64) -> Result<String, String> {
    on_a_large_stack(move || verilog(&mut Bridge::new(timeout)))
}
