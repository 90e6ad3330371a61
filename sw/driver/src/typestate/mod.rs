//! Memory regions whose state is part of their type (F21).
//!
//! | type | state | leads to |
//! | --- | --- | --- |
//! | [`Mr<P, Free>`](Mr) | FREE | [`register`](Mr::register) |
//! | [`Pending<P, Valid>`](Pending) | a REG_MR is posted | [`settle`](Pending::settle) |
//! | [`Mr<P, Valid>`](Mr) | VALID | [`invalidate`](Mr::invalidate), or [`taken_by_peer`](Mr::taken_by_peer) |
//! | [`Pending<P, Free>`](Pending) | a LOCAL_INV is posted | [`settle`](Pending::settle) |
//! | [`Quarantined<P>`](Quarantined) | a request was flushed (D13) | [`recover`](Quarantined::recover) |
//!
//! So a region that is registered cannot be registered again, one with work outstanding can be neither changed nor deregistered,
//! and what the flush left unknown cannot be used.
//!
//! Rust cannot forbid to drop a value. `drop(pending)` compiles, where F21 would have it refused: [`must_use`] only warns of a value
//! that is not even named. So dropping any of them loses nothing: the region, and what it may still name, are left to
//! [`Device::reclaim`], which ends them when the request has.
//!
//! [`must_use`]: https://doc.rust-lang.org/reference/attributes/diagnostics.html#the-must_use-attribute
//! [`Device::reclaim`]: crate::Device::reclaim
//!
//! ```
//! # use rnic_driver::*;
//! # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
//! # let (limit, memory) = (rnic_mock::LIMIT, rnic_mock::memory(3));
//! let mut mr: Mr<_, Free> = device.alloc_fast_reg_mr(&pd, 16)?.into_typed()?;
//! let list = device.dma_map(&memory, Direction::ToDevice)?;
//! mr.map_mr_sg(&list, 0, 4096)?;
//! let pending = mr.register(&qp, 1, Access::REMOTE_READ)?;
//! assert!(cq.next(limit)?.is_success());
//! let mr: Mr<_, Valid> = pending.settle()?;
//! println!("tell the peer: {:#x}", mr.rkey());
//! let pending = mr.invalidate(&qp, 2)?;
//! assert!(cq.next(limit)?.is_success());
//! pending.settle()?.dereg()?;
//! device.dma_unmap(list)?;
//! # assert!(mock.with(|state| state.mapped.is_empty() && state.mrs.is_empty()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;

use std::fmt;
use std::marker::PhantomData;

use crate::access::Access;
use crate::error::{Busy, Error, Kept};
use crate::flow::Orphan;
use crate::mapping::Mapped;
use crate::memory_region::{MemoryRegion, MrState};
use crate::platform::{DmaSgSlice, Platform};
use crate::queue_pair::{QueuePair, SendRequest};

pub(crate) use error::Unfinished;
pub use error::{NotPosted, RegisterError, Unsettled};

/// Mark of a region that grants nothing.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let mut mr: Mr<_, Free> = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// assert!(mr.map_mr_sg(&list, 0, 4096)?.is_whole()); // only a free region can be mapped
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Free {}
/// Mark of a region that is registered.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mut mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// # mr.map_mr_sg(&list, 0, 4096)?;
/// let pending = mr.register(&qp, 1, Access::REMOTE_READ)?;
/// cq.next(limit)?;
/// let mr: Mr<_, Valid> = pending.settle()?; // has no `map_mr_sg` and no `register`
/// assert!(mr.invalidate(&qp, 2).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Valid {}

mod sealed {
    pub trait Phase {
        /// The state as the driver keeps it.
        const STATE: crate::memory_region::MrState;
    }
}

/// [`Free`] or [`Valid`].
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mut mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// # mr.map_mr_sg(&list, 0, 4096)?;
/// /// Code for a region in whatever state.
/// fn index<P: Platform, S: Phase>(mr: &Mr<P, S>) -> u32 {
///     mr.rkey() >> 8
/// }
/// assert_eq!(index(&mr), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Phase: sealed::Phase {
    /// The other one: where a request came from that leads here.
    type Before: Phase;
}

impl sealed::Phase for Free {
    const STATE: MrState = MrState::Free;
}

impl sealed::Phase for Valid {
    const STATE: MrState = MrState::Valid;
}

impl Phase for Free {
    type Before = Valid;
}

impl Phase for Valid {
    type Before = Free;
}

/// A region, which its device gets back when it is dropped.
struct Owned<P: Platform>(Option<Box<MemoryRegion<P>>>);

impl<P: Platform> Owned<P> {
    fn new(region: MemoryRegion<P>) -> Owned<P> {
        Owned(Some(Box::new(region)))
    }

    fn region(&self) -> &MemoryRegion<P> {
        self.0.as_deref().expect("there until it is taken or dropped")
    }

    fn region_mut(&mut self) -> &mut MemoryRegion<P> {
        self.0.as_deref_mut().expect("there until it is taken or dropped")
    }

    fn take(mut self) -> MemoryRegion<P> {
        *self.0.take().expect("there until it is taken or dropped")
    }
}

impl<P: Platform> Drop for Owned<P> {
    fn drop(&mut self) {
        let Some(region) = self.0.take().filter(|_| !std::thread::panicking()) else { return };
        let MemoryRegion { device, region, .. } = *region;
        device.tables().orphans.push(Orphan { region: Some(region), memory: None, uses: Default::default() });
    }
}

/// A memory region in state `S`.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mut mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// # mr.map_mr_sg(&list, 0, 4096)?;
/// let pending = mr.register(&qp, 1, Access::REMOTE_READ)?;
/// assert!(cq.next(limit)?.is_success());
/// let mr = pending.settle()?; // the peer may use `mr.rkey()` from here on
/// let pending = mr.invalidate(&qp, 2)?;
/// assert!(cq.next(limit)?.is_success());
/// pending.settle()?.dereg()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "dropping a region leaves it to `Device::reclaim`"]
pub struct Mr<P: Platform, S: Phase> {
    owned: Owned<P>,
    state: PhantomData<S>,
}

/// A memory region on which a request is posted that leads to state `S`.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mut mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// # mr.map_mr_sg(&list, 0, 4096)?;
/// let pending = mr.register(&qp, 1, Access::NONE)?;
/// let Err(Unsettled::Outstanding(pending)) = pending.settle() else { panic!("nothing has been polled") };
/// cq.next(limit)?;
/// assert!(pending.settle().is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a posted request must be settled"]
pub struct Pending<P: Platform, S: Phase> {
    owned: Owned<P>,
    state: PhantomData<S>,
}

/// A memory region of which a flushed request has left the state unknown (D13).
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mut mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// # mr.map_mr_sg(&list, 0, 4096)?;
/// let pending = mr.register(&qp, 1, Access::NONE)?;
/// qp.drain()?; // flushes it
/// let Err(Unsettled::Quarantined(mr)) = pending.settle() else { panic!("it was flushed") };
/// assert!(matches!(mr.recover()?, Recovered::Free(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a region in quarantine must be recovered"]
pub struct Quarantined<P: Platform> {
    owned: Owned<P>,
}

/// What became of a region in quarantine.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mut mr = device.alloc_fast_reg_mr(&pd, 8)?.into_typed()?;
/// # let list = device.dma_map(&rnic_mock::memory(1), Direction::ToDevice)?;
/// # mr.map_mr_sg(&list, 0, 4096)?;
/// # let pending = mr.register(&qp, 1, Access::NONE)?;
/// # qp.drain()?;
/// # let Err(Unsettled::Quarantined(quarantined)) = pending.settle() else { panic!("it was flushed") };
/// match quarantined.recover()? {
///     Recovered::Free(mr) => mr.dereg()?, // the flushed request has not been executed
///     Recovered::Valid(mr) => mr.dereg()?,
/// }
/// assert_eq!(pd.uses(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub enum Recovered<P: Platform> {
    /// It is free.
    Free(Mr<P, Free>),
    /// It is registered.
    Valid(Mr<P, Valid>),
}

impl<P: Platform> MemoryRegion<P> {
    /// The region with its state as part of its type.
    ///
    /// # Errors
    /// [`Busy::Registered`], [`Busy::RequestOutstanding`], [`Busy::Quarantined`] (EBUSY): it is not free and idle, and comes back.
    pub fn into_typed(self) -> Result<Mr<P, Free>, Kept<Self>> {
        let error = match self.state() {
            MrState::Free => return Ok(Mr { owned: Owned::new(self), state: PhantomData }),
            MrState::Valid => Busy::Registered,
            MrState::Pending | MrState::Invalidating => Busy::RequestOutstanding,
            MrState::Quarantined => Busy::Quarantined,
        };
        Err(Kept { error: Error::Busy(error), object: self })
    }
}

impl<P: Platform, S: Phase> Mr<P, S> {
    fn new(owned: Owned<P>) -> Self {
        Mr { owned, state: PhantomData }
    }

    /// The region without a typed state.
    pub fn into_untyped(self) -> MemoryRegion<P> {
        self.owned.take()
    }

    /// The key for local use.
    pub fn lkey(&self) -> u32 {
        self.owned.region().lkey()
    }

    /// The key for the peer.
    pub fn rkey(&self) -> u32 {
        self.owned.region().rkey()
    }

    /// Deregisters it (A14).
    ///
    /// # Errors
    /// as [`MemoryRegion::dereg`]; the region comes back.
    pub fn dereg(self) -> Result<(), Kept<Self>> {
        let done = self.owned.take().dereg();
        done.map_err(|kept| Kept { error: kept.error, object: Mr::new(Owned::new(kept.object)) })
    }
}

impl<P: Platform> Mr<P, Free> {
    /// Fills its staging list; see [`MemoryRegion::map_mr_sg`].
    ///
    /// # Errors
    /// as [`MemoryRegion::map_mr_sg`], but for [`Busy::RequestOutstanding`], [`Busy::Quarantined`] and [`Busy::Registered`].
    pub fn map_mr_sg<'a>(
        &mut self,
        list: impl Into<DmaSgSlice<'a>>,
        offset: u64,
        page_size: u64,
    ) -> Result<Mapped, Error> {
        self.owned.region_mut().map_mr_sg(list, offset, page_size)
    }

    /// Posts a signaled registration of what is mapped, under the next key (A13).
    ///
    /// # Errors
    /// The region comes back with each of them, with the key that it had.
    /// - [`RegisterError::Mapping`] (EINVAL): nothing is mapped.
    /// - [`RegisterError::Post`]: as [`QueuePair::post_send`]. If only the doorbell failed, the request is in the ring and
    ///   goes out with the next one: then the result is `Ok`, because the region is not free any more.
    #[allow(clippy::type_complexity)]
    pub fn register(self, qp: &QueuePair<P>, wr_id: u64, access: Access) -> Result<Pending<P, Valid>, NotPosted<Self>> {
        let region = self.owned.region();
        let before = region.key();
        let posted = region.reg_wr(region.bump_key(), access).map_err(RegisterError::from).and_then(|registration| {
            qp.post_send(SendRequest::reg_mr(wr_id, registration)).map_err(|bad| bad.error.into())
        });
        match posted {
            Err(error) if region.state() == MrState::Free => {
                region.update_key(before as u8);
                Err(NotPosted { error, object: self })
            }
            _ => Ok(Pending { owned: self.owned, state: PhantomData }),
        }
    }
}

impl<P: Platform> Mr<P, Valid> {
    /// Posts a signaled invalidation.
    ///
    /// # Errors
    /// as [`Mr::register`].
    pub fn invalidate(self, qp: &QueuePair<P>, wr_id: u64) -> Result<Pending<P, Free>, NotPosted<Self>> {
        // The region's state does not tell: the peer may have invalidated it already.
        match qp.post_send(SendRequest::local_inv(wr_id, self.owned.region().key())) {
            Err(bad) if bad.bad_wr().is_some() => Err(NotPosted { error: bad.error.into(), object: self }),
            _ => Ok(Pending { owned: self.owned, state: PhantomData }),
        }
    }

    /// The region as a free one, if the peer has invalidated it: the completion that says so has been polled.
    ///
    /// # Errors
    /// It has not; the region comes back.
    pub fn taken_by_peer(self) -> Result<Mr<P, Free>, Self> {
        if self.owned.region().state() == MrState::Free {
            Ok(Mr::new(self.owned))
        } else {
            Err(self)
        }
    }
}

impl<P: Platform, S: Phase> Pending<P, S> {
    /// Where the request has led to, once its completion, or a later one of the same queue, has been polled.
    ///
    /// # Errors
    /// - [`Unsettled::Outstanding`] (EAGAIN): its completion has not been polled.
    /// - [`Unsettled::Before`] (EIO): the request has failed and changed nothing, or the peer has undone it.
    /// - [`Unsettled::Quarantined`] (EBUSY): the request was flushed.
    pub fn settle(self) -> Result<Mr<P, S>, Unsettled<P, S>> {
        match self.owned.region().state() {
            MrState::Pending | MrState::Invalidating => Err(Unsettled::Outstanding(self)),
            MrState::Quarantined => Err(Unsettled::Quarantined(Quarantined { owned: self.owned })),
            state if state == <S as sealed::Phase>::STATE => Ok(Mr::new(self.owned)),
            _ => Err(Unsettled::Before(Mr::new(self.owned))),
        }
    }
}

impl<P: Platform> Quarantined<P> {
    /// Asks the device for the state, once the queue pair has been drained, reset or destroyed.
    ///
    /// # Errors
    /// as [`MemoryRegion::recover`]; it comes back.
    pub fn recover(self) -> Result<Recovered<P>, Kept<Self>> {
        match self.owned.region().recover() {
            Ok(MrState::Valid) => Ok(Recovered::Valid(Mr::new(self.owned))),
            Ok(_) => Ok(Recovered::Free(Mr::new(self.owned))),
            Err(error) => Err(Kept { error, object: self }),
        }
    }
}

impl<P: Platform, S: Phase> fmt::Debug for Mr<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.owned.region().fmt(f)
    }
}

impl<P: Platform, S: Phase> fmt::Debug for Pending<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.owned.region().fmt(f)
    }
}

impl<P: Platform> fmt::Debug for Quarantined<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.owned.region().fmt(f)
    }
}

impl<P: Platform> fmt::Debug for Recovered<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recovered::Free(mr) => mr.fmt(f),
            Recovered::Valid(mr) => mr.fmt(f),
        }
    }
}
