//! Host memory behind a map of bus addresses, as behind an IOMMU.
//!
//! Bus addresses look random, never touch each other and are never used twice: an access a byte too far, or after the
//! memory was taken away, does not hit anything by luck.
use super::region::{Region, PAGE};
use crate::random::Random;
use rnic_abi::limits::DMA_LIMIT;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// What the device may do with mapped memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The device may read.
    pub read: bool,
    /// The device may write.
    pub write: bool,
}

impl Permission {
    /// Both.
    pub const ALL: Self = Self { read: true, write: true };
    /// Only reads.
    pub const READ: Self = Self { read: true, write: false };
    /// Only writes.
    pub const WRITE: Self = Self { read: false, write: true };
}

/// A contiguous piece of bus addresses that leads to memory.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Bus addresses, whole pages.
    pub range: Range<u64>,
    /// The memory.
    pub region: Rc<Region>,
    /// Offset in the memory of the first bus address.
    pub offset: u64,
    /// What the device may do.
    pub permission: Permission,
}

impl Mapping {
    /// Offset in the memory of a bus address of this piece.
    #[inline]
    #[must_use]
    pub fn offset_of(&self, address: u64) -> u64 {
        address - self.range.start + self.offset
    }
}

#[derive(Debug)]
struct Map {
    pieces: BTreeMap<u64, Mapping>,
    generation: u64,
    random: Random,
}

/// The memory of one host. Clones are handles to the same memory.
#[derive(Clone, Debug)]
pub struct HostMemory(Rc<RefCell<Map>>);

impl HostMemory {
    /// An empty memory; the seed decides the bus addresses.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Rc::new(RefCell::new(Map { pieces: BTreeMap::new(), generation: 0, random: Random::new(seed, 1) })))
    }

    /// Maps a part of `region` at free bus addresses that are a multiple of `align` (a power of two, at least a page).
    /// Answers the first address; `None` when the bus has no room.
    pub fn map(&self, region: &Rc<Region>, part: Range<u64>, align: u64, permission: Permission) -> Option<u64> {
        let bytes = part.end.checked_sub(part.start).filter(|bytes| (1..DMA_LIMIT / 4).contains(bytes))?;
        let slots = DMA_LIMIT / align.max(PAGE);
        for _ in 0..1000 {
            let base = self.0.borrow_mut().random.below(slots) * align.max(PAGE);
            // A free page on either side, so that no access runs from one piece into another.
            let wanted = base.saturating_sub(PAGE)..base + bytes.next_multiple_of(PAGE) + PAGE;
            if base >= PAGE && wanted.end < DMA_LIMIT && self.is_free(&wanted) {
                self.map_at(base, region, part, permission).ok()?;
                return Some(base);
            }
        }
        None
    }

    /// Maps a part of `region` from bus address `base` on.
    ///
    /// # Errors
    /// The addresses are in use, not aligned to pages, or beyond the bus: the text says which.
    pub fn map_at(
        &self,
        base: u64,
        region: &Rc<Region>,
        part: Range<u64>,
        permission: Permission,
    ) -> Result<(), String> {
        if base % PAGE != 0 || part.start % PAGE != 0 || part.is_empty() || part.end > region.bytes() {
            return Err(format!("memory at {base:#x} is not made of whole pages"));
        }
        let bytes = (part.end - part.start).next_multiple_of(PAGE);
        let range = base..base.checked_add(bytes).filter(|end| *end <= DMA_LIMIT).ok_or("beyond the bus")?;
        if !self.is_free(&range) {
            return Err(format!("bus addresses {:#x} to {:#x} are in use", range.start, range.end));
        }
        let mut map = self.0.borrow_mut();
        map.generation += 1;
        map.pieces.insert(base, Mapping { range, region: region.clone(), offset: part.start, permission });
        Ok(())
    }

    /// Takes away the piece that begins at `base`; false when there is none.
    pub fn unmap(&self, base: u64) -> bool {
        let mut map = self.0.borrow_mut();
        map.generation += 1;
        map.pieces.remove(&base).is_some()
    }

    fn is_free(&self, range: &Range<u64>) -> bool {
        let map = self.0.borrow();
        let before = map.pieces.range(..range.end).next_back();
        before.is_none_or(|(_, piece)| piece.range.end <= range.start)
    }

    /// The piece that holds `address`.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<Mapping> {
        let map = self.0.borrow();
        let (_, piece) = map.pieces.range(..=address).next_back()?;
        piece.range.contains(&address).then(|| piece.clone())
    }

    /// Changes with every map and unmap; what was found before may be kept as long as it does not.
    #[inline]
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.0.borrow().generation
    }

    /// Reads at bus addresses as the host's processor would, whatever the device may do there.
    /// False (and no byte changed) when a byte is not mapped.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let mut copy = vec![0; bytes.len()];
        let found = self.pieces(address, bytes.len(), |mapping, at, part| {
            mapping.region.read(mapping.offset_of(at), &mut copy[part]);
        });
        if found {
            bytes.copy_from_slice(&copy);
        }
        found
    }

    /// Writes at bus addresses. False when a byte is not mapped; those before it are written then.
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        self.pieces(address, bytes.len(), |mapping, at, part| {
            mapping.region.write(mapping.offset_of(at), &bytes[part]);
        })
    }

    fn pieces(&self, address: u64, length: usize, mut visit: impl FnMut(&Mapping, u64, Range<usize>)) -> bool {
        let mut done = 0;
        while done < length {
            let at = address.wrapping_add(done as u64);
            let Some(mapping) = self.find(at) else { return false };
            let room = (mapping.range.end - at).min((length - done) as u64) as usize;
            visit(&mapping, at, done..done + room);
            done += room;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_apart_and_follow_the_seed() {
        let addresses = |seed| {
            let memory = HostMemory::new(seed);
            (0..200)
                .map(|_| memory.map(&Rc::new(Region::new(3 * PAGE)), 0..3 * PAGE, 1 << 21, Permission::ALL).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(addresses(5), addresses(5));
        assert_ne!(addresses(5), addresses(6));
        let mut sorted = addresses(5);
        sorted.sort_unstable();
        assert!(sorted.iter().all(|a| a % (1 << 21) == 0 && *a < DMA_LIMIT));
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 4 * PAGE));
    }

    #[test]
    fn what_is_taken_away_is_not_found_and_its_neighbour_is() {
        let memory = HostMemory::new(1);
        let region = Rc::new(Region::new(4 * PAGE));
        memory.map_at(0x10_0000, &region, 0..2 * PAGE, Permission::ALL).unwrap();
        memory.map_at(0x10_2000, &region, 2 * PAGE..4 * PAGE, Permission::READ).unwrap();
        assert!(memory.map_at(0x10_1000, &region, 0..PAGE, Permission::ALL).is_err());
        assert!(memory.map_at(DMA_LIMIT, &region, 0..PAGE, Permission::ALL).is_err());
        assert!(memory.write(0x10_1FFE, &[1, 2, 3, 4]));
        let mut bytes = [0; 4];
        region.read(2 * PAGE - 2, &mut bytes);
        assert_eq!(bytes, [1, 2, 3, 4]);
        let before = memory.generation();
        assert!(memory.unmap(0x10_2000) && !memory.unmap(0x10_2000));
        assert_ne!(memory.generation(), before);
        assert!(!memory.read(0x10_1FFE, &mut bytes));
        assert!(memory.read(0x10_1FFC, &mut bytes) && bytes == [0, 0, 1, 2]);
        assert!(memory.find(0x10_0000).is_some() && memory.find(0xF_FFFF).is_none());
    }

    #[test]
    fn a_region_may_be_reached_at_two_addresses() {
        let memory = HostMemory::new(1);
        let region = Rc::new(Region::new(PAGE));
        let [first, second] = [(), ()].map(|()| memory.map(&region, 0..PAGE, PAGE, Permission::ALL).unwrap());
        assert_ne!(first, second);
        assert!(memory.write(first + 5, &[9]));
        let mut byte = [0];
        assert!(memory.read(second + 5, &mut byte) && byte == [9]);
    }
}
