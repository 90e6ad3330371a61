//! Sends complete frames out of the store and puts their ICRC in place.
//!
//! ```text
//!  1 memory   2 register, place of the ICRC   3 out
//! ```
//!
//! Four cycles from the end of a frame offered to its first beat; one beat a cycle, no gap within or between frames.
use super::stream::{FrameMark, FrameSource};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

record! {
    /// A complete frame in the store.
    FrameEnd, 56 {
        /// Its ICRC; the least significant byte goes first.
        icrc: Bits<32>,
        /// Beats of the frame.
        beats: Bits<10>,
        /// The last beat begins in the middle of the ICRC.
        straddles: Bit,
        /// Lane of the first byte of the ICRC: 2 mod 4, as headers have 2 mod 4 bytes.
        lane: Bits<6>,
        /// Bytes of the last beat.
        count: Bits<7>,
    }
}

/// Sender of beats of DATA bits.
#[derive(LogicBlock)]
pub struct FrameSend<const DATA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame being sent.
    pub reset: Signal<In, Bit>,
    /// Complete frames, in order.
    pub complete: ChannelSink<FrameEnd>,
    /// Takes a beat out of the store.
    pub read: Signal<Out, Bit>,
    /// The beat taken one cycle ago.
    pub data: Signal<In, Bits<DATA>>,
    /// The frames.
    pub frame: FrameSource<DATA>,
    busy: DFF<Bit>,
    left: DFF<Bits<10>>,
    end_held: DFF<FrameEnd>,
    fetched: DFF<Bit>,
    fetched_mark: DFF<FrameMark>,
    fetched_icrc: DFF<Bits<32>>,
    /// Mask of the ICRC in this beat, in bytes from `lane` on.
    fetched_mask: DFF<Bits<32>>,
    fetched_lane: DFF<Bits<6>>,
    placed: DFF<Bit>,
    placed_mark: DFF<FrameMark>,
    placed_icrc: DFF<Bits<32>>,
    placed_mask: DFF<Bits<DATA>>,
    placed_data: DFF<Bits<DATA>>,
    out: DFF<Bit>,
    out_mark: DFF<FrameMark>,
    out_data: DFF<Bits<DATA>>,
    current: Signal<Local, FrameEnd>,
    offered: Signal<Local, FrameEnd>,
    moves: Signal<Local, Bit>,
    one: Signal<Local, Bit>,
    two: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    mark: Signal<Local, FrameMark>,
    place: Signal<Local, Bits<9>>,
    copies: Signal<Local, Bits<DATA>>,
    lanes: Constant<Bits<7>>,
    all: Constant<Bits<32>>,
    half: Constant<Bits<32>>,
    steps: [Constant<Bits<10>>; 4],
}

impl<const DATA: usize> Default for FrameSend<DATA> {
    fn default() -> Self {
        assert!(DATA.is_power_of_two() && (64..=512).contains(&DATA), "{DATA} data bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            complete: Default::default(),
            read: Default::default(),
            data: Default::default(),
            frame: Default::default(),
            busy: Default::default(),
            left: Default::default(),
            end_held: Default::default(),
            fetched: Default::default(),
            fetched_mark: Default::default(),
            fetched_icrc: Default::default(),
            fetched_mask: Default::default(),
            fetched_lane: Default::default(),
            placed: Default::default(),
            placed_mark: Default::default(),
            placed_icrc: Default::default(),
            placed_mask: Default::default(),
            placed_data: Default::default(),
            out: Default::default(),
            out_mark: Default::default(),
            out_data: Default::default(),
            current: Default::default(),
            offered: Default::default(),
            moves: Default::default(),
            one: Default::default(),
            two: Default::default(),
            free: Default::default(),
            mark: Default::default(),
            place: Default::default(),
            copies: Default::default(),
            lanes: Constant::new(bits(DATA as u64 / 8)),
            all: Constant::new(bits(0xFFFF_FFFF)),
            half: Constant::new(bits(0xFFFF)),
            steps: std::array::from_fn(|i| Constant::new(bits(32 << i))),
        }
    }
}

impl<const DATA: usize> Logic for FrameSend<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, left, end_held, fetched, fetched_mark, fetched_icrc, fetched_mask, fetched_lane);
        dff_setup!(self, clock, placed, placed_mark, placed_icrc, placed_mask, placed_data, out, out_mark, out_data);
        self.moves.next = !self.out.q.val() | self.frame.ready.val();
        self.current.next = self.end_held.q.val();
        self.one.next = self.left.q.val() == 1;
        self.two.next = self.left.q.val() == 2;
        self.read.next = self.busy.q.val() & self.moves.val();
        self.free.next = !self.busy.q.val() | (self.moves.val() & self.one.val());
        self.complete.ready.next = self.free.val();
        if self.read.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        self.offered.next = self.complete.data.val();
        if self.free.val() {
            self.busy.d.next = self.complete.valid.val();
            self.end_held.d.next = self.offered.val();
            self.left.d.next = self.offered.val().beats;
        }

        self.mark.next.count = self.lanes.val();
        self.mark.next.last = self.one.val();
        if self.one.val() {
            self.mark.next.count = self.current.val().count;
        }
        // The ICRC is turned by half a word, and copied to all words of the beat: so it stands right at 2 mod 4.
        self.place.next = bit_cast::<9, 6>(self.fetched_lane.q.val()) << 3;
        self.copies.next = bit_cast::<DATA, 32>(self.placed_icrc.q.val());
        for i in 0..4 {
            self.copies.next = self.copies.val() | (self.copies.val() << self.steps[i].val());
        }
        if self.moves.val() {
            self.fetched.d.next = self.busy.q.val();
            self.fetched_mark.d.next = self.mark.val();
            self.fetched_icrc.d.next = (self.current.val().icrc << 16) | (self.current.val().icrc >> 16);
            self.fetched_lane.d.next = self.current.val().lane;
            self.fetched_mask.d.next = 0.into();
            if self.current.val().straddles {
                if self.two.val() {
                    self.fetched_mask.d.next = self.all.val();
                }
                if self.one.val() {
                    self.fetched_mask.d.next = self.half.val();
                    self.fetched_lane.d.next = 0.into();
                }
            } else if self.one.val() {
                self.fetched_mask.d.next = self.all.val();
            }
            self.placed.d.next = self.fetched.q.val();
            self.placed_mark.d.next = self.fetched_mark.q.val();
            self.placed_icrc.d.next = self.fetched_icrc.q.val();
            self.placed_mask.d.next = bit_cast::<DATA, 32>(self.fetched_mask.q.val()) << self.place.val();
            self.placed_data.d.next = self.data.val();
            self.out.d.next = self.placed.q.val();
            self.out_mark.d.next = self.placed_mark.q.val();
            self.out_data.d.next = self.placed_data.q.val() | (self.copies.val() & self.placed_mask.q.val());
        }
        self.frame.data.next = self.out_data.q.val();
        self.frame.mark.next = self.out_mark.q.val();
        self.frame.valid.next = self.out.q.val();
        if self.reset.val() {
            self.busy.d.next = false;
            self.fetched.d.next = false;
            self.placed.d.next = false;
            self.out.d.next = false;
        }
    }
}
