//! Joins the drop reasons of the producer and of the doorbells into one channel; the producer goes first. One a cycle. Both
//! `ready` come from registers.
use crate::widgets::{ChannelSink, ChannelSource, Stage};
use rust_hdl::prelude::*;

/// Two channels of drop reasons into one.
#[derive(LogicBlock, Default)]
pub struct CqDrops {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the reason held.
    pub reset: Signal<In, Bit>,
    /// Of the producer.
    pub producer: ChannelSink<Bits<8>>,
    /// Of doorbells.
    pub doorbell: ChannelSink<Bits<8>>,
    /// Both.
    pub drop: ChannelSource<Bits<8>>,
    waiting: Stage<Bits<8>>,
    stage: Stage<Bits<8>>,
}

impl Logic for CqDrops {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, waiting, stage);
        self.waiting.reset.next = self.reset.val();
        ChannelSink::<Bits<8>>::link(&mut self.doorbell, &mut self.waiting.sink);
        self.stage.reset.next = self.reset.val();
        self.stage.sink.valid.next = self.producer.valid.val() | self.waiting.source.valid.val();
        self.stage.sink.data.next = self.waiting.source.data.val();
        if self.producer.valid.val() {
            self.stage.sink.data.next = self.producer.data.val();
        }
        self.producer.ready.next = self.stage.sink.ready.val();
        self.waiting.source.ready.next = self.stage.sink.ready.val() & !self.producer.valid.val();
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.stage.source);
    }
}
