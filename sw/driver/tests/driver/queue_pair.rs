//! Queue pairs: numbers, creation, transitions, destruction.

use std::collections::BTreeSet;

use rnic_driver::{
    Access, AddressVector, Errno, InitAttributes, QpAttributes, QpOptions, QpState, ReadyToReceive, ReadyToSend,
};
use rnic_mock::{Refusal, Rig};

#[test]
fn t5_numbers_are_generation_and_index_never_0_or_1_and_change_on_reuse() {
    let rig = Rig::new();
    let mut numbers = BTreeSet::new();
    for _ in 0..50 {
        let queue_pairs: Vec<_> =
            (0..7).map(|_| rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap()).collect();
        for qp in queue_pairs {
            assert!(qp.number() > 1 && qp.number() < 1 << 24);
            assert_eq!(qp.number() % 8, qp.index());
            assert!(numbers.insert(qp.number()));
            qp.destroy().unwrap();
        }
    }
}

#[test]
fn t5_all_indices_are_usable() {
    let rig = Rig::new();
    let more: Vec<_> = (0..7)
        .map(|_| rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap().index())
        .collect();
    assert_eq!(more, [1, 2, 3, 4, 5, 6, 7]);
    let error = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap_err();
    assert_eq!(error.errno(), Errno::Enomem);
}

#[test]
fn the_device_is_told_everything_at_creation() {
    let rig = Rig::new();
    let receive_cq = rig.device.create_cq(4, 0).unwrap();
    let options = QpOptions { send_slots: 9, receive_slots: 1, privileged: true, signal_all: true };
    let qp = rig.device.create_qp(&rig.pd, &rig.cq, &receive_cq, options).unwrap();
    assert_eq!((qp.send_slots(), qp.receive_slots(), qp.state()), (16, 4, QpState::Reset));
    let seen = rig.mock.with(|state| state.qps[&qp.index()].clone());
    assert_eq!((seen.qpn, seen.pd), (qp.number(), rig.pd.number()));
    assert_eq!((seen.send_cqn, seen.receive_cqn), (rig.cq.number(), receive_cq.number()));
    assert_eq!((seen.sq_log2, seen.rq_log2, seen.privileged, seen.sig_all), (4, 2, true, true));
    assert_eq!((seen.sq_base, seen.rq_base), (qp.send_ring_address(), qp.receive_ring_address()));
}

#[test]
fn ring_sizes_are_limited() {
    let rig = Rig::new();
    for (send_slots, receive_slots) in [(0, 4), (4, 0), (32_769, 4), (4, 32_769)] {
        let options = QpOptions { send_slots, receive_slots, ..QpOptions::default() };
        let error = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, options).unwrap_err();
        assert_eq!(error.errno(), Errno::Einval);
    }
}

#[test]
fn a_refused_creation_is_undone_and_an_unanswered_one_keeps_the_index() {
    let rig = Rig::new();
    rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(0x0A, 16)));
    let create = || rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default());
    assert_eq!(create().unwrap_err().errno(), Errno::Ebusy);
    assert_eq!(rig.pd.uses(), 1);
    rig.mock.with(|state| state.refusals.push_back(Refusal::LostAnswer(0x0A)));
    assert_eq!(create().unwrap_err().errno(), Errno::Etimedout);
    assert_eq!(create().unwrap().index(), 2);
}

#[test]
fn t1_each_transition_gives_exactly_the_attributes_of_the_table() {
    let rig = Rig::new();
    let qp = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap();
    let words = || rig.mock.with(|state| state.qps[&qp.index()].modified_by.clone());
    let masks = || (words()[1], words()[2]);
    qp.to_init(&InitAttributes::default()).unwrap();
    assert_eq!(masks(), (1, 0b11));
    qp.update(&QpAttributes { pkey: Some(1), ..QpAttributes::default() }).unwrap();
    assert_eq!(masks(), (1, 0b10));
    let access = QpAttributes { access: Some(Access::REMOTE_READ), ..QpAttributes::default() };
    qp.to_rtr(&ReadyToReceive::default(), access).unwrap();
    assert_eq!(masks(), (2, 0b1111_1101));
    qp.to_rts(&ReadyToSend::default(), QpAttributes::default()).unwrap();
    assert_eq!(masks(), (3, 0b1_1111_0000_0000));
    qp.to_sqd(Some(true)).unwrap();
    assert_eq!((masks(), words()[8]), ((4, 1 << 13), 1 << 16));
    qp.resume().unwrap();
    assert_eq!(masks(), (3, 0));
    qp.to_sqd(None).unwrap();
    assert_eq!(masks(), (4, 0));
    qp.to_err().unwrap();
    assert_eq!((masks(), qp.state()), ((6, 0), QpState::Err));
    qp.reset().unwrap();
    assert_eq!((masks(), qp.state()), ((0, 0), QpState::Reset));
}

#[test]
fn t1_a_refused_transition_changes_nothing() {
    let rig = Rig::new();
    let qp = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap();
    let error = qp.to_rts(&ReadyToSend::default(), QpAttributes::default()).unwrap_err();
    assert_eq!((error.errno(), qp.state()), (Errno::Einval, QpState::Reset));
    assert_eq!(qp.modify(QpState::Reset, &QpAttributes::default()).unwrap_err().errno(), Errno::Einval);
}

#[test]
fn modify_puts_each_attribute_in_its_place() {
    let rig = Rig::new();
    let address = AddressVector {
        source_port: 0xC000,
        vlan: Some(0x2123),
        mac: [0x02, 0x11, 0x22, 0x33, 0x44, 0x55],
        own_address: 5,
        ipv6: true,
        destination: core::array::from_fn(|n| 0xA0 + n as u8),
        flow_label: 0xF1234,
        traffic_class: 0x6B,
        hop_limit: 64,
    };
    let attributes = QpAttributes {
        access: Some(Access::REMOTE_WRITE | Access::REMOTE_READ),
        pkey: Some(0xFFFF),
        address: Some(address),
        mtu: Some(5),
        dest_qpn: Some(0x12_3456),
        rq_psn: Some(0xAB_CDEF),
        max_dest_rd: Some(3),
        min_rnr: Some(12),
        timeout: Some(14),
        retry_cnt: Some(6),
        rnr_retry: Some(7),
        sq_psn: Some(0xFE_DCBA),
        max_rd: Some(4),
        drained_event: Some(true),
    };
    rig.qp.modify(QpState::Rts, &attributes).unwrap();
    let words = rig.mock.with(|state| state.qps[&rig.qp.index()].modified_by.clone());
    let expected = [
        rig.qp.number(),
        3,
        0x3FFF,
        0x0506_FFFF,
        0x12_3456,
        0xAB_CDEF,
        0xFE_DCBA,
        0x0C07_060E,
        0x0001_0304,
        0x2123_C000,
        0x3322_1102,
        0x0305_5544,
        0xA3A2_A1A0,
        0xA7A6_A5A4,
        0xABAA_A9A8,
        0xAFAE_ADAC,
        0xF1234,
        0x406B,
    ];
    assert_eq!(words, expected);
}

#[test]
fn t6_destroying_gives_rings_index_and_domain_back() {
    let rig = Rig::new();
    let memory = || rig.mock.with(|state| state.memory.len());
    let before = memory();
    let qp = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap();
    assert_eq!((memory(), rig.pd.uses()), (before + 2, 2));
    qp.destroy().unwrap();
    assert_eq!((memory(), rig.pd.uses()), (before, 1));
}

#[test]
fn t6_an_unanswered_destroy_may_be_repeated() {
    let rig = Rig::new();
    for refusal in [Refusal::Silence(0x0C), Refusal::LostAnswer(0x0C)] {
        let qp = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap();
        rig.mock.with(|state| state.refusals.push_back(refusal));
        let kept = qp.destroy().unwrap_err();
        assert_eq!((kept.errno(), rig.pd.uses()), (Errno::Etimedout, 2));
        kept.object.destroy().unwrap();
        assert_eq!(rig.pd.uses(), 1);
    }
}
