//! What the cursor reads of a queue pair: its own record, and copies of those of the others. Latency one cycle.
use super::{CursorRow, RetireRow};
use crate::rx::{AckState, RequesterContext};
use crate::types::SqContext;
use crate::widgets::Table;
use rust_hdl::prelude::*;

/// Tables of 2^QA queue pairs with one reader.
#[derive(LogicBlock, Default)]
pub struct CursorTables<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Queue pair to read.
    pub index: Signal<In, Bits<8>>,
    /// Writes the cursor.
    pub row_write: Signal<In, Bit>,
    /// Its queue pair.
    pub row_index: Signal<In, Bits<8>>,
    /// The cursor to write.
    pub row_data: Signal<In, CursorRow>,
    /// The cursor of `index`.
    pub row: Signal<Out, CursorRow>,
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
    /// The walker writes how far it is.
    pub retire_write: Signal<In, Bit>,
    /// Its queue pair.
    pub retire_index: Signal<In, Bits<8>>,
    /// How far.
    pub retire_row: Signal<In, RetireRow>,
    /// How far it is with `index`.
    pub retire: Signal<Out, RetireRow>,
    /// Slots retired are written.
    pub retired_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub retired_index: Signal<In, Bits<8>>,
    /// So many.
    pub retired_count: Signal<In, Bits<16>>,
    /// Slots retired of `index`.
    pub retired: Signal<Out, Bits<16>>,
    /// A context is written.
    pub context_write: Signal<In, Bit>,
    /// Its queue pair.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, SqContext>,
    /// State (rule T1) of `index`.
    pub state: Signal<Out, Bits<3>>,
    /// Attributes are written.
    pub attributes_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub attributes_index: Signal<In, Bits<8>>,
    /// The attributes.
    pub attributes_row: Signal<In, RequesterContext>,
    /// Attributes of `index`.
    pub attributes: Signal<Out, RequesterContext>,
    /// Frames that have come back are counted.
    pub returned_write: Signal<In, Bit>,
    /// Of this queue pair.
    pub returned_index: Signal<In, Bits<8>>,
    /// So many, modulo 4,096.
    pub returned_count: Signal<In, Bits<12>>,
    /// Frames of `index` that have come back.
    pub returned: Signal<Out, Bits<12>>,
    rows: Table<CursorRow, QA, 1>,
    acks: Table<AckState, QA, 1>,
    counts: Table<Bits<18>, QA, 1>,
    retires: Table<RetireRow, QA, 1>,
    slots: Table<Bits<16>, QA, 1>,
    states: Table<Bits<3>, QA, 1>,
    contexts: Table<RequesterContext, QA, 1>,
    frames: Table<Bits<12>, QA, 1>,
    place: Signal<Local, Bits<QA>>,
}

impl<const QA: usize> Logic for CursorTables<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, acks, counts, retires, slots, states, contexts, frames);
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

        self.retires.clearing.next = self.clearing.val();
        self.retires.clear_index.next = self.clear_index.val();
        self.retires.write.next = self.retire_write.val();
        self.retires.write_index.next = bit_cast::<QA, 8>(self.retire_index.val());
        self.retires.data.next = self.retire_row.val();
        self.retires.index[0].next = self.place.val();
        self.retire.next = self.retires.out[0].val();

        self.slots.clearing.next = self.clearing.val();
        self.slots.clear_index.next = self.clear_index.val();
        self.slots.write.next = self.retired_write.val();
        self.slots.write_index.next = bit_cast::<QA, 8>(self.retired_index.val());
        self.slots.data.next = self.retired_count.val();
        self.slots.index[0].next = self.place.val();
        self.retired.next = self.slots.out[0].val();

        self.states.clearing.next = self.clearing.val();
        self.states.clear_index.next = self.clear_index.val();
        self.states.write.next = self.context_write.val();
        self.states.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.states.data.next = self.context_row.val().state;
        self.states.index[0].next = self.place.val();
        self.state.next = self.states.out[0].val();

        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.contexts.write.next = self.attributes_write.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.attributes_index.val());
        self.contexts.data.next = self.attributes_row.val();
        self.contexts.index[0].next = self.place.val();
        self.attributes.next = self.contexts.out[0].val();

        self.frames.clearing.next = self.clearing.val();
        self.frames.clear_index.next = self.clear_index.val();
        self.frames.write.next = self.returned_write.val();
        self.frames.write_index.next = bit_cast::<QA, 8>(self.returned_index.val());
        self.frames.data.next = self.returned_count.val();
        self.frames.index[0].next = self.place.val();
        self.returned.next = self.frames.out[0].val();
    }
}
