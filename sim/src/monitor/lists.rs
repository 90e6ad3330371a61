//! Page lists: lent from the REG_MR that points to them until its end, and no longer (I11).
use rnic_abi::limits::PAGE_LIST_ENTRY;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A list in reach of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lent {
    pub range: Range<u64>,
    /// Queue pair index of the REG_MR.
    pub qp: u32,
    /// Free-running count of its slot.
    pub count: u64,
}

/// All lists in reach. Several WRs may point to the same list.
#[derive(Debug, Default)]
pub(super) struct Lists {
    by_address: BTreeMap<(u64, u32, u64), u64>,
    by_owner: HashMap<(u32, u64), Range<u64>>,
}

impl Lists {
    pub fn lend(&mut self, lent: Lent) {
        self.by_address.insert((lent.range.start, lent.qp, lent.count), lent.range.end);
        self.by_owner.insert((lent.qp, lent.count), lent.range);
    }

    /// The list that holds these bytes.
    pub fn find(&self, range: &Range<u64>) -> Option<Lent> {
        let longest = u64::from(u16::MAX) * PAGE_LIST_ENTRY + 64;
        self.by_address
            .range((range.start.saturating_sub(longest), 0, 0)..=(range.start, u32::MAX, u64::MAX))
            .rev()
            .find(|(_, end)| range.end <= **end)
            .map(|(&(start, qp, count), end)| Lent { range: start..*end, qp, count })
    }

    /// The WR has ended: its list goes back.
    pub fn take_back(&mut self, qp: u32, count: u64) -> Option<Lent> {
        let range = self.by_owner.remove(&(qp, count))?;
        self.by_address.remove(&(range.start, qp, count));
        Some(Lent { range, qp, count })
    }

    /// The queue pair is reset or destroyed: everything goes back.
    pub fn forget(&mut self, index: u32) {
        self.by_address.retain(|(_, qp, _), _| *qp != index);
        self.by_owner.retain(|(qp, _), _| *qp != index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i11_a_list_is_found_while_one_wr_holds_it() {
        let mut lists = Lists::default();
        lists.lend(Lent { range: 0x1000..0x1200, qp: 1, count: 5 });
        lists.lend(Lent { range: 0x1000..0x1040, qp: 2, count: 9 });
        assert_eq!(lists.find(&(0x1180..0x1200)).unwrap().qp, 1);
        assert_eq!(lists.find(&(0x11C0..0x1240)), None);
        assert!(lists.take_back(1, 5).is_some() && lists.take_back(1, 5).is_none());
        assert_eq!(lists.find(&(0x1180..0x1200)), None);
        assert_eq!(lists.find(&(0x1000..0x1040)).unwrap().count, 9);
        lists.forget(2);
        assert_eq!(lists.find(&(0x1000..0x1040)), None);
    }
}
