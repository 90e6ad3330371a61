//! Section E.

use super::*;

/// The region of section E's vectors, in PD 1 as region A with key 0x511.
fn vector_region() -> Bench {
    let mut bench = Bench::new();
    let reg = Reg {
        iova: 0x7000_0800,
        length: 0x2000,
        fbo: 0x800,
        npages: 3,
        tail: [0xA000, 0x5000, 0x9000, 0],
        ..Reg::default()
    };
    bench.succeed(reg.slot());
    bench
}

#[test]
fn e1_e6_e8_e9_e10_vectors() {
    let bench = vector_region();
    let outside = Err(Syndrome::AccBounds);
    let vectors = [
        (0x7000_0800, 1, Ok(vec![(0xA800, 1)])),
        (0x7000_0FFF, 2, Ok(vec![(0xAFFF, 1), (0x5000, 1)])),
        (0x7000_1000, 0x1800, Ok(vec![(0x5000, 0x1000), (0x9000, 0x800)])),
        (0x7000_27FF, 1, Ok(vec![(0x97FF, 1)])),
        (0x7000_2800, 1, outside.clone()),
        (0x7000_2800, 0, Ok(vec![])),
        (0x7000_07FF, 1, outside.clone()),
        (0x7000_0800, 0x2001, outside.clone()),
        (0xFFFF_FFFF_FFFF_FFFF, 2, outside.clone()),
        (0x6FFF_FFFF, 0x8000_0000, outside),
    ];
    for (va, length, expected) in vectors {
        assert_eq!(bench.probe(0x511, va, length, 0), expected, "va {va:#x} length {length:#x}");
    }
}

#[test]
fn e1_length_0_looks_at_no_key() {
    assert_eq!(Bench::new().probe(0, 0, 0, 0xF), Ok(vec![]));
}

#[test]
fn e2_the_whole_key_counts() {
    let bench = vector_region();
    for key in [0, 0xFF, 0x510, 0x811, 0x2011, 0x0100_0511] {
        assert_eq!(bench.probe(key, 0x7000_0800, 1, 0), Err(Syndrome::AccKey), "key {key:#x}");
    }
}

#[test]
fn e3_the_pd_is_named_before_the_state() {
    assert_eq!(Bench::new().probe(0x710, 0, 1, 0), Err(Syndrome::AccPd));
}

#[test]
fn e4_a6_a_free_region_grants_nothing() {
    assert_eq!(Bench::new().probe(KEY_A, 0, 1, 0), Err(Syndrome::AccState));
}

#[test]
fn e5_every_needed_right_must_be_granted() {
    for granted in [0, 1, 3, 4, 5, 7] {
        let mut bench = Bench::new();
        bench.succeed(Reg { access: granted, ..Reg::default() }.slot());
        for needed in 0..16 {
            let expected = if needed & !granted == 0 { Ok(vec![(0xA000, 1)]) } else { Err(Syndrome::AccPerm) };
            assert_eq!(bench.probe(0x511, 0x10000, 1, needed), expected, "granted {granted} needed {needed}");
        }
    }
}

#[test]
fn e6_a_region_that_ends_at_2_pow_64() {
    let mut bench = Bench::new();
    bench.succeed(Reg { iova: !0 << 12, ..Reg::default() }.slot());
    assert_eq!(bench.probe(0x511, u64::MAX, 1, 0), Ok(vec![(0xAFFF, 1)]));
    assert_eq!(bench.probe(0x511, u64::MAX, 2, 0), Err(Syndrome::AccBounds));
    assert_eq!(bench.probe(0x511, 0, 1, 0), Err(Syndrome::AccBounds));
}

#[test]
fn e9_pieces_of_large_pages_stop_at_4_kib() {
    let mut bench = Bench::new();
    bench.succeed(Reg { shift: 16, length: 0x10000, tail: [0xA_0000, 0, 0, 0], ..Reg::default() }.slot());
    let pieces = vec![(0xA_0FFF, 1), (0xA_1000, 0x1000), (0xA_2000, 1)];
    assert_eq!(bench.probe(0x511, 0x10FFF, 0x1002, 0), Ok(pieces));
}

#[test]
fn e11_a26_local_dma_lkey_of_a_privileged_queue_pair() {
    let mut bench = Bench::new();
    assert_eq!(bench.probe(0xFF, 0x1000, 1, 0), Err(Syndrome::AccKey), "unprivileged");
    bench.nic.queue_pairs[1].as_mut().unwrap().privileged = true;
    let last = (1 << 52) - 1;
    assert_eq!(bench.probe(0xFF, 0x1FFF, 2, 0xF), Ok(vec![(0x1FFF, 1), (0x2000, 1)]));
    assert_eq!(bench.probe(0xFF, last, 1, 0), Ok(vec![(last, 1)]));
    assert_eq!(bench.probe(0xFF, last, 2, 0), Err(Syndrome::AccBounds));
    assert_eq!(bench.probe(0xFF, u64::MAX, 1, 0), Err(Syndrome::AccBounds));
    assert_eq!(bench.probe(0xFE, 0x1000, 1, 0), Err(Syndrome::AccKey));
    let qp = bench.nic.queue_pair(QP1).unwrap();
    assert_eq!(bench.nic.probe(qp, 0xFF, 0x1000, 1, 0, true), Err(Syndrome::AccKey), "as an rkey");
}

#[test]
fn e12_zero_based() {
    let mut bench = Bench::new();
    let reg = Reg { access: 0x27, iova: 0, fbo: 0x10, length: 0x1000, npages: 2, ..Reg::default() };
    bench.succeed(Reg { tail: [0xA000, 0x5000, 0, 0], ..reg }.slot());
    assert_eq!(bench.probe(0x511, 0, 0x1000, 0), Ok(vec![(0xA010, 0xFF0), (0x5000, 0x10)]));
    assert_eq!(bench.probe(0x511, 0xFFF, 1, 0), Ok(vec![(0x500F, 1)]));
    assert_eq!(bench.probe(0x511, 0x1000, 1, 0), Err(Syndrome::AccBounds));
}
