//! Commands of queue pairs: what they answer, what they store, what they tell the other subsystems.
mod qp_bench;
use qp_bench::{Bench, Deed, EBUSY, EINVAL};
use rnic_abi::admin::{create_qp, modify_qp, Command};
use rnic_abi::qp::{self, State, RANGES, TRANSITIONS};
use rnic_hdl::types::QpIdentity;

const LIVING: [State; 6] = [State::Reset, State::Init, State::Rtr, State::Rts, State::Sqd, State::Err];

#[test]
fn t9_create_tells_everyone_the_whole_queue_pair() {
    let mut bench = Bench::new();
    assert_eq!(bench.create(0xFED_0D2), 0);
    assert_eq!(
        bench.deeds,
        [
            Deed::Take(1),
            Deed::Take(15),
            Deed::Context { index: 2, qpn: 0xFED0D2, state: 0 },
            Deed::Clear(2),
            Deed::Done(0)
        ]
    );
    let sq = bench.sq[2];
    assert_eq!((sq.pd.to_u64(), sq.base.to_u64(), sq.log2.to_u64()), (0xABCDEF, 0xF_EDCB_A987_6, 4));
    assert_eq!((sq.cqn.to_u64(), sq.sig_all), (1, false));
    let rq = bench.rq[2];
    assert_eq!((rq.base.to_u64(), rq.log2.to_u64(), rq.cqn.to_u64()), (0x1_2345_6789_A, 15, 15));
    let identity = bench.identity(2);
    assert_eq!((identity.qpn.to_u64(), identity.pd.to_u64()), (0xFED0D2, 0xABCDEF));
    assert!(identity.privileged);
    assert_eq!(bench.identity(3), QpIdentity::default());
    assert_eq!(bench.query(0xFED0D2), Ok(vec![0; 7]));
}

#[test]
fn t5_all_indices_are_usable_and_numbers_are_compared_in_full() {
    let mut bench = Bench::new();
    for (qpn, errno) in
        [(0, EINVAL), (1, EINVAL), (1 << 24, EINVAL), (u32::MAX, EINVAL), (0xFF_FFFF, 0), (2, 0), (8, 0)]
    {
        assert_eq!(bench.create(qpn), errno, "{qpn:x}");
    }
    for qpn in [9, 3, 4, 5, 6] {
        assert_eq!(bench.create(qpn), 0);
    }
    // All eight indices are taken; the same or another generation is busy.
    for qpn in [8, 16, 9, 0x11, 2, 0xA, 0xFF_FFFF, 7] {
        assert_eq!(bench.create(qpn), EBUSY, "{qpn:x}");
    }
    assert_eq!(bench.cqs[&1], 8);
    for stale in [0, 1, 7, 0x12, 0x10A, 0x800002, 0x0100_0002, 0x0200_0002, 0xFFFF_FFFF, 0x7F_FFFF] {
        assert_eq!(bench.query(stale), Err(EINVAL), "{stale:x}");
        assert_eq!(bench.destroy(stale), EINVAL);
        assert_eq!(bench.modify(stale, State::Err, 0), EINVAL);
        assert_eq!(bench.deeds, [Deed::Done(EINVAL)]);
    }
    assert_eq!(bench.destroy(2), 0);
    assert_eq!(bench.query(2), Err(EINVAL));
    assert_eq!(bench.create(0xA), 0);
    assert_eq!(bench.query(2), Err(EINVAL));
    assert!(bench.query(0xA).is_ok());
}

#[test]
fn t2_create_refuses_what_is_out_of_range_and_changes_nothing() {
    let mut bench = Bench::new();
    let good = Bench::create_words(0x12);
    let edges = |field: rnic_abi::WordField, value: u64| {
        let mut words = good;
        field.put(&mut words, value);
        words
    };
    let mut wrong = vec![
        edges(create_qp::PD, 1 << 24),
        edges(create_qp::PD, u64::from(u32::MAX)),
        edges(create_qp::SEND_CQN, 16),
        edges(create_qp::SEND_CQN, 2),
        edges(create_qp::RECEIVE_CQN, 3),
        edges(create_qp::RECEIVE_CQN, 0x1_0001),
        edges(create_qp::RECEIVE_CQN, 0x1000 + 15),
    ];
    for field in [create_qp::SQ_LOG2, create_qp::RQ_LOG2] {
        wrong.extend([0, 1, 16, 0x12, 255].map(|log2| edges(field, log2)));
    }
    for field in [create_qp::SQ_BASE, create_qp::RQ_BASE] {
        wrong.extend((0..12).map(|bit| edges(field, 1 << bit)));
        wrong.extend((52..64).map(|bit| edges(field, 1 << bit)));
        // 2^15 slots, of which the last does not fit.
        wrong.extend([1, 511].map(|frames| {
            let mut words = edges(field, (1 << 52) - (frames << 12));
            create_qp::SQ_LOG2.put(&mut words, 15);
            create_qp::RQ_LOG2.put(&mut words, 15);
            words
        }));
    }
    wrong.extend((18..32).map(|bit| {
        let mut words = good;
        words[4] |= 1 << bit;
        words
    }));
    for words in wrong {
        assert_eq!(bench.run(Command::CreateQp, &words), EINVAL, "{words:x?}");
        assert_eq!(bench.deeds, [Deed::Done(EINVAL)]);
    }
    assert_eq!(bench.identity(2), QpIdentity::default());
    for (field, values) in [
        (create_qp::PD, [0, 0xFF_FFFF]),
        (create_qp::SEND_CQN, [0, 15]),
        (create_qp::SQ_LOG2, [2, 15]),
        (create_qp::RQ_LOG2, [2, 15]),
        (create_qp::SQ_BASE, [0, (1 << 52) - 4096]),
        (create_qp::SIG_ALL, [0, 1]),
    ] {
        for value in values {
            assert_eq!(bench.run(Command::CreateQp, &edges(field, value)), 0, "{field:?} {value:x}");
            assert_eq!(bench.destroy(0x12), 0);
        }
    }
    assert!(bench.cqs.values().all(|uses| *uses == 0), "{:?}", bench.cqs);
}

#[test]
fn t1_all_transitions_of_the_table_work_and_all_others_change_nothing() {
    let mut bench = Bench::new();
    bench.bring(0x13, State::Reset);
    for from in LIVING {
        for to in 0..8u8 {
            for complete in [true, false] {
                assert_eq!(bench.modify(0x13, State::Reset, 0), 0);
                bench.lead(0x13, from);
                let before = bench.query(0x13).unwrap();
                let row = State::from_u8(to).and_then(|to| qp::transition(from, to));
                let mask = match row {
                    Some(row) if complete => row.required,
                    // One missing, or one foreign.
                    Some(row) if row.required != 0 => row.required & (row.required - 1),
                    Some(row) => !(row.required | row.optional) & 0x3FFF & (1 << 11 | 1),
                    None => 0,
                };
                let mut words = Bench::modify_words(0x13, State::Reset, mask);
                words[1] = to.into();
                let errno = bench.run(Command::ModifyQp, &words);
                if row.is_some() && complete {
                    assert_eq!(errno, 0, "{from} to {to}");
                    assert_eq!(bench.sq[3].state.to_u64(), u64::from(to));
                    assert_eq!(bench.identity(3).state.to_u64(), u64::from(to));
                    assert_eq!(bench.state(0x13).code(), to);
                } else {
                    assert_eq!(errno, EINVAL, "{from} to {to} with {mask:x}");
                    assert_eq!(bench.deeds, [Deed::Done(EINVAL)]);
                    assert_eq!(bench.query(0x13).unwrap(), before);
                }
            }
        }
    }
}

#[test]
fn t2_modify_refuses_values_out_of_range_in_the_whole() {
    let mut bench = Bench::new();
    bench.bring(0x12, State::Reset);
    for range in RANGES {
        let row = TRANSITIONS.iter().find(|r| (r.required | r.optional) & range.attribute != 0).unwrap();
        assert_eq!(bench.modify(0x12, State::Reset, 0), 0);
        bench.lead(0x12, row.from.unwrap());
        let max = if range.max == qp::RD_MAX { Bench::preset().rd_max } else { range.max };
        let mut words = Bench::modify_words(0x12, row.to, row.required | range.attribute);
        range.field.put(&mut words, u64::from(max) + 1);
        assert_eq!(bench.run(Command::ModifyQp, &words), EINVAL, "{range:?}");
        assert_eq!(bench.deeds, [Deed::Done(EINVAL)]);
        range.field.put(&mut words, u64::from(max));
        assert_eq!(bench.run(Command::ModifyQp, &words), 0, "{range:?}");
    }
}

#[test]
fn modify_stores_what_query_shows_and_reset_forgets_it() {
    let mut bench = Bench::new();
    bench.bring(0x15, State::Init);
    let mut words = Bench::modify_words(0x15, State::Rtr, qp::transition(State::Init, State::Rtr).unwrap().required);
    modify_qp::RQ_PSN.put(&mut words, 0xFFFFFF);
    assert_eq!(bench.run(Command::ModifyQp, &words), 0);
    let mut words = Bench::modify_words(0x15, State::Rts, qp::transition(State::Rtr, State::Rts).unwrap().required);
    modify_qp::SQ_PSN.put(&mut words, 0x123456);
    // Not given, so not taken.
    modify_qp::RQ_PSN.put(&mut words, 0x77);
    assert_eq!(bench.run(Command::ModifyQp, &words), 0);
    assert_eq!(bench.deeds, [Deed::Context { index: 5, qpn: 0x15, state: 3 }, Deed::Wake(5), Deed::Done(0)]);
    bench.counts[5] = [0x1_0005, 0xFFFE, 0x1234];
    assert_eq!(bench.query(0x15), Ok(vec![3, 0x123456, 0x123456, 0xFFFFFF, 0, 0x1234_FFFE, 7]));
    bench.counts[5] = [9, 9, 0];
    assert_eq!(bench.modify(0x15, State::Reset, 0), 0);
    assert_eq!(bench.query(0x15), Ok(vec![0; 7]));
    // Rings, PD and CQs stay.
    assert_eq!((bench.sq[5].qpn.to_u64(), bench.sq[5].cqn.to_u64(), bench.rq[5].log2.to_u64()), (0x15, 1, 15));
    assert_eq!(bench.cqs[&1], 1);
}

#[test]
fn t6_reset_and_destroy_wait_for_rest_then_clear() {
    for destroy in [false, true] {
        let mut bench = Bench::new();
        bench.bring(0x14, State::Rts);
        bench.counts[4] = [5, 3, 1];
        let words = Bench::modify_words(0x14, State::Reset, 0);
        bench.start(if destroy { Command::DestroyQp } else { Command::ModifyQp }, &words);
        bench.steps(300);
        let begun = [Deed::Context { index: 4, qpn: 0x14, state: 0 }, Deed::Discard(4)];
        assert_eq!(bench.deeds, begun, "two slots are in flight");
        bench.counts[4][1] = 4;
        bench.steps(100);
        assert_eq!(bench.deeds, begun, "one slot is in flight");
        bench.counts[4][1] = 5;
        bench.fence_latency = None;
        bench.steps(100);
        assert_eq!(bench.deeds[2..], [Deed::Fence], "CQEs are in flight");
        // The second fence follows the first.
        bench.fence_latency = Some(50);
        bench.end_fence();
        bench.steps(200);
        let mut end = vec![Deed::Fence, Deed::Clear(4)];
        if destroy {
            end.extend([Deed::Release(1), Deed::Release(15), Deed::Context { index: 4, qpn: 0, state: 0 }]);
        } else {
            end.push(Deed::Context { index: 4, qpn: 0x14, state: 0 });
        }
        end.push(Deed::Done(0));
        assert_eq!(bench.deeds[3..], end);
        assert_eq!(bench.cqs[&15], i64::from(!destroy));
        if destroy {
            assert_eq!(bench.identity(4), QpIdentity::default());
            assert_eq!(bench.create(0x14), 0, "the index is free");
        } else {
            bench.lead(0x14, State::Rts);
        }
    }
}

#[test]
fn t73_modify_to_err_orders_a_flush() {
    for from in LIVING {
        let mut bench = Bench::new();
        bench.bring(0x12, from);
        assert_eq!(bench.modify(0x12, State::Err, 0), 0);
        let told = [Deed::Context { index: 2, qpn: 0x12, state: 6 }, Deed::Fail(2), Deed::Wake(2), Deed::Done(0)];
        assert_eq!(bench.deeds, told);
        for to in [State::Init, State::Rtr, State::Rts, State::Sqd, State::Sqe] {
            assert_eq!(bench.modify(0x12, to, 0), EINVAL, "ERR to {to}");
        }
        assert_eq!(bench.modify(0x12, State::Err, 0), 0);
        assert_eq!(bench.modify(0x12, State::Reset, 0), 0);
        assert_eq!(bench.modify(0x12, State::Init, qp::PKEY | qp::ACCESS), 0, "T6: RESET to INIT may follow at once");
    }
}

#[test]
fn every_preset_becomes_verilog() {
    use rnic_abi::preset::{LARGE, SMALL};
    use rnic_hdl::{bar::Bar, check::verilog, qp::QueuePairs};
    assert!(verilog(&mut QueuePairs::<4, 16>::new(&SMALL)).is_ok());
    assert!(verilog(&mut QueuePairs::<8, 256>::new(&LARGE)).is_ok());
    for preset in [&SMALL, &LARGE] {
        assert!(verilog(&mut Bar::new(preset, preset.core_khz, Bar::table_entries(preset))).is_ok());
    }
}
