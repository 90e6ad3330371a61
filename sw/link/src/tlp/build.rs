//! TLPs that the host sends (TL1, TL2).

use super::{kind, Completion, Request};

/// A read of memory.
pub(crate) fn memory_read(request: &Request) -> Vec<u8> {
    with_request(kind::MEMORY_READ, request, &[])
}

/// A write of `payload`, which has `request.dwords` DW.
pub(crate) fn memory_write(request: &Request, payload: &[u8]) -> Vec<u8> {
    assert_eq!(payload.len(), 4 * request.dwords, "payload of a write of {} DW", request.dwords);
    with_request(kind::MEMORY_WRITE, request, payload)
}

/// A completion with data, a multiple of 4 bytes.
pub(crate) fn completion_with_data(completion: &Completion, payload: &[u8]) -> Vec<u8> {
    assert!(payload.len() % 4 == 0 && !payload.is_empty(), "a completion with {} bytes", payload.len());
    with_completion(kind::COMPLETION_DATA, completion, payload)
}

/// A completion without data: an error.
pub(crate) fn completion_without_data(completion: &Completion) -> Vec<u8> {
    with_completion(kind::COMPLETION, completion, &[])
}

/// 1024 is written as 0 in 10 bits, 4096 as 0 in 12.
fn first_dword(kind: u8, dwords: usize) -> u32 {
    u32::from(kind) << 24 | dwords as u32 & 0x3FF
}

fn with_request(kind: u8, request: &Request, payload: &[u8]) -> Vec<u8> {
    // TL2: the long form only where the address needs it.
    let long = request.address >> 32 != 0;
    let kind = if long { kind | kind::FOUR_DW } else { kind };
    let mut tlp = Vec::with_capacity(16 + payload.len());
    let enables = u32::from(request.last) << 4 | u32::from(request.first);
    let second = u32::from(request.requester) << 16 | u32::from(request.tag) << 8 | enables;
    put(&mut tlp, first_dword(kind, request.dwords));
    put(&mut tlp, second);
    if long {
        put(&mut tlp, (request.address >> 32) as u32);
    }
    put(&mut tlp, request.address as u32 & !3);
    tlp.extend_from_slice(payload);
    tlp
}

fn with_completion(kind: u8, completion: &Completion, payload: &[u8]) -> Vec<u8> {
    let mut tlp = Vec::with_capacity(12 + payload.len());
    let status = u32::from(completion.status.code()) << 13;
    put(&mut tlp, first_dword(kind, payload.len() / 4));
    put(&mut tlp, u32::from(completion.completer) << 16 | status | completion.byte_count as u32 & 0xFFF);
    put(
        &mut tlp,
        u32::from(completion.requester) << 16
            | u32::from(completion.tag) << 8
            | u32::from(completion.lower_address & 0x7F),
    );
    tlp.extend_from_slice(payload);
    tlp
}

fn put(tlp: &mut Vec<u8>, dword: u32) {
    tlp.extend_from_slice(&dword.to_be_bytes());
}
