//! Teardown in any order, with failures in the middle: nothing stays registered and no memory mapped.

use rnic_driver::{
    Access, CompletionQueue, Device, Direction, DmaSgEntry, MemoryRegion, Mr, Pending, ProtectionDomain, QpOptions,
    QueuePair, RemoteMap, SendRequest, Sge, SlotOptions, SlotPool, Unmap, Unmapping, Valid,
};
use rnic_mock::{Mock, MockPlatform, Refusal, Rig};

type P = MockPlatform;

/// Something to be ended.
enum Thing {
    Map(RemoteMap<P>),
    Ending(Unmapping<P, rnic_driver::Rkey>),
    Region(Mr<P, Valid>),
    Posted(Pending<P, Valid>),
    Pool(SlotPool<P>),
    Memory(MemoryRegion<P>),
    Pair(QueuePair<P>),
    Queue(CompletionQueue<P>),
    Domain(ProtectionDomain<P>),
}

impl Thing {
    /// Ends it properly; what is left of it comes back.
    fn end(self, wr_id: u64) -> Option<Thing> {
        match self {
            Thing::Map(map) => match map.unmap(wr_id) {
                Ok(Unmap::Done(_)) => None,
                Ok(Unmap::Pending(end)) => Some(Thing::Ending(end)),
                Err(kept) => Some(Thing::Map(kept.object)),
            },
            Thing::Ending(end) => end.finish().err().map(|kept| Thing::Ending(kept.object)),
            Thing::Region(mr) => mr.dereg().err().map(|kept| Thing::Region(kept.object)),
            Thing::Posted(pending) => match pending.settle() {
                Ok(mr) => Some(Thing::Region(mr)),
                // What was flushed or failed is dropped: the device gets it back.
                Err(rnic_driver::Unsettled::Outstanding(pending)) => Some(Thing::Posted(pending)),
                Err(_) => None,
            },
            Thing::Pool(pool) => pool.close().err().map(|kept| Thing::Pool(kept.object)),
            Thing::Memory(mr) => mr.dereg().err().map(|kept| Thing::Memory(kept.object)),
            Thing::Pair(qp) => qp.destroy().err().map(|kept| Thing::Pair(kept.object)),
            Thing::Queue(cq) => cq.destroy().err().map(|kept| Thing::Queue(kept.object)),
            Thing::Domain(pd) => pd.free().err().map(|kept| Thing::Domain(kept.object)),
        }
    }

    /// Dropping it is allowed: the device gets it back.
    fn may_be_dropped(&self) -> bool {
        !matches!(self, Thing::Memory(_) | Thing::Pair(_) | Thing::Queue(_) | Thing::Domain(_))
    }
}

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// One of everything, in all states, some of it with requests outstanding.
fn everything(rig: &Rig) -> Vec<Thing> {
    let pool = SlotPool::new(&rig.qp, &rig.pd, SlotOptions { remote: 4, ..SlotOptions::default() }).unwrap();
    let memory = |n: u64| [DmaSgEntry { address: 0x10000 * (n + 1), length: 0x5000 }];
    let make = |n: u64| pool.rkey_slot().unwrap().make_remote(&memory(n)[..], Access::REMOTE_READ).unwrap();
    let mut maps: Vec<_> = (0..4).map(make).collect();
    let send = |wr_id| SendRequest::send(wr_id, [Sge { address: 0x9000, length: 64, lkey: 0xFF }]);
    let region = || {
        let mut mr = rig.mr().into_typed().unwrap();
        let list = rig.device.dma_map(&memory(9)[..], Direction::ToDevice).unwrap();
        mr.map_mr_sg(&list, 0, 4096).unwrap();
        rig.device.dma_unmap(list).unwrap();
        mr.register(&rig.qp, 90, Access::REMOTE_READ).unwrap()
    };
    maps[0].post([send(1)]).unwrap();
    let settled = region();
    rig.all();
    let mut things = vec![Thing::Region(settled.settle().unwrap())];
    // From here on nothing is executed.
    rig.mock.with(|state| state.held = true);
    maps[1].post([send(2)]).unwrap();
    let Unmap::Pending(ending) = maps.remove(0).unmap(3).unwrap() else { panic!("registered") };
    things.push(Thing::Ending(ending));
    things.push(Thing::Posted(region()));
    things.extend(maps.into_iter().map(Thing::Map));
    things.push(Thing::Pool(pool));
    things
}

/// One more object, if what it needs is still there and the device answers.
fn one_more(device: &Device<P>, things: &[Thing], opcode: u8) -> Option<Thing> {
    let pd = things.iter().find_map(|thing| if let Thing::Domain(pd) = thing { Some(pd) } else { None });
    let cq = things.iter().find_map(|thing| if let Thing::Queue(cq) = thing { Some(cq) } else { None });
    match opcode {
        0x01 => device.alloc_fast_reg_mr(pd?, 4).ok().map(Thing::Memory),
        0x08 => device.create_cq(16, 1).ok().map(Thing::Queue),
        _ => device.create_qp(pd?, cq?, cq?, QpOptions::default()).ok().map(Thing::Pair),
    }
}

fn teardown(seed: u64) {
    let mock = Mock::new();
    let qp = QpOptions { send_slots: 32, privileged: true, ..QpOptions::default() };
    let rig = Rig::around(mock.clone(), 64, qp);
    let mut things = everything(&rig);
    let Rig { device, pd, cq, qp, .. } = rig;
    things.extend([Thing::Pair(qp), Thing::Queue(cq), Thing::Domain(pd)]);
    let mut random = Random(seed);
    for round in 0..400u64 {
        if things.is_empty() {
            break;
        }
        // For a while commands fail: with an errno, without an answer, or with an answer that is lost.
        if round < 60 && random.below(3) == 0 {
            let opcode = [0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x0B, 0x0C][random.below(8)];
            let kinds = [Refusal::Errno(opcode, 110), Refusal::Silence(opcode), Refusal::LostAnswer(opcode)];
            mock.with(|state| state.refusals = [kinds[random.below(3)]].into());
            if [0x01, 0x08, 0x0A].contains(&opcode) {
                things.extend(one_more(&device, &things, opcode));
            }
        }
        if random.below(20) == 0 || round == 100 {
            mock.with(|state| state.held = false);
            mock.run();
        }
        if round == 60 {
            mock.with(|state| state.refusals.clear());
        }
        let thing = things.swap_remove(random.below(things.len()));
        if thing.may_be_dropped() && random.below(6) == 0 {
            drop(thing);
        } else if let Some(left) = thing.end(100 + round) {
            things.push(left);
        }
        if random.below(5) == 0 {
            let _ = device.reclaim();
        }
        // Completions are polled by whoever still has the queue.
        if let Some(Thing::Queue(cq)) = things.iter().find(|thing| matches!(thing, Thing::Queue(_))) {
            while cq.poll().unwrap().is_some() {}
        }
    }
    assert!(things.is_empty(), "seed {seed}: {} things cannot be ended", things.len());
    assert_eq!(device.reclaim(), Ok(0), "seed {seed}");
    mock.with(|state| {
        assert!(state.mrs.is_empty() && state.qps.is_empty() && state.cqs.is_empty(), "seed {seed}: {:?}", state.mrs);
        assert!(state.mapped.is_empty(), "seed {seed}: {:x?}", state.mapped);
        assert!(state.stray_accesses.is_empty(), "seed {seed}: {:x?}", state.stray_accesses);
    });
    drop(device);
    assert_eq!(mock.with(|state| state.memory.len()), 0, "seed {seed}");
}

#[test]
fn a14_a17_d13_f14_teardown_in_any_order_with_failures_leaves_nothing() {
    for seed in 0..300 {
        teardown(seed);
    }
}

#[test]
fn the_end_of_the_device_alone_leaves_no_memory_mapped() {
    let mock = Mock::new();
    let qp = QpOptions { send_slots: 32, privileged: true, ..QpOptions::default() };
    let rig = Rig::around(mock.clone(), 64, qp);
    let things = everything(&rig);
    drop(rig);
    assert!(mock.with(|state| state.mapped.len()) > 0);
    drop(things);
    mock.with(|state| assert!(state.mapped.is_empty() && state.memory.is_empty() && state.mrs.is_empty()));
}
