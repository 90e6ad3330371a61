//! LOCAL_INV.
use super::{Slot, BLOCKS, BYTES, FLAGS, KEY, OPCODE};
use crate::opcode;

mod places {
    places! {
        /// The fields of a LOCAL_INV.
        LOCAL_INV_FIELDS;
        /// Opcode, 21h.
        OPCODE = 0x00, 1;
        /// Flags.
        FLAGS = 0x01, 1;
        /// 1.
        BLOCKS = 0x02, 1;
        /// Key to invalidate.
        KEY = 0x04, 4;
    }
}

pub use places::LOCAL_INV_FIELDS;

/// A local invalidation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalInv {
    /// `FLAG_*`.
    pub flags: u8,
    /// The region's full key.
    pub key: u32,
}

impl LocalInv {
    /// The bytes of the slot.
    pub fn encode(&self) -> Slot {
        let mut slot = [0; BYTES];
        OPCODE.put(&mut slot, opcode::LOCAL_INV.into());
        FLAGS.put(&mut slot, self.flags.into());
        BLOCKS.put(&mut slot, 1);
        KEY.put(&mut slot, self.key.into());
        slot
    }

    /// Reads the fields of a slot, whatever its opcode, blocks and reserved bytes are.
    pub fn decode(slot: &Slot) -> Self {
        Self { flags: FLAGS.get(slot) as u8, key: KEY.get(slot) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_and_leaves_the_rest_zero() {
        let wr = LocalInv { flags: 3, key: 0x0000_1A2B };
        let slot = wr.encode();
        assert_eq!(slot[..8], [0x21, 3, 1, 0, 0x2B, 0x1A, 0, 0]);
        assert_eq!(slot[8..], [0; 56]);
        assert_eq!(LocalInv::decode(&slot), wr);
    }
}
