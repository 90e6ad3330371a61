//! The two frames of section 2.1 and the table of sessions.
use super::bench::{setup, Bench};
use super::peer::{self, open_body, Frame, State};

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter_map(|c| (c as char).to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn s21_the_two_vectors_a_tlp_is_accepted_and_acknowledged() {
    let mut bench = Bench::new(1, setup());
    bench.open(0x1234_ABCD);
    // The rest is said by hand.
    bench.host = false;
    let tlp = hex("40000001 0000000f e0000100 efbeadde");
    let mut frame = hex("02524e490001 020000000001 88b5 13 00 0010 1234abcd 0000 0000 0010 0008 0000");
    frame.extend(&tlp);
    frame.resize(60, 0);
    bench.inject(&frame, false);
    let before = bench.sent.len();
    bench.until(400, "ACK", |bench| bench.sent.len() > before);
    assert_eq!(bench.down, [(tlp, true)]);
    let wanted = hex("020000000001 02524e490001 88b5 14 00 0000 1234abcd 0000 0001 0011 0008 0000");
    let mut padded = wanted.clone();
    padded.resize(60, 0);
    assert_eq!(bench.sent[before].pack(), padded);
}

#[test]
fn s24_opened_tells_what_was_agreed() {
    for (asked, told) in [(1024, 512), (512, 512), (300, 256), (256, 256), (128, 128), (4, 128)] {
        let mut bench = Bench::new(2, setup());
        bench.peer.max_payload = asked;
        bench.open(7);
        let opened = bench.peer.opened.clone().unwrap();
        let mut body = hex("0000 0200 08 10 0000 b01d0042");
        body[..2].copy_from_slice(&u16::to_be_bytes(told));
        body.resize(32, 0);
        assert_eq!(opened.body, body, "MPS {asked}");
        assert_eq!((opened.posted, opened.nonposted, opened.sequence, opened.ack), (16, 8, 0, 0));
        assert_eq!(bench.uut.mps.val().to_u64(), u64::from(told) / 128 / 2);
        assert_eq!(bench.uut.device_id.val().to_u64(), 0x0100);
        assert!(bench.uut.link_up.val() && !bench.uut.session_reset.val());
    }
}

fn open_of(bench: &Bench, session: u32, mac: [u8; 6]) -> Frame {
    let body = open_body(512, 512, 0xE000_0000, 1000);
    Frame { session, source: mac, body, ..bench.peer.frame(peer::OPEN) }
}

#[test]
fn s24_another_host_is_refused() {
    let mut bench = Bench::new(4, setup());
    bench.open(5);
    let other = [2, 9, 9, 9, 9, 9];
    let frame = open_of(&bench, 6, other);
    bench.deliver(&frame);
    bench.until(300, "REFUSED", |bench| bench.count(peer::REFUSED) == 1);
    let refused = bench.sent.last().unwrap();
    assert_eq!((refused.destination, refused.session), (other, 6));
    bench.run(500);
    assert!(bench.uut.link_up.val());
    assert_eq!(bench.peer.state, State::Open);
}

#[test]
fn s24_a_repeated_open_is_answered_and_changes_nothing() {
    let mut bench = Bench::new(5, setup());
    bench.open(5);
    bench.peer.send(hex("40000001 0000000f e0000100 efbeadde"));
    bench.until(1000, "TLP", |bench| bench.down.len() == 1 && bench.peer.is_idle());
    let frame = open_of(&bench, 5, peer::HOST_MAC);
    bench.deliver(&frame);
    bench.until(300, "OPENED", |bench| bench.count(peer::OPENED) == 2);
    assert_eq!(bench.sent.last().unwrap().ack, 1);
    bench.peer.send(hex("40000001 0000000f e0000104 efbeadde"));
    bench.until(1000, "TLP", |bench| bench.down.len() == 2);
    assert!(bench.uut.link_up.val());
}

#[test]
fn se2_a_new_session_of_the_same_host_resets_core_and_bridge() {
    let mut bench = Bench::new(6, setup());
    bench.open(5);
    // Something of the old session is in the buffers of both directions.
    bench.pace[3] = 0;
    bench.peer.send(hex("40000001 0000000f e0000100 efbeadde"));
    bench.up[0].push_back(hex("40000001 0100000f 12345600 efbeadde"));
    bench.run(300);
    bench.host = false;
    bench.pace[3] = 8;
    bench.peer.open(6);
    bench.host = true;
    let mut resets = 0;
    for _ in 0..4000 {
        bench.step();
        resets += u32::from(bench.uut.session_reset.val());
        if bench.peer.state == State::Open {
            break;
        }
        assert!(!bench.uut.link_up.val() || resets == 0 || bench.count(peer::OPENED) < 3);
    }
    assert_eq!(bench.peer.state, State::Open);
    assert!(resets >= 64, "{resets} cycles of reset");
    bench.down.clear();
    bench.run(6000);
    assert!(bench.down.is_empty(), "SE1: a TLP of the old session is obeyed");
    let old = bench.sent.iter().rposition(|frame| frame.session == 5).unwrap();
    let new = bench.sent.iter().position(|frame| frame.session == 6).unwrap();
    assert!(old < new, "SE1: a frame of the old session after OPENED");
    assert!(bench.peer.received.is_empty());
    // The late copy of the OPEN before is dropped.
    let late = open_of(&bench, 5, peer::HOST_MAC);
    bench.deliver(&late);
    bench.run(300);
    assert!(bench.uut.link_up.val());
    assert_eq!(bench.peer.state, State::Open);
}

#[test]
fn s24_close_ends_the_session() {
    let mut bench = Bench::new(7, setup());
    bench.open(5);
    let close = Frame { body: vec![0; 4], ..bench.peer.frame(peer::CLOSE) };
    bench.peer.state = State::Closed;
    bench.deliver(&close);
    bench.until(300, "end", |bench| !bench.uut.link_up.val());
    bench.run(200);
    assert!(!bench.uut.session_reset.val());
    bench.open(6);
    assert!(bench.uut.link_up.val());
}

#[test]
fn se3_frames_of_an_unknown_session_are_answered_once_a_millisecond() {
    let mut bench = Bench::new(8, setup());
    bench.host = false;
    for kind in [peer::TLP, peer::ACK, peer::NAK, peer::CLOSE, peer::OPENED] {
        let frame = Frame {
            session: 0xDEAD,
            body: vec![0x40; if kind == peer::TLP { 16 } else { 0 }],
            ..bench.peer.frame(kind)
        };
        bench.deliver(&frame);
        bench.run(100);
    }
    assert_eq!(bench.count(peer::NO_SESSION), 1);
    assert_eq!((bench.sent[0].session, bench.sent[0].destination), (0xDEAD, peer::HOST_MAC));
    bench.run(2000);
    let frame = Frame { session: 0xBEEF, ..bench.peer.frame(peer::ACK) };
    bench.deliver(&frame);
    bench.run(100);
    assert_eq!(bench.count(peer::NO_SESSION), 2);
    assert_eq!(bench.sent[1].session, 0xBEEF);
}

#[test]
fn se3_a_device_that_was_reset_is_known_within_one_timeout() {
    let mut bench = Bench::new(9, setup());
    bench.open(5);
    bench.uut.reset.next = true;
    bench.run(8);
    bench.uut.reset.next = false;
    bench.peer.send(hex("40000001 0000000f e0000100 efbeadde"));
    bench.until(4400, "NO_SESSION", |bench| bench.peer.state == State::Lost);
}
