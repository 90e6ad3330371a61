//! Colorlight i5 (v7.0) and i9 (v7.2) on their extension board: two Gigabit PHYs with one management bus and one reset.
use super::{pin, rgmii, Board, Device, IoStandard, Pin, RgmiiSites, Taps, PORT_A, PORT_B};

const GRID: (&str, u32) = ("ABCDEFGHJKLMNPRTUVWY", 20);
const STANDARD: IoStandard = IoStandard::Lvcmos33;

/// The board files name the PHYs by their address on the management bus, which is the reverse of the connectors.
fn pins(led: &'static str) -> Vec<Pin> {
    let mut pins = vec![
        pin("clk", "P3", STANDARD).clock(25),
        pin("button_n", "K18", STANDARD).pulled_up(),
        pin("led_n", led, STANDARD),
        pin("uart_tx", "J17", STANDARD),
        pin("uart_rx", "H18", STANDARD).pulled_up(),
        pin("phy_rst_n", "P4", STANDARD),
        pin("mdio", "P5", STANDARD).pulled_up(),
        pin("mdc", "N5", STANDARD),
    ];
    let a = RgmiiSites {
        txc: "G1",
        tx_ctl: "K1",
        txd: ["G2", "H1", "J1", "J3"],
        rxc: "H2",
        rx_ctl: "P2",
        rxd: ["K2", "L1", "N1", "P1"],
    };
    let b = RgmiiSites {
        txc: "U19",
        tx_ctl: "P19",
        txd: ["U20", "T19", "T20", "R20"],
        rxc: "L19",
        rx_ctl: "M20",
        rxd: ["P20", "N19", "N20", "M19"],
    };
    pins.extend(rgmii(&PORT_A, &a, STANDARD));
    pins.extend(rgmii(&PORT_B, &b, STANDARD));
    pins
}

pub(super) fn i5() -> Board {
    Board {
        name: "colorlight-i5",
        title: "Colorlight i5 v7.0",
        preset: "tiny",
        part: Device {
            name: "LFE5U-25F-6BG381",
            nextpnr: &["--25k", "--speed", "6", "--package", "CABGA381"],
            grid: GRID,
        },
        oscillator_mhz: 25,
        pins: pins("U16"),
        taps: Taps { txc: 0, rx: 80 },
    }
}

pub(super) fn i9() -> Board {
    Board {
        name: "colorlight-i9",
        title: "Colorlight i9 v7.2",
        preset: "small",
        part: Device {
            name: "LFE5U-45F-6BG381",
            nextpnr: &["--45k", "--speed", "6", "--package", "CABGA381"],
            grid: GRID,
        },
        oscillator_mhz: 25,
        pins: pins("L2"),
        taps: Taps { txc: 0, rx: 80 },
    }
}
