//! One rule a test: frames by hand against the device.
use super::bench::{setup, Bench};
use super::peer::{self, Frame, State};
use super::LinkSetup;

const WRITE: [u8; 16] = [0x40, 0, 0, 1, 0, 0, 0, 0x0F, 0xE0, 0, 1, 0, 0xEF, 0xBE, 0xAD, 0xDE];
const READ: [u8; 12] = [0x00, 0, 0, 1, 0, 0, 0x11, 0x0F, 0xE0, 0, 0, 4];
const COMPLETION: [u8; 16] = [0x4A, 0, 0, 1, 1, 0, 0, 4, 0, 0, 9, 0, 1, 2, 3, 4];

/// A device in a session, to which the test speaks for the host.
fn by_hand(seed: u64) -> Bench {
    let mut bench = Bench::new(seed, setup());
    bench.open(0x1234_ABCD);
    bench.host = false;
    bench.run(40);
    bench
}

fn tlp(bench: &Bench, sequence: u16, body: &[u8]) -> Frame {
    Frame { sequence, body: body.to_vec(), ..bench.peer.frame(peer::TLP) }
}

fn since(bench: &Bench, from: usize, kind: u8) -> Vec<Frame> {
    bench.sent[from..].iter().filter(|frame| frame.kind == kind).cloned().collect()
}

#[test]
fn lk2_frames_that_break_the_format_are_dropped_and_counted() {
    let mut bench = by_hand(1);
    let good = tlp(&bench, 0, &WRITE).pack();
    let change = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        bytes
    };
    let mut vlan = good.clone();
    vlan.splice(12..12, [0x81, 0x00, 0x00, 0x05]);
    let mut pause = vec![0x01, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x88, 0x08, 0, 1, 0xFF, 0xFF];
    pause.resize(60, 0);
    let broadcast = [&[0xFF; 6], &good[6..]].concat();
    let cases = [
        ("destination", change(5, 2)),
        ("broadcast", broadcast),
        ("EtherType", change(13, 0xB6)),
        ("version", change(14, 0x23)),
        ("length not of DW", change(17, 17)),
        ("length beyond the frame", change(17, 32)),
        ("length beyond any frame", change(16, 0xFF)),
        ("no TLP", change(17, 0)),
        ("2 DW", change(17, 8)),
        ("session 0", [&good[..18], &[0; 4], &good[22..]].concat()),
        ("VLAN", vlan),
        ("pause", pause),
        ("one byte", good[..1].to_vec()),
        ("runt", good[..20].to_vec()),
        ("header only", good[..32].to_vec()),
        ("cut in the body", good[..44].to_vec()),
    ];
    for (i, (what, bytes)) in cases.iter().enumerate() {
        bench.inject(bytes, false);
        bench.run(60);
        assert_eq!(bench.counter(0), i as u64 + 1, "{what}");
    }
    let count = cases.len() as u64;
    bench.inject(&good, true);
    bench.run(60);
    assert_eq!(bench.counter(0), count + 1, "FCS");
    assert!(bench.down.is_empty());
    bench.inject(&good, false);
    bench.run(60);
    assert_eq!(bench.down.len(), 1);
    assert_eq!(bench.counter(0), count + 1);
}

#[test]
fn lk1_the_body_length_ends_the_tlp_and_padding_is_ignored() {
    let mut bench = by_hand(2);
    let mut long = tlp(&bench, 0, &READ).pack();
    long.resize(200, 0x5A);
    bench.inject(&long, false);
    let exact = tlp(&bench, 1, &[&WRITE[..], &[7; 64]].concat());
    bench.deliver(&exact);
    bench.run(300);
    let down: Vec<_> = bench.down.iter().map(|(tlp, _)| tlp.clone()).collect();
    assert_eq!(down, [READ.to_vec(), exact.body]);
}

#[test]
fn lk6_old_tlps_are_acknowledged_at_once_new_ones_make_one_nak() {
    let mut bench = by_hand(3);
    for sequence in 0..2 {
        let frame = tlp(&bench, sequence, &WRITE);
        bench.deliver(&frame);
    }
    bench.run(200);
    let from = bench.sent.len();
    let old = tlp(&bench, 1, &READ);
    bench.deliver(&old);
    bench.run(60);
    assert_eq!(since(&bench, from, peer::ACK).iter().map(|frame| frame.ack).collect::<Vec<_>>(), [2]);
    assert_eq!((bench.down.len(), bench.counter(3)), (2, 1));
    let from = bench.sent.len();
    for sequence in [3, 4, 0x7FFF] {
        let frame = tlp(&bench, sequence, &WRITE);
        bench.deliver(&frame);
        bench.run(40);
    }
    assert_eq!(since(&bench, from, peer::NAK).iter().map(|frame| frame.ack).collect::<Vec<_>>(), [2]);
    // It is repeated after 1 ms, and again when `expected` has moved.
    bench.run(2000);
    let new = tlp(&bench, 5, &WRITE);
    bench.deliver(&new);
    bench.run(40);
    assert_eq!(since(&bench, from, peer::NAK).len(), 2);
    for sequence in [2, 4] {
        let frame = tlp(&bench, sequence, &WRITE);
        bench.deliver(&frame);
    }
    bench.run(100);
    assert_eq!(since(&bench, from, peer::NAK).iter().map(|frame| frame.ack).collect::<Vec<_>>(), [2, 2, 3]);
    assert_eq!(bench.down.len(), 3);
}

#[test]
fn lk7_a_frame_with_an_ack_outside_of_the_window_is_dropped_whole() {
    let mut bench = by_hand(4);
    for _ in 0..3 {
        bench.up[0].push_back(WRITE.to_vec());
    }
    bench.until(400, "3 TLPs", |bench| bench.count(peer::TLP) == 3);
    for ack in [4, 0xFFFF, 0x8000] {
        let frame = Frame { ack, ..tlp(&bench, 0, &WRITE) };
        bench.deliver(&frame);
    }
    bench.run(200);
    assert!(bench.down.is_empty());
    assert_eq!(bench.counter(2), 3);
    let frame = Frame { ack: 3, ..tlp(&bench, 0, &WRITE) };
    bench.deliver(&frame);
    bench.run(100);
    assert_eq!(bench.down.len(), 1);
    // Below the oldest now.
    let frame = Frame { ack: 2, ..tlp(&bench, 1, &WRITE) };
    bench.deliver(&frame);
    bench.run(100);
    assert_eq!((bench.down.len(), bench.counter(2)), (1, 4));
}

#[test]
fn lk8_an_ack_comes_after_four_tlps_or_20_us() {
    let mut bench = by_hand(5);
    let from = bench.sent.len();
    let frame = tlp(&bench, 0, &COMPLETION);
    bench.deliver(&frame);
    bench.run(36);
    assert!(since(&bench, from, peer::ACK).is_empty());
    bench.run(40);
    assert_eq!(since(&bench, from, peer::ACK).len(), 1);
    for sequence in 1..5 {
        let frame = tlp(&bench, sequence, &COMPLETION);
        bench.deliver(&frame);
    }
    bench.until(80, "ACK of four", |bench| bench.sent.last().unwrap().ack == 5);
    assert_eq!(since(&bench, from, peer::ACK).len(), 2);
}

#[test]
fn lk8_a_limit_that_grew_by_a_quarter_is_told() {
    let mut bench = by_hand(6);
    bench.pace[3] = 0;
    // The register stage before the bridge has taken the first one.
    for sequence in 0..5 {
        let frame = tlp(&bench, sequence, &WRITE);
        bench.deliver(&frame);
    }
    bench.run(300);
    let from = bench.sent.len();
    assert!(bench.sent[from - 1].posted == 17, "{:x?}", bench.sent[from - 1]);
    bench.pace[3] = 8;
    bench.run(60);
    assert_eq!(since(&bench, from, peer::ACK).last().map(|frame| frame.posted), Some(21));
}

#[test]
fn lk9_a_nak_starts_a_resend_but_a_storm_of_them_only_one_in_200_us() {
    let mut bench = by_hand(7);
    for i in 0..6 {
        bench.up[0].push_back([&WRITE[..12], &[i; 4]].concat());
    }
    bench.until(600, "6 TLPs", |bench| bench.count(peer::TLP) == 6);
    let from = bench.sent.len();
    let nak = Frame { ack: 2, ..bench.peer.frame(peer::NAK) };
    for _ in 0..10 {
        bench.deliver(&nak);
    }
    bench.run(340);
    let again: Vec<_> = since(&bench, from, peer::TLP).iter().map(|frame| (frame.sequence, frame.flags)).collect();
    assert_eq!(again, [2, 3, 4, 5].map(|sequence| (sequence, 1)));
    bench.run(100);
    bench.deliver(&nak);
    bench.run(200);
    assert_eq!(since(&bench, from, peer::TLP).len(), 8);
    // Another number starts a resend at once.
    let nak = Frame { ack: 4, ..bench.peer.frame(peer::NAK) };
    bench.deliver(&nak);
    bench.run(150);
    let again: Vec<_> = since(&bench, from, peer::TLP)[8..].iter().map(|frame| frame.sequence).collect();
    assert_eq!(again, [4, 5]);
}

#[test]
fn lk10_without_an_ack_all_is_sent_again_every_2_ms() {
    let mut bench = by_hand(8);
    bench.up[0].push_back(WRITE.to_vec());
    bench.up[0].push_back(COMPLETION.to_vec());
    bench.until(400, "2 TLPs", |bench| bench.count(peer::TLP) == 2);
    bench.run(3800);
    assert_eq!(bench.count(peer::TLP), 2);
    bench.run(300);
    let again: Vec<_> = since(&bench, 0, peer::TLP)[2..].iter().map(|frame| (frame.sequence, frame.flags)).collect();
    assert_eq!(again, [(0, 1), (1, 1)]);
}

#[test]
fn s24_frames_of_another_session_are_not_obeyed_and_their_host_is_told() {
    let mut bench = by_hand(20);
    bench.up[0].push_back(WRITE.to_vec());
    bench.until(400, "a TLP", |bench| bench.count(peer::TLP) == 1);
    let from = bench.sent.len();
    for kind in [peer::TLP, peer::ACK, peer::NAK, peer::CLOSE] {
        let body = if kind == peer::TLP { WRITE.to_vec() } else { vec![] };
        let stale = Frame { session: 0x1234_ABCC, ack: 1, kind, body, ..bench.peer.frame(kind) };
        bench.deliver(&stale);
    }
    bench.run(300);
    assert!(bench.uut.link_up.val() && bench.down.is_empty(), "a stale session is obeyed");
    assert_eq!(
        bench.sent[from..].iter().map(|f| (f.kind, f.session)).collect::<Vec<_>>(),
        [(peer::NO_SESSION, 0x1234_ABCC)]
    );
}

#[test]
fn lk11_a_quiet_end_is_heard_and_a_silent_host_is_lost() {
    let mut bench = Bench::new(9, setup());
    bench.peer.keep_alive = 4;
    bench.open(3);
    bench.run(20_000);
    assert!(bench.uut.link_up.val(), "both ends keep it alive");
    let acks = bench.count(peer::ACK);
    assert!((8..20).contains(&acks), "{acks} ACKs in 10 ms");
    bench.host = false;
    bench.run(7_500);
    assert!(bench.uut.link_up.val());
    bench.run(4_500);
    assert!(!bench.uut.link_up.val());
    let close = bench.sent.last().unwrap();
    assert_eq!((close.kind, &close.body[..]), (peer::CLOSE, &[0, 0, 0, 1][..]));
    assert_eq!(bench.counter(11), 1);
    bench.host = true;
    bench.run(2000);
    assert_eq!(bench.peer.state, State::Lost);
}

#[test]
fn s24_a_device_without_session_shows_itself() {
    let mut bench = Bench::new(19, LinkSetup { beacon_ms: 3, ..setup() });
    bench.host = false;
    bench.run(5_000);
    assert!(bench.sent.is_empty());
    bench.run(14_000);
    assert_eq!(bench.sent.len(), 3);
    let beacon = &bench.sent[0];
    assert_eq!((beacon.kind, beacon.destination, beacon.session), (peer::BEACON, peer::EVERYONE, 0));
    assert_eq!((&beacon.body[..], beacon.flags), (&[0xB0, 0x1D, 0, 0x42][..], 0));
    // Not in a session.
    bench.host = true;
    bench.open(1);
    bench.run(14_000);
    assert_eq!(bench.count(peer::BEACON), 3);
}

#[test]
fn lk11_keep_alive_of_0_is_never() {
    let mut bench = Bench::new(10, setup());
    bench.peer.keep_alive = 0;
    bench.open(3);
    bench.host = false;
    let from = bench.sent.len();
    bench.run(20_000);
    assert!(bench.uut.link_up.val());
    assert_eq!(bench.sent.len(), from);
}

#[test]
fn lk12_an_older_limit_changes_nothing() {
    let mut bench = Bench::new(11, setup());
    bench.peer.buffers = [2, 1];
    bench.open(3);
    bench.host = false;
    let mut told = bench.peer.frame(peer::ACK);
    for posted in [4, 3, 0xFFFF] {
        told.posted = posted;
        bench.deliver(&told);
    }
    for _ in 0..6 {
        bench.up[0].push_back(WRITE.to_vec());
    }
    bench.run(600);
    assert_eq!(bench.count(peer::TLP), 4);
    told.posted = 5;
    bench.deliver(&told);
    bench.run(200);
    assert_eq!(bench.count(peer::TLP), 5);
}

#[test]
fn lk13_one_posted_tlp_too_many_ends_the_session() {
    // The register stage before the bridge takes the first one, so that the limit is 17 and 9.
    for (body, buffers) in [(&WRITE[..], 17), (&READ[..], 9)] {
        let mut bench = by_hand(12);
        bench.pace[3] = 0;
        for sequence in 0..buffers {
            let frame = tlp(&bench, sequence, body);
            bench.deliver(&frame);
        }
        bench.run(1200);
        assert!(bench.uut.link_up.val());
        let told = bench.sent.last().unwrap();
        assert_eq!((told.ack, [told.posted, told.nonposted].contains(&buffers)), (buffers, true));
        let frame = tlp(&bench, buffers, body);
        bench.deliver(&frame);
        bench.until(300, "end", |bench| !bench.uut.link_up.val());
        bench.run(200);
        let close = bench.sent.last().unwrap();
        assert_eq!((close.kind, close.session, &close.body[..]), (peer::CLOSE, 0x1234_ABCD, &[0, 0, 0, 2][..]));
    }
}

#[test]
fn lk14_completions_need_no_credit_and_pass_a_bridge_that_takes_no_requests() {
    let mut bench = by_hand(13);
    bench.request_room = 0;
    for (sequence, body) in [&READ[..], &COMPLETION[..], &WRITE[..], &READ[..], &COMPLETION[..]].iter().enumerate() {
        let frame = tlp(&bench, sequence as u16, body);
        bench.deliver(&frame);
    }
    bench.run(400);
    let down: Vec<_> = bench.down.iter().map(|(tlp, _)| tlp.clone()).collect();
    assert_eq!(down, [COMPLETION.to_vec(), WRITE.to_vec(), COMPLETION.to_vec()]);
    bench.request_room = 8;
    bench.run(100);
    assert_eq!(bench.down.len(), 5);
}

#[test]
fn lk14_the_buffers_hold_the_completions_of_eight_reads_and_sixteen_writes() {
    let mut bench = by_hand(14);
    bench.pace[3] = 0;
    let mut sequence = 0;
    let mut all = vec![];
    let write = [&[0x60, 0, 0, 16, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0xE0, 0, 1, 0][..], &[9; 64]].concat();
    let part = [&[0x4A, 0, 0, 16, 1, 0, 0, 64, 0, 0, 0, 0][..], &[5; 64]].concat();
    for i in 0..8 * 9 + 16 {
        all.push(if i < 16 { write.clone() } else { part.clone() });
    }
    for body in &all {
        let frame = tlp(&bench, sequence, body);
        bench.deliver(&frame);
        bench.run(24);
        sequence += 1;
    }
    bench.run(400);
    assert_eq!(bench.counter(5), 0, "no TLP without room");
    assert_eq!(bench.sent.last().unwrap().ack, sequence);
    bench.pace[3] = 8;
    bench.run(1500);
    let down: Vec<_> = bench.down.iter().map(|(tlp, _)| tlp.clone()).collect();
    assert_eq!(down, all);
}

#[test]
fn lk15_a_class_without_credit_asks_after_2_ms_and_a_question_is_answered_at_once() {
    let mut bench = Bench::new(15, setup());
    bench.peer.buffers = [1, 1];
    bench.open(3);
    bench.host = false;
    let from = bench.sent.len();
    bench.up[0].push_back(WRITE.to_vec());
    bench.up[0].push_back(WRITE.to_vec());
    bench.until(300, "a TLP", |bench| bench.count(peer::TLP) == 1);
    let ack = Frame { ack: 1, ..bench.peer.frame(peer::ACK) };
    bench.deliver(&ack);
    bench.run(3600);
    assert!(since(&bench, from, peer::ACK).is_empty());
    bench.run(800);
    let asks: Vec<_> = since(&bench, from, peer::ACK).iter().map(|frame| frame.flags).collect();
    assert_eq!(asks, [2]);
    let answer = Frame { ack: 1, posted: 2, flags: 2, ..bench.peer.frame(peer::ACK) };
    bench.deliver(&answer);
    bench.run(80);
    let last: Vec<_> = bench.sent[from..].iter().rev().take(2).map(|frame| (frame.kind, frame.flags)).collect();
    assert!(last.contains(&(peer::TLP, 0)), "{last:?}");
    // The TLP that waited carries the answer, or an ACK does.
    bench.deliver(&Frame { posted: 2, ..answer });
    bench.run(60);
    assert_eq!(bench.sent.last().map(|frame| (frame.kind, frame.flags)), Some((peer::ACK, 0)));
}

#[test]
fn to3_completions_pass_a_request_without_credit() {
    let mut bench = Bench::new(16, setup());
    bench.peer.buffers = [8, 1];
    bench.peer.takes[1] = false;
    bench.open(3);
    for _ in 0..4 {
        bench.up[1].push_back(READ.to_vec());
        bench.up[0].push_back(COMPLETION.to_vec());
        bench.up[0].push_back(WRITE.to_vec());
    }
    bench.until(3000, "all but requests", |bench| bench.peer.received.len() == 9);
    bench.peer.takes[1] = true;
    bench.until(30_000, "the rest", |bench| bench.peer.received.len() == 12);
    bench.check_delivery();
}

#[test]
fn ba2_a_posted_tlp_that_is_too_long_is_accepted_and_dropped() {
    let mut bench = by_hand(17);
    let long = [&[0x40, 0, 0, 32, 0, 0, 0, 0xFF, 0xE0, 0, 0, 0][..], &[1; 128]].concat();
    for sequence in 0..20 {
        let frame = tlp(&bench, sequence, &long);
        bench.deliver(&frame);
    }
    bench.run(1500);
    assert!(bench.uut.link_up.val() && bench.down.is_empty());
    let ack = bench.sent.last().unwrap();
    assert_eq!((ack.ack, ack.posted), (20, 36));
    assert_eq!(bench.counter(6), 20);
}

#[test]
fn lk13_bar_hits_by_the_base_of_open() {
    let mut bench = by_hand(18);
    let cases: [(&[u8], bool); 5] = [
        (&[0x00, 0, 0, 1, 0, 0, 0, 15, 0xE0, 0, 0xFF, 0xFC], true),
        (&[0x00, 0, 0, 1, 0, 0, 0, 15, 0xE0, 1, 0, 0], false),
        (&[0x20, 0, 0, 1, 0, 0, 0, 15, 0, 0, 0, 0, 0xE0, 0, 0, 0], true),
        (&[0x20, 0, 0, 1, 0, 0, 0, 15, 0, 0, 0, 1, 0xE0, 0, 0, 0], false),
        (&[0x20, 0, 0, 1, 0, 0, 0, 15, 0xE0, 0, 0, 0, 0, 0, 0, 0], false),
    ];
    for (sequence, (body, _)) in cases.iter().enumerate() {
        let frame = tlp(&bench, sequence as u16, body);
        bench.deliver(&frame);
    }
    bench.run(500);
    let hits: Vec<_> = bench.down.iter().map(|(_, hit)| *hit).collect();
    assert_eq!(hits, cases.map(|(_, hit)| hit));
}
