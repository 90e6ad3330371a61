//! Regions whose state is part of their type (F21).

use rnic_driver::{
    Access, Busy, Direction, DmaSgEntry, Errno, Error, Free, Mr, Pages, PostError, Recovered, RegMr, RegisterError,
    SendExtra, SendRequest, Status, Unsettled, Valid,
};
use rnic_mock::{MockPlatform, Rig};

fn free(rig: &Rig) -> Mr<MockPlatform, Free> {
    let mut mr = rig.mr().into_typed().unwrap();
    let list = rig.device.dma_map(&[DmaSgEntry { address: 0x10000, length: 0x1000 }], Direction::Bidirectional);
    mr.map_mr_sg(&list.unwrap(), 0, 4096).unwrap();
    mr
}

fn valid(rig: &Rig) -> Mr<MockPlatform, Valid> {
    let pending = free(rig).register(&rig.qp, 1, Access::REMOTE_READ).unwrap();
    assert!(rig.next().is_success());
    pending.settle().unwrap()
}

#[test]
fn f21_a_region_goes_around_its_states() {
    let rig = Rig::new();
    let first = free(&rig).rkey();
    let pending = free(&rig).register(&rig.qp, 1, Access::REMOTE_READ).unwrap();
    let Err(Unsettled::Outstanding(pending)) = pending.settle() else { panic!("nothing has been polled") };
    assert!(rig.next().is_success());
    let mr: Mr<_, Valid> = pending.settle().unwrap();
    assert_eq!(mr.rkey() & 0xFF, (first + 1) & 0xFF, "A13: another key than at allocation");
    let pending = mr.invalidate(&rig.qp, 2).unwrap();
    assert!(rig.next().is_success());
    let mr: Mr<_, Free> = pending.settle().unwrap();
    mr.dereg().unwrap();
}

#[test]
fn f21_a_region_is_registered_again_under_the_next_key() {
    let rig = Rig::new();
    let mut mr = free(&rig);
    for _ in 0..300 {
        let key = mr.rkey();
        let pending = mr.register(&rig.qp, 1, Access::NONE).unwrap();
        assert!(rig.next().is_success());
        let valid = pending.settle().unwrap();
        assert_ne!(valid.rkey(), key);
        let pending = valid.invalidate(&rig.qp, 2).unwrap();
        assert!(rig.next().is_success());
        mr = pending.settle().unwrap();
    }
}

#[test]
fn f17_f21_a_registration_that_is_not_posted_gives_the_region_back_with_its_key() {
    let rig = Rig::new();
    let unmapped = rig.mr().into_typed().unwrap();
    let key = unmapped.rkey();
    let error = unmapped.register(&rig.qp, 1, Access::NONE).unwrap_err();
    assert_eq!((error.error.errno(), error.object.rkey()), (Errno::Einval, key));
    let mr = free(&rig);
    let key = mr.rkey();
    let error = mr.register(&rig.qp, 1, Access::REMOTE_WRITE).unwrap_err();
    assert_eq!(error.error, RegisterError::Post(PostError::NeedsLocalWrite));
    assert_eq!(error.object.rkey(), key);
}

#[test]
fn f21_b6_a_failed_registration_leaves_the_region_as_it_was() {
    let rig = Rig::new();
    let mr = free(&rig);
    // Somebody else has registered the same index: the mock answers MW_BIND.
    let index = mr.rkey() >> 8;
    rig.mock.with(|state| state.mrs.get_mut(&index).unwrap().valid = true);
    let pending = mr.register(&rig.qp, 1, Access::NONE).unwrap();
    assert_eq!(rig.next().status, Status::MwBind);
    let Err(Unsettled::Before(mr)) = pending.settle() else { panic!("it has failed") };
    let _: Mr<_, Free> = mr;
}

#[test]
fn d13_f21_a_flushed_request_needs_drain_and_recovery() {
    let rig = Rig::new();
    let mr = valid(&rig);
    rig.mock.with(|state| state.held = true);
    let pending = mr.invalidate(&rig.qp, 2).unwrap();
    rig.qp.to_err().unwrap();
    rig.mock.with(|state| state.held = false);
    assert_eq!(rig.next().status, Status::WrFlush);
    let Err(Unsettled::Quarantined(unknown)) = pending.settle() else { panic!("it was flushed") };
    let kept = unknown.recover().unwrap_err();
    assert_eq!(kept.error, Error::Busy(Busy::Quarantined));
    rig.qp.drain().unwrap();
    let Ok(Recovered::Valid(mr)) = kept.object.recover() else { panic!("the flushed LOCAL_INV was not executed") };
    mr.dereg().unwrap();
}

#[test]
fn f21_a_region_with_a_past_keeps_it() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.register(&mr);
    let kept = mr.into_typed().unwrap_err();
    assert_eq!(kept.error, Error::Busy(Busy::Registered));
    rig.qp.post_send(rig.invalidation(1, &kept.object)).unwrap();
    let kept = kept.object.into_typed().unwrap_err();
    assert_eq!(kept.error, Error::Busy(Busy::RequestOutstanding));
    assert!(rig.next().is_success());
    assert!(kept.object.into_typed().is_ok());
}

#[test]
fn f21_what_is_dropped_goes_back_to_the_device_when_that_is_possible() {
    let rig = Rig::new();
    let count = || rig.mock.with(|state| state.mrs.len());
    drop(free(&rig));
    drop(valid(&rig));
    let pending = free(&rig).register(&rig.qp, 1, Access::NONE).unwrap();
    drop(pending);
    assert_eq!((count(), rig.device.reclaim().unwrap(), count()), (3, 1, 1), "one has a request outstanding");
    assert!(rig.next().is_success());
    assert_eq!((rig.device.reclaim().unwrap(), count()), (0, 0));
}

#[test]
fn f21_a_region_taken_by_the_peer_is_free() {
    let rig = Rig::new();
    let mr = valid(&rig).taken_by_peer().unwrap_err();
    let (key, qpn) = (mr.rkey(), rig.qp.number());
    rig.qp.post_receive(&rnic_driver::ReceiveRequest::new(5, [])).unwrap();
    assert!(rig.mock.with(|state| state.receive_send(qpn, &[], SendExtra::Invalidate(key))));
    assert_eq!(rig.next().invalidated_key, Some(key));
    let mr: Mr<_, Free> = mr.taken_by_peer().unwrap();
    mr.dereg().unwrap();
}

#[test]
fn a23_the_untyped_way_is_still_there() {
    let rig = Rig::new();
    let mr = free(&rig).into_untyped();
    let registration = RegMr::new(&mr, Access::NONE, 0x1000, 0x1000, Pages::Inline(vec![0x5000]));
    rig.qp.post_send(SendRequest::reg_mr(1, registration)).unwrap();
    assert!(rig.next().is_success());
}

#[test]
fn f21_an_invalidation_that_is_not_posted_is_an_error_although_the_peer_was_faster() {
    let rig = Rig::new();
    let mr = valid(&rig);
    let (key, qpn) = (mr.rkey(), rig.qp.number());
    rig.qp.post_receive(&rnic_driver::ReceiveRequest::new(5, [])).unwrap();
    assert!(rig.mock.with(|state| state.receive_send(qpn, &[], SendExtra::Invalidate(key))));
    assert_eq!(rig.next().invalidated_key, Some(key));
    rig.qp.reset_now().unwrap();
    let refused = mr.invalidate(&rig.qp, 2).unwrap_err();
    assert!(matches!(refused.error, RegisterError::Post(PostError::State(_))), "{refused:?}");
    assert!(refused.object.taken_by_peer().is_ok());
}
