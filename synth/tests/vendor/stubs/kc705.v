// Ports of the 7-series primitives and of the PCIe block, for elaboration alone: names and widths as in public instances of them.
module IBUFDS_GTE2 (input I, input IB, input CEB, output O, output ODIV2);
endmodule

module BUFIO (input I, output O);
endmodule

module BUFR #(parameter BUFR_DIVIDE = "BYPASS") (input I, input CE, input CLR, output O);
endmodule

module ODDR #(parameter DDR_CLK_EDGE = "OPPOSITE_EDGE") (input C, input CE, input D1, input D2, input R, input S, output Q);
endmodule

module MMCME2_BASE #(
    parameter CLKIN1_PERIOD = 0.0,
    parameter CLKFBOUT_MULT_F = 5.0,
    parameter CLKOUT0_DIVIDE_F = 1.0
) (input CLKIN1, input CLKFBIN, output CLKFBOUT, output CLKOUT0, output LOCKED, input RST, input PWRDWN);
endmodule

module pcie_7x_0 (
    input         sys_clk, sys_rst_n,
    output [3:0]  pci_exp_txp, pci_exp_txn,
    input  [3:0]  pci_exp_rxp, pci_exp_rxn,
    output        user_clk_out, user_reset_out, user_lnk_up, user_app_rdy,
    output [5:0]  tx_buf_av,
    output        tx_err_drop, tx_cfg_req,
    input         tx_cfg_gnt,
    input  [63:0] s_axis_tx_tdata,
    input  [7:0]  s_axis_tx_tkeep,
    input         s_axis_tx_tvalid, s_axis_tx_tlast,
    output        s_axis_tx_tready,
    input  [3:0]  s_axis_tx_tuser,
    output [63:0] m_axis_rx_tdata,
    output [7:0]  m_axis_rx_tkeep,
    output        m_axis_rx_tvalid, m_axis_rx_tlast,
    input         m_axis_rx_tready,
    output [21:0] m_axis_rx_tuser,
    input         rx_np_ok, rx_np_req,
    output [11:0] fc_cpld, fc_npd, fc_pd,
    output [7:0]  fc_cplh, fc_nph, fc_ph,
    input  [2:0]  fc_sel,
    output [15:0] cfg_status, cfg_command, cfg_dstatus, cfg_dcommand, cfg_lstatus, cfg_lcommand, cfg_dcommand2,
    output [7:0]  cfg_bus_number,
    output [4:0]  cfg_device_number,
    output [2:0]  cfg_function_number,
    output        cfg_to_turnoff,
    input         cfg_turnoff_ok, cfg_trn_pending,
    input  [31:0] cfg_mgmt_di,
    input  [3:0]  cfg_mgmt_byte_en,
    input  [9:0]  cfg_mgmt_dwaddr,
    input         cfg_mgmt_wr_en, cfg_mgmt_rd_en, cfg_mgmt_wr_readonly, cfg_mgmt_wr_rw1c_as_rw,
    input         cfg_err_ecrc, cfg_err_ur, cfg_err_cpl_timeout, cfg_err_cpl_unexpect, cfg_err_cpl_abort, cfg_err_posted,
    input         cfg_err_cor, cfg_err_atomic_egress_blocked, cfg_err_internal_cor, cfg_err_malformed, cfg_err_mc_blocked,
    input         cfg_err_poisoned, cfg_err_norecovery, cfg_err_locked, cfg_err_acs, cfg_err_internal_uncor,
    input  [47:0] cfg_err_tlp_cpl_header,
    input [127:0] cfg_err_aer_headerlog,
    input  [4:0]  cfg_aer_interrupt_msgnum, cfg_pciecap_interrupt_msgnum,
    input         cfg_interrupt, cfg_interrupt_assert, cfg_interrupt_stat,
    input  [7:0]  cfg_interrupt_di,
    input         cfg_pm_halt_aspm_l0s, cfg_pm_halt_aspm_l1, cfg_pm_force_state_en, cfg_pm_wake, cfg_pm_send_pme_to,
    input  [1:0]  cfg_pm_force_state,
    input  [63:0] cfg_dsn,
    input  [7:0]  cfg_ds_bus_number,
    input  [4:0]  cfg_ds_device_number,
    input  [2:0]  cfg_ds_function_number,
    input  [1:0]  pl_directed_link_change, pl_directed_link_width,
    input         pl_directed_link_speed, pl_directed_link_auton, pl_upstream_prefer_deemph, pl_transmit_hot_rst,
    input         pl_downstream_deemph_source,
    input         pcie_drp_clk, pcie_drp_en, pcie_drp_we,
    input  [8:0]  pcie_drp_addr,
    input  [15:0] pcie_drp_di
);
endmodule
