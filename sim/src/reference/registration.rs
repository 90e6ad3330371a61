//! REG_MR: every check of section B in the order of the syndromes, then the commit (rule B24).
//!
//! Checks that need only the work request and those that need the table entry are mixed here in the order of the
//! syndromes, whatever hardware looks at first: the first hit names the failure.

use super::{Memory, ReferenceNic, Region, RegionState};
use rnic_abi::preset::Preset;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::{access, caps, limits, mr, wqe};

/// The fields of a REG_MR (`interfaces.md` section 5).
#[derive(Clone, Debug)]
struct Registration {
    flags: u8,
    blocks: u8,
    access: u8,
    key: u32,
    page_shift: u8,
    reserved: u8,
    pages: u16,
    fbo: u32,
    iova: u64,
    length: u64,
    tail: [u64; 4],
}

impl Registration {
    fn decode(slot: &[u8; 64]) -> Self {
        let u32_at = |at: usize| u32::from_le_bytes(slot[at..at + 4].try_into().unwrap());
        let u64_at = |at: usize| u64::from_le_bytes(slot[at..at + 8].try_into().unwrap());
        Self {
            flags: slot[1],
            blocks: slot[2],
            access: slot[3],
            key: u32_at(0x04),
            page_shift: slot[8],
            reserved: slot[9],
            pages: u16::from_le_bytes([slot[10], slot[11]]),
            fbo: u32_at(0x0C),
            iova: u64_at(0x10),
            length: u64_at(0x18),
            tail: [u64_at(0x20), u64_at(0x28), u64_at(0x30), u64_at(0x38)],
        }
    }

    fn inline(&self) -> bool {
        self.flags & wqe::FLAG_INLINE != 0
    }

    /// B1: nothing is set that REG_MR does not define.
    fn well_formed(&self) -> bool {
        let allowed = wqe::FLAG_SIGNALLED | wqe::FLAG_FENCE | wqe::FLAG_INLINE;
        let unused = if self.inline() { usize::from(self.pages).max(1) } else { 1 };
        self.flags & !allowed == 0
            && self.blocks == 1
            && self.reserved == 0
            && !(self.inline() && self.pages > limits::MAX_INLINE as u16)
            && self.tail.iter().skip(unused).all(|&word| word == 0)
    }

    /// B8, B9: only defined bits, RA only where atomics exist, and no remote change without local write.
    fn access_allowed(&self) -> bool {
        let atomic = if caps::OFFERED & caps::ATOMIC_HCA != 0 { access::RA } else { 0 };
        let defined = access::LW | access::RW | access::RR | access::ZB | atomic;
        let changes = self.access & (access::RW | access::RA) != 0;
        self.access & !defined == 0 && (!changes || self.access & access::LW != 0)
    }

    /// B14: pages that [fbo, fbo + length) takes.
    fn pages_needed(&self) -> u128 {
        (u128::from(self.fbo) + u128::from(self.length)).div_ceil(1 << self.page_shift)
    }

    /// B15: the offset fits the address.
    fn offset_fits(&self) -> bool {
        let size = 1u64 << self.page_shift;
        if self.access & access::ZB != 0 {
            self.iova == 0 && u64::from(self.fbo) < size
        } else {
            u64::from(self.fbo) == self.iova % size
        }
    }

    /// B16: the list starts on 64 bytes and ends inside the bus.
    fn list_reachable(&self) -> bool {
        let end = u128::from(self.tail[0]) + 8 * u128::from(self.pages);
        self.tail[0] % 64 == 0 && end <= 1 << limits::DMA_ADDR_WIDTH
    }
}

/// B8 to B16, what the request alone decides, except what `region` bounds.
fn judge_fields(request: &Registration, region: &Region, preset: &Preset) -> Result<(), Syndrome> {
    let fail = |bad: bool, syndrome: Syndrome| if bad { Err(syndrome) } else { Ok(()) };
    let shifts = limits::PAGE_SHIFT_MIN..=limits::PAGE_SHIFT_MAX;
    fail(!request.access_allowed(), Syndrome::Access)?;
    fail(!shifts.contains(&u32::from(request.page_shift)), Syndrome::PageShift)?;
    fail(request.pages == 0 || request.pages > region.max_pages, Syndrome::PlLen)?;
    fail(request.length == 0 || request.length > preset.max_mr_len(), Syndrome::Length)?;
    fail(u128::from(request.iova) + u128::from(request.length) > 1 << 64, Syndrome::Wrap)?;
    fail(request.pages_needed() > u128::from(request.pages), Syndrome::Cover)?;
    fail(!request.offset_fits(), Syndrome::Fbo)?;
    fail(!request.inline() && !request.list_reachable(), Syndrome::PlAddr)
}

/// B17: the entries of the list, from the request or from host memory, in whole groups of 8 (rule M2).
fn fetch_list(request: &Registration, memory: &dyn Memory) -> Result<Vec<u64>, Syndrome> {
    let pages = usize::from(request.pages);
    if request.inline() {
        return Ok(request.tail[..pages].to_vec());
    }
    let mut bytes = vec![0; 8 * pages.next_multiple_of(8)];
    memory.read(request.tail[0], &mut bytes).map_err(|_| Syndrome::PlFetch)?;
    let entries = bytes.chunks_exact(8).map(|entry| u64::from_le_bytes(entry.try_into().unwrap()));
    Ok(entries.take(pages).collect())
}

/// B18, B19: every entry is a whole page inside the bus. All alignment comes before all ranges.
fn judge_pages(pages: &[u64], page_shift: u8) -> Result<(), Syndrome> {
    let size = 1u64 << page_shift;
    if pages.iter().any(|entry| entry % size != 0) {
        return Err(Syndrome::PageAlign);
    }
    if pages.iter().any(|&entry| u128::from(entry) + u128::from(size) > 1 << limits::DMA_ADDR_WIDTH) {
        return Err(Syndrome::PageRange);
    }
    Ok(())
}

impl ReferenceNic {
    /// Executes a REG_MR of a queue pair of `pd`. A failure changes nothing (decision 3).
    pub(super) fn register(&mut self, slot: &[u8; 64], pd: u32, memory: &dyn Memory) -> Result<(), Syndrome> {
        let request = Registration::decode(slot);
        if !request.well_formed() {
            return Err(Syndrome::WqeFormat);
        }
        let index = self.judge_target(request.key, pd)?;
        let region = &self.regions[index];
        if region.state == RegionState::Valid {
            return Err(Syndrome::MrNotFree);
        }
        judge_fields(&request, region, &self.preset)?;
        let pages = fetch_list(&request, memory)?;
        judge_pages(&pages, request.page_shift)?;
        commit(&mut self.regions[index], &request, pages);
        Ok(())
    }

    /// B2 to B5: the region that a memory-management request names. LOCAL_INV takes the same checks (rule C1).
    pub(super) fn judge_target(&self, key: u32, pd: u32) -> Result<usize, Syndrome> {
        let index = (key >> 8) as usize;
        if index == 0 {
            return Err(Syndrome::KeyReserved);
        }
        let region = self.regions.get(index).filter(|region| region.state != RegionState::Unallocated);
        let region = region.ok_or(Syndrome::KeyIndex)?;
        if region.kind != mr::MEM_REG {
            return Err(Syndrome::MrType);
        }
        if region.pd != pd {
            return Err(Syndrome::MrPd);
        }
        Ok(index)
    }
}

/// B24: everything of the registration becomes visible at once. REMOTE_INV follows from a remote right (rule C12).
fn commit(region: &mut Region, request: &Registration, pages: Vec<u64>) {
    let remote = access::RW | access::RR | access::RA;
    let invalidate = if request.access & remote != 0 { access::RINV } else { 0 };
    region.key = request.key;
    region.access = request.access | invalidate;
    region.page_shift = request.page_shift;
    region.pages = pages;
    region.iova = request.iova;
    region.length = request.length;
    region.fbo = request.fbo;
    region.generation = region.generation.wrapping_add(1);
    region.state = RegionState::Valid;
}
