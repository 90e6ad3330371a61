//! Memory behind an IOMMU: each piece at a bus address of our own choice.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use rnic_driver::{DmaError, DmaSgEntry};

use crate::area::{Area, Buffer, Lease, Pages, PAGE};
use crate::space::Space;

/// Bus addresses of the IOMMU that every machine has: above 4 GiB, where interrupts and old devices have theirs, and within 39
/// bits, which the smallest IOMMUs offer.
const ADDRESSES: Range<u64> = 1 << 32..1 << 39;

/// What the IOMMU is asked for.
pub(crate) trait Iommu {
    /// Lets the device reach pages at a bus address.
    fn map(&self, address: u64, pages: *mut u8, bytes: usize) -> Result<(), DmaError>;
    /// Takes them away.
    fn unmap(&self, address: u64, bytes: usize) -> Result<(), DmaError>;
}

/// Memory of one container.
pub(crate) struct Mapped {
    iommu: Box<dyn Iommu>,
    space: RefCell<Space>,
    /// Bytes of what is mapped at least: a page of the host or of the device, whichever is larger. A power of two.
    granule: usize,
}

impl Mapped {
    pub(crate) fn new(iommu: Box<dyn Iommu>, host_page: usize) -> Rc<Mapped> {
        Rc::new(Mapped { iommu, space: RefCell::new(Space::new(ADDRESSES)), granule: host_page.max(PAGE) })
    }

    /// Zeroed pages that can be mapped whole.
    pub(crate) fn pages(&self, bytes: usize) -> Result<Rc<Pages>, DmaError> {
        let whole = bytes.max(1).checked_next_multiple_of(self.granule).ok_or(DmaError::NoMemory { bytes })?;
        Ok(Rc::new(Pages::anonymous(whole).map_err(|_| DmaError::NoMemory { bytes })?))
    }

    pub(crate) fn allocate(self: &Rc<Self>, bytes: usize) -> Result<Buffer, DmaError> {
        let pages = self.pages(bytes)?;
        let lease = self.lease(&pages, 0..pages.len()).map_err(|_| DmaError::NoMemory { bytes })?;
        let address = lease.address;
        Ok(Buffer::new(Box::new(lease), pages, 0, bytes, address))
    }

    /// Maps an area: one piece, whatever is beside it in its first and last page.
    pub(crate) fn map(self: &Rc<Self>, area: &Area) -> Result<(Vec<DmaSgEntry>, Box<dyn Lease>), DmaError> {
        let range = area.range();
        let whole = range.start / self.granule * self.granule..range.end.next_multiple_of(self.granule);
        let first = range.start - whole.start;
        let lease = self.lease(&area.pages, whole)?;
        let entry = DmaSgEntry { address: lease.address + first as u64, length: range.len() as u64 };
        Ok((vec![entry], Box::new(lease)))
    }

    fn lease(self: &Rc<Self>, pages: &Rc<Pages>, range: Range<usize>) -> Result<MappedLease, DmaError> {
        let bytes = range.len();
        let address = self.space.borrow_mut().take(bytes as u64).ok_or(DmaError::NotMappable)?;
        // The area of the pages that holds `range` was checked by whoever made it.
        let start = pages.pointer().wrapping_add(range.start);
        if let Err(error) = self.iommu.map(address, start, bytes) {
            self.space.borrow_mut().give_back(address, bytes as u64);
            return Err(error);
        }
        Ok(MappedLease { owner: self.clone(), address, bytes, pages: Some(pages.clone()) })
    }
}

/// Pages that the device can reach until this ends.
struct MappedLease {
    owner: Rc<Mapped>,
    address: u64,
    bytes: usize,
    /// Until it has ended.
    pages: Option<Rc<Pages>>,
}

impl Lease for MappedLease {
    fn end(&mut self) -> Result<(), DmaError> {
        if self.pages.is_some() {
            self.owner.iommu.unmap(self.address, self.bytes)?;
            self.owner.space.borrow_mut().give_back(self.address, self.bytes as u64);
            self.pages = None;
        }
        Ok(())
    }
}

impl Drop for MappedLease {
    fn drop(&mut self) {
        if self.end().is_err() {
            // The device can still reach the pages, so neither they nor their address are used for anything else.
            std::mem::forget(self.pages.take());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::LinuxMemory;
    use rnic_driver::{Direction, DmaBuffer, DmaMemory, DmaSgList};
    use std::cell::Cell;
    use std::collections::BTreeMap;

    /// What an IOMMU has mapped, shared with the test.
    #[derive(Clone, Default)]
    struct Fake {
        mapped: Rc<RefCell<BTreeMap<u64, (usize, usize)>>>,
        refuses: Rc<Cell<bool>>,
    }

    impl Iommu for Fake {
        fn map(&self, address: u64, pages: *mut u8, bytes: usize) -> Result<(), DmaError> {
            assert!(address % PAGE as u64 == 0 && pages as usize % PAGE == 0 && bytes % PAGE == 0);
            if self.refuses.get() {
                return Err(DmaError::NotMappable);
            }
            assert!(self.mapped.borrow_mut().insert(address, (pages as usize, bytes)).is_none());
            Ok(())
        }

        fn unmap(&self, address: u64, bytes: usize) -> Result<(), DmaError> {
            if self.refuses.get() {
                return Err(DmaError::NotMappable);
            }
            assert_eq!(self.mapped.borrow_mut().remove(&address).map(|(_, mapped)| mapped), Some(bytes));
            Ok(())
        }
    }

    fn memory(host_page: usize) -> (LinuxMemory, Fake) {
        let fake = Fake::default();
        (LinuxMemory::behind(Box::new(fake.clone()), host_page), fake)
    }

    #[test]
    fn coherent_memory_is_mapped_until_it_is_dropped() {
        let (memory, fake) = memory(PAGE);
        let buffer = memory.allocate(5000).unwrap();
        assert_eq!((buffer.len(), buffer.bus_address(), buffer.read_u64(0)), (5000, 1 << 32, 0));
        let other = memory.allocate(1).unwrap();
        assert_eq!(other.bus_address(), (1 << 32) + 0x2000);
        drop(buffer);
        assert_eq!(fake.mapped.borrow().len(), 1);
        assert_eq!(memory.allocate(8192).unwrap().bus_address(), 1 << 32, "addresses are used again");
        assert!(matches!(memory.allocate(0), Err(DmaError::NoMemory { bytes: 0 })));
        assert!(matches!(memory.allocate(usize::MAX), Err(DmaError::NoMemory { bytes: usize::MAX })));
    }

    #[test]
    fn f8_application_memory_is_one_piece_behind_an_iommu() {
        let (memory, fake) = memory(PAGE);
        let area = memory.area(5 * PAGE).unwrap();
        let list = memory.map(&area.part(0xF00..0x3080), Direction::ToDevice).unwrap();
        assert_eq!(list.entries(), [DmaSgEntry { address: (1 << 32) + 0xF00, length: 0x2180 }]);
        let mapped = fake.mapped.borrow()[&(1 << 32)];
        assert_eq!(mapped, (area.pages.pointer() as usize, 0x4000), "whole pages");
        let forged = DmaSgList::from_platform(vec![DmaSgEntry { address: 1 << 32, length: 1 }], Direction::ToDevice);
        assert_eq!(memory.unmap(forged).unwrap_err().error, DmaError::NotMappable);
        drop(area);
        memory.unmap(list).unwrap();
        assert!(fake.mapped.borrow().is_empty());
    }

    #[test]
    fn a_host_with_larger_pages_maps_whole_ones_of_them() {
        let (memory, fake) = memory(0x1_0000);
        let buffer = memory.allocate(5000).unwrap();
        let area = memory.area(0x1_8000).unwrap();
        let list = memory.map(&area.part(0x1_2F00..0x1_3080), Direction::ToDevice).unwrap();
        let start = area.pages.pointer() as usize;
        let found: Vec<_> = fake.mapped.borrow().iter().map(|(address, (_, bytes))| (*address, *bytes)).collect();
        assert_eq!(found, [(1 << 32, 0x1_0000), ((1 << 32) + 0x1_0000, 0x1_0000)]);
        assert_eq!(fake.mapped.borrow()[&((1 << 32) + 0x1_0000)].0, start + 0x1_0000);
        assert_eq!(list.entries(), [DmaSgEntry { address: (1 << 32) + 0x1_2F00, length: 0x180 }]);
        drop(buffer);
        memory.unmap(list).unwrap();
        assert!(fake.mapped.borrow().is_empty());
    }

    #[test]
    fn what_the_iommu_refuses_takes_no_address() {
        let (memory, fake) = memory(PAGE);
        let area = memory.area(100).unwrap();
        fake.refuses.set(true);
        assert_eq!(memory.map(&area, Direction::ToDevice).unwrap_err(), DmaError::NotMappable);
        assert!(matches!(memory.allocate(8), Err(DmaError::NoMemory { .. })));
        fake.refuses.set(false);
        assert_eq!(memory.allocate(8).unwrap().bus_address(), 1 << 32);
    }

    #[test]
    fn what_the_iommu_does_not_let_go_of_is_nobody_elses() {
        let (memory, fake) = memory(PAGE);
        let area = memory.area(100).unwrap();
        let pages = Rc::downgrade(&area.pages);
        let list = memory.map(&area, Direction::ToDevice).unwrap();
        drop(area);
        fake.refuses.set(true);
        let kept = memory.unmap(list).unwrap_err();
        assert_eq!((kept.error, memory.mapped()), (DmaError::NotMappable, 1));
        assert!(pages.upgrade().is_some(), "the device can still reach it");
        fake.refuses.set(false);
        memory.unmap(kept.object).unwrap();
        assert!(pages.upgrade().is_none() && fake.mapped.borrow().is_empty());
        // Of coherent memory nobody can be told, so it stays for ever.
        let buffer = memory.allocate(8).unwrap();
        fake.refuses.set(true);
        drop(buffer);
        fake.refuses.set(false);
        assert_eq!(memory.allocate(8).unwrap().bus_address(), (1 << 32) + 0x1000);
    }
}
