//! Pools of slots (F11, F20).

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::rc::{Rc, Weak};

use rnic_abi::key;

use super::keys::{KeyPolicy, Keys};
use super::orphan::Orphan;
use crate::device::Device;
use crate::error::{Again, Busy, Error, Invalid, Kept};
use crate::memory_region::MemoryRegion;
use crate::platform::Platform;
use crate::protection_domain::ProtectionDomain;
use crate::queue_pair::{Promise, QueuePair};

/// Places of the send ring that a slot takes: registration and invalidation.
const PLACES: u64 = 2;

mod sealed {
    pub trait Shelf {
        /// Which shelf of the pool.
        const SHELF: usize;
    }
}

/// What a slot is for: [`Lkey`] or [`Rkey`].
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// /// Code for slots of both sides.
/// fn give_back<P: Platform, K: SlotSide>(slot: Slot<P, K>) {}
/// give_back(pool.lkey_slot()?);
/// give_back(pool.rkey_slot()?);
/// assert_eq!(pool.taken(), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SlotSide: sealed::Shelf {}

impl SlotSide for Lkey {}
impl SlotSide for Rkey {}

/// Mark of slots and mappings for local use.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// let slot: Slot<_, Lkey> = pool.lkey_slot()?;
/// assert_eq!(pool.taken(), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Lkey {}
/// Mark of slots and mappings for the peer.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// let slot: Slot<_, Rkey> = pool.rkey_slot()?;
/// assert_eq!(pool.taken(), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Rkey {}

impl sealed::Shelf for Lkey {
    const SHELF: usize = 0;
}

impl sealed::Shelf for Rkey {
    const SHELF: usize = 1;
}

/// What a pool is made of.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let credits = qp.send_credits();
/// let options = SlotOptions { local: 1, remote: 2, ..SlotOptions::default() };
/// let pool = SlotPool::new(&qp, &pd, options)?;
/// assert_eq!(qp.send_credits(), credits - 6); // two places of the send ring for each slot
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotOptions {
    /// Slots for local use.
    pub local: usize,
    /// Slots for the peer.
    pub remote: usize,
    /// Most pages of a mapping; 0 for as many as the device takes.
    pub max_pages: u16,
    /// Smallest page size of a mapping. Larger ones that the device offers are tried where the pages of this size do not suffice.
    pub page_size: u64,
    /// How keys are chosen.
    pub keys: KeyPolicy,
}

impl Default for SlotOptions {
    /// No slots: set one number at least. 16 pages of 4 KiB.
    fn default() -> Self {
        SlotOptions { local: 0, remote: 0, max_pages: 16, page_size: 4096, keys: KeyPolicy::Increment }
    }
}

/// A region and the order of its keys.
pub(super) struct Entry<P: Platform> {
    pub(super) region: MemoryRegion<P>,
    keys: Keys,
}

impl<P: Platform> Entry<P> {
    /// The key that the next registration gets.
    pub(super) fn next_key(&mut self) -> u32 {
        key::new(self.region.index(), self.keys.after(key::byte(self.region.key())))
    }

    /// Deregisters the region; after an error everything comes back.
    pub(super) fn dereg(self) -> Result<(), Kept<Entry<P>>> {
        let Entry { region, keys } = self;
        region.dereg().map_err(|kept| Kept { error: kept.error, object: Entry { region: kept.object, keys } })
    }
}

/// A slot that nobody has.
struct Place<P: Platform> {
    /// Without one it gets a new one when it is used: its old one was lost with a dropped mapping.
    entry: Option<Box<Entry<P>>>,
    /// Shared with the requests of that mapping, and held once more by what is left of it for `reclaim`.
    left: Weak<()>,
}

impl<P: Platform> Place<P> {
    /// No request has the slot's places in the ring.
    fn is_free(&self) -> bool {
        self.left.strong_count() <= 1
    }
}

type Shelf<P> = Vec<Place<P>>;

/// What slots and mappings share.
pub(super) struct Pool<P: Platform> {
    pub(super) qp: QueuePair<P>,
    pd: ProtectionDomain<P>,
    pub(super) options: SlotOptions,
    pub(super) promise: Rc<Promise>,
    shelves: [RefCell<Shelf<P>>; 2],
    /// Regions that it has had: no two of them get the same order of keys.
    regions: Cell<u32>,
}

impl<P: Platform> Pool<P> {
    pub(super) fn device(&self) -> &Device<P> {
        self.qp.device()
    }

    fn make(&self) -> Result<Box<Entry<P>>, Error> {
        let region = self.device().alloc_fast_reg_mr(&self.pd, self.options.max_pages)?;
        let keys = Keys::new(self.options.keys, self.regions.replace(self.regions.get().wrapping_add(1)));
        Ok(Box::new(Entry { region, keys }))
    }

    fn slots(&self) -> [usize; 2] {
        [self.options.local, self.options.remote]
    }

    /// Leaves something to the device that the pool cannot end now.
    pub(super) fn abandon(&self, orphan: Orphan) {
        self.device().tables().orphans.push(orphan);
    }
}

impl<P: Platform> Drop for Pool<P> {
    fn drop(&mut self) {
        self.qp.end_promise(&self.promise);
        for shelf in &self.shelves {
            if std::thread::panicking() {
                return;
            }
            for entry in shelf.take().into_iter().filter_map(|place| place.entry) {
                self.abandon(Orphan { region: Some(entry.region.region), memory: None, uses: Rc::new(()) });
            }
        }
    }
}

/// Slots of one queue pair: memory regions with the send credits to register and to invalidate each. Dropping the pool leaves its
/// regions to [`Device::reclaim`]; [`close`](SlotPool::close) frees them at once.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let pool = SlotPool::new(&qp, &pd, SlotOptions { remote: 2, ..SlotOptions::default() })?;
/// let slot = pool.rkey_slot()?;
/// assert_eq!((pool.taken(), pd.uses()), ((0, 1), 3)); // two regions and the queue pair
/// drop(slot);
/// pool.close()?;
/// assert_eq!(pd.uses(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SlotPool<P: Platform> {
    pool: Rc<Pool<P>>,
}

impl<P: Platform> SlotPool<P> {
    /// Makes a pool of slots for `qp`, with regions of `pd`. Two places of the send ring are kept for each slot from here on, so
    /// that outstanding regions number at most half of the send credits (F20).
    ///
    /// # Errors
    /// Everything is undone after each of them.
    /// - [`Invalid::SlotCount`] (EINVAL): no slots, or so many that not even two places of the send ring are left.
    /// - [`Invalid::PageSize`] (EINVAL): no power of two, or one that the device does not offer.
    /// - as [`Device::alloc_mr`].
    pub fn new(qp: &QueuePair<P>, pd: &ProtectionDomain<P>, options: SlotOptions) -> Result<SlotPool<P>, Error> {
        let capabilities = qp.device().capabilities();
        if options.local.saturating_add(options.remote) == 0 || options.local.max(options.remote) > 1 << 16 {
            return Err(Error::Invalid(Invalid::SlotCount));
        }
        if !options.page_size.is_power_of_two() || capabilities.page_size_cap & options.page_size == 0 {
            return Err(Error::Invalid(Invalid::PageSize));
        }
        let longest = capabilities.max_fast_reg_page_list_len;
        let max_pages = if options.max_pages == 0 { longest } else { options.max_pages };
        let options = SlotOptions { max_pages, ..options };
        let promise = qp.promise(PLACES * (options.local + options.remote) as u64)?;
        let (shelves, regions) = Default::default();
        let pool = Pool { qp: qp.share(), pd: pd.share(), options, promise, shelves, regions };
        let filled = pool.slots().into_iter().zip(&pool.shelves).try_for_each(|(count, shelf)| {
            for _ in 0..count {
                let entry = Some(pool.make()?);
                shelf.borrow_mut().push(Place { entry, left: Weak::new() });
            }
            Ok(())
        });
        let pool = SlotPool { pool: Rc::new(pool) };
        match filled {
            Ok(()) => Ok(pool),
            Err(error) => {
                // What cannot be deregistered now is left to `reclaim`.
                let _ = pool.dereg_all();
                Err(error)
            }
        }
    }

    /// Takes a slot for local use.
    ///
    /// # Errors
    /// [`Again::Slot`] (EAGAIN): all are taken, or requests of a dropped mapping still have the places of the slot in the ring.
    /// Nothing is half-taken.
    pub fn lkey_slot(&self) -> Result<LkeySlot<P>, Error> {
        self.take()
    }

    /// Takes a slot for the peer.
    ///
    /// # Errors
    /// [`Again::Slot`] (EAGAIN): all are taken, or requests of a dropped mapping still have the places of the slot in the ring.
    /// Nothing is half-taken.
    pub fn rkey_slot(&self) -> Result<RkeySlot<P>, Error> {
        self.take()
    }

    fn take<K: SlotSide>(&self) -> Result<Slot<P, K>, Error> {
        let mut shelf = self.pool.shelves[K::SHELF].borrow_mut();
        let place = shelf.iter().rposition(Place::is_free).ok_or(Error::Again(Again::Slot))?;
        let Place { entry, left } = shelf.remove(place);
        drop(shelf);
        Ok(Slot { core: SlotCore { entry, left, pool: self.pool.clone(), shelf: K::SHELF }, side: PhantomData })
    }

    /// Slots that are taken, for local use and for the peer.
    pub fn taken(&self) -> (usize, usize) {
        let [local, remote] = self.pool.slots();
        let [free_local, free_remote] = [0, 1].map(|shelf| self.pool.shelves[shelf].borrow().len());
        (local - free_local, remote - free_remote)
    }

    /// Deregisters all regions and gives the send credits back.
    ///
    /// # Errors
    /// The pool comes back with each of them, with what is left of it, and the call may be repeated.
    /// - [`Busy::SlotsTaken`] (EBUSY): a slot or mapping is alive.
    /// - as [`MemoryRegion::dereg`].
    pub fn close(self) -> Result<(), Kept<Self>> {
        if self.taken() != (0, 0) {
            let error = Error::Busy(Busy::SlotsTaken);
            return Err(Kept { error, object: self });
        }
        match self.dereg_all() {
            Ok(()) => Ok(()),
            Err(error) => Err(Kept { error, object: self }),
        }
    }

    fn dereg_all(&self) -> Result<(), Error> {
        for place in self.pool.shelves.iter().flat_map(|shelf| (0..shelf.borrow().len()).map(move |at| (shelf, at))) {
            let (shelf, at) = place;
            let Some(entry) = shelf.borrow_mut()[at].entry.take() else { continue };
            if let Err(kept) = entry.dereg() {
                shelf.borrow_mut()[at].entry = Some(Box::new(kept.object));
                return Err(kept.error);
            }
        }
        Ok(())
    }
}

/// What a slot is made of, whatever it is for.
pub(super) struct SlotCore<P: Platform> {
    entry: Option<Box<Entry<P>>>,
    left: Weak<()>,
    pub(super) pool: Rc<Pool<P>>,
    shelf: usize,
}

impl<P: Platform> SlotCore<P> {
    /// The region, a new one if the old one was lost.
    pub(super) fn entry(&mut self) -> Result<&mut Entry<P>, Error> {
        match &mut self.entry {
            Some(entry) => Ok(entry),
            empty => {
                // Its predecessor may be what is in the way. If it cannot be ended now, there may be room all the same.
                let _ = self.pool.device().reclaim();
                Ok(empty.insert(self.pool.make()?))
            }
        }
    }

    /// The region, if there is one.
    pub(super) fn region(&self) -> Option<&MemoryRegion<P>> {
        self.entry.as_ref().map(|entry| &entry.region)
    }

    /// Takes the region out of use.
    pub(super) fn take_entry(&mut self) -> Option<Entry<P>> {
        self.entry.take().map(|entry| *entry)
    }

    /// Puts a region back that could not be deregistered.
    pub(super) fn put_back(&mut self, entry: Entry<P>) {
        self.entry = Some(Box::new(entry));
    }

    /// Requests are left that have the slot's places in the ring until `uses` says that they have ended.
    pub(super) fn leave_requests(&mut self, uses: &Rc<()>) {
        self.left = Rc::downgrade(uses);
    }
}

impl<P: Platform> Drop for SlotCore<P> {
    fn drop(&mut self) {
        if let Ok(mut shelf) = self.pool.shelves[self.shelf].try_borrow_mut() {
            shelf.push(Place { entry: self.entry.take(), left: std::mem::take(&mut self.left) });
        }
    }
}

/// A slot that is taken. Dropping it gives it back to its pool.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// let slot = pool.rkey_slot()?;
/// let Kept { error, object: slot } = slot.make_remote(&[], Access::REMOTE_READ).unwrap_err();
/// assert_eq!(error.errno(), Errno::Eio); // there is no memory to map, but the slot is still ours
/// assert!(slot.make_remote(&rnic_mock::memory(2), Access::REMOTE_READ).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Slot<P: Platform, K: SlotSide> {
    pub(super) core: SlotCore<P>,
    pub(super) side: PhantomData<K>,
}

/// A slot for local use.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// let slot: LkeySlot<_> = pool.lkey_slot()?;
/// assert_eq!(slot.make_sge(&rnic_mock::memory(2), Direction::ToDevice, 4)?.sges().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LkeySlot<P> = Slot<P, Lkey>;
/// A slot for the peer.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// let slot: RkeySlot<_> = pool.rkey_slot()?;
/// assert_eq!(slot.make_remote(&rnic_mock::memory(2), Access::REMOTE_READ)?.length(), 0x2000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type RkeySlot<P> = Slot<P, Rkey>;

impl<P: Platform, K: SlotSide> fmt::Debug for Slot<P, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot {{ {:?} }}", self.core.region())
    }
}

impl<P: Platform> fmt::Debug for SlotPool<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((local, remote), SlotOptions { local: locals, remote: remotes, .. }) = (self.taken(), self.pool.options);
        write!(f, "SlotPool {{ {local} of {locals} local and {remote} of {remotes} remote slots taken }}")
    }
}
