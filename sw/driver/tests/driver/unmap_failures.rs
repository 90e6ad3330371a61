//! A platform that does not take memory back at once: nothing forgets that the device may still reach it (F14, F17).

use rnic_driver::{
    Access, Direction, DmaError, DmaSgEntry, Errno, Error, Kept, SendRequest, SlotOptions, SlotPool, Unmap,
};
use rnic_mock::{MockPlatform, Rig};

const MEMORY: [DmaSgEntry; 1] = [DmaSgEntry { address: 0x10000, length: 0x1000 }];

struct Bed {
    rig: Rig,
    pool: SlotPool<MockPlatform>,
}

impl Bed {
    fn new() -> Bed {
        let rig = Rig::wide();
        let options = SlotOptions { remote: 1, max_pages: 1, ..SlotOptions::default() };
        let pool = SlotPool::new(&rig.qp, &rig.pd, options).unwrap();
        Bed { rig, pool }
    }

    fn make(&self, memory: &[DmaSgEntry]) -> Result<rnic_driver::RemoteMap<MockPlatform>, Error> {
        self.pool.rkey_slot().unwrap().make_remote(memory, Access::REMOTE_READ).map_err(|kept| kept.error)
    }

    /// The next unmapping fails.
    fn refuse(&self) {
        self.rig.mock.with(|state| state.unmaps_refused = 1);
    }

    fn mapped(&self) -> usize {
        self.rig.mock.with(|state| state.mapped.len())
    }
}

#[test]
fn f14_an_unmapping_that_the_platform_refuses_can_be_repeated() {
    let bed = Bed::new();
    let map = bed.make(&MEMORY).unwrap();
    bed.refuse();
    let kept = map.unmap(1).unwrap_err();
    assert_eq!((kept.error, kept.errno()), (Error::Dma(DmaError::NotMappable), Errno::Eio));
    assert_eq!((bed.mapped(), kept.object.length()), (1, 0x1000), "it still has its memory");
    assert!(matches!(kept.object.unmap(1).unwrap(), Unmap::Done(_)));
    assert_eq!(bed.mapped(), 0);
}

#[test]
fn f14_a_pending_end_that_the_platform_refuses_can_be_repeated() {
    let bed = Bed::new();
    let mut map = bed.make(&MEMORY).unwrap();
    map.post([SendRequest::send(1, [])]).unwrap();
    let Unmap::Pending(end) = map.unmap(2).unwrap() else { panic!("registered") };
    bed.rig.all();
    bed.refuse();
    let kept = end.finish().unwrap_err();
    assert_eq!((kept.errno(), bed.mapped(), bed.pool.taken()), (Errno::Eio, 1, (0, 1)));
    drop(kept.object.finish().unwrap());
    assert_eq!((bed.mapped(), bed.pool.taken()), (0, (0, 0)));
}

#[test]
fn f17_memory_of_a_mapping_that_cannot_be_made_is_left_to_reclaim() {
    let bed = Bed::new();
    bed.refuse();
    // Two pages do not fit, and then the memory does not come back.
    let pieces = [MEMORY[0], DmaSgEntry { address: 0x30000, length: 0x1000 }];
    assert_eq!(bed.make(&pieces).unwrap_err().errno(), Errno::Einval, "what went wrong first");
    assert_eq!(bed.mapped(), 1);
    assert_eq!((bed.rig.device.reclaim(), bed.mapped()), (Ok(0), 0));
}

#[test]
fn bug_54_memory_of_a_dropped_mapping_is_left_to_reclaim() {
    let bed = Bed::new();
    let map = bed.make(&MEMORY).unwrap();
    bed.refuse();
    drop(map);
    assert_eq!((bed.mapped(), bed.pool.taken()), (1, (0, 0)));
    bed.refuse();
    assert_eq!(bed.rig.device.reclaim(), Err(Error::Dma(DmaError::NotMappable)));
    assert_eq!((bed.rig.device.reclaim(), bed.mapped()), (Ok(0), 0));
}

#[test]
fn f8_a_list_comes_back_from_an_unmapping_that_fails() {
    let bed = Bed::new();
    let list = bed.rig.device.dma_map(&MEMORY[..], Direction::ToDevice).unwrap();
    bed.refuse();
    let Kept { error, object: list } = bed.rig.device.dma_unmap(list).unwrap_err();
    assert_eq!((error.errno(), list.bytes()), (Errno::Eio, 0x1000));
    bed.rig.device.dma_unmap(list).unwrap();
}
