//! Parsing of what the device sends (TL2 to TL8).

use super::{byte_enable, kind, Completion, Request, Status};

/// Which flow a TLP belongs to (LK12, LK14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Posted,
    NonPosted,
    Completion,
}

/// The flow of a TLP by its first byte, also of one that is malformed behind that: the sender has spent credit for it. What
/// PCIe does not define has none.
pub(crate) fn class(tlp: &[u8]) -> Option<Class> {
    let kind = *tlp.first()?;
    match kind {
        kind::COMPLETION | kind::COMPLETION_LOCKED | kind::COMPLETION_DATA | kind::COMPLETION_LOCKED_DATA => {
            Some(Class::Completion)
        }
        _ if is_message(kind) || kind & !kind::FOUR_DW == kind::MEMORY_WRITE => Some(Class::Posted),
        _ if is_read(kind) || is_other_non_posted(kind) => Some(Class::NonPosted),
        _ => None,
    }
}

fn is_message(kind: u8) -> bool {
    matches!(kind & !7, kind::MESSAGE | kind::MESSAGE_DATA)
}

fn is_read(kind: u8) -> bool {
    matches!(kind & !kind::FOUR_DW, kind::MEMORY_READ | kind::MEMORY_READ_LOCKED)
}

fn is_other_non_posted(kind: u8) -> bool {
    matches!(kind, kind::IO_READ | kind::IO_WRITE | kind::CONFIG_READ_0 | kind::CONFIG_READ_1)
        || matches!(kind, kind::CONFIG_WRITE_0 | kind::CONFIG_WRITE_1)
        || matches!(kind & !kind::FOUR_DW, kind::FETCH_ADD | kind::SWAP | kind::COMPARE_SWAP)
}

/// What was agreed for the session (TL4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Largest payload, bytes.
    pub payload: usize,
    /// Largest read, bytes.
    pub read: usize,
}

/// A TLP that is well formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tlp<'a> {
    Read(Request),
    Write {
        request: Request,
        payload: &'a [u8],
        /// EP: the payload is known to be wrong.
        poisoned: bool,
    },
    Completion {
        header: Completion,
        payload: &'a [u8],
        poisoned: bool,
    },
    /// A request that must be answered with UR (TL7): the answer's fields.
    Unsupported {
        requester: u16,
        tag: u8,
        byte_count: usize,
        lower_address: u8,
    },
    Message,
}

/// A TLP that is dropped whole (TL6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Takes a TLP apart.
pub(crate) fn parse(tlp: &[u8], limits: Limits) -> Result<Tlp<'_>, Malformed> {
    let [dw0, dw1, dw2] = [0, 4, 8].map(|at| dword(tlp, at));
    let (dw0, dw1, dw2) = (dw0?, dw1?, dw2?);
    let kind = (dw0 >> 24) as u8;
    class(tlp).ok_or(Malformed)?;
    let four = kind & kind::FOUR_DW != 0;
    let header = if four { 16 } else { 12 };
    let dwords = match dw0 as usize & 0x3FF {
        0 => 1024,
        dwords => dwords,
    };
    // TL8: a digest is removed, unchecked.
    let digest = if dw0 >> 15 & 1 == 1 { 4 } else { 0 };
    let payload = if kind & kind::DATA != 0 { 4 * dwords } else { 0 };
    if tlp.len() != header + payload + digest {
        return Err(Malformed);
    }
    let poisoned = dw0 >> 14 & 1 == 1;
    let payload = &tlp[header..header + payload];
    let [requester, id] = [(dw1 >> 16) as u16, (dw2 >> 16) as u16];
    let tag = (dw1 >> 8) as u8;
    match kind {
        kind::COMPLETION | kind::COMPLETION_LOCKED | kind::COMPLETION_DATA | kind::COMPLETION_LOCKED_DATA => {
            let header = Completion {
                completer: requester,
                requester: id,
                tag: (dw2 >> 8) as u8,
                status: Status::from_code((dw1 >> 13) as u8 & 7),
                byte_count: match dw1 as usize & 0xFFF {
                    0 => 4096,
                    bytes => bytes,
                },
                lower_address: dw2 as u8 & 0x7F,
            };
            let fits = payload.len() <= limits.payload;
            fits.then_some(Tlp::Completion { header, payload, poisoned }).ok_or(Malformed)
        }
        _ if is_message(kind) => Ok(Tlp::Message),
        _ if is_other_non_posted(kind) => {
            // Their answers count 4 bytes (TL7). Atomics are as unknown to the host as IO.
            Ok(Tlp::Unsupported { requester, tag, byte_count: 4, lower_address: 0 })
        }
        _ => {
            let low = dword(tlp, header - 4)? & !3;
            let high = if four { u64::from(dw2) << 32 } else { 0 };
            let [first, last] = [dw1 as u8 & 15, dw1 as u8 >> 4];
            let request = Request { requester, tag, address: high | u64::from(low), dwords, first, last };
            let crosses = request.address % 4096 + 4 * dwords as u64 > 4096;
            let most = if kind & kind::DATA != 0 { limits.payload } else { limits.read };
            if crosses || 4 * dwords > most || !byte_enable::legal(dwords, first, last) {
                return Err(Malformed);
            }
            Ok(match kind & !kind::FOUR_DW {
                kind::MEMORY_READ => Tlp::Read(request),
                kind::MEMORY_WRITE => Tlp::Write { request, payload, poisoned },
                _ => Tlp::Unsupported {
                    requester,
                    tag,
                    byte_count: byte_enable::byte_count(dwords, first, last),
                    lower_address: byte_enable::lower_address(request.address, first),
                },
            })
        }
    }
}

fn dword(tlp: &[u8], at: usize) -> Result<u32, Malformed> {
    let bytes = tlp.get(at..at + 4).ok_or(Malformed)?;
    Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

#[cfg(test)]
mod tests {
    use super::super::{memory_read, memory_write};
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits { payload: 512, read: 512 };

    fn request(address: u64, dwords: usize, first: u8, last: u8) -> Request {
        Request { requester: 0x0100, tag: 7, address, dwords, first, last }
    }

    fn refused(tlp: &[u8]) -> bool {
        parse(tlp, LIMITS) == Err(Malformed)
    }

    #[test]
    fn tl2_the_long_form_is_sent_above_4_gib_only_and_always_understood() {
        let low = memory_read(&request(0xFFFF_FFFC, 1, 15, 0));
        let high = memory_read(&request(0x1_0000_0000, 1, 15, 0));
        assert_eq!((low.len(), low[0], high.len(), high[0]), (12, 0x00, 16, 0x20));
        let mut long = high;
        long[8..16].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0x10, 0]);
        assert_eq!(parse(&long, LIMITS), Ok(Tlp::Read(request(0x1000, 1, 15, 0))));
    }

    #[test]
    fn tl4_requests_end_at_the_page_and_at_what_was_agreed() {
        assert!(parse(&memory_read(&request(0x1E00, 128, 15, 15)), LIMITS).is_ok());
        assert!(refused(&memory_read(&request(0x1E04, 128, 15, 15))), "crosses 4 KiB");
        assert!(refused(&memory_read(&request(0x1000, 129, 15, 15))), "longer than MRRS");
        assert!(refused(&memory_write(&request(0x1000, 129, 15, 15), &[0; 516])), "longer than MPS");
        assert!(refused(&memory_read(&request(0x1000, 1024, 15, 15))), "length 0 means 1024");
    }

    #[test]
    fn tl6_length_and_payload_must_agree() {
        let write = memory_write(&request(0x1000, 2, 15, 15), &[1; 8]);
        for length in 0..write.len() {
            assert!(refused(&write[..length]), "{length} bytes");
        }
        assert!(refused(&[&write[..], &[0; 4]].concat()));
        let prefix: Vec<u8> = [&[0x80], &write[1..]].concat();
        assert!(refused(&prefix));
        assert_eq!(class(&prefix), None);
    }

    #[test]
    fn tl7_other_requests_are_to_be_answered() {
        let configuration = [0x04, 0, 0, 1, 1, 0, 0x33, 15, 0, 0, 0, 0];
        let answer = Tlp::Unsupported { requester: 0x100, tag: 0x33, byte_count: 4, lower_address: 0 };
        assert_eq!(parse(&configuration, LIMITS), Ok(answer));
        let mut locked = memory_read(&request(0x1008, 2, 0xE, 0x3));
        locked[0] = 1;
        let answer = Tlp::Unsupported { requester: 0x100, tag: 7, byte_count: 5, lower_address: 9 };
        assert_eq!(parse(&locked, LIMITS), Ok(answer));
        let message = [0x34, 0, 0, 0, 1, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!((parse(&message, LIMITS), class(&message)), (Ok(Tlp::Message), Some(Class::Posted)));
    }

    #[test]
    fn tl8_a_digest_is_removed_and_poison_is_told() {
        let mut write = memory_write(&request(0x1000, 1, 15, 0), &[1, 2, 3, 4]);
        write[2] |= 0x80 | 0x40;
        assert!(refused(&write), "the digest is missing");
        write.extend([9; 4]);
        let expected = Tlp::Write { request: request(0x1000, 1, 15, 0), payload: &[1, 2, 3, 4], poisoned: true };
        assert_eq!(parse(&write, LIMITS), Ok(expected));
    }

    proptest! {
        #[test]
        fn ho3_any_bytes_are_understood_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = (parse(&bytes, LIMITS), class(&bytes));
        }

        #[test]
        fn tl3_tl4_what_is_understood_is_legal(
            kind in prop::sample::select(vec![0x00_u8, 0x20, 0x40, 0x60]),
            low in any::<[u8; 3]>(),
            rest in any::<[u8; 12]>(),
            dwords in 0..130_u8,
        ) {
            let header = if kind & 0x20 == 0 { 12 } else { 16 };
            let mut tlp = [&[kind, low[0], low[1] & 0x3C, dwords][..], &rest].concat();
            tlp.truncate(header);
            if kind & 0x40 != 0 {
                tlp.resize(header + 4 * usize::from(dwords), 0xA5);
            }
            match parse(&tlp, LIMITS) {
                Ok(Tlp::Read(request) | Tlp::Write { request, .. }) => {
                    prop_assert!(byte_enable::legal(request.dwords, request.first, request.last));
                    prop_assert!(request.address % 4096 + 4 * request.dwords as u64 <= 4096);
                    prop_assert!(request.dwords <= 128);
                }
                other => prop_assert_eq!(other, Err(Malformed)),
            }
        }
    }
}
