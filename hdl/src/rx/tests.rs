//! The rows of section 10 that concern the responder.
use super::bench::{context, frame, quiet, reth, Bench, Out, KEY, MTU, QPN};
use crate::wire::RxFrame;
use rnic_abi::{aeth, bth::*, drop, event, opcode, qp, status, syndrome};
use rust_hdl::prelude::*;
use Out::*;

const ACK: u64 = aeth::ACK as u64;
const NAK60: u64 = aeth::SEQUENCE as u64;
const NAK61: u64 = aeth::INVALID_REQUEST as u64;
const NAK62: u64 = aeth::REMOTE_ACCESS as u64;
const NAK63: u64 = aeth::REMOTE_OPERATION as u64;
const RNR: u64 = 0x2C;
const REQ_ERR: u64 = event::QP_REQ_ERR as u64;
const ACCESS_ERR: u64 = event::QP_ACCESS_ERR as u64;
const FATAL: u64 = event::QP_FATAL as u64;

fn received(bytes: u64) -> Out {
    Cqe(opcode::RECV.into(), 0, 0, 3, bytes, 0, 8)
}

fn receive_error(status: u8, syndrome: u8) -> impl Fn(&Out) -> bool {
    move |out| matches!(out, Cqe(_, s, x, 3, ..) if (*s, *x) == (status.into(), syndrome.into()))
}

fn failed(code: u8, event: u64) -> Out {
    Failed(code.into(), event)
}

fn dropped(reason: u8) -> Out {
    Drop(reason.into())
}

fn inv(frame: RxFrame) -> RxFrame {
    RxFrame { immediate: bits(KEY), ..frame }
}

#[test]
fn v1_t60_a_write_is_placed_and_then_acknowledged() {
    let mut b = Bench::new();
    assert_eq!(b.send([reth(WRITE_ONLY, 100, 64, 64)]), [Place(64, 0x7000), Answer(ACK, 100, 8)]);
    let (job, span) = b.jobs[0];
    assert!(job.checks_range && job.keeps_generation && !job.same_generation && span.remote);
    assert_eq!((job.range, span.need, span.key0), (bits(64), bits(2), bits(KEY)));
    // epsn is 101.
    assert_eq!(b.send([reth(WRITE_ONLY, 101, 0, 0)]), [Answer(ACK, 101, 9)]);
}

#[test]
fn v2_g2_psns_wrap_and_a_message_without_ack_request_in_its_first_packet_has_one_ack() {
    let mut b = Bench::at(0xFF_FFFF);
    let out = b.send([quiet(frame(SEND_FIRST, 0xFF_FFFF, MTU)), frame(SEND_LAST, 0, 10)]);
    assert_eq!(out, [Place(MTU, 0x10_0000), Place(10, 0x10_0000), received(MTU + 10), Answer(ACK, 0, 1)]);
    assert_eq!(b.jobs[1].1.skip, bits::<32>(MTU));
}

#[test]
fn v3_t52_t65_a_doubled_send_completes_once_and_is_acknowledged_again() {
    let mut b = Bench::new();
    assert_eq!(b.send([frame(SEND_ONLY, 100, 8)]), [Place(8, 0x10_0000), received(8), Answer(ACK, 100, 8)]);
    assert_eq!(b.send([frame(SEND_ONLY, 100, 8)]), [Answer(ACK, 100, 8)]);
}

#[test]
fn v4_t51_g3_a_gap_naks_once_until_the_expected_psn_comes() {
    let mut b = Bench::new();
    let first = [reth(WRITE_FIRST, 100, MTU, 3 * MTU), reth(WRITE_MIDDLE, 101, MTU, 0)].map(quiet);
    assert_eq!(b.send(first), [Place(MTU, 0x7000), Place(MTU, 0x7000 + MTU)]);
    let gap = b.send([103, 104, 105].map(|psn| reth(WRITE_LAST, psn, MTU, 0)));
    assert_eq!(gap.iter().filter(|out| **out == dropped(drop::PSN_AHEAD)).count(), 3);
    assert_eq!(gap.iter().filter(|out| matches!(out, Answer(..))).collect::<Vec<_>>(), [&Answer(NAK60, 102, 7)]);
    let rest = b.send([frame(WRITE_LAST, 102, MTU), reth(WRITE_ONLY, 103, 4, 4)]);
    assert_eq!(rest[0], Place(MTU, 0x7000 + 2 * MTU));
    assert!(rest.contains(&Answer(ACK, 103, 9)));
    assert!(b.send([reth(WRITE_ONLY, 106, 4, 4)]).contains(&Answer(NAK60, 104, 9)));
}

#[test]
fn v5_an_old_frame_between_two_gaps_does_not_raise_a_second_nak() {
    let mut b = Bench::new();
    assert!(b.send([frame(SEND_ONLY, 105, 1)]).contains(&Answer(NAK60, 100, 7)));
    assert_eq!(b.send([frame(SEND_ONLY, 98, 1)]), [Answer(ACK, 99, 7)]);
    assert_eq!(b.send([frame(SEND_ONLY, 105, 1)]), [dropped(drop::PSN_AHEAD)]);
}

#[test]
fn v6_rnr_drops_what_follows_without_a_sequence_nak() {
    let mut b = Bench::new();
    let receive = b.receives.pop_front().unwrap();
    assert_eq!(b.send([frame(SEND_ONLY, 100, 8)]), [Answer(RNR, 100, 7)]);
    assert_eq!(b.send([frame(SEND_ONLY, 101, 8)]), [dropped(drop::PSN_AHEAD)]);
    b.receives.push_back(receive);
    assert_eq!(b.send([frame(SEND_ONLY, 100, 8)]), [Place(8, 0x10_0000), received(8), Answer(ACK, 100, 8)]);
}

#[test]
fn v7_c15_no_invalidation_with_an_rnr_nak() {
    let mut b = Bench::new();
    let receive = b.receives.pop_front().unwrap();
    assert_eq!(b.send([inv(frame(SEND_ONLY_INV, 100, 8))]), [Answer(RNR, 100, 7)]);
    b.receives.push_back(receive);
    let expected =
        [Place(8, 0x10_0000), Invalidate(KEY), Cqe(opcode::RECV.into(), 0, 0, 3, 8, KEY, 8 | 2), Answer(ACK, 100, 8)];
    assert_eq!(b.send([inv(frame(SEND_ONLY_INV, 100, 8))]), expected);
}

#[test]
fn v8_c14_a_duplicate_does_not_invalidate_again() {
    let mut b = Bench::new();
    b.send([inv(frame(SEND_ONLY_INV, 100, 8))]);
    assert_eq!(b.send([inv(frame(SEND_ONLY_INV, 100, 8))]), [Answer(ACK, 100, 8)]);
}

#[test]
fn v9_v10_opcodes_out_of_order_end_the_connection() {
    let mut b = Bench::new();
    b.send([quiet(reth(WRITE_FIRST, 100, MTU, 2 * MTU))]);
    let out = b.send([frame(SEND_ONLY, 101, 8)]);
    assert_eq!(out.len(), 2);
    assert!(out.contains(&Answer(NAK61, 101, 7)) && out.contains(&failed(syndrome::OPCODE_ORDER, REQ_ERR)));
    assert_eq!(b.send([frame(WRITE_LAST, 101, MTU)]), [dropped(drop::QP_CLOSED)]);
    let mut b = Bench::new();
    let out = b.send([frame(SEND_LAST, 100, 8)]);
    assert!(out.contains(&Answer(NAK61, 100, 7)) && out.contains(&failed(syndrome::OPCODE_ORDER, REQ_ERR)));
    assert!(!out.iter().any(|out| matches!(out, Cqe(..))));
}

#[test]
fn t74_a_receive_wqe_in_use_completes_with_the_failure() {
    let mut b = Bench::new();
    b.send([quiet(frame(SEND_FIRST, 100, MTU))]);
    let out = b.send([reth(READ_REQUEST, 101, 0, 8)]);
    assert!(out.iter().any(receive_error(status::REM_INV_REQ, syndrome::OPCODE_ORDER)), "{out:?}");
    assert!(out.contains(&Answer(NAK61, 101, 7)));
}

/// One frame, or several, that end in NAK 61 for the length.
fn refuses_length(frames: &[RxFrame]) {
    let mut b = Bench::new();
    let psn = frames.last().unwrap().psn.to_u64();
    let out = b.send(frames.iter().copied());
    assert!(out.contains(&Answer(NAK61, psn, 7)), "{out:?}");
    assert!(out.contains(&failed(syndrome::PKT_LENGTH, REQ_ERR)), "{out:?}");
    assert_eq!(out.iter().filter(|out| matches!(out, Place(..))).count(), frames.len() - 1);
}

#[test]
fn v11_v12_v13_g1_lengths_that_contradict_end_the_connection() {
    refuses_length(&[reth(WRITE_ONLY, 100, 64, 65)]);
    refuses_length(&[reth(WRITE_FIRST, 100, MTU, 2000), frame(WRITE_LAST, 101, 975)]);
    refuses_length(&[reth(WRITE_FIRST, 100, 1020, 2000)]);
    refuses_length(&[reth(WRITE_FIRST, 100, MTU, MTU)]);
    refuses_length(&[reth(WRITE_FIRST, 100, MTU, 2 * MTU), frame(WRITE_LAST, 101, 0)]);
    refuses_length(&[reth(WRITE_FIRST, 100, MTU, 2 * MTU), frame(WRITE_MIDDLE, 101, MTU)]);
    refuses_length(&[reth(WRITE_ONLY, 100, MTU + 1, MTU + 1)]);
    refuses_length(&[reth(WRITE_FIRST, 100, MTU, (1 << 31) + 1)]);
    refuses_length(&[frame(SEND_FIRST, 100, MTU - 4)]);
    refuses_length(&[frame(SEND_FIRST, 100, MTU), frame(SEND_LAST, 101, 0)]);
    refuses_length(&[frame(SEND_ONLY, 100, MTU + 4)]);
    refuses_length(&[RxFrame { pad: bits(1), ..frame(SEND_FIRST, 100, MTU) }]);
    refuses_length(&[reth(READ_REQUEST, 100, 0, (1 << 31) + 1)]);
    refuses_length(&[reth(READ_REQUEST, 100, 4, 8)]);
    refuses_length(&[reth(FETCH_ADD, 100, 8, 0)]);
}

#[test]
fn v14_e1_a_write_without_bytes_needs_no_key_but_the_right() {
    let mut b = Bench::new();
    assert_eq!(b.send([RxFrame { rkey: bits(0xDEAD), ..reth(WRITE_ONLY, 100, 0, 0) }]), [Answer(ACK, 100, 8)]);
    assert!(!b.jobs[0].0.checks_range && b.jobs[0].1.bytes == 0);
    let mut b = Bench::new();
    b.context(super::ResponderContext { access: bits(6), ..context() });
    let out = b.send([reth(WRITE_ONLY, 100, 0, 0)]);
    assert!(out.contains(&Answer(NAK61, 100, 7)) && out.contains(&failed(syndrome::QP_FLAGS, REQ_ERR)));
    for (access, opcode) in [(5, READ_REQUEST), (3, COMPARE_SWAP), (3, FETCH_ADD)] {
        let mut b = Bench::new();
        b.context(super::ResponderContext { access: bits(access), ..context() });
        assert!(b.send([reth(opcode, 100, 0, 0)]).contains(&failed(syndrome::QP_FLAGS, REQ_ERR)));
    }
}

#[test]
fn v15_v16_v17_reads_take_as_many_psns_as_their_answers() {
    let mut b = Bench::new();
    assert_eq!(b.send([reth(READ_REQUEST, 100, 0, 0)]), [Push(0, false, 100, 1, 8)]);
    assert!(!b.jobs[0].0.checks_range);
    assert_eq!(b.send([reth(READ_REQUEST, 101, 0, 1025)]), [Push(0, false, 101, 2, 9)]);
    let (job, span) = b.jobs[1];
    assert!(job.checks_range && span.need == 4 && job.range == 1025 && span.bytes == 0);
    b.serves = false;
    let out = b.send([reth(READ_REQUEST, 103, 0, 4096), frame(SEND_ONLY, 107, 8)]);
    let expected = [Place(8, 0x10_0000), Push(0, false, 103, 4, 10), received(8)];
    assert!(expected.iter().all(|one| out.contains(one)) && out.len() == 3, "{out:?}");
    b.serves = true;
    assert_eq!(b.send([]), [Answer(ACK, 107, 11)]);
}

#[test]
fn v18_a_duplicate_read_is_answered_from_its_own_headers() {
    let mut b = Bench::new();
    b.send([reth(READ_REQUEST, 100, 0, 4096), frame(SEND_ONLY, 104, 8)]);
    assert_eq!(b.send([reth(READ_REQUEST, 102, 0, 2048)]), [Push(0, true, 102, 2, 9)]);
    assert!(b.jobs[2].0.checks_range && !b.jobs[2].0.keeps_generation);
    // It must end at the expected PSN or before.
    assert_eq!(b.send([reth(READ_REQUEST, 102, 0, 4096)]), [dropped(drop::DUPLICATE_READ)]);
    assert_eq!(b.send([reth(WRITE_ONLY, 105, 0, 0)]), [Answer(ACK, 105, 10)]);
}

#[test]
fn v19_c23_a_duplicate_read_whose_check_fails_now_harms_nobody() {
    let mut b = Bench::new();
    b.send([reth(READ_REQUEST, 100, 0, 4096)]);
    b.verdicts = (0..40).map(|n| (n + 1, syndrome::ACC_STATE.into())).collect();
    for _ in 0..20 {
        // More than 16: a dropped one makes room again.
        assert_eq!(b.send([reth(READ_REQUEST, 100, 0, 4096)]), [dropped(drop::DUPLICATE_READ)]);
    }
    b.verdicts.clear();
    assert_eq!(b.send([reth(READ_REQUEST, 100, 0, 4096)]), [Push(0, true, 100, 4, 8)]);
    let out = b.send([frame(SEND_ONLY, 104, 8)]);
    assert_eq!(out, [Place(8, 0x10_0000), received(8), Answer(ACK, 104, 9)]);
}

#[test]
fn v22_t53_sixteen_duplicates_may_wait() {
    let mut b = Bench::new();
    b.send([reth(FETCH_ADD, 100, 0, 0)]);
    b.serves = false;
    let out = b.send((0..17).map(|_| reth(FETCH_ADD, 100, 0, 0)));
    assert_eq!(out.iter().filter(|out| **out == Push(2, true, 100, 1, 8)).count(), 16);
    assert_eq!(out.iter().filter(|out| **out == dropped(drop::DUPLICATE_ATOMIC)).count(), 1);
    b.serves = true;
    b.run();
    assert_eq!(b.send([reth(FETCH_ADD, 100, 0, 0)]), [Push(2, true, 100, 1, 8)]);
}

#[test]
fn v21_v23_e13_atomics_are_checked_and_pushed() {
    let mut b = Bench::new();
    assert_eq!(b.send([reth(FETCH_ADD, 100, 0, 0)]), [Push(2, false, 100, 1, 8)]);
    let (job, span) = b.jobs[0];
    assert!(job.checks_range && job.range == 8 && span.need == 8 && span.remote);
    assert_eq!(b.send([reth(COMPARE_SWAP, 101, 0, 0)]), [Push(1, false, 101, 1, 9)]);
    let out = b.send([RxFrame { va: bits(0x7004), ..reth(COMPARE_SWAP, 102, 0, 0) }]);
    assert!(out.contains(&Answer(NAK61, 102, 9)) && out.contains(&failed(syndrome::ATOMIC_ALIGN, REQ_ERR)));
    let mut b = Bench::new();
    b.verdicts = vec![(0, syndrome::ACC_PERM.into())];
    let out = b.send([reth(COMPARE_SWAP, 100, 0, 0)]);
    assert_eq!(out.len(), 2, "{out:?}");
    assert!(out.contains(&Answer(NAK62, 100, 7)) && out.contains(&failed(syndrome::ACC_PERM, ACCESS_ERR)));
}

#[test]
fn v24_t68_more_reads_than_agreed_end_the_connection() {
    let mut b = Bench::new();
    b.context(super::ResponderContext { max_dest_rd: bits(1), ..context() });
    b.serves = false;
    let out = b.send([reth(READ_REQUEST, 100, 0, 4096), reth(READ_REQUEST, 104, 0, 4096)]);
    assert_eq!(out, [Push(0, false, 100, 4, 8)]);
    // The READ is served out, the NAK sent, and then the connection ends (T62).
    b.serves = true;
    assert_eq!(b.send([]), [Answer(NAK61, 104, 8), failed(syndrome::RD_OVERFLOW, REQ_ERR)]);
    // One after the other is allowed; none at all if none is agreed.
    let mut b = Bench::new();
    b.context(super::ResponderContext { max_dest_rd: bits(1), ..context() });
    assert_eq!(b.send([reth(READ_REQUEST, 100, 0, 4096)]).len(), 1);
    assert_eq!(b.send([reth(READ_REQUEST, 104, 0, 4096)]), [Push(0, false, 104, 4, 9)]);
    b.context(super::ResponderContext { max_dest_rd: bits(0), ..context() });
    assert!(b.send([reth(FETCH_ADD, 108, 0, 0)]).contains(&failed(syndrome::RD_OVERFLOW, REQ_ERR)));
}

#[test]
fn v25_a_message_longer_than_the_receive_buffer() {
    let mut b = Bench::new();
    let first = (101..104).map(|psn| frame(SEND_MIDDLE, psn, MTU));
    let out = b.send([frame(SEND_FIRST, 100, MTU)].into_iter().chain(first).map(quiet));
    assert_eq!(out.len(), 4);
    let out = b.send([frame(SEND_LAST, 104, 904)]);
    assert!(out.iter().any(receive_error(status::LOC_LEN, syndrome::RECV_TOO_SMALL)), "{out:?}");
    assert!(out.contains(&Answer(NAK61, 104, 7)) && out.contains(&failed(syndrome::RECV_TOO_SMALL, REQ_ERR)));
    assert_eq!(out.len(), 3);
    // Exactly full is no error; all four SGEs count.
    let mut b = Bench::new();
    b.receives = [(3, [1, 2, 1020, 1])].into();
    assert!(b.send([frame(SEND_ONLY, 100, 1024)]).contains(&received(1024)));
}

#[test]
fn v26_t57_a_write_with_immediate_takes_a_receive_wqe_at_its_end() {
    let mut b = Bench::new();
    let receive = b.receives.pop_front().unwrap();
    b.send([quiet(reth(WRITE_FIRST, 100, MTU, MTU + 8))]);
    let last = RxFrame { immediate: bits(0xBEEF), ..frame(WRITE_LAST_IMM, 101, 8) };
    assert_eq!(b.send([last]), [Answer(RNR, 101, 7)]);
    b.receives.push_back(receive);
    let cqe = Cqe(opcode::RECV_WRITE_IMM.into(), 0, 0, 3, MTU + 8, 0xBEEF, 8 | 1);
    assert_eq!(b.send([last]), [Place(8, 0x7000 + MTU), cqe, Answer(ACK, 101, 8)]);
    assert!(b.receives.is_empty());
}

#[test]
fn v50_half_the_psn_space_in_one_read() {
    let mut b = Bench::new();
    b.context(super::ResponderContext { mtu: bits(1), ..context() });
    let read = || reth(READ_REQUEST, 100, 0, 1 << 31);
    assert_eq!(b.send([read()]), [Push(0, false, 100, 1 << 23, 8)]);
    assert_eq!(b.send([read()]), [Push(0, true, 100, 1 << 23, 8)]);
    assert_eq!(b.send([reth(WRITE_ONLY, 100 + (1 << 23), 0, 0)]), [Answer(ACK, 100 + (1 << 23), 9)]);
}

#[test]
fn v52_t91_g13_frames_of_others_are_dropped_without_answer() {
    let good = || reth(WRITE_ONLY, 100, 0, 0);
    let reason = |row: super::ResponderContext, frame: RxFrame| {
        let mut b = Bench::new();
        b.context(row);
        match b.send([frame])[..] {
            [Drop(reason)] => reason,
            [Answer(ACK, 100, 8)] => 0,
            ref other => panic!("{other:?}"),
        }
    };
    let pkey = |own: u64, peer: u64| {
        let row = super::ResponderContext { pkey: bits(own), ..context() };
        reason(row, RxFrame { pkey: bits(peer), ..good() })
    };
    assert_eq!(pkey(0xFFFF, 0x7FFF), 0);
    assert_eq!(pkey(0x7FFF, 0xFFFF), 0);
    for (own, peer) in [(0xFFFF, 0x8001), (0xFFFF, 0), (0x7FFF, 0x7FFF), (0x8000, 0x8000)] {
        assert_eq!(pkey(own, peer), u64::from(drop::QP_PKEY), "{own:x} {peer:x}");
    }
    for bit in [0, 31, 32, 64, 127] {
        let source = good().source ^ (Bits::<128>::from(1) << Bits::<8>::from(bit));
        assert_eq!(reason(context(), RxFrame { source, ..good() }), u64::from(drop::QP_ADDRESS));
    }
    assert_eq!(reason(context(), RxFrame { own_address: bits(3), ..good() }), u64::from(drop::QP_ADDRESS));
    // An old generation of the index, and an index that is not used.
    assert_eq!(reason(context(), RxFrame { qpn: bits(QPN + 4), ..good() }), u64::from(drop::QP_UNKNOWN));
    assert_eq!(reason(context(), RxFrame { qpn: bits(2), ..good() }), u64::from(drop::QP_UNKNOWN));
    assert_eq!(reason(super::ResponderContext { qpn: bits(0), ..context() }, good()), u64::from(drop::QP_UNKNOWN));
    assert_eq!(reason(context(), RxFrame { vlan: bits(5), ..good() }), u64::from(drop::QP_VLAN));
    let on_vlan = super::ResponderContext { vlan_valid: true, vlan: bits(5), ..context() };
    assert_eq!(reason(on_vlan, RxFrame { vlan: bits(5), ..good() }), 0);
    assert_eq!(reason(on_vlan, good()), u64::from(drop::QP_VLAN));
    assert_eq!(reason(context(), RxFrame { opcode: bits(0x15), ..good() }), u64::from(drop::FRAME_OPCODE));
}

#[test]
fn t3_frames_are_taken_by_state() {
    for state in [qp::RESET, qp::INIT, qp::RTR, qp::RTS, qp::SQD, qp::ERR] {
        let row = super::ResponderContext { state: bits(state.into()), ..context() };
        let mut b = Bench::new();
        b.context(row);
        let out = b.send([reth(WRITE_ONLY, 100, 0, 0)]);
        if [qp::RTS, qp::SQD].contains(&state) {
            assert_eq!(out, [Answer(ACK, 100, 8)]);
        } else if state != qp::RTR {
            assert_eq!(out, [dropped(drop::QP_STATE)]);
        }
    }
}

#[test]
fn t3_the_first_request_in_rtr_tells_comm_est_once() {
    let mut b = Bench::new();
    b.context(super::ResponderContext { state: bits(qp::RTR.into()), ..context() });
    let out = b.send([reth(WRITE_ONLY, 100, 0, 0)]);
    assert!(out.contains(&Event(event::COMM_EST.into(), QPN)) && out.contains(&Answer(ACK, 100, 8)));
    assert_eq!(b.send([reth(WRITE_ONLY, 101, 0, 0)]), [Answer(ACK, 101, 9)]);
}

#[test]
fn v56_c24_a_middle_packet_asks_for_the_generation_of_the_first() {
    let mut b = Bench::new();
    b.send([quiet(reth(WRITE_FIRST, 100, MTU, 2 * MTU))]);
    b.verdicts = vec![(1, syndrome::ACC_STATE.into())];
    // Nothing of the frame counts but payload and PSN (T56).
    let out = b.send([RxFrame { va: bits(1), rkey: bits(2), length: bits(3), ..frame(WRITE_LAST, 101, MTU) }]);
    let (job, span) = b.jobs[1];
    assert!(job.same_generation && !job.keeps_generation && !job.checks_range);
    assert_eq!((span.address0, span.key0, span.length0), (bits(0x7000 + MTU), bits(KEY), bits(MTU)));
    assert!(out.contains(&Answer(NAK62, 101, 7)) && out.contains(&failed(syndrome::ACC_STATE, ACCESS_ERR)));
}

#[test]
fn v57_t75_data_that_cannot_be_written_is_not_acknowledged_and_what_follows_does_nothing() {
    let mut b = Bench::new();
    b.bad_burst = Some(1);
    b.lands = false;
    b.frames.extend([reth(WRITE_ONLY, 100, 64, 64), frame(SEND_ONLY, 101, 8), reth(READ_REQUEST, 102, 0, 8)]);
    b.run();
    assert_eq!(std::mem::take(&mut b.out), [Place(64, 0x7000), Place(8, 0x10_0000)]);
    b.lands = true;
    let out = b.send([]);
    assert_eq!(out.len(), 2, "{out:?}");
    assert!(out.contains(&Answer(NAK63, 100, 7)) && out.contains(&failed(syndrome::PAYLOAD_BUS, FATAL)));
    assert_eq!(b.send([frame(SEND_ONLY, 103, 8)]), [dropped(drop::QP_CLOSED)]);
}

#[test]
fn v63_t62_the_owed_acknowledgement_is_replaced_only_by_one_that_covers_more() {
    let mut b = Bench::new();
    b.send([100, 101].map(|psn| reth(WRITE_ONLY, psn, 0, 0)));
    b.wire = false;
    assert_eq!(b.send([reth(WRITE_ONLY, 104, 0, 0)]), [dropped(drop::PSN_AHEAD)]);
    assert_eq!(b.send([reth(WRITE_ONLY, 98, 0, 0)]), []);
    b.wire = true;
    assert_eq!(b.send([]), [Answer(NAK60, 102, 9)], "a NAK is not replaced by an ACK of equal cover");
    b.wire = false;
    b.send([reth(WRITE_ONLY, 102, 0, 0), reth(WRITE_ONLY, 104, 0, 0), reth(WRITE_ONLY, 98, 0, 0)]);
    assert_eq!(b.send([reth(WRITE_ONLY, 103, 0, 0)]), []);
    b.wire = true;
    assert_eq!(b.send([]), [Answer(ACK, 103, 11)]);
}

#[test]
fn t59_i5_c16_t103_nothing_vouches_for_data_that_has_not_landed() {
    let mut b = Bench::new();
    b.lands = false;
    b.receives = (0..4).map(|slot| (slot, [4096, 0, 0, 0])).collect();
    let sends = (0..3).map(|n| inv(frame(SEND_ONLY_INV, 100 + n, 8)));
    let out = b.send(sends.chain([reth(READ_REQUEST, 103, 0, 8)]));
    assert_eq!(out, [Place(8, 0x10_0000), Place(8, 0x10_0000), Place(8, 0x10_0000)]);
    b.lands = true;
    let out = b.send([]);
    let cqe = |slot| Cqe(opcode::RECV.into(), 0, 0, slot, 8, KEY, 8 | 2);
    let order: Vec<_> = out.iter().filter(|out| !matches!(out, Answer(..))).cloned().collect();
    let expected =
        [Invalidate(KEY), cqe(0), Invalidate(KEY), cqe(1), Invalidate(KEY), cqe(2), Push(0, false, 103, 1, 11)];
    assert_eq!(order, expected);
}

#[test]
fn t55_a_receive_wqe_that_is_being_fetched_is_waited_for() {
    let mut b = Bench::new();
    b.pending = true;
    b.frames.push_back(frame(SEND_ONLY, 100, 8));
    b.run();
    assert_eq!(b.out, []);
    b.pending = false;
    assert_eq!(b.send([]), [Place(8, 0x10_0000), received(8), Answer(ACK, 100, 8)]);
    let mut b = Bench::new();
    b.fetch_fails = true;
    let out = b.send([frame(SEND_ONLY, 100, 8)]);
    assert!(out.iter().any(receive_error(status::LOC_PROT, syndrome::PAYLOAD_BUS)), "{out:?}");
    assert!(out.contains(&Answer(NAK63, 100, 7)) && out.contains(&failed(syndrome::PAYLOAD_BUS, FATAL)));
}

#[test]
fn row_10_a_receive_sge_that_does_not_allow_it() {
    let mut b = Bench::new();
    b.verdicts = vec![(0, syndrome::ACC_PERM.into())];
    let out = b.send([frame(SEND_ONLY, 100, 8), reth(WRITE_ONLY, 101, 8, 8)]);
    assert!(out.iter().any(receive_error(status::LOC_PROT, syndrome::ACC_PERM)), "{out:?}");
    assert!(out.contains(&Answer(NAK63, 100, 7)) && out.contains(&failed(syndrome::ACC_PERM, FATAL)));
    assert!(!out.iter().any(|out| matches!(out, Place(..) | Answer(ACK, ..))));
}

#[test]
fn row_9_a_wrong_rkey_consumes_no_receive_wqe() {
    let mut b = Bench::new();
    b.verdicts = vec![(0, syndrome::ACC_KEY.into())];
    let out = b.send([reth(WRITE_ONLY_IMM, 100, 8, 8)]);
    assert_eq!(out.len(), 2, "{out:?}");
    assert!(out.contains(&Answer(NAK62, 100, 7)) && out.contains(&failed(syndrome::ACC_KEY, ACCESS_ERR)));
}

#[test]
fn c13_a_failed_invalidation_ends_the_connection() {
    let mut b = Bench::new();
    b.invalidation = syndrome::INV_NOT_ALLOWED.into();
    let out = b.send([inv(frame(SEND_ONLY_INV, 100, 8)), reth(WRITE_ONLY, 101, 0, 0)]);
    assert!(out.iter().any(receive_error(status::REM_INV_REQ, syndrome::INV_NOT_ALLOWED)), "{out:?}");
    assert!(out.contains(&Answer(NAK62, 100, 7)) && out.contains(&failed(syndrome::INV_NOT_ALLOWED, ACCESS_ERR)));
    assert!(!out.contains(&Answer(ACK, 101, 9)));
}

#[test]
fn t62_the_failure_is_reported_behind_the_nak_and_the_cqe() {
    let mut b = Bench::new();
    b.wire = false;
    let out = b.send([frame(SEND_ONLY, 100, MTU + 4)]);
    assert!(matches!(out[..], [Cqe(..)]), "{out:?}");
    b.wire = true;
    assert!(matches!(b.send([])[..], [Answer(NAK61, 100, 7), Failed(..)]));
}

#[test]
fn t6_after_start_nothing_of_the_old_connection_is_left() {
    let mut b = Bench::new();
    b.wire = false;
    b.send([frame(SEND_LAST, 100, 8)]);
    b.context(super::ResponderContext { qpn: bits(QPN + 4), ..context() });
    b.order_start(500);
    b.wire = true;
    let out = b.send([RxFrame { qpn: bits(QPN + 4), ..reth(WRITE_ONLY, 500, 0, 0) }]);
    assert_eq!(out, [Answer(ACK, 500, 1)]);
    assert_eq!(b.send([reth(WRITE_ONLY, 501, 0, 0)]), [dropped(drop::QP_UNKNOWN)]);
}
