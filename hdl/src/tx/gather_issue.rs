//! Turns the pieces of frames into reads, or into the news that a frame has failed.
//!
//! The first failing piece of a frame (lookup, or another generation, C24) ends the frame: nothing more of it is read, and
//! holds that later pieces were granted end here (E14, T98). Room that a part did not need goes back. Latency two cycles, a
//! piece a cycle.
use super::{GenerationNote, ReadPiece, StreamPiece};
use crate::mr::pieces::BusPiece;
use crate::types::ReadCommand;
use crate::widgets::{ChannelSink, ChannelSource};
use rnic_abi::syndrome;
use rust_hdl::prelude::*;

/// Issue of the gather on STRB byte lanes.
#[derive(LogicBlock)]
pub struct GatherIssue<const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the piece and the frame.
    pub reset: Signal<In, Bit>,
    /// Pieces.
    pub piece: ChannelSink<BusPiece>,
    /// Generation that a frame wants, one a frame.
    pub note: ChannelSink<GenerationNote>,
    /// Reads; in the same cycle as
    pub command: ChannelSource<ReadCommand>,
    /// their pieces, for the return
    pub reading: ChannelSource<ReadPiece>,
    /// and for the stream.
    pub stream: ChannelSource<StreamPiece>,
    /// The first piece of a frame that does enter,
    pub starts: Signal<Out, Bit>,
    /// and whether it has beats.
    pub has_beats: Signal<Out, Bit>,
    /// A hold has ended unused,
    pub dropped: Signal<Out, Bit>,
    /// of this MR.
    pub dropped_index: Signal<Out, Bits<24>>,
    /// Beats given back.
    pub spare_beats: Signal<Out, Bits<10>>,
    /// Places given back.
    pub spare_places: Signal<Out, Bits<2>>,
    now: DFF<BusPiece>,
    has: DFF<Bit>,
    stale: DFF<Bit>,
    lane: DFF<Bits<6>>,
    more: DFF<Bits<9>>,
    first_count: DFF<Bits<7>>,
    last_count: DFF<Bits<7>>,
    bad: DFF<Bit>,
    entered: DFF<Bit>,
    used_beats: DFF<Bits<10>>,
    used_places: DFF<Bits<2>>,
    spare: DFF<Bits<10>>,
    spare_place: DFF<Bits<2>>,
    drops: DFF<Bit>,
    drops_index: DFF<Bits<24>>,
    coming: Signal<Local, BusPiece>,
    wish: Signal<Local, GenerationNote>,
    start_lane: Signal<Local, Bits<13>>,
    reach: Signal<Local, Bits<13>>,
    beats_more: Signal<Local, Bits<13>>,
    end_lane: Signal<Local, Bits<13>>,
    lanes_left: Signal<Local, Bits<13>>,
    loads: Signal<Local, Bit>,
    piece_now: Signal<Local, BusPiece>,
    wrong: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    nothing: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    beats: Signal<Local, Bits<10>>,
    places: Signal<Local, Bits<2>>,
    told: Signal<Local, StreamPiece>,
    state: Constant<Bits<8>>,
    two: Constant<Bits<2>>,
    lane_bits: Constant<Bits<4>>,
    lanes: Constant<Bits<13>>,
    width: Constant<Bits<13>>,
}

impl<const STRB: usize> Default for GatherIssue<STRB> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            piece: Default::default(),
            note: Default::default(),
            command: Default::default(),
            reading: Default::default(),
            stream: Default::default(),
            starts: Default::default(),
            has_beats: Default::default(),
            dropped: Default::default(),
            dropped_index: Default::default(),
            spare_beats: Default::default(),
            spare_places: Default::default(),
            now: Default::default(),
            has: Default::default(),
            stale: Default::default(),
            lane: Default::default(),
            more: Default::default(),
            first_count: Default::default(),
            last_count: Default::default(),
            bad: Default::default(),
            entered: Default::default(),
            used_beats: Default::default(),
            used_places: Default::default(),
            spare: Default::default(),
            spare_place: Default::default(),
            drops: Default::default(),
            drops_index: Default::default(),
            coming: Default::default(),
            wish: Default::default(),
            start_lane: Default::default(),
            reach: Default::default(),
            beats_more: Default::default(),
            end_lane: Default::default(),
            lanes_left: Default::default(),
            loads: Default::default(),
            piece_now: Default::default(),
            wrong: Default::default(),
            good: Default::default(),
            fails: Default::default(),
            nothing: Default::default(),
            enters: Default::default(),
            room: Default::default(),
            acts: Default::default(),
            beats: Default::default(),
            places: Default::default(),
            told: Default::default(),
            two: Constant::new(bits(2)),
            state: Constant::new(bits(syndrome::ACC_STATE.into())),
            lane_bits: Constant::new(bits(STRB.ilog2().into())),
            lanes: Constant::new(bits(STRB as u64 - 1)),
            width: Constant::new(bits(STRB as u64)),
        }
    }
}

impl<const STRB: usize> Logic for GatherIssue<STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now, has, stale, lane, more, first_count, last_count, bad, entered);
        dff_setup!(self, clock, used_beats, used_places, spare, spare_place, drops, drops_index);
        // Second cycle: what becomes of the piece.
        self.piece_now.next = self.now.q.val();
        self.wrong.next = (self.piece_now.val().syndrome != 0) | self.stale.q.val();
        self.good.next = !self.wrong.val() & !self.bad.q.val() & (self.piece_now.val().bytes != 0);
        self.fails.next = self.wrong.val() & !self.bad.q.val();
        self.nothing.next =
            !self.wrong.val() & !self.bad.q.val() & (self.piece_now.val().bytes == 0) & self.piece_now.val().last;
        self.enters.next = self.good.val() | self.fails.val() | self.nothing.val();
        self.room.next = self.has.q.val() & self.reading.ready.val() & self.stream.ready.val();
        self.acts.next = self.room.val() & self.command.ready.val();
        self.command.data.next.address = self.piece_now.val().address;
        self.command.data.next.length = bit_cast::<16, 13>(self.piece_now.val().bytes);
        self.command.valid.next = self.room.val() & self.good.val();
        self.reading.data.next.more = self.more.q.val();
        self.reading.data.next.index = self.piece_now.val().index;
        self.reading.data.next.held = self.piece_now.val().held;
        self.reading.data.next.begins = !self.entered.q.val();
        self.reading.valid.next = self.acts.val() & self.good.val();
        self.starts.next = self.acts.val() & self.enters.val() & !self.entered.q.val();
        self.has_beats.next = self.good.val();
        self.told.next.lane = self.lane.q.val();
        self.told.next.first_count = self.first_count.q.val();
        self.told.next.last_count = self.last_count.q.val();
        self.told.next.more = self.more.q.val();
        self.told.next.last = self.piece_now.val().last | self.wrong.val();
        self.told.next.syndrome = self.piece_now.val().syndrome;
        if self.stale.q.val() & (self.piece_now.val().syndrome == 0) {
            self.told.next.syndrome = self.state.val();
        }
        self.told.next.nothing = self.nothing.val();
        if !self.good.val() {
            self.told.next.more = 0.into();
        }
        self.stream.data.next = self.told.val();
        self.stream.valid.next = self.acts.val() & self.enters.val();

        // What it takes of the room: what has no beats counts as one, until it leaves the stream.
        self.beats.next = self.used_beats.q.val();
        if self.good.val() {
            self.beats.next = (self.used_beats.q.val() + bit_cast::<10, 9>(self.more.q.val())) + 1;
        } else if self.enters.val() {
            self.beats.next = self.used_beats.q.val() + 1;
        }
        self.places.next = self.used_places.q.val();
        if self.enters.val() {
            self.places.next = self.used_places.q.val() + 1;
        }
        self.spare.d.next = 0.into();
        self.spare_place.d.next = 0.into();
        self.drops.d.next = self.acts.val() & self.piece_now.val().held & !self.good.val();
        self.drops_index.d.next = self.piece_now.val().index;
        if self.acts.val() {
            self.used_beats.d.next = self.beats.val();
            self.used_places.d.next = self.places.val();
            self.bad.d.next = (self.bad.q.val() | self.wrong.val()) & !self.piece_now.val().last;
            self.entered.d.next = (self.entered.q.val() | self.enters.val()) & !self.piece_now.val().last;
            if self.piece_now.val().reserve != 0 {
                self.spare.d.next = self.piece_now.val().reserve - self.beats.val();
                self.spare_place.d.next = self.two.val() - self.places.val();
                self.used_beats.d.next = 0.into();
                self.used_places.d.next = 0.into();
            }
        }

        // First cycle: shape of the piece, generation.
        self.coming.next = self.piece.data.val();
        self.wish.next = self.note.data.val();
        self.start_lane.next = bit_cast::<13, 52>(self.coming.val().address) & self.lanes.val();
        self.reach.next = (self.start_lane.val() + self.coming.val().bytes) - 1;
        self.beats_more.next = self.reach.val() >> self.lane_bits.val();
        self.end_lane.next = self.reach.val() & self.lanes.val();
        self.lanes_left.next = self.width.val() - self.start_lane.val();
        self.loads.next = !self.has.q.val() | self.acts.val();
        self.piece.ready.next = self.loads.val() & self.note.valid.val();
        self.note.ready.next = self.loads.val() & self.piece.valid.val() & self.coming.val().last;
        if self.loads.val() {
            self.now.d.next = self.coming.val();
            self.has.d.next = self.piece.valid.val() & self.note.valid.val();
            self.stale.d.next = self.wish.val().same
                & self.coming.val().asked
                & (self.wish.val().generation != self.coming.val().generation);
            self.lane.d.next = bit_cast::<6, 13>(self.start_lane.val());
            self.more.d.next = bit_cast::<9, 13>(self.beats_more.val());
            self.last_count.d.next = bit_cast::<7, 13>(self.end_lane.val()) + 1;
            self.first_count.d.next = bit_cast::<7, 13>(self.lanes_left.val());
            if self.beats_more.val() == 0 {
                self.first_count.d.next = bit_cast::<7, 13>(self.coming.val().bytes);
            }
        }
        self.dropped.next = self.drops.q.val();
        self.dropped_index.next = self.drops_index.q.val();
        self.spare_beats.next = self.spare.q.val();
        self.spare_places.next = self.spare_place.q.val();
        if self.reset.val() {
            self.has.d.next = false;
            self.bad.d.next = false;
            self.entered.d.next = false;
            self.drops.d.next = false;
            self.spare.d.next = 0.into();
            self.spare_place.d.next = 0.into();
            self.used_beats.d.next = 0.into();
            self.used_places.d.next = 0.into();
        }
    }
}
