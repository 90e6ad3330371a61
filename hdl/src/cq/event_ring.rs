//! Event ring: writes asynchronous events into a ring in host memory (T76) and asks for an interrupt after their B.
//!
//! Full when produced - consumer = size: the event is dropped and `overflow` tells, with an interrupt, so that software
//! looks. Without a ring (log2 0), or when its write fails, `lost` tells. Phase as in a CQ. One event every two cycles at
//! most; nothing here waits for software.
use super::{EventRecord, RecordWrite};
use crate::types::{EventRequest, WriteClient, WriteCommand};
use crate::widgets::{ChannelSink, ChannelSource};
use rnic_abi::event;
use rust_hdl::prelude::*;

/// Event ring on a bus of DATA bits, STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct EventRing<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Events.
    pub requests: ChannelSink<EventRequest>,
    /// Ring base in units of 4 KiB.
    pub base: Signal<In, Bits<40>>,
    /// Log2 of its entries, 0 without a ring.
    pub log2: Signal<In, Bits<4>>,
    /// Free-running count of events consumed.
    pub consumer: Signal<In, Bits<16>>,
    /// The ring registers have been written: start with entry 0 in the first round.
    pub restart: Signal<In, Bit>,
    /// Write client.
    pub events: WriteClient<DATA>,
    /// An event was dropped, because the ring is full.
    pub overflow: Signal<Out, Bit>,
    /// An event was lost: there is no ring, or its write failed.
    pub lost: Signal<Out, Bit>,
    /// Interrupt request.
    pub interrupt_request: Signal<Out, Bit>,
    writer: RecordWrite<128, DATA>,
    produced: DFF<Bits<16>>,
    overflowed: DFF<Bit>,
    missed: DFF<Bit>,
    arrived: DFF<Bit>,
    record: Signal<Local, EventRecord>,
    pending: Signal<Local, Bits<16>>,
    size: Signal<Local, Bits<16>>,
    last: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<16>>,
    rounds: Signal<Local, Bits<16>>,
    comes: Signal<Local, Bit>,
    exists: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    one: Constant<Bits<16>>,
    phase: Constant<Bits<32>>,
}

impl<const DATA: usize, const STRB: usize> Default for EventRing<DATA, STRB> {
    fn default() -> Self {
        assert_eq!(DATA, 8 * STRB, "lanes of the bus");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            requests: Default::default(),
            base: Default::default(),
            log2: Default::default(),
            consumer: Default::default(),
            restart: Default::default(),
            events: Default::default(),
            overflow: Default::default(),
            lost: Default::default(),
            interrupt_request: Default::default(),
            writer: Default::default(),
            produced: Default::default(),
            overflowed: Default::default(),
            missed: Default::default(),
            arrived: Default::default(),
            record: Default::default(),
            pending: Default::default(),
            size: Default::default(),
            last: Default::default(),
            slot: Default::default(),
            rounds: Default::default(),
            comes: Default::default(),
            exists: Default::default(),
            full: Default::default(),
            one: Constant::new(bits(1)),
            phase: Constant::new(bits(event::PHASE.into())),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for EventRing<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, produced, overflowed, missed, arrived);
        clock!(self, clock, writer);
        self.writer.reset.next = self.reset.val();
        // Place in the ring.
        self.exists.next = self.log2.val().any();
        self.pending.next = self.produced.q.val() - self.consumer.val();
        self.size.next = self.one.val() << self.log2.val();
        self.full.next = self.pending.val() >= self.size.val();
        self.last.next = self.size.val() - 1;
        self.slot.next = self.produced.q.val() & self.last.val();
        self.rounds.next = self.produced.q.val() >> self.log2.val();
        self.writer.address.next =
            (bit_cast::<52, 40>(self.base.val()) << 12) + (bit_cast::<52, 16>(self.slot.val()) << 4);
        // The entry.
        self.record.next.kind = bit_cast::<32, 8>(self.requests.data.val().kind);
        self.record.next.number = bit_cast::<32, 24>(self.requests.data.val().number);
        self.record.next.detail = self.requests.data.val().detail;
        self.record.next.owner = self.phase.val();
        if self.rounds.val().get_bit(0) {
            self.record.next.owner = 0.into();
        }
        self.writer.record.data.next = self.record.val().into();
        self.requests.ready.next = self.writer.record.ready.val();
        self.comes.next = self.requests.valid.val() & self.writer.record.ready.val();
        self.writer.record.valid.next = self.requests.valid.val() & self.exists.val() & !self.full.val();
        if self.comes.val() & self.exists.val() & !self.full.val() {
            self.produced.d.next = self.produced.q.val() + 1;
        }
        self.overflowed.d.next = self.comes.val() & self.exists.val() & self.full.val();
        self.missed.d.next =
            (self.comes.val() & !self.exists.val()) | (self.events.done.val() & self.events.failed.val());
        self.arrived.d.next = self.events.done.val();
        if self.restart.val() | self.reset.val() {
            self.produced.d.next = 0.into();
        }
        if self.reset.val() {
            self.overflowed.d.next = false;
            self.missed.d.next = false;
            self.arrived.d.next = false;
        }
        self.overflow.next = self.overflowed.q.val();
        self.lost.next = self.missed.q.val();
        self.interrupt_request.next = self.arrived.q.val() | self.overflowed.q.val();
        ChannelSource::<WriteCommand>::link(&mut self.events.command, &mut self.writer.command);
        ChannelSource::<Bits<DATA>>::link(&mut self.events.beat, &mut self.writer.beat);
    }
}
