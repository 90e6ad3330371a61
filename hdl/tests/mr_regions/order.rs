//! Section D: order, stop at the first error, flush and discard.
use super::bench::*;
use rnic_hdl::types::QpControl;

const KEY: u32 = 0x105;

fn ready() -> NarrowBench {
    let mut bench = NarrowBench::new();
    for index in 1..5 {
        bench.alloc(index, 0, 8, 8 * index);
    }
    bench
}

#[test]
fn d2_a_lookup_after_the_outcome_of_a_registration_is_granted() {
    let mut bench = ready();
    let seen = bench.outcomes.len();
    bench.post(0, Reg::new(KEY).bytes());
    bench.wait_outcomes(seen + 1);
    let answer = bench.ask(question(KEY, 0x1000, 16));
    assert_eq!((number(answer.syndrome), number(answer.address)), (0, 0xA000));
}

#[test]
fn d1_d9a_outcomes_keep_posting_order_whatever_the_lists_cost() {
    let mut bench = ready();
    bench.latency = 60;
    bench.store(0x4000, &[0x1000; 8]);
    let mut posted = vec![];
    for round in 0..12u32 {
        let key = (1 + round % 4) << 8 | round;
        let qp = u64::from(round % 3);
        let reg = Reg::new(key);
        let reg = if round % 2 == 0 { Reg { length: 0x8000, ..reg }.by_pointer(0x4000, 8) } else { reg };
        for wqe in [reg.bytes(), invalidate(key)] {
            let item = bench.item(qp, wqe);
            posted.push(number(item.slot));
            bench.items.push_back(item);
        }
    }
    bench.wait_outcomes(24);
    let slots: Vec<_> = bench.outcomes.iter().map(|(_, outcome)| number(outcome.slot)).collect();
    assert_eq!(slots, posted);
    assert!((0..24).all(|i| bench.result(i) == OK));
    assert_eq!(bench.reads.len(), 6);
}

#[test]
fn d9a_d11_d13_a_failure_flushes_what_follows_of_its_queue_only() {
    let mut bench = ready();
    let before = bench.query(3);
    let seen = bench.outcomes.len();
    bench.post(0, Reg::new(0x101).bytes());
    bench.post(0, Reg { access: 2, ..Reg::new(0x201) }.bytes());
    bench.post(0, Reg::new(0x301).bytes());
    bench.post(1, Reg::new(0x401).bytes());
    bench.post(0, invalidate(0x101));
    bench.post(0, Reg { blocks: 7, ..Reg::new(0x301) }.bytes());
    bench.wait_outcomes(seen + 6);
    let results: Vec<_> = (seen..seen + 6).map(|i| bench.result(i)).collect();
    assert_eq!(results, [OK, bind(8), FLUSH, OK, FLUSH, FLUSH]);
    assert_eq!(bench.query(3), before, "a flushed REG_MR changes nothing");
    assert_eq!(bench.state(1), 2, "a flushed LOCAL_INV changes nothing");
    bench.clear(0);
    assert_eq!(bench.execute(0, Reg::new(0x301).bytes()), OK, "cleared");
}

#[test]
fn d9a_a_failure_found_at_the_back_end_stops_the_very_next_operation() {
    // A slow list first, so that the operations behind it enter the back end in successive cycles.
    for gap in 0..6 {
        let mut bench = ready();
        bench.latency = 60;
        bench.store(0x4000, &[0x1000]);
        bench.post(2, Reg::new(0x301).by_pointer(0x4000, 1).bytes());
        bench.post(0, invalidate(0x1EE));
        for other in 4..4 + gap as u32 {
            bench.post(1, Reg { access: 2, ..Reg::new(other << 8) }.bytes());
        }
        bench.post(0, Reg::new(0x201).bytes());
        bench.wait_outcomes(3 + gap);
        assert_eq!((bench.result(1), bench.result(2 + gap)), (bind(0x20), FLUSH), "gap {gap}");
        assert_eq!(bench.outcomes[2 + gap].0 - bench.outcomes[1].0, gap as u64 + 1, "in successive cycles");
        assert_eq!(bench.state(2), 1);
    }
}

#[test]
fn d11_d12_orders_of_qp_flush_and_discard() {
    let mut bench = ready();
    bench.pins.control = QpControl { index: 2u64.into(), fail: true, ..Default::default() };
    bench.step();
    assert_eq!(bench.execute(2, Reg::new(KEY).bytes()), FLUSH);
    bench.pins.control = QpControl { index: 2u64.into(), discard: true, ..Default::default() };
    bench.step();
    let seen = bench.outcomes.len();
    bench.execute(2, Reg::new(KEY).bytes());
    assert!(bench.outcomes[seen].1.discard);
    assert_eq!(bench.state(1), 1);
    bench.clear(2);
    assert_eq!(bench.execute(2, Reg::new(KEY).bytes()), OK);
    assert!(!bench.outcomes.last().unwrap().1.discard);
}

#[test]
fn d15_i11_a_flushed_item_reads_no_list() {
    let mut bench = ready();
    let mut item = bench.item(0, Reg::new(KEY).by_pointer(0x4000, 4).bytes());
    item.flush = true;
    bench.items.push_back(item);
    bench.wait_outcomes(1);
    assert_eq!(bench.result(0), FLUSH);
    assert!(bench.reads.is_empty());
    assert_eq!(bench.execute(0, Reg::new(KEY).bytes()), OK, "a flush is no failure of its own");
}

#[test]
fn d19_failures_of_decode_pass_in_order_and_stop_the_queue() {
    let mut bench = ready();
    for syndrome in [0x01u64, 0x40] {
        let seen = bench.outcomes.len();
        let mut item = bench.item(0, [0xEE; 64]);
        item.syndrome = syndrome.into();
        bench.post(0, Reg::new(KEY).bytes());
        bench.items.push_back(item);
        bench.post(0, invalidate(KEY));
        bench.wait_outcomes(seen + 3);
        let results: Vec<_> = (seen..seen + 3).map(|i| bench.result(i)).collect();
        assert_eq!(results, [OK, (2, syndrome), FLUSH]);
        bench.clear(0);
        assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    }
}

#[test]
fn d19_a_silent_item_only_retires_its_slot() {
    let mut bench = ready();
    let mut item = bench.item(0, [0xEE; 64]);
    item.silent = true;
    bench.items.push_back(item);
    bench.wait_outcomes(1);
    let outcome = bench.outcomes[0].1;
    assert!(outcome.silent && number(outcome.slot) == number(item.slot) && number(outcome.opcode) == 0xEE);
    assert_eq!(bench.result(0), OK);
    assert_eq!(bench.execute(0, Reg::new(KEY).bytes()), OK);
}

#[test]
fn d10_the_outcome_carries_what_the_cqe_needs() {
    let mut bench = ready();
    let mut wqe = Reg::new(KEY).bytes();
    wqe[1] = 8;
    let item = bench.item(2, wqe);
    bench.items.push_back(item);
    bench.wait_outcomes(1);
    let outcome = bench.outcomes[0].1;
    assert!(!outcome.signalled && !outcome.discard && !outcome.silent);
    assert_eq!((number(outcome.qp), number(outcome.slot), number(outcome.opcode)), (2, number(item.slot), 0x20));
}

#[test]
fn t107_no_list_is_asked_for_without_room_for_its_beats() {
    // An invalidation that drains stops the back end, so that nothing leaves the beat FIFO of 127 beats.
    let mut bench = NarrowBench::new();
    for index in 1..8 {
        bench.alloc(index, 0, 32, 0);
    }
    bench.store(0x4000, &[0x1000; 32]);
    assert_eq!(bench.execute(0, Reg::new(KEY).bytes()), OK);
    let mut held = question(KEY, 0x1000, 8);
    held.hold = true;
    assert!(bench.ask(held).held);
    let seen = bench.outcomes.len();
    bench.post(0, invalidate(KEY));
    for index in 2..8 {
        bench.post(1, Reg::new(index << 8).by_pointer(0x4000, 32).bytes());
    }
    bench.run(80);
    assert_eq!(
        bench.reads,
        [(0x4000, 256); 3],
        "three lists of 32 beats fit, and the first of them is still untouched"
    );
    bench.pins.read_end = Some(1);
    bench.step();
    bench.wait_outcomes(seen + 7);
    assert!((seen..seen + 7).all(|i| bench.result(i) == OK));
    assert_eq!(bench.reads.len(), 6);
}
