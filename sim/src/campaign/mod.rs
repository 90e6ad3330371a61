//! Random verb sequences on the device and on the reference model, side by side.
//!
//! A round posts batches of work requests, valid and invalid, on several queue pairs that share protection domains and memory
//! regions, sometimes with page lists that cannot be read or with a queue pair sent to ERR meanwhile. The model follows the
//! order in which the device completed: every completion, and after each round every memory region, queue pair and a number
//! of probes must agree. Between rounds come admin commands, good and bad, and wrong doorbells.
//!
//! What makes the order of completions decide everything: all queue pairs of a protection domain complete on one queue, and a
//! request is unsignaled only if no other queue pair of the round names its region. The same seed gives the same run.

mod bed;
mod commands;
mod compare;
pub mod fuzz;
mod generate;
mod rounds;
pub mod traffic;

use crate::platform::{attach, SimPlatform};
use crate::random::Random;
use crate::scenario::Machine;
use crate::simulator::{Settings, Simulator};
use bed::Bed;
use rnic_abi::preset::Preset;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use thiserror::Error;

/// What a campaign did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Work requests and commands.
    pub operations: u64,
    /// Completions by kind: successes, errors, flushes.
    pub completions: [u64; 3],
    /// Successes without a completion.
    pub silent: u64,
    /// Commands that were refused.
    pub refused: u64,
    /// Probes compared.
    pub probes: u64,
    /// Cycles of the device.
    pub cycles: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [successes, errors, flushes] = self.completions;
        write!(
            f,
            "{} operations in {} cycles: {successes} successes, {} silent ones, {errors} errors, {flushes} flushes, {} refused \
             commands, {} probes",
            self.operations, self.cycles, self.silent, self.refused, self.probes
        )
    }
}

/// Device and model disagree. The seed, the preset and the number of operations repeat the run.
#[derive(Clone, Debug, Error)]
#[error("{campaign}({preset}, seed {seed}, {operations} operations) after {done}, cycle {cycle}:\nmodel:  {expected}\ndevice: {found}\nlast operations:\n{history}last transactions:\n{transactions}")]
pub struct Mismatch {
    /// Name of the campaign.
    pub campaign: &'static str,
    /// Preset.
    pub preset: &'static str,
    /// Seed.
    pub seed: u64,
    /// Operations that were asked for.
    pub operations: u64,
    /// Operations done.
    pub done: u64,
    /// When.
    pub cycle: u64,
    /// What the model says.
    pub expected: String,
    /// What the device did.
    pub found: String,
    /// The last operations, a line each.
    pub history: String,
    /// The last transactions on the device's ports, a line each.
    pub transactions: String,
}

/// A disagreement, before it knows of the run.
#[derive(Clone, Debug)]
struct Disagreement {
    expected: String,
    found: String,
}

impl Disagreement {
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { expected: expected.into(), found: found.into() }
    }
}

/// Runs a campaign on the Verilog. The seed decides the timing of the host, too.
///
/// # Errors
/// The first disagreement.
///
/// # Panics
/// This build has no model of the preset.
pub fn campaign(preset: &'static Preset, seed: u64, operations: u64) -> Result<Summary, Box<Mismatch>> {
    let variant = preset.name.parse().unwrap_or_else(|error| panic!("{error}"));
    let timing = generate::timing(&mut Random::new(seed, 20));
    let settings = Settings { variant, seed, timing, log_depth: 400, ..Settings::default() };
    let simulator = Simulator::new(&settings).unwrap_or_else(|error| panic!("{error}"));
    let platform: SimPlatform = attach(&Rc::new(RefCell::new(simulator)));
    campaign_on(platform, seed, operations)
}

/// Runs a campaign on any machine.
///
/// # Errors
/// The first disagreement.
pub fn campaign_on<M: Machine>(machine: M, seed: u64, operations: u64) -> Result<Summary, Box<Mismatch>> {
    let wrap = |disagreement: Disagreement, done: u64, history: String| {
        let transactions = machine.recent(60).into_iter().map(|line| line + "\n").collect();
        Box::new(Mismatch {
            campaign: "campaign",
            preset: machine.preset().name,
            seed,
            operations,
            done,
            cycle: machine.cycle(),
            expected: disagreement.expected,
            found: machine.failure().unwrap_or(disagreement.found),
            history,
            transactions,
        })
    };
    let mut bed = Bed::new(machine.clone(), seed).map_err(|disagreement| wrap(disagreement, 0, String::new()))?;
    while bed.summary.operations < operations {
        if let Err(disagreement) = bed.round() {
            return Err(wrap(disagreement, bed.summary.operations, bed.history()));
        }
    }
    if let Some(failure) = machine.finish() {
        let disagreement = Disagreement::new("a bus at rest", failure);
        return Err(wrap(disagreement, bed.summary.operations, bed.history()));
    }
    bed.summary.cycles = machine.cycle();
    Ok(bed.summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostMemory;
    use crate::platform::SimMemory;
    use crate::reference::device::ModelDevice;
    use crate::scenario::model_machine;
    use rnic_abi::preset::{Preset, LARGE, SMALL, TINY};

    fn on_model(preset: &'static Preset, seed: u64, operations: u64) -> Result<Summary, Box<Mismatch>> {
        let memory = HostMemory::new(seed);
        let model = Rc::new(RefCell::new(ModelDevice::new(preset, memory.clone())));
        campaign_on(model_machine(&model, SimMemory::new(memory)), seed, operations)
    }

    /// The model behind BAR0 is a machine, too: what it does by itself must be what the campaign makes the model do.
    #[test]
    fn the_model_agrees_with_itself() {
        for preset in [&TINY, &SMALL, &LARGE] {
            for seed in 1..4 {
                let summary = on_model(preset, seed, 1500).unwrap_or_else(|mismatch| panic!("{mismatch}"));
                let [successes, errors, flushes] = summary.completions;
                assert!(successes > 150 && errors > 30 && flushes > 50 && summary.silent > 150, "{summary}");
                assert!(summary.refused > 5 && summary.probes > 100, "{summary}");
            }
        }
    }
    /// A device that allows one page more than it should is found, and the report repeats the run.
    #[test]
    fn a_device_with_a_wrong_limit_is_found() {
        static WRONG: Preset = Preset { max_page_list: 33, ..TINY };
        let mismatch = on_model(&WRONG, 1, 20_000).expect_err("the wrong limit was not found");
        let text = mismatch.to_string();
        assert!(text.contains("campaign(tiny, seed 1, 20000 operations)") && text.contains("model:"), "{text}");
        assert_eq!(on_model(&WRONG, 1, 20_000).unwrap_err().done, mismatch.done);
    }
}
