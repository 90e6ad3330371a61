//! What a task does to its queue pair: chooses between the judges of frames and the rules of events (T39, T81, T83, C20).
//! Combinational.
//!
//! Nothing of a dead queue pair counts (T6). A timer event is void unless its queue pair is as the timer has watched it; a
//! timeout is so during an RNR wait, too (T31), and after a failure that WQEs before it do not need (T40).
use super::ack_judge::AckJudge;
use super::ack_records::{AckStep, AckTask, AnswerKind, AnswerPlace};
use super::response_judge::ResponseJudge;
use rnic_abi::status;
use rust_hdl::prelude::*;

/// Decision on one task.
#[derive(LogicBlock)]
pub struct AckDecide {
    /// The task.
    pub work: Signal<In, AckTask>,
    /// What the frame is.
    pub kind: Signal<In, AnswerKind>,
    /// How it stands to its queue pair.
    pub place: Signal<In, AnswerPlace>,
    /// The queue pair is in an RNR wait.
    pub waits: Signal<In, Bit>,
    /// The queue pair is dead.
    pub dead: Signal<In, Bit>,
    /// What to do.
    pub step: Signal<Out, AckStep>,
    acks: AckJudge,
    responses: ResponseJudge,
    job: Signal<Local, AckTask>,
    is: Signal<Local, AnswerKind>,
    at: Signal<Local, AnswerPlace>,
    current: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    local_protection: Constant<Bits<5>>,
    bind_error: Constant<Bits<5>>,
}

impl Default for AckDecide {
    fn default() -> Self {
        Self {
            work: Default::default(),
            kind: Default::default(),
            place: Default::default(),
            waits: Default::default(),
            dead: Default::default(),
            step: Default::default(),
            acks: Default::default(),
            responses: Default::default(),
            job: Default::default(),
            is: Default::default(),
            at: Default::default(),
            current: Default::default(),
            active: Default::default(),
            local_protection: Constant::new(status::LOC_PROT.to_bits()),
            bind_error: Constant::new(status::MW_BIND.to_bits()),
        }
    }
}

impl Logic for AckDecide {
    #[hdl_gen]
    fn update(&mut self) {
        self.job.next = self.work.val();
        self.is.next = self.kind.val();
        self.at.next = self.place.val();
        self.acks.kind.next = self.is.val();
        self.acks.place.next = self.at.val();
        self.responses.kind.next = self.is.val();
        self.responses.place.next = self.at.val();
        // T81: epoch and `una` are those that the timer has watched, and something is outstanding.
        self.current.next = self.at.val().window & self.at.val().at_una & self.at.val().same_epoch;
        self.active.next =
            !self.at.val().spent & !(self.at.val().open & self.at.val().fail_in & !self.at.val().una_behind);
        self.step.next = bits::<26>(0).into();
        if self.job.val().frame & !self.dead.val() {
            self.step.next = self.acks.step.val();
            if self.is.val().read | self.is.val().atomic {
                self.step.next = self.responses.step.val();
            }
        }
        if !self.job.val().frame & !self.dead.val() {
            self.step.next.timeout =
                self.job.val().timeout & self.current.val() & !self.waits.val() & self.active.val();
            self.step.next.rnr_over = self.job.val().rnr_over & self.current.val() & self.waits.val();
            self.step.next.again = self.job.val().rnr_over & self.current.val() & self.waits.val() & self.active.val();
            self.step.next.refuse = self.job.val().failure & !self.at.val().after_fail;
            self.step.next.status = self.local_protection.val();
            if self.job.val().sink {
                self.step.next.status = self.bind_error.val();
            }
            self.step.next.syndrome = self.job.val().syndrome;
        }
    }
}
