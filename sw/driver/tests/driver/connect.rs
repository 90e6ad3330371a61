//! Connecting two queue pairs, and what a device is on the network.

use rnic_driver::{
    source_port, Access, ConnectOptions, Device, Endpoint, Errno, Error, Invalid, OpenOptions, PathMtu, QpOptions,
    QpState, ReceiveRequest,
};
use rnic_mock::{Mock, MockPlatform, Rig};

const MAC: [u8; 6] = [0x02, 0x11, 0x22, 0x33, 0x44, 0x55];

fn ipv4(last: u8) -> [u8; 16] {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last]
}

fn ipv6(last: u8) -> [u8; 16] {
    [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]
}

fn device(mock: &Mock) -> Device<MockPlatform> {
    let options = OpenOptions { mac: Some(MAC), addresses: vec![ipv4(1), ipv6(1)], ..OpenOptions::default() };
    Device::open_with(mock.platform(), options).unwrap()
}

fn peer(address: [u8; 16]) -> Endpoint {
    Endpoint { qpn: 0x22, psn: 0xFF_FFFF, mac: [0x02, 0, 0, 0, 0, 9], address }
}

#[test]
fn own_mac_and_addresses_are_those_of_the_registers() {
    let mock = Mock::new();
    let device = device(&mock);
    assert_eq!(device.mac(), Ok(MAC));
    assert_eq!(device.own_address(0), Ok(Some(ipv4(1))));
    assert_eq!((device.own_address(1), device.own_address(2)), (Ok(Some(ipv6(1))), Ok(None)));
    assert_eq!(device.own_address(8), Err(Error::Invalid(Invalid::AddressIndex)));
    device.set_own_address(2, ipv4(3)).unwrap();
    device.set_mac([2, 0, 0, 0, 0, 1]).unwrap();
    assert_eq!((device.own_address(2), device.mac()), (Ok(Some(ipv4(3))), Ok([2, 0, 0, 0, 0, 1])));
    device.set_own_address(2, [0; 16]).unwrap();
    assert_eq!(device.own_address(2), Ok(None));
}

#[test]
fn t86_the_source_port_follows_from_the_two_numbers() {
    assert_eq!(source_port(0x11, 0x22), 0xC242);
    assert_eq!(source_port(0x12_3456, 0xAB_CDEF), 0xC3C8);
    assert_eq!(source_port(0xFF_FFFF, 0xFF_FFFF), 0xFF21);
    for (a, b) in [(2, 3), (0x123, 0xFF_0001), (0xFF_FFFF, 2)] {
        assert_eq!(source_port(a, b), source_port(b, a));
    }
}

#[test]
fn g9_an_mtu_is_one_of_five() {
    assert_eq!(PathMtu::ALL.map(PathMtu::code), [1, 2, 3, 4, 5]);
    assert_eq!(PathMtu::ALL.map(PathMtu::bytes), [256, 512, 1024, 2048, 4096]);
    assert_eq!((PathMtu::from_bytes(2048), PathMtu::from_bytes(1500)), (Some(PathMtu::Bytes2048), None));
}

#[test]
fn t1_connecting_goes_from_reset_to_rts_with_what_both_sides_know() {
    let mock = Mock::new();
    let device = device(&mock);
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(16, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    let own = qp.endpoint(0, 0xABCDE).unwrap();
    assert_eq!(own.endpoint(), Endpoint { qpn: qp.number(), psn: 0xABCDE, mac: MAC, address: ipv4(1) });
    let options = ConnectOptions {
        mtu: PathMtu::Bytes4096,
        access: Access::REMOTE_WRITE | Access::REMOTE_READ,
        max_rd: 4,
        max_dest_rd: 3,
        min_rnr: 5,
        ..ConnectOptions::default()
    };
    qp.to_init(&Default::default()).unwrap();
    qp.connect_from_init(&own, &peer(ipv4(2)), &options).unwrap();
    assert_eq!(qp.state(), QpState::Rts);
    let words = mock.with(|state| state.qps[&qp.index()].modified_by.clone());
    assert_eq!((words[1], words[2]), (3, 0b1_1111_0000_0000));
    assert_eq!((words[6], words[7], words[8]), (0xABCDE, 7 << 16 | 7 << 8 | 14, 4), "PSN, timers, READs");
    // Again from RESET, to see the words of every step.
    qp.reset().unwrap();
    let before = mock.with(|state| state.writes.len());
    qp.connect(&own, &peer(ipv4(2)), &options).unwrap();
    let commands = commands(&mock, before);
    assert_eq!(commands.iter().map(|words| words[1]).collect::<Vec<_>>(), [1, 2, 3], "INIT, RTR, RTS");
    let [init, rtr, rts] = &commands[..] else { panic!("{} commands", commands.len()) };
    assert_eq!((init[2], init[3]), (0b11, 0x0006_FFFF), "pkey and access");
    assert_eq!((rtr[2], rtr[3], rtr[4], rtr[5]), (0b1111_1111, 0x0506_FFFF, 0x22, 0xFF_FFFF), "MTU, peer, its PSN");
    assert_eq!((rtr[7], rtr[8], rtr[9]), (5 << 24, 3 << 8, source_port(qp.number(), 0x22).into()));
    assert_eq!((rtr[0xA], rtr[0xB], rtr[0x11]), (0x2, 0x0000_0900, 64 << 8), "MAC, own address 0, IPv4, hop limit");
    assert_eq!((rtr[0xC], rtr[0xE], rtr[0xF]), (0, 0xFFFF_0000, 0x0200_000A), "10.0.0.2");
    assert_eq!((rts[2], rts[6], rts[8]), (0b1_1111_0000_0000, 0xABCDE, 4));
}

/// Words of the admin commands since write number `from`; what is not written again stays.
fn commands(mock: &Mock, from: usize) -> Vec<[u32; 32]> {
    mock.with(|state| {
        let (mut words, mut found) = ([0; 32], vec![]);
        for (number, (offset, value)) in state.writes.iter().enumerate() {
            match offset {
                0x200..=0x27F => words[(offset - 0x200) as usize / 4] = *value,
                0x2C0 if number >= from => found.push(words),
                _ => {}
            }
        }
        found
    })
}

#[test]
fn endpoints_that_do_not_fit_are_errors_before_anything_is_done() {
    let mock = Mock::new();
    let device = device(&mock);
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(16, 0).unwrap());
    let create = || device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    let (qp, other) = (create(), create());
    let options = ConnectOptions::default();
    let own = qp.endpoint(0, 1).unwrap();
    for (result, expected) in [
        (qp.endpoint(2, 1).map(drop), Invalid::AddressIndex),
        (qp.endpoint(8, 1).map(drop), Invalid::AddressIndex),
        (qp.endpoint(0, 1 << 24).map(drop), Invalid::Psn),
        (other.connect(&own, &peer(ipv4(2)), &options), Invalid::OtherQueuePair),
        (qp.connect(&own, &own.endpoint(), &options), Invalid::OwnPeer),
        (qp.connect(&own, &peer(ipv6(2)), &options), Invalid::AddressFamily),
        (qp.connect(&qp.endpoint(1, 1).unwrap(), &peer(ipv4(2)), &options), Invalid::AddressFamily),
    ] {
        assert_eq!(result, Err(Error::Invalid(expected)));
        assert_eq!(result.unwrap_err().errno(), Errno::Einval);
    }
    assert_eq!((qp.state(), other.state()), (QpState::Reset, QpState::Reset));
    qp.connect(&qp.endpoint(1, 1).unwrap(), &peer(ipv6(2)), &options).unwrap();
    assert_eq!(qp.state(), QpState::Rts);
    let connected_twice = qp.connect(&own, &peer(ipv4(2)), &options).unwrap_err();
    assert_eq!((connected_twice.errno(), qp.state()), (Errno::Einval, QpState::Rts));
}

#[test]
fn an_index_may_be_connected_again_after_a_reset() {
    let rig = Rig::new();
    rig.device.set_own_address(0, ipv4(1)).unwrap();
    rig.qp.reset().unwrap();
    let own = rig.qp.endpoint(0, 7).unwrap();
    rig.qp.connect(&own, &peer(ipv4(2)), &ConnectOptions::default()).unwrap();
    rig.qp.reset().unwrap();
    rig.qp.connect(&own, &peer(ipv4(3)), &ConnectOptions::default()).unwrap();
}

#[test]
fn an_endpoint_is_of_one_queue_pair_of_one_device() {
    let (mock, far) = (Mock::new(), Mock::new());
    let device = device(&mock);
    let options = OpenOptions { mac: Some(MAC), addresses: vec![ipv4(2)], ..OpenOptions::default() };
    let far = Device::open_with(far.platform(), options).unwrap();
    let create = |device: &Device<MockPlatform>| {
        let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(16, 0).unwrap());
        device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap()
    };
    let (qp, other) = (create(&device), create(&far));
    assert_eq!(qp.number(), other.number(), "both devices count alike");
    let (own, theirs) = (qp.endpoint(0, 1).unwrap(), other.endpoint(0, 1).unwrap());
    let options = ConnectOptions::default();
    let wrong = Err(Error::Invalid(Invalid::OtherQueuePair));
    assert_eq!(other.connect(&own, &theirs.endpoint(), &options), wrong);
    // A peer with our number is no stranger: the address tells them apart.
    qp.connect(&own, &theirs.endpoint(), &options).unwrap();
    qp.reset().unwrap();
    device.set_own_address(0, ipv4(7)).unwrap();
    assert_eq!(qp.connect(&own, &theirs.endpoint(), &options), wrong, "the device has got another address");
}

/// MODIFY_QP to this state is refused the next time.
fn refuse(mock: &Mock, state: u32) {
    mock.with(|mock| mock.refused_states.push(state));
}

#[test]
fn a_connection_that_fails_half_way_leaves_the_queue_pair_in_reset() {
    let mock = Mock::new();
    let device = device(&mock);
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(16, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    let (own, options) = (qp.endpoint(0, 1).unwrap(), ConnectOptions::default());
    for state in [1, 2, 3] {
        refuse(&mock, state);
        let error = qp.connect(&own, &peer(ipv4(2)), &options).unwrap_err();
        assert_eq!((error.errno(), qp.state()), (Errno::Einval, QpState::Reset), "state {state} refused");
        assert_eq!(qp.query().unwrap().state, QpState::Reset, "state {state} refused");
    }
    qp.connect(&own, &peer(ipv4(2)), &options).unwrap();
    // One that was connected already is left alone.
    assert!(qp.connect(&own, &peer(ipv4(2)), &options).is_err());
    assert_eq!((qp.state(), qp.query().unwrap().state), (QpState::Rts, QpState::Rts));
}

#[test]
fn a_connection_from_init_that_fails_keeps_the_posted_receives() {
    let mock = Mock::new();
    let device = device(&mock);
    let (pd, cq) = (device.alloc_pd().unwrap(), device.create_cq(16, 0).unwrap());
    let qp = device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap();
    let (own, options) = (qp.endpoint(0, 1).unwrap(), ConnectOptions::default());
    qp.to_init(&Default::default()).unwrap();
    qp.post_receive(&ReceiveRequest::new(1, vec![])).unwrap();
    let credits = qp.receive_credits();
    for (refused, expected) in [(2, QpState::Init), (3, QpState::Rtr)] {
        refuse(&mock, refused);
        assert!(qp.connect_from_init(&own, &peer(ipv4(2)), &options).is_err());
        assert_eq!((qp.state(), qp.query().unwrap().state), (expected, expected));
        assert_eq!(qp.receive_credits(), credits);
    }
    qp.to_rts(&Default::default(), Default::default()).unwrap();
    assert_eq!(qp.state(), QpState::Rts);
}
