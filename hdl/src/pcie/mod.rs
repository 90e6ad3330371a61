//! TLP bridge: PCIe transaction-layer packets on the lower side, the core's AXI ports on the upper side.
//!
//! `TlpReceive` parses and sorts what comes; `BarAccess` serves BAR0, `ReadCompletion` takes the data of DMA reads that
//! `ReadRequest` has asked for; `WriteRequest` and `Interrupt` make memory writes; `TlpTransmit` keeps the order of all that
//! leaves. [`Bridge`] joins them. It knows nothing of what carries the TLPs.
use crate::check::BlockCheck;

mod bar_access;
mod bar_answer;
mod bar_port;
mod bar_sequence;
#[cfg(test)]
mod bench;
mod blocks;
mod blocks_bar;
mod blocks_dma;
mod bridge;
mod byte_count;
mod commit_fifo;
mod counters;
#[cfg(test)]
mod dma_tests;
mod export;
mod interrupt;
mod limits;
#[cfg(test)]
pub(crate) mod model;
mod msix_table;
#[cfg(test)]
mod random_tests;
mod read_check;
mod read_completion;
mod read_header;
mod read_request;
mod read_return;
mod read_slot;
mod read_slots;
mod read_split;
mod read_store;
mod receive;
mod receive_decode;
mod receive_enables;
mod receive_frame;
mod receive_sort;
#[cfg(test)]
mod receive_tests;
mod records;
mod registers;
mod swap;
mod transmit;
mod transmit_build;
mod transmit_order;
#[cfg(test)]
mod vector_tests;
mod write_gather;
mod write_header;
mod write_request;
mod write_run;
mod write_strobes;

pub use bar_access::BarAccess;
pub use bar_answer::BarAnswer;
pub use bar_port::BarPort;
pub use bar_sequence::{BarSequence, BarStep};
pub use bridge::Bridge;
pub use byte_count::ByteCount;
pub use commit_fifo::CommitFifo;
pub use counters::BridgeCounters;
pub use export::export;
pub use interrupt::{Interrupt, InterruptStep};
pub use limits::SizeLimits;
pub use msix_table::MsixTable;
pub use read_check::CompletionCheck;
pub use read_completion::ReadCompletion;
pub use read_header::ReadHeader;
pub use read_request::ReadRequest;
pub use read_return::ReadReturn;
pub use read_slot::ReadSlot;
pub use read_slots::ReadSlots;
pub use read_split::ReadSplit;
pub use read_store::ReadStore;
pub use receive::TlpReceive;
pub use receive_decode::ReceiveDecode;
pub use receive_enables::EnableCheck;
pub use receive_frame::ReceiveFrame;
pub use receive_sort::ReceiveSort;
pub use records::*;
pub use registers::BridgeRegisters;
pub use swap::SwapDwords;
pub use transmit::TlpTransmit;
pub use transmit_build::{BuildStep, TransmitBuild};
pub use transmit_order::TransmitOrder;
pub use write_gather::{WriteGather, WriteStep};
pub use write_header::WriteHeader;
pub use write_request::WriteRequest;
pub use write_run::WriteRun;
pub use write_strobes::StrobeShape;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
