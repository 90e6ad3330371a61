//! Synthesis with pyosys.
use crate::area::SUBSYSTEMS;
use crate::tools::{said, Tools, SCRIPT};
use crate::{io, Progress, SynthError};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What the cells are for.
#[derive(Clone, Copy)]
pub(crate) enum Family {
    /// Lattice ECP5; writes a netlist to place.
    Ecp5,
    /// Xilinx UltraScale+; only counted.
    Xcup,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Self::Ecp5 => "ecp5",
            Self::Xcup => "xcup",
        }
    }
}

/// Synthesises the core of `preset`; the folder with `stat.json` (and `netlist.json`).
pub(crate) fn synthesise(
    tools: &Tools,
    family: Family,
    preset: &str,
    root: &Path,
    progress: Progress,
) -> Result<PathBuf, SynthError> {
    progress(&format!("export {preset}"));
    let verilog = rnic_hdl::top::export(preset).map_err(|error| SynthError::Failed(error.to_string()))?;
    let name = format!("{preset}-{}", family.name());
    crate::cache::cached(root, &name, &[&verilog, SCRIPT, crate::tools::REQUIREMENTS], |folder| {
        let file = folder.join("core.v");
        fs::write(&file, &verilog).map_err(io(&file))?;
        let mut command = tools.synthesise();
        command.arg(family.name()).arg(format!("rnic_{preset}")).arg(&file).arg(folder).args(SUBSYSTEMS);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| SynthError::Missing(format!("pyosys does not start: {error}")))?;
        // The other pipe must not fill up meanwhile.
        let stderr = child.stderr.take().expect("stderr is piped");
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = BufReader::new(stderr).read_to_string(&mut text);
            text
        });
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        for line in stdout.lines().map_while(Result::ok) {
            if let Some(step) = line.strip_prefix("step ") {
                progress(&format!("synthesise {preset} for {}: {step}", family.name()));
            }
        }
        let output = child.wait_with_output().map_err(|error| SynthError::Failed(format!("pyosys: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let text = said(&output) + &errors.join().unwrap_or_default();
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        Err(SynthError::Failed(format!("synthesis of {preset}: {last} (see {}/yosys.log)", folder.display())))
    })
}
