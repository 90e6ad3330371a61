//! The raw rings against a host, a placer and a wire.
use super::bench::{Bench, LOG2, RECEIVE, SEND};
use crate::wire::model::{icrc, number};
use rnic_abi::drop::{RAW_EMPTY, RAW_LOST};
use rnic_abi::raw::{self, Descriptor};

const SIZE: u64 = 1 << LOG2;

/// The phase that a descriptor must not have yet.
fn open_phase(count: u64) -> u32 {
    if count >> LOG2 & 1 == 0 {
        0
    } else {
        raw::PHASE
    }
}

fn phase(count: u64) -> u32 {
    open_phase(count) ^ raw::PHASE
}

/// Posts a buffer.
fn buffer<const D: usize, const S: usize, const A: usize>(
    bench: &mut Bench<D, S, A>,
    count: u64,
    address: u64,
    length: u32,
) {
    bench.describe(RECEIVE, count, Descriptor { address, length, flags: open_phase(count) });
    bench.post(RECEIVE, count + 1);
}

/// Frames of all sorts into buffers at all lanes, around the ring more than once.
fn receives<const D: usize, const S: usize, const A: usize>(seed: u64, rounds: u64) {
    let mut bench = Bench::<D, S, A>::new(seed);
    for count in 0..rounds {
        bench.pace[0] = [8, 3][count as usize % 2];
        let address = 0x10_0000 + 0x2000 * (count % SIZE) + bench.random.below(200);
        let length = if count % 5 == 4 { 61 + bench.random.below(60) as u32 } else { 4224 };
        buffer(&mut bench, count, address, length);
        let bytes = 60 + bench.random.below(if count % 7 == 0 { 1000 } else { 200 }) as usize;
        let flags = bench.random.below(8) as u32;
        let frame = bench.arrive(bytes, |frame| {
            frame.icrc_ok = flags & raw::ICRC_OK != 0;
            frame.tagged = flags & raw::VLAN != 0;
            frame.broadcast = flags & raw::BROADCAST != 0;
        });
        bench.until(3000, |bench| bench.is_back(RECEIVE, count));
        let back = bench.described(RECEIVE, count);
        let cut = bytes.min(length as usize);
        let truncated = if cut < bytes { raw::TRUNCATED } else { 0 };
        assert_eq!((back.address, back.length), (address, bytes as u32), "descriptor {count}");
        assert_eq!(back.flags, phase(count) | flags | truncated, "descriptor {count}");
        assert_eq!(bench.get(address, cut), frame[..cut], "frame {count}");
        assert_eq!(bench.get(address + cut as u64, 8), [0xA5; 8], "behind frame {count}");
        bench.memory.retain(|at, _| !(address..address + cut as u64 + 8).contains(at));
    }
    assert!(bench.drops.is_empty());
}

#[test]
fn t95_received_frames_come_into_their_buffers_and_their_descriptors_back() {
    receives::<64, 8, 10>(1, 3 * SIZE);
    receives::<512, 64, 8>(2, SIZE / 2);
}

#[test]
fn t95_every_write_back_is_one_burst_of_length_and_flags_behind_the_bytes() {
    let mut bench = Bench::<64, 8, 10>::new(3);
    bench.latency = 300;
    buffer(&mut bench, 0, 0x10_0000, 4224);
    bench.arrive(100, |_| {});
    bench.until(3000, |bench| bench.is_back(RECEIVE, 0));
    // Read 300, write 300: the flag is never there before the B of the bytes.
    assert!(bench.cycle > 600, "{} cycles", bench.cycle);
    assert_eq!(*bench.writes.last().unwrap(), (RECEIVE + 8, 8));
}

#[test]
fn t95_without_a_buffer_or_a_ring_frames_are_dropped_and_counted() {
    let mut bench = Bench::<64, 8, 10>::new(4);
    (0..3).for_each(|_| drop(bench.arrive(60, |_| {})));
    bench.until(200, |bench| bench.drops.len() == 3);
    // Two buffers for three frames, then the ring is full again.
    buffer(&mut bench, 0, 0x10_0000, 4224);
    buffer(&mut bench, 1, 0x10_2000, 4224);
    (0..3).for_each(|_| drop(bench.arrive(60, |_| {})));
    bench.until(1000, |bench| bench.drops.len() == 4 && bench.is_back(RECEIVE, 1));
    buffer(&mut bench, 2, 0x10_4000, 4224);
    bench.arrive(60, |_| {});
    bench.until(1000, |bench| bench.is_back(RECEIVE, 2));
    // No ring.
    bench.set_ring(RECEIVE, 0);
    bench.post(RECEIVE, 1);
    bench.arrive(60, |_| {});
    bench.until(200, |bench| bench.drops.len() == 5);
    assert!(bench.drops.iter().all(|reason| *reason == u64::from(RAW_EMPTY)), "{:?}", bench.drops);
    // Each frame was a job of the placer all the same: its rows must be freed.
    assert_eq!(bench.jobs.len(), 8);
    assert_eq!(bench.jobs.iter().filter(|job| job.raw).count(), 3);
}

#[test]
fn i9_a_producer_beyond_the_ring_posts_nothing_and_a_new_ring_starts_afresh() {
    let mut bench = Bench::<64, 8, 10>::new(5);
    bench.post(RECEIVE, SIZE + 1);
    bench.arrive(60, |_| {});
    bench.until(200, |bench| bench.drops.len() == 1);
    // Rewritten while descriptors are on their way: they are forgotten.
    bench.latency = 100;
    buffer(&mut bench, 0, 0x10_0000, 4224);
    buffer(&mut bench, 1, 0x10_2000, 4224);
    (0..20).for_each(|_| bench.step());
    bench.set_ring(RECEIVE, LOG2);
    bench.arrive(60, |_| {});
    bench.until(200, |bench| bench.drops.len() == 2);
    (0..200).for_each(|_| bench.step());
    buffer(&mut bench, 0, 0x10_6000, 4224);
    let frame = bench.arrive(77, |_| {});
    bench.until(1000, |bench| bench.is_back(RECEIVE, 0));
    assert_eq!(bench.get(0x10_6000, 77), frame);
}

#[test]
fn t95_bad_receive_descriptors_lose_their_frame_and_come_back_with_the_error_flag() {
    let mut bench = Bench::<64, 8, 10>::new(6);
    let bad = [
        (1 << 52, 100, 0),
        ((1 << 52) - 99, 100, 0),
        (u64::MAX - 50, 100, 0),
        (0x10_0000, 4224, raw::SEND_ICRC),
        // The bus refuses the bytes.
        (0xBAD_0000, 4224, 0),
        (0xBAC_FFC0, 4224, 0),
    ];
    bench.bad_pages.insert(0xBAD);
    bench.bad_pages.insert(0xBAD_0000 >> 12);
    for (count, (address, length, flags)) in (0..).zip(bad) {
        bench.describe(RECEIVE, count, Descriptor { address, length, flags: flags | open_phase(count) });
        bench.arrive(90, |frame| frame.icrc_ok = true);
    }
    let good = bad.len() as u64;
    buffer(&mut bench, good, (1 << 52) - 100, 100);
    let frame = bench.arrive(90, |_| {});
    bench.until(5000, |bench| bench.is_back(RECEIVE, good));
    for (count, bad) in (0..good).zip(bad) {
        let back = bench.described(RECEIVE, count);
        assert_eq!(back.flags & !raw::ICRC_OK, raw::ERROR | phase(count), "{bad:x?}");
    }
    assert_eq!(bench.described(RECEIVE, good).flags, phase(good));
    assert_eq!(bench.get((1 << 52) - 100, 90), frame);
    assert!(bench.drops.is_empty());
}

#[test]
fn t95_i9_descriptors_that_cannot_be_read_or_written_are_counted() {
    let mut bench = Bench::<64, 8, 10>::new(7);
    bench.bad_pages.insert(RECEIVE >> 12);
    bench.bad_pages.insert(SEND >> 12);
    bench.post(RECEIVE, 1);
    bench.post(SEND, 1);
    bench.arrive(60, |_| {});
    bench.until(2000, |bench| bench.drops.len() == 2);
    assert_eq!(bench.drops, [u64::from(RAW_LOST); 2]);
    assert!(bench.sent.is_empty() && bench.jobs.len() == 1 && number(bench.jobs[0].range) == 0);
}

/// A packet without its ICRC: Ethernet header with or without a tag, IPv4 or IPv6, and what follows.
fn packet<const D: usize, const S: usize, const A: usize>(
    bench: &mut Bench<D, S, A>,
    tagged: bool,
    ipv6: bool,
    words: usize,
) -> (Vec<u8>, usize) {
    let ethernet = if tagged { 18 } else { 14 };
    let bytes = ethernet + if ipv6 { 60 } else { 40 } + 4 * words;
    let mut frame: Vec<u8> = (0..bytes).map(|_| bench.random.below(256) as u8).collect();
    let kind = if ipv6 { [0x86, 0xDD] } else { [0x08, 0x00] };
    if tagged {
        frame[12..14].copy_from_slice(&[0x81, 0x00]);
        frame[16..18].copy_from_slice(&kind);
    } else {
        frame[12..14].copy_from_slice(&kind);
    }
    frame[ethernet] = if ipv6 { 0x60 } else { 0x45 } | frame[ethernet] & if ipv6 { 15 } else { 0 };
    (frame, ethernet)
}

/// What the wire must see: the ICRC, and zeros up to 60 bytes.
fn on_the_wire(frame: &[u8], packet_at: Option<usize>) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    if let Some(at) = packet_at {
        bytes.extend(icrc(&frame[at..]));
    }
    bytes.resize(bytes.len().max(60), 0);
    bytes
}

/// Posts a frame to send.
fn send<const D: usize, const S: usize, const A: usize>(
    bench: &mut Bench<D, S, A>,
    count: u64,
    address: u64,
    frame: &[u8],
    flags: u32,
) {
    bench.put(address, frame);
    let flags = flags | open_phase(count);
    bench.describe(SEND, count, Descriptor { address, length: frame.len() as u32, flags });
    bench.post(SEND, count + 1);
}

fn sends<const D: usize, const S: usize, const A: usize>(seed: u64, rounds: u64) {
    let mut bench = Bench::<D, S, A>::new(seed);
    let mut expected = vec![];
    for count in 0..rounds {
        bench.pace = [[8, 8], [3, 8], [8, 3]][count as usize % 3];
        let address = 0x20_0000 + 0x2000 * (count % SIZE) + bench.random.below(200);
        if bench.random.chance(1, 2) {
            let (tagged, ipv6) = (bench.random.chance(1, 2), bench.random.chance(1, 2));
            let words = bench.random.below(if count % 8 == 0 { 200 } else { 40 }) as usize;
            let (frame, at) = packet(&mut bench, tagged, ipv6, words);
            send(&mut bench, count, address, &frame, raw::SEND_ICRC);
            expected.push(on_the_wire(&frame, Some(at)));
        } else {
            let bytes = 14 + bench.random.below(150) as usize;
            let frame: Vec<u8> = (0..bytes).map(|_| bench.random.below(256) as u8).collect();
            send(&mut bench, count, address, &frame, 0);
            expected.push(on_the_wire(&frame, None));
        }
        bench.until(6000, |bench| bench.is_back(SEND, count));
        assert_eq!(bench.sent, expected[expected.len() - 1..], "frame {count}");
        bench.sent.clear();
        assert_eq!(bench.described(SEND, count).flags, phase(count), "only the phase");
    }
}

#[test]
fn t95_t96_frames_leave_as_they_stand_in_memory_padded_and_with_their_icrc() {
    sends::<64, 8, 10>(11, 40);
    sends::<128, 16, 10>(12, 20);
    sends::<512, 64, 8>(13, 12);
}

#[test]
fn t96_every_place_of_the_icrc_and_every_lane_of_the_source() {
    let mut bench = Bench::<64, 8, 10>::new(14);
    for count in 0..32 {
        let (frame, at) = packet(&mut bench, false, false, count as usize % 4);
        send(&mut bench, count, 0x20_0000 + 0x1000 * (count % SIZE) + count / 4, &frame, raw::SEND_ICRC);
        bench.until(2000, |bench| bench.is_back(SEND, count));
        assert_eq!(bench.sent.pop().unwrap(), on_the_wire(&frame, Some(at)), "frame {count}");
    }
}

#[test]
fn t89_t95_the_longest_frames_leave_and_longer_ones_do_not() {
    let mut bench = Bench::<64, 8, 10>::new(15);
    let frame: Vec<u8> = (0..4225u32).map(|i| i as u8).collect();
    send(&mut bench, 0, 0x20_0FF9, &frame[..4224], 0);
    send(&mut bench, 1, 0x20_3001, &frame, 0);
    let (packet, at) = packet(&mut bench, false, false, 1041);
    assert_eq!(packet.len(), 4218);
    send(&mut bench, 2, 0x20_6003, &packet, raw::SEND_ICRC);
    bench.until(8000, |bench| bench.is_back(SEND, 2));
    assert_eq!(bench.sent, [frame[..4224].to_vec(), on_the_wire(&packet, Some(at))]);
    let flags = [0, 1, 2].map(|count| bench.described(SEND, count).flags & !raw::PHASE);
    assert_eq!(flags, [0, raw::ERROR, 0]);
}

#[test]
fn t95_what_cannot_be_sent_comes_back_with_the_error_flag_and_the_next_frame_leaves() {
    let mut bench = Bench::<64, 8, 10>::new(16);
    bench.bad_pages.insert(0x201);
    let bad = [
        (0x20_0000, 13, 0),
        (0x20_0000, u32::MAX, 0),
        (0x20_0000, 100, 2),
        (0x20_0000, 101, raw::SEND_ICRC),
        (0x20_0000, 50, raw::SEND_ICRC),
        (0x20_0000, 4222, raw::SEND_ICRC),
        ((1 << 52) - 59, 60, 0),
        (1 << 52, 60, 0),
        // The bus refuses a part.
        (0x20_0F00, 400, 0),
        (0x20_1F00, 400, 0),
    ];
    for (count, (address, length, flags)) in (0..).zip(bad) {
        bench.describe(SEND, count, Descriptor { address, length, flags: flags | open_phase(count) });
    }
    let good = bad.len() as u64;
    send(&mut bench, good, 0x20_4000, &[7; 62], 0);
    bench.until(5000, |bench| bench.is_back(SEND, good));
    for (count, bad) in (0..good).zip(bad) {
        assert_eq!(bench.described(SEND, count).flags, raw::ERROR | phase(count), "{bad:x?}");
    }
    assert_eq!(bench.sent, [vec![7; 62]]);
}

#[test]
fn t95_disabled_rings_take_nothing() {
    let mut bench = Bench::<64, 8, 10>::new(17);
    bench.uut.enable.next = false;
    send(&mut bench, 0, 0x20_0000, &[1; 60], 0);
    buffer(&mut bench, 0, 0x10_0000, 4224);
    (0..300).for_each(|_| bench.step());
    assert!(bench.sent.is_empty());
    bench.uut.enable.next = true;
    bench.until(1000, |bench| bench.is_back(SEND, 0));
}

/// Both ways at once, many frames under way.
#[test]
fn t95_t102_both_rings_flow_side_by_side() {
    let mut bench = Bench::<64, 8, 10>::new(18);
    bench.latency = 100;
    for count in 0..SIZE {
        buffer(&mut bench, count, 0x10_0000 + 0x2000 * count, 4224);
        send(&mut bench, count, 0x20_0000 + 0x2000 * count, &[count as u8; 70], 0);
    }
    let frames: Vec<_> = (0..SIZE).map(|_| bench.arrive(120, |_| {})).collect();
    bench.until(20_000, |bench| bench.is_back(SEND, SIZE - 1) && bench.is_back(RECEIVE, SIZE - 1));
    for (count, frame) in (0..).zip(&frames) {
        assert_eq!(bench.get(0x10_0000 + 0x2000 * count, 120), *frame);
        assert_eq!(bench.sent[count as usize], [count as u8; 70]);
    }
    assert!(bench.drops.is_empty(), "a descriptor on its way is waited for");
}
