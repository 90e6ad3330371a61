//! Pairs each operation with the beats of its page list, in order, one beat a cycle, and reads its table row.
//!
//! An operation without a list takes one cycle. It waits while an earlier one on the same MR is behind the walk ([`Hazard`]);
//! operations on different MRs never wait for each other. Commands enter beside the operation that waits here ([`Guest`]).
use super::guest::Guest;
use super::hazard::Hazard;
use super::layout::Pending;
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// Table of 2^MA rows, LANES page entries a beat.
#[derive(LogicBlock)]
pub struct Walk<const DATA: usize, const LANES: usize, const INL: usize, const MA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops what is inside.
    pub reset: Signal<In, Bit>,
    /// Operations in order.
    pub pending: ChannelSink<Pending>,
    /// Commands: operations without a list, that do not wait for those in `pending`.
    pub command: ChannelSink<Pending>,
    /// A list beat is there.
    pub beat_valid: Signal<In, Bit>,
    /// The oldest list beat.
    pub beat: Signal<In, Bits<DATA>>,
    /// Its read failed.
    pub beat_bad: Signal<In, Bit>,
    /// It is taken.
    pub beat_ready: Signal<Out, Bit>,
    /// Beats of inline lists.
    pub inline_beat: ChannelSink<Bits<INL>>,
    /// No room for another outcome.
    pub crowded: Signal<In, Bit>,
    /// The stages behind move.
    pub advance: Signal<In, Bit>,
    /// Table row to read; it is there with the next step.
    pub index: Signal<Out, Bits<MA>>,
    /// A step: its operation,
    pub request: Signal<Out, Pending>,
    /// its beat,
    pub pages: Signal<Out, Bits<DATA>>,
    /// whose read failed,
    pub broken: Signal<Out, Bit>,
    /// entries left from this beat on,
    pub left: Signal<Out, Bits<16>>,
    /// number of the beat,
    pub number: Signal<Out, Bits<10>>,
    /// whether there is a step at all,
    pub valid: Signal<Out, Bit>,
    /// and whether it is the last of its operation.
    pub last: Signal<Out, Bit>,
    hazard: Hazard<MA>,
    guest: Guest<MA>,
    current: DFF<Pending>,
    loaded: DFF<Bit>,
    beats: DFF<Bits<10>>,
    beat_number: DFF<Bits<10>>,
    remaining: DFF<Bits<16>>,
    ending: DFF<Bit>,
    step: DFF<Pending>,
    step_pages: DFF<Bits<DATA>>,
    step_bad: DFF<Bit>,
    step_left: DFF<Bits<16>>,
    step_number: DFF<Bits<10>>,
    step_valid: DFF<Bit>,
    step_last: DFF<Bit>,
    incoming: Signal<Local, Pending>,
    present: Signal<Local, Pending>,
    visitor: Signal<Local, Pending>,
    ready: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    lanes: Constant<Bits<16>>,
}

impl<const DATA: usize, const LANES: usize, const INL: usize, const MA: usize> Default for Walk<DATA, LANES, INL, MA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            pending: Default::default(),
            command: Default::default(),
            beat_valid: Default::default(),
            beat: Default::default(),
            beat_bad: Default::default(),
            beat_ready: Default::default(),
            inline_beat: Default::default(),
            crowded: Default::default(),
            advance: Default::default(),
            index: Default::default(),
            request: Default::default(),
            pages: Default::default(),
            broken: Default::default(),
            left: Default::default(),
            number: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            hazard: Default::default(),
            guest: Default::default(),
            current: Default::default(),
            loaded: Default::default(),
            beats: Default::default(),
            beat_number: Default::default(),
            remaining: Default::default(),
            ending: Default::default(),
            step: Default::default(),
            step_pages: Default::default(),
            step_bad: Default::default(),
            step_left: Default::default(),
            step_number: Default::default(),
            step_valid: Default::default(),
            step_last: Default::default(),
            incoming: Default::default(),
            present: Default::default(),
            visitor: Default::default(),
            ready: Default::default(),
            clear: Default::default(),
            take: Default::default(),
            ends: Default::default(),
            load: Default::default(),
            lanes: Constant::new(LANES.to_bits()),
        }
    }
}

impl<const DATA: usize, const LANES: usize, const INL: usize, const MA: usize> Logic for Walk<DATA, LANES, INL, MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, current, loaded, beats, beat_number, remaining, ending);
        dff_setup!(self, clock, step, step_pages, step_bad, step_left, step_number, step_valid, step_last);
        clock!(self, clock, hazard, guest);
        self.present.next = self.current.q.val();
        self.clear.next = self.loaded.q.val()
            & !self.hazard.hold.val()
            & !self.guest.hold.val()
            & !self.crowded.val()
            & self.advance.val();
        self.ready.next = (!self.present.val().listed | self.beat_valid.val())
            & (!self.present.val().inline_list | self.inline_beat.valid.val());
        self.take.next = self.clear.val() & self.ready.val();
        self.beat_ready.next = self.clear.val() & self.present.val().listed;
        self.inline_beat.ready.next = self.clear.val() & self.present.val().inline_list;
        self.ends.next = self.take.val() & self.ending.q.val();
        self.load.next = self.advance.val() & (!self.loaded.q.val() | self.ends.val());
        self.pending.ready.next = self.load.val();
        self.incoming.next = self.pending.data.val();
        if self.take.val() {
            self.beats.d.next = self.beats.q.val() - 1;
            self.ending.d.next = self.beats.q.val() == 2;
            self.beat_number.d.next = self.beat_number.q.val() + 1;
            self.remaining.d.next = self.remaining.q.val() - self.lanes.val();
        }
        if self.load.val() {
            self.current.d.next = self.incoming.val();
            self.loaded.d.next = self.pending.valid.val();
            self.beats.d.next = self.incoming.val().beats;
            self.ending.d.next = self.incoming.val().beats <= 1;
            self.beat_number.d.next = 0.into();
            self.remaining.d.next = self.incoming.val().npages;
        }
        ChannelSink::<Pending>::link(&mut self.command, &mut self.guest.arrival);
        self.guest.reset.next = self.reset.val();
        self.guest.advance.next = self.advance.val();
        self.guest.half_read.next = self.loaded.q.val() & (self.beat_number.q.val() != 0);
        self.guest.host.next = bit_cast::<MA, 24>(self.present.val().index);
        self.visitor.next = self.guest.operation.val();
        self.index.next = bit_cast::<MA, 24>(self.present.val().index);
        if self.guest.enters.val() {
            self.index.next = bit_cast::<MA, 24>(self.visitor.val().index);
        }
        self.hazard.reset.next = self.reset.val();
        self.hazard.advance.next = self.advance.val();
        self.hazard.load.next = self.load.val();
        self.hazard.coming.next = bit_cast::<MA, 24>(self.incoming.val().index);
        self.hazard.ends.next = self.ends.val();
        self.hazard.leaving.next = bit_cast::<MA, 24>(self.present.val().index);
        if self.advance.val() {
            self.step.d.next = self.present.val();
            self.step_pages.d.next = bit_cast::<DATA, INL>(self.inline_beat.data.val());
            if self.present.val().listed {
                self.step_pages.d.next = self.beat.val();
            }
            self.step_bad.d.next = self.present.val().listed & self.beat_bad.val();
            self.step_left.d.next = self.remaining.q.val();
            self.step_number.d.next = self.beat_number.q.val();
            self.step_valid.d.next = self.take.val();
            self.step_last.d.next = self.ending.q.val();
            if self.guest.enters.val() {
                self.step.d.next = self.visitor.val();
                self.step_bad.d.next = false;
                self.step_valid.d.next = true;
                self.step_last.d.next = true;
            }
        }
        self.request.next = self.step.q.val();
        self.pages.next = self.step_pages.q.val();
        self.broken.next = self.step_bad.q.val();
        self.left.next = self.step_left.q.val();
        self.number.next = self.step_number.q.val();
        self.valid.next = self.step_valid.q.val();
        self.last.next = self.step_last.q.val();
        if self.reset.val() {
            self.loaded.d.next = false;
            self.step_valid.d.next = false;
        }
    }
}
