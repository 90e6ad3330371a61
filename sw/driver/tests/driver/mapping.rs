//! Mapping of scatter lists, and the registrations made of it (F1 to F9).

use rnic_driver::{
    Access, Busy, Direction, DmaSgEntry, DmaSgList, Errno, Error, Invalid, Mapped, MemoryRegion, Pages, SendRequest,
};
use rnic_mock::{MockPlatform, Rig};

type Region = MemoryRegion<MockPlatform>;

fn sg(rig: &Rig, pieces: &[(u64, u64)]) -> DmaSgList {
    let entries: Vec<_> = pieces.iter().map(|&(address, length)| DmaSgEntry { address, length }).collect();
    rig.device.dma_map(&entries[..], Direction::Bidirectional).unwrap()
}

fn region(rig: &Rig, max: u16) -> Region {
    rig.device.alloc_fast_reg_mr(&rig.pd, max).unwrap()
}

fn pages(mr: &Region) -> Vec<u64> {
    let registration = mr.reg_wr(mr.key(), Access::LOCAL_WRITE).unwrap();
    let count = usize::from(registration.npages);
    match registration.pages {
        Pages::Inline(pages) => pages,
        Pages::Shared(list) => list.entries()[..count].to_vec(),
        other => panic!("{other:?}"),
    }
}

/// One row of the table of section F: list, offset, page size, capacity; n, next offset, iova, length, pages.
type Vector<'a> = (&'a [(u64, u64)], u64, u64, u16, (usize, u64, u64, u64), &'a [u64]);

#[test]
fn f1_f3_f4_f5_f6_f7_f9_all_vectors() {
    #[rustfmt::skip]
    let vectors: &[Vector] = &[
        (&[(0x10000, 0x1000)], 0, 0x1000, 4, (1, 0, 0x10000, 0x1000), &[0x10000]),
        (&[(0x10800, 0x800), (0x20000, 0x1000), (0x30000, 0x10)], 0, 0x1000, 4,
            (3, 0, 0x10800, 0x1810), &[0x10000, 0x20000, 0x30000]),
        (&[(0x10000, 0x800), (0x20000, 0x1000)], 0, 0x1000, 4, (1, 0, 0x10000, 0x800), &[0x10000]),
        (&[(0x10000, 0x1000), (0x20800, 0x800)], 0, 0x1000, 4, (1, 0, 0x10000, 0x1000), &[0x10000]),
        (&[(0x10000, 0x200), (0x10200, 0x200), (0x10400, 0xC00), (0x20000, 0x1000)], 0, 0x1000, 4,
            (4, 0, 0x10000, 0x2000), &[0x10000, 0x20000]),
        (&[(0x10800, 0x1000), (0x11800, 0x1000)], 0, 0x1000, 4,
            (2, 0, 0x10800, 0x2000), &[0x10000, 0x11000, 0x12000]),
        (&[(0x10000, 0x1000), (0x20000, 0x1000)], 0x800, 0x1000, 4, (2, 0, 0x10800, 0x1800), &[0x10000, 0x20000]),
        (&[(0x10000, 0x1000), (0x20000, 0x1000)], 0, 0x1000, 1, (1, 0, 0x10000, 0x1000), &[0x10000]),
        (&[(0x10000, 0x3000)], 0, 0x1000, 2, (0, 0x2000, 0x10000, 0x2000), &[0x10000, 0x11000]),
        (&[(0x10000, 0x3000)], 0, 0x1000, 1, (0, 0x1000, 0x10000, 0x1000), &[0x10000]),
        (&[(0x10800, 0x1000)], 0, 0x1000, 1, (0, 0x800, 0x10800, 0x800), &[0x10000]),
        (&[(0x10000, 0x1000), (0x20000, 0x3000)], 0, 0x1000, 3,
            (1, 0x2000, 0x10000, 0x3000), &[0x10000, 0x20000, 0x21000]),
        (&[(0x10000, 0x1000), (0x11000, 0x1000), (0x12000, 0x1000)], 0, 0x10000, 4,
            (3, 0, 0x10000, 0x3000), &[0x10000]),
        (&[(0x11000, 0xF000), (0x20000, 0x10000)], 0, 0x10000, 4, (2, 0, 0x11000, 0x1F000), &[0x10000, 0x20000]),
        (&[(0x11000, 0x1000), (0x30000, 0x10000)], 0, 0x10000, 4, (1, 0, 0x11000, 0x1000), &[0x10000]),
        (&[(0x10000, 0x1000), (0x10000, 0x1000)], 0, 0x1000, 4, (2, 0, 0x10000, 0x2000), &[0x10000, 0x10000]),
    ];
    let rig = Rig::new();
    for &(list, offset, page_size, max, (n, next_offset, iova, length), expected) in vectors {
        let mut mr = region(&rig, max);
        let mapped = mr.map_mr_sg(&sg(&rig, list), offset, page_size).unwrap();
        let found = (mapped.n, mapped.next_offset, mapped.iova, mapped.length);
        assert_eq!(found, (n, next_offset, iova, length), "{list:x?}");
        assert_eq!(mapped.is_whole(), n == list.len(), "{list:x?}");
        assert_eq!((pages(&mr), usize::from(mapped.npages)), (expected.to_vec(), expected.len()), "{list:x?}");
        mr.dereg().unwrap();
    }
}

/// List, offset, page size, and the error.
type Refused<'a> = (&'a [(u64, u64)], u64, u64, Invalid);

#[test]
fn f2_what_cannot_be_mapped_is_einval_and_changes_nothing() {
    let rig = Rig::new();
    let mut mr = region(&rig, 4);
    let before = mr.map_mr_sg(&sg(&rig, &[(0x5000, 0x1000)]), 0, 0x1000).unwrap();
    let whole: &[(u64, u64)] = &[(0x10000, 0x1000), (0x20000, 0x1000)];
    #[rustfmt::skip]
    let cases: &[Refused] = &[
        (whole, 0x1000, 0x1000, Invalid::SgOffset),
        (whole, u64::MAX, 0x1000, Invalid::SgOffset),
        (&[(0x10000, 0x1000), (0x20000, 0)], 0, 0x1000, Invalid::SgList),
        (&[(0x10000, 0)], 0, 0x1000, Invalid::SgList),
        (&[(0xFFFF_FFFF_FFFF_F000, 0x1001)], 0, 0x1000, Invalid::SgList),
        (&[(u64::MAX, u64::MAX)], 0, 0x1000, Invalid::SgList),
        (whole, 0, 0, Invalid::PageSize),
        (whole, 0, 0x1800, Invalid::PageSize),
        (whole, 0, 0x800, Invalid::PageSize),
        (whole, 0, 0x40_0000, Invalid::PageSize),
        (whole, 0, 1 << 63, Invalid::PageSize),
    ];
    for &(list, offset, page_size, ref expected) in cases {
        let error = mr.map_mr_sg(&sg(&rig, list), offset, page_size).unwrap_err();
        assert_eq!((error, error.errno()), (Error::Invalid(*expected), Errno::Einval), "{list:x?} {offset:#x}");
    }
    let list = sg(&rig, whole);
    assert_eq!(mr.map_mr_sg(list.from(2), 0, 0x1000), Err(Error::Invalid(Invalid::SgList)), "no element is left");
    assert_eq!((mr.mapped(), pages(&mr)), (Some(before), vec![0x5000]));
}

#[test]
fn f1_a_region_that_is_not_free_and_idle_cannot_be_mapped() {
    let rig = Rig::new();
    let mut mr = region(&rig, 4);
    let list = sg(&rig, &[(0x10000, 0x1000)]);
    mr.map_mr_sg(&list, 0, 0x1000).unwrap();
    let register = |mr: &Region| SendRequest::reg_mr(1, mr.reg_wr(mr.key(), Access::LOCAL_WRITE).unwrap());
    rig.qp.post_send(register(&mr)).unwrap();
    let busy = |mr: &mut Region| mr.map_mr_sg(&list, 0, 0x1000).unwrap_err();
    assert_eq!(busy(&mut mr), Error::Busy(Busy::RequestOutstanding));
    assert!(rig.next().is_success());
    assert_eq!(busy(&mut mr), Error::Busy(Busy::Registered), "bug 40: the registration must not change");
    rig.qp.post_send(rig.invalidation(2, &mr)).unwrap();
    assert_eq!(busy(&mut mr), Error::Busy(Busy::RequestOutstanding));
    assert!(rig.next().is_success());
    mr.map_mr_sg(&list, 0, 0x1000).unwrap();
    rig.mock.with(|state| state.held = true);
    rig.qp.post_send(register(&mr)).unwrap();
    rig.qp.to_err().unwrap();
    rig.mock.with(|state| state.held = false);
    rig.next();
    assert_eq!(busy(&mut mr), Error::Busy(Busy::Quarantined));
}

#[test]
fn f1_a_region_may_be_registered_again_without_a_new_mapping() {
    let rig = Rig::new();
    for pages in [2, 7] {
        let mut mr = region(&rig, 8);
        let mapped = mr.map_mr_sg(&sg(&rig, &[(0x10800, pages * 0x1000 - 0x800)]), 0, 0x1000).unwrap();
        let mut seen = Vec::new();
        for round in 0..3 {
            let key = mr.bump_key();
            let registration = mr.reg_wr(key, Access::LOCAL_WRITE | Access::REMOTE_READ).unwrap();
            rig.qp.post_send(SendRequest::reg_mr(round, registration)).unwrap();
            assert!(rig.next().is_success());
            rig.qp.post_send(rig.invalidation(round, &mr)).unwrap();
            assert!(rig.next().is_success());
            let mut slot = rig.mock.with(|state| {
                let slots = &state.qps[&rig.qp.index()].slots;
                slots[slots.len() - 2].clone()
            });
            slot[4..8].fill(0);
            seen.push(slot);
        }
        assert_eq!(mapped.npages, pages as u16);
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "bugs 10, 41: the same registration each time");
    }
    assert!(rig.mock.with(|state| state.stray_accesses.is_empty()));
}

#[test]
fn f3_the_address_may_be_replaced_by_a_congruent_one() {
    let rig = Rig::new();
    let mut mr = region(&rig, 4);
    assert_eq!(mr.set_iova(0), Err(Error::Invalid(Invalid::NotMapped)));
    assert_eq!(mr.reg_wr(mr.key(), Access::NONE).unwrap_err(), Error::Invalid(Invalid::NotMapped));
    mr.map_mr_sg(&sg(&rig, &[(0x10800, 0x1000)]), 0, 0x1000).unwrap();
    mr.set_iova(0x7000_0800).unwrap();
    let registration = mr.reg_wr(mr.key(), Access::NONE).unwrap();
    assert_eq!((registration.iova, registration.fbo, registration.length), (0x7000_0800, 0x800, 0x1000));
    rig.qp.post_send(SendRequest::reg_mr(1, registration)).unwrap();
    assert!(rig.next().is_success());
    mr.set_iova(0x7000_0801).unwrap();
    let error = mr.reg_wr(mr.key(), Access::NONE).unwrap_err();
    assert_eq!((error, error.errno()), (Error::Invalid(Invalid::Iova), Errno::Einval));
}

#[test]
fn f3_a_zero_based_registration_keeps_the_offset_of_its_first_byte() {
    let rig = Rig::new();
    let mut mr = region(&rig, 4);
    mr.map_mr_sg(&sg(&rig, &[(0x1_8800, 0x1000)]), 0, 0x1_0000).unwrap();
    let registration = mr.reg_wr(mr.key(), Access::LOCAL_WRITE | Access::ZERO_BASED).unwrap();
    assert_eq!((registration.iova, registration.fbo, registration.page_shift), (0, 0x8800, 16));
    rig.qp.post_send(SendRequest::reg_mr(1, registration)).unwrap();
    assert!(rig.next().is_success());
}

#[test]
fn f7_a_rest_goes_into_another_region() {
    let rig = Rig::new();
    let list = sg(&rig, &[(0x10000, 0x1000), (0x20000, 0x3000), (0x40000, 0x800)]);
    let (mut a, mut b, mut c) = (region(&rig, 2), region(&rig, 1), region(&rig, 8));
    let first = a.map_mr_sg(&list, 0, 0x1000).unwrap();
    assert_eq!((first.n, first.next_offset, first.is_whole()), (1, 0x1000, false));
    let second = b.map_mr_sg(list.from(first.n), first.next_offset, 0x1000).unwrap();
    assert_eq!((second.n, second.next_offset, second.iova), (0, 0x2000, 0x21000));
    let third = c.map_mr_sg(list.from(first.n + second.n), second.next_offset, 0x1000).unwrap();
    assert_eq!((third.iova, third.length, third.is_whole()), (0x22000, 0x1800, true));
    assert_eq!(first.length + second.length + third.length, list.bytes());
}

#[test]
fn f8_bug_5_bug_6_the_mapped_list_counts_not_the_pages_of_the_application() {
    let rig = Rig::new();
    // Four pages that the bus sees as one piece.
    let list = sg(&rig, &[(0x10000, 0x4000)]);
    let mut mr = region(&rig, 4);
    let mapped = mr.map_mr_sg(&list, 0, 0x1000).unwrap();
    assert_eq!((mapped.n, mapped.npages, mapped.is_whole()), (1, 4, true));
    assert_eq!(pages(&mr), [0x10000, 0x11000, 0x12000, 0x13000]);
}

#[test]
fn f9_bug_17_the_page_size_of_the_host_does_not_count() {
    let rig = Rig::new();
    let mut mr = region(&rig, 4);
    // Pages of 4 KiB on a host of 64 KiB: from the middle of one of its pages into the middle of another.
    let mapped = mr.map_mr_sg(&sg(&rig, &[(0x181800, 0x800), (0x173000, 0x1000)]), 0, 0x1000).unwrap();
    assert_eq!((mapped.iova, mapped.is_whole(), pages(&mr)), (0x181800, true, vec![0x181000, 0x173000]));
    // The virtual address 0x182010 is 0x810 bytes on: byte 0x10 of the second page.
    let at = 0x182010 - mapped.iova + (mapped.iova & 0xFFF);
    assert_eq!(pages(&mr)[(at >> 12) as usize] + (at & 0xFFF), 0x173010);
}

#[test]
fn f1_no_memory_for_the_list_changes_nothing() {
    let rig = Rig::new();
    let mut mr = region(&rig, 8);
    let before: Mapped = mr.map_mr_sg(&sg(&rig, &[(0x10000, 0x1000)]), 0, 0x1000).unwrap();
    rig.mock.with(|state| state.allocations_left = 0);
    let error = mr.map_mr_sg(&sg(&rig, &[(0x10000, 0x5000)]), 0, 0x1000).unwrap_err();
    assert_eq!((error.errno(), mr.mapped()), (Errno::Enomem, Some(before)));
}
