//! The send queues as a whole, by rule.
use rnic_abi::{drop, opcode, qp, status, syndrome};
use rnic_hdl::check::RandomDrive;

#[path = "sq/bench.rs"]
#[allow(dead_code)]
mod bench;
use bench::{Tiny, FAST, LOG2, SLOW};

const OK: u64 = status::SUCCESS as u64;
const BAD: u64 = status::LOC_QP_OP as u64;
const FLUSH: u64 = status::WR_FLUSH as u64;
const REG: [u8; 3] = [opcode::REG_MR, 1, 1];
const QUIET: [u8; 3] = [opcode::REG_MR, 0, 1];
const TWO_BLOCKS: [u8; 3] = [opcode::SEND, 0, 2];

#[test]
fn t22_batches_have_at_most_8_slots_and_never_pass_the_end_of_the_ring() {
    let mut bench = Tiny::new(FAST, LOG2);
    let mut posted = 0;
    for chunk in [3, 16, 1, 12, 15, 2, 16, 5] {
        posted += chunk;
        bench.ring(2, posted);
        bench.settle();
    }
    assert_eq!(bench.worked(2), bench.expected(2, posted));
    for (address, slots) in &bench.commands {
        let first = (address - bench.address(2, 0)) / 64;
        assert!((1..=8).contains(slots) && first + slots <= 16, "{first} {slots}");
    }
    let sizes: Vec<_> = bench.commands.iter().map(|command| command.1).collect();
    assert_eq!(sizes[..8], [3, 8, 5, 3, 1, 8, 4, 8]);
    assert_eq!(bench.status(2), (posted, posted, posted));
}

#[test]
fn t20_queue_pairs_take_turns_of_one_batch() {
    let mut bench = Tiny::new(FAST, 6);
    for qp in 0..4 {
        bench.ring(qp, 64);
    }
    bench.settle();
    let owner = |address: u64| (0..4).find(|qp| address - bench.address(*qp, 0) < 64 * 64).unwrap();
    let order: Vec<_> = bench.commands.iter().map(|command| owner(command.0)).collect();
    assert_eq!(order.len(), 4 * 8);
    // From when all four have posted until the first has nothing left, nobody waits for more than three others.
    for window in order[4..order.len() - 8].windows(4) {
        let mut seen = window.to_vec();
        seen.sort();
        assert_eq!(seen, [0, 1, 2, 3], "{order:?}");
    }
    for qp in 0..4 {
        assert_eq!(bench.worked(qp), bench.expected(qp, 64));
    }
}

#[test]
fn t4_b23_wrong_doorbells_are_dropped_and_counted_and_change_nothing() {
    let mut bench = Tiny::new(SLOW, LOG2);
    bench.set_state(5, qp::RTR);
    bench.contexts[6] = Default::default();
    bench.set_state(6, qp::RESET);
    for (index, value) in [(1, 17), (1, 0x1_0001), (8, 1), (512, 1), (5, 1), (6, 1), (1, 0xFFFF)] {
        bench.ring(index, value);
    }
    bench.settle();
    let expected = [
        drop::SQ_DOORBELL_COUNT,
        drop::SQ_DOORBELL_VALUE,
        drop::SQ_DOORBELL_INDEX,
        drop::SQ_DOORBELL_INDEX,
        drop::SQ_DOORBELL_STATE,
        drop::SQ_DOORBELL_INDEX,
        drop::SQ_DOORBELL_COUNT,
    ];
    assert_eq!(bench.drops, expected.map(u64::from));
    assert!(bench.commands.is_empty());
    assert_eq!(bench.status(1), (0, 0, 0));
    bench.ring(1, 16);
    bench.settle();
    assert_eq!(bench.worked(1), bench.expected(1, 16));
    assert_eq!(bench.drops.len(), 7);
}

#[test]
fn t4_retired_slots_can_be_posted_again_at_once() {
    let mut bench = Tiny::new(FAST, 2);
    for round in 1..=20 {
        bench.ring(3, 4 * round);
        while bench.cqes.len() < 4 * round as usize {
            bench.run(1);
        }
        // The last CQE was taken in the cycle before: the fastest host answers it now.
    }
    bench.settle();
    assert!(bench.drops.is_empty(), "{:?}", bench.drops);
    assert_eq!(bench.worked(3), bench.expected(3, 80));
}

#[test]
fn t73_a_wr_of_two_blocks_reports_once_across_batches_and_queue_pairs() {
    let mut bench = Tiny::new(FAST, LOG2);
    // Blocks 7 and 8 lie in two batches, with a batch of another queue pair between them.
    for count in 0..7 {
        bench.put(1, count, QUIET);
        bench.put(2, count, QUIET);
    }
    bench.put(1, 7, TWO_BLOCKS);
    bench.put(1, 8, REG);
    bench.put(2, 7, REG);
    bench.ring(1, 10);
    bench.ring(2, 8);
    bench.settle();
    let mut completions = bench.completions();
    completions.sort();
    assert_eq!(completions, [(1, 7, BAD), (1, 9, FLUSH), (2, 7, OK)]);
    assert_eq!(bench.syndromes, [u64::from(syndrome::WQE_FORMAT)]);
    assert_eq!(bench.failed, [1]);
    assert_eq!(bench.status(1), (10, 10, 10));
}

#[test]
fn t10_a_wr_of_two_blocks_may_wrap_and_without_its_second_it_is_one_block() {
    let mut bench = Tiny::new(FAST, LOG2);
    for count in 0..15 {
        bench.put(4, count, QUIET);
    }
    bench.put(4, 15, TWO_BLOCKS);
    bench.ring(4, 10);
    bench.settle();
    bench.put(4, 16, REG);
    bench.ring(4, 18);
    bench.settle();
    assert_eq!(bench.completions(), [(4, 15, BAD), (4, 1, FLUSH)]);

    let mut bench = Tiny::new(FAST, LOG2);
    bench.put(0, 0, TWO_BLOCKS);
    bench.ring(0, 1);
    bench.settle();
    bench.ring(0, 2);
    bench.settle();
    assert_eq!(bench.completions(), [(0, 0, BAD), (0, 1, FLUSH)]);
}

#[test]
fn t10_a_bus_error_of_the_fetch_is_syndrome_40() {
    let mut bench = Tiny::new(SLOW, LOG2);
    let hole = bench.address(3, 2);
    bench.holes.insert(hole);
    bench.ring(3, 5);
    bench.settle();
    assert_eq!(bench.completions(), [(3, 0, OK), (3, 1, OK), (3, 2, BAD), (3, 3, FLUSH), (3, 4, FLUSH)]);
    assert_eq!(bench.syndromes, [u64::from(syndrome::PAYLOAD_BUS)]);
}

#[test]
fn d10_d9_unsignalled_success_is_silent_and_completions_keep_posting_order() {
    let mut bench = Tiny::new(SLOW, LOG2);
    bench.contexts[6].sig_all = true;
    bench.set_state(6, qp::RTS);
    for qp in [5, 6] {
        for count in (0..12).filter(|count| count % 3 != 0) {
            bench.put(qp, count, QUIET);
        }
        bench.ring(qp, 12);
    }
    bench.settle();
    let of = |qp: u64| bench.completions().iter().filter(|cqe| cqe.0 == qp).map(|cqe| cqe.1).collect::<Vec<_>>();
    assert_eq!(of(5), [0, 3, 6, 9]);
    assert_eq!(of(6), Vec::from_iter(0..12));
    assert!(bench.cqes.iter().all(|cqe| cqe.cqn.to_u64() == cqe.qpn.to_u64() - 0x4200 + 0x20));
    assert_eq!(bench.status(5), (12, 12, 12));
}

#[test]
fn d11_d15_after_an_error_and_in_err_everything_is_flushed_in_order() {
    let mut bench = Tiny::new(SLOW, LOG2);
    let refused = bench.address(1, 4);
    bench.failing.insert(refused);
    bench.ring(1, 14);
    bench.ring(2, 14);
    bench.settle();
    let of = |bench: &Tiny, qp: u64| bench.completions().into_iter().filter(|cqe| cqe.0 == qp).collect::<Vec<_>>();
    let mut expected: Vec<_> = (0..14).map(|slot| (1, slot, if slot < 4 { OK } else { FLUSH })).collect();
    expected[4].2 = u64::from(status::MW_BIND);
    assert_eq!(of(&bench, 1), expected);
    assert_eq!(of(&bench, 2).len(), 14);
    assert_eq!((bench.failed.clone(), bench.syndromes.clone()), (vec![1], vec![6]));
    // Posts in ERR are flushed behind them, even unsignalled and malformed ones; also on an empty queue.
    bench.set_state(3, qp::ERR);
    bench.put(1, 14, QUIET);
    bench.put(1, 15, [0xEE, 0, 7]);
    bench.ring(1, 17);
    bench.ring(3, 1);
    bench.settle();
    assert_eq!(of(&bench, 1)[14..], [(1, 14, FLUSH), (1, 15, FLUSH), (1, 0, FLUSH)]);
    assert_eq!(of(&bench, 3), [(3, 0, FLUSH)]);
    assert_eq!(bench.failed, [1]);
}

#[test]
fn t77_sqd_takes_doorbells_and_fetches_nothing_until_rts() {
    let mut bench = Tiny::new(FAST, LOG2);
    bench.set_state(7, qp::SQD);
    bench.ring(7, 5);
    bench.settle();
    assert!(bench.commands.is_empty() && bench.drops.is_empty());
    assert_eq!(bench.status(7), (5, 0, 0));
    bench.set_state(7, qp::RTS);
    bench.settle();
    assert_eq!(bench.worked(7), bench.expected(7, 5));
}

#[test]
fn t73_what_was_posted_in_sqd_is_flushed_in_err() {
    let mut bench = Tiny::new(FAST, LOG2);
    bench.set_state(0, qp::SQD);
    bench.ring(0, 3);
    bench.settle();
    bench.set_state(0, qp::ERR);
    bench.settle();
    assert_eq!(bench.completions(), [(0, 0, FLUSH), (0, 1, FLUSH), (0, 2, FLUSH)]);
}

#[test]
fn t6_d16_a_reset_throws_everything_away_and_begins_again_at_slot_0() {
    let mut bench = Tiny::new(SLOW, LOG2);
    bench.put(2, 5, TWO_BLOCKS);
    bench.ring(2, 13);
    bench.ring(4, 13);
    while bench.items.len() < 4 {
        bench.run(1);
    }
    // What is fetched comes out as discarded; what is not is never fetched.
    bench.discarding.insert(2);
    bench.set_state(2, qp::RESET);
    let of = |bench: &Tiny| bench.completions().iter().filter(|cqe| cqe.0 == 2).count();
    bench.run(8);
    while {
        let (_, fetched, retired) = bench.status(2);
        fetched != retired
    } {}
    let before = of(&bench);
    bench.clear(2);
    assert_eq!(bench.status(2), (0, 0, 0));
    bench.settle();
    assert_eq!(of(&bench), before, "a CQE behind the reset");
    bench.ring(2, 3);
    bench.settle();
    assert_eq!(bench.drops, [u64::from(drop::SQ_DOORBELL_STATE)]);
    // The first slot is a request of its own, although the last life may have ended between two blocks.
    bench.set_state(2, qp::RTS);
    bench.items.clear();
    bench.ring(2, 3);
    bench.settle();
    assert_eq!(bench.worked(2), bench.expected(2, 3));
    let last: Vec<_> = bench.completions().into_iter().filter(|cqe| cqe.0 == 2).skip(before).collect();
    assert_eq!(last, [(2, 0, OK), (2, 1, OK), (2, 2, OK)]);
    assert_eq!(bench.completions().iter().filter(|cqe| cqe.0 == 4).count(), 13, "the neighbour");
}

#[test]
fn t6_a_reset_between_two_blocks_forgets_the_first() {
    let mut bench = Tiny::new(FAST, LOG2);
    for count in 0..7 {
        bench.put(1, count, QUIET);
    }
    bench.put(1, 7, TWO_BLOCKS);
    // Two batches fill the pool, so the second block has to wait while its queue pair is reset.
    bench.ring(2, 8);
    bench.ring(1, 9);
    while bench.commands.len() < 2 {
        bench.run(1);
    }
    bench.discarding.insert(1);
    bench.set_state(1, qp::RESET);
    bench.settle();
    assert_eq!(bench.status(1), (9, 8, 8));
    assert!(bench.items.last().unwrap().1.silent);
    bench.clear(1);
    bench.put(1, 0, REG);
    bench.set_state(1, qp::RTS);
    bench.ring(1, 1);
    bench.settle();
    assert_eq!(bench.completions()[8..], [(1, 0, OK)]);
}

#[test]
fn t6_t7_a_clear_meets_every_phase_of_its_neighbours_turns() {
    let mut bench = Tiny::new(FAST, LOG2);
    for phase in 0..40 {
        bench.set_state(2, qp::RTS);
        bench.ring(2, 3);
        bench.settle();
        assert_eq!(bench.status(2), (3, 3, 3));
        bench.set_state(2, qp::RESET);
        bench.ring(4, 16 * phase + 9);
        bench.ring(5, 16 * phase + 16);
        bench.ring(4, 16 * phase + 16);
        // First among the fetches of the neighbours, then among their outcomes.
        bench.run(phase as usize + 2 + if phase < 20 { 0 } else { 40 });
        bench.clear(2);
        assert_eq!(bench.status(2), (0, 0, 0), "phase {phase}");
        bench.settle();
        for neighbour in [4, 5] {
            assert_eq!(bench.worked(neighbour), bench.expected(neighbour, 16 * phase + 16), "phase {phase}");
        }
    }
    assert!(bench.drops.is_empty());
}

#[test]
fn t21_i8_random_posts_on_all_queue_pairs_all_complete_in_order() {
    for (seed, world) in [(1, SLOW), (2, FAST)] {
        let mut bench = Tiny::new(world, 3);
        let mut random = RandomDrive::new(seed);
        let mut posted = [0u64; 8];
        let mut retired = [0u64; 8];
        let mut seen = 0;
        for _ in 0..400 {
            let qp = random.below(8) as usize;
            let room = 8 - (posted[qp] - retired[qp]);
            if room > 0 {
                posted[qp] += 1 + random.below(room);
                bench.ring(qp as u64, posted[qp]);
            }
            bench.run(random.below(12) as usize);
            for (qp, slot, _) in bench.completions()[seen..].iter().copied() {
                assert_eq!(slot, retired[qp as usize] % 8);
                retired[qp as usize] += 1;
                seen += 1;
            }
        }
        bench.settle();
        for qp in 0..8 {
            assert_eq!(bench.worked(qp), bench.expected(qp, posted[qp as usize]), "queue pair {qp}");
            let count = posted[qp as usize];
            assert_eq!(bench.status(qp), (count, count, count));
        }
        assert!(bench.drops.is_empty());
    }
}
