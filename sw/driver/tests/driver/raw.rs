//! Raw rings.

use rnic_abi::{raw, register as reg};
use rnic_driver::{BusError, Busy, Device, Errno, Error, Feature, Invalid, RawFrame, RawOptions, LONGEST_FRAME};
use rnic_mock::{Mock, MockPlatform};

fn open() -> (Mock, Device<MockPlatform>) {
    let mock = Mock::new();
    mock.with(|state| state.caps = 0x41);
    let device = Device::open(mock.platform()).unwrap();
    device.open_raw(RawOptions { receive_log2: 4, send_log2: 4, ..Default::default() }).unwrap();
    (mock, device)
}

fn frame(number: u32) -> Vec<u8> {
    (0..62 + 4 * (number as usize % 50)).map(|at| (at as u32 * 3 + number) as u8).collect()
}

#[test]
fn a2_raw_rings_need_the_capability_and_are_opened_once() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 1);
    let device = Device::open(mock.platform()).unwrap();
    let error = device.open_raw(RawOptions::default()).unwrap_err();
    assert_eq!((error, error.errno()), (Error::NotSupported(Feature::Raw), Errno::Eopnotsupp));
    assert_eq!(device.send_raw(&[0; 60], false), Err(Error::Invalid(Invalid::RawRings)));
    assert_eq!(device.receive_raw(), Err(Error::Invalid(Invalid::RawRings)));
    let (_mock, device) = open();
    assert_eq!(device.open_raw(RawOptions::default()), Err(Error::Busy(Busy::RawRings)));
}

#[test]
fn t95_all_receive_buffers_are_given_to_the_device() {
    let (mock, _device) = open();
    assert_eq!(mock.written(reg::RAW_RECEIVE_PRODUCER), [0, 16]);
    assert_eq!((mock.written(reg::RAW_RECEIVE_LOG2), mock.written(reg::RAW_SEND_LOG2)), (vec![4], vec![4]));
    let order: Vec<u32> = mock.with(|state| state.writes.iter().map(|(offset, _)| *offset).collect());
    assert_eq!(order.last(), Some(&reg::RAW_RECEIVE_PRODUCER), "the doorbell comes last");
}

#[test]
fn t95_frames_are_received_in_order_through_many_rounds() {
    let (mock, device) = open();
    let mut sent = 0;
    for round in 0..40 {
        let burst = 1 + round % 16;
        for _ in 0..burst {
            assert!(mock.with(|state| state.receive_raw(&frame(sent), raw::ICRC_OK)));
            sent += 1;
        }
        for number in sent - burst..sent {
            let received = device.receive_raw().unwrap().unwrap();
            assert_eq!((received.bytes, received.icrc_ok, received.error), (frame(number), true, false));
        }
        assert_eq!(device.receive_raw(), Ok(None));
    }
    assert!(mock.with(|state| state.stray_accesses.is_empty()));
}

#[test]
fn t95_without_a_buffer_there_is_no_frame() {
    let (mock, device) = open();
    let taken = (0..20).take_while(|number| mock.with(|state| state.receive_raw(&frame(*number), 0))).count();
    assert_eq!(taken, 16);
    device.receive_raw().unwrap().unwrap();
    assert!(mock.with(|state| state.receive_raw(&frame(16), 0)), "the buffer is there again");
}

#[test]
fn flags_tell_about_a_received_frame() {
    let (mock, device) = open();
    let plain =
        RawFrame { bytes: frame(0), icrc_ok: false, vlan: false, broadcast: false, truncated: false, error: false };
    for (flag, expected) in [
        (raw::VLAN, RawFrame { vlan: true, ..plain.clone() }),
        (raw::BROADCAST, RawFrame { broadcast: true, ..plain.clone() }),
        (raw::ERROR, RawFrame { error: true, bytes: vec![], ..plain.clone() }),
    ] {
        mock.with(|state| state.receive_raw(&frame(0), flag));
        assert_eq!(device.receive_raw(), Ok(Some(expected)));
    }
    mock.with(|state| state.receive_raw(&vec![7; 5000], raw::TRUNCATED));
    let cut = device.receive_raw().unwrap().unwrap();
    assert_eq!((cut.bytes.len(), cut.truncated), (LONGEST_FRAME, true));
}

#[test]
fn t95_frames_are_sent_in_order_and_the_ring_is_limited() {
    let (mock, device) = open();
    for number in 0..100 {
        device.send_raw(&frame(number), number % 2 == 1).unwrap();
        if number % 10 == 9 {
            mock.run();
        }
    }
    let sent = mock.with(|state| std::mem::take(&mut state.raw_sent));
    let expected: Vec<_> = (0..100).map(|number| (frame(number), number % 2)).collect();
    assert_eq!(sent, expected);
    assert_eq!(device.raw_unsent(), Ok((0, 0)));
    mock.with(|state| state.held = true);
    (0..16).for_each(|_| device.send_raw(&[1; 60], false).unwrap());
    let full = device.send_raw(&[1; 60], false).unwrap_err();
    assert_eq!((full, full.errno()), (Error::Busy(Busy::RawSend), Errno::Ebusy));
    assert_eq!(device.raw_unsent(), Ok((16, 0)));
    mock.with(|state| (state.held, state.raw_flags) = (false, raw::ERROR));
    mock.run();
    assert_eq!(device.raw_unsent(), Ok((0, 16)), "the device could not read them");
}

#[test]
fn a_frame_has_a_header_and_an_end() {
    let (_mock, device) = open();
    for bytes in [0, 13, LONGEST_FRAME + 1, 10_000] {
        assert_eq!(device.send_raw(&vec![0; bytes], false), Err(Error::Invalid(Invalid::FrameLength)));
    }
    device.send_raw(&[0; 14], false).unwrap();
    device.send_raw(&[0; LONGEST_FRAME], false).unwrap();
}

#[test]
fn t96_only_packets_of_the_transport_get_an_icrc() {
    let (_mock, device) = open();
    for bytes in [14, 50, 55, 56, 57, LONGEST_FRAME - 4, LONGEST_FRAME - 2] {
        assert_eq!(device.send_raw(&vec![0; bytes], true), Err(Error::Invalid(Invalid::FrameLength)));
    }
    device.send_raw(&[0; 54], true).unwrap();
    device.send_raw(&[0; LONGEST_FRAME - 6], true).unwrap();
}

#[test]
fn t95_a_frame_longer_than_its_buffer_comes_truncated() {
    let mock = Mock::new();
    mock.with(|state| state.caps = 0x41);
    let device = Device::open(mock.platform()).unwrap();
    device.open_raw(RawOptions { receive_log2: 4, receive_bytes: 97, ..Default::default() }).unwrap();
    for number in 0..40 {
        let sent = frame(number);
        mock.with(|state| state.receive_raw(&sent, if sent.len() > 104 { raw::TRUNCATED } else { 0 }));
        let received = device.receive_raw().unwrap().unwrap();
        assert_eq!((received.truncated, &received.bytes[..]), (sent.len() > 104, &sent[..sent.len().min(104)]));
    }
}

/// What a call answers while the doorbell at `offset` cannot be written.
fn while_broken<T>(mock: &Mock, offset: u32, call: impl FnOnce() -> T) -> T {
    mock.with(|state| state.broken = Some(offset));
    let answer = call();
    mock.with(|state| state.broken = None);
    answer
}

#[test]
fn after_a_bus_error_raw_rings_are_opened_by_a_second_call() {
    let registers = [
        reg::RAW_RECEIVE_BASE_LOW,
        reg::RAW_RECEIVE_LOG2,
        reg::RAW_SEND_BASE_HIGH,
        reg::RAW_SEND_PRODUCER,
        reg::RAW_SEND_LOG2,
    ];
    for offset in registers {
        let mock = Mock::new();
        mock.with(|state| state.caps = 0x41);
        let device = Device::open(mock.platform()).unwrap();
        let options = RawOptions { receive_log2: 4, send_log2: 4, ..Default::default() };
        let error = Error::Bus(BusError::NoAnswer { offset });
        assert_eq!(while_broken(&mock, offset, || device.open_raw(options)), Err(error));
        assert_eq!(device.raw_unsent(), Err(Error::Invalid(Invalid::RawRings)));
        assert!(!mock.with(|state| state.receive_raw(&frame(0), 0)), "nothing is given to the device yet");
        device.open_raw(options).unwrap();
        assert!(mock.with(|state| state.receive_raw(&frame(1), 0)));
        assert_eq!(device.receive_raw().unwrap().unwrap().bytes, frame(1));
        device.send_raw(&frame(2), false).unwrap();
        mock.run();
        assert_eq!(mock.with(|state| state.raw_sent.len()), 1);
    }
}

#[test]
fn a_bus_error_loses_no_received_frame_and_no_buffer() {
    let (mock, device) = open();
    let broken = Error::Bus(BusError::NoAnswer { offset: reg::RAW_RECEIVE_PRODUCER });
    (0..16).for_each(|number| assert!(mock.with(|state| state.receive_raw(&frame(number), 0))));
    while_broken(&mock, reg::RAW_RECEIVE_PRODUCER, || {
        assert_eq!(device.receive_raw().unwrap().unwrap().bytes, frame(0), "the frame is there all the same");
        assert_eq!(device.receive_raw(), Err(broken));
        assert_eq!(device.receive_raw(), Err(broken));
    });
    for number in 1..16 {
        assert_eq!(device.receive_raw().unwrap().unwrap().bytes, frame(number));
    }
    let taken = (16..40).take_while(|number| mock.with(|state| state.receive_raw(&frame(*number), 0))).count();
    assert_eq!(taken, 16, "all buffers are with the device again");
    assert_eq!(device.receive_raw().unwrap().unwrap().bytes, frame(16));
}

#[test]
fn a_bus_error_sends_no_frame_twice_and_forgets_none() {
    let (mock, device) = open();
    let broken = Error::Bus(BusError::NoAnswer { offset: reg::RAW_SEND_PRODUCER });
    while_broken(&mock, reg::RAW_SEND_PRODUCER, || {
        assert_eq!(device.send_raw(&frame(0), false), Ok(()));
        assert_eq!(device.send_raw(&frame(1), false), Err(broken));
        assert_eq!(device.raw_unsent(), Err(broken));
    });
    assert_eq!(device.raw_unsent(), Ok((1, 0)));
    mock.run();
    device.send_raw(&frame(1), false).unwrap();
    mock.run();
    assert_eq!(mock.with(|state| std::mem::take(&mut state.raw_sent)), [(frame(0), 0), (frame(1), 0)]);
    assert_eq!(device.raw_unsent(), Ok((0, 0)));
}
