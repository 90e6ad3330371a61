//! Completion queues.

use super::*;

#[test]
fn d17_t78_overflow_fails_the_queue_and_every_queue_pair_on_it() {
    let mut bench = Bench::with_cq(2, 4);
    for _ in 0..4 {
        bench.succeed(local_inv(KEY_A));
    }
    assert!(bench.nic.take_events().is_empty());
    bench.post(QP1, &[local_inv(KEY_A), local_inv(KEY_A)]).unwrap();
    let lost = bench.step(QP1).unwrap();
    assert_eq!((lost.status, lost.cqe), (Status::Success, None));
    let event = Event { kind: rnic_abi::event::CQ_ERR, number: 0, detail: 0 };
    assert_eq!(bench.nic.take_events(), [event]);
    for qpn in [QP1, QP2] {
        assert_eq!(bench.nic.queue_pair(qpn).unwrap().state, State::Err);
    }
    let queue = bench.nic.completion_queue_mut(0).unwrap();
    assert!(queue.consume(4));
    let flushed = bench.step(QP1).unwrap();
    assert_eq!((flushed.status, flushed.cqe), (Status::WrFlush, None), "nothing more is written to a failed queue");
}

#[test]
fn d17_room_comes_back_with_the_consumer_count() {
    let mut bench = Bench::with_cq(2, 4);
    for count in 1..10 {
        bench.succeed(local_inv(KEY_A));
        assert!(bench.nic.completion_queue_mut(0).unwrap().consume(count));
    }
    assert!(!bench.nic.completion_queue_mut(0).unwrap().consume(10), "more than were produced");
}

#[test]
fn the_phase_bit_is_1_in_the_first_round_and_0_in_the_second() {
    let mut bench = Bench::with_cq(2, 4);
    for count in 1..=12 {
        bench.post(QP1, &[local_inv(KEY_A)]).unwrap();
        let cqe = bench.step(QP1).unwrap().cqe.unwrap();
        assert_eq!(cqe.phase, (count - 1) / 4 % 2 == 0, "completion {count}");
        bench.nic.completion_queue_mut(0).unwrap().consume(count);
    }
}

#[test]
fn d14_after_an_error_only_number_status_syndrome_and_slot_count() {
    let mut bench = Bench::new();
    bench.post(QP1, &[local_inv(0x512), local_inv(KEY_A)]).unwrap();
    let cqe = bench.step(QP1).unwrap().cqe.unwrap();
    let mut found = cqe.bytes(7);
    found[0x08..0x18].fill(0xEE);
    found[3] = 0xEE;
    assert!(cqe.agrees_with(&found));
    found[5] ^= 1;
    assert!(!cqe.agrees_with(&found));
    bench.recover(QP1);
    bench.post(QP1, &[local_inv(KEY_A)]).unwrap();
    let cqe = bench.step(QP1).unwrap().cqe.unwrap();
    let mut found = cqe.bytes(7);
    assert!(cqe.agrees_with(&found));
    found[0x08] = 1;
    assert!(!cqe.agrees_with(&found));
}
