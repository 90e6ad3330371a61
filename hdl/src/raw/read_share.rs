//! Several readers of the raw rings on one read client (AXI id 5). Beats come back in the order of the commands.
//!
//! Latency one cycle to a command; beats pass at once. At most 15 commands are on their way.
use crate::types::{ReadClient, ReadCommand, ReadServer};
use crate::widgets::{ChannelSource, Fifo, RoundRobin, Slot};
use rust_hdl::prelude::*;

record! {
    /// A command on its way.
    ReadTurn, 18 {
        /// Who has asked, one-hot.
        owner: Bits<4>,
        /// Beats less 1.
        more: Bits<14>,
    }
}

/// Share of N readers (at most 4) on a bus of DATA bits.
#[derive(LogicBlock)]
pub struct RawReadShare<const DATA: usize, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while no read is on its way.
    pub reset: Signal<In, Bit>,
    /// The readers.
    pub clients: [ReadServer<DATA>; N],
    /// All their reads.
    pub read: ReadClient<DATA>,
    robin: RoundRobin<N, 2>,
    stage: Slot<ReadCommand>,
    turns: Fifo<ReadTurn, 4>,
    passed: DFF<Bits<14>>,
    wants: Signal<Local, Bits<N>>,
    room: Signal<Local, Bit>,
    command: Signal<Local, ReadCommand>,
    place: Signal<Local, Bits<52>>,
    lane: Signal<Local, Bits<17>>,
    reach: Signal<Local, Bits<17>>,
    rows: Signal<Local, Bits<17>>,
    turn: Signal<Local, ReadTurn>,
    now: Signal<Local, ReadTurn>,
    owners: Signal<Local, Bits<4>>,
    last: Signal<Local, Bit>,
    mask: [Constant<Bits<N>>; N],
    lanes: Constant<Bits<52>>,
    lane_bits: Constant<Bits<4>>,
}

impl<const DATA: usize, const N: usize> Default for RawReadShare<DATA, N> {
    fn default() -> Self {
        assert!((2..=4).contains(&N), "{N} readers");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clients: std::array::from_fn(|_| Default::default()),
            read: Default::default(),
            robin: Default::default(),
            stage: Default::default(),
            turns: Default::default(),
            passed: Default::default(),
            wants: Default::default(),
            room: Default::default(),
            command: Default::default(),
            place: Default::default(),
            lane: Default::default(),
            reach: Default::default(),
            rows: Default::default(),
            turn: Default::default(),
            now: Default::default(),
            owners: Default::default(),
            last: Default::default(),
            mask: std::array::from_fn(|i| Constant::new(bits(1 << i))),
            lanes: Constant::new(bits(DATA as u64 / 8 - 1)),
            lane_bits: Constant::new(bits((DATA / 8).ilog2().into())),
        }
    }
}

impl<const DATA: usize, const N: usize> Logic for RawReadShare<DATA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, passed);
        clock!(self, clock, robin, stage, turns);
        self.robin.reset.next = self.reset.val();
        self.stage.reset.next = self.reset.val();
        self.turns.reset.next = self.reset.val();
        // A command and its turn.
        self.wants.next = 0.into();
        for i in 0..N {
            if self.clients[i].command.valid.val() {
                self.wants.next = self.wants.val() | self.mask[i].val();
            }
        }
        self.robin.requests.next = self.wants.val();
        self.room.next = self.stage.sink.ready.val() & self.turns.sink.ready.val();
        self.robin.advance.next = self.robin.some.val() & self.room.val();
        self.command.next = self.clients[0].command.data.val();
        for i in 0..N {
            self.clients[i].command.ready.next = self.robin.grant.val().get_bit(i) & self.room.val();
            if self.robin.grant.val().get_bit(i) {
                self.command.next = self.clients[i].command.data.val();
            }
        }
        self.stage.sink.data.next = self.command.val();
        self.stage.sink.valid.next = self.robin.some.val() & self.room.val();
        self.place.next = self.command.val().address & self.lanes.val();
        self.lane.next = bit_cast::<17, 52>(self.place.val());
        self.reach.next = (self.lane.val() + bit_cast::<17, 16>(self.command.val().length)) - 1;
        self.rows.next = self.reach.val() >> self.lane_bits.val();
        self.turn.next.owner = bit_cast::<4, N>(self.robin.grant.val());
        self.turn.next.more = bit_cast::<14, 17>(self.rows.val());
        self.turns.sink.data.next = self.turn.val();
        self.turns.sink.valid.next = self.robin.some.val() & self.room.val();
        ChannelSource::<ReadCommand>::link(&mut self.read.command, &mut self.stage.source);
        // Its beats.
        self.now.next = self.turns.source.data.val();
        self.owners.next = self.now.val().owner;
        self.last.next = self.read.beat_valid.val() & (self.passed.q.val() == self.now.val().more);
        self.turns.source.ready.next = self.last.val();
        for i in 0..N {
            self.clients[i].beat_valid.next = self.read.beat_valid.val() & self.owners.val().get_bit(i);
            self.clients[i].beat_data.next = self.read.beat_data.val();
            self.clients[i].beat_error.next = self.read.beat_error.val();
        }
        if self.read.beat_valid.val() {
            self.passed.d.next = self.passed.q.val() + 1;
        }
        if self.last.val() {
            self.passed.d.next = 0.into();
        }
        if self.reset.val() {
            self.passed.d.next = 0.into();
        }
    }
}
