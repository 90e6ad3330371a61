//! Data transfers between two devices (`transport.md`), as their consumers see them: memory, completions, regions, states.
//!
//! There are no packets on a wire, no PSNs, no time: requests of a send queue are executed one after another, each at both
//! ends at once. That is what a reliable connection promises, so whatever the wire does must not show. Requests on different
//! send queues are in no order; the caller chooses one by calling [`Network::execute`], and asks only for results that every
//! order gives.
//!
//! | file | rules |
//! | --- | --- |
//! | `request` | T10, T11, C20: format |
//! | `local` | E14, T12, T25, T39, T57: lists of local memory, cut in packets |
//! | `remote` | section 3 of the transport, C11, C12, E13: the responder |
//! | `memory` | payload, and bytes of failed messages that may be there or not |

mod local;
mod memory;
mod remote;
mod request;

pub use memory::Payload;

use super::queue::{Received, Verdict};
use super::{Event, Memory, ReferenceNic, Step};
use local::{packets, total};
use remote::{event_of, status_of, Refusal, Responder};
use rnic_abi::opcode;
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::wqe::{self, Data, Receive, Slot};

/// Two devices that are each other's peer.
#[derive(Clone, Debug)]
pub struct Network {
    /// The devices.
    pub nics: [ReferenceNic; 2],
    /// Their payload memory.
    pub memories: [Payload; 2],
}

/// What one call of [`Network::execute`] has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is posted, or nothing starts in this state.
    Idle,
    /// The request at the head waits for a receive of the peer (T55).
    NotReady,
    /// The request ended, and with it perhaps a receive of the peer.
    Ended(Step, Option<Step>),
}

impl Network {
    /// Two devices after reset, without memory.
    pub fn new(nics: [ReferenceNic; 2]) -> Self {
        Self { nics, memories: Default::default() }
    }

    /// Executes the next request of a queue pair. `rings` is where the rings of both hosts are read.
    pub fn execute(&mut self, nic: usize, qpn: u32, rings: [&dyn Memory; 2]) -> Progress {
        let Some(qp) = self.nics[nic].queue_pair(qpn).filter(|qp| qp.runs()) else { return Progress::Idle };
        let slots: Option<Vec<Slot>> = qp.head().into_iter().map(|posted| posted.bytes.ok()).collect();
        let data = slots.filter(|slots| slots.first().is_some_and(|slot| slot[0] < opcode::REG_MR));
        let (Some(slots), State::Rts) = (data, qp.state) else {
            let step = self.nics[nic].execute(qpn, rings[nic]);
            return step.map_or(Progress::Idle, |step| Progress::Ended(step, None));
        };
        let max_rd = qp.attributes.max_rd();
        let outcome = match request::decode(&slots, max_rd) {
            Err(syndrome) => Ok((Err((Status::LocQpOp, syndrome.code())), None)),
            Ok(request) => self.transfer(nic, qpn, &request, rings[1 - nic]),
        };
        let Ok((verdict, received)) = outcome else { return Progress::NotReady };
        let index = self.nics[nic].qp_index(qpn);
        let step = self.nics[nic].end_head(index, verdict);
        Progress::Ended(step, received)
    }

    /// One request at both ends: its verdict and the receive that it took, or that no receive is there.
    fn transfer(
        &mut self,
        nic: usize,
        qpn: u32,
        request: &Data,
        peer_ring: &dyn Memory,
    ) -> Result<(Verdict, Option<Step>), Refusal> {
        let qp = self.nics[nic].queue_pair(qpn).expect("the caller has it").clone();
        let (mtu, peer_qpn) = (qp.attributes.mtu(), qp.attributes.dest_qpn());
        let sends = !matches!(request.opcode, opcode::READ | opcode::READ_INV | opcode::CMP_SWAP | opcode::FETCH_ADD);
        let sges = &request.sges[..request.num_sge.into()];
        let (bytes, whole) = match sends {
            true => self.nics[nic].message(&qp, sges, mtu, &self.memories[nic]),
            false => (vec![], Ok(())),
        };
        if let Err(syndrome) = whole {
            self.perhaps(nic, peer_qpn, request, &bytes, peer_ring);
            return Ok((Err((Status::LocProt, syndrome.code())), None));
        }
        let Some(mut responder) = self.responder(1 - nic, peer_qpn, mtu, peer_ring) else {
            return Ok((Err((Status::RetryExc, Syndrome::Retry.code())), None));
        };
        let result = match request.opcode {
            opcode::WRITE | opcode::WRITE_IMM => responder.write(request, &bytes).map(|received| (vec![], received)),
            opcode::READ | opcode::READ_INV => responder.read(request).map(|bytes| (bytes, None)),
            opcode::CMP_SWAP | opcode::FETCH_ADD => {
                responder.atomic(request).map(|value| (value.to_le_bytes().to_vec(), None))
            }
            _ => responder.send(request, &bytes).map(|received| (vec![], Some(received))),
        };
        match result {
            Ok((answer, received)) => {
                let step = received.map(|received| self.received(1 - nic, peer_qpn, received));
                Ok((self.answer(nic, qpn, request, &answer), step))
            }
            Err(Refusal::NotReady) => Err(Refusal::NotReady),
            Err(Refusal::Silence) => Ok((Err((Status::RetryExc, Syndrome::Retry.code())), None)),
            Err(Refusal::Nak(nak, received)) => {
                let step = received.map(|received| self.received(1 - nic, peer_qpn, received));
                self.nics[1 - nic].refuse(peer_qpn, event_of(nak));
                Ok((Err(status_of(nak)), step))
            }
        }
    }

    fn responder(&mut self, nic: usize, qpn: u32, mtu: u64, ring: &dyn Memory) -> Option<Responder<'_>> {
        let receive = self.nics[nic].next_receive(qpn, ring);
        let qp = self.nics[nic].queue_pair(qpn)?.clone();
        Some(Responder { nic: &mut self.nics[nic], qp, memory: &mut self.memories[nic], receive, mtu })
    }

    fn received(&mut self, nic: usize, qpn: u32, received: Received) -> Step {
        let index = self.nics[nic].qp_index(qpn);
        self.nics[nic].end_receive(index, received)
    }

    /// The answer of a READ or atomic goes into the sink, packet by packet (T39); a READ with invalidate ends its region.
    fn answer(&mut self, nic: usize, qpn: u32, request: &Data, bytes: &[u8]) -> Verdict {
        let sges = &request.sges[..request.num_sge.into()];
        let qp = self.nics[nic].queue_pair(qpn).expect("the caller has it").clone();
        for part in packets(bytes.len() as u64, qp.attributes.mtu()) {
            let packet = &bytes[part.start as usize..part.end as usize];
            let placed = self.nics[nic].place(&qp, sges, part, packet, &mut self.memories[nic]);
            placed.map_err(|syndrome| (Status::LocProt, syndrome.code()))?;
        }
        if request.opcode == opcode::READ_INV {
            let slot = wqe::LocalInv { flags: 0, key: request.imm }.encode();
            self.nics[nic].invalidate(&slot, qp.pd).map_err(|syndrome| (Status::MwBind, syndrome.code()))?;
        }
        Ok(bytes.len() as u32)
    }

    /// A message that fails at its sender: whole packets of it may have reached the peer, or not (E14).
    fn perhaps(&mut self, nic: usize, peer_qpn: u32, request: &Data, bytes: &[u8], peer_ring: &dyn Memory) {
        let peer = 1 - nic;
        let Some(receive) = self.nics[peer].next_receive(peer_qpn, peer_ring).or(Some(Receive::default())) else {
            return;
        };
        let Some(qp) = self.nics[peer].queue_pair(peer_qpn) else { return };
        let length = total(&request.sges) as u32;
        let pieces = match request.opcode {
            opcode::WRITE | opcode::WRITE_IMM => {
                let (key, va) = (request.rkey, request.remote_address);
                self.nics[peer].pieces(qp, key, va, length, rnic_abi::access::RW, true).unwrap_or_default()
            }
            _ => self.nics[peer].reach(qp, &receive.sges, 0..bytes.len() as u64, rnic_abi::access::LW).0,
        };
        self.memories[peer].scatter(&pieces, bytes, false);
    }
}

impl ReferenceNic {
    /// The oldest posted receive of a queue pair.
    fn next_receive(&self, qpn: u32, ring: &dyn Memory) -> Option<Receive> {
        let qp = self.queue_pair(qpn).filter(|qp| qp.pending_receives() > 0)?;
        let slot = u64::from(qp.receives_used & ((1 << qp.rq_log2) - 1));
        let mut bytes = [0; wqe::BYTES];
        ring.read(qp.rq_base + slot * wqe::BYTES as u64, &mut bytes).ok()?;
        Some(Receive::decode(&bytes))
    }

    /// The responder has sent a NAK that ends the connection: event, ERR (T62, T76).
    fn refuse(&mut self, qpn: u32, kind: u8) {
        let index = self.qp_index(qpn);
        if let Some(qp) = self.queue_pairs[index].as_mut().filter(|qp| qp.qpn == qpn) {
            qp.fail();
            self.events.push(Event { kind, number: qpn, detail: 0 });
        }
    }
}
