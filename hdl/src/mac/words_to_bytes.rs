//! Takes words apart into bytes (MC5).
use super::{FrameByte, MacWord};
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Latency one cycle, one byte a cycle, without a pause between words that are offered in time.
#[derive(LogicBlock, Default)]
pub struct WordsToBytes {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the word.
    pub reset: Signal<In, Bit>,
    /// Words in.
    pub sink: ChannelSink<MacWord>,
    /// Bytes out.
    pub source: ChannelSource<FrameByte>,
    busy: DFF<Bit>,
    data: DFF<Bits<64>>,
    left: DFF<Bits<3>>,
    last: DFF<Bit>,
    offered: Signal<Local, MacWord>,
    ends: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

impl Logic for WordsToBytes {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, data, left, last);
        self.offered.next = self.sink.data.val();
        self.ends.next = self.left.q.val() == 0;
        self.free.next = !self.busy.q.val() | (self.source.ready.val() & self.ends.val());
        self.sink.ready.next = self.free.val();
        self.source.data.next.data = self.data.q.val().get_bits::<8>(0);
        self.source.data.next.last = self.last.q.val() & self.ends.val();
        self.source.valid.next = self.busy.q.val();
        if self.source.ready.val() {
            self.data.d.next = self.data.q.val() >> 8;
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.free.val() {
            self.busy.d.next = self.sink.valid.val();
            self.data.d.next = self.offered.val().data;
            self.left.d.next = self.offered.val().count_less_1;
            self.last.d.next = self.offered.val().last;
        }
        if self.reset.val() {
            self.busy.d.next = false;
        }
    }
}
