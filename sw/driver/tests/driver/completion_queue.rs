//! Completion queues: phase, doorbells, interrupts, life.

use rnic_abi::register as reg;
use rnic_driver::{Errno, Error, QpOptions, Status, Wait};
use rnic_mock::{Refusal, Rig, LIMIT};

#[test]
fn sizes_are_rounded_up_and_limited() {
    let rig = Rig::new();
    for (entries, capacity) in [(1, 4), (4, 4), (5, 8), (65_536, 65_536)] {
        let cq = rig.device.create_cq(entries, 0).unwrap();
        assert_eq!(cq.capacity(), capacity);
        let seen = rig.mock.with(|state| state.cqs[&cq.number()].clone());
        assert_eq!(1 << seen.log2, capacity);
        assert_eq!(seen.base % 4096, 0);
    }
    for entries in [0, 65_537, u32::MAX] {
        assert_eq!(rig.device.create_cq(entries, 0).unwrap_err().errno(), Errno::Einval);
    }
    assert_eq!(rig.device.create_cq(4, 8).unwrap_err().errno(), Errno::Einval);
}

#[test]
fn the_phase_bit_is_followed_over_several_rounds() {
    let rig = Rig::with(4, QpOptions { send_slots: 4, ..QpOptions::default() });
    let mr = rig.mr();
    assert!(rig.cq.poll().unwrap().is_none());
    let mut wr_id = 0;
    // Bursts of 1 to 4 meet every position of the ring.
    for burst in (1..=4).cycle().take(60) {
        rig.qp.post_send_list((0..burst).map(|n| rig.invalidation(wr_id + n, &mr))).unwrap();
        for completion in rig.all() {
            assert_eq!(completion.wr_id, wr_id);
            wr_id += 1;
        }
        assert!(rig.cq.poll().unwrap().is_none());
    }
    assert_eq!(wr_id, 150);
    assert!(!rig.mock.with(|state| state.cqs[&0].overflowed));
}

#[test]
fn a_ring_as_large_as_what_is_outstanding_never_overflows() {
    let rig = Rig::with(16, QpOptions { send_slots: 8, ..QpOptions::default() });
    let second = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions { send_slots: 8, ..QpOptions::default() });
    let second = second.unwrap();
    second.activate().unwrap();
    let mr = rig.mr();
    let mut polled = 0;
    for round in 0..200u32 {
        for qp in [&rig.qp, &second] {
            let free = qp.send_credits();
            qp.post_send_list((0..free).map(|_| rig.invalidation(0, &mr))).unwrap();
        }
        rig.mock.run();
        // Leave some unpolled, and so unreported, in every amount.
        for _ in 0..round % 17 {
            polled += u32::from(rig.cq.poll().unwrap().is_some());
        }
        assert!(!rig.mock.with(|state| state.cqs[&0].overflowed), "round {round}");
    }
    assert!(polled > 1000);
}

#[test]
fn consumption_is_reported_at_half_of_the_ring_and_not_for_each_completion() {
    let rig = Rig::with(16, QpOptions { send_slots: 16, ..QpOptions::default() });
    let mr = rig.mr();
    rig.qp.post_send_list((0..16).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    rig.mock.run();
    for _ in 0..16 {
        assert!(rig.cq.poll().unwrap().is_some());
    }
    assert_eq!(rig.mock.written(reg::cq_doorbell(0)), [8, 16]);
}

#[test]
fn consumption_is_reported_before_new_requests() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    rig.next();
    rig.mock.forget_writes();
    rig.qp.post_send(rig.invalidation(2, &mr)).unwrap();
    let writes = rig.mock.with(|state| state.writes.clone());
    assert_eq!(writes, [(reg::cq_doorbell(0), 1), (reg::sq_doorbell(0), 2)]);
    rig.next();
    rig.cq.report_consumed().unwrap();
    rig.cq.report_consumed().unwrap();
    assert_eq!(rig.mock.written(reg::cq_doorbell(0)), [1, 2], "no news, no doorbell");
}

#[test]
fn next_is_a_named_timeout_when_nothing_comes() {
    let rig = Rig::new();
    let start = rig.device.now();
    assert_eq!(rig.cq.next(LIMIT).unwrap_err(), Error::Timeout(Wait::Completion));
    let waited = rig.device.now() - start;
    assert!(waited >= LIMIT && waited < 2 * LIMIT, "waited {waited:?}");
}

#[test]
fn wait_arms_and_sleeps_until_the_interrupt() {
    let rig = Rig::new();
    let mr = rig.mr();
    assert!(!rig.cq.wait(LIMIT).unwrap());
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    assert!(rig.cq.wait(LIMIT).unwrap());
    assert!(rig.cq.has_completion());
    assert!(rig.mock.written(reg::cq_doorbell(0)).iter().any(|value| value >> 24 == 1));
    rig.mock.forget_writes();
    assert!(rig.cq.wait(LIMIT).unwrap(), "it is still there");
    assert!(rig.mock.with(|state| state.writes.is_empty()), "no need to arm");
    assert_eq!(rig.next().wr_id, 1);
    assert!(!rig.cq.has_completion());
}

#[test]
fn a_spurious_interrupt_is_not_a_completion() {
    let rig = Rig::new();
    rig.mock.with(|state| state.fired.insert(3));
    assert!(!rig.cq.wait(LIMIT).unwrap());
}

#[test]
fn arming_tells_consumption_and_kind() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    rig.next();
    rig.mock.forget_writes();
    rig.cq.arm(false).unwrap();
    rig.cq.arm(true).unwrap();
    assert_eq!(rig.mock.written(reg::cq_doorbell(0)), [0x0100_0001, 0x0200_0001]);
}

#[test]
fn a_used_queue_cannot_be_destroyed() {
    let rig = Rig::new();
    let kept = rig.cq.destroy().unwrap_err();
    assert_eq!((kept.error, kept.errno()), (Error::Admin { opcode: 9, errno: Errno::Ebusy }, Errno::Ebusy));
    rig.qp.destroy().unwrap();
    let memory = rig.mock.with(|state| state.memory.len());
    kept.object.destroy().unwrap();
    assert_eq!(rig.mock.with(|state| state.memory.len()), memory - 1, "the ring is given back");
}

#[test]
fn numbers_run_out_and_come_back() {
    let rig = Rig::new();
    let mut queues: Vec<_> = (0..15).map(|_| rig.device.create_cq(4, 0).unwrap()).collect();
    assert_eq!(rig.device.create_cq(4, 0).unwrap_err().errno(), Errno::Enomem);
    let number = queues[7].number();
    queues.remove(7).destroy().unwrap();
    assert_eq!(rig.device.create_cq(4, 0).unwrap().number(), number);
}

#[test]
fn a_refused_creation_gives_everything_back_and_an_unanswered_one_keeps_it() {
    let rig = Rig::new();
    let memory = || rig.mock.with(|state| state.memory.len());
    let before = memory();
    rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(8, 22)));
    assert!(rig.device.create_cq(4, 0).is_err());
    assert_eq!(memory(), before);
    rig.mock.with(|state| state.refusals.push_back(Refusal::LostAnswer(8)));
    assert_eq!(rig.device.create_cq(4, 0).unwrap_err().errno(), Errno::Etimedout);
    assert_eq!(memory(), before + 1, "the device may write the ring");
    assert_eq!(rig.device.create_cq(4, 0).unwrap().number(), 2);
}

#[test]
fn two_queue_pairs_share_a_queue() {
    let rig = Rig::new();
    let other = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap();
    other.activate().unwrap();
    let mr = rig.mr();
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    other.post_send(rig.invalidation(2, &mr)).unwrap();
    let seen: Vec<_> = rig.all().iter().map(|c| (c.qpn, c.wr_id, c.status)).collect();
    assert_eq!(seen, [(rig.qp.number(), 1, Status::Success), (other.number(), 2, Status::Success)]);
}
