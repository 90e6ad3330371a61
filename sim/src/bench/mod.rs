//! Measurements on the Verilog: cycles an operation, next to the bound that the bus or the wire itself sets.
mod latency;
mod pair;
mod registration;
mod wire;

pub use latency::{bench_latency, LatencyRow};
pub use registration::{bench_registration, BenchError, Case, ListKind, Operation, RegistrationRow};
pub use wire::{bench_wire, Transfer, WireCase, WireRow};
