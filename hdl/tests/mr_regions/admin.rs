//! Sections A and M through the admin mailbox.
use super::bench::*;

const EBUSY: u32 = 16;
const EINVAL: u32 = 22;
const EOPNOTSUPP: u32 = 95;
const ETIMEDOUT: u32 = 110;

#[test]
fn a5_a6_alloc_checks_every_field() {
    let mut bench = NarrowBench::new();
    let good = [1, PD, 0x142, 4, 8];
    for (what, at, word, errno) in [
        ("index 0", 0, 0, EINVAL),
        ("index beyond the table", 0, MR_ENTRIES, EINVAL),
        ("index of 32 bits", 0, 0x8000_0001, EINVAL),
        ("pd of 25 bits", 1, 1 << 24, EINVAL),
        ("type 0", 2, 0x042, EINVAL),
        ("type SG_GAPS", 2, 0x242, EOPNOTSUPP),
        ("type 3", 2, 0x342, EINVAL),
        ("type 0x41", 2, 0x4142, EINVAL),
        ("bits above the type", 2, 0x1_0142, EINVAL),
        ("no page", 3, 0, EINVAL),
        ("too many pages", 3, MAX_PL + 1, EINVAL),
        ("pages of 32 bits", 3, 0x1_0004, EINVAL),
        ("base not a multiple of 8", 4, 4, EINVAL),
        ("range beyond the buffer", 4, PAGES, EINVAL),
        ("base of 32 bits", 4, 0xFFFF_FFF8, EINVAL),
        ("word 5", 5, 1, EINVAL),
        ("word 31", 31, 1, EINVAL),
    ] {
        let mut words = [0; 32];
        words[..5].copy_from_slice(&good);
        words[at] = word;
        assert_eq!(bench.admin(1, &words).0, errno, "{what}");
    }
    assert_eq!(bench.admin(3, &[1]).1[0], 0, "nothing changed: UNALLOC");
    let last = [2, PD, 0x142, 9, PAGES - 8];
    assert_eq!(bench.admin(1, &last).0, EINVAL, "9 pages need 16 entries");
    assert_eq!(bench.admin(1, &[2, PD, 0x142, 8, PAGES - 8]).0, 0);
    assert_eq!(bench.admin(1, &good).0, 0);
    let words = bench.query(1);
    assert_eq!(&words[..12], &[0x0101, 0x142, PD, 4 << 16, 0, 0, 0, 0, 0, 8, 0, 0], "A6: FREE, no access, length 0");
    assert_eq!(bench.admin(1, &good).0, EBUSY, "not UNALLOC");
}

#[test]
fn a8_a14_a18_dereg_of_free_and_valid_regions() {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0x42, 4, 8);
    for word in [0, MR_ENTRIES, 2] {
        assert_eq!(bench.admin(2, &[word]).0, EINVAL, "index {word}");
        assert_eq!(bench.admin(2, &[1, word + 1]).0, EINVAL, "an unused word");
    }
    assert_eq!(bench.admin(2, &[1]).0, 0, "FREE");
    assert_eq!(bench.admin(2, &[1]).0, EINVAL, "UNALLOC");
    bench.alloc(1, 0x43, 4, 8);
    assert_eq!(bench.execute(0, Reg::new(0x144).bytes()), OK);
    assert_eq!(bench.admin(2, &[1]).0, 0, "VALID");
    assert_eq!(bench.probe(0, 0x144, 0x1000, 1, 0).0, 0x30, "A18: its key is dead");
    assert_eq!(bench.query(1)[1], 0x144, "A19: the last key byte is still told");
    assert_eq!(bench.attempt(0, Reg::new(0x145).bytes()), bind(2));
}

#[test]
fn a17_dereg_times_out_stays_blocked_and_may_be_retried() {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 4, 8);
    assert_eq!(bench.execute(0, Reg::new(0x105).bytes()), OK);
    let mut held = question(0x105, 0x1000, 8);
    held.hold = true;
    assert!(bench.ask(held).held);
    let start = bench.cycle;
    assert_eq!(bench.admin(2, &[1]).0, ETIMEDOUT);
    assert!(bench.cycle - start > u64::from(DRAIN_MAX));
    assert!(bench.fatal.is_empty(), "a command that gives up is not fatal");
    assert_eq!(bench.state(1), 3, "DRAIN");
    assert_eq!(bench.query(1)[11], 1);
    assert_eq!(bench.probe(0, 0x105, 0x1000, 1, 0).0, 0x32);
    assert_eq!(bench.attempt(0, Reg::new(0x106).bytes()), bind(6), "blocked");
    assert_eq!(bench.admin(1, &[1, PD, 0x100, 4, 8]).0, EBUSY, "owned");
    bench.pins.read_end = Some(1);
    bench.step();
    assert_eq!(bench.execute(0, invalidate(0x105)), OK, "no access is left");
    assert_eq!(bench.state(1), 3, "and it stays blocked");
    assert_eq!(bench.admin(2, &[1]).0, 0, "retry");
    assert_eq!(bench.state(1), 0);
}

#[test]
fn a14_a18_dereg_waits_for_accesses_and_blocks_at_once() {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 4, 8);
    assert_eq!(bench.execute(0, Reg::new(0x105).bytes()), OK);
    let mut held = question(0x105, 0x1000, 8);
    held.hold = true;
    assert!(bench.ask(held).held);
    bench.start_admin(2, &[1]);
    bench.run(40);
    assert_eq!(bench.admin_done(), None);
    assert_eq!(number(bench.ask(held).syndrome), 0x32, "blocked");
    bench.pins.write_end = Some(1);
    bench.step();
    bench.run(12);
    assert_eq!(bench.admin_done(), Some(0));
}

#[test]
fn a8_commands_and_work_on_one_mr_take_turns() {
    // DEREG_MR, ALLOC_MR and QUERY_MR between registrations and invalidations of the same MR, at every distance.
    for offset in 0..16 {
        let mut bench = NarrowBench::new();
        bench.alloc(1, 0, 4, 8);
        for round in 0..8u32 {
            bench.post(u64::from(round % 3), Reg::new(0x100 + round).bytes());
            bench.post(u64::from(round % 3), invalidate(0x100 + round));
        }
        bench.run(offset);
        let errno = bench.admin(2, &[1]).0;
        bench.wait_outcomes(16);
        assert_eq!(errno, 0);
        assert_eq!(bench.state(1), 0);
        let results: Vec<_> = (0..16).map(|i| bench.result(i)).collect();
        let good = results.iter().take_while(|result| **result == OK).count();
        assert!(results[good..].iter().all(|result| *result == bind(2) || *result == FLUSH), "{results:?}");
    }
}

#[test]
fn a14_m1_commands_do_not_wait_for_page_lists() {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 8, 8);
    bench.alloc(2, 0, 8, 16);
    bench.store(0x4000, &[0x1000; 8]);
    bench.latency = 400;
    bench.beat_gap = 60;
    for round in 0..6u32 {
        let index = 1 + round % 2;
        let qp = u64::from(round);
        let reg = Reg { length: 0x8000, ..Reg::new(index << 8 | round) }.by_pointer(0x4000, 8);
        bench.post(qp % 3, if round < 2 { reg.bytes() } else { invalidate(index << 8 | (round - 2)) });
    }
    bench.run(20);
    for wait in [0, 250] {
        // Nothing has come; the first list is half read.
        bench.run(wait);
        for (opcode, words) in [(1, &[3, PD, 0x101, 4, 24][..]), (3, &[3]), (2, &[3])] {
            let start = bench.cycle;
            assert_eq!(bench.admin(opcode, words).0, 0, "command {opcode} after {wait}");
            let cycles = bench.cycle - start;
            // 33 cycles to write the words, 12 answer words.
            assert!(cycles <= 33 + 12 + 20, "command {opcode} after {wait}: {cycles} cycles");
        }
        assert!(bench.outcomes.is_empty(), "the lists are still awaited");
    }
    bench.wait_outcomes(4);
    assert!((0..4).all(|i| bench.result(i) == OK));
}

#[test]
fn a8_a14_a_region_cannot_be_replaced_under_a_half_read_list() {
    // The range of the pages that are written must be the one that is committed.
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 8, 8);
    let pages: Vec<u64> = (0..8).map(|page| 0x10_0000 + (page << 12)).collect();
    bench.store(0x4000, &pages);
    bench.beat_gap = 60;
    bench.post(0, Reg { length: 0x8000, ..Reg::new(0x107) }.by_pointer(0x4000, 8).bytes());
    bench.run(150);
    assert_eq!(bench.admin(2, &[1]).0, 0, "DEREG_MR");
    assert_eq!(bench.result(0), OK, "after the registration");
    assert_eq!(bench.admin(1, &[1, PD, 0x108, 8, 64]).0, 0);
    assert_eq!(bench.probe(0, 0x107, 0x1000, 1, 0).0, 0x30, "its key is dead");
    assert_eq!(bench.probe(0, 0x108, 0x1000, 1, 0).0, 0x32);
}

#[test]
fn m1_probe_checks_its_fields_and_the_queue_pair() {
    let mut bench = NarrowBench::new();
    for (what, words) in [
        ("no such QPN", [0x200u32, 0, 0, 0, 1, 0]),
        ("QPN of another generation", [0x1100, 0, 0, 0, 1, 0]),
        ("QPN 0", [0, 0, 0, 0, 1, 0]),
        ("QPN of 32 bits", [0x8000_0100, 0, 0, 0, 1, 0]),
        ("needs more than rights", [0x100, 0, 0, 0, 1, 0x10]),
        ("bits above remote", [0x100, 0, 0, 0, 1, 0x200]),
    ] {
        assert_eq!(bench.admin(4, &words).0, EINVAL, "{what}");
    }
    assert_eq!(bench.admin(4, &[0x100, 0, 0, 0, 1, 0, 9]).0, EINVAL, "word 6");
    assert_eq!(bench.admin(4, &[0x102, 0, 0, 0, 1, 0]), (0, [0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn m1_a_probe_waits_for_outside_questions() {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 4, 8);
    assert_eq!(bench.execute(0, Reg::new(0x105).bytes()), OK);
    bench.start_admin(4, &[0x100, 0x105, 0x1234, 0, 4, 0]);
    for _ in 0..40 {
        bench.pins.ask = Some(question(0x105, 0x1000, 8));
        bench.step();
        assert_eq!(bench.admin_done(), None);
    }
    bench.run(40);
    assert_eq!(bench.admin_done(), Some(0));
    assert_eq!(bench.answers.len(), 40, "the probe's answer is not told outside");
}

#[test]
fn c9_m1_a_query_behind_a_drain_tells_the_count_of_its_own_mr() {
    for offset in 0..24 {
        let mut bench = NarrowBench::new();
        for (index, holds) in [(1u32, 1), (2, 2)] {
            let key = index << 8 | 5;
            bench.alloc(index, 0, 4, 8 * index);
            assert_eq!(bench.execute(0, Reg::new(key).bytes()), OK);
            let mut held = question(key, 0x1000, 8);
            held.hold = true;
            (0..holds).for_each(|_| assert!(bench.ask(held).held));
        }
        let item = bench.item(0, invalidate(0x105));
        bench.later.push((bench.cycle + 14 + offset, item));
        bench.start_admin(3, &[2]);
        bench.run(50);
        bench.pins.read_end = Some(1);
        bench.step();
        bench.run(30);
        assert_eq!(bench.admin_done(), Some(0), "offset {offset}");
        assert_eq!(bench.admin_words()[11], 2, "offset {offset}");
        assert_eq!(bench.result(2), OK);
    }
}
