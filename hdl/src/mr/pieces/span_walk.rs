//! Walks a span of memory: which bytes of which SGE it means.
//!
//! One SGE a cycle, and one more cycle to take a span: two cycles a span that lies in SGE 0, three with a range check. SGEs
//! before the span, and those of length 0, cost a cycle and are not looked at (T11). Everything is reckoned in positions
//! of the list, so that no subtraction waits for another. Latency from span to part three cycles.
use super::Part;
use crate::widgets::{ChannelSink, ChannelSource, Slot};
use crate::wire::Span;
use rust_hdl::prelude::*;

/// Span in, parts out; the last one of a span is marked. A span without bytes and without a check gives an empty part.
#[derive(LogicBlock, Default)]
pub struct SpanWalk {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the span.
    pub reset: Signal<In, Bit>,
    /// Spans.
    pub span: ChannelSink<Span>,
    /// With the span: first check `range` bytes from the address of SGE 0 on, with its key.
    pub checks: Signal<In, Bit>,
    /// Bytes of that check.
    pub range: Signal<In, Bits<32>>,
    /// Parts.
    pub part: ChannelSource<Part>,
    shown: Slot<Part>,
    list: DFF<Span>,
    /// Position of the span's end.
    goal: DFF<Bits<33>>,
    reach: DFF<Bits<32>>,
    step: DFF<Bits<2>>,
    busy: DFF<Bit>,
    checking: DFF<Bit>,
    empty: DFF<Bit>,
    spent: DFF<Bit>,
    asked: Signal<Local, Span>,
    now: Signal<Local, Span>,
    length: Signal<Local, Bits<32>>,
    from: Signal<Local, Bits<32>>,
    long: Signal<Local, Bits<33>>,
    over: Signal<Local, Bit>,
    enough: Signal<Local, Bit>,
    rest: Signal<Local, Bits<32>>,
    ahead: Signal<Local, Bits<32>>,
    some: Signal<Local, Bits<13>>,
    bare: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    found: Signal<Local, Part>,
}

impl Logic for SpanWalk {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, list, goal, reach, step, busy, checking, empty, spent);
        clock!(self, clock, shown);
        self.shown.reset.next = self.reset.val();
        self.asked.next = self.span.data.val();
        self.now.next = self.list.q.val();
        self.length.next = self.now.val().length0;
        self.from.next = self.now.val().skip;
        self.long.next = bit_cast::<33, 32>(self.length.val());
        self.over.next = self.length.val() > self.from.val();
        self.enough.next = self.long.val() >= self.goal.q.val();
        self.rest.next = self.length.val() - self.from.val();
        self.ahead.next = self.from.val() - self.length.val();
        self.some.next = bit_cast::<13, 32>(self.rest.val());
        self.bare.next = self.empty.q.val() | self.spent.q.val();

        self.found.next.va = self.now.val().address0;
        self.found.next.key = self.now.val().key0;
        self.found.next.length = self.rest.val();
        self.found.next.pd = self.now.val().pd;
        self.found.next.need = self.now.val().need;
        self.found.next.remote = self.now.val().remote;
        self.found.next.privileged = self.now.val().privileged;
        self.found.next.checks = self.checking.q.val();
        self.found.next.empty = self.bare.val() & !self.checking.q.val();
        self.found.next.short = self.spent.q.val();
        self.found.next.last = self.bare.val() | (self.enough.val() & !self.checking.q.val());
        self.found.next.reserve = 0.into();
        if self.checking.q.val() {
            self.found.next.length = self.reach.q.val();
        } else {
            self.found.next.va = self.now.val().address0 + bit_cast::<64, 32>(self.from.val());
            if self.enough.val() {
                self.found.next.length = bit_cast::<32, 13>(self.now.val().bytes);
            }
        }
        self.shown.sink.data.next = self.found.val();
        self.shown.sink.valid.next = self.busy.q.val() & (self.checking.q.val() | self.bare.val() | self.over.val());
        self.steps.next = self.busy.q.val() & self.shown.sink.ready.val();
        self.ends.next = self.bare.val() | (self.enough.val() & !self.checking.q.val());

        if self.steps.val() & self.checking.q.val() {
            self.checking.d.next = false;
        }
        if self.steps.val() & !self.checking.q.val() {
            self.list.d.next.address0 = self.now.val().address1;
            self.list.d.next.length0 = self.now.val().length1;
            self.list.d.next.key0 = self.now.val().key1;
            self.list.d.next.address1 = self.now.val().address2;
            self.list.d.next.length1 = self.now.val().length2;
            self.list.d.next.key1 = self.now.val().key2;
            self.list.d.next.address2 = self.now.val().address3;
            self.list.d.next.length2 = self.now.val().length3;
            self.list.d.next.key2 = self.now.val().key3;
            self.list.d.next.skip = self.ahead.val();
            if self.over.val() {
                self.list.d.next.skip = 0.into();
                self.list.d.next.bytes = self.now.val().bytes - self.some.val();
            }
            self.goal.d.next = self.goal.q.val() - self.long.val();
            self.step.d.next = self.step.q.val() + 1;
            self.spent.d.next = self.step.q.val() == 3;
        }
        if self.steps.val() & self.ends.val() {
            self.busy.d.next = false;
        }
        self.span.ready.next = !self.busy.q.val();
        if !self.busy.q.val() {
            self.list.d.next = self.asked.val();
            self.goal.d.next = bit_cast::<33, 32>(self.asked.val().skip) + bit_cast::<33, 13>(self.asked.val().bytes);
            self.reach.d.next = self.range.val();
            self.step.d.next = 0.into();
            self.checking.d.next = self.checks.val();
            self.empty.d.next = self.asked.val().bytes == 0;
            self.spent.d.next = false;
            self.busy.d.next = self.span.valid.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
        }
        ChannelSource::<Part>::link(&mut self.part, &mut self.shown.source);
    }
}
