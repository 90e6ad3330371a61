//! Opening a session (section 2.4): what is asked, what is answered, what is lost on the way.

use std::cell::Cell;
use std::rc::Rc;

use rnic_driver::Bar;
use rnic_link::{LinkError, LinkOptions};

use crate::support::bench::{options, Bench, DEVICE, HOST};
use crate::support::device::Knobs;
use crate::support::frame::{self, Frame};

#[test]
fn open_agrees_on_the_smaller_sizes_and_finds_the_device_by_broadcast() {
    let bench = Bench::new(Knobs { max_payload: 256, ..Knobs::default() });
    let link = bench.open(LinkOptions { max_read: 128, ..options(1) }).unwrap();
    let info = link.info();
    assert_eq!((info.mac, info.max_payload, info.max_read), ([0x02, 0x52, 0x4E, 0x49, 0, 1], 256, 128));
    assert_eq!((info.tags, info.build, bench.device(|device| device.resets)), (8, 7, 1));
}

#[test]
fn open_without_a_device_ends_after_a_second() {
    let bench = Bench::new(Knobs { deaf: true, ..Knobs::default() });
    let error = bench.open(options(1)).unwrap_err();
    assert!(matches!(error, LinkError::NoDevice { tries: 100, dropped: 0 }), "{error}");
    assert!((990_000..1_010_000).contains(&bench.now()), "{} us", bench.now());
}

/// Drops the first `losses` frames of a kind that arrive at a port; answers how many were dropped.
fn drop_first(bench: &Bench, port: usize, kind: u8, losses: u32) -> Rc<Cell<u32>> {
    let dropped = Rc::new(Cell::new(0));
    let count = dropped.clone();
    bench.hub.tap(port, move |bytes| {
        let this = Frame::parse(bytes).is_ok_and(|frame| frame.kind == kind) && count.get() < losses;
        count.set(count.get() + u32::from(this));
        if this {
            Vec::new()
        } else {
            vec![bytes.to_vec()]
        }
    });
    dropped
}

#[test]
fn se1_each_type_may_be_lost_at_each_step_of_opening() {
    for (port, kind) in [
        (DEVICE, frame::OPEN),
        (HOST, frame::OPENED),
        (DEVICE, frame::TLP),
        (DEVICE, frame::ACK),
        (HOST, frame::ACK),
        (HOST, frame::TLP),
        (HOST, frame::BEACON),
    ] {
        for losses in [1, 2, 5] {
            let bench = Bench::new(Knobs::default());
            // The port of the host is made by opening; a tap needs it before.
            let wire = bench.hub.port();
            let dropped = drop_first(&bench, port, kind, losses);
            let link = rnic_link::Link::open(
                Box::new(wire) as Box<dyn rnic_link::FrameTransport>,
                bench.clock.clone(),
                options(1),
            );
            let link = link.unwrap();
            let bar = link.platform().bar;
            bar.write(0x40, 77).unwrap();
            assert_eq!(bar.read(0x40), Ok(77), "type {kind} lost {losses} times");
            assert_eq!(bench.device(|device| device.resets), 1, "the device is reset once");
            if matches!(kind, frame::OPEN | frame::OPENED | frame::TLP) {
                assert!(dropped.get() > 0, "type {kind}");
            }
            bench.assert_clean();
        }
    }
}

#[test]
fn a_device_that_was_named_is_the_only_one_that_may_answer() {
    let bench = Bench::new(Knobs::default());
    let named = |device_mac| LinkOptions { device_mac: Some(device_mac), ..options(1) };
    let error = bench.open(named([2, 0x52, 0x4E, 0x49, 0, 3])).unwrap_err();
    assert!(matches!(error, LinkError::NoDevice { dropped: 0, .. }), "{error}");
    let mac = bench.device(|device| device.mac);
    assert_eq!(bench.open(named(mac)).unwrap().info().mac, mac);
    bench.assert_clean();
}

#[test]
fn se1_opened_of_another_session_opens_nothing() {
    let bench = Bench::new(Knobs { deaf: true, ..Knobs::default() });
    let wire = bench.hub.port();
    let mut opened = Frame {
        to: LinkOptions::default().host_mac,
        from: [2, 0x52, 0x4E, 0x49, 0, 1],
        kind: frame::OPENED,
        flags: 0,
        session: 1,
        sequence: 0,
        ack: 0,
        posted: 16,
        nonposted: 8,
        body: vec![2, 0, 2, 0, 8, 16, 0, 0, 0, 0, 0, 7],
    };
    opened.body.resize(32, 0);
    bench.hub.inject(HOST, opened.bytes());
    let clock = bench.clock.clone();
    let error = rnic_link::Link::open(wire, clock, options(1)).unwrap_err();
    assert!(matches!(error, LinkError::NoDevice { dropped: 1, .. }), "{error}");
}

#[test]
fn opened_with_an_impossible_body_is_counted_and_not_believed() {
    let bench = Bench::new(Knobs { max_payload: 100, ..Knobs::default() });
    let error = bench.open(options(1)).unwrap_err();
    // The device believes in the session, so its keep-alive comes too.
    assert!(matches!(error, LinkError::NoDevice { tries: 100, dropped: 100.. }), "{error}");
}
