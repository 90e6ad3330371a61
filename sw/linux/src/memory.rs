//! Memory of a device on Linux: behind an IOMMU, or in huge pages.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

use rnic_driver::{Direction, DmaError, DmaMemory, DmaSgEntry, DmaSgList};

use crate::area::{Area, Buffer, Lease, Pages, PAGE};
use crate::error::LinuxError;
use crate::space::Space;

/// Bytes of a huge page.
const HUGE: usize = 2 << 20;
/// Bus addresses of the IOMMU that every machine has: above 4 GiB, where interrupts and old devices have theirs, and within 39
/// bits, which the smallest IOMMUs offer.
const IOMMU_ADDRESSES: std::ops::Range<u64> = 1 << 32..1 << 39;

/// What the IOMMU is asked for.
pub(crate) trait Iommu {
    /// Lets the device reach pages at a bus address.
    fn map(&self, address: u64, pages: *mut u8, bytes: usize) -> Result<(), DmaError>;
    /// Takes them away.
    fn unmap(&self, address: u64, bytes: usize) -> Result<(), DmaError>;
}

/// Memory behind an IOMMU: each piece at a bus address of our own choice.
struct Mapped {
    iommu: Box<dyn Iommu>,
    space: RefCell<Space>,
}

impl Mapped {
    fn lease(self: &Rc<Self>, pages: &Rc<Pages>, first: usize, bytes: usize) -> Result<MappedLease, DmaError> {
        let address = self.space.borrow_mut().take(bytes as u64).ok_or(DmaError::NotMappable)?;
        // The area of the pages that holds `first` was checked by whoever made it.
        let start = pages.pointer().wrapping_add(first);
        if let Err(error) = self.iommu.map(address, start, bytes) {
            self.space.borrow_mut().give_back(address, bytes as u64);
            return Err(error);
        }
        Ok(MappedLease { owner: self.clone(), address, bytes, _pages: pages.clone() })
    }
}

/// Pages that the device can reach until this is dropped.
struct MappedLease {
    owner: Rc<Mapped>,
    address: u64,
    bytes: usize,
    _pages: Rc<Pages>,
}

impl Lease for MappedLease {}

impl Drop for MappedLease {
    fn drop(&mut self) {
        // Addresses that the IOMMU does not take back are not used again.
        if self.owner.iommu.unmap(self.address, self.bytes).is_ok() {
            self.owner.space.borrow_mut().give_back(self.address, self.bytes as u64);
        }
    }
}

/// Memory in huge pages at their physical addresses.
struct Huge {
    pagemap: File,
    chunks: RefCell<Vec<Chunk>>,
}

/// A huge page for coherent memory.
struct Chunk {
    pages: Rc<Pages>,
    address: u64,
    free: Space,
}

/// A piece of a huge page; the device could always reach it.
struct HugeLease {
    owner: Rc<Huge>,
    chunk: usize,
    first: usize,
    bytes: usize,
}

impl Lease for HugeLease {}

impl Drop for HugeLease {
    fn drop(&mut self) {
        self.owner.chunks.borrow_mut()[self.chunk].free.give_back(self.first as u64, self.bytes as u64);
    }
}

impl Huge {
    /// Physical address of a page of this process.
    fn physical(&self, page: *const u8) -> Result<u64, LinuxError> {
        let size = rustix::param::page_size() as u64;
        let mut entry = [0; 8];
        let place = page as u64 / size * 8;
        self.pagemap.read_exact_at(&mut entry, place).map_err(|error| LinuxError::file("/proc/self/pagemap", error))?;
        frame(u64::from_ne_bytes(entry)).map(|frame| frame * size)
    }

    fn add_chunk(&self) -> Result<(), LinuxError> {
        let pages = Pages::anonymous(HUGE, true).map_err(|error| LinuxError::HugePage(error.to_string()))?;
        let address = self.physical(pages.pointer())?;
        self.chunks.borrow_mut().push(Chunk { pages: Rc::new(pages), address, free: Space::new(0..HUGE as u64) });
        Ok(())
    }

    fn allocate(self: &Rc<Self>, bytes: usize) -> Result<Buffer, DmaError> {
        let room = bytes.next_multiple_of(PAGE);
        if room > HUGE {
            return Err(DmaError::NoMemory { bytes });
        }
        loop {
            let taken = self.chunks.borrow_mut().iter_mut().enumerate().find_map(|(index, chunk)| {
                let first = chunk.free.take(room as u64)? as usize;
                Some((index, first, chunk.pages.clone(), chunk.address))
            });
            if let Some((chunk, first, pages, address)) = taken {
                let lease = Box::new(HugeLease { owner: self.clone(), chunk, first, bytes: room });
                let buffer = Buffer::new(lease, pages, first, bytes, address + first as u64);
                rnic_driver::DmaBuffer::write_bytes(&buffer, 0, &vec![0; bytes]);
                return Ok(buffer);
            }
            self.add_chunk().map_err(|_| DmaError::NoMemory { bytes })?;
        }
    }

    /// Physical pieces of an area; huge pages that lie side by side are one.
    fn pieces(&self, area: &Area) -> Result<Vec<DmaSgEntry>, DmaError> {
        let (range, mut entries) = (area.range(), Vec::<DmaSgEntry>::new());
        let mut at = range.start;
        while at < range.end {
            let end = (at / HUGE * HUGE + HUGE).min(range.end);
            let page = area.pages.pointer().wrapping_add(at / HUGE * HUGE);
            let address = self.physical(page).map_err(|_| DmaError::NotMappable)? + (at % HUGE) as u64;
            let length = (end - at) as u64;
            match entries.last_mut().filter(|last| last.address + last.length == address) {
                Some(last) => last.length += length,
                None => entries.push(DmaSgEntry { address, length }),
            }
            at = end;
        }
        Ok(entries)
    }
}

/// The frame number in an entry of the page map.
fn frame(entry: u64) -> Result<u64, LinuxError> {
    let (present, frame) = (entry >> 63 != 0, entry & ((1 << 55) - 1));
    if present && frame != 0 {
        Ok(frame)
    } else {
        Err(LinuxError::HugePage("the kernel hides physical addresses".into()))
    }
}

enum Backing {
    Mapped(Rc<Mapped>),
    Huge(Rc<Huge>),
}

/// Memory that a device on Linux can reach. The direction of a mapping is not enforced: neither VFIO's mapping through this crate
/// nor a physical address knows one.
///
/// ```no_run
/// # use rnic_driver::{Device, Direction, Platform};
/// # let device = Device::open(rnic_linux::open("0000:03:00.0")?)?;
/// // Needs hardware.
/// let memory: &rnic_linux::LinuxMemory = device.platform().memory();
/// let area = memory.area(1 << 20)?;
/// let list = device.dma_map(&area, Direction::Bidirectional)?;
/// assert_eq!(list.bytes(), 1 << 20);
/// device.dma_unmap(list)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinuxMemory {
    backing: Backing,
    /// Lists that are mapped, by first bus address.
    lists: RefCell<BTreeMap<u64, List>>,
}

/// A list that is mapped, and what keeps it so.
type List = (Vec<DmaSgEntry>, Vec<Box<dyn Lease>>);

impl LinuxMemory {
    /// Memory behind an IOMMU.
    pub(crate) fn behind(iommu: Box<dyn Iommu>) -> LinuxMemory {
        let mapped = Mapped { iommu, space: RefCell::new(Space::new(IOMMU_ADDRESSES)) };
        LinuxMemory { backing: Backing::Mapped(Rc::new(mapped)), lists: RefCell::default() }
    }

    /// Memory in huge pages. Takes the first at once, so that a machine without them is noticed now.
    pub(crate) fn huge() -> Result<LinuxMemory, LinuxError> {
        let path = "/proc/self/pagemap";
        let pagemap = File::open(path).map_err(|error| LinuxError::file(path, error))?;
        let huge = Huge { pagemap, chunks: RefCell::default() };
        huge.add_chunk()?;
        Ok(LinuxMemory { backing: Backing::Huge(Rc::new(huge)), lists: RefCell::default() })
    }

    /// Zeroed memory for the application, at least `bytes` bytes.
    ///
    /// # Errors
    /// [`DmaError::NoMemory`] when there is none, or no huge page where one is needed.
    pub fn area(&self, bytes: usize) -> Result<Area, DmaError> {
        let pages = match &self.backing {
            Backing::Mapped(_) => Pages::anonymous(bytes, false),
            Backing::Huge(_) => Pages::anonymous(bytes.max(1).next_multiple_of(HUGE), true),
        };
        let area = Area::new(Rc::new(pages.map_err(|_| DmaError::NoMemory { bytes })?));
        Ok(area.part(0..bytes.max(1)))
    }
}

impl DmaMemory for LinuxMemory {
    type Buffer = Buffer;
    type Memory = Area;

    fn allocate(&self, bytes: usize) -> Result<Buffer, DmaError> {
        if bytes == 0 {
            return Err(DmaError::NoMemory { bytes });
        }
        match &self.backing {
            Backing::Huge(huge) => huge.allocate(bytes),
            Backing::Mapped(mapped) => {
                let pages = Rc::new(Pages::anonymous(bytes, false).map_err(|_| DmaError::NoMemory { bytes })?);
                let lease = mapped.lease(&pages, 0, pages.len()).map_err(|_| DmaError::NoMemory { bytes })?;
                let address = lease.address;
                Ok(Buffer::new(Box::new(lease), pages, 0, bytes, address))
            }
        }
    }

    fn map(&self, memory: &Area, direction: Direction) -> Result<DmaSgList, DmaError> {
        let (entries, leases): (_, Vec<Box<dyn Lease>>) = match &self.backing {
            Backing::Huge(huge) => (huge.pieces(memory)?, Vec::new()),
            Backing::Mapped(mapped) => {
                let range = memory.range();
                let (first, end) = (range.start / PAGE * PAGE, range.end.next_multiple_of(PAGE));
                let lease = mapped.lease(&memory.pages, first, end - first)?;
                let address = lease.address + (range.start - first) as u64;
                (vec![DmaSgEntry { address, length: range.len() as u64 }], vec![Box::new(lease)])
            }
        };
        let key = entries.first().ok_or(DmaError::NotMappable)?.address;
        let mut lists = self.lists.borrow_mut();
        if lists.contains_key(&key) {
            // Of memory without an IOMMU: the same bytes are lent already.
            return Err(DmaError::NotMappable);
        }
        lists.insert(key, (entries.clone(), leases));
        Ok(DmaSgList::from_platform(entries, direction))
    }

    fn unmap(&self, list: DmaSgList) -> Result<(), DmaError> {
        let key = list.entries().first().ok_or(DmaError::NotMappable)?.address;
        let mut lists = self.lists.borrow_mut();
        if lists.get(&key).is_none_or(|(entries, _)| entries != list.entries()) {
            return Err(DmaError::NotMappable);
        }
        let ended = lists.remove(&key);
        drop(lists);
        drop(ended);
        Ok(())
    }
}

impl fmt::Debug for LinuxMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if matches!(self.backing, Backing::Huge(_)) { "huge pages" } else { "IOMMU" };
        write!(f, "LinuxMemory {{ {kind}, {} lists mapped }}", self.lists.borrow().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_driver::DmaBuffer;

    /// What an IOMMU has mapped, shared with the test.
    #[derive(Clone, Default)]
    struct Fake(Rc<RefCell<BTreeMap<u64, (usize, usize)>>>, Rc<RefCell<bool>>);

    impl Iommu for Fake {
        fn map(&self, address: u64, pages: *mut u8, bytes: usize) -> Result<(), DmaError> {
            assert!(address % PAGE as u64 == 0 && pages as usize % PAGE == 0 && bytes % PAGE == 0);
            if *self.1.borrow() {
                return Err(DmaError::NotMappable);
            }
            assert!(self.0.borrow_mut().insert(address, (pages as usize, bytes)).is_none());
            Ok(())
        }

        fn unmap(&self, address: u64, bytes: usize) -> Result<(), DmaError> {
            assert_eq!(self.0.borrow_mut().remove(&address).map(|(_, mapped)| mapped), Some(bytes));
            Ok(())
        }
    }

    #[test]
    fn coherent_memory_is_mapped_until_it_is_dropped() {
        let fake = Fake::default();
        let memory = LinuxMemory::behind(Box::new(fake.clone()));
        let buffer = memory.allocate(5000).unwrap();
        assert_eq!((buffer.len(), buffer.bus_address(), buffer.read_u64(0)), (5000, 1 << 32, 0));
        let other = memory.allocate(1).unwrap();
        assert_eq!(other.bus_address(), (1 << 32) + 0x2000);
        drop(buffer);
        assert_eq!(fake.0.borrow().len(), 1);
        assert_eq!(memory.allocate(8192).unwrap().bus_address(), 1 << 32, "addresses are used again");
        assert!(matches!(memory.allocate(0), Err(DmaError::NoMemory { bytes: 0 })));
    }

    #[test]
    fn f8_application_memory_is_one_piece_behind_an_iommu() {
        let fake = Fake::default();
        let memory = LinuxMemory::behind(Box::new(fake.clone()));
        let area = memory.area(5 * PAGE).unwrap();
        let list = memory.map(&area.part(0xF00..0x3080), Direction::ToDevice).unwrap();
        assert_eq!(list.entries(), [DmaSgEntry { address: (1 << 32) + 0xF00, length: 0x2180 }]);
        let mapped = fake.0.borrow()[&(1 << 32)];
        assert_eq!(mapped, (area.pages.pointer() as usize, 0x4000), "whole pages");
        let forged = DmaSgList::from_platform(vec![DmaSgEntry { address: 1 << 32, length: 1 }], Direction::ToDevice);
        assert_eq!(memory.unmap(forged), Err(DmaError::NotMappable));
        drop(area);
        memory.unmap(list).unwrap();
        assert!(fake.0.borrow().is_empty());
    }

    #[test]
    fn what_the_iommu_refuses_takes_no_address() {
        let fake = Fake::default();
        let memory = LinuxMemory::behind(Box::new(fake.clone()));
        let area = memory.area(100).unwrap();
        *fake.1.borrow_mut() = true;
        assert_eq!(memory.map(&area, Direction::ToDevice).unwrap_err(), DmaError::NotMappable);
        assert!(matches!(memory.allocate(8), Err(DmaError::NoMemory { .. })));
        *fake.1.borrow_mut() = false;
        assert_eq!(memory.allocate(8).unwrap().bus_address(), 1 << 32);
    }

    #[test]
    fn a_page_map_entry_has_a_frame_or_hides_it() {
        assert_eq!(frame(1 << 63 | 1 << 56 | 0x12345).unwrap(), 0x12345);
        assert!(frame(0x12345).is_err(), "not present");
        assert!(frame(1 << 63).is_err(), "without rights");
    }
}
