//! Random work requests: mostly what a consumer would post, often with one thing wrong.

use super::bed::{list_bytes, Bed, LISTS, PDS};
use crate::host::{Fault, Timing, Way};
use crate::random::Random;
use crate::reference::RegionState;
use crate::scenario::Machine;
use rnic_abi::limits::{DMA_LIMIT, MAX_INLINE, PAGE_SHIFT_MAX, PAGE_SHIFT_MIN};
use rnic_abi::wqe::{self, PageList, RegMr, Slot};
use rnic_abi::{access, key, opcode};
use rnic_driver::DmaBuffer;
use std::collections::BTreeMap;

/// How the host of a campaign answers: from calm to everything that AXI allows.
pub(super) fn timing(random: &mut Random) -> Timing {
    let base = if random.chance(50) { Timing::HARSH } else { Timing::CALM };
    Timing {
        read_latency: 1 + random.below(120) as u32,
        read_jitter: if random.chance(50) { random.below(200) as u32 } else { 0 },
        ..base
    }
}

/// What the round has planned for a region so far, by the order of posting.
#[derive(Clone, Copy, Debug)]
struct Plan {
    valid: bool,
    key: u32,
    max_pages: u16,
    group: Option<usize>,
}

/// The plans of a round, and who has named each region in it.
pub(super) struct Plans {
    regions: BTreeMap<u32, Plan>,
    /// The only queue pair that names the region in this round; none where several do.
    owner: BTreeMap<u32, Option<usize>>,
}

impl Plans {
    /// From what the model holds, with an owner for most of the regions.
    pub fn new<M: Machine>(bed: &mut Bed<M>) -> Self {
        let mut plans = Self { regions: BTreeMap::new(), owner: BTreeMap::new() };
        for index in 1..=bed.regions {
            let region = bed.model.region(index as usize).expect("inside the table");
            let group = PDS.iter().position(|pd| *pd == region.pd);
            let group = group.filter(|_| region.state != RegionState::Unallocated);
            let valid = region.state == RegionState::Valid;
            plans.regions.insert(index, Plan { valid, key: region.key, max_pages: region.max_pages, group });
            let owners: Vec<_> = (0..bed.pairs.len()).filter(|pair| Some(bed.pairs[*pair].group) == group).collect();
            let owned = bed.random.chance(75) && !owners.is_empty();
            let owner = if owned { Some(bed.choose(&owners)) } else { None };
            plans.owner.insert(index, owner);
        }
        plans
    }

    /// A request of this queue pair on this key may be unsignaled, and may be posted at all.
    fn rights(&self, pair: usize, key: u32) -> (bool, bool) {
        match self.owner.get(&key::index(key)) {
            Some(Some(owner)) => (*owner == pair, *owner == pair),
            Some(None) => (false, true),
            None => (true, true),
        }
    }
}

impl<M: Machine> Bed<M> {
    /// The slots of the next request of a queue pair.
    pub(super) fn request(&mut self, pair: usize, plans: &mut Plans) -> Vec<Slot> {
        match self.random.below(200) {
            0 => return self.garbage(),
            1 => return self.data_request(),
            _ => {}
        }
        let first = self.random.chance(55);
        // Where no region is in the state for the one, some are for the other.
        let shared = self.random.chance(15);
        let found = [(first, shared), (!first, shared), (first, true), (!first, true)];
        let found = found.into_iter().find_map(|(register, shared)| {
            let target = self.target(pair, plans, !register, shared)?;
            Some((register, target))
        });
        match found {
            Some((true, index)) => self.registration(pair, plans, index),
            Some((false, index)) => self.invalidation(pair, plans, index),
            None => vec![wqe::LocalInv { flags: wqe::FLAG_SIGNALLED, key: 0 }.encode()],
        }
    }

    /// Random bytes, or a request with an undefined opcode. It fails wherever it meets, so no region is named.
    fn garbage(&mut self) -> Vec<Slot> {
        let mut slot = [0; wqe::BYTES];
        slot.fill_with(|| self.random.next() as u8);
        slot[0] = self.choose(&[0x03, 0x0E, 0x1F, 0x22, 0x7F, 0x80, 0xFF]);
        slot[2] = self.choose(&[0, 1, 2, 3]);
        vec![slot]
    }

    /// A data request of one or two blocks whose format is wrong (T10): nothing of it reaches the wire, where nobody answers.
    fn data_request(&mut self) -> Vec<Slot> {
        let opcode = self.choose(&[opcode::SEND, opcode::WRITE, opcode::READ, opcode::FETCH_ADD]);
        let num_sge = self.choose(&[0, 1, 2, 3, 4]);
        let data = wqe::Data { opcode, flags: self.random.below(4) as u8, num_sge, ..wqe::Data::default() };
        let mut slots = data.encode()[..data.blocks()].to_vec();
        slots[0][3] = self.choose(&[5, 6, 0x80, 0xFF]);
        slots
    }

    /// A region in the wanted state by the plan, that the queue pair may name. Mostly one that it has for itself: who wins a
    /// shared one, the device decides. Now and then one in the wrong state, or of another protection domain.
    fn target(&mut self, pair: usize, plans: &Plans, wanted_valid: bool, shared: bool) -> Option<u32> {
        let group = self.pairs[pair].group;
        let (stray, misfit) = (self.random.chance(2), self.random.chance(2));
        let fits = |(index, plan): (&u32, &Plan)| {
            let (alone, allowed) = plans.rights(pair, index << 8);
            let named = if plan.group == Some(group) { allowed && (alone || shared) } else { stray };
            (named && (misfit || plan.valid == wanted_valid)).then_some(*index)
        };
        let candidates: Vec<_> = plans.regions.iter().filter_map(fits).collect();
        (!candidates.is_empty()).then(|| candidates[self.random.below(candidates.len() as u64) as usize])
    }

    fn flags(&mut self, pair: usize, plans: &Plans, key: u32) -> u8 {
        let unsignaled = plans.rights(pair, key).0 && self.random.chance(60);
        let fence = if self.random.chance(10) { wqe::FLAG_FENCE } else { 0 };
        fence | if unsignaled { 0 } else { wqe::FLAG_SIGNALLED }
    }

    fn invalidation(&mut self, pair: usize, plans: &mut Plans, index: u32) -> Vec<Slot> {
        let plan = plans.regions.get_mut(&index).expect("a target is planned");
        plan.valid = false;
        let mut key = plan.key;
        let wrong = self.random.chance(2);
        if wrong {
            key = match self.random.below(4) {
                0 => key ^ (1 + self.random.below(255) as u32),
                1 => self.random.below(256) as u32,
                2 => self.machine.preset().mr_entries << 8 | 0x11,
                _ => u32::MAX,
            };
        }
        let flags = self.flags(pair, plans, index << 8);
        let mut slot = wqe::LocalInv { flags, key }.encode();
        if self.random.chance(1) {
            let at = self.choose(&[2, 3, 8, 0x10, 0x3F]);
            slot[at] ^= 1 << self.random.below(8);
        }
        vec![slot]
    }

    fn registration(&mut self, pair: usize, plans: &mut Plans, index: u32) -> Vec<Slot> {
        let plan = plans.regions[&index];
        let byte = if self.random.chance(30) { key::byte(plan.key) } else { self.random.next() as u8 };
        let mut wr = self.fields(key::new(index, byte), plan.max_pages.max(1));
        wr.flags = self.flags(pair, plans, index << 8);
        let mut pages = self.pages(&wr);
        let wrong = self.random.chance(4);
        if wrong {
            self.spoil(&mut wr, &mut pages);
        }
        let inline = wr.npages <= MAX_INLINE as u16 && self.random.chance(50);
        wr.pages = if inline { inline_pages(&pages) } else { self.list(&pages, wrong) };
        let plan = plans.regions.get_mut(&index).expect("a target is planned");
        (plan.valid, plan.key) = (true, if wrong { plan.key } else { wr.key });
        let mut slot = wr.encode();
        if self.random.chance(1) {
            let at = self.choose(&[1, 2, 9, 0x28, 0x30, 0x38, 0x3F]);
            // Never the signaled flag: who may be unsignaled is decided above.
            slot[at] ^= 2 << self.random.below(7);
        }
        vec![slot]
    }

    /// The fields of a registration that is right, and covers what it should.
    fn fields(&mut self, key: u32, max_pages: u16) -> RegMr {
        let largest = u64::from(PAGE_SHIFT_MAX - PAGE_SHIFT_MIN);
        let page_shift =
            PAGE_SHIFT_MIN as u8 + if self.random.chance(60) { 0 } else { self.random.below(largest + 1) as u8 };
        let size = 1u64 << page_shift;
        let short = self.random.chance(60);
        let npages = 1 + self.random.below(if short { u64::from(max_pages).min(9) } else { max_pages.into() }) as u16;
        let fbo = if self.random.chance(40) { 0 } else { self.random.below(size) };
        let covered = u64::from(npages) * size - fbo;
        let spare =
            if self.random.chance(70) { self.random.below(size.min(covered)) } else { self.random.below(covered) };
        let length = (covered - spare).min(self.machine.preset().max_mr_len());
        let zero_based = self.random.chance(12);
        let base = match self.random.below(4) {
            // The region may end exactly at 2^64.
            0 => (0u64.wrapping_sub(length + fbo)) & !(size - 1),
            1 => 0,
            _ => self.random.next() & !(size - 1),
        };
        let base = if base.checked_add(fbo + length - 1).is_none() { 0 } else { base };
        let rights =
            self.choose(&[0, access::LW, access::LW | access::RW, access::RR, access::LW | access::RR, 0x0F, 0x07]);
        let mode = if zero_based { access::ZB } else { 0 };
        let iova = if zero_based { 0 } else { base + fbo };
        let pages = PageList::Pointer(0);
        RegMr { flags: 0, access: rights | mode, key, page_shift, npages, fbo: fbo as u32, iova, length, pages }
    }

    /// Page addresses: aligned, inside the bus, in any order, sometimes the same twice.
    fn pages(&mut self, wr: &RegMr) -> Vec<u64> {
        let size = 1u64 << wr.page_shift;
        let mut pages: Vec<u64> = Vec::with_capacity(wr.npages.into());
        for _ in 0..wr.npages {
            let page = match self.random.below(16) {
                0 => DMA_LIMIT - size,
                1 => pages.last().copied().unwrap_or(0),
                _ => self.random.below(DMA_LIMIT / size) * size,
            };
            pages.push(page);
        }
        pages
    }

    /// One thing wrong, each of the rules of section B in turn.
    fn spoil(&mut self, wr: &mut RegMr, pages: &mut [u64]) {
        let size = 1u64 << wr.page_shift;
        let some = self.random.below(pages.len() as u64) as usize;
        match self.random.below(16) {
            0 => wr.key = self.machine.preset().mr_entries << 8 | 1,
            1 => wr.key = self.random.below(256) as u32,
            2 => wr.access = access::RW,
            3 => wr.access |= 0x40,
            4 => wr.page_shift = self.choose(&[0, 11, 22, 32, 200]),
            5 => wr.npages = 0,
            6 => wr.npages = self.machine.preset().max_page_list as u16 + 1,
            7 => wr.length = 0,
            8 => wr.length = self.machine.preset().max_mr_len() + 1,
            9 => wr.iova = 0u64.wrapping_sub(wr.length) + 1,
            10 => wr.length = u64::from(wr.npages) * size - u64::from(wr.fbo) + 1,
            11 => wr.fbo ^= 1 << self.random.below(21),
            12 => wr.fbo = self.random.next() as u32,
            13 => pages[some] |= 1 << self.random.below(wr.page_shift.into()),
            14 => pages[some] = DMA_LIMIT + (pages[some] & (DMA_LIMIT - 1)),
            _ => wr.access ^= access::ZB,
        }
    }

    /// Puts a list into memory. A `wrong` one may be misplaced or unreadable.
    fn list(&mut self, pages: &[u64], wrong: bool) -> PageList {
        let bytes = list_bytes(self.machine.preset());
        let number = self.lists_used % LISTS;
        self.lists_used += 1;
        let place = number * bytes;
        for (index, page) in pages.iter().enumerate() {
            self.lists.write_u64(place as usize + 8 * index, *page);
        }
        // What follows the list is fetched with it and means nothing (M2).
        for index in pages.len()..pages.len().next_multiple_of(8) {
            self.lists.write_u64(place as usize + 8 * index, u64::MAX);
        }
        let address = self.lists.bus_address() + place;
        if !wrong {
            return PageList::Pointer(address);
        }
        match self.random.below(8) {
            0 => PageList::Pointer(address + self.choose(&[1, 8, 32, 63])),
            1 => PageList::Pointer(DMA_LIMIT + (address & !63)),
            2 => PageList::Pointer(self.unmapped()),
            3 => {
                let first = address + 8 * self.random.below(pages.len() as u64);
                let range = first..first + 8;
                let fault = Fault::once(Way::Read).at(range.clone()).always();
                self.machine.inject(fault);
                self.poisoned.push(range);
                self.note(|| format!("reads of {first:#x} fail"));
                PageList::Pointer(address)
            }
            _ => PageList::Pointer(address),
        }
    }

    /// Bus addresses with nothing behind them, for a page of lists.
    fn unmapped(&mut self) -> u64 {
        loop {
            let address = self.random.below(DMA_LIMIT / 4096 - 1) * 4096;
            let host = self.machine.memory().host();
            if host.find(address).is_none() && host.find(address + 4096).is_none() {
                return address;
            }
        }
    }
}

fn inline_pages(pages: &[u64]) -> PageList {
    let mut four = [0; 4];
    four.iter_mut().zip(pages).for_each(|(place, page)| *place = *page);
    PageList::Inline(four)
}
