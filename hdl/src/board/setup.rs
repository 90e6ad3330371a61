//! What a board, or the simulation of one, decides.
use crate::link::LinkSetup;
use crate::mac::{Cells, RgmiiDelays, FASTEST_MDC_KHZ};
use rnic_abi::link::frame::SIMULATED_TICKS_PER_US;

/// Clock of the core on every ECP5 board, kHz (CK1).
pub const CORE_KHZ: u32 = 83_333;

/// Parameters of a board top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoardSetup {
    /// The host link.
    pub link: LinkSetup,
    /// Delays of the RGMII pins.
    pub delays: RgmiiDelays,
    /// Where the models of the pads come from.
    pub cells: Cells,
    /// Cycles of the core's clock a millisecond, for PHY resets and LEDs.
    pub cycles_per_ms: u32,
    /// Cycles of the core's clock in half a period of MDC.
    pub mdc_half_period: u32,
}

impl BoardSetup {
    /// A real board: `low` ends the MAC address of the host link (LK4), `build` is shown to the host.
    pub fn real(low: u16, build: u32, delays: RgmiiDelays) -> Self {
        Self {
            link: LinkSetup::board(low, build, u64::from(CORE_KHZ.div_ceil(1000))),
            delays,
            cells: Cells::Library,
            cycles_per_ms: CORE_KHZ,
            mdc_half_period: CORE_KHZ.div_ceil(2 * FASTEST_MDC_KHZ),
        }
    }

    /// The same for a simulation: a microsecond of the link has [`SIMULATED_TICKS_PER_US`] cycles (HO9), a millisecond of the PHYs four.
    pub fn simulated() -> Self {
        let real = Self::real(1, 0x51AB_0A2D, RgmiiDelays::default());
        let link = LinkSetup { ticks_per_us: SIMULATED_TICKS_PER_US, ..real.link };
        Self { link, cycles_per_ms: 4, mdc_half_period: 4, ..real }
    }
}
