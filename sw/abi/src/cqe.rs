//! Completion queue entry: 32 bytes, written in one burst.

/// Bytes of an entry.
pub const BYTES: usize = 32;

places! {
    /// The fields of an entry.
    FIELDS;
    /// Queue pair number.
    QPN = 0x00, 3;
    /// Opcode: the WQE's own for sends, else RECV or RECV_WRITE_IMM. Not valid in an error entry (D14).
    OPCODE = 0x03, 1;
    /// Completion status.
    STATUS = 0x04, 1;
    /// Syndrome: which rule an error broke; 0 for success and WR_FLUSH.
    SYNDROME = 0x05, 1;
    /// Slot of the WQE's first block.
    SLOT = 0x06, 2;
    /// Bytes received or read (T70). Not valid in an error entry (D14).
    BYTE_LEN = 0x08, 4;
    /// Immediate data in wire order, or the invalidated key in host order; the flags tell which (C17).
    IMM = 0x0C, 4;
    /// Flags. Not valid in an error entry (D14).
    FLAGS = 0x10, 4;
    /// Low 32 bits of the device's time in ticks of 1.024 us (T79).
    TICKS = 0x18, 4;
    /// The last word, whose bit 31 is the phase.
    OWNER = 0x1C, 4;
}

described! {
    /// The flags.
    FLAG_TABLE: u32;
    /// IMM holds immediate data.
    FLAG_IMM = 1;
    /// IMM holds an invalidated key.
    FLAG_INV = 2;
    /// The sender asked for a solicited event.
    FLAG_SOLICITED = 4;
    /// The entry is of a receive queue.
    FLAG_RECEIVE = 8;
}

/// Phase bit of the owner word: 1 in the first round of the ring, 0 in the second, and so on.
pub const PHASE: u32 = 1 << 31;

/// A completion as the device writes it. Codes are kept as numbers, so that an unknown one can be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cqe {
    /// Queue pair number, 24 bits.
    pub qpn: u32,
    /// See [`crate::opcode`].
    pub opcode: u8,
    /// See [`crate::status`].
    pub status: u8,
    /// See [`crate::syndrome`].
    pub syndrome: u8,
    /// Slot of the WQE's first block.
    pub slot: u16,
    /// Bytes received or read.
    pub byte_len: u32,
    /// Immediate data or invalidated key.
    pub imm: u32,
    /// `FLAG_*`.
    pub flags: u32,
    /// Device time, ticks of 1.024 us.
    pub ticks: u32,
    /// Phase bit of the round in which it was written.
    pub phase: bool,
}

impl Cqe {
    /// The bytes in host memory.
    pub fn encode(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        QPN.put(&mut bytes, self.qpn.into());
        OPCODE.put(&mut bytes, self.opcode.into());
        STATUS.put(&mut bytes, self.status.into());
        SYNDROME.put(&mut bytes, self.syndrome.into());
        SLOT.put(&mut bytes, self.slot.into());
        BYTE_LEN.put(&mut bytes, self.byte_len.into());
        IMM.put(&mut bytes, self.imm.into());
        FLAGS.put(&mut bytes, self.flags.into());
        TICKS.put(&mut bytes, self.ticks.into());
        OWNER.put(&mut bytes, if self.phase { PHASE.into() } else { 0 });
        bytes
    }

    /// Reads the bytes of host memory.
    pub fn decode(bytes: &[u8; BYTES]) -> Self {
        Self {
            qpn: QPN.get(bytes) as u32,
            opcode: OPCODE.get(bytes) as u8,
            status: STATUS.get(bytes) as u8,
            syndrome: SYNDROME.get(bytes) as u8,
            slot: SLOT.get(bytes) as u16,
            byte_len: BYTE_LEN.get(bytes) as u32,
            imm: IMM.get(bytes) as u32,
            flags: FLAGS.get(bytes) as u32,
            ticks: TICKS.get(bytes) as u32,
            phase: OWNER.get(bytes) as u32 & PHASE != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_comes_back() {
        let cqe = Cqe {
            qpn: 0xABCDEF,
            opcode: 0x20,
            status: 6,
            syndrome: 0x0C,
            slot: 0x8001,
            byte_len: 0x0102_0304,
            imm: 0x1122_3344,
            flags: FLAG_RECEIVE | FLAG_INV,
            ticks: 0x5566_7788,
            phase: true,
        };
        let bytes = cqe.encode();
        assert_eq!(bytes[..8], [0xEF, 0xCD, 0xAB, 0x20, 6, 0x0C, 0x01, 0x80]);
        assert_eq!((bytes[0x14], bytes[0x1F]), (0, 0x80));
        assert_eq!(Cqe::decode(&bytes), cqe);
    }
}
