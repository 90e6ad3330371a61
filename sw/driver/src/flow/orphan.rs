//! What is left of mappings and regions whose handles were dropped while the device might still use them (D13, F21).
//!
//! Dropping cannot wait and cannot fail, so the device keeps them: [`Device::reclaim`] ends those that can be ended, and the end
//! of the device, which is a reset, ends the rest.

use std::rc::Rc;

use crate::device::Device;
use crate::error::{Busy, Error};
use crate::memory_region::{MemoryRegion, Region};
use crate::platform::{DmaMemory, DmaSgList, Platform};

/// A region, memory, or both, that nobody has a handle of.
#[derive(Debug)]
pub(crate) struct Orphan {
    pub(crate) region: Option<Rc<Region>>,
    pub(crate) memory: Option<DmaSgList>,
    /// Shared with the posted requests that use the memory.
    pub(crate) uses: Rc<()>,
}

impl Orphan {
    /// Ends what is left of it; what could not be ended stays.
    fn end<P: Platform>(&mut self, device: &Device<P>) -> Result<(), Error> {
        if Rc::strong_count(&self.uses) > 1 {
            return Err(Error::Busy(Busy::RequestOutstanding));
        }
        if let Some(region) = &self.region {
            let region = MemoryRegion { device: device.clone(), region: region.clone(), staging: None };
            region.dereg().map_err(|kept| kept.error)?;
            self.region = None;
        }
        // Last: until here the device could reach it.
        let Some(memory) = self.memory.take() else { return Ok(()) };
        device.dma_unmap(memory).map_err(|kept| {
            self.memory = Some(kept.object);
            kept.error
        })
    }

    /// The device has been reset.
    pub(crate) fn end_after_reset<P: Platform>(self, platform: &P) {
        if let Some(memory) = self.memory {
            let _ = platform.memory().unmap(memory);
        }
    }
}

/// One round of ending what can be ended.
#[derive(Default)]
pub(super) struct Reclaim {
    /// What went wrong first.
    failed: Option<Error>,
    /// The device does not answer, so nothing more is asked of it.
    silent: bool,
    left: usize,
}

impl Reclaim {
    /// Takes out what is ended. One that cannot be does not keep the others.
    pub(super) fn each<T>(&mut self, things: &mut Vec<T>, mut end: impl FnMut(&mut T) -> Result<(), Error>) {
        things.retain_mut(|thing| {
            if self.silent {
                return true;
            }
            let Err(error) = end(thing) else { return false };
            // What is in use is no error: it has its time.
            if !matches!(error, Error::Busy(_)) {
                self.silent |= matches!(error, Error::Timeout(_) | Error::Bus(_));
                self.failed.get_or_insert(error);
            }
            true
        });
        self.left += things.len();
    }
}

impl<P: Platform> Device<P> {
    /// Ends what was dropped while it was in use: deregisters its regions and takes its memory away from the device; and what
    /// the device may have made without an answer. What posted requests still use, or what flushed requests have left unknown
    /// until their queue pair is drained (D13), stays for the next call. Answers how many stay.
    ///
    /// ```
    /// # use rnic_driver::*;
    /// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
    /// # let pool = SlotPool::new(&qp, &pd, SlotOptions { remote: 1, ..SlotOptions::default() })?;
    /// # let mut map = pool.rkey_slot()?.make_remote(&rnic_mock::memory(2), Access::REMOTE_READ)?;
    /// map.post([SendRequest::send(1, [])])?;
    /// drop(map); // although its requests have not ended
    /// assert_eq!(device.reclaim()?, 1);
    /// qp.drain()?;
    /// assert_eq!(device.reclaim()?, 0);
    /// # assert!(mock.with(|state| state.mapped.is_empty()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What went wrong first. All are kept that have not been ended, and the call may be repeated. One that cannot be ended does
    /// not keep the others, unless the device does not answer.
    /// - [`Error::Admin`] (ETIMEDOUT): bus accesses of a region do not end.
    /// - [`DmaError::NotMappable`](crate::DmaError) (EIO): the platform does not take memory back.
    /// - [`Error::Protocol`] (EPROTO): the device wrote a completion that cannot be.
    /// - [`Protocol::AdminErrno`](crate::Protocol) (EPROTO): it answered with an errno that no command has.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn reclaim(&self) -> Result<usize, Error> {
        let (mut orphans, mut unanswered) = {
            let mut tables = self.tables();
            (std::mem::take(&mut tables.orphans), std::mem::take(&mut tables.unanswered))
        };
        let mut reclaim = Reclaim::default();
        unanswered.end(self, &mut reclaim);
        reclaim.each(&mut orphans, |orphan| orphan.end(self));
        let mut tables = self.tables();
        orphans.append(&mut tables.orphans);
        tables.orphans = orphans;
        tables.unanswered.put_back(unanswered);
        reclaim.failed.map_or(Ok(reclaim.left), Err)
    }
}
