//! The per-queue-pair records that the engine of acknowledgements reads: its own state, and its copies of the context and of
//! what the send queue publishes. Latency one cycle; a row that is written is read at the earliest one cycle later.
use super::ack_records::{AckState, RequesterContext, SendPublic};
use crate::widgets::Table;
use rust_hdl::prelude::*;

/// Tables of 2^QA queue pairs.
#[derive(LogicBlock, Default)]
pub struct AckTables<const QA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The tables are being cleared.
    pub clearing: Signal<In, Bit>,
    /// Row that is cleared.
    pub clear_index: Signal<In, Bits<16>>,
    /// Writes a context.
    pub context_write: Signal<In, Bit>,
    /// Queue pair of the context.
    pub context_index: Signal<In, Bits<8>>,
    /// The context.
    pub context_row: Signal<In, RequesterContext>,
    /// Writes a published row.
    pub public_write: Signal<In, Bit>,
    /// Its queue pair.
    pub public_index: Signal<In, Bits<8>>,
    /// The row.
    pub public_row: Signal<In, SendPublic>,
    /// Writes a state.
    pub state_write: Signal<In, Bit>,
    /// Its queue pair.
    pub state_index: Signal<In, Bits<8>>,
    /// The state.
    pub state_row: Signal<In, AckState>,
    /// Queue pair to read.
    pub index: Signal<In, Bits<8>>,
    /// Its context.
    pub attributes: Signal<Out, RequesterContext>,
    /// Its published row.
    pub published: Signal<Out, SendPublic>,
    /// Its state.
    pub state: Signal<Out, AckState>,
    contexts: Table<RequesterContext, QA, 1>,
    publics: Table<SendPublic, QA, 1>,
    states: Table<AckState, QA, 1>,
}

impl<const QA: usize> Logic for AckTables<QA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, contexts, publics, states);
        self.contexts.clearing.next = self.clearing.val();
        self.contexts.clear_index.next = self.clear_index.val();
        self.contexts.write.next = self.context_write.val();
        self.contexts.write_index.next = bit_cast::<QA, 8>(self.context_index.val());
        self.contexts.data.next = self.context_row.val();
        self.publics.clearing.next = self.clearing.val();
        self.publics.clear_index.next = self.clear_index.val();
        self.publics.write.next = self.public_write.val();
        self.publics.write_index.next = bit_cast::<QA, 8>(self.public_index.val());
        self.publics.data.next = self.public_row.val();
        self.states.clearing.next = self.clearing.val();
        self.states.clear_index.next = self.clear_index.val();
        self.states.write.next = self.state_write.val();
        self.states.write_index.next = bit_cast::<QA, 8>(self.state_index.val());
        self.states.data.next = self.state_row.val();
        for i in 0..1 {
            self.contexts.index[i].next = bit_cast::<QA, 8>(self.index.val());
            self.publics.index[i].next = bit_cast::<QA, 8>(self.index.val());
            self.states.index[i].next = bit_cast::<QA, 8>(self.index.val());
            self.attributes.next = self.contexts.out[i].val();
            self.published.next = self.publics.out[i].val();
            self.state.next = self.states.out[i].val();
        }
    }
}
