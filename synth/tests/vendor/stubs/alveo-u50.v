// Ports of the UltraScale+ primitives, of the block design of project.tcl and of the CMAC, for elaboration alone: names and
// widths as in public instances of them.
module IBUFDS_GTE4 (input I, input IB, input CEB, output O, output ODIV2);
endmodule

module MMCME4_BASE #(
    parameter CLKIN1_PERIOD = 0.0,
    parameter CLKFBOUT_MULT_F = 5.0,
    parameter CLKOUT0_DIVIDE_F = 1.0
) (input CLKIN1, input CLKFBIN, output CLKFBOUT, output CLKOUT0, output LOCKED, input RST, input PWRDWN);
endmodule

module host_wrapper (
    input          sys_clk, sys_clk_gt, sys_rst_n,
    input  [15:0]  pcie_rxp, pcie_rxn,
    output [15:0]  pcie_txp, pcie_txn,
    output         axi_aclk, axi_aresetn, user_lnk_up,
    input  [7:0]   usr_irq_req,
    output [7:0]   usr_irq_ack,
    output [15:0]  m_axil_awaddr, m_axil_araddr,
    output [2:0]   m_axil_awprot, m_axil_arprot,
    output [31:0]  m_axil_wdata,
    output [3:0]   m_axil_wstrb,
    output         m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready,
    input          m_axil_awready, m_axil_wready, m_axil_bvalid, m_axil_arready, m_axil_rvalid,
    input  [31:0]  m_axil_rdata,
    input  [1:0]   m_axil_bresp, m_axil_rresp,
    input  [63:0]  s_axi_awaddr, s_axi_araddr,
    input  [7:0]   s_axi_awlen, s_axi_arlen,
    input  [3:0]   s_axi_awid, s_axi_arid, s_axi_awcache, s_axi_arcache, s_axi_awqos, s_axi_arqos,
    input  [2:0]   s_axi_awsize, s_axi_arsize, s_axi_awprot, s_axi_arprot,
    input  [1:0]   s_axi_awburst, s_axi_arburst,
    input          s_axi_awlock, s_axi_arlock, s_axi_awvalid, s_axi_arvalid, s_axi_wvalid, s_axi_wlast, s_axi_bready, s_axi_rready,
    input  [511:0] s_axi_wdata,
    input  [63:0]  s_axi_wstrb,
    output [511:0] s_axi_rdata,
    output [3:0]   s_axi_bid, s_axi_rid,
    output [1:0]   s_axi_bresp, s_axi_rresp,
    output         s_axi_awready, s_axi_arready, s_axi_wready, s_axi_bvalid, s_axi_rvalid, s_axi_rlast
);
endmodule

module send_fifo (
    input          s_axis_aresetn, s_axis_aclk, m_axis_aclk,
    input  [511:0] s_axis_tdata,
    input  [63:0]  s_axis_tkeep,
    input          s_axis_tvalid, s_axis_tlast, s_axis_tuser,
    output         s_axis_tready,
    output [511:0] m_axis_tdata,
    output [63:0]  m_axis_tkeep,
    output         m_axis_tvalid, m_axis_tlast, m_axis_tuser,
    input          m_axis_tready
);
endmodule

module receive_fifo (
    input          s_axis_aresetn, s_axis_aclk, m_axis_aclk,
    input  [511:0] s_axis_tdata,
    input  [63:0]  s_axis_tkeep,
    input          s_axis_tvalid, s_axis_tlast, s_axis_tuser,
    output         s_axis_tready, prog_full,
    output [511:0] m_axis_tdata,
    output [63:0]  m_axis_tkeep,
    output         m_axis_tvalid, m_axis_tlast, m_axis_tuser,
    input          m_axis_tready
);
endmodule

module cmac_usplus_0 (
    input          gt_ref_clk_p, gt_ref_clk_n,
    input  [3:0]   gt_rxp_in, gt_rxn_in,
    output [3:0]   gt_txp_out, gt_txn_out,
    input          init_clk, sys_reset, rx_clk, drp_clk,
    output         gt_txusrclk2, usr_tx_reset, usr_rx_reset,
    input          gtwiz_reset_tx_datapath, gtwiz_reset_rx_datapath, core_tx_reset, core_rx_reset, core_drp_reset,
    input  [11:0]  gt_loopback_in,
    input  [55:0]  tx_preamblein,
    input          ctl_rx_enable, ctl_tx_enable, ctl_tx_send_rfi, ctl_tx_send_lfi, ctl_tx_send_idle, ctl_tx_test_pattern,
    input          ctl_rx_test_pattern, ctl_rx_force_resync, ctl_tx_rsfec_enable, ctl_rx_rsfec_enable,
    input          ctl_rx_rsfec_enable_correction, ctl_rx_rsfec_enable_indication, ctl_rsfec_ieee_error_indication_mode,
    output         stat_rx_aligned,
    input  [511:0] tx_axis_tdata,
    input  [63:0]  tx_axis_tkeep,
    input          tx_axis_tvalid, tx_axis_tlast, tx_axis_tuser,
    output         tx_axis_tready,
    output [511:0] rx_axis_tdata,
    output [63:0]  rx_axis_tkeep,
    output         rx_axis_tvalid, rx_axis_tlast, rx_axis_tuser,
    input  [9:0]   drp_addr,
    input  [15:0]  drp_di,
    input          drp_en, drp_we
);
endmodule
