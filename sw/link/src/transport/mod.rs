//! What carries frames between the host and a device.

mod checked;
mod lossy;
mod packet;
mod pair;
mod wire;

use std::io;
use std::os::fd::OwnedFd;

pub use checked::FcsChecked;
pub use lossy::{Lossy, LossyRates};
pub use packet::{PacketError, PacketSocket};
pub use pair::SequencedPair;
pub use wire::SimulatedWire;

#[cfg(test)]
pub(crate) use checked::fcs;

/// Carries whole Ethernet frames, without FCS, from the destination address on. It may lose, double, reorder and delay them; a
/// frame that it delivers is undamaged, because whatever receives from a cable checks the FCS (LK3).
///
/// Neither method waits: the link holds its state locked while it works, and time is the driver's clock, which a simulation
/// may stop. [`FrameTransport::readable`] is how a thread sleeps until there is something to do.
///
/// ```
/// use rnic_link::{FrameTransport, SimulatedWire};
///
/// let (mut host, mut device) = SimulatedWire::pair();
/// host.send(b"a frame")?;
/// let mut buffer = [0; 1600];
/// assert_eq!(device.receive(&mut buffer)?, Some(7));
/// assert_eq!(&buffer[..7], b"a frame");
/// assert_eq!(device.receive(&mut buffer)?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait FrameTransport {
    /// Sends a frame.
    ///
    /// # Errors
    /// `WouldBlock`, `Interrupted`, `OutOfMemory`, `NetworkDown`, `NetworkUnreachable`: the frame is lost, and the next may be sent. Any other
    /// error ends the session.
    fn send(&mut self, frame: &[u8]) -> io::Result<()>;

    /// Puts the next frame into `buffer` and answers its length, or `None` if no frame waits. A frame that is longer than the
    /// buffer is cut off.
    ///
    /// # Errors
    /// as [`FrameTransport::send`].
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// A file that is readable when a frame waits. Without one a thread that serves the link looks again after a moment.
    ///
    /// # Errors
    /// The file cannot be duplicated.
    fn readable(&self) -> io::Result<Option<OwnedFd>> {
        Ok(None)
    }
}

impl<T: FrameTransport + ?Sized> FrameTransport for Box<T> {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        (**self).send(frame)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        (**self).receive(buffer)
    }

    fn readable(&self) -> io::Result<Option<OwnedFd>> {
        (**self).readable()
    }
}

/// Whether an error of a transport means no more than a lost frame.
pub(crate) fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, NetworkDown, NetworkUnreachable, OutOfMemory, WouldBlock};
    /// No buffer space: the queue of the interface is full.
    const ENOBUFS: i32 = 105;
    matches!(error.kind(), WouldBlock | Interrupted | NetworkDown | NetworkUnreachable | OutOfMemory)
        || error.raw_os_error() == Some(ENOBUFS)
}
