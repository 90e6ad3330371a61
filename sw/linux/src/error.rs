//! What can go wrong before there is a device.

use std::path::PathBuf;

/// A device cannot be reached.
///
/// ```
/// # use rnic_linux::LinuxError;
/// let error = rnic_linux::find("03:00").unwrap_err();
/// assert!(matches!(error, LinuxError::NoDevice(_)));
/// assert_eq!(error.to_string(), "no PCI device at `03:00`; addresses look like 0000:03:00.0");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum LinuxError {
    /// No PCI function has this address.
    #[error("no PCI device at `{0}`; addresses look like 0000:03:00.0")]
    NoDevice(String),
    /// The function at this address is another kind of device. Nothing has been done to it.
    #[error("{address} is {vendor:04x}:{device:04x}, which is no rnic")]
    NotRnic {
        /// Its address.
        address: String,
        /// Its vendor.
        vendor: u16,
        /// Its device.
        device: u16,
    },
    /// Another driver has the device.
    #[error("driver `{driver}` has the device; unbind it, or bind vfio-pci")]
    Bound {
        /// Its name.
        driver: String,
    },
    /// A file of the kernel cannot be used.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// BAR0 is smaller than the register map, or cannot be mapped.
    #[error("BAR0 has {bytes} bytes instead of 64 KiB")]
    BarSize {
        /// What it has.
        bytes: u64,
    },
    /// The device is in a state of low power, in which its registers do not answer. Opening it wakes it.
    #[error("asleep ({state})")]
    Asleep {
        /// The state, such as D3hot.
        state: String,
    },
    /// The device does not answer to accesses of its registers, as one that nobody has used yet. Opening it changes that.
    #[error("memory space is off")]
    MemoryOff,
    /// The command register does not take what it was given.
    #[error("the command register holds {found:#06x} instead of {wanted:#06x}")]
    Command {
        /// What was written.
        wanted: u16,
        /// What it holds.
        found: u16,
    },
    /// The device did not become ready after a reset, or its registers are not those of an rnic.
    #[error("before memory access: {0}")]
    Reset(rnic_driver::Error),
    /// VFIO refuses.
    #[error("VFIO: {0}")]
    Vfio(#[from] vfio_ioctls::VfioError),
    /// There is no huge page, or its physical address is hidden.
    #[error("no huge page with a visible address: root rights are needed, and free pages in /proc/sys/vm/nr_hugepages ({0})")]
    HugePage(String),
}

impl LinuxError {
    /// An error of a file.
    pub(crate) fn file(path: impl Into<PathBuf>, error: impl Into<std::io::Error>) -> Self {
        LinuxError::File { path: path.into(), error: error.into() }
    }
}
