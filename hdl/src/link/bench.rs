//! Bench of the link: a MAC with a lossy cable and a host below, a bridge above.
//!
//! Every frame that leaves is looked at before the cable has it: resends say so and repeat what was sent, numbers of a session
//! move one way only.
use super::peer::{self, class, Class, Frame, Peer};
use super::{Link, LinkSetup};
use crate::check::RandomDrive;
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

/// What the cable does, each in percent of the frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub drop: u32,
    pub duplicate: u32,
    pub swap: u32,
    pub flip: u32,
}

impl Faults {
    pub fn all(percent: u32) -> Self {
        Self { drop: percent, duplicate: percent, swap: percent, flip: percent }
    }
}

/// One direction of the cable: frames, and whether they came damaged.
#[derive(Default)]
struct Cable {
    frames: VecDeque<(Vec<u8>, bool)>,
    held: Option<Vec<u8>>,
}

impl Cable {
    fn put(&mut self, frame: Vec<u8>, faults: Faults, random: &mut RandomDrive) {
        if random.chance(faults.drop, 100) {
            return;
        }
        if random.chance(faults.swap, 100) && self.held.is_none() {
            self.held = Some(frame);
            return;
        }
        let copies = 1 + usize::from(random.chance(faults.duplicate, 100));
        for copy in std::iter::repeat_n(frame, copies).chain(self.held.take()) {
            let mut copy = copy;
            let flips = random.chance(faults.flip, 100);
            if flips {
                let bit = random.below(8 * copy.len() as u64) as usize;
                copy[bit / 8] ^= 1 << (bit % 8);
            }
            self.frames.push_back((copy, flips));
        }
    }
}

/// What is known of the frames that the device has sent in a session.
#[derive(Default)]
struct Watch {
    session: u32,
    sent: HashMap<u16, Vec<u8>>,
    last: Option<(u16, u16, u16)>,
}

impl Watch {
    fn look(&mut self, frame: &Frame) {
        if !matches!(frame.kind, peer::OPENED | peer::TLP | peer::ACK | peer::NAK) {
            return;
        }
        if frame.session != self.session {
            assert_eq!(frame.kind, peer::OPENED, "SE1: first frame of a session");
            *self = Self { session: frame.session, ..Self::default() };
        }
        if let Some((ack, posted, nonposted)) = self.last {
            let forward = |new: u16, old: u16| new.wrapping_sub(old) < 0x8000;
            assert!(forward(frame.ack, ack), "LK7: ack {ack:04x} -> {:04x}", frame.ack);
            assert!(forward(frame.posted, posted) && forward(frame.nonposted, nonposted), "LK12: {frame:x?}");
        }
        self.last = Some((frame.ack, frame.posted, frame.nonposted));
        if frame.kind == peer::TLP {
            let again = self.sent.insert(frame.sequence, frame.body.clone());
            assert_eq!(frame.flags & 1 == 1, again.is_some(), "flag of a resend: {frame:x?}");
            assert!(again.is_none_or(|body| body == frame.body), "LK5: {:04x} changed", frame.sequence);
        }
    }
}

pub struct Bench {
    pub uut: Box<Link>,
    pub random: RandomDrive,
    pub cycle: u64,
    pub peer: Peer,
    pub to_device: Faults,
    pub to_host: Faults,
    /// Frames that the device has sent, before the cable.
    pub sent: Vec<Frame>,
    /// TLPs that the bridge wants to send: posted and completions, requests.
    pub up: [VecDeque<Vec<u8>>; 2],
    /// TLPs in the order in which the link took them.
    pub taken: Vec<Vec<u8>>,
    /// TLPs that the bridge has received, and whether they hit BAR0.
    pub down: Vec<(Vec<u8>, bool)>,
    /// Chances in eighths: beats of the MAC, of the bridge, ready of the MAC, ready of the bridge.
    pub pace: [u32; 4],
    /// The bridge has room for requests, in eighths of the cycles.
    pub request_room: u32,
    /// The host is there at all.
    pub host: bool,
    ticks: u64,
    watch: Watch,
    cables: [Cable; 2],
    rx: VecDeque<(u64, u64, bool, bool)>,
    rx_offered: bool,
    leaving: Vec<u8>,
    beats: VecDeque<(u64, u64, bool)>,
    beats_offered: bool,
    tlp: Vec<u8>,
    hit: bool,
}

/// Setup of the tests: 2 cycles a microsecond.
pub fn setup() -> LinkSetup {
    LinkSetup::board(1, 0xB01D_0042, 2)
}

fn words(bytes: &[u8]) -> VecDeque<(u64, u64, bool)> {
    let count = bytes.len().div_ceil(8);
    let beat = |(i, chunk): (usize, &[u8])| {
        let mut word = [0xEE; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (u64::from_le_bytes(word), (1u64 << chunk.len()) - 1, i + 1 == count)
    };
    bytes.chunks(8).enumerate().map(beat).collect()
}

impl Bench {
    pub fn new(seed: u64, setup: LinkSetup) -> Self {
        let mut bench = Self {
            uut: Box::new(Link::new(setup)),
            random: RandomDrive::new(seed),
            cycle: 0,
            peer: Peer::new(setup.first),
            to_device: Faults::default(),
            to_host: Faults::default(),
            sent: vec![],
            up: Default::default(),
            taken: vec![],
            down: vec![],
            pace: [8; 4],
            request_room: 8,
            host: true,
            ticks: setup.ticks_per_us,
            watch: Watch::default(),
            cables: Default::default(),
            rx: VecDeque::new(),
            rx_offered: false,
            leaving: vec![],
            beats: VecDeque::new(),
            beats_offered: false,
            tlp: vec![],
            hit: false,
        };
        bench.uut.connect_all();
        bench.uut.reset.next = true;
        bench.run(8);
        bench.uut.reset.next = false;
        bench.run(70);
        bench
    }

    /// Microseconds since the start.
    pub fn now(&self) -> u64 {
        self.cycle / self.ticks
    }

    /// Delivers bytes to the device as the MAC would.
    pub fn inject(&mut self, bytes: &[u8], bad: bool) {
        self.cables[0].frames.push_back((bytes.to_vec(), bad));
    }

    /// Delivers a frame to the device.
    pub fn deliver(&mut self, frame: &Frame) {
        self.inject(&frame.pack(), false);
    }

    /// Opens a session with the host.
    pub fn open(&mut self, session: u32) {
        self.peer.open(session);
        self.until(4000, "OPENED", |bench| bench.peer.state == peer::State::Open);
    }

    fn drive(&mut self) {
        if self.rx.is_empty() {
            if let Some((frame, bad)) = self.cables[0].frames.pop_front() {
                self.rx = words(&frame).into_iter().map(|(data, keep, last)| (data, keep, last, last && bad)).collect();
            }
        }
        self.rx_offered |= !self.rx.is_empty() && self.random.chance(self.pace[0], 8);
        if let (true, Some((data, keep, last, bad))) = (self.rx_offered, self.rx.front()) {
            self.uut.rx.tdata.next = bits(*data);
            self.uut.rx.tkeep.next = bits(*keep);
            self.uut.rx.tlast.next = *last;
            self.uut.rx.tuser.next = *bad;
        }
        self.uut.rx.tvalid.next = self.rx_offered;
        self.uut.tx.tready.next = self.random.chance(self.pace[2], 8);
        // As the bridge: with the link down TLPs are dropped, a request begins only when it may.
        if self.beats.is_empty() && self.uut.link_up.val() {
            let request = self.uut.nonposted_ok.val() && (self.up[0].is_empty() || self.random.chance(1, 2));
            let tlp = if request { self.up[1].pop_front() } else { None };
            if let Some(tlp) = tlp.or_else(|| self.up[0].pop_front()) {
                self.beats = words(&tlp);
                self.taken.push(tlp);
            }
        }
        self.beats_offered |= !self.beats.is_empty() && self.random.chance(self.pace[1], 8);
        if let (true, Some((data, keep, last))) = (self.beats_offered, self.beats.front()) {
            self.uut.from_bridge.tdata.next = bits(*data);
            self.uut.from_bridge.tkeep.next = bits(*keep);
            self.uut.from_bridge.tlast.next = *last;
        }
        self.uut.from_bridge.tvalid.next = self.beats_offered;
        self.uut.to_bridge.tready.next = self.random.chance(self.pace[3], 8);
        self.uut.nonposted_room.next = self.random.chance(self.request_room, 8);
    }

    pub fn step(&mut self) {
        self.drive();
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut *self.uut, 1000), "combinational loop");
        self.observe();
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut *self.uut, 1000), "combinational loop");
        self.cycle += 1;
        if self.cycle % 8 == 0 && self.host {
            self.serve_host();
        }
    }

    fn serve_host(&mut self) {
        let now = self.now();
        while let Some((bytes, bad)) = self.cables[1].frames.pop_front() {
            if !bad {
                self.peer.receive(&Frame::parse(&bytes), now);
            }
        }
        if self.cables[0].frames.len() < 2 {
            if let Some(frame) = self.peer.poll(now) {
                self.cables[0].put(frame, self.to_device, &mut self.random);
            }
        }
    }

    fn observe(&mut self) {
        if self.uut.reset.val() {
            return;
        }
        if self.uut.rx.tvalid.val() && self.uut.rx.tready.val() {
            self.rx.pop_front();
            self.rx_offered = false;
        }
        if self.uut.tx.tvalid.val() && self.uut.tx.tready.val() {
            let count = self.uut.tx.tkeep.val().to_u64().count_ones() as usize;
            self.leaving.extend(&self.uut.tx.tdata.val().to_u64().to_le_bytes()[..count]);
            if self.uut.tx.tlast.val() {
                assert!(!self.uut.tx.tuser.val());
                let bytes = std::mem::take(&mut self.leaving);
                let frame = Frame::parse(&bytes);
                assert_eq!(frame.source, peer::DEVICE_MAC);
                self.watch.look(&frame);
                self.sent.push(frame);
                self.cables[1].put(bytes, self.to_host, &mut self.random);
            }
        }
        if self.uut.session_reset.val() {
            // The bridge is reset: what it was sending and receiving is gone, and what it did is no part of a new session.
            self.beats.clear();
            self.beats_offered = false;
            self.tlp.clear();
            self.down.clear();
            self.taken.clear();
            return;
        }
        if self.beats_offered && self.uut.from_bridge.tready.val() {
            self.beats.pop_front();
            self.beats_offered = false;
        }
        if self.uut.to_bridge.tvalid.val() && self.uut.to_bridge.tready.val() {
            let keep = self.uut.to_bridge.tkeep.val().to_u64();
            let last = self.uut.to_bridge.tlast.val();
            assert!(keep == 0xFF || (keep == 0x0F && last), "tkeep {keep:02x}");
            let word = self.uut.to_bridge.tdata.val().to_u64().to_le_bytes();
            if self.tlp.len() == 8 {
                self.hit = self.uut.bar_hit.val().to_u64() == 1;
            }
            self.tlp.extend(&word[..if keep == 0xFF { 8 } else { 4 }]);
            if last {
                self.down.push((std::mem::take(&mut self.tlp), self.hit));
            }
        }
    }

    pub fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step());
    }

    /// Steps until `done`, at most `limit` cycles.
    pub fn until(&mut self, limit: u64, what: &str, done: impl Fn(&Self) -> bool) {
        for _ in 0..limit {
            if done(self) {
                return;
            }
            self.step();
        }
        let counters = self.counters();
        panic!(
            "{what} not within {limit} cycles, at cycle {}: host {:?}, host queues {:?}, bridge queues {:?}, {} TLPs at the \
             host, {} at the bridge, {} frames sent, the last: {:x?}; counters {:?}",
            self.cycle,
            self.peer.state,
            self.peer.queues.each_ref().map(VecDeque::len),
            self.up.each_ref().map(VecDeque::len),
            self.peer.received.len(),
            self.down.len(),
            self.sent.len(),
            self.sent.iter().rev().take(3).collect::<Vec<_>>(),
            counters,
        );
    }

    /// All counters.
    pub fn counters(&mut self) -> Vec<u64> {
        (0..12).map(|index| self.counter(index)).collect()
    }

    pub fn counter(&mut self, index: u32) -> u64 {
        self.uut.counter.next = bits(index.into());
        self.step();
        self.step();
        self.uut.count.val().to_u64()
    }

    /// Frames of a type that the device has sent.
    pub fn count(&self, kind: u8) -> usize {
        self.sent.iter().filter(|frame| frame.kind == kind).count()
    }

    /// Everything has arrived once, in the order of its class, and no request before what was sent before it (TO4).
    pub fn check_delivery(&self) {
        let part = |tlps: &[Vec<u8>], requests: bool| -> Vec<Vec<u8>> {
            tlps.iter().filter(|tlp| (class(tlp) == Class::Request) == requests).cloned().collect()
        };
        for requests in [false, true] {
            assert_eq!(part(&self.peer.received, requests), part(&self.taken, requests), "to the host");
        }
        let stored = |tlp: &&Vec<u8>| class(tlp) == Class::Completion || tlp.len() <= 84;
        let log: Vec<_> = self.peer.log.iter().filter(stored).cloned().collect();
        let down: Vec<_> = self.down.iter().map(|(tlp, _)| tlp.clone()).collect();
        for requests in [false, true] {
            assert_eq!(part(&down, requests), part(&log, requests), "to the bridge");
        }
        let mut at = 0;
        for (i, tlp) in down.iter().enumerate().filter(|(_, tlp)| class(tlp) == Class::Request) {
            at += log[at..].iter().position(|logged| logged == tlp).unwrap() + 1;
            let earlier = part(&log[..at], false).len();
            assert!(part(&down[..i], false).len() >= earlier, "TO4: request {tlp:02x?} is too early");
        }
    }
}

/// Random TLPs that differ from each other.
pub struct TlpMaker {
    count: u32,
}

impl TlpMaker {
    pub fn new() -> Self {
        Self { count: 0 }
    }

    fn tlp(&mut self, first: u8, address: &[u8], dwords: u64, random: &mut RandomDrive) -> Vec<u8> {
        self.count += 1;
        let mut tlp = vec![first, 0, (dwords >> 8) as u8, dwords as u8];
        tlp.extend(self.count.to_be_bytes());
        tlp.extend(address);
        if first & 0x40 != 0 {
            tlp.extend((0..4 * dwords).map(|_| random.below(256) as u8));
        }
        tlp
    }

    /// What a host sends: BAR accesses, completions of up to 512 bytes, now and then a message or something that is too long.
    pub fn of_host(&mut self, random: &mut RandomDrive) -> Vec<u8> {
        let short = [0xE0, 0, 0x01, 0];
        match random.below(8) {
            0 | 1 => self.tlp(0x40, &short, 1 + random.below(16), random),
            2 => self.tlp(0x60, &[0, 0, 0, 0, 0xE0, 0, 0, 8], 1 + random.below(16), random),
            3 => self.tlp(0x00, &short, 1, random),
            4 => self.tlp(0x20, &[0, 0, 0, 1, 0xE0, 0, 0, 8], 1, random),
            5 => self.tlp(0x4A, &[1, 0, 0, 0], 1 + random.below(128), random),
            6 => self.tlp(0x0A, &[1, 0, 0, 0], 0, random),
            _ => {
                let dwords = 1 + random.below(40);
                self.tlp([0x74, 0x40][random.below(2) as usize], &[0xD0, 0, 0, 0], dwords, random)
            }
        }
    }

    /// What a bridge sends: DMA writes and reads, completions, interrupts.
    pub fn of_bridge(&mut self, random: &mut RandomDrive) -> Vec<u8> {
        match random.below(6) {
            0 => self.tlp(0x40, &[0x12, 0x34, 0x56, 0], 1 + random.below(128), random),
            1 => self.tlp(0x60, &[0, 0, 0, 1, 0x34, 0x56, 0, 0], 1 + random.below(128), random),
            2 => self.tlp(0x00, &[0x12, 0x34, 0x56, 0], 128, random),
            3 => self.tlp(0x20, &[0, 0, 0, 1, 0x34, 0x56, 0, 0], 128, random),
            4 => self.tlp(0x4A, &[0, 0, 0, 0], 1 + random.below(16), random),
            _ => self.tlp(0x40, &[0xFE, 0xE0, 0, 0], 1, random),
        }
    }
}
