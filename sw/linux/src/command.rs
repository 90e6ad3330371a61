//! The command register of a PCI function: whether it answers, and whether it may reach memory by itself.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::error::LinuxError;

/// Offset of the register in configuration space.
pub(crate) const COMMAND: u64 = 4;
/// The function answers to accesses of its BARs.
pub(crate) const MEMORY: u16 = 1 << 1;
/// The function may read and write memory.
pub(crate) const MASTER: u16 = 1 << 2;

/// Where the register is.
pub(crate) trait CommandRegister {
    fn read(&self) -> Result<u16, LinuxError>;
    fn write(&self, command: u16) -> Result<(), LinuxError>;
}

/// Sets and clears bits, keeps the others, and reads back: not every way to the register tells of an error.
pub(crate) fn change(register: &impl CommandRegister, set: u16, clear: u16) -> Result<(), LinuxError> {
    let before = register.read()?;
    let wanted = (before | set) & !clear;
    if before != u16::MAX {
        register.write(wanted)?;
        let found = register.read()?;
        if found != u16::MAX && (found ^ wanted) & (set | clear) == 0 {
            return Ok(());
        }
    }
    Err(LinuxError::Command { wanted, found: register.read()? })
}

/// The register in the file `config` of a function in sysfs.
#[derive(Clone, Debug)]
pub(crate) struct ConfigFile(pub(crate) PathBuf);

impl CommandRegister for ConfigFile {
    fn read(&self) -> Result<u16, LinuxError> {
        let mut bytes = [0; 2];
        let file = OpenOptions::new().read(true).open(&self.0);
        let read = file.and_then(|file| file.read_exact_at(&mut bytes, COMMAND));
        read.map_err(|error| LinuxError::file(&self.0, error))?;
        Ok(u16::from_le_bytes(bytes))
    }

    fn write(&self, command: u16) -> Result<(), LinuxError> {
        let file = OpenOptions::new().write(true).open(&self.0);
        let written = file.and_then(|file| file.write_all_at(&command.to_le_bytes(), COMMAND));
        written.map_err(|error| LinuxError::file(&self.0, error))
    }
}

/// The right of a function to reach memory; ends with this.
#[derive(Debug)]
pub(crate) struct BusMaster(ConfigFile);

impl BusMaster {
    pub(crate) fn grant(register: ConfigFile) -> Result<BusMaster, LinuxError> {
        change(&register, MASTER, 0)?;
        Ok(BusMaster(register))
    }
}

impl Drop for BusMaster {
    fn drop(&mut self) {
        // A function that has left the bus needs no order.
        let _ = change(&self.0, 0, MASTER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A register that takes only some bits.
    struct Stubborn {
        value: Cell<u16>,
        takes: u16,
    }

    impl CommandRegister for Stubborn {
        fn read(&self) -> Result<u16, LinuxError> {
            Ok(self.value.get())
        }

        fn write(&self, command: u16) -> Result<(), LinuxError> {
            self.value.set(self.value.get() & !self.takes | command & self.takes);
            Ok(())
        }
    }

    #[test]
    fn the_other_bits_stay() {
        let register = Stubborn { value: Cell::new(0x0546), takes: u16::MAX };
        change(&register, MEMORY, MASTER).unwrap();
        assert_eq!(register.value.get(), 0x0542);
        change(&register, MASTER, 0).unwrap();
        assert_eq!(register.value.get(), 0x0546);
    }

    #[test]
    fn a_bit_that_is_not_taken_is_an_error() {
        let register = Stubborn { value: Cell::new(0x0540), takes: MEMORY };
        let error = change(&register, MEMORY | MASTER, 0).unwrap_err();
        assert!(matches!(error, LinuxError::Command { wanted: 0x0546, found: 0x0542 }), "{error}");
    }

    #[test]
    fn a_function_that_is_gone_is_an_error() {
        let register = Stubborn { value: Cell::new(u16::MAX), takes: 0 };
        assert!(matches!(change(&register, MEMORY, MASTER), Err(LinuxError::Command { found: u16::MAX, .. })));
    }
}
