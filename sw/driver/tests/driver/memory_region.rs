//! Memory regions: allocation, keys, deregistration, shadow state.

use std::collections::BTreeMap;

use rnic_abi::mr::Type;
use rnic_driver::{Busy, Device, Errno, Error, MrState, MrTableState, SendRequest};
use rnic_mock::{Mock, Refusal, Rig};

#[test]
fn a2_without_mem_mgt_ext_nothing_can_be_allocated() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 0);
    let device = Device::open(mock.platform()).unwrap();
    let pd = device.alloc_pd().unwrap();
    assert_eq!(device.alloc_fast_reg_mr(&pd, 1).unwrap_err().errno(), Errno::Eopnotsupp);
}

#[test]
fn a5_maximum_and_type_are_checked_before_the_device_is_asked() {
    let rig = Rig::new();
    rig.mock.forget_writes();
    for max in [0, 33, u16::MAX] {
        assert_eq!(rig.device.alloc_fast_reg_mr(&rig.pd, max).unwrap_err().errno(), Errno::Einval);
    }
    assert_eq!(rig.device.alloc_mr(&rig.pd, Type::SgGaps, 1).unwrap_err().errno(), Errno::Eopnotsupp);
    assert_eq!(rig.device.alloc_mr(&rig.pd, Type::Dma, 1).unwrap_err().errno(), Errno::Einval);
    assert!(rig.mock.with(|state| state.writes.is_empty()));
}

#[test]
fn a5_a_full_table_and_a_full_page_buffer_are_enomem() {
    let rig = Rig::new();
    let regions: Vec<_> = (0..31).map(|_| rig.device.alloc_fast_reg_mr(&rig.pd, 1).unwrap()).collect();
    assert_eq!(rig.device.alloc_fast_reg_mr(&rig.pd, 1).unwrap_err().errno(), Errno::Enomem);
    for region in regions {
        region.dereg().unwrap();
    }
    let large: Vec<_> = (0..16).map(|_| rig.device.alloc_fast_reg_mr(&rig.pd, 32).unwrap()).collect();
    assert_eq!(rig.device.alloc_fast_reg_mr(&rig.pd, 1).unwrap_err().errno(), Errno::Enomem);
    drop(large);
}

#[test]
fn a6_index_is_at_least_1_and_ranges_do_not_overlap() {
    let rig = Rig::new();
    let regions: Vec<_> = (1..=31).map(|n| rig.device.alloc_fast_reg_mr(&rig.pd, n % 9 + 1).unwrap()).collect();
    let mut taken = BTreeMap::new();
    for mr in &regions {
        assert!(mr.index() >= 1 && mr.index() < 32);
        assert_eq!((mr.lkey(), mr.rkey(), mr.key() >> 8), (mr.key(), mr.key(), mr.index()));
        assert_eq!(mr.state(), MrState::Free);
        assert_eq!(mr.query().unwrap().state, MrTableState::Free);
        assert_eq!(mr.page_base() % 8, 0);
        let size = u32::from(mr.max_pages()).next_multiple_of(8);
        for entry in mr.page_base()..mr.page_base() + size {
            assert!(entry < 512);
            assert_eq!(taken.insert(entry, mr.index()), None);
        }
    }
}

#[test]
fn a6_the_device_is_told_pd_key_byte_type_maximum_and_range() {
    let rig = Rig::new();
    let first = rig.device.alloc_fast_reg_mr(&rig.pd, 9).unwrap();
    let mr = rig.device.alloc_fast_reg_mr(&rig.pd, 3).unwrap();
    let entry = rig.mock.with(|state| state.mrs[&mr.index()].clone());
    assert_eq!((entry.pd, entry.key, entry.max_pages, entry.page_base), (rig.pd.number(), mr.key(), 3, 16));
    assert_eq!(rig.mock.written(0x0208).last(), Some(&(0x100 | mr.key() & 0xFF)), "type and key byte");
    drop(first);
}

#[test]
fn a7_a_refused_allocation_leaves_nothing_behind() {
    let rig = Rig::new();
    let reference = rig.device.alloc_fast_reg_mr(&rig.pd, 32).unwrap();
    let (index, base) = (reference.index(), reference.page_base());
    reference.dereg().unwrap();
    for _ in 0..40 {
        rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(1, 16)));
        assert_eq!(rig.device.alloc_fast_reg_mr(&rig.pd, 32).unwrap_err().errno(), Errno::Ebusy);
    }
    let mr = rig.device.alloc_fast_reg_mr(&rig.pd, 32).unwrap();
    assert_eq!((mr.index(), mr.page_base()), (index, base));
}

#[test]
fn a7_an_unanswered_allocation_keeps_its_index_and_range_from_others() {
    let rig = Rig::new();
    rig.mock.with(|state| state.refusals.push_back(Refusal::LostAnswer(1)));
    let error = rig.device.alloc_fast_reg_mr(&rig.pd, 8).unwrap_err();
    assert_eq!(error.errno(), Errno::Etimedout);
    let mr = rig.device.alloc_fast_reg_mr(&rig.pd, 8).expect("the device would answer EBUSY for the same index");
    assert_eq!((mr.index(), mr.page_base()), (2, 8));
}

#[test]
fn a11_update_key_changes_the_driver_copy_only() {
    let rig = Rig::new();
    let mr = rig.mr();
    let old = mr.key();
    mr.update_key(0xAB);
    assert_eq!((mr.key(), mr.lkey(), mr.rkey()), (mr.index() << 8 | 0xAB, mr.key(), mr.key()));
    assert_eq!(mr.query().unwrap().key, old);
    rig.register(&mr);
    assert_eq!(mr.query().unwrap().key, mr.index() << 8 | 0xAB);
}

#[test]
fn a13_bump_key_counts_the_byte_modulo_256() {
    let rig = Rig::new();
    let mr = rig.mr();
    mr.update_key(0xFE);
    assert_eq!(mr.bump_key() & 0xFF, 0xFF);
    assert_eq!(mr.bump_key(), mr.index() << 8, "the index stays (A12)");
}

#[test]
fn a14_a_free_and_a_valid_region_can_be_deregistered() {
    let rig = Rig::new();
    let (free, valid) = (rig.mr(), rig.mr());
    rig.register(&valid);
    assert_eq!(valid.state(), MrState::Valid);
    free.dereg().unwrap();
    valid.dereg().unwrap();
    assert!(rig.mock.with(|state| state.mrs.is_empty()));
}

#[test]
fn a16_dereg_with_an_uncompleted_request_is_ebusy_and_the_device_is_not_asked() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(SendRequest::reg_mr(0, rig.registration(&mr))).unwrap();
    assert_eq!(mr.state(), MrState::Pending);
    rig.mock.forget_writes();
    let kept = mr.dereg().unwrap_err();
    assert_eq!((kept.error, kept.errno()), (Error::Busy(Busy::RequestOutstanding), Errno::Ebusy));
    assert!(rig.mock.with(|state| state.writes.is_empty()));
    let mr = kept.object;
    rig.mock.with(|state| state.held = false);
    rig.mock.run();
    let mr = mr.dereg().expect_err("complete, but the driver has not seen it").object;
    assert!(rig.next().is_success());
    assert_eq!(mr.state(), MrState::Valid);
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    assert_eq!(mr.state(), MrState::Invalidating);
    let mr = mr.dereg().unwrap_err().object;
    rig.next();
    assert_eq!(mr.state(), MrState::Free);
    mr.dereg().unwrap();
}

#[test]
fn a17_a_refused_dereg_leaves_the_region_owned_and_its_range_taken() {
    let rig = Rig::new();
    let mr = rig.device.alloc_fast_reg_mr(&rig.pd, 32).unwrap();
    let base = mr.page_base();
    rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(2, 110)));
    let kept = mr.dereg().unwrap_err();
    assert_eq!(kept.errno(), Errno::Etimedout);
    let other = rig.device.alloc_fast_reg_mr(&rig.pd, 1).unwrap();
    assert!(other.page_base() >= base + 32);
    assert!(rig.pd.uses() == 3);
    kept.object.dereg().unwrap();
    assert!(rig.pd.uses() == 2);
}

#[test]
fn a17_an_unanswered_dereg_may_be_repeated_whether_it_was_executed_or_not() {
    let rig = Rig::new();
    for refusal in [Refusal::Silence(2), Refusal::LostAnswer(2)] {
        let mr = rig.mr();
        rig.mock.with(|state| state.refusals.push_back(refusal));
        let kept = mr.dereg().unwrap_err();
        assert_eq!(kept.errno(), Errno::Etimedout);
        kept.object.dereg().unwrap();
    }
    assert_eq!(rig.pd.uses(), 1);
    // An answer that the region does not exist is an error where nothing was lost.
    let mr = rig.mr();
    rig.mock.with(|state| state.mrs.clear());
    assert_eq!(mr.dereg().unwrap_err().errno(), Errno::Einval);
}

#[test]
fn a19_a_reused_index_gets_another_key_byte() {
    let rig = Rig::new();
    for round in 0..600u32 {
        let mr = rig.mr();
        let allocated = mr.key();
        // Leave all sorts of bytes behind: in hardware, in the driver's copy, in both.
        mr.update_key((round * 37) as u8);
        if round % 3 == 0 {
            rig.register(&mr);
        }
        if round % 2 == 0 {
            mr.bump_key();
        }
        let (index, hardware, software) = (mr.index(), mr.query().unwrap().key, mr.key());
        mr.dereg().unwrap();
        let next = rig.mr();
        assert_eq!(next.index(), index);
        assert!(next.key() != hardware && next.key() != software, "round {round}");
        assert!(round % 3 == 0 || hardware == allocated);
        next.dereg().unwrap();
    }
}

#[test]
fn a20_70_000_allocations_stay_in_the_range_of_indices() {
    let rig = Rig::new();
    let mut held = Vec::new();
    for round in 0..70_000u32 {
        let mr = rig.device.alloc_fast_reg_mr(&rig.pd, 1 + (round % 32) as u16).unwrap();
        assert!((1..32).contains(&mr.index()));
        held.push(mr);
        if held.len() == 7 {
            held.swap_remove(round as usize % 7).dereg().unwrap();
        }
    }
}

#[test]
fn d13_a_flushed_registration_is_quarantined_until_drain_and_query() {
    let rig = Rig::new();
    let (mr, bystander) = (rig.mr(), rig.mr());
    rig.register(&bystander);
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(SendRequest::reg_mr(1, rig.registration(&mr))).unwrap();
    rig.qp.to_err().unwrap();
    assert_eq!(mr.recover(), Err(Error::Busy(Busy::RequestOutstanding)));
    rig.mock.with(|state| state.held = false);
    assert_eq!(rig.next().status, rnic_driver::Status::WrFlush);
    assert_eq!((mr.state(), bystander.state()), (MrState::Quarantined, MrState::Valid));
    assert_eq!(mr.recover(), Err(Error::Busy(Busy::Quarantined)));
    let kept = mr.dereg().unwrap_err();
    assert_eq!(kept.error, Error::Busy(Busy::Quarantined));
    let mr = kept.object;
    rig.qp.drain().unwrap();
    assert_eq!(mr.state(), MrState::Quarantined, "a drain alone does not tell the state");
    assert_eq!(mr.recover(), Ok(MrState::Free));
    mr.dereg().unwrap();
}

#[test]
fn d13_recovery_takes_state_and_key_from_the_device() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.register(&mr);
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    rig.qp.to_err().unwrap();
    rig.mock.with(|state| state.held = false);
    rig.qp.drain().unwrap();
    assert_eq!(mr.state(), MrState::Quarantined);
    assert_eq!(mr.recover(), Ok(MrState::Valid), "the invalidation was flushed");
}

#[test]
fn d13_a_failed_request_changes_nothing_and_is_no_reason_for_quarantine() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.register(&mr);
    rig.qp.post_send(SendRequest::reg_mr(1, rig.registration(&mr))).unwrap();
    let completion = rig.next();
    assert_eq!(
        (completion.status, completion.syndrome),
        (rnic_driver::Status::MwBind, rnic_driver::Syndrome::MrNotFree)
    );
    assert_eq!(mr.state(), MrState::Valid);
}

#[test]
fn registration_and_invalidation_in_one_batch_pass_through_both_states() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    let register = SendRequest::reg_mr(1, rig.registration(&mr)).unsignaled();
    rig.qp.post_send_list([register, rig.invalidation(2, &mr)]).unwrap();
    assert_eq!(mr.state(), MrState::Invalidating);
    rig.mock.with(|state| state.held = false);
    assert_eq!(rig.next().wr_id, 2);
    assert_eq!(mr.state(), MrState::Free);
}

#[test]
fn c18_a_key_of_no_registration_is_told_and_nothing_is_guessed() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.register(&mr);
    // Another key of the region, one of no region, and the right one, twice.
    let keys = [mr.key() ^ 0x80, 0x1F55, mr.key(), mr.key()];
    for (round, key) in keys.into_iter().enumerate() {
        rig.qp.post_receive(&rnic_driver::ReceiveRequest::new(round as u64, [])).unwrap();
        rig.mock.with(|state| state.receive_send(rig.qp.number(), &[], rnic_driver::SendExtra::Invalidate(key)));
        let completion = rig.next();
        assert_eq!((completion.invalidated_key, completion.unknown_key), (Some(key), round < 2), "{key:#x}");
        assert_eq!(mr.state() == MrState::Valid, round < 2);
    }
    rig.qp.post_send(rig.invalidation(9, &mr)).unwrap();
    assert!(!rig.next().unknown_key);
}
