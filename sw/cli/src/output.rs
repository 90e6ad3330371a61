//! What all commands share: exit codes, messages, progress, tables.
use comfy_table::{presets::UTF8_FULL_CONDENSED, Table};
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;

/// A check failed.
pub const FAILED: u8 = 1;
/// Bad input or a missing tool.
pub const BAD_INPUT: u8 = 2;

/// One clear line on stderr and exit status 2.
pub fn bad_input(message: impl std::fmt::Display) -> ExitCode {
    eprintln!("rnic: {message}");
    ExitCode::from(BAD_INPUT)
}

/// Exit status of a run whose checks have `passed`.
pub fn verdict(passed: bool) -> ExitCode {
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    }
}

/// A bar on stderr, hidden where that is no terminal.
pub fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} {msg}").expect("template");
    ProgressBar::new(steps as u64).with_style(style)
}

/// The step that runs and its time, on stderr; hidden where that is no terminal.
pub fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}").expect("template");
    ProgressBar::new_spinner().with_style(style)
}

/// An empty table in the project's look.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_header(header);
    table
}
