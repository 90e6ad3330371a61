//! Subsystem `raw`: rings in host memory for frames that are not for a queue pair (ARP, ICMP, datagrams of QP 1, anything else).
//!
//! [`RawDescriptors`] reads the descriptors of a ring ahead, [`RawReceive`] and [`RawSend`] use them, [`RawWriteBack`] gives them
//! back. The bytes of received frames are written by the placer of `rx`, in frame order with everything else.
use crate::check::BlockCheck;

mod align;
mod assemble;
#[cfg(test)]
mod bench;
mod blocks;
mod descriptors;
mod icrc;
mod read_share;
mod receive;
mod records;
mod rings;
mod send;
#[cfg(test)]
mod tests;
mod write_back;
mod write_share;

pub use align::{RawAlign, RawBeat, RawShape};
pub use assemble::RawAssemble;
pub use descriptors::RawDescriptors;
pub use icrc::RawIcrc;
pub use read_share::{RawReadShare, ReadTurn};
pub use receive::RawReceive;
pub use records::{RawDescriptor, RawFetch, RawNote, RawSettings};
pub use rings::RawRings;
pub use send::RawSend;
pub use write_back::RawWriteBack;
pub use write_share::RawWriteShare;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list()
}
