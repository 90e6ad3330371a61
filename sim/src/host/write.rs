//! Write channels of the host's memory: AW and W in, B out.
//!
//! A burst changes memory at the moment when its response is offered, not before: whoever relies on data whose response
//! has not come sees the old bytes.
use super::fault::{Hit, Response, Way, DECERR, OKAY, SLVERR};
use super::shared::Shared;
use crate::core::{Inputs, Outputs, DATA_WORDS};
use std::collections::VecDeque;

/// A burst that has its response now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteDone {
    /// AXI id.
    pub id: u8,
    /// Address of the burst.
    pub address: u64,
    /// The response; the bytes are in memory if it is OKAY.
    pub response: Response,
}

#[derive(Clone, Copy, Debug)]
struct Beat {
    data: [u64; DATA_WORDS],
    strobes: u64,
    last: bool,
}

#[derive(Debug)]
struct Write {
    address: u64,
    beats: Vec<Beat>,
    due: u64,
    number: u64,
    hit: Option<Hit>,
}

/// Writes in flight.
#[derive(Debug, Default)]
pub(super) struct WriteChannel {
    addresses: VecDeque<(u8, u64, usize)>,
    beats: VecDeque<Beat>,
    bursts: usize,
    queues: [VecDeque<Write>; 16],
    occupied: u16,
    number: u64,
    spare: Vec<Vec<Beat>>,
}

impl WriteChannel {
    /// One rising edge in cycle `now`: takes the handshakes and sets the inputs of the next cycle.
    /// Answers the burst whose response goes out then.
    pub fn clock(
        &mut self,
        now: u64,
        outputs: &Outputs,
        inputs: &mut Inputs,
        shared: &mut Shared,
    ) -> Option<WriteDone> {
        if outputs.awvalid & inputs.m_awready == 1 {
            self.addresses.push_back((outputs.awid & 15, outputs.awaddr, usize::from(outputs.awlen) + 1));
        }
        if outputs.wvalid & inputs.m_wready == 1 {
            let last = outputs.wlast == 1;
            self.beats.push_back(Beat { data: outputs.wdata, strobes: outputs.wstrb, last });
            self.bursts += usize::from(last);
        }
        while self.bursts > 0 && !self.addresses.is_empty() {
            self.complete(now, shared);
        }
        let mut done = None;
        if inputs.m_bvalid == 0 || outputs.bready == 1 {
            inputs.m_bvalid = 0;
            if self.occupied != 0 && !shared.gap() {
                done = self.offer(now, inputs, shared);
            }
        }
        inputs.m_awready = u8::from(!shared.stall());
        inputs.m_wready = u8::from(!shared.stall());
        done
    }

    /// Bursts whose response has not been offered, by id.
    pub fn in_flight(&self) -> impl Iterator<Item = (u8, usize)> + '_ {
        let waiting = |id| self.addresses.iter().filter(|address| address.0 == id).count();
        (0..16).map(move |id| (id, self.queues[usize::from(id)].len() + waiting(id))).filter(|(_, count)| *count > 0)
    }

    /// Joins the oldest address with its data. A burst ends where WLAST is; the monitor compares that with the length.
    fn complete(&mut self, now: u64, shared: &mut Shared) {
        let (id, address, length) = self.addresses.pop_front().expect("the caller has looked");
        let mut beats = self.spare.pop().unwrap_or_default();
        beats.clear();
        while let Some(beat) = self.beats.pop_front() {
            beats.push(beat);
            if beat.last {
                break;
            }
        }
        self.bursts -= 1;
        let end = (address & !(shared.width - 1)).saturating_add(length as u64 * shared.width);
        let hit = shared.faults.hit(Way::Write, id, &(address..end));
        let queue = &mut self.queues[usize::from(id)];
        let due = shared.write_due(now).max(queue.back().map_or(0, |before| before.due));
        self.number += 1;
        self.occupied |= 1 << id;
        queue.push_back(Write { address, beats, due, number: self.number, hit });
    }

    fn offer(&mut self, now: u64, inputs: &mut Inputs, shared: &mut Shared) -> Option<WriteDone> {
        let due = |id: &u8| self.queues[usize::from(*id)].front().is_some_and(|write| write.due <= now + 1);
        let ids = (0..16u8).filter(|id| self.occupied >> id & 1 == 1);
        let id = if shared.timing.out_of_order {
            let pick = shared.random.below(ids.clone().filter(due).count() as u64) as usize;
            ids.filter(due).nth(pick)
        } else {
            ids.min_by_key(|id| self.queues[usize::from(*id)].front().map(|write| write.number)).filter(due)
        }?;
        let queue = &mut self.queues[usize::from(id)];
        let write = queue.pop_front()?;
        if queue.is_empty() {
            self.occupied &= !(1 << id);
        }
        let response = write.store(now, id, shared);
        let address = write.address;
        self.spare.push(write.beats);
        inputs.m_bid = id;
        inputs.m_bresp = response;
        inputs.m_bvalid = 1;
        Some(WriteDone { id, address, response })
    }
}

impl Write {
    /// All bytes or none: nothing is written when a part is not mapped for writing.
    fn store(&self, now: u64, id: u8, shared: &mut Shared) -> Response {
        let base = self.address & !(shared.width - 1);
        let mapping = shared.memory.find(base);
        let end = base + self.beats.len() as u64 * shared.width;
        let response = match (&self.hit, &mapping) {
            (Some(hit), _) => hit.response,
            (_, None) => DECERR,
            (_, Some(mapping)) if mapping.range.end < end => DECERR,
            (_, Some(mapping)) if !mapping.permission.write => SLVERR,
            _ => OKAY,
        };
        match mapping {
            Some(mapping) if response == OKAY => {
                let words = (shared.width / 8) as usize;
                let mut offset = mapping.offset_of(base);
                for beat in &self.beats {
                    for (lane, &word) in beat.data[..words].iter().enumerate() {
                        mapping.region.store(offset, word, (beat.strobes >> (8 * lane)) as u8);
                        offset += 8;
                    }
                }
            }
            _ => shared.report(now, Way::Write, id, self.address, response, self.hit.is_some()),
        }
        response
    }
}
