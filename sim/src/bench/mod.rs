//! Measurements on the Verilog: cycles an operation, next to the bound that the bus itself sets.
mod registration;

pub use registration::{bench_registration, BenchError, Case, ListKind, Operation, RegistrationRow};
