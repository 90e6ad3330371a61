//! Section B.

use super::*;

/// The worked checks of section B: (iova, length, fbo, npages, outcome).
const WORKED: [(u64, u64, u32, u16, Option<Syndrome>); 10] = [
    (0x1000, 0x1000, 0, 1, None),
    (0x1800, 0x0800, 0x800, 1, None),
    (0x1800, 0x0801, 0x800, 1, Some(Syndrome::Cover)),
    (0x1800, 0x0801, 0x800, 2, None),
    (0x1800, 0x0800, 0, 1, Some(Syndrome::Fbo)),
    (0x1000, 0x4001, 0, 5, Some(Syndrome::PlLen)),
    (0xFFFF_FFFF_FFFF_F000, 0x1000, 0, 1, None),
    (0xFFFF_FFFF_FFFF_F000, 0x1001, 0, 2, Some(Syndrome::Wrap)),
    (0xFFFF_FFFF_FFFF_FFFF, 1, 0xFFF, 1, None),
    (0, 0, 0, 1, Some(Syndrome::Length)),
];

#[test]
fn b11_b12_b13_b14_b15_worked_checks() {
    for (iova, length, fbo, npages, outcome) in WORKED {
        let mut bench = Bench::new();
        bench.memory.write(LIST, &[0xA000, 0xB000, 0xC000, 0xD000, 0xE000, 0, 0, 0]);
        let reg = Reg { iova, length, fbo, npages, ..Reg::default() }.by_pointer();
        match outcome {
            None => bench.succeed(reg.slot()),
            Some(syndrome) => bench.fail(reg.slot(), syndrome),
        }
    }
}

#[test]
fn b1_anything_that_reg_mr_does_not_define_is_a_format_error() {
    let reg = Reg::default();
    let pages = [0xA000, 0xB000, 0xC000, 0xD000];
    let bad = [
        Reg { flags: reg.flags | wqe::FLAG_SOLICITED, ..reg.clone() },
        Reg { flags: reg.flags | 0x10, ..reg.clone() },
        Reg { blocks: 0, ..reg.clone() },
        Reg { blocks: 2, ..reg.clone() },
        Reg { reserved: 1, ..reg.clone() },
        Reg { npages: 5, tail: pages, ..reg.clone() },
        Reg { tail: [LIST, 1, 0, 0], flags: wqe::FLAG_SIGNALLED, ..reg.clone() },
        Reg { tail: [LIST, 0, 0, 1 << 63], flags: wqe::FLAG_SIGNALLED, ..reg.clone() },
    ];
    for reg in bad {
        Bench::new().fail(reg.slot(), Syndrome::WqeFormat);
    }
}

#[test]
fn b1_inline_without_pages_is_judged_by_b11() {
    Bench::new().fail(Reg { npages: 0, tail: [0; 4], ..Reg::default() }.slot(), Syndrome::PlLen);
}

#[test]
fn b2_an_index_beyond_the_table_or_not_allocated_is_unknown() {
    for key in [32 << 8, 0xFF_FFFF_11, 8 << 8 | 0x10] {
        Bench::new().fail(Reg { key, ..Reg::default() }.slot(), Syndrome::KeyIndex);
    }
}

#[test]
fn b3_a26_index_0_is_reserved_whatever_the_key_byte() {
    for key in [0, 0x10, 0xFF] {
        Bench::new().fail(Reg { key, ..Reg::default() }.slot(), Syndrome::KeyReserved);
    }
}

#[test]
fn b4_only_mem_reg_regions_can_be_registered() {
    for kind in [2, 3] {
        let mut bench = Bench::new();
        bench.nic.regions[5].kind = kind;
        bench.fail(Reg::default().slot(), Syndrome::MrType);
    }
}

#[test]
fn b5_a_region_of_another_pd_is_refused() {
    Bench::new().fail(Reg { key: 0x711, ..Reg::default() }.slot(), Syndrome::MrPd);
}

#[test]
fn b6_a8_reg_of_a_valid_region_fails_even_if_identical() {
    let mut bench = Bench::new();
    bench.succeed(Reg::default().slot());
    bench.fail(Reg::default().slot(), Syndrome::MrNotFree);
    bench.fail(Reg { key: 0x512, tail: [0xF000, 0, 0, 0], ..Reg::default() }.slot(), Syndrome::MrNotFree);
    assert_eq!(bench.probe(0x511, 0x10000, 1, 0), Ok(vec![(0xA000, 1)]));
}

#[test]
fn b7_of_two_regs_of_one_region_the_second_sees_what_the_first_left() {
    let mut bench = Bench::new();
    bench.nic.queue_pairs[2].as_mut().unwrap().pd = 1;
    let second = Reg { key: 0x512, ..Reg::default() };
    assert_eq!(bench.run(QP1, Reg::default().slot()), (Status::Success, 0));
    assert_eq!(bench.run(QP2, second.slot()), (Status::MwBind, Syndrome::MrNotFree as u8));
    bench.recover(QP2);
    assert_eq!(bench.run(QP1, local_inv(0x511)), (Status::Success, 0));
    assert_eq!(bench.run(QP2, second.slot()), (Status::Success, 0));
}

#[test]
fn b8_b9_access_bits_that_are_refused_and_that_are_not() {
    for access in [0x02, 0x06, 0x08, 0x0A, 0x0E, 0x10, 0x11, 0x40, 0x80, 0x22] {
        let reg = Reg { access, iova: 0, ..Reg::default() };
        Bench::new().fail(reg.slot(), Syndrome::Access);
    }
    for access in [0x00, 0x01, 0x03, 0x04, 0x05, 0x07, 0x09, 0x0F, 0x20, 0x2F] {
        Bench::new().succeed(Reg { access, iova: 0, ..Reg::default() }.slot());
    }
}

#[test]
fn b10_a3_page_shift_12_to_21() {
    for shift in [0, 1, 11, 22, 31, 32, 63, 64, 255] {
        Bench::new().fail(Reg { shift, ..Reg::default() }.slot(), Syndrome::PageShift);
    }
    for shift in 12..=21 {
        let reg = Reg { shift, iova: 0, tail: [3 << 21, 0, 0, 0], ..Reg::default() };
        let mut bench = Bench::new();
        bench.succeed(reg.slot());
        assert_eq!(bench.nic.region(5).unwrap().page_size(), 1 << shift);
    }
}

#[test]
fn b11_npages_is_bounded_by_the_regions_own_maximum() {
    let mut bench = Bench::new();
    bench.memory.write(LIST, &[0xA000; 8]);
    bench.fail(Reg { npages: 5, ..Reg::default() }.by_pointer().slot(), Syndrome::PlLen);
    bench.fail(Reg { npages: 0, ..Reg::default() }.by_pointer().slot(), Syndrome::PlLen);
    bench.succeed(Reg { npages: 4, ..Reg::default() }.by_pointer().slot());
}

#[test]
fn b12_length_1_to_max_mr_len() {
    let max = 32 << 21;
    let whole = Reg { shift: 21, iova: 0, length: max, npages: 4, tail: [0, 1 << 21, 0, 0], ..Reg::default() };
    Bench::new().fail(Reg { length: max + 1, ..whole.clone() }.slot(), Syndrome::Length);
    Bench::new().fail(Reg { length: 1 << 63, ..whole.clone() }.slot(), Syndrome::Length);
    Bench::new().fail(Reg { length: 0, ..whole.clone() }.slot(), Syndrome::Length);
    // Exactly the maximum is legal as a length; four pages of 2 MiB do not cover it.
    Bench::new().fail(whole.slot(), Syndrome::Cover);
    let mut bench = Bench::new();
    bench.admin(command::ALLOC_MR, &[9, 1, 0x110, 32, 32]).unwrap();
    bench.memory.write(LIST, &[0; 32]);
    bench.succeed(Reg { key: 0x911, npages: 32, ..whole }.by_pointer().slot());
}

#[test]
fn b13_iova_plus_length_may_reach_but_not_pass_2_pow_64() {
    let reg = Reg { iova: !0 << 12, npages: 2, tail: [0xA000, 0xB000, 0, 0], ..Reg::default() };
    Bench::new().succeed(reg.slot());
    Bench::new().fail(Reg { length: 0x1001, ..reg }.slot(), Syndrome::Wrap);
}

#[test]
fn b14_surplus_entries_are_judged_and_unreachable() {
    let mut bench = Bench::new();
    let reg = Reg { npages: 2, tail: [0xA000, 0xB000, 0, 0], ..Reg::default() };
    bench.fail(Reg { tail: [0xA000, 0xB008, 0, 0], ..reg.clone() }.slot(), Syndrome::PageAlign);
    bench.succeed(reg.slot());
    assert_eq!(bench.probe(0x511, 0x11000, 1, 0), Err(Syndrome::AccBounds));
    // An offset near 2^32 must not wrap the sum.
    bench.recover(QP1);
    bench.fail(Reg { key: 0x611, fbo: u32::MAX, ..Reg::default() }.slot(), Syndrome::Cover);
}

#[test]
fn b15_offset_of_the_first_byte() {
    for (access, iova, fbo) in [(7, 0x10000, 1), (7, 0x10001, 0), (0x27, 0x1000, 0), (0x27, 0, 0x1000)] {
        let reg = Reg { access, iova, fbo, npages: 2, tail: [0xA000, 0xB000, 0, 0], ..Reg::default() };
        Bench::new().fail(reg.slot(), Syndrome::Fbo);
    }
    let zero_based = Reg { access: 0x27, iova: 0, fbo: 0xFFF, length: 1, ..Reg::default() };
    Bench::new().succeed(zero_based.slot());
}

#[test]
fn b16_list_address() {
    let at = |address| Reg { tail: [address, 0, 0, 0], ..Reg::default().by_pointer() }.slot();
    for address in [LIST + 8, LIST + 32, 1 << 52, u64::MAX - 63] {
        Bench::new().fail(at(address), Syndrome::PlAddr);
    }
    let mut bench = Bench::new();
    bench.memory.write((1 << 52) - 64, &[0xA000; 8]);
    bench.succeed(at((1 << 52) - 64));
    // An inline list has pages where the address would be.
    Bench::new().succeed(Reg { tail: [0xFF000, 0, 0, 0], ..Reg::default() }.slot());
}

#[test]
fn b17_a_list_that_cannot_be_read_leaves_the_region_free() {
    let mut bench = Bench::new();
    bench.fail(Reg::default().by_pointer().slot(), Syndrome::PlFetch);
    assert_eq!(bench.nic.syndrome_count(Syndrome::PlFetch as u8), 1);
    bench.memory.write(LIST, &[0xA000; 8]);
    bench.succeed(Reg::default().by_pointer().slot());
}

#[test]
fn b18_every_entry_is_aligned() {
    let tail = [0xA000, 0xB000, 0xC000, 0xD000];
    for wrong in 0..4 {
        let mut tail = tail;
        tail[wrong] += 0x80;
        Bench::new().fail(Reg { npages: 4, tail, ..Reg::default() }.slot(), Syndrome::PageAlign);
    }
}

#[test]
fn b18_b19_alignment_of_any_entry_is_named_before_range_of_any() {
    let reg = Reg { npages: 2, tail: [1 << 52, 0xB001, 0, 0], ..Reg::default() };
    Bench::new().fail(reg.slot(), Syndrome::PageAlign);
}

#[test]
fn b19_a_page_ends_inside_the_bus() {
    for page in [1 << 52, 1 << 63] {
        Bench::new().fail(Reg { tail: [page, 0, 0, 0], ..Reg::default() }.slot(), Syndrome::PageRange);
    }
    Bench::new().succeed(Reg { tail: [(1 << 52) - 0x1000, 0, 0, 0], ..Reg::default() }.slot());
}

#[test]
fn b20_duplicate_and_descending_pages_are_legal() {
    let reg = Reg { npages: 3, length: 0x3000, tail: [0xC000, 0xA000, 0xC000, 0], ..Reg::default() };
    let mut bench = Bench::new();
    bench.succeed(reg.slot());
    let pieces = vec![(0xC000, 0x1000), (0xA000, 0x1000), (0xC000, 0x1000)];
    assert_eq!(bench.probe(0x511, 0x10000, 0x3000, 0), Ok(pieces));
}

#[test]
fn b24_b25_a11_success_shows_every_field_and_the_new_key() {
    let mut bench = Bench::new();
    let reg =
        Reg { npages: 2, fbo: 0x234, iova: 0x7_1234, length: 0x1100, tail: [0xA000, 0xB000, 0, 0], ..Reg::default() };
    assert_eq!(bench.nic.region(5).unwrap().key, KEY_A);
    bench.succeed(reg.slot());
    let region = bench.nic.region(5).unwrap();
    let expected = Region {
        state: RegionState::Valid,
        kind: mr::MEM_REG,
        key: 0x511,
        pd: 1,
        access: 0x17,
        page_shift: 12,
        pages: vec![0xA000, 0xB000],
        max_pages: 4,
        iova: 0x7_1234,
        length: 0x1100,
        fbo: 0x234,
        page_base: 0,
        generation: 1,
    };
    assert_eq!(*region, expected);
    assert_eq!(bench.probe(KEY_A, 0x7_1234, 1, 0), Err(Syndrome::AccKey));
}

#[test]
fn a13_the_key_byte_may_stay() {
    let mut bench = Bench::new();
    bench.succeed(Reg { key: KEY_A, ..Reg::default() }.slot());
}

#[test]
fn a25_a_valid_region_does_not_follow_its_list() {
    let mut bench = Bench::new();
    bench.memory.write(LIST, &[0xA000; 8]);
    bench.succeed(Reg::default().by_pointer().slot());
    bench.memory.write(LIST, &[0xF000; 8]);
    assert_eq!(bench.probe(0x511, 0x10000, 1, 0), Ok(vec![(0xA000, 1)]));
}
