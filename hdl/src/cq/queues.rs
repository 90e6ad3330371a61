//! Completion queues: CQEs into host memory, doorbells, interrupts, CREATE_CQ and DESTROY_CQ.
//!
//! A CQE takes this way: `CqeProduction` (place in the ring, overflow), `RecordWrite` to the DMA; its B comes back to
//! `CqConsumption`, where doorbells arrive too and interrupts are decided. `CqAdmin` and `CqEntries` create and destroy,
//! `Fence` waits for what is in flight. A CQE every three cycles (five at DATA 64, whose bursts have four beats), 120 of
//! them in flight (88 by the credits of the DMA).
use super::{CqAdmin, CqConsumption, CqDrops, CqEntries, CqRing, CqSignal, CqeProduction, Fence, RecordWrite};
use crate::types::{AdminUnit, CqeRequest, Doorbell, WriteClient, WriteCommand};
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// 2^CA completion queues on a bus of DATA bits, STRB = DATA / 8.
#[derive(LogicBlock, Default)]
pub struct CompletionQueues<const DATA: usize, const STRB: usize, const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets what is under way; tables are cleared by `clearing`.
    pub reset: Signal<In, Bit>,
    /// Entry `clear_index` is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// Admin commands.
    pub admin: AdminUnit,
    /// CQEs of send queues.
    pub send: ChannelSink<CqeRequest>,
    /// CQEs of receive queues.
    pub receive: ChannelSink<CqeRequest>,
    /// Doorbells.
    pub doorbell: ChannelSink<Doorbell>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    /// Time (T79).
    pub ticks: Signal<In, Bits<32>>,
    /// Write client.
    pub cqe: WriteClient<DATA>,
    /// Asks for `fenced` when every CQE accepted before has its B.
    pub fence: Signal<In, Bit>,
    /// Answer.
    pub fenced: Signal<Out, Bit>,
    /// Queue that a queue pair wants to use.
    pub use_cqn: Signal<In, Bits<12>>,
    /// It exists; four cycles after `use_cqn` is stable.
    pub use_exists: Signal<Out, Bit>,
    /// One more queue uses it.
    pub use_take: Signal<In, Bit>,
    /// One queue less uses it.
    pub use_release: Signal<In, Bit>,
    /// Queues that have failed, each once.
    pub failed: ChannelSource<Bits<12>>,
    /// A queue fires.
    pub interrupt_request: Signal<Out, Bit>,
    /// Its vector.
    pub interrupt_vector: Signal<Out, Bits<3>>,
    entries: CqEntries<CA>,
    commands: CqAdmin<CA>,
    production: CqeProduction<CA>,
    writer: RecordWrite<256, DATA>,
    consumption: CqConsumption<CA>,
    drops: CqDrops,
    /// Of queue pairs.
    outer_fence: Fence,
    /// Of DESTROY_CQ.
    inner_fence: Fence,
    index: Signal<Local, Bits<CA>>,
    stores: Signal<Local, Bit>,
    ring: Signal<Local, CqRing>,
    signal: Signal<Local, CqSignal>,
}

impl<const DATA: usize, const STRB: usize, const CA: usize> Logic for CompletionQueues<DATA, STRB, CA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, entries, commands, production, writer, consumption, drops, outer_fence, inner_fence);
        self.commands.reset.next = self.reset.val();
        self.production.reset.next = self.reset.val();
        self.writer.reset.next = self.reset.val();
        self.consumption.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.outer_fence.reset.next = self.reset.val();
        self.inner_fence.reset.next = self.reset.val();
        // Admin commands and their table.
        AdminUnit::link(&mut self.admin, &mut self.commands.admin);
        self.entries.clearing.next = self.clearing.val();
        self.entries.clear_index.next = self.clear_index.val();
        self.entries.use_cqn.next = self.use_cqn.val();
        self.use_exists.next = self.entries.use_exists.val();
        self.entries.use_take.next = self.use_take.val();
        self.entries.use_release.next = self.use_release.val();
        self.entries.cqn.next = self.commands.cqn.val();
        self.entries.look.next = self.commands.look.val();
        self.commands.found.next = self.entries.found.val();
        self.entries.store.next = self.commands.store.val();
        self.ring.next = self.commands.ring.val();
        self.entries.exists.next = self.ring.val().exists;
        // Copies of the ring and the vector for both sides.
        self.stores.next = self.commands.store.val() | self.clearing.val();
        self.index.next = bit_cast::<CA, 12>(self.commands.cqn.val());
        self.signal.next.vector = self.commands.irq_vector.val();
        self.signal.next.exists = self.commands.ring.val().exists;
        if self.clearing.val() {
            self.index.next = bit_cast::<CA, 16>(self.clear_index.val());
            self.ring.next.exists = false;
            self.signal.next.exists = false;
        }
        self.production.clearing.next = self.clearing.val();
        self.production.clear_index.next = self.clear_index.val();
        self.production.ring_store.next = self.stores.val();
        self.production.ring_index.next = self.index.val();
        self.production.ring.next = self.ring.val();
        self.consumption.clearing.next = self.clearing.val();
        self.consumption.clear_index.next = self.clear_index.val();
        self.consumption.signal_store.next = self.stores.val();
        self.consumption.signal_index.next = self.index.val();
        self.consumption.signal.next = self.signal.val();
        ChannelSource::<Bits<12>>::join(&mut self.commands.restart_producer, &mut self.production.restart);
        ChannelSource::<Bits<12>>::join(&mut self.commands.restart_progress, &mut self.consumption.restart);
        // A CQE's way.
        ChannelSink::<CqeRequest>::link(&mut self.send, &mut self.production.send);
        ChannelSink::<CqeRequest>::link(&mut self.receive, &mut self.production.receive);
        self.production.ticks.next = self.ticks.val();
        ChannelSource::<Bits<256>>::join(&mut self.production.record, &mut self.writer.record);
        self.writer.address.next = self.production.address.val();
        ChannelSource::<WriteCommand>::link(&mut self.cqe.command, &mut self.writer.command);
        ChannelSource::<Bits<DATA>>::link(&mut self.cqe.beat, &mut self.writer.beat);
        self.consumption.issued.next = self.production.issued.val();
        self.consumption.in_flight.next = self.production.in_flight.val();
        self.production.room.next = self.consumption.room.val();
        self.consumption.done.next = self.cqe.done.val();
        self.consumption.write_failed.next = self.cqe.failed.val();
        ChannelSource::<Bits<12>>::join(&mut self.consumption.broken, &mut self.production.broken);
        ChannelSource::<Bits<12>>::link(&mut self.failed, &mut self.production.failed);
        // Counts that each side keeps of the other.
        self.consumption.produced_store.next = self.production.produced_store.val();
        self.consumption.produced_index.next = self.production.produced_index.val();
        self.consumption.produced.next = self.production.produced.val();
        self.production.consumed_store.next = self.consumption.consumed_store.val();
        self.production.consumed_index.next = self.consumption.consumed_index.val();
        self.production.consumed.next = self.consumption.consumed.val();
        // Doorbells and interrupts.
        ChannelSink::<Doorbell>::link(&mut self.doorbell, &mut self.consumption.doorbell);
        self.interrupt_request.next = self.consumption.interrupt_request.val();
        self.interrupt_vector.next = self.consumption.interrupt_vector.val();
        ChannelSource::<Bits<8>>::join(&mut self.production.drop, &mut self.drops.producer);
        ChannelSource::<Bits<8>>::join(&mut self.consumption.drop, &mut self.drops.doorbell);
        ChannelSource::<Bits<8>>::link(&mut self.drop, &mut self.drops.drop);
        // Fences.
        self.production.settle.next = self.outer_fence.settle.val() | self.inner_fence.settle.val();
        self.outer_fence.request.next = self.fence.val();
        self.outer_fence.settled.next = self.production.settled.val();
        self.outer_fence.issued.next = self.production.issued.val();
        self.outer_fence.completed.next = self.consumption.completed.val();
        self.fenced.next = self.outer_fence.fenced.val();
        self.inner_fence.request.next = self.commands.fence.val();
        self.inner_fence.settled.next = self.production.settled.val();
        self.inner_fence.issued.next = self.production.issued.val();
        self.inner_fence.completed.next = self.consumption.completed.val();
        self.commands.fenced.next = self.inner_fence.fenced.val();
    }
}
