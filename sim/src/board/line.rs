//! Frames on a gigabit line: preamble, FCS and gap (MC1, MC3).
use super::model::LineByte;
use crate::wire::frame::icrc;
use std::collections::VecDeque;

/// Bytes of the preamble before the start delimiter.
const PREAMBLE: usize = 7;
const START_DELIMITER: u8 = 0xD5;
/// Byte times between two frames.
const GAP: usize = 12;
/// Bytes of the FCS.
const FCS: usize = 4;
/// Shortest frame with FCS.
const SHORTEST: usize = 64;

/// FCS of a frame, as the four bytes on the line.
fn fcs(frame: &[u8]) -> [u8; FCS] {
    (!icrc::update(u32::MAX, frame)).to_le_bytes()
}

/// The sending end of a line.
#[derive(Debug, Default)]
pub(super) struct LineSender {
    waiting: VecDeque<LineByte>,
}

impl LineSender {
    /// A frame without FCS, of at least 60 bytes. `damaged` is a bit of it that is turned over on the line.
    pub fn push(&mut self, frame: &[u8], damaged: Option<usize>) {
        let mut bytes = frame.to_vec();
        bytes.extend(fcs(frame));
        if let Some(bit) = damaged {
            let bit = bit % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let preamble = [0x55; PREAMBLE].into_iter().chain([START_DELIMITER]);
        let line = preamble.chain(bytes).map(|data| LineByte { data, enable: 1, error: 0 });
        self.waiting.extend(line.chain([LineByte::default(); GAP]));
    }

    /// What the line carries now.
    pub fn next(&mut self) -> LineByte {
        self.waiting.pop_front().unwrap_or_default()
    }

    /// Nothing waits.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// The receiving end of a line.
#[derive(Debug, Default)]
pub(super) struct LineReceiver {
    bytes: Vec<u8>,
    spoilt: bool,
    /// Frames that no receiver may take.
    pub bad: u64,
}

impl LineReceiver {
    /// Takes a byte time; answers a good frame, without FCS, when it ends.
    pub fn take(&mut self, byte: LineByte, damaged: impl FnOnce(usize) -> Option<usize>) -> Option<Vec<u8>> {
        if byte.enable == 1 {
            self.bytes.push(byte.data);
            self.spoilt |= byte.error == 1;
            return None;
        }
        if self.bytes.is_empty() {
            return None;
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        let spoilt = std::mem::take(&mut self.spoilt);
        if let Some(bit) = damaged(8 * bytes.len()) {
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let frame = Self::good(&bytes).filter(|_| !spoilt);
        self.bad += u64::from(frame.is_none());
        frame
    }

    fn good(line: &[u8]) -> Option<Vec<u8>> {
        let (preamble, frame) = line.split_at_checked(PREAMBLE + 1)?;
        let starts = preamble[..PREAMBLE].iter().all(|byte| *byte == 0x55) && preamble[PREAMBLE] == START_DELIMITER;
        let body = frame.get(..frame.len().checked_sub(FCS)?)?;
        (starts && frame.len() >= SHORTEST && fcs(body) == frame[body.len()..]).then(|| body.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(frame: &[u8], sent: Option<usize>, received: Option<usize>) -> Option<Vec<u8>> {
        let (mut sender, mut receiver) = (LineSender::default(), LineReceiver::default());
        sender.push(frame, sent);
        let mut found = None;
        while !sender.is_idle() {
            found = found.or(receiver.take(sender.next(), |_| received));
        }
        assert_eq!(receiver.bad, u64::from(found.is_none()));
        found
    }

    #[test]
    fn a_frame_arrives_and_a_damaged_one_does_not() {
        let frame: Vec<u8> = (0..60).collect();
        assert_eq!(carried(&frame, None, None), Some(frame.clone()));
        for bit in [0, 7, 300, 511] {
            assert_eq!(carried(&frame, Some(bit), None), None);
            assert_eq!(carried(&frame, None, Some(bit)), None);
        }
        assert_eq!(carried(&frame[1..], None, None), None, "a runt");
    }

    #[test]
    fn mc3_the_residue_is_that_of_the_standard() {
        // zlib.crc32 over frame and FCS is 2144DF1C.
        let frame = [7u8; 100];
        let all = [&frame[..], &fcs(&frame)].concat();
        assert_eq!(!icrc::update(u32::MAX, &all), 0x2144_DF1C);
    }
}
