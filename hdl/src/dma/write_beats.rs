//! Write beats: moves the beats of the burst that has started from its client's buffer to W.
//!
//! W is registered and holds until ready (I7). All beats of the burst are buffered when it starts (T107), so one goes in
//! every cycle in which W is free; the next burst follows without a gap.
use super::{Strobes, WriteBurst};
use crate::widgets::ChannelSink;
use rust_hdl::prelude::*;

/// W register of N clients; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct WriteBeats<const DATA: usize, const STRB: usize, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops W.
    pub reset: Signal<In, Bit>,
    /// The client whose burst starts; only while `free`.
    pub start: Signal<In, Bits<N>>,
    /// The burst that starts.
    pub burst: Signal<In, WriteBurst>,
    /// A burst may start.
    pub free: Signal<Out, Bit>,
    /// Buffered beats of the clients.
    pub beats: [ChannelSink<Bits<DATA>>; N],
    /// Beat.
    pub wdata: Signal<Out, Bits<DATA>>,
    /// Its bytes.
    pub wstrb: Signal<Out, Bits<STRB>>,
    /// Last of its burst.
    pub wlast: Signal<Out, Bit>,
    /// The beat counts.
    pub wvalid: Signal<Out, Bit>,
    /// It is taken.
    pub wready: Signal<In, Bit>,
    masks: Strobes<STRB>,
    client: DFF<Bits<N>>,
    shape: DFF<WriteBurst>,
    left: DFF<Bits<8>>,
    first: DFF<Bit>,
    busy: DFF<Bit>,
    beat: DFF<Bits<DATA>>,
    strobes: DFF<Bits<STRB>>,
    last: DFF<Bit>,
    shows: DFF<Bit>,
    pops: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl<const DATA: usize, const STRB: usize, const N: usize> Default for WriteBeats<DATA, STRB, N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            burst: Default::default(),
            free: Default::default(),
            beats: std::array::from_fn(|_| Default::default()),
            wdata: Default::default(),
            wstrb: Default::default(),
            wlast: Default::default(),
            wvalid: Default::default(),
            wready: Default::default(),
            masks: Default::default(),
            client: Default::default(),
            shape: Default::default(),
            left: Default::default(),
            first: Default::default(),
            busy: Default::default(),
            beat: Default::default(),
            strobes: Default::default(),
            last: Default::default(),
            shows: Default::default(),
            pops: Default::default(),
            ends: Default::default(),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const N: usize> Logic for WriteBeats<DATA, STRB, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, client, shape, left, first, busy, beat, strobes, last, shows);
        self.pops.next = self.busy.q.val() & (!self.shows.q.val() | self.wready.val());
        self.ends.next = self.pops.val() & (self.left.q.val() == 0);
        self.free.next = !self.busy.q.val() | self.ends.val();
        self.masks.first.next = self.first.q.val();
        self.masks.last.next = self.left.q.val() == 0;
        self.masks.first_lane.next = self.shape.q.val().first_lane;
        self.masks.spare_lanes.next = self.shape.q.val().spare_lanes;
        if self.wready.val() {
            self.shows.d.next = false;
        }
        if self.pops.val() {
            self.shows.d.next = true;
            self.strobes.d.next = self.masks.strobes.val();
            self.last.d.next = self.ends.val();
            self.left.d.next = self.left.q.val() - 1;
            self.first.d.next = false;
            self.busy.d.next = !self.ends.val();
        }
        for i in 0..N {
            self.beats[i].ready.next = self.pops.val() & self.client.q.val().get_bit(i);
            if self.pops.val() & self.client.q.val().get_bit(i) {
                self.beat.d.next = self.beats[i].data.val();
            }
        }
        if self.start.val().any() {
            self.client.d.next = self.start.val();
            self.shape.d.next = self.burst.val();
            self.left.d.next = self.burst.val().last;
            self.first.d.next = true;
            self.busy.d.next = true;
        }
        if self.reset.val() {
            self.shows.d.next = false;
            self.busy.d.next = false;
        }
        self.wdata.next = self.beat.q.val();
        self.wstrb.next = self.strobes.q.val();
        self.wlast.next = self.last.q.val();
        self.wvalid.next = self.shows.q.val();
    }
}
