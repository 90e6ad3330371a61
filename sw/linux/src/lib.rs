//! Platforms of `rnic-driver` on Linux: a real device behind PCI Express.
//!
//! | | [`Vfio`] | [`Sysfs`] |
//! | --- | --- | --- |
//! | needs | the device bound to `vfio-pci`, an IOMMU | root, no driver bound, free huge pages |
//! | registers | mapped through VFIO | mapped through `resource0` |
//! | memory | any, at bus addresses of the IOMMU | huge pages, at their physical addresses; rings up to 2 MiB |
//! | interrupts | MSI-X | none: waiting polls |
//! | a device gone wild | is stopped by the IOMMU | can write anywhere |
//!
//! [`open`] takes the first that fits. [`devices`] lists what is there.
//!
//! ```no_run
//! // Needs hardware.
//! for function in rnic_linux::devices()? {
//!     println!("{} {:?}", function.address, function.magic());
//! }
//! let platform = rnic_linux::open("0000:03:00.0")?;
//! let device = rnic_driver::Device::open(platform)?;
//! println!("{} queue pairs", device.capabilities().qps);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod area;
mod bar;
mod clock;
mod command;
mod error;
mod huge;
mod iommu;
mod memory;
mod pci;
mod space;
mod sysfs;
mod vfio;

pub use area::{Area, Buffer};
pub use bar::LinuxBar;
pub use clock::LinuxClock;
pub use error::LinuxError;
pub use memory::LinuxMemory;
pub use pci::{devices, devices_under, find, Function};
pub use sysfs::Sysfs;
pub use vfio::Vfio;

use rnic_driver::Parts;

/// A device on Linux, whichever way it is reached.
///
/// ```no_run
/// // Needs hardware.
/// let platform: rnic_linux::LinuxPlatform = rnic_linux::open("0000:03:00.0")?;
/// let device = rnic_driver::Device::open(platform)?;
/// assert!(device.capabilities().rc);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LinuxPlatform = Parts<LinuxBar, LinuxMemory, LinuxClock>;

/// Opens the device at a PCI address such as `0000:03:00.0`: through VFIO if it is bound to `vfio-pci`, else through sysfs.
///
/// ```
/// match rnic_linux::open("nowhere") {
///     Ok(platform) => drop(rnic_driver::Device::open(platform)?),
///     Err(error) => assert!(error.to_string().starts_with("no PCI device")),
/// }
/// # Ok::<(), rnic_driver::Error>(())
/// ```
///
/// # Errors
/// - [`LinuxError::NoDevice`], [`LinuxError::NotRnic`]: there is none at this address, or another one, to which nothing is done.
/// - as [`Vfio::open`] or [`Sysfs::open`]: it cannot be reached; the text says what is missing.
pub fn open(address: &str) -> Result<LinuxPlatform, LinuxError> {
    let function = find(address)?;
    if function.driver.as_deref() == Some("vfio-pci") {
        Vfio::open(&function)
    } else {
        Sysfs::open(&function)
    }
}
