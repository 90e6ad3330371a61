//! Sections B (posting) and D.

use super::*;

fn reg(key: u32) -> [u8; 64] {
    Reg { key, ..Reg::default() }.slot()
}

fn unsignalled(mut slot: [u8; 64]) -> [u8; 64] {
    slot[1] &= !wqe::FLAG_SIGNALLED;
    slot
}

#[test]
fn b22_t4_a_doorbell_for_more_than_the_ring_is_dropped() {
    let mut bench = Bench::with_cq(8, 2);
    assert_eq!(bench.nic.ring_send(1, 5, &bench.memory), Err(DoorbellDrop::Count));
    assert_eq!(bench.nic.ring_send(1, 0x1_0001, &bench.memory), Err(DoorbellDrop::Value));
    assert_eq!(bench.nic.ring_send(3, 1, &bench.memory), Err(DoorbellDrop::NoQueue));
    assert_eq!(bench.nic.ring_send(1, 4, &bench.memory), Ok(()));
    assert_eq!(bench.nic.queue_pair(QP1).unwrap().pending_sends(), 4);
}

#[test]
fn b23_doorbells_by_state() {
    let mut bench = Bench::new();
    bench.modify(QP1, State::Reset).unwrap();
    assert_eq!(bench.nic.ring_send(1, 1, &bench.memory), Err(DoorbellDrop::State));
    assert_eq!(bench.nic.ring_receive(1, 1), Err(DoorbellDrop::State));
    for command in &bring_up(QP1)[..2] {
        bench.nic.admin(command::MODIFY_QP, command).unwrap();
        assert_eq!(bench.nic.ring_send(1, 1, &bench.memory), Err(DoorbellDrop::State));
        assert_eq!(bench.nic.ring_receive(1, 1), Ok(()));
    }
    bench.nic.admin(command::MODIFY_QP, &bring_up(QP1)[2]).unwrap();
    for state in [State::Sqd, State::Err] {
        bench.modify(QP1, state).unwrap();
        assert!(bench.post(QP1, &[reg(0x511)]).is_ok());
    }
}

#[test]
fn t77_nothing_runs_by_itself_in_sqd() {
    let mut bench = Bench::new();
    assert!(bench.nic.queue_pair(QP1).unwrap().runs());
    bench.modify(QP1, State::Sqd).unwrap();
    assert!(!bench.nic.queue_pair(QP1).unwrap().runs());
    assert_eq!(bench.admin(command::QUERY_QP, &[QP1]).unwrap()[0], 0x104);
}

#[test]
fn t77_the_drained_event_comes_once_where_it_was_asked_for() {
    for wanted in [0, 1] {
        let mut bench = Bench::new();
        bench.admin(command::MODIFY_QP, &[QP1, 4, 1 << 13, 0, 0, 0, 0, 0, wanted << 16]).unwrap();
        let event = Event { kind: rnic_abi::event::SQ_DRAINED, number: QP1, detail: 0 };
        assert_eq!(bench.nic.take_events(), vec![event; wanted as usize]);
        bench.admin(command::MODIFY_QP, &[QP1, 4]).unwrap();
        assert!(bench.nic.take_events().is_empty());
    }
}

#[test]
fn d1_d2_requests_take_effect_in_posting_order_across_the_ring_end() {
    let mut bench = Bench::with_cq(8, 2);
    let mut before = KEY_A;
    for round in 0..5u32 {
        let (first, second) = (0x520 + round, 0x540 + round);
        bench.post(QP1, &[local_inv(before), reg(first), local_inv(first)]).unwrap();
        for number in 0..3 {
            let step = bench.step(QP1).unwrap();
            assert_eq!((step.status, u32::from(step.slot)), (Status::Success, (5 * round + number) % 4));
        }
        bench.post(QP1, &[local_inv(first), reg(second)]).unwrap();
        for number in 3..5 {
            let step = bench.step(QP1).unwrap();
            assert_eq!((step.status, u32::from(step.slot)), (Status::Success, (5 * round + number) % 4));
        }
        before = second;
    }
}

#[test]
fn d10_success_without_signal_has_no_cqe_and_errors_always_have() {
    let mut bench = Bench::new();
    bench.post(QP1, &[unsignalled(reg(0x511)), unsignalled(reg(0x511)), unsignalled(reg(0x512))]).unwrap();
    let steps: Vec<_> = (0..3).map(|_| bench.step(QP1).unwrap()).collect();
    assert!(steps[0].cqe.is_none());
    let cqe = |number: usize| steps[number].cqe.map(|cqe| (cqe.status, cqe.syndrome, cqe.slot));
    assert_eq!(cqe(1), Some((Status::MwBind, Syndrome::MrNotFree as u8, 1)));
    assert_eq!(cqe(2), Some((Status::WrFlush, 0, 2)));
    bench.recover(QP1);
    bench.nic.queue_pairs[1].as_mut().unwrap().sig_all = true;
    bench.post(QP1, &[unsignalled(local_inv(0x511))]).unwrap();
    assert!(bench.step(QP1).unwrap().cqe.is_some());
}

#[test]
fn d9_d11_d13_after_the_first_error_everything_is_flushed_once_and_changes_nothing() {
    let mut bench = Bench::new();
    bench.post(QP1, &[reg(0x511), reg(0x511), local_inv(0x511), reg(0x611)]).unwrap();
    bench.nic.ring_receive(1, 3).unwrap();
    assert_eq!(bench.nic.flush_receive(QP1), None, "a healthy queue pair keeps its receives");
    let statuses: Vec<_> = std::iter::from_fn(|| bench.step(QP1)).map(|step| step.status).collect();
    assert_eq!(statuses, [Status::Success, Status::MwBind, Status::WrFlush, Status::WrFlush]);
    assert_eq!(bench.nic.region(5).unwrap().state, RegionState::Valid);
    assert_eq!(bench.nic.region(6).unwrap().state, RegionState::Free);
    let receives: Vec<_> = std::iter::from_fn(|| bench.nic.flush_receive(QP1)).collect();
    assert_eq!(receives.iter().map(|step| step.slot).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(receives.iter().all(|step| step.status == Status::WrFlush && step.cqe.unwrap().flags == 8));
}

#[test]
fn d15_a_request_posted_in_err_is_flushed_even_on_an_empty_queue() {
    let mut bench = Bench::new();
    bench.modify(QP1, State::Err).unwrap();
    assert_eq!(bench.run(QP1, reg(0x511)), (Status::WrFlush, 0));
    assert_eq!(bench.nic.region(5).unwrap().state, RegionState::Free);
}

#[test]
fn d16_t6_reset_forgets_posted_work_and_counts() {
    let mut bench = Bench::new();
    bench.succeed(reg(0x511));
    bench.post(QP1, &[local_inv(0x511)]).unwrap();
    bench.nic.ring_receive(1, 2).unwrap();
    bench.modify(QP1, State::Reset).unwrap();
    assert!(bench.step(QP1).is_none());
    let answer = bench.admin(command::QUERY_QP, &[QP1]).unwrap();
    assert_eq!((answer[0], answer[5]), (0, 0));
    assert_eq!(bench.nic.region(5).unwrap().state, RegionState::Valid);
}

#[test]
fn d18_slots_are_read_when_the_doorbell_rings() {
    let mut bench = Bench::new();
    bench.post(QP1, &[reg(0x511)]).unwrap();
    bench.memory.write(RING, &[0; 8]);
    assert_eq!(bench.step(QP1).unwrap().status, Status::Success);
}

#[test]
fn d19_unknown_and_unsupported_opcodes_complete_in_error() {
    for opcode in [0x7F, 0x00, 0x04, 0x08, 0x0C, 0x22, 0xFF] {
        let mut slot = [0; 64];
        slot[..3].copy_from_slice(&[opcode, wqe::FLAG_SIGNALLED, 1]);
        let mut bench = Bench::new();
        bench.fail(slot, Syndrome::WqeFormat);
    }
}

#[test]
fn t73_a_data_request_of_two_blocks_takes_two_slots_and_completes_once() {
    let mut data = [0; 64];
    data[..4].copy_from_slice(&[0x00, wqe::FLAG_SIGNALLED, 2, 3]);
    let mut bench = Bench::new();
    bench.post(QP1, &[data, [0xFF; 64], data, [0xEE; 64], reg(0x511)]).unwrap();
    let steps: Vec<_> = std::iter::from_fn(|| bench.step(QP1)).map(|step| (step.slot, step.status)).collect();
    assert_eq!(steps, [(0, Status::LocQpOp), (2, Status::WrFlush), (4, Status::WrFlush)]);
}

#[test]
fn t73_a_slot_that_cannot_be_read_fails_as_one_block() {
    let mut bench = Bench::new();
    bench.nic.ring_send(1, 1, &bench.memory).unwrap();
    let step = bench.step(QP1).unwrap();
    assert_eq!((step.status, step.syndrome), (Status::LocQpOp, Syndrome::PayloadBus as u8));
}
