//! Room for what a part may bring, reserved before its lookup (T25, T102, T107).
//!
//! Two things are counted: beats of the return buffer, and places for pieces. How many a part needs is known only when its
//! lookup has answered (where it is cut, at which lane it begins), so the most is reserved and the rest given back.
//! Latency one cycle, a part a cycle.
use crate::mr::pieces::Part;
use crate::widgets::{ChannelSink, ChannelSource};
use rust_hdl::prelude::*;

/// Gate for parts in front of the lookup; STRB byte lanes, 2^B - 1 beats, 2^P - 2 pieces.
#[derive(LogicBlock)]
pub struct GatherRoom<const STRB: usize, const B: usize, const P: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// All room is free.
    pub reset: Signal<In, Bit>,
    /// Parts.
    pub part: ChannelSink<Part>,
    /// Parts with room, `reserve` filled in.
    pub source: ChannelSource<Part>,
    /// Beats given back unused.
    pub spare_beats: Signal<In, Bits<10>>,
    /// Places given back unused.
    pub spare_places: Signal<In, Bits<2>>,
    /// A beat has left the buffer.
    pub beat_left: Signal<In, Bit>,
    /// A piece has left its place.
    pub piece_left: Signal<In, Bit>,
    now: DFF<Part>,
    has: DFF<Bit>,
    beats: DFF<Bits<14>>,
    places: DFF<Bits<14>>,
    more_beats: DFF<Bits<14>>,
    more_places: DFF<Bits<14>>,
    coming: Signal<Local, Part>,
    reach: Signal<Local, Bits<13>>,
    most: Signal<Local, Bits<13>>,
    reserve: Signal<Local, Bits<14>>,
    fits: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    lane_bits: Constant<Bits<4>>,
    slack: Constant<Bits<13>>,
    all_beats: Constant<Bits<14>>,
    all_places: Constant<Bits<14>>,
}

impl<const STRB: usize, const B: usize, const P: usize> Default for GatherRoom<STRB, B, P> {
    fn default() -> Self {
        assert!(STRB.is_power_of_two() && (8..=64).contains(&STRB), "{STRB} byte lanes");
        assert!((1 << B) > 4096 / STRB + 1 && B < 14, "a frame of 4,096 B needs {} beats of 2^{B}", 4096 / STRB + 1);
        assert!((3..14).contains(&P), "2^{P} pieces");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            part: Default::default(),
            source: Default::default(),
            spare_beats: Default::default(),
            spare_places: Default::default(),
            beat_left: Default::default(),
            piece_left: Default::default(),
            now: Default::default(),
            has: Default::default(),
            beats: Default::default(),
            places: Default::default(),
            more_beats: Default::default(),
            more_places: Default::default(),
            coming: Default::default(),
            reach: Default::default(),
            most: Default::default(),
            reserve: Default::default(),
            fits: Default::default(),
            goes: Default::default(),
            lane_bits: Constant::new(bits(STRB.ilog2().into())),
            slack: Constant::new(bits(STRB as u64 - 2)),
            all_beats: Constant::new(bits((1 << B) - 1)),
            all_places: Constant::new(bits((1 << P) - 2)),
        }
    }
}

impl<const STRB: usize, const B: usize, const P: usize> Logic for GatherRoom<STRB, B, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now, has, beats, places, more_beats, more_places);
        // n bytes in the worst lane touch 1 + (n + STRB - 2) / STRB beats, cut at a boundary or not; also one for a part that
        // only tells of a failure.
        self.coming.next = self.part.data.val();
        self.reach.next = bit_cast::<13, 32>(self.coming.val().length) + self.slack.val();
        self.most.next = self.reach.val() >> self.lane_bits.val();
        self.reserve.next = bit_cast::<14, 10>(self.now.q.val().reserve);
        self.fits.next = (self.reserve.val() <= self.beats.q.val()) & (self.places.q.val() > 1);
        self.source.data.next = self.now.q.val();
        self.source.valid.next = self.has.q.val() & self.fits.val();
        self.goes.next = self.has.q.val() & self.fits.val() & self.source.ready.val();
        self.part.ready.next = !self.has.q.val() | self.goes.val();
        if !self.has.q.val() | self.goes.val() {
            self.now.d.next = self.coming.val();
            self.now.d.next.reserve = bit_cast::<10, 13>(self.most.val()) + 1;
            if self.coming.val().empty {
                self.now.d.next.reserve = 1.into();
            }
            self.has.d.next = self.part.valid.val();
        }
        self.more_beats.d.next = bit_cast::<14, 10>(self.spare_beats.val());
        if self.beat_left.val() {
            self.more_beats.d.next = bit_cast::<14, 10>(self.spare_beats.val()) + 1;
        }
        self.more_places.d.next = bit_cast::<14, 2>(self.spare_places.val());
        if self.piece_left.val() {
            self.more_places.d.next = bit_cast::<14, 2>(self.spare_places.val()) + 1;
        }
        self.beats.d.next = self.beats.q.val() + self.more_beats.q.val();
        self.places.d.next = self.places.q.val() + self.more_places.q.val();
        if self.goes.val() {
            self.beats.d.next = (self.beats.q.val() + self.more_beats.q.val()) - self.reserve.val();
            self.places.d.next = (self.places.q.val() + self.more_places.q.val()) - 2;
        }
        if self.reset.val() {
            self.has.d.next = false;
            self.beats.d.next = self.all_beats.val();
            self.places.d.next = self.all_places.val();
            self.more_beats.d.next = 0.into();
            self.more_places.d.next = 0.into();
        }
    }
}
