//! Board tops: the core with its host link, the MACs, clocks, LEDs and management of the PHYs.
//!
//! ```text
//!            core's clock                                line's clocks
//!  core <- HostLink (bridge, link) <- Port B (MAC, RGMII) <- host
//!       <- Port A (MAC, RGMII) <- RoCE wire
//! ```
use crate::check::BlockCheck;

mod blocks;
mod export;
mod host_link;
mod nic;
mod port;
mod setup;
mod status_led;
mod two_ports;

pub use export::export_simulated;
pub use host_link::HostLink;
pub use nic::Nic;
pub use port::Port;
pub use setup::{BoardSetup, CORE_KHZ};
pub use status_led::StatusLed;
pub use two_ports::TwoPorts;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
