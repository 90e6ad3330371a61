//! Fetches the descriptors of a raw ring ahead of their use (T95), each with a read of its own.
//!
//! At most [`AHEAD`] are on their way or wait. Rewriting the base or the size of the ring starts it afresh: what is on its way
//! comes back first and is forgotten, and until then the ring is empty. A producer count that runs ahead by more than the ring
//! holds posts nothing (I9). Latency from the last beat of a descriptor to its offer three cycles.
use super::{RawDescriptor, RawSettings};
use crate::types::{ReadClient, ReadCommand};
use crate::widgets::{ChannelSource, SlackFifo};
use rust_hdl::prelude::*;

/// Descriptors on their way or waiting.
const AHEAD: u64 = 6;

/// Fetcher on a bus of DATA bits.
#[derive(LogicBlock)]
pub struct RawDescriptors<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no read is on its way.
    pub reset: Signal<In, Bit>,
    /// Descriptors are taken from the ring.
    pub enable: Signal<In, Bit>,
    /// The ring.
    pub ring: Signal<In, RawSettings>,
    /// Its base or size has been written.
    pub restart: Signal<In, Bit>,
    /// Reads.
    pub read: ReadClient<DATA>,
    /// Descriptors, in the order of the ring.
    pub source: ChannelSource<RawDescriptor>,
    /// No descriptor waits, and none is on its way or can be asked for.
    pub empty: Signal<Out, Bit>,
    waiting: SlackFifo<RawDescriptor, 3, 2>,
    command: DFF<ReadCommand>,
    offers: DFF<Bit>,
    asked: DFF<Bits<16>>,
    arrived: DFF<Bits<16>>,
    taken: DFF<Bits<16>>,
    stale: DFF<Bit>,
    second: DFF<Bit>,
    low: DFF<Bits<128>>,
    poisoned: DFF<Bit>,
    settings: Signal<Local, RawSettings>,
    size: Signal<Local, Bits<16>>,
    last: Signal<Local, Bits<16>>,
    pending: Signal<Local, Bits<16>>,
    open: Signal<Local, Bits<16>>,
    on_the_way: Signal<Local, Bits<16>>,
    posted: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    base: Signal<Local, Bits<52>>,
    ask_slot: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<16>>,
    place: Signal<Local, Bits<52>>,
    lane: Signal<Local, Bits<16>>,
    shift: Signal<Local, Bits<16>>,
    shifted: Signal<Local, Bits<DATA>>,
    wide: Signal<Local, Bits<128>>,
    bytes: Signal<Local, Bits<128>>,
    complete: Signal<Local, Bit>,
    rounds: Signal<Local, Bits<16>>,
    found: Signal<Local, RawDescriptor>,
    takes: Signal<Local, Bit>,
    one: Constant<Bits<16>>,
    ahead: Constant<Bits<16>>,
    length: Constant<Bits<16>>,
    lanes: Constant<Bits<16>>,
    two_beats: Constant<Bit>,
}

impl<const DATA: usize> Default for RawDescriptors<DATA> {
    fn default() -> Self {
        assert!(DATA.is_power_of_two() && (64..=512).contains(&DATA), "{DATA} data bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            ring: Default::default(),
            restart: Default::default(),
            read: Default::default(),
            source: Default::default(),
            empty: Default::default(),
            waiting: Default::default(),
            command: Default::default(),
            offers: Default::default(),
            asked: Default::default(),
            arrived: Default::default(),
            taken: Default::default(),
            stale: Default::default(),
            second: Default::default(),
            low: Default::default(),
            poisoned: Default::default(),
            settings: Default::default(),
            size: Default::default(),
            last: Default::default(),
            pending: Default::default(),
            open: Default::default(),
            on_the_way: Default::default(),
            posted: Default::default(),
            asks: Default::default(),
            base: Default::default(),
            ask_slot: Default::default(),
            slot: Default::default(),
            place: Default::default(),
            lane: Default::default(),
            shift: Default::default(),
            shifted: Default::default(),
            wide: Default::default(),
            bytes: Default::default(),
            complete: Default::default(),
            rounds: Default::default(),
            found: Default::default(),
            takes: Default::default(),
            one: Constant::new(bits(1)),
            ahead: Constant::new(bits(AHEAD)),
            length: Constant::new(bits(rnic_abi::raw::BYTES as u64)),
            lanes: Constant::new(bits((DATA as u64 / 128).saturating_sub(1))),
            two_beats: Constant::new(DATA == 64),
        }
    }
}

impl<const DATA: usize> Logic for RawDescriptors<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, command, offers, asked, arrived, taken, stale, second, low, poisoned);
        clock!(self, clock, waiting);
        self.waiting.reset.next = self.reset.val() | self.stale.q.val();
        self.settings.next = self.ring.val();
        self.size.next = self.one.val() << self.settings.val().log2;
        self.last.next = self.size.val() - 1;
        self.base.next = bit_cast::<52, 40>(self.settings.val().base) << 12;

        // The next one to ask for.
        self.pending.next = self.settings.val().producer - self.asked.q.val();
        self.open.next = self.asked.q.val() - self.taken.q.val();
        self.on_the_way.next = self.asked.q.val() - self.arrived.q.val();
        self.posted.next = self.enable.val()
            & self.settings.val().log2.any()
            & self.pending.val().any()
            & (self.pending.val() <= self.size.val());
        self.asks.next =
            self.posted.val() & !self.stale.q.val() & !self.offers.q.val() & (self.open.val() < self.ahead.val());
        self.ask_slot.next = self.asked.q.val() & self.last.val();
        self.read.command.data.next = self.command.q.val();
        self.read.command.valid.next = self.offers.q.val();
        if self.read.command.ready.val() {
            self.offers.d.next = false;
        }
        if self.asks.val() {
            self.offers.d.next = true;
            self.asked.d.next = self.asked.q.val() + 1;
            self.command.d.next.address = self.base.val() + (bit_cast::<52, 16>(self.ask_slot.val()) << 4);
            self.command.d.next.length = self.length.val();
        }

        // What comes: one or two beats, in the order of the ring.
        self.slot.next = self.arrived.q.val() & self.last.val();
        self.place.next = self.base.val() + (bit_cast::<52, 16>(self.slot.val()) << 4);
        self.lane.next = self.slot.val() & self.lanes.val();
        self.shift.next = self.lane.val() << 7;
        self.shifted.next = self.read.beat_data.val() >> self.shift.val();
        self.wide.next = bit_cast::<128, DATA>(self.shifted.val());
        self.bytes.next = self.wide.val();
        if self.two_beats.val() {
            self.bytes.next = (self.wide.val() << 64) | self.low.q.val();
        }
        self.complete.next = self.read.beat_valid.val() & (!self.two_beats.val() | self.second.q.val());
        if self.read.beat_valid.val() {
            self.low.d.next = self.wide.val();
            self.second.d.next = !self.complete.val();
            self.poisoned.d.next = self.read.beat_error.val() & !self.complete.val();
        }
        if self.complete.val() {
            self.arrived.d.next = self.arrived.q.val() + 1;
        }
        self.rounds.next = self.arrived.q.val() >> self.settings.val().log2;
        self.found.next.address = self.bytes.val().get_bits::<64>(0);
        self.found.next.length = self.bytes.val().get_bits::<32>(64);
        self.found.next.flags = self.bytes.val().get_bits::<32>(96);
        self.found.next.failed = self.read.beat_error.val() | self.poisoned.q.val();
        self.found.next.place = self.place.val();
        self.found.next.phase = !self.rounds.val().get_bit(0);
        self.waiting.write.next = self.complete.val();
        self.waiting.data.next = self.found.val();

        // What leaves.
        self.source.data.next = self.waiting.source.data.val();
        self.source.valid.next = self.waiting.source.valid.val() & !self.stale.q.val();
        self.waiting.source.ready.next = self.source.ready.val();
        self.takes.next = self.waiting.source.valid.val() & !self.stale.q.val() & self.source.ready.val();
        if self.takes.val() {
            self.taken.d.next = self.taken.q.val() + 1;
        }
        self.empty.next = self.stale.q.val() | ((self.open.val() == 0) & !self.posted.val());
        if self.stale.q.val() & (self.on_the_way.val() == 0) {
            self.asked.d.next = 0.into();
            self.arrived.d.next = 0.into();
            self.taken.d.next = 0.into();
            self.stale.d.next = false;
        }
        if self.restart.val() {
            self.stale.d.next = true;
        }
        if self.reset.val() {
            self.asked.d.next = 0.into();
            self.arrived.d.next = 0.into();
            self.taken.d.next = 0.into();
            self.stale.d.next = false;
            self.offers.d.next = false;
            self.second.d.next = false;
            self.poisoned.d.next = false;
        }
    }
}
