//! A BAR with an AXI4-Lite master, doorbell sinks and counters' sources, stepped in Rust.
#![allow(dead_code)] // each test uses its part
use rnic_abi::preset::{Preset, TINY};
use rnic_abi::register as map;
use rnic_hdl::bar::Bar;
use rnic_hdl::check::tick;
use rust_hdl::prelude::*;

pub const OKAY: u64 = 0;
pub const SLVERR: u64 = 2;
pub const DECERR: u64 = 3;

/// A command as a unit sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    pub words: Vec<(u64, u64)>,
    pub opcode: u64,
}

pub struct Bench {
    pub uut: Bar,
    pub cycle: u64,
    /// Longest access so far.
    pub longest: u64,
    /// Doorbells that came out: kind (0 sq, 1 rq, 2 cq), index, value.
    pub doorbells: Vec<(usize, u64, u64)>,
    /// Whether each doorbell sink is ready.
    pub takes: [bool; 3],
    /// Commands that reached the units, in the order of their starts.
    pub commands: Vec<Seen>,
    words: Vec<(u64, u64)>,
    /// Cycles from a start to its answer; none: never answers.
    pub latency: Option<u64>,
    pub errno: u64,
    pub answers: Vec<(u64, u64)>,
    due: Option<u64>,
    /// What the sources of counts still have to send: syndrome, sq, rq, cq.
    pub counts: [Vec<u64>; 4],
}

impl Bench {
    /// In reset no longer, ready not yet.
    pub fn cold() -> Self {
        Self::of(&TINY, 50_000)
    }

    pub fn of(preset: &Preset, core_khz: u32) -> Self {
        let mut uut = Bar::new(preset, core_khz, Bar::table_entries(preset));
        uut.connect_all();
        let mut bench = Self {
            uut,
            cycle: 0,
            longest: 0,
            doorbells: vec![],
            takes: [true; 3],
            commands: vec![],
            words: vec![],
            latency: Some(3),
            errno: 0,
            answers: vec![],
            due: None,
            counts: Default::default(),
        };
        bench.uut.bus_idle.next = true;
        bench.uut.bus.bready.next = true;
        bench.uut.bus.rready.next = true;
        bench.uut.bus.wstrb.next = 15.into();
        bench.uut.reset.next = true;
        bench.steps(16);
        bench.uut.reset.next = false;
        bench
    }

    /// Ready.
    pub fn ready() -> Self {
        let mut bench = Self::cold();
        bench.await_ready();
        bench
    }

    /// Ready and enabled.
    pub fn enabled() -> Self {
        let mut bench = Self::ready();
        assert_eq!(bench.write(map::CONTROL, map::CONTROL_ENABLE.mask()), OKAY);
        bench
    }

    pub fn await_ready(&mut self) {
        for _ in 0..100 {
            if self.value(map::STATUS) & 1 == 1 {
                return;
            }
            self.steps(20);
        }
        panic!("never ready");
    }

    pub fn steps(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step());
    }

    /// One clock period.
    pub fn step(&mut self) {
        self.uut.sq_doorbell.ready.next = self.takes[0];
        self.uut.rq_doorbell.ready.next = self.takes[1];
        self.uut.cq_doorbell.ready.next = self.takes[2];
        let first = |counts: &Vec<u64>| (counts.first().copied().unwrap_or(0), !counts.is_empty());
        macro_rules! source {
            ($($port:ident $place:literal),*) => { $({
                let (code, some) = first(&self.counts[$place]);
                self.uut.$port.data.next = code.into();
                self.uut.$port.valid.next = some;
            })* };
        }
        source!(syndrome 0, sq_drop 1, rq_drop 2, cq_drop 3);
        self.units();
        // What is taken at the edge shows before it.
        self.uut.clock.next = Clock { clk: false };
        assert!(simulate(&mut self.uut, 1000));
        macro_rules! taken {
            ($($port:ident $place:literal),*) => { $(
                if self.uut.$port.ready.val() && !self.counts[$place].is_empty() {
                    self.counts[$place].remove(0);
                }
            )* };
        }
        taken!(syndrome 0, sq_drop 1, rq_drop 2, cq_drop 3);
        macro_rules! doorbell {
            ($($port:ident $kind:literal),*) => { $(
                if self.uut.$port.valid.val() && self.takes[$kind] {
                    let doorbell = self.uut.$port.data.val();
                    self.doorbells.push(($kind, doorbell.index.to_u64(), doorbell.value.to_u64()));
                }
            )* };
        }
        doorbell!(sq_doorbell 0, rq_doorbell 1, cq_doorbell 2);
        tick(&mut self.uut, |u| &mut u.clock);
        self.cycle += 1;
    }

    /// The units: MR answers opcodes below 8, CQ 8 and 9, QP the rest.
    fn units(&mut self) {
        let port = &self.uut.qp;
        if port.word_valid.val() {
            self.words.push((port.word_index.val().to_u64(), port.word.val().to_u64()));
        }
        if port.start.val() {
            assert!(self.uut.mr.start.val() && self.uut.cq.start.val(), "all units see a start");
            let opcode = port.opcode.val().to_u64();
            self.commands.push(Seen { words: std::mem::take(&mut self.words), opcode });
            self.due = self.latency.map(|latency| self.cycle + latency);
        }
        let opcode = self.commands.last().map_or(0, |seen| seen.opcode);
        let answer = self.due.and_then(|due| (self.cycle + 1).checked_sub(due)).unwrap_or(0);
        let ends = answer > self.answers.len() as u64;
        let word = (answer > 0 && !ends).then(|| self.answers[answer as usize - 1]);
        macro_rules! unit {
            ($($port:ident $mine:expr),*) => { $(
                self.uut.$port.done.next = ends && $mine;
                self.uut.$port.errno.next = if ends && $mine { self.errno } else { 0xEE }.into();
                self.uut.$port.answer_valid.next = word.is_some() && $mine;
                let (index, value) = word.unwrap_or((9, 0xEEEE_EEEE));
                self.uut.$port.answer_index.next = index.into();
                self.uut.$port.answer.next = value.into();
            )* };
        }
        unit!(mr opcode < 8, cq (8..10).contains(&opcode), qp opcode >= 10);
        if ends {
            self.due = None;
        }
    }

    /// Offers AW and W, each after its delay, waits for B.
    pub fn write_with(&mut self, address: u32, data: u32, strobes: u64, delays: [u64; 2]) -> u64 {
        let begun = self.cycle;
        let bus = &mut self.uut.bus;
        bus.awaddr.next = u64::from(address).into();
        bus.wdata.next = u64::from(data).into();
        bus.wstrb.next = strobes.into();
        let (mut given, mut counted) = ([false; 2], begun);
        loop {
            let waited = self.cycle - begun;
            let offers = [!given[0] && waited >= delays[0], !given[1] && waited >= delays[1]];
            self.uut.bus.awvalid.next = offers[0];
            self.uut.bus.wvalid.next = offers[1];
            let readies = [self.uut.bus.awready.val(), self.uut.bus.wready.val()];
            let answered = self.uut.bus.bvalid.val() && given == [true; 2];
            let response = self.uut.bus.bresp.val().to_u64();
            self.step();
            for i in 0..2 {
                given[i] |= offers[i] && readies[i];
            }
            if answered {
                self.longest = self.longest.max(self.cycle - counted);
                return response;
            }
            if given != [true; 2] {
                counted = self.cycle;
            }
            assert!(self.cycle - begun < 300, "no response to a write to {address:04x}");
        }
    }

    pub fn write(&mut self, address: u32, data: u32) -> u64 {
        self.write_with(address, data, 15, [0, 0])
    }

    pub fn read(&mut self, address: u32) -> (u64, u32) {
        let begun = self.cycle;
        self.uut.bus.araddr.next = u64::from(address).into();
        let mut given = false;
        loop {
            self.uut.bus.arvalid.next = !given;
            let ready = self.uut.bus.arready.val();
            let answered = self.uut.bus.rvalid.val() && given;
            let answer = (self.uut.bus.rresp.val().to_u64(), self.uut.bus.rdata.val().to_u64() as u32);
            self.step();
            given |= ready;
            if answered {
                self.longest = self.longest.max(self.cycle - begun);
                return answer;
            }
            assert!(self.cycle - begun < 300, "no response to a read of {address:04x}");
        }
    }

    /// Value of a readable register.
    pub fn value(&mut self, address: u32) -> u32 {
        let (response, value) = self.read(address);
        assert_eq!(response, OKAY, "{address:04x}");
        value
    }

    /// Writes the words, then GO.
    pub fn command(&mut self, opcode: u8, token: u32, words: &[u32]) -> u64 {
        for (i, word) in words.iter().enumerate() {
            assert_eq!(self.write(map::admin_command(i as u32), *word), OKAY);
        }
        self.write(map::GO, map::GO_OPCODE.put(opcode.into()) | map::GO_TOKEN.put(token))
    }

    /// Waits until done; errno and token.
    pub fn outcome(&mut self) -> (u32, u32) {
        for _ in 0..100 {
            let status = self.value(map::ADMIN_STATUS);
            if map::ADMIN_STATUS_DONE.is_set(status) {
                assert!(!map::ADMIN_STATUS_BUSY.is_set(status));
                return (map::ADMIN_STATUS_ERRNO.get(status), map::ADMIN_STATUS_TOKEN.get(status));
            }
        }
        panic!("the command is never done");
    }
}
