//! The ports against a stand-in for a core, the line and its faults.
use super::frame::opcode;
use super::frame::{Bth, Network};
use super::*;
use crate::core::{Inputs, Outputs};
use crate::random::Random;

/// A core that sends what it is given, and collects what it receives; both with pauses of its own.
struct Stub {
    width: usize,
    inputs: Inputs,
    outputs: Outputs,
    to_send: Vec<(Vec<u8>, bool)>,
    offset: usize,
    received: Vec<(Vec<u8>, bool)>,
    coming: Vec<u8>,
    pauses: u8,
    random: Random,
}

impl Stub {
    fn new(data_bits: u32, seed: u64, pauses: u8) -> Self {
        Self {
            width: data_bits as usize / 8,
            inputs: Inputs { tx_tready: 1, ..Inputs::default() },
            outputs: Outputs::default(),
            to_send: vec![],
            offset: 0,
            received: vec![],
            coming: vec![],
            pauses,
            random: Random::new(seed, 77),
        }
    }

    /// Before the edge: the outputs that belong to the inputs.
    fn settle(&mut self) {
        let waits = self.outputs.tx_tvalid == 1;
        if !waits && !self.random.chance(self.pauses) {
            if let Some((frame, bad)) = self.to_send.first() {
                let rest = &frame[self.offset..];
                let bytes = rest.len().min(self.width);
                let last = u8::from(rest.len() <= self.width);
                let mut data = [0; 64];
                data[..bytes].copy_from_slice(&rest[..bytes]);
                for (word, chunk) in self.outputs.tx_tdata.iter_mut().zip(data.chunks(8)) {
                    *word = u64::from_le_bytes(chunk.try_into().unwrap());
                }
                self.outputs.tx_tkeep = u64::MAX >> (64 - bytes);
                (self.outputs.tx_tvalid, self.outputs.tx_tlast) = (1, last);
                self.outputs.tx_tuser = last & u8::from(*bad);
            }
        }
        self.outputs.rx_tready = u8::from(!self.random.chance(self.pauses));
    }

    /// What the edge does: beats taken on both ports.
    fn edge(&mut self, was: &Inputs) {
        if self.outputs.tx_tvalid & was.tx_tready == 1 {
            self.outputs.tx_tvalid = 0;
            self.offset += self.width;
            if self.outputs.tx_tlast == 1 {
                self.to_send.remove(0);
                self.offset = 0;
            }
        }
        if was.rx_tvalid & self.outputs.rx_tready == 1 {
            let words = was.rx_tdata.iter().flat_map(|word| word.to_le_bytes());
            self.coming.extend(words.take(was.rx_tkeep.count_ones() as usize));
            assert!(was.rx_tlast == 1 || was.rx_tuser == 0);
            if was.rx_tlast == 1 {
                self.received.push((std::mem::take(&mut self.coming), was.rx_tuser == 1));
            }
        }
    }
}

/// Stubs on one wire.
struct Bench {
    wire: Wire,
    stubs: Vec<(Stub, Transmitter, Receiver)>,
    cycle: u64,
}

impl Bench {
    fn new(data_bits: &[u32], settings: WireSettings, pauses: u8) -> Self {
        let mut wire = Wire::new(settings, 100_000);
        let stubs = data_bits
            .iter()
            .enumerate()
            .map(|(index, bits)| {
                wire.add_end(&format!("end {index}")).unwrap();
                let transmitter = Transmitter::new(*bits, settings.rate, settings.overhead);
                (Stub::new(*bits, settings.seed + index as u64, pauses), transmitter, Receiver::new(*bits))
            })
            .collect();
        Self { wire, stubs, cycle: 0 }
    }

    fn step(&mut self) {
        for (index, (stub, transmitter, receiver)) in self.stubs.iter_mut().enumerate() {
            let (wire, end) = (&mut self.wire, EndId(index));
            stub.settle();
            let (was, outputs) = (stub.inputs, stub.outputs);
            stub.edge(&was);
            let (stall, gap) = wire.pauses();
            if let Some((frame, bad)) = transmitter.clock(&outputs, &mut stub.inputs, stall).unwrap() {
                wire.send(self.cycle, end, frame, bad);
            }
            receiver.clock(&outputs, &mut stub.inputs, gap, || wire.receive(self.cycle, end));
        }
        self.cycle += 1;
    }

    /// Runs until everything has arrived.
    fn drain(&mut self) {
        for _ in 0..1_000_000 {
            let busy = |(stub, transmitter, receiver): &(Stub, Transmitter, Receiver)| {
                !stub.to_send.is_empty() || !transmitter.is_idle() || !receiver.is_idle()
            };
            if !self.stubs.iter().any(busy) && self.wire.is_idle() {
                return;
            }
            self.step();
        }
        panic!("not idle at cycle {}: {:?}", self.cycle, self.wire);
    }
}

/// Frames of all lengths, with their number in front.
fn frames(count: usize, seed: u64) -> Vec<(Vec<u8>, bool)> {
    let mut random = Random::new(seed, 78);
    let frame = |number: usize| {
        let bytes = if number < 140 { 60 + number } else { 60 + random.below(4138) as usize };
        let mut frame: Vec<u8> = (0..bytes).map(|at| (at * 7 + number) as u8).collect();
        frame[..4].copy_from_slice(&(number as u32).to_le_bytes());
        (frame, number % 50 == 49)
    };
    (0..count).map(frame).collect()
}

#[test]
fn every_frame_arrives_unchanged_whatever_the_widths_and_pauses() {
    for (pauses, stall, gap) in [(0, 0, 0), (40, 0, 0), (0, 40, 40), (30, 30, 30)] {
        for widths in [[64, 64], [64, 512], [512, 64], [128, 256]] {
            let mut bench = Bench::new(&widths, WireSettings { stall, gap, ..WireSettings::default() }, pauses);
            let sent = [frames(200, 1), frames(170, 2)];
            bench.stubs[0].0.to_send = sent[0].clone();
            bench.stubs[1].0.to_send = sent[1].clone();
            bench.drain();
            assert!(bench.stubs[1].0.received == sent[0] && bench.stubs[0].0.received == sent[1], "{widths:?}");
            let counters = bench.wire.counters(EndId(1));
            assert_eq!((counters.sent, counters.received, counters.lost), (170, 200, 0));
            assert_eq!(counters.received_bytes, sent[0].iter().map(|(frame, _)| frame.len() as u64).sum::<u64>());
        }
    }
}

#[test]
fn a_perfect_wire_moves_a_beat_a_cycle() {
    let mut bench = Bench::new(&[64, 64], WireSettings::default(), 0);
    bench.stubs[0].0.to_send = vec![(vec![7; 4160], false); 50];
    bench.drain();
    assert!((50 * 520..50 * 520 + 540).contains(&bench.cycle), "{} cycles", bench.cycle);
}

#[test]
fn the_rate_is_kept_with_the_overhead_of_each_frame() {
    for (rate, overhead) in [((5, 2), 24), ((25, 2), 24), ((1, 1), 0), ((7, 1), 100)] {
        let rate = Rate { bytes: rate.0, cycles: rate.1 };
        let settings = WireSettings { rate: Some(rate), overhead, ..WireSettings::default() };
        let mut bench = Bench::new(&[128, 128], settings, 0);
        bench.stubs[0].0.to_send = vec![(vec![7; 100], false); 500];
        bench.drain();
        let least = 500 * (100 + u64::from(overhead)) * u64::from(rate.cycles) / u64::from(rate.bytes);
        // 7 beats a frame, if the rate does not bound.
        let least = least.max(500 * 7);
        assert!((least - 150..least + 200).contains(&bench.cycle), "{rate:?}: {} of {least}", bench.cycle);
    }
}

#[test]
fn the_delay_is_kept() {
    for delay in [1, 2, 100, 3000] {
        let mut bench = Bench::new(&[512, 512], WireSettings { delay, ..WireSettings::default() }, 0);
        bench.stubs[0].0.to_send = vec![(vec![7; 64], false)];
        while bench.stubs[1].0.received.is_empty() {
            bench.step();
            assert!(bench.cycle < 10_000);
        }
        // The beat is taken at edge 0, offered from edge `delay` on, and taken at the next one.
        assert_eq!(bench.cycle, u64::from(delay) + 2);
    }
}

#[test]
fn what_one_end_sends_all_others_receive() {
    let mut bench = Bench::new(&[64, 512, 64], WireSettings::default(), 10);
    for index in 0..3 {
        bench.stubs[index].0.to_send = vec![(vec![index as u8; 60 + index], false); 4];
    }
    bench.drain();
    for index in 0..3u8 {
        let mut from: Vec<u8> = bench.stubs[usize::from(index)].0.received.iter().map(|(frame, _)| frame[0]).collect();
        from.sort_unstable();
        let expected: Vec<u8> = (0..3).filter(|other| *other != index).flat_map(|other| [other; 4]).collect();
        assert_eq!(from, expected);
    }
}

/// Sends 10,000 frames over a wire with these chances, and gives the numbers that arrived, in order, with the counters.
fn faulty(chances: Chances, seed: u64) -> (Vec<u32>, Counters, Vec<bool>) {
    let mut wire = Wire::new(WireSettings { chances, seed, span: 50, ..WireSettings::default() }, 1);
    let (from, to) = (wire.add_end("from").unwrap(), wire.add_end("to").unwrap());
    let (mut arrived, mut whole) = (vec![], vec![]);
    for now in 0..100_200u64 {
        if now % 10 == 0 && now < 100_000 {
            let mut frame = vec![0xA5; 100];
            frame[..4].copy_from_slice(&((now / 10) as u32).to_le_bytes());
            wire.send(now, from, frame, false);
        }
        while let Some(arrival) = wire.receive(now, to) {
            arrived.push(u32::from_le_bytes(arrival.bytes[..4].try_into().unwrap()));
            whole.push(arrival.bytes[4..].iter().all(|byte| *byte == 0xA5) && !arrival.bad);
        }
    }
    assert!(wire.is_idle());
    (arrived, wire.counters(to), whole)
}

#[test]
fn random_faults_follow_their_chances_and_the_seed() {
    let near = |count: u64, chance: u64| count.abs_diff(10 * chance) < 100;
    let (arrived, counters, _) = faulty(Chances { loss: 150, ..Chances::default() }, 1);
    assert!(near(counters.lost, 150) && arrived.len() as u64 == 10_000 - counters.lost);
    let (arrived, counters, _) = faulty(Chances { duplication: 100, ..Chances::default() }, 2);
    assert!(near(counters.duplicated, 100) && arrived.len() as u64 == 10_000 + counters.duplicated);
    let (arrived, counters, _) = faulty(Chances { reordering: 300, ..Chances::default() }, 3);
    let overtaken = arrived.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(near(counters.reordered, 300) && arrived.len() == 10_000 && overtaken > 1000, "{overtaken}");
    let (_, counters, whole) = faulty(Chances { corruption: 50, bad: 20, ..Chances::default() }, 4);
    let damaged = whole.iter().filter(|whole| !**whole).count() as u64;
    assert!(near(counters.corrupted, 50) && near(counters.marked, 20) && damaged > 600, "{damaged}");
    let (arrived, counters, whole) = faulty(Chances::default(), 5);
    assert!(arrived.is_sorted() && whole.iter().all(|whole| *whole));
    assert_eq!((counters.received, counters.lost), (10_000, 0));
    let all = Chances { loss: 150, duplication: 100, reordering: 300, corruption: 10, bad: 10 };
    assert_eq!(faulty(all, 6), faulty(all, 6));
    assert_ne!(faulty(all, 6).0, faulty(all, 7).0);
}

fn roce(opcode: u8, psn: u32) -> Vec<u8> {
    Frame::new(Network::v4([10, 0, 0, 1], [10, 0, 0, 2]), Bth::new(opcode, 0x11, psn)).build()
}

#[test]
fn faults_that_a_test_asks_for_choose_their_frames() {
    let mut wire = Wire::new(WireSettings::default(), 1);
    let (a, b) = (wire.add_end("a").unwrap(), wire.add_end("b").unwrap());
    let lose = FrameFault::lose();
    wire.add_fault(FrameFault { opcode: Some(opcode::SEND_ONLY), skip: 1, times: Some(2), ..lose });
    wire.add_fault(FrameFault { from: Some(b), psn: Some(7), mishap: Mishap::Duplicate(5), ..lose });
    wire.add_fault(FrameFault { psn: Some(9), mishap: Mishap::Delay(100), ..lose });
    wire.add_fault(FrameFault { psn: Some(10), mishap: Mishap::Flip(8 * 50 + 2), ..lose });
    wire.add_fault(FrameFault { qpn: Some(0x11), psn: Some(11), mishap: Mishap::Mark, ..lose });
    wire.add_fault(FrameFault { qpn: Some(0x12), times: None, ..lose });
    for (index, (from, opcode, psn)) in [
        (a, opcode::SEND_ONLY, 1),
        (a, opcode::SEND_FIRST, 2),
        (a, opcode::SEND_ONLY, 3),
        (b, opcode::SEND_ONLY, 4),
        (a, opcode::SEND_ONLY, 5),
        (a, opcode::SEND_LAST, 7),
        (b, opcode::SEND_LAST, 7),
        (a, opcode::SEND_FIRST, 9),
        (a, opcode::SEND_FIRST, 10),
        (a, opcode::SEND_FIRST, 11),
    ]
    .into_iter()
    .enumerate()
    {
        wire.send(index as u64, from, roce(opcode, psn), false);
    }
    let mut arrivals = |end| std::iter::from_fn(|| wire.receive(10_000, end)).collect::<Vec<_>>();
    let psn = |arrival: &Arrival| Frame::parse(&arrival.bytes).map_or(0xBAD, |frame| frame.bth.psn);
    let at_b = arrivals(b);
    assert_eq!(at_b.iter().map(psn).collect::<Vec<_>>(), [1, 2, 5, 7, 0xBAD, 11, 9]);
    assert_eq!(
        at_b.iter().map(|arrival| arrival.bad).collect::<Vec<_>>(),
        [false, false, false, false, false, true, false]
    );
    assert_eq!(arrivals(a).iter().map(psn).collect::<Vec<_>>(), [7, 7]);
    let counters = wire.counters(b);
    assert_eq!((counters.lost, counters.reordered, counters.corrupted, counters.marked), (1, 1, 1, 1));
    assert_eq!((wire.counters(a).lost, wire.counters(a).duplicated), (1, 1));
    let lines: Vec<String> = wire.log().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 10);
    assert!(
        lines[2].contains("SEND_ONLY qp 000011 psn 000003") && lines[2].ends_with("; Lost to end 1"),
        "{}",
        lines[2]
    );
    assert_eq!(wire.take_sent(a).map(|record| record.cycle), Some(0));
    assert_eq!(wire.take_sent(b).map(|record| record.fates), Some(vec![(a, Fate::Lost)]));
}

#[test]
fn an_injected_frame_reaches_one_end_only() {
    let mut wire = Wire::new(WireSettings { delay: 100, ..WireSettings::default() }, 1);
    let ends = ["a", "b"].map(|name| wire.add_end(name).unwrap());
    wire.inject(5, ends[1], vec![3; 60], true);
    assert_eq!(wire.receive(5, ends[0]), None);
    assert_eq!(wire.receive(5, ends[1]), Some(Arrival { bytes: vec![3; 60].into(), bad: true }));
    assert_eq!((wire.counters(ends[1]).injected, wire.take_sent(ends[0])), (1, None));
}

#[test]
fn a_frame_without_bytes_goes_nowhere() {
    let flip = Chances { corruption: 1000, ..Chances::default() };
    let mut wire = Wire::new(WireSettings { chances: flip, ..WireSettings::default() }, 1);
    let ends = ["a", "b"].map(|name| wire.add_end(name).unwrap());
    wire.send(0, ends[0], vec![], false);
    wire.inject(0, ends[1], vec![], false);
    assert!(wire.is_idle());
    assert_eq!((wire.counters(ends[0]), wire.take_sent(ends[0])), (Counters::default(), None));
    assert_eq!(wire.counters(ends[1]), Counters::default());
}

#[test]
fn t107_a_full_queue_drops_whole_frames() {
    let mut wire = Wire::new(WireSettings { queue: 3, ..WireSettings::default() }, 1);
    let ends = ["a", "b"].map(|name| wire.add_end(name).unwrap());
    (0..5).for_each(|now| wire.send(now, ends[0], vec![now as u8; 60], false));
    assert_eq!(wire.counters(ends[1]).overrun, 2);
    let arrived: Vec<_> = std::iter::from_fn(|| wire.receive(100, ends[1])).map(|arrival| arrival.bytes[0]).collect();
    assert_eq!(arrived, [0, 1, 2]);
}

#[test]
fn a_capture_holds_what_was_sent() {
    let path = std::env::temp_dir().join(format!("rnic-wire-{}.pcapng", std::process::id()));
    let mut wire = Wire::new(WireSettings::default(), 100_000);
    let a = wire.add_end("a").unwrap();
    wire.capture(capture::CaptureFile::create(&path).unwrap()).unwrap();
    let b = wire.add_end("b").unwrap();
    wire.send(3, a, roce(opcode::SEND_ONLY, 1), false);
    wire.send(4, b, roce(opcode::ACKNOWLEDGE, 1), false);
    wire.inject(5, b, vec![1; 60], false);
    wire.end_capture().unwrap();
    let found = capture::read_capture(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let seen: Vec<_> = found.iter().map(|frame| (frame.time.as_nanos(), frame.bytes.len())).collect();
    assert_eq!(seen, [(30, 60), (40, 60), (50, 60)]);
}

#[test]
fn a_beat_that_is_not_allowed_is_found() {
    let beat = |keep, last, user| Outputs {
        tx_tvalid: 1,
        tx_tkeep: keep,
        tx_tlast: last,
        tx_tuser: user,
        ..Outputs::default()
    };
    let clock = |transmitter: &mut Transmitter, outputs: &Outputs| {
        transmitter.clock(outputs, &mut Inputs { tx_tready: 1, ..Inputs::default() }, false)
    };
    for (outputs, expected) in [
        (beat(0x7F, 0, 0), StreamError::Keep { keep: 0x7F, width: 8, last: 0 }),
        (beat(0, 1, 0), StreamError::Keep { keep: 0, width: 8, last: 1 }),
        (beat(0xFE, 1, 0), StreamError::Keep { keep: 0xFE, width: 8, last: 1 }),
        (beat(0x1FF, 1, 0), StreamError::Keep { keep: 0x1FF, width: 8, last: 1 }),
        (beat(0xFF, 0, 1), StreamError::User),
        (beat(0xFF, 1, 0), StreamError::Runt { bytes: 8 }),
    ] {
        assert_eq!(clock(&mut Transmitter::new(64, None, 0), &outputs), Err(expected));
    }
    let mut transmitter = Transmitter::new(64, None, 0);
    let beats = (0..1000).take_while(|_| clock(&mut transmitter, &beat(0xFF, 0, 0)).is_ok()).count();
    assert_eq!(beats, frame::LONGEST / 8);
}
