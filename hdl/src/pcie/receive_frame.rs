//! Takes the stream apart: header DWs, payload lanes, and whether the length is what the header says (TL6).
//!
//! One beat a cycle, latency one cycle. A TLP waits before its first beat until its kind has room behind the bridge; from
//! then on nothing holds it up. TO4: only a non-posted request waits for `request_room`.
use super::records::{PayloadBeat, StreamBeat};
use super::swap::SwapDwords;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Framing of the received stream.
#[derive(LogicBlock, Default)]
pub struct ReceiveFrame {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Expects the first beat of a TLP.
    pub reset: Signal<In, Bit>,
    /// TLPs.
    pub beat: ChannelSink<StreamBeat>,
    /// The largest BAR write has room.
    pub write_room: Signal<In, Bit>,
    /// A non-posted request has room.
    pub request_room: Signal<In, Bit>,
    /// Header DWs; whole from `begins` on until the next TLP. The fourth is payload when the header has three.
    pub dw: [Signal<Out, Bits<32>>; 4],
    /// The TLP hits BAR0.
    pub hits: Signal<Out, Bit>,
    /// The header has just become whole.
    pub begins: Signal<Out, Bit>,
    /// Payload of this cycle, no more than the header announces.
    pub payload: Signal<Out, PayloadBeat>,
    /// The TLP has ended.
    pub finish: Signal<Out, Bit>,
    /// Its length agrees with its header.
    pub agrees: Signal<Out, Bit>,
    swap: SwapDwords,
    header: [DFF<Bits<32>>; 4],
    under_way: DFF<Bit>,
    in_body: DFF<Bit>,
    hit: DFF<Bit>,
    opened: DFF<Bit>,
    lanes: DFF<PayloadBeat>,
    ended: DFF<Bit>,
    right: DFF<Bit>,
    /// DW of header and payload that have come.
    seen: DFF<Bits<12>>,
    /// Payload DW still to come.
    left: DFF<Bits<11>>,
    wrong: DFF<Bit>,
    word: Signal<Local, StreamBeat>,
    kind: Signal<Local, Bits<5>>,
    asks: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    length: Signal<Local, Bits<12>>,
    extra: Signal<Local, Bits<12>>,
    total: Signal<Local, Bits<12>>,
    after: Signal<Local, Bits<12>>,
    due: Signal<Local, Bits<11>>,
    low: Signal<Local, Bit>,
    high: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    carries: Signal<Local, Bit>,
    spoilt: Signal<Local, Bit>,
}

impl Logic for ReceiveFrame {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, under_way, in_body, hit, opened, lanes, ended, right, seen, left, wrong);
        for i in 0..4 {
            self.header[i].clock.next = self.clock.val();
            self.header[i].d.next = self.header[i].q.val();
            self.dw[i].next = self.header[i].q.val();
        }
        self.word.next = self.beat.data.val();
        self.swap.data.next = self.word.val().data;
        // Posted are writes, messages and completions; all others ask for an answer.
        self.kind.next = self.swap.low.val().get_bits::<5>(24);
        self.asks.next = !((self.swap.low.val().get_bit(30) & (self.kind.val() == 0))
            | (self.swap.low.val().get_bit(29) & self.kind.val().get_bit(4))
            | (self.kind.val() == 10)
            | (self.kind.val() == 11));
        self.may.next = self.under_way.q.val() | (self.write_room.val() & (self.request_room.val() | !self.asks.val()));
        self.beat.ready.next = self.may.val();
        self.takes.next = self.may.val() & self.beat.valid.val();
        // What the header says.
        self.long.next = self.header[0].q.val().get_bit(29);
        self.carries.next = self.header[0].q.val().get_bit(30);
        self.length.next = bit_cast::<12, 10>(self.header[0].q.val().get_bits::<10>(0));
        if self.length.val() == 0 {
            self.length.next = 1024.into();
        }
        self.extra.next = 3.into();
        if self.long.val() & self.header[0].q.val().get_bit(15) {
            self.extra.next = 5.into();
        } else if self.long.val() | self.header[0].q.val().get_bit(15) {
            self.extra.next = 4.into();
        }
        self.total.next = self.extra.val();
        if self.carries.val() {
            self.total.next = self.extra.val() + self.length.val();
        }
        // What came.
        self.after.next = self.seen.q.val() + 2;
        if self.word.val().half {
            self.after.next = self.seen.q.val() + 1;
        }
        self.due.next = self.left.q.val();
        self.low.next = self.in_body.q.val() & self.left.q.val().any();
        self.high.next = self.in_body.q.val() & (self.left.q.val() > 1) & !self.word.val().half;
        if !self.in_body.q.val() {
            self.due.next = 0.into();
            if self.carries.val() {
                self.due.next = bit_cast::<11, 12>(self.length.val());
            }
            self.high.next = self.carries.val() & !self.long.val() & !self.word.val().half;
        }
        // A half beat anywhere but at the end, and a TLP that goes on beyond its length, are wrong whatever follows.
        self.spoilt.next = self.wrong.q.val() | (self.after.val() > self.total.val());
        self.opened.d.next = false;
        self.ended.d.next = false;
        self.lanes.d.next.data = self.word.val().data;
        self.lanes.d.next.low = self.takes.val() & self.under_way.q.val() & self.low.val();
        self.lanes.d.next.high = self.takes.val() & self.under_way.q.val() & self.high.val();
        if self.takes.val() {
            self.ended.d.next = self.word.val().last;
            self.under_way.d.next = !self.word.val().last;
            if !self.under_way.q.val() {
                self.header[0].d.next = self.swap.low.val();
                self.header[1].d.next = self.swap.high.val();
                self.seen.d.next = 2.into();
                self.in_body.d.next = false;
                self.wrong.d.next = self.word.val().half;
                self.right.d.next = false;
            } else {
                self.in_body.d.next = true;
                self.wrong.d.next = self.spoilt.val() | (self.word.val().half & !self.word.val().last);
                self.seen.d.next = self.after.val();
                self.right.d.next =
                    !self.spoilt.val() & !self.word.val().broken & (self.after.val() == self.total.val());
                self.left.d.next = self.due.val();
                if self.low.val() & self.high.val() {
                    self.left.d.next = self.due.val() - 2;
                } else if self.low.val() | self.high.val() {
                    self.left.d.next = self.due.val() - 1;
                }
                if !self.in_body.q.val() {
                    self.header[2].d.next = self.swap.low.val();
                    self.header[3].d.next = self.swap.high.val();
                    self.hit.d.next = self.word.val().hits;
                    self.opened.d.next = true;
                }
            }
        }
        if self.reset.val() {
            self.under_way.d.next = false;
            self.opened.d.next = false;
            self.ended.d.next = false;
            self.lanes.d.next.low = false;
            self.lanes.d.next.high = false;
        }
        self.begins.next = self.opened.q.val();
        self.hits.next = self.hit.q.val();
        self.payload.next = self.lanes.q.val();
        self.finish.next = self.ended.q.val();
        self.agrees.next = self.right.q.val();
    }
}
