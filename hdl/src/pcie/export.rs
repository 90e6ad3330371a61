//! Export of the bridge alone, for judges outside Rust.
use super::Bridge;
use crate::check::verilog;

/// Stack that building a bridge is sure to fit in, bytes.
const STACK: usize = 64 << 20;

/// The Verilog of the bridge with top module `top`; `timeout` as in [`Bridge::new`].
///
/// # Errors
/// What the translator says when it refuses the design.
pub fn export(timeout: u64) -> Result<String, String> {
    let translate = move || verilog(&mut Bridge::new(timeout));
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(translate);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => Err("the translator panicked".into()),
        Err(error) => Err(format!("no thread to translate in: {error}")),
    }
}
