//! Counters of errors by syndrome (M3) and of dropped frames and doorbells by reason.

use rnic_abi::syndrome::Syndrome;
use rnic_abi::{drop, register as reg, syndrome};

use super::register::read;
use super::Device;
use crate::error::Error;
use crate::platform::{Bar, Platform};

impl<P: Platform> Device<P> {
    /// Errors with this syndrome since the last clear or reset, modulo 2^32.
    ///
    /// # Errors
    /// [`Error::Bus`]: the register cannot be read.
    pub fn error_count(&self, syndrome: Syndrome) -> Result<u32, Error> {
        Ok(read(self.platform().bar(), reg::syndrome_counter(syndrome.code()))?)
    }

    /// Drops for this reason (`rnic_abi::drop`) since the last clear or reset, modulo 2^32.
    ///
    /// # Errors
    /// [`Error::Bus`]: the register cannot be read, for example because the reason is 128 or more.
    pub fn drop_count(&self, reason: u8) -> Result<u32, Error> {
        Ok(read(self.platform().bar(), reg::drop_counter(reason))?)
    }

    /// Clears the error counter of one syndrome.
    ///
    /// # Errors
    /// [`Error::Bus`]: the register cannot be written.
    pub fn clear_error_count(&self, syndrome: Syndrome) -> Result<(), Error> {
        Ok(self.platform().bar().write(reg::syndrome_counter(syndrome.code()), 0)?)
    }

    /// Clears the drop counter of one reason.
    ///
    /// # Errors
    /// [`Error::Bus`]: the register cannot be written.
    pub fn clear_drop_count(&self, reason: u8) -> Result<(), Error> {
        Ok(self.platform().bar().write(reg::drop_counter(reason), 0)?)
    }

    /// All counters that are not 0: `(syndrome code, count)` of errors, then `(reason, count)` of drops.
    ///
    /// # Errors
    /// [`Error::Bus`]: a register cannot be read.
    #[allow(clippy::type_complexity)]
    pub fn counters(&self) -> Result<(Vec<(u8, u32)>, Vec<(u8, u32)>), Error> {
        let all = |base: u32, counters: u32| -> Result<Vec<(u8, u32)>, Error> {
            let mut found = Vec::new();
            for code in 0..counters {
                let count = read(self.platform().bar(), base + 4 * code)?;
                if count != 0 {
                    found.push((code as u8, count));
                }
            }
            Ok(found)
        };
        Ok((all(reg::SYNDROME_COUNTER, syndrome::COUNT)?, all(reg::DROP_COUNTER, drop::COUNT)?))
    }
}
