puts "rnic on the KC705: NEVER RUN, neither this script in Vivado nor its result on a board. See docs/src/board-kc705.md."

# Written beside what `./rnic export --board kc705 --out DIR` writes; run it as `vivado -mode batch -source DIR/project.tcl`.
set part xc7k325tffg900-2
set here [file dirname [file normalize [info script]]]
set build [file join $here build]

create_project rnic_kc705 $build -part $part -force
add_files [list \
    [file join $here rnic_small.v] \
    [file join $here rnic_tlp_bridge.v] \
    [file join $here rnic_gigabit_mac.v] \
    [file join $here rnic_mdio.v] \
    [file join $here reset_release.v] \
    [file join $here top.v] \
]
add_files -fileset constrs_1 [file join $here board.xdc]
# Its clocks and cells exist only when the PCIe block is in the netlist.
set_property used_in_synthesis false [get_files board.xdc]

# VP1: 2.5 GT/s on four lanes is 64 bits at 125 MHz. Table and pending bits of MSI-X are those of the bridge (BA5).
create_ip -name pcie_7x -vendor xilinx.com -library ip -module_name pcie_7x_0
set_property -dict [list \
    CONFIG.mode_selection {Advanced} \
    CONFIG.Vendor_ID {FADE} \
    CONFIG.Device_ID {4E1C} \
    CONFIG.Use_Class_Code_Lookup_Assistant {false} \
    CONFIG.Class_Code_Base {02} \
    CONFIG.Class_Code_Sub {80} \
    CONFIG.Class_Code_Interface {00} \
    CONFIG.PCIe_Blk_Locn {X0Y0} \
    CONFIG.Link_Speed {2.5_GT/s} \
    CONFIG.Maximum_Link_Width {X4} \
    CONFIG.Ref_Clk_Freq {100_MHz} \
    CONFIG.User_Clk_Freq {125} \
    CONFIG.Interface_Width {64_bit} \
    CONFIG.Max_Payload_Size {512_bytes} \
    CONFIG.Bar0_Enabled {true} \
    CONFIG.Bar0_Type {Memory} \
    CONFIG.Bar0_64bit {true} \
    CONFIG.Bar0_Prefetchable {false} \
    CONFIG.Bar0_Scale {Kilobytes} \
    CONFIG.Bar0_Size {64} \
    CONFIG.Legacy_Interrupt {None} \
    CONFIG.IntX_Generation {false} \
    CONFIG.MSI_Enabled {false} \
    CONFIG.MSIx_Enabled {true} \
    CONFIG.MSIx_Table_Size {20} \
    CONFIG.MSIx_Table_Offset {8000} \
    CONFIG.MSIx_PBA_Offset {C000} \
] [get_ips pcie_7x_0]
generate_target all [get_ips pcie_7x_0]
synth_ip [get_ips pcie_7x_0]

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
write_bitstream -force [file join $build rnic_kc705.bit]
