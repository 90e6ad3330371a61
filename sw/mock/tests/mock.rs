//! The mock itself, where tests of the driver and examples believe it.

use rnic_driver::{
    Access, DmaBuffer, DmaMemory, MemoryRegion, Pages, Platform, Probe, ProbePiece, ReceiveRequest, RegMr, SendExtra,
    SendRequest, Sge, Syndrome,
};
use rnic_mock::{connected, MockPlatform, Rig};

/// Three pages of which 0x2000 bytes are registered, from 0x800 in the first on, at 0x7000_0800.
fn registered(rig: &Rig, pages: impl Into<Pages<MockPlatform>>) -> MemoryRegion<MockPlatform> {
    let mr = rig.mr();
    let registration = RegMr::new(&mr, Access::REMOTE_READ, 0x7000_0800, 0x2000, pages);
    rig.qp.post_send(SendRequest::reg_mr(0, registration)).unwrap();
    assert!(rig.next().is_success());
    mr
}

fn piece(address: u64, bytes: u32) -> ProbePiece {
    ProbePiece { address, bytes }
}

#[test]
fn a_probe_is_answered_from_inline_pages_and_from_a_list() {
    let rig = connected();
    let mut list = rig.device.alloc_page_list(3).unwrap();
    list.fill(&[0xA000, 0x5000, 0x9000]).unwrap();
    for pages in [Pages::Inline(vec![0xA000, 0x5000, 0x9000]), Pages::List(list)] {
        let mr = registered(&rig, pages);
        let probe =
            |va, length| rig.device.probe(rig.qp.number(), mr.rkey(), va, length, Access::REMOTE_READ, true).unwrap();
        let all = [piece(0xA800, 0x800), piece(0x5000, 0x1000), piece(0x9000, 0x800)];
        assert_eq!(probe(0x7000_0800, 0x2000), Probe::Granted(all.to_vec()));
        assert_eq!(probe(0x7000_27FF, 1), Probe::Granted(vec![piece(0x97FF, 1)]));
        assert_eq!(probe(0x7000_0800, 0), Probe::Granted(vec![]));
        for (va, length) in [(0x7000_07FF, 1), (0x7000_2800, 1), (0x7000_0800, 0x2001), (u64::MAX, 2)] {
            assert_eq!(probe(va, length), Probe::Refused(Syndrome::AccBounds), "{length} bytes at {va:#x}");
        }
    }
}

#[test]
fn a_probe_is_refused_by_key_domain_state_and_rights() {
    let rig = connected();
    let free = rig.mr();
    let mr = registered(&rig, Pages::Inline(vec![0xA000, 0x5000, 0x9000]));
    let other = rig.device.alloc_pd().unwrap();
    let foreign = rig.device.alloc_fast_reg_mr(&other, 8).unwrap();
    let probe = |key, needed| rig.device.probe(rig.qp.number(), key, 0x7000_0800, 1, needed, true).unwrap();
    for (key, needed, syndrome) in [
        (mr.rkey() ^ 1, Access::REMOTE_READ, Syndrome::AccKey),
        (0, Access::NONE, Syndrome::AccKey),
        (foreign.rkey(), Access::NONE, Syndrome::AccPd),
        (free.rkey(), Access::NONE, Syndrome::AccState),
        (mr.rkey(), Access::REMOTE_READ | Access::REMOTE_WRITE, Syndrome::AccPerm),
        (rig.device.capabilities().local_dma_lkey, Access::NONE, Syndrome::AccKey),
    ] {
        assert_eq!(probe(key, needed), Probe::Refused(syndrome));
    }
    assert!(rig.device.probe(rig.qp.number() + 1, mr.rkey(), 0x7000_0800, 1, Access::NONE, true).is_err());
}

#[test]
fn a_message_fills_the_pieces_of_the_oldest_receive_request() {
    let rig = connected();
    let buffer = rig.device.platform().memory().allocate(64).unwrap();
    let lkey = rig.device.capabilities().local_dma_lkey;
    let sge = |offset, length| Sge { address: buffer.bus_address() + offset, length, lkey };
    let send = |payload: &[u8], extra| rig.mock.with(|state| state.receive_send(rig.qp.number(), payload, extra));
    assert!(!send(b"early", SendExtra::None), "nothing is posted");
    rig.qp.post_receive(&ReceiveRequest::new(1, [sge(40, 3), sge(0, 8)])).unwrap();
    assert!(!send(&[0; 12], SendExtra::None), "no room");
    assert!(send(b"abcde", SendExtra::Immediate(0x99)));
    let completion = rig.next();
    assert_eq!((completion.wr_id, completion.byte_len, completion.immediate), (1, 5, Some(0x99)));
    let mut bytes = [0; 64];
    buffer.read_bytes(0, &mut bytes);
    assert_eq!((&bytes[..3], &bytes[40..44]), (&b"de\0"[..], &b"abc\0"[..]));
    assert!(rig.mock.with(|state| state.stray_accesses.is_empty()));
}

#[test]
fn a_message_that_invalidates_ends_the_region() {
    let rig = connected();
    let mr = registered(&rig, Pages::Inline(vec![0xA000, 0x5000, 0x9000]));
    rig.qp.post_receive(&ReceiveRequest::new(1, [])).unwrap();
    assert!(rig.mock.with(|state| state.receive_send(rig.qp.number(), &[], SendExtra::Invalidate(mr.rkey()))));
    assert_eq!(rig.next().invalidated_key, Some(mr.rkey()));
    assert!(!rig.mock.with(|state| state.mrs[&mr.index()].valid));
}
