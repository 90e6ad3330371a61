//! Tables of the producer, and the judgement of a CQE.
//!
//! Owns the produced count and the failed bit of every queue; keeps copies of its ring and its consumed count. A read is
//! judged two cycles later, and the verdict holds until the next read.
use super::{CqProduced, CqRing, CqeJudge};
use crate::widgets::Memory;
use rust_hdl::prelude::*;

/// Tables of 2^CA completion queues.
#[derive(LogicBlock)]
pub struct ProducerTables<const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Entry `clear_index` is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// A queue's ring is stored.
    pub ring_store: Signal<In, Bit>,
    /// Queue.
    pub ring_index: Signal<In, Bits<CA>>,
    /// Its ring.
    pub ring: Signal<In, CqRing>,
    /// A queue's consumed count is stored.
    pub consumed_store: Signal<In, Bit>,
    /// Queue.
    pub consumed_index: Signal<In, Bits<CA>>,
    /// Its count.
    pub consumed: Signal<In, Bits<24>>,
    /// Queue of the task.
    pub cqn: Signal<In, Bits<12>>,
    /// Reads its entries.
    pub read: Signal<In, Bit>,
    /// It exists and has not failed.
    pub lives: Signal<Out, Bit>,
    /// Its ring is full.
    pub full: Signal<Out, Bit>,
    /// Bus address of its next CQE.
    pub address: Signal<Out, Bits<52>>,
    /// Phase bit of its next CQE.
    pub phase: Signal<Out, Bit>,
    /// Counts one CQE more.
    pub raise: Signal<In, Bit>,
    /// Marks the queue failed.
    pub mark_failed: Signal<In, Bit>,
    /// Sets its count to 0.
    pub restart: Signal<In, Bit>,
    /// A produced count is stored.
    pub produced_store: Signal<Out, Bit>,
    /// Queue.
    pub produced_index: Signal<Out, Bits<CA>>,
    /// Its count.
    pub produced: Signal<Out, Bits<24>>,
    rings: Memory<CqRing, CA>,
    made: Memory<CqProduced, CA>,
    taken: Memory<Bits<24>, CA>,
    judge: CqeJudge,
    index: Signal<Local, Bits<CA>>,
    place: Signal<Local, Bits<CA>>,
    writes: Signal<Local, Bit>,
    changed: Signal<Local, CqProduced>,
    foreign: Signal<Local, Bits<12>>,
    no_cqn: Constant<Bits<12>>,
}

impl<const CA: usize> Default for ProducerTables<CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            ring_store: Default::default(),
            ring_index: Default::default(),
            ring: Default::default(),
            consumed_store: Default::default(),
            consumed_index: Default::default(),
            consumed: Default::default(),
            cqn: Default::default(),
            read: Default::default(),
            lives: Default::default(),
            full: Default::default(),
            address: Default::default(),
            phase: Default::default(),
            raise: Default::default(),
            mark_failed: Default::default(),
            restart: Default::default(),
            produced_store: Default::default(),
            produced_index: Default::default(),
            produced: Default::default(),
            rings: Default::default(),
            made: Default::default(),
            taken: Default::default(),
            judge: Default::default(),
            index: Default::default(),
            place: Default::default(),
            writes: Default::default(),
            changed: Default::default(),
            foreign: Default::default(),
            no_cqn: Constant::new(bits(0xFFF & !((1 << CA) - 1))),
        }
    }
}

impl<const CA: usize> Logic for ProducerTables<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rings, made, taken, judge);
        self.foreign.next = self.cqn.val() & self.no_cqn.val();
        self.index.next = bit_cast::<CA, 12>(self.cqn.val());
        self.rings.read.next = self.read.val();
        self.rings.read_address.next = self.index.val();
        self.rings.write.next = self.ring_store.val();
        self.rings.write_address.next = self.ring_index.val();
        self.rings.data.next = self.ring.val();
        self.taken.read.next = self.read.val();
        self.taken.read_address.next = self.index.val();
        self.taken.write.next = self.consumed_store.val();
        self.taken.write_address.next = self.consumed_index.val();
        self.taken.data.next = self.consumed.val();
        self.made.read.next = self.read.val();
        self.made.read_address.next = self.index.val();
        self.judge.known.next = self.foreign.val() == 0;
        self.judge.ring.next = self.rings.out.val();
        self.judge.produced.next = self.made.out.val();
        self.judge.consumed.next = self.taken.out.val();
        self.lives.next = self.judge.lives.val();
        self.full.next = self.judge.full.val();
        self.address.next = self.judge.address.val();
        self.phase.next = self.judge.phase.val();
        // The new entry.
        self.changed.next = self.made.out.val();
        if self.raise.val() {
            self.changed.next.count = self.judge.count.val();
        }
        if self.mark_failed.val() {
            self.changed.next.failed = true;
        }
        self.writes.next = self.raise.val() | self.mark_failed.val() | self.restart.val() | self.clearing.val();
        self.place.next = self.index.val();
        if self.restart.val() | self.clearing.val() {
            self.changed.next.count = 0.into();
            self.changed.next.failed = false;
        }
        if self.clearing.val() {
            self.place.next = bit_cast::<CA, 16>(self.clear_index.val());
        }
        self.made.write.next = self.writes.val();
        self.made.write_address.next = self.place.val();
        self.made.data.next = self.changed.val();
        self.produced_store.next = self.writes.val();
        self.produced_index.next = self.place.val();
        self.produced.next = self.changed.val().count;
    }
}
