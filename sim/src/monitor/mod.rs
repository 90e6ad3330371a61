//! Watches everything that passes the core's ports, in every run, and stops the run at the first broken rule.
//!
//! It sees what can be seen from outside of I1 to I7 and I11:
//! - handshakes, burst shapes and answers (`protocol`, I7, BA4);
//! - who touches what (I1, I2, I11): the monitor learns rings from the admin commands, page lists and pages from the
//!   WQEs that the device fetches, and when each goes back from the CQEs. [`Monitor::lend`] adds memory by hand;
//! - completions (I6, D17): one whole burst, next place in the ring, right phase, in posting order, one a WR, none
//!   forgotten; bytes count as visible when the write has its response;
//! - raw descriptors (T95, T105): in order, behind the bytes of their frame, right phase.
//!
//! Not its part: exact moments inside the device (the proofs), and whether a result is right (the reference model).
mod admin;
mod bus;
mod completion;
mod lends;
mod lists;
mod objects;
mod pages;
mod problem;
mod protocol;
mod raw;
mod ring;
mod send;
mod write_data;

#[cfg(test)]
mod tests;

pub use lends::Role;
pub use problem::Violation;

use crate::core::{Inputs, Outputs};
use crate::host::{BarAnswer, BarRequest, HostMemory, WriteDone, OKAY};
use crate::log::{Event, Log, Meaning};
use admin::Mailbox;
use lends::Lends;
use objects::Objects;
use problem::Problem;
use protocol::Protocol;
use raw::RawRings;
use rnic_abi::preset::Preset;
use rnic_abi::{register as reg, wqe};
use std::collections::VecDeque;
use std::ops::Range;

/// The monitor of one core.
#[derive(Debug)]
pub struct Monitor {
    preset: &'static Preset,
    width: u64,
    memory: HostMemory,
    protocol: Protocol,
    objects: Objects,
    mailbox: Mailbox,
    lends: Lends,
    /// What the bursts on their way are for, by id, as [`Protocol`] keeps them.
    reads: [VecDeque<Meaning>; 16],
    writes: [VecDeque<Meaning>; 16],
    worst: [u8; 16],
    /// The slot that arrives on the WQE id.
    slot: wqe::Slot,
    event_registers: [u32; 3],
    events: u64,
    raw: RawRings,
    resetting: bool,
    violation: Option<Violation>,
}

impl Monitor {
    /// A monitor for a core of this preset and its host's memory.
    #[must_use]
    pub fn new(preset: &'static Preset, memory: HostMemory) -> Self {
        let width = u64::from(preset.strb());
        Self {
            preset,
            width,
            memory,
            protocol: Protocol::new(width),
            objects: Objects::new(preset),
            mailbox: Mailbox::new(),
            lends: Lends::default(),
            reads: Default::default(),
            writes: Default::default(),
            worst: [OKAY; 16],
            slot: [0; wqe::BYTES],
            event_registers: [0; 3],
            events: 0,
            raw: RawRings::default(),
            resetting: false,
            violation: None,
        }
    }

    /// Lends memory for a role: bursts of that role may touch it.
    pub fn lend(&mut self, range: Range<u64>, role: Role) {
        self.lends.lend(range, role);
    }

    /// Takes lent memory back; false when that very range was not lent.
    pub fn take_back(&mut self, range: &Range<u64>) -> bool {
        self.lends.take_back(range)
    }

    /// The first broken rule.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// One cycle, as it stands just before the rising edge.
    pub fn observe(&mut self, cycle: u64, inputs: &Inputs, outputs: &Outputs, log: &mut Log) {
        if inputs.reset == 1 {
            self.forget();
            return;
        }
        if self.violation.is_none() {
            let result =
                self.protocol.observe(inputs, outputs).and_then(|passed| self.passed(cycle, inputs, passed, log));
            self.judge(cycle, result);
        }
    }

    /// A BAR access begins: a doorbell counts from here on.
    pub fn bar_begins(&mut self, cycle: u64, request: BarRequest) {
        let BarRequest::Write { offset, value, strobes: 15 } = request else { return };
        let offset = u32::from(offset);
        let index = |first: u32, count: u32| (first..first + 4 * count).contains(&offset).then(|| (offset - first) / 4);
        if offset == reg::GO {
            let change = self.mailbox.go(value);
            self.admin(cycle, change);
        } else if let Some(index) = index(reg::SQ_DOORBELL, self.preset.qps) {
            if let Some(pair) = self.objects.pairs.get_mut(&index).filter(|_| value <= 0xFFFF) {
                pair.send.doorbell(value as u16);
            }
        } else if let Some(index) = index(reg::RQ_DOORBELL, self.preset.qps) {
            if value <= 0xFFFF {
                self.objects.receive_doorbell(index, value as u16);
            }
        } else if let Some(cq) = index(reg::CQ_DOORBELL, self.preset.cqs()).and_then(|n| self.objects.cqs.get_mut(&n)) {
            cq.doorbell(reg::CQ_DOORBELL_COUNT.get(value));
        }
    }

    /// A BAR access has its answer.
    pub fn bar_ends(&mut self, cycle: u64, request: BarRequest, answer: BarAnswer, log: &mut Log) {
        log.push(cycle, Event::Bar(request, answer));
        match request {
            BarRequest::Write { offset, value, strobes } => {
                let (offset, accepted) = (u32::from(offset), answer.response == OKAY && strobes == 15);
                let change = self.mailbox.written(offset, value, accepted);
                self.admin(cycle, change);
                if accepted {
                    self.register_written(offset, value);
                }
            }
            BarRequest::Read { offset } if answer.response == OKAY => {
                let change = self.mailbox.read(offset.into(), answer.value);
                self.admin(cycle, change);
                let ready = u32::from(offset) == reg::STATUS && reg::STATUS_READY.is_set(answer.value);
                if self.resetting && ready {
                    self.forget_objects();
                }
            }
            BarRequest::Read { .. } => {}
        }
    }

    /// A write has its response, and its bytes are visible if that is OKAY.
    pub fn write_done(&mut self, cycle: u64, done: &WriteDone, log: &mut Log) {
        let Some(meaning) = self.writes[usize::from(done.id)].pop_front() else { return };
        let result = match meaning {
            Meaning::Completion { cqn, .. } => self.completion(cycle, cqn, done, log),
            Meaning::DeviceEvent { index } => self.device_event(cycle, index, done, log),
            meaning => {
                log.push(cycle, Event::WriteDone { id: done.id, address: done.address, response: done.response });
                match meaning {
                    Meaning::Raw => self.raw.done(done, &self.memory),
                    _ => Ok(()),
                }
            }
        };
        self.judge(cycle, result);
    }

    /// The run is over: nothing may be on its way.
    pub fn end(&mut self, cycle: u64) {
        let result = self.protocol.end();
        self.judge(cycle, result);
    }

    fn judge(&mut self, cycle: u64, result: Result<(), Problem>) {
        if let (Err(Problem { rule, text }), None) = (result, &self.violation) {
            self.violation = Some(Violation { cycle, rule, text });
        }
    }

    fn forget(&mut self) {
        self.protocol.clear();
        self.reads.iter_mut().chain(&mut self.writes).for_each(VecDeque::clear);
        self.worst = [OKAY; 16];
        self.forget_objects();
    }

    fn forget_objects(&mut self) {
        self.objects = Objects::new(self.preset);
        self.mailbox = Mailbox::new();
        self.event_registers = [0; 3];
        self.events = 0;
        self.raw = RawRings::default();
        self.resetting = false;
    }

    fn register_written(&mut self, offset: u32, value: u32) {
        match offset {
            reg::CONTROL => self.resetting |= reg::CONTROL_RESET.is_set(value),
            reg::EVENT_BASE_LOW => self.event_registers[0] = value,
            reg::EVENT_BASE_HIGH => self.event_registers[1] = value,
            reg::EVENT_LOG2 => (self.event_registers[2], self.events) = (value, 0),
            _ => self.raw.written(offset, value, self.width, &self.memory),
        }
    }

    fn admin(&mut self, cycle: u64, change: Option<admin::Change>) {
        let result = change.map_or(Ok(()), |change| self.objects.change(change));
        self.judge(cycle, result);
    }
}
