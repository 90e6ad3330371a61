//! The device under test with its rings in host memory, and the model beside it.

use super::{Disagreement, Summary};
use crate::host::HostMemory;
use crate::random::Random;
use crate::reference::{BusError, Memory, ReferenceNic};
use crate::scenario::Machine;
use rnic_abi::admin;
use rnic_abi::preset::Preset;
use rnic_abi::register as reg;
use rnic_abi::{cqe, wqe};
use rnic_driver::{Bar, Device, DmaBuffer, DmaMemory, Error};
use std::collections::VecDeque;
use std::ops::Range;

/// Completion entries of each queue; a round makes far fewer.
const CQ_LOG2: u32 = 9;
/// Slots of a ring: small, so that it wraps often.
pub(super) const RING_LOG2: u32 = 5;
/// Operations that a report shows.
const SHOWN: usize = 40;
/// Page lists of a round.
pub(super) const LISTS: u64 = 96;
/// Protection domains.
pub(super) const PDS: [u32; 2] = [0x00_0111, 0xABC_DEF];

/// Memory that the device shares.
pub(super) type Buffer<M> = <<M as rnic_driver::Platform>::Memory as DmaMemory>::Buffer;

/// A queue pair of the campaign.
pub(super) struct Pair<M: Machine> {
    pub qpn: u32,
    /// Which protection domain, and with it which completion queue.
    pub group: usize,
    pub privileged: bool,
    send_ring: Buffer<M>,
    receive_ring: Buffer<M>,
    /// Send slots written.
    pub written: u16,
    /// Receive slots posted.
    pub received: u16,
    /// MODIFY_QP to ERR was sent, and the model does not know yet: it takes effect at the first flush.
    pub failing: bool,
}

struct Ring<M: Machine> {
    buffer: Buffer<M>,
    read: u32,
}

/// Device and model.
pub(super) struct Bed<M: Machine> {
    pub machine: M,
    pub device: Device<M>,
    pub model: ReferenceNic,
    pub random: Random,
    pub pairs: Vec<Pair<M>>,
    rings: Vec<Ring<M>>,
    /// Page lists of this round.
    pub lists: Buffer<M>,
    pub lists_used: u64,
    /// Bus addresses whose reads fail in this round.
    pub poisoned: Vec<Range<u64>>,
    /// Memory regions are the indices from 1 to this.
    pub regions: u32,
    pub summary: Summary,
    history: VecDeque<String>,
}

/// Host memory as the model reads it: what is not mapped or poisoned fails.
pub(super) struct ModelMemory<'a> {
    host: &'a HostMemory,
    poisoned: &'a [Range<u64>],
}

impl Memory for ModelMemory<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), BusError> {
        let end = address + bytes.len() as u64;
        let poisoned = self.poisoned.iter().any(|range| range.start < end && address < range.end);
        if poisoned || !self.host.read(address, bytes) {
            return Err(BusError);
        }
        Ok(())
    }
}

/// A command that the driver could not bring to an answer.
pub(super) fn broken(error: Error) -> Disagreement {
    Disagreement::new("an answer of the device", error.to_string())
}

impl<M: Machine> Bed<M> {
    /// Brings the device up with its queues.
    pub fn new(machine: M, seed: u64) -> Result<Self, Disagreement> {
        let device = Device::open(machine.clone()).map_err(broken)?;
        let preset = machine.preset();
        let allocate = |bytes: usize| {
            machine.memory().allocate(bytes).map_err(|error| Disagreement::new("memory", error.to_string()))
        };
        let lists = allocate((LISTS * list_bytes(preset)) as usize)?;
        let mut bed = Self {
            device,
            model: ReferenceNic::new(preset),
            random: Random::new(seed, 21),
            pairs: Vec::new(),
            rings: Vec::new(),
            lists,
            lists_used: 0,
            poisoned: Vec::new(),
            regions: (preset.mr_entries - 1).min(12),
            summary: Summary::default(),
            history: VecDeque::new(),
            machine: machine.clone(),
        };
        for cqn in 0..PDS.len() as u32 {
            let buffer = allocate(cqe::BYTES << CQ_LOG2)?;
            let base = buffer.bus_address();
            bed.command(admin::CREATE_CQ, &[cqn, CQ_LOG2, base as u32, (base >> 32) as u32])?;
            bed.rings.push(Ring { buffer, read: 0 });
        }
        for (index, group) in [0, 0, 1, 0, 1].into_iter().enumerate() {
            let qpn = preset.qps * (3 + 5 * index as u32) + index as u32;
            let (send_ring, receive_ring) = (allocate(wqe::BYTES << RING_LOG2)?, allocate(wqe::BYTES << RING_LOG2)?);
            let privileged = index == 1;
            let pair =
                Pair { qpn, group, privileged, send_ring, receive_ring, written: 0, received: 0, failing: false };
            bed.create(&pair)?;
            bed.pairs.push(pair);
            bed.bring_up(index)?;
        }
        Ok(bed)
    }

    fn create(&mut self, pair: &Pair<M>) -> Result<(), Disagreement> {
        let (send, receive) = (pair.send_ring.bus_address(), pair.receive_ring.bus_address());
        let sizes = RING_LOG2 | RING_LOG2 << 8 | u32::from(pair.privileged) << 16;
        let cqn = pair.group as u32;
        let words = [pair.qpn, PDS[pair.group], cqn, cqn, sizes, 0, send as u32, (send >> 32) as u32];
        let words = [&words[..], &[receive as u32, (receive >> 32) as u32]].concat();
        self.command(admin::CREATE_QP, &words).map(drop)
    }

    /// A command on both; the errno and the answers must agree. Answers of queries are compared by those who ask.
    pub fn command(&mut self, opcode: u8, words: &[u32]) -> Result<bool, Disagreement> {
        let mut all = [0; 32];
        all[..words.len()].copy_from_slice(words);
        self.note(|| format!("admin {opcode:#04x} {words:x?}"));
        self.summary.operations += 1;
        let expected = self.model.admin(opcode, &all).err().map_or(0, |errno| errno.code());
        let found = match self.device.admin_command(opcode, words) {
            Ok(_) => 0,
            Err(Error::Admin { errno, .. }) => errno.number(),
            Err(error) => return Err(broken(error)),
        };
        if expected != found {
            let what = format!("errno {expected} to admin command {opcode:#04x} {words:x?}");
            return Err(Disagreement::new(what, format!("errno {found}")));
        }
        self.summary.refused += u64::from(found != 0);
        Ok(found == 0)
    }

    /// Answer words of a command of the device.
    pub fn ask(&mut self, opcode: u8, words: &[u32]) -> Result<Result<[u32; 16], u8>, Disagreement> {
        match self.device.admin_command(opcode, words) {
            Ok(answer) => Ok(Ok(answer)),
            Err(Error::Admin { errno, .. }) => Ok(Err(errno.number())),
            Err(error) => Err(broken(error)),
        }
    }

    pub fn write_register(&mut self, offset: u32, value: u32) -> Result<(), Disagreement> {
        let written = self.machine.bar().write(offset, value);
        written.map_err(|error| Disagreement::new(format!("write of register {offset:#06x}"), error.to_string()))
    }

    pub fn read_register(&mut self, offset: u32) -> Result<u32, Disagreement> {
        let read = self.machine.bar().read(offset);
        read.map_err(|error| Disagreement::new(format!("read of register {offset:#06x}"), error.to_string()))
    }

    /// Writes a slot behind the written ones. The device does not know until [`Self::ring`].
    pub fn write_slot(&mut self, index: usize, slot: &[u8; wqe::BYTES]) {
        let pair = &mut self.pairs[index];
        let place = usize::from(pair.written) % (1 << RING_LOG2) * wqe::BYTES;
        pair.send_ring.write_bytes(place, slot);
        pair.written = pair.written.wrapping_add(1);
        self.summary.operations += 1;
        let words: Vec<_> = slot.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        let qpn = self.pairs[index].qpn;
        self.note(|| format!("qp {qpn:#x} slot {}: {words:x?}", place / wqe::BYTES));
    }

    /// Slots that can be written now.
    pub fn room(&self, index: usize) -> usize {
        let pair = &self.pairs[index];
        let retired = self.model.queue_pair(pair.qpn).map_or(pair.written, |qp| qp.sends_retired);
        (1 << RING_LOG2) - usize::from(pair.written.wrapping_sub(retired))
    }

    /// Rings the send doorbell for everything written, on both.
    pub fn ring(&mut self, index: usize) -> Result<(), Disagreement> {
        let (qpn, written) = (self.pairs[index].qpn, u32::from(self.pairs[index].written));
        let qp_index = qpn % self.machine.preset().qps;
        self.note(|| format!("qp {qpn:#x} doorbell {written}"));
        let Self { model, machine, poisoned, .. } = self;
        let memory = ModelMemory { host: machine.memory().host(), poisoned };
        if let Err(reason) = model.ring_send(qp_index as usize, written, &memory) {
            return Err(Disagreement::new(format!("a campaign that rings legal doorbells ({reason:?})"), ""));
        }
        self.write_register(reg::sq_doorbell(qp_index), written)
    }

    /// Executes the next request of a queue pair on the model.
    pub fn execute(&mut self, qpn: u32) -> Option<crate::reference::Step> {
        let Self { model, machine, poisoned, .. } = self;
        model.execute(qpn, &ModelMemory { host: machine.memory().host(), poisoned })
    }

    /// Posts receives, on both.
    pub fn receive(&mut self, index: usize, count: u16) -> Result<(), Disagreement> {
        let pair = &mut self.pairs[index];
        pair.received = pair.received.wrapping_add(count);
        let (qpn, received) = (pair.qpn, u32::from(pair.received));
        debug_assert_eq!(pair.receive_ring.len(), wqe::BYTES << RING_LOG2);
        let qp_index = qpn % self.machine.preset().qps;
        self.note(|| format!("qp {qpn:#x} receive doorbell {received}"));
        self.summary.operations += u64::from(count);
        if let Err(reason) = self.model.ring_receive(qp_index as usize, received) {
            return Err(Disagreement::new(format!("a campaign that rings legal doorbells ({reason:?})"), ""));
        }
        self.write_register(reg::rq_doorbell(qp_index), received)
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

    /// Tells both that all completions read so far are consumed.
    pub fn consume(&mut self) -> Result<(), Disagreement> {
        for cqn in 0..self.rings.len() {
            let count = reg::CQ_DOORBELL_COUNT.put(self.rings[cqn].read);
            self.write_register(reg::cq_doorbell(cqn as u32), count)?;
            let queue = self.model.completion_queue_mut(cqn as u32).expect("created with the bed");
            if !queue.consume(count) {
                return Err(Disagreement::new(
                    format!("{} completions on queue {cqn}", queue.produced),
                    format!("{count}"),
                ));
            }
        }
        Ok(())
    }

    pub fn note(&mut self, text: impl FnOnce() -> String) {
        if self.history.len() == SHOWN {
            self.history.pop_front();
        }
        self.history.push_back(text());
    }

    /// The last operations, a line each.
    pub fn history(&self) -> String {
        self.history.iter().map(|line| format!("  {line}\n")).collect()
    }

    /// One of the values.
    pub fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.random.below(values.len() as u64) as usize]
    }
}

/// Room of one page list: the longest and one group more.
pub(super) fn list_bytes(preset: &Preset) -> u64 {
    8 * u64::from(preset.max_page_list) + 64
}
