//! Protection domains.

use rnic_driver::{Device, Errno, QpOptions};
use rnic_mock::{Mock, Refusal, Rig};

#[test]
fn a4_numbers_are_unique_while_allocated_and_have_24_bits() {
    let device = Device::open(Mock::new().platform()).unwrap();
    let domains: Vec<_> = (0..300).map(|_| device.alloc_pd().unwrap()).collect();
    let mut numbers: Vec<u32> = domains.iter().map(|pd| pd.number()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 300);
    assert!(numbers.iter().all(|number| *number < 1 << 24));
}

#[test]
fn a4_free_with_a_region_or_a_queue_pair_left_is_ebusy_and_the_domain_stays_usable() {
    let rig = Rig::new();
    let pd = rig.device.alloc_pd().unwrap();
    let mr = rig.device.alloc_fast_reg_mr(&pd, 4).unwrap();
    let qp = rig.device.create_qp(&pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap();
    assert_eq!(pd.uses(), 2);
    let kept = pd.free().unwrap_err();
    assert_eq!(kept.errno(), Errno::Ebusy);
    let pd = kept.object;
    mr.dereg().unwrap();
    let pd = pd.free().unwrap_err().object;
    let second = rig.device.alloc_fast_reg_mr(&pd, 4).expect("still usable");
    second.dereg().unwrap();
    qp.destroy().unwrap();
    assert_eq!(pd.uses(), 0);
    pd.free().unwrap();
}

#[test]
fn a4_a_region_that_could_not_be_made_does_not_count_as_a_use() {
    let rig = Rig::new();
    let pd = rig.device.alloc_pd().unwrap();
    assert!(rig.device.alloc_fast_reg_mr(&pd, 0).is_err());
    rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(1, 22)));
    assert!(rig.device.alloc_fast_reg_mr(&pd, 1).is_err());
    pd.free().unwrap();
}

#[test]
fn objects_of_another_device_are_refused() {
    let (rig, other) = (Rig::new(), Rig::new());
    assert_eq!(rig.device.alloc_fast_reg_mr(&other.pd, 1).unwrap_err().errno(), Errno::Einval);
    for (pd, cq) in [(&other.pd, &rig.cq), (&rig.pd, &other.cq)] {
        assert_eq!(rig.device.create_qp(pd, cq, cq, QpOptions::default()).unwrap_err().errno(), Errno::Einval);
    }
}
