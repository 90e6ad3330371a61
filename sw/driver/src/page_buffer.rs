//! Which ranges of the device's page buffer belong to which memory region: first fit over free ranges. The driver alone decides;
//! hardware checks alignment and size, not overlap.

/// Base and size of every range are multiples of this many entries.
const UNIT: u32 = rnic_abi::limits::PAGE_RANGE_UNIT;

/// Free ranges of the page buffer, sorted by base, never touching each other.
#[derive(Debug)]
pub(crate) struct PageBuffer {
    free: Vec<Range>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    base: u32,
    size: u32,
}

/// Entries that a region of `pages` pages takes.
pub(crate) fn rounded(pages: u32) -> u32 {
    pages.div_ceil(UNIT) * UNIT
}

impl PageBuffer {
    /// A page buffer of `entries` entries, all free.
    pub(crate) fn new(entries: u32) -> PageBuffer {
        PageBuffer { free: vec![Range { base: 0, size: entries / UNIT * UNIT }] }
    }

    /// Takes the first free range with room for `pages` pages and gives its base.
    pub(crate) fn take(&mut self, pages: u32) -> Option<u32> {
        let size = rounded(pages);
        let position = self.free.iter().position(|range| range.size >= size)?;
        let range = &mut self.free[position];
        let base = range.base;
        range.base += size;
        range.size -= size;
        if range.size == 0 {
            self.free.remove(position);
        }
        Some(base)
    }

    /// Gives back the range at `base` that [`take`](Self::take) handed out for `pages` pages.
    pub(crate) fn give_back(&mut self, base: u32, pages: u32) {
        let size = rounded(pages);
        let position = self.free.partition_point(|range| range.base < base);
        self.free.insert(position, Range { base, size });
        self.join(position);
        if position > 0 {
            self.join(position - 1);
        }
    }

    /// Joins the free range at `position` with the one behind it, if they touch.
    fn join(&mut self, position: usize) {
        if let (Some(&left), Some(&right)) = (self.free.get(position), self.free.get(position + 1)) {
            if left.base + left.size == right.base {
                self.free[position].size += right.size;
                self.free.remove(position + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_first_fit_in_units_of_eight() {
        let mut buffer = PageBuffer::new(32);
        assert_eq!(buffer.take(1), Some(0));
        assert_eq!(buffer.take(9), Some(8));
        assert_eq!(buffer.take(8), Some(24));
        assert_eq!(buffer.take(1), None);
        buffer.give_back(8, 9);
        assert_eq!(buffer.take(8), Some(8));
        assert_eq!(buffer.take(8), Some(16));
        assert_eq!(buffer.take(8), None);
    }

    #[test]
    fn neighbours_join_in_any_order_of_return() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut buffer = PageBuffer::new(24);
            let bases = [buffer.take(8).unwrap(), buffer.take(8).unwrap(), buffer.take(8).unwrap()];
            for index in order {
                buffer.give_back(bases[index], 8);
            }
            assert_eq!(buffer.take(24), Some(0), "returned in order {order:?}");
        }
    }

    #[test]
    fn random_use_never_overlaps_and_loses_nothing() {
        let mut buffer = PageBuffer::new(512);
        let mut held: Vec<(u32, u32)> = Vec::new();
        let mut random = 12345u32;
        for _ in 0..20_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 31 == 0 {
                let pages = (random >> 16) % 32 + 1;
                if let Some(base) = buffer.take(pages) {
                    assert!(base % 8 == 0 && base + rounded(pages) <= 512);
                    for &(other, other_pages) in &held {
                        assert!(base + rounded(pages) <= other || other + rounded(other_pages) <= base);
                    }
                    held.push((base, pages));
                }
            } else if !held.is_empty() {
                let (base, pages) = held.swap_remove((random >> 8) as usize % held.len());
                buffer.give_back(base, pages);
            }
        }
        for (base, pages) in held.drain(..) {
            buffer.give_back(base, pages);
        }
        assert_eq!(buffer.take(512), Some(0));
    }
}
