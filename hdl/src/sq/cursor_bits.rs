//! One bit a queue pair each of what the cursor must know at once (rule T8: set and cleared, never data). Every flag changes
//! one cycle after its port; the cursor reads those of `index` in the cycle of asking.
use crate::types::QpControl;
use crate::widgets::FlagVector;
use rust_hdl::prelude::*;

/// Flags of QPS = 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct CursorBits<const QA: usize, const QPS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clears all.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Queue pair whose flags are read, and changed by the inputs that have no index of their own.
    pub index: Signal<In, Bits<8>>,
    /// WQEs of it are in the table of outstanding ones.
    pub engage: Signal<In, Bit>,
    /// No more.
    pub disengage: Signal<In, Bit>,
    /// It goes to sleep: nothing of it is fetched, and what has been fetched is dropped.
    pub sleep: Signal<In, Bit>,
    /// It wakes, and is fetched from its cursor on.
    pub rouse: Signal<In, Bit>,
    /// A WQE of it is at the cursor.
    pub meet: Signal<In, Bit>,
    /// A WQE of it has failed.
    pub stop: Signal<In, Bit>,
    /// Everything about it is forgotten; also that it was reset.
    pub forget: Signal<In, Bit>,
    /// The restart of `urgent` is done.
    pub calm: Signal<In, Bit>,
    /// Its epoch has changed.
    pub hurry: Signal<In, Bit>,
    /// Of this queue pair.
    pub hurry_index: Signal<In, Bits<8>>,
    /// The scheduler fetches again.
    pub unpark: Signal<In, Bit>,
    /// Of this queue pair.
    pub unpark_index: Signal<In, Bits<8>>,
    /// The mark of its rewind has come.
    pub land: Signal<In, Bit>,
    /// Of this queue pair.
    pub land_index: Signal<In, Bits<8>>,
    /// See `engage`.
    pub engaged: Signal<Out, Bit>,
    /// See `sleep`.
    pub asleep: Signal<Out, Bit>,
    /// A mark is awaited.
    pub dropping: Signal<Out, Bit>,
    /// It has woken, and no WQE of it has come since.
    pub expecting: Signal<Out, Bit>,
    /// See `stop`.
    pub stopped: Signal<Out, Bit>,
    /// See `hurry`.
    pub urgent: Signal<Out, Bit>,
    /// It has been reset.
    pub cleared: Signal<Out, Bit>,
    /// `engaged` of all.
    pub engaged_all: Signal<Out, Bits<QPS>>,
    /// `asleep` of all.
    pub asleep_all: Signal<Out, Bits<QPS>>,
    /// `asleep` or `expecting` of all.
    pub watched_all: Signal<Out, Bits<QPS>>,
    /// `dropping` of all.
    pub dropping_all: Signal<Out, Bits<QPS>>,
    /// Nothing may be fetched.
    pub parked_all: Signal<Out, Bits<QPS>>,
    engages: FlagVector<QPS, QA>,
    sleeps: FlagVector<QPS, QA>,
    expects: FlagVector<QPS, QA>,
    drops: FlagVector<QPS, QA>,
    parks: FlagVector<QPS, QA>,
    stops: FlagVector<QPS, QA>,
    hurries: FlagVector<QPS, QA>,
    clears: FlagVector<QPS, QA>,
    place: Signal<Local, Bits<QA>>,
}

impl<const QA: usize, const QPS: usize> Logic for CursorBits<QA, QPS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, engages, sleeps, expects, drops, parks, stops, hurries, clears);
        self.engages.reset.next = self.reset.val();
        self.sleeps.reset.next = self.reset.val();
        self.expects.reset.next = self.reset.val();
        self.drops.reset.next = self.reset.val();
        self.parks.reset.next = self.reset.val();
        self.stops.reset.next = self.reset.val();
        self.hurries.reset.next = self.reset.val();
        self.clears.reset.next = self.reset.val();
        self.place.next = bit_cast::<QA, 8>(self.index.val());

        self.engages.index.next = self.place.val();
        self.engages.set_flag.next = self.engage.val();
        self.engages.set_index.next = self.place.val();
        self.engages.clear_flag.next = self.disengage.val() | self.forget.val();
        self.engages.clear_index.next = self.place.val();
        self.engaged.next = self.engages.flag.val();
        self.engaged_all.next = self.engages.all.val();

        self.sleeps.index.next = self.place.val();
        self.sleeps.set_flag.next = self.sleep.val();
        self.sleeps.set_index.next = self.place.val();
        self.sleeps.clear_flag.next = self.rouse.val() | self.forget.val();
        self.sleeps.clear_index.next = self.place.val();
        self.asleep.next = self.sleeps.flag.val();
        self.asleep_all.next = self.sleeps.all.val();

        self.expects.index.next = self.place.val();
        self.expects.set_flag.next = self.rouse.val();
        self.expects.set_index.next = self.place.val();
        self.expects.clear_flag.next = self.meet.val() | self.sleep.val() | self.forget.val();
        self.expects.clear_index.next = self.place.val();
        self.expecting.next = self.expects.flag.val();
        self.watched_all.next = self.sleeps.all.val() | self.expects.all.val();

        self.drops.index.next = self.place.val();
        self.drops.set_flag.next = self.sleep.val();
        self.drops.set_index.next = self.place.val();
        self.drops.clear_flag.next = self.land.val();
        self.drops.clear_index.next = bit_cast::<QA, 8>(self.land_index.val());
        self.dropping.next = self.drops.flag.val();
        self.dropping_all.next = self.drops.all.val();

        self.parks.index.next = self.place.val();
        self.parks.set_flag.next = self.sleep.val();
        self.parks.set_index.next = self.place.val();
        self.parks.clear_flag.next = self.unpark.val();
        self.parks.clear_index.next = bit_cast::<QA, 8>(self.unpark_index.val());
        self.parked_all.next = self.parks.all.val();

        self.stops.index.next = self.place.val();
        self.stops.set_flag.next = self.stop.val();
        self.stops.set_index.next = self.place.val();
        self.stops.clear_flag.next = self.forget.val();
        self.stops.clear_index.next = self.place.val();
        self.stopped.next = self.stops.flag.val();

        self.hurries.index.next = self.place.val();
        self.hurries.set_flag.next = self.hurry.val();
        self.hurries.set_index.next = bit_cast::<QA, 8>(self.hurry_index.val());
        self.hurries.clear_flag.next = self.calm.val() | self.forget.val();
        self.hurries.clear_index.next = self.place.val();
        self.urgent.next = self.hurries.flag.val();

        self.clears.index.next = self.place.val();
        self.clears.set_flag.next = self.control.val().clear;
        self.clears.set_index.next = bit_cast::<QA, 8>(self.control.val().index);
        self.clears.clear_flag.next = self.forget.val();
        self.clears.clear_index.next = self.place.val();
        self.cleared.next = self.clears.flag.val();
    }
}
