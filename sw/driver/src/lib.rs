//! Host driver of rnic: verbs-like objects over three small traits.
//!
//! A platform gives [`Bar`] (registers and interrupts), [`DmaMemory`] (memory that the device shares) and [`Clock`] (time, and a
//! pause in every polling loop). The driver knows nothing else of the machine below it: the same code runs on PCI Express hardware
//! and on a simulation that runs its clock inside these calls.
//!
//! Objects are handles without lifetimes: they may be kept in any structure, and the device lives as long as one of them.
//! Dropping a handle does not end its object in the device; `free`, `destroy` and `dereg` do, and give the handle back when they
//! fail. Every error has an `errno()`. Rule numbers (A4, B22, ...) are those of the project's specification.
//!
//! Examples run on a stand-in for the device (`rnic-mock`); hidden lines make what they begin with.
//!
//! ```
//! # use std::time::Duration;
//! # use rnic_driver::*;
//! # let platform = rnic_mock::Mock::new().platform();
//! let limit = Duration::from_millis(10);
//! let device = Device::open(platform)?;
//! let pd = device.alloc_pd()?;
//! let cq = device.create_cq(64, 0)?;
//! let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
//! qp.activate()?;
//!
//! // A region of 0x2000 bytes at 0x7000_0800 on three pages that are anywhere on the bus.
//! let mr = device.alloc_fast_reg_mr(&pd, 16)?;
//! let mut list = device.alloc_page_list(3)?;
//! list.fill(&[0xA000, 0x5000, 0x9000])?;
//! let registration = RegMr::new(&mr, Access::LOCAL_WRITE | Access::REMOTE_READ, 0x7000_0800, 0x2000, list);
//! qp.post_send(SendRequest::reg_mr(1, registration))?;
//! let completion = cq.next(limit)?;
//! assert_eq!((completion.wr_id, completion.status), (1, Status::Success));
//! let list = completion.pages.and_then(Pages::into_list); // ours again
//! assert!(list.is_some());
//!
//! // What an access by the peer would touch: the last byte of the first page, and the first of the second.
//! let probe = device.probe(qp.number(), mr.rkey(), 0x7000_0FFF, 2, Access::REMOTE_READ, true)?;
//! let pieces = [0xAFFF, 0x5000].map(|address| ProbePiece { address, bytes: 1 });
//! assert_eq!(probe, Probe::Granted(pieces.to_vec()));
//!
//! qp.post_send(SendRequest::local_inv(2, mr.key()))?;
//! assert!(cq.next(limit)?.is_success());
//! mr.bump_key(); // the next registration gets another key (A13)
//! mr.dereg()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod access;
mod capabilities;
mod completion;
mod completion_channel;
mod completion_queue;
pub mod device;
mod errno;
mod error;
mod error_table;
mod flow;
mod mapping;
mod memory_region;
mod page_buffer;
mod page_list;
pub mod platform;
mod protection_domain;
pub mod queue_pair;
mod typestate;

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
pub use completion_channel::CompletionChannel;
pub use completion_queue::CompletionQueue;
pub use device::{
    stop, Device, Event, MrInfo, OpenOptions, Probe, ProbePiece, QpInfo, RawFrame, RawOptions, TimeLimits,
    LONGEST_FRAME,
};
pub use errno::Errno;
pub use error::{Again, Busy, Error, Feature, Invalid, Kept, Protocol, Resource, Wait};
pub use error_table::{error_table, ErrorRow};
pub use flow::{
    Chain, KeyPolicy, Lkey, LkeySlot, LocalMap, Mapping, RemoteMap, Rkey, RkeySlot, Slot, SlotOptions, SlotPool,
    SlotSide, Unmap, Unmapping,
};
pub use mapping::Mapped;
pub use memory_region::{MemoryRegion, MrState};
pub use page_list::{PageList, Pages};
pub use platform::{
    Bar, BusError, Clock, Direction, DmaBuffer, DmaError, DmaMemory, DmaSgEntry, DmaSgList, DmaSgSlice, Parts, Platform,
};
pub use protection_domain::ProtectionDomain;
pub use queue_pair::{
    source_port, AddressVector, BadWr, ConnectOptions, Data, Endpoint, InitAttributes, Operation, OwnEndpoint, PathMtu,
    PostError, QpAttributes, QpOptions, QueuePair, ReadyToReceive, ReadyToSend, ReceiveRequest, RegMr, Remote,
    SendExtra, SendRequest,
};
pub use typestate::{Free, Mr, NotPosted, Pending, Phase, Quarantined, Recovered, RegisterError, Unsettled, Valid};
