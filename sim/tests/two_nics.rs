//! Two verilated cores on one wire. What is shown here is the platform around them: lockstep, hosts of their own, frames in, counters, captures, the socket.
use rnic_abi::register;
use rnic_abi::wqe::LocalInv;
use rnic_driver::{ConnectOptions, Device, DmaMemory, OpenOptions, QpOptions, QpState};
use rnic_sim::host::Timing;
use rnic_sim::platform::{attach_nic, Shared, SimPlatform};
use rnic_sim::scenario::{run, simulate, Overrides, Report, Scenario};
use rnic_sim::wire::capture::read_capture;
use rnic_sim::wire::frame::{opcode, Aeth, Bth, Network, LONGEST};
use rnic_sim::wire::{EndId, Frame, Rate, WireSettings};
use rnic_sim::{Settings, Simulator, Variant};
use std::cell::RefCell;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::rc::Rc;

fn two(variant: Variant) -> Settings {
    Settings { variant, nics: vec!["a".into(), "b".into()], ..Settings::default() }
}

fn start(settings: &Settings) -> Shared {
    Rc::new(RefCell::new(Simulator::new(settings).unwrap()))
}

fn open(simulator: &Shared, nic: usize) -> Device<SimPlatform> {
    let last = nic as u8 + 1;
    let options = OpenOptions {
        mac: Some([2, 0, 0, 0, 0, last]),
        addresses: vec![[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last]],
        ..OpenOptions::default()
    };
    Device::open_with(attach_nic(simulator, nic), options).unwrap()
}

fn frame(psn: u32, bytes: usize) -> Vec<u8> {
    let mut frame = Frame::new(Network::v4([10, 0, 0, 1], [10, 0, 0, 2]), Bth::new(opcode::SEND_ONLY, 0x11, psn));
    frame.payload = (0..bytes).map(|byte| byte as u8).collect();
    frame.build()
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("rnic-two-nics-{}-{name}", std::process::id()))
}

#[test]
fn two_devices_come_up_in_lockstep_and_connect() {
    for &variant in Variant::ALL {
        let simulator = start(&two(variant));
        let devices = [0, 1].map(|nic| open(&simulator, nic));
        let pairs = devices.each_ref().map(|device| {
            let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(16, 0).unwrap());
            device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap()
        });
        let own = [0, 1].map(|nic| pairs[nic].endpoint(0, 100 + nic as u32).unwrap());
        for nic in [0, 1] {
            pairs[nic].connect(&own[nic], &own[1 - nic].endpoint(), &ConnectOptions::default()).unwrap();
            assert_eq!(pairs[nic].query().unwrap().state, QpState::Rts);
            assert_eq!(devices[nic].mac(), Ok([2, 0, 0, 0, 0, nic as u8 + 1]));
        }
        let memories = devices.each_ref().map(|device| device.platform().memory.allocate(64).unwrap());
        let simulator = simulator.borrow();
        for (nic, memory) in memories.iter().enumerate() {
            use rnic_driver::DmaBuffer;
            let found = |host: usize| simulator.nics()[host].memory().find(memory.bus_address()).is_some();
            assert!(found(nic) && !found(1 - nic), "each host has its own bus");
        }
    }
}

#[test]
fn the_first_of_two_nics_runs_as_it_does_alone() {
    let run = |nics: usize| {
        let mut settings = two(Variant::Small);
        settings.nics.truncate(nics);
        settings.timing = Timing::HARSH;
        let mut simulator = Simulator::new(&settings).unwrap();
        for number in 0..40 {
            simulator.bar_write(0x7000 + 4 * number, number).unwrap();
        }
        simulator.nics()[0].state()
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_core_takes_every_frame_that_the_wire_gives_it() {
    for &variant in Variant::ALL {
        let simulator = start(&Settings { wire: WireSettings { gap: 20, ..WireSettings::default() }, ..two(variant) });
        let _devices = [0, 1].map(|nic| open(&simulator, nic));
        let mut simulator = simulator.borrow_mut();
        for psn in 0..50 {
            simulator.inject_frame(1, frame(psn, 13 * psn as usize), psn % 7 == 0);
        }
        simulator.inject_frame(1, vec![0xFF; LONGEST], false);
        simulator.run(20_000).unwrap();
        let end = simulator.nics()[1].end();
        let counters = simulator.wire().counters(end);
        assert_eq!((counters.injected, counters.received), (51, 51));
        assert!(simulator.wire().is_idle());
        let notes = simulator.nics()[1].log().tail(200);
        assert!(notes.contains(&format!("frame in, {LONGEST} B: EtherType ffff")), "{notes}");
        simulator.finish().unwrap();
    }
}

#[test]
fn what_one_end_sends_the_core_of_the_other_takes() {
    let settings = Settings {
        wire: WireSettings { rate: Some(Rate { bytes: 1, cycles: 2 }), delay: 500, ..WireSettings::default() },
        pcap: Some(temporary("run.pcapng")),
        ..two(Variant::Small)
    };
    let mut simulator = Simulator::new(&settings).unwrap();
    let [a, b] = [0, 1].map(|nic: usize| simulator.nics()[nic].end());
    for psn in 0..10 {
        let now = simulator.cycle();
        simulator.wire_mut().send(now, a, frame(psn, 100), false);
        simulator.run(10).unwrap();
    }
    assert_eq!(simulator.wire().counters(b).received, 0, "the delay");
    simulator.run(2000).unwrap();
    assert_eq!((simulator.wire().counters(b).received, simulator.wire().counters(a).received), (10, 0));
    simulator.finish().unwrap();
    let path = settings.pcap.unwrap();
    let recorded = read_capture(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    let psns: Vec<u32> = recorded.iter().map(|frame| Frame::parse(&frame.bytes).unwrap().bth.psn).collect();
    assert_eq!(psns, (0..10).collect::<Vec<_>>());
}

#[test]
fn i7_a_device_reset_waits_for_the_frame_on_a_slow_wire() {
    use rnic_driver::RawOptions;
    const BYTES: usize = 1500;
    for &variant in Variant::ALL {
        let rate = Some(Rate { bytes: 1, cycles: 8 });
        let simulator = start(&Settings { wire: WireSettings { rate, ..WireSettings::default() }, ..two(variant) });
        let devices = [0, 1].map(|nic| open(&simulator, nic));
        devices[0].open_raw(RawOptions::default()).unwrap();
        for _ in 0..3 {
            devices[0].send_raw(&[0x5A; BYTES], false).unwrap();
        }
        let mut simulator = simulator.borrow_mut();
        let ready = |simulator: &mut Simulator| simulator.bar_read(register::STATUS).unwrap().value & 1 == 1;
        let [from, to] = [0, 1].map(|nic: usize| simulator.nics()[nic].end());
        // In the middle of the second frame.
        simulator.run(8 * BYTES as u64 * 3 / 2).unwrap();
        assert_eq!(simulator.wire().counters(from).sent, 1);
        simulator.bar_write(register::CONTROL, 1).unwrap();
        for _ in 0..20 {
            assert!(!ready(&mut simulator), "the reset has ended before the frame");
            assert_eq!(simulator.wire().counters(from).sent, 1);
        }
        simulator.run(8 * BYTES as u64).unwrap();
        assert!(ready(&mut simulator), "the reset has not ended");
        let counters = simulator.wire().counters(from);
        assert_eq!((counters.sent, counters.sent_bytes), (2, 2 * BYTES as u64), "whole, and no other");
        simulator.run(20_000).unwrap();
        assert_eq!((simulator.wire().counters(from).sent, simulator.wire().counters(to).received), (2, 2));
        simulator.finish().unwrap();
    }
}

#[test]
fn i1_a_device_reset_forgets_completions_that_wait_for_the_bus() {
    const BAD_KEY: u32 = 0x00FF_FF00;
    for &variant in Variant::ALL {
        let mut late = 0;
        for cycles in (20..220).step_by(8) {
            let simulator = start(&Settings { variant, ..Settings::default() });
            let device = open(&simulator, 0);
            let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(64, 0).unwrap());
            let pair = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
            pair.activate().unwrap();
            // The first fails, and the others are flushed: completions come faster than the bus takes them.
            for number in 0..32 {
                pair.stage_raw(number, &[LocalInv { flags: 0, key: BAD_KEY }.encode()]).unwrap();
            }
            pair.ring_send().unwrap();
            simulator.borrow_mut().run(cycles).unwrap();
            simulator.borrow_mut().bar_write(register::CONTROL, 1).unwrap();
            let ready = |simulator: &mut Simulator| simulator.bar_read(register::STATUS).unwrap().value & 1 == 1;
            let limit = simulator.borrow().cycle() + 20_000;
            while !ready(&mut simulator.borrow_mut()) {
                assert!(simulator.borrow().cycle() < limit, "{}", simulator.borrow().state());
            }
            let seen = std::iter::from_fn(|| cq.poll().unwrap()).count();
            late += usize::from(seen < 32);
            simulator.borrow_mut().run(2000).unwrap();
            assert!(!cq.has_completion(), "reset after {cycles} cycles: a completion after it, {seen} before it");
        }
        assert!(late > 3, "no reset came before the last completion");
    }
}

#[test]
fn the_socket_is_one_more_end() {
    let (ours, theirs) = (temporary("nic.sock"), temporary("peer.sock"));
    let peer = UnixDatagram::bind(&theirs).unwrap();
    peer.set_nonblocking(true).unwrap();
    let settings = Settings { socket: Some(ours.clone()), ..two(Variant::Small) };
    let mut simulator = Simulator::new(&settings).unwrap();
    peer.send_to(&frame(7, 40), &ours).unwrap();
    simulator.run(1000).unwrap();
    let [a, b] = [0, 1].map(|nic: usize| simulator.nics()[nic].end());
    assert_eq!([a, b].map(|end| simulator.wire().counters(end).received), [1, 1]);
    let now = simulator.cycle();
    simulator.wire_mut().send(now, a, frame(8, 0), false);
    simulator.run(1000).unwrap();
    let mut buffer = [0; 2000];
    let bytes = peer.recv(&mut buffer).unwrap();
    assert_eq!(Frame::parse(&buffer[..bytes]).unwrap().bth.psn, 8);
    drop(simulator);
    std::fs::remove_file(theirs).unwrap();
    assert!(!ours.exists());
}

#[test]
fn a_flood_from_the_socket_does_not_stop_the_clock() {
    let ours = temporary("flood.sock");
    let settings = Settings { socket: Some(ours.clone()), ..two(Variant::Small) };
    let mut simulator = Simulator::new(&settings).unwrap();
    let peer = UnixDatagram::unbound().unwrap();
    peer.set_nonblocking(true).unwrap();
    peer.send_to(&[], &ours).unwrap();
    let waiting = (0..200).take_while(|psn| peer.send_to(&frame(*psn, 0), &ours).is_ok()).count() as u64;
    let outside = EndId(2);
    let looks = simulator.cycle().next_multiple_of(64) - simulator.cycle() + 1;
    simulator.run(looks).unwrap();
    assert_eq!(simulator.wire().counters(outside).sent, waiting.min(16), "one look takes a burst at most");
    simulator.run(64 * waiting).unwrap();
    assert_eq!(simulator.wire().counters(outside).sent, waiting);
    assert!(simulator.state().contains("socket: 0 frames sent to nobody, 1 datagrams too short"));
}

#[test]
fn a_run_over_a_random_wire_repeats() {
    let run = |seed| {
        let wire = WireSettings { seed, stall: 10, gap: 30, ..WireSettings::default() };
        let mut simulator = Simulator::new(&Settings { wire, ..two(Variant::Small) }).unwrap();
        for psn in 0..20 {
            simulator.inject_frame(0, frame(psn, 50), false);
        }
        simulator.run(500).unwrap();
        simulator.state()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// A queue pair on the second of two NICs.
const OBJECTS: &str = r#"
name = "frames"
title = "Frames into a NIC"
[nic.a]
[nic.b]
[pd.p]
nic = "b"
[cq.c]
nic = "b"
[qp.q]
pd = "p"
cq = "c"
state = "INIT"
"#;

/// Frames into a NIC, and a last step that fails.
const FRAMES: &str = r#"
[[step]]
receive = { qp = "q", times = 3 }
[[step]]
connect = { qp = "q", qpn = 0x22, address = "10.0.0.9", psn = 1 }
[[step]]
query_qp = { qp = "q", state = "RTS" }
[[step]]
inject_frame = { to = "q", frame = { opcode = "WRITE_ONLY_IMM", psn = 100, remote = { key = 0x511, va = 0x1000 }, bytes = 77, imm = "01020304" } }
[[step]]
inject_frame = { to = "q", capture = "tests/captures/rxe-all-verbs.pcap", number = 8, psn = 101, flip = [400] }
[[step]]
inject_frame = { nic = "b", hex = "FFFFFFFFFFFF 020000000009 0806 0001", bad = true }
[[step]]
wire_counter = { nic = "b", counter = "injected", value = 3 }
[[step]]
wire_counter = { nic = "b", counter = "received", value = 3, within = 1000 }
[[step]]
wire_counter = { counter = "received", value = 1, within = 1000 }
[[step]]
interrupt = { nic = "b", vector = 1, within = 10 }
"#;

/// Runs these steps on a simulation that goes on afterwards.
fn run_on(simulator: &Shared, steps: &str) -> Report {
    let text = format!("{OBJECTS}{steps}");
    let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, vec![attach_nic(simulator, 0), attach_nic(simulator, 1)], 1)
}

#[test]
fn frames_of_scenario_steps_reach_the_nic_and_the_report() {
    let report = run_on(&start(&two(Variant::Small)), FRAMES);
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("the last step fails: {report}"));
    assert!(failure.expected.contains("an interrupt of vector 1"), "{report}");
    let transactions = failure.transactions.join("\n");
    assert!(transactions.contains("b: ") && transactions.contains("WRITE_ONLY_IMM"), "{transactions}");
    let state = failure.state.join("\n");
    for part in [
        "a: wire: received 1",
        "b: wire: sent 1",
        "received 3",
        "injected 3",
        "b: queue pair q (0x10): ERR (driver: RTS)",
        "reads in flight: none",
    ] {
        assert!(state.contains(part), "{part} in {state}");
    }
}

#[test]
fn scenario_steps_change_the_wire() {
    let simulator = start(&two(Variant::Small));
    // Whether a frame of NIC `from` to a queue pair reaches the other NIC, and when.
    let arrives = |from: usize, code: u8, qpn: u32| {
        let mut simulator = simulator.borrow_mut();
        let [end, other] = [from, 1 - from].map(|nic| simulator.nics()[nic].end());
        let mut frame = Frame::new(Network::v4([10, 0, 0, 1], [10, 0, 0, 2]), Bth::new(code, qpn, 0));
        frame.extensions.aeth = (code == opcode::ACKNOWLEDGE).then_some(Aeth { syndrome: 0x1F, msn: 0 });
        let bytes = frame.build();
        let (start, before) = (simulator.cycle(), simulator.wire().counters(other).received);
        simulator.wire_mut().send(start, end, bytes, false);
        let arrived = |simulator: &Simulator| simulator.wire().counters(other).received > before;
        simulator.run_until("arrival", 1000, arrived).ok().map(|()| simulator.cycle() - start)
    };
    assert!(arrives(1, opcode::ACKNOWLEDGE, 0x10).is_some_and(|cycles| cycles < 60), "nothing is asked for yet");
    let steps = r#"
[[step]]
wire = { delay = 70 }
[[step]]
wire_fault = { what = "lose", opcode = "ACKNOWLEDGE", from = "b", qp = "q" }
"#;
    let report = run_on(&simulator, steps);
    assert!(report.passed, "{report}");
    assert!(arrives(1, opcode::SEND_ONLY, 0x10).is_some_and(|cycles| cycles >= 70), "another opcode, late");
    assert!(arrives(1, opcode::ACKNOWLEDGE, 0x11).is_some(), "another queue pair");
    assert!(arrives(0, opcode::ACKNOWLEDGE, 0x10).is_some(), "another NIC");
    assert_eq!(arrives(1, opcode::ACKNOWLEDGE, 0x10), None);
    assert!(arrives(1, opcode::ACKNOWLEDGE, 0x10).is_some(), "once");
    assert!(run_on(&simulator, "[[step]]\nwire = { loss = 1000 }\n").passed);
    assert_eq!(arrives(0, opcode::SEND_ONLY, 0x10), None);
    let steps = "[[step]]\nwire_fault = { what = \"lose\", times = 0 }\n[[step]]\nclear_wire_faults = {}\n";
    assert!(run_on(&simulator, steps).passed);
    assert!(arrives(0, opcode::SEND_ONLY, 0x10).is_some());
}

#[test]
fn data_transfers_reach_the_device() {
    let scenario = Scenario::parse(include_str!("unchecked.toml")).unwrap_or_else(|error| panic!("{error}"));
    for &variant in Variant::ALL {
        let report =
            simulate(&scenario, &Overrides { preset: Some(variant.preset()), ..Overrides::default() }).unwrap();
        assert!(report.passed, "{report}");
    }
}
