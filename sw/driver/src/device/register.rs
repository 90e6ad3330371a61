//! Reading registers of a device that may have left its bus.

use rnic_abi::register as reg;

use crate::platform::{Bar, BusError};

/// Reads a register. All ones may be its value, or what a bus answers for a device that has left it: then MAGIC is all ones too.
pub(crate) fn read<B: Bar>(bar: &B, offset: u32) -> Result<u32, BusError> {
    let value = bar.read(offset)?;
    if value == u32::MAX && bar.read(reg::MAGIC)? == u32::MAX {
        return Err(BusError::Gone);
    }
    Ok(value)
}
