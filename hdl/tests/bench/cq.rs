//! A host that drives `CompletionQueues` as the driver, the queue pairs and the DMA would.
use super::*;
use rnic_abi::cqe::{self, Cqe};
use rnic_abi::errno;
use rnic_hdl::cq::CompletionQueues;
use rnic_hdl::types::CqeRequest;

impl<const DATA: usize, const STRB: usize, const CA: usize> Clocked for CompletionQueues<DATA, STRB, CA> {
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
}

pub struct Host<const DATA: usize, const STRB: usize, const CA: usize> {
    pub uut: CompletionQueues<DATA, STRB, CA>,
    pub memory: WriteMemory,
    /// Requests to come on the two ports.
    pub send: VecDeque<Cqe>,
    pub receive: VecDeque<Cqe>,
    pub doorbells: VecDeque<(u64, u64)>,
    /// CQN of a request, by its QPN.
    pub cqn: fn(&Cqe) -> u64,
    /// Cycle and vector of each interrupt.
    pub interrupts: Vec<(u64, u64)>,
    pub failed: Vec<u64>,
    pub drops: Vec<u8>,
    pub fenced: usize,
    /// Cycle in which each request was accepted.
    pub accepted: Vec<u64>,
    pub rough: bool,
    answer: Option<u8>,
    rng: ChaCha8Rng,
}

pub fn success(qpn: u32, slot: u16) -> Cqe {
    Cqe { qpn, opcode: 0x20, slot, byte_len: 77, imm: 0x1234_5678, flags: 3, ..Default::default() }
}

pub const BASE: u64 = 0x8_0000_0000;

impl<const DATA: usize, const STRB: usize, const CA: usize> Host<DATA, STRB, CA> {
    /// A block after reset, whose tables held garbage before.
    pub fn new(memory: WriteMemory) -> Self {
        let mut uut = CompletionQueues::default();
        uut.connect_all();
        uut.reset.next = true;
        uut.clearing.next = true;
        for index in 0..1 << CA {
            uut.clear_index.next = bits(index);
            settle(&mut uut);
            edge(&mut uut);
        }
        uut.reset.next = false;
        uut.clearing.next = false;
        Self {
            uut,
            memory,
            send: VecDeque::new(),
            receive: VecDeque::new(),
            doorbells: VecDeque::new(),
            cqn: |cqe| cqe.qpn as u64 & 0xF,
            interrupts: vec![],
            failed: vec![],
            drops: vec![],
            fenced: 0,
            accepted: vec![],
            rough: false,
            answer: None,
            rng: ChaCha8Rng::seed_from_u64(99),
        }
    }

    pub fn now(&self) -> u64 {
        self.memory.now
    }

    fn request(&self, cqe: &Cqe) -> CqeRequest {
        CqeRequest {
            cqn: bits((self.cqn)(cqe)),
            qpn: bits(cqe.qpn.into()),
            opcode: bits(cqe.opcode.into()),
            status: bits(cqe.status.into()),
            syndrome: bits(cqe.syndrome.into()),
            slot: bits(cqe.slot.into()),
            byte_len: bits(cqe.byte_len.into()),
            imm: bits(cqe.imm.into()),
            flags: bits(cqe.flags.into()),
        }
    }

    pub fn step(&mut self) {
        self.memory.drive(&mut self.uut.cqe);
        let mut goes = || !self.rough || self.rng.random_ratio(3, 4);
        let (drop_ready, failed_ready) = (goes(), goes());
        self.uut.drop.ready.next = drop_ready;
        self.uut.failed.ready.next = failed_ready;
        self.uut.ticks.next = bits(self.memory.now);
        self.uut.send.valid.next = !self.send.is_empty();
        if let Some(cqe) = self.send.front() {
            self.uut.send.data.next = self.request(cqe);
        }
        self.uut.receive.valid.next = !self.receive.is_empty();
        if let Some(cqe) = self.receive.front() {
            self.uut.receive.data.next = self.request(cqe);
        }
        self.uut.doorbell.valid.next = !self.doorbells.is_empty();
        if let Some(&(index, value)) = self.doorbells.front() {
            self.uut.doorbell.data.next.index = bits(index);
            self.uut.doorbell.data.next.value = bits(value);
        }
        settle(&mut self.uut);
        self.take();
        edge(&mut self.uut);
        for pulse in [&mut self.uut.fence, &mut self.uut.use_take, &mut self.uut.use_release] {
            pulse.next = false;
        }
        self.uut.admin.start.next = false;
        self.uut.admin.word_valid.next = false;
    }

    fn take(&mut self) {
        let uut = &self.uut;
        self.memory.take(&uut.cqe);
        for (port, queue) in [(&uut.send, &mut self.send), (&uut.receive, &mut self.receive)] {
            if port.valid.val() && port.ready.val() {
                queue.pop_front();
                self.accepted.push(self.memory.now);
            }
        }
        if uut.doorbell.valid.val() && uut.doorbell.ready.val() {
            self.doorbells.pop_front();
        }
        if uut.interrupt_request.val() {
            self.interrupts.push((self.memory.now, number(uut.interrupt_vector.val())));
        }
        if uut.failed.valid.val() && uut.failed.ready.val() {
            self.failed.push(number(uut.failed.data.val()));
        }
        if uut.drop.valid.val() && uut.drop.ready.val() {
            self.drops.push(number(uut.drop.data.val()) as u8);
        }
        self.fenced += uut.fenced.val() as usize;
        if uut.admin.done.val() {
            self.answer = Some(number(uut.admin.errno.val()) as u8);
        }
    }

    pub fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    /// Until all requests and doorbells are taken and all is written.
    pub fn drain(&mut self) {
        for _ in 0..20_000 {
            self.step();
            if self.send.is_empty() && self.receive.is_empty() && self.doorbells.is_empty() {
                break;
            }
        }
        self.steps(20);
        while !self.memory.waiting.is_empty() {
            self.step();
        }
        self.steps(20);
    }

    /// Starts an admin command with these words; all 32 words are sent.
    pub fn start(&mut self, opcode: u8, words: &[u32]) {
        self.answer = None;
        for index in 0..32 {
            self.uut.admin.word_valid.next = true;
            self.uut.admin.word_index.next = bits(index);
            self.uut.admin.word.next = bits(words.get(index as usize).copied().unwrap_or(0).into());
            self.step();
        }
        self.uut.admin.start.next = true;
        self.uut.admin.opcode.next = bits(opcode.into());
        self.step();
    }

    pub fn answer(&mut self) -> Option<u8> {
        self.answer.take()
    }

    pub fn admin(&mut self, opcode: u8, words: &[u32]) -> u8 {
        self.start(opcode, words);
        for _ in 0..2000 {
            if let Some(errno) = self.answer() {
                return errno;
            }
            self.step();
        }
        panic!("admin command hangs");
    }

    pub fn ring(&self, cqn: u64) -> u64 {
        BASE + cqn * 0x20_0000
    }

    /// Creates a queue with its ring zeroed.
    pub fn create(&mut self, cqn: u64, log2: u32, vector: u32) {
        let ring = self.ring(cqn);
        self.memory.bytes.zero(ring, 32 << log2);
        let errno = self.admin(8, &[cqn as u32, log2 | vector << 8, ring as u32, (ring >> 32) as u32]);
        assert_eq!(errno, errno::SUCCESS);
    }

    /// Entry `count` of a ring as it lies in memory.
    pub fn entry(&self, cqn: u64, log2: u32, count: u64) -> Cqe {
        let slot = count % (1 << log2);
        let bytes = self.memory.bytes.read(self.ring(cqn) + 32 * slot, cqe::BYTES);
        Cqe::decode(&bytes.try_into().unwrap())
    }

    /// Entry `count` if its phase tells that it has been written.
    pub fn poll(&self, cqn: u64, log2: u32, count: u64) -> Option<Cqe> {
        let cqe = self.entry(cqn, log2, count);
        (cqe.phase == ((count >> log2) % 2 == 0)).then_some(cqe)
    }

    pub fn doorbell(&mut self, cqn: u64, value: u64) {
        self.doorbells.push_back((cqn, value));
    }
}
