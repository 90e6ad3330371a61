//! One or more simulated NICs on a wire, clocked together.
//!
//! Order within a cycle, for each NIC in turn: the core settles on the inputs, the monitor looks, the clock rises, the host
//! and the wire decide the next inputs from the outputs that the edge saw. A frame that one NIC sends reaches another in a
//! later cycle, so the turn does not matter.
//!
//! Functions without a number mean the first NIC.
mod error;
mod nic;
mod outside;
mod settings;

#[cfg(test)]
mod tests;

pub use error::SimError;
pub use nic::Nic;
pub use settings::Settings;

use crate::core::Variant;
use crate::host::{BarAnswer, BarRequest, BusFault, Fault, HostMemory, Timing};
use crate::log::{Event, Log};
use crate::monitor::{Monitor, Violation};
use crate::wire::capture::CaptureFile;
use crate::wire::frame::LONGEST;
use crate::wire::{Rate, Socket, Wire, WireSettings};
use outside::Outside;
use rnic_abi::limits::{BAR_CYCLES, RESET_CYCLES};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Transactions that a report shows.
const REPORTED: usize = 40;
/// A BAR access ends within the device's limit, plus what the host itself may hold it up.
const BAR_LIMIT: u64 = 4 * BAR_CYCLES as u64;

/// NICs under simulation, and the wire between them.
pub struct Simulator {
    nics: Vec<Nic>,
    wire: Wire,
    outside: Option<Outside>,
    started: Instant,
    failure: Option<SimError>,
    /// Someone has got the failure.
    seen: Cell<bool>,
}

impl Simulator {
    /// NICs right after the reset of their ports. Their tables are not cleared yet: see STATUS.ready.
    ///
    /// # Errors
    /// The trace or the capture cannot be written, or the socket not be bound.
    ///
    /// # Panics
    /// Without a NIC.
    pub fn new(settings: &Settings) -> Result<Self, SimError> {
        assert!(!settings.nics.is_empty(), "a simulation has at least one NIC");
        let mut wire = Wire::new(settings.wire, settings.variant.preset().core_khz);
        if let Some(path) = &settings.pcap {
            wire.capture(CaptureFile::create(path)?)?;
        }
        let mut nics = vec![];
        for (index, name) in settings.nics.iter().enumerate() {
            let end = wire.add_end(name)?;
            nics.push(Nic::new(settings, index, name, end)?);
        }
        let outside = match &settings.socket {
            Some(path) => Some(Outside::new(Socket::bind(path)?, wire.add_end("outside")?)),
            None => None,
        };
        let started = Instant::now();
        let mut simulator = Self { nics, wire, outside, started, failure: None, seen: Cell::new(false) };
        simulator.reset()?;
        Ok(simulator)
    }

    /// Resets all cores by their ports. The hosts must be idle: on real hardware the bridge is reset with the core.
    ///
    /// # Errors
    /// The run has failed before.
    pub fn reset(&mut self) -> Result<(), SimError> {
        self.nics.iter_mut().for_each(|nic| nic.inputs.reset = 1);
        let result = self.run(RESET_CYCLES.into());
        self.nics.iter_mut().for_each(|nic| nic.inputs.reset = 0);
        result
    }

    /// One cycle.
    ///
    /// # Errors
    /// A monitor has found a violation, or the socket is broken; the run does not go on after that.
    #[inline]
    pub fn step(&mut self) -> Result<(), SimError> {
        if self.failure.is_some() {
            return self.fail();
        }
        for nic in &mut self.nics {
            nic.step(&mut self.wire);
        }
        if let Some(outside) = &mut self.outside {
            if let Err(error) = outside.step(self.nics[0].core.cycle(), &mut self.wire) {
                self.failure = Some(error);
                return self.fail();
            }
        }
        match self.nics.iter().any(|nic| nic.violation().is_some()) {
            false => Ok(()),
            true => self.fail(),
        }
    }

    #[cold]
    fn fail(&mut self) -> Result<(), SimError> {
        if self.failure.is_none() {
            let violation = self.violation().cloned();
            let state = self.state();
            self.failure = violation.map(|violation| SimError::Violation { violation, state });
        }
        self.seen.set(true);
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// The first broken rule.
    fn violation(&self) -> Option<&Violation> {
        self.nics.iter().find_map(Nic::violation)
    }

    /// A number of cycles.
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn run(&mut self, cycles: u64) -> Result<(), SimError> {
        (0..cycles).try_for_each(|_| self.step())
    }

    /// Cycles until `condition` holds; `what` names it in the error.
    ///
    /// # Errors
    /// It does not hold after `limit` cycles, or as [`Self::step`].
    pub fn run_until(
        &mut self,
        what: &str,
        limit: u64,
        mut condition: impl FnMut(&Self) -> bool,
    ) -> Result<(), SimError> {
        for _ in 0..limit {
            if condition(self) {
                return Ok(());
            }
            self.step()?;
        }
        match condition(self) {
            true => Ok(()),
            false => Err(SimError::Limit { what: what.into(), cycles: limit, state: self.state() }),
        }
    }

    /// An access to BAR0; runs until it has its answer, which may be an error response.
    ///
    /// # Errors
    /// There is no answer, or as [`Self::step`].
    pub fn bar(&mut self, request: BarRequest) -> Result<BarAnswer, SimError> {
        self.bar_of(0, request)
    }

    /// An access to BAR0 of a NIC.
    ///
    /// # Errors
    /// As [`Self::bar`].
    pub fn bar_of(&mut self, nic: usize, request: BarRequest) -> Result<BarAnswer, SimError> {
        if self.failure.is_some() {
            self.fail()?;
        }
        let Nic { monitor, core, host, inputs, .. } = &mut self.nics[nic];
        monitor.bar_begins(core.cycle(), request);
        host.start(request, inputs);
        let limit = BAR_LIMIT * if host.timing().stall > 0 { 10 } else { 1 };
        for _ in 0..limit {
            self.step()?;
            let Nic { monitor, core, host, log, .. } = &mut self.nics[nic];
            if let Some(answer) = host.take_answer() {
                monitor.bar_ends(core.cycle() - 1, request, answer, log);
                return Ok(answer);
            }
        }
        let error = SimError::Limit { what: format!("answer to {request:?}"), cycles: limit, state: self.state() };
        // The access stays open on the bus, so nothing can follow it.
        self.failure = Some(error.clone());
        Err(error)
    }

    /// Reads a register.
    ///
    /// # Errors
    /// As [`Self::bar`].
    pub fn bar_read(&mut self, offset: u32) -> Result<BarAnswer, SimError> {
        self.bar(BarRequest::Read { offset: offset as u16 })
    }

    /// Writes a whole register.
    ///
    /// # Errors
    /// As [`Self::bar`].
    pub fn bar_write(&mut self, offset: u32, value: u32) -> Result<BarAnswer, SimError> {
        self.bar(BarRequest::Write { offset: offset as u16, value, strobes: 15 })
    }

    /// Ends the run: waits until the buses are idle and checks that nothing was lost.
    ///
    /// # Errors
    /// A bus does not come to rest, something is missing, the capture cannot be written, or the Verilog runtime has reported
    /// errors.
    pub fn finish(&mut self) -> Result<(), SimError> {
        let timing = *self.timing();
        let limit = rest_limit(&timing, self.wire.settings());
        self.run_until("the bus at rest at the end of the run", limit, |sim| sim.nics.iter().all(Nic::is_idle))?;
        self.run(2)?;
        for nic in &mut self.nics {
            nic.monitor.end(nic.core.cycle());
        }
        if self.violation().is_some() {
            self.fail()?;
        }
        self.wire.end_capture()?;
        match self.nics.iter().map(|nic| nic.core.errors()).sum() {
            0 => Ok(()),
            count => Err(SimError::Runtime { count }),
        }
    }

    /// The NICs.
    #[must_use]
    pub fn nics(&self) -> &[Nic] {
        &self.nics
    }

    /// A NIC.
    ///
    /// # Panics
    /// There is no such NIC.
    pub fn nic(&mut self, index: usize) -> &mut Nic {
        &mut self.nics[index]
    }

    /// The wire.
    #[must_use]
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// The wire, to inject frames and faults.
    pub fn wire_mut(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// Changes how the wire behaves, from here on.
    pub fn set_wire(&mut self, change: impl FnOnce(&mut WireSettings)) {
        change(self.wire.settings());
        self.nics.iter_mut().for_each(|nic| nic.set_rate(&mut self.wire));
    }

    /// Gives a made-up frame to a NIC; `bad` lets its MAC mark it.
    pub fn inject_frame(&mut self, nic: usize, bytes: Vec<u8>, bad: bool) {
        let (cycle, end) = (self.cycle(), self.nics[nic].end);
        self.wire.inject(cycle, end, bytes, bad);
    }

    /// Cycles since power-up.
    #[must_use]
    pub fn cycle(&self) -> u64 {
        self.nics[0].core.cycle()
    }

    /// Which core this is.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.nics[0].core.variant()
    }

    /// Simulated time, by the preset's clock.
    #[must_use]
    pub fn time(&self) -> Duration {
        let khz = u64::from(self.variant().preset().core_khz);
        Duration::from_nanos((u128::from(self.cycle()) * 1_000_000 / u128::from(khz)) as u64)
    }

    /// Cycles that a span of simulated time takes, at least 1.
    #[must_use]
    pub fn cycles(&self, time: Duration) -> u64 {
        let khz = u128::from(self.variant().preset().core_khz);
        u64::try_from(time.as_nanos() * khz / 1_000_000).unwrap_or(u64::MAX).max(1)
    }

    /// Cycles a second of real time, since the start.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.cycle() as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    /// Host memory; the handle stays good while the simulation runs.
    #[must_use]
    pub fn memory(&self) -> HostMemory {
        self.nics[0].memory()
    }

    /// Adds a bus error to come.
    pub fn inject(&mut self, fault: Fault) {
        self.nics[0].inject(fault);
    }

    /// Removes the bus errors that are still to come.
    pub fn clear_faults(&mut self) {
        self.nics[0].clear_faults();
    }

    /// Bus errors so far, injected ones too.
    #[must_use]
    pub fn bus_faults(&self) -> &[BusFault] {
        self.nics[0].bus_faults()
    }

    /// How the host answers; may be changed while the run goes on.
    pub fn timing(&mut self) -> &mut Timing {
        self.nics[0].timing()
    }

    /// Interrupt requests of a vector so far.
    #[must_use]
    pub fn interrupts(&self, vector: u8) -> u64 {
        self.nics[0].interrupts(vector)
    }

    /// The monitor, to lend memory by hand.
    pub fn monitor(&mut self) -> &mut Monitor {
        self.nics[0].monitor()
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Log {
        self.nics[0].log()
    }

    /// The log, to write it somewhere.
    pub fn log_mut(&mut self) -> &mut Log {
        self.nics[0].log_mut()
    }

    /// A remark in the log.
    pub fn note(&mut self, text: &str) {
        let cycle = self.cycle();
        self.nics[0].log.push(cycle, Event::Note(text.into()));
    }

    /// Why the run has stopped, if it has.
    #[must_use]
    pub fn failure(&self) -> Option<&SimError> {
        self.seen.set(true);
        self.failure.as_ref()
    }

    /// The caller of the simulator could not pass the failure on.
    pub(crate) fn not_seen(&self) {
        self.seen.set(false);
    }

    /// State of the buses and the last transactions, for a report.
    #[must_use]
    pub fn state(&self) -> String {
        let outside = self.outside.as_ref().map_or(String::new(), Outside::state);
        let nics: String = match &self.nics[..] {
            [nic] => nic.state(),
            nics => nics.iter().map(|nic| format!("NIC {}: {}", nic.name, nic.state())).collect(),
        };
        outside + &nics
    }
}

/// Cycles in which buses and ports must come to rest: what the host may hold up, and for each port the longest frame at the
/// rate of the line.
fn rest_limit(timing: &Timing, wire: &WireSettings) -> u64 {
    let host = 10 * (u64::from(timing.read_latency) + u64::from(timing.read_jitter));
    let frame = LONGEST as u64;
    // One cycle of so many passes a beat, of at least 8 bytes.
    let pauses = 100u64.div_ceil(100 - u64::from(wire.stall.max(wire.gap).min(99)));
    let bytes = frame + u64::from(wire.overhead);
    let line = |rate: Rate| bytes.saturating_mul(rate.cycles.into()) / u64::from(rate.bytes.max(1));
    let port = (frame / 8 * pauses).saturating_add(wire.rate.map_or(0, line));
    port.saturating_mul(2).saturating_add(10_000 + host)
}

impl Drop for Simulator {
    /// No violation goes unseen: a test that did not look at it fails here, one that fails anyway shows it.
    fn drop(&mut self) {
        let Some(violation) = self.violation().filter(|_| !self.seen.get()) else { return };
        let report = format!("{violation}\n{}", self.state());
        match std::thread::panicking() {
            true => eprintln!("{report}"),
            false => panic!("{report}"),
        }
    }
}
