//! The acknowledgements that the queue pairs owe (record RA): one a queue pair, the newest that covers most (T60, T62).
//!
//! The memory has one writer, the store side; that a record has been sent is noted in a second memory by the taking side:
//! a record is present while its number differs from the number that was taken last. So a record that replaces another in the
//! very cycle in which that one is taken stays. Storing takes three cycles; the newer of two is shown two cycles after it.
use super::records::OwedStore;
use crate::types::OwedAnswer;
use crate::widgets::{ChannelSink, Table};
use rust_hdl::prelude::*;

record! {
    /// Row of the memory.
    OwedRow, 58 {
        /// PSN.
        psn: Bits<24>,
        /// Syndrome of the AETH.
        syndrome: Bits<8>,
        /// MSN.
        msn: Bits<24>,
        /// Number of the record.
        number: Bits<2>,
    }
}

/// Owed acknowledgements of 2^QA queue pairs.
#[derive(LogicBlock)]
pub struct Owed<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets the record in hand.
    pub reset: Signal<In, Bit>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Records to store.
    pub store: ChannelSink<OwedStore>,
    /// The queue pair of `order_index` owes nothing any more; it has nothing in flight. Orders are at least 8 cycles apart.
    pub order: Signal<In, Bit>,
    /// Queue pair of the order.
    pub order_index: Signal<In, Bits<8>>,
    /// Something is owed by `wake_index`; the record is shown from the next cycle on.
    pub wake: Signal<Out, Bit>,
    /// Queue pair that owes.
    pub wake_index: Signal<Out, Bits<8>>,
    /// Queue pair asked about.
    pub index: Signal<In, Bits<8>>,
    /// What it owes, one cycle later.
    pub shown: Signal<Out, OwedAnswer>,
    /// The record that is shown in this cycle is taken.
    pub taken: Signal<In, Bit>,
    rows: Table<OwedRow, QA, 2>,
    sent: Table<Bits<2>, QA, 2>,
    held: DFF<OwedStore>,
    busy: DFF<Bit>,
    step: DFF<Bits<2>>,
    old: DFF<OwedRow>,
    old_sent: DFF<Bits<2>>,
    covers: DFF<Bit>,
    asked: DFF<Bits<QA>>,
    clears: DFF<Bit>,
    clear_row: DFF<Bits<QA>>,
    wakes: DFF<Bit>,
    wakes_index: DFF<Bits<8>>,
    kept: Signal<Local, OwedRow>,
    fresh: Signal<Local, OwedStore>,
    answer: Signal<Local, OwedRow>,
    who: Signal<Local, Bits<8>>,
    fresh_syndrome: Signal<Local, Bits<8>>,
    kept_syndrome: Signal<Local, Bits<8>>,
    new_negative: Signal<Local, Bit>,
    old_negative: Signal<Local, Bit>,
    gain: Signal<Local, Bits<24>>,
    next_number: Signal<Local, Bits<2>>,
    replaces: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    written: Signal<Local, OwedRow>,
    place: Signal<Local, Bits<QA>>,
    sent_place: Signal<Local, Bits<QA>>,
    sent_data: Signal<Local, Bits<2>>,
    none: Constant<OwedRow>,
    one: Constant<Bits<24>>,
}

impl<const QA: usize> Default for Owed<QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clearing: Default::default(),
            clear_index: Default::default(),
            store: Default::default(),
            order: Default::default(),
            order_index: Default::default(),
            wake: Default::default(),
            wake_index: Default::default(),
            index: Default::default(),
            shown: Default::default(),
            taken: Default::default(),
            rows: Default::default(),
            sent: Default::default(),
            held: Default::default(),
            busy: Default::default(),
            step: Default::default(),
            old: Default::default(),
            old_sent: Default::default(),
            covers: Default::default(),
            asked: Default::default(),
            clears: Default::default(),
            clear_row: Default::default(),
            wakes: Default::default(),
            wakes_index: Default::default(),
            kept: Default::default(),
            fresh: Default::default(),
            answer: Default::default(),
            who: Default::default(),
            fresh_syndrome: Default::default(),
            kept_syndrome: Default::default(),
            new_negative: Default::default(),
            old_negative: Default::default(),
            gain: Default::default(),
            next_number: Default::default(),
            replaces: Default::default(),
            frees: Default::default(),
            takes: Default::default(),
            written: Default::default(),
            place: Default::default(),
            sent_place: Default::default(),
            sent_data: Default::default(),
            none: Constant::new(Default::default()),
            one: Constant::new(1.into()),
        }
    }
}

impl<const QA: usize> Logic for Owed<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, busy, step, old, old_sent, covers, asked, clears, clear_row, wakes, wakes_index);
        clock!(self, clock, rows, sent);
        self.rows.clearing.next = self.clearing.val();
        self.rows.clear_index.next = self.clear_index.val();
        self.sent.clearing.next = self.clearing.val();
        self.sent.clear_index.next = self.clear_index.val();

        // Show.
        self.rows.index[0].next = bit_cast::<QA, 8>(self.index.val());
        self.sent.index[0].next = bit_cast::<QA, 8>(self.index.val());
        self.asked.d.next = bit_cast::<QA, 8>(self.index.val());
        self.answer.next = self.rows.out[0].val();
        self.shown.next.psn = self.answer.val().psn;
        self.shown.next.syndrome = self.answer.val().syndrome;
        self.shown.next.msn = self.answer.val().msn;
        self.shown.next.present = self.answer.val().number != self.sent.out[0].val();

        // Store: read, compare, write.
        self.store.ready.next = !self.busy.q.val();
        if self.store.valid.val() & !self.busy.q.val() {
            self.held.d.next = self.store.data.val();
            self.busy.d.next = true;
            self.step.d.next = 0.into();
        }
        self.fresh.next = self.store.data.val();
        if self.busy.q.val() {
            self.fresh.next = self.held.q.val();
            self.step.d.next = self.step.q.val() + 1;
        }
        self.who.next = self.fresh.val().qp;
        self.rows.index[1].next = bit_cast::<QA, 8>(self.who.val());
        self.sent.index[1].next = bit_cast::<QA, 8>(self.who.val());
        if self.step.q.val() == 0 {
            self.old.d.next = self.rows.out[1].val();
            self.old_sent.d.next = self.sent.out[1].val();
        }
        // A NAK covers the PSN before its own. The gain is what the new one covers more: with unlike kinds one more or less.
        self.kept.next = self.old.q.val();
        self.fresh_syndrome.next = self.fresh.val().syndrome;
        self.kept_syndrome.next = self.kept.val().syndrome;
        self.new_negative.next = self.fresh_syndrome.val().get_bit(5);
        self.old_negative.next = self.kept_syndrome.val().get_bit(5);
        self.gain.next = self.fresh.val().psn - self.kept.val().psn;
        if self.old_negative.val() & !self.new_negative.val() {
            // An ACK takes the place of a NAK only if it covers more (T62): psn >= the NAK's.
            self.covers.d.next = !self.gain.val().get_bit(23);
        } else if self.new_negative.val() & !self.old_negative.val() {
            self.gain.next = self.fresh.val().psn - self.kept.val().psn - self.one.val();
            self.covers.d.next = !self.gain.val().get_bit(23);
        } else {
            self.covers.d.next = !self.gain.val().get_bit(23);
        }
        self.replaces.next = self.covers.q.val() | (self.kept.val().number == self.old_sent.q.val());
        // Another number than the one that was sent last, and than the one that may be taken in this cycle.
        self.next_number.next = self.old_sent.q.val() + 1;
        if self.kept.val().number == self.next_number.val() {
            self.next_number.next = self.old_sent.q.val() + 2;
        }
        self.written.next.psn = self.fresh.val().psn;
        self.written.next.syndrome = self.fresh.val().syndrome;
        self.written.next.msn = self.fresh.val().msn;
        self.written.next.number = self.next_number.val();
        self.place.next = bit_cast::<QA, 8>(self.who.val());
        self.wakes.d.next = false;
        self.wakes_index.d.next = self.who.val();
        self.rows.write.next = false;
        if self.busy.q.val() & (self.step.q.val() == 2) {
            self.busy.d.next = false;
            self.wakes.d.next = true;
            self.rows.write.next = self.replaces.val();
        }
        self.wake.next = self.wakes.q.val();
        self.wake_index.next = self.wakes_index.q.val();

        // Take, and orders.
        self.takes.next = self.taken.val();
        self.sent_place.next = self.asked.q.val();
        self.sent_data.next = self.answer.val().number;
        if self.order.val() {
            self.clears.d.next = true;
            self.clear_row.d.next = bit_cast::<QA, 8>(self.order_index.val());
        }
        self.frees.next = self.clears.q.val() & !self.busy.q.val() & !self.taken.val();
        if self.frees.val() {
            self.clears.d.next = self.order.val();
            self.takes.next = true;
            self.sent_place.next = self.clear_row.q.val();
            self.sent_data.next = 0.into();
            self.rows.write.next = true;
            self.place.next = self.clear_row.q.val();
            self.written.next = self.none.val();
        }
        self.rows.write_index.next = self.place.val();
        self.rows.data.next = self.written.val();
        self.sent.write.next = self.takes.val();
        self.sent.write_index.next = self.sent_place.val();
        self.sent.data.next = self.sent_data.val();
        if self.reset.val() {
            self.busy.d.next = false;
            self.clears.d.next = false;
            self.wakes.d.next = false;
        }
    }
}
