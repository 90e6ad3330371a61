//! Mappings that were dropped while their requests had places of the ring: the bound of F20 still holds.

use rnic_driver::{
    Access, Again, Direction, DmaSgEntry, Errno, Error, QpOptions, RemoteMap, SendRequest, SlotOptions, SlotPool, Unmap,
};
use rnic_mock::{Mock, MockPlatform, Refusal, Rig};

const MEMORY: [DmaSgEntry; 1] = [DmaSgEntry { address: 0x10000, length: 0x1000 }];

fn rig(send_slots: u32) -> Rig {
    let qp = QpOptions { send_slots, receive_slots: 8, privileged: true, ..QpOptions::default() };
    Rig::around(Mock::new(), 64, qp)
}

fn pool(rig: &Rig, remote: usize) -> SlotPool<MockPlatform> {
    SlotPool::new(&rig.qp, &rig.pd, SlotOptions { local: 0, remote, ..SlotOptions::default() }).unwrap()
}

fn remote(pool: &SlotPool<MockPlatform>) -> RemoteMap<MockPlatform> {
    pool.rkey_slot().unwrap().make_remote(&MEMORY[..], Access::REMOTE_READ).unwrap()
}

/// Posts a mapping that nothing is executed of, and drops it.
fn leave(rig: &Rig, pool: &SlotPool<MockPlatform>) {
    rig.mock.with(|state| state.held = true);
    let mut map = remote(pool);
    map.post([SendRequest::send(1, [])]).unwrap();
    drop(map);
}

#[test]
fn f11_f20_the_slot_of_a_dropped_mapping_comes_back_with_its_places_in_the_ring() {
    let rig = rig(8);
    let pool = pool(&rig, 2);
    leave(&rig, &pool);
    let other = pool.rkey_slot().unwrap();
    assert_eq!(pool.rkey_slot().unwrap_err(), Error::Again(Again::Slot), "its registration is still in the ring");
    rig.mock.with(|state| state.held = false);
    rig.all();
    let again = pool.rkey_slot().unwrap();
    drop((other, again));
    assert_eq!(pool.taken(), (0, 0));
}

#[test]
fn f14_f20_a_mapping_can_always_be_ended_after_others_were_dropped() {
    let rig = rig(8);
    let pool = pool(&rig, 2);
    for round in 0..50 {
        leave(&rig, &pool);
        // All slots that are left, and a full ring besides.
        let slots = std::iter::from_fn(|| pool.rkey_slot().ok());
        let make = |slot: rnic_driver::RkeySlot<_>| slot.make_remote(&MEMORY[..], Access::REMOTE_READ).unwrap();
        let mut maps: Vec<_> = slots.map(make).collect();
        for map in &mut maps {
            // It may be too many for the ordinary places.
            let _ = map.post([SendRequest::send(2, [])]);
        }
        while rig.qp.send_credits() > 0 {
            rig.qp.post_send(SendRequest::send(3, [])).unwrap();
        }
        let end = |map: RemoteMap<_>| map.unmap(4).unwrap_or_else(|kept| panic!("round {round}: {}", kept.error));
        let ends: Vec<_> = maps.into_iter().map(end).collect();
        rig.mock.with(|state| state.held = false);
        assert!(rig.all().iter().all(|completion| completion.is_success()));
        for end in ends {
            if let Unmap::Pending(end) = end {
                drop(end.finish().unwrap());
            }
        }
        assert_eq!(rig.device.reclaim(), Ok(0));
    }
    assert_eq!(rig.qp.send_credits(), 4);
}

#[test]
fn f20_what_a_pool_leaves_in_the_ring_takes_nothing_of_what_the_next_one_is_promised() {
    let rig = rig(8);
    let first = pool(&rig, 1);
    leave(&rig, &first);
    drop(first);
    assert_eq!(rig.qp.send_credits(), 6, "a registration and a SEND are in the ring");
    let second = pool(&rig, 1);
    assert_eq!(rig.qp.send_credits(), 4);
    rig.mock.with(|state| state.held = false);
    rig.all();
    assert_eq!(rig.qp.send_credits(), 6);
    drop(second);
    assert_eq!(rig.qp.send_credits(), 8);
}

#[test]
fn a17_a_region_that_cannot_be_ended_does_not_keep_the_others() {
    let rig = rig(16);
    let pool = pool(&rig, 3);
    for _ in 0..3 {
        leave(&rig, &pool);
    }
    rig.mock.with(|state| state.held = false);
    rig.all();
    // The bus accesses of the first do not end.
    rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(0x02, 110)));
    let error = rig.device.reclaim().unwrap_err();
    assert_eq!((error.errno(), rig.mock.with(|state| state.mrs.len())), (Errno::Etimedout, 1));
    // And they do not keep a slot from getting another region.
    rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(0x02, 110)));
    let map = remote(&pool);
    assert!(map.is_registered());
    assert_eq!(rig.device.reclaim(), Ok(0));
}

#[test]
fn f13_the_limit_of_the_device_counts_whatever_the_caller_says() {
    let rig = rig(8);
    let pool = SlotPool::new(&rig.qp, &rig.pd, SlotOptions { local: 1, ..SlotOptions::default() }).unwrap();
    let pieces = rnic_mock::memory(5);
    let mut map = pool.lkey_slot().unwrap().make_sge(&pieces, Direction::ToDevice, 8).unwrap();
    assert_eq!((map.sges().len(), map.is_registered()), (1, true), "a request has 4 elements at most");
    map.post([SendRequest::send(1, map.sges().to_vec())]).unwrap();
}
