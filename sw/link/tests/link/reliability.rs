//! Sequence numbers, acknowledgements and timers on the wire.

use rnic_driver::{Bar, DmaBuffer, DmaMemory};
use rnic_link::{LinkOptions, LostReason};

use crate::support::bench::{options, Bench, DEVICE};
use crate::support::device::Knobs;
use crate::support::frame::{self, Frame};

#[test]
fn lk5_sequence_numbers_and_limits_wrap_in_both_directions() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let platform = link.platform();
    let buffer = platform.memory.allocate(4096).unwrap();
    // More than 2^16 in each direction; what comes back tells that none was lost or doubled.
    for round in 0..68_u32 {
        for number in 0..1000 {
            let value = 1000 * round + number;
            platform.bar.write(0x40, value).unwrap();
            if number % 8 == 0 {
                bench
                    .device(|device| (0..8).for_each(|_| device.bus.write(buffer.bus_address(), &value.to_le_bytes())));
            }
        }
        assert_eq!(platform.bar.read(0x40), Ok(1000 * round + 999));
    }
    assert_eq!(buffer.read_u32(0), 67_992);
    let counters = link.counters();
    assert!(counters.tlps_sent > 68_000 && counters.tlps_accepted > 68_000, "{counters:?}");
    assert_eq!((counters.tlps_resent, counters.duplicates, counters.bad_ack), (0, 0, 0));
    bench.device(|device| {
        let stream = &device.session.as_ref().unwrap().stream;
        assert!(stream.sent > 1 << 16 && stream.expected > 1 << 16);
        let values = device.bus.written.iter().filter(|(offset, _)| *offset == 0x40).map(|(_, value)| *value);
        assert!(values.eq(0..68_000));
    });
    bench.assert_clean();
}

#[test]
fn lk7_a_frame_with_an_ack_outside_the_window_is_dropped_whole() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    let buffer = link.platform().memory.allocate(4096).unwrap();
    bench.device(|device| {
        let address = (buffer.bus_address() as u32).to_be_bytes();
        let mut body = vec![0x40, 0, 0, 1, 1, 0, 0, 0x0F];
        body.extend(address);
        body.extend([7; 4]);
        for wrong in [1, 100, 0x8000, u16::MAX] {
            let good = device.blank(frame::TLP);
            let ack = good.ack.wrapping_add(wrong);
            device.send(&Frame { ack, body: body.clone(), posted: 0x7000, flags: 2, ..good });
        }
    });
    bench.run(&link, 1000);
    let counters = link.counters();
    assert_eq!((counters.bad_ack, buffer.read_u32(0), counters.tlps_accepted), (4, 0, 0));
    assert_eq!((link.platform().bar.read(0x8008), link.lost()), (Ok(0), None), "the link goes on");
    bench.assert_clean();
}

#[test]
fn lk9_a_storm_of_naks_causes_one_resend_in_200_us() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    bench.hub.tap(DEVICE, |_| Vec::new());
    for number in 0..4 {
        link.platform().bar.write(0x40, number).unwrap();
    }
    for _ in 0..1000 {
        bench.device(|device| {
            let nak = device.blank(frame::NAK);
            device.send(&nak);
        });
        link.work();
    }
    let counters = link.counters();
    assert_eq!(counters.naks_received, 1000);
    assert_eq!(counters.tlps_resent, 4 * 5, "in a millisecond");
    bench.hub.untap(DEVICE);
    bench.run(&link, 3000);
    assert_eq!(bench.device(|device| device.bus.registers[&0x40]), 3);
    bench.assert_clean();
}

#[test]
fn lk10_se4_100_ms_of_total_loss_are_only_a_delay() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    let platform = link.platform();
    bench.run(&link, 1000);
    bench.device(|device| device.knobs.deaf = true);
    platform.bar.write(0x40, 5).unwrap();
    bench.run(&link, 100_000);
    assert_eq!(link.lost(), None);
    bench.device(|device| device.knobs.deaf = false);
    assert_eq!(platform.bar.read(0x40), Ok(5));
    bench.assert_clean();
}

#[test]
fn lk10_without_progress_the_session_is_lost_after_200_ms() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    bench.device(|device| device.knobs.deaf = true);
    let before = bench.now();
    link.platform().bar.write(0x40, 5).unwrap();
    while link.lost().is_none() {
        link.work();
    }
    assert_eq!(link.lost(), Some(LostReason::NoProgress));
    let took = bench.now() - before;
    assert!((200_000..203_000).contains(&took), "{took} us");
    assert_eq!(link.counters().retransmit_timeouts, 100);
}

#[test]
fn lk11_an_idle_host_speaks_each_quarter_of_keep_alive() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 10_000);
    let before = link.counters();
    bench.run(&link, 1_000_000);
    let after = link.counters();
    assert_eq!((after.frames_sent - before.frames_sent, after.tlps_sent), (4, before.tlps_sent));
    assert!(link.lost().is_none() && bench.device(|device| device.session.is_some()));
    bench.assert_clean();
}

#[test]
fn lk11_silence_ends_the_session_and_keep_alive_0_never_does() {
    for (keep_alive_ms, lost) in [(100, Some(LostReason::Silent)), (0, None)] {
        let bench = Bench::new(Knobs::default());
        let link = bench.open(LinkOptions { keep_alive_ms, ..options(1) }).unwrap();
        bench.run(&link, 1000);
        bench.device(|device| device.knobs.deaf = true);
        bench.run(&link, 99_000);
        assert_eq!(link.lost(), None);
        bench.run(&link, 2_000_000);
        assert_eq!(link.lost(), lost);
    }
}

#[test]
fn lk6_lk8_what_the_host_answers_to_each_sequence_number() {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    let frames = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let seen = frames.clone();
    bench.hub.tap(DEVICE, move |bytes| {
        let frame = Frame::parse(bytes).unwrap();
        seen.borrow_mut().push((frame.kind, frame.ack));
        Vec::new()
    });
    let message = vec![0x30, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let send = |sequence: u16| {
        bench.device(|device| {
            let frame = Frame { sequence, body: message.clone(), ..device.blank(frame::TLP) };
            device.send(&frame);
        });
        link.work();
        frames.borrow_mut().drain(..).collect::<Vec<_>>()
    };
    assert_eq!(send(0), [], "not yet");
    assert_eq!(send(0), [(frame::ACK, 1)], "a duplicate is acknowledged at once");
    assert_eq!(send(2), [(frame::NAK, 1)], "one is missing");
    assert_eq!(send(3), [], "one NAK is enough");
    assert_eq!((send(1), send(2), send(3)), (vec![], vec![], vec![]));
    assert_eq!(send(4), [(frame::ACK, 5)], "four");
    assert_eq!(send(5), []);
    for _ in 0..20 {
        link.work();
    }
    assert_eq!(frames.borrow_mut().drain(..).collect::<Vec<_>>(), [(frame::ACK, 6)], "after 20 us");
}
