//! Tests of the frame builder against a model that builds frames byte by byte.
use super::super::model::{golden_own, golden_path, hex, Own};
use super::bench::{piece, Bench, Job, Pace, FAST};
use super::*;
use crate::check::RandomDrive;
use rnic_abi::bth;

fn tx(opcode: u8, psn: u64) -> TxFrame {
    let mut frame = TxFrame::default();
    frame.opcode = bits(opcode.into());
    frame.psn = bits(psn);
    frame.ack_request = true;
    frame.va = bits(0x7000);
    frame.rkey = bits(0x1A2B);
    frame.tag = bits(psn << 8 | u64::from(opcode));
    frame
}

/// Text from the IP header to the ICRC, with what makes it.
fn golden_v4() -> Vec<(&'static str, Job)> {
    let plain = |frame| Job::new(frame, vec![], vec![]);
    let answer = |opcode, psn, syndrome, msn| {
        let mut frame = tx(opcode, psn);
        frame.ack_request = false;
        frame.syndrome = bits(syndrome);
        frame.msn = bits(msn);
        frame
    };
    let mut atomic_answer = answer(bth::ATOMIC_ACKNOWLEDGE, 0x20, 0x1F, 5);
    atomic_answer.swap = bits(0x1122_3344_5566_7788);
    let mut add = tx(bth::FETCH_ADD, 0x21);
    add.swap = bits(5);
    let mut write_imm = tx(bth::WRITE_ONLY_IMM, 0x22);
    write_imm.length = bits(1);
    write_imm.immediate = bits(0xDEAD_BEEFu64.swap_bytes() >> 32);
    let mut write = tx(bth::WRITE_ONLY, 0x123456);
    write.va = bits(0x1234_5FF0);
    write.length = bits(16);
    let mut invalidate = tx(bth::SEND_ONLY_INV, 0x123457);
    invalidate.immediate = bits(0x1A2B);
    let payload: Vec<u8> = (0..16).collect();
    vec![
        (
            "4500002c00004000401126bf0a0000010a000002 c00012b700180000 0400ffff0000001180000001 275a1d7e",
            plain(tx(bth::SEND_ONLY, 1)),
        ),
        (
            "4500003c00004000401126af0a0000010a000002 c00012b700280000 0c00ffff0000001180000010
             000000000000700000001a2b00000000 b9e14168",
            plain(tx(bth::READ_REQUEST, 0x10)),
        ),
        (
            "4500003800004000401126b30a0000010a000002 c00012b700240000 1200ffff0000001100000020
             1f0000051122334455667788 e5122cd3",
            plain(atomic_answer),
        ),
        (
            "4500004800004000401126a30a0000010a000002 c00012b700340000 1400ffff0000001180000021
             000000000000700000001a2b00000000000000050000000000000000 224d6eb2",
            plain(add),
        ),
        (
            "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100ffffff 60000007 183ff756",
            plain(answer(bth::ACKNOWLEDGE, 0xFF_FFFF, 0x60, 7)),
        ),
        (
            "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100000030 2c000007 6b46829a",
            plain(answer(bth::ACKNOWLEDGE, 0x30, 0x2C, 7)),
        ),
        (
            "4500004400004000401126a70a0000010a000002 c00012b700300000 0b30ffff0000001180000022
             000000000000700000001a2b00000001 deadbeef aa000000 58069cc9",
            Job::new(write_imm, vec![0xAA], vec![(3, 1)]),
        ),
        (
            "4500004c000040004011269f0a0000010a000002 c00012b700380000 0a00ffff0000001180123456
             0000000012345ff000001a2b00000010 000102030405060708090a0b0c0d0e0f d3810d0d",
            Job::new(write, payload.clone(), vec![(0, 8), (0, 8)]),
        ),
        (
            "45000040000040004011 26ab 0a0000010a000002 c00012b7002c0000 1700ffff0000001180123457
             00001a2b 000102030405060708090a0b0c0d0e0f ddb35366",
            Job::new(invalidate, payload, vec![(0, 8), (0, 8)]),
        ),
        (
            "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100123456 1f000001 a0fea7e8",
            plain(answer(bth::ACKNOWLEDGE, 0x123456, 0x1F, 1)),
        ),
        (
            "4500003000004000401126bb0a0000010a000002 c00012b7001c0000 1100ffff0000001100123456 62000001 e186f271",
            plain(answer(bth::ACKNOWLEDGE, 0x123456, 0x62, 1)),
        ),
    ]
}

fn golden<const DATA: usize, const STRB: usize, const A: usize>() {
    let (texts, jobs): (Vec<_>, Vec<_>) = golden_v4().into_iter().unzip();
    let mut bench = Bench::<DATA, STRB, A>::new(golden_own(), vec![golden_path(false)]);
    for (got, text) in bench.run(&jobs, FAST).iter().zip(texts) {
        let mut wanted = [hex("020000000002 020000000001 0800"), hex(text)].concat();
        wanted.resize(wanted.len().max(60), 0);
        assert_eq!(*got, wanted, "{text}");
    }
    // IPv6: the two vectors that have one.
    let (texts, jobs): (Vec<_>, Vec<_>) = golden_v4().into_iter().skip(7).take(2).unzip();
    let mut bench = Bench::<DATA, STRB, A>::new(golden_own(), vec![golden_path(true)]);
    for ((got, text), (length, icrc)) in
        bench.run(&jobs, FAST).iter().zip(texts).zip([("0038", "74ccacd8"), ("002c", "d4d1e08a")])
    {
        let datagram =
            format!("60000000 {length} 1140 fd000000000000000000000000000001 fd000000000000000000000000000002");
        let rest = hex(text);
        let wanted =
            [hex("020000000002 020000000001 86dd"), hex(&datagram), rest[20..rest.len() - 4].to_vec(), hex(icrc)]
                .concat();
        assert_eq!(*got, wanted, "{text}");
    }
}

/// A wide builder is a large value, built on the stack: more than a test's thread has.
fn deep(test: impl FnOnce() + Send + 'static) {
    let worker = std::thread::Builder::new().stack_size(64 << 20).spawn(test).expect("a thread");
    if let Err(panic) = worker.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn t87_g11_golden_frames_at_64_bits() {
    deep(golden::<64, 8, 10>);
}

#[test]
fn t87_g11_golden_frames_at_512_bits() {
    deep(golden::<512, 64, 7>);
}

fn random_path(r: &mut RandomDrive, kind: u64) -> WirePath {
    let mut path: WirePath = r.value();
    path.ipv6 = kind & 1 == 1;
    path.vlan_valid = kind & 2 == 2;
    path
}

fn random_own(r: &mut RandomDrive) -> Own {
    let mut own = Own { mac: [0; 6], addresses: [[0; 16]; 8], migreq: r.chance(1, 2) };
    let addresses = own.addresses.iter_mut().flatten();
    own.mac.iter_mut().chain(addresses).for_each(|byte| *byte = r.below(256) as u8);
    own
}

/// A frame of any fields; `bytes` of payload in random pieces, of which some fail.
fn random_job(r: &mut RandomDrive, lanes: usize, opcode: u64, bytes: usize) -> Job {
    let mut frame: TxFrame = r.value();
    frame.qp = bits(r.below(4));
    frame.opcode = bits(opcode);
    let payload: Vec<u8> = (0..bytes).map(|_| r.below(256) as u8).collect();
    let mut beats = vec![];
    let mut left = bytes;
    while left > 0 {
        let part = if r.chance(1, 2) { left } else { 1 + r.below(left as u64) as usize };
        beats.extend(piece(lanes, r.below(lanes as u64) as usize, part));
        left -= part;
    }
    Job::new(frame, payload, beats)
}

/// Frames whose opcode carries no payload.
fn is_bare(opcode: u64) -> bool {
    [bth::READ_REQUEST, bth::ACKNOWLEDGE, bth::ATOMIC_ACKNOWLEDGE, bth::COMPARE_SWAP, bth::FETCH_ADD]
        .iter()
        .any(|&bare| u64::from(bare) == opcode)
}

/// Every opcode on every kind of path, with few and with many bytes of payload.
fn every_opcode<const DATA: usize, const STRB: usize, const A: usize>(rounds: usize, longest: u64) {
    let mut r = RandomDrive::new(11);
    for round in 0..rounds {
        let paths = (0..4).map(|kind| random_path(&mut r, kind)).collect();
        let mut bench = Bench::<DATA, STRB, A>::new(random_own(&mut r), paths);
        let mut jobs = vec![];
        for opcode in (0..0x18).filter(|&opcode| opcode != 0x15) {
            let bytes = match r.below(4) {
                _ if is_bare(opcode) => 0,
                0 => 0,
                1 => r.below(longest),
                _ => r.below(2 * STRB as u64 + 2),
            };
            jobs.push(random_job(&mut r, STRB, opcode, bytes as usize));
        }
        let pace = [FAST, Pace { frames: 2, payload: 2, wire: 4 }, Pace { frames: 4, payload: 4, wire: 1 }][round % 3];
        bench.run(&jobs, pace);
    }
}

#[test]
fn t12_t13_t85_every_opcode_on_every_path_equals_the_model_at_64_bits() {
    deep(|| every_opcode::<64, 8, 10>(3, 300));
}

#[test]
fn t12_t13_t85_every_opcode_on_every_path_equals_the_model_at_128_bits() {
    deep(|| every_opcode::<128, 16, 9>(3, 300));
}

#[test]
fn t12_t13_t85_every_opcode_on_every_path_equals_the_model_at_256_bits() {
    deep(|| every_opcode::<256, 32, 8>(3, 300));
}

#[test]
fn t12_t13_t85_every_opcode_on_every_path_equals_the_model_at_512_bits() {
    deep(|| every_opcode::<512, 64, 7>(4, 1_000));
}

/// All lanes and all lengths of pieces, many pieces in a frame, on all kinds of paths.
fn every_alignment<const DATA: usize, const STRB: usize, const A: usize>(stride: usize) {
    let mut r = RandomDrive::new(13);
    let paths = (0..4).map(|kind| random_path(&mut r, kind)).collect();
    let mut bench = Bench::<DATA, STRB, A>::new(random_own(&mut r), paths);
    let cases = (0..STRB).flat_map(|lane| (1..=STRB + 1).map(move |bytes| (lane, bytes)));
    let cases: Vec<_> = cases.step_by(stride).collect();
    let mut jobs: Vec<Job> = vec![];
    let mut at = 0;
    while at < cases.len() {
        let (mut beats, mut bytes) = (vec![], 0);
        let pieces = 1 + r.below(40) as usize;
        for &(lane, count) in cases[at..].iter().take(pieces) {
            if bytes + count > 4_096 {
                break;
            }
            beats.extend(piece(STRB, lane, count));
            bytes += count;
            at += 1;
        }
        let mut job = random_job(&mut r, STRB, [0, 3, 0xA, 0xB, 0x16][at % 5], 0);
        let payload = (0..bytes).map(|_| r.below(256) as u8).collect();
        job = Job::new(job.frame, payload, beats);
        jobs.push(job);
    }
    bench.run(&jobs, FAST);
}

#[test]
fn t24_every_lane_and_length_of_a_piece_at_64_bits() {
    deep(|| every_alignment::<64, 8, 10>(1));
}

#[test]
fn t24_every_lane_and_many_lengths_of_a_piece_at_512_bits() {
    // The stride shares no factor with the 65 lengths, so each lane and each length comes.
    deep(|| every_alignment::<512, 64, 7>(7));
}

#[test]
#[ignore = "long: all 4,160 cases"]
fn t24_every_lane_and_length_of_a_piece_at_512_bits() {
    deep(|| every_alignment::<512, 64, 7>(1));
}

#[test]
fn e14_a_frame_whose_payload_fails_vanishes() {
    deep(|| {
        let mut r = RandomDrive::new(17);
        let paths = (0..4).map(|kind| random_path(&mut r, kind)).collect();
        let mut bench = Bench::<64, 8, 10>::new(random_own(&mut r), paths);
        let mut jobs = vec![];
        for i in 0..60 {
            let mut job = random_job(&mut r, 8, [0, 6, 0xD, 0xA, 0x17][i % 5], 1 + 40 * (i % 3));
            if r.chance(1, 2) {
                job.fails = true;
                // The payload ends early, sometimes with a beat without a byte.
                let kept = 1 + r.below(job.beats.len() as u64) as usize;
                job.beats.truncate(kept);
                if r.chance(1, 2) {
                    job.beats.pop();
                    job.beats.push((0, 0));
                }
            }
            jobs.push(job);
        }
        for pace in [FAST, Pace { frames: 3, payload: 2, wire: 2 }] {
            bench.run(&jobs, pace);
        }
    });
}

/// Cycles of a run of equal frames, as they stand on the wire.
fn cycles_of<const DATA: usize, const STRB: usize, const A: usize>(lane: usize, bytes: usize, frames: u64) -> u64 {
    let mut bench = Bench::<DATA, STRB, A>::new(golden_own(), vec![golden_path(false)]);
    let job = |psn| {
        let mut frame = tx(bth::WRITE_ONLY, psn);
        frame.length = bits(bytes as u64);
        Job::new(frame, vec![psn as u8; bytes], piece(STRB, lane, bytes))
    };
    let jobs: Vec<_> = (0..frames).map(job).collect();
    bench.run(&jobs, FAST);
    bench.span.1 - bench.span.0 + 1
}

#[test]
fn section_9_wire_beats_bound_the_builder() {
    deep(|| {
        // WRITE of 64 bytes: 3 beats at 512 bits, 18 at 64.
        let small: Vec<_> = [0, 63].map(|lane| cycles_of::<512, 64, 7>(lane, 64, 40)).to_vec();
        assert!(small[0] <= 7 * 20 + 3, "aligned, 512 bits: {small:?}");
        assert!(small.iter().all(|&cycles| cycles <= 4 * 40 + 1), "512 bits: {small:?}");
        let narrow = cycles_of::<64, 8, 10>(3, 64, 20);
        assert!(narrow <= 20 * 18 + 2, "64 bits: {narrow}");
        // WRITE of 4 KiB: 66 and 522 beats.
        for lane in [1, 58] {
            let cycles = cycles_of::<512, 64, 8>(lane, 4_096, 6);
            assert!(cycles as f64 <= 6.0 * 66.0 / 0.99, "512 bits, lane {lane}: {cycles}");
        }
        let cycles = cycles_of::<64, 8, 11>(5, 4_096, 3);
        assert!(cycles as f64 <= 3.0 * 522.0 / 0.99, "64 bits: {cycles}");
    });
}

/// Frames faster than the wire takes them, through a store that holds few.
fn full_store<const DATA: usize, const STRB: usize, const A: usize>(frames: usize, longest: u64) {
    let mut r = RandomDrive::new(19);
    let paths = (0..4).map(|kind| random_path(&mut r, kind)).collect();
    let mut bench = Bench::<DATA, STRB, A>::new(random_own(&mut r), paths);
    let jobs: Vec<_> = (0..frames)
        .map(|_| {
            let bytes = r.below(longest) as usize;
            random_job(&mut r, STRB, 0x0A, bytes)
        })
        .collect();
    bench.run(&jobs, Pace { frames: 4, payload: 4, wire: 1 });
}

#[test]
fn t107_a_full_store_loses_nothing() {
    deep(|| {
        full_store::<64, 8, 6>(20, 250);
        full_store::<512, 64, 5>(20, 1_000);
        // Limited by the number of frames.
        full_store::<512, 64, 7>(60, 1);
    });
}

#[test]
fn t85_a_new_path_counts_for_the_next_frame() {
    deep(|| {
        let mut r = RandomDrive::new(31);
        let paths = (0..4).map(|kind| random_path(&mut r, kind)).collect();
        let mut bench = Bench::<64, 8, 7>::new(random_own(&mut r), paths);
        for kind in (0..4).rev() {
            let mut job = random_job(&mut r, 8, 0x0B, 9);
            job.frame.qp = bits(2);
            bench.run(&[job], FAST);
            let path = random_path(&mut r, kind);
            bench.set_path(2, path);
        }
    });
}
