//! The whole NIC behind flat, customary ports (`rnic_tiny`, `rnic_small`, `rnic_large` when exported): only links.
use super::events::EventMerge;
use super::transport::Transport;
use crate::bar::Bar;
use crate::cq::{CompletionQueues, EventRing, InterruptRequests};
use crate::dma::Dma;
use crate::mr::{Limits, MemoryRegions};
use crate::qp::QueuePairs;
use crate::rq::ReceiveQueue;
use crate::rx::AckOrder;
use crate::sq::{LostFrame, SendQueue};
use crate::types::*;
use crate::widgets::*;
use rnic_abi::limits;
use rnic_abi::preset::Preset;
use rust_hdl::prelude::*;

/// The core at one set of sizes; the presets are in [`super::presets`].
///
/// DATA bus bits, STRB = DATA / 8, LANES = DATA / 64, INL = min(DATA, 256); QA, CA, MA, RA: log2 of QPs (QPS), CQs, MR entries,
/// page-buffer rows; POOL, BATCHES, PENDING, LISTS, INLINES: log2 of the beats of prefetched WQEs, of their batches, of the
/// operations that wait for their lists, of list beats, of inline-list beats; READS in flight, SHARE reserved for each client.
#[derive(LogicBlock)]
pub struct Rnic<
    const DATA: usize,
    const STRB: usize,
    const LANES: usize,
    const INL: usize,
    const QA: usize,
    const QPS: usize,
    const CA: usize,
    const MA: usize,
    const RA: usize,
    const POOL: usize,
    const BATCHES: usize,
    const PENDING: usize,
    const LISTS: usize,
    const INLINES: usize,
    const READS: usize,
    const SHARE: usize,
    const Q1: usize,
    const Q4: usize,
    const Q5: usize,
    const FA: usize,
    const GB: usize,
    const GF: usize,
    const RF: usize,
    const RB: usize,
    const WA: usize,
    const DEPTH: usize,
    const OA: usize,
    const OR: usize,
> {
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
    mr: MemoryRegions<DATA, LANES, INL, QA, QPS, MA, RA, PENDING, LISTS, INLINES>,
    sq: SendQueue<DATA, QA, QPS, POOL, BATCHES, OA, OR>,
    rq: ReceiveQueue<QA, QPS>,
    cq: CompletionQueues<DATA, STRB, CA>,
    events: EventRing<DATA, STRB>,
    merge: EventMerge,
    interrupts: InterruptRequests,
    qp: QueuePairs<QA, QPS>,
    transport: Transport<DATA, STRB, QA, QPS, Q1, Q4, Q5, FA, GB, GF, RF, RB, WA, DEPTH>,
    receive_cqes: Merge<CqeRequest, 2, 1>,
    notices: Merge<EventRequest, 2, 1>,
    syndromes: Merge<Bits<8>, 2, 1>,
    size: Constant<Bits<3>>,
    restart: Signal<Local, Bit>,
}

impl<
        const DATA: usize,
        const STRB: usize,
        const LANES: usize,
        const INL: usize,
        const QA: usize,
        const QPS: usize,
        const CA: usize,
        const MA: usize,
        const RA: usize,
        const POOL: usize,
        const BATCHES: usize,
        const PENDING: usize,
        const LISTS: usize,
        const INLINES: usize,
        const READS: usize,
        const SHARE: usize,
        const Q1: usize,
        const Q4: usize,
        const Q5: usize,
        const FA: usize,
        const GB: usize,
        const GF: usize,
        const RF: usize,
        const RB: usize,
        const WA: usize,
        const DEPTH: usize,
        const OA: usize,
        const OR: usize,
    >
    Rnic<
        DATA,
        STRB,
        LANES,
        INL,
        QA,
        QPS,
        CA,
        MA,
        RA,
        POOL,
        BATCHES,
        PENDING,
        LISTS,
        INLINES,
        READS,
        SHARE,
        Q1,
        Q4,
        Q5,
        FA,
        GB,
        GF,
        RF,
        RB,
        WA,
        DEPTH,
        OA,
        OR,
    >
{
    /// The core of a preset, whose sizes must be those of the type.
    pub fn new(preset: &Preset) -> Self {
        assert_eq!((DATA, QPS, 1 << QA), (preset.data as usize, preset.qps as usize, QPS), "{}", preset.name);
        assert_eq!((STRB, LANES, INL), (DATA / 8, DATA / 64, DATA.min(256)), "{}", preset.name);
        assert_eq!((1 << CA, 1 << MA), (preset.cqs() as usize, preset.mr_entries as usize), "{}", preset.name);
        assert_eq!((OR, 1 << OA), (QA + OA, preset.outstanding as usize), "{}", preset.name);
        assert_eq!(LANES << RA, preset.pages as usize, "{}", preset.name);
        assert_eq!((READS, SHARE), (preset.reads_in_flight as usize, preset.read_share as usize), "{}", preset.name);
        assert_eq!((1 << POOL) * DATA / 512, preset.wqe_pool as usize, "{}", preset.name);
        // One entry a cycle is cleared in all tables at once; the counters have 256 entries.
        let entries = (preset.mr_entries as usize).max(preset.cqs() as usize).max(256);
        let limits = Limits { max_pages: preset.max_page_list, drain_max: limits::DRAIN_MAX };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axil_awaddr: Default::default(),
            s_axil_awprot: Default::default(),
            s_axil_awvalid: Default::default(),
            s_axil_awready: Default::default(),
            s_axil_wdata: Default::default(),
            s_axil_wstrb: Default::default(),
            s_axil_wvalid: Default::default(),
            s_axil_wready: Default::default(),
            s_axil_bresp: Default::default(),
            s_axil_bvalid: Default::default(),
            s_axil_bready: Default::default(),
            s_axil_araddr: Default::default(),
            s_axil_arprot: Default::default(),
            s_axil_arvalid: Default::default(),
            s_axil_arready: Default::default(),
            s_axil_rdata: Default::default(),
            s_axil_rresp: Default::default(),
            s_axil_rvalid: Default::default(),
            s_axil_rready: Default::default(),
            m_axi_awid: Default::default(),
            m_axi_awaddr: Default::default(),
            m_axi_awlen: Default::default(),
            m_axi_awsize: Default::default(),
            m_axi_awburst: Default::default(),
            m_axi_awlock: Default::default(),
            m_axi_awcache: Default::default(),
            m_axi_awprot: Default::default(),
            m_axi_awqos: Default::default(),
            m_axi_awvalid: Default::default(),
            m_axi_awready: Default::default(),
            m_axi_wdata: Default::default(),
            m_axi_wstrb: Default::default(),
            m_axi_wlast: Default::default(),
            m_axi_wvalid: Default::default(),
            m_axi_wready: Default::default(),
            m_axi_bid: Default::default(),
            m_axi_bresp: Default::default(),
            m_axi_bvalid: Default::default(),
            m_axi_bready: Default::default(),
            m_axi_arid: Default::default(),
            m_axi_araddr: Default::default(),
            m_axi_arlen: Default::default(),
            m_axi_arsize: Default::default(),
            m_axi_arburst: Default::default(),
            m_axi_arlock: Default::default(),
            m_axi_arcache: Default::default(),
            m_axi_arprot: Default::default(),
            m_axi_arqos: Default::default(),
            m_axi_arvalid: Default::default(),
            m_axi_arready: Default::default(),
            m_axi_rid: Default::default(),
            m_axi_rdata: Default::default(),
            m_axi_rresp: Default::default(),
            m_axi_rlast: Default::default(),
            m_axi_rvalid: Default::default(),
            m_axi_rready: Default::default(),
            m_axis_tx_tdata: Default::default(),
            m_axis_tx_tkeep: Default::default(),
            m_axis_tx_tvalid: Default::default(),
            m_axis_tx_tready: Default::default(),
            m_axis_tx_tlast: Default::default(),
            m_axis_tx_tuser: Default::default(),
            s_axis_rx_tdata: Default::default(),
            s_axis_rx_tkeep: Default::default(),
            s_axis_rx_tvalid: Default::default(),
            s_axis_rx_tready: Default::default(),
            s_axis_rx_tlast: Default::default(),
            s_axis_rx_tuser: Default::default(),
            irq_valid: Default::default(),
            irq_ready: Default::default(),
            irq_vector: Default::default(),
            bar: Bar::new(preset, preset.core_khz, entries),
            dma: Default::default(),
            mr: MemoryRegions::new(limits),
            sq: Default::default(),
            rq: Default::default(),
            cq: Default::default(),
            events: Default::default(),
            merge: Default::default(),
            interrupts: Default::default(),
            qp: QueuePairs::new(preset),
            transport: Default::default(),
            receive_cqes: Default::default(),
            notices: Default::default(),
            syndromes: Default::default(),
            size: Constant::new(STRB.ilog2().to_bits()),
            restart: Default::default(),
        }
    }
}

impl<
        const DATA: usize,
        const STRB: usize,
        const LANES: usize,
        const INL: usize,
        const QA: usize,
        const QPS: usize,
        const CA: usize,
        const MA: usize,
        const RA: usize,
        const POOL: usize,
        const BATCHES: usize,
        const PENDING: usize,
        const LISTS: usize,
        const INLINES: usize,
        const READS: usize,
        const SHARE: usize,
        const Q1: usize,
        const Q4: usize,
        const Q5: usize,
        const FA: usize,
        const GB: usize,
        const GF: usize,
        const RF: usize,
        const RB: usize,
        const WA: usize,
        const DEPTH: usize,
        const OA: usize,
        const OR: usize,
    > Logic
    for Rnic<
        DATA,
        STRB,
        LANES,
        INL,
        QA,
        QPS,
        CA,
        MA,
        RA,
        POOL,
        BATCHES,
        PENDING,
        LISTS,
        INLINES,
        READS,
        SHARE,
        Q1,
        Q4,
        Q5,
        FA,
        GB,
        GF,
        RF,
        RB,
        WA,
        DEPTH,
        OA,
        OR,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bar, dma, mr, sq, rq, cq, events, merge, interrupts, qp);
        clock!(self, clock, transport, receive_cqes, notices, syndromes);
        // Resets and the clearing of tables.
        self.bar.reset.next = self.reset.val();
        self.restart.next = self.bar.core_reset.val();
        // Nothing is on the bus then; what waits for it in the buffers belongs to the life that ends (I1).
        self.dma.reset.next = self.reset.val() | self.restart.val();
        self.mr.reset.next = self.restart.val();
        self.sq.reset.next = self.restart.val();
        self.rq.reset.next = self.restart.val();
        self.cq.reset.next = self.restart.val();
        self.qp.reset.next = self.restart.val();
        self.events.reset.next = self.restart.val();
        self.merge.reset.next = self.restart.val();
        self.interrupts.reset.next = self.restart.val();
        self.transport.reset.next = self.restart.val();
        self.receive_cqes.reset.next = self.restart.val();
        self.notices.reset.next = self.restart.val();
        self.syndromes.reset.next = self.restart.val();
        self.transport.clearing.next = self.bar.clearing.val();
        self.transport.clear_index.next = self.bar.clear_index.val();
        self.dma.stop.next = self.bar.bus_stop.val();
        self.transport.wire_stop.next = self.bar.bus_stop.val();
        self.bar.bus_idle.next =
            self.dma.idle.val() & self.transport.wire_idle.val() & !self.interrupts.irq_valid.val();
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
        WriteClient::<DATA>::join(&mut self.events.events, &mut self.dma.events);
        ReadClient::<DATA>::join(&mut self.transport.receive, &mut self.dma.receive);
        ReadClient::<DATA>::join(&mut self.transport.payload, &mut self.dma.payload);
        ReadClient::<DATA>::join(&mut self.transport.atomic_read, &mut self.dma.atomic_read);
        WriteClient::<DATA>::join(&mut self.transport.atomic_write, &mut self.dma.atomic_write);
        WriteClient::<DATA>::join(&mut self.transport.placed, &mut self.dma.placed);
        WriteClient::<DATA>::join(&mut self.transport.read_data, &mut self.dma.read_data);
        ReadClient::<DATA>::join(&mut self.transport.raw_read, &mut self.dma.raw_read);
        WriteClient::<DATA>::join(&mut self.transport.raw_write, &mut self.dma.raw_write);
        for i in 0..2 {
            self.transport.raw_rings[i].next = self.bar.raw_rings[i].val();
            self.transport.raw_restarts[i].next = self.bar.raw_restarts[i].val();
        }

        // Admin commands and what the subsystems tell each other.
        AdminManager::join(&mut self.bar.mr, &mut self.mr.admin);
        AdminManager::join(&mut self.bar.cq, &mut self.cq.admin);
        AdminManager::join(&mut self.bar.qp, &mut self.qp.admin);
        self.qp.probe_qp.next = self.mr.probe_qp.val();
        self.mr.probe_identity.next = self.qp.probe_identity.val();
        self.sq.context_write.next = self.qp.sq_context_write.val();
        self.sq.context_index.next = self.qp.sq_context_index.val();
        self.sq.context_row.next = self.qp.sq_context.val();
        self.rq.context_write.next = self.qp.rq_context_write.val();
        self.rq.context_index.next = self.qp.rq_context_index.val();
        self.rq.context_row.next = self.qp.rq_context.val();
        self.sq.control.next = self.qp.control.val();
        self.rq.control.next = self.qp.control.val();
        self.mr.control.next = self.qp.control.val();
        self.qp.sq_failed.next = self.sq.failed.val();
        self.qp.sq_failed_index.next = self.sq.failed_index.val();
        self.sq.status_index.next = self.qp.sq_status_index.val();
        self.qp.sq_status_fetched.next = self.sq.status_fetched.val();
        self.qp.sq_status_started.next = self.sq.status_started.val();
        self.qp.hpsn_write.next = self.sq.public_write.val();
        self.qp.hpsn_index.next = self.sq.public_index.val();
        self.qp.hpsn.next = self.sq.public_row.val().hpsn;
        self.qp.state_write.next = self.transport.state_write.val();
        self.qp.state_index.next = self.transport.state_index.val();
        self.qp.state_row.next = self.transport.state_row.val();
        self.qp.served_write.next = self.transport.served_write.val();
        self.qp.served_index.next = self.transport.served_index.val();
        self.qp.served.next = self.transport.served.val();
        self.qp.sq_status_retired.next = self.sq.status_retired.val();
        self.rq.status_index.next = self.qp.rq_status_index.val();
        self.qp.rq_status_used.next = self.rq.status_used.val();
        ChannelSource::<Bits<12>>::join(&mut self.cq.failed, &mut self.qp.cq_failed);
        self.cq.use_cqn.next = self.qp.use_cqn.val();
        self.qp.use_exists.next = self.cq.use_exists.val();
        self.cq.use_take.next = self.qp.use_take.val();
        self.cq.use_release.next = self.qp.use_release.val();
        self.transport.context_write.next = self.qp.transport_write.val();
        self.transport.context_index.next = self.qp.transport_index.val();
        self.transport.responder_context.next = self.qp.responder_context.val();
        self.transport.requester_context.next = self.qp.requester_context.val();
        self.transport.respond_context.next = self.qp.respond_context.val();
        self.transport.wire_path.next = self.qp.wire_path.val();
        self.transport.rq_context_write.next = self.qp.rq_context_write.val();
        self.transport.rq_context_index.next = self.qp.rq_context_index.val();
        self.transport.rq_context.next = self.qp.rq_context.val();
        self.transport.control.next = self.qp.control.val();
        self.transport.order_start.next = self.qp.order_start.val();
        self.transport.order_clear.next = self.qp.order_clear.val();
        self.transport.order_index.next = self.qp.order_index.val();
        self.transport.order_psn.next = self.qp.order_psn.val();
        ChannelSource::<AckOrder>::join(&mut self.qp.ack_order, &mut self.transport.ack_order);
        self.transport.drain_mark.next = self.qp.drain_mark.val();
        self.qp.drained.next = self.transport.drained.val();
        ChannelSource::<QpFailure>::join(&mut self.transport.failed, &mut self.qp.receive_failed);
        self.transport.rest_index.next = self.qp.rest_index.val();
        self.qp.answers.next = self.transport.answers_busy.val();
        self.qp.rest_busy.next = self.transport.rest_busy.val() | !self.sq.status_settled.val();
        self.transport.posted_write.next = self.rq.posted_write.val();
        self.transport.posted_index.next = self.rq.posted_index.val();
        self.transport.posted_count.next = self.rq.posted_count.val();
        self.rq.completed.next = self.transport.completed.val();
        self.rq.completed_index.next = self.transport.completed_index.val();
        self.cq.fence.next = self.qp.fence.val();
        self.qp.fenced.next = self.cq.fenced.val();
        self.transport.wire_mark.next = self.qp.fence.val();
        self.qp.wire_passed.next = self.transport.wire_passed.val();

        // Work: doorbells, items, outcomes, completions, errors.
        ChannelSource::<Doorbell>::join(&mut self.bar.sq_doorbell, &mut self.sq.doorbell);
        ChannelSource::<Doorbell>::join(&mut self.bar.rq_doorbell, &mut self.rq.doorbell);
        ChannelSource::<Doorbell>::join(&mut self.bar.cq_doorbell, &mut self.cq.doorbell);
        ChannelSource::<WorkItem>::join(&mut self.sq.work, &mut self.mr.work);
        ChannelSource::<WorkOutcome>::join(&mut self.mr.outcome, &mut self.sq.outcome);
        ChannelSource::<CqeRequest>::join(&mut self.sq.cqe, &mut self.cq.send);
        ChannelSource::<CqeRequest>::join(&mut self.rq.cqe, &mut self.receive_cqes.sinks[0]);
        ChannelSource::<CqeRequest>::join(&mut self.transport.cqe, &mut self.receive_cqes.sinks[1]);
        ChannelSource::<CqeRequest>::join(&mut self.receive_cqes.source, &mut self.cq.receive);
        ChannelSource::<Bits<8>>::join(&mut self.sq.syndrome, &mut self.syndromes.sinks[0]);
        ChannelSource::<Bits<8>>::join(&mut self.transport.syndrome, &mut self.syndromes.sinks[1]);
        ChannelSource::<Bits<8>>::join(&mut self.syndromes.source, &mut self.bar.syndrome);
        ChannelSource::<Bits<8>>::join(&mut self.transport.drop, &mut self.bar.frame_drop);
        ChannelSource::<InvalidateOrder>::join(&mut self.transport.invalidate, &mut self.mr.invalidate);
        ChannelSource::<Bits<8>>::join(&mut self.mr.invalidated, &mut self.transport.invalidated);
        // Send queues and transport.
        self.transport.send.frame.next = self.sq.frame.data.val();
        self.transport.send.span.next = self.sq.span.val();
        self.transport.send.valid.next = self.sq.frame.valid.val();
        self.sq.frame.ready.next = self.transport.send.ready.val();
        self.sq.frame_done.next = self.transport.frame_done.val();
        self.sq.frame_tag.next = self.transport.frame_tag.val();
        ChannelSource::<LostFrame>::join(&mut self.transport.lost, &mut self.sq.lost);
        self.transport.voided.next = self.sq.voided.val();
        self.transport.voided_index.next = self.sq.voided_index.val();
        self.transport.public_write.next = self.sq.public_write.val();
        self.transport.public_index.next = self.sq.public_index.val();
        self.transport.public_row.next = self.sq.public_row.val();
        self.transport.open_write.next = self.sq.open_write.val();
        self.transport.open_index.next = self.sq.open_index.val();
        self.transport.open_slot.next = self.sq.open_slot.val();
        self.transport.open_head.next = self.sq.open_head.val();
        self.transport.open_sink.next = self.sq.open_sink.val();
        self.sq.state_write.next = self.transport.state_write.val();
        self.sq.state_index.next = self.transport.state_index.val();
        self.sq.state_row.next = self.transport.state_row.val();
        self.sq.done_write.next = self.transport.done_write.val();
        self.sq.done_index.next = self.transport.done_index.val();
        self.sq.done_count.next = self.transport.done_count.val();
        self.sq.landing_all.next = self.transport.landing_all.val();
        self.sq.landed.next = self.transport.landed.val();
        self.sq.landed_index.next = self.transport.landed_index.val();
        self.sq.window.next = bit_cast::<24, 32>(self.bar.window.val());
        ChannelSource::<AckOrder>::join(&mut self.qp.send_order, &mut self.sq.order);
        self.sq.attributes_write.next = self.qp.transport_write.val();
        self.sq.attributes_index.next = self.qp.transport_index.val();
        self.sq.attributes_row.next = self.qp.requester_context.val();
        ChannelSource::<Bits<8>>::join(&mut self.sq.drop, &mut self.bar.sq_drop);
        ChannelSource::<Bits<8>>::join(&mut self.rq.drop, &mut self.bar.rq_drop);
        ChannelSource::<Bits<8>>::join(&mut self.cq.drop, &mut self.bar.cq_drop);
        self.cq.ticks.next = self.bar.ticks.val();

        // Events and interrupts.
        ChannelSource::<EventRequest>::join(&mut self.qp.events, &mut self.notices.sinks[0]);
        ChannelSource::<EventRequest>::join(&mut self.transport.notice, &mut self.notices.sinks[1]);
        ChannelSource::<EventRequest>::join(&mut self.notices.source, &mut self.merge.qp);
        ChannelSource::<EventRequest>::join(&mut self.merge.source, &mut self.events.requests);
        self.merge.fatal.next = self.mr.fatal.val();
        self.bar.fatal.next = self.mr.fatal.val();
        self.events.base.next = self.bar.event_base.val();
        self.events.log2.next = self.bar.event_log2.val();
        self.events.consumer.next = self.bar.event_consumer.val();
        self.events.restart.next = self.bar.event_restart.val();
        self.bar.event_overflow.next = self.events.overflow.val();
        self.bar.event_missed.next = self.events.lost.val();
        self.interrupts.cq_request.next = self.cq.interrupt_request.val();
        self.interrupts.cq_vector.next = self.cq.interrupt_vector.val();
        self.interrupts.event_request.next = self.events.interrupt_request.val();
        self.irq_valid.next = self.interrupts.irq_valid.val();
        self.irq_vector.next = self.interrupts.irq_vector.val();
        self.interrupts.irq_ready.next = self.irq_ready.val();

        // Translations; `probe` uses the same pipeline.
        self.mr.ask.next = self.transport.ask.val();
        self.mr.question.next = self.transport.question.val();
        self.transport.answered.next = self.mr.answered.val();
        self.transport.answer.next = self.mr.answer.val();
        self.transport.crowded.next = self.mr.crowded.val();
        self.mr.read_end.next = self.transport.read_end.val();
        self.mr.read_end_index.next = self.transport.read_end_index.val();
        self.mr.write_end.next = self.transport.write_end.val();
        self.mr.write_end_index.next = self.transport.write_end_index.val();

        // Settings of the wire.
        self.transport.enable.next = self.bar.enable.val();
        self.transport.promiscuous.next = self.bar.promiscuous.val();
        self.transport.drop_when_full.next = self.bar.drop_when_full.val();
        self.transport.migreq.next = self.bar.migreq.val();
        self.transport.own_mac.next = self.bar.own_mac.val();
        for i in 0..8 {
            self.transport.own_addresses[i].next = self.bar.own_addresses[i].val();
        }
        self.transport.now.next = self.bar.all_ticks.val();

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

        self.m_axis_tx_tdata.next = self.transport.wire_out.tdata.val();
        self.m_axis_tx_tkeep.next = self.transport.wire_out.tkeep.val();
        self.m_axis_tx_tvalid.next = self.transport.wire_out.tvalid.val();
        self.m_axis_tx_tlast.next = self.transport.wire_out.tlast.val();
        self.m_axis_tx_tuser.next = self.transport.wire_out.tuser.val();
        self.transport.wire_out.tready.next = self.m_axis_tx_tready.val();
        self.transport.wire_in.tdata.next = self.s_axis_rx_tdata.val();
        self.transport.wire_in.tkeep.next = self.s_axis_rx_tkeep.val();
        self.transport.wire_in.tvalid.next = self.s_axis_rx_tvalid.val();
        self.transport.wire_in.tlast.next = self.s_axis_rx_tlast.val();
        self.transport.wire_in.tuser.next = self.s_axis_rx_tuser.val();
        self.s_axis_rx_tready.next = self.transport.wire_in.tready.val();
    }
}
