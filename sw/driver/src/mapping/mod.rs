//! Mapping a scatter list into a memory region (F1 to F9), and making the registration of what is mapped.
//!
//! A region has a staging list: mapping fills it and sends nothing, [`MemoryRegion::reg_wr`] makes the REG_MR request of it. The
//! staging list stays until the next mapping, so a region may be registered again without one.

mod layout;

use std::sync::Arc;

use crate::access::Access;
use crate::error::{Busy, Error, Invalid};
use crate::memory_region::{MemoryRegion, MrState};
use crate::page_list::{PageList, Pages};
use crate::platform::{DmaSgSlice, Platform};
use crate::queue_pair::RegMr;

/// How much of a list a region holds (F7). The call covered the whole list if and only if [`is_whole`](Mapped::is_whole) says so.
///
/// ```
/// # use rnic_driver::*;
/// # let rnic_mock::Rig { mock, device, pd, cq, qp } = rnic_mock::connected();
/// # let limit = rnic_mock::LIMIT;
/// let mut mr = device.alloc_fast_reg_mr(&pd, 2)?;
/// let list = device.dma_map(&rnic_mock::memory(3), Direction::ToDevice)?;
/// let mapped = mr.map_mr_sg(&list, 0, 4096)?; // three pages into a region for two
/// assert_eq!((mapped.n, mapped.next_offset, mapped.length), (2, 0, 0x2000));
/// assert!(!mapped.is_whole());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mapped {
    /// Elements that are mapped whole. Counts elements of the list, never pages.
    pub n: usize,
    /// Where in element `n` the mapping ended: what to give as the offset to map the rest, from element `n` on.
    pub next_offset: u64,
    /// Bus address of the first byte; the virtual address of the region unless [`MemoryRegion::set_iova`] replaces it.
    pub iova: u64,
    /// Bytes.
    pub length: u64,
    /// Pages of the staging list.
    pub npages: u16,
    elements: usize,
}

impl Mapped {
    /// Every byte of the list is mapped.
    pub fn is_whole(&self) -> bool {
        self.n == self.elements
    }
}

/// What a mapping has left in a region.
pub(crate) struct Staging<P: Platform> {
    mapped: Mapped,
    page_shift: u8,
    iova: u64,
    pages: StagedPages<P>,
}

/// The pages of a staging list. Up to as many as fit ride in the request itself.
enum StagedPages<P: Platform> {
    Inline(Vec<u64>),
    List(Arc<PageList<P>>),
}

impl<P: Platform> MemoryRegion<P> {
    /// Fills the region's staging list with the pages of `list`, from byte `offset` of its first element on (F1). Sends nothing:
    /// [`reg_wr`](MemoryRegion::reg_wr) makes the request.
    ///
    /// An element is taken if it begins where the one before it ends, or if that end and its own beginning are both aligned to
    /// `page_size` (F4). Mapping stops before the first element that is neither, or at the first byte for which no page is left
    /// (F6); [`Mapped`] says where, and the rest goes into another region:
    ///
    /// ```
    /// # use rnic_driver::*;
    /// # let rnic_mock::Rig { device, pd, .. } = rnic_mock::connected();
    /// # let list = device.dma_map(&rnic_mock::memory(3), Direction::ToDevice)?;
    /// let (mut a, mut b) = (device.alloc_fast_reg_mr(&pd, 2)?, device.alloc_fast_reg_mr(&pd, 2)?);
    /// let first = a.map_mr_sg(&list, 0, 4096)?;
    /// assert!(!first.is_whole());
    /// let second = b.map_mr_sg(list.from(first.n), first.next_offset, 4096)?;
    /// assert_eq!((first.length, second.length), (0x2000, 0x1000));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Whatever the page size of the host is: alignment is judged at `page_size` alone (F9).
    ///
    /// # Errors
    /// The staging list is unchanged after each of them.
    /// - [`Busy::RequestOutstanding`], [`Busy::Quarantined`], [`Busy::Registered`] (EBUSY): the region is not free and idle.
    /// - [`Invalid::SgList`] (EINVAL): the list is empty, has an element of no bytes, or passes 2^64.
    /// - [`Invalid::SgOffset`] (EINVAL): the first element ends before `offset`.
    /// - [`Invalid::PageSize`] (EINVAL): no power of two, or one that the device does not offer.
    /// - [`DmaError::NoMemory`](crate::DmaError) (ENOMEM): no memory for the page list.
    pub fn map_mr_sg<'a>(
        &mut self,
        list: impl Into<DmaSgSlice<'a>>,
        offset: u64,
        page_size: u64,
    ) -> Result<Mapped, Error> {
        self.check_mappable()?;
        if !page_size.is_power_of_two() || self.device.capabilities().page_size_cap & page_size == 0 {
            return Err(Error::Invalid(Invalid::PageSize));
        }
        let entries = list.into().entries();
        let layout = layout::lay_out(entries, offset, page_size, self.max_pages().into()).map_err(Error::Invalid)?;
        let mapped = Mapped {
            n: layout.n,
            next_offset: layout.next_offset,
            iova: layout.iova,
            length: layout.length,
            npages: layout.pages.len() as u16,
            elements: entries.len(),
        };
        let pages = self.stage(layout.pages)?;
        let page_shift = page_size.trailing_zeros() as u8;
        self.staging = Some(Box::new(Staging { mapped, page_shift, iova: layout.iova, pages }));
        Ok(mapped)
    }

    /// F1: free, and nothing posted that could change that.
    fn check_mappable(&self) -> Result<(), Error> {
        match self.state() {
            MrState::Free => Ok(()),
            MrState::Valid => Err(Error::Busy(Busy::Registered)),
            MrState::Pending | MrState::Invalidating => Err(Error::Busy(Busy::RequestOutstanding)),
            MrState::Quarantined => Err(Error::Busy(Busy::Quarantined)),
        }
    }

    /// Puts pages where a request can take them from. The list of an earlier mapping is used again if nobody else holds it.
    fn stage(&mut self, pages: Vec<u64>) -> Result<StagedPages<P>, Error> {
        if pages.len() <= usize::from(self.device.capabilities().max_inline_pages) {
            return Ok(StagedPages::Inline(pages));
        }
        if let Some(Staging { pages: StagedPages::List(list), .. }) = self.staging.as_deref_mut() {
            if let Some(own) = Arc::get_mut(list) {
                own.fill(&pages)?;
                return Ok(StagedPages::List(list.clone()));
            }
        }
        let mut list = self.device.alloc_page_list(self.max_pages().into())?;
        list.fill(&pages)?;
        Ok(StagedPages::List(Arc::new(list)))
    }

    /// What the last mapping has left, if there was one.
    pub fn mapped(&self) -> Option<Mapped> {
        self.staging.as_ref().map(|staging| staging.mapped)
    }

    /// Replaces the virtual address of the mapping; it must be congruent to the old one modulo the page size (F3), which
    /// [`reg_wr`](MemoryRegion::reg_wr) checks.
    ///
    /// # Errors
    /// [`Invalid::NotMapped`] (EINVAL): nothing is mapped.
    pub fn set_iova(&mut self, iova: u64) -> Result<(), Error> {
        self.staging.as_mut().ok_or(Error::Invalid(Invalid::NotMapped))?.iova = iova;
        Ok(())
    }

    /// The registration of what is mapped, under `key` and with `access`: for [`SendRequest::reg_mr`](crate::SendRequest::reg_mr).
    /// Addresses begin at the mapping's `iova`, or at 0 with [`Access::ZERO_BASED`].
    ///
    /// # Errors
    /// - [`Invalid::NotMapped`] (EINVAL): nothing is mapped.
    /// - [`Invalid::Iova`] (EINVAL): [`set_iova`](MemoryRegion::set_iova) gave an address that is not congruent (F3).
    pub fn reg_wr(&self, key: u32, access: Access) -> Result<RegMr<P>, Error> {
        let staging = self.staging.as_ref().ok_or(Error::Invalid(Invalid::NotMapped))?;
        let offset = (1 << staging.page_shift) - 1;
        if (staging.iova ^ staging.mapped.iova) & offset != 0 {
            return Err(Error::Invalid(Invalid::Iova));
        }
        let pages = match &staging.pages {
            StagedPages::Inline(pages) => Pages::Inline(pages.clone()),
            StagedPages::List(list) => Pages::Shared(list.clone()),
        };
        let mut registration = RegMr::new(self, access, staging.iova, staging.mapped.length, pages)
            .page_shift(staging.page_shift)
            .npages(staging.mapped.npages);
        registration.key = key;
        if access.contains(Access::ZERO_BASED) {
            registration = registration.zero_based((staging.mapped.iova & offset) as u32);
        }
        Ok(registration)
    }
}
