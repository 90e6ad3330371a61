//! Raw ring descriptor: 16 bytes, both directions, written back in place.

/// Bytes of a descriptor.
pub const BYTES: usize = 16;

places! {
    /// The fields of a descriptor.
    FIELDS;
    /// Bus address of the frame.
    ADDRESS = 0x00, 8;
    /// Bytes of the buffer; written back: bytes of the frame.
    LENGTH = 0x08, 4;
    /// Flags; written back with the phase in bit 31.
    FLAGS = 0x0C, 4;
}

/// Send: compute the ICRC.
pub const SEND_ICRC: u32 = 1;

described! {
    /// Flags as written back.
    FLAG_TABLE: u32;
    /// The ICRC was right.
    ICRC_OK = 1;
    /// The frame has a VLAN tag.
    VLAN = 2;
    /// The frame is a broadcast.
    BROADCAST = 4;
    /// The frame was longer than the buffer.
    TRUNCATED = 8;
    /// Not done: bus error, or an address beyond the bus.
    ERROR = 16;
    /// Phase, as in a CQE.
    PHASE = 0x8000_0000;
}

/// A descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Bus address.
    pub address: u64,
    /// Bytes.
    pub length: u32,
    /// Flags.
    pub flags: u32,
}

impl Descriptor {
    /// The bytes in host memory.
    pub fn encode(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        ADDRESS.put(&mut bytes, self.address);
        LENGTH.put(&mut bytes, self.length.into());
        FLAGS.put(&mut bytes, self.flags.into());
        bytes
    }

    /// Reads the bytes of host memory.
    pub fn decode(bytes: &[u8; BYTES]) -> Self {
        Self { address: ADDRESS.get(bytes), length: LENGTH.get(bytes) as u32, flags: FLAGS.get(bytes) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_comes_back() {
        let descriptor = Descriptor { address: 0x000F_1234_5678_9ABC, length: 1514, flags: PHASE | ICRC_OK };
        assert_eq!(Descriptor::decode(&descriptor.encode()), descriptor);
    }
}
