//! The memory that the device may reach, by bus address (HO3, HO7).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rnic_abi::limits::DMA_ADDR_WIDTH;
use rnic_driver::Direction;

use crate::pages::{Pages, PAGE};

/// HO3: at least this much of nothing between two regions.
const GAP: u64 = 1 << 20;
/// Bus addresses below 4 GiB: clear of BAR0 and of the interrupts, which lie above, and of address 0.
const LOW: Range<u64> = 1 << 24..0xC000_0000;
/// Bus addresses above.
const HIGH: Range<u64> = 1 << 32..1 << DMA_ADDR_WIDTH;
/// Longest region that is put below 4 GiB; longer ones would leave no room.
const LOW_BYTES: u64 = 16 << 20;

/// A piece of memory that the device may reach.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub pages: Arc<Pages>,
    /// Offset of its first byte in `pages`.
    pub first: usize,
    pub bytes: u64,
    pub direction: Direction,
}

impl Region {
    pub(crate) fn allows_read(&self) -> bool {
        self.direction != Direction::FromDevice
    }

    pub(crate) fn allows_write(&self) -> bool {
        self.direction != Direction::ToDevice
    }
}

#[derive(Debug)]
struct Table {
    random: ChaCha8Rng,
    /// Regions that were made, for the turns below and above 4 GiB.
    made: u64,
    by_address: BTreeMap<u64, Region>,
}

/// All regions. Shared by the memory's handles and by whoever serves the device; a TLP is applied under one lock, so a region
/// ends between two TLPs (HO7).
#[derive(Clone, Debug)]
pub(crate) struct Regions(Arc<Mutex<Table>>);

impl Regions {
    pub(crate) fn new(seed: u64) -> Regions {
        let random = ChaCha8Rng::seed_from_u64(seed);
        Regions(Arc::new(Mutex::new(Table { random, made: 0, by_address: BTreeMap::new() })))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the device reach whole pages, at a bus address that has nothing to do with where they are.
    pub(crate) fn register(&self, region: Region) -> Option<u64> {
        debug_assert!(region.first % PAGE == 0 && region.bytes % PAGE as u64 == 0 && region.bytes > 0);
        let mut table = self.table();
        let address = table.choose(region.bytes)?;
        table.made += 1;
        table.by_address.insert(address, region);
        Some(address)
    }

    /// Takes it away: every later access is an error of the device. False: there is none.
    pub(crate) fn remove(&self, address: u64) -> bool {
        self.table().by_address.remove(&address).is_some()
    }

    /// Hands over the region in which `bytes` bytes at `address` lie, and their offset in its pages. The region stays until the
    /// call is over.
    pub(crate) fn with<T>(&self, address: u64, bytes: u64, use_it: impl FnOnce(&Region, usize) -> T) -> Option<T> {
        let table = self.table();
        let (first, region) = table.by_address.range(..=address).next_back()?;
        let end = address.checked_add(bytes)?;
        let inside = end <= first + region.bytes;
        // Both are below the length of the pages.
        inside.then(|| use_it(region, region.first + (address - first) as usize))
    }
}

impl Table {
    fn choose(&mut self, bytes: u64) -> Option<u64> {
        // Every fourth below 4 GiB, the first too, so that both forms of a request are in daily use (TL2).
        let low = self.made % 4 == 0 && bytes <= LOW_BYTES;
        let range = if low { LOW } else { HIGH };
        let last = range.end.checked_sub(bytes).filter(|last| *last > range.start)?;
        let pages = range.start / PAGE as u64..last / PAGE as u64;
        // The space is nearly empty, so a free place is found at once, or there is none of use.
        for _ in 0..1000 {
            let address = self.random.random_range(pages.clone()) * PAGE as u64;
            if self.is_free(address, bytes) {
                return Some(address);
            }
        }
        None
    }

    fn is_free(&self, address: u64, bytes: u64) -> bool {
        let before = self.by_address.range(..=address).next_back();
        let behind = self.by_address.range(address..).next();
        before.is_none_or(|(first, region)| first + region.bytes + GAP <= address)
            && behind.is_none_or(|(first, _)| address + bytes + GAP <= *first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(pages: usize) -> Region {
        let bytes = pages * PAGE;
        let pages = Arc::new(Pages::zeroed(bytes).unwrap());
        Region { pages, first: 0, bytes: bytes as u64, direction: Direction::Bidirectional }
    }

    #[test]
    fn ho3_addresses_are_random_apart_and_on_both_sides_of_4_gib() {
        let regions = Regions::new(5);
        let mut addresses: Vec<u64> = (0..400).map(|_| regions.register(region(2)).unwrap()).collect();
        let again = Regions::new(5);
        let other = Regions::new(6);
        assert_eq!(again.register(region(2)), Some(addresses[0]));
        assert_ne!(other.register(region(2)), Some(addresses[0]));
        let low = addresses.iter().filter(|address| **address < 1 << 32).count();
        assert_eq!(low, 100);
        addresses.sort_unstable();
        assert!(addresses.windows(2).all(|pair| pair[0] + 0x2000 + GAP <= pair[1]));
        assert!(addresses.iter().all(|address| address % 4096 == 0 && *address < 1 << 52));
    }

    #[test]
    fn ho3_a_request_must_lie_in_one_region() {
        let regions = Regions::new(1);
        let address = regions.register(region(2)).unwrap();
        let reach = |address, bytes| regions.with(address, bytes, |_, offset| offset);
        assert_eq!((reach(address, 0x2000), reach(address + 0x1FFC, 4)), (Some(0), Some(0x1FFC)));
        assert_eq!((reach(address + 0x1FFC, 8), reach(address - 4, 8), reach(address - 4, 4)), (None, None, None));
        assert_eq!((reach(u64::MAX - 3, 4), reach(u64::MAX - 3, 8), reach(0, 4)), (None, None, None));
    }

    #[test]
    fn ho7_a_region_that_was_removed_is_gone() {
        let regions = Regions::new(1);
        let address = regions.register(region(1)).unwrap();
        assert!(regions.remove(address) && !regions.remove(address));
        assert!(regions.with(address, 4, |_, _| ()).is_none());
    }
}
