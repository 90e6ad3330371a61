//! Which devices there are: the PCI functions with the identity of an rnic.

use std::fs;
use std::path::{Path, PathBuf};

use rnic_abi::{pci, register};

use crate::command::{CommandRegister, ConfigFile, MEMORY};
use crate::error::LinuxError;

/// Where the kernel lists PCI functions.
const DEVICES: &str = "/sys/bus/pci/devices";

/// A PCI function.
///
/// ```
/// # use std::fs;
/// # let folder = std::env::temp_dir().join(format!("rnic-example-function-{}", std::process::id()));
/// # let path = folder.join("0000:03:00.0");
/// # fs::create_dir_all(&path)?;
/// # fs::write(path.join("vendor"), "0xfade")?;
/// # fs::write(path.join("device"), "0x4e1c")?;
/// # fs::write(path.join("class"), "0x028000")?;
/// let functions = rnic_linux::devices_under(&folder)?;
/// let function: &rnic_linux::Function = &functions[0];
/// assert_eq!((&function.address[..], function.is_rnic()), ("0000:03:00.0", true));
/// assert_eq!((function.driver.as_deref(), function.bar0_bytes), (None, 0));
/// # fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Address, such as `0000:03:00.0`.
    pub address: String,
    /// Vendor.
    pub vendor: u16,
    /// Device.
    pub device: u16,
    /// Class and subclass.
    pub class: u16,
    /// The driver that has it.
    pub driver: Option<String>,
    /// Bytes of BAR0; 0 if it has none.
    pub bar0_bytes: u64,
    /// Its folder in sysfs.
    pub path: PathBuf,
}

impl Function {
    /// Reads what the kernel says of a function.
    fn read(path: PathBuf) -> Result<Function, LinuxError> {
        let number = |file: &str| -> Result<u32, LinuxError> {
            let path = path.join(file);
            let text = fs::read_to_string(&path).map_err(|error| LinuxError::file(&path, error))?;
            let digits = text.trim().trim_start_matches("0x");
            u32::from_str_radix(digits, 16).map_err(|error| LinuxError::file(path, std::io::Error::other(error)))
        };
        let driver = fs::read_link(path.join("driver")).ok();
        let driver = driver.and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned()));
        Ok(Function {
            address: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            vendor: number("vendor")? as u16,
            device: number("device")? as u16,
            class: (number("class")? >> 8) as u16,
            driver,
            bar0_bytes: fs::metadata(path.join("resource0")).map_or(0, |file| file.len()),
            path,
        })
    }

    /// Whether it has the identity of an rnic.
    pub fn is_rnic(&self) -> bool {
        (self.vendor, self.device) == (pci::VENDOR, pci::DEVICE)
    }

    /// Passes only an rnic: what is done to a device to open it must not be done to another one.
    pub(crate) fn check(&self) -> Result<(), LinuxError> {
        if self.is_rnic() {
            return Ok(());
        }
        Err(LinuxError::NotRnic { address: self.address.clone(), vendor: self.vendor, device: self.device })
    }

    pub(crate) fn command(&self) -> ConfigFile {
        ConfigFile(self.path.join("config"))
    }

    /// Whether its registers answer: in low power, and before anybody has used it, they give all ones.
    fn awake(&self) -> Result<(), LinuxError> {
        // First, because reading configuration space wakes a device. Old kernels do not tell.
        if let Ok(state) = fs::read_to_string(self.path.join("power_state")) {
            let state = state.trim();
            if !["D0", "unknown"].contains(&state) {
                return Err(LinuxError::Asleep { state: state.into() });
            }
        }
        if self.command().read()? & MEMORY == 0 {
            return Err(LinuxError::MemoryOff);
        }
        Ok(())
    }

    /// What the register MAGIC holds, if this process may look.
    ///
    /// # Errors
    /// - [`LinuxError::Asleep`], [`LinuxError::MemoryOff`]: it would not answer; that is no fault of the device.
    /// - [`LinuxError::File`]: `resource0` cannot be mapped: usually rights are missing, or another driver has it.
    /// - [`LinuxError::BarSize`]: it has no such registers.
    pub fn magic(&self) -> Result<u32, LinuxError> {
        self.awake()?;
        let path = self.path.join("resource0");
        let file = fs::OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|error| LinuxError::file(&path, error))?;
        let fd = std::os::fd::AsFd::as_fd(&file);
        let bar = crate::LinuxBar::map(fd, 0, self.bar0_bytes, vec![])?;
        let magic = rnic_driver::Bar::read(&bar, register::MAGIC);
        magic.map_err(|error| LinuxError::file(path, std::io::Error::other(error)))
    }
}

/// The rnics of this machine, by address.
///
/// ```
/// for function in rnic_linux::devices()? {
///     println!("{} {:?}", function.address, function.driver);
///     assert!(function.is_rnic());
/// }
/// # Ok::<(), rnic_linux::LinuxError>(())
/// ```
///
/// # Errors
/// [`LinuxError::File`]: the list of the kernel cannot be read.
pub fn devices() -> Result<Vec<Function>, LinuxError> {
    devices_under(Path::new(DEVICES))
}

/// The rnics in a folder like that of the kernel. A machine without PCI has no such folder, and no rnic.
///
/// ```
/// # use std::fs;
/// # let folder = std::env::temp_dir().join(format!("rnic-example-under-{}", std::process::id()));
/// # let path = folder.join("0000:03:00.0");
/// # fs::create_dir_all(&path)?;
/// # fs::write(path.join("vendor"), "0xfade")?;
/// # fs::write(path.join("device"), "0x4e1c")?;
/// # fs::write(path.join("class"), "0x028000")?;
/// // `folder` holds 0000:03:00.0/vendor, /device and /class.
/// assert_eq!(rnic_linux::devices_under(&folder)?.len(), 1);
/// assert!(rnic_linux::devices_under(&folder.join("none"))?.is_empty());
/// # fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// as [`devices`].
pub fn devices_under(folder: &Path) -> Result<Vec<Function>, LinuxError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| LinuxError::file(folder, error))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| LinuxError::file(folder, error))?;
        // A function may vanish while we look; what cannot be read is no rnic.
        found.extend(Function::read(entry.path()).ok().filter(Function::is_rnic));
    }
    found.sort_by(|a, b| a.address.cmp(&b.address));
    Ok(found)
}

/// The function at an address, whatever it is.
///
/// ```
/// let missing = rnic_linux::find("0000:zz:00.0").unwrap_err();
/// assert!(matches!(missing, rnic_linux::LinuxError::NoDevice(address) if address == "0000:zz:00.0"));
/// ```
///
/// # Errors
/// [`LinuxError::NoDevice`]: there is none.
pub fn find(address: &str) -> Result<Function, LinuxError> {
    let shape = |c: char| c.is_ascii_hexdigit() || c == ':' || c == '.';
    let path = Path::new(DEVICES).join(address);
    if address.is_empty() || !address.chars().all(shape) || address.contains("..") || !path.exists() {
        return Err(LinuxError::NoDevice(address.into()));
    }
    Function::read(path)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A folder with functions as the kernel shows them.
    pub(crate) struct Machine(PathBuf);

    impl Machine {
        pub(crate) fn new(name: &str) -> Machine {
            let path = std::env::temp_dir().join(format!("rnic-pci-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Machine(path)
        }

        pub(crate) fn add(&self, address: &str, vendor: &str, device: &str, bar0: Option<u64>) -> PathBuf {
            let path = self.0.join(address);
            fs::create_dir(&path).unwrap();
            for (file, text) in [("vendor", vendor), ("device", device), ("class", "0x028000\n")] {
                fs::write(path.join(file), text).unwrap();
            }
            fs::write(path.join("config"), [0xDE, 0xFA, 0x1C, 0x4E, 0x42, 0x05, 9, 9]).unwrap();
            if let Some(bytes) = bar0 {
                fs::File::create(path.join("resource0")).unwrap().set_len(bytes).unwrap();
            }
            path
        }

        /// An rnic with 64 KiB of registers.
        pub(crate) fn rnic(&self) -> Function {
            Function::read(self.add("0000:03:00.0", "0xfade", "0x4e1c", Some(pci::BAR0_BYTES))).unwrap()
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn only_rnics_are_listed_by_address_with_their_driver() {
        let machine = Machine::new("list");
        let second = machine.add("0000:04:00.0", "0xfade\n", "0x4e1c\n", Some(65536));
        machine.add("0000:03:00.0", "0xfade\n", "0x4e1c\n", Some(65536));
        machine.add("0000:01:00.0", "0x8086\n", "0x4e1c\n", Some(65536));
        machine.add("0000:02:00.0", "0xfade\n", "0x4e1d\n", None);
        fs::create_dir(machine.0.join("broken")).unwrap();
        std::os::unix::fs::symlink("../../drivers/vfio-pci", second.join("driver")).unwrap();
        let found = devices_under(&machine.0).unwrap();
        let rows: Vec<_> =
            found.iter().map(|f| (f.address.as_str(), f.driver.as_deref(), f.class, f.bar0_bytes)).collect();
        assert_eq!(rows, [("0000:03:00.0", None, 0x0280, 65536), ("0000:04:00.0", Some("vfio-pci"), 0x0280, 65536)]);
        assert!(devices_under(&machine.0.join("none")).unwrap().is_empty());
    }

    #[test]
    fn magic_is_read_through_the_resource_file() {
        let machine = Machine::new("magic");
        let function = machine.rnic();
        let file = fs::OpenOptions::new().write(true).open(function.path.join("resource0")).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"RNIC", 0).unwrap();
        assert_eq!(function.magic().unwrap(), register::MAGIC_VALUE);
        let none = Function { bar0_bytes: 0, ..function };
        assert!(matches!(none.magic(), Err(LinuxError::BarSize { bytes: 0 })));
    }

    #[test]
    fn a_device_that_does_not_answer_yet_is_not_called_broken() {
        let machine = Machine::new("asleep");
        let function = machine.rnic();
        // What the registers of a sleeping device give.
        fs::write(function.path.join("resource0"), vec![0xFF; pci::BAR0_BYTES as usize]).unwrap();
        assert_eq!(function.magic().unwrap(), u32::MAX);
        for (state, awake) in [("D0", true), ("unknown", true), ("D3hot", false), ("D3cold", false)] {
            fs::write(function.path.join("power_state"), format!("{state}\n")).unwrap();
            match function.magic() {
                Ok(_) => assert!(awake, "{state}"),
                Err(error) => assert_eq!((awake, error.to_string()), (false, format!("asleep ({state})"))),
            }
        }
        fs::write(function.path.join("power_state"), "D0\n").unwrap();
        fs::write(function.path.join("config"), [0xDE, 0xFA, 0x1C, 0x4E, 0x04, 0x05]).unwrap();
        assert!(matches!(function.magic(), Err(LinuxError::MemoryOff)));
    }

    #[test]
    fn another_device_is_not_touched() {
        let machine = Machine::new("other");
        let path = machine.add("0000:03:00.0", "0x8086", "0x4e1c", Some(65536));
        let before = fs::read(path.join("config")).unwrap();
        let mut function = Function::read(path.clone()).unwrap();
        for driver in [None, Some("vfio-pci".to_string())] {
            function.driver = driver;
            for opened in [crate::Sysfs::open(&function), crate::Vfio::open(&function)] {
                let error = opened.err().unwrap().to_string();
                assert_eq!(error, "0000:03:00.0 is 8086:4e1c, which is no rnic");
            }
        }
        assert_eq!(fs::read(path.join("config")).unwrap(), before);
    }

    #[test]
    fn an_address_cannot_lead_out_of_the_folder() {
        for address in ["", "..", "../../../etc", "0000:ff:1f.7", "x"] {
            assert!(matches!(find(address), Err(LinuxError::NoDevice(_))), "{address}");
        }
    }
}
