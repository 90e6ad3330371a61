//! The responder's answers as a whole, by rule.
use super::respond_bench::*;
use super::*;
use crate::check::RandomDrive;
use crate::types::QpControl;
use rnic_abi::{bth, drop, event};

#[test]
fn v15_v16_reads_are_answered_with_the_right_packets() {
    let mut bench = Bench::new(1);
    bench.read(1, 100, 0, false);
    bench.read(1, 101, 1025, false);
    bench.settle();
    assert_eq!(
        bench.wire,
        [
            response(1, bth::READ_RESPONSE_ONLY, 100, 0),
            response(1, bth::READ_RESPONSE_FIRST, 101, 1024),
            response(1, bth::READ_RESPONSE_LAST, 102, 1),
        ]
    );
    assert_eq!(bench.spans.len(), 2, "a READ of nothing is not looked up (E1)");
    assert_eq!(bench.served, [(1, false), (1, false)]);
    assert!(bench.idle(1));
}

#[test]
fn v17_t61_an_ack_comes_behind_all_responses_of_its_queue_pair() {
    for seed in 0..6 {
        let mut bench = Bench::new(seed);
        bench.read(2, 100, 4096, false);
        bench.run(6);
        bench.owe(2, 104, 0x1F);
        // Another queue pair owes only an ACK: it does not wait (T109).
        bench.owe(3, 7, 0x1F);
        bench.settle();
        let mine: Vec<_> = bench.wire.iter().filter(|sent| sent.0 == 2).copied().collect();
        let psns: Vec<_> = mine.iter().map(|sent| (sent.1, sent.2)).collect();
        assert_eq!(
            psns,
            [
                (bth::READ_RESPONSE_FIRST, 100),
                (bth::READ_RESPONSE_MIDDLE, 101),
                (bth::READ_RESPONSE_MIDDLE, 102),
                (bth::READ_RESPONSE_LAST, 103),
                (bth::ACKNOWLEDGE, 104),
            ]
        );
        assert_eq!(bench.wire[0], answer(3, 7, 0x1F, 9), "{:?}", bench.wire);
    }
}

#[test]
fn t61_responses_keep_their_order_over_both_ways() {
    for seed in 0..8 {
        let mut bench = Bench::new(seed);
        bench.control_delay = 150;
        for entry in 0..12u64 {
            match entry % 4 {
                0 => bench.read(0, 100 + entry, 0, false),
                3 => bench.atomic(0, 100 + entry, true, 1, 0, false),
                _ => bench.read(0, 100 + entry, 64, false),
            }
        }
        bench.settle();
        let psns: Vec<_> = bench.wire.iter().map(|sent| sent.2).collect();
        assert_eq!(psns, Vec::from_iter(100..112), "seed {seed}");
    }
}

#[test]
fn v20_c22_t64_a_response_that_fails_is_answered_with_nak_62_and_the_psn_that_was_due() {
    let mut bench = Bench::new(3);
    bench.bad.insert(102, 0x32);
    bench.bad.insert(103, 0x32);
    bench.read(1, 100, 4096, false);
    bench.read(1, 104, 64, false);
    bench.read(2, 500, 64, false);
    bench.run(4);
    bench.owe(1, 105, 0x1F);
    bench.settle();
    let mine: Vec<_> = bench.wire.iter().filter(|sent| sent.0 == 1).map(|sent| (sent.1, sent.2, sent.3)).collect();
    let good = [(bth::READ_RESPONSE_FIRST, 100, 0x1F), (bth::READ_RESPONSE_MIDDLE, 101, 0x1F)];
    assert_eq!(mine[..2], good, "{mine:?}");
    assert_eq!(mine.last(), Some(&(bth::ACKNOWLEDGE, 102, 0x62)));
    assert_eq!(mine.iter().filter(|sent| sent.0 == bth::ACKNOWLEDGE).count(), 1, "one NAK, no ACK behind it");
    assert!(bench.wire.contains(&response(2, bth::READ_RESPONSE_ONLY, 500, 64)), "others go on");
    assert_eq!(bench.failed.len(), 1);
    let report = bench.failed[0];
    assert_eq!((report.qp.to_u64(), report.syndrome.to_u64()), (1, 0x32));
    assert_eq!(report.event.to_u64(), u64::from(event::QP_ACCESS_ERR));
    // Nothing more is read for it.
    let before = bench.spans.len();
    bench.read(1, 106, 64, false);
    bench.owe(1, 107, 0x1F);
    bench.settle();
    assert_eq!((bench.spans.len(), bench.failed.len()), (before, 1));
    assert_eq!(bench.wire.iter().filter(|sent| sent.0 == 1).count(), mine.len());
    assert!(bench.idle(1));
}

#[test]
fn t64_a_bus_error_is_nak_63() {
    let mut bench = Bench::new(4);
    bench.bad.insert(100, 0x40);
    bench.read(0, 100, 64, false);
    bench.settle();
    assert_eq!(bench.wire, [answer(0, 100, 0x63, 8)]);
    assert_eq!(bench.failed[0].event.to_u64(), u64::from(event::QP_FATAL));
}

#[test]
fn v19_c23_a_duplicate_whose_check_fails_is_dropped_and_nothing_else_changes() {
    for bad in [200, 201, 203] {
        let mut bench = Bench::new(bad);
        bench.bad.insert(bad, 0x30);
        bench.read(1, 200, 4096, true);
        bench.read(1, 204, 64, false);
        bench.settle();
        assert!(bench.failed.is_empty());
        assert!(bench.wire.iter().all(|sent| sent.3 == 0x1F), "no NAK: {:?}", bench.wire);
        assert_eq!(bench.wire.last(), Some(&response(1, bth::READ_RESPONSE_ONLY, 204, 64)));
        assert_eq!(bench.served, [(1, true), (1, false)]);
        // One whose last packet fails has left the ring before.
        let counted = if bad == 203 { vec![] } else { vec![u64::from(drop::DUPLICATE_READ)] };
        assert_eq!(bench.drops, counted);
        bench.owe(1, 205, 0x1F);
        bench.settle();
        assert_eq!(bench.wire.last(), Some(&answer(1, 205, 0x1F, 9)));
        assert!(bench.idle(1));
    }
}

#[test]
fn v18_a_duplicate_read_is_answered_from_its_own_headers() {
    let mut bench = Bench::new(5);
    bench.read(1, 102, 2048, true);
    bench.settle();
    let expected = [response(1, bth::READ_RESPONSE_FIRST, 102, 1024), response(1, bth::READ_RESPONSE_LAST, 103, 1024)];
    assert_eq!(bench.wire, expected);
}

#[test]
fn v21_v22_an_atomic_is_done_once_and_its_duplicate_gets_the_same_answer() {
    let mut bench = Bench::new(6);
    bench.memory.insert(0x9008, 5);
    bench.atomic(1, 100, true, 3, 0, false);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire.clone()), (8, vec![atomic(1, 100, 5)]));
    bench.atomic(1, 100, true, 3, 0, true);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[1]), (8, bench.wire[0]));
    for read in 0..16 {
        bench.read(1, 101 + read, 8, false);
    }
    bench.settle();
    bench.atomic(1, 100, true, 3, 0, true);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[18]), (8, atomic(1, 100, 5)));
    for next in 0..16 {
        bench.atomic(1, 200 + next, true, 1, 0, false);
    }
    bench.settle();
    let before = bench.wire.len();
    bench.atomic(1, 100, true, 3, 0, true);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire.len()), (24, before), "dropped silently");
    assert_eq!(bench.drops, [u64::from(drop::DUPLICATE_ATOMIC)]);
    assert_eq!((bench.questions, bench.reads, bench.holds), (17, 17, 0));
    assert_eq!(bench.served.iter().filter(|served| served.1).count(), 3);
    assert!(bench.idle(1) && bench.failed.is_empty());
}

#[test]
fn t66_compare_and_swap_writes_only_when_the_number_is_the_expected_one() {
    let mut bench = Bench::new(7);
    bench.memory.insert(0x9008, 5);
    bench.atomic(0, 100, false, 77, 6, false);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[0]), (5, atomic(0, 100, 5)));
    bench.atomic(0, 101, false, 77, 5, false);
    bench.settle();
    assert_eq!((bench.memory[&0x9008], bench.wire[1]), (77, atomic(0, 101, 5)));
    assert_eq!(bench.holds, 0);
}

#[test]
fn v23_t66_a_refused_atomic_is_nak_62_and_a_bus_error_nak_63_with_no_result_kept() {
    for (syndrome, read_error, write_error, nak) in
        [(0x33, false, false, 0x62), (0, true, false, 0x63), (0, false, true, 0x63)]
    {
        let mut bench = Bench::new(8);
        bench.memory.insert(0x9008, 5);
        bench.lookup_syndrome = syndrome;
        bench.read_error = read_error;
        bench.write_error = write_error;
        bench.atomic(3, 100, true, 3, 0, false);
        bench.settle();
        assert_eq!(bench.wire, [answer(3, 100, nak, 9)]);
        assert_eq!((bench.failed.len(), bench.holds, bench.memory[&0x9008] == 5), (1, 0, !write_error));
        assert!(bench.idle(3));
    }
}

#[test]
fn e13_an_atomic_whose_place_in_memory_is_not_aligned_is_refused() {
    let mut bench = Bench::new(8);
    bench.memory.insert(0x9008, 5);
    bench.address = 0x900C;
    bench.atomic(3, 100, true, 3, 0, false);
    bench.settle();
    assert_eq!(bench.wire, [answer(3, 100, 0x62, 9)]);
    assert_eq!((bench.failed.len(), bench.reads, bench.holds, bench.memory[&0x9008]), (1, 0, 0, 5));
    assert!(bench.idle(3));
}

#[test]
fn t100_c24_an_atomic_on_a_region_that_was_registered_again_is_refused() {
    let mut bench = Bench::new(9);
    bench.atomic(3, 100, true, 3, 0, false);
    bench.generation = 78;
    bench.settle();
    assert_eq!((bench.wire.clone(), bench.reads, bench.holds), (vec![answer(3, 100, 0x62, 9)], 0, 0));
}

#[test]
fn t109_t63_a_blocked_gather_holds_up_no_acknowledgement_and_no_atomic() {
    let mut bench = Bench::new(10);
    bench.gather_open = false;
    for qp in 0..2 {
        bench.read(qp, 100, 64, false);
        bench.read(qp, 101, 64, false);
    }
    bench.run(100);
    bench.atomic(2, 50, true, 3, 0, false);
    bench.owe(3, 60, 0x60);
    bench.run(400);
    let mut seen = bench.wire.clone();
    seen.sort();
    assert_eq!(seen, [atomic(2, 50, 0), answer(3, 60, 0x60, 9)]);
    bench.gather_open = true;
    bench.settle();
    assert_eq!(bench.wire.len(), 6);
}

#[test]
fn t63_queue_pairs_take_turns_frame_by_frame() {
    let mut bench = Bench::new(11);
    bench.data_delay = 1;
    for qp in 0..4 {
        bench.read(qp, 100, 20 * 1024, false);
    }
    bench.settle();
    assert_eq!(bench.wire.len(), 80);
    for window in bench.wire[8..72].windows(4) {
        let mut seen: Vec<_> = window.iter().map(|sent| sent.0).collect();
        seen.sort();
        assert_eq!(seen, [0, 1, 2, 3], "{:?}", bench.wire);
    }
}

#[test]
fn t6_a_discarded_queue_pair_sends_nothing_more_and_a_cleared_one_starts_anew() {
    let mut bench = Bench::new(12);
    bench.read(1, 100, 100 * 1024, false);
    bench.read(1, 300, 64, false);
    bench.run(120);
    bench.order(QpControl { index: 1.into(), discard: true, ..Default::default() });
    bench.run(12);
    let on_its_way = bench.data.iter().filter(|(_, frame)| frame.qp.to_u64() == 1).count();
    let before = bench.wire.len();
    bench.owe(1, 400, 0x1F);
    bench.settle();
    assert!(bench.idle(1));
    assert!(bench.wire.len() <= before + on_its_way + 2, "{before} {on_its_way} {}", bench.wire.len());
    bench.owed[1].present = false;
    bench.order(QpControl { index: 1.into(), clear: true, ..Default::default() });
    bench.run(8);
    let before = bench.wire.len();
    bench.read(1, 7, 64, false);
    bench.settle();
    assert_eq!(bench.wire[before..], [response(1, bth::READ_RESPONSE_ONLY, 7, 64)]);
}

#[test]
fn t6_a_queue_pair_is_busy_until_its_last_frame_has_left() {
    let mut bench = Bench::new(13);
    bench.data_delay = 1;
    bench.read(1, 100, 64, false);
    bench.run(16);
    while bench.wire.is_empty() {
        assert!(!bench.idle(1) || !bench.wire.is_empty());
        assert!(bench.cycle < 1000);
    }
    assert!(bench.idle(1));
}

#[test]
fn t62_of_two_acknowledgements_the_one_that_is_owed_when_the_turn_comes_is_sent() {
    let mut bench = Bench::new(14);
    bench.read(0, 100, 2048, false);
    bench.run(20);
    bench.owe(0, 102, 0x1F);
    bench.owe(0, 103, 0x1F);
    bench.settle();
    assert_eq!(bench.wire.len(), 3);
    assert_eq!(bench.wire[2], answer(0, 103, 0x1F, 9));
}

#[test]
fn t63_a_lonely_queue_pair_sends_a_frame_in_8_cycles_and_several_in_6() {
    for (qps, pace) in [(1u64, 8), (4, 6)] {
        let mut bench = Bench::new(15);
        bench.data_delay = 1;
        bench.data_room = 32;
        for qp in 0..qps {
            bench.read(qp, 100, 80 * 1024, false);
        }
        // Long enough for the pace, short enough for no frame of payload to keep the gather busy.
        bench.run(60);
        let (start, from) = (bench.cycle, bench.spans.len() as u64);
        bench.run(240);
        let frames = bench.spans.len() as u64 - from;
        assert!(frames * pace + pace >= bench.cycle - start, "{qps}: {frames} frames in {}", bench.cycle - start);
    }
}

#[test]
fn t66_two_atomics_of_two_queue_pairs_never_overlap() {
    let mut bench = Bench::new(16);
    bench.memory.insert(0x9008, 0);
    for round in 0..12 {
        for qp in 0..4 {
            bench.atomic(qp, 100 + round, true, 1, 0, false);
        }
    }
    bench.settle();
    let mut values: Vec<_> = bench.wire.iter().map(|sent| sent.6).collect();
    assert_eq!((bench.memory[&0x9008], bench.holds, values.len()), (48, 0, 48));
    values.sort();
    assert_eq!(values, Vec::from_iter(0..48));
}

#[test]
fn t63_t61_random_work_of_all_queue_pairs_is_answered_completely_and_in_order() {
    for seed in 20..26 {
        let mut bench = Bench::new(seed);
        let mut random = RandomDrive::new(seed);
        let mut expected: [Vec<(u8, u64, u64)>; QPS] = Default::default();
        let mut psns = [0xFF_FFF0u64; QPS];
        bench.control_delay = 1 + random.below(60);
        for _ in 0..60 {
            let qp = random.below(4);
            let psn = psns[qp as usize];
            let log = &mut expected[qp as usize];
            if random.chance(1, 4) {
                bench.atomic(qp, psn, true, 1, 0, false);
                log.push((bth::ATOMIC_ACKNOWLEDGE, psn, 0));
                psns[qp as usize] = (psn + 1) & 0xFF_FFFF;
            } else {
                let length = [0, 1, 1024, random.below(5000)][random.below(4) as usize];
                bench.read(qp, psn, length, false);
                let count = length.div_ceil(1024).max(1);
                for k in 0..count {
                    let opcode = match (k == 0, k + 1 == count) {
                        (true, true) => bth::READ_RESPONSE_ONLY,
                        (true, false) => bth::READ_RESPONSE_FIRST,
                        (false, false) => bth::READ_RESPONSE_MIDDLE,
                        (false, true) => bth::READ_RESPONSE_LAST,
                    };
                    log.push((opcode, (psn + k) & 0xFF_FFFF, 1024.min(length - 1024 * k)));
                }
                psns[qp as usize] = (psn + count) & 0xFF_FFFF;
            }
            bench.run(random.below(100) as usize);
        }
        bench.settle();
        for qp in 0..4 {
            bench.owe(qp, psns[qp as usize], 0x1F);
            expected[qp as usize].push((bth::ACKNOWLEDGE, psns[qp as usize], 0));
        }
        bench.settle();
        for qp in 0..4 {
            let mine: Vec<_> =
                bench.wire.iter().filter(|sent| sent.0 == qp).map(|sent| (sent.1, sent.2, sent.5)).collect();
            assert_eq!(mine, expected[qp as usize], "seed {seed} queue pair {qp}");
            assert!(bench.idle(qp));
        }
        assert_eq!(bench.served.len(), 60);
    }
}

#[test]
fn every_preset_elaborates() {
    for text in [
        crate::check::verilog(&mut ResponseUnit::<64, 3, 8, 8, 7>::default()),
        crate::check::verilog(&mut ResponseUnit::<64, 4, 16, 9, 8>::default()),
        crate::check::verilog(&mut ResponseUnit::<128, 4, 16, 9, 8>::default()),
        crate::check::verilog(&mut ResponseUnit::<512, 8, 256, 13, 12>::default()),
    ] {
        text.unwrap();
    }
}
