//! A device behind VFIO: the IOMMU lets it reach only what is mapped, and its interrupts are event files.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;

use rnic_driver::{stop, DmaError, Parts};
use vfio_ioctls::{VfioContainer, VfioDevice};
use vmm_sys_util::eventfd::{EventFd, EFD_NONBLOCK};

use crate::bar::LinuxBar;
use crate::clock::LinuxClock;
use crate::command::{change, CommandRegister, COMMAND, MASTER, MEMORY};
use crate::error::LinuxError;
use crate::iommu::Iommu;
use crate::memory::LinuxMemory;
use crate::pci::Function;
use crate::LinuxPlatform;

/// Index of BAR0 among the regions of a PCI device of VFIO, and of its configuration space.
const BAR0: u32 = 0;
const CONFIG: u32 = 7;
/// Index of MSI-X among its interrupts.
const MSIX: u32 = 2;

/// Opens devices through VFIO.
///
/// ```no_run
/// // Needs hardware.
/// let function = rnic_linux::find("0000:03:00.0")?;
/// let device = rnic_driver::Device::open(rnic_linux::Vfio::open(&function)?)?;
/// println!("{} interrupt vectors", device.capabilities().vectors);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub enum Vfio {}

impl Vfio {
    /// Opens a device that is bound to `vfio-pci`.
    ///
    /// # Errors
    /// - [`LinuxError::NotRnic`]: it is another device. Nothing has been done to it.
    /// - [`LinuxError::Vfio`]: VFIO refuses; the text says at which step.
    /// - [`LinuxError::Command`]: it does not become visible, or no bus master.
    /// - [`LinuxError::Reset`]: it does not become ready, or its registers are not those of an rnic.
    /// - [`LinuxError::File`], [`LinuxError::BarSize`]: its registers cannot be mapped, or no event file be made.
    pub fn open(function: &Function) -> Result<LinuxPlatform, LinuxError> {
        function.check()?;
        let container = Arc::new(VfioContainer::new(None)?);
        let device = Arc::new(VfioDevice::new(&function.path, container.clone(), true)?);
        device.reset();
        // Not every function can be reset from outside, and bus addresses are used again: what an earlier process has left must
        // not reach our memory.
        change(&Config(&device), MEMORY, MASTER)?;
        let events = interrupts(&device)?;
        // SAFETY: the device file is open as long as `device`, which the BAR owns too.
        let file = unsafe { BorrowedFd::borrow_raw(device.as_raw_fd()) };
        let (offset, bytes) = (device.get_region_offset(BAR0), device.get_region_size(BAR0));
        let bar = LinuxBar::map(file, offset, bytes, events)?.owning(device.clone());
        let clock = LinuxClock::default();
        stop(&bar, &clock).map_err(LinuxError::Reset)?;
        change(&Config(&device), MASTER, 0)?;
        let page = rustix::param::page_size();
        let memory = LinuxMemory::behind(Box::new(Container { container, _device: device }), page);
        Ok(Parts { bar, memory, clock })
    }
}

/// Configuration space. The crate below tells of no error: a read that fails leaves the bytes as they are.
struct Config<'a>(&'a VfioDevice);

impl CommandRegister for Config<'_> {
    fn read(&self) -> Result<u16, LinuxError> {
        let mut command = [0xFF; 2];
        self.0.region_read(CONFIG, &mut command, COMMAND);
        Ok(u16::from_le_bytes(command))
    }

    fn write(&self, command: u16) -> Result<(), LinuxError> {
        self.0.region_write(CONFIG, &command.to_le_bytes(), COMMAND);
        Ok(())
    }
}

/// Makes an event file for each MSI-X vector; a device without has none, and waits poll.
fn interrupts(device: &VfioDevice) -> Result<Vec<EventFd>, LinuxError> {
    let count = device.get_irq_info(MSIX).map_or(0, |irq| irq.count);
    let event = |_| EventFd::new(EFD_NONBLOCK).map_err(|error| LinuxError::file("eventfd", error));
    let events = (0..count).map(event).collect::<Result<Vec<_>, _>>()?;
    if !events.is_empty() {
        device.enable_msix(events.iter().collect())?;
    }
    Ok(events)
}

/// The IOMMU of a container. The device must be there: without one the container has no IOMMU.
struct Container {
    container: Arc<VfioContainer>,
    _device: Arc<VfioDevice>,
}

impl Iommu for Container {
    fn map(&self, address: u64, pages: *mut u8, bytes: usize) -> Result<(), DmaError> {
        // SAFETY: the pages are a mapping of `area::Pages`, which a lease keeps alive until `unmap`, and which this process
        // accesses by atomics only.
        unsafe { self.container.vfio_dma_map(address, bytes, pages) }.map_err(|_| DmaError::NotMappable)
    }

    fn unmap(&self, address: u64, bytes: usize) -> Result<(), DmaError> {
        self.container.vfio_dma_unmap(address, bytes).map_err(|_| DmaError::NotMappable)
    }
}
