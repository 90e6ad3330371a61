//! The responder: the order of checks of `transport.md` section 3, from the queue pair's flags on.
//!
//! There is no wire: a request is one step, so what the wire does to packets must not show in any result.

use super::super::queue::Received;
use super::super::{Memory, QueuePair, ReferenceNic, RegionState};
use super::local::{packets, total};
use super::Payload;
use rnic_abi::qp::State;
use rnic_abi::status::Status;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::wqe::{Data, Receive};
use rnic_abi::{access, cqe, event, opcode, wqe};

/// Why a request fails at the responder.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refusal {
    /// No receive is posted: RNR NAK, and nothing else has happened (T55).
    NotReady,
    /// The queue pair takes no requests: no answer (T3).
    Silence,
    /// NAK 61, 62 or 63, and what the receive in use completes with.
    Nak(u8, Option<Received>),
}

/// NAK 61: invalid request.
const INVALID: Refusal = Refusal::Nak(0x61, None);

/// A responder at work on one request.
pub(super) struct Responder<'a> {
    pub nic: &'a mut ReferenceNic,
    pub qp: QueuePair,
    pub memory: &'a mut Payload,
    /// The receive at the head, if one is posted.
    pub receive: Option<Receive>,
    pub mtu: u64,
}

/// A remote key, or the syndrome behind NAK 62.
fn denied(_: Syndrome) -> Refusal {
    Refusal::Nak(0x62, None)
}

impl Responder<'_> {
    /// Checks 2 and 5: state, and the queue pair's flags.
    pub fn admits(&self, right: u8) -> Result<(), Refusal> {
        if !matches!(self.qp.state, State::Rtr | State::Rts | State::Sqd) {
            return Err(Refusal::Silence);
        }
        if right & !self.qp.attributes.access() != 0 {
            return Err(INVALID);
        }
        Ok(())
    }

    /// WRITE, with or without immediate data. The receive that the latter takes, if it does.
    pub fn write(&mut self, request: &Data, bytes: &[u8]) -> Result<Option<Received>, Refusal> {
        self.admits(access::RW)?;
        let immediate = request.opcode == opcode::WRITE_IMM;
        let ready = !immediate || self.receive.is_some();
        let count = packets(bytes.len() as u64, self.mtu).count();
        if count == 1 && !ready {
            return Err(Refusal::NotReady);
        }
        let pieces =
            self.nic.pieces(&self.qp, request.rkey, request.remote_address, bytes.len() as u32, access::RW, true);
        let pieces = pieces.map_err(denied)?;
        if !ready {
            return Err(Refusal::NotReady);
        }
        self.memory.scatter(&pieces, bytes, true);
        let solicited = request.flags & wqe::FLAG_SOLICITED != 0;
        Ok(immediate.then_some(Received {
            opcode: opcode::RECV_WRITE_IMM,
            status: Status::Success,
            syndrome: 0,
            flags: cqe::FLAG_IMM | if solicited { cqe::FLAG_SOLICITED } else { 0 },
            byte_len: bytes.len() as u32,
            imm: request.imm,
        }))
    }

    /// SEND in all its forms.
    pub fn send(&mut self, request: &Data, bytes: &[u8]) -> Result<Received, Refusal> {
        self.admits(0)?;
        let receive = self.receive.ok_or(Refusal::NotReady)?;
        for part in packets(bytes.len() as u64, self.mtu) {
            if part.end > total(&receive.sges) {
                let received = Received::failed(Status::LocLen, Syndrome::RecvTooSmall.code());
                return Err(Refusal::Nak(0x61, Some(received)));
            }
            let packet = &bytes[part.start as usize..part.end as usize];
            let placed = self.nic.place(&self.qp, &receive.sges, part, packet, self.memory);
            placed.map_err(|syndrome| Refusal::Nak(0x63, Some(Received::failed(Status::LocProt, syndrome.code()))))?;
        }
        let mut received = Received {
            opcode: opcode::RECV,
            status: Status::Success,
            syndrome: 0,
            flags: if request.flags & wqe::FLAG_SOLICITED != 0 { cqe::FLAG_SOLICITED } else { 0 },
            byte_len: bytes.len() as u32,
            imm: 0,
        };
        match request.opcode {
            opcode::SEND_IMM => (received.imm, received.flags) = (request.imm, received.flags | cqe::FLAG_IMM),
            opcode::SEND_INV => {
                self.nic.invalidate_by_peer(request.imm, self.qp.pd).map_err(|syndrome| {
                    Refusal::Nak(0x62, Some(Received::failed(Status::RemInvReq, syndrome.code())))
                })?;
                (received.imm, received.flags) = (request.imm, received.flags | cqe::FLAG_INV);
            }
            _ => {}
        }
        Ok(received)
    }

    /// READ: the bytes.
    pub fn read(&mut self, request: &Data) -> Result<Vec<u8>, Refusal> {
        self.admits(access::RR)?;
        if self.qp.attributes.max_dest_rd() == 0 {
            return Err(INVALID);
        }
        let bytes = total(&request.sges) as u32;
        let pieces =
            self.nic.pieces(&self.qp, request.rkey, request.remote_address, bytes, access::RR, true).map_err(denied)?;
        self.memory.gather(&pieces).map_err(|_| Refusal::Nak(0x63, None))
    }

    /// An atomic: the value before.
    pub fn atomic(&mut self, request: &Data) -> Result<u64, Refusal> {
        self.admits(access::RA)?;
        if self.qp.attributes.max_dest_rd() == 0 || request.remote_address % 8 != 0 {
            return Err(INVALID);
        }
        let pieces = self.nic.pieces(&self.qp, request.rkey, request.remote_address, 8, access::RA, true);
        let bus = pieces.map_err(denied)?[0].bus;
        // In a zero-based region whose first byte is not a multiple of 8 the address that E13 aligns is no aligned place.
        if bus % 8 != 0 {
            return Err(denied(Syndrome::AtomicAlign));
        }
        let mut bytes = [0; 8];
        self.memory.read(bus, &mut bytes).map_err(|_| Refusal::Nak(0x63, None))?;
        let old = u64::from_le_bytes(bytes);
        let new = match request.opcode {
            opcode::FETCH_ADD => old.wrapping_add(request.swap_add),
            _ if old == request.compare => request.swap_add,
            _ => old,
        };
        self.memory.write(bus, &new.to_le_bytes());
        Ok(old)
    }
}

impl ReferenceNic {
    /// C12: as LOCAL_INV, and the registration must have allowed it.
    fn invalidate_by_peer(&mut self, key: u32, pd: u32) -> Result<(), Syndrome> {
        let index = self.judge_target(key, pd)?;
        let region = &mut self.regions[index];
        if region.key != key {
            return Err(Syndrome::InvKey);
        }
        if region.access & access::RINV == 0 {
            return Err(Syndrome::InvNotAllowed);
        }
        region.state = RegionState::Free;
        Ok(())
    }
}

/// The event that a NAK of ours makes (T76).
pub(super) fn event_of(nak: u8) -> u8 {
    match nak {
        0x61 => event::QP_REQ_ERR,
        0x62 => event::QP_ACCESS_ERR,
        _ => event::QP_FATAL,
    }
}

/// What the requester reports for a NAK (T29, T72).
pub(super) fn status_of(nak: u8) -> (Status, u8) {
    match nak {
        0x61 => (Status::RemInvReq, Syndrome::Nak61.code()),
        0x62 => (Status::RemAccess, Syndrome::Nak62.code()),
        _ => (Status::RemOp, Syndrome::Nak63.code()),
    }
}
