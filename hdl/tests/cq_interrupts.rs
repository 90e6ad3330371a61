//! When a completion queue interrupts: never lost, whatever passes what.
mod bench;
use bench::cq::*;
use bench::*;
use rnic_abi::cqe::{Cqe, FLAG_SOLICITED};

type Narrow = Host<64, 8, 4>;

const ARM: u64 = 1 << 24;
const ARM_SOLICITED: u64 = 1 << 25;
/// Cycles around a CQE in which something may pass something: more than from its acceptance to its interrupt.
const OFFSETS: usize = 60;

fn host(latency: u64) -> Narrow {
    let mut host = Narrow::new(WriteMemory::new(1, latency..latency + 1, 8));
    host.create(1, 3, 5);
    host
}

#[test]
fn an_arm_in_any_cycle_around_a_cqe_fires_once() {
    for offset in 0..OFFSETS {
        let mut host = host(20);
        host.send.push_back(success(1, 0));
        host.steps(offset);
        host.doorbell(1, ARM);
        host.drain();
        assert_eq!(host.interrupts.iter().map(|fired| fired.1).collect::<Vec<_>>(), [5], "offset {offset}");
        // Disarmed: the next CQE is silent.
        host.send.push_back(success(1, 1));
        host.drain();
        assert_eq!(host.interrupts.len(), 1, "offset {offset}");
    }
}

#[test]
fn software_that_polls_then_arms_is_woken_for_every_cqe_it_has_not_seen() {
    for offset in 0..OFFSETS {
        for latency in [2, 20] {
            let mut host = host(latency);
            host.send.push_back(success(1, 0));
            host.steps(offset);
            // The driver's loop: consume what is visible, then arm with that count.
            let mut read = 0;
            while host.poll(1, 3, read).is_some() {
                read += 1;
            }
            host.doorbell(1, ARM | read);
            host.drain();
            if read == 0 {
                assert_eq!(host.interrupts.len(), 1, "offset {offset} latency {latency}");
            } else {
                assert!(host.interrupts.is_empty(), "offset {offset} latency {latency}: nothing to read");
                host.send.push_back(success(1, 1));
                host.drain();
                assert_eq!(host.interrupts.len(), 1, "offset {offset} latency {latency}");
            }
        }
    }
}

#[test]
fn an_interrupt_comes_after_the_b_of_its_cqe() {
    let mut host = host(50);
    host.doorbell(1, ARM);
    host.steps(10);
    host.send.push_back(success(1, 0));
    while host.interrupts.is_empty() {
        host.step();
        assert!(host.memory.now < 1000);
        assert!(host.interrupts.is_empty() || host.memory.answered == 1);
    }
}

#[test]
fn at_once_when_something_is_unconsumed_and_only_with_an_arm_bit() {
    for arm in [ARM, ARM_SOLICITED, ARM | ARM_SOLICITED] {
        let mut host = host(5);
        (0..3).for_each(|slot| host.send.push_back(success(1, slot)));
        host.drain();
        host.doorbell(1, 1);
        host.drain();
        assert!(host.interrupts.is_empty());
        host.doorbell(1, 2 | arm);
        host.drain();
        assert_eq!(host.interrupts.len(), 1);
        host.doorbell(1, 3 | arm);
        host.drain();
        assert_eq!(host.interrupts.len(), 1, "nothing is unconsumed");
    }
}

#[test]
fn a_solicited_arm_waits_for_flag_b2_or_an_error() {
    let wakers = [
        Cqe { flags: FLAG_SOLICITED, ..success(1, 9) },
        Cqe { status: 5, ..success(1, 9) },
        Cqe { status: 10, flags: 8, ..success(1, 9) },
    ];
    for waker in wakers {
        let mut host = host(5);
        host.doorbell(1, ARM_SOLICITED);
        host.drain();
        (0..3).for_each(|slot| host.send.push_back(success(1, slot)));
        host.drain();
        assert!(host.interrupts.is_empty());
        // A consumer count without an arm bit leaves the arming as it is.
        host.doorbell(1, 1);
        host.receive.push_back(waker);
        host.drain();
        assert_eq!(host.interrupts.len(), 1);
        host.receive.push_back(waker);
        host.drain();
        assert_eq!(host.interrupts.len(), 1);
    }
}

#[test]
fn a_solicited_arm_in_any_cycle_around_a_solicited_cqe_fires_once() {
    for offset in 0..OFFSETS {
        let mut host = host(20);
        host.send.push_back(success(1, 0));
        host.send.push_back(Cqe { flags: FLAG_SOLICITED, ..success(1, 1) });
        host.steps(offset);
        host.doorbell(1, ARM_SOLICITED);
        host.drain();
        assert_eq!(host.interrupts.len(), 1, "offset {offset}");
    }
}

#[test]
fn arming_twice_adds_up_and_queues_do_not_mix() {
    let mut host = host(5);
    host.create(2, 3, 7);
    host.doorbell(1, ARM);
    host.doorbell(1, ARM_SOLICITED);
    host.doorbell(2, ARM_SOLICITED);
    host.drain();
    host.send.push_back(success(2, 0));
    host.send.push_back(success(1, 0));
    host.drain();
    assert_eq!(host.interrupts.iter().map(|fired| fired.1).collect::<Vec<_>>(), [5]);
    host.send.push_back(Cqe { status: 2, ..success(2, 0) });
    host.send.push_back(Cqe { status: 2, ..success(1, 0) });
    host.drain();
    assert_eq!(host.interrupts.iter().map(|fired| fired.1).collect::<Vec<_>>(), [5, 7]);
}

#[test]
fn a_queue_created_anew_is_not_armed() {
    let mut host = host(5);
    host.doorbell(1, ARM);
    host.drain();
    assert_eq!(host.admin(rnic_abi::admin::DESTROY_CQ, &[1]), 0);
    host.create(1, 3, 2);
    host.send.push_back(success(1, 0));
    host.drain();
    assert!(host.interrupts.is_empty());
    assert!(host.poll(1, 3, 0).is_some());
}

#[test]
fn software_that_sleeps_between_bursts_reads_every_cqe() {
    // The driver's whole loop under load: sleep until an interrupt, consume all, arm, look once more.
    let mut host = Narrow::new(WriteMemory::new(8, 1..30, 6));
    host.create(1, 5, 5);
    let (mut sent, mut read, mut woken) = (0u64, 0u64, 0);
    host.doorbell(1, ARM);
    while read < 300 {
        if sent < 300 && sent - read < 30 && host.now() * 7 % 11 < 4 {
            host.send.push_back(success(1, sent as u16));
            sent += 1;
        }
        host.step();
        assert!(host.now() < 30_000, "asleep with {sent} sent, {read} read");
        if host.interrupts.len() > woken {
            woken = host.interrupts.len();
            while let Some(cqe) = host.poll(1, 5, read) {
                assert_eq!(cqe.slot, read as u16);
                read += 1;
            }
            host.doorbell(1, ARM | read);
        }
    }
    assert!(host.failed.is_empty() && host.drops.is_empty());
}
