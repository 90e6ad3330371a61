//! The TLP bridge before two judges that share no line with it: cocotbext-pcie's root complex, and a builder and
//! checker of TLPs (`tlp.py`) that was written from section 1.1 of the host-link specification alone.
//!
//! The Python modules of this folder run under cocotb, the bridge's exported Verilog under Icarus. cocotb and the rest
//! are pinned in `requirements.txt` and live in an environment of their own under `target/cocotb`.
#![deny(missing_docs)]

mod mutants;
mod text;
mod tools;

pub use mutants::{Mutant, MUTANTS};
pub use text::{clock_nets, mutate};
pub use tools::Tools;

use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there is no verdict.
#[derive(Debug, Error)]
pub enum JudgeError {
    /// Python, the network or a tool is missing.
    #[error("{0}")]
    Missing(String),
    /// The Verilog is not as expected.
    #[error("{0}")]
    Text(String),
    /// The run broke off before its report.
    #[error("{0}")]
    Run(String),
}

/// A Python test module.
#[derive(Debug, Clone, Copy)]
pub struct Judge {
    /// Its name.
    pub module: &'static str,
    /// Cycles after which reads fail (RD7).
    pub timeout: u64,
    /// Seconds that it may take, on a busy machine.
    pub limit: u32,
}

const fn judge(module: &'static str, timeout: u64) -> Judge {
    Judge { module, timeout, limit: 300 }
}

/// A timeout that tests can wait for.
const SHORT: u64 = 1600;
/// One that no slow host reaches: it runs while a read waits for credit, too.
const LONG: u64 = 100_000;

/// All judges.
pub const JUDGES: [Judge; 6] = [
    judge("test_vectors", SHORT),
    judge("test_completions", SHORT),
    judge("test_malformed", SHORT),
    judge("test_order", LONG),
    judge("test_random", LONG),
    judge("test_root_complex", LONG),
];

impl Judge {
    /// The judge of this name.
    ///
    /// # Panics
    /// When there is none.
    pub fn named(module: &str) -> &'static Self {
        JUDGES.iter().find(|judge| judge.module == module).unwrap_or_else(|| panic!("no judge {module}"))
    }

    /// The Verilog that it judges.
    ///
    /// # Errors
    /// When the bridge does not translate.
    pub fn verilog(&self) -> Result<String, JudgeError> {
        rnic_hdl::pcie::export(self.timeout).map_err(JudgeError::Text)
    }
}

/// How to run a judge.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Seed of everything random.
    pub seed: u64,
    /// Rounds of the random traffic, if not the usual number.
    pub rounds: Option<u32>,
    /// Only tests with this in their names.
    pub filter: Option<&'a str>,
}

/// Verdict on one test.
#[derive(Debug, Clone, Deserialize)]
pub struct Verdict {
    /// Name of the Python function.
    pub name: String,
    /// Why it failed, in Python's words.
    pub failure: Option<String>,
}

/// Folder for all files of the judges.
pub fn scratch() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
        .join("cocotb")
}

/// Lets a judge see a bridge; `name` is the run's own folder.
///
/// # Errors
/// When the run ends without a report, in time, that names a test.
pub fn run(
    tools: &Tools,
    judge: &Judge,
    verilog: &str,
    name: &str,
    options: Options<'_>,
) -> Result<Vec<Verdict>, JudgeError> {
    let folder = tools.folder().join(name);
    let failed = |error: std::io::Error| JudgeError::Run(format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(failed)?;
    let source = folder.join("bridge.v");
    fs::write(&source, verilog).map_err(failed)?;
    tools.judge(judge, &source, &folder, options)?;
    let report = fs::read_to_string(folder.join("report.json")).map_err(failed)?;
    let verdicts: Vec<Verdict> =
        serde_json::from_str(&report).map_err(|error| JudgeError::Run(format!("{}: {error}", judge.module)))?;
    if verdicts.is_empty() {
        return Err(JudgeError::Run(format!("{}: no test has run", judge.module)));
    }
    Ok(verdicts)
}
