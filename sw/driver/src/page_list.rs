//! Page lists: the bus addresses of the pages of a registration, in memory that the device reads (A21-A25).
//!
//! Ownership carries the protocol: a list moves into the posted request and comes back with the completion that retires it, so
//! nobody can write it while the device may still read it (A23). A list in an [`Arc`] is read-only, and may therefore be in many
//! requests at once (A24).

use std::fmt;
use std::sync::Arc;

use crate::device::Device;
use crate::error::{Error, Invalid};
use crate::platform::{DmaBuffer, DmaMemory, Platform};

/// Bytes of one entry.
const ENTRY: usize = 8;
/// A list starts at a multiple of this and its size is one (A21).
const ALIGNMENT: usize = 64;

/// Coherent memory on one platform.
pub(crate) type Buffer<P> = <<P as Platform>::Memory as DmaMemory>::Buffer;

/// A page list: `len()` entries, each the bus address of one page (A22). The driver never changes an entry by itself.
///
/// ```
/// # use rnic_driver::*;
/// # let device = rnic_mock::device();
/// let mut list = device.alloc_page_list(3)?;
/// list.fill(&[0xA000, 0x5000, 0x9000])?;
/// list.set(1, 0x7000)?;
/// assert_eq!(list.entries(), [0xA000, 0x7000, 0x9000]);
/// assert_eq!(list.bus_address() % 64, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PageList<P: Platform> {
    buffer: Buffer<P>,
    entries: usize,
}

impl<P: Platform> Device<P> {
    /// Allocates a page list of `entries` zero entries: coherent, aligned to 64 bytes, padded with zeros to 64 bytes (A21).
    ///
    /// # Errors
    /// - [`Invalid::PageCount`] (EINVAL): `entries` is 0 or above `max_fast_reg_page_list_len`.
    /// - [`DmaError::NoMemory`](crate::DmaError) (ENOMEM): no memory.
    pub fn alloc_page_list(&self, entries: usize) -> Result<PageList<P>, Error> {
        if entries == 0 || entries > usize::from(self.capabilities().max_fast_reg_page_list_len) {
            return Err(Error::Invalid(Invalid::PageCount));
        }
        let bytes = (entries * ENTRY).next_multiple_of(ALIGNMENT);
        Ok(PageList { buffer: self.platform().memory().allocate(bytes)?, entries })
    }
}

impl<P: Platform> PageList<P> {
    /// Number of entries.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.entries
    }

    /// Bus address of entry 0, a multiple of 64.
    pub fn bus_address(&self) -> u64 {
        self.buffer.bus_address()
    }

    /// The entry at `index`, if there is one.
    pub fn get(&self, index: usize) -> Option<u64> {
        (index < self.entries).then(|| self.buffer.read_u64(index * ENTRY))
    }

    /// Sets the entry at `index` to the bus address of a page.
    ///
    /// # Errors
    /// [`Invalid::PageIndex`] (EINVAL): there is no such entry.
    pub fn set(&mut self, index: usize, page: u64) -> Result<(), Error> {
        if index >= self.entries {
            return Err(Error::Invalid(Invalid::PageIndex));
        }
        self.buffer.write_u64(index * ENTRY, page);
        Ok(())
    }

    /// Sets the first entries to `pages`.
    ///
    /// # Errors
    /// [`Invalid::PageIndex`] (EINVAL): more pages than entries; nothing is set.
    pub fn fill(&mut self, pages: &[u64]) -> Result<(), Error> {
        if pages.len() > self.entries {
            return Err(Error::Invalid(Invalid::PageIndex));
        }
        for (index, &page) in pages.iter().enumerate() {
            self.buffer.write_u64(index * ENTRY, page);
        }
        Ok(())
    }

    /// All entries.
    pub fn entries(&self) -> Vec<u64> {
        (0..self.entries).map(|index| self.buffer.read_u64(index * ENTRY)).collect()
    }
}

impl<P: Platform> fmt::Debug for PageList<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageList {{ {} entries at {:#x} }}", self.entries, self.bus_address())
    }
}

/// The pages of one registration.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// # let mr = device.alloc_fast_reg_mr(&pd, 8)?;
/// let mut list = device.alloc_page_list(1)?;
/// list.set(0, 0x5000)?;
/// let registration = RegMr::new(&mr, Access::NONE, 0x7000, 0x1000, list);
/// qp.post_send(SendRequest::reg_mr(1, registration))?;
/// let pages = cq.next(limit)?.pages; // back from the device
/// assert!(matches!(pages, Some(Pages::List(list)) if list.entries() == [0x5000]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub enum Pages<P: Platform> {
    /// A list, lent to the device until the request is retired.
    List(PageList<P>),
    /// A list that several requests share; nobody can write it.
    Shared(Arc<PageList<P>>),
    /// Up to 4 pages inside the request itself; the device reads no list.
    Inline(Vec<u64>),
    /// A list at this bus address. The driver owns nothing of it: whether it stays there, and unchanged, is the caller's care.
    Address(u64),
}

impl<P: Platform> Pages<P> {
    /// The owned list, if this is one.
    pub fn into_list(self) -> Option<PageList<P>> {
        match self {
            Pages::List(list) => Some(list),
            _ => None,
        }
    }

    /// Number of pages, as far as the driver knows it.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Pages::List(list) => Some(list.len()),
            Pages::Shared(list) => Some(list.len()),
            Pages::Inline(pages) => Some(pages.len()),
            Pages::Address(_) => None,
        }
    }
}

impl<P: Platform> From<PageList<P>> for Pages<P> {
    fn from(list: PageList<P>) -> Self {
        Pages::List(list)
    }
}

impl<P: Platform> From<Arc<PageList<P>>> for Pages<P> {
    fn from(list: Arc<PageList<P>>) -> Self {
        Pages::Shared(list)
    }
}

impl<P: Platform> fmt::Debug for Pages<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pages::List(list) => list.fmt(f),
            Pages::Shared(list) => write!(f, "shared {list:?}"),
            Pages::Inline(pages) => write!(f, "inline {pages:#x?}"),
            Pages::Address(address) => write!(f, "list at {address:#x}"),
        }
    }
}
