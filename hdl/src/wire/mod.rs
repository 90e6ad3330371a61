//! Subsystem `wire`: Ethernet, IP, UDP and the transport headers; ICRC; frame buffers.
use crate::check::BlockCheck;

mod arbiter;
mod beat_mask;
mod blocks;
mod blocks_transmit;
mod build;
mod frame_choice;
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
pub(crate) mod model;
mod pack;
mod pack_masks;
mod pack_rotate;
mod pack_sequence;
mod parse_address;
mod parse_checksum;
mod parse_fields;
mod parse_judge;
mod parse_length;
mod parse_shape;
mod receive;
#[cfg(test)]
mod receive_bench;
mod receive_headers;
mod receive_icrc;
mod receive_intake;

mod receive_missed;
#[cfg(test)]
mod receive_model;
mod receive_offer;
mod receive_records;
#[cfg(test)]
mod receive_tests;
mod receive_words;
mod records;
mod reverse;
mod send;
mod store;
mod stream;
mod xor_matrix;

pub use arbiter::WireArbiter;
pub use beat_mask::BeatMask;
pub use build::FrameBuilder;
pub use frame_choice::FrameChoice;
pub use headers::{FrameHeader, HeaderGenerator};
pub use icrc::{Icrc, Retreat};
pub use icrc_mask::IcrcMask;
pub use pack::Packer;
pub use pack_rotate::PackRotate;
pub use parse_address::{ParseAddress, OWN_ADDRESSES};
pub use parse_checksum::ParseChecksum;
pub use parse_fields::ParseFields;
pub use parse_judge::ParseJudge;
pub use parse_length::ExtensionLength;
pub use parse_shape::{ParseShape, RxShape, ROCE_PORT};
pub use receive::FrameReceiver;
pub use receive_headers::RxHeaders;
pub use receive_icrc::RxIcrc;
pub use receive_intake::{RxIntake, LARGEST_FRAME};

pub use receive_missed::RxMissed;
pub use receive_offer::{RxOffer, RxRows};
pub use receive_records::{HeaderWords, RxBeat, RxEnd, RxVerdict};
pub use receive_words::{RxWords, HEADER_WORDS};
pub use records::{PlaceJob, PlaceVerdict, RxFrame, Span, TxFrame, WirePath};
pub use reverse::Reverse;
pub use send::{FrameEnd, FrameSend};
pub use store::{FrameStore, STORE_SLACK};
pub use stream::{BeatStage, FrameMark, FrameSink, FrameSource};
pub use xor_matrix::XorMatrix;

/// Blocks of this subsystem.
pub fn blocks() -> Vec<BlockCheck> {
    blocks::list().into_iter().chain(blocks_transmit::list()).collect()
}
