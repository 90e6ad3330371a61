//! Drain, reset, destruction with requests outstanding.

use rnic_abi::register as reg;
use rnic_driver::{Access, Busy, Errno, Error, MrState, QpState, ReceiveRequest, RegMr, SendRequest, Status, Wait};
use rnic_mock::Rig;

#[test]
fn d15_a_drain_of_an_empty_queue_ends_by_its_marker() {
    let rig = Rig::new();
    assert!(rig.qp.drain().unwrap().is_empty());
    assert_eq!(rig.qp.state(), QpState::Err);
    let slots = rig.mock.with(|state| state.qps[&rig.qp.index()].slots.len());
    assert_eq!(slots, 1, "the marker was posted");
    assert!(rig.cq.poll().unwrap().is_none(), "and its completion is not the consumer's");
    assert_eq!(rig.qp.send_credits(), 8);
}

#[test]
fn d15_completions_of_a_drain_wait_for_the_consumer_in_order() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send_list((0..8).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    for wr_id in 100..104 {
        rig.qp.post_receive(&ReceiveRequest::new(wr_id, [])).unwrap();
    }
    rig.qp.to_err().unwrap();
    rig.mock.with(|state| state.held = false);
    // The ring is full: the marker must wait for room.
    rig.qp.drain().unwrap();
    let completions: Vec<_> = std::iter::from_fn(|| rig.cq.poll().unwrap()).collect();
    let sends: Vec<u64> = completions.iter().filter(|c| !c.receive).map(|c| c.wr_id).collect();
    let receives: Vec<u64> = completions.iter().filter(|c| c.receive).map(|c| c.wr_id).collect();
    assert_eq!((sends, receives), ((0..8).collect(), (100..104).collect()));
    assert!(completions.iter().all(|completion| completion.status == Status::WrFlush));
}

#[test]
fn d15_completions_of_other_queue_pairs_are_not_lost() {
    let rig = Rig::new();
    let other = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, Default::default()).unwrap();
    other.activate().unwrap();
    let mr = rig.mr();
    other.post_send(rig.invalidation(55, &mr)).unwrap();
    rig.qp.drain().unwrap();
    let completion = rig.next();
    assert_eq!((completion.qpn, completion.wr_id, completion.status), (other.number(), 55, Status::Success));
}

#[test]
fn d15_staged_requests_are_flushed_too() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.stage_list([rig.invalidation(1, &mr)]).unwrap();
    rig.qp.stage_receive(&ReceiveRequest::new(2, [])).unwrap();
    rig.qp.drain().unwrap();
    let mut done: Vec<u64> = std::iter::from_fn(|| rig.cq.poll().unwrap()).map(|c| c.wr_id).collect();
    done.sort_unstable();
    assert_eq!(done, [1, 2]);
}

#[test]
fn d15_a_ring_full_of_staged_requests_can_be_drained() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.stage_list((0..8).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    rig.qp.drain().unwrap();
    assert_eq!(std::iter::from_fn(|| rig.cq.poll().unwrap()).count(), 8);
}

#[test]
fn d15_a_drain_waits_for_receive_requests() {
    let rig = Rig::new();
    rig.qp.post_receive(&ReceiveRequest::new(1, [])).unwrap();
    rig.mock.with(|state| state.receives_held = true);
    assert_eq!(rig.qp.drain().unwrap_err(), Error::Timeout(Wait::Drain));
    rig.mock.with(|state| state.receives_held = false);
    rig.qp.drain().unwrap();
    assert_eq!(rig.cq.poll().unwrap().unwrap().wr_id, 1);
}

#[test]
fn d15_completions_that_a_drain_has_found_count_as_unconsumed() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send_list((0..3).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    rig.qp.to_err().unwrap();
    rig.mock.with(|state| state.held = false);
    rig.qp.drain().unwrap();
    rig.mock.forget_writes();
    rig.mock.with(|state| state.fired.clear());
    rig.cq.arm(false).unwrap();
    assert_eq!(rig.mock.written(reg::cq_doorbell(0)), [0x0100_0001], "only the marker is consumed");
    assert!(rig.mock.with(|state| state.fired.contains(&3)), "so the interrupt comes at once");
    assert_eq!(std::iter::from_fn(|| rig.cq.poll().unwrap()).count(), 3);
}

#[test]
fn a23_a_drain_gives_back_lists_of_unsignaled_requests() {
    let rig = Rig::new();
    let mr = rig.mr();
    let list = rig.device.alloc_page_list(1).unwrap();
    let address = list.bus_address();
    let request = SendRequest::reg_mr(4, RegMr::new(&mr, Access::NONE, 0, 1, list)).unsignaled();
    rig.qp.post_send(request).unwrap();
    rig.mock.run();
    let retired = rig.qp.drain().unwrap();
    assert_eq!(retired.len(), 1);
    let retired = retired.into_iter().next().unwrap();
    assert_eq!((retired.wr_id, retired.pages.unwrap().into_list().unwrap().bus_address()), (4, address));
    assert_eq!(mr.state(), MrState::Valid, "it was executed before the drain");
}

#[test]
fn d15_a_drain_without_completions_is_a_named_timeout_and_may_be_repeated() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    assert_eq!(rig.qp.drain().unwrap_err(), Error::Timeout(Wait::Drain));
    rig.mock.with(|state| state.held = false);
    rig.qp.drain().unwrap();
    let done: Vec<u64> = std::iter::from_fn(|| rig.cq.poll().unwrap()).map(|c| c.wr_id).collect();
    assert_eq!(done, [1], "neither of the two markers shows");
    rig.qp.reset().unwrap();
}

#[test]
fn d15_the_marker_of_a_drain_that_timed_out_does_not_reach_the_consumer() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.post_send(rig.invalidation(1, &mr).unsignaled()).unwrap();
    rig.mock.run();
    rig.mock.with(|state| state.held = true);
    assert_eq!(rig.qp.drain().unwrap_err().errno(), Errno::Etimedout);
    rig.mock.with(|state| state.held = false);
    assert!(rig.all().is_empty());
    let retired = rig.qp.drain().unwrap();
    assert_eq!(retired.iter().map(|retired| retired.wr_id).collect::<Vec<_>>(), [1]);
}

#[test]
fn d16_reset_only_after_drain() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    let error = rig.qp.reset().unwrap_err();
    assert_eq!((error, error.errno()), (Error::Busy(Busy::NotDrained), Errno::Ebusy));
    assert_eq!(rig.qp.state(), QpState::Rts);
    rig.mock.with(|state| state.held = false);
    rig.qp.drain().unwrap();
    let retired = rig.qp.reset().unwrap();
    assert_eq!(retired.iter().map(|retired| retired.wr_id).collect::<Vec<_>>(), [1], "its completion is discarded");
    assert!(rig.all().is_empty());
    // Counts and ring positions start over.
    rig.qp.activate().unwrap();
    rig.mock.forget_writes();
    rig.qp.post_send(rig.invalidation(2, &mr)).unwrap();
    let completion = rig.next();
    assert_eq!((completion.wr_id, completion.entry.slot, completion.status), (2, 0, Status::Success));
}

#[test]
fn d16_a_pending_receive_keeps_from_reset() {
    let rig = Rig::new();
    rig.qp.post_receive(&ReceiveRequest::new(1, [])).unwrap();
    assert_eq!(rig.qp.reset().unwrap_err(), Error::Busy(Busy::NotDrained));
}

#[test]
fn t6_reset_with_requests_outstanding_gives_everything_back() {
    let rig = Rig::new();
    let (mr, done) = (rig.mr(), rig.mr());
    rig.register(&done);
    rig.qp.post_send(rig.invalidation(1, &done)).unwrap();
    rig.mock.run();
    rig.mock.with(|state| state.held = true);
    let list = rig.device.alloc_page_list(1).unwrap();
    rig.qp.post_send(SendRequest::reg_mr(2, RegMr::new(&mr, Access::NONE, 0, 1, list))).unwrap();
    rig.qp.post_receive(&ReceiveRequest::new(3, [])).unwrap();
    let retired = rig.qp.reset_now().unwrap();
    let back: Vec<_> = retired.iter().map(|retired| (retired.wr_id, retired.pages.is_some())).collect();
    assert_eq!(back, [(1, false), (2, true), (3, false)]);
    assert!(rig.cq.poll().unwrap().is_none());
    // What was in the ring is known; what was not is for the device to say, which it can at once.
    assert_eq!((done.state(), mr.state()), (MrState::Free, MrState::Quarantined));
    assert_eq!(mr.recover(), Ok(MrState::Free));
    assert_eq!((rig.qp.send_credits(), rig.qp.receive_credits()), (8, 8));
}

#[test]
fn t6_reset_takes_completions_out_of_both_queues() {
    let rig = Rig::new();
    let receive_cq = rig.device.create_cq(4, 0).unwrap();
    let qp = rig.device.create_qp(&rig.pd, &rig.cq, &receive_cq, Default::default()).unwrap();
    qp.activate().unwrap();
    let mr = rig.mr();
    qp.post_send(rig.invalidation(1, &mr)).unwrap();
    qp.post_receive(&ReceiveRequest::new(2, [])).unwrap();
    qp.to_err().unwrap();
    rig.mock.run();
    assert!(rig.cq.has_completion() && receive_cq.has_completion());
    let retired: Vec<u64> = qp.reset_now().unwrap().iter().map(|r| r.wr_id).collect();
    assert_eq!(retired, [1, 2]);
    assert!(rig.cq.poll().unwrap().is_none() && receive_cq.poll().unwrap().is_none());
}

#[test]
fn t6_destroy_with_requests_outstanding_gives_everything_back_and_spares_others() {
    let rig = Rig::new();
    let other = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, Default::default()).unwrap();
    other.activate().unwrap();
    let mr = rig.mr();
    other.post_send(rig.invalidation(7, &mr)).unwrap();
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    rig.mock.run();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(rig.invalidation(2, &mr)).unwrap();
    let retired = rig.qp.destroy().unwrap();
    assert_eq!(retired.iter().map(|retired| retired.wr_id).collect::<Vec<_>>(), [1, 2]);
    let completion = rig.cq.poll().unwrap().unwrap();
    assert_eq!((completion.qpn, completion.wr_id), (other.number(), 7));
    assert!(rig.cq.poll().unwrap().is_none());
}

#[test]
fn d16_completions_of_before_a_reset_do_not_meet_requests_of_after_it() {
    let rig = Rig::new();
    let mr = rig.mr();
    for round in 0..20 {
        rig.qp.post_send_list((0..3).map(|n| rig.invalidation(10 * round + n, &mr))).unwrap();
        rig.mock.run();
        assert_eq!(rig.cq.poll().unwrap().unwrap().wr_id, 10 * round, "two are left in the ring");
        assert_eq!(rig.qp.reset_now().unwrap().len(), 2);
        rig.qp.activate().unwrap();
    }
    assert!(!rig.mock.with(|state| state.cqs[&0].overflowed));
}
