//! FIFO and crossing between clocks of any phase and frequency.
use super::model::sample;
use super::{EventCount, FrameByte, FrameFifo, MacCrossing, MacWord, ResetRelease};
use crate::check::RandomDrive;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// N clocks that know nothing of each other.
struct Clocks<const N: usize> {
    half: [u64; N],
    due: [u64; N],
    level: [bool; N],
}

impl<const N: usize> Clocks<N> {
    /// Half periods in femtoseconds; phases at random.
    fn new(half: [u64; N], random: &mut RandomDrive) -> Self {
        Self { half, due: half.map(|half| random.below(2 * half)), level: [false; N] }
    }

    /// The next edge: which clock, and its new level.
    fn next(&mut self) -> (usize, bool) {
        let i = (0..N).min_by_key(|i| self.due[*i]).unwrap();
        self.due[i] += self.half[i];
        self.level[i] = !self.level[i];
        (i, self.level[i])
    }
}

/// Half periods: a core of 83.33 MHz, 125 MHz, and 125 MHz 100 ppm off.
const CORE: u64 = 6_000_000;
const LINE: u64 = 4_000_000;
const FAST: u64 = LINE - 400;

fn settle<U: Block>(uut: &mut U) {
    assert!(simulate(uut, 1000), "combinational loop");
}

fn word(frame: u64, index: u64, last: bool) -> MacWord {
    MacWord { data: (frame << 8 | index).into(), count_less_1: 7.into(), last, bad: false }
}

struct FifoBench {
    uut: FrameFifo<3, 4>,
    clocks: Clocks<2>,
    random: RandomDrive,
    /// The frame being written: number, length, words written.
    writing: (u64, u64, u64),
    /// Numbers and lengths of frames that must come out.
    owed: VecDeque<(u64, u64)>,
    /// The frame coming out, words seen.
    reading: Option<(u64, u64)>,
    seen: u64,
    gray: [u64; 2],
}

impl FifoBench {
    fn new(write: u64, read: u64, seed: u64) -> Self {
        let mut random = RandomDrive::new(seed);
        let clocks = Clocks::new([write, read], &mut random);
        let mut uut = FrameFifo::default();
        uut.connect_all();
        settle(&mut uut);
        Self { uut, clocks, random, writing: (0, 1, 0), owed: VecDeque::new(), reading: None, seen: 0, gray: [0; 2] }
    }

    /// One edge of one clock. What a side sees before its rising edge is what counts; it changes its inputs after falling.
    fn edge(&mut self, reads: u32) {
        let (i, level) = self.clocks.next();
        match (i, level) {
            (0, true) => {
                let (number, length, written) = self.writing;
                if self.uut.write_reset.val() || self.uut.rollback.val() {
                    self.writing = (number + 1, 1 + self.random.below(6), 0);
                } else if self.uut.write.val() {
                    self.writing.2 += 1;
                    if self.uut.commit.val() {
                        self.owed.push_back((number, length));
                        self.writing = (number + 1, 1 + self.random.below(6), 0);
                    }
                    assert!(written < length);
                }
            }
            (1, true) => {
                if self.uut.source.valid.val() && self.uut.source.ready.val() && !self.uut.read_reset.val() {
                    self.take();
                }
            }
            _ => {}
        }
        let clock = if i == 0 { &mut self.uut.write_clock } else { &mut self.uut.read_clock };
        clock.next = Clock { clk: level };
        settle(&mut self.uut);
        match (i, level) {
            (0, false) => self.drive_writer(),
            (1, false) => self.uut.source.ready.next = self.random.chance(reads, 8),
            _ => {}
        }
        settle(&mut self.uut);
        // CK3: what crosses a clock changes in one bit at most.
        for (kept, now) in self.gray.iter_mut().zip(self.uut.crossing_pointers().map(|pointer| pointer.to_u64())) {
            assert!((*kept ^ now).count_ones() <= 1, "{kept:b} to {now:b}");
            *kept = now;
        }
    }

    fn drive_writer(&mut self) {
        let (number, length, written) = self.writing;
        let last = written + 1 == length;
        let writes = !self.uut.full.val() && self.random.chance(7, 8);
        // A frame that waits for room for ever would be the writer's defect; half of them are taken back at the end.
        let gives_up = (last && writes && self.random.chance(1, 4)) || self.random.chance(1, 64);
        self.uut.word.next = word(number, written, last);
        self.uut.write.next = writes;
        self.uut.rollback.next = gives_up;
        self.uut.commit.next = writes && last && !gives_up;
    }

    fn take(&mut self) {
        let word = self.uut.source.data.val();
        let (number, index) = (word.data.to_u64() >> 8, word.data.to_u64() & 255);
        let (expected, at) = self.reading.unwrap_or_else(|| (self.owed.front().expect("a frame is owed").0, 0));
        let length = self.owed.front().unwrap().1;
        assert_eq!((number, index, word.last), (expected, at, at + 1 == length), "of {length} words");
        self.reading = Some((expected, at + 1));
        self.seen += 1;
        if word.last {
            self.owed.pop_front();
            self.reading = None;
        }
    }
}

/// Pairs of half periods of writer and reader.
const PAIRS: [[u64; 2]; 7] =
    [[CORE, LINE], [LINE, CORE], [LINE, FAST], [FAST, LINE], [LINE, LINE], [LINE, 40 * LINE], [3 * LINE, LINE]];

#[test]
fn mc2_mc4_committed_frames_cross_whole_and_in_order_and_others_leave_no_trace() {
    for (seed, [write, read]) in PAIRS.into_iter().enumerate() {
        let mut bench = FifoBench::new(write, read, seed as u64);
        for step in 0..6000 {
            // Full for a while, then empty for a while.
            bench.edge(if step / 500 % 2 == 0 { 8 } else { 1 });
        }
        assert!(bench.seen > if read > 10 * write { 20 } else { 150 }, "{} words at {write} {read}", bench.seen);
        assert!(bench.owed.len() <= 10);
    }
}

#[test]
fn mc8_resets_at_any_moment_leave_whole_frames() {
    for (seed, [write, read]) in PAIRS.into_iter().enumerate() {
        let mut bench = FifoBench::new(write, read, 100 + seed as u64);
        let mut resets = 0;
        for _ in 0..60 {
            (0..40 + bench.random.below(60)).for_each(|_| bench.edge(6));
            // The reader's: what is committed so far may get lost, and nothing of a frame that began may follow.
            while bench.clocks.level[1] {
                bench.edge(6);
            }
            bench.uut.read_reset.next = true;
            bench.uut.write_reset.next = true;
            settle(&mut bench.uut);
            let held = if bench.random.chance(1, 2) { 4 } else { 200 };
            // A writer's reset takes back its frame; it is released first.
            (0..held).for_each(|_| bench.edge(6));
            while bench.clocks.level[0] {
                bench.edge(6);
            }
            bench.uut.write_reset.next = false;
            settle(&mut bench.uut);
            while bench.clocks.level[1] {
                bench.edge(6);
            }
            bench.uut.read_reset.next = false;
            bench.uut.source.ready.next = false;
            settle(&mut bench.uut);
            resets += 1;
            // The next word that comes out is the first of a frame that was owed.
            bench.reading = None;
            let limit = 4000;
            let mut waited = 0;
            loop {
                let showing = bench.uut.source.valid.val() && !bench.clocks.level[1];
                if showing {
                    let word = bench.uut.source.data.val().data.to_u64();
                    assert_eq!(word & 255, 0, "frame {} begins at its word {}", word >> 8, word & 255);
                    while bench.owed.front().is_some_and(|(number, _)| *number != word >> 8) {
                        bench.owed.pop_front();
                    }
                    assert!(!bench.owed.is_empty(), "frame {} was not committed", word >> 8);
                    break;
                }
                waited += 1;
                assert!(waited < limit, "nothing after reset {resets}");
                bench.edge(0);
            }
        }
    }
}

#[test]
fn ck3_events_of_another_clock_are_all_counted() {
    let mut random = RandomDrive::new(5);
    for half in [[LINE, CORE], [FAST, LINE], [LINE, 9 * LINE]] {
        let mut uut = EventCount::default();
        uut.connect_all();
        let mut clocks = Clocks::new(half, &mut random);
        let mut events = 0u64;
        for step in 0..4000 {
            let (i, level) = clocks.next();
            events += u64::from(i == 0 && level && uut.pulse.val());
            let clock = if i == 0 { &mut uut.event_clock } else { &mut uut.clock };
            clock.next = Clock { clk: level };
            settle(&mut uut);
            if i == 0 && !level {
                uut.pulse.next = step < 3800 && random.chance(2, 3);
                settle(&mut uut);
            }
            assert!(uut.count.val().to_u64() <= events);
        }
        assert_eq!(uut.count.val().to_u64(), events);
        assert!(events > 100);
    }
}

#[test]
fn ck2_reset_is_asserted_without_a_clock_and_released_with_two_edges_of_it() {
    let mut uut = ResetRelease::default();
    uut.connect_all();
    settle(&mut uut);
    assert!(uut.reset.val(), "after configuration");
    let edges = |uut: &mut ResetRelease, count: usize| {
        for level in [true, false].repeat(count) {
            uut.clock.next = Clock { clk: level };
            settle(uut);
        }
    };
    edges(&mut uut, 1);
    assert!(uut.reset.val());
    edges(&mut uut, 1);
    assert!(!uut.reset.val());
    uut.asynchronous.next = true;
    settle(&mut uut);
    assert!(uut.reset.val());
    uut.asynchronous.next = false;
    settle(&mut uut);
    assert!(uut.reset.val(), "released without a clock");
    edges(&mut uut, 2);
    assert!(!uut.reset.val());
}

/// A crossing with FIFOs of 16 words between three clocks, and queues at its ports.
struct CrossingBench {
    uut: MacCrossing<4, 5>,
    clocks: Clocks<3>,
    random: RandomDrive,
    /// Words of the core to send: data, keep, last, user.
    to_send: VecDeque<(Vec<u8>, bool, bool)>,
    /// The core's valid comes and goes.
    core_stalls: bool,
    core_takes: bool,
    sent: Vec<Vec<u8>>,
    sending: Vec<u8>,
    line_ready: bool,
    gaps: usize,
    to_receive: VecDeque<Option<(u8, bool, bool)>>,
    received: Vec<(Vec<u8>, bool)>,
    receiving: Vec<u8>,
    dropped: usize,
    refused: usize,
}

impl CrossingBench {
    fn new(half: [u64; 3], seed: u64) -> Self {
        let mut random = RandomDrive::new(seed);
        let mut uut = MacCrossing::new(68);
        uut.connect_all();
        settle(&mut uut);
        Self {
            uut,
            clocks: Clocks::new(half, &mut random),
            random,
            to_send: VecDeque::new(),
            core_stalls: false,
            core_takes: true,
            sent: vec![],
            sending: vec![],
            line_ready: true,
            gaps: 0,
            to_receive: VecDeque::new(),
            received: vec![],
            receiving: vec![],
            dropped: 0,
            refused: 0,
        }
    }

    fn send(&mut self, frame: &[u8], user: bool) {
        let count = frame.len().div_ceil(8);
        for (i, word) in frame.chunks(8).enumerate() {
            self.to_send.push_back((word.to_vec(), i + 1 == count, user && i + 1 == count));
        }
    }

    fn receive(&mut self, frame: &[u8], bad: bool) {
        for (i, octet) in frame.iter().enumerate() {
            let last = i + 1 == frame.len();
            self.to_receive.push_back(Some((*octet, last, bad && last)));
        }
        self.to_receive.extend([None; 24]);
    }

    fn core_rises(&mut self) {
        if self.uut.tx_axis.tvalid.val() && self.uut.tx_axis.tready.val() {
            self.to_send.pop_front();
        }
        self.refused += usize::from(self.uut.tx_refused.val());
        if self.uut.rx_axis.tvalid.val() && self.uut.rx_axis.tready.val() {
            let keep = self.uut.rx_axis.tkeep.val().to_u64();
            let count = keep.count_ones() as usize;
            let last = self.uut.rx_axis.tlast.val();
            assert_eq!(keep, (1 << count) - 1, "MC5: tkeep is contiguous");
            assert!(last || count == 8);
            let data = self.uut.rx_axis.tdata.val().to_u64().to_le_bytes();
            self.receiving.extend(&data[..count]);
            if last {
                self.received.push((std::mem::take(&mut self.receiving), self.uut.rx_axis.tuser.val()));
            }
        }
    }

    fn core_falls(&mut self) {
        let offers = !self.core_stalls || self.random.chance(1, 4);
        if let (true, Some((bytes, last, user))) = (offers, self.to_send.front()) {
            let mut data = [0xEE; 8];
            data[..bytes.len()].copy_from_slice(bytes);
            self.uut.tx_axis.tdata.next = u64::from_le_bytes(data).into();
            self.uut.tx_axis.tkeep.next = ((1u64 << bytes.len()) - 1).into();
            self.uut.tx_axis.tlast.next = *last;
            self.uut.tx_axis.tuser.next = *user;
            self.uut.tx_axis.tvalid.next = true;
        } else {
            self.uut.tx_axis.tvalid.next = false;
        }
        self.uut.rx_axis.tready.next = self.core_takes;
    }

    fn edge(&mut self) {
        let (i, level) = self.clocks.next();
        match (i, level) {
            (0, true) => self.core_rises(),
            (1, true) => {
                if self.uut.tx_frame.ready.val() {
                    if self.uut.tx_frame.valid.val() {
                        let octet = self.uut.tx_frame.data.val();
                        self.sending.push(octet.data.to_u64() as u8);
                        if octet.last {
                            self.sent.push(std::mem::take(&mut self.sending));
                        }
                    } else {
                        // Ethernet has no pause inside a frame.
                        self.gaps += usize::from(!self.sending.is_empty());
                    }
                }
            }
            (2, true) => self.dropped += usize::from(self.uut.rx_dropped.val()),
            _ => {}
        }
        let clock = [&mut self.uut.core_clock, &mut self.uut.tx_clock, &mut self.uut.rx_clock].into_iter().nth(i);
        clock.unwrap().next = Clock { clk: level };
        settle(&mut self.uut);
        match (i, level) {
            (0, false) => self.core_falls(),
            (1, false) => self.uut.tx_frame.ready.next = self.line_ready,
            (2, false) => {
                let octet = self.to_receive.pop_front().flatten();
                let (data, last, bad) = octet.unwrap_or_default();
                self.uut.rx_frame_valid.next = octet.is_some();
                self.uut.rx_frame.next = FrameByte { data: u64::from(data).into(), last };
                self.uut.rx_frame_bad.next = bad;
            }
            _ => {}
        }
        settle(&mut self.uut);
    }

    fn edges(&mut self, count: usize) {
        (0..count).for_each(|_| self.edge());
    }
}

/// Half periods of core, transmitter, receiver.
const TRIPLES: [[u64; 3]; 3] = [[CORE, LINE, FAST], [CORE, FAST, LINE], [LINE, LINE + 400, LINE]];

#[test]
fn mc2_a_frame_is_offered_only_when_it_is_whole_and_then_without_a_pause() {
    for (seed, half) in TRIPLES.into_iter().enumerate() {
        let mut bench = CrossingBench::new(half, seed as u64);
        bench.core_stalls = true;
        let frames: Vec<_> = (1..=64).map(|length| sample(length, seed as u64)).collect();
        frames.iter().for_each(|frame| bench.send(frame, false));
        bench.edges(14_000);
        assert!(bench.to_send.is_empty() && bench.gaps == 0, "{} left, {} gaps", bench.to_send.len(), bench.gaps);
        assert!(bench.sent == frames, "{} of {} frames", bench.sent.len(), frames.len());
    }
}

#[test]
fn mc2_a_frame_without_its_end_is_not_started() {
    let mut bench = CrossingBench::new(TRIPLES[0], 7);
    bench.send(&sample(64, 1), false);
    bench.to_send.pop_back();
    bench.edges(600);
    assert!(bench.to_send.is_empty() && bench.sending.is_empty());
    bench.to_send.push_back((vec![1, 2, 3, 4, 5, 6, 7, 8], true, false));
    bench.edges(600);
    assert_eq!(bench.sent.len(), 1);
}

#[test]
fn mc2_a_frame_with_tuser_and_one_that_is_too_long_are_never_started() {
    let mut bench = CrossingBench::new(TRIPLES[1], 8);
    for length in [1, 8, 9, 64] {
        bench.send(&sample(length, 1), true);
        bench.send(&sample(length, 2), false);
        bench.send(&sample(300, 3), false);
    }
    bench.edges(4000);
    assert!(bench.sent == [1, 8, 9, 64].map(|length| sample(length, 2)), "{:?}", bench.sent);
    assert_eq!(bench.refused, 8);
}

#[test]
fn mc2_one_longest_frame_more_than_the_one_leaving_fits() {
    let mut bench = CrossingBench::new(TRIPLES[0], 9);
    bench.line_ready = false;
    bench.send(&sample(64, 1), false);
    bench.send(&sample(64, 2), false);
    bench.edges(400);
    assert!(bench.to_send.is_empty(), "{} words left", bench.to_send.len());
}

#[test]
fn mc4_a_frame_that_finds_no_room_is_dropped_whole_and_counted() {
    for (seed, half) in TRIPLES.into_iter().enumerate() {
        let mut bench = CrossingBench::new(half, 20 + seed as u64);
        let frames: Vec<_> = (0..24).map(|i| sample(20 + i % 40, 30 + i as u64)).collect();
        for (i, frame) in frames.iter().enumerate() {
            bench.receive(frame, i % 5 == 0);
        }
        let mut edges = 0;
        while !bench.to_receive.is_empty() || edges < 4000 {
            bench.core_takes = edges % 1500 > 1350;
            bench.edge();
            edges += 1;
            assert!(edges < 20_000, "{} periods left", bench.to_receive.len());
        }
        bench.core_takes = true;
        bench.edges(600);
        assert!(bench.dropped > 2 && bench.received.len() > 6, "{} dropped", bench.dropped);
        assert_eq!(bench.dropped + bench.received.len(), frames.len());
        let mut rest = frames.iter().enumerate();
        for (bytes, bad) in &bench.received {
            let (i, _) = rest.find(|(_, frame)| *frame == bytes).expect("a frame that was sent, in order, whole");
            assert_eq!(*bad, i % 5 == 0, "frame {i}");
        }
    }
}
