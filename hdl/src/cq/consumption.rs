//! From B answer and doorbell to interrupt_request: CQEs in flight, `ProgressSelect`, `CqProgress` and `ProgressTables` together.
use super::{CqProgress, CqSignal, CqeInFlight, ProgressSelect, ProgressTables};
use crate::types::Doorbell;
use crate::widgets::{ChannelSink, ChannelSource, SlackFifo, Stage};
use rust_hdl::prelude::*;

/// Consumer's side of 2^CA completion queues.
#[derive(LogicBlock, Default)]
pub struct CqConsumption<const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is under way.
    pub reset: Signal<In, Bit>,
    /// Entry `clear_index` is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// A CQE goes to memory.
    pub issued: Signal<In, Bit>,
    /// What must be known when its B comes.
    pub in_flight: Signal<In, CqeInFlight>,
    /// There is room for two more.
    pub room: Signal<Out, Bit>,
    /// The oldest CQE in flight has its B.
    pub done: Signal<In, Bit>,
    /// It came with an error.
    pub write_failed: Signal<In, Bit>,
    /// Doorbells.
    pub doorbell: ChannelSink<Doorbell>,
    /// Queues that are being created.
    pub restart: ChannelSink<Bits<12>>,
    /// A queue's vector is stored.
    pub signal_store: Signal<In, Bit>,
    /// Queue.
    pub signal_index: Signal<In, Bits<CA>>,
    /// Its vector.
    pub signal: Signal<In, CqSignal>,
    /// A queue's produced count is stored.
    pub produced_store: Signal<In, Bit>,
    /// Queue.
    pub produced_index: Signal<In, Bits<CA>>,
    /// Its count.
    pub produced: Signal<In, Bits<24>>,
    /// A queue's consumed count is stored.
    pub consumed_store: Signal<Out, Bit>,
    /// Queue.
    pub consumed_index: Signal<Out, Bits<CA>>,
    /// Its count.
    pub consumed: Signal<Out, Bits<24>>,
    /// A CQE is completed.
    pub completed: Signal<Out, Bit>,
    /// Queues whose CQE could not be written.
    pub broken: ChannelSource<Bits<12>>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// A queue fires.
    pub interrupt_request: Signal<Out, Bit>,
    /// Its vector.
    pub interrupt_vector: Signal<Out, Bits<3>>,
    flights: SlackFifo<CqeInFlight, 7, 4>,
    /// Never fuller than `flights`.
    answers: SlackFifo<Bit, 7, 2>,
    /// It keeps the producer's `ready` out of the doorbells.
    broken_stage: Stage<Bits<12>>,
    select: ProgressSelect,
    progress: CqProgress,
    tables: ProgressTables<CA>,
}

impl<const CA: usize> Logic for CqConsumption<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, flights, answers, broken_stage, select, progress, tables);
        self.flights.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.broken_stage.reset.next = self.reset.val();
        self.select.reset.next = self.reset.val();
        self.progress.reset.next = self.reset.val();
        self.tables.clearing.next = self.clearing.val();
        self.tables.clear_index.next = self.clear_index.val();
        self.flights.write.next = self.issued.val();
        self.flights.data.next = self.in_flight.val();
        self.room.next = !self.flights.crowded.val();
        self.answers.write.next = self.done.val();
        self.answers.data.next = self.write_failed.val();
        ChannelSource::<CqeInFlight>::join(&mut self.flights.source, &mut self.select.flight);
        ChannelSource::<Bit>::join(&mut self.answers.source, &mut self.select.answer);
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.select.doorbell);
        ChannelSink::<Bits<12>>::link(&mut self.restart, &mut self.select.restart);
        self.select.free.next = self.progress.free.val();
        self.progress.begins.next = self.select.begins.val();
        self.progress.job.next = self.select.job.val();
        self.progress.change.next = self.select.change.val();
        self.tables.signal_store.next = self.signal_store.val();
        self.tables.signal_index.next = self.signal_index.val();
        self.tables.signal.next = self.signal.val();
        self.tables.produced_store.next = self.produced_store.val();
        self.tables.produced_index.next = self.produced_index.val();
        self.tables.produced.next = self.produced.val();
        self.tables.cqn.next = self.progress.cqn.val();
        self.tables.read.next = self.progress.read.val();
        self.tables.completes.next = self.progress.completes.val();
        self.tables.rings.next = self.progress.rings.val();
        self.tables.consumer.next = self.progress.consumer.val();
        self.progress.exists.next = self.tables.exists.val();
        self.progress.irq_vector.next = self.tables.irq_vector.val();
        self.progress.armed.next = self.tables.armed.val();
        self.progress.armed_solicited.next = self.tables.armed_solicited.val();
        self.progress.unread.next = self.tables.unread.val();
        self.progress.beyond.next = self.tables.beyond.val();
        self.tables.store.next = self.progress.store.val();
        self.tables.arm.next = self.progress.arm.val();
        self.tables.arm_solicited.next = self.progress.arm_solicited.val();
        self.tables.restart.next = self.progress.restart.val();
        self.consumed_store.next = self.tables.consumed_store.val();
        self.consumed_index.next = self.tables.consumed_index.val();
        self.consumed.next = self.tables.consumed.val();
        self.completed.next = self.progress.completed.val();
        ChannelSource::<Bits<12>>::join(&mut self.progress.broken, &mut self.broken_stage.sink);
        ChannelSource::<Bits<12>>::link(&mut self.broken, &mut self.broken_stage.source);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.progress.drop);
        self.interrupt_request.next = self.progress.interrupt_request.val();
        self.interrupt_vector.next = self.progress.interrupt_vector.val();
    }
}
