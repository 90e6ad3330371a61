//! From spans of payload to pieces on the bus: what the engines that move payload put in front of the lookup.
//!
//! ```text
//!  span ─► span_walk ─ parts ─► pieces ─ questions ─► lookup_share ─► lookup
//!                                  └◄──── answers ◄───────┘
//!  ends of holds ─► end_share ─► counts of accesses in flight
//! ```
#[cfg(test)]
pub(crate) mod bench;
mod collect;
mod end_share;
mod lookup_share;
#[allow(clippy::module_inception)]
mod pieces;
mod records;
mod span_walk;

pub use collect::Collect;
pub use end_share::EndShare;
pub use lookup_share::LookupShare;
pub use pieces::Pieces;
pub use records::{BusPiece, Part};
pub use span_walk::SpanWalk;
