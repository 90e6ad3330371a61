//! Memory of the simulated host as the driver sees it.
use crate::host::{HostMemory, Permission, Region, PAGE};
use crate::random::Random;
use rnic_driver::{Direction, DmaBuffer, DmaError, DmaMemory, DmaSgEntry, DmaSgList, Kept};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// Largest single allocation, bytes.
const LARGEST: usize = 1 << 30;

/// Allocates and maps memory of one host.
#[derive(Clone)]
pub struct SimMemory {
    host: HostMemory,
    random: Rc<RefCell<Random>>,
    /// Lists that are mapped.
    mapped: Rc<Cell<usize>>,
}

impl SimMemory {
    /// Memory of this host.
    #[must_use]
    pub fn new(host: HostMemory) -> Self {
        Self { host, random: Rc::new(RefCell::new(Random::new(0, 3))), mapped: Rc::default() }
    }

    /// The host's memory and bus map.
    #[must_use]
    pub fn host(&self) -> &HostMemory {
        &self.host
    }

    /// Lists of application memory that are mapped and have not been unmapped.
    #[must_use]
    pub fn mapped(&self) -> usize {
        self.mapped.get()
    }

    fn remove(&self, entries: &[DmaSgEntry]) {
        for mapping in entries.iter().filter_map(|entry| self.host.find(entry.address)) {
            self.host.unmap(mapping.range.start);
        }
    }
}

/// Memory of the application: pages of one size, which the bus sees in places far apart.
#[derive(Clone, Debug)]
pub struct HostPages {
    region: Rc<Region>,
    page_shift: u32,
    part: Range<u64>,
}

impl HostPages {
    /// Zeroed memory of at least `bytes` bytes in pages of 2^page_shift bytes (12 or more), each of them contiguous and
    /// aligned on the bus.
    #[must_use]
    pub fn new(bytes: u64, page_shift: u32) -> Self {
        let page = 1u64 << page_shift.max(PAGE.trailing_zeros());
        let region = Rc::new(Region::new(bytes.max(1).next_multiple_of(page)));
        Self { part: 0..region.bytes(), region, page_shift: page.trailing_zeros() }
    }

    /// Which bytes of the region are mapped.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.part.clone()
    }

    /// A part of the same memory: what is mapped begins and ends with these bytes, wherever in a page they are.
    ///
    /// # Panics
    /// It is empty, or passes the end.
    #[must_use]
    pub fn part(&self, part: Range<u64>) -> Self {
        assert!(!part.is_empty() && part.end <= self.region.bytes(), "{part:?} of {} bytes", self.region.bytes());
        Self { part, ..self.clone() }
    }

    /// The bytes.
    #[must_use]
    pub fn region(&self) -> &Region {
        &self.region
    }
}

impl DmaMemory for SimMemory {
    type Buffer = HostBuffer;
    type Memory = HostPages;

    fn allocate(&self, bytes: usize) -> Result<HostBuffer, DmaError> {
        if bytes == 0 || bytes > LARGEST {
            return Err(DmaError::NoMemory { bytes });
        }
        let region = Rc::new(Region::new(bytes as u64));
        let address = self.host.map(&region, 0..region.bytes(), PAGE, Permission::ALL);
        let address = address.ok_or(DmaError::NoMemory { bytes })?;
        Ok(HostBuffer { host: self.host.clone(), region, address, bytes })
    }

    fn map(&self, memory: &HostPages, direction: Direction) -> Result<DmaSgList, DmaError> {
        let permission = match direction {
            Direction::ToDevice => Permission::READ,
            Direction::FromDevice => Permission::WRITE,
            Direction::Bidirectional => Permission::ALL,
        };
        let (page, total) = (1u64 << memory.page_shift, memory.part.end);
        let mut entries: Vec<DmaSgEntry> = vec![];
        let mut offset = memory.part.start & !(page - 1);
        while offset < total {
            // Now and then neighbours lie side by side on the bus, as a real IOMMU does it (F8).
            let pages = 1 + if self.random.borrow_mut().chance(25) { self.random.borrow_mut().below(4) } else { 0 };
            let length = (pages * page).min(total - offset);
            let skip = memory.part.start.saturating_sub(offset);
            match self.host.map(&memory.region, offset..offset + length, page, permission) {
                Some(address) => entries.push(DmaSgEntry { address: address + skip, length: length - skip }),
                None => {
                    self.remove(&entries);
                    return Err(DmaError::NotMappable);
                }
            }
            offset += length;
        }
        self.mapped.set(self.mapped.get() + 1);
        Ok(DmaSgList::from_platform(entries, direction))
    }

    fn unmap(&self, list: DmaSgList) -> Result<(), Kept<DmaSgList, DmaError>> {
        let entries = list.entries();
        let known = |entry: &DmaSgEntry| {
            let range = entry.address..entry.address + entry.length;
            let holds = |mapped: Range<u64>| mapped.contains(&range.start) && range.end <= mapped.end;
            self.host.find(entry.address).is_some_and(|mapping| holds(mapping.range))
        };
        if !entries.iter().all(known) {
            return Err(Kept { error: DmaError::NotMappable, object: list });
        }
        self.remove(entries);
        self.mapped.set(self.mapped.get() - 1);
        Ok(())
    }
}

/// Coherent memory; leaves the bus when it is dropped.
#[derive(Debug)]
pub struct HostBuffer {
    host: HostMemory,
    region: Rc<Region>,
    address: u64,
    bytes: usize,
}

impl HostBuffer {
    /// Panics on an access that is not aligned or passes the end.
    fn check(&self, offset: usize, bytes: usize, align: usize) -> u64 {
        assert!(offset % align == 0, "offset {offset:#x} is not a multiple of {align}");
        let end = offset.checked_add(bytes).filter(|end| *end <= self.bytes);
        assert!(end.is_some(), "{bytes} bytes at {offset:#x} pass the end of a buffer of {} bytes", self.bytes);
        offset as u64
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        self.host.unmap(self.address);
    }
}

impl DmaBuffer for HostBuffer {
    fn bus_address(&self) -> u64 {
        self.address
    }

    fn len(&self) -> usize {
        self.bytes
    }

    fn read_u32(&self, offset: usize) -> u32 {
        let at = self.check(offset, 4, 4);
        (self.region.load(at & !7) >> (8 * (at & 4))) as u32
    }

    fn write_u32(&self, offset: usize, value: u32) {
        let at = self.check(offset, 4, 4);
        let shift = at & 4;
        self.region.store(at & !7, u64::from(value) << (8 * shift), 0x0F << shift);
    }

    fn read_u64(&self, offset: usize) -> u64 {
        let at = self.check(offset, 8, 8);
        self.region.load(at)
    }

    fn write_u64(&self, offset: usize, value: u64) {
        let at = self.check(offset, 8, 8);
        self.region.store(at, value, 0xFF);
    }

    fn read_bytes(&self, offset: usize, bytes: &mut [u8]) {
        let at = self.check(offset, bytes.len(), 1);
        self.region.read(at, bytes);
    }

    fn write_bytes(&self, offset: usize, bytes: &[u8]) {
        let at = self.check(offset, bytes.len(), 1);
        self.region.write(at, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> SimMemory {
        SimMemory::new(HostMemory::new(3))
    }

    #[test]
    fn a_buffer_is_on_the_bus_until_it_is_dropped() {
        let memory = memory();
        let buffer = memory.allocate(5000).unwrap();
        let address = buffer.bus_address();
        assert_eq!((buffer.len(), address % 4096), (5000, 0));
        buffer.write_u32(4996, 0x0403_0201);
        let mut bytes = [0; 4];
        assert!(memory.host().read(address + 4996, &mut bytes) && bytes == [1, 2, 3, 4]);
        drop(buffer);
        assert!(!memory.host().read(address + 4996, &mut bytes));
        assert!(memory.allocate(0).is_err() && memory.allocate(usize::MAX).is_err());
    }

    #[test]
    fn words_of_both_sizes_are_little_endian() {
        let buffer = memory().allocate(64).unwrap();
        buffer.write_u64(8, 0x8877_6655_4433_2211);
        assert_eq!((buffer.read_u32(8), buffer.read_u32(12)), (0x4433_2211, 0x8877_6655));
        buffer.write_u32(12, 0xAABB_CCDD);
        assert_eq!(buffer.read_u64(8), 0xAABB_CCDD_4433_2211);
        let mut bytes = [0; 3];
        buffer.read_bytes(11, &mut bytes);
        assert_eq!(bytes, [0x44, 0xDD, 0xCC]);
        buffer.write_bytes(7, &[9, 9]);
        assert_eq!((buffer.read_u64(0) >> 56, buffer.read_u64(8) & 0xFF), (9, 9));
    }

    #[test]
    #[should_panic(expected = "pass the end")]
    fn an_access_behind_the_end_panics() {
        memory().allocate(10).unwrap().read_u32(8);
    }

    #[test]
    fn f8_mapped_pages_are_aligned_in_order_and_may_lie_together() {
        let memory = memory();
        let pages = HostPages::new(64 << 16, 16);
        pages.region().write(5 << 16, b"five");
        let list = memory.map(&pages, Direction::ToDevice).unwrap();
        assert!(list.entries().len() < 64, "some lie together");
        assert_eq!(list.entries().iter().map(|entry| entry.length).sum::<u64>(), 64 << 16);
        assert!(list.entries().iter().all(|entry| entry.address % (1 << 16) == 0));
        let flat: Vec<u64> =
            list.entries().iter().flat_map(|e| (0..e.length >> 16).map(|page| e.address + (page << 16))).collect();
        let mut bytes = [0; 4];
        assert!(memory.host().read(flat[5], &mut bytes) && &bytes == b"five");
        let copy = DmaSgList::from_platform(list.entries().to_vec(), Direction::ToDevice);
        memory.unmap(list).unwrap();
        assert!(!memory.host().read(flat[5], &mut bytes));
        let refused = memory.unmap(copy).map_err(|kept| kept.error);
        assert_eq!((refused, memory.mapped()), (Err(DmaError::NotMappable), 0));
    }

    #[test]
    fn f8_a_part_begins_and_ends_where_it_shall() {
        let memory = memory();
        let pages = HostPages::new(5 << 12, 12);
        pages.region().write(0x1F00, &[7; 0x2000]);
        let list = memory.map(&pages.part(0x1F00..0x3080), Direction::ToDevice).unwrap();
        assert_eq!(list.bytes(), 0x1180);
        let (first, last) = (list.entries()[0], list.entries()[list.entries().len() - 1]);
        assert_eq!((first.address & 0xFFF, (last.address + last.length) & 0xFFF), (0xF00, 0x80));
        let all: Vec<u8> = list
            .entries()
            .iter()
            .flat_map(|entry| {
                let mut bytes = vec![0; entry.length as usize];
                assert!(memory.host().read(entry.address, &mut bytes));
                bytes
            })
            .collect();
        assert_eq!(all, [7; 0x1180]);
        let address = first.address;
        assert_eq!(memory.mapped(), 1);
        memory.unmap(list).unwrap();
        assert!(memory.mapped() == 0 && memory.host().find(address).is_none());
    }
}
