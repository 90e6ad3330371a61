//! The pinned Python packages in an environment of their own, and the runs in it. Every wait has a limit.
use crate::{scratch, Judge, JudgeError, Options};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Exact versions of everything that is installed.
const REQUIREMENTS: &str = include_str!("../requirements.txt");
/// Seconds for the installation.
const INSTALL_LIMIT: u32 = 300;

/// Where the tools are.
#[derive(Debug, Clone)]
pub struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// Looks for the tools, and installs what `requirements.txt` names unless it is there.
    ///
    /// # Errors
    /// [`JudgeError::Missing`] without Icarus, Python, its `venv`, pip or a network.
    pub fn install() -> Result<Self, JudgeError> {
        let folder = scratch();
        let io = |error: std::io::Error| JudgeError::Missing(format!("{}: {error}", scratch().display()));
        fs::create_dir_all(&folder).map_err(io)?;
        let tools = Self { folder: folder.canonicalize().map_err(io)? };
        let path = std::env::var_os("PATH").unwrap_or_default();
        for tool in ["timeout", "iverilog", "vvp", "python3"] {
            if !std::env::split_paths(&path).any(|folder| folder.join(tool).is_file()) {
                return Err(JudgeError::Missing(format!("{tool} is not installed (./rnic installs it)")));
            }
        }
        let stamp = tools.environment().join("installed.txt");
        if fs::read_to_string(&stamp).is_ok_and(|text| text == REQUIREMENTS) {
            return Ok(tools);
        }
        eprintln!("installing cocotb and cocotbext-pcie under {}", tools.environment().display());
        let wanted = tools.folder.join("requirements.txt");
        fs::write(&wanted, REQUIREMENTS).map_err(io)?;
        let missing = |what: &str, said: String| JudgeError::Missing(format!("{what}:\n{said}"));
        let mut venv = timed(INSTALL_LIMIT, Path::new("python3"));
        venv.args(["-m", "venv", "--clear"]).arg(tools.environment());
        said(&mut venv).map_err(|text| missing("python3 -m venv failed", text))?;
        let mut pip = timed(INSTALL_LIMIT, &tools.python());
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "-r"])
            .arg(&wanted);
        said(&mut pip).map_err(|text| missing("pip cannot install the pinned packages (needs a network)", text))?;
        fs::write(&stamp, REQUIREMENTS).map_err(io)?;
        Ok(tools)
    }

    /// Folder for the runs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn environment(&self) -> PathBuf {
        self.folder.join("venv")
    }

    fn python(&self) -> PathBuf {
        self.environment().join("bin/python")
    }

    /// One run; it leaves `report.json` in its folder.
    pub(crate) fn judge(
        &self,
        judge: &Judge,
        verilog: &Path,
        folder: &Path,
        options: Options<'_>,
    ) -> Result<(), JudgeError> {
        let limit = judge.limit * options.rounds.map_or(1, |rounds| 1 + rounds / 10);
        let mut command = timed(limit, &self.python());
        command.args(["-B", "-W", "ignore"]).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("run.py"));
        command.arg(verilog).arg(folder).arg(judge.module).args(options.filter);
        command.env("COCOTB_LOG_LEVEL", "WARNING").env("PYTHONDONTWRITEBYTECODE", "1").current_dir(folder);
        command.env("RNIC_TIMEOUT", judge.timeout.to_string()).env("RNIC_SEED", options.seed.to_string());
        if let Some(rounds) = options.rounds {
            command.env("RNIC_ROUNDS", rounds.to_string());
        }
        said(&mut command).map_err(|text| JudgeError::Run(format!("{}:\n{text}", judge.module)))
    }
}

/// A program that is ended, with its children, after so many seconds.
fn timed(limit: u32, program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", &limit.to_string()]).arg(program).stdin(Stdio::null());
    command
}

/// The end of what a program has said, if it did not succeed.
fn said(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = text.lines().collect();
    let end = lines[lines.len().saturating_sub(30)..].join("\n");
    Err(match output.status.code() {
        Some(124 | 137) => format!("{end}\nnot done in time"),
        _ => end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_to_one_exact_version() {
        for line in REQUIREMENTS.lines().filter(|line| !line.starts_with('#')) {
            let (name, version) = line.split_once("==").unwrap_or_else(|| panic!("not pinned: {line}"));
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()), "{line}");
        }
        for package in ["cocotb", "cocotbext-pcie", "cocotbext-axi"] {
            assert!(REQUIREMENTS.contains(&format!("\n{package}==")), "{package}");
        }
    }
}
