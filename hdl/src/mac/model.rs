//! What the tests compare with, written from the specification: the wire as a list of clock periods.

/// CRC-32 of IEEE 802.3 as the standard describes it: a shift register that takes one bit at a time, the least significant
/// bit of each byte first, with the polynomial in its normal (not reflected) form; the result with the bits in the order in
/// which they are sent, the first one lowest.
pub fn serial_crc(bytes: &[u8]) -> u32 {
    let mut register = u32::MAX;
    for octet in bytes {
        for i in 0..8 {
            let feedback = (register >> 31 == 1) ^ (octet >> i & 1 == 1);
            register <<= 1;
            if feedback {
                register ^= 0x04C1_1DB7;
            }
        }
    }
    (0..32).fold(0, |crc, i| crc | (!register >> (31 - i) & 1) << i)
}

/// One clock period of GMII, one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Period {
    pub data: u8,
    pub enable: bool,
    pub error: bool,
}

impl Period {
    pub const IDLE: Self = Self { data: 0, enable: false, error: false };
    pub fn of(data: u8) -> Self {
        Self { data, enable: true, error: false }
    }
}

/// A frame with padding and FCS as it is between preamble and gap.
pub fn sealed(frame: &[u8]) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    if bytes.len() < 60 {
        bytes.resize(60, 0);
    }
    bytes.extend(serial_crc(&bytes).to_le_bytes());
    bytes
}

/// Clock periods of bytes behind a preamble of `preamble` times 55.
pub fn burst(bytes: &[u8], preamble: usize) -> Vec<Period> {
    let start = std::iter::repeat_n(0x55, preamble).chain([0xD5]);
    start.chain(bytes.iter().copied()).map(Period::of).collect()
}

/// A frame seen on the wire.
#[derive(Debug, PartialEq)]
pub struct Seen {
    /// Idle periods in front of it.
    pub gap: usize,
    /// Bytes of preamble and start delimiter.
    pub start: Vec<u8>,
    /// Bytes behind them, FCS included.
    pub bytes: Vec<u8>,
    /// The error line was set in it.
    pub error: bool,
}

/// Cuts what was sent into frames.
pub fn frames_of(periods: &[Period]) -> Vec<Seen> {
    let mut seen: Vec<Seen> = vec![];
    let (mut gap, mut open) = (0, false);
    for period in periods {
        match (period.enable, open) {
            (false, false) => gap += 1,
            (false, true) => (gap, open) = (1, false),
            (true, _) => {
                if !open {
                    seen.push(Seen { gap, start: vec![], bytes: vec![], error: false });
                }
                open = true;
                let frame = seen.last_mut().unwrap();
                frame.error |= period.error;
                match frame.start.last() {
                    Some(0xD5) => frame.bytes.push(period.data),
                    _ => frame.start.push(period.data),
                }
            }
        }
    }
    seen
}

/// A frame of `length` bytes that differs from others by `seed`.
pub fn sample(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ length as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn the_serial_crc_is_that_of_the_check_value_in_every_crc_catalogue() {
    assert_eq!(serial_crc(b"123456789"), 0xCBF4_3926);
}
