//! Memory of a device behind the link: any memory of this process, at bus addresses that mean something on the link only.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rnic_driver::{Direction, DmaBuffer, DmaError, DmaMemory, DmaSgEntry, DmaSgList, Kept};

use crate::pages::{Pages, PAGE};
use crate::region::{Region, Regions};

/// Memory that the device at the other end of the link may reach, from [`Link::platform`](crate::Link::platform).
///
/// Whole pages are served, in the direction that was asked for; everything else is refused and told as a
/// [`LinkEvent`](crate::LinkEvent). After the session memory stays mapped, but nothing is served.
///
/// ```
/// # use rnic_driver::{Direction, DmaBuffer, DmaMemory};
/// let memory = rnic_link::LinkMemory::new(Some(7));
/// let ring = memory.allocate(4096)?;
/// assert_eq!((ring.bus_address() % 4096, ring.read_u64(0)), (0, 0));
/// let area = memory.area(10_000)?;
/// let list = memory.map(&area.part(100..200), Direction::ToDevice)?;
/// assert_eq!((list.bytes(), list.entries()[0].address % 4096), (100, 100));
/// memory.unmap(list).map_err(|kept| kept.error)?;
/// # Ok::<(), rnic_driver::DmaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinkMemory {
    regions: Regions,
    /// Lists that are mapped, by bus address of their region.
    lists: Arc<Mutex<BTreeMap<u64, DmaSgEntry>>>,
}

impl LinkMemory {
    /// Memory for one link. A seed makes bus addresses the same in each run.
    pub fn new(seed: Option<u64>) -> LinkMemory {
        let seed = seed.unwrap_or_else(rand::random);
        LinkMemory { regions: Regions::new(seed), lists: Arc::default() }
    }

    pub(crate) fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Zeroed memory for the application.
    ///
    /// # Errors
    /// [`DmaError::NoMemory`] when there is none.
    pub fn area(&self, bytes: usize) -> Result<LinkArea, DmaError> {
        let pages = Pages::zeroed(bytes).ok_or(DmaError::NoMemory { bytes })?;
        Ok(LinkArea { pages: Arc::new(pages), part: 0..bytes.max(1) })
    }

    /// Lists that are mapped and not yet unmapped; a leak shows here.
    ///
    /// ```
    /// # use rnic_driver::{Direction, DmaMemory};
    /// # let memory = rnic_link::LinkMemory::new(None);
    /// let list = memory.map(&memory.area(100)?, Direction::ToDevice)?;
    /// assert_eq!(memory.mapped(), 1);
    /// memory.unmap(list).map_err(|kept| kept.error)?;
    /// assert_eq!(memory.mapped(), 0);
    /// # Ok::<(), rnic_driver::DmaError>(())
    /// ```
    pub fn mapped(&self) -> usize {
        self.lists().len()
    }

    fn lists(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, DmaSgEntry>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DmaMemory for LinkMemory {
    type Buffer = LinkBuffer;
    type Memory = LinkArea;

    fn allocate(&self, bytes: usize) -> Result<LinkBuffer, DmaError> {
        let no_memory = DmaError::NoMemory { bytes };
        let pages = Pages::zeroed(bytes).filter(|_| bytes > 0).ok_or(no_memory)?;
        let (pages, whole) = (Arc::new(pages), bytes.next_multiple_of(PAGE) as u64);
        let region = Region { pages: pages.clone(), first: 0, bytes: whole, direction: Direction::Bidirectional };
        let address = self.regions.register(region).ok_or(no_memory)?;
        Ok(LinkBuffer { pages, bytes, address, regions: self.regions.clone() })
    }

    fn map(&self, memory: &LinkArea, direction: Direction) -> Result<DmaSgList, DmaError> {
        let part = memory.part.clone();
        let (first, end) = (part.start / PAGE * PAGE, part.end.next_multiple_of(PAGE));
        let region = Region { pages: memory.pages.clone(), first, bytes: (end - first) as u64, direction };
        let base = self.regions.register(region).ok_or(DmaError::NotMappable)?;
        let entry = DmaSgEntry { address: base + (part.start - first) as u64, length: part.len() as u64 };
        self.lists().insert(base, entry);
        Ok(DmaSgList::from_platform(vec![entry], direction))
    }

    fn unmap(&self, list: DmaSgList) -> Result<(), Kept<DmaSgList, DmaError>> {
        let mut lists = self.lists();
        let base = match list.entries() {
            [entry] => Some(entry.address / PAGE as u64 * PAGE as u64).filter(|base| lists.get(base) == Some(entry)),
            _ => None,
        };
        let Some(base) = base else { return Err(Kept { error: DmaError::NotMappable, object: list }) };
        lists.remove(&base);
        self.regions.remove(base);
        Ok(())
    }
}

/// Coherent memory with a bus address. Dropping it takes the memory away from the device (HO7).
///
/// ```
/// # use rnic_driver::{DmaBuffer, DmaMemory};
/// # let memory = rnic_link::LinkMemory::new(None);
/// let buffer: rnic_link::LinkBuffer = memory.allocate(64)?;
/// buffer.write_u32(8, 0x4433_2211);
/// let mut bytes = [0; 3];
/// buffer.read_bytes(9, &mut bytes);
/// assert_eq!((bytes, buffer.read_u64(8)), ([0x22, 0x33, 0x44], 0x4433_2211));
/// # Ok::<(), rnic_driver::DmaError>(())
/// ```
#[derive(Debug)]
pub struct LinkBuffer {
    pages: Arc<Pages>,
    bytes: usize,
    address: u64,
    regions: Regions,
}

impl Drop for LinkBuffer {
    fn drop(&mut self) {
        self.regions.remove(self.address);
    }
}

impl LinkBuffer {
    fn check(&self, offset: usize, bytes: usize, align: usize) {
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes && offset % align == 0);
        assert!(inside, "{bytes} bytes at {offset:#x} of a buffer of {:#x} bytes", self.bytes);
    }

    fn load<const N: usize>(&self, offset: usize) -> [u8; N] {
        self.check(offset, N, N);
        let mut bytes = [0; N];
        self.pages.read(offset, &mut bytes);
        bytes
    }

    fn store<const N: usize>(&self, offset: usize, bytes: [u8; N]) {
        self.check(offset, N, N);
        self.pages.write(offset, &bytes);
    }
}

impl DmaBuffer for LinkBuffer {
    fn bus_address(&self) -> u64 {
        self.address
    }

    fn len(&self) -> usize {
        self.bytes
    }

    fn read_u32(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.load(offset))
    }

    fn write_u32(&self, offset: usize, value: u32) {
        self.store(offset, value.to_le_bytes());
    }

    fn read_u64(&self, offset: usize) -> u64 {
        u64::from_le_bytes(self.load(offset))
    }

    fn write_u64(&self, offset: usize, value: u64) {
        self.store(offset, value.to_le_bytes());
    }

    fn read_bytes(&self, offset: usize, bytes: &mut [u8]) {
        self.check(offset, bytes.len(), 1);
        self.pages.read(offset, bytes);
    }

    fn write_bytes(&self, offset: usize, bytes: &[u8]) {
        self.check(offset, bytes.len(), 1);
        self.pages.write(offset, bytes);
    }
}

/// Memory of the application, from [`LinkMemory::area`].
///
/// ```
/// # let memory = rnic_link::LinkMemory::new(None);
/// let area: rnic_link::LinkArea = memory.area(10_000)?;
/// area.part(100..200).write(5, b"abc");
/// let mut bytes = [0; 4];
/// area.read(104, &mut bytes);
/// assert_eq!(&bytes, b"\0abc");
/// # Ok::<(), rnic_driver::DmaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinkArea {
    pages: Arc<Pages>,
    part: Range<usize>,
}

impl LinkArea {
    /// A part of it: what is mapped begins and ends with these bytes. The device may reach the whole pages they lie in.
    ///
    /// # Panics
    /// It is empty, or passes the end.
    #[must_use]
    pub fn part(&self, part: Range<usize>) -> LinkArea {
        assert!(!part.is_empty() && part.end <= self.len(), "{part:?} of {} bytes", self.len());
        LinkArea { pages: self.pages.clone(), part: self.part.start + part.start..self.part.start + part.end }
    }

    /// Bytes.
    #[allow(clippy::len_without_is_empty)] // An area of no bytes is never made.
    pub fn len(&self) -> usize {
        self.part.len()
    }

    /// Loads bytes.
    ///
    /// # Panics
    /// They pass the end.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        self.pages.read(self.at(offset, bytes.len()), bytes);
    }

    /// Stores bytes.
    ///
    /// # Panics
    /// They pass the end.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.pages.write(self.at(offset, bytes.len()), bytes);
    }

    fn at(&self, offset: usize, bytes: usize) -> usize {
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= self.len()), "{bytes} bytes at {offset:#x}");
        self.part.start + offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho7_memory_is_served_until_it_is_dropped_or_unmapped() {
        let memory = LinkMemory::new(Some(1));
        let served = |address| memory.regions.with(address, 4, |_, _| ()).is_some();
        let buffer = memory.allocate(5000).unwrap();
        let address = buffer.bus_address();
        assert!(served(address + 0x1FFC) && !served(address + 0x2000), "whole pages");
        drop(buffer);
        assert!(!served(address));

        let area = memory.area(5 * PAGE).unwrap();
        let list = memory.map(&area.part(0xF00..0x3080), Direction::ToDevice).unwrap();
        let DmaSgEntry { address, length } = list.entries()[0];
        assert_eq!((address % 0x1000, length), (0xF00, 0x2180));
        assert!(served(address & !0xFFF) && served(address + 0x3000) && !served(address + 0x3100));
        memory.unmap(list).unwrap();
        assert!(!served(address));
    }

    #[test]
    fn only_lists_of_this_memory_are_unmapped() {
        let memory = LinkMemory::new(Some(1));
        let list = memory.map(&memory.area(100).unwrap(), Direction::ToDevice).unwrap();
        let DmaSgEntry { address, .. } = list.entries()[0];
        let forged = DmaSgList::from_platform(vec![DmaSgEntry { address, length: 1 }], Direction::ToDevice);
        assert_eq!(memory.unmap(forged).map_err(|kept| kept.error), Err(DmaError::NotMappable));
        let empty = DmaSgList::from_platform(Vec::new(), Direction::ToDevice);
        assert_eq!(memory.unmap(empty).map_err(|kept| kept.error), Err(DmaError::NotMappable));
        assert_eq!(memory.unmap(list), Ok(()));
        assert!(matches!(memory.allocate(0), Err(DmaError::NoMemory { bytes: 0 })));
        assert!(matches!(memory.allocate(usize::MAX), Err(DmaError::NoMemory { .. })));
    }

    #[test]
    #[should_panic(expected = "of a buffer")]
    fn an_access_behind_the_end_of_a_buffer_panics_although_there_is_memory() {
        LinkMemory::new(Some(1)).allocate(64).unwrap().read_u32(64);
    }
}
