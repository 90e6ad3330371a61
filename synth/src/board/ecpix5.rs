//! LambdaConcept ECPIX-5 with the 85F: one PHY, which is the host link; the RoCE wire ends inside the FPGA.
use super::{bus, pin, rgmii, Board, Device, IoStandard, RgmiiSites, Taps, PORT_B};

pub(super) fn board() -> Board {
    let standard = IoStandard::Lvcmos33;
    let mut pins = vec![
        pin("clk", "K23", standard).clock(100),
        // Public board files disagree: amaranth-boards has AB1, litex-boards N5.
        pin("button_n", "AB1", standard).pulled_up(),
        pin("uart_tx", "R24", standard),
        pin("uart_rx", "R26", standard).pulled_up(),
        pin("b_rst_n", "C13", standard),
        pin("b_mdio", "A13", standard).pulled_up(),
        pin("b_mdc", "C11", standard),
    ];
    // Red, green, blue.
    pins.extend(bus("led_n", &["T23", "R21", "T22"], standard));
    let sites = RgmiiSites {
        txc: "A12",
        tx_ctl: "C9",
        txd: ["D8", "C8", "B8", "A8"],
        rxc: "E11",
        rx_ctl: "A11",
        rxd: ["B11", "A10", "B10", "A9"],
    };
    // Pulled up, the PHY finds its address and mode there when its reset ends.
    let rgmii = rgmii(&PORT_B, &sites, standard);
    pins.extend(rgmii.into_iter().map(|pin| if pin.port == PORT_B.rxd { pin.pulled_up() } else { pin }));
    Board {
        name: "ecpix5",
        title: "LambdaConcept ECPIX-5 85F",
        preset: "small",
        part: Device {
            name: "LFE5UM5G-85F-8BG554",
            nextpnr: &["--um5g-85k", "--speed", "8", "--package", "CABGA554"],
            grid: ("ABCDEFGHJKLMNPRTUVWY", 26),
        },
        oscillator_mhz: 100,
        pins,
        taps: Taps { txc: 80, rx: 0 },
    }
}
