//! The whole NIC behind flat, customary ports (`rnic_tiny`, `rnic_small`, `rnic_large` when exported): only links.
use super::events::EventMerge;
use crate::bar::Bar;
use crate::cq::{CompletionQueues, EventRing, InterruptRequests};
use crate::dma::Dma;
use crate::mr::MemoryRegions;
use crate::qp::QueuePairs;
use crate::rq::ReceiveQueue;
use crate::sq::SendQueue;
use crate::types::*;
use crate::widgets::*;
use rnic_abi::preset::Preset;
use rust_hdl::prelude::*;

/// The core. DATA bus bits, STRB = DATA / 8, LANES = DATA / 64; QA, CA, MA, RA: log2 of QPs, CQs, MR entries, page-buffer
/// rows; QPS = 2^QA.
#[derive(LogicBlock)]
pub struct Rnic<const DATA: usize, const STRB: usize, const LANES: usize, const QA: usize, const QPS: usize, const CA: usize, const MA: usize, const RA: usize, const POOL: usize, const READS: usize, const SHARE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    pub s_axil_awprot: Signal<In, Bits<3>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    pub s_axil_wvalid: Signal<In, Bit>,
    pub s_axil_wready: Signal<Out, Bit>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_araddr: Signal<In, Bits<16>>,
    pub s_axil_arprot: Signal<In, Bits<3>>,
    pub s_axil_arvalid: Signal<In, Bit>,
    pub s_axil_arready: Signal<Out, Bit>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    pub s_axil_rready: Signal<In, Bit>,
    pub m_axi_awid: Signal<Out, Bits<4>>,
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    pub m_axi_awlock: Signal<Out, Bit>,
    pub m_axi_awcache: Signal<Out, Bits<4>>,
    pub m_axi_awprot: Signal<Out, Bits<3>>,
    pub m_axi_awqos: Signal<Out, Bits<4>>,
    pub m_axi_awvalid: Signal<Out, Bit>,
    pub m_axi_awready: Signal<In, Bit>,
    pub m_axi_wdata: Signal<Out, Bits<DATA>>,
    pub m_axi_wstrb: Signal<Out, Bits<STRB>>,
    pub m_axi_wlast: Signal<Out, Bit>,
    pub m_axi_wvalid: Signal<Out, Bit>,
    pub m_axi_wready: Signal<In, Bit>,
    pub m_axi_bid: Signal<In, Bits<4>>,
    pub m_axi_bresp: Signal<In, Bits<2>>,
    pub m_axi_bvalid: Signal<In, Bit>,
    pub m_axi_bready: Signal<Out, Bit>,
    pub m_axi_arid: Signal<Out, Bits<4>>,
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    pub m_axi_arlock: Signal<Out, Bit>,
    pub m_axi_arcache: Signal<Out, Bits<4>>,
    pub m_axi_arprot: Signal<Out, Bits<3>>,
    pub m_axi_arqos: Signal<Out, Bits<4>>,
    pub m_axi_arvalid: Signal<Out, Bit>,
    pub m_axi_arready: Signal<In, Bit>,
    pub m_axi_rid: Signal<In, Bits<4>>,
    pub m_axi_rdata: Signal<In, Bits<DATA>>,
    pub m_axi_rresp: Signal<In, Bits<2>>,
    pub m_axi_rlast: Signal<In, Bit>,
    pub m_axi_rvalid: Signal<In, Bit>,
    pub m_axi_rready: Signal<Out, Bit>,
    pub m_axis_tx_tdata: Signal<Out, Bits<DATA>>,
    pub m_axis_tx_tkeep: Signal<Out, Bits<STRB>>,
    pub m_axis_tx_tvalid: Signal<Out, Bit>,
    pub m_axis_tx_tready: Signal<In, Bit>,
    pub m_axis_tx_tlast: Signal<Out, Bit>,
    pub m_axis_tx_tuser: Signal<Out, Bit>,
    pub s_axis_rx_tdata: Signal<In, Bits<DATA>>,
    pub s_axis_rx_tkeep: Signal<In, Bits<STRB>>,
    pub s_axis_rx_tvalid: Signal<In, Bit>,
    pub s_axis_rx_tready: Signal<Out, Bit>,
    pub s_axis_rx_tlast: Signal<In, Bit>,
    pub s_axis_rx_tuser: Signal<In, Bit>,
    pub irq_valid: Signal<Out, Bit>,
    pub irq_ready: Signal<In, Bit>,
    pub irq_vector: Signal<Out, Bits<5>>,
    bar: Bar,
    dma: Dma<DATA, STRB, READS, SHARE>,
    mr: MemoryRegions<DATA, LANES, QA, QPS, MA, RA>,
    sq: SendQueue<DATA, QA, QPS, POOL>,
    rq: ReceiveQueue<QA, QPS>,
    cq: CompletionQueues<DATA, STRB, CA>,
    events: EventRing<DATA, STRB>,
    merge: EventMerge,
    interrupts: InterruptRequests,
    qp: QueuePairs<QA, QPS>,
    size: Constant<Bits<3>>,
    restart: Signal<Local, Bit>,
    no_read: Constant<ReadCommand>,
    no_question: Constant<LookupQuestion>,
}

impl<const DATA: usize, const STRB: usize, const LANES: usize, const QA: usize, const QPS: usize, const CA: usize, const MA: usize, const RA: usize, const POOL: usize, const READS: usize, const SHARE: usize> Logic
    for Rnic<DATA, STRB, LANES, QA, QPS, CA, MA, RA, POOL, READS, SHARE>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bar, dma, mr, sq, rq, cq, events, merge, interrupts, qp);
        // Resets and the clearing of tables.
        self.bar.reset.next = self.reset.val();
        self.restart.next = self.bar.core_reset.val();
        self.dma.reset.next = self.reset.val();
        self.mr.reset.next = self.restart.val();
        self.sq.reset.next = self.restart.val();
        self.rq.reset.next = self.restart.val();
        self.cq.reset.next = self.restart.val();
        self.qp.reset.next = self.restart.val();
        self.events.reset.next = self.restart.val();
        self.merge.reset.next = self.restart.val();
        self.interrupts.reset.next = self.restart.val();
        self.dma.stop.next = self.bar.dma_stop.val();
        self.bar.dma_idle.next = self.dma.idle.val();
        self.mr.clearing.next = self.bar.clearing.val();
        self.mr.clear_index.next = self.bar.clear_index.val();
        self.sq.clearing.next = self.bar.clearing.val();
        self.sq.clear_index.next = self.bar.clear_index.val();
        self.rq.clearing.next = self.bar.clearing.val();
        self.rq.clear_index.next = self.bar.clear_index.val();
        self.cq.clearing.next = self.bar.clearing.val();
        self.cq.clear_index.next = self.bar.clear_index.val();
        self.qp.clearing.next = self.bar.clearing.val();
        self.qp.clear_index.next = self.bar.clear_index.val();

        // Host memory.
        ReadClient::<DATA>::join(&mut self.sq.fetch, &mut self.dma.wqe);
        ReadClient::<DATA>::join(&mut self.mr.list, &mut self.dma.list);
        WriteClient::<DATA>::join(&mut self.cq.cqe, &mut self.dma.cqe);
        WriteClient::<DATA>::join(&mut self.events.event, &mut self.dma.event);
        // Receive WQEs are read once a wire delivers messages.
        self.dma.receive.command.data.next = self.no_read.val();
        self.dma.receive.command.valid.next = false;

        // Admin commands and what the subsystems tell each other.
        AdminManager::join(&mut self.bar.mr, &mut self.mr.admin);
        AdminManager::join(&mut self.bar.cq, &mut self.cq.admin);
        AdminManager::join(&mut self.bar.qp, &mut self.qp.admin);
        self.qp.probe_qp.next = self.mr.probe_qp.val();
        self.mr.probe_identity.next = self.qp.probe_identity.val();
        self.sq.context_write.next = self.qp.sq_context_write.val();
        self.sq.context_index.next = self.qp.sq_context_index.val();
        self.sq.context.next = self.qp.sq_context.val();
        self.rq.context_write.next = self.qp.rq_context_write.val();
        self.rq.context_index.next = self.qp.rq_context_index.val();
        self.rq.context.next = self.qp.rq_context.val();
        self.sq.control.next = self.qp.control.val();
        self.rq.control.next = self.qp.control.val();
        self.mr.control.next = self.qp.control.val();
        self.qp.sq_failed.next = self.sq.failed.val();
        self.qp.sq_failed_index.next = self.sq.failed_index.val();
        self.sq.status_index.next = self.qp.sq_status_index.val();
        self.qp.sq_status_fetched.next = self.sq.status_fetched.val();
        self.qp.sq_status_retired.next = self.sq.status_retired.val();
        self.qp.sq_status_posted.next = self.sq.status_posted.val();
        self.rq.status_index.next = self.qp.rq_status_index.val();
        self.qp.rq_status_used.next = self.rq.status_used.val();
        self.qp.rq_status_posted.next = self.rq.status_posted.val();
        ChannelSource::<Bits<12>>::join(&mut self.cq.failed, &mut self.qp.cq_failed);
        self.cq.use_cqn.next = self.qp.use_cqn.val();
        self.qp.use_exists.next = self.cq.use_exists.val();
        self.cq.use_take.next = self.qp.use_take.val();
        self.cq.use_release.next = self.qp.use_release.val();
        self.cq.fence.next = self.qp.fence.val();
        self.qp.fenced.next = self.cq.fenced.val();

        // Work: doorbells, items, outcomes, completions, errors.
        ChannelSource::<Doorbell>::join(&mut self.bar.sq_doorbell, &mut self.sq.doorbell);
        ChannelSource::<Doorbell>::join(&mut self.bar.rq_doorbell, &mut self.rq.doorbell);
        ChannelSource::<Doorbell>::join(&mut self.bar.cq_doorbell, &mut self.cq.doorbell);
        ChannelSource::<WorkItem>::join(&mut self.sq.work, &mut self.mr.work);
        ChannelSource::<WorkOutcome>::join(&mut self.mr.outcome, &mut self.sq.outcome);
        ChannelSource::<CqeRequest>::join(&mut self.sq.cqe, &mut self.cq.send);
        ChannelSource::<CqeRequest>::join(&mut self.rq.cqe, &mut self.cq.receive);
        ChannelSource::<Bits<8>>::join(&mut self.sq.syndrome, &mut self.bar.syndrome);
        ChannelSource::<Bits<8>>::join(&mut self.sq.drop, &mut self.bar.sq_drop);
        ChannelSource::<Bits<8>>::join(&mut self.rq.drop, &mut self.bar.rq_drop);
        ChannelSource::<Bits<8>>::join(&mut self.cq.drop, &mut self.bar.cq_drop);
        self.cq.ticks.next = self.bar.ticks.val();

        // Events and interrupts.
        ChannelSource::<EventRequest>::join(&mut self.qp.event, &mut self.merge.qp);
        ChannelSource::<EventRequest>::join(&mut self.merge.source, &mut self.events.requests);
        self.merge.fatal.next = self.mr.fatal.val();
        self.bar.fatal.next = self.mr.fatal.val();
        self.events.base.next = self.bar.event_base.val();
        self.events.log2.next = self.bar.event_log2.val();
        self.events.consumer.next = self.bar.event_consumer.val();
        self.events.restart.next = self.bar.event_restart.val();
        self.bar.event_overflow.next = self.events.overflow.val();
        self.interrupts.cq_request.next = self.cq.interrupt.val();
        self.interrupts.cq_vector.next = self.cq.interrupt_vector.val();
        self.interrupts.event_request.next = self.events.interrupt.val();
        self.irq_valid.next = self.interrupts.irq_valid.val();
        self.irq_vector.next = self.interrupts.irq_vector.val();
        self.interrupts.irq_ready.next = self.irq_ready.val();

        // No payload engine asks for translations yet; `probe` uses the same pipeline.
        self.mr.ask.next = false;
        self.mr.question.next = self.no_question.val();
        self.mr.read_end.next = false;
        self.mr.read_end_index.next = 0.into();
        self.mr.write_end.next = false;
        self.mr.write_end_index.next = 0.into();

        // The flat ports.
        self.bar.bus.awaddr.next = self.s_axil_awaddr.val();
        self.bar.bus.awvalid.next = self.s_axil_awvalid.val();
        self.bar.bus.wdata.next = self.s_axil_wdata.val();
        self.bar.bus.wstrb.next = self.s_axil_wstrb.val();
        self.bar.bus.wvalid.next = self.s_axil_wvalid.val();
        self.bar.bus.bready.next = self.s_axil_bready.val();
        self.bar.bus.araddr.next = self.s_axil_araddr.val();
        self.bar.bus.arvalid.next = self.s_axil_arvalid.val();
        self.bar.bus.rready.next = self.s_axil_rready.val();
        self.s_axil_awready.next = self.bar.bus.awready.val();
        self.s_axil_wready.next = self.bar.bus.wready.val();
        self.s_axil_bresp.next = self.bar.bus.bresp.val();
        self.s_axil_bvalid.next = self.bar.bus.bvalid.val();
        self.s_axil_arready.next = self.bar.bus.arready.val();
        self.s_axil_rdata.next = self.bar.bus.rdata.val();
        self.s_axil_rresp.next = self.bar.bus.rresp.val();
        self.s_axil_rvalid.next = self.bar.bus.rvalid.val();
        self.m_axi_arid.next = self.dma.read.arid.val();
        self.m_axi_araddr.next = self.dma.read.araddr.val();
        self.m_axi_arlen.next = self.dma.read.arlen.val();
        self.m_axi_arvalid.next = self.dma.read.arvalid.val();
        self.m_axi_rready.next = self.dma.read.rready.val();
        self.dma.read.arready.next = self.m_axi_arready.val();
        self.dma.read.rid.next = self.m_axi_rid.val();
        self.dma.read.rdata.next = self.m_axi_rdata.val();
        self.dma.read.rresp.next = self.m_axi_rresp.val();
        self.dma.read.rlast.next = self.m_axi_rlast.val();
        self.dma.read.rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_awid.next = self.dma.write.awid.val();
        self.m_axi_awaddr.next = self.dma.write.awaddr.val();
        self.m_axi_awlen.next = self.dma.write.awlen.val();
        self.m_axi_awvalid.next = self.dma.write.awvalid.val();
        self.m_axi_wdata.next = self.dma.write.wdata.val();
        self.m_axi_wstrb.next = self.dma.write.wstrb.val();
        self.m_axi_wlast.next = self.dma.write.wlast.val();
        self.m_axi_wvalid.next = self.dma.write.wvalid.val();
        self.m_axi_bready.next = self.dma.write.bready.val();
        self.dma.write.awready.next = self.m_axi_awready.val();
        self.dma.write.wready.next = self.m_axi_wready.val();
        self.dma.write.bid.next = self.m_axi_bid.val();
        self.dma.write.bresp.next = self.m_axi_bresp.val();
        self.dma.write.bvalid.next = self.m_axi_bvalid.val();
        self.m_axi_awsize.next = self.size.val();
        self.m_axi_awburst.next = 1.into();
        self.m_axi_awlock.next = false;
        self.m_axi_awcache.next = 3.into();
        self.m_axi_awprot.next = 2.into();
        self.m_axi_awqos.next = 0.into();
        self.m_axi_arsize.next = self.size.val();
        self.m_axi_arburst.next = 1.into();
        self.m_axi_arlock.next = false;
        self.m_axi_arcache.next = 3.into();
        self.m_axi_arprot.next = 2.into();
        self.m_axi_arqos.next = 0.into();

        // There is no wire yet: frames are neither sent nor kept.
        self.m_axis_tx_tdata.next = 0.into();
        self.m_axis_tx_tkeep.next = 0.into();
        self.m_axis_tx_tvalid.next = false;
        self.m_axis_tx_tlast.next = false;
        self.m_axis_tx_tuser.next = false;
        self.s_axis_rx_tready.next = true;
    }
}
