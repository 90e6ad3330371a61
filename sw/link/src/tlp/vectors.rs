//! The vectors of section 1.6 as the host sees them: what the device sends is understood and served, what the host sends is
//! built. BAR0 is at E0000000 but for v26, ids are 0100 and 0000, MPS and MRRS 512.

use std::sync::Arc;

use rnic_driver::{BusError, Direction};

use super::*;
use crate::bar_reads::{Arrival, BarReads};
use crate::dma;
use crate::pages::{Pages, PAGE};

const LIMITS: Limits = Limits { payload: 512, read: 512 };

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// A request of the device.
fn from_device(tag: u8, address: u64, dwords: usize, first: u8, last: u8) -> Request {
    Request { requester: 0x0100, tag, address, dwords, first, last }
}

/// A request of the host.
fn to_device(tag: u8, address: u64, dwords: usize, first: u8, last: u8) -> Request {
    Request { requester: 0, ..from_device(tag, address, dwords, first, last) }
}

/// The low byte of each address, as the vectors have it in memory.
fn pattern(address: u64, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|byte| address.wrapping_add(byte as u64) as u8).collect()
}

/// Completions of the host for a read of memory that holds the pattern. The region is looked at from its middle, so that the
/// address on the bus may be what the vector says.
fn answers(request: &str, every_boundary: bool) -> Vec<Vec<u8>> {
    let request = hex(request);
    let Ok(Tlp::Read(request)) = parse(&request, LIMITS) else { panic!("no read: {request:x?}") };
    let regions = crate::region::Regions::new(1);
    let pages = Arc::new(Pages::zeroed(2 * PAGE).unwrap());
    pages.write(0, &pattern(request.address & !0xFFF, 2 * PAGE));
    let direction = Direction::ToDevice;
    let region = crate::region::Region { pages, first: 0, bytes: 2 * PAGE as u64, direction };
    let base = regions.register(region).unwrap();
    // A page begins at a multiple of 4096, so nothing of the answer depends on which page it is.
    let request = Request { address: base + request.address % 4096, ..request };
    let how = dma::Answering { max_payload: 512, boundary: 64, every_boundary };
    let mut answers = Vec::new();
    dma::read(&regions, &request, how, |answer| answers.push(answer)).unwrap();
    answers
}

#[test]
fn tlp_v1_to_v5_reads_of_the_device() {
    let cases = [
        ("v1", "00000010 010000ff 12345600", from_device(0, 0x1234_5600, 16, 15, 15)),
        ("v2", "20000010 010001ff 00000001 00000fc0", from_device(1, 0x1_0000_0FC0, 16, 15, 15)),
        ("v3", "00000001 0100020e 00001004", from_device(2, 0x1004, 1, 14, 0)),
        ("v4", "00000010 010000ff 000021c0", from_device(0, 0x21C0, 16, 15, 15)),
        ("v4", "00000070 010001ff 00002200", from_device(1, 0x2200, 112, 15, 15)),
        ("v5", "00000080 010000ff fffff800", from_device(0, 0xFFFF_F800, 128, 15, 15)),
        ("v5", "00000080 010003ff fffffe00", from_device(3, 0xFFFF_FE00, 128, 15, 15)),
    ];
    for (id, tlp, request) in cases {
        assert_eq!(parse(&hex(tlp), LIMITS), Ok(Tlp::Read(request)), "{id}");
    }
}

#[test]
fn tlp_v3_v6_v7_completions_for_the_device() {
    assert_eq!(answers("00000001 0100020e 00001004", false), [hex("4a000001 00000003 01000205 04050607")], "v3");
    let v6 = answers("00000010 010000ff 12345620", true);
    let first = [hex("4a000008 00000040 01000020"), pattern(0x20, 32)].concat();
    let second = [hex("4a000008 00000020 01000040"), pattern(0x40, 32)].concat();
    assert_eq!(v6, [first, second], "v6");
    let v7 = ["00000002 010000ff 00006060", "00000002 010001ff 00007070"].map(|read| answers(read, false));
    // The vector's addresses end in 00; its data is that of 60 and 70.
    assert_eq!(v7[0], [hex("4a000002 00000008 01000060 60616263 64656667")], "v7");
    assert_eq!(v7[1], [hex("4a000002 00000008 01000170 70717273 74757677")], "v7");
}

#[test]
fn tlp_v8_refusals_for_the_device() {
    assert_eq!(dma::unsupported(0x0100, 0, 64, 0), hex("0a000000 00002040 01000000"));
    let status = Status::CompleterAbort;
    let abort = Completion { completer: 0, requester: 0x0100, tag: 0, status, byte_count: 64, lower_address: 0 };
    assert_eq!(completion_without_data(&abort), hex("0a000000 00008040 01000000"));
}

#[test]
fn tlp_v9_to_v16_writes_of_the_device() {
    let zeros = |bytes: usize| "00".repeat(bytes);
    let cases = [
        ("v9", "40000004 010000ff 00002000 00010203 04050607 08090a0b 0c0d0e0f", from_device(0, 0x2000, 4, 15, 15)),
        ("v10", "40000004 010000f8 00003000 00000003 04050607 08090a0b 0c0d0e0f", from_device(0, 0x3000, 4, 8, 15)),
        ("v11", "40000001 01000006 00004000 00010200", from_device(0, 0x4000, 1, 6, 0)),
        ("v12", "40000002 0100003c 00005004 00000607 08090000", from_device(0, 0x5004, 2, 12, 3)),
        ("v13", "60000002 010000ff 00000010 00000ff8 f8f9fafb fcfdfeff", from_device(0, 0x10_0000_0FF8, 2, 15, 15)),
        (
            "v14",
            &("60000080 010000ff 00000001 00000600".to_owned() + &zeros(512)),
            from_device(0, 0x1_0000_0600, 128, 15, 15),
        ),
        ("v15", &("40000010 010000ff 000021c0".to_owned() + &zeros(64)), from_device(0, 0x21C0, 16, 15, 15)),
        ("v15", &("40000070 010000ff 00002200".to_owned() + &zeros(448)), from_device(0, 0x2200, 112, 15, 15)),
        ("v16", "40000001 0100000f fee00000 05000000", from_device(0, 0xFEE0_0000, 1, 15, 0)),
    ];
    for (id, text, request) in cases {
        let tlp = hex(text);
        let payload = &tlp[tlp.len() - 4 * request.dwords..];
        assert_eq!(parse(&tlp, LIMITS), Ok(Tlp::Write { request, payload, poisoned: false }), "{id}");
        assert_eq!(class(&tlp), Some(Class::Posted), "{id}");
    }
}

#[test]
fn tlp_v17_to_v26_requests_of_the_host() {
    let write = |address, first, payload: &str| memory_write(&to_device(0, address, 1, first, 0), &hex(payload));
    assert_eq!(write(0xE000_0100, 15, "efbeadde"), hex("40000001 0000000f e0000100 efbeadde"), "v17");
    assert_eq!(write(0xE000_0100, 12, "0000aabb"), hex("40000001 0000000c e0000100 0000aabb"), "v18");
    let cases = [
        ("v19", to_device(0x11, 0xE000_0004, 1, 15, 0), "00000001 0000110f e0000004"),
        ("v20", to_device(0x12, 0xE000_0008, 2, 15, 15), "00000002 000012ff e0000008"),
        ("v21", to_device(0x13, 0xE000_0004, 1, 2, 0), "00000001 00001302 e0000004"),
        ("v22", to_device(0x14, 0xE000_0000, 1, 0, 0), "00000001 00001400 e0000000"),
        ("v23", to_device(0x15, 0xE000_FFFC, 1, 15, 0), "00000001 0000150f e000fffc"),
        ("v24", to_device(0x16, 0xE000_0000, 32, 15, 15), "00000020 000016ff e0000000"),
        ("v26", to_device(0x18, 0x80_0000_0040, 1, 15, 0), "20000001 0000180f 00000080 00000040"),
    ];
    for (id, request, tlp) in cases {
        assert_eq!(memory_read(&request), hex(tlp), "{id}");
    }
}

#[test]
fn tlp_v19_to_v26_completions_of_the_device() {
    use Status::{CompleterAbort, Success, UnsupportedRequest};
    let cases = [
        ("v19", "4a000001 01000004 00001104 02000100", (Success, 0x11, 4, 0x04, "02000100")),
        ("v20", "4a000002 01000008 00001208 44332211 88776655", (Success, 0x12, 8, 0x08, "44332211 88776655")),
        ("v21", "4a000001 01000001 00001305 02000100", (Success, 0x13, 1, 0x05, "02000100")),
        ("v22", "4a000001 01000001 00001400 00000000", (Success, 0x14, 1, 0x00, "00000000")),
        ("v23", "0a000000 01002004 0000157c", (UnsupportedRequest, 0x15, 4, 0x7C, "")),
        ("v24", "0a000000 01008080 00001600", (CompleterAbort, 0x16, 128, 0x00, "")),
        ("v25", "0a000000 01002004 00001700", (UnsupportedRequest, 0x17, 4, 0x00, "")),
        ("v26", "4a000001 01000004 00001840 07000000", (Success, 0x18, 4, 0x40, "07000000")),
    ];
    for (id, text, (status, tag, byte_count, lower_address, data)) in cases {
        let header = Completion { completer: 0x0100, requester: 0, tag, status, byte_count, lower_address };
        let (tlp, payload) = (hex(text), hex(data));
        assert_eq!(parse(&tlp, LIMITS), Ok(Tlp::Completion { header, payload: &payload, poisoned: false }), "{id}");
        assert_eq!(class(&tlp), Some(Class::Completion), "{id}");
    }
}

#[test]
fn tlp_v19_v23_a_read_of_a_register_from_end_to_end() {
    let mut reads = BarReads::new();
    for (offset, answer, result) in [
        (0x0004, "4a000001 01000004 0000TT04 02000100", Ok(0x0001_0002)),
        (0xFFFC, "0a000000 01002004 0000TT7c", Err(BusError::Decode { offset: 0xFFFC })),
    ] {
        let request = reads.begin(0xE000_0000, offset, std::time::Duration::ZERO).unwrap();
        let tlp = hex(&answer.replace("TT", &format!("{:02x}", request.tag)));
        let Ok(Tlp::Completion { header, payload, poisoned }) = parse(&tlp, LIMITS) else { panic!("{answer}") };
        assert_eq!(reads.complete(&header, payload, poisoned), Arrival::Answer);
        assert_eq!(reads.take(request.tag), Some(result));
    }
}
