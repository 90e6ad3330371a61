//! Queue pairs: create, modify, query, destroy; their state, and the copies of it in the other subsystems.
//!
//! One job at a time ([`QpSequencer`]), chosen by [`Intake`]: failures of send and completion queues, admin commands, send
//! queues to watch while they drain. This subsystem is the only writer of a queue pair's context (rule T8).
use super::answer::QueryAnswer;
use super::attributes::AttributeMerge;
use super::contexts::Contexts;
use super::create::{self, CreateCheck};
use super::identity::IdentityCopy;
use super::intake::Intake;
use super::modify::ModifyCheck;
use super::psn_copies::{PsnCopies, ServedPsns};
use super::quiesce::Quiesce;
use super::records::{QpAttributes, QpPath, QpRings};
use super::sequencer::QpSequencer;
use super::store::QpStore;
use super::transport::TransportContexts;
use super::uses::CompletionUses;
use super::words::{CommandWords, WORDS};
use crate::rx::{AckOrder, AckState, RequesterContext, ResponderContext};
use crate::tx::RespondContext;
use crate::types::{AdminUnit, EventRequest, QpControl, QpFailure, QpIdentity, RqContext, SqContext};
use crate::widgets::{ChannelSink, ChannelSource, Fifo};
use crate::wire::WirePath;
use rnic_abi::preset::Preset;
use rust_hdl::prelude::*;

/// The queue pairs, QPS = 2^QA of them.
#[derive(LogicBlock)]
pub struct QueuePairs<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Core reset.
    pub reset: Signal<In, Bit>,
    /// Clear row `clear_index` of all tables.
    pub clearing: Signal<In, Bit>,
    /// Row to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// CREATE_QP, MODIFY_QP, DESTROY_QP, QUERY_QP.
    pub admin: AdminUnit,
    /// The send queue stores `sq_context`.
    pub sq_context_write: Signal<Out, Bit>,
    /// For this queue pair.
    pub sq_context_index: Signal<Out, Bits<8>>,
    /// Context for the send queue.
    pub sq_context: Signal<Out, SqContext>,
    /// The receive queue stores `rq_context`.
    pub rq_context_write: Signal<Out, Bit>,
    /// For this queue pair.
    pub rq_context_index: Signal<Out, Bits<8>>,
    /// Context for the receive queue.
    pub rq_context: Signal<Out, RqContext>,
    /// Orders to the send queue, the receive queue and memory management.
    pub control: Signal<Out, QpControl>,
    /// Copies of the transport are written,
    pub transport_write: Signal<Out, Bit>,
    /// of this queue pair:
    pub transport_index: Signal<Out, Bits<8>>,
    /// for the judge of requests,
    pub responder_context: Signal<Out, ResponderContext>,
    /// the engine of acknowledgements and the timers,
    pub requester_context: Signal<Out, RequesterContext>,
    /// the engine of responses,
    pub respond_context: Signal<Out, RespondContext>,
    /// and the headers.
    pub wire_path: Signal<Out, WirePath>,
    /// The responder of `order_index` starts at `order_psn`,
    pub order_start: Signal<Out, Bit>,
    /// or forgets everything.
    pub order_clear: Signal<Out, Bit>,
    /// Queue pair.
    pub order_index: Signal<Out, Bits<8>>,
    /// PSN.
    pub order_psn: Signal<Out, Bits<24>>,
    /// The same for the requester.
    pub ack_order: ChannelSource<AckOrder>,
    /// Starts of the requester for the send queue.
    pub send_order: ChannelSource<AckOrder>,
    /// Note what the responder has in flight.
    pub drain_mark: Signal<Out, Bit>,
    /// All of it has been committed.
    pub drained: Signal<In, Bit>,
    /// Frames of the responder of `rest_index` are on their way; at most 8 cycles old.
    pub answers: Signal<In, Bit>,
    /// Responders that have failed.
    pub receive_failed: ChannelSink<QpFailure>,
    /// Queue pair that shall come to rest.
    pub rest_index: Signal<Out, Bits<8>>,
    /// Something of it is on its way outside the send queue; at most 16 cycles old.
    pub rest_busy: Signal<In, Bit>,
    /// A send queue has failed.
    pub sq_failed: Signal<In, Bit>,
    /// Its queue pair.
    pub sq_failed_index: Signal<In, Bits<8>>,
    /// Completion queues that have failed.
    pub cq_failed: ChannelSink<Bits<12>>,
    /// Completion queue in question.
    pub use_cqn: Signal<Out, Bits<12>>,
    /// It exists; 4 cycles after `use_cqn` is stable.
    pub use_exists: Signal<In, Bit>,
    /// One more use of it.
    pub use_take: Signal<Out, Bit>,
    /// One use less.
    pub use_release: Signal<Out, Bit>,
    /// All CQEs accepted so far are to be written.
    pub fence: Signal<Out, Bit>,
    /// They are.
    pub fenced: Signal<In, Bit>,
    /// Frames that were complete at the last fence have left.
    pub wire_passed: Signal<In, Bit>,
    /// Queue pair whose send queue is looked at.
    pub sq_status_index: Signal<Out, Bits<8>>,
    /// Its slots fetched; 4 cycles after the index is stable.
    pub sq_status_fetched: Signal<In, Bits<16>>,
    /// Its slots started.
    pub sq_status_started: Signal<In, Bits<16>>,
    /// Its slots retired.
    pub sq_status_retired: Signal<In, Bits<16>>,
    /// A send queue has given PSNs,
    pub hpsn_write: Signal<In, Bit>,
    /// of this queue pair;
    pub hpsn_index: Signal<In, Bits<8>>,
    /// this is its next one.
    pub hpsn: Signal<In, Bits<24>>,
    /// The engine of acknowledgements writes a state,
    pub state_write: Signal<In, Bit>,
    /// of this queue pair:
    pub state_index: Signal<In, Bits<8>>,
    /// this one.
    pub state_row: Signal<In, AckState>,
    /// A responder has gone on,
    pub served_write: Signal<In, Bit>,
    /// of this queue pair,
    pub served_index: Signal<In, Bits<8>>,
    /// to there.
    pub served: Signal<In, ServedPsns>,
    /// Queue pair whose receive queue is looked at.
    pub rq_status_index: Signal<Out, Bits<8>>,
    /// Its slots used; 4 cycles after the index is stable.
    pub rq_status_used: Signal<In, Bits<16>>,
    /// Queue pair of a PROBE.
    pub probe_qp: Signal<In, Bits<8>>,
    /// Its identity; 2 cycles later.
    pub probe_identity: Signal<Out, QpIdentity>,
    /// CQ_ERR and SQ_DRAINED.
    pub events: ChannelSource<EventRequest>,
    words: CommandWords,
    create: CreateCheck,
    modify: ModifyCheck,
    merge: AttributeMerge,
    store: QpStore<QA>,
    contexts: Contexts,
    identities: IdentityCopy<QA>,
    intake: Intake<QA, QPS>,
    sequencer: QpSequencer,
    uses: CompletionUses,
    quiesce: Quiesce,
    query: QueryAnswer,
    copies: PsnCopies<QA>,
    control_kept: DFF<QpControl>,
    transport: TransportContexts,
    orders: Fifo<AckOrder, 2>,
    send_orders: Fifo<AckOrder, 2>,
    start_kept: DFF<Bit>,
    psn_kept: DFF<Bits<24>>,
    changes: Signal<Local, QpControl>,
    quiet_kept: DFF<Bit>,
    drained_kept: DFF<Bit>,
    clears_kept: DFF<Bit>,
    first_kept: DFF<Bits<24>>,
    stored: Signal<Local, QpRings>,
    created: Signal<Local, QpRings>,
    merged: Signal<Local, QpAttributes>,
    rings: Signal<Local, QpRings>,
    queues: Signal<Local, QpRings>,
    attributes: Signal<Local, QpAttributes>,
    path: Signal<Local, QpPath>,
    chosen_path: Signal<Local, QpPath>,
    chosen_attributes: Signal<Local, QpAttributes>,
    no_rings: Signal<Local, Bits<162>>,
    no_attributes: Signal<Local, Bits<121>>,
    no_path: Signal<Local, Bits<249>>,
    qpn: Signal<Local, Bits<32>>,
    state: Signal<Local, Bits<32>>,
}

impl<const QA: usize, const QPS: usize> QueuePairs<QA, QPS> {
    /// Queue pairs of a preset.
    pub fn new(preset: &Preset) -> Self {
        assert_eq!((preset.qps as usize, preset.log2_qps() as usize), (QPS, QA), "preset {}", preset.name);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            admin: Default::default(),
            sq_context_write: Default::default(),
            sq_context_index: Default::default(),
            sq_context: Default::default(),
            rq_context_write: Default::default(),
            rq_context_index: Default::default(),
            rq_context: Default::default(),
            control: Default::default(),
            transport_write: Default::default(),
            transport_index: Default::default(),
            responder_context: Default::default(),
            requester_context: Default::default(),
            respond_context: Default::default(),
            wire_path: Default::default(),
            order_start: Default::default(),
            order_clear: Default::default(),
            order_index: Default::default(),
            order_psn: Default::default(),
            ack_order: Default::default(),
            send_order: Default::default(),
            drain_mark: Default::default(),
            drained: Default::default(),
            answers: Default::default(),
            receive_failed: Default::default(),
            rest_index: Default::default(),
            rest_busy: Default::default(),
            sq_failed: Default::default(),
            sq_failed_index: Default::default(),
            cq_failed: Default::default(),
            use_cqn: Default::default(),
            use_exists: Default::default(),
            use_take: Default::default(),
            use_release: Default::default(),
            fence: Default::default(),
            fenced: Default::default(),
            wire_passed: Default::default(),
            sq_status_index: Default::default(),
            sq_status_fetched: Default::default(),
            sq_status_started: Default::default(),
            sq_status_retired: Default::default(),
            hpsn_write: Default::default(),
            hpsn_index: Default::default(),
            hpsn: Default::default(),
            state_write: Default::default(),
            state_index: Default::default(),
            state_row: Default::default(),
            served_write: Default::default(),
            served_index: Default::default(),
            served: Default::default(),
            rq_status_index: Default::default(),
            rq_status_used: Default::default(),
            probe_qp: Default::default(),
            probe_identity: Default::default(),
            events: Default::default(),
            words: Default::default(),
            create: CreateCheck::new(preset),
            modify: ModifyCheck::new(preset),
            merge: Default::default(),
            store: Default::default(),
            contexts: Default::default(),
            identities: Default::default(),
            intake: Default::default(),
            sequencer: QpSequencer::new(QPS),
            uses: Default::default(),
            quiesce: Default::default(),
            query: Default::default(),
            copies: Default::default(),
            control_kept: Default::default(),
            transport: Default::default(),
            orders: Default::default(),
            send_orders: Default::default(),
            start_kept: Default::default(),
            psn_kept: Default::default(),
            changes: Default::default(),
            quiet_kept: Default::default(),
            drained_kept: Default::default(),
            clears_kept: Default::default(),
            first_kept: Default::default(),
            stored: Default::default(),
            created: Default::default(),
            merged: Default::default(),
            rings: Default::default(),
            queues: Default::default(),
            attributes: Default::default(),
            path: Default::default(),
            chosen_path: Default::default(),
            chosen_attributes: Default::default(),
            no_rings: Default::default(),
            no_attributes: Default::default(),
            no_path: Default::default(),
            qpn: Default::default(),
            state: Default::default(),
        }
    }
}

impl<const QA: usize, const QPS: usize> Logic for QueuePairs<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, control_kept, quiet_kept, drained_kept, clears_kept, first_kept, start_kept, psn_kept);
        clock!(
            self,
            clock,
            words,
            create,
            modify,
            store,
            identities,
            intake,
            sequencer,
            uses,
            quiesce,
            copies,
            orders,
            send_orders
        );
        ChannelSink::<Bits<12>>::link(&mut self.cq_failed, &mut self.intake.cq_failed);
        ChannelSource::<EventRequest>::link(&mut self.events, &mut self.sequencer.events);
        ChannelSink::<QpFailure>::link(&mut self.receive_failed, &mut self.intake.receive_failed);
        self.orders.reset.next = self.reset.val();
        self.send_orders.reset.next = self.reset.val();
        self.intake.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();
        self.uses.reset.next = self.reset.val();
        self.quiesce.reset.next = self.reset.val();
        // The command.
        self.words.word_valid.next = self.admin.word_valid.val();
        self.words.word_index.next = self.admin.word_index.val();
        self.words.word.next = self.admin.word.val();
        for i in 0..create::WORDS {
            self.create.words[i].next = self.words.words[i].val();
        }
        for i in 0..WORDS {
            self.modify.words[i].next = self.words.words[i].val();
            self.merge.words[i].next = self.words.words[i].val();
        }
        self.qpn.next = self.words.words[0].val();
        self.state.next = self.words.words[1].val();
        self.modify.state.next = self.store.state.val();
        self.merge.stored.next = self.store.attributes.val();
        // Jobs.
        self.intake.start.next = self.admin.start.val();
        self.intake.opcode.next = self.admin.opcode.val();
        self.intake.command_index.next = bit_cast::<8, QA>(self.qpn.val().get_bits::<QA>(0));
        self.intake.sq_failed.next = self.sq_failed.val();
        self.intake.sq_failed_index.next = self.sq_failed_index.val();
        self.intake.watch.next = self.sequencer.watch.val();
        self.intake.unwatch.next = self.sequencer.unwatch.val();
        self.intake.forget.next = self.sequencer.forget.val();
        self.intake.mark_index.next = self.sequencer.index.val();
        self.intake.idle.next = self.sequencer.idle.val();
        self.sequencer.some.next = self.intake.some.val();
        self.sequencer.job.next = self.intake.job.val();
        self.sequencer.job_index.next = self.intake.index.val();
        self.sequencer.job_cqn.next = self.intake.cqn.val();
        self.sequencer.job_event.next = self.intake.reason.val();
        self.sequencer.job_syndrome.next = self.intake.syndrome.val();
        // What the sequencer judges by.
        self.stored.next = self.store.rings.val();
        self.created.next = self.create.rings.val();
        self.merged.next = self.merge.merged.val();
        self.sequencer.command_qpn.next = self.qpn.val();
        self.sequencer.command_state.next = bit_cast::<3, 32>(self.state.val());
        self.sequencer.create_valid.next = self.create.valid.val();
        self.sequencer.modify_valid.next = self.modify.valid.val();
        self.sequencer.qpn.next = self.stored.val().qpn;
        self.sequencer.state.next = self.store.state.val();
        self.sequencer.send_cqn.next = self.stored.val().send_cqn;
        self.sequencer.receive_cqn.next = self.stored.val().receive_cqn;
        self.sequencer.drained_event.next = self.merged.val().drained_event;
        self.quiet_kept.d.next = self.query.quiet.val() & !self.rest_busy.val();
        self.drained_kept.d.next = self.query.drained.val();
        self.rest_index.next = self.sequencer.index.val();
        self.drain_mark.next = self.sequencer.drain_mark.val();
        self.sequencer.drained.next = self.drained.val();
        self.sequencer.answers.next = self.answers.val();
        self.sequencer.rested.next = self.drained_kept.q.val();
        // What it stores.
        self.no_rings.next = 0.into();
        self.no_attributes.next = 0.into();
        self.no_path.next = 0.into();
        self.store.clearing.next = self.clearing.val();
        self.store.clear_index.next = self.clear_index.val();
        self.store.index.next = self.sequencer.index.val();
        self.store.write_rings.next = self.sequencer.store_rings.val();
        self.store.write_state.next = self.sequencer.store_state.val();
        self.store.write_attributes.next = self.sequencer.store_attributes.val();
        self.store.write_path.next =
            self.sequencer.store_attributes.val() & (self.sequencer.forgets.val() | self.merge.path_given.val());
        // Choices are made in locals: a port that is assigned twice in one pass can keep an event simulator busy for ever.
        self.rings.next = self.stored.val();
        if self.sequencer.creates.val() {
            self.rings.next = self.created.val();
        }
        self.queues.next = self.rings.val();
        if self.sequencer.erases.val() {
            self.rings.next = self.no_rings.val().into();
        }
        self.store.new_rings.next = self.rings.val();
        self.contexts.rings.next = self.rings.val();
        self.store.new_state.next = self.sequencer.new_state.val();
        self.contexts.state.next = self.sequencer.new_state.val();
        self.attributes.next = self.merged.val();
        self.path.next = self.merge.path.val();
        if self.sequencer.forgets.val() {
            self.attributes.next = self.no_attributes.val().into();
            self.path.next = self.no_path.val().into();
        }
        self.store.new_attributes.next = self.attributes.val();
        self.store.new_path.next = self.path.val();
        // What the copies shall hold: only a command changes attributes, and only one with a path the path.
        self.chosen_attributes.next = self.store.attributes.val();
        self.chosen_path.next = self.store.path.val();
        if self.sequencer.store_attributes.val() {
            self.chosen_attributes.next = self.attributes.val();
            if self.sequencer.forgets.val() | self.merge.path_given.val() {
                self.chosen_path.next = self.path.val();
            }
        }
        // Copies elsewhere.
        self.sq_context_write.next = self.sequencer.store_state.val();
        self.sq_context_index.next = self.sequencer.index.val();
        self.sq_context.next = self.contexts.sq.val();
        self.rq_context_write.next = self.sequencer.store_state.val();
        self.rq_context_index.next = self.sequencer.index.val();
        self.rq_context.next = self.contexts.rq.val();
        self.transport.rings.next = self.rings.val();
        self.transport.state.next = self.sequencer.new_state.val();
        self.transport.attributes.next = self.chosen_attributes.val();
        self.transport.path.next = self.chosen_path.val();
        self.transport_write.next = self.sequencer.store_transport.val();
        self.transport_index.next = self.sequencer.index.val();
        self.responder_context.next = self.transport.responder.val();
        self.requester_context.next = self.transport.requester.val();
        self.respond_context.next = self.transport.respond.val();
        self.wire_path.next = self.transport.headers.val();
        // Orders leave behind the copies, which the engines read with them.
        self.changes.next = self.control_kept.q.val();
        self.start_kept.d.next = self.sequencer.starts_receive.val();
        self.psn_kept.d.next = self.merged.val().rq_psn;
        self.order_start.next = self.start_kept.q.val();
        self.order_clear.next = self.changes.val().clear;
        self.order_index.next = self.sequencer.index.val();
        self.order_psn.next = self.psn_kept.q.val();
        self.orders.sink.data.next.qp = self.sequencer.index.val();
        self.orders.sink.data.next.start = self.sequencer.starts_send.val();
        self.orders.sink.data.next.psn = self.merged.val().sq_psn;
        self.orders.sink.valid.next = self.sequencer.starts_send.val() | self.changes.val().clear;
        ChannelSource::<AckOrder>::link(&mut self.ack_order, &mut self.orders.source);
        self.send_orders.sink.data.next.qp = self.sequencer.index.val();
        self.send_orders.sink.data.next.start = true;
        self.send_orders.sink.data.next.psn = self.merged.val().sq_psn;
        self.send_orders.sink.valid.next = self.sequencer.starts_send.val();
        ChannelSource::<AckOrder>::link(&mut self.send_order, &mut self.send_orders.source);
        self.identities.clearing.next = self.clearing.val();
        self.identities.clear_index.next = self.clear_index.val();
        self.identities.write.next = self.sequencer.store_state.val();
        self.identities.write_index.next = self.sequencer.index.val();
        self.identities.stored.next = self.contexts.identity.val();
        self.identities.index.next = self.probe_qp.val();
        self.probe_identity.next = self.identities.identity.val();
        self.control_kept.d.next = self.sequencer.control.val();
        self.control.next = self.control_kept.q.val();
        // Completion queues and rest.
        self.uses.request.next = self.sequencer.use_request.val();
        self.uses.returns.next = self.sequencer.use_returns.val();
        self.uses.send_cqn.next = self.queues.val().send_cqn;
        self.uses.receive_cqn.next = self.queues.val().receive_cqn;
        self.uses.use_exists.next = self.use_exists.val();
        self.use_cqn.next = self.uses.use_cqn.val();
        self.use_take.next = self.uses.use_take.val();
        self.use_release.next = self.uses.use_release.val();
        self.sequencer.use_done.next = self.uses.done.val();
        self.sequencer.use_missing.next = self.uses.missing.val();
        self.quiesce.request.next = self.sequencer.rest_request.val();
        self.quiesce.quiet.next = self.quiet_kept.q.val();
        self.quiesce.fenced.next = self.fenced.val();
        self.quiesce.wire_passed.next = self.wire_passed.val();
        self.fence.next = self.quiesce.fence.val();
        self.sequencer.rest_done.next = self.quiesce.done.val();
        self.sequencer.rest_discard.next = self.quiesce.discard.val();
        self.sequencer.rest_clear.next = self.quiesce.clear.val();
        // Answers.
        self.sq_status_index.next = self.sequencer.index.val();
        self.rq_status_index.next = self.sequencer.index.val();
        self.query.number.next = self.sequencer.answer_index.val();
        self.query.state.next = self.store.state.val();
        self.copies.clearing.next = self.clearing.val();
        self.copies.clear_index.next = self.clear_index.val();
        // An end of a life as its start: a requester that begins at 0.
        self.clears_kept.d.next = self.sequencer.starts_send.val() | self.changes.val().clear;
        self.first_kept.d.next = 0.into();
        if self.sequencer.starts_send.val() {
            self.first_kept.d.next = self.merged.val().sq_psn;
        }
        self.copies.start.next = self.clears_kept.q.val();
        self.copies.start_index.next = self.sequencer.index.val();
        self.copies.start_psn.next = self.first_kept.q.val();
        self.copies.hpsn_write.next = self.hpsn_write.val();
        self.copies.hpsn_index.next = self.hpsn_index.val();
        self.copies.hpsn.next = self.hpsn.val();
        self.copies.state_write.next = self.state_write.val();
        self.copies.state_index.next = self.state_index.val();
        self.copies.state_row.next = self.state_row.val();
        self.copies.served_write.next = self.served_write.val();
        self.copies.served_index.next = self.served_index.val();
        self.copies.served.next = self.served.val();
        self.copies.index.next = self.sequencer.index.val();
        self.query.psns.next = self.copies.psns.val();
        self.query.started.next = self.sq_status_started.val();
        self.query.fetched.next = self.sq_status_fetched.val();
        self.query.retired.next = self.sq_status_retired.val();
        self.query.used.next = self.rq_status_used.val();
        self.admin.done.next = self.sequencer.done.val();
        self.admin.errno.next = self.sequencer.errno.val();
        self.admin.answer_valid.next = self.sequencer.answer_valid.val();
        self.admin.answer_index.next = self.sequencer.answer_index.val();
        self.admin.answer.next = self.query.word.val();
    }
}
