//! Subsystem `mac`: Gigabit Ethernet, from the pins of the PHY to the AXI4-Streams of the core.
//!
//! ```text
//!      core's clock                      transmit clock
//!  AXIS -> TransmitStore -> FrameFifo -> WordsToBytes -> GmiiTransmit -> RgmiiPhy -> pins
//!  AXIS <- WordsToAxis  <- FrameFifo <- ReceiveStore <- GmiiReceive   <- RgmiiPhy <- pins
//!                                        receive clock
//! ```
use crate::check::BlockCheck;

pub(crate) mod blocks;
mod crossing_memory;
#[cfg(test)]
mod crossing_tests;
mod ecp5_ddr;
mod event_count;
mod fcs;
mod fifo_reader;
mod fifo_writer;
mod frame_fifo;
mod gigabit_mac;
mod gmii_mac;
mod gmii_receive;
mod gmii_transmit;
mod gray;
mod in_band_status;
#[cfg(test)]
mod line_tests;
mod mac_crossing;
mod mdio;
mod mdio_frame;
#[cfg(test)]
mod model;
mod phy_reset;
mod receive_hunt;
mod receive_judge;
mod receive_store;
mod records;
mod reset_release;
mod rgmii_phy;
mod synchronizer;
mod transmit_store;
mod words_to_axis;
mod words_to_bytes;

pub use crossing_memory::CrossingMemory;
pub use ecp5_ddr::{Cells, DdrInput, DdrOutput, CELL_MODELS, MOST_TAPS};
pub use event_count::EventCount;
pub use fcs::{FcsStep, FCS_START, GOOD_FCS};
pub use fifo_reader::FifoReader;
pub use fifo_writer::FifoWriter;
pub use frame_fifo::FrameFifo;
pub use gigabit_mac::{GigabitMac, LONGEST_LINK_FRAME, LONGEST_ROCE_FRAME};
pub use gmii_mac::GmiiMac;
pub use gmii_receive::GmiiReceive;
pub use gmii_transmit::GmiiTransmit;
pub use gray::FromGray;
pub use in_band_status::InBandStatus;
pub use mac_crossing::MacCrossing;
pub use mdio::{Mdio, SetupWrite, BMSR, GIGABIT_STATUS};
pub use mdio_frame::{MdioCommand, MdioFrame, FASTEST_MDC_KHZ};
pub use phy_reset::{PhyReset, RESET_MS, WAKE_MS};
pub use receive_hunt::ReceiveHunt;
pub use receive_judge::{ReceiveJudge, SHORTEST_FRAME};
pub use receive_store::ReceiveStore;
pub use records::{FrameByte, MacWord};
pub use reset_release::ResetRelease;
pub use rgmii_phy::{RgmiiDelays, RgmiiPhy};
pub use synchronizer::Synchronizer;
pub use transmit_store::TransmitStore;
pub use words_to_axis::WordsToAxis;
pub use words_to_bytes::WordsToBytes;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
