//! Random traffic both ways over a cable that loses, doubles, swaps and damages frames (rules LK5 to LK10, LK12 to LK15).
use super::bench::{setup, Bench, Faults, TlpMaker};
use super::peer::{self, State};
use super::LinkSetup;

/// Sends `count` TLPs each way and waits until all have arrived.
fn traffic(bench: &mut Bench, count: usize, limit: u64) {
    let mut maker = TlpMaker::new();
    for _ in 0..count {
        let tlp = maker.of_host(&mut bench.random);
        bench.peer.send(tlp);
        let tlp = maker.of_bridge(&mut bench.random);
        bench.up[usize::from(peer::class(&tlp) == peer::Class::Request)].push_back(tlp);
    }
    bench.until(limit, "all TLPs acknowledged", |bench| {
        let all = bench.taken.len() == count && bench.peer.received.len() == count;
        all && bench.peer.is_idle() || bench.peer.state != State::Open
    });
    bench.run(600);
    assert_eq!(bench.peer.state, State::Open);
    bench.check_delivery();
}

fn run(seed: u64, setup: LinkSetup, faults: Faults, count: usize, limit: u64) -> Bench {
    let mut bench = Bench::new(seed, setup);
    bench.peer.open_repeat = 300;
    bench.to_device = faults;
    bench.to_host = faults;
    bench.peer.open(0x1000 + seed as u32);
    bench.until(40_000, "OPENED", |bench| bench.peer.state == State::Open);
    bench.pace = [7, 7, 7, 7];
    bench.request_room = 6;
    traffic(&mut bench, count, limit);
    bench
}

#[test]
fn lk5_traffic_over_a_good_cable_is_sent_once() {
    let mut bench = run(1, setup(), Faults::default(), 80, 60_000);
    let [duplicates, gaps, no_room, naks, timeouts, resent] = [3, 4, 5, 7, 8, 9].map(|index| bench.counter(index));
    assert_eq!((duplicates, gaps, no_room, naks, timeouts, resent), (0, 0, 0, 0, 0, 0));
}

#[test]
fn lk5_traffic_over_a_cable_with_1_percent_of_each_fault() {
    run(2, setup(), Faults::all(1), 100, 200_000);
}

#[test]
#[ignore = "long: minutes"]
fn lk5_traffic_over_a_cable_with_10_percent_of_each_fault() {
    run(3, setup(), Faults::all(10), 60, 400_000);
}

#[test]
#[ignore = "long: minutes"]
fn lk5_traffic_over_a_cable_that_loses_half() {
    run(4, setup(), Faults { drop: 50, ..Faults::default() }, 16, 800_000);
}

#[test]
#[ignore = "long: minutes"]
fn lk6_traffic_over_a_cable_that_doubles_half() {
    run(5, setup(), Faults { duplicate: 50, ..Faults::default() }, 40, 200_000);
}

#[test]
#[ignore = "long: minutes"]
fn lk6_traffic_over_a_cable_that_swaps_half() {
    run(6, setup(), Faults { swap: 50, ..Faults::default() }, 40, 800_000);
}

#[test]
#[ignore = "long: minutes"]
fn lk3_traffic_over_a_cable_that_damages_half() {
    run(7, setup(), Faults { flip: 50, ..Faults::default() }, 16, 800_000);
}

#[test]
fn lk5_numbers_and_limits_wrap() {
    let setup = LinkSetup { first: 0xFFF4, ..setup() };
    run(8, setup, Faults::all(3), 60, 400_000);
}

#[test]
#[ignore = "long: minutes"]
fn s8_a_window_of_one_frame() {
    let setup = LinkSetup { window: 1, ..setup() };
    let mut bench = Bench::new(9, setup);
    bench.peer.window = 1;
    bench.peer.buffers = [1, 1];
    bench.to_device = Faults::all(5);
    bench.to_host = Faults::all(5);
    bench.peer.open_repeat = 300;
    bench.peer.open(9);
    bench.until(40_000, "OPENED", |bench| bench.peer.state == State::Open);
    traffic(&mut bench, 24, 600_000);
}

#[test]
fn s24_open_succeeds_whatever_frame_of_it_is_lost() {
    // Each type lost at each step: the n-th frame of each direction, n = 0..3.
    for lost in 0..6u32 {
        let mut bench = Bench::new(20 + u64::from(lost), setup());
        bench.peer.open_repeat = 300;
        bench.peer.open(77);
        let all = Faults { drop: 100, ..Faults::default() };
        let host_first = lost % 2 == 0;
        for _ in 0..1 + lost / 2 {
            let before = bench.sent.len();
            if host_first {
                bench.to_device = all;
                bench.run(600);
                bench.to_device = Faults::default();
            } else {
                bench.to_host = all;
                bench.until(4000, "an answer to lose", |bench| bench.sent.len() > before);
                bench.run(16);
                bench.to_host = Faults::default();
            }
        }
        bench.until(4000, "OPENED", |bench| bench.peer.state == State::Open);
        assert_eq!(bench.uut.mps.val().to_u64(), 2);
        traffic(&mut bench, 4, 20_000);
        assert_eq!(bench.counter(10), 1, "one session");
    }
}

#[test]
#[ignore = "long: 200,000 cycles and more"]
fn se4_100_ms_without_any_frame_is_only_a_delay() {
    let mut bench = Bench::new(40, setup());
    bench.open(3);
    let all = Faults { drop: 100, ..Faults::default() };
    (bench.to_device, bench.to_host) = (all, all);
    let mut maker = TlpMaker::new();
    for _ in 0..3 {
        let tlp = maker.of_host(&mut bench.random);
        bench.peer.send(tlp);
        bench.up[0].push_back(vec![0x4A, 0, 0, 1, 1, 0, 0, 4, 0, 0, 9, 0, 1, 2, 3, 4]);
    }
    bench.run(200_000);
    assert!(bench.uut.link_up.val());
    assert!(bench.counter(8) >= 48, "LK10: a resend every 2 ms");
    (bench.to_device, bench.to_host) = Default::default();
    bench.until(20_000, "delivery", |bench| bench.peer.received.len() == 3 && bench.peer.is_idle());
    bench.run(600);
    bench.check_delivery();
}

#[test]
#[ignore = "long: minutes"]
fn se1_sessions_that_replace_each_other_in_the_middle_of_traffic_do_not_mix() {
    let mut bench = Bench::new(50, setup());
    bench.peer.open_repeat = 300;
    bench.to_device = Faults::all(3);
    bench.to_host = Faults::all(3);
    bench.pace = [7, 7, 5, 6];
    let mut maker = TlpMaker::new();
    for session in 1..10 {
        bench.up = Default::default();
        bench.peer.open(session);
        bench.until(40_000, "OPENED", |bench| bench.peer.state == State::Open);
        for _ in 0..20 {
            let tlp = maker.of_host(&mut bench.random);
            bench.peer.send(tlp);
            let tlp = maker.of_bridge(&mut bench.random);
            bench.up[usize::from(peer::class(&tlp) == peer::Class::Request)].push_back(tlp);
        }
        let cycles = 100 + bench.random.below(1500);
        bench.run(cycles);
        // SE1: nothing but what was sent in this session.
        let foreign = bench.down.iter().find(|(tlp, _)| !bench.peer.log.contains(tlp));
        assert!(foreign.is_none(), "session {session} obeys {foreign:02x?}");
        let foreign = bench.peer.received.iter().find(|tlp| !bench.taken.contains(tlp));
        assert!(foreign.is_none(), "session {session} brings {foreign:02x?}");
    }
    let of = |session: u32| bench.sent.iter().filter(move |frame| frame.session == session);
    for session in 1..9 {
        assert!(of(session).any(|frame| frame.kind == peer::TLP), "session {session} did something");
    }
    bench.up = Default::default();
    bench.peer.open(100);
    bench.until(40_000, "OPENED", |bench| bench.peer.state == State::Open);
    traffic(&mut bench, 20, 100_000);
}
