//! A ring in host memory.
use std::ops::Range;

/// Where a ring is. Counts of its entries run free; the entry of a count is the count modulo the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ring {
    pub base: u64,
    pub log2: u32,
    /// Bytes of an entry.
    pub entry: u64,
}

impl Ring {
    pub fn size(&self) -> u64 {
        1 << self.log2
    }

    pub fn range(&self) -> Range<u64> {
        self.base..self.base.saturating_add(self.size() * self.entry)
    }

    pub fn contains(&self, range: &Range<u64>) -> bool {
        self.range().start <= range.start && range.end <= self.range().end
    }

    /// Bus address of the entry of a count. The driver may have written any base.
    pub fn address(&self, count: u64) -> u64 {
        self.base.wrapping_add((count & (self.size() - 1)) * self.entry)
    }

    pub fn index(&self, count: u64) -> u32 {
        (count & (self.size() - 1)) as u32
    }

    /// The phase bit of the entry of a count: 1 in the first round.
    pub fn phase(&self, count: u64) -> bool {
        count >> self.log2 & 1 == 0
    }
}
