//! Merges the asynchronous events of the subsystems into one channel (rule T76).
use crate::types::EventRequest;
use crate::widgets::{ChannelSink, ChannelSource, Slot};
use rnic_abi::event;
use rust_hdl::prelude::*;

/// One event a cycle, latency one cycle; a fatal error (pulse) is remembered, goes first, and is told once until reset.
#[derive(LogicBlock)]
pub struct EventMerge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets a fatal error.
    pub reset: Signal<In, Bit>,
    /// Events of the queue pairs.
    pub qp: ChannelSink<EventRequest>,
    /// The device cannot go on: DEVICE_FATAL.
    pub fatal: Signal<In, Bit>,
    /// All events.
    pub source: ChannelSource<EventRequest>,
    told: DFF<Bit>,
    pending: DFF<Bit>,
    merged: Signal<Local, EventRequest>,
    /// Keeps an offered event stable when a fatal error arrives behind it (invariant I7).
    stage: Slot<EventRequest>,
    fatal_kind: Constant<Bits<8>>,
}

impl Default for EventMerge {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            qp: Default::default(),
            fatal: Default::default(),
            source: Default::default(),
            told: Default::default(),
            pending: Default::default(),
            merged: Default::default(),
            stage: Default::default(),
            fatal_kind: Constant::new(event::DEVICE_FATAL.to_bits()),
        }
    }
}

impl Logic for EventMerge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, told, pending);
        clock!(self, clock, stage);
        self.stage.reset.next = self.reset.val();
        self.merged.next = self.qp.data.val();
        if self.pending.q.val() {
            self.merged.next.kind = self.fatal_kind.val();
            self.merged.next.number = 0.into();
            self.merged.next.detail = 0.into();
        }
        self.stage.sink.data.next = self.merged.val();
        self.stage.sink.valid.next = self.qp.valid.val() | self.pending.q.val();
        self.qp.ready.next = self.stage.sink.ready.val() & !self.pending.q.val();
        if self.stage.sink.ready.val() {
            self.pending.d.next = false;
        }
        if self.fatal.val() & !self.told.q.val() {
            self.told.d.next = true;
            self.pending.d.next = true;
        }
        ChannelSource::<EventRequest>::link(&mut self.source, &mut self.stage.source);
        if self.reset.val() {
            self.told.d.next = false;
            self.pending.d.next = false;
        }
    }
}
