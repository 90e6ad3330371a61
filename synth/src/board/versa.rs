//! Lattice Versa ECP5-5G: two PHYs with a management bus each, a differential oscillator, eight LEDs. Its PCIe pads are not used.
use super::{bus, pin, rgmii, Board, Device, IoStandard, RgmiiSites, Taps, PORT_A, PORT_B};

pub(super) fn board() -> Board {
    let (low, high) = (IoStandard::Lvcmos25, IoStandard::Lvcmos33);
    let mut pins = vec![
        pin("clk", "P3", IoStandard::Lvds).clock(100),
        pin("button_n", "T1", high).pulled_up(),
        pin("uart_tx", "A11", high),
        pin("uart_rx", "C11", high).pulled_up(),
        pin("a_rst_n", "U17", low),
        pin("a_mdio", "U18", low).pulled_up(),
        pin("a_mdc", "T18", low),
        pin("b_rst_n", "F20", low),
        pin("b_mdio", "H20", low).pulled_up(),
        pin("b_mdc", "G19", low),
    ];
    pins.extend(bus("led_n", &["E16", "D17", "D18", "E18", "F17", "F18", "E17", "F16"], low));
    let a = RgmiiSites {
        txc: "P19",
        tx_ctl: "R20",
        txd: ["N19", "N20", "P18", "P20"],
        rxc: "L20",
        rx_ctl: "U19",
        rxd: ["T20", "U20", "T19", "R18"],
    };
    let b = RgmiiSites {
        txc: "C20",
        tx_ctl: "E19",
        txd: ["J17", "J16", "D19", "D20"],
        rxc: "J19",
        rx_ctl: "F19",
        rxd: ["G18", "G16", "H18", "H17"],
    };
    pins.extend(rgmii(&PORT_A, &a, low));
    pins.extend(rgmii(&PORT_B, &b, low));
    Board {
        name: "versa-ecp5-5g",
        title: "Lattice Versa ECP5-5G",
        preset: "small",
        part: Device {
            name: "LFE5UM5G-45F-8BG381",
            nextpnr: &["--um5g-45k", "--speed", "8", "--package", "CABGA381"],
            grid: ("ABCDEFGHJKLMNPRTUVWY", 20),
        },
        oscillator_mhz: 100,
        pins,
        taps: Taps { txc: 0, rx: 0 },
    }
}
