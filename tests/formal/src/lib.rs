//! Proofs of the hardware, on the Verilog that rust-hdl gives: yosys, its SMT back end and a solver.
//!
//! A proof is a SystemVerilog file of this folder that instantiates one exported block at its smallest parameters and says
//! what must hold; its covers show that what it speaks about does happen. A mutant is the same Verilog with one deliberate
//! mistake that a proof must find. `docs/src/proofs.md` says in plain words what is proved and what is not.
#![deny(missing_docs)]

mod debug;
mod mutants;
mod proofs;
mod report;
mod runner;
mod text;
mod tools;

pub use report::{MutantReport, PropertyReport, Report};
pub use runner::{jobs, run};
pub use tools::ToolError;

use std::path::{Path, PathBuf};

/// Folder for all files of the proofs.
pub fn scratch() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
        .join("formal")
}
