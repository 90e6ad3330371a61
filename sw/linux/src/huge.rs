//! Memory in huge pages at their physical addresses: what there is without an IOMMU.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

use rnic_driver::{DmaError, DmaSgEntry};

use crate::area::{Area, Buffer, Lease, Pages, PAGE};
use crate::error::LinuxError;
use crate::space::Space;

/// Bytes of a huge page.
pub(crate) const HUGE: usize = 2 << 20;

/// Where huge pages come from.
pub(crate) trait HugePages {
    /// Zeroed huge pages that stay where they are; `bytes` is a multiple of [`HUGE`].
    fn pages(&self, bytes: usize) -> Result<Pages, LinuxError>;
    /// Physical address of a page of this process.
    fn physical(&self, page: *const u8) -> Result<u64, LinuxError>;
}

/// The kernel's.
pub(crate) struct Kernel {
    pagemap: File,
}

impl Kernel {
    pub(crate) fn open() -> Result<Kernel, LinuxError> {
        let path = "/proc/self/pagemap";
        Ok(Kernel { pagemap: File::open(path).map_err(|error| LinuxError::file(path, error))? })
    }
}

impl HugePages for Kernel {
    fn pages(&self, bytes: usize) -> Result<Pages, LinuxError> {
        Pages::huge(bytes).map_err(|error| LinuxError::HugePage(error.to_string()))
    }

    fn physical(&self, page: *const u8) -> Result<u64, LinuxError> {
        let size = rustix::param::page_size() as u64;
        let mut entry = [0; 8];
        let place = page as u64 / size * 8;
        self.pagemap.read_exact_at(&mut entry, place).map_err(|error| LinuxError::file("/proc/self/pagemap", error))?;
        frame(u64::from_ne_bytes(entry)).map(|frame| frame * size)
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

/// Memory in huge pages.
pub(crate) struct Huge {
    source: Box<dyn HugePages>,
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

/// Memory of the application that the device was told of. Nothing can keep the device from it, so the pages must stay with this
/// process, whatever the application does with its handle of them.
struct PagesLease(#[allow(dead_code)] Rc<Pages>);

impl Lease for PagesLease {}

impl Huge {
    /// Takes the first page at once, so that a machine without them is noticed now.
    pub(crate) fn new(source: Box<dyn HugePages>) -> Result<Rc<Huge>, LinuxError> {
        let huge = Huge { source, chunks: RefCell::default() };
        huge.add_chunk()?;
        Ok(Rc::new(huge))
    }

    /// Zeroed pages for the application.
    pub(crate) fn pages(&self, bytes: usize) -> Result<Rc<Pages>, DmaError> {
        let whole = bytes.max(1).checked_next_multiple_of(HUGE).ok_or(DmaError::NoMemory { bytes })?;
        Ok(Rc::new(self.source.pages(whole).map_err(|_| DmaError::NoMemory { bytes })?))
    }

    fn add_chunk(&self) -> Result<(), LinuxError> {
        let pages = self.source.pages(HUGE)?;
        let address = self.source.physical(pages.pointer())?;
        self.chunks.borrow_mut().push(Chunk { pages: Rc::new(pages), address, free: Space::new(0..HUGE as u64) });
        Ok(())
    }

    /// Coherent memory: contiguous on the bus, so within one huge page.
    pub(crate) fn allocate(self: &Rc<Self>, bytes: usize) -> Result<Buffer, DmaError> {
        if bytes > HUGE {
            return Err(DmaError::TooLong { bytes, longest: HUGE });
        }
        let room = bytes.next_multiple_of(PAGE);
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
    pub(crate) fn map(&self, area: &Area) -> Result<(Vec<DmaSgEntry>, Box<dyn Lease>), DmaError> {
        let (range, mut entries) = (area.range(), Vec::<DmaSgEntry>::new());
        let mut at = range.start;
        while at < range.end {
            let end = (at / HUGE * HUGE + HUGE).min(range.end);
            let page = area.pages.pointer().wrapping_add(at / HUGE * HUGE);
            let address = self.source.physical(page).map_err(|_| DmaError::NotMappable)? + (at % HUGE) as u64;
            let length = (end - at) as u64;
            match entries.last_mut().filter(|last| last.address + last.length == address) {
                Some(last) => last.length += length,
                None => entries.push(DmaSgEntry { address, length }),
            }
            at = end;
        }
        Ok((entries, Box::new(PagesLease(area.pages.clone()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LinuxMemory;
    use rnic_driver::{Direction, DmaBuffer, DmaMemory};
    use std::cell::Cell;

    /// Ordinary pages at their addresses in this process, or none.
    #[derive(Clone, Default)]
    struct Fake(Rc<Cell<bool>>);

    impl HugePages for Fake {
        fn pages(&self, bytes: usize) -> Result<Pages, LinuxError> {
            assert_eq!(bytes % HUGE, 0);
            match self.0.get() {
                true => Err(LinuxError::HugePage("none".into())),
                false => Ok(Pages::anonymous(bytes).unwrap()),
            }
        }

        fn physical(&self, page: *const u8) -> Result<u64, LinuxError> {
            Ok(page as u64)
        }
    }

    fn memory() -> LinuxMemory {
        LinuxMemory::in_huge_pages(Box::new(Fake::default())).unwrap()
    }

    #[test]
    fn memory_of_the_application_stays_while_the_device_knows_of_it() {
        let memory = memory();
        let area = memory.area(100).unwrap();
        let pages = Rc::downgrade(&area.pages);
        let list = memory.map(&area.part(10..20), Direction::FromDevice).unwrap();
        assert_eq!(list.entries(), [DmaSgEntry { address: area.pages.pointer() as u64 + 10, length: 10 }]);
        drop(area);
        assert!(pages.upgrade().is_some(), "the device can still write it");
        memory.unmap(list).unwrap();
        assert!(pages.upgrade().is_none());
    }

    #[test]
    fn the_same_bytes_may_be_mapped_twice() {
        let memory = memory();
        let area = memory.area(100).unwrap();
        let lists = [10..20, 10..20, 10..30].map(|part| memory.map(&area.part(part), Direction::ToDevice).unwrap());
        assert_eq!((memory.mapped(), lists[0].entries()), (3, lists[1].entries()));
        for list in lists {
            memory.unmap(list).unwrap();
        }
        assert_eq!(memory.mapped(), 0);
    }

    #[test]
    fn f8_huge_pages_that_lie_side_by_side_are_one_piece() {
        let memory = memory();
        let area = memory.area(3 * HUGE).unwrap();
        let list = memory.map(&area.part(HUGE - 8..2 * HUGE + 8), Direction::ToDevice).unwrap();
        assert_eq!((list.entries().len(), list.bytes()), (1, HUGE as u64 + 16));
    }

    #[test]
    fn coherent_memory_is_zeroed_and_used_again() {
        let memory = memory();
        let buffer = memory.allocate(5000).unwrap();
        let address = buffer.bus_address();
        buffer.write_u64(8, 7);
        assert_eq!(memory.allocate(1).unwrap().bus_address(), address + 0x2000);
        drop(buffer);
        let again = memory.allocate(5000).unwrap();
        assert_eq!((again.bus_address(), again.read_u64(8)), (address, 0));
        let whole = memory.allocate(HUGE).unwrap();
        assert_eq!(whole.len(), HUGE, "of a second huge page");
    }

    #[test]
    fn coherent_memory_longer_than_a_huge_page_is_a_named_error() {
        let memory = memory();
        for bytes in [HUGE + 1, usize::MAX] {
            assert_eq!(memory.allocate(bytes).err(), Some(DmaError::TooLong { bytes, longest: HUGE }));
        }
        assert_eq!(memory.area(usize::MAX).err(), Some(DmaError::NoMemory { bytes: usize::MAX }));
    }

    #[test]
    fn a_machine_without_huge_pages_is_noticed_at_once() {
        let fake = Fake::default();
        fake.0.set(true);
        assert!(matches!(LinuxMemory::in_huge_pages(Box::new(fake)), Err(LinuxError::HugePage(_))));
    }

    #[test]
    fn a_page_map_entry_has_a_frame_or_hides_it() {
        assert_eq!(frame(1 << 63 | 1 << 56 | 0x12345).unwrap(), 0x12345);
        assert!(frame(0x12345).is_err(), "not present");
        assert!(frame(1 << 63).is_err(), "without rights");
    }
}
