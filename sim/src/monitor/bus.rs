//! What each burst is for, and what follows from the bytes that pass: WQEs lend lists and pages, CQEs give them back.
use super::lists::Lent;
use super::problem::{check, Problem};
use super::protocol::{Burst, Passed, ReadBeat};
use super::ring::Ring;
use super::{send, Monitor};
use crate::core::Inputs;
use crate::host::{Way, WriteDone, OKAY};
use crate::log::{Event, Log, Meaning};
use rnic_abi::cqe::{self, Cqe};
use rnic_abi::limits::{DMA_LIMIT, EVENT_LOG2_MAX, EVENT_LOG2_MIN, PAGE_LIST_ENTRY, PAGE_SHIFT_MAX, PAGE_SHIFT_MIN};
use rnic_abi::wqe::{self, PageList, RegMr};
use rnic_abi::{axi, event, opcode, status};
use std::ops::Range;

impl Monitor {
    pub(super) fn passed(&mut self, cycle: u64, inputs: &Inputs, passed: Passed, log: &mut Log) -> Result<(), Problem> {
        if let Some(burst) = passed.read {
            let meaning = self.read(&burst);
            let Burst { id, address, beats } = burst;
            log.push(
                cycle,
                Event::Read { id, address, beats, meaning: *meaning.as_ref().unwrap_or(&Meaning::Unknown) },
            );
            self.reads[usize::from(id)].push_back(meaning?);
        }
        if let Some(burst) = passed.write {
            let meaning = self.write(&burst);
            let Burst { id, address, beats } = burst;
            log.push(
                cycle,
                Event::Write { id, address, beats, meaning: *meaning.as_ref().unwrap_or(&Meaning::Unknown) },
            );
            self.writes[usize::from(id)].push_back(meaning?);
        }
        if let Some(shape) = passed.written.filter(|shape| shape.burst.id == axi::WRITE_CQE) {
            if let Some(cq) = self.objects.completion_queue(shape.address) {
                cq.shape(&shape)?;
            }
        }
        if let Some(beat) = passed.beat {
            self.read_beat(cycle, inputs, &beat, log)?;
        }
        if let Some(vector) = passed.interrupt {
            log.push(cycle, Event::Interrupt { vector });
        }
        Ok(())
    }

    /// What a read is for; a problem when it is for nothing that the driver has lent.
    fn read(&mut self, burst: &Burst) -> Result<Meaning, Problem> {
        let range = burst.address..self.protocol.end_of(burst);
        let found = match burst.id {
            axi::READ_SQ_WQE => match self.objects.send_queue(&range) {
                Some(queue) => {
                    let (first, count, ended) = queue.fetch(range.start, range.end - range.start)?;
                    let (slot, qp) = (queue.ring.index(first), queue.qp);
                    self.give_back(qp, &ended)?;
                    Some(Meaning::SendWqes { qp, slot, count: count as u32 })
                }
                None => None,
            },
            axi::READ_RECEIVE_WQE => self.objects.receive_queue(&range).map(|qp| Meaning::ReceiveWqes { qp }),
            axi::READ_PAGE_LIST => self.objects.lists.find(&range).map(|lent| self.list_meaning(&lent)),
            axi::READ_RAW => self.raw.may_read(&range).then_some(Meaning::Raw),
            _ => self.objects.pages.reach(&range).then_some(Meaning::Payload),
        };
        self.found(found, Way::Read, burst, &range)
    }

    /// What a write is for; a problem when it is for nothing that the driver has lent.
    fn write(&mut self, burst: &Burst) -> Result<Meaning, Problem> {
        let range = burst.address..self.protocol.end_of(burst);
        let found = match burst.id {
            axi::WRITE_CQE => match self.objects.completion_queue(range.start) {
                Some(cq) => Some(Meaning::Completion { cqn: cq.cqn, index: cq.write(range.start)? }),
                None => None,
            },
            axi::WRITE_EVENT => self.write_event(range.start)?,
            axi::WRITE_RAW if self.raw.may_write(&range) => {
                self.raw.begin(&range)?;
                Some(Meaning::Raw)
            }
            axi::WRITE_RAW => None,
            _ => self.objects.pages.reach(&range).then_some(Meaning::Payload),
        };
        self.found(found, Way::Write, burst, &range)
    }

    fn found(&self, found: Option<Meaning>, way: Way, burst: &Burst, range: &Range<u64>) -> Result<Meaning, Problem> {
        let by_hand = || self.lends.admits(way, burst.id, range).then(|| lent_meaning(way, burst.id));
        let meaning = found.or_else(by_hand);
        let rule_text = || {
            format!("{} of memory that is not lent for it: {burst}", if way == Way::Read { "read" } else { "write" })
        };
        meaning.ok_or_else(|| Problem { rule: "I1", text: rule_text() })
    }

    fn list_meaning(&self, lent: &Lent) -> Meaning {
        let slot = self.objects.pairs.get(&lent.qp).map_or(0, |pair| pair.send.ring.index(lent.count));
        Meaning::PageList { qp: lent.qp, slot }
    }

    fn write_event(&mut self, address: u64) -> Result<Option<Meaning>, Problem> {
        let Some(ring) = self.event_ring().filter(|ring| ring.range().contains(&address)) else { return Ok(None) };
        let expected = ring.address(self.events);
        check!(address == expected, "I6", "an event at {address:013x} instead of {expected:013x}");
        self.events += 1;
        Ok(Some(Meaning::DeviceEvent { index: ring.index(self.events - 1) }))
    }

    fn read_beat(&mut self, cycle: u64, inputs: &Inputs, beat: &ReadBeat, log: &mut Log) -> Result<(), Problem> {
        let id = usize::from(beat.burst.id);
        self.worst[id] = self.worst[id].max(beat.response);
        if let Some(Meaning::SendWqes { qp, .. }) = self.reads[id].front().copied() {
            self.wqe_beat(cycle, qp, inputs, beat, log);
        }
        if beat.last {
            self.reads[id].pop_front();
            let (id, address) = (beat.burst.id, beat.burst.address);
            log.push(
                cycle,
                Event::ReadDone { id, address, response: std::mem::take(&mut self.worst[usize::from(id)]) },
            );
        }
        Ok(())
    }

    /// A beat of WQEs: every 64 bytes a slot is whole.
    fn wqe_beat(&mut self, cycle: u64, qp: u32, inputs: &Inputs, beat: &ReadBeat, log: &mut Log) {
        let offset = (beat.address % wqe::BYTES as u64) as usize;
        for (index, word) in inputs.m_rdata[..(self.width / 8) as usize].iter().enumerate() {
            self.slot[offset + 8 * index..offset + 8 * index + 8].copy_from_slice(&word.to_le_bytes());
        }
        if offset + self.width as usize != wqe::BYTES {
            return;
        }
        let slot = (self.worst[usize::from(beat.burst.id)] == OKAY).then_some(self.slot);
        let Some(pair) = self.objects.pairs.get_mut(&qp) else { return };
        let Some(count) = pair.send.arriving() else { return };
        let (number, again) = (pair.send.ring.index(count), pair.send.has_arrived(count));
        let Some(posted) = pair.send.arrive(slot.as_ref()) else { return };
        log.push(cycle, Event::Wqe { qp, slot: number, opcode: posted.opcode, key: posted.key });
        // A WQE that is read again, because an earlier one must be sent again, is not executed again (T46).
        if posted.opcode == opcode::REG_MR && !again {
            self.registration(qp, count, &RegMr::decode(&self.slot));
        }
    }

    /// A REG_MR has arrived: its list and its pages are in reach until it ends.
    fn registration(&mut self, qp: u32, count: u64, wr: &RegMr) {
        let bytes = u64::from(wr.npages) * PAGE_LIST_ENTRY;
        let pages = match wr.pages {
            PageList::Inline(pages) => pages[..usize::from(wr.npages).min(pages.len())].to_vec(),
            PageList::Pointer(list) if wr.npages > 0 && list < DMA_LIMIT - bytes => {
                // The device reads whole beats.
                let range = list..(list + bytes).next_multiple_of(self.width);
                self.objects.lists.lend(Lent { range, qp, count });
                let mut copy = vec![0; bytes.min(8 * u64::from(self.preset.max_page_list)) as usize];
                self.memory.read(list, &mut copy);
                copy.chunks_exact(8).map(|entry| u64::from_le_bytes(entry.try_into().expect("8 bytes"))).collect()
            }
            // No page, or beyond the bus (B11, B16): no read is allowed.
            PageList::Pointer(_) => vec![],
        };
        let shift = u32::from(wr.page_shift);
        if (PAGE_SHIFT_MIN..=PAGE_SHIFT_MAX).contains(&shift) {
            let pages = pages.into_iter().filter(|page| page % (1 << shift) == 0).collect();
            self.objects.pages.list(wr.key, qp, count, shift, pages);
        }
    }

    pub(super) fn completion(&mut self, cycle: u64, cqn: u32, done: &WriteDone, log: &mut Log) -> Result<(), Problem> {
        let mut bytes = [0; cqe::BYTES];
        if done.response == OKAY {
            self.memory.read(done.address, &mut bytes);
        } else {
            log.push(cycle, Event::WriteDone { id: done.id, address: done.address, response: done.response });
        }
        let Some(cq) = self.objects.cqs.get_mut(&cqn) else { return Ok(()) };
        let Some(entry) = cq.done(done.response, &bytes)? else { return Ok(()) };
        log.push(cycle, Event::Completion { cqn, entry });
        self.completed(cqn, &entry)
    }

    fn completed(&mut self, cqn: u32, entry: &Cqe) -> Result<(), Problem> {
        let index = self.objects.index(entry.qpn);
        let (slot, receive) = (u32::from(entry.slot), entry.flags & cqe::FLAG_RECEIVE != 0);
        let expected = self.objects.cqn_of(index, receive);
        let known = self.objects.pairs.get(&index).is_some_and(|pair| pair.qpn == entry.qpn);
        check!(known, "I6", "CQE in CQ {cqn} of QP {:#x}, which does not exist", entry.qpn);
        check!(expected == Some(cqn), "I6", "CQE of QP {index} slot {slot} in CQ {cqn}, not in {expected:?}");
        if receive && entry.status != status::SUCCESS {
            self.objects.in_error(index);
        }
        if receive {
            if entry.status == status::SUCCESS && entry.flags & cqe::FLAG_INV != 0 {
                self.objects.pages.invalidated_by_peer(entry.imm);
            }
            return self.objects.receive_completion(index, slot);
        }
        let Some(pair) = self.objects.pairs.get_mut(&index) else { return Ok(()) };
        let ended = pair.send.complete(slot, entry.status)?;
        self.give_back(index, &ended)
    }

    /// WRs have ended: their lists go back, and nothing may be on its way to them (I11).
    fn give_back(&mut self, qp: u32, ended: &[send::Ended]) -> Result<(), Problem> {
        for lent in self.objects.end(qp, ended) {
            let Some(burst) = self.protocol.reading(axi::READ_PAGE_LIST, &lent.range) else { continue };
            let range = burst.address..self.protocol.end_of(&burst);
            let other = self.objects.lists.find(&range).is_some();
            check!(other, "I11", "a WR of QP {qp} has ended while its page list is read: {burst}");
        }
        Ok(())
    }

    pub(super) fn device_event(
        &mut self,
        cycle: u64,
        index: u32,
        done: &WriteDone,
        log: &mut Log,
    ) -> Result<(), Problem> {
        if done.response != OKAY {
            log.push(cycle, Event::WriteDone { id: done.id, address: done.address, response: done.response });
            return Ok(());
        }
        let mut bytes = [0; event::BYTES];
        self.memory.read(done.address, &mut bytes);
        let entry = event::Event::decode(&bytes);
        log.push(cycle, Event::DeviceEvent(entry));
        let Some(ring) = self.event_ring() else { return Ok(()) };
        // The count of the entry is the newest one at or before the events written that has this index.
        let behind = (self.events.wrapping_sub(1).wrapping_sub(index.into())) & (ring.size() - 1);
        let expected = ring.phase(self.events.wrapping_sub(1).wrapping_sub(behind));
        check!(entry.phase == expected, "I6", "event {index} has phase {}", entry.phase as u8);
        Ok(())
    }

    fn event_ring(&self) -> Option<Ring> {
        let [low, high, log2] = self.event_registers;
        let base = u64::from(high) << 32 | u64::from(low);
        (EVENT_LOG2_MIN..=EVENT_LOG2_MAX).contains(&log2).then_some(Ring { base, log2, entry: event::BYTES as u64 })
    }
}

/// Meaning of a burst into memory that was lent by hand.
fn lent_meaning(way: Way, id: u8) -> Meaning {
    match (way, id) {
        (Way::Read, axi::READ_RAW) | (Way::Write, axi::WRITE_RAW) => Meaning::Raw,
        _ => Meaning::Payload,
    }
}
