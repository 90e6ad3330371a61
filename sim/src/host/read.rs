//! Read channels of the host's memory: AR in, R out.
//!
//! The data of a beat is what memory holds when the beat is offered (not when the address was taken), and the bus address
//! is looked up at that moment too: a read that is still on its way when its memory is unmapped gets DECERR.
use super::fault::{Hit, Way, DECERR, OKAY, SLVERR};
use super::memory::Mapping;
use super::shared::Shared;
use crate::core::{Inputs, Outputs};
use std::collections::VecDeque;

/// What the device reads where an error is answered.
const POISON: u64 = 0xBAD0_BAD0_BAD0_BAD0;

#[derive(Debug)]
struct Read {
    address: u64,
    beats: u32,
    beat: u32,
    due: u64,
    number: u64,
    hit: Option<Hit>,
    found: Option<(u64, Option<Mapping>)>,
    reported: bool,
}

/// Reads in flight.
#[derive(Debug, Default)]
pub(super) struct ReadChannel {
    queues: [VecDeque<Read>; 16],
    occupied: u16,
    current: Option<u8>,
    number: u64,
}

impl ReadChannel {
    /// One rising edge in cycle `now`: takes the handshakes and sets the inputs of the next cycle.
    pub fn clock(&mut self, now: u64, outputs: &Outputs, inputs: &mut Inputs, shared: &mut Shared) {
        if outputs.arvalid & inputs.m_arready == 1 {
            self.accept(now, outputs, shared);
        }
        if inputs.m_rvalid == 0 || outputs.rready == 1 {
            inputs.m_rvalid = 0;
            if self.occupied != 0 && !shared.gap() {
                self.offer(now, inputs, shared);
            }
        }
        inputs.m_arready = u8::from(!shared.stall());
    }

    /// Bursts whose last beat has not been offered, by id.
    pub fn in_flight(&self) -> impl Iterator<Item = (u8, usize)> + '_ {
        (0..).zip(&self.queues).map(|(id, queue)| (id, queue.len())).filter(|(_, length)| *length > 0)
    }

    fn accept(&mut self, now: u64, outputs: &Outputs, shared: &mut Shared) {
        let id = outputs.arid & 15;
        let beats = u32::from(outputs.arlen) + 1;
        let first = outputs.araddr & !(shared.width - 1);
        let hit =
            shared.faults.hit(Way::Read, id, &(outputs.araddr..first.saturating_add(u64::from(beats) * shared.width)));
        let queue = &mut self.queues[usize::from(id)];
        let due = shared.read_due(now).max(queue.back().map_or(0, |before| before.due));
        self.number += 1;
        self.occupied |= 1 << id;
        let (address, number) = (outputs.araddr, self.number);
        queue.push_back(Read { address, beats, beat: 0, due, number, hit, found: None, reported: false });
    }

    /// The id whose next beat goes out, if one is due.
    fn choose(&mut self, now: u64, shared: &mut Shared) -> Option<u8> {
        if let Some(id) = self.current.filter(|_| !shared.timing.interleave) {
            return Some(id);
        }
        let due = |id: &u8| self.queues[usize::from(*id)].front().is_some_and(|read| read.due <= now + 1);
        let ids = (0..16).filter(|id| self.occupied >> id & 1 == 1);
        if shared.timing.out_of_order {
            let pick = shared.random.below(ids.clone().filter(due).count() as u64) as usize;
            ids.filter(due).nth(pick)
        } else {
            ids.min_by_key(|id| self.queues[usize::from(*id)].front().map(|read| read.number)).filter(due)
        }
    }

    fn offer(&mut self, now: u64, inputs: &mut Inputs, shared: &mut Shared) {
        let Some(id) = self.choose(now, shared) else { return };
        let queue = &mut self.queues[usize::from(id)];
        let read = queue.front_mut().expect("an occupied id has a read");
        inputs.m_rresp = read.load(now, id, &mut inputs.m_rdata, shared);
        read.beat += 1;
        let last = read.beat == read.beats;
        inputs.m_rid = id;
        inputs.m_rlast = last.into();
        inputs.m_rvalid = 1;
        self.current = (!last).then_some(id);
        if last {
            queue.pop_front();
            if queue.is_empty() {
                self.occupied &= !(1 << id);
            }
        }
    }
}

impl Read {
    /// Data and response of the next beat.
    fn load(&mut self, now: u64, id: u8, data: &mut [u64], shared: &mut Shared) -> u8 {
        let beat = (self.address & !(shared.width - 1)) + u64::from(self.beat) * shared.width;
        let words = &mut data[..(shared.width / 8) as usize];
        let generation = shared.memory.generation();
        let stale = self.found.as_ref().is_none_or(|(when, mapping)| {
            *when != generation || mapping.as_ref().is_some_and(|mapping| !mapping.range.contains(&beat))
        });
        if stale {
            self.found = Some((generation, shared.memory.find(beat)));
        }
        let mapping = self.found.as_ref().and_then(|(_, mapping)| mapping.as_ref());
        let injected = self.hit.as_ref().filter(|hit| hit.touches(beat, shared.width)).map(|hit| hit.response);
        let response = injected.unwrap_or(match mapping {
            None => DECERR,
            Some(mapping) if !mapping.permission.read => SLVERR,
            Some(_) => OKAY,
        });
        match mapping {
            Some(mapping) if response == OKAY => {
                let offset = mapping.offset_of(beat);
                for (index, word) in (0..).zip(words) {
                    *word = mapping.region.load(offset + 8 * index);
                }
            }
            _ => {
                words.fill(POISON);
                if !self.reported {
                    shared.report(now, Way::Read, id, beat, response, injected.is_some());
                }
                self.reported = true;
            }
        }
        response
    }
}
