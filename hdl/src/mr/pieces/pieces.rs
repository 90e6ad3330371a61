//! Parts of spans become pieces on the bus: asks the lookup, many questions in flight, and keeps the order.
//!
//! A question every second cycle. Answers may take any time but come in order. Every part waits in a FIFO for its answer, which bounds
//! the answers, so an answer always finds room. Every part with bytes asks for a hold (T98): whoever feeds this block has
//! reserved before what the pieces need, so that holds end without help of any other queue (T102).
//! From part to piece 7 cycles and the answer's.
use super::{BusPiece, Collect, Part};
use crate::mr::layout::{LookupAnswer, LookupQuestion};
use crate::widgets::{ChannelSink, ChannelSource, Fifo, SlackFifo, Slot};
use rust_hdl::prelude::*;

/// At most 2^A - 1 parts in flight.
#[derive(LogicBlock, Default)]
pub struct Pieces<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no answer is on its way.
    pub reset: Signal<In, Bit>,
    /// Parts.
    pub part: ChannelSink<Part>,
    /// Questions.
    pub question: ChannelSource<LookupQuestion>,
    /// The answer to the oldest question is here.
    pub answered: Signal<In, Bit>,
    /// The answer.
    pub answer: Signal<In, LookupAnswer>,
    /// Pieces, in the order of the parts.
    pub piece: ChannelSource<BusPiece>,
    asks: Slot<LookupQuestion>,
    parts: Fifo<Part, A>,
    answers: SlackFifo<LookupAnswer, A, 2>,
    collect: Collect,
    /// Questions about parts without answer.
    open: DFF<Bits<8>>,
    /// A question about a rest is open,
    follows: DFF<Bit>,
    /// behind so many others.
    ahead: DFF<Bits<8>>,
    coming: Signal<Local, Part>,
    source: Signal<Local, Part>,
    va: Signal<Local, Bits<64>>,
    key: Signal<Local, Bits<32>>,
    put: Signal<Local, LookupQuestion>,
    again: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    asked: Signal<Local, Bit>,
    mine: Signal<Local, Bit>,
    main: Signal<Local, Bit>,
    left: Signal<Local, Bits<8>>,
}

impl<const A: usize> Logic for Pieces<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open, follows, ahead);
        clock!(self, clock, asks, parts, answers, collect);
        self.asks.reset.next = self.reset.val();
        self.parts.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.collect.reset.next = self.reset.val();
        // A rest goes before new parts.
        self.coming.next = self.part.data.val();
        self.again.next = self.collect.again.valid.val();
        self.source.next = self.coming.val();
        if self.again.val() {
            self.source.next = self.collect.again.data.val();
        }
        self.va.next = self.source.val().va;
        self.key.next = self.source.val().key;
        self.put.next.key_byte = self.key.val().get_bits::<8>(0);
        self.put.next.index = self.key.val().get_bits::<24>(8);
        self.put.next.va_low = self.va.val().get_bits::<32>(0);
        self.put.next.va_high = self.va.val().get_bits::<32>(32);
        self.put.next.length = self.source.val().length;
        self.put.next.pd = self.source.val().pd;
        self.put.next.need = self.source.val().need;
        self.put.next.remote = self.source.val().remote;
        self.put.next.privileged = self.source.val().privileged;
        self.put.next.hold = !self.source.val().checks;
        self.goes.next = !self.again.val()
            & self.part.valid.val()
            & self.parts.sink.ready.val()
            & (self.asks.sink.ready.val() | self.coming.val().empty);
        self.part.ready.next = self.goes.val();
        self.asked.next = self.goes.val() & !self.coming.val().empty;
        self.asks.sink.data.next = self.put.val();
        self.asks.sink.valid.next = self.again.val() | self.asked.val();
        self.collect.again.ready.next = self.asks.sink.ready.val();
        self.parts.sink.data.next = self.coming.val();
        self.parts.sink.valid.next = self.goes.val();

        self.mine.next = self.answered.val() & self.follows.q.val() & (self.ahead.q.val() == 0);
        self.main.next = self.answered.val() & !self.mine.val();
        self.left.next = self.open.q.val();
        if self.main.val() {
            self.left.next = self.open.q.val() - 1;
            self.ahead.d.next = self.ahead.q.val() - 1;
        }
        self.open.d.next = self.left.val();
        if self.asked.val() {
            self.open.d.next = self.left.val() + 1;
        }
        if self.mine.val() {
            self.follows.d.next = false;
        }
        if self.again.val() & self.asks.sink.ready.val() {
            self.follows.d.next = true;
            self.ahead.d.next = self.left.val();
        }
        self.answers.write.next = self.main.val();
        self.answers.data.next = self.answer.val();
        self.collect.replied.next = self.mine.val();
        self.collect.reply.next = self.answer.val();
        ChannelSource::<Part>::join(&mut self.parts.source, &mut self.collect.part);
        ChannelSource::<LookupAnswer>::join(&mut self.answers.source, &mut self.collect.answer);
        ChannelSource::<LookupQuestion>::link(&mut self.question, &mut self.asks.source);
        ChannelSource::<BusPiece>::link(&mut self.piece, &mut self.collect.piece);
        if self.reset.val() {
            self.open.d.next = 0.into();
            self.follows.d.next = false;
        }
    }
}
