//! Sends the frames of the raw send ring, one after the other (T95, T96).
//!
//! A descriptor is judged, its frame read and assembled, and the descriptor written back when the wire has taken the last beat,
//! or with the error flag when there was none to send: bus error, buffer beyond 2^52, unnamed flags, a length that no frame
//! has. An ICRC asks for a packet that can have one: at least IPv4, UDP and BTH, and whole words from the IP header on.
use super::{RawAssemble, RawDescriptor, RawFetch, RawNote};
use crate::types::{ReadClient, ReadCommand};
use crate::widgets::{ChannelSink, ChannelSource};
use crate::wire::{FrameSource, LARGEST_FRAME};
use rnic_abi::raw;
use rust_hdl::prelude::*;

/// Bytes of an Ethernet header.
const SHORTEST: u64 = 14;
/// Bytes of the headers that an ICRC covers at least, with the Ethernet header.
const SHORTEST_PACKET: u64 = 54;
/// Bytes of an ICRC.
const ICRC: u64 = 4;

/// Sender on a bus of DATA bits (STRB bytes), with a store of 2^A beats.
#[derive(LogicBlock)]
pub struct RawSend<const DATA: usize, const STRB: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame; only while no read is on its way.
    pub reset: Signal<In, Bit>,
    /// Descriptors.
    pub descriptor: ChannelSink<RawDescriptor>,
    /// Reads of the frames.
    pub read: ReadClient<DATA>,
    /// Frames for the wire.
    pub source: FrameSource<DATA>,
    /// Descriptors to write back, in the order of the ring.
    pub note: ChannelSource<RawNote>,
    assemble: RawAssemble<DATA, STRB, A>,
    command: DFF<ReadCommand>,
    commands: DFF<Bit>,
    fetch: DFF<RawFetch>,
    fetches: DFF<Bit>,
    kept: DFF<RawNote>,
    keeps: DFF<Bit>,
    busy: DFF<Bit>,
    frame: Signal<Local, RawDescriptor>,
    takes: Signal<Local, Bit>,
    address: Signal<Local, Bits<64>>,
    low: Signal<Local, Bits<53>>,
    beyond: Signal<Local, Bits<53>>,
    named: Signal<Local, Bits<32>>,
    icrc: Signal<Local, Bit>,
    flags: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<32>>,
    most: Signal<Local, Bits<32>>,
    least: Signal<Local, Bits<32>>,
    rest: Signal<Local, Bits<2>>,
    bad: Signal<Local, Bit>,
    fresh: Signal<Local, RawNote>,
    unnamed: Constant<Bits<32>>,
    space: Constant<Bits<53>>,
    longest: Constant<Bits<32>>,
    longest_packet: Constant<Bits<32>>,
    shortest: Constant<Bits<32>>,
    shortest_packet: Constant<Bits<32>>,
    lane_mask: Constant<Bits<52>>,
    lane: Signal<Local, Bits<52>>,
    error: Constant<Bits<5>>,
}

impl<const DATA: usize, const STRB: usize, const A: usize> Default for RawSend<DATA, STRB, A> {
    fn default() -> Self {
        let number = |value: u64| Constant::new(bits(value));
        Self {
            clock: Default::default(),
            reset: Default::default(),
            descriptor: Default::default(),
            read: Default::default(),
            source: Default::default(),
            note: Default::default(),
            assemble: Default::default(),
            command: Default::default(),
            commands: Default::default(),
            fetch: Default::default(),
            fetches: Default::default(),
            kept: Default::default(),
            keeps: Default::default(),
            busy: Default::default(),
            frame: Default::default(),
            takes: Default::default(),
            address: Default::default(),
            low: Default::default(),
            beyond: Default::default(),
            named: Default::default(),
            icrc: Default::default(),
            flags: Default::default(),
            length: Default::default(),
            most: Default::default(),
            least: Default::default(),
            rest: Default::default(),
            bad: Default::default(),
            fresh: Default::default(),
            unnamed: Constant::new(bits((!(raw::PHASE | raw::SEND_ICRC)).into())),
            space: Constant::new(bits(1 << rnic_abi::limits::DMA_ADDR_WIDTH)),
            longest: number(LARGEST_FRAME as u64),
            longest_packet: number(LARGEST_FRAME as u64 - ICRC),
            shortest: number(SHORTEST),
            shortest_packet: number(SHORTEST_PACKET),
            lane_mask: Constant::new(bits(STRB as u64 - 1)),
            lane: Default::default(),
            error: Constant::new(bits(raw::ERROR.into())),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const A: usize> Logic for RawSend<DATA, STRB, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, command, commands, fetch, fetches, kept, keeps, busy);
        clock!(self, clock, assemble);
        self.assemble.reset.next = self.reset.val();
        self.frame.next = self.descriptor.data.val();
        self.descriptor.ready.next = !self.busy.q.val();
        self.takes.next = self.descriptor.valid.val() & !self.busy.q.val();

        // Is there a frame?
        self.address.next = self.frame.val().address;
        self.length.next = self.frame.val().length;
        self.flags.next = self.frame.val().flags;
        self.icrc.next = self.flags.val().get_bit(0);
        self.low.next = bit_cast::<53, 52>(self.address.val().get_bits::<52>(0));
        self.beyond.next = self.low.val() + bit_cast::<53, 32>(self.length.val());
        self.named.next = self.flags.val() & self.unnamed.val();
        self.most.next = self.longest.val();
        self.least.next = self.shortest.val();
        self.rest.next = 2.into();
        if self.icrc.val() {
            self.most.next = self.longest_packet.val();
            self.least.next = self.shortest_packet.val();
            self.rest.next = self.length.val().get_bits::<2>(0);
        }
        self.bad.next = self.frame.val().failed
            | self.named.val().any()
            | self.address.val().get_bits::<12>(52).any()
            | (self.beyond.val() > self.space.val())
            | (self.length.val() > self.most.val())
            | (self.length.val() < self.least.val())
            | (self.rest.val() != 2);
        self.lane.next = bit_cast::<52, 53>(self.low.val()) & self.lane_mask.val();
        self.fresh.next.place = self.frame.val().place;
        self.fresh.next.bytes = bit_cast::<13, 32>(self.length.val());
        self.fresh.next.flags = 0.into();
        if self.bad.val() {
            self.fresh.next.flags = self.error.val();
        }
        self.fresh.next.phase = self.frame.val().phase;
        self.fresh.next.waits = false;

        // It is read, assembled, sent.
        self.read.command.data.next = self.command.q.val();
        self.read.command.valid.next = self.commands.q.val();
        self.assemble.fetch.data.next = self.fetch.q.val();
        self.assemble.fetch.valid.next = self.fetches.q.val();
        self.assemble.beat_valid.next = self.read.beat_valid.val();
        self.assemble.beat_data.next = self.read.beat_data.val();
        self.assemble.beat_error.next = self.read.beat_error.val();
        FrameSource::<DATA>::link(&mut self.source, &mut self.assemble.source);
        if self.read.command.ready.val() {
            self.commands.d.next = false;
        }
        if self.assemble.fetch.ready.val() {
            self.fetches.d.next = false;
        }
        if self.assemble.done.val() {
            self.keeps.d.next = true;
            if self.assemble.done_failed.val() {
                self.kept.d.next.flags = self.error.val();
            }
        }

        // And written back.
        self.note.data.next = self.kept.q.val();
        self.note.valid.next = self.keeps.q.val();
        if self.keeps.q.val() & self.note.ready.val() {
            self.keeps.d.next = false;
            self.busy.d.next = false;
        }
        if self.takes.val() {
            self.busy.d.next = true;
            self.kept.d.next = self.fresh.val();
            self.keeps.d.next = self.bad.val();
            self.command.d.next.address = bit_cast::<52, 53>(self.low.val());
            self.command.d.next.length = bit_cast::<16, 32>(self.length.val());
            self.commands.d.next = !self.bad.val();
            self.fetch.d.next.lane = bit_cast::<6, 52>(self.lane.val());
            self.fetch.d.next.bytes = bit_cast::<13, 32>(self.length.val());
            self.fetch.d.next.icrc = self.icrc.val();
            self.fetches.d.next = !self.bad.val();
        }
        if self.reset.val() {
            self.commands.d.next = false;
            self.fetches.d.next = false;
            self.keeps.d.next = false;
            self.busy.d.next = false;
        }
    }
}
