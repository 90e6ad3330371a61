//! Admin mailbox, queries and the probe.

use rnic_abi::register as reg;
use rnic_driver::{
    Access, Errno, Error, MrTableState, Pages, Probe, ProbePiece, Protocol, QpState, RegMr, SendRequest, Syndrome, Wait,
};
use rnic_mock::{Refusal, Rig};

#[test]
fn a_silent_mailbox_is_a_named_timeout_and_the_next_command_waits_for_it() {
    let rig = Rig::new();
    rig.mock.with(|state| state.never_answers = true);
    assert_eq!(rig.device.query_mr(1), Err(Error::Timeout(Wait::AdminCommand(3))));
    assert_eq!(rig.device.query_mr(2), Err(Error::Timeout(Wait::MailboxFree)));
    rig.mock.with(|state| state.never_answers = false);
    assert_eq!(rig.device.query_mr(3).unwrap().state, MrTableState::Unalloc);
}

#[test]
fn the_answer_to_an_abandoned_command_is_not_taken_for_the_next_one() {
    let rig = Rig::new();
    rig.mock.with(|state| state.refusals.push_back(Refusal::Silence(3)));
    assert_eq!(rig.device.query_mr(1), Err(Error::Timeout(Wait::AdminCommand(3))));
    // The next command first sees that the mailbox is free, then a late answer with the old token: EINVAL.
    let stale = rig.mock.with(|state| state.registers[&reg::GO]) & 0xFFFF_0000 | 2 | 22 << 8;
    rig.mock.with(|state| state.stale_answers.extend([0, stale, stale]));
    assert_eq!(rig.device.query_mr(1).unwrap().key, 0);
    assert!(rig.mock.with(|state| state.stale_answers.is_empty()));
}

#[test]
fn a_refused_command_carries_opcode_and_errno() {
    let rig = Rig::new();
    for (number, errno) in [(11, Errno::Eagain), (16, Errno::Ebusy), (22, Errno::Einval), (110, Errno::Etimedout)] {
        rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(3, number)));
        let error = rig.device.query_mr(1).unwrap_err();
        assert_eq!((error, error.errno()), (Error::Admin { opcode: 3, errno }, errno));
    }
    rig.mock.with(|state| state.refusals.push_back(Refusal::Errno(3, 99)));
    assert_eq!(rig.device.query_mr(1), Err(Error::Protocol(Protocol::AdminErrno { errno: 99 })));
}

#[test]
fn unused_words_are_zero_and_unchanged_words_are_not_written_again() {
    let rig = Rig::new();
    rig.device.admin_command(0x03, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    rig.mock.forget_writes();
    rig.device.query_mr(1).unwrap();
    let words: Vec<_> = rig.mock.with(|state| state.writes.iter().filter(|(to, _)| *to < 0x280).copied().collect());
    assert_eq!(words, (1..8).map(|word| (0x200 + 4 * word, 0)).collect::<Vec<_>>());
    // A tool may have written the words: then nothing is known of them.
    rig.device.write_register(0x0210, 5).unwrap();
    rig.mock.forget_writes();
    rig.device.query_mr(1).unwrap();
    assert_eq!(rig.mock.written(0x0210), [0]);
    assert_eq!(rig.device.admin_command(0x03, &[0; 33]).unwrap_err().errno(), Errno::Einval);
}

#[test]
fn a_mailbox_write_that_fails_is_repeated_by_the_next_command() {
    let rig = Rig::new();
    rig.device.query_mr(5).unwrap();
    rig.mock.with(|state| state.broken = Some(0x0200));
    assert_eq!(rig.device.query_mr(6).unwrap_err().errno(), Errno::Etimedout);
    rig.mock.with(|state| state.broken = None);
    rig.mock.forget_writes();
    // The device may have taken the 6, so the 5 must be written again.
    rig.device.query_mr(5).unwrap();
    assert_eq!(rig.mock.written(0x0200), [5]);
}

#[test]
fn m1_query_mr_gives_every_field() {
    let rig = Rig::new();
    let mr = rig.mr();
    let (access, pages) = (Access::LOCAL_WRITE | Access::REMOTE_READ, Pages::Inline(vec![0xA000, 0x5000, 0x9000]));
    let registration = RegMr::new(&mr, access, 0x1_7000_0800, 0x2000, pages);
    rig.qp.post_send(SendRequest::reg_mr(0, registration)).unwrap();
    assert!(rig.next().is_success());
    let info = mr.query().unwrap();
    assert_eq!((info.state, info.kind, info.page_shift), (MrTableState::Valid, 1, 12));
    assert_eq!(info.access, access | Access::REMOTE_INVALIDATE, "set by the device (C12)");
    assert_eq!((info.key, info.pd), (mr.key(), rig.pd.number()));
    assert_eq!((info.npages, info.max_pages, info.page_base), (3, 8, mr.page_base()));
    assert_eq!((info.iova, info.length, info.fbo), (0x1_7000_0800, 0x2000, 0x800));
    assert_eq!((info.generation, info.in_flight), (5, 6));
}

#[test]
fn query_qp_gives_every_field() {
    let rig = Rig::new();
    let info = rig.qp.query().unwrap();
    assert_eq!((info.state, info.drained), (QpState::Rts, true));
    assert_eq!((info.hpsn, info.una, info.epsn, info.msn), (11, 12, 13, 14));
    assert_eq!((info.sq_retired, info.rq_used, info.in_flight), (0, 0, 15));
    let unknown = rig.device.query_qp(rig.qp.number() + rig.device.capabilities().qps as u32).unwrap_err();
    assert_eq!(unknown.errno(), Errno::Einval);
}

#[test]
fn e8_a_probe_goes_on_behind_each_piece() {
    let rig = Rig::new();
    let pieces = [(0x800, 0xA800), (0x1000, 0x5000), (0x400, 0x9000)];
    for (bytes, address) in pieces {
        rig.mock.with(|state| state.probes.push_back((0, bytes, address)));
    }
    let needed = Access::REMOTE_WRITE;
    let probe = rig.device.probe(rig.qp.number(), 0x1A2B, 0x1_7000_0800, 0x1C00, needed, true).unwrap();
    let expected = pieces.map(|(bytes, address)| ProbePiece { address, bytes });
    assert_eq!(probe, Probe::Granted(expected.to_vec()));
    let questions = rig.mock.with(|state| state.probe_questions.clone());
    let question = |va: u32, length| vec![rig.qp.number(), 0x1A2B, va, 1, length, 0x102];
    assert_eq!(questions, [question(0x7000_0800, 0x1C00), question(0x7000_1000, 0x1400), question(0x7000_2000, 0x400)]);
}

#[test]
fn e1_a_probe_of_no_bytes_is_granted_without_pieces() {
    let rig = Rig::new();
    rig.mock.with(|state| state.probes.push_back((0, 0, 0)));
    assert_eq!(rig.device.probe(2, 0, 0, 0, Access::NONE, false).unwrap(), Probe::Granted(vec![]));
}

#[test]
fn a_probe_names_the_syndrome_of_a_refusal() {
    let rig = Rig::new();
    rig.mock.with(|state| state.probes.push_back((0x34, 0, 0)));
    let probe = rig.device.probe(2, 0x100, 0, 1, Access::NONE, false).unwrap();
    assert_eq!(probe, Probe::Refused(Syndrome::AccBounds));
    rig.mock.with(|state| state.probes.push_back((0x77, 0, 0)));
    let unknown = rig.device.probe(2, 0x100, 0, 1, Access::NONE, false);
    assert_eq!(unknown, Err(Error::Protocol(Protocol::Syndrome { syndrome: 0x77 })));
}

#[test]
fn a_probe_piece_that_cannot_be_is_a_protocol_error() {
    let rig = Rig::new();
    for bytes in [0, 9] {
        rig.mock.with(|state| state.probes.push_back((0, bytes, 0x1000)));
        let probe = rig.device.probe(2, 0x100, 0, 8, Access::NONE, false);
        assert_eq!(probe, Err(Error::Protocol(Protocol::ProbePiece { bytes, asked: 8 })));
    }
}
