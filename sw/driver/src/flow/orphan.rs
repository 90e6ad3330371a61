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

impl<P: Platform> Device<P> {
    /// Ends what was dropped while it was in use: deregisters its regions and takes its memory away from the device. What
    /// posted requests still use, or what flushed requests have left unknown until their queue pair is drained (D13), stays for
    /// the next call. Answers how many stay.
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
    /// After each of them all are kept that have not been ended, and the call may be repeated.
    /// - [`Error::Admin`] (ETIMEDOUT): bus accesses of a region do not end.
    /// - [`Error::Dma`] (EIO): the platform does not take memory back.
    /// - [`Wait::AdminCommand`](crate::Wait), [`Wait::MailboxFree`](crate::Wait) (ETIMEDOUT), [`Error::Bus`]: the device does not
    ///   answer.
    pub fn reclaim(&self) -> Result<usize, Error> {
        let mut orphans = std::mem::take(&mut self.tables().orphans);
        let mut result = Ok(());
        orphans.retain_mut(|orphan| {
            if result.is_err() {
                return true;
            }
            match orphan.end(self) {
                Ok(()) => false,
                Err(Error::Busy(_)) => true,
                Err(error) => {
                    result = Err(error);
                    orphan.region.is_some() || orphan.memory.is_some()
                }
            }
        });
        let left = orphans.len();
        let mut tables = self.tables();
        orphans.append(&mut tables.orphans);
        tables.orphans = orphans;
        result.map(|()| left)
    }
}
