//! The messages of the storage protocol: a command of 64 bytes and a response of 16, little-endian.

/// Bytes of a command.
pub(super) const COMMAND_BYTES: usize = 64;
/// Bytes of a response.
pub(super) const RESPONSE_BYTES: usize = 16;
const COMMAND_MAGIC: u32 = 0x444D_4353;
const RESPONSE_MAGIC: u32 = 0x5053_4552;

/// What the initiator asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Number of the I/O in the queue; comes back in the response.
    pub tag: u32,
    /// From the initiator's memory to the disk, else the other way.
    pub write: bool,
    /// The target is to take the key away with its response.
    pub invalidate: bool,
    /// First byte of the disk.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// The initiator's memory.
    pub address: u64,
    /// Its key.
    pub rkey: u32,
}

impl Command {
    pub fn encode(&self) -> [u8; COMMAND_BYTES] {
        let flags = u32::from(self.write) | u32::from(self.invalidate) << 1;
        let words = [COMMAND_MAGIC, self.tag, flags, self.length, self.rkey];
        let mut bytes = [0; COMMAND_BYTES];
        put(&mut bytes, 0, &words.map(u32::to_le_bytes).concat());
        put(&mut bytes, 24, &self.offset.to_le_bytes());
        put(&mut bytes, 32, &self.address.to_le_bytes());
        bytes
    }

    pub fn decode(bytes: &[u8; COMMAND_BYTES]) -> Option<Self> {
        let word = |at| u32::from_le_bytes(get(bytes, at));
        (word(0) == COMMAND_MAGIC).then(|| Self {
            tag: word(4),
            write: word(8) & 1 != 0,
            invalidate: word(8) & 2 != 0,
            length: word(12),
            rkey: word(16),
            offset: u64::from_le_bytes(get(bytes, 24)),
            address: u64::from_le_bytes(get(bytes, 32)),
        })
    }
}

/// The message that says that an I/O is done.
pub(super) fn response(tag: u32) -> [u8; RESPONSE_BYTES] {
    let mut bytes = [0; RESPONSE_BYTES];
    put(&mut bytes, 0, &[RESPONSE_MAGIC, tag].map(u32::to_le_bytes).concat());
    bytes
}

/// Which I/O a response is of.
pub(super) fn response_tag(bytes: &[u8; RESPONSE_BYTES]) -> Option<u32> {
    (u32::from_le_bytes(get(bytes, 0)) == RESPONSE_MAGIC).then(|| u32::from_le_bytes(get(bytes, 4)))
}

fn put(bytes: &mut [u8], at: usize, part: &[u8]) {
    bytes[at..at + part.len()].copy_from_slice(part);
}

fn get<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the slice has N bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_went() {
        let (offset, address) = (1 << 40, 0x1234_5678_9ABC_DEF0);
        let command = Command { tag: 7, write: true, invalidate: false, offset, length: 9, address, rkey: 0xABCD };
        assert_eq!(Command::decode(&command.encode()), Some(command));
        let other = Command { write: false, invalidate: true, ..command };
        assert_eq!(Command::decode(&other.encode()), Some(other));
        assert_eq!(response_tag(&response(31)), Some(31));
        assert_eq!((Command::decode(&[0; COMMAND_BYTES]), response_tag(&[0; RESPONSE_BYTES])), (None, None));
    }
}
