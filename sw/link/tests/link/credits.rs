//! Credits as the host grants and spends them.

use rnic_driver::{Bar, DmaBuffer, DmaMemory};
use rnic_link::{LinkEvent, LostReason};

use crate::support::bench::{options, Bench, DEVICE, HOST};
use crate::support::device::Knobs;
use crate::support::frame::{self, Frame};

#[test]
fn lk13_a_posted_tlp_beyond_its_limit_closes_the_session_with_reason_2() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    // The host's limits are 64 above what it has accepted, so only a device that cannot count comes here.
    bench.device(|device| {
        let read = |tag: u8| vec![0, 0, 0, 1, 1, 0, tag, 0x0F, 0, 0, 0x10, 0];
        (0..33).for_each(|tag| device.send_tlp(read(tag)));
    });
    // All 33 come in one step: the 33rd is one too many.
    link.work();
    bench.run(&link, 5);
    assert_eq!(link.lost(), Some(LostReason::Overrun));
    assert_eq!(bench.device(|device| device.closed), Some(2));
    assert!(std::iter::from_fn(|| link.next_event()).any(|event| event == LinkEvent::Lost(LostReason::Overrun)));
}

#[test]
fn lk12_lk13_a_limit_that_does_not_move_holds_writes_back() {
    let bench = Bench::new(Knobs { posted: 4, serves: true, ..Knobs::default() });
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    bench.device(|device| device.knobs.serves = false);
    let bar = link.platform().bar;
    let before = bench.device(|device| device.session.as_ref().unwrap().stream.expected);
    for number in 0..20 {
        bar.write(0x100, number).unwrap();
    }
    bench.run(&link, 1500);
    let sent = bench.device(|device| device.session.as_ref().unwrap().stream.expected) - before;
    assert_eq!(sent, 4);
    bench.device(|device| device.knobs.serves = true);
    bench.run(&link, 1000);
    assert_eq!(bench.device(|device| device.bus.registers[&0x100]), 19);
    bench.assert_clean();
}

/// Frames of a type that arrive at a port from now on, counted.
fn count(bench: &Bench, port: usize, which: impl Fn(&Frame) -> bool + 'static) -> std::rc::Rc<std::cell::Cell<u32>> {
    let counter = std::rc::Rc::new(std::cell::Cell::new(0));
    let counted = counter.clone();
    bench.hub.tap(port, move |bytes| {
        counted.set(counted.get() + u32::from(Frame::parse(bytes).is_ok_and(|frame| which(&frame))));
        vec![bytes.to_vec()]
    });
    counter
}

#[test]
fn lk15_a_lost_limit_is_asked_for_when_keep_alive_is_off() {
    let bench = Bench::new(Knobs { posted: 4, ..Knobs::default() });
    let link = bench.open(rnic_link::LinkOptions { keep_alive_ms: 0, ..options(1) }).unwrap();
    bench.run(&link, 1000);
    let bar = link.platform().bar;
    // All that the device says while it serves the four writes is lost, and it says no more.
    bench.device(|device| device.knobs.serves = false);
    (0..5).for_each(|number| bar.write(0x100, number).unwrap());
    bench.run(&link, 100);
    bench.hub.tap(HOST, |_| Vec::new());
    bench.device(|device| device.knobs.serves = true);
    bench.run(&link, 100);
    bench.hub.untap(HOST);
    let asked = count(&bench, DEVICE, |frame| frame.kind == frame::ACK && frame.flags & 2 != 0);
    bench.run(&link, 5000);
    assert_eq!(bench.device(|device| device.bus.registers[&0x100]), 4);
    assert!(asked.get() >= 1 && link.counters().credit_requests >= 1);
    bench.assert_clean();
}

#[test]
fn lk15_the_host_tells_its_limits_at_once_when_asked() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    let told = count(&bench, DEVICE, |frame| frame.kind == frame::ACK && frame.posted == 64 && frame.nonposted == 32);
    bench.device(|device| {
        let ask = Frame { flags: 2, ..device.blank(frame::ACK) };
        device.send(&ask);
    });
    link.work();
    assert_eq!(told.get(), 1);
}

#[test]
fn lk12_limits_of_the_host_count_what_it_has_served() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let buffer = link.platform().memory.allocate(4096).unwrap();
    bench.device(|device| {
        (0..100).for_each(|_| device.bus.write(buffer.bus_address(), &[1; 4]));
        (0..50).for_each(|_| {
            device.bus.read(buffer.bus_address(), 4);
        });
    });
    bench.run(&link, 5000);
    let last = std::rc::Rc::new(std::cell::RefCell::new(None));
    let seen = last.clone();
    bench.hub.tap(DEVICE, move |bytes| {
        *seen.borrow_mut() = Frame::parse(bytes).ok();
        vec![bytes.to_vec()]
    });
    link.platform().bar.write(0, 0).unwrap();
    let frame = last.borrow().clone().unwrap();
    assert_eq!((frame.posted, frame.nonposted), (164, 82));
    bench.assert_clean();
}

#[test]
fn lk8_a_limit_that_grew_by_a_quarter_is_told_at_once() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    let told = std::rc::Rc::new(std::cell::Cell::new((0, 0)));
    let seen = told.clone();
    bench.hub.tap(DEVICE, move |bytes| {
        let frame = Frame::parse(bytes).unwrap();
        seen.set((frame.posted, frame.nonposted));
        vec![bytes.to_vec()]
    });
    let buffer = link.platform().memory.allocate(4096).unwrap();
    for number in 1..=3 {
        bench.device(|device| {
            (0..16).for_each(|_| device.bus.write(buffer.bus_address(), &[1; 4]));
            for _ in 0..8 {
                device.bus.read(buffer.bus_address(), 4);
            }
        });
        // The device sends in the first microsecond, the host answers in it.
        link.work();
        assert_eq!(told.get(), (64 + 16 * number, 32 + 8 * number));
    }
}
