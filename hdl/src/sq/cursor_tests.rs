//! Rules of the cursor and the sequences of the specification that concern it, one test each. Fixture: una = hpsn = 500,
//! MTU 1024, 4 READs, 16 outstanding WQEs.
use super::cursor_bench::*;
use super::kind;
use rnic_abi::{opcode, qp, status, syndrome, wqe::Data};

fn fenced(wr: Data) -> Data {
    Data { flags: wr.flags | 2, ..wr }
}

#[test]
fn t12_t17_v27_new_wqes_go_in_order_with_their_psns() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::SEND, 100));
    b.post(1, &wr(opcode::WRITE, 3000));
    b.post(1, &wr(opcode::SEND, 0));
    b.settle();
    let frame = |opcode, psn, length, skip, ask| Sent::Frame(1, opcode, psn, length, skip, ask);
    let expected = [
        frame(0x04, 500, 100, 0, true),
        frame(0x06, 501, 1024, 0, false),
        frame(0x07, 502, 1024, 1024, false),
        frame(0x08, 503, 952, 2048, true),
        frame(0x04, 504, 0, 0, true),
    ];
    assert_eq!(b.out, expected);
    let row = b.pairs[1].row;
    assert_eq!((row.hpsn.to_u64(), row.hseq.to_u64(), row.slot.to_u64(), row.seq.to_u64()), (505, 3, 3, 3));
    let entries: Vec<_> =
        b.pairs[1].entries.iter().map(|e| (e.first.to_u64(), e.packets.to_u64(), e.slot.to_u64())).collect();
    assert_eq!(entries, [(500, 1, 0), (501, 3, 1), (504, 1, 2)]);
}

#[test]
fn t110_a_wqe_of_one_packet_takes_seven_cycles_and_a_packet_five() {
    let mut b = Bench::new();
    for _ in 0..12 {
        b.post(2, &wr(opcode::WRITE, 64));
    }
    b.settle();
    let gaps: Vec<_> = b.when.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(gaps.len() == 11 && gaps.iter().filter(|gap| **gap <= 7).count() >= 9, "{gaps:?}");
    let mut b = Bench::new();
    b.post(2, &wr(opcode::WRITE, 20 * 1024));
    b.settle();
    let gaps: Vec<_> = b.when.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(gaps.len() == 19 && gaps.iter().all(|gap| *gap <= 5), "{gaps:?}");
}

#[test]
fn t18_the_window_stops_a_queue_pair_and_not_its_neighbours() {
    let mut b = Bench::new();
    b.uut.window.next = 4.into();
    b.post(1, &wr(opcode::WRITE, 10 * 1024));
    b.post(1, &wr(opcode::SEND, 10));
    b.settle();
    assert_eq!(b.psns(1), [500, 501, 502, 503]);
    assert_eq!(b.out[3], Sent::Frame(1, 0x07, 503, 1024, 3072, true), "T14: the packet that fills the window asks");
    b.post(3, &wr(opcode::SEND, 10));
    b.settle();
    assert_eq!(b.psns(3), [500]);
    b.una(1, 502);
    b.settle();
    assert_eq!(b.psns(1), Vec::from_iter(500..506));
    b.una(1, 506);
    b.settle();
    b.una(1, 509);
    b.settle();
    assert_eq!(b.psns(1), Vec::from_iter(500..511));
    assert_eq!(*b.out.last().unwrap(), Sent::Frame(1, 0x04, 510, 10, 0, true));
}

#[test]
fn t18_no_more_wqes_start_than_the_table_holds() {
    let mut b = Bench::new();
    for _ in 0..OTD + 5 {
        b.post(4, &wr(opcode::SEND, 10));
    }
    b.settle();
    assert_eq!(b.psns(4).len() as u64, OTD);
    b.una(4, 503);
    b.retire(4);
    b.settle();
    assert_eq!(b.psns(4).len() as u64, OTD + 3);
}

#[test]
fn v31_t44_a_sequence_nak_sends_again_from_una_in_the_middle_of_a_message() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::WRITE, 8 * 1024));
    b.settle();
    let first = b.frames.clone();
    b.restart(1, 503);
    b.settle();
    assert_eq!(b.psns(1), Vec::from_iter((500..508).chain(503..508)));
    for (number, (frame, span)) in b.frames[8..].iter().enumerate() {
        let (mut old, old_span) = first[3 + number];
        old.tag = frame.tag;
        old.ack_request = frame.ack_request;
        assert_eq!((*frame, *span), (old, old_span), "T44");
    }
    assert_eq!(b.pairs[1].row.hpsn.to_u64(), 508);
    assert_eq!(b.pairs[1].row.epoch.to_u64(), 1);
    assert_eq!(b.pairs[1].row.resent, b.pairs[1].row.issued);
}

#[test]
fn v33_t43_what_is_acknowledged_while_sending_again_is_skipped() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::WRITE, 8 * 1024));
    b.settle();
    b.ready_of_8 = 1;
    b.restart(1, 503);
    for _ in 0..2000 {
        if b.psns(1).len() < 9 {
            b.run(1);
        }
    }
    assert!(b.psns(1).len() >= 9, "{:?}", b.pairs[1].row);
    b.una(1, 507);
    b.ready_of_8 = 8;
    b.settle();
    let again = b.psns(1)[8..].to_vec();
    assert_eq!((again[0], *again.last().unwrap()), (503, 507));
    assert!(again.len() < 5, "{again:?}");
}

#[test]
fn v28_t38_a_read_is_asked_again_as_a_whole_from_una_and_later_wqes_follow() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::SEND, 10));
    b.post(1, &wr(opcode::READ, 4096));
    b.post(1, &wr(opcode::SEND, 20));
    b.settle();
    let read = |psn, length| Sent::Frame(1, 0x0C, psn, length, 0, true);
    assert_eq!(b.out[1], read(501, 4096));
    assert_eq!(b.psns(1), [500, 501, 505]);
    assert_eq!(b.opened, [(1, 0, 501, 4, 0)]);
    b.restart(1, 501);
    b.settle();
    assert_eq!(b.psns(1)[3..], [501, 505]);
    // V29: one response was taken.
    b.restart(1, 502);
    b.settle();
    let Sent::Frame(_, 0x0C, 502, 3072, ..) = b.out[5] else { panic!("{:?}", b.out[5]) };
    assert_eq!(b.frames[5].0.va.to_u64(), 1024);
    assert_eq!(b.opened.len(), 1, "T38: the table of open READs is not rewritten");
    assert_eq!(b.pairs[1].entries[1].rd_after.to_u64(), 1);
}

#[test]
fn v46_a_restart_across_the_wrap_of_the_psn() {
    let mut b = Bench::new();
    b.start(5, 0xFF_FFFE);
    b.run(20);
    b.post(5, &wr(opcode::WRITE, 4 * 1024));
    b.settle();
    assert_eq!(b.psns(5), [0xFF_FFFE, 0xFF_FFFF, 0, 1]);
    b.restart(5, 0);
    b.settle();
    assert_eq!(b.psns(5)[4..], [0, 1]);
}

#[test]
fn v45_t46_local_operations_are_passed_on_once_and_data_wait_for_them() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::WRITE, 10));
    b.post_local(1, opcode::REG_MR);
    b.post(1, &wr(opcode::SEND, 10));
    b.settle();
    let local = Sent::Local(1, u64::from(opcode::REG_MR));
    assert_eq!(b.out.len(), 2, "D2: {:?}", b.out);
    assert_eq!(b.out[1], local);
    assert_eq!(b.pairs[1].entries[1].kind.to_u64(), kind::LOCAL);
    b.pairs[1].retire.total = 1.into();
    b.tell_retire(1);
    b.settle();
    assert_eq!(b.psns(1), [500, 501]);
    b.restart(1, 500);
    b.settle();
    assert_eq!(b.psns(1), [500, 501, 500, 501]);
    assert_eq!(b.out.iter().filter(|out| **out == local).count(), 1);
}

#[test]
fn c8_local_inv_waits_until_everything_before_it_is_acknowledged_and_stored() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::READ, 10));
    b.post_local(1, opcode::LOCAL_INV);
    b.post_local(1, opcode::REG_MR);
    b.settle();
    assert_eq!(b.out.len(), 1);
    b.pairs[1].ack.rd_head = 1.into();
    b.una(1, 501);
    b.settle();
    assert_eq!(b.out.len(), 1);
    b.tell_done(1, 1);
    b.settle();
    assert_eq!(b.out[1..], [Sent::Local(1, 0x21), Sent::Local(1, 0x20)]);
}

#[test]
fn d7_d8_t23_t47_a_fence_waits_for_all_reads_before_it() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::READ, 10));
    b.post(1, &wr(opcode::READ, 10));
    b.post(1, &fenced(wr(opcode::SEND, 10)));
    b.post(2, &wr(opcode::SEND, 10));
    b.settle();
    assert_eq!((b.psns(1), b.psns(2)), (vec![500, 501], vec![500]));
    b.una(1, 502);
    b.tell_done(1, 1);
    b.settle();
    assert_eq!(b.psns(1).len(), 2, "D8: all of them");
    b.tell_done(1, 2);
    b.settle();
    assert_eq!(b.psns(1), [500, 501, 502]);
    // A restart goes back to the fenced one at most: the READs before it are done.
    b.restart(1, 502);
    b.settle();
    assert_eq!(b.psns(1), [500, 501, 502, 502]);
}

#[test]
fn t18_reads_wait_for_credits_and_atomics_too() {
    let mut b = Bench::new();
    for opcode in [opcode::READ, opcode::CMP_SWAP, opcode::FETCH_ADD, opcode::READ, opcode::READ] {
        b.post(1, &wr(opcode, 8));
    }
    b.settle();
    assert_eq!(b.psns(1), [500, 501, 502, 503]);
    assert_eq!(b.opened.iter().map(|open| open.1).collect::<Vec<_>>(), [0, 1, 2, 3]);
    b.tell_done(1, 1);
    b.settle();
    assert_eq!(b.psns(1).len(), 5);
}

#[test]
fn t15_a_long_read_is_several_requests() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::READ, (5 << 20) + 5));
    b.settle();
    let asked: Vec<_> = b.frames.iter().map(|(frame, _)| (frame.psn.to_u64(), frame.length.to_u64())).collect();
    assert_eq!(asked, [0, 1, 2, 3].map(|n| (500 + 1024 * n, 1 << 20)));
    assert_eq!(b.pairs[1].entries[0].packets.to_u64(), 5 * 1024 + 1);
    b.una(1, 500 + 1024);
    b.tell_done(1, 2);
    b.settle();
    let asked: Vec<_> = b.frames[4..].iter().map(|(frame, _)| (frame.psn.to_u64(), frame.length.to_u64())).collect();
    assert_eq!(asked, [(500 + 4096, 1 << 20), (500 + 5120, 5)]);
    assert_eq!(b.pairs[1].entries[0].rd_after.to_u64(), 6);
}

#[test]
fn t31_t48_rnr_wait_and_hold_stop_a_queue_pair() {
    let mut b = Bench::new();
    b.pairs[1].ack.rnr_wait = true;
    b.tell(1);
    b.pairs[2].hold = true;
    b.post(1, &wr(opcode::SEND, 10));
    b.post(2, &wr(opcode::SEND, 10));
    b.settle();
    assert!(b.out.is_empty());
    b.pairs[1].ack.rnr_wait = false;
    b.restart(1, 500);
    b.pairs[2].hold = false;
    b.tell_retire(2);
    b.settle();
    assert_eq!((b.psns(1), b.psns(2)), (vec![500], vec![500]));
}

#[test]
fn t10_t50_a_bad_wqe_stops_its_queue_pair_and_earlier_ones_are_still_sent_again() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::SEND, 10));
    b.post(1, &Data { num_sge: 1, ..wr(0x33, 10) });
    b.post(1, &wr(opcode::SEND, 10));
    b.settle();
    assert_eq!((b.psns(1), b.failed), (vec![500], 1));
    let entry = b.pairs[1].entries[1];
    let told = (entry.kind.to_u64(), entry.status.to_u64(), entry.syndrome.to_u64(), entry.packets.to_u64());
    assert_eq!(told, (kind::FAILED, u64::from(status::LOC_QP_OP), u64::from(syndrome::WQE_FORMAT), 0));
    b.restart(1, 500);
    b.settle();
    assert_eq!((b.psns(1), b.failed), (vec![500, 500], 1));
    b.una(1, 501);
    b.retire(1);
    b.settle();
    assert_eq!(b.psns(1).len(), 2, "nothing behind a failed WQE is started");
}

#[test]
fn t10_a_bus_error_of_the_fetch_is_syndrome_40() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::SEND, 10));
    b.pairs[1].ring[0][63] = 0xEE;
    b.settle();
    assert_eq!((b.failed, b.pairs[1].entries[0].syndrome.to_u64()), (1, u64::from(syndrome::PAYLOAD_BUS)));
}

#[test]
fn v47_t45_a_wqe_that_changed_while_posted_fails() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::SEND, 1024));
    b.settle();
    b.pairs[1].ring[0] = wr(opcode::SEND, 9000).encode()[0];
    b.restart(1, 500);
    b.settle();
    let entry = b.pairs[1].entries[0];
    assert_eq!((b.psns(1), b.failed), (vec![500], 1));
    assert_eq!((entry.kind.to_u64(), entry.syndrome.to_u64()), (kind::FAILED, u64::from(syndrome::WQE_CHANGED)));
    assert_eq!((entry.first.to_u64(), entry.packets.to_u64()), (500, 1));
}

#[test]
fn t40_d9a_with_a_failure_known_only_what_is_before_it_is_sent() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::WRITE, 4 * 1024));
    b.settle();
    b.pairs[1].ack.fail = true;
    b.pairs[1].ack.fail_psn = 502.into();
    b.restart(1, 500);
    b.post(1, &wr(opcode::SEND, 10));
    b.settle();
    assert_eq!(b.psns(1)[4..], [500, 501]);
}

#[test]
fn v48_t77_in_sqd_started_wqes_are_sent_again_and_no_new_one_starts() {
    let mut b = Bench::new();
    b.post(1, &wr(opcode::WRITE, 4 * 1024));
    b.settle();
    b.set_state(1, qp::SQD);
    b.post(1, &wr(opcode::SEND, 10));
    b.restart(1, 501);
    b.settle();
    assert_eq!(b.psns(1)[4..], [501, 502, 503]);
    b.set_state(1, qp::RTS);
    b.settle();
    assert_eq!(b.psns(1)[7..], [504]);
}

#[test]
fn t24_wqes_of_two_blocks_and_more_sges() {
    let mut b = Bench::new();
    let mut send = wr(opcode::SEND, 700);
    send.num_sge = 4;
    (1..4).for_each(|n| send.sges[n] = send.sges[0]);
    b.post(1, &send);
    b.post(1, &wr(opcode::SEND, 5));
    b.settle();
    assert_eq!(b.psns(1), [500, 501, 502, 503]);
    assert_eq!(b.frames[2].0.payload.to_u64(), 2800 - 2048);
    assert_eq!((b.pairs[1].row.slot.to_u64(), b.pairs[1].entries[1].slot.to_u64()), (3, 2));
    b.restart(1, 502);
    b.settle();
    assert_eq!(b.psns(1)[4..], [502, 503]);
}

#[test]
fn t20_long_messages_share_in_turns() {
    let mut b = Bench::new();
    b.others = true;
    for index in 1..4 {
        b.post(index, &wr(opcode::WRITE, 30 * 1024));
    }
    b.settle();
    for index in 1..4 {
        assert_eq!(b.psns(index), Vec::from_iter(500..530), "{index}");
    }
    let owner = |out: &Sent| if let Sent::Frame(qp, ..) = out { *qp } else { 0 };
    let owners: Vec<_> = b.out.iter().map(owner).collect();
    // While all three have something to send, the shares of each stretch of 60 packets differ by 8 packets at most.
    for window in owners[..66].windows(30) {
        let count = |qp| window.iter().filter(|owner| **owner == qp).count() as i64;
        for qp in 1..4 {
            assert!((count(qp) - 10).abs() <= 8, "{owners:?}");
        }
    }
}

#[test]
fn t21_t112_i8_random_acknowledgements_restarts_and_pauses_end_with_everything_sent() {
    for seed in 1..3 {
        let mut b = Bench::new();
        let mut random = crate::check::RandomDrive::new(seed);
        b.ready_of_8 = 5;
        b.others = seed % 2 == 0;
        b.uut.window.next = 6.into();
        let mut end = [500u64; 8];
        for index in 0..3u64 {
            for _ in 0..8 {
                let length = [10, 1024, 1500, 5000, 9000][random.below(5) as usize];
                let opcode = [opcode::SEND, opcode::WRITE, opcode::WRITE, opcode::READ][random.below(4) as usize];
                b.post(index, &wr(opcode, length));
                end[index as usize] += u64::from(length).div_ceil(1024);
            }
        }
        let mut rounds = 0;
        while (0..3).any(|index| b.pairs[index].ack.una.to_u64() < end[index]) {
            rounds += 1;
            assert!(rounds < 800, "stuck: {:?}", b.pairs.iter().map(|p| (p.row, p.ack.una)).collect::<Vec<_>>());
            let index = random.below(3) as usize;
            let (una, hpsn) = (b.pairs[index].ack.una.to_u64(), b.pairs[index].row.hpsn.to_u64());
            // A peer acknowledges only what has reached it after the last restart: here, what has left at all.
            let sent = b.psns(index as u64).iter().max().map_or(500, |psn| psn + 1).min(hpsn);
            let to = una + random.below(sent.max(una) - una + 1);
            b.pairs[index].ack.una = to.into();
            let entries = &b.pairs[index].entries;
            let reads = entries.iter().filter(|e| e.kind.to_u64() == kind::READ);
            let stored = reads.filter(|e| e.first.to_u64() + e.packets.to_u64() <= to).count() as u64;
            b.pairs[index].ack.rd_head = (stored % 32).into();
            match random.below(5) {
                0 => b.restart(index as u64, to),
                1 => {
                    b.pairs[index].ack.rnr_wait = true;
                    b.tell(index as u64);
                    b.run(random.below(40) as usize);
                    b.pairs[index].ack.rnr_wait = false;
                    b.restart(index as u64, to);
                }
                _ => b.tell(index as u64),
            }
            b.tell_done(index as u64, stored);
            b.retire(index as u64);
            b.run(random.below(60) as usize);
        }
        b.settle();
        for index in 0..3u64 {
            let row = b.pairs[index as usize].row;
            assert_eq!(row.hpsn.to_u64(), end[index as usize]);
            assert_eq!((row.hseq.to_u64(), row.psn), (8, row.hpsn));
            // Every PSN was sent, and none out of order but by a restart.
            let psns = b.psns(index);
            let mut next = 500;
            for (number, (frame, _)) in b.frames.iter().filter(|(frame, _)| frame.qp.to_u64() == index).enumerate() {
                assert!(psns[number] <= next, "a gap before {}", psns[number]);
                let step = if frame.opcode.to_u64() == 0x0C { frame.length.to_u64().div_ceil(1024) } else { 1 };
                next = next.max(psns[number] + step);
            }
            assert_eq!(next, end[index as usize]);
        }
    }
}
