//! Raw frames in the placer (T95): no lookup, no flag, their own write client.
use super::Placer;
use crate::check::RandomDrive;
use crate::wire::PlaceJob;
use num_bigint::BigUint;
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

/// Bursts end at multiples of this.
const CUT: u64 = 128;

struct Raw {
    address: u64,
    bytes: usize,
    /// One of its bursts gets an error.
    fails: bool,
}

/// Runs raw frames that begin one row behind the other; answers the memory, and what was told of each frame with bytes.
fn run<const DATA: usize, const STRB: usize>(seed: u64, frames: &[Raw]) -> (HashMap<u64, u8>, Vec<bool>) {
    let mut uut = Placer::<DATA, STRB, 8, 3, 8, 4, 5, { CUT as usize }>::default();
    uut.connect_all();
    let mut random = RandomDrive::new(seed);
    let (mut memory, mut told, mut released) = (HashMap::new(), vec![], 0);
    let (mut row, mut taken, mut verdicts) = (0, 0, 0);
    let mut rows = [0u64; 3];
    let mut open: Option<(u64, u64, bool)> = None;
    let mut landing: VecDeque<(u64, bool)> = VecDeque::new();
    let mut bursts = 0;
    for cycle in 0u64.. {
        assert!(cycle < 20_000, "{taken} taken, {verdicts} verdicts, {released} released, told {told:?}");
        uut.reset.next = cycle < 2;
        uut.place.valid.next = cycle >= 2 && taken < frames.len();
        if let Some(frame) = frames.get(taken) {
            uut.place.job.next = PlaceJob {
                // A queue pair that has failed does not matter.
                qp: bits(5),
                raw: true,
                first_row: bits(row as u64),
                value: bits(frame.address),
                range: bits(frame.bytes as u64),
                ..Default::default()
            };
        }
        uut.kill.next = cycle == 3;
        uut.kill_index.next = bits(5);
        uut.verdict.ready.next = random.chance(1, 2);
        uut.question.ready.next = true;
        // Byte i of row r is 3 r + i.
        let bytes: Vec<u8> = (0..STRB).map(|lane| (rows[1] * 3) as u8 ^ lane as u8).collect();
        uut.read_data.next = BigUint::from_bytes_le(&bytes).into();
        uut.raw.command.ready.next = open.is_none() && random.chance(1, 2);
        uut.raw.beat.ready.next = open.is_some() && random.chance(2, 3);
        let done = landing.front().is_some_and(|(due, _)| *due <= cycle);
        uut.raw.done.next = done;
        uut.raw.failed.next = done && landing.pop_front().unwrap().1;
        uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut uut, 100));
        if uut.place.valid.val() && uut.place.ready.val() {
            row = (row + frames[taken].bytes.div_ceil(STRB).max(1)) % 256;
            taken += 1;
        }
        assert!(!uut.question.valid.val() && !uut.write_end.val(), "raw frames ask for nothing and hold nothing");
        assert!(!uut.requests.command.valid.val() && !uut.responses.command.valid.val());
        if uut.raw.beat.valid.val() && uut.raw.beat.ready.val() {
            let (address, length, fails) = open.expect("a beat behind its command");
            let word: BigUint = uut.raw.beat.data.val().into();
            let mut lanes = word.to_bytes_le();
            lanes.resize(STRB, 0);
            let base = address - address % STRB as u64;
            let end = (address + length).min(base + STRB as u64);
            memory.extend((address..end).map(|at| (at, lanes[(at - base) as usize])));
            open = (end < address + length).then_some((end, address + length - end, fails));
            if open.is_none() {
                landing.push_back((cycle + 20, fails));
            }
        } else if uut.raw.command.valid.val() && uut.raw.command.ready.val() {
            let command = uut.raw.command.data.val();
            let (address, length) = (command.address.to_u64(), command.length.to_u64());
            assert!(length > 0 && address % CUT + length <= CUT, "{address:x} + {length}");
            let owner =
                frames.iter().find(|frame| (frame.address..frame.address + frame.bytes as u64).contains(&address));
            // The first burst of the frame has the error, not the last.
            let fails = owner.is_some_and(|frame| frame.fails && frame.address == address);
            open = Some((address, length, fails));
            bursts += 1;
        }
        if uut.raw_landed.val() {
            told.push(uut.raw_failed.val());
        }
        verdicts += usize::from(uut.verdict.valid.val() && uut.verdict.ready.val());
        released += usize::from(uut.released.val());
        rows.rotate_right(1);
        rows[0] = uut.read_address.val().to_u64();
        let ends = [taken, verdicts, released].iter().all(|count| *count == frames.len());
        if ends && open.is_none() && landing.is_empty() && cycle > 200 {
            assert!(bursts >= told.len());
            return (memory, told);
        }
        uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut uut, 100));
    }
    unreachable!()
}

fn check<const DATA: usize, const STRB: usize>(seed: u64) {
    let mut random = RandomDrive::new(seed);
    let frames: Vec<Raw> = (0..30)
        .map(|n| Raw {
            address: 0x1_0000 * n + 0xF00 + random.below(300),
            bytes: if n % 6 == 5 { 0 } else { 60 + random.below(300) as usize },
            fails: n % 4 == 1,
        })
        .collect();
    let (memory, told) = run::<DATA, STRB>(seed, &frames);
    let expected: Vec<bool> = frames.iter().filter(|frame| frame.bytes > 0).map(|frame| frame.fails).collect();
    assert_eq!(told, expected, "one word of each frame with bytes, in order");
    assert_eq!(memory.len(), frames.iter().map(|frame| frame.bytes).sum::<usize>());
    let mut row = 0;
    for (number, frame) in frames.iter().enumerate() {
        for at in 0..frame.bytes {
            let byte = ((row + at / STRB) % 256 * 3) as u8 ^ (at % STRB) as u8;
            assert_eq!(memory[&(frame.address + at as u64)], byte, "byte {at} of frame {number}");
        }
        row = (row + frame.bytes.div_ceil(STRB).max(1)) % 256;
    }
}

#[test]
fn t95_raw_frames_go_where_their_job_says_and_every_one_is_told_of_when_it_has_landed() {
    check::<64, 8>(50);
    check::<128, 16>(51);
}
