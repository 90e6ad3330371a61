//! Keys: index of the MR entry in bits 31:8, a byte of the consumer's choice in bits 7:0 (A6, A11). The lkey and the rkey
//! of a region are the same value (B25).

/// Lowest bit of the MR index.
pub const INDEX_SHIFT: u32 = 8;

/// MR index of a key.
pub const fn index(key: u32) -> u32 {
    key >> INDEX_SHIFT
}

/// Consumer byte of a key.
pub const fn byte(key: u32) -> u8 {
    key as u8
}

/// Key of an index (24 bits) and a byte.
pub const fn new(index: u32, byte: u8) -> u32 {
    index << INDEX_SHIFT | byte as u32
}

#[cfg(test)]
mod tests {
    #[test]
    fn index_and_byte_make_a_key() {
        let key = super::new(0xABCDEF, 0x5A);
        assert_eq!((key, super::index(key), super::byte(key)), (0xABCD_EF5A, 0xABCDEF, 0x5A));
    }
}
