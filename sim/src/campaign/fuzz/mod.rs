//! A flood of right, wrong and damaged frames into a device with live queue pairs.
//!
//! The victims are connected to a peer that does not exist and have requests on their way, so requests and responses meet open
//! state. Whatever comes, the device must go on: the monitor sees that nothing but granted memory is touched, what is
//! not granted to any frame keeps its contents, and between two devices a WRITE still works, every few hundred frames and
//! at the end. Victims that have failed, as they should, are connected again.

mod frames;
mod victims;

use super::{Disagreement, Mismatch};
use crate::platform::Shared;
use crate::random::Random;
use crate::simulator::{Settings, Simulator};
use rnic_abi::preset::Preset;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use victims::Bed;

/// Frames between two looks at the victims.
const ROUND: u64 = 40;
/// Cycles in which the device must have taken every frame that waits at its port.
const PATIENCE: u64 = 200_000;

/// What a flood did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Frames given to the device.
    pub frames: u64,
    /// Frames that it sent.
    pub answers: u64,
    /// Times that a victim had failed.
    pub failures: u64,
    /// Receives that frames completed.
    pub received: u64,
    /// Cycles.
    pub cycles: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, answers, failures, received, cycles } = self;
        write!(f, "{frames} frames in {cycles} cycles: {answers} answers, {received} receives, {failures} failures")
    }
}

/// Gives `frames` frames to a device.
///
/// # Errors
/// It hangs, touches what it must not, or does not work afterwards.
///
/// # Panics
/// This build has no model of the preset.
pub fn fuzz(preset: &'static Preset, seed: u64, frames: u64) -> Result<Summary, Box<Mismatch>> {
    let variant = preset.name.parse().unwrap_or_else(|error| panic!("{error}"));
    let nics = vec!["a".into(), "b".into()];
    let settings = Settings { variant, seed, nics, log_depth: 400, ..Settings::default() };
    let simulator = Simulator::new(&settings).unwrap_or_else(|error| panic!("{error}"));
    let simulator: Shared = Rc::new(RefCell::new(simulator));
    let mut summary = Summary::default();
    let result = flood(&simulator, seed, frames, &mut summary);
    let result = result.and_then(|()| {
        let finished = simulator.borrow_mut().finish();
        finished.map_err(|error| Disagreement::new("buses at rest", error.to_string()))
    });
    summary.cycles = simulator.borrow().cycle();
    result.map(|()| summary).map_err(|disagreement| {
        let simulator = simulator.borrow();
        let failure = simulator.failure().map(|failure| failure.to_string());
        let last: Vec<String> = simulator.wire().log().rev().take(60).map(|frame| format!("  {frame}\n")).collect();
        Box::new(Mismatch {
            campaign: "fuzz",
            preset: preset.name,
            seed,
            operations: frames,
            done: summary.frames,
            cycle: simulator.cycle(),
            expected: disagreement.expected,
            found: failure.unwrap_or(disagreement.found),
            history: last.into_iter().rev().collect(),
            transactions: simulator.state(),
        })
    })
}

fn flood(simulator: &Shared, seed: u64, frames: u64, summary: &mut Summary) -> Result<(), Disagreement> {
    let mut random = Random::new(seed, 40);
    let mut bed = Bed::new(simulator)?;
    while summary.frames < frames {
        for _ in 0..ROUND {
            let victim = random.below(bed.targets.len() as u64) as usize;
            let frame = frames::next(&mut random, &bed.targets[victim]);
            let bad = random.chance(2);
            let mut simulator = simulator.borrow_mut();
            simulator.inject_frame(victims::VICTIM, frame, bad);
            let cycles = if random.chance(70) { random.below(60) } else { random.below(600) };
            simulator.run(cycles).map_err(|error| Disagreement::new("a run without violation", error.to_string()))?;
            drop(simulator);
            bed.learn(summary);
        }
        summary.frames += ROUND;
        let taken = simulator.borrow_mut().run_until("the port takes every frame", PATIENCE, |simulator| {
            let end = simulator.nics()[victims::VICTIM].end();
            let counters = simulator.wire().counters(end);
            counters.injected + simulator.wire().counters(simulator.nics()[0].end()).sent == counters.received
        });
        taken.map_err(|error| Disagreement::new("a device that takes its frames", error.to_string()))?;
        bed.revive(summary)?;
        if summary.frames % (10 * ROUND) == 0 {
            bed.check(&mut random)?;
        }
    }
    bed.check(&mut random)
}
