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

#[test]
fn a_queue_that_is_destroyed_is_no_longer_waited_for_and_its_number_may_be_used_again() {
    let rig = Rig::new();
    let mut channel = CompletionChannel::new(&rig.device, 3).unwrap();
    let gone = rig.device.create_cq(16, 3).unwrap();
    channel.add(&gone).unwrap();
    let qp = rig.device.create_qp(&rig.pd, &gone, &gone, QpOptions::default()).unwrap();
    qp.activate().unwrap();
    qp.post_send_list([rig.invalidation(1, &rig.mr()), rig.invalidation(2, &rig.mr())]).unwrap();
    rig.mock.run();
    assert!(gone.poll().unwrap().is_some(), "one of two is polled");
    let number = gone.number();
    qp.destroy().unwrap();
    gone.destroy().unwrap();
    assert!(channel.ready().is_empty());
    let next = rig.device.create_cq(16, 3).unwrap();
    assert_eq!(next.number(), number);
    rig.mock.forget_writes();
    assert!(channel.wait(Duration::from_micros(100)).unwrap().is_empty());
    assert!(rig.mock.written(rnic_abi::register::cq_doorbell(number)).is_empty(), "the doorbell is of another queue");
    channel.add(&next).unwrap();
    assert!(channel.wait(Duration::from_micros(100)).unwrap().is_empty());
    assert!(!rig.mock.written(rnic_abi::register::cq_doorbell(number)).is_empty());
}
