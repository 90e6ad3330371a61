//! Decides what the packer does in each cycle: how header beats, payload beats and the end of a frame become output beats.
//!
//! A cycle takes a whole beat of headers, or a beat of payload, or sends what is left. The rest of the headers (less than
//! a beat) joins the first cycle behind the whole beats without one of its own, and a first piece of payload that does not
//! fill a beat together with that rest is taken with the last whole beat of headers. So a frame takes as many cycles as it
//! has beats, one more if the pieces of its payload are cut unluckily. The next frame follows without a gap.
use super::headers::FrameHeader;
use crate::types::{PayloadMark, PayloadSink};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

record! {
    /// One cycle of the packer on its way through it.
    PackMark, 65 {
        /// Beat of headers: goes out as it is.
        plain: Bit,
        /// A beat goes out.
        emits: Bit,
        /// It is the first of its frame.
        first: Bit,
        /// It counts for the ICRC,
        checked: Bit,
        /// as the last beat.
        checked_last: Bit,
        /// The frame is complete.
        complete: Bit,
        /// The frame has failed and vanishes.
        fails: Bit,
        /// Of the frame: a VLAN tag is there.
        tagged: Bit,
        /// The frame is IPv6.
        ipv6: Bit,
        /// Beats of the frame.
        beats: Bits<10>,
        /// As in `FrameShape`.
        straddles: Bit,
        /// As in `FrameShape`.
        lane: Bits<6>,
        /// As in `FrameShape`.
        count: Bits<7>,
        /// Tag of the frame.
        tag: Bits<32>,
    }
}

/// Sequencer for beats of DATA bits (STRB bytes).
#[derive(LogicBlock)]
pub struct PackSequence<const DATA: usize, const STRB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame.
    pub reset: Signal<In, Bit>,
    /// Headers of the next frame.
    pub header: ChannelSink<FrameHeader>,
    /// Payload.
    pub payload: PayloadSink<DATA>,
    /// There is room for beats. Beats of some cycles are still on their way when it falls.
    pub room: Signal<In, Bit>,
    /// There is room for another frame.
    pub room_for_frame: Signal<In, Bit>,
    /// A frame begins.
    pub starts: Signal<Out, Bit>,
    /// What to do, zero without anything to do. All outputs below are registers and belong together.
    pub mark: Signal<Out, PackMark>,
    /// There is something to do.
    pub active: Signal<Out, Bit>,
    /// Beat of headers.
    pub plain: Signal<Out, Bits<DATA>>,
    /// Rest of the headers.
    pub rest: Signal<Out, Bits<DATA>>,
    /// Beat of payload,
    pub piece: Signal<Out, Bits<DATA>>,
    /// to be rotated to higher lanes by so many,
    pub rotation: Signal<Out, Bits<6>>,
    /// for the lanes from here
    pub low: Signal<Out, Bits<8>>,
    /// to below here; lanes from STRB on are those of the next beat.
    pub high: Signal<Out, Bits<8>>,
    busy: DFF<Bit>,
    words: DFF<Bits<1024>>,
    header_left: DFF<Bits<8>>,
    joins: DFF<Bit>,
    wants: DFF<Bit>,
    fill: DFF<Bits<8>>,
    beats_left: DFF<Bits<10>>,
    fresh: DFF<Bit>,
    frame: DFF<PackMark>,
    mark_held: DFF<PackMark>,
    active_held: DFF<Bit>,
    plain_held: DFF<Bits<DATA>>,
    rest_held: DFF<Bits<DATA>>,
    piece_held: DFF<Bits<DATA>>,
    rotation_held: DFF<Bits<6>>,
    low_held: DFF<Bits<8>>,
    high_held: DFF<Bits<8>>,
    offered: Signal<Local, FrameHeader>,
    loaded: Signal<Local, PackMark>,
    beat: Signal<Local, PayloadMark>,
    reach: Signal<Local, Bits<8>>,
    turn: Signal<Local, Bits<6>>,
    following: Signal<Local, Bits<1024>>,
    whole: Signal<Local, Bit>,
    ends_whole: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    heads: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
    emits: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    one: Signal<Local, Bit>,
    two: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    done: Signal<Local, PackMark>,
    lanes: Constant<Bits<8>>,
    two_beats: Constant<Bits<8>>,
    lane_mask: Constant<Bits<8>>,
    width: Constant<Bits<10>>,
}

impl<const DATA: usize, const STRB: usize> Default for PackSequence<DATA, STRB> {
    fn default() -> Self {
        assert!(
            DATA == 8 * STRB && STRB.is_power_of_two() && (8..=64).contains(&STRB),
            "{DATA} data bits, {STRB} lanes"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            header: Default::default(),
            payload: Default::default(),
            room: Default::default(),
            room_for_frame: Default::default(),
            starts: Default::default(),
            mark: Default::default(),
            active: Default::default(),
            plain: Default::default(),
            rest: Default::default(),
            piece: Default::default(),
            rotation: Default::default(),
            low: Default::default(),
            high: Default::default(),
            busy: Default::default(),
            words: Default::default(),
            header_left: Default::default(),
            joins: Default::default(),
            wants: Default::default(),
            fill: Default::default(),
            beats_left: Default::default(),
            fresh: Default::default(),
            frame: Default::default(),
            mark_held: Default::default(),
            active_held: Default::default(),
            plain_held: Default::default(),
            rest_held: Default::default(),
            piece_held: Default::default(),
            rotation_held: Default::default(),
            low_held: Default::default(),
            high_held: Default::default(),
            offered: Default::default(),
            loaded: Default::default(),
            beat: Default::default(),
            reach: Default::default(),
            turn: Default::default(),
            following: Default::default(),
            whole: Default::default(),
            ends_whole: Default::default(),
            may: Default::default(),
            heads: Default::default(),
            takes: Default::default(),
            closes: Default::default(),
            flushes: Default::default(),
            emits: Default::default(),
            fails: Default::default(),
            one: Default::default(),
            two: Default::default(),
            leaves: Default::default(),
            free: Default::default(),
            loads: Default::default(),
            done: Default::default(),
            lanes: Constant::new(bits(STRB as u64)),
            two_beats: Constant::new(bits(2 * STRB as u64)),
            lane_mask: Constant::new(bits(STRB as u64 - 1)),
            width: Constant::new(bits(DATA as u64)),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for PackSequence<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, words, header_left, joins, wants, fill, beats_left, fresh, frame);
        dff_setup!(self, clock, mark_held, active_held, plain_held, rest_held, piece_held);
        dff_setup!(self, clock, rotation_held, low_held, high_held);
        self.beat.next = self.payload.mark.val();
        self.reach.next = self.fill.q.val() + bit_cast::<8, 7>(self.beat.val().count);
        self.turn.next = bit_cast::<6, 8>(self.fill.q.val()) - self.beat.val().lane;
        self.whole.next = self.header_left.q.val() >= self.lanes.val();
        self.ends_whole.next = self.whole.val() & (self.header_left.q.val() < self.two_beats.val());
        // What this cycle does.
        self.may.next = self.busy.q.val() & self.room.val();
        self.heads.next = self.may.val() & self.whole.val();
        self.payload.ready.next = self.may.val()
            & self.wants.q.val()
            & (!self.whole.val() | (self.ends_whole.val() & (self.reach.val() < self.lanes.val())));
        self.takes.next = self.payload.ready.val() & self.payload.valid.val();
        self.closes.next = self.takes.val() & self.beat.val().last;
        self.fails.next = self.takes.val() & self.beat.val().failed;
        self.flushes.next = self.may.val() & !self.whole.val() & !self.wants.q.val();
        self.emits.next = !self.fails.val()
            & (self.heads.val()
                | self.flushes.val()
                | self.closes.val()
                | (self.takes.val() & (self.reach.val() >= self.lanes.val())));
        self.one.next = self.beats_left.q.val() == 1;
        self.two.next = self.beats_left.q.val() == 2;
        self.leaves.next = self.fails.val() | (self.emits.val() & self.one.val());
        self.free.next = (!self.busy.q.val() | self.leaves.val()) & self.room_for_frame.val();
        self.header.ready.next = self.free.val();
        self.loads.next = self.free.val() & self.header.valid.val();
        self.starts.next = self.loads.val();

        // What goes into the pipeline.
        self.following.next = self.words.q.val() >> self.width.val();
        self.plain_held.d.next = bit_cast::<DATA, 1024>(self.words.q.val());
        self.rest_held.d.next = 0.into();
        if self.ends_whole.val() {
            self.rest_held.d.next = bit_cast::<DATA, 1024>(self.following.val());
        } else if !self.whole.val() & self.joins.q.val() {
            self.rest_held.d.next = bit_cast::<DATA, 1024>(self.words.q.val());
        }
        self.piece_held.d.next = self.payload.data.val();
        self.rotation_held.d.next = self.turn.val() & bit_cast::<6, 8>(self.lane_mask.val());
        self.low_held.d.next = self.fill.q.val();
        self.high_held.d.next = self.fill.q.val();
        if self.takes.val() {
            self.high_held.d.next = self.reach.val();
        }
        self.done.next = self.frame.q.val();
        self.done.next.plain = self.heads.val();
        self.done.next.emits = self.emits.val();
        self.done.next.first = self.fresh.q.val();
        self.done.next.checked = self.emits.val() & !(self.done.val().straddles & self.one.val());
        self.done.next.checked_last =
            (self.done.val().straddles & self.two.val()) | (!self.done.val().straddles & self.one.val());
        self.done.next.complete = self.emits.val() & self.one.val();
        self.done.next.fails = self.fails.val();
        self.mark_held.d.next = self.done.val();
        self.active_held.d.next = self.heads.val() | self.takes.val() | self.flushes.val();

        // What is left.
        if self.heads.val() {
            self.words.d.next = self.following.val();
            self.header_left.d.next = self.header_left.q.val() - self.lanes.val();
        }
        if (self.heads.val() & self.ends_whole.val()) | self.takes.val() {
            self.joins.d.next = false;
        }
        if self.takes.val() {
            self.fill.d.next = self.reach.val() & self.lane_mask.val();
            self.wants.d.next = !self.beat.val().last;
        }
        if self.flushes.val() {
            self.joins.d.next = false;
        }
        if self.emits.val() {
            self.beats_left.d.next = self.beats_left.q.val() - 1;
            self.fresh.d.next = false;
        }
        if self.leaves.val() {
            self.busy.d.next = false;
        }

        // The next frame.
        self.offered.next = self.header.data.val();
        self.loaded.next = bits::<65>(0).into();
        self.loaded.next.tagged = self.offered.val().tagged;
        self.loaded.next.ipv6 = self.offered.val().ipv6;
        self.loaded.next.beats = self.offered.val().beats;
        self.loaded.next.straddles = self.offered.val().straddles;
        self.loaded.next.lane = self.offered.val().lane;
        self.loaded.next.count = self.offered.val().count;
        self.loaded.next.tag = self.offered.val().tag;
        if self.loads.val() {
            self.busy.d.next = true;
            self.words.d.next = bit_cast::<1024, 896>(self.offered.val().bytes);
            self.header_left.d.next = self.offered.val().length;
            self.joins.d.next = true;
            self.wants.d.next = self.offered.val().payload;
            self.fill.d.next = self.offered.val().length & self.lane_mask.val();
            self.beats_left.d.next = self.offered.val().beats;
            self.fresh.d.next = true;
            self.frame.d.next = self.loaded.val();
        }
        self.mark.next = self.mark_held.q.val();
        self.active.next = self.active_held.q.val();
        self.plain.next = self.plain_held.q.val();
        self.rest.next = self.rest_held.q.val();
        self.piece.next = self.piece_held.q.val();
        self.rotation.next = self.rotation_held.q.val();
        self.low.next = self.low_held.q.val();
        self.high.next = self.high_held.q.val();
        if self.reset.val() {
            self.busy.d.next = false;
            self.active_held.d.next = false;
        }
    }
}
