//! Intake of the receiver: takes beats from the MAC, decides at the first beat whether the frame is taken, numbers beats and
//! rows of the frame buffer.
//!
//! A frame needs room for its headers (`crowded` is clear) and for each beat. Without room the MAC is held up, or, with
//! DROP_WHEN_FULL, the whole frame is dropped (T107): one that begins without room, or while the device is not enabled, is
//! swallowed here and told as missed, because there is no place to remember it; one that runs out of rows, or is longer than
//! 4,224 bytes, goes on without being stored. A beat appears one cycle later; one beat a cycle.
use super::RxBeat;
use crate::widgets::AxiStreamSubordinate;
use rust_hdl::prelude::*;

/// Largest frame in bytes, a multiple of 64 above the 4,198 of section 6.
pub const LARGEST_FRAME: usize = 4224;

/// Intake of a receiver with 2^A rows; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct RxIntake<const DATA: usize, const STRB: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub reset: Signal<In, Bit>,
    /// From the MAC.
    pub axis: AxiStreamSubordinate<DATA, STRB>,
    /// Frames are taken.
    pub enable: Signal<In, Bit>,
    /// A frame without room is dropped instead of held up.
    pub drop_when_full: Signal<In, Bit>,
    /// No room for headers of further frames.
    pub crowded: Signal<In, Bit>,
    /// Oldest row that is in use, if any.
    pub head: Signal<In, Bits<A>>,
    /// The beat of one cycle ago.
    pub data: Signal<Out, Bits<DATA>>,
    /// What it is.
    pub beat: Signal<Out, RxBeat>,
    /// It is stored.
    pub store: Signal<Out, Bit>,
    /// Row for it.
    pub row: Signal<Out, Bits<A>>,
    /// Row of the first beat of its frame.
    pub first_row: Signal<Out, Bits<A>>,
    /// Row behind it.
    pub end_row: Signal<Out, Bits<A>>,
    /// A frame was swallowed for want of room.
    pub missed_full: Signal<Out, Bit>,
    /// A frame was swallowed because the device is not enabled.
    pub missed_disabled: Signal<Out, Bit>,
    under_way: DFF<Bit>,
    room: DFF<Bit>,
    held: DFF<Bits<DATA>>,
    keep: DFF<Bits<STRB>>,
    came: DFF<Bit>,
    first: DFF<Bit>,
    last: DFF<Bit>,
    bad: DFF<Bit>,
    full: DFF<Bit>,
    swallowed: DFF<Bit>,
    lost_full: DFF<Bit>,
    lost_disabled: DFF<Bit>,
    index: DFF<Bits<10>>,
    tail: DFF<Bits<A>>,
    began: DFF<Bits<A>>,
    starts: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    no_room: Signal<Local, Bit>,
    swallows: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    used: Signal<Local, Bits<A>>,
    end_lane: Signal<Local, Bits<STRB>>,
    code: Signal<Local, Bits<6>>,
    row_limit: Constant<Bits<A>>,
    beat_limit: Constant<Bits<10>>,
    lanes: [Constant<Bits<STRB>>; 6],
}

impl<const DATA: usize, const STRB: usize, const A: usize> Default for RxIntake<DATA, STRB, A> {
    fn default() -> Self {
        assert!(
            DATA == 8 * STRB && STRB.is_power_of_two() && (8..=64).contains(&STRB),
            "{DATA} data bits, {STRB} lanes"
        );
        assert!(A <= 12 && STRB << A > LARGEST_FRAME + 8 * STRB, "2^{A} rows of {STRB} bytes hold no frame");
        // Lanes whose number has bit i set.
        let lanes = |i: usize| {
            let mut mask = Bits::<STRB>::default();
            for lane in (0..STRB).filter(|lane| lane >> i & 1 == 1) {
                mask = mask.replace_bit(lane, true);
            }
            Constant::new(mask)
        };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            axis: Default::default(),
            enable: Default::default(),
            drop_when_full: Default::default(),
            crowded: Default::default(),
            head: Default::default(),
            data: Default::default(),
            beat: Default::default(),
            store: Default::default(),
            row: Default::default(),
            first_row: Default::default(),
            end_row: Default::default(),
            missed_full: Default::default(),
            missed_disabled: Default::default(),
            under_way: Default::default(),
            room: Default::default(),
            held: Default::default(),
            keep: Default::default(),
            came: Default::default(),
            first: Default::default(),
            last: Default::default(),
            bad: Default::default(),
            full: Default::default(),
            swallowed: Default::default(),
            lost_full: Default::default(),
            lost_disabled: Default::default(),
            index: Default::default(),
            tail: Default::default(),
            began: Default::default(),
            starts: Default::default(),
            ready: Default::default(),
            takes: Default::default(),
            no_room: Default::default(),
            swallows: Default::default(),
            long: Default::default(),
            stores: Default::default(),
            used: Default::default(),
            end_lane: Default::default(),
            code: Default::default(),
            // Beats of two cycles are on the way when `room` falls, and one row stays free to tell full from empty.
            row_limit: Constant::new(((1usize << A) - 5).to_bits()),
            beat_limit: Constant::new((LARGEST_FRAME / STRB).to_bits()),
            lanes: std::array::from_fn(lanes),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const A: usize> Logic for RxIntake<DATA, STRB, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, under_way, room, held, keep, came, first, last, bad, full, index, tail, began);
        dff_setup!(self, clock, swallowed, lost_full, lost_disabled);
        // The handshake. `full` and `swallowed` are of the frame under way.
        self.starts.next = !self.under_way.q.val();
        self.no_room.next = !self.room.q.val() | (self.starts.val() & self.crowded.val());
        self.swallows.next = self.swallowed.q.val();
        self.ready.next = !self.no_room.val() | self.drop_when_full.val();
        if self.starts.val() {
            self.swallows.next = self.no_room.val() | !self.enable.val();
            self.ready.next = self.ready.val() | !self.enable.val();
        } else {
            self.ready.next = self.ready.val() | self.swallowed.q.val() | self.full.q.val();
        }
        self.axis.tready.next = self.ready.val();
        self.takes.next = self.axis.tvalid.val() & self.ready.val();
        self.came.d.next = self.takes.val() & !self.swallows.val();
        self.lost_disabled.d.next = self.takes.val() & self.starts.val() & !self.enable.val();
        self.lost_full.d.next = self.takes.val() & self.starts.val() & self.enable.val() & self.no_room.val();
        self.missed_disabled.next = self.lost_disabled.q.val();
        self.missed_full.next = self.lost_full.q.val();
        if self.takes.val() {
            self.under_way.d.next = !self.axis.tlast.val();
            self.held.d.next = self.axis.tdata.val();
            self.keep.d.next = self.axis.tkeep.val();
            self.first.d.next = self.starts.val();
            self.last.d.next = self.axis.tlast.val();
            self.bad.d.next = self.axis.tuser.val();
            if self.index.q.val() != self.beat_limit.val() {
                self.index.d.next = self.index.q.val() + 1;
            }
            self.full.d.next = self.full.q.val() | self.no_room.val();
            if self.starts.val() {
                self.index.d.next = 0.into();
                self.full.d.next = false;
            }
            self.swallowed.d.next = self.swallows.val();
        }
        // The beat that came: into the buffer unless the frame is not taken or too long.
        self.long.next = self.index.q.val() == self.beat_limit.val();
        self.stores.next = self.came.q.val() & !self.long.val() & !self.full.q.val();
        self.store.next = self.stores.val();
        self.data.next = self.held.q.val();
        self.row.next = self.tail.q.val();
        self.end_row.next = self.tail.q.val();
        if self.stores.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            self.end_row.next = self.tail.q.val() + 1;
        }
        self.first_row.next = self.began.q.val();
        if self.first.q.val() {
            self.first_row.next = self.tail.q.val();
            if self.came.q.val() {
                self.began.d.next = self.tail.q.val();
            }
        }
        self.used.next = self.tail.q.val() - self.head.val();
        self.room.d.next = self.used.val() < self.row_limit.val();
        // Lane of the last byte.
        self.end_lane.next = self.keep.q.val() & !(self.keep.q.val() >> 1);
        self.code.next = 0.into();
        for i in 0..6 {
            self.code.next = self.code.val().replace_bit(i, (self.end_lane.val() & self.lanes[i].val()).any());
        }
        self.beat.next.valid = self.came.q.val();
        self.beat.next.first = self.first.q.val();
        self.beat.next.last = self.last.q.val();
        self.beat.next.bad = self.bad.q.val();
        self.beat.next.long = self.long.val();
        self.beat.next.full = self.full.q.val();
        self.beat.next.index = self.index.q.val();
        self.beat.next.count_less_1 = self.code.val();
        if self.reset.val() {
            self.under_way.d.next = false;
            self.room.d.next = false;
            self.came.d.next = false;
            self.lost_full.d.next = false;
            self.lost_disabled.d.next = false;
            self.tail.d.next = 0.into();
        }
    }
}
