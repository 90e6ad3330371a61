//! Reads of registers that wait for their completion (HO4).

use std::time::Duration;

use rnic_abi::link::frame::{BAR_READ_TIMEOUT_MS, HOST_ID};
use rnic_driver::BusError;

use crate::tlp::{byte_enable, Completion, Request, Status};

/// How long a read may take.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(BAR_READ_TIMEOUT_MS as u64);

/// Bytes of a register.
const WORD: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Free,
    Waiting {
        offset: u32,
        lower_address: u8,
        deadline: Duration,
    },
    Done(Result<u32, BusError>),
    /// Nobody waits any more, but the completion may still come: the tag is not used until then (RD7).
    Retired,
}

/// What a completion was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    Answer,
    /// Of a tag that nobody waits for.
    Unexpected,
    /// Its fields do not fit the read.
    Wrong,
}

/// Reads in progress, by tag.
#[derive(Debug)]
pub(crate) struct BarReads {
    slots: [Slot; BarReads::TAGS],
    /// Tag to look at first, so that tags come again as late as possible.
    next: usize,
}

impl BarReads {
    pub(crate) const TAGS: usize = 32;

    pub(crate) fn new() -> BarReads {
        BarReads { slots: [Slot::Free; Self::TAGS], next: 0 }
    }

    /// Takes a tag for a read of one register. `None`: all are in use.
    pub(crate) fn begin(&mut self, bar: u64, offset: u32, now: Duration) -> Option<Request> {
        let free = |tag: &usize| self.slots[*tag] == Slot::Free;
        let tag = (self.next..self.next + Self::TAGS).map(|tag| tag % Self::TAGS).find(free)?;
        self.next = (tag + 1) % Self::TAGS;
        let address = bar + u64::from(offset);
        let request = Request { requester: HOST_ID, tag: tag as u8, address, dwords: 1, first: 0xF, last: 0 };
        let lower_address = byte_enable::lower_address(address, 0xF);
        self.slots[tag] = Slot::Waiting { offset, lower_address, deadline: now + TIMEOUT };
        Some(request)
    }

    /// A completion of the device; fields are checked as in RD3.
    pub(crate) fn complete(&mut self, header: &Completion, payload: &[u8], poisoned: bool) -> Arrival {
        let slot = self.slots.get_mut(usize::from(header.tag)).filter(|_| header.requester == HOST_ID);
        let Some(slot) = slot else { return Arrival::Unexpected };
        let (offset, lower_address) = match *slot {
            Slot::Waiting { offset, lower_address, .. } => (offset, lower_address),
            Slot::Retired => {
                *slot = Slot::Free;
                return Arrival::Unexpected;
            }
            Slot::Free | Slot::Done(_) => return Arrival::Unexpected,
        };
        let fits = header.byte_count == WORD && header.lower_address == lower_address;
        let data = <[u8; WORD]>::try_from(payload).ok().filter(|_| fits && !poisoned);
        let (result, arrival) = match (header.status, data) {
            (Status::Success, Some(data)) => (Ok(u32::from_le_bytes(data)), Arrival::Answer),
            (Status::UnsupportedRequest, _) => (Err(BusError::Decode { offset }), Arrival::Answer),
            (Status::CompleterAbort | Status::Retry, _) => (Err(BusError::Refused { offset }), Arrival::Answer),
            // RD6: what cannot be right is an error of the device, not a value.
            (Status::Success | Status::Other(_), _) => (Err(BusError::Refused { offset }), Arrival::Wrong),
        };
        *slot = Slot::Done(result);
        arrival
    }

    /// The result of a read that has one.
    pub(crate) fn take(&mut self, tag: u8) -> Option<Result<u32, BusError>> {
        match self.slots[usize::from(tag)] {
            Slot::Done(result) => {
                self.slots[usize::from(tag)] = Slot::Free;
                Some(result)
            }
            _ => None,
        }
    }

    /// Gives up a read whose time is over. `unsent`: it never left, so no completion can come.
    pub(crate) fn give_up(&mut self, tag: u8, now: Duration, unsent: impl FnOnce() -> bool) -> Option<BusError> {
        let slot = &mut self.slots[usize::from(tag)];
        let Slot::Waiting { offset, deadline, .. } = *slot else { return None };
        if now < deadline {
            return None;
        }
        *slot = if unsent() { Slot::Free } else { Slot::Retired };
        Some(BusError::NoAnswer { offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAR: u64 = 0xE000_0000;

    fn answer(tag: u8, status: Status) -> Completion {
        Completion { completer: 0x100, requester: 0, tag, status, byte_count: 4, lower_address: 4 }
    }

    fn begin(reads: &mut BarReads) -> u8 {
        reads.begin(BAR, 0x104, Duration::ZERO).unwrap().tag
    }

    #[test]
    fn ho4_status_becomes_the_error_of_the_driver() {
        let offset = 0x104;
        let cases = [
            (Status::Success, &[1, 2, 3, 4][..], Ok(0x0403_0201)),
            (Status::UnsupportedRequest, &[], Err(BusError::Decode { offset })),
            (Status::CompleterAbort, &[], Err(BusError::Refused { offset })),
            (Status::Retry, &[], Err(BusError::Refused { offset })),
            (Status::Other(7), &[], Err(BusError::Refused { offset })),
        ];
        let mut reads = BarReads::new();
        for (status, payload, result) in cases {
            let tag = begin(&mut reads);
            assert_eq!(reads.take(tag), None);
            reads.complete(&answer(tag, status), payload, false);
            assert_eq!((reads.take(tag), reads.take(tag)), (Some(result), None), "{status:?}");
        }
    }

    #[test]
    fn ho4_rd3_wrong_fields_fail_the_read() {
        let right = |tag| answer(tag, Status::Success);
        type Case = (fn(&mut Completion), &'static [u8], bool);
        let wrong: [Case; 5] = [
            (|header| header.byte_count = 8, &[0; 4], false),
            (|header| header.lower_address = 8, &[0; 4], false),
            (|_| (), &[0; 8], false),
            (|_| (), &[], false),
            (|_| (), &[0; 4], true),
        ];
        let mut reads = BarReads::new();
        for (change, payload, poisoned) in wrong {
            let tag = begin(&mut reads);
            let mut header = right(tag);
            change(&mut header);
            assert_eq!(reads.complete(&header, payload, poisoned), Arrival::Wrong);
            assert_eq!(reads.take(tag), Some(Err(BusError::Refused { offset: 0x104 })));
            assert_eq!(reads.complete(&right(tag), &[0; 4], false), Arrival::Unexpected, "a second one");
        }
        let tag = begin(&mut reads);
        let other = Completion { requester: 0x200, ..right(tag) };
        assert_eq!(reads.complete(&other, &[0; 4], false), Arrival::Unexpected);
        assert_eq!(reads.complete(&right(200), &[0; 4], false), Arrival::Unexpected);
    }

    #[test]
    fn ho4_rd7_a_tag_that_timed_out_is_not_used_until_its_completion_comes() {
        let mut reads = BarReads::new();
        let tag = begin(&mut reads);
        assert_eq!(reads.give_up(tag, Duration::from_millis(249), || false), None);
        let lost = Some(BusError::NoAnswer { offset: 0x104 });
        assert_eq!(reads.give_up(tag, Duration::from_millis(250), || false), lost);
        let others: Vec<u8> = (1..BarReads::TAGS).map(|_| begin(&mut reads)).collect();
        assert!(!others.contains(&tag) && reads.begin(BAR, 0, Duration::ZERO).is_none());
        assert_eq!(reads.complete(&answer(tag, Status::Success), &[0; 4], false), Arrival::Unexpected);
        assert_eq!(begin(&mut reads), tag);
        assert_eq!(reads.give_up(tag, Duration::from_millis(250), || true), lost);
        assert_eq!(begin(&mut reads), tag, "what never left is free at once");
    }
}
