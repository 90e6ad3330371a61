//! Subsystem `wire`: Ethernet, IP, UDP and the transport headers; ICRC; frame buffers.
use crate::check::BlockCheck;

mod arbiter;
mod blocks;
mod blocks_transmit;
mod build;
mod headers;
mod headers_checksum;
mod headers_fetch;
mod headers_kind;
mod headers_length;
mod headers_network;
mod headers_shape;
mod headers_transport;
pub mod icrc;
mod icrc_mask;
#[cfg(test)]
mod model;
mod pack;
mod pack_masks;
mod pack_rotate;
mod pack_sequence;
mod records;
mod reverse;
mod send;
mod store;
mod stream;
mod xor_matrix;

pub use arbiter::WireArbiter;
pub use build::FrameBuilder;
pub use headers::{FrameHeader, HeaderGenerator};
pub use icrc::{Icrc, Retreat};
pub use icrc_mask::IcrcMask;
pub use pack::Packer;
pub use records::{PlaceJob, PlaceVerdict, RxFrame, Span, TxFrame, WirePath};
pub use reverse::Reverse;
pub use send::{FrameEnd, FrameSend};
pub use store::FrameStore;
pub use stream::{BeatStage, FrameMark, FrameSink, FrameSource};
pub use xor_matrix::XorMatrix;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list().into_iter().chain(blocks_transmit::list()).collect()
}
