//! Memory of a device on Linux: behind an IOMMU, or in huge pages.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use rnic_driver::{Direction, DmaError, DmaMemory, DmaSgEntry, DmaSgList, Kept};

use crate::area::{Area, Buffer, Lease};
use crate::error::LinuxError;
use crate::huge::{Huge, HugePages};
use crate::iommu::{Iommu, Mapped};

enum Backing {
    Mapped(Rc<Mapped>),
    Huge(Rc<Huge>),
}

/// Memory that a device on Linux can reach. The direction of a mapping is not enforced: neither VFIO's mapping through this crate
/// nor a physical address knows one. In huge pages no allocation is longer than one of them, 2 MiB.
///
/// ```no_run
/// # use rnic_driver::{Device, Direction, Platform};
/// # let device = Device::open(rnic_linux::open("0000:03:00.0")?)?;
/// // Needs hardware.
/// let memory: &rnic_linux::LinuxMemory = device.platform().memory();
/// let area = memory.area(1 << 20)?;
/// let list = device.dma_map(&area, Direction::Bidirectional)?;
/// assert_eq!((list.bytes(), memory.mapped()), (1 << 20, 1));
/// device.dma_unmap(list)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinuxMemory {
    backing: Backing,
    /// Lists that are mapped, by first bus address. Without an IOMMU the same bytes may be lent twice.
    lists: RefCell<BTreeMap<u64, Vec<List>>>,
}

/// A list that is mapped, and what keeps it so.
type List = (Vec<DmaSgEntry>, Box<dyn Lease>);

impl LinuxMemory {
    /// Memory behind an IOMMU, on a host with pages of `host_page` bytes.
    pub(crate) fn behind(iommu: Box<dyn Iommu>, host_page: usize) -> LinuxMemory {
        LinuxMemory { backing: Backing::Mapped(Mapped::new(iommu, host_page)), lists: RefCell::default() }
    }

    /// Memory in huge pages.
    pub(crate) fn in_huge_pages(source: Box<dyn HugePages>) -> Result<LinuxMemory, LinuxError> {
        Ok(LinuxMemory { backing: Backing::Huge(Huge::new(source)?), lists: RefCell::default() })
    }

    /// Zeroed memory for the application, at least `bytes` bytes.
    ///
    /// # Errors
    /// [`DmaError::NoMemory`] when there is none, or no huge page where one is needed.
    pub fn area(&self, bytes: usize) -> Result<Area, DmaError> {
        let pages = match &self.backing {
            Backing::Mapped(mapped) => mapped.pages(bytes)?,
            Backing::Huge(huge) => huge.pages(bytes)?,
        };
        Ok(Area::new(pages).part(0..bytes.max(1)))
    }

    /// Lists of application memory that are mapped and have not been unmapped.
    pub fn mapped(&self) -> usize {
        self.lists.borrow().values().map(Vec::len).sum()
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
            Backing::Mapped(mapped) => mapped.allocate(bytes),
        }
    }

    fn map(&self, memory: &Area, direction: Direction) -> Result<DmaSgList, DmaError> {
        let (entries, lease) = match &self.backing {
            Backing::Huge(huge) => huge.map(memory)?,
            Backing::Mapped(mapped) => mapped.map(memory)?,
        };
        let key = entries.first().ok_or(DmaError::NotMappable)?.address;
        self.lists.borrow_mut().entry(key).or_default().push((entries.clone(), lease));
        Ok(DmaSgList::from_platform(entries, direction))
    }

    fn unmap(&self, list: DmaSgList) -> Result<(), Kept<DmaSgList, DmaError>> {
        let key = list.entries().first().map_or(0, |entry| entry.address);
        let mut lists = self.lists.borrow_mut();
        let ended = lists.get_mut(&key).ok_or(DmaError::NotMappable).and_then(|mapped| {
            let place = mapped.iter().position(|(entries, _)| entries == list.entries());
            let place = place.ok_or(DmaError::NotMappable)?;
            mapped[place].1.end()?;
            Ok(mapped.swap_remove(place))
        });
        if lists.get(&key).is_some_and(Vec::is_empty) {
            lists.remove(&key);
        }
        drop(lists);
        // What it kept goes with it, so the table must not be borrowed any more.
        ended.map(drop).map_err(|error| Kept { error, object: list })
    }
}

impl fmt::Debug for LinuxMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if matches!(self.backing, Backing::Huge(_)) { "huge pages" } else { "IOMMU" };
        write!(f, "LinuxMemory {{ {kind}, {} lists mapped }}", self.mapped())
    }
}
