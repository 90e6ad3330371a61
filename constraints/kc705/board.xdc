# KC705, xc7k325tffg900-2. Pins from the public board files of LiteX (xilinx_kc705.py) and verilog-ethernet (KC705/fpga_gmii).
# Nothing here was tried on hardware.

set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 2.5 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS true [current_design]

# Oscillator and button.
set_property -dict {PACKAGE_PIN AD12 IOSTANDARD LVDS} [get_ports sysclk_p]
set_property -dict {PACKAGE_PIN AD11 IOSTANDARD LVDS} [get_ports sysclk_n]
set_property -dict {PACKAGE_PIN AB7 IOSTANDARD LVCMOS15} [get_ports cpu_reset]

# PCIe, four of the eight lanes. Pins of transceivers have no standard.
set_property -dict {PACKAGE_PIN G25 IOSTANDARD LVCMOS25 PULLUP true} [get_ports pcie_perst_n]
set_property PACKAGE_PIN U8 [get_ports pcie_refclk_p]
set_property PACKAGE_PIN U7 [get_ports pcie_refclk_n]
set_property PACKAGE_PIN M6 [get_ports {pcie_rx_p[0]}]
set_property PACKAGE_PIN M5 [get_ports {pcie_rx_n[0]}]
set_property PACKAGE_PIN P6 [get_ports {pcie_rx_p[1]}]
set_property PACKAGE_PIN P5 [get_ports {pcie_rx_n[1]}]
set_property PACKAGE_PIN R4 [get_ports {pcie_rx_p[2]}]
set_property PACKAGE_PIN R3 [get_ports {pcie_rx_n[2]}]
set_property PACKAGE_PIN T6 [get_ports {pcie_rx_p[3]}]
set_property PACKAGE_PIN T5 [get_ports {pcie_rx_n[3]}]
set_property PACKAGE_PIN L4 [get_ports {pcie_tx_p[0]}]
set_property PACKAGE_PIN L3 [get_ports {pcie_tx_n[0]}]
set_property PACKAGE_PIN M2 [get_ports {pcie_tx_p[1]}]
set_property PACKAGE_PIN M1 [get_ports {pcie_tx_n[1]}]
set_property PACKAGE_PIN N4 [get_ports {pcie_tx_p[2]}]
set_property PACKAGE_PIN N3 [get_ports {pcie_tx_n[2]}]
set_property PACKAGE_PIN P2 [get_ports {pcie_tx_p[3]}]
set_property PACKAGE_PIN P1 [get_ports {pcie_tx_n[3]}]

# PHY (88E1111, GMII).
set_property -dict {PACKAGE_PIN L20 IOSTANDARD LVCMOS25} [get_ports phy_rst_n]
set_property -dict {PACKAGE_PIN R23 IOSTANDARD LVCMOS25} [get_ports phy_mdc]
set_property -dict {PACKAGE_PIN J21 IOSTANDARD LVCMOS25 PULLUP true} [get_ports phy_mdio]
set_property -dict {PACKAGE_PIN K30 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16} [get_ports phy_gtx_clk]
set_property -dict {PACKAGE_PIN M27 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports phy_tx_en]
set_property -dict {PACKAGE_PIN N29 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports phy_tx_er]
set_property -dict {PACKAGE_PIN N27 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[0]}]
set_property -dict {PACKAGE_PIN N25 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[1]}]
set_property -dict {PACKAGE_PIN M29 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[2]}]
set_property -dict {PACKAGE_PIN L28 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[3]}]
set_property -dict {PACKAGE_PIN J26 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[4]}]
set_property -dict {PACKAGE_PIN K26 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[5]}]
set_property -dict {PACKAGE_PIN L30 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[6]}]
set_property -dict {PACKAGE_PIN J28 IOSTANDARD LVCMOS25 SLEW FAST DRIVE 16 IOB TRUE} [get_ports {phy_txd[7]}]
set_property -dict {PACKAGE_PIN U27 IOSTANDARD LVCMOS25} [get_ports phy_rx_clk]
set_property -dict {PACKAGE_PIN R28 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports phy_rx_dv]
set_property -dict {PACKAGE_PIN V26 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports phy_rx_er]
set_property -dict {PACKAGE_PIN U30 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[0]}]
set_property -dict {PACKAGE_PIN U25 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[1]}]
set_property -dict {PACKAGE_PIN T25 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[2]}]
set_property -dict {PACKAGE_PIN U28 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[3]}]
set_property -dict {PACKAGE_PIN R19 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[4]}]
set_property -dict {PACKAGE_PIN T27 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[5]}]
set_property -dict {PACKAGE_PIN T26 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[6]}]
set_property -dict {PACKAGE_PIN T28 IOSTANDARD LVCMOS25 IOB TRUE} [get_ports {phy_rxd[7]}]

# LEDs.
set_property -dict {PACKAGE_PIN AB8 IOSTANDARD LVCMOS15} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN AA8 IOSTANDARD LVCMOS15} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN AC9 IOSTANDARD LVCMOS15} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN AB9 IOSTANDARD LVCMOS15} [get_ports {led[3]}]
set_property -dict {PACKAGE_PIN AE26 IOSTANDARD LVCMOS25} [get_ports {led[4]}]
set_property -dict {PACKAGE_PIN G19 IOSTANDARD LVCMOS25} [get_ports {led[5]}]
set_property -dict {PACKAGE_PIN E18 IOSTANDARD LVCMOS25} [get_ports {led[6]}]
set_property -dict {PACKAGE_PIN F16 IOSTANDARD LVCMOS25} [get_ports {led[7]}]

# Clocks (VP5). The core's clock comes out of the PCIe block, which makes its own constraint.
create_clock -name sysclk -period 5.000 [get_ports sysclk_p]
create_clock -name pcie_refclk -period 10.000 [get_ports pcie_refclk_p]
create_clock -name phy_rx_clk -period 8.000 [get_ports phy_rx_clk]
create_generated_clock -name gtx_clk -source [get_pins gtx_ddr/C] -divide_by 1 -invert [get_ports phy_gtx_clk]

# Nothing but the reset passes between sending and receiving.
set_clock_groups -asynchronous -group [get_clocks -include_generated_clocks sysclk] -group [get_clocks phy_rx_clk]
# Gray pointers and counters pass between core and MAC. A clock group there would take precedence over these bounds and void
# them; so the bound stands for the whole pair. One period, so that the bits of a pointer arrive within one of its steps.
set_max_delay -datapath_only 8.000 -from [get_clocks -of_objects [get_nets core_clk]] -to [get_clocks -of_objects [get_nets gmii_clk]]
set_max_delay -datapath_only 8.000 -from [get_clocks -of_objects [get_nets gmii_clk]] -to [get_clocks -of_objects [get_nets core_clk]]
set_max_delay -datapath_only 8.000 -from [get_clocks -of_objects [get_nets core_clk]] -to [get_clocks phy_rx_clk]
set_max_delay -datapath_only 8.000 -from [get_clocks phy_rx_clk] -to [get_clocks -of_objects [get_nets core_clk]]

# GMII: 2.5 ns before and 0.5 ns after the edge at the sender's pins, 2.0 and 0.0 at the receiver's.
set_output_delay -clock gtx_clk -max 2.500 [get_ports {phy_txd[*] phy_tx_en phy_tx_er}]
set_output_delay -clock gtx_clk -min -0.500 [get_ports {phy_txd[*] phy_tx_en phy_tx_er}]
set_input_delay -clock phy_rx_clk -max 6.000 [get_ports {phy_rxd[*] phy_rx_dv phy_rx_er}]
set_input_delay -clock phy_rx_clk -min 0.000 [get_ports {phy_rxd[*] phy_rx_dv phy_rx_er}]

# What has no time.
set_false_path -from [get_ports {pcie_perst_n cpu_reset}]
set_false_path -to [get_ports {led[*] phy_rst_n phy_mdc phy_mdio}]
set_false_path -from [get_ports phy_mdio]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *_release/held_reg[*]/PRE}]
