//! Section B: checks of REG_MR and what a success leaves.
use super::bench::*;

/// Key 0x5 of MR 1, at most 4 pages from entry 8.
const KEY: u32 = 0x105;

fn ready() -> NarrowBench {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 4, 8);
    bench
}

/// Each change alone of a right WQE gives its outcome and leaves the MR as it was (I4).
fn refused(changes: &[(&str, fn(&mut Reg), (u64, u64))]) {
    let mut bench = ready();
    let start = bench.query(1);
    for (what, change, expected) in changes {
        let mut reg = Reg::new(KEY);
        change(&mut reg);
        assert_eq!(bench.attempt(0, reg.bytes()), *expected, "{what}");
    }
    assert_eq!(bench.query(1), start, "I4");
    assert!(bench.reads.is_empty(), "no list is read after a failed check");
    assert_eq!(bench.attempt(0, Reg::new(KEY).bytes()), OK, "the MR still works");
}

#[test]
fn b1_b27_wrong_formats_end_as_loc_qp_op() {
    refused(&[
        ("two blocks", |r| r.blocks = 2, (2, 1)),
        ("no block", |r| r.blocks = 0, (2, 1)),
        ("solicited", |r| r.flags |= 4, (2, 1)),
        ("flag 4", |r| r.flags |= 0x10, (2, 1)),
        ("flag 7", |r| r.flags |= 0x80, (2, 1)),
        ("five inline pages", |r| r.npages = 5, (2, 1)),
        ("65,535 inline pages", |r| r.npages = 0xFFFF, (2, 1)),
        ("unused inline slot 1", |r| r.slots[1] = 0x1000, (2, 1)),
        ("unused inline slot 3", |r| r.slots[3] = 1, (2, 1)),
        ("slot 2 beside a pointer", |r| (r.flags, r.slots[2]) = (1, 1 << 63), (2, 1)),
        ("opcode and all else wrong", |r| (r.blocks, r.key, r.access) = (3, 0, 0xFF), (2, 1)),
    ]);
    let mut bench = ready();
    let mut wqe = Reg::new(KEY).bytes();
    wqe[9] = 1;
    assert_eq!(bench.attempt(0, wqe), (2, 1), "byte 9 is reserved");
    let mut wqe = Reg::new(KEY).bytes();
    wqe[0] = 0x22;
    assert_eq!(bench.attempt(0, wqe), (2, 1), "unknown opcode");
}

#[test]
fn b2_b3_wrong_indices() {
    refused(&[
        ("beyond the table", |r| r.key = MR_ENTRIES << 8, bind(2)),
        ("last of 24 bits", |r| r.key = 0xFFFF_FF05, bind(2)),
        ("aliases MR 1", |r| r.key = (MR_ENTRIES + 1) << 8, bind(2)),
        ("not allocated", |r| r.key = 0x205, bind(2)),
        ("key 0", |r| r.key = 0, bind(3)),
        ("local DMA lkey", |r| r.key = 0xFF, bind(3)),
    ]);
}

#[test]
fn b5_pd_of_the_qp_must_be_the_mrs() {
    let mut bench = ready();
    assert_eq!(bench.attempt(3, Reg::new(KEY).bytes()), bind(5));
    assert_eq!(bench.attempt(0, Reg::new(KEY).bytes()), OK);
}

#[test]
fn b6_a_valid_mr_is_not_registered_again() {
    let mut bench = ready();
    let reg = Reg::new(KEY);
    assert_eq!(bench.execute(0, reg.bytes()), OK);
    let before = bench.query(1);
    assert_eq!(bench.attempt(0, reg.bytes()), bind(6), "identical fields");
    let other = Reg { key: 0x1FF, slots: [0xB000, 0, 0, 0], ..reg };
    assert_eq!(bench.attempt(0, other.bytes()), bind(6));
    bench.store(0x4000, &[0xC000, 0xD000]);
    let listed = Reg { key: 0x106, length: 0x2000, ..Reg::new(0) }.by_pointer(0x4000, 2);
    assert_eq!(bench.attempt(0, listed.bytes()), bind(6));
    assert_eq!(bench.query(1), before);
    assert_eq!(bench.probe(0, KEY, 0x1000, 8, 0), (0, 8, 0xA000), "the old pages stay");
}

#[test]
fn b7_of_two_queues_one_wins_and_syndrome_07_never_appears() {
    let mut bench = ready();
    for round in 0..6 {
        let seen = bench.outcomes.len();
        bench.post(0, Reg::new(KEY).bytes());
        bench.post(1, Reg::new(KEY).bytes());
        bench.post(2, invalidate(KEY));
        bench.post(2, invalidate(KEY));
        bench.wait_outcomes(seen + 4);
        let results: Vec<_> = (seen..seen + 4).map(|i| bench.result(i)).collect();
        assert_eq!(results, [OK, bind(6), OK, OK], "round {round}");
        bench.clear(1);
    }
}

#[test]
fn b8_b9_access_bits() {
    refused(&[
        ("RW without LW", |r| r.access = 2, bind(8)),
        ("RA without LW", |r| r.access = 8, bind(8)),
        ("RINV", |r| r.access = 0x11, bind(8)),
        ("bit 6", |r| r.access = 0x41, bind(8)),
        ("bit 7", |r| r.access = 0x81, bind(8)),
    ]);
    for access in [0u8, 1, 4, 5, 7, 0xF] {
        let mut bench = ready();
        assert_eq!(bench.execute(0, Reg { access, ..Reg::new(KEY) }.bytes()), OK, "access {access:#x}");
        let remote = if access & 0xE != 0 { 0x10 } else { 0 };
        assert_eq!(bench.query(1)[0] >> 16 & 0xFF, u32::from(access) | remote, "C12: RINV of any remote bit");
    }
}

#[test]
fn b10_page_shift_12_to_21() {
    refused(&[
        ("0", |r| r.shift = 0, bind(9)),
        ("11", |r| r.shift = 11, bind(9)),
        ("22", |r| r.shift = 22, bind(9)),
        ("44", |r| r.shift = 44, bind(9)),
        ("255", |r| r.shift = 255, bind(9)),
    ]);
    let mut bench = ready();
    for shift in 12..=21u8 {
        let page = 0x4000_0000u64 + (1 << shift);
        let reg = Reg { shift, iova: 3 << shift, length: 1 << shift, slots: [page, 0, 0, 0], ..Reg::new(KEY) };
        assert_eq!(bench.execute(0, reg.bytes()), OK, "shift {shift}");
        let last = (4 << shift) - 1;
        assert_eq!(bench.probe(0, KEY, last, 1, 0), (0, 1, page + (1 << shift) - 1), "shift {shift}");
        assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    }
}

#[test]
fn b11_npages_up_to_the_maximum_of_the_mr() {
    refused(&[
        ("none", |r| (r.npages, r.slots[0]) = (0, 0), bind(0xA)),
        ("none by pointer", |r| (r.flags, r.npages, r.slots[0]) = (1, 0, 0x4000), bind(0xA)),
        ("beyond the device", |r| (r.flags, r.npages, r.slots[0]) = (1, MAX_PL as u16 + 1, 0x4000), bind(0xA)),
        ("65,535", |r| (r.flags, r.npages, r.slots[0]) = (1, 0xFFFF, 0x4000), bind(0xA)),
    ]);
    let mut bench = ready();
    bench.store(0x4000, &[0x1000; 8]);
    assert_eq!(bench.attempt(0, Reg::new(KEY).by_pointer(0x4000, 5).bytes()), bind(0xA), "beyond this MR");
    assert_eq!(bench.execute(0, Reg::new(KEY).by_pointer(0x4000, 4).bytes()), OK);
}

#[test]
fn b12_length() {
    refused(&[
        ("none", |r| r.length = 0, bind(0xB)),
        ("max_mr_len + 1", |r| r.length = (u64::from(MAX_PL) << 21) + 1, bind(0xB)),
        ("2^32", |r| r.length = 1 << 32, bind(0xB)),
        ("2^63", |r| r.length = 1 << 63, bind(0xB)),
    ]);
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, MAX_PL, 0);
    let pages: Vec<u64> = (0..u64::from(MAX_PL)).map(|i| i << 21).collect();
    bench.store(0x4000, &pages);
    let whole = Reg { shift: 21, iova: 0, length: u64::from(MAX_PL) << 21, ..Reg::new(KEY) };
    assert_eq!(bench.execute(0, whole.by_pointer(0x4000, MAX_PL as u16).bytes()), OK, "max_mr_len");
    assert_eq!(bench.probe(0, KEY, (1 << 26) - 1, 1, 0), (0, 1, (1 << 26) - 1));
}

#[test]
fn b13_iova_plus_length_may_reach_but_not_pass_2_pow_64() {
    let edge = |iova: u64, length: u64| Reg { iova, length, npages: 2, slots: [0xA000, 0xB000, 0, 0], ..Reg::new(KEY) };
    let mut bench = ready();
    assert_eq!(bench.attempt(0, edge(0xFFFF_FFFF_FFFF_F000, 0x1001).bytes()), bind(0xC));
    assert_eq!(bench.attempt(0, edge(0xFFFF_FFFF_FFFF_E000, 0x2000).bytes()), OK);
    assert_eq!(bench.probe(0, KEY, u64::MAX, 1, 0), (0, 1, 0xBFFF));
    assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    assert_eq!(bench.attempt(0, edge(0x0000_0000_FFFF_F000, 0x2000).bytes()), OK, "no wrap at 2^32");
}

#[test]
fn b13_b14_b15_worked_checks_of_the_specification() {
    let rows: [(u64, u64, u32, u16, (u64, u64)); 10] = [
        (0x1000, 0x1000, 0, 1, OK),
        (0x1800, 0x0800, 0x800, 1, OK),
        (0x1800, 0x0801, 0x800, 1, bind(0xD)),
        (0x1800, 0x0801, 0x800, 2, OK),
        (0x1800, 0x0800, 0, 1, bind(0xE)),
        (0x1000, 0x4001, 0, 5, bind(0xA)),
        (0xFFFF_FFFF_FFFF_F000, 0x1000, 0, 1, OK),
        (0xFFFF_FFFF_FFFF_F000, 0x1001, 0, 2, bind(0xC)),
        (0xFFFF_FFFF_FFFF_FFFF, 1, 0xFFF, 1, OK),
        (0, 0, 0, 1, bind(0xB)),
    ];
    let mut bench = ready();
    bench.store(0x4000, &[0x1000, 0x2000, 0x3000, 0x4000, 0x5000]);
    for (iova, length, fbo, npages, expected) in rows {
        let reg = Reg { iova, length, fbo, ..Reg::new(KEY) }.by_pointer(0x4000, npages);
        assert_eq!(bench.attempt(0, reg.bytes()), expected, "{iova:#x} {length:#x} {fbo:#x} {npages}");
        if expected == OK {
            assert_eq!(bench.execute(0, invalidate(KEY)), OK);
        }
    }
}

#[test]
fn b14_coverage_counts_from_the_first_byte_offset() {
    let mut bench = ready();
    let reg = |length, shift: u8| Reg { shift, iova: 0x1FFF, fbo: 0xFFF, length, ..Reg::new(KEY) };
    assert_eq!(bench.attempt(0, reg(2, 12).bytes()), bind(0xD));
    assert_eq!(bench.attempt(0, reg(1, 12).bytes()), OK);
    assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    let large = Reg { iova: 0x1F_FFFF, fbo: 0x1F_FFFF, slots: [0x20_0000, 0, 0, 0], ..reg(2, 21) };
    assert_eq!(bench.attempt(0, large.bytes()), bind(0xD));
}

#[test]
fn b14_b18_b19_surplus_pages_are_checked_but_unreachable() {
    let mut bench = ready();
    bench.store(0x4000, &[0xA000, 0xB000, 0xC001, 0]);
    assert_eq!(bench.attempt(0, Reg::new(KEY).by_pointer(0x4000, 3).bytes()), bind(0x11));
    bench.store(0x4000, &[0xA000, 0xB000, 1 << 52, 0]);
    assert_eq!(bench.attempt(0, Reg::new(KEY).by_pointer(0x4000, 3).bytes()), bind(0x12));
    bench.store(0x4000, &[0xA000, 0xB000, 0xC000, 0xFFFF]);
    assert_eq!(
        bench.attempt(0, Reg::new(KEY).by_pointer(0x4000, 3).bytes()),
        OK,
        "what lies behind the list is not looked at"
    );
    assert_eq!(bench.probe(0, KEY, 0x1FFF, 1, 0), (0, 1, 0xAFFF));
    assert_eq!(bench.probe(0, KEY, 0x2000, 1, 0).0, 0x34);
}

#[test]
fn b15_first_byte_offset_fits_iova_or_zero_based() {
    refused(&[
        ("fbo of another place", |r| (r.fbo, r.length) = (8, 8), bind(0xE)),
        ("fbo of a page more", |r| (r.fbo, r.npages, r.slots[1]) = (0x1000, 2, 0xB000), bind(0xE)),
        ("ZB with iova", |r| r.access |= 0x20, bind(0xE)),
        ("ZB with high iova", |r| (r.access, r.iova) = (0x21, 1 << 63), bind(0xE)),
        (
            "ZB, fbo of a page",
            |r| (r.access, r.iova, r.fbo, r.npages, r.slots[1]) = (0x21, 0, 0x1000, 2, 0xB000),
            bind(0xE),
        ),
    ]);
    let mut bench = ready();
    let zero_based = Reg { access: 0x21, iova: 0, fbo: 0x123, length: 0x100, ..Reg::new(KEY) };
    assert_eq!(bench.execute(0, zero_based.bytes()), OK);
    assert_eq!(bench.probe(0, KEY, 0, 1, 0), (0, 1, 0xA123), "E12");
    assert_eq!(bench.probe(0, KEY, 0xFF, 1, 0), (0, 1, 0xA222), "E12");
    assert_eq!(bench.probe(0, KEY, 0x100, 1, 0).0, 0x34, "E12");
}

#[test]
fn b16_list_address() {
    refused(&[
        ("not 64 B aligned", |r| (r.flags, r.slots[0]) = (1, 0x4008), bind(0xF)),
        ("beyond 2^52", |r| (r.flags, r.slots[0]) = (1, 1 << 52), bind(0xF)),
        ("bit 63", |r| (r.flags, r.slots[0]) = (1, 1 << 63), bind(0xF)),
    ]);
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, MAX_PL, 0);
    let last_line = (1 << 52) - 64;
    bench.store(last_line, &[0x1000; 8]);
    assert_eq!(bench.attempt(0, Reg::new(KEY).by_pointer(last_line, 9).bytes()), bind(0xF), "ends beyond 2^52");
    assert_eq!(bench.execute(0, Reg::new(KEY).by_pointer(last_line, 8).bytes()), OK, "ends at 2^52");
    assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    let inline = Reg { slots: [0xA000, 0, 0, 0], ..Reg::new(KEY) };
    assert_eq!(bench.execute(0, inline.bytes()), OK, "not looked at for an inline list");
}

#[test]
fn b17_a_failed_read_leaves_the_mr_free() {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, MAX_PL, 0);
    let start = bench.query(1);
    bench.store(0x4000, &[0x1000; 20]);
    for line in [0x4000u64, 0x4040, 0x4080] {
        bench.broken = [line].into();
        assert_eq!(bench.attempt(0, Reg::new(KEY).by_pointer(0x4000, 20).bytes()), bind(0x10), "line {line:#x}");
        assert_eq!(bench.query(1), start);
    }
    bench.broken.clear();
    bench.store(0x4000, &[0x1001]);
    bench.broken = [0x4080].into();
    assert_eq!(bench.attempt(0, Reg::new(KEY).by_pointer(0x4000, 20).bytes()), bind(0x10), "ranks before alignment");
    bench.broken.clear();
    bench.store(0x4000, &[0x1000]);
    assert_eq!(bench.attempt(0, Reg::new(KEY).by_pointer(0x4000, 20).bytes()), OK, "the next list is judged anew");
}

#[test]
fn b18_b19_every_entry_is_aligned_and_below_2_pow_52() {
    let mut bench = NarrowBench::new();
    bench.alloc(1, 0, 8, 0);
    for entry in 0..6 {
        for (page, shift, expected) in [
            (0x1800u64, 12u8, bind(0x11)),
            (0x1001, 12, bind(0x11)),
            (0x10_0000, 21, bind(0x11)),
            (1 << 52, 12, bind(0x12)),
            (1 << 63, 12, bind(0x12)),
            ((1 << 52) + 0x800, 12, bind(0x11)),
            ((1 << 52) - 0x1000, 12, OK),
            ((1 << 52) - 0x1000, 13, bind(0x11)),
        ] {
            let mut pages = [0x20_0000u64; 6];
            pages[entry] = page;
            bench.store(0x4000, &pages);
            let reg = Reg { shift, iova: 0, ..Reg::new(KEY) }.by_pointer(0x4000, 6);
            assert_eq!(bench.attempt(0, reg.bytes()), expected, "{page:#x} at {entry}");
            if expected == OK {
                assert_eq!(bench.execute(0, invalidate(KEY)), OK);
            }
        }
    }
    let inline = Reg { npages: 4, slots: [0x1000, 0x2000, 0x3000, 0x4004], ..Reg::new(KEY) };
    assert_eq!(bench.attempt(0, inline.bytes()), bind(0x11), "inline pages too");
}

#[test]
fn b20_e10_pages_may_repeat_and_descend() {
    let mut bench = ready();
    let pages = [0x9000, 0x5000, 0x9000, 0x1000];
    let reg = Reg { npages: 4, length: 0x4000, slots: pages, ..Reg::new(KEY) };
    assert_eq!(bench.execute(0, reg.bytes()), OK);
    for (i, page) in pages.into_iter().enumerate() {
        assert_eq!(bench.probe(0, KEY, 0x1000 * (i as u64 + 1), 0x1000, 0), (0, 0x1000, page));
    }
}

#[test]
fn b24_a11_a_success_shows_all_its_fields() {
    let mut bench = ready();
    bench.store(0x4000, &[0xA000, 0x5000, 0x9000]);
    let reg = Reg { iova: 0x12_7000_0800, length: 0x2000, fbo: 0x800, access: 0x5, key: 0x1AB, ..Reg::new(0) };
    assert_eq!(bench.query(1)[1], 0x100, "A11: the old key until then");
    assert_eq!(bench.execute(0, reg.by_pointer(0x4000, 3).bytes()), OK);
    let words = bench.query(1);
    assert_eq!(words[0], 12 << 24 | 0x15 << 16 | 1 << 8 | 2);
    assert_eq!(&words[1..12], &[0x1AB, PD, 4 << 16 | 3, 0x7000_0800, 0x12, 0x2000, 0, 0x800, 8, 1, 0]);
    assert_eq!(bench.reads, [(0x4000, 24)], "the list and no more");
}

#[test]
fn b1_to_b19_the_lowest_syndrome_of_several_is_told() {
    let mut bench = ready();
    bench.store(0x4000, &[0xA001, 1 << 52]);
    let mut reg = Reg { access: 2, shift: 11, npages: 0xFFFF, length: 0, fbo: 5, ..Reg::new(0x205) };
    (reg.flags, reg.slots[0]) = (1, 0x4004);
    assert_eq!(bench.attempt(3, reg.bytes()), bind(2), "an unknown MR");
    reg.key = KEY;
    assert_eq!(bench.attempt(3, reg.bytes()), bind(5));
    assert_eq!(bench.execute(0, Reg::new(KEY).bytes()), OK);
    assert_eq!(bench.attempt(3, reg.bytes()), bind(5));
    assert_eq!(bench.attempt(0, reg.bytes()), bind(6));
    assert_eq!(bench.execute(0, invalidate(KEY)), OK);
    for (repair, expected) in [
        ((|_| ()) as fn(&mut Reg), bind(8)),
        (|r| r.access = 1, bind(9)),
        (|r| r.shift = 12, bind(0xA)),
        (|r| r.npages = 2, bind(0xB)),
        (|r| (r.length, r.iova) = (0x2000, u64::MAX), bind(0xC)),
        (|r| (r.iova, r.length) = (0x1000, 0x2001), bind(0xD)),
        (|r| r.length = 0x1000, bind(0xE)),
        (|r| r.fbo = 0, bind(0xF)),
        (|r| r.slots[0] = 0x4000, bind(0x11)),
    ] {
        repair(&mut reg);
        assert_eq!(bench.attempt(0, reg.bytes()), expected);
    }
    bench.store(0x4000, &[0xA000]);
    assert_eq!(bench.attempt(0, reg.bytes()), bind(0x12));
    bench.store(0x4008, &[0xB000]);
    assert_eq!(bench.attempt(0, reg.bytes()), OK);
}
