//! One wait for several completion queues.

use std::time::Duration;

use rnic_driver::{CompletionChannel, Error, Invalid, QpOptions};
use rnic_mock::{Rig, LIMIT};

#[test]
fn a_channel_wakes_for_each_of_its_queues_and_for_no_other() {
    let rig = Rig::new();
    let (other, foreign) = (rig.device.create_cq(16, 3).unwrap(), rig.device.create_cq(16, 2).unwrap());
    let mut channel = CompletionChannel::new(&rig.device, 3).unwrap();
    channel.add(&rig.cq).unwrap();
    channel.add(&other).unwrap();
    channel.add(&other).unwrap();
    assert_eq!(channel.add(&foreign), Err(Error::Invalid(Invalid::Vector)));
    let qp = rig.device.create_qp(&rig.pd, &other, &other, QpOptions::default()).unwrap();
    qp.activate().unwrap();
    let mr = rig.mr();
    assert_eq!(channel.wait(LIMIT).unwrap(), [], "a timeout is no error");
    qp.post_send(rig.invalidation(1, &mr)).unwrap();
    assert_eq!(channel.wait(LIMIT).unwrap(), [other.number()]);
    rig.qp.post_send(rig.invalidation(2, &mr)).unwrap();
    rig.mock.run();
    assert_eq!(channel.wait(LIMIT).unwrap(), [rig.cq.number(), other.number()]);
    assert_eq!((rig.next().wr_id, other.poll().unwrap().unwrap().wr_id), (2, 1));
    assert!(channel.ready().is_empty());
    channel.remove(&other);
    qp.post_send(rig.invalidation(3, &mr)).unwrap();
    rig.mock.run();
    assert!(channel.ready().is_empty());
}

#[test]
fn a_channel_ends_within_its_time_and_names_a_bus_that_fails() {
    let rig = Rig::new();
    let mut channel = CompletionChannel::new(&rig.device, 3).unwrap();
    channel.add(&rig.cq).unwrap();
    let start = rig.device.now();
    assert!(channel.wait(Duration::from_micros(200)).unwrap().is_empty());
    assert!(rig.device.now() - start < Duration::from_micros(300));
    rig.mock.with(|state| state.broken = Some(rnic_abi::register::cq_doorbell(0)));
    assert!(matches!(channel.wait(LIMIT), Err(Error::Bus(_))));
    assert_eq!(CompletionChannel::new(&rig.device, 8).unwrap_err(), Error::Invalid(Invalid::Vector));
}
