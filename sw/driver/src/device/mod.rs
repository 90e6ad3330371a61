//! A device: bring-up, registers, and the tables of its objects.
//!
//! [`Device`] is a handle; clones name the same device. Objects (protection domains, queues, memory regions) hold a clone, so
//! they need no lifetimes. When the last handle goes, the device is reset before the memory it may reach is given back.

mod admin;
mod counters;
mod events;
pub(crate) mod mailbox;
mod raw;
pub(crate) mod register;
mod reset;

use std::cell::{RefCell, RefMut};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use rnic_abi::{limits, register as reg};

pub use admin::{MrInfo, Probe, ProbePiece, QpInfo};
pub use events::{Event, EVENT_VECTOR};
pub use raw::{RawFrame, RawOptions, LONGEST_FRAME};
pub use reset::stop;

use crate::capabilities::Capabilities;
use crate::completion_queue::CompletionRing;
use crate::error::{Error, Invalid, Kept, Wait};
use crate::flow::{Orphan, Unanswered};
use crate::memory_region::RegionTable;
use crate::page_list::Buffer;
use crate::platform::{Bar, BusError, Clock, Direction, DmaMemory, DmaSgList, Platform};
use crate::protection_domain::DomainNumbers;
use crate::queue_pair::QueuePairTable;
use events::EventRing;
use mailbox::{wait_until, Mailbox};
use raw::RawRings;
use register::read;
use reset::{identify, is_still, reset};

/// How a device is brought up.
///
/// ```
/// # use rnic_driver::*;
/// # let platform = rnic_mock::Mock::new().platform();
/// let mac = [0x02, 0, 0, 0, 0, 7];
/// let options = OpenOptions { mac: Some(mac), addresses: vec![[0xFD; 16]], ..OpenOptions::default() };
/// let device = Device::open_with(platform, options)?;
/// assert_eq!((device.mac()?, device.own_address(0)?), (mac, Some([0xFD; 16])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// MAC address to set; `None` keeps what the device has.
    pub mac: Option<[u8; 6]>,
    /// Own addresses, at most 8: 16 bytes in network order, IPv4 as `::ffff:a.b.c.d`.
    pub addresses: Vec<[u8; 16]>,
    /// log2 of the entries of the event ring, cut to what the device offers.
    pub event_log2: u8,
    /// How long the driver waits before it gives up.
    pub limits: TimeLimits,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions { mac: None, addresses: Vec::new(), event_log2: 8, limits: TimeLimits::default() }
    }
}

/// How long the driver waits before it gives up, by the platform's clock.
///
/// ```
/// # use std::time::Duration;
/// # use rnic_driver::*;
/// # let mock = rnic_mock::Mock::new();
/// # mock.with(|state| state.never_ready = true);
/// # let platform = mock.platform();
/// let limits = TimeLimits { reset: Duration::from_millis(5), ..TimeLimits::default() };
/// let opened = Device::open_with(platform, OpenOptions { limits, ..OpenOptions::default() });
/// assert_eq!(opened.unwrap_err(), Error::Timeout(Wait::Reset)); // a device that does not become ready
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// For a reset.
    pub reset: Duration,
    /// For the answer to an admin command; must be longer than the device's own limit for drains.
    pub admin: Duration,
    /// For the completions of a drain (D15).
    pub drain: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        TimeLimits {
            reset: Duration::from_millis(100),
            admin: Duration::from_millis(500),
            drain: Duration::from_millis(500),
        }
    }
}

/// Everything that handles share.
struct Shared<P: Platform> {
    capabilities: Capabilities,
    limits: TimeLimits,
    mailbox: RefCell<Mailbox>,
    events: RefCell<EventRing<Buffer<P>>>,
    raw: RefCell<Option<RawRings<P>>>,
    tables: RefCell<Tables<P>>,
    // Last, because the memory above is part of it.
    platform: P,
}

/// The objects of a device, as the driver knows them.
pub(crate) struct Tables<P: Platform> {
    pub(crate) domains: DomainNumbers,
    pub(crate) completion_queues: Vec<Option<Rc<CompletionRing<P>>>>,
    pub(crate) queue_pairs: QueuePairTable<P>,
    pub(crate) regions: RegionTable,
    /// What was dropped while the device might use it.
    pub(crate) orphans: Vec<Orphan>,
    /// What the device may have made without an answer.
    pub(crate) unanswered: Unanswered<P>,
}

/// A handle of one device.
///
/// ```
/// # use rnic_driver::*;
/// # let platform = rnic_mock::Mock::new().platform();
/// let device = Device::open(platform)?;
/// let pd = device.alloc_pd()?;
/// let cq = device.create_cq(64, 0)?;
/// let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default())?;
/// qp.activate()?;
/// assert_eq!(device.query_qp(qp.number())?.state, QpState::Rts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Device<P: Platform> {
    shared: Rc<Shared<P>>,
}

impl<P: Platform> Clone for Device<P> {
    fn clone(&self) -> Self {
        Device { shared: self.shared.clone() }
    }
}

impl<P: Platform> Device<P> {
    /// Brings the device up with default options; see [`open_with`](Device::open_with).
    ///
    /// # Errors
    /// as [`open_with`](Device::open_with).
    pub fn open(platform: P) -> Result<Device<P>, Error> {
        Device::open_with(platform, OpenOptions::default())
    }

    /// Brings the device up: identity, reset, capabilities, own MAC and addresses, event ring, enable.
    ///
    /// # Errors
    /// - [`Error::NotRnic`] (ENODEV): another device, or none, is behind the BAR. Nothing has been written.
    /// - [`Error::MajorVersion`] (ENODEV): its registers have another layout. Nothing has been written.
    /// - [`Wait::Reset`] (ETIMEDOUT): it does not become ready.
    /// - [`Protocol::Capability`](crate::Protocol) (EPROTO): its capabilities are impossible.
    /// - [`Invalid::AddressIndex`] (EINVAL): more than 8 own addresses.
    /// - [`DmaError::NoMemory`](crate::DmaError) (ENOMEM): none for the event ring.
    /// - [`Error::Bus`]: a register cannot be accessed.
    pub fn open_with(platform: P, options: OpenOptions) -> Result<Device<P>, Error> {
        identify(platform.bar())?;
        reset(platform.bar(), platform.clock(), options.limits.reset)?;
        let capabilities = Capabilities::read(platform.bar())?;
        set_identity(platform.bar(), &options)?;
        let event_log2 = options.event_log2.clamp(limits::EVENT_LOG2_MIN as u8, capabilities.max_event_log2);
        let events = EventRing::<Buffer<P>>::install(&platform, event_log2)?;
        platform.bar().write(reg::CONTROL, reg::CONTROL_ENABLE.mask())?;
        let tables = Tables {
            domains: DomainNumbers::default(),
            completion_queues: (0..capabilities.cqs).map(|_| None).collect(),
            queue_pairs: QueuePairTable::new(capabilities.qps),
            regions: RegionTable::new(capabilities.mr_entries, capabilities.page_buffer_entries),
            orphans: Vec::new(),
            unanswered: Unanswered::default(),
        };
        Ok(Device {
            shared: Rc::new(Shared {
                capabilities,
                limits: options.limits,
                mailbox: RefCell::new(Mailbox::new(options.limits.admin)),
                events: RefCell::new(events),
                raw: RefCell::new(None),
                tables: RefCell::new(tables),
                platform,
            }),
        })
    }

    /// What the device offers (A1).
    pub fn capabilities(&self) -> &Capabilities {
        &self.shared.capabilities
    }

    /// The platform, for its own functions.
    pub fn platform(&self) -> &P {
        &self.shared.platform
    }

    /// Reads a register, for tools.
    ///
    /// # Errors
    /// - [`BusError::Decode`] (EIO): there is no such register.
    /// - [`BusError::Refused`] (EIO): it cannot be read.
    /// - [`BusError::NoAnswer`] (ETIMEDOUT), [`BusError::Gone`] (ENODEV): the device does not answer.
    pub fn read_register(&self, offset: u32) -> Result<u32, BusError> {
        match offset {
            // What it holds is what a tool wants to see, even of a device that is gone.
            reg::MAGIC => self.platform().bar().read(offset),
            _ => read(self.platform().bar(), offset),
        }
    }

    /// Writes a register, for tools. The driver does not learn from it what the device then does.
    ///
    /// # Errors
    /// - [`BusError::Decode`] (EIO): there is no such register.
    /// - [`BusError::Refused`] (EIO): it cannot be written, or not with this value.
    /// - [`BusError::NoAnswer`] (ETIMEDOUT), [`BusError::Gone`] (ENODEV): the device does not answer.
    pub fn write_register(&self, offset: u32, value: u32) -> Result<(), BusError> {
        self.shared.mailbox.borrow_mut().forget();
        self.platform().bar().write(offset, value)
    }

    /// Lets the device reach memory of the application (F8).
    ///
    /// # Errors
    /// [`DmaError::NotMappable`](crate::DmaError) (EIO): it cannot be mapped.
    pub fn dma_map(&self, memory: &<P::Memory as DmaMemory>::Memory, direction: Direction) -> Result<DmaSgList, Error> {
        Ok(self.platform().memory().map(memory, direction)?)
    }

    /// Takes memory of the application away from the device.
    ///
    /// # Errors
    /// [`DmaError::NotMappable`](crate::DmaError) (EIO): it is not mapped, or the platform does not take it back. The list comes
    /// back; the device may still reach the memory, and the call may be repeated.
    pub fn dma_unmap(&self, list: DmaSgList) -> Result<(), Kept<DmaSgList>> {
        Ok(self.platform().memory().unmap(list)?)
    }

    /// Sets own address `index` of 8 (16 bytes in network order, IPv4 as `::ffff:a.b.c.d`, zero = unused).
    ///
    /// # Errors
    /// - [`Invalid::AddressIndex`] (EINVAL): there is no such address.
    /// - [`Error::Bus`]: the registers cannot be written.
    pub fn set_own_address(&self, index: usize, address: [u8; 16]) -> Result<(), Error> {
        set_own_address(self.platform().bar(), index, address)
    }

    /// Own address `index` of 8, if it is in use.
    ///
    /// # Errors
    /// - [`Invalid::AddressIndex`] (EINVAL): there is no such address.
    /// - [`Error::Bus`]: the registers cannot be read.
    pub fn own_address(&self, index: usize) -> Result<Option<[u8; 16]>, Error> {
        check_address_index(index)?;
        let mut address = [0; 16];
        for (word, bytes) in address.chunks_exact_mut(4).enumerate() {
            let value = read(self.platform().bar(), reg::own_address(index as u32, word as u32))?;
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        Ok((address != [0; 16]).then_some(address))
    }

    /// Own MAC address.
    ///
    /// # Errors
    /// [`Error::Bus`]: the registers cannot be read.
    pub fn mac(&self) -> Result<[u8; 6], Error> {
        let [a, b, c, d] = read(self.platform().bar(), reg::MAC_LOW)?.to_le_bytes();
        let [e, f, ..] = read(self.platform().bar(), reg::MAC_HIGH)?.to_le_bytes();
        Ok([a, b, c, d, e, f])
    }

    /// Sets the own MAC address. Frames that are on their way may still carry the old one.
    ///
    /// # Errors
    /// [`Error::Bus`]: the registers cannot be written.
    pub fn set_mac(&self, mac: [u8; 6]) -> Result<(), Error> {
        Ok(set_mac(self.platform().bar(), mac)?)
    }

    pub(crate) fn limits(&self) -> &TimeLimits {
        &self.shared.limits
    }

    pub(crate) fn tables(&self) -> RefMut<'_, Tables<P>> {
        self.shared.tables.borrow_mut()
    }

    fn events(&self) -> RefMut<'_, EventRing<Buffer<P>>> {
        self.shared.events.borrow_mut()
    }

    fn raw_rings(&self) -> RefMut<'_, Option<RawRings<P>>> {
        self.shared.raw.borrow_mut()
    }

    /// Whether two handles name the same device.
    pub(crate) fn is(&self, other: &Device<P>) -> bool {
        Rc::ptr_eq(&self.shared, &other.shared)
    }

    /// Polls `condition` with a pause between two polls.
    pub(crate) fn wait_until(
        &self,
        limit: Duration,
        what: Wait,
        condition: impl FnMut() -> Result<bool, Error>,
    ) -> Result<(), Error> {
        wait_until(self.platform().clock(), limit, what, condition)
    }

    /// Time of the platform.
    pub fn now(&self) -> Duration {
        self.platform().clock().now()
    }
}

impl<P: Platform> fmt::Debug for Device<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.capabilities().version;
        write!(f, "Device {{ interface {major}.{minor}, {} queue pairs }}", self.capabilities().qps)
    }
}

impl<P: Platform> Drop for Shared<P> {
    fn drop(&mut self) {
        // Rings and page lists are given back after this, so the device must have stopped. A platform that unwinds may be in the
        // middle of a call and cannot be asked.
        if !std::thread::panicking() {
            let done = reset(self.platform.bar(), self.platform.clock(), self.limits.reset);
            // A device that did not stop may still reach memory of the application: the platform keeps that until its own end.
            if is_still(&done) {
                for orphan in std::mem::take(&mut self.tables.borrow_mut().orphans) {
                    orphan.end_after_reset(&self.platform);
                }
            }
        }
    }
}

fn set_identity<B: Bar>(bar: &B, options: &OpenOptions) -> Result<(), Error> {
    if let Some(mac) = options.mac {
        set_mac(bar, mac)?;
    }
    for (index, &address) in options.addresses.iter().enumerate() {
        set_own_address(bar, index, address)?;
    }
    Ok(())
}

fn set_mac<B: Bar>(bar: &B, [a, b, c, d, e, f]: [u8; 6]) -> Result<(), BusError> {
    bar.write(reg::MAC_LOW, u32::from_le_bytes([a, b, c, d]))?;
    bar.write(reg::MAC_HIGH, u32::from_le_bytes([e, f, 0, 0]))
}

fn check_address_index(index: usize) -> Result<(), Error> {
    if index >= limits::OWN_ADDRESSES as usize {
        return Err(Error::Invalid(Invalid::AddressIndex));
    }
    Ok(())
}

fn set_own_address<B: Bar>(bar: &B, index: usize, address: [u8; 16]) -> Result<(), Error> {
    check_address_index(index)?;
    for (word, bytes) in address.chunks_exact(4).enumerate() {
        let value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        bar.write(reg::own_address(index as u32, word as u32), value)?;
    }
    Ok(())
}
