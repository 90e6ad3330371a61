//! Failures of send and completion queues, and draining.
mod qp_bench;
use qp_bench::{Bench, Deed};
use rnic_abi::admin::{create_qp, modify_qp, Command};
use rnic_abi::event;
use rnic_abi::qp::{self, State};

#[test]
fn d11_a_failed_send_queue_puts_its_queue_pair_in_err() {
    for state in [State::Init, State::Rtr, State::Rts, State::Sqd] {
        let mut bench = Bench::new();
        bench.bring(0x12, state);
        bench.bring(0x13, State::Rts);
        bench.deeds.clear();
        bench.fail_send(2);
        bench.steps(80);
        assert_eq!(bench.deeds, [Deed::Context { index: 2, qpn: 0x12, state: 6 }, Deed::Fail(2), Deed::Wake(2)]);
        assert_eq!((bench.state(0x12), bench.state(0x13)), (State::Err, State::Rts));
    }
}

#[test]
fn d11_failures_are_never_lost_and_seen_by_the_next_command() {
    let mut bench = Bench::new();
    for qpn in 0x20..0x28 {
        bench.bring(qpn, State::Rts);
    }
    // All in a row, and in the middle of a command.
    bench.start(Command::QueryQp, &{
        let mut words = [0; 18];
        words[0] = 0x27;
        words
    });
    for index in 0..8 {
        bench.fail_send(index);
    }
    bench.steps(60);
    assert_eq!(bench.done, Some(0));
    assert_eq!(bench.answers[0].1, 3, "the query had begun before");
    for qpn in 0x20..0x28 {
        assert_eq!(bench.state(qpn), State::Err, "{qpn:x}");
    }
}

#[test]
fn d11_a_failure_in_reset_or_err_changes_nothing() {
    let mut bench = Bench::new();
    bench.bring(0x12, State::Reset);
    bench.bring(0x13, State::Err);
    bench.deeds.clear();
    bench.fail_send(2);
    bench.fail_send(3);
    bench.fail_send(7);
    bench.steps(200);
    assert_eq!(bench.deeds, []);
}

#[test]
fn t6_a_failure_during_reset_does_not_reach_the_next_life() {
    let mut bench = Bench::new();
    bench.bring(0x12, State::Rts);
    bench.counts[2] = [3, 1, 0];
    bench.start(Command::ModifyQp, &Bench::modify_words(0x12, State::Reset, 0));
    bench.steps(100);
    bench.fail_send(2);
    bench.counts[2] = [3, 3, 0];
    bench.steps(200);
    assert_eq!(bench.done, Some(0));
    bench.lead(0x12, State::Rts);
    bench.steps(200);
    assert_eq!(bench.state(0x12), State::Rts);
}

#[test]
fn t73_err_and_flush_wait_for_what_the_responder_has_on_its_way() {
    let mut bench = Bench::new();
    bench.bring(0x12, State::Rts);
    bench.answering = 300;
    bench.deeds.clear();
    bench.fail_send(2);
    bench.steps(290);
    assert!(bench.muted.is_some(), "it was not told to be silent");
    assert_eq!(bench.deeds, [], "a flush could begin");
    bench.steps(100);
    assert_eq!(bench.deeds, [Deed::Context { index: 2, qpn: 0x12, state: 6 }, Deed::Fail(2), Deed::Wake(2)]);
    // A reset has ways of its own; nothing else silences a responder.
    bench.muted = None;
    bench.start(Command::ModifyQp, &Bench::modify_words(0x12, State::Reset, 0));
    bench.steps(200);
    assert_eq!((bench.done, bench.muted), (Some(0), None));
}

/// A queue pair in RTS with its two completion queues.
fn bring(bench: &mut Bench, qpn: u32, send: u64, receive: u64) {
    let mut words = Bench::create_words(qpn);
    create_qp::SEND_CQN.put(&mut words, send);
    create_qp::RECEIVE_CQN.put(&mut words, receive);
    assert_eq!(bench.run(Command::CreateQp, &words), 0);
    bench.lead(qpn, State::Rts);
}

#[test]
fn t78_d17_a_failed_completion_queue_takes_its_queue_pairs_to_err_and_is_told_once() {
    let mut bench = Bench::new();
    bring(&mut bench, 0x10, 15, 0);
    bring(&mut bench, 0x11, 0, 15);
    bring(&mut bench, 0x12, 15, 15);
    bring(&mut bench, 0x16, 0, 1);
    bench.bring(0x17, State::Reset);
    bench.deeds.clear();
    bench.cq_failures = vec![15];
    bench.events_ready = false;
    bench.steps(400);
    let fails = |index, qpn| [Deed::Context { index, qpn, state: 6 }, Deed::Fail(index), Deed::Wake(index)];
    let expected = [fails(0, 0x10), fails(1, 0x11), fails(2, 0x12)].concat();
    assert_eq!(bench.deeds, expected);
    bench.events_ready = true;
    bench.steps(100);
    assert_eq!(bench.deeds[9..], [Deed::Event { kind: event::CQ_ERR.into(), number: 15 }]);
    assert_eq!((bench.state(0x16), bench.state(0x17)), (State::Rts, State::Reset));
    // Two at once.
    bench.deeds.clear();
    bench.cq_failures = vec![1, 0];
    bench.steps(800);
    let events: Vec<_> = bench.deeds.iter().filter(|deed| matches!(deed, Deed::Event { .. })).collect();
    let kind = u64::from(event::CQ_ERR);
    assert_eq!(events, [&Deed::Event { kind, number: 1 }, &Deed::Event { kind, number: 0 }]);
    assert_eq!(bench.state(0x16), State::Err);
}

fn to_sqd(bench: &mut Bench, qpn: u32, event: Option<u64>) {
    let mut words = Bench::modify_words(qpn, State::Sqd, if event.is_some() { qp::DRAINED_EVENT } else { 0 });
    modify_qp::DRAINED_EVENT.put(&mut words, event.unwrap_or(0));
    assert_eq!(bench.run(Command::ModifyQp, &words), 0);
}

fn drained(bench: &mut Bench, qpn: u32) -> u64 {
    bench.query(qpn).unwrap()[0] >> 8
}

#[test]
fn t77_drained_is_told_once_when_nothing_is_in_flight() {
    let mut bench = Bench::new();
    bench.bring(0x13, State::Rts);
    bench.counts[3] = [7, 5, 0];
    assert_eq!(drained(&mut bench, 0x13), 0, "RTS is never drained");
    to_sqd(&mut bench, 0x13, Some(1));
    bench.steps(300);
    let events = |bench: &Bench| bench.deeds.iter().filter(|deed| matches!(deed, Deed::Event { .. })).count();
    assert_eq!(events(&bench), 0);
    assert_eq!(drained(&mut bench, 0x13), 0);
    bench.deeds.clear();
    bench.counts[3][1] = 7;
    bench.steps(600);
    assert_eq!(bench.deeds, [Deed::Event { kind: event::SQ_DRAINED.into(), number: 0x13 }]);
    assert_eq!(drained(&mut bench, 0x13), 1);
    // SQD to SQD tells nothing new; RTS and SQD again does, the enable being as it was.
    assert_eq!(bench.modify(0x13, State::Sqd, 0), 0);
    bench.steps(300);
    assert_eq!(events(&bench), 0);
    assert_eq!(bench.modify(0x13, State::Rts, 0), 0);
    assert_eq!(drained(&mut bench, 0x13), 0);
    to_sqd(&mut bench, 0x13, None);
    bench.steps(300);
    assert_eq!(events(&bench), 1);
}

#[test]
fn t77_without_the_enable_or_after_leaving_sqd_nothing_is_told() {
    let mut bench = Bench::new();
    bench.bring(0x13, State::Rts);
    for event in [None, Some(0)] {
        to_sqd(&mut bench, 0x13, event);
        bench.steps(300);
        assert_eq!(drained(&mut bench, 0x13), 1);
        assert_eq!(bench.modify(0x13, State::Rts, 0), 0);
    }
    for to in [State::Rts, State::Err, State::Reset] {
        bench.counts[3] = [2, 1, 0];
        to_sqd(&mut bench, 0x13, Some(1));
        if to == State::Reset {
            bench.counts[3] = [2, 2, 0];
        }
        let begun = bench.cycle;
        bench.start(Command::ModifyQp, &Bench::modify_words(0x13, to, 0));
        bench.counts[3] = [2, 2, 0];
        bench.steps(600);
        assert_eq!(bench.done, Some(0));
        // It may be seen drained before the command starts, not after it.
        let events = bench.deeds.iter().skip_while(|deed| !matches!(deed, Deed::Done(_)));
        assert!(!events.clone().any(|deed| matches!(deed, Deed::Event { .. })), "{to} {begun}");
        if to != State::Rts {
            assert_eq!(bench.modify(0x13, State::Reset, 0), 0);
            bench.lead(0x13, State::Rts);
        }
    }
}

#[test]
fn a_reset_of_the_core_forgets_every_queue_pair() {
    let mut bench = Bench::new();
    bench.bring(0x12, State::Rts);
    bench.counts[2] = [4, 1, 0];
    bench.start(Command::ModifyQp, &Bench::modify_words(0x12, State::Reset, 0));
    bench.steps(100);
    bench.fail_send(2);
    bench.counts[2] = [0; 3];
    bench.reset();
    bench.steps(300);
    assert_eq!(bench.deeds, [], "no trace of the command");
    assert_eq!(bench.query(0x12), Err(22));
    assert_eq!(bench.create(0x12), 0);
    assert_eq!(bench.state(0x12), State::Reset);
}
