//! Queue pairs: doorbells, execution in posting order, the first error and the flush behind it.

use super::{Attributes, BusError, Cqe, Memory, ReferenceNic};
use rnic_abi::opcode::{self, Opcode};
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{cqe, wqe};
use std::collections::VecDeque;

/// Bytes of a slot.
const SLOT: u64 = 64;

/// Why a doorbell was dropped (rules T4, B23, I9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorbellDrop {
    /// No queue pair has this index.
    NoQueue,
    /// Its state takes no work of this kind.
    State,
    /// More slots would be pending than the ring has.
    Count,
    /// Bits above the count are set.
    Value,
}

/// A slot that has been posted and not executed.
#[derive(Clone, Debug)]
pub(super) struct PostedSlot {
    /// Its place in the ring.
    pub slot: u16,
    /// What was read there.
    pub bytes: Result<[u8; 64], BusError>,
}

/// What a work request ends with: bytes for the completion, or status and syndrome.
pub(super) type Verdict = Result<u32, (Status, u8)>;

/// A queue pair.
#[derive(Clone, Debug)]
pub struct QueuePair {
    /// Full number (rule T5).
    pub qpn: u32,
    /// Protection domain.
    pub pd: u32,
    /// Completion queue of its sends.
    pub send_cq: u32,
    /// Completion queue of its receives.
    pub receive_cq: u32,
    /// Log2 of the send ring's slots.
    pub sq_log2: u8,
    /// Log2 of the receive ring's slots.
    pub rq_log2: u8,
    /// Bus address of the send ring.
    pub sq_base: u64,
    /// Bus address of the receive ring.
    pub rq_base: u64,
    /// May use the local DMA lkey (rule A26).
    pub privileged: bool,
    /// Every work request is signalled.
    pub sig_all: bool,
    /// State (rule T1).
    pub state: State,
    /// Attributes given so far (rule T1).
    pub attributes: Attributes,
    /// Send slots retired since RESET, free running.
    pub sends_retired: u16,
    /// Receive slots used since RESET, free running.
    pub receives_used: u16,
    /// Receive slots posted since RESET, free running.
    pub receives_posted: u16,
    sends: VecDeque<PostedSlot>,
    receives_failed: bool,
}

/// What the oldest receive completes with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received {
    pub opcode: u8,
    pub status: Status,
    pub syndrome: u8,
    pub flags: u32,
    pub byte_len: u32,
    pub imm: u32,
}

impl Received {
    /// Nothing but an error (rule D14).
    pub fn failed(status: Status, syndrome: u8) -> Self {
        Self { opcode: opcode::RECV, status, syndrome, flags: 0, byte_len: 0, imm: 0 }
    }
}

/// What became of one work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Full number of the queue pair.
    pub qpn: u32,
    /// Slot of the first block.
    pub slot: u16,
    /// Opcode of the work request.
    pub opcode: u8,
    /// Completion status.
    pub status: Status,
    /// Syndrome, 0 for success and flush.
    pub syndrome: u8,
    /// The completion, if one was written: a success only when signalled (rule D10), nothing on an overflow (rule D17).
    pub cqe: Option<Cqe>,
}

impl QueuePair {
    /// A queue pair in RESET.
    pub(super) fn new(qpn: u32, pd: u32, send_cq: u32, receive_cq: u32) -> Self {
        Self {
            qpn,
            pd,
            send_cq,
            receive_cq,
            sq_log2: 2,
            rq_log2: 2,
            sq_base: 0,
            rq_base: 0,
            privileged: false,
            sig_all: false,
            state: State::Reset,
            attributes: Attributes::default(),
            sends_retired: 0,
            receives_used: 0,
            receives_posted: 0,
            sends: VecDeque::new(),
            receives_failed: false,
        }
    }

    /// Send slots posted and not retired.
    pub fn pending_sends(&self) -> usize {
        self.sends.len()
    }

    /// Slot of the work request that executes next.
    pub fn next_slot(&self) -> Option<u16> {
        self.sends.front().map(|posted| posted.slot)
    }

    /// Receive slots posted and not used.
    pub fn pending_receives(&self) -> u16 {
        self.receives_posted.wrapping_sub(self.receives_used)
    }

    /// Work starts by itself: RTS, and ERR, where it starts only to be flushed. In SQD nothing new starts (rule T77).
    pub fn runs(&self) -> bool {
        matches!(self.state, State::Rts | State::Err)
    }

    /// Enters ERR (rules D11, T73).
    pub(super) fn fail(&mut self) {
        self.state = State::Err;
        self.receives_failed = true;
    }

    /// RESET: every count and the ring positions back to 0, posted work forgotten (rules D16, T6).
    pub(super) fn reset(&mut self) {
        self.state = State::Reset;
        self.attributes = Attributes::default();
        self.sends.clear();
        self.receives_failed = false;
        self.sends_retired = 0;
        self.receives_used = 0;
        self.receives_posted = 0;
    }

    /// Slots that the work request at the head takes: two only for a data request that says so; a bad block count or a
    /// slot that cannot be read counts as one (rule T73).
    fn head_blocks(&self) -> usize {
        let two = |slot: &[u8; 64]| {
            Opcode::from_u8(slot[0]).is_some_and(Opcode::is_data) && slot[2] == 2 && self.sends.len() >= 2
        };
        match &self.sends[0].bytes {
            Ok(slot) if two(slot) => 2,
            _ => 1,
        }
    }

    /// The slots of the work request at the head, none when nothing is posted.
    pub(super) fn head(&self) -> Vec<PostedSlot> {
        let blocks = if self.sends.is_empty() { 0 } else { self.head_blocks() };
        self.sends.iter().take(blocks).cloned().collect()
    }
}

impl ReferenceNic {
    /// A write of `value` to the SQ doorbell of QP index `index`: slots up to that count are posted, and read now (rule D18).
    pub fn ring_send(&mut self, index: usize, value: u32, memory: &dyn Memory) -> Result<(), DoorbellDrop> {
        let qp = self.queue_pairs.get_mut(index).and_then(Option::as_mut).ok_or(DoorbellDrop::NoQueue)?;
        if !matches!(qp.state, State::Rts | State::Sqd | State::Err) {
            return Err(DoorbellDrop::State);
        }
        let pending = count(value)?.wrapping_sub(qp.sends_retired);
        if u32::from(pending) > 1 << qp.sq_log2 || usize::from(pending) < qp.sends.len() {
            return Err(DoorbellDrop::Count);
        }
        for number in qp.sends.len()..usize::from(pending) {
            let slot = qp.sends_retired.wrapping_add(number as u16) & ((1 << qp.sq_log2) - 1);
            let mut bytes = [0; 64];
            let read = memory.read(qp.sq_base + SLOT * u64::from(slot), &mut bytes);
            qp.sends.push_back(PostedSlot { slot, bytes: read.map(|()| bytes) });
        }
        Ok(())
    }

    /// A write of `value` to the RQ doorbell of QP index `index`.
    pub fn ring_receive(&mut self, index: usize, value: u32) -> Result<(), DoorbellDrop> {
        let qp = self.queue_pairs.get_mut(index).and_then(Option::as_mut).ok_or(DoorbellDrop::NoQueue)?;
        if qp.state == State::Reset {
            return Err(DoorbellDrop::State);
        }
        let pending = count(value)?.wrapping_sub(qp.receives_used);
        if u32::from(pending) > 1 << qp.rq_log2 || pending < qp.pending_receives() {
            return Err(DoorbellDrop::Count);
        }
        qp.receives_posted = count(value)?;
        Ok(())
    }

    /// Executes the next posted work request of `qpn`, in RTS and in SQD for real and in ERR as a flush.
    ///
    /// None when nothing is posted. In SQD the caller says with this call that the request had started before (rule T77).
    pub fn execute(&mut self, qpn: u32, memory: &dyn Memory) -> Option<Step> {
        let index = self.qp_index(qpn);
        let qp = self.queue_pairs[index].as_mut().filter(|qp| qp.qpn == qpn && !qp.sends.is_empty())?;
        let (failed, pd, head) = (qp.state == State::Err, qp.pd, qp.sends[0].clone());
        let verdict = if failed { Err((Status::WrFlush, 0)) } else { self.judge(&head, pd, memory) };
        Some(self.end_head(index, verdict))
    }

    /// The work request at the head of a queue pair with something posted ends with `verdict`.
    pub(super) fn end_head(&mut self, index: usize, verdict: Verdict) -> Step {
        let qp = self.queue_pairs[index].as_mut().expect("a queue pair that executes exists");
        let blocks = qp.head_blocks();
        let head = qp.sends[0].clone();
        qp.sends.drain(..blocks);
        qp.sends_retired = qp.sends_retired.wrapping_add(blocks as u16);
        let flags = head.bytes.map_or(0, |slot| slot[1]);
        let signalled = qp.sig_all || flags & wqe::FLAG_SIGNALLED != 0;
        self.retire(index, &head, verdict, signalled)
    }

    /// The receive queue has entered ERR, and the send queue will when what is in flight there is done. Both belong to one
    /// MODIFY_QP; the rules do not order the two queues against each other, so the caller may.
    pub fn fail_receives(&mut self, qpn: u32) {
        let index = self.qp_index(qpn);
        if let Some(qp) = self.queue_pairs[index].as_mut().filter(|qp| qp.qpn == qpn) {
            qp.receives_failed = true;
        }
    }

    /// Completes one posted receive of a queue pair in ERR with WR_FLUSH (rule D11). None if there is none.
    pub fn flush_receive(&mut self, qpn: u32) -> Option<Step> {
        let index = self.qp_index(qpn);
        let qp = self.queue_pairs[index].as_mut().filter(|qp| qp.qpn == qpn && qp.receives_failed)?;
        if qp.pending_receives() == 0 {
            return None;
        }
        Some(self.end_receive(index, Received::failed(Status::WrFlush, 0)))
    }

    /// The oldest posted receive of a queue pair that has one completes.
    pub(super) fn end_receive(&mut self, index: usize, received: Received) -> Step {
        let qp = self.queue_pairs[index].as_mut().expect("a queue pair that receives exists");
        let Received { opcode, status, syndrome, flags, byte_len, imm } = received;
        let slot = qp.receives_used & ((1 << qp.rq_log2) - 1);
        qp.receives_used = qp.receives_used.wrapping_add(1);
        let (qpn, cqn, flags) = (qp.qpn, qp.receive_cq, flags | cqe::FLAG_RECEIVE);
        let cqe = self.complete(Cqe { cqn, qpn, opcode, status, syndrome, slot, byte_len, imm, flags, phase: false });
        Step { qpn, slot, opcode, status, syndrome, cqe }
    }

    /// What a work request that is not flushed ends as (status table of section D, rule D19).
    fn judge(&mut self, head: &PostedSlot, pd: u32, memory: &dyn Memory) -> Verdict {
        let Ok(slot) = &head.bytes else {
            return Err((Status::LocQpOp, Syndrome::PayloadBus as u8));
        };
        let result = match slot[0] {
            opcode::REG_MR => self.register(slot, pd, memory),
            opcode::LOCAL_INV => self.invalidate(slot, pd),
            _ => Err(Syndrome::WqeFormat),
        };
        result.map(|()| 0).map_err(|syndrome| match syndrome {
            Syndrome::WqeFormat => (Status::LocQpOp, syndrome as u8),
            _ => (Status::MwBind, syndrome as u8),
        })
    }

    /// Fails the queue pair if need be and writes the CQE: always on an error, else when signalled (rules D10, D11).
    fn retire(&mut self, index: usize, head: &PostedSlot, verdict: Verdict, signalled: bool) -> Step {
        let (status, syndrome) = verdict.err().unwrap_or((Status::Success, 0));
        let byte_len = verdict.unwrap_or(0);
        let qp = self.queue_pairs[index].as_mut().expect("a queue pair that executes exists");
        if status != Status::Success {
            qp.fail();
        }
        let (qpn, cqn, slot) = (qp.qpn, qp.send_cq, head.slot);
        let opcode = head.bytes.map_or(0, |bytes| bytes[0]);
        if syndrome != 0 {
            let counter = &mut self.syndrome_counts[usize::from(syndrome)];
            *counter = counter.wrapping_add(1);
        }
        let reported = signalled || status != Status::Success;
        let cqe = Cqe { cqn, qpn, opcode, status, syndrome, slot, byte_len, imm: 0, flags: 0, phase: false };
        let cqe = if reported { self.complete(cqe) } else { None };
        Step { qpn, slot, opcode, status, syndrome, cqe }
    }
}

/// The count in a doorbell; bits above it are 0.
fn count(value: u32) -> Result<u16, DoorbellDrop> {
    u16::try_from(value).map_err(|_| DoorbellDrop::Value)
}
