//! The whole run: synthesise, place on each part, estimate `large`.
use crate::area::{ecp5, xilinx, Area, AreaRow, XilinxRow};
use crate::place::{place, Timing, PARTS};
use crate::tools::Tools;
use crate::yosys::{synthesise, Family};
use crate::{io, Progress, SynthError};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Presets that an ECP5 holds.
const PLACED: [&str; 2] = ["tiny", "small"];
/// The preset of the estimate.
const ESTIMATED: &str = "large";

/// What to run.
#[derive(Clone, Debug)]
pub struct FitOptions {
    /// The core to place.
    pub preset: String,
    /// Seed of the placer.
    pub seed: u32,
    /// Also estimate `large` on UltraScale+.
    pub estimate: bool,
}

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Fit {
    /// Every part reached its target.
    pub passed: bool,
    /// The core that was placed.
    pub preset: String,
    /// Seed of the placer.
    pub seed: u32,
    /// Its cells, by subsystem.
    pub area: Vec<AreaRow>,
    /// Its cells together.
    pub total: Area,
    /// Clock and slowest path on each part.
    pub timing: Vec<Timing>,
    /// Cells of `large` on UltraScale+: an estimate of yosys, neither placed nor timed.
    pub large_estimate: Vec<XilinxRow>,
}

fn stat(folder: &Path) -> Result<String, SynthError> {
    let file = folder.join("stat.json");
    fs::read_to_string(&file).map_err(io(&file))
}

/// Runs the tools, or reads what they said about the same Verilog before.
///
/// `target` is the build folder: tools go to `target/tools`, results to `target/fit`.
///
/// # Errors
/// A preset that is not placed, a missing tool, or a tool that refuses the design.
pub fn fit(options: &FitOptions, target: &Path, progress: Progress) -> Result<Fit, SynthError> {
    let FitOptions { preset, seed, estimate } = options;
    if !PLACED.contains(&preset.as_str()) {
        let known = PLACED.join(", ");
        return Err(SynthError::Input(format!("preset `{preset}` is not placed on an ECP5; there are {known}")));
    }
    let tools = Tools::install(&target.join("tools"), progress)?;
    let root = target.join("fit");
    fs::create_dir_all(&root).map_err(io(&root))?;
    let root = fs::canonicalize(&root).map_err(io(&root))?;
    let netlist = synthesise(&tools, Family::Ecp5, preset, &root, progress)?;
    let area = ecp5(&stat(&netlist)?, &format!("rnic_{preset}"))?;
    let timing = PARTS
        .iter()
        .map(|part| place(&tools, *part, &netlist, *seed, &root, progress))
        .collect::<Result<Vec<_>, _>>()?;
    let mut large_estimate = vec![];
    if *estimate {
        let folder = synthesise(&tools, Family::Xcup, ESTIMATED, &root, progress)?;
        large_estimate = xilinx(&stat(&folder)?, &format!("rnic_{ESTIMATED}"))?;
    }
    Ok(Fit {
        passed: timing.iter().all(|timing| timing.passed),
        preset: preset.clone(),
        seed: *seed,
        total: Area::total(&area),
        area,
        timing,
        large_estimate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_that_no_part_holds_is_refused_before_any_tool_is_installed() {
        let options = FitOptions { preset: "large".into(), seed: 1, estimate: false };
        let error = fit(&options, Path::new("/nowhere"), &|_| panic!("no step")).unwrap_err();
        assert!(matches!(error, SynthError::Input(text) if text.contains("tiny, small")));
    }
}
