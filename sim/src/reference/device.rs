//! The model behind BAR0 and host memory: a platform on which the driver and scenario files run without hardware.
//!
//! It has no latency worth the name: a register access takes `ACCESS_CYCLES`, one work request a cycle is executed, round
//! robin over the queue pairs. What scenario files show on it follows from the rules alone, so a scenario that passes here and
//! fails on the hardware points at the hardware, and the other way round.

use super::{BusError as ReadError, DoorbellDrop, Errno, Memory, ReferenceNic, Step};
use crate::host::{Fault, HostMemory, Way};
use rnic_abi::drop as reason;
use rnic_abi::preset::Preset;
use rnic_abi::register::{self as reg, Access, Register, Reset};
use rnic_abi::{caps, cqe, event, limits};
use rnic_driver::{Bar, BusError, Clock};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// Cycles of a register access.
const ACCESS_CYCLES: u64 = 10;
/// Bus accesses that are kept for a report.
const KEPT: usize = 100_000;

/// A bus access of the model.
#[derive(Clone, Debug)]
pub struct BusAccess {
    /// When.
    pub cycle: u64,
    /// Read or write.
    pub way: Way,
    /// Bus addresses.
    pub range: Range<u64>,
}

/// What a completion queue has been asked for (`interfaces.md` section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Armed {
    /// Any completion.
    Next,
    /// A solicited or failed one.
    Solicited,
}

/// The device.
#[derive(Debug)]
pub struct ModelDevice {
    nic: ReferenceNic,
    memory: HostMemory,
    faults: RefCell<Vec<Fault>>,
    accesses: RefCell<VecDeque<BusAccess>>,
    cycle: u64,
    values: BTreeMap<u32, u32>,
    command: [u32; 32],
    answer: [u32; 16],
    admin_status: u32,
    counters: BTreeMap<u32, u32>,
    armed: BTreeMap<u32, Armed>,
    interrupts: [u64; limits::VECTORS as usize],
    events_written: u32,
    event_lost: bool,
    turn: usize,
}

impl ModelDevice {
    /// A device after reset.
    pub fn new(preset: &'static Preset, memory: HostMemory) -> Self {
        Self {
            nic: ReferenceNic::new(preset),
            memory,
            faults: RefCell::default(),
            accesses: RefCell::default(),
            cycle: 0,
            values: BTreeMap::new(),
            command: [0; 32],
            answer: [0; 16],
            admin_status: 0,
            counters: BTreeMap::new(),
            armed: BTreeMap::new(),
            interrupts: [0; limits::VECTORS as usize],
            events_written: 0,
            event_lost: false,
            turn: 0,
        }
    }

    /// Cycles so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Limits.
    pub fn preset(&self) -> &Preset {
        self.nic.preset()
    }

    /// Bus accesses so far, oldest first.
    pub fn accesses(&self) -> Vec<BusAccess> {
        self.accesses.borrow().iter().cloned().collect()
    }

    /// Interrupts of a vector so far.
    pub fn interrupts(&self, vector: u8) -> u64 {
        self.interrupts.get(usize::from(vector)).copied().unwrap_or(0)
    }

    /// Adds a bus error to come. AXI ids are not modelled: a fault of one id hits the reads and writes that have it.
    pub fn inject(&self, fault: Fault) {
        self.faults.borrow_mut().push(fault);
    }

    /// Removes all bus errors.
    pub fn clear_faults(&self) {
        self.faults.borrow_mut().clear();
    }

    /// Lets time pass.
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle += 1;
            self.work();
        }
    }

    /// One work request of the next queue pair that has any.
    fn work(&mut self) {
        let numbers: Vec<u32> = self.nic.queue_pairs.iter().flatten().map(|qp| qp.qpn).collect();
        for offset in 0..numbers.len() {
            let index = (self.turn + offset) % numbers.len();
            let qpn = numbers[index];
            let sends = self.nic.queue_pair(qpn).is_some_and(|qp| qp.runs() && qp.pending_sends() > 0);
            let step = if sends { self.execute(qpn) } else { self.nic.flush_receive(qpn) };
            if let Some(step) = step {
                self.turn = index + 1;
                self.deliver(&step);
                return;
            }
        }
    }

    fn execute(&mut self, qpn: u32) -> Option<Step> {
        let Self { nic, memory, faults, accesses, cycle, .. } = self;
        nic.execute(qpn, &Bus { memory, faults, accesses, cycle: *cycle, id: 2 })
    }

    /// Writes the completion and the events of a step.
    fn deliver(&mut self, step: &Step) {
        if let Some(cqe) = &step.cqe {
            let queue = self.nic.completion_queue(cqe.cqn).expect("a completion has a queue");
            let address = queue.entry_address(queue.produced.wrapping_sub(1));
            let vector = usize::from(queue.vector);
            self.write(0, address, &cqe.bytes(self.cycle as u32));
            let solicited = cqe.flags & cqe::FLAG_SOLICITED != 0 || cqe.status.code() != 0;
            match self.armed.get(&cqe.cqn) {
                Some(Armed::Solicited) if !solicited => {}
                None => {}
                Some(_) => {
                    self.armed.remove(&cqe.cqn);
                    self.interrupts[vector] += 1;
                }
            }
        }
        if step.syndrome != 0 {
            self.count(reg::syndrome_counter(step.syndrome));
        }
        self.report_events();
    }

    fn report_events(&mut self) {
        for event in self.nic.take_events() {
            self.write_event(event.kind, event.number, event.detail);
        }
    }

    fn write_event(&mut self, kind: u8, number: u32, detail: u32) {
        let log2 = self.value(reg::EVENT_LOG2);
        let base = u64::from(self.value(reg::EVENT_BASE_LOW)) | u64::from(self.value(reg::EVENT_BASE_HIGH)) << 32;
        let waiting = self.events_written.wrapping_sub(self.value(reg::EVENT_CONSUMER)) & 0xFFFF;
        if log2 == 0 {
            self.count(reg::drop_counter(reason::EVENT_NO_RING));
        } else if waiting == 1 << log2 {
            self.event_lost = true;
            self.count(reg::drop_counter(reason::EVENT_RING_FULL));
        } else {
            let slot = u64::from(self.events_written & ((1 << log2) - 1));
            let phase = self.events_written >> log2 & 1 == 0;
            let entry = event::Event { kind: kind.into(), number, detail, phase };
            if !self.write(1, base + slot * event::BYTES as u64, &entry.encode()) {
                self.count(reg::drop_counter(reason::EVENT_NO_RING));
            }
            self.events_written = self.events_written.wrapping_add(1);
            self.interrupts[0] += 1;
        }
    }

    /// A write of this AXI id; whether the bus took it.
    fn write(&self, id: u8, address: u64, bytes: &[u8]) -> bool {
        let range = address..address + bytes.len() as u64;
        let bus = self.bus(id);
        bus.note(Way::Write, &range);
        let taken = !bus.fails(Way::Write, &range);
        if taken {
            self.memory.write(address, bytes);
        }
        taken
    }

    fn bus(&self, id: u8) -> Bus<'_> {
        let Self { memory, faults, accesses, cycle, .. } = self;
        Bus { memory, faults, accesses, cycle: *cycle, id }
    }

    fn count(&mut self, counter: u32) {
        let count = self.counters.entry(counter).or_default();
        *count = count.wrapping_add(1);
    }

    /// Value of a plain register.
    fn value(&self, offset: u32) -> u32 {
        let preset = self.nic.preset();
        let reset = || match find(offset).map(|register| register.reset) {
            Some(Reset::Value(value)) => value,
            Some(Reset::Build) => reg::build_value(offset, preset, preset.core_khz).unwrap_or(0),
            _ => 0,
        };
        self.values.get(&offset).copied().unwrap_or_else(reset)
    }

    /// A read of BAR0.
    pub fn read_register(&mut self, offset: u32) -> Result<u32, BusError> {
        self.run(ACCESS_CYCLES);
        let register = find(offset).ok_or(BusError::Decode { offset })?;
        if register.access == Access::WO {
            return Err(BusError::Refused { offset });
        }
        let word = (offset - register.offset) as usize / 4;
        Ok(match register.offset {
            reg::CAPS => caps::OFFERED,
            reg::STATUS => reg::STATUS_READY.put(1) | reg::STATUS_EVENT_OVERFLOW.put(self.event_lost.into()),
            reg::ADMIN_COMMAND => self.command[word],
            reg::ADMIN_ANSWER => self.answer[word],
            reg::ADMIN_STATUS => self.admin_status,
            reg::SYNDROME_COUNTER | reg::DROP_COUNTER => self.counters.get(&offset).copied().unwrap_or(0),
            _ => self.value(offset),
        })
    }

    /// A write of BAR0 with one strobe bit a byte.
    pub fn write_register(&mut self, offset: u32, value: u32, strobes: u8) -> Result<(), BusError> {
        self.run(ACCESS_CYCLES);
        let register = find(offset).ok_or(BusError::Decode { offset })?;
        if register.access == Access::RO || strobes != 0xF || !value_allowed(register.offset, value) {
            return Err(BusError::Refused { offset });
        }
        let index = (offset - register.offset) / 4;
        match register.offset {
            reg::CONTROL if reg::CONTROL_RESET.is_set(value) => self.reset(value),
            reg::STATUS => self.event_lost &= !reg::STATUS_EVENT_OVERFLOW.is_set(value),
            reg::ADMIN_COMMAND => self.command[index as usize] = value,
            reg::GO => self.go(value),
            reg::SYNDROME_COUNTER | reg::DROP_COUNTER => drop(self.counters.remove(&offset)),
            reg::SQ_DOORBELL | reg::RQ_DOORBELL | reg::CQ_DOORBELL => self.doorbell(register.offset, index, value),
            reg::EVENT_LOG2 => {
                self.events_written = 0;
                self.values.insert(offset, value);
            }
            _ => drop(self.values.insert(offset, value)),
        }
        Ok(())
    }

    fn reset(&mut self, control: u32) {
        let preset = *self.nic.preset();
        self.nic = ReferenceNic::new(&preset);
        self.values.clear();
        self.values.insert(reg::CONTROL, control & !reg::CONTROL_RESET.mask());
        self.counters.clear();
        self.armed.clear();
        (self.command, self.answer, self.admin_status) = ([0; 32], [0; 16], 0);
        (self.events_written, self.event_lost) = (0, false);
    }

    fn go(&mut self, value: u32) {
        let result = self.nic.admin(reg::GO_OPCODE.get(value) as u8, &self.command);
        let errno = result.err().unwrap_or(Errno::Success);
        self.answer = result.unwrap_or_default();
        self.report_events();
        self.admin_status = reg::ADMIN_STATUS_DONE.put(1)
            | reg::ADMIN_STATUS_ERRNO.put(errno.code().into())
            | reg::ADMIN_STATUS_TOKEN.put(reg::GO_TOKEN.get(value));
    }

    fn doorbell(&mut self, kind: u32, index: u32, value: u32) {
        if !reg::CONTROL_ENABLE.is_set(self.value(reg::CONTROL)) {
            return self.count(reg::drop_counter(reason::DOORBELL_DISABLED));
        }
        let dropped = match kind {
            reg::SQ_DOORBELL => {
                let Self { nic, memory, faults, accesses, cycle, .. } = self;
                let bus = Bus { memory, faults, accesses, cycle: *cycle, id: 0 };
                let result = nic.ring_send(index as usize, value, &bus);
                result.err().map(|drop| queue_drop(drop, reason::SQ_DOORBELL_INDEX))
            }
            reg::RQ_DOORBELL => {
                let result = self.nic.ring_receive(index as usize, value);
                result.err().map(|drop| queue_drop(drop, reason::RQ_DOORBELL_INDEX))
            }
            _ => self.completion_doorbell(index, value),
        };
        if let Some(reason) = dropped {
            self.count(reg::drop_counter(reason));
        }
    }

    /// CQ doorbell: consumption, then arming. Answers why it was dropped.
    fn completion_doorbell(&mut self, cqn: u32, value: u32) -> Option<u8> {
        let Some(queue) = self.nic.completion_queue_mut(cqn) else { return Some(reason::CQ_DOORBELL_INDEX) };
        let arm = reg::CQ_DOORBELL_ARM.is_set(value);
        let solicited = reg::CQ_DOORBELL_ARM_SOLICITED.is_set(value);
        let known = reg::CQ_DOORBELL_COUNT.mask() | reg::CQ_DOORBELL_ARM.mask() | reg::CQ_DOORBELL_ARM_SOLICITED.mask();
        if value & !known != 0 {
            return Some(reason::CQ_DOORBELL_VALUE);
        }
        if !queue.consume(reg::CQ_DOORBELL_COUNT.get(value)) {
            return Some(reason::CQ_DOORBELL_COUNT);
        }
        let (waiting, vector) = (queue.unconsumed() > 0, usize::from(queue.vector));
        if (arm || solicited) && waiting {
            self.interrupts[vector] += 1;
        } else if arm || solicited {
            self.armed.insert(cqn, if arm { Armed::Next } else { Armed::Solicited });
        }
        None
    }
}

/// Reason of a dropped SQ or RQ doorbell; the four reasons of a queue stand behind one another.
fn queue_drop(drop: DoorbellDrop, first: u8) -> u8 {
    first
        + match drop {
            DoorbellDrop::NoQueue => 0,
            DoorbellDrop::State => 1,
            DoorbellDrop::Count => 2,
            DoorbellDrop::Value => 3,
        }
}

/// The register at an offset.
fn find(offset: u32) -> Option<&'static Register> {
    let holds = |register: &&Register| {
        offset % 4 == 0 && (register.offset..register.offset + 4 * register.count).contains(&offset)
    };
    reg::REGISTERS.iter().find(holds)
}

/// Bad values of plain registers are refused.
fn value_allowed(register: u32, value: u32) -> bool {
    match register {
        reg::CONTROL => value < 1 << 5,
        reg::STATUS => value & !reg::STATUS_EVENT_OVERFLOW.mask() == 0,
        reg::TICK => value != 0,
        reg::WINDOW => (limits::WINDOW_MIN..=limits::WINDOW_MAX).contains(&value),
        reg::EVENT_BASE_LOW | reg::RAW_RECEIVE_BASE_LOW | reg::RAW_SEND_BASE_LOW => value % 4096 == 0,
        reg::EVENT_BASE_HIGH | reg::RAW_RECEIVE_BASE_HIGH | reg::RAW_SEND_BASE_HIGH => value < 1 << 20,
        reg::EVENT_LOG2 | reg::RAW_RECEIVE_LOG2 | reg::RAW_SEND_LOG2 => {
            value == 0 || (limits::EVENT_LOG2_MIN..=limits::EVENT_LOG2_MAX).contains(&value)
        }
        reg::EVENT_CONSUMER | reg::RAW_RECEIVE_PRODUCER | reg::RAW_SEND_PRODUCER | reg::MAC_HIGH => value < 1 << 16,
        _ => true,
    }
}

/// Host memory with its faults.
struct Bus<'a> {
    memory: &'a HostMemory,
    faults: &'a RefCell<Vec<Fault>>,
    accesses: &'a RefCell<VecDeque<BusAccess>>,
    cycle: u64,
    id: u8,
}

impl Bus<'_> {
    fn note(&self, way: Way, range: &Range<u64>) {
        let mut accesses = self.accesses.borrow_mut();
        if accesses.len() == KEPT {
            accesses.pop_front();
        }
        accesses.push_back(BusAccess { cycle: self.cycle, way, range: range.clone() });
    }

    /// An injected fault hits this access.
    fn fails(&self, way: Way, range: &Range<u64>) -> bool {
        let mut faults = self.faults.borrow_mut();
        let touches = |wanted: &Range<u64>| wanted.start < range.end && range.start < wanted.end;
        for index in 0..faults.len() {
            let fault = &mut faults[index];
            let address = fault.addresses.as_ref().is_none_or(touches);
            if fault.way != way || !address || fault.id.is_some_and(|id| id != self.id) {
                continue;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
                continue;
            }
            if let Some(count) = &mut fault.count {
                *count -= 1;
                if *count == 0 {
                    faults.remove(index);
                }
            }
            return true;
        }
        false
    }
}

impl Memory for Bus<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), ReadError> {
        let range = address..address + bytes.len() as u64;
        self.note(Way::Read, &range);
        let readable = self.memory.find(address).is_some_and(|mapping| mapping.permission.read);
        if self.fails(Way::Read, &range) || !readable || !self.memory.read(address, bytes) {
            return Err(ReadError);
        }
        Ok(())
    }
}

/// The model, shared between the parts of a platform.
pub type SharedModel = Rc<RefCell<ModelDevice>>;

/// BAR0 of the model.
#[derive(Clone, Debug)]
pub struct ModelBar(pub SharedModel);

impl Bar for ModelBar {
    fn read(&self, offset: u32) -> Result<u32, BusError> {
        self.0.borrow_mut().read_register(offset)
    }

    fn write(&self, offset: u32, value: u32) -> Result<(), BusError> {
        self.0.borrow_mut().write_register(offset, value, 0xF)
    }

    fn wait_interrupt(&self, vector: u8, timeout: Duration) -> Result<bool, BusError> {
        let mut model = self.0.borrow_mut();
        let before = model.interrupts(vector);
        let limit = (timeout.as_micros() as u64 * u64::from(model.preset().core_khz) / 1000).min(1 << 20);
        let fired = (0..=limit).any(|_| {
            model.run(1);
            model.interrupts(vector) != before
        });
        Ok(fired)
    }
}

/// Time of the model.
#[derive(Clone, Debug)]
pub struct ModelClock(pub SharedModel);

impl Clock for ModelClock {
    fn now(&self) -> Duration {
        let model = self.0.borrow();
        Duration::from_nanos(model.cycle() * 1_000_000 / u64::from(model.preset().core_khz))
    }

    fn pause(&self) {
        self.0.borrow_mut().run(16);
    }
}
