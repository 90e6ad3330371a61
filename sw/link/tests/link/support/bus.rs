//! The device's side of the bus: a register file behind BAR0, an initiator of reads and writes, interrupts. Sections 1.1 to 1.5.

use std::collections::{BTreeMap, VecDeque};

/// What an initiated read has come to.
#[derive(Clone, Debug, Default)]
pub struct Read {
    pub data: Vec<u8>,
    pub failed: Option<u8>,
    pub done: bool,
}

/// One MRd in flight.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    read: usize,
    /// Where in the read the next byte goes.
    place: usize,
    missing: usize,
    lower: u8,
}

/// A TLP that waits to be sent.
#[derive(Debug)]
pub enum Waiting {
    Posted(Vec<u8>),
    Completion(Vec<u8>),
}

#[derive(Debug, Default)]
pub struct Bus {
    pub id: u16,
    pub max_payload: usize,
    pub max_read: usize,
    pub bar: u64,
    pub registers: BTreeMap<u32, u32>,
    /// Register writes in the order in which they came.
    pub written: Vec<(u32, u32)>,
    /// Requests to BAR0 that are not served yet.
    pub requests: VecDeque<Vec<u8>>,
    /// TO1: posted and completions in one order.
    pub ordered: VecDeque<Waiting>,
    /// TO2: reads, with the number of posted TLPs that must leave before.
    pub reads_waiting: VecDeque<(u64, Vec<u8>)>,
    pub posted_committed: u64,
    pub reads: Vec<Read>,
    pub(super) slots: BTreeMap<u8, Slot>,
    /// Read, place in it, address, bytes.
    pub(super) to_issue: VecDeque<(usize, usize, u64, usize)>,
    /// What a good host never does.
    pub violations: Vec<String>,
}

fn word(tlp: &[u8], dw: usize) -> u32 {
    u32::from_be_bytes(tlp[4 * dw..4 * dw + 4].try_into().unwrap())
}

fn header(first: u32, second: u32, address: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let long = address >= 1 << 32;
    out.extend((first | if long { 0x2000_0000 } else { 0 }).to_be_bytes());
    out.extend(second.to_be_bytes());
    if long {
        out.extend(((address >> 32) as u32).to_be_bytes());
    }
    out.extend((address as u32 & !3).to_be_bytes());
    out
}

/// Pads bytes to whole words: words, first and last enables.
fn enables(address: u64, bytes: usize) -> (usize, u32, u32) {
    let start = (address % 4) as usize;
    let words = (start + bytes).div_ceil(4);
    let mask = |from: usize, to: usize| (0..4).filter(|byte| (from..to).contains(byte)).map(|byte| 1 << byte).sum();
    let end = start + bytes - 4 * (words - 1);
    match words {
        1 => (1, mask(start, end), 0),
        _ => (words, mask(start, 4), mask(0, end)),
    }
}

impl Bus {
    /// WR1: cut at multiples of the largest payload, which no 4 KiB page crosses.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let here = address + at as u64;
            let room = self.max_payload - (here % self.max_payload as u64) as usize;
            let part = &bytes[at..bytes.len().min(at + room)];
            let (words, first, last) = enables(here, part.len());
            let mut tlp =
                header(0x4000_0000 | words as u32 & 0x3FF, u32::from(self.id) << 16 | last << 4 | first, here);
            let mut payload = vec![0; (here % 4) as usize];
            payload.extend(part);
            payload.resize(4 * words, 0);
            tlp.extend(payload);
            self.post(tlp);
            at += part.len();
        }
    }

    pub fn post(&mut self, tlp: Vec<u8>) {
        self.posted_committed += 1;
        self.ordered.push_back(Waiting::Posted(tlp));
    }

    /// Begins a read; answers its number.
    pub fn read(&mut self, address: u64, bytes: usize) -> usize {
        let number = self.reads.len();
        self.reads.push(Read { data: vec![0xAA; bytes], ..Read::default() });
        let mut at = 0;
        while at < bytes {
            let here = address + at as u64;
            let part = (bytes - at).min(self.max_read - (here % self.max_read as u64) as usize);
            self.to_issue.push_back((number, at, here, part));
            at += part;
        }
        number
    }

    /// RD2: reads leave while there are tags.
    pub fn issue_reads(&mut self) {
        while let Some(tag) = (0..8).find(|tag| !self.slots.contains_key(tag)) {
            let Some((read, place, address, bytes)) = self.to_issue.pop_front() else { return };
            let (words, first, last) = enables(address, bytes);
            let second = u32::from(self.id) << 16 | u32::from(tag) << 8 | last << 4 | first;
            let tlp = header(words as u32 & 0x3FF, second, address);
            self.slots.insert(tag, Slot { read, place, missing: bytes, lower: address as u8 & 0x7F });
            self.reads_waiting.push_back((self.posted_committed, tlp));
        }
    }

    pub fn reads_done(&self) -> bool {
        self.slots.is_empty() && self.to_issue.is_empty()
    }

    /// IR1: a write of one word, as the table says.
    pub fn interrupt(&mut self, vector: u32) {
        let row = 0x8000 + 16 * vector;
        let get = |at| self.registers.get(&(row + at)).copied().unwrap_or(1);
        if get(12) & 1 == 0 {
            let address = u64::from(get(4)) << 32 | u64::from(get(0));
            let data = get(8);
            self.write(address, &data.to_le_bytes());
        }
    }

    /// A TLP of the host.
    pub fn accept(&mut self, tlp: Vec<u8>) {
        let kind = tlp[0];
        if word(&tlp, 0) & 0x00FF_FC00 != 0 {
            self.violations.push(format!("TL1: first word {:08x}", word(&tlp, 0)));
        }
        match kind {
            0x0A | 0x4A => self.complete(&tlp),
            0x00 | 0x20 | 0x40 | 0x60 => self.requests.push_back(tlp),
            _ => self.violations.push(format!("type {kind:02x}")),
        }
    }

    /// RD3, by the bytes that are expected.
    fn complete(&mut self, tlp: &[u8]) {
        let (tag, status) = (tlp[10], tlp[6] >> 5);
        let Some(slot) = self.slots.get_mut(&tag) else {
            self.violations.push(format!("completion of unknown tag {tag:02x}"));
            return;
        };
        let count = match word(tlp, 1) as usize & 0xFFF {
            0 => 4096,
            count => count,
        };
        let requester = word(tlp, 2) >> 16;
        let lower = tlp[11] & 0x7F;
        if count != slot.missing || lower != slot.lower || requester != u32::from(self.id) {
            self.violations.push(format!("RD3: tag {tag:02x}, {count} of {} bytes at {lower:02x}", slot.missing));
        }
        let read = &mut self.reads[slot.read];
        if status != 0 {
            read.failed = Some(status);
            self.finish(tag);
            return;
        }
        let words = word(tlp, 0) as usize & 0x3FF;
        if tlp.len() != 12 + 4 * words || words == 0 || 4 * words > self.max_payload {
            self.violations.push(format!("completion of {words} words in {} bytes", tlp.len()));
        }
        let skip = usize::from(slot.lower % 4);
        let bytes = slot.missing.min(4 * words - skip);
        let data = &tlp[12 + skip..12 + skip + bytes];
        read.data[slot.place..slot.place + bytes].copy_from_slice(data);
        slot.place += bytes;
        slot.missing -= bytes;
        slot.lower = slot.lower.wrapping_add(bytes as u8) & 0x7F;
        if slot.missing == 0 {
            self.finish(tag);
        } else if slot.lower % 64 != 0 {
            self.violations.push(format!("completion ends at {:02x}, not at a boundary", slot.lower));
        }
    }

    fn finish(&mut self, tag: u8) {
        let Some(slot) = self.slots.remove(&tag) else { return };
        let pending = self.slots.values().any(|other| other.read == slot.read)
            || self.to_issue.iter().any(|(read, ..)| *read == slot.read);
        self.reads[slot.read].done = !pending;
    }

    /// Serves one request to BAR0. Answers whether it was posted.
    pub fn serve(&mut self) -> Option<bool> {
        let tlp = self.requests.pop_front()?;
        let long = tlp[0] & 0x20 != 0;
        let words = word(&tlp, 0) as usize & 0x3FF;
        let address =
            if long { u64::from(word(&tlp, 2)) << 32 | u64::from(word(&tlp, 3)) } else { word(&tlp, 2).into() };
        if long != (address >= 1 << 32) || words != 1 || tlp[7] != 0x0F || word(&tlp, 1) >> 16 != 0 {
            self.violations.push(format!("BAR access {tlp:02x?}"));
        }
        let offset = address.wrapping_sub(self.bar) as u32;
        let payload = &tlp[if long { 16 } else { 12 }..];
        if tlp[0] & 0x40 != 0 {
            let value = u32::from_le_bytes(payload.try_into().unwrap());
            self.written.push((offset, value));
            self.registers.insert(offset, value);
            return Some(true);
        }
        let value = self.registers.get(&offset).copied().unwrap_or(0);
        // A plain register file; 7xxx refuses, 9xxx and up is nothing.
        let status = match offset {
            0..0x7000 | 0x8000..0x9000 => 0_u32,
            0x7000..0x8000 => 4,
            _ => 1,
        };
        let mut answer = if status == 0 { vec![0x4A, 0, 0, 1] } else { vec![0x0A, 0, 0, 0] };
        answer.extend((u32::from(self.id) << 16 | status << 13 | 4).to_be_bytes());
        answer.extend([0, 0, tlp[6], address as u8 & 0x7F]);
        if status == 0 {
            answer.extend(value.to_le_bytes());
        }
        self.ordered.push_back(Waiting::Completion(answer));
        Some(false)
    }
}
