//! Work queue entries: slots of 64 bytes. A data WR with more than two SGEs takes two slots.

mod data;
mod local_inv;
mod receive;
mod reg_mr;

pub use data::{Data, Sge, DATA_FIELDS};
pub use local_inv::{LocalInv, LOCAL_INV_FIELDS};
pub use receive::{Receive, RECEIVE_FIELDS};
pub use reg_mr::{PageList, RegMr, REG_MR_FIELDS};

/// Places of a data WR that other forms do not have.
pub mod data_place {
    pub use super::data::{COMPARE, IMM, NUM_SGE, REMOTE_ADDRESS, RKEY, SGE0, SGE1, SGE2, SGE3, SGE_PLACES, SWAP_ADD};
}

/// Places of a REG_MR that other forms do not have.
pub mod reg_mr_place {
    pub use super::reg_mr::{ACCESS, FBO, IOVA, LENGTH, LIST, NPAGES, PAGE1, PAGE2, PAGE3, PAGE_SHIFT};
}

use crate::{NamedPlace, Place};

/// Bytes of a slot.
pub const BYTES: usize = 64;
/// One slot.
pub type Slot = [u8; BYTES];

places! {
    /// Fields that all forms of the send queue share.
    COMMON_FIELDS;
    /// Opcode.
    OPCODE = 0x00, 1;
    /// Flags.
    FLAGS = 0x01, 1;
    /// Slots that the WQE takes (nblk).
    BLOCKS = 0x02, 1;
}

/// Key of REG_MR and LOCAL_INV.
pub const KEY: Place = Place::new(0x04, 4);

described! {
    /// The flags.
    FLAG_TABLE: u8;
    /// Success writes a CQE; errors always do (D10).
    FLAG_SIGNALLED = 1;
    /// Starts after all earlier READs and atomics are done (D7).
    FLAG_FENCE = 2;
    /// The receiver's completion is a solicited one: SEND and WRITE_IMM only.
    FLAG_SOLICITED = 4;
    /// The page list is in the WQE: REG_MR only.
    FLAG_INLINE = 8;
}

/// Flags that an opcode may carry; others fail B1.
pub const fn allowed_flags(opcode: u8) -> u8 {
    use crate::opcode::{REG_MR, SEND, SEND_IMM, SEND_INV, WRITE_IMM};
    match opcode {
        REG_MR => FLAG_SIGNALLED | FLAG_FENCE | FLAG_INLINE,
        SEND | SEND_IMM | SEND_INV | WRITE_IMM => FLAG_SIGNALLED | FLAG_FENCE | FLAG_SOLICITED,
        _ => FLAG_SIGNALLED | FLAG_FENCE,
    }
}

/// Every byte of `slot` that no field of `fields` names is 0 (B1, B27).
pub fn unnamed_bytes_are_zero(slot: &[u8], fields: &[NamedPlace]) -> bool {
    let named = |byte| fields.iter().any(|f| (f.place.byte..f.place.byte + f.place.bytes).contains(&byte));
    slot.iter().enumerate().all(|(byte, value)| *value == 0 || named(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode;

    #[test]
    fn b1_flags_belong_to_opcodes() {
        assert_eq!(allowed_flags(opcode::REG_MR), 0b1011);
        assert_eq!(allowed_flags(opcode::LOCAL_INV), 0b0011);
        assert_eq!(allowed_flags(opcode::SEND_INV), 0b0111);
        assert_eq!(allowed_flags(opcode::WRITE), 0b0011);
    }

    #[test]
    fn fields_of_a_form_do_not_overlap() {
        for fields in [REG_MR_FIELDS, LOCAL_INV_FIELDS, DATA_FIELDS, RECEIVE_FIELDS] {
            for (index, a) in fields.iter().enumerate() {
                for b in &fields[..index] {
                    let apart =
                        a.place.byte + a.place.bytes <= b.place.byte || b.place.byte + b.place.bytes <= a.place.byte;
                    // FETCH_ADD and CMP_SWAP have one SGE; COMPARE stands where the second would be.
                    assert!(apart || a.name == "COMPARE" || b.name == "COMPARE", "{} and {}", a.name, b.name);
                }
            }
        }
    }

    #[test]
    fn b27_an_unnamed_byte_shows() {
        let mut slot = [0; BYTES];
        slot[0x04] = 1;
        assert!(unnamed_bytes_are_zero(&slot, LOCAL_INV_FIELDS));
        slot[0x08] = 1;
        assert!(!unnamed_bytes_are_zero(&slot, LOCAL_INV_FIELDS));
        assert!(unnamed_bytes_are_zero(&slot, REG_MR_FIELDS));
    }
}
