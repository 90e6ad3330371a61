//! Completion queues as software and queue pairs see them.
mod bench;
use bench::cq::*;
use bench::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rnic_abi::admin::{CREATE_CQ, DESTROY_CQ, QUERY_MR};
use rnic_abi::cqe::{Cqe, FLAG_RECEIVE, FLAG_SOLICITED};
use rnic_abi::{drop, errno};
use std::collections::VecDeque;

type Narrow = Host<64, 8, 4>;

fn quick(seed: u64) -> WriteMemory {
    WriteMemory::new(seed, 5..40, 6)
}

/// Random CQEs into three queues of different size by both ports, consumed by polling, several rounds.
fn traffic<const DATA: usize, const STRB: usize>(count: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(count as u64);
    let mut host = Host::<DATA, STRB, 4>::new(quick(3));
    host.rough = true;
    let logs = [2, 3, 5];
    for (cqn, &log2) in logs.iter().enumerate() {
        host.create(cqn as u64, log2, 0);
    }
    let (mut sent, mut read) = ([vec![], vec![], vec![]], [0u64; 3]);
    // Counts that the hardware knows for sure: doorbells take a few cycles.
    let mut known = VecDeque::from([[0u64; 3]; 8]);
    while read.iter().sum::<u64>() < count as u64 {
        let cqn = rng.random_range(0..3usize);
        known.push_back(if host.doorbells.is_empty() { read } else { known[7] });
        let outstanding = sent[cqn].len() as u64 - known.pop_front().unwrap()[cqn];
        if rng.random_bool(0.4) && outstanding < 1 << logs[cqn] && sent.iter().map(Vec::len).sum::<usize>() < count {
            let error = rng.random_bool(0.3);
            let wanted = Cqe {
                qpn: rng.random_range(0..1 << 20) << 4 | cqn as u32,
                opcode: rng.random(),
                status: if error { rng.random_range(1..30) } else { 0 },
                syndrome: if error { rng.random() } else { 0 },
                slot: rng.random(),
                byte_len: rng.random(),
                imm: rng.random(),
                flags: rng.random_range(0..16),
                ..Default::default()
            };
            // One port a queue, so that the order is known.
            [&mut host.send, &mut host.receive][cqn % 2].push_back(wanted);
            sent[cqn].push(wanted);
        }
        host.step();
        for cqn in 0..3 {
            if let Some(found) = host.poll(cqn as u64, logs[cqn], read[cqn]) {
                let mut wanted = sent[cqn][read[cqn] as usize];
                if wanted.status != 0 {
                    wanted = Cqe { byte_len: 0, imm: 0, flags: wanted.flags & FLAG_RECEIVE, ..wanted };
                } else {
                    assert!(found.ticks > 0 && host.now() - found.ticks as u64 <= 60, "ticks {}", found.ticks);
                    wanted.ticks = found.ticks;
                }
                assert_eq!(found, Cqe { phase: found.phase, ..wanted });
                read[cqn] += 1;
                host.doorbell(cqn as u64, read[cqn]);
            }
        }
        assert!(
            host.now() < 30_000,
            "{read:?} of {:?}, failed {:?} drops {:?} log {} answered {}",
            sent.each_ref().map(Vec::len),
            host.failed,
            host.drops,
            host.memory.log.len(),
            host.memory.answered
        );
    }
    host.drain();
    assert!(host.failed.is_empty() && host.drops.is_empty() && host.interrupts.is_empty());
    assert!(read.iter().zip(logs).all(|(&read, log2)| read > 2 << log2), "several rounds: {read:?}");
}

#[test]
fn d14_t70_cqes_of_several_rounds_arrive_whole_and_in_order_at_64() {
    traffic::<64, 8>(400);
}

#[test]
fn d14_t70_cqes_of_several_rounds_arrive_whole_and_in_order_at_128() {
    traffic::<128, 16>(300);
}

#[test]
fn d14_t70_cqes_of_several_rounds_arrive_whole_and_in_order_at_512() {
    traffic::<512, 64>(300);
}

#[test]
fn d17_t78_an_overflow_writes_nothing_and_tells_once() {
    let mut host = Narrow::new(quick(1));
    host.create(1, 2, 0);
    host.create(2, 2, 0);
    (0..7).for_each(|slot| host.send.push_back(success(0x11, slot)));
    (0..4).for_each(|slot| host.receive.push_back(success(0x12, slot)));
    host.drain();
    assert_eq!(host.failed, [1]);
    assert_eq!(host.drops, [drop::CQE_FAILED; 2], "those behind the one that overflowed");
    for slot in 0..4 {
        assert_eq!(host.poll(1, 2, slot).unwrap().slot, slot as u16);
        assert_eq!(host.poll(2, 2, slot).unwrap().slot, slot as u16);
    }
    // Room does not bring it back; a queue made anew works.
    host.doorbell(1, 4);
    host.send.push_back(success(0x11, 9));
    host.drain();
    assert_eq!((host.failed.len(), host.drops.len(), host.memory.log.len()), (1, 3, 8));
    assert_eq!(host.admin(DESTROY_CQ, &[1]), errno::SUCCESS);
    host.create(1, 2, 0);
    host.send.push_back(success(0x11, 10));
    host.drain();
    assert_eq!(host.poll(1, 2, 0).unwrap().slot, 10);
    assert_eq!((host.failed.len(), host.drops.len()), (1, 3));
}

#[test]
fn d17_a_full_ring_is_no_overflow_and_room_is_seen_at_once() {
    let mut host = Narrow::new(quick(1));
    host.create(0, 2, 0);
    for round in 0..5u64 {
        (0..4).for_each(|slot| host.send.push_back(success(0x10, slot)));
        host.drain();
        assert!((4 * round..4 * round + 4).all(|count| host.poll(0, 2, count).is_some()));
        host.doorbell(0, 4 * round + 4);
        host.drain();
    }
    assert!(host.failed.is_empty());
}

#[test]
fn t78_a_cqe_that_cannot_be_written_fails_its_queue_once() {
    let mut host = Narrow::new(WriteMemory::new(1, 30..31, 8));
    host.create(3, 3, 0);
    host.create(4, 3, 0);
    host.memory.bad = host.ring(3) + 32..host.ring(3) + 96;
    (0..3).for_each(|slot| host.send.push_back(success(0x13, slot)));
    (0..3).for_each(|slot| host.receive.push_back(success(0x14, slot)));
    host.drain();
    assert_eq!(host.failed, [3]);
    host.send.push_back(success(0x13, 8));
    host.send.push_back(success(0x14, 3));
    host.drain();
    assert_eq!((host.failed.len(), host.drops.as_slice()), (1, &[drop::CQE_FAILED][..]));
    assert_eq!(host.poll(4, 3, 3).unwrap().slot, 3);
}

#[test]
fn i8_many_failed_writes_with_the_path_full_do_not_hang() {
    let mut host = Narrow::new(WriteMemory::new(1, 1000..1001, 8));
    (0..8).for_each(|cqn| host.create(cqn, 5, 0));
    host.memory.bad = BASE..BASE + (1 << 30);
    (0..256).for_each(|i| [&mut host.send, &mut host.receive][i % 2].push_back(success((i / 2 % 8) as u32, 0)));
    host.drain();
    assert!(host.send.is_empty() && host.receive.is_empty());
    host.failed.sort_unstable();
    assert_eq!(host.failed, (0..8).collect::<Vec<_>>());
}

#[test]
fn i9_a_cqe_for_a_queue_that_does_not_exist_is_swallowed_and_counted() {
    let mut host = Narrow::new(quick(1));
    host.send.push_back(success(5, 0));
    host.cqn = |_| 0x105;
    host.drain();
    assert_eq!((host.drops.as_slice(), host.memory.log.len()), (&[drop::CQE_FAILED][..], 0));
}

#[test]
fn i9_wrong_doorbells_are_dropped_and_counted() {
    let mut host = Narrow::new(quick(1));
    host.create(0, 3, 0);
    (0..3).for_each(|slot| host.send.push_back(success(0, slot)));
    host.drain();
    for (cqn, value) in [(1, 0), (0x200, 0), (0, 4), (0, 0xFF_FFFF), (0, 1 << 26), (0, 1 << 31), (9, 1 << 29)] {
        host.doorbell(cqn, value);
    }
    host.doorbell(0, 2);
    host.doorbell(0, 1); // back
    host.doorbell(0, 1 << 24 | 4); // not armed either
    host.doorbell(0, 3);
    host.drain();
    use drop::{CQ_DOORBELL_COUNT as COUNT, CQ_DOORBELL_INDEX as INDEX, CQ_DOORBELL_VALUE as VALUE};
    assert_eq!(host.drops, [INDEX, INDEX, COUNT, COUNT, VALUE, VALUE, VALUE, COUNT, COUNT]);
    host.send.push_back(success(0, 3));
    host.drain();
    assert!(host.interrupts.is_empty());
    // Room was given by the good ones: 3 consumed of 4, seven more fit.
    (4..11).for_each(|slot| host.send.push_back(success(0, slot)));
    host.drain();
    assert!(host.failed.is_empty());
    host.send.push_back(success(0, 11));
    host.drain();
    assert_eq!(host.failed, [0]);
}

#[test]
fn create_cq_checks_every_field() {
    let mut host = Narrow::new(quick(1));
    let good = [2, 5 | 3 << 8, 0x4000, 0];
    let wrong: [&[u32]; 16] = [
        &[16, 5, 0x4000, 0],
        &[2 | 1 << 31, 5, 0x4000, 0],
        &[2, 1, 0x4000, 0],
        &[2, 17, 0x4000, 0],
        &[2, 5 | 8 << 8, 0x4000, 0],
        &[2, 5 | 0x80 << 8, 0x4000, 0],
        &[2, 5 | 1 << 16, 0x4000, 0],
        &[2, 5, 0x4001, 0],
        &[2, 5, 0x4800, 0],
        &[2, 5, 0x4000, 1 << 20],
        &[2, 5, 0x4000, 1 << 31],
        &[2, 8, 0xFFFF_F000, 0xF_FFFF],
        &[2, 16, 0xFFE0_1000, 0xF_FFFF],
        &[2, 5, 0x4000, 0, 1],
        &[2, 5, 0x4000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4],
        &[2, 0, 0x4000, 0],
    ];
    for words in wrong {
        assert_eq!(host.admin(CREATE_CQ, words), errno::EINVAL, "{words:x?}");
    }
    assert_eq!(host.admin(CREATE_CQ, &good), errno::SUCCESS);
    assert_eq!(host.admin(CREATE_CQ, &good), errno::EBUSY);
    assert_eq!(host.admin(CREATE_CQ, &[16, 5, 0x4000, 0]), errno::EINVAL);
    // The largest and the highest rings.
    assert_eq!(host.admin(CREATE_CQ, &[15, 16 | 7 << 8, 0xFFE0_0000, 0xF_FFFF]), errno::SUCCESS);
    assert_eq!(host.admin(CREATE_CQ, &[0, 2, 0xFFFF_F000, 0xF_FFFF]), errno::SUCCESS);
    assert_eq!(host.admin(CREATE_CQ, &[1, 7, 0xFFFF_F000, 0xF_FFFF]), errno::SUCCESS);
}

#[test]
fn destroy_cq_checks_every_field_and_words_of_other_units_are_forgotten() {
    let mut host = Narrow::new(quick(1));
    host.create(2, 3, 0);
    for words in [&[3][..], &[16], &[2, 1], &[2, 0, 1], &[2, 0, 0, 1], &[2, 0, 0, 0, 0, 7]] {
        assert_eq!(host.admin(DESTROY_CQ, words), errno::EINVAL, "{words:x?}");
    }
    host.start(QUERY_MR, &[1; 32]);
    host.steps(20);
    assert_eq!(host.answer(), None, "an opcode of another unit");
    assert_eq!(host.admin(DESTROY_CQ, &[2]), errno::SUCCESS);
    assert_eq!(host.admin(DESTROY_CQ, &[2]), errno::EINVAL);
}

fn uses(host: &mut Narrow, cqn: u64, take: bool) {
    host.uut.use_cqn.next = rust_hdl::prelude::bits(cqn);
    host.steps(4);
    if take {
        host.uut.use_take.next = true;
    } else {
        host.uut.use_release.next = true;
    }
    host.steps(8);
}

#[test]
fn a_queue_in_use_cannot_be_destroyed() {
    let mut host = Narrow::new(quick(1));
    host.create(2, 3, 0);
    host.create(3, 3, 0);
    for (cqn, exists) in [(2, true), (4, false), (0x102, false), (3, true)] {
        host.uut.use_cqn.next = rust_hdl::prelude::bits(cqn);
        host.steps(4);
        assert_eq!(host.uut.use_exists.val(), exists, "{cqn}");
    }
    uses(&mut host, 2, true);
    uses(&mut host, 2, true);
    uses(&mut host, 3, true);
    uses(&mut host, 2, false);
    assert_eq!(host.admin(DESTROY_CQ, &[2]), errno::EBUSY);
    host.send.push_back(success(2, 1));
    host.drain();
    assert_eq!(host.poll(2, 3, 0).unwrap().slot, 1, "an error has changed nothing");
    uses(&mut host, 2, false);
    assert_eq!(host.admin(DESTROY_CQ, &[2]), errno::SUCCESS);
    assert_eq!(host.admin(DESTROY_CQ, &[3]), errno::EBUSY);
    uses(&mut host, 3, false);
    assert_eq!(host.admin(DESTROY_CQ, &[3]), errno::SUCCESS);
}

#[test]
fn destroy_cq_waits_for_the_answers_of_its_cqes() {
    let mut host = Narrow::new(WriteMemory::new(1, 300..301, 8));
    host.create(2, 4, 0);
    (0..4).for_each(|slot| host.send.push_back(success(2, slot)));
    host.steps(22);
    host.start(DESTROY_CQ, &[2]);
    while host.memory.answered < 4 {
        assert_eq!(host.answer(), None);
        host.step();
    }
    host.steps(20);
    assert_eq!(host.answer(), Some(errno::SUCCESS));
    host.send.push_back(success(2, 9));
    host.drain();
    assert_eq!(host.memory.log.len(), 4);
}

/// A fence `offset` cycles after the start of a stream of CQEs: how many were accepted before it, how many have their B
/// when it answers.
fn fence_after(offset: usize, latency: std::ops::Range<u64>) -> (usize, usize) {
    let mut host = Narrow::new(WriteMemory::new(offset as u64, latency, 8));
    (0..4).for_each(|cqn| host.create(cqn, 6, 0));
    (0..200).for_each(|i| [&mut host.send, &mut host.receive][i % 2].push_back(success(i as u32 % 4, 0)));
    host.steps(10 + offset);
    let before = host.accepted.len();
    host.uut.fence.next = true;
    while host.fenced == 0 {
        host.step();
    }
    let answered = host.memory.answered;
    host.drain();
    host.steps(400); // Answers may come faster than they are worked off.
    host.uut.fence.next = true;
    host.steps(6);
    assert_eq!(host.fenced, 2, "with nothing in flight it answers at once");
    (before, answered)
}

#[test]
fn t6_a_fence_waits_for_all_cqes_accepted_before_and_no_other() {
    for offset in (0..30).step_by(2) {
        // Gaps between the answers show one that is not waited for.
        let (before, answered) = fence_after(offset, 20..400);
        assert!(answered >= before, "{answered} of {before} answered");
        // Answers at the pace of the CQEs: those behind go on, a few have their B while the fence looks.
        let (before, answered) = fence_after(offset, 50..51);
        assert!((before..before + 4).contains(&answered), "{answered} of {before} answered");
    }
}

fn cycles_a_cqe<const DATA: usize, const STRB: usize>(queues: u32) -> f64 {
    let mut host = Host::<DATA, STRB, 4>::new(WriteMemory::new(1, 250..251, 8));
    (0..4).for_each(|cqn| host.create(cqn, 9, 0));
    (0..300).for_each(|i| [&mut host.send, &mut host.receive][i % 2].push_back(success(i as u32 % queues, 0)));
    host.drain();
    (host.accepted[299] - host.accepted[0]) as f64 / 299.0
}

#[test]
fn cqes_go_at_four_cycles_at_512_and_six_at_64_with_250_cycles_of_latency() {
    for queues in [1, 4] {
        let (wide, narrow) = (cycles_a_cqe::<512, 64>(queues), cycles_a_cqe::<64, 8>(queues));
        assert!(wide <= 4.0 && narrow <= 6.0, "{wide} and {narrow} cycles a CQE with {queues} queues");
    }
}

#[test]
fn a_solicited_flag_stays_in_the_cqe() {
    let mut host = Narrow::new(quick(1));
    host.create(0, 2, 0);
    host.receive.push_back(Cqe { flags: FLAG_SOLICITED | FLAG_RECEIVE, ..success(0, 0) });
    host.drain();
    assert_eq!(host.poll(0, 2, 0).unwrap().flags, FLAG_SOLICITED | FLAG_RECEIVE);
}
