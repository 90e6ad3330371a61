//! A program that does other things than wait in the driver, so that a thread serves the device; and a device in another process.

use rnic_driver::{Bar, BusError, DmaBuffer, DmaMemory};
use rnic_link::{Link, LinkOptions, LostReason, MonotonicClock, SequencedPair};

use crate::threaded::ThreadedDevice;
use crate::{again, patiently, run};

pub fn all() {
    run(&[
        ("ho2_the_service_thread_answers_the_device_while_the_program_is_elsewhere", ho2_the_service_thread),
        ("the_end_of_the_process_of_the_device_ends_the_session", the_end_of_the_device),
        ("two_processes_at_a_socket", two_processes_at_a_socket),
    ]);
}

fn ho2_the_service_thread() -> Option<&'static str> {
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
        patiently(|| bar.write(0x40, value));
        assert_eq!(patiently(|| bar.read(0x40)), value);
    }
    drop(service);
    link.close();
    device.wait("CLOSE arrives", |device| device.closed == Some(0));
    device.with(|device| assert_eq!(device.bus.violations, Vec::<String>::new()));
    None
}

fn the_end_of_the_device() -> Option<&'static str> {
    let (host, device) = SequencedPair::pair().unwrap();
    let device = ThreadedDevice::new(device);
    let link = Link::open(host, MonotonicClock::default(), LinkOptions::default()).unwrap();
    let service = link.serve().unwrap();
    drop(device);
    assert_eq!(link.platform().bar.read(0), Err(BusError::Gone));
    assert!(matches!(link.lost(), Some(LostReason::Transport(_))), "{:?}", link.lost());
    drop(service);
    None
}

/// The device listens at a path, the host is another process.
fn two_processes_at_a_socket() -> Option<&'static str> {
    let path = std::env::temp_dir().join(format!("rnic-link-{}", std::process::id()));
    let mut host = again(&["env"], "socket").arg(&path).spawn().expect("the program starts");
    let device = ThreadedDevice::new(SequencedPair::listen(&path).unwrap());
    assert!(host.wait().expect("it ends").success());
    device.wait("CLOSE arrives", |device| device.closed == Some(0));
    device.with(|device| assert_eq!(device.bus.violations, Vec::<String>::new()));
    None
}

/// In a process of its own: the host.
pub fn host_at_a_path() {
    let path = std::env::args().nth(2).expect("a path");
    let host = loop {
        match SequencedPair::connect(path.as_ref()) {
            Ok(host) => break host,
            Err(_) => std::thread::yield_now(),
        }
    };
    let link = Link::open(host, MonotonicClock::default(), LinkOptions::default()).unwrap();
    let bar = link.platform().bar;
    for value in 0..100 {
        patiently(|| bar.write(0x40, value));
        assert_eq!(patiently(|| bar.read(0x40)), value);
    }
    link.close();
}
