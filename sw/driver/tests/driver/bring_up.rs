//! Bring-up, identity, capabilities, registers, events, counters.

use std::time::Duration;

use rnic_abi::register as reg;
use rnic_driver::{
    BusError, Device, DmaSgEntry, Errno, Error, EventKind, Invalid, OpenOptions, Protocol, Syndrome, TimeLimits, Wait,
};
use rnic_mock::{Mock, Rig, LIMIT};

fn open_error(mock: &Mock) -> Error {
    Device::open(mock.platform()).unwrap_err()
}

#[test]
fn another_device_is_refused_and_nothing_is_written() {
    let mock = Mock::new();
    mock.with(|state| state.magic = 0xFFFF_FFFF);
    let error = open_error(&mock);
    assert_eq!((error, error.errno()), (Error::NotRnic { found: 0xFFFF_FFFF }, Errno::Enodev));
    assert!(mock.with(|state| state.writes.is_empty()));
}

#[test]
fn another_major_version_is_refused_and_nothing_is_written() {
    let mock = Mock::new();
    mock.with(|state| state.version = 0x0002_0000);
    let error = open_error(&mock);
    assert_eq!((error, error.errno()), (Error::MajorVersion { device: 2, driver: 1 }, Errno::Enodev));
    assert!(mock.with(|state| state.writes.is_empty()));
}

#[test]
fn another_minor_version_is_taken() {
    let mock = Mock::new();
    mock.with(|state| state.version = 0x0001_0007);
    assert_eq!(Device::open(mock.platform()).unwrap().capabilities().version, (1, 7));
}

#[test]
fn a_device_that_never_gets_ready_is_a_named_timeout() {
    let mock = Mock::new();
    mock.with(|state| state.never_ready = true);
    let error = open_error(&mock);
    assert_eq!((error, error.errno()), (Error::Timeout(Wait::Reset), Errno::Etimedout));
    let limit = TimeLimits::default().reset;
    assert!(mock.with(|state| state.now) >= limit, "gave up early");
}

#[test]
fn bring_up_runs_in_the_order_of_the_interface_page() {
    let mock = Mock::new();
    let mut address = [0; 16];
    address[10..].copy_from_slice(&[0xFF, 0xFF, 10, 0, 0, 1]);
    let options = OpenOptions {
        mac: Some([2, 0x11, 0x22, 0x33, 0x44, 0x55]),
        addresses: vec![address],
        ..OpenOptions::default()
    };
    let device = Device::open_with(mock.platform(), options).unwrap();
    let writes = mock.with(|state| state.writes.clone());
    let order: Vec<u32> = writes.iter().map(|(offset, _)| *offset).collect();
    let expected = [
        reg::CONTROL,
        reg::MAC_LOW,
        reg::MAC_HIGH,
        0x0380,
        0x0384,
        0x0388,
        0x038C,
        reg::EVENT_BASE_LOW,
        reg::EVENT_BASE_HIGH,
        reg::EVENT_CONSUMER,
        reg::EVENT_LOG2,
        reg::CONTROL,
    ];
    assert_eq!(order, expected);
    let value = |offset| writes.iter().rev().find(|(to, _)| *to == offset).unwrap().1;
    assert_eq!((value(reg::MAC_LOW), value(reg::MAC_HIGH)), (0x3322_1102, 0x5544));
    assert_eq!((value(0x0388), value(0x038C)), (0xFFFF_0000, 0x0100_000A));
    assert_eq!((writes[0].1, writes.last().unwrap().1), (1, 2), "reset first, enable last");
    drop(device);
}

#[test]
fn a1_capabilities_are_read_from_the_registers() {
    let rig = Rig::new();
    let capabilities = rig.device.capabilities();
    assert!(capabilities.mem_mgt_ext && capabilities.rc && capabilities.atomic_hca);
    assert!(!capabilities.sg_gaps && !capabilities.mw);
    let offered = rnic_abi::caps::OFFERED;
    assert_eq!(capabilities.read_inv, offered & rnic_abi::caps::READ_INV != 0);
    assert_eq!(capabilities.raw, offered & rnic_abi::caps::RAW != 0);
    assert_eq!(capabilities.local_dma_lkey, 0xFF);
    assert_eq!((capabilities.mr_entries, capabilities.max_mr), (32, 31));
    assert_eq!((capabilities.max_fast_reg_page_list_len, capabilities.max_inline_pages), (32, 4));
    assert_eq!(capabilities.page_size_cap, 0x003F_F000);
    assert_eq!(capabilities.max_mr_len, 1 << 26);
    assert_eq!((capabilities.qps, capabilities.cqs, capabilities.qp_index_bits()), (8, 16, 3));
    assert_eq!((capabilities.max_sq_log2, capabilities.max_rq_log2), (15, 15));
    assert_eq!((capabilities.max_cq_log2, capabilities.max_event_log2), (16, 12));
    assert_eq!((capabilities.dma_addr_width, capabilities.vectors), (52, 8));
    assert_eq!((capabilities.rd_max, capabilities.max_sge), (4, 4));
    assert_eq!((capabilities.data_bits, capabilities.core_khz, capabilities.page_buffer_entries), (64, 50_000, 512));
}

#[test]
fn the_last_handle_resets_the_device_before_memory_goes() {
    let Rig { mock, device, pd, cq, qp } = Rig::new();
    let other = device.clone();
    drop((device, pd, cq, qp));
    assert!(mock.written(reg::CONTROL).is_empty(), "one handle is left");
    assert!(mock.with(|state| state.memory.len()) >= 4, "rings stay while the device lives");
    drop(other);
    assert_eq!(mock.written(reg::CONTROL), [1]);
    assert_eq!(mock.with(|state| state.memory.len()), 0);
}

#[test]
fn too_many_own_addresses_are_refused() {
    let options = OpenOptions { addresses: vec![[0; 16]; 9], ..OpenOptions::default() };
    let error = Device::open_with(Mock::new().platform(), options).unwrap_err();
    assert_eq!(error, Error::Invalid(Invalid::AddressIndex));
    let rig = Rig::new();
    assert_eq!(rig.device.set_own_address(8, [0; 16]).unwrap_err().errno(), Errno::Einval);
    rig.device.set_own_address(7, [9; 16]).unwrap();
    assert_eq!(rig.device.read_register(0x03FC).unwrap(), 0x0909_0909);
}

#[test]
fn registers_answer_as_the_device_does() {
    let rig = Rig::new();
    assert_eq!(rig.device.read_register(0x9000), Err(BusError::Decode { offset: 0x9000 }));
    let refused = rig.device.write_register(reg::MAGIC, 1).unwrap_err();
    assert_eq!((refused, refused.errno()), (BusError::Refused { offset: 0 }, Errno::Eio));
    rig.device.write_register(reg::WINDOW, 77).unwrap();
    assert_eq!(rig.device.read_register(reg::WINDOW).unwrap(), 77);
}

#[test]
fn events_come_in_order_over_several_rounds_of_the_ring() {
    let mock = Mock::new();
    let options = OpenOptions { event_log2: 4, ..OpenOptions::default() };
    let device = Device::open_with(mock.platform(), options).unwrap();
    assert_eq!(device.poll_event().unwrap(), None);
    for round in 0..10 {
        for number in 0..7 {
            mock.with(|state| state.raise_event(5, number, round));
        }
        for number in 0..7 {
            let event = device.poll_event().unwrap().unwrap();
            assert_eq!((event.kind, event.number, event.detail), (EventKind::SqDrained, number, round));
        }
        assert_eq!(device.poll_event().unwrap(), None);
        assert_eq!(device.read_register(reg::EVENT_CONSUMER).unwrap(), 7 * (round + 1));
    }
}

#[test]
fn an_unknown_event_is_a_protocol_error_and_is_skipped() {
    let rig = Rig::new();
    rig.mock.with(|state| state.raise_event(77, 1, 2));
    rig.mock.with(|state| state.raise_event(0, 3, 0));
    assert_eq!(rig.device.poll_event(), Err(Error::Protocol(Protocol::Event { kind: 77 })));
    assert_eq!(rig.device.wait_event(LIMIT).unwrap().kind, EventKind::CqErr);
    let start = rig.device.now();
    assert_eq!(rig.device.wait_event(LIMIT), Err(Error::Timeout(Wait::Event)));
    assert!(rig.device.now() - start >= LIMIT && rig.device.now() - start < 2 * LIMIT);
}

#[test]
fn an_event_overflow_is_told_once() {
    let rig = Rig::new();
    assert!(!rig.device.take_event_overflow().unwrap());
    rig.mock.with(|state| state.status |= 4);
    assert!(rig.device.take_event_overflow().unwrap());
    assert!(!rig.device.take_event_overflow().unwrap());
}

#[test]
fn m3_counters_are_read_and_cleared_by_syndrome_and_reason() {
    let rig = Rig::new();
    rig.mock.with(|state| {
        state.registers.insert(0x1000 + 4 * 0x0C, 5);
        state.registers.insert(0x1200 + 4 * 0x0A, 7);
    });
    assert_eq!(rig.device.error_count(Syndrome::Wrap).unwrap(), 5);
    assert_eq!(rig.device.error_count(Syndrome::Cover).unwrap(), 0);
    assert_eq!(rig.device.drop_count(0x0A).unwrap(), 7);
    assert_eq!(rig.device.counters().unwrap(), (vec![(0x0C, 5)], vec![(0x0A, 7)]));
    rig.device.clear_error_count(Syndrome::Wrap).unwrap();
    assert_eq!(rig.device.counters().unwrap(), (vec![], vec![(0x0A, 7)]));
    rig.device.clear_drop_count(0x0A).unwrap();
    assert_eq!(rig.device.counters().unwrap(), (vec![], vec![]));
}

#[test]
fn f8_memory_is_mapped_and_unmapped_by_the_platform() {
    let rig = Rig::new();
    let entry = DmaSgEntry { address: 0x9000, length: 0x2000 };
    let list = rig.device.dma_map(&[entry], rnic_driver::Direction::ToDevice).unwrap();
    assert_eq!((list.entries(), list.direction()), (&[entry][..], rnic_driver::Direction::ToDevice));
    rig.device.dma_unmap(list).unwrap();
    assert_eq!(rig.device.dma_map(&[], rnic_driver::Direction::ToDevice).unwrap_err().errno(), Errno::Eio);
}

#[test]
fn no_memory_for_the_event_ring_is_told() {
    let mock = Mock::new();
    mock.with(|state| state.allocations_left = 0);
    assert_eq!(open_error(&mock).errno(), Errno::Enomem);
    assert!(Duration::from_secs(1) > mock.with(|state| state.now));
}

#[test]
fn a1_capabilities_that_the_driver_cannot_compute_with_are_a_named_error() {
    for (offset, value) in [
        (reg::RING_LOG2, 0x0310_0F0F), // an event ring below the least
        (reg::RING_LOG2, 0x1010_0F0F), // or beyond what its counts can tell
        (reg::RING_LOG2, 0x0C20_0F0F),
        (reg::RING_LOG2, 0x0C10_2000),
        (reg::RING_LOG2, 0x0C10_0F01),
        (reg::LIMITS, 0x0404_0880), // 128 bits of a bus address
        (reg::LIMITS, 0x0404_0800),
        (reg::LIMITS, 0x0404_0034), // no vector
        (reg::LIMITS, 0x0504_0834), // more elements than a request has room for
        (reg::PAGE_LIST, 0x0005_0020),
        (reg::QUEUES, 0x0010_0001),
        (reg::QUEUES, 0x0010_0006),
        (reg::QUEUES, 0x0000_0008),
        (reg::MR_ENTRIES, 0x0100_0001),
    ] {
        let mock = Mock::new();
        mock.with(|state| state.wrong.insert(offset, value));
        assert_eq!(open_error(&mock), Error::Protocol(Protocol::Capability { offset, value }), "{value:#010x}");
    }
}

#[test]
fn a_wait_may_be_without_end() {
    let rig = Rig::new();
    rig.qp.post_send(rig.invalidation(1, &rig.mr())).unwrap();
    assert_eq!(rig.cq.wait(Duration::MAX), Ok(true));
}
