//! Posting: rings, credits, batches, raw slots, completions.

use rnic_abi::register as reg;
use rnic_abi::wqe::Sge;
use rnic_driver::{
    Access, BusError, Errno, Error, MrState, Opcode, Pages, PostError, Protocol, QpOptions, ReceiveRequest, RegMr,
    SendRequest, Status, Syndrome,
};
use rnic_mock::Rig;

fn doorbells(rig: &Rig) -> Vec<u32> {
    rig.mock.written(reg::sq_doorbell(rig.qp.index()))
}

#[test]
fn a_registration_is_laid_out_as_the_interface_page_says() {
    let rig = Rig::new();
    let mr = rig.device.alloc_fast_reg_mr(&rig.pd, 8).unwrap();
    let list = rig.device.alloc_page_list(5).unwrap();
    let address = list.bus_address();
    let access = Access::LOCAL_WRITE | Access::REMOTE_READ;
    let registration = RegMr::new(&mr, access, 0x7000_0800, 0x2000, list).npages(3);
    rig.qp.post_send(SendRequest::reg_mr(9, registration).fenced()).unwrap();
    rig.next();
    let slot = rig.mock.with(|state| state.qps[&rig.qp.index()].slots[0].clone());
    assert_eq!(slot[..4], [0x20, 0x03, 1, 0x05]);
    assert_eq!(slot[4..8], mr.key().to_le_bytes());
    assert_eq!(slot[8..16], [12, 0, 3, 0, 0x00, 0x08, 0, 0]);
    assert_eq!(slot[0x10..0x18], 0x7000_0800u64.to_le_bytes());
    assert_eq!(slot[0x18..0x20], 0x2000u64.to_le_bytes());
    assert_eq!(slot[0x20..0x28], address.to_le_bytes());
    assert_eq!(slot[0x28..], [0; 0x18]);
}

#[test]
fn inline_pages_stand_in_the_request() {
    let rig = Rig::new();
    let mr = rig.mr();
    let registration = RegMr::new(&mr, Access::NONE, 0, 0x3000, Pages::Inline(vec![0xA000, 0x5000, 0x9000]));
    rig.qp.post_send(SendRequest::reg_mr(9, registration)).unwrap();
    rig.next();
    let slot = rig.mock.with(|state| state.qps[&rig.qp.index()].slots[0].clone());
    assert_eq!((slot[1], slot[0x0A]), (0x09, 3));
    let pages: Vec<u64> =
        slot[0x20..].chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(pages, [0xA000, 0x5000, 0x9000, 0]);
}

#[test]
fn offset_follows_from_address_and_page_size() {
    let rig = Rig::new();
    let mr = rig.mr();
    let registration = || RegMr::new(&mr, Access::NONE, 0x12_3456, 1, Pages::Inline(vec![0]));
    assert_eq!(registration().fbo, 0x456);
    assert_eq!(registration().page_shift(21).fbo, 0x12_3456);
    let zero_based = registration().zero_based(0x77);
    assert_eq!((zero_based.iova, zero_based.fbo, zero_based.access), (0, 0x77, Access::ZERO_BASED));
    assert_eq!(zero_based.page_shift(16).fbo, 0x77);
}

#[test]
fn b22_a_full_ring_names_the_first_request_that_was_not_posted() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    let requests: Vec<_> = (0..11).map(|wr_id| rig.invalidation(wr_id, &mr)).collect();
    let bad = rig.qp.post_send_list(requests).unwrap_err();
    assert_eq!((bad.error, bad.errno(), bad.posted), (PostError::Full, Errno::Enomem, 8));
    assert_eq!(bad.bad_wr().unwrap().wr_id, 8);
    assert_eq!(bad.rest.iter().map(|request| request.wr_id).collect::<Vec<_>>(), [8, 9, 10]);
    assert_eq!(doorbells(&rig), [8], "one doorbell for those before it");
    rig.mock.with(|state| state.held = false);
    let done: Vec<u64> = rig.all().iter().map(|completion| completion.wr_id).collect();
    assert_eq!(done, [0, 1, 2, 3, 4, 5, 6, 7]);
    rig.qp.post_send_list(bad.rest).unwrap();
    assert_eq!(rig.all().len(), 3);
}

#[test]
fn b22_a_bad_request_in_the_middle_stops_the_batch() {
    let rig = Rig::new();
    let mr = rig.mr();
    let wrong = SendRequest::reg_mr(1, RegMr::new(&mr, Access::REMOTE_WRITE, 0, 1, Pages::Inline(vec![0])));
    let bad = rig.qp.post_send_list([rig.invalidation(0, &mr), wrong, rig.invalidation(2, &mr)]).unwrap_err();
    assert_eq!((bad.error, bad.posted, bad.rest.len()), (PostError::NeedsLocalWrite, 1, 2));
    let done: Vec<u64> = rig.all().iter().map(|completion| completion.wr_id).collect();
    assert_eq!(done, [0], "nothing after it was posted");
    assert_eq!(mr.state(), MrState::Free, "a request that was not posted touches nothing");
}

#[test]
fn a_batch_rings_one_doorbell() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.post_send_list((0..5).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    assert_eq!(doorbells(&rig), [5]);
    rig.qp.post_send_list([]).unwrap();
    assert_eq!(doorbells(&rig), [5], "nothing new, no doorbell");
}

#[test]
fn staged_requests_wait_for_the_doorbell() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.stage_list([rig.invalidation(1, &mr)]).unwrap();
    assert!(rig.all().is_empty() && doorbells(&rig).is_empty());
    assert_eq!(rig.qp.send_credits(), 7);
    rig.qp.ring_send().unwrap();
    assert_eq!(rig.all().len(), 1);
}

#[test]
fn credits_come_back_when_completions_are_polled() {
    let rig = Rig::new();
    let mr = rig.mr();
    assert_eq!(rig.qp.send_credits(), 8);
    rig.qp.post_send_list((0..3).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    rig.mock.run();
    assert_eq!(rig.qp.send_credits(), 5, "the device has executed them, but the driver does not know");
    rig.next();
    assert_eq!(rig.qp.send_credits(), 6);
}

#[test]
fn d9_a_completion_retires_all_earlier_unsignaled_requests() {
    let rig = Rig::new();
    let mr = rig.mr();
    for wr_id in 0..7 {
        rig.qp.post_send(rig.invalidation(wr_id, &mr).unsignaled()).unwrap();
    }
    assert!(rig.all().is_empty());
    assert_eq!(rig.qp.send_credits(), 1);
    rig.qp.post_send(rig.invalidation(7, &mr)).unwrap();
    let completion = rig.next();
    assert_eq!(completion.wr_id, 7);
    let earlier: Vec<u64> = completion.earlier.iter().map(|retired| retired.wr_id).collect();
    assert_eq!(earlier, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(rig.qp.send_credits(), 8);
}

#[test]
fn d10_an_error_of_an_unsignaled_request_completes_and_flushes_the_rest() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.register(&mr);
    let requests = [
        rig.invalidation(1, &mr).unsignaled(),
        SendRequest::local_inv(2, mr.key() ^ 1).unsignaled(),
        rig.invalidation(3, &mr).unsignaled(),
    ];
    rig.qp.post_send_list(requests).unwrap();
    let completions = rig.all();
    let seen: Vec<_> = completions.iter().map(|c| (c.wr_id, c.status, c.syndrome)).collect();
    assert_eq!(seen, [(2, Status::MwBind, Syndrome::InvKey), (3, Status::WrFlush, Syndrome::None)]);
    assert_eq!(completions[0].earlier[0].wr_id, 1);
    assert_eq!(rig.qp.state(), rnic_driver::QpState::Err);
    assert_eq!(mr.state(), MrState::Quarantined);
}

#[test]
fn d14_only_qpn_status_syndrome_and_request_count_in_an_error_completion() {
    let rig = Rig::new();
    rig.qp.post_send(SendRequest::local_inv(5, 0x1F00)).unwrap();
    let completion = rig.next();
    assert_eq!((completion.wr_id, completion.qpn), (5, rig.qp.number()));
    assert_eq!((completion.status, completion.syndrome), (Status::MwBind, Syndrome::KeyIndex));
    assert_eq!(completion.opcode, Some(Opcode::LocalInv), "from the request; the entry's own is void");
    assert_eq!((completion.byte_len, completion.immediate, completion.invalidated_key), (0, None, None));
}

#[test]
fn signal_all_makes_every_request_complete() {
    let rig = Rig::with(16, QpOptions { send_slots: 8, signal_all: true, ..QpOptions::default() });
    let mr = rig.mr();
    rig.qp.post_send_list((0..4).map(|wr_id| rig.invalidation(wr_id, &mr).unsignaled())).unwrap();
    let completions = rig.all();
    assert_eq!(completions.len(), 4);
    assert!(completions.iter().all(|completion| completion.earlier.is_empty()));
}

#[test]
fn rings_go_round_and_the_doorbell_count_wraps_at_16_bits() {
    let rig = Rig::with(4, QpOptions { send_slots: 4, ..QpOptions::default() });
    let mr = rig.mr();
    for wr_id in 0..70_000u64 {
        rig.qp.post_send(rig.invalidation(wr_id, &mr)).unwrap();
        let completion = rig.next();
        assert_eq!((completion.wr_id, completion.status), (wr_id, Status::Success));
        assert_eq!(u64::from(completion.entry.slot), wr_id % 4);
        rig.mock.with(|state| state.qps.values_mut().for_each(|qp| qp.slots.clear()));
        rig.mock.forget_writes();
    }
    assert!(!rig.mock.with(|state| state.cqs[&0].overflowed));
}

#[test]
fn d9_a_completion_that_passes_over_a_signaled_request_is_a_protocol_error() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send_list((0..3).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    let qpn = rig.qp.number();
    for (slot, expected) in [
        (1, Protocol::Skipped { qpn, slot: 1 }),
        (5, Protocol::Slot { qpn, slot: 5 }),
        (0x100, Protocol::Slot { qpn, slot: 0x100 }),
    ] {
        rig.mock.with(|state| state.complete(0, qpn, 0x21, 0, 0, slot, 0));
        assert_eq!(rig.cq.poll().unwrap_err(), Error::Protocol(expected));
    }
    rig.mock.with(|state| state.complete(0, qpn, 0x21, 0, 0, 0, 0));
    assert_eq!(rig.cq.poll().unwrap().unwrap().wr_id, 0, "the others are still there");
}

#[test]
fn d9_no_request_is_reported_twice() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    rig.next();
    let qpn = rig.qp.number();
    rig.mock.with(|state| state.complete(0, qpn, 0x21, 0, 0, 0, 0));
    assert_eq!(rig.cq.poll().unwrap_err(), Error::Protocol(Protocol::Slot { qpn, slot: 0 }));
}

#[test]
fn a_completion_before_the_doorbell_is_a_protocol_error() {
    let rig = Rig::new();
    let mr = rig.mr();
    rig.qp.stage_list([rig.invalidation(1, &mr)]).unwrap();
    let qpn = rig.qp.number();
    rig.mock.with(|state| state.complete(0, qpn, 0x21, 0, 0, 0, 0));
    assert_eq!(rig.cq.poll().unwrap_err(), Error::Protocol(Protocol::Slot { qpn, slot: 0 }));
}

#[test]
fn completions_that_cannot_be_are_protocol_errors() {
    let rig = Rig::new();
    let qpn = rig.qp.number();
    let stranger = qpn + 8;
    for (number, status, syndrome, expected) in [
        (stranger, 0, 0, Protocol::QueuePair { qpn: stranger }),
        (qpn, 3, 0, Protocol::Status { status: 3 }),
        (qpn, 6, 0x7E, Protocol::Syndrome { syndrome: 0x7E }),
    ] {
        rig.mock.with(|state| state.complete(0, number, 0, status, syndrome, 0, 0));
        assert_eq!(rig.cq.poll().unwrap_err(), Error::Protocol(expected));
    }
    // A completion in the ring of another completion queue.
    let other = rig.device.create_cq(4, 0).unwrap();
    rig.mock.with(|state| state.complete(other.number(), qpn, 0x21, 0, 0, 0, 0));
    assert_eq!(other.poll().unwrap_err(), Error::Protocol(Protocol::QueuePair { qpn }));
}

#[test]
fn d19_a_raw_request_completes_with_what_the_device_says() {
    let rig = Rig::new();
    let mut slot = [0; 64];
    slot[0] = 0x3F;
    rig.qp.post_raw(11, &[slot]).unwrap();
    let completion = rig.next();
    assert_eq!((completion.wr_id, completion.status, completion.syndrome), (11, Status::LocQpOp, Syndrome::WqeFormat));
    assert_eq!(completion.opcode, None);
    let seen = rig.mock.with(|state| state.qps[&rig.qp.index()].slots[0].clone());
    assert_eq!(seen, slot);
}

#[test]
fn a_raw_registration_of_a_known_region_is_tracked() {
    let rig = Rig::new();
    let mr = rig.mr();
    let mut slot = [0; 64];
    slot[..4].copy_from_slice(&[0x20, 0x09, 1, 0]);
    slot[4..8].copy_from_slice(&mr.key().to_le_bytes());
    rig.mock.with(|state| state.held = true);
    rig.qp.post_raw(1, &[slot]).unwrap();
    assert_eq!(mr.state(), MrState::Pending);
    let mr = mr.dereg().unwrap_err().object;
    rig.mock.with(|state| state.held = false);
    rig.next();
    assert_eq!(mr.state(), MrState::Valid);
}

#[test]
fn raw_requests_have_one_or_two_blocks_and_need_room() {
    let rig = Rig::new();
    for count in [0, 3] {
        assert_eq!(rig.qp.post_raw(0, &vec![[0; 64]; count]), Err(PostError::Blocks));
    }
    rig.mock.with(|state| state.held = true);
    let mut slot = [0; 64];
    (slot[0], slot[2]) = (0x30, 2);
    for wr_id in 0..4 {
        rig.qp.post_raw(wr_id, &[slot, [0; 64]]).unwrap();
    }
    assert_eq!(rig.qp.post_raw(4, &[slot]), Err(PostError::Full));
    rig.mock.with(|state| state.held = false);
    let done: Vec<_> = rig.all().iter().map(|completion| (completion.wr_id, completion.entry.slot)).collect();
    assert_eq!(done, [(0, 0), (1, 2), (2, 4), (3, 6)], "two slots each");
    assert_eq!(rig.qp.send_credits(), 8);
}

#[test]
fn unchecked_requests_reach_the_device() {
    let rig = Rig::new();
    let mr = rig.mr();
    let wrong = || RegMr::new(&mr, Access::REMOTE_WRITE, 0, 0, Pages::Address(3));
    assert!(rig.qp.post_send(SendRequest::reg_mr(1, wrong())).is_err());
    rig.qp.post_unchecked(SendRequest::reg_mr(1, wrong())).unwrap();
    rig.mock.run();
    let slot = rig.mock.with(|state| state.qps[&rig.qp.index()].slots[0].clone());
    assert_eq!((slot[0], slot[3], slot[0x20]), (0x20, 2, 3));
}

#[test]
fn a_doorbell_that_fails_is_told_and_repeated() {
    let rig = Rig::new();
    let mr = rig.mr();
    let doorbell = reg::sq_doorbell(rig.qp.index());
    rig.mock.with(|state| state.broken = Some(doorbell));
    let bad = rig.qp.post_send(rig.invalidation(1, &mr)).unwrap_err();
    assert_eq!(bad.error, PostError::Doorbell(BusError::NoAnswer { offset: doorbell }));
    assert!(bad.rest.is_empty());
    rig.mock.with(|state| state.broken = None);
    rig.qp.ring_send().unwrap();
    assert_eq!(rig.next().wr_id, 1);
}

#[test]
fn t4_receive_requests_are_posted_from_init_on_and_counted() {
    let rig = Rig::new();
    let options = QpOptions { receive_slots: 4, ..QpOptions::default() };
    let qp = rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, options).unwrap();
    let sge = |n: u64| Sge { address: n << 32 | n, length: n as u32 * 16, lkey: 0x100 + n as u32 };
    let request = ReceiveRequest::new(7, (1..=4).map(sge).collect::<Vec<_>>());
    assert_eq!(qp.post_receive(&request), Err(PostError::State(rnic_driver::QpState::Reset)));
    qp.to_init(&Default::default()).unwrap();
    let long = ReceiveRequest::new(0, vec![sge(1); 5]);
    assert_eq!(qp.post_receive(&long), Err(PostError::Sges));
    for left in (0..4).rev() {
        qp.post_receive(&request).unwrap();
        assert_eq!(qp.receive_credits(), left);
    }
    assert_eq!(qp.post_receive(&request).unwrap_err().errno(), Errno::Enomem);
    assert_eq!(rig.mock.written(reg::rq_doorbell(qp.index())), [1, 2, 3, 4]);
    let memory = rig.mock.with(|state| state.memory[&qp.receive_ring_address()].borrow()[64..128].to_vec());
    for n in 1..=4usize {
        assert_eq!(memory[16 * n - 16..16 * n - 8], (((n as u64) << 32) | n as u64).to_le_bytes());
        assert_eq!(memory[16 * n - 8..16 * n], [n as u8 * 16, 0, 0, 0, n as u8, 1, 0, 0]);
    }
}

#[test]
fn d11_sends_and_receives_on_one_completion_queue_are_told_apart_when_flushed() {
    let rig = Rig::new();
    let mr = rig.mr();
    for wr_id in 100..103 {
        rig.qp.post_receive(&ReceiveRequest::new(wr_id, [])).unwrap();
    }
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send_list((0..3).map(|wr_id| rig.invalidation(wr_id, &mr))).unwrap();
    rig.qp.to_err().unwrap();
    rig.mock.with(|state| state.held = false);
    let completions = rig.all();
    assert!(completions.iter().all(|completion| completion.status == Status::WrFlush));
    let of = |receive| -> Vec<(u64, Option<Opcode>)> {
        completions.iter().filter(|c| c.receive == receive).map(|c| (c.wr_id, c.opcode)).collect()
    };
    assert_eq!(of(true), (100..103).map(|wr_id| (wr_id, Some(Opcode::Recv))).collect::<Vec<_>>());
    assert_eq!(of(false), (0..3).map(|wr_id| (wr_id, Some(Opcode::LocalInv))).collect::<Vec<_>>());
    assert_eq!(rig.qp.receive_credits(), 8);
}

#[test]
fn b22_after_a_doorbell_that_fails_the_error_says_how_many_were_posted() {
    let rig = Rig::wide();
    let doorbell = reg::sq_doorbell(rig.qp.index());
    let mr = rig.mr();
    let failing = |post: &dyn Fn() -> Result<(), rnic_driver::BadWr<rnic_mock::MockPlatform>>| {
        rig.mock.with(|state| state.broken = Some(doorbell));
        let bad = post().unwrap_err();
        rig.mock.with(|state| state.broken = None);
        assert!(matches!(bad.error, PostError::Doorbell(_)) && bad.rest.is_empty(), "{bad:?}");
        bad.posted
    };
    assert_eq!(failing(&|| rig.qp.post_send_list([rig.invalidation(1, &mr), rig.invalidation(2, &mr)])), 2);
    assert_eq!(failing(&|| rig.qp.post_send(rig.invalidation(3, &mr))), 1);
    assert_eq!(failing(&|| rig.qp.post_unchecked(rig.invalidation(4, &mr))), 1);
    assert_eq!(failing(&|| rig.qp.ring_send()), 0, "it has posted nothing itself");
    rig.qp.ring_send().unwrap();
    assert_eq!(rig.all().iter().map(|completion| completion.wr_id).collect::<Vec<_>>(), [1, 2, 3, 4]);
}
