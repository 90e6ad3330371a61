//! The rules of `fast-registration.md` sections A to E in plain Rust, written from the specification and from nothing else.
//!
//! The model shares only numbers (`rnic-abi`) with the hardware and the driver. It has no time: an admin command and one
//! work request are one step each. Where the rules leave the order of two queue pairs open, the caller decides it by the
//! order in which it calls [`ReferenceNic::execute`]; so a checker can follow the order in which hardware completed.
//!
//! | file | rules |
//! | --- | --- |
//! | `region` | A5, A6, A8, M1: what the memory-region table holds |
//! | `registration` | B1 to B20, B24, B25: REG_MR |
//! | `invalidation` | C1 to C7: LOCAL_INV |
//! | `access` | E1 to E6, E8 to E12, A26: check and translation |
//! | `queue` | B22, B23, C8, C10, D1, D9 to D11, D13, D15, D16, D19, T4, T6, T73: queue pairs |
//! | `transition` | T1, T2: states and attributes |
//! | `completion` | D10, D14, D17, T78: completion queues |
//! | `transfer` | data between two devices |
//! | `device` | the model as a device behind BAR0, for the driver and for scenario files |
//! | `admin` | A5, A14, A17 and the mailbox of `interfaces.md` section 4 |

mod access;
mod admin;
mod completion;
pub mod device;
mod invalidation;
mod queue;
mod region;
mod registration;
pub mod transfer;
mod transition;

pub use access::Piece;
pub use admin::{Answer, Errno};
pub use completion::{CompletionQueue, Cqe, Event};
pub use queue::{DoorbellDrop, QueuePair, Step};
pub use region::{Region, RegionState};
pub use transition::Attributes;

use rnic_abi::preset::Preset;

/// What a read of host memory answers when the bus does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusError;

/// Host memory as the device sees it.
pub trait Memory {
    /// Fills `bytes` from bus address `address`.
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), BusError>;
}

impl<F: Fn(u64, &mut [u8]) -> Result<(), BusError>> Memory for F {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), BusError> {
        self(address, bytes)
    }
}

/// The whole device, as far as sections A to E go.
#[derive(Clone, Debug)]
pub struct ReferenceNic {
    preset: Preset,
    regions: Vec<Region>,
    queue_pairs: Vec<Option<QueuePair>>,
    completion_queues: Vec<Option<CompletionQueue>>,
    syndrome_counts: [u32; 128],
    events: Vec<Event>,
}

impl ReferenceNic {
    /// A device after reset, with the limits of `preset`.
    pub fn new(preset: &Preset) -> Self {
        Self {
            preset: *preset,
            regions: vec![Region::default(); preset.mr_entries as usize],
            queue_pairs: vec![None; preset.qps as usize],
            completion_queues: vec![None; preset.cqs() as usize],
            syndrome_counts: [0; 128],
            events: Vec::new(),
        }
    }

    /// Limits of this device.
    pub fn preset(&self) -> &Preset {
        &self.preset
    }

    /// Entry `index` of the memory-region table; index 0 is never in use (rule A26).
    pub fn region(&self, index: usize) -> Option<&Region> {
        self.regions.get(index)
    }

    /// The queue pair whose full number is `qpn` (rule T5).
    pub fn queue_pair(&self, qpn: u32) -> Option<&QueuePair> {
        self.queue_pairs[self.qp_index(qpn)].as_ref().filter(|qp| qp.qpn == qpn)
    }

    /// Completion queue `cqn`.
    pub fn completion_queue(&self, cqn: u32) -> Option<&CompletionQueue> {
        self.completion_queues.get(cqn as usize)?.as_ref()
    }

    /// Error completions so far with this syndrome (rule M3).
    pub fn syndrome_count(&self, syndrome: u8) -> u32 {
        self.syndrome_counts[usize::from(syndrome) & 0x7F]
    }

    /// Events since the last call, oldest first (rule T76).
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Index of a queue pair number: its low log2(QPS) bits (rule T5).
    fn qp_index(&self, qpn: u32) -> usize {
        qpn as usize & (self.queue_pairs.len() - 1)
    }
}

#[cfg(test)]
mod tests;
