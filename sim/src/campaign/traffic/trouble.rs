//! Errors on purpose: on a connection where nothing is on its way, over a wire without faults, requests of which one is
//! wrong. Both ends fail, everything behind is flushed, and the connection starts again.
//!
//! Why so quiet: a NAK that gets lost is not sent again, since the responder is in ERR by then (T62); its requester would end in
//! RETRY_EXC instead. And what the other direction had on its way may be done or not (D12).

use super::super::Disagreement;
use super::bed::{peer_of, side_of, Bed, Request};
use super::generate::Draft;
use super::hazards::Order;
use super::regions::{Life, Region};
use crate::scenario::Machine;
use crate::wire::Chances;
use rnic_abi::qp::State;
use rnic_abi::wqe::{self, Slot};
use rnic_abi::{admin, opcode};

/// Where a request goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// There was none to spoil.
    Nowhere,
    /// Before anything behind it is done.
    Request,
    /// When its answer comes, or at the peer when what is behind it may be in memory already.
    Answer,
}

impl Bed {
    /// Brings a connection into trouble.
    pub(super) fn trouble(&mut self, connection: usize) -> Result<(), Disagreement> {
        let ends = [2 * connection, 2 * connection + 1];
        self.rest(&ends)?;
        let chances = self.plan.wire.chances;
        self.set_chances(Chances::default());
        // Frames that were late are gone.
        self.sides[0].machine.run(u64::from(self.plan.wire.span + self.plan.wire.delay) + 500);
        let pair = ends[self.random.below(2) as usize];
        for _ in 0..self.random.below(3) {
            self.receive(peer_of(pair), false);
            self.receive(pair, false);
            self.data(pair);
        }
        let wrong = self.wrong(pair);
        self.note(|| format!("connection {connection}, pair {pair}: {wrong:?}"));
        // D12: behind a READ or atomic whose answer finds no place, the peer may have done what is flushed here; T75: behind an
        // invalidation that fails, payload may be in memory.
        if wrong != Wrong::Answer {
            for _ in 0..self.random.below(3) {
                self.data(pair);
            }
        }
        // Receives first: a message that fails at its sender may reach one or not, and the model must know which.
        [peer_of(pair), pair].into_iter().try_for_each(|end| self.ring(end))?;
        self.finish(&ends)?;
        let failed = ends.map(|end| self.state(end) == Some(State::Err));
        if failed != [false, false] {
            for end in ends {
                if self.state(end) != Some(State::Err) {
                    self.modify(end, State::Err)?;
                    self.ring(end)?;
                }
            }
            self.finish(&ends)?;
            self.summary.failures += 1;
            self.decide()?;
            for end in ends {
                self.modify(end, State::Reset)?;
                self.forget(end);
            }
            self.connect(connection)?;
            self.learn();
        }
        self.set_chances(chances);
        Ok(())
    }

    fn set_chances(&mut self, chances: Chances) {
        self.sides[0].machine.set_wire(|settings| settings.chances = chances);
    }

    fn state(&self, pair: usize) -> Option<State> {
        self.model.nics[side_of(pair)].queue_pair(self.pairs[pair].qpn).map(|qp| qp.state)
    }

    fn modify(&mut self, pair: usize, state: State) -> Result<(), Disagreement> {
        let (side, qpn) = (side_of(pair), self.pairs[pair].qpn);
        self.note(|| format!("pair {pair} to {state:?}"));
        self.sides[side].command(&mut self.model.nics[side], admin::MODIFY_QP, &[qpn, state.code().into()])
    }

    /// Everything that the model expects of these queue pairs has completed.
    fn finish(&mut self, ends: &[usize]) -> Result<(), Disagreement> {
        self.settle("completions after an error", |bed| {
            for end in ends {
                bed.help(*end)?;
                if !bed.is_quiet(*end) && bed.pairs[*end].expected[0].is_empty() && bed.state(*end) == Some(State::Rts)
                {
                    bed.mark(*end)?;
                }
            }
            Ok(ends.iter().all(|end| bed.is_quiet(*end) && !bed.pairs[*end].waits))
        })
    }

    /// What the rules leave open is as the host has it from now on, if that is one of the right values.
    fn decide(&mut self) -> Result<(), Disagreement> {
        for side in 0..2 {
            let open: Vec<u64> = self.model.memories[side].open_bytes().collect();
            for address in open {
                let mut byte = [0];
                self.sides[side].machine.memory.host().read(address, &mut byte);
                if !self.model.memories[side].decide(address, byte[0]) {
                    let what = format!("a byte of a failed message, or what was there, at {address:#x} of NIC {side}");
                    return Err(Disagreement::new(what, format!("{:02x}", byte[0])));
                }
            }
        }
        Ok(())
    }

    /// What flushed requests have not done to regions.
    fn learn(&mut self) {
        let Self { regions, model, .. } = self;
        for region in regions {
            let found = model.nics[region.side].region(region.index as usize);
            region.learn(found.expect("inside the table"));
        }
    }

    /// Posts a request with one thing wrong.
    fn wrong(&mut self, pair: usize) -> Wrong {
        if self.random.chance(20) {
            let slot = self.wrong_management(pair);
            self.post_slots(pair, &[slot]);
            return Wrong::Request;
        }
        let Some(draft) = (0..20).find_map(|_| self.draft(pair)) else { return Wrong::Nowhere };
        if self.fit(pair, &draft) == Order::Completion || self.room(pair, 0) < 4 {
            return Wrong::Nowhere;
        }
        self.spoil(pair, draft)
    }

    /// A key of a region with another key byte, or of no region.
    fn wrong_key(&mut self, key: u32) -> u32 {
        match self.random.below(5) {
            0 => self.random.below(256) as u32,
            1 => self.sides[0].preset().mr_entries << 8 | 0x33,
            2 => u32::MAX,
            _ => key ^ (1 + self.random.below(255) as u32),
        }
    }

    fn wrong_management(&mut self, pair: usize) -> Slot {
        // What is wrong first depends on the region's state, so nothing may be changing it; one for receives never changes.
        let side = side_of(pair);
        let settled = |region: &Region| region.side == side && matches!(region.life, Life::Free | Life::Valid);
        let found: Vec<usize> = (0..self.regions.len()).filter(|region| settled(&self.regions[*region])).collect();
        let region = self.choose(&found);
        let key = self.regions[region].key;
        let wrong = self.wrong_key(key);
        self.note(|| format!("pair {pair}: a wrong management request"));
        match self.random.below(3) {
            0 => wqe::LocalInv { flags: 0, key: wrong }.encode(),
            1 => wqe::RegMr { key: wrong, ..wqe::RegMr::decode(&[0; wqe::BYTES]) }.encode(),
            _ => {
                let mut slot = wqe::LocalInv { flags: 0, key }.encode();
                slot[9] = 1 + self.random.below(255) as u8;
                slot
            }
        }
    }

    fn post_slots(&mut self, pair: usize, slots: &[Slot]) -> usize {
        let request = Request { queue: pair, touches: vec![], slots: slots.len(), reads: false, done: false };
        self.write_send(pair, slots, request)
    }

    /// One thing wrong with a data request: each way fails for sure, so it touches nothing that it should not.
    fn spoil(&mut self, pair: usize, mut draft: Draft) -> Wrong {
        let data = &mut draft.data;
        let lists = (0..usize::from(data.num_sge)).filter(|sge| data.sges[*sge].length > 0).collect::<Vec<_>>();
        let atomic = matches!(data.opcode, opcode::CMP_SWAP | opcode::FETCH_ADD);
        let remote =
            atomic || matches!(data.opcode, opcode::WRITE | opcode::WRITE_IMM | opcode::READ | opcode::READ_INV);
        let (mut patch, mut list, mut bad_key) = (None, false, false);
        match self.random.below(8) {
            0 | 1 if !lists.is_empty() && data.opcode != opcode::READ_INV => {
                let sge = lists[self.random.below(lists.len() as u64) as usize];
                data.sges[sge].lkey = self.wrong_key(data.sges[sge].lkey);
                list = true;
            }
            2 if !lists.is_empty() => {
                let sge = lists[self.random.below(lists.len() as u64) as usize];
                let key = data.sges[sge].lkey;
                let layout = self.regions.iter().find(|region| region.side == side_of(pair) && region.key == key);
                let Some(layout) = layout.map(|region| &region.layout) else { return Wrong::Nowhere };
                data.sges[sge].address =
                    layout.start.wrapping_add(layout.length - u64::from(data.sges[sge].length) + 1);
                list = true;
            }
            3 | 4 if remote && !lists.is_empty() => data.rkey = self.wrong_key(data.rkey),
            5 if atomic => data.remote_address += 1 + self.random.below(7),
            6 if data.opcode == opcode::SEND_INV => {
                data.imm = self.wrong_key(data.imm);
                bad_key = true;
            }
            // With another opcode or block count a second slot would be a request of its own (T73).
            _ if data.blocks() == 2 => patch = Some(self.choose(&[(3, 5), (1, 0x40), (1, 0x08), (0x14, 1)])),
            _ => patch = Some(self.choose(&[(0, 0x7F), (2, 3), (2, 0), (3, 5), (1, 0x40), (1, 0x08), (0x14, 1)])),
        }
        let (slots, code) = (draft.data.blocks(), draft.data.opcode);
        // A receive that is there already and too short would fail too, and who fails first is open.
        let bytes: u64 = draft.data.sges.iter().map(|sge| u64::from(sge.length)).sum();
        let room = self.pairs[peer_of(pair)].rooms.get(self.pairs[pair].needs.len());
        if room.is_some_and(|room| *room < bytes) {
            return Wrong::Nowhere;
        }
        draft.data.flags |= wqe::FLAG_SIGNALLED;
        if self.fit(pair, &draft) == Order::Fence {
            draft.data.flags |= wqe::FLAG_FENCE;
        }
        let mut encoded = draft.data.encode();
        if let Some((at, value)) = patch {
            encoded[0][at] = value;
        }
        let tells = matches!(code, opcode::SEND | opcode::SEND_IMM | opcode::SEND_INV | opcode::WRITE_IMM);
        if tells && patch.is_none() {
            self.pairs[pair].needs.push(if code == opcode::WRITE_IMM { 0 } else { 9000 });
            // Its receive is there before it: what reaches the peer of a message that fails at its sender then has one place.
            let peer = peer_of(pair);
            while self.pairs[pair].needs.len() > self.pairs[peer].rooms.len() {
                if self.receive(peer, true).is_none() {
                    self.pairs[pair].needs.pop();
                    return Wrong::Nowhere;
                }
            }
        }
        self.note(|| format!("pair {pair}: spoiled {:x?}, {patch:x?}", draft.data));
        let request =
            Request { queue: pair, touches: draft.touches, slots, reads: super::generate::reads(code), done: false };
        let id = self.write_send(pair, &encoded[..slots], request);
        draft.uses.into_iter().for_each(|(region, role)| self.regions[region].users.push((id, role)));
        if (list && super::generate::reads(code)) || (bad_key && patch.is_none()) {
            Wrong::Answer
        } else {
            Wrong::Request
        }
    }
}
