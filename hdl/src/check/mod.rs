//! What every block must pass before its Verilog counts: `check_all`, the kernel lint, yosys, random co-simulation of the
//! Rust model against the exported Verilog in Icarus, and Verilator's lint.
//!
//! The translator prints Rust expressions as Verilog text without regard to precedence or width, so that a kernel can mean
//! one thing in Rust and another in Verilog, with no message from anything. Lint and co-simulation together find that.
use rust_hdl::prelude::*;
use std::path::{Path, PathBuf};

mod cosim;
mod lint;
mod names;
mod random;
mod tools;

pub use lint::kernel_lint;
pub use names::name_findings;
pub use random::RandomDrive;
pub use tools::{verilator_lint, VERILATOR_LINT};

/// What one check found: a short remark, or why it failed.
pub type Outcome = Result<String, String>;

/// Results of all checks of one block.
#[derive(Debug, Clone)]
pub struct BlockReport {
    /// The block, `subsystem/file`.
    pub name: String,
    /// Name of the check and what it found, in the order of running.
    pub outcomes: Vec<(&'static str, Outcome)>,
}

impl BlockReport {
    /// Whether every check passed.
    pub fn passed(&self) -> bool {
        self.outcomes.iter().all(|(_, outcome)| outcome.is_ok())
    }
}

/// Names of the checks, in the order of [`BlockReport::outcomes`].
pub const CHECKS: [&str; 6] = ["check_all", "names", "lint", "yosys", "cosim", "verilator"];

/// Stack that building a core of any preset is sure to fit in, bytes.
const CORE_STACK: usize = 256 << 20;
/// Bytes of stack for the checks of a block.
const BLOCK_STACK: usize = 64 << 20;

type Run = dyn Fn(&str, usize, &Path) -> BlockReport + Send + Sync;
type Translate = dyn Fn() -> Result<String, String> + Send + Sync;

/// A block at one set of parameters, ready to be checked.
pub struct BlockCheck {
    /// `subsystem/file`, with a suffix where a block is checked at several sizes.
    pub name: &'static str,
    /// Random vectors of the co-simulation.
    pub vectors: usize,
    /// Rust type of the block, for the test that no block is missing from the list.
    pub kind: &'static str,
    run: Box<Run>,
    translate: Box<Translate>,
}

impl BlockCheck {
    /// `clock` finds the clock (`None` for a combinational block), `drive` gives random values to all other inputs.
    pub fn new<U: Block + 'static>(
        name: &'static str,
        build: impl Fn() -> U + Clone + Send + Sync + 'static,
        clock: impl Fn(&mut U) -> Option<&mut Signal<In, Clock>> + Send + Sync + 'static,
        drive: impl Fn(&mut U, &mut RandomDrive) + Send + Sync + 'static,
    ) -> Self {
        let again = build.clone();
        let translate = move || verilog(&mut again());
        let run = move |name: &str, vectors: usize, directory: &Path| {
            let mut uut = build();
            run_checks(name, &mut uut, &clock, &drive, vectors, directory)
        };
        let kind = std::any::type_name::<U>();
        Self { name, vectors: 300, kind, run: Box::new(run), translate: Box::new(translate) }
    }

    /// Sets the number of random vectors: fewer for wide instances and whole subsystems.
    pub fn vectors(self, vectors: usize) -> Self {
        Self { vectors, ..self }
    }

    /// The Verilog of the block, top module `top`.
    ///
    /// # Errors
    /// As [`verilog`].
    pub fn verilog(&self) -> Result<String, String> {
        (self.translate)()
    }

    /// Runs all checks; files go to a folder of the block's name under `directory`.
    pub fn run(&self, directory: &Path) -> BlockReport {
        let directory = directory.join(self.name.replace('/', "_"));
        // A wide block is one large value, built on the stack: more than a test's thread has.
        std::thread::scope(|scope| {
            let work = || (self.run)(self.name, self.vectors, &directory);
            let worker = std::thread::Builder::new().stack_size(BLOCK_STACK).spawn_scoped(scope, work);
            worker.expect("a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Runs `translate` where a large block fits: blocks are built on the stack, and a core wants more than a test's thread has.
///
/// # Errors
/// Those of `translate`, or that it panicked.
pub fn on_a_large_stack(translate: impl FnOnce() -> Result<String, String> + Send + 'static) -> Result<String, String> {
    let worker = std::thread::Builder::new().stack_size(CORE_STACK).spawn(translate);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => Err("the translator panicked".into()),
        Err(error) => Err(format!("no thread to translate in: {error}")),
    }
}

/// Marks the sources of all signals, which rust-hdl wants before anything else, and returns the Verilog.
///
/// # Errors
/// What `check_all` finds: open signals, loops, writes to inputs.
pub fn verilog<U: Block>(uut: &mut U) -> Result<String, String> {
    uut.connect_all();
    check_all(uut).map_err(|error| format!("{error:?}"))?;
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| generate_verilog_unchecked(uut)))
        .map_err(|_| "the Verilog generator panicked".into())
}

fn run_checks<U: Block>(
    name: &str,
    uut: &mut U,
    clock: &dyn Fn(&mut U) -> Option<&mut Signal<In, Clock>>,
    drive: &dyn Fn(&mut U, &mut RandomDrive),
    vectors: usize,
    directory: &Path,
) -> BlockReport {
    let mut outcomes: Vec<(&'static str, Outcome)> = vec![];
    let text = match verilog(uut) {
        Ok(text) => text,
        Err(error) => {
            outcomes.push(("check_all", Err(error)));
            return BlockReport { name: name.into(), outcomes };
        }
    };
    outcomes.push(("check_all", Ok("ok".into())));
    outcomes.push(("names", no_findings(name_findings(uut))));
    outcomes.push(("lint", no_findings(kernel_lint(uut))));
    let prepared = std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(directory.join("top.v"), &text))
        .map_err(|error| format!("{}: {error}", directory.display()));
    if let Err(error) = prepared {
        outcomes.push(("yosys", Err(error)));
        return BlockReport { name: name.into(), outcomes };
    }
    outcomes.push(("yosys", tools::yosys(directory)));
    outcomes.push(("cosim", cosim::cosim(uut, &text, clock, drive, vectors, directory)));
    outcomes.push(("verilator", tools::verilator_lint(directory, "top")));
    BlockReport { name: name.into(), outcomes }
}

fn no_findings(findings: Vec<String>) -> Outcome {
    match findings.len() {
        0 => Ok("ok".into()),
        n => Err(format!("{n} findings\n{}", findings.iter().take(12).cloned().collect::<Vec<_>>().join("\n"))),
    }
}

/// Steps a design by one clock period without threads: falling edge, rising edge.
///
/// # Panics
/// On a combinational loop.
pub fn tick<U: Block>(uut: &mut U, clock: impl Fn(&mut U) -> &mut Signal<In, Clock>) {
    for level in [false, true] {
        clock(uut).next = Clock { clk: level };
        assert!(simulate(uut, 1000), "combinational loop");
    }
}

/// Folder for the files of tests of this crate.
pub fn scratch(name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    target.join("check").join(name)
}
