//! The model against every rule and vector of sections A to E that it can show.
//!
//! Fixture, as in `bug-scenarios.md`: PD 1 with QP 0x11, PD 2 with QP 0x12, both in RTS on CQ 0 (256 entries);
//! region A (index 5, 4 pages, key 0x510) and B (index 6, key 0x610) in PD 1, region C (index 7, key 0x710) in PD 2.

mod access;
mod admin;
mod completion;
mod invalidation;
mod queue;
mod registration;
mod transfer;

use super::*;
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{admin as command, mr, opcode, preset, wqe};
use std::collections::BTreeMap;

/// Queue pair of PD 1.
const QP1: u32 = 0x11;
/// Queue pair of PD 2.
const QP2: u32 = 0x12;
/// Key of region A after allocation.
const KEY_A: u32 = 0x510;
/// Base of QP1's send ring; QP2's is 1 MiB above.
const RING: u64 = 0x10_0000;
/// Where page lists lie.
const LIST: u64 = 0x50_0000;

/// Host memory in 64-bit words; what was never written is not mapped.
#[derive(Default)]
struct Words(BTreeMap<u64, u64>);

impl Words {
    fn write(&mut self, address: u64, words: &[u64]) {
        for (number, &word) in words.iter().enumerate() {
            self.0.insert(address + 8 * number as u64, word);
        }
    }
}

impl Memory for Words {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), BusError> {
        for (number, chunk) in bytes.chunks_mut(8).enumerate() {
            let word = self.0.get(&(address + 8 * number as u64)).ok_or(BusError)?;
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    }
}

struct Bench {
    nic: ReferenceNic,
    memory: Words,
}

/// A REG_MR under construction: region A's first registration, one page inline.
#[derive(Clone)]
struct Reg {
    flags: u8,
    blocks: u8,
    access: u8,
    key: u32,
    shift: u8,
    reserved: u8,
    npages: u16,
    fbo: u32,
    iova: u64,
    length: u64,
    tail: [u64; 4],
}

impl Default for Reg {
    fn default() -> Self {
        Self {
            flags: wqe::FLAG_SIGNALLED | wqe::FLAG_INLINE,
            blocks: 1,
            access: 0x7,
            key: 0x511,
            shift: 12,
            reserved: 0,
            npages: 1,
            fbo: 0,
            iova: 0x10000,
            length: 0x1000,
            tail: [0xA000, 0, 0, 0],
        }
    }
}

impl Reg {
    fn slot(&self) -> [u8; 64] {
        let mut slot = [0; 64];
        slot[..4].copy_from_slice(&[opcode::REG_MR, self.flags, self.blocks, self.access]);
        slot[4..8].copy_from_slice(&self.key.to_le_bytes());
        slot[8] = self.shift;
        slot[9] = self.reserved;
        slot[10..12].copy_from_slice(&self.npages.to_le_bytes());
        slot[12..16].copy_from_slice(&self.fbo.to_le_bytes());
        slot[0x10..0x18].copy_from_slice(&self.iova.to_le_bytes());
        slot[0x18..0x20].copy_from_slice(&self.length.to_le_bytes());
        for (number, word) in self.tail.iter().enumerate() {
            slot[0x20 + 8 * number..][..8].copy_from_slice(&word.to_le_bytes());
        }
        slot
    }

    /// With a list by pointer at [`LIST`].
    fn by_pointer(self) -> Self {
        Self { flags: self.flags & !wqe::FLAG_INLINE, tail: [LIST, 0, 0, 0], ..self }
    }
}

fn local_inv(key: u32) -> [u8; 64] {
    let mut slot = [0; 64];
    slot[..3].copy_from_slice(&[opcode::LOCAL_INV, wqe::FLAG_SIGNALLED, 1]);
    slot[4..8].copy_from_slice(&key.to_le_bytes());
    slot
}

fn words(given: &[u32]) -> [u32; 32] {
    let mut words = [0; 32];
    words[..given.len()].copy_from_slice(given);
    words
}

/// Words of the three MODIFY_QP that bring `qpn` from RESET to RTS.
fn bring_up(qpn: u32) -> [[u32; 32]; 3] {
    let mut to_rtr = words(&[qpn, 2, 0xFC, 1 << 24, 0x99, 5, 0, 1 << 24, 4 << 8]);
    to_rtr[0x0C] = 0x0A00_0001;
    [words(&[qpn, 1, 0x3, 0x000E_FFFF]), to_rtr, words(&[qpn, 3, 0x1F00, 0, 0, 0, 7, 14 | 7 << 8 | 6 << 16, 4])]
}

impl Bench {
    fn new() -> Self {
        Self::with_cq(8, 4)
    }

    /// With 2^cq_log2 completion entries and send rings of 2^sq_log2 slots.
    fn with_cq(cq_log2: u32, sq_log2: u32) -> Self {
        let mut bench = Self { nic: ReferenceNic::new(&preset::TINY), memory: Words::default() };
        bench.admin(command::CREATE_CQ, &[0, cq_log2, 0x8_0000]).unwrap();
        for (qpn, pd, base) in [(QP1, 1, RING), (QP2, 2, RING + 0x10_0000)] {
            let sizes = sq_log2 | 2 << 8;
            let create = [qpn, pd, 0, 0, sizes, 0, base as u32, 0, base as u32 + 0x8_0000, 0];
            bench.admin(command::CREATE_QP, &create).unwrap();
            for command in bring_up(qpn) {
                bench.nic.admin(command::MODIFY_QP, &command).unwrap();
            }
        }
        for (index, pd, base) in [(5, 1, 0), (6, 1, 8), (7, 2, 16)] {
            bench.admin(command::ALLOC_MR, &[index, pd, 0x110, 4, base]).unwrap();
        }
        bench
    }

    fn admin(&mut self, opcode: u8, given: &[u32]) -> Result<Answer, Errno> {
        self.nic.admin(opcode, &words(given))
    }

    fn modify(&mut self, qpn: u32, state: State) -> Result<Answer, Errno> {
        self.admin(command::MODIFY_QP, &[qpn, state as u32])
    }

    /// Writes slots behind the posted ones and rings once.
    fn post(&mut self, qpn: u32, slots: &[[u8; 64]]) -> Result<(), DoorbellDrop> {
        let qp = self.nic.queue_pair(qpn).unwrap();
        let mut count = qp.sends_retired.wrapping_add(qp.pending_sends() as u16);
        for slot in slots {
            let address = qp.sq_base + 64 * u64::from(count & ((1 << qp.sq_log2) - 1));
            let words = slot.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
            self.memory.write(address, &words.collect::<Vec<_>>());
            count = count.wrapping_add(1);
        }
        self.nic.ring_send(qpn as usize & 7, count.into(), &self.memory)
    }

    fn step(&mut self, qpn: u32) -> Option<Step> {
        self.nic.execute(qpn, &self.memory)
    }

    /// Posts one slot and executes it.
    fn run(&mut self, qpn: u32, slot: [u8; 64]) -> (Status, u8) {
        self.post(qpn, &[slot]).unwrap();
        let step = self.step(qpn).unwrap();
        (step.status, step.syndrome)
    }

    /// Executes a request that must succeed.
    fn succeed(&mut self, slot: [u8; 64]) {
        assert_eq!(self.run(QP1, slot), (Status::Success, 0));
    }

    /// Executes a request on a healthy QP1: it must fail, name `syndrome` and leave the whole table as it was (decision 3).
    fn fail(&mut self, slot: [u8; 64], syndrome: Syndrome) {
        let before = self.nic.regions.clone();
        let status = if syndrome == Syndrome::WqeFormat { Status::LocQpOp } else { Status::MwBind };
        assert_eq!(self.run(QP1, slot), (status, syndrome as u8));
        assert_eq!(self.nic.regions, before, "a failed request has changed a region");
        assert_eq!(self.nic.queue_pair(QP1).unwrap().state, State::Err);
        self.recover(QP1);
    }

    /// ERR to RESET to RTS.
    fn recover(&mut self, qpn: u32) {
        self.modify(qpn, State::Reset).unwrap();
        for command in bring_up(qpn) {
            self.nic.admin(command::MODIFY_QP, &command).unwrap();
        }
        let queue = self.nic.completion_queue_mut(0).unwrap();
        let produced = queue.produced;
        assert!(queue.consume(produced));
    }

    fn probe(&self, key: u32, va: u64, length: u32, needed: u8) -> Result<Vec<(u64, u32)>, Syndrome> {
        let qp = self.nic.queue_pair(QP1).unwrap();
        let pieces = self.nic.pieces(qp, key, va, length, needed, false)?;
        Ok(pieces.iter().map(|piece| (piece.bus, piece.bytes)).collect())
    }
}

#[test]
fn every_reachable_syndrome_is_named_by_a_test_of_this_folder() {
    let sources = concat!(include_str!("registration.rs"), include_str!("invalidation.rs"), include_str!("access.rs"));
    let names =
        "WqeFormat KeyIndex KeyReserved MrType MrPd MrNotFree Access PageShift PlLen Length Wrap Cover Fbo PlAddr \
                 PlFetch PageAlign PageRange InvKey AccKey AccPd AccState AccPerm AccBounds";
    for name in names.split_whitespace() {
        assert!(sources.contains(&format!("Syndrome::{name}")), "no test reaches {name}");
    }
}
