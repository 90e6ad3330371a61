//! Acknowledgements, NAKs, restarts and orders: rules T26 to T34, T81 to T84 and the requester's sequences, one test each. Fixture: una = hpsn = 500,
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
fn t27_v28_g7_an_ack_behind_a_read_is_an_implied_nak() {
    let mut b = Bench::new();
    b.send(1);
    b.read(READ, 0, 4096);
    b.send(1);
    b.ack(505, ACK);
    assert_eq!((b.una(), b.epoch(), b.retry_left(), b.states[1].started), (501, 1, 1, true));
}

#[test]
fn t19_credits_of_an_ack_are_ignored() {
    for (psn, credits) in [(500, 0x00), (501, 0x01), (502, 0x1E), (503, 0x1F)] {
        let mut b = Bench::new();
        b.send(4);
        b.ack(psn, credits);
        let state = b.states[1];
        assert_eq!((b.una(), b.epoch(), state.rnr_wait, b.failure()), (psn + 1, 0, false, None), "{credits:02x}");
    }
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
fn t29_v43_g5_g6_each_refusal_has_its_status() {
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
fn t33_t35_implied_naks_of_the_rest_of_a_stream_are_echoes() {
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
fn t34_v35_g8_a_silent_peer_is_asked_as_often_as_retry_cnt_says() {
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
