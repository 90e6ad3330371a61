//! The mock's queues: doorbells, execution of requests, completions.

use rnic_driver::SendExtra;

use crate::State;

const SUCCESS: u8 = 0;
const LOC_QP_OP: u8 = 2;
const WR_FLUSH: u8 = 5;
const MW_BIND: u8 = 6;

/// Opcode of the completion of a receive request, and flags of completions.
const RECV: u32 = 0x80;
const IMMEDIATE: u32 = 1;
const INVALIDATED: u32 = 2;
const RECEIVE: u32 = 8;

/// Rights of which one lets the peer invalidate a region: RW, RR, RA; and the bit that says so (C12).
const REMOTE: u8 = 0x0E;
const REMOTE_INVALIDATE: u8 = 0x10;

/// A completion queue of the mock.
///
/// ```
/// let rnic_mock::Rig { mock, device, .. } = rnic_mock::connected();
/// let cq = device.create_cq(100, 3)?;
/// let queue = mock.with(|state| state.cqs[&cq.number()].clone());
/// assert_eq!((queue.log2, queue.vector, queue.produced), (7, 3, 0));
/// # Ok::<(), rnic_driver::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cq {
    /// log2 of its entries.
    pub log2: u32,
    /// Interrupt vector.
    pub vector: u8,
    /// Bus address of its ring.
    pub base: u64,
    /// Free-running count of entries written.
    pub produced: u32,
    /// Free-running count of entries that the driver says to have consumed.
    pub consumed: u32,
    /// The next completion fires the vector.
    pub armed: bool,
    /// There was no room for a completion.
    pub overflowed: bool,
}

/// A queue pair of the mock.
///
/// ```
/// use rnic_driver::SendRequest;
///
/// let rnic_mock::Rig { mock, qp, .. } = rnic_mock::connected();
/// qp.post_send(SendRequest::local_inv(1, 0x0000_0100))?;
/// mock.run();
/// let slots = mock.with(|state| state.qps[&qp.index()].slots.clone());
/// assert_eq!((slots.len(), slots[0][0]), (1, 0x21), "one WQE was read, a LOCAL_INV");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Qp {
    /// Queue pair number.
    pub qpn: u32,
    /// Protection domain.
    pub pd: u32,
    /// Completion queue of its send queue.
    pub send_cqn: u32,
    /// Completion queue of its receive queue.
    pub receive_cqn: u32,
    /// State by its code.
    pub state: u32,
    /// Each request makes a completion.
    pub sig_all: bool,
    /// May use the local DMA lkey.
    pub privileged: bool,
    /// log2 of the slots of the send ring.
    pub sq_log2: u32,
    /// log2 of the slots of the receive ring.
    pub rq_log2: u32,
    /// Bus address of the send ring.
    pub sq_base: u64,
    /// Bus address of the receive ring.
    pub rq_base: u64,
    /// Free-running count of send slots that the doorbell told of.
    pub sq_posted: u32,
    /// Free-running count of send slots executed.
    pub sq_done: u32,
    /// Free-running count of receive requests that the doorbell told of.
    pub rq_posted: u32,
    /// Free-running count of receive requests used.
    pub rq_done: u32,
    /// Words of the last MODIFY_QP.
    pub modified_by: Vec<u32>,
    /// First slot of each WQE that was read.
    pub slots: Vec<Vec<u8>>,
}

impl Cq {
    pub(crate) fn new(log2: u32, vector: u8, base: u64) -> Cq {
        Cq { log2, vector, base, produced: 0, consumed: 0, armed: false, overflowed: false }
    }
}

impl Qp {
    pub(crate) fn new(words: &[u32]) -> Qp {
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

    pub(crate) fn restart(&mut self) {
        (self.sq_posted, self.sq_done, self.rq_posted, self.rq_done) = (0, 0, 0, 0);
    }
}

impl State {
    pub(crate) fn sq_doorbell(&mut self, index: u32, value: u32) {
        let Some(qp) = self.qps.get_mut(&index) else {
            assert!(self.answers_lost, "SQ doorbell of no queue pair");
            return;
        };
        assert!(qp.state >= 3, "SQ doorbell in state {}", qp.state);
        let pending = value.wrapping_sub(qp.sq_done) & 0xFFFF;
        assert!(value <= 0xFFFF && pending <= 1 << qp.sq_log2, "SQ doorbell beyond the ring");
        qp.sq_posted = qp.sq_done + pending;
    }

    pub(crate) fn rq_doorbell(&mut self, index: u32, value: u32) {
        let qp = self.qps.get_mut(&index).expect("RQ doorbell of no queue pair");
        assert!(qp.state >= 1, "RQ doorbell in RESET");
        let pending = value.wrapping_sub(qp.rq_done) & 0xFFFF;
        assert!(value <= 0xFFFF && pending <= 1 << qp.rq_log2, "RQ doorbell beyond the ring");
        qp.rq_posted = qp.rq_done + pending;
    }

    pub(crate) fn cq_doorbell(&mut self, number: u32, value: u32) {
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

    pub(crate) fn run_queues(&mut self) {
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
        let rights = if bytes[3] & REMOTE != 0 { bytes[3] | REMOTE_INVALIDATE } else { bytes[3] };
        (mr.key, mr.valid, mr.access, mr.page_shift) = (key, true, rights, bytes[8]);
        (mr.fbo, mr.iova, mr.length) = (word(0x0C), wide(0x10), wide(0x18));
        let npages = (word(8) >> 16) as usize;
        let list = match bytes[1] & 8 != 0 {
            true => bytes[0x20..][..8 * npages].to_vec(),
            // A list that is gone shows as a stray access.
            false => self.load(wide(0x20), 8 * npages),
        };
        let pages = list.chunks_exact(8).map(|page| u64::from_le_bytes(page.try_into().unwrap())).collect();
        if let Some(mr) = self.mrs.get_mut(&(key >> 8)) {
            mr.pages = pages;
        }
        (SUCCESS, 0)
    }

    fn flush_receive(&mut self, index: u32) {
        let qp = self.qps.get_mut(&index).unwrap();
        let slot = qp.rq_done & ((1 << qp.rq_log2) - 1);
        qp.rq_done += 1;
        let qp = qp.clone();
        self.complete(qp.receive_cqn, qp.qpn, 0xEE, WR_FLUSH, 0, slot, RECEIVE);
    }

    /// A SEND comes from the peer of a queue pair: it takes the oldest receive request, and the payload goes where that says. Keys
    /// of the request are not looked at: its addresses are taken for bus addresses. False when no request is posted, or the payload
    /// has no room.
    pub fn receive_send(&mut self, qpn: u32, payload: &[u8], extra: SendExtra) -> bool {
        let index = qpn % self.preset.qps;
        let Some(qp) = self.qps.get_mut(&index).filter(|qp| qp.rq_done != qp.rq_posted) else { return false };
        let slot = qp.rq_done & ((1 << qp.rq_log2) - 1);
        let (address, cqn) = (qp.rq_base + 64 * u64::from(slot), qp.receive_cqn);
        let mut rest = payload;
        for sge in self.load(address, 64).chunks_exact(16) {
            let room = u32::from_le_bytes(sge[8..12].try_into().unwrap()) as usize;
            let (piece, behind) = rest.split_at(room.min(rest.len()));
            if !piece.is_empty() {
                self.store(u64::from_le_bytes(sge[..8].try_into().unwrap()), piece);
            }
            rest = behind;
        }
        if !rest.is_empty() {
            return false;
        }
        if let Some(qp) = self.qps.get_mut(&index) {
            qp.rq_done += 1;
        }
        let (flags, word) = match extra {
            SendExtra::None => (RECEIVE, 0),
            SendExtra::Immediate(word) => (RECEIVE | IMMEDIATE, word),
            SendExtra::Invalidate(key) => {
                if let Some(mr) = self.mrs.get_mut(&(key >> 8)) {
                    mr.valid = false;
                }
                (RECEIVE | INVALIDATED, key)
            }
        };
        self.write_entry(cqn, [qpn | RECV << 24, slot << 16, payload.len() as u32, word, flags, 0, 0x99]);
        true
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
        let codes = u32::from_le_bytes([status, syndrome, slot as u8, (slot >> 8) as u8]);
        self.write_entry(cqn, [qpn | u32::from(opcode) << 24, codes, 0x1234, imm, flags, 0, 0x99]);
    }

    /// Writes an entry, all but its last word, into a completion queue, and fires its vector if that is armed.
    fn write_entry(&mut self, cqn: u32, words: [u32; 7]) {
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
        let bytes: Vec<u8> = words.into_iter().chain([phase]).flat_map(u32::to_le_bytes).collect();
        self.store(address, &bytes);
    }
}
