//! Data WRs: SEND, WRITE, READ, atomics. One slot, or two when there are more than two SGEs.
use super::{Slot, BLOCKS, BYTES, FLAGS, OPCODE};
use crate::{opcode, Place};

mod places {
    places! {
        /// The fields of a data WR over both slots.
        DATA_FIELDS;
        /// Opcode.
        OPCODE = 0x00, 1;
        /// Flags.
        FLAGS = 0x01, 1;
        /// 1, or 2 when there are more than two SGEs.
        BLOCKS = 0x02, 1;
        /// SGEs, 0 to 4.
        NUM_SGE = 0x03, 1;
        /// Immediate data in wire order, or the key to invalidate.
        IMM = 0x04, 4;
        /// Address in the peer's region.
        REMOTE_ADDRESS = 0x08, 8;
        /// Key of the peer's region.
        RKEY = 0x10, 4;
        /// Swap or add operand of an atomic.
        SWAP_ADD = 0x18, 8;
        /// SGE 0: address.
        SGE0 = 0x20, 8;
        /// SGE 0: length.
        SGE0_LENGTH = 0x28, 4;
        /// SGE 0: lkey.
        SGE0_LKEY = 0x2C, 4;
        /// SGE 1: address.
        SGE1 = 0x30, 8;
        /// SGE 1: length.
        SGE1_LENGTH = 0x38, 4;
        /// SGE 1: lkey.
        SGE1_LKEY = 0x3C, 4;
        /// Compare operand of CMP_SWAP, which has one SGE.
        COMPARE = 0x30, 8;
        /// SGE 2: address.
        SGE2 = 0x40, 8;
        /// SGE 2: length.
        SGE2_LENGTH = 0x48, 4;
        /// SGE 2: lkey.
        SGE2_LKEY = 0x4C, 4;
        /// SGE 3: address.
        SGE3 = 0x50, 8;
        /// SGE 3: length.
        SGE3_LENGTH = 0x58, 4;
        /// SGE 3: lkey.
        SGE3_LKEY = 0x5C, 4;
    }
}

pub use places::{COMPARE, DATA_FIELDS, IMM, NUM_SGE, REMOTE_ADDRESS, RKEY, SGE0, SGE1, SGE2, SGE3, SWAP_ADD};

/// Where each SGE begins; 16 bytes each: address, length, lkey.
pub const SGE_PLACES: [Place; 4] = [SGE0, SGE1, SGE2, SGE3];

/// A piece of local memory.
///
/// ```
/// # use rnic_abi::wqe::{Data, Sge};
/// let sge = Sge { address: 0x7000_0800, length: 64, lkey: 0x155 };
/// let send = Data { num_sge: 1, sges: [sge, Sge::default(), Sge::default(), Sge::default()], ..Data::default() };
/// assert_eq!((send.blocks(), send.encode()[0].len()), (1, 64));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sge {
    /// Address in the region of `lkey`.
    pub address: u64,
    /// Bytes; 0 means none (E1).
    pub length: u32,
    /// Key.
    pub lkey: u32,
}

impl Sge {
    /// Writes the SGE that begins at offset `byte` of a layout.
    pub fn put(&self, layout: &mut [u8], byte: usize) {
        Place::new(byte, 8).put(layout, self.address);
        Place::new(byte + 8, 4).put(layout, self.length.into());
        Place::new(byte + 12, 4).put(layout, self.lkey.into());
    }

    /// Reads the SGE that begins at offset `byte` of a layout.
    pub fn get(layout: &[u8], byte: usize) -> Self {
        Self {
            address: Place::new(byte, 8).get(layout),
            length: Place::new(byte + 8, 4).get(layout) as u32,
            lkey: Place::new(byte + 12, 4).get(layout) as u32,
        }
    }
}

/// A data WR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// See [`crate::opcode`].
    pub opcode: u8,
    /// `FLAG_*`.
    pub flags: u8,
    /// SGEs in use.
    pub num_sge: u8,
    /// Immediate data in wire order, or the key to invalidate.
    pub imm: u32,
    /// Address in the peer's region.
    pub remote_address: u64,
    /// Key of the peer's region.
    pub rkey: u32,
    /// Swap or add operand.
    pub swap_add: u64,
    /// Compare operand of CMP_SWAP.
    pub compare: u64,
    /// The SGEs; unused ones 0.
    pub sges: [Sge; 4],
}

impl Data {
    /// Slots that it takes.
    pub const fn blocks(&self) -> usize {
        if self.num_sge > 2 {
            2
        } else {
            1
        }
    }

    /// The bytes of both slots; the second is used when [`Self::blocks`] is 2.
    pub fn encode(&self) -> [Slot; 2] {
        let mut bytes = [0; 2 * BYTES];
        OPCODE.put(&mut bytes, self.opcode.into());
        FLAGS.put(&mut bytes, self.flags.into());
        BLOCKS.put(&mut bytes, self.blocks() as u64);
        NUM_SGE.put(&mut bytes, self.num_sge.into());
        IMM.put(&mut bytes, self.imm.into());
        REMOTE_ADDRESS.put(&mut bytes, self.remote_address);
        RKEY.put(&mut bytes, self.rkey.into());
        SWAP_ADD.put(&mut bytes, self.swap_add);
        for (sge, place) in self.sges.iter().zip(SGE_PLACES).take(self.num_sge.into()) {
            sge.put(&mut bytes, place.byte);
        }
        if self.opcode == opcode::CMP_SWAP {
            COMPARE.put(&mut bytes, self.compare);
        }
        let mut slots = [[0; BYTES]; 2];
        slots[0].copy_from_slice(&bytes[..BYTES]);
        slots[1].copy_from_slice(&bytes[BYTES..]);
        slots
    }

    /// Reads the fields of a WQE of one or two slots, whatever its reserved bytes are.
    pub fn decode(first: &Slot, second: Option<&Slot>) -> Self {
        let mut bytes = [0; 2 * BYTES];
        bytes[..BYTES].copy_from_slice(first);
        bytes[BYTES..].copy_from_slice(second.unwrap_or(&[0; BYTES]));
        let opcode = OPCODE.get(&bytes) as u8;
        let num_sge = NUM_SGE.get(&bytes) as u8;
        let mut sges = [Sge::default(); 4];
        for (sge, place) in sges.iter_mut().zip(SGE_PLACES).take(num_sge.into()) {
            *sge = Sge::get(&bytes, place.byte);
        }
        Self {
            opcode,
            flags: FLAGS.get(&bytes) as u8,
            num_sge,
            imm: IMM.get(&bytes) as u32,
            remote_address: REMOTE_ADDRESS.get(&bytes),
            rkey: RKEY.get(&bytes) as u32,
            swap_add: SWAP_ADD.get(&bytes),
            compare: if opcode == opcode::CMP_SWAP { COMPARE.get(&bytes) } else { 0 },
            sges,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sge(n: u64) -> Sge {
        Sge { address: 0x7000_0000 + n, length: 0x100 + n as u32, lkey: 0x2A00 + n as u32 }
    }

    #[test]
    fn two_sges_take_one_slot_and_three_take_two() {
        let mut wr = Data { opcode: opcode::WRITE_IMM, flags: 5, imm: 0x0403_0201, rkey: 0x1A2B, ..Data::default() };
        wr.remote_address = 0x1122_3344_5566_7788;
        for count in 0..=4 {
            wr.num_sge = count as u8;
            wr.sges = [0, 1, 2, 3].map(|n| if n < count { sge(n) } else { Sge::default() });
            let [first, second] = wr.encode();
            assert_eq!(first[2], if count > 2 { 2 } else { 1 });
            assert_eq!(second == [0; BYTES], count <= 2);
            assert_eq!(Data::decode(&first, (count > 2).then_some(&second)), wr);
        }
    }

    #[test]
    fn the_compare_operand_stands_behind_the_only_sge() {
        let mut wr = Data { opcode: opcode::CMP_SWAP, num_sge: 1, swap_add: 7, compare: 9, ..Data::default() };
        wr.sges[0] = sge(0);
        let [first, second] = wr.encode();
        assert_eq!(first[0x30..0x38], [9, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(second, [0; BYTES]);
        assert_eq!(Data::decode(&first, None), wr);
    }
}
