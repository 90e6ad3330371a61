//! Write buffer: collects the beats of one client's bursts, and offers a burst only when all its beats are there.
//!
//! So W never waits for a client (T107: whole burst in the buffer). The client sends a command, then its beats; at most
//! 2^A - 2 beats are kept, so no burst may be longer. From the last beat to the offer two cycles; one beat a cycle, and
//! one burst a cycle when bursts have one beat.
use super::WriteBurst;
use crate::types::WriteCommand;
use crate::widgets::{ChannelSink, ChannelSource, Fifo};
use rust_hdl::prelude::*;

/// Buffer of one write client: 2^A beats, 2^D bursts.
#[derive(LogicBlock)]
pub struct WriteBuffer<const DATA: usize, const A: usize, const D: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// Commands of the client.
    pub command: ChannelSink<WriteCommand>,
    /// Lane-aligned beats, in the order of the commands.
    pub beat: ChannelSink<Bits<DATA>>,
    /// Bursts whose beats are all here.
    pub burst: ChannelSource<WriteBurst>,
    /// Their beats.
    pub beats: ChannelSource<Bits<DATA>>,
    bursts: Fifo<WriteBurst, D>,
    data: Fifo<Bits<DATA>, A>,
    /// The burst whose beats are coming.
    held: DFF<WriteBurst>,
    left: DFF<Bits<8>>,
    busy: DFF<Bit>,
    asked: Signal<Local, WriteCommand>,
    first_lane: Signal<Local, Bits<13>>,
    reach: Signal<Local, Bits<13>>,
    beats_more: Signal<Local, Bits<13>>,
    spare: Signal<Local, Bits<13>>,
    room: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    lane_bits: Constant<Bits<4>>,
    lanes: Constant<Bits<13>>,
}

impl<const DATA: usize, const A: usize, const D: usize> Default for WriteBuffer<DATA, A, D> {
    fn default() -> Self {
        assert!(DATA.is_power_of_two() && (64..=512).contains(&DATA), "{DATA} data bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            command: Default::default(),
            beat: Default::default(),
            burst: Default::default(),
            beats: Default::default(),
            bursts: Default::default(),
            data: Default::default(),
            held: Default::default(),
            left: Default::default(),
            busy: Default::default(),
            asked: Default::default(),
            first_lane: Default::default(),
            reach: Default::default(),
            beats_more: Default::default(),
            spare: Default::default(),
            room: Default::default(),
            takes: Default::default(),
            complete: Default::default(),
            free: Default::default(),
            lane_bits: Constant::new(bits((DATA / 8).ilog2() as u64)),
            lanes: Constant::new(bits(DATA as u64 / 8 - 1)),
        }
    }
}

impl<const DATA: usize, const A: usize, const D: usize> Logic for WriteBuffer<DATA, A, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, left, busy);
        clock!(self, clock, bursts, data);
        self.bursts.reset.next = self.reset.val();
        self.data.reset.next = self.reset.val();
        // Shape of the burst: lanes of its first and last byte, number of beats.
        self.asked.next = self.command.data.val();
        self.first_lane.next = bit_cast::<13, 52>(self.asked.val().address) & self.lanes.val();
        self.reach.next = (self.first_lane.val() + self.asked.val().length) - 1;
        self.beats_more.next = self.reach.val() >> self.lane_bits.val();
        self.spare.next = self.lanes.val() & !self.reach.val();
        // A beat is taken when its burst is known and, for the last one, when the burst can be offered.
        self.room.next = self.busy.q.val() & self.data.sink.ready.val() & self.bursts.sink.ready.val();
        self.beat.ready.next = self.room.val();
        self.takes.next = self.room.val() & self.beat.valid.val();
        self.data.sink.data.next = self.beat.data.val();
        self.data.sink.valid.next = self.takes.val();
        self.complete.next = self.takes.val() & (self.left.q.val() == 0);
        self.bursts.sink.data.next = self.held.q.val();
        self.bursts.sink.valid.next = self.complete.val();
        if self.takes.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        self.free.next = !self.busy.q.val() | self.complete.val();
        self.command.ready.next = self.free.val();
        if self.free.val() {
            self.held.d.next.address = self.asked.val().address;
            self.held.d.next.last = bit_cast::<8, 13>(self.beats_more.val());
            self.held.d.next.first_lane = bit_cast::<6, 13>(self.first_lane.val());
            self.held.d.next.spare_lanes = bit_cast::<6, 13>(self.spare.val());
            self.left.d.next = bit_cast::<8, 13>(self.beats_more.val());
            self.busy.d.next = self.command.valid.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
        }
        ChannelSource::<WriteBurst>::link(&mut self.burst, &mut self.bursts.source);
        ChannelSource::<Bits<DATA>>::link(&mut self.beats, &mut self.data.source);
    }
}
