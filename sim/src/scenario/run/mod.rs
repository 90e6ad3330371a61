//! Runs a scenario: sets up its objects with the driver, then takes one step after another.

mod admin;
mod data;
mod expect;
mod host;
mod objects;
mod post;
mod raw;
mod state;
mod summary;
mod wire;

use super::file::{NicTable, Scenario};
use super::machine::Machine;
use super::report::{Failure, Report, Row};
use super::step::{Action, Step};
use objects::Objects;
use rnic_abi::limits::DRAIN_MAX;
use rnic_abi::preset::Preset;
use rnic_driver::{Device, Errno, Error, OpenOptions, TimeLimits};
use serde_spanned::Spanned;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// Transactions in a report.
const SHOWN: usize = 24;

/// A step that did not do what it should.
#[derive(Clone, Debug)]
pub(super) struct Unmet {
    expected: String,
    found: String,
}

impl Unmet {
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { expected: expected.into(), found: found.into() }
    }
}

/// What a step answers.
type Outcome = Result<(), Unmet>;

/// Memory that must not be touched any more.
struct Forbidden {
    nic: usize,
    since: u64,
    ranges: Vec<Range<u64>>,
    what: String,
}

/// One NIC of the run.
struct Nic<M: Machine> {
    name: String,
    machine: M,
    device: Device<M>,
    /// Interrupts of each vector that steps have taken note of.
    interrupts_seen: BTreeMap<u8, u64>,
}

struct Runner<M: Machine> {
    /// The first one; its clock is that of all.
    machine: M,
    nics: Vec<Nic<M>>,
    objects: Objects<M>,
    forbidden: Vec<Forbidden>,
    next_wr_id: u64,
}

/// Runs a scenario on one machine for each of its NICs. `seed` is only reported; the machines have been made with it.
///
/// # Panics
/// Without a machine.
pub fn run<M: Machine>(scenario: &Scenario, machines: Vec<M>, seed: u64) -> Report {
    let machine = machines.first().expect("a scenario has at least one NIC").clone();
    let mut report = Report {
        scenario: scenario.name.clone(),
        title: scenario.title.clone(),
        preset: machine.preset().name,
        seed,
        cycles: 0,
        steps: Vec::new(),
        passed: true,
        failure: None,
    };
    match set_up(scenario, machines) {
        Ok(mut runner) => {
            report.steps.push(Row {
                step: "bring up the device and its objects".into(),
                status: "ok",
                cycles: machine.cycle(),
            });
            runner.steps(&scenario.step, &mut report);
            runner.finish(&mut report);
        }
        Err(unmet) => {
            let step = "bring up the device and its objects".to_string();
            fail(&mut report, step.clone(), unmet, machine.cycle(), machine.recent(SHOWN), machine.state());
            report.steps.push(Row { step, status: "failed", cycles: machine.cycle() });
        }
    }
    report.cycles = machine.cycle();
    report
}

fn fail(report: &mut Report, step: String, unmet: Unmet, cycle: u64, transactions: Vec<String>, state: Vec<String>) {
    report.passed = false;
    let Unmet { expected, found } = unmet;
    report.failure = Some(Failure { step, expected, found, cycle, transactions, state });
}

fn set_up<M: Machine>(scenario: &Scenario, machines: Vec<M>) -> Result<Runner<M>, Unmet> {
    let event_log2 = scenario.device.events.next_power_of_two().trailing_zeros() as u8;
    let mut nics = Vec::new();
    for (index, (name, machine)) in scenario.nics().into_iter().zip(machines).enumerate() {
        let identity = scenario.nic.get(&name).map(|table| identity(table, index as u8 + 1));
        let (mac, addresses) = identity.map_or((None, vec![]), |(mac, addresses)| (Some(mac), addresses));
        let options = OpenOptions { event_log2, mac, addresses, limits: limits(machine.preset()) };
        let device = Device::open_with(machine.clone(), options);
        let device = device.map_err(|error| Unmet::new("a device that comes up", error.to_string()))?;
        nics.push(Nic { name, machine, device, interrupts_seen: BTreeMap::new() });
    }
    let objects = Objects::create(scenario, &nics)?;
    Ok(Runner { machine: nics[0].machine.clone(), nics, objects, forbidden: Vec::new(), next_wr_id: 1 })
}

/// How long the driver waits: a little longer than the device may take, so that a device that hangs is soon reported.
fn limits(preset: &Preset) -> TimeLimits {
    let limit = Duration::from_nanos(2 * u64::from(DRAIN_MAX) * 1_000_000 / u64::from(preset.core_khz));
    TimeLimits { reset: limit, admin: limit, drain: limit }
}

/// MAC address and own addresses of NIC number `number`, from 1 on.
fn identity(table: &NicTable, number: u8) -> ([u8; 6], Vec<[u8; 16]>) {
    let ipv4 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, number];
    let ipv6 = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number];
    let addresses = table.addresses.as_ref().map(|addresses| addresses.iter().map(|address| address.0).collect());
    (table.mac.map_or([2, 0, 0, 0, 0, number], |mac| mac.0), addresses.unwrap_or_else(|| vec![ipv4, ipv6]))
}

impl<M: Machine> Runner<M> {
    fn steps(&mut self, steps: &[Spanned<Step>], report: &mut Report) {
        for (number, step) in steps.iter().enumerate() {
            let step = step.get_ref();
            let before = self.machine.cycle();
            let outcome = self.step(step);
            let text = step.title.clone().unwrap_or_else(|| summary::summary(&step.action));
            let status = if outcome.is_ok() { "ok" } else { "failed" };
            report.steps.push(Row { step: text.clone(), status, cycles: self.machine.cycle() - before });
            if let Err(unmet) = outcome {
                let step = format!("step {}, line {} ({}): {text}", number + 1, step.line, step.action.key());
                return self.fail(report, step, unmet);
            }
        }
    }

    /// One step, then what must hold at every moment. A rule that was broken tells more than what the step has missed by that;
    /// for repeated steps it has been told already, with the round.
    fn step(&mut self, step: &Step) -> Outcome {
        let outcome = self.act(&step.action);
        match (&step.action, outcome) {
            (Action::Repeat(_), Err(unmet)) => Err(unmet),
            (_, outcome) => self.always().and(outcome),
        }
    }

    fn always(&self) -> Outcome {
        if let Some(failure) = self.machine.failure() {
            return Err(Unmet::new("a device that keeps the rules of its ports", failure));
        }
        for forbidden in &self.forbidden {
            let machine = &self.nics[forbidden.nic].machine;
            if let Some(access) = machine.touched(forbidden.since, &forbidden.ranges) {
                let expected = format!("no bus access to {} from cycle {} on", forbidden.what, forbidden.since);
                return Err(Unmet::new(expected, access));
            }
        }
        Ok(())
    }

    fn finish(&mut self, report: &mut Report) {
        if !report.passed {
            return;
        }
        let before = self.machine.cycle();
        let agree = self.regions_agree();
        let rest = self.machine.finish().map_or(Ok(()), |text| Err(Unmet::new("a bus at rest and nothing lost", text)));
        let outcome = agree.and(rest).and_then(|()| self.always());
        let step = "end of the run".to_string();
        if let Err(unmet) = outcome {
            report.steps.push(Row { step: step.clone(), status: "failed", cycles: self.machine.cycle() - before });
            self.fail(report, step, unmet);
        }
    }

    fn fail(&self, report: &mut Report, step: String, unmet: Unmet) {
        let (cycle, transactions) = (self.machine.cycle(), self.recent());
        fail(report, step, unmet, cycle, transactions, self.state());
    }

    /// The last transactions of all NICs.
    fn recent(&self) -> Vec<String> {
        let [nic] = &self.nics[..] else {
            let lines = |nic: &Nic<M>| {
                let lines = nic.machine.recent(SHOWN).into_iter();
                lines.map(|line| format!("{}: {line}", nic.name)).collect::<Vec<_>>()
            };
            return self.nics.iter().flat_map(lines).collect();
        };
        nic.machine.recent(SHOWN)
    }

    /// Number of the NIC with this name; the first without a name.
    fn nic_index(&self, name: Option<&String>) -> usize {
        name.and_then(|name| self.nics.iter().position(|nic| nic.name == *name)).unwrap_or(0)
    }

    /// Number of the NIC with this name; else of the one that an object is on, else of the first.
    fn nic_index_or(&self, name: Option<&String>, object: Option<&String>) -> usize {
        match (name, object) {
            (None, Some(object)) => self.objects.nic_of(object),
            _ => self.nic_index(name),
        }
    }

    /// The NIC with this name; the first without a name.
    fn nic(&self, name: Option<&String>) -> &Nic<M> {
        &self.nics[self.nic_index(name)]
    }

    /// Lets time pass for all NICs.
    fn run(&self, cycles: u64) {
        let others = self.nics.iter().skip(1).map(|nic| &nic.machine).filter(|machine| machine.has_own_clock());
        std::iter::once(&self.machine).chain(others).for_each(|machine| machine.run(cycles));
    }

    /// The NIC that an object is on.
    fn nic_of(&self, object: &str) -> &Nic<M> {
        &self.nics[self.objects.nic_of(object)]
    }

    fn act(&mut self, action: &Action) -> Outcome {
        match action {
            Action::AllocMr(body) => self.alloc_mr(body),
            Action::DeregMr(body) => self.dereg_mr(body),
            Action::UpdateKey(body) => self.update_key(body),
            Action::RecoverMr(body) => self.recover_mr(body),
            Action::FreePd(body) => self.free_pd(body),
            Action::CreateCq(body) => self.create_cq(body),
            Action::DestroyCq(body) => self.destroy_cq(body),
            Action::CreateQp(body) => self.create_qp(body),
            Action::DestroyQp(body) => self.destroy_qp(body),
            Action::ModifyQp(body) => self.modify_qp(body),
            Action::Drain(body) => self.drain(body),
            Action::Connect(body) => self.connect(body),
            Action::Admin(body) => self.admin(body),
            Action::RegMr(body) => self.reg_mr(body),
            Action::LocalInv(body) => self.local_inv(body),
            Action::Raw(body) => self.raw(body),
            Action::Send(body) => self.send(body),
            Action::Write(body) => self.write(body),
            Action::Read(body) => self.read(body),
            Action::CmpSwap(body) => self.cmp_swap(body),
            Action::FetchAdd(body) => self.fetch_add(body),
            Action::Receive(body) => self.receive(body),
            Action::Ring(body) => self.ring(body),
            Action::Arm(body) => self.arm(body),
            Action::Completion(body) => self.completion(body),
            Action::NoCompletion(body) => self.no_completion(body),
            Action::Probe(body) => self.probe(body),
            Action::QueryMr(body) => self.query_mr(body),
            Action::QueryQp(body) => self.query_qp(body),
            Action::ReadRegister(body) => self.read_register(body),
            Action::WriteRegister(body) => self.write_register(body),
            Action::Counter(body) => self.counter(body),
            Action::Event(body) => self.event(body),
            Action::NoEvent(body) => self.no_event(body),
            Action::Interrupt(body) => self.interrupt(body),
            Action::NoInterrupt(body) => self.no_interrupt(body),
            Action::Memory(body) => self.expect_memory(body),
            Action::WriteMemory(body) => self.write_memory(body),
            Action::FillMemory(body) => self.fill_memory(body),
            Action::CompareMemory(body) => self.compare_memory(body),
            Action::InjectFault(body) => self.inject_fault(body),
            Action::ClearFaults(body) => {
                self.nic(body.nic.as_ref()).machine.clear_faults();
                Ok(())
            }
            Action::Wire(body) => self.wire(body),
            Action::WireFault(body) => self.wire_fault(body),
            Action::ClearWireFaults(_) => self.clear_wire_faults(),
            Action::InjectFrame(body) => self.inject_frame(body),
            Action::ExpectFrame(body) => self.expect_frame(body),
            Action::NoFrame(body) => self.no_frame(body),
            Action::ForgetFrames(body) => self.forget_frames(body),
            Action::WireCounter(body) => self.wire_counter(body),
            Action::Unmap(body) => self.unmap(body),
            Action::NoAccess(body) => self.no_access(body),
            Action::OpenRaw(body) => self.open_raw(body),
            Action::SendRaw(body) => self.send_raw(body),
            Action::ReceiveRaw(body) => self.receive_raw(body),
            Action::NoRaw(body) => self.no_raw(body),
            Action::RawUnsent(body) => self.raw_unsent(body),
            Action::Run(body) => {
                self.run(body.cycles);
                Ok(())
            }
            Action::Repeat(body) => self.repeat(body),
        }
    }

    fn repeat(&mut self, body: &super::step::Repeat) -> Outcome {
        for round in 1..=body.times {
            for step in body.step.iter().map(Spanned::get_ref) {
                self.step(step).map_err(|unmet| Unmet {
                    expected: format!(
                        "{} (round {round}, {} in line {})",
                        unmet.expected,
                        step.action.key(),
                        step.line
                    ),
                    found: unmet.found,
                })?;
            }
        }
        Ok(())
    }

    /// Runs cycle by cycle until `condition` answers something, for at most `limit` cycles.
    fn wait<T>(
        &mut self,
        limit: u64,
        mut condition: impl FnMut(&mut Self) -> Result<Option<T>, Unmet>,
    ) -> Result<Option<T>, Unmet> {
        let end = self.machine.cycle() + limit;
        loop {
            if let Some(found) = condition(self)? {
                return Ok(Some(found));
            }
            if self.machine.cycle() >= end || self.machine.failure().is_some() {
                return Ok(None);
            }
            self.run(1);
        }
    }

    fn wr_id(&mut self, given: Option<u64>) -> u64 {
        let id = given.unwrap_or(self.next_wr_id);
        self.next_wr_id = id.wrapping_add(1);
        id
    }
}

/// Whether a call ended as the step expects: with success, or with this errno.
fn expect_errno<T>(result: Result<T, (Errno, String)>, expected: Option<Errno>) -> Result<Option<T>, Unmet> {
    match (result, expected) {
        (Ok(value), None) => Ok(Some(value)),
        (Err((errno, _)), Some(expected)) if errno == expected => Ok(None),
        (Ok(_), Some(expected)) => Err(Unmet::new(expected.name(), "success")),
        (Err((errno, text)), expected) => {
            Err(Unmet::new(expected.map_or("success", Errno::name), format!("{errno} ({text})")))
        }
    }
}

fn driver_error(error: Error) -> (Errno, String) {
    (error.errno(), error.to_string())
}

/// An error of the driver where none is expected.
fn unexpected(error: Error) -> Unmet {
    Unmet::new("an answer of the device", format!("{} ({error})", error.errno()))
}
