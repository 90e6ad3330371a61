//! Memory regions as a subsystem: every rule of `fast-registration.md` that it enforces, driven in the Rust simulation.
mod access;
mod admin;
mod bench;
mod invalidation;
mod order;
mod registration;
mod speed;
