//! The host's end of the link to a board: the transactions of PCI Express in Ethernet frames, as a platform of `rnic-driver`.
//!
//! A board without PCI Express is reached over a cable: each transaction-layer packet is one Ethernet frame, delivered once and
//! in order whatever the cable loses. The driver notices no difference: [`Link::platform`] gives it registers, memory
//! and time.
//!
//! | | |
//! | --- | --- |
//! | [`Link`] | a session: opened, served, closed; counters and events |
//! | [`LinkBar`], [`LinkMemory`], [`LinkClock`] | the three parts of the platform |
//! | [`LinkService`] | a thread that serves the device while the program does other things |
//! | [`PacketSocket`] | raw frames of an Ethernet interface; needs CAP_NET_RAW |
//! | [`SequencedPair`] | frames over a unix socket, to a device that another process simulates |
//! | [`SimulatedWire`], [`Lossy`], [`FcsChecked`] | a cable in this process, with faults, with FCS |
//!
//! Anything on the same cable can open a session and reach the memory that is mapped: a direct cable is meant (SE5). The device
//! reaches mapped memory only, at bus addresses that say nothing of the process.
//!
//! ```no_run
//! use rnic_driver::Device;
//! use rnic_link::{Link, LinkOptions, MonotonicClock, PacketSocket};
//!
//! // Needs a board.
//! let socket = PacketSocket::open("enp3s0")?;
//! let options = LinkOptions { host_mac: socket.mac(), ..LinkOptions::default() };
//! let link = Link::open(socket, MonotonicClock::default(), options)?;
//! let service = link.serve()?;
//! let device = Device::open(link.platform())?;
//! println!("{} queue pairs, build {:08x}", device.capabilities().qps, link.info().build);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod bar;
mod bar_reads;
mod clock;
mod counters;
mod dma;
mod engine;
mod error;
mod event;
mod frame;
mod interrupt;
mod link;
mod log;
mod memory;
mod opening;
mod options;
mod pages;
mod region;
mod reliability;
mod service;
mod session;
mod tlp;
mod transport;

pub use bar::LinkBar;
pub use clock::{LinkClock, MonotonicClock};
pub use counters::Counters;
pub use error::{LinkError, LostReason};
pub use event::LinkEvent;
pub use link::{Link, LinkPlatform};
pub use memory::{LinkArea, LinkBuffer, LinkMemory};
pub use opening::DeviceInfo;
pub use options::{Answers, LinkOptions};
pub use service::LinkService;
pub use transport::{
    FcsChecked, FrameTransport, Lossy, LossyRates, PacketError, PacketSocket, SequencedPair, SimulatedWire,
};
