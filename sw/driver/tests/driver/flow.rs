//! Slots, mappings for local use and for the peer, and their end (F11 to F20).

use rnic_driver::{
    Access, Again, Busy, Chain, Direction, DmaSgEntry, Errno, Error, Invalid, KeyPolicy, LocalMap, MrTableState,
    QpOptions, ReceiveRequest, RemoteMap, SendExtra, SendRequest, Sge, SlotOptions, SlotPool, Status, Unmap,
};
use rnic_mock::{Mock, MockPlatform, Rig};

/// A rig whose queue pair may use the local DMA lkey, and a pool.
struct Flow {
    rig: Rig,
    pool: SlotPool<MockPlatform>,
}

impl Flow {
    fn with(send_slots: u32, options: SlotOptions) -> Flow {
        let mock = Mock::new();
        let qp = QpOptions { send_slots, receive_slots: 8, privileged: true, ..QpOptions::default() };
        let rig = Rig::around(mock, 64, qp);
        let pool = SlotPool::new(&rig.qp, &rig.pd, options).unwrap();
        Flow { rig, pool }
    }

    fn new() -> Flow {
        Flow::with(16, SlotOptions { local: 2, remote: 2, ..SlotOptions::default() })
    }

    fn local(&self, pieces: &[(u64, u64)], max_sge: usize) -> LocalMap<MockPlatform> {
        self.pool.lkey_slot().unwrap().make_sge(&entries(pieces)[..], Direction::FromDevice, max_sge).unwrap()
    }

    fn remote(&self, pieces: &[(u64, u64)], access: Access) -> RemoteMap<MockPlatform> {
        self.pool.rkey_slot().unwrap().make_remote(&entries(pieces)[..], access).unwrap()
    }

    fn mapped(&self) -> usize {
        self.rig.mock.with(|state| state.mapped.len())
    }

    /// The MRs that the device holds VALID.
    fn valid(&self) -> Vec<u32> {
        self.rig.mock.with(|state| state.mrs.iter().filter(|(_, mr)| mr.valid).map(|(index, _)| *index).collect())
    }

    /// Opcodes of the WQEs that the device has read.
    fn executed(&self) -> Vec<u8> {
        self.rig.mock.with(|state| state.qps[&self.rig.qp.index()].slots.iter().map(|slot| slot[0]).collect())
    }

    /// A message of the peer that invalidates this key.
    fn peer_invalidates(&self, rkey: u32) {
        let qpn = self.rig.qp.number();
        assert!(self.rig.mock.with(|state| state.receive_send(qpn, &[], SendExtra::Invalidate(rkey))));
    }
}

fn entries(pieces: &[(u64, u64)]) -> Vec<DmaSgEntry> {
    pieces.iter().map(|&(address, length)| DmaSgEntry { address, length }).collect()
}

fn read(wr_id: u64, map: &LocalMap<MockPlatform>) -> SendRequest<MockPlatform> {
    SendRequest::read(wr_id, map.sges(), Default::default())
}

fn send(wr_id: u64) -> SendRequest<MockPlatform> {
    SendRequest::send(wr_id, [Sge { address: 0x9000, length: 64, lkey: 0xFF }])
}

#[test]
fn f11_f20_slots_are_limited_and_their_places_in_the_ring_are_kept() {
    let flow = Flow::with(8, SlotOptions { local: 1, remote: 2, ..SlotOptions::default() });
    assert_eq!(flow.rig.qp.send_credits(), 2, "the rest is kept for registrations and invalidations");
    let a = flow.pool.rkey_slot().unwrap();
    let b = flow.pool.rkey_slot().unwrap();
    let error = flow.pool.rkey_slot().unwrap_err();
    assert_eq!((error, error.errno()), (Error::Again(Again::Slot), Errno::Eagain));
    assert_eq!(flow.pool.taken(), (0, 2));
    drop(a);
    drop(flow.pool.rkey_slot().unwrap());
    drop(b);
    assert_eq!(flow.pool.taken(), (0, 0));
    let count = |local, remote| {
        let options = SlotOptions { local, remote, ..SlotOptions::default() };
        SlotPool::new(&flow.rig.qp, &flow.rig.pd, options).map(drop)
    };
    for (local, remote) in [(0, 0), (1, 0), (0, 1), (usize::MAX, usize::MAX), (usize::MAX / 2, 0)] {
        assert_eq!(count(local, remote), Err(Error::Invalid(Invalid::SlotCount)), "{local} {remote}");
    }
    flow.pool.close().unwrap();
    assert_eq!(flow.rig.qp.send_credits(), 8);
    assert_eq!(flow.rig.mock.with(|state| state.mrs.len()), 0);
}

#[test]
fn f20_a_depth_of_8_with_3_slots_serves_1000_requests_without_eagain_beyond_the_bound() {
    let flow = Flow::with(8, SlotOptions { remote: 3, ..SlotOptions::default() });
    let mut open: std::collections::VecDeque<RemoteMap<_>> = Default::default();
    let mut refused = 0;
    for wr_id in 0..1000 {
        // One more than the bound is asked for each time.
        while open.len() == 3 {
            assert_eq!(flow.pool.rkey_slot().unwrap_err(), Error::Again(Again::Slot));
            refused += 1;
            flow.rig.all();
            let Unmap::Pending(end) = open.pop_front().unwrap().unmap(5000).unwrap() else { panic!("was registered") };
            assert!(flow.rig.all().iter().all(|completion| completion.is_success()));
            end.finish().unwrap();
        }
        let mut map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
        // The ring has two places besides those of the slots: a third command waits for a completion of the others.
        while flow.rig.qp.send_credits() == 0 {
            flow.rig.all();
        }
        map.post([send(wr_id)]).unwrap();
        open.push_back(map);
    }
    assert_eq!((refused, flow.mapped()), (997, 3));
}

#[test]
fn f12_f13_f15_few_elements_are_used_as_they_are_and_many_become_one() {
    let flow = Flow::new();
    let pieces = [(0x10800, 0x800), (0x20000, 0x1000), (0x30000, 0x10)];
    let mut plain = flow.local(&pieces, 3);
    let expected: Vec<_> = pieces.map(|(address, length)| Sge { address, length: length as u32, lkey: 0xFF }).into();
    assert_eq!((plain.sges(), plain.is_registered(), plain.length()), (&expected[..], false, 0x1810));
    plain.post([read(1, &plain)]).unwrap();

    let mut one = flow.local(&pieces, 2);
    let region = one.sges()[0].lkey >> 8;
    assert_eq!(one.sges().len(), 1);
    assert_eq!((one.sges()[0].address, one.sges()[0].length), (0x10800, 0x1810));
    assert!(one.is_registered() && !one.is_posted() && flow.valid().is_empty(), "nothing is sent by mapping");
    one.post([read(2, &one)]).unwrap();
    let done = flow.rig.all();
    assert_eq!(done.iter().map(|c| c.wr_id).collect::<Vec<_>>(), [1, 2], "the registration is unsignaled");
    assert_eq!(flow.executed(), [0x08, 0x20, 0x08], "and in front of its request");
    assert_eq!(flow.valid(), [region]);
    let access = flow.rig.mock.with(|state| state.qps[&flow.rig.qp.index()].slots[1][3]);
    assert_eq!(access, 1, "F15: local write, and never a remote right");
}

#[test]
fn f12_bug_7_elements_are_counted_after_the_mapping() {
    let flow = Flow::new();
    // Eight pages of the application that the bus sees as one piece.
    for round in 0..100 {
        let mut map = flow.local(&[(0x10000, 0x8000)], 1);
        assert!(!map.is_registered());
        map.post([read(round, &map)]).unwrap();
        flow.rig.all();
        assert!(matches!(map.unmap(0).unwrap(), Unmap::Done(_)));
    }
    assert_eq!((flow.mapped(), flow.pool.taken()), (0, (0, 0)));
}

#[test]
fn f12_a26_an_unprivileged_queue_pair_registers_always() {
    let rig = Rig::wide();
    let pool = SlotPool::new(&rig.qp, &rig.pd, SlotOptions { local: 1, ..SlotOptions::default() }).unwrap();
    let map = pool.lkey_slot().unwrap().make_sge(&entries(&[(0x10000, 8)])[..], Direction::ToDevice, 4).unwrap();
    assert!(map.is_registered());
}

#[test]
fn f14_the_end_is_the_same_whether_it_was_registered_or_not() {
    let flow = Flow::new();
    let pieces = [(0x10000, 0x1000), (0x20000, 0x1000)];
    for (max_sge, invalidations) in [(2, 0), (1, 1)] {
        let mut map = flow.local(&pieces, max_sge);
        map.post([read(1, &map)]).unwrap();
        // Still in use: the memory must not go.
        let Unmap::Pending(end) = map.unmap(2).unwrap() else { panic!("its READ has not completed") };
        let kept = end.finish().unwrap_err();
        assert_eq!((kept.error, kept.errno()), (Error::Again(Again::Outstanding), Errno::Eagain));
        assert_eq!(flow.mapped(), 1);
        flow.rig.all();
        drop(kept.object.finish().unwrap());
        assert_eq!((flow.mapped(), flow.pool.taken()), (0, (0, 0)));
        let executed = flow.executed();
        assert_eq!(executed.iter().filter(|opcode| **opcode == 0x21).count(), invalidations);
    }
    assert!(flow.valid().is_empty());
}

#[test]
fn f14_c18_no_invalidation_after_that_of_the_peer() {
    let flow = Flow::new();
    flow.rig.qp.post_receive(&ReceiveRequest::new(9, [])).unwrap();
    let mut map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_WRITE);
    map.post([send(1)]).unwrap();
    flow.rig.mock.run();
    flow.peer_invalidates(map.rkey());
    let completions = flow.rig.all();
    let answers: Vec<_> = completions.iter().map(|completion| map.invalidated_by(completion)).collect();
    assert_eq!(answers, [Ok(false), Ok(true)]);
    assert!(matches!(map.unmap(2).unwrap(), Unmap::Done(_)));
    assert_eq!(flow.executed(), [0x20, 0x00]);
    assert_eq!(flow.mapped(), 0);
}

#[test]
fn c18_another_key_than_that_of_the_mapping_is_an_error_of_the_peer() {
    let flow = Flow::new();
    flow.rig.qp.post_receive(&ReceiveRequest::new(9, [])).unwrap();
    let [mut map, mut other] = [0x10000, 0x20000].map(|at| flow.remote(&[(at, 0x1000)], Access::REMOTE_WRITE));
    map.post([send(1)]).unwrap();
    other.post([send(2)]).unwrap();
    flow.rig.mock.run();
    flow.peer_invalidates(other.rkey());
    let completions = flow.rig.all();
    let error = Error::Peer { expected: map.rkey(), found: other.rkey() };
    assert_eq!(map.invalidated_by(&completions[2]), Err(error));
    assert_eq!((error.errno(), other.invalidated_by(&completions[2])), (Errno::Eproto, Ok(true)));
    // Nothing was guessed: the mapping is invalidated by its own request, the other one is not.
    drop(other.unmap(3).unwrap());
    drop(map.unmap(4).unwrap());
    flow.rig.all();
    assert_eq!(flow.executed(), [0x20, 0x00, 0x20, 0x00, 0x21]);
}

#[test]
fn f14_the_peer_may_be_faster_than_the_completion_of_the_command() {
    let flow = Flow::new();
    flow.rig.qp.post_receive(&ReceiveRequest::new(9, [])).unwrap();
    let mut map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_WRITE);
    // Unsignaled: nothing tells of it before a later completion.
    map.post([send(1).unsignaled()]).unwrap();
    flow.rig.mock.run();
    flow.peer_invalidates(map.rkey());
    assert_eq!(flow.rig.all().len(), 1);
    let Unmap::Pending(end) = map.unmap(2).unwrap() else { panic!("its SEND is not known to have ended") };
    assert_eq!(flow.executed(), [0x20, 0x00], "no invalidation");
    let kept = end.finish().unwrap_err();
    flow.rig.qp.post_send(send(3)).unwrap();
    flow.rig.all();
    drop(kept.object.finish().unwrap());
    assert_eq!(flow.mapped(), 0);
}

#[test]
fn f16_for_the_peer_it_is_always_registered_under_a_new_key() {
    let flow = Flow::with(16, SlotOptions { remote: 1, ..SlotOptions::default() });
    let mut keys = Vec::new();
    for round in 0..3 {
        let mut map = flow.remote(&[(0x10800, 8)], Access::REMOTE_WRITE | Access::REMOTE_READ);
        assert_eq!((map.is_registered(), map.remote().address, map.remote().rkey), (true, 0x10800, map.rkey()));
        keys.push(map.rkey());
        map.post([send(round)]).unwrap();
        flow.rig.all();
        assert_eq!(flow.valid(), [map.rkey() >> 8]);
        let access = flow.rig.mock.with(|state| {
            let slots = &state.qps[&flow.rig.qp.index()].slots;
            slots[slots.len() - 2][3]
        });
        assert_eq!(access, 7, "B8: local write comes with remote write");
        let Unmap::Pending(end) = map.unmap(0).unwrap() else { panic!("was registered") };
        flow.rig.all();
        end.finish().unwrap();
    }
    assert!(keys.windows(2).all(|pair| pair[0] >> 8 == pair[1] >> 8 && pair[0] != pair[1]), "{keys:x?}");
}

#[test]
fn f16_a_part_is_an_error_that_tells_how_much_fits() {
    let flow = Flow::with(16, SlotOptions { local: 1, remote: 1, max_pages: 2, ..SlotOptions::default() });
    let list = entries(&[(0x10000, 0x1000), (0x20800, 0x1000)]);
    let kept = flow.pool.rkey_slot().unwrap().make_remote(&list[..], Access::REMOTE_READ).unwrap_err();
    assert_eq!(kept.error, Error::Invalid(Invalid::NotWhole { n: 1, next_offset: 0 }));
    assert_eq!((kept.errno(), flow.mapped(), flow.pool.taken()), (Errno::Einval, 0, (0, 1)));
    drop(kept);
    let kept = flow.pool.lkey_slot().unwrap().make_sge(&list[..], Direction::ToDevice, 1).unwrap_err();
    assert_eq!(kept.errno(), Errno::Einval, "F17: everything is unmapped");
    assert_eq!((flow.mapped(), flow.pool.taken()), (0, (1, 0)));
}

#[test]
fn f16_larger_pages_are_taken_where_small_ones_do_not_suffice() {
    let flow = Flow::with(16, SlotOptions { remote: 1, max_pages: 2, ..SlotOptions::default() });
    let mut map = flow.remote(&[(0x4_0800, 0x2_0000)], Access::REMOTE_READ);
    map.post([send(1)]).unwrap();
    flow.rig.all();
    let shift = flow.rig.mock.with(|state| state.qps[&flow.rig.qp.index()].slots[0][8]);
    assert_eq!(shift, 17, "two pages of 128 KiB hold it, two of 64 KiB do not");
}

#[test]
fn f17_memory_that_cannot_be_mapped_is_eio_and_the_slot_comes_back() {
    let flow = Flow::new();
    flow.rig.mock.with(|state| state.maps_left = 0);
    let kept = flow.pool.rkey_slot().unwrap().make_remote(&entries(&[(0, 8)])[..], Access::REMOTE_READ).unwrap_err();
    assert_eq!(kept.errno(), Errno::Eio);
    drop(kept);
    let slot = flow.pool.lkey_slot().unwrap();
    assert_eq!(slot.make_sge(&entries(&[(0, 8)])[..], Direction::ToDevice, 1).unwrap_err().errno(), Errno::Eio);
    assert_eq!(flow.pool.taken(), (0, 0));
}

#[test]
fn f17_f19_a_chain_that_cannot_be_posted_leaves_region_and_key_untouched() {
    let flow = Flow::with(8, SlotOptions { remote: 2, ..SlotOptions::default() });
    let mut map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    let key = map.rkey();
    // Five places where four are free.
    let bad = map.post((0..5).map(send)).unwrap_err();
    assert_eq!((bad.errno(), bad.posted, bad.rest.len()), (Errno::Enomem, 0, 5));
    assert!(!map.is_posted());
    let bad = map.post([]).unwrap_err();
    assert_eq!(bad.errno(), Errno::Einval);
    flow.rig.mock.run();
    assert!(flow.executed().is_empty());
    // Ended without having been posted: its key was never used, so the next mapping has it.
    assert!(matches!(map.unmap(0).unwrap(), Unmap::Done(_)));
    let again = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    assert_eq!((again.rkey(), flow.mapped()), (key, 1));
}

#[test]
fn f18_bug_1_each_region_is_invalidated_by_its_own_state() {
    let flow = Flow::new();
    let (mut used, unused) =
        (flow.remote(&[(0x10000, 8)], Access::REMOTE_READ), flow.remote(&[(0x20000, 8)], Access::REMOTE_READ));
    used.post([send(1)]).unwrap();
    flow.rig.all();
    assert!(matches!(unused.unmap(2).unwrap(), Unmap::Done(_)), "never registered");
    let key = used.rkey();
    let Unmap::Pending(end) = used.unmap(3).unwrap() else { panic!("registered") };
    let done = flow.rig.all();
    assert_eq!(done.iter().map(|c| (c.wr_id, c.status)).collect::<Vec<_>>(), [(3, Status::Success)]);
    let last = flow.rig.mock.with(|state| state.qps[&flow.rig.qp.index()].slots.last().unwrap().clone());
    assert_eq!((last[0], &last[4..8]), (0x21, &key.to_le_bytes()[..]));
    end.finish().unwrap();
}

#[test]
fn f12_one_request_may_use_several_mappings() {
    let flow = Flow::new();
    let mut out = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    let mut back = flow.remote(&[(0x20000, 0x1000)], Access::REMOTE_WRITE);
    Chain::new().with(&mut out).with(&mut back).post([send(1)]).unwrap();
    flow.rig.all();
    assert_eq!(flow.executed(), [0x20, 0x20, 0x00]);
    // Both end only when the request has.
    out.post([send(2)]).unwrap();
    assert_eq!(flow.executed().len(), 3);
    flow.rig.all();
    assert_eq!(flow.executed(), [0x20, 0x20, 0x00, 0x00], "registered once");
}

#[test]
fn d13_bug_34_bug_35_after_a_flush_the_memory_stays_until_the_drain() {
    let flow = Flow::new();
    let mut map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    map.post([send(1)]).unwrap();
    flow.rig.all();
    flow.rig.mock.with(|state| state.held = true);
    let Unmap::Pending(end) = map.unmap(2).unwrap() else { panic!("registered") };
    flow.rig.qp.to_err().unwrap();
    flow.rig.mock.with(|state| state.held = false);
    let done = flow.rig.all();
    assert_eq!(done.iter().map(|c| c.status).collect::<Vec<_>>(), [Status::WrFlush]);
    let kept = end.finish().unwrap_err();
    assert_eq!((kept.error, flow.mapped()), (Error::Busy(Busy::Quarantined), 1));
    flow.rig.qp.drain().unwrap();
    let slot = kept.object.finish().unwrap();
    assert_eq!((flow.mapped(), flow.valid().len()), (0, 0), "it was VALID, so it was deregistered");
    // The slot gets a new region, and works once the queue pair does.
    flow.rig.qp.reset().unwrap();
    flow.rig.qp.activate().unwrap();
    let mut map = slot.make_remote(&entries(&[(0x10000, 0x1000)])[..], Access::REMOTE_READ).unwrap();
    map.post([send(3)]).unwrap();
    assert!(flow.rig.all().iter().all(|completion| completion.is_success()));
    assert_eq!(flow.valid(), [map.rkey() >> 8]);
}

#[test]
fn d13_bug_56_a_mapping_of_a_queue_pair_in_error_ends_without_an_invalidation() {
    let flow = Flow::new();
    let mut map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    map.post([send(1)]).unwrap();
    flow.rig.all();
    flow.rig.qp.to_err().unwrap();
    let Unmap::Pending(end) = map.unmap(2).unwrap() else { panic!("registered") };
    let slot = end.finish().unwrap();
    assert_eq!((flow.executed().len(), flow.mapped(), flow.valid().len()), (2, 0, 0));
    drop(slot);
    assert_eq!(flow.pool.taken(), (0, 0));
    flow.pool.close().unwrap();
}

#[test]
fn f14_a_reset_frees_the_places_of_discarded_requests() {
    let flow = Flow::with(8, SlotOptions { remote: 3, ..SlotOptions::default() });
    for _ in 0..5 {
        let mut maps: Vec<_> = (0..3).map(|n| flow.remote(&[(0x10000 * (n + 1), 8)], Access::REMOTE_READ)).collect();
        flow.rig.mock.with(|state| state.held = true);
        maps[0].post([send(1)]).unwrap();
        maps[1].post([send(2)]).unwrap();
        let ends: Vec<_> = maps.into_iter().map(|map| map.unmap(3).unwrap()).collect();
        flow.rig.qp.reset_now().unwrap();
        flow.rig.mock.with(|state| state.held = false);
        for end in ends {
            match end {
                Unmap::Done(slot) => drop(slot),
                Unmap::Pending(end) => drop(end.finish().unwrap()),
            }
        }
        flow.rig.qp.activate().unwrap();
        assert_eq!((flow.rig.qp.send_credits(), flow.mapped(), flow.pool.taken()), (2, 0, (0, 0)));
    }
}

#[test]
fn bug_54_a_mapping_that_was_never_posted_is_unmapped_by_dropping_it() {
    let flow = Flow::new();
    let map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    flow.rig.qp.to_err().unwrap();
    drop(map);
    assert_eq!((flow.mapped(), flow.pool.taken()), (0, (0, 0)));
}

#[test]
fn f21_d13_what_is_dropped_while_in_use_is_kept_until_it_can_be_ended() {
    let flow = Flow::new();
    let mut map = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    let mut plain = flow.local(&[(0x20000, 0x1000)], 4);
    flow.rig.mock.with(|state| state.held = true);
    map.post([send(1)]).unwrap();
    plain.post([read(2, &plain)]).unwrap();
    drop((map, plain));
    assert_eq!((flow.mapped(), flow.pool.taken()), (2, (0, 0)), "the slots are free, the memory is not");
    assert_eq!(flow.rig.device.reclaim().unwrap(), 2);
    flow.rig.mock.with(|state| state.held = false);
    flow.rig.all();
    assert_eq!(flow.rig.device.reclaim().unwrap(), 0);
    assert_eq!((flow.mapped(), flow.valid().len()), (0, 0));
    // The slot gets another region.
    let regions = flow.rig.mock.with(|state| state.mrs.len());
    let again = flow.remote(&[(0x10000, 0x1000)], Access::REMOTE_READ);
    assert_eq!(flow.rig.mock.with(|state| state.mrs.len()), regions + 1);
    drop(again);
}

#[test]
fn bug_55_the_end_of_the_device_takes_all_memory_away() {
    let flow = Flow::new();
    let mut maps: Vec<_> = (0..2).map(|n| flow.remote(&[(0x10000 * (n + 1), 8)], Access::REMOTE_READ)).collect();
    for map in &mut maps {
        map.post([send(1)]).unwrap();
    }
    let mock = flow.rig.mock.clone();
    flow.rig.all();
    drop(maps);
    assert_eq!(mock.with(|state| state.mapped.len()), 2);
    drop(flow);
    assert_eq!(mock.with(|state| (state.mapped.len(), state.memory.len())), (0, 0));
    assert!(mock.with(|state| state.mrs.is_empty() && state.stray_accesses.is_empty()));
}

#[test]
fn a19_shuffled_keys_are_used_too() {
    let keys = KeyPolicy::Shuffled(3);
    let flow = Flow::with(16, SlotOptions { remote: 1, keys, ..SlotOptions::default() });
    let mut seen = Vec::new();
    for round in 0..1000 {
        let mut map = flow.remote(&[(0x10000, 8)], Access::REMOTE_READ);
        seen.push(map.rkey() as u8);
        map.post([send(round)]).unwrap();
        flow.rig.all();
        let Unmap::Pending(end) = map.unmap(0).unwrap() else { panic!("registered") };
        assert!(flow.rig.all()[0].is_success());
        end.finish().unwrap();
    }
    assert!(seen.windows(2).any(|pair| pair[1] != pair[0].wrapping_add(1)));
    for window in seen.windows(129) {
        assert!(!window[1..].contains(&window[0]), "none again within 128 registrations");
    }
}

#[test]
fn a7_a_pool_that_cannot_be_made_leaves_nothing() {
    let mock = Mock::new();
    let rig = Rig::around(mock, 16, QpOptions { send_slots: 64, ..QpOptions::default() });
    // Pages for fewer regions than asked for.
    let options = SlotOptions { remote: 17, max_pages: 32, ..SlotOptions::default() };
    let error = SlotPool::new(&rig.qp, &rig.pd, options).unwrap_err();
    assert_eq!((error.errno(), rig.qp.send_credits()), (Errno::Enomem, 64));
    assert_eq!((rig.mock.with(|state| state.mrs.len()), rig.pd.uses()), (0, 1));
}

#[test]
fn a_slot_that_is_alive_keeps_the_pool_from_closing() {
    let flow = Flow::new();
    let slot = flow.pool.rkey_slot().unwrap();
    let kept = flow.pool.close().unwrap_err();
    assert_eq!(kept.error, Error::Busy(Busy::SlotsTaken));
    drop(slot);
    kept.object.close().unwrap();
    assert_eq!(flow.rig.qp.send_credits(), 16);
}

#[test]
fn a_pool_that_is_dropped_leaves_its_regions_to_reclaim() {
    let flow = Flow::new();
    drop(flow.pool);
    assert_eq!(flow.rig.device.reclaim().unwrap(), 0);
    assert_eq!(flow.rig.device.query_mr(1).unwrap().state, MrTableState::Unalloc);
    assert_eq!((flow.rig.mock.with(|state| state.mrs.len()), flow.rig.qp.send_credits()), (0, 16));
}
