//! Creations that the device does not answer: it may have the object or not, and nobody has a handle (A7).

use rnic_driver::{Error, QpOptions, Wait};
use rnic_mock::{Mock, Refusal, Rig};

/// Without an answer, and whether it was executed.
const KINDS: [fn(u8) -> Refusal; 2] = [Refusal::Silence, Refusal::LostAnswer];

fn unanswered(mock: &Mock, opcode: u8, kind: fn(u8) -> Refusal, make: impl FnOnce() -> Error) {
    mock.with(|state| state.refusals.push_back(kind(opcode)));
    assert_eq!(make(), Error::Timeout(Wait::AdminCommand(opcode)));
}

#[test]
fn a7_a_region_that_may_exist_is_ended_by_reclaim() {
    for kind in KINDS {
        let rig = Rig::new();
        unanswered(&rig.mock, 0x01, kind, || rig.device.alloc_fast_reg_mr(&rig.pd, 8).unwrap_err());
        assert_eq!(rig.pd.uses(), 2, "the queue pair, and what may exist");
        let other = rig.mr();
        assert_eq!(other.index(), 2, "its index is not used again");
        other.dereg().unwrap();
        assert_eq!((rig.device.reclaim(), rig.pd.uses()), (Ok(0), 1));
        assert!(rig.mock.with(|state| state.mrs.is_empty()));
        assert_eq!(rig.mr().index(), 1);
    }
}

#[test]
fn a7_a_queue_pair_that_may_exist_is_ended_by_reclaim() {
    for kind in KINDS {
        let Rig { mock, device, pd, cq, qp } = Rig::new();
        qp.destroy().unwrap();
        unanswered(&mock, 0x0A, kind, || device.create_qp(&pd, &cq, &cq, QpOptions::default()).unwrap_err());
        let kept = pd.free().unwrap_err();
        assert_eq!((device.reclaim(), mock.with(|state| state.qps.len())), (Ok(0), 0));
        kept.object.free().unwrap();
        cq.destroy().unwrap();
    }
}

#[test]
fn a7_a_completion_queue_that_may_exist_is_ended_by_reclaim() {
    for kind in KINDS {
        let rig = Rig::new();
        unanswered(&rig.mock, 0x08, kind, || rig.device.create_cq(16, 1).unwrap_err());
        assert_eq!(rig.device.create_cq(16, 1).unwrap().number(), 2, "its number is not used again");
        assert_eq!((rig.device.reclaim(), rig.device.create_cq(16, 1).unwrap().number()), (Ok(0), 1));
        assert_eq!(rig.mock.with(|state| state.cqs.len()), 3);
    }
}

#[test]
fn a7_an_end_that_is_not_answered_either_is_repeated() {
    let rig = Rig::new();
    unanswered(&rig.mock, 0x0A, Refusal::LostAnswer, || {
        rig.device.create_qp(&rig.pd, &rig.cq, &rig.cq, QpOptions::default()).unwrap_err()
    });
    unanswered(&rig.mock, 0x08, Refusal::Silence, || rig.device.create_cq(16, 1).unwrap_err());
    rig.mock.with(|state| state.refusals.push_back(Refusal::LostAnswer(0x0C)));
    assert_eq!(rig.device.reclaim(), Err(Error::Timeout(Wait::AdminCommand(0x0C))));
    assert_eq!((rig.device.reclaim(), rig.device.reclaim(), rig.pd.uses()), (Ok(0), Ok(0), 1));
}
