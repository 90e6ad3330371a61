//! Mappings: memory in a slot, and the chain that registers and uses it (F12 to F19).

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use rnic_abi::key;
use rnic_abi::limits::MESSAGE_MAX;
use rnic_abi::wqe::Sge;

use super::orphan::Orphan;
use super::pool::{Lkey, LkeySlot, Pool, Rkey, RkeySlot, Slot, SlotCore, SlotSide};
use crate::access::Access;
use crate::completion::Completion;
use crate::error::{Error, Invalid, Kept};
use crate::memory_region::{MemoryRegion, MrState};
use crate::platform::{Direction, DmaMemory, DmaSgEntry, DmaSgList, Platform};
use crate::queue_pair::{BadWr, PostError, Promised, Remote, SendRequest};

/// Memory of the application on one platform.
type Memory<P> = <<P as Platform>::Memory as DmaMemory>::Memory;

/// How a mapping is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Registration {
    key: u32,
    access: Access,
    iova: u64,
    length: u64,
}

/// A mapping, whatever it is for.
pub(super) struct MapCore<P: Platform> {
    /// Until the mapping ends.
    pub(super) slot: Option<SlotCore<P>>,
    pub(super) memory: Option<DmaSgList>,
    /// Without one the elements are plain.
    registration: Option<Registration>,
    sges: Vec<Sge>,
    posted: bool,
    /// Shared with the posted requests that use the memory.
    pub(super) uses: Rc<()>,
}

/// Memory of the application that a slot holds. Dropping one that has been posted leaves its region and memory to
/// [`Device::reclaim`](crate::Device::reclaim); [`unmap`](Mapping::unmap) ends it properly.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// # let memory = rnic_mock::memory(3);
/// // Memory of three pieces on the bus: plain elements, because a request takes as many.
/// let mut map = pool.lkey_slot()?.make_sge(&memory, Direction::FromDevice, 4)?;
/// assert_eq!((map.sges().len(), map.length(), map.is_registered()), (3, 0x3000, false));
/// let sges = map.sges().to_vec();
/// map.post([SendRequest::read(1, sges, Remote { address: 0x7000, rkey: 0x155 })])?;
/// assert_eq!(cq.next(limit)?.wr_id, 1);
/// assert!(matches!(map.unmap(2)?, Unmap::Done(_))); // the memory is the application's again
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a mapping ends by `unmap`"]
pub struct Mapping<P: Platform, K: SlotSide> {
    pub(super) core: Box<MapCore<P>>,
    pub(super) side: PhantomData<K>,
}

/// A mapping for local use.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// # let memory = rnic_mock::memory(3);
/// let map: LocalMap<_> = pool.lkey_slot()?.make_sge(&memory, Direction::ToDevice, 1)?;
/// assert_eq!((map.sges().len(), map.is_registered()), (1, true)); // three pieces, one element
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LocalMap<P> = Mapping<P, Lkey>;
/// A mapping for the peer.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// # let memory = rnic_mock::memory(3);
/// let map: RemoteMap<_> = pool.rkey_slot()?.make_remote(&memory, Access::REMOTE_WRITE)?;
/// assert_eq!((map.remote().rkey, map.length()), (map.rkey(), 0x3000)); // what the peer must know
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type RemoteMap<P> = Mapping<P, Rkey>;

impl<P: Platform> LkeySlot<P> {
    /// Maps memory for the local side of a request with at most `max_sge` elements: the limit of its opcode (F13), cut to what
    /// the device offers. If the mapped
    /// list has no more elements and the queue pair may use the local DMA lkey, they are used as they are; else the memory is
    /// registered and becomes one element (F12). Either way the slot is taken, and all of [`Mapping`] works the same.
    ///
    /// # Errors
    /// The slot comes back with each of them, and nothing stays mapped (F17): what the platform does not take back at once is left
    /// to [`Device::reclaim`](crate::Device::reclaim).
    /// - [`DmaError::NotMappable`](crate::DmaError) (EIO): the memory cannot be mapped.
    /// - [`DmaError::NoMemory`](crate::DmaError) (ENOMEM): none for the page list.
    /// - [`Invalid::SgList`] (EINVAL): the platform's list has an element of no bytes, or passes the address space (F2).
    /// - [`Invalid::NotWhole`] (EINVAL): it is too large, or too scattered, for one element.
    /// - as [`Device::alloc_mr`](crate::Device::alloc_mr), if the region of the slot had been lost.
    pub fn make_sge(self, memory: &Memory<P>, direction: Direction, max_sge: usize) -> Result<LocalMap<P>, Kept<Self>> {
        let access = if direction == Direction::ToDevice { Access::NONE } else { Access::LOCAL_WRITE };
        self.make(memory, direction, |core| {
            if core.plain(max_sge) {
                return Ok(());
            }
            let Registration { key, iova, length, .. } = core.stage(access, MESSAGE_MAX)?;
            core.sges = vec![Sge { address: iova, length: length as u32, lkey: key }];
            Ok(())
        })
    }
}

impl<P: Platform> RkeySlot<P> {
    /// Maps memory for the peer, with the given remote rights; local write is added where rule B8 wants it. The memory is always
    /// registered, under a new key (F16).
    ///
    /// # Errors
    /// The slot comes back with each of them, and nothing stays mapped (F17): what the platform does not take back at once is left
    /// to [`Device::reclaim`](crate::Device::reclaim).
    /// - [`DmaError::NotMappable`](crate::DmaError) (EIO): the memory cannot be mapped.
    /// - [`DmaError::NoMemory`](crate::DmaError) (ENOMEM): none for the page list.
    /// - [`Invalid::SgList`] (EINVAL): the platform's list has an element of no bytes, or passes the address space (F2).
    /// - [`Invalid::NotWhole`] (EINVAL): it does not fit one registration, and the error says how much does.
    /// - as [`Device::alloc_mr`](crate::Device::alloc_mr), if the region of the slot had been lost.
    pub fn make_remote(self, memory: &Memory<P>, access: Access) -> Result<RemoteMap<P>, Kept<Self>> {
        let writes = access.intersects(Access::REMOTE_WRITE | Access::REMOTE_ATOMIC);
        let reads = access.intersects(Access::REMOTE_READ | Access::REMOTE_ATOMIC);
        let (direction, access) = match (writes, reads) {
            (false, _) => (Direction::ToDevice, access),
            (true, false) => (Direction::FromDevice, access | Access::LOCAL_WRITE),
            (true, true) => (Direction::Bidirectional, access | Access::LOCAL_WRITE),
        };
        self.make(memory, direction, |core| core.stage(access, u64::MAX).map(drop))
    }
}

impl<P: Platform, K: SlotSide> Slot<P, K> {
    /// Lets the device reach the memory, and prepares its use; undoes both if that fails (F17).
    fn make(
        self,
        memory: &Memory<P>,
        direction: Direction,
        prepare: impl FnOnce(&mut MapCore<P>) -> Result<(), Error>,
    ) -> Result<Mapping<P, K>, Kept<Self>> {
        let (mut slot, side) = (self.core, self.side);
        let mapped = slot.entry().map(drop).and_then(|()| slot.pool.device().dma_map(memory, direction));
        let memory = match mapped {
            Ok(memory) => memory,
            Err(error) => return Err(Kept { error, object: Slot { core: slot, side } }),
        };
        let (slot, memory) = (Some(slot), Some(memory));
        let (registration, sges, uses) = (None, Vec::new(), Rc::new(()));
        let mut core = Box::new(MapCore { slot, memory, registration, sges, posted: false, uses });
        match prepare(&mut core) {
            Ok(()) => Ok(Mapping { core, side }),
            Err(error) => {
                // What went wrong first is what the caller must know; memory that the platform keeps is left to `reclaim`.
                let _ = core.take_memory_away();
                let slot = core.slot.take().expect("a mapping has its slot until it ends");
                if let Some(memory) = core.memory.take() {
                    slot.pool.abandon(Orphan { region: None, memory: Some(memory), uses: Rc::default() });
                }
                Err(Kept { error, object: Slot { core: slot, side } })
            }
        }
    }
}

impl<P: Platform> MapCore<P> {
    pub(super) fn slot(&self) -> &SlotCore<P> {
        self.slot.as_ref().expect("a mapping has its slot until it ends")
    }

    pub(super) fn pool(&self) -> &Rc<Pool<P>> {
        &self.slot().pool
    }

    fn entries(&self) -> &[DmaSgEntry] {
        self.memory.as_ref().map_or(&[], DmaSgList::entries)
    }

    /// Uses the mapped list as it is, if it is short enough and the queue pair may.
    fn plain(&mut self, max_sge: usize) -> bool {
        let max_sge = max_sge.min(self.pool().device().capabilities().max_sge.into());
        let bytes: u128 = self.entries().iter().map(|entry| u128::from(entry.length)).sum();
        let fits = self.entries().len() <= max_sge && bytes <= u128::from(MESSAGE_MAX);
        if !fits || !self.pool().qp.is_privileged() {
            return false;
        }
        let lkey = self.pool().device().capabilities().local_dma_lkey;
        let plain = |e: &DmaSgEntry| Sge { address: e.address, length: e.length as u32, lkey };
        self.sges = self.entries().iter().map(plain).collect();
        true
    }

    /// Fills the region's staging list: nothing is sent, and the region keeps its key (F19). Pages of the smallest size that
    /// suffices are taken.
    fn stage(&mut self, access: Access, longest: u64) -> Result<Registration, Error> {
        let MapCore { slot: Some(slot), memory: Some(memory), .. } = self else {
            return Err(Error::Invalid(Invalid::NotMapped));
        };
        let (smallest, offered) = (slot.pool.options.page_size, slot.pool.device().capabilities().page_size_cap);
        let entry = slot.entry()?;
        let mut first = None;
        for size in (0..64).map(|bit| 1 << bit).filter(|size| *size >= smallest && offered & size != 0) {
            let mapped = entry.region.map_mr_sg(&*memory, 0, size)?;
            if mapped.is_whole() && mapped.length <= longest {
                let (key, iova, length) = (entry.next_key(), mapped.iova, mapped.length);
                return Ok(*self.registration.insert(Registration { key, access, iova, length }));
            }
            first.get_or_insert(mapped);
        }
        let (n, next_offset) = first.map_or((0, 0), |mapped| (mapped.n, mapped.next_offset));
        Err(Error::Invalid(Invalid::NotWhole { n, next_offset }))
    }

    /// After an error the mapping still has its memory.
    pub(super) fn take_memory_away(&mut self) -> Result<(), Error> {
        let Some(memory) = self.memory.take() else { return Ok(()) };
        self.pool().device().dma_unmap(memory).map_err(|kept| {
            self.memory = Some(kept.object);
            kept.error
        })
    }

    /// Some request that was posted with it has not been retired.
    pub(super) fn in_use(&self) -> bool {
        Rc::strong_count(&self.uses) > 1
    }

    pub(super) fn is_posted(&self) -> bool {
        self.posted
    }

    /// The region, if it is, or will be, registered.
    pub(super) fn region(&self) -> Option<&MemoryRegion<P>> {
        self.registration.and_then(|_| self.slot().region())
    }

    /// The registration to post, and the promise of its place in the ring.
    fn request(&self, wr_id: u64) -> Result<Option<Promised<P>>, Error> {
        let (Some(Registration { key, access, .. }), Some(region), false) =
            (self.registration, self.region(), self.posted)
        else {
            return Ok(None);
        };
        let request = SendRequest::reg_mr(wr_id, region.reg_wr(key, access)?).unsignaled();
        Ok(Some((request, self.pool().promise.clone())))
    }

    /// The chain is being posted: only now the region gets its key (F19).
    fn commit(&mut self) {
        if let (Some(Registration { key, .. }), Some(region), false) = (self.registration, self.region(), self.posted) {
            region.update_key(key::byte(key));
        }
        self.posted = true;
    }
}

impl<P: Platform> Drop for MapCore<P> {
    fn drop(&mut self) {
        let Some(mut slot) = self.slot.take() else { return };
        // A platform that unwinds may be in the middle of a call and cannot be asked.
        if std::thread::panicking() {
            return;
        }
        let memory = self.memory.take();
        if !self.posted {
            // Bug 54: the device has never heard of it.
            let kept = memory.and_then(|memory| slot.pool.device().dma_unmap(memory).err());
            if let Some(kept) = kept {
                slot.pool.abandon(Orphan { region: None, memory: Some(kept.object), uses: Rc::default() });
            }
            return;
        }
        // Its requests may still have the places of the slot.
        slot.leave_requests(&self.uses);
        let region = self.registration.and_then(|_| slot.take_entry()).map(|entry| entry.region.region);
        slot.pool.abandon(Orphan { region, memory, uses: self.uses.clone() });
    }
}

impl<P: Platform, K: SlotSide> Mapping<P, K> {
    /// It is, or will be, registered: not so where plain elements were enough.
    pub fn is_registered(&self) -> bool {
        self.core.registration.is_some()
    }

    /// It has been posted.
    pub fn is_posted(&self) -> bool {
        self.core.posted
    }

    /// Bytes of it.
    pub fn length(&self) -> u64 {
        self.core.memory.as_ref().map_or(0, DmaSgList::bytes)
    }

    /// What the driver knows of the region's state: [`MrState::Free`] after the peer has invalidated it. `None` where nothing is
    /// registered.
    pub fn state(&self) -> Option<MrState> {
        self.core.region().map(MemoryRegion::state)
    }

    /// Posts requests that use the mapping, all or none, with one doorbell. The first time, the registration goes in front of
    /// them, if there is one: unsignaled, with the `wr_id` of the first of them, in a place of the ring that is kept for it.
    /// Only now the region's key changes (F19). Requests that use several mappings: [`Chain`].
    ///
    /// # Errors
    /// as [`Chain::post`].
    pub fn post(&mut self, requests: impl IntoIterator<Item = SendRequest<P>>) -> Result<(), BadWr<P>> {
        Chain::new().with(self).post(requests)
    }
}

impl<P: Platform> LocalMap<P> {
    /// The elements for a request, which is to be posted by [`post`](Mapping::post) or a [`Chain`] of the mapping. One that is
    /// posted in another way is not known to use the memory: [`unmap`](Mapping::unmap) does not wait for it.
    pub fn sges(&self) -> &[Sge] {
        &self.core.sges
    }
}

impl<P: Platform> RemoteMap<P> {
    /// The key for the peer. It grants nothing before [`post`](Mapping::post).
    pub fn rkey(&self) -> u32 {
        self.core.registration.map_or(0, |registration| registration.key)
    }

    /// What the peer needs for its requests. They are the peer's: when it has done with the memory is for the protocol between
    /// the two to say.
    pub fn remote(&self) -> Remote {
        let address = self.core.registration.map_or(0, |registration| registration.iova);
        Remote { address, rkey: self.rkey() }
    }

    /// Whether the message of this completion took the key away: `false` if it took none.
    ///
    /// ```
    /// # use rnic_driver::*;
    /// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
    /// # let (limit, memory) = (rnic_mock::LIMIT, rnic_mock::memory(2));
    /// # let pool = SlotPool::new(&qp, &pd, SlotOptions { remote: 1, ..SlotOptions::default() })?;
    /// # let mut map = pool.rkey_slot()?.make_remote(&memory, Access::REMOTE_READ)?;
    /// # qp.post_receive(&ReceiveRequest::new(7, []))?;
    /// map.post([SendRequest::send(1, [])])?;
    /// assert!(!map.invalidated_by(&cq.next(limit)?)?);
    /// // The peer answers with a SEND that invalidates the key, so the unmapping need not.
    /// # let rkey = map.rkey();
    /// # mock.with(|state| state.receive_send(qp.number(), &[], SendExtra::Invalidate(rkey)));
    /// assert!(map.invalidated_by(&cq.next(limit)?)?);
    /// assert!(matches!(map.unmap(2)?, Unmap::Done(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Peer`] (EPROTO): it took another key (C18).
    pub fn invalidated_by(&self, completion: &Completion<P>) -> Result<bool, Error> {
        match completion.invalidated_key {
            Some(found) if found != self.rkey() => Err(Error::Peer { expected: self.rkey(), found }),
            found => Ok(found.is_some()),
        }
    }
}

/// Requests that use several mappings of one pool.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// # let (source, sink) = (rnic_mock::memory(1), rnic_mock::memory(4));
/// let mut out = pool.rkey_slot()?.make_remote(&source, Access::REMOTE_READ)?;
/// let mut back = pool.rkey_slot()?.make_remote(&sink, Access::REMOTE_WRITE)?;
/// // Both registrations and the command leave with one doorbell.
/// Chain::new().with(&mut out).with(&mut back).post([SendRequest::send(1, [])])?;
/// assert_eq!(cq.next(limit)?.wr_id, 1);
/// assert_eq!([out.state(), back.state()], [Some(MrState::Valid); 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Chain<'a, P: Platform> {
    maps: Vec<&'a mut MapCore<P>>,
}

impl<P: Platform> Default for Chain<'_, P> {
    fn default() -> Self {
        Chain::new()
    }
}

impl<'a, P: Platform> Chain<'a, P> {
    /// A chain that uses no mapping yet.
    pub fn new() -> Chain<'a, P> {
        Chain { maps: Vec::new() }
    }

    /// Adds a mapping.
    pub fn with<K: SlotSide>(mut self, map: &'a mut Mapping<P, K>) -> Self {
        self.maps.push(&mut map.core);
        self
    }

    /// Posts the registrations that have not been posted, and the requests behind them.
    ///
    /// # Errors
    /// as [`QueuePair::post_send`](crate::QueuePair::post_send); [`PostError::Mappings`] (EINVAL) without a mapping, with
    /// mappings of several queue pairs, or without a request. All requests come back and the regions are untouched (F17), unless
    /// only the doorbell failed: then everything is posted, and the next doorbell tells the device.
    pub fn post(self, requests: impl IntoIterator<Item = SendRequest<P>>) -> Result<(), BadWr<P>> {
        let requests: Vec<_> = requests.into_iter().collect();
        let refuse = |requests| BadWr { error: PostError::Mappings, posted: 0, rest: requests };
        let (Some(first), Some(request)) = (self.maps.first(), requests.first()) else { return Err(refuse(requests)) };
        let pool = first.pool().clone();
        if self.maps.iter().any(|map| !map.pool().qp.is(&pool.qp)) {
            return Err(refuse(requests));
        }
        let registrations = self.maps.iter().filter_map(|map| map.request(request.wr_id).transpose());
        let Ok(registrations) = registrations.collect::<Result<Vec<_>, _>>() else { return Err(refuse(requests)) };
        let uses = self.maps.iter().map(|map| map.uses.clone()).collect();
        let commit = || self.maps.into_iter().for_each(MapCore::commit);
        pool.qp.post_chain(registrations, requests, uses, commit)
    }
}

impl<P: Platform, K: SlotSide> fmt::Debug for Mapping<P, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MapCore { memory, registration, posted, .. } = &*self.core;
        write!(f, "Mapping {{ {memory:?}, {registration:?}, posted: {posted} }}")
    }
}
