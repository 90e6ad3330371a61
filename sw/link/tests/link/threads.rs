//! A program that does other things than wait in the driver: a thread serves the device. In the time of the machine, but what is
//! checked does not depend on it.

use rnic_driver::{Bar, DmaBuffer, DmaMemory};
use rnic_link::{Link, LinkOptions, LostReason, MonotonicClock, SequencedPair};

use crate::support::threaded::ThreadedDevice;

#[test]
fn ho2_the_service_thread_answers_the_device_while_the_program_is_elsewhere() {
    let (host, device) = SequencedPair::pair().unwrap();
    let device = ThreadedDevice::new(device);
    let link = Link::open(host, MonotonicClock::default(), LinkOptions::default()).unwrap();
    let service = link.serve().unwrap();
    let memory = link.platform().memory;
    let buffer = memory.allocate(1 << 16).unwrap();
    let data: Vec<u8> = (0..1 << 16).map(|byte: u32| (byte * 7 + byte / 256) as u8).collect();
    buffer.write_bytes(0, &data[..1 << 15]);
    // This thread looks at nothing but the device and its own memory.
    let read = device.with(|device| {
        device.bus.write(buffer.bus_address() + (1 << 15), &data[1 << 15..]);
        device.bus.read(buffer.bus_address(), 1 << 15)
    });
    device.wait("the read ends", |device| device.bus.reads[read].done);
    assert!(device.with(|device| device.bus.reads[read].data == data[..1 << 15]));
    let mut seen = vec![0; 1 << 15];
    while seen != data[1 << 15..] {
        buffer.read_bytes(1 << 15, &mut seen);
        assert_eq!(link.lost(), None);
    }
    // Calls of the driver and the thread do not disturb each other.
    let bar = link.platform().bar;
    for value in 0..500 {
        device.with(|device| device.bus.write(buffer.bus_address(), &[value as u8; 100]));
        bar.write(0x40, value).unwrap();
        assert_eq!(bar.read(0x40), Ok(value));
    }
    drop(service);
    link.close();
    device.wait("CLOSE arrives", |device| device.closed == Some(0));
    device.with(|device| assert_eq!(device.bus.violations, Vec::<String>::new()));
}

#[test]
fn the_end_of_the_process_of_the_device_ends_the_session() {
    let (host, device) = SequencedPair::pair().unwrap();
    let device = ThreadedDevice::new(device);
    let link = Link::open(host, MonotonicClock::default(), LinkOptions::default()).unwrap();
    let service = link.serve().unwrap();
    drop(device);
    assert_eq!(link.platform().bar.read(0), Err(rnic_driver::BusError::Gone));
    assert!(matches!(link.lost(), Some(LostReason::Transport(_))), "{:?}", link.lost());
    drop(service);
}
