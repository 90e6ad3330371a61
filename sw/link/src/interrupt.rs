//! Interrupts: writes by the device to addresses where there is no memory (IR1, HO5).

use std::ops::Range;

use rnic_abi::limits::VECTORS;

use crate::tlp::Request;

/// Bus addresses that mean an interrupt; no memory is ever there.
pub(crate) const ADDRESSES: Range<u64> = 0xFEE0_0000..0xFEF0_0000;

/// What a vector's row of the MSI-X table holds: address low, address high, data, mask.
pub(crate) fn table_row(vector: u8) -> [u32; 4] {
    [ADDRESSES.start as u32, (ADDRESSES.start >> 32) as u32, vector.into(), 0]
}

/// Whether a request is for these addresses.
pub(crate) fn meant(request: &Request) -> bool {
    ADDRESSES.contains(&request.address)
}

/// The vector of a write that is exactly what a row of the table asks for.
pub(crate) fn vector(request: &Request, payload: &[u8]) -> Option<u8> {
    let data: [u8; 4] = payload.try_into().ok()?;
    let data = u32::from_le_bytes(data);
    let exact = request.address == ADDRESSES.start && request.first == 0xF;
    (exact && data < VECTORS).then_some(data as u8)
}

/// Vectors that have fired and were not waited for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pending(u32);

impl Pending {
    /// Whether it is news.
    pub(crate) fn set(&mut self, vector: u8) -> bool {
        let before = self.0;
        self.0 |= 1 << vector;
        self.0 != before
    }

    pub(crate) fn take(&mut self, vector: u8) -> bool {
        let pending = self.0 >> vector & 1 == 1;
        self.0 &= !(1 << vector);
        pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tlp::{parse, Limits, Tlp};

    fn write(text: &[u8]) -> Option<u8> {
        match parse(text, Limits { payload: 512, read: 512 }) {
            Ok(Tlp::Write { request, payload, .. }) if meant(&request) => vector(&request, payload),
            _ => None,
        }
    }

    #[test]
    fn ho5_tlp_v16_is_interrupt_5() {
        let mut tlp = [0x40, 0, 0, 1, 1, 0, 0, 0x0F, 0xFE, 0xE0, 0, 0, 5, 0, 0, 0];
        assert_eq!((write(&tlp), table_row(5)), (Some(5), [0xFEE0_0000, 0, 5, 0]));
        tlp[12] = 8;
        assert_eq!(write(&tlp), None, "no such vector");
        tlp[12] = 5;
        tlp[11] = 4;
        assert_eq!(write(&tlp), None, "another address");
        tlp[11] = 0;
        tlp[7] = 7;
        assert_eq!(write(&tlp), None, "not the whole word");
    }

    #[test]
    fn ho5_requests_of_a_vector_merge_until_it_is_taken() {
        let mut pending = Pending::default();
        assert_eq!([pending.set(3), pending.set(3), pending.set(0)], [true, false, true]);
        assert_eq!([pending.take(3), pending.take(3), pending.take(0)], [true, false, true]);
    }
}
