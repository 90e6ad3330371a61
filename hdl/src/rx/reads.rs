//! Record RT: the READs and atomics that are outstanding, 16 a queue pair, a ring whose ends are counted elsewhere
//! (`rd_tail` of the send queue, `rd_head` of the engine of acknowledgements), so that no start-up contents matter (T9).
//!
//! The send queue writes an entry when it sends the request for the first time (T17, T38). Latency one cycle; head and sink
//! hold until the next read.
use super::ack_records::{OpenRead, ReadSink};
use crate::widgets::Memory;
use rust_hdl::prelude::*;

/// Table of 2^QA queue pairs, 2^RA = 16 x 2^QA entries.
#[derive(LogicBlock)]
pub struct OpenReads<const QA: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Writes an entry.
    pub write: Signal<In, Bit>,
    /// Its queue pair.
    pub write_index: Signal<In, Bits<8>>,
    /// Its place in the ring.
    pub write_slot: Signal<In, Bits<4>>,
    /// Its head.
    pub write_head: Signal<In, OpenRead>,
    /// Its SGEs.
    pub write_sink: Signal<In, ReadSink>,
    /// Reads an entry.
    pub read: Signal<In, Bit>,
    /// Its queue pair.
    pub index: Signal<In, Bits<8>>,
    /// Its place in the ring.
    pub slot: Signal<In, Bits<4>>,
    /// Its head.
    pub head: Signal<Out, OpenRead>,
    /// Its SGEs.
    pub sink: Signal<Out, ReadSink>,
    heads: Memory<OpenRead, RA>,
    sinks: Memory<ReadSink, RA>,
    write_row: Signal<Local, Bits<RA>>,
    row: Signal<Local, Bits<RA>>,
}

impl<const QA: usize, const RA: usize> Default for OpenReads<QA, RA> {
    fn default() -> Self {
        assert_eq!(RA, QA + 4, "16 entries a queue pair");
        Self {
            clock: Default::default(),
            write: Default::default(),
            write_index: Default::default(),
            write_slot: Default::default(),
            write_head: Default::default(),
            write_sink: Default::default(),
            read: Default::default(),
            index: Default::default(),
            slot: Default::default(),
            head: Default::default(),
            sink: Default::default(),
            heads: Default::default(),
            sinks: Default::default(),
            write_row: Default::default(),
            row: Default::default(),
        }
    }
}

impl<const QA: usize, const RA: usize> Logic for OpenReads<QA, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, heads, sinks);
        self.write_row.next = bit_cast::<RA, 8>(self.write_index.val()) << 4;
        self.write_row.next = self.write_row.val() | bit_cast::<RA, 4>(self.write_slot.val());
        self.row.next = bit_cast::<RA, 8>(self.index.val()) << 4;
        self.row.next = self.row.val() | bit_cast::<RA, 4>(self.slot.val());
        self.heads.write.next = self.write.val();
        self.heads.write_address.next = self.write_row.val();
        self.heads.data.next = self.write_head.val();
        self.sinks.write.next = self.write.val();
        self.sinks.write_address.next = self.write_row.val();
        self.sinks.data.next = self.write_sink.val();
        self.heads.read.next = self.read.val();
        self.heads.read_address.next = self.row.val();
        self.sinks.read.next = self.read.val();
        self.sinks.read_address.next = self.row.val();
        self.head.next = self.heads.out.val();
        self.sink.next = self.sinks.out.val();
    }
}
