//! Access check and translation (section E): what the lookup answers for a key, a range and the rights it needs.

use super::{QueuePair, ReferenceNic, Region, RegionState};
use rnic_abi::limits;
use rnic_abi::syndrome::Syndrome;

/// One run of bytes that are contiguous on the bus, cut at pages and at 4 KiB (rule E9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Bus address of the first byte.
    pub bus: u64,
    /// Bytes.
    pub bytes: u32,
}

/// Bus boundary that no access crosses (rule E9).
const BUS_BOUNDARY: u64 = 4096;

fn piece(bus: u64, bytes: u64) -> Piece {
    let to_boundary = BUS_BOUNDARY - bus % BUS_BOUNDARY;
    Piece { bus, bytes: bytes.min(to_boundary) as u32 }
}

/// E6: inside [iova, iova + length), without ever forming an end in 64 bits.
fn inside(region: &Region, va: u64, length: u64) -> bool {
    let start = if region.zero_based() { 0 } else { region.iova };
    va >= start && length <= region.length && va - start <= region.length - length
}

/// E8: where byte `va` lies, and how far its page goes.
fn locate(region: &Region, va: u64, length: u64) -> Piece {
    let start = if region.zero_based() { 0 } else { region.iova };
    let offset = u64::from(region.fbo) + (va - start);
    let in_page = offset % region.page_size();
    let page = region.pages[(offset >> region.page_shift) as usize];
    piece(page + in_page, length.min(region.page_size() - in_page))
}

impl ReferenceNic {
    /// E1 to E6 and A26: the first piece of [va, va + length), none for length 0, or the syndrome of the first failed check.
    pub fn probe(
        &self,
        qp: &QueuePair,
        key: u32,
        va: u64,
        length: u32,
        needed: u8,
        remote: bool,
    ) -> Result<Option<Piece>, Syndrome> {
        if length == 0 {
            return Ok(None);
        }
        let bytes = u64::from(length);
        if !remote && qp.privileged && key == limits::LOCAL_DMA_LKEY {
            let end = u128::from(va) + u128::from(bytes);
            let fits = end <= 1 << limits::DMA_ADDR_WIDTH;
            return if fits { Ok(Some(piece(va, bytes))) } else { Err(Syndrome::AccBounds) };
        }
        let region = self.regions.get((key >> 8) as usize);
        let known = |region: &&Region| region.state != RegionState::Unallocated && region.key == key;
        let region = region.filter(known).ok_or(Syndrome::AccKey)?;
        if region.pd != qp.pd {
            return Err(Syndrome::AccPd);
        }
        if region.state != RegionState::Valid {
            return Err(Syndrome::AccState);
        }
        if needed & !region.access != 0 {
            return Err(Syndrome::AccPerm);
        }
        if !inside(region, va, bytes) {
            return Err(Syndrome::AccBounds);
        }
        Ok(Some(locate(region, va, bytes)))
    }

    /// Every piece of a range, as the tools ask for them one after another.
    pub fn pieces(
        &self,
        qp: &QueuePair,
        key: u32,
        va: u64,
        length: u32,
        needed: u8,
        remote: bool,
    ) -> Result<Vec<Piece>, Syndrome> {
        let mut pieces = Vec::new();
        let mut done = 0;
        while let Some(piece) = self.probe(qp, key, va.wrapping_add(done.into()), length - done, needed, remote)? {
            done += piece.bytes;
            pieces.push(piece);
        }
        Ok(pieces)
    }
}
