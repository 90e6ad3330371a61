//! Measurements on the Verilog: cycles an operation, next to the bound that the bus itself sets.
mod registration;

pub use registration::{bench_registration, Case, ListKind, Operation, RegistrationRow};
