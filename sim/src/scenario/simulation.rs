//! The Verilog under simulation as a machine, and the one call that runs a scenario on it.

use super::file::{DeviceTable, Scenario, TimingName};
use super::machine::{model_machine, Machine};
use super::report::Report;
use crate::core::Variant;
use crate::host::{BarAnswer, BarRequest, Fault, HostMemory, Timing};
use crate::log::Event;
use crate::monitor::Role;
use crate::platform::{attach_nic, SimMemory, SimPlatform};
use crate::reference::device::ModelDevice;
use crate::simulator::{Settings, SimError, Simulator};
use crate::wire::{Counters, EndId, Wire, WireSettings};
use rnic_abi::preset::Preset;
use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use thiserror::Error;

/// Transactions that are kept, for reports and for `no_access_from_here`.
const KEPT: usize = 200_000;

/// Frames of each NIC in the state of a report.
const FRAMES: usize = 12;

impl Machine for SimPlatform {
    fn preset(&self) -> &'static Preset {
        self.bar.simulator().borrow().variant().preset()
    }

    fn cycle(&self) -> u64 {
        self.bar.simulator().borrow().cycle()
    }

    fn run(&self, cycles: u64) {
        // A violation stays in `failure`, where the runner looks after every step.
        let _ = self.bar.simulator().borrow_mut().run(cycles);
    }

    fn has_own_clock(&self) -> bool {
        false
    }

    fn access(&self, request: BarRequest) -> Option<BarAnswer> {
        self.bar.simulator().borrow_mut().bar_of(self.bar.nic(), request).ok()
    }

    fn interrupts(&self, vector: u8) -> u64 {
        self.bar.simulator().borrow().nics()[self.bar.nic()].interrupts(vector)
    }

    fn inject(&self, fault: Fault) {
        self.bar.simulator().borrow_mut().nic(self.bar.nic()).inject(fault);
    }

    fn clear_faults(&self) {
        self.bar.simulator().borrow_mut().nic(self.bar.nic()).clear_faults();
    }

    fn touched(&self, since: u64, ranges: &[Range<u64>]) -> Option<String> {
        let simulator = self.bar.simulator().borrow();
        let width = u64::from(simulator.variant().preset().data) / 8;
        let found = simulator.nics()[self.bar.nic()].log().last().find(|transaction| {
            let (Event::Read { address, beats, .. } | Event::Write { address, beats, .. }) = &transaction.event else {
                return false;
            };
            let end = (address & !(width - 1)) + u64::from(*beats) * width;
            transaction.cycle >= since && ranges.iter().any(|range| range.start < end && *address < range.end)
        });
        found.map(ToString::to_string)
    }

    fn recent(&self, count: usize) -> Vec<String> {
        self.bar.simulator().borrow().nics()[self.bar.nic()].log().tail(count).lines().map(str::to_string).collect()
    }

    fn state(&self) -> Vec<String> {
        let simulator = self.bar.simulator().borrow();
        let nic = &simulator.nics()[self.bar.nic()];
        let mut lines: Vec<String> = nic.buses().lines().map(str::to_string).collect();
        let counters = simulator.wire().counters(nic.end());
        let counted = Counters::NAMES.iter().filter_map(|name| Some((name, counters.by_name(name)?)));
        let counted = counted.filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name} {count}"));
        let counted = counted.collect::<Vec<_>>().join(", ");
        lines.push(format!("wire: {}", if counted.is_empty() { "nothing has passed" } else { &counted }));
        let passed = simulator.wire().log().rev().filter(|frame| frame.from == Some(nic.end())).take(FRAMES);
        let sent: Vec<String> = passed.map(|frame| format!("sent: {frame}")).collect();
        lines.extend(sent.into_iter().rev());
        lines
    }

    fn failure(&self) -> Option<String> {
        self.bar.simulator().borrow().failure().map(first_line)
    }

    fn finish(&self) -> Option<String> {
        self.bar.simulator().borrow_mut().finish().err().as_ref().map(first_line)
    }

    fn lend(&self, range: Range<u64>) {
        self.bar.simulator().borrow_mut().nic(self.bar.nic()).monitor().lend(range, Role::Payload);
    }

    fn wire<T>(&self, access: impl FnOnce(&mut Wire, EndId, u64) -> T) -> Option<T> {
        let mut simulator = self.bar.simulator().borrow_mut();
        let (cycle, end) = (simulator.cycle(), simulator.nics()[self.bar.nic()].end());
        Some(access(simulator.wire_mut(), end, cycle))
    }

    fn set_wire(&self, change: impl FnOnce(&mut WireSettings)) -> bool {
        self.bar.simulator().borrow_mut().set_wire(change);
        true
    }
}

/// The reason; state and transactions are in the report anyway.
fn first_line(error: &SimError) -> String {
    error.to_string().lines().next().unwrap_or_default().to_string()
}

/// What the command line says over the file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Preset.
    pub preset: Option<&'static Preset>,
    /// Seed.
    pub seed: Option<u64>,
    /// FST trace of all signals.
    pub trace: Option<PathBuf>,
    /// Capture of all frames.
    pub pcap: Option<PathBuf>,
    /// Socket to the outside.
    pub socket: Option<PathBuf>,
}

/// Why a scenario could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// This build has no model of the preset.
    #[error("{0}")]
    Preset(String),
    /// The simulation cannot be made.
    #[error(transparent)]
    Simulation(#[from] SimError),
}

/// Timing of the host as `[device]` gives it.
fn timing(device: &DeviceTable) -> Timing {
    let base = if device.timing == TimingName::Harsh { Timing::HARSH } else { Timing::CALM };
    Timing {
        read_latency: device.read_latency.unwrap_or(base.read_latency),
        read_jitter: device.read_jitter.unwrap_or(base.read_jitter),
        write_latency: device.write_latency.unwrap_or(base.write_latency),
        write_jitter: device.write_jitter.unwrap_or(base.write_jitter),
        stall: device.stall.unwrap_or(base.stall),
        gap: device.gap.unwrap_or(base.gap),
        out_of_order: device.out_of_order.unwrap_or(base.out_of_order),
        interleave: device.interleave.unwrap_or(base.interleave),
    }
}

/// Runs a scenario on the Verilog.
///
/// # Errors
/// The simulation cannot be made. A step that fails is in the report.
pub fn simulate(scenario: &Scenario, overrides: &Overrides) -> Result<Report, StartError> {
    let preset = overrides.preset.unwrap_or(scenario.device.preset.0);
    let variant: Variant = preset.name.parse().map_err(StartError::Preset)?;
    let seed = overrides.seed.unwrap_or(scenario.device.seed);
    let trace = overrides.trace.clone();
    let mut wire = WireSettings { seed, ..WireSettings::default() };
    scenario.wire.apply(&mut wire);
    let settings = Settings {
        variant,
        seed,
        timing: timing(&scenario.device),
        trace,
        log_depth: KEPT,
        nics: scenario.nics(),
        wire,
        pcap: overrides.pcap.clone(),
        socket: overrides.socket.clone(),
    };
    let simulator = Rc::new(RefCell::new(Simulator::new(&settings)?));
    let machines = (0..settings.nics.len()).map(|nic| attach_nic(&simulator, nic)).collect();
    Ok(super::run(scenario, machines, seed))
}

/// Runs a scenario on the reference model: what it shows follows from the rules alone. The model has no wire: steps that
/// need one fail.
pub fn simulate_reference(scenario: &Scenario, overrides: &Overrides) -> Report {
    let preset = overrides.preset.unwrap_or(scenario.device.preset.0);
    let seed = overrides.seed.unwrap_or(scenario.device.seed);
    let machine = |nic: usize| {
        let memory = HostMemory::new(seed ^ nic as u64);
        let model = Rc::new(RefCell::new(ModelDevice::new(preset, memory.clone())));
        model_machine(&model, SimMemory::new(memory))
    };
    super::run(scenario, (0..scenario.nics().len()).map(machine).collect(), seed)
}
