//! Byte enables of a request: which are legal (TL3), and what a completion says of them (TL5).

/// Whether a request of `dwords` DW may have these byte enables (TL3).
pub(crate) fn legal(dwords: usize, first: u8, last: u8) -> bool {
    match dwords {
        0 => false,
        1 => last == 0,
        2 => first != 0 && last != 0,
        _ => matches!(first, 0xF | 0xE | 0xC | 0x8) && matches!(last, 0xF | 0x7 | 0x3 | 0x1),
    }
}

/// Bytes that a read asks for, from the first enabled one to the last (TL5). A read of nothing counts as one byte.
pub(crate) fn byte_count(dwords: usize, first: u8, last: u8) -> usize {
    let below = first.trailing_zeros() as usize;
    match dwords {
        1 if first == 0 => 1,
        1 => bits(first) - below,
        _ => 4 * (dwords - 1) + bits(last) - below,
    }
}

/// Number of the highest enabled byte, from 1 on.
fn bits(enables: u8) -> usize {
    (u8::BITS - enables.leading_zeros()) as usize
}

/// Low address bits of the first byte of a read (TL5).
pub(crate) fn lower_address(address: u64, first: u8) -> u8 {
    let below = if first == 0 { 0 } else { first.trailing_zeros() as u8 };
    (address & 0x7C) as u8 + below
}

/// Byte enables of DW `index` of `dwords`.
pub(crate) fn of_dword(index: usize, dwords: usize, first: u8, last: u8) -> u8 {
    match index {
        0 => first,
        _ if index + 1 == dwords => last,
        _ => 0xF,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets of the enabled bytes, one by one.
    fn enabled(dwords: usize, first: u8, last: u8) -> Vec<usize> {
        let enables = |byte: usize| of_dword(byte / 4, dwords, first, last) >> (byte % 4) & 1 == 1;
        (0..4 * dwords).filter(|byte| enables(*byte)).collect()
    }

    #[test]
    fn tl3_contiguous_from_three_dwords_on() {
        for dwords in 0..5 {
            for enables in 0..256_u16 {
                let (first, last) = (enables as u8 & 15, enables as u8 >> 4);
                let bytes = enabled(dwords, first, last);
                let contiguous = bytes.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                let expected = match dwords {
                    0 => false,
                    1 => last == 0,
                    2 => first != 0 && last != 0,
                    _ => contiguous && first != 0 && last != 0,
                };
                assert_eq!(legal(dwords, first, last), expected, "{dwords} DW, {first:x} {last:x}");
            }
        }
    }

    #[test]
    fn tl5_count_and_lower_address_are_those_of_the_enabled_bytes() {
        for dwords in 1..4 {
            for enables in 0..256_u16 {
                let (first, last) = (enables as u8 & 15, enables as u8 >> 4);
                if !legal(dwords, first, last) {
                    continue;
                }
                let bytes = enabled(dwords, first, last);
                let (low, high) = (bytes.first().copied().unwrap_or(0), bytes.last().copied().unwrap_or(0));
                assert_eq!(byte_count(dwords, first, last), high - low + 1, "{dwords} DW, {first:x} {last:x}");
                assert_eq!(usize::from(lower_address(0x1F74, first)), 0x74 + low, "{dwords} DW, {first:x}");
            }
        }
    }
}
