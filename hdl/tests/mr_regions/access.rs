//! Section E through PROBE and outside questions.
use super::bench::*;

const KEY: u32 = 0x105;

/// The region of the vectors of section E.
fn vectors() -> NarrowBench {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 4, 8);
    bench.store(0x4000, &[0xA000, 0x5000, 0x9000]);
    let reg = Reg { iova: 0x7000_0800, length: 0x2000, fbo: 0x800, access: 0x5, ..Reg::new(KEY) };
    assert_eq!(bench.execute(0, reg.by_pointer(0x4000, 3).bytes()), OK);
    bench
}

#[test]
fn e6_e8_e9_e10_vectors_of_the_specification() {
    let mut bench = vectors();
    for (va, length, pieces) in [
        (0x7000_0800u64, 1u32, &[(0xA800u64, 1u32)][..]),
        (0x7000_0FFF, 2, &[(0xAFFF, 1), (0x5000, 1)]),
        (0x7000_1000, 0x1800, &[(0x5000, 0x1000), (0x9000, 0x800)]),
        (0x7000_27FF, 1, &[(0x97FF, 1)]),
        (0x7000_0800, 0x2000, &[(0xA800, 0x800), (0x5000, 0x1000), (0x9000, 0x800)]),
    ] {
        let (mut at, mut left) = (va, length);
        for (address, bytes) in pieces {
            assert_eq!(bench.probe(0, KEY, at, left, 0), (0, *bytes, *address), "{va:#x} {length:#x}");
            at += u64::from(*bytes);
            left -= bytes;
        }
        assert_eq!(left, 0);
    }
    for (va, length) in [
        (0x7000_2800u64, 1u32),
        (0x7000_07FF, 1),
        (0x7000_0800, 0x2001),
        (0xFFFF_FFFF_FFFF_FFFF, 2),
        (0x6FFF_FFFF, 0x8000_0000),
        (0x1_7000_0800, 1),
        (0x8000_0000_7000_0800, 1),
        (0x7000_0801, 0x2000),
        (0x7000_0800, 0xFFFF_FFFF),
    ] {
        assert_eq!(bench.probe(0, KEY, va, length, 0), (0x34, 0, 0), "{va:#x} {length:#x}");
    }
}

#[test]
fn e1_length_0_is_granted_without_a_look_at_the_key() {
    let mut bench = vectors();
    for key in [KEY, 0, 0xFF, 0x106, 0xFFFF_FFFF] {
        assert_eq!(bench.probe(0, key, 0x7000_2800, 0, 0xF), (0, 0, 0));
        assert_eq!(bench.probe(3, key, 0, 0, 0x10F), (0, 0, 0));
    }
    let mut held = question(KEY, 0x7000_0800, 0);
    held.hold = true;
    assert!(!bench.ask(held).held, "nothing to hold");
    assert_eq!(bench.query(1)[11], 0);
}

#[test]
fn e2_e3_e4_e5_first_failure_names_the_syndrome() {
    let mut bench = vectors();
    bench.alloc(2, 0, 4, 16);
    for (qp, key, need, expected) in [
        (0, KEY, 5, 0),
        (0, 0x104, 0xF, 0x30),
        (3, 0x104, 0xF, 0x30),
        (0, 0x305, 0, 0x30),
        (0, (MR_ENTRIES + 1) << 8 | 5, 0, 0x30),
        (0, 0, 0, 0x30),
        (3, KEY, 0xF, 0x31),
        (3, 0x200, 0xF, 0x31),
        (0, 0x200, 0xF, 0x32),
        (0, KEY, 0x2, 0x33),
        (0, KEY, 0x8, 0x33),
        (0, KEY, 0x6, 0x33),
        (0, KEY, 0x103, 0x33),
        (0, KEY, 0x104, 0),
    ] {
        assert_eq!(bench.probe(qp, key, 0x7000_0800, 1, need).0, expected, "QP {qp} key {key:#x} need {need:#x}");
        if expected != 0 {
            assert_eq!(bench.probe(qp, key, 0, 0xFFFF_FFFF, need).0, expected, "ranks before bounds");
        }
    }
}

#[test]
fn a26_e11_the_local_dma_lkey_is_the_bus_address_of_privileged_queues() {
    let mut bench = vectors();
    let top = 1u64 << 52;
    for (qp, va, length, need, expected) in [
        (1, 0xDEAD_BEEF_1234u64, 0x10u32, 1, (0, 0x10, 0xDEAD_BEEF_1234)),
        (1, 0x1FFF, 0x10, 0xF, (0, 1, 0x1FFF)),
        (1, 0, 0x2000, 0, (0, 0x1000, 0)),
        (1, top - 1, 1, 0, (0, 1, top - 1)),
        (1, top - 1, 2, 0, (0x34, 0, 0)),
        (1, top, 1, 0, (0x34, 0, 0)),
        (1, top - 0x8000_0000, 0x8000_0000, 0, (0, 0x1000, top - 0x8000_0000)),
        (1, top - 0x8000_0000, 0x8000_0001, 0, (0x34, 0, 0)),
        (1, u64::MAX, 1, 0, (0x34, 0, 0)),
        (1, u64::MAX, 0xFFFF_FFFF, 0, (0x34, 0, 0)),
        (0, 0x1000, 1, 0, (0x30, 0, 0)),
        (1, 0x1000, 1, 0x100, (0x30, 0, 0)),
    ] {
        assert_eq!(bench.probe(qp, 0xFF, va, length, need), expected, "QP {qp} {va:#x} {length:#x}");
    }
    let mut held = question(0xFF, 0x1000, 8);
    (held.privileged, held.hold) = (true, true);
    assert!(!bench.ask(held).held, "there is no MR to hold");
}

#[test]
fn e8_page_sizes_above_4_kib() {
    let mut bench = vectors();
    bench.alloc(2, 0, 4, 16);
    for shift in 13..=21u8 {
        let size = 1u64 << shift;
        let pages = [7 * size, 3 * size, 9 * size, 2 * size];
        let iova = 0x5_0000_0000 + 0x1234;
        let reg = Reg { shift, iova, fbo: 0x1234, npages: 4, length: 3 * size, slots: pages, ..Reg::new(0x201) };
        assert_eq!(bench.execute(0, reg.bytes()), OK, "shift {shift}");
        for at in [0, size - 0x1235, size - 0x1234, 2 * size, 3 * size - 1] {
            let place = at + 0x1234;
            let expected = pages[(place >> shift) as usize] + place % size;
            let bytes = (0x1000 - expected % 0x1000).min(3 * size - at) as u32;
            assert_eq!(
                bench.probe(0, 0x201, iova + at, (3 * size - at) as u32, 0),
                (0, bytes, expected),
                "shift {shift} at {at:#x}"
            );
        }
        assert_eq!(bench.execute(0, invalidate(0x201)), OK);
    }
}

#[test]
fn i3_e15_a_lookup_that_meets_a_table_write_sees_old_or_new() {
    let mut bench = vectors();
    let other = Reg { iova: 0x9000, length: 0x1000, slots: [0xF000, 0, 0, 0], ..Reg::new(KEY) };
    let mut kinds = [0; 3];
    for _ in 0..3 {
        // Old registration, then free, then the new one, asked in every cycle with the new one's address.
        bench.post(0, invalidate(KEY));
        bench.post(0, other.bytes());
        for _ in 0..90 {
            bench.pins.ask = Some(question(KEY, 0x9000, 8));
            bench.step();
        }
        bench.run(20);
        for (_, answer) in bench.answers.drain(..) {
            match (number(answer.syndrome), number(answer.address), number(answer.bytes)) {
                (0x34, 0, 0) => kinds[0] += 1,
                (0x32, 0, 0) => kinds[1] += 1,
                (0, 0xF000, 8) => kinds[2] += 1,
                mixed => panic!("a mix: {mixed:x?}"),
            }
        }
        let back = Reg { iova: 0x7000_0800, length: 0x800, fbo: 0x800, ..Reg::new(KEY) };
        bench.execute(0, invalidate(KEY));
        assert_eq!(bench.execute(0, back.bytes()), OK);
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
}

#[test]
fn i2_i3_no_answer_combines_an_old_row_with_new_pages() {
    // The same key and address before and after, other pages: a granted answer in the time between must be of one of them.
    let mut bench = vectors();
    let reg = |page| Reg { iova: 0x9000, slots: [page, 0, 0, 0], ..Reg::new(KEY) }.bytes();
    bench.execute(0, invalidate(KEY));
    bench.execute(0, reg(0xB000));
    let mut generations = std::collections::HashMap::new();
    for round in 0..4u64 {
        bench.post(0, invalidate(KEY));
        bench.post(0, reg(0xC000 + 0x1000 * round));
        for _ in 0..60 {
            bench.pins.ask = Some(question(KEY, 0x9000, 8));
            bench.step();
        }
    }
    for (_, answer) in bench.answers.iter().filter(|(_, answer)| number(answer.syndrome) == 0) {
        let page = generations.entry(number(answer.generation)).or_insert(number(answer.address));
        assert_eq!(*page, number(answer.address), "C24: one generation, one translation");
    }
    assert_eq!(generations.len(), 5);
}

#[test]
fn c24_the_answer_tells_index_and_generation() {
    let mut bench = vectors();
    for generation in 1..4 {
        let answer = bench.ask(question(KEY, 0x7000_0800, 1));
        assert_eq!((number(answer.index), number(answer.generation)), (1, generation));
        bench.execute(0, invalidate(KEY));
        bench.execute(0, Reg { iova: 0x7000_0800, fbo: 0x800, length: 0x100, ..Reg::new(KEY) }.bytes());
    }
}

#[test]
fn t98_only_granted_holds_are_counted() {
    let mut bench = vectors();
    let holding = |key, va, length| {
        let mut asked = question(key, va, length);
        asked.hold = true;
        asked
    };
    // One a cycle: granted, refused, granted, without hold.
    for asked in [
        holding(KEY, 0x7000_0800, 8),
        holding(KEY, 0x7000_0000, 8),
        holding(KEY, 0x7000_1000, 8),
        holding(KEY, 0x7000_1000, 8),
        question(KEY, 0x7000_1000, 8),
    ] {
        bench.pins.ask = Some(asked);
        bench.step();
    }
    bench.run(20);
    let held: Vec<_> = bench.answers.iter().map(|(_, answer)| answer.held).collect();
    assert_eq!(held, [true, false, true, true, false]);
    assert_eq!(bench.query(1)[11], 3);
    for _ in 0..3 {
        bench.pins.read_end = Some(1);
        bench.step();
    }
    bench.run(3);
    assert_eq!(bench.query(1)[11], 0);
}
