//! Bench of the bridge: a lower side that sends and takes TLPs, and a core with registers, reads, writes and interrupts.
//!
//! Every TLP that leaves goes through the model's checker (TL1 to TL5, IR3).
use super::model::{hex, Tlp};
use super::Bridge;
use crate::check::RandomDrive;
use rust_hdl::prelude::*;
use std::collections::{HashMap, VecDeque};

/// Requester and completer id of the device.
pub const DEVICE: u16 = 0x0100;
/// Cycles of the completion timeout in tests.
pub const TIMEOUT: u64 = 1600;

/// One beat on its way to the device: data, tkeep, tlast, tuser.
pub type Beat = (u64, u64, bool, bool);

/// A beat that R has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBeat {
    pub id: u64,
    pub data: u64,
    pub response: u64,
    pub last: bool,
}

/// A write burst of the core.
#[derive(Clone, Debug)]
pub struct Burst {
    pub id: u64,
    pub address: u64,
    /// Data and strobes.
    pub beats: Vec<(u64, u64)>,
}

pub struct Bench {
    pub uut: Bridge,
    pub random: RandomDrive,
    pub cycle: u64,
    /// Chances in eighths that the host takes a beat, the host sends a beat, the core is ready.
    pub pace: [u32; 3],
    /// Beats of TLPs to deliver, and whether the TLP hits BAR0.
    deliveries: VecDeque<(VecDeque<Beat>, bool)>,
    offered: bool,
    leaving: Vec<u8>,
    /// TLPs that have left, and how many of them a host model has looked at.
    pub sent: Vec<Vec<u8>>,
    pub served: usize,
    pub gaps: usize,
    pub mps: u32,
    pub mrrs: u32,
    /// Registers of the core; their responses where those are not OKAY.
    pub registers: HashMap<u16, u32>,
    pub responses: HashMap<u16, u64>,
    /// Accesses that the core has seen: offset, value and strobes of a write.
    pub accesses: Vec<(u16, Option<(u32, u64)>)>,
    lite_wait: u64,
    /// B and R of the registers are offered.
    lite_answers: [bool; 2],
    /// AR, AW, W are not offered; what is offered stays.
    idle: [bool; 3],
    pub reads: VecDeque<(u64, u64, u64)>,
    pub read_beats: Vec<ReadBeat>,
    pub writes: VecDeque<Burst>,
    write_beats: VecDeque<(u64, u64, bool)>,
    pub answers: Vec<(u64, u64)>,
    pub interrupts: VecDeque<u64>,
    /// R is taken at all.
    pub take_reads: bool,
}

impl Bench {
    pub fn new(seed: u64) -> Self {
        Self::with_timeout(seed, TIMEOUT)
    }

    pub fn with_timeout(seed: u64, timeout: u64) -> Self {
        let mut bench = Self {
            uut: Bridge::new(timeout),
            random: RandomDrive::new(seed),
            cycle: 0,
            pace: [8, 8, 8],
            deliveries: VecDeque::new(),
            offered: false,
            leaving: vec![],
            sent: vec![],
            served: 0,
            gaps: 0,
            mps: 512,
            mrrs: 512,
            registers: HashMap::new(),
            responses: HashMap::new(),
            accesses: vec![],
            lite_wait: 0,
            lite_answers: [false; 2],
            idle: [true; 3],
            reads: VecDeque::new(),
            read_beats: vec![],
            writes: VecDeque::new(),
            write_beats: VecDeque::new(),
            answers: vec![],
            interrupts: VecDeque::new(),
            take_reads: true,
        };
        bench.uut.connect_all();
        bench.uut.device_id.next = bits(DEVICE.into());
        bench.uut.mps.next = bits(2);
        bench.uut.mrrs.next = bits(2);
        bench.uut.bus_master_enable.next = true;
        bench.uut.link_up.next = true;
        bench.uut.nonposted_ok.next = true;
        bench.uut.reset.next = true;
        bench.run(4);
        bench.uut.reset.next = false;
        bench.run(4);
        bench
    }

    /// Sends a TLP to the device.
    pub fn deliver(&mut self, bytes: &[u8], hits: bool) {
        let words = bytes.len() / 8 + usize::from(bytes.len() % 8 != 0);
        let beats = bytes.chunks(8).enumerate().map(|(i, chunk)| {
            let mut word = [0xEE; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            (u64::from_le_bytes(word), if chunk.len() == 8 { 0xFF } else { 0x0F }, i + 1 == words, false)
        });
        self.deliver_beats(beats.collect(), hits);
    }

    pub fn deliver_beats(&mut self, beats: VecDeque<Beat>, hits: bool) {
        self.deliveries.push_back((beats, hits));
    }

    /// Sends a TLP that is printed as in the specification.
    pub fn deliver_hex(&mut self, text: &str, hits: bool) {
        self.deliver(&hex(text), hits);
    }

    pub fn deliveries_left(&self) -> usize {
        self.deliveries.len()
    }

    pub fn read(&mut self, id: u64, address: u64, beats: u64) {
        self.reads.push_back((id, address, beats));
    }

    /// A write burst of a run of bytes.
    pub fn write(&mut self, id: u64, address: u64, data: &[u8]) {
        let base = address & !7;
        let end = address + data.len() as u64;
        let beats = (base..end).step_by(8).map(|at| {
            let lane = |i: u64| (at + i).checked_sub(address).and_then(|index| data.get(index as usize));
            (0..8).fold((0x5A5A_5A5A_5A5A_5A5A, 0), |(word, strobes), i| match lane(i) {
                Some(byte) => (word & !(0xFF << (8 * i)) | u64::from(*byte) << (8 * i), strobes | 1 << i),
                None => (word, strobes),
            })
        });
        let beats = beats.collect();
        self.writes.push_back(Burst { id, address: base, beats });
    }

    fn drive(&mut self) {
        if let Some((beats, hits)) = self.deliveries.front() {
            let (data, keep, last, user) = beats[0];
            self.uut.sink.tdata.next = bits(data);
            self.uut.sink.tkeep.next = bits(keep);
            self.uut.sink.tlast.next = last;
            self.uut.sink.tuser.next = user;
            self.uut.bar_hit.next = bits(u64::from(*hits));
            self.offered = self.offered || self.random.chance(self.pace[1], 8);
        }
        self.uut.sink.tvalid.next = self.offered;
        self.uut.source.tready.next = self.random.chance(self.pace[0], 8);
        let core = self.pace[2];
        if self.idle[0] {
            if let Some((id, address, beats)) = self.reads.front() {
                self.uut.read.arid.next = bits(*id);
                self.uut.read.araddr.next = bits(*address);
                self.uut.read.arlen.next = bits(beats - 1);
                self.idle[0] = !self.random.chance(core, 8);
            }
        }
        self.uut.read.rready.next = self.take_reads && self.random.chance(core, 8);
        if self.idle[1] {
            if let Some(burst) = self.writes.front() {
                self.uut.write.awid.next = bits(burst.id);
                self.uut.write.awaddr.next = bits(burst.address);
                self.uut.write.awlen.next = bits(burst.beats.len() as u64 - 1);
                self.idle[1] = !self.random.chance(core, 8);
            }
        }
        if self.idle[2] {
            if let Some((data, strobes, last)) = self.write_beats.front() {
                self.uut.write.wdata.next = bits(*data);
                self.uut.write.wstrb.next = bits(*strobes);
                self.uut.write.wlast.next = *last;
                self.idle[2] = !self.random.chance(core, 8);
            }
        }
        self.uut.read.arvalid.next = !self.idle[0];
        self.uut.write.awvalid.next = !self.idle[1];
        self.uut.write.wvalid.next = !self.idle[2];
        self.uut.write.bready.next = self.random.chance(core, 8);
        self.uut.irq_valid.next = !self.interrupts.is_empty();
        self.uut.irq_vector.next = bits(self.interrupts.front().copied().unwrap_or(0));
    }

    /// The core's registers: a write takes address and data in one cycle, answers come some cycles later.
    fn drive_registers(&mut self) {
        let port = &mut self.uut.registers;
        port.awready.next = false;
        port.wready.next = false;
        port.arready.next = false;
        port.bvalid.next = self.lite_answers[0];
        port.rvalid.next = self.lite_answers[1];
        let waits = self.lite_answers != [false; 2];
        self.lite_wait = self.lite_wait.saturating_sub(1);
        if self.lite_wait > 0 {
            return;
        }
        let response = |responses: &HashMap<u16, u64>, offset: u16| bits(responses.get(&offset).copied().unwrap_or(0));
        if port.awvalid.val() && port.wvalid.val() && !waits {
            let (offset, data) = (port.awaddr.val().to_u64() as u16, port.wdata.val().to_u64() as u32);
            let strobes = port.wstrb.val().to_u64();
            self.accesses.push((offset, Some((data, strobes))));
            let mask = (0..4).filter(|i| strobes >> i & 1 == 1).fold(0u32, |mask, i| mask | 0xFF << (8 * i));
            let value = self.registers.entry(offset).or_default();
            *value = *value & !mask | data & mask;
            port.awready.next = true;
            port.wready.next = true;
            port.bvalid.next = true;
            self.lite_answers[0] = true;
            port.bresp.next = response(&self.responses, offset);
        } else if port.arvalid.val() && !waits {
            let offset = port.araddr.val().to_u64() as u16;
            self.accesses.push((offset, None));
            port.arready.next = true;
            port.rvalid.next = true;
            self.lite_answers[1] = true;
            port.rresp.next = response(&self.responses, offset);
            port.rdata.next = bits(self.registers.get(&offset).copied().unwrap_or(0).into());
        }
        self.lite_wait = self.random.below(4);
    }

    pub fn step(&mut self) {
        self.drive();
        self.drive_registers();
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 1000), "combinational loop");
        self.observe();
        self.uut.clock.next = Clock { clk: true };
        assert!(simulate(&mut self.uut, 1000), "combinational loop");
        self.cycle += 1;
    }

    fn observe(&mut self) {
        if self.uut.reset.val() {
            return;
        }
        if self.uut.sink.tvalid.val() && self.uut.sink.tready.val() {
            let (beats, _) = self.deliveries.front_mut().unwrap();
            beats.pop_front();
            if beats.is_empty() {
                self.deliveries.pop_front();
            }
            self.offered = false;
        }
        if self.uut.source.tvalid.val() && self.uut.source.tready.val() {
            let keep = self.uut.source.tkeep.val().to_u64();
            assert!(keep == 0xFF || (keep == 0x0F && self.uut.source.tlast.val()), "TL9: tkeep {keep:02x}");
            let bytes = self.uut.source.tdata.val().to_u64().to_le_bytes();
            self.leaving.extend(&bytes[..if keep == 0xFF { 8 } else { 4 }]);
            if self.uut.source.tlast.val() {
                let tlp = std::mem::take(&mut self.leaving);
                if let Err(error) = Tlp::check_sent(&tlp, DEVICE, self.mps, self.mrrs) {
                    panic!("cycle {}: {tlp:02x?}: {error}", self.cycle);
                }
                self.sent.push(tlp);
            }
        } else if !self.leaving.is_empty() && !self.uut.source.tvalid.val() {
            self.gaps += 1;
        }
        let port = &self.uut.registers;
        self.lite_answers[0] &= !(port.bvalid.val() && port.bready.val());
        self.lite_answers[1] &= !(port.rvalid.val() && port.rready.val());
        if self.uut.read.arvalid.val() && self.uut.read.arready.val() {
            self.reads.pop_front();
            self.idle[0] = true;
        }
        if self.uut.read.rvalid.val() && self.uut.read.rready.val() {
            self.read_beats.push(ReadBeat {
                id: self.uut.read.rid.val().to_u64(),
                data: self.uut.read.rdata.val().to_u64(),
                response: self.uut.read.rresp.val().to_u64(),
                last: self.uut.read.rlast.val(),
            });
        }
        if self.uut.write.awvalid.val() && self.uut.write.awready.val() {
            let burst = self.writes.pop_front().unwrap();
            let last = burst.beats.len() - 1;
            let beats = burst.beats.into_iter().enumerate();
            self.write_beats.extend(beats.map(|(i, (data, strobes))| (data, strobes, i == last)));
            self.idle[1] = true;
        }
        if self.uut.write.wvalid.val() && self.uut.write.wready.val() {
            self.write_beats.pop_front();
            self.idle[2] = true;
        }
        if self.uut.write.bvalid.val() && self.uut.write.bready.val() {
            self.answers.push((self.uut.write.bid.val().to_u64(), self.uut.write.bresp.val().to_u64()));
        }
        if self.uut.irq_valid.val() && self.uut.irq_ready.val() {
            self.interrupts.pop_front();
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
        panic!(
            "{what} not within {limit} cycles, at cycle {}: {} TLPs to deliver, {} sent (last {:02x?}), accesses {:x?}, R {} beats (last {:x?}), B {:x?}",
            self.cycle,
            self.deliveries.len(),
            self.sent.len(),
            self.sent.last(),
            self.accesses.iter().rev().take(4).collect::<Vec<_>>(),
            self.read_beats.len(),
            self.read_beats.last(),
            self.answers,
        );
    }

    /// Waits for the next TLP that leaves, and expects these bytes.
    pub fn expect_sent(&mut self, text: &str) {
        let count = self.served;
        self.until(400, text, |bench| bench.sent.len() > count);
        self.served += 1;
        let (sent, wanted) = (self.sent[count].clone(), hex(text));
        assert_eq!(sent, wanted, "sent {sent:02x?}, expected {wanted:02x?}");
    }

    /// A counter of the bridge, read by the host.
    pub fn counter(&mut self, number: u32) -> u32 {
        self.register(0xE004 + 4 * number as u16)
    }

    /// A register, read by the host with tag 99; other TLPs may leave before.
    pub fn register(&mut self, offset: u16) -> u32 {
        let read = Tlp::Read { address: offset.into(), length: 1, first: 15, last: 0, requester: 0, tag: 0x99 };
        self.deliver(&read.pack(), true);
        let from = self.sent.len();
        let mine =
            |tlp: &Vec<u8>| matches!(Tlp::check_sent(tlp, DEVICE, 512, 512), Ok(Tlp::Completion { tag: 0x99, .. }));
        self.until(2000, "register", |bench| bench.sent[from..].iter().any(mine));
        let answer = self.sent[from..].iter().find(|tlp| mine(tlp)).unwrap();
        u32::from_le_bytes(answer[12..16].try_into().unwrap())
    }

    /// The host writes a register.
    pub fn set_register(&mut self, offset: u16, value: u32) {
        let payload = value.to_le_bytes().to_vec();
        let write = Tlp::Write { address: offset.into(), first: 15, last: 0, requester: 0, payload };
        self.deliver(&write.pack(), true);
    }
}
