//! Vectors v1 to v26 of the specification, byte for byte, and their effects.
use super::bench::{Bench, ReadBeat};
use super::model::hex;

/// A TLP, bytes, of these hexadecimal words and this payload.
fn with_payload(header: &str, payload: impl Iterator<Item = u8>) -> Vec<u8> {
    hex(header).into_iter().chain(payload).collect()
}

fn data_of(beats: &[ReadBeat]) -> Vec<u8> {
    beats.iter().flat_map(|beat| beat.data.to_le_bytes()).collect()
}

#[test]
fn tlp_v1_v6_read_of_64_bytes_in_two_completions() {
    let mut bench = Bench::new(1);
    bench.read(5, 0x1234_5620, 8);
    bench.expect_sent("00000010 010000ff 12345620");
    bench.deliver(&with_payload("4a000008 00000040 01000020", 0..32), false);
    bench.deliver(&with_payload("4a000008 00000020 01000040", 32..64), false);
    bench.until(200, "R", |b| b.read_beats.len() == 8);
    assert_eq!(data_of(&bench.read_beats), (0..64).collect::<Vec<_>>());
    assert!(bench.read_beats.iter().enumerate().all(|(i, b)| b.response == 0 && b.id == 5 && b.last == (i == 7)));
    bench.read(5, 0x1234_5600, 8);
    bench.served = 1;
    bench.expect_sent("00000010 010000ff 12345600");
}

#[test]
fn tlp_v2_read_above_4_gib_with_tag_1() {
    let mut bench = Bench::new(2);
    bench.read(0, 0x1000, 1);
    bench.expect_sent("00000002 010000ff 00001000");
    bench.read(0, 0x1_0000_0FC0, 8);
    bench.expect_sent("20000010 010001ff 00000001 00000fc0");
}

#[test]
fn tlp_v3_unaligned_read_with_tag_2() {
    let mut bench = Bench::new(3);
    bench.read(0, 0x2000, 1);
    bench.read(0, 0x3000, 1);
    bench.expect_sent("00000002 010000ff 00002000");
    bench.expect_sent("00000002 010001ff 00003000");
    bench.read(9, 0x1005, 1);
    bench.expect_sent("00000001 0100020e 00001004");
    bench.deliver_hex("4a000001 00000003 01000205 04050607", false);
    bench.deliver_hex("4a000002 00000008 01000000 00000000 00000000", false);
    bench.deliver_hex("4a000002 00000008 01000100 00000000 00000000", false);
    bench.until(200, "R", |b| b.read_beats.len() == 3);
    let beat = bench.read_beats[2];
    assert_eq!((beat.id, beat.response, beat.last), (9, 0, true));
    assert_eq!(beat.data.to_le_bytes()[5..8], [5, 6, 7]);
}

#[test]
fn tlp_v4_rd1_a_burst_is_cut_at_multiples_of_mrrs() {
    let mut bench = Bench::new(4);
    bench.read(0, 0x21C0, 64);
    bench.expect_sent("00000010 010000ff 000021c0");
    bench.expect_sent("00000070 010001ff 00002200");
}

#[test]
fn tlp_v5_four_reads_below_4_gib() {
    let mut bench = Bench::new(5);
    bench.read(0, 0xFFFF_F800, 256);
    for (tag, address) in ["fffff800", "fffffa00", "fffffc00", "fffffe00"].into_iter().enumerate() {
        bench.expect_sent(&format!("00000080 0100{tag:02x}ff {address}"));
    }
}

#[test]
fn tlp_v7_rd4_completions_in_the_other_order() {
    let mut bench = Bench::new(7);
    bench.read(3, 0x6000, 1);
    bench.read(4, 0x7000, 1);
    bench.expect_sent("00000002 010000ff 00006000");
    bench.expect_sent("00000002 010001ff 00007000");
    bench.deliver_hex("4a000002 00000008 01000100 70717273 74757677", false);
    bench.run(60);
    assert!(bench.read_beats.is_empty(), "R keeps the order of AR");
    bench.deliver_hex("4a000002 00000008 01000000 60616263 64656667", false);
    bench.until(200, "R", |b| b.read_beats.len() == 2);
    assert_eq!((bench.read_beats[0].id, bench.read_beats[1].id), (3, 4));
    assert_eq!(data_of(&bench.read_beats), (0x60..0x68).chain(0x70..0x78).collect::<Vec<_>>());
}

#[test]
fn tlp_v8_rd6_completions_with_ur_and_ca() {
    for (completion, response) in [("0a000000 00002040 01000000", 3), ("0a000000 00008040 01000000", 2)] {
        let mut bench = Bench::new(8);
        bench.read(0, 0x9000, 8);
        bench.expect_sent("00000010 010000ff 00009000");
        bench.deliver_hex(completion, false);
        bench.until(200, "R", |b| b.read_beats.len() == 8);
        assert!(bench.read_beats.iter().all(|beat| beat.response == response && beat.data == 0));
    }
}

#[test]
fn tlp_v9_to_v13_writes_of_one_tlp() {
    let run = |from: u8, to: u8| (from..=to).collect::<Vec<_>>();
    for (address, data, tlp) in [
        (0x2000, run(0, 15), "40000004 010000ff 00002000 00010203 04050607 08090a0b 0c0d0e0f"),
        (0x3003, run(3, 15), "40000004 010000f8 00003000 00000003 04050607 08090a0b 0c0d0e0f"),
        (0x4001, run(1, 2), "40000001 01000006 00004000 00010200"),
        (0x5006, run(6, 9), "40000002 0100003c 00005004 00000607 08090000"),
        (0x10_0000_0FF8, run(0xF8, 0xFF), "60000002 010000ff 00000010 00000ff8 f8f9fafb fcfdfeff"),
    ] {
        let mut bench = Bench::new(9);
        bench.write(2, address, &data);
        bench.expect_sent(tlp);
        bench.until(20, "B", |b| b.answers == [(2, 0)]);
    }
}

#[test]
fn tlp_v14_wr3_four_tlps_and_one_b_after_the_fourth() {
    let mut bench = Bench::new(14);
    let data: Vec<u8> = (0..2048).map(|i| (i % 251) as u8).collect();
    bench.write(1, 0x1_0000_0000, &data);
    for (i, address) in ["00000000", "00000200", "00000400", "00000600"].into_iter().enumerate() {
        let header = format!("60000080 010000ff 00000001 {address}");
        bench.until(400, "TLP", |b| b.sent.len() > i);
        assert_eq!(bench.sent[i], with_payload(&header, data[512 * i..512 * (i + 1)].iter().copied()));
        // By then the fourth may be committed, but not sent.
        assert!(i >= 2 || bench.answers.is_empty());
    }
    bench.until(20, "B", |b| b.answers == [(1, 0)]);
    assert_eq!(bench.gaps, 0, "TL9: no bubble inside a TLP");
}

#[test]
fn tlp_v15_wr1_a_write_is_cut_at_multiples_of_mps() {
    let mut bench = Bench::new(15);
    let data: Vec<u8> = (0..512).map(|i| (i % 253) as u8).collect();
    bench.write(1, 0x21C0, &data);
    bench.until(800, "TLPs", |b| b.sent.len() == 2);
    assert_eq!(bench.sent[0], with_payload("40000010 010000ff 000021c0", data[..64].iter().copied()));
    assert_eq!(bench.sent[1], with_payload("40000070 010000ff 00002200", data[64..].iter().copied()));
    assert_eq!(bench.gaps, 0, "TL9: no bubble inside a TLP");
}

#[test]
fn tlp_v16_ir1_ir2_interrupt_of_vector_5() {
    let mut bench = Bench::new(16);
    bench.interrupts.push_back(5);
    bench.set_register(0x8050, 0xFEE0_0000);
    bench.set_register(0x8054, 0);
    bench.set_register(0x8058, 5);
    bench.until(400, "table", |b| b.deliveries_left() == 0);
    bench.run(100);
    assert!(bench.sent.is_empty(), "masked after reset");
    assert_eq!(bench.register(0xC000), 1 << 5, "pending bit");
    assert_eq!(bench.register(0x805C), 1, "mask");
    assert_eq!(bench.register(0x8050), 0xFEE0_0000);
    bench.served = bench.sent.len();
    bench.set_register(0x805C, 0);
    bench.expect_sent("40000001 0100000f fee00000 05000000");
    bench.run(100);
    assert_eq!(bench.sent.len(), bench.served, "sent once");
    assert_eq!(bench.register(0xC000), 0);
    bench.interrupts.push_back(5);
    bench.served = bench.sent.len();
    bench.expect_sent("40000001 0100000f fee00000 05000000");
}

#[test]
fn tlp_v17_v18_register_writes() {
    let mut bench = Bench::new(17);
    bench.deliver_hex("40000001 0000000f e0000100 efbeadde", true);
    bench.deliver_hex("40000001 0000000c e0000100 0000aabb", true);
    bench.until(100, "writes", |b| b.accesses.len() == 2);
    assert_eq!(bench.accesses[0], (0x100, Some((0xDEAD_BEEF, 15))));
    assert_eq!(bench.accesses[1], (0x100, Some((0xBBAA_0000, 12))));
}

#[test]
fn tlp_v19_to_v23_and_v26_register_reads() {
    let mut bench = Bench::new(19);
    bench.registers.extend([(0x4, 0x0001_0002), (0x8, 0x1122_3344), (0xC, 0x5566_7788), (0x80, 7)]);
    bench.responses.insert(0x7FFC, 3);
    for (request, answer) in [
        ("00000001 0000110f e0000004", "4a000001 01000004 00001104 02000100"),
        ("00000002 000012ff e0000008", "4a000002 01000008 00001208 44332211 88776655"),
        ("00000001 00001302 e0000004", "4a000001 01000001 00001305 02000100"),
        ("00000001 00001400 e0000000", "4a000001 01000001 00001400 00000000"),
        ("00000001 0000150f e000fffc", "0a000000 01002004 0000157c"),
        ("00000001 0000150f e0007ffc", "0a000000 01002004 0000157c"),
        ("20000001 0000180f 00000080 00000080", "4a000001 01000004 00001800 07000000"),
    ] {
        bench.deliver_hex(request, true);
        bench.expect_sent(answer);
    }
    assert_eq!(bench.accesses.len(), 6, "v22 accesses nothing, v23 not the core");
    bench.registers.insert(0x40, 7);
    bench.deliver_hex("20000001 0000180f 00000080 00000040", true);
    bench.expect_sent("4a000001 01000004 00001840 07000000");
}

#[test]
fn tlp_v24_ba2_read_of_32_dw() {
    let mut bench = Bench::new(24);
    bench.deliver_hex("00000020 000016ff e0000000", true);
    bench.expect_sent("0a000000 01008080 00001600");
}

#[test]
fn tlp_v25_tl7_io_read() {
    let mut bench = Bench::new(25);
    bench.deliver_hex("02000001 0000170f 00001000", false);
    bench.expect_sent("0a000000 01002004 00001700");
}
