//! The end of a mapping (F14, F18): the same calls whatever it was for, and whether or not it was registered.

use std::fmt;
use std::marker::PhantomData;

use super::map::{MapCore, Mapping};
use super::pool::{Slot, SlotSide};
use crate::error::{Again, Error, Kept};
use crate::memory_region::MrState;
use crate::platform::Platform;
use crate::queue_pair::SendRequest;
use rnic_abi::qp::State;

/// How far [`Mapping::unmap`] has come.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// # let mut map = pool.rkey_slot()?.make_remote(&rnic_mock::memory(2), Access::REMOTE_READ)?;
/// map.post([SendRequest::send(1, [])])?;
/// let slot = match map.unmap(2)? {
///     Unmap::Done(slot) => slot, // the peer has invalidated it
///     Unmap::Pending(pending) => {
///         while cq.next(limit)?.wr_id != 2 {}
///         pending.finish()?
///     }
/// };
/// assert_eq!(pool.taken(), (0, 1)); // the slot may be used again
/// # assert!(mock.with(|state| state.mapped.is_empty()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a pending end must be finished"]
pub enum Unmap<P: Platform, K: SlotSide> {
    /// The device cannot reach the memory any more, and the slot may be used again.
    Done(Slot<P, K>),
    /// Something that was posted has not ended.
    Pending(Unmapping<P, K>),
}

/// A mapping that is being ended. Until [`finish`](Unmapping::finish) answers `Ok`, the memory belongs to the device. Dropping
/// it leaves the rest to [`Device::reclaim`](crate::Device::reclaim).
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let pool = SlotPool::new(&qp, &pd, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() })?;
/// # let mut map = pool.rkey_slot()?.make_remote(&rnic_mock::memory(2), Access::REMOTE_READ)?;
/// map.post([SendRequest::send(1, [])])?;
/// let Unmap::Pending(pending) = map.unmap(2)? else { panic!("nobody has invalidated it") };
/// let Kept { error, object: pending } = pending.finish().unwrap_err();
/// assert_eq!(error, Error::Again(Again::Outstanding)); // the invalidation has not been polled
/// while cq.next(limit)?.wr_id != 2 {}
/// drop(pending.finish()?);
/// assert_eq!(pool.taken(), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a pending end must be finished"]
pub struct Unmapping<P: Platform, K: SlotSide> {
    core: Box<MapCore<P>>,
    side: PhantomData<K>,
}

impl<P: Platform, K: SlotSide> Mapping<P, K> {
    /// Ends the mapping (F14). A registration that the peer has not invalidated is invalidated: `wr_id` is of that request, which
    /// is signaled, starts after all earlier ones of the queue (C8), and takes a place of the ring that is kept for it. The memory
    /// is taken away from the device only after that.
    ///
    /// Answers [`Unmap::Done`] where nothing had to be waited for: nothing was posted, or everything that used the mapping has
    /// been completed and the peer has invalidated its registration. Else [`Unmapping::finish`] does the rest.
    ///
    /// # Errors
    /// The mapping comes back with each of them, and the call may be repeated.
    /// - [`DmaError::NotMappable`](crate::DmaError) (EIO): the platform does not take the memory back.
    /// - [`Error::Bus`]: the doorbell cannot be written; the invalidation is in the ring.
    pub fn unmap(self, wr_id: u64) -> Result<Unmap<P, K>, Kept<Self>> {
        let Mapping { mut core, side } = self;
        let ended = core.invalidate(wr_id).and_then(|()| match core.is_over() {
            true => core.take_memory_away().map(|()| true),
            false => Ok(false),
        });
        match ended {
            Ok(true) => Ok(Unmap::Done(Slot { core: core.end(), side })),
            Ok(false) => Ok(Unmap::Pending(Unmapping { core, side })),
            Err(error) => Err(Kept { error, object: Mapping { core, side } }),
        }
    }
}

impl<P: Platform, K: SlotSide> Unmapping<P, K> {
    /// Ends what is left, once the completions of everything that used the mapping have been polled, that of its invalidation
    /// included. After an error of the queue pair its requests must have been flushed, and it must have been drained, reset or
    /// destroyed (D13, bugs 34, 35, 56); then the device is asked what became of the region, and one that is still registered is
    /// deregistered.
    ///
    /// # Errors
    /// It comes back with each of them, and the call may be repeated.
    /// - [`Again::Outstanding`] (EAGAIN): completions are missing.
    /// - [`Busy::Quarantined`](crate::Busy::Quarantined) (EBUSY): the queue pair that flushed a request has not been drained.
    /// - [`Error::Admin`] (ETIMEDOUT): bus accesses of the region do not end.
    /// - [`DmaError::NotMappable`](crate::DmaError) (EIO): the platform does not take the memory back.
    /// - [`Protocol::MrState`](crate::Protocol) (EPROTO): the device says that a flushed region is in a state that does not exist.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn finish(self) -> Result<Slot<P, K>, Kept<Self>> {
        let Unmapping { mut core, side } = self;
        match core.settle().and_then(|()| core.take_memory_away()) {
            Ok(()) => Ok(Slot { core: core.end(), side }),
            Err(error) => Err(Kept { error, object: Unmapping { core, side } }),
        }
    }
}

impl<P: Platform> MapCore<P> {
    /// Posts an invalidation, if the region needs one and the queue pair can still execute it.
    fn invalidate(&mut self, wr_id: u64) -> Result<(), Error> {
        let qp = &self.pool().qp;
        let Some(region) = self.region().filter(|_| self.is_posted()) else { return Ok(()) };
        if region.region.needs_invalidation() && matches!(qp.state(), State::Rts | State::Sqd) {
            let request = SendRequest::local_inv(wr_id, region.key());
            let request = (request, self.pool().promise.clone());
            let posted = qp.post_chain(vec![request], Vec::new(), vec![self.uses.clone()], || {});
            return posted.map_err(|bad| bad.error.into());
        }
        // Repeated after a doorbell that failed.
        qp.ring_send().map_err(|bad| bad.error.into())
    }

    /// Nothing is left that the device could do with the memory.
    fn is_over(&self) -> bool {
        let free = |state| state == MrState::Free;
        !self.in_use() && (!self.is_posted() || self.region().is_none_or(|region| free(region.state())))
    }

    /// Makes the region free, or gets rid of it.
    fn settle(&mut self) -> Result<(), Error> {
        if self.in_use() {
            return Err(Error::Again(Again::Outstanding));
        }
        let Some(region) = self.region() else { return Ok(()) };
        let state = match region.state() {
            MrState::Pending | MrState::Invalidating => return Err(Error::Again(Again::Outstanding)),
            MrState::Quarantined => region.recover()?,
            state => state,
        };
        if state == MrState::Free {
            return Ok(());
        }
        let slot = self.slot.as_mut().expect("a mapping has its slot until it ends");
        let Some(entry) = slot.take_entry() else { return Ok(()) };
        entry.dereg().map_err(|kept| {
            slot.put_back(kept.object);
            kept.error
        })
    }

    /// Takes the slot out, so that nothing is left to be ended.
    fn end(&mut self) -> super::pool::SlotCore<P> {
        self.slot.take().expect("a mapping has its slot until it ends")
    }
}

impl<P: Platform, K: SlotSide> fmt::Debug for Unmap<P, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unmap::Done(slot) => write!(f, "Done({slot:?})"),
            Unmap::Pending(pending) => write!(f, "Pending({pending:?})"),
        }
    }
}

impl<P: Platform, K: SlotSide> fmt::Debug for Unmapping<P, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unmapping {{ {:?} }}", self.core.region())
    }
}
