//! One of the two devices with its rings in host memory. Commands go to it and to its model, and must agree.

use super::super::bed::broken;
use super::super::Disagreement;
use crate::platform::{HostBuffer, SimPlatform};
use crate::reference::{BusError, Memory, ReferenceNic};
use crate::scenario::Machine;
use rnic_abi::{admin, cqe, register as reg, wqe};
use rnic_driver::{Bar, Device, DmaBuffer, DmaMemory, Error, OpenOptions};

/// Completion entries of each queue: more than all rings hold together, so that none overflows.
const CQ_LOG2: u32 = 12;
/// Completion queues of each device.
pub(super) const CQS: usize = 2;
/// Slots of a ring: few, so that it wraps often.
pub(super) const RING_LOG2: u32 = 5;
/// Page lists of a region in a row, each at its own place.
const LISTS: u64 = 8;
/// Bytes of a page list.
const LIST: u64 = 128;

struct Ring {
    buffer: HostBuffer,
    read: u32,
}

/// A device.
pub(super) struct Side {
    pub machine: SimPlatform,
    pub device: Device<SimPlatform>,
    rings: Vec<Ring>,
    lists: HostBuffer,
}

/// Rings and lists in host memory, for the model.
pub(super) struct HostView<'a>(pub &'a SimPlatform);

impl Memory for HostView<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), BusError> {
        if self.0.memory.host().read(address, bytes) {
            Ok(())
        } else {
            Err(BusError)
        }
    }
}

/// MAC and address of a device.
pub(super) fn identity(side: usize) -> ([u8; 6], [u8; 16]) {
    let last = side as u8 + 1;
    ([2, 0, 0, 0, 0, last], crate::wire::frame::map([10, 0, 0, last]))
}

impl Side {
    pub fn new(
        machine: SimPlatform,
        side: usize,
        model: &mut ReferenceNic,
        regions: u64,
    ) -> Result<Self, Disagreement> {
        let (mac, address) = identity(side);
        let options = OpenOptions { mac: Some(mac), addresses: vec![address], ..OpenOptions::default() };
        let device = Device::open_with(machine.clone(), options).map_err(broken)?;
        let lists = allocate(&machine, (regions * LISTS * LIST) as usize)?;
        let mut side = Self { machine, device, rings: vec![], lists };
        for cqn in 0..CQS as u32 {
            let buffer = allocate(&side.machine, cqe::BYTES << CQ_LOG2)?;
            let base = buffer.bus_address();
            side.command(model, admin::CREATE_CQ, &[cqn, CQ_LOG2, base as u32, (base >> 32) as u32])?;
            side.rings.push(Ring { buffer, read: 0 });
        }
        Ok(side)
    }

    /// A ring for a queue.
    pub fn ring(&self) -> Result<HostBuffer, Disagreement> {
        allocate(&self.machine, wqe::BYTES << RING_LOG2)
    }

    /// A command on both, which succeeds.
    pub fn command(&self, model: &mut ReferenceNic, opcode: u8, words: &[u32]) -> Result<(), Disagreement> {
        let mut all = [0; 32];
        all[..words.len()].copy_from_slice(words);
        let what = || format!("admin command {opcode:#04x} {words:x?}");
        if let Err(errno) = model.admin(opcode, &all) {
            return Err(Disagreement::new(
                format!("errno {} to {}", errno.code(), what()),
                "a campaign of right commands",
            ));
        }
        match self.ask(opcode, words)? {
            Ok(_) => Ok(()),
            Err(errno) => Err(Disagreement::new(format!("success of {}", what()), format!("errno {errno}"))),
        }
    }

    /// Answer words of the device.
    pub fn ask(&self, opcode: u8, words: &[u32]) -> Result<Result<[u32; 16], u8>, Disagreement> {
        match self.device.admin_command(opcode, words) {
            Ok(answer) => Ok(Ok(answer)),
            Err(Error::Admin { errno, .. }) => Ok(Err(errno.number())),
            Err(error) => Err(broken(error)),
        }
    }

    pub fn write_register(&self, offset: u32, value: u32) -> Result<(), Disagreement> {
        let written = self.machine.bar.write(offset, value);
        written.map_err(|error| Disagreement::new(format!("write of register {offset:#06x}"), error.to_string()))
    }

    /// The next completion of a queue, if it is there.
    pub fn poll(&mut self, cqn: usize) -> Option<[u8; cqe::BYTES]> {
        let ring = &mut self.rings[cqn];
        let place = (ring.read & ((1 << CQ_LOG2) - 1)) as usize * cqe::BYTES;
        let mut bytes = [0; cqe::BYTES];
        ring.buffer.read_bytes(place, &mut bytes);
        let first = ring.read >> CQ_LOG2 & 1 == 0;
        if (bytes[cqe::BYTES - 1] & 0x80 != 0) != first {
            return None;
        }
        ring.read = ring.read.wrapping_add(1);
        Some(bytes)
    }

    /// Tells the device that everything read is consumed. The model's queues never fill, so it need not know.
    pub fn consume(&self, cqn: usize) -> Result<(), Disagreement> {
        let count = reg::CQ_DOORBELL_COUNT.put(self.rings[cqn].read);
        self.write_register(reg::cq_doorbell(cqn as u32), count)
    }

    /// Puts page list number `number` of a region into memory.
    pub fn list(&self, region: u64, number: u64, pages: &[u64]) -> u64 {
        let place = (region * LISTS + number % LISTS) * LIST;
        for (index, page) in pages.iter().enumerate() {
            self.lists.write_u64(place as usize + 8 * index, *page);
        }
        self.lists.bus_address() + place
    }

    pub fn preset(&self) -> &'static rnic_abi::preset::Preset {
        self.machine.preset()
    }
}

fn allocate(machine: &SimPlatform, bytes: usize) -> Result<HostBuffer, Disagreement> {
    machine.memory.allocate(bytes).map_err(|error| Disagreement::new("memory", error.to_string()))
}
