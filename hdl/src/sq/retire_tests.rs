//! Rules of retirement, one test each. Fixture: una = hpsn = 500, ring of 8 slots, next slot 6.
use super::retire_bench::*;
use super::{kind, Outstanding};
use rnic_abi::{qp, status, syndrome};
use rust_hdl::prelude::*;

const OK: u64 = status::SUCCESS as u64;
const FLUSH: u64 = status::WR_FLUSH as u64;
const BAD: u64 = status::LOC_QP_OP as u64;
const PROTECTION: u64 = status::LOC_PROT as u64;

#[test]
fn t69_sends_retire_in_order_when_all_of_them_is_acknowledged() {
    let mut b = Bench::new();
    b.send(1);
    b.send(3);
    b.send(1);
    assert!(b.done.is_empty());
    b.una(501);
    assert_eq!(b.told(), [(6, OK, 0)]);
    b.una(503);
    assert_eq!(b.done.len(), 1);
    b.una(505);
    assert_eq!(b.told(), [(6, OK, 0), (7, OK, 0), (0, OK, 0)]);
    assert_eq!(b.row.rseq.to_u64(), 3);
    assert!(b.done.iter().all(|done| done.signalled && !done.double));
}

#[test]
fn t69_five_cycles_for_each_further_wqe() {
    let mut b = Bench::new();
    for _ in 0..10 {
        b.send(1);
    }
    b.una(510);
    b.run(60);
    assert_eq!(b.done.len(), 10);
    assert!(b.when.windows(2).all(|two| two[1] - two[0] <= 5), "{:?}", b.when);
}

#[test]
fn t69_t16_reads_retire_when_moreover_their_data_are_stored() {
    let mut b = Bench::new();
    b.read(4, 1);
    b.read(4, 2);
    b.send(1);
    b.una(509);
    assert!(b.done.is_empty());
    b.stored(1);
    assert_eq!(b.done.len(), 1);
    assert_eq!((b.done[0].byte_len.to_u64(), b.done[0].opcode.to_u64(), b.done[0].signalled), (77, 8, false));
    b.stored(2);
    assert_eq!(b.done.len(), 3);
}

#[test]
fn t69_a_read_of_half_of_all_psns_retires() {
    let mut b = Bench::new();
    b.read(1 << 23, 1);
    b.stored(1);
    b.una((500 + (1 << 23) - 1) & 0xFF_FFFF);
    assert!(b.done.is_empty());
    b.una((500 + (1 << 23)) & 0xFF_FFFF);
    assert_eq!(b.done.len(), 1);
}

#[test]
fn d9_local_operations_wait_for_their_outcome_and_for_those_before_them() {
    let mut b = Bench::new();
    b.send(1);
    b.local();
    b.local();
    b.outcome(0, 0);
    assert!(b.done.is_empty());
    b.una(501);
    assert_eq!(b.done.len(), 2);
    b.outcome(0, 0);
    assert_eq!(b.told(), [(6, OK, 0), (7, OK, 0), (0, OK, 0)]);
    assert_eq!(b.row.total.to_u64(), 2);
}

#[test]
fn d9a_a_failed_local_operation_reports_in_its_turn_and_the_rest_is_flushed() {
    let mut b = Bench::new();
    b.send(1);
    b.local();
    b.local();
    b.local();
    b.outcome(0, 0);
    b.outcome(status::MW_BIND, 6);
    b.outcome(status::WR_FLUSH, 0);
    assert!(b.done.is_empty());
    b.una(501);
    b.run(20);
    let bind = u64::from(status::MW_BIND);
    assert_eq!(b.told(), [(6, OK, 0), (7, OK, 0), (0, bind, 6), (1, FLUSH, 0)]);
}

#[test]
fn d9a_if_an_earlier_one_fails_the_failed_local_operation_is_flushed() {
    let mut b = Bench::new();
    b.send(1);
    b.local();
    b.outcome(status::MW_BIND, 6);
    b.fail(500, status::REM_ACCESS, syndrome::NAK_62);
    assert_eq!(b.told(), [(6, u64::from(status::REM_ACCESS), u64::from(syndrome::NAK_62)), (7, FLUSH, 0)]);
}

#[test]
fn t71_v43_the_wqe_that_holds_the_failure_reports_it_and_earlier_ones_succeed() {
    let mut b = Bench::new();
    b.send(2);
    b.send(4);
    b.send(1);
    b.fail(503, status::RETRY_EXC, syndrome::RETRY);
    assert!(b.done.is_empty());
    b.una(503);
    let failed = (7, u64::from(status::RETRY_EXC), u64::from(syndrome::RETRY));
    b.run(20);
    assert_eq!(b.told(), [(6, OK, 0), failed, (0, FLUSH, 0)], "D11: all behind a failure are flushed");
}

#[test]
fn t49_t50_v42_a_lost_frame_fails_its_wqe_unless_it_has_been_acknowledged() {
    let mut b = Bench::new();
    b.send(1);
    b.send(3);
    b.lose(502, 0x33);
    assert!(b.done.is_empty() && b.row.lost);
    b.una(501);
    assert_eq!(b.told(), [(6, OK, 0), (7, PROTECTION, 0x33)]);

    let mut b = Bench::new();
    b.send(3);
    b.una(502);
    b.lose(501, 0x33);
    b.run(40);
    assert!(!b.row.lost && b.voids == 1 && b.row.voids && !b.holds());
    // Acknowledged later: the first copy had arrived.
    b.lose(502, 0x33);
    assert!(b.row.lost || b.told() == [(6, PROTECTION, 0x33)]);
}

#[test]
fn t49_behind_a_loss_that_came_to_nothing_the_cursor_begins_again_when_all_frames_are_back() {
    let mut b = Bench::new();
    b.send(3);
    b.send(3);
    b.issue(4, true);
    b.una(502);
    b.lose(501, 0x33);
    b.run(60);
    assert!(b.row.lost && b.holds() && b.voids == 0, "frames behind it are still to vanish");
    b.back(3);
    assert!(b.holds() && b.voids == 0);
    b.cursor = Some(false);
    b.back(1);
    assert!(b.holds() && b.voids == 0, "the cursor may have chosen one more");
    b.cursor = None;
    b.run(40);
    assert!(!b.row.lost && !b.holds());
    assert_eq!((b.voids, b.row.voids), (1, true), "told once");
    b.una(506);
    assert_eq!(b.told(), [(6, OK, 0), (7, OK, 0)]);
}

#[test]
fn t48_i11_a_frame_that_waits_in_the_cursor_to_be_sent_again_counts_as_being_read() {
    let mut b = Bench::new();
    b.send(3);
    b.cursor = Some(true);
    b.una(503);
    b.run(60);
    assert!(b.done.is_empty() && b.holds());
    // One that is sent for the first time is of a later WQE.
    b.cursor = Some(false);
    b.run(40);
    assert_eq!(b.told(), [(6, OK, 0)]);
}

#[test]
fn t69_a_read_is_stored_however_many_behind_it_are_stored_before_it_is_retired() {
    for ahead in [0, 1, 14, 15, 16, 17, 31, 32, 2048, 126 * 2048] {
        let mut b = Bench::new();
        b.read(1, 0x3_FFF0);
        b.stored(0x3_FFF0 - 16);
        b.una(501);
        assert!(b.done.is_empty(), "16 are not stored");
        b.stored(0x3_FFF0 - 1);
        assert!(b.done.is_empty(), "one is not stored");
        b.stored((0x3_FFF0 + ahead) % (1 << 18));
        assert_eq!(b.told(), [(6, OK, 0)], "{ahead} ahead");
    }
}

#[test]
fn t49_a_frame_that_was_lost_and_then_acknowledged_is_forgotten() {
    let mut b = Bench::new();
    b.send(1);
    b.send(3);
    b.issue(5, true);
    b.lose(502, 0x33);
    b.una(503);
    assert!(b.done.is_empty() && b.holds(), "frames that are sent again are still being read");
    b.back(5);
    assert_eq!(b.told(), [(6, OK, 0)]);
    assert!(!b.row.lost);
    b.una(504);
    assert_eq!(b.told(), [(6, OK, 0), (7, OK, 0)]);
}

#[test]
fn t40_of_two_failures_the_earlier_one_counts() {
    for (lost, refused, expected) in [(501, 502, PROTECTION), (501, 501, PROTECTION), (502, 501, 10)] {
        let mut b = Bench::new();
        b.send(4);
        b.issue(1, false);
        b.lose(lost, 0x31);
        b.fail(refused, status::REM_ACCESS, syndrome::NAK_62);
        assert!(b.done.is_empty(), "a frame is being read");
        b.back(1);
        assert_eq!(b.told()[0].1, expected);
    }
}

#[test]
fn t48_v34_i11_nothing_is_retired_while_it_is_read_again() {
    let mut b = Bench::new();
    b.send(1);
    b.issue(1, false);
    b.back(1);
    b.issue(2, true);
    b.una(501);
    assert!(b.done.is_empty() && b.holds());
    b.back(1);
    assert!(b.done.is_empty() && b.holds());
    b.back(1);
    assert_eq!(b.told(), [(6, OK, 0)]);
    assert!(!b.holds());
    // First copies do not matter: what is acknowledged has left.
    b.send(1);
    b.send(1);
    b.issue(2, false);
    b.una(502);
    assert_eq!(b.done.len(), 2);
}

#[test]
fn t50_a_wqe_that_failed_before_it_was_sent_reports_in_its_turn() {
    let mut b = Bench::new();
    b.send(1);
    let bad = Outstanding {
        kind: kind::FAILED.to_bits(),
        status: status::LOC_QP_OP.to_bits(),
        syndrome: syndrome::WQE_FORMAT.to_bits(),
        double: true,
        ..Default::default()
    };
    b.entry(bad);
    assert!(b.done.is_empty());
    b.una(501);
    assert_eq!(b.told(), [(6, OK, 0), (7, BAD, u64::from(syndrome::WQE_FORMAT))]);
    assert!(b.done[1].double);
}

#[test]
fn t73_d12_in_err_everything_is_flushed_when_nothing_is_in_flight() {
    let mut b = Bench::new();
    b.send(1);
    b.send(1);
    b.read(2, 1);
    b.local();
    b.issue(2, false);
    b.una(501);
    b.set_state(qp::ERR);
    b.run(30);
    assert_eq!(b.told(), [(6, OK, 0)]);
    b.landing = true;
    b.back(2);
    assert_eq!(b.done.len(), 1, "data of a response may still be written");
    b.land();
    assert_eq!(b.told()[1..], [(7, FLUSH, 0), (0, FLUSH, 0)]);
    b.outcome(0, 0);
    assert_eq!(b.told()[3..], [(1, FLUSH, 0)]);
}

#[test]
fn t6_d16_a_reset_retires_without_cqes_and_clear_forgets_the_failure() {
    let mut b = Bench::new();
    b.send(1);
    b.local();
    b.outcome(status::MW_BIND, 6);
    b.set_state(qp::RESET);
    b.run(40);
    assert_eq!(b.done.len(), 2);
    assert!(b.done.iter().all(|done| done.discard));
    assert!(b.row.over && b.row.bad);
    b.clear();
    assert_eq!((b.row.over, b.row.bad, b.row.rseq.to_u64(), b.row.total.to_u64()), (false, false, 2, 1));
    b.set_state(qp::RTS);
    b.psn = 500;
    b.send(1);
    b.una(501);
    assert_eq!(b.told()[2].1, OK);
}

#[test]
fn t69_a_slow_completion_queue_loses_nothing() {
    let mut b = Bench::new();
    for _ in 0..8 {
        b.send(1);
    }
    b.ready = false;
    b.una(508);
    for cycle in 0..400 {
        b.ready = cycle % 17 == 16;
        b.run(1);
    }
    assert_eq!(b.told().iter().map(|told| told.0).collect::<Vec<_>>(), [6, 7, 0, 1, 2, 3, 4, 5]);
}
