//! Measurements of the simulation itself: `cargo test -p rnic-sim --test speed -- --ignored --nocapture`.
use rnic_sim::core::{Inputs, Outputs};
use rnic_sim::host::{Host, Permission, Region, Timing, PAGE};
use rnic_sim::log::Log;
use rnic_sim::monitor::{Monitor, Role};
use rnic_sim::{Settings, Simulator, Variant};
use std::rc::Rc;
use std::time::Instant;

#[test]
#[ignore = "a measurement: run with --ignored --nocapture"]
fn speed_of_an_idle_core() {
    for &variant in Variant::ALL {
        let mut sim = Simulator::new(&Settings { variant, ..Settings::default() }).unwrap();
        sim.run(1_000_000).unwrap();
        println!("{}: {:.0} cycles/s", variant.name(), sim.speed());
    }
}

#[test]
#[ignore = "a measurement: run with --ignored --nocapture"]
fn speed_of_the_host_with_a_full_read_channel() {
    const CYCLES: u64 = 2_000_000;
    for &variant in Variant::ALL {
        let preset = variant.preset();
        let mut host = Host::new(preset.data, Timing::latency(250), 1);
        let mut monitor = Monitor::new(preset, host.memory().clone());
        let base = host.memory().map(&Rc::new(Region::new(PAGE)), 0..PAGE, PAGE, Permission::ALL).unwrap();
        monitor.lend(base..base + PAGE, Role::Payload);
        let (mut log, mut inputs) = (Log::new(200), Inputs::default());
        let (arsize, arburst, arcache, arprot) = (preset.strb().ilog2() as u8, 1, 3, 2);
        let mut outputs = Outputs { rready: 1, bready: 1, arsize, arburst, arcache, arprot, ..Outputs::default() };
        (outputs.araddr, outputs.arlen) = (base, 7);
        let (start, mut beats) = (Instant::now(), 0);
        for cycle in 0..CYCLES {
            outputs.arid = 8 + (cycle / 8 % 8) as u8;
            outputs.arvalid = u8::from(cycle % 8 == 7);
            monitor.observe(cycle, &inputs, &outputs, &mut log);
            beats += u64::from(inputs.m_rvalid);
            host.clock(cycle, &outputs, &mut inputs);
        }
        assert_eq!(monitor.violation(), None);
        assert!(beats > CYCLES * 99 / 100, "{beats} beats");
        println!(
            "{}: host and monitor alone {:.0} cycles/s",
            variant.name(),
            CYCLES as f64 / start.elapsed().as_secs_f64()
        );
    }
}
