//! DMA when things go wrong, and the order of what leaves (RD3 to RD8, WR1 to WR4, TO1 to TO4, BA4, IR1).
use super::bench::{Bench, Burst, TIMEOUT};
use super::model::{hex, Tlp};
use rnic_abi::link::bridge::*;

fn completion(header: &str, bytes: usize) -> Vec<u8> {
    hex(header).into_iter().chain((0..bytes).map(|i| i as u8 + 1)).collect()
}

/// One read of 64 bytes at 0 with tag 0.
fn with_read(seed: u64) -> Bench {
    let mut bench = Bench::new(seed);
    bench.read(0, 0x1000, 8);
    bench.until(100, "request", |b| b.sent.len() == 1);
    bench
}

#[test]
fn rd3_completions_that_nobody_asked_for_are_counted() {
    let mut bench = with_read(80);
    for text in [
        "4a000010 00000040 01000100",
        "4a000010 00000040 01000800",
        "4a000010 00000040 0100ff00",
        "4a000010 00000040 02000000",
        "4b000010 00000040 01000000",
    ] {
        bench.deliver(&completion(text, 64), false);
    }
    bench.run(200);
    assert!(bench.read_beats.is_empty());
    bench.deliver(&completion("4a000010 00000040 01000000", 64), false);
    bench.until(100, "R", |b| b.read_beats.len() == 8);
    assert!(bench.read_beats.iter().all(|beat| beat.response == 0));
    // A duplicate.
    bench.deliver(&completion("4a000010 00000040 01000000", 64), false);
    assert_eq!(bench.counter(CPL_UNEXPECTED), 6);
}

#[test]
fn rd3_rd6_wrong_fields_fail_the_read() {
    for (what, text, bytes) in [
        ("byte count below", "4a000008 0000003c 01000000", 32),
        ("byte count above", "4a000008 00000044 01000000", 32),
        ("lower address", "4a000008 00000040 01000004", 32),
        ("more than is missing", "4a000011 00000040 01000000", 68),
        ("success without data", "0a000000 00000040 01000000", 0),
    ] {
        let mut bench = with_read(81);
        bench.deliver(&completion(text, bytes), false);
        bench.until(100, what, |b| b.read_beats.len() == 8);
        assert!(bench.read_beats.iter().all(|beat| beat.response == 2 && beat.data == 0), "{what}");
    }
}

#[test]
fn rd3_the_second_completion_of_a_read_is_checked_as_the_first() {
    let mut bench = with_read(82);
    bench.deliver(&completion("4a000008 00000040 01000000", 32), false);
    bench.deliver(&completion("4a000008 00000020 01000000", 32), false);
    bench.until(100, "R", |b| b.read_beats.len() == 8);
    assert!(bench.read_beats.iter().all(|beat| beat.response == 2), "lower address must go on at 20");
}

#[test]
fn tl6_a_malformed_completion_changes_nothing() {
    let mut bench = with_read(83);
    bench.deliver(&completion("4a000010 00000040 01000000", 60), false);
    bench.run(100);
    assert!(bench.read_beats.is_empty());
    bench.deliver(&completion("4a000010 00000040 01000000", 64), false);
    bench.until(100, "R", |b| b.read_beats.len() == 8);
    let bytes: Vec<u8> = bench.read_beats.iter().flat_map(|beat| beat.data.to_le_bytes()).collect();
    assert_eq!(bytes, (1..=64).collect::<Vec<_>>());
}

#[test]
fn rd5_beats_of_the_good_slots_of_a_burst_stay_okay() {
    let mut bench = Bench::new(84);
    bench.read(7, 0x21C0, 64);
    bench.until(200, "requests", |b| b.sent.len() == 2);
    bench.deliver(&completion("4a000010 00000040 01000040", 64), false);
    bench.deliver_hex("0a000000 000081c0 01000100", false);
    bench.until(300, "R", |b| b.read_beats.len() == 64);
    for (i, beat) in bench.read_beats.iter().enumerate() {
        assert_eq!((beat.response, beat.last, beat.id), (if i < 8 { 0 } else { 2 }, i == 63, 7));
    }
}

#[test]
fn rd7_read_ends_after_timeout_and_its_tag_is_retired() {
    let mut bench = with_read(85);
    let start = bench.cycle;
    bench.until(TIMEOUT * 2, "timeout", |b| b.read_beats.len() == 8);
    let took = bench.cycle - start;
    assert!((TIMEOUT..TIMEOUT * 17 / 16 + 60).contains(&took), "{took} cycles");
    assert!(bench.read_beats.iter().all(|beat| beat.response == 2 && beat.data == 0));
    assert_eq!(bench.counter(CPL_TIMEOUT), 1);
    // The tag is not used again before its completion has come.
    bench.served = bench.sent.len();
    bench.read(0, 0x2000, 1);
    bench.expect_sent("00000002 010001ff 00002000");
    bench.deliver(&completion("4a000008 00000040 01000000", 32), false);
    bench.run(40);
    bench.read(0, 0x3000, 1);
    bench.expect_sent("00000002 010002ff 00003000");
    bench.deliver(&completion("4a000008 00000020 01000020", 32), false);
    bench.run(40);
    bench.read(0, 0x4000, 1);
    bench.expect_sent("00000002 010000ff 00004000");
    assert_eq!(bench.counter(CPL_UNEXPECTED), 0, "late is not unexpected");
}

#[test]
fn rd7_with_all_tags_retired_reads_fail_at_once() {
    let mut bench = Bench::new(86);
    for i in 0..8 {
        bench.read(i, 0x1000 * i, 1);
    }
    bench.until(TIMEOUT * 2, "timeouts", |b| b.read_beats.len() == 8);
    assert!(bench.uut.fatal.val());
    assert_eq!(bench.register(STATUS) & 1 << STATUS_FATAL, 1);
    bench.read(3, 0x9000, 256);
    bench.until(256 + 40, "refusal", |b| b.read_beats.len() == 8 + 256);
    assert!(bench.read_beats[8..].iter().all(|beat| beat.response == 2 && beat.id == 3));
    assert_eq!(bench.read_beats.iter().filter(|beat| beat.last).count(), 9);
    // A late completion brings its tag back.
    bench.deliver(&completion("4a000002 00000008 01000500", 8), false);
    bench.run(40);
    bench.served = bench.sent.len();
    bench.read(0, 0x9000, 1);
    bench.expect_sent("00000002 010005ff 00009000");
}

#[test]
fn rd8_without_bus_master_or_link_reads_fail() {
    for link in [false, true] {
        let mut bench = with_read(87);
        if link {
            bench.uut.link_up.next = false;
        } else {
            bench.uut.bus_master_enable.next = false;
        }
        bench.until(32, "pending read", |b| b.read_beats.len() == 8);
        let sent = bench.sent.len();
        bench.read(1, 0x2000, 1);
        bench.until(32, "new read", |b| b.read_beats.len() == 9);
        assert!(bench.read_beats.iter().all(|beat| beat.response == 2));
        bench.write(2, 0x3000, &[1; 64]);
        bench.until(100, "WR4", |b| b.answers == [(2, 2)]);
        assert_eq!(bench.sent.len(), sent, "nothing is sent");
    }
}

#[test]
fn wr1_empty_beats_are_trimmed_and_a_burst_without_bytes_sends_nothing() {
    let mut bench = Bench::new(90);
    let beats = [(0, 0), (0, 0), (0x1111_1111_2222_2222, 0xF0), (0x3333_3333_4444_4444, 0x01), (0, 0)];
    bench.writes.push_back(Burst { id: 1, address: 0x1000, beats: beats.to_vec() });
    bench.writes.push_back(Burst { id: 2, address: 0x2000, beats: vec![(5, 0); 4] });
    bench.expect_sent("40000002 0100001f 00001014 11111111 44000000");
    bench.until(100, "B", |b| b.answers == [(1, 0), (2, 0)]);
    bench.run(50);
    assert_eq!(bench.sent.len(), 1);
}

#[test]
fn wr2_a_burst_with_a_hole_fails() {
    for beats in [
        vec![(1, 0xFF), (2, 0x7F), (3, 0xFF)],
        vec![(1, 0xFF), (2, 0xFE), (3, 0xFF)],
        vec![(1, 0x5F)],
        vec![(1, 0xFF), (2, 0), (3, 0xFF)],
    ] {
        let mut bench = Bench::new(91);
        bench.writes.push_back(Burst { id: 1, address: 0x1000, beats });
        bench.until(100, "B", |b| b.answers == [(1, 2)]);
        assert_eq!(bench.counter(WRITE_HOLE), 1);
        assert_eq!(bench.sent.len(), 1, "only the counter's answer");
        bench.write(2, 0x2000, &[9; 4]);
        bench.served = 1;
        bench.expect_sent("40000001 0100000f 00002000 09090909");
    }
}

#[test]
fn wr3_b_comes_with_commitment_and_not_before() {
    let mut bench = Bench::new(92);
    bench.pace[0] = 0;
    // The host takes nothing: bursts are committed until queues are full, and those that are not get no B.
    for i in 0..40 {
        bench.write(i % 16, 0x1000 + 64 * i, &[i as u8; 64]);
    }
    bench.run(1500);
    let committed = bench.answers.len();
    assert!((1..40).contains(&committed), "{committed} bursts answered");
    bench.uut.bus_master_enable.next = false;
    bench.until(1500, "WR4", |b| b.answers.len() == 40);
    bench.pace[0] = 8;
    bench.run(1000);
    // WR4: what had no B then is not sent, what had one is.
    assert_eq!(bench.sent.len(), committed);
    assert!(bench.answers.iter().enumerate().all(|(i, answer)| answer.1 == if i < committed { 0 } else { 2 }));
}

#[test]
fn to1_an_interrupt_and_a_register_read_stay_behind_the_data() {
    let mut bench = Bench::new(93);
    bench.set_register(0x8000, 0xFEE0_0000);
    bench.set_register(0x8004, 0);
    bench.set_register(0x8008, 7);
    bench.set_register(0x800C, 0);
    bench.until(400, "table", |b| b.deliveries_left() == 0);
    bench.run(100);
    bench.pace[0] = 0;
    bench.write(0, 0x1000, &[1; 512]);
    bench.write(0, 0x2000, &[2; 32]);
    bench.until(400, "B", |b| b.answers.len() == 2);
    bench.interrupts.push_back(0);
    bench.deliver_hex("00000001 0000110f e0000004", true);
    bench.run(200);
    bench.pace[0] = 8;
    bench.until(400, "all", |b| b.sent.len() == 4);
    assert_eq!(bench.sent[0][8..12], hex("00001000")[..]);
    assert_eq!(bench.sent[1][8..12], hex("00002000")[..]);
    let mut rest: Vec<u8> = bench.sent[2..].iter().map(|tlp| tlp[0]).collect();
    rest.sort();
    assert_eq!(rest, [0x40, 0x4A]);
}

#[test]
fn to2_a_read_never_passes_a_write_that_was_committed_before() {
    for seed in 94..104 {
        let mut bench = Bench::new(seed);
        bench.pace[0] = (seed % 4) as u32;
        for i in 0..3 {
            bench.write(0, 0x1000 * (i + 1), &[7; 128]);
        }
        bench.until(600, "B", |b| b.answers.len() == 3);
        bench.read(0, 0x1000, 16);
        bench.run(60);
        bench.pace[0] = 8;
        bench.until(600, "all", |b| b.sent.len() == 4);
        assert_eq!(bench.sent.iter().map(|tlp| tlp[0]).collect::<Vec<_>>(), [0x40, 0x40, 0x40, 0]);
    }
}

#[test]
fn to3_posted_tlps_pass_a_read_without_credit() {
    let mut bench = Bench::new(105);
    bench.uut.nonposted_ok.next = false;
    bench.read(0, 0x1000, 16);
    bench.run(60);
    for i in 0..20 {
        bench.write(0, 0x1000 * (i + 1), &[7; 128]);
    }
    bench.registers.insert(4, 1);
    bench.until(2000, "writes", |b| b.sent.len() == 20);
    bench.deliver_hex("00000001 0000110f e0000004", true);
    bench.until(200, "answer", |b| b.sent.len() == 21);
    bench.uut.nonposted_ok.next = true;
    bench.until(100, "read", |b| b.sent.len() == 22);
    assert_eq!(bench.sent[21][0], 0);
}

#[test]
fn to4_writes_and_completions_pass_requests_that_cannot_be_answered() {
    let mut bench = Bench::new(106);
    bench.read(0, 0x1000, 1);
    bench.until(100, "request", |b| b.sent.len() == 1);
    // The host takes nothing more, and asks until the bridge says that it has no room.
    bench.pace[0] = 0;
    let mut asked = 0u8;
    for _ in 0..4000 {
        if bench.deliveries_left() == 0 && bench.uut.nonposted_room.val() {
            let read = Tlp::Read { address: 4, length: 1, first: 15, last: 0, requester: 0, tag: asked };
            bench.deliver(&read.pack(), true);
            asked += 1;
        }
        bench.step();
    }
    assert!(!bench.uut.nonposted_room.val() && bench.deliveries_left() == 0, "{asked} asked");
    bench.accesses.clear();
    for i in 0..30 {
        bench.set_register(0x100 + 4 * i, i.into());
    }
    bench.deliver_hex("4a000002 00000008 01000000 60616263 64656667", false);
    bench.until(3000, "writes and R", |b| b.accesses.len() == 30 && b.read_beats.len() == 1);
    bench.pace[0] = 8;
    bench.until(4000, "answers", |b| b.sent.len() == 1 + asked as usize);
    for (tag, tlp) in bench.sent[1..].iter().enumerate() {
        assert_eq!(tlp[10] as usize, tag, "each request is answered once, in order");
    }
}

#[test]
fn ba4_registers_work_while_the_core_takes_no_data() {
    let mut bench = Bench::new(107);
    bench.take_reads = false;
    for i in 0..8 {
        bench.read(i, 0x1000 * i, 1);
    }
    bench.until(400, "requests", |b| b.sent.len() == 8);
    for tag in 0..8 {
        bench.deliver(&completion(&format!("4a000002 00000008 01000{tag}00"), 8), false);
    }
    bench.registers.insert(4, 1);
    bench.served = 8;
    bench.deliver_hex("00000001 0000110f e0000004", true);
    bench.expect_sent("4a000001 01000004 00001104 01000000");
    bench.take_reads = true;
    bench.until(100, "R", |b| b.read_beats.len() == 8);
}
