//! Registrations, invalidations and receives.

use super::bed::{peer_of, side_of, Bed, Request, REGIONS};
use super::hazards::{between, Order, Way};
use super::regions::{Layout, Life, Region, Role, BYTES};
use rnic_abi::wqe::{self, PageList, RegMr, Sge};
use rnic_abi::{access, key};

/// Receives that are posted ahead of the messages.
const AHEAD: usize = 6;

impl Bed {
    fn local(&self, pair: usize, fits: impl Fn(&Region) -> bool) -> Vec<usize> {
        let (side, pd) = (side_of(pair), self.pairs[pair].pd);
        let own = |region: &Region| region.side == side && region.pd == pd && !region.fixed;
        (0..self.regions.len()).filter(|region| own(&self.regions[*region]) && fits(&self.regions[*region])).collect()
    }

    fn request(&self, pair: usize, reads: bool) -> Request {
        Request { queue: pair, touches: vec![], slots: 1, reads, done: false }
    }

    fn signaled(&mut self, pair: usize) -> u8 {
        let signaled = self.random.chance(50) || self.pairs[pair].silent >= 5 || self.room(pair, 0) < 10;
        let fence = if self.random.chance(10) { wqe::FLAG_FENCE } else { 0 };
        fence | if signaled { wqe::FLAG_SIGNALLED } else { 0 }
    }

    /// A registration of a region that is free, or whose LOCAL_INV is in front of it.
    pub(super) fn register(&mut self, pair: usize) {
        let found = self.local(pair, |region| region.registrable(pair));
        if !found.is_empty() && self.room(pair, 0) > 3 {
            let region = self.choose(&found);
            let wr = self.registration(pair, region);
            self.post_registration(pair, region, wr);
        }
    }

    /// The fields of a registration that is right.
    pub(super) fn registration(&mut self, pair: usize, region: usize) -> RegMr {
        let Region { memory, max_pages, index, key, .. } = self.regions[region];
        let shift = 12 + self.random.below(3);
        let size = 1u64 << shift;
        let there = BYTES / size;
        let npages = (1 + self.random.below(2 * there)).min(max_pages.into());
        let mut pages: Vec<u64> = (0..there).map(|page| memory + page * size).collect();
        // Any order; a long list names pages twice (B20).
        for place in 0..pages.len() {
            let other = place + self.random.below((pages.len() - place) as u64) as usize;
            pages.swap(place, other);
        }
        pages = pages.iter().cycle().take(npages as usize).copied().collect();
        let fbo = if self.random.chance(40) { 0 } else { self.random.below(size) };
        let covered = npages * size - fbo;
        let length = covered - if self.random.chance(60) { 0 } else { self.random.below(covered) };
        let zero_based = self.random.chance(15);
        let iova = match self.random.below(5) {
            _ if zero_based => 0,
            // Up to the last address.
            0 => 0u64.wrapping_sub(npages * size) + fbo,
            _ => (self.random.next() >> 1 & !(size - 1)) + fbo,
        };
        let all = access::LW | access::REMOTE;
        let rights =
            self.choose(&[all, all, all, access::LW, access::LW | access::RW, access::LW | access::RR, access::RR, 0]);
        let mode = if zero_based { access::ZB } else { 0 };
        let byte = if self.random.chance(30) { key::byte(key) } else { self.random.next() as u8 };
        let inline = npages <= 4 && self.random.chance(50);
        let list = match inline {
            true => {
                let mut four = [0; 4];
                four.iter_mut().zip(&pages).for_each(|(place, page)| *place = *page);
                PageList::Inline(four)
            }
            false => {
                let number = self.regions[region].lists;
                self.regions[region].lists += 1;
                PageList::Pointer(self.sides[side_of(pair)].list(u64::from(index), number, &pages))
            }
        };
        self.regions[region].layout =
            Layout { start: iova, length, fbo, shift: shift as u32, pages, access: rights | mode };
        RegMr {
            flags: self.signaled(pair),
            access: rights | mode,
            key: key::new(index, byte),
            page_shift: shift as u8,
            npages: npages as u16,
            fbo: fbo as u32,
            iova,
            length,
            pages: list,
        }
    }

    pub(super) fn post_registration(&mut self, pair: usize, region: usize, wr: RegMr) -> usize {
        self.regions[region].key = wr.key;
        self.note(|| format!("pair {pair}: {wr:x?}"));
        let id = self.write_send(pair, &[wr.encode()], self.request(pair, false));
        self.regions[region].life = Life::Registering { request: id, pair };
        id
    }

    /// A LOCAL_INV of a region that only requests in front of it use, or of one that is free already (C2).
    pub(super) fn invalidate(&mut self, pair: usize) {
        let again = self.random.chance(15);
        let alive = |region: &Region| match region.life {
            Life::Valid => true,
            Life::Registering { pair: owner, .. } => owner == pair,
            Life::Free => again && key::byte(region.key) != 0,
            Life::Leaving { .. } => false,
        };
        let mut found = self.local(pair, alive);
        found.retain(|region| self.leave(pair, *region, &[]) == Order::Posting);
        if found.is_empty() || self.room(pair, 0) < 4 {
            return;
        }
        let region = self.choose(&found);
        let wr = wqe::LocalInv { flags: self.signaled(pair), key: self.regions[region].key };
        self.note(|| format!("pair {pair}: {wr:x?}"));
        let id = self.write_send(pair, &[wr.encode()], self.request(pair, false));
        self.regions[region].life = Life::Leaving { request: id, pair, local: true };
    }

    /// Posts a receive: long enough for the message that waits for it, else of any length. With `sure` there is always one.
    pub(super) fn receive(&mut self, pair: usize, sure: bool) -> Option<usize> {
        let peer = peer_of(pair);
        let (posted, sent) = (self.pairs[pair].rooms.len(), self.pairs[peer].needs.len());
        if self.room(pair, 1) == 0 || posted >= sent + AHEAD {
            return None;
        }
        let need = self.pairs[peer].needs.get(posted).copied();
        let extra = self.random.below(200);
        let length = need.map_or_else(|| self.length(pair), |need| need + if extra < 60 { 0 } else { extra - 60 });
        let pieces = self.pieces(pair, length, access::LW, Way::Receive, 4).filter(|pieces| {
            let open = self.pairs.iter().flat_map(|end| end.outstanding.iter().flatten());
            open.into_iter().all(|id| between(&self.requests[*id].touches, &pieces.1, false) == Order::Posting)
        });
        let (sges, touches, uses) = match pieces {
            Some(pieces) => pieces,
            None if sure => self.mailbox(pair, need?)?,
            None => return None,
        };
        let mut receive = wqe::Receive::default();
        receive.sges[..sges.len()].copy_from_slice(&sges);
        let room = sges.iter().map(|sge| u64::from(sge.length)).sum();
        self.note(|| format!("pair {pair}: receive {sges:x?}"));
        let request = Request { queue: peer, touches, slots: 1, reads: false, done: false };
        let id = self.write_receive(pair, &receive, request);
        uses.into_iter().for_each(|(region, role)| self.regions[region].users.push((id, role)));
        self.pairs[pair].rooms.push(room);
        Some(id)
    }

    /// The region of a queue pair that is for receives only, if nothing uses it.
    fn mailbox(&self, pair: usize, bytes: u64) -> Option<super::generate::Pieces> {
        let (side, index) = (side_of(pair), (REGIONS + 1 + pair / 2) as u32);
        let number = self.regions.iter().position(|region| region.side == side && region.index == index)?;
        let region = &self.regions[number];
        if !region.users.is_empty() || !region.usable(pair, Role::Receive, access::LW) {
            return None;
        }
        let touches = region.layout.touches(side, region.layout.start, bytes, Way::Receive);
        let sge = Sge { address: region.layout.start, length: bytes as u32, lkey: region.key };
        Some((vec![sge], touches, vec![(number, Role::Receive)]))
    }

    /// Registers the mailboxes; everything waits for them.
    pub(super) fn open_mailboxes(&mut self) {
        for pair in 0..self.pairs.len() {
            let (side, index) = (side_of(pair), (REGIONS + 1 + pair / 2) as u32);
            let found = self.regions.iter().position(|region| region.side == side && region.index == index);
            let number = found.expect("allocated with the bed");
            let memory = self.regions[number].memory;
            let pages = [0, 1, 2, 3].map(|page| memory + page * 4096);
            self.regions[number].fixed = true;
            self.regions[number].layout =
                Layout { start: 0x4000, length: BYTES, fbo: 0, shift: 12, pages: pages.to_vec(), access: access::LW };
            let wr = RegMr {
                flags: wqe::FLAG_SIGNALLED,
                access: access::LW,
                key: key::new(index, 0x77),
                page_shift: 12,
                npages: 4,
                fbo: 0,
                iova: 0x4000,
                length: BYTES,
                pages: PageList::Inline(pages),
            };
            self.post_registration(pair, number, wr);
        }
    }
}
