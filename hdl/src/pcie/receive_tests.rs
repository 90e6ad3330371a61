//! What the bridge must refuse from below: malformed, unsupported, poisoned and too long TLPs (TL2, TL6, TL7, TL8, BA2, BA3).
use super::bench::Bench;
use super::model::hex;
use rnic_abi::link::bridge::*;

/// A good write and its effect prove that the bridge still lives.
fn lives(bench: &mut Bench) {
    let count = bench.accesses.len();
    bench.deliver_hex("40000001 0000000f e0000200 78563412", true);
    bench.until(200, "a good write", |b| b.accesses.len() > count);
    assert_eq!(bench.accesses[count..], [(0x200, Some((0x1234_5678, 15)))], "only the good write is seen");
}

#[test]
fn tl6_malformed_tlps_leave_no_trace_but_a_count() {
    let cases = [
        ("payload shorter than length", "40000003 000000ff e0000000 11111111 22222222"),
        ("payload longer than length", "40000001 0000000f e0000000 11111111 22222222"),
        ("payload much longer", "40000001 0000000f e0000000 1 1111111 22222222 33333333 44444444 55555555 66666666"),
        ("no payload", "40000001 0000000f e0000000"),
        ("half a header", "40000001 0000000f"),
        ("one DW", "40000001"),
        ("payload of a read", "00000001 0000000f e0000000 11111111"),
        ("length 0 is 1024", "40000000 000000ff e0000000 11111111"),
        ("prefix", "80000001 0000000f e0000000 11111111"),
        ("TL3 last BE of one DW", "40000001 000000ff e0000000 11111111"),
        ("TL3 no last BE", "40000002 0000000f e0000000 11111111 22222222"),
        ("TL3 no first BE", "40000002 000000f0 e0000000 11111111 22222222"),
        ("TL3 hole in first BE", "40000003 000000fb e0000000 11111111 22222222 33333333"),
        ("TL3 hole in last BE", "40000003 000000df e0000000 11111111 22222222 33333333"),
        ("TL4 write across 4 KiB", "40000002 000000ff e0000ffc 11111111 22222222"),
        ("TL4 read across 4 KiB", "00000002 000000ff e0000ffc"),
        ("TL4 read above MRRS", "00000081 000000ff e0000000"),
        ("completion with a 4-DW header", "6a000001 00000004 01000000 11111111 22222222"),
        ("digest is missing", "40008001 0000000f e0000000 11111111"),
    ];
    let mut bench = Bench::new(60);
    for (count, (what, text)) in (1..).zip(cases) {
        bench.deliver_hex(&text.replace("1 1111111", "11111111"), true);
        lives(&mut bench);
        assert_eq!(bench.counter(TLP_MALFORMED), count, "{what}");
        bench.accesses.clear();
    }
    assert!(bench.sent.iter().all(|tlp| tlp[9] == 0 || tlp[10] == 0x99), "no answers but those to the counter's reads");
    assert_eq!(bench.sent.len(), cases.len(), "no answer to any of them");
}

#[test]
fn tl6_tlast_early_and_damaged_beats() {
    let mut bench = Bench::new(61);
    // A half beat before the end, and a TLP that the lower side gives up.
    let beat = |text: &str, keep, last, user| (u64::from_le_bytes(hex(text).try_into().unwrap()), keep, last, user);
    let first = beat("40000002 000000ff", 0xFF, false, false);
    let half = [first, beat("e0000000 11111111", 0x0F, false, false), beat("22222222 33333333", 0xFF, true, false)];
    let given_up = [first, beat("e0000000 11111111", 0xFF, false, false), beat("22222222 33333333", 0x0F, true, true)];
    for (count, beats) in (1..).zip([half, given_up]) {
        bench.deliver_beats(beats.into(), true);
        lives(&mut bench);
        assert_eq!(bench.counter(TLP_MALFORMED), count);
        bench.accesses.clear();
    }
}

#[test]
fn tl6_payload_above_mps_is_malformed() {
    let mut bench = Bench::new(62);
    let mut tlp = hex("40000081 000000ff e0000000");
    tlp.extend([0; 0x81 * 4]);
    bench.deliver(&tlp, true);
    lives(&mut bench);
    assert_eq!(bench.counter(TLP_MALFORMED), 1);
}

#[test]
fn tl2_a_4_dw_header_with_upper_half_0_is_accepted() {
    let mut bench = Bench::new(63);
    bench.deliver_hex("60000003 000000ff 00000000 e0000104 11111111 22222222 33333333", true);
    bench.until(200, "writes", |b| b.accesses.len() == 3);
    assert_eq!(bench.accesses[0], (0x104, Some((0x1111_1111, 15))));
    assert_eq!(bench.accesses[2], (0x10C, Some((0x3333_3333, 15))));
}

#[test]
fn tl7_requests_that_are_not_served_are_answered_with_ur() {
    let mut bench = Bench::new(64);
    for (request, answer) in [
        ("01000002 000017ff 00001000", "0a000000 01002008 00001700"),
        ("21000002 000017fe 00000001 00001000", "0a000000 01002007 00001701"),
        ("42000001 0000170f 00001000 11111111", "0a000000 01002004 00001700"),
        ("04000001 0000170f 00001004", "0a000000 01002004 00001700"),
        ("44000001 0000170f 00001004 11111111", "0a000000 01002004 00001700"),
        ("4c000001 0000170f 00001000 11111111", "0a000000 01002004 00001700"),
        ("00000001 0000170c 00001004", "0a000000 01002002 00001706"),
    ] {
        bench.deliver_hex(request, false);
        bench.expect_sent(answer);
    }
    assert!(bench.accesses.is_empty());
}

#[test]
fn tl7_posted_tlps_that_are_not_served_vanish() {
    let mut bench = Bench::new(65);
    bench.deliver_hex("40000001 0000000f 00001000 11111111", false);
    bench.deliver_hex("34000000 00000020 00000000 00000000", false);
    bench.deliver_hex("74000001 00000020 00000000 00000000 11111111", false);
    lives(&mut bench);
    assert_eq!((bench.counter(TLP_UNSUPPORTED), bench.counter(TLP_MALFORMED)), (1, 0));
    assert_eq!(bench.sent.len(), 2, "the answers to the counters' reads");
}

#[test]
fn tl8_a_digest_is_removed_and_poison_drops_a_write() {
    let mut bench = Bench::new(66);
    bench.deliver_hex("40008002 000000ff e0000100 11111111 22222222 dddddddd", true);
    bench.deliver_hex("60008001 0000000f 00000001 e0000108 33333333 dddddddd", true);
    bench.until(200, "writes", |b| b.accesses.len() == 3);
    assert_eq!(bench.accesses[2], (0x108, Some((0x3333_3333, 15))));
    bench.accesses.clear();
    bench.registers.insert(4, 5);
    bench.deliver_hex("00008001 0000110f e0000004 dddddddd", true);
    bench.expect_sent("4a000001 01000004 00001104 05000000");
    bench.accesses.clear();
    bench.deliver_hex("40004001 0000000f e0000100 11111111", true);
    lives(&mut bench);
    assert_eq!((bench.counter(TLP_POISONED), bench.counter(TLP_MALFORMED)), (1, 0));
}

#[test]
fn tl8_a_poisoned_completion_ends_its_read_with_slverr() {
    let mut bench = Bench::new(67);
    bench.read(0, 0x1000, 1);
    bench.until(100, "request", |b| b.sent.len() == 1);
    bench.deliver_hex("4a004002 00000008 01000000 11111111 22222222", false);
    bench.until(100, "R", |b| b.read_beats.len() == 1);
    assert_eq!((bench.read_beats[0].response, bench.read_beats[0].data), (2, 0));
}

#[test]
fn ba1_16_dw_and_byte_enables() {
    let mut bench = Bench::new(68);
    let mut tlp = hex("40000010 0000001c e0000100");
    tlp.extend(0..64);
    bench.deliver(&tlp, true);
    bench.until(800, "writes", |b| b.accesses.len() == 16);
    for (i, access) in bench.accesses.iter().enumerate() {
        let first = 4 * i as u32;
        let value = first | (first + 1) << 8 | (first + 2) << 16 | (first + 3) << 24;
        let strobes = [12, 1, 15][if i == 0 { 0 } else { 1 + usize::from(i != 15) }];
        assert_eq!(*access, (0x100 + 4 * i as u16, Some((value, strobes))));
    }
    bench.accesses.clear();
    bench.deliver_hex("00000010 000077ff e0000100", true);
    bench.until(1200, "answer", |b| b.sent.len() == 1);
    let mut wanted = hex("4a000010 01000040 00007700");
    // The first write had no lower half, the last only its lowest byte.
    wanted.extend((0..64).map(|i| if i < 2 || i > 60 { 0 } else { i }));
    assert_eq!(bench.sent[0], wanted);
    // DWs without byte enables are not written.
    bench.accesses.clear();
    bench.deliver_hex("40000001 00000000 e0000100 11111111", true);
    lives(&mut bench);
}

#[test]
fn ba2_a_write_of_17_dw_never_reaches_the_bus() {
    let mut bench = Bench::new(69);
    let mut tlp = hex("40000011 000000ff e0000000");
    tlp.extend([0; 68]);
    bench.deliver(&tlp, true);
    lives(&mut bench);
    assert_eq!((bench.counter(BAR_TOO_LONG), bench.counter(TLP_MALFORMED)), (1, 0));
}

#[test]
fn ba3_slverr_is_ca_and_errors_of_writes_are_counted() {
    let mut bench = Bench::new(70);
    bench.responses.extend([(0x10, 2), (0x18, 3)]);
    for (request, answer) in [
        ("00000003 000021ff e0000008", "0a000000 0100800c 00002108"),
        ("00000003 000022ff e0000014", "0a000000 0100200c 00002214"),
        ("00000001 0000230f e0000008", "4a000001 01000004 00002308 00000000"),
    ] {
        bench.deliver_hex(request, true);
        bench.expect_sent(answer);
    }
    bench.accesses.clear();
    bench.deliver_hex("40000001 0000000f e0000010 11111111", true);
    bench.until(100, "write", |b| b.accesses.len() == 1);
    assert_eq!(bench.counter(BAR_WRITE_ERROR), 1);
}

#[test]
fn ba5_the_upper_half_is_the_bridges() {
    let mut bench = Bench::new(71);
    for (request, answer) in [
        ("00000001 0000110f e0008200", "0a000000 01002004 00001100"),
        ("00000001 0000110f e000c008", "0a000000 01002004 00001108"),
        ("00000001 0000110f e000e024", "0a000000 01002004 00001124"),
        ("00000001 0000110f e000c004", "4a000001 01000004 00001104 00000000"),
        ("00000001 0000110f e000e000", "4a000001 01000004 00001100 06000000"),
        ("00000001 0000110f e00081fc", "4a000001 01000004 0000117c 01000000"),
    ] {
        bench.deliver_hex(request, true);
        bench.expect_sent(answer);
    }
    assert!(bench.accesses.is_empty(), "the core sees none of it");
    // Partial writes of the table, and writes of read-only words, are refused.
    bench.deliver_hex("40000001 00000003 e0008000 11111111", true);
    bench.deliver_hex("40000001 0000000f e000e004 11111111", true);
    assert_eq!(bench.counter(BAR_WRITE_ERROR), 2);
}
