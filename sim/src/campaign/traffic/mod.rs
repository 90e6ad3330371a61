//! Random data traffic between two devices over a bad wire, against the reference model.
//!
//! Connections with random attributes; regions that come and go by REG_MR, LOCAL_INV and SEND with invalidate; SEND, WRITE,
//! READ and atomics with up to four pieces anywhere, signaled or not, fenced or not, with receives that come too late; now and then a
//! request with an error. The model executes every request when its doorbell is rung. So that its result is the only right
//! one, nothing is posted whose result would depend on time (`hazards`): each order that is relied upon has a rule.
//!
//! Every completion must be what the model says, in its order; at the end memory, regions, queue pairs and events of both
//! devices, and nothing is on its way. The same seed gives the same run.

mod bed;
mod compare;
mod follow;
mod generate;
mod hazards;
mod lives;
mod regions;
mod settings;
mod side;
mod trouble;

use super::{Disagreement, Mismatch};
use crate::platform::Shared;
use crate::scenario::Machine;
use crate::simulator::{Settings, Simulator};
use bed::{peer_of, Bed};
use rnic_abi::preset::Preset;
use settings::Plan;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// Cycles without a completion after which a run counts as stuck: several timeouts in a row.
const PATIENCE: u64 = 1_000_000;
/// Transactions of each device in a report.
const SHOWN: usize = 300;

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Requests posted.
    pub operations: u64,
    /// Completions by kind: successes, errors, flushes.
    pub completions: [u64; 3],
    /// Successes without a completion.
    pub silent: u64,
    /// Connections that failed on purpose.
    pub failures: u64,
    /// Frames sent, and those of them that did not arrive as they were sent.
    pub frames: u64,
    /// Frames lost, doubled, late or damaged.
    pub faults: u64,
    /// Cycles.
    pub cycles: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [successes, errors, flushes] = self.completions;
        write!(
            f,
            "{} requests in {} cycles: {successes} successes, {} silent ones, {errors} errors, {flushes} flushes, {} failures, \
             {} frames, {} faults",
            self.operations, self.cycles, self.silent, self.failures, self.frames, self.faults
        )
    }
}

/// Runs `operations` requests on two devices.
///
/// # Errors
/// The first disagreement.
///
/// # Panics
/// This build has no model of the preset.
pub fn traffic(preset: &'static Preset, seed: u64, operations: u64) -> Result<Summary, Box<Mismatch>> {
    let variant = preset.name.parse().unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan::new(seed);
    let nics = vec!["a".into(), "b".into()];
    let settings =
        Settings { variant, seed, timing: plan.timing, wire: plan.wire, nics, log_depth: 4000, ..Settings::default() };
    let simulator = Simulator::new(&settings).unwrap_or_else(|error| panic!("{error}"));
    let simulator: Shared = Rc::new(RefCell::new(simulator));
    let report = |disagreement: Disagreement, done: u64, history: String| {
        let simulator = simulator.borrow();
        let failure = simulator.failure().map(|failure| failure.to_string());
        Box::new(Mismatch {
            campaign: "traffic",
            preset: preset.name,
            seed,
            operations,
            done,
            cycle: simulator.cycle(),
            expected: disagreement.expected,
            found: failure.unwrap_or(disagreement.found),
            history,
            transactions: simulator
                .nics()
                .iter()
                .map(|nic| format!("NIC {}:\n{}", nic.name(), nic.log().tail(SHOWN)))
                .collect(),
        })
    };
    let mut bed = Bed::new(&simulator, plan, seed).map_err(|disagreement| report(disagreement, 0, String::new()))?;
    if let Err(disagreement) = bed.run(operations) {
        let mismatch = report(disagreement, bed.summary.operations, bed.history());
        // Memory goes away in the middle of everything: what the monitor says of that is no news.
        drop(bed);
        let _ = simulator.borrow().failure();
        return Err(mismatch);
    }
    let finished = simulator.borrow_mut().finish();
    finished
        .map_err(|error| report(Disagreement::new("buses at rest", error.to_string()), operations, bed.history()))?;
    let simulator = simulator.borrow();
    for nic in simulator.nics() {
        let counters = simulator.wire().counters(nic.end());
        bed.summary.frames += counters.sent;
        bed.summary.faults +=
            counters.lost + counters.duplicated + counters.reordered + counters.corrupted + counters.marked;
    }
    bed.summary.cycles = simulator.cycle();
    Ok(bed.summary)
}

impl Bed {
    fn run(&mut self, operations: u64) -> Result<(), Disagreement> {
        self.open_mailboxes();
        let all: Vec<usize> = (0..self.pairs.len()).collect();
        self.rest(&all)?;
        let mut idle = 0;
        while self.summary.operations < operations {
            for _ in 0..=self.random.below(6) {
                self.act()?;
            }
            if self.random.chance(6) {
                let connection = self.random.below(self.plan.connections as u64) as usize;
                self.trouble(connection)?;
            }
            if self.random.chance(70) {
                let cycles = self.random.below(400);
                self.sides[0].machine.run(cycles);
            }
            idle = if self.poll()? { 0 } else { idle + 1 };
            // Everything may wait for a receive, or for a completion that nobody has asked for.
            if idle > 20 {
                all.iter().try_for_each(|pair| self.help(*pair))?;
                let pair = self.choose(&all);
                self.mark(pair)?;
            }
        }
        self.rest(&all)?;
        // What is late may still come, and must change nothing.
        self.sides[0].machine.run(3000);
        if self.poll()? {
            return Err(Disagreement::new("no further completion", "one came late"));
        }
        self.compare()
    }

    /// Posts the receive that a message of the peer waits for, and tells the devices of everything.
    fn help(&mut self, pair: usize) -> Result<(), Disagreement> {
        if self.pairs[peer_of(pair)].needs.len() > self.pairs[pair].rooms.len() {
            self.receive(pair, true);
        }
        self.ring(pair)
    }

    /// Nothing of these queue pairs is on its way any more, receives aside.
    fn rest(&mut self, pairs: &[usize]) -> Result<(), Disagreement> {
        pairs.iter().try_for_each(|pair| self.ring(*pair))?;
        self.settle("completions of everything posted", |bed| {
            for pair in pairs {
                bed.help(*pair)?;
                if bed.pairs[*pair].expected[0].is_empty() {
                    bed.mark(*pair)?;
                }
            }
            Ok(pairs.iter().all(|pair| bed.is_quiet(*pair) && !bed.pairs[*pair].waits))
        })
    }
}
