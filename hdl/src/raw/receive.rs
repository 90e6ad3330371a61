//! Gives received frames that are not for a queue pair to the raw receive ring (T89, T95), in frame order.
//!
//! A frame takes the next descriptor: the placer writes as many of its bytes as the buffer holds, and a note waits for that
//! before the descriptor is written back. A frame without a posted buffer, or without a ring, is dropped and counted. A
//! descriptor that was posted but has not been read yet is waited for: that is one memory read. One that is no good (bus error,
//! buffer beyond 2^52, unnamed flags) loses the frame and comes back with the error flag. A frame every two cycles.
use super::{RawDescriptor, RawNote};
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::{PlaceJob, RxFrame};
use rnic_abi::{drop, raw};
use rust_hdl::prelude::*;

/// Receiver of raw frames.
#[derive(LogicBlock)]
pub struct RawReceive {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame in hand.
    pub reset: Signal<In, Bit>,
    /// Raw frames.
    pub frame: ChannelSink<RxFrame>,
    /// Descriptors.
    pub descriptor: ChannelSink<RawDescriptor>,
    /// None waits, and none will come by itself.
    pub empty: Signal<In, Bit>,
    /// Jobs of the placer, one for each frame; they say themselves where they go, without a span.
    pub job: ChannelSource<PlaceJob>,
    /// Descriptors to write back, in the order of the ring.
    pub note: ChannelSource<RawNote>,
    /// Reasons of drops.
    pub drop: ChannelSource<Bits<8>>,
    place: DFF<PlaceJob>,
    places: DFF<Bit>,
    kept: DFF<RawNote>,
    keeps: DFF<Bit>,
    owes_reason: DFF<Bit>,
    here: Signal<Local, RxFrame>,
    buffer: Signal<Local, RawDescriptor>,
    free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    address: Signal<Local, Bits<64>>,
    low: Signal<Local, Bits<53>>,
    beyond: Signal<Local, Bits<53>>,
    named: Signal<Local, Bits<32>>,
    bad: Signal<Local, Bit>,
    cut: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<13>>,
    flags: Signal<Local, Bits<5>>,
    found: Signal<Local, PlaceJob>,
    fresh: Signal<Local, RawNote>,
    no_job: Constant<PlaceJob>,
    reason: Constant<Bits<8>>,
    unnamed: Constant<Bits<32>>,
    space: Constant<Bits<53>>,
    icrc_ok: Constant<Bits<5>>,
    vlan: Constant<Bits<5>>,
    broadcast: Constant<Bits<5>>,
    truncated: Constant<Bits<5>>,
    error: Constant<Bits<5>>,
}

impl Default for RawReceive {
    fn default() -> Self {
        let flag = |flag: u32| Constant::new(bits(flag.into()));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: Default::default(),
            descriptor: Default::default(),
            empty: Default::default(),
            job: Default::default(),
            note: Default::default(),
            drop: Default::default(),
            place: Default::default(),
            places: Default::default(),
            kept: Default::default(),
            keeps: Default::default(),
            owes_reason: Default::default(),
            here: Default::default(),
            buffer: Default::default(),
            free: Default::default(),
            takes: Default::default(),
            drops: Default::default(),
            goes: Default::default(),
            address: Default::default(),
            low: Default::default(),
            beyond: Default::default(),
            named: Default::default(),
            bad: Default::default(),
            cut: Default::default(),
            bytes: Default::default(),
            flags: Default::default(),
            found: Default::default(),
            fresh: Default::default(),
            no_job: Constant::new(Default::default()),
            reason: Constant::new(bits(drop::RAW_EMPTY.into())),
            unnamed: Constant::new(bits((!raw::PHASE).into())),
            space: Constant::new(bits(1 << rnic_abi::limits::DMA_ADDR_WIDTH)),
            icrc_ok: flag(raw::ICRC_OK),
            vlan: flag(raw::VLAN),
            broadcast: flag(raw::BROADCAST),
            truncated: flag(raw::TRUNCATED),
            error: flag(raw::ERROR),
        }
    }
}

impl Logic for RawReceive {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, places, kept, keeps, owes_reason);
        self.here.next = self.frame.data.val();
        self.buffer.next = self.descriptor.data.val();
        self.free.next = !self.places.q.val() & !self.keeps.q.val() & !self.owes_reason.q.val();
        self.takes.next = self.free.val() & self.frame.valid.val() & self.descriptor.valid.val();
        self.drops.next = self.free.val() & self.frame.valid.val() & !self.descriptor.valid.val() & self.empty.val();
        self.goes.next = self.takes.val() | self.drops.val();
        self.frame.ready.next = self.goes.val();
        self.descriptor.ready.next = self.takes.val();

        // The buffer, and what fits into it.
        self.address.next = self.buffer.val().address;
        self.low.next = bit_cast::<53, 52>(self.address.val().get_bits::<52>(0));
        self.beyond.next = self.low.val() + bit_cast::<53, 32>(self.buffer.val().length);
        self.named.next = self.buffer.val().flags & self.unnamed.val();
        self.bad.next = self.buffer.val().failed
            | self.named.val().any()
            | self.address.val().get_bits::<12>(52).any()
            | (self.beyond.val() > self.space.val());
        self.cut.next = bit_cast::<32, 13>(self.here.val().bytes) > self.buffer.val().length;
        self.bytes.next = self.here.val().bytes;
        if self.cut.val() {
            self.bytes.next = bit_cast::<13, 32>(self.buffer.val().length);
        }
        if self.bad.val() {
            self.bytes.next = 0.into();
        }
        self.found.next = self.no_job.val();
        if self.takes.val() & self.bytes.val().any() {
            self.found.next.raw = true;
            self.found.next.first_row = self.here.val().first_row;
            self.found.next.range = bit_cast::<32, 13>(self.bytes.val());
            self.found.next.value = self.buffer.val().address;
        }

        // What the descriptor will say.
        self.flags.next = 0.into();
        if self.here.val().icrc_ok {
            self.flags.next = self.flags.val() | self.icrc_ok.val();
        }
        if self.here.val().tagged {
            self.flags.next = self.flags.val() | self.vlan.val();
        }
        if self.here.val().broadcast {
            self.flags.next = self.flags.val() | self.broadcast.val();
        }
        if self.cut.val() {
            self.flags.next = self.flags.val() | self.truncated.val();
        }
        if self.bad.val() {
            self.flags.next = self.error.val();
        }
        self.fresh.next.place = self.buffer.val().place;
        self.fresh.next.bytes = self.here.val().bytes;
        self.fresh.next.flags = self.flags.val();
        self.fresh.next.phase = self.buffer.val().phase;
        self.fresh.next.waits = self.bytes.val().any();

        self.job.data.next = self.place.q.val();
        self.job.valid.next = self.places.q.val();
        self.note.data.next = self.kept.q.val();
        self.note.valid.next = self.keeps.q.val();
        self.drop.data.next = self.reason.val();
        self.drop.valid.next = self.owes_reason.q.val();
        if self.job.ready.val() {
            self.places.d.next = false;
        }
        if self.note.ready.val() {
            self.keeps.d.next = false;
        }
        if self.drop.ready.val() {
            self.owes_reason.d.next = false;
        }
        if self.goes.val() {
            self.place.d.next = self.found.val();
            self.places.d.next = true;
            self.kept.d.next = self.fresh.val();
            self.keeps.d.next = self.takes.val();
            self.owes_reason.d.next = self.drops.val();
        }
        if self.reset.val() {
            self.places.d.next = false;
            self.keeps.d.next = false;
            self.owes_reason.d.next = false;
        }
    }
}
