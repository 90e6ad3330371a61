//! The DMA of the NIC: all its reads and writes of host memory, over one AXI4 port.
//!
//! Clients have the AXI ids of `rnic_abi::axi`; one more client is one more element of the arrays and one more port.
//! Address bits 63:52 are 0. `stop` starts no burst, finishes those that are on the bus, and then `idle` holds.
use super::{ReadEngine, WriteBuffer, WriteBurst, WriteEngine};
use crate::types::WriteCommand;
use crate::types::{ReadServer, WriteServer};
use crate::widgets::{AxiReadManager, AxiWriteManager, ChannelSink, ChannelSource};
use rnic_abi::axi;
use rust_hdl::prelude::*;

/// Write bursts in flight: a CQE every four cycles at 500 cycles of latency.
const WRITES: usize = 128;
/// Of these, bursts that each write client owns.
const WRITE_SHARE: usize = 8;

const READERS: [u8; 6] =
    [axi::READ_SQ_WQE, axi::READ_RECEIVE_WQE, axi::READ_PAGE_LIST, axi::READ_ATOMIC, axi::READ_RAW, axi::READ_GATHER];
const WRITERS: [u8; 6] =
    [axi::WRITE_CQE, axi::WRITE_EVENT, axi::WRITE_PAYLOAD, axi::WRITE_READ_DATA, axi::WRITE_ATOMIC, axi::WRITE_RAW];

/// DMA on a bus of DATA bits, STRB = DATA / 8, with READS read bursts in flight of which each client owns SHARE.
#[derive(LogicBlock)]
pub struct Dma<const DATA: usize, const STRB: usize, const READS: usize, const SHARE: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything; only while `idle`, or answers of the bus are lost.
    pub reset: Signal<In, Bit>,
    /// Starts no burst.
    pub stop: Signal<In, Bit>,
    /// No burst is on the bus. With `stop` it stays so.
    pub idle: Signal<Out, Bit>,
    /// Send-queue WQEs.
    pub wqe: ReadServer<DATA>,
    /// Receive WQEs.
    pub receive: ReadServer<DATA>,
    /// Page lists.
    pub list: ReadServer<DATA>,
    /// Operands of atomics.
    pub atomic_read: ReadServer<DATA>,
    /// Raw rings and frames to send.
    pub raw_read: ReadServer<DATA>,
    /// Payload of frames to send.
    pub payload: ReadServer<DATA>,
    /// CQEs.
    pub cqe: WriteServer<DATA>,
    /// Events.
    pub events: WriteServer<DATA>,
    /// Payload of requests.
    pub placed: WriteServer<DATA>,
    /// Data of READ responses and atomic results.
    pub read_data: WriteServer<DATA>,
    /// Results of atomics.
    pub atomic_write: WriteServer<DATA>,
    /// Raw rings and received frames.
    pub raw_write: WriteServer<DATA>,
    /// Read channels of the bus.
    pub read: AxiReadManager<DATA>,
    /// Write channels of the bus.
    pub write: AxiWriteManager<DATA, STRB>,
    reads: ReadEngine<DATA, STRB, 6, 3>,
    writes: WriteEngine<DATA, STRB, 6, 3>,
    cqe_buffer: WriteBuffer<DATA, 5, 3>,
    event_buffer: WriteBuffer<DATA, 4, 3>,
    placed_buffer: WriteBuffer<DATA, 7, 4>,
    read_data_buffer: WriteBuffer<DATA, 7, 4>,
    atomic_buffer: WriteBuffer<DATA, 2, 2>,
    raw_buffer: WriteBuffer<DATA, 7, 3>,
}

impl<const DATA: usize, const STRB: usize, const READS: usize, const SHARE: usize> Default
    for Dma<DATA, STRB, READS, SHARE>
{
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stop: Default::default(),
            idle: Default::default(),
            wqe: Default::default(),
            receive: Default::default(),
            list: Default::default(),
            atomic_read: Default::default(),
            raw_read: Default::default(),
            payload: Default::default(),
            cqe: Default::default(),
            events: Default::default(),
            placed: Default::default(),
            read_data: Default::default(),
            atomic_write: Default::default(),
            raw_write: Default::default(),
            read: Default::default(),
            write: Default::default(),
            reads: ReadEngine::new(READERS, READS, SHARE),
            writes: WriteEngine::new(WRITERS, WRITES, WRITE_SHARE),
            cqe_buffer: Default::default(),
            event_buffer: Default::default(),
            placed_buffer: Default::default(),
            read_data_buffer: Default::default(),
            atomic_buffer: Default::default(),
            raw_buffer: Default::default(),
        }
    }
}

impl<const DATA: usize, const STRB: usize, const READS: usize, const SHARE: usize> Logic
    for Dma<DATA, STRB, READS, SHARE>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, reads, writes, cqe_buffer, event_buffer);
        clock!(self, clock, placed_buffer, read_data_buffer, atomic_buffer, raw_buffer);
        self.reads.reset.next = self.reset.val();
        self.writes.reset.next = self.reset.val();
        self.cqe_buffer.reset.next = self.reset.val();
        self.event_buffer.reset.next = self.reset.val();
        self.placed_buffer.reset.next = self.reset.val();
        self.read_data_buffer.reset.next = self.reset.val();
        self.atomic_buffer.reset.next = self.reset.val();
        self.raw_buffer.reset.next = self.reset.val();
        self.reads.stop.next = self.stop.val();
        self.writes.stop.next = self.stop.val();
        self.idle.next = self.reads.idle.val() & self.writes.idle.val();
        ReadServer::<DATA>::link(&mut self.wqe, &mut self.reads.clients[0]);
        ReadServer::<DATA>::link(&mut self.receive, &mut self.reads.clients[1]);
        ReadServer::<DATA>::link(&mut self.list, &mut self.reads.clients[2]);
        ReadServer::<DATA>::link(&mut self.atomic_read, &mut self.reads.clients[3]);
        ReadServer::<DATA>::link(&mut self.raw_read, &mut self.reads.clients[4]);
        ReadServer::<DATA>::link(&mut self.payload, &mut self.reads.clients[5]);
        AxiReadManager::<DATA>::link(&mut self.read, &mut self.reads.bus);
        ChannelSink::<WriteCommand>::link(&mut self.cqe.command, &mut self.cqe_buffer.command);
        ChannelSink::<Bits<DATA>>::link(&mut self.cqe.beat, &mut self.cqe_buffer.beat);
        ChannelSource::<WriteBurst>::join(&mut self.cqe_buffer.burst, &mut self.writes.bursts[0]);
        ChannelSource::<Bits<DATA>>::join(&mut self.cqe_buffer.beats, &mut self.writes.beats[0]);
        self.cqe.done.next = self.writes.done.val().get_bit(0);
        self.cqe.failed.next = self.writes.done.val().get_bit(0) & self.writes.failed.val();
        ChannelSink::<WriteCommand>::link(&mut self.events.command, &mut self.event_buffer.command);
        ChannelSink::<Bits<DATA>>::link(&mut self.events.beat, &mut self.event_buffer.beat);
        ChannelSource::<WriteBurst>::join(&mut self.event_buffer.burst, &mut self.writes.bursts[1]);
        ChannelSource::<Bits<DATA>>::join(&mut self.event_buffer.beats, &mut self.writes.beats[1]);
        self.events.done.next = self.writes.done.val().get_bit(1);
        self.events.failed.next = self.writes.done.val().get_bit(1) & self.writes.failed.val();
        ChannelSink::<WriteCommand>::link(&mut self.placed.command, &mut self.placed_buffer.command);
        ChannelSink::<Bits<DATA>>::link(&mut self.placed.beat, &mut self.placed_buffer.beat);
        ChannelSource::<WriteBurst>::join(&mut self.placed_buffer.burst, &mut self.writes.bursts[2]);
        ChannelSource::<Bits<DATA>>::join(&mut self.placed_buffer.beats, &mut self.writes.beats[2]);
        self.placed.done.next = self.writes.done.val().get_bit(2);
        self.placed.failed.next = self.writes.done.val().get_bit(2) & self.writes.failed.val();
        ChannelSink::<WriteCommand>::link(&mut self.read_data.command, &mut self.read_data_buffer.command);
        ChannelSink::<Bits<DATA>>::link(&mut self.read_data.beat, &mut self.read_data_buffer.beat);
        ChannelSource::<WriteBurst>::join(&mut self.read_data_buffer.burst, &mut self.writes.bursts[3]);
        ChannelSource::<Bits<DATA>>::join(&mut self.read_data_buffer.beats, &mut self.writes.beats[3]);
        self.read_data.done.next = self.writes.done.val().get_bit(3);
        self.read_data.failed.next = self.writes.done.val().get_bit(3) & self.writes.failed.val();
        ChannelSink::<WriteCommand>::link(&mut self.atomic_write.command, &mut self.atomic_buffer.command);
        ChannelSink::<Bits<DATA>>::link(&mut self.atomic_write.beat, &mut self.atomic_buffer.beat);
        ChannelSource::<WriteBurst>::join(&mut self.atomic_buffer.burst, &mut self.writes.bursts[4]);
        ChannelSource::<Bits<DATA>>::join(&mut self.atomic_buffer.beats, &mut self.writes.beats[4]);
        self.atomic_write.done.next = self.writes.done.val().get_bit(4);
        self.atomic_write.failed.next = self.writes.done.val().get_bit(4) & self.writes.failed.val();
        ChannelSink::<WriteCommand>::link(&mut self.raw_write.command, &mut self.raw_buffer.command);
        ChannelSink::<Bits<DATA>>::link(&mut self.raw_write.beat, &mut self.raw_buffer.beat);
        ChannelSource::<WriteBurst>::join(&mut self.raw_buffer.burst, &mut self.writes.bursts[5]);
        ChannelSource::<Bits<DATA>>::join(&mut self.raw_buffer.beats, &mut self.writes.beats[5]);
        self.raw_write.done.next = self.writes.done.val().get_bit(5);
        self.raw_write.failed.next = self.writes.done.val().get_bit(5) & self.writes.failed.val();
        AxiWriteManager::<DATA, STRB>::link(&mut self.write, &mut self.writes.bus);
    }
}
