//! Two devices on a wire, their model, the queue pairs between them, and what is on its way.

use super::super::Disagreement;
use super::hazards::Touch;
use super::regions::{Region, BYTES};
use super::settings::{Plan, TICK};
use super::side::{identity, HostView, Side, CQS, RING_LOG2};
use super::Summary;
use crate::host::{Permission, Region as HostRegion};
use crate::platform::{attach_nic, HostBuffer, Shared};
use crate::random::Random;
use crate::reference::transfer::Network;
use crate::reference::{Cqe, Memory, ReferenceNic};
use crate::scenario::Machine;
use rnic_abi::qp::{self, State};
use rnic_abi::{admin, mr, register as reg, wqe};
use rnic_driver::DmaBuffer;
use std::collections::VecDeque;
use std::rc::Rc;

/// Protection domains of each device.
const PDS: [u32; 2] = [0x00_0111, 0xAB_CDEF];
/// Memory regions of each device.
pub(super) const REGIONS: usize = 8;
/// Operations that a report shows.
const SHOWN: usize = 80;

/// A request or a receive.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Queue pair on whose send queue it is, or from whose send queue the message of a receive comes.
    pub queue: usize,
    pub touches: Vec<Touch>,
    pub slots: usize,
    /// READ or atomic: a fence waits for it.
    pub reads: bool,
    pub done: bool,
}

/// One of the two ends of a connection. Numbers 2c and 2c + 1 are the ends of connection c, on device 0 and 1.
pub(super) struct Pair {
    pub qpn: u32,
    pub pd: u32,
    cqs: [u32; 2],
    sig_all: bool,
    send_ring: HostBuffer,
    receive_ring: HostBuffer,
    /// Slots written.
    pub written: u16,
    pub received: u16,
    /// Slots that the devices know of.
    rung: [u16; 2],
    /// Requests and receives without a completion, oldest first; and those that the model has not executed.
    pub outstanding: [VecDeque<usize>; 2],
    pub unexecuted: [VecDeque<usize>; 2],
    /// Completions that the model expects, with the request that each ends.
    pub expected: [VecDeque<(Cqe, usize)>; 2],
    /// Unsignaled requests since the last signaled one.
    pub silent: u32,
    /// Bytes that each message that takes a receive needs, and bytes of each receive, counted since the connection.
    pub needs: Vec<u64>,
    pub rooms: Vec<u64>,
    /// The request at the head waits for a receive of the peer.
    pub waits: bool,
}

/// The whole.
pub(super) struct Bed {
    pub sides: [Side; 2],
    pub model: Network,
    pub random: Random,
    pub plan: Plan,
    pub pairs: Vec<Pair>,
    pub mtus: Vec<u64>,
    pub regions: Vec<Region>,
    pub requests: Vec<Request>,
    pub summary: Summary,
    history: VecDeque<String>,
}

/// Device of a queue pair.
pub(super) fn side_of(pair: usize) -> usize {
    pair & 1
}

/// The other end of a connection.
pub(super) fn peer_of(pair: usize) -> usize {
    pair ^ 1
}

impl Bed {
    pub fn new(simulator: &Shared, plan: Plan, seed: u64) -> Result<Self, Disagreement> {
        let preset = simulator.borrow().variant().preset();
        let mut model = Network::new([ReferenceNic::new(preset), ReferenceNic::new(preset)]);
        let mut side = |number: usize| {
            Side::new(attach_nic(simulator, number), number, &mut model.nics[number], REGIONS as u64 + 1)
        };
        let sides = [side(0)?, side(1)?];
        let mut bed = Self {
            sides,
            model,
            random: Random::new(seed, 31),
            plan,
            pairs: vec![],
            mtus: vec![],
            regions: vec![],
            requests: vec![],
            summary: Summary::default(),
            history: VecDeque::new(),
        };
        for side in 0..2 {
            bed.sides[side].write_register(reg::TICK, (TICK as u32) << 16)?;
            for index in 1..=REGIONS as u32 {
                let (pd, max_pages) = (bed.choose(&PDS), 1 + bed.random.below(8) as u32);
                bed.allocate_region(side, index, pd, max_pages)?;
            }
        }
        for connection in 0..bed.plan.connections {
            for side in 0..2 {
                bed.create_pair(2 * connection + side)?;
                let pd = bed.pairs[2 * connection + side].pd;
                bed.allocate_region(side, (REGIONS + 1 + connection) as u32, pd, 4)?;
            }
            bed.mtus.push(0);
            bed.connect(connection)?;
        }
        Ok(bed)
    }

    fn allocate_region(&mut self, side: usize, index: u32, pd: u32, max_pages: u32) -> Result<(), Disagreement> {
        let host = self.sides[side].machine.memory.host();
        let backing = Rc::new(HostRegion::new(BYTES));
        let memory = host.map(&backing, 0..BYTES, BYTES, Permission::ALL).expect("there are bus addresses");
        let byte = self.random.below(256) as u32;
        let words = [index, pd, byte | u32::from(mr::MEM_REG) << 8, max_pages, 8 * index];
        self.sides[side].command(&mut self.model.nics[side], admin::ALLOC_MR, &words)?;
        let region = Region::new(side, index, pd, max_pages, memory, &mut self.model.memories[side]);
        self.regions.push(region);
        let contents: Vec<u8> = (0..BYTES).map(|_| self.random.next() as u8).collect();
        self.store(side, memory, &contents);
        Ok(())
    }

    /// The application writes memory.
    pub fn store(&mut self, side: usize, address: u64, bytes: &[u8]) {
        self.sides[side].machine.memory.host().write(address, bytes);
        self.model.memories[side].write(address, bytes);
    }

    fn create_pair(&mut self, number: usize) -> Result<(), Disagreement> {
        let (side, preset) = (side_of(number), self.sides[0].preset());
        // Every number but 0 and 1 is good (T5).
        let qpn = preset.qps * (1 + self.random.below(1000) as u32) + number as u32;
        let pd = PDS[self.random.below(2) as usize];
        let cqs = [0, 1].map(|_| self.random.below(CQS as u64) as u32);
        let sig_all = self.random.chance(20);
        let (send_ring, receive_ring) = (self.sides[side].ring()?, self.sides[side].ring()?);
        let (send, receive) = (send_ring.bus_address(), receive_ring.bus_address());
        let sizes = RING_LOG2 | RING_LOG2 << 8 | u32::from(sig_all) << 17;
        let bases = [send as u32, (send >> 32) as u32, receive as u32, (receive >> 32) as u32];
        let words = [&[qpn, pd, cqs[0], cqs[1], sizes, 0][..], &bases].concat();
        self.sides[side].command(&mut self.model.nics[side], admin::CREATE_QP, &words)?;
        self.pairs.push(Pair {
            qpn,
            pd,
            cqs,
            sig_all,
            send_ring,
            receive_ring,
            written: 0,
            received: 0,
            rung: [0; 2],
            outstanding: Default::default(),
            unexecuted: Default::default(),
            expected: Default::default(),
            silent: 0,
            needs: vec![],
            rooms: vec![],
            waits: false,
        });
        Ok(())
    }

    /// RESET to RTS at both ends, with attributes of their own.
    pub fn connect(&mut self, connection: usize) -> Result<(), Disagreement> {
        let most = self.sides[0].preset().rd_max;
        let own = self.plan.attributes(&mut self.random, most);
        self.mtus[connection] = 128 << own.mtu;
        for side in 0..2 {
            let (number, other) = (2 * connection + side, 1 - side);
            let (qpn, dest) = (self.pairs[number].qpn, self.pairs[peer_of(number)].qpn);
            let ([a, b, c, d, e, f], address) = identity(other);
            let init = [qpn, State::Init.code().into(), qp::PKEY | qp::ACCESS, 0xFFFF | u32::from(own.access) << 16];
            let mask = qp::ADDRESS_VECTOR | qp::MTU | qp::DEST_QPN | qp::RQ_PSN | qp::MAX_DEST_RD | qp::MIN_RNR;
            let mut rtr = [0; 18];
            rtr[..3].copy_from_slice(&[qpn, State::Rtr.code().into(), mask]);
            (rtr[3], rtr[4], rtr[5]) = (own.mtu << 24, dest, own.psn[other]);
            (rtr[7], rtr[8]) = (own.min_rnr << 24, own.reads << 8);
            (rtr[9], rtr[0xA]) = (0xC000 | self.random.below(0x4000) as u32, u32::from_le_bytes([a, b, c, d]));
            rtr[0xB] = u32::from(e) | u32::from(f) << 8;
            for (word, bytes) in rtr[0xC..0x10].iter_mut().zip(address.chunks(4)) {
                *word = u32::from_le_bytes(bytes.try_into().unwrap());
            }
            rtr[0x11] = 64 << 8;
            let mask = qp::TIMEOUT | qp::RETRY_CNT | qp::RNR_RETRY | qp::SQ_PSN | qp::MAX_RD;
            let timers = own.timeout | own.retry_cnt << 8 | 7 << 16;
            let rts = [qpn, State::Rts.code().into(), mask, 0, 0, 0, own.psn[side], timers, own.reads];
            for words in [&init[..], &rtr, &rts] {
                self.sides[side].command(&mut self.model.nics[side], admin::MODIFY_QP, words)?;
            }
        }
        self.note(|| format!("connection {connection}: {own:x?}"));
        Ok(())
    }

    /// Writes a request's slots behind the written ones; the device does not know until [`Self::ring`].
    pub fn write_send(&mut self, pair: usize, slots: &[wqe::Slot], request: Request) -> usize {
        let id = self.requests.len();
        let end = &mut self.pairs[pair];
        for slot in slots {
            let place = usize::from(end.written) % (1 << RING_LOG2) * wqe::BYTES;
            end.send_ring.write_bytes(place, slot);
            end.written = end.written.wrapping_add(1);
        }
        let signaled = end.sig_all || slots[0][1] & wqe::FLAG_SIGNALLED != 0;
        end.silent = if signaled { 0 } else { end.silent + 1 };
        end.outstanding[0].push_back(id);
        end.unexecuted[0].push_back(id);
        self.requests.push(request);
        self.summary.operations += 1;
        id
    }

    /// Writes a receive.
    pub fn write_receive(&mut self, pair: usize, receive: &wqe::Receive, request: Request) -> usize {
        let id = self.requests.len();
        let end = &mut self.pairs[pair];
        let place = usize::from(end.received) % (1 << RING_LOG2) * wqe::BYTES;
        end.receive_ring.write_bytes(place, &receive.encode());
        end.received = end.received.wrapping_add(1);
        end.outstanding[1].push_back(id);
        end.unexecuted[1].push_back(id);
        self.requests.push(request);
        id
    }

    /// Free slots: of the send ring, and of the receive ring.
    pub fn room(&self, pair: usize, queue: usize) -> usize {
        let used: usize = self.pairs[pair].outstanding[queue].iter().map(|id| self.requests[*id].slots).sum();
        (1 << RING_LOG2) - used
    }

    /// Rings the doorbells of a queue pair on both, and lets the model go on.
    pub fn ring(&mut self, pair: usize) -> Result<(), Disagreement> {
        let (side, end) = (side_of(pair), &mut self.pairs[pair]);
        let index = end.qpn % self.sides[side].preset().qps;
        let view = HostView(&self.sides[side].machine);
        let wrong = |reason| Disagreement::new(format!("a campaign of right doorbells ({reason:?})"), "");
        if end.received != end.rung[1] {
            end.rung[1] = end.received;
            self.model.nics[side].ring_receive(index as usize, end.received.into()).map_err(wrong)?;
            self.sides[side].write_register(reg::rq_doorbell(index), end.received.into())?;
        }
        let end = &mut self.pairs[pair];
        if end.written != end.rung[0] {
            end.rung[0] = end.written;
            self.model.nics[side].ring_send(index as usize, end.written.into(), &view).map_err(wrong)?;
            self.sides[side].write_register(reg::sq_doorbell(index), end.written.into())?;
        }
        self.advance();
        Ok(())
    }

    /// Forgets the counts of a queue pair in RESET.
    pub fn forget(&mut self, pair: usize) {
        let end = &mut self.pairs[pair];
        (end.written, end.received, end.rung, end.silent) = (0, 0, [0; 2], 0);
        end.needs.clear();
        end.rooms.clear();
    }

    /// Completion queues of a queue pair: of sends, of receives.
    pub fn cqs(&self, pair: usize) -> [u32; 2] {
        self.pairs[pair].cqs
    }

    /// Runs both models as far as they go.
    fn advance(&mut self) {
        let Self { sides, model, pairs, .. } = self;
        let views = [HostView(&sides[0].machine), HostView(&sides[1].machine)];
        let rings: [&dyn Memory; 2] = [&views[0], &views[1]];
        super::follow::advance(model, pairs, rings);
    }

    pub fn note(&mut self, text: impl FnOnce() -> String) {
        if self.history.len() == SHOWN {
            self.history.pop_front();
        }
        let cycle = self.sides[0].machine.cycle();
        self.history.push_back(format!("{cycle:>8}  {}", text()));
    }

    /// The last operations, a line each.
    pub fn history(&self) -> String {
        self.history.iter().map(|line| format!("  {line}\n")).collect()
    }

    /// One of the values.
    pub fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.random.below(values.len() as u64) as usize]
    }
}
