//! DMA writes: gatherer and payload queue (rules WR1 to WR4).
use super::commit_fifo::CommitFifo;
use super::records::TlpHeader;
use super::write_gather::WriteGather;
use crate::widgets::{AxiWriteSubordinate, ChannelSource};
use rust_hdl::prelude::*;

/// AXI writes to memory writes; 2 KiB of payload wait at most.
#[derive(LogicBlock, Default)]
pub struct WriteRequest {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops all.
    pub reset: Signal<In, Bit>,
    /// Requester id.
    pub device_id: Signal<In, Bits<16>>,
    /// Memory writes may be sent.
    pub enabled: Signal<In, Bit>,
    /// Beats of the largest payload, less 1.
    pub payload_beats: Signal<In, Bits<6>>,
    /// The core's writes.
    pub bus: AxiWriteSubordinate<64, 8>,
    /// Headers of whole TLPs.
    pub header: ChannelSource<TlpHeader>,
    /// Their payload.
    pub payload: ChannelSource<Bits<64>>,
    /// A burst had a hole.
    pub hole: Signal<Out, Bit>,
    gather: WriteGather,
    stored: CommitFifo<Bits<64>, 8, 2>,
}

impl Logic for WriteRequest {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, gather, stored);
        self.gather.reset.next = self.reset.val();
        self.stored.reset.next = self.reset.val();
        self.gather.device_id.next = self.device_id.val();
        self.gather.enabled.next = self.enabled.val();
        self.gather.payload_beats.next = self.payload_beats.val();
        AxiWriteSubordinate::<64, 8>::link(&mut self.bus, &mut self.gather.bus);
        ChannelSource::<TlpHeader>::link(&mut self.header, &mut self.gather.header);
        self.gather.room.next = self.stored.room.val();
        self.stored.write.next = self.gather.data_valid.val();
        self.stored.data.next = self.gather.data.val();
        self.stored.commit.next = self.gather.commit.val();
        self.stored.revert.next = self.gather.revert.val();
        ChannelSource::<Bits<64>>::link(&mut self.payload, &mut self.stored.source);
        self.hole.next = self.gather.hole.val();
    }
}
