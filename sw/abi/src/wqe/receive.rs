//! Receive WQE: one slot of four SGEs.
use super::{Sge, Slot, BYTES};

places! {
    /// The fields of a receive WQE.
    RECEIVE_FIELDS;
    /// SGE 0: address.
    SGE0_ADDRESS = 0x00, 8;
    /// SGE 0: length.
    SGE0_LENGTH = 0x08, 4;
    /// SGE 0: lkey.
    SGE0_LKEY = 0x0C, 4;
    /// SGE 1: address.
    SGE1_ADDRESS = 0x10, 8;
    /// SGE 1: length.
    SGE1_LENGTH = 0x18, 4;
    /// SGE 1: lkey.
    SGE1_LKEY = 0x1C, 4;
    /// SGE 2: address.
    SGE2_ADDRESS = 0x20, 8;
    /// SGE 2: length.
    SGE2_LENGTH = 0x28, 4;
    /// SGE 2: lkey.
    SGE2_LKEY = 0x2C, 4;
    /// SGE 3: address.
    SGE3_ADDRESS = 0x30, 8;
    /// SGE 3: length.
    SGE3_LENGTH = 0x38, 4;
    /// SGE 3: lkey.
    SGE3_LKEY = 0x3C, 4;
}

/// A receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receive {
    /// The SGEs; unused ones 0, whose length 0 means no bytes.
    pub sges: [Sge; 4],
}

impl Receive {
    /// The bytes of the slot.
    pub fn encode(&self) -> Slot {
        let mut slot = [0; BYTES];
        for (index, sge) in self.sges.iter().enumerate() {
            sge.put(&mut slot, 16 * index);
        }
        slot
    }

    /// Reads the fields of a slot.
    pub fn decode(slot: &Slot) -> Self {
        Self { sges: [0, 1, 2, 3].map(|index| Sge::get(slot, 16 * index)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_sges_come_back() {
        let sge = |n: u64| Sge { address: n << 40 | n, length: 0x100 + n as u32, lkey: 0x2A00 + n as u32 };
        let wr = Receive { sges: [1, 2, 3, 4].map(sge) };
        assert_eq!(wr.encode()[0x18..0x20], [2, 1, 0, 0, 2, 0x2A, 0, 0]);
        assert_eq!(Receive::decode(&wr.encode()), wr);
    }
}
