//! The requester's and the receiver's own memory: SGE lists, packet by packet (rules E14, T11, T12, T25, T39, T57).

use super::super::{Piece, QueuePair, ReferenceNic};
use super::Payload;
use rnic_abi::syndrome::Syndrome;
use rnic_abi::wqe::Sge;
use std::ops::Range;

/// Bytes of a list.
pub(super) fn total(sges: &[Sge]) -> u64 {
    sges.iter().map(|sge| u64::from(sge.length)).sum()
}

/// Packets of a message: the first byte of each and the one behind its last. A message without bytes has one (T12).
pub(super) fn packets(bytes: u64, mtu: u64) -> impl Iterator<Item = Range<u64>> {
    (0..bytes.div_ceil(mtu).max(1)).map(move |packet| packet * mtu..((packet + 1) * mtu).min(bytes))
}

impl ReferenceNic {
    /// Where bytes `part` of a list lie: the pieces up to the first that must not be touched, and why it must not.
    pub(super) fn reach(
        &self,
        qp: &QueuePair,
        sges: &[Sge],
        part: Range<u64>,
        needed: u8,
    ) -> (Vec<Piece>, Result<(), Syndrome>) {
        let (mut found, mut start) = (vec![], 0);
        for sge in sges {
            let end = start + u64::from(sge.length);
            let (from, to) = (part.start.max(start), part.end.min(end));
            if from < to {
                let va = sge.address.wrapping_add(from - start);
                match self.pieces(qp, sge.lkey, va, (to - from) as u32, needed, false) {
                    Ok(pieces) => found.extend(pieces),
                    Err(syndrome) => return (found, Err(syndrome)),
                }
            }
            start = end;
        }
        (found, Ok(()))
    }

    /// The bytes of a message: all of it, or the whole packets in front of the first that fails, and why (T25).
    pub(super) fn message(
        &self,
        qp: &QueuePair,
        sges: &[Sge],
        mtu: u64,
        memory: &Payload,
    ) -> (Vec<u8>, Result<(), Syndrome>) {
        let mut bytes = vec![];
        for part in packets(total(sges), mtu) {
            let (pieces, result) = self.reach(qp, sges, part, 0);
            let packet = result.and_then(|()| memory.gather(&pieces).map_err(|_| Syndrome::PayloadBus));
            match packet {
                Ok(mut packet) => bytes.append(&mut packet),
                Err(syndrome) => return (bytes, Err(syndrome)),
            }
        }
        (bytes, Ok(()))
    }

    /// Writes one packet's bytes to bytes `part` of a list. Of one that fails the pieces before may have been written.
    pub(super) fn place(
        &self,
        qp: &QueuePair,
        sges: &[Sge],
        part: Range<u64>,
        bytes: &[u8],
        memory: &mut Payload,
    ) -> Result<(), Syndrome> {
        let (pieces, result) = self.reach(qp, sges, part, rnic_abi::access::LW);
        memory.scatter(&pieces, bytes, result.is_ok());
        result
    }
}
