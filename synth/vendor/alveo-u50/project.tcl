puts "rnic on the Alveo U50: NEVER RUN, neither this script in Vivado nor its result on a card. See docs/src/board-alveo-u50.md."

# Written beside what `./rnic export --board alveo-u50 --out DIR` writes; run it as `vivado -mode batch -source DIR/project.tcl`.
set part xcu50-fsvh2104-2-e
set here [file dirname [file normalize [info script]]]
set build [file join $here build]

create_project rnic_u50 $build -part $part -force
add_files [list \
    [file join $here rnic_large.v] \
    [file join $here reset_release.v] \
    [file join $here frame_send.v] \
    [file join $here frame_receive.v] \
    [file join $here irq_lines.v] \
    [file join $here top.v] \
]
add_files -fileset constrs_1 [file join $here board.xdc]
# Its clocks exist only when the vendor's blocks are in the netlist.
set_property used_in_synthesis false [get_files board.xdc]

# VP2: PCIe as an AXI bridge, addresses as they are both ways. SmartConnect is to be had in a block design only.
create_bd_design host
create_bd_cell -type ip -vlnv xilinx.com:ip:xdma:4.1 xdma_0
set_property -dict [list \
    CONFIG.functional_mode {AXI_Bridge} \
    CONFIG.mode_selection {Advanced} \
    CONFIG.device_port_type {PCI_Express_Endpoint_device} \
    CONFIG.pl_link_cap_max_link_width {X16} \
    CONFIG.pl_link_cap_max_link_speed {8.0_GT/s} \
    CONFIG.pcie_blk_locn {PCIE4C_X1Y0} \
    CONFIG.en_gt_selection {true} \
    CONFIG.select_quad {GTY_Quad_227} \
    CONFIG.ref_clk_freq {100_MHz} \
    CONFIG.axi_addr_width {64} \
    CONFIG.axi_data_width {512_bit} \
    CONFIG.axisten_freq {250} \
    CONFIG.vendor_id {FADE} \
    CONFIG.pf0_device_id {4E1C} \
    CONFIG.pf0_class_code_base {02} \
    CONFIG.pf0_class_code_sub {80} \
    CONFIG.pf0_class_code_interface {00} \
    CONFIG.pf0_bar0_64bit {true} \
    CONFIG.pf0_bar0_scale {Kilobytes} \
    CONFIG.pf0_bar0_size {64} \
    CONFIG.pciebar2axibar_0 {0x0000000000000000} \
    CONFIG.en_axi_slave_if {true} \
    CONFIG.axibar_num {1} \
    CONFIG.axibar_0 {0x0000000000000000} \
    CONFIG.axibar_highaddr_0 {0x000FFFFFFFFFFFFF} \
    CONFIG.axibar2pciebar_0 {0x0000000000000000} \
    CONFIG.c_s_axi_supports_narrow_burst {false} \
    CONFIG.xdma_axilite_slave {false} \
    CONFIG.pf0_interrupt_pin {NONE} \
    CONFIG.pf0_msi_enabled {false} \
    CONFIG.pf0_msix_enabled {true} \
    CONFIG.pf0_msix_cap_table_bir {BAR_1:0} \
    CONFIG.pf0_msix_cap_table_offset {00008000} \
    CONFIG.pf0_msix_cap_table_size {01F} \
    CONFIG.pf0_msix_cap_pba_bir {BAR_1:0} \
    CONFIG.pf0_msix_cap_pba_offset {00008FE0} \
    CONFIG.xdma_num_usr_irq {8} \
] [get_bd_cells xdma_0]
create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect:1.0 smartconnect_0
set_property -dict [list CONFIG.NUM_SI {1} CONFIG.NUM_MI {1}] [get_bd_cells smartconnect_0]

create_bd_port -dir I -type clk -freq_hz 100000000 sys_clk
create_bd_port -dir I -type clk -freq_hz 100000000 sys_clk_gt
create_bd_port -dir I -type rst sys_rst_n
create_bd_port -dir O -type clk axi_aclk
create_bd_port -dir O -type rst axi_aresetn
create_bd_port -dir O user_lnk_up
create_bd_port -dir I -from 7 -to 0 usr_irq_req
create_bd_port -dir O -from 7 -to 0 usr_irq_ack
create_bd_intf_port -mode Master -vlnv xilinx.com:interface:pcie_7x_mgt_rtl:1.0 pcie
create_bd_intf_port -mode Master -vlnv xilinx.com:interface:aximm_rtl:1.0 m_axil
create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:aximm_rtl:1.0 s_axi
set_property CONFIG.POLARITY {ACTIVE_LOW} [get_bd_ports sys_rst_n]
set_property -dict [list \
    CONFIG.PROTOCOL {AXI4LITE} \
    CONFIG.ADDR_WIDTH {16} \
    CONFIG.DATA_WIDTH {32} \
] [get_bd_intf_ports m_axil]
set_property -dict [list \
    CONFIG.PROTOCOL {AXI4} \
    CONFIG.ADDR_WIDTH {64} \
    CONFIG.DATA_WIDTH {512} \
    CONFIG.ID_WIDTH {4} \
    CONFIG.HAS_REGION {0} \
    CONFIG.SUPPORTS_NARROW_BURST {0} \
    CONFIG.NUM_READ_OUTSTANDING {32} \
    CONFIG.NUM_WRITE_OUTSTANDING {32} \
    CONFIG.MAX_BURST_LENGTH {256} \
] [get_bd_intf_ports s_axi]
set_property CONFIG.ASSOCIATED_BUSIF {m_axil:s_axi} [get_bd_ports axi_aclk]

connect_bd_net [get_bd_ports sys_clk] [get_bd_pins xdma_0/sys_clk]
connect_bd_net [get_bd_ports sys_clk_gt] [get_bd_pins xdma_0/sys_clk_gt]
connect_bd_net [get_bd_ports sys_rst_n] [get_bd_pins xdma_0/sys_rst_n]
connect_bd_net [get_bd_pins xdma_0/axi_aclk] [get_bd_ports axi_aclk] [get_bd_pins smartconnect_0/aclk]
connect_bd_net [get_bd_pins xdma_0/axi_aresetn] [get_bd_ports axi_aresetn] [get_bd_pins smartconnect_0/aresetn]
connect_bd_net [get_bd_pins xdma_0/user_lnk_up] [get_bd_ports user_lnk_up]
connect_bd_net [get_bd_ports usr_irq_req] [get_bd_pins xdma_0/usr_irq_req]
connect_bd_net [get_bd_pins xdma_0/usr_irq_ack] [get_bd_ports usr_irq_ack]
connect_bd_intf_net [get_bd_intf_pins xdma_0/pcie_mgt] [get_bd_intf_ports pcie]
connect_bd_intf_net [get_bd_intf_pins xdma_0/M_AXI_B] [get_bd_intf_pins smartconnect_0/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins smartconnect_0/M00_AXI] [get_bd_intf_ports m_axil]
connect_bd_intf_net [get_bd_intf_ports s_axi] [get_bd_intf_pins xdma_0/S_AXI_B]
assign_bd_address
set_property offset 0x0 [get_bd_addr_segs xdma_0/M_AXI_B/SEG_m_axil_Reg]
set_property range 64K [get_bd_addr_segs xdma_0/M_AXI_B/SEG_m_axil_Reg]
validate_bd_design
save_bd_design
set_property synth_checkpoint_mode None [get_files host.bd]
generate_target all [get_files host.bd]
add_files [make_wrapper -files [get_files host.bd] -top]

# VP3. Flow control off: the core knows none. The longest frame is that of MC4.
create_ip -name cmac_usplus -vendor xilinx.com -library ip -module_name cmac_usplus_0
set_property -dict [list \
    CONFIG.CMAC_CAUI4_MODE {1} \
    CONFIG.NUM_LANES {4x25} \
    CONFIG.USER_INTERFACE {AXIS} \
    CONFIG.INCLUDE_RS_FEC {1} \
    CONFIG.TX_FLOW_CONTROL {0} \
    CONFIG.RX_FLOW_CONTROL {0} \
    CONFIG.RX_MAX_PACKET_LEN {4352} \
    CONFIG.GT_REF_CLK_FREQ {161.1328125} \
    CONFIG.GT_DRP_CLK {125} \
    CONFIG.CMAC_CORE_SELECT {CMACE4_X0Y4} \
    CONFIG.GT_GROUP_SELECT {X0Y28~X0Y31} \
    CONFIG.LANE1_GT_LOC {X0Y28} \
    CONFIG.LANE2_GT_LOC {X0Y29} \
    CONFIG.LANE3_GT_LOC {X0Y30} \
    CONFIG.LANE4_GT_LOC {X0Y31} \
    CONFIG.ENABLE_PIPELINE_REG {1} \
] [get_ips cmac_usplus_0]

# Between 250 and 322 MHz. To the wire a frame leaves when it is there whole (mode 2, MC2); from the wire the FIFO tells when the
# longest frame, 68 beats, might find no room any more (MC4).
create_ip -name axis_data_fifo -vendor xilinx.com -library ip -module_name send_fifo
set_property -dict [list \
    CONFIG.TDATA_NUM_BYTES {64} \
    CONFIG.TUSER_WIDTH {1} \
    CONFIG.HAS_TKEEP {1} \
    CONFIG.HAS_TLAST {1} \
    CONFIG.IS_ACLK_ASYNC {1} \
    CONFIG.FIFO_DEPTH {512} \
    CONFIG.FIFO_MODE {2} \
] [get_ips send_fifo]
create_ip -name axis_data_fifo -vendor xilinx.com -library ip -module_name receive_fifo
set_property -dict [list \
    CONFIG.TDATA_NUM_BYTES {64} \
    CONFIG.TUSER_WIDTH {1} \
    CONFIG.HAS_TKEEP {1} \
    CONFIG.HAS_TLAST {1} \
    CONFIG.IS_ACLK_ASYNC {1} \
    CONFIG.FIFO_DEPTH {512} \
    CONFIG.FIFO_MODE {1} \
    CONFIG.HAS_PROG_FULL {1} \
    CONFIG.PROG_FULL_THRESH {424} \
] [get_ips receive_fifo]
set ips [get_ips {cmac_usplus_0 send_fifo receive_fifo}]
generate_target all $ips
synth_ip $ips

synth_design -top top -part $part
opt_design
place_design
phys_opt_design
route_design
report_timing_summary -file [file join $build timing_summary.txt]
report_utilization -file [file join $build utilization.txt]
report_cdc -file [file join $build cdc.txt]
foreach kind {setup hold} {
    set slack [get_property SLACK [get_timing_paths -$kind -max_paths 1]]
    if {$slack < 0} {
        error "$kind slack $slack ns: see timing_summary.txt"
    }
}
write_bitstream -force [file join $build rnic_u50.bit]
