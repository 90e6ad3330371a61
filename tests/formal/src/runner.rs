//! Runs proofs and mutants, two at a time.
use crate::debug::expose;
use crate::mutants::{Mutant, MUTANTS};
use crate::proofs::{Method, Proof, PROOFS};
use crate::report::{MutantReport, PropertyReport, Report};
use crate::text::{free_start, substitute};
use crate::tools::{ToolError, Tools};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

/// Seconds for one call of a tool.
const LIMIT: u32 = 900;
/// Proofs at a time.
const WORKERS: usize = 2;
/// Stack of a worker: blocks are large values.
const STACK: usize = 256 << 20;

/// A proof or a mutant.
#[derive(Clone, Copy)]
enum Job {
    Proof(&'static Proof),
    Mutant(&'static Mutant),
}

impl Job {
    fn name(&self) -> &'static str {
        match self {
            Job::Proof(proof) => proof.name,
            Job::Mutant(mutant) => mutant.name,
        }
    }
}

fn selected(filter: &str) -> VecDeque<Job> {
    let proofs = PROOFS.iter().map(Job::Proof);
    proofs.chain(MUTANTS.iter().map(Job::Mutant)).filter(|job| job.name().contains(filter)).collect()
}

/// Number of proofs and mutants whose name holds `filter`.
pub fn jobs(filter: &str) -> usize {
    selected(filter).len()
}

/// Runs all proofs and mutants whose name holds `filter`; tells `progress` the name of each one that ends.
///
/// # Errors
/// A missing tool.
pub fn run(filter: &str, progress: &(dyn Fn(&str) + Sync)) -> Result<Report, ToolError> {
    let directory = crate::scratch();
    std::fs::create_dir_all(&directory).map_err(|error| ToolError(format!("{}: {error}", directory.display())))?;
    let tools = Tools::find(&directory)?;
    let bench = Bench { tools, directory, designs: Mutex::default() };
    let queue = Mutex::new(selected(filter));
    let (properties, mutants) = (Mutex::new(vec![]), Mutex::new(vec![]));
    let work = || loop {
        let Some(job) = queue.lock().expect("no worker panics").pop_front() else { break };
        match job {
            Job::Proof(proof) => properties.lock().expect("no worker panics").push(bench.prove(proof)),
            Job::Mutant(mutant) => mutants.lock().expect("no worker panics").push(bench.hunt(mutant)),
        }
        progress(job.name());
    };
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
        }
    });
    let mut properties: Vec<PropertyReport> = properties.into_inner().expect("no worker panics");
    let mut mutants: Vec<MutantReport> = mutants.into_inner().expect("no worker panics");
    properties.sort_by_key(|found| PROOFS.iter().position(|proof| proof.name == found.name));
    mutants.sort_by_key(|found| MUTANTS.iter().position(|mutant| mutant.name == found.name));
    let proved = properties.iter().all(|property| property.passed && property.cover);
    let passed = proved && mutants.iter().all(|mutant| mutant.caught) && properties.len() + mutants.len() > 0;
    Ok(Report { passed, properties, mutants })
}

/// Where proofs are run.
struct Bench {
    tools: Tools,
    directory: PathBuf,
    designs: Mutex<HashMap<&'static str, String>>,
}

impl Bench {
    /// The exported Verilog of a block.
    fn design(&self, name: &'static str) -> Result<String, String> {
        if let Some(text) = self.designs.lock().expect("no worker panics").get(name) {
            return Ok(text.clone());
        }
        let blocks = rnic_hdl::blocks();
        let block = blocks.iter().find(|block| block.name == name).ok_or(format!("there is no block `{name}`"))?;
        let text = block.verilog()?;
        self.designs.lock().expect("no worker panics").insert(name, text.clone());
        Ok(text)
    }

    /// Writes design and properties to `folder` and translates them for the solver.
    fn prepare(&self, proof: &Proof, design: &str, properties: &str, folder: &Path) -> Result<(), String> {
        let io = |error: std::io::Error| format!("{}: {error}", folder.display());
        let mut design = expose(design, proof.debug)?;
        if let Some((module, find, replace)) = proof.shorten {
            design = substitute(&design, module, find, replace, 1)?;
        }
        if matches!(proof.method, Method::Window(_)) {
            design = free_start(&design);
        }
        std::fs::create_dir_all(folder).map_err(io)?;
        std::fs::write(folder.join("design.v"), design).map_err(io)?;
        std::fs::write(folder.join("props.sv"), properties).map_err(io)?;
        let part = proof.part.map_or(String::new(), |part| format!("-D{part} "));
        let script = format!(
            "read_verilog -formal -sv {part}design.v props.sv; prep -top prove -flatten; memory_nordff; memory_map; \
            opt; async2sync; dffunmap; opt_clean; write_smt2 -wires model.smt2"
        );
        let _ = std::fs::remove_file(folder.join("model.smt2"));
        self.tools.run(folder, LIMIT, "yosys", &["-q", "-l", "yosys.log", "-p", &script])?;
        // An undeclared name is a fresh undriven wire, and what is proved of it means nothing.
        let log = std::fs::read_to_string(folder.join("yosys.log")).map_err(io)?;
        match log.lines().find(|line| line.contains("implicitly declared")) {
            Some(line) => Err(line.into()),
            None => Ok(()),
        }
    }

    fn smtbmc(&self, folder: &Path, arguments: &[&str]) -> Result<String, String> {
        let mut words = vec!["-s", "boolector"];
        words.extend(arguments);
        words.push("model.smt2");
        let found = self.tools.run(folder, LIMIT, "yosys-smtbmc", &words);
        let text = match &found {
            Ok(text) | Err(text) => text,
        };
        let _ = std::fs::write(folder.join(format!("smtbmc{}.log", arguments.concat())), text);
        found
    }

    fn folder(&self, name: &str) -> PathBuf {
        let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        self.directory.join(plain)
    }

    /// Proves all properties of a file and reaches its covers.
    fn prove(&self, proof: &Proof) -> PropertyReport {
        let began = Instant::now();
        let folder = self.folder(proof.name);
        let (mut passed, mut cover) = (false, false);
        let mut attempt = || -> Result<(), String> {
            self.prepare(proof, &self.design(proof.block)?, proof.text, &folder)?;
            for arguments in proof.method.calls() {
                let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
                self.smtbmc(&folder, &words).map_err(|text| failure(&text))?;
            }
            passed = true;
            let depth = proof.search_range();
            let text = self.smtbmc(&folder, &["-c", "-t", &depth]).map_err(|text| failure(&text))?;
            if !text.contains("Reached cover statement") {
                return Err("there is no cover".into());
            }
            cover = true;
            Ok(())
        };
        let failure = attempt().err();
        PropertyReport {
            name: proof.name.into(),
            method: proof.method.name(),
            depth: proof.method.depth(),
            passed,
            cover,
            seconds: began.elapsed().as_secs_f64(),
            failure,
        }
    }

    /// Looks for a proof that finds the mutant.
    fn hunt(&self, mutant: &Mutant) -> MutantReport {
        let began = Instant::now();
        let attempt = || -> Result<Option<String>, String> {
            for name in mutant.against {
                let proof = PROOFS.iter().find(|proof| proof.name == *name).ok_or(format!("no proof `{name}`"))?;
                let text = self.design(proof.block)?;
                let text = substitute(&text, mutant.module, mutant.find, mutant.replace, mutant.count)?;
                let folder = self.folder(&format!("mutant {} {name}", mutant.name));
                self.prepare(proof, &text, &proof.without_links(), &folder)?;
                match self.smtbmc(&folder, &["-t", &proof.search_range()]) {
                    Ok(_) => {}
                    Err(text) => match assertion(&text) {
                        Some(label) => return Ok(Some(format!("{name}: {label}"))),
                        None => return Err(failure(&text)),
                    },
                }
            }
            Ok(None)
        };
        let (caught, by) = match attempt() {
            Ok(Some(by)) => (true, by),
            Ok(None) => (false, "no proof".into()),
            Err(error) => (false, error),
        };
        MutantReport { name: mutant.name.into(), caught, by, seconds: began.elapsed().as_secs_f64() }
    }
}

/// Label of the assertion that failed.
fn assertion(text: &str) -> Option<&str> {
    let rest = text.split("Assert failed in ").nth(1)?;
    rest.lines().next()?.split(": ").nth(1).map(str::trim)
}

/// What a tool's output says about the failure, in one line.
fn failure(text: &str) -> String {
    if let Some(label) = assertion(text) {
        return format!("{label} fails");
    }
    let unreached: Vec<_> =
        text.split("Unreached cover statement at ").skip(1).filter_map(|rest| rest.split(['.', '\n']).next()).collect();
    if !unreached.is_empty() {
        return format!("unreached: {}", unreached.join(", "));
    }
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("a tool failed").trim().to_string()
}
