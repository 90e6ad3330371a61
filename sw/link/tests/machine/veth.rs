//! Raw sockets over a virtual cable: what runs within the namespace.

use std::process::Command;
use std::time::{Duration, Instant};

use rnic_driver::{Bar, DmaBuffer, DmaMemory};
use rnic_link::{Link, LinkError, LinkOptions, LostReason, MonotonicClock, PacketError, PacketSocket};

use crate::threaded::ThreadedDevice;
use crate::{again, patiently, run};

fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split(' ')).status().expect("ip starts");
    assert!(status.success(), "ip {arguments}");
}

/// Runs the tests within the namespace.
pub fn all() {
    ip("link add rnic0 type veth peer name rnic1");
    run(&[
        ("ho1_a_socket_says_what_is_missing", ho1_a_socket_says_what_is_missing),
        ("ho1_without_cap_net_raw_the_cure_is_named", ho1_without_cap_net_raw_the_cure_is_named),
        ("ho1_registers_and_memory_over_a_cable", ho1_registers_and_memory_over_a_cable),
        ("se2_a_host_that_is_killed_in_the_middle", se2_a_host_that_is_killed_in_the_middle),
        ("lk10_a_cable_that_is_pulled", lk10_a_cable_that_is_pulled),
    ]);
}

fn socket(interface: &str) -> PacketSocket {
    PacketSocket::open(interface).unwrap_or_else(|error| panic!("{interface}: {error}"))
}

/// The device's MAC address is its own, not that of the interface, so the interface must take all frames.
fn device() -> ThreadedDevice<PacketSocket> {
    let device = ThreadedDevice::new(socket("rnic1"));
    device.with(|device| device.mac = socket("rnic1").mac());
    device
}

fn options() -> LinkOptions {
    LinkOptions { host_mac: socket("rnic0").mac(), ..LinkOptions::default() }
}

fn open() -> Link<PacketSocket, MonotonicClock> {
    Link::open(socket("rnic0"), MonotonicClock::default(), options()).unwrap()
}

fn ho1_a_socket_says_what_is_missing() -> Option<&'static str> {
    assert!(matches!(PacketSocket::open("rnic7"), Err(PacketError::NoInterface { .. })));
    assert!(matches!(PacketSocket::open("rnic0"), Err(PacketError::Down { .. })));
    ip("link set rnic0 mtu 1000 up");
    assert!(matches!(PacketSocket::open("rnic0"), Err(PacketError::Mtu { mtu: 1000, .. })));
    ip("link set rnic0 mtu 1500");
    ip("link set rnic1 up");
    let error = Link::open(socket("rnic0"), MonotonicClock::default(), options()).unwrap_err();
    assert!(matches!(error, LinkError::NoDevice { .. }), "{error}");
    None
}

fn ho1_without_cap_net_raw_the_cure_is_named() -> Option<&'static str> {
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    match again(&nobody, "unprivileged").output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains("CAP_NET_RAW") && text.contains("setcap"), "{text}");
            None
        }
        _ => Some("setpriv cannot give up rights here"),
    }
}

/// In a process without rights: says what is missing.
pub fn unprivileged() {
    match PacketSocket::open("rnic0") {
        Err(error @ PacketError::NotPermitted) => println!("{error}"),
        other => panic!("{other:?}"),
    }
}

fn ho1_registers_and_memory_over_a_cable() -> Option<&'static str> {
    let device = device();
    let link = open();
    let service = link.serve().unwrap();
    let platform = link.platform();
    let buffer = platform.memory.allocate(1 << 16).unwrap();
    let data: Vec<u8> = (0..1 << 16).map(|byte: u32| (byte * 7 + byte / 256) as u8).collect();
    buffer.write_bytes(0, &data[..1 << 15]);
    let read = device.with(|device| {
        device.bus.write(buffer.bus_address() + (1 << 15), &data[1 << 15..]);
        device.bus.read(buffer.bus_address(), 1 << 15)
    });
    let start = Instant::now();
    let rounds = 2000;
    for value in 0..rounds {
        patiently(|| platform.bar.write(0x40, value));
        assert_eq!(patiently(|| platform.bar.read(0x40)), value);
    }
    let round = start.elapsed() / rounds;
    device.wait("the read ends", |device| device.bus.reads[read].done);
    device.with(|device| {
        assert!(device.bus.reads[read].data == data[..1 << 15]);
        device.bus.interrupt(3);
        assert_eq!(device.bus.violations, Vec::<String>::new());
    });
    assert_eq!(platform.bar.wait_interrupt(3, Duration::from_secs(10)), Ok(true));
    let mut seen = vec![0; 1 << 15];
    buffer.read_bytes(1 << 15, &mut seen);
    assert!(seen == data[1 << 15..], "the interrupt came behind the data");
    println!("  a register written and read: {round:?}; {} TLPs sent again", link.counters().tlps_resent);
    drop(service);
    link.close();
    None
}

/// In a process of its own: opens a session, lets the device write its memory for ever.
pub fn host_that_is_killed() {
    let link = open();
    let platform = link.platform();
    let buffer = platform.memory.allocate(1 << 16).unwrap();
    // The device learns from registers where it may write.
    platform.bar.write(0x44, (buffer.bus_address() >> 32) as u32).unwrap();
    platform.bar.write(0x40, buffer.bus_address() as u32).unwrap();
    loop {
        link.work();
    }
}

fn se2_a_host_that_is_killed_in_the_middle() -> Option<&'static str> {
    let device = device();
    let mut killed = again(&["env"], "host").spawn().expect("the program starts");
    device.wait("the first host tells its address", |device| device.bus.registers.contains_key(&0x40));
    let old = device.with(|device| {
        let word = |at| u64::from(device.bus.registers[&at]);
        let address = word(0x44) << 32 | word(0x40);
        (0..200).for_each(|_| device.bus.write(address, &[0xEE; 1 << 16]));
        address
    });
    device.wait("DMA is under way", |device| {
        device.session.as_ref().is_some_and(|session| session.stream.acknowledged > 300)
    });
    killed.kill().expect("it can be killed");
    killed.wait().expect("it ends");
    device.with(|device| assert!(!device.bus.ordered.is_empty(), "in the middle of a transfer to {old:#x}"));
    let link = open();
    let memory = link.platform().memory;
    let buffers: Vec<_> = (0..16).map(|_| memory.allocate(1 << 16).unwrap()).collect();
    patiently(|| link.platform().bar.read(0));
    device.with(|device| assert_eq!((device.resets, device.bus.ordered.len()), (2, 0)));
    let mut seen = vec![0; 1 << 16];
    for buffer in &buffers {
        buffer.read_bytes(0, &mut seen);
        assert!(seen.iter().all(|byte| *byte == 0));
    }
    assert_eq!((link.counters().bad_writes, link.lost()), (0, None));
    link.close();
    None
}

fn lk10_a_cable_that_is_pulled() -> Option<&'static str> {
    let device = device();
    let link = open();
    let bar = link.platform().bar;
    assert_eq!(patiently(|| bar.read(0x40)), 0);
    ip("link set rnic1 down");
    assert!(bar.read(0x40).is_err());
    // On a machine that is busy the read may give up before the link does.
    while link.lost().is_none() {
        link.work();
    }
    let reason = link.lost();
    let known = matches!(reason, Some(LostReason::NoProgress | LostReason::Silent | LostReason::Transport(_)));
    assert!(known, "{reason:?}");
    ip("link set rnic1 up");
    drop(device);
    let _device = self::device();
    let again = open();
    assert_eq!(patiently(|| again.platform().bar.read(0x40)), 0);
    None
}
