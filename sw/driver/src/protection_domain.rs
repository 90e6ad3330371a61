//! Protection domains: numbers of 24 bits that hardware compares. The driver counts their uses (A4).

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use crate::device::Device;
use crate::error::{Busy, Error, Kept, Resource};
use crate::platform::Platform;

/// A PD number has 24 bits.
const NUMBERS: u32 = 1 << 24;

/// The identity that handles, queue pairs and memory regions share.
#[derive(Debug)]
pub(crate) struct Domain {
    pub(crate) number: u32,
    /// Memory regions and queue pairs that exist in it. Not the count of references: those outlive the objects.
    uses: Cell<usize>,
}

impl Domain {
    pub(crate) fn enter(&self) {
        self.uses.set(self.uses.get() + 1);
    }

    pub(crate) fn leave(&self) {
        self.uses.set(self.uses.get() - 1);
    }
}

/// The numbers in use, and where to look for the next free one.
#[derive(Debug, Default)]
pub(crate) struct DomainNumbers {
    used: BTreeSet<u32>,
    last: u32,
}

impl DomainNumbers {
    /// Takes a free number. Numbers are reused as late as possible, so that a stale one meets nobody.
    fn take(&mut self) -> Option<u32> {
        if self.used.len() as u32 == NUMBERS {
            return None;
        }
        loop {
            self.last = (self.last + 1) % NUMBERS;
            if self.used.insert(self.last) {
                return Some(self.last);
            }
        }
    }
}

/// A protection domain. Dropping the handle without [`free`](ProtectionDomain::free) keeps the number taken.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let pd = device.alloc_pd()?;
/// let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// assert_eq!(pd.uses(), 1);
/// mr.dereg()?;
/// pd.free()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProtectionDomain<P: Platform> {
    device: Device<P>,
    pub(crate) domain: Rc<Domain>,
}

impl<P: Platform> Device<P> {
    /// Allocates a protection domain with a number that no other one has (A4).
    ///
    /// # Errors
    /// [`Resource::ProtectionDomain`] (ENOMEM): all numbers are in use.
    pub fn alloc_pd(&self) -> Result<ProtectionDomain<P>, Error> {
        let number = self.tables().domains.take().ok_or(Error::Exhausted(Resource::ProtectionDomain))?;
        Ok(ProtectionDomain { device: self.clone(), domain: Rc::new(Domain { number, uses: Cell::new(0) }) })
    }
}

impl<P: Platform> ProtectionDomain<P> {
    /// The number that hardware compares, 24 bits.
    pub fn number(&self) -> u32 {
        self.domain.number
    }

    /// How many memory regions and queue pairs belong to it.
    pub fn uses(&self) -> usize {
        self.domain.uses.get()
    }

    /// Frees it (A4).
    ///
    /// # Errors
    /// [`Busy::ProtectionDomainInUse`] (EBUSY): something belongs to it; the domain comes back and stays usable.
    pub fn free(self) -> Result<(), Kept<Self>> {
        if self.uses() > 0 {
            return Err(Kept { error: Error::Busy(Busy::ProtectionDomainInUse), object: self });
        }
        self.device.tables().domains.used.remove(&self.domain.number);
        Ok(())
    }

    /// Another handle of the same domain.
    pub(crate) fn share(&self) -> ProtectionDomain<P> {
        ProtectionDomain { device: self.device.clone(), domain: self.domain.clone() }
    }

    pub(crate) fn belongs_to(&self, device: &Device<P>) -> bool {
        self.device.is(device)
    }
}

impl<P: Platform> fmt::Debug for ProtectionDomain<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProtectionDomain {{ {}, {} uses }}", self.number(), self.uses())
    }
}
