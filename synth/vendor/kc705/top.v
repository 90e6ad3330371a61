// KC705: PCIe hard block, TLP bridge, core `small`, gigabit MAC on GMII (host-link.md section 7, VP1).
// This file has been elaborated against stubs of the vendor's cells. It has never been built or run.
`default_nettype none

module top (
    input  wire       sysclk_p,
    input  wire       sysclk_n,
    input  wire       cpu_reset,
    input  wire       pcie_refclk_p,
    input  wire       pcie_refclk_n,
    input  wire       pcie_perst_n,
    input  wire [3:0] pcie_rx_p,
    input  wire [3:0] pcie_rx_n,
    output wire [3:0] pcie_tx_p,
    output wire [3:0] pcie_tx_n,
    output wire       phy_rst_n,
    output wire       phy_mdc,
    inout  wire       phy_mdio,
    output wire       phy_gtx_clk,
    output reg  [7:0] phy_txd,
    output reg        phy_tx_en,
    output reg        phy_tx_er,
    input  wire       phy_rx_clk,
    input  wire [7:0] phy_rxd,
    input  wire       phy_rx_dv,
    input  wire       phy_rx_er,
    output wire [7:0] led
);
    // Clocks and resets. The MAC and the management of the PHY live on the board's oscillator, the rest on that of PCIe.
    wire sysclk, mmcm_feedback, mmcm_125, mmcm_locked, gmii_clk, rx_io_clk, rx_clk, core_clk;
    wire pcie_refclk, user_reset, core_reset, gmii_reset, rx_reset;

    IBUFDS sysclk_buffer (.I(sysclk_p), .IB(sysclk_n), .O(sysclk));
    MMCME2_BASE #(
        .CLKIN1_PERIOD(5.0),
        .CLKFBOUT_MULT_F(5.0),
        .CLKOUT0_DIVIDE_F(8.0)
    ) mmcm (
        .CLKIN1(sysclk), .CLKFBIN(mmcm_feedback), .CLKFBOUT(mmcm_feedback), .CLKOUT0(mmcm_125), .LOCKED(mmcm_locked),
        .RST(cpu_reset), .PWRDWN(1'b0)
    );
    BUFG gmii_clk_buffer (.I(mmcm_125), .O(gmii_clk));
    // The pins are sampled by the fast clock of their bank; what follows runs on the regional one, of the same source.
    BUFIO rx_io_clk_buffer (.I(phy_rx_clk), .O(rx_io_clk));
    BUFR #(.BUFR_DIVIDE("BYPASS")) rx_clk_buffer (.I(phy_rx_clk), .O(rx_clk), .CE(1'b1), .CLR(1'b0));
    IBUFDS_GTE2 pcie_refclk_buffer (.I(pcie_refclk_p), .IB(pcie_refclk_n), .CEB(1'b0), .O(pcie_refclk), .ODIV2());

    reset_release core_release (.clock(core_clk), .asynchronous(user_reset | cpu_reset), .reset(core_reset));
    reset_release gmii_release (.clock(gmii_clk), .asynchronous(~mmcm_locked), .reset(gmii_reset));
    reset_release rx_release (.clock(rx_clk), .asynchronous(~mmcm_locked), .reset(rx_reset));

    // PCIe. The block has the first byte of a DW in its upper bits, the bridge in its lower ones: headers and payload alike.
    function [63:0] swap_dwords(input [63:0] d);
        swap_dwords = {d[39:32], d[47:40], d[55:48], d[63:56], d[7:0], d[15:8], d[23:16], d[31:24]};
    endfunction

    wire        link_up, nonposted_room, fatal, malformed;
    wire [63:0] rx_tdata, tx_tdata;
    wire [7:0]  rx_tkeep, tx_tkeep;
    wire        rx_tvalid, rx_tready, rx_tlast, tx_tvalid, tx_tready, tx_tlast;
    wire [21:0] rx_tuser;
    wire [5:0]  tx_buf_av;
    wire [15:0] command, dcommand;
    wire [7:0]  bus_number;
    wire [4:0]  device_number;
    wire [2:0]  function_number;
    wire        to_turnoff;

    pcie_7x_0 pcie (
        .sys_clk(pcie_refclk), .sys_rst_n(pcie_perst_n),
        .pci_exp_txp(pcie_tx_p), .pci_exp_txn(pcie_tx_n), .pci_exp_rxp(pcie_rx_p), .pci_exp_rxn(pcie_rx_n),
        .user_clk_out(core_clk), .user_reset_out(user_reset), .user_lnk_up(link_up),
        .tx_buf_av(tx_buf_av), .tx_cfg_gnt(1'b1),
        .s_axis_tx_tdata(swap_dwords(tx_tdata)), .s_axis_tx_tkeep(tx_tkeep), .s_axis_tx_tvalid(tx_tvalid),
        .s_axis_tx_tready(tx_tready), .s_axis_tx_tlast(tx_tlast), .s_axis_tx_tuser(4'b0),
        .m_axis_rx_tdata(rx_tdata), .m_axis_rx_tkeep(rx_tkeep), .m_axis_rx_tvalid(rx_tvalid),
        .m_axis_rx_tready(rx_tready), .m_axis_rx_tlast(rx_tlast), .m_axis_rx_tuser(rx_tuser),
        .rx_np_ok(nonposted_room), .rx_np_req(1'b1), .fc_sel(3'b0),
        .cfg_command(command), .cfg_dcommand(dcommand),
        .cfg_bus_number(bus_number), .cfg_device_number(device_number), .cfg_function_number(function_number),
        .cfg_to_turnoff(to_turnoff), .cfg_turnoff_ok(to_turnoff), .cfg_trn_pending(1'b0),
        // What is not used.
        .cfg_mgmt_di(32'b0), .cfg_mgmt_byte_en(4'b0), .cfg_mgmt_dwaddr(10'b0), .cfg_mgmt_wr_en(1'b0),
        .cfg_mgmt_rd_en(1'b0), .cfg_mgmt_wr_readonly(1'b0), .cfg_mgmt_wr_rw1c_as_rw(1'b0),
        .cfg_err_ecrc(1'b0), .cfg_err_ur(1'b0), .cfg_err_cpl_timeout(1'b0), .cfg_err_cpl_unexpect(1'b0),
        .cfg_err_cpl_abort(1'b0), .cfg_err_posted(1'b0), .cfg_err_cor(1'b0), .cfg_err_atomic_egress_blocked(1'b0),
        .cfg_err_internal_cor(1'b0), .cfg_err_malformed(1'b0), .cfg_err_mc_blocked(1'b0), .cfg_err_poisoned(1'b0),
        .cfg_err_norecovery(1'b0), .cfg_err_tlp_cpl_header(48'b0), .cfg_err_locked(1'b0), .cfg_err_acs(1'b0),
        .cfg_err_internal_uncor(1'b0), .cfg_err_aer_headerlog(128'b0), .cfg_aer_interrupt_msgnum(5'b0),
        .cfg_interrupt(1'b0), .cfg_interrupt_assert(1'b0), .cfg_interrupt_di(8'b0), .cfg_interrupt_stat(1'b0),
        .cfg_pciecap_interrupt_msgnum(5'b0),
        .cfg_pm_halt_aspm_l0s(1'b0), .cfg_pm_halt_aspm_l1(1'b0), .cfg_pm_force_state_en(1'b0),
        .cfg_pm_force_state(2'b0), .cfg_pm_wake(1'b0), .cfg_pm_send_pme_to(1'b0), .cfg_dsn(64'b0),
        .cfg_ds_bus_number(8'b0), .cfg_ds_device_number(5'b0), .cfg_ds_function_number(3'b0),
        .pl_directed_link_change(2'b0), .pl_directed_link_width(2'b0), .pl_directed_link_speed(1'b0),
        .pl_directed_link_auton(1'b0), .pl_upstream_prefer_deemph(1'b1), .pl_transmit_hot_rst(1'b0),
        .pl_downstream_deemph_source(1'b0),
        .pcie_drp_clk(1'b1), .pcie_drp_en(1'b0), .pcie_drp_we(1'b0), .pcie_drp_addr(9'b0), .pcie_drp_di(16'b0)
    );

    // Between bridge and core.
    wire [15:0] axil_awaddr, axil_araddr;
    wire [31:0] axil_wdata, axil_rdata;
    wire [3:0]  axil_wstrb;
    wire [1:0]  axil_bresp, axil_rresp;
    wire        axil_awvalid, axil_awready, axil_wvalid, axil_wready, axil_bvalid, axil_bready;
    wire        axil_arvalid, axil_arready, axil_rvalid, axil_rready;
    wire [63:0] axi_awaddr, axi_araddr, axi_wdata, axi_rdata;
    wire [7:0]  axi_awlen, axi_arlen, axi_wstrb;
    wire [3:0]  axi_awid, axi_arid, axi_bid, axi_rid;
    wire [1:0]  axi_bresp, axi_rresp;
    wire        axi_awvalid, axi_awready, axi_wvalid, axi_wready, axi_wlast, axi_bvalid, axi_bready;
    wire        axi_arvalid, axi_arready, axi_rvalid, axi_rready, axi_rlast;
    wire        irq_valid, irq_ready;
    wire [4:0]  irq_vector;

    rnic_tlp_bridge bridge (
        .clock(core_clk), .reset(core_reset),
        .sink_tdata(swap_dwords(rx_tdata)), .sink_tkeep(rx_tkeep), .sink_tvalid(rx_tvalid), .sink_tready(rx_tready),
        // Bit 0: a bad digest. Poisoned TLPs say so in their header (TL8).
        .sink_tlast(rx_tlast), .sink_tuser(rx_tuser[0]),
        .bar_hit(rx_tuser[4:2]), .nonposted_room(nonposted_room),
        .source_tdata(tx_tdata), .source_tkeep(tx_tkeep), .source_tvalid(tx_tvalid), .source_tready(tx_tready),
        .source_tlast(tx_tlast), .source_tuser(),
        // Reads never take the block's last buffers, so that a write always finds one (TO3).
        .nonposted_ok(tx_buf_av > 6'd3),
        .device_id({bus_number, device_number, function_number}),
        .mps(dcommand[7:5]), .mrrs(dcommand[14:12]), .bus_master_enable(command[2]), .link_up(link_up),
        .fatal(fatal), .malformed(malformed),
        .registers_awaddr(axil_awaddr), .registers_awvalid(axil_awvalid), .registers_awready(axil_awready),
        .registers_wdata(axil_wdata), .registers_wstrb(axil_wstrb), .registers_wvalid(axil_wvalid),
        .registers_wready(axil_wready), .registers_bresp(axil_bresp), .registers_bvalid(axil_bvalid),
        .registers_bready(axil_bready), .registers_araddr(axil_araddr), .registers_arvalid(axil_arvalid),
        .registers_arready(axil_arready), .registers_rdata(axil_rdata), .registers_rresp(axil_rresp),
        .registers_rvalid(axil_rvalid), .registers_rready(axil_rready),
        .read_arid(axi_arid), .read_araddr(axi_araddr), .read_arlen(axi_arlen), .read_arvalid(axi_arvalid),
        .read_arready(axi_arready), .read_rid(axi_rid), .read_rdata(axi_rdata), .read_rresp(axi_rresp),
        .read_rlast(axi_rlast), .read_rvalid(axi_rvalid), .read_rready(axi_rready),
        .write_awid(axi_awid), .write_awaddr(axi_awaddr), .write_awlen(axi_awlen), .write_awvalid(axi_awvalid),
        .write_awready(axi_awready), .write_wdata(axi_wdata), .write_wstrb(axi_wstrb), .write_wlast(axi_wlast),
        .write_wvalid(axi_wvalid), .write_wready(axi_wready), .write_bid(axi_bid), .write_bresp(axi_bresp),
        .write_bvalid(axi_bvalid), .write_bready(axi_bready),
        .irq_valid(irq_valid), .irq_ready(irq_ready), .irq_vector(irq_vector)
    );

    wire [63:0] wire_tx_tdata, wire_rx_tdata;
    wire [7:0]  wire_tx_tkeep, wire_rx_tkeep;
    wire        wire_tx_tvalid, wire_tx_tready, wire_tx_tlast, wire_tx_tuser;
    wire        wire_rx_tvalid, wire_rx_tready, wire_rx_tlast, wire_rx_tuser;

    rnic_small core (
        .clock(core_clk), .reset(core_reset),
        .s_axil_awaddr(axil_awaddr), .s_axil_awprot(3'b0), .s_axil_awvalid(axil_awvalid), .s_axil_awready(axil_awready),
        .s_axil_wdata(axil_wdata), .s_axil_wstrb(axil_wstrb), .s_axil_wvalid(axil_wvalid), .s_axil_wready(axil_wready),
        .s_axil_bresp(axil_bresp), .s_axil_bvalid(axil_bvalid), .s_axil_bready(axil_bready),
        .s_axil_araddr(axil_araddr), .s_axil_arprot(3'b0), .s_axil_arvalid(axil_arvalid), .s_axil_arready(axil_arready),
        .s_axil_rdata(axil_rdata), .s_axil_rresp(axil_rresp), .s_axil_rvalid(axil_rvalid), .s_axil_rready(axil_rready),
        .m_axi_awid(axi_awid), .m_axi_awaddr(axi_awaddr), .m_axi_awlen(axi_awlen), .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_awlock(), .m_axi_awcache(), .m_axi_awprot(), .m_axi_awqos(), .m_axi_awvalid(axi_awvalid),
        .m_axi_awready(axi_awready), .m_axi_wdata(axi_wdata), .m_axi_wstrb(axi_wstrb), .m_axi_wlast(axi_wlast),
        .m_axi_wvalid(axi_wvalid), .m_axi_wready(axi_wready), .m_axi_bid(axi_bid), .m_axi_bresp(axi_bresp),
        .m_axi_bvalid(axi_bvalid), .m_axi_bready(axi_bready),
        .m_axi_arid(axi_arid), .m_axi_araddr(axi_araddr), .m_axi_arlen(axi_arlen), .m_axi_arsize(), .m_axi_arburst(),
        .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(), .m_axi_arqos(), .m_axi_arvalid(axi_arvalid),
        .m_axi_arready(axi_arready), .m_axi_rid(axi_rid), .m_axi_rdata(axi_rdata), .m_axi_rresp(axi_rresp),
        .m_axi_rlast(axi_rlast), .m_axi_rvalid(axi_rvalid), .m_axi_rready(axi_rready),
        .m_axis_tx_tdata(wire_tx_tdata), .m_axis_tx_tkeep(wire_tx_tkeep), .m_axis_tx_tvalid(wire_tx_tvalid),
        .m_axis_tx_tready(wire_tx_tready), .m_axis_tx_tlast(wire_tx_tlast), .m_axis_tx_tuser(wire_tx_tuser),
        .s_axis_rx_tdata(wire_rx_tdata), .s_axis_rx_tkeep(wire_rx_tkeep), .s_axis_rx_tvalid(wire_rx_tvalid),
        .s_axis_rx_tready(wire_rx_tready), .s_axis_rx_tlast(wire_rx_tlast), .s_axis_rx_tuser(wire_rx_tuser),
        .irq_valid(irq_valid), .irq_ready(irq_ready), .irq_vector(irq_vector)
    );

    // Ethernet. Pins are registered in their pads; the clock to the PHY is inverted, so that it samples mid-bit.
    wire [7:0]  txd;
    wire        tx_en, tx_er;
    reg  [7:0]  rxd_pin, rxd;
    reg         rx_dv_pin, rx_er_pin, rx_dv, rx_er;
    wire [15:0] sent, good;

    always @(posedge gmii_clk) {phy_txd, phy_tx_en, phy_tx_er} <= {txd, tx_en, tx_er};
    always @(posedge rx_io_clk) {rxd_pin, rx_dv_pin, rx_er_pin} <= {phy_rxd, phy_rx_dv, phy_rx_er};
    always @(posedge rx_clk) {rxd, rx_dv, rx_er} <= {rxd_pin, rx_dv_pin, rx_er_pin};
    ODDR #(.DDR_CLK_EDGE("SAME_EDGE")) gtx_ddr (
        .C(gmii_clk), .CE(1'b1), .D1(1'b0), .D2(1'b1), .R(1'b0), .S(1'b0), .Q(phy_gtx_clk)
    );

    rnic_gigabit_mac mac (
        .core_clock(core_clk), .core_reset(core_reset),
        .tx_axis_tdata(wire_tx_tdata), .tx_axis_tkeep(wire_tx_tkeep), .tx_axis_tvalid(wire_tx_tvalid),
        .tx_axis_tready(wire_tx_tready), .tx_axis_tlast(wire_tx_tlast), .tx_axis_tuser(wire_tx_tuser),
        .rx_axis_tdata(wire_rx_tdata), .rx_axis_tkeep(wire_rx_tkeep), .rx_axis_tvalid(wire_rx_tvalid),
        .rx_axis_tready(wire_rx_tready), .rx_axis_tlast(wire_rx_tlast), .rx_axis_tuser(wire_rx_tuser),
        .tx_sent(sent), .tx_refused(), .rx_good(good), .rx_bad(), .rx_dropped(),
        .tx_clock(gmii_clk), .tx_reset(gmii_reset), .gmii_txd(txd), .gmii_tx_en(tx_en), .gmii_tx_er(tx_er),
        .rx_clock(rx_clk), .rx_reset(rx_reset), .gmii_rxd(rxd), .gmii_rx_dv(rx_dv), .gmii_rx_er(rx_er)
    );

    wire mdio_out, mdio_drive, phy_link, phy_gigabit;
    assign phy_mdio = mdio_drive ? mdio_out : 1'bz;

    rnic_mdio mdio (
        .clock(gmii_clk), .reset(gmii_reset), .phy_reset_n(phy_rst_n), .mdc(phy_mdc),
        .mdio_out(mdio_out), .mdio_drive(mdio_drive), .mdio_in(phy_mdio), .link(phy_link), .gigabit(phy_gigabit)
    );

    // What lights up: see docs/src/board-kc705.md.
    reg [25:0] beat = 26'b0;
    reg        erred = 1'b0;

    always @(posedge core_clk) begin
        beat <= beat + 26'd1;
        erred <= ~core_reset & (erred | malformed | fatal);
    end
    assign led = {erred, sent[3], good[3], phy_link & phy_gigabit, beat[25], command[2], link_up, mmcm_locked};
endmodule

`default_nettype wire
