//! A model of TLPs for tests, written from the format table and TL1-TL5, RD1, WR1 of the specification: builder, parser and
//! checker of what the bridge sends. It shares nothing with the blocks.

/// A TLP in the words of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tlp {
    /// Memory write.
    Write {
        /// Address of the first DW.
        address: u64,
        /// First byte enables.
        first: u8,
        /// Last byte enables.
        last: u8,
        /// Requester id.
        requester: u16,
        /// Payload.
        payload: Vec<u8>,
    },
    /// Memory read.
    Read {
        /// Address of the first DW.
        address: u64,
        /// DW.
        length: u32,
        /// First byte enables.
        first: u8,
        /// Last byte enables.
        last: u8,
        /// Requester id.
        requester: u16,
        /// Tag.
        tag: u8,
    },
    /// Completion.
    Completion {
        /// Who completes.
        completer: u16,
        /// Status.
        status: u8,
        /// Bytes still to come, this one included, 1 to 4096.
        byte_count: u32,
        /// Who asked.
        requester: u16,
        /// Tag.
        tag: u8,
        /// Lower address.
        lower: u8,
        /// Payload, none without data.
        payload: Vec<u8>,
    },
}

fn word(bytes: &[u8], index: usize) -> u32 {
    u32::from_be_bytes(bytes[4 * index..4 * index + 4].try_into().unwrap())
}

/// Bytes of a text of hexadecimal groups, as the vectors are printed.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|digit| !digit.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// TL5: index of the lowest enabled byte.
pub fn lower_lane(first: u8) -> u8 {
    (0..4).find(|lane| first >> lane & 1 == 1).unwrap_or(0)
}

/// TL5: byte count of a request.
pub fn byte_count(length: u32, first: u8, last: u8) -> u32 {
    let enables = |dword: u32| match dword {
        0 => first,
        dword if dword == length - 1 => last,
        _ => 15,
    };
    let enabled: Vec<u32> = (0..length * 4).filter(|byte| enables(byte / 4) >> (byte % 4) & 1 == 1).collect();
    match (enabled.first(), enabled.last()) {
        (Some(low), Some(high)) => high - low + 1,
        _ => 1,
    }
}

/// TL3.
pub fn enables_fine(length: u32, first: u8, last: u8) -> bool {
    match length {
        1 => last == 0,
        2 => first != 0 && last != 0,
        _ => [0xF, 0xE, 0xC, 0x8].contains(&first) && [0xF, 0x7, 0x3, 0x1].contains(&last),
    }
}

impl Tlp {
    /// Bytes on the wire.
    pub fn pack(&self) -> Vec<u8> {
        let mut words = vec![];
        let address_words = |words: &mut Vec<u32>, kind: u32, length: u32, second: u32, address: u64| {
            let long = address >> 32 != 0;
            words.push(kind << 24 | u32::from(long) << 29 | length & 0x3FF);
            words.push(second);
            if long {
                words.push((address >> 32) as u32);
            }
            words.push(address as u32);
        };
        let payload = match self {
            Tlp::Write { address, first, last, requester, payload } => {
                let second = u32::from(*requester) << 16 | u32::from(*last) << 4 | u32::from(*first);
                address_words(&mut words, 0x40, payload.len() as u32 / 4, second, *address);
                payload.as_slice()
            }
            Tlp::Read { address, length, first, last, requester, tag } => {
                let second =
                    u32::from(*requester) << 16 | u32::from(*tag) << 8 | u32::from(*last) << 4 | u32::from(*first);
                address_words(&mut words, 0, *length, second, *address);
                &[]
            }
            Tlp::Completion { completer, status, byte_count, requester, tag, lower, payload } => {
                let kind = if payload.is_empty() { 0x0A } else { 0x4A };
                words.push(kind << 24 | payload.len() as u32 / 4 & 0x3FF);
                words.push(u32::from(*completer) << 16 | u32::from(*status) << 13 | byte_count & 0xFFF);
                words.push(u32::from(*requester) << 16 | u32::from(*tag) << 8 | u32::from(*lower));
                payload.as_slice()
            }
        };
        words.iter().flat_map(|word| word.to_be_bytes()).chain(payload.iter().copied()).collect()
    }

    /// Reads a TLP that the bridge has sent; an error when it breaks TL1 to TL4, or has an id that is not `device`.
    pub fn check_sent(bytes: &[u8], device: u16, mps: u32, mrrs: u32) -> Result<Tlp, String> {
        let first_word = word(bytes, 0);
        let kind = first_word >> 24;
        let length = match first_word & 0x3FF {
            0 => 1024,
            length => length,
        };
        if first_word & 0x00FF_FC00 != 0 {
            return Err(format!("TL1: {first_word:08x} has bits beside kind and length"));
        }
        let second = word(bytes, 1);
        if (second >> 16) as u16 != device {
            return Err(format!("IR3: id {:04x}", second >> 16));
        }
        let header = if kind & 0x20 != 0 { 16 } else { 12 };
        let with_data = kind & 0x40 != 0;
        let payload = bytes[header..].to_vec();
        let due = if with_data { length as usize * 4 } else { 0 };
        if payload.len() != due {
            return Err(format!("TL4: {} bytes of payload, length says {due}", payload.len()));
        }
        if with_data && length * 4 > mps {
            return Err(format!("TL4: {} bytes above MPS {mps}", length * 4));
        }
        if matches!(kind, 0x0A | 0x4A) {
            let third = word(bytes, 2);
            return Ok(Tlp::Completion {
                completer: (second >> 16) as u16,
                status: (second >> 13 & 7) as u8,
                byte_count: match second & 0xFFF {
                    0 => 4096,
                    count => count,
                },
                requester: (third >> 16) as u16,
                tag: (third >> 8) as u8,
                lower: (third & 0x7F) as u8,
                payload,
            });
        }
        let (first, last) = ((second & 15) as u8, (second >> 4 & 15) as u8);
        let address = match kind {
            0x00 | 0x40 => u64::from(word(bytes, 2)),
            0x20 | 0x60 => u64::from(word(bytes, 2)) << 32 | u64::from(word(bytes, 3)),
            kind => return Err(format!("kind {kind:02x}")),
        };
        if (header == 16) != (address >> 32 != 0) {
            return Err(format!("TL2: address {address:x} in a header of {header} bytes"));
        }
        if address & 3 != 0 || address % 4096 + u64::from(length) * 4 > 4096 {
            return Err(format!("TL4: address {address:x}, {length} DW"));
        }
        if !enables_fine(length, first, last) {
            return Err(format!("TL3: length {length} first {first:x} last {last:x}"));
        }
        let requester = device;
        if with_data {
            return Ok(Tlp::Write { address, first, last, requester, payload });
        }
        if length * 4 > mrrs {
            return Err(format!("TL4: read of {} bytes above MRRS {mrrs}", length * 4));
        }
        Ok(Tlp::Read { address, length, first, last, requester, tag: (second >> 8) as u8 })
    }
}

/// RD1: requests that cover a read burst of 64-bit beats, as (address, DW, first, last).
pub fn split_read(address: u64, beats: u64, mrrs: u64) -> Vec<(u64, u32, u8, u8)> {
    let end = (address & !7) + 8 * beats;
    let mut requests = vec![];
    let mut from = address;
    while from < end {
        let to = end.min((from / mrrs + 1) * mrrs);
        let start = from & !3;
        let length = ((to - start) / 4) as u32;
        let first = 0xF << (from % 4) & 0xF;
        requests.push((start, length, first, if length == 1 { 0 } else { 0xF }));
        from = to;
    }
    requests
}

/// WR1: writes that move one contiguous run of bytes, payload bytes outside of it being 0.
pub fn split_write(address: u64, data: &[u8], mps: u64, device: u16) -> Vec<Tlp> {
    let mut writes = vec![];
    let (mut from, end) = (address, address + data.len() as u64);
    while from < end {
        let to = end.min((from / mps + 1) * mps);
        let (start, stop) = (from & !3, (to + 3) & !3);
        let byte = |at: u64| if at >= from && at < to { data[(at - address) as usize] } else { 0 };
        let enables = |dword: u64| (0..4).fold(0, |mask, i| mask | u8::from((from..to).contains(&(dword + i))) << i);
        let single = stop - start == 4;
        writes.push(Tlp::Write {
            address: start,
            first: enables(start),
            last: if single { 0 } else { enables(stop - 4) },
            requester: device,
            payload: (start..stop).map(byte).collect(),
        });
        from = to;
    }
    writes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_reads_what_it_writes() {
        let write = Tlp::Write { address: 0x10_0000_0FF8, first: 15, last: 15, requester: 0x100, payload: vec![7; 8] };
        let bytes = write.pack();
        assert_eq!(bytes[..16], hex("60000002 010000ff 00000010 00000ff8"));
        assert_eq!(Tlp::check_sent(&bytes, 0x100, 512, 512), Ok(write));
        assert_eq!(split_read(0x21C0, 64, 512), [(0x21C0, 16, 15, 15), (0x2200, 112, 15, 15)]);
        assert_eq!(split_read(0x1005, 1, 512), [(0x1004, 1, 14, 0)]);
    }
}
