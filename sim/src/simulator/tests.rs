//! What a violation does to a run. No right core breaks a rule, so the tests show the monitor a wrong cycle by hand.
use super::*;
use crate::core::{Inputs, Outputs};
use crate::platform;
use rnic_driver::{Bar, BusError, Clock};
use std::cell::RefCell;
use std::rc::Rc;

fn broken() -> Simulator {
    let mut sim = Simulator::new(&Settings::default()).unwrap();
    let outputs = Outputs { arvalid: 1, arid: 7, araddr: 0x1234_5678, ..Outputs::default() };
    let inputs = Inputs { m_arready: 1, ..Inputs::default() };
    sim.note("the last transaction");
    let nic = &mut sim.nics[0];
    nic.monitor.observe(nic.core.cycle(), &inputs, &outputs, &mut nic.log);
    sim
}

#[test]
fn a_violation_stops_the_run_with_the_last_transactions() {
    let mut sim = broken();
    let error = sim.step().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("I7 broken: read with unknown id: id 7, address 0000012345678"), "{text}");
    assert!(text.contains("the last transaction"), "{text}");
    let cycle = sim.cycle();
    assert_eq!(sim.step(), Err(error.clone()));
    assert_eq!(sim.bar_read(0), Err(error.clone()));
    assert_eq!((sim.cycle(), sim.failure()), (cycle, Some(&error)));
}

#[test]
#[should_panic(expected = "I7 broken")]
fn a_violation_that_nobody_looks_at_fails_the_test() {
    drop(broken());
}

#[test]
#[should_panic(expected = "I7 broken")]
fn a_violation_that_a_driver_swallows_fails_the_test() {
    let platform = platform::attach(&Rc::new(RefCell::new(broken())));
    assert_eq!(platform.bar.read(0), Err(BusError::Gone));
}

#[test]
fn the_limit_of_the_end_follows_the_rate_of_the_line() {
    let limit = |wire| rest_limit(&Timing::CALM, &wire);
    let calm = limit(WireSettings::default());
    let slow = limit(WireSettings { rate: Some(Rate { bytes: 1, cycles: 100 }), ..WireSettings::default() });
    assert!(slow > calm + 100 * LONGEST as u64, "the longest frame takes its time");
    let absurd = Rate { bytes: 0, cycles: u32::MAX };
    let wire = WireSettings { rate: Some(absurd), overhead: u32::MAX, stall: 255, gap: 255, ..WireSettings::default() };
    assert!(limit(wire) > slow);
}

#[test]
fn a_frame_that_is_held_back_has_time_to_arrive_at_the_end() {
    let wire = WireSettings { gap: 97, ..WireSettings::default() };
    let mut sim = Simulator::new(&Settings { wire, ..Settings::default() }).unwrap();
    sim.inject_frame(0, vec![0xFF; LONGEST], false);
    let end = sim.nics[0].end;
    sim.run_until("the first beat", 1000, |sim| sim.wire.counters(end).received == 1).unwrap();
    sim.finish().unwrap();
}

#[test]
fn time_goes_on_after_a_violation_so_that_waits_end() {
    let shared = Rc::new(RefCell::new(broken()));
    let platform = platform::attach(&shared);
    assert_eq!(platform.bar.wait_interrupt(0, Duration::from_secs(1)), Err(BusError::Gone));
    let before = platform.clock.now();
    platform.clock.pause();
    assert!(platform.clock.now() > before);
    assert!(shared.borrow().failure().is_some());
}
