//! Memory regions: allocation, keys, deregistration, and what the driver knows of their state.
//!
//! Hardware is the only authority on a region's state. The driver's own view answers two questions: whether a request on the
//! region is outstanding (A16), and whether a flushed one leaves its state unknown (quarantine, D13).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::rc::Rc;

use rnic_abi::admin::{alloc_mr, dereg_mr, Command};
use rnic_abi::{key, mr};

use crate::device::{Device, MrInfo};
use crate::error::{Busy, Error, Feature, Invalid, Kept, Resource};
use crate::flow::Orphan;
use crate::mapping::Staging;
use crate::page_buffer::PageBuffer;
use crate::platform::Platform;
use crate::protection_domain::{Domain, ProtectionDomain};

/// State of a region as far as the driver knows.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// # let registration = RegMr::new(&mr, Access::NONE, 0x7000, 0x1000, Pages::Inline(vec![0x5000]));
/// assert_eq!(mr.state(), MrState::Free);
/// qp.post_send(SendRequest::reg_mr(1, registration))?;
/// assert_eq!(mr.state(), MrState::Pending);
/// cq.next(limit)?;
/// assert_eq!(mr.state(), MrState::Valid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MrState {
    /// Grants nothing.
    Free,
    /// A REG_MR is posted.
    Pending,
    /// Registered.
    Valid,
    /// A LOCAL_INV, or a READ that invalidates it, is posted.
    Invalidating,
    /// A REG_MR, LOCAL_INV or invalidating READ was flushed: unknown until the queue pair is drained and the device is asked (D13).
    Quarantined,
}

/// What a request does to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// REG_MR with this key.
    Register(u32),
    /// LOCAL_INV.
    Invalidate,
}

/// A REG_MR that is posted and has not ended.
#[derive(Clone, Copy, Debug)]
struct Registration {
    key: u32,
    /// The peer has invalidated it already: its completion comes later than that of the peer's SEND, because it is unsignaled
    /// or in another completion queue.
    ended_by_peer: bool,
}

/// How a request on a region ended.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It was executed.
    Done,
    /// It failed by itself, and has changed nothing.
    Failed,
    /// It was flushed or discarded; the flag tells when the queue pair has been drained.
    Unknown(Rc<Cell<bool>>),
}

/// A region, shared by its handle, the device's table and the requests on it.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) index: u32,
    pub(crate) domain: Rc<Domain>,
    pub(crate) max_pages: u16,
    page_base: u32,
    /// The driver's copy of the key (A11).
    key: Cell<u32>,
    /// Key of the last registration that is known to have been executed.
    registered: Cell<Option<u32>>,
    /// REG_MRs posted and not completed, in posting order.
    registrations: RefCell<VecDeque<Registration>>,
    /// The key byte that hardware holds, as far as known.
    hardware_byte: Cell<u8>,
    /// State after the last request that is known to have been executed: `Free` or `Valid`.
    settled: Cell<MrState>,
    /// State that the last posted request leads through.
    heading: Cell<MrState>,
    /// Requests posted and not completed.
    outstanding: Cell<u32>,
    /// One flag for each flushed request: whether its queue pair has been drained.
    quarantine: RefCell<Vec<Rc<Cell<bool>>>>,
    /// A DEREG_MR was given up without an answer.
    dereg_unanswered: Cell<bool>,
    /// It has not been deregistered.
    pub(crate) live: Cell<bool>,
}

impl Region {
    pub(crate) fn key(&self) -> u32 {
        self.key.get()
    }

    fn state(&self) -> MrState {
        if !self.quarantine.borrow().is_empty() {
            MrState::Quarantined
        } else if self.outstanding.get() > 0 {
            self.heading.get()
        } else {
            self.settled.get()
        }
    }

    /// A request on the region has been posted.
    pub(crate) fn posted(&self, touch: Touch) {
        self.outstanding.set(self.outstanding.get() + 1);
        if let Touch::Register(key) = touch {
            self.registrations.borrow_mut().push_back(Registration { key, ended_by_peer: false });
        }
        self.heading.set(match touch {
            Touch::Register(_) => MrState::Pending,
            Touch::Invalidate => MrState::Invalidating,
        });
    }

    /// A request on the region has ended. Requests end in posting order, so the last one to end decides.
    pub(crate) fn ended(&self, touch: Touch, outcome: &Outcome) {
        self.outstanding.set(self.outstanding.get() - 1);
        let ended_by_peer = match touch {
            Touch::Register(key) => self.take_registration(key),
            Touch::Invalidate => false,
        };
        match (outcome, touch) {
            (Outcome::Done, Touch::Register(key)) => {
                self.settled.set(if ended_by_peer { MrState::Free } else { MrState::Valid });
                self.hardware_byte.set(key::byte(key));
                self.registered.set(Some(key));
            }
            (Outcome::Done, Touch::Invalidate) => self.settled.set(MrState::Free),
            (Outcome::Failed, _) => {}
            (Outcome::Unknown(drained), _) => self.quarantine.borrow_mut().push(drained.clone()),
        }
    }

    /// Takes out the oldest outstanding REG_MR with this key; whether the peer has invalidated it.
    fn take_registration(&self, key: u32) -> bool {
        let mut registrations = self.registrations.borrow_mut();
        let index = registrations.iter().position(|registration| registration.key == key);
        index.and_then(|index| registrations.remove(index)).is_some_and(|registration| registration.ended_by_peer)
    }

    /// The peer has invalidated this key: of the last registration that has completed, or of one whose completion has not been
    /// polled. Any other key says nothing of the present registration. Where one key serves both, the first is meant: VALID is
    /// the safe belief, because a LOCAL_INV of a FREE region succeeds (C2).
    ///
    /// Answers whether it was one of them (C18).
    pub(crate) fn invalidated_by_peer(&self, key: u32) -> bool {
        if self.registered.get() == Some(key) {
            self.settled.set(MrState::Free);
            return true;
        }
        let mut registrations = self.registrations.borrow_mut();
        let registration = registrations.iter_mut().find(|registration| registration.key == key);
        registration.map(|registration| registration.ended_by_peer = true).is_some()
    }

    /// A registration is in force, or will be when what is posted has been executed, and nothing posted ends it.
    pub(crate) fn needs_invalidation(&self) -> bool {
        let last_ended = || self.registrations.borrow().back().is_some_and(|last| last.ended_by_peer);
        match self.state() {
            MrState::Valid => true,
            MrState::Pending => !last_ended(),
            MrState::Free | MrState::Invalidating | MrState::Quarantined => false,
        }
    }

    /// Neither outstanding requests nor undrained flushed ones: the device's state can no longer change by what was posted.
    fn check_idle(&self) -> Result<(), Error> {
        if self.outstanding.get() > 0 {
            return Err(Error::Busy(Busy::RequestOutstanding));
        }
        if self.quarantine.borrow().iter().any(|drained| !drained.get()) {
            return Err(Error::Busy(Busy::Quarantined));
        }
        Ok(())
    }
}

/// Which indices, keys and page-buffer ranges are in use.
#[derive(Debug)]
pub(crate) struct RegionTable {
    regions: Vec<Option<Rc<Region>>>,
    free: BTreeSet<u32>,
    /// Last key bytes of each index: of hardware and of the driver's copy (A19).
    last_bytes: Vec<[u8; 2]>,
    pages: PageBuffer,
}

impl RegionTable {
    pub(crate) fn new(entries: u32, pages: u32) -> RegionTable {
        RegionTable {
            regions: vec![None; entries as usize],
            free: (1..entries).collect(),
            last_bytes: vec![[0; 2]; entries as usize],
            pages: PageBuffer::new(pages),
        }
    }

    /// The region whose index is in `key`, whatever the key's byte.
    pub(crate) fn by_key(&self, key: u32) -> Option<Rc<Region>> {
        self.regions.get(key::index(key) as usize)?.clone()
    }

    /// Takes an index and a page-buffer range, and makes a key that the index did not have last (A6, A19).
    fn take(&mut self, domain: &Rc<Domain>, max_pages: u16) -> Result<Rc<Region>, Error> {
        let index = *self.free.first().ok_or(Error::Exhausted(Resource::MemoryRegion))?;
        let page_base = self.pages.take(max_pages.into()).ok_or(Error::Exhausted(Resource::PageBuffer))?;
        self.free.remove(&index);
        let [hardware, software] = self.last_bytes[index as usize];
        let mut byte = hardware.wrapping_add(1);
        if byte == software {
            byte = byte.wrapping_add(1);
        }
        let region = Rc::new(Region {
            index,
            domain: domain.clone(),
            max_pages,
            page_base,
            key: Cell::new(key::new(index, byte)),
            registered: Cell::new(None),
            registrations: RefCell::default(),
            hardware_byte: Cell::new(byte),
            settled: Cell::new(MrState::Free),
            heading: Cell::new(MrState::Free),
            outstanding: Cell::new(0),
            quarantine: RefCell::default(),
            dereg_unanswered: Cell::new(false),
            live: Cell::new(true),
        });
        self.regions[index as usize] = Some(region.clone());
        domain.enter();
        Ok(region)
    }

    /// Gives back what [`take`](Self::take) took.
    fn give_back(&mut self, region: &Region) {
        let index = region.index as usize;
        self.regions[index] = None;
        self.last_bytes[index] = [region.hardware_byte.get(), key::byte(region.key())];
        self.free.insert(region.index);
        self.pages.give_back(region.page_base, region.max_pages.into());
        region.domain.leave();
        region.live.set(false);
    }
}

/// A memory region for fast registration. Dropping the handle without [`dereg`](MemoryRegion::dereg) keeps the region allocated.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// let old = mr.rkey();
/// assert_ne!(mr.bump_key(), old); // of the next registration, so that the old key is worth nothing then
/// assert_eq!(mr.query()?.key, old); // what the device holds until then
/// mr.dereg()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryRegion<P: Platform> {
    pub(crate) device: Device<P>,
    pub(crate) region: Rc<Region>,
    /// What `map_mr_sg` has left.
    pub(crate) staging: Option<Box<Staging<P>>>,
}

impl<P: Platform> Device<P> {
    /// Allocates a memory region for fast registration of up to `max_page_list_len` pages (A5, A6): the verb of 2008.
    ///
    /// # Errors
    /// as [`alloc_mr`](Device::alloc_mr).
    pub fn alloc_fast_reg_mr(
        &self,
        pd: &ProtectionDomain<P>,
        max_page_list_len: u16,
    ) -> Result<MemoryRegion<P>, Error> {
        self.alloc_mr(pd, mr::Type::MemReg, max_page_list_len)
    }

    /// Allocates a memory region of type `kind` for up to `max_pages` pages: FREE, grants nothing, with a key whose index is
    /// at least 1 and whose byte differs from the last one of that index (A5, A6, A19).
    ///
    /// # Errors
    /// - [`Invalid::PageCount`] (EINVAL): `max_pages` is 0 or above `max_fast_reg_page_list_len`.
    /// - [`Invalid::MrType`] (EINVAL): regions of this type cannot be allocated.
    /// - [`Invalid::OtherDevice`] (EINVAL): the protection domain is of another device.
    /// - [`Feature::MemoryManagement`], [`Feature::Gaps`] (EOPNOTSUPP): the device does not offer registration, or this type.
    /// - [`Resource::MemoryRegion`], [`Resource::PageBuffer`] (ENOMEM): no free index, or no free range of the page buffer.
    /// - [`Error::Admin`]: the device refused; everything is undone (A7).
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`],
    ///   [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): no answer. The index stays taken, because the device may
    ///   still allocate it, until [`reclaim`](Device::reclaim) has ended that.
    pub fn alloc_mr(&self, pd: &ProtectionDomain<P>, kind: mr::Type, max_pages: u16) -> Result<MemoryRegion<P>, Error> {
        let capabilities = self.capabilities();
        if !pd.belongs_to(self) {
            return Err(Error::Invalid(Invalid::OtherDevice));
        }
        match kind {
            mr::Type::MemReg if !capabilities.mem_mgt_ext => {
                return Err(Error::NotSupported(Feature::MemoryManagement))
            }
            mr::Type::MemReg => {}
            mr::Type::SgGaps => return Err(Error::NotSupported(Feature::Gaps)),
            mr::Type::Dma => return Err(Error::Invalid(Invalid::MrType)),
        }
        if max_pages == 0 || max_pages > capabilities.max_fast_reg_page_list_len {
            return Err(Error::Invalid(Invalid::PageCount));
        }
        let region = self.tables().regions.take(&pd.domain, max_pages)?;
        let mut words = [0; 5];
        alloc_mr::INDEX.put(&mut words, region.index.into());
        alloc_mr::PD.put(&mut words, region.domain.number.into());
        alloc_mr::KEY_BYTE.put(&mut words, key::byte(region.key()).into());
        alloc_mr::TYPE.put(&mut words, kind.code().into());
        alloc_mr::MAX_PAGES.put(&mut words, max_pages.into());
        alloc_mr::PAGE_BASE.put(&mut words, region.page_base.into());
        if let Err(error) = self.command(Command::AllocMr, &words) {
            if error.changed_nothing() {
                self.tables().regions.give_back(&region);
            } else {
                // If the device turns out not to know it, that is as good as deregistered.
                region.dereg_unanswered.set(true);
                self.tables().orphans.push(Orphan { region: Some(region), memory: None, uses: Rc::default() });
            }
            return Err(error);
        }
        Ok(MemoryRegion { device: self.clone(), region, staging: None })
    }
}

impl<P: Platform> MemoryRegion<P> {
    /// Index in the device's table; never changes (A12).
    pub fn index(&self) -> u32 {
        self.region.index
    }

    /// The driver's copy of the key, which the next REG_MR is to register. lkey and rkey are the same value (B25).
    pub fn key(&self) -> u32 {
        self.region.key()
    }

    /// The key for local use.
    pub fn lkey(&self) -> u32 {
        self.key()
    }

    /// The key for the peer; good only for remote rights that were granted.
    pub fn rkey(&self) -> u32 {
        self.key()
    }

    /// Most pages of one registration.
    pub fn max_pages(&self) -> u16 {
        self.region.max_pages
    }

    /// First entry in the device's page buffer.
    pub fn page_base(&self) -> u32 {
        self.region.page_base
    }

    /// What the driver knows of its state. Only the device knows for certain; see [`query`](MemoryRegion::query).
    pub fn state(&self) -> MrState {
        self.region.state()
    }

    /// Sets the byte of the driver's copy of the key; hardware keeps the old key until a REG_MR with the new one executes (A11).
    pub fn update_key(&self, byte: u8) {
        self.region.key.set(key::new(self.region.index, byte));
    }

    /// Sets the byte of the driver's copy of the key to the next one: what should happen before each registration (A13).
    /// Gives the new key.
    pub fn bump_key(&self) -> u32 {
        self.update_key(key::byte(self.key()).wrapping_add(1));
        self.key()
    }

    /// Asks the device for its table entry.
    ///
    /// # Errors
    /// as [`Device::query_mr`].
    pub fn query(&self) -> Result<MrInfo, Error> {
        self.device.query_mr(self.region.index)
    }

    /// Ends a quarantine: asks the device for the state, once nothing that was posted can change it any more (D13).
    ///
    /// # Errors
    /// - [`Busy::RequestOutstanding`] (EBUSY): a request on the region has not completed.
    /// - [`Busy::Quarantined`] (EBUSY): a queue pair that flushed one has not been drained, reset or destroyed.
    /// - as [`Device::query_mr`].
    pub fn recover(&self) -> Result<MrState, Error> {
        self.region.check_idle()?;
        let info = self.query()?;
        self.region.settled.set(if info.state == mr::State::Valid { MrState::Valid } else { MrState::Free });
        self.region.hardware_byte.set(key::byte(info.key));
        self.region.registered.set(Some(info.key));
        self.region.quarantine.borrow_mut().clear();
        Ok(self.state())
    }

    /// Deregisters: the device blocks the region, waits for its bus accesses in flight, and frees it (A14). After `Ok` the device
    /// never touches the pages again (A18).
    ///
    /// # Errors
    /// The region comes back with each of them, still owned; its page-buffer range is not given to anyone else (A17).
    /// - [`Busy::RequestOutstanding`] (EBUSY): a REG_MR or LOCAL_INV on it has not completed (A16).
    /// - [`Busy::Quarantined`] (EBUSY): one was flushed, and its queue pair has not been drained (D13).
    /// - [`Error::Admin`] (ETIMEDOUT): its bus accesses do not end; it stays blocked and the call may be repeated.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer; the call may be repeated.
    pub fn dereg(self) -> Result<(), Kept<Self>> {
        let mut words = [0; 1];
        dereg_mr::INDEX.put(&mut words, self.region.index.into());
        let done = self
            .region
            .check_idle()
            .and_then(|()| self.device.destroy_command(Command::DeregMr, &words, &self.region.dereg_unanswered));
        match done {
            Ok(()) => {
                self.device.tables().regions.give_back(&self.region);
                Ok(())
            }
            Err(error) => Err(Kept { error, object: self }),
        }
    }
}

impl<P: Platform> fmt::Debug for MemoryRegion<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryRegion {{ key {:#010x}, {:?} }}", self.key(), self.state())
    }
}
