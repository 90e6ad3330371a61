//! What the sequencer does next: failed send queues first, then failed responders and
//! completion queues, then the admin command, then send
//! queues that are watched while they drain.
//!
//! Failures go before commands, so that who has seen an error CQE finds its queue pair in ERR (rule D11). A failed or watched
//! queue pair is found by visiting one a cycle; the flags keep what comes meanwhile.
use super::sequencer::Job;
use crate::types::QpFailure;
use crate::widgets::{ChannelSink, FlagVector};
use rnic_abi::admin::Command;
use rust_hdl::prelude::*;

/// Choice of the next job.
#[derive(LogicBlock)]
pub struct Intake<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all.
    pub reset: Signal<In, Bit>,
    /// An admin command starts.
    pub start: Signal<In, Bit>,
    /// Its opcode; those of other units are left to them.
    pub opcode: Signal<In, Bits<8>>,
    /// Queue pair that its words name.
    pub command_index: Signal<In, Bits<8>>,
    /// A send queue has failed.
    pub sq_failed: Signal<In, Bit>,
    /// Its queue pair.
    pub sq_failed_index: Signal<In, Bits<8>>,
    /// Completion queues that have failed.
    pub cq_failed: ChannelSink<Bits<12>>,
    /// Responders that have failed.
    pub receive_failed: ChannelSink<QpFailure>,
    /// Watch the queue pair `mark_index` while it drains.
    pub watch: Signal<In, Bit>,
    /// Watch it no longer.
    pub unwatch: Signal<In, Bit>,
    /// Forget a failure of it.
    pub forget: Signal<In, Bit>,
    /// Queue pair of the last three.
    pub mark_index: Signal<In, Bits<8>>,
    /// The sequencer takes a job.
    pub idle: Signal<In, Bit>,
    /// There is one.
    pub some: Signal<Out, Bit>,
    /// What.
    pub job: Signal<Out, Job>,
    /// Its queue pair.
    pub index: Signal<Out, Bits<8>>,
    /// Its completion queue.
    pub cqn: Signal<Out, Bits<12>>,
    /// Event of the failed responder.
    pub reason: Signal<Out, Bits<8>>,
    /// Its syndrome.
    pub syndrome: Signal<Out, Bits<8>>,
    failed: FlagVector<QPS, QA>,
    watched: FlagVector<QPS, QA>,
    visit: DFF<Bits<QA>>,
    waits: DFF<Bit>,
    command: DFF<Job>,
    any_failed: Signal<Local, Bit>,
    any_watched: Signal<Local, Bit>,
    mine: Signal<Local, Bit>,
    here: Signal<Local, Bits<8>>,
    failure: Signal<Local, QpFailure>,
    names: Signal<Local, Job>,
    takes_failure: Signal<Local, Bit>,
    takes_command: Signal<Local, Bit>,
    create: Constant<Bits<8>>,
    modify: Constant<Bits<8>>,
    destroy: Constant<Bits<8>>,
    query: Constant<Bits<8>>,
}

impl<const QA: usize, const QPS: usize> Default for Intake<QA, QPS> {
    fn default() -> Self {
        assert_eq!(QPS, 1 << QA);
        let code = |command: Command| Constant::new(u64::from(command.code()).into());
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            opcode: Default::default(),
            command_index: Default::default(),
            sq_failed: Default::default(),
            sq_failed_index: Default::default(),
            cq_failed: Default::default(),
            receive_failed: Default::default(),
            watch: Default::default(),
            unwatch: Default::default(),
            forget: Default::default(),
            mark_index: Default::default(),
            idle: Default::default(),
            some: Default::default(),
            job: Default::default(),
            index: Default::default(),
            cqn: Default::default(),
            reason: Default::default(),
            syndrome: Default::default(),
            failure: Default::default(),
            failed: Default::default(),
            watched: Default::default(),
            visit: Default::default(),
            waits: Default::default(),
            command: Default::default(),
            any_failed: Default::default(),
            any_watched: Default::default(),
            mine: Default::default(),
            here: Default::default(),
            names: Default::default(),
            takes_failure: Default::default(),
            takes_command: Default::default(),
            create: code(Command::CreateQp),
            modify: code(Command::ModifyQp),
            destroy: code(Command::DestroyQp),
            query: code(Command::QueryQp),
        }
    }
}

impl<const QA: usize, const QPS: usize> Logic for Intake<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, visit, waits, command);
        clock!(self, clock, failed, watched);
        self.failed.reset.next = self.reset.val();
        self.watched.reset.next = self.reset.val();
        self.failed.index.next = self.visit.q.val();
        self.watched.index.next = self.visit.q.val();
        self.failed.set_flag.next = self.sq_failed.val();
        self.failed.set_index.next = bit_cast::<QA, 8>(self.sq_failed_index.val());
        self.watched.set_flag.next = self.watch.val();
        self.watched.set_index.next = bit_cast::<QA, 8>(self.mark_index.val());
        self.watched.clear_flag.next = self.unwatch.val();
        self.watched.clear_index.next = bit_cast::<QA, 8>(self.mark_index.val());
        // The command.
        self.names.next = Job::Query;
        self.mine.next = self.opcode.val() == self.query.val();
        if self.opcode.val() == self.create.val() {
            self.names.next = Job::Create;
            self.mine.next = true;
        } else if self.opcode.val() == self.modify.val() {
            self.names.next = Job::Modify;
            self.mine.next = true;
        } else if self.opcode.val() == self.destroy.val() {
            self.names.next = Job::Destroy;
            self.mine.next = true;
        }
        if self.start.val() & self.mine.val() {
            self.waits.d.next = true;
            self.command.d.next = self.names.val();
        }
        // The choice.
        self.any_failed.next = self.failed.all.val().any();
        self.any_watched.next = self.watched.all.val().any();
        self.here.next = bit_cast::<8, QA>(self.visit.q.val());
        self.takes_failure.next = false;
        self.takes_command.next = false;
        self.cq_failed.ready.next = false;
        self.receive_failed.ready.next = false;
        self.failure.next = self.receive_failed.data.val();
        self.reason.next = self.failure.val().event;
        self.syndrome.next = self.failure.val().syndrome;
        self.some.next = false;
        self.job.next = Job::FailSend;
        self.index.next = self.here.val();
        self.cqn.next = self.cq_failed.data.val();
        if self.idle.val() {
            self.visit.d.next = self.visit.q.val() + 1;
            if self.any_failed.val() {
                self.some.next = self.failed.flag.val();
                self.takes_failure.next = self.failed.flag.val();
            } else if self.receive_failed.valid.val() {
                self.some.next = true;
                self.receive_failed.ready.next = true;
                self.job.next = Job::FailReceive;
                self.index.next = self.failure.val().qp;
            } else if self.cq_failed.valid.val() {
                self.some.next = true;
                self.cq_failed.ready.next = true;
                self.job.next = Job::FailCompletion;
                self.index.next = 0.into();
            } else if self.waits.q.val() {
                self.some.next = true;
                self.takes_command.next = true;
                self.job.next = self.command.q.val();
                self.index.next = self.command_index.val();
            } else if self.any_watched.val() {
                self.some.next = self.watched.flag.val();
                self.job.next = Job::Drain;
            }
        }
        if self.takes_command.val() {
            self.waits.d.next = false;
        }
        self.failed.clear_flag.next = self.takes_failure.val() | self.forget.val();
        self.failed.clear_index.next = self.visit.q.val();
        if self.forget.val() {
            self.failed.clear_index.next = bit_cast::<QA, 8>(self.mark_index.val());
        }
        if self.reset.val() {
            self.waits.d.next = false;
            self.visit.d.next = 0.into();
        }
    }
}
