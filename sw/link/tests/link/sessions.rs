//! Refusing, losing, closing and reopening sessions (section 2.4).

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use rnic_driver::{Bar, BusError, DmaBuffer, DmaMemory};
use rnic_link::{LinkError, LinkEvent, LinkOptions, LostReason};

use crate::support::bench::{options, Bench, DEVICE, HOST};
use crate::support::device::Knobs;
use crate::support::frame::{self, Frame};

#[test]
fn a_second_host_is_refused_and_the_first_goes_on() {
    let bench = Bench::new(Knobs::default());
    let first = bench.open(options(1)).unwrap();
    let other = LinkOptions { host_mac: [2, 0, 0, 0, 0, 2], ..options(2) };
    let error = bench.open(other.clone()).unwrap_err();
    assert!(matches!(error, LinkError::Busy), "{error}");
    let bar = first.platform().bar;
    bar.write(0x40, 1).unwrap();
    assert_eq!(bar.read(0x40), Ok(1));
    // When the first one closes, the second may open.
    drop(bar);
    first.close();
    bench.device(|device| device.step(device.now + 1));
    assert_eq!(bench.device(|device| device.closed), Some(0));
    let second = bench.open(other).unwrap();
    assert_eq!(second.platform().bar.read(0x40), Ok(0), "the device was reset");
    bench.assert_clean();
}

#[test]
fn se2_a_killed_host_is_replaced_by_a_new_process_at_the_same_address() {
    let bench = Bench::new(Knobs::default());
    let killed = bench.open(options(1)).unwrap();
    let memory = killed.platform().memory;
    let old = memory.allocate(4096).unwrap();
    bench.device(|device| device.bus.write(old.bus_address(), &[1; 4000]));
    // Killed: it says nothing more, not even CLOSE; the new one has the same address.
    let new = bench.open(options(2)).unwrap();
    assert_eq!((new.platform().bar.read(0), bench.device(|device| device.resets)), (Ok(0), 2));
    // What is left of the old one learns from the device that its session is over.
    for _ in 0..300_000 {
        killed.work();
    }
    assert_eq!(killed.lost(), Some(LostReason::NoSession));
    bench.assert_clean();
}

#[test]
fn se1_writes_of_an_old_session_never_reach_new_memory() {
    let bench = Bench::new(Knobs::default());
    let old = bench.open(options(1)).unwrap();
    // Frames of the device to the host are kept back, and arrive late, in the next session.
    let late = Rc::new(RefCell::new(Vec::new()));
    let kept = late.clone();
    bench.hub.tap(HOST, move |bytes| {
        kept.borrow_mut().push(bytes.to_vec());
        Vec::new()
    });
    let memory = old.platform().memory;
    let poisoned = memory.allocate(4096).unwrap();
    bench.device(|device| device.bus.write(poisoned.bus_address(), &[0xEE; 4096]));
    bench.run(&old, 100);
    drop((old, memory));
    bench.hub.untap(HOST);
    let new = bench.open(options(2)).unwrap();
    let port = HOST + 1;
    let before = new.counters().other_session;
    for frame in late.borrow_mut().drain(..) {
        bench.hub.inject(port, frame);
    }
    bench.run(&new, 1000);
    assert!(new.counters().other_session > before);
    assert_eq!((poisoned.read_u32(0), new.counters().tlps_accepted, new.lost()), (0, 0, None));
    bench.assert_clean();
}

#[test]
fn se3_a_board_reset_is_known_within_one_timeout() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let platform = link.platform();
    bench.run(&link, 1000);
    bench.device(|device| device.reset());
    let before = bench.now();
    assert_eq!(platform.bar.read(0), Err(BusError::Gone));
    assert!(bench.now() - before < 2_100, "{} us", bench.now() - before);
    assert_eq!(link.lost(), Some(LostReason::NoSession));
    // All calls end, and keep ending.
    assert_eq!(platform.bar.write(0, 1), Err(BusError::Gone));
    assert_eq!(platform.bar.wait_interrupt(0, Duration::from_secs(10)), Err(BusError::Gone));
    assert_eq!(link.next_event(), Some(LinkEvent::Lost(LostReason::NoSession)));
    // Memory stays usable for the host.
    let buffer = platform.memory.allocate(4096).unwrap();
    buffer.write_u32(0, 1);
    drop((link, platform));
    let again = bench.open(options(2)).unwrap();
    assert_eq!(again.platform().bar.read(0x40), Ok(0));
    bench.assert_clean();
}

#[test]
fn se3_a_board_reset_in_the_middle_of_dma_leaves_a_prefix_of_what_was_written() {
    for steps in [1, 7, 50, 130] {
        let bench = Bench::new(Knobs::default());
        let link = bench.open(options(1)).unwrap();
        let buffer = link.platform().memory.allocate(1 << 16).unwrap();
        bench.device(|device| {
            device.bus.write(buffer.bus_address(), &[1; 1 << 16]);
            device.bus.read(buffer.bus_address(), 1 << 16);
        });
        bench.run(&link, steps);
        bench.device(|device| device.reset());
        let before = bench.now();
        while link.lost().is_none() {
            link.work();
        }
        // With something to acknowledge within one timeout, at rest with the next sign of life.
        assert!(bench.now() - before < 255_000, "{} us", bench.now() - before);
        assert_eq!(link.lost(), Some(LostReason::NoSession));
        let mut seen = vec![0; 1 << 16];
        buffer.read_bytes(0, &mut seen);
        let written = seen.iter().take_while(|byte| **byte == 1).count();
        assert!(seen[written..].iter().all(|byte| *byte == 0) && written % 512 == 0, "{written}");
        let again = bench.open(options(2)).unwrap();
        assert_eq!(again.platform().bar.read(0x40), Ok(0));
        bench.assert_clean();
    }
}

#[test]
fn a_close_of_the_device_ends_the_session_with_its_reason() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.device(|device| {
        let close = Frame { body: vec![0, 0, 0, 2], ..device.blank(frame::CLOSE) };
        device.send(&close);
        // The CLOSE of another session means nothing.
        let other = Frame { session: close.session ^ 1, ..close.clone() };
        device.send(&other);
    });
    bench.run(&link, 10);
    assert_eq!(link.lost(), Some(LostReason::ClosedByDevice(2)));
}

#[test]
fn no_session_of_another_number_means_nothing() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.device(|device| {
        let blank = device.blank(frame::NO_SESSION);
        device.send(&Frame { session: blank.session.wrapping_add(1), ..blank });
    });
    bench.run(&link, 10);
    assert_eq!((link.lost(), link.counters().other_session), (None, 1));
}

#[test]
fn close_delivers_what_was_written_and_gives_the_transport_back() {
    let bench = Bench::new(Knobs { posted: 1, ..Knobs::default() });
    let link = bench.open(options(1)).unwrap();
    let platform = link.platform();
    for value in 0..50 {
        platform.bar.write(0x40, value).unwrap();
    }
    let written = Rc::new(Cell::new(0));
    let seen = written.clone();
    bench.hub.tap(DEVICE, move |bytes| {
        let is_close = Frame::parse(bytes).is_ok_and(|frame| frame.kind == frame::CLOSE);
        seen.set(seen.get() + u32::from(is_close));
        if is_close {
            Vec::new()
        } else {
            vec![bytes.to_vec()]
        }
    });
    let transport = link.close();
    assert_eq!((bench.device(|device| device.bus.registers[&0x40]), written.get()), (49, 1));
    assert_eq!(platform.bar.read(0), Err(BusError::Gone));
    // The CLOSE was lost; the device takes the next session nevertheless.
    bench.hub.untap(DEVICE);
    let again = rnic_link::Link::open(transport, bench.clock.clone(), options(2)).unwrap();
    assert_eq!(again.platform().bar.read(0x40), Ok(0));
    bench.assert_clean();
}

#[test]
fn se4_two_seconds_of_silence_lose_the_session_on_both_sides_and_both_are_usable_again() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    bench.device(|device| device.knobs.deaf = true);
    bench.run(&link, 2_000_000);
    assert_eq!(link.lost(), Some(LostReason::Silent));
    bench.device(|device| {
        assert!(device.session.is_none());
        device.knobs.deaf = false;
    });
    let again = bench.open(options(2)).unwrap();
    assert_eq!(again.platform().bar.read(0), Ok(0));
    bench.assert_clean();
}

#[test]
fn ho4_a_register_that_does_not_answer_is_no_answer_after_250_ms() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let bar = link.platform().bar;
    bench.run(&link, 1000);
    bench.device(|device| device.knobs.serves = false);
    let before = bench.now();
    assert_eq!(bar.read(0x40), Err(BusError::NoAnswer { offset: 0x40 }));
    assert!((250_000..250_100).contains(&(bench.now() - before)));
    // Writes are taken until all room is used, then they end too: 16 at the device, 64 in the queue, 32 in the window.
    let ends = (0..200).find_map(|value| bar.write(0x44, value).err());
    assert_eq!(ends, Some(BusError::NoAnswer { offset: 0x44 }));
    assert_eq!(link.lost(), None, "the link is well");
    // The late completion is not taken for another one.
    bench.device(|device| device.knobs.serves = true);
    bench.run(&link, 5000);
    assert_eq!(bar.read(0x8008 + 16), Ok(1));
    assert_eq!((link.counters().completions_unexpected, link.counters().read_timeouts), (1, 1));
    bench.assert_clean();
}
