//! Rings of the READs and atomics that are to be answered (record RR, T53, T61): 32 entries a queue pair.
//!
//! The judge pushes at most 16 new ones (T68) and 16 duplicates (T53), so that a push always finds room and waits for nothing
//! but its three cycles here (rank 5 of the waits: RR writes never wait). A push is taken once in four cycles. The engine reads
//! tail and entry with one cycle of latency each; entries below the tail do not change until they have been answered.
use super::ResponseEntry;
use crate::sq::ClearOrder;
use crate::types::{QpControl, ResponseOrder};
use crate::widgets::{ChannelSink, ChannelSource, LooseMemory, Memory};
use rust_hdl::prelude::*;

/// What becomes of a push.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum PushState {
    /// Waits for one.
    Idle,
    /// Its tail is read.
    Look,
    /// Entry and tail are written.
    Store,
    /// The queue pair is entered among the ready ones.
    Enter,
}

/// Rings of 2^QA queue pairs; RA = QA + 5.
#[derive(LogicBlock)]
pub struct ResponseRing<const QA: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the push under way.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// What is to be answered.
    pub push: ChannelSink<ResponseOrder>,
    /// Queue pairs that have something now.
    pub entered: ChannelSource<Bits<QA>>,
    /// Queue pair whose tail is wanted.
    pub index: Signal<In, Bits<QA>>,
    /// Count of entries pushed, modulo 64, one cycle later.
    pub tail: Signal<Out, Bits<6>>,
    /// Queue pair whose entry is wanted,
    pub entry_index: Signal<In, Bits<QA>>,
    /// and its count.
    pub entry_count: Signal<In, Bits<6>>,
    /// The entry, one cycle later.
    pub entry: Signal<Out, ResponseEntry>,
    clear: ClearOrder<QA>,
    own_tails: LooseMemory<Bits<6>, QA>,
    tails: Memory<Bits<6>, QA>,
    entries: LooseMemory<ResponseEntry, RA>,
    state: DFF<PushState>,
    kept: DFF<ResponseOrder>,
    qp: Signal<Local, Bits<8>>,
    row: Signal<Local, Bits<QA>>,
    stores: Signal<Local, Bit>,
    tail_index: Signal<Local, Bits<QA>>,
    tail_next: Signal<Local, Bits<6>>,
    slot: Signal<Local, Bits<5>>,
    wanted: Signal<Local, Bits<5>>,
    here: Signal<Local, Bits<6>>,
}

impl<const QA: usize, const RA: usize> Default for ResponseRing<QA, RA> {
    fn default() -> Self {
        assert_eq!(RA, QA + 5, "rings of 32 entries");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            control: Default::default(),
            push: Default::default(),
            entered: Default::default(),
            index: Default::default(),
            tail: Default::default(),
            entry_index: Default::default(),
            entry_count: Default::default(),
            entry: Default::default(),
            clear: Default::default(),
            own_tails: Default::default(),
            tails: Default::default(),
            entries: Default::default(),
            state: Default::default(),
            kept: Default::default(),
            qp: Default::default(),
            row: Default::default(),
            stores: Default::default(),
            tail_index: Default::default(),
            tail_next: Default::default(),
            slot: Default::default(),
            wanted: Default::default(),
            here: Default::default(),
        }
    }
}

impl<const QA: usize, const RA: usize> Logic for ResponseRing<QA, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, kept);
        clock!(self, clock, clear, own_tails, tails, entries);
        self.qp.next = self.kept.q.val().qp;
        self.row.next = bit_cast::<QA, 8>(self.qp.val());
        self.push.ready.next = self.state.q.val() == PushState::Idle;
        self.stores.next = self.state.q.val() == PushState::Store;
        self.entered.data.next = self.row.val();
        self.entered.valid.next = self.state.q.val() == PushState::Enter;

        self.clear.reset.next = self.reset.val();
        self.clear.control.next = self.control.val();
        self.clear.busy.next = self.stores.val();
        self.own_tails.read.next = true;
        self.own_tails.read_address.next = self.row.val();
        self.here.next = self.own_tails.out.val();
        self.tail_index.next = self.row.val();
        self.tail_next.next = self.here.val() + 1;
        if self.clear.clears.val() {
            self.tail_index.next = self.clear.index.val();
            self.tail_next.next = 0.into();
        }
        self.own_tails.write.next = self.stores.val() | self.clear.clears.val();
        self.own_tails.write_address.next = self.tail_index.val();
        self.own_tails.data.next = self.tail_next.val();
        self.tails.write.next = self.stores.val() | self.clear.clears.val();
        self.tails.write_address.next = self.tail_index.val();
        self.tails.data.next = self.tail_next.val();
        self.tails.read.next = true;
        self.tails.read_address.next = self.index.val();
        self.tail.next = self.tails.out.val();

        self.slot.next = self.here.val().get_bits::<5>(0);
        self.entries.write.next = self.stores.val();
        self.entries.write_address.next =
            (bit_cast::<RA, QA>(self.row.val()) << 5) | bit_cast::<RA, 5>(self.slot.val());
        self.entries.data.next.kind = self.kept.q.val().kind;
        self.entries.data.next.duplicate = self.kept.q.val().duplicate;
        self.entries.data.next.psn = self.kept.q.val().psn;
        self.entries.data.next.msn = self.kept.q.val().msn;
        self.entries.data.next.va = self.kept.q.val().va;
        self.entries.data.next.rkey = self.kept.q.val().rkey;
        self.entries.data.next.length = self.kept.q.val().length;
        self.entries.data.next.generation = self.kept.q.val().generation;
        self.entries.data.next.swap = self.kept.q.val().swap;
        self.entries.data.next.compare = self.kept.q.val().compare;
        self.wanted.next = self.entry_count.val().get_bits::<5>(0);
        self.entries.read.next = true;
        self.entries.read_address.next =
            (bit_cast::<RA, QA>(self.entry_index.val()) << 5) | bit_cast::<RA, 5>(self.wanted.val());
        self.entry.next = self.entries.out.val();

        match self.state.q.val() {
            PushState::Idle => {
                self.kept.d.next = self.push.data.val();
                if self.push.valid.val() {
                    self.state.d.next = PushState::Look;
                }
            }
            PushState::Look => self.state.d.next = PushState::Store,
            PushState::Store => self.state.d.next = PushState::Enter,
            PushState::Enter => {
                if self.entered.ready.val() {
                    self.state.d.next = PushState::Idle;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = PushState::Idle;
        }
    }
}
