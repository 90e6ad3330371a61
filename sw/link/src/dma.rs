//! Requests of the device to host memory: writes are stored, reads are answered (HO3, HO6, HO8).

use std::sync::atomic::{fence, Ordering};

use rnic_abi::link::frame::{HOST_ID, LINK_MAX_PAYLOAD};

use crate::region::Regions;
use crate::tlp::{byte_enable, completion_with_data, completion_without_data, Completion, Request, Status};

/// The request is outside of the memory that the device may reach in this direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside;

/// Stores a write, bytes ascending (HO6). Outside nothing of it is stored.
pub(crate) fn write(regions: &Regions, request: &Request, payload: &[u8]) -> Result<(), Outside> {
    let stored = regions.with(request.address, payload.len() as u64, |region, offset| {
        if !region.allows_write() {
            return false;
        }
        for (place, bytes) in runs(request, payload.len()) {
            region.pages.write(offset + place, &payload[place..place + bytes]);
        }
        // What the next TLP stores is not seen before this one.
        fence(Ordering::Release);
        true
    });
    stored.filter(|stored| *stored).map(|_| ()).ok_or(Outside)
}

/// Enabled bytes of a write: runs of place and length.
fn runs(request: &Request, bytes: usize) -> impl Iterator<Item = (usize, usize)> {
    let Request { dwords, first, last, .. } = *request;
    let enabled = move |byte: usize| byte_enable::of_dword(byte / 4, dwords, first, last) >> (byte % 4) & 1 == 1;
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = (at..bytes).find(|byte| enabled(*byte))?;
        at = (start..bytes).find(|byte| !enabled(*byte)).unwrap_or(bytes);
        Some((start, at - start))
    })
}

/// How reads are answered in this session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answering {
    /// Largest payload of a completion, bytes.
    pub max_payload: usize,
    /// Completions end at a multiple of this.
    pub boundary: usize,
    /// At each multiple, not at the last that fits.
    pub every_boundary: bool,
}

/// Answers a read with completions in address order, each no longer than MPS and ending at the read completion boundary (HO8).
/// Its length was checked against MRRS before.
pub(crate) fn read(
    regions: &Regions,
    request: &Request,
    how: Answering,
    mut answer: impl FnMut(Vec<u8>),
) -> Result<(), Outside> {
    let mut buffer = [0; LINK_MAX_PAYLOAD];
    let data = buffer.get_mut(..4 * request.dwords).ok_or(Outside)?;
    let flush = request.dwords == 1 && request.first == 0;
    let read = regions.with(request.address, data.len() as u64, |region, offset| {
        if region.allows_read() && !flush {
            region.pages.read(offset, data);
        }
        region.allows_read()
    });
    read.filter(|read| *read).ok_or(Outside)?;
    let mut missing = byte_enable::byte_count(request.dwords, request.first, request.last);
    let mut lower_address = byte_enable::lower_address(request.address, request.first);
    let mut at = 0;
    while at < data.len() {
        let address = (request.address as usize).wrapping_add(at);
        let reach = if how.every_boundary { how.boundary } else { how.max_payload };
        let end = (address.wrapping_add(reach)) / how.boundary * how.boundary;
        let end = data.len().min(at + (end - address));
        let header = Completion {
            completer: HOST_ID,
            requester: request.requester,
            tag: request.tag,
            status: Status::Success,
            byte_count: missing,
            lower_address,
        };
        answer(completion_with_data(&header, &data[at..end]));
        // Bytes of the first DW before the first enabled one do not count.
        let skipped = if at == 0 { usize::from(lower_address & 3) } else { 0 };
        missing = missing.saturating_sub(end - at - skipped);
        lower_address = (request.address as usize).wrapping_add(end) as u8 & 0x7F;
        at = end;
    }
    Ok(())
}

/// The answer to a request that nobody serves.
pub(crate) fn unsupported(requester: u16, tag: u8, byte_count: usize, lower_address: u8) -> Vec<u8> {
    let status = Status::UnsupportedRequest;
    completion_without_data(&Completion { completer: HOST_ID, requester, tag, status, byte_count, lower_address })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::{Pages, PAGE};
    use crate::region::Region;
    use crate::tlp::{parse, Limits, Tlp};
    use proptest::prelude::*;
    use rnic_driver::Direction;
    use std::sync::Arc;

    fn memory(direction: Direction) -> (Regions, Arc<Pages>, u64) {
        let regions = Regions::new(1);
        let pages = Arc::new(Pages::zeroed(2 * PAGE).unwrap());
        let region = Region { pages: pages.clone(), first: 0, bytes: 2 * PAGE as u64, direction };
        let address = regions.register(region).unwrap();
        (regions, pages, address)
    }

    fn request(address: u64, dwords: usize, first: u8, last: u8) -> Request {
        Request { requester: 0x0100, tag: 7, address, dwords, first, last }
    }

    fn answering(max_payload: usize, boundary: usize, every_boundary: bool) -> Answering {
        Answering { max_payload, boundary, every_boundary }
    }

    #[test]
    fn ho6_disabled_bytes_are_left_alone() {
        let (regions, pages, address) = memory(Direction::Bidirectional);
        pages.write(0, &[0xEE; 16]);
        write(&regions, &request(address, 3, 0x8, 0x1), &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]).unwrap();
        write(&regions, &request(address + 12, 1, 0x5, 0), &[1, 2, 3, 4]).unwrap();
        let mut seen = [0; 16];
        pages.read(0, &mut seen);
        assert_eq!(seen, [0xEE, 0xEE, 0xEE, 4, 5, 6, 7, 8, 9, 0xEE, 0xEE, 0xEE, 1, 0xEE, 3, 0xEE]);
    }

    #[test]
    fn ho3_what_passes_the_end_or_goes_the_wrong_way_changes_nothing() {
        let (regions, pages, address) = memory(Direction::ToDevice);
        assert_eq!(write(&regions, &request(address, 1, 15, 0), &[1; 4]), Err(Outside));
        assert!(read(&regions, &request(address, 1, 15, 0), answering(512, 64, false), |_| ()).is_ok());
        let (sink, _, at) = memory(Direction::FromDevice);
        assert!(write(&sink, &request(at + 0x1FFC, 1, 15, 0), &[1; 4]).is_ok());
        assert_eq!(write(&sink, &request(at + 0x1FFC, 2, 15, 15), &[1; 8]), Err(Outside));
        assert_eq!(read(&sink, &request(at, 1, 15, 0), answering(512, 64, false), |_| panic!()), Err(Outside));
        let mut seen = [9; 4];
        pages.read(0, &mut seen);
        assert_eq!(seen, [0; 4]);
    }

    #[test]
    fn ho8_tl5_a_read_of_nothing_is_answered_by_one_zero_word() {
        let (regions, pages, address) = memory(Direction::Bidirectional);
        pages.write(0, &[0xFF; 4]);
        let mut answers = Vec::new();
        read(&regions, &request(address, 1, 0, 0), answering(512, 64, false), |tlp| answers.push(tlp)).unwrap();
        let limits = Limits { payload: 512, read: 512 };
        let Ok(Tlp::Completion { header, payload, .. }) = parse(&answers[0], limits) else { panic!("{answers:?}") };
        assert_eq!((answers.len(), payload, header.byte_count), (1, &[0; 4][..], 1));
    }

    proptest! {
        /// The requester's view (RD3): what is missing, where it goes on, what arrives.
        #[test]
        fn ho8_rd3_completions_cover_a_read_in_order(
            dword in 0..1024_usize,
            dwords in 1..=128_usize,
            enables in any::<prop::sample::Index>(),
            max_payload in prop::sample::select(vec![128_usize, 256, 512]),
            boundary in prop::sample::select(vec![64_usize, 128]),
            every_boundary in any::<bool>(),
        ) {
            let dwords = dwords.min(1024 - dword);
            let legal: Vec<(u8, u8)> = (0..=255_u8)
                .map(|enables| (enables & 15, enables >> 4))
                .filter(|(first, last)| byte_enable::legal(dwords, *first, *last))
                .collect();
            let (first, last) = *enables.get(&legal);
            let (regions, pages, address) = memory(Direction::Bidirectional);
            let bytes: Vec<u8> = (0..4096_u32).map(|byte| (byte * 7 + byte / 256) as u8).collect();
            pages.write(0, &bytes);
            let request = request(address + 4 * dword as u64, dwords, first, last);
            let limits = Limits { payload: max_payload, read: 512 };
            let mut missing = byte_enable::byte_count(dwords, first, last);
            let mut expected = byte_enable::lower_address(request.address, first);
            let (mut at, mut failed) = (0, None);
            read(&regions, &request, answering(max_payload, boundary, every_boundary), |tlp| {
                let Ok(Tlp::Completion { header, payload, .. }) = parse(&tlp, limits) else {
                    failed = Some("no completion");
                    return;
                };
                let end = request.address as usize + at + payload.len();
                let skipped = if at == 0 && first != 0 { first.trailing_zeros() as usize } else { 0 };
                let unused = if last == 0 { 0 } else { last.leading_zeros() as usize - 4 };
                let last_one = at + payload.len() == 4 * dwords;
                let right = header.byte_count == missing
                    && header.lower_address == expected
                    && (header.tag, header.requester, header.completer) == (7, 0x0100, 0)
                    && (first == 0 || payload == &bytes[4 * dword + at..][..payload.len()])
                    && (last_one || end % boundary == 0);
                if !right {
                    failed = Some("wrong completion");
                }
                let useful = payload.len() - skipped - if last_one { unused } else { 0 };
                missing = missing.saturating_sub(useful);
                expected = (end & 0x7F) as u8;
                at += payload.len();
            }).unwrap();
            prop_assert_eq!((failed, at), (None, 4 * dwords));
            prop_assert!(missing == 0 || dwords == 1);
        }
    }
}
