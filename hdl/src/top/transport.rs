//! The transport: everything between the wire and the host's memory. Only links.
//!
//! ```text
//!  wire ─► receiver ─► responder ─┬─► placer ─► host memory
//!                         │  ▲    └─ verdicts ─► commit ─► CQEs, invalidations
//!                acknowledge └ prefetch           │ owed answers, READs, atomics
//!                                                 ▼
//!                            choice ◄─┬─ headers ◄── answers
//!  wire ◄─ arbiter ◄─┬─ builder ◄─┘    └─ gather ◄──────┘
//!                    └─ raw rings ◄─► host memory
//! ```
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::mr::pieces::{EndShare, LookupShare};
use crate::qp::{ServedPsns, Timers};
use crate::raw::{RawRings, RawSettings};
use crate::rq::ReceivePrefetch;
use crate::rx::{
    AckEngine, AckOrder, AckState, InvalidateShare, OpenRead, Placer, ReadSink, RequesterContext, Responder,
    ResponderContext, ResponseJobs, SendPublic, TimerEvent,
};
use crate::sq::LostFrame;
use crate::tx::{
    Gather, GatherFailure, GatherShare, GatherSink, GatherSource, RespondContext, ResponseUnit, WireLedger,
};
use crate::types::*;
use crate::widgets::*;
use crate::wire::*;
use rnic_abi::drop;
use rust_hdl::prelude::*;

/// QPS = 2^QA queue pairs, Q1 = QA + 1, Q4 = QA + 4, Q5 = QA + 5; DATA bus bits, STRB = DATA / 8. Frame buffers of 2^FA
/// rows each way; gather with 2^GB rows and 2^GF frames, 2^RF rows for a raw frame; DEPTH = 2^RB receive WQEs of each queue pair, WA = QA + RB. Writes
/// have at most 512 bytes, as the packets of most PCIe ports.
#[derive(LogicBlock)]
pub struct Transport<
    const DATA: usize,
    const STRB: usize,
    const QA: usize,
    const QPS: usize,
    const Q1: usize,
    const Q4: usize,
    const Q5: usize,
    const FA: usize,
    const GB: usize,
    const GF: usize,
    const RF: usize,
    const RB: usize,
    const WA: usize,
    const DEPTH: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops everything; no access of host memory may be on its way.
    pub reset: Signal<In, Bit>,
    /// Tables are being cleared (reset is on).
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Frames to the wire.
    pub wire_out: AxiStreamManager<DATA, STRB>,
    /// No further frame begins; the frame under way goes on to its end.
    pub wire_stop: Signal<In, Bit>,
    /// No frame is under way on `wire_out`.
    pub wire_idle: Signal<Out, Bit>,
    /// Frames from the wire.
    pub wire_in: AxiStreamSubordinate<DATA, STRB>,
    /// Frames are taken.
    pub enable: Signal<In, Bit>,
    /// Frames to every MAC address are taken.
    pub promiscuous: Signal<In, Bit>,
    /// Frames without room are dropped instead of held up (T107).
    pub drop_when_full: Signal<In, Bit>,
    /// MigReq bit of the frames sent (T13).
    pub migreq: Signal<In, Bit>,
    /// Own MAC address, first byte on the wire in the least significant place.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own addresses, first byte on the wire in the least significant place.
    pub own_addresses: [Signal<In, Bits<128>>; 8],
    /// Ticks (T79).
    pub now: Signal<In, Bits<36>>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// Syndromes to count.
    pub syndrome: ChannelSource<Bits<8>>,
    /// Copies of a queue pair are written,
    pub context_write: Signal<In, Bit>,
    /// of this one:
    pub context_index: Signal<In, Bits<8>>,
    /// for the judge of requests,
    pub responder_context: Signal<In, ResponderContext>,
    /// the engine of acknowledgements and the timers,
    pub requester_context: Signal<In, RequesterContext>,
    /// the engine of responses,
    pub respond_context: Signal<In, RespondContext>,
    /// the headers,
    pub wire_path: Signal<In, WirePath>,
    /// and, with `rq_context_write`, the receive queue.
    pub rq_context_write: Signal<In, Bit>,
    /// Queue pair.
    pub rq_context_index: Signal<In, Bits<8>>,
    /// The copy.
    pub rq_context: Signal<In, RqContext>,
    /// Orders of `qp`.
    pub control: Signal<In, QpControl>,
    /// The responder of `order_index` starts at `order_psn`,
    pub order_start: Signal<In, Bit>,
    /// or forgets everything.
    pub order_clear: Signal<In, Bit>,
    /// Queue pair.
    pub order_index: Signal<In, Bits<8>>,
    /// PSN.
    pub order_psn: Signal<In, Bits<24>>,
    /// The same for the requester.
    pub ack_order: ChannelSink<AckOrder>,
    /// Frames of the send queues, those without payload too, because they must not overtake.
    pub send: GatherSink,
    /// A frame of a send queue is complete in the builder, or has vanished (bit 31 of the tag is set in all others).
    pub frame_done: Signal<Out, Bit>,
    /// Its tag.
    pub frame_tag: Signal<Out, Bits<32>>,
    /// Frames of the send queues that could not be gathered.
    pub lost: ChannelSource<LostFrame>,
    /// A lost frame came to nothing (T49),
    pub voided: Signal<In, Bit>,
    /// of this queue pair.
    pub voided_index: Signal<In, Bits<8>>,
    /// The record of a responder is written,
    pub served_write: Signal<Out, Bit>,
    /// of this queue pair:
    pub served_index: Signal<Out, Bits<8>>,
    /// this of it is told in QUERY_QP.
    pub served: Signal<Out, ServedPsns>,
    /// What a send queue tells of itself is written (record PUB).
    pub public_write: Signal<In, Bit>,
    /// Its queue pair.
    pub public_index: Signal<In, Bits<8>>,
    /// What it tells.
    pub public_row: Signal<In, SendPublic>,
    /// A READ or atomic is opened (record RT).
    pub open_write: Signal<In, Bit>,
    /// Its queue pair.
    pub open_index: Signal<In, Bits<8>>,
    /// Its place in the ring.
    pub open_slot: Signal<In, Bits<4>>,
    /// Its head.
    pub open_head: Signal<In, OpenRead>,
    /// Its SGEs.
    pub open_sink: Signal<In, ReadSink>,
    /// A state of acknowledgements is written (record QA).
    pub state_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub state_index: Signal<Out, Bits<8>>,
    /// The state.
    pub state_row: Signal<Out, AckState>,
    /// A count of stored READs and atomics is written.
    pub done_write: Signal<Out, Bit>,
    /// Its queue pair.
    pub done_index: Signal<Out, Bits<8>>,
    /// The count.
    pub done_count: Signal<Out, Bits<18>>,
    /// Queue pairs of which data of responses may still be written.
    pub landing_all: Signal<Out, Bits<QPS>>,
    /// The last of them has landed,
    pub landed: Signal<Out, Bit>,
    /// of this queue pair.
    pub landed_index: Signal<Out, Bits<8>>,
    /// Note which frames of the send queues and of responses are complete.
    pub wire_mark: Signal<In, Bit>,
    /// They have left.
    pub wire_passed: Signal<Out, Bit>,
    /// Note what the responder has in flight.
    pub drain_mark: Signal<In, Bit>,
    /// All of it has been committed.
    pub drained: Signal<Out, Bit>,
    /// Responders that have failed.
    pub failed: ChannelSource<QpFailure>,
    /// COMM_EST.
    pub notice: ChannelSource<EventRequest>,
    /// Queue pair that shall come to rest.
    pub rest_index: Signal<In, Bits<8>>,
    /// Something of it is on its way; at most 10 cycles old.
    pub rest_busy: Signal<Out, Bit>,
    /// Frames of its responder are.
    pub answers_busy: Signal<Out, Bit>,
    /// Receive slots posted: a count is stored,
    pub posted_write: Signal<In, Bit>,
    /// of this queue pair,
    pub posted_index: Signal<In, Bits<QA>>,
    /// this one.
    pub posted_count: Signal<In, Bits<16>>,
    /// A message has completed a receive WQE,
    pub completed: Signal<Out, Bit>,
    /// of this queue pair.
    pub completed_index: Signal<Out, Bits<8>>,
    /// Receive completions.
    pub cqe: ChannelSource<CqeRequest>,
    /// Invalidations that messages ask for.
    pub invalidate: ChannelSource<InvalidateOrder>,
    /// Their answers: 0, or the syndrome.
    pub invalidated: ChannelSink<Bits<8>>,
    /// To the lookup: ask,
    pub ask: Signal<Out, Bit>,
    /// this.
    pub question: Signal<Out, LookupQuestion>,
    /// From the lookup: an answer,
    pub answered: Signal<In, Bit>,
    /// this one.
    pub answer: Signal<In, LookupAnswer>,
    /// Ask for no hold (T98).
    pub crowded: Signal<In, Bit>,
    /// A held read has ended,
    pub read_end: Signal<Out, Bit>,
    /// of this MR.
    pub read_end_index: Signal<Out, Bits<24>>,
    /// A held write has ended,
    pub write_end: Signal<Out, Bit>,
    /// of this MR.
    pub write_end_index: Signal<Out, Bits<24>>,
    /// Receive WQEs (AXI id 1).
    pub receive: ReadClient<DATA>,
    /// Payload to send (id 8).
    pub payload: ReadClient<DATA>,
    /// Operands of atomics (id 4).
    pub atomic_read: ReadClient<DATA>,
    /// Results of atomics (id 4).
    pub atomic_write: WriteClient<DATA>,
    /// Payload of requests (id 2).
    pub placed: WriteClient<DATA>,
    /// Data of responses (id 3).
    pub read_data: WriteClient<DATA>,
    /// Raw rings: receive, send.
    pub raw_rings: [Signal<In, RawSettings>; 2],
    /// The base or the size of a raw ring has been written.
    pub raw_restarts: [Signal<In, Bit>; 2],
    /// Raw descriptors, and raw frames to send (id 5).
    pub raw_read: ReadClient<DATA>,
    /// Raw descriptors, and raw frames received (id 5).
    pub raw_write: WriteClient<DATA>,

    receiver: FrameReceiver<DATA, STRB, FA>,
    /// 64 commit entries: fewer of their width would go into LUTs.
    responder: Responder<QA, QPS, 6>,
    acknowledge: AckEngine<QA, QPS, Q4, Q1, 4>,
    timers: Timers<QA, QPS>,
    raw: RawRings<DATA, STRB, RF>,
    landing: ResponseJobs<QA, QPS>,
    silent: FlagVector<QPS, QA>,
    placer: Placer<DATA, STRB, FA, QA, QPS, 4, 6, 512>,
    prefetch: ReceivePrefetch<DATA, QA, QPS, RB, WA, DEPTH, 4>,
    answers: ResponseUnit<DATA, QA, QPS, Q5, Q4>,
    gather_share: GatherShare,
    gather: Gather<DATA, STRB, GB, 6, GF, QPS, QA>,
    choice: FrameChoice,
    builder: FrameBuilder<DATA, STRB, QA, FA>,
    arbiter: WireArbiter<DATA, STRB, 2>,
    ledger: WireLedger<6>,
    lookups: LookupShare<3, 2>,
    write_ends: EndShare<2, 1, 8>,
    failures: Merge<QpFailure, 2, 1>,
    strays: SlackFifo<Bits<8>, 3, 4>,
    syndromes: Fifo<Bits<8>, 2>,
    drops: Merge<Bits<8>, 7, 3>,
    invalidations: InvalidateShare,
    failure: Signal<Local, QpFailure>,
    verdict: Signal<Local, PlaceVerdict>,
    unread: Signal<Local, GatherFailure>,
    left: Signal<Local, Bits<2>>,
    orders: Signal<Local, QpControl>,
    ordered: Signal<Local, Bits<QA>>,
    response: Signal<Local, PlaceJob>,
    rests: Signal<Local, Bits<QA>>,
    told: Signal<Local, Bits<32>>,
    sent_tag: Signal<Local, Bits<32>>,
    row: Signal<Local, Bits<QA>>,
    order_row: Signal<Local, Bits<QA>>,
    stray_reason: Constant<Bits<8>>,
}

impl<
        const DATA: usize,
        const STRB: usize,
        const QA: usize,
        const QPS: usize,
        const Q1: usize,
        const Q4: usize,
        const Q5: usize,
        const FA: usize,
        const GB: usize,
        const GF: usize,
        const RF: usize,
        const RB: usize,
        const WA: usize,
        const DEPTH: usize,
    > Default for Transport<DATA, STRB, QA, QPS, Q1, Q4, Q5, FA, GB, GF, RF, RB, WA, DEPTH>
{
    fn default() -> Self {
        assert_eq!((Q1, Q4, Q5, WA), (QA + 1, QA + 4, QA + 5, QA + RB), "widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            wire_out: Default::default(),
            wire_stop: Default::default(),
            wire_idle: Default::default(),
            wire_in: Default::default(),
            enable: Default::default(),
            promiscuous: Default::default(),
            drop_when_full: Default::default(),
            migreq: Default::default(),
            own_mac: Default::default(),
            own_addresses: std::array::from_fn(|_| Default::default()),
            now: Default::default(),
            drop: Default::default(),
            syndrome: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            responder_context: Default::default(),
            requester_context: Default::default(),
            respond_context: Default::default(),
            wire_path: Default::default(),
            rq_context_write: Default::default(),
            rq_context_index: Default::default(),
            rq_context: Default::default(),
            control: Default::default(),
            order_start: Default::default(),
            order_clear: Default::default(),
            order_index: Default::default(),
            order_psn: Default::default(),
            ack_order: Default::default(),
            send: Default::default(),
            frame_done: Default::default(),
            frame_tag: Default::default(),
            lost: Default::default(),
            public_write: Default::default(),
            public_index: Default::default(),
            public_row: Default::default(),
            open_write: Default::default(),
            open_index: Default::default(),
            open_slot: Default::default(),
            open_head: Default::default(),
            open_sink: Default::default(),
            state_write: Default::default(),
            state_index: Default::default(),
            state_row: Default::default(),
            done_write: Default::default(),
            done_index: Default::default(),
            done_count: Default::default(),
            landing_all: Default::default(),
            landed: Default::default(),
            landed_index: Default::default(),
            drain_mark: Default::default(),
            wire_mark: Default::default(),
            wire_passed: Default::default(),
            drained: Default::default(),
            failed: Default::default(),
            notice: Default::default(),
            rest_index: Default::default(),
            rest_busy: Default::default(),
            answers_busy: Default::default(),
            posted_write: Default::default(),
            posted_index: Default::default(),
            posted_count: Default::default(),
            completed: Default::default(),
            completed_index: Default::default(),
            voided: Default::default(),
            voided_index: Default::default(),
            served_write: Default::default(),
            served_index: Default::default(),
            served: Default::default(),
            cqe: Default::default(),
            invalidate: Default::default(),
            invalidated: Default::default(),
            ask: Default::default(),
            question: Default::default(),
            answered: Default::default(),
            answer: Default::default(),
            crowded: Default::default(),
            read_end: Default::default(),
            read_end_index: Default::default(),
            write_end: Default::default(),
            write_end_index: Default::default(),
            receive: Default::default(),
            payload: Default::default(),
            atomic_read: Default::default(),
            atomic_write: Default::default(),
            placed: Default::default(),
            read_data: Default::default(),
            raw_rings: std::array::from_fn(|_| Default::default()),
            raw_restarts: std::array::from_fn(|_| Default::default()),
            raw_read: Default::default(),
            raw_write: Default::default(),
            receiver: Default::default(),
            responder: Default::default(),
            acknowledge: Default::default(),
            timers: Default::default(),
            raw: Default::default(),
            landing: Default::default(),
            silent: Default::default(),
            placer: Default::default(),
            prefetch: Default::default(),
            answers: Default::default(),
            gather_share: Default::default(),
            gather: Default::default(),
            builder: Default::default(),
            choice: Default::default(),
            arbiter: Default::default(),
            ledger: Default::default(),
            lookups: Default::default(),
            write_ends: Default::default(),
            failures: Default::default(),
            strays: Default::default(),
            syndromes: Default::default(),
            drops: Default::default(),
            invalidations: Default::default(),
            failure: Default::default(),
            verdict: Default::default(),
            unread: Default::default(),
            left: Default::default(),
            orders: Default::default(),
            ordered: Default::default(),
            response: Default::default(),
            rests: Default::default(),
            told: Default::default(),
            sent_tag: Default::default(),
            row: Default::default(),
            order_row: Default::default(),
            stray_reason: Constant::new(bits(drop::RESPONSE_STRAY.into())),
        }
    }
}

impl<
        const DATA: usize,
        const STRB: usize,
        const QA: usize,
        const QPS: usize,
        const Q1: usize,
        const Q4: usize,
        const Q5: usize,
        const FA: usize,
        const GB: usize,
        const GF: usize,
        const RF: usize,
        const RB: usize,
        const WA: usize,
        const DEPTH: usize,
    > Logic for Transport<DATA, STRB, QA, QPS, Q1, Q4, Q5, FA, GB, GF, RF, RB, WA, DEPTH>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            receiver,
            responder,
            acknowledge,
            timers,
            raw,
            landing,
            silent,
            placer,
            prefetch,
            answers,
            gather_share,
            gather
        );
        clock!(self, clock, choice, builder, arbiter, ledger, lookups, write_ends);
        clock!(self, clock, failures, strays, syndromes, drops, invalidations);
        self.receiver.reset.next = self.reset.val();
        self.responder.reset.next = self.reset.val();
        self.acknowledge.reset.next = self.reset.val();
        self.timers.reset.next = self.reset.val();
        self.raw.reset.next = self.reset.val();
        self.landing.reset.next = self.reset.val();
        self.silent.reset.next = self.reset.val();
        self.placer.reset.next = self.reset.val();
        self.prefetch.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.gather_share.reset.next = self.reset.val();
        self.gather.reset.next = self.reset.val();
        self.choice.reset.next = self.reset.val();
        self.builder.reset.next = self.reset.val();
        self.arbiter.reset.next = self.reset.val();
        self.arbiter.stop.next = self.wire_stop.val();
        self.wire_idle.next = self.arbiter.idle.val();
        self.ledger.reset.next = self.reset.val();
        self.lookups.reset.next = self.reset.val();
        self.write_ends.reset.next = self.reset.val();
        self.failures.reset.next = self.reset.val();
        self.strays.reset.next = self.reset.val();
        self.syndromes.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.invalidations.reset.next = self.reset.val();
        self.responder.clearing.next = self.clearing.val();
        self.responder.clear_index.next = self.clear_index.val();
        self.acknowledge.clearing.next = self.clearing.val();
        self.acknowledge.clear_index.next = self.clear_index.val();
        self.timers.clearing.next = self.clearing.val();
        self.timers.clear_index.next = self.clear_index.val();
        self.landing.clearing.next = self.clearing.val();
        self.landing.clear_index.next = self.clear_index.val();
        self.answers.clearing.next = self.clearing.val();
        self.answers.clear_index.next = self.clear_index.val();
        // From the wire to the placer.
        AxiStreamSubordinate::<DATA, STRB>::link(&mut self.wire_in, &mut self.receiver.axis);
        self.receiver.enable.next = self.enable.val();
        self.receiver.promiscuous.next = self.promiscuous.val();
        self.receiver.drop_when_full.next = self.drop_when_full.val();
        self.receiver.own_mac.next = self.own_mac.val();
        for i in 0..8 {
            self.receiver.own[i].next = self.own_addresses[i].val();
            self.builder.own_addresses[i].next = self.own_addresses[i].val();
        }
        ChannelSource::<RxFrame>::join(&mut self.receiver.frame, &mut self.responder.frame);
        self.receiver.read_address.next = self.placer.read_address.val();
        self.placer.read_data.next = self.receiver.read_data.val();
        self.receiver.release_frame.next = self.placer.released.val();
        self.acknowledge.frame.data.next = self.responder.response.data.val();
        self.acknowledge.frame.valid.next = self.responder.response.valid.val() & !self.strays.crowded.val();
        self.responder.response.ready.next = self.acknowledge.frame.ready.val() & !self.strays.crowded.val();
        ChannelSource::<PlaceJob>::join(&mut self.acknowledge.job, &mut self.responder.response_job);
        self.responder.response_span.next = self.acknowledge.span.val();
        ChannelSource::<RxFrame>::join(&mut self.responder.raw, &mut self.raw.frame);
        ChannelSource::<PlaceJob>::join(&mut self.raw.job, &mut self.responder.raw_job);
        self.placer.place.job.next = self.responder.job.data.val();
        self.placer.place.span.next = self.responder.span.val();
        self.placer.place.valid.next = self.responder.job.valid.val();
        self.responder.job.ready.next = self.placer.place.ready.val();

        // From the placer to who waits for its verdicts.
        self.verdict.next = self.placer.verdict.data.val();
        self.responder.verdict.data.next = self.verdict.val();
        self.acknowledge.verdict.data.next = self.verdict.val();
        self.responder.verdict.valid.next = self.placer.verdict.valid.val() & !self.verdict.val().response;
        self.acknowledge.verdict.valid.next = self.placer.verdict.valid.val() & self.verdict.val().response;
        self.placer.verdict.ready.next = self.responder.verdict.ready.val();
        if self.verdict.val().response {
            self.placer.verdict.ready.next = self.acknowledge.verdict.ready.val();
        }
        self.responder.landed.next = self.placer.landed.val().get_bit(0);
        self.responder.landed_failed.next = self.placer.landed_failed.val().get_bit(0);
        self.acknowledge.landed.next = self.placer.landed.val().get_bit(1);
        self.acknowledge.landed_failed.next = self.placer.landed_failed.val().get_bit(1);
        self.placer.kill.next = self.responder.kill.val();
        self.placer.kill_index.next = bit_cast::<QA, 8>(self.responder.kill_index.val());
        self.placer.kill_responses.next = false;
        self.order_row.next = bit_cast::<QA, 8>(self.order_index.val());
        self.placer.clear_dead.next = self.order_start.val() | self.order_clear.val();
        self.placer.clear_index.next = self.order_row.val();
        self.gather.clear.next = self.order_clear.val();
        self.gather.clear_index.next = self.order_row.val();
        self.gather.voided.next = self.voided.val();
        self.gather.voided_index.next = bit_cast::<QA, 8>(self.voided_index.val());
        WriteClient::<DATA>::link(&mut self.placed, &mut self.placer.requests);
        WriteClient::<DATA>::link(&mut self.read_data, &mut self.placer.responses);

        // Raw frames.
        self.raw.enable.next = self.enable.val();
        self.raw.receive_ring.next = self.raw_rings[0].val();
        self.raw.receive_restart.next = self.raw_restarts[0].val();
        self.raw.send_ring.next = self.raw_rings[1].val();
        self.raw.send_restart.next = self.raw_restarts[1].val();
        WriteClient::<DATA>::join(&mut self.placer.raw, &mut self.raw.placed);
        self.raw.landed.next = self.placer.raw_landed.val();
        self.raw.landed_failed.next = self.placer.raw_failed.val();
        ReadClient::<DATA>::link(&mut self.raw_read, &mut self.raw.read);
        WriteClient::<DATA>::link(&mut self.raw_write, &mut self.raw.write);
        FrameSource::<DATA>::join(&mut self.raw.source, &mut self.arbiter.sinks[1]);

        // Receive WQEs.
        self.prefetch.context_write.next = self.rq_context_write.val();
        self.prefetch.context_index.next = self.rq_context_index.val();
        self.prefetch.context_row.next = self.rq_context.val();
        self.prefetch.control.next = self.control.val();
        self.prefetch.posted_write.next = self.posted_write.val();
        self.prefetch.posted_index.next = self.posted_index.val();
        self.prefetch.posted_count.next = self.posted_count.val();
        ReadClient::<DATA>::link(&mut self.receive, &mut self.prefetch.fetch);
        self.prefetch.rq_index.next = self.responder.rq_index.val();
        self.responder.rq_ready.next = self.prefetch.rq_ready.val();
        self.responder.rq_pending.next = self.prefetch.rq_pending.val();
        self.responder.rq_failed.next = self.prefetch.rq_failed.val();
        self.responder.rq_wqe.next = self.prefetch.rq_wqe.val();
        self.responder.rq_slot.next = self.prefetch.rq_slot.val();
        self.prefetch.rq_take.next = self.responder.rq_take.val();
        self.served_write.next = self.responder.row_write.val();
        self.served_index.next = self.responder.row_index.val();
        self.served.next = self.responder.row_psns.val();
        self.completed.next = self.responder.completed.val();
        self.completed_index.next = self.responder.completed_index.val();
        ChannelSource::<CqeRequest>::link(&mut self.cqe, &mut self.responder.cqe);
        ChannelSource::<InvalidateOrder>::join(&mut self.responder.invalidate, &mut self.invalidations.orders[0]);
        ChannelSource::<InvalidateOrder>::join(&mut self.acknowledge.invalidate, &mut self.invalidations.orders[1]);
        ChannelSource::<Bits<8>>::join(&mut self.invalidations.answers[0], &mut self.responder.invalidated);
        ChannelSource::<Bits<8>>::join(&mut self.invalidations.answers[1], &mut self.acknowledge.invalidated);
        ChannelSource::<InvalidateOrder>::link(&mut self.invalidate, &mut self.invalidations.order);
        ChannelSink::<Bits<8>>::link(&mut self.invalidated, &mut self.invalidations.answer);

        // Answers of the responder.
        ChannelSource::<ResponseOrder>::join(&mut self.responder.push, &mut self.answers.push);
        self.responder.served.next = self.answers.served.val();
        self.responder.served_index.next = self.answers.served_index.val();
        self.responder.served_duplicate.next = self.answers.served_duplicate.val();
        self.answers.owed_wake.next = self.responder.owed_wake.val();
        self.answers.owed_wake_index.next = self.responder.owed_wake_index.val();
        self.responder.owed_index.next = self.answers.owed_index.val();
        self.answers.owed.next = self.responder.owed.val();
        self.responder.owed_taken.next = self.answers.owed_taken.val();
        self.answers.control.next = self.control.val();
        ReadClient::<DATA>::link(&mut self.atomic_read, &mut self.answers.read);
        WriteClient::<DATA>::link(&mut self.atomic_write, &mut self.answers.write);

        // Contexts and orders.
        self.responder.context_write.next = self.context_write.val();
        self.responder.context_index.next = self.context_index.val();
        self.responder.context_row.next = self.responder_context.val();
        self.acknowledge.context_write.next = self.context_write.val();
        self.acknowledge.context_index.next = self.context_index.val();
        self.acknowledge.context_row.next = self.requester_context.val();
        self.timers.context_write.next = self.context_write.val();
        self.timers.context_index.next = self.context_index.val();
        self.timers.context_row.next = self.requester_context.val();
        self.answers.context_write.next = self.context_write.val();
        self.answers.context_index.next = self.context_index.val();
        self.answers.context_row.next = self.respond_context.val();
        self.row.next = bit_cast::<QA, 8>(self.context_index.val());
        self.builder.path_write.next = self.context_write.val();
        self.builder.path_index.next = self.row.val();
        self.builder.path_row.next = self.wire_path.val();
        self.responder.order_start.next = self.order_start.val();
        self.responder.order_clear.next = self.order_clear.val();
        self.responder.order_index.next = self.order_index.val();
        self.responder.order_psn.next = self.order_psn.val();
        self.responder.drain_mark.next = self.drain_mark.val();
        self.drained.next = self.responder.drained.val();
        ChannelSink::<AckOrder>::link(&mut self.ack_order, &mut self.acknowledge.order);
        self.answers.status_index.next = self.rest_index.val();
        self.prefetch.status_index.next = self.rest_index.val();
        self.rests.next = bit_cast::<QA, 8>(self.rest_index.val());
        self.answers_busy.next = self.answers.status_busy.val();
        self.rest_busy.next = self.answers.status_busy.val()
            | self.prefetch.status_busy.val()
            | self.landing.busy_all.val().get_bit(self.rests.val().index());

        // Requester: what the send queues tell, and what they are told.
        self.timers.now.next = self.now.val();
        self.timers.state_write.next = self.acknowledge.state_write.val();
        self.timers.state_index.next = self.acknowledge.state_index.val();
        self.timers.state_row.next = self.acknowledge.state_row.val();
        ChannelSource::<TimerEvent>::join(&mut self.timers.event_out, &mut self.acknowledge.event_in);
        self.acknowledge.public_write.next = self.public_write.val();
        self.acknowledge.public_index.next = self.public_index.val();
        self.acknowledge.public_row.next = self.public_row.val();
        self.timers.public_write.next = self.public_write.val();
        self.timers.public_index.next = self.public_index.val();
        self.timers.public_row.next = self.public_row.val();
        self.acknowledge.open_write.next = self.open_write.val();
        self.acknowledge.open_index.next = self.open_index.val();
        self.acknowledge.open_slot.next = self.open_slot.val();
        self.acknowledge.open_head.next = self.open_head.val();
        self.acknowledge.open_sink.next = self.open_sink.val();
        self.state_write.next = self.acknowledge.state_write.val();
        self.state_index.next = self.acknowledge.state_index.val();
        self.state_row.next = self.acknowledge.state_row.val();
        self.done_write.next = self.acknowledge.done_write.val();
        self.done_index.next = self.acknowledge.done_index.val();
        self.done_count.next = self.acknowledge.done_count.val();
        // A failed queue pair, or one that is being reset, takes no acknowledgement and has no timer (`sdead`, T6, T73).
        self.orders.next = self.control.val();
        self.ordered.next = bit_cast::<QA, 8>(self.orders.val().index);
        self.silent.set_flag.next = self.orders.val().fail | self.orders.val().discard;
        self.silent.set_index.next = self.ordered.val();
        self.silent.clear_flag.next = self.orders.val().clear;
        self.silent.clear_index.next = self.ordered.val();
        self.silent.index.next = self.ordered.val();
        self.acknowledge.dead.next = self.silent.all.val();
        self.timers.dead.next = self.silent.all.val();
        self.response.next = self.acknowledge.job.data.val();
        self.landing.start.next = self.acknowledge.job.valid.val() & self.acknowledge.job.ready.val();
        self.landing.start_index.next = self.response.val().qp;
        self.landing.finish.next = self.acknowledge.finished.val();
        self.landing.finish_index.next = self.acknowledge.finished_index.val();
        self.landing_all.next = self.landing.busy_all.val();
        self.landed.next = self.landing.landed.val();
        self.landed_index.next = self.landing.landed_index.val();

        // Frames with payload.
        self.gather_share.send.frame.next = self.send.frame.val();
        self.gather_share.send.span.next = self.send.span.val();
        self.gather_share.send.valid.next = self.send.valid.val();
        self.send.ready.next = self.gather_share.send.ready.val();
        self.gather_share.respond.frame.next = self.answers.gather.data.val();
        self.gather_share.respond.span.next = self.answers.gather_span.val();
        self.gather_share.respond.valid.next = self.answers.gather.valid.val();
        self.answers.gather.ready.next = self.gather_share.respond.ready.val();
        GatherSource::join(&mut self.gather_share.job, &mut self.gather.job);
        ReadClient::<DATA>::link(&mut self.payload, &mut self.gather.read);
        ChannelSource::<TxFrame>::join(&mut self.gather.frame, &mut self.choice.data);
        PayloadSource::<DATA>::join(&mut self.gather.payload, &mut self.builder.payload);
        self.unread.next = self.gather.failed.data.val();
        self.answers.failure.data.next = self.unread.val();
        self.told.next = self.unread.val().tag;
        self.answers.failure.valid.next = self.gather.failed.valid.val() & self.told.val().get_bit(31);
        self.lost.valid.next = self.gather.failed.valid.val() & !self.told.val().get_bit(31);
        self.lost.data.next.qp = self.unread.val().qp;
        self.lost.data.next.psn = self.unread.val().psn;
        self.lost.data.next.syndrome = self.unread.val().syndrome;
        self.gather.failed.ready.next = self.lost.ready.val();
        if self.told.val().get_bit(31) {
            self.gather.failed.ready.next = self.answers.failure.ready.val();
        }
        self.frame_done.next = self.builder.done.val();
        self.frame_tag.next = self.builder.done_tag.val();
        // Frames of headers.
        ChannelSource::<TxFrame>::join(&mut self.answers.control_frame, &mut self.choice.control);
        ChannelSource::<TxFrame>::join(&mut self.choice.source, &mut self.builder.frame);
        // To the wire.
        self.builder.own_mac.next = self.own_mac.val();
        self.builder.migreq.next = self.migreq.val();
        FrameSource::<DATA>::join(&mut self.builder.source, &mut self.arbiter.sinks[0]);
        AxiStreamManager::<DATA, STRB>::link(&mut self.wire_out, &mut self.arbiter.stream);
        self.ledger.done.next = self.builder.done.val();
        self.ledger.done_failed.next = self.builder.done_failed.val();
        self.ledger.done_tag.next = self.builder.done_tag.val();
        self.left.next = self.arbiter.left.val();
        self.ledger.left.next = self.left.val().get_bit(0);
        self.ledger.mark.next = self.wire_mark.val();
        self.wire_passed.next = self.ledger.passed.val();
        // The responder hears of its own frames only.
        self.sent_tag.next = self.ledger.sent.data.val();
        self.answers.sent.data.next = self.sent_tag.val();
        self.answers.sent.valid.next = self.ledger.sent.valid.val() & self.sent_tag.val().get_bit(31);
        self.ledger.sent.ready.next = self.answers.sent.ready.val() | !self.sent_tag.val().get_bit(31);

        // Lookups and the ends of holds.
        ChannelSource::<LookupQuestion>::join(&mut self.gather.question, &mut self.lookups.questions[0]);
        ChannelSource::<LookupQuestion>::join(&mut self.placer.question, &mut self.lookups.questions[1]);
        ChannelSource::<LookupQuestion>::join(&mut self.answers.lookup, &mut self.lookups.questions[2]);
        self.gather.answered.next = self.lookups.answered.val().get_bit(0);
        self.placer.answered.next = self.lookups.answered.val().get_bit(1);
        self.answers.answered.next = self.lookups.answered.val().get_bit(2);
        self.gather.answer.next = self.lookups.answer.val();
        self.placer.answer.next = self.lookups.answer.val();
        self.answers.found.next = self.lookups.answer.val();
        self.ask.next = self.lookups.ask.val();
        self.question.next = self.lookups.question.val();
        self.lookups.reply_valid.next = self.answered.val();
        self.lookups.reply.next = self.answer.val();
        self.lookups.crowded.next = self.crowded.val();
        self.read_end.next = self.gather.read_end.val();
        self.read_end_index.next = self.gather.read_end_index.val();
        self.write_ends.ends[0].next = self.placer.write_end.val();
        self.write_ends.indices[0].next = self.placer.write_end_index.val();
        self.write_ends.ends[1].next = self.answers.hold_end.val();
        self.write_ends.indices[1].next = self.answers.hold_end_index.val();
        self.write_end.next = self.write_ends.ended.val();
        self.write_end_index.next = self.write_ends.ended_index.val();

        // Failures: to `qp`, and their syndromes to the counters.
        ChannelSource::<QpFailure>::join(&mut self.responder.failed, &mut self.failures.sinks[0]);
        ChannelSource::<QpFailure>::join(&mut self.answers.failed, &mut self.failures.sinks[1]);
        self.failure.next = self.failures.source.data.val();
        self.failed.data.next = self.failure.val();
        self.failed.valid.next = self.failures.source.valid.val() & self.syndromes.sink.ready.val();
        self.failures.source.ready.next = self.failed.ready.val() & self.syndromes.sink.ready.val();
        self.syndromes.sink.data.next = self.failure.val().syndrome;
        self.syndromes.sink.valid.next = self.failures.source.valid.val() & self.failed.ready.val();
        ChannelSource::<Bits<8>>::link(&mut self.syndrome, &mut self.syndromes.source);
        ChannelSource::<EventRequest>::link(&mut self.notice, &mut self.responder.notice);
        // Drops.
        self.strays.write.next = self.acknowledge.stray.val();
        self.strays.data.next = self.stray_reason.val();
        ChannelSource::<Bits<8>>::join(&mut self.receiver.drop, &mut self.drops.sinks[0]);
        ChannelSource::<Bits<8>>::join(&mut self.responder.drop_dispatch, &mut self.drops.sinks[1]);
        ChannelSource::<Bits<8>>::join(&mut self.responder.drop_judge, &mut self.drops.sinks[2]);
        ChannelSource::<Bits<8>>::join(&mut self.responder.drop_commit, &mut self.drops.sinks[3]);
        ChannelSource::<Bits<8>>::join(&mut self.raw.drop, &mut self.drops.sinks[4]);
        ChannelSource::<Bits<8>>::join(&mut self.answers.drop, &mut self.drops.sinks[5]);
        ChannelSource::<Bits<8>>::join(&mut self.strays.source, &mut self.drops.sinks[6]);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
    }
}
