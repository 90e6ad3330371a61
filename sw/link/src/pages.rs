//! Memory that the device reaches through this process: atomic words, and nothing but atomic words.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a page of the device's bus.
pub(crate) const PAGE: usize = 4096;

/// Zeroed memory in whole pages. All accesses are atomic, so the application may look while the device writes. Words are
/// little-endian: byte k of a word is its bits 8k+7:8k, whatever the machine.
///
/// A store of less than a word changes its bytes of the word and leaves the others, also those that someone else is writing.
/// Stores have release order and loads acquire order: whoever sees a byte of a TLP sees all bytes before it (HO6).
#[derive(Debug)]
pub(crate) struct Pages(Box<[AtomicU64]>);

impl Pages {
    /// `bytes` rounded up to whole pages. `None`: there is no memory.
    pub(crate) fn zeroed(bytes: usize) -> Option<Pages> {
        let words = bytes.max(1).checked_next_multiple_of(PAGE)? / 8;
        let mut memory = Vec::new();
        memory.try_reserve_exact(words).ok()?;
        memory.resize_with(words, AtomicU64::default);
        Some(Pages(memory.into_boxed_slice()))
    }

    /// Loads bytes, ascending.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) {
        let mut at = offset;
        let mut left = bytes;
        while !left.is_empty() {
            let (skip, count) = piece(at, left.len());
            let word = self.0[at / 8].load(Ordering::Acquire).to_le_bytes();
            let (now, later) = left.split_at_mut(count);
            now.copy_from_slice(&word[skip..skip + count]);
            (at, left) = (at + count, later);
        }
    }

    /// Stores bytes, ascending.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        let mut at = offset;
        let mut left = bytes;
        while !left.is_empty() {
            let (skip, count) = piece(at, left.len());
            let (now, later) = left.split_at(count);
            self.store(at / 8, skip, now);
            (at, left) = (at + count, later);
        }
    }

    fn store(&self, word: usize, skip: usize, bytes: &[u8]) {
        let mut value = [0; 8];
        value[skip..skip + bytes.len()].copy_from_slice(bytes);
        let value = u64::from_le_bytes(value);
        if bytes.len() == 8 {
            self.0[word].store(value, Ordering::Release);
            return;
        }
        let mask = ((1_u64 << (8 * bytes.len())) - 1) << (8 * skip);
        let merge = |old: u64| Some(old & !mask | value);
        // Never refused: the closure always has a value.
        let _ = self.0[word].fetch_update(Ordering::Release, Ordering::Relaxed, merge);
    }
}

/// The part of an access that lies in one word: bytes of the word before it, and its bytes.
fn piece(offset: usize, bytes: usize) -> (usize, usize) {
    let skip = offset % 8;
    (skip, bytes.min(8 - skip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ho6_an_access_touches_its_bytes_and_no_other(
            first in 0..40_usize,
            bytes in proptest::collection::vec(1..=255_u8, 0..40),
        ) {
            let pages = Pages::zeroed(1).unwrap();
            pages.write(first, &bytes);
            let mut seen = [0; 100];
            pages.read(0, &mut seen);
            prop_assert_eq!(&seen[first..first + bytes.len()], &bytes[..]);
            prop_assert_eq!(seen.iter().filter(|byte| **byte != 0).count(), bytes.len());
            let mut part = vec![0; bytes.len()];
            pages.read(first, &mut part);
            prop_assert_eq!(part, bytes);
        }
    }

    #[test]
    fn ho6_two_writers_of_one_word_do_not_disturb_each_other() {
        let pages = Pages::zeroed(8).unwrap();
        std::thread::scope(|scope| {
            for lane in 0..8 {
                let pages = &pages;
                scope.spawn(move || (0..=200).for_each(|value| pages.write(lane, &[value])));
            }
        });
        let mut seen = [0; 8];
        pages.read(0, &mut seen);
        assert_eq!((seen, 8 * pages.0.len()), ([200; 8], PAGE));
    }
}
