//! Channel: data with valid and ready. `valid` holds with stable data until `ready` (invariant I7).
use rust_hdl::prelude::*;

/// The end of a channel that offers data.
#[derive(LogicInterface, Default)]
#[join = "ChannelSink"]
pub struct ChannelSource<T: Synth> {
    /// Payload.
    pub data: Signal<Out, T>,
    /// The payload counts.
    pub valid: Signal<Out, Bit>,
    /// The other end takes it at the next edge.
    pub ready: Signal<In, Bit>,
}

/// The end of a channel that takes data.
#[derive(LogicInterface, Default)]
#[join = "ChannelSource"]
pub struct ChannelSink<T: Synth> {
    /// Payload.
    pub data: Signal<In, T>,
    /// The payload counts.
    pub valid: Signal<In, Bit>,
    /// This end takes it at the next edge.
    pub ready: Signal<Out, Bit>,
}
