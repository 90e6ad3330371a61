//! The result of a scenario: a table for people, data for programs (`interfaces.md` section 9).

use comfy_table::{presets::UTF8_FULL_CONDENSED, CellAlignment, Table};
use serde::Serialize;
use std::fmt;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What it did.
    pub step: String,
    /// `ok` or `failed`.
    pub status: &'static str,
    /// Cycles that it took.
    pub cycles: u64,
}

/// Why a scenario did not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The step, with its number and line in the file.
    pub step: String,
    /// What it expected.
    pub expected: String,
    /// What it found.
    pub found: String,
    /// When.
    pub cycle: u64,
    /// The last transactions on the device's ports.
    pub transactions: Vec<String>,
    /// State of buses, wire, queue pairs, memory regions and counters after it.
    pub state: Vec<String>,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Name of the scenario.
    pub scenario: String,
    /// Its title.
    #[serde(skip)]
    pub title: String,
    /// Preset of the device.
    pub preset: &'static str,
    /// Seed of the run.
    pub seed: u64,
    /// Cycles in all.
    pub cycles: u64,
    /// The steps that were run.
    pub steps: Vec<Row>,
    /// Nothing failed.
    pub passed: bool,
    /// What failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.scenario, self.title)?;
        writeln!(f, "preset {}, seed {}\n", self.preset, self.seed)?;
        let mut table = Table::new();
        table.load_preset(UTF8_FULL_CONDENSED).set_header(["", "step", "status", "cycles"]);
        for (number, row) in self.steps.iter().enumerate() {
            table.add_row([&(number + 1).to_string(), &row.step, row.status, &row.cycles.to_string()]);
        }
        for column in [0, 3] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(f, "{table}")?;
        if let Some(failure) = &self.failure {
            writeln!(f, "\nfailed:   {}", failure.step)?;
            writeln!(f, "expected: {}", failure.expected)?;
            writeln!(f, "found:    {}", failure.found)?;
            writeln!(f, "cycle:    {}", failure.cycle)?;
            writeln!(f, "last transactions:")?;
            for line in &failure.transactions {
                writeln!(f, "  {line}")?;
            }
            if !failure.state.is_empty() {
                writeln!(f, "state:")?;
            }
            for line in &failure.state {
                writeln!(f, "  {line}")?;
            }
            return writeln!(f, "\n{} cycles\nfailed", self.cycles);
        }
        writeln!(f, "\n{} cycles\npassed", self.cycles)
    }
}
