//! Bytes of host memory, without an address.
//!
//! The device and the driver run in one thread, so a `Cell` is what an atomic is on real hardware: no access is torn.
use std::cell::{Cell, OnceCell};

/// Bytes of a page.
pub const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 8;

type Page = Box<[Cell<u64>]>;

/// A piece of host memory, zeroed; a page takes no room before its first write.
#[derive(Debug)]
pub struct Region {
    pages: Box<[OnceCell<Page>]>,
}

impl Region {
    /// Memory of at least `bytes` bytes, in whole pages.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self { pages: (0..bytes.div_ceil(PAGE).max(1)).map(|_| OnceCell::new()).collect() }
    }

    /// Size in bytes, a multiple of [`PAGE`].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pages.len() as u64 * PAGE
    }

    fn word(&self, index: usize) -> &Cell<u64> {
        let page = self.pages[index / WORDS].get_or_init(|| (0..WORDS).map(|_| Cell::new(0)).collect());
        &page[index % WORDS]
    }

    /// The 8 bytes from `offset` (a multiple of 8) on, little-endian.
    #[inline]
    #[must_use]
    pub fn load(&self, offset: u64) -> u64 {
        let index = (offset / 8) as usize;
        self.pages[index / WORDS].get().map_or(0, |page| page[index % WORDS].get())
    }

    /// Stores those bytes of `value` whose bit in `strobes` is set.
    #[inline]
    pub fn store(&self, offset: u64, value: u64, strobes: u8) {
        if strobes != 0 {
            let word = self.word((offset / 8) as usize);
            let mask = BYTE_MASKS[usize::from(strobes)];
            word.set((word.get() & !mask) | (value & mask));
        }
    }

    /// Loads bytes from any offset.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) {
        for (at, byte) in (offset..).zip(bytes) {
            *byte = (self.load(at & !7) >> (at % 8 * 8)) as u8;
        }
    }

    /// Stores bytes at any offset.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        for (at, &byte) in (offset..).zip(bytes) {
            self.store(at & !7, u64::from(byte) << (at % 8 * 8), 1 << (at % 8));
        }
    }
}

/// 8 strobes as a mask of 64 bits.
static BYTE_MASKS: [u64; 256] = byte_masks();

const fn byte_masks() -> [u64; 256] {
    let mut masks = [0; 256];
    let mut strobes = 0;
    while strobes < 256 {
        let mut lane = 0;
        while lane < 8 {
            if strobes >> lane & 1 == 1 {
                masks[strobes] |= 0xFF << (8 * lane);
            }
            lane += 1;
        }
        strobes += 1;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strobes_choose_bytes() {
        let region = Region::new(1);
        assert_eq!((region.bytes(), region.load(0)), (PAGE, 0));
        region.store(8, 0x1122_3344_5566_7788, 0xFF);
        region.store(8, 0, 0b0100_0001);
        assert_eq!(region.load(8), 0x1100_3344_5566_7700);
        region.store(8, u64::MAX, 0);
        assert_eq!(region.load(8), 0x1100_3344_5566_7700);
    }

    #[test]
    fn bytes_at_any_offset_come_back_and_neighbours_stay() {
        let region = Region::new(2 * PAGE);
        let data: Vec<u8> = (1..=21).collect();
        region.write(PAGE - 11, &data);
        let mut back = [0xEE; 23];
        region.read(PAGE - 12, &mut back);
        assert_eq!((back[0], &back[1..22], back[22]), (0, &data[..], 0));
    }
}
