//! Data transfers: what is posted, what is refused, what completes.

use rnic_abi::cqe::{FLAG_IMM, FLAG_INV, FLAG_RECEIVE, FLAG_SOLICITED};
use rnic_abi::wqe::Sge;
use rnic_driver::{
    Access, Data, MrState, Opcode, Operation, PostError, QpAttributes, ReadyToSend, ReceiveRequest, Remote, SendExtra,
    SendRequest, Status,
};
use rnic_mock::{MockPlatform, Rig};

type Request = SendRequest<MockPlatform>;

const REMOTE: Remote = Remote { address: 0x1_0000, rkey: 0x777 };

fn sges(count: u64) -> Vec<Sge> {
    (0..count).map(|n| Sge { address: 0x1000 * n, length: 0x10, lkey: 0x100 }).collect()
}

fn every_request() -> Vec<(Opcode, Request)> {
    vec![
        (Opcode::Send, SendRequest::send(1, sges(4))),
        (Opcode::SendImm, SendRequest::send_imm(2, sges(0), [1, 2, 3, 4])),
        (Opcode::SendInv, SendRequest::send_inv(3, sges(3), 0x555)),
        (Opcode::Write, SendRequest::write(4, sges(2), REMOTE)),
        (Opcode::WriteImm, SendRequest::write_imm(5, sges(1), REMOTE, [5, 6, 7, 8])),
        (Opcode::Read, SendRequest::read(6, sges(4), REMOTE)),
        (Opcode::ReadInv, SendRequest::read_inv(7, sges(1)[0], REMOTE)),
        (Opcode::CmpSwap, SendRequest::compare_swap(8, 0x40, 0x100, REMOTE, 1, 2)),
        (Opcode::FetchAdd, SendRequest::fetch_add(9, 0x40, 0x100, REMOTE, 3)),
    ]
}

fn posted(rig: &Rig, number: usize) -> Vec<u8> {
    rig.mock.with(|state| state.qps[&rig.qp.index()].slots[number].clone())
}

fn refusal(rig: &Rig, request: Request) -> Option<PostError> {
    rig.qp.post_send(request).err().map(|bad| {
        assert_eq!(bad.rest.len(), 1, "the request comes back");
        bad.error
    })
}

#[test]
fn every_opcode_is_posted_and_completes() {
    let rig = Rig::wide();
    for (number, (opcode, request)) in every_request().into_iter().enumerate() {
        let wr_id = request.wr_id;
        assert_eq!(request.opcode(), opcode);
        rig.qp.post_send(request).unwrap();
        let completion = rig.next();
        assert_eq!((completion.wr_id, completion.opcode, completion.status), (wr_id, Some(opcode), Status::Success));
        assert_eq!(posted(&rig, number)[0], opcode.code());
        assert_eq!(rig.qp.send_credits(), 16, "both slots of a long request come back");
    }
}

#[test]
fn immediate_data_stands_in_wire_order() {
    let rig = Rig::wide();
    rig.qp.post_send(SendRequest::send_imm(1, [], [1, 2, 3, 4])).unwrap();
    rig.next();
    assert_eq!(posted(&rig, 0)[4..8], [1, 2, 3, 4]);
}

#[test]
fn flags_stand_in_the_request() {
    let rig = Rig::wide();
    let requests: Vec<Request> = vec![
        SendRequest::send(1, sges(1)).unsignaled(),
        SendRequest::write_imm(2, sges(1), REMOTE, [0; 4]).fenced().solicited().unsignaled(),
        SendRequest::read(3, sges(1), REMOTE).fenced(),
    ];
    rig.qp.post_send_list(requests).unwrap();
    let completion = rig.next();
    assert_eq!((completion.wr_id, completion.earlier.len()), (3, 2));
    assert_eq!([0, 1, 2].map(|number| posted(&rig, number)[1]), [0, 0b110, 0b011]);
}

#[test]
fn b1_only_what_a_receive_request_answers_can_be_solicited() {
    let rig = Rig::wide();
    for (opcode, request) in every_request() {
        let taken = matches!(opcode, Opcode::Send | Opcode::SendImm | Opcode::SendInv | Opcode::WriteImm);
        let expected = (!taken).then_some(PostError::Flags);
        assert_eq!(refusal(&rig, request.solicited()), expected, "{opcode}");
    }
}

#[test]
fn t10_format_of_data_requests() {
    let rig = Rig::wide();
    let piece = |length| Sge { address: 0, length, lkey: 0x100 };
    let remote = |address| Remote { address, ..REMOTE };
    let atomic =
        |length, address| SendRequest::data(0, Data::FetchAdd { sge: piece(length), remote: remote(address), add: 1 });
    let swap = Data::CompareSwap { sge: piece(4), remote: REMOTE, compare: 0, swap: 0 };
    let two_sinks = Data::Read { sges: sges(2), remote: REMOTE, invalidate: true };
    for (request, expected) in [
        (SendRequest::send(0, sges(5)), Some(PostError::Sges)),
        (SendRequest::data(0, two_sinks), Some(PostError::Sges)),
        (SendRequest::write(0, vec![piece(1 << 31)], REMOTE), None),
        (SendRequest::write(0, vec![piece(1 << 31), piece(1)], REMOTE), Some(PostError::MessageLength)),
        (SendRequest::read(0, vec![piece(u32::MAX); 4], REMOTE), Some(PostError::MessageLength)),
        (SendRequest::write(0, vec![piece(1 << 30), piece(0), piece(1 << 30)], REMOTE), None),
        (atomic(7, 0), Some(PostError::AtomicLength)),
        (atomic(16, 0), Some(PostError::AtomicLength)),
        (SendRequest::data(0, swap), Some(PostError::AtomicLength)),
        (atomic(8, 4), Some(PostError::AtomicAlignment)),
        (atomic(8, 0xFFF8), None),
    ] {
        assert_eq!(refusal(&rig, request), expected);
        rig.all();
    }
}

#[test]
fn t10_no_read_or_atomic_where_none_may_be_in_flight() {
    let rig = Rig::wide();
    rig.qp.reset().unwrap();
    rig.qp.to_init(&Default::default()).unwrap();
    rig.qp.to_rtr(&Default::default(), QpAttributes::default()).unwrap();
    rig.qp.to_rts(&ReadyToSend { max_rd: 0, ..ReadyToSend::default() }, QpAttributes::default()).unwrap();
    for (opcode, request) in every_request() {
        let answered = matches!(opcode, Opcode::Read | Opcode::ReadInv | Opcode::CmpSwap | Opcode::FetchAdd);
        assert_eq!(refusal(&rig, request), answered.then_some(PostError::NoReads), "{opcode}");
        rig.all();
    }
    rig.qp.to_sqd(None).unwrap();
    rig.qp.update(&QpAttributes { max_rd: Some(2), ..QpAttributes::default() }).unwrap();
    rig.qp.resume().unwrap();
    assert_eq!(refusal(&rig, SendRequest::read(1, sges(1), REMOTE)), None);
}

#[test]
fn unchecked_data_requests_reach_the_device() {
    let rig = Rig::wide();
    let wrong = Data::FetchAdd { sge: Sge { address: 0, length: 9, lkey: 0x100 }, remote: REMOTE, add: 1 };
    rig.qp.post_unchecked(SendRequest::data(1, wrong)).unwrap();
    rig.next();
    assert_eq!(posted(&rig, 0)[0x28], 9);
}

#[test]
fn long_requests_need_two_slots() {
    let rig = Rig::wide();
    rig.mock.with(|state| state.held = true);
    for number in 0..8 {
        rig.qp.post_send(SendRequest::write(number, sges(3), REMOTE)).unwrap();
    }
    assert_eq!(refusal(&rig, SendRequest::write(8, sges(3), REMOTE)), Some(PostError::Full));
    rig.mock.with(|state| state.held = false);
    let slots: Vec<_> = rig.all().iter().map(|completion| completion.entry.slot).collect();
    assert_eq!(slots, [0, 2, 4, 6, 8, 10, 12, 14]);
}

#[test]
fn a_request_of_two_slots_may_wrap_from_the_last_slot_to_the_first() {
    let rig = Rig::wide();
    for number in 0..15 {
        rig.qp.post_send(SendRequest::send(number, [])).unwrap();
        rig.next();
    }
    rig.qp.post_send(SendRequest::write(15, sges(4), REMOTE)).unwrap();
    let completion = rig.next();
    assert_eq!((completion.wr_id, completion.entry.slot, rig.qp.send_credits()), (15, 15, 16));
    let first = rig.mock.with(|state| state.memory[&rig.qp.send_ring_address()].borrow()[..8].to_vec());
    assert_eq!(first, 0x2000u64.to_le_bytes(), "SGE 2 in slot 0");
}

#[test]
fn c20_a_read_with_invalidate_leaves_its_region_free() {
    let rig = Rig::wide();
    let mr = rig.mr();
    rig.register(&mr);
    let sink = Sge { address: 0x1000, length: 16, lkey: mr.lkey() };
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(SendRequest::read_inv(1, sink, REMOTE)).unwrap();
    assert_eq!(mr.state(), MrState::Invalidating);
    let mr = mr.dereg().unwrap_err().object;
    rig.mock.with(|state| state.held = false);
    assert!(rig.next().is_success());
    assert_eq!(mr.state(), MrState::Free);
    mr.dereg().unwrap();
}

/// Completes receive requests as a device does: opcode, flags.
fn receive(rig: &Rig, opcode: u8, flags: u32, imm: u32) -> rnic_driver::Completion<MockPlatform> {
    rig.qp.post_receive(&ReceiveRequest::new(40, sges(2))).unwrap();
    rig.mock.with(|state| {
        let qp = state.qps.get_mut(&rig.qp.index()).unwrap();
        let (cqn, qpn, slot) = (qp.receive_cqn, qp.qpn, qp.rq_done & 7);
        qp.rq_done += 1;
        state.complete_with(cqn, qpn, opcode, (0, 0), slot, flags | FLAG_RECEIVE, imm);
    });
    rig.next()
}

#[test]
fn c17_receive_completions_tell_what_came() {
    let rig = Rig::wide();
    let plain = receive(&rig, 0x80, 0, 0);
    assert_eq!((plain.wr_id, plain.receive, plain.opcode), (40, true, Some(Opcode::Recv)));
    assert_eq!((plain.byte_len, plain.immediate, plain.invalidated_key, plain.solicited), (0x1234, None, None, false));
    let immediate = receive(&rig, 0x80, FLAG_IMM | FLAG_SOLICITED, 0x0403_0201);
    assert_eq!((immediate.immediate, immediate.solicited), (Some(0x0403_0201), true));
    assert_eq!(immediate.immediate.map(u32::to_le_bytes), Some([1, 2, 3, 4]), "wire order");
    let invalidated = receive(&rig, 0x80, FLAG_INV, 0x555);
    assert_eq!((invalidated.immediate, invalidated.invalidated_key), (None, Some(0x555)));
    let written = receive(&rig, 0x81, FLAG_IMM, 7);
    assert_eq!((written.opcode, written.immediate), (Some(Opcode::RecvWriteImm), Some(7)));
    assert_eq!(rig.qp.receive_credits(), 8);
}

#[test]
fn c12_the_driver_learns_of_an_invalidation_by_the_peer() {
    let rig = Rig::wide();
    let mr = rig.mr();
    rig.register(&mr);
    let key = mr.key();
    receive(&rig, 0x80, FLAG_INV, key ^ 1);
    assert_eq!(mr.state(), MrState::Valid, "a key that the hardware does not hold");
    receive(&rig, 0x80, FLAG_INV, key);
    assert_eq!(mr.state(), MrState::Free);
    // The next registration has another key, so a late completion of the old one says nothing.
    rig.mock.with(|state| state.mrs.get_mut(&mr.index()).unwrap().valid = false);
    mr.bump_key();
    rig.register(&mr);
    receive(&rig, 0x80, FLAG_INV, key);
    assert_eq!(mr.state(), MrState::Valid);
}

#[test]
fn c12_the_peer_may_be_faster_than_the_completion_of_the_registration() {
    let rig = Rig::wide();
    let mr = rig.mr();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(SendRequest::reg_mr(7, rig.registration(&mr))).unwrap();
    receive(&rig, 0x80, FLAG_INV, mr.key() ^ 1);
    receive(&rig, 0x80, FLAG_INV, mr.key());
    assert_eq!(mr.state(), MrState::Pending, "its completion has not come");
    rig.mock.with(|state| state.held = false);
    assert_eq!(rig.next().wr_id, 7);
    assert_eq!(mr.state(), MrState::Free);
    // Of the next registration only its own key tells.
    rig.mock.with(|state| state.mrs.get_mut(&mr.index()).unwrap().valid = false);
    let old = mr.key();
    mr.bump_key();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(SendRequest::reg_mr(8, rig.registration(&mr))).unwrap();
    receive(&rig, 0x80, FLAG_INV, old);
    rig.mock.with(|state| state.held = false);
    assert_eq!((rig.next().wr_id, mr.state()), (8, MrState::Valid));
    receive(&rig, 0x80, FLAG_INV, mr.key());
    assert_eq!(mr.state(), MrState::Free);
}

#[test]
fn c12_one_invalidation_does_not_end_two_registrations_with_the_same_key() {
    let rig = Rig::wide();
    let mr = rig.mr();
    rig.register(&mr);
    rig.qp.post_send(rig.invalidation(1, &mr)).unwrap();
    assert_eq!((rig.next().wr_id, mr.state()), (1, MrState::Free));
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(SendRequest::reg_mr(2, rig.registration(&mr))).unwrap();
    receive(&rig, 0x80, FLAG_INV, mr.key());
    rig.mock.with(|state| state.held = false);
    assert_eq!((rig.next().wr_id, mr.state()), (2, MrState::Valid));
}

#[test]
fn the_parts_of_a_request_can_be_looked_at() {
    let request: Request = SendRequest::send_inv(3, sges(3), 0x555);
    let Operation::Data(data) = &request.operation else { panic!("{request:?}") };
    assert_eq!((data.sges().len(), data.bytes(), data.opcode()), (3, 0x30, Opcode::SendInv));
    assert!(matches!(data, Data::Send { extra: SendExtra::Invalidate(0x555), .. }));
    assert_eq!((Access::default().bits(), Access::from_bits(0)), (0, Access::NONE), "no right unless it is asked for");
}
