//! A device, or something else on the cable, that sends what it should not: each has an effect that is known, and a counter.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rnic_driver::{Bar, DmaBuffer, DmaMemory};
use rnic_link::{Counters, LinkEvent, LostReason};

use crate::support::bench::{options, Bench, TestLink, HOST};
use crate::support::device::Knobs;
use crate::support::frame;

fn open() -> (Bench, TestLink) {
    let bench = Bench::new(Knobs::default());
    let link = bench.open(options(1)).unwrap();
    bench.run(&link, 1000);
    (bench, link)
}

/// What a frame changes in the counters, by name.
fn effect(bench: &Bench, link: &TestLink, frame: Vec<u8>) -> Vec<(&'static str, u64)> {
    let before: Counters = link.counters();
    bench.hub.inject(HOST, frame);
    link.work();
    let after = link.counters();
    let changes = after.rows().zip(before.rows()).map(|((name, after), (_, before))| (name, after - before));
    changes.filter(|(name, change)| *change != 0 && !name.starts_with("frames_")).collect()
}

#[test]
fn lk2_frames_that_are_not_of_this_link_are_counted_by_kind() {
    let (bench, link) = open();
    let ack = bench.device(|device| device.blank(frame::ACK)).bytes();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut frame = ack.clone();
        change(&mut frame);
        frame
    };
    let cases: [(&str, Vec<u8>, &str); 13] = [
        ("runt", ack[..20].to_vec(), "short_frames"),
        ("empty", Vec::new(), "short_frames"),
        ("VLAN", with(&|frame| frame[12..14].copy_from_slice(&[0x81, 0x00])), "foreign_ethertype"),
        ("pause", with(&|frame| frame[12..14].copy_from_slice(&[0x88, 0x08])), "foreign_ethertype"),
        ("for another", with(&|frame| frame[5] ^= 1), "foreign_destination"),
        ("broadcast ACK", with(&|frame| frame[..6].fill(0xFF)), "foreign_destination"),
        ("version 2", with(&|frame| frame[14] = 0x24), "bad_version"),
        ("type 9", with(&|frame| frame[14] = 0x19), "bad_type"),
        ("body of 2", with(&|frame| frame[17] = 2), "bad_length"),
        ("body behind the end", with(&|frame| frame[17] = 64), "bad_length"),
        ("session", with(&|frame| frame[20] ^= 0x80), "other_session"),
        ("from another", with(&|frame| frame[11] ^= 1), "foreign_source"),
        ("OPEN", with(&|frame| frame[14] = 0x11), "unexpected_type"),
    ];
    for (what, frame, counter) in cases {
        assert_eq!(effect(&bench, &link, frame), [(counter, 1)], "{what}");
    }
    let refused = with(&|frame| frame[14] = 0x18);
    assert_eq!(effect(&bench, &link, refused), [("unexpected_type", 1)], "REFUSED in an open session");
    assert_eq!((link.platform().bar.read(0), link.lost()), (Ok(0), None));
    bench.assert_clean();
}

/// What a TLP of the device changes in the counters.
fn tlp_effect(bench: &Bench, link: &TestLink, tlp: Vec<u8>) -> Vec<(&'static str, u64)> {
    let before = link.counters();
    bench.device(|device| device.send_tlp(tlp));
    bench.run(link, 100);
    let after = link.counters();
    let ignored = ["frames_sent", "frames_received", "tlps_accepted"];
    let changes = after.rows().zip(before.rows()).map(|((name, after), (_, before))| (name, after - before));
    changes.filter(|(name, change)| *change != 0 && !ignored.contains(name)).collect()
}

#[test]
fn tl6_tl7_tl8_tlps_that_are_wrong_are_counted_by_kind() {
    let (bench, link) = open();
    let malformed: [&[u8]; 9] = [
        &[],
        &[0x40, 0, 0, 1],
        &[0x40, 0, 0, 2, 1, 0, 0, 0xFF, 0, 0, 0x10, 0, 1, 2, 3, 4],
        &[0x40, 0, 0, 1, 1, 0, 0, 0xFF, 0, 0, 0x10, 0, 1, 2, 3, 4],
        &[0x00, 0, 0, 2, 1, 0, 0, 0x0F, 0, 0, 0x10, 0],
        &[0x00, 0, 0, 2, 1, 0, 0, 0xFF, 0, 0, 0x1F, 0xFC],
        &[0x00, 0, 1, 0, 1, 0, 0, 0xFF, 0, 0, 0x10, 0],
        &[0x80, 0, 0, 1, 1, 0, 0, 0x0F, 0, 0, 0x10, 0],
        &[0x1F, 0, 0, 1, 1, 0, 0, 0x0F, 0, 0, 0x10, 0],
    ];
    for tlp in malformed {
        assert_eq!(tlp_effect(&bench, &link, tlp.to_vec()), [("tlp_malformed", 1)], "{tlp:02x?}");
        assert_eq!(link.next_event(), Some(LinkEvent::Malformed { bytes: tlp.len() }));
    }
    let poisoned = vec![0x40, 0, 0x40, 1, 1, 0, 0, 0x0F, 0, 0, 0x10, 0, 1, 2, 3, 4];
    assert_eq!(tlp_effect(&bench, &link, poisoned), [("tlp_poisoned", 1)]);
    let completion = vec![0x4A, 0, 0, 1, 1, 0, 0, 4, 0, 0, 0, 0, 1, 2, 3, 4];
    assert_eq!(tlp_effect(&bench, &link, completion), [("completions_unexpected", 1)]);
    let message = vec![0x30, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(tlp_effect(&bench, &link, message), []);
    bench.assert_clean();
    let configuration = vec![0x04, 0, 0, 1, 1, 0, 0x30, 0x0F, 0, 0, 0, 0];
    let answered = [("tlps_sent", 1), ("tlp_unsupported", 1)];
    assert_eq!(tlp_effect(&bench, &link, configuration), answered, "an answer that the device did not ask for");
}

#[test]
fn lk12_malformed_requests_cost_no_credit_for_ever() {
    let (bench, link) = open();
    // Ten times the buffers of each class.
    for _ in 0..640 {
        let write = vec![0x40, 0, 0, 1, 1, 0, 0, 0xFF, 0, 0, 0x10, 0, 1, 2, 3, 4];
        let read = vec![0x00, 0, 0, 2, 1, 0, 0, 0x0F, 0, 0, 0x10, 0];
        bench.device(|device| {
            device.send_tlp(write);
            device.send_tlp(read);
        });
        bench.run(&link, 30);
    }
    assert_eq!((link.counters().tlp_malformed, link.lost()), (1280, None));
    assert_eq!(link.counters().events_lost, 1280 - 256, "and the queue of events has a bound");
    bench.assert_clean();
}

#[test]
fn lk1_a_frame_longer_than_any_of_the_link_is_harmless() {
    let (bench, link) = open();
    let mut long = bench.device(|device| device.blank(frame::TLP));
    long.body = vec![0x40; 1996];
    assert_eq!(effect(&bench, &link, long.bytes()), [("tlps_accepted", 1), ("tlp_malformed", 1)]);
    assert_eq!(link.lost(), None);
}

#[test]
fn ho3_random_frames_and_tlps_touch_only_what_is_mapped() {
    for seed in 0..20 {
        let (bench, link) = open();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let memory = link.platform().memory;
        let (buffer, guard) = (memory.allocate(4096).unwrap(), memory.area(4096).unwrap());
        for _ in 0..500 {
            let mut frame = bench.device(|device| device.blank(frame::TLP));
            frame.kind = random.random_range(2..=5);
            frame.sequence = frame.sequence.wrapping_add(random.random_range(0..2) * random.random_range(0..4));
            frame.flags = random.random();
            let kinds = [0x00, 0x20, 0x40, 0x60, 0x4A, 0x0A, 0x04, 0x30, random.random()];
            let bytes = 4 * random.random_range(0..40);
            frame.body = (0..bytes).map(|_| random.random()).collect();
            if bytes >= 16 {
                frame.body[0] = kinds[random.random_range(0..kinds.len())];
                frame.body[1..3].fill(0);
                frame.body[3] = ((bytes - 12) / 4) as u8;
                if random.random_bool(0.5) {
                    let address = buffer.bus_address() + random.random_range(0..5000);
                    frame.body[8..12].copy_from_slice(&(address as u32).to_be_bytes());
                }
            }
            let mut bytes = frame.bytes();
            for _ in 0..random.random_range(0..3) {
                let at = random.random_range(0..bytes.len());
                bytes[at] = random.random();
            }
            bench.hub.inject(HOST, bytes);
            link.work();
        }
        let mut seen = [0; 4096];
        guard.read(0, &mut seen);
        assert!(seen.iter().all(|byte| *byte == 0), "seed {seed}");
        let lost = link.lost();
        let expected = [None, Some(LostReason::NoSession), Some(LostReason::Overrun)];
        assert!(
            expected.contains(&lost) || matches!(lost, Some(LostReason::ClosedByDevice(_))),
            "seed {seed}: {lost:?}"
        );
    }
}
