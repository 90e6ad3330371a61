//! TLP bridge: PCIe transaction-layer packets on the lower side, the core's AXI ports on the upper side.
//!
//! `TlpReceive` parses and sorts what comes; `BarAccess` serves BAR0, `ReadCompletion` takes the data of DMA reads that
//! `ReadRequest` has asked for; `WriteRequest` and `Interrupt` make memory writes; `TlpTransmit` keeps the order of all that
//! leaves. [`Bridge`] joins them. It knows nothing of what carries the TLPs.
use crate::check::BlockCheck;

mod blocks;
mod byte_count;
mod commit_fifo;
mod limits;
#[cfg(test)]
pub(crate) mod model;
mod receive;
mod receive_decode;
mod receive_enables;
mod receive_frame;
mod receive_sort;
mod records;
mod swap;

pub use byte_count::ByteCount;
pub use commit_fifo::CommitFifo;
pub use limits::SizeLimits;
pub use receive::TlpReceive;
pub use receive_decode::ReceiveDecode;
pub use receive_enables::EnableCheck;
pub use receive_frame::ReceiveFrame;
pub use receive_sort::ReceiveSort;
pub use records::*;
pub use swap::SwapDwords;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
