//! Section C: LOCAL_INV and its drain.
use super::bench::*;

const KEY: u32 = 0x105;

fn valid() -> NarrowBench {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 4, 8);
    bench.alloc(2, 0, 4, 16);
    assert_eq!(bench.execute(0, Reg::new(KEY).bytes()), OK);
    bench
}

#[test]
fn c1_a_valid_mr_becomes_free_and_grants_nothing() {
    let mut bench = valid();
    assert_eq!(bench.probe(0, KEY, 0x1000, 1, 1).0, 0);
    assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    assert_eq!(bench.state(1), 1);
    assert_eq!(bench.probe(0, KEY, 0x1000, 1, 1).0, 0x32);
}

#[test]
fn c2_invalidating_a_free_mr_with_the_key_last_held_succeeds() {
    let mut bench = valid();
    assert_eq!(bench.execute(0, invalidate(0x200)), OK, "the key from alloc");
    assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    let free = bench.query(1);
    assert_eq!(bench.execute(0, invalidate(KEY)), OK, "C19: twice");
    assert_eq!(bench.query(1), free, "no change");
    assert_eq!(bench.attempt(0, invalidate(0x106)), bind(0x20), "C3: a wrong key byte fails on a free MR too");
}

#[test]
fn c3_c6_wrong_keys_and_domains_change_nothing() {
    let mut bench = valid();
    let before = bench.query(1);
    for (qp, key, expected) in [
        (0, 0x104, bind(0x20)),
        (0, MR_ENTRIES << 8 | 5, bind(2)),
        (0, 0x305, bind(2)),
        (0, 0x05, bind(3)),
        (0, 0xFF, bind(3)),
        (3, KEY, bind(5)),
        (3, 0x104, bind(5)),
    ] {
        assert_eq!(bench.attempt(qp, invalidate(key)), expected, "QP {qp} key {key:#x}");
    }
    assert_eq!(bench.query(1), before);
    assert_eq!(bench.probe(0, KEY, 0x1000, 1, 1).0, 0);
}

#[test]
fn b1_local_inv_with_anything_else_set_is_malformed() {
    let mut bench = valid();
    for at in 0..64 {
        if [0, 4, 5, 6, 7].contains(&at) {
            continue;
        }
        let mut wqe = invalidate(KEY);
        wqe[at] ^= if at == 1 { 4 } else { 0x80 };
        assert_eq!(bench.attempt(0, wqe), (2, 1), "byte {at}");
    }
    assert_eq!(bench.state(1), 2);
    let mut fenced = invalidate(KEY);
    fenced[1] = 2;
    assert_eq!(bench.attempt(0, fenced), OK, "fence is allowed");
}

#[test]
fn c7_a_local_only_mr_is_invalidated_with_its_lkey() {
    let mut bench = valid();
    assert_eq!(bench.execute(0, Reg { access: 0, ..Reg::new(0x201) }.bytes()), OK);
    assert_eq!(bench.execute(0, invalidate(0x201)), OK);
    assert_eq!(bench.state(2), 1);
}

/// Takes `count` holds on the valid MR.
fn hold(bench: &mut NarrowBench, count: usize) {
    for _ in 0..count {
        let mut question = question(KEY, 0x1000, 8);
        question.hold = true;
        let answer = bench.ask(question);
        assert!(answer.held && number(answer.syndrome) == 0);
    }
}

#[test]
fn c9_i2_an_invalidation_waits_for_every_access_in_flight() {
    let mut bench = valid();
    hold(&mut bench, 3);
    assert_eq!(bench.query(1)[11], 3, "in flight");
    let seen = bench.outcomes.len();
    bench.post(0, invalidate(KEY));
    bench.post(1, Reg::new(0x201).bytes());
    bench.run(60);
    assert_eq!(bench.outcomes.len(), seen, "no outcome, also none of younger work (D1)");
    let answer = bench.ask(question(KEY, 0x1000, 8));
    assert_eq!(number(answer.syndrome), 0x32, "DRAIN grants nothing");
    bench.pins.read_end = Some(1);
    bench.step();
    bench.pins.read_end = Some(1);
    bench.pins.write_end = Some(2);
    bench.step();
    bench.run(30);
    assert_eq!(bench.outcomes.len(), seen, "one is left; an end of another MR does not count");
    bench.pins.write_end = Some(1);
    bench.step();
    bench.wait_outcomes(seen + 2);
    assert_eq!((bench.result(seen), bench.result(seen + 1)), (OK, OK));
    assert_eq!(bench.state(1), 1);
    assert_eq!(bench.query(1)[11], 0);
}

#[test]
fn c9_a_drain_beyond_drain_max_is_fatal_and_no_success() {
    let mut bench = valid();
    hold(&mut bench, 1);
    let seen = bench.outcomes.len();
    bench.post(0, invalidate(KEY));
    bench.run(3 * DRAIN_MAX as usize);
    assert_eq!(bench.fatal.len(), 1);
    assert_eq!(bench.outcomes.len(), seen);
    bench.pins.write_end = Some(1);
    bench.step();
    bench.wait_outcomes(seen + 1);
    assert_eq!(bench.result(seen), OK, "the access has ended after all");
}

#[test]
fn c9_i2_a_hold_taken_while_the_invalidation_is_judged_is_waited_for() {
    // Whatever the cycle of the question: either it is refused, or the invalidation waits for its end.
    let (mut refused, mut waited) = (0, 0);
    for offset in 0..24 {
        let mut bench = valid();
        let seen = (bench.outcomes.len(), bench.answers.len());
        bench.post(0, invalidate(KEY));
        for cycle in 0..60 {
            if cycle == offset {
                let mut question = question(KEY, 0x1000, 8);
                question.hold = true;
                bench.pins.ask = Some(question);
            }
            bench.step();
        }
        let answer = bench.answers[seen.1].1;
        if number(answer.syndrome) == 0 {
            assert!(answer.held);
            assert_eq!(bench.outcomes.len(), seen.0, "offset {offset}: success with an access in flight");
            bench.pins.read_end = Some(1);
            bench.step();
            waited += 1;
        } else {
            assert_eq!(number(answer.syndrome), 0x32);
            refused += 1;
        }
        bench.wait_outcomes(seen.0 + 1);
        assert_eq!(bench.result(seen.0), OK);
        assert_eq!(bench.query(1)[11], 0);
    }
    assert!(refused > 3 && waited > 3, "both happen: {refused} refused, {waited} waited");
}

#[test]
fn c9_i2_a_drain_does_not_hide_a_hold_on_another_mr() {
    // While MR 1 drains, an invalidation of MR 2 stands in one of the stages behind it, its counts already read; a hold on
    // MR 2 taken meanwhile must be waited for. A slow list first makes both enter the pipeline close together.
    for (between, ask_at) in (0..4).flat_map(|between| [8, 40, 62, 64, 70].map(|ask_at| (between, ask_at))) {
        let mut bench = valid();
        bench.alloc(3, 0, 4, 24);
        bench.latency = 40;
        bench.store(0x4000, &[0x1000]);
        assert_eq!(bench.execute(0, Reg::new(0x201).bytes()), OK);
        hold(&mut bench, 1);
        let seen = bench.outcomes.len();
        bench.post(0, Reg::new(0x301).by_pointer(0x4000, 1).bytes());
        bench.post(0, invalidate(KEY));
        for _ in 0..between {
            bench.post(2, Reg { blocks: 2, ..Reg::new(0x401) }.bytes());
        }
        bench.post(1, invalidate(0x201));
        for cycle in 0..200 {
            if cycle == ask_at {
                let mut question = question(0x201, 0x1000, 8);
                question.hold = true;
                bench.pins.ask = Some(question);
            }
            if cycle == 110 {
                bench.pins.read_end = Some(1);
            }
            bench.step();
        }
        let answer = bench.answers.last().unwrap().1;
        assert_eq!(number(answer.syndrome), 0, "asked at {ask_at}");
        assert_eq!(bench.outcomes.len(), seen + 2 + between, "asked at {ask_at}, {between} between: MR 2 is in use");
        bench.pins.read_end = Some(2);
        bench.step();
        bench.wait_outcomes(seen + 3 + between);
        assert_eq!(bench.result(seen + 2 + between), OK);
    }
}

#[test]
fn c10_reg_right_behind_inv_of_the_same_mr() {
    let mut bench = valid();
    let seen = bench.outcomes.len();
    for round in 0..5u32 {
        bench.post(0, invalidate(KEY + round));
        bench
            .post(0, Reg { slots: [0xB000 + 0x1000 * u64::from(round), 0, 0, 0], ..Reg::new(KEY + round + 1) }.bytes());
    }
    bench.wait_outcomes(seen + 10);
    assert!((seen..seen + 10).all(|i| bench.result(i) == OK));
    assert_eq!(bench.probe(0, KEY + 5, 0x1000, 1, 0), (0, 1, 0xF000));
    assert_eq!(bench.query(1)[10], 6, "one generation a registration (C24)");
}
