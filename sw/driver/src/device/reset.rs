//! Identity and reset of a device.

use std::time::Duration;

use rnic_abi::register as reg;

use super::mailbox::wait_until;
use super::register::read;
use super::TimeLimits;
use crate::error::{Error, Wait};
use crate::platform::{Bar, BusError, Clock};

/// Looks whether it is an rnic that this driver knows. Nothing is written.
pub(super) fn identify<B: Bar>(bar: &B) -> Result<(), Error> {
    let found = bar.read(reg::MAGIC)?;
    if found != reg::MAGIC_VALUE {
        return Err(Error::NotRnic { found });
    }
    let device = reg::VERSION_MAJOR.get(read(bar, reg::VERSION)?);
    if device != reg::MAJOR {
        return Err(Error::MajorVersion { device, driver: reg::MAJOR });
    }
    Ok(())
}

/// Resets the device and waits until that is over: then it does nothing by itself.
pub(super) fn reset<B: Bar, C: Clock>(bar: &B, clock: &C, limit: Duration) -> Result<(), Error> {
    bar.write(reg::CONTROL, reg::CONTROL_RESET.mask())?;
    wait_until(clock, limit, Wait::Reset, || {
        // The bit clears itself; only then `ready` speaks of the reset that we asked for.
        let over = !reg::CONTROL_RESET.is_set(read(bar, reg::CONTROL)?);
        Ok(over && reg::STATUS_READY.is_set(read(bar, reg::STATUS)?))
    })
}

/// Whether a device certainly does nothing any more after its reset has ended so.
pub(super) fn is_still(reset: &Result<(), Error>) -> bool {
    matches!(reset, Ok(()) | Err(Error::Bus(BusError::Gone)))
}

/// Stops a device that somebody may have left running: for platforms, before they let it reach memory.
///
/// ```
/// # use rnic_driver::{stop, Error};
/// let mock = rnic_mock::Mock::new();
/// stop(&mock, &mock)?;
/// assert_eq!(mock.written(rnic_abi::register::CONTROL), [1]); // a reset
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// - [`Error::NotRnic`], [`Error::MajorVersion`] (ENODEV): another device, or none, is behind the BAR. Nothing has been written.
/// - [`Wait::Reset`] (ETIMEDOUT): it does not become ready.
/// - [`Error::Bus`]: the registers cannot be accessed.
pub fn stop<B: Bar, C: Clock>(bar: &B, clock: &C) -> Result<(), Error> {
    identify(bar)?;
    reset(bar, clock, TimeLimits::default().reset)
}
