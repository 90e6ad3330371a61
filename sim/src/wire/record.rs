//! The log of frames: what was sent, and what became of it.
use super::frame;
use super::line::EndId;
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

/// What became of a frame on its way to one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives unchanged.
    Delivered,
    /// It does not arrive.
    Lost,
    /// A second copy arrives.
    Duplicated,
    /// It arrives late.
    Late,
    /// It arrives with flipped bits.
    Corrupted,
    /// It arrives marked bad.
    Marked,
    /// Dropped because too many frames were waiting.
    Overrun,
}

/// A frame on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameRecord {
    /// Cycle in which its last beat was taken.
    pub cycle: u64,
    /// Who sent it; none for one that was injected.
    pub from: Option<EndId>,
    /// The bytes as they were sent.
    pub bytes: Rc<[u8]>,
    /// What became of it, for each end that should receive it.
    pub fates: Vec<(EndId, Fate)>,
}

impl fmt::Display for FrameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8}  {} B ", self.cycle, self.bytes.len())?;
        match self.from {
            Some(EndId(end)) => write!(f, "from end {end}: ")?,
            None => write!(f, "injected: ")?,
        }
        f.write_str(&frame::describe(&self.bytes))?;
        for (EndId(end), fate) in self.fates.iter().filter(|(_, fate)| *fate != Fate::Delivered) {
            write!(f, "; {fate:?} to end {end}")?;
        }
        Ok(())
    }
}

/// The last frames.
#[derive(Debug)]
pub(super) struct FrameLog {
    last: VecDeque<FrameRecord>,
    depth: usize,
}

impl FrameLog {
    pub fn new(depth: usize) -> Self {
        Self { last: VecDeque::new(), depth: depth.max(1) }
    }

    pub fn push(&mut self, record: FrameRecord) {
        if self.last.len() == self.depth {
            self.last.pop_front();
        }
        self.last.push_back(record);
    }

    pub fn last(&self) -> impl DoubleEndedIterator<Item = &FrameRecord> + ExactSizeIterator {
        self.last.iter()
    }
}
