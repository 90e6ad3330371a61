//! A cable within this process.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::FrameTransport;

/// Frames under way in one direction.
type Lane = Arc<Mutex<VecDeque<Vec<u8>>>>;

/// One end of a cable within this process: for tests, and for a device that is simulated here. In order, without loss, with
/// room for a number of frames; what finds no room is refused.
///
/// ```
/// use rnic_link::{FrameTransport, SimulatedWire};
///
/// let (mut left, right) = SimulatedWire::pair();
/// drop(right);
/// assert_eq!(left.send(b"x").unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
/// ```
#[derive(Debug)]
pub struct SimulatedWire {
    to_peer: Lane,
    from_peer: Lane,
}

impl SimulatedWire {
    /// Frames under way, at most.
    pub const ROOM: usize = 256;

    /// A cable: its two ends.
    pub fn pair() -> (SimulatedWire, SimulatedWire) {
        let [one, other] = [Lane::default(), Lane::default()];
        (
            SimulatedWire { to_peer: one.clone(), from_peer: other.clone() },
            SimulatedWire { to_peer: other, from_peer: one },
        )
    }

    /// Frames that wait to be received here.
    pub fn waiting(&self) -> usize {
        self.from_peer.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl FrameTransport for SimulatedWire {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        if Arc::strong_count(&self.to_peer) == 1 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut lane = self.to_peer.lock().unwrap_or_else(PoisonError::into_inner);
        if lane.len() == Self::ROOM {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        lane.push_back(frame.to_vec());
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let frame = self.from_peer.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Ok(frame.map(|frame| {
            let length = frame.len().min(buffer.len());
            buffer[..length].copy_from_slice(&frame[..length]);
            length
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_wire_refuses_and_goes_on() {
        let (mut host, mut device) = SimulatedWire::pair();
        for number in 0..SimulatedWire::ROOM {
            host.send(&(number as u32).to_le_bytes()).unwrap();
        }
        assert_eq!(host.send(b"more").unwrap_err().kind(), io::ErrorKind::WouldBlock);
        let mut buffer = [9; 2];
        assert_eq!((device.receive(&mut buffer).unwrap(), buffer), (Some(2), [0, 0]), "cut off");
        host.send(b"more").unwrap();
        assert_eq!(device.waiting(), SimulatedWire::ROOM);
    }
}
