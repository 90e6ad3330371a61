//! One simulated device: core, host and monitor, clocked together.
//!
//! Order within a cycle: the core settles on the inputs, the monitor looks, the clock rises, the host decides the next
//! inputs from the outputs that the edge saw.
mod error;
mod settings;

#[cfg(test)]
mod tests;

pub use error::SimError;
pub use settings::Settings;

use crate::core::{Core, Inputs, Variant};
use crate::host::{BarAnswer, BarRequest, BusFault, Fault, Host, HostMemory, Timing};
use crate::log::{Event, Log};
use crate::monitor::Monitor;
use rnic_abi::limits::{BAR_CYCLES, RESET_CYCLES, VECTORS};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Transactions that a report shows.
const REPORTED: usize = 40;
/// A BAR access ends within the device's limit, plus what the host itself may hold it up.
const BAR_LIMIT: u64 = 4 * BAR_CYCLES as u64;

/// One device under simulation.
pub struct Simulator {
    core: Core,
    host: Host,
    monitor: Monitor,
    log: Log,
    inputs: Inputs,
    started: Instant,
    failure: Option<SimError>,
    /// Someone has got the failure.
    seen: Cell<bool>,
}

impl Simulator {
    /// A device right after the reset of its port. Its tables are not cleared yet: see STATUS.ready.
    ///
    /// # Errors
    /// The trace cannot be written.
    pub fn new(settings: &Settings) -> Result<Self, SimError> {
        let Settings { variant, seed, timing, trace, log_depth } = settings;
        let core = Core::new(*variant, (*seed ^ *seed >> 32) as u32, trace.as_deref())?;
        let host = Host::new(variant.preset().data, *timing, *seed);
        let monitor = Monitor::new(variant.preset(), host.memory().clone());
        let mut simulator = Self {
            core,
            host,
            monitor,
            log: Log::new(*log_depth),
            inputs: Inputs { tx_tready: 1, ..Inputs::default() },
            started: Instant::now(),
            failure: None,
            seen: Cell::new(false),
        };
        simulator.reset()?;
        Ok(simulator)
    }

    /// Resets the core by its port. The host must be idle: on real hardware the bridge is reset with the core.
    ///
    /// # Errors
    /// The run has failed before.
    pub fn reset(&mut self) -> Result<(), SimError> {
        self.inputs.reset = 1;
        let result = self.run(RESET_CYCLES.into());
        self.inputs.reset = 0;
        result
    }

    /// One cycle.
    ///
    /// # Errors
    /// The monitor has found a violation; the run does not go on after that.
    #[inline]
    pub fn step(&mut self) -> Result<(), SimError> {
        if self.failure.is_some() {
            return self.fail();
        }
        let cycle = self.core.cycle();
        let outputs = self.core.settle(&self.inputs);
        self.monitor.observe(cycle, &self.inputs, outputs, &mut self.log);
        self.core.rise();
        if let Some(done) = self.host.clock(cycle, self.core.outputs(), &mut self.inputs) {
            self.monitor.write_done(cycle, &done, &mut self.log);
        }
        match self.monitor.violation() {
            None => Ok(()),
            Some(_) => self.fail(),
        }
    }

    #[cold]
    fn fail(&mut self) -> Result<(), SimError> {
        if self.failure.is_none() {
            let violation = self.monitor.violation().cloned();
            let state = self.state();
            self.failure = violation.map(|violation| SimError::Violation { violation, state });
        }
        self.seen.set(true);
        self.failure.clone().map_or(Ok(()), Err)
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
        if self.failure.is_some() {
            self.fail()?;
        }
        self.monitor.bar_begins(self.core.cycle(), request);
        self.host.start(request, &mut self.inputs);
        let limit = BAR_LIMIT * if self.host.timing().stall > 0 { 10 } else { 1 };
        for _ in 0..limit {
            self.step()?;
            if let Some(answer) = self.host.take_answer() {
                self.monitor.bar_ends(self.core.cycle() - 1, request, answer, &mut self.log);
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

    /// Ends the run: waits until the bus is idle and checks that nothing was lost.
    ///
    /// # Errors
    /// The bus does not come to rest, something is missing, or the Verilog runtime has reported errors.
    pub fn finish(&mut self) -> Result<(), SimError> {
        let limit = 10_000 + 10 * u64::from(self.host.timing().read_latency + self.host.timing().read_jitter);
        self.run_until("the bus at rest at the end of the run", limit, |sim| sim.host.is_idle(&sim.inputs))?;
        self.run(2)?;
        self.monitor.end(self.core.cycle());
        if self.monitor.violation().is_some() {
            self.fail()?;
        }
        match self.core.errors() {
            0 => Ok(()),
            count => Err(SimError::Runtime { count }),
        }
    }

    /// Cycles since power-up.
    #[must_use]
    pub fn cycle(&self) -> u64 {
        self.core.cycle()
    }

    /// Which core this is.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.core.variant()
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
        self.host.memory().clone()
    }

    /// Adds a bus error to come.
    pub fn inject(&mut self, fault: Fault) {
        self.host.faults().inject(fault);
    }

    /// Removes the bus errors that are still to come.
    pub fn clear_faults(&mut self) {
        self.host.faults().clear();
    }

    /// Bus errors so far, injected ones too.
    #[must_use]
    pub fn bus_faults(&self) -> &[BusFault] {
        self.host.bus_faults()
    }

    /// How the host answers; may be changed while the run goes on.
    pub fn timing(&mut self) -> &mut Timing {
        self.host.timing()
    }

    /// Interrupt requests of a vector so far.
    #[must_use]
    pub fn interrupts(&self, vector: u8) -> u64 {
        self.host.interrupts(vector)
    }

    /// The monitor, to lend memory by hand.
    pub fn monitor(&mut self) -> &mut Monitor {
        &mut self.monitor
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The log, to write it somewhere.
    pub fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    /// A remark in the log.
    pub fn note(&mut self, text: &str) {
        self.log.push(self.core.cycle(), Event::Note(text.into()));
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

    /// State of the bus and the last transactions, for a report.
    #[must_use]
    pub fn state(&self) -> String {
        let list = |bursts: &mut dyn Iterator<Item = (u8, usize)>| {
            let text = bursts.map(|(id, count)| format!("{count} of id {id}")).collect::<Vec<_>>().join(", ");
            if text.is_empty() {
                "none".to_owned()
            } else {
                text
            }
        };
        let outputs = self.core.outputs();
        let interrupts = (0..VECTORS as u8).map(|vector| self.interrupts(vector).to_string()).collect::<Vec<_>>();
        format!(
            "cycle {} of preset {}\n  reads in flight: {}\n  writes in flight: {}\n  BAR access: {}\n  \
             bus: arvalid {} arready {} rvalid {} rready {} awvalid {} awready {} wvalid {} wready {} bvalid {} \
             bready {}\n  interrupts by vector: {}\nlast transactions:\n{}",
            self.cycle(),
            self.variant().name(),
            list(&mut self.host.reads_in_flight()),
            list(&mut self.host.writes_in_flight()),
            self.host.waiting().map_or("none".into(), |request| format!("{request:?}")),
            outputs.arvalid,
            self.inputs.m_arready,
            self.inputs.m_rvalid,
            outputs.rready,
            outputs.awvalid,
            self.inputs.m_awready,
            outputs.wvalid,
            self.inputs.m_wready,
            self.inputs.m_bvalid,
            outputs.bready,
            interrupts.join(" "),
            self.log.tail(REPORTED),
        )
    }
}

impl Drop for Simulator {
    /// No violation goes unseen: a test that did not look at it fails here, one that fails anyway shows it.
    fn drop(&mut self) {
        let Some(violation) = self.monitor.violation().filter(|_| !self.seen.get()) else { return };
        let report = format!("{violation}\n{}", self.state());
        match std::thread::panicking() {
            true => eprintln!("{report}"),
            false => panic!("{report}"),
        }
    }
}
