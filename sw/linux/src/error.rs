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
