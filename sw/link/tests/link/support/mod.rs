//! A device model for tests of the host's side. It is written from the specification alone: it shares no code with the crate,
//! takes offsets and times as the text has them, and counts in 64 bits what the wire shows in 16.

pub mod bench;
pub mod bus;
pub mod device;
pub mod frame;
pub mod hub;
pub mod stream;
