//! What a scenario needs of a machine besides what the driver needs.

use crate::host::{BarAnswer, BarRequest, Fault, DECERR, OKAY, SLVERR};
use crate::platform::SimMemory;
use crate::reference::device::{ModelBar, ModelClock, SharedModel};
use crate::wire::{EndId, Wire, WireSettings};
use rnic_abi::preset::Preset;
use rnic_driver::{BusError, Parts, Platform};
use std::ops::Range;

/// A device under test with its host.
pub trait Machine: Platform<Memory = SimMemory> + Clone {
    /// Limits of the device.
    fn preset(&self) -> &'static Preset;
    /// Cycles so far.
    fn cycle(&self) -> u64;
    /// Lets time pass; ends early when the run has failed.
    fn run(&self, cycles: u64);
    /// Time passes for this machine alone, not for all NICs of the run.
    fn has_own_clock(&self) -> bool;
    /// A register access of any kind. None when the device does not answer.
    fn access(&self, request: BarRequest) -> Option<BarAnswer>;
    /// Interrupts of a vector so far.
    fn interrupts(&self, vector: u8) -> u64;
    /// Adds a bus error to come.
    fn inject(&self, fault: Fault);
    /// Removes all bus errors that are still to come.
    fn clear_faults(&self);
    /// The first bus access since cycle `since` that touches one of the ranges, as text.
    fn touched(&self, since: u64, ranges: &[Range<u64>]) -> Option<String>;
    /// The last bus and register accesses, oldest first.
    fn recent(&self, count: usize) -> Vec<String>;
    /// State of its buses and of its end of the wire, with the last frames that passed.
    fn state(&self) -> Vec<String>;
    /// Why the run cannot go on: a rule that the device has broken on its ports.
    fn failure(&self) -> Option<String>;
    /// Ends the run: what must not be left undone.
    fn finish(&self) -> Option<String>;
    /// Lends memory behind the local DMA lkey.
    fn lend(&self, range: Range<u64>);
    /// The wire that this machine is an end of, with the cycle; none if it has no wire.
    fn wire<T>(&self, access: impl FnOnce(&mut Wire, EndId, u64) -> T) -> Option<T>;
    /// Changes how the wire behaves; false if it has no wire.
    fn set_wire(&self, change: impl FnOnce(&mut WireSettings)) -> bool;
}

/// The reference model as a machine.
pub type ModelMachine = Parts<ModelBar, SimMemory, ModelClock>;

/// A machine around this model.
pub fn model_machine(model: &SharedModel, memory: SimMemory) -> ModelMachine {
    Parts { bar: ModelBar(model.clone()), memory, clock: ModelClock(model.clone()) }
}

impl Machine for ModelMachine {
    fn preset(&self) -> &'static Preset {
        let name = self.bar.0.borrow().preset().name;
        Preset::by_name(name).expect("a model is made of a known preset")
    }

    fn cycle(&self) -> u64 {
        self.bar.0.borrow().cycle()
    }

    fn run(&self, cycles: u64) {
        self.bar.0.borrow_mut().run(cycles);
    }

    fn has_own_clock(&self) -> bool {
        true
    }

    fn access(&self, request: BarRequest) -> Option<BarAnswer> {
        let mut model = self.bar.0.borrow_mut();
        let result = match request {
            BarRequest::Read { offset } => model.read_register(offset.into()),
            BarRequest::Write { offset, value, strobes } => {
                model.write_register(offset.into(), value, strobes).map(|()| 0)
            }
        };
        let response = match result {
            Ok(_) => OKAY,
            Err(BusError::Decode { .. }) => DECERR,
            Err(_) => SLVERR,
        };
        Some(BarAnswer { value: result.unwrap_or(0), response, cycles: 0 })
    }

    fn interrupts(&self, vector: u8) -> u64 {
        self.bar.0.borrow().interrupts(vector)
    }

    fn inject(&self, fault: Fault) {
        self.bar.0.borrow().inject(fault);
    }

    fn clear_faults(&self) {
        self.bar.0.borrow().clear_faults();
    }

    fn touched(&self, since: u64, ranges: &[Range<u64>]) -> Option<String> {
        let accesses = self.bar.0.borrow().accesses();
        let overlaps = |range: &Range<u64>| ranges.iter().any(|r| r.start < range.end && range.start < r.end);
        let found = accesses.iter().find(|access| access.cycle >= since && overlaps(&access.range))?;
        Some(format!("cycle {}: {:?} at {:#x}", found.cycle, found.way, found.range.start))
    }

    fn recent(&self, count: usize) -> Vec<String> {
        let accesses = self.bar.0.borrow().accesses();
        let last = accesses.iter().skip(accesses.len().saturating_sub(count));
        last.map(|access| {
            let bytes = access.range.end - access.range.start;
            format!("cycle {}: {:?} of {bytes} bytes at {:#x}", access.cycle, access.way, access.range.start)
        })
        .collect()
    }

    fn state(&self) -> Vec<String> {
        vec![]
    }

    fn failure(&self) -> Option<String> {
        None
    }

    fn finish(&self) -> Option<String> {
        None
    }

    fn lend(&self, _range: Range<u64>) {}

    fn wire<T>(&self, _access: impl FnOnce(&mut Wire, EndId, u64) -> T) -> Option<T> {
        None
    }

    fn set_wire(&self, _change: impl FnOnce(&mut WireSettings)) -> bool {
        false
    }
}
