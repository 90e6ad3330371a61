//! Joins write addresses with their data and checks the data's shape: WLAST, and one contiguous run of bytes.
use super::problem::{check, Problem};
use super::protocol::Burst;
use std::collections::VecDeque;

/// A whole write burst and the bytes that it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteShape {
    pub burst: Burst,
    /// First byte that is written.
    pub address: u64,
    /// Bytes that are written.
    pub bytes: u64,
}

/// The run of bytes of one burst, from its strobes.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    beats: u32,
    skipped: u64,
    bytes: u64,
    closed: bool,
}

/// Addresses and data that wait for each other.
#[derive(Debug)]
pub(super) struct WriteData {
    width: u64,
    addresses: VecDeque<Burst>,
    runs: VecDeque<Run>,
    open: Option<Run>,
}

impl WriteData {
    pub fn new(width: u64) -> Self {
        Self { width, addresses: VecDeque::new(), runs: VecDeque::new(), open: None }
    }

    pub fn address(&mut self, burst: Burst) {
        self.addresses.push_back(burst);
    }

    /// A beat of data. Bytes may be missing before the first and after the last one of a burst, nowhere else.
    pub fn beat(&mut self, strobes: u64, last: bool) -> Result<(), Problem> {
        let width = self.width;
        let mut run = self.open.take().unwrap_or_default();
        let first = if strobes == 0 { width } else { u64::from(strobes.trailing_zeros()) };
        let count = u64::from(strobes.count_ones());
        let contiguous = strobes == 0 || strobes >> first == u64::MAX >> (64 - count);
        let joins = count == 0 || run.bytes == 0 || (first == 0 && !run.closed);
        check!(contiguous && joins, "I7", "strobes {strobes:#x} in beat {} of a write leave a hole", run.beats);
        if run.bytes == 0 {
            run.skipped += first;
        }
        run.closed |= if count == 0 { run.bytes > 0 } else { first + count < width };
        run.bytes += count;
        run.beats += 1;
        match last {
            true => self.runs.push_back(run),
            false => self.open = Some(run),
        }
        Ok(())
    }

    /// The next burst of which address and data are there.
    pub fn next_shape(&mut self) -> Result<Option<WriteShape>, Problem> {
        if self.addresses.is_empty() || self.runs.is_empty() {
            return Ok(None);
        }
        let (Some(burst), Some(run)) = (self.addresses.pop_front(), self.runs.pop_front()) else { return Ok(None) };
        check!(run.beats == burst.beats, "I7", "WLAST in beat {} of a write of {burst}", run.beats);
        let address = (burst.address & !(self.width - 1)) + run.skipped;
        check!(run.bytes > 0, "I7", "a write without a byte: {burst}");
        check!(address == burst.address, "I7", "a write whose first byte is {address:013x}: {burst}");
        Ok(Some(WriteShape { burst, address, bytes: run.bytes }))
    }

    pub fn is_idle(&self) -> bool {
        self.addresses.is_empty() && self.runs.is_empty() && self.open.is_none()
    }
}
