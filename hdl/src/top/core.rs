//! The whole NIC behind flat, customary ports (`rnic_tiny`, `rnic_small`, `rnic_large` when exported).
use rust_hdl::prelude::*;

/// The core. DATA bus bits, STRB = DATA / 8.
#[derive(LogicBlock, Default)]
pub struct Rnic<const DATA: usize, const STRB: usize> {
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
    waits: DFF<Bit>,
}

impl<const DATA: usize, const STRB: usize> Logic for Rnic<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        // Bare skeleton: every BAR access ends with DECERR until the subsystems are linked.
        dff_setup!(self, clock, waits);
        self.s_axil_awready.next = self.s_axil_wvalid.val() & self.s_axil_awvalid.val() & !self.waits.q.val();
        self.s_axil_wready.next = self.s_axil_wvalid.val() & self.s_axil_awvalid.val() & !self.waits.q.val();
        self.s_axil_bvalid.next = self.waits.q.val();
        self.s_axil_bresp.next = 3.into();
        if self.s_axil_bready.val() {
            self.waits.d.next = false;
        }
        if self.s_axil_wvalid.val() & self.s_axil_awvalid.val() & !self.waits.q.val() {
            self.waits.d.next = true;
        }
        self.s_axil_arready.next = self.s_axil_rready.val();
        self.s_axil_rvalid.next = self.s_axil_arvalid.val();
        self.s_axil_rdata.next = 0.into();
        self.s_axil_rresp.next = 3.into();
        self.m_axi_awid.next = 0.into();
        self.m_axi_awaddr.next = 0.into();
        self.m_axi_awlen.next = 0.into();
        self.m_axi_awsize.next = 0.into();
        self.m_axi_awburst.next = 1.into();
        self.m_axi_awlock.next = false;
        self.m_axi_awcache.next = 3.into();
        self.m_axi_awprot.next = 2.into();
        self.m_axi_awqos.next = 0.into();
        self.m_axi_awvalid.next = false;
        self.m_axi_wdata.next = 0.into();
        self.m_axi_wstrb.next = 0.into();
        self.m_axi_wlast.next = false;
        self.m_axi_wvalid.next = false;
        self.m_axi_bready.next = true;
        self.m_axi_arid.next = 0.into();
        self.m_axi_araddr.next = 0.into();
        self.m_axi_arlen.next = 0.into();
        self.m_axi_arsize.next = 0.into();
        self.m_axi_arburst.next = 1.into();
        self.m_axi_arlock.next = false;
        self.m_axi_arcache.next = 3.into();
        self.m_axi_arprot.next = 2.into();
        self.m_axi_arqos.next = 0.into();
        self.m_axi_arvalid.next = false;
        self.m_axi_rready.next = true;
        self.m_axis_tx_tdata.next = 0.into();
        self.m_axis_tx_tkeep.next = 0.into();
        self.m_axis_tx_tvalid.next = false;
        self.m_axis_tx_tlast.next = false;
        self.m_axis_tx_tuser.next = false;
        self.s_axis_rx_tready.next = true;
        self.irq_valid.next = false;
        self.irq_vector.next = 0.into();
    }
}
