//! MODIFY_QP: which transitions exist, what each must and may be given, and the ranges (rules T1, T2).

use rnic_abi::preset::Preset;
use rnic_abi::qp::{self as attribute, State};

/// Number of a state's attribute word and, in it, the bits of an attribute.
type Field = (usize, u32);

/// Bits of MODIFY_QP's words that belong to each attribute.
const FIELDS: [(u32, &[Field]); 14] = [
    (attribute::ACCESS, &[(3, 0x00FF_0000)]),
    (attribute::PKEY, &[(3, 0x0000_FFFF)]),
    (
        attribute::ADDRESS_VECTOR,
        &[
            (0x09, u32::MAX),
            (0x0A, u32::MAX),
            (0x0B, u32::MAX),
            (0x0C, u32::MAX),
            (0x0D, u32::MAX),
            (0x0E, u32::MAX),
            (0x0F, u32::MAX),
            (0x10, u32::MAX),
            (0x11, u32::MAX),
        ],
    ),
    (attribute::MTU, &[(3, 0xFF00_0000)]),
    (attribute::DEST_QPN, &[(4, u32::MAX)]),
    (attribute::RQ_PSN, &[(5, u32::MAX)]),
    (attribute::MAX_DEST_RD, &[(8, 0x0000_FF00)]),
    (attribute::MIN_RNR, &[(7, 0xFF00_0000)]),
    (attribute::TIMEOUT, &[(7, 0x0000_00FF)]),
    (attribute::RETRY_CNT, &[(7, 0x0000_FF00)]),
    (attribute::RNR_RETRY, &[(7, 0x00FF_0000)]),
    (attribute::SQ_PSN, &[(6, u32::MAX)]),
    (attribute::MAX_RD, &[(8, 0x0000_00FF)]),
    (attribute::DRAINED_EVENT, &[(8, 0x00FF_0000)]),
];

/// Attributes of a queue pair, as the words of MODIFY_QP gave them. Only the transport reads most of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Words 0 to 11 (hexadecimal) of the commands so far.
    pub words: [u32; 0x12],
}

impl Attributes {
    /// PSN of the first packet that the queue pair expects.
    pub fn rq_psn(&self) -> u32 {
        self.words[5]
    }

    /// PSN of the first packet that the queue pair sends.
    pub fn sq_psn(&self) -> u32 {
        self.words[6]
    }

    /// Rights of the peer on the queue pair (rule T1).
    pub fn access(&self) -> u8 {
        (self.words[3] >> 16) as u8
    }

    /// Bytes of payload in a packet (rule G9).
    pub fn mtu(&self) -> u64 {
        128 << (self.words[3] >> 24)
    }

    /// Queue pair of the peer.
    pub fn dest_qpn(&self) -> u32 {
        self.words[4]
    }

    /// READs and atomics that it may have in flight.
    pub fn max_rd(&self) -> u32 {
        self.words[8] & 0xFF
    }

    /// READs and atomics that the peer may have in flight.
    pub fn max_dest_rd(&self) -> u32 {
        self.words[8] >> 8 & 0xFF
    }

    /// SQ_DRAINED is wanted (rule T77).
    pub fn drained_event(&self) -> bool {
        self.words[8] & 0x00FF_0000 != 0
    }

    /// Takes over what `words` gives for the attributes of `mask`.
    pub(super) fn update(&mut self, mask: u32, words: &[u32; 32]) {
        for (bit, fields) in FIELDS {
            for &(word, bits) in fields.iter().filter(|_| mask & bit != 0) {
                self.words[word] = self.words[word] & !bits | words[word] & bits;
            }
        }
    }
}

/// Attributes that a transition must and may be given; none if it does not exist (rule T1).
fn transition(from: State, to: State) -> Option<(u32, u32)> {
    use attribute::{State, *};
    let any_time = ACCESS | MIN_RNR;
    Some(match (from, to) {
        (_, State::Reset | State::Err) => (0, 0),
        (State::Reset, State::Init) => (PKEY | ACCESS, 0),
        (State::Init, State::Init) => (0, PKEY | ACCESS),
        (State::Init, State::Rtr) => (ADDRESS_VECTOR | MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD | MIN_RNR, PKEY | ACCESS),
        (State::Rtr, State::Rts) => (TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_RD, any_time),
        (State::Rts | State::Sqd, State::Rts) => (0, any_time),
        (State::Rts, State::Sqd) => (0, DRAINED_EVENT),
        (State::Sqd, State::Sqd) => {
            let path = ADDRESS_VECTOR | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_RD | MAX_DEST_RD;
            (0, path | ACCESS | PKEY | MIN_RNR)
        }
        _ => return None,
    })
}

/// T2: every given attribute is in its range. Attributes that are not given are not looked at; bits without a name are 0.
fn in_range(mask: u32, words: &[u32; 32], preset: &Preset) -> bool {
    let given = |bit: u32| mask & bit != 0;
    let byte = |word: usize, number: usize| words[word] >> (8 * number) & 0xFF;
    let within = |bit: u32, value: u32, low: u32, high: u32| !given(bit) || (low..=high).contains(&value);
    let rd_max = preset.rd_max;
    within(attribute::MTU, byte(3, 3), 1, 5)
        && (!given(attribute::ACCESS) || byte(3, 2) & !0x0E == 0)
        && within(attribute::DEST_QPN, words[4], 2, 0xFF_FFFF)
        && within(attribute::RQ_PSN, words[5], 0, 0xFF_FFFF)
        && within(attribute::SQ_PSN, words[6], 0, 0xFF_FFFF)
        && within(attribute::TIMEOUT, byte(7, 0), 0, 31)
        && within(attribute::RETRY_CNT, byte(7, 1), 0, 7)
        && within(attribute::RNR_RETRY, byte(7, 2), 0, 7)
        && within(attribute::MIN_RNR, byte(7, 3), 0, 31)
        && within(attribute::MAX_RD, byte(8, 0), 0, rd_max)
        && within(attribute::MAX_DEST_RD, byte(8, 1), 0, rd_max)
        && within(attribute::DRAINED_EVENT, byte(8, 2), 0, 1)
        && (!given(attribute::ADDRESS_VECTOR) || address_vector_in_range(words))
        && nothing_else(words)
}

/// Own-address index below 8, flow label 20 bits.
fn address_vector_in_range(words: &[u32; 32]) -> bool {
    words[0x0B] >> 16 & 0xFF < 8 && words[0x10] < 1 << 20
}

/// Bits that belong to no attribute are 0.
fn nothing_else(words: &[u32; 32]) -> bool {
    let mut named = [0u32; 32];
    for (word, bits) in FIELDS.iter().flat_map(|(_, fields)| fields.iter()) {
        named[*word] |= bits;
    }
    named[0x0B] = 0x03FF_FFFF;
    named[0x11] = 0xFFFF;
    (3..32).all(|word| words[word] & !named[word] == 0)
}

/// Whether MODIFY_QP with these words may take a queue pair from `from` to `to`.
pub(super) fn allowed(from: State, to: State, mask: u32, words: &[u32; 32], preset: &Preset) -> bool {
    transition(from, to).is_some_and(|(required, optional)| {
        mask & required == required && mask & !(required | optional) == 0 && in_range(mask, words, preset)
    })
}
