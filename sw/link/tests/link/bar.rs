//! Registers and interrupts through the link.

use std::time::Duration;

use rnic_driver::{Bar, BusError};

use crate::support::bench::{options, Bench};
use crate::support::device::Knobs;

#[test]
fn ho4_registers_are_written_and_read() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let bar = link.platform().bar;
    for offset in (0..0x200).step_by(4) {
        bar.write(offset, 0x1000_0000 + offset).unwrap();
    }
    for offset in (0..0x200).step_by(4) {
        assert_eq!(bar.read(offset), Ok(0x1000_0000 + offset));
    }
    assert_eq!(bar.read(0x7000), Err(BusError::Refused { offset: 0x7000 }));
    assert_eq!(bar.read(0xF000), Err(BusError::Decode { offset: 0xF000 }));
    assert_eq!(bar.read(2), Err(BusError::Decode { offset: 2 }));
    assert_eq!(bar.write(0x1_0000, 0), Err(BusError::Decode { offset: 0x1_0000 }));
    bench.assert_clean();
}

#[test]
fn ho5_ir1_the_interrupt_table_is_set_up_and_vectors_arrive() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let bar = link.platform().bar;
    assert_eq!(bar.read(0x8008 + 16 * 5), Ok(5));
    assert_eq!(bar.wait_interrupt(5, Duration::from_micros(100)), Ok(false));
    bench.device(|device| {
        device.bus.interrupt(5);
        device.bus.interrupt(5);
    });
    assert_eq!(bar.wait_interrupt(2, Duration::from_micros(100)), Ok(false));
    assert_eq!(bar.wait_interrupt(5, Duration::from_micros(100)), Ok(true));
    assert_eq!(bar.wait_interrupt(5, Duration::from_micros(100)), Ok(false), "requests merge");
    assert_eq!(bar.wait_interrupt(8, Duration::ZERO), Err(BusError::Gone));
    bench.assert_clean();
}
