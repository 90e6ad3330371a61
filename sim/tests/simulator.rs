//! The simulator and its platform around the real core of both presets.
use rnic_driver::{Bar, BusError, Clock, DmaBuffer, DmaMemory};
use rnic_sim::host::{BarRequest, Timing, DECERR};
use rnic_sim::log::Event;
use rnic_sim::{platform, Settings, SimError, Simulator, Variant};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

fn settings(variant: Variant) -> Settings {
    Settings { variant, ..Settings::default() }
}

#[test]
fn i9_an_unassigned_register_answers_decerr_within_64_cycles() {
    for &variant in Variant::ALL {
        for timing in [Timing::CALM, Timing::HARSH] {
            let mut sim = Simulator::new(&Settings { timing, ..settings(variant) }).unwrap();
            let read = sim.bar_read(0x7FFC).unwrap();
            assert_eq!(read.response, DECERR, "{}", variant.name());
            assert!(read.cycles <= 64, "{} cycles", read.cycles);
            let write = sim.bar_write(0x7FFC, 5).unwrap();
            assert_eq!(write.response, DECERR, "{}", variant.name());
            let partial = BarRequest::Write { offset: 0x7FFC, value: 5, strobes: 0b0110 };
            assert_eq!(sim.bar(partial).unwrap().response, DECERR);
            assert!(sim.log().last().any(|t| matches!(t.event, Event::Bar(request, _) if request == partial)));
            sim.finish().unwrap();
        }
    }
}

#[test]
fn the_same_settings_give_the_same_run() {
    let run = |seed| {
        let settings = Settings { seed, timing: Timing::HARSH, ..settings(Variant::Small) };
        let mut sim = Simulator::new(&settings).unwrap();
        for n in 0..20 {
            sim.bar_write(0x7000 + 4 * n, n).unwrap();
        }
        sim.state()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn a_limit_is_an_error_with_the_state() {
    let mut sim = Simulator::new(&settings(Variant::Small)).unwrap();
    sim.note("look here");
    let error = sim.run_until("a miracle", 100, |_| false).unwrap_err();
    assert!(matches!(error, SimError::Limit { cycles: 100, .. }));
    let text = error.to_string();
    assert!(text.contains("a miracle: not within 100 cycles") && text.contains("look here"), "{text}");
    sim.run_until("cycle 200", 1000, |sim| sim.cycle() == 200).unwrap();
}

#[test]
fn the_trace_of_a_run_is_written() {
    for &variant in Variant::ALL {
        let path = std::env::temp_dir().join(format!("rnic-sim-{}-{}.fst", std::process::id(), variant.name()));
        let mut sim = Simulator::new(&Settings { trace: Some(path.clone()), ..settings(variant) }).unwrap();
        sim.bar_read(0x7FFC).unwrap();
        drop(sim);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        // The FST header: block type 0, then the length.
        assert!(bytes.len() > 300 && bytes[0] == 0, "{} bytes", bytes.len());
    }
}

#[test]
fn the_platform_speaks_the_drivers_language() {
    let sim = Rc::new(RefCell::new(Simulator::new(&settings(Variant::Small)).unwrap()));
    let platform = platform::attach(&sim);
    assert_eq!(platform.bar.read(0x7FFC), Err(BusError::Decode { offset: 0x7FFC }));
    assert_eq!(platform.bar.write(0x2_0000, 0), Err(BusError::Decode { offset: 0x2_0000 }));
    let (before, cycle) = (platform.clock.now(), sim.borrow().cycle());
    platform.clock.pause();
    assert_eq!(sim.borrow().cycle(), cycle + platform::PAUSE_CYCLES);
    let khz = u64::from(Variant::Small.preset().core_khz);
    assert_eq!(platform.clock.now() - before, Duration::from_nanos(platform::PAUSE_CYCLES * 1_000_000 / khz));
    assert_eq!(platform.bar.wait_interrupt(0, Duration::from_micros(10)), Ok(false));
    assert!(platform.clock.now() - before >= Duration::from_micros(10));
    let buffer = platform.memory.allocate(64).unwrap();
    assert!(sim.borrow().memory().find(buffer.bus_address()).is_some());
}
