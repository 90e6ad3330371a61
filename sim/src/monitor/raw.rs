//! The raw rings (T95): where they are follows from their registers, frames and buffers from the descriptors that the
//! driver has posted. They come back in order, each in one write behind all bytes of its frame (T105), with the right phase.
use super::problem::{check, Problem};
use super::ring::Ring;
use crate::host::{HostMemory, WriteDone, OKAY};
use rnic_abi::limits::{EVENT_LOG2_MAX, EVENT_LOG2_MIN};
use rnic_abi::raw::{self, Descriptor};
use rnic_abi::register as reg;
use std::collections::VecDeque;
use std::ops::Range;

/// Memory behind a posted descriptor.
#[derive(Debug)]
struct Buffer {
    range: Range<u64>,
    /// Writes of it on their way.
    open: u32,
}

/// One raw ring.
#[derive(Debug, Default)]
struct RawRing {
    /// Base low, base high, log2.
    registers: [u32; 3],
    /// Free-running count of descriptors posted.
    posted: u64,
    /// Memory behind the posted descriptors that have not come back, oldest first.
    lent: VecDeque<Buffer>,
    /// Free-running counts of descriptors of which the write back has begun, and is done.
    written: u64,
    returned: u64,
}

impl RawRing {
    fn ring(&self) -> Option<Ring> {
        let [low, high, log2] = self.registers;
        let base = u64::from(high) << 32 | u64::from(low);
        (EVENT_LOG2_MIN..=EVENT_LOG2_MAX).contains(&log2).then_some(Ring { base, log2, entry: raw::BYTES as u64 })
    }

    fn written(&mut self, word: u32, value: u32, width: u64, memory: &HostMemory) {
        if word < 3 {
            self.registers[word as usize] = value;
            (self.posted, self.written, self.returned, self.lent) = (0, 0, 0, VecDeque::new());
            return;
        }
        let Some(ring) = self.ring() else { return };
        let ahead = u64::from((value as u16).wrapping_sub(self.posted as u16));
        for count in self.posted..self.posted + ahead.min(ring.size()) {
            let mut bytes = [0; raw::BYTES];
            memory.read(ring.address(count), &mut bytes);
            let Descriptor { address, length, .. } = Descriptor::decode(&bytes);
            // The device reads whole beats.
            let end = address.saturating_add(length.into()).checked_next_multiple_of(width).unwrap_or(u64::MAX);
            self.lent.push_back(Buffer { range: address..end, open: 0 });
        }
        self.posted += ahead;
    }

    /// Memory behind a descriptor.
    fn holds(&self, range: &Range<u64>) -> bool {
        self.lent.iter().any(|lent| lent.holds(range))
    }

    fn is_descriptor(&self, range: &Range<u64>) -> bool {
        self.ring().is_some_and(|ring| ring.contains(range))
    }

    /// A write begins; false if it is not of this ring.
    fn begin(&mut self, range: &Range<u64>) -> Result<bool, Problem> {
        let Some(ring) = self.ring().filter(|ring| ring.contains(range)) else {
            let buffer = self.lent.iter_mut().find(|buffer| buffer.holds(range));
            return Ok(buffer.map(|buffer| buffer.open += 1).is_some());
        };
        let (address, expected) = (range.start, ring.address(self.written) + raw::LENGTH.byte as u64);
        check!(address == expected, "T95", "a raw descriptor at {address:013x} instead of {expected:013x}");
        let buffer = self.lent.get((self.written - self.returned) as usize);
        check!(buffer.is_some(), "T95", "a raw descriptor at {address:013x} that is not posted");
        let open = buffer.map_or(0, |buffer| buffer.open);
        check!(open == 0, "T105", "a raw descriptor at {address:013x} before {open} writes of its frame are done");
        self.written += 1;
        Ok(true)
    }

    /// A write has its response; false if it was not of this ring.
    fn done(&mut self, done: &WriteDone, memory: &HostMemory) -> Result<bool, Problem> {
        let at = done.address..done.address.saturating_add(1);
        let Some(ring) = self.ring().filter(|ring| ring.contains(&at)) else {
            let buffer = self.lent.iter_mut().find(|buffer| buffer.open > 0 && buffer.holds(&at));
            return Ok(buffer.map(|buffer| buffer.open -= 1).is_some());
        };
        let count = self.returned;
        self.lent.pop_front();
        self.returned += 1;
        let mut bytes = [0; raw::BYTES];
        memory.read(ring.address(count), &mut bytes);
        let phase = Descriptor::decode(&bytes).flags & raw::PHASE != 0;
        let right = done.response != OKAY || phase == ring.phase(count);
        check!(right, "T95", "raw descriptor {} has phase {}", ring.index(count), phase as u8);
        Ok(true)
    }
}

impl Buffer {
    fn holds(&self, range: &Range<u64>) -> bool {
        self.range.start <= range.start && range.end <= self.range.end
    }
}

/// Both raw rings.
#[derive(Debug, Default)]
pub(super) struct RawRings {
    receive: RawRing,
    send: RawRing,
}

impl RawRings {
    /// A register has been written.
    pub fn written(&mut self, offset: u32, value: u32, width: u64, memory: &HostMemory) {
        match offset {
            reg::RAW_RECEIVE_BASE_LOW..=reg::RAW_RECEIVE_PRODUCER => {
                self.receive.written((offset - reg::RAW_RECEIVE_BASE_LOW) / 4, value, width, memory);
            }
            reg::RAW_SEND_BASE_LOW..=reg::RAW_SEND_PRODUCER => {
                self.send.written((offset - reg::RAW_SEND_BASE_LOW) / 4, value, width, memory);
            }
            _ => {}
        }
    }

    /// The device may read it: descriptors, and frames to send.
    pub fn may_read(&self, range: &Range<u64>) -> bool {
        self.receive.is_descriptor(range) || self.send.is_descriptor(range) || self.send.holds(range)
    }

    /// The device may write it: descriptors, and buffers for received frames.
    pub fn may_write(&self, range: &Range<u64>) -> bool {
        self.receive.is_descriptor(range) || self.send.is_descriptor(range) || self.receive.holds(range)
    }

    /// A write begins that it may do.
    pub fn begin(&mut self, range: &Range<u64>) -> Result<(), Problem> {
        let _ = self.receive.begin(range)? || self.send.begin(range)?;
        Ok(())
    }

    /// A write has its response: if it was of a descriptor, the memory behind the oldest one goes back.
    pub fn done(&mut self, done: &WriteDone, memory: &HostMemory) -> Result<(), Problem> {
        let _ = self.receive.done(done, memory)? || self.send.done(done, memory)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Permission, Region, DECERR, PAGE};
    use std::rc::Rc;

    #[test]
    fn t95_buffers_are_lent_from_the_doorbell_to_the_write_back() {
        let memory = HostMemory::new(1);
        let base = memory.map(&Rc::new(Region::new(PAGE)), 0..PAGE, PAGE, Permission::ALL).unwrap();
        let mut rings = RawRings::default();
        for (offset, value) in [
            (reg::RAW_RECEIVE_BASE_LOW, base as u32),
            (reg::RAW_RECEIVE_BASE_HIGH, (base >> 32) as u32),
            (reg::RAW_RECEIVE_LOG2, 4),
        ] {
            rings.written(offset, value, 8, &memory);
        }
        assert!(rings.may_read(&(base..base + 16)) && !rings.may_read(&(base..base + 257)));
        let buffer = |n: u64| 0x8000 + 0x1000 * n..0x8000 + 0x1000 * n + 100;
        for n in 0..2 {
            let descriptor = Descriptor { address: buffer(n).start, length: 100, flags: 0 };
            memory.write(base + 16 * n, &descriptor.encode());
        }
        assert!(!rings.may_write(&buffer(0)));
        rings.written(reg::RAW_RECEIVE_PRODUCER, 2, 8, &memory);
        assert!(rings.may_write(&buffer(0)) && rings.may_write(&buffer(1)));
        assert!(!rings.may_read(&buffer(0)), "a receive buffer is only written");
        assert!(!rings.may_write(&(0x8000..0x8000 + 105)), "beyond the last beat");
        let done = |address| WriteDone { id: 5, address, response: OKAY };
        rings.begin(&buffer(0)).unwrap();
        assert_eq!(rings.begin(&(base + 8..base + 16)).unwrap_err().rule, "T105", "before its frame");
        rings.done(&done(buffer(0).start), &memory).unwrap();
        assert!(rings.may_write(&buffer(0)), "the frame's own write gives nothing back");
        assert_eq!(rings.begin(&(base + 24..base + 32)).unwrap_err().rule, "T95", "not in order");
        assert_eq!(rings.begin(&(base..base + 16)).unwrap_err().rule, "T95", "the address too");
        rings.begin(&(base + 8..base + 16)).unwrap();
        memory.write(base + 12, &raw::PHASE.to_le_bytes());
        rings.done(&done(base + 8), &memory).unwrap();
        assert!(!rings.may_write(&buffer(0)) && rings.may_write(&buffer(1)));
        rings.begin(&(base + 24..base + 32)).unwrap();
        assert_eq!(rings.done(&done(base + 24), &memory).unwrap_err().rule, "T95", "the phase is missing");
        assert_eq!(rings.begin(&(base + 40..base + 48)).unwrap_err().rule, "T95", "not posted");
    }

    #[test]
    fn a_descriptor_and_a_ring_at_the_end_of_the_addresses_are_no_trouble() {
        let memory = HostMemory::new(1);
        let base = memory.map(&Rc::new(Region::new(PAGE)), 0..PAGE, PAGE, Permission::ALL).unwrap();
        memory.write(base, &Descriptor { address: u64::MAX - 3, length: 100, flags: 0 }.encode());
        let mut rings = RawRings::default();
        let mut program = |base: u64| {
            for (offset, value) in [
                (reg::RAW_SEND_BASE_LOW, base as u32),
                (reg::RAW_SEND_BASE_HIGH, (base >> 32) as u32),
                (reg::RAW_SEND_LOG2, 4),
                (reg::RAW_SEND_PRODUCER, 1),
            ] {
                rings.written(offset, value, 64, &memory);
            }
            rings.may_read(&(u64::MAX - 3..u64::MAX))
        };
        assert!(program(base), "what there is of it is lent");
        program(u64::MAX - 15);
        rings.written(reg::RAW_SEND_PRODUCER, 3, 64, &memory);
        rings.done(&WriteDone { id: 5, address: u64::MAX, response: DECERR }, &memory).unwrap();
    }

    #[test]
    fn t95_frames_to_send_are_only_read() {
        let memory = HostMemory::new(1);
        let base = memory.map(&Rc::new(Region::new(PAGE)), 0..PAGE, PAGE, Permission::ALL).unwrap();
        let mut rings = RawRings::default();
        memory.write(base, &Descriptor { address: 0x8004, length: 60, flags: 1 }.encode());
        for (offset, value) in [
            (reg::RAW_SEND_BASE_LOW, base as u32),
            (reg::RAW_SEND_BASE_HIGH, (base >> 32) as u32),
            (reg::RAW_SEND_LOG2, 4),
            (reg::RAW_SEND_PRODUCER, 1),
        ] {
            rings.written(offset, value, 64, &memory);
        }
        assert!(rings.may_read(&(0x8004..0x8040)) && !rings.may_write(&(0x8004..0x8040)));
    }
}
