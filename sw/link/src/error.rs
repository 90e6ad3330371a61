//! Why a link cannot be opened, and why it ends.

use std::io;

use rnic_driver::{BusError, Errno};

/// A link cannot be opened.
///
/// ```
/// use rnic_driver::Errno;
/// use rnic_link::LinkError;
///
/// let error = LinkError::NoDevice { tries: 100, dropped: 0 };
/// assert_eq!(error.errno(), Errno::Enodev);
/// assert_eq!(error.to_string(), "no device answered 100 OPEN frames (0 frames came and were dropped)");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Nothing answered.
    #[error("no device answered {tries} OPEN frames ({dropped} frames came and were dropped)")]
    NoDevice {
        /// OPEN frames sent.
        tries: u32,
        /// Frames that came meanwhile and meant nothing.
        dropped: u64,
    },
    /// The device is in a session with another host.
    #[error("the device is in a session with another host")]
    Busy,
    /// The session began and ended at once, or its interrupts could not be set up.
    #[error("the link was lost while it was being opened: {0}")]
    Lost(LostReason),
    /// The registers of the bridge do not answer.
    #[error("the interrupts of the device cannot be set up: {0}")]
    Bridge(BusError),
    /// The options make no sense.
    #[error("{0}")]
    Options(&'static str),
    /// The transport does not work.
    #[error("the transport failed: {0}")]
    Transport(#[from] io::Error),
}

impl LinkError {
    /// ENODEV without a device, EBUSY for a taken one, EINVAL for wrong options, ENOLINK or EIO for the rest as the driver has it.
    pub fn errno(&self) -> Errno {
        match self {
            LinkError::NoDevice { .. } | LinkError::Lost(_) => Errno::Enodev,
            LinkError::Busy => Errno::Ebusy,
            LinkError::Options(_) => Errno::Einval,
            LinkError::Bridge(error) => error.errno(),
            LinkError::Transport(_) => Errno::Eio,
        }
    }
}

/// Why a session is over. All calls that wait end with [`BusError::Gone`].
///
/// ```
/// use rnic_link::LostReason;
///
/// assert_eq!(LostReason::Silent.to_string(), "nothing was heard for the keep-alive time");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LostReason {
    /// Closed by this side.
    #[error("closed by the host")]
    Closed,
    /// The device does not know the session: the board was reset (SE3).
    #[error("the device does not know the session")]
    NoSession,
    /// CLOSE from the device.
    #[error("the device closed the session, reason {0}")]
    ClosedByDevice(u32),
    /// No valid frame for keep-alive (LK11).
    #[error("nothing was heard for the keep-alive time")]
    Silent,
    /// Nothing acknowledged after all retries (LK10).
    #[error("nothing was acknowledged after all retries")]
    NoProgress,
    /// The device sent more than it had credit for (LK13).
    #[error("the device sent a TLP beyond its limit")]
    Overrun,
    /// The transport failed for good, such as a closed socket.
    #[error("the transport failed: {0}")]
    Transport(io::ErrorKind),
}
