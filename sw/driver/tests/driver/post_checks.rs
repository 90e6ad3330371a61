//! What the driver refuses to post: one table of vectors for registration, and the rules of states and capabilities.

use rnic_abi::wqe::Sge;
use rnic_driver::{
    Access, Data, Device, Errno, Feature, MrState, Operation, Pages, PostError, QpOptions, QpState, RegMr, Remote,
    SendExtra, SendRequest,
};
use rnic_mock::{Mock, MockPlatform, Rig};

type Change = fn(&mut SendRequest<MockPlatform>);

/// Posts a legal registration of 2 pages after `change`, without executing it, and gives the error.
fn refused(rig: &Rig, change: impl Fn(&mut SendRequest<MockPlatform>)) -> Option<PostError> {
    let mr = rig.device.alloc_fast_reg_mr(&rig.pd, 4).unwrap();
    let list = rig.device.alloc_page_list(8).unwrap();
    let registration = RegMr::new(&mr, Access::LOCAL_WRITE, 0x1800, 0x1000, list).npages(2);
    let mut request = SendRequest::reg_mr(0, registration);
    change(&mut request);
    let result = rig.qp.post_send(request);
    if let Err(bad) = &result {
        let expected = if bad.error == PostError::Full { Errno::Enomem } else { Errno::Einval };
        assert_eq!((bad.errno(), bad.rest.len(), mr.state()), (expected, 1, MrState::Free));
        mr.dereg().unwrap();
        return Some(bad.error);
    }
    assert_eq!(mr.state(), MrState::Pending);
    assert!(rig.next().is_success());
    mr.dereg().unwrap();
    None
}

/// The registration in a request.
fn reg(request: &mut SendRequest<MockPlatform>) -> &mut RegMr<MockPlatform> {
    match &mut request.operation {
        Operation::RegMr(registration) => registration,
        _ => unreachable!(),
    }
}

fn check(vectors: &[(Change, Option<PostError>)]) {
    let rig = Rig::new();
    for (index, (change, expected)) in vectors.iter().enumerate() {
        assert_eq!(refused(&rig, change), *expected, "vector {index}");
    }
}

#[test]
fn a_legal_registration_is_posted() {
    check(&[(|_| {}, None)]);
}

#[test]
fn b1_flags_and_inline_length() {
    check(&[
        (|r| r.solicited = true, Some(PostError::Flags)),
        (|r| r.fence = true, None),
        (
            |r| {
                reg(r).pages = Pages::Inline(vec![0x1000; 5]);
                reg(r).npages = 5;
            },
            Some(PostError::InlinePages),
        ),
        (|r| reg(r).pages = Pages::Inline(vec![0x1000; 4]), None),
    ]);
}

#[test]
fn b3_key_index_0() {
    check(&[(|r| reg(r).key = 0, Some(PostError::KeyReserved)), (|r| reg(r).key = 0xFF, Some(PostError::KeyReserved))]);
}

#[test]
fn a12_key_of_another_region() {
    check(&[(|r| reg(r).key += 0x100, Some(PostError::KeyIndex)), (|r| reg(r).key ^= 0x80, None)]);
}

#[test]
fn b5_protection_domains_differ() {
    let rig = Rig::new();
    let other = rig.device.alloc_pd().unwrap();
    let mr = rig.device.alloc_fast_reg_mr(&other, 4).unwrap();
    let bad = rig.qp.post_send(SendRequest::reg_mr(0, rig.registration(&mr))).unwrap_err();
    assert_eq!((bad.error, bad.errno()), (PostError::ProtectionDomain, Errno::Einval));
}

#[test]
fn b8_remote_write_and_atomic_need_local_write() {
    check(&[
        (|r| reg(r).access = Access::REMOTE_WRITE, Some(PostError::NeedsLocalWrite)),
        (|r| reg(r).access = Access::REMOTE_ATOMIC, Some(PostError::NeedsLocalWrite)),
        (|r| reg(r).access = Access::REMOTE_WRITE | Access::LOCAL_WRITE, None),
        (|r| reg(r).access = Access::REMOTE_READ, None),
        (|r| reg(r).access = Access::NONE, None),
    ]);
}

#[test]
fn b9_undefined_access_bits() {
    check(&[
        (|r| reg(r).access = Access::REMOTE_INVALIDATE, Some(PostError::UndefinedAccess)),
        (|r| reg(r).access = Access::from_bits(0x40), Some(PostError::UndefinedAccess)),
        (|r| reg(r).access = Access::from_bits(0x81), Some(PostError::UndefinedAccess)),
        (|r| reg(r).access = Access::from_bits(0x0F), None),
    ]);
}

#[test]
fn b9_atomics_on_a_device_without() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 1);
    let device = Device::open(mock.platform()).unwrap();
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(4, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    qp.activate().unwrap();
    let mr = device.alloc_fast_reg_mr(&pd, 1).unwrap();
    let access = Access::LOCAL_WRITE | Access::REMOTE_ATOMIC;
    let registration = RegMr::new(&mr, access, 0, 1, Pages::Inline(vec![0]));
    let bad = qp.post_send(SendRequest::reg_mr(0, registration)).unwrap_err();
    assert_eq!(bad.error, PostError::UndefinedAccess);
}

#[test]
fn b10_page_size_must_be_offered() {
    let rig = Rig::new();
    for shift in 0..=255u8 {
        let expected = if (12..=21).contains(&shift) { None } else { Some(PostError::PageShift) };
        let found = refused(&rig, |r| {
            let fields = reg(r);
            (fields.page_shift, fields.fbo) = (shift, if shift > 12 { 0x1800 } else { 0x800 });
        });
        assert_eq!(found, expected, "page shift {shift}");
    }
}

#[test]
fn b11_page_count_up_to_the_region_maximum() {
    check(&[
        (|r| reg(r).npages = 0, Some(PostError::PageCount)),
        (|r| reg(r).npages = 5, Some(PostError::PageCount)),
        (|r| reg(r).npages = 4, None),
    ]);
}

#[test]
fn a_list_must_have_as_many_entries_as_count() {
    let rig = Rig::new();
    let mr = rig.mr();
    let list = rig.device.alloc_page_list(2).unwrap();
    let bad =
        rig.qp.post_send(SendRequest::reg_mr(0, RegMr::new(&mr, Access::NONE, 0, 1, list).npages(3))).unwrap_err();
    assert_eq!(bad.error, PostError::ListLength);
}

#[test]
fn b12_length_from_1_to_the_device_maximum() {
    check(&[
        (|r| reg(r).length = 0, Some(PostError::Length)),
        (|r| reg(r).length = (1 << 26) + 1, Some(PostError::Length)),
        (|r| reg(r).length = u64::MAX, Some(PostError::Length)),
        (|r| reg(r).length = 1 << 26, Some(PostError::Cover)),
    ]);
}

#[test]
fn b13_iova_plus_length_may_reach_but_not_pass_2_pow_64() {
    check(&[
        (
            |r| {
                let fields = reg(r);
                (fields.iova, fields.fbo, fields.length, fields.npages) = (0xFFFF_FFFF_FFFF_F000, 0, 0x1000, 1);
            },
            None,
        ),
        (
            |r| {
                let fields = reg(r);
                (fields.iova, fields.fbo, fields.length, fields.npages) = (0xFFFF_FFFF_FFFF_F000, 0, 0x1001, 2);
            },
            Some(PostError::Wrap),
        ),
        (
            |r| {
                let fields = reg(r);
                (fields.iova, fields.fbo, fields.length, fields.npages) = (u64::MAX, 0xFFF, 1, 1);
            },
            None,
        ),
    ]);
}

#[test]
fn b14_b15_b11_b12_worked_vectors_of_the_specification() {
    let rig = Rig::new();
    for (iova, length, fbo, npages, expected) in [
        (0x1000, 0x1000, 0, 1, None),
        (0x1800, 0x0800, 0x800, 1, None),
        (0x1800, 0x0801, 0x800, 1, Some(PostError::Cover)),
        (0x1800, 0x0801, 0x800, 2, None),
        (0x1800, 0x0800, 0, 1, Some(PostError::FirstByteOffset)),
        (0x1000, 0x4001, 0, 5, Some(PostError::PageCount)),
        (0xFFFF_FFFF_FFFF_F000, 0x1000, 0, 1, None),
        (0xFFFF_FFFF_FFFF_F000, 0x1001, 0, 2, Some(PostError::Wrap)),
        (0xFFFF_FFFF_FFFF_FFFF, 1, 0xFFF, 1, None),
        (0, 0, 0, 1, Some(PostError::Length)),
    ] {
        let found = refused(&rig, |r| {
            let fields = reg(r);
            (fields.iova, fields.length, fields.fbo, fields.npages) = (iova, length, fbo, npages);
        });
        assert_eq!(found, expected, "iova {iova:#x} length {length:#x} fbo {fbo:#x} npages {npages}");
    }
}

#[test]
fn b15_a_zero_based_region_starts_at_0_with_an_offset_inside_the_page() {
    check(&[
        (|r| reg(r).access |= Access::ZERO_BASED, Some(PostError::FirstByteOffset)),
        (
            |r| {
                let fields = reg(r);
                fields.access |= Access::ZERO_BASED;
                (fields.iova, fields.fbo, fields.length) = (0, 0xFFF, 0x1001);
            },
            None,
        ),
        (
            |r| {
                let fields = reg(r);
                fields.access |= Access::ZERO_BASED;
                (fields.iova, fields.fbo, fields.length) = (0, 0x1000, 0x1000);
            },
            Some(PostError::FirstByteOffset),
        ),
    ]);
}

#[test]
fn b16_list_address_is_aligned_and_on_the_bus() {
    let rig = Rig::new();
    for (address, expected) in [
        (0x1_0008, Some(PostError::ListAddress)),
        (0x1_0020, Some(PostError::ListAddress)),
        ((1 << 52) - 8, Some(PostError::ListAddress)),
        (1 << 52, Some(PostError::ListAddress)),
        (!63, Some(PostError::ListAddress)),
    ] {
        assert_eq!(refused(&rig, |r| reg(r).pages = Pages::Address(address)), expected, "{address:#x}");
    }
    // The last list that is on the bus: the mock notes that nothing is there.
    assert_eq!(refused(&rig, |r| reg(r).pages = Pages::Address((1 << 52) - 64)), None);
}

#[test]
fn b21_inline_data_is_refused() {
    check(&[(|r| r.inline_data = true, Some(PostError::InlineData))]);
    let rig = Rig::new();
    let mut request = SendRequest::local_inv(0, 0x100);
    request.inline_data = true;
    assert_eq!(rig.qp.post_send(request).unwrap_err().error, PostError::InlineData);
}

#[test]
fn the_first_rule_in_order_is_named() {
    check(&[
        (
            |r| {
                let fields = reg(r);
                fields.access = Access::REMOTE_WRITE;
                (fields.page_shift, fields.npages, fields.length) = (11, 0, 0);
            },
            Some(PostError::NeedsLocalWrite),
        ),
        (|r| (reg(r).page_shift, reg(r).npages, reg(r).length) = (11, 0, 0), Some(PostError::PageShift)),
        (|r| (reg(r).npages, reg(r).length) = (0, 0), Some(PostError::PageCount)),
    ]);
}

#[test]
fn a_deregistered_region_cannot_be_registered() {
    let rig = Rig::new();
    let mr = rig.mr();
    let registration = rig.registration(&mr);
    mr.dereg().unwrap();
    let bad = rig.qp.post_send(SendRequest::reg_mr(0, registration)).unwrap_err();
    assert_eq!((bad.error, bad.errno()), (PostError::RegionGone, Errno::Einval));
}

#[test]
fn b23_states_that_take_sends() {
    let rig = Rig::new();
    let mr = rig.mr();
    let qp = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap();
    let post = || qp.post_send(rig.invalidation(1, &mr)).map_err(|bad| (bad.error, bad.errno()));
    let refused = |state| Err((PostError::State(state), Errno::Einval));
    assert_eq!(post(), refused(QpState::Reset));
    assert_eq!(qp.post_raw(0, &[[0; 64]]), Err(PostError::State(QpState::Reset)));
    qp.to_init(&Default::default()).unwrap();
    assert_eq!(post(), refused(QpState::Init));
    qp.to_rtr(&Default::default(), Default::default()).unwrap();
    assert_eq!(post(), refused(QpState::Rtr));
    qp.to_rts(&Default::default(), Default::default()).unwrap();
    assert_eq!(post(), Ok(()));
    assert!(rig.next().is_success());
    qp.to_sqd(None).unwrap();
    assert_eq!(post(), Ok(()), "queued");
    rig.mock.run();
    assert!(rig.cq.poll().unwrap().is_none());
    qp.resume().unwrap();
    assert!(rig.next().is_success());
    qp.to_err().unwrap();
    assert_eq!(post(), Ok(()), "flushed later; a drain depends on it");
    assert_eq!(rig.next().status, rnic_driver::Status::WrFlush);
}

#[test]
fn a2_data_transfers_are_not_supported_without_the_capability_rc() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 1);
    let device = Device::open(mock.platform()).unwrap();
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(4, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    qp.activate().unwrap();
    mock.with(|state| state.writes.clear());
    for data in all_data() {
        let bad = qp.post_send(SendRequest::data(0, data)).unwrap_err();
        assert_eq!(bad.error, PostError::NotSupported(Feature::ReliableConnection));
        assert_eq!(bad.errno(), Errno::Eopnotsupp);
    }
    assert!(mock.with(|state| state.writes.is_empty()));
}

#[test]
fn a2_memory_management_is_not_supported_without_its_capability() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 2);
    let device = Device::open(mock.platform()).unwrap();
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(4, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    qp.activate().unwrap();
    let bad = qp.post_send(SendRequest::local_inv(0, 0x100)).unwrap_err();
    assert_eq!((bad.error, bad.errno()), (PostError::NotSupported(Feature::MemoryManagement), Errno::Eopnotsupp));
}

fn sge(n: u64) -> Sge {
    Sge { address: 0x1000 * n, length: 0x100 + n as u32, lkey: 0xA00 + n as u32 }
}

fn all_data() -> Vec<Data> {
    let remote = Remote { address: 0x1122_3344_5566_7788, rkey: 0x99AA_BBCC };
    let sges = |n: u64| (1..=n).map(sge).collect::<Vec<_>>();
    vec![
        Data::Send { sges: sges(1), extra: SendExtra::None },
        Data::Send { sges: sges(3), extra: SendExtra::Immediate(0x0102_0304) },
        Data::Send { sges: sges(0), extra: SendExtra::Invalidate(0x0506_0708) },
        Data::Write { sges: sges(2), remote, immediate: None },
        Data::Write { sges: sges(4), remote, immediate: Some(0x0102_0304) },
        Data::Read { sges: sges(1), remote, invalidate: false },
        Data::Read { sges: sges(1), remote, invalidate: true },
        Data::CompareSwap { sge: Sge { length: 8, ..sge(1) }, remote, compare: 0x77, swap: 0x88 },
        Data::FetchAdd { sge: Sge { length: 8, ..sge(1) }, remote, add: 0x66 },
    ]
}

#[test]
fn data_transfers_are_laid_out_as_the_interface_page_says() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 0x2F);
    let device = Device::open(mock.platform()).unwrap();
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(64, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    qp.activate().unwrap();
    mock.with(|state| state.held = true);
    qp.post_send_list(all_data().into_iter().map(|data| SendRequest::data(0, data))).unwrap();
    let memory = mock.with(|state| state.memory[&qp.send_ring_address()].borrow().clone());
    // Opcode, blocks, SGEs, slot at which it starts.
    let expected = [
        (0x00, 1, 1, 0),
        (0x01, 2, 3, 1),
        (0x02, 1, 0, 3),
        (0x04, 1, 2, 4),
        (0x05, 2, 4, 5),
        (0x08, 1, 1, 7),
        (0x09, 1, 1, 8),
        (0x0C, 1, 1, 9),
        (0x0D, 1, 1, 10),
    ];
    for (opcode, blocks, sges, slot) in expected {
        let wqe = &memory[64 * slot..64 * slot + 64 * blocks];
        assert_eq!(wqe[..4], [opcode, 1, blocks as u8, sges], "opcode {opcode:#x}");
        if sges > 2 {
            assert_eq!(wqe[0x40..0x48], 0x3000u64.to_le_bytes());
        }
    }
    let at =
        |slot: usize, offset: usize, length: usize| memory[64 * slot + offset..64 * slot + offset + length].to_vec();
    assert_eq!(at(1, 4, 4), [4, 3, 2, 1], "immediate");
    assert_eq!(at(3, 4, 4), [8, 7, 6, 5], "key to invalidate");
    assert_eq!(at(4, 8, 12), [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xCC, 0xBB, 0xAA, 0x99]);
    assert_eq!(at(8, 4, 4), 0xA01u32.to_le_bytes(), "READ invalidates the key of its sink");
    assert_eq!((at(9, 0x18, 1), at(9, 0x30, 1)), (vec![0x88], vec![0x77]), "swap and compare");
    assert_eq!((at(10, 0x18, 1), at(10, 0x30, 8)), (vec![0x66], vec![0; 8]), "add");
    assert_eq!(qp.send_credits(), 64 - 11);
}

#[test]
fn c20_a_read_that_invalidates_has_exactly_one_sink() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 0x07);
    let device = Device::open(mock.platform()).unwrap();
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(64, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    qp.activate().unwrap();
    for count in [0, 2, 5] {
        let data = Data::Read { sges: vec![sge(1); count], remote: Remote::default(), invalidate: true };
        assert_eq!(qp.post_send(SendRequest::data(0, data)).unwrap_err().error, PostError::Sges);
    }
    let long = Data::Write { sges: vec![sge(1); 5], remote: Remote::default(), immediate: None };
    assert_eq!(qp.post_send(SendRequest::data(0, long)).unwrap_err().error, PostError::Sges);
    let atomic = Data::FetchAdd { sge: sge(1), remote: Remote::default(), add: 1 };
    let bad = qp.post_send(SendRequest::data(0, atomic)).unwrap_err();
    assert_eq!(bad.error, PostError::NotSupported(Feature::Atomics));
}
