//! Takes received frames one after another, checks them against their queue pair, and hands each to its engine (T3, T91).
//!
//! Every frame, whatever it is, also enters `order`, so that [`super::JobMerge`] can put the jobs of the engines into frame
//! order again: the frame buffer is released in that order. Five cycles a frame; a frame is offered four cycles after it was
//! taken, and context and frame are held in registers until its engine takes it.
use super::dispatch_check::DispatchCheck;
use super::records::{Request, ResponderContext};
use crate::widgets::{ChannelSink, ChannelSource, Stage, Table};
use crate::wire::RxFrame;
use rnic_abi::qp;
use rust_hdl::prelude::*;

/// Dispatcher for 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct Dispatch<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame in hand.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Received frames.
    pub frame: ChannelSink<RxFrame>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, ResponderContext>,
    /// Requests for the judge.
    pub request: ChannelSource<Request>,
    /// Frames for the engine of acknowledgements.
    pub response: ChannelSource<RxFrame>,
    /// Frames for the raw rings.
    pub raw: ChannelSource<RxFrame>,
    /// Where each frame went, in frame order ([`super::dispatch_check::route`]).
    pub order: ChannelSource<Bits<2>>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// A frame is taken in this cycle.
    pub taken: Signal<Out, Bit>,
    contexts: Table<ResponderContext, QA, 1>,
    check: DispatchCheck,
    drops: Stage<Bits<8>>,
    orders: Stage<Bits<2>>,
    held: DFF<RxFrame>,
    row: DFF<ResponderContext>,
    busy: DFF<Bit>,
    step: DFF<Bits<2>>,
    arriving: Signal<Local, RxFrame>,
    number: Signal<Local, Bits<24>>,
    head: Signal<Local, RxFrame>,
    known: Signal<Local, ResponderContext>,
    low: Signal<Local, Bits<QA>>,
    asks: Signal<Local, Request>,
    takes: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    rtr: Constant<Bits<3>>,
}

impl<const QA: usize> Default for Dispatch<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            frame: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            context_row: Default::default(),
            request: Default::default(),
            response: Default::default(),
            raw: Default::default(),
            order: Default::default(),
            drop: Default::default(),
            taken: Default::default(),
            contexts: Default::default(),
            check: Default::default(),
            drops: Default::default(),
            orders: Default::default(),
            held: Default::default(),
            row: Default::default(),
            busy: Default::default(),
            step: Default::default(),
            arriving: Default::default(),
            number: Default::default(),
            head: Default::default(),
            known: Default::default(),
            low: Default::default(),
            asks: Default::default(),
            takes: Default::default(),
            offers: Default::default(),
            done: Default::default(),
            rtr: Constant::new(qp::RTR.to_bits()),
        }
    }
}

impl<const QA: usize> Logic for Dispatch<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, row, busy, step);
        clock!(self, clock, contexts, check, drops, orders);
        self.drops.reset.next = self.reset.val();
        self.orders.reset.next = self.reset.val();
        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.contexts.data.next = self.context_row.val();

        // Take; the context comes one cycle later, is held from then on, and judged in two more.
        self.arriving.next = self.frame.data.val();
        self.number.next = self.arriving.val().qpn;
        self.contexts.index[0].next = bit_cast::<QA, 24>(self.number.val());
        self.takes.next = self.frame.valid.val() & !self.busy.q.val();
        self.frame.ready.next = !self.busy.q.val();
        self.taken.next = self.takes.val();
        if self.takes.val() {
            self.held.d.next = self.arriving.val();
            self.busy.d.next = true;
            self.step.d.next = 0.into();
        }
        if self.busy.q.val() & (self.step.q.val() != 3) {
            self.step.d.next = self.step.q.val() + 1;
        }
        if self.step.q.val() == 0 {
            self.row.d.next = self.contexts.out[0].val();
        }
        self.head.next = self.held.q.val();
        self.known.next = self.row.q.val();
        self.check.frame.next = self.held.q.val();
        self.check.owner.next = self.row.q.val();

        // Hand over.
        self.offers.next =
            self.busy.q.val() & (self.step.q.val() == 3) & self.orders.sink.ready.val() & self.drops.sink.ready.val();
        self.request.valid.next = self.offers.val() & (self.check.route.val() == 1);
        self.response.valid.next = self.offers.val() & (self.check.route.val() == 2);
        self.raw.valid.next = self.offers.val() & (self.check.route.val() == 3);
        self.drops.sink.valid.next = self.offers.val() & (self.check.route.val() == 0);
        self.drops.sink.data.next = self.check.reason.val();
        self.done.next = self.offers.val()
            & ((self.check.route.val() == 0)
                | (self.request.ready.val() & (self.check.route.val() == 1))
                | (self.response.ready.val() & (self.check.route.val() == 2))
                | (self.raw.ready.val() & (self.check.route.val() == 3)));
        self.orders.sink.valid.next = self.done.val();
        self.orders.sink.data.next = self.check.route.val();
        if self.done.val() {
            self.busy.d.next = false;
        }
        ChannelSource::<Bits<2>>::link(&mut self.order, &mut self.orders.source);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.source);
        self.response.data.next = self.held.q.val();
        self.raw.data.next = self.held.q.val();

        self.low.next = bit_cast::<QA, 24>(self.head.val().qpn);
        self.asks.next.qp = bit_cast::<8, QA>(self.low.val());
        self.asks.next.qpn = self.head.val().qpn;
        self.asks.next.first_row = self.head.val().first_row;
        self.asks.next.payload_at = self.head.val().payload_at;
        self.asks.next.payload = self.head.val().payload;
        self.asks.next.pad = self.head.val().pad;
        self.asks.next.opcode = self.head.val().opcode;
        self.asks.next.solicited = self.head.val().solicited;
        self.asks.next.ack_request = self.head.val().ack_request;
        self.asks.next.psn = self.head.val().psn;
        self.asks.next.va = self.head.val().va;
        self.asks.next.rkey = self.head.val().rkey;
        self.asks.next.length = self.head.val().length;
        self.asks.next.swap = self.head.val().swap;
        self.asks.next.compare = self.head.val().compare;
        self.asks.next.immediate = self.head.val().immediate;
        self.asks.next.mtu = self.known.val().mtu;
        self.asks.next.access = self.known.val().access;
        self.asks.next.max_dest_rd = self.known.val().max_dest_rd;
        self.asks.next.min_rnr = self.known.val().min_rnr;
        self.asks.next.pd = self.known.val().pd;
        self.asks.next.privileged = self.known.val().privileged;
        self.asks.next.cqn = self.known.val().cqn;
        self.asks.next.rtr = self.known.val().state == self.rtr.val();
        self.request.data.next = self.asks.val();
        if self.reset.val() {
            self.busy.d.next = false;
        }
    }
}
