//! Which pages of the application the device may touch: from the REG_MR that lists them until the CQE of the
//! invalidation of their region (I1, I2).
use rnic_abi::key;
use rnic_abi::limits::{PAGE_SHIFT_MAX, PAGE_SHIFT_MIN};
use std::collections::HashMap;
use std::ops::Range;

/// The pages that one REG_MR lists.
#[derive(Debug)]
struct Listed {
    key: u32,
    qp: u32,
    count: u64,
    shift: u32,
    pages: Vec<u64>,
    completed: bool,
}

/// Pages in reach of the device.
#[derive(Debug, Default)]
pub(super) struct Pages {
    regions: HashMap<u32, Vec<Listed>>,
    /// Uses of a page, by page address | log2 of its size.
    uses: HashMap<u64, u32>,
    /// Key of the last registration of each region that is known to have been executed.
    registered: HashMap<u32, u32>,
}

impl Pages {
    /// A REG_MR with this key has arrived from slot `count` of a queue pair.
    pub fn list(&mut self, key: u32, qp: u32, count: u64, shift: u32, pages: Vec<u64>) {
        for page in &pages {
            *self.uses.entry(page | u64::from(shift)).or_default() += 1;
        }
        let listed = Listed { key, qp, count, shift, pages, completed: false };
        self.regions.entry(key::index(key)).or_default().push(listed);
    }

    /// That REG_MR has ended. If it failed, its pages were never in reach. Counts begin again with each reset of the queue pair, so
    /// one that has completed is another one.
    pub fn registered(&mut self, index: u32, qp: u32, count: u64, success: bool) {
        if !success {
            return self.remove(index, |listed| !listed.completed && (listed.qp, listed.count) == (qp, count));
        }
        let mut lists = self.regions.get_mut(&index).into_iter().flatten();
        if let Some(listed) = lists.find(|listed| !listed.completed && (listed.qp, listed.count) == (qp, count)) {
            listed.completed = true;
            self.registered.insert(index, listed.key);
        }
    }

    /// A LOCAL_INV from slot `count` of a queue pair has succeeded: what was registered before it is out of reach.
    pub fn invalidated(&mut self, index: u32, qp: u32, count: u64) {
        self.remove(index, |listed| listed.completed || (listed.qp == qp && listed.count < count));
    }

    /// The peer has invalidated this key: its registration is out of reach, even one whose completion is still to come,
    /// because it is unsignalled or in another completion queue. One with another key came later. Where the last completed
    /// registration had the same key as one that is still to complete, only the first is known to be meant.
    pub fn invalidated_by_peer(&mut self, key: u32) {
        let index = key::index(key);
        if self.registered.get(&index) == Some(&key) {
            return self.remove(index, |listed| listed.completed && listed.key == key);
        }
        let mut coming = self.regions.get(&index).into_iter().flatten().filter(|listed| listed.key == key);
        let Some((qp, count)) = coming.next().map(|listed| (listed.qp, listed.count)) else { return };
        // Between queue pairs nothing is known of the order.
        if coming.all(|listed| listed.qp == qp) {
            self.remove(index, |listed| (listed.qp, listed.count) == (qp, count));
            self.registered.insert(index, key);
        }
    }

    /// The region was deregistered.
    pub fn freed(&mut self, index: u32) {
        self.remove(index, |_| true);
        self.registered.remove(&index);
    }

    /// Every byte lies in a page in reach. Bursts do not cross 4 KiB, so one page holds them.
    pub fn reach(&self, range: &Range<u64>) -> bool {
        (PAGE_SHIFT_MIN..=PAGE_SHIFT_MAX).any(|shift| {
            let page = range.start >> shift << shift;
            range.end <= page + (1 << shift) && self.uses.contains_key(&(page | u64::from(shift)))
        })
    }

    fn remove(&mut self, index: u32, which: impl Fn(&Listed) -> bool) {
        let Some(lists) = self.regions.get_mut(&index) else { return };
        for listed in lists.iter().filter(|listed| which(listed)) {
            for page in &listed.pages {
                let key = page | u64::from(listed.shift);
                match self.uses.get_mut(&key) {
                    Some(uses) if *uses > 1 => *uses -= 1,
                    _ => drop(self.uses.remove(&key)),
                }
            }
        }
        lists.retain(|listed| !which(listed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i2_a_registration_in_the_next_life_of_a_queue_pair_is_another_one() {
        let mut pages = Pages::default();
        let inside = 0x5000..0x5040;
        pages.list(7 << 8, 1, 3, 12, vec![0x5000]);
        pages.registered(7, 1, 3, true);
        // After a reset slot 3 comes again, and its registration fails.
        pages.list(7 << 8 | 1, 1, 3, 12, vec![]);
        pages.registered(7, 1, 3, false);
        assert!(pages.reach(&inside));
        pages.invalidated(7, 1, 2);
        assert!(!pages.reach(&inside), "invalidated from a slot with a smaller count");
    }

    #[test]
    fn i2_a_page_is_in_reach_from_its_registration_until_the_invalidation() {
        let mut pages = Pages::default();
        let inside = 0x5000..0x5040;
        assert!(!pages.reach(&inside));
        pages.list(7 << 8, 1, 0, 12, vec![0x9000, 0x5000]);
        pages.list(8 << 8, 2, 0, 12, vec![0x5000]);
        assert!(pages.reach(&inside) && pages.reach(&(0x9FC0..0xA000)) && !pages.reach(&(0x9FC0..0xA001)));
        pages.registered(7, 1, 0, true);
        pages.list(7 << 8, 1, 2, 16, vec![0x10_0000]);
        pages.invalidated(7, 1, 1);
        assert!(pages.reach(&inside), "another region lists it");
        assert!(!pages.reach(&(0x9000..0x9001)));
        assert!(pages.reach(&(0x10_F000..0x11_0000)), "registered after the invalidation");
        pages.freed(8);
        assert!(!pages.reach(&inside));
    }

    #[test]
    fn i4_pages_of_a_failed_registration_are_out_of_reach() {
        let mut pages = Pages::default();
        pages.list(7 << 8, 1, 0, 12, vec![0x5000]);
        pages.list(7 << 8, 1, 1, 12, vec![0x6000]);
        pages.registered(7, 1, 1, false);
        assert!(pages.reach(&(0x5000..0x5008)) && !pages.reach(&(0x6000..0x6008)));
    }

    #[test]
    fn an_invalidation_through_another_queue_pair_ends_what_had_completed() {
        let mut pages = Pages::default();
        pages.list(7 << 8, 1, 0, 12, vec![0x5000]);
        pages.registered(7, 1, 0, true);
        pages.list(7 << 8, 1, 1, 12, vec![0x6000]);
        pages.invalidated(7, 2, 9);
        assert!(!pages.reach(&(0x5000..0x5008)) && pages.reach(&(0x6000..0x6008)));
    }

    #[test]
    fn c11_an_invalidation_by_the_peer_ends_the_registration_with_its_key() {
        let mut pages = Pages::default();
        pages.list(0x711, 1, 0, 12, vec![0x5000]);
        pages.registered(7, 1, 0, true);
        pages.invalidated_by_peer(0x710);
        assert!(pages.reach(&(0x5000..0x5008)), "another key");
        pages.list(0x712, 1, 1, 12, vec![0x6000]);
        pages.registered(7, 1, 1, true);
        pages.invalidated_by_peer(0x711);
        assert!(pages.reach(&(0x6000..0x6008)), "registered later, with another key");
        pages.invalidated_by_peer(0x712);
        assert!(!pages.reach(&(0x6000..0x6008)));
    }

    #[test]
    fn c11_the_peer_may_be_faster_than_the_completion_of_the_registration() {
        let mut pages = Pages::default();
        pages.list(0x711, 1, 0, 12, vec![0x5000]);
        pages.list(0x712, 1, 2, 12, vec![0x6000]);
        pages.invalidated_by_peer(0x711);
        assert!(!pages.reach(&(0x5000..0x5008)) && pages.reach(&(0x6000..0x6008)));
        pages.registered(7, 1, 0, true);
        pages.registered(7, 1, 2, true);
        assert!(!pages.reach(&(0x5000..0x5008)) && pages.reach(&(0x6000..0x6008)));
    }

    #[test]
    fn c12_an_invalidation_of_a_free_region_does_not_end_the_next_registration_with_its_key() {
        let mut pages = Pages::default();
        pages.list(0x711, 1, 0, 12, vec![0x5000]);
        pages.registered(7, 1, 0, true);
        pages.invalidated(7, 1, 1);
        pages.list(0x711, 1, 2, 12, vec![0x6000]);
        pages.invalidated_by_peer(0x711);
        assert!(!pages.reach(&(0x5000..0x5008)) && pages.reach(&(0x6000..0x6008)));
    }
}
