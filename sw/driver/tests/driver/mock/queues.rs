//! The mock's queues: doorbells, execution of requests, completions.

use super::State;

const SUCCESS: u8 = 0;
const LOC_QP_OP: u8 = 2;
const WR_FLUSH: u8 = 5;
const MW_BIND: u8 = 6;

/// A completion queue of the mock.
#[derive(Clone, Debug)]
pub struct Cq {
    pub log2: u32,
    pub vector: u8,
    pub base: u64,
    pub produced: u32,
    pub consumed: u32,
    pub armed: bool,
    pub overflowed: bool,
}

/// A queue pair of the mock.
#[derive(Clone, Debug)]
pub struct Qp {
    pub qpn: u32,
    pub pd: u32,
    pub send_cqn: u32,
    pub receive_cqn: u32,
    pub state: u32,
    pub sig_all: bool,
    pub privileged: bool,
    pub sq_log2: u32,
    pub rq_log2: u32,
    pub sq_base: u64,
    pub rq_base: u64,
    pub sq_posted: u32,
    pub sq_done: u32,
    pub rq_posted: u32,
    pub rq_done: u32,
    /// Words of the last MODIFY_QP.
    pub modified_by: Vec<u32>,
    /// Every slot that was read.
    pub slots: Vec<Vec<u8>>,
}

impl Cq {
    pub fn new(log2: u32, vector: u8, base: u64) -> Cq {
        Cq { log2, vector, base, produced: 0, consumed: 0, armed: false, overflowed: false }
    }
}

impl Qp {
    pub fn new(words: &[u32]) -> Qp {
        let wide = |word: usize| u64::from(words[word]) | u64::from(words[word + 1]) << 32;
        Qp {
            qpn: words[0],
            pd: words[1],
            send_cqn: words[2],
            receive_cqn: words[3],
            state: 0,
            privileged: words[4] >> 16 & 1 != 0,
            sig_all: words[4] >> 17 & 1 != 0,
            sq_log2: words[4] & 0xFF,
            rq_log2: words[4] >> 8 & 0xFF,
            sq_base: wide(6),
            rq_base: wide(8),
            sq_posted: 0,
            sq_done: 0,
            rq_posted: 0,
            rq_done: 0,
            modified_by: Vec::new(),
            slots: Vec::new(),
        }
    }

    pub fn restart(&mut self) {
        (self.sq_posted, self.sq_done, self.rq_posted, self.rq_done) = (0, 0, 0, 0);
    }
}

impl State {
    pub(super) fn sq_doorbell(&mut self, index: u32, value: u32) {
        let Some(qp) = self.qps.get_mut(&index) else {
            assert!(self.answers_lost, "SQ doorbell of no queue pair");
            return;
        };
        assert!(qp.state >= 3, "SQ doorbell in state {}", qp.state);
        let pending = value.wrapping_sub(qp.sq_done) & 0xFFFF;
        assert!(value <= 0xFFFF && pending <= 1 << qp.sq_log2, "SQ doorbell beyond the ring");
        qp.sq_posted = qp.sq_done + pending;
    }

    pub(super) fn rq_doorbell(&mut self, index: u32, value: u32) {
        let qp = self.qps.get_mut(&index).expect("RQ doorbell of no queue pair");
        assert!(qp.state >= 1, "RQ doorbell in RESET");
        let pending = value.wrapping_sub(qp.rq_done) & 0xFFFF;
        assert!(value <= 0xFFFF && pending <= 1 << qp.rq_log2, "RQ doorbell beyond the ring");
        qp.rq_posted = qp.rq_done + pending;
    }

    pub(super) fn cq_doorbell(&mut self, number: u32, value: u32) {
        let Some(cq) = self.cqs.get_mut(&number) else {
            assert!(self.answers_lost, "CQ doorbell of no completion queue");
            return;
        };
        cq.consumed = value & 0xFF_FFFF;
        assert!(cq.consumed <= cq.produced, "consumed more than was produced");
        cq.armed |= value >> 24 & 3 != 0;
        if cq.armed && cq.consumed != cq.produced {
            cq.armed = false;
            let vector = cq.vector;
            self.fired.insert(vector);
        }
    }

    pub(super) fn run_queues(&mut self) {
        let indices: Vec<u32> = self.qps.keys().copied().collect();
        for index in indices {
            while self.qps[&index].sq_done != self.qps[&index].sq_posted && self.qps[&index].state != 4 {
                self.run_send(index);
            }
            while !self.receives_held
                && self.qps[&index].state == 6
                && self.qps[&index].rq_done != self.qps[&index].rq_posted
            {
                self.flush_receive(index);
            }
        }
    }

    fn run_send(&mut self, index: u32) {
        let qp = self.qps[&index].clone();
        let slot = qp.sq_done & ((1 << qp.sq_log2) - 1);
        let bytes = self.load(qp.sq_base + 64 * u64::from(slot), 64);
        let blocks = u32::from(bytes[2]).clamp(1, 2);
        let (status, syndrome) = match qp.state {
            6 => (WR_FLUSH, 0),
            _ => self.execute_wqe(qp.pd, &bytes),
        };
        let qp = self.qps.get_mut(&index).unwrap();
        qp.sq_done += blocks;
        qp.slots.push(bytes.clone());
        if status != SUCCESS {
            qp.state = 6;
        }
        if status != SUCCESS || bytes[1] & 1 != 0 || qp.sig_all {
            let qp = qp.clone();
            // D14: nothing but qpn, status, syndrome and slot counts in an error entry.
            let opcode = if status == SUCCESS { bytes[0] } else { 0xEE };
            self.complete(qp.send_cqn, qp.qpn, opcode, status, syndrome, slot, 0);
        }
    }

    fn execute_wqe(&mut self, pd: u32, bytes: &[u8]) -> (u8, u8) {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let wide = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let key = word(4);
        match bytes[0] {
            0x20 | 0x21 => {}
            0..=0x0D if self.caps & 2 != 0 => {
                // T10, as far as one slot tells; the others are data that nobody looks at.
                let blocks = if bytes[3] > 2 { 2 } else { 1 };
                assert!(bytes[3] <= 4 && bytes[2] == blocks, "{} blocks for {} SGEs", bytes[2], bytes[3]);
                if bytes[0] == 0x09 {
                    if let Some(mr) = self.mrs.get_mut(&(key >> 8)) {
                        mr.valid = false;
                    }
                }
                return (SUCCESS, 0);
            }
            _ => return (LOC_QP_OP, 0x01),
        }
        let Some(mr) = self.mrs.get_mut(&(key >> 8)) else { return (MW_BIND, 0x02) };
        if mr.pd != pd {
            return (MW_BIND, 0x05);
        }
        if bytes[0] == 0x21 {
            if mr.key != key {
                return (MW_BIND, 0x20);
            }
            mr.valid = false;
            return (SUCCESS, 0);
        }
        if mr.valid {
            return (MW_BIND, 0x06);
        }
        (mr.key, mr.valid, mr.iova, mr.length) = (key, true, wide(0x10), wide(0x18));
        if bytes[1] & 8 == 0 {
            // The list is read; a list that is gone shows as a stray access.
            self.load(wide(0x20), 8 * (word(8) >> 16) as usize);
        }
        (SUCCESS, 0)
    }

    fn flush_receive(&mut self, index: u32) {
        let qp = self.qps.get_mut(&index).unwrap();
        let slot = qp.rq_done & ((1 << qp.rq_log2) - 1);
        qp.rq_done += 1;
        let qp = qp.clone();
        self.complete(qp.receive_cqn, qp.qpn, 0xEE, WR_FLUSH, 0, slot, 8);
    }

    /// Writes a completion.
    #[allow(clippy::too_many_arguments)]
    pub fn complete(&mut self, cqn: u32, qpn: u32, opcode: u8, status: u8, syndrome: u8, slot: u32, flags: u32) {
        self.complete_with(cqn, qpn, opcode, (status, syndrome), slot, flags, 0x5678);
    }

    /// Writes a completion with immediate data or an invalidated key.
    #[allow(clippy::too_many_arguments)]
    pub fn complete_with(
        &mut self,
        cqn: u32,
        qpn: u32,
        opcode: u8,
        (status, syndrome): (u8, u8),
        slot: u32,
        flags: u32,
        imm: u32,
    ) {
        let cq = self.cqs.get_mut(&cqn).expect("completion into no completion queue");
        if cq.produced - cq.consumed == 1 << cq.log2 {
            cq.overflowed = true;
            return;
        }
        let phase = if cq.produced >> cq.log2 & 1 == 0 { 1u32 << 31 } else { 0 };
        let address = cq.base + 32 * u64::from(cq.produced & ((1 << cq.log2) - 1));
        cq.produced += 1;
        if cq.armed {
            cq.armed = false;
            self.fired.insert(cq.vector);
        }
        let codes = u32::from_le_bytes([status, syndrome, slot as u8, (slot >> 8) as u8]);
        let words = [qpn | u32::from(opcode) << 24, codes, 0x1234, imm, flags, 0, 0x99, phase];
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.store(address, &bytes);
    }
}
