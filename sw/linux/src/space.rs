//! Which addresses are in use: first fit over free ranges.

use std::collections::BTreeMap;
use std::ops::Range;

/// Free ranges, by beginning; they never touch each other.
#[derive(Debug)]
pub(crate) struct Space(BTreeMap<u64, u64>);

impl Space {
    pub(crate) fn new(range: Range<u64>) -> Space {
        Space(BTreeMap::from([(range.start, range.end)]))
    }

    /// Takes `bytes` addresses.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<u64> {
        let (start, end) =
            self.0.iter().map(|(start, end)| (*start, *end)).find(|(start, end)| end - start >= bytes)?;
        self.0.remove(&start);
        if end - start > bytes {
            self.0.insert(start + bytes, end);
        }
        Some(start)
    }

    /// Gives them back.
    pub(crate) fn give_back(&mut self, start: u64, bytes: u64) {
        let (mut start, mut end) = (start, start + bytes);
        if let Some((&before, _)) = self.0.range(..start).next_back().filter(|(_, before)| **before == start) {
            self.0.remove(&before);
            start = before;
        }
        if let Some(behind) = self.0.remove(&end) {
            end = behind;
        }
        self.0.insert(start, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_apart_and_join_again() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut space = Space::new(100..130);
            let taken = [space.take(10), space.take(5), space.take(15)].map(Option::unwrap);
            assert_eq!((taken, space.take(1)), ([100, 110, 115], None));
            for index in order {
                space.give_back(taken[index], [10, 5, 15][index]);
            }
            assert_eq!((space.take(31), space.take(30)), (None, Some(100)), "given back in order {order:?}");
        }
    }
}
