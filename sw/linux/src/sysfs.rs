//! A device without VFIO: `resource0` of sysfs, and huge pages at their physical addresses. For machines without an IOMMU.

use std::fs::OpenOptions;
use std::os::fd::AsFd;

use rnic_driver::{stop, Clock, Parts};

use crate::bar::LinuxBar;
use crate::clock::LinuxClock;
use crate::command::{change, BusMaster, MASTER, MEMORY};
use crate::error::LinuxError;
use crate::huge::Kernel;
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
    /// It may be a bus master from the end of a reset on, until the platform is dropped: memory of an earlier process, which its
    /// rings may still name, and memory that this one has given back, are then out of its reach.
    ///
    /// # Errors
    /// - [`LinuxError::NotRnic`]: it is another device. Nothing has been done to it.
    /// - [`LinuxError::Bound`]: a driver has it.
    /// - [`LinuxError::File`], [`LinuxError::BarSize`]: its registers cannot be mapped.
    /// - [`LinuxError::Command`]: it does not become visible, or no bus master.
    /// - [`LinuxError::Reset`]: it does not become ready, or its registers are not those of an rnic.
    /// - [`LinuxError::HugePage`]: there is no huge page, or its address is hidden.
    pub fn open(function: &Function) -> Result<LinuxPlatform, LinuxError> {
        function.check()?;
        if let Some(driver) = &function.driver {
            return Err(LinuxError::Bound { driver: driver.clone() });
        }
        // Memory first: a device must not become a bus master of a process that then gives up.
        let memory = LinuxMemory::in_huge_pages(Box::new(Kernel::open()?))?;
        let clock = LinuxClock::default();
        // The BAR is the first part, so it goes first, and with it the device's right to reach memory.
        Ok(Parts { bar: registers(function, &clock)?, memory, clock })
    }
}

/// The registers of a device that has been reset before it may reach memory.
fn registers(function: &Function, clock: &impl Clock) -> Result<LinuxBar, LinuxError> {
    change(&function.command(), MEMORY, MASTER)?;
    let path = function.path.join("resource0");
    let file = OpenOptions::new().read(true).write(true).open(&path);
    let file = file.map_err(|error| LinuxError::file(path, error))?;
    let bar = LinuxBar::map(file.as_fd(), 0, function.bar0_bytes, Vec::new())?;
    stop(&bar, clock).map_err(LinuxError::Reset)?;
    Ok(bar.owning(BusMaster::grant(function.command())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::CommandRegister;
    use crate::pci::tests::Machine;
    use rnic_abi::register as reg;
    use rnic_driver::{Bar, Error};
    use std::os::unix::fs::FileExt;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    /// Plays the device behind the files of a function while `body` runs: a reset ends if bus mastering is off.
    fn beside_a_device(function: &Function, magic: &[u8; 4], body: impl FnOnce()) {
        let file = OpenOptions::new().read(true).write(true).open(function.path.join("resource0")).unwrap();
        file.write_all_at(magic, reg::MAGIC.into()).unwrap();
        file.write_all_at(&reg::VERSION_VALUE.to_le_bytes(), reg::VERSION.into()).unwrap();
        let (command, over) = (function.command(), AtomicBool::new(false));
        /// Ends the device, also where the body fails.
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        thread::scope(|scope| {
            let _end = End(&over);
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let mut control = [0; 4];
                    file.read_exact_at(&mut control, reg::CONTROL.into()).unwrap();
                    if control[0] & 1 != 0 && command.read().unwrap() & (MEMORY | MASTER) == MEMORY {
                        file.write_all_at(&[1, 0, 0, 0], reg::STATUS.into()).unwrap();
                        file.write_all_at(&[0; 4], reg::CONTROL.into()).unwrap();
                    }
                    thread::yield_now();
                }
            });
            body();
        });
    }

    #[test]
    fn a_device_reaches_memory_only_between_its_reset_and_the_end_of_its_platform() {
        let machine = Machine::new("master");
        let function = machine.rnic();
        // As a killed process leaves it.
        function.command().write(0x0546).unwrap();
        beside_a_device(&function, b"RNIC", || {
            let bar = registers(&function, &LinuxClock::default()).unwrap();
            assert_eq!((function.command().read().unwrap(), bar.read(reg::STATUS)), (0x0546, Ok(1)));
            drop(bar);
            assert_eq!(function.command().read().unwrap(), 0x0542);
        });
    }

    #[test]
    fn what_is_no_rnic_or_does_not_become_ready_does_not_become_a_bus_master() {
        let machine = Machine::new("silent");
        let function = machine.rnic();
        beside_a_device(&function, b"ABCD", || {
            let error = registers(&function, &LinuxClock::default()).err();
            assert!(matches!(error, Some(LinuxError::Reset(Error::NotRnic { .. }))), "{error:?}");
            assert_eq!(function.command().read().unwrap(), 0x0542);
        });
        std::fs::write(function.path.join("resource0"), b"RNIC").unwrap();
        let file = OpenOptions::new().write(true).open(function.path.join("resource0")).unwrap();
        file.set_len(rnic_abi::pci::BAR0_BYTES).unwrap();
        file.write_all_at(&reg::VERSION_VALUE.to_le_bytes(), reg::VERSION.into()).unwrap();
        let error = registers(&function, &LinuxClock::default()).err();
        assert!(matches!(error, Some(LinuxError::Reset(Error::Timeout(_)))), "{error:?}");
        assert_eq!(function.command().read().unwrap(), 0x0542);
    }
}
