//! Several writers of the raw rings on one write client (AXI id 5). A command and all its beats pass before the next command.
//!
//! Latency two cycles to a command; one beat a cycle. At most 31 writes are on their way; each writer hears of its own.
use crate::types::{WriteClient, WriteCommand, WriteServer};
use crate::widgets::{ChannelSource, Fifo, RoundRobin, Slot, Stage};
use rust_hdl::prelude::*;

/// Share of N writers (at most 4) on a bus of DATA bits.
#[derive(LogicBlock)]
pub struct RawWriteShare<const DATA: usize, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no write is on its way.
    pub reset: Signal<In, Bit>,
    /// The writers.
    pub clients: [WriteServer<DATA>; N],
    /// All their writes.
    pub write: WriteClient<DATA>,
    robin: RoundRobin<N, 2>,
    stage: Slot<WriteCommand>,
    beats: Stage<Bits<DATA>>,
    turns: Fifo<Bits<N>, 5>,
    owner: DFF<Bits<N>>,
    busy: DFF<Bit>,
    left: DFF<Bits<10>>,
    wants: Signal<Local, Bits<N>>,
    room: Signal<Local, Bit>,
    grants: Signal<Local, Bit>,
    command: Signal<Local, WriteCommand>,
    place: Signal<Local, Bits<52>>,
    lane: Signal<Local, Bits<14>>,
    reach: Signal<Local, Bits<14>>,
    rows: Signal<Local, Bits<14>>,
    data: Signal<Local, Bits<DATA>>,
    offers: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    oldest: Signal<Local, Bits<N>>,
    mask: [Constant<Bits<N>>; N],
    lanes: Constant<Bits<52>>,
    lane_bits: Constant<Bits<4>>,
}

impl<const DATA: usize, const N: usize> Default for RawWriteShare<DATA, N> {
    fn default() -> Self {
        assert!((2..=4).contains(&N), "{N} writers");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clients: std::array::from_fn(|_| Default::default()),
            write: Default::default(),
            robin: Default::default(),
            stage: Default::default(),
            beats: Default::default(),
            turns: Default::default(),
            owner: Default::default(),
            busy: Default::default(),
            left: Default::default(),
            wants: Default::default(),
            room: Default::default(),
            grants: Default::default(),
            command: Default::default(),
            place: Default::default(),
            lane: Default::default(),
            reach: Default::default(),
            rows: Default::default(),
            data: Default::default(),
            offers: Default::default(),
            passes: Default::default(),
            oldest: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            lanes: Constant::new(bits(DATA as u64 / 8 - 1)),
            lane_bits: Constant::new(bits((DATA / 8).ilog2().into())),
        }
    }
}

impl<const DATA: usize, const N: usize> Logic for RawWriteShare<DATA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, owner, busy, left);
        clock!(self, clock, robin, stage, beats, turns);
        self.robin.reset.next = self.reset.val();
        self.stage.reset.next = self.reset.val();
        self.beats.reset.next = self.reset.val();
        self.turns.reset.next = self.reset.val();
        // A command.
        self.wants.next = 0.into();
        for i in 0..N {
            if self.clients[i].command.valid.val() {
                self.wants.next = self.wants.val() | self.mask[i].val();
            }
        }
        self.robin.requests.next = self.wants.val();
        self.room.next = self.stage.sink.ready.val() & self.turns.sink.ready.val() & !self.busy.q.val();
        self.grants.next = self.robin.some.val() & self.room.val();
        self.robin.advance.next = self.grants.val();
        self.command.next = self.clients[0].command.data.val();
        for i in 0..N {
            self.clients[i].command.ready.next = self.robin.grant.val().get_bit(i) & self.room.val();
            if self.robin.grant.val().get_bit(i) {
                self.command.next = self.clients[i].command.data.val();
            }
        }
        self.stage.sink.data.next = self.command.val();
        self.stage.sink.valid.next = self.grants.val();
        self.turns.sink.data.next = self.robin.grant.val();
        self.turns.sink.valid.next = self.grants.val();
        ChannelSource::<WriteCommand>::link(&mut self.write.command, &mut self.stage.source);
        self.place.next = self.command.val().address & self.lanes.val();
        self.lane.next = bit_cast::<14, 52>(self.place.val());
        self.reach.next = (self.lane.val() + bit_cast::<14, 13>(self.command.val().length)) - 1;
        self.rows.next = self.reach.val() >> self.lane_bits.val();

        // Its beats.
        self.data.next = self.clients[0].beat.data.val();
        self.offers.next = false;
        for i in 0..N {
            self.clients[i].beat.ready.next =
                self.busy.q.val() & self.owner.q.val().get_bit(i) & self.beats.sink.ready.val();
            if self.owner.q.val().get_bit(i) {
                self.data.next = self.clients[i].beat.data.val();
                self.offers.next = self.busy.q.val() & self.clients[i].beat.valid.val();
            }
        }
        self.beats.sink.data.next = self.data.val();
        self.beats.sink.valid.next = self.offers.val();
        self.passes.next = self.offers.val() & self.beats.sink.ready.val();
        ChannelSource::<Bits<DATA>>::link(&mut self.write.beat, &mut self.beats.source);
        if self.passes.val() {
            self.left.d.next = self.left.q.val() - 1;
            self.busy.d.next = self.left.q.val().any();
        }
        if self.grants.val() {
            self.busy.d.next = true;
            self.owner.d.next = self.robin.grant.val();
            self.left.d.next = bit_cast::<10, 14>(self.rows.val());
        }

        // What has its B.
        self.oldest.next = self.turns.source.data.val();
        self.turns.source.ready.next = self.write.done.val();
        for i in 0..N {
            self.clients[i].done.next =
                self.write.done.val() & self.turns.source.valid.val() & self.oldest.val().get_bit(i);
            self.clients[i].failed.next = self.write.failed.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
        }
    }
}
