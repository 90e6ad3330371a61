//! Boards: part, clock, pins. One description makes the constraint file and is checked against itself (host-link.md BD1, BD2).
//!
//! Sites are those of public board files; none was checked on hardware. A port name is that of the board's outermost module.
mod check;
mod colorlight;
mod ecpix5;
mod lpf;
mod pll;
mod versa;

pub use check::Flaw;
pub use pll::{Pll, PllError};

use serde::Serialize;

/// Everything that is known of a board.
#[derive(Clone, Debug, Serialize)]
pub struct Board {
    /// Name on the command line and of its folder in `constraints`.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// Preset of the core that it is meant for.
    pub preset: &'static str,
    /// Its FPGA.
    pub part: Device,
    /// Oscillator at port `clk`, MHz.
    pub oscillator_mhz: u32,
    /// Every pin that is used.
    pub pins: Vec<Pin>,
    /// Delays of the RGMII pins, in steps of 25 ps (MC9).
    pub taps: Taps,
}

/// An FPGA in its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Device {
    /// Order code without temperature range.
    pub name: &'static str,
    /// Words of nextpnr-ecp5 that select it.
    pub nextpnr: &'static [&'static str],
    /// Rows (letters) and columns of the package's grid, for the check of sites.
    pub grid: (&'static str, u32),
}

/// Delays between FPGA and PHY, in steps of 25 ps; the data and control pins of the sending side have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Taps {
    /// Of the clock that we send.
    pub txc: u8,
    /// Of data and control that we receive.
    pub rx: u8,
}

/// Electrical standard of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum IoStandard {
    /// Single-ended, 3.3 V.
    Lvcmos33,
    /// Single-ended, 2.5 V.
    Lvcmos25,
    /// Differential input; the site is that of the positive pin.
    Lvds,
}

impl IoStandard {
    /// As the tools of Lattice write it.
    #[must_use]
    pub fn lattice(self) -> &'static str {
        match self {
            Self::Lvcmos33 => "LVCMOS33",
            Self::Lvcmos25 => "LVCMOS25",
            Self::Lvds => "LVDS",
        }
    }
}

/// One bit of a port.
#[derive(Clone, Debug, Serialize)]
pub struct Pin {
    /// Port of the outermost module.
    pub port: &'static str,
    /// Bit of it; `None` where the port is a single bit.
    pub index: Option<usize>,
    /// Where it is.
    pub site: &'static str,
    /// How it signals.
    pub standard: IoStandard,
    /// Pulled up.
    pub pull_up: bool,
    /// Fast edges.
    pub fast: bool,
    /// It is a clock input of so many MHz.
    pub clock_mhz: Option<u32>,
}

impl Pin {
    /// Name in constraint files.
    #[must_use]
    pub fn name(&self) -> String {
        self.index.map_or_else(|| self.port.to_string(), |index| format!("{}[{index}]", self.port))
    }

    fn fast(mut self) -> Self {
        self.fast = true;
        self
    }

    fn pulled_up(mut self) -> Self {
        self.pull_up = true;
        self
    }

    fn clock(mut self, mhz: u32) -> Self {
        self.clock_mhz = Some(mhz);
        self
    }
}

/// A port of one bit.
fn pin(port: &'static str, site: &'static str, standard: IoStandard) -> Pin {
    Pin { port, index: None, site, standard, pull_up: false, fast: false, clock_mhz: None }
}

/// A port of several bits, bit 0 first.
fn bus(port: &'static str, sites: &[&'static str], standard: IoStandard) -> Vec<Pin> {
    sites.iter().enumerate().map(|(index, site)| Pin { index: Some(index), ..pin(port, site, standard) }).collect()
}

/// Names of the ports of an RGMII.
struct RgmiiPorts {
    txc: &'static str,
    tx_ctl: &'static str,
    txd: &'static str,
    rxc: &'static str,
    rx_ctl: &'static str,
    rxd: &'static str,
}

/// The RoCE wire.
const PORT_A: RgmiiPorts =
    RgmiiPorts { txc: "a_txc", tx_ctl: "a_tx_ctl", txd: "a_txd", rxc: "a_rxc", rx_ctl: "a_rx_ctl", rxd: "a_rxd" };

/// The host link.
const PORT_B: RgmiiPorts =
    RgmiiPorts { txc: "b_txc", tx_ctl: "b_tx_ctl", txd: "b_txd", rxc: "b_rxc", rx_ctl: "b_rx_ctl", rxd: "b_rxd" };

/// Sites of an RGMII, in the order of its ports' names: each clock, each control, four data.
struct RgmiiSites {
    txc: &'static str,
    tx_ctl: &'static str,
    txd: [&'static str; 4],
    rxc: &'static str,
    rx_ctl: &'static str,
    rxd: [&'static str; 4],
}

/// The twelve pins of an RGMII; what we send has fast edges.
fn rgmii(ports: &RgmiiPorts, sites: &RgmiiSites, standard: IoStandard) -> Vec<Pin> {
    let mut pins = vec![
        pin(ports.txc, sites.txc, standard).fast(),
        pin(ports.tx_ctl, sites.tx_ctl, standard).fast(),
        pin(ports.rxc, sites.rxc, standard).clock(125),
        pin(ports.rx_ctl, sites.rx_ctl, standard),
    ];
    pins.extend(bus(ports.txd, &sites.txd, standard).into_iter().map(Pin::fast));
    pins.extend(bus(ports.rxd, &sites.rxd, standard));
    pins
}

/// Every board, cheapest first.
#[must_use]
pub fn boards() -> Vec<Board> {
    vec![colorlight::i5(), colorlight::i9(), versa::board(), ecpix5::board()]
}

/// The board of this name.
#[must_use]
pub fn board(name: &str) -> Option<Board> {
    boards().into_iter().find(|board| board.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bd2_no_description_has_a_flaw() {
        for board in boards() {
            assert_eq!(board.flaws(), [], "{}", board.name);
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        for board in boards() {
            assert_eq!(super::board(board.name).map(|found| found.title), Some(board.title));
        }
        assert!(super::board("none").is_none());
    }

    #[test]
    fn ck1_every_oscillator_gives_the_clocks() {
        for board in boards() {
            let pll = Pll::of(board.oscillator_mhz).unwrap_or_else(|error| panic!("{}: {error}", board.name));
            assert_eq!((pll.mac_khz(), pll.core_khz()), (125_000, 83_333), "{}", board.name);
        }
    }
}
