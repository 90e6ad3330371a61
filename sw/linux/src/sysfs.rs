//! A device without VFIO: `resource0` of sysfs, and huge pages at their physical addresses. For machines without an IOMMU.

use std::fs::OpenOptions;
use std::os::fd::AsFd;

use rnic_driver::Parts;

use crate::bar::LinuxBar;
use crate::clock::LinuxClock;
use crate::error::LinuxError;
use crate::memory::LinuxMemory;
use crate::pci::Function;
use crate::LinuxPlatform;

/// Opens devices through sysfs. Nothing keeps a device that is reached like this from writing anywhere.
///
/// ```
/// # use rnic_linux::{Function, LinuxError, Sysfs};
/// # let (address, path) = ("0000:03:00.0".to_string(), "/nowhere".into());
/// # let (vendor, device, class) = (0xFADE, 0x4E1C, 0x0280);
/// # let function = Function { address, vendor, device, class, driver: None, bar0_bytes: 0, path };
/// let taken = Function { driver: Some("vfio-pci".into()), ..function };
/// let refused = Sysfs::open(&taken).unwrap_err();
/// assert!(matches!(refused, LinuxError::Bound { driver } if driver == "vfio-pci"));
/// ```
#[derive(Debug)]
pub enum Sysfs {}

impl Sysfs {
    /// Opens a device: no driver may have it, and the process must have root rights.
    ///
    /// # Errors
    /// - [`LinuxError::Bound`]: a driver has it.
    /// - [`LinuxError::File`], [`LinuxError::BarSize`]: its registers cannot be mapped.
    /// - [`LinuxError::HugePage`]: there is no huge page, or its address is hidden.
    pub fn open(function: &Function) -> Result<LinuxPlatform, LinuxError> {
        if let Some(driver) = &function.driver {
            return Err(LinuxError::Bound { driver: driver.clone() });
        }
        // Memory first: a device must not become a bus master of a process that then gives up.
        let memory = LinuxMemory::huge()?;
        let path = function.path.join("resource0");
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|error| LinuxError::file(path, error))?;
        let bar = LinuxBar::map(file.as_fd(), 0, function.bar0_bytes, Vec::new(), Box::new(()))?;
        function.enable()?;
        Ok(Parts { bar, memory, clock: LinuxClock::default() })
    }
}
