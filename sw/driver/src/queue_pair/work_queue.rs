//! One ring of work requests and its shadow: what the driver must remember of each posted request until it is retired.

use std::collections::VecDeque;

use rnic_abi::wqe::{Slot, BYTES};

use crate::page_list::Buffer;
use crate::platform::{DmaBuffer, Platform};

/// A posted request.
#[derive(Debug)]
pub(crate) struct Posted<T> {
    /// Free-running number of its first slot.
    first: u64,
    /// Slots that it takes.
    blocks: u64,
    /// The consumer's number.
    pub(crate) wr_id: u64,
    /// It must get a completion even if it succeeds.
    pub(crate) signaled: bool,
    /// What the kind of queue needs to know.
    pub(crate) detail: T,
}

/// A send or receive ring. All counts of slots are free-running; slot = count modulo size.
pub(crate) struct WorkQueue<P: Platform, T> {
    buffer: Buffer<P>,
    log2: u8,
    /// Slots written.
    written: u64,
    /// Slots that the device knows of.
    rung: u64,
    /// Slots whose requests have been retired.
    retired: u64,
    /// Requests that have not been retired, in posting order.
    posted: VecDeque<Posted<T>>,
}

/// Why a completion does not fit the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// No outstanding request starts at the slot.
    Slot,
    /// It passes over a request that must have a completion of its own.
    Skipped,
}

impl<P: Platform, T> WorkQueue<P, T> {
    pub(crate) fn new(buffer: Buffer<P>, log2: u8) -> WorkQueue<P, T> {
        WorkQueue { buffer, log2, written: 0, rung: 0, retired: 0, posted: VecDeque::new() }
    }

    pub(crate) fn bus_address(&self) -> u64 {
        self.buffer.bus_address()
    }

    pub(crate) fn log2(&self) -> u8 {
        self.log2
    }

    /// Slots that can be written. A slot is free again when a completion has retired it, not when the device has read it (B22).
    pub(crate) fn free(&self) -> u64 {
        (1 << self.log2) - (self.written - self.retired)
    }

    /// Requests that have not been retired.
    pub(crate) fn outstanding(&self) -> usize {
        self.posted.len()
    }

    /// Writes one request. There must be room, and the device must not know yet.
    pub(crate) fn write(&mut self, slots: &[Slot], wr_id: u64, signaled: bool, detail: T) {
        let blocks = slots.len() as u64;
        debug_assert!(blocks > 0 && blocks <= self.free());
        for (index, slot) in slots.iter().enumerate() {
            let offset = self.slot_of(self.written + index as u64) * BYTES;
            // Whole words, so that every field of a stale request is overwritten (B27).
            for (word, bytes) in slot.chunks_exact(8).enumerate() {
                let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
                self.buffer.write_u64(offset + 8 * word, value);
            }
        }
        self.posted.push_back(Posted { first: self.written, blocks, wr_id, signaled, detail });
        self.written += blocks;
    }

    /// The doorbell value that tells the device of everything written, if there is news.
    pub(crate) fn doorbell(&self) -> Option<u16> {
        (self.rung != self.written).then_some(self.written as u16)
    }

    /// The device has been told of everything written.
    pub(crate) fn told(&mut self) {
        self.rung = self.written;
    }

    /// Retires the request that starts at `slot` and all before it; the last of the answer is the request itself (D9).
    pub(crate) fn retire(&mut self, slot: u16) -> Result<Vec<Posted<T>>, Misfit> {
        let mask = (1 << self.log2) - 1;
        let first = self.retired + (u64::from(slot).wrapping_sub(self.retired) & mask);
        let index = self.posted.iter().position(|request| request.first == first).ok_or(Misfit::Slot)?;
        if u64::from(slot) > mask || first >= self.rung {
            return Err(Misfit::Slot);
        }
        if self.posted.iter().take(index).any(|request| request.signaled) {
            return Err(Misfit::Skipped);
        }
        let retired: Vec<_> = self.posted.drain(..=index).collect();
        self.retired = first + retired.last().map_or(0, |request| request.blocks);
        Ok(retired)
    }

    /// Takes out all requests and starts over with the counts at 0, as the device does in RESET.
    pub(crate) fn restart(&mut self) -> VecDeque<Posted<T>> {
        (self.written, self.rung, self.retired) = (0, 0, 0);
        std::mem::take(&mut self.posted)
    }

    fn slot_of(&self, count: u64) -> usize {
        (count & ((1 << self.log2) - 1)) as usize
    }
}
