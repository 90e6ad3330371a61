//! CREATE_CQ and DESTROY_CQ.
//!
//! CREATE_CQ: EINVAL when a field is wrong, EBUSY when the CQN exists. DESTROY_CQ: EINVAL when a field is wrong or there
//! is no such CQ, EBUSY when a queue pair uses it. An error changes nothing. CREATE first lets the owners of the counts
//! set them to 0. DESTROY makes the queue unknown, then waits until every CQE accepted before has its B, so that its
//! memory is free when the command is done. About 10 cycles, and the drain.
use super::{CqCommand, CqEntry, CqRing};
use crate::types::AdminUnit;
use crate::widgets::ChannelSource;
use rnic_abi::admin::Command;
use rnic_abi::errno;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum AdminState {
    Idle,
    Look,
    Judge,
    RestartProducer,
    RestartProgress,
    Store,
    Drain,
    Answer,
}

/// Admin commands on 2^CA completion queues.
#[derive(LogicBlock)]
pub struct CqAdmin<const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Stops a command.
    pub reset: Signal<In, Bit>,
    /// Admin commands.
    pub admin: AdminUnit,
    /// Queue of the command.
    pub cqn: Signal<Out, Bits<12>>,
    /// Asks for its entry, which must be there one cycle later.
    pub look: Signal<Out, Bit>,
    /// The entry.
    pub found: Signal<In, CqEntry>,
    /// Sets the counts of the queue to 0 at the producer's side.
    pub restart_producer: ChannelSource<Bits<12>>,
    /// Sets the counts of the queue to 0 at the consumer's side.
    pub restart_progress: ChannelSource<Bits<12>>,
    /// Stores the queue as it shall be.
    pub store: Signal<Out, Bit>,
    /// Where it lies, and whether it exists.
    pub ring: Signal<Out, CqRing>,
    /// Its interrupt vector.
    pub irq_vector: Signal<Out, Bits<3>>,
    /// All CQEs accepted before must get their B.
    pub fence: Signal<Out, Bit>,
    /// They have.
    pub fenced: Signal<In, Bit>,
    command: CqCommand<CA>,
    state: DFF<AdminState>,
    creates: DFF<Bit>,
    errno: DFF<Bits<8>>,
    mine: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    judged: Signal<Local, Bits<8>>,
    create_code: Constant<Bits<8>>,
    destroy_code: Constant<Bits<8>>,
    success: Constant<Bits<8>>,
    einval: Constant<Bits<8>>,
    ebusy: Constant<Bits<8>>,
}

impl<const CA: usize> Default for CqAdmin<CA> {
    fn default() -> Self {
        assert!((1..12).contains(&CA), "2^{CA} completion queues");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            admin: Default::default(),
            cqn: Default::default(),
            look: Default::default(),
            found: Default::default(),
            restart_producer: Default::default(),
            restart_progress: Default::default(),
            store: Default::default(),
            ring: Default::default(),
            irq_vector: Default::default(),
            fence: Default::default(),
            fenced: Default::default(),
            command: Default::default(),
            state: Default::default(),
            creates: Default::default(),
            errno: Default::default(),
            mine: Default::default(),
            over: Default::default(),
            wrong: Default::default(),
            busy: Default::default(),
            judged: Default::default(),
            create_code: Constant::new(bits(Command::CreateCq.code().into())),
            destroy_code: Constant::new(bits(Command::DestroyCq.code().into())),
            success: Constant::new(bits(errno::SUCCESS.into())),
            einval: Constant::new(bits(errno::EINVAL.into())),
            ebusy: Constant::new(bits(errno::EBUSY.into())),
        }
    }
}

impl<const CA: usize> Logic for CqAdmin<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, creates, errno);
        clock!(self, clock, command);
        self.mine.next =
            (self.admin.opcode.val() == self.create_code.val()) | (self.admin.opcode.val() == self.destroy_code.val());
        // Verdict, in the order of the checks.
        self.wrong.next = !self.command.destroy_good.val() | !self.found.val().exists;
        self.busy.next = self.found.val().uses != 0;
        if self.creates.q.val() {
            self.wrong.next = !self.command.create_good.val();
            self.busy.next = self.found.val().exists;
        }
        self.judged.next = self.success.val();
        if self.busy.val() {
            self.judged.next = self.ebusy.val();
        }
        if self.wrong.val() {
            self.judged.next = self.einval.val();
        }
        match self.state.q.val() {
            AdminState::Idle => {
                self.creates.d.next = self.admin.opcode.val() == self.create_code.val();
                if self.admin.start.val() & self.mine.val() {
                    self.state.d.next = AdminState::Look;
                }
            }
            AdminState::Look => self.state.d.next = AdminState::Judge,
            AdminState::Judge => {
                self.errno.d.next = self.judged.val();
                self.state.d.next = AdminState::Store;
                if self.creates.q.val() {
                    self.state.d.next = AdminState::RestartProducer;
                }
                if self.wrong.val() | self.busy.val() {
                    self.state.d.next = AdminState::Answer;
                }
            }
            AdminState::RestartProducer => {
                if self.restart_producer.ready.val() {
                    self.state.d.next = AdminState::RestartProgress;
                }
            }
            AdminState::RestartProgress => {
                if self.restart_progress.ready.val() {
                    self.state.d.next = AdminState::Store;
                }
            }
            AdminState::Store => {
                self.state.d.next = AdminState::Drain;
                if self.creates.q.val() {
                    self.state.d.next = AdminState::Answer;
                }
            }
            AdminState::Drain => {
                if self.fenced.val() {
                    self.state.d.next = AdminState::Answer;
                }
            }
            AdminState::Answer => self.state.d.next = AdminState::Idle,
        }
        if self.reset.val() {
            self.state.d.next = AdminState::Idle;
        }
        self.look.next = self.state.q.val() == AdminState::Look;
        self.restart_producer.valid.next = self.state.q.val() == AdminState::RestartProducer;
        self.restart_progress.valid.next = self.state.q.val() == AdminState::RestartProgress;
        self.store.next = self.state.q.val() == AdminState::Store;
        self.fence.next = (self.state.q.val() == AdminState::Store) & !self.creates.q.val();
        self.over.next = self.state.q.val() == AdminState::Answer;
        self.admin.done.next = self.over.val();
        self.admin.errno.next = self.errno.q.val();
        self.admin.answer_valid.next = false;
        self.admin.answer_index.next = 0.into();
        self.admin.answer.next = 0.into();
        // Words of other units' commands are forgotten as well.
        self.command.reset.next = self.reset.val();
        self.command.forget.next = self.over.val() | (self.admin.start.val() & !self.mine.val());
        self.command.word_valid.next = self.admin.word_valid.val();
        self.command.word_index.next = self.admin.word_index.val();
        self.command.word.next = self.admin.word.val();
        self.cqn.next = self.command.cqn.val();
        self.restart_producer.data.next = self.command.cqn.val();
        self.restart_progress.data.next = self.command.cqn.val();
        self.ring.next = self.command.ring.val();
        self.ring.next.exists = self.creates.q.val();
        self.irq_vector.next = self.command.irq_vector.val();
    }
}
