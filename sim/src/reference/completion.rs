//! Completion queues: room, phase and overflow (rules D10, D14, D17, T78).

use super::ReferenceNic;
use rnic_abi::event;
use rnic_abi::status::Status;

/// Free-running CQE counts have this many bits (`interfaces.md` section 5).
const COUNT_MASK: u32 = 0xFF_FFFF;

/// A completion as it lies in host memory, without the tick count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cqe {
    /// Completion queue it was written to.
    pub cqn: u32,
    /// Full number of the queue pair.
    pub qpn: u32,
    /// Opcode: the work request's own, or 80 for a receive and 81 for one that a WRITE with immediate data took.
    pub opcode: u8,
    /// Completion status.
    pub status: Status,
    /// Syndrome, 0 for success and flush.
    pub syndrome: u8,
    /// Slot of the first block.
    pub slot: u16,
    /// Bytes received or read (rule T70).
    pub byte_len: u32,
    /// Immediate data in wire order, or the invalidated key; the flags tell which (rule C17).
    pub imm: u32,
    /// Flags, b3 for a receive.
    pub flags: u32,
    /// 1 in the first round of the ring, 0 in the second.
    pub phase: bool,
}

impl Cqe {
    /// The 32 bytes in host memory; `ticks` is the device's time.
    pub fn bytes(&self, ticks: u32) -> [u8; 32] {
        let words = [
            self.qpn | u32::from(self.opcode) << 24,
            self.status as u32 | u32::from(self.syndrome) << 8 | u32::from(self.slot) << 16,
            self.byte_len,
            self.imm,
            self.flags,
            0,
            ticks,
            u32::from(self.phase) << 31,
        ];
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Whether `found` says the same. After an error only number, status, syndrome and slot count (rule D14).
    pub fn agrees_with(&self, found: &[u8; 32]) -> bool {
        let ticks = u32::from_le_bytes(found[0x18..0x1C].try_into().unwrap());
        let mine = self.bytes(ticks);
        if self.status == Status::Success {
            mine == *found
        } else {
            mine[..3] == found[..3] && mine[4..8] == found[4..8] && mine[0x1F] & 0x80 == found[0x1F] & 0x80
        }
    }
}

/// An entry of the event ring (rule T76).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Type.
    pub kind: u8,
    /// Number of the queue pair or completion queue.
    pub number: u32,
    /// Syndrome or 0.
    pub detail: u32,
}

/// A completion queue.
#[derive(Clone, Debug)]
pub struct CompletionQueue {
    /// Its number.
    pub cqn: u32,
    /// Log2 of its entries.
    pub log2: u8,
    /// Interrupt vector.
    pub vector: u8,
    /// Bus address of its ring.
    pub base: u64,
    /// CQEs written, free running.
    pub produced: u32,
    /// CQEs that software has taken, free running.
    pub consumed: u32,
    /// It has overflowed: nothing more is written (rule T78).
    pub failed: bool,
    /// Queue pairs that use it, counted once for each of their two queues.
    pub users: u32,
}

impl CompletionQueue {
    /// CQEs that software has not taken.
    pub fn unconsumed(&self) -> u32 {
        self.produced.wrapping_sub(self.consumed) & COUNT_MASK
    }

    /// Bus address of the entry that the CQE with free-running number `count` takes.
    pub fn entry_address(&self, count: u32) -> u64 {
        self.base + 32 * u64::from(count & ((1 << self.log2) - 1))
    }

    /// Takes a doorbell's count of consumed CQEs. A count beyond the produced ones is refused.
    pub fn consume(&mut self, count: u32) -> bool {
        let taken = count.wrapping_sub(self.consumed) & COUNT_MASK;
        let valid = taken <= self.unconsumed();
        if valid {
            self.consumed = count & COUNT_MASK;
        }
        valid
    }
}

impl ReferenceNic {
    /// Completion queue `cqn`, to take CQEs from it.
    pub fn completion_queue_mut(&mut self, cqn: u32) -> Option<&mut CompletionQueue> {
        self.completion_queues.get_mut(cqn as usize)?.as_mut()
    }

    /// Writes a CQE, or finds the queue full: then an event, and every queue pair on it fails (rules D17, T78).
    pub(super) fn complete(&mut self, mut cqe: Cqe) -> Option<Cqe> {
        let queue = self.completion_queues[cqe.cqn as usize].as_mut()?;
        if queue.failed {
            return None;
        }
        if queue.unconsumed() == 1 << queue.log2 {
            queue.failed = true;
            self.events.push(Event { kind: event::CQ_ERR, number: cqe.cqn, detail: 0 });
            for qp in self.queue_pairs.iter_mut().flatten() {
                if qp.send_cq == cqe.cqn || qp.receive_cq == cqe.cqn {
                    qp.fail();
                }
            }
            return None;
        }
        cqe.phase = queue.produced >> queue.log2 & 1 == 0;
        queue.produced = (queue.produced + 1) & COUNT_MASK;
        Some(cqe)
    }
}
