//! Frames with their FCS, as they are on a cable.

use std::io;

use super::FrameTransport;

/// Bytes of the FCS.
const FCS_BYTES: usize = 4;
/// The generator polynomial of IEEE 802.3, reflected.
const POLYNOMIAL: u32 = 0xEDB8_8320;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut value, mut bit) = (byte as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

/// The FCS of a frame, in the order of the wire.
pub(crate) fn fcs(frame: &[u8]) -> [u8; 4] {
    let step = |value: u32, byte: &u8| TABLE[(value as u8 ^ byte) as usize] ^ value >> 8;
    (!frame.iter().fold(u32::MAX, step)).to_le_bytes()
}

/// A transport whose frames carry their FCS: it is appended to what is sent and checked and removed from what is received.
/// For simulated devices that are connected at the pins of their MAC, and below [`Lossy`](crate::Lossy) bit errors.
///
/// ```
/// use rnic_link::{FcsChecked, FrameTransport, SimulatedWire};
///
/// let (host, mut device) = SimulatedWire::pair();
/// FcsChecked::new(host).send(&[0; 60])?;
/// let mut buffer = [0; 1600];
/// assert_eq!(device.receive(&mut buffer)?, Some(64));
/// assert_eq!(buffer[60..64], [0x08, 0x89, 0x12, 0x04]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FcsChecked<T> {
    inner: T,
    bad: u64,
    frame: Vec<u8>,
}

impl<T> FcsChecked<T> {
    /// On top of a transport of frames with FCS.
    pub fn new(inner: T) -> FcsChecked<T> {
        FcsChecked { inner, bad: 0, frame: Vec::new() }
    }

    /// Frames that were dropped because of their FCS.
    pub fn bad_frames(&self) -> u64 {
        self.bad
    }
}

impl<T: FrameTransport> FrameTransport for FcsChecked<T> {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.frame.clear();
        self.frame.extend_from_slice(frame);
        self.frame.extend_from_slice(&fcs(frame));
        self.inner.send(&self.frame)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.frame.resize(buffer.len() + FCS_BYTES, 0);
        while let Some(length) = self.inner.receive(&mut self.frame)? {
            let end = length.saturating_sub(FCS_BYTES);
            if length > FCS_BYTES && self.frame[end..length] == fcs(&self.frame[..end]) {
                buffer[..end].copy_from_slice(&self.frame[..end]);
                return Ok(Some(end));
            }
            self.bad += 1;
        }
        Ok(None)
    }

    fn readable(&self) -> io::Result<Option<std::os::fd::OwnedFd>> {
        self.inner.readable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimulatedWire;

    #[test]
    fn lk3_no_error_of_three_bits_passes() {
        let frame = [0x5A; 60];
        let mut sent = frame.to_vec();
        sent.extend(fcs(&frame));
        let (mut cable, receiver) = SimulatedWire::pair();
        let mut receiver = FcsChecked::new(receiver);
        let mut buffer = [0; 64];
        let flips = [[0, 0, 0], [7, 7, 7], [100, 100, 100], [100, 101, 300], [0, 250, 511], [509, 510, 511]];
        for (number, bits) in flips.into_iter().enumerate() {
            let mut damaged = sent.clone();
            bits.into_iter().for_each(|bit| damaged[bit / 8] ^= 1 << (bit % 8));
            cable.send(&damaged).unwrap();
            assert_eq!(receiver.receive(&mut buffer).unwrap(), None, "{bits:?}");
            assert_eq!(receiver.bad_frames(), number as u64 + 1);
        }
        cable.send(&sent[..3]).unwrap();
        cable.send(&sent).unwrap();
        assert_eq!((receiver.receive(&mut buffer).unwrap(), receiver.bad_frames()), (Some(60), 7));
        assert_eq!(buffer[..60], frame);
    }
}
