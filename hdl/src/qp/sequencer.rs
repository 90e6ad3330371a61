//! Sequencer of the subsystem: one job at a time, be it an admin command, a failed send queue, a failed completion queue or a
//! send queue to watch while it drains.
//!
//! A command that answers an error has written nothing. Orders to the other subsystems follow the write of their copies by
//! five cycles. A job takes about 25 cycles; reset and destroy as long as the queue pair needs to come to rest; a failed
//! completion queue 20 cycles a queue pair.
use crate::types::{EventRequest, QpControl};
use crate::widgets::ChannelSource;
use rnic_abi::{errno, event, qp};
use rust_hdl::prelude::*;

/// What is being done.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Job {
    /// CREATE_QP.
    Create,
    /// MODIFY_QP.
    Modify,
    /// DESTROY_QP.
    Destroy,
    /// QUERY_QP.
    Query,
    /// A send queue has failed.
    FailSend,
    /// A completion queue has failed: all queue pairs are looked at.
    FailCompletion,
    /// A send queue in SQD is looked at.
    Drain,
    /// A responder has failed.
    FailReceive,
}

/// How far it is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Step {
    /// Looks for work.
    Idle,
    /// Tables and counts are read.
    Load,
    /// Decides.
    Judge,
    /// Completion queues are asked for and taken.
    AwaitUses,
    /// No frame is taken any more.
    Close,
    /// What is in flight now is noted.
    Mark,
    /// It must be committed, so that a flush cannot meet it (T73).
    AwaitDrain,
    /// The responder's last frames leave, and its atomic ends.
    AwaitAnswers,
    /// Writes the new state.
    Store,
    /// Orders to the other subsystems.
    Tell,
    /// Writes state RESET.
    Quiet,
    /// The queue pair comes to rest.
    AwaitRest,
    /// Its uses of completion queues are returned.
    ReturnUses,
    /// Forgets what was stored.
    Erase,
    /// Sends answer words.
    Answer,
    /// Ends the command.
    Done,
    /// Goes on to the next queue pair.
    NextQueuePair,
    /// Sends an event.
    Report,
}

/// The sequencer.
#[derive(LogicBlock)]
pub struct QpSequencer {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the job.
    pub reset: Signal<In, Bit>,
    /// Takes a job.
    pub idle: Signal<Out, Bit>,
    /// There is one.
    pub some: Signal<In, Bit>,
    /// What.
    pub job: Signal<In, Job>,
    /// Its queue pair.
    pub job_index: Signal<In, Bits<8>>,
    /// Completion queue of the job.
    pub job_cqn: Signal<In, Bits<12>>,
    /// Event and syndrome of a failed responder.
    pub job_event: Signal<In, Bits<8>>,
    /// Its syndrome.
    pub job_syndrome: Signal<In, Bits<8>>,
    /// Queue pair at hand: row of all tables.
    pub index: Signal<Out, Bits<8>>,
    /// Queue pair number of the command.
    pub command_qpn: Signal<In, Bits<32>>,
    /// State that MODIFY_QP asks for.
    pub command_state: Signal<In, Bits<3>>,
    /// The words of CREATE_QP are right.
    pub create_valid: Signal<In, Bit>,
    /// MODIFY_QP may be carried out.
    pub modify_valid: Signal<In, Bit>,
    /// Number stored for `index`.
    pub qpn: Signal<In, Bits<24>>,
    /// State stored.
    pub state: Signal<In, Bits<3>>,
    /// Completion queues stored.
    pub send_cqn: Signal<In, Bits<12>>,
    /// Completion queue of receives.
    pub receive_cqn: Signal<In, Bits<12>>,
    /// SQ_DRAINED is wanted (after the command).
    pub drained_event: Signal<In, Bit>,
    /// In SQD: all that its send queue has started is retired.
    pub rested: Signal<In, Bit>,
    /// The rings of the command are stored.
    pub store_rings: Signal<Out, Bit>,
    /// Store the new state in the copies of the transport.
    pub store_transport: Signal<Out, Bit>,
    /// Note what the responder has in flight.
    pub drain_mark: Signal<Out, Bit>,
    /// All of it has been committed.
    pub drained: Signal<In, Bit>,
    /// Frames of the responder of `index` are on their way; at most 8 cycles old.
    pub answers: Signal<In, Bit>,
    /// The responder begins with the RQ PSN of the attributes stored,
    pub starts_receive: Signal<Out, Bit>,
    /// the requester with its SQ PSN.
    pub starts_send: Signal<Out, Bit>,
    /// `new_state` is stored, and all copies are written.
    pub store_state: Signal<Out, Bit>,
    /// Attributes are stored.
    pub store_attributes: Signal<Out, Bit>,
    /// Copies show the rings of the command.
    pub creates: Signal<Out, Bit>,
    /// Attributes and path become 0.
    pub forgets: Signal<Out, Bit>,
    /// Rings become 0.
    pub erases: Signal<Out, Bit>,
    /// State to store.
    pub new_state: Signal<Out, Bits<3>>,
    /// Orders to the other subsystems.
    pub control: Signal<Out, QpControl>,
    /// Completion queues: take uses, or return them.
    pub use_request: Signal<Out, Bit>,
    /// Return them.
    pub use_returns: Signal<Out, Bit>,
    /// Done.
    pub use_done: Signal<In, Bit>,
    /// One does not exist.
    pub use_missing: Signal<In, Bit>,
    /// The queue pair is to come to rest.
    pub rest_request: Signal<Out, Bit>,
    /// It is at rest.
    pub rest_done: Signal<In, Bit>,
    /// Order of [`super::Quiesce`].
    pub rest_discard: Signal<In, Bit>,
    /// Order of [`super::Quiesce`].
    pub rest_clear: Signal<In, Bit>,
    /// Watch the queue pair while it drains.
    pub watch: Signal<Out, Bit>,
    /// Watch it no longer.
    pub unwatch: Signal<Out, Bit>,
    /// Forget a failure of it.
    pub forget: Signal<Out, Bit>,
    /// An answer word goes out.
    pub answer_valid: Signal<Out, Bit>,
    /// Its number.
    pub answer_index: Signal<Out, Bits<4>>,
    /// The command is done.
    pub done: Signal<Out, Bit>,
    /// Its errno.
    pub errno: Signal<Out, Bits<8>>,
    /// Events.
    pub events: ChannelSource<EventRequest>,
    /// What is known of the queue pair and of the command, registered: it holds still for ten cycles of `Load`.
    facts: [DFF<Bit>; 6],
    step: DFF<Step>,
    current: DFF<Job>,
    row: DFF<Bits<8>>,
    cqn: DFF<Bits<12>>,
    count: DFF<Bits<4>>,
    result: DFF<Bits<8>>,
    /// The queue pair leaves for RESET.
    quits: DFF<Bit>,
    reason: DFF<Bits<8>>,
    syndrome: DFF<Bits<8>>,
    exists: Signal<Local, Bit>,
    named: Signal<Local, Bit>,
    alive: Signal<Local, Bit>,
    uses_failed: Signal<Local, Bit>,
    by_command: Signal<Local, Bit>,
    tells: Signal<Local, Bit>,
    wide_qpn: Signal<Local, Bits<32>>,
    target: Signal<Local, Bits<3>>,
    last: Constant<Bits<8>>,
    reset_state: Constant<Bits<3>>,
    init: Constant<Bits<3>>,
    rtr: Constant<Bits<3>>,
    rts: Constant<Bits<3>>,
    sqd: Constant<Bits<3>>,
    err: Constant<Bits<3>>,
    einval: Constant<Bits<8>>,
    ebusy: Constant<Bits<8>>,
    cq_err: Constant<Bits<8>>,
    sq_drained: Constant<Bits<8>>,
}

impl QpSequencer {
    /// Sequencer for that many queue pairs.
    pub fn new(queue_pairs: usize) -> Self {
        assert!((1..=256).contains(&queue_pairs), "{queue_pairs} queue pairs");
        let state = |value: u8| Constant::new(u64::from(value).into());
        let code = |value: u8| Constant::new(u64::from(value).into());
        Self {
            clock: Default::default(),
            reset: Default::default(),
            idle: Default::default(),
            some: Default::default(),
            job: Default::default(),
            job_index: Default::default(),
            job_cqn: Default::default(),
            job_event: Default::default(),
            job_syndrome: Default::default(),
            index: Default::default(),
            command_qpn: Default::default(),
            command_state: Default::default(),
            create_valid: Default::default(),
            modify_valid: Default::default(),
            qpn: Default::default(),
            state: Default::default(),
            send_cqn: Default::default(),
            receive_cqn: Default::default(),
            drained_event: Default::default(),
            rested: Default::default(),
            store_rings: Default::default(),
            store_transport: Default::default(),
            drain_mark: Default::default(),
            drained: Default::default(),
            answers: Default::default(),
            starts_receive: Default::default(),
            starts_send: Default::default(),
            store_state: Default::default(),
            store_attributes: Default::default(),
            creates: Default::default(),
            forgets: Default::default(),
            erases: Default::default(),
            new_state: Default::default(),
            control: Default::default(),
            use_request: Default::default(),
            use_returns: Default::default(),
            use_done: Default::default(),
            use_missing: Default::default(),
            rest_request: Default::default(),
            rest_done: Default::default(),
            rest_discard: Default::default(),
            rest_clear: Default::default(),
            watch: Default::default(),
            unwatch: Default::default(),
            forget: Default::default(),
            answer_valid: Default::default(),
            answer_index: Default::default(),
            done: Default::default(),
            errno: Default::default(),
            events: Default::default(),
            facts: std::array::from_fn(|_| Default::default()),
            step: Default::default(),
            current: Default::default(),
            row: Default::default(),
            cqn: Default::default(),
            count: Default::default(),
            result: Default::default(),
            quits: Default::default(),
            reason: Default::default(),
            syndrome: Default::default(),
            exists: Default::default(),
            named: Default::default(),
            alive: Default::default(),
            uses_failed: Default::default(),
            by_command: Default::default(),
            tells: Default::default(),
            wide_qpn: Default::default(),
            target: Default::default(),
            last: Constant::new((queue_pairs - 1).to_bits()),
            reset_state: state(qp::RESET),
            init: state(qp::INIT),
            rtr: state(qp::RTR),
            rts: state(qp::RTS),
            sqd: state(qp::SQD),
            err: state(qp::ERR),
            einval: code(errno::EINVAL),
            ebusy: code(errno::EBUSY),
            cq_err: code(event::CQ_ERR),
            sq_drained: code(event::SQ_DRAINED),
        }
    }
}

impl Logic for QpSequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, current, row, cqn, count, result, quits, reason, syndrome);
        self.idle.next = self.step.q.val() == Step::Idle;
        self.index.next = self.row.q.val();
        self.wide_qpn.next = bit_cast::<32, 24>(self.qpn.val());
        self.exists.next = self.qpn.val() != 0;
        for i in 0..6 {
            self.facts[i].clock.next = self.clock.val();
        }
        self.facts[0].d.next = self.exists.val();
        self.facts[1].d.next = self.exists.val() & (self.wide_qpn.val() == self.command_qpn.val());
        self.facts[2].d.next =
            self.exists.val() & (self.state.val() != self.reset_state.val()) & (self.state.val() != self.err.val());
        self.facts[3].d.next = (self.send_cqn.val() == self.cqn.q.val()) | (self.receive_cqn.val() == self.cqn.q.val());
        self.facts[4].d.next = self.create_valid.val();
        self.facts[5].d.next = self.modify_valid.val();
        self.named.next = self.facts[1].q.val();
        self.alive.next = self.facts[2].q.val();
        self.uses_failed.next = self.facts[3].q.val();
        self.by_command.next = (self.current.q.val() == Job::Create) | (self.current.q.val() == Job::Modify);
        // What is stored.
        self.creates.next = self.current.q.val() == Job::Create;
        self.erases.next = (self.step.q.val() == Step::Erase) & (self.current.q.val() == Job::Destroy);
        self.forgets.next = (self.step.q.val() == Step::Erase) | (self.current.q.val() == Job::Create);
        self.store_rings.next =
            self.erases.val() | ((self.step.q.val() == Step::Store) & (self.current.q.val() == Job::Create));
        self.store_state.next = (self.step.q.val() == Step::Store)
            | (self.step.q.val() == Step::Quiet)
            | (self.step.q.val() == Step::Erase);
        self.store_transport.next = self.store_state.val() | (self.step.q.val() == Step::Close);
        self.drain_mark.next = self.step.q.val() == Step::Mark;
        self.store_attributes.next =
            (self.step.q.val() == Step::Erase) | ((self.step.q.val() == Step::Store) & self.by_command.val());
        self.target.next = self.err.val();
        if self.current.q.val() == Job::Modify {
            self.target.next = self.command_state.val();
        } else if (self.current.q.val() == Job::Create) | (self.current.q.val() == Job::Destroy) {
            self.target.next = self.reset_state.val();
        }
        self.new_state.next = self.target.val();
        self.starts_receive.next = (self.step.q.val() == Step::Store)
            & (self.current.q.val() == Job::Modify)
            & (self.state.val() == self.init.val())
            & (self.target.val() == self.rtr.val());
        self.starts_send.next = (self.step.q.val() == Step::Store)
            & (self.current.q.val() == Job::Modify)
            & (self.state.val() == self.rtr.val())
            & (self.target.val() == self.rts.val());
        self.watch.next = (self.step.q.val() == Step::Store)
            & (self.state.val() == self.rts.val())
            & (self.target.val() == self.sqd.val())
            & self.drained_event.val();
        self.forget.next = self.step.q.val() == Step::Erase;
        self.unwatch.next = self.step.q.val() == Step::Erase;
        // Orders.
        self.tells.next = (self.step.q.val() == Step::Tell) & (self.count.q.val() == 3);
        self.control.next.index = self.row.q.val();
        self.control.next.fail = self.tells.val() & (self.target.val() == self.err.val());
        self.control.next.wake = self.tells.val() & (self.current.q.val() != Job::Create);
        self.control.next.mute = self.drain_mark.val() & (self.target.val() == self.err.val());
        self.control.next.discard = self.rest_discard.val();
        self.control.next.clear = self.rest_clear.val() | (self.tells.val() & (self.current.q.val() == Job::Create));
        self.use_request.next = (self.step.q.val() == Step::AwaitUses) | (self.step.q.val() == Step::ReturnUses);
        self.use_returns.next = self.step.q.val() == Step::ReturnUses;
        self.rest_request.next = self.step.q.val() == Step::AwaitRest;
        // Answers.
        self.answer_valid.next = self.step.q.val() == Step::Answer;
        self.answer_index.next = self.count.q.val();
        self.done.next = self.step.q.val() == Step::Done;
        self.errno.next = self.result.q.val();
        self.events.valid.next = self.step.q.val() == Step::Report;
        self.events.data.next.kind = self.cq_err.val();
        self.events.data.next.number = bit_cast::<24, 12>(self.cqn.q.val());
        self.events.data.next.detail = 0.into();
        if self.current.q.val() == Job::Drain {
            self.events.data.next.kind = self.sq_drained.val();
            self.events.data.next.number = self.qpn.val();
        }
        if self.current.q.val() == Job::FailReceive {
            self.events.data.next.kind = self.reason.q.val();
            self.events.data.next.number = self.qpn.val();
            self.events.data.next.detail = bit_cast::<32, 8>(self.syndrome.q.val());
        }
        self.count.d.next = self.count.q.val() + 1;
        match self.step.q.val() {
            Step::Idle => {
                self.current.d.next = self.job.val();
                self.row.d.next = self.job_index.val();
                self.cqn.d.next = self.job_cqn.val();
                self.reason.d.next = self.job_event.val();
                self.syndrome.d.next = self.job_syndrome.val();
                self.count.d.next = 0.into();
                self.result.d.next = 0.into();
                if self.some.val() {
                    self.step.d.next = Step::Load;
                }
            }
            Step::Load => {
                if self.count.q.val().all() {
                    self.step.d.next = Step::Judge;
                }
            }
            Step::Judge => {
                self.count.d.next = 0.into();
                match self.current.q.val() {
                    Job::Create => {
                        self.step.d.next = Step::AwaitUses;
                        if !self.facts[4].q.val() {
                            self.result.d.next = self.einval.val();
                            self.step.d.next = Step::Done;
                        } else if self.facts[0].q.val() {
                            self.result.d.next = self.ebusy.val();
                            self.step.d.next = Step::Done;
                        }
                    }
                    Job::Modify => {
                        self.step.d.next = Step::Store;
                        if (self.command_state.val() == self.reset_state.val())
                            | (self.command_state.val() == self.err.val())
                        {
                            self.step.d.next = Step::Close;
                        }
                        self.quits.d.next = self.command_state.val() == self.reset_state.val();
                        if !self.named.val() | !self.facts[5].q.val() {
                            self.result.d.next = self.einval.val();
                            self.step.d.next = Step::Done;
                        }
                    }
                    Job::Destroy => {
                        self.step.d.next = Step::Close;
                        self.quits.d.next = true;
                        if !self.named.val() {
                            self.result.d.next = self.einval.val();
                            self.step.d.next = Step::Done;
                        }
                    }
                    Job::Query => {
                        self.step.d.next = Step::Answer;
                        if !self.named.val() {
                            self.result.d.next = self.einval.val();
                            self.step.d.next = Step::Done;
                        }
                    }
                    Job::FailSend => {
                        self.step.d.next = Step::Idle;
                        self.quits.d.next = false;
                        if self.alive.val() {
                            self.step.d.next = Step::Close;
                        }
                    }
                    Job::FailReceive => {
                        self.step.d.next = Step::Idle;
                        self.quits.d.next = false;
                        if self.alive.val() {
                            self.step.d.next = Step::Close;
                        }
                    }
                    Job::FailCompletion => {
                        self.step.d.next = Step::NextQueuePair;
                        self.quits.d.next = false;
                        if self.alive.val() & self.uses_failed.val() {
                            self.step.d.next = Step::Close;
                        }
                    }
                    Job::Drain => {
                        self.step.d.next = Step::Idle;
                        if self.state.val() != self.sqd.val() {
                            self.unwatch.next = true;
                        } else if self.rested.val() {
                            self.unwatch.next = true;
                            self.step.d.next = Step::Report;
                        }
                    }
                }
            }
            Step::AwaitUses => {
                if self.use_done.val() {
                    self.step.d.next = Step::Store;
                    if self.use_missing.val() {
                        self.result.d.next = self.einval.val();
                        self.step.d.next = Step::Done;
                    }
                }
            }
            Step::Close => self.step.d.next = Step::Mark,
            Step::Mark => self.step.d.next = Step::AwaitDrain,
            Step::AwaitDrain => {
                if self.drained.val() {
                    self.count.d.next = 0.into();
                    self.step.d.next = Step::Store;
                    if self.target.val() == self.err.val() {
                        self.step.d.next = Step::AwaitAnswers;
                    }
                    if self.quits.q.val() {
                        self.step.d.next = Step::Quiet;
                    }
                }
            }
            Step::AwaitAnswers => {
                if self.answers.val() {
                    self.count.d.next = 0.into();
                } else if self.count.q.val().all() {
                    self.step.d.next = Step::Store;
                }
            }
            Step::Store => {
                self.count.d.next = 0.into();
                self.step.d.next = Step::Tell;
            }
            Step::Tell => {
                if self.count.q.val() == 3 {
                    self.step.d.next = Step::Idle;
                    if self.by_command.val() {
                        self.step.d.next = Step::Done;
                    } else if self.current.q.val() == Job::FailCompletion {
                        self.step.d.next = Step::NextQueuePair;
                    } else if self.current.q.val() == Job::FailReceive {
                        self.step.d.next = Step::Report;
                    }
                }
            }
            Step::Quiet => self.step.d.next = Step::AwaitRest,
            Step::AwaitRest => {
                if self.rest_done.val() {
                    self.step.d.next = Step::Erase;
                    if self.current.q.val() == Job::Destroy {
                        self.step.d.next = Step::ReturnUses;
                    }
                }
            }
            Step::ReturnUses => {
                if self.use_done.val() {
                    self.step.d.next = Step::Erase;
                }
            }
            Step::Erase => self.step.d.next = Step::Done,
            Step::Answer => {
                if self.count.q.val() == 6 {
                    self.step.d.next = Step::Done;
                }
            }
            Step::Done => self.step.d.next = Step::Idle,
            Step::NextQueuePair => {
                self.count.d.next = 0.into();
                if self.row.q.val() == self.last.val() {
                    self.step.d.next = Step::Report;
                } else {
                    self.row.d.next = self.row.q.val() + 1;
                    self.step.d.next = Step::Load;
                }
            }
            Step::Report => {
                if self.events.ready.val() {
                    self.step.d.next = Step::Idle;
                }
            }
        }
        if self.reset.val() {
            self.step.d.next = Step::Idle;
        }
    }
}
