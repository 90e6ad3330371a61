//! Objects of two devices have the same numbers, and must not be taken for each other.

use rnic_driver::{Access, Chain, DmaSgEntry, PostError, SendRequest, SlotOptions, SlotPool};
use rnic_mock::Rig;

#[test]
fn b5_a_region_of_another_device_cannot_be_registered() {
    let (a, b) = (Rig::new(), Rig::new());
    let mr = b.mr();
    assert_eq!((a.pd.number(), a.mr().index()), (b.pd.number(), mr.index()), "the numbers do not tell");
    let bad = a.qp.post_send(SendRequest::reg_mr(1, b.registration(&mr))).unwrap_err();
    assert_eq!((bad.error, bad.rest.len()), (PostError::ProtectionDomain, 1));
    b.qp.post_send(bad.rest.into_iter().next().unwrap()).unwrap();
    assert!(b.next().is_success());
}

#[test]
fn f12_mappings_of_two_devices_are_no_chain() {
    let rigs = [Rig::wide(), Rig::wide()];
    assert_eq!(rigs[0].qp.number(), rigs[1].qp.number(), "the numbers do not tell");
    let options = SlotOptions { remote: 1, ..SlotOptions::default() };
    let pools = rigs.each_ref().map(|rig| SlotPool::new(&rig.qp, &rig.pd, options).unwrap());
    let memory = [DmaSgEntry { address: 0x10000, length: 0x1000 }];
    let make = |pool: &SlotPool<_>| pool.rkey_slot().unwrap().make_remote(&memory[..], Access::REMOTE_READ).unwrap();
    let [mut one, mut other] = pools.each_ref().map(make);
    let bad = Chain::new().with(&mut one).with(&mut other).post([SendRequest::send(1, [])]).unwrap_err();
    assert_eq!((bad.error, bad.posted, bad.rest.len()), (PostError::Mappings, 0, 1));
    assert!(!one.is_posted() && !other.is_posted());
}
