//! The outside tools: yosys, Icarus, Verilator.
use super::Outcome;
use std::path::Path;
use std::process::Command;

/// Flags of Verilator's lint. What is off cannot be avoided in generated Verilog; the kernel lint covers widths.
pub const VERILATOR_LINT: [&str; 7] = [
    "--lint-only",
    "-Wall",
    "-Wno-DECLFILENAME",
    "-Wno-UNUSEDPARAM",
    "-Wno-WIDTH",
    "-Wno-UNOPTFLAT",
    "-Wno-UNUSEDSIGNAL",
];

pub(super) fn write(directory: &Path, file: &str, text: &str) -> Result<(), String> {
    std::fs::write(directory.join(file), text).map_err(|error| format!("{}: {error}", directory.join(file).display()))
}

fn run(directory: &Path, tool: &str, arguments: &[&str]) -> Result<String, String> {
    let output =
        Command::new(tool).current_dir(directory).args(arguments).output().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("{tool} is not installed (./rnic installs it)"),
            _ => format!("{tool}: {error}"),
        })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!(
            "{tool}: {}",
            text.lines().filter(|line| !line.trim().is_empty()).rev().take(8).collect::<Vec<_>>().join("\n")
        ))
    }
}

/// Latches, undeclared names, duplicate modules and undriven wires, as yosys sees them.
pub(super) fn yosys(directory: &Path) -> Outcome {
    let script = "read_verilog top.v; hierarchy -check -top top; proc; check";
    let printed = run(directory, "yosys", &["-p", script])?;
    let findings = printed
        .lines()
        .filter(|line| {
            (line.contains("Latch inferred") || line.contains("Warning: "))
                && !line.contains("Replacing memory")
                && !line.contains("No latch inferred")
        })
        .map(str::trim)
        .collect::<Vec<_>>();
    match findings.len() {
        0 => Ok("ok".into()),
        n => Err(format!("{n} findings\n{}", findings[..n.min(8)].join("\n"))),
    }
}

pub(super) fn icarus(directory: &Path, files: &[&str]) -> Result<String, String> {
    let mut arguments = vec!["-g2005", "-o", "bench.vvp", "-s", "bench"];
    arguments.extend(files);
    run(directory, "iverilog", &arguments)?;
    // Logic that never settles at one moment in Icarus would run for ever.
    run(directory, "timeout", &["600", "vvp", "-n", "bench.vvp"])
}

/// Verilator's lint of `top.v`.
pub fn verilator_lint(directory: &Path, top: &str) -> Outcome {
    let mut arguments = VERILATOR_LINT.to_vec();
    arguments.extend(["--top-module", top, "top.v"]);
    let printed = run(directory, "verilator", &arguments)?;
    match printed.lines().filter(|line| line.starts_with('%')).count() {
        0 => Ok("ok".into()),
        n => Err(format!("{n} findings\n{printed}")),
    }
}
