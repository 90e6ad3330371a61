// Alveo U50: PCIe bridge of the vendor, core `large`, CMAC (host-link.md section 7, VP2, VP3).
// This file has been elaborated against stubs of the vendor's cells. It has never been built or run.
`default_nettype none

module top (
    input  wire        clk_100_p,
    input  wire        clk_100_n,
    input  wire        pcie_refclk_p,
    input  wire        pcie_refclk_n,
    input  wire        pcie_perst_n,
    input  wire [15:0] pcie_rx_p,
    input  wire [15:0] pcie_rx_n,
    output wire [15:0] pcie_tx_p,
    output wire [15:0] pcie_tx_n,
    input  wire        qsfp_refclk_p,
    input  wire        qsfp_refclk_n,
    input  wire [3:0]  qsfp_rx_p,
    input  wire [3:0]  qsfp_rx_n,
    output wire [3:0]  qsfp_tx_p,
    output wire [3:0]  qsfp_tx_n,
    output wire        led_activity,
    output wire        led_green,
    output wire        led_yellow,
    output wire        hbm_cattrip
);
    // Driven high it switches the card's power off (VP5).
    assign hbm_cattrip = 1'b0;

    // Clocks and resets: start-up clock of the CMAC from the oscillator, core on PCIe's clock, wire on the CMAC's.
    wire clk_100, mmcm_feedback, mmcm_125, mmcm_locked, init_clk, core_clk, cmac_clk;
    wire pcie_refclk, pcie_refclk_gt, axi_aresetn, link_up;
    wire core_reset, init_reset, send_reset, receive_reset, usr_tx_reset, usr_rx_reset;

    IBUFDS clk_100_buffer (.I(clk_100_p), .IB(clk_100_n), .O(clk_100));
    MMCME4_BASE #(
        .CLKIN1_PERIOD(10.0),
        .CLKFBOUT_MULT_F(10.0),
        .CLKOUT0_DIVIDE_F(8.0)
    ) mmcm (
        .CLKIN1(clk_100), .CLKFBIN(mmcm_feedback), .CLKFBOUT(mmcm_feedback), .CLKOUT0(mmcm_125), .LOCKED(mmcm_locked),
        .RST(1'b0), .PWRDWN(1'b0)
    );
    BUFG init_clk_buffer (.I(mmcm_125), .O(init_clk));
    IBUFDS_GTE4 pcie_refclk_buffer (
        .I(pcie_refclk_p), .IB(pcie_refclk_n), .CEB(1'b0), .O(pcie_refclk_gt), .ODIV2(pcie_refclk)
    );

    reset_release core_release (.clock(core_clk), .asynchronous(~axi_aresetn), .reset(core_reset));
    reset_release init_release (.clock(init_clk), .asynchronous(~mmcm_locked), .reset(init_reset));
    reset_release send_release (.clock(cmac_clk), .asynchronous(~axi_aresetn | usr_tx_reset), .reset(send_reset));
    reset_release receive_release (.clock(cmac_clk), .asynchronous(~axi_aresetn | usr_rx_reset), .reset(receive_reset));

    // Between the block design and the core.
    wire [15:0]  axil_awaddr, axil_araddr;
    wire [31:0]  axil_wdata, axil_rdata;
    wire [3:0]   axil_wstrb;
    wire [2:0]   axil_awprot, axil_arprot;
    wire [1:0]   axil_bresp, axil_rresp;
    wire         axil_awvalid, axil_awready, axil_wvalid, axil_wready, axil_bvalid, axil_bready;
    wire         axil_arvalid, axil_arready, axil_rvalid, axil_rready;
    wire [511:0] axi_wdata, axi_rdata;
    wire [63:0]  axi_awaddr, axi_araddr, axi_wstrb;
    wire [7:0]   axi_awlen, axi_arlen;
    wire [3:0]   axi_awid, axi_arid, axi_bid, axi_rid, axi_awcache, axi_arcache, axi_awqos, axi_arqos;
    wire [2:0]   axi_awsize, axi_arsize, axi_awprot, axi_arprot;
    wire [1:0]   axi_awburst, axi_arburst, axi_bresp, axi_rresp;
    wire         axi_awlock, axi_arlock, axi_awvalid, axi_awready, axi_wvalid, axi_wready, axi_wlast;
    wire         axi_bvalid, axi_bready, axi_arvalid, axi_arready, axi_rvalid, axi_rready, axi_rlast;
    wire         irq_valid, irq_ready;
    wire [4:0]   irq_vector;
    wire [7:0]   usr_irq_req, usr_irq_ack;

    host_wrapper host (
        .sys_clk(pcie_refclk), .sys_clk_gt(pcie_refclk_gt), .sys_rst_n(pcie_perst_n),
        .pcie_rxp(pcie_rx_p), .pcie_rxn(pcie_rx_n), .pcie_txp(pcie_tx_p), .pcie_txn(pcie_tx_n),
        .axi_aclk(core_clk), .axi_aresetn(axi_aresetn), .user_lnk_up(link_up),
        .usr_irq_req(usr_irq_req), .usr_irq_ack(usr_irq_ack),
        .m_axil_awaddr(axil_awaddr), .m_axil_awprot(axil_awprot), .m_axil_awvalid(axil_awvalid),
        .m_axil_awready(axil_awready), .m_axil_wdata(axil_wdata), .m_axil_wstrb(axil_wstrb),
        .m_axil_wvalid(axil_wvalid), .m_axil_wready(axil_wready), .m_axil_bresp(axil_bresp),
        .m_axil_bvalid(axil_bvalid), .m_axil_bready(axil_bready), .m_axil_araddr(axil_araddr),
        .m_axil_arprot(axil_arprot), .m_axil_arvalid(axil_arvalid), .m_axil_arready(axil_arready),
        .m_axil_rdata(axil_rdata), .m_axil_rresp(axil_rresp), .m_axil_rvalid(axil_rvalid), .m_axil_rready(axil_rready),
        .s_axi_awid(axi_awid), .s_axi_awaddr(axi_awaddr), .s_axi_awlen(axi_awlen), .s_axi_awsize(axi_awsize),
        .s_axi_awburst(axi_awburst), .s_axi_awlock(axi_awlock), .s_axi_awcache(axi_awcache), .s_axi_awprot(axi_awprot),
        .s_axi_awqos(axi_awqos), .s_axi_awvalid(axi_awvalid), .s_axi_awready(axi_awready),
        .s_axi_wdata(axi_wdata), .s_axi_wstrb(axi_wstrb), .s_axi_wlast(axi_wlast), .s_axi_wvalid(axi_wvalid),
        .s_axi_wready(axi_wready), .s_axi_bid(axi_bid), .s_axi_bresp(axi_bresp), .s_axi_bvalid(axi_bvalid),
        .s_axi_bready(axi_bready), .s_axi_arid(axi_arid), .s_axi_araddr(axi_araddr), .s_axi_arlen(axi_arlen),
        .s_axi_arsize(axi_arsize), .s_axi_arburst(axi_arburst), .s_axi_arlock(axi_arlock), .s_axi_arcache(axi_arcache),
        .s_axi_arprot(axi_arprot), .s_axi_arqos(axi_arqos), .s_axi_arvalid(axi_arvalid), .s_axi_arready(axi_arready),
        .s_axi_rid(axi_rid), .s_axi_rdata(axi_rdata), .s_axi_rresp(axi_rresp), .s_axi_rlast(axi_rlast),
        .s_axi_rvalid(axi_rvalid), .s_axi_rready(axi_rready)
    );

    irq_lines irq (
        .clock(core_clk), .reset(core_reset), .irq_valid(irq_valid), .irq_ready(irq_ready), .irq_vector(irq_vector),
        .usr_irq_req(usr_irq_req), .usr_irq_ack(usr_irq_ack)
    );

    wire [511:0] core_tx_tdata, core_rx_tdata, send_tdata, cmac_tx_tdata, cmac_rx_tdata;
    wire [63:0]  core_tx_tkeep, core_rx_tkeep, send_tkeep, cmac_tx_tkeep, cmac_rx_tkeep;
    wire         core_tx_tvalid, core_tx_tready, core_tx_tlast, core_tx_tuser;
    wire         core_rx_tvalid, core_rx_tready, core_rx_tlast, core_rx_tuser;
    wire         send_tvalid, send_tready, send_tlast, send_tuser;
    wire         cmac_tx_tvalid, cmac_tx_tready, cmac_tx_tlast, cmac_tx_tuser;
    wire         cmac_rx_tvalid, cmac_rx_tlast, cmac_rx_tuser, receive_tvalid, crowded, aligned;

    rnic_large core (
        .clock(core_clk), .reset(core_reset),
        .s_axil_awaddr(axil_awaddr), .s_axil_awprot(axil_awprot), .s_axil_awvalid(axil_awvalid),
        .s_axil_awready(axil_awready), .s_axil_wdata(axil_wdata), .s_axil_wstrb(axil_wstrb),
        .s_axil_wvalid(axil_wvalid), .s_axil_wready(axil_wready), .s_axil_bresp(axil_bresp),
        .s_axil_bvalid(axil_bvalid), .s_axil_bready(axil_bready), .s_axil_araddr(axil_araddr),
        .s_axil_arprot(axil_arprot), .s_axil_arvalid(axil_arvalid), .s_axil_arready(axil_arready),
        .s_axil_rdata(axil_rdata), .s_axil_rresp(axil_rresp), .s_axil_rvalid(axil_rvalid), .s_axil_rready(axil_rready),
        .m_axi_awid(axi_awid), .m_axi_awaddr(axi_awaddr), .m_axi_awlen(axi_awlen), .m_axi_awsize(axi_awsize),
        .m_axi_awburst(axi_awburst), .m_axi_awlock(axi_awlock), .m_axi_awcache(axi_awcache), .m_axi_awprot(axi_awprot),
        .m_axi_awqos(axi_awqos), .m_axi_awvalid(axi_awvalid), .m_axi_awready(axi_awready),
        .m_axi_wdata(axi_wdata), .m_axi_wstrb(axi_wstrb), .m_axi_wlast(axi_wlast), .m_axi_wvalid(axi_wvalid),
        .m_axi_wready(axi_wready), .m_axi_bid(axi_bid), .m_axi_bresp(axi_bresp), .m_axi_bvalid(axi_bvalid),
        .m_axi_bready(axi_bready), .m_axi_arid(axi_arid), .m_axi_araddr(axi_araddr), .m_axi_arlen(axi_arlen),
        .m_axi_arsize(axi_arsize), .m_axi_arburst(axi_arburst), .m_axi_arlock(axi_arlock), .m_axi_arcache(axi_arcache),
        .m_axi_arprot(axi_arprot), .m_axi_arqos(axi_arqos), .m_axi_arvalid(axi_arvalid), .m_axi_arready(axi_arready),
        .m_axi_rid(axi_rid), .m_axi_rdata(axi_rdata), .m_axi_rresp(axi_rresp), .m_axi_rlast(axi_rlast),
        .m_axi_rvalid(axi_rvalid), .m_axi_rready(axi_rready),
        .m_axis_tx_tdata(core_tx_tdata), .m_axis_tx_tkeep(core_tx_tkeep), .m_axis_tx_tvalid(core_tx_tvalid),
        .m_axis_tx_tready(core_tx_tready), .m_axis_tx_tlast(core_tx_tlast), .m_axis_tx_tuser(core_tx_tuser),
        .s_axis_rx_tdata(core_rx_tdata), .s_axis_rx_tkeep(core_rx_tkeep), .s_axis_rx_tvalid(core_rx_tvalid),
        .s_axis_rx_tready(core_rx_tready), .s_axis_rx_tlast(core_rx_tlast), .s_axis_rx_tuser(core_rx_tuser),
        .irq_valid(irq_valid), .irq_ready(irq_ready), .irq_vector(irq_vector)
    );

    // Wire. To the CMAC a frame goes when it is in the FIFO whole (MC2); from it none is held up (MC4).
    send_fifo send_fifo_0 (
        .s_axis_aresetn(~core_reset), .s_axis_aclk(core_clk),
        .s_axis_tdata(core_tx_tdata), .s_axis_tkeep(core_tx_tkeep), .s_axis_tvalid(core_tx_tvalid),
        .s_axis_tready(core_tx_tready), .s_axis_tlast(core_tx_tlast), .s_axis_tuser(core_tx_tuser),
        .m_axis_aclk(cmac_clk), .m_axis_tdata(send_tdata), .m_axis_tkeep(send_tkeep), .m_axis_tvalid(send_tvalid),
        .m_axis_tready(send_tready), .m_axis_tlast(send_tlast), .m_axis_tuser(send_tuser)
    );

    frame_send sender (
        .clock(cmac_clk), .mac_reset(usr_tx_reset), .fifo_reset(send_reset), .link(aligned),
        .in_tdata(send_tdata), .in_tkeep(send_tkeep), .in_tvalid(send_tvalid), .in_tlast(send_tlast),
        .in_tuser(send_tuser), .in_tready(send_tready),
        .out_tdata(cmac_tx_tdata), .out_tkeep(cmac_tx_tkeep), .out_tvalid(cmac_tx_tvalid), .out_tlast(cmac_tx_tlast),
        .out_tuser(cmac_tx_tuser), .out_tready(cmac_tx_tready)
    );

    frame_receive receiver (
        .clock(cmac_clk), .mac_reset(usr_rx_reset), .fifo_reset(receive_reset), .crowded(crowded),
        .in_tvalid(cmac_rx_tvalid), .in_tlast(cmac_rx_tlast), .out_tvalid(receive_tvalid), .dropped()
    );

    receive_fifo receive_fifo_0 (
        .s_axis_aresetn(~receive_reset), .s_axis_aclk(cmac_clk), .prog_full(crowded),
        .s_axis_tdata(cmac_rx_tdata), .s_axis_tkeep(cmac_rx_tkeep), .s_axis_tvalid(receive_tvalid), .s_axis_tready(),
        .s_axis_tlast(cmac_rx_tlast), .s_axis_tuser(cmac_rx_tuser),
        .m_axis_aclk(core_clk), .m_axis_tdata(core_rx_tdata), .m_axis_tkeep(core_rx_tkeep),
        .m_axis_tvalid(core_rx_tvalid), .m_axis_tready(core_rx_tready), .m_axis_tlast(core_rx_tlast),
        .m_axis_tuser(core_rx_tuser)
    );

    // Until the receiver is aligned the sender says so to its partner (remote fault) and sends nothing else.
    cmac_usplus_0 cmac (
        .gt_ref_clk_p(qsfp_refclk_p), .gt_ref_clk_n(qsfp_refclk_n),
        .gt_rxp_in(qsfp_rx_p), .gt_rxn_in(qsfp_rx_n), .gt_txp_out(qsfp_tx_p), .gt_txn_out(qsfp_tx_n),
        .init_clk(init_clk), .sys_reset(init_reset), .gt_txusrclk2(cmac_clk), .rx_clk(cmac_clk),
        .usr_tx_reset(usr_tx_reset), .usr_rx_reset(usr_rx_reset),
        .gtwiz_reset_tx_datapath(1'b0), .gtwiz_reset_rx_datapath(1'b0), .core_tx_reset(1'b0), .core_rx_reset(1'b0),
        .core_drp_reset(1'b0), .gt_loopback_in(12'b0), .tx_preamblein(56'b0),
        .ctl_rx_enable(1'b1), .ctl_tx_enable(aligned), .ctl_tx_send_rfi(~aligned), .stat_rx_aligned(aligned),
        .ctl_tx_send_lfi(1'b0), .ctl_tx_send_idle(1'b0), .ctl_tx_test_pattern(1'b0), .ctl_rx_test_pattern(1'b0),
        .ctl_rx_force_resync(1'b0), .ctl_tx_rsfec_enable(1'b1), .ctl_rx_rsfec_enable(1'b1),
        .ctl_rx_rsfec_enable_correction(1'b1), .ctl_rx_rsfec_enable_indication(1'b1),
        .ctl_rsfec_ieee_error_indication_mode(1'b0),
        .tx_axis_tdata(cmac_tx_tdata), .tx_axis_tkeep(cmac_tx_tkeep), .tx_axis_tvalid(cmac_tx_tvalid),
        .tx_axis_tready(cmac_tx_tready), .tx_axis_tlast(cmac_tx_tlast), .tx_axis_tuser(cmac_tx_tuser),
        .rx_axis_tdata(cmac_rx_tdata), .rx_axis_tkeep(cmac_rx_tkeep), .rx_axis_tvalid(cmac_rx_tvalid),
        .rx_axis_tlast(cmac_rx_tlast), .rx_axis_tuser(cmac_rx_tuser),
        .drp_clk(init_clk), .drp_addr(10'b0), .drp_di(16'b0), .drp_en(1'b0), .drp_we(1'b0)
    );

    // What lights up: see docs/src/board-alveo-u50.md.
    reg [3:0] frames = 4'b0;

    always @(posedge cmac_clk)
        frames <= frames + (cmac_rx_tvalid & cmac_rx_tlast) + (cmac_tx_tvalid & cmac_tx_tready & cmac_tx_tlast);
    assign led_activity = frames[3];
    assign led_green = aligned;
    assign led_yellow = link_up;
endmodule

`default_nettype wire
