//! The Ethernet between simulated NICs: ports, a line with rate, delay and faults, captures, a socket to the outside.
//!
//! A [`Transmitter`] makes frames of the beats of `m_axis_tx`, a [`Receiver`] makes beats for `s_axis_rx` of frames. Between
//! them is a [`Wire`]: what one end sends, all other ends receive, as on a hub. Everything random follows from a seed, so a
//! run repeats cycle for cycle; only a socket is not repeatable.
//!
//! [`frame`] builds frames and takes them apart, independently of the hardware.
pub mod capture;
mod counters;
mod fault;
pub mod frame;
mod line;
mod ports;
mod record;
mod settings;
mod socket;

#[cfg(test)]
mod tests;

pub use counters::Counters;
pub use fault::{FrameFault, Mishap};
pub use frame::Frame;
pub use line::{Arrival, EndId, Wire};
pub use ports::{Receiver, StreamError, Transmitter};
pub use record::{Fate, FrameRecord};
pub use settings::{Chances, Rate, WireSettings};
pub use socket::{Socket, SocketError};
