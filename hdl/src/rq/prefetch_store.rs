//! Receive WQEs that wait on the device for a message (record RQC, T57), as the responder's judge sees them.
//!
//! The judge gives an index; everything it asks about is there one cycle later, and as long as the index stays. A WQE is taken by
//! a pulse, the next one is there when the judge may ask again. So that one read is enough, the low bits of the counts of WQEs
//! taken are in flip-flops: they are part of the address.
use super::ReceiveWqe;
use crate::sq::ClearOrder;
use crate::types::{QpControl, RqContext};
use crate::widgets::{FlagVector, LooseMemory, Memory, Table};
use rust_hdl::prelude::*;

/// Store of 2^RB WQEs for each of QPS = 2^QA queue pairs; WA = QA + RB.
#[derive(LogicBlock)]
pub struct ReceiveStore<const QA: usize, const QPS: usize, const RB: usize, const WA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The tables are being cleared.
    pub reset: Signal<In, Bit>,
    /// Orders of `qp`; here `clear` counts.
    pub control: Signal<In, QpControl>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<QA>>,
    /// The context.
    pub context_row: Signal<In, RqContext>,
    /// Slots posted: a count is stored,
    pub posted_write: Signal<In, Bit>,
    /// of this queue pair,
    pub posted_index: Signal<In, Bits<QA>>,
    /// this one.
    pub posted_count: Signal<In, Bits<16>>,
    /// A WQE has arrived,
    pub store: Signal<In, Bit>,
    /// of this queue pair,
    pub store_index: Signal<In, Bits<QA>>,
    /// its count,
    pub store_count: Signal<In, Bits<16>>,
    /// the WQE.
    pub wqe: Signal<In, ReceiveWqe>,
    /// Queue pair that the judge asks about.
    pub rq_index: Signal<In, Bits<8>>,
    /// A WQE is there, one cycle later.
    pub rq_ready: Signal<Out, Bit>,
    /// None is there, but one is posted.
    pub rq_pending: Signal<Out, Bit>,
    /// The one that is there could not be read.
    pub rq_failed: Signal<Out, Bit>,
    /// Its four SGEs.
    pub rq_wqe: Signal<Out, Bits<512>>,
    /// Its slot.
    pub rq_slot: Signal<Out, Bits<16>>,
    /// It is taken; `rq_index` as in the cycle before.
    pub rq_take: Signal<In, Bit>,
    /// Queue pair whose count of WQEs taken is wanted.
    pub taken_index: Signal<In, Bits<QA>>,
    /// That count, one cycle later.
    pub taken: Signal<Out, Bits<16>>,
    /// Queue pair whose count of WQEs arrived is wanted.
    pub arrived_index: Signal<In, Bits<QA>>,
    /// That count, one cycle later.
    pub arrived: Signal<Out, Bits<16>>,
    taken_clear: ClearOrder<QA>,
    arrived_clear: ClearOrder<QA>,
    contexts: Memory<RqContext, QA>,
    posted: Memory<Bits<16>, QA>,
    taken_counts: Table<Bits<16>, QA, 2>,
    arrived_counts: Table<Bits<16>, QA, 2>,
    places: [FlagVector<QPS, QA>; RB],
    wqes: LooseMemory<ReceiveWqe, WA>,
    asked: Signal<Local, Bits<QA>>,
    place: Signal<Local, Bits<RB>>,
    now: Signal<Local, Bits<16>>,
    after: Signal<Local, Bits<16>>,
    there: Signal<Local, Bit>,
    known: Signal<Local, RqContext>,
    size: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    head: Signal<Local, ReceiveWqe>,
    stored: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<RB>>,
    base: Signal<Local, Bits<WA>>,
    store_base: Signal<Local, Bits<WA>>,
    shift: Constant<Bits<4>>,
    one: Constant<Bits<16>>,
    bit_of: [Constant<Bits<RB>>; RB],
    no_index: Constant<Bits<16>>,
}

impl<const QA: usize, const QPS: usize, const RB: usize, const WA: usize> Default for ReceiveStore<QA, QPS, RB, WA> {
    fn default() -> Self {
        assert_eq!((QPS, WA), (1 << QA, QA + RB), "2^{RB} WQEs for each of 2^{QA} queue pairs");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            control: Default::default(),
            context_write: Default::default(),
            context_index: Default::default(),
            context_row: Default::default(),
            posted_write: Default::default(),
            posted_index: Default::default(),
            posted_count: Default::default(),
            store: Default::default(),
            store_index: Default::default(),
            store_count: Default::default(),
            wqe: Default::default(),
            rq_index: Default::default(),
            rq_ready: Default::default(),
            rq_pending: Default::default(),
            rq_failed: Default::default(),
            rq_wqe: Default::default(),
            rq_slot: Default::default(),
            rq_take: Default::default(),
            taken_index: Default::default(),
            taken: Default::default(),
            arrived_index: Default::default(),
            arrived: Default::default(),
            taken_clear: Default::default(),
            arrived_clear: Default::default(),
            contexts: Default::default(),
            posted: Default::default(),
            taken_counts: Default::default(),
            arrived_counts: Default::default(),
            places: std::array::from_fn(|_| Default::default()),
            wqes: Default::default(),
            asked: Default::default(),
            place: Default::default(),
            now: Default::default(),
            after: Default::default(),
            there: Default::default(),
            known: Default::default(),
            size: Default::default(),
            mask: Default::default(),
            head: Default::default(),
            stored: Default::default(),
            low: Default::default(),
            base: Default::default(),
            store_base: Default::default(),
            shift: Constant::new(RB.to_bits()),
            one: Constant::new(1.into()),
            bit_of: std::array::from_fn(|i| Constant::new((1usize << i).to_bits())),
            no_index: Constant::new(0.into()),
        }
    }
}

impl<const QA: usize, const QPS: usize, const RB: usize, const WA: usize> Logic for ReceiveStore<QA, QPS, RB, WA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, taken_clear, arrived_clear, contexts, posted, taken_counts, arrived_counts, wqes);
        self.taken_clear.reset.next = self.reset.val();
        self.taken_clear.control.next = self.control.val();
        self.taken_clear.busy.next = self.rq_take.val();
        self.arrived_clear.reset.next = self.reset.val();
        self.arrived_clear.control.next = self.control.val();
        self.arrived_clear.busy.next = self.store.val();

        // Address of the WQE that is next.
        self.asked.next = bit_cast::<QA, 8>(self.rq_index.val());
        self.place.next = 0.into();
        for i in 0..RB {
            self.places[i].clock.next = self.clock.val();
            self.places[i].reset.next = self.reset.val();
            self.places[i].index.next = self.asked.val();
            if self.places[i].flag.val() {
                self.place.next = self.place.val() | self.bit_of[i].val();
            }
        }
        self.wqes.read.next = true;
        self.base.next = bit_cast::<WA, QA>(self.asked.val());
        self.wqes.read_address.next = (self.base.val() << self.shift.val()) | bit_cast::<WA, RB>(self.place.val());
        self.wqes.write.next = self.store.val();
        self.stored.next = self.store_count.val();
        self.low.next = bit_cast::<RB, 16>(self.stored.val());
        self.store_base.next = bit_cast::<WA, QA>(self.store_index.val());
        self.wqes.write_address.next = (self.store_base.val() << self.shift.val()) | bit_cast::<WA, RB>(self.low.val());
        self.wqes.data.next = self.wqe.val();

        // What the judge sees.
        self.contexts.read.next = true;
        self.contexts.read_address.next = self.asked.val();
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_address.next = self.context_index.val();
        self.contexts.data.next = self.context_row.val();
        self.posted.read.next = true;
        self.posted.read_address.next = self.asked.val();
        self.posted.write.next = self.posted_write.val();
        self.posted.write_address.next = self.posted_index.val();
        self.posted.data.next = self.posted_count.val();
        self.taken_counts.index[0].next = self.asked.val();
        self.arrived_counts.index[0].next = self.asked.val();
        self.now.next = self.taken_counts.out[0].val();
        self.there.next = self.arrived_counts.out[0].val() != self.now.val();
        self.known.next = self.contexts.out.val();
        self.size.next = self.one.val() << self.known.val().log2;
        self.mask.next = self.size.val() - 1;
        self.head.next = self.wqes.out.val();
        self.rq_ready.next = self.there.val();
        self.rq_pending.next = !self.there.val() & (self.posted.out.val() != self.now.val());
        self.rq_failed.next = self.there.val() & self.head.val().error;
        self.rq_wqe.next = self.head.val().wqe;
        self.rq_slot.next = self.now.val() & self.mask.val();

        // Counts.
        self.after.next = self.now.val() + 1;
        self.taken_counts.clearing.next = false;
        self.taken_counts.clear_index.next = self.no_index.val();
        self.taken_counts.index[1].next = self.taken_index.val();
        self.taken_counts.write.next = self.rq_take.val() | self.taken_clear.clears.val();
        self.taken_counts.write_index.next = self.asked.val();
        self.taken_counts.data.next = self.after.val();
        self.taken.next = self.taken_counts.out[1].val();
        self.arrived_counts.clearing.next = false;
        self.arrived_counts.clear_index.next = self.no_index.val();
        self.arrived_counts.index[1].next = self.arrived_index.val();
        self.arrived_counts.write.next = self.store.val() | self.arrived_clear.clears.val();
        self.arrived_counts.write_index.next = self.store_index.val();
        self.arrived_counts.data.next = self.store_count.val() + 1;
        self.arrived.next = self.arrived_counts.out[1].val();
        if self.taken_clear.clears.val() {
            self.taken_counts.write_index.next = self.taken_clear.index.val();
            self.taken_counts.data.next = 0.into();
        }
        if self.arrived_clear.clears.val() {
            self.arrived_counts.write_index.next = self.arrived_clear.index.val();
            self.arrived_counts.data.next = 0.into();
        }
        for i in 0..RB {
            self.places[i].set_flag.next = self.rq_take.val() & self.after.val().get_bit(i);
            self.places[i].set_index.next = self.asked.val();
            self.places[i].clear_flag.next = self.rq_take.val() | self.taken_clear.clears.val();
            self.places[i].clear_index.next = self.asked.val();
            if self.taken_clear.clears.val() {
                self.places[i].clear_index.next = self.taken_clear.index.val();
            }
        }
    }
}
