//! What retirement reads of a queue pair: its own record, and copies of those of the others. Latency one cycle.
use super::{RetireRow, SendTail};
use crate::rx::AckState;
use crate::types::SqContext;
use crate::widgets::Table;
use rust_hdl::prelude::*;

/// Tables of 2^QA queue pairs with one reader.
#[derive(LogicBlock, Default)]
pub struct RetireTables<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Queue pair to read.
    pub index: Signal<In, Bits<8>>,
    /// Writes how far a queue pair is.
    pub row_write: Signal<In, Bit>,
    /// This queue pair.
    pub row_index: Signal<In, Bits<8>>,
    /// How far.
    pub row_data: Signal<In, RetireRow>,
    /// How far `index` is.
    pub row: Signal<Out, RetireRow>,
    /// The engine of acknowledgements writes a state.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// The state of `index`.
    pub ack: Signal<Out, AckState>,
    /// A count of stored READs and atomics is written.
    pub done_write: Signal<In, Bit>,
    /// Its queue pair.
    pub done_index: Signal<In, Bits<8>>,
    /// The count.
    pub done_count: Signal<In, Bits<18>>,
    /// The count of `index`.
    pub rd_done: Signal<Out, Bits<18>>,
    /// The cursor writes what it has sent.
    pub tail_write: Signal<In, Bit>,
    /// Its queue pair.
    pub tail_index: Signal<In, Bits<8>>,
    /// What it has sent.
    pub tail_row: Signal<In, SendTail>,
    /// What it has sent of `index`.
    pub tail: Signal<Out, SendTail>,
    /// Frames that have come back are counted.
    pub returned_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub returned_index: Signal<In, Bits<8>>,
    /// So many.
    pub returned_count: Signal<In, Bits<12>>,
    /// Frames of `index` that have come back.
    pub returned: Signal<Out, Bits<12>>,
    /// A context is written.
    pub context_write: Signal<In, Bit>,
    /// Its queue pair.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, SqContext>,
    /// State (rule T1) of `index`.
    pub state: Signal<Out, Bits<3>>,
    /// Log2 of the slots of its ring.
    pub log2: Signal<Out, Bits<4>>,
    rows: Table<RetireRow, QA, 1>,
    acks: Table<AckState, QA, 1>,
    counts: Table<Bits<18>, QA, 1>,
    tails: Table<SendTail, QA, 1>,
    frames: Table<Bits<12>, QA, 1>,
    states: Table<Bits<3>, QA, 1>,
    sizes: Table<Bits<4>, QA, 1>,
    place: Signal<Local, Bits<QA>>,
}

impl<const QA: usize> Logic for RetireTables<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, acks, counts, tails, frames, states, sizes);
        self.place.next = bit_cast::<QA, 8>(self.index.val());
        self.rows.clearing.next = self.clearing.val();
        self.rows.clear_index.next = self.clear_index.val();
        self.rows.write.next = self.row_write.val();
        self.rows.write_index.next = bit_cast::<QA, 8>(self.row_index.val());
        self.rows.data.next = self.row_data.val();
        self.rows.index[0].next = self.place.val();
        self.row.next = self.rows.out[0].val();

        self.acks.clearing.next = self.clearing.val();
        self.acks.clear_index.next = self.clear_index.val();
        self.acks.write.next = self.state_write.val();
        self.acks.write_index.next = bit_cast::<QA, 8>(self.state_index.val());
        self.acks.data.next = self.state_row.val();
        self.acks.index[0].next = self.place.val();
        self.ack.next = self.acks.out[0].val();

        self.counts.clearing.next = self.clearing.val();
        self.counts.clear_index.next = self.clear_index.val();
        self.counts.write.next = self.done_write.val();
        self.counts.write_index.next = bit_cast::<QA, 8>(self.done_index.val());
        self.counts.data.next = self.done_count.val();
        self.counts.index[0].next = self.place.val();
        self.rd_done.next = self.counts.out[0].val();

        self.tails.clearing.next = self.clearing.val();
        self.tails.clear_index.next = self.clear_index.val();
        self.tails.write.next = self.tail_write.val();
        self.tails.write_index.next = bit_cast::<QA, 8>(self.tail_index.val());
        self.tails.data.next = self.tail_row.val();
        self.tails.index[0].next = self.place.val();
        self.tail.next = self.tails.out[0].val();

        self.frames.clearing.next = self.clearing.val();
        self.frames.clear_index.next = self.clear_index.val();
        self.frames.write.next = self.returned_write.val();
        self.frames.write_index.next = bit_cast::<QA, 8>(self.returned_index.val());
        self.frames.data.next = self.returned_count.val();
        self.frames.index[0].next = self.place.val();
        self.returned.next = self.frames.out[0].val();

        self.states.clearing.next = self.clearing.val();
        self.states.clear_index.next = self.clear_index.val();
        self.states.write.next = self.context_write.val();
        self.states.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.states.data.next = self.context_row.val().state;
        self.states.index[0].next = self.place.val();
        self.state.next = self.states.out[0].val();

        self.sizes.clearing.next = self.clearing.val();
        self.sizes.clear_index.next = self.clear_index.val();
        self.sizes.write.next = self.context_write.val();
        self.sizes.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.sizes.data.next = self.context_row.val().log2;
        self.sizes.index[0].next = self.place.val();
        self.log2.next = self.sizes.out[0].val();
    }
}
