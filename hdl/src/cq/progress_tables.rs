//! Tables of the consumer's side, and the judgement of a change.
//!
//! Owns the visible and consumed counts and the arming of every queue; keeps copies of its produced count and its
//! interrupt vector. A read is judged two cycles later, and the verdict holds until the next read.
use super::{CqConsumed, CqSignal, ProgressJudge};
use crate::widgets::Memory;
use rust_hdl::prelude::*;

/// Tables of 2^CA completion queues.
#[derive(LogicBlock)]
pub struct ProgressTables<const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Entry `clear_index` is being cleared.
    pub clearing: Signal<In, Bit>,
    /// Entry to clear.
    pub clear_index: Signal<In, Bits<16>>,
    /// A queue's vector is stored.
    pub signal_store: Signal<In, Bit>,
    /// Queue.
    pub signal_index: Signal<In, Bits<CA>>,
    /// Its vector.
    pub signal: Signal<In, CqSignal>,
    /// A queue's produced count is stored.
    pub produced_store: Signal<In, Bit>,
    /// Queue.
    pub produced_index: Signal<In, Bits<CA>>,
    /// Its count.
    pub produced: Signal<In, Bits<24>>,
    /// Queue of the change.
    pub cqn: Signal<In, Bits<12>>,
    /// Reads its entries.
    pub read: Signal<In, Bit>,
    /// The change is a CQE that has its B.
    pub completes: Signal<In, Bit>,
    /// The change is a doorbell.
    pub rings: Signal<In, Bit>,
    /// Its consumer count.
    pub consumer: Signal<In, Bits<24>>,
    /// The queue exists.
    pub exists: Signal<Out, Bit>,
    /// Its vector.
    pub irq_vector: Signal<Out, Bits<3>>,
    /// Armed for any CQE.
    pub armed: Signal<Out, Bit>,
    /// Armed for solicited CQEs.
    pub armed_solicited: Signal<Out, Bit>,
    /// Some visible CQE is not consumed.
    pub unread: Signal<Out, Bit>,
    /// The doorbell consumes what was not produced.
    pub beyond: Signal<Out, Bit>,
    /// Stores the new counts and arming.
    pub store: Signal<In, Bit>,
    /// Arming to store, any CQE.
    pub arm: Signal<In, Bit>,
    /// Arming to store, solicited CQEs.
    pub arm_solicited: Signal<In, Bit>,
    /// Stores zeros.
    pub restart: Signal<In, Bit>,
    /// A consumed count is stored.
    pub consumed_store: Signal<Out, Bit>,
    /// Queue.
    pub consumed_index: Signal<Out, Bits<CA>>,
    /// Its count.
    pub consumed: Signal<Out, Bits<24>>,
    signals: Memory<CqSignal, CA>,
    made: Memory<Bits<24>, CA>,
    entries: Memory<CqConsumed, CA>,
    judge: ProgressJudge,
    index: Signal<Local, Bits<CA>>,
    place: Signal<Local, Bits<CA>>,
    writes: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    changed: Signal<Local, CqConsumed>,
    foreign: Signal<Local, Bits<12>>,
    no_cqn: Constant<Bits<12>>,
}

impl<const CA: usize> Default for ProgressTables<CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            signal_store: Default::default(),
            signal_index: Default::default(),
            signal: Default::default(),
            produced_store: Default::default(),
            produced_index: Default::default(),
            produced: Default::default(),
            cqn: Default::default(),
            read: Default::default(),
            completes: Default::default(),
            rings: Default::default(),
            consumer: Default::default(),
            exists: Default::default(),
            irq_vector: Default::default(),
            armed: Default::default(),
            armed_solicited: Default::default(),
            unread: Default::default(),
            beyond: Default::default(),
            store: Default::default(),
            arm: Default::default(),
            arm_solicited: Default::default(),
            restart: Default::default(),
            consumed_store: Default::default(),
            consumed_index: Default::default(),
            consumed: Default::default(),
            signals: Default::default(),
            made: Default::default(),
            entries: Default::default(),
            judge: Default::default(),
            index: Default::default(),
            place: Default::default(),
            writes: Default::default(),
            known: Default::default(),
            changed: Default::default(),
            foreign: Default::default(),
            no_cqn: Constant::new(bits(0xFFF & !((1 << CA) - 1))),
        }
    }
}

impl<const CA: usize> Logic for ProgressTables<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, signals, made, entries, judge);
        self.foreign.next = self.cqn.val() & self.no_cqn.val();
        self.index.next = bit_cast::<CA, 12>(self.cqn.val());
        self.signals.read.next = self.read.val();
        self.signals.read_address.next = self.index.val();
        self.signals.write.next = self.signal_store.val();
        self.signals.write_address.next = self.signal_index.val();
        self.signals.data.next = self.signal.val();
        self.made.read.next = self.read.val();
        self.made.read_address.next = self.index.val();
        self.made.write.next = self.produced_store.val();
        self.made.write_address.next = self.produced_index.val();
        self.made.data.next = self.produced.val();
        self.entries.read.next = self.read.val();
        self.entries.read_address.next = self.index.val();
        self.judge.completes.next = self.completes.val();
        self.judge.rings.next = self.rings.val();
        self.judge.consumer.next = self.consumer.val();
        self.judge.earlier.next = self.entries.out.val();
        self.judge.produced.next = self.made.out.val();
        self.known.next = self.foreign.val() == 0;
        self.exists.next = self.signals.out.val().exists & self.known.val();
        self.irq_vector.next = self.signals.out.val().vector;
        self.armed.next = self.entries.out.val().armed;
        self.armed_solicited.next = self.entries.out.val().armed_solicited;
        self.unread.next = self.judge.unread.val();
        self.beyond.next = self.judge.beyond.val();
        // The new entry.
        self.changed.next.visible = self.judge.visible.val();
        self.changed.next.consumed = self.judge.consumed.val();
        self.changed.next.armed = self.arm.val();
        self.changed.next.armed_solicited = self.arm_solicited.val();
        self.place.next = self.index.val();
        if self.restart.val() | self.clearing.val() {
            self.changed.next.visible = 0.into();
            self.changed.next.consumed = 0.into();
            self.changed.next.armed = false;
            self.changed.next.armed_solicited = false;
        }
        if self.clearing.val() {
            self.place.next = bit_cast::<CA, 16>(self.clear_index.val());
        }
        self.writes.next = self.store.val() | self.restart.val() | self.clearing.val();
        self.entries.write.next = self.writes.val();
        self.entries.write_address.next = self.place.val();
        self.entries.data.next = self.changed.val();
        self.consumed_store.next = self.writes.val();
        self.consumed_index.next = self.place.val();
        self.consumed.next = self.changed.val().consumed;
    }
}
