//! Rules T26 to T41, T81 to T84 and the requester's sequences of the specification, one test each. Fixture: una = hpsn = 500,
//! retry_cnt 2, rnr_retry 2, MTU 1024.
use super::ack_bench::*;
use super::TimerEvent;
use rnic_abi::{bth::*, status, syndrome};
use rust_hdl::prelude::*;

const ACK: u64 = 0x1F;
const RNR: u64 = 0x20;
const FIRST: u8 = READ_RESPONSE_FIRST;
const MIDDLE: u8 = READ_RESPONSE_MIDDLE;
const LAST: u8 = READ_RESPONSE_LAST;
const ONLY: u8 = READ_RESPONSE_ONLY;

#[test]
fn t26_v32_v40_what_is_not_outstanding_is_ignored_and_counted() {
    let mut b = Bench::new();
    b.send(8);
    b.ack(503, ACK);
    assert_eq!(b.una(), 504);
    let before = b.states[1];
    for (n, (psn, syndrome)) in
        [(502, 0x60), (503, ACK), (501, RNR), (500, 0x62), (508, ACK), (900, ACK), (900, 0x61)].into_iter().enumerate()
    {
        b.ack(psn, syndrome);
        assert_eq!(b.states[1], before, "{psn}/{syndrome:x}");
        assert_eq!(b.strays, n + 1);
    }
    let job = b.data(MIDDLE, 503, 1024);
    assert_eq!(job.span.bytes, bits::<13>(0), "T41: nothing is placed for a PSN that is acknowledged");
    assert_eq!((b.states[1], b.strays), (before, 8));
}

#[test]
fn t27_v27_an_ack_covers_all_before_it() {
    let mut b = Bench::new();
    b.send(3);
    b.ack(502, ACK);
    assert_eq!((b.una(), b.epoch(), b.failure()), (503, 0, None));
}

#[test]
fn t27_v28_an_ack_behind_a_read_is_an_implied_nak() {
    let mut b = Bench::new();
    b.send(1);
    b.read(READ, 0, 4096);
    b.send(1);
    b.ack(505, ACK);
    assert_eq!((b.una(), b.epoch(), b.retry_left(), b.states[1].started), (501, 1, 1, true));
}

#[test]
fn t28_reserved_syndromes_are_ignored() {
    let mut b = Bench::new();
    b.send(4);
    let before = b.states[1];
    for syndrome in [0x40, 0x5F, 0x64, 0x65, 0x7F, 0x80, 0x9F, 0xE0] {
        b.ack(502, syndrome);
        assert_eq!(b.states[1], before, "{syndrome:x}");
    }
}

#[test]
fn t28_v31_a_sequence_nak_acknowledges_what_is_before_it_and_restarts() {
    let mut b = Bench::new();
    b.send(8);
    b.ack(503, 0x60);
    assert_eq!((b.una(), b.epoch(), b.retry_left()), (503, 1, 1));
    b.ack(507, ACK);
    assert_eq!((b.una(), b.epoch(), b.retry_left(), b.states[1].started), (508, 1, 2, false));
}

#[test]
fn t28_a_sequence_nak_behind_a_read_implies_the_nak_of_the_read_once() {
    let mut b = Bench::new();
    b.read(READ, 0, 4096);
    b.send(2);
    b.data(FIRST, 500, 1024);
    b.ack(505, 0x60);
    assert_eq!((b.una(), b.epoch(), b.retry_left()), (501, 1, 1));
}

#[test]
fn t29_v60_a_refusal_inside_the_oldest_read_fails_it_at_once() {
    for taken in 1..=2 {
        let mut b = Bench::new();
        b.read(READ, 0, 4096);
        b.data(FIRST, 500, 1024);
        if taken == 2 {
            b.data(MIDDLE, 501, 1024);
        }
        b.ack(502, 0x62);
        assert_eq!(b.failure(), Some((502, status::REM_ACCESS, syndrome::NAK_62)));
        assert_eq!(b.una(), 500 + taken);
    }
}

#[test]
fn t29_a_refusal_inside_a_read_acknowledges_the_sends_before_it() {
    let mut b = Bench::new();
    b.send(2);
    b.read(READ, 0, 4096);
    b.ack(503, 0x62);
    assert_eq!((b.una(), b.failure()), (502, Some((503, status::REM_ACCESS, syndrome::NAK_62))));
}

#[test]
fn t29_a_refusal_behind_an_unanswered_read_is_forgotten() {
    let mut b = Bench::new();
    b.read(READ, 0, 2048);
    b.send(2);
    b.ack(503, 0x61);
    assert_eq!((b.una(), b.epoch(), b.failure()), (500, 1, None));
}

#[test]
fn t29_v43_each_refusal_has_its_status() {
    for (nak, status, syndrome) in [
        (0x61, status::REM_INV_REQ, syndrome::NAK_61),
        (0x62, status::REM_ACCESS, syndrome::NAK_62),
        (0x63, status::REM_OP, syndrome::NAK_63),
    ] {
        let mut b = Bench::new();
        b.send(3);
        b.ack(501, nak);
        assert_eq!((b.una(), b.epoch(), b.failure()), (501, 0, Some((501, status, syndrome))));
    }
}

#[test]
fn t30_v37_rnr_waits_are_counted() {
    let mut b = Bench::new();
    b.send(1);
    for wait in 1..=2 {
        b.ack(500, RNR + 12);
        let s = b.states[1];
        assert_eq!((s.rnr_wait, s.rnr_code, s.rnr_left), (true, bits(12), bits(2 - wait)));
        b.rnr_done();
        assert_eq!((b.states[1].rnr_wait, b.epoch(), b.retry_left()), (false, wait, 2));
    }
    b.ack(500, RNR);
    assert_eq!(b.failure(), Some((500, status::RNR_RETRY_EXC, syndrome::RNR_RETRY)));
    assert!(!b.states[1].rnr_wait);
}

#[test]
fn t30_v37_rnr_retry_7_waits_for_ever() {
    let mut b = Bench::new();
    b.context(1, 3, 2, 7);
    b.order(1, true, 500);
    b.send(1);
    for _ in 0..100 {
        b.ack(500, RNR + 1);
        assert!(b.states[1].rnr_wait);
        b.rnr_done();
    }
    assert_eq!((b.failure(), b.states[1].rnr_left), (None, bits(7)));
}

#[test]
fn t30_an_rnr_nak_acknowledges_what_is_before_it() {
    let mut b = Bench::new();
    b.send(4);
    b.ack(502, RNR + 3);
    assert_eq!((b.una(), b.states[1].rnr_wait, b.epoch()), (502, true, 0));
    // A later one moves on, which ends the first wait and begins another.
    b.ack(503, RNR + 4);
    assert_eq!(
        (b.una(), b.states[1].rnr_wait, b.states[1].rnr_code, b.states[1].rnr_left),
        (503, true, bits(4), bits(1))
    );
}

#[test]
fn t30_an_rnr_nak_behind_an_unanswered_read_is_forgotten() {
    let mut b = Bench::new();
    b.read(READ, 0, 1024);
    b.send(1);
    b.ack(501, RNR);
    assert_eq!((b.una(), b.epoch(), b.states[1].rnr_wait), (500, 1, false));
}

#[test]
fn t31_v38_naks_and_the_timeout_are_ignored_in_an_rnr_wait() {
    let mut b = Bench::new();
    b.send(2);
    b.ack(500, RNR + 1);
    let before = b.states[1];
    b.ack(500, RNR + 9);
    b.ack(500, 0x60);
    b.timeout();
    assert_eq!(b.states[1], before);
}

#[test]
fn t31_v39_progress_ends_an_rnr_wait() {
    let mut b = Bench::new();
    b.send(2);
    b.ack(500, RNR + 1);
    b.ack(500, ACK);
    let s = b.states[1];
    assert_eq!((b.una(), s.rnr_wait, s.rnr_left, b.epoch()), (501, false, bits(2), 0));
    // The timer of the wait that has ended does nothing, even when it runs out now.
    b.event(TimerEvent { qp: bits(1), rnr: true, epoch: bits(0), una: bits(500) });
    assert_eq!(b.states[1], s);
}

#[test]
fn t32_progress_reloads_before_a_restart_is_charged() {
    let mut b = Bench::new();
    b.send(4);
    b.ack(500, 0x60);
    b.timeout();
    assert_eq!(b.retry_left(), 0);
    b.ack(502, 0x60);
    assert_eq!((b.una(), b.retry_left(), b.epoch(), b.failure()), (502, 1, 3, None));
}

#[test]
fn t33_v59_an_echo_of_a_nak_costs_nothing_and_a_timeout_always_counts() {
    let mut b = Bench::new();
    b.send(1);
    for _ in 0..3 {
        b.ack(500, 0x60);
        assert_eq!((b.epoch(), b.retry_left(), b.states[1].started), (1, 1, true));
    }
    b.timeout();
    assert_eq!((b.epoch(), b.retry_left(), b.states[1].started), (2, 0, false));
    b.timeout();
    assert_eq!(b.failure(), Some((500, status::RETRY_EXC, syndrome::RETRY)));
    assert_eq!(b.epoch(), 2);
}

#[test]
fn t33_implied_naks_of_the_rest_of_a_stream_are_echoes() {
    let mut b = Bench::new();
    b.read(READ, 0, 8192);
    for psn in 502..507 {
        b.data(MIDDLE, psn, 1024);
        assert_eq!((b.una(), b.epoch(), b.retry_left()), (500, 1, 1), "T35: one loss costs one restart");
    }
    b.ack(500, 0x60);
    assert_eq!(b.epoch(), 1);
}

#[test]
fn t34_v35_a_silent_peer_is_asked_as_often_as_retry_cnt_says() {
    for retries in [0, 2, 7] {
        let mut b = Bench::new();
        b.context(1, 3, retries, 2);
        b.order(1, true, 500);
        b.send(1);
        for n in 1..=retries {
            b.timeout();
            assert_eq!((b.epoch(), b.failure()), (n, None));
        }
        b.timeout();
        assert_eq!(b.failure(), Some((500, status::RETRY_EXC, syndrome::RETRY)));
    }
}

#[test]
fn t36_v58_a_response_acknowledges_the_sends_before_its_read() {
    let mut b = Bench::new();
    b.send(1);
    b.read(READ, 0, 4096);
    let job = b.data(FIRST, 501, 1024);
    assert_eq!((b.una(), job.span.bytes, job.span.skip), (502, bits(1024), bits(0)));
    b.data(MIDDLE, 502, 1024);
    b.data(MIDDLE, 503, 1024);
    let job = b.data(LAST, 504, 1024);
    assert_eq!((b.una(), b.states[1].rd_head, job.tag().ends), (505, bits(1), true));
}

#[test]
fn t37_v29_v30_only_the_response_that_is_due_is_taken() {
    let mut b = Bench::new();
    b.read(READ, 0, 4096);
    b.data(FIRST, 500, 1024);
    b.ack(500, ACK);
    let job = b.data(LAST, 503, 1024);
    assert_eq!((job.tag().counts, b.una(), b.epoch(), b.retry_left()), (false, 501, 1, 1));
    let job = b.data(MIDDLE, 502, 1024);
    assert_eq!((job.tag().counts, b.una(), b.epoch()), (false, 501, 1));
    // A late one of the first stream counts by its position, then the re-sent stream goes on.
    let job = b.data(MIDDLE, 501, 1024);
    assert_eq!((job.tag().counts, job.span.skip, b.una(), b.retry_left()), (true, bits(1024), 502, 2));
    let job = b.data(FIRST, 501, 1024);
    assert_eq!((job.tag().counts, b.una()), (false, 502));
    let job = b.data(MIDDLE, 502, 1024);
    assert_eq!(job.span.skip, bits::<32>(2048));
    let job = b.data(LAST, 503, 1024);
    assert_eq!((job.tag().ends, b.una(), b.failure(), b.states[1].rd_head), (true, 504, None, bits(1)));
}

#[test]
fn t37_a_re_requested_stream_begins_with_a_first() {
    let mut b = Bench::new();
    b.read(READ, 0, 4096);
    b.data(FIRST, 500, 1024);
    b.data(LAST, 503, 1024);
    for (opcode, psn) in [(FIRST, 501), (MIDDLE, 502), (ONLY, 503)] {
        assert!(b.data(opcode, psn, 1024).tag().counts);
    }
    assert_eq!((b.una(), b.failure()), (504, None));
}

#[test]
fn t37_the_position_is_that_of_the_psn_in_a_later_chunk() {
    let mut b = Bench::new();
    b.read(READ, 1 << 20, 2000);
    let job = b.data(FIRST, 500, 1024);
    assert_eq!((job.span.skip, job.span.bytes, job.span.need), (bits(1 << 20), bits(1024), bits(1)));
    assert_eq!((job.span.pd, job.span.remote, job.span.privileged), (bits(0x78), false, false));
    let job = b.data(LAST, 501, 976);
    assert_eq!((job.span.skip, job.span.bytes), (bits((1 << 20) + 1024), bits(976)));
}

#[test]
fn t37_v41_responses_that_fit_nothing_are_failures_of_the_peer() {
    let bad = |syndrome| Some((500, status::BAD_RESP, syndrome));
    let (opcode, length) = (syndrome::RESP_OPCODE, syndrome::RESP_LENGTH);
    for (kind, size, frame, payload, expected) in [
        (READ, 1024, ATOMIC_ACKNOWLEDGE, 0, opcode),
        (READ, 2048, MIDDLE, 1000, length),
        (READ, 2048, FIRST, 1025, length),
        (READ, 2048, LAST, 1024, length),
        (READ, 2048, ONLY, 1024, length),
        (READ, 1024, FIRST, 1024, length),
        (READ, 1000, ONLY, 1001, length),
        (READ, 1000, ONLY, 999, length),
        (READ, 0, ONLY, 1, length),
        (ATOMIC, 8, ONLY, 8, opcode),
        (ATOMIC, 8, ATOMIC_ACKNOWLEDGE, 4, length),
    ] {
        let mut b = Bench::new();
        b.read(kind, 0, size);
        let job = b.data(frame, 500, payload);
        assert_eq!((b.failure(), b.una(), job.span.bytes), (bad(expected), 500, bits(0)), "{size} {frame:x} {payload}");
    }
    // No READ at all, and one that begins later.
    for reads in 0..2 {
        let mut b = Bench::new();
        b.send(2);
        if reads == 1 {
            b.read(READ, 0, 1024);
        }
        b.data(ONLY, 500, 1024);
        assert_eq!((b.failure(), b.una()), (bad(opcode), 500));
    }
    // An AETH that is no ACK.
    let mut b = Bench::new();
    b.read(READ, 0, 1024);
    b.frame(response(1, ONLY, 500, 0x60, 1024));
    assert_eq!(b.failure(), bad(length));
    // But a Middle has no AETH.
    let mut b = Bench::new();
    b.read(READ, 0, 4096);
    b.frame(response(1, MIDDLE, 500, 0x60, 1024));
    assert_eq!((b.failure(), b.una()), (None, 501));
    // V41: an ACK for a READ is no failure, but an implied NAK.
    let mut b = Bench::new();
    b.read(READ, 0, 1024);
    b.ack(500, ACK);
    assert_eq!((b.failure(), b.epoch(), b.una()), (None, 1, 500));
}

#[test]
fn t37_the_wrong_kind_counts_before_the_gap() {
    let mut b = Bench::new();
    b.read(READ, 0, 4096);
    b.data(ATOMIC_ACKNOWLEDGE, 502, 0);
    assert_eq!(b.failure(), Some((502, status::BAD_RESP, syndrome::RESP_OPCODE)));
}

#[test]
fn t39_an_atomic_brings_its_result_as_a_number() {
    let mut b = Bench::new();
    b.read(ATOMIC, 0, 8);
    let job = b.data(ATOMIC_ACKNOWLEDGE, 500, 0);
    assert!(job.job.inline && job.tag().ends && job.tag().counts);
    assert_eq!((job.span.bytes, job.job.value), (bits(8), (0x1122_3344_5566_7700 + 500u64).into()));
    assert_eq!((b.una(), b.states[1].rd_head), (501, bits(1)));
    b.read(READ, 0, 8);
    assert!(!b.data(ONLY, 501, 8).job.inline);
}

#[test]
fn t39_v61_a_sink_that_refuses_fails_the_read_and_earlier_work_completes() {
    let mut b = Bench::new();
    b.send(1);
    b.read(READ, 0, 4096);
    let job = b.data(FIRST, 501, 1024);
    assert_eq!(b.una(), 502, "una has moved before the data are placed");
    b.verdict(&job, 0, 0x32);
    b.settle();
    assert_eq!(b.failure(), Some((501, status::LOC_PROT, 0x32)));
    // T40: una moves no further, nothing more is taken, and no timer restarts it.
    let before = b.states[1];
    let job = b.data(MIDDLE, 502, 1024);
    assert_eq!((job.span.bytes, job.tag().counts), (bits(0), false));
    b.ack(504, ACK);
    b.timeout();
    assert_eq!((b.states[1], b.done[1]), (before, 0));
}

#[test]
fn t39_a_bus_error_of_a_write_is_syndrome_40() {
    let mut b = Bench::new();
    b.read(READ, 0, 2048);
    let first = b.data(FIRST, 500, 1024);
    let last = b.data(LAST, 501, 1024);
    b.verdict(&first, 2, 0);
    b.verdict(&last, 3, 0);
    b.land(1, false);
    b.land(1, true);
    b.land(1, false);
    assert_eq!(b.failure(), Some((500, status::LOC_PROT, syndrome::PAYLOAD_BUS)));
    assert_eq!((b.done[1], b.finished), (0, 2), "that READ never counts");
}

#[test]
fn t40_of_several_failures_the_smallest_psn_wins() {
    let mut b = Bench::new();
    b.read(READ, 0, 2048);
    b.send(4);
    let first = b.data(FIRST, 500, 1024);
    b.data(LAST, 501, 1024);
    b.ack(504, 0x62);
    assert_eq!(b.failure(), Some((504, status::REM_ACCESS, syndrome::NAK_62)));
    b.verdict(&first, 0, 0x30);
    b.settle();
    assert_eq!(b.failure(), Some((500, status::LOC_PROT, 0x30)));
    // And a later one changes nothing.
    b.ack(505, 0x61);
    assert_eq!(b.failure(), Some((500, status::LOC_PROT, 0x30)));
}

#[test]
fn t40_work_before_the_failure_is_still_acknowledged_and_restarted() {
    let mut b = Bench::new();
    b.send(6);
    // A READ response where no READ is: failure at 503, with 500 to 502 outstanding.
    b.data(ONLY, 503, 1024);
    assert_eq!((b.failure().unwrap().0, b.una()), (503, 500));
    b.timeout();
    assert_eq!((b.epoch(), b.retry_left()), (1, 1));
    b.ack(501, 0x60);
    assert_eq!((b.una(), b.epoch()), (501, 2));
    b.ack(505, ACK);
    assert_eq!(b.una(), 503, "no further than the failure");
    let before = b.states[1];
    b.timeout();
    b.ack(503, 0x60);
    b.ack(503, RNR);
    assert_eq!(b.states[1], before);
}

#[test]
fn t40_a_timeout_before_the_failure_may_fail_earlier() {
    let mut b = Bench::new();
    b.send(6);
    b.data(ONLY, 503, 1024);
    (0..3).for_each(|_| b.timeout());
    assert_eq!(b.failure(), Some((500, status::RETRY_EXC, syndrome::RETRY)));
}

#[test]
fn t40_a_read_before_the_failure_is_finished() {
    let mut b = Bench::new();
    b.read(READ, 0, 2048);
    b.send(3);
    b.data(FIRST, 500, 1024);
    b.data(ATOMIC_ACKNOWLEDGE, 503, 0);
    assert_eq!(b.failure(), None, "behind the READ: implied NAK");
    b.data(LAST, 501, 1024);
    b.ack(503, 0x63);
    assert_eq!((b.una(), b.failure().unwrap().0, b.states[1].rd_head), (503, 503, bits(1)));
}

#[test]
fn t40_data_of_a_read_that_has_failed_are_not_taken() {
    let mut b = Bench::new();
    b.read(READ, 0, 4096);
    b.ack(502, 0x62);
    let before = b.states[1];
    assert_eq!((b.una(), b.failure().unwrap().0), (500, 502));
    let job = b.data(FIRST, 500, 1024);
    assert_eq!((job.tag().counts, job.span.bytes, b.states[1]), (false, bits(0), before), "T41");
    b.timeout();
    b.ack(500, 0x60);
    assert_eq!(b.states[1], before);
}

#[test]
fn t40_nothing_behind_the_failure_moves_una_past_it() {
    for data in [false, true] {
        let mut b = Bench::new();
        b.send(4);
        b.data(ONLY, 502, 1024);
        assert_eq!((b.una(), b.failure().unwrap().0), (500, 502));
        b.read(READ, 0, 4096);
        if data {
            assert!(!b.data(FIRST, 504, 1024).tag().counts);
        } else {
            b.ack(505, ACK);
        }
        assert_eq!((b.una(), b.epoch()), (502, 0));
    }
}

#[test]
fn v33_an_ack_during_a_resend_moves_una_without_an_epoch() {
    let mut b = Bench::new();
    b.send(8);
    b.ack(503, 0x60);
    b.ack(506, ACK);
    assert_eq!((b.una(), b.epoch()), (507, 1));
}

#[test]
fn v36_v46_psns_wrap() {
    let mut b = Bench::new();
    b.order(1, true, 0xFF_FFFE);
    b.publish(1, 0xFF_FFFE, 0);
    b.send(4);
    b.ack(0, 0x60);
    assert_eq!((b.una(), b.epoch()), (0, 1));
    b.ack(1, ACK);
    assert_eq!(b.una(), 2);
    b.order(1, true, 0xFF_FFFE);
    b.publish(1, 0xFF_FFFE, 0);
    b.read(READ, 0, 4096);
    for (n, (opcode, psn)) in [(FIRST, 0xFF_FFFE), (MIDDLE, 0xFF_FFFF), (MIDDLE, 0), (LAST, 1)].into_iter().enumerate()
    {
        let job = b.data(opcode, psn, 1024);
        assert_eq!((job.span.skip, job.tag().counts), (bits(1024 * n as u64), true));
    }
    assert_eq!((b.una(), b.failure()), (2, None));
}

#[test]
fn t69_reads_count_in_order_when_their_data_are_in_memory() {
    let mut b = Bench::new();
    let mut jobs = vec![];
    for n in 0..4 {
        b.read(READ, 0, 2048);
        jobs.push(b.data(FIRST, 500 + 2 * n, 1024));
        jobs.push(b.data(LAST, 501 + 2 * n, 1024));
    }
    for (n, job) in jobs.iter().enumerate() {
        if n == 3 {
            b.land(2, false);
            assert_eq!(b.done[1], 0, "V62: the last write of the first READ has no answer yet");
            b.land(1, false);
            assert_eq!(b.done[1], 1, "answers may be here before the verdict");
        }
        if n == 7 {
            break;
        }
        b.verdict(job, 2 * (n as u64 + 1) - 1, 0);
    }
    b.land(10, false);
    assert_eq!(b.done[1], 3);
    b.verdict(&jobs[7], 13, 0);
    assert_eq!((b.done[1], b.finished), (4, 8));
}

#[test]
fn t69_a_read_without_bytes_counts_in_its_turn() {
    let mut b = Bench::new();
    b.read(READ, 0, 1024);
    b.read(READ, 0, 0);
    let with = b.data(ONLY, 500, 1024);
    let without = b.data(ONLY, 501, 0);
    assert_eq!((without.span.bytes, without.tag().ends), (bits(0), true));
    b.verdict(&with, 1, 0);
    b.verdict(&without, 1, 0);
    assert_eq!(b.done[1], 0);
    b.land(1, false);
    assert_eq!(b.done[1], 2);
}

#[test]
fn t6_orders_forget_everything_and_the_dead_do_not_count() {
    let mut b = Bench::new();
    b.read(READ, 0, 1024);
    let job = b.data(ONLY, 500, 1024);
    b.verdict(&job, 0, 0);
    assert_eq!((b.done[1], b.una()), (1, 501));
    b.send(2);
    b.ack(501, 0x62);
    b.order(1, false, 0);
    assert_eq!((b.states[1], b.done[1]), (Default::default(), 0));
    b.order(1, true, 700);
    b.publish(1, 702, 0);
    assert_eq!((b.una(), b.retry_left(), b.failure()), (700, 2, None));
    b.uut.dead.next = bits(2);
    let before = b.states[1];
    b.ack(700, ACK);
    b.timeout();
    assert_eq!((b.states[1], b.strays), (before, 0));
    b.uut.dead.next = bits(0);
    b.ack(700, ACK);
    assert_eq!(b.una(), 701);
}

#[test]
fn t81_a_timeout_that_comes_too_late_is_dropped() {
    let mut b = Bench::new();
    b.send(2);
    let before = b.states[1];
    b.event(TimerEvent { qp: bits(1), rnr: false, epoch: bits(1), una: bits(500) });
    b.event(TimerEvent { qp: bits(1), rnr: false, epoch: bits(0), una: bits(499) });
    b.event(TimerEvent { qp: bits(1), rnr: true, epoch: bits(0), una: bits(500) });
    assert_eq!(b.states[1], before);
    b.ack(501, ACK);
    let before = b.states[1];
    b.timeout();
    assert_eq!(b.states[1], before, "nothing is outstanding");
}

#[test]
fn t84_an_event_is_taken_after_at_most_fifteen_frames() {
    let mut b = Bench::new();
    b.send(40);
    b.uut.event_in.valid.next = true;
    b.uut.event_in.data.next = TimerEvent { qp: bits(1), rnr: false, epoch: bits(0), una: bits(500) };
    b.uut.frame.valid.next = true;
    b.uut.frame.data.next = response(1, ACKNOWLEDGE, 900, ACK, 0);
    let mut taken = None;
    for _ in 0..200 {
        b.cycle();
        if taken.is_none() && b.epoch() == 1 {
            taken = Some(b.jobs.len());
            b.uut.event_in.valid.next = false;
        }
    }
    assert_eq!(taken, Some(15));
    assert_eq!(b.retry_left(), 1);
    assert!(b.jobs.len() >= 24, "eight cycles a frame: {}", b.jobs.len());
}

#[test]
fn a_job_that_is_not_taken_holds_everything_and_stays_the_same() {
    let mut b = Bench::new();
    b.read(READ, 0, 1024);
    b.uut.job.ready.next = false;
    b.uut.frame.valid.next = true;
    b.uut.frame.data.next = response(1, ONLY, 500, ACK, 1024);
    (0..8).for_each(|_| b.cycle());
    b.uut.frame.valid.next = false;
    let job = b.uut.job.data.val();
    for _ in 0..20 {
        b.cycle();
        assert!(b.uut.job.valid.val());
        assert_eq!((b.uut.job.data.val(), b.una()), (job, 500));
    }
    b.uut.job.ready.next = true;
    b.settle();
    assert_eq!((b.jobs.len(), b.una()), (1, 501));
}
