//! Between rounds: regions come and go, commands with one bad field, wrong doorbells.

use super::bed::{Bed, PDS, RING_LOG2};
use super::Disagreement;
use crate::reference::{DoorbellDrop, RegionState};
use crate::scenario::Machine;
use rnic_abi::qp::State;
use rnic_abi::{admin, drop as reason, mr, register as reg};

impl<M: Machine> Bed<M> {
    /// A few commands.
    pub(super) fn commands(&mut self) -> Result<(), Disagreement> {
        for _ in 0..self.random.below(4) {
            match self.random.below(10) {
                0..=4 => self.come_and_go()?,
                5..=7 => self.bad_command()?,
                _ => self.wrong_doorbell()?,
            }
        }
        // There must be something to work with.
        while (1..=self.regions).filter(|index| self.is_allocated(*index)).count() < self.regions as usize / 2 {
            self.come_and_go()?;
        }
        Ok(())
    }

    fn is_allocated(&self, index: u32) -> bool {
        self.model.region(index as usize).is_some_and(|region| region.state != RegionState::Unallocated)
    }

    /// Page-buffer range of a region: all of the campaign's regions have room for the longest list of `tiny`.
    fn allocation(&mut self, index: u32) -> [u32; 5] {
        let most = (self.machine.preset().pages / (self.regions + 1)).min(self.machine.preset().max_page_list) & !7;
        let max_pages = 1 + self.random.below(most.into()) as u32;
        let byte = self.random.below(256) as u32;
        let pd = if index % 3 == 0 { PDS[1] } else { PDS[0] };
        [index, pd, byte | u32::from(mr::MEM_REG) << 8, max_pages, most * index]
    }

    fn come_and_go(&mut self) -> Result<(), Disagreement> {
        let index = 1 + self.random.below(self.regions.into()) as u32;
        if self.is_allocated(index) && self.random.chance(60) {
            return Ok(());
        }
        if self.is_allocated(index) {
            return self.command(admin::DEREG_MR, &[index]).map(drop);
        }
        let words = self.allocation(index);
        self.command(admin::ALLOC_MR, &words).map(drop)
    }

    /// A command with one bad field, or on an object that does not exist.
    fn bad_command(&mut self) -> Result<(), Disagreement> {
        let pair = self.random.below(self.pairs.len() as u64) as usize;
        let (qpn, entries) = (self.pairs[pair].qpn, self.machine.preset().mr_entries);
        // Never allocated, so that the bad field is the only thing wrong.
        let index = self.regions + 1;
        let mut words = self.allocation(index).to_vec();
        let opcode = match self.random.below(12) {
            0..=3 => {
                let (word, value) = self.choose(&[
                    (0, 0),
                    (0, entries),
                    (0, u32::MAX),
                    (1, 1 << 24),
                    (2, 0x0010),
                    (2, 0x0310),
                    (2, 0x1_0110),
                    (3, 0),
                    (3, 0x1_0001),
                    (4, 4),
                    (4, u32::MAX & !7),
                    (4, 1 << 20),
                ]);
                words[word] = value;
                admin::ALLOC_MR
            }
            4 => {
                words = vec![self.choose(&[0, entries, u32::MAX])];
                self.choose(&[admin::DEREG_MR, admin::QUERY_MR])
            }
            5 => {
                words = vec![index, 0, 1];
                admin::DEREG_MR
            }
            6 => {
                words = vec![qpn ^ 1 << 23];
                self.choose(&[admin::QUERY_QP, admin::DESTROY_QP])
            }
            7 => {
                words = vec![qpn, self.choose(&[1, 2, 5, 7, 0x100])];
                admin::MODIFY_QP
            }
            8 => {
                words = vec![qpn, 3, self.choose(&[1 << 14, 1 << 31, 2, 8, 1 << 13])];
                admin::MODIFY_QP
            }
            9 => {
                words = vec![qpn, PDS[0], 0, 0, RING_LOG2 | RING_LOG2 << 8, 0, 0x1000, 0, 0x2000, 0];
                admin::CREATE_QP
            }
            10 => {
                words = vec![self.choose(&[0, 1, self.machine.preset().cqs(), u32::MAX])];
                admin::DESTROY_CQ
            }
            _ => {
                words = vec![];
                self.choose(&[0x00, 0x05, 0x07, 0x0E, 0x20, 0xFF])
            }
        };
        self.command(opcode, &words).map(drop)
    }

    /// A doorbell that must be dropped: the counter of its reason goes up by one, and nothing happens.
    fn wrong_doorbell(&mut self) -> Result<(), Disagreement> {
        let pair = self.random.below(self.pairs.len() as u64) as usize;
        let qps = self.machine.preset().qps;
        let used = self.pairs[pair].qpn % qps;
        let index = if self.random.chance(30) { qps - 1 } else { used };
        let size = 1 << RING_LOG2;
        let Some(qp) = self.model.queue_pair(self.pairs[pair].qpn) else { return Ok(()) };
        if qp.state != State::Rts {
            return Ok(());
        }
        let (posted, received) = (self.pairs[pair].written, qp.receives_used);
        let send = self.random.chance(50);
        let base = u32::from(if send { posted } else { received });
        let value = match self.random.below(3) {
            _ if index != used => base,
            0 => base & 0xFFFF | 1 << (16 + self.random.below(16)),
            1 => base.wrapping_add(size + 1) & 0xFFFF,
            _ => base.wrapping_add(0x8000) & 0xFFFF,
        };
        let result = if send {
            let nothing = |_: u64, _: &mut [u8]| Ok(());
            self.model.ring_send(index as usize, value, &nothing)
        } else {
            self.model.ring_receive(index as usize, value)
        };
        let Err(drop) = result else {
            return Err(Disagreement::new("a wrong doorbell", format!("{value:#x} is right")));
        };
        let first = if send { reason::SQ_DOORBELL_INDEX } else { reason::RQ_DOORBELL_INDEX };
        let counter = reg::drop_counter(first + order(drop));
        let doorbell = if send { reg::sq_doorbell(index) } else { reg::rq_doorbell(index) };
        self.note(|| format!("doorbell {doorbell:#x} = {value:#x}, to be dropped ({drop:?})"));
        self.summary.operations += 1;
        let before = self.read_register(counter)?;
        self.write_register(doorbell, value)?;
        self.machine.run(100);
        let after = self.read_register(counter)?;
        if after != before.wrapping_add(1) {
            return Err(Disagreement::new(
                format!("a doorbell dropped ({drop:?})"),
                format!("{} drops", after.wrapping_sub(before)),
            ));
        }
        Ok(())
    }
}

/// Place of a reason behind the first of its queue.
fn order(drop: DoorbellDrop) -> u8 {
    match drop {
        DoorbellDrop::NoQueue => 0,
        DoorbellDrop::State => 1,
        DoorbellDrop::Count => 2,
        DoorbellDrop::Value => 3,
    }
}
