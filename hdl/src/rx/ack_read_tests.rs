//! READs, atomics and failures: rules T36 to T40 and T69 and the requester's sequences, one test each. Fixture: una = hpsn = 500,
//! retry_cnt 2, rnr_retry 2, MTU 1024.
use super::ack_bench::*;
use rnic_abi::{bth::*, status, syndrome};
use rust_hdl::prelude::*;

const ACK: u64 = 0x1F;
const RNR: u64 = 0x20;
const FIRST: u8 = READ_RESPONSE_FIRST;
const MIDDLE: u8 = READ_RESPONSE_MIDDLE;
const LAST: u8 = READ_RESPONSE_LAST;
const ONLY: u8 = READ_RESPONSE_ONLY;

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
fn t37_t41_v29_v30_only_the_response_that_is_due_is_taken() {
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
fn t69_v62_reads_count_in_order_when_their_data_are_in_memory() {
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
fn c20_t16_the_sink_goes_behind_its_last_write_and_before_the_count() {
    let mut b = Bench::new();
    b.takes_sink = true;
    b.read(READ, 0, 2048);
    b.takes_sink = false;
    b.read(READ, 0, 1024);
    let first = b.data(FIRST, 500, 1024);
    let last = b.data(LAST, 501, 1024);
    let next = b.data(ONLY, 502, 1024);
    assert_eq!((first.tag().invalidates, last.tag().invalidates, next.tag().invalidates), (false, true, false));
    b.verdict(&first, 1, 0);
    b.verdict(&last, 2, 0);
    b.verdict(&next, 3, 0);
    b.land(1, false);
    assert!(!b.uut.invalidate.valid.val(), "a write of it is not answered");
    b.land(2, false);
    assert!(b.uut.invalidate.valid.val());
    assert_eq!((b.done[1], b.finished), (0, 1), "the READ behind it waits for it");
    let order = b.invalidate(0);
    assert_eq!((order.key, order.pd, order.qp, order.remote), (bits(0x5500), bits(0x78), bits(1), false));
    assert_eq!((b.done[1], b.finished, b.failure()), (2, 3, None));
}

#[test]
fn c20_a_sink_that_may_not_be_invalidated_is_mw_bind() {
    let mut b = Bench::new();
    b.takes_sink = true;
    b.read(READ, 0, 1024);
    let job = b.data(ONLY, 500, 1024);
    b.verdict(&job, 1, 0);
    b.land(1, false);
    b.invalidate(syndrome::INV_KEY.into());
    assert_eq!(b.failure(), Some((500, status::MW_BIND, syndrome::INV_KEY)));
    assert_eq!((b.done[1], b.finished), (0, 1));
}

#[test]
fn c20_a_read_that_failed_invalidates_nothing() {
    let mut b = Bench::new();
    b.takes_sink = true;
    for n in 0..2 {
        b.read(READ, 0, 1024);
        let job = b.data(ONLY, 500 + n, 1024);
        b.verdict(&job, 1 + n, if n == 0 { 0x32 } else { 0 });
        b.land(1, false);
        assert!(!b.uut.invalidate.valid.val(), "the second one is behind a failure");
    }
    assert_eq!((b.failure(), b.done[1], b.finished), (Some((500, status::LOC_PROT, 0x32)), 0, 2));
    // Their orders are gone: the next life of the queue pair starts with its own.
    b.order(1, true, 600);
    b.publish(1, 600, 0);
    b.cycle();
    b.takes_sink = true;
    b.read(READ, 0, 1024);
    let job = b.data(ONLY, 600, 1024);
    b.verdict(&job, 3, 0);
    b.land(1, false);
    assert_eq!(b.invalidate(0).key, bits::<32>(0x5500));
    assert_eq!(b.done[1], 1);
}

#[test]
fn c20_sinks_of_several_reads_go_in_their_order() {
    let mut b = Bench::new();
    b.takes_sink = true;
    let mut jobs = vec![];
    for n in 0..7 {
        b.read(READ, 0, 0);
        jobs.push(b.data(ONLY, 500 + n, 0));
    }
    for (n, job) in jobs.iter().enumerate() {
        b.verdict(job, 0, 0);
        assert_eq!(b.invalidate(0).key, bits::<32>(0x5500 + n as u64));
    }
    assert_eq!((b.done[1], b.finished), (7, 7));
}
