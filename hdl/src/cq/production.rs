//! From CQE request to record: `CqeSelect`, `CqeProducer` and `ProducerTables` wired together.
use super::{CqRing, CqeInFlight, CqeProducer, CqeSelect, ProducerTables};
use crate::types::CqeRequest;
use crate::widgets::{ChannelSink, ChannelSource, SlackFifo, Slot};
use rust_hdl::prelude::*;

/// Producer's side of 2^CA completion queues.
#[derive(LogicBlock, Default)]
pub struct CqeProduction<const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is under way.
    pub reset: Signal<In, Bit>,
    /// Entry `clear_index` is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// CQEs of send queues.
    pub send: ChannelSink<CqeRequest>,
    /// CQEs of receive queues.
    pub receive: ChannelSink<CqeRequest>,
    /// Queues whose CQE could not be written.
    pub broken: ChannelSink<Bits<12>>,
    /// Queues that are being created.
    pub restart: ChannelSink<Bits<12>>,
    /// A queue's ring is stored.
    pub ring_store: Signal<In, Bit>,
    /// Queue.
    pub ring_index: Signal<In, Bits<CA>>,
    /// Its ring.
    pub ring: Signal<In, CqRing>,
    /// A queue's consumed count is stored.
    pub consumed_store: Signal<In, Bit>,
    /// Queue.
    pub consumed_index: Signal<In, Bits<CA>>,
    /// Its count.
    pub consumed: Signal<In, Bits<24>>,
    /// A queue's produced count is stored.
    pub produced_store: Signal<Out, Bit>,
    /// Queue.
    pub produced_index: Signal<Out, Bits<CA>>,
    /// Its count.
    pub produced: Signal<Out, Bits<24>>,
    /// Time (T79).
    pub ticks: Signal<In, Bits<32>>,
    /// CQE to write.
    pub record: ChannelSource<Bits<256>>,
    /// Its bus address.
    pub address: Signal<Out, Bits<52>>,
    /// The CQE goes to memory.
    pub issued: Signal<Out, Bit>,
    /// What must be known when its B comes.
    pub in_flight: Signal<Out, CqeInFlight>,
    /// There is room in flight for one CQE more than are under way.
    pub room: Signal<In, Bit>,
    /// Takes no request, until `settled`.
    pub settle: Signal<In, Bit>,
    /// All requests taken before this cycle are issued or swallowed, `issued` of this cycle included.
    pub settled: Signal<Out, Bit>,
    /// Queues that have failed, each once.
    pub failed: ChannelSource<Bits<12>>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// They end the chain of `ready` from the DMA, which else reaches into the send and receive queues.
    send_stage: Slot<CqeRequest>,
    receive_stage: Slot<CqeRequest>,
    select: CqeSelect,
    producer: CqeProducer,
    tables: ProducerTables<CA>,
    /// Room for every queue of the largest preset: who reads it may wait for a fence without blocking the CQEs.
    failures: SlackFifo<Bits<12>, 10, 4>,
}

impl<const CA: usize> Logic for CqeProduction<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, send_stage, receive_stage, select, producer, tables, failures);
        self.send_stage.reset.next = self.reset.val();
        self.receive_stage.reset.next = self.reset.val();
        self.select.reset.next = self.reset.val();
        self.producer.reset.next = self.reset.val();
        self.failures.reset.next = self.reset.val();
        self.tables.clearing.next = self.clearing.val();
        self.tables.clear_index.next = self.clear_index.val();
        self.send_stage.sink.data.next = self.send.data.val();
        self.send_stage.sink.valid.next = self.send.valid.val() & !self.settle.val();
        self.send.ready.next = self.send_stage.sink.ready.val() & !self.settle.val();
        self.receive_stage.sink.data.next = self.receive.data.val();
        self.receive_stage.sink.valid.next = self.receive.valid.val() & !self.settle.val();
        self.receive.ready.next = self.receive_stage.sink.ready.val() & !self.settle.val();
        ChannelSource::<CqeRequest>::join(&mut self.send_stage.source, &mut self.select.send);
        ChannelSource::<CqeRequest>::join(&mut self.receive_stage.source, &mut self.select.receive);
        ChannelSink::<Bits<12>>::link(&mut self.broken, &mut self.select.broken);
        ChannelSink::<Bits<12>>::link(&mut self.restart, &mut self.select.restart);
        self.select.room.next = self.room.val();
        self.select.free.next = self.producer.free.val();
        self.producer.begins.next = self.select.begins.val();
        self.producer.job.next = self.select.job.val();
        self.producer.request.next = self.select.request.val();
        self.producer.ticks.next = self.ticks.val();
        self.tables.ring_store.next = self.ring_store.val();
        self.tables.ring_index.next = self.ring_index.val();
        self.tables.ring.next = self.ring.val();
        self.tables.consumed_store.next = self.consumed_store.val();
        self.tables.consumed_index.next = self.consumed_index.val();
        self.tables.consumed.next = self.consumed.val();
        self.tables.cqn.next = self.producer.cqn.val();
        self.tables.read.next = self.producer.read.val();
        self.producer.lives.next = self.tables.lives.val();
        self.producer.full.next = self.tables.full.val();
        self.producer.phase.next = self.tables.phase.val();
        self.tables.raise.next = self.producer.issued.val();
        self.tables.mark_failed.next = self.producer.mark_failed.val();
        self.tables.restart.next = self.producer.restart.val();
        self.produced_store.next = self.tables.produced_store.val();
        self.produced_index.next = self.tables.produced_index.val();
        self.produced.next = self.tables.produced.val();
        ChannelSource::<Bits<256>>::link(&mut self.record, &mut self.producer.record);
        self.address.next = self.tables.address.val();
        self.issued.next = self.producer.issued.val();
        self.in_flight.next = self.producer.in_flight.val();
        self.settled.next =
            self.producer.free.val() & !self.send_stage.source.valid.val() & !self.receive_stage.source.valid.val();
        self.producer.failed.ready.next = !self.failures.crowded.val();
        self.failures.write.next = self.producer.mark_failed.val();
        self.failures.data.next = self.producer.failed.data.val();
        ChannelSource::<Bits<12>>::link(&mut self.failed, &mut self.failures.source);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.producer.drop);
    }
}
