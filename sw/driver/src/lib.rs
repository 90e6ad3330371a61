//! Host driver of rnic: verbs-like objects over three small traits.
//!
//! A platform gives [`Bar`] (registers and interrupts), [`DmaMemory`] (memory that the device shares) and [`Clock`] (time, and a
//! pause in every polling loop). The driver knows nothing else of the machine below it: the same code runs on PCI Express hardware
//! and on a simulation that runs its clock inside these calls.
//!
//! Objects are handles without lifetimes. Rule numbers (A4, B22, ...) are those of the project's specification.
#![deny(missing_docs)]

mod access;
mod capabilities;
mod completion;
mod completion_queue;
pub mod device;
mod errno;
mod error;
mod memory_region;
mod page_buffer;
mod page_list;
pub mod platform;
mod protection_domain;
pub mod queue_pair;

pub use rnic_abi::event::Kind as EventKind;
pub use rnic_abi::mr::State as MrTableState;
pub use rnic_abi::opcode::Opcode;
pub use rnic_abi::qp::State as QpState;
pub use rnic_abi::status::Status;
pub use rnic_abi::syndrome::Syndrome;
pub use rnic_abi::wqe::Sge;

pub use access::Access;
pub use capabilities::Capabilities;
pub use completion::{Completion, Retired};
pub use completion_queue::CompletionQueue;
pub use device::{Device, Event, MrInfo, OpenOptions, Probe, ProbePiece, QpInfo, TimeLimits};
pub use errno::Errno;
pub use error::{Busy, Error, Feature, Invalid, Kept, Protocol, Resource, Wait};
pub use memory_region::{MemoryRegion, MrState};
pub use page_list::{PageList, Pages};
pub use platform::{
    Bar, BusError, Clock, Direction, DmaBuffer, DmaError, DmaMemory, DmaSgEntry, DmaSgList, Parts, Platform,
};
pub use protection_domain::ProtectionDomain;
pub use queue_pair::{
    AddressVector, BadWr, Data, InitAttributes, Operation, PostError, QpAttributes, QpOptions, QueuePair,
    ReadyToReceive, ReadyToSend, ReceiveRequest, RegMr, Remote, SendExtra, SendRequest,
};
