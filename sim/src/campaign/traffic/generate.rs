//! Random requests, as a consumer would post them: only what [`super::hazards`] lets be posted now.

use super::super::Disagreement;
use super::bed::{peer_of, side_of, Bed, Request};
use super::hazards::{between, Order, Touch, Way};
use super::regions::Role;
use rnic_abi::wqe::{self, Data, Sge};
use rnic_abi::{access, caps, opcode};

/// A data request in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub data: Data,
    pub touches: Vec<Touch>,
    pub uses: Vec<(usize, Role)>,
    /// The region of the peer, or of the sink, that it invalidates.
    pub invalidates: Option<usize>,
}

/// Pieces of local memory with what they touch.
pub(super) type Pieces = (Vec<Sge>, Vec<Touch>, Vec<(usize, Role)>);

/// READs and atomics: a fence waits for them.
pub(super) fn reads(code: u8) -> bool {
    matches!(code, opcode::READ | opcode::READ_INV | opcode::CMP_SWAP | opcode::FETCH_ADD)
}

impl Bed {
    /// Something new, where the rules allow it: a receive, a registration, an invalidation, or a data request.
    pub(super) fn act(&mut self) -> Result<(), Disagreement> {
        let pair = self.random.below(self.pairs.len() as u64) as usize;
        match self.random.below(20) {
            0..=2 => drop(self.receive(pair, false)),
            3..=5 => self.register(pair),
            6 => self.invalidate(pair),
            _ => drop(self.data(pair)),
        }
        if self.random.chance(75) {
            self.ring(pair)?;
        }
        Ok(())
    }

    /// A message length: none, few bytes, around a packet, several packets.
    pub(super) fn length(&mut self, pair: usize) -> u64 {
        let mtu = self.mtus[pair / 2];
        match self.random.below(20) {
            0 => 0,
            1..=4 => 1 + self.random.below(9),
            5..=7 => mtu.saturating_sub(3) + self.random.below(7),
            8..=13 => 1 + self.random.below(mtu),
            _ => 1 + self.random.below((5 * mtu).min(9000)),
        }
    }

    /// Cuts `total` bytes of local memory into up to four pieces of regions with these rights.
    pub(super) fn pieces(&mut self, pair: usize, total: u64, rights: u8, way: Way, most: u64) -> Option<Pieces> {
        let side = side_of(pair);
        let role = if way == Way::Receive { Role::Receive } else { Role::Local };
        let count = self.random.below(most + 1).max(u64::from(total > 0));
        let mut cuts: Vec<u64> = (1..count).map(|_| self.random.below(total + 1)).collect();
        cuts.extend([0, total]);
        cuts.sort_unstable();
        let mut pieces = Pieces::default();
        for piece in 0..count as usize {
            let bytes = cuts[piece + 1] - cuts[piece];
            if bytes == 0 {
                // E1: what a piece without bytes names is not looked at.
                pieces.0.push(Sge { address: self.random.next(), length: 0, lkey: self.random.next() as u32 });
                continue;
            }
            let pd = self.pairs[pair].pd;
            let fits = |region: &super::regions::Region| {
                region.side == side
                    && region.pd == pd
                    && !region.fixed
                    && region.usable(pair, role, rights)
                    && region.layout.length >= bytes
            };
            let (region, va) = self.place(fits, bytes)?;
            let layout = &self.regions[region].layout;
            pieces.1.extend(layout.touches(side, va, bytes, way));
            pieces.2.push((region, role));
            pieces.0.push(Sge { address: va, length: bytes as u32, lkey: self.regions[region].key });
        }
        Some(pieces)
    }

    /// A place of `bytes` bytes in a region that fits.
    fn place(&mut self, fits: impl Fn(&super::regions::Region) -> bool, bytes: u64) -> Option<(usize, u64)> {
        let found: Vec<usize> = (0..self.regions.len()).filter(|region| fits(&self.regions[*region])).collect();
        if found.is_empty() {
            return None;
        }
        let region = self.choose(&found);
        let layout = &self.regions[region].layout;
        let (start, spare) = (layout.start, layout.length - bytes);
        let offset = match self.random.below(6) {
            0 => 0,
            1 => spare,
            _ => self.random.below(spare + 1),
        };
        Some((region, start.wrapping_add(offset)))
    }

    /// A place in a region of the peer.
    fn remote(&mut self, pair: usize, bytes: u64, rights: u8, role: Role, way: Way, draft: &mut Draft) -> Option<()> {
        let (side, pd) = (1 - side_of(pair), self.pairs[peer_of(pair)].pd);
        if bytes == 0 {
            (draft.data.remote_address, draft.data.rkey) = (self.random.next(), self.random.next() as u32);
            return Some(());
        }
        let fits = |region: &super::regions::Region| {
            region.side == side && region.pd == pd && region.usable(pair, role, rights) && region.layout.length >= bytes
        };
        let (region, mut va) = self.place(fits, bytes)?;
        if way == Way::Atomic {
            let layout = &self.regions[region].layout;
            va = va.wrapping_add(7) & !7;
            if va < layout.start || va - layout.start > layout.length - bytes {
                return None;
            }
            // In a zero-based region that begins anywhere, such an address is no aligned place: refused (scenario e13-zero-based-atomic).
            if (layout.fbo + (va - layout.start)) % 8 != 0 {
                return None;
            }
        }
        draft.touches.extend(self.regions[region].layout.touches(side, va, bytes, way));
        draft.uses.push((region, role));
        (draft.data.remote_address, draft.data.rkey) = (va, self.regions[region].key);
        Some(())
    }

    /// A data request, if there is memory for it.
    pub(super) fn draft(&mut self, pair: usize) -> Option<Draft> {
        use opcode::{CMP_SWAP, FETCH_ADD, READ, READ_INV, SEND, SEND_IMM, SEND_INV, WRITE, WRITE_IMM};
        let codes =
            [SEND, SEND, SEND_IMM, SEND_INV, WRITE, WRITE, WRITE, WRITE_IMM, READ, READ, READ, CMP_SWAP, FETCH_ADD];
        let mut code = self.choose(&codes);
        if caps::OFFERED & caps::READ_INV != 0 && code == READ && self.random.chance(25) {
            code = READ_INV;
        }
        let mut draft = Draft::default();
        let atomic = matches!(code, CMP_SWAP | FETCH_ADD);
        let bytes = if atomic { 8 } else { self.length(pair) };
        if code == READ_INV && bytes == 0 {
            return None;
        }
        let (rights, way) = match code {
            READ | READ_INV => (access::LW, Way::Sink),
            CMP_SWAP | FETCH_ADD => (access::LW, Way::Result),
            _ => (0, Way::Source),
        };
        let most = if atomic || code == READ_INV { 1 } else { 4 };
        let (sges, touches, uses) = self.pieces(pair, bytes, rights, way, most)?;
        (draft.touches, draft.uses, draft.data.num_sge) = (touches, uses, sges.len() as u8);
        draft.data.sges[..sges.len()].copy_from_slice(&sges);
        draft.data.opcode = code;
        match code {
            WRITE | WRITE_IMM => self.remote(pair, bytes, access::RW, Role::Written, Way::Placed, &mut draft)?,
            READ | READ_INV => self.remote(pair, bytes, access::RR, Role::Read, Way::Fetched, &mut draft)?,
            CMP_SWAP | FETCH_ADD => self.remote(pair, 8, access::RA, Role::Read, Way::Atomic, &mut draft)?,
            _ => {}
        }
        match code {
            SEND_IMM | WRITE_IMM => draft.data.imm = self.random.next() as u32,
            SEND_INV => self.invalidated(pair, &mut draft)?,
            READ_INV => {
                draft.data.imm = draft.data.sges[0].lkey;
                draft.invalidates = Some(draft.uses[0].0);
            }
            CMP_SWAP => {
                // Half of them succeed, where nothing has changed since.
                let bus = draft.touches.last().map_or(0, |touch| touch.range.start);
                let mut now = [0; 8];
                self.sides[1 - side_of(pair)].machine.memory.host().read(bus, &mut now);
                let differ = if self.random.chance(50) { 0 } else { 1 };
                (draft.data.compare, draft.data.swap_add) = (u64::from_le_bytes(now) ^ differ, self.random.next());
            }
            FETCH_ADD => draft.data.swap_add = self.random.next(),
            _ => {}
        }
        Some(draft)
    }

    /// A region of the peer that a SEND may take away.
    fn invalidated(&mut self, pair: usize, draft: &mut Draft) -> Option<()> {
        let (side, pd) = (1 - side_of(pair), self.pairs[peer_of(pair)].pd);
        let fits = |region: &super::regions::Region| {
            region.side == side
                && region.pd == pd
                && !region.fixed
                && region.usable(pair, Role::Written, 0)
                && region.remote()
        };
        let found: Vec<usize> = (0..self.regions.len()).filter(|region| fits(&self.regions[*region])).collect();
        if found.is_empty() {
            return None;
        }
        let region = self.choose(&found);
        (draft.data.imm, draft.invalidates) = (self.regions[region].key, Some(region));
        Some(())
    }

    /// How a draft fits in with everything that is on its way.
    pub(super) fn fit(&self, pair: usize, draft: &Draft) -> Order {
        let open = self.pairs.iter().flat_map(|end| end.outstanding.iter().flatten());
        let memory = open.map(|id| &self.requests[*id]);
        let memory = memory.map(|other| between(&other.touches, &draft.touches, other.queue == pair)).max();
        let region = draft.invalidates.map(|region| self.leave(pair, region, &draft.uses));
        memory.max(region).unwrap_or(Order::Posting)
    }

    /// When an invalidation by a request of this queue may be posted: what uses the region must have been before it.
    pub(super) fn leave(&self, pair: usize, region: usize, own: &[(usize, Role)]) -> Order {
        let local = self.regions[region].side == side_of(pair);
        let order = |(request, role): &(usize, Role)| {
            let other = &self.requests[*request];
            let inside = match local {
                // C8, C20: it comes after everything that its own queue has started before.
                true => *role == Role::Local && other.queue == pair,
                false => matches!(role, Role::Written | Role::Read) && other.queue == pair,
            };
            match (inside, other.reads && !local) {
                (false, _) => Order::Completion,
                // T67: a SEND may be handled before an earlier READ has fetched.
                (true, true) => Order::Fence,
                (true, false) => Order::Posting,
            }
        };
        let others = self.regions[region].users.iter().map(order).max().unwrap_or(Order::Posting);
        // A SEND cannot take away a region on the peer's side that it uses; a READ_INV uses its sink, of course.
        let itself = own.iter().any(|(used, _)| *used == region) && !local;
        if itself {
            Order::Completion
        } else {
            others
        }
    }

    /// Posts a data request, if one can be posted now.
    pub(super) fn data(&mut self, pair: usize) -> Option<usize> {
        let draft = self.draft(pair)?;
        let need = draft.touches.iter().filter(|touch| touch.way == Way::Source);
        let need = need.map(|touch| touch.range.end - touch.range.start).sum();
        self.fits_receive(pair, &draft, need).then(|| self.post(pair, draft, need)).flatten()
    }

    /// The receive that the message will take, if it is posted already, is long enough.
    fn fits_receive(&self, pair: usize, draft: &Draft, need: u64) -> bool {
        let sends = matches!(draft.data.opcode, opcode::SEND | opcode::SEND_IMM | opcode::SEND_INV);
        let room = self.pairs[peer_of(pair)].rooms.get(self.pairs[pair].needs.len());
        !sends || room.is_none_or(|room| *room >= need)
    }

    /// Posts what was drafted, with the flags that it needs and random ones.
    pub(super) fn post(&mut self, pair: usize, mut draft: Draft, need: u64) -> Option<usize> {
        let (slots, order) = (draft.data.blocks(), self.fit(pair, &draft));
        let room = self.room(pair, 0);
        if order == Order::Completion || room < slots + 2 {
            return None;
        }
        let code = draft.data.opcode;
        let signaled = self.random.chance(50) || self.pairs[pair].silent >= 5 || room < 10;
        let fence = order == Order::Fence || self.random.chance(10);
        let tells = matches!(code, opcode::SEND | opcode::SEND_IMM | opcode::SEND_INV | opcode::WRITE_IMM);
        let solicited = tells && self.random.chance(30);
        for (set, flag) in [(signaled, wqe::FLAG_SIGNALLED), (fence, wqe::FLAG_FENCE), (solicited, wqe::FLAG_SOLICITED)]
        {
            draft.data.flags |= if set { flag } else { 0 };
        }
        if tells {
            let bytes = if code == opcode::WRITE_IMM { 0 } else { need };
            self.pairs[pair].needs.push(bytes);
        }
        let request = Request { queue: pair, touches: draft.touches, slots, reads: reads(code), done: false };
        self.note(|| format!("pair {pair}: {:x?}", draft.data));
        let id = self.write_send(pair, &draft.data.encode()[..slots], request);
        for (region, role) in draft.uses {
            self.regions[region].users.push((id, role));
        }
        if let Some(region) = draft.invalidates {
            self.regions[region].life = super::regions::Life::Leaving { request: id, pair, local: false };
        }
        Some(id)
    }
}
