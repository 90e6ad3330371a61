//! One NIC of a simulation: core, host, monitor, log, and the stream ports towards the wire.
use super::settings::Settings;
use super::{SimError, REPORTED};
use crate::core::{Core, Inputs, Outputs};
use crate::host::{BusFault, Fault, Host, HostMemory, Timing};
use crate::log::{Event, Log};
use crate::monitor::{Monitor, Violation};
use crate::wire::{frame, EndId, Receiver, Transmitter, Wire};
use rnic_abi::limits::VECTORS;
use std::path::{Path, PathBuf};

/// One NIC with its host.
pub struct Nic {
    pub(super) name: String,
    pub(super) core: Core,
    pub(super) host: Host,
    pub(super) monitor: Monitor,
    pub(super) log: Log,
    pub(super) inputs: Inputs,
    pub(super) end: EndId,
    transmitter: Transmitter,
    receiver: Receiver,
    /// What the ports have found.
    stream_violation: Option<Violation>,
}

/// Seed of a NIC: the first one has the run's own.
fn seed_of(seed: u64, index: usize) -> u64 {
    seed ^ (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Trace of a NIC: the first one has the file's own name, others `name.nic.fst`.
fn trace_of(trace: &Path, index: usize, name: &str) -> PathBuf {
    let ending = trace.extension().map_or("fst".into(), |ending| ending.to_string_lossy());
    if index == 0 {
        trace.into()
    } else {
        trace.with_extension(format!("{name}.{ending}"))
    }
}

impl Nic {
    pub(super) fn new(settings: &Settings, index: usize, name: &str, end: EndId) -> Result<Self, SimError> {
        let Settings { variant, seed, timing, trace, log_depth, wire, .. } = settings;
        let seed = seed_of(*seed, index);
        let trace = trace.as_ref().map(|trace| trace_of(trace, index, name));
        let core = Core::new(*variant, (seed ^ seed >> 32) as u32, trace.as_deref())?;
        let data = variant.preset().data;
        let host = Host::new(data, *timing, seed);
        let monitor = Monitor::new(variant.preset(), host.memory().clone());
        Ok(Self {
            name: name.into(),
            core,
            host,
            monitor,
            log: Log::new(*log_depth),
            inputs: Inputs { tx_tready: 1, ..Inputs::default() },
            end,
            transmitter: Transmitter::new(data, wire.rate, wire.overhead),
            receiver: Receiver::new(data),
            stream_violation: None,
        })
    }

    /// One cycle: the core settles on the inputs, the monitor looks, the clock rises, host and wire decide the next inputs.
    #[inline]
    pub(super) fn step(&mut self, wire: &mut Wire) {
        let cycle = self.core.cycle();
        let outputs = self.core.settle(&self.inputs);
        self.monitor.observe(cycle, &self.inputs, outputs, &mut self.log);
        self.core.rise();
        if self.inputs.reset == 1 {
            self.transmitter.clear();
            self.receiver.clear(&mut self.inputs);
        } else {
            self.pass_frames(cycle, wire);
        }
        if let Some(done) = self.host.clock(cycle, self.core.outputs(), &mut self.inputs) {
            self.monitor.write_done(cycle, &done, &mut self.log);
        }
    }

    #[inline]
    fn pass_frames(&mut self, cycle: u64, wire: &mut Wire) {
        let (outputs, end) = (self.core.outputs(), self.end);
        let (stall, gap) = wire.pauses();
        match self.transmitter.clock(outputs, &mut self.inputs, stall) {
            Ok(None) => {}
            Ok(Some((bytes, bad))) => {
                let mark = if bad { " (marked bad)" } else { "" };
                let text = format!("frame out{mark}, {} B: {}", bytes.len(), frame::describe(&bytes));
                self.log.push(cycle, Event::Note(text.into()));
                wire.send(cycle, end, bytes, bad);
            }
            Err(error) => {
                let text = error.to_string();
                self.stream_violation.get_or_insert(Violation { cycle, rule: "AXI-Stream", text });
            }
        }
        let log = &mut self.log;
        self.receiver.clock(outputs, &mut self.inputs, gap, || {
            let arrival = wire.receive(cycle, end)?;
            let mark = if arrival.bad { " (marked bad)" } else { "" };
            let text = format!("frame in{mark}, {} B: {}", arrival.bytes.len(), frame::describe(&arrival.bytes));
            log.push(cycle, Event::Note(text.into()));
            Some(arrival)
        });
    }

    /// The line changes its rate.
    pub(super) fn set_rate(&mut self, wire: &mut Wire) {
        let settings = *wire.settings();
        self.transmitter.set_rate(settings.rate, settings.overhead);
    }

    /// Nothing is on its way on the bus and on the ports.
    pub(super) fn is_idle(&self) -> bool {
        self.host.is_idle(&self.inputs) && self.transmitter.is_idle() && self.receiver.is_idle()
    }

    /// The first broken rule.
    pub(super) fn violation(&self) -> Option<&Violation> {
        self.monitor.violation().or(self.stream_violation.as_ref())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its end of the wire.
    #[must_use]
    pub fn end(&self) -> EndId {
        self.end
    }

    /// Outputs of the core, as its last edge saw them.
    #[must_use]
    pub fn outputs(&self) -> &Outputs {
        self.core.outputs()
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

    /// State of the bus and the last transactions, for a report.
    #[must_use]
    pub fn state(&self) -> String {
        format!("{}last transactions:\n{}", self.buses(), self.log.tail(REPORTED))
    }

    /// State of the bus, the ports and the interrupts.
    #[must_use]
    pub fn buses(&self) -> String {
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
             bready {}\n  wire: tx_tvalid {} tx_tready {} rx_tvalid {} rx_tready {}\n  \
             interrupts by vector: {}\n",
            self.core.cycle(),
            self.core.variant().name(),
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
            outputs.tx_tvalid,
            self.inputs.tx_tready,
            self.inputs.rx_tvalid,
            outputs.rx_tready,
            interrupts.join(" "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_nic_has_the_seed_and_the_trace_of_the_run() {
        assert_eq!(seed_of(5, 0), 5);
        assert_ne!(seed_of(5, 1), seed_of(5, 2));
        let trace = Path::new("out/run.fst");
        assert_eq!(trace_of(trace, 0, "a"), trace);
        assert_eq!(trace_of(trace, 1, "b"), Path::new("out/run.b.fst"));
    }
}
